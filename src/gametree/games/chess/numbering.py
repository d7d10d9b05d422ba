"""Positions with three or four men by number, for tables of solved endings.

A class is the material, the mover's first: `KR-K` is king and rook against king, and the rook's side moves. Positions
are numbered as if the mover were White (turned upside down with colours swapped, which changes nothing). Without pawns
the mover's king is brought into the triangle a1–d1–d4 by one of the eight symmetries of the board, with pawns onto the
files a to d; of two images that are left, the one with the smaller number counts. Then follow the squares of the other
king and of the men. No class has pawns on both sides, because a table knows no capture in passing.
"""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from gametree.core.errors import BadInput
from gametree.games.chess.board import (
    KING,
    KING_STEPS,
    KNIGHT,
    NO_KIND,
    PAWN,
    QUEEN,
    State,
    first,
    in_check,
    position_hash,
)
from gametree.kernels import ONE, ZERO, popcount, u64

__all__ = [
    "State",
    "class_after",
    "class_size",
    "class_title",
    "image_counts",
    "index_of",
    "material_class",
    "read_classes",
    "set_index",
]

BASE = 6
MOST_MEN = 4
TRIANGLE = np.array([0, 1, 2, 3, 9, 10, 11, 18, 19, 27])  # a1–d1, b2–d2, c3–d3, d4
IN_TRIANGLE = np.array([list(TRIANGLE).index(square) if square in TRIANGLE else -1 for square in range(64)])
LETTERS = " PNBRQ"


def men_of(c: Any, place: Any) -> Any:
    """The kind of one of the four men beside the kings: two of the mover, two of the other side; NO_KIND for none."""
    for _ in range(3 - place):
        c //= BASE
    return c % BASE


def men_of_side(s: Any, side: Any) -> Any:
    """The men beside the king as a number below 36, the more valuable first."""
    number = np.int64(0)
    for kind in range(QUEEN, NO_KIND, -1):
        for _ in range(popcount(s.kinds[kind] & s.sides[side])):
            number = number * BASE + kind
    return number if number >= BASE or number == 0 else number * BASE


def material_class(s: Any) -> Any:
    """The material, if there are at most four men and no rights that a table does not know; else −1."""
    if popcount(s.sides[0] | s.sides[1]) > MOST_MEN or s.castlers != ZERO or s.en_passant != 0:
        return np.int64(-1)
    side = np.int64(s.seat)
    c = men_of_side(s, side) * BASE * BASE + men_of_side(s, 1 - side)
    return np.int64(c) if class_size(c) > 0 else np.int64(-1)


def has_pawns(c: Any) -> Any:
    """Whether a side has a pawn."""
    return men_of(c, 0) == PAWN or men_of(c, 1) == PAWN or men_of(c, 2) == PAWN or men_of(c, 3) == PAWN


def count_men(c: Any) -> Any:
    """How many men there are beside the kings."""
    count = 0
    for place in range(4):
        count += 1 if men_of(c, place) != NO_KIND else 0
    return count


def class_size(c: Any) -> Any:
    """The squares of the mover's king times 64 for every other man."""
    ordered = men_of(c, 0) >= men_of(c, 1) and men_of(c, 2) >= men_of(c, 3)
    mine = men_of(c, 0) == PAWN or men_of(c, 1) == PAWN
    others = men_of(c, 2) == PAWN or men_of(c, 3) == PAWN
    if not ordered or count_men(c) > MOST_MEN - 2 or (mine and others):
        return np.int64(0)
    return np.int64(32 if has_pawns(c) else 10) * np.int64(64) ** (1 + count_men(c))


def turn(square: Any, symmetry: Any) -> Any:
    """The image of a square: bit 0 mirrors the files, bit 1 the ranks, bit 2 swaps files and ranks behind that."""
    if symmetry & 1 != 0:
        square ^= 7
    if symmetry & 2 != 0:
        square ^= 56
    if symmetry & 4 != 0:
        square = square // 8 + square % 8 * 8
    return square


def number_of(c: Any, king: Any, other: Any, one: Any, two: Any, symmetry: Any) -> Any:
    """The number of one image; squares that are not used are −1."""
    king, other = turn(king, symmetry), turn(other, symmetry)
    number = (king // 8 * 4 + king % 8 if has_pawns(c) else IN_TRIANGLE[king]) * 64 + other
    if one >= 0:
        one = turn(one, symmetry)
        if two >= 0:
            two = turn(two, symmetry)
            if are_alike(c) and one < two:
                one, two = two, one
            return (number * 64 + one) * 64 + two
        return number * 64 + one
    return number


def are_alike(c: Any) -> Any:
    """Whether two men of one side are of the same kind, so that it does not matter which is which."""
    mine = men_of(c, 0) == men_of(c, 1) and men_of(c, 0) != NO_KIND
    return mine or (men_of(c, 2) == men_of(c, 3) and men_of(c, 2) != NO_KIND)


def square_of_man(s: Any, side: Any, kind: Any, second: Any) -> Any:
    """Where the side's first or second man of a kind stands."""
    found = s.kinds[kind] & s.sides[side]
    if second:
        found &= found - ONE
    return np.int64(first(found))


def index_of(s: Any, c: Any) -> Any:
    """The number of the position in its class."""
    side = np.int64(s.seat)
    flip = 0 if side == 0 else 56
    king = np.int64(first(s.kinds[KING] & s.sides[side])) ^ flip
    other = np.int64(first(s.kinds[KING] & s.sides[1 - side])) ^ flip
    one = two = np.int64(-1)
    for place in range(4):
        kind = men_of(c, place)
        if kind != NO_KIND:
            second = place % 2 == 1 and men_of(c, place - 1) == kind
            square = square_of_man(s, side if place < 2 else 1 - side, kind, second) ^ flip
            if one < 0:
                one = square
            else:
                two = square
    symmetry = 1 if king % 8 > 3 else 0
    if has_pawns(c):
        return number_of(c, king, other, one, two, symmetry)
    symmetry |= 2 if king // 8 > 3 else 0
    at = turn(king, symmetry)
    if at // 8 > at % 8:
        symmetry |= 4
    number = number_of(c, king, other, one, two, symmetry)
    if at // 8 == at % 8:
        number = min(number, number_of(c, king, other, one, two, symmetry ^ 4))
    return number


def set_index(s: Any, c: Any, i: Any) -> Any:
    """Set the position up with White to move; False if there is none, or another number stands for it."""
    number = np.int64(i)
    men = count_men(c)
    for kind in range(KING + 1):
        s.kinds[kind] = ZERO
    s.sides[0] = s.sides[1] = s.castlers = ZERO
    s.seat = s.en_passant = s.clock = s.plies = 0
    left = men
    for back in range(4):
        place = 3 - back
        kind = men_of(c, place)
        if kind == NO_KIND:
            continue
        square = number % 64
        number //= 64
        left -= 1
        if (kind == PAWN and (square < 8 or square > 55)) or not put(s, 0 if place < 2 else 1, kind, square):
            return False
    other, king = number % 64, number // 64
    king = king // 4 * 8 + king % 4 if has_pawns(c) else TRIANGLE[king]
    if not put(s, 0, KING, king) or not put(s, 1, KING, other) or KING_STEPS[king] >> u64(other) & ONE != ZERO:
        return False
    s.seat = 1
    wrong = in_check(s)
    s.seat = 0
    if wrong or index_of(s, c) != i:
        return False
    s.hash = position_hash(s)
    return True


def put(s: Any, side: Any, kind: Any, square: Any) -> Any:
    """Put a man on a square; False if it is taken."""
    bit = ONE << u64(square)
    if (s.sides[0] | s.sides[1]) & bit != ZERO:
        return False
    s.sides[side] |= bit
    s.kinds[kind] |= bit
    return True


def without(men: Any, place: Any) -> Any:
    """Two men, as a number below 36, without one of them."""
    return (men % BASE if place == 0 else men // BASE) * BASE


def promoted(men: Any, place: Any, kind: Any) -> Any:
    """Two men with another kind in one place, the more valuable first."""
    one, two = men // BASE, men % BASE
    if place == 0:
        one = kind
    else:
        two = kind
    return max(one, two) * BASE + min(one, two)


def class_after(c: Any, out: Any) -> Any:
    """What is left after a quiet move, a capture, a promotion, or both."""
    mine, others = c // (BASE * BASE), c % (BASE * BASE)
    n = np.int64(0)
    for taken in range(3):
        if taken < 2 and (others // BASE if taken == 0 else others % BASE) == NO_KIND:
            continue
        left = without(others, taken) if taken < 2 else others
        n = add_class(c, left * BASE * BASE + mine, out, n)
        for place in range(2):
            if (mine // BASE if place == 0 else mine % BASE) == PAWN:
                for kind in range(KNIGHT, KING):
                    n = add_class(c, left * BASE * BASE + promoted(mine, place, kind), out, n)
    return n


def add_class(c: Any, after: Any, out: Any, n: Any) -> Any:
    """Write a class behind the first n unless it is c or already there."""
    known = after == c
    for i in range(n):
        known |= out[i] == after
    if not known:
        out[n] = after
        n += 1
    return n


# Names ----------------------------------------------------------------------------------------------------------------


def class_title(c: int) -> str:
    """`KR-K`."""
    kinds = [c // BASE**3, c // BASE**2 % BASE, c // BASE % BASE, c % BASE]
    sides = ["K" + "".join(LETTERS[kind] for kind in pair if kind) for pair in (kinds[:2], kinds[2:])]
    return "-".join(sides)


def read_classes(text: str) -> list[int]:
    """`KR-K` is the class in which the rook's side moves, `KRK` both that and `K-KR`. Raises BadInput."""
    found = re.fullmatch(r"K([QRBNP]{0,2})([-–]?)K([QRBNP]{0,2})", text.strip().upper().replace("V", ""))
    sides = [sorted(map(LETTERS.index, found[group]), reverse=True) for group in (1, 3)] if found else []
    numbers = [first_man * BASE + second_man for first_man, second_man, *_ in ([*pair, 0, 0] for pair in sides)]
    classes = [numbers[0] * 36 + numbers[1], numbers[1] * 36 + numbers[0]] if sides else []
    if found is None or not class_size(classes[0]):
        raise BadInput(
            f"'{text}' is no class of positions of chess; expected the men of both sides such as KRK or KQKR, or with "
            "the mover's first KR-K; at most four men, and pawns on one side alone."
        )
    return [int(c) for c in ([classes[0]] if found[2] else dict.fromkeys(classes))]


def image_counts(c: int, size: int) -> Any:
    """How many placements on the whole board each number stands for, as an array."""
    if has_pawns(c):
        return np.full(size, 2, np.int64)
    numbers = np.arange(size)
    on_diagonal = np.ones(size, np.bool_)
    for _ in range(int(count_men(c)) + 1):
        on_diagonal &= numbers % 64 % 9 == 0
        numbers //= 64
    return np.where(on_diagonal & (TRIANGLE[numbers] % 9 == 0), 4, 8)
