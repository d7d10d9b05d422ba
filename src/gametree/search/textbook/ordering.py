"""Alpha-beta with move ordering: the moves that were best before are tried first.

Source: Russell and Norvig, *Artificial Intelligence*, section 5.3.1; killer moves after Akl and Newborn (1977), history
heuristic after Schaeffer (1983).

    at every node try the moves in this order
        1. the move of the last principal variation, if the node lies on it       (previous)
        2. the two moves that last caused a cut-off at this ply                   (killers)
        3. all others by how often they were best anywhere, deep trees first      (history)
    when a move turns out best or causes a cut-off, note it

The value is that of alpha-beta; only the order in which it is found changes, and with it the number of nodes. Of
several best moves the one met first is returned.
"""

from __future__ import annotations

from math import inf
from typing import Any

from gametree.core.facts import Algorithm
from gametree.core.game import MAX, Game
from gametree.core.record import TreeRecord
from gametree.core.result import SearchResult
from gametree.search.support.child_order import Ordering
from gametree.search.support.leaves import no_moves
from gametree.search.support.memory import recall
from gametree.search.support.run import CHECK_EVERY, Clock, Line, Run

__all__ = ["ALGORITHM", "search"]

ALGORITHM = Algorithm(
    name="ordering",
    title="Alpha-beta with move ordering",
    source="Russell and Norvig, section 5.3.1; Akl and Newborn (1977); Schaeffer (1983)",
)


def search(
    game: Game[Any, Any],
    state: Any = None,
    *,
    depth: int | None = None,
    clock: Clock | None = None,
    record: TreeRecord | None = None,
    previous: bool = True,
    killers: bool = True,
    history: bool = True,
    memory: dict[str, Any] | None = None,
) -> SearchResult:
    """Return the minimax value and a best move, to `depth` plies or to the end of the game.

    Give the same dictionary as `memory` to the next search of the same state, as iterative deepening does, and it
    begins with what this one has learnt. Raises UnfitGame, BadInput, GameError, and OutOfTime if the clock stops it.
    """
    run = Run(ALGORITHM, game, state, depth=depth, clock=clock, record=record)
    game = run.game
    actions, result, player = game.actions, game.result, game.player
    is_terminal = game.is_terminal
    utility, evaluate = run.leaf_values()
    learnt = recall(memory, "ordering", Ordering)
    learns = killers or history
    nodes = leaves = deepest = 0

    def value_of(state: Any, alpha: float, beta: float, depth: int, ply: int, before: Line) -> tuple[float, Line]:
        """Return v and best play, as alpha-beta does; `before` is what the last principal variation plays from here."""
        nonlocal nodes, leaves, deepest
        nodes += 1
        if clock is not None and not nodes & CHECK_EVERY:
            clock.check(nodes)
        deepest = max(deepest, ply)
        if is_terminal(state):
            leaves += 1
            return utility(state), None
        if depth == 0:
            leaves += 1
            return evaluate(state), None
        seat = player(state)
        best = -inf if seat == MAX else inf
        line: Line = None
        for action in learnt.sort(actions(state), before, ply, seat, killers=killers, history=history):
            child = result(state, action)
            if record is not None:
                record.enter(child, action, alpha, beta)
            follow = before[1] if before is not None and before[0] == action else None
            value, reply = value_of(child, alpha, beta, depth - 1, ply + 1, follow)
            if record is not None:
                record.leave(value)
            if value > best if seat == MAX else value < best:
                best, line = value, (action, reply)
                if seat == MAX:
                    alpha = max(alpha, best)
                else:
                    beta = min(beta, best)
                if alpha >= beta:
                    break
        if line is None:
            raise no_moves(game, state)
        if learns:
            learnt.learn(line[0], ply, seat, depth, cut=alpha >= beta)
        return best, line

    with run.root():
        value, line = value_of(run.state, -inf, inf, run.depth, 0, learnt.line if previous else None)
        run.close_root(value)
    learnt.line = line
    return run.finish(value, line, nodes=nodes, leaves=leaves, selective=deepest)
