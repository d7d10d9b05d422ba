"""Runs compiled searches in threads while the calling thread watches the clock.

Kernels do not hold Python's lock, so the watcher is free to obey a stop from another thread or the keyboard at once: it
writes the stop flag into the contexts of the kernels, which look at it every thousand nodes or so.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import Any

from gametree.search._run import Clock

__all__ = ["run_workers"]

_TICK_SECONDS = 0.002


def run_workers(
    jobs: Sequence[Callable[[], Any]],
    contexts: Any,
    *,
    clock: Clock | None = None,
    tick: Callable[[], None] | None = None,
) -> list[Any]:
    """Run all jobs at once, one thread each, and return their results in order.

    `contexts` is an array of records with the fields `stop` and `nodes`, one per job. The first job is the leader: when
    it is done, or when the clock expires, all others are stopped. `tick` is called about every tenth of a second.
    An exception in a job, or KeyboardInterrupt in the caller, stops all jobs and is raised here.
    """
    results: list[Any] = [None] * len(jobs)
    errors: list[BaseException] = []
    leader_done = threading.Event()

    def run(index: int) -> None:
        try:
            results[index] = jobs[index]()
        except BaseException as error:
            errors.append(error)
            leader_done.set()
        finally:
            if index == 0:
                leader_done.set()

    threads = [threading.Thread(target=run, args=(index,), daemon=True) for index in range(len(jobs))]
    try:
        for thread in threads:
            thread.start()
        ticks = 0
        while not leader_done.wait(_TICK_SECONDS):
            ticks += 1
            if clock is not None and clock.expired(int(contexts["nodes"].sum())):
                break
            if tick is not None and ticks % 50 == 0:
                tick()
        if len(jobs) > 1 or not leader_done.is_set():
            contexts["stop"] = 1
    except BaseException:
        contexts["stop"] = 1
        raise
    finally:
        for thread in threads:
            thread.join()
    if errors:
        raise errors[0]
    return results
