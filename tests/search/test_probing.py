"""Positions by number, and tables of solved positions that searches ask first: shown on tic-tac-toe."""

from __future__ import annotations

import math
import random
from pathlib import Path

import numpy as np
import pytest

from gametree import BadInput, load_game
from gametree.kernels import compiler
from gametree.kernels.verbs import class_after, class_size, index_of, set_index, table_class
from gametree.search.compiled.engine import Engine, EngineParameters
from gametree.search.compiled.solve import search as solve
from gametree.search.support.probing import UNKNOWN, Tables

FILE = Path(__file__).with_name("indexed_tictactoe.py")


def number_all(states, c, valid, back, classes, weights):
    """For every number of class c: whether there is such a position, its number as read back, and its class."""
    for i in range(len(valid)):
        valid[i] = set_index(states[i], c, i, weights[0])
        back[i] = index_of(states[i], c, weights[0])
        classes[i] = table_class(states[i], weights[0])


def describe_class(c, out, weights):
    """The size of a class, and how many other classes it can lead to."""
    return class_size(c, weights[0]), class_after(c, out, weights[0])


@pytest.fixture(scope="module")
def game():
    return load_game(str(FILE))


@pytest.fixture(scope="module")
def positions(game):
    """Of every class all states by number; None where there is none."""
    found = {}
    for c in range(10):
        size, _ = game.rules.kernel(describe_class)(c, np.zeros(9, np.int64), game.w)
        states = np.zeros(size, game.rules.state_type)
        valid, back, classes = np.zeros(size, np.bool_), np.zeros(size, np.int64), np.zeros(size, np.int64)
        game.rules.kernel(number_all)(states, c, valid, back, classes, game.w)
        assert (back == np.arange(size)).all()
        assert (classes == c).all()
        found[c] = [game.pack(states[i : i + 1], c % 2) if valid[i] else None for i in range(size)]
    return found


@pytest.fixture(scope="module")
def solved(game, positions):
    """A byte for every position, from the full board back to the empty one."""
    tables, values = {}, {}
    for c in range(9, -1, -1):
        tables[c] = np.full(len(positions[c]), UNKNOWN, np.int8)
        for i, state in enumerate(positions[c]):
            if state is None:
                continue
            mover = game.player(state)
            if game.is_terminal(state):
                value = game.utility(state, mover)
            else:
                value = max(-values[game.result(state, move)] for move in game.actions(state))
            values[state] = tables[c][i] = value
    return tables


def test_every_position_has_one_number(game, positions):
    for c, found in positions.items():
        assert len(found) == math.comb(9, c) * math.comb(c, c // 2)
        assert len(set(found) - {None}) == sum(state is not None for state in found)
    reached, new = {game.initial()}, {game.initial()}
    while new:
        new = {game.result(state, move) for state in new for move in game.actions(state)} - reached
        reached |= new
    assert len(reached) == 5478
    assert reached <= {state for found in positions.values() for state in found}


def test_classes_have_names_and_followers(game):
    out = np.zeros(9, np.int64)
    for c in range(10):
        assert game.class_of_name(game.class_name(c)) == c
        _, followers = game.rules.kernel(describe_class)(c, out, game.w)
        assert out[:followers].tolist() == ([c + 1] if c < 9 else [])
    with pytest.raises(BadInput, match="'12 men' is no class of tic-tac-toe"):
        game.class_of_name("12 men")
    plain = load_game("connect4")
    assert (plain.class_name(3), plain.class_of_name(" 3 ")) == ("3", 3)
    with pytest.raises(BadInput, match="'x' is no class of positions of connect4"):
        plain.class_of_name("x")


def some_states(game, count):
    rng = random.Random(7)
    for _ in range(count):
        state = game.initial()
        for _ in range(rng.randrange(6)):
            if not game.is_terminal(state):
                state = game.result(state, rng.choice(game.actions(state)))
        if not game.is_terminal(state):
            yield state


def test_the_engine_with_tables_finds_the_same_with_fewer_nodes(game, solved):
    late = Tables(game, {c: solved[c] for c in (4, 5)})
    for parameters in (EngineParameters(), EngineParameters.plain()):
        plain, asking = Engine(game, parameters=parameters), Engine(game, parameters=parameters, tables=late)
        nodes = [0, 0]
        for state in [game.initial(), *some_states(game, 20)]:
            plain.forget()
            asking.forget()
            alone, asked = plain.search(state), asking.search(state)
            assert (asked.value, asked.bound) == (alone.value, "exact")
            nodes = [nodes[0] + alone.nodes, nodes[1] + asked.nodes]
        assert nodes[1] < nodes[0] / 2


def test_the_solver_with_tables_finds_the_same_with_fewer_nodes(game, solved):
    late = Tables(game, {c: solved[c] for c in (4, 5)})
    for state in [game.initial(), *some_states(game, 20)]:
        alone, asked = solve(game, state, table_mib=1), solve(game, state, table_mib=1, tables=late)
        assert (asked.value, asked.bound) == (alone.value, "exact")
    assert solve(game, table_mib=1, tables=late).nodes < solve(game, table_mib=1).nodes


def test_a_wrong_byte_is_believed(game, positions, solved):
    wrong = solved[1].copy()
    corner = game.result(game.initial(), 0)
    place = positions[1].index(corner)
    assert wrong[place] == 0
    wrong[place] = -1
    found = Engine(game, tables=Tables(game, {1: wrong})).search()
    assert (found.value, found.move) == (1, 0)
    assert solve(game, table_mib=1, tables=Tables(game, {1: wrong})).value == 1
    wrong[place] = UNKNOWN
    assert Engine(game, tables=Tables(game, {1: wrong})).search().value == 0


@pytest.mark.parametrize(("clock", "asked"), [(0, True), (2, False)])
def test_tables_are_asked_only_where_nothing_can_come_back(tmp_path, solved, positions, clock, asked):
    """Uncompiled, near the end: a game with a rule on repetition whose clock stands at `clock`."""
    path = tmp_path / "clocked_tictactoe.py"
    path.write_text(
        FILE.read_text()
        + "\n\ndef repetition_key(s: Any) -> Any:\n    return s.own << u64(9) | s.other\n\n\n"
        + f"def reversible_plies(s: Any) -> Any:\n    return {clock}\n"
    )
    wrong = {c: np.where(table == UNKNOWN, UNKNOWN, -1).astype(np.int8) for c, table in solved.items()}
    with compiler(jit=False):
        game = load_game(str(path))
        state = game.initial()
        for move in (4, 0, 8, 2, 1, 7):  # a draw, with three squares left
            state = game.result(state, move)
        found = Engine(game, table_mib=0.01, tables=Tables(game, wrong)).search(state)
    assert found.value == (1 if asked else 0)


@pytest.mark.parametrize(
    "wrong", [np.zeros(8, np.int8), np.zeros(9, np.int16), np.zeros(18, np.int8)[::2], b"123456789"]
)
def test_a_table_that_does_not_fit_is_refused(game, wrong):
    with pytest.raises(BadInput, match=r"The table of class 1 men of .* does not fit; expected 9 bytes"):
        Tables(game, {1: wrong})
    with pytest.raises(BadInput, match="connect4 gives its positions no numbers"):
        Tables(load_game("connect4"), {1: wrong})
