"""Scout: before a move is evaluated, a cheaper test asks whether it can be better at all.

Source: Pearl, "Asymptotic Properties of Minimax Trees and Game-Searching Procedures", *Artificial Intelligence* 14
(1980), procedures EVAL and TEST.

    procedure EVAL(S)
        if S is terminal then return V(S)
        v ← EVAL(first successor of S)
        for each further successor S' do
            if S is a MAX node and TEST(S', v, >) is true then v ← EVAL(S')
            if S is a MIN node and TEST(S', v, ≥) is false then v ← EVAL(S')
        return v

    procedure TEST(S, v, >)                                     TEST(S, v, ≥) likewise
        if S is terminal then return V(S) > v
        if S is a MAX node: true as soon as TEST(S', v, >) is true for a successor, false if for none
        if S is a MIN node: false as soon as TEST(S', v, >) is false for a successor, true if for none

The tests compare values, so real numbers need no care here. EVAL knows nothing of what was found higher up in the
tree, so Scout may look at leaves that alpha-beta cuts off; NegaScout joins the two.
"""

from __future__ import annotations

from collections.abc import Callable
from math import inf
from operator import ge, gt
from typing import Any

from gametree.core.facts import Algorithm
from gametree.core.game import MAX, Game
from gametree.core.record import TreeRecord
from gametree.core.result import SearchResult
from gametree.search.support.run import CHECK_EVERY, Clock, Line, Run
from gametree.search.support.window import above, below

__all__ = ["ALGORITHM", "search"]

ALGORITHM = Algorithm(
    name="scout",
    title="Scout (test before evaluating)",
    source="Pearl (1980), procedures EVAL and TEST",
)


def search(
    game: Game[Any, Any],
    state: Any = None,
    *,
    depth: int | None = None,
    clock: Clock | None = None,
    record: TreeRecord | None = None,
) -> SearchResult:
    """Return the minimax value and the first of the best moves, to `depth` plies or to the end of the game.

    `details`: `tests`, how often EVAL asked TEST, and `researches`, how often it had to evaluate after the test.
    Raises UnfitGame, BadInput, GameError, and OutOfTime if the clock stops it.
    """
    run = Run(ALGORITHM, game, state, depth=depth, clock=clock, record=record)
    game = run.game
    utility, static = run.leaf_values()
    actions, result, player = game.actions, game.result, game.player
    nodes = leaves = tests = researches = 0
    lowest = run.depth

    def leaf_value(state: Any, depth: int) -> float | None:
        """Count the node, and return its value if it is terminal or the cut-off test stops there."""
        nonlocal nodes, leaves, lowest
        nodes += 1
        if clock is not None and not nodes & CHECK_EVERY:
            clock.check(nodes)
        lowest = min(lowest, depth)
        if game.is_terminal(state):
            leaves += 1
            return utility(state)
        if depth == 0:
            leaves += 1
            return static(state)
        return None

    def test(state: Any, v: float, exceeds: Callable[[float, float], bool], depth: int) -> float:
        """Return a bound w on the state's value that decides: the state exceeds v if and only if w does.

        The value is at least w where w exceeds v and at most w where it does not.
        """
        value = leaf_value(state, depth)
        if value is not None:
            return value
        maximising = player(state) == MAX
        bound = -inf if maximising else inf
        window = (v, above(v)) if exceeds is gt else (below(v), v)
        for action in actions(state):
            child = result(state, action)
            if record is not None:
                record.enter(child, action, *window)
            value = test(child, v, exceeds, depth - 1)
            if record is not None:
                record.leave(value)
            bound = max(bound, value) if maximising else min(bound, value)
            if exceeds(value, v) == maximising:
                break
        return bound

    def evaluate(state: Any, depth: int) -> tuple[float, Line]:
        """EVAL: return the minimax value and best play."""
        nonlocal tests, researches
        value = leaf_value(state, depth)
        if value is not None:
            return value, None
        maximising = player(state) == MAX
        exceeds = gt if maximising else ge
        line: Line = None
        best = -inf if maximising else inf
        for action in actions(state):
            child = result(state, action)

            # 1. Every successor but the first is tested first: is it better than what the mover has?
            if line is not None:
                tests += 1
                if record is not None:
                    record.enter(child, action, *((best, above(best)) if maximising else (below(best), best)))
                bound = test(child, best, exceeds, depth - 1)
                if record is not None:
                    record.leave(bound)
                if exceeds(bound, best) != maximising:
                    continue
                researches += 1

            # 2. The first one, and one that passed the test, is evaluated.
            if record is not None:
                record.enter(child, action)
            best, reply = evaluate(child, depth - 1)
            if record is not None:
                record.leave(best)
            line = (action, reply)
        return best, line

    with run.root():
        value, line = evaluate(run.state, run.depth)
        run.close_root(value)
    return run.finish(
        value, line, nodes=nodes, leaves=leaves, selective=run.depth - lowest, tests=tests, researches=researches
    )
