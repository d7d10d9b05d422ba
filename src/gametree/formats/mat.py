"""Matches of backgammon as Jellyfish wrote them (.mat), and GNU Backgammon does: two columns, one for each player.

     3 point match

     Game 1
     Ann : 0                             Bob : 0
      1) 31: 8/5 6/5                      64: 24/14
      2)  Doubles => 2                     Takes

A match is one game here (`backgammon:match=3`); of a session for points, `0 point match`, every game is one. The left
player is seat 0. What a file says of scores and points is compared with the rules, so that a game that was resigned
ends the reading with a sentence.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from gametree.core.errors import BadInput, GametreeError
from gametree.core.format import Format, Record
from gametree.core.game import CHANCE, Game
from gametree.formats._common import offer_records, start_of

__all__ = ["Sheet", "offer", "split", "write"]

_LENGTH = re.compile(r"^\s*(\d{1,5})\s+point match", re.IGNORECASE)
_GAME = re.compile(r"^\s*Game\s+\d+", re.IGNORECASE)
_NAMES = re.compile(r"^\s*(.+?)\s*:\s*(\d+)\s{2,}(.+?)\s*:\s*(\d+)\s*$")
_ROW = re.compile(r"^\s*\d+\)(.*)$")
_TAG = re.compile(r'^;\s*\[(\w[\w ]*?)\s+"(.*)"\]')
_ENTRY = re.compile(
    r"(?P<dice>\d{2}):(?P<steps>(?:\s{1,2}(?:bar|\d{1,2})/[^\s]+|\s+cannot move)*)"
    r"|doubles\s*=>\s*\d+|takes|drops|beavers|wins\s+(?P<points>\d+)\s+points?[^\d]*(?:match)?|(?P<other>[^\s].*)",
    re.IGNORECASE,
)
_RIGHT = 22
"""A single entry of a row that begins here or later is the right player's."""
_WIDTH = 36
_WORDS = {"doubles": "double", "takes": "take", "drops": "drop", "beavers": "beaver"}


@dataclass(frozen=True)
class Sheet:
    """A match, or a game for points, as it stands in a file: numbered lines behind the line with the length."""

    length: int
    line: int
    lines: tuple[tuple[int, str], ...]
    tags: dict[str, str] = field(default_factory=dict)

    @property
    def game(self) -> str:
        """The rules that it was played by."""
        return f"backgammon:match={self.length}" if self.length else "backgammon:cube=64"

    @property
    def title(self) -> str:
        """Who played."""
        return " – ".join(self._players())

    def _players(self) -> tuple[str, ...]:
        found = next((_NAMES.match(text) for _, text in self.lines if _NAMES.match(text)), None)
        return (found[1], found[3]) if found else ()

    def record(self, game: Game[Any, Any]) -> Record:
        """The moves, throws included, as far as they keep to the rules."""
        moves: list[str] = []
        actions: list[Any] = []
        known = Record(
            game=self.game, players=self._players(), tags=self.tags, date=self.tags.get("EventDate", ""), line=self.line
        )
        if _length(game) != self.length:
            return replace(known, error=f"It was played as {self.game}, not as {game.name}.")
        state = game.initial()
        number = self.line
        try:
            for at, text in self.lines:
                number = at
                for seat, entry in _entries(text):
                    for word in _words(game, state, seat, entry):
                        action = game.action_from_text(state, word)
                        moves.append(game.action_text(state, action))
                        actions.append(action)
                        state = game.result(state, action)
        except GametreeError as error:
            return replace(known, moves=tuple(moves), actions=tuple(actions), line=number, error=str(error))
        over = game.is_terminal(state)
        utilities = tuple(float(game.utility(state, seat)) for seat in range(2)) if over else None
        ended = "end" if over else ""
        return replace(known, moves=tuple(moves), actions=tuple(actions), utilities=utilities, reason=ended)


def _entries(text: str) -> list[tuple[int, re.Match[str]]]:
    """What each player did in a row. A result without a number in front is a row, too."""
    row = _ROW.match(text)
    if row is None:
        ended = _ENTRY.search(text) if re.match(r"\s*wins\s", text, re.IGNORECASE) else None
        return [(0, ended)] if ended else []
    found = list(_ENTRY.finditer(row[1]))
    if len(found) == 1:
        return [(0 if found[0].start() + row.start(1) < _RIGHT else 1, found[0])]
    return list(enumerate(found))


def _words(game: Game[Any, Any], state: Any, seat: int, entry: re.Match[str]) -> Iterator[str]:
    """What an entry means at a state, as moves of the game; each is asked for after the one before was made.

    Raises BadInput for what the rules do not know.
    """
    if entry["points"]:
        return _check_points(game, state)
    if entry["other"]:
        raise BadInput(f"'{entry[0].strip()[:40]}' is no entry; expected dice and a play, or a word about the cube.")
    if game.is_terminal(state):
        raise BadInput(f"'{entry[0].strip()[:40]}' comes after the end.")
    if not entry["dice"]:
        return iter([_WORDS[entry[0].split()[0].casefold()]])
    return _roll(game, state, seat, entry["dice"], " ".join(entry["steps"].split()))


def _check_points(game: Game[Any, Any], state: Any) -> Iterator[str]:
    """The rules say who has won; a game that goes on by them was resigned."""
    if not game.is_terminal(state) and game.state_text(state).split(":")[0] != "4HPwATDgc/ABMA":
        raise BadInput("The game ends before anybody has borne off all checkers or dropped; it was resigned.")
    return iter(())


def _roll(game: Game[Any, Any], state: Any, seat: int, dice: str, steps: str) -> Iterator[str]:
    if not re.fullmatch("[1-6][1-6]", dice):
        raise BadInput(f"The roll '{dice}' is not possible; expected two numbers from 1 to 6.")
    high, low = max(dice), min(dice)
    legal = {game.action_text(state, action) for action in game.actions(state)}
    if "throw" in legal:
        yield "throw"
    elif game.player(state) == CHANCE and "12" in legal:  # the opening: one die of each, the higher begins
        if high == low:
            raise BadInput(f"The roll '{dice}' cannot open a game; expected two different dice.")
        yield high + low if seat == 0 else low + high
        yield steps if steps and "cannot" not in steps.casefold() else "no move"
        return
    yield high + low
    yield steps if steps and "cannot" not in steps.casefold() else "no move"


def split(lines: Iterable[str]) -> Iterator[Sheet]:
    """The matches, or the games for points, of a file."""
    tags: dict[str, str] = {}
    length, begin = 0, 0
    kept: list[tuple[int, str]] = []

    def made() -> Iterator[Sheet]:
        if kept:
            yield Sheet(length, begin, tuple(kept), dict(tags))

    for number, line in enumerate(lines, 1):
        text = line.rstrip("\r\n").lstrip("\ufeff").expandtabs()
        if tag := _TAG.match(text):
            tags[tag[1]] = tag[2]
        elif found := _LENGTH.match(text):
            yield from made()
            length, begin, kept = int(found[1]), number, []
        elif begin and _GAME.match(text) and length == 0:
            yield from made()
            begin, kept = number, []
        elif begin and text.strip() and not text.startswith(";"):
            kept.append((number, text))
    yield from made()


# Writing --------------------------------------------------------------------------------------------------------------


def write(game: Game[Any, Any], record: Record) -> str:
    """The record as a match or as a session of one game. Raises BadInput if it does not begin at the start."""
    if record.position is not None:
        raise BadInput("A match file begins at the start of a game; expected a record without a position, or jsonl.")
    names = (*record.players, *game.seat_names)[:2] if len(record.players) >= 2 else tuple(game.seat_names[:2])
    length = _length(game)
    state = start_of(game, None)
    lines = [f'; [Player {number} "{name}"]' for number, name in enumerate(names, 1)]
    if record.date:
        lines.append(f'; [EventDate "{record.date}"]')
    lines += ["", f" {length} point match", ""]
    number = 1
    cells: list[tuple[int, str]] = []
    dice, fresh = "", True
    for text in record.moves:
        action = game.action_from_text(state, text)
        mover = game.player(state)
        before = _scores(game, state)
        if fresh and mover == CHANCE:
            left = f" {names[0]} : {before[0]}"
            lines += [f" Game {number}", f"{left:<{_WIDTH}}{names[1]} : {before[1]}"]
            cells, fresh = [], False
        word = game.action_text(state, action)
        after = game.result(state, action)
        if mover == CHANCE:
            dice = "".join(sorted(word, reverse=True))
        elif word in ("double", "take", "drop", "beaver"):
            value = f" => {2 << _cube(game, state)}" if word == "double" else ""
            cells.append((mover, f" {word.capitalize()}s{value}"))
        elif word != "throw":
            cells.append((mover, f"{dice}: {'' if word == 'no move' else word}"))
        scores = _scores(game, after)
        if game.is_terminal(after) or scores != before:
            winner = 0 if scores[0] > before[0] or (not length and game.utility(after, 0) > 0) else 1
            points = scores[winner] - before[winner] if length else abs(int(game.utility(after, 0)))
            cells.append((winner, f" Wins {points} point{'s' if points > 1 else ''}"))
            lines += [*_rows(cells), ""]
            cells, number, fresh = [], number + 1, True
        state = after
    return "\n".join([*lines, *_rows(cells)]).rstrip("\n") + "\n"


def _length(game: Game[Any, Any]) -> int:
    """Points of the match that the game is; 0 for a game for points."""
    found = re.search(r"[:,]match=(\d+)", game.name)
    return int(found[1]) if found else 0


def _scores(game: Any, state: Any) -> tuple[int, int]:
    score = game.struct(state)["score"]
    return int(score[0]), int(score[1])


def _cube(game: Any, state: Any) -> int:
    return int(game.struct(state)["cube"])


def _rows(cells: list[tuple[int, str]]) -> list[str]:
    """Entries in two columns; a second one of the same player begins a new row."""
    rows: list[list[str]] = []
    for seat, text in cells:
        if not rows or seat == 0 or rows[-1][1]:
            rows.append(["", ""])
        rows[-1][seat] = text
    return [f"{number:>3}) {left:<{_WIDTH - 5}}{right}".rstrip() for number, (left, right) in enumerate(rows, 1)]


def offer(game: Game[Any, Any]) -> Format:
    """The notation for this game."""
    return offer_records(game, "Match (Jellyfish)", ".mat", split, write)
