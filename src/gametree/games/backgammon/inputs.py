"""What the network sees of a position, from the side that throws next: the classic inputs, then counted features.

The classic 196 are Tesauro's (1989): for every point and side whether one, two, three checkers stand there and how many
more, the checkers on the bar, those borne off. He had two more for the turn; here the view itself says whose it is.
The features are what players speak of: shots and what they cost, escapes, primes, anchors, timing, entering.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from gametree.games.backgammon.board import BAR, HOME, OFF, is_race, rear_of

__all__ = ["CLASSIC", "FEATURES", "INPUTS", "kind_of", "write_inputs"]

CLASSIC = 196
FEATURES = 20
"""Of each side."""
INPUTS = CLASSIC + 2 * FEATURES
_AHEAD = 12
"""Points in front of a checker that can matter to one roll of two different dice."""


def _escapes() -> Any:
    """For every pattern of made points in the 12 points ahead: with how many of 36 rolls a checker can go on whole."""
    table = np.zeros(1 << _AHEAD, np.float32)
    for blocked in range(1 << _AHEAD):
        count = 0
        for one in range(1, 7):
            for two in range(1, 7):
                middle = not blocked >> one - 1 & 1 or not blocked >> two - 1 & 1
                count += middle and not blocked >> one + two - 1 & 1
        table[blocked] = count / 36
    return table


def _shots() -> tuple[Any, Any]:
    """The 21 rolls as bits, and for each how often it comes up in 36."""
    rolls = [(a, b) for a in range(1, 7) for b in range(1, a + 1)]
    return np.array(rolls, np.int64), np.array([1 if a == b else 2 for a, b in rolls], np.float32)


ESCAPES = _escapes()
ROLLS, WEIGHTS = _shots()


def kind_of(s: Any) -> Any:
    """Which network judges the position: 0 with contact, 1 in a race."""
    return np.int64(1) if is_race(s) else np.int64(0)


def write_inputs(s: Any, side: Any, count: Any, x: Any) -> None:
    """Write the first `count` inputs of the position as `side` sees it that is about to throw."""
    men = s.men
    for view in range(2):
        who = side if view == 0 else 1 - side
        at = np.int64(view * (CLASSIC // 2))
        for point in range(1, BAR):
            n = men[who, point]
            x[at] = np.float32(1 if n >= 1 else 0)
            x[at + 1] = np.float32(1 if n >= 2 else 0)
            x[at + 2] = np.float32(1 if n >= 3 else 0)
            x[at + 3] = np.float32(0.5) * np.float32(n - 3 if n > 3 else 0)
            at += 4
        x[at] = np.float32(0.5) * np.float32(men[who, BAR])
        x[at + 1] = np.float32(men[who, OFF]) / np.float32(15)
    if count > CLASSIC:
        if is_race(s):
            for i in range(CLASSIC, count):
                x[i] = np.float32(0)
        else:
            write_features(men, side, x, np.int64(CLASSIC))
            write_features(men, 1 - side, x, np.int64(CLASSIC + FEATURES))


def blocked_ahead(men: Any, other: Any, point: Any) -> Any:
    """The points that `other` has made in front of a checker on `point`, the nearest in the lowest bit."""
    pattern = np.int64(0)
    for step in range(1, _AHEAD + 1):
        target = point - step
        if target > 0 and men[other, 25 - target] >= 2:
            pattern |= np.int64(1) << (step - 1)
    return pattern


def write_shots(men: Any, who: Any, other: Any, x: Any, at: Any) -> None:
    """How `who` can hit at once: chance of a hit, chance of a choice of blots, pips that the other side may lose."""
    hit, several, loss = np.float32(0), np.float32(0), np.float32(0)
    on_bar = np.int64(men[who, BAR])
    lowest = np.int64(BAR) if on_bar > 0 else np.int64(1)
    for roll in range(21):
        a, b = ROLLS[roll, 0], ROLLS[roll, 1]
        found, worst = np.int64(0), np.int64(0)
        for blot in range(1, BAR):  # on the points of `who`
            if men[other, 25 - blot] != 1:
                continue
            reached: Any = False
            source = np.int64(BAR)
            while source >= max(lowest, np.int64(blot + 1)) and not reached:
                if men[who, source] > 0:
                    distance = source - blot
                    if a == b:
                        if distance % a == 0 and distance // a <= 4:
                            reached = True
                            for step in range(1, distance // a):
                                if men[other, 25 - source + step * a] >= 2:
                                    reached = False
                    elif distance in (a, b):
                        # With several checkers on the bar, each die enters one of them; either may hit.
                        reached = True
                        if on_bar == 1 and source < BAR:
                            reached = False
                    elif distance == a + b:
                        reached = on_bar < 2 and (men[other, 25 - source + a] < 2 or men[other, 25 - source + b] < 2)
                source -= 1
            if not reached and on_bar == 1:
                # One checker enters with one die, and another one hits with the other.
                for turn in range(2):
                    die, rest = (a, b) if turn == 0 else (b, a)
                    if men[other, die] < 2 and blot + rest < BAR and men[who, blot + rest] > 0:
                        reached = True
            if reached:
                found += 1
                worst = max(worst, np.int64(blot))
        if found > 0:
            hit += WEIGHTS[roll]
            loss += WEIGHTS[roll] * np.float32(worst)
            if found > 1:
                several += WEIGHTS[roll]
    x[at] = hit / np.float32(36)
    x[at + 1] = several / np.float32(36)
    x[at + 2] = loss / np.float32(36 * 12)


def write_features(men: Any, who: Any, x: Any, at: Any) -> None:
    """Write what `who` has and threatens, FEATURES numbers of about 0 to 1, from place `at` on."""
    other = 1 - who
    write_shots(men, who, other, x, at)
    # Pips, and how far apart the sides still are.
    mine, yours, outside, outfield = np.int64(0), np.int64(0), np.int64(0), np.int64(0)
    for point in range(1, BAR + 1):
        mine += point * np.int64(men[who, point])
        yours += point * np.int64(men[other, point])
        if point > HOME:
            outside += np.int64(men[who, point])
        if HOME < point < 19:
            outfield += point * np.int64(men[who, point])
    x[at + 3] = np.float32(mine) / np.float32(167)
    x[at + 4] = np.float32(mine - yours) / np.float32(100)
    back, front = rear_of(men, who), 25 - rear_of(men, other)
    contact = np.int64(0)  # pips until nothing can be hit
    behind = np.int64(0)
    for point in range(front + 1, BAR + 1):
        contact += (point - front) * np.int64(men[who, point])
        behind += np.int64(men[who, point])
    x[at + 5] = np.float32(contact) / np.float32(100)
    x[at + 6] = np.float32(behind) / np.float32(15)
    # How freely the checkers move, and how well those of the other side are held.
    x[at + 7] = ESCAPES[blocked_ahead(men, other, back)]
    free, weight = np.float32(0), np.float32(0)
    for point in range(HOME + 1, BAR + 1):
        n = np.float32(men[who, point])
        if n > 0:
            share = np.float32(point - HOME) * n
            free += share * ESCAPES[blocked_ahead(men, other, np.int64(point))]
            weight += share
    x[at + 8] = free / np.float32(60)
    x[at + 9] = (weight - free) / np.float32(60)
    least, mean = np.float32(1), np.float32(0)
    for point in range(16, BAR + 1):  # where checkers of the other side stand, or may come to stand
        freedom = ESCAPES[blocked_ahead(men, who, np.int64(point))]
        mean += freedom
        least = min(least, freedom)
    x[at + 10] = np.float32(1) - least
    x[at + 11] = np.float32(1) - mean / np.float32(10)
    prime, longest = np.int64(0), np.int64(0)
    for point in range(1, 19):
        prime = prime + 1 if men[who, point] >= 2 else np.int64(0)
        longest = max(longest, prime)
    x[at + 12] = np.float32(longest) / np.float32(6)
    # Anchors in the other side's home board and checkers sent back.
    anchors, highest, sent = np.int64(0), np.int64(0), np.int64(men[who, BAR])
    for point in range(19, BAR):
        sent += np.int64(men[who, point])
        if men[who, point] >= 2:
            anchors += 1
            if highest == 0:
                highest = np.int64(point)
    x[at + 13] = np.float32(anchors) / np.float32(2)
    x[at + 14] = np.float32(BAR - highest if highest > 0 else 0) / np.float32(6)
    x[at + 15] = np.float32(sent) / np.float32(8)
    # Entering: how much the home board of the other side lets in, and what that costs now.
    closed = np.int64(0)
    blots = np.int64(0)
    for point in range(1, HOME + 1):
        closed += np.int64(1) if men[other, point] >= 2 else np.int64(0)
        blots += np.int64(1) if men[who, point] == 1 else np.int64(0)
    refused = np.float32(closed * closed) / np.float32(36)
    x[at + 16] = refused
    x[at + 17] = refused * np.float32(min(np.int64(men[who, BAR]), np.int64(2)))
    x[at + 18] = np.float32(blots) / np.float32(4)
    # Pips that can be played before the home board must be broken.
    x[at + 19] = np.float32(outfield + 6 * outside) / np.float32(100)
