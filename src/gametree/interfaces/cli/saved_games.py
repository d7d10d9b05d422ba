"""Games at the terminal on disk: written after every move, whole or not at all, so that they can go on another day.

Chess is written as PGN, every other game as JSON: the game, the position that it began with, the moves as the game
writes them, who plays, and the result once there is one.
"""

from __future__ import annotations

import datetime
import json
import os
import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from gametree.core.errors import BadInput, GametreeError
from gametree.core.files import read_text, write_atomically
from gametree.core.game import Game

__all__ = ["SavedGame", "new_path", "read_game", "unfinished_game", "write_game"]

PERSON = "Human"
"""The person's name in a PGN."""


@dataclass(frozen=True)
class SavedGame:
    """A game as it stands in its file."""

    game: str
    """The name of the game, with its parameters."""
    seat: int
    """The person's seat; −1 if the person only watches."""
    against: str
    """The name of the other players."""
    position: str | None = None
    """The position that the game began with, if it is not the usual one."""
    moves: tuple[str, ...] = ()
    utilities: tuple[float, ...] | None = None
    """How the game ended; None if it goes on."""
    seed: int | None = None
    date: str = field(default_factory=lambda: datetime.date.today().isoformat())
    path: Path | None = None


def _folder() -> Path:
    base = os.environ.get("XDG_DATA_HOME") or os.environ.get("LOCALAPPDATA") or "~/.local/share"
    return Path(base).expanduser() / "gametree" / "games"


def _is_chess(game: Game[Any, Any]) -> bool:
    return hasattr(game, "fen") and hasattr(game, "all_moves")


def _stem(name: str) -> str:
    return re.sub(r"[^A-Za-z0-9]+", "-", Path(name.partition(":")[0]).stem) or "game"


def new_path(game: Game[Any, Any]) -> Path:
    """A file of its own for a new game, in the user's folder of games. Raises BadInput."""
    now = datetime.datetime.now().strftime("%Y%m%d-%H%M%S")
    folder = _folder()
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise BadInput(f"'{folder}' cannot be made: {error.strerror or error}.") from None
    ending = "pgn" if _is_chess(game) else "json"
    for number in range(1, 1000):
        path = folder / f"{_stem(game.name)}-{now}-{number}.{ending}"
        if not path.exists():
            break
    return path


def unfinished_game(game: Game[Any, Any]) -> SavedGame | None:
    """The game that was played last among those that were cut off; None if there is none."""
    files = list(_folder().glob(f"{_stem(game.name)}-*.*"))
    for path in sorted(files, key=lambda file: file.stat().st_mtime, reverse=True):
        try:
            saved = read_game(path, game)
        except GametreeError:  # a file of something else must not stand in the way
            continue
        if saved.utilities is None and saved.game == game.name:
            return saved
    return None


def write_game(path: Path, game: Game[Any, Any], saved: SavedGame, actions: Sequence[Any]) -> None:
    """Write the game, whole or not at all. Raises BadInput."""
    write_atomically(path, _pgn(game, saved, actions) if _is_chess(game) else _json(saved))


def read_game(path: Path, game: Game[Any, Any]) -> SavedGame:
    """The game in a file. Raises BadInput."""
    text = read_text(path)
    found = _read_pgn(text, game, path) if _is_chess(game) else _read_json(text, path)
    return replace(found, path=path)


def _json(saved: SavedGame) -> str:
    data = {
        "format": "gametree game 1",
        "game": saved.game,
        "date": saved.date,
        "seat": saved.seat,
        "against": saved.against,
        "seed": saved.seed,
        "position": saved.position,
        "moves": list(saved.moves),
        "utilities": None if saved.utilities is None else list(saved.utilities),
    }
    return json.dumps(data, indent=1, ensure_ascii=False) + "\n"


def _read_json(text: str, path: Path) -> SavedGame:
    problem = BadInput(f"'{path}' is not a saved game; expected what `gametree play` writes.")
    try:
        data = json.loads(text)
        if data["format"] != "gametree game 1":
            raise problem
        return SavedGame(
            game=str(data["game"]),
            seat=int(data["seat"]),
            against=str(data["against"]),
            position=None if data["position"] is None else str(data["position"]),
            moves=tuple(map(str, data["moves"])),
            utilities=None if data["utilities"] is None else tuple(map(float, data["utilities"])),
            seed=None if data["seed"] is None else int(data["seed"]),
            date=str(data["date"]),
        )
    except (ValueError, KeyError, TypeError, RecursionError):
        raise problem from None


def _pgn(game: Any, saved: SavedGame, actions: Sequence[Any]) -> str:
    from gametree.games.chess.pgn import write_game as write_pgn
    from gametree.knowledge import opening_tags

    start = game.initial() if saved.position is None else game.state_from_text(saved.position)
    names = [PERSON if seat == saved.seat else saved.against for seat in range(2)]
    result = "*"
    if saved.utilities is not None:
        first, second = saved.utilities
        result = "1-0" if first > second else "0-1" if first < second else "1/2-1/2"
    tags = {
        "Event": "A game in the terminal",
        "Site": "gametree",
        "Date": saved.date.replace("-", "."),
        "White": names[0],
        "Black": names[1],
        "Result": result,
        **opening_tags(game, actions, start=start),
    }
    if game.fen(start) != _USUAL:
        tags["FEN"] = game.fen(start)
    if saved.game != "chess":
        tags["GametreeGame"] = saved.game
    return write_pgn(game, tags, actions)


_USUAL = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"


def _read_pgn(text: str, game: Any, path: Path) -> SavedGame:
    from gametree.games.chess.pgn import read_games

    found = next(read_games(text.splitlines(keepends=True)), None)
    if found is None:
        raise BadInput(f"'{path}' holds no game; expected a PGN.")
    actions = found.main_line(game)
    if found.error:
        raise BadInput(f"'{path}' cannot be read to its end: {found.error}")
    state, moves = found.start(game), []
    for action in actions:
        moves.append(game.action_text(state, action))
        state = game.result(state, action)
    white, black = found.tags.get("White", "?"), found.tags.get("Black", "?")
    seat = 0 if white == PERSON else 1 if black == PERSON else -1
    best = game.facts.max_utility
    ends = {"1-0": (best, -best), "0-1": (-best, best), "1/2-1/2": (0.0, 0.0)}
    return SavedGame(
        game=found.tags.get("GametreeGame", "chess"),
        seat=seat,
        against=white if seat == 1 else black,
        position=found.tags.get("FEN"),
        moves=tuple(moves),
        utilities=ends.get(found.result),
        date=found.tags.get("Date", "").replace(".", "-"),
    )
