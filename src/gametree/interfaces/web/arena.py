"""The page Arena: tournaments that run in processes of their own, watched live by any number of pages."""

from __future__ import annotations

import asyncio
import contextlib
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from fastapi import APIRouter, FastAPI, Request, WebSocket
from fastapi.responses import Response
from pydantic import BaseModel, Field, ValidationError
from starlette.exceptions import HTTPException

from gametree.core.errors import BadInput, GametreeError
from gametree.interfaces.web.arena_work import EXPORTS, MOST_GAMES, MOST_PLAYERS
from gametree.interfaces.web.checked_names import client_of
from gametree.interfaces.web.sockets import Peer, serve, text_of
from gametree.interfaces.web.work import Work

__all__ = ["router"]

router = APIRouter(prefix="/api/arena")

_TASKS = "gametree.interfaces.web.arena_work"
_LONGEST = 12 * 3600.0
"""Seconds after which a tournament is stopped; it can be resumed."""
_MOST_RUNNING = 2
"""Tournaments that play at the same time."""
_MOST_PROCESSES = 4


class Plan(BaseModel):
    """A tournament that someone asks for."""

    kind: Literal["match", "round-robin", "gauntlet", "swiss"] = "round-robin"
    game: str = Field(min_length=1, max_length=500)
    players: list[str] = Field(min_length=2, max_length=MOST_PLAYERS)
    games: int = Field(10, ge=1, le=MOST_GAMES)
    rounds: int = Field(0, ge=0, le=50)
    clock: str = Field("time=0.1", max_length=40)
    seed: int = Field(1, ge=0, le=10**9)
    max_plies: int | None = Field(None, ge=1, le=5_000)
    processes: int = Field(1, ge=1, le=_MOST_PROCESSES)


@dataclass
class Run:
    """A tournament that is being played."""

    key: str
    task: asyncio.Task[None] | None = None
    work: Work | None = None
    status: str = "starting"
    """starting, running, done, stopped or failed."""
    error: str = ""
    news: dict[str, Any] = field(default_factory=dict)
    stopping: bool = False

    def to_data(self) -> dict[str, Any]:
        """What pages are told."""
        return {"type": "run", "key": self.key, "status": self.status, "error": self.error, **self.news}


class Arena:
    """The running tournaments and who watches them."""

    def __init__(self, app: FastAPI) -> None:
        settings = app.state.settings
        self._app = app
        self._settings = settings
        self._folder: tempfile.TemporaryDirectory[str] | None = None
        if str(settings.data) == ":memory:":
            self._folder = tempfile.TemporaryDirectory(prefix="gametree-arena-")
            self.database = str(Path(self._folder.name) / "arena.sqlite3")
        else:
            self.database = str(settings.data.with_name("arena.sqlite3"))
        self.runs: dict[str, Run] = {}
        self.peers: set[Peer] = set()

    async def read(self, task: str, client: str = "", **arguments: Any) -> Any:
        """Run a task that reads the database."""
        work: Work = self._app.state.work
        return await work.run(
            f"{_TASKS}:{task}", {"database": self.database, **arguments}, lane="quick", seconds=20, client=client
        )

    async def plan(self, asked: Plan) -> dict[str, Any]:
        """The event that was asked for. Raises what is wrong with it."""
        self._check_room()
        work: Work = self._app.state.work
        programs = self._settings.programs
        planned: dict[str, Any] = await work.run(
            f"{_TASKS}:plan",
            {"database": self.database, "asked": asked.model_dump(), "programs": programs},
            lane="engine", seconds=30,
        )  # fmt: skip
        return planned

    def _check_room(self) -> None:
        if sum(run.status in ("starting", "running") for run in self.runs.values()) >= _MOST_RUNNING:
            raise BadInput(f"{_MOST_RUNNING} tournaments are running already; stop one of them or wait.")

    async def start(self, key: str, event: dict[str, Any], processes: int) -> Run:
        """Begin or go on with an event. Raises BadInput if it is running, or if too many are."""
        known = self.runs.get(key)
        if known is not None and known.status in ("starting", "running"):
            return known
        self._check_room()
        run = self.runs[key] = Run(key)
        run.task = asyncio.create_task(self._play(run, event, processes))
        return run

    async def _play(self, run: Run, event: dict[str, Any], processes: int) -> None:
        settings = self._settings
        run.work = Work(settings.files, engines=1, memory_mib=settings.memory_mib)

        def report(data: dict[str, Any]) -> None:
            if "summary" in data:
                run.status, run.news = "running", data
                self.tell(run)

        try:
            run.news = await run.work.run(
                f"{_TASKS}:run",
                {"database": self.database, "event": event, "concurrency": processes, "programs": settings.programs},
                lane="engine", seconds=_LONGEST, report=report,
            )  # fmt: skip
            run.status = "done" if run.news["done"] >= run.news["total"] else "stopped"
        except asyncio.CancelledError:
            run.status = "stopped"
        except GametreeError as error:
            run.status, run.error = "failed", str(error)
        finally:
            with contextlib.suppress(Exception):
                await run.work.stop()
            self.tell(run)

    async def stop(self, key: str) -> None:
        """Stop an event; every finished game is kept. Raises BadInput if it does not run."""
        run = self.runs.get(key)
        if run is None or run.task is None or run.task.done():
            raise BadInput("This tournament is not running.")
        run.task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await run.task

    def tell(self, run: Run) -> None:
        """Tell all pages about a tournament."""
        for peer in self.peers:
            peer.send(run.to_data())

    async def close(self) -> None:
        """Stop everything."""
        for run in self.runs.values():
            if run.task is not None and not run.task.done():
                run.task.cancel()
                with contextlib.suppress(asyncio.CancelledError):
                    await run.task
        if self._folder is not None:
            self._folder.cleanup()


async def open_page(app: FastAPI) -> None:
    """Called when the server starts."""
    app.state.arena = Arena(app)


async def close_page(app: FastAPI) -> None:
    """Called when the server ends."""
    await app.state.arena.close()


def _arena(request: Request) -> Arena:
    arena: Arena = request.app.state.arena
    return arena


@router.get("/events")
async def events(request: Request) -> Any:
    """All tournaments, the newest first."""
    arena = _arena(request)
    listed = await arena.read("list_events", client_of(request))
    for event in listed:
        run = arena.runs.get(event["key"])
        event["status"] = run.status if run else "done" if event["done"] >= event["total"] else "stopped"
    return listed


@router.get("/events/{key}")
async def event(key: str, request: Request) -> Any:
    """One tournament with its table and games."""
    arena = _arena(request)
    told = await arena.read("detail", client_of(request), key=key[:64])
    run = arena.runs.get(key)
    told["status"] = run.status if run else "done" if told["done"] >= told["total"] else "stopped"
    told["error"] = run.error if run else ""
    return told


@router.get("/events/{key}/games/{number}")
async def game(key: str, number: int, request: Request) -> Any:
    """Every position of one game."""
    if not 0 <= number < 10**12:
        raise HTTPException(404, "There is no such game")
    return await _arena(request).read("replay", client_of(request), key=key[:64], number=number)


@router.get("/events/{key}/files/{format}")
async def files(key: str, format: str, request: Request) -> Response:
    """The games or the report as a file to save."""
    if format not in EXPORTS:
        raise HTTPException(404, f"There is no such format; expected one of {', '.join(EXPORTS)}")
    answer = await _arena(request).read("export", client_of(request), key=key[:64], format=format)
    # Always saved, never shown: the report carries its own script, which the policy of the pages would refuse.
    headers = {"content-disposition": "attachment"}  # the page's link says what the file is called
    return Response(answer["text"], media_type=EXPORTS[format], headers=headers)


@router.websocket("/live")
async def live(socket: WebSocket) -> None:
    """News of all tournaments; `start` begins one, `resume` goes on with one, `stop` stops it."""
    await socket.accept()
    peer = Peer(socket)
    arena: Arena = socket.app.state.arena

    async def start(message: dict[str, Any]) -> None:
        try:
            asked = Plan.model_validate({key: value for key, value in message.items() if key != "do"})
        except ValidationError as error:
            first = error.errors()[0]
            raise BadInput(f"{'.'.join(map(str, first['loc']))}: {first['msg']}.") from None
        planned = await arena.plan(asked)
        run = await arena.start(planned["key"], planned["event"], asked.processes)
        peer.send({"type": "started", "key": run.key, "total": planned["total"]})
        arena.tell(run)

    async def resume(message: dict[str, Any]) -> None:
        key = text_of(message, "key", longest=64)
        told = await arena.read("detail", key=key)
        run = await arena.start(key, told["event"], 1)
        peer.send({"type": "started", "key": run.key, "total": told["total"]})
        arena.tell(run)

    async def stop(message: dict[str, Any]) -> None:
        await arena.stop(text_of(message, "key", longest=64))

    arena.peers.add(peer)
    for run in arena.runs.values():
        peer.send(run.to_data())
    try:
        await serve(socket, {"start": start, "resume": resume, "stop": stop}, peer)
    finally:
        arena.peers.discard(peer)
        await peer.close()
