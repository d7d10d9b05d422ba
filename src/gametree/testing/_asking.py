"""Asking a game on behalf of the conformance kit: whatever a verb does wrong becomes one sentence."""

from __future__ import annotations

import copy
import inspect
import math
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any, NoReturn

from gametree.core.errors import BadInput, GameError
from gametree.core.game import Game
from gametree.testing._watch import Stopped, Watch

__all__ = ["Asking", "Place", "kind", "short", "some"]


@dataclass(frozen=True)
class Place:
    """A state that is looked at, and what the six verbs say of it."""

    state: Any
    terminal: bool
    mover: int | None
    """None at a terminal state."""
    actions: Sequence[Any]
    closely: bool
    """Whether the costly verbs are checked here, too."""

    @property
    def decides(self) -> bool:
        """Whether one seat is to choose."""
        return self.mover is not None and self.mover >= 0


class Asking:
    """One game under a watch. The rest of the kit builds on this, one group of checks on the other."""

    def __init__(self, game: Game[Any, Any], watch: Watch, rng: random.Random) -> None:
        self.game = game
        self.facts = game.facts
        self.watch = watch
        self.rng = rng
        self.checks: dict[str, None] = {}  # a set that keeps its order

    def call(self, verb: str, *arguments: Any) -> Any:
        """The verb's answer. An error or an endless loop inside it becomes a GameError that names verb and line."""
        return self.guard(getattr(self.game, verb), verb, *arguments)

    def guard(self, function: Callable[..., Any], verb: str, *arguments: Any) -> Any:
        """Call any function on behalf of a verb, with the same promise as `call`."""
        state = arguments[0] if arguments else None
        try:
            return self.watch.run(function, *arguments)
        except Stopped as stop:
            line = self.line_of(verb, stop)
            raise GameError(f"{self.game.name}: {verb}() {stop.reason}{self.place(state)}{line}.") from None
        except Exception as error:
            line, what = self.line_of(verb, error), " ".join(str(error).split()).rstrip(".")
            raise GameError(
                f"{self.game.name}: {type(error).__name__} in {verb}(){line}: {what}{self.place(state)}."
            ) from error

    def line_of(self, verb: str, error: BaseException) -> str:
        """`" at line 12"`: the innermost line of the file that defines the verb, or where the verb begins."""
        function = inspect.unwrap(getattr(self.game, verb))
        code = getattr(getattr(function, "__func__", function), "__code__", None)
        if code is None:
            return ""
        line, trace = code.co_firstlineno, error.__traceback__
        while trace is not None:
            if trace.tb_frame.f_code.co_filename == code.co_filename:
                line = trace.tb_lineno
            trace = trace.tb_next
        return f" at line {line}"

    def place(self, state: Any) -> str:
        """`" at 'X.O/...'"`, or nothing without a state."""
        if state is None:
            return ""
        try:
            text = str(self.watch.run(self.game.state_text, state))
        except (Exception, Stopped):
            text = repr(state)
        text = " ".join(text.split())
        return f" at '{text if len(text) <= 200 else text[:197] + '...'}'"

    def fail(self, verb: str, state: Any, found: str, expected: str) -> NoReturn:
        """Raise the GameError that ends the check."""
        raise GameError(f"{self.game.name}: {verb}() {found}{self.place(state)}; expected {expected}.")

    def ask(self, verb: str, state: Any, *more: Any) -> Any:
        """The verb's answer about a state, which must come out of it unchanged."""
        self.checks[verb] = None
        if state is not self.watched:
            self.watched, self.watched_hash = state, hash(state)
            try:
                self.snapshot = copy.deepcopy(state)
            except Exception:
                self.snapshot = state
            if self.snapshot != state:  # equality by identity, which `follow` refuses in its own words
                self.snapshot = state
        answer = self.call(verb, state, *more)
        # deepcopy gives an immutable value back itself, so that most games pay for no comparison.
        if hash(state) != self.watched_hash or (self.snapshot is not state and state != self.snapshot):
            changed, self.watched = self.place(self.snapshot), None
            raise GameError(
                f"{self.game.name}: {verb}() changed the state that it was given{changed}; expected a new state and "
                "the old one as it was."
            )
        return answer

    watched: Any = None
    watched_hash: int = 0
    snapshot: Any = None

    def hashed(self, verb: str, state: Any, value: Any, what: str) -> None:
        """Fail if `value`, which the verb gave at `state`, cannot be hashed."""
        try:
            hash(value)
        except TypeError as error:
            self.fail(verb, state, f"gave {what} that cannot be hashed ({error})", "tuples, numbers or text inside")

    def sequence(self, verb: str, state: Any, value: Any) -> Sequence[Any]:
        """`value` itself, which must be a list or the like."""
        if not isinstance(value, Sequence) or isinstance(value, str | bytes):
            self.fail(verb, state, f"returned {kind(value)}", "a list or tuple")
        return value

    def number(self, verb: str, state: Any, value: Any, whose: str) -> float:
        """`value` itself, which must be a finite number."""
        if not isinstance(value, Real) or not math.isfinite(value):
            self.fail(verb, state, f"gave {value!r} {whose}", "a finite number")
        return float(value)

    def refuses(self, verb: str, *arguments: Any) -> None:
        """Nonsense must be refused with BadInput."""
        try:
            answer = self.watch.run(getattr(self.game, verb), *arguments)
        except BadInput:
            return
        except (Exception, Stopped) as error:
            line = self.line_of(verb, error)
            raise GameError(
                f"{self.game.name}: {verb}() raised {type(error).__name__}{line} for the text '{arguments[-1]}'; "
                "expected BadInput."
            ) from None
        raise GameError(
            f"{self.game.name}: {verb}() read the text '{arguments[-1]}' as {answer!r}; expected it to raise BadInput."
        )


def kind(value: object) -> str:
    """A noun for a value of the wrong type: `None`, `a generator`."""
    return "None" if value is None else f"a value of type {type(value).__name__}"


def some(values: Sequence[Any]) -> str:
    """The first few of a list, for a sentence."""
    shown = ", ".join(str(value) for value in values[:6])
    return f"[{shown}, ...]" if len(values) > 6 else f"[{shown}]"


def short(value: object) -> str:
    text = " ".join(repr(value).split())
    return text if len(text) <= 120 else text[:117] + "..."
