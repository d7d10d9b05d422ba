"""Connect Four: drop a stone into a column; four in a row, column or diagonal win.

X is seat 0 and begins. A position as text is the columns played so far, such as `32164625`; columns are numbered from
1 (a, b, … behind 9). A win is worth the stones that the winner has left plus one, so a quicker win is worth more:
`32164625` is worth 11 to its mover. A draw is worth 0.

The board is a bitboard column by column from the bottom, each with one empty row on top that keeps lines from wrapping
round (Tromp 1995):

    6 13 20 27 34 41 48     stay empty
    5 12 19 26 33 40 47
    …
    0  7 14 21 28 35 42
"""

from __future__ import annotations

from typing import Any

import numpy as np

from gametree.core.drawing import Drawing, Piece
from gametree.core.errors import BadInput
from gametree.core.facts import Facts
from gametree.kernels import ONE, ZERO, CompiledGame, mix, popcount, struct, u64

__all__ = ["Connect4", "game"]

# Stones of the mover and of both; the empty squares that would give the mover, or the other side, a line of four.
State = struct(own="u8", mask="u8", mine="u8", yours="u8")
WON = u64(0xFFFFFFFFFFFFFFFF)  # in `yours`: the other side has just made four
UNIT = 10
SYMMETRIES = 2
SOLVER_MERGE = 24

COLUMNS, ROWS = 7, 6
CELLS = COLUMNS * ROWS
STEP = u64(ROWS + 1)
BOTTOM = u64(0x40810204081)  # the lowest square of every column
COLUMN = u64(0x3F)  # the squares of the first column
BOARD = u64(0xFDFBF7EFDFBF)
ORDER = np.array([3, 2, 4, 1, 5, 0, 6])  # columns from the middle outwards
CENTRE = np.array([0, 1, 2, 3, 2, 1, 0])  # how near to the middle a column is


# Rules ----------------------------------------------------------------------------------------------------------------


def winning_squares(stones: Any, mask: Any) -> Any:
    """The empty squares that complete a line of four for `stones`, within reach or not."""
    found = (stones << u64(1)) & (stones << u64(2)) & (stones << u64(3))
    found |= on_line(stones, STEP) | on_line(stones, STEP - ONE) | on_line(stones, STEP + ONE)
    return found & (BOARD ^ mask)


def on_line(stones: Any, step: Any) -> Any:
    """Squares that complete four along one direction: behind three, before three, or inside a gap."""
    double, triple = step + step, step + step + step
    pair = (stones << step) & (stones << double)
    found = pair & ((stones << triple) | (stones >> step))
    pair = (stones >> step) & (stones >> double)
    return found | pair & ((stones >> triple) | (stones << step))


def initial(s: Any) -> None:
    """The empty board, which a zeroed struct already is."""


def legal_moves(s: Any, out: Any) -> Any:
    """The columns that are not full."""
    if s.yours == WON:
        return 0
    n = 0
    top = BOTTOM << u64(ROWS - 1)
    for column in range(COLUMNS):
        if s.mask & top & (COLUMN << u64(column) * STEP) == ZERO:
            out[n] = column
            n += 1
    return n


def play(s: Any, m: Any) -> None:
    """Drop a stone and swap the sides."""
    own, mask, mine = s.own, s.mask, s.mine
    shift = u64(m) * STEP
    square = (mask + (ONE << shift)) & (COLUMN << shift)
    s.own = own ^ mask
    s.mask = mask | square
    s.mine = s.yours & ~square
    s.yours = winning_squares(own | square, mask | square) if mine & square == ZERO else WON


def utility(s: Any) -> Any:
    """Minus the stones that the winner has left plus one; 0 for a draw. The winner has always just moved."""
    if s.yours == WON:
        return -((CELLS + 2 - popcount(s.mask)) // 2)
    return 0


# Knowledge ------------------------------------------------------------------------------------------------------------


def evaluate(s: Any) -> Any:
    """Winning squares of either side, and stones near the middle, in tenths."""
    if s.yours == WON:
        return utility(s) * UNIT
    other = s.own ^ s.mask
    value = 12 * (popcount(s.mine) - popcount(s.yours))
    for column in range(COLUMNS):
        squares = COLUMN << u64(column) * STEP
        value += CENTRE[column] * (popcount(s.own & squares) - popcount(other & squares))
    limit = HIGHEST_SCORE * UNIT
    return min(max(value, -limit), limit)


HIGHEST_SCORE = 18


def hash_state(s: Any) -> Any:
    """The sum of both boards tells positions apart (Tromp 1995); mixed, because the table uses the upper bits."""
    return mix(s.own + s.mask + BOTTOM)


def move_key(s: Any, m: Any) -> Any:
    """From the middle outwards."""
    return CENTRE[m]


def child_key(s: Any) -> Any:
    """Most winning squares first."""
    return 16 * popcount(s.yours)


def noisy_moves(s: Any, out: Any) -> Any:
    """A move that wins, else the moves that stop the other side from winning at once."""
    if s.yours == WON:
        return 0
    within_reach = (s.mask + BOTTOM) & BOARD
    wanted = within_reach & s.mine
    if wanted == ZERO:
        wanted = within_reach & s.yours
    n = 0
    for column in range(COLUMNS):
        if wanted & (COLUMN << u64(column) * STEP) != ZERO:
            out[n] = column
            n += 1
    return n


def plies_left(s: Any) -> Any:
    """The empty squares."""
    return CELLS - popcount(s.mask)


def solver_moves(s: Any, out: Any) -> Any:
    """The moves after which the other side cannot win at once; the value where it is settled within two plies."""
    mask, mine, yours = s.mask, s.mine, s.yours
    left = CELLS - popcount(mask)
    if yours == WON:
        out[0] = -((left + 2) // 2)
        return 0
    within_reach = (mask + BOTTOM) & BOARD
    if within_reach & mine != ZERO:
        out[0] = (left + 1) // 2
        return 0
    useful = within_reach
    forced = within_reach & yours
    if forced != ZERO:
        useful = forced if forced & (forced - ONE) == ZERO else ZERO  # two threats cannot both be met
    useful &= ~(yours >> ONE)  # below a winning square of the other side
    if useful == ZERO or left <= 2:
        out[0] = 0 if left <= 2 and (useful != ZERO or left == 0) else -(left // 2)
        return 0
    n = 0
    for i in range(COLUMNS):
        column = ORDER[i]
        if useful & (COLUMN << u64(column) * STEP) != ZERO:
            out[n] = column
            n += 1
    return n


def solver_bounds(s: Any) -> Any:
    """Nobody can win with the next two stones, so the best win and the worst loss come after them."""
    left = CELLS - popcount(s.mask)
    return -((left - 2) // 2), (left - 1) // 2


def mirror(s: Any, k: Any) -> None:
    """Left and right swapped."""
    s.own, s.mask, s.mine = mirror_board(s.own), mirror_board(s.mask), mirror_board(s.mine)
    if s.yours != WON:
        s.yours = mirror_board(s.yours)


def mirror_board(x: Any) -> Any:
    """One bitboard with its columns in reverse."""
    found = ZERO
    for column in range(COLUMNS):
        found |= (x >> u64(column) * STEP & COLUMN) << u64(COLUMNS - 1 - column) * STEP
    return found


def mirror_move(m: Any, k: Any) -> Any:
    """The column on the other side."""
    return COLUMNS - 1 - m


# The formal game ------------------------------------------------------------------------------------------------------


class Connect4(CompiledGame):
    """Connect Four on a board of any size whose columns, with one row more, fit into 64 bits."""

    def __init__(self, columns: int = 7, rows: int = 6) -> None:
        if columns < 1 or rows < 1 or columns * (rows + 1) > 64:
            raise BadInput(
                f"connect4:columns={columns},rows={rows} is not possible; expected columns × (rows + 1) from 2 to 64."
            )
        self.columns, self.rows = columns, rows
        self.names = "123456789abcdefghijklmnopqrstuvw"[:columns]
        cells = columns * rows
        highest = max(1, (cells + 2 - 7) // 2)
        self.facts = Facts(most_moves=columns, longest_game=cells, min_utility=-highest, max_utility=highest)
        middle = (columns - 1) / 2
        bottom = sum(1 << column * (rows + 1) for column in range(columns))
        super().__init__(
            COLUMNS=columns,
            ROWS=rows,
            CELLS=cells,
            STEP=u64(rows + 1),
            BOTTOM=u64(bottom),
            COLUMN=u64((1 << rows) - 1),
            BOARD=u64(bottom * ((1 << rows) - 1)),
            ORDER=np.array(sorted(range(columns), key=lambda column: abs(column - middle))),
            CENTRE=np.array([int(middle - abs(column - middle)) for column in range(columns)]),
            HIGHEST_SCORE=highest,
            SOLVER_MERGE=cells - 18,
        )

    def action_text(self, state: bytes, action: int) -> str:
        """The column's number."""
        return self.names[action]

    def _stones(self, state: bytes) -> list[list[int]]:
        """For every column the seats of its stones from the bottom."""
        s, seat = self.struct(state), self.player(state)
        own, mask = int(s.own), int(s.mask)
        stones: list[list[int]] = [[] for _ in range(self.columns)]
        for column in range(self.columns):
            for row in range(self.rows):
                bit = column * (self.rows + 1) + row
                if mask >> bit & 1:
                    stones[column].append(seat if own >> bit & 1 else 1 - seat)
        return stones

    def state_text(self, state: bytes) -> str:
        """Columns that lead to the position, in an order that the rules allow; not always the order that was played."""
        stones = self._stones(state)
        total = sum(map(len, stones))
        moves: list[int] = []
        dead: set[tuple[int, ...]] = set()

        def build(current: bytes, heights: tuple[int, ...]) -> bool:
            """Find an order for the stones above `heights`, one seat after the other."""
            if len(moves) == total:
                return True
            if heights in dead or self.is_terminal(current):
                return False
            for column in range(self.columns):
                height = heights[column]
                if height < len(stones[column]) and stones[column][height] == len(moves) % 2:
                    moves.append(column)
                    above = (*heights[:column], height + 1, *heights[column + 1 :])
                    if build(self.result(current, column), above):
                        return True
                    moves.pop()
            dead.add(heights)
            return False

        build(self.initial(), (0,) * self.columns)
        return "".join(self.names[column] for column in moves)

    def state_from_text(self, text: str) -> bytes:
        """Play the columns one after the other. Raises BadInput, naming the first that is not legal."""
        state: bytes = self.initial()
        for place, name in enumerate(text.strip().lower()):
            if name not in self.names:
                raise BadInput(f"'{text}' is not a Connect Four position; expected columns 1 to {self.names[-1]}.")
            column = self.names.index(name)
            if column not in self.actions(state):
                why = "the game is over before it" if self.is_terminal(state) else "that column is full"
                raise BadInput(f"'{text}' cannot be played: column {name} at place {place + 1}, but {why}.")
            state = self.result(state, column)
        return state

    def draw(self, state: bytes) -> Drawing:
        """A square board, the top row first."""
        pieces = [
            Piece(self.rows - 1 - row, column, "XO"[seat], seat)
            for column, stones in enumerate(self._stones(state))
            for row, seat in enumerate(stones)
        ]
        cells = tuple(self.names) * self.rows
        return Drawing(
            layout="square", rows=self.rows, columns=self.columns, pieces=tuple(pieces), cells=cells, stones=True,
            surface="blue", enter="drop",
        )  # fmt: skip


game = Connect4
