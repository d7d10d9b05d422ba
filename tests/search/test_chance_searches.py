"""Expectiminimax, Star1, Star2, max^n and paranoid: against plain definitions written out here, and on known trees."""

from __future__ import annotations

import functools
import random
import sys
from math import fsum, inf, isclose

import pytest

import gametree
from gametree import CHANCE, Clock, OutOfTime, TreeRecord, UnfitGame, load_algorithm
from gametree.core.errors import BadInput
from gametree.games.tree import parse_tree, random_tree

CHANCE_SEARCHES = ["expectiminimax", "star1", "star2", "maxn"]


find = functools.cache(lambda name: load_algorithm(name)[1])


def analyse(game, state=None, *, algorithm, **options):
    return find(algorithm)(game, state, **options)


def trees(count, **options):
    """Random trees of all kinds: ties, real and negative values, uneven depth, movers in any order, chance."""
    for seed in range(count):
        yield random_tree(
            branching=2 + seed % 3,
            depth=2 + seed % 3,
            seed=seed,
            real=seed % 3 == 1,
            values="-3..3" if seed % 2 else "-90..50",
            uneven=0.2 * (seed % 2),
            alternate=seed % 5 < 3,
            **{"chance": (0.0, 0.3, 0.6, 0.9)[seed % 4], **options},
        )


def oracle(game, state, depth=-1):
    """The definition: seat 0's expected value under best play."""
    if game.is_terminal(state):
        return game.utility(state, 0)
    if depth == 0:
        return game.evaluate(state, 0)
    mover = game.player(state)
    if mover == CHANCE:
        return fsum(p * oracle(game, game.result(state, a), depth - 1) for a, p in game.outcomes(state))
    values = [oracle(game, game.result(state, a), depth - 1) for a in game.actions(state)]
    return min(values) if mover else max(values)


def for_max(result):
    """The value as seat 0 sees it."""
    return -result.value if result.player else result.value


def regular(rng, branching, depth, level=0):
    """The text of a regular *-minimax tree: MAX, chance, MIN, chance, MAX, ..."""
    if depth == 0:
        return str(rng.randint(-9, 9))
    below = [regular(rng, branching, depth - 1, level + 1) for _ in range(branching)]
    if level % 2:
        return "[" + " ".join(f"{1 / branching}:{child}" for child in below) + "]"
    return ("min(" if level % 4 else "max(") + " ".join(below) + ")"


@pytest.mark.parametrize("algorithm", CHANCE_SEARCHES)
def test_value_and_move_follow_the_definition(algorithm):
    for game in trees(240):
        for depth in (None, 1, 3):
            result = analyse(game, algorithm=algorithm, depth=depth)
            left = -1 if depth is None else depth
            assert for_max(result) == oracle(game, 0, left)
            assert oracle(game, game.result(0, result.move), left - 1) == for_max(result)
            assert result.bound == ("estimate" if result.horizon else "exact")
            assert not (depth is None and result.horizon)
            assert result.complete


@pytest.mark.parametrize("algorithm", ["star1", "star2"])
def test_impossible_windows_are_refused(algorithm):
    with pytest.raises(BadInput, match="window of"):
        analyse(parse_tree("(1 2)"), algorithm=algorithm, window=(1, 0))


@pytest.mark.parametrize("algorithm", ["star1", "star2"])
def test_star_keeps_its_promise_in_any_window(algorithm):
    rng = random.Random(5)
    inside = outside = 0
    for game in trees(200, chance=0.7):
        value = oracle(game, 0)
        for _ in range(4):
            low, high = sorted((rng.uniform(-10, 10), rng.uniform(-10, 10)))
            if rng.random() < 0.3:  # a window that touches the value
                low, high = (value, value + 1) if rng.random() < 0.5 else (value - 1, value)
            result = analyse(game, algorithm=algorithm, window=(low, high))
            found = for_max(result)
            if found <= low:
                assert value <= found
                assert result.bound == ("lower" if result.player else "upper")
                outside += 1
            elif found >= high:
                assert value >= found
                assert result.bound == ("upper" if result.player else "lower")
                outside += 1
            else:
                assert found == value
                assert result.bound == "exact"
                inside += 1
    assert inside > 50
    assert outside > 50


def test_star_windows_stand_for_both_sides_of_an_outcome():
    # MAX has 2 already. The chance node is worth at most 0.5·(−8) + 0.5·10 = 1 after its first outcome: cut off.
    game = parse_tree("max(2 [0.5:-8 0.5:x] 10)")
    record = TreeRecord(game)
    result = analyse(game, algorithm="star1", record=record)
    assert (result.value, result.move) == (10, 2)
    chance = record.move.index("2")
    assert "cut" in record.reason[chance]
    assert record.bound[chance] == "upper"
    # Its window for the first outcome: below −6 the outcome settles the matter, 0.5·(−6) + 0.5·10 = 2.
    first = next(row for row in range(len(record)) if record.parent[row] == chance and record.place[row] == 0)
    assert record.alpha_in[first] == -6
    with pytest.raises(gametree.GameError, match="'x'"):
        analyse(game, algorithm="expectiminimax")


def test_star1_never_sees_more_than_expectiminimax_and_star2_probes_pay_on_regular_trees():
    seen = dict.fromkeys(("expectiminimax", "star1", "star2"), 0)
    for seed in range(12):
        game = parse_tree(regular(random.Random(seed), 3 + seed % 2, 5))
        results = {name: analyse(game, algorithm=name) for name in seen}
        assert len({result.value for result in results.values()}) == 1
        for name, result in results.items():
            seen[name] += result.leaves
        assert results["star1"].nodes <= results["expectiminimax"].nodes
    assert seen["star2"] < seen["star1"] < 0.9 * seen["expectiminimax"]


def test_star2_probes_are_marked_and_their_number_is_an_option():
    game = parse_tree(regular(random.Random(1), 4, 4))
    record = TreeRecord(game)
    value = analyse(game, algorithm="expectiminimax").value
    assert analyse(game, algorithm="star2", record=record).value == value
    assert any("researched" in reason for reason in record.reason)
    for probes in (2, 3, 9):
        assert analyse(game, algorithm="star2", probes=probes).value == value
    with pytest.raises(BadInput, match="probes=0"):
        analyse(game, algorithm="star2", probes=0)


def test_an_outcome_that_cannot_matter_is_not_entered():
    # MAX has the greatest utility already, so no outcome of the chance node needs a look.
    game = parse_tree("max(9 [0.5:9 0.5:x])")
    for algorithm in ("star1", "star2"):
        record = TreeRecord(game)
        assert analyse(game, algorithm=algorithm, record=record).value == 9
        row = record.move.index("2")
        assert record.reason[row] == "cut"
        assert [record.reason[child] for child in range(len(record)) if record.parent[child] == row] == ["pruned"] * 2


@pytest.mark.parametrize("position", [None, "4-4 +2 second turn 2", "2-0 +2 first rolling turn 1"])
def test_pig(position):
    game = gametree.load_game("pig:target=8,turns=2")
    state = None if position is None else game.state_from_text(position)
    start = game.initial() if state is None else state
    expected = oracle(game, start)
    seat = max(0, game.player(start))
    for algorithm in CHANCE_SEARCHES:
        result = analyse(game, state, algorithm=algorithm)
        assert result.player == seat
        assert result.value == (-expected if seat else expected)
        assert (result.move is None) == (game.player(start) == CHANCE)
    star = {name: analyse(game, state, algorithm=name).nodes for name in ("expectiminimax", "star1")}
    assert star["star1"] <= star["expectiminimax"] - (position is None)


def test_pig_to_a_depth():
    game = gametree.load_game("pig:target=20")
    for depth in range(7):
        values = {analyse(game, algorithm=algorithm, depth=depth).value for algorithm in CHANCE_SEARCHES}
        assert values == {oracle(game, game.initial(), depth)}


@pytest.mark.parametrize("algorithm", CHANCE_SEARCHES)
def test_play_that_never_ends_asks_for_a_depth(monkeypatch, algorithm):
    monkeypatch.setattr("gametree.search.support.run.MOST_PLIES", 3_000)
    monkeypatch.setattr("sys.setrecursionlimit", lambda limit, real=sys.setrecursionlimit: real(min(limit, 3_000)))
    with pytest.raises(UnfitGame, match=r"found no end of pig within 3,000 plies; expected a depth"):
        analyse(gametree.load_game("pig"), algorithm=algorithm)


def test_category_expectation_of_the_lectures():
    game = parse_tree("max([0.72:1 0.20:0 0.08:0.5] 0.7)")
    for algorithm in CHANCE_SEARCHES:
        result = analyse(game, algorithm=algorithm)
        assert isclose(result.value, 0.76)
        assert result.pv == (0,)


def test_chance_at_the_root_has_a_value_but_no_move():
    game = parse_tree("[0.25:(4 8) 0.75:-4]")
    for algorithm in CHANCE_SEARCHES:
        result = analyse(game, algorithm=algorithm)
        assert (result.value, result.move, result.pv) == (0.25 * 4 - 3, None, ())  # MIN moves on level 1


def test_max_n_on_the_three_player_tree_of_the_textbook():
    # Russell and Norvig, figure 5.4.
    game = parse_tree("(((1/2/6 4/2/3) (6/1/2 7/4/1)) ((5/1/1 1/5/2) (7/7/1 5/4/5)))")
    record = TreeRecord(game)
    result = analyse(game, algorithm="maxn", record=record)
    assert result.values == (1, 2, 6)
    assert result.pv == (0, 0, 0)
    assert record.values[0] == [1, 2, 6]
    second = analyse(game, game.state_from_text("2"), algorithm="maxn")
    assert (second.player, second.value, second.values) == (1, 5, (1, 5, 2))


def three_player_tree(rng, depth):
    if depth == 0:
        return "/".join(str(rng.randint(0, 9)) for _ in range(3))
    return "(" + " ".join(three_player_tree(rng, depth - 1) for _ in range(rng.randint(1, 3))) + ")"


def paranoid_oracle(game, state, seat):
    if game.is_terminal(state):
        return game.utility(state, seat)
    values = [paranoid_oracle(game, game.result(state, a), seat) for a in game.actions(state)]
    return max(values) if game.player(state) == seat else min(values)


def max_n_oracle(game, state):
    if game.is_terminal(state):
        return tuple(game.utility(state, seat) for seat in range(3))
    seat = game.player(state)
    return max((max_n_oracle(game, game.result(state, a)) for a in game.actions(state)), key=lambda v: v[seat])


def test_three_players_in_general_sum_trees():
    for seed in range(60):
        game = parse_tree(three_player_tree(random.Random(seed), 4))
        for state in (0, game.result(0, 0)):
            seat = game.player(state)
            assert analyse(game, state, algorithm="maxn").values == max_n_oracle(game, state)
            sure = analyse(game, state, algorithm="paranoid")
            assert sure.value == paranoid_oracle(game, state, seat)
            assert sure.bound == "lower"
            assert sure.value <= max_n_oracle(game, state)[seat]
            assert paranoid_oracle(game, game.result(state, sure.move), seat) == sure.value


def test_paranoid_equals_alpha_beta_with_two_players():
    for game in trees(100, chance=0.0):
        for state in (0, game.result(0, 0)):
            records = TreeRecord(game), TreeRecord(game)
            expected = analyse(game, state, algorithm="alphabeta", record=records[0])
            found = analyse(game, state, algorithm="paranoid", record=records[1])
            assert (found.value, found.move, found.nodes) == (expected.value, expected.move, expected.nodes)
            assert found.bound == "exact"
            for column in ("value", "move", "bound", "alpha_in", "beta_in", "alpha_out", "beta_out", "reason"):
                assert getattr(records[0], column) == getattr(records[1], column)


class Bridge(gametree.Game):
    """Four seats in two teams take one ply each; a path of moves is a state; the parity of its sum decides."""

    facts = gametree.Facts(players=4, teams=((0, 2), (1, 3)), longest_game=4)

    def initial(self):
        return ()

    def player(self, state):
        return len(state)

    def actions(self, state):
        return (0, 1, 2) if len(state) < 4 else ()

    def result(self, state, action):
        return (*state, action)

    def is_terminal(self, state):
        return len(state) == 4

    def utility(self, state, player):
        score = 1 if state[0] + state[2] > state[1] + state[3] - 1 else -1
        return score if player % 2 == 0 else -score


def test_paranoid_trusts_team_mates():
    assert analyse(Bridge(), algorithm="paranoid").value == 1  # with a partner against it, seat 0 would lose
    assert analyse(Bridge(), (0,), algorithm="paranoid").value == 1  # so would seat 1 without seat 3


@pytest.mark.parametrize("algorithm", [*CHANCE_SEARCHES, "paranoid"])
def test_deep_trees_clocks_and_records(algorithm):
    depth = 5_000
    game = parse_tree("(1 " * depth + "0" + ")" * depth)
    assert analyse(game, algorithm=algorithm).value == analyse(game, algorithm="alphabeta").value
    wide = gametree.load_game("tictactoe")
    with pytest.raises(OutOfTime):
        analyse(wide, algorithm=algorithm, clock=Clock(nodes=500))
    for tree in trees(8, chance=0.0 if algorithm == "paranoid" else 0.5):
        record = TreeRecord(tree)
        result = analyse(tree, algorithm=algorithm, record=record)
        assert sum(record.visits) == result.nodes
        assert record.value[0] == for_max(result)
        assert not record._path


@pytest.mark.parametrize("algorithm", CHANCE_SEARCHES)
def test_the_record_tells_the_truth_about_every_node(algorithm):
    kinds = set()
    for tree in trees(120, chance=0.6):
        record = TreeRecord(tree)
        result = analyse(tree, algorithm=algorithm, record=record)
        assert result.depth == max(record.level[row] for row in range(len(record)) if record.order[row] >= 0)
        states = [0] * len(record)
        for row in range(len(record)):
            if row:
                states[row] = tree.result(states[record.parent[row]], record.place[row])
            if record.order[row] < 0:
                continue
            value, true, bound = record.value[row], oracle(tree, states[row]), record.bound[row]
            assert {"exact": value == true, "lower": value <= true, "upper": value >= true}[bound]
            assert record.alpha_in[row] < record.beta_in[row]
            below = [child for child in range(len(record)) if record.parent[child] == row]
            assert len(below) == len(tree.actions(states[row]))
            cut = any(record.order[child] < 0 for child in below)
            assert ("cut" in record.reason[row].split()) == cut
            kinds.add(bound)
    assert kinds == ({"exact", "lower", "upper"} if "star" in algorithm else {"exact"})


def test_unfit_games_are_refused():
    chance = parse_tree("[0.5:1 0.5:2]")
    with pytest.raises(UnfitGame, match="chance is True"):
        analyse(chance, algorithm="paranoid")
    three = parse_tree("(1/2/3 3/2/1)")
    for algorithm in ("expectiminimax", "star1", "star2"):
        with pytest.raises(UnfitGame, match="players is 3"):
            analyse(three, algorithm=algorithm)


def test_bounds_of_a_chance_node_survive_tiny_probabilities():
    rng = random.Random(3)
    for _ in range(100):
        weights = [rng.random() ** 30 + 1e-300 for _ in range(3)]
        shares = [weight / sum(weights) for weight in weights]
        below = " ".join(f"{share!r}:({rng.uniform(-9, 9)!r} {rng.uniform(-9, 9)!r})" for share in shares)
        game = parse_tree(f"({rng.uniform(-9, 9)!r} [{below}] [{below}])")
        value = oracle(game, 0)
        assert abs(value) < inf
        for algorithm in ("star1", "star2"):
            assert analyse(game, algorithm=algorithm).value == value
