"""What bidding looks at in a hand: points, lengths, honours, for many hands at once.

A `Hands` holds the four suits of n hands as arrays of 13-bit masks; every method gives one number, or truth, a hand.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

__all__ = ["Array", "Hands"]

Array = Any
"""An array with a number, or a truth, for each hand."""

_ALL = np.arange(8192)
_BITS = (_ALL[:, None] >> np.arange(13)) & 1
_LENGTH = _BITS.sum(1)
_HCP = (_BITS[:, 9:] * (1, 2, 3, 4)).sum(1)
_TOP3 = _BITS[:, 10:].sum(1)
_TOP5 = _BITS[:, 8:].sum(1)
_ACE, _KING, _QUEEN, _JACK = (_BITS[:, rank] for rank in (12, 11, 10, 9))
_STOPS = (_ACE > 0) | (_KING > 0) & (_LENGTH >= 2) | (_QUEEN > 0) & (_LENGTH >= 3) | (_JACK > 0) & (_LENGTH >= 4)
_SHORT = np.choose(np.minimum(_LENGTH, 3), (5, 3, 1, 0))


class Hands:
    """The suits of n hands, and what they are worth."""

    def __init__(self, hands: Sequence[int]) -> None:
        masks = np.array([int(hand) for hand in hands], np.uint64)
        self.suits = [(masks >> np.uint64(16 * suit) & np.uint64(0x1FFF)).astype(np.int64) for suit in range(4)]
        self.lengths = np.array([_LENGTH[suit] for suit in self.suits])
        self.hcp = sum(_HCP[suit] for suit in self.suits)

    def length(self, suit: int) -> Array:
        """Cards of a suit."""
        return self.lengths[suit]

    def points(self) -> Array:
        """High cards, and a point for every card beyond four in a suit."""
        return self.hcp + np.maximum(self.lengths - 4, 0).sum(0)

    def support(self, suit: int) -> Array:
        """High cards, and where there are three trumps 5, 3 and 1 points for voids, singletons and doubletons."""
        short = sum(_SHORT[self.suits[other]] for other in range(4) if other != suit)
        return self.hcp + np.where(self.lengths[suit] >= 4, short, np.where(self.lengths[suit] == 3, short * 2 // 3, 0))

    def balanced(self) -> Array:
        """No void, no singleton, at most one doubleton."""
        return (self.lengths.min(0) >= 2) & ((self.lengths == 2).sum(0) <= 1)

    def shape(self) -> Array:
        """The four lengths, longest first."""
        return np.sort(self.lengths, 0)[::-1]

    def twenty(self) -> Array:
        """High cards and the lengths of the two longest suits."""
        shape = self.shape()
        return self.hcp + shape[0] + shape[1]

    def longest(self, suit: int, *, upwards: bool = False) -> Array:
        """Whether no suit is longer and none as long is higher; `upwards`: none as long is lower."""
        mine = self.lengths[suit]
        good = np.ones(len(mine), bool)
        for other in range(4):
            if other != suit:
                strict = (other > suit) if upwards else (other < suit)
                good &= mine > self.lengths[other] if strict else mine >= self.lengths[other]
        return good

    def stops(self, suit: int) -> Array:
        """Whether the suit cannot be run from the top at once."""
        return _STOPS[self.suits[suit]]

    def tops(self, suit: int) -> Array:
        """How many of ace, king and queen."""
        return _TOP3[self.suits[suit]]

    def honours(self, suit: int) -> Array:
        """How many of the five honours."""
        return _TOP5[self.suits[suit]]

    def aces(self) -> Array:
        """How many aces."""
        return sum(_ACE[suit] for suit in self.suits)

    def kings(self) -> Array:
        """How many kings."""
        return sum(_KING[suit] for suit in self.suits)
