"""gametree as a chess program that speaks XBoard's protocol, version 2 (Mann and Muller, 2009), also called CECP.

Lines from the other side and answers of the search meet in one queue, so that everything but the search happens in one
thread, in order. A search that is no longer wanted is told by its number; its answer is left out.
"""

from __future__ import annotations

import queue
import re
import sys
import threading
from collections.abc import Callable, Iterable
from typing import Any, TextIO

from gametree import __version__
from gametree.core.errors import BadInput, GametreeError
from gametree.interfaces.protocols._lines import LONGEST, Speaker, one_line
from gametree.interfaces.protocols._session import Answer, Limits, Report, Session
from gametree.play.strength import FULL_ELO, LOWEST_ELO

__all__ = ["XboardEngine"]

_MOVE = re.compile(r"[a-h][1-8][a-h][1-8][qrbn]?|O-O(?:-O)?")
_LEVEL = re.compile(r"(\d+) (\d+)(?::(\d+))? (\d+(?:\.\d+)?)")
_IGNORED = ("accepted", "rejected", "random", "computer", "name", "rating", "ics", "egtpath", "otim")
_DRAW_CHANCE = 0.45
"""A draw is accepted below this winning chance."""
_ENDS = {
    "stalemate": "Stalemate",
    "dead position": "Draw by insufficient material",
    "repetition": "Draw by repetition",
    "fifty moves": "Draw by fifty move rule",
    "75 moves": "Draw by fifty move rule",
}
_HINT_SECONDS = 0.5
_OPTIONS = {"MultiPV": (1, 16), "Move Overhead": (0, 5000), "Limit Strength": (0, 1), "Elo": (LOWEST_ELO, FULL_ELO)}


class XboardEngine:
    """A conversation in XBoard's protocol. Each search is for one purpose: our move, pondering, analysis or a hint."""

    def __init__(self, output: TextIO | None = None) -> None:
        self.say = Speaker(output or sys.stdout)
        self.session = Session("chess", tell=self._tell)
        self._events: queue.SimpleQueue[tuple[int, Any]] = queue.SimpleQueue()
        self._purpose = ""  # of the search that runs: "move", "ponder", "analysis", "hint" or none
        self._search = 0  # number of the search whose answer is wanted; 0 is for lines
        self._expected: Any = None  # the reply that the last search expects
        self._value: float | None = None  # of the last search for a move of ours
        self._last: Report | None = None
        self._pongs: list[str] = []
        self._force, self._analysing, self._over = False, False, False
        self._post = self._hard = False
        self._seat = 1
        self._fischer = False
        self._elo, self._limited = FULL_ELO, False
        self._book, self._own_book = "default", False
        self._moves, self._base, self._increment = 0, 300.0, 0.0
        self._seconds: float | None = None
        self._depth: int | None = None
        self._left: float | None = None
        self._commands: dict[str, Callable[[str], None]] = {
            "xboard": lambda rest: None,
            "protover": self._protover,
            "quit": lambda rest: None,
            "new": self._new,
            "variant": self._variant,
            "force": self._set_force,
            "go": self._go,
            "playother": self._playother,
            "white": lambda rest: self._take_seat(1),
            "black": lambda rest: self._take_seat(0),
            "level": self._level,
            "st": self._st,
            "sd": self._sd,
            "time": self._time,
            "usermove": self._usermove,
            "?": self._move_now,
            "ping": self._ping,
            "draw": self._draw,
            "result": self._result,
            "setboard": self._setboard,
            "hint": self._hint,
            "undo": lambda rest: self._undo(1),
            "remove": lambda rest: self._undo(2),
            "hard": self._set_hard,
            "easy": self._set_easy,
            "post": lambda rest: self._set_post(True),
            "nopost": lambda rest: self._set_post(False),
            "analyze": self._analyze,
            "exit": self._exit,
            ".": self._status,
            "memory": lambda rest: self._resize(rest, "table_mib"),
            "cores": lambda rest: self._resize(rest, "threads"),
            "option": self._option,
            **dict.fromkeys(_IGNORED, lambda rest: None),
        }

    def serve(self, lines: Iterable[str]) -> None:
        """Obey every line until `quit` or the end of the input, or until nobody listens."""

        def read() -> None:
            for line in lines:
                self._events.put((0, line))
            self._events.put((0, "quit"))

        threading.Thread(target=read, name="gametree-input", daemon=True).start()
        try:
            while not self.say.alone:
                number, event = self._events.get()
                if number:
                    self._take_answer(number, event)
                elif not self.obey(event):
                    break
        finally:
            self.session.close()

    def obey(self, line: str) -> bool:
        """Do what the line says; False for `quit`."""
        if len(line) > LONGEST:
            self.say("Error (line too long): " + one_line(line))
            return True
        word, _, rest = line.strip().partition(" ")
        rest = rest.strip()
        if not word:
            return True
        if word not in self._commands and _MOVE.fullmatch(word):
            word, rest = "usermove", word
        command = self._commands.get(word)
        if command is None:
            self.say(f"Error (unknown command): {one_line(line.strip())}")
            return True
        try:
            command(rest)
        except GametreeError as error:
            self.say(f"Error ({' '.join(str(error).split())}): {one_line(line.strip())}")
        except Exception as error:  # whatever went wrong, the conversation goes on
            self.say(f"Error ({type(error).__name__}: {error}): {one_line(line.strip())}")
        return word != "quit"

    def _tell(self, sentence: str) -> None:
        print(f"gametree: {sentence}", file=sys.stderr, flush=True)
        self.say(f"# {sentence}")

    # Introduction and options -----------------------------------------------------------------------------------------

    def _protover(self, rest: str) -> None:
        self.say(
            "feature done=0",
            "feature ping=1 setboard=1 playother=1 san=0 usermove=1 time=1 draw=1 sigint=0 sigterm=0 reuse=1",
            'feature analyze=1 variants="normal,fischerandom" colors=0 ics=0 name=1 pause=0 nps=0 debug=1',
            f'feature myname="gametree {__version__}" memory=1 smp=1',
            'feature option="MultiPV -spin 1 1 16" option="Move Overhead -spin 30 0 5000"',
            f'feature option="Limit Strength -check 0" option="Elo -spin {FULL_ELO} {LOWEST_ELO} {FULL_ELO}"',
            'feature option="Own Book -check 0" option="Book File -file default"',
        )
        self.session.load()  # the other side waits for `done=1` as long as it takes
        self.say("feature done=1")

    def _option(self, rest: str) -> None:
        name, _, value = rest.partition("=")
        ranges = {
            "MultiPV": (1, 16),
            "Move Overhead": (0, 5000),
            "Limit Strength": (0, 1),
            "Elo": (LOWEST_ELO, FULL_ELO),
            "Own Book": (0, 1),
        }
        if name not in (*ranges, "Book File"):
            raise BadInput(f"there is no option '{one_line(name)}'")
        number = _whole(value, *ranges[name], name) if name in ranges else 0
        self._cancel()
        try:
            if name == "MultiPV":
                self.session.lines = number
            elif name == "Move Overhead":
                self.session.overhead = number / 1000
            elif name in ("Limit Strength", "Elo"):
                self._limited = number == 1 if name == "Limit Strength" else self._limited
                self._elo = number if name == "Elo" else self._elo
                self.session.elo = self._elo if self._limited and self._elo < FULL_ELO else None
            else:
                self._own_book = number == 1 if name == "Own Book" else self._own_book
                self._book = value if name == "Book File" else self._book
                self.session.use_book(self._book if self._own_book else None)
        finally:
            self._go_on()

    def _resize(self, rest: str, what: str) -> None:
        number = _whole(rest, 1, 1 << 20, what)
        self._cancel()
        self.session.resize(**{what: number})
        self._go_on()

    # The game ---------------------------------------------------------------------------------------------------------

    def _new(self, rest: str) -> None:
        self._cancel()
        self.session.set_up()
        self.session.forget()
        self._force, self._over, self._seat, self._fischer = False, False, 1, False
        self._depth, self._left, self._value = None, None, None
        self._go_on()

    def _variant(self, rest: str) -> None:
        if rest not in ("normal", "fischerandom"):
            raise BadInput("unknown variant, expected normal or fischerandom")
        self._fischer = rest == "fischerandom"

    def _setboard(self, rest: str) -> None:
        self._cancel()
        try:
            self.session.set_up(rest)
        except GametreeError as error:
            self.say(f"tellusererror Illegal position: {error}")
            return
        self._over = False
        self._go_on()

    def _usermove(self, rest: str) -> None:
        session = self.session
        before = session.state
        try:
            action = session.find(before, rest)
        except GametreeError:
            self.say(f"Illegal move: {one_line(rest)}")
            return
        hit = self._purpose == "ponder" and action == self._expected
        if not hit:
            self._cancel()
        session.play(rest)
        if self._declare_end():
            self._cancel()
        elif hit:
            self._purpose = "move"
            session.hit(self._limits())
        else:
            self._go_on()

    def _undo(self, count: int) -> None:
        self._cancel()
        if not self.session.undo(count):
            raise BadInput("there is no move to take back")
        self._over = False
        self._go_on()

    def _result(self, rest: str) -> None:
        self._cancel()
        self._over = True

    def _draw(self, rest: str) -> None:
        if self._value is not None and self.session.game.winning_chance(self._value) < _DRAW_CHANCE:
            self.say("offer draw")

    def _declare_end(self) -> bool:
        """Whether the game is over now; tell the other side, unless it only keeps the board."""
        game, state = self.session.game, self.session.state
        if not game.is_terminal(state):
            return False
        self._over = True
        if not self._force and not self._analysing:
            white = game.utility(state, 0)
            status = game.status(state)  # type: ignore[attr-defined]
            if white:
                self.say("1-0 {White mates}" if white > 0 else "0-1 {Black mates}")
            else:
                self.say(f"1/2-1/2 {{{_ENDS.get(status, 'Draw')}}}")
        return True

    # Whose turn it is -------------------------------------------------------------------------------------------------

    def _set_force(self, rest: str) -> None:
        self._cancel()
        self._force = True

    def _go(self, rest: str) -> None:
        self._cancel()
        self._force = self._over = False
        self._seat = self.session.mover(self.session.state)
        self._go_on()

    def _playother(self, rest: str) -> None:
        self._cancel()
        self._force = False
        self._seat = 1 - self.session.mover(self.session.state)

    def _take_seat(self, seat: int) -> None:
        self._cancel()
        self._seat = seat

    def _go_on(self) -> None:
        """Begin to think if there is reason to."""
        session = self.session
        if self._analysing:
            self._think("analysis", Limits(infinite=True))
        elif not self._force and not self._over and session.mover(session.state) == self._seat:
            self._think("move", self._limits())

    # Clocks -----------------------------------------------------------------------------------------------------------

    def _level(self, rest: str) -> None:
        found = _LEVEL.fullmatch(" ".join(rest.split()))
        if found is None:
            raise BadInput("expected level MOVES BASE INCREMENT")
        self._moves = int(found[1])
        self._base = 60.0 * int(found[2]) + int(found[3] or 0)
        self._increment = float(found[4])
        self._seconds = self._left = None

    def _st(self, rest: str) -> None:
        try:
            seconds = float(rest)
        except ValueError:
            seconds = 0.0
        if not 0 < seconds < 1e9:
            raise BadInput("expected st SECONDS")
        self._seconds = seconds

    def _sd(self, rest: str) -> None:
        self._depth = _whole(rest, 1, 1 << 20, "sd")

    def _time(self, rest: str) -> None:
        self._left = _whole(rest, -(1 << 40), 1 << 40, "time") / 100

    def _limits(self) -> Limits:
        if self._seconds is not None:
            return Limits(depth=self._depth, seconds=self._seconds)
        left = max(0.001, self._base if self._left is None else self._left)
        to_go = None
        if self._moves:
            to_go = self._moves - len(self.session.actions) // 2 % self._moves
        return Limits(depth=self._depth, remaining=left, increment=self._increment, moves_to_go=to_go)

    # Thinking ---------------------------------------------------------------------------------------------------------

    def _think(self, purpose: str, limits: Limits, state: Any = None) -> None:
        session = self.session
        position = session.state if state is None else state
        self._search += 1
        number, self._purpose = self._search, purpose
        session.think(
            limits,
            report=lambda report: self._take_report(number, position, report),
            answer=lambda answer: self._events.put((number, answer)),
            state=position,
        )

    def _cancel(self) -> None:
        """End the search, whose answer nobody wants any more."""
        if self._purpose:
            self._purpose = ""
            self._search += 1
            self.session.stop()
            self.session.wait()
        self._send_pongs()

    def _take_report(self, number: int, state: Any, report: Report) -> None:
        """In the thread of the search: what `post` asks for."""
        fresh = self._last is None or self._last.lines[0] != report.lines[0]
        if number != self._search:
            return
        self._last = report
        if self._post and fresh and self._purpose in ("move", "analysis", "ponder"):
            self.say(*self._thinking_lines(state, report))

    def _thinking_lines(self, state: Any, report: Report) -> list[str]:
        said = []
        for line in report.lines:
            score = round(100 * line.value)
            if line.mate is not None:
                score = 100000 + line.mate if line.mate > 0 else -100000 + line.mate
            words = " ".join(self._write_line(state, line.moves))
            said.append(f"{line.depth} {score} {round(100 * report.seconds)} {report.nodes} {words}")
        return said

    def _take_answer(self, number: int, answer: Answer) -> None:
        if number != self._search:
            return
        purpose, self._purpose = self._purpose, ""
        session, state = self.session, self.session.state
        if answer.trouble:
            self.say(f"# {answer.trouble}")
        if purpose == "hint" and answer.move is not None:
            self.say(f"Hint: {self._write(state, answer.move)}")
        if purpose != "move" or answer.move is None:
            self._send_pongs()
            return
        if answer.report is not None:
            self._value = answer.report.lines[0].value
            if self._post and answer.report.lines != (self._last.lines if self._last else None):
                self.say(*self._thinking_lines(state, answer.report))
        word = self._write(state, answer.move)
        session.play(word)
        self.say(f"move {word}")
        self._expected = answer.reply
        self._send_pongs()
        if not self._declare_end() and self._hard and answer.reply is not None:
            expected = session.game.result(session.state, answer.reply)
            self._think("ponder", Limits(ponder=True, depth=self._depth), expected)

    def _move_now(self, rest: str) -> None:
        if self._purpose == "move":
            self.session.stop()

    def _ping(self, rest: str) -> None:
        self._pongs.append(one_line(rest))
        if self._purpose != "move":  # otherwise after the move
            self._send_pongs()

    def _send_pongs(self) -> None:
        for number in self._pongs:
            self.say(f"pong {number}")
        self._pongs = []

    def _hint(self, rest: str) -> None:
        session = self.session
        if self._purpose in ("move", "analysis"):
            return
        if self._purpose == "ponder":
            self.say(f"Hint: {self._write(session.state, self._expected)}")
        else:
            self._think("hint", Limits(seconds=_HINT_SECONDS))

    def _set_hard(self, rest: str) -> None:
        self._hard = True

    def _set_easy(self, rest: str) -> None:
        self._hard = False
        if self._purpose == "ponder":
            self._cancel()

    def _set_post(self, wanted: bool) -> None:
        self._post = wanted

    def _analyze(self, rest: str) -> None:
        self._cancel()
        self._analysing = True
        self._post = True
        self._go_on()

    def _exit(self, rest: str) -> None:
        self._cancel()
        self._analysing = False
        self._force = True

    def _status(self, rest: str) -> None:
        report = self._last
        if self._purpose == "analysis" and report is not None:
            count = len(self.session.game.actions(self.session.state))
            self.say(
                f"stat01: {round(100 * report.seconds)} {report.nodes} {report.lines[0].depth} 0 {count}",
            )

    # Text -------------------------------------------------------------------------------------------------------------

    def _write(self, state: Any, action: Any) -> str:
        """The move in coordinates; castling by its own sign where the king may stand anywhere."""
        if self._fischer:
            short = self.session.game.action_text(state, action)
            if short.startswith("O-O"):
                return short.rstrip("+#")
        return self.session.write(state, action)

    def _write_line(self, state: Any, moves: Iterable[Any]) -> list[str]:
        words = []
        for move in moves:
            words.append(self._write(state, move))
            state = self.session.game.result(state, move)
        return words


def _whole(text: str, low: int, high: int, name: str) -> int:
    """The whole number that the text says. Raises BadInput."""
    if not re.fullmatch(r"-?\d{1,18}", text) or not low <= int(text) <= high:
        raise BadInput(f"{name} should be a whole number from {low} to {high}")
    return int(text)
