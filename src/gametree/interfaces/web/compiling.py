"""What is compiled in the background of the workbench, and how far it is.

Worker processes compile nothing while this does: they say which game they miss code for, go on with plain functions
where they can, and what needs the code itself waits here.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable
from typing import Any

from gametree.core.errors import GametreeError
from gametree.interfaces.web.games import check_name
from gametree.play.warming import Task, Warming

__all__ = ["Compiling"]

_JOBS = ("search", "rules")
_MOST_GAMES = 16
"""Games that wait for their turn; what comes on top of these is compiled when it is needed."""


class Compiling:
    """The games that are being compiled for one server; used on its event loop."""

    def __init__(self, files: dict[str, str], *, warming: Callable[..., Any] = Warming) -> None:
        self._files = files
        self._loop = asyncio.get_running_loop()
        self._warming = warming(listener=lambda task: self._loop.call_soon_threadsafe(self._hear, task))
        self._tasks: dict[str, list[Task]] = {}
        self._over: dict[str, asyncio.Event] = {}

    def begin(self, game: str) -> None:
        """A worker misses code of this game: have it compiled. Games that are under way or done are left alone."""
        if game in self._tasks or len(self.news()) >= _MOST_GAMES:
            return
        with contextlib.suppress(GametreeError):
            text = check_name(game, self._files)
            self._over[game] = asyncio.Event()
            self._tasks[game] = self._warming.add(text, *_JOBS)
            self._look(game)

    def _hear(self, task: Task) -> None:
        for game, tasks in self._tasks.items():
            if task in tasks:
                self._look(game)

    def _look(self, game: str) -> None:
        if all(task.over for task in self._tasks[game]):
            self._over[game].set()

    def is_over(self, game: str) -> bool:
        """Whether nothing more will be compiled here for the game, well or not."""
        return game in self._over and self._over[game].is_set()

    def news(self) -> list[dict[str, Any]]:
        """Every game that is not done, with the share that is and the seconds left."""
        found = []
        for game, tasks in self._tasks.items():
            if self.is_over(game):
                continue
            search = tasks[0] if tasks else None
            seconds = max((task.seconds_left() for task in tasks), default=0.0)
            share = search.share if search is not None else 0.0
            found.append({"game": game, "share": share, "seconds": round(seconds), "text": _words(game, seconds)})
        return found

    async def ready(self, game: str, report: Callable[[Any], None] | None = None) -> None:
        """Wait until the game is done, and tell `report` every second how long it takes."""
        self.begin(game)
        while game in self._tasks and not self.is_over(game):
            if report is not None:
                report({"compiling": next(news["text"] for news in self.news() if news["game"] == game)})
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._over[game].wait(), 1.0)

    def stop(self) -> None:
        """End all processes."""
        self._warming.close()


def _words(game: str, seconds: float) -> str:
    return f"compiling {game}, about {max(1, round(seconds))} s left"
