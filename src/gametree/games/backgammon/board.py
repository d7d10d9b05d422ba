"""The struct of a position, and what both sides need to know of their checkers.

Each side counts the points from its own side: 24 is the farthest, 1 the last, 25 the bar and 0 what is borne off. So
its point p is the other side's point 25 − p.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from gametree.kernels.verbs import struct

__all__ = [
    "ANSWER",
    "BAR",
    "CHECKERS",
    "CUBE",
    "OFF",
    "OPENING",
    "OVER",
    "PLAY",
    "ROLL",
    "START",
    "State",
    "is_race",
    "pips",
    "rear_of",
    "set_up_checkers",
    "worth_of_win",
]

BAR = 25
OFF = 0
CHECKERS = 15
OPENING, ROLL, CUBE, ANSWER, PLAY, OVER = range(6)
"""What happens next: each side throws one die; the dice are thrown; throw or double; take or drop; a play; nothing."""
START = ((24, 2), (13, 5), (8, 3), (6, 5))
"""Points and checkers of either side at the start."""
HOME = 6

State = struct(
    men=("i1", (2, 26)),  # checkers of each side on its own points
    seat="i1",  # whose turn it is; where a double waits for an answer, who has doubled; at the end, who has lost
    phase="i1",
    dice=("i1", 2),  # the higher first; 0: not thrown
    cube="i1",  # its value is 2 ** cube
    owner="i1",  # 0: in the middle; else seat + 1
    points="i2",  # at the end of a game for points: what the winner gets
    score=("i2", 2),  # of a match
    crawford="i1",  # 1: this is the game of a match in which nobody may double
)


def set_up_checkers(s: Any) -> None:
    """Both sides as at the start of a game, nobody on roll."""
    for side in range(2):
        for point in range(26):
            s.men[side, point] = 0
        s.men[side, 24] = 2
        s.men[side, 13] = 5
        s.men[side, 8] = 3
        s.men[side, 6] = 5
    s.seat = 0
    s.phase = OPENING
    s.dice[0] = s.dice[1] = 0
    s.cube = s.owner = 0
    s.points = 0


def pips(s: Any, side: Any) -> Any:
    """How many pips the side has to go."""
    total = np.int64(0)
    for point in range(1, 26):
        total += point * np.int64(s.men[side, point])
    return total


def rear_of(men: Any, side: Any) -> Any:
    """The highest point that the side holds; 0 if all its checkers are off."""
    point = np.int64(BAR)
    while point > 0 and men[side, point] == 0:
        point -= 1
    return point


def is_race(s: Any) -> Any:
    """Whether the sides have passed each other, so that no checker can be hit any more."""
    return rear_of(s.men, 0) + rear_of(s.men, 1) < 25


def worth_of_win(s: Any, loser: Any) -> Any:
    """1, 2 (gammon: the loser has borne off none) or 3 (and has one on the bar or in the winner's home board)."""
    if s.men[loser, OFF] > 0:
        return 1
    return 3 if rear_of(s.men, loser) > 24 - HOME else 2
