"""The conformance kit: what a state is worth, how it is written and drawn, and what is equivalent to it."""

from __future__ import annotations

import json
import math
import random
from collections.abc import Sequence
from typing import Any

from gametree.core.drawing import Drawing
from gametree.core.game import Game
from gametree.testing._asking import kind, short
from gametree.testing._check_moves import Moves
from gametree.testing._check_whole import NONSENSE, ROUNDING
from gametree.testing._watch import Watch

__all__ = ["SAMPLED_ACTIONS", "Views"]

SAMPLED_ACTIONS = 8
"""In each state of a random game so many moves are tried."""
LAYOUTS = ("square", "hex", "points", "cards", "text")


class Views(Moves):
    """utility, evaluate, explain, texts, drawings, symmetries and the choices among actions."""

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

    def utilities(self, state: Any) -> list[float]:
        """Every seat's utility at a terminal state: finite, in range, with the right sum, alike within a team."""
        facts, values = self.facts, self._of_all_seats("utility", state)
        total = math.fsum(values)
        if facts.utility_sum is not None and abs(total - facts.utility_sum) > ROUNDING * max(1, abs(total)):
            self.fail("utility", state, f"sums to {total:g} over all seats", f"facts.utility_sum={facts.utility_sum:g}")
        for team in facts.teams or ():
            if len({values[seat] for seat in team}) > 1:
                self.fail("utility", state, f"differs within the team {team}", "the same for all seats of a team")
        return values

    def check_evaluate(self, state: Any, mover: int | None) -> None:
        """Estimates are finite, in range and, with two players who see everything, add up as utilities do."""
        facts, values = self.facts, self._of_all_seats("evaluate", state)
        # A search may ask either seat; if the answers did not mirror each other, negamax and minimax would differ.
        if facts.players == 2 and facts.utility_sum is not None and not facts.hidden:
            total = math.fsum(values)
            if abs(total - facts.utility_sum) > 1e-6 * max(1, *map(abs, values)):
                self.fail(
                    "evaluate", state, f"sums to {total:g} over both seats", f"facts.utility_sum={facts.utility_sum:g}"
                )
        if self.game.offers("explain") and mover is not None and mover >= 0:
            terms = self.sequence("explain", state, self.ask("explain", state))
            for term in terms:
                if not isinstance(term, tuple) or len(term) != 2 or not isinstance(term[0], str):
                    self.fail("explain", state, f"lists {term!r}", "pairs of a name and a number")
            total = math.fsum(self.number("explain", state, worth, f"for '{name}'") for name, worth in terms)
            if abs(total - values[mover]) > 1e-6 * max(1, abs(total)):
                self.fail(
                    "explain", state, f"gives terms that sum to {total:g}", f"evaluate(), which is {values[mover]:g}"
                )

    def check_state_text(self, state: Any) -> None:
        """The text is one line; where the game reads positions, equal texts mean equal states and it reads its own."""
        text = self.ask("state_text", state)
        if not isinstance(text, str) or "\n" in text:
            self.fail("state_text", state, f"returned {text!r}", "text in one line")
        if not self.game.offers("state_from_text"):
            return
        self.checks["state_from_text"] = None
        other = self.by_text.setdefault(text, state)
        if other != state:
            self.fail("state_text", state, "describes two different states alike", "a text of its own for each state")
        if hash(other) != hash(state):
            self.fail("result", state, "reached equal states that hash differently", "equal hashes for equal states")
        back = self.guard(lambda _state: self.game.state_from_text(text), "state_from_text", state)
        if back != state:
            self.fail("state_from_text", state, f"read the text back as {short(back)}", f"{short(state)}")
        if hash(back) != hash(state):
            self.fail("state_from_text", state, "gave an equal state that hashes differently", "the same hash")

    def check_action_text(self, state: Any, actions: Sequence[Any]) -> None:
        """Each move has a text of its own, which reads back as the move; nonsense is refused."""
        texts: dict[str, Any] = {}
        for action in actions:
            text = self.ask("action_text", state, action)
            if not isinstance(text, str) or not text or "\n" in text:
                self.fail("action_text", state, f"returned {text!r} for the move {action!r}", "text in one line")
            if text in texts:
                self.fail(
                    "action_text", state, f"calls both {texts[text]!r} and {action!r} '{text}'", "different texts"
                )
            texts[text] = action
        chosen = list(texts.items())
        if len(chosen) > SAMPLED_ACTIONS:
            chosen = self.rng.sample(chosen, SAMPLED_ACTIONS)
        for text, action in chosen:
            back = self.ask("action_from_text", state, text)
            if back != action:
                self.fail("action_from_text", state, f"read '{text}' as {back!r}", f"{action!r}")
        if actions:
            self.refuses("action_from_text", state, NONSENSE)

    def check_drawing(self, verb: str, state: Any, drawing: Any) -> Drawing:
        """The drawing is plain data with everything on the board."""
        if not isinstance(drawing, Drawing):
            self.fail(verb, state, f"returned {kind(drawing)}", "a gametree.Drawing")
        if drawing.layout not in LAYOUTS:
            self.fail(verb, state, f"has the layout {drawing.layout!r}", f"one of {', '.join(LAYOUTS)}")
        for piece in drawing.pieces:
            if not (0 <= piece.row < drawing.rows and 0 <= piece.column < drawing.columns):
                self.fail(
                    verb,
                    state,
                    f"puts '{piece.text}' on row {piece.row}, column {piece.column}",
                    f"a cell of the {drawing.rows} × {drawing.columns} board, counted from 0",
                )
            if piece.player is not None and not 0 <= piece.player < self.facts.players:
                self.fail(verb, state, f"gives '{piece.text}' to player {piece.player}", "a seat of the game, or None")
        if drawing.cells and len(drawing.cells) != drawing.rows * drawing.columns:
            self.fail(verb, state, f"names {len(drawing.cells)} cells", f"{drawing.rows * drawing.columns}, or none")
        try:
            json.dumps(drawing.to_data(), allow_nan=False)
        except (TypeError, ValueError) as error:
            self.fail(verb, state, f"holds data that JSON cannot carry ({error})", "text and numbers only")
        return drawing

    def check_symmetries(self, state: Any, terminal: bool, mover: int | None, actions: Sequence[Any]) -> None:
        """Equivalent states are equivalent, and have one representative."""
        game = self.game
        images = list(self.sequence("symmetries", state, self.ask("symmetries", state)))
        one = self.ask("canonical", state)
        if game.offers("symmetries"):
            if state not in images:
                self.fail("symmetries", state, "leaves out the state itself", "all equivalent states, itself included")
            if one not in images:
                self.fail("canonical", state, f"gave {short(one)}", "one of the states that symmetries() lists")
        if len(images) > SAMPLED_ACTIONS:
            images = self.rng.sample(images, SAMPLED_ACTIONS)
        verb = "symmetries" if game.offers("symmetries") else "canonical"
        for image in [one, *images]:
            self.hashed(verb, state, image, "a state")
            if self.call("canonical", image) != one:
                self.fail("canonical", state, f"differs from that of the equivalent {short(image)}", "one for all")
            pairs: list[tuple[str, Any, Any]] = [
                ("is_terminal", terminal, self.call("is_terminal", image)),
                ("actions", len(actions), len(self.call("actions", image))),
            ]
            if terminal:
                for seat in range(self.facts.players):
                    pairs.append(("utility", self.call("utility", state, seat), self.call("utility", image, seat)))
            else:
                pairs.append(("player", mover, self.call("player", image)))
            for what, mine, other in pairs:
                if mine != other:
                    noun = "the number of actions()" if what == "actions" else f"{what}()"
                    self.fail(
                        verb,
                        state,
                        f"gave {short(image)}, where {noun} is {other!r}",
                        f"{mine!r}, as in an equivalent state",
                    )

    def check_subsets(self, state: Any, actions: Sequence[Any]) -> None:
        """Noisy and plausible actions are actions."""
        for verb in ("noisy_actions", "plausible_actions"):
            if not self.game.offers(verb):
                continue
            some = self.sequence(verb, state, self.ask(verb, state))
            strange = [action for action in some if action not in actions]
            if strange:
                self.fail(verb, state, f"lists {strange[0]!r}", "only moves that actions() lists too")
            if len(set(some)) < len(some):
                self.fail(verb, state, "lists a move twice", "each move once")
            if verb == "plausible_actions" and not some:
                self.fail(verb, state, "lists no moves", "at least one, or a search would have no choice")
