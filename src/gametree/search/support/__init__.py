"""What searches share: the frame around a search, random bits, playouts, tables, threads. Others may use it too."""
