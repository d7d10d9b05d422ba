"""Hex: join your two sides of the board; there is no draw.

    hex                     11 × 11                       hex:13                  13 × 13
    hex:swap=true           the second player may take over the first stone instead of making a move

X (Black) is seat 0, begins, and joins the top to the bottom; O (White) joins left and right. Boards go from 2 × 2 to
19 × 19. The utility is 1 or −1.

Moves are cells such as `c2`, column and row; a1 lies in the sharp corner at the upper left. With the swap rule
`swap-pieces` is the second player's other first move: the stone becomes White's and goes to its image across the long
diagonal from a1 (a2 to b1), which is the same as changing seats, and Black moves next. A position as text is the rows
from the top with X, O and `.`, then the side to move: `..X/.O./... O`.

The struct holds the board with an edge of stones around it, chains as trees, and a list of the empty cells; whether
somebody has won is known when a stone joins both of its sides.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Mapping
from typing import Any, ClassVar

import numpy as np

from gametree.core.drawing import Drawing, Piece
from gametree.core.errors import BadInput
from gametree.core.facts import Facts
from gametree.core.format import shared_format
from gametree.games._hex_connections import MOST_SEMI, connect, fill, flow
from gametree.games._hexagons import (
    AROUND,
    EMPTY,
    OUTSIDE,
    add_empty,
    around,
    border,
    draw_empty,
    flatten,
    join,
    root_of,
    saved_bridge,
    seen_root,
    shortest_path,
    take_empty,
    through,
)
from gametree.kernels import ONE, CompiledGame, ctz, mix_in, plain_at_first, struct, u64, zobrist_keys

__all__ = ["Hex", "game"]

SIZE = 11
STRIDE = SIZE + 2
CELLS = STRIDE * STRIDE
SWAP_MOVE = 0
CAN_SWAP = False
TOP, LEFT = 1, STRIDE
RIGHT, BOTTOM = 2 * STRIDE - 1, (SIZE + 1) * STRIDE + 1
"""The smallest cells of the four edges, which stand for the chains that begin there."""
KEYS = zobrist_keys(2 * CELLS, seed=1942)
UNIT = 1000
SYMMETRIES = 2
ALTERNATE = True
FAR = 1000
"""More stones than any way needs."""


def state_type(size: int) -> Any:
    """The struct of a game on such a board."""
    cells = (size + 2) ** 2
    return struct(
        hash="u8",  # of the stones
        board=("u1", cells),
        up=("u2", cells),  # the chains
        empties=("u2", size * size),  # the empty cells in any order
        place=("u2", cells),  # where an empty cell stands in `empties`
        empty_count="u2",
        last="u2",  # the cell of the last stone, if a search or a random game has laid it; else 0
        seat="u1",
        winner="u1",  # 1 or 2, the stones of seat 0 or 1
    )


State = state_type(SIZE)


# Rules ----------------------------------------------------------------------------------------------------------------


def initial(s: Any) -> None:
    """The empty board with its four edges."""
    for row in range(SIZE + 2):
        for column in range(SIZE + 2):
            cell = row * STRIDE + column
            inside_row, inside_column = 1 <= row <= SIZE, 1 <= column <= SIZE
            if inside_row and inside_column:
                add_empty(s, cell)
            elif inside_column:
                s.board[cell] = 1
                s.up[cell] = TOP if row == 0 else BOTTOM
            elif inside_row:
                s.board[cell] = 2
                s.up[cell] = LEFT if column == 0 else RIGHT
            else:
                s.board[cell] = OUTSIDE
                s.up[cell] = cell


def player(s: Any) -> Any:
    """Black is seat 0."""
    return np.int64(s.seat)


def is_over(s: Any, out: Any) -> Any:
    """Somebody has joined both sides."""
    return s.winner != 0


def may_swap(s: Any) -> Any:
    """Whether the swap rule lets the side to move take over the only stone."""
    return CAN_SWAP and s.seat == 1 and s.empty_count == SIZE * SIZE - 1


def legal_moves(s: Any, out: Any) -> Any:
    """The empty cells row by row; the swap comes first."""
    if s.winner != 0:
        return 0
    n = 0
    if may_swap(s):
        out[0] = SWAP_MOVE
        n = 1
    for cell in range(STRIDE + 1, CELLS - STRIDE - 1):
        if s.board[cell] == EMPTY:
            out[n] = cell
            n += 1
    return n


def play(s: Any, m: Any) -> None:
    """Lay a stone, or swap."""
    if m == SWAP_MOVE:
        swap_pieces(s)
    else:
        lay(s, np.int64(m), np.int64(s.seat) + 1)
        s.last = m
    s.seat = 1 - s.seat


def lay(s: Any, cell: Any, color: Any) -> None:
    """Put a stone on an empty cell, join its chains, and see whether it has won."""
    take_empty(s, cell)
    s.board[cell] = color
    s.hash ^= KEYS[(color - 1) * CELLS + cell]
    root = np.int64(cell)
    for turn in range(6):
        beside = cell + AROUND[turn]
        if s.board[beside] == color:
            other = root_of(s, beside)
            if other != root:
                root = join(s, root, other)
    first, second = (TOP, BOTTOM) if color == 1 else (LEFT, RIGHT)
    if root_of(s, first) == root_of(s, second):
        s.winner = color


def swap_pieces(s: Any) -> None:
    """The only stone becomes White's, on the cell across the long diagonal."""
    found = np.int64(0)
    for cell in range(STRIDE + 1, CELLS - STRIDE - 1):
        if s.board[cell] == 1 and 1 <= cell % STRIDE <= SIZE:
            found = np.int64(cell)
    s.hash ^= KEYS[found]
    clear(s)
    lay(s, np.int64(found % STRIDE * STRIDE + found // STRIDE), np.int64(2))
    s.last = 0


def clear(s: Any) -> None:
    """Take all stones off the board and the list, but leave the hash and the turn."""
    s.empty_count = 0
    s.winner = 0
    s.last = 0
    initial(s)


def rebuild(s: Any) -> None:
    """Work out everything from the board, in the one fixed way; the turn stays."""
    board = s.board.copy()
    clear(s)
    s.hash = 0
    for cell in range(STRIDE + 1, CELLS - STRIDE - 1):
        if 1 <= cell % STRIDE <= SIZE and board[cell] != EMPTY:
            lay(s, np.int64(cell), np.int64(board[cell]))
    flatten(s)


def utility(s: Any) -> Any:
    """A win or a loss for the side to move."""
    return 1 if s.winner == s.seat + 1 else -1


def hash_state(s: Any) -> Any:
    """The stones and the turn."""
    return mix_in(s.hash, u64(s.seat) + ONE)


def mirror(s: Any, k: Any) -> None:
    """The board turned by 180 degrees, which leaves both players their sides."""
    for cell in range(STRIDE + 1, CELLS // 2):
        other = CELLS - 1 - cell
        if 1 <= cell % STRIDE <= SIZE:
            s.board[cell], s.board[other] = s.board[other], s.board[cell]
    rebuild(s)


def mirror_move(m: Any, k: Any) -> Any:
    """The cell on the other side of the middle."""
    return SWAP_MOVE if m == SWAP_MOVE else CELLS - 1 - m


# Knowledge ------------------------------------------------------------------------------------------------------------


def playout_move(s: Any, bits: Any, out: Any) -> Any:
    """A random empty cell, or the one that saves a bridge which the last stone attacks. Nobody swaps."""
    if s.last != 0:
        saved = saved_bridge(s, np.int64(s.last), np.int64(s.seat) + 1, bits)
        if saved != 0:
            return saved
    return draw_empty(s, bits)


def distances(s: Any, color: Any, start: Any, goal: Any, ways: Any) -> Any:
    """How many stones of the colour would join two of its edges, at least; `ways[cell]` to the cell from the first."""
    for cell in range(CELLS):
        ways[cell] = FAR
    # A list with the nearest cells first: a stone of the colour costs nothing and goes to the front.
    waiting = np.zeros(4 * CELLS, np.int64)
    head, tail = 2 * CELLS, 2 * CELLS
    for cell in range(CELLS):
        if s.board[cell] == color and seen_root(s, cell) == seen_root(s, start):
            ways[cell] = 0
            waiting[tail] = cell
            tail += 1
    best = np.int64(FAR)
    while head < tail:
        cell = waiting[head]
        head += 1
        if s.board[cell] == color and seen_root(s, cell) == seen_root(s, goal):
            best = np.int64(ways[cell])
            break
        for turn in range(6):
            beside = cell + AROUND[turn]
            if beside < 0 or beside >= CELLS:
                continue
            there = np.int64(s.board[beside])
            if there == color and ways[beside] > ways[cell]:
                ways[beside] = ways[cell]
                head -= 1
                waiting[head] = beside
            elif there == EMPTY and ways[beside] > ways[cell] + 1:
                ways[beside] = ways[cell] + 1
                waiting[tail] = beside
                tail += 1
    return best


def evaluate(s: Any) -> Any:
    """By how many stones the other side is farther from joining its sides; the move is worth half a stone."""
    if s.winner != 0:
        return utility(s) * UNIT
    ways = np.zeros(CELLS, np.int64)
    black = distances(s, 1, TOP, BOTTOM, ways)
    white = distances(s, 2, LEFT, RIGHT, ways)
    lead = white - black if s.seat == 0 else black - white
    return max(-900, min(900, 120 * np.int64(lead) + 60))


def priors(s: Any, moves: Any, n: Any, out: Any) -> None:
    """Cells near the middle; bridges to own stones; cells beside the last stone; not those that touch nothing."""
    middle = SIZE + 1
    mine = np.int64(s.seat) + 1
    for i in range(n):
        cell = np.int64(moves[i])
        if cell == SWAP_MOVE:
            out[i] = 1.0
            continue
        row, column = cell // STRIDE, cell % STRIDE
        aside = abs(2 * row - middle) + abs(2 * column - middle) + abs(2 * (row + column) - 2 * middle)
        out[i] = (1.0 + look_of(s, cell, mine)) / (2.0 + aside / SIZE)


def look_of(s: Any, cell: Any, mine: Any) -> Any:
    """How promising a cell looks by its surroundings, from −1 up."""
    look = 0.0
    run: Any = 0
    most: Any = 0
    own: Any = 0
    foe: Any = 0
    for turn in range(12):
        there = np.int64(s.board[cell + AROUND[turn % 6]])
        before = np.int64(s.board[cell + AROUND[(turn + 5) % 6]])
        run = run + 1 if there != EMPTY and there == before else 1 if there != EMPTY else 0
        most = max(most, run)
        if turn < 6:
            own += np.int64(there == mine)
            foe += np.int64(there == 3 - mine)
            # A bridge leads between two neighbours, which are empty.
            if there == EMPTY and before == EMPTY:
                beyond = np.int64(s.board[cell + AROUND[turn] + AROUND[(turn + 5) % 6]]) if is_inside(cell, turn) else 3
                if beyond == mine:
                    look += 1.5
                elif beyond == 3 - mine:
                    look += 0.5
    if most >= 4:
        return -0.95  # four stones of one colour in a row around it: whoever plays here gains nothing
    if own > 0 and foe > 0:
        look += 1.0
    return look


def is_inside(cell: Any, turn: Any) -> Any:
    """Whether both neighbours that begin a bridge lie on the board, so that what is beyond them can be asked."""
    for other in (turn, (turn + 5) % 6):
        beside = cell + AROUND[other]
        column = beside % STRIDE
        if beside < STRIDE or beside >= CELLS - STRIDE or column == 0 or column > SIZE:
            return False
    return True


# Exact solving --------------------------------------------------------------------------------------------------------


def move_key(s: Any, m: Any) -> Any:
    """From the middle outwards while there is hardly a stone; later `solver_moves` says what comes first."""
    if s.empty_count < SIZE * SIZE - 1 or m == SWAP_MOVE:
        return 0
    row, column = np.int64(m) // STRIDE, np.int64(m) % STRIDE
    return -abs(2 * row - SIZE - 1) - abs(2 * column - SIZE - 1) - abs(2 * (row + column) - 2 * SIZE - 2)


def plies_left(s: Any) -> Any:
    """The empty cells."""
    return np.int64(s.empty_count)


def solver_moves(s: Any, out: Any) -> Any:
    """The cells in which the mover must move, most current first; the value where connections settle it.

    Boards that do not fit into a word of 64 bits, and the choice of a swap, get all legal moves.
    """
    if s.winner != 0:
        out[0] = utility(s)
        return 0
    if SIZE > 8 or may_swap(s):
        return legal_moves(s, out)
    count = SIZE * SIZE
    colors = np.zeros(count, np.int64)
    for cell in range(count):
        colors[cell] = s.board[(cell // SIZE + 1) * STRIDE + cell % SIZE + 1]
    fill(colors, SIZE)
    mine = np.int64(s.seat) + 1
    carriers = np.zeros(MOST_SEMI + 1, np.uint64)
    if connect(colors, SIZE, mine, 1, carriers) > 0:
        out[0] = 1
        return 0
    if connect(colors, SIZE, 3 - mine, 2, carriers) == 2:
        out[0] = -1
        return 0
    useful = u64(0)
    for cell in range(count):
        if colors[cell] == EMPTY:
            useful |= ONE << u64(cell)
    for i in range(np.int64(carriers[0])):
        useful &= carriers[i + 1]
    currents = np.zeros(count, np.float64)
    flow(colors, SIZE, 1, currents)
    flow(colors, SIZE, 2, currents)
    n = 0
    while useful != u64(0):
        best = np.int64(ctz(useful))
        for cell in range(best + 1, count):
            if useful >> u64(cell) & ONE != u64(0) and currents[cell] > currents[best]:
                best = np.int64(cell)
        useful &= ~(ONE << u64(best))
        out[n] = (best // SIZE + 1) * STRIDE + best % SIZE + 1
        n += 1
    if n == 0:
        out[0] = -1
    return n


# The formal game ------------------------------------------------------------------------------------------------------


@plain_at_first
def move_and_tidy(states: Any, move: Any, weights: Any) -> None:
    """One move in the first struct of an array, which is then written in the one fixed way."""
    play(states[0], move)
    tidy(states)


@plain_at_first
def tidy(states: Any) -> None:
    """Write the first struct of an array in the one fixed way."""
    rebuild(states[0])


TEXT = re.compile(r"([XO./]+) ([XO])", re.IGNORECASE)


class Hex(CompiledGame):
    """Hex on a board of 2 × 2 to 19 × 19 cells, with or without the swap rule."""

    mcts_parameters: ClassVar[Mapping[str, Any]] = {"exploration": 0.0, "rave": 1000.0, "prior": 10, "grow_after": 3}
    seat_names = ("Black", "White")

    def __init__(self, size: int = 11, swap: bool = False) -> None:
        if not 2 <= size <= 19:
            raise BadInput(f"hex:size={size} is not possible; expected 2 to 19.")
        self.size, self.swap = size, swap
        self.facts = Facts(most_moves=size * size + swap, longest_game=size * size + swap)
        stride = size + 2
        self._cells = [row * stride + column for row in range(1, size + 1) for column in range(1, size + 1)]
        self._names = {cell: "abcdefghijklmnopqrs"[cell % stride - 1] + str(cell // stride) for cell in self._cells} | {
            SWAP_MOVE: "swap-pieces"
        }
        super().__init__(
            SIZE=size,
            STRIDE=stride,
            CELLS=stride * stride,
            CAN_SWAP=swap,
            LEFT=stride,
            RIGHT=2 * stride - 1,
            BOTTOM=(size + 1) * stride + 1,
            KEYS=zobrist_keys(2 * stride * stride, seed=1942),
            AROUND=around(stride),
            State=state_type(size),
        )
        self._make_move = self.rules.kernel(move_and_tidy)
        self.formats = {"sgf": shared_format(self, "sgf", number=11)}

    def action_text(self, state: bytes, action: int) -> str:
        """The cell's name, or `swap-pieces`."""
        return self._names[action]

    def _rows(self, state: bytes) -> list[str]:
        board = self.struct(state).board
        marks = "".join(".XO"[board[cell]] for cell in self._cells)
        return [marks[start : start + self.size] for start in range(0, len(marks), self.size)]

    def state_text(self, state: bytes) -> str:
        """The rows from the top and the side to move."""
        return "/".join(self._rows(state)) + " " + "XO"[self.struct(state).seat]

    def state_from_text(self, text: str) -> bytes:
        """Read what `state_text` writes; the numbers of stones may differ as they like. Raises BadInput."""
        found = TEXT.fullmatch(" ".join(text.split()))
        rows = found[1].upper().split("/") if found else []
        if found is None or len(rows) != self.size or any(len(row) != self.size for row in rows):
            raise BadInput(
                f"'{text}' is not a position of {self.name}; expected {self.size} rows of {self.size} with X, O and "
                "'.', separated by '/', then X or O to move."
            )
        structs = self.structs(self.initial())
        s = structs[0]
        for cell, mark in zip(self._cells, "".join(rows), strict=True):
            s.board[cell] = ".XO".index(mark)
        s.seat = "XO".index(found[2].upper())
        self.rules.kernel(tidy)(structs)
        return self.pack(structs)

    def winning_chain(self, state: bytes) -> list[int]:
        """The cells of a shortest chain that joins the winner's sides; nothing while the game goes on."""
        s = self.struct(state)
        if s.winner == 0:
            return []
        stride, size = self.size + 2, self.size
        own = {cell for cell in self._cells if s.board[cell] == s.winner}
        divide: Callable[[int, int], int] = operator.floordiv if s.winner == 1 else operator.mod
        steps = around(stride).tolist()
        return shortest_path(
            own,
            (cell for cell in sorted(own) if divide(cell, stride) == 1),
            lambda cell: divide(cell, stride) == size,
            lambda cell: [cell + step for step in steps],
        )

    def draw(self, state: bytes) -> Drawing:
        """Stones on hexagons, the sides in their owners' colours, and the chain that has won."""
        pieces = tuple(
            Piece(row, column, mark, "XO".index(mark))
            for row, marks in enumerate(self._rows(state))
            for column, mark in enumerate(marks)
            if mark != "."
        )
        chain = self.winning_chain(state)
        lines, caption = border(self.size, self.size), "Black (X) joins top and bottom, White (O) left and right"
        if chain:
            winner = int(self.struct(state).winner) - 1
            where = [(cell // (self.size + 2) - 1, cell % (self.size + 2) - 1) for cell in chain]
            lines = (*lines, through(where, winner))
            caption = f"{'XO'[winner]} wins by the chain {' '.join(self._names[cell] for cell in chain)}"
        return Drawing(
            layout="hex",
            rows=self.size,
            columns=self.size,
            pieces=pieces,
            cells=tuple(self._names[cell] for cell in self._cells),
            stones=True,
            lines=lines,
            caption=caption,
        )


game = Hex
