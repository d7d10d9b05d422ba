"""Files of Arimaa games: tags in brackets, then one turn a line.

    [White "anna"]
    [Black "ben"]
    [ResultCode "g"]
    [Result "1-0"]

    1g Ra1 Rb1 Rc1 Rd1 Re1 Rf1 Rg1 Rh1 Da2 Hb2 Cc2 Md2 Ee2 Cf2 Hg2 Dh2
    1s ra8 rb8 rc8 rd8 re8 rf8 rg8 rh8 da7 hb7 cc7 md7 ee7 cf7 hg7 dh7
    2g Ee2n Ee3n Hb2n Cc2n

White is Gold. A turn has its number and its side (g or s; w and b in old files), then its steps with what they drop
into traps (`Cf2n Cf3x`). `takeback` takes the last turn back, and `resigns` ends the game; a number without steps, as
servers write it behind the last turn, is passed over. A game that begins from a position has it in the tag Position.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from gametree.core.errors import BadInput, GametreeError
from gametree.core.format import Format, Record
from gametree.core.game import Game
from gametree.formats._common import offer_records, result_text, start_of, utilities_of
from gametree.games.arimaa.notation import read_turn, turn_text
from gametree.games.arimaa.rules import Arimaa

__all__ = ["ArimaaGame", "offer", "split", "write"]

BETWEEN = "\n"
_TAG = re.compile(r'\[(\w+)\s+"((?:\\.|[^"\\])*)"\]\s*')
_TURN = re.compile(r"(\d{1,5})([gswb])(?:\s+(.*))?", re.IGNORECASE)
_OWN = {"White", "Black", "Date", "Result", "ResultCode", "Position", "Game"}
_CODES = {"g": "end", "e": "end", "m": "end", "t": "time", "r": "resigned", "i": "illegal", "s": "hopeless"}
_REASONS = {"time": "t", "resigned": "r", "hopeless": "r", "illegal": "i"}


@dataclass
class ArimaaGame:
    """One game of a file, unread."""

    line: int = 1
    tags: dict[str, str] = field(default_factory=dict)
    turns: list[tuple[int, str, str]] = field(default_factory=list)
    """The line in the file, number and side, and the text of every turn."""
    error: str = ""

    @property
    def game(self) -> str:
        """The game with its parameters."""
        return self.tags.get("Game", "arimaa")

    @property
    def title(self) -> str:
        """Who played and who won."""
        return f"{self.tags.get('White', '?')} – {self.tags.get('Black', '?')}, {self.tags.get('Result', '*')}"

    def record(self, game: Game[Any, Any]) -> Record:
        """Its turns as steps, as far as they are legal."""
        known: dict[str, Any] = {
            "game": self.game,
            "players": (self.tags.get("White", "?"), self.tags.get("Black", "?"))
            if {"White", "Black"} & self.tags.keys()
            else (),
            "utilities": utilities_of(game, self.tags.get("Result", "*")),
            "reason": _CODES.get(self.tags.get("ResultCode", ""), ""),
            "date": self.tags.get("Date", ""),
            "tags": {name: text for name, text in self.tags.items() if name not in _OWN},
        }
        line, error, position = self.line, self.error, self.tags.get("Position")
        turns: list[list[Any]] = []
        states: list[Any] = []
        try:
            if not isinstance(game, Arimaa):
                raise BadInput(f"This is a file of Arimaa games, but the game is {game.name}; expected arimaa.")
            states = [start_of(game, position)]
            for place, name, text in [] if error else self.turns:
                line = place
                if not _play(game, states, turns, name, text):
                    break
        except GametreeError as problem:
            error = str(problem)
        actions = [action for turn in turns for action in turn]
        moves = []
        state = states[0] if states else None
        for action in actions:
            moves.append(game.action_text(state, action))
            state = game.result(state, action)
        if state is not None and known["utilities"] is None and game.is_terminal(state):
            known["utilities"] = game.utilities(state)
        return Record(
            position=position, moves=tuple(moves), actions=tuple(actions), line=line if error else self.line,
            error=error, **known,
        )  # fmt: skip


def _play(game: Arimaa, states: list[Any], turns: list[list[Any]], name: str, text: str) -> bool:
    """Play one turn, or take one back; False where the side resigns. Raises BadInput, IllegalMove."""
    word = text.strip().lower()
    if word == "takeback":
        if not turns:
            raise BadInput(f"Turn {name}: there is no turn to take back.")
        turns.pop()
        states.pop()
        return True
    if word in ("resigns", "resign", "lost"):
        return False
    if not word:
        return True
    state = states[-1]
    if game.is_terminal(state):
        raise BadInput(f"Turn {name} comes after the end of the game.")
    seat = "gswb".index(name[-1].lower()) % 2
    if game.player(state) != seat:
        raise BadInput(f"Turn {name}: it is {game.seat_names[1 - seat]}'s turn; expected the letter {'gs'[1 - seat]}.")
    try:
        actions = read_turn(game, state, text)
    except GametreeError as error:
        raise BadInput(f"Turn {name}: {error}") from None
    for action in actions:
        state = game.result(state, action)
    turns.append(actions)
    states.append(state)
    return True


def split(lines: Iterable[str]) -> Iterator[ArimaaGame]:
    """The games of a file; a new one begins with tags, or with turn 1 of Gold."""
    found: ArimaaGame | None = None
    for number, line in enumerate(lines, 1):
        bare = line.strip().lstrip("\ufeff")
        if not bare or bare.startswith("#"):
            continue
        tag, turn = _TAG.fullmatch(bare), _TURN.fullmatch(bare)
        first = turn is not None and turn[1] == "1" and turn[2].lower() in "gw" and (turn[3] or "") != "takeback"
        again = found is not None and found.turns and (tag is not None or (first and "takeback" not in _last(found)))
        if found is None or again:
            if found is not None:
                yield found
            found = ArimaaGame(number)
        if tag is not None:
            found.tags[tag[1]] = re.sub(r"\\(.)", r"\1", tag[2])
        elif turn is not None:
            found.turns.append((number, turn[1] + turn[2], turn[3] or ""))
        else:
            found.error = f"'{bare[:40]}' is no line of an Arimaa game; expected a turn such as '2g Ee2n Ee3n'."
            found.line = number
            yield found
            return
    if found is not None:
        yield found


def _last(found: ArimaaGame) -> str:
    return found.turns[-1][2].lower() if found.turns else ""


def write(game: Game[Any, Any], record: Record) -> str:
    """Tags and turns. Raises BadInput for another game, IllegalMove for a move that is not legal."""
    if not isinstance(game, Arimaa):
        raise BadInput(f"This notation has no words for {game.name}; expected Arimaa, or another format for this game.")
    tags = dict(zip(("White", "Black"), record.players, strict=False)) | dict(record.tags)
    if record.date:
        tags["Date"] = record.date
    if record.game not in ("", "arimaa"):
        tags["Game"] = record.game
    start = state = start_of(game, record.position)
    if record.position is not None:
        tags["Position"] = record.position
    states, actions = [start], []
    for move in record.moves:
        actions.append(game.action_from_text(state, move))
        state = game.result(state, actions[-1])
        states.append(state)
    if record.utilities is not None:
        winner = game.struct(state).reason
        tags["ResultCode"] = _REASONS.get(record.reason, " gem"[winner] if winner else "r")
        tags["Result"] = result_text(record.utilities)
    rows = [f'[{name} "{_escape(text)}"]' for name, text in tags.items() if re.fullmatch(r"\w+", name)]
    rows += [""] if rows else []
    turn = 1 if game.struct(start).placed < 16 else 2
    # A turn ends where the other side is to move, or the game is over.
    begins = [0] + [at + 1 for at in range(len(actions)) if _turns(game, states[at], states[at + 1])]
    for first, end in pairwise([*begins, *([len(actions)] if begins[-1] < len(actions) else [])]):
        seat = game.player(states[first])
        rows.append(f"{turn}{'gs'[seat]} {turn_text(game, states[first], actions[first:end])}".rstrip())
        turn += seat
    return "\n".join(rows) + "\n"


def _turns(game: Arimaa, before: Any, after: Any) -> bool:
    return game.player(before) != game.player(after)


def _escape(text: str) -> str:
    return " ".join(text.split()).replace("\\", "\\\\").replace('"', '\\"')


def offer(game: Game[Any, Any]) -> Format:
    """The notation for this game."""
    return offer_records(game, "Arimaa, one turn a line", ".arimaa", split, write)
