"""UTILITY and EVAL as searches ask for them."""

from __future__ import annotations

from collections.abc import Callable
from math import isfinite
from typing import Any

from gametree.core.errors import GameError
from gametree.core.game import MAX, Game

__all__ = ["leaf_values", "no_moves"]


def leaf_values(game: Game[Any, Any], player: int = MAX) -> tuple[Callable[[Any], float], Callable[[Any], float]]:
    """Return UTILITY and EVAL of a state for MAX, or for another seat.

    Both raise GameError, naming the state, where the game gives no finite number: NaN is neither greater nor less than
    any value, so that a search would pass over it and answer wrongly.
    """

    def checked(verb: str) -> Callable[[Any], float]:
        ask = getattr(game, verb)

        def value_of(state: Any) -> float:
            value: float = ask(state, player)
            try:
                if isfinite(value):
                    return value
            except TypeError:
                pass
            raise GameError(
                f"{game.name} gives {value!r} from {verb}() for '{game.state_text(state)}'; expected a finite number."
            )

        return value_of

    return checked("utility"), checked("evaluate")


def no_moves(game: Game[Any, Any], state: Any) -> GameError:
    """The error of a game that lists no actions at a state that it does not call terminal."""
    return GameError(f"{game.name} has no moves at '{game.state_text(state)}', but the game is not over.")
