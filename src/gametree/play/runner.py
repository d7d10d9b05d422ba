"""Plays the games of an event, here or in several processes, and stores each as it ends.

The order in which games end does not matter: results are judged in the order of the schedule. So an event that was
stopped, even by `kill -9`, and taken up again ends with the same table as one that was not.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, wait
from typing import Any

from gametree.core.errors import BadInput, GameError, GametreeError
from gametree.core.game import Game
from gametree.core.registry import load_game
from gametree.play.clocks import TimeControl
from gametree.play.endings import Adjudication, forfeit
from gametree.play.engines import Client
from gametree.play.events import Event, Finished, Task, check, compare, schedule
from gametree.play.openings import read_opening
from gametree.play.player_names import parse_player
from gametree.play.players import make_player
from gametree.play.referee import GameRecord, play_game
from gametree.play.seated import Seated
from gametree.play.statistics import Sprt
from gametree.play.store import Store
from gametree.play.watch import BOARD, Watch, overdue

__all__ = ["Crew", "Outcome", "Seating", "Trial", "run_event"]

SHARE = 0.1
"""Seconds of play after which finished games are stored; what is played in that time is stored at once."""
DEATHS = 3
"""How often the process that plays a game may die before the event is given up."""

Progress = Callable[[Mapping[int, Finished]], None]


@dataclass(frozen=True)
class Outcome:
    """The finished games of an event by number and, with a sequential test, what it says."""

    results: dict[int, Finished]
    verdict: str = ""
    """`H0` or `H1`."""
    ratio: float | None = None
    """The log-likelihood ratio."""


class Seating:
    """The players of an event at their tables: each is made once and plays game after game."""

    def __init__(self, event: Event, game: Game[Any, Any] | None = None, *, watch: Watch | None = None) -> None:
        self.event = event
        self.watch = watch or Watch()
        self.game = load_game(event.game) if game is None else game
        self.control = TimeControl.parse(event.control)
        self.adjudication = Adjudication(**event.adjudication)
        self._players: dict[tuple[str, int], Seated] = {}

    def play(self, task: Task) -> GameRecord:
        """Play one game of the schedule."""
        self.watch.number = task.number
        record = play_game(
            self.game,
            self._seated(task.seats),
            opening=read_opening(task.opening),
            seed=task.seed,
            salt=self.event.salt.encode(),
            control=self.control,
            margin=self.event.margin,
            adjudication=self.adjudication,
            patience=self.event.patience,
            watch=self.watch,
        )
        if self.watch.interrupted:  # in the middle of something, so that nobody knows what is left of it
            self.close()
            self.watch.interrupted = False
        return record

    def _seated(self, names: tuple[str, ...]) -> list[Seated]:
        """One player per seat, with rules of its own; a name with several seats gets several players."""
        seen: Counter[str] = Counter()
        seated = []
        for name in names:
            place = name, seen[name]
            seen[name] += 1
            if place not in self._players:
                rules = self.game.twin()
                self._players[place] = Seated(make_player(name, rules), rules)
            seated.append(self._players[place])
        return seated

    def close(self) -> None:
        """Let all players go."""
        for player in self._players.values():
            with contextlib.suppress(GametreeError):
                self.watch.close(player.player)
        self._players.clear()


@dataclass
class Trial:
    """A sequential test of the first player against the second, fed in the order of the schedule.

    Whatever games are finished early or late, the test looks at the groups one after the other and stops at the first
    that decides, so that its verdict depends on the games alone.
    """

    test: Sprt
    pair: tuple[str, str]
    size: int = 2
    """Games in a group."""
    counts: list[int] = field(default_factory=lambda: [0] * 5)
    groups: int = 0
    """Groups that have been judged."""
    ratio: float = 0.0
    verdict: str = ""

    def judge(self, results: Mapping[int, Finished]) -> None:
        """Go on with the groups that are complete by now."""
        rows: list[list[int]] = []
        while not self.verdict:
            numbers = range(self.size * (self.groups + len(rows)), self.size * (self.groups + len(rows) + 1))
            if not all(number in results for number in numbers):
                break
            points = sum(
                score
                for number in numbers
                for one, other, score in compare(results[number].seats, results[number].utilities)
                if (one, other) == self.pair
            )
            last = rows[-1] if rows else self.counts
            rows.append([count + (place == int(2 * points)) for place, count in enumerate(last)])
        if not rows or self.verdict:
            return
        for counts, ratio in zip(rows, self.test.ratio(rows), strict=True):
            self.counts, self.ratio = counts, float(ratio)
            self.groups += 1
            self.verdict = self.test.verdict(self.ratio)
            if self.verdict:
                return

    def judged(self, results: Mapping[int, Finished]) -> dict[int, Finished]:
        """The games that count: all, or those up to the verdict."""
        if not self.verdict:
            return dict(results)
        return {number: result for number, result in results.items() if number < self.size * self.groups}


def run_event(
    event: Event,
    store: Store,
    *,
    game: Game[Any, Any] | None = None,
    concurrency: int = 1,
    cluster: str = "",
    test: Sprt | None = None,
    progress: Progress | None = None,
) -> Outcome:
    """Play what is left of the event and return all its results. Raises BadInput, UnfitGame, GameError.

    `cluster` is the address of a Ray cluster, or `local`, that plays in place of processes of this machine. With `test`
    the event ends when the test is decided. Several processes may run the same event on the same store;
    they share the games out among themselves. Ctrl-C leaves the store as it is: all finished games are in it.
    """
    rules = load_game(event.game) if game is None else game
    check(event, rules)
    if concurrency < 1:
        raise BadInput(f"A concurrency of {concurrency} is not possible; expected at least 1.")
    if test is not None and (event.kind != "match" or len(rules.facts.sides) != 2):
        raise BadInput("A sequential test needs a match of two players in a game of two sides.")
    for name in event.players:  # complain before anything is written
        with contextlib.closing(make_player(name, rules)) as player:
            if isinstance(player, Client):
                player.try_options()
    event = store.add_event(event)
    seating = Seating(event, rules)
    trial = None if test is None else Trial(test, (event.players[0], event.players[1]))
    crew = _crew(event, seating, concurrency, cluster)
    try:
        results = _run(event, rules, store, crew, trial, progress)
    finally:
        crew.close()
        seating.close()
    if trial is None:
        return Outcome(results)
    return Outcome(trial.judged(results), trial.verdict, trial.ratio)


def _crew(event: Event, seating: Seating, concurrency: int, cluster: str) -> Crew:
    if cluster:
        from gametree.play.cluster import ClusterCrew

        return ClusterCrew(event, cluster, concurrency)
    # A user's own player may do what only the end of its process ends; a person sits at this process's terminal.
    kinds = {parse_player(name).kind for name in event.players}
    if concurrency > 1 or ("file" in kinds and "human" not in event.players):
        return _Processes(event, seating.game, concurrency)
    return _Here(seating)


def _run(
    event: Event,
    rules: Game[Any, Any],
    store: Store,
    crew: Crew,
    trial: Trial | None,
    progress: Progress | None,
) -> dict[int, Finished]:
    results = store.results(event)

    def tell() -> None:
        if trial is not None:
            trial.judge(results)
        if progress is not None:
            progress(results if trial is None else trial.judged(results))

    tell()
    renewed = time.monotonic()
    waiting: list[Task] = []  # tasks that others have claimed
    coming = schedule(event, rules, results)
    more = False  # whether the schedule goes on when these games are finished
    while trial is None or not trial.verdict:
        wanted = crew.wanted()
        if wanted:
            fresh, later = _take(coming, wanted)
            more = more or later
            claimed = store.claim(fresh, wanted) if fresh else []
            mine = {task.key for task in claimed}
            waiting += [task for task in fresh if task.key not in mine]
            crew.give(claimed)
            if not fresh and not crew.busy():
                results.update(store.results(event))
                waiting = [task for task in waiting if task.number not in results]
                if waiting:  # others are at work on them, or have died
                    again = store.claim(waiting, wanted)
                    mine = {task.key for task in again}
                    waiting = [task for task in waiting if task.key not in mine]
                    crew.give(again)
                    if not again:
                        time.sleep(0.1)
                elif more:
                    coming, more = schedule(event, rules, results), False
                else:
                    break
        done = crew.collect()
        if done:
            for result in store.add(event, done):
                results[result.number] = result
            tell()
        if time.monotonic() - renewed > 10:
            store.renew()
            renewed = time.monotonic()
    store.release(crew.open_keys())
    results.update(store.results(event))
    tell()
    return results


def _take(coming: Iterator[Task | None], most: int) -> tuple[list[Task], bool]:
    """The next tasks, and whether more will be known later."""
    tasks: list[Task] = []
    while len(tasks) < most:
        task = next(coming, _END)
        if task is _END:
            return tasks, False
        if task is None:
            return tasks, True
        assert isinstance(task, Task)
        tasks.append(task)
    return tasks, False


_END: Any = object()


class Crew:
    """Whoever plays the games."""

    def wanted(self) -> int:
        """How many more tasks it can use."""
        raise NotImplementedError

    def give(self, tasks: list[Task]) -> None:
        """More work."""
        raise NotImplementedError

    def busy(self) -> bool:
        """Whether games are open."""
        return bool(self.open_keys())

    def open_keys(self) -> list[str]:
        """Keys of games that are not finished."""
        raise NotImplementedError

    def collect(self) -> list[tuple[Task, GameRecord]]:
        """Play or wait for a moment and hand over what has been finished."""
        raise NotImplementedError

    def close(self) -> None:
        """End everything."""


class _Here(Crew):
    """Plays in this process, one game after the other, fast games many at a time."""

    def __init__(self, seating: Seating) -> None:
        self._seating = seating
        self._tasks: list[Task] = []
        self._pace = 1.0

    def wanted(self) -> int:
        return 0 if self._tasks else max(1, min(200, int(SHARE / self._pace)))

    def give(self, tasks: list[Task]) -> None:
        self._tasks += tasks

    def open_keys(self) -> list[str]:
        return [task.key for task in self._tasks]

    def collect(self) -> list[tuple[Task, GameRecord]]:
        began = time.monotonic()
        done: list[tuple[Task, GameRecord]] = []
        while self._tasks and (not done or time.monotonic() - began < SHARE):
            done.append((self._tasks[0], self._seating.play(self._tasks[0])))
            del self._tasks[0]
        if done:
            self._pace = max(1e-6, (time.monotonic() - began) / len(done))
        return done


@dataclass
class _Worker:
    process: Any
    line: Connection
    board: Any
    """What it is waiting for; see `gametree.play.watch`."""
    tasks: dict[int, Task] = field(default_factory=dict)


class _Processes(Crew):
    """Plays in processes of their own. One that dies is replaced, and its games are played again.

    One that waits for a player in vain is ended; that game is lost on time, without its moves, which ended with it.
    """

    def __init__(self, event: Event, game: Game[Any, Any], count: int) -> None:
        self._event = event
        self._game = game
        self._context = multiprocessing.get_context("spawn")
        self._deaths: Counter[int] = Counter()
        self._orphaned: list[Task] = []
        self._pace = 1.0
        self._workers = [self._hire() for _ in range(count)]

    def _hire(self) -> _Worker:
        ours, theirs = self._context.Pipe()
        board = self._context.RawArray("d", BOARD)
        process = self._context.Process(target=_work, args=(theirs, self._event, board), daemon=True)
        process.start()
        theirs.close()
        return _Worker(process, ours, board)

    def _chunk(self) -> int:
        return max(1, min(100, int(SHARE / self._pace)))

    def wanted(self) -> int:
        room = sum(self._chunk() for worker in self._workers if not worker.tasks)
        return max(0, room - len(self._orphaned))

    def give(self, tasks: list[Task]) -> None:
        left = self._orphaned + tasks
        self._orphaned = []
        for worker in self._workers:
            if left and not worker.tasks:
                # Evenly, so that the last games of an event do not all wait for one process.
                idle = sum(1 for other in self._workers if not other.tasks)
                share = left[: max(1, min(self._chunk(), -(-len(left) // idle)))]
                left = left[len(share) :]
                worker.tasks = {task.number: task for task in share}
                with contextlib.suppress(OSError):  # dead: `collect` will notice
                    worker.line.send(share)
        self._orphaned = left

    def open_keys(self) -> list[str]:
        return [task.key for worker in self._workers for task in worker.tasks.values()] + [
            task.key for task in self._orphaned
        ]

    def collect(self) -> list[tuple[Task, GameRecord]]:
        if self._orphaned:
            self.give([])
        ready = wait([worker.line for worker in self._workers if worker.tasks], timeout=0.2)
        done: list[tuple[Task, GameRecord]] = []
        for worker in [worker for worker in self._workers if worker.line in ready]:
            try:
                while worker.tasks and worker.line.poll():
                    for number, answer in worker.line.recv():
                        if isinstance(answer, Exception):
                            raise answer
                        done.append((worker.tasks.pop(number), answer))
                        self._pace = 0.9 * self._pace + 0.1 * max(1e-6, answer.seconds)
            except (EOFError, ConnectionError):
                self._replace(worker)
        for worker in list(self._workers):
            late = overdue(worker.board)
            if late is not None and late[0] in worker.tasks:
                done.append(self._end(worker, *late))
        return done

    def _end(self, worker: _Worker, number: int, seat: int) -> tuple[Task, GameRecord]:
        """End a process whose player neither answers nor lets itself be interrupted."""
        task = worker.tasks.pop(number)
        worker.process.kill()
        self._orphaned += worker.tasks.values()
        worker.tasks = {}
        self._replace(worker)
        detail = f"player {seat + 1} ({task.seats[seat]}) did not answer, and its process had to be ended"
        names = tuple(task.seats)
        lost = forfeit(self._game, seat)
        return task, GameRecord(
            self._game.name, names, task.opening, (), (), (), (), lost, "time", detail, task.seed, 0.0
        )

    def _replace(self, worker: _Worker) -> None:
        worker.process.join()
        worker.line.close()
        if worker.tasks:
            first = next(iter(worker.tasks.values()))
            self._deaths[first.number] += 1
            if self._deaths[first.number] >= DEATHS:
                raise GameError(
                    f"Game {first.number + 1} of {self._event.game} has ended its process {DEATHS} times "
                    f"(exit code {worker.process.exitcode}); see whether its players do that."
                )
            self._orphaned += worker.tasks.values()
        self._workers[self._workers.index(worker)] = self._hire()

    def close(self) -> None:
        for worker in self._workers:
            worker.line.close()  # the end of the line is the end of the work
        for worker in self._workers:
            worker.process.join(timeout=0.5)
            if worker.process.is_alive():
                worker.process.kill()
                worker.process.join()


def _work(line: Connection, event: Event, board: Any) -> None:
    """What a process of the crew does until its line is closed; it never outlives the process that started it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the process that we work for
    parent = multiprocessing.parent_process()
    assert parent is not None
    threading.Thread(target=lambda: (wait([parent.sentinel]), os._exit(1)), daemon=True).start()
    seating = None
    try:
        while True:
            finished: list[tuple[int, Any]] = []
            sent = time.monotonic()
            for task in line.recv():
                try:
                    seating = seating or Seating(event, watch=Watch(board))
                    finished.append((task.number, seating.play(task)))
                except GametreeError as error:
                    finished.append((task.number, type(error)(str(error))))
                except Exception as error:
                    problem = f"Game {task.number + 1} of {event.game} failed: {type(error).__name__}: {error}."
                    finished.append((task.number, GameError(problem)))
                if time.monotonic() - sent > SHARE:
                    line.send(finished)
                    finished, sent = [], time.monotonic()
            if finished:
                line.send(finished)
    except (EOFError, OSError):
        pass
    finally:
        if seating is not None:
            seating.close()
