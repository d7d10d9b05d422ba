"""Discounted CFR: what was regretted long ago counts less, so that early blunders are soon forgotten.

Source: Brown and Sandholm, "Solving imperfect-information games via discounted regret minimization" (2019).

    as CFR, but after each walk of iteration t for seat p:
        positive regrets ← regret · t^α / (t^α + 1)
        negative regrets ← regret · t^β / (t^β + 1)
        the strategy of iteration t weighs t^γ in the average

α = 1.5, β = 0 and γ = 2 do well in poker; α = β = γ = 1 is linear CFR.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from gametree.core.clock import Clock
from gametree.core.game import Game
from gametree.core.record import TreeRecord
from gametree.core.result import SearchResult
from gametree.search.hidden.cfr import ALGORITHM as CFR
from gametree.search.support.equilibrium import preference, solve

__all__ = ["ALGORITHM", "search"]

ALGORITHM = replace(CFR, name="dcfr", title="Discounted CFR", source="Brown and Sandholm (2019)", preference=preference)


def search(
    game: Game[Any, Any],
    state: Any = None,
    *,
    clock: Clock | None = None,
    record: TreeRecord | None = None,
    iterations: int | None = None,
    alternating: bool = True,
    seed: int = 0,
    alpha: float = 1.5,
    beta: float = 0.0,
    gamma: float = 2.0,
) -> SearchResult:
    """Return a move drawn from the average strategy, and the value if all follow it; other options as in `cfr`.

    `alpha`, `beta` and `gamma` say how fast the past fades. Raises UnfitGame if the tree is too large, OutOfTime,
    BadInput.
    """

    def discount() -> Any:
        from gametree.search.support.regrets import Discount

        return Discount(alpha, beta, gamma)

    return solve(
        ALGORITHM,
        game,
        state,
        clock=clock,
        record=record,
        iterations=iterations,
        seed=seed,
        discount=discount,
        alternating=alternating,
    )
