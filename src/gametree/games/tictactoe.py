"""Tic-tac-toe: three in a row on a 3 × 3 board.

A state is one int of 18 bits: X's marks are bits 0–8, O's marks bits 9–17, square by square from the top left.

    a3 b3 c3      0 1 2
    a2 b2 c2      3 4 5      bit of X's mark = square, bit of O's mark = square + 9
    a1 b1 c1      6 7 8

As text a position is three rows from the top, with X, O and `.`, such as `X.O/.X./..O`; who is to move follows from
the counts.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from gametree.core.drawing import Drawing, Piece
from gametree.core.errors import BadInput
from gametree.core.facts import Facts
from gametree.kernels import CompiledGame, popcount, struct, u64

__all__ = ["TicTacToe", "game", "open_lines"]

LINES = [0b111, 0b111000, 0b111000000, 0b001001001, 0b010010010, 0b100100100, 0b100010001, 0b001010100]
FULL = 0b111111111
SQUARES = tuple("abc"[square % 3] + "321"[square // 3] for square in range(9))

# Everything that depends on one side's nine bits is looked up.
WINS = [any(marks & line == line for line in LINES) for marks in range(512)]
EMPTY = [tuple(square for square in range(9) if not marks >> square & 1) for marks in range(512)]
TO_MOVE = [marks.bit_count() % 2 for marks in range(512)]  # by occupied squares: 0 is X, who begins, 1 is O

# The eight symmetries of the square: where each square goes.
_TURN = [6, 3, 0, 7, 4, 1, 8, 5, 2]
_FLIP = [2, 1, 0, 5, 4, 3, 8, 7, 6]


def _symmetric_squares() -> list[list[int]]:
    maps, current = [], list(range(9))
    for _ in range(4):
        maps += [current, [_FLIP[square] for square in current]]
        current = [_TURN[square] for square in current]
    return maps


# IMAGES[k][marks]: one side's marks under symmetry k.
IMAGES = [
    [sum(1 << to[square] for square in range(9) if marks >> square & 1) for marks in range(512)]
    for to in _symmetric_squares()
]


def open_lines(marks: int, others: int) -> int:
    """Rows, columns and diagonals that `others` do not block: the lines that could still be filled with `marks`."""
    return sum(not others & line for line in LINES)


# The same rules as verbs on a struct, for the compiled searches -------------------------------------------------------

State = struct(marks="i8")  # the int of 18 bits
UNIT = 9
SYMMETRIES = 8
WON = np.array(WINS)
LINE_MASKS = np.array(LINES)
IMAGE_OF = np.array(IMAGES)
SQUARE_OF = np.array(_symmetric_squares())


def initial(s: Any) -> None:
    """The empty board, which a zeroed struct already is."""


def legal_moves(s: Any, out: Any) -> Any:
    """The empty squares."""
    if WON[s.marks & FULL] or WON[s.marks >> 9]:
        return 0
    taken = s.marks | s.marks >> 9
    n = 0
    for square in range(9):
        if not taken >> square & 1:
            out[n] = square
            n += 1
    return n


def play(s: Any, m: Any) -> None:
    """Put the mover's mark on the square."""
    s.marks |= 1 << m + 9 * seat_to_move(s)


def seat_to_move(s: Any) -> Any:
    """0 is X, 1 is O."""
    return popcount(u64(s.marks)) & 1


def utility(s: Any) -> Any:
    """Whoever has three in a row has just moved."""
    return -1 if WON[s.marks & FULL] or WON[s.marks >> 9] else 0


def evaluate(s: Any) -> Any:
    """Open lines for me minus open lines for you."""
    x, o = s.marks & FULL, s.marks >> 9
    if WON[x] or WON[o]:
        return utility(s) * UNIT
    difference = 0
    for i in range(8):
        line = LINE_MASKS[i]
        difference += int(o & line == 0) - int(x & line == 0)
    return -difference if seat_to_move(s) else difference


def mirror(s: Any, k: Any) -> None:
    """The eight turns and mirror images."""
    s.marks = IMAGE_OF[k, s.marks & FULL] | IMAGE_OF[k, s.marks >> 9] << 9


def mirror_move(m: Any, k: Any) -> Any:
    """Where a square goes."""
    return SQUARE_OF[k, m]


class TicTacToe(CompiledGame):
    """X is seat 0 and begins; a win is worth 1, a draw 0. An action is the number of a square."""

    facts = Facts(most_moves=9, longest_game=9)

    def structs(self, state: int, count: int = 1) -> Any:
        """A new array of `count` structs, the first of which is the state's."""
        structs = np.zeros(count, State)
        structs["marks"][0] = state
        return structs

    def initial(self) -> int:
        """The empty board."""
        return 0

    def player(self, state: int) -> int:
        """X with an even number of marks on the board, O with an odd one."""
        return TO_MOVE[(state | state >> 9) & FULL]

    def actions(self, state: int) -> Sequence[int]:
        """The empty squares."""
        if WINS[state & FULL] or WINS[state >> 9]:
            return ()
        return EMPTY[(state | state >> 9) & FULL]

    def result(self, state: int, action: int) -> int:
        """Put the mover's mark on the square."""
        return state | 1 << action + 9 * TO_MOVE[(state | state >> 9) & FULL]

    def is_terminal(self, state: int) -> bool:
        """Three in a row, or a full board."""
        return WINS[state & FULL] or WINS[state >> 9] or (state | state >> 9) & FULL == FULL

    def utility(self, state: int, player: int) -> int:
        """1 for three in a row, −1 for the opponent's, 0 for a draw."""
        value = WINS[state & FULL] - WINS[state >> 9]
        return -value if player else value

    def evaluate(self, state: int, player: int) -> float:
        """Open lines for me minus open lines for you, over 9, so that no estimate equals a win."""
        x, o = state & FULL, state >> 9
        if WINS[x] or WINS[o]:
            return self.utility(state, player)
        difference = (open_lines(x, o) - open_lines(o, x)) / 9
        return -difference if player else difference

    def symmetries(self, state: int) -> Sequence[int]:
        """The eight turns and mirror images."""
        x, o = state & FULL, state >> 9
        return [image[x] | image[o] << 9 for image in IMAGES]

    def action_text(self, state: int, action: int) -> str:
        """The square's name, a1 to c3."""
        return SQUARES[action]

    def state_text(self, state: int) -> str:
        """Three rows from the top, separated by slashes."""
        marks = ["X" if state >> square & 1 else "O" if state >> square + 9 & 1 else "." for square in range(9)]
        return "/".join("".join(marks[row : row + 3]) for row in (0, 3, 6))

    def state_from_text(self, text: str) -> int:
        """Read three rows of X, O and `.`; slashes may be left out. Raises BadInput."""
        marks = text.strip().upper().replace("/", "").replace("-", ".").replace("_", ".")
        if len(marks) != 9 or set(marks) - set("XO."):
            raise BadInput(
                f"'{text}' is not a tic-tac-toe position; expected nine of X, O and '.', such as X.O/.X./..O."
            )
        x = sum(1 << square for square in range(9) if marks[square] == "X")
        o = sum(1 << square for square in range(9) if marks[square] == "O")
        if x.bit_count() - o.bit_count() not in (0, 1):
            raise BadInput(
                f"'{text}' has {x.bit_count()} X and {o.bit_count()} O; expected equally many, or one more X."
            )
        winner_moved_last = x.bit_count() > o.bit_count() if WINS[x] else x.bit_count() == o.bit_count()
        if (WINS[x] and WINS[o]) or ((WINS[x] or WINS[o]) and not winner_moved_last):
            raise BadInput(f"'{text}' cannot come about: the game had ended before the last mark.")
        return x | o << 9

    def draw(self, state: int) -> Drawing:
        """A 3 × 3 board."""
        pieces = [
            Piece(square // 3, square % 3, "XO"[seat], seat)
            for square in range(9)
            for seat in (0, 1)
            if state >> square + 9 * seat & 1
        ]
        return Drawing(layout="square", rows=3, columns=3, pieces=tuple(pieces), cells=SQUARES)

    def explain(self, state: int) -> Sequence[tuple[str, float]]:
        """Open lines of the mover and of the opponent, each over 9."""
        seat = self.player(state)
        mine, yours = (state >> 9 * seat) & FULL, (state >> 9 * (1 - seat)) & FULL
        return [("my open lines", open_lines(mine, yours) / 9), ("your open lines", -open_lines(yours, mine) / 9)]


game = TicTacToe
