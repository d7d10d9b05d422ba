"""Slow and plain, to hold the searches against: minimax as its definition says, and random trees as text."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

from gametree.core.game import MAX, Game


def minimax_value(game: Game[Any, Any], state: Any, depth: int = -1) -> float:
    """What the state is worth to MAX, `depth` plies on or at the end of the game."""
    if game.is_terminal(state):
        return game.utility(state, MAX)
    if depth == 0:
        return game.evaluate(state, MAX)
    values = [minimax_value(game, game.result(state, action), depth - 1) for action in game.actions(state)]
    return max(values) if game.player(state) == MAX else min(values)


def _leaves(rng: random.Random) -> Callable[[], str]:
    """How this tree's leaves are written: few values and many ties, whole numbers, reals, or a constant sum of 1."""
    kind = rng.randrange(5)
    if kind == 0:
        return lambda: rng.choice(["-1", "0", "1"])
    if kind == 1:
        return lambda: str(rng.randint(-9, 9))
    if kind == 2:
        return lambda: repr(rng.uniform(-1, 1))
    if kind == 3:  # reals less than 1 apart, with ties
        return lambda: repr(rng.randint(-5, 5) / 10)
    return lambda: "{}/{}".format(*rng.choice([(0, 1), (0.25, 0.75), (0.5, 0.5), (0.75, 0.25), (1, 0)]))


def random_tree_text(seed: int) -> str:
    """A random tree: 1 to 4 children, depth 0 to 5, uneven; in half of the trees the mover is drawn at every node."""
    rng = random.Random(f"exact {seed}")
    leaf = _leaves(rng)
    depth, widest = rng.choice([0, 1, 2, 3, 3, 4, 4, 5, 5]), rng.choice([1, 2, 3, 3, 4, 4])
    early = rng.choice([0.0, 0.1, 0.3])
    movers_drawn = rng.random() < 0.5
    first = rng.randrange(2)

    def grow(level: int) -> str:
        if level == depth or (level and rng.random() < early):
            return leaf()
        mover = rng.randrange(2) if movers_drawn else (first + level) % 2
        return ["max", "min"][mover] + "(" + " ".join(grow(level + 1) for _ in range(rng.randint(1, widest))) + ")"

    return grow(0)
