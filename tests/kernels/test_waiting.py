"""Code that is not compiled yet: what runs meanwhile, who is told, and what is stored for whom."""

from __future__ import annotations

import importlib
import os
import random
import shutil
import subprocess
import sys
import types
from pathlib import Path
from typing import Any

import pytest

from gametree import GameError, load_game
from gametree.core.game import CHANCE
from gametree.kernels import CompiledGame, cache, cache_report, clear_cache, jit, on_compile, on_progress, waiting
from gametree.kernels.jit import _literal_key
from gametree.kernels.waiting import NotCompiled, on_missing, plain_at_first, policy, set_policy, use_policy
from gametree.knowledge.keys import keys_for

STEP = 1


def add(n: int) -> int:
    return n + STEP


def add_twice(n: int) -> int:
    return add(add(n))


def fresh(function: Any, *, small: bool = False, **constants: Any) -> Any:
    """A function like this one, with other constants, that no process has compiled yet."""
    space = {**function.__globals__, **constants}
    made = types.FunctionType(function.__code__, space, function.__name__, function.__defaults__)
    return plain_at_first(made) if small else made


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("GAMETREE_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(importlib.import_module("gametree.kernels.jit"), "_dispatchers", {})
    return tmp_path


@pytest.fixture
def told(monkeypatch: pytest.MonkeyPatch) -> Any:
    heard: list[str] = []
    on_compile(heard.append)
    yield heard
    on_compile(None)


def forget(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a new process would not know."""
    monkeypatch.setattr(importlib.import_module("gametree.kernels.jit"), "_dispatchers", {})


# Policies -------------------------------------------------------------------------------------------------------------


def test_a_small_kernel_runs_plain_until_that_is_dear(
    store: Path, told: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    kernel = jit(fresh(add, small=True, STEP=11))
    with use_policy("plain"):
        assert [kernel(n) for n in range(3)] == [11, 12, 13]
        assert told == []
        monkeypatch.setattr(waiting, "PLAIN_SECONDS", 0.0)
        assert kernel(3) == 14
    assert told == ["compiling add, once"]
    assert jit(fresh(add, STEP=12))(1) == 13  # others are compiled at once, whatever they cost
    assert len(told) == 2


def test_where_nothing_may_be_compiled_large_kernels_refuse(store: Path, told: list[str]) -> None:
    missed: list[str] = []
    on_missing(missed.append)
    try:
        with use_policy("never"):
            small, large = jit(fresh(add, small=True, STEP=21)), jit(fresh(add_twice, add=fresh(add, STEP=22)))
            assert small(1) == 22
            for _ in range(2):
                with pytest.raises(NotCompiled, match="add_twice is not compiled yet"):
                    large(1)
            with pytest.raises(NotCompiled):
                large.prepare(1)
    finally:
        on_missing(None)
    assert missed == ["add", "add_twice"]  # each once
    assert told == []
    assert not list(store.rglob("*.kernel"))


def test_code_that_another_process_stores_is_taken_up(
    store: Path, told: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    function = fresh(add, small=True, STEP=31)
    mine = jit(function)
    with use_policy("never"):
        assert mine(1) == 32
        assert not mine._last
    jit(function)(1)  # this one compiles
    assert told == ["compiling add, once"]
    forget(monkeypatch)
    with use_policy("never"):
        assert mine(2) == 33
        assert mine._last
    assert len(told) == 1


def test_policies_nest_and_end() -> None:
    assert policy() == "compile"
    set_policy("plain")
    try:
        with use_policy("never"):
            assert policy() == "never"
        assert policy() == "plain"
    finally:
        set_policy("compile")


def test_progress_rises_to_one(store: Path) -> None:
    heard: list[tuple[str, float, float]] = []
    on_progress(lambda *news: heard.append(news))
    try:
        assert jit(fresh(add_twice, add=fresh(add, STEP=41)))(1) == 83
    finally:
        on_progress(None)
    shares = [share for _, share, _ in heard]
    assert shares == sorted(shares)
    assert (shares[0], shares[-1]) == (0.0, 1.0)
    assert len(set(shares)) > 2
    assert all(label == "add_twice" and seconds >= 0 for label, _, seconds in heard)


# What the store says --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("damage", [lambda data: data[:40], lambda data: b"", lambda data: data[:-1] + b"?"])
def test_code_that_cannot_be_read_says_so(
    store: Path, told: list[str], monkeypatch: pytest.MonkeyPatch, damage: Any
) -> None:
    monkeypatch.setattr(cache, "load_faults", [])
    function = fresh(add, STEP=51)
    assert jit(function)(1) == 52
    [file] = store.rglob("*.kernel")
    file.write_bytes(damage(file.read_bytes()))
    forget(monkeypatch)
    assert jit(function)(1) == 52
    assert cache.load_faults == [("add.add", "its checksum is wrong")]
    again = "compiled code of add could not be read (its checksum is wrong); compiling again"
    assert told == ["compiling add, once", again, "compiling add, once"]
    forget(monkeypatch)
    assert jit(function)(1) == 52  # mended
    assert len(told) == 3


def test_sound_files_that_numba_refuses_name_the_reason(
    store: Path, told: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    import hashlib
    import pickle

    monkeypatch.setattr(cache, "load_faults", [])
    function = fresh(add, STEP=61)
    jit(function)(1)
    [file] = store.rglob("*.kernel")
    payload = pickle.dumps(("not", "code"))
    file.write_bytes(hashlib.sha256(payload).digest() + payload)
    forget(monkeypatch)
    assert jit(function)(1) == 62
    [(name, reason)] = cache.load_faults
    assert name == "add.add"
    assert reason.startswith("TypeError")
    assert any("could not be read (TypeError" in sentence for sentence in told)


def test_kinds_of_processors_leave_each_other_alone(
    store: Path, told: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    jit(fresh(add, STEP=71))(1)
    [mine] = store.rglob("*.kernel")
    os.utime(mine, (1, 1))
    monkeypatch.setattr(cache, "processor", lambda: "other-12345678")
    monkeypatch.setattr(cache, "LIMIT_BYTES", 1)  # everything of its own kind goes
    jit(fresh(add, STEP=72))(1)
    assert list(store.rglob("*.kernel")) == [mine]
    monkeypatch.setattr(cache, "LIMIT_BYTES", 1 << 20)
    jit(fresh(add, STEP=73))(1)
    report = cache_report()
    assert (report["processor"], report["files"]) == ("other-12345678", 1)
    assert report["others"] == {mine.parent.name: {"files": 1, "bytes": mine.stat().st_size}}
    assert clear_cache() == 2
    assert list(store.iterdir()) == []


def test_sets_have_the_same_key_in_any_order() -> None:
    words = ["one", "two", "three", "four", "five"]
    assert _literal_key(frozenset(words)) == ("frozenset", *sorted(map(repr, words)))


def make_adder(step: int) -> Any:
    def add_step(n: int) -> int:
        return n + step

    return add_step


def test_what_a_function_has_enclosed_is_part_of_its_name(store: Path, told: list[str]) -> None:
    assert [jit(make_adder(step))(1) for step in (81, 82)] == [82, 83]
    assert len(told) == 2


# Second processes -----------------------------------------------------------------------------------------------------


def command(store: Path, folder: Path, *words: str) -> str:
    """Run a command in a process of its own; what it says on standard error."""
    done = subprocess.run(
        [sys.executable, "-m", "gametree", *words],
        cwd=folder,
        env={**os.environ, "GAMETREE_CACHE_DIR": str(store), "XDG_DATA_HOME": str(store / "data")},
        capture_output=True,
        text=True,
        check=False,
        timeout=900,
    )
    assert done.returncode == 0, done.stderr
    return done.stderr


@pytest.mark.parametrize(
    "words",
    [
        ("solve", "tictactoe"),
        ("perft", "connect4:columns=4,rows=3", "2"),
        ("analyse", "shift.py", "--depth", "2"),
        ("perft", "my games/shift two.py", "2"),
    ],
    ids=["built in", "with parameters", "a user's file", "a path with spaces"],
)
def test_no_second_process_compiles(tmp_path: Path, words: tuple[str, ...]) -> None:
    store, spaced = tmp_path / "store", tmp_path / "my games"
    spaced.mkdir()
    if words[1].endswith(".py"):
        command(store, tmp_path, "new", "shift", "--compiled")
        shutil.copy(tmp_path / "shift.py", spaced / "shift two.py")
    assert "compiling" in command(store, tmp_path, *words, "--json")
    second = command(store, tmp_path, *words, "--json")
    assert "compiling" not in second
    assert "could not be read" not in second
    if words[1].endswith(".py"):  # a file that moved is still the same code
        moved = tmp_path / "moved"
        moved.mkdir()
        shutil.copy(tmp_path / words[1], moved / Path(words[1]).name)
        assert "compiling" not in command(store, moved, words[0], Path(words[1]).name, *words[2:], "--json")


# Plain and compiled are the same --------------------------------------------------------------------------------------


def everything(game: CompiledGame, seed: int, plies: int) -> list[Any]:
    """What the small kernels of a game say along a line of play."""
    lots, state, said = random.Random(seed), game.initial(), []
    for _ in range(plies):
        over, mover = game.is_terminal(state), game.player(state)
        said += [state, over, mover, game.state_text(state), game.draw(state), keys_for(game).find(state)]
        if game.offers("evaluate"):
            said.append(game.evaluate(state, 0))
        if game.offers("symmetries"):
            said.append(list(game.symmetries(state)))
        explain = game.explain_sides if game.offers("explain_sides") else None
        if explain is not None and not over:
            said.append(list(explain(state)))
        if over:
            said.append(game.utility(state, 0))
            break
        if mover == CHANCE:
            said.append(list(game.outcomes(state)))
        elif game.offers("noisy_actions"):
            said.append(game.noisy_actions(state))
        actions = list(game.actions(state))
        said += [actions, [game.action_text(state, action) for action in actions]]
        state = game.result(state, lots.choice(actions))
    return said


@pytest.mark.parametrize("name", ["chess", "othello", "connect4", "einstein", "go:size=5"])
def test_plain_rules_say_what_compiled_ones_say(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    compiled = everything(load_game(name), 1, 25)
    monkeypatch.setenv("GAMETREE_CACHE_DIR", str(tmp_path))
    forget(monkeypatch)
    game = load_game(name)
    with use_policy("never"):
        assert everything(game, 1, 25) == compiled
    assert not list(tmp_path.rglob("*.kernel"))
    assert isinstance(game, CompiledGame)
    assert not any(kernel._last for kernel in game.rules._kernels.values())


def test_mistakes_of_a_source_are_told_as_before(store: Path) -> None:
    def wrong(n: int) -> Any:
        return n.nothing

    with pytest.raises(GameError, match="wrong cannot be compiled"):
        jit(wrong)(1)


def test_flags_are_equal_where_numba_says_so() -> None:
    from numba.core.compiler import Flags

    from gametree.kernels._library import _compare_flags, _same_flags

    plain, other, same = Flags(), Flags(), Flags()
    other.nrt = True
    same.nrt = False  # set, but to what it is anyway
    assert Flags.__eq__ is _compare_flags  # only while a kernel is compiled does the other hold
    for one in (plain, other, same):
        for two in (plain, other, same, "text"):
            assert _same_flags(one, two) == _compare_flags(one, two)
    assert _same_flags(plain, same)
    assert not _same_flags(plain, other)
