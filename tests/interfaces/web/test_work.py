"""Worker processes: fair turns, cancelling, limits, and nothing that a task does harms the next one."""

from __future__ import annotations

import asyncio
import os
import subprocess
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from gametree.core.errors import BadInput, GameError, IllegalMove, UnknownName
from gametree.interfaces.web import work as work_module
from gametree.interfaces.web.work import Busy, TooSlow, Work

TASKS = "work_tasks:"
PLAY = "gametree.interfaces.web.tables:"
LOOK = "gametree.interfaces.web.analyse_tasks:look"


@pytest.fixture(autouse=True)
def tasks_can_be_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parent))


def run(check: Callable[[Work], Awaitable[None]], **options: Any) -> None:
    """Run a check with processes of its own."""

    async def inside() -> None:
        work = Work(engines=1, **options)
        try:
            await check(work)
        finally:
            await work.stop()

    # In a thread of its own: in this one a browser's event loop may be running.
    with ThreadPoolExecutor(1) as thread:
        thread.submit(asyncio.run, inside()).result()


def test_answers_reports_and_errors() -> None:
    async def check(work: Work) -> None:
        assert await work.run(TASKS + "echo", {"text": "ä\n"}) == "ä\n"
        assert await work.run(TASKS + "speak", {}) == "said"
        with pytest.raises(IllegalMove, match="z9"):
            await work.run(
                "gametree.interfaces.web.analyse_tasks:look", {"game": "tictactoe", "start": None, "moves": ["z9"]}
            )
        with pytest.raises(UnknownName, match="tictactoe"):
            await work.run(PLAY + "about", {"game": "tiktaktoe"})
        with pytest.raises(GameError, match="on purpose"):
            await work.run(TASKS + "fail", {})
        with pytest.raises(GameError, match="not finite"):
            await work.run(TASKS + "infinite", {})
        assert await work.run(TASKS + "echo", {"text": "still there"}) == "still there"

    run(check)


def test_a_process_that_dies_is_replaced() -> None:
    async def check(work: Work) -> None:
        first = await work.run(TASKS + "whoami", {}, lane="engine")
        with pytest.raises(TooSlow, match="ended before"):
            await work.run(TASKS + "leave", {}, lane="engine")
        assert await work.run(TASKS + "whoami", {}, lane="engine") != first

    run(check)


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="CPU time of others is told by /proc only")
def test_a_process_that_is_gone_has_not_overstayed() -> None:
    process = work_module._Process(None)  # type: ignore[arg-type]
    process._process = child = subprocess.Popen(["sleep", "60"])  # type: ignore[assignment]
    process._allow(0.5)
    assert not process._overstayed()
    child.kill()
    child.wait()
    assert not process._overstayed()


def test_processes_that_do_not_even_start_are_given_up(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "gametree.py").write_text("raise SystemExit(1)")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))

    async def check(work: Work) -> None:
        with pytest.raises(TooSlow, match="No worker process starts"):
            await work.run(TASKS + "whoami", {})

    run(check)


def test_a_task_that_never_listens_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(work_module, "_GRACE", 0.2)

    async def check(work: Work) -> None:
        with pytest.raises(TooSlow, match=r"longer than 0\.1 s"):
            await work.run(TASKS + "hang", {}, lane="engine", seconds=0.1)
        assert await work.run(TASKS + "echo", {"text": "next"}, lane="engine", seconds=30) == "next"

    run(check)


def test_a_task_that_sleeps_for_ever_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(work_module, "_ASLEEP", 1.0)

    async def check(work: Work) -> None:
        with pytest.raises(TooSlow, match="was stopped"):
            await work.run(TASKS + "sleep", {}, lane="engine", seconds=1000)

    run(check)


def test_a_cancelled_task_stops_and_leaves_its_process_to_others() -> None:
    async def check(work: Work) -> None:
        begun = asyncio.Event()
        process = await work.run(TASKS + "whoami", {}, lane="engine")
        waiting = work.run(TASKS + "wait", {}, lane="engine", seconds=1000, report=lambda _: begun.set())
        task = asyncio.create_task(waiting)
        await begun.wait()
        queued = asyncio.create_task(work.run(TASKS + "wait", {}, lane="engine", seconds=1000))
        await asyncio.sleep(0)
        queued.cancel()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert await work.run(TASKS + "whoami", {}, lane="engine") == process
        assert work.waiting("engine") == 0

    run(check)


def test_clients_take_turns() -> None:
    async def check(work: Work) -> None:
        order: list[str] = []

        async def ask(client: str) -> None:
            await work.run(TASKS + "echo", {"text": client}, lane="engine", client=client)
            order.append(client)

        greedy = [asyncio.create_task(ask("greedy")) for _ in range(6)]
        await asyncio.sleep(0)
        modest = [asyncio.create_task(ask("modest")) for _ in range(2)]
        await asyncio.gather(*greedy, *modest)
        assert order == ["greedy", "modest", "greedy", "modest", "greedy", "greedy", "greedy", "greedy"]

    run(check)


def test_a_click_does_not_wait_for_a_search() -> None:
    async def check(work: Work) -> None:
        begun = asyncio.Event()
        search = asyncio.create_task(
            work.run(TASKS + "wait", {}, lane="engine", seconds=1000, report=lambda _: begun.set())
        )
        await begun.wait()
        assert await work.run(TASKS + "echo", {"text": "click"}) == "click"
        assert not search.done()
        search.cancel()

    run(check)


def test_more_work_than_is_taken_is_refused() -> None:
    async def check(work: Work) -> None:
        tasks = [asyncio.create_task(work.run(TASKS + "wait", {}, client="a", seconds=1000)) for _ in range(3)]
        await asyncio.sleep(0)
        with pytest.raises(Busy):
            await work.run(TASKS + "echo", {"text": "one too many"}, client="a")
        other = asyncio.create_task(work.run(TASKS + "wait", {}, client="b", seconds=1000))
        await asyncio.sleep(0)
        with pytest.raises(Busy):
            await work.run(TASKS + "echo", {"text": "too many of all"}, client="c")
        for task in [*tasks, other]:
            task.cancel()

    run(check, most_per_client=3, most_waiting=4)


@pytest.mark.skipif(not hasattr(os, "sysconf"), reason="limits on memory are Unix's")
def test_memory_is_limited() -> None:
    async def check(work: Work) -> None:
        assert await work.run(TASKS + "take", {"mebibytes": 64}) == 64 << 20
        with pytest.raises(BadInput, match="more memory"):
            await work.run(TASKS + "take", {"mebibytes": 4096})
        assert await work.run(TASKS + "echo", {"text": "still there"}) == "still there"

    run(check, memory_mib=1024)


def test_a_users_game_is_blamed_by_its_line(tmp_path: Path) -> None:
    own = tmp_path / "mine.py"
    own.write_text(
        "from gametree import Facts, Game\nclass Mine(Game):\n    facts = Facts()\n"
        "    def initial(self):\n        return 1 / 0\ngame = Mine\n"
    )

    async def check(work: Work) -> None:
        with pytest.raises(GameError, match=r"'mine\.py' failed in initial\(\), line 5: ZeroDivisionError"):
            await work.run(PLAY + "about", {"game": "mine.py"})
        with pytest.raises(UnknownName):
            await work.run(PLAY + "about", {"game": str(own)})

    run(check, files={"mine.py": str(own)})
