"""The conformance kit: the core of the contract in one state, its mover, its moves and where they lead."""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Sequence
from numbers import Integral
from typing import Any

from gametree.core.game import CHANCE, SIMULTANEOUS
from gametree.testing._asking import some
from gametree.testing._check_whole import ROUNDING, WholeGame

__all__ = ["Moves"]

UNLISTED_ROLLS = 8
"""This many outcomes are drawn where chance has too many for a list."""


class Moves(WholeGame):
    """is_terminal, actions, player, outcomes, seat_actions and result."""

    def expand(self, state: Any, *, sample: int | None = None) -> list[tuple[Any, Any]]:
        """The moves of a state and where they lead, all of them or a random sample, with every promise checked."""
        terminal = self.check_is_terminal(state)
        actions = self.check_actions(state, terminal)
        if terminal:
            return []
        self.check_player(state, actions)
        chosen = list(actions)
        if not chosen:
            chosen = [self.check_roll_unlisted(state) for _ in range(sample or UNLISTED_ROLLS)]
        elif sample is not None and len(chosen) > sample:
            chosen = self.rng.sample(chosen, sample)
        followed = [(action, self.check_result(state, action)) for action in chosen]
        if list(self.ask("actions", state)) != list(actions):
            self.fail("actions", state, "gave different moves when asked twice", "the same moves in the same order")
        return followed

    def check_is_terminal(self, state: Any) -> bool:
        """True or False."""
        terminal = self.ask("is_terminal", state)
        if str(terminal) not in ("True", "False", "1", "0"):  # as text, since an array answers `==` with an array
            self.fail("is_terminal", state, f"returned {terminal!r}", "True or False")
        return bool(terminal)

    def check_actions(self, state: Any, terminal: bool) -> Sequence[Any]:
        """None at the end; before it at least one, each once; none where chance has too many for a list."""
        actions = self.sequence("actions", state, self.ask("actions", state))
        if terminal:
            if len(actions):
                self.fail("actions", state, f"lists {len(actions)} moves, though is_terminal() is True", "none")
            return ()
        if not len(actions) and not (self.facts.unlisted and self.ask("player", state) == CHANCE):
            self.fail("actions", state, "lists no moves, though is_terminal() is False", "at least one")
        most = self.facts.most_moves
        if most is not None and len(actions) > most:
            self.fail("actions", state, f"lists {len(actions)} moves", f"facts.most_moves={most} at most")
        for action in actions:
            self.hashed("actions", state, action, f"the move {action!r}")
        if len(set(actions)) < len(actions):
            double = next(action for index, action in enumerate(actions) if action in actions[:index])
            self.fail("actions", state, f"lists the move {double!r} twice", "each move once")
        return actions

    def check_player(self, state: Any, actions: Sequence[Any]) -> None:
        """The mover is a seat, or chance or all at once as the facts allow; the moves are of the kind that fits."""
        mover, facts = self.ask("player", state), self.facts
        seats = "0" if facts.players == 1 else f"0 to {facts.players - 1}"
        whole = isinstance(mover, Integral) and not isinstance(mover, bool)
        if not whole or not SIMULTANEOUS <= mover < facts.players:
            self.fail("player", state, f"returned {mover!r}", f"a seat from {seats}, CHANCE or SIMULTANEOUS")
        if mover == CHANCE:
            if not facts.chance:
                self.fail("player", state, "returned CHANCE, though facts.chance is False", f"a seat from {seats}")
            if len(actions):
                self.check_outcomes(state, actions)
        if mover == SIMULTANEOUS:
            if not facts.simultaneous:
                self.fail(
                    "player", state, "returned SIMULTANEOUS, though facts.simultaneous is False", f"a seat from {seats}"
                )
            for action in actions:
                if not isinstance(action, tuple) or len(action) != facts.players:
                    self.fail(
                        "actions", state, f"lists {action!r}", f"joint actions: tuples with {facts.players} entries"
                    )
        if self.game.offers("seat_actions"):
            self.check_seat_actions(state, mover, actions)

    def check_outcomes(self, state: Any, actions: Sequence[Any]) -> None:
        """Probabilities are positive, sum to 1 and belong to the actions."""
        outcomes = self.sequence("outcomes", state, self.ask("outcomes", state))
        for pair in outcomes:
            if not isinstance(pair, tuple) or len(pair) != 2:
                self.fail("outcomes", state, f"lists {pair!r}", "pairs of an outcome and its probability")
            probability = self.number("outcomes", state, pair[1], f"as the probability of {pair[0]!r}")
            if not 0 < probability <= 1 + ROUNDING:
                self.fail(
                    "outcomes", state, f"gives {pair[0]!r} the probability {probability:g}", "more than 0, at most 1"
                )
        total = math.fsum(probability for _, probability in outcomes)
        if abs(total - 1) > ROUNDING:
            self.fail("outcomes", state, f"gives probabilities that sum to {total:.12g}", "1")
        names = [outcome for outcome, _ in outcomes]
        if len(names) != len(actions) or set(names) != set(actions):
            self.fail(
                "outcomes",
                state,
                f"lists {some(names)}, but actions() lists {some(actions)}",
                "the same outcomes, each once",
            )

    def check_seat_actions(self, state: Any, mover: int, actions: Sequence[Any]) -> None:
        """Each seat's choices are its part of the joint actions, or the actions if it alone is to move."""
        choices = []
        for seat in range(self.facts.players):
            own = self.sequence("seat_actions", state, self.ask("seat_actions", state, seat))
            choices.append(tuple(own))
            expected = tuple(actions) if mover == seat else ()
            if mover != SIMULTANEOUS and set(own) != set(expected):
                self.fail(
                    "seat_actions",
                    state,
                    f"gives seat {seat} the moves {some(own)}",
                    some(expected) + (", the same as actions()" if expected else " while it is not to move"),
                )
        if mover == SIMULTANEOUS:
            joint = set(itertools.product(*(own or (None,) for own in choices)))
            if joint != set(actions):
                self.fail(
                    "actions",
                    state,
                    f"lists {len(actions)} joint actions that are not the {len(joint)} which seat_actions() makes up",
                    "every combination of the seats' choices, with None for a seat without a choice",
                )

    def check_roll_unlisted(self, state: Any) -> Any:
        """An outcome that is drawn because they cannot be listed; the same generator draws the same one."""
        number = self.rng.randrange(1 << 30)
        drawn, again = (self.ask("roll", state, random.Random(number)) for _ in range(2))
        self.hashed("roll", state, drawn, f"the outcome {drawn!r}")
        if drawn != again:
            self.fail("roll", state, "drew two different outcomes with the same generator", "no dice except rng")
        return drawn

    def check_result(self, state: Any, action: Any) -> Any:
        """The state that the action leads to: a new one, hashable, and the same each time."""
        child = self.ask("result", state, action)
        if child is None:
            self.fail("result", state, f"returned None for the move {action!r}", "a state")
        self.hashed("result", state, child, f"a state for the move {action!r}")
        again = self.ask("result", state, action)
        if child != again or hash(child) != hash(again):
            how = "are not equal" if child != again else "are equal but hash differently"
            self.fail(
                "result",
                state,
                f"gave two states that {how} for the move {action!r}",
                "the same state each time (does its class define __eq__ and __hash__ by value?)",
            )
        return child
