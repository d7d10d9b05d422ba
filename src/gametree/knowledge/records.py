"""Games from files, for building books.

Chess comes as PGN and is read in large batches by a compiled kernel. Other games come as text: one game a line, or PGN
as `gametree export` writes it. Moves are written as the game writes them, parted by spaces or not at all
(`f5d6c3d3c4...`, as records of Othello are); a move that is the only one, such as a pass, may be left out. A game that
does not end by itself needs its result behind the moves: 1-0, 0-1 or 1/2-1/2.

Games that cannot be read are counted and passed over.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from gametree.core.errors import BadInput, GametreeError
from gametree.core.game import Game
from gametree.knowledge.build import BookBuilder
from gametree.knowledge.keys import is_chess

__all__ = ["Tally", "add_files"]

BATCH = 2_000
"""Games of chess that go to the kernel at once."""
_RESULTS = {"1-0": (1, -1), "0-1": (-1, 1), "1/2-1/2": (0, 0)}
_TOKENS = re.compile(r"1-0|0-1|1/2-1/2|\*|\d+\.+|[\s,;|]+")
_COMMENTS = re.compile(r"\{[^}]*\}")
_MOST_AT_ONCE = 1 << 20
"""Characters that are read in one piece."""
_LONGEST_LINE = 100_000
"""Characters of one game as text beyond which it is given up as broken."""

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
        if is_chess(builder.game):
            _add_pgn(builder, lines, tally)
        else:
            _add_text(builder, lines, tally)
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


# Chess ----------------------------------------------------------------------------------------------------------------


def _add_pgn(builder: BookBuilder, lines: Iterable[str], tally: Tally) -> None:
    from gametree.games.chess.notation import read_wish
    from gametree.games.chess.pgn import main_words, read_games

    game: Any = builder.game
    usual = game.initial()
    batch = _Batch(builder)
    for record in read_games(lines):
        if record.error and not record.text:
            tally.refuse(record.error)
            continue
        result = record.tags.get("Result") or record.text[-12:].rpartition(" ")[2].strip()
        if result not in _RESULTS:
            if record.tags:
                tally.unfinished += 1
            else:
                tally.refuse(record.error or f"line {record.line} is no PGN")
            continue
        try:
            start = record.start(game) if "FEN" in record.tags else usual
        except GametreeError as error:
            tally.refuse(str(error))
            continue
        words, _ = main_words(record.text, builder.max_ply)
        batch.add(start, [read_wish(word) for word in words], result)
        if len(batch.starts) >= BATCH:
            batch.count(tally)
    batch.count(tally)


class _Batch:
    """Games that wait for the kernel."""

    def __init__(self, builder: BookBuilder) -> None:
        from gametree.games.chess.polyglot import replay_lines
        from gametree.games.chess.rules import MOST_MOVES

        self._builder = builder
        self._kernel = builder.game.rules.kernel(replay_lines)  # type: ignore[attr-defined]
        self._scratch = np.empty(MOST_MOVES, np.int64)
        self._clear()

    def _clear(self) -> None:
        self.starts: list[bytes] = []
        self._wishes: list[int] = []
        self._ends: list[int] = []
        self._white: list[int] = []

    def add(self, start: bytes, wishes: list[int], result: str) -> None:
        """Put one more game in."""
        self.starts.append(start)
        self._wishes += wishes
        self._ends.append(len(self._wishes))
        self._white.append(1 + _RESULTS[result][0])

    def count(self, tally: Tally) -> None:
        """Play the games and give their moves to the builder; a game with an illegal move is broken."""
        if not self.starts:
            return
        structs = np.concatenate([self._builder.game.structs(start) for start in self.starts])  # type: ignore[attr-defined]
        seats = structs["seat"].astype(np.int64)
        wishes, ends = np.array(self._wishes, np.int64), np.array(self._ends, np.int64)
        keys, codes = np.zeros(len(wishes), np.uint64), np.zeros(len(wishes), np.int64)
        played = np.zeros(len(ends), np.int64)
        self._kernel(structs, self._scratch, wishes, ends, keys, codes, played)
        lengths = np.diff(ends, prepend=0)
        whole = (played == lengths) & (lengths > 0)
        for game in np.flatnonzero(~whole)[:1]:
            problem = f"move {played[game] + 1} is not legal" if lengths[game] else "it has no moves"
            tally.example = tally.example or problem
        tally.broken += int(np.count_nonzero(~whole))
        tally.games += int(np.count_nonzero(whole))
        place = np.arange(len(wishes)) - np.repeat(ends - lengths, lengths)
        white_moves = (place + np.repeat(seats, lengths)) % 2 == 0
        white = np.repeat(np.array(self._white), lengths)
        points = np.where(white_moves, white, 2 - white)
        kept = np.repeat(whole, lengths)
        self._builder.add_rows(keys[kept], codes[kept].astype(np.uint16), points[kept].astype(np.uint8))
        self._clear()


# Other games ----------------------------------------------------------------------------------------------------------


def _add_text(builder: BookBuilder, lines: Iterable[str], tally: Tally) -> None:
    game = builder.game
    for text in _texts(lines):
        try:
            actions, utilities = _read_text(game, text)
        except GametreeError as error:
            tally.refuse(str(error))
            continue
        if utilities is None:
            tally.unfinished += 1
        elif actions:
            builder.add_game(actions, utilities)
            tally.games += 1


def _texts(lines: Iterable[str]) -> Iterator[str]:
    """The games of a file as text: each line on its own, or what stands between the tags of a PGN."""
    tagged = False
    parts: list[str] = []
    for line in lines:
        bare = line.strip()
        if bare.startswith("["):
            if parts:
                yield _COMMENTS.sub(" ", " ".join(parts))
                parts = []
            tagged = True
        elif bare and not bare.startswith(("#", "%")):
            if tagged:
                parts.append(bare)
            else:
                yield bare
    if parts:
        yield _COMMENTS.sub(" ", " ".join(parts))


def _read_text(game: Game[Any, Any], text: str) -> tuple[list[Any], tuple[float, ...] | None]:
    """The moves of a game and what it was worth to every seat, None if that is not known. Raises BadInput."""
    if len(text) > _LONGEST_LINE:
        raise BadInput(f"'{_shown(text)}...' has {len(text):,} characters; expected at most {_LONGEST_LINE:,}.")
    state, result, place = game.initial(), "", 0
    actions: list[Any] = []
    seats = range(game.facts.players)
    while not game.is_terminal(state):
        place, result = _skip(text, place)
        if result:
            break
        legal = {game.action_text(state, action).casefold(): action for action in game.actions(state)}
        rest = text[place : place + 64].casefold()
        word = max((name for name in legal if rest.startswith(name)), key=len, default=None)
        if word is None:
            if len(legal) > 1 and rest:
                raise BadInput(f"'{_shown(text[place:])}' at character {place + 1} is not a legal move.")
            if len(legal) > 1:
                return actions, None
            word = next(iter(legal))  # the only move, which records leave out
        else:
            place += len(word)
        actions.append(legal[word])
        state = game.result(state, legal[word])
    else:
        return actions, tuple(game.utility(state, seat) for seat in seats)
    if result not in _RESULTS or len(seats) != 2:
        return actions, None
    return actions, tuple(map(float, _RESULTS[result]))


def _shown(text: str) -> str:
    """The beginning of a text, fit for a terminal whatever it contains."""
    return "".join(mark if mark.isprintable() and mark != "\ufffd" else "?" for mark in text[:12])


def _skip(text: str, place: int) -> tuple[int, str]:
    """Pass over spaces and numbers of moves; also the result, if one stands here."""
    while found := _TOKENS.match(text, place):
        if found[0] in (*_RESULTS, "*"):
            return place, found[0]
        place = found.end()
    return place, ""
