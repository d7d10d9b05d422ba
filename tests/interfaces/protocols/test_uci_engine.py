"""`gametree engine uci`: by transcripts inside this process, and driven by python-chess as another program."""

from __future__ import annotations

import io
import subprocess
import sys
import time
from collections.abc import Iterator
from typing import Any

import chess
import chess.engine
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gametree.interfaces.cli import run
from gametree.interfaces.protocols._lines import LONGEST, read_lines
from gametree.interfaces.protocols._session import Limits, Session
from gametree.interfaces.protocols.uci import UciEngine
from gametree.play.strength import FULL_ELO, LOWEST_ELO

COMMAND = [sys.executable, "-m", "gametree", "engine", "uci"]
SECONDS = 60  # a machine may be busy; nothing here takes long
MATE_IN_TWO = "6k1/5ppp/8/8/8/8/5PPP/1R1R2K1 w - - 0 1"
MATE_IN_ONE = "6k1/5ppp/8/8/8/8/8/K2R4 w - - 0 1"
BURIED_KING = "rkbbnnrq/pppppppp/8/8/8/8/PPPPPPPP/RKBBNNRQ w KQkq - 0 1"


class Talk:
    """A conversation inside this process."""

    def __init__(self, game: str = "chess") -> None:
        self.output = io.StringIO()
        self.engine = UciEngine(self.output, game=game)

    def ask(self, *lines: str) -> list[str]:
        """What is said until the engine has nothing more to say, but for what it compiles, if it must."""
        start = len(self.output.getvalue())
        for line in lines:
            self.engine.obey(line)
        assert self.engine.session.wait(SECONDS)
        said = self.output.getvalue()[start:].splitlines()
        return [line for line in said if not line.startswith("info string compiling")]


@pytest.fixture(scope="module")
def talk() -> Iterator[Talk]:
    talk = Talk()
    talk.ask("isready")
    yield talk
    talk.engine.session.close()


@pytest.fixture(autouse=True)
def _afresh(request: pytest.FixtureRequest) -> Iterator[None]:
    yield
    if "talk" in request.fixturenames:
        talk = request.getfixturevalue("talk")
        names = {option.name: option.default for option in talk.engine.options.values() if option.kind != "button"}
        del names["Hash"], names["Threads"]
        talk.ask("stop", *(f"setoption name {name} value {value}" for name, value in names.items()), "ucinewgame",
                 "position startpos")  # fmt: skip


def best(lines: list[str]) -> str:
    """The move of the only `bestmove`, which is the last line."""
    found = [line for line in lines if line.startswith("bestmove")]
    assert len(found) == 1, lines
    assert lines[-1] == found[0]
    return found[0].split()[1]


def fields(line: str) -> dict[str, str]:
    """The pairs of an info line before its variation."""
    words = line.partition(" pv ")[0].split()[1:]
    score = words.index("score")
    words[score : score + 3] = ["score", f"{words[score + 1]} {words[score + 2]}"]
    return dict(zip(words[::2], words[1::2], strict=True))


# Transcripts ----------------------------------------------------------------------------------------------------------


def test_the_introduction_declares_every_option_with_its_range():
    talk = Talk()
    said = talk.ask("uci")
    assert said[0].startswith("id name gametree ")
    assert said[1].startswith("id author ")
    assert said[-1] == "uciok"
    assert f"option name UCI_Elo type spin default {FULL_ELO} min {LOWEST_ELO} max {FULL_ELO}" in said
    assert "option name Hash type spin default 64 min 1 max 65536" in said
    assert "option name MultiPV type spin default 1 min 1 max 16" in said
    assert "option name Clear Hash type button" in said
    for name in ("Threads", "Ponder", "Move Overhead", "UCI_LimitStrength", "UCI_Chess960", "OwnBook", "Book File"):
        assert any(line.startswith(f"option name {name} type ") for line in said), name
    # So much needs neither rules nor compiled code.
    assert talk.engine.session._game is None


def test_a_search_tells_its_lines_and_one_move(talk):
    said = talk.ask("position startpos moves e2e4 e7e5", "go depth 4")
    move = best(said)
    last = fields(said[-2])
    assert last["depth"] == "4"
    assert int(last["seldepth"]) >= 4
    assert int(last["nodes"]) > 4
    assert last["score"].startswith("cp ")
    assert set(last) == {"depth", "seldepth", "multipv", "score", "nodes", "nps", "hashfull", "time"}
    line = said[-2].partition(" pv ")[2].split()
    assert line[0] == move
    assert said[-1] == f"bestmove {move} ponder {line[1]}"
    board = chess.Board()
    for word in ["e2e4", "e7e5", *line]:
        board.push_uci(word)  # raises if it is illegal


def test_several_lines_are_sorted_and_begin_differently(talk):
    said = talk.ask("setoption name MultiPV value 4", "position startpos", "go depth 3")
    lines = [line for line in said if line.startswith("info depth 3 ")][-4:]
    assert [fields(line)["multipv"] for line in lines] == ["1", "2", "3", "4"]
    scores = [int(fields(line)["score"].split()[1]) for line in lines]
    assert scores == sorted(scores, reverse=True)
    assert len({line.partition(" pv ")[2].split()[0] for line in lines}) == 4


def test_mates_are_counted_in_moves(talk):
    said = talk.ask(f"position fen {MATE_IN_ONE}", "go depth 3")
    assert best(said) == "d1d8"
    assert fields(said[-2])["score"] == "mate 1"
    said = talk.ask(f"position fen {MATE_IN_TWO}", "go mate 2")
    assert fields(said[-2])["score"] in ("mate 1", "mate 2")
    # One ply before the end of the mate in one: the other side is mated in as many.
    said = talk.ask("position fen 6k1/5ppp/8/8/8/8/8/K1R1R3 b - - 0 1 moves h7h6 e1e8", "go depth 2")
    assert best(said) == "g8h7"


def test_only_the_moves_that_are_asked_for_are_searched(talk):
    said = talk.ask("position startpos", "go depth 3 searchmoves a2a3 h2h4 e2e5")
    assert best(said) in ("a2a3", "h2h4")
    assert any("e2e5" in line and line.startswith("info string") for line in said)
    assert best(talk.ask("go searchmoves a2a4 depth 2")) == "a2a4"
    assert best(talk.ask("go depth 2 searchmoves e2e5 zz")) in ("e2e4", "d2d4", "g1f3", "b1c3", "c2c4", "e2e3", "d2d3")
    talk.ask("setoption name MultiPV value 3")
    said = talk.ask("go depth 2 searchmoves a2a4 b2b4")  # no more lines than moves
    assert {fields(line)["multipv"] for line in said if line.startswith("info depth 2")} == {"1", "2"}


@pytest.mark.parametrize(
    ("fen", "moves"),
    [
        ("r5rk/5p1p/5R2/4B3/8/8/7P/7K w - - 0 1", 3),
        ("r1bq2r1/b4pk1/p1pp1p2/1p2pP2/1P2P1PB/3P4/1PPQ2P1/R3K2R w - - 0 1", 2),
        ("8/8/8/8/8/4k3/7r/4K3 b - - 0 1", 1),
        ("4k3/8/8/8/8/8/4P3/4K3 w - - 0 1", 0),
        ("7k/8/8/8/8/8/R7/1R4K1 w - - 0 1", 2),
        ("4k3/8/4K3/8/8/8/8/7Q w - - 0 1", 1),
    ],
)
def test_a_mate_is_looked_for_until_it_is_found(talk, fen, moves):
    said = talk.ask(f"position fen {fen}", f"go mate {max(1, moves)}")
    if not moves:  # there is none in so few moves, and the search ends all the same
        assert best(said) != "(none)"
        return
    assert fields(said[-2])["score"] == f"mate {moves}"
    board = chess.Board(fen)
    for word in said[-2].partition(" pv ")[2].split():
        board.push_uci(word)
    assert board.is_checkmate()


@pytest.mark.parametrize(
    "words",
    [
        "nodes 200",
        "nodes 0",
        "depth 0",
        "movetime 20",
        "movetime 0",
        "wtime 500 btime 500",
        "wtime 1 btime 1",
        "wtime -50 btime -50",
        "wtime 100 winc 20 binc 20 movestogo 1",
        "wtime 500 btime 500 movestogo 0",
        "depth 99999999999999999999999999 nodes 300",
        "depth x nodes 300",
        "nodes 300 nonsense 7 searchmoves",
        "depth --5 nodes 300",
        "nodes 300 movestogo - wtime -",
        "nodes " + "9" * 5000 + " depth 2",
        "nodes 300 mate 2",
        "mate 3",
    ],
)
def test_every_limit_ends_with_a_legal_move(talk, words):
    said = talk.ask("position startpos moves e2e4 e7e5 g1f3 b8c6", f"go {words}")
    board = chess.Board()
    for word in ["e2e4", "e7e5", "g1f3", "b8c6"]:
        board.push_uci(word)
    assert chess.Move.from_uci(best(said)) in board.legal_moves


def test_infinite_means_until_stop(talk):
    start = len(talk.output.getvalue())
    # A position that is searched to its end at once: the answer has to wait all the same.
    for line in (f"position fen {MATE_IN_ONE}", "go infinite"):
        talk.engine.obey(line)
    assert not talk.engine.session.wait(0.3)
    assert "bestmove" not in talk.output.getvalue()[start:]
    talk.engine.obey("isready")  # is answered while it thinks
    assert talk.output.getvalue().endswith("readyok\n")
    talk.ask("stop")
    assert best(talk.output.getvalue()[start:].splitlines()) == "d1d8"
    assert talk.ask("stop") == []


def test_a_search_of_hours_ends_soon_after_stop(talk):
    talk.engine.obey("position startpos")
    talk.engine.obey("go wtime 100000000 btime 100000000")
    time.sleep(0.2)
    assert talk.engine.session.thinking
    began = time.monotonic()
    assert best(talk.ask("stop")[-1:])
    assert time.monotonic() - began < 5


def test_pondering_ends_by_a_hit_or_by_stop(talk):
    talk.engine.obey("position startpos moves e2e4 e7e5")
    talk.engine.obey("go ponder wtime 1000 btime 1000")
    assert not talk.engine.session.wait(0.2)
    assert best(talk.ask("ponderhit")[-1:])
    talk.engine.obey("go ponder depth 2")
    assert not talk.engine.session.wait(0.2)
    assert best(talk.ask("stop")[-1:])
    talk.engine.obey("go ponder depth 2")
    assert not talk.engine.session.wait(0.2)  # it is done, but its move has not come yet
    assert best(talk.ask("ponderhit")[-1:])
    assert talk.ask("ponderhit") == []


def test_a_second_go_does_not_swallow_the_answer_of_the_first(talk):
    start = len(talk.output.getvalue())
    talk.engine.obey("position startpos")
    talk.engine.obey("go infinite")
    talk.engine.obey("go depth 2")
    talk.ask("isready")
    said = talk.output.getvalue()[start:].splitlines()
    assert sum(line.startswith("bestmove") for line in said) == 2


@pytest.mark.parametrize(
    ("position", "reason"),
    [
        ("fen 8/8/8/8/8/8/8/KK5k w - - 0 1", "White has 2 kings"),
        ("fen P3k3/8/8/8/8/8/8/4K3 w - - 0 1", "a pawn stands on a8"),
        ("fen 4k3/8/8/8/8/8/8/4RK2 w - - 0 1", "is in check"),
        ("fen nonsense", "is not a FEN"),
        ("startpos moves e2e5", "Move 1: 'e2e5' is not a legal move"),
        ("startpos moves e2e4 e7e5 e4e5", "Move 3: 'e4e5' is not a legal move"),
        ("moves e2e4", "should be followed by startpos or fen"),
        ("", "should be followed by startpos or fen"),
    ],
)
def test_a_position_that_is_not_possible_is_refused_in_a_sentence(talk, position, reason):
    said = talk.ask(f"position {position}")
    assert len(said) == 1
    assert said[0].startswith("info string ")
    assert reason in said[0]
    # There is nothing to search, and the engine does not make a move of another position.
    assert best(talk.ask("go depth 2")) == "(none)"
    assert best(talk.ask("position startpos", "go depth 2")) != "(none)"


def test_the_search_that_runs_answers_before_a_go_that_is_refused(talk):
    said = talk.ask("go infinite", "position startpos moves e2e5", "go depth 2", "stop")
    answers = [line.split()[1] for line in said if line.startswith("bestmove")]
    assert len(answers) == 2
    assert answers[0] != answers[1] == "(none)"


def test_positions_without_moves_and_drawn_positions(talk):
    said = talk.ask("position startpos moves f2f3 e7e5 g2g4 d8h4", "go depth 3")
    assert said == ["info depth 0 score mate 0", "bestmove (none)"]
    said = talk.ask("position fen 7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", "go infinite", "stop")
    assert said == ["info depth 0 score cp 0", "bestmove (none)"]
    # The players may go on after a repetition, fifty moves or with too little to mate.
    shuffle = "g1f3 g8f6 f3g1 f6g8 " * 3
    assert best(talk.ask(f"position startpos moves {shuffle}", "go depth 3")) != "(none)"
    assert best(talk.ask("position fen 4k3/8/8/8/8/8/4P3/4K3 w - - 120 90", "go depth 3")) != "(none)"
    assert best(talk.ask("position fen 4k3/8/8/8/8/8/8/4K3 w - - 0 1", "go depth 3")) != "(none)"


def test_options_are_checked(talk):
    for line, words in (
        ("setoption name Hash value 0", "expected 1 to 65536"),
        ("setoption name Hash value much", "expected 1 to 65536"),
        ("setoption name Hash", "expected 1 to 65536"),
        ("setoption name Hash value --5", "expected 1 to 65536"),
        ("setoption name Hash value " + "9" * 5000, "expected 1 to 65536"),
        ("setoption name UCI_Elo value 799", f"expected {LOWEST_ELO} to {FULL_ELO}"),
        ("setoption name Ponder value perhaps", "expected true or false"),
        ("setoption name Has value 3", "Did you mean 'Hash'?"),
        ("setoption value 3", "setoption should be followed by name"),
        ("setoption name UCI_Elo value 100", f"expected {LOWEST_ELO} to {FULL_ELO}"),
        ("debug maybe", "on or off"),
    ):
        said = talk.ask(line)
        assert len(said) == 1, line
        assert words in said[0]
    assert talk.ask("setoption name hash value 2", "register later") == []
    assert talk.engine.session.table_mib == 2
    assert len(talk.engine.session._engine.table) * 16 == 2 << 20
    assert talk.ask("debug on", "setoption name Move Overhead value 100") == ["info string Move Overhead is set."]
    talk.ask("debug off")
    assert talk.engine.session.overhead == 0.1
    talk.engine.obey("go infinite")
    assert "while the engine thinks" in talk.ask("setoption name Hash value 8", "stop")[0]
    assert talk.engine.session.table_mib == 2


def test_options_are_taken_from_the_moment_that_the_move_is_told(talk, monkeypatch):
    """A program may answer `bestmove` faster than the thread that wrote it gets on."""
    engine, refused = talk.engine, []
    real = engine.say

    def say(*lines):
        real(*lines)
        if lines[-1].startswith("bestmove"):
            engine.obey("setoption name MultiPV value 3")
            refused.append(engine.session.lines != 3)

    monkeypatch.setattr(engine, "say", say)
    talk.ask("position startpos", "go depth 2")
    assert refused == [False]


def test_the_own_book(talk, tmp_path):
    assert len(talk.ask("setoption name OwnBook value true", "position startpos", "go depth 30")) == 1
    assert len(talk.ask("go depth 2 searchmoves a2a3")) > 1
    missing = tmp_path / "no such.bin"
    assert "cannot be read" in talk.ask(f"setoption name Book File value {missing}")[0]
    assert best(talk.ask("go depth 2"))


def test_books_of_other_games_and_books_that_will_not_do(tmp_path):
    talk = Talk("othello")
    assert talk.ask("setoption name OwnBook value true", "position startpos", "go depth 30")[0].startswith("bestmove ")
    talk = Talk("connect4")
    talk.ask("isready")
    assert "brings no book of connect4" in talk.ask("setoption name OwnBook value true")[0]
    assert best(talk.ask("position startpos", "go depth 2"))
    talk = Talk("chess")
    path = tmp_path / "cut.bin"
    path.write_bytes(bytes(1000))
    # Before the game is loaded nothing is opened; then it is told, once, and the engine plays without.
    assert talk.ask(f"setoption name Book File value {path}", "setoption name OwnBook value true") == []
    said = talk.ask("position startpos", "go depth 2")
    assert [line for line in said if "truncated or no book: it has 1,000 bytes" in line]
    assert best(said) != "(none)"
    assert not [line for line in talk.ask("isready") if "book" in line]


def test_limited_strength_repeats_itself_and_differs_from_full_strength(talk):
    position = "position startpos moves e2e4 e7e5 g1f3 b8c6 f1c4 f8c5"
    talk.ask("setoption name UCI_LimitStrength value true", "setoption name UCI_Elo value 800", position)
    first = [best(talk.ask("go wtime 60000 btime 60000")) for _ in range(3)]
    assert len(set(first)) == 1
    assert talk.engine.session.elo == 800
    said = talk.ask("go movetime 1000")
    assert said[-2].partition(" pv ")[2].split()[0] == best(said)
    talk.ask(f"setoption name UCI_Elo value {FULL_ELO}")
    assert talk.engine.session.elo is None
    talk.ask("setoption name UCI_LimitStrength value false", "setoption name UCI_Elo value 1200")
    assert talk.engine.session.elo is None


def test_castling_from_all_set_ups(talk):
    talk.ask("setoption name UCI_Chess960 value true")
    fen = "rk4r1/pppppppp/8/8/8/8/PPPPPPPP/RK4R1 w KQkq - 0 1"
    said = talk.ask(f"position fen {fen}", "go depth 2 searchmoves b1g1")
    assert best(said) == "b1g1"  # the king takes its own rook, as Chess960 writes it
    assert best(talk.ask(f"position fen {fen} moves b1g1", "go depth 2 searchmoves b8a8")) == "b8a8"
    standard = "r3k2r/pppppppp/8/8/8/8/PPPPPPPP/R3K2R w KQkq - 0 1"
    assert best(talk.ask(f"position fen {standard}", "go depth 2 searchmoves e1g1")) == "e1h1"
    talk.ask("setoption name UCI_Chess960 value false")
    assert best(talk.ask(f"position fen {standard}", "go depth 2 searchmoves e1g1")) == "e1g1"


def test_unknown_words_before_a_command_are_passed_over(talk):
    said = talk.ask("joho isready")
    assert said == ["info string Left out 'joho'.", "readyok"]
    assert talk.ask("", "   ") == []


def test_positions_are_read_while_the_engine_thinks_and_tells_its_lines(talk):
    """Both threads ask the same rules at the same time."""
    words = "e2e4 e7e5 g1f3 b8c6 f1b5 a7a6 b5a4 g8f6 e1g1 f8e7 f1e1 b7b5 a4b3 d7d6 c2c3 e8g8"
    talk.ask("setoption name MultiPV value 8")
    start = len(talk.output.getvalue())
    for _ in range(15):
        talk.engine.obey(f"position startpos moves {words}")
        talk.engine.obey("go movetime 60")
        while talk.engine.session.thinking:
            talk.engine.obey("position startpos")
            talk.engine.obey(f"position startpos moves {words}")
        assert talk.engine.session.wait(SECONDS)
    said = talk.output.getvalue()[start:]
    assert "info string" not in said
    assert said.count("bestmove ") == 15


# Garbage --------------------------------------------------------------------------------------------------------------


def _stream(data: bytes) -> io.TextIOWrapper:
    return io.TextIOWrapper(io.BytesIO(data))


WORDS = st.sampled_from(
    ["go", "position", "startpos", "fen", "moves", "setoption", "name", "value", "stop", "ponderhit", "depth", "1",
     "-1", "nodes", "50", "searchmoves", "e2e4", "Hash", "8/8/8/8/8/8/8/8", "w", "debug", "register", "ucinewgame", "é",
     "\0"]
)  # fmt: skip


@settings(deadline=None, max_examples=120)
@given(st.lists(st.binary(max_size=40) | st.lists(WORDS, max_size=8).map(lambda w: " ".join(w).encode()), max_size=6))
def test_garbage_is_survived(talk, lines):
    """Whatever comes, every line that begins with `go` is answered once, and the engine is ready afterwards."""
    start = len(talk.output.getvalue())
    for line in read_lines(_stream(b"\n".join(lines))):
        if {"quit", "infinite"} & set(line.split()):
            continue
        if "go" in line.split() and not {"depth", "nodes"} & set(line.split()):
            line = line.replace("go", "go nodes 50")
        talk.engine.obey(line)
        talk.engine.session.stop()
        assert talk.engine.session.wait(SECONDS)
    talk.engine.obey("isready")
    said = talk.output.getvalue()[start:]
    assert said.splitlines()[-1] == "readyok"
    assert said.isascii()


def test_a_line_without_end_is_left_out(talk):
    assert "was left out" in talk.ask("x" * (LONGEST + 1))[0]
    endless = b"position startpos moves " + b"e2e4 " * (1 << 20) + b"\nisready\n"
    lines = list(read_lines(_stream(endless)))
    assert lines[-1] == "isready\n"
    assert len(lines[0]) > LONGEST
    assert [line.strip() for line in read_lines(_stream(b"\xff\xfe uci\nx"))] == ["\ufffd\ufffd uci", "x"]


def test_the_other_protocols_survive_bytes_as_well(monkeypatch, capsys):
    monkeypatch.setattr("sys.stdin", _stream(b"1 name\xff\n\xfe\n2 name\n"))
    assert run(["engine", "gtp", "--player", "random", "--size", "3"]) == 0
    assert "=2 gametree" in capsys.readouterr().out
    monkeypatch.setattr("sys.stdin", _stream(b"\xff\xfe\n" + b"[" * (5 << 20) + b'\n{"command": "hello"}\n'))
    assert run(["engine", "jsonl"]) == 0
    said = capsys.readouterr().out.splitlines()
    assert "is not JSON" in said[0]
    assert "too long" in said[1]
    assert '"name": "gametree"' in said[2]


# The session ----------------------------------------------------------------------------------------------------------


def test_a_game_that_goes_on_is_not_played_again():
    session = Session("chess")
    board, words = chess.Board(), []
    while len(words) < 300 and not board.is_game_over():
        move = list(board.legal_moves)[len(words) * 7 % board.legal_moves.count()]
        words.append(move.uci())
        board.push(move)
    fresh = Session("chess")
    fresh.set_up(None, words)
    played = 0
    real = session.find

    def counted(state, word):
        nonlocal played
        played += 1
        return real(state, word)

    session.find = counted
    for count in range(len(words) + 1):
        session.set_up(None, words[:count])
    assert played == len(words)
    assert session.state == fresh.state
    assert session.game.fen(session.state).split()[0] == board.fen().split()[0]
    session.set_up(None, words[:-4])  # taken back
    session.set_up(None, [*words[:-4], *words[-4:]])
    assert session.state == fresh.state
    with pytest.raises(Exception, match="Move 1"):
        session.set_up(None, ["e2e5"])
    assert session.state == fresh.state
    session.set_up(chess.STARTING_FEN, words[:2])
    assert session.undo(2)
    assert not session.undo()


def test_lag_is_learned_from_the_clock_and_taken_off_the_share():
    session = Session("chess")
    session.load()

    def think(remaining: float, **more: Any) -> float:
        """Seconds that a move with so much on the clock may take at most."""
        limits = Limits(remaining=remaining, depth=1, **more)
        session.think(limits, report=lambda report: None, answer=lambda answer: None)
        assert session.wait(SECONDS)
        return session._time(limits)[1]

    session.set_up()
    first = think(10)
    assert session._lag.seconds == 0
    assert think(9.5) < 0.8 * first  # half a second was lost on the way, and so much of every share
    assert 0.4 < session._lag.seconds < 0.5
    think(60)  # another game
    assert 0.4 < session._lag.seconds < 0.5
    for remaining in range(59, 20, -1):
        session._lag.note_move(0, Limits(remaining=remaining), 1.0)
        session._lag.note_clock(0, remaining - 1)
    assert session._lag.seconds < 0.01  # what was an accident is forgotten
    session._lag.note_move(0, Limits(remaining=5), 1.0)
    session._lag.note_clock(1, 3.5)  # the other side's clock says nothing
    assert session._lag.seconds < 0.01


def test_time_is_kept_for_what_the_next_moves_lose_on_their_way():
    session = Session("chess")
    lag = session._lag.seconds = 0.2
    remaining, moves = 10.0, 0
    while remaining > 0:
        remaining -= session._time(Limits(remaining=remaining))[1] + lag  # all that it may take, every time
        moves += 1
    assert moves > 20
    assert session._time(Limits(remaining=2.0))[1] < 0.01  # ten more moves must be possible
    assert session._time(Limits(remaining=2.0, moves_to_go=3))[1] > 0.1  # but no more than there are
    assert session._time(Limits(remaining=2.0, moves_to_go=1))[1] > 0.4


# Another program drives it --------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def program() -> Iterator[chess.engine.SimpleEngine]:
    with chess.engine.SimpleEngine.popen_uci(COMMAND, timeout=600) as engine:
        yield engine


def test_python_chess_plays_with_every_limit(program):
    board = chess.Board()
    for limit in (
        chess.engine.Limit(depth=3),
        chess.engine.Limit(nodes=500),
        chess.engine.Limit(time=0.05),
        chess.engine.Limit(mate=1, depth=3),
        chess.engine.Limit(white_clock=1, black_clock=1, white_inc=0.1, black_inc=0.1, remaining_moves=20),
    ):
        played = program.play(board, limit, info=chess.engine.INFO_ALL, ponder=False)
        assert played.move in board.legal_moves
        assert played.info["pv"][0] == played.move
        board.push(played.move)
    played = program.play(board, chess.engine.Limit(time=0.05), ponder=True)
    board.push(played.move)
    board.push(played.ponder)
    assert program.play(board, chess.engine.Limit(time=0.05), root_moves=[next(iter(board.legal_moves))]).move


def test_python_chess_analyses(program):
    infos = program.analyse(chess.Board(MATE_IN_TWO), chess.engine.Limit(depth=5), multipv=3)
    assert len(infos) == 3
    assert infos[0]["score"].white().mate() in (1, 2)
    with program.analysis(chess.Board()) as analysis:
        for info in analysis:
            if info.get("depth", 0) >= 4:
                break
    assert analysis.wait().move in chess.Board().legal_moves
    program.configure({"Hash": 16, "Threads": 1, "Clear Hash": None})


@pytest.mark.parametrize("start", [chess.STARTING_FEN, BURIED_KING])
def test_whole_games_of_classical_chess_and_of_chess960(program, start):
    board = chess.Board(start, chess960=start == BURIED_KING)
    game = object()
    while not board.is_game_over(claim_draw=True) and board.ply() < 200:
        limit = chess.engine.Limit(white_clock=0.5, black_clock=0.5, white_inc=0.01, black_inc=0.01)
        board.push(program.play(board, limit, game=game).move)  # raises if it is illegal
    assert board.ply() > 8


def test_python_chess_may_ask_for_weak_moves(program):
    board = chess.Board()
    program.configure({"UCI_LimitStrength": True, "UCI_Elo": 800})
    for _ in range(6):
        board.push(program.play(board, chess.engine.Limit(time=1)).move)
    program.configure({"UCI_LimitStrength": False})


@pytest.mark.parametrize("last", [b"go infinite\n", b"go infinite\nquit\n", b"go wtime 1000000 btime 1000000"])
def test_the_end_of_the_input_ends_the_process(last):
    with subprocess.Popen(COMMAND, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        process.stdin.write(b"isready\nposition startpos\n")
        process.stdin.flush()
        while process.stdout.readline() != b"readyok\n":  # before it may say that code is compiled
            assert process.poll() is None
        process.stdin.write(last)
        process.stdin.flush()
        time.sleep(0.3)
        process.stdin.close()
        assert process.wait(SECONDS) == 0


def test_other_games_are_played_over_it_as_well():
    talk = Talk("connect4")
    assert best(talk.ask("position startpos moves 4 4", "go depth 3")) in "1234567"
    assert best(talk.ask("position fen 121212 moves 3", "go depth 2 searchmoves 5")) == "5"
    assert best(talk.ask("position fen 121212", "go depth 2")) == "1"
    assert "UCI_Chess960" not in " ".join(talk.ask("uci"))
    talk = Talk("pig")
    assert best(talk.ask("go depth 1")) == "(none)"


def test_a_depth_that_was_cut_short_is_not_told(talk):
    """The last lines speak of the last depth that was finished, and seldepth of the deepest ply."""
    said = talk.ask("setoption name MultiPV value 2", "position startpos", "go nodes 6000")
    told = [fields(line) for line in said if " multipv " in line]
    assert len(told) >= 2
    depth = int(told[-1]["depth"])
    assert max(int(line["depth"]) for line in told) == depth
    assert all(int(line["seldepth"]) >= int(line["depth"]) for line in told)
    assert int(told[-1]["seldepth"]) > depth
    talk.ask("ucinewgame")
    finished = talk.ask("setoption name MultiPV value 2", "position startpos", f"go depth {depth}")
    assert int(fields(finished[-2])["nodes"]) <= 6000
    talk.ask("ucinewgame")
    more = talk.ask("setoption name MultiPV value 2", "position startpos", f"go depth {depth + 1}")
    assert int(fields(more[-2])["nodes"]) > 6000
