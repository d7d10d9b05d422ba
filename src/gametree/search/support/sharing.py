"""How several threads share one search: a move that another thread is searching is put off until the others are done.

All threads search the same tree from the root and meet in the transposition table. Besides, each notes which moves it
is searching, in a few entries behind the table. A thread that comes to such a move looks at the state's other moves
first; when it returns, the table most often has the answer. Notes are written without locks: one that is lost or
overwritten costs only work that is done twice.

Sources: Weill (1996), *The ABDADA distributed minimax-search algorithm*; Kerrigan (2017), *Simplified ABDADA*.
"""

from __future__ import annotations

from typing import Any

from gametree.kernels.bits import ZERO, u64
from gametree.kernels.hashing import mix_in

__all__ = ["NOTES", "is_under_way", "note_begin", "note_end", "note_key"]

NOTES = 1024
"""Entries behind the table that hold the notes, two each. A power of two."""


def note_key(key: Any, move: Any) -> Any:
    """What stands in a note for a move of the state with this hash."""
    return mix_in(key, u64(move + 1))


def is_under_way(table: Any, slots: Any, note: Any) -> Any:
    """Whether some thread is searching the move."""
    entry = table[u64(slots) + (note & u64(NOTES - 1))]
    return entry.check == note or entry.word == note


def note_begin(table: Any, slots: Any, note: Any) -> None:
    """This thread begins to search the move."""
    entry = table[u64(slots) + (note & u64(NOTES - 1))]
    if entry.check == ZERO:
        entry.check = note
    else:
        entry.word = note


def note_end(table: Any, slots: Any, note: Any) -> None:
    """Nobody is searching the move any more, as far as this thread knows."""
    entry = table[u64(slots) + (note & u64(NOTES - 1))]
    if entry.check == note:
        entry.check = ZERO
    if entry.word == note:
        entry.word = ZERO
