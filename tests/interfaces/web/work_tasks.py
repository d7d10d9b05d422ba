"""Tasks for the tests of the worker processes."""

from __future__ import annotations

import os
import time
from typing import Any


def echo(job: Any, text: str) -> str:
    return text


def whoami(job: Any) -> int:
    return os.getpid()


def wait(job: Any) -> str:
    """Wait until told to stop."""
    job.report("begun")
    while not job.clock.expired():
        time.sleep(0.005)
    return "stopped"


def hang(job: Any) -> None:
    """Never listen."""
    while True:
        pass


def take(job: Any, mebibytes: int) -> int:
    return len(bytearray(mebibytes << 20))


def infinite(job: Any) -> float:
    return float("inf")


def leave(job: Any) -> None:
    os._exit(3)


def fail(job: Any) -> None:
    raise ValueError("on purpose")


def speak(job: Any) -> str:
    print("this must not end up among the answers")
    return "said"


def sleep(job: Any) -> None:
    """Hang without using the processor."""
    time.sleep(1e6)


def add_three(n: int) -> int:
    return n + 3


def need_code(job: Any, n: int) -> int:
    """What cannot be done without compiled code."""
    from gametree.kernels import jit

    return int(jit(add_three)(n))
