"""Goals that need no search: whether a side can walk a rabbit home with the steps that it has.

What is claimed is so: a goal that is found can be played. Not every goal is found. A rabbit walks alone, or after one
step of another animal that clears its way, unfreezes it or guards a trap; or after one push or pull.

A rabbit that walks is looked at by floods: the squares where it can stand after each step, alive and unfrozen.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from gametree.games.arimaa.board import (
    BACKWARDS,
    DELTAS,
    GOALS,
    RABBIT,
    TRAPS,
    beside,
    frozen,
    kind_at,
    pushable,
    shifted,
    stronger_than,
)
from gametree.kernels import ONE, ZERO, ctz, u64

__all__ = ["goal_within"]

REACH = np.array(
    [[0xFF << 56, 0xFF << 48, 0xFF << 40, 0xFF << 32, 0xFF << 24], [0xFF << 8 * rank for rank in range(5)]], np.uint64
)
"""The ranks by side and by the steps that lie between them and the goal."""
NEVER = 9


def walk_home(rabbit: Any, own: Any, foe: Any, strong: Any, side: Any, steps: Any) -> Any:
    """The fewest of `steps` that take one rabbit home, NEVER if it cannot walk alone. `strong`: foes but rabbits."""
    friends = own ^ rabbit
    empty = ~(own | foe)
    danger = beside(strong)
    if rabbit & danger & ~beside(friends) != ZERO:
        return np.int64(NEVER)
    friends &= ~(friends & TRAPS & beside(rabbit) & ~beside(friends))  # what falls when the rabbit leaves
    near = beside(friends)
    live = rabbit
    for step in range(1, steps + 1):
        forward = live << u64(8) if side == 0 else live >> u64(8)
        live = (forward | shifted(live, 1) | shifted(live, 3)) & empty
        if live & GOALS[side] != ZERO:
            return np.int64(step)
        live &= (near | ~danger) & (near | ~TRAPS)
        if live == ZERO:
            break
    return np.int64(NEVER)


def walks_home(rabbits: Any, own: Any, foe: Any, strong: Any, side: Any, steps: Any) -> Any:
    """Whether one of the rabbits can."""
    left = rabbits & near_goal(side, steps)
    while left != ZERO:
        rabbit = left & ~(left - ONE)
        left ^= rabbit
        if walk_home(rabbit, own, foe, strong, side, steps) <= steps:
            return True
    return False


def near_goal(side: Any, steps: Any) -> Any:
    """The squares from which so many steps could reach the goal."""
    found = ZERO
    for away in range(1, steps + 1):
        found |= REACH[side, away]
    return found


def goal_within(s: Any, side: Any, steps: Any) -> Any:
    """Whether the side, if it begins to step here, is seen to bring a rabbit home with at most `steps` steps."""
    own, foe = s.sides[side], s.sides[1 - side]
    rabbits = s.kinds[RABBIT] & own
    if rabbits & near_goal(side, steps) == ZERO:
        return False
    strong = foe & ~s.kinds[RABBIT]
    if walks_home(rabbits, own, foe, strong, side, steps):
        return True
    return steps >= 2 and helped_home(s, rabbits, own, foe, strong, side, steps)


def helped_home(s: Any, rabbits: Any, own: Any, foe: Any, strong: Any, side: Any, steps: Any) -> Any:
    """The same after one step, push or pull of another animal."""
    free = own & ~frozen(s, side)
    empty = ~(own | foe)
    # Who is farther from the goal than the steps that will be left gains nothing from help.
    near = rabbits & near_goal(side, steps - 1)
    if near == ZERO:
        return False
    for direction in range(4):
        walkers = free & ~s.kinds[RABBIT] if direction == BACKWARDS[side] else free
        sources = walkers & shifted(empty, (direction + 2) & 3)
        while sources != ZERO:
            bit = sources & ~(sources - ONE)
            sources ^= bit
            to = ONE << u64(ctz(bit) + DELTAS[direction])
            after = own ^ bit ^ to
            after &= ~(after & TRAPS & beside(bit) & ~beside(after))
            ready = near & after
            if walks_home(ready, after, foe, strong, side, steps - 1):
                return True
            if steps >= 3 and s.kinds[RABBIT] & bit == ZERO:
                # The animal may pull a weaker enemy into the square that it has left.
                drawn = beside(bit) & foe & ~stronger_than(s, kind_at(s, bit) - 1)
                while drawn != ZERO:
                    enemy = drawn & ~(drawn - ONE)
                    drawn ^= enemy
                    if moved_away(s, ready, after, foe, strong, enemy, bit, side, steps - 2):
                        return True
    if steps < 3:
        return False
    victims = pushable(s, side, free)
    while victims != ZERO:
        victim = victims & ~(victims - ONE)
        victims ^= victim
        pushers = stronger_than(s, kind_at(s, victim)) & free & beside(victim)
        targets = beside(victim) & empty
        while targets != ZERO:
            to = targets & ~(targets - ONE)
            targets ^= to
            left = pushers
            while left != ZERO:
                pusher = left & ~(left - ONE)
                left ^= pusher
                after = own ^ pusher ^ victim
                after &= ~(after & TRAPS & beside(pusher) & ~beside(after))
                if moved_away(s, near & after, after, foe, strong, victim, to, side, steps - 2):
                    return True
    return False


def moved_away(
    s: Any, rabbits: Any, own: Any, foe: Any, strong: Any, enemy: Any, to: Any, side: Any, steps: Any
) -> Any:
    """Whether a rabbit walks home once an enemy has been moved from one square to another."""
    foe_after = foe ^ enemy ^ to
    fallen = foe_after & TRAPS & beside(enemy) & ~beside(foe_after)
    foe_after &= ~fallen
    strong_after = strong
    if strong & enemy != ZERO:
        strong_after = strong ^ enemy ^ to
    return walks_home(rabbits, own, foe_after, strong_after & ~fallen, side, steps)
