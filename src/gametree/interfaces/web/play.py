"""The page Play: any game, any seats, kept in the store and named by an unguessable link.

A game is created by a request; everything after that goes over its WebSocket. Engines think and clocks run while at
least one page shows the game; when all are closed, the game waits where it is.
"""

from __future__ import annotations

import asyncio
import contextlib
import secrets
import time
from dataclasses import asdict, dataclass, field
from typing import Annotated, Any, Literal

from fastapi import APIRouter, FastAPI, Request, WebSocket
from pydantic import BaseModel, ConfigDict, Field
from starlette.exceptions import HTTPException

from gametree.core.errors import BadInput, GametreeError, IllegalMove
from gametree.core.game import SIMULTANEOUS
from gametree.interfaces.web.games import LONGEST_NAME, check_name
from gametree.interfaces.web.names import find_player
from gametree.interfaces.web.sockets import Peer, serve, text_of, whole_number
from gametree.interfaces.web.store import GameStore
from gametree.interfaces.web.work import Work

__all__ = ["LEVELS", "Tables", "close_page", "open_page", "router"]

router = APIRouter(prefix="/api/play")

LEVELS = ("beginner", "casual", "club", "expert", "master", "full")
_TASKS = "gametree.interfaces.web.tasks:"
_PROGRAMS = "gametree.interfaces.web.programs:"
_LEVEL_SECONDS = {"beginner": 1.0, "casual": 1.0, "club": 1.0, "expert": 1.5, "master": 2.0, "full": 3.0}
"""The longest time that a level thinks about a move where no clock says otherwise."""
_MOST_SECONDS = 60.0
_MOST_KEPT = 20_000
"""Games that are kept; when there are more, those that nobody has touched for the longest time go."""
_MOST_TABLES = 2000
"""Games that are open at once."""


class Seat(BaseModel):
    """Who sits there: a person, an engine of a level or with a time for each move, or another program."""

    model_config = ConfigDict(extra="forbid")
    kind: Literal["person", "engine", "program"] = "person"
    level: Literal["beginner", "casual", "club", "expert", "master", "full"] = "club"
    seconds: Annotated[float, Field(gt=0, le=_MOST_SECONDS)] | None = None
    """Time for each move; with it the engine plays at full strength."""
    program: Annotated[str, Field(max_length=40)] = ""
    """Which of the programs that the command line names."""


class NewGame(BaseModel):
    """What is to be played."""

    model_config = ConfigDict(extra="forbid")
    game: Annotated[str, Field(min_length=1, max_length=LONGEST_NAME)]
    start: Annotated[str, Field(max_length=2000)] | None = None
    """A position as the game writes it; None for the usual beginning."""
    seats: Annotated[list[Seat], Field(max_length=20)] = []
    """One for each seat; those left out are persons."""
    minutes: Annotated[float, Field(gt=0, le=600)] | None = None
    """Time on each clock; None for no clocks."""
    increment: Annotated[float, Field(ge=0, le=600)] = 0.0
    """Seconds that a move adds."""


class Created(BaseModel):
    """The new game's name."""

    id: str


@dataclass
class GameFile:
    """A game as it is kept."""

    game: str
    start: str | None
    seats: list[dict[str, Any]]
    seconds: float | None
    increment: float
    hidden: bool = False
    """Whether what chance deals is to be kept from pages while the game goes on."""
    moves: list[str] = field(default_factory=list)
    movers: list[int] = field(default_factory=list)
    """Who made each move: a seat, CHANCE or SIMULTANEOUS."""
    chances: list[float | None] = field(default_factory=list)
    """What seat 0's winning chance was thought to be, where an engine said it with its move."""
    left: list[list[float]] = field(default_factory=list)
    """The clocks before each move and now, one entry more than there are moves; empty without clocks."""
    choices: dict[str, str] = field(default_factory=dict)
    """What seats have chosen where several choose at once."""
    result: dict[str, Any] | None = None


class Table:
    """A game that is open: its file, the pages that show it, and what is going on."""

    def __init__(self, name: str, file: GameFile, tables: Tables) -> None:
        self.name, self.file, self.tables = name, file, tables
        self.peers: set[Peer] = set()
        self.lock = asyncio.Lock()
        self.view: dict[str, Any] = {}
        self.facts: dict[str, Any] = {}
        self.note = ""
        self._thinking: asyncio.Task[None] | None = None
        self._flag: asyncio.Task[None] | None = None
        self._since: float | None = None
        """When the clock of the seat to move began to run; None while it stands."""

    # What pages see -------------------------------------------------------------------------------------------------

    def data(self) -> dict[str, Any]:
        """The game for its pages. What chance dealt stays hidden in games with hidden cards until the end."""
        file = self.file
        hide = file.hidden and file.result is None
        moves = ["…" if hide and mover == -1 else text for text, mover in zip(file.moves, file.movers, strict=True)]
        return {
            "id": self.name,
            "game": file.game,
            "start": file.start,
            "seats": file.seats,
            "moves": moves,
            "movers": file.movers,
            "chances": file.chances,
            "clocks": self._clocks(),
            "increment": file.increment,
            "chosen": sorted(map(int, file.choices)),
            "result": file.result,
            "thinking": self._thinking is not None,
            "note": self.note,
            "facts": self.facts,
            "view": self.view,
        }

    def _clocks(self) -> dict[str, Any] | None:
        if self.file.seconds is None:
            return None
        left = list(self.file.left[-1])
        seat = self.view.get("seat")
        if self._since is None or seat is None:
            return {"left": left, "running": None}
        left[seat] = max(0.0, left[seat] - (time.monotonic() - self._since))
        return {"left": left, "running": seat}

    def push(self) -> None:
        """Show the game to all pages."""
        message = {"type": "game", "game": self.data()}
        for peer in list(self.peers):
            peer.send(message)

    # What happens ---------------------------------------------------------------------------------------------------

    @property
    def people(self) -> list[int]:
        """The seats of persons."""
        return [number for number, seat in enumerate(self.file.seats) if seat["kind"] == "person"]

    def line(self) -> dict[str, Any]:
        """What names the position to a task."""
        return {"game": self.file.game, "start": self.file.start, "moves": list(self.file.moves)}

    async def _quick(self, task: str, **arguments: Any) -> Any:
        """A task of the rules, first come first served among all games."""
        return await self.tables.work.run(
            _TASKS + task, arguments, seconds=5.0, client=self.name, affinity=self.file.game, report=self.hear
        )

    def hear(self, report: Any) -> None:
        """Pass on that something is compiled, which takes a while and is done once."""
        if isinstance(report, dict) and "compiling" in report:
            for peer in self.peers:
                peer.send({"type": "wait", "text": report["compiling"]})

    async def look(self) -> None:
        """Work out the position anew, and what chance decides in it."""
        chosen = sorted(map(int, self.file.choices))
        self._take(await self._quick("position", **self.line(), people=self.people, chosen=chosen))

    def _take(self, answer: dict[str, Any], chance: float | None = None) -> None:
        """Note what was played and what the position is now."""
        file, left = self.file, self._stop_clock()
        self.view, self.facts = answer["view"], answer["facts"]
        for text, mover in answer["played"]:
            file.moves.append(text)
            file.movers.append(mover)
            file.chances.append(chance if mover != -1 else None)
            if left is not None:
                if mover >= 0:
                    left[mover] += file.increment
                file.left.append(list(left))
        if answer["played"]:
            file.choices = {}
        if self.view["over"] and file.result is None:
            file.result = {"utilities": self.view["utilities"], "reason": "over"}

    async def play(self, text: str, seat: int, chance: float | None = None) -> None:
        """Play the seat's move, or note its choice where several choose at once. Raises IllegalMove."""
        if self.view["mover"] == SIMULTANEOUS:
            self.file.choices[str(seat)] = await self._quick("check_part", **self.line(), seat=seat, text=text)
            await self.look()
            if self.view["seat"] is None:
                self._take(
                    await self._quick("play", **self.line(), people=self.people, text="", joint=self.file.choices),
                    chance,
                )
        else:
            self._take(await self._quick("play", **self.line(), people=self.people, text=text), chance)
        await self.go_on()

    async def go_on(self) -> None:
        """Keep what happened, show it, and let the clock or the engine of whoever is to move run."""
        saving = asyncio.create_task(self.tables.store.save(self.name, asdict(self.file)))
        self._start()
        self.push()
        await asyncio.shield(saving)  # nothing further happens in this game before it is kept

    def _start(self) -> None:
        self._stop_engine()
        if self.file.result is not None or not self.peers or self.view.get("seat") is None:
            return
        self._start_clock()
        if self.view["seat"] not in self.people:
            self._thinking = asyncio.create_task(self._think(self.view["seat"]))

    def wake(self) -> None:
        """Start what stands still because nobody was looking."""
        if self._thinking is None and self._since is None:
            self._start()

    async def _think(self, seat: int) -> None:
        """Let the engine of the seat move."""
        given = self.file.seats[seat]
        level = "full" if given["seconds"] else given["level"]
        seconds = given["seconds"] or _LEVEL_SECONDS[level]
        if self.file.seconds is not None:
            left = self.file.left[-1][seat]
            seconds = max(0.01, min(seconds, left / 25 + 0.8 * self.file.increment, left * 0.9))
        try:
            task, how = _TASKS + "choose", {"algorithm": "", "level": level}
            if given["kind"] == "program":
                player = find_player(given["program"], self.tables.programs)
                task, how = _PROGRAMS + "choose_by_program", {"player": player}
            answer = await self.tables.work.run(
                task,
                {**self.line(), "seat": seat, **how},
                lane="engine",
                seconds=seconds,
                client=self.name,
                affinity=self.file.game,
                report=self.hear,
            )
        except GametreeError as error:
            self._thinking = None
            self.note = f"Player {seat + 1} cannot move: {error}"
            self.push()
            return
        async with self.lock:
            if self._thinking is not asyncio.current_task():
                return
            self._thinking = None
            if not answer["text"]:
                await self.lose(seat, "resigned")
                return
            chance = answer["chance"]
            if chance is not None and seat != 0 and len(self.file.seats) == 2:
                chance = 1 - chance
            with contextlib.suppress(GametreeError):
                await self.play(answer["text"], seat, chance if len(self.file.seats) == 2 else None)

    def rest(self) -> bool:
        """Let everything stand still; whether there is anything to keep."""
        self._stop_engine()
        if self.view:
            self._stop_clock()
        return bool(self.view)

    def _stop_engine(self) -> None:
        task, self._thinking = self._thinking, None
        if task is not None and task is not asyncio.current_task():
            task.cancel()

    # Clocks ---------------------------------------------------------------------------------------------------------

    def _start_clock(self) -> None:
        """Let the clock of the seat to move run, if there are clocks and it does not run already."""
        if self.file.seconds is None or self._since is not None:
            return
        seat = self.view["seat"]
        self._since = time.monotonic()
        self._flag = asyncio.create_task(self._fall(seat, self.file.left[-1][seat]))

    def _stop_clock(self) -> list[float] | None:
        """Stop the clock and return what all seats have left, counted to now; None without clocks."""
        if self._flag is not None and self._flag is not asyncio.current_task():
            self._flag.cancel()
        self._flag = None
        if self.file.seconds is None:
            return None
        left = list(self.file.left[-1])
        seat = self.view.get("seat")
        if self._since is not None and seat is not None:
            left[seat] = max(0.0, left[seat] - (time.monotonic() - self._since))
        self._since = None
        self.file.left[-1] = left
        return list(left)

    async def _fall(self, seat: int, seconds: float) -> None:
        """Wait for the flag of the seat to fall."""
        await asyncio.sleep(seconds + 0.05)
        async with self.lock:
            if self.file.result is None and self._since is not None and self.view["seat"] == seat:
                self._stop_engine()
                await self.lose(seat, "time")

    async def lose(self, seat: int, reason: str) -> None:
        """End the game as a loss of the seat."""
        self._stop_clock()
        low, high = self.facts["low"], self.facts["high"]
        utilities = [low if number == seat else high for number in range(len(self.file.seats))]
        self.file.result = {"utilities": utilities, "reason": reason, "seat": seat}
        self.file.choices = {}
        await self.go_on()

    # What pages ask for ---------------------------------------------------------------------------------------------

    async def move(self, message: dict[str, Any]) -> None:
        """A person's move; `ply` says which position it is meant for."""
        text = text_of(message, "text")
        ply = whole_number(message, "ply", 0, 1_000_000)
        async with self.lock:
            if self.file.result is not None:
                raise IllegalMove("The game is over.")
            if ply != len(self.file.moves):
                raise IllegalMove("The position has changed meanwhile.")
            seat = self.view["seat"]
            if seat not in self.people:
                raise IllegalMove("It is the engine's turn.")
            self.note = ""
            await self.play(text, seat)

    async def undo(self, message: dict[str, Any]) -> None:
        """Take back the last move of a person and everything after it."""
        async with self.lock:
            file = self.file
            deciding = [n for n, mover in enumerate(file.movers) if mover in self.people or mover == SIMULTANEOUS]
            keep = deciding[-1] if deciding else (len(file.moves) - 1 if not self.people and file.moves else None)
            if keep is None and not file.choices:
                raise BadInput("There is no move to take back.")
            self._stop_engine()
            self._stop_clock()
            if file.choices:
                file.choices = {}
            else:
                file.moves, file.movers, file.chances = file.moves[:keep], file.movers[:keep], file.chances[:keep]
                if file.left:
                    file.left = file.left[: len(file.moves) + 1]
            file.result, self.note = None, ""
            await self.look()
            await self.go_on()

    async def resign(self, message: dict[str, Any]) -> None:
        """The person to move, or the only one who plays, gives up."""
        async with self.lock:
            if self.file.result is not None:
                raise BadInput("The game is over.")
            if not self.people:
                raise BadInput("Only persons resign, and none plays here.")
            seat = self.view["seat"] if self.view["seat"] in self.people else self.people[0]
            self._stop_engine()
            await self.lose(seat, "resigned")

    async def rematch(self, message: dict[str, Any]) -> None:
        """A new game of the same kind with the seats turned by one; pages are told its name."""
        file = self.file
        seats = file.seats[-1:] + file.seats[:-1]
        name = await self.tables.create(
            GameFile(file.game, file.start, seats, file.seconds, file.increment, file.hidden), len(file.seats)
        )
        for peer in self.peers:
            peer.send({"type": "rematch", "id": name})


class Tables:
    """All games that are open."""

    def __init__(self, work: Work, store: GameStore, programs: dict[str, str]) -> None:
        self.work, self.store, self.programs = work, store, programs
        self._open: dict[str, Table] = {}
        self._lock = asyncio.Lock()

    async def create(self, file: GameFile, players: int) -> str:
        """Keep a new game and return its name."""
        if file.seconds is not None:
            file.left = [[file.seconds] * players]
        name = secrets.token_urlsafe(16)
        await self.store.save(name, asdict(file))
        await self.store.trim(_MOST_KEPT)
        return name

    async def delete(self, name: str) -> bool:
        """Delete a game; whether there was one. Raises BadInput while a page shows it."""
        async with self._lock:
            if name in self._open:
                raise BadInput("This game is open in a page; close that first.")
            return await self.store.delete(name)

    async def open(self, name: str) -> Table | None:
        """The table of the game, set up if nobody looks at it yet; None if there is no such game."""
        async with self._lock:
            if name in self._open:
                return self._open[name]
            if len(self._open) >= _MOST_TABLES:
                raise BadInput("Too many games are open; close some pages.")
            data = await self.store.load(name)
            if data is None:
                return None
            table = self._open[name] = Table(name, GameFile(**data), self)
            return table

    async def leave(self, table: Table, peer: Peer) -> None:
        """A page is gone; with the last one the engine stops and the clocks stand."""
        table.peers.discard(peer)
        if table.peers:
            return
        try:
            if table.rest():
                await self.store.save(table.name, asdict(table.file))
        finally:  # also if whoever waits here is cancelled
            if not table.peers:
                self._open.pop(table.name, None)


async def open_page(app: FastAPI) -> None:
    """Open the store."""
    app.state.store = GameStore(app.state.settings.data)
    app.state.tables = Tables(app.state.work, app.state.store, app.state.settings.programs)


async def close_page(app: FastAPI) -> None:
    """Close the store."""
    await app.state.store.close()


@router.get("/about")
async def about(request: Request, game: Annotated[str, Field(max_length=LONGEST_NAME)]) -> dict[str, Any]:
    """The facts of a game and how it begins."""
    check_name(game, request.app.state.settings.files)
    answer: dict[str, Any] = await request.app.state.work.run(
        _TASKS + "about", {"game": game}, client="about", affinity=game, seconds=5.0
    )
    return answer


@router.post("/games", status_code=201)
async def create(request: Request, new: NewGame) -> Created:
    """Set up a game; its name is the only way to it."""
    state = request.app.state
    check_name(new.game, state.settings.files)
    known = await state.work.run(
        _TASKS + "position",
        {"game": new.game, "start": new.start, "moves": [], "people": [], "chosen": []},
        client="create",
        affinity=new.game,
    )
    players = known["facts"]["players"]
    if len(new.seats) > players:
        raise BadInput(f"There are {len(new.seats)} seats for {players} players.")
    for program in {seat.program for seat in new.seats if seat.kind == "program"}:
        player = find_player(program, state.settings.programs)
        await state.work.run(_PROGRAMS + "try_program", {"game": new.game, "player": player}, client="create")
    seats = [seat.model_dump() for seat in new.seats] + [Seat().model_dump()] * (players - len(new.seats))
    seconds = None if new.minutes is None else new.minutes * 60
    file = GameFile(new.game, new.start, seats, seconds, new.increment, known["facts"]["hidden"])
    return Created(id=await state.tables.create(file, players))


@router.get("/games/{name}")
async def read(request: Request, name: Annotated[str, Field(max_length=64)]) -> dict[str, Any]:
    """The moves of a game, for whoever knows its name."""
    data = await request.app.state.store.load(name)
    if data is None:
        raise HTTPException(404, "There is no such game")
    file = GameFile(**data)
    hidden = file.hidden and file.result is None
    return {
        "game": file.game,
        "start": file.start,
        "moves": [] if hidden else file.moves,
        "seats": file.seats,
        "result": file.result,
    }


@router.delete("/games/{name}")
async def delete(request: Request, name: Annotated[str, Field(max_length=64)]) -> dict[str, bool]:
    """Delete a game, for whoever knows its name; whether there was one."""
    tables: Tables = request.app.state.tables
    return {"deleted": await tables.delete(name)}


@router.websocket("/games/{name}/socket")
async def watch(socket: WebSocket, name: str) -> None:
    """Show a game and take moves for it."""
    tables: Tables = socket.app.state.tables
    await socket.accept()
    table = await tables.open(name) if len(name) <= 64 else None
    if table is None:
        await socket.close(4404, "There is no such game.")
        return
    peer = Peer(socket)
    table.peers.add(peer)  # before anything is awaited: the last page to leave puts the table away
    try:
        async with table.lock:
            try:
                if not table.view:
                    await table.look()
                    await table.go_on()
                else:
                    table.wake()
                    peer.send({"type": "game", "game": table.data()})
            except GametreeError as error:
                peer.send({"type": "error", "error": str(error), "do": "open"})
        handlers = {
            "move": table.move,
            "undo": table.undo,
            "resign": table.resign,
            "rematch": table.rematch,
            "hint": Hint(table, peer).ask,
        }
        await serve(socket, handlers, peer)
    finally:
        await peer.close()
        await tables.leave(table, peer)


class Hint:
    """What an engine would play, for one page at a time."""

    def __init__(self, table: Table, peer: Peer) -> None:
        self._table, self._peer = table, peer
        self._task: asyncio.Task[None] | None = None

    async def ask(self, message: dict[str, Any]) -> None:
        """Think for a second beside everything else."""
        table = self._table
        if table.file.result is not None or table.view.get("seat") not in table.people:
            raise BadInput("There is nothing to hint at: it is not a person's turn.")
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._think(len(table.file.moves)))

    async def _think(self, ply: int) -> None:
        table = self._table
        try:
            answer = await table.tables.work.run(
                _TASKS + "choose",
                {**table.line(), "seat": table.view["seat"], "algorithm": "", "level": "full"},
                lane="engine",
                seconds=1.0,
                client=f"hint {table.name}",
                affinity=table.file.game,
                report=table.hear,
            )
        except GametreeError as error:
            self._peer.send({"type": "error", "error": str(error), "do": "hint"})
            return
        if ply == len(table.file.moves):
            self._peer.send({"type": "hint", "ply": ply, **answer})
