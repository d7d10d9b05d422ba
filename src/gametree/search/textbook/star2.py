"""Star2: Star1 that first probes every outcome with one move, in the hope of an early cut-off.

Source: Ballard, "The *-minimax search procedure for trees containing chance nodes" (1983); Hauk, Buro and Schaeffer,
"Rediscovering *-minimax search" (2004).

Where MAX is to move after an outcome, one move of MAX gives a lower bound of the outcome; where MIN is, one move of
MIN gives an upper bound. The bounds of all outcomes together often cut the chance node off before any outcome is
searched in full; if not, they tighten the bounds with which Star1 goes on.

    for each outcome i do                        the probing phase
        bound of i ← search one move after i
        if Σ of the bounds ≥ beta (MAX's moves) or ≤ alpha (MIN's moves) then cut off
    search all outcomes as Star1 does, from these bounds, without their probed moves

Without chance nodes it is fail-soft alpha-beta.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import inf
from typing import Any

from gametree.core.errors import BadInput
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
    name="star2",
    title="Star2 (Star1 with a probe of each outcome)",
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
    probes: int = 1,
) -> SearchResult:
    """Return the value and a best move as expectiminimax does, to `depth` plies or to the end of the game.

    Each outcome is probed with its first `probes` moves, so games that list good moves first gain most.
    With a `window` the value is exact inside it, an upper bound at or below its lower end and a lower bound at or
    above its upper end (for MAX). Relies on the game's facts: no value is outside `min_utility` to `max_utility`.
    """
    run = Run(ALGORITHM, game, state, depth=depth, clock=clock, record=record)
    if probes < 1:
        raise BadInput(f"probes={probes} is too few; expected at least 1 (star1 searches without probes).")
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
        moves = actions(state)
        if not moves:
            raise no_moves(game, state)
        return best_of(state, mover, moves, (-inf if mover == MAX else inf, None), alpha, beta, depth)

    def best_of(
        state: Any, mover: int, moves: Sequence[Any], known: tuple[float, Line], alpha: float, beta: float, depth: int
    ) -> tuple[float, Line]:
        """Alpha-beta over some moves of a decision node; `known` is what the moves before them gave."""
        best, line = known
        alpha, beta = (max(alpha, best), beta) if mover == MAX else (alpha, min(beta, best))
        for action in moves:
            if alpha >= beta:
                break
            value, reply = child_value(state, action, alpha, beta, depth - 1)
            if value > best if mover == MAX else value < best:
                best, line = value, (action, reply)
                if mover == MAX:
                    alpha = max(alpha, best)
                else:
                    beta = min(beta, best)
        return best, line

    def chance_value(state: Any, alpha: float, beta: float, depth: int) -> float:
        nonlocal nodes
        outcomes = game.outcomes(state)
        bounds = ChanceBounds(outcomes, least, greatest)
        if bounds.upper <= alpha or bounds.lower >= beta:  # even the best or the worst case changes nothing
            if record is not None:
                record.mark("cut")
                for outcome, _ in outcomes:
                    record.skip(outcome, "pruned")
            return bounds.upper if bounds.upper <= alpha else bounds.lower

        # 1. The probing phase: bound each outcome by its first moves.
        probed: dict[int, tuple[float, Line]] = {}
        for place, (outcome, _) in enumerate(outcomes):
            child = result(state, outcome)
            mover = helpful(child, alpha, beta, depth - 1)
            if mover == CHANCE:
                continue
            nodes += 1
            a, b = bounds.window(place, alpha, beta)
            # The mover's own side of the window stays open, so that what the moves give is exact and holds later.
            a, b = (least, b) if mover == MAX else (a, greatest)
            if record is not None:
                record.enter(child, outcome, a, b)
            nothing = (-inf if mover == MAX else inf, None)
            probed[place] = best_of(child, mover, actions(child)[:probes], nothing, a, b, depth - 1)
            value = probed[place][0]
            if record is not None:
                record.leave(value, bound="lower" if mover == MAX else "upper")
            if mover == MAX:
                bounds.raise_to(place, value)
            else:
                bounds.lower_to(place, value)
            if bounds.lower >= beta:
                return bounds.lower
            if bounds.upper <= alpha:
                return bounds.upper

        # 2. Star1 from these bounds; a probed outcome goes on behind its probed moves.
        for place, (outcome, _) in enumerate(outcomes):
            a, b = bounds.window(place, alpha, beta)
            if place in probed:
                value = resume(state, outcome, probed[place], a, b, depth - 1)
            else:
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

    def helpful(state: Any, alpha: float, beta: float, depth: int) -> int:
        """Who moves after an outcome if a probe can help there, else CHANCE.

        It cannot help at leaves and chance nodes, nor where the window is open on the side that the mover's moves push.
        """
        if depth == 0 or is_terminal(state):
            return CHANCE
        mover = player(state)
        return CHANCE if (beta == inf if mover == MAX else alpha == -inf) else mover

    def resume(state: Any, outcome: Any, known: tuple[float, Line], alpha: float, beta: float, depth: int) -> float:
        """Search the moves of an outcome that its probe left."""
        nonlocal nodes
        nodes += 1
        child = result(state, outcome)
        if record is not None:
            record.enter(child, outcome, alpha, beta)
            for action in actions(child)[:probes]:
                record.skip(action, "pruned")  # dealt with: nothing changes where the probe entered it
        value, _ = best_of(child, player(child), actions(child)[probes:], known, alpha, beta, depth)
        if record is not None:
            record.leave(value)
        return value

    with run.root(*check_window(window)):
        value, line = value_of(run.state, *window, run.depth)
        run.close_root(value)
    return run.finish(value, line, nodes=nodes, leaves=leaves, selective=run.depth - lowest, window=window)
