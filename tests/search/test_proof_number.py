"""Proof-number search: what it proves is true, what it cannot prove it says."""

from __future__ import annotations

import functools
import random

import pytest
from oracle import minimax_value, random_tree_text

from gametree import BadInput, Clock, Facts, Game, TreeRecord, UnfitGame, load_algorithm, load_game
from gametree.games.tree import parse_tree

find = functools.cache(lambda name: load_algorithm(name)[1])


def prove(game, state=None, **options):
    return find("proof-number")(game, state, **options)


def mover_value(game, state):
    value = minimax_value(game, state)
    return value if game.player(state) == 0 else (game.facts.utility_sum or 0) - value


def test_what_is_proved_is_true_at_every_threshold():
    kinds = set()
    for seed in range(400):
        game = parse_tree(random_tree_text(seed))
        if game.is_terminal(0):
            continue
        value = mover_value(game, 0)
        rng = random.Random(seed)
        for threshold in (None, value, rng.uniform(game.facts.min_utility, game.facts.max_utility)):
            if threshold is not None and not game.facts.min_utility < threshold <= game.facts.max_utility:
                continue
            result = prove(game, threshold=threshold)
            goal = game.facts.max_utility if threshold is None else threshold
            assert result.complete
            assert result.details["proved"] == (value >= goal), seed
            assert {"exact": result.value == value, "lower": result.value <= value, "upper": result.value >= value}[
                result.bound
            ], seed
            assert (result.value >= goal) == (value >= goal)
            numbers = result.details["proof"], result.details["disproof"]
            assert numbers == ((0, None) if value >= goal else (None, 0))
            if result.details["proved"]:
                # The move keeps the win.
                child = game.result(0, result.move)
                after = minimax_value(game, child)
                mine = after if result.player == 0 else (game.facts.utility_sum or 0) - after
                assert mine >= goal
            assert result.pv[0] == result.move
            kinds.add((result.bound, result.details["proved"]))
    assert kinds == {("exact", True), ("lower", True), ("upper", False), ("exact", False)}


def test_the_line_of_a_proof_ends_in_a_win():
    game = load_game("tictactoe")
    state = game.state_from_text("X../.O./..X")  # not won
    assert prove(game, state).details["proved"] is False
    fork = game.state_from_text("XO./X../.O.")  # X to move wins by a3-b2-c1 or the column
    result = prove(game, fork)
    assert (result.details["proved"], result.value, result.bound) == (True, 1, "exact")
    place = fork
    for action in result.pv:
        place = game.result(place, action)
    assert game.utility(place, 0) == 1


def test_tictactoe_is_not_won_but_not_lost():
    game = load_game("tictactoe")
    won = prove(game)
    assert (won.details["proved"], won.value, won.bound, won.complete) == (False, 0, "upper", True)
    drawn = prove(game, threshold=0)
    assert (drawn.details["proved"], drawn.value, drawn.bound) == (True, 0, "lower")
    second = prove(game, game.result(0, 4), threshold=0)  # O, to move, holds the draw
    assert (second.player, second.details["proved"], second.value) == (1, True, 0)
    assert won.nodes < 549946 / 4


def test_nim_is_solved_by_xor():
    for heaps in ([1, 2, 3], [1, 1, 2], [2, 2], [3, 4], [1, 2, 2], [1, 3, 2, 1]):
        game = load_game("nim:" + "-".join(map(str, heaps)))
        result = prove(game)
        xor = functools.reduce(lambda a, b: a ^ b, heaps)
        assert result.details["proved"] == bool(xor), heaps
        assert result.bound == "exact"
        assert result.value == (1 if xor else -1)


def test_proof_and_disproof_numbers_of_a_small_tree():
    # OR root: the left AND node needs 2 proofs or 1 disproof, the right one 1 and 1.
    game = parse_tree("((a(1 0) b(1 0)) (c(1 0)))")
    result = prove(game, most_nodes=4)
    assert (result.details["proof"], result.details["disproof"]) == (1, 2)
    assert (result.details["proved"], result.complete, result.bound) == (None, False, "estimate")
    assert result.move == 1  # the way to the most proving node
    record = TreeRecord(game)
    solved = prove(game, record=record)
    assert (solved.value, solved.bound) == (1, "exact")
    assert record.label[0] == "0/∞"
    assert "0/∞" in record.label[record.place.index(1)]
    assert sum(record.visits) == solved.nodes
    assert record.bound[0] == "lower"
    assert record.value[0] == 1
    assert TreeRecord.from_json(record.to_json()).to_data() == record.to_data()


def test_limits_are_honest():
    game = load_game("tictactoe")
    for options in ({"most_nodes": 1}, {"most_nodes": 200}, {"clock": Clock(nodes=200)}, {"clock": Clock(1e-9)}):
        result = prove(game, **options)
        assert not result.complete
        assert result.bound == "estimate"
        assert result.details["proved"] is None
        assert result.details["proof"] > 0
        assert result.details["disproof"] > 0
        assert result.move in game.actions(0)
        assert result.nodes <= 210


class Circle(Game):
    """Two players walk round in circles and nobody ever wins."""

    facts = Facts(min_utility=0, max_utility=4, utility_sum=4)

    def initial(self):
        return 0

    def player(self, state):
        return state % 2

    def actions(self, state):
        return (0, 1)

    def result(self, state, action):
        return (state + 1) % 6

    def is_terminal(self, state):
        return False


def test_circles_run_into_the_limit_without_an_evaluation():
    for state in (0, 1):
        result = prove(Circle(), state, most_nodes=3000)
        assert (result.complete, result.value) == (False, 2)


def test_depth_asks_eval():
    game = load_game("tictactoe")
    for depth in range(4):
        value = minimax_value(game, 0, depth)
        assert prove(game, depth=depth, threshold=value).details["proved"] is True
        assert prove(game, depth=depth, threshold=value + 0.01).details["proved"] is False
        assert prove(game, depth=depth).depth == depth


def test_deep_trees_and_terminal_roots():
    depth = 20_000
    game = parse_tree("max(0 " * depth + "1" + ")" * depth)
    result = prove(game)
    assert (result.value, result.bound, len(result.pv)) == (1, "exact", depth)
    over = load_game("tictactoe")
    ended = prove(over, over.state_from_text("XXX/OO./..."), record=TreeRecord(over))
    assert (ended.move, ended.value, ended.bound, ended.details["proved"]) == (None, 1, "exact", True)


def test_bad_options_and_unfit_games():
    game = load_game("tictactoe")
    for threshold in (-1, 1.5, float("nan")):
        with pytest.raises(BadInput, match=f"threshold={threshold} is not possible"):
            prove(game, threshold=threshold)
    with pytest.raises(BadInput, match="most_nodes=0"):
        prove(game, most_nodes=0)
    with pytest.raises(UnfitGame, match="chance"):
        prove(load_game("pig"))
