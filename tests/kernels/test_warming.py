"""Compiling ahead: what warmup covers, who plays meanwhile, and what the terminal shows."""

from __future__ import annotations

import io
import os
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from gametree import UnfitGame, load_game
from gametree.interfaces.cli.compiling import CompileNews, seconds_in_words
from gametree.kernels import cache_report
from gametree.kernels.waiting import NotCompiled, policy
from gametree.play.players import Choice, RandomPlayer
from gametree.play.substitute import SubstitutePlayer, choose_without_compiling, substitute_algorithm
from gametree.play.warming import Task, Warming, job_names

# Every command that a user may give, run with the policy that compiles whatever is missing.
COMMANDS = """
import sys
from gametree.interfaces.cli import run
from gametree.kernels import waiting
from gametree.kernels.waiting import on_compile
heard = []
waiting.on_compile = lambda listener: None
waiting.set_policy = lambda chosen: None
on_compile(heard.append)
game, solves = sys.argv[1], sys.argv[2] == "solves"
commands = [
    ["analyse", game, "--time", "0.05", "--json"],
    ["perft", game, "2", "--json"],
    ["play", game, "--seat", "0", "--against", "best:time=0.02", "--seed", "1"],
    ["match", "best:time=0.02", "random", "--game", game, "--games", "2", "--json", "--database", "games.sqlite"],
]
if solves:
    commands.append(["solve", game, "--time", "1", "--json"])
    commands.append(["play", game, "--seat", "0", "--against", "engine:level=beginner"])
for words in commands:
    code = run(words)
    if code:
        sys.exit(f"{words} ended with {code}")
    if heard:
        sys.exit(f"{words} compiles: {heard}")
from gametree import load_game
from gametree.interfaces.web import tables, thinking
from gametree.interfaces.web.worker import Job
from gametree.play.table import Table
job = Job(1, 0.1, lambda message: None)
tables.about(job, game)
table = Table(load_game(game))
thinking.choose(job, "table", "best:time=0.05", 1, table.view(table.waiting()[0]).to_text())
if heard:
    sys.exit(f"the workbench compiles: {heard}")
"""


@pytest.mark.parametrize(("game", "solves"), [("connect4:columns=4,rows=3", True), ("einstein", False)])
def test_after_warmup_no_command_compiles(game: str, solves: bool, tmp_path: Path) -> None:
    environment = {**os.environ, "GAMETREE_CACHE_DIR": str(tmp_path / "store"), "XDG_DATA_HOME": str(tmp_path)}
    warm = [sys.executable, "-m", "gametree", "warmup", game]
    done = subprocess.run(
        warm, env=environment, cwd=tmp_path, capture_output=True, text=True, check=False, timeout=1800
    )
    assert (done.returncode, done.stdout.strip()) == (0, f"{game} is ready."), done.stderr
    commands = [sys.executable, "-c", COMMANDS, game, "solves" if solves else ""]
    done = subprocess.run(
        commands, env=environment, cwd=tmp_path, capture_output=True, text=True, check=False, timeout=900
    )
    assert done.returncode == 0, done.stderr


def test_plain_games_need_no_warmup(gametree: Any) -> None:
    with pytest.raises(UnfitGame, match="nim is not a compiled game"):
        job_names(load_game("nim"))
    code, _, error = gametree("warmup", "nim")
    assert code == 2
    assert "nothing to warm up" in error


def test_jobs_are_done_once_and_faults_are_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GAMETREE_CACHE_DIR", str(tmp_path))
    news: list[Task] = []
    warming = Warming(processes=2, listener=news.append)
    try:
        assert len(warming.add("tictactoe", "perft")) == 1
        assert warming.add("tictactoe", "perft") == []
        warming.add("no-such-game", "rules")
        assert warming.seconds_left() > 0
        assert warming.wait()
    finally:
        warming.close()
    good, bad = warming.tasks
    assert (good.over, good.share, good.error, good.seconds_left()) == (True, 1.0, "", 0.0)
    assert "no-such-game" in bad.error
    assert warming.share() == 1.0
    assert good in news
    assert [kernel["name"] for kernel in cache_report()["kernels"]] == ["tictactoe.count_all"]


def test_closing_ends_the_processes() -> None:
    warming = Warming(processes=1)
    warming.add("chess", "player random", "rules")
    warming.close()
    assert warming.wait()
    assert warming.add("chess", "perft")  # noted, but nobody does it
    assert not [thread for thread in threading.enumerate() if thread.name == "gametree-warming" and not thread.daemon]


# The substitute -------------------------------------------------------------------------------------------------------


class SlowPlayer(RandomPlayer):
    """A player whose code is not compiled until `compiled` is set."""

    compiled = False
    policies: list[str]

    def start(self, game: Any, seat: int, seed: int) -> None:
        self.policies = [*getattr(self, "policies", []), policy()]
        if not self.compiled and policy() == "never":
            raise NotCompiled("It is not compiled yet.", Path("nowhere"))
        super().start(game, seat, seed)

    def choose(self, game: Any, state: Any, seat: int, turn: Any = None) -> Choice:
        return Choice(game.actions(state)[0], note="itself")


class FakeWarming:
    """Compiles as slowly as a test wants."""

    def __init__(self) -> None:
        self.tasks: list[Task] = []
        self.closed = False

    def add(self, game: str, *jobs: str) -> None:
        known = {task.job for task in self.tasks}
        self.tasks += [Task(game, job) for job in jobs if job not in known]

    def close(self) -> None:
        self.closed = True


def test_a_substitute_plays_until_the_player_is_compiled() -> None:
    game = load_game("connect4")
    slow, warming = SlowPlayer(), FakeWarming()
    player = SubstitutePlayer(slow, warming)  # type: ignore[arg-type]
    player.start(game, 0, 1)
    state = game.initial()
    for _ in range(2):
        choice = player.choose(game, state, game.player(state))
        assert choice.action in game.actions(state)
        assert choice.note.startswith("A simple search plays while connect4 is compiled, about ")
        assert player.stands_in
        state = game.result(state, choice.action)
    assert [task.job for task in warming.tasks] == ["player random", "rules"]
    slow.compiled = True
    assert player.choose(game, state, 0).note == "itself"
    assert not player.stands_in
    player.close()
    assert warming.closed


def test_where_compiling_fails_the_player_tries_itself() -> None:
    game = load_game("connect4")
    slow, warming = SlowPlayer(), FakeWarming()
    player = SubstitutePlayer(slow, warming)  # type: ignore[arg-type]
    player.start(game, 0, 1)
    warming.tasks[0].error = "it went wrong"
    assert player.choose(game, game.initial(), 0).note == "itself"
    assert slow.policies == ["never", "plain"]


@pytest.mark.parametrize("name", ["chess", "othello", "connect4", "einstein", "go:size=9", "tictactoe"])
def test_the_substitute_needs_no_compiled_code(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import importlib

    monkeypatch.setenv("GAMETREE_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(importlib.import_module("gametree.kernels.jit"), "_dispatchers", {})
    from gametree.kernels.waiting import use_policy

    game = load_game(name)
    with use_policy("never"):
        state = game.initial()
        while game.player(state) < 0:
            state = game.result(state, game.actions(state)[0])
        action, _ = choose_without_compiling(game, state, game.player(state), seconds=0.3)
        assert action in game.actions(state)
    assert not list(tmp_path.rglob("*.kernel"))


def test_the_substitute_sees_a_win_in_one() -> None:
    game = load_game("connect4")
    state = game.initial()
    for text in ("1", "2", "1", "2", "1", "2"):
        state = game.result(state, game.action_from_text(state, text))
    action, result = choose_without_compiling(game, state, 0)
    assert game.action_text(state, action) == "1"
    assert substitute_algorithm(game) in ("alphabeta", "quiescence")
    assert result is None or result.move == action


# What the terminal shows ----------------------------------------------------------------------------------------------


def test_a_terminal_shows_a_bar_and_others_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    screen = io.StringIO()
    news = CompileNews(Console(file=screen, force_terminal=True, width=100))
    news.say("compiling chess, once")
    news.show("chess", 0.25, 40.0)
    news.show("chess", 0.5, 12.0)
    news.show("chess", 1.0, 0.0)
    assert "compiling chess, once" in screen.getvalue()
    assert "about 40 s left" in screen.getvalue()
    assert capsys.readouterr().err == ""
    news.say("compiled code of chess could not be read (why); compiling again")
    assert "could not be read (why)" in capsys.readouterr().err

    quiet = CompileNews(Console(file=io.StringIO(), force_terminal=False))
    for _ in range(2):
        quiet.say("compiling chess, once")
        quiet.show("chess", 0.5, 3.0)
    assert capsys.readouterr().err == "gametree: compiling chess, once\n"


def test_seconds_are_rounded_as_people_do() -> None:
    assert [seconds_in_words(seconds) for seconds in (0.2, 7.4, 38, 130)] == [
        "about 1 s left",
        "about 7 s left",
        "about 40 s left",
        "about 2 min left",
    ]
