"""The limit that a search obeys."""

from __future__ import annotations

import contextlib
import math
import time
from collections.abc import Iterator

from gametree.core.errors import BadInput, OutOfTime

__all__ = ["Clock", "search_time", "uncounted"]

_uncounted_seconds = 0.0


def search_time() -> float:
    """A clock in seconds that stands still while code is compiled; only differences mean anything."""
    return time.monotonic() - _uncounted_seconds


@contextlib.contextmanager
def uncounted() -> Iterator[None]:
    """Time spent inside this counts on no search's clock: for work that is done once, such as compiling.

    Not to be nested, nor entered by two threads at once.
    """
    global _uncounted_seconds
    before = time.monotonic()
    try:
        yield
    finally:
        _uncounted_seconds += time.monotonic() - before


class Clock:
    """A limit on a search's time or nodes, shared by all parts of one search.

    `stop()` may be called from another thread or a signal handler.
    """

    def __init__(self, seconds: float | None = None, *, nodes: int | None = None) -> None:
        if seconds is not None and not seconds > 0:
            raise BadInput(f"A time of {seconds:g} s is too short; expected more than 0.")
        if nodes is not None and nodes < 1:
            raise BadInput(f"A limit of {nodes} nodes is too small; expected at least 1.")
        self.started = search_time()
        self.seconds = seconds
        self.nodes = nodes
        self._stopped = False

    def stop(self) -> None:
        """Make every later `expired` true."""
        self._stopped = True

    def limit(self, seconds: float) -> None:
        """From now on `seconds` are left."""
        self.seconds = self.elapsed() + seconds

    def elapsed(self) -> float:
        """Seconds since the clock was made; compiling does not count."""
        return search_time() - self.started

    def left(self) -> float:
        """Seconds until it expires; infinite where only nodes are counted."""
        return math.inf if self.seconds is None else self.seconds - self.elapsed()

    def expired(self, nodes: int = 0) -> bool:
        """Whether the time or the nodes are used up, or someone said stop."""
        if self._stopped or (self.nodes is not None and nodes >= self.nodes):
            return True
        return self.left() <= 0

    def check(self, nodes: int = 0) -> None:
        """Raise OutOfTime if the clock has expired."""
        if self.expired(nodes):
            raise OutOfTime(
                f"The search was stopped after {self.elapsed():.2f} s and {nodes} nodes, before it had an answer."
            )
