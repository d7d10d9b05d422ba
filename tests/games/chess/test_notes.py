"""Notes: what a search keeps beside a state and brings up to date only when an estimate asks."""

from __future__ import annotations

from pathlib import Path

import pytest

from gametree import load_game
from gametree.core.clock import Clock
from gametree.search.compiled.engine import Engine

FILE = Path(__file__).with_name("noted_chess.py")
POSITIONS = (  # in which both sides castle, take in passing and promote
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "r3k2r/1P4pp/8/2pP4/8/5n2/1p4PP/R3K2R w KQkq c6 0 1",
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
    "rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8",
)


@pytest.fixture(scope="module")
def game():
    return load_game(str(FILE))


def search_all(game, nodes):
    """Search every position; the counters of the game's weights say what happened."""
    game = game.weighed(game.load_weights("tuned"))
    states = [game.state_from_text(text) for text in POSITIONS]
    return game, [Engine(game, table_mib=4).search(state, clock=Clock(nodes=nodes)) for state in states]


def test_notes_are_always_those_of_the_state(game):
    noted, found = search_all(game, 100_000)
    counted = noted.w[0]
    assert counted.seen >= 100_000
    assert counted.wrong == 0
    assert min(counted.passed, counted.castled, counted.in_passing, counted.promoted) > 10
    chess = load_game("chess")
    engine = Engine(chess, table_mib=4)
    for position, result in zip(POSITIONS[:2], found, strict=False):
        engine.forget()
        plain = engine.search(chess.state_from_text(position), clock=Clock(nodes=100_000))
        assert (plain.nodes, plain.value, plain.move) == (result.nodes, result.value, result.move)


def test_a_note_that_forgets_a_move_is_noticed(game):
    weights = game.load_weights("tuned")
    weights["forget"] = 1
    forgetful = game.weighed(weights)
    Engine(forgetful, table_mib=4).search(game.state_from_text(POSITIONS[0]), clock=Clock(nodes=20_000))
    assert weights[0].wrong > 0


def test_the_derived_game_makes_notes_afresh(game):
    state = game.state_from_text(POSITIONS[0])
    assert game.evaluate(state, 0) == load_game("chess").evaluate(state, 0)
    assert game.w[0].wrong == 0
