"""The compiled engine: equal to the readable searches where it must be, and obedient to its limits."""

from __future__ import annotations

import dataclasses
import random
import resource
import threading
import time
from pathlib import Path

import numpy as np
import pytest

from gametree import BadInput, TreeRecord, UnfitGame, load_algorithm, load_game
from gametree.kernels import compiler, u64
from gametree.kernels.transposition import new_table
from gametree.search.compiled.engine import Engine, EngineParameters, search, time_for_move
from gametree.search.compiled.engine.timing import Steadiness
from gametree.search.support import sharing
from gametree.search.support.run import Clock

GAMES = ["connect4", "othello"]


@pytest.fixture(scope="module", params=GAMES)
def game(request):
    return load_game(request.param)


def positions(game, count, plies, seed=1):
    """Random positions that are not over."""
    rng = random.Random(seed)
    found = []
    while len(found) < count:
        state = game.initial()
        for _ in range(rng.randrange(plies)):
            if game.is_terminal(state):
                break
            state = game.result(state, rng.choice(game.actions(state)))
        if not game.is_terminal(state):
            found.append(state)
    return found


def readable(name, game, state, **options):
    return load_algorithm(name)[1](game, state, **options)


SOUND = {
    "all sound refinements": {},
    "mtdf": {"driver": "mtdf"},
    "no table": {"table": False},
    "alphabeta without aspiration": {"driver": "alphabeta", "aspiration": 0},
    "mtdf without table": {"driver": "mtdf", "table": False},
    "at once": {"iterative": False, "symmetry_plies": 99},
}


@pytest.mark.parametrize("changes", SOUND.values(), ids=SOUND)
def test_sound_switches_keep_the_minimax_value(game, changes):
    parameters = EngineParameters.sound(**changes)
    engine = Engine(game, parameters=parameters, table_mib=1)
    for state in positions(game, 12, 24):
        for depth in (1, 2, 3, 4):
            expected = readable("alphabeta", game, state, depth=depth).value
            assert engine.search(state, depth=depth).value == pytest.approx(expected)


def test_value_is_minimax_and_move_reaches_it(game):
    for state in positions(game, 5, 20, seed=2):
        expected = readable("minimax", game, state, depth=3)
        found = search(game, state, depth=3, parameters=EngineParameters.sound(), table_mib=1)
        assert found.value == pytest.approx(expected.value)
        after = game.result(state, found.move)
        seat = game.player(state)
        if game.is_terminal(after):
            reached = game.utility(after, seat)
        else:
            reached = -readable("minimax", game, after, depth=2).value
        assert reached == pytest.approx(expected.value)


def test_plain_visits_the_nodes_of_the_readable_alphabeta(game):
    for state in positions(game, 10, 30, seed=3):
        for depth in (1, 3, 4):
            expected = readable("alphabeta", game, state, depth=depth)
            found = search(game, state, depth=depth, parameters=EngineParameters.plain(), table_mib=1)
            assert (found.nodes, found.leaves) == (expected.nodes, expected.leaves)
            assert (found.value, found.pv) == (pytest.approx(expected.value), expected.pv)


def test_every_unsound_switch_alone_gives_a_legal_line(game):
    names = [field.name for field in dataclasses.fields(EngineParameters)]
    for name in names:
        if name in ("driver",):
            continue
        default = getattr(EngineParameters(), name)
        parameters = EngineParameters(**{name: False if isinstance(default, bool) else 0})
        for state in positions(game, 2, 20, seed=4):
            found = search(game, state, depth=5, parameters=parameters, table_mib=1)
            assert found.move in game.actions(state)
            for move in found.pv:
                assert move in game.actions(state)
                state = game.result(state, move)


def test_proves_what_it_sees_to_the_end():
    game = load_game("connect4")
    state = game.state_from_text("2252576253462244111563365343671351441")
    result = search(game, state, table_mib=1)
    assert (result.value, result.bound, result.horizon) == (-1, "exact", False)
    shallow = search(game, depth=2, table_mib=1)
    assert (shallow.bound, shallow.horizon) == ("estimate", True)


def test_record_tells_the_same_story(game):
    state = positions(game, 1, 16, seed=5)[0]
    for parameters in (EngineParameters.plain(), EngineParameters(), EngineParameters(driver="mtdf")):
        record = TreeRecord(game)
        result = search(game, state, depth=4, record=record, parameters=parameters, table_mib=1)
        assert sum(record.visits) == result.nodes or parameters.singular_depth or parameters.null_move
        assert record.value[0] == pytest.approx(result.value if game.player(state) == 0 else -result.value)
        assert record.algorithm == "engine"
    plain, alphabeta = TreeRecord(game), TreeRecord(game)
    search(game, state, depth=3, record=plain, parameters=EngineParameters.plain(), table_mib=1)
    readable("alphabeta", game, state, depth=3, record=alphabeta)
    assert plain.move == alphabeta.move
    assert plain.value == pytest.approx(alphabeta.value)
    assert plain.reason == alphabeta.reason


def test_lines_are_the_best_moves_in_order(game):
    state = positions(game, 1, 12, seed=6)[0]
    parameters = EngineParameters.sound()
    lines = search(game, state, depth=3, lines=3, parameters=parameters, table_mib=1).details["lines"]
    seat = game.player(state)
    values = []
    for move in game.actions(state):
        after = game.result(state, move)
        over = game.is_terminal(after)
        values.append(game.utility(after, seat) if over else -readable("alphabeta", game, after, depth=2).value)
    assert [line["value"] for line in lines] == pytest.approx(sorted(values, reverse=True)[:3])
    assert len({line["pv"][0] for line in lines}) == 3


def test_lines_of_an_interrupted_search_begin_with_different_moves(game):
    engine = Engine(game, table_mib=1)
    for state in positions(game, 4, 12, seed=9):
        for nodes in range(1000, 13_000, 400):
            engine.forget()
            lines = engine.search(state, lines=3, clock=Clock(nodes=nodes)).details["lines"]
            assert len({line["pv"][0] for line in lines}) == len(lines) <= 3


@pytest.mark.parametrize("defer_depth", [0, 1, 3])
def test_threads_share_a_table(game, defer_depth):
    state = positions(game, 1, 10, seed=7)[0]
    expected = readable("alphabeta", game, state, depth=4).value
    parameters = EngineParameters.sound(defer_depth=defer_depth)
    for threads in (2, 4):
        found = search(game, state, depth=4, threads=threads, parameters=parameters, table_mib=1)
        assert found.value == pytest.approx(expected)


def test_threads_tell_each_other_what_they_search():
    table = new_table(1)
    slots = len(table) - sharing.NOTES
    with np.errstate(over="ignore"):
        first, second = (sharing.note_key(u64(7), np.int64(move)) for move in (3, 4))
    assert not sharing.is_under_way(table, slots, first)
    sharing.note_begin(table, slots, first)
    sharing.note_begin(table, slots, second)
    assert sharing.is_under_way(table, slots, first)
    assert sharing.is_under_way(table, slots, second)
    sharing.note_end(table, slots, first)
    assert not sharing.is_under_way(table, slots, first)
    assert sharing.is_under_way(table, slots, second)
    assert not table["word"][:slots].any()
    assert not table["check"][:slots].any()


def test_limits(game):
    limited = search(game, clock=Clock(nodes=5000), table_mib=1)
    assert limited.nodes <= 5001
    assert not limited.complete
    assert limited.move in game.actions(game.initial())
    tiny = search(game, clock=Clock(nodes=1), table_mib=1)
    assert tiny.move in game.actions(game.initial())
    timed = search(game, clock=Clock(0.2), table_mib=1)
    assert not timed.complete
    assert timed.depth >= 3
    soft = search(game, clock=Clock(60), soft_seconds=0.1, table_mib=1)
    assert soft.complete
    assert soft.seconds < 50


def test_stop_from_another_thread_is_obeyed(game):
    clock = Clock()
    stopped = []

    def stop():
        stopped.append(time.perf_counter())
        clock.stop()

    search(game, depth=2, table_mib=1)  # compiled before the time counts
    timer = threading.Timer(0.3, stop)
    timer.start()
    result = search(game, clock=clock, table_mib=1)
    late = time.perf_counter() - stopped[0]
    timer.join()
    assert not result.complete
    assert late < 2.0  # 10 ms on an idle machine


def test_pondering(game):
    engine = Engine(game, table_mib=1)
    first = engine.search(depth=3)
    expected = game.result(game.result(game.initial(), first.pv[0]), first.pv[1])
    pondering = engine.ponder(expected)
    time.sleep(0.05)
    hit = pondering.hit(0.05)
    assert hit.state == expected
    assert hit.move in game.actions(expected)
    missed = engine.ponder(expected).stop()
    assert missed.move in game.actions(expected)


def test_time_for_move_never_uses_the_clock_up():
    for remaining in (0.05, 1.0, 60.0, 3600.0):
        for increment in (0.0, 2.0):
            for moves_to_go in (None, 1, 2, 40):
                soft, hard = time_for_move(remaining, increment=increment, moves_to_go=moves_to_go)
                assert 0 < soft <= hard < remaining
    assert time_for_move(60, moves_to_go=1)[1] > time_for_move(60, moves_to_go=40)[1]
    assert time_for_move(60, increment=2)[0] > time_for_move(60)[0]
    with pytest.raises(BadInput):
        time_for_move(0)
    with pytest.raises(BadInput):
        time_for_move(1, moves_to_go=0)


def test_a_clock_with_increment_keeps_a_reserve():
    left = 10.0
    for _ in range(300):
        left += 0.1 - time_for_move(left, increment=0.1)[1]  # always as long as is allowed
        assert left > 0.25


def test_a_small_increment_keeps_a_reserve_though_every_move_costs_more_than_it_asked_for():
    left = 1.0
    for _ in range(300):
        left += 0.01 - time_for_move(left, increment=0.01)[1] - 0.003
        assert left > 0.35


class _Blind(Clock):
    """A clock whose watcher sleeps."""

    def expired(self, nodes=0):
        return False


def test_a_search_ends_by_itself_when_its_watcher_is_late(game):
    found = Engine(game, table_mib=1).search(clock=_Blind(0.05, nodes=30_000_000))
    assert not found.complete
    assert found.depth >= 1
    assert found.nodes < 30_000_000


def test_however_little_time_there_is_the_move_is_searched(game):
    found = Engine(game, table_mib=1).search(clock=Clock(1e-9))
    assert found.nodes >= 1000
    assert found.depth >= 2


def test_a_search_that_is_stopped_before_its_first_value_tells_the_estimate():
    game = load_game("chess")
    state = game.state_from_text("rnbqkbnr/pppp1ppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1")
    found = Engine(game, table_mib=1).search(state, clock=Clock(nodes=1))
    assert found.move in game.actions(state)
    assert found.value == game.evaluate(state, 0)


def test_quiescence_does_not_explode():
    game = load_game("chess")
    crowd = game.state_from_text("rnbqkbnr/2qqqqqq/qq6/8/8/QQ6/2QQQQQQ/RNBQKBNR w KQkq - 0 1")
    assert search(game, crowd, depth=1, table_mib=1).nodes < 100_000  # without a limit almost five million


def test_an_engine_that_forgets_is_as_good_as_new(game):
    engine = Engine(game, table_mib=1)
    first = engine.search(depth=5)
    engine.search(game.result(game.initial(), first.move), depth=5)
    engine.forget()
    again = engine.search(depth=5)
    assert (again.nodes, again.pv, again.value) == (first.nodes, first.pv, first.value)


def test_after_forgetting_no_memory_is_missing():
    game = load_game("connect4")
    engine = Engine(game, table_mib=64)  # 16,384 pages of memory
    engine.search(depth=2)
    engine.forget()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    engine.search(clock=Clock(nodes=200_000))
    assert resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before < 1000


def test_an_empty_table_is_never_called_full(game):
    engine = Engine(game, table_mib=1)
    for _ in range(64):  # the ages of the table come round
        found = engine.search(depth=1)
    assert engine._age == 0
    assert found.details["hashfull"] < 500


def test_terminal_and_depth_zero():
    game = load_game("connect4")
    over = game.state_from_text("1212121")
    assert search(game, over, table_mib=1).value == readable("alphabeta", game, over).value
    assert search(game, depth=0, table_mib=1).value == readable("alphabeta", game, None, depth=0).value


def test_refusals():
    game = load_game("connect4")
    with pytest.raises(UnfitGame):
        search(load_game("nim"))
    for options in ({"threads": 0}, {"lines": 0}, {"table_mib": 0}, {"depth": -1}):
        with pytest.raises(BadInput):
            search(game, **options)
    with pytest.raises(BadInput):
        search(game, depth=2, threads=2, record=TreeRecord(game))
    for wrong in ({"driver": "best"}, {"null_move": -1}):
        with pytest.raises(BadInput):
            EngineParameters(**wrong)


def test_uncompiled_engine_does_exactly_the_same():
    game = load_game("tictactoe")
    for parameters in (EngineParameters(), EngineParameters.sound(), EngineParameters(driver="mtdf")):
        compiled = search(game, depth=4, parameters=parameters, table_mib=0.1)
        with compiler(jit=False):
            plain = search(game, depth=4, parameters=parameters, table_mib=0.1)
        assert (plain.value, plain.nodes, plain.pv) == (compiled.value, compiled.nodes, compiled.pv)


def test_a_steady_search_takes_less_of_its_time():
    steady = Steadiness()
    assert steady.share == 1.5
    shares = []
    for depth in range(1, 12):
        steady.note(depth, 7)
        steady.note(depth, 8)  # the same depth again does not count
        shares.append(steady.share)
    assert shares == sorted(shares, reverse=True)
    assert shares[-1] == 0.6
    steady.note(12, 8)
    assert steady.share == 1.5


def test_the_page_lists_every_switch_with_its_usual_value_and_that_of_chess():
    page = (Path(__file__).parents[2] / "docs/algorithms/engine.md").read_text(encoding="utf-8")
    chess = load_game("chess").engine_parameters
    rows = {}
    for line in page.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if line.startswith("| `") and len(cells) == 4:
            rows[cells[0].split("`")[1]] = (cells[1].strip("`"), cells[3])

    def shown(value: object) -> str:
        return "on" if value is True else "off" if value is False or value == 0 else str(value)

    usual = EngineParameters()
    for field in dataclasses.fields(EngineParameters):
        special = shown(chess[field.name]) if field.name in chess else ""
        assert rows.pop(field.name) == (shown(getattr(usual, field.name)), special), field.name
    assert not rows
