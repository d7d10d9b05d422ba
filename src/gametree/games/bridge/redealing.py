"""The cards that a seat does not see, dealt anew: exactly uniform over what the play allows. Compiled."""

from __future__ import annotations

from typing import Any

import numpy as np

from gametree.games.bridge.table import is_known
from gametree.kernels import ONE, ZERO, ctz, more_bits, popcount, u64

__all__ = ["cards_left", "deal_unseen"]

PACK = u64(0x1FFF1FFF1FFF1FFF)


def cards_left(s: Any, seat: Any) -> Any:
    """How many cards a seat still holds: it has played one in every trick, perhaps in this one already."""
    played = np.int64(s.count) // 4
    if (seat - np.int64(s.leader)) % 4 < np.int64(s.count) % 4:
        played += 1
    return np.int64(s.dealt) - played


def deal_unseen(s: Any, seat: Any, bits: Any) -> None:
    """Give the cards that are neither played nor seen to the hands that the seat does not know.

    Card by card, each goes to a hand in proportion to the number of ways in which the cards behind it can then be
    dealt, such that nobody gets a suit that he is out of. Where nobody is out of anything, all rooms are alike.
    """
    unseen = PACK
    for i in range(s.count):
        unseen &= ~(ONE << u64(s.played[i]))
    seats = np.zeros(4, np.int64)
    room = np.zeros(4, np.int64)
    hands, void = 0, False
    for other in range(4):
        if is_known(s, seat, other):
            unseen &= ~s.hands[other]
        else:
            seats[hands], room[hands] = other, cards_left(s, other)
            void = void or (s.void[other] != 0 and room[hands] > 0)
            s.hands[other] = ZERO
            hands += 1
    if hands == 0:
        return
    count = popcount(unseen)
    cards = np.zeros(52, np.int64)
    n = 0
    while unseen != ZERO:
        cards[n] = ctz(unseen)
        unseen &= unseen - ONE
        n += 1
    if not void:
        left = count
        for i in range(count):
            place = np.int64((more_bits(bits, i) >> u64(32)) * u64(left) >> u64(32))
            left -= 1
            for k in range(hands):
                if place < room[k]:
                    room[k] -= 1
                    s.hands[seats[k]] |= ONE << u64(cards[i])
                    break
                place -= room[k]
        return
    # ways[i, x, y, z]: to deal the cards from place i on, where three hands have so much room and the fourth the rest.
    ways = np.zeros((count + 1, room[0] + 1, room[1] + 1, room[2] + 1))
    ways[count, 0, 0, 0] = 1.0
    for i in range(count - 1, -1, -1):
        suit = cards[i] >> 4
        for x in range(room[0] + 1):
            for y in range(room[1] + 1):
                for z in range(room[2] + 1):
                    rest = count - i - x - y - z
                    if rest < 0 or rest > room[3]:
                        continue
                    total = 0.0
                    if x > 0 and s.void[seats[0]] >> suit & 1 == 0:
                        total += ways[i + 1, x - 1, y, z]
                    if y > 0 and s.void[seats[1]] >> suit & 1 == 0:
                        total += ways[i + 1, x, y - 1, z]
                    if z > 0 and s.void[seats[2]] >> suit & 1 == 0:
                        total += ways[i + 1, x, y, z - 1]
                    if rest > 0 and s.void[seats[3]] >> suit & 1 == 0:
                        total += ways[i + 1, x, y, z]
                    ways[i, x, y, z] = total
    for i in range(count):
        suit = cards[i] >> 4
        drawn = np.float64(more_bits(bits, i) >> u64(11)) * 2.0**-53 * ways[i, room[0], room[1], room[2]]
        chosen = -1
        for k in range(hands):
            if room[k] == 0 or s.void[seats[k]] >> suit & 1 != 0:
                continue
            room[k] -= 1
            share = ways[i + 1, room[0], room[1], room[2]]
            room[k] += 1
            if share == 0.0:
                continue
            chosen = k
            drawn -= share
            if drawn < 0:
                break
        if chosen >= 0:
            room[chosen] -= 1
            s.hands[seats[chosen]] |= ONE << u64(cards[i])
