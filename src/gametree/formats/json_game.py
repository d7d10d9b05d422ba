"""One game as a JSON object: how `gametree play` keeps games that have no notation of their own.

{"format": "gametree game 1", "game": "othello", "date": "2026-01-31", "seat": 0, "against": "best", "seed": null,
 "position": null, "moves": ["f5"], "utilities": null}
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from gametree.core.errors import GametreeError
from gametree.core.format import Format, Record
from gametree.core.game import Game
from gametree.formats._common import offer_records, play_moves, start_of

__all__ = ["JsonGame", "offer", "split", "write"]

MARK = "gametree game 1"
"""What says that an object is such a game."""
_WRONG = "This is not a saved game; expected what `gametree play` writes."


@dataclass(frozen=True)
class JsonGame:
    """The object of a file; empty if it is something else."""

    data: dict[str, Any]
    line: int = 1

    @property
    def game(self) -> str:
        """The game with its parameters."""
        return str(self.data.get("game", ""))

    @property
    def title(self) -> str:
        """Against whom, and when."""
        return f"{self.data.get('against', '?')}, {self.data.get('date', '?')}"

    def record(self, game: Game[Any, Any]) -> Record:
        """What the object says; `data` has the person's seat, the other players' name and the seed."""
        data = self.data
        try:
            if data["format"] != MARK:
                return Record(error=_WRONG)
            seat, against = int(data["seat"]), str(data["against"])
            position = None if data["position"] is None else str(data["position"])
            moves, actions, error = play_moves(game, start_of(game, position), map(str, data["moves"]))
            return Record(
                game=str(data["game"]),
                position=position,
                moves=tuple(moves),
                actions=tuple(actions),
                utilities=None if data["utilities"] is None else tuple(map(float, data["utilities"])),
                date=str(data["date"]),
                data={
                    "seat": seat,
                    "against": against,
                    "seed": None if data["seed"] is None else int(data["seed"]),
                },
                error=error,
            )
        except GametreeError as problem:
            return Record(error=str(problem))
        except (ValueError, KeyError, TypeError, OverflowError):
            return Record(error=_WRONG)


def split(lines: Iterable[str]) -> Iterator[JsonGame]:
    """The one game of a file."""
    try:
        data = json.loads("".join(lines))
    except (ValueError, RecursionError):
        data = None
    yield JsonGame(data if isinstance(data, dict) else {})


def write(game: Game[Any, Any], record: Record) -> str:
    """The object, indented."""
    data = {
        "format": MARK,
        "game": record.game or game.name,
        "date": record.date,
        "seat": record.data.get("seat", -1),
        "against": record.data.get("against", ""),
        "seed": record.data.get("seed"),
        "position": record.position,
        "moves": list(record.moves),
        "utilities": None if record.utilities is None else list(record.utilities),
    }
    return json.dumps(data, indent=1, ensure_ascii=False) + "\n"


def offer(game: Game[Any, Any]) -> Format:
    """The notation for this game."""
    return offer_records(game, "Saved game", ".json", split, write)
