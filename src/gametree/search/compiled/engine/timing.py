"""How long to think about one move, and thinking on the opponent's time."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

from gametree.core.errors import BadInput
from gametree.core.result import SearchResult
from gametree.search.support.run import Clock

__all__ = ["Pondering", "Steadiness", "time_for_move"]

_EXPECTED_MOVES = 25
"""How many moves a game is expected to go on for, where nobody says."""
_RESERVE_SECONDS = 0.4
"""Kept back for the way from the search to the clock, and for a machine that is busy with other work: a virtual one was
seen to stand still for 0.23 s."""
_MOST_SHARE = 0.35
"""Of what is left no move takes more than this, unless the time is renewed soon. So a clock with an increment comes to
rest at about three increments above the reserve, and a machine may stall for a moment."""


def time_for_move(
    remaining: float, *, increment: float = 0.0, moves_to_go: int | None = None, moves_left: int | None = None
) -> tuple[float, float]:
    """Seconds after which no deeper search should begin, and after which the search must end.

    `remaining` is the time on the clock, `increment` what each move adds, `moves_to_go` the moves until more time is
    added, `moves_left` the mover's moves until the game must be over (at most). The second number never uses the clock
    up. Raises BadInput.
    """
    if remaining <= 0:
        raise BadInput(f"{remaining:g} s on the clock are too few; expected more than 0.")
    if moves_to_go is not None and moves_to_go < 1:
        raise BadInput(f"{moves_to_go} moves to go are too few; expected at least 1.")
    moves = _EXPECTED_MOVES if moves_to_go is None else moves_to_go
    if moves_left is not None:
        moves = max(1, min(moves, moves_left))
    usable = max(remaining - _RESERVE_SECONDS, remaining * 0.04)
    share = min(usable / moves + 0.8 * increment, usable)
    most = share if moves <= 2 else min(4 * share, _MOST_SHARE * usable)
    # The next depth takes longer than all before it, so it is not worth beginning after half of the share.
    return min(0.55 * share, most), most


class Steadiness:
    """How much of the planned time a search needs: less if the best move stays the same from depth to depth, more if it
    has just changed.
    """

    def __init__(self) -> None:
        self._depth = 0
        self._move: int | None = None
        self._same = 0

    def note(self, depth: int, move: int) -> None:
        """The search has finished `depth` with this best move."""
        if depth > self._depth:
            self._same = self._same + 1 if move == self._move else 0
            self._depth, self._move = depth, move

    @property
    def share(self) -> float:
        """Between 0.6 and 1.5 of the planned time."""
        return max(0.6, 1.5 - 0.15 * self._same)


class Pondering:
    """A search that runs on the opponent's time, in a thread of its own, from the position that is expected next.

    `hit` when the expected move came: the search goes on for the time of the own move and keeps what it has found.
    `stop` when it did not. One of the two must be called.
    """

    def __init__(self, run: Callable[..., SearchResult], state: Any, **options: Any) -> None:
        self.state = state
        self._clock = Clock()  # without limit until the predicted move is played
        self._result: SearchResult | None = None
        self._error: BaseException | None = None

        def work() -> None:
            try:
                self._result = run(state, clock=self._clock, **options)
            except BaseException as error:
                self._error = error

        self._thread = threading.Thread(target=work, name="gametree-ponder", daemon=True)
        self._thread.start()

    def hit(self, seconds: float) -> SearchResult:
        """The expected move was played: think for `seconds` more and answer."""
        if seconds > 0:
            self._clock.limit(seconds)
        else:
            self._clock.stop()
        return self._wait()

    def stop(self) -> SearchResult:
        """Another move was played: end the search and return what it found; the table keeps what can still be used."""
        self._clock.stop()
        return self._wait()

    def _wait(self) -> SearchResult:
        self._thread.join()
        if self._error is not None:
            raise self._error
        assert self._result is not None
        return self._result
