"""Readable searches: each file mirrors its pseudocode and searches any game."""
