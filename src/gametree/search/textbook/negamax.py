"""Negamax: alpha-beta with one rule for both sides, because what is good for one is as bad for the other.

Source: Knuth and Moore, "An Analysis of Alpha-Beta Pruning", *Artificial Intelligence* 6 (1975).

    function negamax(node, depth, α, β, colour)
        if depth = 0 or node is terminal then return colour × the value of node for MAX
        v ← −∞
        for each child of node do
            v ← max(v, −negamax(child, depth − 1, −β, −α, −colour))
            α ← max(α, v)
            if α ≥ β then break
        return v

Colour is +1 where the value speaks for MAX and −1 where it speaks for MIN. Only MAX's utilities are asked for, so a
game of constant sum needs no other treatment than one of sum zero. Where the same player moves twice, the sign is not
changed between the two moves: the second node turns the window it is given, and its answer, round once more.
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
    name="negamax",
    title="Negamax (alpha-beta with one rule for both sides)",
    source="Knuth and Moore (1975)",
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

    With a `window` (for MAX) the value is exact inside it, an upper bound at or below its lower end and a lower bound
    at or above its upper end. Raises UnfitGame, BadInput, GameError, and OutOfTime if the clock stops it.
    """
    run = Run(ALGORITHM, game, state, depth=depth, clock=clock, record=record)
    game = run.game
    actions, result, player = game.actions, game.result, game.player
    is_terminal = game.is_terminal
    utility, evaluate = run.leaf_values()
    nodes = leaves = 0
    lowest = run.depth

    def negamax(state: Any, depth: int, alpha: float, beta: float, colour: int) -> tuple[float, Line]:
        """Return v, the value for `colour`, and best play; the true value is ≤ v if v ≤ alpha, ≥ v if v ≥ beta."""
        nonlocal nodes, leaves, lowest
        nodes += 1
        if clock is not None and not nodes & CHECK_EVERY:
            clock.check(nodes)

        # 1. TERMINAL-TEST and CUTOFF-TEST.
        if depth < lowest:
            lowest = depth
        if is_terminal(state):
            leaves += 1
            return colour * utility(state), None
        if depth == 0:
            leaves += 1
            return colour * evaluate(state), None

        # 2. The caller expects the opponent of the last mover here. Where the same player moves again, turn round.
        turned = (player(state) == MAX) != (colour > 0)
        if turned:
            alpha, beta, colour = -beta, -alpha, -colour

        # 3. The best of the negated values of the children.
        line: Line = None
        best = -inf
        for action in actions(state):
            child = result(state, action)
            if record is not None:
                record.enter(child, action, *((alpha, beta) if colour > 0 else (-beta, -alpha)))
            value, reply = negamax(child, depth - 1, -beta, -alpha, -colour)
            value = -value
            if record is not None:
                record.leave(0 + colour * value)  # 0 + x is x, except that it makes −0.0 a plain 0.0
            if value > best:
                best, line = value, (action, reply)
                if best >= beta:
                    break
                if best > alpha:
                    alpha = best
        return -best if turned else best, line

    with run.root(*check_window(window)):
        value, line = negamax(run.state, run.depth, *window, 1)
        value += 0  # −0.0 becomes a plain 0.0
        run.close_root(value)
    return run.finish(value, line, nodes=nodes, leaves=leaves, selective=run.depth - lowest, window=window)
