"""Counterfactual regret minimisation: play against yourself, and do more of what you regret not having done.

Source: Zinkevich, Johanson, Bowling and Piccione, "Regret minimization in games with incomplete information" (2007).

    for t = 1, 2, ..., for every seat p do WALK(root, 1, 1)
    return at every information set the average of the strategies that were used

    function WALK(node, mine, theirs)              chances that p, and that nature and the others, come to the node
        if node ends the game then return what p gets
        if p does not decide here then return the mean of WALK(child, ...), weighted by who does
        σ ← the positive regrets of this information set, scaled to 1; all actions alike if there are none
        for each action a do value[a] ← WALK(child, mine · σ[a], theirs)
        v ← Σ σ[a] · value[a]
        for each action a do
            regret[a] += theirs · (value[a] − v)
            average[a] += mine · σ[a]
        return v

The average strategies of two players whose winnings cancel come near an equilibrium: what anyone could still gain falls
like 1/√t at least. `search/support/regrets.py` does the same in two loops over the tree as arrays.
"""

from __future__ import annotations

from typing import Any

from gametree.core.clock import Clock
from gametree.core.facts import Algorithm
from gametree.core.game import Game
from gametree.core.record import TreeRecord
from gametree.core.result import SearchResult
from gametree.search.support.equilibrium import solve

__all__ = ["ALGORITHM", "search"]

ALGORITHM = Algorithm(
    name="cfr",
    title="Counterfactual regret minimisation",
    source="Zinkevich, Johanson, Bowling and Piccione (2007)",
    sides=None,
    chance=True,
    hidden=True,
    simultaneous=True,
    general_sum=True,
    exact=False,
    takes_depth=False,
    anytime=True,
    records=False,
)


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
    """Return a move drawn from the average strategy, and the value if all follow it, an estimate.

    Runs `iterations`, by default 1000 or, with a `clock`, as many as it allows. With `alternating` a seat answers what
    the others have just become; without, all learn from the same play. `details` hold the `strategy` at the position,
    the `exploitability` of the whole (what a seat could gain by its best response, on average), the number of
    `iterations` and of `information_sets`. Raises UnfitGame if the tree is too large, OutOfTime, BadInput.
    """

    def discount() -> Any:
        from gametree.search.support.regrets import Discount

        return Discount()

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
