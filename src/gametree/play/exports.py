"""Finished games as other programs read them: PGN, PDN, SGF, GCG, JSON lines (`gametree.formats`), and CSV tables."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from typing import Any

from gametree.core.errors import BadInput
from gametree.core.format import Record
from gametree.core.game import Game
from gametree.formats import write_file
from gametree.play.endings import REASONS
from gametree.play.events import Event
from gametree.play.openings import read_opening
from gametree.play.referee import GameRecord

__all__ = ["FORMATS", "export_events", "export_games"]

FORMATS = ("pgn", "pdn", "sgf", "gcg", "jsonl", "csv")


Part = tuple[Event, Game[Any, Any], Iterable[tuple[int, GameRecord]]]
"""An event, its game, and its finished games with their numbers."""


def export_games(kind: str, event: Event, game: Game[Any, Any], records: Iterable[tuple[int, GameRecord]]) -> str:
    """All games of one event as text in the format `kind`. Raises BadInput if the format cannot hold this game."""
    return export_events(kind, [(event, game, records)])


def export_events(kind: str, parts: Sequence[Part]) -> str:
    """All games of several events as one text in the format `kind`. Raises BadInput if it cannot hold one of them."""
    if kind == "csv":
        return _csv(parts)
    if kind not in FORMATS:
        raise BadInput(f"There is no format '{kind}'; expected one of {', '.join(FORMATS)}.")
    return write_file(
        kind,
        ((game, _record(kind, event, number, record)) for event, game, records in parts for number, record in records),
    )


def _record(kind: str, event: Event, number: int, found: GameRecord) -> Record:
    """A game of the arena as notations hold it."""
    opening = read_opening(found.opening)
    clock = "?" if event.control == "none" or "=" in event.control else event.control
    tags = {"Event": f"{event.kind} {event.key}", "Round": str(number + 1), "TimeControl": clock}
    known = found.to_data()
    return Record(
        game=event.game,
        position=opening.position,
        moves=(*opening.moves, *found.moves),
        opening=len(opening.moves),
        # SGF has no place for the reason but a comment.
        comments={0: found.detail or REASONS[found.reason]} if kind == "sgf" else {},
        players=found.players,
        utilities=found.utilities,
        reason=found.reason,
        detail=found.detail,
        tags=tags if kind in ("pgn", "pdn") else {},
        data={
            "event": event.key,
            "number": number,
            **{key: known[key] for key in ("movers", "times", "notes", "seed", "seconds")},
        },
    )


def _csv(parts: Sequence[Part]) -> str:
    """One table; a game of fewer players than another leaves the places behind its own empty."""
    seats = range(max((game.facts.players for _, game, _ in parts), default=2))
    output = io.StringIO()
    table = csv.writer(output, lineterminator="\n")
    columns = ["event", "game", "number", *(f"player_{s + 1}" for s in seats), *(f"utility_{s + 1}" for s in seats)]
    table.writerow([*columns, "reason", "detail", "plies", "seconds", "seed", "opening", "moves"])
    for event, game, records in parts:
        empty = [""] * (len(seats) - game.facts.players)
        for number, record in records:
            results = [*record.players, *empty, *(f"{utility:g}" for utility in record.utilities), *empty]
            rest = [record.reason, record.detail, len(record.moves), f"{record.seconds:.4f}", record.seed]
            known = [event.key, event.game, number + 1]
            table.writerow([*known, *results, *rest, record.opening, " ".join(record.moves)])
    return output.getvalue()
