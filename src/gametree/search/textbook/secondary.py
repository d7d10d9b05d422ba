"""Secondary search: the chosen move is looked at again, further along its line, before it is played.

Source: Greenblatt, Eastlake and Crocker, "The Greenblatt chess program" (1967); Rich and Knight, *Artificial
Intelligence*, section 12.4.2.

    value of every move ← depth-limited alpha-beta
    repeat
        a ← the move with the best value
        if a was confirmed already then return a
        value of a ← alpha-beta `extra` plies on from the end of its line

A line that ends with the game needs no confirmation. A move that the second look refutes falls behind, and the next
best one is put to the same test. The value is an estimate.
"""

from __future__ import annotations

from math import inf
from typing import Any

from gametree.core.errors import BadInput
from gametree.core.facts import Algorithm
from gametree.core.game import MAX, Game
from gametree.core.record import TreeRecord
from gametree.core.result import SearchResult
from gametree.search.support.leaves import no_moves
from gametree.search.support.run import CHECK_EVERY, Clock, Line, Run, unroll

__all__ = ["ALGORITHM", "search"]

ALGORITHM = Algorithm(
    name="secondary",
    title="Alpha-beta with a secondary search of the chosen move",
    source="Greenblatt, Eastlake and Crocker (1967); Rich and Knight, section 12.4.2",
    exact=False,
)


def search(
    game: Game[Any, Any],
    state: Any = None,
    *,
    depth: int | None = None,
    clock: Clock | None = None,
    record: TreeRecord | None = None,
    extra: int = 2,
) -> SearchResult:
    """Return the best move that stood up to a second look, `extra` plies on, and its value.

    `details` hold `confirmed` (moves that were looked at again) and `refuted` (moves that fell behind by that).
    Raises UnfitGame, BadInput, GameError, and OutOfTime if the clock stops it.
    """
    run = Run(ALGORITHM, game, state, depth=depth, clock=clock, record=record)
    if extra < 1:
        raise BadInput(f"extra={extra} is too few; expected at least 1 ply.")
    game = run.game
    actions, result, player = game.actions, game.result, game.player
    is_terminal = game.is_terminal
    utility, evaluate = run.leaf_values()
    nodes = leaves = deepest = 0

    def value_of(state: Any, alpha: float, beta: float, depth: int, ply: int) -> tuple[float, Line]:
        """Plain alpha-beta."""
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
        maximise = player(state) == MAX
        best = -inf if maximise else inf
        line: Line = None
        for action in actions(state):
            child = result(state, action)
            if record is not None:
                record.enter(child, action, alpha, beta)
            value, reply = value_of(child, alpha, beta, depth - 1, ply + 1)
            if record is not None:
                record.leave(value)
            if value > best if maximise else value < best:
                best, line = value, (action, reply)
                if maximise:
                    alpha = max(alpha, best)
                else:
                    beta = min(beta, best)
                if alpha >= beta:
                    break
        if line is None:
            raise no_moves(game, state)
        return best, line

    def look_again(line: tuple[Any, ...]) -> tuple[float, tuple[Any, ...]]:
        """Follow a line to its end and search on from there; return the value and the line prolonged."""
        nonlocal nodes
        nodes += len(line) - 1
        state = run.state
        for action in line:
            state = result(state, action)
            if record is not None:
                record.enter(state, action)
                record.mark("extended")
        value, rest = value_of(state, -inf, inf, extra, len(line))
        if record is not None:
            for _ in line:
                record.leave(value, bound="estimate")
        return value, line + unroll(rest)

    def ended(line: tuple[Any, ...]) -> bool:
        state = run.state
        for action in line:
            state = result(state, action)
        return is_terminal(state)

    # The trivial cases have no move to confirm.
    if run.terminal or run.depth == 0:
        with run.root():
            value, _ = value_of(run.state, -inf, inf, run.depth, 0)
            run.close_root(value)
        horizon = run.horizon > 0
        return run.finish(value, None, nodes=nodes, leaves=leaves, selective=0, horizon=horizon, confirmed=0, refuted=0)

    with run.root():
        # 1. The value of every move, each in the full window: the second best must be known too.
        nodes += 1
        values: dict[Any, float] = {}
        lines: dict[Any, tuple[Any, ...]] = {}
        for action in actions(run.state):
            child = result(run.state, action)
            if record is not None:
                record.enter(child, action)
            values[action], reply = value_of(child, -inf, inf, run.depth - 1, 1)
            if record is not None:
                record.leave(values[action])
            lines[action] = (action, *unroll(reply))
        if not values:
            raise no_moves(game, run.state)

        # 2. The best move is looked at again until one stands.
        choose = max if player(run.state) == MAX else min
        confirmed: set[Any] = set()
        refuted = 0
        best = choose(values, key=values.__getitem__)
        while best not in confirmed and not ended(lines[best]):
            confirmed.add(best)
            values[best], lines[best] = look_again(lines[best])
            again = choose(values, key=values.__getitem__)
            refuted += again != best
            best = again
        run.close_root(values[best], bound="estimate")
    return run.finish(
        values[best],
        list(lines[best]),
        nodes=nodes,
        leaves=leaves,
        selective=deepest,
        horizon=run.horizon > 0,
        confirmed=len(confirmed),
        refuted=refuted,
    )
