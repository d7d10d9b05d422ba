"""The conformance kit: hidden information must not leak, whichever way a seat looks at it."""

from __future__ import annotations

import random
from collections.abc import Hashable, Sequence
from typing import Any

from gametree.core.game import CHANCE, SIMULTANEOUS, Game
from gametree.testing._asking import Place, some
from gametree.testing._check_views import Views
from gametree.testing._watch import Watch

__all__ = ["Hidden"]

RESAMPLES = 3
"""So often each seat's view of a state is dealt anew; more often in a tiny game."""
ENOUGH_RESAMPLES = 20
"""After so many it is no accident that none gave another state."""


class Hidden(Views):
    """view, observation, draw_for and resample."""

    def __init__(self, game: Game[Any, Any], watch: Watch, rng: random.Random) -> None:
        super().__init__(game, watch, rng)
        # Per seat: what it saw → the first state that looked so and its moves there, or its drawing.
        self.seen: list[dict[Hashable, tuple[Any, frozenset[Any] | None]]] = []
        self.drawn: list[dict[Hashable, tuple[Any, object]]] = []
        self.alike: list[bool] = []  # whether a seat was ever seen to confuse two states
        self.sees_state: list[bool] = []  # whether a seat's observation was always the state itself
        self.redealt: list[tuple[int, int]] = []  # resamples asked for a seat, and how many gave another state
        self.reachable: dict[Any, None] | None = None  # all states, where they can be listed

    def begin(self) -> None:
        """Make room for what is remembered per seat, once the number of seats is known to be one."""
        seats = range(self.facts.players)
        self.seen, self.drawn = [{} for _ in seats], [{} for _ in seats]
        self.alike, self.sees_state = [False for _ in seats], [True for _ in seats]
        self.redealt = [(0, 0) for _ in seats]

    def own_moves(self, state: Any, seat: int, mover: int | None, actions: Sequence[Any]) -> frozenset[Any] | None:
        """What the seat may choose here, None if it does not move."""
        if mover == seat:
            return frozenset(actions)
        if mover == SIMULTANEOUS:
            return frozenset(self.call("seat_actions", state, seat))
        return None

    def check_view(self, place: Place) -> None:
        """A view of a view is the view; spectators know no more than any seat; own moves follow from the view."""
        if not self.game.offers("view"):
            return
        state, everyones = place.state, self.ask("view", place.state, -1)
        for seat in range(-1, self.facts.players):
            view = self.ask("view", state, seat)
            self.hashed("view", state, view, f"what seat {seat} sees")
            if not self.facts.hidden and view != state:
                self.fail("view", state, f"hides something from seat {seat}, though facts.hidden is False", "the state")
            if self.call("view", view, seat) != view:
                self.fail("view", state, f"hides more from seat {seat} when it is asked for the view of a view", "it")
            if self.call("view", view, -1) != everyones:
                found = f"shows seat -1, who sees what everyone sees, something that it hides from seat {seat}"
                self.fail("view", state, found, "what every seat sees")
            text = self.ask("state_text", view)
            if not isinstance(text, str) or "\n" in text:
                self.fail("state_text", state, f"returned {text!r} for the view of seat {seat}", "text in one line")
            if seat >= 0 and place.mover in (seat, SIMULTANEOUS):
                self._check_moves_in_view(place, view, seat)

    def _check_moves_in_view(self, place: Place, view: Any, seat: int) -> None:
        verb, more = ("actions", ()) if place.mover == seat else ("seat_actions", (seat,))
        own, here = list(self.call(verb, view, *more)), list(self.call(verb, place.state, *more))
        if own != here:
            found = f"leaves seat {seat} with the moves {some(own)}"
            self.fail("view", place.state, found, f"{some(here)}, its own moves in their order")
        if self.call("player", view) != place.mover:
            self.fail("view", place.state, f"hides from seat {seat} that it is to move", "player() to tell it")

    def check_observation(self, place: Place) -> None:
        """What looks alike to a seat offers it the same moves."""
        if not (self.facts.hidden or self.game.offers("observation")):
            return
        for seat in range(self.facts.players):
            seen = self.ask("observation", place.state, seat)
            self.hashed("observation", place.state, seen, f"what seat {seat} sees")
            if seen is not place.state:
                self.sees_state[seat] = False
            own = self.own_moves(place.state, seat, place.mover, place.actions)
            if seen not in self.seen[seat]:
                self.seen[seat][seen] = (place.state, own)
            else:
                self.compare(place.state, own, seat, seen)

    def compare(self, state: Any, own: frozenset[Any] | None, seat: int, seen: Hashable) -> None:
        """`state` against the first state that looked like it to the seat."""
        first, first_own = self.seen[seat][seen]
        if first == state:
            return
        verb = "observation"
        if not self.facts.hidden:
            found = f"shows seat {seat} the same as{self.place(first)}, though facts.hidden is False"
            self.fail(verb, state, found, "different observations of different states")
        self.alike[seat] = True
        if own != first_own:
            moves, others = (
                "not to move" if m is None else f"to choose from {some(sorted(map(str, m)))}" for m in (own, first_own)
            )
            found = f"shows seat {seat} the same as{self.place(first)}, where it is {others}, but here it is {moves}"
            self.fail(verb, state, found, "the same moves wherever the seat sees the same")

    def check_draw_for(self, place: Place) -> None:
        """What looks alike to a seat is drawn alike for it."""
        if not (self.facts.hidden and place.closely):
            return
        for seat in range(self.facts.players):
            drawing = self.check_drawing("draw_for", place.state, self.ask("draw_for", place.state, seat))
            seen = self.call("observation", place.state, seat)
            first, first_drawing = self.drawn[seat].setdefault(seen, (place.state, drawing))
            if drawing != first_drawing:
                found = f"lets seat {seat} tell it from{self.place(first)}, which it cannot by observation()"
                self.fail("draw_for", place.state, found, "the same drawing wherever the seat sees the same")

    def check_resample(self, place: Place) -> None:
        """Some draws for every seat, each from nothing but its view."""
        asked = place.closely and place.mover is not None and place.mover != CHANCE
        if not (asked and self.game.offers("resample") and (self.facts.hidden or self.game.offers("observation"))):
            return
        draws = RESAMPLES if self.reachable is None else max(RESAMPLES, 200 // len(self.reachable))
        for seat in range(self.facts.players):
            for _ in range(draws):
                self._check_resample(place.state, seat)

    def _check_resample(self, state: Any, seat: int) -> None:
        """Resampled states look the same to the seat, can come about and depend on nothing but the generator."""
        number, seen = self.rng.randrange(1 << 30), self.call("observation", state, seat)
        view = self.call("view", state, seat)
        other = self.ask("resample", view, seat, random.Random(number))
        self.hashed("resample", state, other, "a state")
        if other != self.ask("resample", view, seat, random.Random(number)):
            self.fail(
                "resample", state, "gave two different states with the same generator", "no randomness except from rng"
            )
        for verb in ("observation", "view"):
            if self.game.offers(verb) and self.call(verb, other, seat) != self.call(verb, state, seat):
                found = f"gave seat {seat} the state{self.place(other)}, which it can tell from this one by {verb}()"
                self.fail("resample", state, found, "a state that looks the same to the seat")
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
        if seen in self.seen[seat]:
            self.compare(other, own, seat, seen)

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
