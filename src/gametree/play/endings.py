"""How games end: for which reasons, before their time, and what everyone gets where the rules do not say it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from gametree.core.errors import BadInput
from gametree.core.game import Game

__all__ = ["REASONS", "Adjudication", "Result", "drawn", "forfeit"]

REASONS = {
    "end": "played to the end",
    "resigned": "a player gave up",
    "time": "a player used up its time",
    "illegal": "a player made an illegal move",
    "crash": "a player failed",
    "flood": "a player wrote without end",
    "start": "a player was not ready for the game",
    "protocol": "a player broke its protocol",
    "agreed": "the players agreed on a draw",
    "limit": "the limit of plies was reached: a draw",
    "drawn": "both players saw a draw for long enough",
    "hopeless": "a player saw itself lost for long enough",
}
"""Why games end."""


@dataclass(frozen=True)
class Adjudication:
    """When a game is ended before its end. Values are utilities, as the players' own searches give them."""

    plies: int | None = None
    """A draw after this many plies."""
    resign: float | None = None
    """Lost for a player whose value is at most this ..."""
    resign_moves: int = 3
    """... for this many of its moves in a row."""
    draw: float | None = None
    """A draw if all values lie this close to the middle of the utilities ..."""
    draw_moves: int = 8
    """... for this many moves in a row."""

    @classmethod
    def parse(cls, plies: int | None, resign: str | None, draw: str | None) -> Adjudication:
        """Read options such as `-0.9,3` and `0.05,8`. Raises BadInput."""

        def pair(option: str, text: str | None, moves: int) -> tuple[float | None, int]:
            if text is None:
                return None, moves
            value, comma, count = text.partition(",")
            try:
                found = float(value), int(count) if comma else moves
            except ValueError:
                found = 0.0, 0
            if found[1] < 1:
                raise BadInput(f"{option} {text} is not VALUE or VALUE,MOVES; expected such as -0.9,3.")
            return found

        if plies is not None and plies < 1:
            raise BadInput(f"A limit of {plies} plies is too small; expected at least 1.")
        resign_value, resign_moves = pair("--resign", resign, 3)
        draw_value, draw_moves = pair("--draw", draw, 8)
        return cls(plies, resign_value, resign_moves, draw_value, draw_moves)


@dataclass(frozen=True)
class Result:
    """How a game ended."""

    utilities: tuple[float, ...]
    reason: str
    """A key of REASONS."""
    detail: str = ""
    """For whoever runs the table: who failed and how."""
    seat: int | None = None
    """Who resigned or failed."""


def forfeit(game: Game[Any, Any], seat: int) -> tuple[float, ...]:
    """Utilities where the seat's side has lost by its own fault: the least for it, equal shares for the others."""
    facts = game.facts
    losers = facts.sides[facts.side_of(seat)]
    others = facts.players - len(losers)
    share = facts.max_utility
    if facts.utility_sum is not None and others:
        share = min(share, (facts.utility_sum - facts.min_utility * len(losers)) / others)
    return tuple(facts.min_utility if place in losers else share for place in range(facts.players))


def drawn(game: Game[Any, Any]) -> tuple[float, ...]:
    """Utilities of a draw: equal shares of the sum, or the middle of the range."""
    facts = game.facts
    middle = (facts.min_utility + facts.max_utility) / 2
    return (middle if facts.utility_sum is None else facts.utility_sum / facts.players,) * facts.players
