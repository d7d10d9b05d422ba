"""The conformance kit: what seats hear, what they make of it, and whether chance deals as it says."""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Hashable
from typing import Any

from gametree.core.facts import Facts
from gametree.core.game import CHANCE, SIMULTANEOUS, Game
from gametree.testing._asking import Place, short
from gametree.testing._check_hidden import Hidden
from gametree.testing._odds import surprise
from gametree.testing._watch import Watch

__all__ = ["Knowing"]

TOO_FAR = 6.0
"""Draws that are so many standard deviations off are no accident."""
ROLLS, DRAWS = 400, 60
"""This many rolls in a chance state; so many redeals of a view for each state that it may be."""
MOST_OUTCOMES = 60
"""Where there are more outcomes, their frequencies say too little."""
FEW_WORLDS = 3
"""So many likely worlds are asked for."""
MOST_SOLVED = 12
"""So many states are solved by the game's own solver, which may be dear."""
FREQUENCIES = 25
"""In so many chance states, and for this many views, frequencies are counted."""


class Knowing(Hidden):
    """roll, hear, hear_text, plausibility, worlds, info_key, solution, advice, opened, closed, the odds of resample."""

    def __init__(self, game: Game[Any, Any], watch: Watch, rng: random.Random) -> None:
        super().__init__(game, watch, rng)
        self.rolled = 0
        self.solved = 0
        # Per seat: what it knew and what it heard → what it knew then, and the text of what it heard.
        self.heard: dict[tuple[int, Hashable, Hashable], tuple[Any, Hashable, str]] = {}

    # Chance -----------------------------------------------------------------------------------------------------------

    def check_roll(self, place: Place) -> None:
        """Rolls are outcomes, follow their probabilities and come from the generator alone."""
        if place.mover != CHANCE or not place.closely or not place.actions:
            return  # what cannot be listed is rolled wherever a game is followed
        odds = dict(self.call("outcomes", place.state))
        number = self.rng.randrange(1 << 30)
        if self.ask("roll", place.state, random.Random(number)) != self.call(
            "roll", place.state, random.Random(number)
        ):
            self.fail("roll", place.state, "drew two different outcomes with the same generator", "no dice except rng")
        counted = self.rolled < FREQUENCIES and len(odds) <= MOST_OUTCOMES
        self.rolled += counted
        drawn = Counter(self.call("roll", place.state, self.rng) for _ in range(ROLLS if counted else 3))
        strange = next((outcome for outcome in drawn if outcome not in odds), None)
        if strange is not None:
            self.fail("roll", place.state, f"drew {strange!r}", "one of outcomes()")
        if counted and surprise(drawn, odds) > TOO_FAR:
            found = f"drew {short(dict(drawn))} in {ROLLS} rolls"
            self.fail("roll", place.state, found, f"about what outcomes() says, {short(odds)}")

    # Hearing ----------------------------------------------------------------------------------------------------------

    def check_hear(self, place: Place) -> None:
        """Own moves are heard and told apart; what is heard and what was known say what is known then."""
        if not self._asks_hearing("hear", place):
            return
        actions = self.some_of(place.actions) or [self.check_roll_unlisted(place.state)]
        after = [(action, self.call("result", place.state, action)) for action in actions]
        for seat in range(self.facts.players):
            own: dict[Hashable, Any] = {}
            chooses = place.mover == SIMULTANEOUS and bool(self.call("seat_actions", place.state, seat))
            for action, state in after:
                word = self.ask("hear", place.state, action, state, seat)
                self.hashed("hear", place.state, word, f"what seat {seat} hears")
                mine = action[seat] if chooses else action
                if word is None and (chooses or place.mover == seat or not self.facts.hidden):
                    found = f"lets seat {seat} hear nothing of {action!r}"
                    self.fail("hear", place.state, found, "its own moves, and in an open game all moves, to be heard")
                if (chooses or place.mover == seat) and own.setdefault(word, mine) != mine:
                    found = f"tells seat {seat} the same, {word!r}, of its moves {own[word]!r} and {mine!r}"
                    self.fail("hear", place.state, found, "words that tell its own moves apart")
                self._check_told(place, action, state, seat, word)

    def _asks_hearing(self, verb: str, place: Place) -> bool:
        """In an open game only a verb that the game defines itself is of interest."""
        return place.closely and not place.terminal and (self.facts.hidden or self.game.offers(verb))

    def _check_told(self, place: Place, action: Any, after: Any, seat: int, word: Hashable) -> None:
        """The same word on top of the same knowledge leads to the same knowledge, and is told in the same text."""
        known, then = self.game._known(place.state, seat), self.game._known(after, seat)
        if word is None and known != then:
            found = f"lets seat {seat} hear nothing of {action!r}, which changes what it sees"
            self.fail("hear", place.state, found, "a word for whatever a seat learns")
        text = self.call("hear_text", place.state, action, after, seat)
        first, first_then, first_text = self.heard.setdefault((seat, known, word), (place.state, then, text))
        if then != first_then:
            found = f"tells seat {seat} {short(word)}, as it does{self.place(first)}, but then it sees another state"
            self.fail("hear", place.state, found, "a word for whatever a seat learns")
        if text != first_text and self.facts.hidden:
            found = (
                f"tells seat {seat} '{text}', but '{first_text}' where it knows and hears the same,{self.place(first)}"
            )
            self.fail("hear_text", place.state, found, "no more than hear() tells")

    def check_hear_text(self, place: Place) -> None:
        """A text in one line, empty where nothing is heard."""
        if not self._asks_hearing("hear_text", place):
            return
        for action in self.some_of(place.actions):
            after = self.call("result", place.state, action)
            for seat in range(self.facts.players):
                text = self.ask("hear_text", place.state, action, after, seat)
                if not isinstance(text, str) or "\n" in text:
                    self.fail("hear_text", place.state, f"returned {text!r}", "text in one line")
                silent = self.call("hear", place.state, action, after, seat) is None
                if silent == bool(text):
                    hears = "hears nothing" if silent else "hears something"
                    found = f"returned {text!r} for seat {seat}, which {hears} of {action!r}"
                    self.fail("hear_text", place.state, found, "a text exactly where hear() is not None")

    # Worlds -----------------------------------------------------------------------------------------------------------

    def check_plausibility(self, place: Place) -> None:
        """A finite number from 0 up."""
        if not place.closely or not self.game.offers("plausibility"):
            return
        for seat in range(self.facts.players):
            value = self.ask("plausibility", place.state, seat)
            if self.number("plausibility", place.state, value, f"for seat {seat}") < 0:
                self.fail("plausibility", place.state, f"gave {value!r} for seat {seat}", "0 or more")

    def check_worlds(self, place: Place) -> None:
        """States that look like the view, with weights from 0 up."""
        if not place.closely or not place.decides or not self.game.offers("worlds"):
            return
        view = self.call("view", place.state, place.mover)
        for found in self.sequence("worlds", view, self.ask("worlds", view, place.mover, self.rng, FEW_WORLDS)):
            if not isinstance(found, tuple) or len(found) != 2:
                self.fail("worlds", view, f"lists {found!r}", "pairs of a state and a weight")
            state, weight = found
            if self.number("worlds", view, weight, "as the weight of a world") < 0:
                self.fail("worlds", view, f"gives a world the weight {weight!r}", "0 or more")
            if self.call("view", state, place.mover) != view:
                self.fail("worlds", view, f"drew{self.place(state)} for seat {place.mover}", "states that look like it")

    def check_solution(self, place: Place) -> None:
        """A value for every action, and what the best one is worth is what the position behind it is worth."""
        seat = -1 if place.mover is None else place.mover
        if not place.closely or seat < 0 or not self.game.offers("solution") or self.solved >= MOST_SOLVED:
            return
        found = self.ask("solution", place.state)
        if found is None:
            return
        self.solved += 1
        if set(found.values) != set(place.actions):
            self.fail("solution", place.state, f"has values for {sorted(found.values)}", "one for every action")
        best = max(found.values, key=found.values.__getitem__)
        value = self.number("solution", place.state, found.values[best], "as the value of an action")
        after = self.call("result", place.state, best)
        if self.call("is_terminal", after):
            behind: float | None = self.call("utility", after, seat)
        else:
            mover, below = self.call("player", after), self.ask("solution", after)
            same = mover >= 0 and self.facts.side_of(mover) == self.facts.side_of(seat)
            behind = None if below is None else max(below.values.values()) * (1 if same else -1)
        if behind is not None and abs(behind - value) > 1e-6:
            self.fail(
                "solution", place.state, f"says {value:g} of the best action", f"{behind:g}, as it says behind it"
            )

    def check_advice(self, place: Place) -> None:
        """None, or a legal action and a sentence in one line."""
        if not place.closely or not place.decides or not self.game.offers("advice"):
            return
        view = self.call("view", place.state, place.mover)
        found = self.ask("advice", view, place.mover)
        if found is None:
            return
        if not isinstance(found, tuple) or len(found) != 2 or found[0] not in place.actions:
            self.fail("advice", view, f"gave {found!r}", "a legal action and a sentence, or None")
        if not isinstance(found[1], str) or "\n" in found[1]:
            self.fail("advice", view, f"says {found[1]!r}", "a sentence in one line")

    def check_info_key(self, place: Place) -> None:
        """It can be hashed, and is the same each time for one view."""
        if not place.closely or not self.game.offers("info_key"):
            return
        for seat in range(self.facts.players):
            view = self.call("view", place.state, seat)
            key = self.ask("info_key", view, seat)
            self.hashed("info_key", place.state, key, f"a key for seat {seat}")
            if self.call("info_key", view, seat) != key:
                self.fail("info_key", place.state, f"gave two different keys of one view of seat {seat}", "one key")

    def check_opened(self, place: Place) -> None:
        """The face-up game hides nothing, has the same mover, and goes on as this one does."""
        if not (self.facts.hidden and place.closely and place.decides):
            return
        game, state = self._opened(place.state)
        for action in self.some_of(self.guard(game.actions, "opened", state)):
            after = self.call("result", place.state, self.call("closed", place.state, action))
            open_after = self.guard(game.result, "opened", state, action)
            over, open_over = bool(self.call("is_terminal", after)), bool(game.is_terminal(open_after))
            if over != open_over:
                found = f"gave a game in which {action!r} {'ends' if open_over else 'does not end'} the game"
                self.fail("opened", place.state, found, "the same end as here")
            if not over and self.call("player", after) >= 0:
                self._same_side("opened", place.state, self.call("player", after), game, game.player(open_after))

    def check_closed(self, place: Place) -> None:
        """Each action of the face-up game means an action here, each another one."""
        if not (self.facts.hidden and place.closely and place.decides):
            return
        game, state = self._opened(place.state)
        meant: dict[Any, Any] = {}
        for action in game.actions(state):
            own = self.ask("closed", place.state, action)
            if own not in place.actions:
                self.fail("closed", place.state, f"gave {own!r} for {action!r}", "one of actions()")
            if own in meant:
                self.fail(
                    "closed", place.state, f"gave {own!r} for {meant[own]!r} and for {action!r}", "another action"
                )
            meant[own] = action
        if not meant:
            self.fail("opened", place.state, "gave a state without actions", "some, as here")

    def _opened(self, state: Any) -> tuple[Game[Any, Any], Any]:
        """The face-up game and state, which must be of perfect information and have the same mover."""
        pair = self.ask("opened", state)
        if not (isinstance(pair, tuple) and len(pair) == 2 and isinstance(getattr(pair[0], "facts", None), Facts)):
            self.fail("opened", state, f"returned {short(pair)}", "a game and a state of it")
        game, opened = pair
        if game.facts.hidden:
            self.fail("opened", state, "gave a game whose facts.hidden is True", "a game of perfect information")
        if self.guard(game.is_terminal, "opened", opened):
            self.fail("opened", state, "gave a state in which the game is over", "one in which it goes on")
        self._same_side("opened", state, self.call("player", state), game, self.guard(game.player, "opened", opened))
        return game, opened

    def _same_side(self, verb: str, state: Any, mover: int, game: Game[Any, Any], open_mover: int) -> None:
        if open_mover < 0 or game.facts.side_of(open_mover) != self.facts.side_of(mover):
            self.fail(verb, state, f"gave a game in which player() is {open_mover}", f"{mover}, or a seat of its side")

    def check_deals(self, states: list[Any], moves: list[list[tuple[Any, int]]]) -> None:
        """In a game whose states are listed: redeals follow the odds of chance, given what the seat sees.

        `moves` gives the actions of each state and the numbers of the states that they lead to. Asked where chance
        alone makes the difference: all states that look alike were reached by the same actions of the players.
        """
        if not (self.facts.hidden and self.facts.chance and self.game.offers("resample")):
            return
        if self.facts.longest_game is None:
            return
        weights, lines = self._chances(states, moves)
        groups: dict[tuple[int, Hashable], list[int]] = {}
        for number, state in enumerate(states):
            if self.call("is_terminal", state) or self.call("player", state) == CHANCE:
                continue
            for seat in range(self.facts.players):
                groups.setdefault((seat, self.call("observation", state, seat)), []).append(number)
        mixed = [(seat, numbers) for (seat, _), numbers in groups.items() if len(numbers) > 1]
        for seat, numbers in mixed[:: max(1, len(mixed) // FREQUENCIES)]:
            if len(numbers) > MOST_OUTCOMES or len({lines[number] for number in numbers} | {None}) != 2:
                continue
            total = math.fsum(weights[number] for number in numbers)
            odds = {states[number]: weights[number] / total for number in numbers}
            view, count = self.call("view", states[numbers[0]], seat), DRAWS * len(numbers)
            drawn = Counter(self.ask("resample", view, seat, self.rng) for _ in range(count))
            if surprise(drawn, odds) > TOO_FAR:
                found = f"gave seat {seat} {len(drawn)} states in {count} draws, not with the odds of the {len(odds)}"
                self.fail("resample", states[numbers[0]], found, "the odds of chance, given what the seat sees")

    def _chances(
        self, states: list[Any], moves: list[list[tuple[Any, int]]]
    ) -> tuple[list[float], list[tuple[Any, ...] | None]]:
        """For every state its probability by chance alone, and the players' actions to it; None if several."""
        weights = [0.0] * len(states)
        lines: list[tuple[Any, ...] | None] = [()] * len(states)
        met = [False] * len(states)
        weights[0], met[0] = 1.0, True
        waiting = Counter(child for below in moves for _, child in below)
        ready = [0]
        for node in ready:  # grows while we walk: every state after all that lead to it
            state, line = states[node], lines[node]
            by_chance = bool(moves[node]) and self.call("player", state) == CHANCE
            odds = dict(self.call("outcomes", state)) if by_chance else {}
            for action, child in moves[node]:
                weights[child] += weights[node] * odds.get(action, 1.0)
                way = line if by_chance or line is None else (*line, action)
                lines[child] = way if not met[child] or lines[child] == way else None
                met[child] = True
                waiting[child] -= 1
                if not waiting[child]:
                    ready.append(child)
        return weights, lines
