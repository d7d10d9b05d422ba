"""Phantom tic-tac-toe: three in a row, but neither side sees the other's marks.

A player names a square. If the other's mark stands there, he is told so, the other hears nothing, and the same player
names another one. Else his mark is put there, and the other hears that it is his turn. A win is worth 1; a full board
without three in a row is a draw. When the game is over the board is shown.

A position is three rows from the top as in tic-tac-toe, and behind it the squares where a side has met a mark of the
other's: `X.O/.../...; X met c3`. A view shows a mark of the other's only where the seat has met it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from gametree.core.drawing import Drawing, Piece
from gametree.core.errors import BadInput
from gametree.core.facts import Facts
from gametree.kernels import CompiledGame, struct

__all__ = ["PhantomTicTacToe", "game"]

State = struct(
    marks=("u2", 2),  # the squares of X and of O, from the top left
    met=("u2", 2),  # the squares where X, or O, has met a mark of the other's
    seat="u1",
)
LINES = np.array([0b111, 0b111000, 0b111000000, 0b001001001, 0b010010010, 0b100100100, 0b100010001, 0b001010100])
FULL = 0b111111111
REFUSED, PLACED = 1, 2
SQUARES = tuple("abc"[square % 3] + "321"[square // 3] for square in range(9))


# Rules ----------------------------------------------------------------------------------------------------------------


def initial(s: Any) -> None:
    """The empty board, which a zeroed struct already is."""


def player(s: Any) -> Any:
    """X is seat 0 and begins."""
    return np.int64(s.seat)


def has_won(s: Any, seat: Any) -> Any:
    """Whether a side has three in a row."""
    won = False
    for i in range(8):
        won |= np.int64(s.marks[seat]) & LINES[i] == LINES[i]
    return won


def is_done(s: Any) -> Any:
    """Whether the game is over: told by a view as well, because the last move shows the board."""
    return has_won(s, 0) or has_won(s, 1) or s.marks[0] | s.marks[1] == FULL


def legal_moves(s: Any, out: Any) -> Any:
    """The squares on which the side knows of no mark."""
    if is_done(s):
        return np.int64(0)
    known = s.marks[s.seat] | s.met[s.seat]
    n = np.int64(0)
    for square in range(9):
        if known >> square & 1 == 0:
            out[n] = square
            n += 1
    return n


def play(s: Any, m: Any) -> None:
    """Put the mark there, or learn that the square is taken and stay to move."""
    other = 1 - s.seat
    if s.marks[other] >> m & 1 != 0:
        s.met[s.seat] |= 1 << m
        return
    s.marks[s.seat] |= 1 << m
    s.seat = other


def utility(s: Any) -> Any:
    """For the side to move: whoever has three in a row has just moved."""
    return np.int64(has_won(s, s.seat)) - np.int64(has_won(s, 1 - s.seat))


# Who knows what -------------------------------------------------------------------------------------------------------


def hide(s: Any, seat: Any) -> None:
    """The other's marks that the seat has not met, and what the other has met. At the end the board is open."""
    done = is_done(s)
    for side in range(2):
        if side != seat:
            if not done:
                s.marks[side] &= s.met[seat] if seat >= 0 else 0
            s.met[side] = 0


def heard(s: Any, m: Any, t: Any, seat: Any) -> Any:
    """One's own square and whether it was free; of the other's only that it has moved. At the end the whole board."""
    stayed = s.seat == t.seat
    shown = np.int64(0)
    if is_done(t):
        for side in range(2):
            shown = shown << 9 | np.int64(t.marks[side])
    if seat == s.seat:
        return shown << 8 | (m + 1) << 2 | (REFUSED if stayed else PLACED)
    return np.int64(0) if stayed else shown << 8 | PLACED


# Knowledge ------------------------------------------------------------------------------------------------------------

UNIT = 9


def evaluate(s: Any) -> Any:
    """Open lines for the side to move minus those of the other."""
    if has_won(s, 0) or has_won(s, 1):
        return UNIT * utility(s)
    mine, theirs = np.int64(s.marks[s.seat]), np.int64(s.marks[1 - s.seat])
    value = np.int64(0)
    for i in range(8):
        value += np.int64(theirs & LINES[i] == 0) - np.int64(mine & LINES[i] == 0)
    return value


# The formal game ------------------------------------------------------------------------------------------------------


class PhantomTicTacToe(CompiledGame):
    """Phantom tic-tac-toe. An action is the number of a square."""

    facts = Facts(hidden=True, most_moves=9, longest_game=17)
    seat_names = ("X", "O")

    def action_text(self, state: bytes, action: int) -> str:
        """The square's name, a1 to c3."""
        return SQUARES[action]

    def hear_text(self, state: bytes, action: int, after: bytes, player: int) -> str:
        """The square and whether it was free, or that the other has moved."""
        stayed = not self.is_terminal(after) and self.player(state) == self.player(after)
        if self.player(state) == player:
            return f"{SQUARES[action]} is taken" if stayed else SQUARES[action]
        return "" if stayed else "a mark"

    def state_text(self, state: bytes) -> str:
        """Three rows from the top, and what either side has met."""
        s = self.struct(state)
        marks = ["X" if s.marks[0] >> square & 1 else "O" if s.marks[1] >> square & 1 else "." for square in range(9)]
        text = "/".join("".join(marks[row : row + 3]) for row in (0, 3, 6)) + f" {'XO'[s.seat]}"
        for side in range(2):
            met = [SQUARES[square] for square in range(9) if s.met[side] >> square & 1]
            if met:
                text += f"; {'XO'[side]} met {' '.join(met)}"
        return text

    def state_from_text(self, text: str) -> bytes:
        """Read what `state_text` writes; whose turn it is may be left out. Raises BadInput."""
        wrong = f"'{text[:60]}' is not a position of phantom tic-tac-toe; expected one such as X.O/.../... X; X met c3"
        board, *parts = text.upper().split(";")
        words = board.split()
        marks = words[0].replace("/", "") if words else ""
        counts = [marks.count(mark) for mark in "XO"]
        if len(marks) != 9 or set(marks) - set("XO."):
            raise BadInput(f"{wrong}; the board needs nine of X, O and '.'.")
        turn = counts[0] - counts[1]
        if turn not in (0, 1) or words[1:] not in ([], ["XO"[turn]]):
            raise BadInput(f"{wrong}; X has {counts[0]} marks and O {counts[1]}, and X begins.")
        structs = np.zeros(1, self.rules.state_type)
        s = structs[0]
        s.seat = turn
        for square, mark in enumerate(marks):
            if mark != ".":
                s.marks["XO".index(mark)] |= 1 << square
        for part in parts:
            side, _, squares = part.strip().partition(" MET ")
            numbers = [SQUARES.index(name.lower()) for name in squares.split() if name.lower() in SQUARES]
            if side not in ("X", "O") or not numbers or len(numbers) != len(squares.split()):
                raise BadInput(f"{wrong}; '{part.strip()}' says nobody has met anything.")
            if any(marks[number] != "XO"[1 - "XO".index(side)] for number in numbers):
                raise BadInput(f"{wrong}; {side} cannot have met a mark where the other has none.")
            s.met["XO".index(side)] |= sum(1 << number for number in set(numbers))
        return self.pack(structs)

    def draw(self, state: bytes) -> Drawing:
        """The marks that are seen."""
        s = self.struct(state)
        pieces = tuple(
            Piece(square // 3, square % 3, "XO"[side], side)
            for square in range(9)
            for side in range(2)
            if s.marks[side] >> square & 1
        )
        caption = f"{'XO'[s.seat]} to move"
        return Drawing(layout="square", rows=3, columns=3, pieces=pieces, cells=SQUARES, caption=caption)


game = PhantomTicTacToe
