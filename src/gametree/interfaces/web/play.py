"""The page Play: any game, any seats, kept in the store; an unguessable link is a seat.

A game is created by a request, which answers with its links: one for all persons at this device, one for each person
who plays elsewhere, and one for those who look on. Everything after that goes over WebSockets, and what a socket gets
is made from the views of the link's own seats. Engines think and clocks run while at least one page shows the game;
when all are closed, the game waits where it is.

This process keeps records, which hold truth and secret, and runs no rules: `tables` does, in a worker.
"""

from __future__ import annotations

import asyncio
import contextlib
import secrets
import time
from dataclasses import asdict, dataclass
from typing import Annotated, Any, Literal

from fastapi import APIRouter, FastAPI, Request, WebSocket
from pydantic import BaseModel, ConfigDict, Field
from starlette.exceptions import HTTPException

from gametree.core.dice import new_secret, seed_for
from gametree.core.errors import BadInput, GametreeError
from gametree.interfaces.web.checked_names import find_player
from gametree.interfaces.web.games import LONGEST_NAME, check_name
from gametree.interfaces.web.packing import pack
from gametree.interfaces.web.sockets import Peer, serve, text_of, whole_number
from gametree.interfaces.web.store import GameStore
from gametree.interfaces.web.work import Work
from gametree.play.strength import LEVELS

__all__ = ["Room", "Rooms", "close_page", "open_page", "router"]

router = APIRouter(prefix="/api/play")

_TABLES = "gametree.interfaces.web.tables:"
_THINKING = "gametree.interfaces.web.thinking:"
_PROGRAMS = "gametree.interfaces.web.programs:"
_LEVEL_SECONDS = {"expert": 1.5, "master": 2.0, "full": 3.0}
"""The longest time that a level thinks about a move where no clock says otherwise; a second for the others."""
_MOST_SECONDS = 60.0
_MOST_KEPT = 20_000
"""Games that are kept; when there are more, those that nobody has touched for the longest time go."""
_MOST_TABLES = 2000
"""Games that are open at once."""


class Seat(BaseModel):
    """Who sits there: a person at this device, a guest with a link of its own, an engine of a level or with a time for
    each move, or another program.
    """

    model_config = ConfigDict(extra="forbid")
    kind: Literal["person", "guest", "engine", "program"] = "person"
    level: Literal[tuple(LEVELS)] = "club"  # type: ignore[valid-type]
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
    """The links of a new game."""

    id: str
    """For this device: all its persons, or who looks on if there is none."""
    links: dict[int, str]
    """For each guest, by seat."""
    spectators: str


@dataclass
class GameFile:
    """A game as it is kept."""

    game: str
    seats: list[dict[str, Any]]
    record: dict[str, Any]
    """The table's: truth and secret. It leaves this process for a table's process only."""
    hidden: bool = False


class Room:
    """A game that is open: its file, the pages that show it, and what is going on."""

    def __init__(self, name: str, file: GameFile, rooms: Rooms) -> None:
        self.name, self.file, self.rooms = name, file, rooms
        self.peers: dict[Peer, tuple[int, ...]] = {}
        """The pages, and the seats of each; none for those who look on."""
        self.lock = asyncio.Lock()
        self.note = ""
        self.asks: dict[int, str] = {}
        """Seats that are to choose, and the View of each as text."""
        self._number = 0
        self._messages: dict[tuple[int, ...], dict[str, Any]] = {}
        self._told: dict[Peer, dict[str, Any]] = {}
        """What each page was told last, without its clocks."""
        self._thinking: dict[int, asyncio.Task[None]] = {}
        self._flag: asyncio.Task[None] | None = None
        self._since: float | None = None
        """When the clocks of the seats to move began to run; None while they stand."""

    # What pages see -------------------------------------------------------------------------------------------------

    def show(self, peer: Peer, *, anew: bool = True) -> None:
        """Send the page what its seats may know; without `anew` only if that is not what it was told last.

        So nobody learns from a message that something happened which it did not hear.
        """
        message = {**self._messages[self.peers[peer]], "id": peer.link, "seats": self.file.seats}
        message["note"] = self.note
        plain = {key: value for key, value in message.items() if key != "clocks"}
        if anew or self._told.get(peer) != plain:
            self._told[peer] = plain
            if peer.boards is not None:
                message["view"], key = pack(message["view"], peer.boards)
                peer.boards.add(key)
            peer.send({"type": "game", "game": {**message, "clocks": self._clocks(message["clocks"])}})

    def _clocks(self, clocks: dict[str, Any] | None) -> dict[str, Any] | None:
        """The clocks as they stand now: they have run since the message was made."""
        if clocks is None or self._since is None:
            return clocks
        left = list(clocks["left"])
        for seat in clocks["running"]:
            left[seat] = max(0.0, left[seat] - (time.monotonic() - self._since))
        return {**clocks, "left": left}

    def hear(self, report: Any) -> None:
        """Pass on that something is compiled, which takes a while and is done once."""
        if isinstance(report, dict) and "compiling" in report:
            for peer in self.peers:
                peer.send({"type": "wait", "text": report["compiling"]})

    # What happens ---------------------------------------------------------------------------------------------------

    @property
    def persons(self) -> list[int]:
        """The seats of persons, wherever they sit."""
        return [number for number, seat in enumerate(self.file.seats) if seat["kind"] in ("person", "guest")]

    @property
    def result(self) -> Any:
        """How the game ended; None while it goes on."""
        return self.file.record["result"]

    async def step(self, **do: Any) -> None:
        """Let the table do what is asked, keep the record, and tell everyone what it may know. Raises GametreeError."""
        at, groups = time.monotonic(), sorted(set(self.peers.values()))
        answer = await self.rooms.work.run(
            _TABLES + "step",
            {
                "name": self.name,
                "number": self._number,
                "record": self.file.record,
                "groups": [list(group) or [-1] for group in groups],
                "persons": self.persons,
                "at": at,
                "since": self._since,
                "running": bool(self.peers),
                "do": do,
            },
            seconds=5.0,
            client=self.name,
            affinity=self.file.game,
            report=self.hear,
        )
        self._number += 1
        self.file.record = answer["record"]
        if self.result is not None:
            self.note = ""
        self._messages = dict(zip(groups, answer["messages"], strict=True))
        self.asks = {int(seat): view for seat, view in answer["asks"].items()}
        saving = asyncio.create_task(self.rooms.store.save(self.name, asdict(self.file)))
        self._run(at, answer["flag"])
        for peer in list(self.peers):
            if self.peers[peer] in self._messages:
                self.show(peer, anew=False)
        await asyncio.shield(saving)  # nothing further happens in this game before it is kept

    def _run(self, at: float, flag: float | None) -> None:
        """Let clocks and engines of those who are to choose run."""
        self._since = at if self.peers and self.result is None else None
        if self._flag is not None and self._flag is not asyncio.current_task():
            self._flag.cancel()
        self._flag = None
        if flag is not None and self._since is not None:
            self._flag = asyncio.create_task(self._fall(flag))
        for seat in [seat for seat in self._thinking if seat not in self.asks or self.result is not None]:
            self._stop_thinking(seat)
        for seat in self.asks:
            if seat not in self.persons and seat not in self._thinking and self.peers:
                self._thinking[seat] = asyncio.create_task(self._think(seat, self.asks[seat]))

    async def _fall(self, seconds: float) -> None:
        """Wait for the first flag to fall."""
        await asyncio.sleep(seconds + 0.01)
        async with self.lock:
            if self.result is None and self._flag is asyncio.current_task():
                await self.step(kind="look")

    async def think(self, seat: int, view: str, *, who: dict[str, Any], client: str) -> dict[str, Any]:
        """What an engine or program would play for the seat, of which it is given the view."""
        seconds = who["seconds"] or _LEVEL_SECONDS.get(who["level"], 1.0)
        player, keep = f"best:time={seconds}" if who["seconds"] else f"best:level={who['level']},time={seconds}", True
        if who["kind"] == "program":
            player, keep = find_player(who["program"], self.rooms.programs), False
            player += f"{'&' if '?' in player else '?'}time={seconds}"
        seed = seed_for(bytes.fromhex(self.file.record["secret"]), "player", seat)
        answer: dict[str, Any] = await self.rooms.work.run(
            _THINKING + "choose",
            {"name": client, "player": player, "seed": seed, "view": view, "keep": keep},
            lane="engine",
            seconds=seconds + 1.0,
            client=client,
            affinity=self.file.game,
            own=f"{client} {seat}",
            report=self.hear,
        )
        return answer

    async def _think(self, seat: int, view: str) -> None:
        """Let the engine of the seat move."""
        try:
            answer = await self.think(seat, view, who=self.file.seats[seat], client=self.name)
        except GametreeError as error:
            self._thinking.pop(seat, None)
            self.note = f"Player {seat + 1} cannot move: {error}"
            for peer in self.peers:
                self.show(peer)
            return
        async with self.lock:
            if self._thinking.get(seat) is not asyncio.current_task():
                return
            del self._thinking[seat]
            chance = answer["chance"]
            if chance is not None and seat != 0:
                chance = 1 - chance
            known = chance if len(self.file.seats) == 2 else None
            self.note = answer.get("note", "")
            with contextlib.suppress(GametreeError):
                await self.step(kind="think", seat=seat, text=answer["text"], chance=known)

    def _stop_thinking(self, seat: int) -> None:
        task = self._thinking.pop(seat)
        if task is not asyncio.current_task():
            task.cancel()

    async def rest(self) -> None:
        """Let everything stand still: nobody looks any more."""
        for seat in list(self._thinking):
            self._stop_thinking(seat)
        if self._flag is not None:
            self._flag.cancel()
            self._flag = None
        if self._since is not None and self._messages:
            async with self.lock:
                if not self.peers:
                    await self.step(kind="look")

    # What pages ask for ---------------------------------------------------------------------------------------------

    async def join(self, peer: Peer) -> None:
        """A page has come: wake the game up if it rests, and show it."""
        async with self.lock:
            try:
                await self.step(kind="look")
                if peer not in self._told:
                    self.show(peer)
            except GametreeError as error:
                peer.send({"type": "error", "error": str(error), "do": "open"})

    async def do(self, peer: Peer, **do: Any) -> None:
        """Something that a page asks for its seats. Raises GametreeError."""
        async with self.lock:
            self.note = ""
            if do["kind"] == "undo":
                for seat in list(self._thinking):
                    self._stop_thinking(seat)
            await self.step(seats=list(self.peers[peer]), **do)

    async def rematch(self, peer: Peer) -> None:
        """A new game of the same kind with the seats turned by one; every page is told its link. Raises BadInput."""
        if not self.peers[peer] and self.persons:
            raise BadInput("Who looks on does not play.")
        file = self.file
        seats = file.seats[-1:] + file.seats[:-1]
        made = await self.rooms.create(file.game, file.record["start"], seats, file.record["control"])
        for other, own in self.peers.items():
            guest = next((made.links.get((seat + 1) % len(seats)) for seat in own), None)
            other.send({"type": "rematch", "id": made.spectators if not own else guest or made.id})


class Rooms:
    """All games that are open."""

    def __init__(self, work: Work, store: GameStore, programs: dict[str, str]) -> None:
        self.work, self.store, self.programs = work, store, programs
        self._open: dict[str, Room] = {}
        self._lock = asyncio.Lock()

    async def create(self, game: str, start: str | None, given: list[dict[str, Any]], control: list[Any]) -> Created:
        """Keep a new game and return its links. Raises GametreeError."""
        asked = {"game": game, "start": start, "seconds": control[0], "increment": control[1]}
        made = await self.work.run(
            _TABLES + "open_table", {**asked, "secret": new_secret().hex()}, client="create", affinity=game
        )
        players = made["facts"]["players"]
        if len(given) > players:
            raise BadInput(f"There are {len(given)} seats for {players} players.")
        seats = given + [Seat().model_dump()] * (players - len(given))
        here = [number for number, seat in enumerate(seats) if seat["kind"] == "person"]
        guests = {number: secrets.token_urlsafe(16) for number, seat in enumerate(seats) if seat["kind"] == "guest"}
        spectators = secrets.token_urlsafe(16)
        name, own = secrets.token_urlsafe(16), secrets.token_urlsafe(16) if here else spectators
        links = {spectators: [], **{link: [seat] for seat, link in guests.items()}, **({own: here} if here else {})}
        await self.store.save(name, asdict(GameFile(game, seats, made["record"], made["facts"]["hidden"])))
        await self.store.add_links(name, links)
        await self.store.trim(_MOST_KEPT)
        return Created(id=own, links=guests, spectators=spectators)

    async def find(self, link: str) -> tuple[str, GameFile, list[int]] | None:
        """The game that a link leads to, and the seats there; None if it leads nowhere."""
        found = await self.store.find(link) if len(link) <= 64 else None
        data = None if found is None else await self.store.load(found[0])
        return None if found is None or data is None else (found[0], GameFile(**data), found[1])

    async def delete(self, link: str) -> bool:
        """Delete a game; whether there was one. Raises BadInput while a page shows it, and for those who look on."""
        async with self._lock:
            found = await self.find(link)
            if found is None:
                return False
            name, file, seats = found
            if not seats and any(seat["kind"] in ("person", "guest") for seat in file.seats):
                raise BadInput("Who looks on deletes no game.")
            if name in self._open:
                raise BadInput("This game is open in a page; close that first.")
            return await self.store.delete(name)

    async def open(self, link: str, peer: Peer) -> Room | None:
        """The room of the game with the page in it; None if the link leads nowhere."""
        async with self._lock:
            found = await self.find(link)
            if found is None:
                return None
            name, file, seats = found
            if name not in self._open:
                if len(self._open) >= _MOST_TABLES:
                    raise BadInput("Too many games are open; close some pages.")
                self._open[name] = Room(name, file, self)
            room = self._open[name]
            peer.link = link
            room.peers[peer] = tuple(seats)  # before anything else is awaited: the last page to leave closes the room
            return room

    async def leave(self, room: Room, peer: Peer) -> None:
        """A page is gone; with the last one the engines stop and the clocks stand."""
        room.peers.pop(peer, None)
        room._told.pop(peer, None)
        if room.peers:
            return
        try:
            with contextlib.suppress(GametreeError):
                await room.rest()
        finally:  # also if whoever waits here is cancelled
            if not room.peers and self._open.get(room.name) is room:
                del self._open[room.name]


async def open_page(app: FastAPI) -> None:
    """Open the store."""
    app.state.store = GameStore(app.state.settings.data)
    app.state.rooms = Rooms(app.state.work, app.state.store, app.state.settings.programs)


async def close_page(app: FastAPI) -> None:
    """Close the store."""
    await app.state.store.close()


@router.get("/about")
async def about(request: Request, game: Annotated[str, Field(max_length=LONGEST_NAME)]) -> dict[str, Any]:
    """The facts of a game and how it begins."""
    check_name(game, request.app.state.settings.files)
    answer: dict[str, Any] = await request.app.state.work.run(
        _TABLES + "about", {"game": game}, client="about", affinity=game, seconds=5.0
    )
    return {**answer, "levels": list(LEVELS)}


@router.post("/games", status_code=201)
async def create(request: Request, new: NewGame) -> Created:
    """Set up a game; its links are the only way to it."""
    state = request.app.state
    check_name(new.game, state.settings.files)
    for program in {seat.program for seat in new.seats if seat.kind == "program"}:
        player = find_player(program, state.settings.programs)
        await state.work.run(_PROGRAMS + "try_program", {"game": new.game, "player": player}, client="create")
    seconds = None if new.minutes is None else new.minutes * 60
    rooms: Rooms = state.rooms
    return await rooms.create(new.game, new.start, [seat.model_dump() for seat in new.seats], [seconds, new.increment])


@router.get("/games/{name}")
async def read(request: Request, name: Annotated[str, Field(max_length=64)]) -> dict[str, Any]:
    """The moves of an open game, for whoever has a link to it; those of a hidden one are nobody's."""
    rooms: Rooms = request.app.state.rooms
    found = await rooms.find(name)
    if found is None:
        raise HTTPException(404, "There is no such game")
    file = found[1]
    record = file.record
    result = None if record["result"] is None else {"utilities": record["result"][0], "reason": record["result"][1]}
    return {
        "game": file.game,
        "start": record["start"],
        "moves": [] if file.hidden else record["moves"],
        "seats": file.seats,
        "result": result,
    }


@router.delete("/games/{name}")
async def delete(request: Request, name: Annotated[str, Field(max_length=64)]) -> dict[str, bool]:
    """Delete a game, for whoever has a seat in it; whether there was one."""
    rooms: Rooms = request.app.state.rooms
    return {"deleted": await rooms.delete(name)}


@router.websocket("/games/{name}/socket")
async def watch(socket: WebSocket, name: str) -> None:
    """Show a game to the seats of the link and take their moves. With `?packed` positions come packed (`packing`)."""
    rooms: Rooms = socket.app.state.rooms
    await socket.accept()
    peer = Peer(socket)
    if "packed" in socket.query_params:
        peer.boards = set()
    room = None
    try:
        room = await rooms.open(name, peer)
        if room is None:
            await peer.close()
            await socket.close(4404, "There is no such game.")
            return
        await room.join(peer)
        await serve(socket, _handlers(room, peer), peer)
    finally:
        await peer.close()
        if room is not None:
            await rooms.leave(room, peer)


def _handlers(room: Room, peer: Peer) -> dict[str, Any]:
    """What the page may ask for."""

    async def move(message: dict[str, Any]) -> None:
        text, ply = text_of(message, "text"), whole_number(message, "ply", 0, 1_000_000)
        if not text.strip():
            raise BadInput("'text' should be a move.")
        await room.do(peer, kind="move", text=text, ply=ply)

    async def undo(message: dict[str, Any]) -> None:
        await room.do(peer, kind="undo")

    async def resign(message: dict[str, Any]) -> None:
        await room.do(peer, kind="resign")

    async def draw(message: dict[str, Any]) -> None:
        await room.do(peer, kind="offer")

    async def answer(message: dict[str, Any]) -> None:
        await room.do(peer, kind="answer", yes=message.get("yes") is True)

    async def rematch(message: dict[str, Any]) -> None:
        await room.rematch(peer)

    return {
        "move": move,
        "undo": undo,
        "resign": resign,
        "draw": draw,
        "answer": answer,
        "rematch": rematch,
        "hint": Hint(room, peer).ask,
    }


class Hint:
    """What an engine would play, for one page at a time."""

    def __init__(self, room: Room, peer: Peer) -> None:
        self._room, self._peer = room, peer
        self._task: asyncio.Task[None] | None = None

    async def ask(self, message: dict[str, Any]) -> None:
        """Think for a second beside everything else, about what the seat sees."""
        room = self._room
        seat = next((seat for seat in room.asks if seat in room.peers[self._peer]), None)
        if room.result is not None or seat is None:
            raise BadInput("There is nothing to hint at: it is not a person's turn.")
        if self._task is None or self._task.done():
            ply = whole_number(message, "ply", 0, 1_000_000, default=0)
            self._task = asyncio.create_task(self._think(seat, room.asks[seat], ply))

    async def _think(self, seat: int, view: str, ply: int) -> None:
        room, who = self._room, {"kind": "engine", "level": "full", "seconds": 1.0}
        try:
            answer = await room.think(seat, view, who=who, client=f"hint {room.name}")
        except GametreeError as error:
            self._peer.send({"type": "error", "error": str(error), "do": "hint"})
            return
        if room.asks.get(seat) == view:
            self._peer.send({"type": "hint", "ply": ply, **answer})
