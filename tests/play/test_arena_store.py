"""Events, storage and the runner: nothing lost, nothing played twice, the same table whatever happens meanwhile."""

from __future__ import annotations

import csv
import io
import json
import os
import random
import signal
import sqlite3
import subprocess
import sys
import textwrap
import time

import pytest

from gametree import BadInput, load_game
from gametree.core.errors import GameError
from gametree.play import store as storing
from gametree.play.endings import forfeit
from gametree.play.events import Event, Finished, check, compare, groups_of, schedule, total_games
from gametree.play.exports import export_events, export_games
from gametree.play.runner import Seating, Trial, run_event
from gametree.play.statistics import Sprt
from gametree.play.store import Store
from gametree.play.summary import summarise

GAME = load_game("tictactoe")


def event(**changes) -> Event:
    basic = {"kind": "match", "game": "tictactoe", "players": ("random", "mcts:sims=5"), "games": 12}
    basic["salt"] = "tests"  # so that two databases hold the same games
    return Event(**(basic | changes))


def intact(path) -> bool:
    base = sqlite3.connect(path)
    try:
        return base.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    finally:
        base.close()


def table(path, wanted: Event) -> str:
    """Everything about an event that must not depend on how it was run."""
    with Store(path) as store:
        records = [(number, record.players, record.opening, record.moves, record.utilities, record.seed)
                   for number, record in store.records(wanted)]  # fmt: skip
        return json.dumps([summarise(wanted, store.results(wanted)), records])


# Schedules -----------------------------------------------------------------------------------------------------------


def tasks(wanted: Event, game=GAME, results=None):
    return list(schedule(wanted, game, results or {}))


def test_pairs_share_opening_and_seed_with_seats_swapped():
    found = tasks(event(games=6))
    assert [task.number for task in found] == list(range(6))
    for one, other in zip(found[::2], found[1::2], strict=True):
        assert one.seats == other.seats[::-1]
        assert (one.opening, one.seed, one.group) == (other.opening, other.seed, other.group)
    assert len({task.seed for task in found}) == 3
    assert tasks(event(games=8))[:6] == found  # a longer event begins as the shorter one
    assert event(games=6).key == event(games=8).key != event(seed=2).key


def test_seats_rotate_with_three_players():
    three = load_game("tictactoe3")
    found = tasks(event(game="tictactoe3", players=("random", "maxn:depth=1", "mcts:sims=5"), games=6), three)
    assert {task.seats[0] for task in found[:3]} == {"random", "maxn:depth=1", "mcts:sims=5"}
    assert len({task.seed for task in found[:3]}) == 1
    alone = tasks(event(game="tictactoe3", players=("random", "mcts:sims=5"), games=3), three)
    assert sorted(task.seats.index("random") for task in alone) == [0, 1, 2]
    assert all(task.seats.count("mcts:sims=5") == 2 for task in alone)


def test_round_robin_and_gauntlet():
    names = ("random", "random:seed=1", "random:seed=2", "random:seed=3")
    robin = event(kind="round-robin", players=names, games=2)
    found = tasks(robin)
    assert len(found) == total_games(robin, GAME) == 12
    assert len({frozenset(task.seats) for task in found}) == 6
    assert len({task.key for task in found}) == 12
    gauntlet = event(kind="gauntlet", players=names, games=2)
    assert len(tasks(gauntlet)) == total_games(gauntlet, GAME) == 6
    assert all("random" in task.seats for task in tasks(gauntlet))


def test_swiss_rounds_follow_from_results():
    names = tuple(f"random:seed={number}" for number in range(5))
    swiss = event(kind="swiss", players=names, games=2, rounds=3)
    results: dict[int, Finished] = {}
    met, rested = [], []
    for _ in range(3):
        found = tasks(swiss, results=results)
        known, last = [task for task in found if task is not None], found[-1]
        assert len(known) == 4
        assert (last is None) or len(results) == 8
        seen = {name for task in known for name in task.seats}
        rested += set(names) - seen
        met += {frozenset(task.seats) for task in known}
        for task in known:  # the lower seed wins
            utilities = tuple(1.0 if name == min(task.seats) else -1.0 for name in task.seats)
            results[task.number] = Finished(task.number, task.group, task.seats, utilities, "end", 5, 0.0)
    assert len(met) == len(set(met)) == 6  # nobody meets anyone twice
    assert len(set(rested)) == 3
    assert frozenset(names[:2]) in met  # the leaders have met
    assert total_games(swiss, GAME) == 12
    assert [task for task in tasks(swiss, results=results) if task is not None] == []


def test_events_that_make_no_sense():
    for wrong, words in (
        ({"players": ("random", "random")}, "named twice"),
        ({"players": ("random",)}, "too few"),
        ({"players": ("random", "best", "mcts")}, "do not fit"),
        ({"games": 0}, "too few"),
        ({"kind": "cup"}, "no event of kind"),
    ):
        with pytest.raises(BadInput, match=words):
            check(event(**wrong), GAME)
    with pytest.raises(BadInput, match="two sides"):
        check(event(kind="swiss", game="tictactoe3"), load_game("tictactoe3"))


def test_comparing_players_with_several_seats():
    assert compare(("A", "B"), (1, -1)) == [("A", "B", 1.0), ("B", "A", 0.0)]
    assert {(a, b): s for a, b, s in compare(("A", "B", "B"), (0, 1, -1))} == {("A", "B"): 0.5, ("B", "A"): 0.5}
    results = [Finished(n, n // 2, ("A", "B") if n % 2 else ("B", "A"), (1.0, -1.0), "end", 5, 0.0) for n in range(4)]
    assert groups_of(results, "A", "B") == [[0.0, 1.0], [0.0, 1.0]]


# Storage -------------------------------------------------------------------------------------------------------------


def test_games_are_kept_and_read_back(tmp_path):
    wanted = event()
    with Store(tmp_path / "a.db") as store:
        outcome = run_event(wanted, store)
        assert store.events() == [wanted]
        assert store.results(wanted) == outcome.results
        numbers = [number for number, _ in store.records(wanted)]
        store.check()
    assert numbers == list(range(12))
    assert intact(tmp_path / "a.db")


def test_a_run_goes_on_where_it_was_stopped_and_can_be_made_longer(tmp_path):
    whole, parts = tmp_path / "whole.db", tmp_path / "parts.db"
    with Store(whole) as store:
        run_event(event(games=20), store)
    for games in (3, 8, 20):
        with Store(parts) as store:
            assert len(run_event(event(games=games), store).results) == games
    assert table(whole, event(games=20)) == table(parts, event(games=20))
    with Store(parts) as store:
        assert [kept.games for kept in store.events()] == [20]


def test_processes_give_the_same_table_as_one(tmp_path):
    for path, concurrency in ((tmp_path / "one.db", 1), (tmp_path / "two.db", 2)):
        with Store(path) as store:
            run_event(event(games=30), store, concurrency=concurrency)
    assert table(tmp_path / "one.db", event(games=30)) == table(tmp_path / "two.db", event(games=30))


def test_a_claim_ends_with_its_owner(tmp_path):
    found = tasks(event())
    with Store(tmp_path / "a.db") as mine, Store(tmp_path / "a.db") as other:
        other.owner = f"{other.owner.rsplit('/', 2)[0]}/1/{storing._birth(1)}"  # a process that lives
        mine.add_event(event())
        assert mine.claim(found, 5) == found[:5]
        assert other.claim(found, 5) == found[5:10]
        assert mine.claim(found, 5) == found[10:]
        assert other.claim(found, 5) == []
        mine.release([found[0].key])
        assert other.claim(found, 5) == [found[0]]
        other._base.execute("UPDATE claim SET owner = ? WHERE owner = ?", ("here/999999999/5", other.owner))
        other._base.execute("UPDATE claim SET owner = ? WHERE owner = ?",
                            (f"{mine.owner.rsplit('/', 2)[0]}/999999999/5", "here/999999999/5"))  # fmt: skip
        assert len(mine.claim(found, 12)) == 6  # their owner is gone


def test_a_claim_of_another_machine_lasts_until_it_is_not_renewed(tmp_path, monkeypatch):
    found = tasks(event())
    with Store(tmp_path / "a.db") as mine:
        mine.add_event(event())
        mine.owner = "elsewhere/1/1"
        mine.claim(found, 4)
        mine.owner = "here/1/1"
        assert mine.claim(found[:4], 4) == []
        monkeypatch.setattr(storing, "LEASE", 0.0)
        assert len(mine.claim(found[:4], 4)) == 4
        mine.renew()


def test_a_game_is_stored_only_once(tmp_path):
    wanted = event()
    seating = Seating(wanted)
    task = tasks(wanted)[0]
    record = seating.play(task)
    with Store(tmp_path / "a.db") as store:
        store.add_event(wanted)
        store.add(wanted, [(task, record)])
        store.add(wanted, [(task, record)])
        assert len(store.results(wanted)) == 1


def _command(path, games=200, *more):
    return [
        sys.executable, "-m", "gametree", "match", "random", "mcts:sims=40", "-g", "tictactoe", "-n", str(games),
        "--salt", "tests",
        "-b", str(path), "--json", *more,
    ]  # fmt: skip


KILLS = int(os.environ.get("GAMETREE_KILLS", "5"))


@pytest.mark.parametrize("processes", ["1", "2"])
def test_kill_9_at_any_moment_loses_nothing_and_plays_nothing_twice(tmp_path, processes):
    calm = subprocess.run(_command(tmp_path / "calm.db"), capture_output=True, text=True, check=True)
    rng, kills, done, counts = random.Random(9), 0, None, []
    while done is None:
        command = _command(tmp_path / "wild.db", 200, "-j", processes)
        process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        # From the moment that games come in, a random moment later.
        try:
            done, _ = process.communicate(timeout=None if kills >= KILLS else _until_games(tmp_path, rng, counts))
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGKILL)
            process.communicate()
            kills += 1
            assert intact(tmp_path / "wild.db") or not counts
            counts.append(_count(tmp_path / "wild.db"))
    assert kills == KILLS
    assert len({count for count in counts if 0 < count < 200}) >= KILLS // 2  # it was caught in the middle
    assert counts == sorted(counts)
    assert json.loads(done) == json.loads(calm.stdout)
    assert _count(tmp_path / "wild.db") == 200
    assert intact(tmp_path / "wild.db")


def _count(path) -> int:
    if not path.exists():
        return 0
    base = sqlite3.connect(path)
    try:
        return base.execute("SELECT count(*) FROM game").fetchone()[0]
    except sqlite3.OperationalError:
        return 0  # killed before the tables were made
    finally:
        base.close()


def _until_games(tmp_path, rng, counts) -> float:
    """Wait until this run has added a game, if it ever does within a while; then a random rest."""
    before = counts[-1] if counts else 0
    end = time.monotonic() + 20
    if rng.random() < 0.25:
        return rng.random() * 0.5  # before or while it starts
    while time.monotonic() < end and _count(tmp_path / "wild.db") <= before:
        time.sleep(0.005)
    return 0.001 + rng.random() * 0.08


def test_two_processes_share_one_event(tmp_path):
    calm = subprocess.run(_command(tmp_path / "calm.db", 120), capture_output=True, text=True, check=True)
    both = [subprocess.Popen(_command(tmp_path / "both.db", 120), stdout=subprocess.PIPE, text=True) for _ in range(2)]
    printed = [json.loads(process.communicate()[0]) for process in both]
    assert printed[0] == printed[1] == json.loads(calm.stdout)
    assert _count(tmp_path / "both.db") == 120


def test_who_is_left_plays_the_games_of_who_was_killed(tmp_path):
    path = tmp_path / "both.db"
    calm = subprocess.run(_command(tmp_path / "calm.db", 300), capture_output=True, text=True, check=True)
    victim = subprocess.Popen(_command(path, 300), stdout=subprocess.PIPE, text=True)
    while _count(path) == 0:
        assert victim.poll() is None
        time.sleep(0.005)
    heir = subprocess.Popen(_command(path, 300), stdout=subprocess.PIPE, text=True)
    time.sleep(0.3)
    victim.kill()
    victim.communicate()
    printed, _ = heir.communicate(timeout=300)
    assert json.loads(printed) == json.loads(calm.stdout)
    assert _count(path) == 300
    assert intact(path)


def test_different_events_are_written_to_one_file_at_the_same_time(tmp_path):
    path = tmp_path / "both.db"
    commands = [_command(path, 100, "--seed", str(seed)) for seed in (1, 2, 3)]
    running = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for command in commands]
    printed = [json.loads(process.communicate(timeout=300)[0]) for process in running]
    assert [process.returncode for process in running] == [0, 0, 0]
    assert len({summary["key"] for summary in printed}) == 3
    assert all(summary["games"] == 100 for summary in printed)
    assert _count(path) == 300
    assert intact(path)
    with Store(path) as store:
        assert sorted(summarise(known, store.results(known))["key"] for known in store.events()) == sorted(
            summary["key"] for summary in printed
        )


# Faults --------------------------------------------------------------------------------------------------------------


def test_files_that_will_not_do(tmp_path):
    other = tmp_path / "other.db"
    base = sqlite3.connect(other)
    base.execute("CREATE TABLE t (x)")
    base.commit()
    base.close()
    with pytest.raises(BadInput, match="another program's database"):
        Store(other)
    assert intact(other)

    good = tmp_path / "good.db"
    with Store(good) as store:
        run_event(event(), store)
    base = sqlite3.connect(good)
    base.execute("PRAGMA user_version = 99")
    base.close()
    with pytest.raises(BadInput, match="version 99 of the tables"):
        Store(good)
    assert intact(good)

    with pytest.raises(BadInput, match="There is no file"):
        Store(tmp_path / "none.db", create=False)
    with pytest.raises(BadInput, match="cannot be used"):
        Store(tmp_path / "no" / "folder.db")
    text = tmp_path / "text.db"
    text.write_text("this is no database, but long enough to look at\n" * 20)
    with pytest.raises(BadInput, match="damaged or no database"):
        Store(text)


def test_a_truncated_file_is_told(tmp_path):
    path = tmp_path / "a.db"
    with Store(path) as store:
        run_event(event(games=60), store)
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    with pytest.raises(BadInput, match="damaged"):
        _use(path)


def _use(path) -> None:
    with Store(path) as store:
        store.check()
        list(store.records(event(games=60)))


def test_a_full_disk_keeps_what_was_finished(tmp_path):
    path = tmp_path / "a.db"
    with Store(path) as store:
        run_event(event(games=10), store)
        pages = store._base.execute("PRAGMA page_count").fetchone()[0]
        store._base.execute(f"PRAGMA max_page_count = {pages}")
        with pytest.raises(BadInput, match="the disk is full"):
            run_event(event(games=400), store)
        store._base.execute("PRAGMA max_page_count = 1000000")
        kept = len(store.results(event()))
    assert kept >= 10
    assert intact(path)
    with Store(path) as store:
        assert len(run_event(event(games=400), store).results) == 400


def test_a_process_that_dies_is_replaced_and_one_that_always_dies_is_named(tmp_path):
    file = tmp_path / "deadly.py"
    file.write_text(
        textwrap.dedent(
            f"""
            import os
            class Once:
                def choose(self, game, state, seat):
                    if not os.path.exists({str(tmp_path / "died")!r}):
                        open({str(tmp_path / "died")!r}, "w").close()
                        os._exit(1)
                    return game.actions(state)[0]
            class Always:
                def choose(self, game, state, seat):
                    os._exit(1)
            """
        )
    )
    once = event(players=("random", f"{file}:Once"), games=4)
    with Store(tmp_path / "a.db") as store:
        assert len(run_event(once, store, concurrency=2).results) == 4
        with pytest.raises(GameError, match="has ended its process 3 times"):
            run_event(event(players=("random", f"{file}:Always"), games=2), store, concurrency=2)
    assert intact(tmp_path / "a.db")


def test_mistakes_in_another_process_are_told_here(tmp_path):
    wrong = event(openings=("a1 a1",), games=4)
    with Store(tmp_path / "a.db") as store, pytest.raises(BadInput, match="'a1' is not a legal move"):
        run_event(wrong, store, concurrency=2)
    with Store(tmp_path / "a.db") as store, pytest.raises(BadInput, match="concurrency of 0"):
        run_event(event(), store, concurrency=0)


# The sequential test -------------------------------------------------------------------------------------------------


def test_the_test_stops_early_and_does_not_depend_on_the_order_of_arrival(tmp_path):
    strong = event(players=("alphabeta:depth=9", "random"), games=2000, random_plies=0)
    test = Sprt(0, 100)
    with Store(tmp_path / "a.db") as store:
        outcome = run_event(strong, store, test=test)
        again = run_event(strong, store, test=test)
    assert outcome.verdict == "H1"
    assert 4 <= len(outcome.results) < 200
    assert len(outcome.results) % 2 == 0
    assert (again.verdict, again.ratio, again.results) == (outcome.verdict, outcome.ratio, outcome.results)

    late = Trial(test, strong.players)
    shuffled = dict(outcome.results)
    first = shuffled.pop(0)
    late.judge(shuffled)
    assert late.groups == 0
    late.judge(shuffled | {0: first})
    assert (late.verdict, late.ratio) == (outcome.verdict, pytest.approx(outcome.ratio))
    with Store(tmp_path / "b.db") as store, pytest.raises(BadInput, match="needs a match"):
        run_event(event(kind="round-robin"), store, test=test)


# Exports -------------------------------------------------------------------------------------------------------------


def test_exports(tmp_path):
    wanted = event(games=4)
    with Store(tmp_path / "a.db") as store:
        run_event(wanted, store)
        texts = {kind: export_games(kind, wanted, GAME, store.records(wanted)) for kind in ("pgn", "jsonl", "csv")}
        with pytest.raises(BadInput, match="SGF has no words for tictactoe; expected Go, Othello, Hex or Havannah"):
            export_games("sgf", wanted, GAME, store.records(wanted))
        with pytest.raises(BadInput, match="no format 'xml'"):
            export_games("xml", wanted, GAME, store.records(wanted))
        records = dict(store.records(wanted))
    assert texts["pgn"].count('[White "') == 4
    assert f'[Black "{wanted.players[1]}"]' in texts["pgn"]
    assert all(len(line) < 80 or line.startswith("[") for line in texts["pgn"].splitlines())
    lines = [json.loads(line) for line in texts["jsonl"].splitlines()]
    assert [tuple(line["moves"]) for line in lines] == [records[number].moves for number in range(4)]
    rows = texts["csv"].splitlines()
    assert rows[0].startswith("event,game,number,player_1,player_2,utility_1,utility_2,reason")
    assert len(rows) == 5
    three = load_game("tictactoe3")
    with pytest.raises(BadInput, match="no place for the 3 players"):
        export_games("pgn", event(game="tictactoe3"), three, iter(records.items()))
    assert forfeit(GAME, 0) == (-1, 1)


def test_a_table_of_games_of_different_numbers_of_players(tmp_path):
    three, two = event(game="tictactoe3", players=("random", "maxn:depth=1"), games=3), event(games=2)
    with Store(tmp_path / "a.db") as store:
        run_event(two, store)
        run_event(three, store)
        parts = [(known, load_game(known.game), store.records(known)) for known in store.events()]
        rows = list(csv.DictReader(io.StringIO(export_events("csv", parts))))
    assert [row["game"] for row in rows] == ["tictactoe"] * 2 + ["tictactoe3"] * 3
    assert [row["event"] for row in rows] == [two.key] * 2 + [three.key] * 3
    assert [row["player_3"] == "" for row in rows] == [True] * 2 + [False] * 3
    assert [row["utility_3"] == "" for row in rows] == [True] * 2 + [False] * 3
    assert all(row["utility_2"] and row["reason"] == "end" and row["moves"] for row in rows)


def test_a_pgn_counts_moves_from_the_position_on(tmp_path):
    chess = load_game("chess")
    fen = "4k3/8/8/8/8/8/4P3/4K3 b - - 0 41"
    opening = f"position {fen} moves Kd7 e4"
    players = ("random", "random:seed=2")
    wanted = event(game="chess", players=players, openings=(opening,), games=1, adjudication={"plies": 4})
    with Store(tmp_path / "a.db") as store:
        run_event(wanted, store, game=chess)
        text = export_games("pgn", wanted, chess, store.records(wanted))
    assert f'[FEN "{fen}"]' in text
    assert "\n41... Kd7 42. e4 " in text


def test_go_as_sgf(tmp_path):
    go = load_game("go:size=3,komi=0.5")
    wanted = event(game="go:size=3,komi=0.5", players=("random", "random:seed=2"), games=2, random_plies=1)
    with Store(tmp_path / "a.db") as store:
        run_event(wanted, store, game=go)
        text = export_games("sgf", wanted, go, store.records(wanted))
        (_, record), _ = store.records(wanted)
    game = text.splitlines()[0]
    assert "GM[1]" in game
    assert "SZ[3]" in game
    assert "KM[0.5]" in game
    assert ("RE[B+" in game) == (record.utilities[0] > 0)
    moves = text.splitlines()[1]
    assert moves.count(";") == len(record.moves) + 1
    column, row = record.opening[0], record.opening[1]
    assert moves.startswith(f";B[{'abc'['ABC'.index(column)]}{'cba'[int(row) - 1]}]")


def test_othello_as_sgf(tmp_path):
    othello = load_game("othello:size=4")
    # The second opening is a position in which White is to move and Black passes soon after.
    openings = ("a2", "position -XX--XO--OO----- O")
    wanted = event(game="othello:size=4", players=("random", "random:seed=2"), games=4, openings=openings)
    with Store(tmp_path / "a.db") as store:
        run_event(wanted, store, game=othello)
        text = export_games("sgf", wanted, othello, store.records(wanted))
        records = dict(store.records(wanted))
    games = text.split("(;")[1:]
    assert len(games) == 4
    for number, game in enumerate(games):
        head, moves = game.splitlines()
        assert head.startswith("FF[4]GM[2]CA[UTF-8]AP[gametree]SZ[4]PB[")
        lead = int(records[number].utilities[0])
        assert f"RE[{'0' if lead == 0 else f'B+{lead}' if lead > 0 else f'W+{-lead}'}]" in head
        assert ("AB[ba][ca][bb]AW[cb][bc][cc]PL[W]" in head) == (number >= 2)
        said = [word[:-1].split("[") for word in moves.rstrip(")").split(";")[1:]]
        state = othello.initial() if number < 2 else othello.state_from_text(openings[1].removeprefix("position "))
        for color, point in said:
            assert color == "BW"[othello.player(state)]
            move = f"{point[0]}{ord(point[1]) - 96}" if point else "pass"
            state = othello.result(state, othello.action_from_text(state, move))
        assert othello.is_terminal(state)
        assert len(said) == len(records[number].moves) + (number < 2)
    assert any("[]" in game for game in games)
