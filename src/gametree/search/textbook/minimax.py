"""Minimax, recursive: the value of a game when both sides play their best.

Source: Russell and Norvig, *Artificial Intelligence*, figure 5.3 (MINIMAX-DECISION, MAX-VALUE, MIN-VALUE). The
cut-off test and EVAL in place of TERMINAL-TEST and UTILITY are Shannon's (1950).

    function MINIMAX-DECISION(state)
        return the action in ACTIONS(state) whose RESULT has the highest MINIMAX-VALUE
    function MINIMAX-VALUE(state, depth)
        if CUTOFF-TEST(state, depth) then return EVAL(state)
        if MAX is to move in state then return the highest MINIMAX-VALUE of SUCCESSORS(state)
        else return the lowest MINIMAX-VALUE of SUCCESSORS(state)
"""

from __future__ import annotations

from math import inf
from typing import Any

from gametree.core.facts import Algorithm
from gametree.core.game import MAX, Game
from gametree.core.record import TreeRecord
from gametree.core.result import SearchResult
from gametree.search.support.run import CHECK_EVERY, Clock, Line, Run

__all__ = ["ALGORITHM", "search"]

ALGORITHM = Algorithm(
    name="minimax",
    title="Minimax (recursive)",
    source="Russell and Norvig, figure 5.3; depth limit after Shannon (1950)",
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

    Visits every node. Raises UnfitGame, BadInput, GameError, and OutOfTime if the clock stops it.
    """
    run = Run(ALGORITHM, game, state, depth=depth, clock=clock, record=record)
    game = run.game
    actions, result, player = game.actions, game.result, game.player
    is_terminal = game.is_terminal
    utility, evaluate = run.leaf_values()
    nodes = leaves = 0
    lowest = run.depth

    def value_of(state: Any, depth: int) -> tuple[float, Line]:
        """Return the minimax value for MAX, and best play."""
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

        # 2. The highest value of the successors where MAX is to move, the lowest where MIN is; the first one of equals.
        line: Line = None
        maximising = player(state) == MAX
        best = -inf if maximising else inf
        for action in actions(state):
            child = result(state, action)
            if record is not None:
                record.enter(child, action)
            value, reply = value_of(child, depth - 1)
            if record is not None:
                record.leave(value)
            if value > best if maximising else value < best:
                best, line = value, (action, reply)
        return best, line

    with run.root():
        value, line = value_of(run.state, run.depth)
        run.close_root(value)
    return run.finish(value, line, nodes=nodes, leaves=leaves, selective=run.depth - lowest)
