"""The page Analyse: live lines, the value of every position of a game, and why not another move.

A search goes in slices, so that everyone who asks gets a turn: the engine keeps its table between them and is soon as
deep as it was. Slices grow while nobody waits.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Coroutine
from typing import Annotated, Any

from fastapi import APIRouter, Request, WebSocket
from pydantic import BaseModel, ConfigDict, Field

from gametree.core.errors import BadInput, GametreeError
from gametree.interfaces.web.checked_names import check_algorithm
from gametree.interfaces.web.games import LONGEST_NAME, check_name
from gametree.interfaces.web.sockets import Peer, serve, text_of, whole_number
from gametree.interfaces.web.work import Work

__all__ = ["router"]

router = APIRouter(prefix="/api/analyse")

_TASKS = "gametree.interfaces.web.analyse_tasks:"
_MOST_SECONDS = 120.0
"""Thinking time that one question gets."""
_SHORT, _LONG = 0.3, 4.0
"""Seconds of a slice while others wait, and at most."""
_MOST_LINES = 8
_MOST_PLIES = 2000
_MARKS = ((0.30, "??"), (0.15, "?"), (0.07, "?!"))
"""Winning chance that a move gave away, from which on it is marked so."""

Move = Annotated[str, Field(max_length=200)]
Name = Annotated[str, Field(min_length=1, max_length=LONGEST_NAME)]


class Line(BaseModel):
    """A game, where it starts and what was played."""

    model_config = ConfigDict(extra="forbid")
    game: Name
    start: Annotated[str, Field(max_length=2000)] | None = None
    moves: Annotated[list[Move], Field(max_length=_MOST_PLIES)] = []


class Position(Line):
    """A position in a game: after the moves."""

    ahead: Annotated[list[Move], Field(max_length=_MOST_PLIES)] | None = None
    """What was played later. If it is given, the answer tells who made each move."""


class Load(BaseModel):
    """A text with games."""

    model_config = ConfigDict(extra="forbid")
    game: Name
    """The game that plain moves are of."""
    text: Annotated[str, Field(min_length=1, max_length=1_000_000)]
    number: Annotated[int, Field(ge=0, le=100_000)] = 0
    """Which game of the text, from 0."""


@router.post("/position")
async def position(request: Request, line: Position) -> dict[str, Any]:
    """The position after the moves, the algorithms that can search it, and if asked for who made each move."""
    check_name(line.game, request.app.state.settings.files)
    answer: dict[str, Any] = await request.app.state.work.run(
        _TASKS + "look", line.model_dump(), client="look", affinity=line.game
    )
    return answer


@router.post("/load")
async def load(request: Request, given: Load) -> dict[str, Any]:
    """A game out of PGN, SGF, a record or plain moves."""
    files = request.app.state.settings.files
    check_name(given.game, files)
    answer: dict[str, Any] = await request.app.state.work.run(
        _TASKS + "load", given.model_dump(), client="load", lane="quick", seconds=10.0
    )
    check_name(answer["game"], files)
    return answer


@router.websocket("/socket")
async def talk(socket: WebSocket) -> None:
    """Live lines, reviews and comparisons for one page."""
    await socket.accept()
    peer = Peer(socket)
    analyst = _Analyst(socket, peer)
    try:
        await serve(
            socket,
            {"analyse": analyst.analyse, "review": analyst.review, "why": analyst.why, "stop": analyst.stop},
            peer,
        )
    finally:
        await analyst.close()
        await peer.close()


class _Analyst:
    """What is thought about for one page: at most one thing of each kind."""

    def __init__(self, socket: WebSocket, peer: Peer) -> None:
        self._work: Work = socket.app.state.work
        self._files: dict[str, str] = socket.app.state.settings.files
        self._peer = peer
        self._client = f"analyst {id(self)}"
        self._tasks: dict[str, asyncio.Task[None]] = {}

    def _line(self, message: dict[str, Any]) -> dict[str, Any]:
        """The game of a message. Raises BadInput."""
        game = text_of(message, "game", longest=LONGEST_NAME)
        check_name(game, self._files)
        start = message.get("start")
        if start is not None:
            start = text_of(message, "start", longest=2000)
        moves = message.get("moves", [])
        if not isinstance(moves, list) or len(moves) > _MOST_PLIES:
            raise BadInput(f"'moves' should be a list of at most {_MOST_PLIES} texts.")
        if not all(isinstance(move, str) and len(move) <= 200 for move in moves):
            raise BadInput("'moves' should be a list of texts of at most 200 characters.")
        return {"game": game, "start": start, "moves": moves}

    def _begin(self, kind: str, work: Coroutine[Any, Any, None]) -> None:
        """Do this instead of the last thing of its kind; errors become a sentence."""

        async def told() -> None:
            try:
                await work
            except GametreeError as error:
                self._peer.send({"type": "error", "error": str(error), "do": kind})

        self._cancel(kind)
        self._tasks[kind] = asyncio.create_task(told())

    def _cancel(self, kind: str) -> None:
        task = self._tasks.pop(kind, None)
        if task is not None:
            task.cancel()

    async def stop(self, message: dict[str, Any]) -> None:
        """Stop thinking about what `what` names, or about everything."""
        what = text_of(message, "what", default="")
        for kind in [what] if what else list(self._tasks):
            self._cancel(kind)

    async def close(self) -> None:
        """The page is gone."""
        tasks = list(self._tasks.values())
        await self.stop({})
        for task in tasks:
            with contextlib.suppress(asyncio.CancelledError):
                await task

    async def _run(self, task: str, arguments: dict[str, Any], seconds: float) -> Any:
        return await self._work.run(
            _TASKS + task, arguments, lane="engine", seconds=seconds, client=self._client,
            affinity=arguments["game"], report=self._hear,
        )  # fmt: skip

    def _hear(self, report: Any) -> None:
        if isinstance(report, dict) and "compiling" in report:
            self._peer.send({"type": "wait", "text": report["compiling"]})

    # Live lines -----------------------------------------------------------------------------------------------------

    async def analyse(self, message: dict[str, Any]) -> None:
        """Think about a position until the time is over, something else is asked or the value is proven."""
        line = self._line(message)
        lines = whole_number(message, "lines", 1, _MOST_LINES, 3)
        algorithm = check_algorithm(text_of(message, "algorithm", default=""))
        token = whole_number(message, "token", 0, 1 << 53, 0)
        self._begin("analyse", self._analyse({**line, "lines": lines, "algorithm": algorithm}, token))

    async def _analyse(self, arguments: dict[str, Any], token: int) -> None:
        used, slice_seconds, deepest, nodes = 0.0, 0.15, -1, 0
        done = False
        while used < _MOST_SECONDS and not done:
            seconds = slice_seconds if self._work.waiting("engine") == 0 else min(slice_seconds, _SHORT)
            answer = await self._run("think", arguments, seconds)
            used += seconds
            slice_seconds = min(_LONG, slice_seconds * 1.7)
            nodes += answer["nodes"]
            done = answer["done"]
            if answer["lines"] and (answer["depth"] >= deepest or done):
                # A process that has not thought about this position yet may know less than the page already does.
                deepest = answer["depth"]
                self._peer.send({"type": "lines", "token": token, "total": nodes, **answer})
        self._peer.send({"type": "thought", "token": token, "done": done})

    # The whole game -------------------------------------------------------------------------------------------------

    async def review(self, message: dict[str, Any]) -> None:
        """Judge every position of the game and mark the moves that gave much away."""
        line = self._line(message)
        milliseconds = whole_number(message, "milliseconds", 20, 5000, 300)
        self._begin("review", self._review(line, milliseconds / 1000))

    async def _review(self, line: dict[str, Any], seconds: float) -> None:
        moves = line["moves"]
        last: dict[str, Any] | None = None
        for ply in range(len(moves) + 1):
            found = await self._run("judge", {**line, "moves": moves[:ply]}, seconds)
            mark = ""
            if last is not None and moves[ply - 1] != last["best"]:
                mark = _mark(last, found)
            self._peer.send({"type": "judged", "ply": ply, "total": len(moves), "mark": mark, **found})
            last = found
        self._peer.send({"type": "reviewed", "total": len(moves)})

    # Why not --------------------------------------------------------------------------------------------------------

    async def why(self, message: dict[str, Any]) -> None:
        """Compare a move with the best one."""
        line = self._line(message)
        move = text_of(message, "move")
        self._begin("why", self._why({**line, "move": move}))

    async def _why(self, arguments: dict[str, Any]) -> None:
        self._peer.send({"type": "why", **await self._run("why", arguments, 3.0)})


def _mark(before: dict[str, Any], after: dict[str, Any]) -> str:
    """How bad a move was: what it took from its mover's winning chance."""
    if before["chance"] is None or after["chance"] is None or before["seat"] not in (0, 1):
        return ""
    lost = before["chance"] - after["chance"]
    if before["seat"] == 1:
        lost = -lost
    return next((mark for least, mark in _MARKS if lost >= least), "")
