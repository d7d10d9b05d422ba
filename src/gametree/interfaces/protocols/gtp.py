"""gametree as a Go program that speaks the Go Text Protocol, version 2 (Farnebäck, 2002).

Controllers may let a colour move twice (the other is taken to have passed) and go on after two passes (the engine
passes). Handicap stones are refused, which the protocol allows.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterable
from typing import Any, TextIO

from gametree import __version__
from gametree.core.errors import GametreeError, IllegalMove
from gametree.core.game import Game
from gametree.core.registry import load_game
from gametree.play.clocks import TimeControl, Turn
from gametree.play.players import RESIGN, Player, make_player

__all__ = ["GtpEngine"]

_COLORS = {"b": 0, "black": 0, "w": 1, "white": 1}


class _Refused(Exception):
    """The command fails with this text."""


class GtpEngine:
    """A conversation: the game as it stands, and the player that chooses our moves."""

    def __init__(self, player: str, *, size: int = 9, komi: float = 7.5, game: str = "go") -> None:
        self.player_name, self.size, self.komi, self._base = player, size, komi, game
        self.words: list[tuple[int, str]] = []
        """Colour and move of everything played."""
        self.control = TimeControl()
        self.left: dict[int, float] = {}
        self._commands: dict[str, Callable[..., str]] = {
            "protocol_version": lambda: "2",
            "name": lambda: "gametree",
            "version": lambda: __version__,
            "known_command": lambda name="": "true" if name in self._commands else "false",
            "list_commands": lambda: "\n".join(sorted(self._commands)),
            "quit": lambda: "",
            "boardsize": self._boardsize,
            "clear_board": self._clear_board,
            "komi": self._komi,
            "play": self._play,
            "genmove": self._genmove,
            "reg_genmove": lambda color: self._genmove(color, keep=False),
            "undo": self._undo,
            "showboard": self._showboard,
            "time_settings": self._time_settings,
            "time_left": self._time_left,
            "final_score": self._final_score,
            "gogui-analyze_commands": lambda: "string/Final score/final_score\nstring/Legal moves/gametree-legal",
            "gametree-legal": lambda: " ".join(self.game.action_text(self.state, a) for a in self._legal()),
        }
        self._set_up()

    def serve(self, lines: Iterable[str], output: TextIO) -> None:
        """Answer every command until `quit` or the end of the input."""
        for line in lines:
            answer = self.answer(line)
            if answer is not None:
                output.write(answer)
                output.flush()
            if re.match(r"\s*\d*\s*quit\s*$", line):
                break
        self.player.close()

    def answer(self, line: str) -> str | None:
        """The answer to one line; None for an empty line or a comment."""
        plain = re.sub(r"[\x00-\x08\x0b-\x1f\x7f]", "", line.replace("\t", " ")).partition("#")[0].strip()
        if not plain:
            return None
        words = plain.split()
        number = words.pop(0) if words[0].isdigit() else ""
        name = words.pop(0) if words else ""
        command = self._commands.get(name)
        if command is None:
            return f"?{number} unknown command\n\n"
        try:
            inspect.signature(command).bind(*words)
        except TypeError:
            return f"?{number} syntax error\n\n"
        try:
            return f"={number} {command(*words)}".rstrip() + "\n\n"
        except _Refused as refused:
            return f"?{number} {refused}\n\n"
        except GametreeError as error:
            return f"?{number} {error}\n\n"

    # The game ---------------------------------------------------------------------------------------------------------

    def _set_up(self) -> None:
        name = f"{self._base}:size={self.size},komi={self.komi:g}"
        self.game: Game[Any, Any] = load_game(name)
        self.player: Player = make_player(self.player_name, self.game)
        self._replay([])

    def _replay(self, words: list[tuple[int, str]]) -> None:
        self.words = []
        self.actions: list[Any] = []
        self.start = self.state = self.game.initial()
        self.player.start(self.game, 0, 1)
        for color, word in words:
            self._push(color, word)

    def _legal(self) -> Any:
        return () if self.game.is_terminal(self.state) else self.game.actions(self.state)

    def _push(self, color: int, word: str) -> None:
        """Play a move of the colour; a colour that moves twice makes the other pass. Raises _Refused."""
        game = self.game
        state, added = self.state, []
        steps = [word] if game.is_terminal(state) or game.player(state) == color else ["pass", word]
        for step in steps:
            if game.is_terminal(state):
                if step == "pass":
                    break  # passing on after the end changes nothing
                raise _Refused("illegal move")
            try:
                action = game.action_from_text(state, step)
            except IllegalMove:
                raise _Refused("illegal move") from None
            state = game.result(state, action)
            added.append(action)
        self.state = state
        self.actions += added
        self.words.append((color, word))

    def _boardsize(self, size: str) -> str:
        if not size.isdigit() or not 1 <= int(size) <= 25:
            raise _Refused("unacceptable size")
        before = self.size
        try:
            self.size = int(size)
            self._set_up()
        except GametreeError:
            self.size = before
            raise _Refused("unacceptable size") from None
        return ""

    def _clear_board(self) -> str:
        self._replay([])
        return ""

    def _komi(self, komi: str) -> str:
        try:
            number = round(2 * float(komi)) / 2
        except (ValueError, OverflowError):
            raise _Refused("syntax error") from None
        words, self.komi = self.words, number
        self._set_up()
        self._replay(words)
        return ""

    def _color(self, color: str) -> int:
        if color.lower() not in _COLORS:
            raise _Refused("syntax error")
        return _COLORS[color.lower()]

    def _play(self, color: str, vertex: str) -> str:
        word = vertex.lower()
        self._push(self._color(color), "pass" if word == "pass" else vertex.upper())
        return ""

    def _genmove(self, color: str, *, keep: bool = True) -> str:
        mover, game = self._color(color), self.game
        if game.is_terminal(self.state):
            return "pass"
        before = self.state, list(self.actions)
        if game.player(self.state) != mover:
            self.state = game.result(self.state, game.action_from_text(self.state, "pass"))
            self.actions.append(game.action_from_text(before[0], "pass"))
            if game.is_terminal(self.state):
                self.state, self.actions = before
                return "pass"
        turn = Turn(self.start, tuple(self.actions), self.control, self._remaining())
        choice = self.player.choose(game, self.state, mover, turn)
        if choice.action is RESIGN:
            self.state, self.actions = before
            return "resign"
        word = game.action_text(self.state, choice.action)
        self.state, self.actions = before
        if keep:
            self._push(mover, word)
        return word

    def _undo(self) -> str:
        if not self.words:
            raise _Refused("cannot undo")
        self._replay(self.words[:-1])
        return ""

    def _showboard(self) -> str:
        rows = self.game.state_text(self.state).split()[0].split("/")
        count = len(rows)
        letters = "ABCDEFGHJKLMNOPQRSTUVWXYZ"[: len(rows[0])]
        lines = [f"{count - place:>2} {' '.join(row)} {count - place}" for place, row in enumerate(rows)]
        return "\n".join(["", "   " + " ".join(letters), *lines, "   " + " ".join(letters)])

    def _final_score(self) -> str:
        state = self.state
        while not self.game.is_terminal(state):  # as the board stands: both pass
            state = self.game.result(state, self.game.action_from_text(state, "pass"))
        lead = self.game.utility(state, 0)
        if lead == 0:
            return "0"
        half = 0.5 if self.komi % 1 else 0.0  # which whole utilities have rounded away
        return f"{'B' if lead > 0 else 'W'}+{abs(lead) - half:g}"

    # Clocks -----------------------------------------------------------------------------------------------------------

    def _time_settings(self, main: str, byo_yomi: str, stones: str) -> str:
        try:
            seconds, period, moves = int(main), int(byo_yomi), int(stones)
        except ValueError:
            raise _Refused("syntax error") from None
        self.left = {}
        if period > 0 and moves == 0:
            self.control = TimeControl()  # the protocol's way to say: no limit
        elif period > 0:
            # Only the period is sure to come again, so it is what a move may take.
            self.control = TimeControl(per_move=period / moves)
        else:
            self.control = TimeControl(seconds=float(seconds)) if seconds > 0 else TimeControl()
        return ""

    def _time_left(self, color: str, seconds: str, stones: str) -> str:
        try:
            left = float(seconds)
            count = int(stones)
        except ValueError:
            raise _Refused("syntax error") from None
        self.left[self._color(color)] = left / count * 30 if count else left
        return ""

    def _remaining(self) -> tuple[float, ...]:
        if self.control.seconds is None:
            return ()
        return tuple(self.left.get(seat, self.control.seconds) for seat in (0, 1))
