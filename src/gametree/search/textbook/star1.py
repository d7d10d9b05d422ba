"""Star1: alpha-beta for trees with chance nodes.

Source: Ballard, "The *-minimax search procedure for trees containing chance nodes" (1983); Hauk, Buro and Schaeffer,
"Rediscovering *-minimax search" (2004).

The values of a game lie between L and U. As soon as the outcomes seen so far, with U for each unseen one, cannot lift
a chance node above alpha, or with L for each unseen one already lift it to beta, the rest need not be seen. The same
sums give the window of each outcome:

    for each outcome i with probability p(i) do
        a ← (alpha − Σ of p·U over the others, known values in place of U) / p(i)
        b ← (beta  − Σ of p·L over the others, known values in place of L) / p(i)
        v ← search(outcome i, max(a, L), min(b, U))
        if v ≥ b or v ≤ a then cut off

Without chance nodes it is fail-soft alpha-beta.
"""

from __future__ import annotations

from math import inf
from typing import Any

from gametree.core.facts import Algorithm
from gametree.core.game import CHANCE, MAX, Game
from gametree.core.record import TreeRecord
from gametree.core.result import SearchResult
from gametree.search.support.leaves import no_moves
from gametree.search.support.run import CHECK_EVERY, Clock, Line, Run
from gametree.search.support.star import ChanceBounds
from gametree.search.support.window import check_window

__all__ = ["ALGORITHM", "search"]

ALGORITHM = Algorithm(
    name="star1",
    title="Star1 (alpha-beta with chance nodes)",
    source="Ballard (1983); Hauk, Buro and Schaeffer (2004)",
    chance=True,
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
    """Return the value and a best move as expectiminimax does, to `depth` plies or to the end of the game.

    With a `window` the value is exact inside it, an upper bound at or below its lower end and a lower bound at or
    above its upper end (for MAX). Relies on the game's facts: no value is outside `min_utility` to `max_utility`.
    """
    run = Run(ALGORITHM, game, state, depth=depth, clock=clock, record=record)
    game = run.game
    actions, result, player = game.actions, game.result, game.player
    is_terminal = game.is_terminal
    utility, evaluate = run.leaf_values()
    least, greatest = game.facts.min_utility, game.facts.max_utility
    nodes = leaves = 0
    lowest = run.depth

    def child_value(state: Any, action: Any, alpha: float, beta: float, depth: int) -> tuple[float, Line]:
        child = result(state, action)
        if record is not None:
            record.enter(child, action, alpha, beta)
        value, reply = value_of(child, alpha, beta, depth)
        if record is not None:
            record.leave(value)
        return value, reply

    def value_of(state: Any, alpha: float, beta: float, depth: int) -> tuple[float, Line]:
        """Return v and best play: v is the value inside the window; the value is ≤ v if v ≤ alpha, ≥ v if v ≥ beta."""
        nonlocal nodes, leaves, lowest
        nodes += 1
        if clock is not None and not nodes & CHECK_EVERY:
            clock.check(nodes)
        lowest = min(lowest, depth)
        if is_terminal(state):
            leaves += 1
            return utility(state), None
        if depth == 0:
            leaves += 1
            return evaluate(state), None
        mover = player(state)
        if mover == CHANCE:
            return chance_value(state, alpha, beta, depth), None
        line: Line = None
        best = -inf if mover == MAX else inf
        for action in actions(state):
            value, reply = child_value(state, action, alpha, beta, depth - 1)
            if value > best if mover == MAX else value < best:
                best, line = value, (action, reply)
                if mover == MAX:
                    alpha = max(alpha, best)
                else:
                    beta = min(beta, best)
                if alpha >= beta:
                    break
        if line is None:
            raise no_moves(game, state)
        return best, line

    def chance_value(state: Any, alpha: float, beta: float, depth: int) -> float:
        outcomes = game.outcomes(state)
        bounds = ChanceBounds(outcomes, least, greatest)
        if bounds.upper <= alpha or bounds.lower >= beta:  # even the best or the worst case changes nothing
            if record is not None:
                record.mark("cut")
                for outcome, _ in outcomes:
                    record.skip(outcome, "pruned")
            return bounds.upper if bounds.upper <= alpha else bounds.lower
        for place, (outcome, _) in enumerate(outcomes):
            a, b = bounds.window(place, alpha, beta)
            value, _ = child_value(state, outcome, a, b, depth - 1)
            if value >= b and b < greatest:
                bounds.raise_to(place, value)
                return bounds.lower
            if value <= a and a > least:
                bounds.lower_to(place, value)
                return bounds.upper
            bounds.settle(place, value)
            if bounds.upper <= alpha:
                return bounds.upper
            if bounds.lower >= beta:
                return bounds.lower
        return bounds.lower

    with run.root(*check_window(window)):
        value, line = value_of(run.state, *window, run.depth)
        run.close_root(value)
    return run.finish(value, line, nodes=nodes, leaves=leaves, selective=run.depth - lowest, window=window)
