"""A book by analysis, for games of which there are no records: a search judges positions, the best lines grow first.

The book is a tree. To expand a position is to let the search judge every move of it; values go up by minimax, so that a
line that disappoints later is left again. Which leaf comes next is decided as Lincke does ("Strategies for the
Automatic Construction of Opening Books", 2000): the one that is reached by the fewest plies, where every mistake on the
way costs as much as some plies more. So the lines of best play go deep, and those with mistakes of either side stay
short but are not left out.
"""

from __future__ import annotations

import heapq
import itertools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from gametree.core.errors import BadInput, UnfitGame
from gametree.core.game import Game
from gametree.knowledge.book import ENTRY
from gametree.knowledge.keys import keys_for

__all__ = ["BookTree"]

Judge = Callable[[Any], float]
"""What a state that is not terminal is worth to the seat to move."""
HEAVIEST = 1000
"""The weight of the best move of a position."""


@dataclass
class _Move:
    code: int
    key: int
    """Of the position that it leads to."""
    state: Any
    same_seat: bool
    """Whether who moved is to move again."""
    ends: float | None
    """What the mover gets if the game is over behind the move, otherwise None."""


class BookTree:
    """Positions that were analysed. Raises UnfitGame for games that are not between two players without chance."""

    def __init__(self, game: Game[Any, Any], judge: Judge, *, spread: float = 1.0) -> None:
        facts = game.facts
        if facts.players != 2 or facts.chance or facts.utility_sum is None:
            raise UnfitGame(f"A book of {game.name} cannot be grown: expected two players, no chance, a constant sum.")
        if spread <= 0:
            raise BadInput(f"A spread of {spread} is not possible; expected a number above 0.")
        self.game = game
        self._judge = judge
        self._spread = spread  # a mistake of this many points counts as one more ply
        self._keys = keys_for(game)
        self._total = facts.utility_sum
        self._nodes: dict[int, list[_Move]] = {}
        self._judged: dict[int, float] = {}
        self._root = self._keys.find(game.initial())[0]

    def __len__(self) -> int:
        """The positions that were expanded."""
        return len(self._nodes)

    def grow(self, positions: int, progress: Callable[[int, int], None] | None = None) -> None:
        """Expand positions until there are so many, or nothing is left to expand."""
        if not self._nodes and positions > 0:
            self._expand(self._root, self.game.initial())
        while len(self._nodes) < positions:
            leaf = self._next_leaf()
            if leaf is None:
                return
            self._expand(leaf.key, leaf.state)
            if progress is not None:
                progress(len(self._nodes), positions)

    def _expand(self, key: int, state: Any) -> None:
        game, seat = self.game, self.game.player(state)
        moves: dict[int, _Move] = {}
        for action in game.actions(state):
            code = self._keys.code(state, action)
            if code in moves:
                continue  # the same move on a symmetric board
            after = game.result(state, action)
            child = self._keys.find(after)[0]
            if game.is_terminal(after):
                moves[code] = _Move(code, child, after, False, game.utility(after, seat))
                continue
            if child not in self._judged:
                self._judged[child] = self._judge(after)
            moves[code] = _Move(code, child, after, game.player(after) == seat, None)
        self._nodes[key] = list(moves.values())

    def _worth(self, move: _Move, value: float) -> float:
        """What a move is worth to who makes it, if the position behind it is worth `value` to who is to move there."""
        if move.ends is not None:
            return move.ends
        return value if move.same_seat else self._total - value

    def _values(self) -> dict[int, float]:
        """What every expanded position is worth to the seat to move, by minimax over all that is known."""
        found: dict[int, float] = {}
        # A position that comes back to itself on the way down is taken as the search judged it.
        path: set[int] = set()

        def value(key: int) -> float:
            if key in found:
                return found[key]
            if key not in self._nodes or key in path:
                return self._judged.get(key, 0.0)
            path.add(key)
            found[key] = max(self._worth(move, value(move.key)) for move in self._nodes[key])
            path.remove(key)
            return found[key]

        for key in self._nodes:
            value(key)
        return found

    def _losses(self, moves: list[_Move], values: dict[int, float]) -> list[float]:
        """By how many points each move is worse than the best, for who is to move."""
        worths = [self._worth(move, values.get(move.key, self._judged.get(move.key, 0.0))) for move in moves]
        return [max(worths) - worth for worth in worths]

    def _next_leaf(self) -> _Move | None:
        """The leaf with the least sum of plies and mistakes on the way from the start (Dijkstra)."""
        values = self._values()
        order = itertools.count()
        heap: list[tuple[float, int, int, _Move | None]] = [(0.0, next(order), self._root, None)]
        seen: set[int] = set()
        while heap:
            cost, _, key, move = heapq.heappop(heap)
            if key in seen:
                continue
            seen.add(key)
            moves = self._nodes.get(key)
            if moves is None:
                return move
            for below, loss in zip(moves, self._losses(moves, values), strict=True):
                if below.ends is None:
                    heapq.heappush(heap, (cost + 1 + loss / self._spread, next(order), below.key, below))
        return None

    def entries(self, *, margin: float = 1.0) -> Any:
        """An array of ENTRY: in every position the moves that lose less than `margin` points against the best.

        The best weighs 1000, the others the less the nearer they come to the margin.
        """
        if margin <= 0:
            raise BadInput(f"A margin of {margin} is not possible; expected a number above 0.")
        values = self._values()
        rows = [
            (key, move.code, max(1, round(HEAVIEST * (1 - loss / margin))), 0)
            for key, moves in self._nodes.items()
            for move, loss in zip(moves, self._losses(moves, values), strict=True)
            if loss < margin
        ]
        return np.array(rows, ENTRY)

    def value(self) -> float:
        """What the start is worth to the seat to move by all that is known; 0 before anything is expanded."""
        return self._values().get(self._root, 0.0)
