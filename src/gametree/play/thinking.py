"""An algorithm for all moves of a game: what it learns at one move it still knows at the next, where it can."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from gametree.core.clock import Clock
from gametree.core.game import Game
from gametree.core.registry import load_algorithm, load_session
from gametree.core.result import SearchResult
from gametree.core.specification import convert, parse_specification
from gametree.play.analysis import FRAME, analyse, fits
from gametree.play.solved import Solved, solved, takes_tables

__all__ = ["Thinker"]


class Thinker:
    """An algorithm, named as for `analyse`, for one game from move to move.

    One that keeps what it learns (`Algorithm.keeps`) has a session; all others begin anew. Raises UnknownName and
    BadInput.
    """

    def __init__(self, game: Game[Any, Any], algorithm: str) -> None:
        self.game, self.algorithm = game, algorithm
        specification = parse_specification(algorithm)
        facts, search = load_algorithm(specification.name)
        self._session: Any = None
        self._solved: Solved | None = None
        if facts.keeps and fits(facts, game):
            options = convert(search, specification, besides=FRAME)
            if takes_tables(search):
                self._solved = solved(game)
            if self._solved is not None:
                options["tables"] = self._solved.tables
            self._session = load_session(facts.name)(game, **options)
        self.forget()

    def forget(self) -> None:
        """A new game: nothing of the last one is remembered."""
        if self._session is not None:
            self._session.forget()

    @property
    def time_for_move(self) -> Callable[..., tuple[float, float]] | None:
        """How the algorithm divides its time, if it does so by itself."""
        return None if self._session is None else self._session.time_for_move

    def search(
        self,
        state: Any,
        *,
        actions: Sequence[Any] | None = None,
        seconds: float | None = None,
        soft_seconds: float | None = None,
        nodes: int | None = None,
        seed: int | None = None,
        clock: Clock | None = None,
    ) -> SearchResult:
        """Search from the state. `actions` is the whole game so far; `soft_seconds` is for who divides its own time.

        A `clock` of the caller's is set to the limits, and may be stopped meanwhile.
        """
        if clock is None and (seconds is not None or nodes is not None):
            clock = Clock(seconds, nodes=nodes)
        elif clock is not None:
            clock.nodes = nodes
            if seconds is not None:
                clock.limit(seconds)
        if self._session is not None:
            known = None if self._solved is None else self._solved.answer(state)
            if known is not None:
                return known
            self._session.follow(actions)
            kept = None if self._solved is None else self._solved.good_moves(state)
            options = {} if kept is None else {"moves": kept}
            found: SearchResult = self._session.search(
                state, clock=clock, soft_seconds=soft_seconds, seed=seed, **options
            )
            return found
        algorithm = self.algorithm
        if seed is not None:
            algorithm += f"{',' if ':' in algorithm else ':'}seed={seed}"
        return analyse(self.game, state, algorithm=algorithm, clock=clock)
