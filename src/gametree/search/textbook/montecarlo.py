"""Flat Monte Carlo: play every move many times to the end at random and take the one with the best mean.

Source: the expected-outcome model of Abramson, "Expected-outcome: a general model of static evaluation" (1990); for
hidden information the sampling of deals of Ginsberg, "GIB: steps toward an expert-level bridge-playing program"
(1999).

    for i = 1, 2, ... while there is time do
        s ← the state, or where something is hidden, a random state that looks the same to the player
        a ← the next action in turn
        add the utilities of random play from RESULT(s, a) to the sum of a
    return the action with the best mean

Where several seats choose at once, they take turns at being studied while the others choose at random, and the move is
the joint action of everyone's best choice. In a game of hidden information the search looks at nothing but
`is_terminal`, `player` and `resample` of the state that it is given; the rest happens in resampled states.

The search depends on its seed alone. In each simulation the draws are: where something is hidden, one that seeds the
`random.Random` for `resample`; at a simultaneous root one `below` for every other seat that chooses; then the
playout's draws. See `SplitMix64` for what a draw is.
"""

from __future__ import annotations

import random
from typing import Any

from gametree.core.errors import BadInput, UnfitGame
from gametree.core.facts import Algorithm
from gametree.core.game import CHANCE, SIMULTANEOUS, Game
from gametree.core.record import TreeRecord
from gametree.core.result import SearchResult
from gametree.search.support.leaves import no_moves
from gametree.search.support.playout import Playouts, Stopped
from gametree.search.support.random_bits import SplitMix64
from gametree.search.support.run import Clock, Run

__all__ = ["ALGORITHM", "search"]

ALGORITHM = Algorithm(
    name="montecarlo",
    title="Flat Monte Carlo",
    source="Abramson (1990); sampling of hidden cards after Ginsberg (1999)",
    sides=None,
    chance=True,
    unlisted=True,
    hidden=True,
    simultaneous=True,
    general_sum=True,
    exact=False,
    takes_depth=False,
    anytime=True,
    preference=lambda game: 90 if game.facts.hidden or game.facts.simultaneous else 0,
)

SIMULATIONS = 1000
"""How many games are played when neither `simulations` nor a clock says it."""


class _Option:
    """One choice of one seat: how often it was played, and the sum of every seat's utilities."""

    __slots__ = ("action", "total", "visits")

    def __init__(self, action: Any, seats: int) -> None:
        self.action = action
        self.visits = 0
        self.total = [0.0] * seats

    def mean(self, seat: int) -> float:
        """The mean utility of a seat."""
        return self.total[seat] / self.visits


def search(
    game: Game[Any, Any],
    state: Any = None,
    *,
    depth: int | None = None,
    clock: Clock | None = None,
    record: TreeRecord | None = None,
    simulations: int | None = None,
    seed: int = 0,
) -> SearchResult:
    """Return the move with the best mean over random games and that mean, an estimate.

    Plays `simulations` games, by default 1000 or, with a `clock`, as many as it allows. `depth` ends each playout
    after this many plies with EVAL. `details` hold `simulations`, and per move `visits` and `means` for the player.
    Raises BadInput, and UnfitGame if something is hidden but the game does not define resample().
    """
    run = Run(ALGORITHM, game, state, depth=depth, clock=clock, record=record)
    game = run.game
    hidden = game.facts.hidden
    if hidden and not game.offers("resample"):
        raise UnfitGame(
            f"montecarlo cannot search {game.name}: its fact hidden is True, but the game does not define resample()."
        )
    if simulations is not None and simulations < 1:
        raise BadInput(f"simulations={simulations} is too few; expected at least 1.")
    limit = simulations if simulations is not None else None if clock is not None else SIMULATIONS
    rng = SplitMix64(seed)
    playouts = Playouts(game, rng, clock, run.depth)
    seats = game.facts.players
    if run.terminal:
        values = playouts.values(run.state)
        if record is not None:
            record.add(-1, run.state, None, value=values[0], visits=1, bound="exact")
        return run.finish(values[0], [], nodes=1, leaves=1, horizon=False, values=values, simulations=0, visits={})
    mover = game.player(run.state)

    def sample(seat: int) -> Any:
        """A state that looks to `seat` like the one given; before a deal nobody has anything to hide."""
        if not hidden or mover == CHANCE:
            return run.state
        return game.resample(game.view(run.state, seat), seat, random.Random(rng.next()))

    # The choices of every seat that is to choose. Where nobody is, there is the one choice to go on.
    studied: dict[int, list[_Option]] = {}
    view = run.state
    if mover == SIMULTANEOUS:
        for seat in range(seats):
            choices = _choices(game, sample(seat), seat)
            if choices:
                studied[seat] = [_Option(choice, seats) for choice in choices]
    elif mover != CHANCE:
        view = sample(mover)
        studied[mover] = [_Option(action, seats) for action in game.actions(view)]
        if not studied[mover]:
            raise no_moves(game, view)
    decided = bool(studied)
    if not decided:
        studied[run.seat] = [_Option(None, seats)]

    choosers = list(studied)
    done = 0
    stopped = False
    while limit is None or done < limit:
        # The first round is always played, so that every choice has a mean under any clock.
        if done >= sum(map(len, studied.values())) and clock is not None and clock.expired(playouts.nodes):
            stopped = True
            break
        turn, place = done % len(choosers), done // len(choosers)
        seat = choosers[turn]
        option = studied[seat][place % len(studied[seat])]
        fixed = (seat, option.action) if decided else None
        try:
            utilities = playouts.play(playouts.step(sample(seat), fixed))
        except Stopped:
            stopped = True
            break
        option.visits += 1
        for each, value in enumerate(utilities):
            option.total[each] += value
        done += 1

    best = {seat: _best(options, seat) for seat, options in studied.items()}
    means = _values(best, game)
    move: Any = None
    if mover == SIMULTANEOUS:
        move = tuple(best[seat].action if seat in best else None for seat in range(seats))
    elif decided:
        move = best[mover].action
    mine = run.seat if run.seat in studied else choosers[0]
    shown = [option for option in studied[mine] if option.visits and decided]
    # A part of a joint action is no move of its own, so it is written as it stands.
    texts = [str(option.action) if mover < 0 else game.action_text(view, option.action) for option in shown]
    if record is not None:
        row = record.add(-1, run.state, None, value=means[0], visits=done, bound="estimate")
        for option in shown if mover >= 0 and not hidden else ():
            child = game.result(run.state, option.action)
            record.add(row, child, option.action, value=option.mean(0), visits=option.visits, bound="estimate")
    return run.finish(
        means[0],
        [] if move is None else [move],
        nodes=1 + playouts.nodes,
        leaves=done,
        depth=int(all(option.visits for options in studied.values() for option in options)),
        selective=1,
        horizon=True,
        bound="estimate",
        values=means,
        complete=not stopped,
        simulations=done,
        visits={text: option.visits for text, option in zip(texts, shown, strict=True)},
        means={text: option.mean(mine) for text, option in zip(texts, shown, strict=True)},
    )


def _choices(game: Game[Any, Any], state: Any, seat: int) -> list[Any]:
    """What a seat may choose at a simultaneous state."""
    if game.offers("seat_actions"):
        return list(game.seat_actions(state, seat))
    parts = dict.fromkeys(action[seat] for action in game.actions(state))
    return [part for part in parts if part is not None]


def _best(options: list[_Option], seat: int) -> _Option:
    """The option with the best mean for the seat, the first of equals; the first of all if none was played."""
    return max(
        (option for option in options if option.visits), key=lambda option: option.mean(seat), default=options[0]
    )


def _values(best: dict[int, _Option], game: Game[Any, Any]) -> tuple[float, ...]:
    """What every seat may expect: a seat that chooses from its own best option, the others from the first one's."""
    middle = (game.facts.min_utility + game.facts.max_utility) / 2
    other = next(iter(best.values()))
    sources = [best.get(seat, other) for seat in range(game.facts.players)]
    return tuple(option.mean(seat) if option.visits else middle for seat, option in enumerate(sources))
