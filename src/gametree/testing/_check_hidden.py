"""The conformance kit: hidden information must not leak, whichever way a seat looks at it."""

from __future__ import annotations

import random
from collections.abc import Hashable, Sequence
from typing import Any

from gametree.core.game import CHANCE, SIMULTANEOUS, Game
from gametree.testing._asking import some
from gametree.testing._check_views import Views
from gametree.testing._watch import Watch

__all__ = ["Hidden"]

RESAMPLES = 3
"""So often each seat's view of a state is dealt anew; more often in a tiny game."""
ENOUGH_RESAMPLES = 20
"""After so many it is no accident that none gave another state."""


class Hidden(Views):
    """observation, draw_for and resample."""

    def __init__(self, game: Game[Any, Any], watch: Watch, rng: random.Random) -> None:
        super().__init__(game, watch, rng)
        # Per seat: what it saw → the first state that looked so, its moves there and its drawing.
        self.seen: list[dict[Hashable, tuple[Any, frozenset[Any] | None, object]]] = []
        self.alike: list[bool] = []  # whether a seat was ever seen to confuse two states
        self.sees_state: list[bool] = []  # whether a seat's observation was always the state itself
        self.redealt: list[tuple[int, int]] = []  # resamples asked for a seat, and how many gave another state
        self.reachable: dict[Any, None] | None = None  # all states, where they can be listed

    def own_moves(self, state: Any, seat: int, mover: int | None, actions: Sequence[Any]) -> frozenset[Any] | None:
        """What the seat may choose here, None if it does not move."""
        if mover == seat:
            return frozenset(actions)
        if mover == SIMULTANEOUS:
            return frozenset(self.call("seat_actions", state, seat))
        return None

    def check_observation(
        self, state: Any, seat: int, mover: int | None, actions: Sequence[Any], closely: bool
    ) -> None:
        """What looks alike to the seat offers it the same moves and is drawn alike for it."""
        seen = self.ask("observation", state, seat)
        self.hashed("observation", state, seen, f"what seat {seat} sees")
        if seen is not state:
            self.sees_state[seat] = False
        own = self.own_moves(state, seat, mover, actions)
        drawing = None
        if closely and self.facts.hidden:
            drawing = self.check_drawing("draw_for", state, self.ask("draw_for", state, seat))
        if seen not in self.seen[seat]:
            self.seen[seat][seen] = (state, own, drawing)
        else:
            self.compare(state, own, drawing, seat, seen, "observation")
        if closely and mover is not None and mover != CHANCE and self.game.offers("resample"):
            for _ in range(RESAMPLES if self.reachable is None else max(RESAMPLES, 200 // len(self.reachable))):
                self.check_resample(state, seat, seen)

    def compare(
        self, state: Any, own: frozenset[Any] | None, drawing: object, seat: int, seen: Hashable, verb: str
    ) -> None:
        """`state` against the first state that looked like it to the seat."""
        first, first_own, first_drawing = self.seen[seat][seen]
        if first == state:
            return
        if not self.facts.hidden:
            self.fail(
                verb,
                state,
                f"shows seat {seat} the same as{self.place(first)}, though facts.hidden is False",
                "different observations of different states",
            )
        self.alike[seat] = True
        if own != first_own:
            moves, others = (
                "not to move" if m is None else f"to choose from {some(sorted(map(str, m)))}" for m in (own, first_own)
            )
            self.fail(
                verb,
                state,
                f"shows seat {seat} the same as{self.place(first)}, where it is {others}, but here it is {moves}",
                "the same moves wherever the seat sees the same",
            )
        if drawing is not None and first_drawing is None:
            self.seen[seat][seen] = (first, first_own, self.call("draw_for", first, seat))
            first_drawing = self.seen[seat][seen][2]
        if drawing is not None and drawing != first_drawing:
            self.fail(
                "draw_for",
                state,
                f"lets seat {seat} tell it from{self.place(first)}, which it cannot by observation()",
                "the same drawing wherever the seat sees the same",
            )

    def check_resample(self, state: Any, seat: int, seen: Hashable) -> None:
        """Resampled states look the same to the seat, can come about and depend on nothing but the generator."""
        number = self.rng.randrange(1 << 30)
        other = self.ask("resample", state, seat, random.Random(number))
        self.hashed("resample", state, other, "a state")
        if other != self.ask("resample", state, seat, random.Random(number)):
            self.fail(
                "resample", state, "gave two different states with the same generator", "no randomness except from rng"
            )
        if self.call("observation", other, seat) != seen:
            self.fail(
                "resample",
                state,
                f"gave seat {seat} the state{self.place(other)}, which it can tell from this one by observation()",
                "a state that looks the same to the seat",
            )
        if self.reachable is not None and other not in self.reachable:
            self.fail("resample", state, f"gave the state{self.place(other)}", "one that can be reached")
        asked, changed = self.redealt[seat]
        self.redealt[seat] = asked + 1, changed + (other != state)
        if other == state:
            return
        self.alike[seat] = True
        terminal = self.call("is_terminal", other)
        mover = None if terminal else self.call("player", other)
        own = self.own_moves(other, seat, mover, () if terminal else self.call("actions", other))
        self.compare(other, own, None, seat, seen, "observation")

    def check_hidden(self, *, exhaustive: bool) -> None:
        """In a game with hidden information every seat confuses some states, unless it is shown the state itself."""
        if not self.facts.hidden:
            return
        for seat, asked in enumerate(self.redealt):
            if self.alike[seat]:
                if asked[0] >= ENOUGH_RESAMPLES and not asked[1]:
                    self.fail(
                        "resample",
                        None,
                        f"gave seat {seat} the very state that it was given, {asked[0]} times out of {asked[0]}",
                        "other states that look the same to the seat, too",
                    )
            elif (not self.sees_state[seat] or not any(self.alike)) and (exhaustive or asked[0] >= ENOUGH_RESAMPLES):
                self.fail(
                    "observation",
                    None,
                    f"tells seat {seat} all of the {len(self.seen[seat])} states apart that were met, though "
                    "facts.hidden is True",
                    "some that it cannot tell apart (return the state itself for a seat that sees everything)",
                )
