"""Redeal, open, search, vote: imagine the hidden cards many times, search each deal face up, take the best mean.

Source: Ginsberg, "GIB: imperfect information in a computationally challenging game" (2001); Levy, "The million pound
bridge program" (1989).

    for i = 1, 2, ..., worlds while there is time do
        s ← a state that looks to the player like the one given, by RESAMPLE from its view
        w ← PLAUSIBILITY(s)
        for each action a do
            add w × (the value of RESULT(s, a) face up, by the inner search) to the sum of a
    return the action with the best weighted mean

A game that has a solver of its own is asked for all actions of a world at once (SOLUTION); one that knows which worlds
are likely draws those (WORLDS); and what it knows without any search is done at once (ADVICE), as a bidding system says
the calls of bridge.

It sees in every world what nobody sees in the game, so it never plays to find something out, nor to hide it, and thinks
that it can choose later by cards that it will not have seen (strategy fusion: Frank and Basin 1998). In games of cards
whose play soon shows them that costs little.
"""

from __future__ import annotations

import random
from typing import Any

from gametree.core.clock import Clock
from gametree.core.errors import BadInput, OutOfTime, UnfitGame
from gametree.core.facts import Algorithm
from gametree.core.game import Game
from gametree.core.record import TreeRecord
from gametree.core.registry import load_algorithm
from gametree.core.result import SearchResult
from gametree.search.support.random_bits import SplitMix64
from gametree.search.support.run import Run

__all__ = ["ALGORITHM", "search"]

ALGORITHM = Algorithm(
    name="redeal",
    title="Redeal, open, search, vote",
    source="Levy (1989); Ginsberg (2001)",
    sides=None,
    chance=True,
    unlisted=True,
    hidden=True,
    general_sum=True,
    exact=False,
    takes_depth=False,
    anytime=True,
    records=False,
    needs=("resample",),
    preference=lambda game: 95 if game.facts.hidden and game.offers("solution") and game.offers("resample") else 0,
)

WORLDS = 30
"""How many deals are searched when neither `worlds` nor a clock says it."""
MOST_WORLDS = 200
"""A game that draws likely worlds itself draws so many, where only a clock limits them."""


def search(
    game: Game[Any, Any],
    state: Any = None,
    *,
    clock: Clock | None = None,
    record: TreeRecord | None = None,
    worlds: int | None = None,
    inner: str = "",
    depth: int | None = None,
    seed: int = 0,
) -> SearchResult:
    """Return the action with the best mean over redealt worlds, each searched face up, and that mean, an estimate.

    Searches `worlds` deals, by default 30 or, with a `clock`, as many as it allows, one at least. `inner` is the
    algorithm that searches a world, to `depth` if that is given; by default an exact one that fits. Nothing is looked
    at but the mover's view, and the search depends on its seed alone. `details` hold the number of `worlds`, for how
    many they count (`effective`: fewer where some explain the others' play better; `implausible` if none does and all
    count alike), and per move the `means`. Raises BadInput, and UnfitGame where nobody is to move.
    """
    if record is not None:
        raise BadInput("redeal keeps no tree record: every world is a tree of its own.")
    run = Run(ALGORITHM, game, state, clock=clock)
    game, seat = run.game, run.player
    if worlds is not None and worlds < 1:
        raise BadInput(f"worlds={worlds} is too few; expected at least 1.")
    if run.terminal or run.chance:
        raise UnfitGame(f"redeal cannot search {game.name} here: it is nobody's turn; expected a player to move.")
    limit = worlds if worlds is not None else None if clock is not None else WORLDS
    view = game.view(run.state, seat)
    actions = list(game.plausible_actions(view))
    rng = SplitMix64(seed)
    advice = game.advice(view, seat)
    if advice is not None:
        value = game.evaluate(view, seat) if game.offers("evaluate") else 0.0
        return run.finish(
            value, [advice[0]], nodes=1, depth=0, bound="estimate", values=_for_all(game, seat, value), why=advice[1]
        )
    drawn = _draw_worlds(game, view, seat, rng, limit)
    votes: list[tuple[float, list[float]]] = []  # of every world: its weight, and the value of each action
    nodes, stopped = 0, False
    while not stopped and (limit is None or len(votes) < limit):
        # 1. A world that the mover could be in.
        if drawn is None:
            world = game.resample(view, seat, random.Random(rng.next()))
            weight = game.plausibility(world, seat)
        elif len(votes) < len(drawn):
            world, weight = drawn[len(votes)]
        else:
            break
        # 2. The same world face up, searched after every action, or solved at once.
        try:
            values, cost = _solved(game, world, actions, clock if votes else None)
        except OutOfTime:
            stopped = True
            break
        nodes += cost
        if votes and clock is not None and clock.expired(nodes):
            stopped = True
        for action in actions if not values else ():
            if votes and clock is not None and clock.expired(nodes):
                stopped = True
                break
            value, cost = _face_up(game, game.result(world, action), seat, inner, depth, _share(clock, len(actions)))
            values.append(value)
            nodes += cost
        # 3. Its vote counts as much as it explains what the others did.
        if len(values) == len(actions):
            votes.append((weight, values))
    weights = [weight for weight, _ in votes]
    implausible = not any(weights)
    if implausible:
        weights = [1.0] * len(votes)
    total = sum(weights)
    means = [
        sum(weight * values[place] for weight, (_, values) in zip(weights, votes, strict=True)) / total
        for place in range(len(actions))
    ]
    best = max(range(len(actions)), key=means.__getitem__)
    texts = [game.action_text(view, action) for action in actions]
    return run.finish(
        means[best],
        [actions[best]],
        nodes=1 + nodes,
        leaves=len(votes) * len(actions),
        depth=1,
        bound="estimate",
        values=_for_all(game, seat, means[best]),
        complete=not stopped,
        worlds=len(votes),
        effective=total * total / sum(weight * weight for weight in weights),
        implausible=implausible,
        means=dict(zip(texts, means, strict=True)),
    )


def _draw_worlds(
    game: Game[Any, Any], view: Any, seat: int, rng: SplitMix64, limit: int | None
) -> list[tuple[Any, float]] | None:
    """Likely worlds, if the game draws them itself, in an order that may be broken off anywhere."""
    if not game.offers("worlds"):
        return None
    lots = random.Random(rng.next())
    drawn = list(game.worlds(view, seat, lots, MOST_WORLDS if limit is None else limit))
    lots.shuffle(drawn)
    return drawn


def _solved(game: Game[Any, Any], world: Any, actions: list[Any], clock: Clock | None) -> tuple[list[float], int]:
    """The exact value of every action of a world, if the game has a solver of its own, and the nodes that it took.

    Raises OutOfTime.
    """
    if not game.offers("solution"):
        return [], 0
    open_game, open_state = game.opened(world)
    solution = open_game.solution(open_state, clock)
    if solution is None:
        return [], 0
    values = {game.closed(world, action): value for action, value in solution.values.items()}
    return [values[action] for action in actions], solution.nodes


def _share(clock: Clock | None, actions: int) -> Clock | None:
    """What one search of a world may take, so that the usual number of worlds fits into the time."""
    if clock is None or clock.left() == float("inf"):
        return None
    return Clock(max(clock.left(), 0.001) / (actions * WORLDS))


def _face_up(
    game: Game[Any, Any], state: Any, seat: int, inner: str, depth: int | None, clock: Clock | None
) -> tuple[float, int]:
    """What a state is worth to a seat if everybody sees everything, and the nodes that it took to find out."""
    open_game, open_state = game.opened(state)
    if open_game.is_terminal(open_state):
        return open_game.utility(open_state, seat), 1
    facts = open_game.facts
    usual = "maxn" if len(facts.sides) != 2 else "expectiminimax" if facts.chance else "alphabeta"
    algorithm, look = load_algorithm(inner or usual)
    options: dict[str, Any] = {} if depth is None else {"depth": depth}
    if clock is not None and algorithm.anytime:
        options["clock"] = clock
    found = look(open_game, open_state, **options)
    if found.values is not None and len(found.values) == facts.players:
        return found.values[seat], found.nodes
    same = facts.side_of(found.player) == facts.side_of(seat)
    return found.value if same else (facts.utility_sum or 0.0) - found.value, found.nodes


def _for_all(game: Game[Any, Any], seat: int, value: float) -> tuple[float, ...] | None:
    """The value for every seat, where there are two sides; otherwise nobody knows the others'."""
    facts = game.facts
    if len(facts.sides) != 2 or facts.utility_sum is None:
        return None
    mine = facts.side_of(seat)
    return tuple(value if facts.side_of(other) == mine else -value for other in range(facts.players))
