"""The conformance kit: what a state is worth, how it is written, and what is equivalent to it."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from typing import Any

from gametree.core.game import Game
from gametree.core.scene import scene
from gametree.testing._asking import Place, kind, short
from gametree.testing._check_drawings import Drawings
from gametree.testing._check_whole import NONSENSE, ROUNDING
from gametree.testing._watch import Watch

__all__ = ["SAMPLED_ACTIONS", "Views"]

SAMPLED_ACTIONS = 8
"""In each state of a random game so many moves are tried."""


class Views(Drawings):
    """utility, evaluate, explain, texts, symmetries and the choices among actions."""

    def __init__(self, game: Game[Any, Any], watch: Watch, rng: random.Random) -> None:
        super().__init__(game, watch, rng)
        self.by_text: dict[str, Any] = {}

    def _of_all_seats(self, method: str, state: Any) -> list[float]:
        """What `utility` or `evaluate` says for every seat: finite, and in the range of the utilities."""
        facts, values = self.facts, []
        for seat in range(facts.players):
            value = self.number(method, state, self.ask(method, state, seat), f"for seat {seat}")
            if not facts.min_utility - ROUNDING <= value <= facts.max_utility + ROUNDING:
                self.fail(
                    method,
                    state,
                    f"gave {value:g} for seat {seat}",
                    f"facts.min_utility={facts.min_utility:g} to facts.max_utility={facts.max_utility:g}",
                )
            values.append(value)
        return values

    def check_utility(self, place: Place) -> None:
        """Every seat's utility at a terminal state: finite, in range, with the right sum, alike within a team."""
        if not place.terminal:
            return
        facts, values = self.facts, self._of_all_seats("utility", place.state)
        total = math.fsum(values)
        if facts.utility_sum is not None and abs(total - facts.utility_sum) > ROUNDING * max(1, abs(total)):
            expected = f"facts.utility_sum={facts.utility_sum:g}"
            self.fail("utility", place.state, f"sums to {total:g} over all seats", expected)
        for team in facts.teams or ():
            if len({values[seat] for seat in team}) > 1:
                self.fail("utility", place.state, f"differs within the team {team}", "the same for all seats of a team")

    def check_utilities(self, place: Place) -> None:
        """The utility of every seat, in one tuple."""
        if not place.terminal:
            return
        values = tuple(self.sequence("utilities", place.state, self.ask("utilities", place.state)))
        expected = tuple(self.call("utility", place.state, seat) for seat in range(self.facts.players))
        if values != expected:
            self.fail("utilities", place.state, f"gave {values}", f"{expected}, the utility() of every seat")

    def check_evaluate(self, place: Place) -> None:
        """Estimates are finite, in range and, with two players who see everything, add up as utilities do."""
        if place.terminal or not self.game.offers("evaluate"):
            return
        facts, values = self.facts, self._of_all_seats("evaluate", place.state)
        # A search may ask either seat; if the answers did not mirror each other, negamax and minimax would differ.
        if facts.players == 2 and facts.utility_sum is not None and not facts.hidden:
            total = math.fsum(values)
            if abs(total - facts.utility_sum) > 1e-6 * max(1, *map(abs, values)):
                expected = f"facts.utility_sum={facts.utility_sum:g}"
                self.fail("evaluate", place.state, f"sums to {total:g} over both seats", expected)

    def check_explain(self, place: Place) -> None:
        """The terms have names and add up to the estimate."""
        if not (self.game.offers("explain") and self.game.offers("evaluate") and place.decides):
            return
        state = place.state
        terms = self.sequence("explain", state, self.ask("explain", state))
        for term in terms:
            if not isinstance(term, tuple) or len(term) != 2 or not isinstance(term[0], str):
                self.fail("explain", state, f"lists {term!r}", "pairs of a name and a number")
        total = math.fsum(self.number("explain", state, worth, f"for '{name}'") for name, worth in terms)
        value = self.call("evaluate", state, place.mover)
        if abs(total - value) > 1e-6 * max(1, abs(total)):
            self.fail("explain", state, f"gives terms that sum to {total:g}", f"evaluate(), which is {value:g}")

    def check_priors(self, place: Place) -> None:
        """One finite number from 0 up for each action."""
        if not place.decides or not self.game.offers("priors"):
            return
        values = self.sequence("priors", place.state, self.ask("priors", place.state))
        if len(values) != len(place.actions):
            self.fail(
                "priors", place.state, f"gave {len(values)} numbers", f"{len(place.actions)}, one for each action"
            )
        for value in values:
            if self.number("priors", place.state, value, "as the prior of an action") < 0:
                self.fail("priors", place.state, f"gave {value!r}", "numbers from 0 up")

    def check_state_text(self, place: Place) -> None:
        """The text is one line; where the game reads positions, equal texts mean equal states."""
        state = place.state
        text = self.ask("state_text", state)
        if not isinstance(text, str) or "\n" in text:
            self.fail("state_text", state, f"returned {text!r}", "text in one line")
        if self.game.offers("state_from_text"):
            other = self.by_text.setdefault(text, state)
            if other != state:
                self.fail(
                    "state_text", state, "describes two different states alike", "a text of its own for each state"
                )
            if hash(other) != hash(state):
                self.fail(
                    "result", state, "reached equal states that hash differently", "equal hashes for equal states"
                )

    def check_state_from_text(self, place: Place) -> None:
        """The game reads its own texts; that it refuses nonsense is asked once, with `initial`."""
        if not self.game.offers("state_from_text"):
            return
        self.checks["state_from_text"] = None
        state, text = place.state, self.call("state_text", place.state)
        back = self.guard(lambda _state: self.game.state_from_text(text), "state_from_text", state)
        if back != state:
            self.fail("state_from_text", state, f"read the text back as {short(back)}", f"{short(state)}")
        if hash(back) != hash(state):
            self.fail("state_from_text", state, "gave an equal state that hashes differently", "the same hash")

    def check_action_text(self, place: Place) -> None:
        """Each move has a text of its own."""
        if not place.closely:
            return
        texts: dict[str, Any] = {}
        for action in place.actions:
            text = self.ask("action_text", place.state, action)
            if not isinstance(text, str) or not text or "\n" in text:
                self.fail("action_text", place.state, f"returned {text!r} for the move {action!r}", "text in one line")
            if text in texts:
                found = f"calls both {texts[text]!r} and {action!r} '{text}'"
                self.fail("action_text", place.state, found, "different texts")
            texts[text] = action

    def check_action_from_text(self, place: Place) -> None:
        """A move's text reads back as the move; nonsense is refused."""
        if not place.closely or not place.actions:
            return
        for action in self.some_of(place.actions):
            text = self.call("action_text", place.state, action)
            back = self.ask("action_from_text", place.state, text)
            if back != action:
                self.fail("action_from_text", place.state, f"read '{text}' as {back!r}", f"{action!r}")
        self.refuses("action_from_text", place.state, NONSENSE)

    def check_action_cells(self, place: Place) -> None:
        """The cells that one clicks are cells of the drawing."""
        if not place.closely or not self.game.offers("action_cells") or not place.actions:
            return
        known = set(scene(self.call("draw", place.state)).names)
        for action in self.some_of(place.actions):
            cells = self.sequence("action_cells", place.state, self.ask("action_cells", place.state, action))
            for cell in cells:
                if cell not in known:
                    self.fail("action_cells", place.state, f"gave {cell!r} for the move {action!r}", "a place in draw")

    def check_label(self, place: Place) -> None:
        """A text."""
        if place.closely and self.game.offers("label"):
            label = self.ask("label", place.state)
            if not isinstance(label, str):
                self.fail("label", place.state, f"returned {kind(label)}", "text")

    def check_draw(self, place: Place) -> None:
        """A drawing."""
        if place.closely:
            self.check_drawing("draw", place.state, self.ask("draw", place.state))

    def check_symmetries(self, place: Place) -> None:
        """All equivalent states, itself and the one that stands for them included."""
        if not place.closely or not self.game.offers("symmetries"):
            return
        state = place.state
        images = list(self.sequence("symmetries", state, self.ask("symmetries", state)))
        one = self.ask("canonical", state)
        if state not in images:
            self.fail("symmetries", state, "leaves out the state itself", "all equivalent states, itself included")
        if one not in images:
            self.fail("canonical", state, f"gave {short(one)}", "one of the states that symmetries() lists")
        self._compare_images("symmetries", place, one, self.some_of(images))

    def check_canonical(self, place: Place) -> None:
        """The one that stands for them is equivalent, and stands for itself."""
        if place.closely and self.game.offers("canonical"):
            self._compare_images("canonical", place, self.ask("canonical", place.state), ())

    def _compare_images(self, verb: str, place: Place, one: Any, images: Sequence[Any]) -> None:
        state = place.state
        for image in [one, *images]:
            self.hashed(verb, state, image, "a state")
            if self.call("canonical", image) != one:
                self.fail("canonical", state, f"differs from that of the equivalent {short(image)}", "one for all")
            pairs: list[tuple[str, Any, Any]] = [
                ("is_terminal", place.terminal, bool(self.call("is_terminal", image))),
                ("actions", len(place.actions), len(self.call("actions", image))),
            ]
            if place.terminal:
                for seat in range(self.facts.players):
                    pairs.append(("utility", self.call("utility", state, seat), self.call("utility", image, seat)))
            else:
                pairs.append(("player", place.mover, self.call("player", image)))
            for what, mine, other in pairs:
                if mine != other:
                    noun = "the number of actions()" if what == "actions" else f"{what}()"
                    found = f"gave {short(image)}, where {noun} is {other!r}"
                    self.fail(verb, state, found, f"{mine!r}, as in an equivalent state")

    def check_noisy_actions(self, place: Place) -> None:
        """Some of the actions, each once."""
        self._subset("noisy_actions", place)

    def check_plausible_actions(self, place: Place) -> None:
        """Some of the actions, each once, and at least one."""
        if self._subset("plausible_actions", place) == 0:
            expected = "at least one, or a search would have no choice"
            self.fail("plausible_actions", place.state, "lists no moves", expected)

    def _subset(self, verb: str, place: Place) -> int | None:
        """How many of the actions the verb gives; None if it is not asked."""
        if not (place.closely and place.decides and self.game.offers(verb)):
            return None
        some = self.sequence(verb, place.state, self.ask(verb, place.state))
        strange = [action for action in some if action not in place.actions]
        if strange:
            self.fail(verb, place.state, f"lists {strange[0]!r}", "only moves that actions() lists too")
        if len(set(some)) < len(some):
            self.fail(verb, place.state, "lists a move twice", "each move once")
        return len(some)

    def some_of(self, values: Sequence[Any]) -> Sequence[Any]:
        """All of them, or a sample."""
        return values if len(values) <= SAMPLED_ACTIONS else self.rng.sample(list(values), SAMPLED_ACTIONS)
