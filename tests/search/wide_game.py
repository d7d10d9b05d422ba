"""A game with a great many moves: two players in turn add a number below WIDTH to a sum, LENGTH times in all."""

from __future__ import annotations

from typing import Any

import numpy as np

from gametree.core.facts import Facts
from gametree.kernels import CompiledGame, struct

State = struct(total="i8", ply="i8")
WIDTH = 20_000
LENGTH = 2
UNIT = 100


def initial(s: Any) -> None:
    """Nothing has been added yet."""


def legal_moves(s: Any, out: Any) -> Any:
    """Every number below WIDTH."""
    if s.ply >= LENGTH:
        return np.int64(0)
    for number in range(WIDTH):
        out[number] = number
    return np.int64(WIDTH)


def play(s: Any, m: Any) -> None:
    """Add the number."""
    s.total += m
    s.ply += 1


def utility(s: Any) -> Any:
    """The first player wants a large sum."""
    points = min(max(s.total * 10 // WIDTH - 8, -9), 9)
    return points if s.ply % 2 == 0 else -points


def evaluate(s: Any) -> Any:
    """Some number that depends on the sum."""
    return (s.total * 40_503 >> 5) % 601 - 300


class Wide(CompiledGame):
    """The game of a wide tree."""

    def __init__(self, width: int = WIDTH, length: int = LENGTH) -> None:
        self.facts = Facts(most_moves=width, longest_game=length, min_utility=-9, max_utility=9)
        super().__init__(WIDTH=width, LENGTH=length)


game = Wide
