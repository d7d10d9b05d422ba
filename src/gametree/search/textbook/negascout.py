"""NegaScout, also called principal variation search: negamax that tests later moves with a null window.

Source: Reinefeld, "An Improvement to the Scout Tree Search Algorithm", *ICCA Journal* 6 (1983); principal variation
search by Marsland and Campbell (1982) is the same idea.

    function negascout(node, depth, α, β, colour)
        if depth = 0 or node is terminal then return colour × the value of node for MAX
        b ← β
        for each child of node do
            v ← −negascout(child, depth − 1, −b, −α, −colour)
            if α < v < β and child is not the first child then
                v ← −negascout(child, depth − 1, −β, −α, −colour)
            α ← max(α, v)
            if α ≥ β then break
            b ← α + 1                                           here: the next float above α
        return α

On a tree in a fixed order it looks at no leaf that alpha-beta does not look at, since every window that it opens lies
inside alpha-beta's window at that node; but it may look at a leaf more than once.
"""

from __future__ import annotations

from math import inf
from typing import Any

from gametree.core.facts import Algorithm
from gametree.core.game import MAX, Game
from gametree.core.record import TreeRecord
from gametree.core.result import SearchResult
from gametree.search.support.run import CHECK_EVERY, Clock, Line, Run
from gametree.search.support.window import above, check_window

__all__ = ["ALGORITHM", "search"]

ALGORITHM = Algorithm(
    name="negascout",
    title="NegaScout (principal variation search)",
    source="Reinefeld (1983); Marsland and Campbell (1982)",
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
    at or above its upper end. `details["researches"]` is how often a null window was not enough.
    Raises UnfitGame, BadInput, GameError, and OutOfTime if the clock stops it.
    """
    run = Run(ALGORITHM, game, state, depth=depth, clock=clock, record=record)
    game = run.game
    actions, result, player = game.actions, game.result, game.player
    is_terminal = game.is_terminal
    utility, evaluate = run.leaf_values()
    nodes = leaves = researches = 0
    lowest = run.depth

    def negascout(state: Any, depth: int, alpha: float, beta: float, colour: int) -> tuple[float, Line]:
        """Return v, the value for `colour`, and best play; the true value is ≤ v if v ≤ alpha, ≥ v if v ≥ beta."""
        nonlocal nodes, leaves, lowest, researches
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

        line: Line = None
        best = -inf
        for action in actions(state):
            child = result(state, action)

            # 3. The first child gets the whole window, the others a null window: can they be better at all?
            first = line is None
            b = beta if first else above(alpha)
            if record is not None:
                record.enter(child, action, *((alpha, b) if colour > 0 else (-b, -alpha)))
            value, reply = negascout(child, depth - 1, -b, -alpha, -colour)
            value = -value
            if record is not None:
                record.leave(0 + colour * value)  # 0 + x is x, except that it makes −0.0 a plain 0.0

            # 4. It is better, but how much? A leaf has told already; any other child is searched again.
            if alpha < value < beta and not first and depth != 1 and not is_terminal(child):
                researches += 1
                if record is not None:
                    record.enter(child, action, *((alpha, beta) if colour > 0 else (-beta, -alpha)))
                value, reply = negascout(child, depth - 1, -beta, -alpha, -colour)
                value = -value
                if record is not None:
                    record.leave(0 + colour * value)
            if value > best:
                best, line = value, (action, reply)
                if best >= beta:
                    break
                if best > alpha:
                    alpha = best
        return -best if turned else best, line

    with run.root(*check_window(window)):
        value, line = negascout(run.state, run.depth, *window, 1)
        value += 0  # −0.0 becomes a plain 0.0
        run.close_root(value)
    return run.finish(
        value,
        line,
        nodes=nodes,
        leaves=leaves,
        selective=run.depth - lowest,
        window=window,
        researches=researches,
    )
