"""Weights of chess are data: other weights compile nothing, and engines with different ones do not meet."""

from __future__ import annotations

import threading

import numpy as np
import pytest

from gametree import BadInput, load_game
from gametree.core.clock import Clock
from gametree.games.chess.terms import FEATURES, load_weights, pairs_of, record_of, weights_text
from gametree.kernels import on_compile, struct
from gametree.search.compiled.engine import Engine

BUSY = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"


@pytest.fixture(scope="module")
def game():
    return load_game("chess")


@pytest.fixture
def compiled():
    """What is compiled during the test."""
    found = []
    on_compile(found.append)
    yield found
    on_compile(None)


def doubled(game):
    return game.weighed(record_of(2 * game.weights))


def test_the_record_holds_the_weights(game):
    pairs = np.random.default_rng(3).integers(-30_000, 30_000, (FEATURES, 2))
    assert (pairs_of(record_of(pairs)) == pairs).all()
    assert (game.weights == load_weights("tuned")).all()
    assert (doubled(game).weights == 2 * game.weights).all()


def test_other_weights_compile_nothing(game, tmp_path, compiled):
    state = game.state_from_text(BUSY)
    Engine(game, table_mib=1).search(state, depth=2)
    game.explain(state)
    compiled.clear()
    file = tmp_path / "own.json"
    file.write_text(weights_text(2 * game.weights))
    own = load_game(f"chess:weights={file}")  # rules of its own, loaded from the cache
    values = [
        (weighed.evaluate(state, 0), Engine(weighed, table_mib=1).search(state, depth=2).value, weighed.explain(state))
        for weighed in (own, doubled(game), game.weighed(game.load_weights(str(file))))
    ]
    assert values[0] == values[1] == values[2]
    assert values[0][0] == pytest.approx(2 * game.evaluate(state, 0), abs=0.02)
    assert compiled == []


def test_two_engines_with_different_weights_think_at_the_same_time(game, compiled):
    state = game.state_from_text(BUSY)
    engines = Engine(game, table_mib=4), Engine(doubled(game), table_mib=4)
    engines[0].search(state, depth=2)
    compiled.clear()

    def run(engine):
        engine.forget()
        result = engine.search(state, clock=Clock(nodes=20_000))
        return result.nodes, result.value, result.move

    alone = [run(engine) for engine in engines]
    assert alone[0] != alone[1]
    for _ in range(3):
        together = [None, None]

        def work(i, together=together):
            together[i] = run(engines[i])

        threads = [threading.Thread(target=work, args=(i,)) for i in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert together == alone
    assert compiled == []


def test_weights_of_another_form_are_refused(game):
    for wrong in (np.zeros(2, game.w.dtype), np.zeros(1, struct(packed=("i8", FEATURES - 1))), game.weights, None):
        with pytest.raises(BadInput, match="Weights of chess must be an array with one record"):
            game.weighed(wrong)
    with pytest.raises(BadInput, match="connect4 has no weights that could be chosen"):
        load_game("connect4").load_weights("tuned")
