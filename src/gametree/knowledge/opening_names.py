"""What an opening is called: by position, so that it does not matter in which order the moves were played.

The table of a game is `data/GAME_openings.tsv`: the position's key in a book, the code (in chess that of the
Encyclopaedia of Chess Openings, ECO), the name, and moves that lead there. It is read when it is first needed.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Iterable
from dataclasses import dataclass
from importlib import resources
from typing import Any

from gametree.core.game import Game
from gametree.knowledge.keys import book_name, keys_for

__all__ = ["Opening", "opening_along", "opening_at", "opening_of", "opening_tags", "openings"]


@dataclass(frozen=True)
class Opening:
    """A position that has a name."""

    code: str
    """A00 to E99 in chess."""
    name: str
    moves: str
    """Moves from the start that lead to it, as the game writes them."""


@functools.cache
def _table(name: str) -> dict[int, Opening]:
    file = resources.files("gametree.knowledge").joinpath("data", f"{name}_openings.tsv")
    if not file.is_file():
        return {}
    rows = (line.split("\t") for line in file.read_text("utf-8").splitlines() if not line.startswith("#"))
    return {int(key, 16): Opening(code, called, moves) for key, code, called, moves in rows}


def openings(game: Game[Any, Any]) -> dict[int, Opening]:
    """All named positions of the game by key; none if their names are not known."""
    return _table(book_name(game))


def opening_at(game: Game[Any, Any], state: Any) -> Opening | None:
    """The opening whose position this is; None if it has no name of its own."""
    table = openings(game)
    return table.get(keys_for(game).find(state)[0]) if table else None


def opening_along(game: Game[Any, Any], states: Iterable[Any]) -> Opening | None:
    """The opening of a game whose positions these are, from the first on: the last of them that has a name."""
    table = openings(game)
    found = None
    if table:
        keys = keys_for(game)
        for state in states:
            found = table.get(keys.find(state)[0], found)
    return found


def opening_of(game: Game[Any, Any], moves: Iterable[Any], *, start: Any = None) -> Opening | None:
    """The opening of a game with these actions: the last position that has a name; None if there is none."""
    # No name comes that late in a game, even by a detour.
    last = max((opening.moves.count(" ") + 1 for opening in openings(game).values()), default=0) + 20
    states = [game.initial() if start is None else start]
    for action in itertools.islice(moves, last):
        states.append(game.result(states[-1], action))
    return opening_along(game, states)


def opening_tags(game: Game[Any, Any], moves: Iterable[Any], *, start: Any = None) -> dict[str, str]:
    """The tags ECO and Opening for the PGN of a game; none if the opening has no name."""
    found = opening_of(game, moves, start=start)
    return {} if found is None else {"ECO": found.code, "Opening": found.name}
