"""Paranoid search: one player against all others, who are taken to want nothing but that player's loss.

Source: Sturtevant and Korf, "On pruning techniques for multi-player games" (2000).

Reducing a game of many players to two sides makes alpha-beta possible:

    VALUE(s, α, β) =
        UTILITY(s, root player)                                  if TERMINAL-TEST(s)
        the greatest VALUE of a successor                        if the root player's side is to move
        the least VALUE of a successor                           otherwise

With two players and a constant sum the value is the minimax value. In all other games it is what the root player can
be sure of, whatever the others do: a lower bound. Team mates of the root player (the fact `teams`) are on its side.
"""

from __future__ import annotations

from math import inf
from typing import Any

from gametree.core.facts import Algorithm
from gametree.core.game import Game
from gametree.core.record import TreeRecord
from gametree.core.result import Bound, SearchResult
from gametree.search.support.leaves import no_moves
from gametree.search.support.run import CHECK_EVERY, Clock, Line, Run

__all__ = ["ALGORITHM", "search"]

ALGORITHM = Algorithm(
    name="paranoid",
    title="Paranoid search",
    source="Sturtevant and Korf (2000)",
    sides=None,
    general_sum=True,
)


def search(
    game: Game[Any, Any],
    state: Any = None,
    *,
    depth: int | None = None,
    clock: Clock | None = None,
    record: TreeRecord | None = None,
) -> SearchResult:
    """Return what the player to move can force and a move that does, to `depth` plies or to the end of the game.

    With more than two players the record holds the root player's values, not seat 0's: no other value is known.
    """
    run = Run(ALGORITHM, game, state, depth=depth, clock=clock, record=record)
    game = run.game
    facts, seat = game.facts, run.seat
    actions, result, player = game.actions, game.result, game.player
    is_terminal = game.is_terminal
    utility, evaluate = run.leaf_values(seat)
    side = next((team for team in facts.teams or () if seat in team), (seat,))
    # In a two-player game the record shows seat 0's view, as it does for every search.
    turned = seat == 1 and facts.players == 2
    total = facts.utility_sum or 0
    nodes = leaves = 0
    lowest = run.depth

    def enter(child: Any, action: Any, alpha: float, beta: float) -> None:
        if record is not None:
            record.enter(child, action, *((total - beta, total - alpha) if turned else (alpha, beta)))

    def leave(value: float) -> None:
        if record is not None:
            record.leave(total - value if turned else value)

    def value_of(state: Any, alpha: float, beta: float, depth: int) -> tuple[float, Line]:
        """Return v for the root player: the value inside the window; it is ≤ v if v ≤ alpha, ≥ v if v ≥ beta."""
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
        friend = player(state) in side
        line: Line = None
        best = -inf if friend else inf
        for action in actions(state):
            child = result(state, action)
            enter(child, action, alpha, beta)
            value, reply = value_of(child, alpha, beta, depth - 1)
            leave(value)
            if value > best if friend else value < best:
                best, line = value, (action, reply)
                if friend:
                    alpha = max(alpha, best)
                else:
                    beta = min(beta, best)
                if alpha >= beta:
                    break
        if line is None:
            raise no_moves(game, state)
        return best, line

    with run.root():
        value, line = value_of(run.state, -inf, inf, run.depth)
        run.close_root(total - value if turned else value)
    # The others may be less bent on the player's loss than it fears.
    two_sided = facts.players == 2 and facts.utility_sum is not None
    bound: Bound = "exact" if two_sided or run.terminal else "estimate" if run.horizon else "lower"
    return run.finish(
        value if seat == 0 else total - value,
        line,
        nodes=nodes,
        leaves=leaves,
        selective=run.depth - lowest,
        bound=bound,
    )
