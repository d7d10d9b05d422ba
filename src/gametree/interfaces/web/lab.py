"""The page Tree lab: searches of drawn trees and positions, step by step, and large ones branch by branch."""

from __future__ import annotations

import asyncio
import contextlib
from typing import Annotated, Any, Literal

from fastapi import APIRouter, FastAPI, Request, WebSocket
from fastapi.responses import Response
from pydantic import BaseModel, Field, ValidationError

from gametree.core.errors import BadInput, GametreeError
from gametree.interfaces.web.checked_names import client_of
from gametree.interfaces.web.lab_branches import MOST_NODES, MOST_SLICE, SORTS
from gametree.interfaces.web.lab_work import list_examples
from gametree.interfaces.web.sockets import Peer, serve, text_of, whole_number
from gametree.interfaces.web.work import Work

__all__ = ["router"]

router = APIRouter(prefix="/api/lab")

_TASKS = "gametree.interfaces.web.lab_work:"
_SECONDS = 10.0
"""What one search for stepping may take."""
_GROWING = 240.0
"""What the search and the record of one large tree may take."""
_MOST_KEEPERS = 3
"""Large records that are kept at the same time, of all pages together."""
_IDLE = 900.0
"""Seconds after which a large record that nobody opens is let go."""

Text = Annotated[str, Field(max_length=20_000)]
Name = Annotated[str, Field(min_length=1, max_length=2_000)]


class Tree(BaseModel):
    """A tree in the text form."""

    kind: Literal["tree"]
    text: Text


class Random(BaseModel):
    """A random tree."""

    kind: Literal["random"]
    branching: int = Field(3, ge=1, le=30)
    depth: int = Field(3, ge=1, le=12)
    seed: int = Field(1, ge=0, le=10**9)
    values: str = Field("-9..9", pattern=r"^-?\d{1,6}\.\.-?\d{1,6}$")
    ordering: str = Field("random", pattern=r"^(random|best|worst|0(\.\d{1,3})?|1(\.0)?)$")


class Example(BaseModel):
    """A lecture example."""

    kind: Literal["example"]
    name: Annotated[str, Field(max_length=60)]


class Position(BaseModel):
    """A position of a game."""

    kind: Literal["game"]
    game: Name
    position: Text = ""
    moves: Text = ""


Source = Annotated[Tree | Random | Example | Position, Field(discriminator="kind")]


class Described(BaseModel):
    """What to search."""

    source: Source


class Search(Described):
    """What to search, and how."""

    algorithm: Name = "alphabeta"
    depth: int | None = Field(None, ge=0, le=60)


class Below(Described):
    """A node below what is searched."""

    moves: Annotated[list[Annotated[str, Field(max_length=200)]], Field(max_length=200)] = []


class Export(Search):
    """A picture or a record of a search."""

    format: Literal["svg", "json"] = "svg"
    step: int | None = Field(None, ge=0, le=1_000_000)


async def _run(request: Request, task: str, arguments: dict[str, Any]) -> Any:
    work: Work = request.app.state.work
    return await work.run(
        _TASKS + task,
        arguments,
        lane="engine",
        seconds=_SECONDS,
        client=client_of(request),
    )


@router.get("/examples")
async def examples() -> list[dict[str, str]]:
    """The lecture examples."""
    return list_examples()


@router.post("/describe")
async def describe(asked: Described, request: Request) -> Any:
    """What there is to search, and the algorithms that fit it."""
    return await _run(request, "describe", {"source": asked.source.model_dump()})


@router.post("/search")
async def search(asked: Search, request: Request) -> Any:
    """A search, step by step."""
    return await _run(request, "search", asked.model_dump())


@router.post("/board")
async def board(asked: Below, request: Request) -> Any:
    """The board of a node."""
    known = asked.source.game if isinstance(asked.source, Position) else ""
    return await request.app.state.work.run(
        f"{_TASKS}board", asked.model_dump(), client=client_of(request), affinity=known
    )


@router.post("/export")
async def export(asked: Export, request: Request) -> Response:
    """A picture of a search as SVG, or its record as JSON."""
    answer = await _run(request, "export", asked.model_dump())
    kind = "image/svg+xml" if asked.format == "svg" else "application/json"
    return Response(answer["text"], media_type=kind)


# Large records --------------------------------------------------------------------------------------------------------


class Keepers:
    """The processes that keep large records, each for one page; the one that was idle longest makes room."""

    def __init__(self, files: dict[str, str], memory_mib: int) -> None:
        self._files = files
        self._memory_mib = memory_mib
        self._kept: list[Keeper] = []

    async def hire(self) -> Keeper:
        """A keeper of one's own. Raises BadInput if all are at work."""
        while len(self._kept) >= _MOST_KEEPERS:
            idle = [keeper for keeper in self._kept if not keeper.busy]
            if not idle:
                raise BadInput("Other pages are recording large searches; try again in a minute.")
            await self.dismiss(min(idle, key=lambda keeper: keeper.used))
        keeper = Keeper(Work(self._files, engines=1, memory_mib=self._memory_mib))
        self._kept.append(keeper)
        return keeper

    async def dismiss(self, keeper: Keeper) -> None:
        """End the process and with it the record."""
        if keeper in self._kept:
            self._kept.remove(keeper)
            keeper.gone = True
            await keeper.work.stop()

    async def close(self) -> None:
        """End all."""
        for keeper in list(self._kept):
            await self.dismiss(keeper)

    def __len__(self) -> int:
        return len(self._kept)


class Keeper:
    """A process that keeps one record."""

    def __init__(self, work: Work) -> None:
        self.work = work
        self.busy = False
        self.gone = False
        self.used = asyncio.get_running_loop().time()

    async def run(self, task: str, arguments: dict[str, Any], seconds: float, report: Any = None) -> Any:
        """Run a task of `lab_branches` in the process. Raises BadInput if it has been let go."""
        if self.gone:
            raise BadInput("The record was let go because others needed the room; search again.")
        self.busy, self.used = True, asyncio.get_running_loop().time()
        try:
            return await self.work.run(
                f"gametree.interfaces.web.lab_branches:{task}", arguments, lane="engine", seconds=seconds, report=report
            )
        finally:
            self.busy = False


async def open_page(app: FastAPI) -> None:
    """Called when the server starts."""
    app.state.keepers = Keepers(app.state.settings.files, app.state.settings.memory_mib)


async def close_page(app: FastAPI) -> None:
    """Called when the server ends."""
    await app.state.keepers.close()


@router.websocket("/branches")
async def branches(socket: WebSocket) -> None:
    """One large record for the page at the other end: `grow` makes it, `open` asks for children of a node.

    The record lives as long as the socket, and no longer than a quarter of an hour after its last use.
    """
    await socket.accept()
    peer = Peer(socket)
    keepers: Keepers = socket.app.state.keepers
    keeper: Keeper | None = None
    growing: asyncio.Task[None] | None = None

    async def stop() -> None:
        nonlocal keeper, growing
        if growing is not None:
            growing.cancel()
            with contextlib.suppress(asyncio.CancelledError, Exception):
                await growing
            growing = None
        if keeper is not None:
            await keepers.dismiss(keeper)
            keeper = None

    async def grow(message: dict[str, Any]) -> None:
        nonlocal keeper, growing
        try:
            asked = Search.model_validate({key: message.get(key) for key in ("source", "algorithm", "depth")})
        except ValidationError as error:
            raise BadInput(f"{'.'.join(map(str, error.errors()[0]['loc']))}: {error.errors()[0]['msg']}.") from None
        nodes = whole_number(message, "nodes", 100, MOST_NODES, default=100_000)
        await stop()
        mine = keeper = await keepers.hire()

        async def search() -> None:
            try:
                told = await mine.run(
                    "grow", {**asked.model_dump(), "nodes": nodes}, _GROWING,
                    lambda data: peer.send({"type": "progress", **data}),
                )  # fmt: skip
                peer.send({"type": "grown", **told})
            except GametreeError as error:
                peer.send({"type": "error", "error": str(error), "do": "grow"})

        growing = asyncio.create_task(search())

    async def open_(message: dict[str, Any]) -> None:
        row = whole_number(message, "row", 0, MOST_NODES)
        start = whole_number(message, "start", 0, MOST_NODES, default=0)
        count = whole_number(message, "count", 1, MOST_SLICE, default=50)
        sort = text_of(message, "sort", default="order")
        if sort not in SORTS:
            raise BadInput(f"'sort' should be one of {', '.join(SORTS)}.")
        if keeper is None or (growing is not None and not growing.done()):
            raise BadInput("There is no record yet; search first.")
        arguments = {"row": row, "start": start, "count": count, "sort": sort}
        peer.send({"type": "branch", "sort": sort, **await keeper.run("open_branch", arguments, 5.0)})

    async def watch() -> None:
        while True:
            await asyncio.sleep(10)
            if keeper is not None and not keeper.busy and asyncio.get_running_loop().time() - keeper.used > _IDLE:
                await keepers.dismiss(keeper)

    watching = asyncio.create_task(watch())
    try:
        await serve(socket, {"grow": grow, "open": open_}, peer)
    finally:
        watching.cancel()
        await stop()
        await peer.close()
