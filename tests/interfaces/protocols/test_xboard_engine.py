"""`gametree engine xboard`: by transcripts, and against our own client of the protocol."""

from __future__ import annotations

import io
import re
import subprocess
import sys
import time
from collections.abc import Iterator

import chess
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gametree import load_game
from gametree.interfaces.protocols._lines import LONGEST
from gametree.interfaces.protocols._session import Session
from gametree.interfaces.protocols.xboard import XboardEngine
from gametree.play.endings import Adjudication
from gametree.play.players import make_player
from gametree.play.referee import play_game

COMMAND = [sys.executable, "-m", "gametree", "engine", "xboard"]
SECONDS = 60  # a machine may be busy; nothing here takes long
SESSION = Session()
"""Loaded once for all conversations of this file."""


def converse(*script: str | tuple[str, str]) -> list[str]:
    """What is said to the lines; behind a line may stand what to wait for before the next (a regular expression)."""
    output = io.StringIO()
    missing: list[str] = []

    def lines() -> Iterator[str]:
        for item in script:
            line, awaited = (item, "") if isinstance(item, str) else item
            seen = len(output.getvalue())
            yield line
            deadline = time.monotonic() + SECONDS
            while awaited and not re.search(awaited, output.getvalue()[seen:], re.MULTILINE):
                if time.monotonic() > deadline:
                    missing.append(f"{line}: {awaited}")
                    return
                time.sleep(0.005)

    engine = XboardEngine(output)
    engine.session = SESSION
    SESSION.set_up()
    engine.serve(lines())
    assert not missing, (missing, output.getvalue())
    return output.getvalue().splitlines()


def moves(said: list[str]) -> list[str]:
    return [line.split()[1] for line in said if line.startswith("move ")]


def test_the_introduction_names_the_features():
    said = converse("xboard", ("protover 2", "done=1"), "accepted ping", "rejected analyze")
    features = " ".join(line.removeprefix("feature ") for line in said)
    assert said[0] == "feature done=0"
    assert said[-1] == "feature done=1"
    for word in ("ping=1", "setboard=1", "usermove=1", "time=1", "draw=1", "sigint=0", "sigterm=0", "reuse=1",
                 "smp=1", "analyze=1", 'variants="normal,fischerandom"', 'myname="gametree', "colors=0",
                 "memory=1"):  # fmt: skip
        assert word in features, word
    assert not [line for line in said if line.startswith("Error")]


def test_a_game_with_both_sides_force_and_undo():
    said = converse(
        "new", "sd 3", ("usermove e2e4", "^move "), ("usermove d2d4", "^move "),
        "force", "usermove a2a3", "undo", "undo", ("go", "^move "), "remove", ("ping 7", "pong 7"),
    )  # fmt: skip
    assert len(moves(said)) == 3
    board = chess.Board()
    board.push_uci("e2e4")
    board.push_uci(moves(said)[0])
    board.push_uci("d2d4")
    board.push_uci(moves(said)[1])
    # The last `go` was asked with the move before taken back, so it is Black's again.
    board.pop()
    assert chess.Move.from_uci(moves(said)[2]) in board.legal_moves


def test_playing_white_and_changing_sides():
    said = converse("new", "sd 2", "force", ("go", "^move "), "force", "usermove e7e5", ("go", "^move "),
                    "playother", ("usermove a7a6", "^move "))  # fmt: skip
    board = chess.Board()
    for word in (moves(said)[0], "e7e5", moves(said)[1], "a7a6", moves(said)[2]):
        board.push_uci(word)
    assert board.turn == chess.BLACK


def test_mistakes_are_answered_in_the_words_of_the_protocol():
    said = converse("new", "force", "fly high", "usermove e2e5", "e2e5", "usermove nonsense", "setboard 8/8/8 w",
                    "level 1", "st x", "sd 0", "variant atomic", "option Sound=3", "option MultiPV=99", "undo", "",
                    "time", "memory lots", ("ping 1", "pong"))  # fmt: skip
    assert said[0] == "Error (unknown command): fly high"
    assert said[1] == said[2] == "Illegal move: e2e5"
    assert said[3] == "Illegal move: nonsense"
    assert said[4].startswith("tellusererror Illegal position: '8/8/8 w' is not a FEN")
    assert all(line.startswith("Error (") for line in said[5:-1])
    assert len(said[5:-1]) == 9
    assert said[-1] == "pong 1"


def test_thinking_is_shown_on_request():
    said = converse("new", "post", "sd 4", ("usermove e2e4", "^move "), "nopost", ("usermove d2d4", "^move "))
    shown = [line.split() for line in said if line[0].isdigit()]
    assert shown
    assert all(word.lstrip("-").isdigit() for line in shown for word in line[:4])
    assert shown[-1][0] == "4"
    assert shown[-1][4] == moves(said)[0]
    assert said[-1].startswith("move")
    assert not said[-2][0].isdigit()


def test_mates_and_ends_of_games():
    played = ["usermove f2f3", "usermove e7e5", "usermove g2g4", "usermove d8h4"]
    said = converse("new", "setboard 6k1/5ppp/8/8/8/8/8/K2R4 w - - 0 1", "post", "sd 4", ("go", "1-0"))
    assert said[-2:] == ["move d1d8", "1-0 {White mates}"]
    assert any(line.split()[1] == "100001" for line in said if line[0].isdigit())
    said = converse("new", "force", "setboard 7k/5Q2/8/6K1/8/8/8/8 w - - 0 1", "playother", ("usermove g5g6", "1/2"))
    assert said == ["1/2-1/2 {Stalemate}"]
    said = converse("new", "force", *played[:3], "sd 3", ("go", "0-1"))
    assert said == ["move d8h4", "0-1 {Black mates}"]
    # While it only keeps the board, nothing is claimed.
    assert converse("new", "force", *played, ("ping 1", "p")) == ["pong 1"]


def test_move_now_and_pings_that_have_to_wait():
    said = converse("new", "level 0 100 0", "usermove e2e4", "ping 3", ("?", "^move "), ("ping 4", "pong 4"))
    assert [line.split()[0] for line in said] == ["move", "pong", "pong"]
    said = converse("new", "st 1000", "usermove e2e4", "ping 3", ("force", "pong 3"))
    assert said == ["pong 3"]


@pytest.mark.parametrize("level", ["level 40 5 0", "level 0 0:02 0.1", "level 1 1 0", "st 0.05", "st 1"])
def test_clocks(level):
    said = converse(
        "new", level, "time 20", "otim 100", ("usermove e2e4", "^move "), "time -5", ("usermove a2a3", "^mov")
    )
    assert len(moves(said)) == 2


def test_pondering_on_the_expected_move_and_on_another():
    said = converse("new", "hard", "sd 4", ("usermove e2e4", "^move "), ("hint", "Hint: "), ("ping 1", "pong"))
    expected = next(line.split()[1] for line in said if line.startswith("Hint"))
    for word in (expected, "a2a3", "h2h3"):
        said = converse("new", "hard", "sd 4", ("usermove e2e4", "^move "), (f"usermove {word}", "^move "), "easy",
                        ("ping 1", "pong"))  # fmt: skip
        assert len(moves(said)) == 2
    assert converse("new", "force", ("hint", "Hint: "))[0].startswith("Hint: ")


def test_analysis():
    shown = r"^\d+ -?\d+ \d+ \d+ "
    said = converse(
        ("analyze", shown), (".", "stat01: "), ("usermove e2e4", shown), ("undo", shown),
        ("setboard 6k1/5ppp/8/8/8/8/8/K2R4 w - - 0 1", "100001"), "usermove e2e4", "exit", ("ping 2", "pong 2"),
    )  # fmt: skip
    assert not moves(said)
    assert "Illegal move: e2e4" in said
    assert said[-1] == "pong 2"


def test_castling_in_fischerandom():
    fen = "1k5r/1ppppppp/8/8/8/8/PPPP4/RK4R1 w KQ - 0 1"
    said = converse("new", "variant fischerandom", "force", f"setboard {fen}", "usermove O-O", "undo", "usermove b1g1",
                    "undo", ("ping 1", "pong"))  # fmt: skip
    assert said == ["pong 1"]
    engine = XboardEngine(io.StringIO())
    engine.obey("variant fischerandom")
    engine.obey("setboard 4k3/8/8/8/8/8/8/RK4R1 w KQ - 0 1")
    state, game = engine.session.state, engine.session.game
    texts = {engine._write(state, action) for action in game.actions(state)}
    assert {"O-O", "O-O-O"} <= texts
    assert "b1g1" not in texts


def test_draws_are_accepted_when_worse():
    queen_up = "setboard 4k3/8/8/8/8/8/3Q4/4K3 w - - 0 1"
    said = converse("new", queen_up, "sd 3", ("go", "^move "), "draw", ("ping 1", "pong"))
    assert "offer draw" not in said
    queen_down = "setboard 4k3/3q4/8/8/8/8/8/4K3 w - - 0 1"
    said = converse("new", queen_down, "sd 3", ("go", "^move "), "draw", ("ping 1", "pong"))
    assert "offer draw" in said
    assert converse("new", "draw", "result 1/2-1/2 {agreed}", ("ping 1", "pong")) == ["pong 1"]


def test_strength_lines_memory_and_cores():
    engine = XboardEngine(io.StringIO())
    for line in ("option Limit Strength=1", "option Elo=900", "option MultiPV=3", "option Move Overhead=50", "memory 4",
                 "cores 1"):  # fmt: skip
        engine.obey(line)
    session = engine.session
    assert (session.elo, session.lines, session.overhead, session.table_mib) == (900, 3, 0.05, 4)
    engine.obey("option Limit Strength=0")
    assert session.elo is None
    session.close()


LINES = st.text(max_size=30) | st.sampled_from(
    ["new", "force", "go", "undo", "remove", "sd 1", "st 1", "post", "usermove e2e4", "?", "hint", "draw", "ping 1",
     "hard", "variant fischerandom", "setboard x", "result *", "exit", ".", "white", "black", "playother", "time 5",
     "otim 5"]
)  # fmt: skip


@settings(deadline=None, max_examples=40)
@given(st.lists(LINES, max_size=8))
def test_garbage_is_survived(lines):
    said = converse("st 0.01", *(line for line in lines if line.strip() != "quit"), "force", ("ping 99", "pong 99"))
    assert said[-1] == "pong 99"
    assert "\n".join(said).isascii()


def test_a_line_without_end():
    assert converse("x" * (LONGEST + 1), ("ping 1", "pong"))[0].startswith("Error (line too long)")


def test_the_end_of_the_input_ends_the_process():
    with subprocess.Popen(COMMAND, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL) as process:
        process.stdin.write(b"new\nlevel 0 100 0\nusermove e2e4\n")
        process.stdin.close()
        assert process.wait(10 * SECONDS) == 0


def test_a_game_over_our_own_client_of_the_protocol():
    game = load_game("chess")
    ours = make_player(f'xboard:"{" ".join(COMMAND)}"?depth=2&start=600', game)
    try:
        record = play_game(game, [ours, make_player("random", game)], seed=3, adjudication=Adjudication(plies=60))
    finally:
        ours.close()
    assert record.reason in ("end", "limit")


def test_the_own_book_over_xboard(tmp_path):
    missing = tmp_path / "no such.bin"
    said = converse("new", "option Own Book=1", "sd 30", ("go", "^move "))  # to depth 30 it would think for hours
    assert moves(said)[0] in ("e2e4", "d2d4", "c2c4", "g1f3")
    said = converse("new", "option Own Book=1", f"option Book File={missing}", "sd 2", ("go", "^move "))
    assert [line for line in said if line.startswith("Error") and "cannot be read" in line]
    assert len(moves(said)) == 1
    assert "should be a whole number from 0 to 1" in converse("option Own Book=2")[0]
    SESSION.use_book(None)
