"""What the clients of all protocols share: starting a program when it is needed, and giving it up when it fails."""

from __future__ import annotations

import contextlib
import re
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from gametree.core.errors import BadInput, GametreeError, UnknownName, suggest
from gametree.core.format import move_format, position_format
from gametree.core.game import Game
from gametree.formats.pgn import CLASSICAL
from gametree.play.clocks import Turn
from gametree.play.engines.process import Conversation, find_program
from gametree.play.player_names import Option, PlayerName, fault
from gametree.play.players import RESIGN, Choice, PlayerFault, limit

__all__ = ["CLASSICAL", "PATIENCE", "START", "Client", "Declared", "needs_chess960"]

START = 10.0
"""Seconds that a program may take to start; the option `start` of its name changes it."""
PATIENCE = 60.0
"""Seconds that a program may take for a move where no clock runs; the option `patience` changes it."""
GRACE = 1.0
"""Seconds after the fall of its flag in which a program may still answer, so that it can go on with the next game."""


_OWN = {"time": float, "nodes": int, "depth": int, "start": float, "patience": float}


@dataclass(frozen=True)
class Declared:
    """An option as a program declares it: `spin`, `check`, `combo`, or a kind that takes any value."""

    kind: str
    low: int | None = None
    high: int | None = None
    choices: tuple[str, ...] = ()
    """The values of a check or combo."""

    def expected(self, value: str) -> str:
        """What the program takes in place of the value; nothing if it takes the value."""
        if self.kind == "spin":
            number = int(value) if re.fullmatch(r"[+-]?\d{1,18}", value) else None
            low, high = self.low, self.high
            if number is not None and (low is None or number >= low) and (high is None or number <= high):
                return ""
            ends = (f" from {low}" if low is not None else "") + (f" to {high}" if high is not None else "")
            return f"a whole number{ends}"
        if self.choices and value.casefold() not in map(str.casefold, self.choices):
            return f"one of {', '.join(self.choices)}"
        return ""


class Client:
    """A player that is another program. Subclasses speak a protocol.

    A program that fails (crash, flood, silence, nonsense) loses the game with a PlayerFault that says why, is killed,
    and is started again for its next game.
    """

    farewell = "quit"

    def __init__(self, name: PlayerName, game: Game[Any, Any]) -> None:
        self.name = name.text
        self.limits: dict[str, Any] = dict.fromkeys(_OWN)
        self.options: dict[str, Option] = {}
        for option in name.options:
            if option.key in _OWN:
                self.limits[option.key] = limit(name.text, option, _OWN[option.key])
            else:
                self.options[option.key] = option
        self._program = find_program(name.command)
        self._talk: Conversation | None = None
        self._sent: tuple[Any, ...] | None = None  # what the program knows of the game
        self._script: _Script | None = None
        self._shuffled: tuple[Any, bool] | None = None

    # For subclasses ---------------------------------------------------------------------------------------------------

    def greet(self, deadline: float) -> None:
        """Speak to a program that has just been started, until it is ready."""
        raise NotImplementedError

    def begin(self, game: Game[Any, Any], seat: int, deadline: float) -> None:
        """Announce a new game."""
        raise NotImplementedError

    def ask(self, game: Game[Any, Any], state: Any, seat: int, turn: Turn, deadline: float) -> tuple[str, str]:
        """The program's move as text, or `resign`, and what it said about it. Raises PlayerFault."""
        raise NotImplementedError

    def give_up(self) -> None:
        """The flag has fallen: bring the program back to where a new game can begin, or raise PlayerFault."""
        raise PlayerFault("time", "it did not answer in time")

    def settings(self, declared: Mapping[str, Declared]) -> Iterator[tuple[str, str]]:
        """Name, as the program spells it, and value of every option. Raises BadInput, which points at the character."""
        known = {name.casefold(): name for name in declared}
        for option in self.options.values():
            name = known.get(option.key.casefold())
            if name is None:
                problem = f"the program has no option '{option.key}'.{suggest(option.key, declared)}"
                fault(self.name, option.at, problem, UnknownName)
            expected = declared[name].expected(option.value)
            if expected:
                fault(self.name, option.value_at, f"{name} cannot be '{option.value}'; the program takes {expected}.")
            yield name, option.value

    @property
    def talk(self) -> Conversation:
        """The running program."""
        assert self._talk is not None
        return self._talk

    def try_options(self) -> None:
        """If the name gives the program options, start it and try them. Raises BadInput if it does not take them.

        A program that fails in another way does so again in its games, which end with the reason.
        """
        if self.options:
            with contextlib.suppress(PlayerFault):
                self._talk = Conversation(self._program)
                self.greet(time.monotonic() + (self.limits["start"] or START))

    # The player -------------------------------------------------------------------------------------------------------

    def start(self, game: Game[Any, Any], seat: int, seed: int) -> None:
        """Start the program if it does not run, and announce the game. Raises PlayerFault."""
        seconds = self.limits["start"] or START
        self._sent = None
        try:
            deadline = time.monotonic() + seconds
            if self._talk is None or not self._talk.alive:
                self._stop()
                self._talk = Conversation(self._program)
                self.greet(deadline)
            self.begin(game, seat, deadline)
        except PlayerFault as error:
            self._stop()
            if error.reason == "time":
                raise PlayerFault("start", f"it was not ready within {seconds:g} s") from None
            if error.reason == "crash":
                raise PlayerFault("start", "it ended before it was ready") from None
            raise
        except BaseException:
            self._stop()
            raise

    def choose(self, game: Game[Any, Any], state: Any, seat: int, turn: Turn | None = None) -> Choice:
        """Ask the program. Raises PlayerFault for whatever goes wrong, an illegal move included."""
        turn = turn or Turn(state, ())
        if self._talk is None:
            self.start(game, seat, 0)
        allowed = turn.deadline(seat)
        # A little more than the flag allows: the referee judges by its own clock.
        seconds = self.limits["patience"] or PATIENCE if allowed is None else allowed + turn.margin + 0.2
        if allowed is None and self.limits["time"] is not None:
            seconds = max(seconds, self.limits["time"] + 10)
        try:
            text, note = self.ask(game, state, seat, turn, time.monotonic() + seconds)
        except PlayerFault as error:
            self._recover(error)
            raise
        except BaseException:
            self._stop()
            raise
        if text == "resign":
            return Choice(RESIGN, note=note)
        try:
            return Choice(self.read_move(game, state, text), note=note)
        except GametreeError as error:
            raise PlayerFault("illegal", f"it answered '{text[:40]}': {error}") from None

    def read_move(self, game: Game[Any, Any], state: Any, text: str) -> Any:
        """The action that the program's text means. Raises IllegalMove."""
        return game.action_from_text(state, text)

    def _recover(self, error: PlayerFault) -> None:
        if error.reason == "time" and self._talk is not None:
            try:
                self.give_up()
                return
            except PlayerFault:
                pass
        self._stop()

    def _stop(self) -> None:
        if self._talk is not None:
            self._talk.close()
            self._talk = None

    def close(self) -> None:
        """End the program."""
        if self._talk is not None:
            self._talk.close(self.farewell)
            self._talk = None

    def texts(self, game: Game[Any, Any], turn: Turn, *, chess960: bool = False) -> Sequence[tuple[int, str]]:
        """Seat and text of every action of the game so far.

        A game that writes moves for people in another way than for programs offers the notation `uci`.
        """
        if self._script is None or not self._script.is_of(game, turn, chess960):
            self._script = _Script(game, turn.start, chess960)
        self._script.write(turn.actions)
        return self._script.said

    def is_shuffled(self, game: Game[Any, Any], start: Any) -> bool:
        """`needs_chess960`, asked once of every start."""
        if self._shuffled is None or self._shuffled[0] != start:
            self._shuffled = start, needs_chess960(game, start)
        return self._shuffled[1]

    @staticmethod
    def position(game: Game[Any, Any], state: Any, *, chess960: bool = False) -> str:
        """The position for programs: as FEN where the game offers that, else as the game writes it."""
        return position_format(game, *(("shredder-fen", "fen") if chess960 else ("fen",))).write(state)

    @classmethod
    def is_usual_start(cls, game: Game[Any, Any], state: Any) -> bool:
        """Whether a program that has been told of a new game and nothing else has this position before it.

        All programs of chess begin with the classical set-up, even if our game is told to begin with another one.
        """
        return cls.position(game, state) == CLASSICAL if "fen" in game.formats else bool(state == game.initial())

    @staticmethod
    def check_alternates(protocol: str, game: Game[Any, Any]) -> None:
        """Refuse games that the protocol has no words for. Raises BadInput."""
        facts = game.facts
        if facts.players != 2 or facts.chance or facts.hidden or facts.simultaneous:
            raise BadInput(
                f"{protocol} has no words for {game.name}; expected a game of two players, all seen, without chance."
            )


class _Script:
    """A game as text that grows with it, so that no move costs more than the last."""

    def __init__(self, game: Game[Any, Any], start: Any, chess960: bool) -> None:
        self._game, self._start, self._chess960 = game, start, chess960
        self._state = start
        self._actions: list[Any] = []
        self.said: list[tuple[int, str]] = []

    def is_of(self, game: Game[Any, Any], turn: Turn, chess960: bool) -> bool:
        """Whether the turn's game goes on from here."""
        same = game is self._game and turn.start == self._start and chess960 == self._chess960
        return same and list(turn.actions[: len(self._actions)]) == self._actions

    def write(self, actions: Sequence[Any]) -> None:
        """Add those of the actions that are new."""
        game = self._game
        text = move_format(game, *(("uci-960", "uci") if self._chess960 else ("uci",))).write
        for action in actions[len(self._actions) :]:
            self.said.append((game.player(self._state), text(self._state, action)))
            self._actions.append(action)
            self._state = game.result(self._state, action)


def needs_chess960(game: Game[Any, Any], state: Any) -> bool:
    """Whether castling in this position needs the words of Chess960: a right without king on e or rook on a or h."""
    if "shredder-fen" not in game.formats:
        return False
    board, _, rights = game.formats["shredder-fen"].write(state).split()[:3]
    ranks = [re.sub(r"\d", lambda empty: "." * int(empty[0]), rank) for rank in board.split("/")]
    kings = {"K" if right.isupper() else "k" for right in rights if right != "-"}
    return not set(rights) <= set("HAha-") or any(king not in (ranks[7][4], ranks[0][4]) for king in kings)
