"""Other people's programs: what goes wrong ends in a result with a reason, and no process is left over."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

from gametree import BadInput, load_game
from gametree.play.clocks import TimeControl, Turn
from gametree.play.endings import Adjudication
from gametree.play.engines import process
from gametree.play.engines.client import needs_chess960
from gametree.play.engines.process import Conversation
from gametree.play.openings import Opening
from gametree.play.players import PlayerFault, make_player
from gametree.play.referee import play_game

GAME = load_game("tictactoe")
BROKEN = Path(__file__).with_name("broken_engine.py")
STRICT = Path(__file__).with_name("strict_chess_engine.py")


def engine(protocol: str, fault: str, options: str = "") -> str:
    return f'{protocol}:"{sys.executable} -I -S {BROKEN} {protocol} {fault}"{options}'


def descendants() -> list[str]:
    """Command lines of our own children that still run."""
    listing = subprocess.run(["ps", "-o", "args=", "--ppid", str(os.getpid())], capture_output=True, text=True)
    return [line for line in listing.stdout.splitlines() if "_keeper" in line or "broken_engine" in line]


def meet(protocol: str, fault: str, *, options: str = "", seat: int = 1, control: str = "time=5", **settings):
    """A game of the broken program against a random player; returns its record, with the program closed."""
    players = [make_player("random", GAME), make_player("random", GAME)]
    players[seat] = make_player(engine(protocol, fault, options), GAME)
    try:
        return play_game(GAME, players, seed=3, control=TimeControl.parse(control), **settings)
    finally:
        players[seat].close()
        assert descendants() == []


@pytest.mark.parametrize("protocol", ["uci", "xboard", "gtp"])
@pytest.mark.parametrize("seat", [0, 1])
def test_a_sound_program_plays_to_the_end(protocol, seat):
    record = meet(protocol, "none", seat=seat, control="time=5", opening=Opening(None, ("b2", "a1")))
    assert record.reason == "end"
    assert len(record.moves) + 2 >= 5
    if protocol == "uci":
        assert record.notes[seat] == "depth 3 score cp 12 nodes 99"


@pytest.mark.parametrize("protocol", ["uci", "xboard", "gtp"])
@pytest.mark.parametrize(
    ("fault", "reason", "words"),
    [
        ("crash", "crash", "it ended in the middle"),
        ("hang", "time", "it did not answer in time"),
        ("late", "time", "did not answer in time"),
        ("illegal", "illegal", "is not a legal move"),
        ("nonsense", "illegal", "is not a legal move"),
        ("crash-at-start", "start", "ended before it was ready"),
        ("hang-at-start", "start", "was not ready within 0.5 s"),
        ("no-newline", "flood", "without a newline"),
    ],
)
def test_every_failure_loses_with_its_reason(protocol, fault, reason, words):
    options = "?start=0.5" if fault == "hang-at-start" else ""
    if protocol == "xboard" and fault == "hang-at-start":
        # Old programs say nothing at the start either, so that a silent one is found out at its first move.
        reason, words = "time", "did not answer in time"
    record = meet(protocol, fault, options=options, control="time=0.3" if reason == "time" else "time=5")
    assert record.reason == reason, record.detail
    assert words in record.detail
    assert "player 2" in record.detail
    assert record.utilities == (1.0, -1.0)


@pytest.mark.parametrize("protocol", ["uci", "xboard"])
def test_a_flood_of_lines_ends(protocol, monkeypatch):
    monkeypatch.setattr(process, "OUTPUT", 1 << 20)
    record = meet(protocol, "flood", control="none")
    assert record.reason in ("flood", "time")
    assert record.utilities == (1.0, -1.0)


def test_a_flood_within_a_clock_is_a_loss_on_time_or_by_flood():
    assert meet("uci", "flood", control="time=0.2").reason in ("flood", "time")


def test_without_a_clock_there_is_still_an_end():
    assert meet("uci", "hang", options="?patience=0.3", control="none").reason == "time"


@pytest.mark.parametrize(
    ("protocol", "fault", "reason"),
    [
        ("uci", "no-move", "illegal"),
        ("xboard", "resign", "resigned"),
        ("gtp", "resign", "resigned"),
        ("xboard", "refuse", "protocol"),
        ("gtp", "refuse", "protocol"),
        ("gtp", "wrong-number", "protocol"),
    ],
)
def test_what_only_some_protocols_can_do(protocol, fault, reason):
    assert meet(protocol, fault).reason == reason


def test_a_margin_forgives_a_late_answer():
    assert meet("uci", "late", control="time=0.1").reason == "time"
    assert meet("uci", "late", control="time=0.1", margin=20).reason == "end"


def test_a_slow_start_is_waited_for():
    assert meet("uci", "slow-start", control="time=5").reason == "end"


def test_an_old_xboard_program_without_features():
    assert meet("xboard", "old", control="time=5").reason == "end"


@pytest.mark.parametrize("seat", [0, 1])
def test_a_program_that_speaks_like_gnu_chess(seat, monkeypatch):
    """It loses the first lines, asks people, echoes moves, answers a ping twice and says its moves in two old ways."""
    sent = []
    send = Conversation.send
    monkeypatch.setattr(Conversation, "send", lambda self, line, **how: sent.append(line) or send(self, line, **how))
    player = make_player(engine("xboard", "gnu"), GAME)
    players = [player, make_player("random", GAME)] if seat == 0 else [make_player("random", GAME), player]
    try:
        records = [play_game(GAME, players, seed=seed, control=TimeControl.parse("20+1")) for seed in (3, 4)]
    finally:
        player.close()
    assert [record.reason for record in records] == ["end", "end"], records
    assert player.features["usermove"] == "1"
    assert sent.count("protover 2") >= 2
    assert [line for line in sent if line.startswith("ping")] == ["ping 1", "ping 2"]


@pytest.mark.parametrize("line", ["feature usermove=1 done=1", "White (1) : feature usermove=1 done=1"])
def test_a_prompt_before_an_answer_is_no_part_of_it(line, monkeypatch):
    player = make_player(engine("xboard", "none"), GAME)
    heard = iter([line, "Black(12): 12. ... a1"])
    monkeypatch.setattr(type(player), "talk", type("Heard", (), {"receive": lambda self, deadline: next(heard),
                                                                  "send": lambda self, line: None})())  # fmt: skip
    player.greet(time.monotonic() + 5)
    assert player.features == {"usermove": "1", "done": "1"}
    assert player._answer(time.monotonic() + 5) == ("a1", "")


def test_a_late_program_goes_on_with_its_next_game_and_its_late_answer_is_not_mixed_up():
    player = make_player(engine("uci", "late"), GAME)
    opponents = [make_player("random", GAME), player]
    try:
        fast = play_game(GAME, opponents, seed=1, control=TimeControl.parse("time=0.3"))
        first = player.talk
        slow = play_game(GAME, opponents, seed=1, control=TimeControl.parse("time=5"))
        assert player.talk is first
    finally:
        player.close()
    assert fast.reason == "time"
    assert slow.reason == "end"


def test_a_crashed_program_is_started_again():
    player = make_player(engine("uci", "crash"), GAME)
    players = [make_player("random", GAME), player]
    try:
        reasons = [play_game(GAME, players, seed=1, control=TimeControl.parse("time=5")).reason for _ in range(2)]
    finally:
        player.close()
    assert reasons == ["crash", "crash"]


def test_a_move_is_written_once_however_long_the_game(monkeypatch):
    chess = load_game("chess")
    player = make_player(f"uci:{sys.executable}", chess)
    written = []
    uci = chess.formats["uci"]
    counted = replace(uci, write=lambda state, action: written.append(action) or uci.write(state, action))
    monkeypatch.setattr(chess, "formats", {**chess.formats, "uci": counted})
    state, actions, words = chess.initial(), (), []
    for word in ("e4", "e5", "Nf3", "Nc6", "Bb5"):
        actions += (chess.action_from_text(state, word),)
        state = chess.result(state, actions[-1])
        words = [text for _, text in player.texts(chess, Turn(chess.initial(), actions))]
    assert words == ["e2e4", "e7e5", "g1f3", "b8c6", "f1b5"]
    assert len(written) == 5
    # Another game, with another move or from another start, is written anew.
    back = (*actions[:2], chess.action_from_text(chess.state_from_text("startpos moves e4 e5"), "d4"))
    assert [text for _, text in player.texts(chess, Turn(chess.initial(), back))] == ["e2e4", "e7e5", "d2d4"]
    other = chess.state_from_text("4k3/8/8/8/8/8/4P3/4K3 b - - 0 1")
    action = chess.action_from_text(other, "Kd7")
    assert player.texts(chess, Turn(other, (action,))) == [(1, "e8d7")]
    assert player.texts(chess, Turn(other, ())) == []


def test_options_are_checked_against_what_the_program_declares():
    assert meet("uci", "none", options="?Skill Level=3&clear=", control="time=5").reason == "end"
    with pytest.raises(BadInput, match=r"no option 'Skill Levl'. Did you mean 'Skill Level'"):
        meet("uci", "none", options="?Skill Levl=3")
    assert meet("xboard", "none", options="?Style=3", control="time=5").reason == "end"
    with pytest.raises(BadInput, match=r"no option 'Stile'. Did you mean 'Style'"):
        meet("xboard", "none", options="?Stile=3")


def test_positions_that_a_protocol_cannot_set_up_are_lost_by_nobody_but_the_program():
    opening = Opening("X../.O./...")
    assert meet("uci", "none", opening=opening, control="time=5").reason in ("end", "illegal")
    assert meet("gtp", "none", opening=opening, control="time=5").reason == "start"
    assert meet("xboard", "none", opening=opening, control="time=5").reason == "start"


def test_the_limits_in_the_words_of_uci():
    player = make_player(engine("uci", "none", "?nodes=50&time=0.2"), GAME)
    from gametree.play.clocks import Turn

    assert player._go(0, Turn(0, ())) == "go movetime 200 nodes 50"
    plain = make_player(engine("uci", "none"), GAME)
    control = TimeControl.parse("40/60+1.5")
    assert plain._go(0, Turn(0, (), control, (10.0, 20.5), 7)) == (
        "go wtime 10000 btime 20500 winc 1500 binc 1500 movestogo 7"
    )
    assert plain._go(0, Turn(0, (), TimeControl.parse("time=1"))) == "go movetime 950"
    assert plain._go(0, Turn(0, (), TimeControl.parse("nodes=77"))) == "go nodes 77"
    assert plain._go(0, Turn(0, ())) == "go movetime 1000"


# Chess960 ------------------------------------------------------------------------------------------------------------


def test_chess960_and_classical_chess_with_one_program_by_turns():
    """The program castles at once and is told of it; it is strict about how, and must be told which chess it plays."""
    positions = [
        "r3k2r/pppppppp/8/8/8/8/PPPPPPPP/R3K2R w KQkq - 0 1",
        "1r3k1r/pppppppp/8/8/8/8/PPPPPPPP/1R3K1R w KQkq - 0 1",
        "r3k2r/pppppppp/8/8/8/8/PPPPPPPP/R3K2R b KQkq - 0 1",
        # The king next to its rook: its step to that side and its castling are told apart by the rook's square alone.
        "1rk5/pppppppp/8/8/8/8/PPPPPPPP/5KR1 w Gb - 0 1",
        "rk6/pppppppp/8/8/8/8/PPPPPPPP/RK6 w Qq - 0 1",
    ]
    chess = load_game("chess")
    players = [make_player(f'uci:"{sys.executable} {STRICT}"', chess) for _ in range(2)]
    try:
        for position in positions:
            opening, rules = Opening(position), Adjudication(plies=12)
            record = play_game(chess, players, seed=1, opening=opening, adjudication=rules)
            assert (record.reason, record.detail) == ("limit", ""), position
            assert all(move.startswith("O-O") for move in record.moves[:2]), (position, record.moves)
        for start in (0, 356, 518, 959):
            rules = Adjudication(plies=4)
            record = play_game(load_game(f"chess:start={start}"), players, seed=1, adjudication=rules)
            assert (record.reason, record.detail) == ("limit", ""), start
    finally:
        for player in players:
            player.close()
    assert descendants() == []


def test_a_program_without_chess960_cannot_begin():
    chess = load_game("chess:start=356")
    players = [make_player(f'uci:"{sys.executable} {STRICT} classical"', chess), make_player("random", chess)]
    try:
        record = play_game(chess, players, seed=1)
    finally:
        players[0].close()
    assert record.reason == "start"
    assert "does not play Chess960" in record.detail


@pytest.mark.parametrize(
    ("fen", "needed"),
    [
        ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", False),
        ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w - - 0 1", False),
        ("r3k2r/8/8/8/8/8/8/3K4 w kq - 0 1", False),
        ("1r2k2r/8/8/8/8/8/8/3K4 w kq - 0 1", True),
        ("3k4/8/8/8/8/8/8/R2K3R w KQ - 0 1", True),
        ("8/3k4/8/8/8/8/8/R4K1R w - - 0 1", False),
    ],
)
def test_when_castling_needs_the_words_of_chess960(fen, needed):
    chess = load_game("chess")
    assert needs_chess960(chess, chess.state_from_text(fen)) is needed
    assert not needs_chess960(GAME, GAME.initial())


# Processes -----------------------------------------------------------------------------------------------------------


def _alive(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state not in ("Z", "X")


def _wait_until_gone(pids: list[int]) -> bool:
    end = time.monotonic() + 10
    while time.monotonic() < end:
        if not any(map(_alive, pids)):
            return True
        time.sleep(0.02)
    return False


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs /proc to see other processes")
def test_children_of_a_program_end_with_it(tmp_path, monkeypatch):
    monkeypatch.setenv("CHILDREN", str(tmp_path / "pids"))
    assert meet("uci", "children", control="time=5").reason == "end"
    pids = [int(word) for word in (tmp_path / "pids").read_text().split()]
    assert len(pids) == 2
    assert _wait_until_gone(pids)


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs /proc to see other processes")
def test_programs_do_not_outlive_us_even_if_we_are_killed(tmp_path):
    code = (
        "import sys, time\n"
        "from gametree import load_game\n"
        "from gametree.play.players import make_player\n"
        "game = load_game('tictactoe')\n"
        f"player = make_player({engine('uci', 'children')!r}, game)\n"
        "player.start(game, 0, 0)\n"
        "print('ready', flush=True)\n"
        "time.sleep(600)\n"
    )
    environment = os.environ | {"CHILDREN": str(tmp_path / "pids")}
    starter = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, env=environment)
    assert starter.stdout is not None
    assert starter.stdout.readline() == b"ready\n"
    pids = [int(word) for word in (tmp_path / "pids").read_text().split()]
    assert all(map(_alive, pids))
    starter.send_signal(signal.SIGKILL)
    starter.wait()
    starter.stdout.close()
    assert _wait_until_gone(pids)


def test_a_program_that_does_not_read_is_given_up():
    talk = Conversation([sys.executable, "-I", "-S", str(BROKEN), "uci", "deaf"])
    try:
        talk.send("go")
        with pytest.raises(PlayerFault, match="did not read"):
            talk.send("x" * 1_000_000, within=0.2)
    finally:
        talk.close()
    talk.close()  # once more does no harm
    assert descendants() == []


# Real programs -------------------------------------------------------------------------------------------------------


def _installed(program: str) -> bool:
    return shutil.which(program, path=os.environ.get("PATH", "") + ":/usr/games") is not None


@pytest.mark.skipif(not _installed("stockfish"), reason="stockfish is not installed")
def test_stockfish_starts_takes_its_options_and_ends():
    player = make_player("uci:stockfish?UCI_LimitStrength=true&UCI_Elo=1500", GAME)
    try:
        player.start(GAME, 0, 0)
        assert "UCI_Elo" in player.declared
    finally:
        player.close()
    with pytest.raises(BadInput, match=r"no option 'UCI_Elox'. Did you mean 'UCI_Elo'"):
        make_player("uci:stockfish?UCI_Elox=1500", GAME).start(GAME, 0, 0)
    assert descendants() == []


@pytest.mark.skipif(not _installed("gnugo"), reason="gnugo is not installed")
def test_gnu_go_plays_a_game_of_go():
    go = load_game("go:size=5,komi=0.5,moves=60")
    players = [make_player('gtp:"gnugo --mode gtp --level 1 --chinese-rules"', go) for _ in range(2)]
    try:
        record = play_game(go, players, seed=1)
    finally:
        for player in players:
            player.close()
    assert record.reason in ("end", "resigned")
    assert len(record.moves) > 8


@pytest.mark.skipif(not _installed("stockfish"), reason="stockfish is not installed")
def test_stockfish_plays_chess():
    chess = load_game("chess")
    players = [make_player("random", chess), make_player("uci:stockfish?nodes=500", chess)]
    try:
        record = play_game(chess, players, seed=1, opening=Opening(None, ("e4", "e5")))
    finally:
        players[1].close()
    assert record.reason == "end"
    assert record.utilities[1] > 0
    assert "score mate 1" in record.notes[-1]


@pytest.mark.skipif(not _installed("stockfish"), reason="stockfish is not installed")
def test_stockfish_plays_chess960():
    chess = load_game("chess:start=356")
    players = [make_player("uci:stockfish?nodes=200", chess) for _ in range(2)]
    try:
        record = play_game(chess, players, seed=1, adjudication=Adjudication(plies=60))
    finally:
        for player in players:
            player.close()
    assert record.reason in ("end", "limit"), record.detail
    assert len(record.moves) > 20


@pytest.mark.skipif(not _installed("gnuchess"), reason="gnuchess is not installed")
@pytest.mark.parametrize("command", ["gnuchess", "gnuchess -x"])
def test_gnu_chess_plays_chess_over_xboard(command):
    chess = load_game("chess")
    players = [make_player("random", chess), make_player(f"xboard:{command}?time=1&start=60", chess)]
    try:
        record = play_game(chess, players, seed=1, adjudication=Adjudication(plies=8))
    finally:
        players[1].close()
    assert (record.reason, record.detail) == ("limit", "")
    assert players[1].features["usermove"] == "1"
