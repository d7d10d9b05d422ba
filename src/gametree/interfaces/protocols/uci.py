"""gametree as a chess program that speaks the Universal Chess Interface (Meyer-Kahlen and Huber, 2006).

Every `go` is answered by exactly one `bestmove`. What the engine does not understand it passes over and says so in an
`info string`. Code is loaded, or compiled if it is new, at `isready`, so that `uciok` comes at once.

Other compiled games can be played as well: a position is then the text that the game writes, and a move is as well.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, TextIO

from gametree import __version__
from gametree.core.errors import BadInput, GametreeError, suggest
from gametree.interfaces.protocols._lines import LONGEST, Speaker, one_line
from gametree.interfaces.protocols._session import Answer, Limits, Line, Report, Session
from gametree.play.strength import FULL_ELO, LOWEST_ELO

__all__ = ["UciEngine"]

_NUMBERS = ("wtime", "btime", "winc", "binc", "movestogo", "depth", "nodes", "mate", "movetime")
_GO_WORDS = (*_NUMBERS, "searchmoves", "ponder", "infinite")


@dataclass(frozen=True)
class _Option:
    """An option as the protocol declares it; `apply` takes its value as text that has been checked."""

    name: str
    kind: str
    apply: Callable[[str], None]
    default: str = ""
    low: int = 0
    high: int = 0

    def declaration(self) -> str:
        """The line that introduces it."""
        words = f"option name {self.name} type {self.kind}"
        if self.kind == "button":
            return words
        words += f" default {self.default}"
        return words + f" min {self.low} max {self.high}" if self.kind == "spin" else words

    def read(self, value: str) -> str:
        """The value, checked. Raises BadInput."""
        if self.kind == "spin" and not (_is_number(value) and self.low <= int(value) <= self.high):
            raise BadInput(f"{self.name} cannot be '{one_line(value)}'; expected {self.low} to {self.high}.")
        if self.kind == "check" and value.lower() not in ("true", "false"):
            raise BadInput(f"{self.name} cannot be '{one_line(value)}'; expected true or false.")
        return value.lower() if self.kind == "check" else value


class UciEngine:
    """A conversation in UCI."""

    def __init__(self, output: TextIO | None = None, *, game: str = "chess") -> None:
        self.say = Speaker(output or sys.stdout)
        self.session = Session(game, tell=self._tell)
        self._refused = ""  # why there is no position
        self._debug = False
        self._limited, self._elo = False, FULL_ELO
        self._own_book, self._book = False, "default"
        self._told = (0, 0.0)  # depth and second of the last lines
        session = self.session
        options = [
            _Option("Hash", "spin", lambda value: session.resize(table_mib=int(value)), "64", 1, 1 << 16),
            _Option("Clear Hash", "button", lambda value: session.forget()),
            _Option("Threads", "spin", lambda value: session.resize(threads=int(value)), "1", 1, os.cpu_count() or 1),
            _Option("MultiPV", "spin", self._set_lines, "1", 1, 16),
            _Option("Ponder", "check", lambda value: None, "false"),
            _Option("Move Overhead", "spin", self._set_overhead, "30", 0, 5000),
            _Option("UCI_LimitStrength", "check", self._set_limited, "false"),
            _Option("UCI_Elo", "spin", self._set_elo, str(FULL_ELO), LOWEST_ELO, FULL_ELO),
            _Option("OwnBook", "check", self._set_own_book, "false"),
            _Option("Book File", "string", self._set_book, "default"),
        ]
        if game.partition(":")[0] == "chess":
            options.append(_Option("UCI_Chess960", "check", self._set_chess960, "false"))
        self.options = {option.name.casefold(): option for option in options}
        self._commands: dict[str, Callable[[list[str]], None]] = {
            "uci": self._uci,
            "debug": self._set_debug,
            "isready": self._isready,
            "setoption": self._setoption,
            "register": lambda words: None,
            "ucinewgame": self._ucinewgame,
            "position": self._position,
            "go": self._go,
            "stop": lambda words: session.stop(),
            "ponderhit": lambda words: session.hit(),
            "quit": lambda words: None,
        }

    def serve(self, lines: Iterable[str]) -> None:
        """Obey every line until `quit` or the end of the input, or until nobody listens."""
        try:
            for line in lines:
                if not self.obey(line) or self.say.alone:
                    break
        finally:
            self.session.close()

    def obey(self, line: str) -> bool:
        """Do what the line says; False for `quit`."""
        if len(line) > LONGEST:
            self._complain(f"A line of more than {LONGEST} characters was left out.")
            return True
        words = line.split()
        known = next((place for place, word in enumerate(words) if word in self._commands), None)
        if known is None:
            if words:
                self._complain(f"Unknown command '{one_line(line.strip())}'.")
            return True
        if known > 0:  # the protocol wants unknown words before a command to be passed over
            self._complain(f"Left out '{one_line(' '.join(words[:known]))}'.")
        try:
            self._commands[words[known]](words[known + 1 :])
        except GametreeError as error:
            self._complain(str(error))
        except Exception as error:  # whatever went wrong, the conversation goes on
            self._complain(f"{words[known]} failed: {type(error).__name__}: {error}")
        return words[known] != "quit"

    def _complain(self, sentence: str) -> None:
        self.say(f"info string {' '.join(sentence.split())}")

    def _tell(self, sentence: str) -> None:
        self._complain(sentence)
        print(f"gametree: {sentence}", file=sys.stderr, flush=True)

    # Introduction and options -----------------------------------------------------------------------------------------

    def _uci(self, words: list[str]) -> None:
        declared = (option.declaration() for option in self.options.values())
        self.say(f"id name gametree {__version__}", "id author the gametree developers", *declared, "uciok")

    def _isready(self, words: list[str]) -> None:
        try:
            self.session.load()
        finally:
            self.say("readyok")

    def _set_debug(self, words: list[str]) -> None:
        if words[:1] not in (["on"], ["off"]):
            raise BadInput("debug should be followed by on or off.")
        self._debug = words[0] == "on"

    def _setoption(self, words: list[str]) -> None:
        if words[:1] != ["name"]:
            raise BadInput("setoption should be followed by name NAME value VALUE.")
        split = words.index("value") if "value" in words else len(words)
        name, value = " ".join(words[1:split]), " ".join(words[split + 1 :])
        option = self.options.get(name.casefold())
        if option is None:
            known = [known.name for known in self.options.values()]
            raise BadInput(f"There is no option '{one_line(name)}'.{suggest(name[:80], known)}")
        if self.session.thinking:
            raise BadInput(f"{option.name} cannot be set while the engine thinks.")
        option.apply(option.read(value))
        if self._debug:
            self._complain(f"{option.name} is set.")

    def _set_lines(self, value: str) -> None:
        self.session.lines = int(value)

    def _set_overhead(self, value: str) -> None:
        self.session.overhead = int(value) / 1000

    def _set_chess960(self, value: str) -> None:
        self.session.chess960 = value == "true"

    def _set_limited(self, value: str) -> None:
        self._limited = value == "true"
        self.session.elo = self._elo if self._limited and self._elo < FULL_ELO else None

    def _set_elo(self, value: str) -> None:
        self._elo = int(value)
        self._set_limited("true" if self._limited else "false")

    def _set_own_book(self, value: str) -> None:
        self._own_book = value == "true"
        self.session.use_book(self._book if self._own_book else None)

    def _set_book(self, value: str) -> None:
        self._book = value
        self._set_own_book("true" if self._own_book else "false")

    # The game ---------------------------------------------------------------------------------------------------------

    def _ucinewgame(self, words: list[str]) -> None:
        self.session.stop()
        self.session.wait()
        self.session.forget()

    def _position(self, words: list[str]) -> None:
        split = words.index("moves") if "moves" in words else len(words)
        kind, text, moves = words[:1], " ".join(words[1:split]), words[split + 1 :]
        try:
            if kind == ["startpos"] and not text:
                self.session.set_up(None, moves)
            elif kind == ["fen"]:
                self.session.set_up(text, moves)
            else:
                raise BadInput("position should be followed by startpos or fen FEN, then perhaps moves.")
        except GametreeError as error:
            self._refused = str(error)
            raise
        self._refused = ""

    def _go(self, words: list[str]) -> None:
        session = self.session
        # A search that still runs owes its own answer first.
        session.stop()
        session.wait()
        if self._refused:
            self._complain(f"There is no position to search: {self._refused}")
            self.say("bestmove (none)")
            return
        try:
            session.load()
            limits = self._limits(words)
            self._told = (0, 0.0)
            state = session.state
            session.think(
                limits,
                report=lambda report: self._report(state, report),
                answer=lambda answer: self._answer(state, answer),
            )
        except Exception as error:  # an answer is owed whatever happened
            self._complain(str(error))
            self.say("bestmove (none)")

    def _limits(self, words: list[str]) -> Limits:
        """What the words behind `go` ask for; a word that makes no sense is left out."""
        numbers: dict[str, int] = {}
        moves: list[Any] = []
        state = self.session.state
        place = 0
        while place < len(words):
            word = words[place]
            place += 1
            if word in _NUMBERS and place < len(words) and _is_number(words[place]):
                numbers[word] = max(-(1 << 40), min(1 << 40, int(words[place])))
                place += 1
            elif word == "searchmoves":
                while place < len(words) and words[place] not in _GO_WORDS:
                    try:
                        moves.append(self.session.find(state, words[place]))
                    except GametreeError as error:
                        self._complain(f"searchmoves: {error}")
                    place += 1
            elif word not in ("ponder", "infinite"):
                self._complain(f"go: left out '{one_line(word)}'.")
        side = "b" if self.session.mover(state) == 1 else "w"
        remaining = numbers.get(f"{side}time")
        return Limits(
            depth=_positive(numbers.get("depth")),
            nodes=_positive(numbers.get("nodes")),
            mate=_positive(numbers.get("mate")),
            seconds=None if "movetime" not in numbers else max(1, numbers["movetime"]) / 1000,
            remaining=None if remaining is None else max(remaining, 1) / 1000,
            increment=max(0, numbers.get(f"{side}inc", 0)) / 1000,
            moves_to_go=_positive(numbers.get("movestogo")),
            infinite="infinite" in words,
            ponder="ponder" in words,
            moves=tuple(dict.fromkeys(moves)),
        )

    def _report(self, state: Any, report: Report) -> None:
        """Lines when a depth is done, and now and then how fast it goes."""
        depth = report.lines[0].depth
        if depth > self._told[0]:
            self._told = (depth, report.seconds)
            self.say(*self._info(state, report))
        elif report.seconds > self._told[1] + 1:
            self._told = (self._told[0], report.seconds)
            self.say(f"info {_speed(report)}")

    def _info(self, state: Any, report: Report) -> list[str]:
        said = []
        for number, line in enumerate(report.lines, 1):
            words = " ".join(self.session.write_line(state, line.moves))
            said.append(
                f"info depth {line.depth} seldepth {max(report.seldepth, line.depth)} multipv {number} "
                f"score {_score(line)} {_speed(report)} pv {words}"
            )
        return said

    def _answer(self, state: Any, answer: Answer) -> None:
        said = [f"info string {answer.trouble}"] if answer.trouble else []
        if answer.report is not None:
            said += self._info(state, answer.report)
        if answer.move is None:
            lost = self.session.game.utility(state, self.session.mover(state)) < 0
            self.say(*said, f"info depth 0 score {'mate' if lost else 'cp'} 0", "bestmove (none)")
            return
        moves = (answer.move,) if answer.reply is None else (answer.move, answer.reply)
        self.say(*said, "bestmove " + " ponder ".join(self.session.write_line(state, moves)))


def _is_number(text: str) -> bool:
    """Whether the text is a whole number, of a length that makes sense."""
    return re.fullmatch(r"-?[0-9]{1,100}", text) is not None


def _positive(number: int | None) -> int | None:
    return None if number is None else max(1, number)


def _score(line: Line) -> str:
    return f"mate {line.mate}" if line.mate is not None else f"cp {round(100 * line.value)}"


def _speed(report: Report) -> str:
    speed = round(report.nodes / max(report.seconds, 0.001))
    return f"nodes {report.nodes} nps {speed} hashfull {report.hashfull} time {round(1000 * report.seconds)}"
