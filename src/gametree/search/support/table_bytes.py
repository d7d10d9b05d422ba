"""How a table says what a position is worth: one byte, seen by its mover.

    1 to 127        won in 1, 3, 5, … plies: 127 is won in 1
    −1 to −127      lost in 0, 2, 4, … plies: −127 is lost in 0
    0               drawn
    −128            no such position

The larger the byte the better for the mover. As the seats take turns, a win takes an odd number of plies and a loss an
even one.
"""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["DRAWN", "LONGEST", "NOTHING", "byte_of_loss", "byte_of_win", "outcome_of", "plies_of"]

DRAWN = 0
NOTHING = -128
LONGEST = 252
"""No win or loss may take more plies."""


def byte_of_win(plies: Any) -> Any:
    """The byte of a win in an odd number of plies."""
    return np.int64(127 - (plies - 1) // 2)


def byte_of_loss(plies: Any) -> Any:
    """The byte of a loss in an even number of plies."""
    return np.int64(plies // 2 - 127)


def plies_of(byte: Any) -> Any:
    """In how many plies a win or a loss ends the game."""
    return np.int64(2 * (127 - byte) + 1 if byte > 0 else 2 * (127 + byte))


def outcome_of(byte: int) -> int:
    """1 won, 0 drawn, −1 lost."""
    return (byte > 0) - (byte < 0)
