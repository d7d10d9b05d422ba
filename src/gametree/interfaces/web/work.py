"""Work of games and searches, done by other processes in fair turns, so that the event loop never waits for it.

There are two lanes: "quick" for rules (a click must be answered at once) and "engine" for searches, whose processes
yield to everything else on the machine. Within a lane, clients take turns however much each of them has asked for. A
task that is cancelled, or whose client leaves, is told to stop; a process that does not listen is ended and replaced.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import sys
import time
from collections import OrderedDict, deque
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Literal

from gametree.core import errors
from gametree.core.errors import GametreeError

if TYPE_CHECKING:
    from gametree.interfaces.web.compiling import Compiling

__all__ = ["Busy", "Lane", "TooSlow", "Work"]

Lane = Literal["quick", "engine"]

_GRACE = 5.0
"""Seconds of CPU time beyond its limit after which a task's process is ended."""
_COMPILING = 600.0
"""The same once the task has said that it compiles, which is done only once."""
_STOPPING = 2.0
"""The same for a task that was told to stop."""
_ASLEEP = 60.0
"""Seconds without any CPU time after which a task is taken to hang; on a busy machine it gets a little now and then."""
_PATIENCE = 1.0
"""Seconds that a task waits for a busy process which knows its game, before another one has to load the game."""
_TRIES = 3
"""Processes that fail to start, one after the other, before waiting tasks are told so."""
_LINE = 64 << 20
"""Longest message from a worker."""


class Busy(GametreeError):
    """There is more work waiting than the server takes."""


class TooSlow(GametreeError):
    """A task did not end in its time and was ended."""


class _NotCompiled(GametreeError):
    """A task cannot do without code that is not compiled yet."""


class _Ticket:
    """One task on its way through a lane."""

    def __init__(
        self,
        number: int,
        message: dict[str, Any],
        client: str,
        affinity: str,
        own: str,
        report: Callable[[Any], None] | None,
    ) -> None:
        self.number = number
        self.message = message
        self.client = client
        self.affinity = affinity
        self.own = own
        self.report = report
        self.future: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self.process: _Process | None = None
        self.put = time.monotonic()


class _Process:
    """A worker process of a lane. It is idle while `ticket` is None."""

    def __init__(self, lane: _Lane) -> None:
        self.lane = lane
        self.ticket: _Ticket | None = None
        self.stale = False
        """Whether it is to end after its task: a file that it may have loaded has changed."""
        self.known: set[str] = set()
        """Affinities of the tasks that it has had: games that it has loaded."""
        self._limit = 0.0
        self._seen = 0.0
        self._stirred = 0.0
        self._process: asyncio.subprocess.Process | None = None
        self._tasks: list[asyncio.Task[None]] = []

    async def start(self) -> None:
        self._process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            "gametree.interfaces.web.worker",
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            limit=_LINE,
        )
        self.send(self.lane.settings)
        self._tasks = [asyncio.create_task(self._read()), asyncio.create_task(self._watch())]

    def send(self, message: dict[str, Any]) -> None:
        assert self._process is not None
        assert self._process.stdin is not None
        if not self._process.stdin.is_closing():
            self._process.stdin.write(json.dumps(message).encode() + b"\n")

    def give(self, ticket: _Ticket) -> None:
        self.ticket, ticket.process = ticket, self
        self.known.update({ticket.affinity, ticket.own} - {""})
        self._allow(ticket.message["seconds"] + _GRACE)
        self.send(ticket.message)

    def _allow(self, seconds: float) -> None:
        """Let the task go on for so long from now: CPU time, so that nobody fails because the machine is busy."""
        self._limit = self._cpu_seconds() + seconds
        self._seen, self._stirred = 0.0, time.monotonic()

    def _overstayed(self) -> bool:
        used, now = self._cpu_seconds(), time.monotonic()
        if used != self._seen:
            self._seen, self._stirred = used, now
        return used > self._limit or now - self._stirred > _ASLEEP

    def _cpu_seconds(self) -> float:
        """CPU time of the process so far; the time on the clock where the system does not tell."""
        assert self._process is not None
        try:
            with open(f"/proc/{self._process.pid}/stat", encoding="ascii", errors="replace") as file:
                fields = file.read().rpartition(")")[2].split()
            return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
        except (OSError, IndexError, ValueError, AttributeError):
            if os.path.exists("/proc/self/stat"):  # the process is gone, which its reader is about to hear
                return self._seen
            return time.monotonic()

    def cancel(self) -> None:
        """Ask the task to stop; it stays busy until it has."""
        assert self.ticket is not None
        self.send({"cancel": self.ticket.number})
        self._allow(_STOPPING)

    async def _read(self) -> None:
        assert self._process is not None
        assert self._process.stdout is not None
        with contextlib.suppress(ValueError):  # a message beyond _LINE
            while line := await self._process.stdout.readline():
                self._take(json.loads(line))
        self.end("The process that did this ended before it was done.")

    def _take(self, message: dict[str, Any]) -> None:
        if "ready" in message:
            self.lane.welcome(self)
            return
        ticket = self.ticket
        if ticket is None or ticket.number != message["id"]:
            return
        if "report" in message:
            data = message["report"]
            if isinstance(data, dict) and "compiling" in data and not ticket.future.done():
                self._allow(_COMPILING)
            if isinstance(data, dict) and "missing" in data:
                self.lane.miss(ticket.affinity)
            elif ticket.report is not None and not ticket.future.done():
                ticket.report(data)
            return
        self.ticket = None
        if not ticket.future.done():
            if "error" in message:
                ticket.future.set_exception(_error(message))
            else:
                ticket.future.set_result(message["result"])
        if self.stale:
            self.end("")
        else:
            self.lane.pump()

    async def _watch(self) -> None:
        """End the process if a task overstays its time."""
        while True:
            await asyncio.sleep(0.25)
            ticket = self.ticket
            if ticket is not None and self._overstayed():
                seconds = ticket.message["seconds"]
                self.end(f"This took longer than {seconds:g} s and was stopped.")
                return

    def end(self, reason: str) -> None:
        """Let go of the process; its task fails with the reason."""
        ticket, self.ticket = self.ticket, None
        self.close()
        self.lane.forget(self)
        if ticket is not None and not ticket.future.done():
            ticket.future.set_exception(TooSlow(reason))
        self.lane.pump()

    def close(self) -> None:
        for task in self._tasks:
            if task is not asyncio.current_task():
                task.cancel()
        if self._process is not None and self._process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                self._process.kill()

    async def closed(self) -> None:
        """Wait until the process and its pipes are gone."""
        if self._process is not None:
            await self._process.wait()
            assert self._process.stdin is not None
            self._process.stdin.close()
            with contextlib.suppress(OSError):
                await self._process.stdin.wait_closed()


class _Lane:
    """The queue of one kind of work and the processes that do it. Processes are started when they are first needed."""

    def __init__(self, size: int, settings: dict[str, Any]) -> None:
        self.size = size
        self.settings = settings
        self.processes: list[_Process] = []
        self.waiting: OrderedDict[str, deque[_Ticket]] = OrderedDict()
        self.count = 0
        self.starting: list[_Process] = []
        self._failures = 0
        self.miss: Callable[[str], None] = lambda game: None
        """Called with a task's affinity when its process lacks compiled code."""
        self._tasks: set[asyncio.Task[None]] = set()
        self.closed = False

    def put(self, ticket: _Ticket) -> None:
        self.waiting.setdefault(ticket.client, deque()).append(ticket)
        self.count += 1
        self.pump()

    def drop(self, ticket: _Ticket) -> None:
        queue = self.waiting.get(ticket.client)
        if queue is not None and ticket in queue:
            queue.remove(ticket)
            self.count -= 1
            if not queue:
                del self.waiting[ticket.client]

    def pump(self) -> None:
        """Give waiting tasks to idle processes: one task of each client in turn."""
        while self.waiting and not self.closed:
            idle = [process for process in self.processes if process.ticket is None]
            if not idle:
                if len(self.processes) + len(self.starting) < self.size:
                    self.open()
                return
            choices = ((queue, self._choose(queue[0], idle)) for queue in self.waiting.values())
            queue, chosen = next((choice for choice in choices if choice[1] is not None), (None, None))
            if queue is None or chosen is None:  # all wait for a process that knows their game
                asyncio.get_running_loop().call_later(_PATIENCE / 4, self.pump)
                return
            ticket = queue.popleft()
            self.count -= 1
            if queue:
                self.waiting.move_to_end(ticket.client)
            else:
                del self.waiting[ticket.client]
            chosen.give(ticket)

    def _choose(self, ticket: _Ticket, idle: list[_Process]) -> _Process | None:
        """An idle process that has the game loaded; another one if none has, or if those who have stay busy."""
        for wanted in (ticket.own, ticket.affinity):
            for process in idle:
                if wanted in process.known:
                    return process
        if any(ticket.affinity in process.known for process in self.processes):
            return idle[0] if time.monotonic() - ticket.put > _PATIENCE else None
        return idle[0]

    def open(self) -> None:
        """Begin to start one more process."""
        process = _Process(self)
        self.starting.append(process)
        task = asyncio.create_task(process.start())
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def renew(self) -> None:
        """End every process, those that are busy when their task is done; others are started when they are needed."""
        for process in list(self.processes):
            process.stale = True
            if process.ticket is None:
                process.end("")

    def welcome(self, process: _Process) -> None:
        """A process is ready for tasks."""
        self.starting.remove(process)
        self.processes.append(process)
        self._failures = 0
        self.pump()

    def forget(self, process: _Process) -> None:
        """A process is gone. If none even starts, nobody waits any longer."""
        task = asyncio.create_task(process.closed())
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        if process in self.processes:
            self.processes.remove(process)
        elif process in self.starting:
            self.starting.remove(process)
            self._failures += 1
        if self._failures >= _TRIES:
            self._failures = 0
            for queue in self.waiting.values():
                for ticket in queue:
                    ticket.future.set_exception(
                        TooSlow("No worker process starts; the terminal of the server says why.")
                    )
            self.waiting.clear()
            self.count = 0

    async def close(self) -> None:
        self.closed = True
        while self._tasks:
            await asyncio.gather(*self._tasks)
        for queue in self.waiting.values():
            for ticket in queue:
                ticket.future.cancel()
        self.waiting.clear()
        everyone = self.processes + self.starting
        for process in everyone:
            if process.ticket is not None:
                process.ticket.future.cancel()
            process.close()
        for process in everyone:
            await process.closed()


class Work:
    """The processes that run tasks. One per server; made and used on its event loop."""

    def __init__(
        self,
        files: dict[str, str] | None = None,
        *,
        engines: int | None = None,
        memory_mib: int = 3072,
        most_waiting: int = 2000,
        most_per_client: int = 32,
    ) -> None:
        self._most_waiting = most_waiting
        self._most_per_client = most_per_client
        self._number = 0
        self.compiling: Compiling | None = None
        """Who compiles in the background; without it, processes compile for themselves."""
        settings = {"files": files or {}, "memory_mib": memory_mib}
        engines = engines or max(1, min(8, os.cpu_count() or 1))
        self._lanes: dict[Lane, _Lane] = {
            "quick": _Lane(2, {**settings, "nice": 0}),
            "engine": _Lane(engines, {**settings, "nice": 10}),
        }
        for known in self._lanes.values():
            known.miss = self._miss

    def _miss(self, game: str) -> None:
        """A process lacks code of the game."""
        if self.compiling is not None and game:
            self.compiling.begin(game)

    def start(self) -> None:
        """Start the first processes ahead of the first task."""
        for lane in self._lanes.values():
            lane.open()

    async def stop(self) -> None:
        """End all processes; tasks that are under way are cancelled."""
        for lane in self._lanes.values():
            await lane.close()

    def renew(self) -> None:
        """A user's file has changed: let no process that may have loaded it do another task."""
        for lane in self._lanes.values():
            lane.renew()

    def waiting(self, lane: Lane) -> int:
        """How many tasks of the lane wait for a process."""
        return self._lanes[lane].count

    async def run(
        self,
        task: str,
        arguments: dict[str, Any],
        *,
        lane: Lane = "quick",
        seconds: float = 5.0,
        client: str = "",
        affinity: str = "",
        own: str = "",
        report: Callable[[Any], None] | None = None,
    ) -> Any:
        """Run `task` ("module:function") in a worker process as function(job, **arguments) and return what it returns.

        Arguments, reports and the result are JSON-ready. `seconds` sets the clock of the job; a task that goes on for
        much longer is ended. Clients take turns. A process that has had a task of the same `own` or else of the same
        `affinity` is preferred: it may remember.
        If the awaiting task is cancelled, so is the work. Raises what the task raises if it is a GametreeError,
        TooSlow, Busy.

        A task with an affinity does not compile while its game is compiled in the background: it begins again when
        that is done if it cannot do without.
        """
        asked: dict[str, Any] = {
            "task": task, "arguments": arguments, "seconds": seconds,
            "lane": lane, "client": client, "affinity": affinity, "own": own, "report": report,
        }  # fmt: skip
        if self.compiling is None or not affinity:
            return await self._run(policy="compile", **asked)
        if not self.compiling.is_over(affinity):
            try:
                return await self._run(policy="never", **asked)
            except _NotCompiled:
                await self.compiling.ready(affinity, report)
        return await self._run(policy="plain", **asked)

    async def _run(
        self,
        task: str,
        arguments: dict[str, Any],
        *,
        policy: str,
        lane: Lane,
        seconds: float,
        client: str,
        affinity: str,
        own: str,
        report: Callable[[Any], None] | None,
    ) -> Any:
        chosen = self._lanes[lane]
        if chosen.count >= self._most_waiting or len(chosen.waiting.get(client, ())) >= self._most_per_client:
            raise Busy("The server has too much work waiting; try again in a moment.")
        self._number += 1
        message = {"id": self._number, "task": task, "arguments": arguments, "seconds": seconds, "policy": policy}
        ticket = _Ticket(self._number, message, client, affinity, own, report)
        chosen.put(ticket)
        try:
            return await ticket.future
        except asyncio.CancelledError:
            if ticket.process is None:
                chosen.drop(ticket)
            elif ticket.process.ticket is ticket:
                ticket.process.cancel()
            raise


def _error(message: dict[str, Any]) -> GametreeError:
    """The error that the task raised."""
    if message["kind"] == "NotCompiled":
        return _NotCompiled(message["error"])
    kind = getattr(errors, message["kind"], errors.GametreeError)
    error: GametreeError = kind(message["error"])
    return error
