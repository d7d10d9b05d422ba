"""What a contract is worth: duplicate, IMPs, matchpoints and rubber, as the laws of bridge say.

Strains are numbered ♠ 0, ♥ 1, ♦ 2, ♣ 3, no trump 4; `doubled` is 0, 1 or, redoubled, 2. `contract_score`, `imps` and
`trick_points` are compiled as well.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

__all__ = ["bonus_points", "contract_score", "imps", "matchpoints", "penalty", "trick_points", "vulnerability"]

_IMP_STEPS = (
    20, 50, 90, 130, 170, 220, 270, 320, 370, 430, 500, 600, 750, 900, 1100, 1300, 1500, 1750, 2000, 2250, 2500, 3000,
    3500, 4000,
)  # fmt: skip


def trick_points(level: Any, strain: Any, doubled: Any) -> Any:
    """The points of the tricks that were bid: those below the line."""
    points = 20 * level if strain in (2, 3) else 30 * level
    if strain == 4:
        points += 10
    return points << doubled


def penalty(down: Any, doubled: Any, vulnerable: Any) -> Any:
    """What the defenders get for so many undertricks."""
    if doubled == 0:
        return (100 if vulnerable else 50) * down
    if vulnerable:
        points = 300 * down - 100
    else:
        points = 200 * down - 100
        if down > 3:
            points += 100 * (down - 3)
    return points * doubled


def bonus_points(level: Any, strain: Any, doubled: Any, vulnerable: Any, tricks: Any) -> Any:
    """Overtricks, slam and insult of a contract that was made: those above the line in rubber bridge too."""
    over = tricks - level - 6
    if doubled == 0:
        points = (20 if strain in (2, 3) else 30) * over
    else:
        points = (200 if vulnerable else 100) * doubled * over + 50 * doubled
    if level == 6:
        points += 750 if vulnerable else 500
    elif level == 7:
        points += 1500 if vulnerable else 1000
    return points


def contract_score(level: Any, strain: Any, doubled: Any, vulnerable: Any, tricks: Any) -> Any:
    """Duplicate points of the declarer's side, which took so many of the thirteen tricks."""
    if tricks < level + 6:
        return -penalty(level + 6 - tricks, doubled, vulnerable)
    points = trick_points(level, strain, doubled)
    game = (500 if vulnerable else 300) if points >= 100 else 50
    return points + game + bonus_points(level, strain, doubled, vulnerable, tricks)


def imps(difference: Any) -> Any:
    """International match points for a difference of points; negative for a negative one."""
    size = abs(difference)
    found = 0
    for step in _IMP_STEPS:
        if size >= step:
            found += 1
    return found if difference >= 0 else -found


def matchpoints(scores: Sequence[float]) -> list[int]:
    """For the North-South scores of a board at all tables: two for every table that is beaten, one for a tie."""
    return [sum((mine > other) * 2 + (mine == other) for other in scores) - 1 for mine in scores]


def vulnerability(board: int) -> int:
    """Who is vulnerable on a board of this number: bit 0 North-South, bit 1 East-West."""
    turn = (board - 1) % 16
    return (turn + turn // 4) % 4
