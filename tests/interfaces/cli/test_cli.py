"""The command line as a user meets it: what it prints, and one sentence with exit code 2 for every mistake."""

from __future__ import annotations

import functools
import json
import os
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path
from typing import Any

import pytest

TEXTBOOK = "((3 12 8) (2 4 6) (14 5 2))"


def type_in(monkeypatch: pytest.MonkeyPatch, *lines: str) -> None:
    """Let the next inputs be these lines, then the end of the input."""
    answers = iter(lines)

    def read(*_: object, **__: object) -> str:
        try:
            return next(answers)
        except StopIteration:
            raise EOFError from None

    monkeypatch.setattr("rich.console.Console.input", read)


# Figures that the documentation promises ----------------------------------------------------------------------------


def test_without_arguments_it_helps(gametree: Any) -> None:
    code, out, _ = gametree()
    assert code == 0
    for command in ("games", "play", "analyse", "tree", "quiz", "experiment", "check", "new"):
        assert command in out


def test_minimax_of_tic_tac_toe_looks_at_every_node(gametree: Any) -> None:
    code, out, _ = gametree("analyse", "tictactoe", "--algorithm", "minimax", "--json")
    data = json.loads(out)
    assert code == 0
    assert (data["value"], data["nodes"]) == (0, 549946)
    assert {"value", "move", "pv", "nodes", "algorithm", "depth", "seconds"} <= set(data)


def test_alphabeta_of_tic_tac_toe_needs_far_fewer(gametree: Any) -> None:
    data = json.loads(gametree("analyse", "tictactoe", "--algorithm", "alphabeta", "--json")[1])
    assert data["value"] == 0
    assert data["nodes"] < 549946 / 20


def test_the_textbook_tree_skips_exactly_4_and_6(gametree: Any) -> None:
    data = json.loads(gametree("tree", TEXTBOOK, "--algorithm", "alphabeta", "--format", "json")[1])
    assert data["value"] == 3
    assert [leaf["value"] for leaf in data["skipped_leaves"]] == [4, 6]
    record = data["record"]["nodes"]
    assert [record["value"][row] for row, order in enumerate(record["order"]) if order < 0] == [4, 6]


# Everyday use -------------------------------------------------------------------------------------------------------


def test_lists(gametree: Any) -> None:
    games = {row["name"] for row in json.loads(gametree("games", "--json")[1])}
    assert {"tictactoe", "nim", "pig", "kuhn", "goofspiel", "tree"} <= games
    algorithms = {row["name"] for row in json.loads(gametree("algorithms", "--json")[1])}
    assert {"minimax", "alphabeta", "mcts", "expectiminimax", "proof-number"} <= algorithms
    assert "tictactoe" in gametree("games")[1]


@pytest.mark.parametrize(
    ("arguments", "value"),
    [
        (["nim:1-2-3"], -1),
        (["nim:1-2-4", "-a", "mtdf"], 1),
        (["tree:((3 12 8) (2 4 6) (14 5 2))", "2", "-a", "negamax"], -2),
        (["tictactoe", "--moves", "a1 b2", "-a", "alphabeta", "--depth", "0"], -1 / 9),
        (["pig:target=3", "-a", "expectiminimax", "--depth", "4"], None),
        (["tictactoe", "--time", "60", "-a", "alphabeta"], 0),
    ],
)
def test_analyse(gametree: Any, arguments: list[str], value: float | None) -> None:
    code, out, err = gametree("analyse", *arguments, "--json")
    assert code == 0, err
    data = json.loads(out)
    if value is not None:
        assert data["value"] == pytest.approx(value)


def test_analyse_in_words(gametree: Any) -> None:
    code, out, _ = gametree("analyse", "tictactoe", "XO./.X./..O")
    assert code == 0
    assert "The position is worth 1 to player 1; play a2." in out
    assert "Best play: a2 c3 c2" in out


@pytest.mark.parametrize(
    "order",
    [["POSITION", "--depth", "1", "--json"], ["--depth", "1", "POSITION", "--json"], ["--json", "--", "POSITION"]],
)
def test_a_position_may_begin_with_a_dash(gametree: Any, order: list[str]) -> None:
    position = "-XXXXXX---XOOOO--XOXXOOX-OOOOOOOOOOOXXOOOOOXXOOX--XXOO----XXXXX- X"
    words = [position if word == "POSITION" else word for word in order]
    code, out, err = gametree("analyse", "othello", "-a", "engine", "--depth=1", *words)
    assert code == 0, err
    assert json.loads(out)["position"] == position


def test_tree_formats_and_a_saved_record(gametree: Any, tmp_path: Path) -> None:
    assert "skipped (4, 6)" in gametree("tree", TEXTBOOK)[1]
    assert gametree("tree", TEXTBOOK, "-f", "svg", "-o", "tree.svg")[0] == 0
    assert (tmp_path / "tree.svg").read_text().startswith("<svg")
    assert gametree("tree", TEXTBOOK, "-f", "json", "-o", "tree.json")[0] == 0
    code, out, _ = gametree("tree", "tree.json", "-f", "svg")
    assert code == 0
    assert out == (tmp_path / "tree.svg").read_text()
    (tmp_path / "typed.txt").write_text(TEXTBOOK)
    assert "skipped (4, 6)" in gametree("tree", "typed.txt")[1]
    assert "b1: " in gametree("tree", "-g", "tictactoe", "-p", "XOX/OX./..O")[1]


def test_tree_steps(gametree: Any, tmp_path: Path) -> None:
    code, out, _ = gametree("tree", "(3 (2 4))", "--step")
    assert code == 0
    assert out.count("\n\n") > 4
    assert gametree("tree", "(3 (2 4))", "--step", "-f", "svg", "-o", "slide.svg")[0] == 0
    assert (tmp_path / "slide-001.svg").exists()


def test_examples_are_listed_and_shown(gametree: Any) -> None:
    names = [line.split()[0] for line in gametree("tree", "--example", "list")[1].splitlines() if line.strip()]
    assert len(names) >= 10
    for name in names:
        code, out, err = gametree("tree", "--example", name)
        assert code == 0, (name, err)
        assert out.strip()


def test_new_check_play_and_analyse_an_own_game(gametree: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    assert gametree("new", "my_game")[0] == 0
    code, out, err = gametree("check", "my_game.py")
    assert code == 0, err
    assert "keeps the contract" in out
    assert json.loads(gametree("analyse", "my_game.py:stones=5", "--json")[1])["value"] == 1
    type_in(monkeypatch, "3", "quit")
    assert gametree("play", "my_game.py:stones=7", "--against", "alphabeta")[0] == 0
    code, _, err = gametree("new", "my_game")
    assert code == 2
    assert "exists already" in err


def test_play_a_whole_game_by_typing(gametree: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    type_in(
        monkeypatch,
        "help",
        "",
        "zz",
        "hint",
        "why",
        "moves",
        "board",
        "b2",
        "undo",
        "b2",
        "a1",
        "c1",
        "a2",
        "c3",
        "b3",
        "b1",
        "c2",
        "a3",
    )
    code, out, _ = gametree("play", "tictactoe")
    assert code == 0
    assert "'zz' is not a legal move here." in out
    assert "positions with alphabeta" in out
    assert "A draw." in out or "Player 2 wins." in out or "The input ended" in out
    assert "You win" not in out


def test_nobody_beats_perfect_play(gametree: Any) -> None:
    for seed in range(5):
        code, out, _ = gametree("play", "tictactoe", "--seat", "0", "--no-explain", "--seed", str(seed))
        assert code == 0
        assert "A draw." in out


@pytest.mark.parametrize("game", ["pig:target=6", "kuhn", "goofspiel", "nim:1-2"])
def test_every_kind_of_game_can_be_watched(gametree: Any, game: str) -> None:
    code, out, err = gametree("play", game, "--seat", "0", "--against", "random:seed=1", "--seed", "1", "--no-explain")
    assert code == 0, err
    assert "player 1:" in out


# Mistakes -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["frobnicate"], ["frobnicate"]),
        (["analyse"], ["GAME"]),
        (["analyse", "tictacto"], ["tictacto", "Did you mean 'tictactoe'?"]),
        (["analyse", "tictactoe:size=4"], ["size", "tictactoe"]),
        (["analyse", "nim:piles=a-b"], ["a-b"]),
        (["analyse", "tree:branching=x"], ["branching=x", "int"]),
        (["analyse", "tree:depht=3"], ["Did you mean 'depth'?"]),
        (["analyse", "tictactoe:"], ["tictactoe:"]),
        (["analyse", "tictactoe", "-a", "alfabeta"], ["alfabeta", "Did you mean 'alphabeta'?"]),
        (["analyse", "tictactoe", "-a", "alphabeta:depth=x"], ["depth=x"]),
        (["analyse", "tictactoe", "--depth", "-1"], ["-1", "0 up"]),
        (["analyse", "tictactoe", "--depth", "two"], ["--depth"]),
        (["analyse", "tictactoe", "--time", "0"], ["0 s", "more than 0"]),
        (["analyse", "tictactoe", "XXXX"], ["XXXX", "nine"]),
        (["analyse", "tictactoe", "XXX/.../..."], ["3 X and 0 O"]),
        (["analyse", "tictactoe", "--moves", "a1 a1"], ["a1", "not a legal move"]),
        (["analyse", "pig", "-a", "alphabeta"], ["chance", "pig"]),
        (["analyse", "kuhn", "-a", "expectiminimax"], ["hidden", "kuhn"]),
        (["analyse", "goofspiel", "-a", "minimax"], ["goofspiel"]),
        (["analyse", "missing.py"], ["missing.py"]),
        (["tree"], ["SOURCE"]),
        (["tree", ""], ["empty"]),
        (["tree", "("], ["ends too early"]),
        (["tree", "(1 2"], ["ends too early"]),
        (["tree", "(1 $ 2)"], ["character", "$"]),
        (["tree", "(1 2) 3"], ["already complete"]),
        (["tree", "nowhere.json"], ["nowhere.json"]),
        (["tree", "--example", "textbok"], ["textbok", "Did you mean 'textbook'?"]),
        (["tree", "(1 2)", "--nodes", "0"], ["--nodes 0"]),
        (["tree", "(1 2)", "-f", "png"], ["png"]),
        (["tree", "(1 2)", "-f", "svg", "-o", "no/such/tree.svg"], ["no/such/tree.svg", "cannot be written"]),
        (["tree", "(1 2)", "-f", "svg", "--step"], ["-o"]),
        (["tree", "max(3, min(2, x))", "-a", "minimax"], ["x", "no value"]),
        (["play", "tictactoe", "--seat", "3"], ["seat 3"]),
        (["play", "tictactoe", "--against", "nobody"], ["nobody"]),
        (["play", "tictactoe", "--against", "alphabeta:time=-1"], ["time=-1"]),
        (["play", "tictactoe", "--against", "random:seed=x"], ["random"]),
        (["new", "Not-A-Name"], ["Not-A-Name"]),
        (["new", "class"], ["class"]),
        (["experiment", "ordering", "--depth", "x"], ["--depth x"]),
        (["experiment", "ordering", "--depth", "1..2", "--seeds", "1", "--plot", "no/where.png"], ["no/where.png"]),
        (["experiment", "ordering", "--depth", "1..2", "--seeds", "1", "--plot", "plot.xyz"], ["plot.xyz"]),
        (["experiment", "compare", "--algorithms", "nothing"], ["nothing"]),
    ],
    ids=lambda value: " ".join(value)[:50] if value and isinstance(value, list) else "",
)  # fmt: skip
def test_a_mistake_gets_one_sentence_and_exit_code_2(
    gametree: Any, tmp_path: Path, arguments: list[str], words: list[str]
) -> None:
    code, _, err = gametree(*arguments)
    assert code == 2, err
    assert err.startswith("gametree: ")
    assert err.count("\n") == 1
    assert "Traceback" not in err
    for word in words:
        assert word in err
    assert list(tmp_path.iterdir()) == []  # nothing half-written


BROKEN_GAMES = {
    "raises": ("def actions(self, state):\n        return [1 // 0]", ["ZeroDivisionError", "actions"]),
    "not_a_number": ("def utility(self, state, player):\n        return float('nan')", ["utility", "nan"]),
    "unhashable": ("def initial(self):\n        return [0]", ["initial", "hash"]),
    "loops": ("def actions(self, state):\n        while True:\n            pass", ["actions", "did not return"]),
    "endless": ("def actions(self, state):\n        n = 0\n        while True:\n            yield n", ["actions"]),
}


@pytest.mark.parametrize("command", ["check", "analyse"])
@pytest.mark.parametrize("kind", BROKEN_GAMES)
def test_a_broken_user_game_is_reported_not_suffered(gametree: Any, tmp_path: Path, kind: str, command: str) -> None:
    body, words = BROKEN_GAMES[kind]
    source = textwrap.dedent(
        """
        from gametree import Facts, Game

        class Countdown(Game):
            facts = Facts()
            def initial(self): return 3
            def player(self, state): return state % 2
            def actions(self, state): return [1] if state else []
            def result(self, state, action): return state - action
            def is_terminal(self, state): return state == 0
            def utility(self, state, player): return 1 if player else -1
        """
    )
    (tmp_path / "sound.py").write_text(source + "\ngame = Countdown\n")
    assert gametree(command, "sound.py")[0] == 0
    (tmp_path / "broken.py").write_text(source + f"\nclass Broken(Countdown):\n    {body}\n\ngame = Broken\n")
    code, _, err = gametree(command, "broken.py")
    assert code == 2
    assert err.count("\n") == 1
    assert "Traceback" not in err
    for word in words:
        assert word in err


def test_a_user_file_that_does_not_load(gametree: Any, tmp_path: Path) -> None:
    (tmp_path / "syntax.py").write_text("def f(:\n")
    (tmp_path / "nothing.py").write_text("x = 1\n")
    (tmp_path / "raises.py").write_text("\n\nraise ValueError('no')\n")
    for name, words in (("syntax", ["line 1"]), ("nothing", ["`game`"]), ("raises", ["line 3", "ValueError: no"])):
        code, _, err = gametree("check", f"{name}.py")
        assert code == 2
        assert err.count("\n") == 1
        for word in words:
            assert word in err


def test_control_c_exits_130_and_leaves_no_file(tmp_path: Path) -> None:
    """A search that would take hours is interrupted in its middle, before its picture is written."""
    (tmp_path / "long.py").write_text(
        textwrap.dedent(
            """
            import pathlib
            from gametree import Facts, Game

            class Long(Game):
                facts = Facts(longest_game=40, most_moves=2)
                def initial(self): return 1
                def player(self, state): return state.bit_length() % 2
                def actions(self, state): return [] if self.is_terminal(state) else [0, 1]
                def is_terminal(self, state): return state.bit_length() > 40
                def utility(self, state, player): return 1 if player else -1
                def result(self, state, action):
                    pathlib.Path("started").touch()
                    return 2 * state + action

            game = Long
            """
        )
    )
    words = "-m gametree tree -g long.py -a minimax-labelling -f svg -o out.svg"
    command = [sys.executable, *words.split()]
    # Whoever runs the tests in the background of a shell has them ignore Ctrl-C, and so all that they start.
    heed = functools.partial(signal.signal, signal.SIGINT, signal.SIG_DFL)
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    running = subprocess.Popen(command, cwd=tmp_path, text=True, preexec_fn=heed, **pipes)
    try:
        while not (tmp_path / "started").exists():
            assert running.poll() is None
            time.sleep(0.05)
        os.kill(running.pid, signal.SIGINT)
        _, err = running.communicate(timeout=30)
    finally:
        running.kill()
    assert running.returncode == 130
    assert err == "gametree: Stopped.\n"
    assert sorted(file.name for file in tmp_path.iterdir() if file.is_file()) == ["long.py", "started"]


def test_a_reader_that_leaves_is_no_error(tmp_path: Path) -> None:
    done = subprocess.run(
        f"{sys.executable} -m gametree algorithms | head -1",
        shell=True,
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0
    assert done.stderr == ""


@pytest.mark.parametrize("words", ["games", "games --json", "--help"])
def test_output_to_a_full_disk(words):
    done = subprocess.run(
        f"{sys.executable} -m gametree {words} > /dev/full",
        shell=True, stderr=subprocess.PIPE, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 2
    assert (
        done.stderr == "gametree: The output cannot be written: No space left on device. Expected room on the disk.\n"
    )


def test_an_error_of_our_own_is_not_blamed_on_the_user(gametree: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gametree.interfaces.cli.games.summaries", lambda room: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        gametree("games")


# The quiz, the solver and the counters ----------------------------------------------------------------------------


def test_quiz_right_and_wrong(gametree: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    from gametree.teaching.quiz import make_quiz

    answer = make_quiz(7)
    code, out, _ = gametree("quiz", "--seed", "7", "--value", str(answer.value), "--skipped", " ".join(answer.skipped))
    assert code == 0
    assert "2 of 2 right" in out
    wrong = str(answer.value + 1)
    type_in(monkeypatch, "what?", wrong, "none")
    code, out, _ = gametree("quiz", "--seed", "7", "--svg", "quiz.svg")
    assert code == 0
    assert "'what?' is not a number" in out
    assert "0 of 2 right" in out
    assert f"not {wrong}".removesuffix(".0") in out
    assert "<svg" in (tmp_path / "quiz.svg").read_text()
    data = json.loads(gametree("quiz", "--seed", "7", "--json", "--value", wrong)[1])
    assert data["value"]["correct"] is False
    assert "skipped" not in data
    assert gametree("quiz", "--seed", "7", "--json")[1] == gametree("quiz", "--seed", "7", "--json")[1]
    type_in(monkeypatch)
    assert gametree("quiz")[0] == 0


def test_quiz_with_nonsense(gametree: Any) -> None:
    for arguments in (
        ["--difficulty", "0"],
        ["--depth", "0"],
        ["--seed", "1", "--value", "x"],
        ["--branching", "99999"],
    ):
        code, _, err = gametree("quiz", *arguments)
        assert code == 2
        assert err.count("\n") == 1


def test_solve(gametree: Any, tmp_path: Path) -> None:
    data = json.loads(gametree("solve", "nim:1-5-4-2", "--json")[1])
    assert (data["value"], data["bound"]) == (1, "exact")
    data = json.loads(gametree("solve", "tictactoe", "--strong", "--json")[1])
    assert (data["value"], data["positions"], data["terminal"]) == (0, 5478, 958)
    assert gametree("solve", "nim:2-2", "--strong", "-o", "all.jsonl")[0] == 0
    lines = [json.loads(line) for line in (tmp_path / "all.jsonl").read_text().splitlines()]
    assert {"position", "value"} == set(lines[0])
    assert "values for player 1" in gametree("solve", "nim:2-2", "--strong")[1]
    assert "play" in gametree("solve", "nim:1-2")[1]


def test_perft(gametree: Any) -> None:
    assert json.loads(gametree("perft", "tictactoe", "9", "--json")[1])["nodes"] == 127872
    out = gametree("perft", "nim:2-1", "2", "--divide")[1]
    assert "5 lines of 2 plies" in out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["solve", "nim", "-o", "x"], ["--strong"]),
        (["solve", "kuhn"], ["hidden"]),
        (["solve", "kuhn", "--strong"], ["hidden"]),
        (["perft", "tictactoe", "-1"], ["-1"]),
        (["warmup", "tictactoe3"], ["tictactoe3", "not a compiled game"]),
    ],
)
def test_their_mistakes(gametree: Any, arguments: list[str], words: list[str]) -> None:
    code, _, err = gametree(*arguments)
    assert code == 2, err
    assert err.count("\n") == 1
    for word in words:
        assert word in err


def test_the_cache_is_shown_and_cleared(gametree: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GAMETREE_CACHE_DIR", str(tmp_path / "kernels"))
    assert "0 files" in gametree("cache")[1]
    code, out, err = gametree("cache", "--clear", "--json")
    assert code == 0, err
    assert json.loads(out)["removed"] == 0
