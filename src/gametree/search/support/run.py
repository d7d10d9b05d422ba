"""What every search needs around its pseudocode: the fit, the start, the clock and the result."""

from __future__ import annotations

import contextlib
import math
import sys
from collections.abc import Callable, Iterator
from typing import Any

from gametree.core.clock import Clock, search_time
from gametree.core.errors import BadInput, GameError, UnfitGame
from gametree.core.facts import Algorithm, check_fit
from gametree.core.game import CHANCE, MAX, Game, as_game, as_two_sides
from gametree.core.record import TreeRecord
from gametree.core.result import Bound, SearchResult
from gametree.search.support.leaves import leaf_values

__all__ = ["CHECK_EVERY", "Clock", "Line", "Run", "unroll"]

Line = tuple[Any, "Line"] | None
"""A principal variation while it is built: (first action, the rest); growing it costs the same at any depth."""

CHECK_EVERY = 255
"""Searches look at their clock when `nodes & CHECK_EVERY` is 0: looking at each node would cost more than the node."""

MOST_PLIES = 1_000_000
"""Python may recurse so deep; a search calls itself at least once for each ply."""


class Run:
    """The frame around one search.

    Checks the fit of game and algorithm and the options, opens the record's root, and makes the result.
    Raises UnfitGame, BadInput.
    """

    def __init__(
        self,
        algorithm: Algorithm,
        game: Game[Any, Any],
        state: Any = None,
        *,
        depth: int | None = None,
        clock: Clock | None = None,
        record: TreeRecord | None = None,
    ) -> None:
        self.algorithm = algorithm
        self.game = as_game(game)
        check_fit(algorithm, self.game)
        if depth is not None and (not isinstance(depth, int) or depth < 0):
            raise BadInput(f"A depth of {depth} is not possible; expected a whole number from 0 up, or none at all.")
        if depth is not None and not self.game.offers("evaluate"):
            raise UnfitGame(
                f"{algorithm.name} cannot stop at depth {depth} in {self.game.name}: "
                "the game does not define evaluate()."
            )
        self.state = self.game.initial() if state is None else state
        self.terminal = self.game.is_terminal(self.state)
        mover = CHANCE if self.terminal else self.game.player(self.state)
        self.chance = not self.terminal and mover == CHANCE
        self.player = max(0, mover)
        """The seat to move; 0 at the end and where chance is to move."""
        self.seat = self.game.facts.side_of(self.player) if algorithm.sides == 2 else self.player
        """The same as the search counts: a search for two sides numbers sides."""
        if algorithm.sides == 2 and self.game.facts.teams is not None and not algorithm.compiled:
            self.game = as_two_sides(self.game)
        self.depth = -1 if depth is None else depth
        """Plies still to go; -1 for the whole tree, which counting down never brings to 0."""
        self.horizon = 0
        """How many values so far rest on an estimate, or on moves that were left out."""
        self.clock = clock
        self.record = record
        if record is not None:
            record.algorithm = algorithm.name
        self.started = search_time()

    def leaf_values(self, player: int = MAX) -> tuple[Callable[[Any], float], Callable[[Any], float]]:
        """Return UTILITY and EVAL for a seat, as `leaves.leaf_values` does; each value of EVAL counts into `horizon`.

        A search that asks EVAL for other ends than values, such as the order of moves, takes the plain function there.
        """
        utility, estimate = leaf_values(self.game, player)

        def evaluate(state: Any) -> float:
            self.horizon += 1
            return estimate(state)

        return utility, evaluate

    @contextlib.contextmanager
    def root(self, alpha: float = -math.inf, beta: float = math.inf) -> Iterator[None]:
        """Search inside this: it opens the record's root and lets Python recurse as deep as memory allows.

        From Python 3.11 on, Python functions that call each other do not use the C stack, so a high limit is safe.
        A search that does not come to its end, above all by OutOfTime, leaves no node of the record open. Raises
        UnfitGame if a line of play goes on beyond that depth.
        """
        before = sys.getrecursionlimit()
        sys.setrecursionlimit(max(before, MOST_PLIES))
        if self.record is not None:
            self.record.enter(self.state, None, alpha, beta)
        try:
            yield
        except BaseException as error:
            if self.record is not None:
                self.record.abandon()
            if isinstance(error, RecursionError):
                raise UnfitGame(
                    f"{self.algorithm.name} found no end of {self.game.name} within {MOST_PLIES:,} plies; "
                    "expected a depth at which it may stop."
                ) from None
            raise
        finally:
            sys.setrecursionlimit(before)

    def close_root(self, value: float, **how: Any) -> None:
        """Give the record's root its value (for seat 0); `how` goes to `TreeRecord.leave`."""
        if self.record is not None:
            self.record.leave(value, **how)

    def finish(
        self,
        value: float,
        line: Line | list[Any],
        *,
        nodes: int,
        leaves: int = 0,
        depth: int | None = None,
        selective: int | None = None,
        horizon: bool | None = None,
        bound: Bound | None = None,
        window: tuple[float, float] = (-math.inf, math.inf),
        move: Any = None,
        values: tuple[float, ...] | None = None,
        complete: bool = True,
        **details: Any,
    ) -> SearchResult:
        """The result. `value` is seat 0's in two-player games and is turned to the seat to move here.

        `line` is a Line or a list of actions; `window` is the one on entry, outside which `value` is only a bound.
        `selective` is the deepest ply that was seen, by default that of the line; `depth` by default as much of it as
        was asked for; `horizon` by default whether anything was counted into `self.horizon`, and True for searches that
        are not exact; with it no value is. Raises GameError if the value is not a finite number.
        """
        if not math.isfinite(value):
            raise GameError(
                f"{self.game.name} has no finite value at '{self.game.state_text(self.state)}': got {value}."
            )
        variation = tuple(line) if isinstance(line, list) else unroll(line)
        mine = value
        if values is not None:
            mine = values[self.seat]
        elif self.seat != 0:
            total = self.game.facts.utility_sum
            mine = (total or 0) - value
        if horizon is None:
            horizon = self.horizon > 0 or not self.algorithm.exact
        if selective is None:
            selective = len(variation)
        if depth is None:
            depth = selective if self.depth < 0 else min(self.depth, selective)
        if bound is None:
            bound = "exact"
            if value <= window[0]:
                bound = "upper" if self.seat == 0 else "lower"
            elif value >= window[1]:
                bound = "lower" if self.seat == 0 else "upper"
        if bound == "exact" and horizon:
            bound = "estimate"
        return SearchResult(
            algorithm=self.algorithm.name,
            state=self.state,
            player=self.player,
            move=move if move is not None else variation[0] if variation else None,
            value=mine,
            bound=bound,
            pv=variation,
            nodes=nodes,
            leaves=leaves,
            depth=depth,
            selective=max(selective, depth),
            horizon=horizon,
            seconds=search_time() - self.started,
            values=values,
            complete=bool(complete),
            details=details,
        )


def unroll(line: Any) -> tuple[Any, ...]:
    """The actions of a Line as a tuple."""
    actions = []
    while line is not None:
        action, line = line
        actions.append(action)
    return tuple(actions)
