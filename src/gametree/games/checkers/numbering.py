"""Positions with few pieces by number, for tables of solved endings.

A class is the material: men and kings of the mover, men and kings of the other side. Positions are numbered as if the
mover were Black, because a half turn of the board changes the colours: so "White to move in Kmm–K" is no class of its
own. Within a class the number is made of the ranks of the mover's men among 28 squares, the other's men among 28, the
mover's kings among the squares that are left, and the other's kings among the rest. Numbers where two men stand on one
square stand for no position.
"""

from __future__ import annotations

import math
import re
from typing import Any

import numpy as np

from gametree.core.errors import BadInput
from gametree.games.checkers.board import BLACK, State, bit_of
from gametree.kernels import ONE, ZERO, clz, ctz, popcount, u64

__all__ = [
    "MOST_TABLED",
    "State",
    "class_after",
    "class_number",
    "class_parts",
    "class_size",
    "class_title",
    "classes_with",
    "index_of",
    "material_class",
    "read_class",
    "set_index",
]

MOST_TABLED = 6
"""Positions with more pieces have no number."""
BASE = MOST_TABLED
CHOOSE = np.array([[math.comb(n, k) for k in range(MOST_TABLED + 1)] for n in range(33)])
MEN_SQUARES = 28
BITS = np.array([1 << bit_of(number) for number in range(1, 33)], np.uint64)


def class_number(men: Any, kings: Any, other_men: Any, other_kings: Any) -> Any:
    """The class of this material, the mover's first."""
    return ((men * BASE + kings) * BASE + other_men) * BASE + other_kings


def material_class(s: Any) -> Any:
    """The material, if both sides have some and there are not too many pieces."""
    side = np.int64(s.seat)
    own, enemy = s.sides[side], s.sides[1 - side]
    if own == ZERO or enemy == ZERO or popcount(own | enemy) > MOST_TABLED:
        return np.int64(-1)
    kings = s.kings
    return np.int64(
        class_number(popcount(own & ~kings), popcount(own & kings), popcount(enemy & ~kings), popcount(enemy & kings))
    )


def class_size(c: Any) -> Any:
    """Ranks of both sides' men and kings, multiplied."""
    men, kings, other_men, other_kings = c // BASE**3, c // BASE**2 % BASE, c // BASE % BASE, c % BASE
    if men + kings == 0 or other_men + other_kings == 0 or men + kings + other_men + other_kings > MOST_TABLED:
        return np.int64(0)
    free = 32 - men - other_men
    size = CHOOSE[MEN_SQUARES, men] * CHOOSE[MEN_SQUARES, other_men]
    return size * CHOOSE[free, kings] * CHOOSE[free - kings, other_kings]


def rank(pieces: Any, taken: Any, turned: Any, first: Any) -> Any:
    """The rank of a set of squares among those of its size, squares `taken` and those below `first` left out.

    Squares are counted from 0, from the other end if `turned`.
    """
    found = np.int64(0)
    count = 0
    while pieces != ZERO:
        bit = np.int64(63 - clz(pieces) if turned else ctz(pieces))
        square = bit - bit // 9
        one = ONE << u64(bit)
        pieces &= ~one
        if turned:
            place = 31 - square - popcount(taken & ~(one | (one - ONE)))
        else:
            place = square - popcount(taken & (one - ONE))
        count += 1
        found += CHOOSE[place - first, count]
    return found


def index_of(s: Any, c: Any) -> Any:
    """The number of the position in its class."""
    side = np.int64(s.seat)
    turned = side != BLACK
    own, enemy, kings = s.sides[side], s.sides[1 - side], s.kings
    men, other_men = own & ~kings, enemy & ~kings
    own_kings, other_kings = own & kings, enemy & kings
    free = 32 - popcount(men) - popcount(other_men)
    number = rank(men, ZERO, turned, 0)
    number = number * CHOOSE[MEN_SQUARES, popcount(other_men)] + rank(other_men, ZERO, turned, 4)
    number = number * CHOOSE[free, popcount(own_kings)] + rank(own_kings, men | other_men, turned, 0)
    free -= popcount(own_kings)
    taken = men | other_men | own_kings
    return number * CHOOSE[free, popcount(other_kings)] + rank(other_kings, taken, turned, 0)


def unrank(number: Any, count: Any, taken: Any, first: Any) -> Any:
    """The set of so many squares with this rank."""
    found = ZERO
    place = np.int64(32)
    for left in range(count, 0, -1):
        place -= 1
        while CHOOSE[place, left] > number:
            place -= 1
        number -= CHOOSE[place, left]
        # The place-th square that is not taken.
        at = np.int64(first)
        free = np.int64(-1)
        while True:
            if taken & BITS[at] == ZERO:
                free += 1
            if free == place:
                break
            at += 1
        found |= BITS[at]
    return found


def set_index(s: Any, c: Any, i: Any) -> Any:
    """Set the position up with Black to move; False where two men would stand on one square."""
    men, kings, other_men, other_kings = c // BASE**3, c // BASE**2 % BASE, c // BASE % BASE, c % BASE
    free = 32 - men - other_men
    count = CHOOSE[free - kings, other_kings]
    last = i % count
    i //= count
    count = CHOOSE[free, kings]
    third = i % count
    i //= count
    count = CHOOSE[MEN_SQUARES, other_men]
    own = unrank(i // count, men, ZERO, 0)
    enemy = unrank(i % count, other_men, ZERO, 4)
    if own & enemy != ZERO:
        return False
    own_kings = unrank(third, kings, own | enemy, 0)
    enemy_kings = unrank(last, other_kings, own | enemy | own_kings, 0)
    s.sides[0] = own | own_kings
    s.sides[1] = enemy | enemy_kings
    s.kings = own_kings | enemy_kings
    s.seat = BLACK
    s.clock = 0
    return True


def class_after(c: Any, out: Any) -> Any:
    """What is left when some of the other side's pieces are captured and perhaps a man has become a king."""
    men, kings, other_men, other_kings = c // BASE**3, c // BASE**2 % BASE, c // BASE % BASE, c % BASE
    n = np.int64(0)
    for crowned in range(min(men, 1) + 1):
        for left_men in range(other_men + 1):
            for left_kings in range(other_kings + 1):
                after = class_number(left_men, left_kings, men - crowned, kings + crowned)
                if left_men + left_kings > 0 and after != c:
                    out[n] = after
                    n += 1
    return n


# Names ----------------------------------------------------------------------------------------------------------------


def class_parts(c: int) -> tuple[int, int, int, int]:
    """Men and kings of the mover and of the other side."""
    return c // BASE**3, c // BASE**2 % BASE, c // BASE % BASE, c % BASE


def class_title(c: int) -> str:
    """`Kmm-K`: the mover has a king and two men, the other side a king."""
    men, kings, other_men, other_kings = class_parts(c)
    return "K" * kings + "m" * men + "-" + "K" * other_kings + "m" * other_men


def read_class(text: str) -> int:
    """The class with this title. Raises BadInput."""
    found = re.fullmatch(r"(K*)(m*)[-–](K*)(m*)", text.strip())
    sizes = [len(part) for part in found.groups()] if found else []
    if not found or sizes[0] + sizes[1] == 0 or sizes[2] + sizes[3] == 0 or sum(sizes) > MOST_TABLED:
        raise BadInput(
            f"'{text}' is no class of positions of checkers; expected the mover's kings and men, a hyphen, and the "
            f"other side's, such as Kmm-K, at most {MOST_TABLED} pieces, or a number of pieces from 2 to {MOST_TABLED}."
        )
    return int(class_number(sizes[1], sizes[0], sizes[3], sizes[2]))


def classes_with(pieces: int) -> list[int]:
    """All classes with so many pieces."""
    return [
        int(class_number(men, mine - men, other_men, pieces - mine - other_men))
        for mine in range(1, pieces)
        for men in range(mine + 1)
        for other_men in range(pieces - mine + 1)
    ]
