"""Alpha-beta pruning, recursive and fail-hard: the value returned never leaves the window.

Source: Knuth and Moore, "An Analysis of Alpha-Beta Pruning", *Artificial Intelligence* 6 (1975), procedure F2, in the
MAX and MIN form of the first edition of Russell and Norvig.

    function MAX-VALUE(state, α, β)
        if CUTOFF-TEST(state) then return EVAL(state)
        for each s in SUCCESSORS(state) do
            α ← MAX(α, MIN-VALUE(s, α, β))
            if α ≥ β then return β
        return α

The window itself carries the best value found, so a node that fails says only "at most α" or "at least β". The leaves
visited are those of the fail-soft form; only what is known about a failing node is less.
"""

from __future__ import annotations

from math import inf
from typing import Any

from gametree.core.facts import Algorithm
from gametree.core.game import MAX, Game
from gametree.core.record import TreeRecord
from gametree.core.result import SearchResult
from gametree.search.support.run import CHECK_EVERY, Clock, Line, Run
from gametree.search.support.window import check_window

__all__ = ["ALGORITHM", "search"]

ALGORITHM = Algorithm(
    name="alphabeta-failhard",
    title="Alpha-beta (recursive, fail-hard)",
    source="Knuth and Moore (1975), procedure F2; Russell and Norvig, first edition",
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

    With a `window` the value is exact inside it; it is the lower end where the true value is no greater and the upper
    end where it is no less (for MAX). Where all moves fail for the mover, none is better known than the others: the
    principal variation is empty and the move None. A leaf at the root keeps its own value.
    Raises UnfitGame, BadInput, GameError, and OutOfTime if the clock stops it.
    """
    run = Run(ALGORITHM, game, state, depth=depth, clock=clock, record=record)
    game = run.game
    actions, result, player = game.actions, game.result, game.player
    is_terminal = game.is_terminal
    utility, evaluate = run.leaf_values()
    nodes = leaves = 0
    lowest = run.depth

    def value_of(state: Any, alpha: float, beta: float, depth: int) -> tuple[float, Line]:
        """Return the value and best play; at inner nodes the nearer end of the window for a value outside it."""
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

        # 2. MAX-VALUE: alpha is the best for MAX so far, here or above.
        line: Line = None
        if player(state) == MAX:
            for action in actions(state):
                child = result(state, action)
                if record is not None:
                    record.enter(child, action, alpha, beta)
                value, reply = value_of(child, alpha, beta, depth - 1)
                if record is not None:
                    record.leave(value)
                if value > alpha:
                    alpha, line = value, (action, reply)
                    if alpha >= beta:
                        return beta, line
            return alpha, line

        # 3. MIN-VALUE: beta is the best for MIN so far, here or above.
        for action in actions(state):
            child = result(state, action)
            if record is not None:
                record.enter(child, action, alpha, beta)
            value, reply = value_of(child, alpha, beta, depth - 1)
            if record is not None:
                record.leave(value)
            if value < beta:
                beta, line = value, (action, reply)
                if beta <= alpha:
                    return alpha, line
        return beta, line

    with run.root(*check_window(window)):
        value, line = value_of(run.state, *window, run.depth)
        run.close_root(value)
    return run.finish(value, line, nodes=nodes, leaves=leaves, selective=run.depth - lowest, window=window)
