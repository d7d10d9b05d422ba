"""A player that never answers loses on time, and the match goes on."""

from __future__ import annotations

import signal
import threading
import time

import pytest

from gametree import load_game
from gametree.play import referee, watch
from gametree.play.clocks import TimeControl
from gametree.play.events import Event, fingerprints, schedule
from gametree.play.players import FilePlayer, make_player
from gametree.play.referee import play_game
from gametree.play.runner import Seating, run_event
from gametree.play.store import Store

GAME = load_game("tictactoe")

PLAYERS = """
import time

class Patient:
    def choose(self, game, state, seat):
        return game.actions(state)[0]

class Sleeper(Patient):
    '''Never answers in the second seat.'''
    def choose(self, game, state, seat):
        if seat == 1:
            time.sleep(600)
        return game.actions(state)[0]

class Stubborn(Patient):
    '''Never answers in the second seat, and does not let itself be interrupted.'''
    def choose(self, game, state, seat):
        while seat == 1:
            try:
                time.sleep(600)
            except BaseException:
                pass
        return game.actions(state)[0]
"""


def own(choose, **verbs) -> FilePlayer:
    return FilePlayer("own", type("Own", (), {"choose": lambda self, *asked: choose(*asked), **verbs})())


def first(game, state, seat):
    return game.actions(state)[0]


def for_ever(game, state, seat):
    while True:
        pass


def for_ever_but_careful(game, state, seat):
    while True:
        try:
            time.sleep(600)
        except Exception:  # no mistake of its own ends it
            continue


@pytest.fixture
def hurried(monkeypatch):
    monkeypatch.setattr(referee, "SPARE", 0.05)
    monkeypatch.setattr(watch, "LAST", 0.3)


@pytest.mark.parametrize("endless", [for_ever, for_ever_but_careful])
def test_a_player_in_this_process_is_interrupted(endless, hurried):
    record = play_game(GAME, [own(first), own(endless)], control=TimeControl.parse("time=0.2"))
    assert record.reason == "time"
    assert "player 2 (own) did not answer within 0.25 s" in record.detail
    assert record.utilities == (1.0, -1.0)
    assert len(record.moves) == 1
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)
    assert signal.getsignal(signal.SIGALRM) == signal.SIG_DFL


def test_without_a_clock_patience_ends(hurried):
    record = play_game(GAME, [own(for_ever), own(first)], patience=0.2)
    assert (record.reason, record.utilities) == ("time", (-1.0, 1.0))
    hung = own(first, start=lambda self, game, seat, seed: time.sleep(600))
    record = play_game(GAME, [own(first), hung], patience=0.2)
    assert (record.reason, record.moves, record.utilities) == ("time", (), (1.0, -1.0))


def test_a_search_that_takes_for_ever_is_interrupted():
    record = play_game(GAME, [make_player("minimax", GAME), make_player("random", GAME)], patience=0.2)
    assert (record.reason, record.utilities) == ("time", (-1.0, 1.0))


def test_where_alarms_do_not_work_players_are_called_all_the_same():
    found = []
    thread = threading.Thread(target=lambda: found.append(play_game(GAME, [own(first), own(first)])))
    thread.start()
    thread.join()
    assert found[0].reason == "end"


@pytest.mark.parametrize("name", ["Sleeper", "Stubborn"])
@pytest.mark.parametrize("concurrency", [1, 2])
def test_a_match_goes_on_after_a_player_that_does_not_answer(name, concurrency, tmp_path, hurried):
    file = tmp_path / "own.py"
    file.write_text(PLAYERS)
    players = (f"{file}:Patient", f"{file}:{name}")
    event = Event("match", "tictactoe", players, 4, patience=0.5, prints=fingerprints(players))
    with Store(tmp_path / "arena.db") as store:
        results = run_event(event, store, concurrency=concurrency).results
        records = dict(store.records(event))
        store.check()
    assert sorted(results) == [0, 1, 2, 3]
    for number, record in records.items():
        late = record.players[1] == players[1]
        assert late == (number % 2 == 0)
        assert record.reason == ("time" if late else "end")
        if late:
            assert f"player 2 ({players[1]}) did not answer" in record.detail
            assert record.utilities == (1.0, -1.0)
            assert (len(record.moves) > 0) == (name == "Sleeper")


def test_an_interrupted_player_is_made_anew_for_its_next_game(tmp_path):
    file = tmp_path / "own.py"
    file.write_text(PLAYERS)
    players = (f"{file}:Patient", f"{file}:Sleeper")
    event = Event("match", "tictactoe", players, 2, patience=0.2, prints=fingerprints(players))
    seating = Seating(event)
    tasks = [task for task in schedule(event, GAME, {}) if task is not None]
    assert [seating.play(task).reason for task in tasks] == ["time", "end"]
    seating.close()


def test_a_player_that_does_not_want_to_go_is_left(hurried):
    guard = watch.Watch()
    guard.close(own(first, close=lambda self: time.sleep(600)))
    assert guard.interrupted


def test_patience_is_no_part_of_what_makes_an_event():
    one, other = (Event("match", "tictactoe", ("random", "best"), 2, patience=seconds) for seconds in (1.0, 2.0))
    assert one.key == other.key
