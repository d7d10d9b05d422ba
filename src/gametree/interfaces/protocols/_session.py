"""What UCI and XBoard share: one game with one engine, the position, the options, and a thread that thinks.

A session reads nothing and writes nothing. A protocol tells it what to do from one thread; the search runs in another,
and what it finds comes back through two callbacks, which run in that other thread: `report` now and then, `answer`
exactly once for every `think`.

Nothing is imported or compiled before `load`, so that a protocol can introduce itself at once.
"""

from __future__ import annotations

import contextlib
import gc
import os
import queue
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from gametree.core.clock import Clock
from gametree.core.errors import GametreeError, IllegalMove
from gametree.core.format import move_format
from gametree.core.game import Game
from gametree.core.result import SearchResult

if TYPE_CHECKING:
    from gametree.knowledge import Book
    from gametree.play.strength import LimitedEngine
    from gametree.search.compiled.engine import Engine

__all__ = ["Answer", "Limits", "Line", "Report", "Session"]

_GIVE_UP_SECONDS = 2.0
"""How long the end of a session waits for a search to end."""
_FORCED_SECONDS = 0.02
"""For a move that is the only one."""
_MOST_LAG_SECONDS = 1.0
"""More than this is no lag."""
_LEAST_SECONDS = 0.001
"""The shortest search."""
_SPARE_MOVES = 10
"""This many more moves should always be possible, at what a move loses on its way."""


@dataclass(frozen=True, kw_only=True)
class Limits:
    """What ends a search. With nothing given only `stop` does, or the end of what there is to search."""

    depth: int | None = None
    nodes: int | None = None
    mate: int | None = None
    """Until a win in this many moves is found."""
    seconds: float | None = None
    """For this move."""
    remaining: float | None = None
    """Seconds on the clock of the side to move, of which the session takes its share."""
    increment: float = 0.0
    moves_to_go: int | None = None
    infinite: bool = False
    """No answer before `stop`, even if there is nothing left to search."""
    ponder: bool = False
    """The time limits begin, and an answer may be given, after `hit`."""
    moves: tuple[Any, ...] = ()
    """Only these moves of the root; empty: all."""


@dataclass(frozen=True)
class Line:
    """A variation: how deep it was searched in full, and what it is worth to the side to move, as a value or a mate."""

    depth: int
    value: float
    mate: int | None
    moves: tuple[Any, ...]


@dataclass(frozen=True)
class Report:
    """How far a search is: its lines, the best one first."""

    lines: tuple[Line, ...]
    seldepth: int
    nodes: int
    seconds: float
    hashfull: int


@dataclass(frozen=True)
class Answer:
    """What a search ended with: the move, the reply that it expects, the last report, and what went wrong, if it did.

    `move` is None where there is no legal move.
    """

    move: Any
    reply: Any = None
    report: Report | None = None
    trouble: str = ""


class _Thinking:
    """One search: its limits, its clock, and whether its answer may be given."""

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self.clock = Clock(nodes=limits.nodes)
        self.may_answer = threading.Event()
        self.over = False
        """Nothing is searched any more; set before the answer is given, because the next command may come at once."""
        self.done = threading.Event()
        """The answer is given."""
        self.lock = threading.Lock()
        self.waits = limits.ponder
        if not (limits.infinite or limits.ponder):
            self.may_answer.set()


class _Lag:
    """How much longer a move takes on the clock than in the engine, learned from what the clock shows at each move."""

    def __init__(self) -> None:
        self.seconds = 0.0
        self._expected: tuple[int, float] | None = None  # the seat, and what its clock should show at its next move

    def note_clock(self, seat: int, remaining: float) -> None:
        """The seat is to move and has so much left."""
        if self._expected is not None and self._expected[0] == seat:
            lost = self._expected[1] - remaining
            if 0 <= lost <= _MOST_LAG_SECONDS:  # otherwise it is another game, or new time was added
                self.seconds = max(lost, 0.8 * self.seconds)
        self._expected = None

    def note_move(self, seat: int, limits: Limits, elapsed: float) -> None:
        """The seat has moved after thinking for so long."""
        if limits.remaining is not None:
            self._expected = (seat, limits.remaining - elapsed + limits.increment)


class Session:
    """A conversation's game and engine. `tell` is called with what happens while it is loaded: code is compiled, or a
    book cannot be used.
    """

    def __init__(self, game: str = "chess", *, tell: Callable[[str], None] | None = None) -> None:
        self.name = game
        self.table_mib = 64
        self.threads = 1
        self.lines = 1
        self.elo: int | None = None
        """Play as a player of this rating; None: at full strength."""
        self.overhead = 0.03
        """Seconds of every move that are lost on the way to whoever holds the clock."""
        self.chess960 = False
        self._tell = tell
        self._game: Game[Any, Any] | None = None
        self._engine: Engine | None = None
        self._weak: LimitedEngine | None = None
        self._book_name: str | None = None
        self._book: Book | None = None
        self._thinking: _Thinking | None = None
        self._jobs: queue.SimpleQueue[Callable[[], None]] | None = None
        self._lag = _Lag()
        self._start_text: str | None = None
        self._words: list[str] = []
        self._states: list[Any] = []
        self._actions: list[Any] = []

    # Loading ----------------------------------------------------------------------------------------------------------

    @property
    def game(self) -> Game[Any, Any]:
        """The rules, loaded when they are first needed. Raises UnknownName, BadInput, UnfitGame."""
        if self._game is None:
            from gametree.core.registry import load_game
            from gametree.kernels.waiting import on_compile

            on_compile(self._tell)
            self._game = load_game(self.name)
        return self._game

    def load(self) -> None:
        """Load everything that a search needs, or compile it, once. Raises UnfitGame, BadInput."""
        if self._engine is not None:
            return
        from gametree.search.compiled.engine import Engine

        game = self.game
        start = game.initial()
        action = game.actions(start)[0]
        self.find(start, self.write(start, action))
        game.result(start, action)
        Engine(game, table_mib=1).search(start, depth=1)
        self._engine = Engine(game, table_mib=self.table_mib, threads=self.threads)
        self._engine.forget()  # so that its memory is there before the clock runs
        gc.freeze()  # what is there now stays, so nobody need look at it again
        try:
            self.use_book(self._book_name)
        except GametreeError as error:  # it plays without
            if self._tell is not None:
                self._tell(str(error))

    def use_book(self, name: str | None) -> None:
        """Take moves from the opening book of this name (None: from no book), from `load` on.

        Raises BadInput, UnfitGame.
        """
        self._book_name, self._book = name, None
        if name is not None and self._engine is not None:
            from gametree.knowledge import open_book

            self._book = open_book(name, self.game)

    def resize(self, *, table_mib: int | None = None, threads: int | None = None) -> None:
        """Change the size of the table, or the number of threads, which cannot be more than the machine has.

        Raises BadInput; then all stays as it was.
        """
        mib, count = table_mib or self.table_mib, min(threads or self.threads, os.cpu_count() or 1)
        if self._engine is not None:
            from gametree.search.compiled.engine import Engine

            self._engine = Engine(self.game, table_mib=mib, threads=count)
            self._engine.forget()
        self.table_mib, self.threads = mib, count

    def forget(self) -> None:
        """A new game: nothing of the last one is remembered."""
        if self._engine is not None:
            self._engine.forget()

    # The position -----------------------------------------------------------------------------------------------------

    @property
    def state(self) -> Any:
        """The position."""
        if not self._states:
            self.set_up()
        return self._states[-1]

    @property
    def actions(self) -> Sequence[Any]:
        """What was played since the position was set up."""
        return self._actions

    def set_up(self, position: str | None = None, words: Sequence[str] = ()) -> None:
        """Take a position (None: the start of the game) and play moves from there, all or nothing.

        A game that goes on from the last one is not played again. Raises BadInput, IllegalMove; then all stays as it
        was.
        """
        if self._states and position == self._start_text:
            pairs = enumerate(zip(words, self._words, strict=False))
            known = next((place for place, (new, old) in pairs if new != old), min(len(words), len(self._words)))
            states, actions = self._states[: known + 1], self._actions[:known]
        else:
            known, game = 0, self.game
            states, actions = [game.initial() if position is None else game.state_from_text(position)], []
        for place, word in enumerate(words[known:], known + 1):
            try:
                action = self.find(states[-1], word)
            except IllegalMove as error:
                raise IllegalMove(f"Move {place}: {error}") from None
            actions.append(action)
            states.append(self.game.result(states[-1], action))
        self._start_text, self._words, self._states, self._actions = position, list(words), states, actions

    def play(self, word: str) -> Any:
        """Play one more move and return it. Raises IllegalMove."""
        state = self.state
        action = self.find(state, word)
        self._words.append(word)
        self._actions.append(action)
        self._states.append(self.game.result(state, action))
        return action

    def undo(self, count: int = 1) -> bool:
        """Take moves back; False, and nothing happens, if there are not that many."""
        if len(self._actions) < count:
            return False
        del self._states[-count:], self._actions[-count:], self._words[-count:]
        return True

    def find(self, state: Any, word: str) -> Any:
        """The move, also where the game is drawn by its rules but players may go on. Raises IllegalMove."""
        return move_format(self.game, "uci").read(state, word)

    def mover(self, state: Any) -> int:
        """The seat to move."""
        return self.game.player(state)

    def write(self, state: Any, action: Any) -> str:
        """The move as programs write it."""
        names = ("uci-960", "uci") if self.chess960 else ("uci",)
        return move_format(self.game, *names).write(state, action)

    def write_line(self, state: Any, moves: Sequence[Any]) -> list[str]:
        """A variation as programs write it."""
        words = []
        for move in moves:
            words.append(self.write(state, move))
            state = self.game.result(state, move)
        return words

    # Thinking ---------------------------------------------------------------------------------------------------------

    @property
    def thinking(self) -> bool:
        """Whether an answer is still to come."""
        return self._thinking is not None and not self._thinking.over

    def think(
        self,
        limits: Limits,
        *,
        report: Callable[[Report], None],
        answer: Callable[[Answer], None],
        state: Any = None,
    ) -> None:
        """Begin to search the position, or `state`. Raises what `load` raises; an earlier search is ended first."""
        self.stop()
        self.wait()
        self.load()
        position = self.state if state is None else state
        seat = self.mover(position)
        if limits.remaining is not None and not limits.ponder:
            self._lag.note_clock(seat, limits.remaining)
        thinking = self._thinking = _Thinking(limits)

        def work() -> None:
            try:
                with _no_collection():
                    try:
                        found = self._search(thinking, position, report)
                    except Exception as error:  # an answer is owed whatever happened
                        moves = self.game.lenient_actions(position)
                        found = Answer(moves[0] if moves else None, trouble=f"{type(error).__name__}: {error}")
                    if found.report is not None and not thinking.may_answer.is_set():
                        report(found.report)  # the answer may be long in coming
                    thinking.may_answer.wait()
                    if not limits.ponder:
                        self._lag.note_move(seat, limits, thinking.clock.elapsed())
                    thinking.over = True
                    answer(found)
            finally:
                thinking.done.set()

        if self._jobs is None:
            self._jobs = queue.SimpleQueue()
            threading.Thread(target=_work_off, args=(self._jobs,), name="gametree-thinking", daemon=True).start()
        self._jobs.put(work)

    def stop(self) -> None:
        """Answer at once."""
        thinking = self._thinking
        if thinking is not None:
            thinking.clock.stop()
            thinking.may_answer.set()

    def hit(self, limits: Limits | None = None) -> None:
        """The expected move was played: a search that was begun with `ponder` now has the time of its limits, or of
        these.
        """
        thinking = self._thinking
        if thinking is None or not thinking.waits:
            return
        with thinking.lock:
            thinking.waits = False
            if limits is not None:
                thinking.limits = limits
            soft, hard = self._time(thinking.limits)
            if hard is not None:
                # The share of a move; what was thought before comes on top of it.
                thinking.clock.limit(hard if soft is None else min(hard, 2 * soft))
        if not thinking.limits.infinite:
            thinking.may_answer.set()

    def wait(self, seconds: float | None = None) -> bool:
        """Wait until the answer is given; False if that takes longer."""
        return self._thinking is None or self._thinking.done.wait(seconds)

    def close(self) -> None:
        """End whatever is going on."""
        self.stop()
        self.wait(_GIVE_UP_SECONDS)

    def _time(self, limits: Limits) -> tuple[float | None, float | None]:
        """Seconds after which no deeper search begins, and after which the search must end."""
        from gametree.search.compiled.engine import time_for_move

        soft = hard = None
        if limits.seconds is not None:
            hard = max(limits.seconds - self.overhead, limits.seconds / 2, _LEAST_SECONDS)
        if limits.remaining is not None:
            # What moves lose on their way to the clock must be left on it: of this one, and of some that come after it.
            lag = self._lag.seconds
            to_go = None if limits.moves_to_go is None else max(1, limits.moves_to_go)
            spare = _SPARE_MOVES if to_go is None else min(_SPARE_MOVES, to_go - 1)
            left = max(limits.remaining - self.overhead - spare * lag, _LEAST_SECONDS)
            soft, most = time_for_move(left, increment=min(limits.increment, left), moves_to_go=to_go)
            # What it is known to lose is a part of its share.
            soft, most = (max(seconds - lag, _LEAST_SECONDS) for seconds in (soft, most))
            hard = most if hard is None else min(hard, most)
        return soft, hard

    def _search(self, thinking: _Thinking, position: Any, report: Callable[[Report], None]) -> Answer:
        clock = thinking.clock
        # Where whoever holds the clock lets a game go on that is drawn by its rules, a search would find no moves.
        legal = list(self.game.lenient_actions(position))
        state = self.game.lenient_state(position)
        if not legal or self.game.is_terminal(state):
            return Answer(legal[0] if legal else None)
        with thinking.lock:
            limits = thinking.limits
            soft, hard = (None, None) if thinking.waits or limits.infinite else self._time(limits)
            if hard is not None and limits.remaining is not None and len(legal) == 1:
                hard = min(hard, _FORCED_SECONDS)
            if hard is not None:
                clock.seconds = hard
        if self._book is not None and not (limits.moves or limits.infinite or limits.ponder):
            move = self._book.choose(position)
            if move is not None:
                return Answer(move)
        if self.elo is not None and not limits.infinite:
            return self._search_weakly(thinking, state)
        engine = self._engine
        assert engine is not None
        depth = limits.depth
        if limits.mate is not None:
            deepest = 2 * limits.mate + 6  # reductions may hide a mate from the first search that is deep enough
            depth = deepest if depth is None else min(depth, deepest)

        def progress(found: dict[str, Any]) -> None:
            mate = found["mate"]
            if limits.mate is not None and mate is not None and 0 < mate <= limits.mate:
                clock.stop()
            report(_report_progress(found))

        result = engine.search(
            state,
            depth=depth,
            clock=clock,
            lines=self.lines,
            moves=list(limits.moves) or None,
            soft_seconds=soft,
            progress=progress,
        )
        return _answer(self._report_result(result))

    def _search_weakly(self, thinking: _Thinking, state: Any) -> Answer:
        from gametree.play.strength import LimitedEngine, strength_of

        assert self.elo is not None
        if self._weak is None or self._weak.strength.elo != self.elo:
            self._weak = LimitedEngine(self.game, strength_of(self.elo))
        _, result = self._weak.choose(state, clock=thinking.clock, moves=list(thinking.limits.moves) or None)
        return _answer(self._report_result(result))

    def _report_result(self, result: SearchResult) -> Report:
        """The report that a finished search amounts to."""
        details = result.details
        lines = []
        for number, line in enumerate(details["lines"]):
            moves = result.pv if number == 0 else self._read_line(result.state, line["pv"])
            # A line of a depth that the clock cut short has been searched in full to the depth before.
            lines.append(Line(min(line["depth"], result.depth), line["value"], line["mate"], tuple(moves)))
        return Report(tuple(lines), result.selective, result.nodes, result.seconds, details["hashfull"])

    def _read_line(self, state: Any, texts: Sequence[str]) -> list[Any]:
        moves = []
        for text in texts:
            moves.append(self.find(state, text))
            state = self.game.result(state, moves[-1])
        return moves


def _report_progress(found: dict[str, Any]) -> Report:
    """The report that the engine's progress amounts to."""
    depth = found["depth"]
    lines = tuple(
        Line(min(line["depth"], depth), line["value"], line["mate"], tuple(line["line"])) for line in found["lines"]
    )
    return Report(lines, found["seldepth"], found["nodes"], found["seconds"], found["hashfull"])


def _answer(report: Report) -> Answer:
    best = report.lines[0].moves
    return Answer(best[0], best[1] if len(best) > 1 else None, report)


def _work_off(jobs: queue.SimpleQueue[Callable[[], None]]) -> None:
    """The thread that thinks. One for all searches: to start a thread can cost more than a small search."""
    while True:
        jobs.get()()


@contextlib.contextmanager
def _no_collection() -> Iterator[None]:
    """Inside, Python does not look for garbage: a pause that could cost a game."""
    gc.disable()
    try:
        yield
    finally:
        gc.enable()
