"""Aspiration search: alpha-beta with a narrow window around a guess, searched again where the guess was wrong.

Source: Baudet, *The Design and Analysis of Algorithms for Asynchronous Multiprocessors* (1978); fail-soft bounds for
the second search after Fishburn (1983).

    function aspiration(node, depth, α₀, β₀)
        x ← alphabeta(node, depth, α₀, β₀)
        if x ≤ α₀ then fail low: x ← alphabeta(node, depth, −∞, x]
        if x ≥ β₀ then fail high: x ← alphabeta(node, depth, [x, +∞)
        return x

The second window is closed at x, since the true value may be x itself. Alpha-beta takes open windows, so its end is
put just beyond x.
"""

from __future__ import annotations

import math
from math import inf
from typing import Any

from gametree.core.errors import BadInput
from gametree.core.facts import Algorithm
from gametree.core.game import Game
from gametree.core.record import TreeRecord
from gametree.core.result import SearchResult
from gametree.search.support.run import Clock, Run
from gametree.search.support.window import above, below, first_guess
from gametree.search.textbook.alphabeta import prepare

__all__ = ["ALGORITHM", "search"]

ALGORITHM = Algorithm(
    name="aspiration",
    title="Aspiration search (a window around a guess)",
    source="Baudet (1978); fail-soft after Fishburn (1983)",
)


def search(
    game: Game[Any, Any],
    state: Any = None,
    *,
    depth: int | None = None,
    clock: Clock | None = None,
    record: TreeRecord | None = None,
    guess: float | None = None,
    margin: float | None = None,
) -> SearchResult:
    """Return the minimax value and the first of the best moves, to `depth` plies or to the end of the game.

    guess: what the root may be worth to MAX; by default EVAL of the root, or the middle of the utilities.
    margin: half the width of the first window; by default an eighth of the range of the utilities.
    `details`: `researches` (0 or 1), `guess`, `margin` and `failed` ("low", "high" or "").
    Raises UnfitGame, BadInput, GameError, and OutOfTime if the clock stops it.
    """
    run = Run(ALGORITHM, game, state, depth=depth, clock=clock, record=record)
    centre = first_guess(run, guess)
    if not math.isfinite(centre):
        raise BadInput(f"A guess of {guess} is not possible; expected a finite number.")
    facts = run.game.facts
    width = (facts.max_utility - facts.min_utility) / 8 if margin is None else margin
    if not isinstance(width, int | float) or not width > 0:
        raise BadInput(f"A margin of {margin} is not possible; expected a number above 0.")
    alphabeta, counts = prepare(run)

    # 1. The first window; a margin that vanishes beside a large guess still leaves the guess inside.
    alpha, beta = min(centre - width, below(centre)), max(centre + width, above(centre))
    with run.root(alpha, beta):
        value, line = alphabeta(run.state, alpha, beta, run.depth)
        run.close_root(value)

    # 2. Fail low: the value is at most x. Fail high: it is at least x. Either way x itself lies inside the new window,
    #    so that the second answer is exact.
    failed = "low" if value <= alpha else "high" if value >= beta else ""
    if failed:
        alpha, beta = (-inf, above(value)) if failed == "low" else (below(value), inf)
        with run.root(alpha, beta):
            value, line = alphabeta(run.state, alpha, beta, run.depth)
            run.close_root(value)
    return run.finish(value, line, **counts(), researches=int(bool(failed)), guess=centre, margin=width, failed=failed)
