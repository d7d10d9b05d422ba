"""How features of a chess position are weighed and counted, and the bitboard tricks that find them.

Every feature goes through `note`, which weighs it; for explanations and for tuning the same code is compiled with
`note_down` in its place, which also writes down how often each feature occurred on which side.
"""

from __future__ import annotations

from typing import Any

from gametree.games.chess.board import FILE_A, FILE_H
from gametree.kernels import ONE, u64

__all__ = ["beside", "down", "hit_down", "hit_up", "note", "note_down", "up"]


def note(w: Any, ledger: Any, side: Any, feature: Any, times: Any) -> Any:
    """The weight of a feature that occurs so many times, both halves; `w` is a record of the game's Weights."""
    return w.packed[feature] * times


def note_down(w: Any, ledger: Any, side: Any, feature: Any, times: Any) -> Any:
    """The same, and the ledger, of shape (2, FEATURES), counts it."""
    ledger[side, feature] += times
    return w.packed[feature] * times


def beside(board: Any) -> Any:
    """The squares left and right of those on the board."""
    return (board & ~FILE_A) >> ONE | (board & ~FILE_H) << ONE


def up(board: Any) -> Any:
    """All squares of the board and above."""
    board |= board << u64(8)
    board |= board << u64(16)
    return board | board << u64(32)


def down(board: Any) -> Any:
    """All squares of the board and below."""
    board |= board >> u64(8)
    board |= board >> u64(16)
    return board | board >> u64(32)


def hit_up(pawns: Any) -> Any:
    """What pawns that go up attack."""
    return beside(pawns) << u64(8)


def hit_down(pawns: Any) -> Any:
    """What pawns that go down attack."""
    return beside(pawns) >> u64(8)
