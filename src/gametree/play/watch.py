"""Nobody may think for ever: a player inside this process is interrupted, and a process that cannot be is ended.

Programs have a watch of their own (`gametree.play.engines`), and a person may take all the time there is. Everyone else
is called through a `Watch`: an alarm of the operating system interrupts Python code that goes on too long. Code that
does not let itself be interrupted can only be ended with its process, by whoever has started that process: for it the
watch writes on a board in shared memory until when it should have answered.
"""

from __future__ import annotations

import contextlib
import signal
import threading
import time
from collections.abc import Callable, MutableSequence
from typing import Any

from gametree.play.engines.client import Client
from gametree.play.players import HumanPlayer, Player, RandomPlayer

__all__ = ["BOARD", "PATIENCE", "SPARE", "Overdue", "Watch", "is_watched", "overdue"]

PATIENCE = 600.0
"""Seconds that a player may take for a move where no clock runs, and to get ready for a game."""
SPARE = 2.0
"""Seconds beyond the fall of the flag before a player is interrupted, so that it may end its move by itself."""
AGAIN = 1.0
"""Seconds between alarms for a player that goes on nevertheless."""
LAST = 5.0
"""Seconds that a player which does not let itself be interrupted has left."""
BOARD = 3
"""Numbers on a board: the time of the monotonic clock when the answer is due (0 for none), the game, the seat."""


class Overdue(BaseException):
    """The player has not answered. No Exception, so that a player that catches those does not catch it by mistake."""


def is_watched(player: Player) -> bool:
    """Whether the player could think for ever."""
    return not isinstance(player, HumanPlayer | RandomPlayer | Client)


def overdue(board: MutableSequence[float]) -> tuple[int, int] | None:
    """The game and seat on another process's board that will not be answered any more; None if all is well."""
    due, number, seat = board
    return (int(number), int(seat)) if due and time.monotonic() > due + LAST else None


class Watch:
    """Calls players, one at a time. Alarms work in the main thread only; elsewhere there is only the board."""

    def __init__(self, board: MutableSequence[float] | None = None) -> None:
        self._board = board
        self._on = False
        self.number = 0
        """The game that is being played."""
        self.interrupted = False
        """Whether a player has been interrupted, which may have left it in disorder."""

    def call(self, seat: int, seconds: float, ask: Callable[[], Any]) -> Any:
        """What `ask` returns. Raises Overdue if it has not returned after this many seconds."""
        alarm = hasattr(signal, "setitimer") and threading.current_thread() is threading.main_thread()
        before = signal.signal(signal.SIGALRM, self._ring) if alarm else None
        if self._board is not None:
            self._board[1], self._board[2] = self.number, seat
            self._board[0] = time.monotonic() + seconds
        try:
            self._on = True
            if alarm:
                signal.setitimer(signal.ITIMER_REAL, seconds, AGAIN)
            return ask()
        finally:
            self._on = False
            if alarm:
                signal.setitimer(signal.ITIMER_REAL, 0)
                signal.signal(signal.SIGALRM, before or signal.SIG_DFL)
            if self._board is not None:
                self._board[0] = 0.0

    def _ring(self, *_: object) -> None:
        if self._on:
            self.interrupted = True
            raise Overdue

    def close(self, player: Player) -> None:
        """Let the player go, even if it does not want to."""
        with contextlib.suppress(Overdue):
            if is_watched(player):
                self.call(0, LAST, player.close)
            else:
                player.close()
