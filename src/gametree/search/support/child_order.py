"""What a search learns about which moves are good, so that the next one looks at those first."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gametree.search.support.run import Line

__all__ = ["Ordering"]


class Ordering:
    """Killer moves, the history of cut-offs and the last principal variation.

    Killers (Akl and Newborn, 1977): the last two moves that caused a cut-off at a ply. History
    (Schaeffer, 1983): how often a player's move was best anywhere, weighed by the size of the tree below it.
    """

    def __init__(self) -> None:
        self.line: Line = None
        self._killers: dict[int, tuple[Any, ...]] = {}
        self._history: dict[tuple[int, Any], int] = {}

    def sort(
        self, moves: Sequence[Any], first: Line, ply: int, seat: int, *, killers: bool, history: bool
    ) -> Sequence[Any]:
        """The moves in the order in which to try them: the first of a line, killers, then by history.

        Moves about which nothing is known stay in the order in which the game lists them.
        """
        front: list[Any] = []
        if first is not None:
            front.append(first[0])
        if killers:
            front.extend(move for move in self._killers.get(ply, ()) if move not in front)
        if history:
            score = self._history
            moves = sorted(moves, key=lambda move: -score.get((seat, move), 0))
        if not front:
            return moves
        # A killer from elsewhere may not be legal here.
        front = [move for move in front if move in moves]
        return front + [move for move in moves if move not in front]

    def learn(self, move: Any, ply: int, seat: int, depth: int, *, cut: bool) -> None:
        """Note the best move of a node with `depth` plies to go, and whether it caused a cut-off."""
        if cut:
            killers = self._killers.get(ply, ())
            if move not in killers[:1]:
                self._killers[ply] = (move, *killers[:1])
        self._history[seat, move] = self._history.get((seat, move), 0) + (depth * depth if depth > 0 else 1)
