"""JSON lines: one object a line, for games of any kind, with everything that is known of them.

    {"game": "tictactoe", "players": ["random", "best"], "opening": "b2", "moves": ["a1", "c3"], "utilities": [0, 0]}

`opening` is a line as `move_lines` has it: what was played before the players took over, perhaps from a position. Only
`moves` must be there.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from gametree.core.errors import BadInput, GametreeError
from gametree.core.format import Format, Record
from gametree.core.game import Game
from gametree.formats._common import offer_records, play_moves, start_of
from gametree.formats.move_lines import split_line, write_line

__all__ = ["JsonLine", "offer", "split", "write"]

KEYS = (
    "event", "number", "game", "players", "opening", "moves", "movers", "times", "notes", "utilities", "reason",
    "detail", "seed", "seconds", "date", "comments", "tags",
)  # fmt: skip
"""The order in which what is known is written; what has another name comes behind."""
_OWN = {"game", "players", "opening", "moves", "utilities", "reason", "detail", "date", "comments", "tags"}


@dataclass(frozen=True)
class JsonLine:
    """One line of a file."""

    data: dict[str, Any]
    line: int = 1
    error: str = ""

    @property
    def game(self) -> str:
        """The game with its parameters, if the line says it."""
        return self._text("game")

    @property
    def title(self) -> str:
        """Who played."""
        return " – ".join(self._players())

    def _text(self, key: str) -> str:
        found = self.data.get(key)
        return found if isinstance(found, str) else ""

    def _players(self) -> tuple[str, ...]:
        found = self.data.get("players")
        return tuple(str(player)[:200] for player in found) if isinstance(found, list) else ()

    def record(self, game: Game[Any, Any]) -> Record:
        """Everything that the line says."""
        if self.error:
            return Record(line=self.line, error=self.error)
        position, opening = split_line(self._text("opening"))
        try:
            state = start_of(game, position)
            moves, actions, error = play_moves(game, state, [*opening, *self.data["moves"]])
            utilities = _numbers(self.data.get("utilities"), game.facts.players)
            comments = {int(ply): str(text) for ply, text in _mapping(self.data.get("comments")).items()}
        except GametreeError as problem:
            return Record(game=self.game, players=self._players(), line=self.line, error=str(problem))
        except (ValueError, OverflowError):
            wrong = "The utilities or comments are not possible; expected one number a seat, and texts by number."
            return Record(game=self.game, players=self._players(), line=self.line, error=wrong)
        return Record(
            game=self.game,
            position=position,
            moves=tuple(moves),
            actions=tuple(actions),
            opening=min(len(opening), len(moves)),
            comments=comments,
            players=self._players(),
            utilities=utilities,
            reason=self._text("reason"),
            detail=self._text("detail"),
            date=self._text("date"),
            tags={str(key): str(value) for key, value in _mapping(self.data.get("tags")).items()},
            data={key: value for key, value in self.data.items() if key not in _OWN},
            line=self.line,
            error=error,
        )


def _mapping(found: Any) -> dict[str, Any]:
    return found if isinstance(found, dict) else {}


def _numbers(found: Any, count: int) -> tuple[float, ...] | None:
    """Raises ValueError."""
    if found is None:
        return None
    if not isinstance(found, list) or len(found) != count or not all(isinstance(each, int | float) for each in found):
        raise ValueError
    return tuple(map(float, found))


def split(lines: Iterable[str]) -> Iterator[JsonLine]:
    """Every line that is not empty."""
    for number, line in enumerate(lines, 1):
        if line.strip():
            yield _read_line(line, number)


def _read_line(line: str, number: int) -> JsonLine:
    try:
        data = json.loads(line)
    except (ValueError, RecursionError):
        return JsonLine({}, number, "This is no JSON; expected one object a line.")
    moves = data.get("moves") if isinstance(data, dict) else None
    if not isinstance(moves, list) or not all(isinstance(move, str) for move in moves):
        wrong = "This is no record of a game; expected an object with a list of texts called moves."
        return JsonLine({}, number, wrong)
    return JsonLine(data, number)


def write(game: Game[Any, Any], record: Record) -> str:
    """One line with everything that the record says. Raises BadInput if `data` cannot be written."""
    known: dict[str, Any] = {
        **record.data,
        "game": record.game or game.name,
        "players": list(record.players),
        "opening": write_line(record.position, record.moves[: record.opening]),
        "moves": list(record.moves[record.opening :]),
        "utilities": None if record.utilities is None else list(record.utilities),
        "reason": record.reason,
        "detail": record.detail,
    }
    more = {"date": record.date, "comments": dict(record.comments), "tags": dict(record.tags)}
    known.update({key: value for key, value in more.items() if value})
    order = [*(key for key in KEYS if key in known), *(key for key in known if key not in KEYS)]
    try:
        return json.dumps({key: known[key] for key in order}) + "\n"
    except (TypeError, ValueError) as error:
        raise BadInput(f"A record of {game.name} cannot be written as JSON: {error}.") from None


def offer(game: Game[Any, Any]) -> Format:
    """The notation for this game."""
    return offer_records(game, "JSON lines", ".jsonl", split, write)
