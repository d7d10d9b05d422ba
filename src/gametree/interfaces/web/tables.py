"""What worker processes do for the page Play: they hold the table of a game for as long as one click takes.

The server's process keeps a table's record (the truth and the secret) and runs no rules. A step restores the table,
or finds it where the last step left it, does what a seat asks for, and returns the record and one message for each
group of seats that sits at one link. A message is made from a View alone. Engines think elsewhere, given a View.
"""

from __future__ import annotations

from collections import OrderedDict
from typing import Any

from gametree.core.errors import BadInput, IllegalMove
from gametree.core.game import Game
from gametree.interfaces.web.boards import facts_data, message, view
from gametree.interfaces.web.games import open_game
from gametree.interfaces.web.worker import Job
from gametree.play.clocks import TimeControl
from gametree.play.endings import Adjudication
from gametree.play.openings import Opening
from gametree.play.table import SPECTATOR, Table

__all__ = ["LONGEST_GAME", "about", "open_table", "step"]

LONGEST_GAME = 5000
"""Plies after which a game is drawn, so that none grows for ever."""
_MARGIN = 0.05
"""Seconds beyond a clock that are forgiven."""
_MOST_TABLES = 64

_tables: OrderedDict[tuple[str, int], Table] = OrderedDict()
"""(name of the game, number of the step) → the table as it stood after that step."""


def about(job: Job, game: str) -> dict[str, Any]:
    """The facts of a game and how it begins."""
    rules = open_game(game)
    return {"facts": facts_data(rules), "view": view(rules, rules.initial())}


def open_table(
    job: Job, game: str, start: str | None, seconds: float | None, increment: float, secret: str
) -> dict[str, Any]:
    """A new table as a record, and the facts of its game. Raises BadInput, UnknownName, GameError."""
    rules = open_game(game)
    control = TimeControl(seconds=seconds, increment=increment if seconds is not None else 0.0)
    table = Table(rules.twin(), control=control, secret=bytes.fromhex(secret), opening=Opening(start))
    return {"record": {**table.record(), "start": start}, "facts": facts_data(rules)}


def step(
    job: Job,
    name: str,
    number: int,
    record: dict[str, Any],
    groups: list[list[int]],
    persons: list[int],
    at: float,
    since: float | None,
    running: bool,
    do: dict[str, Any],
) -> dict[str, Any]:
    """Do what is asked and say what everyone may know then.

    `number` counts the steps of the game. `since` is when the clocks began to run, None if they stand; `running` says
    whether they run afterwards. Raises GametreeError for what cannot be done; then nothing has changed.
    """
    rules = open_game(record["game"])
    table = _tables.pop((name, number), None) or _restore(rules, record)
    if since is not None:
        table.start_clocks(since)
    table.tick(at)
    _do(table, do, at, persons)
    if running:
        table.start_clocks(at)
    messages = [_message(rules, table, group, at) for group in groups]
    asks = {str(seat): table.view(seat, at, moves=False).to_text() for seat in table.waiting()}
    flag = table.seconds_to_flag(at)
    table.stop_clocks(at)
    _tables[name, number + 1] = table
    while len(_tables) > _MOST_TABLES:
        _tables.popitem(last=False)
    kept = {**table.record(at=at), "start": record["start"]}
    return {"record": kept, "messages": messages, "asks": asks, "flag": flag}


def _restore(rules: Game[Any, Any], record: dict[str, Any]) -> Table:
    opening = Opening(record["start"])  # as it was given: a position may hold any words
    limits = Adjudication(plies=LONGEST_GAME)
    control, secret = TimeControl(*record["control"]), bytes.fromhex(record["secret"])
    return Table(
        rules.twin(), control=control, secret=secret, opening=opening, adjudication=limits, margin=_MARGIN, past=record
    )


def _message(rules: Game[Any, Any], table: Table, group: list[int], at: float) -> dict[str, Any]:
    """The message for those who sit at one link. Where several do, the one who is to choose looks at the screen."""
    eye = next((seat for seat in table.waiting() if seat in group), group[0])
    told = message(rules, table.view(eye, at))
    # What engines thought is public in an open game only: elsewhere it would tell of their cards.
    open_to_all = not rules.facts.hidden
    told["chances"] = [float(note) if note and open_to_all else None for note in table.notes[: len(told["moves"])]]
    return {**told, "own": [seat for seat in group if seat != SPECTATOR], "increment": table.control.increment}


def _do(table: Table, do: dict[str, Any], at: float, persons: list[int]) -> None:
    kind, seats = do["kind"], do.get("seats", [])
    if kind == "look" or (table.result is not None and kind == "think"):
        return
    if kind == "think":
        _play(table, do["seat"], do["text"], at, "" if do["chance"] is None else repr(do["chance"]))
        return
    seat = next((seat for seat in table.waiting() if seat in seats), seats[0] if seats else SPECTATOR)
    if seat == SPECTATOR and (persons or kind != "undo"):
        raise BadInput("Who looks on does not play.")
    if kind == "move":
        if table.result is None and do["ply"] != len(table.view(seat, at, moves=False).heard):
            raise IllegalMove("The position has changed meanwhile.")
        _play(table, seat, do["text"], at, "")
    elif kind == "resign":
        table.resign(seat, at)
    elif kind == "offer":
        table.offer(seat, "draw")
        _agree(table, seats, persons)
    elif kind == "answer":
        table.answer(seat, do["yes"])
    else:
        _undo(table, seats, persons)


def _play(table: Table, seat: int, text: str, at: float, note: str) -> None:
    if not text:
        table.resign(seat, at)
    else:
        table.act(seat, table.read(seat, text), at, note=note)


def _undo(table: Table, seats: list[int], persons: list[int]) -> None:
    """Take back the last choice of those at the link, or of anybody where only engines play."""
    withdrawn = [seat for seat in seats if table.withdraw(seat)]
    if withdrawn:
        return
    plies = table.last_decision(seats if persons else list(table.seats))
    if not table.game.facts.hidden or not plies:
        table.take_back(plies)
        return
    if len(persons) < len(table.seats):
        raise BadInput("What was seen stays seen: in this game an engine lets nobody take a move back.")
    table.offer(seats[0], "take-back", plies)
    _agree(table, seats[1:], persons)


def _agree(table: Table, seats: list[int], persons: list[int]) -> None:
    """Those at the same link agree with each other, and engines decline."""
    if len(persons) < len(table.seats):
        table.answer(next(seat for seat in table.seats if seat not in persons), False)
        return
    for seat in seats:
        if table.view(seat, moves=False).offers:
            table.answer(seat, True)
