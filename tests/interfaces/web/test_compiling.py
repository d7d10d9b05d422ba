"""The workbench while code is compiled: nothing is blocked, a substitute plays, and what needs the code waits."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from gametree import load_game
from gametree.interfaces.web.compiling import Compiling
from gametree.interfaces.web.work import Work
from gametree.kernels.waiting import use_policy
from gametree.play.table import Table
from gametree.play.warming import Task

TABLES, THINKING = "gametree.interfaces.web.tables:", "gametree.interfaces.web.thinking:"
TASKS = "work_tasks:"


class SlowWarming:
    """Compiles nothing until a test says that it is done."""

    def __init__(self, listener: Any) -> None:
        self.listener = listener
        self.tasks: list[Task] = []

    def add(self, game: str, *jobs: str) -> list[Task]:
        new = [Task(game, job) for job in jobs]
        self.tasks += new
        return new

    def finish(self) -> None:
        for task in self.tasks:
            task.over = True
            self.listener(task)

    def close(self) -> None:
        self.finish()


@pytest.fixture(autouse=True)
def empty_store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("GAMETREE_CACHE_DIR", str(tmp_path / "store"))
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parent), prepend=":")
    return tmp_path / "store"


def run(check: Any) -> None:
    async def inside() -> None:
        work = Work(engines=1)
        work.compiling = Compiling({}, warming=SlowWarming)
        try:
            await check(work, work.compiling)
        finally:
            work.compiling.stop()
            await work.stop()

    with ThreadPoolExecutor(1) as thread:
        thread.submit(asyncio.run, inside()).result()


def test_the_board_and_a_substitute_answer_before_anything_is_compiled(empty_store: Path) -> None:
    async def check(work: Work, compiling: Compiling) -> None:
        shown = await work.run(TABLES + "about", {"game": "connect4"}, affinity="connect4")
        assert len(shown["view"]["moves"]) == 7
        [news] = compiling.news()  # begun by itself, because a page has opened the game
        assert news["game"] == "connect4"
        assert news["text"].startswith("compiling connect4, about ")
        with use_policy("never"):
            view = Table(load_game("connect4")).view(0).to_text()
        asked = {"name": "table", "player": "best:level=full,time=0.5", "seed": 1, "view": view}
        answer = await work.run(THINKING + "choose", asked, lane="engine", seconds=0.5, affinity="connect4")
        assert answer["text"] in {move["text"] for move in shown["view"]["moves"]}
        assert "simple search" in answer["note"]
        assert not list(empty_store.rglob("*.kernel"))
        compiling._warming.finish()
        await compiling.ready("connect4")
        assert compiling.news() == []

    run(check)


def test_what_needs_the_code_waits_and_the_lane_stays_free() -> None:
    async def check(work: Work, compiling: Compiling) -> None:
        heard: list[Any] = []
        waiting = asyncio.create_task(
            work.run(TASKS + "need_code", {"n": 2}, lane="engine", affinity="connect4", report=heard.append)
        )
        while not any("compiling" in report for report in heard):
            await asyncio.sleep(0.01)
        # The only process of the lane does other work meanwhile.
        assert await work.run(TASKS + "echo", {"text": "free"}, lane="engine") == "free"
        assert not waiting.done()
        assert "about" in heard[-1]["compiling"]
        compiling._warming.finish()
        assert await waiting == 5  # compiled by the worker itself: the fake has compiled nothing

    run(check)


def test_unknown_games_are_not_compiled() -> None:
    async def check(work: Work, compiling: Compiling) -> None:
        compiling.begin("no-such-game")
        compiling.begin("")
        assert compiling.news() == []
        await compiling.ready("no-such-game")

    run(check)
