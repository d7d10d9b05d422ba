"""gametree as a program that plays Arimaa over the Arimaa Engine Interface, version 1 (Haskin).

Lines of text, one message each. A move is a whole turn, so the engine thinks once and plays the rest of its line as
long as that ends the turn; else it thinks again with the time that is left. It does not think before `go` nor while the
other side does. An unknown option is answered by a warning; an unknown message, or a move that is not legal, by an
error, and then the conversation ends.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Iterable
from typing import Any, TextIO

from gametree import __version__
from gametree.core.clock import Clock
from gametree.core.errors import GametreeError

__all__ = ["AeiEngine"]

_KNOWN = {
    "tcmove", "tcreserve", "tcpercent", "tcmax", "tctotal", "tcturns", "tcturntime", "greserve", "sreserve", "gused",
    "sused", "lastmoveused", "moveused", "opponent", "opponent_rating", "rating", "rated", "event",
}  # fmt: skip
_PLAYED = {"tcmove", "tcreserve", "tcmax", "greserve", "sreserve", "moveused", "depth"}
"""Options whose numbers the engine looks at."""
_USUAL_SECONDS = 5.0
"""For a turn where no clock was told."""
_RESERVE_SHARE = 0.05
"""So much of the reserve is spent on a turn beside the time that each turn brings."""
_LAG = 0.15
"""Seconds of a turn that are lost on the way."""
_SET_UP_DEPTH = 1


class AeiEngine:
    """A conversation: the game as it stands, and what the controller has set."""

    def __init__(self, output: TextIO, *, hash_mib: int = 64) -> None:
        self._output = output
        self._hash = hash_mib
        self._numbers: dict[str, float] = {}
        self._game: Any = None
        self._engine: Any = None
        self._state: Any = None
        self._clock: Clock | None = None  # of the turn that is being thought about
        self._thinking: threading.Thread | None = None

    def serve(self, lines: Iterable[str]) -> None:
        """Answer every message until `quit`, the end of the input, or a message that ends it."""
        for line in lines:
            if not self.hear(line):
                self._stop()
                break
        self._wait()

    def _stop(self) -> None:
        if self._clock is not None:
            self._clock.stop()

    def _wait(self) -> None:
        """Until the answer is given."""
        if self._thinking is not None:
            self._thinking.join()
            self._thinking = None

    def _say(self, line: str) -> None:
        self._output.write(line + "\n")
        self._output.flush()

    def hear(self, line: str) -> bool:
        """Answer one message; whether the conversation goes on."""
        word, _, rest = line.strip().partition(" ")
        rest = rest.strip()
        if word == "stop":
            self._stop()
        if word in ("", "stop"):
            return True
        if word == "quit":
            return False
        if word != "isready":
            self._wait()
        try:
            if word == "aei":
                self._introduce()
            elif word == "isready":
                self._load()
                self._say("readyok")
            elif word == "newgame":
                self._load()
                self._engine.forget()
                self._state = self._game.initial()
            elif word == "setposition":
                self._load()
                self._state = self._game.state_from_text(rest.replace('"', "[", 1).replace('"', "]", 1))
            elif word == "setoption":
                self._set(rest)
            elif word == "makemove":
                self._play(rest)
            elif word == "go":
                self._go(ponders=rest == "ponder")
            else:
                self._say(f"log Error: unknown message '{line.strip()[:60]}'; expected a message of AEI")
                return False
        except GametreeError as error:
            self._say(f"log Error: {error}")
            return False
        return True

    def _introduce(self) -> None:
        for text in ("protocol-version 1", "id name gametree", "id author gametree", f"id version {__version__}"):
            self._say(text)
        self._say("aeiok")

    def _load(self) -> None:
        """The rules and the engine, compiled before any clock runs."""
        if self._engine is not None:
            return
        from gametree.core.registry import load_game
        from gametree.search.compiled.engine import Engine

        self._game = load_game("arimaa")
        self._engine = Engine(self._game, table_mib=self._hash)
        self._state = self._game.initial()
        self._engine.search(self._state, depth=1)

    def _set(self, text: str) -> None:
        found = re.fullmatch(r"name\s+(\S+)(?:\s+value\s*(.*))?", text)
        if found is None:
            self._say(f"log Error: setoption '{text[:40]}' is not possible; expected name ID value X")
            return
        name, value = found[1].lower(), (found[2] or "").strip()
        if name == "hash":
            if not value.isdecimal() or not 1 <= int(value) <= 65536:
                self._say(f"log Warning: hash cannot be '{value[:20]}'; expected 1 to 65536 MB")
            elif int(value) != self._hash:
                self._hash, self._engine, state = int(value), None, self._state
                if state is not None:
                    self._load()
                    self._state = state
        elif name in _PLAYED:
            try:
                self._numbers[name] = float(value)
            except ValueError:
                self._say(f"log Warning: {name} cannot be '{value[:20]}'; expected a number")
        elif name not in _KNOWN:
            self._say(f"log Warning: Received unrecognized option, {name}")

    def _play(self, text: str) -> None:
        """Play a turn. Raises IllegalMove."""
        from gametree.games.arimaa.notation import read_turn

        self._load()
        for action in read_turn(self._game, self._state, text):
            self._state = self._game.result(self._state, action)

    # Thinking ---------------------------------------------------------------------------------------------------------

    def _seconds(self) -> float:
        """For this turn: what each turn brings, and a small share of the reserve."""
        numbers = self._numbers
        if "tcmove" not in numbers:
            return _USUAL_SECONDS
        reserve = numbers.get("gs"[self._game.player(self._state)] + "reserve", numbers.get("tcreserve", 0.0))
        seconds = numbers["tcmove"] + _RESERVE_SHARE * max(0.0, reserve) - numbers.get("moveused", 0.0)
        if numbers.get("tcmax", 0) > 0:
            seconds = min(seconds, numbers["tcmax"])
        return max(0.02, seconds - _LAG)

    def _go(self, *, ponders: bool) -> None:
        """Begin to think about a whole turn. The game stands as it stood until the turn is made."""
        self._load()
        if ponders:
            return  # it is no use to think without an answer
        game, state = self._game, self._state
        if game.is_terminal(state):
            self._say("log Warning: move requested after the end of the game.")
            self._say("bestmove ")
            return
        self._clock = Clock(seconds=self._seconds())
        self._thinking = threading.Thread(target=self._think, args=(self._clock,), daemon=True)
        self._thinking.start()

    def _think(self, clock: Clock) -> None:
        """Search until the turn has an end, and say it."""
        from gametree.games.arimaa.notation import turn_text

        game, state = self._game, self._state
        seat = game.player(state)
        setting_up = game.struct(state).placed < 16
        actions: list[int] = []
        while not game.is_terminal(state) and game.player(state) == seat:
            deep = _SET_UP_DEPTH if setting_up else int(self._numbers.get("depth", 0)) or None
            late = clock.expired()
            found = self._engine.search(state, depth=deep, clock=Clock(seconds=0.02) if late else clock)
            if not setting_up:
                self._report(found, clock)
            for action in [found.move] if setting_up else found.pv or [found.move]:
                if game.is_terminal(state) or game.player(state) != seat or action not in game.actions(state):
                    break
                actions.append(action)
                state = game.result(state, action)
        self._say(f"bestmove {turn_text(game, self._state, actions)}")

    def _report(self, found: Any, clock: Clock) -> None:
        self._say(f"info score {round(100 * found.value)}")
        self._say(f"info depth {found.depth}")
        self._say(f"info nodes {found.nodes}")
        self._say(f"info time {round(clock.elapsed())}")
