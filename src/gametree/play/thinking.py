"""An algorithm for all moves of a game: what it learns at one move it still knows at the next, where it can."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gametree.core.clock import Clock
from gametree.core.game import Game
from gametree.core.registry import load_algorithm
from gametree.core.result import SearchResult
from gametree.core.specification import convert, parse_specification
from gametree.play.analysis import FRAME, analyse, is_compiled

__all__ = ["Thinker"]


class Thinker:
    """An algorithm, named as for `analyse`, for one game from move to move.

    The engine keeps its table and its ordering, fast-mcts the part of its tree that still applies; all others begin
    anew. Raises UnknownName, BadInput.
    """

    def __init__(self, game: Game[Any, Any], algorithm: str) -> None:
        self.game, self.algorithm = game, algorithm
        specification = parse_specification(algorithm)
        self._name = specification.name if is_compiled(game) else ""
        self._seen: tuple[Any, ...] | None  # the actions of the game that the tree knows of
        self._tree: Any
        if self._name in ("engine", "fast-mcts"):
            self._search = load_algorithm(self._name)[1]
            self._options = convert(self._search, specification, besides=FRAME)
        if self._name == "engine":
            from gametree.search.engine import Engine

            sizes = {key: self._options.pop(key) for key in ("table_mib", "threads") if key in self._options}
            self._engine = Engine(game, **sizes)
        self.forget()

    def forget(self) -> None:
        """A new game: nothing of the last one is remembered."""
        self._seen = self._tree = None
        if self._name == "engine":
            self._engine.forget()

    @property
    def is_engine(self) -> bool:
        """Whether this is the engine, which divides its time by itself."""
        return self._name == "engine"

    def search(
        self,
        state: Any,
        *,
        actions: Sequence[Any] | None = None,
        seconds: float | None = None,
        soft_seconds: float | None = None,
        nodes: int | None = None,
        seed: int | None = None,
    ) -> SearchResult:
        """Search from the state. `actions` is the whole game so far; `soft_seconds` is for the engine alone."""
        clock = Clock(seconds, nodes=nodes) if seconds is not None or nodes is not None else None
        if self._name == "engine":
            return self._engine.search(state, clock=clock, **{"soft_seconds": soft_seconds, **self._options})
        drawn = {} if seed is None else {"seed": seed}
        if self._name == "fast-mcts":
            self._follow(actions)
            found: SearchResult = self._search(self.game, state, clock=clock, tree=self._tree, **self._options, **drawn)
            return found
        algorithm = self.algorithm
        if drawn:
            algorithm += f"{',' if ':' in algorithm else ':'}seed={seed}"
        return analyse(self.game, state, algorithm=algorithm, clock=clock)

    def _follow(self, actions: Sequence[Any] | None) -> None:
        """Tell the tree what was played since the last search; a game that is not the one it knows gets a new tree."""
        from gametree.search.fast_mcts import SearchTree

        now = None if actions is None else tuple(actions)
        if self._seen is not None and now is not None and now[: len(self._seen)] == self._seen:
            self._tree.follow(self.game, now[len(self._seen) :])
        else:
            self._tree = SearchTree(self._options.get("mib", 64.0))
        self._seen = now
