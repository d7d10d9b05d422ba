"""gametree as a Go program that speaks the Go Text Protocol, version 2 (Farnebäck, 2002).

Controllers may let a colour move twice (the other is taken to have passed) and go on after two passes (the engine
passes). Handicap stones are refused, which the protocol allows.

Hex and Havannah are spoken as HexGui and Morat speak them: cells by their names, `swap-pieces` (Havannah: `swap`) if
`param_game allow_swap 1` has been said, `all_legal_moves`, and `final_score` with the winner alone. There nobody passes
and no colour moves twice. The swap changes the stone, not who plays which colour.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterable
from typing import Any, TextIO

from gametree import __version__
from gametree.core.drawing_text import drawing_text
from gametree.core.errors import BadInput, GametreeError, IllegalMove
from gametree.core.game import Game
from gametree.core.registry import load_game
from gametree.play.clocks import TimeControl, Turn
from gametree.play.players import RESIGN, Player, make_player

__all__ = ["USUAL_SIZES", "GtpEngine"]

USUAL_SIZES = {"go": 9, "hex": 11, "havannah": 8}
"""The games that are spoken, and how large their boards are until the controller says otherwise."""


class _Refused(Exception):
    """The command fails with this text."""


class GtpEngine:
    """A conversation: the game as it stands, and the player that chooses our moves."""

    def __init__(self, player: str, *, size: int | None = None, komi: float = 7.5, game: str = "go") -> None:
        if game not in USUAL_SIZES:
            raise BadInput(f"GTP has no words for {game}; expected {', '.join(USUAL_SIZES)}.")
        self.player_name, self.komi, self._base = player, komi, game
        self.size = USUAL_SIZES[game] if size is None else size
        self.swap = False
        self._letters = "wb" if game == "havannah" else "bw"  # of seats 0 and 1
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
        if game != "go":
            del self._commands["komi"]
            self._commands |= {
                "all_legal_moves": self._commands["gametree-legal"],
                "hexgui-analyze_commands": self._commands["gogui-analyze_commands"],
                "param_game": self._param_game,
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
        more = f"komi={self.komi:g}" if self._base == "go" else f"swap={str(self.swap).lower()}"
        name = f"{self._base}:size={self.size},{more}"
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
        in_turn = game.is_terminal(state) or game.player(state) == color
        if not in_turn and self._base != "go":
            raise _Refused("it is the other colour's turn")
        steps = [word] if in_turn else ["pass", word]
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
        letter = color.lower()[:1]
        if color.lower() not in ("b", "black", "w", "white"):
            raise _Refused("syntax error")
        return self._letters.index(letter)

    def _param_game(self, name: str = "", value: str = "") -> str:
        """The rules that can be chosen: whether the second player may swap. It begins a new game."""
        if not name:
            return f"[bool] allow_swap {int(self.swap)}"
        if name != "allow_swap" or value not in ("0", "1"):
            raise _Refused("syntax error")
        self.swap = value == "1"
        self._set_up()
        return ""

    def _play(self, color: str, vertex: str) -> str:
        word = vertex.lower()
        self._push(self._color(color), "pass" if word == "pass" else vertex.upper() if self._base == "go" else word)
        return ""

    def _genmove(self, color: str, *, keep: bool = True) -> str:
        mover, game = self._color(color), self.game
        if game.is_terminal(self.state):
            if self._base != "go":
                raise _Refused("the game is over")
            return "pass"
        if game.player(self.state) != mover and self._base != "go":
            raise _Refused("it is the other colour's turn")
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
        if self._base != "go":
            return "\n" + drawing_text(self.game.draw(self.state))
        rows = self.game.state_text(self.state).split()[0].split("/")
        count = len(rows)
        letters = "ABCDEFGHJKLMNOPQRSTUVWXYZ"[: len(rows[0])]
        lines = [f"{count - place:>2} {' '.join(row)} {count - place}" for place, row in enumerate(rows)]
        return "\n".join(["", "   " + " ".join(letters), *lines, "   " + " ".join(letters)])

    def _final_score(self) -> str:
        state = self.state
        if self._base != "go":
            if not self.game.is_terminal(state):
                raise _Refused("cannot score")
            lead = self.game.utility(state, 0)
            return "0" if lead == 0 else f"{self._letters[lead < 0].upper()}+"
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
