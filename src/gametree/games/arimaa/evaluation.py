"""What a position of Arimaa is worth: terms that are counted for each side, weighed, and threats of captures and goals.

Material is not a sum: each rabbit is worth more the fewer are left, since only rabbits can win. A trap belongs to the
side with more strength beside it, which counts most where it is contested. Weights are data (`Weights`), in hundredths
of a rabbit of the opening; they are set by hand.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from gametree.games.arimaa.board import (
    ELEPHANT,
    PASS,
    PLACE,
    PLACED,
    RABBIT,
    TRAPS,
    beside,
    frozen,
    kind_at,
    pushable,
)
from gametree.games.arimaa.goals import goal_within
from gametree.kernels import ONE, ZERO, ctz, popcount, struct, u64

__all__ = ["FEATURES", "MOST_ESTIMATE", "TERMS", "Weights", "estimate_for_mover", "features_of", "order_key"]

TERMS: list[tuple[str, int, int]] = []
"""Name of a term, its first feature, and the one behind its last."""
_weights: list[int] = []


def _term(name: str, *weights: int) -> int:
    """Append a term's features with their weights; returns the number of the first."""
    start = len(_weights)
    _weights.extend(weights)
    TERMS.append((name, start, len(_weights)))
    return start


RABBITS = _term("rabbits left", 350, 560, 730, 870, 990, 1100, 1200, 1290)
MATERIAL = _term("animals", 170, 240, 420, 720, 1300)
ADVANCE = _term("rabbits by rank", 0, 4, -6, -10, -6, 12, 60)
FROZEN = _term("frozen", -12, -20, -25, -35, -50, -50)
CENTRE = _term("towards the centre", 0, 0, 0, 8, 14, 22)
FORWARD = _term("animals by rank", -6, -4, 0, 4, 8)
TRAP = _term("control of traps", 2, 2)
ON_TRAP = _term("on a trap", -30)
NEXT_TO_STRONGER = _term("beside a stronger enemy", -4, -6, -8, -12, -20, 0)
MOBILITY = _term("squares for the elephant", 10)
CAUGHT_NEXT = _term("captures in two steps", 70, 15)
CAUGHT_LATER = _term("captures in four steps", 30, 6)
GOAL_THREAT = _term("goal that threatens", 250)
TEMPO = _term("steps left", 12)
FEATURES = len(_weights)
Weights = struct(terms=("i4", FEATURES))
"""What the estimate reads while the program runs: one number for every feature."""
STARTING = np.array(_weights, np.int32)

MOST_ESTIMATE = 8900
SURE_GOAL = 8000
"""A goal that the side to move can play at once; less than a win, because it has not been played."""
STRENGTH = np.array([1, 2, 3, 5, 7, 10])
"""What an animal beside a trap adds to its side's control."""
CENTRALITY = np.array([min(file, 7 - file) + min(rank, 7 - rank) for rank in range(8) for file in range(8)])
TRAP_BITS = np.array([1 << 18, 1 << 21, 1 << 42, 1 << 45], np.uint64)
SETUP_PLACES = np.array(
    [
        [[0] * 8, [0] * 8],
        [[0, 3, 6, 0, 0, 6, 3, 0], [0, 2, 8, 0, 0, 8, 2, 0]],  # cats behind or beside the traps
        [[1, 2, 5, 2, 2, 5, 2, 1], [8, 2, 3, 4, 4, 3, 2, 8]],  # dogs
        [[0] * 8, [4, 12, 3, 5, 5, 3, 12, 4]],  # horses
        [[0] * 8, [1, 4, 3, 14, 10, 3, 4, 1]],  # the camel in the middle
        [[0] * 8, [1, 2, 3, 12, 16, 3, 2, 1]],  # the elephant in the middle
    ]
)
"""What a set-up is worth by kind, rank (the back one first) and file."""


def features_of(s: Any, out: Any) -> None:
    """Write what each feature counts, Gold's share less Silver's, but for what depends on who is to move."""
    for side in range(2):
        sign = 1 - 2 * side
        own, foe = s.sides[side], s.sides[1 - side]
        rabbits = popcount(own & s.kinds[RABBIT])
        if rabbits > 0:
            out[RABBITS + rabbits - 1] += sign
        cold = frozen(s, side)
        feared = pushable(s, 1 - side, foe)
        for kind in range(6):
            men = own & s.kinds[kind]
            if kind > RABBIT:
                out[MATERIAL + kind - 1] += sign * popcount(men)
            out[FROZEN + kind] += sign * popcount(men & cold)
            out[NEXT_TO_STRONGER + kind] += sign * popcount(men & feared & ~cold)
            left = men
            while left != ZERO:
                square = ctz(left)
                left &= left - ONE
                rank = square // 8 if side == 0 else 7 - square // 8
                if kind == RABBIT:
                    if rank < 7:
                        out[ADVANCE + rank] += sign
                else:
                    out[CENTRE + kind] += sign * CENTRALITY[square]
                    out[FORWARD + kind - 1] += sign * min(rank, 4)
        out[ON_TRAP] += sign * popcount(own & TRAPS)
        elephant = own & s.kinds[ELEPHANT]
        out[MOBILITY] += sign * popcount(beside(elephant) & ~(own | foe))
    for trap in range(4):
        around = beside(TRAP_BITS[trap])
        lead = 0
        for kind in range(6):
            men = around & s.kinds[kind]
            lead += STRENGTH[kind] * (popcount(men & s.sides[0]) - popcount(men & s.sides[1]))
        # In sixteenths: 0, and nearer to 1 the greater the lead.
        share = 16 * lead // (abs(lead) + 4) if lead >= 0 else -(16 * -lead // (4 - lead))
        out[TRAP + (0 if (trap < 2) == (lead > 0) else 1)] += share


def caught(s: Any, side: Any, later: Any, w: Any) -> Any:
    """What of the other side's `side` could take: the most valuable piece in two steps, or only in four."""
    own, foe = s.sides[side], s.sides[1 - side]
    free = own & ~frozen(s, side)
    victims = pushable(s, side, free)
    best = np.int64(0)
    for number in range(4):
        trap = TRAP_BITS[number]
        around = beside(trap)
        guards = around & foe
        count = popcount(guards)
        if count > 1:
            continue
        found = ZERO
        if not later:
            if count == 1 and guards & victims != ZERO:
                # The guard itself falls into an empty trap, or who stands there loses its guard.
                found = guards if (own | foe) & trap == ZERO else foe & trap
        elif count == 0 and (own | foe) & trap == ZERO:
            found = beside(around & ~(own | foe)) & victims
        while found != ZERO:
            bit = found & ~(found - ONE)
            found ^= bit
            best = max(best, worth_of(s, bit, 1 - side, w))
    return best


def worth_of(s: Any, bit: Any, side: Any, w: Any) -> Any:
    """What a side loses with a piece."""
    kind = kind_at(s, bit)
    if kind > RABBIT:
        return np.int64(w.terms[MATERIAL + kind - 1])
    count = popcount(s.kinds[RABBIT] & s.sides[side])
    if count < 2:
        return np.int64(2000)
    return np.int64(w.terms[RABBITS + count - 1] - w.terms[RABBITS + count - 2])


def estimate_for_mover(s: Any, w: Any) -> Any:
    """The value for the side to move in hundredths of a rabbit, within ±MOST_ESTIMATE."""
    side = np.int64(s.seat)
    if s.placed < 16:
        return set_up_value(s)
    left = 4 - np.int64(s.steps)
    pushing = s.movers & s.sides[side] != ZERO
    if not pushing and goal_within(s, side, left):
        return np.int64(SURE_GOAL + 100 * left)
    counts = np.zeros(FEATURES, np.int32)
    features_of(s, counts)
    value = np.int64(0)
    for i in range(FEATURES):
        value += counts[i] * w.terms[i]
    if side == 1:
        value = -value
    value += left * w.terms[TEMPO]
    soon, late = caught(s, side, False, w), caught(s, side, True, w)
    if left >= 2:
        value += soon * w.terms[CAUGHT_NEXT] // 100
    if left == 4 and late > soon:
        value += (late - soon) * w.terms[CAUGHT_LATER] // 100
    soon, late = caught(s, 1 - side, False, w), caught(s, 1 - side, True, w)
    away = 5 - left  # what cannot be answered any more
    value -= soon * (w.terms[CAUGHT_NEXT + 1] * left + w.terms[CAUGHT_NEXT] * (4 - left)) // 400
    if late > soon:
        value -= (late - soon) * (w.terms[CAUGHT_LATER + 1] * left + w.terms[CAUGHT_LATER] * (4 - left)) // 400
    if goal_within(s, 1 - side, np.int64(4)):
        value -= w.terms[GOAL_THREAT] * away * away
    return min(max(value, np.int64(-MOST_ESTIMATE)), np.int64(MOST_ESTIMATE))


def set_up_value(s: Any) -> Any:
    """How sensibly the pieces stand that have been set up, for the side to move."""
    value = np.int64(0)
    for side in range(2):
        for kind in range(1, 6):
            left = s.sides[side] & s.kinds[kind]
            while left != ZERO:
                square = ctz(left)
                left &= left - ONE
                rank = square // 8 if side == 0 else 7 - square // 8
                worth = SETUP_PLACES[kind, rank, square % 8] if rank < 2 else 0
                value += worth if side == s.seat else -worth
    return value


def order_key(s: Any, m: Any) -> Any:
    """How promising a move looks before it is tried: captures, pushes, rabbits near home, strong animals."""
    if m >= PLACE:
        square = np.int64(m) - PLACE
        rank = square // 8 if s.seat == 0 else 7 - square // 8
        return np.int64(SETUP_PLACES[PLACED[s.placed & 7], rank, square % 8])
    if m == PASS:
        return np.int64(1)
    bit = ONE << u64(np.int64(m) >> 2)
    kind = kind_at(s, bit)
    return np.int64(2 if s.sides[s.seat] & bit == ZERO else 0) + (1 if kind >= 3 else 0)
