"""The estimate: material, kings, back rank, centre, tempo, mobility, runaway men, havens, trades, and the move.

Every term is a function that counts for one side; `estimate` weighs the differences, in hundredths of a man. What
matters in checkers is said by Samuel (1959) and in Schaeffer's *One Jump Ahead* (1997).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from gametree.games.checkers.board import BLACK, BOARD, empty_squares, moving_down, moving_up, squares
from gametree.kernels import ZERO, plain_at_first, popcount, u64

__all__ = ["TERMS", "estimate", "list_terms", "runaway_men"]

TERMS = (
    ("men", 100),
    ("kings", 135),
    ("back rank", 8),
    ("centre", 3),
    ("tempo", 2),
    ("mobility", 3),
    ("runaway men", 10),
    ("kings in the centre", 6),
    ("haven", 25),
    ("trades when ahead", 1),
    ("the move", 5),
)
"""What the estimate is made of, and the weight of each in hundredths of a man."""
WEIGHTS = np.array([weight for _, weight in TERMS])

HOME = np.array([squares(1, 2, 3, 4), squares(29, 30, 31, 32)])
BRIDGE = np.array([squares(1, 3), squares(30, 32)])
MIDDLE = squares(10, 11, 14, 15, 18, 19, 22, 23)
DOUBLE_CORNERS = squares(1, 5, 6, 27, 28, 32)
ROWS = np.array([squares(*range(first, first + 4)) for first in range(1, 33, 4)])
# The rows whose number, 0 to 7, has the bits 1, 2 and 4.
ODD_ROWS = ROWS[1] | ROWS[3] | ROWS[5] | ROWS[7]
TWO_ROWS = ROWS[2] | ROWS[3] | ROWS[6] | ROWS[7]
FOUR_ROWS = ROWS[4] | ROWS[5] | ROWS[6] | ROWS[7]
SYSTEM = ROWS[0] | ROWS[2] | ROWS[4] | ROWS[6]
"""The move system of Black; White's is the rest of the board."""
MOVE_MATTERS = 10
"""The move counts with at most so many pieces on the board."""


def men(s: Any, side: Any) -> Any:
    """Men of the side."""
    return popcount(s.sides[side] & ~s.kings)


def kings(s: Any, side: Any) -> Any:
    """Kings of the side."""
    return popcount(s.sides[side] & s.kings)


def back_rank(s: Any, side: Any) -> Any:
    """Men at home while the enemy has men to crown; the two of the bridge together count one more."""
    if s.sides[1 - side] & ~s.kings == ZERO:
        return 0
    own = s.sides[side] & ~s.kings
    count = popcount(own & HOME[side])
    return count + 1 if own & BRIDGE[side] == BRIDGE[side] else count


def centre(s: Any, side: Any) -> Any:
    """Men on the eight squares in the middle."""
    return popcount(s.sides[side] & ~s.kings & MIDDLE)


def tempo(s: Any, side: Any) -> Any:
    """Rows that the men have come forward."""
    own = s.sides[side] & ~s.kings
    rows = popcount(own & ODD_ROWS) + 2 * popcount(own & TWO_ROWS) + 4 * popcount(own & FOUR_ROWS)
    return rows if side == BLACK else 7 * popcount(own) - rows


def mobility(s: Any, side: Any) -> Any:
    """Squares that can be entered with no enemy in front who could capture straight away."""
    empty, enemy = empty_squares(s), s.sides[1 - side]
    up, down = moving_up(s, side), moving_down(s, side)
    targets = (up << u64(4) | up << u64(5) | down >> u64(4) | down >> u64(5)) & empty
    # An enemy in front captures if the square behind, diagonally opposite, is empty or is being left.
    if side == BLACK:
        watched = enemy >> u64(4) & (empty | up) << u64(4) | enemy >> u64(5) & (empty | up) << u64(5)
    else:
        watched = enemy << u64(4) & (empty | down) >> u64(4) | enemy << u64(5) & (empty | down) >> u64(5)
    return popcount(targets & ~watched)


def runaway_men(s: Any, side: Any) -> Any:
    """Men that no enemy stands before, each by the square of the rows that it has come, in twelfths."""
    own, enemy = s.sides[side] & ~s.kings, s.sides[1 - side]
    seen = enemy  # the squares ahead of which an enemy stands
    if side == BLACK:
        for _ in range(7):
            seen |= (seen >> u64(4) | seen >> u64(5)) & BOARD
    else:
        for _ in range(7):
            seen |= (seen << u64(4) | seen << u64(5)) & BOARD
    free = own & ~seen
    total = 0
    if free != ZERO:
        for row in range(1, 8):
            total += popcount(free & ROWS[row if side == BLACK else 7 - row]) * row * row
    return total // 12


def kings_in_the_centre(s: Any, side: Any) -> Any:
    """Kings on the eight squares in the middle."""
    return popcount(s.sides[side] & s.kings & MIDDLE)


def lead(s: Any, side: Any) -> Any:
    """How far the side is ahead, a man counted 2 and a king 3, as Samuel did."""
    own = 2 * men(s, side) + 3 * kings(s, side)
    return own - 2 * men(s, 1 - side) - 3 * kings(s, 1 - side)


def haven(s: Any, side: Any) -> Any:
    """Whether the side is behind and has a king in a double corner."""
    return 1 if lead(s, side) < 0 and s.sides[side] & s.kings & DOUBLE_CORNERS != ZERO else 0


def trades_when_ahead(s: Any, side: Any) -> Any:
    """The lead times the pieces that have been exchanged."""
    return max(lead(s, side), 0) * (24 - popcount(s.sides[0] | s.sides[1]))


def the_move(s: Any, side: Any) -> Any:
    """Whether the side has the move: an odd number of pieces in the mover's system gives it to the mover."""
    pieces = s.sides[0] | s.sides[1]
    if popcount(pieces) > MOVE_MATTERS or lead(s, side) != 0:
        return 0
    system = SYSTEM if s.seat == BLACK else BOARD & ~SYSTEM
    movers = popcount(pieces & system) & 1 == 1
    return 1 if movers == (s.seat == side) else 0


def balance(s: Any, side: Any) -> Any:
    """The side's share of the estimate."""
    value = WEIGHTS[0] * men(s, side) + WEIGHTS[1] * kings(s, side) + WEIGHTS[2] * back_rank(s, side)
    value += WEIGHTS[3] * centre(s, side) + WEIGHTS[4] * tempo(s, side) + WEIGHTS[5] * mobility(s, side)
    value += WEIGHTS[6] * runaway_men(s, side) + WEIGHTS[7] * kings_in_the_centre(s, side)
    value += WEIGHTS[8] * haven(s, side) + WEIGHTS[9] * trades_when_ahead(s, side)
    return value + WEIGHTS[10] * the_move(s, side)


def estimate(s: Any) -> Any:
    """The difference of both shares, for the side to move."""
    side = np.int64(s.seat)
    return np.int64(balance(s, side) - balance(s, 1 - side))


@plain_at_first
def list_terms(states: Any, counts: Any) -> None:
    """What each side has of every term, into counts[side, term]."""
    s = states[0]
    for side in range(2):
        counts[side, 0] = men(s, side)
        counts[side, 1] = kings(s, side)
        counts[side, 2] = back_rank(s, side)
        counts[side, 3] = centre(s, side)
        counts[side, 4] = tempo(s, side)
        counts[side, 5] = mobility(s, side)
        counts[side, 6] = runaway_men(s, side)
        counts[side, 7] = kings_in_the_centre(s, side)
        counts[side, 8] = haven(s, side)
        counts[side, 9] = trades_when_ahead(s, side)
        counts[side, 10] = the_move(s, side)
