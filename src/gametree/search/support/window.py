"""Windows and guesses that several searches share.

A null window asks "more than v, or not?" and so must have no value strictly inside. For whole numbers that is
(v, v + 1), as textbooks write it. Utilities here may be any float, and 3.5 lies inside (3, 4): a search that took the
answer 3.5 for a mere bound would be wrong. The next float above v leaves no room for any float, whole numbers
included, so it serves both.
"""

from __future__ import annotations

import math

from gametree.core.errors import BadInput
from gametree.search.support.leaves import leaf_values
from gametree.search.support.run import Run

__all__ = ["above", "below", "check_window", "first_guess"]


def above(value: float) -> float:
    """The least float above `value`: (value, above(value)) is a null window; x ≥ above(value) means x > value."""
    return math.nextafter(value, math.inf)


def below(value: float) -> float:
    """The greatest float below `value`: (below(value), value) is a null window; x ≤ below(value) means x < value."""
    return math.nextafter(value, -math.inf)


def check_window(window: tuple[float, float]) -> tuple[float, float]:
    """Return the window as it is. Raises BadInput unless it is two numbers, the lower one first."""
    try:
        alpha, beta = window
        fits = alpha < beta
    except (TypeError, ValueError):
        fits = False
    if not fits:
        raise BadInput(f"A window of {window} is not possible; expected two numbers (alpha, beta), alpha below beta.")
    return window


def first_guess(run: Run, guess: float | None) -> float:
    """What the root may be worth to MAX: `guess` if given, else EVAL of the root, else the middle of the utilities.

    Raises BadInput if `guess` is not a number, and GameError if the game's is not.
    """
    if guess is None:
        facts = run.game.facts
        utility, evaluate = leaf_values(run.game)
        if run.terminal:
            return utility(run.state)
        if run.game.offers("evaluate"):
            return evaluate(run.state)
        middle = (facts.min_utility + facts.max_utility) / 2
        return middle if math.isfinite(middle) else 0.0
    if not isinstance(guess, int | float) or math.isnan(guess):
        raise BadInput(f"A guess of {guess} is not possible; expected a number.")
    return guess
