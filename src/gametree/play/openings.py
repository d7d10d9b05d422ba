"""Openings: what is played before the players take over, the same for every game of a group.

A file has one opening a line: moves as the game writes them, parted by spaces; or `position TEXT`, optionally followed
by `moves ...`. Empty lines and lines that begin with # do not count. For chess there are two more kinds of files: PGN
(`*.pgn`), of which every game is an opening, and EPD (`*.epd`), of which every line is a position. Without a file,
random moves open the game.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gametree.core.errors import BadInput, GametreeError
from gametree.core.files import read_text
from gametree.core.game import CHANCE, SIMULTANEOUS, Game

__all__ = ["Opening", "default_plies", "random_opening", "read_opening", "read_openings", "seed_of"]


@dataclass(frozen=True)
class Opening:
    """Where a game starts: a position (None for the game's own) and moves from there, as text."""

    position: str | None = None
    moves: tuple[str, ...] = ()

    def __str__(self) -> str:
        start = [] if self.position is None else ["position", self.position, *(["moves"] if self.moves else [])]
        return " ".join([*start, *self.moves])


Found = Iterator[tuple[int, Opening, str]]
"""Number of the line, opening, and what is wrong with its text."""


def seed_of(*parts: object) -> int:
    """A seed below 2^63 that depends on all parts and on nothing else."""
    import hashlib

    text = "\x1f".join(map(str, parts))
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big") >> 1


def read_opening(text: str) -> Opening:
    """The opening that one line describes; whether its moves are legal shows when they are played."""
    words = text.split()
    if words[:1] != ["position"]:
        return Opening(None, tuple(words))
    cut = words.index("moves") if "moves" in words else len(words)
    return Opening(" ".join(words[1:cut]), tuple(words[cut + 1 :]))


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
    from gametree.knowledge.keys import is_chess

    lines = read_text(path).splitlines(keepends=True)
    kind = Path(path).suffix.lower() if is_chess(game) else ""
    readers: dict[str, Callable[[Any, list[str]], Found]] = {".pgn": _from_pgn, ".epd": _from_epd}
    openings = []
    for number, opening, trouble in readers.get(kind, _from_lines)(game, lines):
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


def _from_lines(game: Any, lines: list[str]) -> Found:
    for number, line in enumerate(lines, start=1):
        if line.strip() and not line.lstrip().startswith("#"):
            yield number, read_opening(line), ""


def _from_pgn(game: Any, lines: list[str]) -> Found:
    from gametree.games.chess.pgn import read_games

    for record in read_games(lines):
        moves, words = record.main_line(game), []
        state = record.start(game) if moves else None
        for move in moves:
            words.append(game.action_text(state, move))
            state = game.result(state, move)
        yield record.line, Opening(record.tags.get("FEN"), tuple(words)), record.error


def _from_epd(game: Any, lines: list[str]) -> Found:
    from gametree.games.chess.epd import read_epd

    for number, line in enumerate(lines, start=1):
        if line.strip() and not line.lstrip().startswith("#"):
            try:
                yield number, Opening(game.fen(read_epd(game, line).state)), ""
            except BadInput as error:
                yield number, Opening(), str(error)


def default_plies(game: Game[Any, Any]) -> int:
    """Two plies by lot, so that games differ; none where chance or secret choices make them differ anyway."""
    facts = game.facts
    return 0 if facts.chance or facts.hidden or facts.simultaneous else 2


def random_opening(game: Game[Any, Any], plies: int, seed: int) -> Opening:
    """So many moves by lot; fewer where the game would be over, or where chance or all at once would move."""
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
