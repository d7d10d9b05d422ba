"""What the page Arena asks the worker processes to do: plan a tournament, play it, read what is stored.

The database is named by the server, never by a request. A request names games as `games.open_game` knows them and
players that are searches of this program, or other programs by the names that the command line gave them: commands and
files are refused, since whoever sends a request must not be able to start anything.
"""

from __future__ import annotations

import json
import math
import time
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from gametree.core.errors import BadInput, GametreeError
from gametree.core.registry import load_game
from gametree.interfaces.cli.arena_options import describe
from gametree.interfaces.web.boards import view
from gametree.interfaces.web.games import check_name, check_parameters, user_file
from gametree.interfaces.web.worker import Job
from gametree.play.endings import REASONS
from gametree.play.events import KINDS, Event, Finished, total_games
from gametree.play.exports import export_games
from gametree.play.openings import read_opening
from gametree.play.player_names import parse_player
from gametree.play.players import make_player
from gametree.play.runner import run_event
from gametree.play.store import Store
from gametree.play.summary import summarise

__all__ = ["EXPORTS", "MOST_GAMES", "MOST_PLAYERS", "detail", "export", "list_events", "plan", "replay", "run"]

MOST_PLAYERS = 12
MOST_GAMES = 20_000
"""Games of one tournament."""
EXPORTS = {
    "pgn": "text/plain", "pdn": "text/plain",
    "sgf": "text/plain", "gcg": "text/plain", "csv": "text/csv", "jsonl": "text/plain", "json": "application/json",
    "html": "text/html",
}  # fmt: skip
"""Format of a file → its media type."""

_PAUSE = 0.4
"""Seconds between two reports."""


class _Stopped(Exception):
    """Someone pressed Stop."""


def plan(job: Job, database: str, asked: dict[str, Any], programs: dict[str, str]) -> dict[str, Any]:
    """The event that a request describes, checked and stored, so that it can be looked at.

    `programs` has the players behind the names of other programs. Raises BadInput, UnknownName, UnfitGame.
    """
    if asked["kind"] not in KINDS:
        raise BadInput(f"There is no tournament called '{asked['kind']}'; expected one of {', '.join(KINDS)}.")
    players = [name.strip() for name in asked["players"]]
    if len(players) > MOST_PLAYERS:
        raise BadInput(f"{len(players)} players are too many; expected at most {MOST_PLAYERS}.")
    for name in players:
        if name not in programs:
            _check_player(name)
    players = [programs.get(name, name) for name in players]
    rules = load_game(check_name(asked["game"]))
    rounds = 0
    if asked["kind"] == "swiss":
        rounds = asked["rounds"] or math.ceil(math.log2(max(2, len(players))))
    event: Event = describe(
        rules, asked["kind"], players, asked["games"], seed=asked["seed"], clock=asked["clock"], margin=0.05,
        openings=None, random_plies=None, max_plies=asked["max_plies"], resign=None, draw=None, rounds=rounds,
    )  # fmt: skip
    for name in players:
        make_player(name, rules).close()
    total = total_games(event, rules)
    if total > MOST_GAMES:
        raise BadInput(f"This would be {total:,} games; expected at most {MOST_GAMES:,}.")
    with Store(database) as store:
        store.add_event(event)
    return {"event": event.to_data(), "key": event.key, "total": total}


def _check_player(name: str) -> None:
    parsed = parse_player(name)
    if parsed.kind != "plain":
        raise BadInput(
            f"The player '{name[:60]}' is another program; pages may only ask for searches of gametree, "
            "and for the programs that the server was started with (--program)."
        )
    if parsed.name == "human":
        raise BadInput("A person cannot sit in a tournament; use the page Play.")
    given = (*parsed.options, *((parsed.positional,) if parsed.positional else ()))
    check_parameters({option.key: option.value for option in given})


def run(job: Job, database: str, event: dict[str, Any], concurrency: int, programs: dict[str, str]) -> dict[str, Any]:
    """Play what is left of the event and report after every few games. Whoever stops it loses no finished game.

    Raises BadInput if one of its players is a program that this server was not given.
    """
    described = _event(event)
    for name in described.players:
        if name not in programs.values():
            _check_player(name)
    rules = load_game(described.game)
    total = total_games(described, rules)
    began, told = time.monotonic(), 0.0
    before: int | None = None

    def progress(results: Mapping[int, Finished]) -> None:
        nonlocal told, before
        before = len(results) if before is None else before
        if job.clock.expired():
            raise _Stopped
        now = time.monotonic()
        if now - told >= _PAUSE:
            told = now
            job.report(_live(described, results, total, len(results) - before, now - began))

    with Store(database) as store:
        try:
            results = run_event(described, store, game=rules, concurrency=concurrency, progress=progress).results
        except _Stopped:
            results = store.results(described)
    played = len(results) - (before or 0)
    return _live(described, results, total, played, time.monotonic() - began)


def _live(event: Event, results: Mapping[int, Finished], total: int, played: int, seconds: float) -> dict[str, Any]:
    pace = played / seconds if seconds > 0 else 0.0
    return {
        "summary": shown(event, results),
        "done": len(results),
        "total": total,
        "pace": 60 * pace,
        "left": (total - len(results)) / pace if pace > 0 else None,
        "seconds": seconds,
    }


def shown(event: Event, results: Mapping[int, Finished]) -> dict[str, Any]:
    """The summary as the page shows it: a user's own file goes by its name alone, and all numbers are finite."""
    summary = summarise(event, results)
    summary["game"] = _public(event.game)
    summary["control"], summary["seed"] = event.control, event.seed
    summary["reasons"] = [[REASONS[key], count] for key, count in summary["reasons"].items()]
    finite: dict[str, Any] = _finite(summary)
    return finite


def list_events(job: Job, database: str) -> list[dict[str, Any]]:
    """All tournaments, the newest first."""
    listed = []
    with Store(database) as store:
        for event in reversed(store.events()):
            listed.append(
                {
                    "key": event.key,
                    "kind": event.kind,
                    "game": _public(event.game),
                    "players": list(event.players),
                    "done": len(store.results(event)),
                    "total": _total(event),
                }
            )
    return listed


def detail(job: Job, database: str, key: str) -> dict[str, Any]:
    """One tournament: its description, table and games."""
    with Store(database) as store:
        event = _find(store, key)
        results = store.results(event)
    games = [
        {
            "number": game.number,
            "seats": list(game.seats),
            "utilities": _finite(list(game.utilities)),
            "reason": REASONS[game.reason],
            "plies": game.plies,
        }
        for game in (results[number] for number in sorted(results))
    ]
    return {
        "key": key,
        "event": replace(event, salt="").to_data(),
        "summary": shown(event, results),
        "done": len(results),
        "total": _total(event),
        "games": games,
        "formats": [name for name in EXPORTS if name != "sgf" or "sgf" in load_game(event.game).formats],
    }


def replay(job: Job, database: str, key: str, number: int) -> dict[str, Any]:
    """Every position of a game. Raises BadInput if there is no such game, or if the rules have changed since.

    Of a drawing only the parts are sent that differ from those of the first one: mostly its places are the same.
    """
    with Store(database) as store:
        event = _find(store, key)
        record = next((record for known, record in store.records(event) if known == number), None)
    if record is None:
        raise BadInput(f"The tournament has no game {number}.")
    game = load_game(event.game)
    opening = read_opening(record.opening)
    words = [*opening.moves, *record.moves]
    state = game.initial() if opening.position is None else game.state_from_text(opening.position)
    frames = [_frame(game, state, None, None)]
    for word in words:
        try:
            before, action = state, game.action_from_text(state, word)
            state = game.result(before, action)
        except GametreeError as error:
            raise BadInput(f"This game cannot be shown, the rules have changed since: {error}") from None
        frames.append(_frame(game, state, before, action))
    first = frames[0]["drawing"]
    for frame in frames[1:]:
        frame["drawing"] = {part: value for part, value in frame["drawing"].items() if value != first[part]}
    return {
        "moves": words,
        "opening": len(opening.moves),
        "notes": ["" for _ in opening.moves] + list(record.notes),
        "times": [None for _ in opening.moves] + list(record.times),
        "frames": frames,
        "players": list(record.players),
        "utilities": _finite(list(record.utilities)),
        "reason": REASONS[record.reason] + (f": {record.detail}" if record.detail else ""),
        "seed": record.seed,
    }


def _frame(game: Any, state: Any, before: Any, action: Any) -> dict[str, Any]:
    return {**view(game, state, before=before, last=action), "moves": [], "more": 0}


def export(job: Job, database: str, key: str, format: str) -> dict[str, str]:
    """The games, or the report, as the text of a file."""
    from gametree.interfaces.report import report

    with Store(database) as store:
        event = _find(store, key)
        if format == "html":
            return {"text": report(store, [event])}
        if format == "json":
            return {"text": json.dumps(shown(event, store.results(event)), indent=1)}
        return {"text": export_games(format, event, load_game(event.game), store.records(event))}


def _event(data: dict[str, Any]) -> Event:
    """What `Event.to_data` gave, with tuples where JSON has lists."""
    tuples: dict[str, Any] = {key: tuple(data[key]) for key in ("players", "openings")}
    return Event(**{**data, **tuples})


def _find(store: Store, key: str) -> Event:
    event = next((event for event in store.events() if event.key == key), None)
    if event is None:
        raise BadInput("There is no such tournament here.")
    return event


def _total(event: Event) -> int:
    try:
        return total_games(event, load_game(event.game))
    except GametreeError:  # the user's file is gone; the games are not
        return 0


def _public(game: str) -> str:
    path, dot, rest = game.partition(".py")
    name = user_file(path + dot) if dot else ""
    return name + rest if name else path.rpartition("/")[2] + dot + rest


def _finite(data: Any) -> Any:
    """The data with null for what JSON cannot write."""
    if isinstance(data, float):
        return data if math.isfinite(data) else None
    if isinstance(data, Mapping):
        return {key: _finite(value) for key, value in data.items()}
    if isinstance(data, list | tuple):
        return [_finite(value) for value in data]
    return data
