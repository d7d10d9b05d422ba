"""fast-mcts: visit for visit the readable mcts with its refinements off; what each refinement promises if on."""

from __future__ import annotations

import os
import random
import subprocess
import sys
import threading
from math import log, sqrt

import pytest

from gametree.core.clock import Clock
from gametree.core.errors import BadInput, GameError, UnfitGame
from gametree.core.record import TreeRecord
from gametree.core.registry import load_algorithm, load_game
from gametree.games.einstein import Einstein
from gametree.kernels import compiler
from gametree.search.compiled.fast_mcts import SearchTree, search
from gametree.search.support.random_bits import SplitMix64
from gametree.search.textbook.mcts import search as readable

PLAIN = {"solver": False, "own_playouts": False}

TICTACTOE = load_game("tictactoe")

# Equality with the readable search ------------------------------------------------------------------------------------


def assert_same(game, state=None, **options):
    fast = search(game, state, **PLAIN, **{"rave": 0.0, **options})
    slow = readable(game, state, **options)
    assert fast.details["visits"] == slow.details["visits"]
    assert (fast.nodes, fast.leaves, fast.depth, fast.player) == (slow.nodes, slow.leaves, slow.depth, slow.player)
    assert fast.value == pytest.approx(slow.value, abs=1e-9)
    assert (fast.move, fast.pv, fast.bound) == (slow.move, slow.pv, slow.bound)
    return fast


@pytest.mark.parametrize("seed", range(5))
def test_tictactoe_visit_for_visit(seed):
    assert_same(TICTACTOE, simulations=700, seed=seed)
    assert_same(TICTACTOE, simulations=300, seed=seed, exploration=0.3 + seed / 10)


def test_connect4_visit_for_visit():
    game = load_game("connect4")
    assert_same(game, simulations=1500, seed=11)
    for text in ("44", "32164625", "4455667"):
        assert_same(game, game.state_from_text(text), simulations=200, seed=12)


def test_a_game_with_a_die_visit_for_visit():
    game, rng = Einstein(seed=3), random.Random(3)
    assert_same(game, simulations=600, seed=5)  # the root is a chance node
    for _ in range(6):
        state = game.initial()
        for _ in range(rng.randrange(1, 20)):
            state = game.result(state, rng.choice(game.actions(state)))
            if game.is_terminal(state):
                break
        assert_same(game, state, simulations=150, seed=6)


def test_go_visit_for_visit():
    game = load_game("go:size=3")  # utilities that are no halves: even the rounding of the sums must agree
    assert_same(game, simulations=400, seed=1)


def test_playouts_cut_off_by_the_evaluation():
    game = Einstein(seed=3)
    for depth in (0, 1, 4):
        assert_same(game, simulations=300, seed=2, depth=depth)


def test_the_record_is_the_readable_one():
    records = [TreeRecord(TICTACTOE), TreeRecord(TICTACTOE)]
    search(TICTACTOE, simulations=200, record=records[0], **PLAIN)
    readable(TICTACTOE, simulations=200, record=records[1])
    for column in ("parent", "move", "place", "player", "level", "visits", "bound"):
        assert getattr(records[0], column) == getattr(records[1], column)
    assert records[0].value == pytest.approx(records[1].value)


# The solver -----------------------------------------------------------------------------------------------------------


def test_tictactoe_is_proven_a_draw():
    result = search(TICTACTOE, simulations=200_000)
    assert (result.value, result.bound, result.complete) == (0, "exact", True)
    assert result.details["simulations"] < 100_000


def test_proven_values_are_the_exact_ones():
    game, rng = load_game("connect4:columns=4,rows=4"), random.Random(7)
    exact = load_algorithm("alphabeta")[1]
    proven = 0
    for _ in range(25):
        state = game.initial()
        for _ in range(rng.randrange(3, 12)):
            if game.is_terminal(state):
                break
            state = game.result(state, rng.choice(game.actions(state)))
        expected = exact(game, state).value
        result = search(game, state, simulations=20_000, seed=rng.randrange(99))
        if result.bound == "exact":
            proven += 1
            assert result.value == expected
            if result.move is not None:  # the move keeps the value
                after = game.result(state, result.move)
                kept = exact(game, after)
                assert (kept.value if kept.player == result.player else -kept.value) == expected
    assert proven > 15


def test_proofs_pass_through_chance_nodes():
    game = Einstein()
    # Whatever the die shows, the first player's only stone steps into the corner; the second's is too far away.
    state = game.state_from_text("...../...../...../...3./f.... first")
    result = search(game, state, simulations=2000)
    assert (result.value, result.bound) == (1, "exact")
    state = game.state_from_text("....f/...../...../...3./..... second die 2")
    result = search(game, state, simulations=5000)
    assert (result.value, result.bound) == (-1, "exact")


def test_a_safe_draw_is_preferred_to_a_poor_chance():
    for seed in range(10):  # O must answer in the centre, or loses
        state = TICTACTOE.result(TICTACTOE.initial(), 0)
        result = search(TICTACTOE, state, simulations=20_000, seed=seed)
        assert result.move == 4
        assert result.value == 0


# RAVE -----------------------------------------------------------------------------------------------------------------


def slow_rave(game, simulations, seed, k):
    """Visits per move of UCT with RAVE, told slowly: dictionaries from a line of play to its sums."""
    rng = SplitMix64(seed)
    visits, totals, later_visits, later_totals = {(): 0}, {(): 0.0}, {}, {}
    grown = set()

    def score(line, action):
        child = (*line, action)
        n, total = visits.get(child, 0), totals.get(child, 0.0)
        rn, rtotal = later_visits.get(child, 0), later_totals.get(child, 0.0)
        tries = max(n, 1)
        if n == 0 and rn == 0:
            return 1e9
        value = total / tries + sqrt(0.5) * sqrt(2 * log(max(visits[line], 1)) / tries)
        if rn:
            value += rn / (rn + n + rn * n / k) * (rtotal / rn - total / tries)
        return value

    for _ in range(simulations):
        state, line, movers = game.initial(), (), []
        played = [set(), set()]
        while not game.is_terminal(state) and (line == () or visits.get(line, 0)):
            grown.add(line)
            actions = game.actions(state)
            best = max(range(len(actions)), key=lambda place: (score(line, actions[place]), -place))
            movers.append(game.player(state))
            state = game.result(state, actions[best])
            line = (*line, actions[best])
        while not game.is_terminal(state):
            actions = game.actions(state)
            action = actions[rng.below(len(actions))]
            played[game.player(state)].add(action)
            state = game.result(state, action)
        reward = [(game.utility(state, seat) + 1) / 2 for seat in (0, 1)]
        for level in range(len(line) + 1):
            here = line[:level]
            visits[here] = visits.get(here, 0) + 1
            totals[here] = totals.get(here, 0.0) + reward[movers[level - 1] if level else 0]
        for level in range(len(line) - 1, -1, -1):
            mover = movers[level]
            played[mover].add(line[level])
            for action in played[mover]:
                sibling = (*line[:level], action)
                later_visits[sibling] = later_visits.get(sibling, 0) + 1
                later_totals[sibling] = later_totals.get(sibling, 0.0) + reward[mover]
    return {action: visits.get((action,), 0) for action in game.actions(game.initial())}


@pytest.mark.parametrize("k", [1.0, 50.0, 1000.0])
def test_rave_visit_for_visit(k):
    fast = search(TICTACTOE, simulations=400, seed=4, rave=k, **PLAIN)
    slow = slow_rave(TICTACTOE, 400, 4, k)
    state = TICTACTOE.initial()
    assert fast.details["visits"] == {TICTACTOE.action_text(state, a): n for a, n in slow.items() if n}


def test_imagined_games_follow_the_priors():
    """With every chance equal they change nothing but how soon own visits count; better moves get more visits."""
    game = load_game("hex:size=4")
    tree = SearchTree(1)
    search(game, simulations=2, rave=10.0, prior=6, tree=tree, grow_after=1)
    children = tree.children(0)
    priors = game.priors(game.initial())
    mean = sum(priors) / len(priors)
    fresh = [child for child in children if tree.hindsight[child].visits == 6]
    assert fresh
    for child in fresh:
        prior = priors[children.index(child)]
        assert tree.hindsight[child].total == pytest.approx(6 * prior / (prior + mean))


def test_a_node_grows_after_so_many_visits():
    plain = search(TICTACTOE, simulations=500, seed=4, grow_after=1, **PLAIN)
    assert plain.details == search(TICTACTOE, simulations=500, seed=4, **PLAIN).details
    sizes = [
        search(TICTACTOE, simulations=500, seed=4, grow_after=n, **PLAIN).details["tree_nodes"] for n in (1, 4, 16)
    ]
    assert sizes[0] > sizes[1] > sizes[2] > 9


# Threads, memory and reuse --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("options", [{}, {"virtual_loss": 3}, {"rave": 100.0}, {"virtual_loss": 0}])
def test_threads_lose_no_simulation(options):
    game = load_game("connect4")
    result = search(game, simulations=20_000, threads=4, solver=False, **options)
    assert result.details["simulations"] == 20_000
    assert sum(result.details["visits"].values()) == 20_000
    assert result.complete


def test_threads_prove_the_same_value():
    for seed in range(3):
        result = search(TICTACTOE, simulations=200_000, threads=3, seed=seed)
        assert (result.value, result.bound) == (0, "exact")


def test_a_full_tree_goes_on_without_growing():
    result = search(load_game("connect4"), simulations=5000, mib=0.01, **PLAIN)
    assert result.details["full"]
    assert result.details["tree_nodes"] * 32 <= 0.01 * (1 << 20)
    assert sum(result.details["visits"].values()) == 5000
    assert not search(load_game("connect4"), simulations=50, **PLAIN).details["full"]


@pytest.mark.parametrize("options", [PLAIN, {"rave": 50.0, "solver": False}, {}])
def test_the_tree_is_kept_between_moves(options):
    game, tree = load_game("connect4"), SearchTree(8)
    first = search(game, simulations=5000, tree=tree, **options)
    assert first.details["reused"] == 0
    mine, reply = first.pv[0], first.pv[1]
    child = next(index for index in tree.children(0) if tree.nodes[index].move == mine)
    grandchild = next(index for index in tree.children(child) if tree.nodes[index].move == reply)
    before = int(tree.nodes[grandchild].visits)
    expected = {int(tree.nodes[i].move): int(tree.nodes[i].visits) for i in tree.children(grandchild)}
    state = game.result(game.result(game.initial(), mine), reply)
    second = search(game, state, simulations=1, tree=tree, **options)
    assert second.details["reused"] > 1
    assert tree.nodes[0].visits == before + 1
    found = {int(tree.nodes[i].move): int(tree.nodes[i].visits) for i in tree.children(0)}
    assert sum(found[move] - expected[move] for move in expected) == 1
    # Asked again, it goes on where it was; asked about something else, it starts anew.
    again = search(game, state, simulations=10, tree=tree, **options)
    assert tree.nodes[0].visits == before + 11
    assert again.details["reused"] >= second.details["reused"]
    other = search(game, game.state_from_text("1234"), simulations=10, tree=tree, **options)
    assert other.details["reused"] == 0
    assert tree.nodes[0].visits == 10


def test_kept_trees_start_anew_for_other_games_and_switches():
    tree = SearchTree(1)
    search(TICTACTOE, simulations=100, tree=tree)
    assert search(TICTACTOE, simulations=100, tree=tree, solver=False).details["reused"] == 0
    assert search(load_game("tictactoe"), simulations=100, tree=tree, solver=False).details["reused"] == 0


# Limits and refusals --------------------------------------------------------------------------------------------------


def test_clocks():
    game = load_game("connect4")
    result = search(game, clock=Clock(0.1), solver=False)
    assert not result.complete
    assert result.details["simulations"] > 100
    assert search(game, clock=Clock(nodes=2000), solver=False).details["simulations"] > 0
    stopped = Clock()
    threading.Timer(0.1, stopped.stop).start()
    assert not search(game, clock=stopped, solver=False, threads=2).complete
    spent = Clock()
    spent.stop()
    result = search(game, clock=spent, solver=False)  # the first game is always played
    assert result.move is not None


def test_terminal_states():
    state = TICTACTOE.initial()
    for square in (0, 3, 1, 4, 2):
        state = TICTACTOE.result(state, square)
    result = search(TICTACTOE, state)
    assert (result.move, result.value, result.bound, result.details["visits"]) == (None, 1, "exact", {})


def test_refusals(tmp_path):
    with pytest.raises(UnfitGame, match="its fact compiled is False"):
        search(load_game("pig"))
    for wrong, message in (
        ({"simulations": 0}, "simulations=0"),
        ({"threads": 0}, "threads=0"),
        ({"rave": -1.0}, "rave=-1.0"),
        ({"exploration": float("nan")}, "exploration=nan"),
        ({"virtual_loss": -1}, "virtual_loss=-1"),
        ({"mib": 0}, "mib=0"),
        ({"tree": "mine"}, "SearchTree"),
    ):
        with pytest.raises(BadInput, match=message):
            search(TICTACTOE, **wrong)
    endless = tmp_path / "endless.py"
    endless.write_text(
        "from gametree.core.facts import Facts\nfrom gametree.kernels import CompiledGame, struct\n"
        "State = struct(turn='i8')\ndef initial(s):\n    pass\ndef legal_moves(s, out):\n    out[0] = 0\n    return 1\n"
        "def play(s, m):\n    s.turn = 1 - s.turn\ndef utility(s):\n    return 0\n"
        "class Endless(CompiledGame):\n    facts = Facts(most_moves=1)\ngame = Endless\n"
    )
    with pytest.raises(GameError, match="was not over after 100000 plies"):
        search(load_game(str(endless)), simulations=3)


def test_uncompiled():
    options = {"simulations": 150, "seed": 3}
    for switches in (PLAIN, {}, {"rave": 20.0}):
        expected = search(TICTACTOE, **options, **switches)
        with compiler(jit=False):
            found = search(TICTACTOE, **options, **switches)
        assert found.details == expected.details
        assert (found.value, found.pv, found.nodes) == (expected.value, expected.pv, expected.nodes)


def test_with_bounds_checks():
    expected = search(TICTACTOE, simulations=3000, rave=20.0)
    with compiler(boundscheck=True):
        assert search(TICTACTOE, simulations=3000, rave=20.0).details == expected.details


def test_two_fresh_processes_search_alike(tmp_path):
    code = "from gametree.games.connect4 import Connect4\nfrom gametree.search.compiled.fast_mcts import search\n"
    code += "g = Connect4(); "
    code += "a = search(g, simulations=500); b = search(g, simulations=500, threads=2, rave=10.0, solver=False); "
    code += "print(a.value, a.nodes, a.pv, b.details['simulations'], sum(b.details['visits'].values()))"
    environment = {**os.environ, "GAMETREE_CACHE_DIR": str(tmp_path)}
    answers = [
        subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, timeout=300)
        for _ in range(2)
    ]
    assert [answer.returncode for answer in answers] == [0, 0], answers[1].stderr
    assert answers[0].stdout == answers[1].stdout != ""
