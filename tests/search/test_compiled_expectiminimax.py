"""fast-expectiminimax against the readable searches, on EinStein and on a compiled Pig written here."""

from __future__ import annotations

import os
import random
import subprocess
import sys
import threading
from math import inf

import numpy as np
import pytest

from gametree.core.clock import Clock
from gametree.core.errors import BadInput, GameError, OutOfTime, UnfitGame
from gametree.core.facts import Facts
from gametree.core.game import CHANCE
from gametree.core.record import TreeRecord
from gametree.core.registry import load_algorithm, load_game
from gametree.games.einstein import Einstein
from gametree.kernels import CompiledGame, compiler, struct
from gametree.search.compiled.fast_expectiminimax import search

READABLE = {
    name: load_algorithm(algorithm)[1]
    for name, algorithm in (("none", "expectiminimax"), ("star1", "star1"), ("star2", "star2"))
}

# Pig on a struct: the same game as gametree.games.pig ----------------------------------------------------------------

# Target and turns are part of the state, so that all sizes share one compiled search.
State = struct(scores=("i4", 2), points="i4", seat="i4", rolling="i4", turns_left="i4", target="i4")
TARGET, TURNS, SIDES = 10, 4, 6
ROLL, HOLD = 0, 1
UNIT = 20


def initial(s):
    s.turns_left = TURNS
    s.target = TARGET


def over(s):
    return s.scores[0] >= s.target or s.scores[1] >= s.target or s.turns_left == 0


def player(s):
    return np.int64(CHANCE) if s.rolling != 0 else np.int64(s.seat)


def legal_moves(s, out):
    if over(s):
        return 0
    out[0], out[1] = ROLL, HOLD
    return 2 if s.points > 0 else 1


def outcomes(s, out, odds):
    if s.rolling == 0:
        return 0
    for face in range(SIDES):
        out[face] = face + 1
        odds[face] = 1 / SIDES
    return SIDES


def bank(s):
    s.scores[s.seat] = min(s.scores[s.seat] + s.points, s.target)
    s.points = 0


def pass_on(s):
    s.points = 0
    s.seat = 1 - s.seat
    s.turns_left -= 1


def play(s, m):
    if s.rolling == 0:
        if m == ROLL:
            s.rolling = 1
        else:
            bank(s)
            pass_on(s)
        return
    s.rolling = 0
    if m == 1:
        pass_on(s)
    else:
        s.points += m
        if s.scores[s.seat] + s.points >= s.target:
            bank(s)


def utility(s):
    return np.sign(s.scores[s.seat] - s.scores[1 - s.seat])


def evaluate(s):
    value = 2 * (s.scores[0] - s.scores[1]) + (s.points if s.seat == 0 else -s.points)
    return -value if player(s) == 1 else value


class CompiledPig(CompiledGame):
    facts = Facts(chance=True, most_moves=SIDES, longest_game=30)

    def __init__(self, target, turns):
        super().__init__(TARGET=target, TURNS=turns)


# ----------------------------------------------------------------------------------------------------------------------


def assert_same(game, state, depth, pruning, **options):
    fast = search(game, state, depth=depth, pruning=pruning, **options)
    slow = READABLE[pruning](game, state, depth=depth, **options)
    assert fast.value == pytest.approx(slow.value, abs=1e-9)
    assert (fast.nodes, fast.leaves, fast.bound, fast.player) == (slow.nodes, slow.leaves, slow.bound, slow.player)
    assert fast.pv == slow.pv
    assert fast.move == slow.move
    return fast


def random_positions(game, count, seed):
    rng = random.Random(seed)
    for _ in range(count):
        state = game.initial()
        for _ in range(rng.randrange(30)):
            if game.is_terminal(state):
                break
            state = game.result(state, rng.choice(game.actions(state)))
        yield state


@pytest.mark.parametrize("pruning", READABLE)
def test_einstein_is_searched_like_the_readable_search(pruning):
    game = Einstein(seed=5)
    nodes = sum(
        assert_same(game, state, depth, pruning).nodes
        for state in random_positions(game, 12, 3)
        for depth in (0, 1, 2, 3, 4)
    )
    assert nodes > 5000


@pytest.mark.parametrize("pruning", READABLE)
def test_pig_to_the_end_is_searched_like_the_readable_search(pruning):
    game = CompiledPig(target=6, turns=2)
    result = assert_same(game, None, None, pruning)
    # The same rules as a readable game, found by another author's file.
    pig = load_game("pig:target=6,turns=2")
    assert result.value == pytest.approx(READABLE[pruning](pig).value, abs=1e-9)
    assert result.nodes > 500


def test_all_three_agree_on_longer_games():
    game = CompiledPig(target=6, turns=4)
    results = {pruning: search(game, pruning=pruning) for pruning in READABLE}
    assert len({round(result.value, 9) for result in results.values()}) == 1
    assert results["star1"].nodes < results["none"].nodes
    assert results["star2"].nodes < results["none"].nodes


@pytest.mark.parametrize("pruning", ["star1", "star2"])
def test_windows(pruning):
    game = Einstein(seed=8)
    for state in random_positions(game, 6, 8):
        for window in ((-0.1, 0.1), (0.3, inf), (-inf, -0.3), (-0.9, -0.8)):
            assert_same(game, state, 3, pruning, window=window)


def test_more_probes():
    game = Einstein(seed=2)
    for state in random_positions(game, 6, 2):
        assert_same(game, state, 4, "star2", probes=3)


def test_a_game_without_chance():
    game = load_game("connect4:columns=4,rows=4")
    fast = search(game, depth=5)
    slow = load_algorithm("alphabeta")[1](game, depth=5)
    assert (fast.value, fast.nodes, fast.pv) == (slow.value, slow.nodes, slow.pv)


def test_uncompiled():
    game = CompiledPig(target=4, turns=2)
    results = {pruning: search(game, pruning=pruning) for pruning in READABLE}
    with compiler(jit=False):
        for pruning, result in results.items():
            again = search(game, pruning=pruning)
            assert (again.value, again.nodes, again.pv) == (result.value, result.nodes, result.pv)


def test_with_bounds_checks():
    game = CompiledPig(target=4, turns=2)
    expected = search(game)
    with compiler(boundscheck=True):
        assert search(game).nodes == expected.nodes


def test_the_clock_and_a_stop_end_it():
    game = Einstein()
    with pytest.raises(OutOfTime, match="nodes"):
        search(game, clock=Clock(0.05))
    with pytest.raises(OutOfTime, match="nodes"):
        search(game, clock=Clock(nodes=5000))
    clock = Clock()
    threading.Timer(0.05, clock.stop).start()
    with pytest.raises(OutOfTime, match="nodes"):
        search(game, clock=clock)


def test_endless_games_are_refused():
    with pytest.raises(GameError, match="was not over after 31 plies"):
        search(CompiledPig(target=1000, turns=1000), pruning="none")


def test_refusals():
    game = Einstein()
    with pytest.raises(UnfitGame, match=r"its fact compiled is False, but .* expectiminimax can"):
        search(load_game("pig"), depth=2)
    for wrong, message in (
        ({"pruning": "star3"}, "none, star1 or star2"),
        ({"probes": 0}, "at least 1"),
        ({"window": (1.0, 0.0)}, "alpha below beta"),
        ({"window": (-0.5, 0.5), "pruning": "none"}, "needs pruning"),
        ({"record": TreeRecord(game)}, "no tree record"),
    ):
        with pytest.raises(BadInput, match=message):
            search(game, depth=1, **wrong)


def test_terminal_states():
    game = Einstein()
    over = game.state_from_text("...../...../..f../...../....6 second")
    result = search(game, over)
    assert (result.value, result.move, result.nodes, result.player) == (1, None, 1, 0)


def test_two_fresh_processes_search_alike(tmp_path):
    code = "from gametree.games.einstein import Einstein\n"
    code += "from gametree.search.compiled.fast_expectiminimax import search\n"
    code += "r = search(Einstein(), depth=5); print(r.value, r.nodes, r.pv)"
    environment = {**os.environ, "GAMETREE_CACHE_DIR": str(tmp_path)}
    answers = [
        subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, timeout=300)
        for _ in range(2)
    ]
    assert [answer.returncode for answer in answers] == [0, 0], answers[1].stderr
    assert answers[0].stdout == answers[1].stdout != ""
