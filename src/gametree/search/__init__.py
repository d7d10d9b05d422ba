"""One file per algorithm. Each defines `ALGORITHM`, its facts, and `search`."""
