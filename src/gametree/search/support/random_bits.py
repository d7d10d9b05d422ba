"""A tiny random generator that any language can repeat bit by bit: SplitMix64.

Source: Steele, Lea and Flood, "Fast splittable pseudorandom number generators" (2014). `random.Random` would do for
Python alone, but a compiled search must make the same draws from the same seed, so everything here is 64-bit integer
arithmetic without overflow beyond the mask.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

__all__ = ["SplitMix64"]

_MASK = 0xFFFF_FFFF_FFFF_FFFF


class SplitMix64:
    """Draws that depend on the seed alone. Each method makes exactly one draw of 64 bits."""

    __slots__ = ("_state",)

    def __init__(self, seed: int) -> None:
        self._state = seed & _MASK

    def next(self) -> int:
        """64 random bits."""
        self._state = z = (self._state + 0x9E37_79B9_7F4A_7C15) & _MASK
        z = ((z ^ z >> 30) * 0xBF58_476D_1CE4_E5B9) & _MASK
        z = ((z ^ z >> 27) * 0x94D0_49BB_1331_11EB) & _MASK
        return z ^ z >> 31

    def below(self, count: int) -> int:
        """A whole number from 0 to `count` − 1: the upper 32 bits times `count`, shifted down by 32."""
        return (self.next() >> 32) * count >> 32

    def uniform(self) -> float:
        """A real number from 0 up to but not including 1, made of the upper 53 bits."""
        return (self.next() >> 11) * 2.0**-53

    def outcome(self, outcomes: Sequence[tuple[Any, float]]) -> int:
        """The place of an outcome, drawn by its probability: the first at which the running sum passes `uniform()`.

        The last one stands in where rounding keeps the sum below the draw.
        """
        left = self.uniform()
        for place, (_, probability) in enumerate(outcomes):
            left -= probability
            if left < 0:
                return place
        return len(outcomes) - 1
