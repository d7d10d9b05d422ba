"""CFR+: regrets never fall below zero, and later strategies weigh more.

Source: Tammelin, "Solving large imperfect information games using CFR+" (2014); it solved heads-up limit hold'em
(Bowling, Burch, Johanson and Tammelin 2015).

    as CFR, but after each walk of iteration t for seat p:
        regret[a] ← max(regret[a], 0)
        the strategy of iteration t weighs t in the average

An action that was bad for long is taken up again as soon as it is good once, because it owes nothing.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from gametree.core.clock import Clock
from gametree.core.game import Game
from gametree.core.record import TreeRecord
from gametree.core.result import SearchResult
from gametree.search.hidden.cfr import ALGORITHM as CFR
from gametree.search.support.equilibrium import solve

__all__ = ["ALGORITHM", "search"]

ALGORITHM = replace(CFR, name="cfr-plus", title="CFR+", source="Tammelin (2014)")


def search(
    game: Game[Any, Any],
    state: Any = None,
    *,
    clock: Clock | None = None,
    record: TreeRecord | None = None,
    iterations: int | None = None,
    alternating: bool = True,
    seed: int = 0,
) -> SearchResult:
    """Return a move drawn from the average strategy, and the value if all follow it; options and details as in `cfr`.

    Raises UnfitGame if the tree is too large, OutOfTime, BadInput.
    """

    def discount() -> Any:
        from gametree.search.support.regrets import Discount

        return Discount(gamma=1.0, floor=True)

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
