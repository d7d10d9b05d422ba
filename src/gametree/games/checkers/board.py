"""The board as bits: the struct of a position, steps in four directions, and what can capture.

The 32 dark squares have numbers 1 to 32; Black starts on 1–12 and moves to higher ones. Bit b of a bitboard is square
b + 1 − b // 9: the bits 8, 17 and 26 stand for no square, so that a step is 4 or 5 bits wherever it begins (Samuel
1959), and whatever leaves the board falls on one of these or beyond bit 34.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from gametree.kernels import ZERO, ctz, struct, u64

__all__ = [
    "BLACK",
    "BOARD",
    "CROWN",
    "WHITE",
    "State",
    "bit_of",
    "can_jump",
    "can_step",
    "empty_squares",
    "first",
    "number_of",
    "squares",
    "step",
]

State = struct(
    sides=("u8", 2),  # men and kings of Black and of White
    kings="u8",  # of both
    seat="i4",
    clock="i4",  # plies since a piece was captured or a man moved
)

BLACK, WHITE = 0, 1
BOARD = u64(sum(1 << b for b in range(35) if b not in (8, 17, 26)))
CROWN = np.array([0xF << 31, 0xF], np.uint64)
"""Where the men of Black and of White become kings."""


def bit_of(number: int) -> int:
    """The bit of a square, 1 to 32."""
    return number - 1 + (number - 1) // 8


def number_of(bit: int) -> int:
    """The square of a bit."""
    return bit + 1 - bit // 9


def squares(*numbers: int) -> Any:
    """The bitboard of these squares."""
    return u64(sum(1 << bit_of(number) for number in numbers))


def first(x: Any) -> Any:
    """The lowest bit of a bitboard, as a number."""
    return np.int64(ctz(x))


def step(x: Any, way: Any) -> Any:
    """All bits one step on. Ways 0 and 1 lead to higher squares, 2 and 3 back; way + 2 is the opposite of way."""
    if way == 0:
        return x << u64(4)
    if way == 1:
        return x << u64(5)
    if way == 2:
        return x >> u64(4)
    return x >> u64(5)


def empty_squares(s: Any) -> Any:
    """The squares that nobody stands on."""
    return BOARD & ~(s.sides[0] | s.sides[1])


def can_jump(up: Any, down: Any, enemy: Any, empty: Any) -> Any:
    """Those that can capture, of the pieces that may move up (to higher squares) and of those that may move down."""
    found = up & ((enemy & empty >> u64(4)) >> u64(4) | (enemy & empty >> u64(5)) >> u64(5))
    return found | down & ((enemy & empty << u64(4)) << u64(4) | (enemy & empty << u64(5)) << u64(5))


def can_step(up: Any, down: Any, empty: Any) -> Any:
    """Those that can move without capturing."""
    return up & (empty >> u64(4) | empty >> u64(5)) | down & (empty << u64(4) | empty << u64(5))


def moving_up(s: Any, side: Any) -> Any:
    """The pieces of a side that may move to higher squares: Black's men, and kings."""
    own = s.sides[side]
    return own if side == BLACK else own & s.kings


def moving_down(s: Any, side: Any) -> Any:
    """The pieces of a side that may move to lower squares: White's men, and kings."""
    own = s.sides[side]
    return own & s.kings if side == BLACK else own


def jumpers(s: Any, side: Any) -> Any:
    """The pieces of a side that can capture."""
    return can_jump(moving_up(s, side), moving_down(s, side), s.sides[1 - side], empty_squares(s))


def steppers(s: Any, side: Any) -> Any:
    """The pieces of a side that could move without capturing."""
    return can_step(moving_up(s, side), moving_down(s, side), empty_squares(s))


def has_move(s: Any) -> Any:
    """Whether the side to move can move."""
    return jumpers(s, s.seat) != ZERO or steppers(s, s.seat) != ZERO


def rows_on(square: Any) -> Any:
    """The row of one square, 0 for squares 1–4 to 7 for 29–32."""
    bit = first(square)
    return (bit - bit // 9) // 4
