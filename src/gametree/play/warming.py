"""Compiles games ahead, in other processes that fill the store: what `gametree warmup`, play and the workbench use.

numba compiles under one lock, so that one process uses one core however many threads ask. What can be compiled apart
are jobs: the rules for the board, the search, the solver and so on. A job is done by a process of its own, which says
how far it is:

    python -m gametree.play.warming GAME JOB
"""

from __future__ import annotations

import contextlib
import itertools
import json
import os
import random
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from gametree.core.clock import Clock
from gametree.core.errors import GametreeError, UnfitGame
from gametree.core.game import CHANCE, Game
from gametree.core.registry import load_algorithm, load_game
from gametree.kernels import waiting
from gametree.kernels.compiled_game import CompiledGame
from gametree.play.analysis import default_algorithm, fits

__all__ = ["Task", "Warming", "do_job", "job_names", "main"]

_A_MOMENT = 0.01
"""Seconds of search: only its code is wanted."""
_A_FEW = 20_000
"""Nodes after which every next position is known, so that a second search can go on from the first."""
_USUAL = {"rules": 10.0, "search": 35.0, "solve": 12.0, "perft": 5.0, "levels": 20.0}
"""Seconds that a job takes more or less, until its process says more."""
_KERNELS = {"rules": 10, "solve": 2}
"""How many kernels a job compiles more or less; one for all others."""
_PLAYER = "player "


# What there is to compile ---------------------------------------------------------------------------------------------


def job_names(game: Game[Any, Any]) -> list[str]:
    """The jobs after which no command compiles anything for this game, the longest first. Raises UnfitGame."""
    if not isinstance(game, CompiledGame):
        raise UnfitGame(f"{game.name} is not a compiled game, so there is nothing to warm up.")
    names = ["search"]
    if not game.facts.chance and fits(load_algorithm("solve")[0], game):
        names.append("solve")
    if default_algorithm(game) != "engine" and game.offers("evaluate") and fits(load_algorithm("engine")[0], game):
        names.append("levels")
    return [*names, "rules", "perft"]


def do_job(game: Game[Any, Any], job: str) -> None:
    """Compile what the job needs, in this process, or load it. `player NAME` is a job as well. Raises GametreeError."""
    if job.startswith(_PLAYER):
        _warm_player(game, job.removeprefix(_PLAYER))
        return
    assert isinstance(game, CompiledGame)
    if job == "rules":
        with waiting.use_policy("compile"):
            _walk(game)
    elif job == "search":
        _think_twice(game, default_algorithm(game))
    elif job == "levels":
        _think_twice(game, "engine")
    elif job == "solve":
        load_algorithm("solve")  # imports it
        from gametree.search.compiled.solve import solve

        solve(game, clock=Clock(_A_MOMENT), table_mib=1)
    else:
        from gametree.kernels.perft import perft

        perft(game, depth=0)


def _warm_player(game: Game[Any, Any], name: str) -> None:
    from gametree.play.players import make_player

    player = make_player(name, game)
    try:
        player.start(game, 0, 0)
    finally:
        player.close()


def _think_twice(game: CompiledGame, algorithm: str) -> None:
    """Search two positions of one game, because what is kept from move to move has code of its own."""
    from gametree.play.thinking import Thinker

    thinker = Thinker(game, algorithm)
    state, actions = _to_a_seat(game, game.initial(), [])
    for _ in range(2):
        if not game.is_terminal(state):
            move = thinker.search(state, actions=actions, nodes=_A_FEW).move
            state, actions = _to_a_seat(game, game.result(state, move), [*actions, move])


def _to_a_seat(game: CompiledGame, state: Any, actions: list[Any]) -> tuple[Any, list[Any]]:
    """Play on while chance decides."""
    while not game.is_terminal(state) and game.player(state) == CHANCE:
        actions = [*actions, game.roll(state, random.Random(len(actions)))]
        state = game.result(state, actions[-1])
    return state, actions


def _walk(game: CompiledGame) -> None:
    """Ask everything that the board, the texts and the books can ask, along one line of play to its end."""
    from gametree.knowledge.keys import keys_for
    from gametree.play.explanation import explain

    state, _ = _to_a_seat(game, game.initial(), [])
    if game.offers("explain_sides") or game.offers("explain"):
        explain(game, state)
    state = game.initial()
    for ply in itertools.count():
        ended = game.is_terminal(state)
        mover = game.player(state)
        game.draw(state)
        if game.offers("state_from_text"):
            game.state_from_text(game.state_text(state))
        if game.offers("symmetries"):
            game.symmetries(state)
        if game.offers("noisy_actions") and mover >= 0:
            game.noisy_actions(state)
        if game.offers("evaluate"):
            game.evaluate(state, 0)
        with contextlib.suppress(UnfitGame):  # not every game can have a book
            keys_for(game).find(state)
        if ended or ply > 2000:
            break
        if mover == CHANCE:
            if not game.facts.unlisted:
                game.outcomes(state)
            action = game.roll(state, random.Random(ply))
        else:
            actions = game.actions(state)
            action = actions[ply * 7 % len(actions)]
        text = game.action_text(state, action)
        if mover >= 0:
            game.action_from_text(state, text)
        state = game.result(state, action)
    game.utility(state, 0)


# The process that does a job ------------------------------------------------------------------------------------------


def main(arguments: list[str]) -> int:
    """Do one job and tell about it on standard output, a line of JSON each; end when standard input ends."""
    game, job = arguments

    def say(**news: Any) -> None:
        print(json.dumps(news), flush=True)

    def follow_parent() -> None:
        for _ in sys.stdin:
            pass
        os._exit(1)

    done = 0

    def progress(label: str, share: float, seconds: float) -> None:
        nonlocal done
        kernels = max(_KERNELS.get(job, 1), done + 1)
        say(share=min(0.99, (done + share) / kernels), seconds=seconds)
        done += share == 1

    threading.Thread(target=follow_parent, name="gametree-warming-parent", daemon=True).start()
    with contextlib.suppress(OSError, AttributeError):
        os.nice(15)  # whoever plays meanwhile goes first
    waiting.on_progress(progress)
    waiting.set_policy("plain")  # small kernels are the job of one process alone
    try:
        do_job(load_game(game), job)
    except GametreeError as error:
        say(error=str(error))
        return 2
    return 0


# Whoever has jobs done ------------------------------------------------------------------------------------------------


@dataclass
class Task:
    """A job for a game, both by name, and how far it is."""

    game: str
    job: str
    share: float = 0.0
    seconds: float = 0.0
    """Left, when `heard`."""
    heard: float = 0.0
    over: bool = False
    error: str = ""
    """Why it failed; a game without this code can be played all the same."""

    def seconds_left(self) -> float:
        """About how long it will take, counted down since the last news."""
        if self.over:
            return 0.0
        if not self.heard:
            return _USUAL.get(self.job, 30.0)
        return max(1.0, self.seconds - (time.monotonic() - self.heard))


class Warming:
    """Has jobs done by at most `processes` others at a time, in the order in which they were added.

    `listener` is called with a task whenever there is news of it, from another thread.
    """

    def __init__(self, *, processes: int | None = None, listener: Callable[[Task], None] | None = None) -> None:
        self._room = processes or max(1, os.cpu_count() or 1)
        self._listener = listener
        self._lock = threading.Condition()
        self._queue: deque[Task] = deque()
        self._running: dict[int, subprocess.Popen[str]] = {}
        self._threads = 0
        self._closed = False
        self.tasks: list[Task] = []
        """All that were added."""

    def add(self, game: str, *jobs: str) -> list[Task]:
        """Have these jobs done for the game that `game` names; jobs that were added before are not done again."""
        with self._lock:
            known = {(task.game, task.job) for task in self.tasks}
            new = [Task(game, job) for job in jobs if (game, job) not in known]
            self.tasks += new
            self._queue.extend(new)
            while self._threads < min(self._room, len(self._queue) + len(self._running)) and not self._closed:
                self._threads += 1
                threading.Thread(target=self._serve, name="gametree-warming", daemon=True).start()
        return new

    def _serve(self) -> None:
        while True:
            with self._lock:
                if not self._queue or self._closed:
                    self._threads -= 1
                    self._lock.notify_all()
                    return
                task = self._queue.popleft()
                process = subprocess.Popen(
                    [sys.executable, "-m", "gametree.play.warming", task.game, task.job],
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.DEVNULL,
                    text=True,
                )
                self._running[id(task)] = process
            self._follow(task, process)

    def _follow(self, task: Task, process: subprocess.Popen[str]) -> None:
        assert process.stdout is not None
        with process:
            for line in process.stdout:
                with contextlib.suppress(ValueError):
                    self._note(task, json.loads(line))
        with self._lock:
            del self._running[id(task)]
            task.over, task.share = True, 1.0
            if process.returncode and not task.error:
                task.error = f"the process that compiled {task.game} ended with code {process.returncode}"
            self._lock.notify_all()
        if self._listener is not None:
            self._listener(task)

    def _note(self, task: Task, news: dict[str, Any]) -> None:
        task.error = news.get("error", task.error)
        if "share" in news:
            task.share = max(task.share, news["share"])
            usual = _USUAL.get(task.job, 0.0) if task.job in _KERNELS else 0.0
            task.seconds, task.heard = max(news["seconds"], (1 - task.share) * usual), time.monotonic()
        if self._listener is not None:
            self._listener(task)

    def share(self) -> float:
        """How much of everything is done, from 0 to 1."""
        sizes = [_USUAL.get(task.job, 30.0) for task in self.tasks]
        done = sum(size * task.share for size, task in zip(sizes, self.tasks, strict=True))
        return done / sum(sizes) if sizes else 1.0

    def seconds_left(self) -> float:
        """About how long everything takes that is not over."""
        left = [task.seconds_left() for task in self.tasks if not task.over]
        return max(sum(left) / self._room, max(left)) if left else 0.0

    def wait(self, seconds: float | None = None) -> bool:
        """Wait until all tasks are over, at most so long; whether they are."""
        with self._lock:
            return self._lock.wait_for(lambda: self._closed or all(task.over for task in self.tasks), seconds)

    def close(self) -> None:
        """End all processes; what they have not finished is lost."""
        with self._lock:
            self._closed = True
            self._queue.clear()
            for process in self._running.values():
                process.kill()
            self._lock.notify_all()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
