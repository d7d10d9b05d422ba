"""Whether draws are likely to come from a distribution."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping

__all__ = ["surprise"]


def surprise(drawn: Mapping[Hashable, int], odds: Mapping[Hashable, float]) -> float:
    """How many standard deviations the draws are too far from the odds, by the χ² test; infinite for what has none.

    The figure is that of a normal variable (Wilson and Hilferty, 1931); above 6 it is no accident.
    """
    total = sum(drawn.values())
    if any(outcome not in odds for outcome in drawn):
        return math.inf
    if len(odds) < 2 or not total:
        return 0.0
    chi2 = math.fsum((drawn.get(outcome, 0) - total * p) ** 2 / (total * p) for outcome, p in odds.items())
    free = len(odds) - 1
    spread = 2 / (9 * free)
    return (math.cbrt(chi2 / free) - (1 - spread)) / math.sqrt(spread)
