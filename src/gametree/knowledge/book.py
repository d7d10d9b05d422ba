"""The opening book: a sorted array of entries on disk, looked up by bisection without being read into memory.

An entry has 16 bytes, the highest byte of every number first, as in the format of Polyglot:

    key 8   what position it is (`gametree.knowledge.keys`)      weight 2   how often the move should be played
    move 2  the move's code                                      learn 4    not used here, 0

Books of chess are Polyglot's. Books of other games have the same entries and a header, which says what game they are
for: entries with the key 0, eight bytes of text in each, as the header extension of Polyglot's format has it. A file
without a header is a book of chess.
"""

from __future__ import annotations

import hashlib
import mmap
import random
import struct
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from gametree.core.errors import BadInput
from gametree.core.files import write_atomically
from gametree.core.game import CHANCE, Game
from gametree.knowledge.keys import Keys, book_name, keys_for

__all__ = [
    "ENTRY",
    "Book",
    "BookMove",
    "Header",
    "Report",
    "book_move",
    "check_book",
    "game_of",
    "open_book",
    "read_entries",
    "shipped_books",
    "write_book",
]

ENTRY = np.dtype([("key", ">u8"), ("move", ">u2"), ("weight", ">u2"), ("learn", ">u4")])
SIZE = ENTRY.itemsize
MOST_CHECKED = 1 << 20
"""Keys whose order is checked when a book is opened; of larger books every this many-th. `check_book` checks all."""
DEFAULT = "default"
"""The name of the book that comes with gametree, for games that have one."""
_MAGIC = "@PG@"
_CHESS_VARIANTS = {"chess", "normal", "fischerandom"}
_unpack = struct.Struct(">QHHI").unpack_from


class BookMove(NamedTuple):
    """A move that the book knows."""

    action: Any
    weight: int
    """As it stands in the book; only the proportions within a position mean something."""
    share: float
    """How often the book plays it, 0 to 1."""


@dataclass(frozen=True)
class Header:
    """What a book says of itself."""

    game: str
    start: int | None = None
    """A digest of the game's start position, which tells variants and versions of the rules apart."""
    comment: str = ""

    def entries(self) -> bytes:
        """The header as entries with the key 0."""
        lines = [_MAGIC, "1.0", "1", self.game, *([] if self.start is None else [f"start {self.start:016x}"])]
        text = "\n".join([*lines, self.comment]).encode() + b"\0"
        parts = (text[i : i + 8].ljust(8, b"\0") for i in range(0, len(text), 8))
        return b"".join(bytes(8) + part for part in parts)


def _split_header(data: Any) -> tuple[Header | None, int]:
    """The header and the number of entries that it takes; no header and 0 where there is none."""
    count = 0
    text = b""
    while (count + 1) * SIZE <= len(data) and data[count * SIZE : count * SIZE + 8] == bytes(8):
        text += data[count * SIZE + 8 : (count + 1) * SIZE]
        count += 1
    lines = text.partition(b"\0")[0].decode("utf-8", "replace").split("\n")
    if lines[0] != _MAGIC or len(lines) < 4 or not lines[2].isdecimal():
        return None, count
    variants = lines[3 : 3 + int(lines[2])]
    rest = lines[3 + len(variants) :]
    start = None
    if rest and rest[0].startswith("start "):
        with suppress(ValueError):
            start = int(rest.pop(0)[6:], 16)
    game = "chess" if _CHESS_VARIANTS & set(variants) else variants[0] if variants else ""
    return Header(game, start, "\n".join(rest)), count


def start_digest(game: Game[Any, Any], keys: Keys) -> int:
    """64 bits that change with the text of the start position or with its key."""
    state = game.initial()
    text = f"{game.state_text(state)} {keys.find(state)[0]:016x}"
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "big")


class Book:
    """Entries of one game, sorted by key; nothing changes them.

    `data` is the whole file, as bytes or as a memory map; `where` names it in errors. Raises BadInput, in one sentence,
    if it is no book or a book of another game.
    """

    def __init__(self, data: Any, game: Game[Any, Any], *, where: str = "The book") -> None:
        self.game = game
        self.keys: Keys = keys_for(game)
        self._data = data
        self.header, self._first = _check_shape(data, where)
        self._end = len(data) // SIZE
        self._check_game(where)

    @classmethod
    def open(cls, path: str | Path, game: Game[Any, Any]) -> Book:
        """The book in a file. Raises BadInput."""
        return cls(_map(path), game, where=f"'{path}'")

    def _check_game(self, where: str) -> None:
        name = self.keys.name
        found = self.header.game if self.header else "chess"
        if found != name:
            reason = "" if self.header else " (it has no header, as is usual for chess)"
            raise BadInput(f"{where} is a book of {found}{reason}; expected a book of {name}.")
        start = self.header.start if self.header else None
        if start is not None and start != start_digest(self.game, self.keys):
            raise BadInput(f"{where} is a book of {found} with another start position than that of {self.game.name}.")

    def __len__(self) -> int:
        """The number of entries."""
        return self._end - self._first

    def entries(self, key: int) -> list[tuple[int, int, int]]:
        """Code, weight and learn field of every entry with this key, as they stand in the file."""
        low, high = self._first, self._end
        while low < high:  # the first entry whose key is not below `key`
            middle = (low + high) // 2
            if _unpack(self._data, middle * SIZE)[0] < key:
                low = middle + 1
            else:
                high = middle
        found = []
        while low < self._end:
            here, code, weight, learn = _unpack(self._data, low * SIZE)
            if here != key:
                break
            found.append((code, weight, learn))
            low += 1
        return found

    def moves(self, state: Any) -> list[BookMove]:
        """The legal moves that the book has for the state, the heaviest first; none if it does not know it.

        Where the board is symmetric, equivalent moves share the weight of their entry.
        """
        for key in self.keys.find(state):
            found: dict[Any, tuple[int, float]] = {}
            for code, weight, _ in self.entries(key):
                actions = self.keys.actions(state, code)
                for action in actions:
                    before = found.get(action, (0, 0.0))  # a move that stands twice counts twice
                    found[action] = (before[0] + weight, before[1] + weight / len(actions))
            if found:
                total = sum(part for _, part in found.values())
                moves = [BookMove(a, weight, part / total if total else 0.0) for a, (weight, part) in found.items()]
                return sorted(moves, key=lambda move: -move.share)
        return []

    def choose(self, state: Any, rng: random.Random | int | None = None, *, best: bool = False) -> Any:
        """One of the moves at random, in proportion to the weights, or the heaviest if `best`; None if there is none.

        `rng` is a generator, or a seed, or None for another choice each time. Moves of weight 0 are never chosen.
        """
        moves = [move for move in self.moves(state) if move.share > 0]
        if not moves:
            return None
        if best:
            return moves[0].action
        generator = rng if isinstance(rng, random.Random) else random.Random(rng)
        return generator.choices([move.action for move in moves], [move.share for move in moves])[0]


def book_move(book: Book | None, game: Game[Any, Any], state: Any, rng: random.Random, *, best: bool = False) -> Any:
    """The move that a player takes from its book before it searches; None if it has to search.

    Nothing is raised for states that a book has nothing to say about: chance, ended games, no book at all.
    """
    if book is None or game.is_terminal(state) or game.player(state) < 0:
        return None
    return book.choose(state, rng, best=best)


# Files ----------------------------------------------------------------------------------------------------------------


def _map(path: str | Path) -> Any:
    """The file as a memory map. Raises BadInput."""
    try:
        with Path(path).open("rb") as file:
            return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    except OSError as error:
        raise BadInput(f"'{path}' cannot be read: {error.strerror or error}.") from None
    except ValueError:  # an empty file cannot be mapped
        raise BadInput(f"'{path}' is empty; expected a book, whose entries have {SIZE} bytes each.") from None


def _check_shape(data: Any, where: str) -> tuple[Header | None, int]:
    """The header and how many entries it takes. Raises BadInput if the data cannot be a book."""
    size = len(data)
    if size == 0:
        raise BadInput(f"{where} is empty; expected a book, whose entries have {SIZE} bytes each.")
    if size % SIZE:
        raise BadInput(
            f"{where} is truncated or no book: it has {size:,} bytes; expected a multiple of the {SIZE} of an entry."
        )
    header, first = _split_header(data)
    keys = np.frombuffer(data, ENTRY, offset=first * SIZE)["key"]
    place = _first_unsorted(keys[:: 1 + len(keys) // MOST_CHECKED])
    if place is not None:
        raise BadInput(f"{where} is no book: its keys are not in order; expected every key to be at least the last.")
    return header, first


def _first_unsorted(keys: Any) -> int | None:
    falls = np.flatnonzero(keys[1:] < keys[:-1])
    return int(falls[0]) + 1 if len(falls) else None


def shipped_books() -> list[str]:
    """The games for which gametree brings a book."""
    names = (entry.name for entry in resources.files("gametree.knowledge").joinpath("data").iterdir())
    return sorted(name.removesuffix(".bin") for name in names if name.endswith(".bin"))


def open_book(name: str | Path, game: Game[Any, Any]) -> Book:
    """The book called `name`: `default` for the one that comes with gametree, otherwise a path. Raises BadInput."""
    if str(name) != DEFAULT:
        return Book.open(name, game)
    own = book_name(game)
    if own not in shipped_books():
        known = ", ".join(shipped_books())
        raise BadInput(f"gametree brings no book of {own}, only of {known}; expected the path of a book.")
    # The package may be a zip file, so its books, which are small, are read whole.
    data = resources.files("gametree.knowledge").joinpath("data", f"{own}.bin").read_bytes()
    return Book(data, game, where=f"The default book of {own}")


def read_entries(path: str | Path) -> tuple[Header | None, Any]:
    """The header and all entries of a book of any game, as an array of ENTRY. Raises BadInput."""
    data = _map(path)
    header, first = _check_shape(data, f"'{path}'")
    return header, np.frombuffer(data, ENTRY, offset=first * SIZE)


def game_of(path: str | Path) -> str:
    """The name of the game that the book in a file is for. Raises BadInput."""
    if str(path) == DEFAULT:
        return "chess"
    header, _ = _check_shape(_map(path), f"'{path}'")
    return header.game if header else "chess"


def write_book(path: str | Path, entries: Any, game: Game[Any, Any], *, comment: str = "") -> None:
    """Write entries, an array of ENTRY in any order, as the book of a game; whole or not at all. Raises BadInput.

    Within a position the heaviest move comes first. Books of chess have no header.
    """
    write_atomically(path, book_bytes(entries, game, comment=comment))


def book_bytes(entries: Any, game: Game[Any, Any], *, comment: str = "") -> bytes:
    """What `write_book` writes."""
    order = np.lexsort((entries["move"], -entries["weight"].astype(np.int64), entries["key"]))
    keys = keys_for(game)
    header = Header(keys.name, start_digest(game, keys), comment).entries() if keys.has_header else b""
    data: bytes = entries[order].astype(ENTRY).tobytes()
    return header + data


# Checking -------------------------------------------------------------------------------------------------------------


@dataclass
class Report:
    """What a check of a book has found. The book is sound if nothing is illegal, repeated or out of order."""

    entries: int
    positions: int
    """Different keys."""
    reached: int = 0
    """Positions of the book that its own moves lead to from the start."""
    illegal: int = 0
    """Moves of these positions that are not legal there."""
    repeated: int = 0
    """Entries whose position and move stand in the book before."""
    unplayed: int = 0
    """Entries of weight 0."""
    deepest: int = 0
    """Plies from the start to the last position that is reached."""

    @property
    def sound(self) -> bool:
        """Whether there is nothing to complain about."""
        return self.illegal == 0 and self.repeated == 0


def check_book(book: Book, progress: Callable[[int, int], None] | None = None) -> Report:
    """Look at every entry, and play the book through from the start. Raises BadInput if its keys are not in order."""
    entries = np.frombuffer(book._data, ENTRY, offset=book._first * SIZE)
    keys = entries["key"].astype(np.uint64)
    place = _first_unsorted(keys)
    if place is not None:
        raise BadInput(f"Entry {place + 1:,} of the book has a lower key than the entry before it; expected order.")
    pairs = np.sort(entries[["key", "move"]], order=("key", "move"))
    report = Report(
        entries=len(entries),
        positions=len(np.unique(keys)),
        repeated=int(np.count_nonzero(pairs[1:] == pairs[:-1])),
        unplayed=int(np.count_nonzero(entries["weight"] == 0)),
    )
    for ply, state, key in _walk(book):
        report.reached += 1
        report.deepest = ply
        report.illegal += sum(not book.keys.actions(state, code) for code, _, _ in book.entries(key))
        if progress is not None:
            progress(report.reached, report.positions)
    return report


def _walk(book: Book) -> Iterator[tuple[int, Any, int]]:
    """Every position of the book that its moves lead to from the start, once: plies from there, state, key."""
    game = book.game
    layer = [game.initial()]
    seen: set[int] = set()
    ply = 0
    while layer:
        following = []
        for state in layer:
            key = next((key for key in book.keys.find(state) if book.entries(key)), None)
            if key is None or key in seen:
                continue
            seen.add(key)
            yield ply, state, key
            following += [game.result(state, move.action) for move in book.moves(state)]
        layer = [state for state in following if not game.is_terminal(state) and game.player(state) != CHANCE]
        ply += 1
