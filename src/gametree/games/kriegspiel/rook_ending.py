"""King and rook against king without seeing the black king: in how many moves mate is certain, on boards up to 8 × 8.

A set of squares on which the black king may stand is one word of 64 bits, square = file + size × rank. White knows its
own men only, and hears refused king's moves, and checks by rank and by file. The search is AND-OR over such words: some
try, and after it for every announcement all of Black's replies together.

    WIN(B, d): mate is certain within d moves
        every two squares of B must be winnable by themselves, as far as PAIR tells (a relaxation: of the squares that
            may arise, again only every two must be)
        as long as there are squares in B
            find a try that is played on some of them, after which every announcement leaves a set with WIN(_, d − 1)
            if there is none: no; else leave out the squares on which it is played (on the others it is refused)
        yes

Sets are the same that turn into each other by one of the eight symmetries. What is known of a set is kept in a table.
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from gametree.core.errors import BadInput
from gametree.kernels import ONE, ZERO, clz, ctz, jit, mix_in, u64

__all__ = ["RookEnding"]

MOST_MOVES = 40
TABLE = 1 << 20
"""Places for sets; on 8 × 8 some 50,000 are used for all placements together."""
NEVER = 64


def rook_squares(size: Any, king: Any, rook: Any) -> Any:
    """What the rook attacks if only its own king stands in the way."""
    found = ZERO
    for step in range(4):
        file, rank = rook % size, rook // size
        while True:
            file += 1 if step == 0 else -1 if step == 1 else 0
            rank += 1 if step == 2 else -1 if step == 3 else 0
            if file < 0 or file >= size or rank < 0 or rank >= size or file + size * rank == king:
                break
            found |= ONE << u64(file + size * rank)
    return found


def reply_sets(size: Any, near: Any, lines: Any, king: Any, rook: Any, squares: Any, out: Any) -> Any:
    """Where the black king may stand after its reply, by what was announced before it: nothing, rank, file in out[0:3].

    False if it may take the rook or be stalemated on one of the squares.
    """
    attacked = lines[king, rook]
    bad = near[king] | attacked | ONE << u64(rook)
    out[0] = out[1] = out[2] = ZERO
    loose = near[king] >> u64(rook) & ONE == ZERO
    while squares != ZERO:
        square = ctz(squares)
        squares &= squares - ONE
        if loose and near[square] >> u64(rook) & ONE != ZERO:
            return False
        replies = near[square] & ~bad
        heard = 0
        if attacked >> u64(square) & ONE != ZERO:
            heard = 1 if square // size == rook // size else 2
        if replies == ZERO and heard == 0:
            return False
        out[heard] |= replies
    return True


def tries_of(lines: Any, near: Any, king: Any, rook: Any, out: Any) -> Any:
    """All tries, as king and rook afterwards (64 × king + rook): the king's first, then the rook's."""
    n = 0
    targets = near[king] & ~(ONE << u64(rook))
    while targets != ZERO:
        out[n] = 64 * ctz(targets) + rook
        n += 1
        targets &= targets - ONE
    targets = lines[king, rook]
    while targets != ZERO:
        out[n] = 64 * king + ctz(targets)
        n += 1
        targets &= targets - ONE
    return n


def pair_wins(size: Any, near: Any, lines: Any, known: Any, king: Any, rook: Any, pair: Any, moves: Any) -> Any:
    """Whether one or two squares might be won within so many moves, where of larger sets only every two must be.

    `known` holds for king, rook and both squares the most moves that do not suffice and the fewest that do.
    """
    if moves <= 0:
        return False
    low, high = np.int64(ctz(pair)), np.int64(63 - clz(pair))
    if moves <= known[king, rook, low, high, 0]:
        return False
    if moves >= known[king, rook, low, high, 1]:
        return True
    tries = np.empty(40, np.int64)
    sets = np.zeros(3, np.uint64)
    count = tries_of(lines, near, king, rook, tries)
    left = pair
    found = True
    while left != ZERO and found:
        found = False
        for i in range(count):
            to_king, to_rook = tries[i] // 64, tries[i] % 64
            played = left & ~near[to_king] if to_king != king else left
            if played == ZERO or not reply_sets(size, near, lines, to_king, to_rook, played, sets):
                continue
            good = True
            for heard in range(3):
                one = sets[heard]
                while good and one != ZERO:
                    bit = one & (~one + ONE)
                    other = one
                    while good and other != ZERO:
                        second = other & (~other + ONE)
                        if not pair_wins(size, near, lines, known, to_king, to_rook, bit | second, moves - 1):
                            good = False
                        other &= other - ONE
                    one &= one - ONE
                if not good:
                    break
            if good:
                left &= ~played
                found = True
                break
    won = left == ZERO
    if won:
        known[king, rook, low, high, 1] = moves
    else:
        known[king, rook, low, high, 0] = moves
    return won


def turned(size: Any, images: Any, k: Any, squares: Any) -> Any:
    """The squares under a symmetry."""
    found = ZERO
    while squares != ZERO:
        found |= ONE << u64(images[k, ctz(squares)])
        squares &= squares - ONE
    return found


def set_wins(
    size: Any,
    near: Any,
    lines: Any,
    images: Any,
    known: Any,
    sets_of: Any,
    places: Any,
    bounds: Any,
    king: Any,
    rook: Any,
    squares: Any,
    moves: Any,
) -> Any:
    """Whether mate is certain within so many moves, wherever on the squares the black king stands."""
    if squares == ZERO:
        return True
    if moves <= 0:
        return False
    one = squares
    while one != ZERO:
        bit = one & (~one + ONE)
        other = one
        while other != ZERO:
            second = other & (~other + ONE)
            if not pair_wins(size, near, lines, known, king, rook, bit | second, moves):
                return False
            other &= other - ONE
        one &= one - ONE
    # One image stands for all.
    men, word = np.int64(64 * king + rook), squares
    for k in range(1, 8):
        image = np.int64(64 * images[k, king] + images[k, rook])
        if image > men:
            continue
        board = turned(size, images, k, squares)
        if image < men or board < word:
            men, word = image, board
    mask = places.shape[0] - 1
    place = np.int64(mix_in(word, u64(men)) >> u64(20)) & mask
    while places[place] != 0 and (places[place] != men + 1 or sets_of[place] != word):
        place = (place + 1) & mask
    if places[place] == 0:
        places[place] = men + 1
        sets_of[place] = word
        bounds[place, 0] = 0
        bounds[place, 1] = NEVER
    if moves <= bounds[place, 0]:
        return False
    if moves >= bounds[place, 1]:
        return True
    tries = np.empty(40, np.int64)
    sets = np.zeros(3, np.uint64)
    count = tries_of(lines, near, king, rook, tries)
    left = squares
    found = True
    while left != ZERO and found:
        found = False
        for i in range(count):
            to_king, to_rook = tries[i] // 64, tries[i] % 64
            played = left & ~near[to_king] if to_king != king else left
            if played == ZERO or not reply_sets(size, near, lines, to_king, to_rook, played, sets):
                continue
            good = True
            for heard in range(3):
                good = good and set_wins(
                    size, near, lines, images, known, sets_of, places, bounds,
                    np.int64(to_king), np.int64(to_rook), sets[heard], np.int64(moves - 1),
                )  # fmt: skip
            if good:
                left &= ~played
                found = True
                break
    won = left == ZERO
    if won:
        bounds[place, 1] = moves
    else:
        bounds[place, 0] = moves
    return won


def find_lines(size: Any, lines: Any) -> None:
    """What the rook attacks, for every place of king and rook."""
    for king in range(size * size):
        for rook in range(size * size):
            if king != rook:
                lines[king, rook] = rook_squares(size, king, rook)


def safe_tries(size: Any, near: Any, lines: Any, king: Any, rook: Any, squares: Any) -> Any:
    """Whether some try is played on some of the squares without losing the rook or stalemate."""
    tries = np.empty(40, np.int64)
    sets = np.zeros(3, np.uint64)
    for i in range(tries_of(lines, near, king, rook, tries)):
        to_king = tries[i] // 64
        played = squares & ~near[to_king] if to_king != king else squares
        if played != ZERO and reply_sets(size, near, lines, to_king, tries[i] % 64, played, sets):
            return True
    return False


class RookEnding:
    """The ending on a board of `size` × `size`, 3 to 8. Squares are named a1 to h8. Raises BadInput."""

    def __init__(self, size: int = 8) -> None:
        if not 3 <= size <= 8:
            raise BadInput(f"A board of size {size} is not possible; expected 3 to 8.")
        self.size, area = size, size * size
        self._near = np.zeros(64, np.uint64)
        for square in range(area):
            for other in range(area):
                far = max(abs(square % size - other % size), abs(square // size - other // size))
                if far == 1:
                    self._near[square] |= np.uint64(1 << other)
        self._lines = np.zeros((area, area), np.uint64)
        _kernel(find_lines)(size, self._lines)
        last = size - 1
        self._images = np.zeros((8, area), np.int64)
        for square in range(area):
            file, rank = square % size, square // size
            seen = [(file, rank), (rank, last - file), (last - file, last - rank), (last - rank, file)]
            seen += [(y, x) for x, y in seen]
            self._images[:, square] = [x + size * y for x, y in seen]
        self._known = np.zeros((area, area, area, area, 2), np.int8)
        self._known[..., 1] = NEVER
        self._sets, self._places = np.zeros(TABLE, np.uint64), np.zeros(TABLE, np.int64)
        self._bounds = np.zeros((TABLE, 2), np.int8)

    def square(self, name: str) -> int:
        """The number of a square. Raises BadInput."""
        file, rank = "abcdefgh".find(name[:1]), "12345678".find(name[1:2])
        if len(name) != 2 or not (0 <= file < self.size and 0 <= rank < self.size):
            raise BadInput(f"'{name}' is no square of a board of size {self.size}; expected one such as b3.")
        return file + self.size * rank

    def ignorance(self, king: str, rook: str) -> int:
        """All squares on which the black king may stand, one bit each."""
        at, by = self._men(king, rook)
        taken = int(self._near[at]) | int(self._lines[at, by]) | 1 << at | 1 << by
        return ~taken & (1 << self.size * self.size) - 1

    def moves(self, king: str, rook: str, squares: int | None = None) -> int | None:
        """The fewest moves in which White, to move, mates for sure; None if it cannot, 0 if no square is possible.

        `squares` are those on which the black king may stand, by default all that are possible.
        """
        at, by = self._men(king, rook)
        word = self.ignorance(king, rook) if squares is None else squares
        if word & ~self.ignorance(king, rook):
            raise BadInput(f"The black king cannot stand where it is attacked by K{king} or R{rook}, or on them.")
        if word == 0:
            return 0
        if not _kernel(safe_tries)(self.size, self._near, self._lines, at, by, np.uint64(word)):
            return None
        for moves in range(1, MOST_MOVES):
            if _kernel(set_wins)(
                self.size, self._near, self._lines, self._images, self._known, self._sets, self._places, self._bounds,
                at, by, np.uint64(word), moves,
            ):  # fmt: skip
                return moves
        return None

    def _men(self, king: str, rook: str) -> tuple[int, int]:
        at, by = self.square(king), self.square(rook)
        if at == by:
            raise BadInput(f"King and rook both stand on {king}; expected two squares.")
        return at, by


@functools.cache
def _kernel(function: Any) -> Any:
    return jit(function)
