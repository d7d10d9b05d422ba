"""The clocks of a game: how long each player may think, and what a player knows of it when it is asked to move."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

from gametree.core.clock import Clock
from gametree.core.errors import BadInput

__all__ = ["GameClock", "TimeControl", "Turn"]

_FORM = re.compile(r"(?:(?P<moves>\d+)/)?(?P<seconds>\d+(?:\.\d+)?)(?:\+(?P<increment>\d+(?:\.\d+)?))?")
_EXPECTED = "expected 60, 60+0.5, 40/60, time=0.1, nodes=1000 or none"


@dataclass(frozen=True)
class TimeControl:
    """How long everyone may think.

    `seconds` for the game (sudden death), or for `moves` moves at a time; `increment` after every move; or `per_move`
    seconds for each move; or `nodes` a move, which no clock can check and searches obey by themselves.
    """

    seconds: float | None = None
    increment: float = 0.0
    moves: int | None = None
    per_move: float | None = None
    nodes: int | None = None

    @classmethod
    def parse(cls, text: str) -> TimeControl:
        """Read `60`, `60+0.5`, `40/60`, `40/60+1`, `time=0.1`, `nodes=1000` or `none`. Raises BadInput."""
        wanted = text.strip().lower()
        if wanted in ("", "none"):
            return cls()
        key, equals, value = wanted.partition("=")
        found = _FORM.fullmatch(wanted)
        control = cls()
        try:
            if equals and key == "time":
                control = cls(per_move=float(value))
            elif equals and key == "nodes":
                control = cls(nodes=int(value))
            elif found:
                control = cls(
                    seconds=float(found["seconds"]),
                    increment=float(found["increment"] or 0),
                    moves=int(found["moves"]) if found["moves"] else None,
                )
        except ValueError:
            pass
        if not max(control.seconds or 0, control.per_move or 0, control.nodes or 0) > 0 or control.moves == 0:
            raise BadInput(f"'{text}' is not a time control; {_EXPECTED}.")
        return control

    @property
    def timed(self) -> bool:
        """Whether a clock runs."""
        return self.seconds is not None or self.per_move is not None

    def __str__(self) -> str:
        if self.per_move is not None:
            return f"time={self.per_move:g}"
        if self.nodes is not None:
            return f"nodes={self.nodes}"
        if self.seconds is None:
            return "none"
        moves = f"{self.moves}/" if self.moves else ""
        return f"{moves}{self.seconds:g}" + (f"+{self.increment:g}" if self.increment else "")


@dataclass(frozen=True)
class Turn:
    """What a player is told besides the position: the game so far and the state of all clocks."""

    start: Any
    """The position that the game began with, before the opening was played."""
    actions: tuple[Any, ...]
    """All that the seat has heard since then: in an open game all actions, those of chance included; where something is
    hidden the words of `Game.hear`, and nothing for what the seat did not hear."""
    control: TimeControl = field(default_factory=TimeControl)
    remaining: tuple[float, ...] = ()
    """Seconds that each seat has left; empty if no such clock runs."""
    moves_left: int | None = None
    """Moves until the mover gets new time."""
    margin: float = 0.0
    """Seconds beyond the clock that are forgiven."""
    clock: Clock | None = None
    """Whoever thinks should use this clock, which can be stopped from outside; None: any."""

    def budget(self, seat: int) -> float | None:
        """Seconds to think about this move, so that the time lasts; None without a clock.

        A share of what is left (a thirtieth, or an equal part of the moves to go) and most of the increment, the usual
        rule of thumb of chess programs, but never nearer than 5 % to the fall of the flag.
        """
        if self.control.per_move is not None:
            return self.control.per_move * 0.95
        if not self.remaining:
            return None
        left = self.remaining[seat]
        moves = 30 if self.moves_left is None else min(self.moves_left + 1, 30)
        return max(0.001, min(left / moves + 0.8 * self.control.increment, left * 0.95))

    def deadline(self, seat: int) -> float | None:
        """Seconds after which the move comes too late; None without a clock."""
        if self.control.per_move is not None:
            return self.control.per_move
        return self.remaining[seat] if self.remaining else None


class GameClock:
    """The clocks of all seats during one game. It is told how long moves took and does not look at the time itself."""

    def __init__(self, control: TimeControl, seats: int, *, margin: float = 0.0) -> None:
        self.control = control
        self.margin = margin
        self._left = [control.seconds or 0.0] * seats
        self._moves = [0] * seats

    @property
    def left(self) -> tuple[float, ...]:
        """Seconds that each seat had left before it began to think; empty if no such clock runs."""
        return () if self.control.seconds is None else tuple(self._left)

    def moves_left(self, seat: int) -> int | None:
        """Moves until the seat gets new time; None if it never does."""
        moves = self.control.moves
        return None if self.control.seconds is None or moves is None else moves - self._moves[seat] % moves

    def deadline(self, seat: int) -> float | None:
        """Seconds after which a move of the seat comes too late; None without a clock."""
        if self.control.per_move is not None:
            return self.control.per_move
        return None if self.control.seconds is None else self._left[seat]

    def spend(self, seat: int, elapsed: float) -> None:
        """Count a move of the seat that took `elapsed` seconds."""
        control = self.control
        if control.seconds is None:
            return
        self._left[seat] = max(0.0, self._left[seat] - elapsed) + control.increment
        self._moves[seat] += 1
        if control.moves is not None and self._moves[seat] % control.moves == 0:
            self._left[seat] += control.seconds

    def save(self) -> list[list[float]]:
        """How the clocks stand, for `restore`; JSON-ready."""
        return [list(self._left), list(map(float, self._moves))]

    def restore(self, saved: list[list[float]]) -> None:
        """Set the clocks as they stood."""
        self._left = list(saved[0])
        self._moves = list(map(int, saved[1]))
