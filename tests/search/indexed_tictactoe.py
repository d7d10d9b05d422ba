"""Tic-tac-toe on a struct, whose positions have numbers: class c holds all positions with c men on the board."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from gametree.core.errors import BadInput
from gametree.core.facts import Facts
from gametree.kernels import ONE, ZERO, CompiledGame, ctz, popcount, struct, u64

State = struct(own="u8", other="u8")
LINES = np.array([0o700, 0o070, 0o007, 0o444, 0o222, 0o111, 0o421, 0o124], np.uint64)
CHOOSE = np.array([[math.comb(n, k) for k in range(11)] for n in range(11)], np.int64)


def has_line(men: Any) -> Any:
    """Three in a row."""
    found = False
    for i in range(8):
        found |= men & LINES[i] == LINES[i]
    return found


def initial(s: Any) -> None:
    """An empty board."""


def legal_moves(s: Any, out: Any) -> Any:
    """Every empty square, unless the other side has just won."""
    n = np.int64(0)
    if has_line(s.other):
        return n
    for square in range(9):
        if (s.own | s.other) >> u64(square) & ONE == ZERO:
            out[n] = square
            n += 1
    return n


def play(s: Any, m: Any) -> None:
    """Put a man on the square, and turn the sides."""
    mine = s.own | ONE << u64(m)
    s.own = s.other
    s.other = mine


def utility(s: Any) -> Any:
    """A loss if the other side has a line."""
    return -1 if has_line(s.other) else 0


def evaluate(s: Any) -> Any:
    """Nobody is better off."""
    return 0


def rank_of(men: Any) -> Any:
    """The number of a set of squares among the sets of the same size."""
    rank, count = np.int64(0), np.int64(0)
    while men != ZERO:
        count += 1
        rank += CHOOSE[np.int64(ctz(men)), count]
        men &= men - ONE
    return rank


def set_of(rank: Any, count: Any) -> Any:
    """The set of `count` squares with this number."""
    men = ZERO
    while count > 0:
        square = count - 1
        while CHOOSE[square + 1, count] <= rank:
            square += 1
        rank -= CHOOSE[square, count]
        men |= ONE << u64(square)
        count -= 1
    return men


def table_class(s: Any) -> Any:
    """The number of men."""
    return popcount(s.own | s.other)


def class_size(c: Any) -> Any:
    """Where men stand, and which of them are the mover's."""
    return CHOOSE[9, c] * CHOOSE[c, c // 2]


def index_of(s: Any, c: Any) -> Any:
    """The occupied squares first; then the mover's men, counted among them alone."""
    mine, place, both = ZERO, u64(0), s.own | s.other
    for square in range(9):
        if both >> u64(square) & ONE != ZERO:
            if s.own >> u64(square) & ONE != ZERO:
                mine |= ONE << place
            place += ONE
    return rank_of(both) * CHOOSE[c, c // 2] + rank_of(mine)


def set_index(s: Any, c: Any, i: Any) -> Any:
    """No position where the mover has won already."""
    both, mine = set_of(i // CHOOSE[c, c // 2], c), set_of(i % CHOOSE[c, c // 2], c // 2)
    own, place = ZERO, u64(0)
    for square in range(9):
        if both >> u64(square) & ONE != ZERO:
            if mine >> place & ONE != ZERO:
                own |= ONE << u64(square)
            place += ONE
    s.own = own
    s.other = both & ~own
    return not has_line(own)


def class_after(c: Any, out: Any) -> Any:
    """One man more."""
    if c >= 9:
        return np.int64(0)
    out[0] = c + 1
    return np.int64(1)


class IndexedTicTacToe(CompiledGame):
    """Tic-tac-toe whose classes are called `0 men` to `9 men`."""

    facts = Facts(most_moves=9, longest_game=9, min_utility=-1, max_utility=1)

    def class_name(self, number: int) -> str:
        """So many men."""
        return f"{number} men"

    def class_of_name(self, text: str) -> int:
        """The number before the word."""
        number, _, word = text.partition(" ")
        if word != "men" or not number.isdecimal() or int(number) > 9:
            raise BadInput(f"'{text}' is no class of tic-tac-toe; expected 0 men to 9 men.")
        return int(number)


game = IndexedTicTacToe
