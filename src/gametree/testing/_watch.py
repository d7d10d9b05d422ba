"""Stops a game's verb that never returns or that eats all memory."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable
from types import FrameType
from typing import Any

__all__ = ["Stopped", "Watch"]

MOST_MEMORY = 1 << 30
"""Bytes by which the process may grow before a verb is taken to build an endless list."""
TICK = 0.1
"""Seconds between two looks at the clock."""
COMPILER = f"{os.sep}numba{os.sep}"
"""Part of the path of every file of the compiler."""


class Stopped(BaseException):
    """Raised inside the verb that is stopped. Not an Exception, so that no `except Exception` of a game swallows it."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class Watch:
    """A context in which `run` stops functions that take longer than `seconds`.

    It rests on the signal SIGALRM, so it guards only on the main thread of a system that has it; elsewhere functions
    simply run. An alarm that was set before is put back on leaving.
    """

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self._started: float | None = None
        self._guards = hasattr(signal, "SIGALRM") and threading.current_thread() is threading.main_thread()

    def __enter__(self) -> Watch:
        if self._guards:
            self._memory = _memory()
            self._handler = signal.signal(signal.SIGALRM, self._look)
            tick = min(TICK, self.seconds / 4)
            self._timer = signal.setitimer(signal.ITIMER_REAL, tick, tick)
        return self

    def __exit__(self, *_: object) -> None:
        if self._guards:
            signal.setitimer(signal.ITIMER_REAL, *self._timer)
            signal.signal(signal.SIGALRM, self._handler)

    def run(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """Call the function. Raises Stopped, or whatever the function raises."""
        self._started = time.monotonic()
        try:
            return function(*arguments)
        finally:
            self._started = None

    def _look(self, _signal: int, frame: FrameType | None) -> None:
        """Raise Stopped in the running function if it has had enough. Runs at every tick."""
        if self._started is None:
            return
        if _compiles(frame):  # the first call of a compiled verb; the compiler's time and memory are not the verb's
            self._started, self._memory = time.monotonic(), _memory()
            return
        if time.monotonic() - self._started >= self.seconds:
            raise Stopped(f"did not return within {self.seconds:g} s")
        if _memory() - self._memory > MOST_MEMORY:
            raise Stopped(f"took more than {MOST_MEMORY >> 30} GiB of memory and had not returned")


def _compiles(frame: FrameType | None) -> bool:
    """Whether numba is at work somewhere up the stack."""
    while frame is not None:
        if COMPILER in frame.f_code.co_filename:
            return True
        frame = frame.f_back
    return False


def _memory() -> int:
    """The most memory that the process has held so far, in bytes."""
    import resource
    import sys

    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most if sys.platform == "darwin" else most * 1024
