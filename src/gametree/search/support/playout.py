"""Random play to the end of a game: the default policy of the Monte Carlo searches."""

from __future__ import annotations

import random
from typing import Any

from gametree.core.errors import GameError
from gametree.core.game import CHANCE, SIMULTANEOUS, Game
from gametree.search.support.leaves import leaf_values, no_moves
from gametree.search.support.random_bits import SplitMix64
from gametree.search.support.run import CHECK_EVERY, Clock

__all__ = ["LONGEST_PLAYOUT", "Playouts", "Stopped"]

LONGEST_PLAYOUT = 100_000
"""Random play that is not over after so many plies is taken for play that never ends."""


class Stopped(Exception):
    """The clock ended a playout: a signal that never leaves the search."""


class Playouts:
    """Plays games to the end at random and counts the states that it enters.

    Draws, in this order, one per ply: at CHANCE one `outcome`, or one that seeds `roll` where there is no list;
    where a seat moves one `below(number of actions)`, even if there is only one action; at SIMULTANEOUS one `below` for
    each seat that may choose, in the order of the seats.
    """

    def __init__(self, game: Game[Any, Any], rng: SplitMix64, clock: Clock | None, depth: int) -> None:
        self.game = game
        self.rng = rng
        self.clock = clock
        self.depth = depth
        self.nodes = 0
        self._seats = range(game.facts.players)
        self._verbs = [leaf_values(game, seat) for seat in self._seats]
        self._joint = game.offers("seat_actions")
        self._unlisted = game.facts.unlisted

    def values(self, state: Any) -> tuple[float, ...]:
        """What a terminal state is worth to every seat."""
        return tuple([utility(state) for utility, _ in self._verbs])

    def play(self, state: Any) -> tuple[float, ...]:
        """Play on from `state`; return the utility, or after `depth` plies the evaluation, for every seat.

        Raises Stopped when the clock expires and GameError if the game does not end.
        """
        game = self.game
        left = self.depth
        plies = 0
        while not game.is_terminal(state):
            if left == 0:
                return tuple([evaluate(state) for _, evaluate in self._verbs])
            state = self.step(state)
            left -= 1
            plies += 1
            if plies == LONGEST_PLAYOUT:
                raise GameError(
                    f"Random play in {game.name} was not over after {LONGEST_PLAYOUT} plies; limit it with a depth."
                )
        return self.values(state)

    def step(self, state: Any, fixed: tuple[int, Any] | None = None) -> Any:
        """The state after one random move; `fixed` is (seat, choice) where one seat has already chosen."""
        game, rng = self.game, self.rng
        self.nodes += 1
        if self.clock is not None and not self.nodes & CHECK_EVERY and self.clock.expired(self.nodes):
            raise Stopped
        mover = game.player(state)
        if mover == CHANCE:
            if self._unlisted:
                return game.result(state, game.roll(state, random.Random(rng.next())))
            outcomes = game.outcomes(state)
            return game.result(state, outcomes[rng.outcome(outcomes)][0])
        if mover == SIMULTANEOUS:
            return game.result(state, self._joint_action(state, fixed))
        if fixed is not None:
            return game.result(state, fixed[1])
        actions = game.actions(state)
        if not actions:
            raise no_moves(game, state)
        return game.result(state, actions[rng.below(len(actions))])

    def _joint_action(self, state: Any, fixed: tuple[int, Any] | None) -> Any:
        game, rng = self.game, self.rng
        if not self._joint:  # a game may list its joint actions only
            joint = game.actions(state)
            if fixed is not None:
                joint = [action for action in joint if action[fixed[0]] == fixed[1]]
            return joint[rng.below(len(joint))]
        action: list[Any] = []
        for seat in self._seats:
            if fixed is not None and seat == fixed[0]:
                action.append(fixed[1])
                continue
            choices = game.seat_actions(state, seat)
            action.append(choices[rng.below(len(choices))] if choices else None)
        return tuple(action)
