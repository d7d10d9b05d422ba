"""The time, for compiled code that must end by itself."""

from __future__ import annotations

import sys
import time

__all__ = ["SYSTEM_CLOCK", "monotonic_ns"]

SYSTEM_CLOCK: int | None = getattr(time, "CLOCK_UPTIME_RAW" if sys.platform == "darwin" else "CLOCK_MONOTONIC", None)
"""The clock behind `time.monotonic_ns` by the system's number; None on a system where compiled code cannot read it."""


def monotonic_ns() -> int:
    """`time.monotonic_ns()`; in compiled code 0 where the system has no such clock."""
    return time.monotonic_ns()
