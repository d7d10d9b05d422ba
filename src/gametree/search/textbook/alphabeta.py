"""Alpha-beta pruning, recursive and fail-soft: minimax that stops looking where it cannot matter.

Source: Russell and Norvig, *Artificial Intelligence*, figure 5.7 (ALPHA-BETA-SEARCH, MAX-VALUE, MIN-VALUE), with the
cut-off test of Shannon (1950). Fail-soft after Fishburn (1983): a value outside the window is still a bound.

    function MAX-VALUE(state, α, β)
        if TERMINAL-TEST(state) then return UTILITY(state)
        v ← −∞
        for each a in ACTIONS(state) do
            v ← MAX(v, MIN-VALUE(RESULT(state, a), α, β))
            if v ≥ β then return v
            α ← MAX(α, v)
        return v
"""

from __future__ import annotations

from collections.abc import Callable
from math import inf
from typing import Any

from gametree.core.facts import Algorithm
from gametree.core.game import MAX, Game
from gametree.core.record import TreeRecord
from gametree.core.result import SearchResult
from gametree.search.support.run import CHECK_EVERY, Clock, Line, Run
from gametree.search.support.window import check_window

__all__ = ["ALGORITHM", "prepare", "search"]

ALGORITHM = Algorithm(
    name="alphabeta",
    title="Alpha-beta (recursive, fail-soft)",
    source="Russell and Norvig, figure 5.7; fail-soft after Fishburn (1983)",
    preference=lambda game: 30 if game.facts.is_short or not game.offers("evaluate") else 15,
)


def search(
    game: Game[Any, Any],
    state: Any = None,
    *,
    depth: int | None = None,
    clock: Clock | None = None,
    record: TreeRecord | None = None,
    window: tuple[float, float] = (-inf, inf),
) -> SearchResult:
    """Return the minimax value and the first of the best moves, to `depth` plies or to the end of the game.

    With a `window` the value is exact inside it, an upper bound at or below its lower end and a lower bound at or
    above its upper end (for MAX). Raises UnfitGame, BadInput, GameError, and OutOfTime if the clock stops it.
    """
    run = Run(ALGORITHM, game, state, depth=depth, clock=clock, record=record)
    value_of, counts = prepare(run)
    with run.root(*check_window(window)):
        value, line = value_of(run.state, *window, run.depth)
        run.close_root(value)
    return run.finish(value, line, window=window, **counts())


def prepare(
    run: Run,
) -> tuple[Callable[[Any, float, float, int], tuple[float, Line]], Callable[[], dict[str, Any]]]:
    """Return the recursive procedure, to be called inside `run.root()`, and what tells its counts to `run.finish`."""
    game, clock, record = run.game, run.clock, run.record
    actions, result, player = game.actions, game.result, game.player
    is_terminal = game.is_terminal
    utility, evaluate = run.leaf_values()
    nodes = leaves = 0
    lowest = run.depth

    def value_of(state: Any, alpha: float, beta: float, depth: int) -> tuple[float, Line]:
        """Return v and best play: v is the value inside the window; the value is ≤ v if v ≤ alpha, ≥ v if v ≥ beta."""
        nonlocal nodes, leaves, lowest
        nodes += 1
        if clock is not None and not nodes & CHECK_EVERY:
            clock.check(nodes)

        # 1. TERMINAL-TEST and CUTOFF-TEST.
        if depth < lowest:
            lowest = depth
        if is_terminal(state):
            leaves += 1
            return utility(state), None
        if depth == 0:
            leaves += 1
            return evaluate(state), None

        # 2. MAX-VALUE: the best for MAX so far raises alpha.
        line: Line = None
        if player(state) == MAX:
            best = -inf
            for action in actions(state):
                child = result(state, action)
                if record is not None:
                    record.enter(child, action, alpha, beta)
                value, reply = value_of(child, alpha, beta, depth - 1)
                if record is not None:
                    record.leave(value)
                if value > best:
                    best, line = value, (action, reply)
                    if best >= beta:
                        break
                    if best > alpha:
                        alpha = best
            return best, line

        # 3. MIN-VALUE: the best for MIN so far lowers beta.
        best = inf
        for action in actions(state):
            child = result(state, action)
            if record is not None:
                record.enter(child, action, alpha, beta)
            value, reply = value_of(child, alpha, beta, depth - 1)
            if record is not None:
                record.leave(value)
            if value < best:
                best, line = value, (action, reply)
                if best <= alpha:
                    break
                if best < beta:
                    beta = best
        return best, line

    def counts() -> dict[str, Any]:
        return {"nodes": nodes, "leaves": leaves, "selective": run.depth - lowest}

    return value_of, counts
