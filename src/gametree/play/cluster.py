"""Plays the games of an event on a Ray cluster: the same schedule, the same seeds, the same database.

Only this process writes to the database. A worker or a whole node that dies costs time alone: its games were not stored
and are played again elsewhere. Files of your own games and players must be on every node, under the same path.
"""

from __future__ import annotations

import contextlib
from typing import Any

from gametree.core.errors import BadInput, GameError, GametreeError
from gametree.play.events import Event, Task
from gametree.play.referee import GameRecord
from gametree.play.runner import DEATHS, SHARE, Crew, Seating

__all__ = ["ClusterCrew"]


def _ray() -> Any:
    try:
        import ray
    except ImportError:
        raise BadInput("A cluster needs Ray; install gametree[cluster].") from None
    return ray


class _Player:
    """The actor: what one worker of the cluster does."""

    def __init__(self, event: Event) -> None:
        self._event = event
        self._seating: Seating | None = None

    def begin(self) -> None:
        """Tell by returning that there is room for this worker."""

    def play(self, tasks: list[Task]) -> list[tuple[int, Any]]:
        """The records of the games by number; an exception in place of a record that could not be made."""
        finished: list[tuple[int, Any]] = []
        for task in tasks:
            try:
                self._seating = self._seating or Seating(self._event)
                finished.append((task.number, self._seating.play(task)))
            except GametreeError as error:
                finished.append((task.number, type(error)(str(error))))
            except Exception as error:
                problem = f"Game {task.number + 1} of {self._event.game} failed: {type(error).__name__}: {error}."
                finished.append((task.number, GameError(problem)))
        return finished


class ClusterCrew(Crew):
    """Actors on a Ray cluster at `address`, or on one started here for `local`. Raises BadInput if it is not there."""

    def __init__(self, event: Event, address: str, count: int) -> None:
        ray = self._ray = _ray()
        self._event = event
        self._owns = not ray.is_initialized()
        if self._owns:
            where: dict[str, Any] = {"num_cpus": count} if address == "local" else {"address": address}
            try:
                ray.init(**where, log_to_driver=False, logging_level="ERROR", include_dashboard=False)
            except Exception as error:  # Ray says in many ways that it cannot start
                reason = (str(error).splitlines() or [""])[0].rstrip(".")
                raise BadInput(f"There is no Ray cluster at '{address}': {reason}.") from None
        # An actor that dies is not restarted by Ray: its games are ours to give to another.
        self._make = ray.remote(num_cpus=1, max_restarts=0, max_task_retries=0)(_Player)
        self._idle: list[Any] = []
        # Actors for which there is no room yet. They get no games: on a cluster that has become smaller they would wait
        # with them for ever.
        self._coming: dict[Any, Any] = {}
        for _ in range(count):
            self._hire()
        self._running: dict[Any, tuple[Any, dict[int, Task]]] = {}
        self._orphaned: list[Task] = []
        self._deaths: dict[int, int] = {}
        self._pace = 1.0

    def _hire(self) -> None:
        actor = self._make.remote(self._event)
        self._coming[actor.begin.remote()] = actor

    def wanted(self) -> int:
        """Enough to keep every idle actor busy for a moment; one if nobody is there, to learn whether any is left."""
        chunk = max(1, min(100, int(SHARE * 5 / self._pace)))
        return max(0 if self.busy() else 1, len(self._idle) * chunk - len(self._orphaned))

    def give(self, tasks: list[Task]) -> None:
        """Share the tasks out evenly among idle actors."""
        left = self._orphaned + tasks
        while left and self._idle:
            share = left[: -(-len(left) // len(self._idle))]
            left = left[len(share) :]
            actor = self._idle.pop()
            self._running[actor.play.remote(share)] = actor, {task.number: task for task in share}
        self._orphaned = left

    def open_keys(self) -> list[str]:
        """Keys of games that are not finished."""
        return [task.key for _, tasks in self._running.values() for task in tasks.values()] + [
            task.key for task in self._orphaned
        ]

    def collect(self) -> list[tuple[Task, GameRecord]]:
        """Wait for a moment and hand over what has been finished; the games of the dead go to the living."""
        ray = self._ray
        if self._orphaned:
            self.give([])
        awaited = [*self._running, *self._coming]
        ready, _ = ray.wait(awaited, num_returns=1, timeout=0.5) if awaited else ([], [])
        done: list[tuple[Task, GameRecord]] = []
        for reference in ready:
            if reference in self._coming:
                self._welcome(reference)
                continue
            actor, tasks = self._running.pop(reference)
            try:
                answers = ray.get(reference)
            except ray.exceptions.RayError:
                self._bury(tasks)
                continue
            for number, answer in answers:
                if isinstance(answer, Exception):
                    raise answer
                done.append((tasks[number], answer))
                self._pace = 0.9 * self._pace + 0.1 * max(1e-6, answer.seconds)
            self._idle.append(actor)
        return done

    def _welcome(self, reference: Any) -> None:
        actor = self._coming.pop(reference)
        try:
            self._ray.get(reference)
        except self._ray.exceptions.RayError:  # its node has gone before it came
            self._hire()
        else:
            self._idle.append(actor)

    def _bury(self, tasks: dict[int, Task]) -> None:
        first = min(tasks)
        self._deaths[first] = self._deaths.get(first, 0) + 1
        if self._deaths[first] > DEATHS * 3:  # nodes may go one after the other without the game's fault
            raise GameError(f"Game {first + 1} of {self._event.game} has ended its worker {self._deaths[first]} times.")
        self._orphaned += tasks.values()
        self._hire()

    def close(self) -> None:
        """Let the actors go, and the cluster if it was started here."""
        for actor in [*self._idle, *self._coming.values(), *(actor for actor, _ in self._running.values())]:
            with contextlib.suppress(Exception):
                self._ray.kill(actor)
        if self._owns:
            self._ray.shutdown()
