"""Expectiminimax: minimax with chance nodes, whose value is the mean of their outcomes.

Source: Michie (1966); Russell and Norvig, *Artificial Intelligence*, section 5.5.

    EXPECTIMINIMAX(s) =
        UTILITY(s)                                      if TERMINAL-TEST(s)
        max over a of EXPECTIMINIMAX(RESULT(s, a))      if PLAYER(s) = MAX
        min over a of EXPECTIMINIMAX(RESULT(s, a))      if PLAYER(s) = MIN
        Σ over r of P(r) EXPECTIMINIMAX(RESULT(s, r))   if PLAYER(s) = CHANCE

The mean is summed without rounding on the way (`math.fsum`), so it does not depend on the order of the outcomes. A
chance node costs a ply of `depth`, and the principal variation ends there.
"""

from __future__ import annotations

from math import fsum, inf
from typing import Any

from gametree.core.facts import Algorithm
from gametree.core.game import CHANCE, MAX, Game
from gametree.core.record import TreeRecord
from gametree.core.result import SearchResult
from gametree.search.support.leaves import no_moves
from gametree.search.support.run import CHECK_EVERY, Clock, Line, Run

__all__ = ["ALGORITHM", "search"]

ALGORITHM = Algorithm(
    name="expectiminimax",
    title="Expectiminimax",
    source="Michie (1966); Russell and Norvig, section 5.5",
    chance=True,
    preference=lambda game: 60 if game.facts.is_short and game.facts.chance else 10,
)


def search(
    game: Game[Any, Any],
    state: Any = None,
    *,
    depth: int | None = None,
    clock: Clock | None = None,
    record: TreeRecord | None = None,
) -> SearchResult:
    """Return the expected value under best play and a best move, to `depth` plies or to the end of the game.

    At a chance node the move is None.
    """
    run = Run(ALGORITHM, game, state, depth=depth, clock=clock, record=record)
    game = run.game
    actions, outcomes, result, player = game.actions, game.outcomes, game.result, game.player
    is_terminal = game.is_terminal
    utility, evaluate = run.leaf_values()
    nodes = leaves = 0
    lowest = run.depth

    def child_value(state: Any, action: Any, depth: int) -> tuple[float, Line]:
        child = result(state, action)
        if record is not None:
            record.enter(child, action)
        value, reply = value_of(child, depth)
        if record is not None:
            record.leave(value)
        return value, reply

    def value_of(state: Any, depth: int) -> tuple[float, Line]:
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
            return fsum([p * child_value(state, outcome, depth - 1)[0] for outcome, p in outcomes(state)]), None
        line: Line = None
        best = -inf if mover == MAX else inf
        for action in actions(state):
            value, reply = child_value(state, action, depth - 1)
            if value > best if mover == MAX else value < best:
                best, line = value, (action, reply)
        if line is None:
            raise no_moves(game, state)
        return best, line

    with run.root():
        value, line = value_of(run.state, run.depth)
        run.close_root(value)
    return run.finish(value, line, nodes=nodes, leaves=leaves, selective=run.depth - lowest)
