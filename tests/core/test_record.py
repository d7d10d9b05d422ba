"""The tree record: what a search writes down, and that it can be trusted."""

from __future__ import annotations

import inspect
import json
import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gametree import CHANCE, MAX, MIN, BadInput, TreeRecord, analyse, load_algorithm, load_game
from gametree.core.clock import Clock
from gametree.core.errors import OutOfTime, UnfitGame
from gametree.core.record import COLUMNS, LEAF, Event
from gametree.core.registry import algorithm_names
from gametree.games.tree import parse_tree, random_tree

TEXTBOOK = "((3 12 8) (2 4 6) (14 5 2))"


def search(text, algorithm="alphabeta", **options):
    game = parse_tree(text)
    record = TreeRecord(game)
    result = analyse(game, algorithm=algorithm, record=record, **options)
    return record, result


trees = st.builds(
    random_tree,
    branching=st.integers(1, 4),
    depth=st.integers(0, 4),
    seed=st.integers(0, 10_000),
    real=st.booleans(),
    uneven=st.sampled_from([0.0, 0.3]),
    alternate=st.booleans(),
    values=st.sampled_from(["-9..9", "0..2"]),
)


def names(record, rows):
    return [".".join(record.path(row)) for row in rows]


# What alpha-beta writes down ------------------------------------------------------------------------------------------


def test_the_textbook_tree_row_by_row():
    record, result = search(TEXTBOOK)
    assert result.value == 3
    assert record.algorithm == "alphabeta"
    assert record.position == "root"
    assert record.parent == [-1, 0, 1, 1, 1, 0, 5, 5, 5, 0, 9, 9, 9]
    assert record.player == [MAX, MIN, LEAF, LEAF, LEAF, MIN, LEAF, LEAF, LEAF, MIN, LEAF, LEAF, LEAF]
    assert record.value == [3, 3, 3, 12, 8, 2, 2, 4, 6, 2, 14, 5, 2]
    assert record.order == [0, 1, 2, 3, 4, 5, 6, -1, -1, 7, 8, 9, 10]
    assert record.bound == ["exact"] * 5 + ["upper", "exact", "", ""] + ["exact"] * 4
    assert (record.alpha_in[5], record.beta_in[5]) == (3, math.inf)
    assert (record.alpha_out[0], record.beta_out[1], record.beta_out[5]) == (3, 3, 2)
    assert record.reason[5] == "cut"
    assert record.reason[7] == record.reason[8] == "pruned"
    assert names(record, record.skipped_leaves()) == ["2.2", "2.3"]
    assert [record.value[row] for row in record.skipped_leaves()] == [4, 6]
    assert list(record.unvisited()) == [7, 8]
    assert record.best == [1, 2, -1, -1, -1, 6, -1, -1, -1, 12, -1, -1, -1]
    assert record.principal_variation() == [0, 1, 2]


def test_events_tell_the_search_in_order():
    record, _ = search("(1 (0 9))")
    inf = math.inf
    assert record.events == [
        Event("enter", 0, None, -inf, inf),
        Event("enter", 1, None, -inf, inf),
        Event("leave", 1, 1, -inf, inf),
        Event("update", 0, 1, 1, inf),
        Event("enter", 2, None, 1, inf),
        Event("enter", 3, None, 1, inf),
        Event("leave", 3, 0, 1, inf),
        Event("update", 2, 0, 1, 0),
        Event("cut", 2, 0, 1, 0),
        Event("leave", 2, 0, 1, 0),
        Event("leave", 0, 1, 1, inf),
    ]


@settings(max_examples=80, deadline=None)
@given(trees)
def test_alphabeta_record_agrees_with_the_result(game):
    record = TreeRecord(game)
    result = analyse(game, algorithm="alphabeta", record=record)
    assert record.value[0] == (result.value if result.player == MAX else -result.value)
    visited = [row for row in range(len(record)) if record.order[row] >= 0]
    assert len(visited) == result.nodes
    assert sum(record.player[row] == LEAF for row in visited) == result.leaves
    assert [record.place[row] for row in record.principal_variation()[1:]] == list(result.pv)
    assert sorted(record.order[row] for row in visited) == list(range(len(visited)))


@settings(max_examples=80, deadline=None)
@given(trees)
def test_every_bound_holds_for_the_true_value(game):
    record = TreeRecord(game)
    analyse(game, algorithm="alphabeta", record=record)
    truth = TreeRecord(game)
    analyse(game, algorithm="minimax", record=truth)
    true_value = {tuple(truth.path(row)): truth.value[row] for row in range(len(truth))}
    for row in range(len(record)):
        value, true = record.value[row], true_value[tuple(record.path(row))]
        if record.bound[row] == "upper":
            assert true <= value
        elif record.bound[row] == "lower":
            assert true >= value
        elif record.bound[row] == "exact" or record.player[row] == LEAF:
            assert true == value


@settings(max_examples=60, deadline=None)
@given(trees)
def test_expansion_completes_the_tree_and_changes_nothing_else(game):
    record = TreeRecord(game)
    result = analyse(game, algorithm="alphabeta", record=record)
    before = record.to_data()
    record.expand_unvisited()
    after = record.to_data()
    for name in COLUMNS:
        assert after["nodes"][name][: len(before["nodes"]["parent"])] == before["nodes"][name]
    assert after["events"] == before["events"]
    assert len(record) == len(TreeRecord.unsearched(game))
    leaves = sum(player == LEAF for player in record.player)
    assert leaves == result.leaves + len(record.skipped_leaves())


def test_expansion_stops_at_its_limit():
    game = random_tree(branching=3, depth=5, seed=2, ordering="best")
    record = TreeRecord(game)
    analyse(game, record=record)
    rows = len(record)
    record.expand_unvisited(limit=7)
    assert len(record) == rows + 7


def test_a_leaf_without_a_value_stays_unknown():
    record, _ = search("max(3 min(2 x y))")
    rows = record.skipped_leaves()
    assert [record.label[row] for row in rows] == ["x", "y"]
    assert [record.value[row] for row in rows] == [None, None]


def test_a_static_value_is_exact_wherever_the_window_stands():
    record, _ = search("(5 B=1(2 3))", depth=1)
    assert record.label[2] == "B"
    assert (record.value[2], record.bound[2], record.reason[2]) == (1, "exact", "depth")


def test_chance_children_carry_their_probabilities():
    record, _ = search("[0.25:8 0.75:4]", "expectiminimax")
    assert record.player[0] == CHANCE
    assert record.probability == [None, 0.25, 0.75]
    assert record.value[0] == 5
    assert record.principal_variation() == [0]


def test_three_players_have_vectors_and_no_minimiser():
    record, _ = search("((1/2/6 4/3/3) (6/1/2 7/4/1))", "maxn")
    assert record.values[0] == [7, 4, 1]
    assert record.values[1] == [4, 3, 3]
    updates = [(event.node, event.value) for event in record.events if event.kind == "update"]
    assert updates == [(1, 1), (1, 4), (0, 4), (4, 6), (4, 7), (0, 7)]
    assert all(math.isinf(x) for x in record.alpha_out + record.beta_out)


# Searching again ------------------------------------------------------------------------------------------------------


def hand_made(text=TEXTBOOK, **options):
    game = parse_tree(text)
    return game, TreeRecord(game, **options)


def test_a_second_pass_replaces_what_the_first_said():
    game, record = hand_made()
    # First pass: the root is cut after its first child. Second pass: everything is looked at.
    record.enter(0, None, -1, 1)
    record.enter(game.result(0, 0), 0, -1, 1)
    record.leave(3)
    record.leave(3)
    assert record.reason[0] == "cut"
    assert record.bound[0] == "lower"
    assert "depth" in record.reason[1]
    record.enter(0, None)
    for action in game.actions(0):
        child = game.result(0, action)
        record.enter(child, action)
        for deeper in game.actions(child):
            record.enter(game.result(child, deeper), deeper)
            record.leave(game.utility(game.result(child, deeper), MAX))
        record.leave(min(game.utility(game.result(child, deeper), MAX) for deeper in game.actions(child)))
    record.leave(3)
    assert record.reason[0] == record.reason[1] == "researched"
    assert record.reason[record.children()[0][1]] == ""
    assert set(record.bound) == {"exact"}
    assert record.visits[:2] == [2, 2]
    assert not list(record.unvisited())


def test_best_play_follows_the_last_pass():
    game, record = hand_made("(5 5)")
    for moves in ((0, 1), (1, 0)):
        record.enter(0, None)
        for move in moves:
            record.enter(game.result(0, move), move)
            record.leave(5)
        record.leave(5)
    assert record.principal_variation() == [0, 2]


def test_a_cut_is_seen_even_where_an_earlier_pass_looked_at_everything():
    game, record = hand_made("(1 2)")
    for moves in ((0, 1), (0,)):
        record.enter(0, None, -math.inf, 1 if moves == (0,) else math.inf)
        for move in moves:
            record.enter(game.result(0, move), move)
            record.leave(move + 1)
        record.leave(moves[-1] + 1)
    assert record.reason[0] == "researched cut"
    assert record.bound[0] == "lower"
    assert record.order == [0, 1, 2]


def test_an_abandoned_pass_gives_the_last_outcome_back():
    game, record = hand_made()
    record.enter(0, None)
    record.enter(game.result(0, 0), 0)
    record.leave(3)
    record.leave(3, bound="estimate")
    finished = record.to_data()["nodes"]
    record.enter(0, None)
    record.enter(game.result(0, 1), 1)
    record.enter(game.result(game.result(0, 1), 0), 0)
    record.abandon()
    assert (record.value[0], record.bound[0], record.reason[0]) == (3, "estimate", finished["reason"][0])
    unfinished = [row for row in range(len(record)) if record.reason[row] == "unfinished"]
    assert names(record, unfinished) == ["2", "2.1"]
    record.enter(0, None)  # and a new pass can begin
    record.leave(3)
    assert record.visits[0] == 3


def test_a_search_within_a_search_starts_at_the_open_node():
    game, record = hand_made()
    record.enter(0, None)
    child = game.result(0, 1)
    assert record.enter(child, 1) == 1
    assert record.enter(child, None) == 1
    record.leave(2)
    record.leave(2)
    record.leave(3)
    assert record.visits == [1, 2, 0, 0]
    assert record.value[:2] == [3, 2]


def test_a_search_of_another_position_is_refused():
    game, record = hand_made()
    record.enter(0, None)
    record.leave(3)
    with pytest.raises(ValueError, match="position 'root'"):
        record.enter(game.result(0, 1), None)


def test_a_full_record_says_so_and_invents_nothing():
    game = random_tree(branching=3, depth=4, seed=5)
    record = TreeRecord(game, limit=20)
    result = analyse(game, algorithm="minimax", record=record)
    assert record.truncated
    assert len(record) == 20
    assert record.value[0] == result.value
    assert not any("cut" in reason or "depth" in reason for reason in record.reason)
    whole = TreeRecord(game)
    analyse(game, algorithm="minimax", record=whole)
    assert not whole.truncated


def test_passing_over_a_move():
    game, record = hand_made("(1 (5 6))")
    record.enter(0, None)
    record.enter(game.result(0, 0), 0)
    record.leave(1)
    record.skip(1, "refused")
    record.leave(1)
    assert record.reason == ["", "terminal", "refused"]
    assert record.events[-2] == Event("skip", 2, None, -math.inf, math.inf)
    assert record.order[2] == -1


def test_quiescence_leaves_only_noisy_moves_pruned():
    game, record = hand_made("(7 !8 9 !10)")
    record.enter(0, None, -math.inf, 8)
    record.mark("quiescence")
    record.enter(game.result(0, 1), 1, -math.inf, 8)
    record.leave(8)
    record.leave(8)
    assert names(record, record.unvisited()) == ["4"]
    assert record.reason[0] == "quiescence cut"


def test_the_tree_before_any_search():
    game = parse_tree("((3 12) (2 x))")
    record = TreeRecord.unsearched(game)
    assert record.value == [None, None, None, 3, 12, 2, None]
    assert set(record.order) == {-1}
    assert len(TreeRecord.unsearched(game, depth=1)) == 3
    assert TreeRecord.unsearched(game, limit=4).truncated


# Off costs nothing ----------------------------------------------------------------------------------------------------


def test_no_record_no_work(monkeypatch):
    """Without a record, no search touches the class at all."""

    def forbidden(*_, **__):
        raise AssertionError("a record was used though none was asked for")

    for name in ("__init__", "enter", "leave", "skip", "mark", "add"):
        monkeypatch.setattr(TreeRecord, name, forbidden)
    game = random_tree(branching=3, depth=3, seed=1)
    for algorithm in ("minimax", "alphabeta", "negascout", "mtdf", "mcts"):
        assert analyse(game, algorithm=algorithm).nodes > 1
    with pytest.raises(AssertionError):
        TreeRecord(game)


# JSON -----------------------------------------------------------------------------------------------------------------


@settings(max_examples=60, deadline=None)
@given(trees, st.sampled_from(["alphabeta", "minimax", "negascout", "mtdf", "sss"]))
def test_json_round_trip(game, algorithm):
    record = TreeRecord(game)
    analyse(game, algorithm=algorithm, record=record)
    again = TreeRecord.from_json(record.to_json())
    for name in COLUMNS:
        assert getattr(again, name) == getattr(record, name)
    assert again.events == record.events
    assert again.to_json() == record.to_json()
    assert (again.game_name, again.algorithm, again.position) == (record.game_name, record.algorithm, record.position)


def test_json_of_a_game_is_strict_json():
    game = load_game("tictactoe")
    record = TreeRecord(game)
    analyse(game, game.state_from_text("XOX/OX./..O"), record=record)
    data = json.loads(record.to_json(), parse_constant=lambda word: pytest.fail(word))
    assert data["nodes"]["alpha_in"][0] is None
    assert set(data["nodes"]) == set(COLUMNS)


def test_a_value_that_is_no_number_becomes_null():
    _, record = hand_made("(1 2)")
    record.enter(0, None)
    record.leave(math.nan, values=[math.inf, 0.5])
    data = json.loads(record.to_json())
    assert data["nodes"]["value"] == [None]
    assert data["nodes"]["values"] == [[None, 0.5]]


def broken(change):
    record, _ = search(TEXTBOOK)
    data = record.to_data()
    change(data)
    return data


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda data: data.update(format="other"), "not a tree record"),
        (lambda data: data.pop("nodes"), "nodes"),
        (lambda data: data["nodes"].pop("parent"), "parent"),
        (lambda data: data["nodes"]["move"].pop(), "differ in length"),
        (lambda data: data["nodes"]["parent"].__setitem__(3, 7), "one root"),
        (lambda data: data["nodes"]["parent"].__setitem__(3, -1), "one root"),
        (lambda data: data["nodes"]["parent"].__setitem__(3, "1"), "'parent' holds a value of the wrong type"),
        (lambda data: data["nodes"]["label"].__setitem__(3, None), "'label' holds a value of the wrong type"),
        (lambda data: data["nodes"]["level"].__setitem__(3, 9), "level"),
        (lambda data: data["nodes"]["best"].__setitem__(3, 9), "best child"),
        (lambda data: data["events"].append(["jump", 0, None, None, None]), "event 29"),
        (lambda data: data["events"].append(["enter", 99, None, None, None]), "event 29"),
        (lambda data: data["events"].append(["enter", 0, "x", None, None]), "event 29"),
        (lambda data: data["events"].append(["enter"]), "broken"),
        (lambda data: data.update(nodes=[1]), "broken"),
    ],
)
def test_a_broken_record_is_refused_in_one_sentence(change, says):
    with pytest.raises(BadInput, match=says):
        TreeRecord.from_data(broken(change))


@pytest.mark.parametrize("text", ["", "{", "[]", "3", '{"format": "gametree-record-1"}', "[" * 100_000])
def test_text_that_is_no_record(text):
    with pytest.raises(BadInput):
        TreeRecord.from_json(text)


def test_a_large_record_exports_and_comes_back():
    game = random_tree(branching=10, depth=5, seed=1)
    record = TreeRecord(game)
    analyse(game, algorithm="minimax", record=record)
    assert len(record) == 111_111
    again = TreeRecord.from_json(record.to_json())
    assert again.value == record.value


# Searches that are stopped --------------------------------------------------------------------------------------------

STOPPED_GAMES = ("tree:branching=4,depth=7,seed=1", "tictactoe", "pig:target=6")
STOPPABLE = [
    name
    for name in algorithm_names()
    if {"record", "clock"} <= set(inspect.signature(load_algorithm(name)[1]).parameters)
    and load_algorithm(name)[0].records
]


def stop(name, games=STOPPED_GAMES):
    """Stop the search in the first game that it can search; returns the game, the record and whether it was stopped."""
    for game in map(load_game, games):
        record = TreeRecord(game)
        try:
            load_algorithm(name)[1](game, record=record, clock=Clock(nodes=1))
        except UnfitGame:
            continue
        except OutOfTime:
            return game, record, True
        return game, record, False
    return None, None, False


@pytest.mark.parametrize("name", STOPPABLE)
def test_a_search_that_is_stopped_leaves_no_node_open(name):
    game, record, stopped = stop(name)
    assert record._path == []
    if stopped:
        assert record.bound[0] == "" or name == "mtdf"  # no answer; but mtdf has bounds from its earlier passes
    if game.name.startswith("tree"):
        # Another search may use the record, and what it says of the root is what counts.
        found = load_algorithm("alphabeta")[1](game, record=record)
        assert (record.value[0], record.bound[0]) == (found.value, "exact")


def test_many_searches_have_been_stopped_in_the_middle():
    """Otherwise the test above would say nothing."""
    stopped = {name for name in STOPPABLE if stop(name, STOPPED_GAMES[:1])[2]}
    assert {"minimax", "alphabeta", "alphabeta-list", "mtdf", "negascout", "scout", "sss", "table"} <= stopped
    assert len(stopped) >= 20
