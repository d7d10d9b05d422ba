"""A process that runs one task after the other: what `work` starts and speaks to.

Every line in either direction is one JSON object. The first line that comes in sets the process up. Then

    {"id": 7, "task": "module:function", "arguments": {...}, "seconds": 2, "policy": "never"}    asks for
                                                       function(job, **arguments), under a policy of kernels.waiting
    {"cancel": 7}                                      stops it

and the answers, after one {"ready": true}, are {"id": 7, "report": ...}, any number of them, and then {"id": 7,
"result": ...} or {"id": 7, "error": "sentence", "kind": "IllegalMove"}. Tasks are named by the server's own code, never
by a request.
"""

from __future__ import annotations

import contextlib
import importlib
import json
import os
import signal
import sys
import threading
import traceback
from collections.abc import Callable
from queue import SimpleQueue
from typing import Any, TextIO

from gametree.core.clock import Clock
from gametree.core.errors import GametreeError

__all__ = ["Job", "limit_memory", "main"]


class Job:
    """What a task is told besides its arguments: its clock, which also says when to stop, and a way to report."""

    def __init__(self, number: int, seconds: float, send: Callable[[dict[str, Any]], None]) -> None:
        self.number = number
        self.seconds = seconds
        self.clock = Clock(seconds)
        self._send = send

    def report(self, data: Any) -> None:
        """Tell the server something before the task is done."""
        self._send({"id": self.number, "report": data})


class _Worker:
    def __init__(self, out: TextIO) -> None:
        self._out = out
        self._lock = threading.Lock()
        self._queue: SimpleQueue[dict[str, Any]] = SimpleQueue()
        self._job: Job | None = None
        self._cancelled: set[int] = set()

    def send(self, message: dict[str, Any]) -> None:
        text = json.dumps(message, allow_nan=False)
        with self._lock:
            self._out.write(text + "\n")
            self._out.flush()

    def read(self) -> None:
        """Take in messages until the server is gone; then so is this process, whatever it is doing."""
        for line in sys.stdin:
            message = json.loads(line)
            if "cancel" in message:
                self._cancelled.add(message["cancel"])
                job = self._job
                if job is not None and job.number == message["cancel"]:
                    job.clock.stop()
            else:
                self._queue.put(message)
        os._exit(0)

    def serve(self) -> None:
        while True:
            message = self._queue.get()
            job = self._job = Job(message["id"], message["seconds"], self.send)
            if job.number in self._cancelled:  # the cancelling came first
                job.clock.stop()
            answer = self._answer(job, message)
            self._job = None
            self._cancelled.discard(job.number)
            try:
                self.send({"id": job.number, **answer})
            except ValueError:  # a game that returns infinite or undefined numbers
                self.send(
                    {"id": job.number, "error": "The game gave a number that is not finite.", "kind": "GameError"}
                )

    def _answer(self, job: Job, message: dict[str, Any]) -> dict[str, Any]:
        try:
            module, _, name = message["task"].partition(":")
            function = getattr(importlib.import_module(module), name)
            from gametree.kernels.waiting import use_policy

            with use_policy(message["policy"]):
                return {"result": function(job, **message["arguments"])}
        except GametreeError as error:
            return {"error": str(error), "kind": type(error).__name__}
        except MemoryError:
            return {"error": "This needs more memory than the server gives one task.", "kind": "BadInput"}
        except RecursionError:
            return {"error": "This goes deeper than the server can follow.", "kind": "BadInput"}
        except Exception as error:
            traceback.print_exc()  # for whoever started the server; the browser gets the sentence
            return {"error": _blame(error), "kind": "GameError"}


def _blame(error: Exception) -> str:
    """A sentence that names the line of the user's game that raised, or our own function."""
    from gametree.interfaces.web.games import user_file

    frames = traceback.extract_tb(error.__traceback__)
    what = f"{type(error).__name__}: {error}".rstrip(": ")
    for frame in reversed(frames):
        name = user_file(frame.filename)
        if name:
            return f"The game '{name}' failed in {frame.name}(), line {frame.lineno}: {what}."
    return f"The task failed in {frames[-1].name}(): {what}."


def limit_memory(mebibytes: int) -> None:
    """Let allocations fail beyond the limit, where the system knows such limits."""
    with contextlib.suppress(ImportError, ValueError, OSError):
        import resource

        resource.setrlimit(resource.RLIMIT_DATA, (mebibytes << 20, resource.getrlimit(resource.RLIMIT_DATA)[1]))


def _announce(worker: _Worker) -> None:
    """Report compiling, a wait that comes only once, to whoever waits for the task, and code that is missing."""
    from gametree.kernels.waiting import on_compile, on_missing

    on_compile(lambda text: worker._job.report({"compiling": text}) if worker._job else None)
    on_missing(lambda label: worker._job.report({"missing": label}) if worker._job else None)


def main() -> None:
    """Serve until the server's end of the pipe closes."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the server's to handle
    out = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # what a user's game prints must not end up among the answers
    worker = _Worker(out)
    settings = json.loads(sys.stdin.readline())
    with contextlib.suppress(OSError, AttributeError):
        os.nice(settings["nice"])
    limit_memory(settings["memory_mib"])
    from gametree.interfaces.web.games import set_files

    set_files(settings["files"])
    _announce(worker)
    threading.Thread(target=worker.read, name="gametree-web-reader", daemon=True).start()
    worker.send({"ready": True})
    worker.serve()


if __name__ == "__main__":
    main()
