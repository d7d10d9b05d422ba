"""Forward pruning: only the plausible moves are searched at all, as people do.

Source: Shannon, "Programming a computer for playing chess" (1950), his type B; Bernstein and others (1958), whose
program kept the seven best moves of its plausible-move generator.

    for each a in the `keep` most plausible of ACTIONS(state) do
        search a as alpha-beta does
    all other moves are refused

The game says which moves are plausible, best first (`plausible_actions`); a game that does not is asked for the EVAL of
each successor. A move that is refused may have been the best one, so the value is an estimate.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import inf
from typing import Any

from gametree.core.errors import BadInput, UnfitGame
from gametree.core.facts import Algorithm
from gametree.core.game import MAX, Game
from gametree.core.record import TreeRecord
from gametree.core.result import SearchResult
from gametree.search.support.leaves import leaf_values, no_moves
from gametree.search.support.run import CHECK_EVERY, Clock, Line, Run

__all__ = ["ALGORITHM", "search"]

ALGORITHM = Algorithm(
    name="forward",
    title="Alpha-beta with forward pruning (plausible moves only)",
    source="Shannon (1950), type B; Bernstein and others (1958)",
    exact=False,
)


def search(
    game: Game[Any, Any],
    state: Any = None,
    *,
    depth: int | None = None,
    clock: Clock | None = None,
    record: TreeRecord | None = None,
    keep: int = 3,
) -> SearchResult:
    """Return the value and the best of the moves that were looked at, to `depth` plies or to the end of the game.

    `keep` is the number of moves that are searched at each node. `details` hold `refused`: moves that were not.
    Raises UnfitGame, BadInput, GameError, and OutOfTime if the clock stops it.
    """
    run = Run(ALGORITHM, game, state, depth=depth, clock=clock, record=record)
    game = run.game
    if keep < 1:
        raise BadInput(f"keep={keep} is too few; expected at least 1 move.")
    by_game = game.offers("plausible_actions")
    if not by_game and not game.offers("evaluate"):
        raise UnfitGame(
            f"forward cannot search {game.name}: the game defines neither plausible_actions() nor evaluate()."
        )
    actions, result, player = game.actions, game.result, game.player
    is_terminal = game.is_terminal
    utility, evaluate = run.leaf_values()
    _, estimate = leaf_values(game)
    nodes = leaves = refused = 0
    lowest = run.depth

    def plausible(state: Any, moves: Sequence[Any], seat: int) -> list[Any]:
        """The moves to search, best first."""
        if by_game:
            return list(game.plausible_actions(state))[:keep]

        def promise(action: Any) -> float:
            child = result(state, action)
            value = utility(child) if is_terminal(child) else estimate(child)
            return -value if seat == MAX else value

        return sorted(moves, key=promise)[:keep]

    def value_of(state: Any, alpha: float, beta: float, depth: int) -> tuple[float, Line]:
        """Return v and best play, as alpha-beta does over the plausible moves."""
        nonlocal nodes, leaves, lowest, refused
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
        seat = player(state)
        moves = actions(state)
        # A game may find no move plausible; then all are looked at rather than none.
        kept = plausible(state, moves, seat) or moves
        refused += len(moves) - len(kept)
        run.horizon += len(moves) - len(kept)
        if record is not None:
            for action in moves:
                if action not in kept:
                    record.skip(action, "refused")
        best = -inf if seat == MAX else inf
        line: Line = None
        for action in kept:
            child = result(state, action)
            if record is not None:
                record.enter(child, action, alpha, beta)
            value, reply = value_of(child, alpha, beta, depth - 1)
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
        return best, line

    with run.root():
        value, line = value_of(run.state, -inf, inf, run.depth)
        run.close_root(value, bound="estimate")
    return run.finish(
        value,
        line,
        nodes=nodes,
        leaves=leaves,
        selective=run.depth - lowest,
        horizon=run.horizon > 0,
        refused=refused,
    )
