"""Games from files, for building books.

A file may be in any notation of whole games that the room `gametree.formats` reads (PGN, SGF, JSON lines, moves one
game a line); which one it is shows in how it begins. PGN of games whose keys can replay many lines at once (chess) goes
through them in large batches. Games that cannot be read are counted and passed over.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from gametree.core.errors import BadInput, GametreeError
from gametree.formats import recognise, record_format
from gametree.formats.pgn import main_words, read_games
from gametree.knowledge.build import BookBuilder
from gametree.knowledge.keys import Replay

__all__ = ["Tally", "add_files"]

BATCH = 2_000
"""Games that are replayed at once."""
_WHITE = {"1-0": 2, "0-1": 0, "1/2-1/2": 1}
"""White's points."""
_MOST_AT_ONCE = 1 << 20
"""Characters that are read in one piece."""
Progress = Callable[[int, int], None]


@dataclass
class Tally:
    """How many games were read."""

    games: int = 0
    """Counted in the book."""
    unfinished: int = 0
    """Left out because they have no result."""
    broken: int = 0
    """Left out because they could not be read as far as the book goes."""
    example: str = ""
    """What was wrong with the first of these."""

    def refuse(self, reason: str) -> None:
        """Count a broken game."""
        self.broken += 1
        self.example = self.example or reason


def add_files(builder: BookBuilder, paths: Iterable[str | Path], progress: Progress | None = None) -> Tally:
    """Count all games of the files. `progress` is told the bytes done and their total.

    Raises BadInput if a file cannot be read, or if there is no game in it that can.
    """
    files = [Path(path) for path in paths]
    total = sum(map(_size, files))
    tally, done = Tally(), 0
    for file in files:
        before = tally.games
        lines = _lines(file, done, total, progress)
        begin: list[str] = []
        for line in lines:
            begin.append(line)
            if line.strip():
                break
        kind = recognise("".join(begin), builder.game)
        lines = itertools.chain(begin, lines)
        replay = builder.keys.replay
        if kind == "pgn" and replay is not None:
            _add_pgn(builder, lines, tally, replay)
        else:
            _add_records(builder, lines, tally, kind)
        if tally.games == before:
            reason = f"; the first that was tried: {tally.example.rstrip('.')}" if tally.example else ""
            raise BadInput(f"'{file}' holds no finished game of {builder.keys.name} that can be read{reason}.")
        done += _size(file)
    return tally


def _size(file: Path) -> int:
    try:
        if not file.is_file():
            raise BadInput(f"There is no file '{file}'; expected games.")
        return file.stat().st_size
    except OSError as error:
        raise BadInput(f"'{file}' cannot be read: {error.strerror or error}.") from None


def _lines(file: Path, done: int, total: int, progress: Progress | None) -> Iterator[str]:
    """The lines of a file; bytes that are no text are replaced, and a line without end comes in pieces."""
    try:
        with file.open(encoding="utf-8", errors="replace") as opened:
            for number, line in enumerate(iter(lambda: opened.readline(_MOST_AT_ONCE), "")):
                done += len(line)
                if progress is not None and number % 5000 == 0:
                    progress(min(done, total), total)
                yield line
    except OSError as error:
        raise BadInput(f"'{file}' cannot be read: {error.strerror or error}.") from None


def _add_records(builder: BookBuilder, lines: Iterable[str], tally: Tally, kind: str) -> None:
    game = builder.game
    for record in record_format(game, kind).read(lines):
        if record.error:
            tally.refuse(record.error)
        elif record.utilities is None:
            tally.unfinished += 1
        elif record.actions:
            start = None if record.position is None else game.state_from_text(record.position)
            builder.add_game(record.actions, record.utilities, start)
            tally.games += 1


# Many games at once ---------------------------------------------------------------------------------------------------


def _add_pgn(builder: BookBuilder, lines: Iterable[str], tally: Tally, replay: Replay) -> None:
    usual = builder.game.initial()
    batch = _Batch(builder, replay)
    for record in read_games(lines):
        if record.error and not record.text:
            tally.refuse(record.error)
            continue
        if record.result not in _WHITE:
            if record.tags:
                tally.unfinished += 1
            else:
                tally.refuse(record.error or f"line {record.line} is no PGN")
            continue
        try:
            start = record.start(builder.game) if "FEN" in record.tags else usual
        except GametreeError as error:
            tally.refuse(str(error))
            continue
        words, _ = main_words(record.text, builder.max_ply)
        batch.add(start, words, record.result)
        if len(batch.starts) >= BATCH:
            batch.count(tally)
    batch.count(tally)


class _Batch:
    """Games that wait to be replayed."""

    def __init__(self, builder: BookBuilder, replay: Replay) -> None:
        self._builder, self._replay = builder, replay
        self._clear()

    def _clear(self) -> None:
        self.starts: list[Any] = []
        self._lines: list[list[str]] = []
        self._white: list[int] = []

    def add(self, start: Any, words: list[str], result: str) -> None:
        """Put one more game in."""
        self.starts.append(start)
        self._lines.append(words)
        self._white.append(_WHITE[result])

    def count(self, tally: Tally) -> None:
        """Play the games and give their moves to the builder; a game with an illegal move is broken."""
        if not self.starts:
            return
        lengths = np.array([len(line) for line in self._lines], np.int64)
        keys, codes, seats, played = self._replay(self.starts, self._lines)
        whole = (played == lengths) & (lengths > 0)
        for game in np.flatnonzero(~whole)[:1]:
            problem = f"move {played[game] + 1} is not legal" if lengths[game] else "it has no moves"
            tally.example = tally.example or problem
        tally.broken += int(np.count_nonzero(~whole))
        tally.games += int(np.count_nonzero(whole))
        white = np.repeat(np.array(self._white), lengths)
        points = np.where(seats == 0, white, 2 - white)
        kept = np.repeat(whole, lengths)
        self._builder.add_rows(keys[kept], codes[kept].astype(np.uint16), points[kept].astype(np.uint8))
        self._clear()
