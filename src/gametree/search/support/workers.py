"""Runs compiled searches in threads while the calling thread watches the clock.

Kernels do not hold Python's lock, so the watcher is free to obey a stop from another thread or the keyboard at once: it
writes the stop flag into the contexts of the kernels, which look at it every thousand nodes or so.
"""

from __future__ import annotations

import functools
import math
import threading
from collections.abc import Callable, Sequence
from queue import SimpleQueue
from typing import Any

from gametree.core.clock import Clock
from gametree.kernels.jit import Kernel
from gametree.kernels.timer import monotonic_ns

__all__ = ["NEVER", "deadline_of", "run_workers"]

NEVER = 1 << 62
"""A time, or a number of nodes, that is never reached."""

_TICK_SECONDS = 0.005  # more often costs two busy threads several percent of their speed
_TICKS_PER_CALL = 2

_idle: list[SimpleQueue[Callable[[], None]]] = []
"""Queues of threads that wait for work: starting a thread costs more than a small search."""


def _submit(task: Callable[[], None]) -> None:
    """Run a task in a thread of its own, which waits for the next task afterwards."""
    try:
        queue = _idle.pop()
    except IndexError:
        queue = SimpleQueue()
        threading.Thread(target=_serve, args=(queue,), name="gametree-search", daemon=True).start()
    queue.put(task)


def _serve(queue: SimpleQueue[Callable[[], None]]) -> None:
    while True:
        queue.get()()
        _idle.append(queue)


def deadline_of(clock: Clock | None) -> int:
    """When the clock expires, in nanoseconds of the system's clock; NEVER where nothing says when.

    Kernels look at it by themselves, because on a busy machine the watching thread may be late.
    """
    left = math.inf if clock is None else clock.left()
    return monotonic_ns() + round(left * 1e9) if left < 1e9 else NEVER


def run_workers(
    jobs: Sequence[Callable[[], Any]],
    contexts: Any,
    *,
    clock: Clock | None = None,
    tick: Callable[[], None] | None = None,
) -> list[Any]:
    """Run all jobs at once, one thread each, and return their results in order.

    Jobs that are kernels bound to their arguments are compiled first, here, so that the clock stands still meanwhile.
    `contexts` is an array of records with the fields `stop` and `nodes`, one per job. The first job is the leader: when
    it is done, or when the clock expires, all others are stopped. `tick` is called about every hundredth of a second.
    An exception in a job, or KeyboardInterrupt in the caller, stops all jobs and is raised here.
    """
    leader = jobs[0]
    if isinstance(leader, functools.partial) and isinstance(leader.func, Kernel):
        leader.func.prepare(*leader.args)  # all jobs run the same kernel
    results: list[Any] = [None] * len(jobs)
    errors: list[BaseException] = []
    leader_done = threading.Event()
    all_done = threading.Event()
    open_jobs = len(jobs)
    count = threading.Lock()

    def task(index: int) -> None:
        nonlocal open_jobs
        try:
            results[index] = jobs[index]()
        except BaseException as error:
            errors.append(error)
            leader_done.set()
        with count:
            open_jobs -= 1
            last = open_jobs == 0
        if index == 0:
            leader_done.set()
        if last:
            all_done.set()

    for index in range(len(jobs)):
        _submit(functools.partial(task, index))
    try:
        ticks = 0
        while not leader_done.wait(_TICK_SECONDS if clock is None else max(0.0, min(_TICK_SECONDS, clock.left()))):
            ticks += 1
            if clock is not None and clock.expired(int(contexts["nodes"].sum())):
                break
            if tick is not None and ticks % _TICKS_PER_CALL == 0:
                tick()
    finally:
        if not all_done.is_set():
            contexts["stop"] = 1
            all_done.wait()
    if errors:
        raise errors[0]
    return results
