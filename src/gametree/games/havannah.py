"""Havannah: a ring, a bridge between two corners or a fork to three sides wins on a board of hexagons.

    havannah                sides of 8 cells              havannah:5              sides of 5
    havannah:swap=true      the second player may take over the first stone instead of making a move

X is seat 0 and begins; GTP and SGF call it White. A bridge is a chain that touches two of the six corners, a fork one
that touches three of the six sides (corners belong to none), a ring one that goes round at least one cell, whatever
lies on it. If the board is full without any of them, the game is drawn. Sides go from 2 to 10. The utility is 1, 0 or
−1.

Moves are cells such as `e4`: the letter counts the columns that lean to the left, the number the rows from below; a1 is
the corner at the lower left. With the swap rule `swap` is the second player's other first move: the stone changes its
colour, and X moves next. A position as text is the rows from the top with X, O and `.`, then the side to move: for
sides of two `X./.O./.. X`.

The struct holds the board, chains as trees with the corners and sides that they touch, and a list of the empty cells. A
ring is found where a stone joins a chain to itself on two sides that do not meet, or gives a stone its sixth friend.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np

from gametree.core.drawing import Drawing, Item, Line, grid
from gametree.core.errors import BadInput
from gametree.core.facts import Facts
from gametree.core.format import shared_format
from gametree.games._hexagons import (
    AROUND,
    EMPTY,
    OUTSIDE,
    add_empty,
    around,
    draw_empty,
    flatten,
    join,
    root_of,
    saved_bridge,
    shortest_path,
    take_empty,
    through,
)
from gametree.kernels import ONE, CompiledGame, mix_in, plain_at_first, popcount, struct, u64, zobrist_keys

__all__ = ["Havannah", "game"]

SIZE = 8
WIDTH = 2 * SIZE - 1
STRIDE = WIDTH + 2
CELLS = STRIDE * STRIDE
COUNT = 3 * SIZE * (SIZE - 1) + 1
SWAP_MOVE = 0
CAN_SWAP = False
SIDES_TOUCHED, CORNERS_TOUCHED = u64(0x3F), u64(0xFC0)
KEYS = zobrist_keys(2 * CELLS, seed=1976)
UNIT = 1000
SYMMETRIES = 12
ALTERNATE = True


def state_type(size: int) -> Any:
    """The struct of a game on a board with such sides."""
    cells = (2 * size + 1) ** 2
    return struct(
        hash="u8",  # of the stones
        board=("u1", cells),
        up=("u2", cells),  # the chains
        touched=("u2", cells),  # at the root of a chain: its sides (bits 0–5) and corners (6–11)
        empties=("u2", 3 * size * (size - 1) + 1),  # the empty cells in any order
        place=("u2", cells),  # where an empty cell stands in `empties`
        empty_count="u2",
        last="u2",  # the cell of the last stone, if a search or a random game has laid it; else 0
        seat="u1",
        winner="u1",  # 1 or 2, the stones of seat 0 or 1
    )


def cell_table(size: int) -> Any:
    """What each cell touches: its side (bits 0–5) or corner (6–11); −1 outside the board."""
    width = 2 * size - 1
    table = np.full((width + 2) ** 2, -1)
    corners = [(1, 1), (size, 1), (width, size), (width, width), (size, width), (1, size)]
    for x in range(1, width + 1):
        for y in range(1, width + 1):
            if abs(x - y) < size:
                touching = (y == 1, x - y == size - 1, x == width, y == width, y - x == size - 1, x == 1)
                bits = sum(1 << side for side in range(6) if touching[side])
                table[cell_at(size, x, y)] = 64 << corners.index((x, y)) if (x, y) in corners else bits
    return table


def cell_at(size: int, x: int, y: int) -> int:
    """The cell in column x and row y, both counted from 1."""
    return (2 * size - y) * (2 * size + 1) + x


def image_table(size: int) -> Any:
    """Where each cell goes in the twelve symmetric images of the board."""
    width = 2 * size - 1
    table = np.tile(np.arange((width + 2) ** 2), (12, 1))
    for x in range(1, width + 1):
        for y in range(1, width + 1):
            if abs(x - y) >= size:
                continue
            a, b = x - size, y - size
            for k in range(12):
                table[k, cell_at(size, x, y)] = cell_at(size, a + size, b + size)
                a, b = (a - b, a) if k != 5 else (b, a)  # a sixth of a turn; in the middle, the other face
    return table


TOUCHES = cell_table(SIZE)
IMAGES = image_table(SIZE)
State = state_type(SIZE)


# Rules ----------------------------------------------------------------------------------------------------------------


def initial(s: Any) -> None:
    """The empty board with all that lies around it."""
    for cell in range(CELLS):
        if TOUCHES[cell] >= 0:
            add_empty(s, cell)
        else:
            s.board[cell] = OUTSIDE
            s.up[cell] = cell


def player(s: Any) -> Any:
    """X is seat 0."""
    return np.int64(s.seat)


def is_over(s: Any, out: Any) -> Any:
    """Somebody has won, or the board is full."""
    return s.winner != 0 or s.empty_count == 0


def may_swap(s: Any) -> Any:
    """Whether the swap rule lets the side to move take over the only stone."""
    return CAN_SWAP and s.seat == 1 and s.empty_count == COUNT - 1


def legal_moves(s: Any, out: Any) -> Any:
    """The empty cells row by row from the top; the swap comes first."""
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
        for cell in range(CELLS):
            if s.board[cell] == 1:
                s.board[cell] = 2
                s.hash ^= KEYS[cell] ^ KEYS[CELLS + cell]
        s.last = 0
    else:
        lay(s, np.int64(m), np.int64(s.seat) + 1)
        s.last = m
    s.seat = 1 - s.seat


def lay(s: Any, cell: Any, color: Any) -> None:
    """Put a stone on an empty cell, join its chains, and see whether it has won."""
    take_empty(s, cell)
    s.board[cell] = color
    s.hash ^= KEYS[(color - 1) * CELLS + cell]
    s.touched[cell] = TOUCHES[cell]
    won = closes_ring(s, cell, color)
    root = np.int64(cell)
    for turn in range(6):
        beside = cell + AROUND[turn]
        if s.board[beside] == color:
            other = root_of(s, beside)
            if other != root:
                both = s.touched[root] | s.touched[other]
                root = join(s, root, other)
                s.touched[root] = both
    touched = u64(s.touched[root])
    if won or popcount(touched & SIDES_TOUCHED) >= 3 or popcount(touched & CORNERS_TOUCHED) >= 2:
        s.winner = color


def closes_ring(s: Any, cell: Any, color: Any) -> Any:
    """Whether the new stone, whose chains are not joined yet, closes a ring.

    Friends beside it that stand next to each other are one group. Two groups of one chain close a ring with a cell of
    no friend inside. A ring with nothing but friends inside surrounds a stone with six of them.
    """
    first, second = np.int64(-1), np.int64(-1)
    for turn in range(6):
        beside = cell + AROUND[turn]
        if s.board[beside] != color:
            continue
        if s.board[cell + AROUND[(turn + 5) % 6]] != color:
            # There are at most three groups.
            root = root_of(s, beside)
            if root in (first, second):
                return True
            if first < 0:
                first = root
            else:
                second = root
        elif s.board[cell + AROUND[(turn + 1) % 6]] == color:
            friends: Any = 0
            for other in range(6):
                friends += np.int64(s.board[beside + AROUND[other]] == color)
            if friends == 6:
                return True
    return False


def rebuild(s: Any) -> None:
    """Work out everything from the board, in the one fixed way; the turn stays."""
    board = s.board.copy()
    s.empty_count = 0
    s.winner = 0
    s.last = 0
    s.hash = 0
    for cell in range(CELLS):
        s.touched[cell] = 0
    initial(s)
    for cell in range(CELLS):
        if TOUCHES[cell] >= 0 and board[cell] != EMPTY:
            lay(s, np.int64(cell), np.int64(board[cell]))
    flatten(s)
    for cell in range(CELLS):
        if s.up[cell] != cell:
            s.touched[cell] = 0


def utility(s: Any) -> Any:
    """A win or a loss for the side to move; 0 for a draw."""
    if s.winner == 0:
        return 0
    return 1 if s.winner == s.seat + 1 else -1


def hash_state(s: Any) -> Any:
    """The stones and the turn."""
    return mix_in(s.hash, u64(s.seat) + ONE)


def mirror(s: Any, k: Any) -> None:
    """One of six turns of the board, or of its other face."""
    board = s.board.copy()
    for cell in range(CELLS):
        if TOUCHES[cell] >= 0:
            s.board[IMAGES[k, cell]] = board[cell]
    rebuild(s)


def mirror_move(m: Any, k: Any) -> Any:
    """The cell in the image."""
    return np.int64(IMAGES[k, m])


# Knowledge ------------------------------------------------------------------------------------------------------------


def playout_move(s: Any, bits: Any, out: Any) -> Any:
    """A random empty cell, or the one that saves a bridge which the last stone attacks. Nobody swaps."""
    if s.last != 0:
        saved = saved_bridge(s, np.int64(s.last), np.int64(s.seat) + 1, bits)
        if saved != 0:
            return saved
    return draw_empty(s, bits)


def worth_of(s: Any, color: Any) -> Any:
    """How near to a bridge or a fork the best chain of a colour is."""
    best: Any = 0
    for cell in range(CELLS):
        if s.board[cell] == color and s.up[cell] == cell:
            touched = u64(s.touched[cell])
            sides = np.int64(popcount(touched & SIDES_TOUCHED))
            corners = np.int64(popcount(touched & CORNERS_TOUCHED))
            best = max(best, np.int64(10 + 60 * min(sides, np.int64(2)) + 60 * min(corners, np.int64(1))))
    return best


def evaluate(s: Any) -> Any:
    """The sides and corners that the best chain of either side touches; the move is worth a little."""
    if s.winner != 0 or s.empty_count == 0:
        return utility(s) * UNIT
    mine = np.int64(s.seat) + 1
    return 2 * (worth_of(s, mine) - worth_of(s, 3 - mine)) + 20


def priors(s: Any, moves: Any, n: Any, out: Any) -> None:
    """Cells beside stones and bridges to own ones, rather than those that touch nothing."""
    mine = np.int64(s.seat) + 1
    for i in range(n):
        cell = np.int64(moves[i])
        look = 1.0
        if cell != SWAP_MOVE:
            for turn in range(6):
                step, before = AROUND[turn], AROUND[(turn + 5) % 6]
                there = np.int64(s.board[cell + step])
                if there == mine:
                    look += 0.5
                elif there == 3 - mine:
                    look += 0.7
                elif there == EMPTY and s.board[cell + before] == EMPTY:
                    # Both lie on the board, so the cell beyond them is one of the array.
                    beyond = np.int64(s.board[cell + step + before])
                    if beyond == mine:
                        look += 1.0
                    elif beyond == 3 - mine:
                        look += 0.4
        out[i] = look


# The formal game ------------------------------------------------------------------------------------------------------


@plain_at_first
def move_and_tidy(states: Any, move: Any, weights: Any) -> None:
    """One move in the first struct of an array, which is then written in the one fixed way."""
    play(states[0], move)
    rebuild(states[0])


@plain_at_first
def tidy(states: Any) -> None:
    """Write the first struct of an array in the one fixed way."""
    rebuild(states[0])


TEXT = re.compile(r"([XO./]+) ([XO])", re.IGNORECASE)


class Havannah(CompiledGame):
    """Havannah on a hexagon with sides of 2 to 10 cells, with or without the swap rule."""

    mcts_parameters: ClassVar[Mapping[str, Any]] = {"exploration": 0.0, "rave": 1000.0, "prior": 10, "grow_after": 3}
    seat_names = ("X", "O")

    def __init__(self, size: int = 8, swap: bool = False) -> None:
        if not 2 <= size <= 10:
            raise BadInput(f"havannah:size={size} is not possible; expected 2 to 10.")
        self.size = self.board_size = size
        self.swap = swap
        count = 3 * size * (size - 1) + 1
        self.facts = Facts(most_moves=count + swap, longest_game=count + swap)
        self.width = width = 2 * size - 1
        self._grid = [
            f"{'abcdefghijklmnopqrs'[x - 1]}{width - row}" for row in range(width) for x in range(1, width + 1)
        ]
        touches = cell_table(size)
        self._cells = [cell for cell in range(len(touches)) if touches[cell] >= 0]
        self._touches = touches.tolist()
        self._names = {cell: self._grid[self._place(cell)] for cell in self._cells} | {SWAP_MOVE: "swap"}
        stride = width + 2
        super().__init__(
            SIZE=size,
            WIDTH=width,
            STRIDE=stride,
            CELLS=stride * stride,
            COUNT=count,
            CAN_SWAP=swap,
            KEYS=zobrist_keys(2 * stride * stride, seed=1976),
            TOUCHES=touches,
            IMAGES=image_table(size),
            AROUND=around(stride),
            State=state_type(size),
        )
        self._make_move = self.rules.kernel(move_and_tidy)
        self.formats = {"sgf": shared_format(self, "sgf", number="havannah")}

    def _place(self, cell: int) -> int:
        """The number of a cell in the grid that is drawn."""
        row, column = divmod(cell, self.width + 2)
        return (row - 1) * self.width + column - 1

    def action_text(self, state: bytes, action: int) -> str:
        """The cell's name, or `swap`."""
        return self._names[action]

    def state_text(self, state: bytes) -> str:
        """The rows from the top and the side to move."""
        s = self.struct(state)
        rows: dict[int, str] = {}
        for cell in self._cells:
            row = cell // (self.width + 2)
            rows[row] = rows.get(row, "") + ".XO"[s.board[cell]]
        return "/".join(rows.values()) + " " + "XO"[s.seat]

    def state_from_text(self, text: str) -> bytes:
        """Read what `state_text` writes; the numbers of stones may differ as they like. Raises BadInput."""
        found = TEXT.fullmatch(" ".join(text.split()))
        rows = found[1].upper().split("/") if found else []
        lengths = [self.width - abs(row - self.size + 1) for row in range(self.width)]
        if found is None or [len(row) for row in rows] != lengths:
            raise BadInput(
                f"'{text}' is not a position of {self.name}; expected {self.width} rows of "
                f"{', '.join(map(str, lengths))} with X, O and '.', separated by '/', then X or O to move."
            )
        structs = self.structs(self.initial())
        s, kernel = structs[0], self.rules.kernel(tidy)
        for cell, mark in zip(self._cells, "".join(rows), strict=True):
            s.board[cell] = ".XO".index(mark)
        s.seat = "XO".index(found[2].upper())
        kernel(structs)
        if s.winner:
            # Only one side can have won: without the winner's stones nobody has.
            rest = structs.copy()
            for cell in self._cells:
                if rest[0].board[cell] == s.winner:
                    rest[0].board[cell] = EMPTY
            kernel(rest)
            if rest[0].winner:
                raise BadInput(f"'{text}' cannot come about: both sides have won.")
        return self.pack(structs)

    # How somebody has won ---------------------------------------------------------------------------------------------

    def victory(self, state: bytes) -> tuple[str, list[list[int]]]:
        """`bridge`, `fork` or `ring` and the ways of cells that show it; nothing where nobody has won."""
        s = self.struct(state)
        if s.winner == 0:
            return "", []
        own = {cell for cell in self._cells if s.board[cell] == s.winner}
        ring = self._ring(own)
        if ring:
            return "ring", [[a, b] for a in ring for b in self._beside(a) if b in ring and a < b]
        while own:
            chain = self._flood({min(own)}, own)
            own -= chain
            bits = 0
            for cell in chain:
                bits |= self._touches[cell]
            corners = [bit for bit in range(6, 12) if bits >> bit & 1]
            if len(corners) >= 2:
                return "bridge", [self._way(chain, self._touching(chain, corners[0]), corners[1])]
            sides = [bit for bit in range(6) if bits >> bit & 1]
            if len(sides) >= 3:
                stem = self._way(chain, self._touching(chain, sides[0]), sides[1])
                branch = self._way(chain, set(stem), sides[2])
                return "fork", [stem, branch]
        raise AssertionError("a winner without a ring, a bridge or a fork")

    def _beside(self, cell: int) -> list[int]:
        return [cell + step for step in around(self.width + 2).tolist()]

    def _flood(self, start: set[int], allowed: set[int]) -> set[int]:
        """All of `allowed` that hangs together with `start`."""
        found, todo = set(start), list(start)
        for cell in todo:
            for other in self._beside(cell):
                if other in allowed and other not in found:
                    found.add(other)
                    todo.append(other)
        return found

    def _touching(self, chain: set[int], bit: int) -> set[int]:
        return {cell for cell in chain if self._touches[cell] >> bit & 1}

    def _way(self, chain: set[int], starts: set[int], bit: int) -> list[int]:
        return shortest_path(chain, sorted(starts), lambda cell: bool(self._touches[cell] >> bit & 1), self._beside)

    def _ring(self, own: set[int]) -> set[int]:
        """The stones round a part of the board that cannot be left without crossing a stone of `own`."""
        for cell in sorted(own):
            if own.issuperset(self._beside(cell)):
                return set(self._beside(cell))
        others = set(self._cells) - own
        shut = others - self._flood({cell for cell in others if self._touches[cell]}, others)
        if not shut:
            return set()
        inside = self._flood({min(shut)}, shut)
        return {cell for cell in own if inside.intersection(self._beside(cell))}

    def draw(self, state: bytes) -> Drawing:
        """Stones on hexagons in the shape of a hexagon, with golden corners, and what has won."""
        s = self.struct(state)
        on_board = {self._names[cell] for cell in self._cells}
        items = tuple(
            Item(self._names[cell], "stone", ".XO"[s.board[cell]], int(s.board[cell]) - 1)
            for cell in self._cells
            if s.board[cell]
        )
        kind, ways = self.victory(state)
        lines: list[Line] = []
        caption = ""
        if kind:
            winner = int(s.winner) - 1
            lines = [through((divmod(self._place(cell), self.width) for cell in way), winner) for way in ways]
            stones = dict.fromkeys(self._names[cell] for way in ways for cell in way)
            caption = f"{'XO'[winner]} wins by a {kind}: {' '.join(stones)}"
        return Drawing(
            layout="places",
            rows=self.width,
            columns=self.width,
            places=grid(
                "hex",
                self.width,
                self.width,
                self._grid,
                gaps=[name for name in self._grid if name not in on_board],
                tones={self._names[cell]: "gold" for cell in self._cells if self._touches[cell] >= 64},
            ),
            items=items,
            lines=tuple(lines),
            caption=caption,
        )


game = Havannah
