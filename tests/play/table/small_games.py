"""Two tiny games that only a cheat wins more often than chance allows."""

from __future__ import annotations

import random
from typing import Any, NamedTuple

from gametree import Facts, Game
from gametree.core.game import CHANCE

__all__ = ["MontyHall", "Pennies"]

DOORS = (0, 1, 2)


class Stage(NamedTuple):
    """Where the car is, the chosen door, the door that the host has opened, and the last choice; None: not yet."""

    car: int | None = None
    chosen: int | None = None
    opened: int | None = None
    last: str | None = None


class MontyHall(Game[Stage, Any]):
    """Seat 0 chooses a door, the host opens another one with a goat, and seat 0 stays or switches. Best: 2 in 3."""

    facts = Facts(chance=True, hidden=True, min_utility=0.0, max_utility=1.0, utility_sum=1.0, longest_game=4)
    name = "monty-hall"

    def initial(self) -> Stage:
        return Stage()

    def player(self, state: Stage) -> int:
        return CHANCE if state.car is None or (state.chosen is not None and state.opened is None) else 0

    def actions(self, state: Stage) -> list[Any]:
        if self.is_terminal(state):
            return []
        if self.player(state) == CHANCE:
            return [outcome for outcome, _ in self.outcomes(state)]
        return list(DOORS) if state.chosen is None else ["stay", "switch"]

    def outcomes(self, state: Stage) -> list[tuple[Any, float]]:
        doors = list(DOORS) if state.car is None else [d for d in DOORS if d not in (state.car, state.chosen)]
        return [(door, 1 / len(doors)) for door in doors]

    def result(self, state: Stage, action: Any) -> Stage:
        if state.car is None:
            return Stage(action)
        if state.chosen is None:
            return state._replace(chosen=action)
        return state._replace(opened=action) if state.opened is None else state._replace(last=action)

    def is_terminal(self, state: Stage) -> bool:
        return state.last is not None

    def utility(self, state: Stage, player: int) -> float:
        won = float((state.car == state.chosen) == (state.last == "stay"))
        return won if player == 0 else 1 - won

    def view(self, state: Stage, player: int) -> Stage:
        known = player == 1 or state.car is None or self.is_terminal(state)
        return state if known else state._replace(car=9)

    def resample(self, view: Stage, player: int, rng: random.Random) -> Stage:
        if view.car != 9:
            return view
        if view.opened is None:
            return view._replace(car=rng.choice(DOORS))
        other = next(door for door in DOORS if door not in (view.chosen, view.opened))
        # The host had two doors to open if the car is behind the chosen one, so that is half as likely.
        return view._replace(car=rng.choice((view.chosen, other, other)))


class Coins(NamedTuple):
    """What each seat has shown."""

    first: str = ""
    second: str = ""


class Pennies(Game[Coins, str]):
    """Seat 0 hides a coin, heads or tails up, and seat 1 names a side: it wins if it is right. Best: 1 in 2."""

    facts = Facts(hidden=True, longest_game=2)
    name = "pennies"

    def initial(self) -> Coins:
        return Coins()

    def player(self, state: Coins) -> int:
        return int(bool(state.first))

    def actions(self, state: Coins) -> list[str]:
        return [] if state.second else ["heads", "tails"]

    def result(self, state: Coins, action: str) -> Coins:
        return Coins(state.first, action) if state.first else Coins(action)

    def is_terminal(self, state: Coins) -> bool:
        return bool(state.second)

    def utility(self, state: Coins, player: int) -> float:
        return 1.0 if (state.first == state.second) == (player == 1) else -1.0

    def view(self, state: Coins, player: int) -> Coins:
        return state if player == 0 or not state.first or state.second else Coins("?")

    def resample(self, view: Coins, player: int, rng: random.Random) -> Coins:
        return Coins(rng.choice(("heads", "tails"))) if view.first == "?" else view
