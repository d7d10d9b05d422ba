"""Searches by kind: textbook, compiled, hidden, and what they share (support).

One file per algorithm; each defines `ALGORITHM`, its facts, and `search`.
"""
