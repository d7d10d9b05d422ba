"""Moves alone: one game a line, as the game writes its moves, separated by spaces or not at all (`f5d6c3d3c4...`).

A line may begin with `position TEXT moves`, where the game did not begin as usual. Numbers of moves and comments in
braces are passed over; a move that is the only one, such as a pass, may be left out. A game that does not end by itself
may have its result behind the moves: 1-0, 0-1 or 1/2-1/2. Empty lines and lines that begin with # do not count.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

from gametree.core.errors import BadInput, GametreeError
from gametree.core.format import Format, Record
from gametree.core.game import Game
from gametree.formats._common import RESULTS, offer_records, result_text, start_of, utilities_of

__all__ = ["MoveLine", "Played", "offer", "read_moves", "split", "split_line", "write", "write_line"]

LONGEST_LINE = 100_000
"""Characters of one game beyond which it is given up as broken."""
_TOKENS = re.compile(r"1-0|0-1|1/2-1/2|\*|\d+\.+|\{[^}]*\}|\$\d+|[\s,;|]+")


@dataclass(frozen=True)
class MoveLine:
    """One line of a file."""

    text: str
    line: int = 1
    game = ""
    title = ""

    def record(self, game: Game[Any, Any]) -> Record:
        """The moves of the line, those that were left out included."""
        if len(self.text) > LONGEST_LINE:
            long = f"'{_shown(self.text)}...' has {len(self.text):,} characters; expected at most {LONGEST_LINE:,}."
            return Record(line=self.line, error=long)
        position, rest = None, self.text
        if rest.split(None, 1)[:1] == ["position"]:
            position, rest = split_text(rest)
        try:
            start = start_of(game, position)
        except GametreeError as error:
            return Record(line=self.line, error=str(error))
        found = read_moves(game, start, rest)
        return Record(
            position=position,
            moves=found.texts,
            actions=found.actions,
            utilities=found.utilities,
            line=self.line,
            error=found.error,
        )


class Played(NamedTuple):
    """Moves that were read."""

    actions: tuple[Any, ...]
    texts: tuple[str, ...]
    utilities: tuple[float, ...] | None
    """What the game was worth to every seat; None if that is not known."""
    error: str
    """What is wrong with the text behind them."""


def split_text(text: str) -> tuple[str | None, str]:
    """The position of a line, None if it names none, and the text of its moves."""
    if text.split(None, 1)[:1] != ["position"]:
        return None, text
    found = re.split(r"\s+moves(?:\s+|$)", text.strip(), maxsplit=1)
    return " ".join(found[0].split()[1:]), found[1] if len(found) == 2 else ""


def split_line(text: str) -> tuple[str | None, tuple[str, ...]]:
    """The position of a line, None if it names none, and its moves, separated by spaces; nothing is tried out."""
    position, moves = split_text(text)
    return position, tuple(moves.split())


def write_line(position: str | None, moves: Iterable[str]) -> str:
    """What `split_line` reads."""
    words = [*moves]
    start = [] if position is None else ["position", position, *(["moves"] if words else [])]
    return " ".join([*start, *words])


def split(lines: Iterable[str]) -> Iterator[MoveLine]:
    """Every line that counts."""
    for number, line in enumerate(lines, 1):
        bare = line.strip()
        if bare and not bare.startswith(("#", "%")):
            yield MoveLine(bare, number)


def read_moves(game: Game[Any, Any], state: Any, text: str) -> Played:
    """The moves of a text from a state on."""
    actions: list[Any] = []
    texts: list[str] = []

    def found(utilities: tuple[float, ...] | None, error: str = "") -> Played:
        return Played(tuple(actions), tuple(texts), utilities, error)

    place = 0
    while not game.is_terminal(state):
        place, result = _skip(text, place)
        if result:
            return found(utilities_of(game, result))
        legal = {game.action_text(state, action): action for action in game.actions(state)}
        # Where spaces part moves, those inside a move are written as _.
        names = {written.casefold(): name for name in legal for written in (name, name.replace(" ", "_"))}
        rest = text[place : place + 64].casefold()
        word = max((written for written in names if rest.startswith(written)), key=len, default=None)
        if word is None:
            if len(legal) > 1 and rest:
                wrong = f"'{_shown(text[place:])}' at character {place + 1} is not a legal move"
                return found(None, f"Move {len(texts) + 1}: {wrong}.")
            if len(legal) != 1:
                return found(None)
            word = next(iter(names))  # the only move, which records leave out
        else:
            place += len(word)
        texts.append(names[word])
        actions.append(legal[names[word]])
        state = game.result(state, actions[-1])
    return found(tuple(float(game.utility(state, seat)) for seat in range(game.facts.players)))


def _shown(text: str) -> str:
    """The beginning of a text, fit for a terminal whatever it contains."""
    return "".join(mark if mark.isprintable() and mark != "\ufffd" else "?" for mark in text[:12])


def _skip(text: str, place: int) -> tuple[int, str]:
    """Pass over spaces, comments and numbers of moves; also the result, if one stands here."""
    while found := _TOKENS.match(text, place):
        if found[0] in RESULTS:
            return place, found[0]
        place = found.end()
    return place, ""


def write(game: Game[Any, Any], record: Record) -> str:
    """One line: the moves and the result, * if it is not known. Raises BadInput if a move cannot stand in a line."""
    if any("\n" in move for move in record.moves):
        raise BadInput(f"A move of {game.name} is longer than a line, so that a line cannot hold the game; use jsonl.")
    words = [move.replace(" ", "_") for move in record.moves]
    result = result_text(record.utilities) if game.facts.players == 2 else "*"
    return write_line(record.position, [*words, result]) + "\n"


def offer(game: Game[Any, Any]) -> Format:
    """The notation for this game."""
    return offer_records(game, "Moves, one game a line", ".txt", split, write)
