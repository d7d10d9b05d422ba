"""Matrix search: where both choose at once, the value is that of the matrix of what their choices lead to.

Source: Shapley, "Stochastic games" (1953); von Neumann, "Zur Theorie der Gesellschaftsspiele" (1928).

    function VALUE(s)
        if s ends the game then return UTILITY(s, MAX)
        if chance moves at s then return Σ p · VALUE(RESULT(s, outcome))
        if MAX or MIN moves alone then return the greatest or the least VALUE(RESULT(s, a))
        for each choice r of MAX and each choice c of MIN do
            A[r, c] ← VALUE(RESULT(s, (r, c)))
        return the value of the matrix game A

The choices may have to be mixed: who always bids the same card is beaten by the next one. Minimax for one of the two,
who would have to show his choice first, gives him less.
"""

from __future__ import annotations

from math import fsum
from typing import Any

from gametree.core.clock import Clock
from gametree.core.errors import BadInput
from gametree.core.facts import Algorithm
from gametree.core.game import CHANCE, MAX, SIMULTANEOUS, Game
from gametree.core.record import TreeRecord
from gametree.core.result import SearchResult
from gametree.search.support.information_tree import estimated_nodes
from gametree.search.support.matrix_game import solve_matrix
from gametree.search.support.random_bits import SplitMix64
from gametree.search.support.run import CHECK_EVERY, Run

__all__ = ["ALGORITHM", "search"]


def _preference(game: Game[Any, Any]) -> int:
    facts = game.facts
    if not facts.simultaneous or facts.hidden or facts.unlisted or facts.longest_game is None or facts.players != 2:
        return 0
    return 96 if estimated_nodes(game) <= 200_000 else 0


ALGORITHM = Algorithm(
    name="matrix",
    title="Matrix search",
    source="von Neumann (1928); Shapley (1953)",
    chance=True,
    simultaneous=True,
    records=False,
    preference=_preference,
)


def search(
    game: Game[Any, Any],
    state: Any = None,
    *,
    depth: int | None = None,
    clock: Clock | None = None,
    record: TreeRecord | None = None,
    seed: int = 0,
) -> SearchResult:
    """Return the value of the game if both choose as well as they can, to `depth` plies or to its end, and a move.

    The move is drawn by the best mixed strategies from `seed`, for both where both choose; `details["strategy"]` says
    how likely each choice is, by seat. Equal states are searched once. Raises UnfitGame, BadInput, OutOfTime.
    """
    if record is not None:
        raise BadInput("matrix keeps no tree record: the value of a matrix is that of no single choice.")
    run = Run(ALGORITHM, game, state, depth=depth, clock=clock)
    game = run.game
    utility, evaluate = run.leaf_values()
    known: dict[tuple[Any, int], float] = {}
    nodes = leaves = deepest = 0

    def value_of(state: Any, depth: int) -> float:
        """VALUE(s), remembered for every state and depth left."""
        nonlocal nodes, leaves, deepest
        if (state, depth) in known:
            return known[state, depth]
        nodes += 1
        deepest = max(deepest, run.depth - depth)
        if clock is not None and nodes & CHECK_EVERY == 0:
            clock.check(nodes)
        # 1. The end, or as deep as was asked for.
        if game.is_terminal(state) or depth == 0:
            leaves += 1
            value = utility(state) if depth != 0 or game.is_terminal(state) else evaluate(state)
        else:
            mover = game.player(state)
            # 2. Chance: the mean.
            if mover == CHANCE:
                odds = game.outcomes(state)
                value = fsum([p * value_of(game.result(state, outcome), depth - 1) for outcome, p in odds])
            # 3. Both at once: the value of the matrix.
            elif mover == SIMULTANEOUS:
                # Floats leave a trifle over where fractions would give a whole number.
                value = round(float(solve_matrix(matrix_of(state, depth)).value), 12) + 0.0
            # 4. One alone: the best for it.
            else:
                values = [value_of(game.result(state, action), depth - 1) for action in game.actions(state)]
                value = max(values) if mover == MAX else min(values)
        known[state, depth] = value
        return value

    def matrix_of(state: Any, depth: int) -> list[list[float]]:
        """What MAX gets for every pair of choices; who has none, chooses None."""
        return [
            [value_of(game.result(state, (first, second)), depth - 1) for second in choices(state, 1)]
            for first in choices(state, 0)
        ]

    def choices(state: Any, seat: int) -> tuple[Any, ...]:
        return tuple(game.seat_actions(state, seat)) or (None,)

    with run.root():
        value = value_of(run.state, run.depth)
        move: Any = None
        strategy: dict[str, dict[str, float]] = {}
        if not run.terminal and run.depth != 0:
            mover = game.player(run.state)
            if mover == SIMULTANEOUS:
                solution = solve_matrix(matrix_of(run.state, run.depth))
                rng, drawn = SplitMix64(seed), []
                for seat, shares in enumerate((solution.row, solution.column)):
                    options = choices(run.state, seat)
                    drawn.append(options[rng.outcome([(None, float(share)) for share in shares])])
                    if options[0] is not None:
                        told = {str(option): float(share) for option, share in zip(options, shares, strict=True)}
                        strategy[game.seat_names[seat]] = told
                move = tuple(drawn)
            elif mover != CHANCE:
                best = max if mover == MAX else min
                move = best(
                    game.actions(run.state), key=lambda action: value_of(game.result(run.state, action), run.depth - 1)
                )
    return run.finish(
        value,
        [] if move is None else [move],
        nodes=nodes,
        leaves=leaves,
        selective=deepest,
        strategy=strategy,
    )
