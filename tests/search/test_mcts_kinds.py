"""fast-mcts for every kind of game: many seats, teams, drawn chance, hidden cards, long lists of moves, repetition."""

from __future__ import annotations

import random
import tracemalloc
from math import log, sqrt

import mcts_games
import numpy as np
import pytest

from gametree.core.errors import BadInput, UnfitGame
from gametree.core.record import TreeRecord
from gametree.core.registry import load_algorithm, load_game
from gametree.kernels import compiler
from gametree.kernels.compiled_game import deal_anew
from gametree.kernels.past import begin_line, has_stood, open_past, past_type, push_key
from gametree.search.compiled.fast_mcts import SearchTree, search
from gametree.search.compiled.fast_mcts.information_sets import Arm
from gametree.search.compiled.fast_mcts.memory import Node
from gametree.search.compiled.fast_mcts.simulation import sort_by_odds
from gametree.search.support.random_bits import SplitMix64
from gametree.search.textbook.mcts import search as readable

PLAIN = {"solver": False, "own_playouts": False}


def assert_same(game, state=None, **options):
    fast = search(game, state, **PLAIN, **options)
    slow = readable(game, state, **options)
    assert fast.details["visits"] == slow.details["visits"]
    assert (fast.nodes, fast.leaves, fast.player) == (slow.nodes, slow.leaves, slow.player)
    assert (fast.move, fast.pv) == (slow.move, slow.pv)
    assert fast.value == pytest.approx(slow.value, abs=1e-9)
    return fast, slow


# Many seats and teams -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seats", [3, 4, 20])
def test_many_seats_visit_for_visit(tmp_path, seats):
    game = mcts_games.make(tmp_path, "pile", mcts_games.PILE, f"seats={seats},pile=11")
    rng = random.Random(seats)
    for simulations in (1, 60, 600):
        fast, slow = assert_same(game, simulations=simulations, seed=simulations)
        assert fast.values == pytest.approx(slow.values)
    state = game.initial()
    for _ in range(3):
        state = game.result(state, rng.choice(game.actions(state)))
        fast, slow = assert_same(game, state, simulations=300, seed=5)
        assert fast.values == pytest.approx(slow.values)


def test_teams_visit_for_visit_and_proven(tmp_path):
    game = mcts_games.make(tmp_path, "pile", mcts_games.PILE, "seats=4,pile=10,teams=true")
    exact = load_algorithm("alphabeta")[1]
    rng = random.Random(1)
    for _ in range(8):
        state = game.initial()
        for _ in range(rng.randrange(4)):
            state = game.result(state, rng.choice(game.actions(state)))
        fast, slow = assert_same(game, state, simulations=300, seed=5)
        assert fast.values == pytest.approx(slow.values)
        proven = search(game, state, simulations=20_000)
        assert (proven.bound, proven.value) == ("exact", exact(game, state).value)
        mover = game.player(state)
        assert proven.values == tuple(proven.value if seat % 2 == mover % 2 else -proven.value for seat in range(4))


def slow_paranoid(game, simulations, seed):
    """Visits per move of UCT in which all others gain what the root's seat loses."""
    rng, root = SplitMix64(seed), game.player(game.initial())
    low, width = game.facts.min_utility, game.facts.max_utility - game.facts.min_utility
    visits, totals = {(): 0}, {(): 0.0}
    for _ in range(simulations):
        state, line, movers = game.initial(), (), []
        while not game.is_terminal(state) and (line == () or visits.get(line, 0)):
            actions = game.actions(state)
            untried = [action for action in actions if (*line, action) not in visits]
            if untried:
                action = untried[0]
            else:
                spread = 2 * log(visits[line])
                scores = [
                    totals[(*line, a)] / visits[(*line, a)] + sqrt(0.5) * sqrt(spread / visits[(*line, a)])
                    for a in actions
                ]
                action = actions[scores.index(max(scores))]
            movers.append(game.player(state))
            state, line = game.result(state, action), (*line, action)
        while not game.is_terminal(state):
            actions = game.actions(state)
            state = game.result(state, actions[rng.below(len(actions))])
        mine = (game.utility(state, root) - low) / width
        for level in range(len(line) + 1):
            here = line[:level]
            visits[here] = visits.get(here, 0) + 1
            gained = mine if level and movers[level - 1] == root else 1.0 - mine
            totals[here] = totals.get(here, 0.0) + gained
    return {action: visits[(action,)] for action in game.actions(game.initial()) if (action,) in visits}


def test_paranoid_visit_for_visit(tmp_path):
    game = mcts_games.make(tmp_path, "pile", mcts_games.PILE, "seats=3,pile=9")
    found = search(game, simulations=500, seed=2, model="paranoid", **PLAIN).details["visits"]
    assert found == {str(action): count for action, count in slow_paranoid(game, 500, 2).items()}
    assert found != search(game, simulations=500, seed=2, **PLAIN).details["visits"]


# Priors, estimates and notes ------------------------------------------------------------------------------------------


def slow_puct(game, simulations, puct, values):
    """Visits per move of PUCT with EVAL at the leaves: children are told apart by the line that leads to them."""
    visits, totals, order = {(): 0}, {(): 0.0}, {}
    low, width = game.facts.min_utility, game.facts.max_utility - game.facts.min_utility
    rng = SplitMix64(0)
    for _ in range(simulations):
        state, line, movers = game.initial(), (), []
        while not game.is_terminal(state) and (line == () or visits.get(line, 0)):
            if line not in order:
                weights = game.priors(state)
                ranked = sorted(zip(game.actions(state), weights, strict=True), key=lambda pair: -pair[1])
                order[line] = [(action, float(np.float32(weight / sum(weights)))) for action, weight in ranked]
            tried = [(*line, a) for a, _ in order[line] if (*line, a) in visits]
            usual = sum(totals[c] for c in tried) / sum(visits[c] for c in tried) if tried else 0.5
            scores = []
            for action, prior in order[line]:
                child = (*line, action)
                n = visits.get(child, 0)
                mean = totals[child] / n if n else usual
                scores.append(mean + puct * sqrt(max(visits[line], 1)) * prior / (1 + n))
            action = order[line][scores.index(max(scores))][0]
            movers.append(game.player(state))
            state, line = game.result(state, action), (*line, action)
        if values == "playout":
            while not game.is_terminal(state):
                actions = game.actions(state)
                state = game.result(state, actions[rng.below(len(actions))])
        worth = game.utility if game.is_terminal(state) else game.evaluate
        for level in range(len(line) + 1):
            here = line[:level]
            visits[here] = visits.get(here, 0) + 1
            seat = movers[level - 1] if level else 0
            totals[here] = totals.get(here, 0.0) + (worth(state, seat) - low) / width
    return {str(a): visits[(a,)] for a in game.actions(game.initial()) if (a,) in visits}


@pytest.mark.parametrize("values", ["evaluate", "playout"])
@pytest.mark.parametrize("body", [mcts_games.SUMS, mcts_games.SUMS + mcts_games.NOTE_MOVE])
def test_puct_with_notes_visit_for_visit(tmp_path, values, body):
    game = mcts_games.make(tmp_path, "sums", body)
    for puct in (0.3, 2.0):
        found = search(game, simulations=400, puct=puct, values=values, **PLAIN)
        assert found.details["visits"] == slow_puct(game, 400, puct, values)


def test_notes_are_asked_at_the_leaves(tmp_path):
    game = mcts_games.make(tmp_path, "sums", mcts_games.SUMS + mcts_games.NOTE_MOVE)
    assert search(game, simulations=200, values="evaluate", **PLAIN).details == (
        search(game, simulations=200, depth=0, **PLAIN).details
    )
    assert_same(game, simulations=200, depth=0)
    assert_same(game, simulations=200, depth=2)


def test_sorting_by_odds():
    rng = np.random.default_rng(1)
    for count in (1, 2, 7, 64, 500):
        odds = rng.integers(0, 9, count).astype(float)
        moves = np.arange(count)
        expected = sorted(range(count), key=lambda i: (-odds[i], i))
        given = odds.copy()
        with compiler(jit=False):
            sort_by_odds(moves, given, np.zeros(count, np.int64), count)
        assert moves.tolist() == expected
        assert given.tolist() == sorted(odds, reverse=True)


# Chance that cannot be listed -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("widening", [0.5, 1.0, 3.0])
def test_outcomes_are_drawn_as_visits_grow(tmp_path, widening):
    game, tree = mcts_games.make(tmp_path, "gamble", mcts_games.GAMBLE), SearchTree(4)
    result = search(game, simulations=6000, widening=widening, tree=tree, solver=False)
    # Seat 1 sees what was drawn and always wins; one who only averages over drawn games takes the gamble for fair.
    assert result.move == 0
    gamble = next(node for node in tree.children(0) if tree.nodes[node].move == 1)
    drawn = [node for node in tree.children(gamble) if tree.nodes[node].visits]
    visits = int(tree.nodes[gamble].visits)
    assert len(drawn) == tree.nodes[gamble].tried
    assert widening * sqrt(visits - 1) <= len(drawn) <= widening * sqrt(visits) + 1
    assert sum(int(tree.nodes[node].visits) for node in drawn) == visits - 1
    assert tree.nodes[gamble].total / visits < 0.45  # by chance alone it would be a half


def test_drawn_outcomes_are_in_the_record_and_never_found_again(tmp_path):
    game, tree = mcts_games.make(tmp_path, "gamble", mcts_games.GAMBLE), SearchTree(4)
    record = TreeRecord(game)
    state = game.result(game.initial(), 1)
    result = search(game, state, simulations=300, tree=tree, record=record, solver=False)
    assert (result.move, result.player) == (None, 0)
    drawn = [row for row in range(len(record)) if record.parent[row] == 0]
    assert len({record.move[row] for row in drawn}) == len(drawn) > 5
    assert sum(result.details["visits"].values()) == 299 or sum(result.details["visits"].values()) == 300
    after = game.result(state, 12345)
    tree.follow(game, [12345])
    assert search(game, after, simulations=10, tree=tree).details["reused"] == 0


# Hidden information ---------------------------------------------------------------------------------------------------


def slow_worlds(game, state, simulations, seed, *, apart=False):
    """Visits per move of information-set search, told slowly: a move is found by seat, words heard and move."""
    rng, seats = SplitMix64(seed), game.facts.players
    low, width = game.facts.min_utility, game.facts.max_utility - game.facts.min_utility
    root = max(0, game.player(state))
    view = game.view(state, root)
    redeal = game.rules.kernel(deal_anew)
    weighs = "plausibility" in game.rules.verbs
    visits, totals, available = {}, {}, {}
    highest, alike, worlds = 0.0, False, 0

    def world():
        nonlocal worlds, highest
        structs = game.structs(view)
        redeal(structs, root, np.uint64(rng.next()), game.w)
        drawn = structs.tobytes()
        weight = game.plausibility(drawn, root) if weighs and not alike else 1.0
        worlds += 1
        highest = max(highest, weight)
        return drawn, weight

    def draw():
        here, weight = world()
        best, most = None, -1.0
        if weighs and not alike:
            for _ in range(64):
                if rng.uniform() * highest < weight:
                    return here
                if weight > most:
                    best, most = here, weight
                here, weight = world()
            return best if weight < most else here
        return here

    def move_at(here, words):
        seat = game.player(here)
        keys = [(seat, words[seat], action) for action in game.actions(here)]
        for key in keys:
            if key in visits:
                available[key] += 1
        for key in keys:
            if key not in visits:
                available[key] = 1
                return key, True
        scores = [totals[key] / visits[key] + sqrt(0.5) * sqrt(2 * log(available[key]) / visits[key]) for key in keys]
        return keys[scores.index(max(scores))], False

    def step(here):
        if game.player(here) >= 0:
            actions = game.actions(here)
            return actions[rng.below(len(actions))]
        return int(np.uint64(rng.next()) >> np.uint64(1))

    if weighs:
        for _ in range(256):
            world()
        alike = highest <= 0
    for _ in range(simulations):
        here, path, fresh = draw(), [], False
        words = [()] * seats
        if apart:
            words = [() if seat == root else (game.view(here, seat),) for seat in range(seats)]
        while not game.is_terminal(here):
            if fresh or game.player(here) < 0:
                action = step(here)
            else:
                key, fresh = move_at(here, words)
                path.append(key)
                action = key[2]
            after = game.result(here, action)
            for seat in range(seats):
                word = game.hear(here, action, after, seat)
                if word is not None:
                    words[seat] = (*words[seat], word)
            here = after
        for key in path:
            visits[key] = visits.get(key, 0) + 1
            totals[key] = totals.get(key, 0.0) + (game.utility(here, key[0]) - low) / width
    moves = game.actions(view) if game.player(view) >= 0 else ()
    found = {game.action_text(view, m): visits[root, (), m] for m in moves if (root, (), m) in visits}
    return found, worlds


def hidden_states(game, rng, count):
    """States in which a seat has to move."""
    while count:
        state = game.result(game.initial(), rng.getrandbits(63))
        for _ in range(rng.randrange(game.facts.longest_game - 1)):
            if not game.is_terminal(state):
                state = game.result(state, rng.choice(game.actions(state)))
        if not game.is_terminal(state):
            count -= 1
            yield state


@pytest.mark.parametrize(
    ("parameters", "others"), [("seats=3", "merged"), ("seats=4,tells=2", "merged"), ("seats=3,tells=9", "apart")]
)
def test_hidden_cards_visit_for_visit(tmp_path, parameters, others):
    game = mcts_games.make(tmp_path, "cards", mcts_games.CARDS, parameters)
    for state in hidden_states(game, random.Random(parameters), 4):
        found = search(game, state, simulations=250, seed=3, others=others)
        visits, worlds = slow_worlds(game, state, 250, 3, apart=others == "apart")
        assert (found.details["visits"], found.details["worlds"]) == (visits, worlds)
        assert sum(visits.values()) == 250
        assert found.details["implausible"] == ("tells=9" in parameters and game.player(state) != 0)
        assert 0 < found.details["effective_worlds"] <= worlds


def test_whist_visit_for_visit():
    game = load_game("whist:cards=3")
    for state in hidden_states(game, random.Random(5), 3):
        found = search(game, state, simulations=300, seed=7)
        visits, _ = slow_worlds(game, state, 300, 7)
        assert found.details["visits"] == visits
        assert found.values[0] == found.values[2] == -found.values[1] == -found.values[3]
        assert found.value == found.values[game.player(state)]


def test_the_search_sees_nothing_but_the_view():
    game, rng = load_game("whist:cards=3"), random.Random(9)
    for state in hidden_states(game, rng, 5):
        seat = game.player(state)
        other = game.resample(game.view(state, seat), seat, rng)
        first, second = (search(game, world, simulations=200, seed=1) for world in (state, other))
        assert (first.details, first.move, first.values) == (second.details, second.move, second.values)


def test_worlds_are_weighed_by_their_plausibility(tmp_path):
    # Seat 0 went in, and seat 1 holds the middle one of three cards: a fair bet, unless seat 0 is known to bet only
    # with the highest.
    sure = mcts_games.make(tmp_path, "cards", mcts_games.CARDS, "seats=2,tells=2")
    fair = mcts_games.make(tmp_path, "plain", mcts_games.CARDS, "seats=2")
    state = next(
        state
        for state in hidden_states(sure, random.Random(2), 10**6)
        if sure.struct(state).count == 1 and sure.struct(state).said[0] == 1 and sure.struct(state).cards[1] == 1
    )
    told, untold = (search(game, state, simulations=3000) for game in (sure, fair))
    assert told.move == 0
    assert told.details["visits"]["1"] < 300 < 900 < untold.details["visits"]["1"]
    assert 0.3 < told.details["effective_worlds"] / told.details["worlds"] < 0.7
    assert untold.details["effective_worlds"] == untold.details["worlds"]
    assert not told.details["implausible"]


def test_hidden_games_the_deal_included_and_what_is_refused(tmp_path):
    game = mcts_games.make(tmp_path, "cards", mcts_games.CARDS, "seats=3")
    result = search(game, simulations=500)  # chance is to move
    assert (result.move, result.details["visits"]) == (None, {})
    assert sum(result.values) == pytest.approx(0)
    record = TreeRecord(game)
    state = game.result(game.initial(), 4)
    visits = search(game, state, simulations=100, record=record).details["visits"]
    assert record.visits == [100, *visits.values()]
    whist = load_game("whist:cards=3")
    full = search(whist, whist.result(whist.initial(), 4), simulations=2000, mib=0.0005)
    assert full.details["full"]
    assert full.details["tree_nodes"] * Arm.itemsize <= 0.0005 * (1 << 20)
    for wrong in ({"threads": 2}, {"rave": 5.0}):
        with pytest.raises(BadInput, match="hidden, in one thread without rave"):
            search(game, state, **wrong)
    body = mcts_games.CARDS.replace("def redeal(", "def redeal_not(")
    with pytest.raises(UnfitGame, match=r"does not define redeal\(\)"):
        search(mcts_games.make(tmp_path, "blind", body), simulations=5)


def test_a_tree_keeps_nothing_of_a_hidden_game(tmp_path):
    game, tree = mcts_games.make(tmp_path, "cards", mcts_games.CARDS, "seats=3"), SearchTree(1)
    state = game.result(game.initial(), 4)
    first = search(game, state, simulations=100, tree=tree)
    tree.follow(game, [first.move, None])
    again = search(game, state, simulations=100, tree=tree)
    assert again.details == first.details


def test_hidden_games_uncompiled(tmp_path):
    game = mcts_games.make(tmp_path, "cards", mcts_games.CARDS, "seats=3,tells=2")
    state = game.result(game.initial(), 4)
    expected = search(game, state, simulations=60)
    with compiler(jit=False):
        found = search(game, state, simulations=60)
    assert (found.details, found.values) == (expected.details, expected.values)


# Long lists of moves --------------------------------------------------------------------------------------------------


def test_twenty_thousand_moves_cost_as_many_nodes_as_visits(tmp_path):
    game = mcts_games.make(tmp_path, "wide", mcts_games.WIDE)
    search(game, simulations=1, solver=False)  # compiles
    sizes = {}
    for simulations in (1, 50, 1000, 19_000):
        tracemalloc.start()
        result = search(game, simulations=simulations, mib=4, solver=False)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert sum(result.details["visits"].values()) == simulations == len(result.details["visits"])
        # One root, blocks of 64, 128, 256, … up to the visits, a link behind each.
        blocks = [64]
        while sum(blocks) < simulations:
            blocks.append(2 * blocks[-1])
        sizes[simulations] = 1 + min(sum(blocks), 20_000) + len(blocks) - (sum(blocks) >= 20_000)
        assert result.details["tree_nodes"] == sizes[simulations]
        assert result.nodes == 1 + 3 * simulations  # random games of three plies went on without a list
        # The tree itself, three lists of moves and what reports take: nowhere near 32 bytes × 20,000 for each node.
        assert peak < 4 * (1 << 20) + 4 * 8 * 20_000 + 600 * simulations + (1 << 20)
    assert sizes[1] * Node.itemsize < 3000
    assert search(game, simulations=1000).move == 123


def test_the_best_prior_comes_first(tmp_path):
    game = mcts_games.make(tmp_path, "wide", mcts_games.WIDE)
    result = search(game, simulations=3, puct=1.0)
    assert next(iter(result.details["visits"])) == "123"
    assert result.move == 123


def test_blocks_are_kept_between_moves(tmp_path):
    # Long lists at every ply: what is kept below a move is what was there.
    body = mcts_games.WIDE.replace("MOVES = 20_000", "MOVES = 300").replace("most_moves=20_000", "most_moves=300")
    body = body.replace("if s.ply > 0:", "if s.ply == 3:").replace(
        "return np.int64(0)", "return np.int64(bits >> u64(60))"
    )
    game = mcts_games.make(tmp_path, "wide", body)
    for options in ({"solver": False}, {"puct": 1.5}, {"rave": 10.0}):
        tree = SearchTree(16)
        search(game, simulations=40_000, tree=tree, **options)
        child = max(tree.children(0), key=lambda node: tree.nodes[node].visits)
        move = int(tree.nodes[child].move)
        below = {int(tree.nodes[n].move): int(tree.nodes[n].visits) for n in tree.children(child)}
        deeper = {
            int(tree.nodes[n].move): [int(tree.nodes[m].visits) for m in tree.children(n)] for n in tree.children(child)
        }
        assert len(below) > 64
        tree.follow(game, [move])
        assert {int(tree.nodes[n].move): int(tree.nodes[n].visits) for n in tree.children(0)} == below
        again = {
            int(tree.nodes[n].move): [int(tree.nodes[m].visits) for m in tree.children(n)] for n in tree.children(0)
        }
        assert again == deeper
        state = game.result(game.initial(), move)
        assert search(game, state, simulations=10, tree=tree, **options).details["reused"] > len(below)


@pytest.mark.parametrize("options", [{}, {"puct": 1.0}])
def test_threads_share_blocks(tmp_path, options):
    body = mcts_games.WIDE.replace("if s.ply > 0:", "if s.ply == 3:").replace("MOVES = 20_000", "MOVES = 500")
    game = mcts_games.make(tmp_path, "wide", body.replace("most_moves=20_000", "most_moves=500"))
    result = search(game, simulations=30_000, threads=4, solver=False, **options)
    assert sum(result.details["visits"].values()) == 30_000


# Repetition -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("repetition", ["draw", "forbidden"])
def test_repetition_visit_for_visit(tmp_path, repetition):
    game = mcts_games.make(tmp_path, "ring", mcts_games.RING, f"repetition={repetition},cells=5")
    rng = random.Random(repetition)
    assert_same(game, simulations=300, seed=1)
    for _ in range(4):
        state = game.initial()
        for _ in range(rng.randrange(1, 12)):
            if not game.is_terminal(state):
                state = game.result(state, rng.choice(game.actions(state)))
        if not game.is_terminal(state):
            assert_same(game, state, simulations=200, seed=2)


def test_chess_knows_repetition_in_the_tree_and_in_random_games():
    game = load_game("chess")
    state = game.state_from_text("6k1/8/8/8/8/8/5r2/K6R w - - 40 80")
    assert_same(game, state, simulations=60, seed=3)


def test_the_past_agrees_with_a_plain_list():
    # Keys are few, so that they come back and fall on the same slots; lines are many, so that stamps are used up.
    rng = random.Random(4)
    past = np.zeros(1, past_type(True, 60))[0]
    before = [rng.randrange(1, 9) << 60 | rng.randrange(3) for _ in range(7)]
    open_past(past, before)
    with compiler(jit=False):
        for _ in range(600):
            begin_line(past)
            line = list(before)
            for _ in range(rng.randrange(20)):
                key, reach, times = rng.randrange(9) << 60 | rng.randrange(3), rng.randrange(30), rng.randrange(1, 4)
                stood = line[max(0, len(line) - reach) :].count(key) >= times
                assert has_stood(past, np.uint64(key), reach, times) == (stood and key != 0)
                push_key(past, np.uint64(key))
                line.append(key)


def test_the_struct_of_go_is_small():
    sizes = [load_game(f"go:size={size}").rules.state_type.itemsize for size in (9, 19)]
    assert sizes == [2296, 8744]
