"""The refinements of alpha-beta: deepening, ordering, table, symmetry, quiescence, extensions, forward pruning."""

from __future__ import annotations

import functools
import json
import os
import random
import subprocess
import sys
from math import inf, nan
from typing import Any

import pytest
from oracle import minimax_value, random_tree_text

from gametree import (
    BadInput,
    Clock,
    Facts,
    Game,
    GameError,
    OutOfTime,
    TreeRecord,
    UnfitGame,
    UnknownName,
    load_algorithm,
    load_game,
)
from gametree.games.tree import parse_tree, random_tree
from gametree.search.support.state_table import Entry, Table

EXACT = ["ordering", "table", "deepening"]
INEXACT = ["quiescence", "singular", "secondary", "forward"]

find = functools.cache(lambda name: load_algorithm(name)[1])


def analyse(game, state=None, *, algorithm, **options):
    return find(algorithm)(game, state, **options)


def for_max(game, result):
    return result.value if result.player == 0 else (game.facts.utility_sum or 0) - result.value


class Maze(Game[tuple[int, int], int]):
    """Few states that are reached in many ways and at many plies, with values from a scrambled number.

    A state is (how far, who moves); a move goes 1 to 3 on; whose turn it is next is as scrambled as all values.
    """

    def __init__(self, length: int, seed: int) -> None:
        self.length = length
        self.seed = seed
        self.facts = Facts(min_utility=-9, max_utility=9, longest_game=length)

    def scramble(self, *numbers: int) -> int:
        value = self.seed
        for number in numbers:
            value = (value * 6364136223846793005 + number + 1442695040888963407) % 2**64
            value ^= value >> 29
        return value >> 7

    def initial(self):
        return (0, self.seed % 2)

    def player(self, state):
        return state[1]

    def actions(self, state):
        return () if self.is_terminal(state) else range(1, 4)

    def result(self, state, action):
        place = state[0] + action
        return (place, self.scramble(*state, action) % 2)

    def is_terminal(self, state):
        return state[0] >= self.length

    def utility(self, state, player):
        value = self.scramble(*state, 77) % 19 - 9
        return -value if player else value

    def evaluate(self, state, player):
        value = self.scramble(*state, 99) % 19 - 9
        return -value if player else value


# The exact ones -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("algorithm", EXACT)
def test_value_move_and_line_are_minimax_on_random_trees(algorithm):
    for seed in range(1000):
        game = parse_tree(random_tree_text(seed))
        result = analyse(game, algorithm=algorithm)
        value = minimax_value(game, 0)
        assert for_max(game, result) == value, seed
        assert (result.bound, result.complete) == ("exact", True)
        place = 0
        for action in result.pv:
            place = game.result(place, action)
            assert minimax_value(game, place) == value, seed
        assert game.is_terminal(place)
        assert result.move == (result.pv[0] if result.pv else None)
        for depth in (0, 1, 2, 3) if seed < 200 else ():
            limited = analyse(game, algorithm=algorithm, depth=depth)
            assert for_max(game, limited) == minimax_value(game, 0, depth), (seed, depth)
            assert limited.depth <= depth


@pytest.mark.parametrize("algorithm", EXACT)
def test_states_that_come_up_at_several_plies(algorithm):
    for seed in range(40):
        game = Maze(9, seed)
        for depth in (None, 1, 2, 3, 4, 5):
            value = minimax_value(game, game.initial(), -1 if depth is None else depth)
            sizes: list[dict[str, Any]] = [{}]
            if algorithm == "table":
                sizes += [{"size": 2}, {"size": 5}]
            for options in sizes:
                result = analyse(game, algorithm=algorithm, depth=depth, **options)
                assert for_max(game, result) == value, (seed, depth, options)
                child = game.result(game.initial(), result.move)
                assert minimax_value(game, child, -1 if depth is None else depth - 1) == value


def test_every_switch_of_ordering_keeps_the_value():
    for seed in range(150):
        game = parse_tree(random_tree_text(seed))
        value = minimax_value(game, 0)
        for killers in (False, True):
            for history in (False, True):
                result = analyse(game, algorithm="ordering", killers=killers, history=history)
                assert for_max(game, result) == value


def test_without_switches_ordering_is_alpha_beta():
    game = load_game("tictactoe")
    plain = analyse(game, algorithm="alphabeta")
    off = analyse(game, algorithm="ordering", killers=False, history=False)
    assert (off.nodes, off.leaves, off.pv) == (plain.nodes, plain.leaves, plain.pv)
    nodes = {name: analyse(game, algorithm="ordering", killers="k" in name, history="h" in name).nodes for name in "kh"}
    both = analyse(game, algorithm="ordering").nodes
    assert max(*nodes.values(), both) < 0.8 * plain.nodes


def test_the_last_principal_variation_is_tried_first():
    game = random_tree(branching=4, depth=5, seed=3)
    memory: dict[str, Any] = {}
    first = analyse(game, algorithm="ordering", killers=False, history=False, memory=memory)
    record = TreeRecord(game)
    again = analyse(game, algorithm="ordering", killers=False, history=False, memory=memory, record=record)
    assert again.pv == first.pv
    assert again.nodes < first.nodes
    row = 0
    for action in first.pv:
        row = next(child for child in record.children()[row] if record.order[child] == record.order[row] + 1)
        assert record.place[row] == action
    unaware = analyse(game, algorithm="ordering", killers=False, history=False, previous=False, memory=memory)
    assert unaware.nodes == first.nodes


def test_memory_is_not_for_users_to_set():
    for algorithm in ("ordering", "table"):
        with pytest.raises(BadInput, match="memory='x'"):
            analyse(load_game("tictactoe"), algorithm=algorithm, memory="x")


# The table ------------------------------------------------------------------------------------------------------------


def test_the_table_saves_work_and_says_so():
    game = load_game("tictactoe")
    record = TreeRecord(game)
    result = analyse(game, algorithm="table", record=record)
    plain = analyse(game, algorithm="alphabeta")
    assert (result.value, len(result.pv)) == (0, 9)
    assert result.nodes < plain.nodes / 3
    assert result.details["hits"] == sum("table" in reason.split() for reason in record.reason)
    assert 0 < result.details["stored"] < 5478
    assert sum(record.visits) == result.nodes


def test_a_small_table_forgets_but_never_lies():
    game = load_game("tictactoe")
    nodes = []
    for size in (2, 50, 500, 100_000):
        result = analyse(game, algorithm="table", size=size)
        assert result.value == 0
        assert result.details["stored"] <= size
        nodes.append(result.nodes)
    assert nodes == sorted(nodes, reverse=True)
    assert nodes[0] > 2 * nodes[-1]
    with pytest.raises(BadInput, match="size=1 "):
        analyse(game, algorithm="table", size=1)


def test_table_halves():
    table = Table(4)
    entries = [Entry(value, "exact", 1, True, None) for value in range(6)]
    for key in range(4):
        table.store(key, entries[key])
    assert len(table) == 4
    table.store(0, entries[5])  # a third half: the oldest entries go
    assert [table.get(key) is not None for key in range(4)] == [True, False, True, True]
    assert table.get(0).value == 5


def test_when_an_entry_holds():
    def holds(stored, solved, asked):
        return Entry(0, "exact", stored, solved, None).holds(asked)

    assert holds(3, False, 3)
    assert not holds(4, False, 3)  # deeper is different
    assert not holds(4, True, 3)  # solved in 4 plies need not be solved in 3
    assert holds(3, True, 4)
    assert holds(3, True, 3)
    assert holds(3, True, -2)
    assert not holds(3, False, -2)
    assert holds(-1, True, -7)
    assert not holds(-1, True, 5)


def test_memory_carries_the_table_to_the_next_search():
    for seed in range(10):
        game = Maze(10, seed)
        memory: dict[str, Any] = {}
        for depth in (4, 2, 3, 6, 6, 1, None, 5, None, None):
            result = analyse(game, algorithm="table", depth=depth, memory=memory)
            expected = minimax_value(game, game.initial(), -1 if depth is None else depth)
            assert for_max(game, result) == expected, (seed, depth)
        assert result.nodes == 1  # the last question has been answered before
        assert result.move is not None


# Symmetry -------------------------------------------------------------------------------------------------------------


def test_symmetric_first_moves_are_refused():
    game = load_game("tictactoe")
    record = TreeRecord(game)
    result = analyse(game, algorithm="symmetry", record=record)
    assert result.value == 0
    assert len(result.pv) == 9
    moves = {record.move[child]: record.reason[child] for child in record.children()[0]}
    assert [move for move, reason in moves.items() if "refused" not in reason] == ["a3", "b3", "b2"]
    assert len(moves) == 9
    assert result.details["stored"] < 765
    assert result.nodes < analyse(game, algorithm="table").nodes / 3
    refused = sum(reason == "refused" for reason in record.reason)
    assert refused == result.details["merged"]


def test_symmetry_keeps_the_value_from_anywhere_at_any_depth():
    game = load_game("tictactoe")
    frontier, seen = [game.initial()], set()
    for state in frontier:
        if len(seen) > 150 or game.canonical(state) in seen or game.is_terminal(state):
            continue
        seen.add(game.canonical(state))
        frontier += [game.result(state, action) for action in game.actions(state)]
        for depth in (1, 3) if len(seen) < 20 else (2, None):
            left = -1 if depth is None else depth
            result = analyse(game, state, algorithm="symmetry", depth=depth)
            expected = minimax_value(game, state, left) if left > 0 else for_max(game, table_search(game, state))
            assert for_max(game, result) == expected
            place = state
            for action in result.pv:
                place, left = game.result(place, action), left - 1
            assert game.is_terminal(place) or left == 0
            end = game.utility(place, 0) if game.is_terminal(place) else game.evaluate(place, 0)
            assert end == expected
    assert len(seen) > 150


def table_search(game, state):
    return analyse(game, state, algorithm="table")


def test_symmetry_needs_symmetries():
    with pytest.raises(UnfitGame, match="symmetries"):
        analyse(parse_tree("(1 2)"), algorithm="symmetry")


# Iterative deepening --------------------------------------------------------------------------------------------------


def test_iterations_are_told_and_stop_where_the_tree_ends():
    game = load_game("tictactoe")
    result = analyse(game, algorithm="deepening", depth=5)
    iterations = result.details["iterations"]
    assert [iteration["depth"] for iteration in iterations] == [1, 2, 3, 4, 5]
    assert sum(iteration["nodes"] for iteration in iterations) == result.nodes
    for iteration in iterations:
        assert iteration["value"] == minimax_value(game, 0, iteration["depth"])
    whole = analyse(game, algorithm="deepening")
    assert [iteration["depth"] for iteration in whole.details["iterations"]] == list(range(1, 10))
    assert (whole.value, whole.complete, whole.bound, whole.details["inner"]) == (0, True, "exact", "ordering")
    # Three plies are left: the fourth iteration would be the same as the third.
    late = game.state_from_text("XOX/OOX/...")
    ended = analyse(game, late, algorithm="deepening")
    assert len(ended.details["iterations"]) <= 3
    assert ended.complete


def test_deepening_ends_by_itself_in_a_game_of_unknown_length():
    game = Maze(7, 1)
    game.facts = Facts(min_utility=-9, max_utility=9, longest_game=None)
    value = minimax_value(game, game.initial())
    for inner in ("", "alphabeta", "table", "minimax", "negascout"):
        result = find("deepening")(game, algorithm=inner)
        assert for_max(game, result) == value
        assert 3 <= len(result.details["iterations"]) <= 7
    assert find("deepening")(game, algorithm="forward:keep=3").complete


def test_what_an_iteration_learns_saves_work_in_the_next():
    game = random_tree(branching=5, depth=6, seed=8)
    learning = find("deepening")(game).details["iterations"][-1]["nodes"]
    plain = find("deepening")(game, algorithm="alphabeta").details["iterations"][-1]["nodes"]
    assert learning < plain


@pytest.mark.parametrize("nodes", [1, 50, 400, 3000])
def test_a_clock_leaves_the_last_whole_iteration(nodes):
    game = load_game("tictactoe")
    record = TreeRecord(game)
    result = analyse(game, algorithm="deepening", clock=Clock(nodes=nodes), record=record)
    assert (result.complete, result.bound) == (False, "estimate")
    last = result.details["iterations"][-1]
    assert result.value == last["value"] == minimax_value(game, 0, last["depth"])
    assert result.nodes <= nodes + 256
    assert record.algorithm == "deepening"
    assert record.value[0] == result.value
    assert TreeRecord.from_json(record.to_json()).to_data() == record.to_data()
    depths = [iteration["depth"] for iteration in result.details["iterations"]]
    assert depths == list(range(1, len(depths) + 1))


def test_the_first_iteration_is_completed_under_any_clock():
    game = load_game("tictactoe")
    for clock in (Clock(1e-9), Clock(nodes=1), Clock(60)):
        if clock.seconds == 60:
            clock.stop()
        result = analyse(game, algorithm="deepening", clock=clock)
        assert result.move == 4
        assert [iteration["depth"] for iteration in result.details["iterations"]] == [1]
        assert not result.complete


def test_deepening_of_other_algorithms():
    game = load_game("tictactoe")
    for inner in ("alphabeta", "negascout", "mtdf", "table:size=100", "symmetry", "singular:margin=0.3", "maxn"):
        result = find("deepening")(game, depth=4, algorithm=inner)
        assert result.details["inner"] == inner.partition(":")[0]
        if "singular" not in inner:
            assert result.value == minimax_value(game, 0, 4)
    # A depth among the parameters is the last iteration.
    limited = find("deepening")(game, algorithm="alphabeta:depth=3")
    assert [iteration["depth"] for iteration in limited.details["iterations"]] == [1, 2, 3]
    for inner in ("mcts", "deepening", "montecarlo", "proof-number"):
        with pytest.raises(BadInput, match=f"cannot drive '{inner}'"):
            find("deepening")(game, algorithm=inner)
    with pytest.raises(UnknownName, match="alphabet"):
        find("deepening")(game, algorithm="alphabet")
    with pytest.raises(UnknownName, match="no parameter 'sise'"):
        find("deepening")(game, algorithm="table:sise=3")


def test_deepening_chooses_what_fits_the_game():
    chance = parse_tree("(3 [0.5:9 0.5:-2])")
    assert find("deepening")(chance).details["inner"] == "star1"
    assert find("deepening")(chance).value == 3.5
    three = parse_tree("((1/2/6 4/3/3) (6/1/2 7/4/1))")
    result = find("deepening")(three)
    assert (result.details["inner"], result.values) == ("maxn", (7, 4, 1))
    with pytest.raises(UnfitGame, match="chance is True"):
        find("deepening")(chance, algorithm="alphabeta")
    with pytest.raises(UnfitGame, match="simultaneous is True"):
        find("deepening")(load_game("goofspiel"))


def test_deepening_without_an_evaluation():
    class Bare(Maze):
        evaluate = Game.evaluate

    game = Bare(8, 5)
    assert not game.offers("evaluate")
    result = analyse(game, algorithm="deepening")
    assert for_max(game, result) == minimax_value(game, game.initial())
    early = analyse(game, algorithm="deepening", clock=Clock(nodes=1))
    assert (early.value, early.complete) == (0, False)
    with pytest.raises(UnfitGame, match="evaluate"):
        analyse(game, algorithm="deepening", depth=2)


def test_deepening_to_depth_0_and_at_the_end():
    game = load_game("tictactoe")
    still = analyse(game, algorithm="deepening", depth=0)
    assert (still.move, still.value) == (None, 0)
    over = analyse(game, game.state_from_text("XXX/OO./..."), algorithm="deepening")
    assert (over.move, over.value, over.complete) == (None, 1, True)


# The horizon effect and its cures -------------------------------------------------------------------------------------

# White (MAX) must lose something. `save` gives up a pawn and keeps the queen. `delay` gives a check first; three plies
# on the queen still stands, and that she is captured next lies beyond the horizon.
HORIZON = "(delay(forced(go=0(!captured=-9 spared=0))) save(forced(calm=-1(-1 -1))))"


def test_the_horizon_effect():
    game = parse_tree(HORIZON)
    fooled = analyse(game, algorithm="alphabeta", depth=3)
    assert (game.action_text(0, fooled.move), fooled.value) == ("delay", 0)
    truth = analyse(game, algorithm="alphabeta")
    assert (game.action_text(0, truth.move), truth.value) == ("save", -1)


@pytest.mark.parametrize(
    ("algorithm", "options", "mark"),
    [("quiescence", {}, "quiescence"), ("singular", {}, "extended"), ("secondary", {"extra": 1}, "extended")],
)
def test_a_cure_of_the_horizon_effect(algorithm, options, mark):
    game = parse_tree(HORIZON)
    record = TreeRecord(game)
    result = analyse(game, algorithm=algorithm, depth=3, record=record, **options)
    assert (game.action_text(0, result.move), result.value) == ("save", -1)
    assert result.bound == "estimate"
    assert any(mark in reason.split() for reason in record.reason)
    assert (result.depth, result.selective) == (3, 4)


@pytest.mark.parametrize(
    ("algorithm", "options"), [("quiescence", {"longest": 0}), ("singular", {"extensions": 0, "margin": 0.5})]
)
def test_the_cure_switched_off(algorithm, options):
    game = parse_tree(HORIZON)
    plain = analyse(game, algorithm="alphabeta", depth=3)
    result = analyse(game, algorithm=algorithm, depth=3, **options)
    assert (result.move, result.value, result.pv) == (plain.move, plain.value, plain.pv)


@pytest.mark.parametrize("algorithm", ["quiescence", "singular", "secondary"])
def test_without_a_limit_there_is_no_horizon(algorithm):
    for seed in range(200):
        game = parse_tree(random_tree_text(seed))
        assert for_max(game, analyse(game, algorithm=algorithm)) == minimax_value(game, 0)


def test_quiescence_stands_pat_and_follows_captures_to_the_end():
    # MAX may capture (9 at first sight) but is recaptured; MAX need not.
    game = parse_tree("(x=2(1 1) A=2max(!B=9min(!C=-5max(-5 -5) 9) 2))")
    state = game.state_from_text("A")
    assert analyse(game, state, algorithm="quiescence", depth=0).value == 2
    result = analyse(game, algorithm="quiescence", depth=1)
    assert (result.value, result.details["quiet_nodes"]) == (2, 2)
    # One capture deep, the recapture is out of sight.
    assert analyse(game, state, algorithm="quiescence", depth=0, longest=1).value == 9
    with pytest.raises(BadInput, match="longest=-1"):
        analyse(game, algorithm="quiescence", depth=1, longest=-1)


def test_nobody_stands_pat_where_every_move_is_noisy():
    game = parse_tree("(A=8min(!-3 !4) 0)")
    assert analyse(game, algorithm="quiescence", depth=1).value == 0
    game = parse_tree("(A=-8min(!3 !4) 0)")
    assert analyse(game, algorithm="quiescence", depth=1).value == 3
    game = parse_tree("(A=-8min(!3 4) 0)")
    assert analyse(game, algorithm="quiescence", depth=1).value == 0


def quiescent_oracle(game, state, depth):
    """The definition without cuts."""
    if game.is_terminal(state):
        return game.utility(state, 0)
    moves = game.actions(state)
    values = []
    if depth <= 0:
        noisy = game.noisy_actions(state)
        if len(noisy) < len(moves):
            values.append(game.evaluate(state, 0))
        moves = noisy
    values += [quiescent_oracle(game, game.result(state, a), depth - 1) for a in moves]
    return min(values) if game.player(state) else max(values)


def test_quiescence_is_its_definition_on_random_trees():
    def grow(rng, level):
        noisy = "!" if rng.random() < 0.4 else ""
        if level == 6 or (level and rng.random() < 0.15):
            return f"{noisy}{rng.randint(-9, 9)}"
        below = " ".join(grow(rng, level + 1) for _ in range(rng.randint(1, 3)))
        return f"{noisy}n{rng.randrange(10**9)}={rng.randint(-9, 9)}{rng.choice(['max', 'min'])}({below})"

    for seed in range(150):
        game = parse_tree(grow(random.Random(seed), 0).lstrip("!"))
        for depth in (0, 1, 2, 3):
            record = TreeRecord(game)
            result = analyse(game, algorithm="quiescence", depth=depth, record=record)
            assert for_max(game, result) == quiescent_oracle(game, 0, depth), (seed, depth)
            assert sum(record.visits) == result.nodes


def test_a_singular_move_is_extended_and_its_refutation_found():
    # Three moves; the first looks 5 better than the rest, one ply on it is worth −4.
    text = "(A=6(-4 9) B=1(1 2) C=0(0 3))"
    game = parse_tree(text)
    assert analyse(game, algorithm="alphabeta", depth=1).move == 0
    record = TreeRecord(game)
    result = analyse(game, algorithm="singular", depth=1, margin=4, record=record)
    # The refutation, so much better for MIN than the other reply, is singular in its turn.
    assert (result.move, result.value, result.details["extended"]) == (1, 1, 2)
    assert "extended" in record.reason[record.move.index("A")].split()
    assert "extended" not in record.reason[record.move.index("B")].split()
    # With a greater margin the move is not singular, and the search is fooled as before.
    assert analyse(game, algorithm="singular", depth=1, margin=5.5).move == 0
    # A singular move that stands up keeps its new value.
    stands = parse_tree("(A=6(5 9) B=1(1 2) C=0(0 3))")
    assert analyse(stands, algorithm="singular", depth=1, margin=4).value == 5
    # The same for MIN.
    mirrored = parse_tree("min(A=-6max(4 -9) B=-1max(-1 -2) C=0max(0 -3))")
    low = analyse(mirrored, algorithm="singular", depth=1, margin=4)
    assert (low.player, low.move, low.value) == (1, 1, 1)
    for bad in ({"margin": 0}, {"margin": -1.0}, {"extensions": -1}):
        with pytest.raises(BadInput, match="is not possible"):
            analyse(game, algorithm="singular", depth=1, **bad)


def test_a_line_is_extended_only_so_often():
    chain = "a=1(" * 12 + "0" + ")" * 12
    game = parse_tree(chain)
    for extensions in (0, 1, 3):
        result = analyse(game, algorithm="singular", depth=2, extensions=extensions)
        assert (result.depth, result.selective) == (2, 2 + extensions)


def test_secondary_search_falls_to_the_next_best_until_one_stands():
    text = "(A=5(-5 1) B=4(-4 0) C=3(2 6) D=1(1 1))"
    game = parse_tree(text)
    record = TreeRecord(game)
    result = analyse(game, algorithm="secondary", depth=1, extra=1, record=record)
    assert (result.move, result.value) == (2, 2)
    assert (result.details["confirmed"], result.details["refuted"]) == (3, 2)
    assert result.pv == (2, 0)
    marked = [record.move[row] for row in range(len(record)) if "extended" in record.reason[row].split()]
    assert marked == ["A", "B", "C"]
    assert sum(record.visits) == result.nodes
    # If all fall, the one that falls least is played.
    worse = parse_tree("(A=5(-5 1) B=4(-4 0))")
    assert analyse(worse, algorithm="secondary", depth=1, extra=1).move == 1
    # A line that ends with the game is sure already.
    sure = parse_tree("(5 4 B=4(9 9))")
    assert analyse(sure, algorithm="secondary", depth=1).details["confirmed"] == 0
    with pytest.raises(BadInput, match="extra=0"):
        analyse(game, algorithm="secondary", depth=1, extra=0)


# Forward pruning ------------------------------------------------------------------------------------------------------


def test_forward_pruning_keeps_the_most_promising_moves():
    game = parse_tree("(A=1(1 1) B=7(0 7) C=2(2 2) D=9(-5 9) E=3(8 8))")
    record = TreeRecord(game)
    result = analyse(game, algorithm="forward", depth=2, keep=2, record=record)
    assert (result.move, result.value) == (1, 0)  # B, which is not as good as it looks; E was refused
    refused = [record.move[row] for row in range(len(record)) if record.reason[row] == "refused"]
    assert refused == ["A", "C", "E"]
    assert result.details["refused"] == 3
    assert analyse(game, algorithm="forward", depth=2, keep=3).value == 8
    with pytest.raises(BadInput, match="keep=0"):
        analyse(game, algorithm="forward", keep=0)


def test_forward_pruning_with_all_moves_is_alpha_beta():
    for seed in range(200):
        game = parse_tree(random_tree_text(seed))
        assert for_max(game, analyse(game, algorithm="forward", keep=9)) == minimax_value(game, 0)


def test_plausible_moves_come_from_the_game_where_it_knows_them():
    class Plausible(Maze):
        evaluate = Game.evaluate

        def plausible_actions(self, state):
            return (3, 1) if state[0] else ()

    game = Plausible(8, 2)
    record = TreeRecord(game)
    result = analyse(game, algorithm="forward", keep=1, record=record)
    assert set(result.pv[1:]) == {3}
    below = record.children()
    assert all("refused" not in record.reason[child] for child in below[0])  # nothing plausible: all are looked at
    assert [record.reason[child] for child in below[below[0][0]] if record.place[child] < 2] == ["refused"] * 2

    class Bare(Maze):
        evaluate = Game.evaluate

    with pytest.raises(UnfitGame, match="neither plausible_actions"):
        analyse(Bare(8, 2), algorithm="forward")


# All of them ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("algorithm", EXACT + INEXACT)
def test_deep_trees(algorithm):
    depth = 3_000
    game = parse_tree("max(1 " * depth + "0" + ")" * depth)
    options = {"depth": 4} if algorithm == "deepening" else {}
    assert analyse(game, algorithm=algorithm, **options).value == 1


@pytest.mark.parametrize("algorithm", ["ordering", "table", "symmetry", "singular", "secondary", "forward"])
def test_the_clock_stops_them(algorithm):
    game = load_game("tictactoe")
    options = {"keep": 6} if algorithm == "forward" else {}
    with pytest.raises(OutOfTime, match="nodes"):
        analyse(game, algorithm=algorithm, clock=Clock(nodes=300), **options)


def test_the_clock_stops_quiescence():
    game = random_tree(branching=3, depth=8, seed=1)
    with pytest.raises(OutOfTime):
        analyse(game, algorithm="quiescence", clock=Clock(nodes=300))


@pytest.mark.parametrize("algorithm", [*EXACT, *INEXACT, "symmetry"])
def test_records_close_every_node_and_agree_with_the_result(algorithm):
    games = [parse_tree(random_tree_text(seed)) for seed in range(60)] if algorithm != "symmetry" else []
    for game in [*games, load_game("tictactoe")]:
        state = None if game.name != "tictactoe" else game.state_from_text("X../.O./...")
        if algorithm == "quiescence" and state is not None:
            continue
        for depth in (None, 2) if state is None else (3,):
            record = TreeRecord(game)
            plain = analyse(game, state, algorithm=algorithm, depth=depth)
            result = analyse(game, state, algorithm=algorithm, depth=depth, record=record)
            assert (result.value, result.pv, result.nodes) == (plain.value, plain.pv, plain.nodes)
            assert sum(record.visits) == result.nodes
            assert record.value[0] == for_max(game, result)
            assert record.algorithm == algorithm
            kinds = [event.kind for event in record.events]
            assert kinds.count("enter") == kinds.count("leave") == result.nodes
            if algorithm != "secondary":
                assert all(record.alpha_in[row] < record.beta_in[row] for row in range(len(record)))
            reached = max(record.level[row] for row in range(len(record)) if record.order[row] >= 0)
            assert result.selective == reached
            assert result.depth == (reached if depth is None else min(depth, reached))


@pytest.mark.parametrize("algorithm", ["ordering", "table"])
def test_exact_records_tell_the_truth_about_every_node(algorithm):
    for seed in range(150):
        game = parse_tree(random_tree_text(seed))
        record = TreeRecord(game)
        analyse(game, algorithm=algorithm, record=record)
        states = [0] * len(record)
        for row in range(len(record)):
            if row:
                states[row] = game.result(states[record.parent[row]], record.place[row])
            if record.order[row] < 0:
                continue
            value, true = record.value[row], minimax_value(game, states[row])
            assert {"exact": value == true, "lower": value <= true, "upper": value >= true}[record.bound[row]]


class Broken(Maze):
    """A maze in which one verb misbehaves behind the first ply."""

    def __init__(self, verb: str, answer: Any) -> None:
        super().__init__(8, 3)
        setattr(
            self, verb, lambda state, *player: answer if state[0] >= 3 else getattr(Maze, verb)(self, state, *player)
        )

    def noisy_actions(self, state):
        return ()

    def symmetries(self, state):
        return (state,)


ALL = [
    *EXACT,
    *INEXACT,
    "symmetry",
    "expectiminimax",
    "star1",
    "star2",
    "maxn",
    "paranoid",
    "mcts",
    "montecarlo",
    "proof-number",
    "strategy",
]


@pytest.mark.parametrize("algorithm", ALL)
def test_games_that_break_the_contract_are_named(algorithm):
    for value in (nan, inf, -inf, None):
        with pytest.raises(GameError, match=rf"gives {value} from utility\(\) for '\(\d+, \d\)'"):
            analyse(Broken("utility", value), algorithm=algorithm)
        with pytest.raises(GameError, match=rf"gives {value} from evaluate\(\) for '\(\d+, \d\)'"):
            # Monte Carlo tree search counts the plies of its playouts.
            analyse(Broken("evaluate", value), algorithm=algorithm, depth=1 if algorithm == "mcts" else 4)
    with pytest.raises(GameError, match=r"has no moves at '\(\d, \d\)', but the game is not over"):
        analyse(Broken("actions", ()), algorithm=algorithm)
    with pytest.raises(GameError, match=r"has no moves at '\(4, \d\)', but the game is not over"):
        analyse(Broken("actions", ()), (4, 0), algorithm=algorithm)


@pytest.mark.parametrize("algorithm", ALL)
def test_depths_that_are_not_possible(algorithm):
    with pytest.raises(BadInput, match="depth of -1"):
        analyse(Broken("label", ""), algorithm=algorithm, depth=-1)

    class Bare(Maze):
        evaluate = Game.evaluate
        symmetries = noisy_actions = plausible_actions = Broken.symmetries

    with pytest.raises(UnfitGame, match=r"evaluate\(\)"):
        analyse(Bare(8, 3), algorithm=algorithm, depth=2)


SCRIPT = """
import json
from gametree import load_algorithm, load_game, TreeRecord
told = {}
for name, game, options in [
    ("ordering", "tictactoe", {}), ("table", "tictactoe", {"size": 100}), ("symmetry", "tictactoe", {"size": 50}),
    ("deepening", "tictactoe", {"depth": 6}), ("singular", "tictactoe", {"depth": 4}), ("forward", "tictactoe", {}),
    ("secondary", "tictactoe", {"depth": 4}), ("quiescence", "tree:branching=3,depth=6,seed=1", {"depth": 3}),
    ("star1", "pig:target=6,turns=2", {}), ("star2", "pig:target=6,turns=2", {}), ("maxn", "tictactoe3", {"depth": 4}),
    ("paranoid", "tictactoe3", {"depth": 5}), ("expectiminimax", "pig:target=6,turns=2", {}),
    ("mcts", "tictactoe3", {"simulations": 300}), ("montecarlo", "kuhn", {"simulations": 300}),
    ("mcts", "pig", {"simulations": 300}), ("montecarlo", "goofspiel:cards=5,prizes=up", {"simulations": 300}),
    ("proof-number", "tictactoe", {}), ("strategy", "nim:1-2-3", {}),
]:
    game = load_game(game)
    result = load_algorithm(name)[1](game, record=TreeRecord(game), **options)
    data = result.to_data(game)
    del data["seconds"]
    told[f"{name} {game.name}"] = data
print(json.dumps(told, sort_keys=True))
"""


def test_a_second_process_finds_the_same_in_the_same_way():
    runs = []
    for seed in ("1", "2"):
        done = subprocess.run(
            [sys.executable, "-c", SCRIPT],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        )
        runs.append(json.loads(done.stdout))
    assert runs[0] == runs[1]
    assert len(runs[0]) == 19
    assert all(abs(data["value"]) < inf for data in runs[0].values())
