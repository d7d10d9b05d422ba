"""Max^n: minimax for any number of players, each of whom wants the most for itself.

Source: Luckhardt and Irani, "An algorithmic solution of N-person games" (1986).

    MAXN(s) =
        (UTILITY(s, 0), ..., UTILITY(s, n−1))                    if TERMINAL-TEST(s)
        the MAXN(RESULT(s, a)) with the greatest entry p         if PLAYER(s) = p
        Σ over r of P(r) MAXN(RESULT(s, r)), entry by entry      if PLAYER(s) = CHANCE

Of equal moves the first is taken. With more than two players, or without a constant sum, how a player breaks ties can
change what the others get: the values are those of one equilibrium among possibly several. With two players and a
constant sum they are the minimax values.
"""

from __future__ import annotations

from math import fsum
from typing import Any

from gametree.core.facts import Algorithm
from gametree.core.game import CHANCE, Game
from gametree.core.record import TreeRecord
from gametree.core.result import SearchResult
from gametree.search.support.leaves import no_moves
from gametree.search.support.run import CHECK_EVERY, Clock, Line, Run

__all__ = ["ALGORITHM", "search"]

ALGORITHM = Algorithm(
    name="maxn",
    title="Max^n",
    source="Luckhardt and Irani (1986)",
    sides=None,
    chance=True,
    general_sum=True,
    preference=lambda game: 40 if game.facts.players != 2 or game.facts.utility_sum is None else 0,
)


def search(
    game: Game[Any, Any],
    state: Any = None,
    *,
    depth: int | None = None,
    clock: Clock | None = None,
    record: TreeRecord | None = None,
) -> SearchResult:
    """Return the values for all seats and the mover's best move, to `depth` plies or to the end of the game.

    At a chance node the move is None.
    """
    run = Run(ALGORITHM, game, state, depth=depth, clock=clock, record=record)
    game = run.game
    actions, result, player = game.actions, game.result, game.player
    is_terminal = game.is_terminal
    seats = range(game.facts.players)
    several = len(seats) > 2
    verbs = [run.leaf_values(seat) for seat in seats]
    nodes = leaves = 0
    lowest = run.depth

    def child_values(state: Any, action: Any, depth: int) -> tuple[tuple[float, ...], Line]:
        child = result(state, action)
        if record is not None:
            record.enter(child, action)
        values, reply = values_of(child, depth)
        if record is not None:
            record.leave(values[0], values=values if several else None)
        return values, reply

    def values_of(state: Any, depth: int) -> tuple[tuple[float, ...], Line]:
        nonlocal nodes, leaves, lowest
        nodes += 1
        if clock is not None and not nodes & CHECK_EVERY:
            clock.check(nodes)
        lowest = min(lowest, depth)
        if is_terminal(state):
            leaves += 1
            return tuple([utility(state) for utility, _ in verbs]), None
        if depth == 0:
            leaves += 1
            return tuple([evaluate(state) for _, evaluate in verbs]), None
        mover = player(state)
        if mover == CHANCE:
            weighted = [(p, child_values(state, outcome, depth - 1)[0]) for outcome, p in game.outcomes(state)]
            return tuple(fsum([p * values[seat] for p, values in weighted]) for seat in seats), None
        best: tuple[float, ...] = ()
        line: Line = None
        for action in actions(state):
            values, reply = child_values(state, action, depth - 1)
            if line is None or values[mover] > best[mover]:
                best, line = values, (action, reply)
        if line is None:
            raise no_moves(game, state)
        return best, line

    with run.root():
        values, line = values_of(run.state, run.depth)
        run.close_root(values[0], values=values if several else None)
    return run.finish(values[0], line, nodes=nodes, leaves=leaves, selective=run.depth - lowest, values=values)
