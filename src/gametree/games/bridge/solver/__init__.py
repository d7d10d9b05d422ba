"""The double-dummy solver: how many tricks both sides take if everybody sees all cards, exactly.

A `Solver` holds the memory of one search; `shared_solver` is the one of this process. Hands are masks, one bit a card:
suit × 16 + rank, suits ♠ ♥ ♦ ♣, the two being rank 0. Seats are N E S W, strains ♠ ♥ ♦ ♣ NT.
"""

from __future__ import annotations

import functools
import threading
import time
from collections.abc import Sequence
from typing import Any

import numpy as np

from gametree.core.clock import Clock
from gametree.core.errors import OutOfTime
from gametree.games.bridge.solver.estimates import WEIGHTS
from gametree.games.bridge.solver.kernel import prepare, solve_board, solve_cards, solve_table
from gametree.games.bridge.solver.memory import MOST_PATTERNS, Context, Pattern
from gametree.kernels import Kernel

__all__ = ["Solver", "shared_solver"]


class Solver:
    """Exact double-dummy results. Its methods may be called from any thread, one at a time.

    Each raises OutOfTime where a clock expires first. `patterns` is how many it remembers, 32 bytes each.
    """

    def __init__(self, patterns: int = MOST_PATTERNS) -> None:
        self._lock = threading.Lock()
        self._patterns = np.zeros(patterns, Pattern)
        self._contexts = np.zeros(1, Context)
        ctx = self._contexts[0]
        ctx.patterns_at, ctx.room = self._patterns.ctypes.data, patterns
        ctx.weights[: len(WEIGHTS)] = WEIGHTS
        prepare(self._contexts)

    @property
    def nodes(self) -> int:
        """Cards played by all searches so far."""
        return int(self._contexts[0].nodes)

    def table(self, hands: Sequence[int], *, clock: Clock | None = None) -> list[int]:
        """Tricks of the declarer: for each of the strains ♠ ♥ ♦ ♣ NT, declarers N E S W."""
        out = np.zeros(20, np.int64)
        self._run(solve_table, clock, _masks(hands), out)
        return out.tolist()

    def tricks(self, hands: Sequence[int], strain: int, leader: int, *, clock: Clock | None = None) -> int:
        """North-South's tricks; the leader leads to the next one."""
        return int(self._run(solve_board, clock, _masks(hands), np.int64(strain), np.int64(leader)))

    def cards(
        self, hands: Sequence[int], strain: int, leader: int, trick: Sequence[int] = (), *, clock: Clock | None = None
    ) -> dict[int, int]:
        """North-South's tricks, the running one included, after every card that may be played now.

        `trick` are the cards of the running trick, which `leader` led; `hands` are without them.
        """
        out = np.zeros((13, 2), np.int64)
        running = np.zeros(4, np.int64)
        running[: len(trick)] = trick
        board = (_masks(hands), np.int64(strain), np.int64(leader), running, np.int64(len(trick)), out)
        count = self._run(solve_cards, clock, *board)
        return {int(card): int(tricks) for card, tricks in out[:count]}

    def _run(self, kernel: Kernel, clock: Clock | None, *arguments: Any) -> Any:
        with self._lock:
            kernel.prepare(self._contexts, *arguments)  # before the deadline is set: compiling counts on no clock
            ctx = self._contexts[0]
            ctx.aborted, ctx.deadline = 0, 0
            ctx.remembered[...] = 0  # so that the same question costs the same whatever was asked before
            if clock is not None and clock.left() != float("inf"):
                ctx.deadline = time.monotonic_ns() + int(max(0.0, clock.left()) * 1e9)
            found = kernel(self._contexts, *arguments)
            if ctx.aborted:
                raise OutOfTime("The time was over before the double-dummy search was done.")
            return found


def _masks(hands: Sequence[int]) -> np.ndarray[tuple[int], np.dtype[np.uint64]]:
    return np.array([int(hand) for hand in hands], np.uint64)


@functools.cache
def shared_solver() -> Solver:
    """The solver of this process."""
    return Solver()
