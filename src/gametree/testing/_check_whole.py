"""The conformance kit: the game as a whole, its verbs, its facts and its length."""

from __future__ import annotations

import itertools
import math
from numbers import Real
from typing import Any, NoReturn

from gametree.core.errors import GameError
from gametree.core.facts import Facts
from gametree.core.game import OPTIONAL, REQUIRED
from gametree.testing._asking import Asking, kind

__all__ = ["NONSENSE", "ROUNDING", "WholeGame"]

ROUNDING = 1e-9
NONSENSE = "☃ no such thing"


class WholeGame(Asking):
    """What can be said without a look at positions."""

    def check_verbs(self) -> None:
        """The six verbs are there, and whatever is there can be called."""
        for verb in REQUIRED:
            if not self.game.offers(verb) and not (verb == "actions" and self.game.offers("seat_actions")):
                raise GameError(f"{self.game.name} does not define {verb}(); expected all of {', '.join(REQUIRED)}.")
        for verb in (*REQUIRED, *OPTIONAL):
            if not callable(getattr(self.game, verb)):
                raise GameError(
                    f"{self.game.name}: {verb} is {kind(getattr(self.game, verb))}; expected a function {verb}()."
                )

    def check_facts(self) -> None:
        """The facts are possible, and the verbs that they call for are there."""
        facts = self.facts
        if not isinstance(facts, Facts):
            raise GameError(f"{self.game.name}: facts is {kind(facts)}; expected gametree.Facts(...).")
        self.checks["facts"] = None

        def fail(fact: str, expected: str) -> NoReturn:
            raise GameError(f"{self.game.name}: facts.{fact} is {getattr(facts, fact)!r}; expected {expected}.")

        if not isinstance(facts.players, int) or facts.players < 1:
            fail("players", "a whole number from 1 up")
        for fact in ("min_utility", "max_utility"):
            if not isinstance(getattr(facts, fact), Real) or not math.isfinite(getattr(facts, fact)):
                fail(fact, "a finite number")
        for fact, least in (("most_moves", 1), ("longest_game", 0)):
            value = getattr(facts, fact)
            if value is not None and (not isinstance(value, int) or value < least):
                fail(fact, f"None or a whole number from {least} up")
        if facts.utility_sum is not None:
            low, high = facts.players * facts.min_utility, facts.players * facts.max_utility
            if not low - ROUNDING <= facts.utility_sum <= high + ROUNDING:
                fail(
                    "utility_sum",
                    f"a number from {low:g} to {high:g}, as the range of {facts.players} utilities allows",
                )
        if facts.chance and not self.game.offers("roll" if facts.unlisted else "outcomes"):
            fail("chance", f"False, or a game that defines {'roll' if facts.unlisted else 'outcomes'}()")
        if facts.hidden and not (self.game.offers("view") or self.game.offers("observation")):
            fail("hidden", "False, or a game that defines view() or observation()")

    def check_initial(self) -> Any:
        """The initial state, which must be the same each time."""
        self.checks["initial"] = None
        start, again = self.call("initial"), self.call("initial")
        self.hashed("initial", None, start, "a state")
        if start != again or hash(start) != hash(again):
            self.fail(
                "initial",
                None,
                "gave two states that are not equal when asked twice",
                "the same state (does its class define __eq__ and __hash__?)",
            )
        if self.game.offers("state_from_text"):
            self.refuses("state_from_text", NONSENSE)
        return start

    def check_longest_path(self, states: list[Any], moves: list[list[int]]) -> None:
        """No line of play is longer than `longest_game`; in particular no position repeats."""
        longest = self.facts.longest_game
        if longest is None:
            return
        # Kahn's algorithm: a state is taken up when all its predecessors have been, with the longest way to it.
        waiting, ply = [0] * len(states), [0] * len(states)
        for child in itertools.chain.from_iterable(moves):
            waiting[child] += 1
        ready = [] if waiting[0] else [0]
        for node in ready:
            if ply[node] > longest:
                self.fail("result", states[node], f"leads to ply {ply[node]}", f"facts.longest_game={longest} at most")
            for child in moves[node]:
                ply[child] = max(ply[child], ply[node] + 1)
                waiting[child] -= 1
                if not waiting[child]:
                    ready.append(child)
        if len(ready) < len(states):
            node = next(node for node in range(len(states)) if waiting[node])
            self.fail(
                "result",
                states[node],
                "leads back to an earlier position",
                f"none to repeat, since facts.longest_game is {longest}, not None",
            )
