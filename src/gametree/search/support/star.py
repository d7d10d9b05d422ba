"""The bounds of a chance node while its outcomes are searched, for Star1 and Star2."""

from __future__ import annotations

from collections.abc import Sequence
from math import fsum, inf, ulp
from typing import Any

__all__ = ["ChanceBounds"]


class ChanceBounds:
    """What is known of each outcome of a chance node: at first that it lies between the least and greatest utility.

    `lower` and `upper` bound the node's value. Their sums are correctly rounded (`math.fsum`), hence they grow and
    shrink with every term, so a cut-off that they justify can never change a value, not even by rounding.
    """

    __slots__ = ("_greatest", "_high", "_least", "_low", "_probability")

    def __init__(self, outcomes: Sequence[tuple[Any, float]], least: float, greatest: float) -> None:
        self._least, self._greatest = least, greatest
        self._probability = [probability for _, probability in outcomes]
        self._low = [probability * least for probability in self._probability]
        self._high = [probability * greatest for probability in self._probability]

    @property
    def lower(self) -> float:
        """The node is worth at least this; once every outcome is settled, exactly this."""
        return fsum(self._low)

    @property
    def upper(self) -> float:
        """The node is worth at most this."""
        return fsum(self._high)

    def raise_to(self, place: int, value: float) -> None:
        """The outcome is worth at least `value`."""
        self._low[place] = max(self._low[place], self._probability[place] * value)

    def lower_to(self, place: int, value: float) -> None:
        """The outcome is worth at most `value`."""
        self._high[place] = min(self._high[place], self._probability[place] * value)

    def settle(self, place: int, value: float) -> None:
        """The outcome is worth exactly `value`."""
        self._low[place] = self._high[place] = self._probability[place] * value

    def window(self, place: int, alpha: float, beta: float) -> tuple[float, float]:
        """The window (a, b) in which the outcome's value still matters to a node searched in (alpha, beta).

        If the outcome is worth at most a > least, `upper` falls to alpha or below; if it is worth at least
        b < greatest, `lower` rises to beta or above.
        """
        a, b = self._least, self._greatest
        probability = self._probability[place]
        if probability <= 0:
            return a, b
        if alpha > -inf:
            others = self._high[:place] + self._high[place + 1 :]
            a = min(max(a, (alpha - fsum(others)) / probability), self._greatest)
            step = ulp(a)
            while a > self._least and fsum([*others, probability * a]) > alpha:  # undo the rounding of the division
                a, step = max(a - step, self._least), 2 * step
        if beta < inf:
            others = self._low[:place] + self._low[place + 1 :]
            b = max(min(b, (beta - fsum(others)) / probability), self._least)
            step = ulp(b)
            while b < self._greatest and fsum([*others, probability * b]) < beta:
                b, step = min(b + step, self._greatest), 2 * step
        return a, b
