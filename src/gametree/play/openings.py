"""Openings: what is played before the players take over, the same for every game of a group.

A file has one opening a line: moves as the game writes them, separated by spaces; or `position TEXT`, optionally
followed by `moves ...`. Empty lines and lines that begin with # do not count. Other kinds of files are told by their
endings (`gametree.formats`): of PGN, SGF and JSON lines every game is an opening, of EPD every line is a position.
Without a file, random moves open the game.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gametree.core.errors import BadInput, GametreeError
from gametree.core.files import read_text
from gametree.core.format import Format, position_format
from gametree.core.game import CHANCE, SIMULTANEOUS, Game
from gametree.formats import format_of_file
from gametree.formats.move_lines import split_line, write_line

__all__ = ["Opening", "default_plies", "random_opening", "read_opening", "read_openings", "seed_of"]


@dataclass(frozen=True)
class Opening:
    """Where a game starts: a position (None for the game's own) and moves from there, as text."""

    position: str | None = None
    moves: tuple[str, ...] = ()

    def __str__(self) -> str:
        return write_line(self.position, self.moves)


Found = Iterator[tuple[int, Opening, str]]
"""Number of the line, opening, and what is wrong with its text."""


def seed_of(*parts: object) -> int:
    """A seed below 2^63 that depends on all parts and on nothing else."""
    import hashlib

    text = "\x1f".join(map(str, parts))
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big") >> 1


def read_opening(text: str) -> Opening:
    """The opening that one line describes; whether its moves are legal shows when they are played."""
    return Opening(*split_line(text))


def play_opening(game: Game[Any, Any], opening: Opening) -> tuple[Any, list[Any]]:
    """The start position and the actions of the opening. Raises BadInput, IllegalMove."""
    start = state = game.initial() if opening.position is None else game.state_from_text(opening.position)
    actions = []
    for word in opening.moves:
        if game.is_terminal(state):
            raise BadInput(f"The move '{word}' comes after the end of the game.")
        action = game.action_from_text(state, word)
        actions.append(action)
        state = game.result(state, action)
    return start, actions


def read_openings(game: Game[Any, Any], path: str) -> list[Opening]:
    """All openings of a file, each tried out. Raises BadInput, naming file and line."""
    lines = read_text(path).splitlines(keepends=True)
    openings = []
    for number, opening, trouble in _found(game, format_of_file(game, Path(path).suffix), lines):
        if not trouble:
            trouble = _trouble(game, opening)
        if trouble:
            raise BadInput(f"'{path}', line {number}: {trouble}")
        openings.append(opening)
    if not openings:
        raise BadInput(f"'{path}' holds no opening; expected a line of moves, such as the first moves of a game.")
    return openings


def _trouble(game: Game[Any, Any], opening: Opening) -> str:
    """Why nobody can play on from the opening; nothing if one can."""
    try:
        state, actions = play_opening(game, opening)
    except GametreeError as error:
        return str(error)
    for action in actions:
        state = game.result(state, action)
    return "the game is over after this opening; expected one that goes on." if game.is_terminal(state) else ""


def _found(game: Game[Any, Any], notation: Format | None, lines: list[str]) -> Found:
    """The openings of a file in a notation of positions or of whole games, or of lines of moves."""
    if notation is not None and notation.kind == "record":
        for record in notation.read(lines):
            yield record.line, Opening(record.position, record.moves), record.error
        return
    for number, line in enumerate(lines, start=1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        if notation is None:
            yield number, read_opening(line), ""
            continue
        try:
            yield number, Opening(position_format(game, "fen").write(notation.read(line))), ""
        except BadInput as error:
            yield number, Opening(), str(error)


def default_plies(game: Game[Any, Any]) -> int:
    """Two random plies, so that games differ; none where chance or secret choices make them differ anyway."""
    facts = game.facts
    return 0 if facts.chance or facts.hidden or facts.simultaneous else 2


def random_opening(game: Game[Any, Any], plies: int, seed: int) -> Opening:
    """This many random moves; fewer where the game would be over, or where chance or all at once would move."""
    rng = random.Random(seed)
    state: Any = game.initial()
    moves: list[str] = []
    while len(moves) < plies and not game.is_terminal(state) and game.player(state) not in (CHANCE, SIMULTANEOUS):
        going_on = [a for a in game.actions(state) if not game.is_terminal(game.result(state, a))]
        if not going_on:
            break
        action = rng.choice(going_on)
        moves.append(game.action_text(state, action))
        state = game.result(state, action)
    return Opening(None, tuple(moves))
