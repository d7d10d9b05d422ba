"""A client of XBoard's protocol, version 2 (Mann and Muller, 2009), for any game with its kind of text.

Programs older than the protocol's `feature` lines are given two seconds to send some, as its authors advise. Programs
that lose input while they start get `protover` again in these seconds: GNU Chess 6.2.7 empties its input buffer when
its second thread comes up, and that thread in turn waits until one more line has been read.
"""

from __future__ import annotations

import contextlib
import re
import time
from typing import Any

from gametree.core.game import Game
from gametree.play.clocks import Turn
from gametree.play.engines.client import GRACE, Client, Declared
from gametree.play.player_names import PlayerName
from gametree.play.players import PlayerFault

__all__ = ["XboardPlayer"]

_FEATURE = re.compile(r"(\w+)=(\"[^\"]*\"|\S+)")
_OLD_MOVE = re.compile(r"(?:\d+\.\s*)?\.\.\.\s*(\S+)")
_PROMPT = re.compile(r"(?:White|Black) ?\(\d+\) ?: ?")
"""What GNU Chess and Crafty ask people with; the answer to our first line may stand behind it."""
WAIT = 2.0
"""Seconds to wait for features of a program that sends none."""
REPEAT = 0.25
"""Seconds after which `protover` is said again to a program that has sent no features."""


class XboardPlayer(Client):
    """A program that speaks XBoard's protocol."""

    def __init__(self, name: PlayerName, game: Game[Any, Any]) -> None:
        self.check_alternates("XBoard", game)
        super().__init__(name, game)
        self.features: dict[str, str] = {}
        self.declared: dict[str, Declared] = {}
        """The options that the program has declared, by name."""
        self._pings = 0

    def greet(self, deadline: float) -> None:
        """`xboard`, `protover 2`, the features, then the options. Raises BadInput for an unknown option."""
        self.features, self.declared = {}, {}
        self.talk.send("xboard")
        quiet = min(deadline, time.monotonic() + WAIT)
        while not self.features and time.monotonic() < quiet:
            self.talk.send("protover 2")
            again = min(quiet, time.monotonic() + REPEAT)
            with contextlib.suppress(_Quiet):
                while not self.features:
                    self._features(self._line(again, must=False))
        with contextlib.suppress(_Quiet):
            while self.features and self.features.get("done") != "1":
                # `done=0` asks for patience.
                patient = self.features.get("done") == "0"
                self._features(self._line(deadline if patient else quiet, patient))
        for name, value in self.settings(self.declared):
            self.talk.send(f"option {name}={value}")

    def _line(self, deadline: float, must: bool) -> str:
        try:
            return self._hear(deadline)
        except PlayerFault as error:
            if error.reason == "time" and not must:
                raise _Quiet from None
            raise

    def _hear(self, deadline: float) -> str:
        """The next line without the prompt that a program may have written before it was told that nobody reads it."""
        return _PROMPT.sub("", self.talk.receive(deadline), count=1)

    def _features(self, line: str, *, answer: bool = True) -> None:
        if not line.startswith("feature"):
            return
        for key, value in _FEATURE.findall(line):
            plain = value.strip('"')
            if key == "option":
                name, _, rest = plain.partition(" -")
                self.declared[name] = _read_declaration(rest)
            else:
                self.features[key] = plain
            if answer:
                self.talk.send(f"accepted {key}")

    def begin(self, game: Game[Any, Any], seat: int, deadline: float) -> None:
        """`new`, `force` and no thinking on our time; moves are sent when it is the program's turn."""
        for line in ("new", "force", "easy", "post"):
            self.talk.send(line)
        self._answer_ping(deadline)
        self._sent = ()

    def _answer_ping(self, deadline: float) -> None:
        if self.features.get("ping") != "1":
            return
        self._pings += 1  # so that a second answer to the last ping is not taken for one to this
        self.talk.send(f"ping {self._pings}")
        while self._hear(deadline) != f"pong {self._pings}":
            pass

    def ask(self, game: Game[Any, Any], state: Any, seat: int, turn: Turn, deadline: float) -> tuple[str, str]:
        """The clocks, the moves that the program does not know, `go`, and the move after `move`."""
        shuffled = self.is_shuffled(game, turn.start)
        texts = self._moves(game, turn, shuffled)
        known = self._sent or ()
        if known == ():
            self._set_up(game, turn.start, shuffled)
        said = "usermove " if self.features.get("usermove") == "1" else ""
        new = texts[len(known) :]
        running = len(known) > 0 and len(new) == 1  # it has moved before and goes on by itself after our move
        if not running:
            self.talk.send("force")
        for text in new[:-1] if running else new:
            self.talk.send(said + text)
        if not known:
            self._levels(turn)
        self._times(seat, turn)
        self.talk.send(said + new[-1] if running else "go")
        text, note = self._answer(deadline)
        self._sent = (*texts, text)
        return text, note

    def _set_up(self, game: Game[Any, Any], start: Any, shuffled: bool) -> None:
        """The variant and the position, where they are not the usual ones."""
        if shuffled:
            if "fischerandom" not in self.features.get("variants", "").split(","):
                raise PlayerFault("start", "it does not play Chess960 (variant fischerandom)")
            self.talk.send("variant fischerandom")
        if shuffled or not self.is_usual_start(game, start):
            if self.features.get("setboard") != "1":
                raise PlayerFault("start", "it cannot set up a position (feature setboard)")
            self.talk.send(f"setboard {self.position(game, start, chess960=shuffled)}")

    def _moves(self, game: Game[Any, Any], turn: Turn, shuffled: bool) -> list[str]:
        """All moves so far; in Chess960 the protocol writes castling as people do."""
        texts = [text for _, text in self.texts(game, turn)]
        state = turn.start
        for place, action in enumerate(turn.actions if shuffled else ()):
            said = game.action_text(state, action).rstrip("+#")
            if said in ("O-O", "O-O-O"):
                texts[place] = said
            state = game.result(state, action)
        return texts

    def _levels(self, turn: Turn) -> None:
        own, control = self.limits, turn.control
        seconds = own["time"] if own["time"] is not None else control.per_move
        if own["depth"] is not None:
            self.talk.send(f"sd {own['depth']}")
        if seconds is not None:
            # Whole seconds are all that the protocol promises.
            self.talk.send(f"st {seconds:g}" if seconds < 1 else f"st {int(seconds)}")
        elif control.seconds is not None:
            minutes, rest = divmod(round(control.seconds), 60)
            base = f"{minutes}:{rest:02d}" if rest else str(minutes)
            self.talk.send(f"level {control.moves or 0} {base} {control.increment:g}")
        elif own["depth"] is None:
            self.talk.send("st 1")

    def _times(self, seat: int, turn: Turn) -> None:
        if turn.remaining and self.features.get("time", "1") == "1":
            self.talk.send(f"time {round(100 * turn.remaining[seat])}")
            self.talk.send(f"otim {round(100 * turn.remaining[1 - seat])}")

    def _answer(self, deadline: float) -> tuple[str, str]:
        note = ""
        while True:
            line = self._hear(deadline)
            words = line.split()
            old = _OLD_MOVE.fullmatch(line)
            if len(words) == 2 and words[0] == "move":
                return words[1], note
            if old:
                return old[1], note
            if words[:1] == ["resign"]:
                return "resign", note
            if line.startswith("feature"):  # of a program that was slow to start
                self._features(line, answer=False)
            if line.startswith(("Illegal move", "Error")):
                raise PlayerFault("protocol", f"it answered '{line[:80]}'")
            if len(words) >= 4 and all(word.lstrip("-").isdigit() for word in words[:4]):
                note = f"depth {words[0]} score {words[1]} nodes {words[3]}"

    def give_up(self) -> None:
        """`?` (move now); the late move must not be taken for the answer to a later question."""
        self.talk.send("?")
        self._answer(time.monotonic() + GRACE)
        self.talk.send("force")


def _read_declaration(rest: str) -> Declared:
    """An option from what stands behind its name: `spin 3 0 9`, `check 1`, `combo one /// *two`."""
    kind, _, values = rest.partition(" ")
    numbers = re.findall(r"[+-]?\d{1,18}", values)
    if kind == "spin" and len(numbers) == 3:
        return Declared(kind, int(numbers[1]), int(numbers[2]))
    if kind == "combo":
        return Declared(kind, choices=tuple(word.strip().lstrip("*") for word in values.split("///")))
    return Declared(kind, choices=("0", "1") if kind == "check" else ())


class _Quiet(Exception):
    """The program says nothing, and need not."""
