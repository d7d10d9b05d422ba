"""EinStein würfelt nicht!: six numbered stones each, a die says which may move; reach the far corner or capture all.

A game on 5 × 5 squares by Ingo Althöfer (2004). The first player starts in the top left corner and moves one step
right, down, or right and down; the second starts in the bottom right corner and moves the opposite ways. The die names
the stone; if it is gone, its owner moves the next higher or the next lower one that is left, as he likes. A stone that
is moved onto captures whatever stands there, friend or foe. Who reaches the opposite corner, or captures the last
stone of the other side, wins: 1 to −1.

    einstein                                   both sides set up 123456
    einstein:first=623514,second=135246        stones on the squares from the corner on: along the edge, row by row
    einstein:seed=7                            both sides set up by lot

As text a position is the rows from the top, the first player's stones as 1–6 and the second's as a–f, who is to move,
and what the die shows, if it was thrown: `123../45.../6...f/...ed/..cba first die 4`. A move is the stone and its new
square, `4-b3` (columns a–e, rows from the bottom); the outcomes of the die are `1` to `6`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from gametree.core.drawing import Drawing, Piece
from gametree.core.errors import BadInput
from gametree.core.facts import Facts
from gametree.kernels import CompiledGame, mix, struct, u64

__all__ = ["Einstein", "game"]

SIDE = 5
STONES = 6
GONE = -1
UNIT = 1000
SYMMETRIES = 2
# The squares of the first player's triangle from the corner on; square = 5 · row + column. The second's are 24 − these.
TRIANGLE = (0, 1, 2, 5, 6, 10)
SETUP = np.array([*TRIANGLE, *(24 - square for square in TRIANGLE)])  # square of every stone at the start
STEPS = np.array([1, SIDE, SIDE + 1])  # right, down, right and down; the second player's are the opposite

State = struct(
    where=("i1", 2 * STONES),  # square of each stone, the first player's six first; GONE if captured
    board=("i1", SIDE * SIDE),  # 0 or stone + 1
    left=("i1", 2),  # stones of each side
    seat="i1",
    die="i1",  # 1 to 6; 0: it is to be thrown
    over="i1",
)


# Rules ----------------------------------------------------------------------------------------------------------------


def initial(s: Any) -> None:
    """Both triangles are full, and the first player throws."""
    for stone in range(2 * STONES):
        s.where[stone] = SETUP[stone]
        s.board[SETUP[stone]] = stone + 1
    s.left[0] = s.left[1] = STONES


def player(s: Any) -> Any:
    """Chance while the die is to be thrown."""
    return np.int64(-1) if s.die == 0 and s.over == 0 else np.int64(s.seat)


def outcomes(s: Any, out: Any, odds: Any) -> Any:
    """A fair die; outcome k is the face k + 1."""
    if s.die != 0 or s.over != 0:
        return 0
    for face in range(STONES):
        out[face] = face
        odds[face] = 1 / STONES
    return STONES


def nearest(s: Any, seat: Any, number: Any, step: Any) -> Any:
    """The first stone of the seat that is left from `number` on (0 to 5), going by `step`; GONE if there is none."""
    while 0 <= number < STONES:
        if s.where[STONES * seat + number] != GONE:
            return number
        number += step
    return GONE


def add_moves(s: Any, number: Any, out: Any, n: Any) -> Any:
    """Write the moves of one stone behind the first n; move = 3 · number + direction."""
    square = s.where[STONES * s.seat + number]
    row, column = square // SIDE, square % SIDE
    if s.seat == 1:
        row, column = SIDE - 1 - row, SIDE - 1 - column
    if column < SIDE - 1:
        out[n] = 3 * number
        n += 1
    if row < SIDE - 1:
        out[n] = 3 * number + 1
        n += 1
    if column < SIDE - 1 and row < SIDE - 1:
        out[n] = 3 * number + 2
        n += 1
    return n


def legal_moves(s: Any, out: Any) -> Any:
    """The moves of the stone that the die names, or of its neighbours by number; the faces while the die rolls."""
    if s.over != 0:
        return 0
    if s.die == 0:
        for face in range(STONES):
            out[face] = face
        return STONES
    number = np.int64(s.die) - 1
    lower = nearest(s, s.seat, number, -1)
    if lower == number:
        return add_moves(s, number, out, 0)
    higher = nearest(s, s.seat, number, 1)
    n = add_moves(s, lower, out, 0) if lower != GONE else 0
    return add_moves(s, higher, out, n) if higher != GONE else n


def play(s: Any, m: Any) -> None:
    """Note the face of the die, or move a stone and hand the die over."""
    if s.die == 0:
        s.die = m + 1
        return
    stone = STONES * s.seat + m // 3
    start = np.int64(s.where[stone])
    step = STEPS[m % 3]
    target = start + step if s.seat == 0 else start - step
    taken = s.board[target] - 1
    if taken >= 0:
        s.where[taken] = GONE
        s.left[taken // STONES] -= 1
    s.board[start] = 0
    s.board[target] = stone + 1
    s.where[stone] = target
    s.die = 0
    goal = SIDE * SIDE - 1 if s.seat == 0 else 0
    s.over = 1 if target == goal or s.left[1 - s.seat] == 0 else 0
    s.seat = 1 - s.seat


def utility(s: Any) -> Any:
    """The side that has just moved has won."""
    return -1


# Knowledge ------------------------------------------------------------------------------------------------------------


def strength(s: Any, seat: Any) -> Any:
    """Stones near their goal count most, each as often as a face of the die lets it move."""
    total = 0
    for face in range(STONES):
        lower = nearest(s, seat, face, -1)
        higher = nearest(s, seat, face, 1)
        best = 0
        if lower != GONE:
            best = nearness(s, seat, lower)
        if higher != GONE:
            best = max(best, nearness(s, seat, higher))
        total += best
    return total


def nearness(s: Any, seat: Any, number: Any) -> Any:
    """1 for a stone that is four steps from its goal, doubled for every step that it is nearer."""
    square = np.int64(s.where[STONES * seat + number])
    if seat == 0:
        square = SIDE * SIDE - 1 - square
    return 1 << (SIDE - 1 - max(square // SIDE, square % SIDE))


def evaluate(s: Any) -> Any:
    """The share of the strength that is the side's own, as a value from −1 to 1 in thousandths."""
    first, second = strength(s, np.int64(0)), strength(s, np.int64(1))
    value = UNIT * 2 * first // (first + second) - UNIT
    return -value if player(s) == 1 else value


def hash_state(s: Any) -> Any:
    """The turn, the die and the squares of all stones: just 64 bits, so no two states share a hash."""
    word = u64(s.seat) << u64(3) | u64(s.die)
    for stone in range(2 * STONES):
        word = word << u64(5) | u64(s.where[stone] + 1)
    return mix(word)


def mirror(s: Any, k: Any) -> None:
    """Rows and columns swapped."""
    for at in range(SIDE * SIDE):
        s.board[at] = 0
    for stone in range(2 * STONES):
        square = np.int64(s.where[stone])
        if square != GONE:
            image = square % SIDE * SIDE + square // SIDE
            s.where[stone] = image
            s.board[image] = stone + 1


def mirror_move(m: Any, k: Any) -> Any:
    """Right and down swapped."""
    return m if m % 3 == 2 else m + 1 - 2 * (m % 3)


# The formal game ------------------------------------------------------------------------------------------------------

SEATS = ("first", "second")
MARKS = "123456abcdef"
TEXT = re.compile(r"([1-6a-f./]+) (first|second)(?: die ([1-6]))?")


def read_setup(name: str, text: str) -> list[int]:
    """Numbers 0 to 5 in the order of the triangle's squares. Raises BadInput."""
    if sorted(text) != list("123456"):
        raise BadInput(f"einstein:{name}={text} is not possible; expected the digits 1 to 6, each once.")
    return [int(digit) - 1 for digit in text]


def drawn_setup(seed: int) -> str:
    """Six numbers in an order that depends on the seed alone."""
    with np.errstate(over="ignore"):
        keys = [int(mix(np.uint64(seed) + mix(np.uint64(number)))) for number in range(1, STONES + 1)]
    return "".join(sorted("123456", key=lambda digit: keys[int(digit) - 1]))


class Einstein(CompiledGame):
    """EinStein würfelt nicht! from any set-up."""

    # The stones of a side start 40 steps from their goal, all told, and every move takes one or two off: at most 40
    # moves a side, and as many throws.
    facts = Facts(chance=True, most_moves=STONES, longest_game=160)

    def __init__(self, first: str = "123456", second: str = "123456", seed: int = 0) -> None:
        if not 0 <= seed < 1 << 62:
            raise BadInput(f"einstein:seed={seed} is not possible; expected a whole number from 0 up.")
        if seed:
            if (first, second) != ("123456", "123456"):
                raise BadInput(f"einstein:seed={seed} sets up both sides; leave out first and second.")
            first, second = drawn_setup(2 * seed), drawn_setup(2 * seed + 1)
        setup = np.zeros(2 * STONES, np.int64)
        for square, number in zip(TRIANGLE, read_setup("first", first), strict=True):
            setup[number] = square
        for square, number in zip(TRIANGLE, read_setup("second", second), strict=True):
            setup[STONES + number] = SIDE * SIDE - 1 - square
        super().__init__(SETUP=setup)

    def action_text(self, state: bytes, action: int) -> str:
        """The face of the die, or stone and square."""
        s = self.struct(state)
        if s.die == 0:
            return str(action + 1)
        step = int(STEPS[action % 3])
        square = int(s.where[STONES * s.seat + action // 3]) + (-step if s.seat else step)
        return f"{action // 3 + 1}-{_name(square)}"

    def _rows(self, state: bytes) -> list[str]:
        marks = "".join("." if stone == 0 else MARKS[stone - 1] for stone in self.struct(state).board)
        return [marks[start : start + SIDE] for start in range(0, SIDE * SIDE, SIDE)]

    def state_text(self, state: bytes) -> str:
        """The rows from the top, who is to move, and the die if it was thrown."""
        s = self.struct(state)
        return "/".join(self._rows(state)) + f" {SEATS[s.seat]}" + (f" die {s.die}" if s.die else "")

    def state_from_text(self, text: str) -> bytes:
        """Read what `state_text` writes. Raises BadInput."""
        found = TEXT.fullmatch(" ".join(text.lower().split()))
        rows = found[1].split("/") if found else []
        if found is None or [len(row) for row in rows] != [SIDE] * SIDE:
            raise BadInput(
                f"'{text}' is not a position of einstein; expected five rows of five with 1–6, a–f and '.', separated "
                "by '/', then first or second and, if the die was thrown, die 1 to 6."
            )
        marks = "".join(rows)
        structs = self.structs(b"")
        s = structs[0]
        for stone, mark in enumerate(MARKS):
            if marks.count(mark) > 1:
                raise BadInput(f"'{text}' cannot come about: the stone {mark} is there twice.")
            s.where[stone] = marks.find(mark)
            s.left[stone // STONES] += mark in marks
            if mark in marks:
                s.board[marks.index(mark)] = stone + 1
        s.seat = SEATS.index(found[2])
        s.die = int(found[3] or 0)
        won = [1 <= s.board[-1] <= STONES or s.left[1] == 0, s.board[0] > STONES or s.left[0] == 0]
        if won[s.seat] or (won[1 - s.seat] and s.die):
            raise BadInput(f"'{text}' cannot come about: the game had ended before.")
        s.over = int(won[1 - s.seat])
        return self.pack(structs)

    def draw(self, state: bytes) -> Drawing:
        """A square board with the numbers of the stones."""
        pieces = tuple(
            Piece(row, column, str(MARKS.index(mark) % STONES + 1), MARKS.index(mark) // STONES)
            for row, marks in enumerate(self._rows(state))
            for column, mark in enumerate(marks)
            if mark != "."
        )
        s = self.struct(state)
        caption = "" if s.over else f"{SEATS[s.seat]} " + (f"moves with {s.die}" if s.die else "throws the die")
        cells = tuple(_name(square) for square in range(SIDE * SIDE))
        return Drawing(
            layout="square", rows=SIDE, columns=SIDE, pieces=pieces, cells=cells, caption=caption, stones=True
        )

    def action_cells(self, state: bytes, action: int) -> Sequence[str]:
        """From where and to where the stone goes; the die lies on no square."""
        s = self.struct(state)
        if self.player(state) < 0:
            return ()
        step = int(STEPS[action % 3])
        start = int(s.where[STONES * s.seat + action // 3])
        return _name(start), _name(start + (-step if s.seat else step))

    def explain(self, state: bytes) -> Sequence[tuple[str, float]]:
        """The whole estimate as one term."""
        return [("nearness to the goal", self.evaluate(state, max(0, self.player(state))))]


def _name(square: int) -> str:
    """`a5` is the top left square, `e1` the bottom right one."""
    return "abcde"[square % SIDE] + str(SIDE - square // SIDE)


game = Einstein
