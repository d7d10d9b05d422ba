"""Games at the terminal on disk: written after every move, whole or not at all, so that they can go on another day.

Games that offer PGN (chess) are written so, every other game as JSON: the game, the position that it began with, the
moves as the game writes them, who plays, and the result once there is one (`gametree.formats`).
"""

from __future__ import annotations

import datetime
import os
import re
import secrets
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from gametree.core.errors import BadInput, GametreeError
from gametree.core.files import read_text, write_atomically
from gametree.core.folders import data_folder
from gametree.core.format import Format, Record
from gametree.core.game import Game
from gametree.formats import record_format

__all__ = ["SavedGame", "house_salt", "new_path", "read_game", "unfinished_game", "write_game"]

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
    secret: str = ""
    """Where dice and deals come from, as hexadecimal digits."""
    date: str = field(default_factory=lambda: datetime.date.today().isoformat())
    path: Path | None = None


def _folder() -> Path:
    return data_folder() / "games"


def house_salt() -> bytes:
    """What is mixed into every `--seed` on this machine, so that a player who guesses the seed foresees nothing.

    It is drawn once and kept beside the folder of games; GAMETREE_SALT overrides it. Raises BadInput.
    """
    given = os.environ.get("GAMETREE_SALT")
    if given:
        return given.encode()[:64]
    path = data_folder() / "salt"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.exists():
            write_atomically(path, secrets.token_hex(16))
        return path.read_bytes()[:64]
    except OSError as error:
        raise BadInput(f"'{path}' cannot be used: {error.strerror or error}.") from None


def _notation(game: Game[Any, Any]) -> Format:
    return record_format(game, "pgn" if "pgn" in game.formats else "json")


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
    ending = _notation(game).suffix
    for number in range(1, 1000):
        path = folder / f"{_stem(game.name)}-{now}-{number}{ending}"
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
    tags = {}
    if "pgn" in game.formats:
        from gametree.knowledge import opening_tags

        start = game.initial() if saved.position is None else game.state_from_text(saved.position)
        tags = {"Event": "A game in the terminal", "Site": "gametree", **opening_tags(game, actions, start=start)}
    record = Record(
        game=saved.game,
        position=saved.position,
        moves=saved.moves,
        players=tuple(PERSON if seat == saved.seat else saved.against for seat in range(game.facts.players)),
        utilities=saved.utilities,
        date=saved.date,
        tags=tags,
        data={"seat": saved.seat, "against": saved.against, "seed": saved.seed, "secret": saved.secret},
    )
    write_atomically(path, _notation(game).write(record))


def read_game(path: Path, game: Game[Any, Any]) -> SavedGame:
    """The game in a file. Raises BadInput."""
    found: Record | None = next(_notation(game).read(read_text(path).splitlines(keepends=True)), None)
    if found is None:
        raise BadInput(f"'{path}' holds no game; expected what `gametree play` writes.")
    if found.error:
        raise BadInput(f"'{path}' cannot be read to its end: {found.error}")
    seat, against = found.data.get("seat"), found.data.get("against")
    if seat is None:  # a notation of other programs, which knows no more than the names
        seat = found.players.index(PERSON) if PERSON in found.players else -1
        against = next((name for name in reversed(found.players) if name != PERSON), "?")
    return SavedGame(
        game=found.game,
        seat=seat,
        against=against or "",
        position=found.position,
        moves=found.moves,
        utilities=found.utilities,
        seed=found.data.get("seed"),
        secret=str(found.data.get("secret") or ""),
        date=found.date,
        path=path,
    )
