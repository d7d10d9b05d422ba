"""A client of the Go Text Protocol, version 2 (Farnebäck, 2002), for Go and other games that programs play over it.

Games that are no Go get the game's own move texts; boards that are not square and positions that are not reached by
moves have no words in GTP.
"""

from __future__ import annotations

import time
from typing import Any

from gametree.core.errors import BadInput
from gametree.core.game import Game
from gametree.play.clocks import Turn
from gametree.play.engines.client import Client
from gametree.play.player_names import PlayerName, fault
from gametree.play.players import PlayerFault

__all__ = ["GtpPlayer"]

COLORS = ("black", "white")


class GtpPlayer(Client):
    """A program that speaks GTP."""

    def __init__(self, name: PlayerName, game: Game[Any, Any]) -> None:
        self.check_alternates("GTP", game)
        super().__init__(name, game)
        for option in self.options.values():
            fault(self.name, option.at, 'GTP has no options; give them to the program, as in gtp:"PROGRAM -x".')
        self.commands: set[str] = set()
        """Commands that the program knows."""
        self._number = 0
        self._colors: tuple[str, ...] = COLORS

    def greet(self, deadline: float) -> None:
        """Learn which commands the program knows."""
        self._number = 0
        self._command("protocol_version", deadline)
        self.commands = set(self._command("list_commands", deadline).split())
        missing = {"boardsize", "clear_board", "play", "genmove"} - self.commands
        if missing:
            raise PlayerFault("protocol", f"it does not know the commands {', '.join(sorted(missing))}")

    def begin(self, game: Game[Any, Any], seat: int, deadline: float) -> None:
        """`boardsize`, `clear_board` and `komi`, where the game has them."""
        drawing = game.draw(game.initial())
        # White begins in Havannah, the game whose size is not its number of rows.
        self._colors = COLORS if game.board_size is None else COLORS[::-1]
        if game.board_size is not None:
            self._command(f"boardsize {game.board_size}", deadline)
        elif drawing.rows:
            if drawing.rows != drawing.columns:
                raise BadInput(f"GTP has no words for a board of {drawing.rows} × {drawing.columns} points.")
            self._command(f"boardsize {drawing.rows}", deadline)
        self._command("clear_board", deadline)
        if game.komi is not None and "komi" in self.commands:
            self._command(f"komi {float(game.komi):g}", deadline)
        self._sent = ()

    def ask(self, game: Game[Any, Any], state: Any, seat: int, turn: Turn, deadline: float) -> tuple[str, str]:
        """`play` what the program has not seen, then `genmove`."""
        if turn.start != game.initial():
            raise PlayerFault("start", "GTP cannot set up a position that no moves have led to")
        said = self.texts(game, turn)
        known = len(self._sent or ())
        for mover, text in said[known:]:
            self._command(f"play {self._colors[mover]} {text}", deadline)
        self._clocks(seat, turn, deadline)
        answer = self._command(f"genmove {self._colors[seat]}", deadline).strip()
        self._sent = (*said, answer)
        return answer.lower() if answer.lower() in ("resign", "pass") else answer, ""

    def _clocks(self, seat: int, turn: Turn, deadline: float) -> None:
        if "time_settings" not in self.commands:
            return
        control, seconds = turn.control, self.limits["time"] or turn.control.per_move
        if seconds is not None:
            # Byo-yomi of one move; whole seconds are all that the protocol has.
            self._command(f"time_settings 0 {max(1, int(seconds))} 1", deadline)
        elif control.seconds is not None:
            if not self._sent:
                self._command(f"time_settings {max(1, round(control.seconds))} 0 0", deadline)
            if "time_left" in self.commands:
                for color, left in zip(self._colors, turn.remaining, strict=True):
                    self._command(f"time_left {color} {max(0, int(left))} 0", deadline)

    def _command(self, text: str, deadline: float) -> str:
        """Send a numbered command and return its answer; a late answer to an earlier one would show by its number."""
        self._number += 1
        self.talk.send(f"{self._number} {text}", within=max(0.1, deadline - time.monotonic()))
        line = ""
        while not line.startswith(("=", "?")):
            line = self.talk.receive(deadline)  # blank lines, and what programs say on the wrong stream
        mark, number, answer = line[0], *_split(line[1:])
        lines = [answer]
        while more := self.talk.receive(deadline):
            lines.append(more)
        if number != str(self._number):
            raise PlayerFault("protocol", f"it answered '{line[:40]}' to command {self._number}")
        if mark == "?":
            raise PlayerFault("protocol", f"it refused '{text}': {answer[:80]}")
        return "\n".join(lines)


def _split(rest: str) -> tuple[str, str]:
    digits = len(rest) - len(rest.lstrip("0123456789"))
    return rest[:digits], rest[digits:].strip()
