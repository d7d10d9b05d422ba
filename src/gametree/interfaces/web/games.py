"""Which games the workbench knows: the registered ones, and the files that were named on the command line.

A request names a game, never a path: a user's file goes by its file name alone, and only files that were given when the
server was started have one.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from gametree.core.errors import BadInput, UnknownName, suggest
from gametree.core.game import Game
from gametree.core.registry import game_names, load_game, summaries
from gametree.core.specification import parse_specification

__all__ = ["LONGEST_NAME", "catalogue", "check_name", "check_parameters", "open_game", "set_files", "user_file"]

LONGEST_NAME = 2000
"""Characters of a game's name with its parameters; a drawn tree is written out in its name."""

_WORDS = {"weights": ("tuned", "textbook"), "book": ("default",)}
"""Parameters that take a path, and the words that they take as well."""
_WORDS_OF = {"scrabble": {"words": ("enable",), "board": ("standard", "plain")}}
"""The same for single games, where another game may mean something else by the name."""

_files: dict[str, str] = {}


def set_files(files: dict[str, str]) -> None:
    """Make these files known, file name → path."""
    _files.clear()
    _files.update(files)
    open_game.cache_clear()


def user_file(path: str) -> str:
    """The file name of a user's game that lies at `path`, else nothing."""
    return next((name for name, known in _files.items() if known == path), "")


def check_name(text: str, files: dict[str, str] | None = None) -> str:
    """The text that loads the game which a request calls `text`. Raises UnknownName and BadInput."""
    known = _files if files is None else files
    if len(text) > LONGEST_NAME:
        raise UnknownName(f"A game's name of {len(text)} characters is too long; expected at most {LONGEST_NAME}.")
    specification = parse_specification(text)
    name = specification.name
    if name != "tree":  # whose text has strokes and opens no file
        given = {**specification.parameters, "": specification.positional or ""}
        check_parameters(given, {**_WORDS, **_WORDS_OF.get(name, {})})
    if name in known:
        return known[name] + text.strip()[len(name) :]
    if name not in game_names():
        raise UnknownName(f"There is no game called '{name}'.{suggest(name, [*game_names(), *known])}")
    return text


def check_parameters(given: Mapping[str, str], allowed: Mapping[str, tuple[str, ...]] = _WORDS) -> None:
    """Refuse parameters of games, players and algorithms that name a file. Raises BadInput."""
    for key, value in given.items():
        if key in allowed and value not in allowed[key]:
            words = ", ".join(allowed[key])
            raise BadInput(f"'{key}={value[:40]}' names a file, which a page may not do; expected one of {words}.")
        if "/" in value or "\\" in value:
            raise BadInput(f"'{value[:40]}' looks like a path, which a page may not name.")


@lru_cache(maxsize=32)
def open_game(text: str) -> Game[Any, Any]:
    """The game that a request calls `text`. Raises UnknownName, BadInput, GameError."""
    game = load_game(check_name(text))
    game.name = text
    return game


def catalogue(files: dict[str, str]) -> list[dict[str, str]]:
    """Every game with a line about it, a user's own first."""
    own = [{"name": name, "title": Path(name).stem.replace("_", " "), "summary": "Your own game."} for name in files]
    lines = summaries("games")
    registered = []
    for name in game_names():
        if name == "tree":  # drawn trees are the subject of another page
            continue
        title, _, rest = lines.get(name, "").partition(":")
        summary = (rest or title).strip()
        registered.append(
            {"name": name, "title": title if rest else name, "summary": summary[:1].upper() + summary[1:]}
        )
    return own + registered
