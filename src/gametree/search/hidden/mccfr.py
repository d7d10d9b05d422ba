"""Monte Carlo CFR by external sampling: regret minimisation that draws chance and the others' moves instead of all.

Source: Lanctot, Waugh, Zinkevich and Bowling, "Monte Carlo sampling for regret minimization in extensive games" (2009).

    for t = 1, 2, ..., for every seat p do WALK(root)

    function WALK(s)
        if s ends the game then return what p gets
        if chance moves at s then return WALK(RESULT(s, an outcome drawn))
        σ ← the positive regrets of the mover's information set, scaled to 1
        if another seat than p decides then
            average[a] += σ[a] for every a
            return WALK(RESULT(s, an action drawn by σ))
        for each action a do value[a] ← WALK(RESULT(s, a))
        v ← Σ σ[a] · value[a]
        regret[a] += value[a] − v for every a
        return v

One walk looks at a small part of the tree, and no more of it is kept than the information sets that were met: so it
takes games whose whole tree would not fit, and chance whose outcomes cannot be listed.
"""

from __future__ import annotations

import random
from dataclasses import replace
from typing import Any

from gametree.core.clock import Clock
from gametree.core.errors import BadInput, UnfitGame
from gametree.core.game import CHANCE, SIMULTANEOUS, Game
from gametree.core.hearing import SILENCE, hear_all
from gametree.core.record import TreeRecord
from gametree.core.result import SearchResult
from gametree.search.hidden.cfr import ALGORITHM as CFR
from gametree.search.support.equilibrium import start_of
from gametree.search.support.random_bits import SplitMix64
from gametree.search.support.run import Run

__all__ = ["ALGORITHM", "search"]

ALGORITHM = replace(
    CFR,
    name="mccfr",
    title="Monte Carlo CFR, external sampling",
    source="Lanctot, Waugh, Zinkevich and Bowling (2009)",
    unlisted=True,
    simultaneous=False,
)

ITERATIONS = 2000
"""Iterations where neither `iterations` nor a clock says it."""


class _Set:
    """What is known of an information set: regrets, sums of strategies, and the strategy that follows from them."""

    __slots__ = ("actions", "regret", "sums", "view")

    def __init__(self, actions: tuple[Any, ...], view: Any) -> None:
        self.actions, self.view = actions, view
        self.regret = [0.0] * len(actions)
        self.sums = [0.0] * len(actions)

    def strategy(self) -> list[float]:
        """The positive regrets, scaled to 1; all alike if there are none."""
        return _scaled([max(0.0, regret) for regret in self.regret])

    def average(self) -> list[float]:
        """What was played on average."""
        return _scaled(self.sums)


def search(
    game: Game[Any, Any],
    state: Any = None,
    *,
    clock: Clock | None = None,
    record: TreeRecord | None = None,
    iterations: int | None = None,
    seed: int = 0,
) -> SearchResult:
    """Return a move drawn from the average strategy, and about what the game is worth to the mover, an estimate.

    Runs `iterations`, by default 2000 or, with a `clock`, as many as it allows; they depend on `seed` alone. `details`
    hold the `strategy` at the position and the number of `iterations` and of `information_sets` that were met. Raises
    UnfitGame for a position that no walk has met, BadInput.
    """
    if record is not None:
        raise BadInput("mccfr keeps no tree record: it draws other parts of the tree again and again.")
    if iterations is not None and iterations < 1:
        raise BadInput(f"iterations={iterations} is too few; expected at least 1.")
    run = Run(ALGORITHM, game, state, clock=clock)
    game = run.game
    seats = game.facts.players
    if run.terminal:
        values = tuple(game.utilities(run.state))
        return run.finish(values[0], [], nodes=1, leaves=1, values=values, iterations=0)
    start = start_of(game, run.state)
    rng = SplitMix64(seed)
    sets: dict[tuple[int, Any], _Set] = {}
    nodes = leaves = 0

    def known(state: Any, seat: int, ear: Any) -> _Set:
        view = game.view(state, seat)
        key = (seat, game.info_key(view, seat) if game.offers("info_key") else ear)
        if key not in sets:
            sets[key] = _Set(tuple(game.actions(state)), view)
        return sets[key]

    def walk(state: Any, ears: tuple[Any, ...], p: int) -> float:
        """WALK(s) for seat p."""
        nonlocal nodes, leaves
        nodes += 1
        if game.is_terminal(state):
            leaves += 1
            return game.utility(state, p)
        mover = game.player(state)
        if mover == SIMULTANEOUS:
            raise UnfitGame(f"mccfr cannot search {game.name}: its fact simultaneous is True; dcfr can.")
        if mover == CHANCE:
            return go(state, game.roll(state, random.Random(rng.next())), ears, p)
        here = known(state, mover, ears[mover])
        strategy = here.strategy()
        if mover != p:
            for place, share in enumerate(strategy):
                here.sums[place] += share
            return go(state, here.actions[rng.outcome([(None, share) for share in strategy])], ears, p)
        values = [go(state, action, ears, p) for action in here.actions]
        mean = sum(share * value for share, value in zip(strategy, values, strict=True))
        for place, value in enumerate(values):
            here.regret[place] += value - mean
        return mean

    def go(state: Any, action: Any, ears: tuple[Any, ...], p: int) -> float:
        after = game.result(state, action)
        return walk(after, hear_all(game, ears, state, action, after), p)

    limit = iterations if iterations is not None else None if clock is not None else ITERATIONS
    done, totals, stopped = 0, [0.0] * seats, False
    with run.root():
        while limit is None or done < limit:
            if clock is not None and done and clock.expired(nodes):
                stopped = limit is not None
                break
            done += 1
            for p in range(seats):
                totals[p] += walk(start, (SILENCE,) * seats, p)
    # The strategy at the position, and about what it is worth there: at the start the mean of what was won.
    worth = [total / done for total in totals]
    if seats == 2 and game.facts.utility_sum is not None:  # both means tell of the same thing
        first = (worth[0] - worth[1] + game.facts.utility_sum) / 2
        worth = [first, game.facts.utility_sum - first]
    odds: dict[str, float] = {}
    move: Any = None
    if not run.chance:
        view = game.view(run.state, run.player)
        met = [found for (seat, _), found in sets.items() if seat == run.player and found.view == view]
        if not met:
            raise UnfitGame(f"No walk of mccfr came to '{game.state_text(view)}'; expected more iterations.")
        here = max(met, key=lambda found: sum(found.sums))
        shares = here.average()
        move = here.actions[rng.outcome([(None, share) for share in shares])]
        odds = {game.action_text(view, action): share for action, share in zip(here.actions, shares, strict=True)}
    return run.finish(
        worth[0],
        [] if move is None else [move],
        nodes=nodes,
        leaves=leaves,
        values=tuple(worth),
        move=move,
        complete=not stopped,
        iterations=done,
        information_sets=len(sets),
        strategy=odds,
    )


def _scaled(weights: list[float]) -> list[float]:
    total = sum(weights)
    return [weight / total for weight in weights] if total > 0 else [1.0 / len(weights)] * len(weights)
