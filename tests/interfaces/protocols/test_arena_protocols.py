"""gametree as a program for others: GTP and JSON lines."""

from __future__ import annotations

import io
import json
import os
import shutil
import subprocess
import sys
import textwrap

import pytest

from gametree import __version__, game_names
from gametree.interfaces.cli import run
from gametree.interfaces.protocols.gtp import GtpEngine
from gametree.interfaces.protocols.jsonl import COMMANDS, JsonlEngine, schema


@pytest.fixture(scope="module")
def go() -> GtpEngine:
    return GtpEngine("random", size=5, komi=0.5)


def talk(engine: GtpEngine, *lines: str) -> list[str]:
    return [engine.answer(line) for line in lines]


def test_the_handshake_of_twogtp(go):
    said = talk(go, "protocol_version", "1 name", "2 version", "list_commands", "known_command genmove", "boardsize 5",
                "komi 0.5", "clear_board")  # fmt: skip
    assert said[0] == "= 2\n\n"
    assert said[1] == "=1 gametree\n\n"
    assert said[2] == f"=2 {__version__}\n\n"
    assert {"boardsize", "clear_board", "komi", "play", "genmove", "quit", "undo"} <= set(said[3].split())
    assert said[4] == "= true\n\n"
    assert said[5:] == ["=\n\n"] * 3


def test_playing_undoing_and_scoring(go):
    talk(go, "clear_board")
    assert talk(go, "play black C3", "play w d3", "7 play b c3") == ["=\n\n", "=\n\n", "?7 illegal move\n\n"]
    board = go.answer("showboard")
    assert " 3 . . X O . 3" in board
    assert go.answer("undo") == "=\n\n"
    assert " 3 . . X . . 3" in go.answer("showboard")
    talk(go, "undo")
    assert go.answer("undo") == "? cannot undo\n\n"
    talk(go, "play b c3")
    assert go.answer("final_score") == "= B+24.5\n\n"
    assert go.answer("komi 30") == "=\n\n"
    assert go.answer("final_score") == "= W+5\n\n"
    talk(go, "komi 0.5", "clear_board")


def test_genmove_plays_and_reg_genmove_does_not(go):
    talk(go, "clear_board")
    go.answer("reg_genmove b")
    assert go.words == []
    answer = go.answer("genmove b")
    assert answer.startswith("= ")
    assert go.words == [(0, answer[2:].strip())]
    # The same colour again: the other is taken to have passed.
    go.answer("genmove b")
    assert [color for color, _ in go.words] == [0, 0]
    talk(go, "clear_board", "play b pass", "play w pass")
    assert go.answer("genmove b") == "= pass\n\n"
    assert go.answer("play b a1") == "? illegal move\n\n"


def test_what_is_not_gtp(go):
    for line, answer in (
        ("", None),
        ("# a comment", None),
        ("fly", "? unknown command\n\n"),
        ("3 fly", "?3 unknown command\n\n"),
        ("play b", "? syntax error\n\n"),
        ("play green a1", "? syntax error\n\n"),
        ("play b z99", "? illegal move\n\n"),
        ("boardsize 99", "? unacceptable size\n\n"),
        ("boardsize x", "? unacceptable size\n\n"),
        ("komi much", "? syntax error\n\n"),
        ("time_settings a b c", "? syntax error\n\n"),
        ("time_left b x 0", "? syntax error\n\n"),
        ("12", "?12 unknown command\n\n"),
        ("name\x07 # really", "= gametree\n\n"),
    ):
        assert go.answer(line) == answer, line


def test_clocks_reach_the_player(go):
    talk(go, "clear_board", "time_settings 60 0 0")
    assert go.control.seconds == 60
    assert go._remaining() == (60, 60)
    talk(go, "time_left b 12 0")
    assert go._remaining() == (12, 60)
    talk(go, "time_settings 0 10 5")
    assert go.control.per_move == 2
    talk(go, "time_settings 0 1 0")
    assert not go.control.timed


def test_the_command_serves_until_quit(monkeypatch, capsys):
    monkeypatch.setattr("sys.stdin", io.StringIO("1 name\n2 quit\n3 name\n"))
    assert run(["engine", "gtp", "--player", "random", "--size", "3"]) == 0
    assert capsys.readouterr().out == "=1 gametree\n\n=2\n\n"
    assert run(["engine", "gtp", "--size", "30"]) == 2


@pytest.mark.skipif(
    shutil.which("gnugo", path=os.environ.get("PATH", "") + ":/usr/games") is None, reason="gnugo is not installed"
)
def test_a_game_of_gnu_go_against_our_own_engine(tmp_path):
    ours = f'gtp:"{sys.executable} -m gametree engine gtp --player random"?start=60&patience=60'
    theirs = 'gtp:"gnugo --mode gtp --level 1 --chinese-rules"'
    command = [sys.executable, "-m", "gametree", "match", ours, theirs, "-g", "go:size=5,komi=0.5,moves=60", "-n", "2",
               "-b", str(tmp_path / "a.db"), "--json"]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert set(json.loads(done.stdout)["reasons"]) <= {"end", "resigned"}


# JSON lines ----------------------------------------------------------------------------------------------------------


def ask(engine: JsonlEngine, command: str, **arguments):
    answer = engine.answer(json.dumps({"command": command, **arguments}))
    assert answer["ok"], answer
    _fits_schema(answer)
    return answer


def refused(engine: JsonlEngine, request) -> str:
    answer = engine.answer(request if isinstance(request, str) else json.dumps(request))
    assert answer["ok"] is False
    return answer["error"]


def _fits_schema(answer) -> None:
    properties = schema()["$defs"]["answer"]["properties"]
    kinds = {"string": str, "integer": int, "number": (int, float), "array": list, "boolean": bool, "object": dict,
             "null": type(None)}  # fmt: skip
    for key, value in answer.items():
        if key in properties and "type" in properties[key]:
            allowed = properties[key]["type"]
            allowed = [allowed] if isinstance(allowed, str) else allowed
            assert any(isinstance(value, kinds[kind]) for kind in allowed), (key, value)


def test_a_game_over_json_lines():
    engine = JsonlEngine()
    assert ask(engine, "hello", id=7) == {
        "id": 7, "ok": True, "name": "gametree", "version": __version__, "protocol": 1,
    }  # fmt: skip
    state = ask(engine, "new", game="tictactoe", moves=["b2"])
    assert (state["player"], state["terminal"], len(state["legal"])) == (1, False, 8)
    assert state["position"] == ".../.X./..."
    chosen = ask(engine, "choose", player="alphabeta")
    assert chosen["move"] in state["legal"]
    assert chosen["value"] == 0
    assert chosen["pv"][0] == chosen["move"]
    assert ask(engine, "play", moves=["a1", "a3"])["moves"] == ["b2", "a1", "a3"]
    assert ask(engine, "undo", count=2)["moves"] == ["b2"]
    assert "is not a legal move" in refused(engine, {"command": "play", "moves": ["a1", "a1"]})
    assert ask(engine, "state")["moves"] == ["b2"]  # all or none
    over = ask(engine, "play", moves=["a1", "a3", "b1", "c1"])
    assert over["terminal"]
    assert over["utilities"] == [1, -1]
    assert over["player"] is None
    assert "over" in refused(engine, {"command": "choose"})


@pytest.mark.parametrize("name", game_names())
def test_every_game_can_be_played_over_it(name):
    engine = JsonlEngine()
    state = ask(engine, "new", game={"tree": "tree:(1 (2 3))", "go": "go:size=3"}.get(name, name))
    for _ in range(12):
        if state["terminal"]:
            break
        if state["player"] == "chance":
            state = ask(engine, "roll", seed=3)
        elif state["player"] == "simultaneous":
            ask(engine, "choose", player="random", seat=0)
            state = ask(engine, "play", moves=[state["legal"][0]])
        else:
            state = ask(engine, "play", moves=[ask(engine, "choose", player="random")["move"]])
    assert state["moves"]


def test_a_users_own_game_over_it(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert run(["new", "stones"]) == 0
    engine = JsonlEngine()
    assert ask(engine, "new", game="stones.py")["legal"]
    (tmp_path / "bad.py").write_text(
        textwrap.dedent(
            """
            from gametree import Facts, Game
            class Bad(Game):
                facts = Facts()
                def initial(self): return 1 / 0
            game = Bad
            """
        )
    )
    assert "ZeroDivisionError" in refused(engine, {"command": "new", "game": "bad.py"})
    assert ask(engine, "state")["game"] == "stones.py"


def test_what_one_seat_may_not_see():
    engine = JsonlEngine()
    ask(engine, "new", game="kuhn")
    ask(engine, "roll", seed=1)
    shown = ask(engine, "state", seat=0)
    assert (shown["position"], shown["moves"]) == ("", [])
    assert "There is no seat 5" in refused(engine, {"command": "state", "seat": 5})


@pytest.mark.parametrize(
    ("request_", "words"),
    [
        ("nonsense", "is not JSON"),
        ("[1]", "Expected an object"),
        ({"command": "jump"}, "There is no command 'jump'"),
        ({}, "There is no command 'None'"),
        ({"command": "state"}, "There is no game yet"),
        ({"command": "new"}, "needs the argument 'game'"),
        ({"command": "new", "gane": "x"}, "Did you mean 'game'?"),
        ({"command": "new", "game": 3}, "should be a value of type string"),
        ({"command": "new", "game": "tictactoe", "moves": [1]}, "should be an array of strings"),
        ({"command": "new", "game": "nothing"}, "There is no game called 'nothing'"),
        ({"command": "undo", "count": True}, "should be a value of type integer"),
        ("x" * (1 << 21), "too long"),
    ],
)
def test_requests_that_make_no_sense(request_, words):
    assert words in refused(JsonlEngine(), request_)


def test_choices_that_make_no_sense():
    engine = JsonlEngine()
    ask(engine, "new", game="pig")
    assert "Chance is not to move" in refused(engine, {"command": "roll"})
    ask(engine, "play", moves=["roll"])
    assert "Chance is to move" in refused(engine, {"command": "choose"})
    ask(engine, "new", game="tictactoe")
    for arguments, words in (
        ({"seat": 1}, "Seat 1 is not to move"),
        ({"time": 0}, "above 0"),
        ({"player": "human"}, "A person cannot"),
        ({"player": "alphabet"}, "Did you mean 'alphabeta'"),
    ):
        assert words in refused(engine, {"command": "choose", **arguments})
    assert "cannot be taken back" in refused(engine, {"command": "undo"})
    ask(engine, "new", game="goofspiel")
    ask(engine, "roll", seed=1) if ask(engine, "state")["player"] == "chance" else None
    assert "name a seat" in refused(engine, {"command": "choose", "player": "random"})


def test_the_schema_names_every_command_and_argument(capsys):
    assert run(["engine", "jsonl", "--schema"]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert printed == schema()
    requests = {request["title"]: request for request in printed["$defs"]["request"]["oneOf"]}
    assert set(requests) == set(COMMANDS)
    for name, (_, arguments) in COMMANDS.items():
        assert set(requests[name]["properties"]) == {"command", "id", *arguments}


def test_the_command_speaks_json_lines(monkeypatch, capsys):
    monkeypatch.setattr("sys.stdin", io.StringIO('{"command": "hello"}\n\n{"command": "quit"}\n{"command": "hello"}\n'))
    assert run(["engine", "jsonl"]) == 0
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [line["ok"] for line in lines] == [True, True]
    assert lines[1]["bye"]
