"""Generating plays: every way to use both dice, ways with the same result once.

A play is a number: the points that checkers leave, in the order of the steps, five bits each from the lowest on, and
bit 20 if the lower die is used first. 0 is the play of somebody who cannot move.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from gametree.games.backgammon.board import BAR, HOME, OFF

__all__ = ["LOW_FIRST", "MOST_PLAYS", "list_plays", "move_checkers", "other_order", "steps_of"]

MOST_PLAYS = 3060
"""No roll can be played in more ways: a double takes four steps from at most 15 points, and C(18, 4) = 3060."""
LOW_FIRST = 1 << 20
_MASK = LOW_FIRST - 1
_MOST, _COUNT = 26, 27
"""Behind the 26 points of the scratch board: the most steps that a play of a double had so far, and how many had."""
_NONE = 31


def can_step(board: Any, men: Any, other: Any, source: Any, die: Any) -> Any:
    """Whether a checker of `board` may go `die` pips from the point `source`, past the bar's right to go first."""
    target = source - die
    if board[source] == 0:
        return False
    if target > 0:
        return men[other, 25 - target] < 2
    highest = np.int64(BAR) if target == 0 else np.int64(HOME)
    for point in range(HOME + 1, BAR + 1):
        if board[point] > 0:
            return False
    if target == 0:
        return True
    while board[highest] == 0:
        highest -= 1
    return highest == source


def top_source(board: Any) -> Any:
    """The highest point that a checker may leave."""
    point = np.int64(BAR)
    while point > 0 and board[point] == 0:
        point -= 1
    return point


def add_doubles(board: Any, men: Any, other: Any, die: Any, top: Any, steps: Any, code: Any, out: Any) -> None:
    """Write the plays that go on with points from `top` down, if they are among the longest.

    A set of steps has one result in whatever order it is played, and if any order is legal then so is the one from the
    highest point down; so that order finds everything, and each result once.
    """
    moved = False
    if steps < 4:
        lowest = np.int64(BAR) if board[BAR] > 0 else np.int64(1)
        source = top
        while source >= lowest:
            if can_step(board, men, other, source, die):
                moved = True
                target = max(source - die, np.int64(OFF))
                board[source] -= 1
                board[target] += 1
                add_doubles(board, men, other, die, source, steps + 1, code | source << 5 * steps, out)
                board[target] -= 1
                board[source] += 1
            source -= 1
    if moved:
        return
    if steps > board[_MOST]:
        board[_MOST] = steps
        board[_COUNT] = 0
    if steps == board[_MOST]:
        out[board[_COUNT]] = code
        board[_COUNT] += 1


def key_of_pair(men: Any, other: Any, first: Any, die: Any, second: Any, last: Any) -> Any:
    """What two steps change, as a number: points left, points entered, points where a checker is hit."""
    middle, end = max(first - die, np.int64(OFF)), max(second - last, np.int64(OFF))
    left, also_left = max(first, second), min(first, second)
    entered, also_entered = max(middle, end), min(middle, end)
    if middle == second:
        left, also_left, entered, also_entered = first, np.int64(_NONE), end, np.int64(_NONE)
    elif end == first:
        left, also_left, entered, also_entered = second, np.int64(_NONE), middle, np.int64(_NONE)
    hit, also_hit = np.int64(0), np.int64(0)
    if middle > 0 and men[other, 25 - middle] == 1:
        hit = middle
    if end > 0 and end != middle and men[other, 25 - end] == 1:
        also_hit = end
    hits = max(hit, also_hit) << 5 | min(hit, also_hit)
    return ((left << 5 | also_left) << 10 | entered << 5 | also_entered) << 10 | hits


def list_plays(s: Any, out: Any) -> Any:
    """Write all plays of the dice and return how many there are: at least one, which is 0 if nothing can move."""
    seat, other = np.int64(s.seat), 1 - np.int64(s.seat)
    men = s.men
    board = np.zeros(28, np.int64)
    for point in range(26):
        board[point] = men[seat, point]
    high, low = np.int64(s.dice[0]), np.int64(s.dice[1])
    if high == low:
        add_doubles(board, men, other, high, top_source(board), np.int64(0), np.int64(0), out)
        return board[_COUNT]
    n = np.int64(0)
    longest = np.int64(0)
    for order in range(2):
        die, last = (high, low) if order == 0 else (low, high)
        flag = np.int64(LOW_FIRST) * order
        source = top_source(board)
        lowest = np.int64(BAR) if board[BAR] > 0 else np.int64(1)
        while source >= lowest:
            if can_step(board, men, other, source, die):
                target = max(source - die, np.int64(OFF))
                board[source] -= 1
                board[target] += 1
                second = top_source(board)
                least = np.int64(BAR) if board[BAR] > 0 else np.int64(1)
                while second >= least:
                    if can_step(board, men, other, second, last):
                        if longest < 2:
                            longest, n = np.int64(2), np.int64(0)
                        key = key_of_pair(men, other, source, die, second, last) << 21
                        known = False
                        for i in range(n):
                            if (out[i] ^ key) >> 21 == 0:
                                known = True
                                break
                        if not known:
                            out[n] = key | flag | second << 5 | source
                            n += 1
                    second -= 1
                board[target] -= 1
                board[source] += 1
                # A single step stands if no play has two, and the lower die only if the higher cannot be used.
                if longest < 2 and (order == 0 or longest == 0 or out[0] & LOW_FIRST != 0):
                    longest = np.int64(1)
                    out[n] = flag | source
                    n += 1
            source -= 1
    if longest == 0:
        out[0] = 0
        return np.int64(1)
    for i in range(n):
        out[i] &= 2 * LOW_FIRST - 1
    return n


def move_checkers(s: Any, m: Any) -> None:
    """Take the steps of a play; a single checker of the other side that is met goes to the bar."""
    seat, other = np.int64(s.seat), 1 - np.int64(s.seat)
    first = s.dice[1] if m & LOW_FIRST != 0 else s.dice[0]
    second = s.dice[0] if m & LOW_FIRST != 0 else s.dice[1]
    die = np.int64(first)
    rest = m & _MASK
    while rest != 0:
        source = rest & 31
        rest >>= 5
        target = max(source - die, np.int64(OFF))
        s.men[seat, source] -= 1
        s.men[seat, target] += 1
        if target > 0 and s.men[other, 25 - target] == 1:
            s.men[other, 25 - target] = 0
            s.men[other, BAR] += 1
        die = np.int64(second)


def other_order(s: Any, m: int) -> int:
    """The play that moves the same checker by the other die first, if it has the same result; else 0."""
    high, low = int(s.dice[0]), int(s.dice[1])
    steps = steps_of((high, low), m)
    if high == low or len(steps) != 2 or steps[0][1] != steps[1][0]:
        return 0
    source, middle = steps[0]
    turned, end = source - (high if m & LOW_FIRST else low), source - high - low
    if turned <= OFF or end < OFF or (end == OFF and turned > HOME):
        return 0
    if s.men[1 - s.seat, 25 - turned] > 0 or s.men[1 - s.seat, 25 - middle] > 0:
        return 0
    return (turned << 5 | source) | (0 if m & LOW_FIRST else LOW_FIRST)


def steps_of(dice: tuple[int, int], m: int) -> list[tuple[int, int]]:
    """The steps of a play as pairs of points, from and to."""
    first, second = (dice[1], dice[0]) if m & LOW_FIRST else dice
    found: list[tuple[int, int]] = []
    rest = m & _MASK
    while rest:
        die = second if found else first
        found.append((rest & 31, max((rest & 31) - die, OFF)))
        rest >>= 5
    return found
