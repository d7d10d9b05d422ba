"""Searches for games in which a seat does not see the whole state."""
