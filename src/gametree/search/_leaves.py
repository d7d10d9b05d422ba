"""UTILITY and EVAL as searches ask for them."""

from __future__ import annotations

from collections.abc import Callable
from math import isfinite
from typing import Any

from gametree.core.errors import GameError
from gametree.core.game import MAX, Game

__all__ = ["leaf_values"]


def leaf_values(game: Game[Any, Any]) -> tuple[Callable[[Any], float], Callable[[Any], float]]:
    """Return UTILITY and EVAL of a state for MAX.

    Both raise GameError, naming the state, where the game gives no finite number: NaN is neither greater nor less than
    any value, so that a search would pass over it and answer wrongly.
    """

    def checked(verb: str) -> Callable[[Any], float]:
        ask = getattr(game, verb)

        def value_of(state: Any) -> float:
            value: float = ask(state, MAX)
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
