"""Othello: enclose the other side's discs in a line and they become yours; most discs at the end win.

X (black) is seat 0 and begins. A position as text is the board row by row from a1, with X, O and `-`, then a space and
the side to move: `---------------------------OX------XO--------------------------- X`. Moves are squares, a1 at the
top left to h8, or `pass`. The utility is the difference in discs; empty squares go to the winner.

Boards of 4 × 4 and 6 × 6 lie in the middle of the 8 × 8 bitboard, so that one set of shifts serves all sizes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from gametree.core.drawing import Drawing, Piece
from gametree.core.errors import BadInput
from gametree.core.facts import Facts
from gametree.core.format import shared_format
from gametree.kernels import ONE, ZERO, CompiledGame, byteswap, ctz, mix_in, plain_at_first, popcount, struct, u64

__all__ = ["Othello", "game"]

State = struct(own="u8", opp="u8")  # the discs of the side to move and of the other; bit = 8 · row + column
PASS = 64
UNIT = 10
TERMS = (("moves", 12), ("corners", 80), ("discs beside empty corners", -40), ("discs that border empty squares", -4))
"""What the estimate is made of, and the weight of each in tenths of a disc."""
SOLVER_LEAN = 6
SOLVER_MERGE = 28
SOLVER_PROBE = 11
SOLVER_THINK = 16
SOLVER_GUESS = True
SYMMETRIES = 8
SQUARES = 64
BOARD = u64(0xFFFFFFFFFFFFFFFF)
CORNERS = u64(0x8100000000000081)
DIAGONALS = u64(0x0042000000004200)  # the squares that give a corner away
FIRST_COLUMN, LAST_COLUMN = u64(0x0101010101010101), u64(0x8080808080808080)
INNER = u64(0x7E7E7E7E7E7E7E7E)  # columns b–g: discs that can be flipped sideways without wrapping round an edge


# Rules ----------------------------------------------------------------------------------------------------------------


def mobility(own: Any, opp: Any) -> Any:
    """Squares where `own` may play: eight directions, each a parallel-prefix run over the other side's discs."""
    inner = opp & INNER
    found = run_both(own, inner, u64(1)) | run_both(own, opp, u64(8))
    found |= run_both(own, inner, u64(7)) | run_both(own, inner, u64(9))
    return found & ~(own | opp) & BOARD


def run_both(own: Any, through: Any, step: Any) -> Any:
    """Squares behind an unbroken run of `through` that starts next to `own`, in a direction and its reverse."""
    double = step + step
    run = through & (own << step)
    run |= through & (run << step)
    pairs = through & (through << step)
    run |= pairs & (run << double)
    run |= pairs & (run << double)
    back = through & (own >> step)
    back |= through & (back >> step)
    pairs = through & (through >> step)
    back |= pairs & (back >> double)
    back |= pairs & (back >> double)
    return (run << step) | (back >> step)


def flips(own: Any, opp: Any, square: Any) -> Any:
    """The discs that `own` turns by playing on `square` (one bit)."""
    inner = opp & INNER
    found = flips_both(own, inner, square, u64(1)) | flips_both(own, opp, square, u64(8))
    return found | flips_both(own, inner, square, u64(7)) | flips_both(own, inner, square, u64(9))


def flips_both(own: Any, through: Any, square: Any, step: Any) -> Any:
    """The runs of `through` between `square` and `own`, in a direction and its reverse."""
    double = step + step
    run = through & (square << step)
    run |= through & (run << step)
    pairs = through & (through << step)
    run |= pairs & (run << double)
    run |= pairs & (run << double)
    back = through & (square >> step)
    back |= through & (back >> step)
    pairs = through & (through >> step)
    back |= pairs & (back >> double)
    back |= pairs & (back >> double)
    if (run << step) & own == ZERO:
        run = ZERO
    if (back >> step) & own == ZERO:
        back = ZERO
    return run | back


def initial(s: Any) -> None:
    """Two discs each, crosswise in the middle."""
    s.own = u64(1 << 28 | 1 << 35)
    s.opp = u64(1 << 27 | 1 << 36)


def legal_moves(s: Any, out: Any) -> Any:
    """All squares that flip something; a pass if there are none but the other side has one."""
    found = mobility(s.own, s.opp)
    n = 0
    while found != ZERO:
        out[n] = ctz(found)
        n += 1
        found &= found - ONE
    if n == 0 and mobility(s.opp, s.own) != ZERO:
        out[0] = PASS
        n = 1
    return n


def play(s: Any, m: Any) -> None:
    """Flip, and swap the sides."""
    own, opp = s.own, s.opp
    if m == PASS:
        s.own, s.opp = opp, own
    else:
        square = ONE << u64(m)
        turned = flips(own, opp, square)
        s.own = opp & ~turned
        s.opp = own | turned | square


def is_over(s: Any, out: Any) -> Any:
    """Neither side can move."""
    return mobility(s.own, s.opp) == ZERO and mobility(s.opp, s.own) == ZERO


def utility(s: Any) -> Any:
    """Discs of the side to move minus the other's; empty squares count for the winner."""
    mine, yours = popcount(s.own), popcount(s.opp)
    if mine > yours:
        return SQUARES - 2 * yours
    if yours > mine:
        return 2 * mine - SQUARES
    return 0


# Knowledge ------------------------------------------------------------------------------------------------------------


def evaluate(s: Any) -> Any:
    """Moves, corners, squares beside empty corners, and discs that border empty squares, in tenths of a disc."""
    own, opp = s.own, s.opp
    empty = ~(own | opp) & BOARD
    sides = empty | (empty & ~LAST_COLUMN) << ONE | (empty & ~FIRST_COLUMN) >> ONE
    frontier = sides | sides << u64(8) | sides >> u64(8)
    moves = popcount(mobility(own, opp)) - popcount(mobility(opp, own))
    corners = popcount(own & CORNERS) - popcount(opp & CORNERS)
    # A disc beside a corner only hurts while the corner is empty.
    open_corners = empty & CORNERS
    given = open_corners << u64(9) | open_corners >> u64(9) | open_corners << u64(7) | open_corners >> u64(7)
    given &= DIAGONALS
    loose = popcount(own & given) - popcount(opp & given)
    edge = popcount(own & frontier) - popcount(opp & frontier)
    value = 12 * moves + 80 * corners - 40 * loose - 4 * edge
    limit = (SQUARES - 1) * UNIT
    return min(max(value, -limit), limit)


@plain_at_first
def count_terms(states: Any, counts: Any) -> None:
    """What `evaluate` counts, for the side to move and for the other: moves, corners, loose discs, frontier discs."""
    s = states[0]
    empty = ~(s.own | s.opp) & BOARD
    sides = empty | (empty & ~LAST_COLUMN) << ONE | (empty & ~FIRST_COLUMN) >> ONE
    frontier = sides | sides << u64(8) | sides >> u64(8)
    open_corners = empty & CORNERS
    given = open_corners << u64(9) | open_corners >> u64(9) | open_corners << u64(7) | open_corners >> u64(7)
    for side in range(2):
        own, opp = (s.own, s.opp) if side == 0 else (s.opp, s.own)
        counts[side, 0] = popcount(mobility(own, opp))
        counts[side, 1] = popcount(own & CORNERS)
        counts[side, 2] = popcount(own & given & DIAGONALS)
        counts[side, 3] = popcount(own & frontier)


def hash_state(s: Any) -> Any:
    """Both bitboards mixed."""
    return mix_in(mix_in(u64(0x9E3779B97F4A7C15), s.own), s.opp)


def child_key(s: Any) -> Any:
    """Fewest replies first; a reply in a corner counts twice."""
    replies = mobility(s.own, s.opp)
    return -popcount(replies) - popcount(replies & CORNERS)


def plies_left(s: Any) -> Any:
    """The empty squares; passes are not counted."""
    return SQUARES - popcount(s.own | s.opp)


def solver_moves(s: Any, out: Any) -> Any:
    """Moves into quarters with an odd number of empty squares first: there the mover can get the last move."""
    own, opp = s.own, s.opp
    found = mobility(own, opp)
    if found == ZERO:
        if mobility(opp, own) == ZERO:
            out[0] = utility(s)
            return 0
        out[0] = PASS
        return 1
    empty = ~(own | opp) & BOARD
    odd = ZERO
    for quarter in (u64(0x000000000F0F0F0F), u64(0x00000000F0F0F0F0), u64(0x0F0F0F0F00000000), u64(0xF0F0F0F000000000)):
        if popcount(empty & quarter) & 1:
            odd |= quarter
    n = 0
    first = found & odd
    while first != ZERO:
        out[n] = ctz(first)
        n += 1
        first &= first - ONE
    rest = found & ~odd
    while rest != ZERO:
        out[n] = ctz(rest)
        n += 1
        rest &= rest - ONE
    return n


def mirror(s: Any, k: Any) -> None:
    """The eight symmetries of the square: bit 0 swaps left and right, bit 1 top and bottom, bit 2 rows and columns."""
    s.own = mirror_board(s.own, k)
    s.opp = mirror_board(s.opp, k)


def mirror_board(x: Any, k: Any) -> Any:
    """One bitboard under symmetry k."""
    if k & 1:
        x = (x >> u64(1) & u64(0x5555555555555555)) | (x & u64(0x5555555555555555)) << u64(1)
        x = (x >> u64(2) & u64(0x3333333333333333)) | (x & u64(0x3333333333333333)) << u64(2)
        x = (x >> u64(4) & u64(0x0F0F0F0F0F0F0F0F)) | (x & u64(0x0F0F0F0F0F0F0F0F)) << u64(4)
    if k & 2:
        x = byteswap(x)
    if k & 4:
        t = u64(0x0F0F0F0F00000000) & (x ^ x << u64(28))
        x ^= t ^ t >> u64(28)
        t = u64(0x3333000033330000) & (x ^ x << u64(14))
        x ^= t ^ t >> u64(14)
        t = u64(0x5500550055005500) & (x ^ x << u64(7))
        x ^= t ^ t >> u64(7)
    return x


def mirror_move(m: Any, k: Any) -> Any:
    """The square's image; a pass stays a pass."""
    if m == PASS:
        return m
    row, column = m // 8, m % 8
    if k & 1:
        column = 7 - column
    if k & 2:
        row = 7 - row
    if k & 4:
        row, column = column, row
    return 8 * row + column


# The formal game ------------------------------------------------------------------------------------------------------


class Othello(CompiledGame):
    """Othello on a board of 4 × 4, 6 × 6 or 8 × 8 squares."""

    perft_counts_ended = True

    def __init__(self, size: int = 8) -> None:
        if size not in (4, 6, 8):
            raise BadInput(f"othello:size={size} is not possible; expected 4, 6 or 8.")
        self.size = size
        edge = (8 - size) // 2
        self._cells = [8 * row + column for row in range(edge, 8 - edge) for column in range(edge, 8 - edge)]
        self._names = {
            8 * (row + edge) + column + edge: "abcdefgh"[column] + str(row + 1)
            for row in range(size)
            for column in range(size)
        }
        self._names[PASS] = "pass"
        last = size - 1 + edge
        self.facts = Facts(
            most_moves=34 if size == 8 else size * size - 4,
            longest_game=2 * (size * size - 4),
            min_utility=-size * size,
            max_utility=size * size,
        )
        super().__init__(
            SQUARES=size * size,
            BOARD=u64(sum(1 << cell for cell in self._cells)),
            CORNERS=u64(sum(1 << 8 * row + column for row in (edge, last) for column in (edge, last))),
            DIAGONALS=u64(
                sum(1 << 8 * row + column for row in (edge + 1, last - 1) for column in (edge + 1, last - 1))
            ),
        )
        self.formats = {"sgf": shared_format(self, "sgf", number=2)}

    def action_text(self, state: bytes, action: int) -> str:
        """The square's name, or `pass`."""
        return self._names[action]

    def _marks(self, state: bytes) -> list[str]:
        """X, O or `-` for every square of the board, row by row."""
        s, seat = self.struct(state), self.player(state)
        own, opp = int(s.own), int(s.opp)
        x, o = (own, opp) if seat == 0 else (opp, own)
        return ["X" if x >> cell & 1 else "O" if o >> cell & 1 else "-" for cell in self._cells]

    def state_text(self, state: bytes) -> str:
        """The board row by row, a space, and the side to move."""
        return "".join(self._marks(state)) + " " + "XO"[self.player(state)]

    def state_from_text(self, text: str) -> bytes:
        """Read a board of X, O and `-`, and the side to move; `*`, `.`, `/` and spaces pass. Raises BadInput."""
        marks = text.strip().upper().replace("*", "X").replace(".", "-").replace("/", "").replace(" ", "").rstrip(";")
        if len(marks) != len(self._cells) + 1 or set(marks) - set("XO-") or marks[-1] == "-":
            raise BadInput(
                f"'{text}' is not an Othello position; expected {len(self._cells)} of X, O and '-', then who moves."
            )
        seat = "XO".index(marks[-1])
        sides = [
            sum(1 << cell for cell, mark in zip(self._cells, marks, strict=False) if mark == side) for side in "XO"
        ]
        s = self.structs(b"")
        s[0].own, s[0].opp = sides[seat], sides[1 - seat]
        return self.pack(s, seat)

    def draw(self, state: bytes) -> Drawing:
        """A square board."""
        marks = self._marks(state)
        pieces = tuple(
            Piece(place // self.size, place % self.size, mark, "XO".index(mark))
            for place, mark in enumerate(marks)
            if mark != "-"
        )
        cells = tuple(self._names[cell] for cell in self._cells)
        return Drawing(
            layout="square", rows=self.size, columns=self.size, pieces=pieces, cells=cells, stones=True, surface="green"
        )

    def explain(self, state: bytes) -> Sequence[tuple[str, float]]:
        """The terms of the estimate in discs for the side to move."""
        return [(name, black + white) for name, black, white in self.explain_sides(state)]

    def explain_sides(self, state: bytes) -> Sequence[tuple[str, float, float]]:
        """Every term by name, with what each side's share, X's first, adds for the side to move, in discs."""
        counts = np.zeros((2, len(TERMS)), np.int64)
        self.rules.kernel(count_terms)(self.structs(state), counts)
        seat = self.player(state)
        found = []
        for place, (name, weight) in enumerate(TERMS):
            mine, yours = weight * counts[0, place] / UNIT, -weight * counts[1, place] / UNIT
            found.append((name, float(mine if seat == 0 else yours), float(yours if seat == 0 else mine)))
        rest = self.evaluate(state, seat) - sum(black + white for _, black, white in found)
        return [*found, ("beyond the limit", rest, 0.0)] if abs(rest) > 1e-9 else found

    def explain_weights(self, state: bytes) -> dict[str, str]:
        """What each term weighs, in discs."""
        return {name: f"{weight / UNIT:g}" for name, weight in TERMS}


game = Othello
