"""gametree as a program for others: GTP for Go, and a protocol of JSON lines for every game."""
