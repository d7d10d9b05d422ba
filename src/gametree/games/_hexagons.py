"""What games of connection on hexagons share: stones, chains, a random move that saves bridges, and drawings.

The board lies row by row in one array with an edge around it, as many columns wide as the board and two more. The
neighbours of (row, column) are (0, ±1), (±1, 0), (−1, +1) and (+1, −1), so a row stands half a cell to the right of the
one above. A cell's number is its move's number; cell 0 lies in a corner of the edge and is no neighbour of any cell.

Chains are trees of links to a smaller cell, which ends at the smallest cell of the chain (Galler and Fischer 1964).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Any

import numpy as np

from gametree.core.drawing import HEX_STEP, Line
from gametree.kernels import u64

__all__ = [
    "AROUND",
    "EMPTY",
    "OUTSIDE",
    "add_empty",
    "around",
    "border",
    "draw_empty",
    "flatten",
    "join",
    "root_of",
    "saved_bridge",
    "seen_root",
    "shortest_path",
    "take_empty",
    "through",
]

EMPTY, OUTSIDE = 0, 3
"""What lies on a cell, beside the stones 1 and 2 of seats 0 and 1; OUTSIDE is an edge that belongs to nobody."""
AROUND = np.array([1, -12, -13, -1, 12, 13])
"""Steps to the six neighbours in a circle; each game has its own in its place."""


def around(stride: int) -> Any:
    """The steps to the six neighbours on a board with so many cells a row, in a circle that begins on the right."""
    return np.array([1, 1 - stride, -stride, -1, stride - 1, stride])


# Verbs ----------------------------------------------------------------------------------------------------------------


def root_of(s: Any, cell: Any) -> Any:
    """The smallest cell of the chain; the way to it is halved for the next time."""
    at = np.int64(cell)
    while s.up[at] != at:
        above = np.int64(s.up[s.up[at]])
        s.up[at] = above
        at = above
    return at


def seen_root(s: Any, cell: Any) -> Any:
    """The same for those who may only look."""
    at = np.int64(cell)
    while s.up[at] != at:
        at = np.int64(s.up[at])
    return at


def join(s: Any, one: Any, other: Any) -> Any:
    """Make one chain of two, of which these are the roots; return the root of the whole."""
    if other < one:
        one, other = other, one
    s.up[other] = one
    return one


def flatten(s: Any) -> None:
    """Write chains and the list of empty cells in the one fixed way, whatever order the stones came in."""
    count = np.int64(0)
    for at in range(s.board.shape[0]):
        s.place[at] = 0
        s.up[at] = root_of(s, at)
        if s.board[at] == EMPTY:
            s.empties[count] = at
            s.place[at] = count
            count += 1
    s.empty_count = count
    for at in range(count, s.empties.shape[0]):
        s.empties[at] = 0


def add_empty(s: Any, cell: Any) -> None:
    """The cell is empty now."""
    s.board[cell] = EMPTY
    s.up[cell] = cell
    s.empties[s.empty_count] = cell
    s.place[cell] = s.empty_count
    s.empty_count += 1


def take_empty(s: Any, cell: Any) -> None:
    """The cell is empty no more."""
    hole = s.place[cell]
    s.empty_count -= 1
    last = s.empties[s.empty_count]
    s.empties[hole] = last
    s.place[last] = hole


def draw_empty(s: Any, bits: Any) -> Any:
    """An empty cell, each as likely as the other."""
    return np.int64(s.empties[(u64(bits) >> u64(32)) * u64(s.empty_count) >> u64(32)])


def saved_bridge(s: Any, last: Any, color: Any, bits: Any) -> Any:
    """The cell that keeps two stones of the colour together which the other side's last stone would part; 0: none.

    Two stones with two common empty neighbours are as good as joined (a bridge). The last stone took one of these; the
    other lies beside it, and the stones on either side of both. The search begins at a random neighbour.
    """
    start = np.int64((u64(bits) & u64(0xFFFF)) * u64(6) >> u64(16))
    before = np.int64(s.board[last + AROUND[(start + 5) % 6]])
    here = np.int64(s.board[last + AROUND[start]])
    for turn in range(6):
        after = np.int64(s.board[last + AROUND[(start + turn + 1) % 6]])
        if here == EMPTY and before == color and after == color:
            return np.int64(last + AROUND[(start + turn) % 6])
        before, here = here, after
    return np.int64(0)


# Drawings -------------------------------------------------------------------------------------------------------------


def shortest_path(
    cells: Collection[int],
    starts: Iterable[int],
    is_goal: Callable[[int], bool],
    beside: Callable[[int], Sequence[int]],
) -> list[int]:
    """The cells of a shortest way inside `cells` from one of `starts` to a goal; nothing if there is none."""
    ways: dict[int, int | None] = {cell: None for cell in starts if cell in cells}
    todo = list(ways)
    for cell in todo:
        if is_goal(cell):
            path = [cell]
            while (before := ways[path[-1]]) is not None:
                path.append(before)
            return path[::-1]
        for other in beside(cell):
            if other in cells and other not in ways:
                ways[other] = cell
                todo.append(other)
    return []


def through(places: Iterable[tuple[int, int]], player: int) -> Line:
    """A line over the middles of cells, given by row and column."""
    return Line(
        tuple((column + 0.5 + row / 2, round(0.6 + row * HEX_STEP, 4)) for row, column in places),
        player,
        tone="chain",
        above=True,
    )


def border(rows: int, columns: int) -> tuple[Line, ...]:
    """The four sides of a rhombus: those above and below are seat 0's, the others seat 1's."""
    below, slant = 0.6 + (rows - 1) * HEX_STEP + 0.62, 1 / math.sqrt(3)
    left, right = -0.5, columns - 0.2
    top = (round(left, 4), 0.0), (round(right, 4), 0.0)
    bottom = tuple((round(x + below * slant, 4), round(below, 4)) for x, _ in top)
    return (
        Line(top, 0),
        Line(bottom, 0),
        Line((top[0], bottom[0]), 1),
        Line((top[1], bottom[1]), 1),
    )
