"""A player of Kriegspiel as simple programs on public servers are: no belief, a few rules of thumb.

    gametree match belief bench/kriegspiel/heuristic_player.py:player --game kriegspiel --games 20

It takes back on the square where something was taken last, promotes to a queen if it can, and else picks a man, the one
with the longest try with probability 1/2, the next with 1/4 and so on, and tries its moves, the longest first.
"""

from __future__ import annotations

import random
from typing import Any

from gametree.games.kriegspiel.umpire import ASK, try_from, try_to, try_turned
from gametree.kernels.bits import u64

QUEEN = u64(5)


def length(action: int) -> int:
    """How far the man would go."""
    start, to = int(try_from(action)), int(try_to(action))
    return max(abs(start // 8 - to // 8), abs(start % 8 - to % 8))


class Heuristics:
    """The player; a man that was picked is tried to the end before another one is."""

    def __init__(self, seed: int = 0) -> None:
        self._rng = random.Random(seed)
        self._picked = -1

    def start(self, game: Any, seat: int, seed: int) -> None:
        """Draw from the game's seed."""
        self._rng.seed(seed)
        self._picked = -1

    def choose(self, game: Any, state: Any, seat: int) -> int:
        """One of the tries that are left."""
        s = game.struct(state)
        tries = sorted(game.actions(state), key=lambda action: (-length(action), action))
        moves = [action for action in tries if action != ASK] or tries
        back = [action for action in moves if s.taken and int(try_to(action)) == int(s.taken) - 1]
        queens = [action for action in moves if try_turned(action) == QUEEN]
        if back or queens:
            return int((back or queens)[0])
        if not s.refusals:
            self._picked = -1
        men = list(dict.fromkeys(int(try_from(action)) for action in moves))
        if self._picked not in men:
            places = iter(men)
            self._picked = next(places)
            for man in places:
                if self._rng.random() < 0.5:
                    break
                self._picked = man
        return next(action for action in moves if int(try_from(action)) == self._picked)


player = Heuristics
