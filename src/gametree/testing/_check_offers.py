"""The conformance kit: names of seats, notations, and what else a game may state for others."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from numbers import Real
from typing import Any, NoReturn

from gametree.core.errors import BadInput, GameError
from gametree.core.format import Format
from gametree.core.scene import scene
from gametree.testing._asking import Place, kind
from gametree.testing._check_knowing import Knowing

__all__ = ["Offers"]

SAMPLED_WRITTEN = 4
"""Moves of a state that are written in every notation."""


class Offers(Knowing):
    """Attributes, and verbs that no rule depends on."""

    # Attributes -------------------------------------------------------------------------------------------------------

    def _refuse(self, name: str, expected: str) -> NoReturn:
        raise GameError(f"{self.game.name}: {name} is {getattr(self.game, name)!r}; expected {expected}.")

    def check_seat_names(self) -> None:
        """At least one name for each seat."""
        names = self.game.seat_names
        if not isinstance(names, Sequence) or len(names) < self.facts.players or not all(map(_is_text, names)):
            self._refuse("seat_names", f"a name for each of {self.facts.players} seats")

    def check_formats(self) -> None:
        """Notations by name; what they write is looked at in the positions."""
        formats = self.game.formats
        if not isinstance(formats, Mapping) or not all(
            _is_text(name) and isinstance(found, Format) for name, found in formats.items()
        ):
            self._refuse("formats", "a mapping of names to gametree.core.format.Format")

    def check_komi(self) -> None:
        """None or a number."""
        komi = self.game.komi
        if komi is not None and (not isinstance(komi, Real) or not math.isfinite(komi)):
            self._refuse("komi", "None or a number")

    def check_board_size(self) -> None:
        """None or a whole number above 0."""
        size = self.game.board_size
        if size is not None and (isinstance(size, bool) or not isinstance(size, int) or size < 1):
            self._refuse("board_size", "None or a whole number above 0")

    def check_formats_at(self, place: Place) -> None:
        """Notations read what they write."""
        if not place.closely:
            return
        for name, found in self.game.formats.items():
            if found.kind == "position":
                self._check_position(name, found, place.state)
            elif found.kind == "move":
                actions = list(place.actions)
                for action in self.rng.sample(actions, min(len(actions), SAMPLED_WRITTEN)):
                    self._check_move(name, found, place.state, action)

    def _check_position(self, name: str, found: Format, state: Any) -> None:
        """A notation may leave the past out, so texts are compared and not states."""
        text = self.guard(found.write, "formats", state)
        if not _is_text(text) or "\n" in text:
            self.fail("formats", state, f"writes {kind(text)} as {name}", "text in one line")
        again = self.guard(lambda _state: found.write(found.read(text)), "formats", state)
        if again != text:
            self.fail("formats", state, f"reads its own {name} '{text}' as '{again}'", "the same position")

    def _check_move(self, name: str, found: Format, state: Any, action: Any) -> None:
        text = self.guard(lambda _state: found.write(state, action), "formats", state)
        back = self.guard(lambda _state: found.read(state, text), "formats", state)
        if back != action:
            self.fail("formats", state, f"reads its own {name} '{text}' as {back!r}", repr(action))

    # The game as a whole ----------------------------------------------------------------------------------------------

    def check_winning_chance(self) -> None:
        """Chances are shares and grow with the value."""
        if not self.game.offers("winning_chance"):
            return
        self.checks["winning_chance"] = None
        low, high = self.facts.min_utility, self.facts.max_utility
        chances = [self.call("winning_chance", value) for value in (low, (low + high) / 2, high)]
        shares: list[float] = [chance for chance in chances if isinstance(chance, int | float)]
        if len(shares) < 3 or not 0 <= shares[0] <= shares[1] <= shares[2] <= 1:
            found = f"gives {chances} at {low:g}, the middle and {high:g}"
            self.fail("winning_chance", None, found, "shares from 0 to 1 that grow with the value")

    def check_tree_text(self) -> None:
        """One line."""
        if self.game.offers("tree_text"):
            self.checks["tree_text"] = None
            text = self.call("tree_text")
            if not isinstance(text, str) or "\n" in text:
                self.fail("tree_text", None, f"returned {text!r}", "text in one line")

    def check_book_keys(self) -> None:
        """It gives something, and the same kind of thing each time."""
        self._check_thing("book_keys")

    def check_tuning(self) -> None:
        """It gives something, unless it refuses."""
        self._check_thing("tuning")

    def check_learning(self) -> None:
        """It gives something, unless it refuses."""
        self._check_thing("learning")

    def _check_thing(self, verb: str) -> None:
        if not self.game.offers(verb):
            return
        self.checks[verb] = None
        try:
            first, second = (self.watch.run(getattr(self.game, verb)) for _ in range(2))
        except BadInput:
            return
        if type(first) is not type(second):
            self.fail(verb, None, f"gave {kind(first)} and then {kind(second)}", "the same each time")

    # Positions --------------------------------------------------------------------------------------------------------

    def check_action_ways(self, place: Place) -> None:
        """Steps from place to place of the drawing."""
        if not (place.closely and self.game.offers("action_ways")):
            return
        names = set(scene(self.game.draw(place.state)).names)
        for action in list(place.actions)[:SAMPLED_WRITTEN]:
            for way in self.sequence("action_ways", place.state, self.ask("action_ways", place.state, action)):
                if len(way) % 2 or not names.issuperset(way) or "" in way:
                    self.fail("action_ways", place.state, f"gave {way!r}", "pairs of names of places")

    def check_lenient_actions(self, place: Place) -> None:
        """All legal moves, and perhaps more."""
        if place.closely and self.game.offers("lenient_actions"):
            lenient = self.sequence("lenient_actions", place.state, self.ask("lenient_actions", place.state))
            if not set(place.actions) <= set(lenient):
                self.fail("lenient_actions", place.state, "leaves legal moves out", "all of actions() at least")

    def check_lenient_state(self, place: Place) -> None:
        """A state with the same legal moves where the game goes on; after its end perhaps one in which it goes on."""
        if not (place.closely and self.game.offers("lenient_state")):
            return
        state = self.ask("lenient_state", place.state)
        self.hashed("lenient_state", place.state, state, "a state")
        if not place.terminal and list(self.call("actions", state)) != list(place.actions):
            self.fail("lenient_state", place.state, "gave a state with other moves", "the same moves before the end")

    def check_explain_sides(self, place: Place) -> None:
        """Both sides' terms add up to the estimate."""
        if not (place.closely and place.decides and self.game.offers("explain_sides")):
            return
        terms = self.sequence("explain_sides", place.state, self.ask("explain_sides", place.state))
        for term in terms:
            if not isinstance(term, tuple) or len(term) != 3 or not isinstance(term[0], str):
                self.fail("explain_sides", place.state, f"lists {term!r}", "a name and two numbers")
        total = math.fsum(first + second for _, first, second in terms)
        value = self.ask("evaluate", place.state, place.mover)
        if abs(total - value) > 1e-6 * max(1, abs(total)):
            found = f"gives terms that sum to {total:g}"
            self.fail("explain_sides", place.state, found, f"evaluate(), which is {value:g}")

    def check_explain_weights(self, place: Place) -> None:
        """Texts by the names of terms."""
        if not (place.closely and place.decides and self.game.offers("explain_weights")):
            return
        weights = self.ask("explain_weights", place.state)
        known = {name for name, _ in self.call("explain", place.state)}
        if not isinstance(weights, Mapping) or not all(isinstance(text, str) for text in weights.values()):
            self.fail("explain_weights", place.state, f"returned {kind(weights)}", "texts by the names of terms")
        strange = next((name for name in weights if name not in known), None)
        if strange is not None:
            self.fail("explain_weights", place.state, f"weighs {strange!r}", "terms that explain() lists")

    def check_explain_move(self, place: Place) -> None:
        """Finite numbers by name, for every kind of move."""
        if not (place.closely and place.decides and self.game.offers("explain_move")):
            return
        for action in self.rng.sample(list(place.actions), min(len(place.actions), SAMPLED_WRITTEN)):
            found = self.ask("explain_move", place.state, action)
            if not isinstance(found, Mapping) or not all(
                isinstance(name, str) and isinstance(value, Real) and math.isfinite(value)
                for name, value in found.items()
            ):
                self.fail("explain_move", place.state, f"returned {found!r}", "finite numbers by name")

    def check_phase_text(self, place: Place) -> None:
        """Text in one line."""
        if place.closely and self.game.offers("phase_text"):
            text = self.ask("phase_text", place.state)
            if not isinstance(text, str) or "\n" in text:
                self.fail("phase_text", place.state, f"returned {text!r}", "text in one line")


def _is_text(found: Any) -> bool:
    return isinstance(found, str) and bool(found)
