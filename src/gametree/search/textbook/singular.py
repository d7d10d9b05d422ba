"""Alpha-beta with singular extensions: a move that is clearly better than all others is searched one ply deeper.

Source: Anantharaman, Campbell and Hsu, "Singular extensions: adding selectivity to brute-force searching" (1990), in
the form for nodes whose value lies inside the window.

    v, a ← alpha-beta over all moves
    if every other move is worth less than v − margin then                    a is singular
        v ← value of a, one ply deeper
        if v < v before − margin then search the others again and take the best of all
    return v

A forced move, the only one there is, is always singular. So a line on which everything hangs on single moves, where
the horizon effect does its harm, is searched deeper than the rest. The value is an estimate.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import inf
from typing import Any

from gametree.core.errors import BadInput
from gametree.core.facts import Algorithm
from gametree.core.game import MAX, Game
from gametree.core.record import TreeRecord
from gametree.core.result import SearchResult
from gametree.search.support.leaves import no_moves
from gametree.search.support.run import CHECK_EVERY, Clock, Line, Run
from gametree.search.support.window import above, below

__all__ = ["ALGORITHM", "search"]

ALGORITHM = Algorithm(
    name="singular",
    title="Alpha-beta with singular extensions",
    source="Anantharaman, Campbell and Hsu (1990)",
    exact=False,
)


def search(
    game: Game[Any, Any],
    state: Any = None,
    *,
    depth: int | None = None,
    clock: Clock | None = None,
    record: TreeRecord | None = None,
    margin: float | None = None,
    extensions: int = 4,
) -> SearchResult:
    """Return the value of `depth` plies, more along singular moves, and a move that gets it.

    `margin` says how much better a singular move must be, by default a quarter of the range of utilities; a line is
    extended at most `extensions` times. `details` hold `extended`: how many moves were.
    Raises UnfitGame, BadInput, GameError, and OutOfTime if the clock stops it.
    """
    run = Run(ALGORITHM, game, state, depth=depth, clock=clock, record=record)
    game = run.game
    gap = (game.facts.max_utility - game.facts.min_utility) / 4 if margin is None else margin
    if not gap > 0:
        raise BadInput(f"margin={margin} is not possible; expected a number above 0.")
    if extensions < 0:
        raise BadInput(f"extensions={extensions} is not possible; expected 0 or more.")
    actions, result, player = game.actions, game.result, game.player
    is_terminal = game.is_terminal
    utility, evaluate = run.leaf_values()
    nodes = leaves = deepest = extended = 0

    def child_value(
        state: Any, action: Any, alpha: float, beta: float, depth: int, ply: int, left: int, reason: str = ""
    ) -> tuple[float, Line]:
        child = result(state, action)
        if record is not None:
            record.enter(child, action, alpha, beta)
        value, reply = value_of(child, alpha, beta, depth, ply, left)
        if record is not None:
            record.leave(value, reason=reason)
        return value, reply

    def best_of(
        state: Any,
        moves: Sequence[Any],
        known: tuple[float, Line],
        alpha: float,
        beta: float,
        depth: int,
        ply: int,
        left: int,
    ) -> tuple[float, Line]:
        """Alpha-beta over some moves; `known` is what the moves before them gave."""
        best, line = known
        maximise = player(state) == MAX
        for action in moves:
            value, reply = child_value(state, action, alpha, beta, depth - 1, ply + 1, left)
            if value > best if maximise else value < best:
                best, line = value, (action, reply)
                if maximise:
                    alpha = max(alpha, best)
                else:
                    beta = min(beta, best)
                if alpha >= beta:
                    break
        return best, line

    def is_singular(state: Any, others: Sequence[Any], bar: float, depth: int, ply: int) -> bool:
        """Whether every other move fails to reach the bar: a null window asks for no more than that."""
        if player(state) == MAX:
            return all(child_value(state, a, below(bar), bar, depth - 1, ply + 1, 0)[0] < bar for a in others)
        return all(child_value(state, a, bar, above(bar), depth - 1, ply + 1, 0)[0] > bar for a in others)

    def value_of(state: Any, alpha: float, beta: float, depth: int, ply: int, left: int) -> tuple[float, Line]:
        """Return v and best play, as alpha-beta does; `left` is how often the line may still be extended."""
        nonlocal nodes, leaves, deepest, extended
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

        # 1. Alpha-beta.
        maximise = player(state) == MAX
        moves = actions(state)
        if not moves:
            raise no_moves(game, state)
        best, line = best_of(state, moves, (-inf if maximise else inf, None), alpha, beta, depth, ply, left)
        # Outside the window the value is only a bound; without a limit there is nothing beyond the horizon.
        if line is None or left == 0 or depth < 0 or not alpha < best < beta:
            return best, line

        # 2. Is the best move singular?
        chosen = line[0]
        others = [action for action in moves if action != chosen]
        bar = best - gap if maximise else best + gap
        if not is_singular(state, others, bar, depth, ply):
            return best, line

        # 3. Then it is searched one ply deeper; if that disappoints, the others get their chance.
        extended += 1
        value, reply = child_value(state, chosen, alpha, beta, depth, ply + 1, left - 1, "extended")
        line = (chosen, reply)
        if value >= bar if maximise else value <= bar:
            return value, line
        if maximise:
            alpha = max(alpha, value)
        else:
            beta = min(beta, value)
        return best_of(state, others, (value, line), alpha, beta, depth, ply, left)

    with run.root():
        value, line = value_of(run.state, -inf, inf, run.depth, 0, extensions)
        run.close_root(value, bound="estimate")
    horizon = run.horizon > 0
    return run.finish(value, line, nodes=nodes, leaves=leaves, selective=deepest, horizon=horizon, extended=extended)
