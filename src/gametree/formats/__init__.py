"""Notations: one file for each, in which it is read and written.

    pgn         games of chess, and of any two players     epd         positions of chess with what is said of them
    pdn         games of draughts
    sgf         games of Go, Othello, Hex, Havannah        json_lines  games of any kind, one a line
    pbn, lin    boards of bridge
    move_lines  moves alone, one game a line               json_game   one game, as `gametree play` keeps it
    arimaa      games of Arimaa, one turn a line
    mat         matches of backgammon
    gcg         games of Scrabble

A game offers the notations that are made for it (`game.formats`); those of this list that hold any game need no offer.
A new notation is one file with `offer(game)`, `split(lines)` and `write(game, record)`, a line in `NOTATIONS`, and its
name in the games that it is for.
"""

from __future__ import annotations

import importlib
import re
from collections.abc import Iterable, Iterator
from typing import Any

from gametree.core.errors import BadInput, suggest
from gametree.core.format import Format, Record
from gametree.core.game import Game
from gametree.formats import pdn
from gametree.formats._common import Unread

__all__ = ["NOTATIONS", "Unread", "format_of_file", "recognise", "record_format", "split", "write_file"]

NOTATIONS = {
    "pgn": "pgn",
    "pdn": "pdn",
    "sgf": "sgf",
    "pbn": "pbn",
    "lin": "lin",
    "jsonl": "json_lines",
    "json": "json_game",
    "moves": "move_lines",
    "arimaa": "arimaa",
    "mat": "mat",
    "gcg": "gcg",
}
"""Names of the notations of whole games → their files."""


def _module(name: str) -> Any:
    if name not in NOTATIONS:
        raise BadInput(f"There is no notation '{name}'.{suggest(name, NOTATIONS)} Expected {', '.join(NOTATIONS)}.")
    return importlib.import_module(f"gametree.formats.{NOTATIONS[name]}")


def record_format(game: Game[Any, Any], name: str) -> Format:
    """The notation of whole games with this name, for this game. Raises BadInput if there is none."""
    own = game.formats.get(name)
    if own is not None and own.kind == "record":
        return own
    found: Format = _module(name).offer(game)
    return found


def split(name: str, lines: Iterable[str]) -> Iterator[Unread]:
    """The games of a text in a notation, each to be read when it is asked for. Raises BadInput if there is no such."""
    found: Iterator[Unread] = _module(name).split(lines)
    return found


def write_file(name: str, games: Iterable[tuple[Game[Any, Any], Record]]) -> str:
    """Many games as one text. Raises BadInput if the notation cannot hold one of them."""
    between: str = getattr(_module(name), "BETWEEN", "")
    return between.join(record_format(game, name).write(record) for game, record in games)


def recognise(text: str, game: Game[Any, Any] | None = None) -> str:
    """The notation that a text is in, by how it begins; where it does not tell, PGN if the game offers that."""
    start = text.lstrip("\ufeff \t\r\n")[:200]
    if re.match(r"\(\s*;", start):
        return "sgf"
    if re.match(r"(;.*\n|\s)*\d+ point match", text[:2000]):
        return "mat"
    if start.startswith(("#character-encoding", "#player", ">")):
        return "gcg"
    if start.startswith("{"):
        return "json" if '"gametree game 1"' in start else "jsonl"
    if start.startswith("%") or re.search(r'^\[(Deal|Dealer|Vulnerable)\s+"', text[:4000], re.MULTILINE):
        return "pbn"
    if re.match(r"(\w\w\|[^|]*\|)", start):
        return "lin"
    if (start.startswith("[") and pdn.is_recognised(text)) or (game is not None and "pdn" in game.formats):
        return "pdn"
    if re.match(r"1[gw]\s", start) or (start[:1] in "[2" and game is not None and "arimaa" in game.formats):
        return "arimaa"
    if start.startswith("[") or (game is not None and "pgn" in game.formats):
        return "pgn"
    return "moves"


def format_of_file(game: Game[Any, Any], suffix: str) -> Format | None:
    """The notation of files whose names end so, of positions or of games; None: lines of moves."""
    known = list(game.formats.values()) + [record_format(game, name) for name in NOTATIONS if name != "moves"]
    return next((found for found in known if found.suffix and found.suffix == suffix.lower()), None)
