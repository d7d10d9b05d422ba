"""Every exact search of two-player games, held against the definition of minimax and against each other."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from collections.abc import Callable, Iterator
from math import inf, nan
from typing import Any

import pytest
from oracle import minimax_value, random_tree_text

from gametree.core.clock import Clock
from gametree.core.errors import BadInput, GameError, OutOfTime, UnfitGame
from gametree.core.facts import Facts
from gametree.core.game import MAX, Game
from gametree.core.record import LEAF, TreeRecord
from gametree.core.registry import load_algorithm, load_game
from gametree.core.result import SearchResult
from gametree.games.tree import DrawnTree, parse_tree

NAMES = [
    "minimax",
    "minimax-labelling",
    "minimax-list",
    "alphabeta",
    "alphabeta-failhard",
    "alphabeta-list",
    "negamax",
    "aspiration",
    "scout",
    "negascout",
    "mtdf",
    "sss",
]
WITHOUT_CUTS = ["minimax", "minimax-labelling", "minimax-list"]
ONE_WINDOW = ["alphabeta", "alphabeta-failhard", "alphabeta-list", "negamax"]
WITH_WINDOW = ["alphabeta", "alphabeta-failhard", "negamax", "negascout"]
DEPTH_FIRST = [name for name in NAMES if name not in ("minimax-labelling", "sss")]
SEARCH: dict[str, Callable[..., SearchResult]] = {name: load_algorithm(name)[1] for name in NAMES}

LECTURE_TREE = "((3 12 8) (2 4 6) (14 5 2))"


def for_max(game: Game[Any, Any], result: SearchResult) -> float:
    """The result's value as MAX sees it."""
    return result.value if result.player == MAX else (game.facts.utility_sum or 0) - result.value


def node_values(tree: DrawnTree) -> dict[int, float]:
    """The minimax value of every node, for MAX. Children have greater numbers than their parents."""
    values: dict[int, float] = {}
    for node in range(len(tree._children) - 1, -1, -1):
        below = [values[tree.result(node, action)] for action in tree.actions(node)]
        if not below:
            values[node] = type(tree).utility(tree, node, MAX)
        else:
            values[node] = max(below) if tree.player(node) == MAX else min(below)
    return values


def log_leaves(tree: DrawnTree) -> list[int]:
    """From now on, the leaves whose utility is asked for, in order."""
    looked_at: list[int] = []

    def utility(state: int, player: int) -> float:
        looked_at.append(state)
        return type(tree).utility(tree, state, player)

    tree.utility = utility  # type: ignore[method-assign]
    return looked_at


def visited_leaves(tree: DrawnTree, record: TreeRecord) -> set[int]:
    """The terminal nodes that a record shows as visited, as states."""
    states = [0] * len(record)
    for row in range(1, len(record)):
        states[row] = tree.result(states[record.parent[row]], record.place[row])
    return {states[row] for row in range(len(record)) if record.order[row] >= 0 and record.player[row] == LEAF}


def variants(seed: int) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Every algorithm as it comes, and those that take a guess with good and bad ones: (key, name, options)."""
    rng = random.Random(seed)
    for name in NAMES:
        yield name, name, {}
    yield "aspiration, any guess", "aspiration", {"guess": rng.uniform(-3, 3), "margin": rng.choice([1e-300, 0.2, 5])}
    yield "mtdf, any guess", "mtdf", {"guess": rng.choice([rng.uniform(-3, 3), rng.randint(-9, 9)])}
    yield "mtdf, +inf", "mtdf", {"guess": inf}
    yield "mtdf, -inf", "mtdf", {"guess": -inf}


# Values, moves and leaves on 10,000 trees -----------------------------------------------------------------------------


@pytest.mark.parametrize("block", range(20))
def test_all_agree_with_minimax_on_random_trees_and_look_at_the_leaves_that_theory_allows(block: int) -> None:
    for seed in range(block * 500, (block + 1) * 500):
        text = random_tree_text(seed)
        tree = parse_tree(text)
        values = node_values(tree)
        looked_at = log_leaves(tree)
        leaves: dict[str, list[int]] = {}
        for key, name, options in variants(seed):
            where = f"{key} on seed {seed}: {text}"
            looked_at.clear()
            result = SEARCH[name](tree, **options)
            leaves[key] = list(looked_at)

            # 1. The value is minimax's, the move keeps it, and the principal variation ends in a leaf of that value.
            assert for_max(tree, result) == values[0], where
            assert result.bound == "exact", where
            assert (result.move is None) == tree.is_terminal(0), where
            place = 0
            for action in result.pv:
                place = tree.result(place, action)
                assert values[place] == values[0], where
            assert tree.is_terminal(place), where
            assert result.move == (result.pv[0] if result.pv else None), where
            assert result.depth <= tree.facts.longest_game, where
            if result.pv and name not in ("mtdf", "sss"):
                best = [action for action in tree.actions(0) if values[tree.result(0, action)] == values[0]]
                assert result.move == best[0], where

        # 2. Minimax looks at every leaf once.
        everything = {node for node in values if tree.is_terminal(node)}
        for name in WITHOUT_CUTS:
            assert sorted(leaves[name]) == sorted(everything), f"{name} on {text}"

        # 3. Alpha-beta is one algorithm in four forms: the same leaves in the same order, each once.
        alphabeta = leaves["alphabeta"]
        assert len(set(alphabeta)) == len(alphabeta), text
        for name in ONE_WINDOW:
            assert leaves[name] == alphabeta, f"{name} on {text}"

        # 4. On a tree in a fixed order, a narrower window makes alpha-beta look at no leaf that it would not look at
        #    with a wider one, since at every node below the narrower window stays inside the wider one. NegaScout
        #    (Reinefeld, 1983), aspiration and the passes of MTD(f) from any first guess (Plaat and others, 1996) are
        #    alpha-beta with windows inside (−∞, +∞), so none sees a leaf that plain alpha-beta does not see. The same
        #    holds for SSS* (Stockman, 1979). It is about distinct leaves: some are looked at again.
        for key in leaves:
            if key not in (*WITHOUT_CUTS, "scout"):
                assert set(leaves[key]) <= set(alphabeta), f"{key} on seed {seed}: {text}"

        # 5. MTD from +∞ is SSS*: the same leaves in the same order (Plaat and others, 1996), and memory spares the
        #    second look at each, as the list OPEN does.
        assert leaves["mtdf, +inf"] == leaves["sss"], text
        assert len(set(leaves["sss"])) == len(leaves["sss"]), text


def test_random_trees_have_everything_that_could_go_wrong() -> None:
    trees = [parse_tree(random_tree_text(seed)) for seed in range(500)]
    leaves = [[tree.utility(node, MAX) for node in node_values(tree) if tree.is_terminal(node)] for tree in trees]
    assert any(tree.is_terminal(0) for tree in trees)
    assert any(len(set(values)) < len(values) for values in leaves)
    assert any(value < 0 for values in leaves for value in values)
    assert any(value != int(value) for values in leaves for value in values)
    assert {tree.facts.utility_sum for tree in trees} == {0.0, 1.0}
    assert {tree.player(0) for tree in trees} == {0, 1}
    again = [
        (tree, node)
        for tree in trees
        for node in node_values(tree)
        for action in tree.actions(node)
        if not tree.is_terminal(tree.result(node, action))
        and tree.player(node) == tree.player(tree.result(node, action))
    ]
    assert len(again) > 100


def test_scout_may_look_at_a_leaf_that_alphabeta_skips() -> None:
    # The test says that the second move beats 5, thanks to the 7. EVAL then starts afresh below it and no longer knows
    # that a 4 is too little there, so it looks at the 6 beside it. NegaScout carries the window along instead.
    tree = parse_tree("(5 (((4 x=6) 7)))")
    looked_at = log_leaves(tree)
    skipped = {}
    for name in ("alphabeta", "scout", "negascout"):
        looked_at.clear()
        assert SEARCH[name](tree).value == 7
        skipped[name] = tree.state_from_text("x") not in looked_at
    assert skipped == {"alphabeta": True, "scout": False, "negascout": True}


# How much is saved ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", [*ONE_WINDOW, "negascout", "sss"])
@pytest.mark.parametrize("branching", [2, 3, 4])
@pytest.mark.parametrize("real", ["true", "false"])
def test_ideally_ordered_trees_need_the_minimal_number_of_leaves(name: str, branching: int, real: str) -> None:
    for depth in range(1, 7):
        tree = load_game(f"tree:branching={branching},depth={depth},seed={depth},ordering=best,real={real}")
        looked_at = log_leaves(tree)
        SEARCH[name](tree)
        assert len(set(looked_at)) == branching ** -(-depth // 2) + branching ** (depth // 2) - 1


@pytest.mark.parametrize("name", [*ONE_WINDOW, "negascout", "scout"])
def test_lecture_tree_skips_exactly_the_leaves_4_and_6(name: str) -> None:
    tree = parse_tree(LECTURE_TREE)
    record = TreeRecord(tree)
    result = SEARCH[name](tree, record=record)
    assert (result.value, result.move, result.pv) == (3, 0, (0, 0))
    skipped = [(record.path(row), record.reason[row]) for row in record.unvisited()]
    assert skipped == [(["2", "2"], "pruned"), (["2", "3"], "pruned")]


def test_minimax_on_tictactoe_visits_the_whole_tree() -> None:
    result = SEARCH["minimax"](load_game("tictactoe"))
    assert (result.value, result.nodes, result.leaves, result.depth) == (0, 549946, 255168, 9)


@pytest.mark.parametrize("name", [name for name in NAMES if name not in WITHOUT_CUTS])
def test_cuts_save_most_of_tictactoe(name: str) -> None:
    result = SEARCH[name](load_game("tictactoe"))
    assert result.value == 0
    assert result.nodes < 549946 / 10
    assert len(result.pv) == 9


@pytest.mark.parametrize("name", ["minimax-list", "alphabeta-list"])
def test_lists_stay_short(name: str) -> None:
    result = SEARCH[name](load_game("tree:branching=3,depth=7,seed=1"))
    assert result.details["longest_list"] <= 1 + 3 * 7


# Depth limits ---------------------------------------------------------------------------------------------------------


def test_depth_limited_searches_agree_on_tictactoe() -> None:
    game = load_game("tictactoe")
    rng = random.Random("positions")
    for plies in [0, 1, 2, 3, 4, 5, 6, 7]:
        state = game.initial()
        for _ in range(plies):
            if not game.is_terminal(state):
                state = game.result(state, rng.choice(game.actions(state)))
        for depth in [0, 1, 2, 3, 4]:
            expected = minimax_value(game, state, depth)
            for key, name, options in variants(plies):
                result = SEARCH[name](game, state, depth=depth, **options)
                where = f"{key} at {game.state_text(state)} to depth {depth}"
                assert for_max(game, result) == expected, where
                assert result.depth <= depth, where
                if depth and not game.is_terminal(state):
                    child = game.result(state, result.move)
                    assert minimax_value(game, child, depth - 1) == expected, where


def test_depth_limited_searches_agree_on_random_trees() -> None:
    for seed in range(10_000, 10_300):
        tree = parse_tree(random_tree_text(seed))
        for depth in [0, 1, 2, 3]:
            expected = minimax_value(tree, 0, depth)
            for key, name, options in variants(seed):
                assert for_max(tree, SEARCH[name](tree, depth=depth, **options)) == expected, (key, seed, depth)


# Windows --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", WITH_WINDOW)
def test_windows_keep_their_promise(name: str) -> None:
    outcomes = set()
    for seed in range(1000):
        tree = parse_tree(random_tree_text(seed))
        true = node_values(tree)[0]
        rng = random.Random(f"window {seed}")
        alpha, beta = sorted([rng.choice([-inf, rng.uniform(-2, 2), true, rng.randint(-9, 9)]), rng.uniform(-2, 2)])
        record = TreeRecord(tree)
        result = SEARCH[name](tree, window=(alpha, beta), record=record)
        value = for_max(tree, result)
        if alpha < value < beta:
            assert value == true
            assert result.bound == "exact"
        elif value <= alpha:
            assert true <= value
            assert result.bound == ("upper" if result.player == MAX else "lower")
        else:
            assert true >= value
            assert result.bound == ("lower" if result.player == MAX else "upper")
        if name == "alphabeta-failhard" and not tree.is_terminal(0):
            assert value == min(max(true, alpha), beta)
        assert (record.alpha_in[0], record.beta_in[0]) == (alpha, beta)
        outcomes.add(result.bound)
    assert outcomes == {"exact", "upper", "lower"}


@pytest.mark.parametrize("name", WITH_WINDOW)
@pytest.mark.parametrize("window", [(1, 1), (2, 1), (nan, 1), (1,), "wide", None])
def test_impossible_windows_are_refused(name: str, window: Any) -> None:
    with pytest.raises(BadInput, match=r"window of .* expected two numbers"):
        SEARCH[name](parse_tree(LECTURE_TREE), window=window)


def test_null_windows_of_width_1_would_be_wrong_for_reals() -> None:
    # 0.5 and 0.25 are less than 1 apart: with the null window (0.25, 1.25) the 0.5 would pass for a mere bound.
    for name in NAMES:
        result = SEARCH[name](parse_tree("((0.25 7) (0.5 9))"))
        assert (result.value, result.move) == (0.5, 1)


def test_negascout_does_not_search_a_better_leaf_again() -> None:
    result = SEARCH["negascout"](parse_tree("(1 2 3 4)"))
    assert (result.value, result.nodes, result.details["researches"]) == (4, 5, 0)
    assert SEARCH["negascout"](parse_tree("(1 2 3 (4 5))"), depth=1).details["researches"] == 0
    assert SEARCH["negascout"](parse_tree("(1 2 3 (4 5))")).details["researches"] == 1


# Guesses --------------------------------------------------------------------------------------------------------------


def test_aspiration_searches_again_only_where_the_guess_is_wrong() -> None:
    tree = parse_tree(LECTURE_TREE)
    for guess, failed in [(3, ""), (2.5, ""), (9, "low"), (-9, "high"), (4, "low"), (2, "high")]:
        result = SEARCH["aspiration"](tree, guess=guess, margin=1)
        assert result.value == 3
        assert result.details["failed"] == failed
        assert result.details["researches"] == bool(failed)


@pytest.mark.parametrize(
    "options", [{"margin": 0}, {"margin": -1}, {"margin": nan}, {"guess": nan}, {"guess": inf}, {"guess": "three"}]
)
def test_aspiration_refuses_impossible_options(options: dict[str, Any]) -> None:
    with pytest.raises(BadInput, match=r"A (margin|guess) of .* is not possible; expected a"):
        SEARCH["aspiration"](parse_tree(LECTURE_TREE), **options)


def test_mtdf_refuses_a_guess_that_is_no_number() -> None:
    with pytest.raises(BadInput, match="guess of nan"):
        SEARCH["mtdf"](parse_tree(LECTURE_TREE), guess=nan)


def test_mtdf_needs_two_passes_from_a_perfect_guess_and_merges_equal_states() -> None:
    game = load_game("tictactoe")
    result = SEARCH["mtdf"](game, guess=0)
    assert (result.value, result.details["passes"]) == (0, 2)
    assert result.details["stored"] < 5478


def test_guess_defaults_to_the_evaluation_or_the_middle_of_the_utilities() -> None:
    assert SEARCH["mtdf"](load_game("tictactoe")).details["guess"] == 0
    assert SEARCH["mtdf"](parse_tree("B=2.5(1 5)")).details["guess"] == 2.5
    assert SEARCH["mtdf"](Steps(low=0, high=3)).details["guess"] == 1.5
    assert SEARCH["aspiration"](Steps(low=0, high=4)).details["guess"] == 2


# The record -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", NAMES)
def test_the_record_tells_the_truth_about_every_node(name: str) -> None:
    for seed in range(300):
        tree = parse_tree(random_tree_text(seed))
        values = node_values(tree)
        plain = SEARCH[name](tree)
        record = TreeRecord(parse_tree(random_tree_text(seed)))  # a game of its own, so that only the search is logged
        looked_at = log_leaves(tree)
        result = SEARCH[name](tree, record=record)
        where = f"{name} on seed {seed}: {random_tree_text(seed)}"
        assert (result.value, result.pv, result.nodes) == (plain.value, plain.pv, plain.nodes), where
        assert record.algorithm == name
        assert visited_leaves(tree, record) == set(looked_at), where
        assert sum(record.visits) == result.nodes, where
        assert (record.value[0], record.bound[0]) == (values[0], "exact"), where
        states = [0] * len(record)
        for row in range(len(record)):
            if row:
                states[row] = tree.result(states[record.parent[row]], record.place[row])
            value, true = record.value[row], values[states[row]]
            if record.order[row] < 0:
                utility = true if tree.is_terminal(states[row]) else None
                assert (value, record.bound[row], record.reason[row]) == (utility, "", "pruned"), where
            elif record.bound[row] == "exact":
                assert value == true, where
            elif record.bound[row] == "lower":
                assert value <= true, where
            elif record.bound[row] == "upper":
                assert value >= true, where
            else:
                assert (name, value) == ("sss", None), where
            assert record.alpha_in[row] < record.beta_in[row], where
            missing = len(tree.actions(states[row])) - sum(above == row for above in record.parent)
            assert missing == 0 or record.order[row] < 0, where
        orders = sorted(order for order in record.order if order >= 0)
        assert orders == list(range(len(orders))), where
        assert TreeRecord.from_json(record.to_json()).to_data() == record.to_data()


def test_sss_jumps_from_strategy_to_strategy_by_merit() -> None:
    # One leaf of each MIN node first; then the strategy through 14 has the most merit and is followed until it sinks
    # to 2; then the one through 3, which nothing sinks any further.
    tree = parse_tree(LECTURE_TREE)
    record = TreeRecord(tree)
    SEARCH["sss"](tree, record=record)
    leaves = sorted((record.order[row], row) for row in range(len(record)) if record.player[row] == LEAF)
    visited = [(record.value[row], record.beta_in[row]) for order, row in leaves if order >= 0]
    assert visited == [(3, inf), (2, inf), (14, inf), (5, 14), (2, 5), (12, 3), (8, 3)]
    assert [record.value[row] for row in record.skipped_leaves()] == [4, 6]
    replies = [(record.value[row], record.bound[row]) for row in range(len(record)) if record.level[row] == 1]
    assert replies == [(3, "exact"), (2, "upper"), (2, "upper")]
    entered = [event.node for event in record.events if event.kind == "enter"]
    assert entered == sorted(range(len(record)), key=record.order.__getitem__)[2:]
    assert [event.node for event in record.events][-1] == 0


@pytest.mark.parametrize("name", DEPTH_FIRST)
def test_depth_first_records_close_every_node_that_they_open(name: str) -> None:
    tree = parse_tree(LECTURE_TREE)
    record = TreeRecord(tree)
    SEARCH[name](tree, record=record)
    kinds = [event.kind for event in record.events]
    assert kinds.count("enter") == kinds.count("leave") == sum(record.visits)


def test_researched_nodes_are_marked() -> None:
    tree = parse_tree(LECTURE_TREE)
    for name, options in [("aspiration", {"guess": 9, "margin": 1}), ("mtdf", {"guess": 9})]:
        record = TreeRecord(tree)
        SEARCH[name](tree, record=record, **options)
        assert record.visits[0] >= 2
        assert "researched" in record.reason[0]
    record = TreeRecord(tree)
    SEARCH["mtdf"](tree, record=record, guess=9)
    assert any("table" in reason for reason in record.reason)


@pytest.mark.parametrize("name", NAMES)
def test_records_mark_where_the_depth_limit_stopped(name: str) -> None:
    tree = parse_tree("((1 2) (3 4))")
    record = TreeRecord(tree)
    SEARCH[name](tree, depth=1, record=record)
    # The last pass of MTD(f) finds what the first one left in memory.
    stopped_by = "table" if name == "mtdf" else "depth"
    assert all(stopped_by in record.reason[row].split() for row in (1, 2))


@pytest.mark.parametrize("name", ["minimax-labelling", "sss"])
def test_full_records_stay_whole_and_used_ones_are_refused(name: str) -> None:
    tree = load_game("tree:branching=3,depth=4,seed=1")
    record = TreeRecord(tree, limit=20)
    result = SEARCH[name](tree, record=record)
    assert result.value == SEARCH["minimax"](tree).value
    assert (len(record), record.truncated) == (20, True)
    assert record.parent.count(-1) == 1
    with pytest.raises(BadInput, match="holds 20 nodes of another search"):
        SEARCH[name](tree, record=record)


# Roots, limits and refusals -------------------------------------------------------------------------------------------


class Steps(Game[int, int]):
    """Seats take turns to add 1 or 2, up to 9; facts as asked for, so that each can be refused."""

    name = "steps"

    def __init__(self, *, low: float = 0, high: float = 10, **facts: Any) -> None:
        self.facts = Facts(**{"utility_sum": 10, "min_utility": low, "max_utility": high, **facts})

    def initial(self) -> int:
        return 0

    def player(self, state: int) -> int:
        return state % 2

    def actions(self, state: int) -> list[int]:
        return [] if self.is_terminal(state) else [1, 2]

    def result(self, state: int, action: int) -> int:
        return state + action

    def is_terminal(self, state: int) -> bool:
        return state >= 9

    def utility(self, state: int, player: int) -> float:
        return 10 - (state - 9) * 7 if player else (state - 9) * 7


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    ("facts", "fact"),
    [
        ({"players": 3}, "players is 3"),
        ({"chance": True}, "chance is True"),
        ({"hidden": True}, "hidden is True"),
        ({"simultaneous": True}, "simultaneous is True"),
        ({"utility_sum": None}, "utility_sum is None"),
    ],
)
def test_unfit_games_are_refused_by_the_fact(name: str, facts: dict[str, Any], fact: str) -> None:
    with pytest.raises(UnfitGame, match=f"^{name} cannot search steps: its fact {fact}, but {name} needs "):
        SEARCH[name](Steps(**facts))


@pytest.mark.parametrize("name", NAMES)
def test_depth_limits_are_refused_without_an_evaluation_or_below_0(name: str) -> None:
    with pytest.raises(UnfitGame, match=r"does not define evaluate\(\)"):
        SEARCH[name](Steps(), depth=2)
    with pytest.raises(BadInput, match="depth of -1"):
        SEARCH[name](parse_tree(LECTURE_TREE), depth=-1)


@pytest.mark.parametrize("name", NAMES)
def test_constant_sums_speak_for_the_mover(name: str) -> None:
    for state in (0, 1, 7, 8):
        result = SEARCH[name](Steps(), state)
        expected = minimax_value(Steps(), state)
        assert (result.player, result.value) == (state % 2, 10 - expected if state % 2 else expected)


@pytest.mark.parametrize("name", NAMES)
def test_terminal_roots_have_a_value_and_no_move(name: str) -> None:
    result = SEARCH[name](parse_tree("7"))
    assert (result.value, result.move, result.pv, result.leaves, result.depth) == (7, None, (), result.leaves, 0)
    assert SEARCH[name](Steps(), 10).value == 7


@pytest.mark.parametrize("name", NAMES)
def test_leaves_without_a_value_are_named_where_they_are_needed(name: str) -> None:
    with pytest.raises(GameError, match="'x'"):
        SEARCH[name](parse_tree("(1 (x 2))"))


@pytest.mark.parametrize("name", [name for name in NAMES if name not in WITHOUT_CUTS])
def test_leaves_without_a_value_do_no_harm_where_they_are_cut(name: str) -> None:
    assert SEARCH[name](parse_tree("max(3, min(2, x, y))")).value == 3


@pytest.mark.parametrize("name", NAMES)
def test_positions_without_moves_that_are_not_over_are_an_error(name: str) -> None:
    game = Steps()
    game.actions = lambda state: []  # type: ignore[method-assign]
    with pytest.raises(GameError, match="steps has no"):
        SEARCH[name](game)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("value", [nan, inf, -inf, None])
def test_values_that_are_no_finite_numbers_are_named(name: str, value: Any) -> None:
    game = Steps()
    game.utility = lambda state, player: value  # type: ignore[method-assign]
    with pytest.raises(
        GameError, match=rf"steps gives {value} from utility\(\) for '(9|10)'; expected a finite number"
    ):
        SEARCH[name](game)
    tree = parse_tree(LECTURE_TREE)
    tree.evaluate = lambda state, player: value  # type: ignore[method-assign]
    with pytest.raises(GameError, match=rf"gives {value} from evaluate\(\) for '(root|\d)'; expected a finite number"):
        SEARCH[name](tree, depth=1)


@pytest.mark.parametrize("name", NAMES)
def test_the_clock_stops_the_search(name: str) -> None:
    game = load_game("tictactoe")
    with pytest.raises(OutOfTime, match=r"stopped after .* and 512 nodes"):
        SEARCH[name](game, clock=Clock(nodes=500))
    stopped = Clock()
    stopped.stop()
    with pytest.raises(OutOfTime, match="and 256 nodes"):
        SEARCH[name](game, clock=stopped)
    assert SEARCH[name](game, depth=2, clock=Clock(60)).complete


def test_aspiration_counts_both_searches_against_the_clock() -> None:
    game = load_game("tree:branching=3,depth=6,seed=4,values=0..100")
    first = SEARCH["alphabeta"](game, window=(-101, -100)).nodes
    whole = SEARCH["aspiration"](game, guess=-100.5, margin=0.5)
    assert whole.nodes > first + 256
    with pytest.raises(OutOfTime):
        SEARCH["aspiration"](game, guess=-100.5, margin=0.5, clock=Clock(nodes=first + 1))


@pytest.mark.parametrize("name", NAMES)
def test_very_deep_trees_do_not_break_the_stack(name: str) -> None:
    plies = 20_000
    limit = sys.getrecursionlimit()
    chain = parse_tree("(" * plies + "7" + ")" * plies)
    record = TreeRecord(chain)
    result = SEARCH[name](chain, record=record)
    assert (result.value, len(result.pv), result.depth, len(record)) == (7, plies, plies, plies + 1)
    assert sys.getrecursionlimit() == limit


@pytest.mark.parametrize("name", NAMES)
def test_deep_trees_with_side_branches(name: str) -> None:
    plies = 500
    tree = parse_tree("".join(f"({5 if level % 2 else -5} " for level in range(plies)) + "1" + ")" * plies)
    result = SEARCH[name](tree)
    assert (result.value, len(result.pv)) == (1, plies)


# One answer, in every process -----------------------------------------------------------------------------------------

ANSWERS = """
import json, sys
from gametree.core.registry import load_algorithm, load_game
games = ["tictactoe", "tree:branching=3,depth=5,seed=11", "tree:branching=4,depth=4,seed=12,real=true,uneven=0.2"]
answers = []
for name in sys.argv[1:]:
    for text in games:
        game = load_game(text)
        result = load_algorithm(name)[1](game, depth=5).to_data(game)
        del result["seconds"]
        answers.append(result)
print(json.dumps(answers))
"""


def test_two_fresh_processes_give_the_same_answers() -> None:
    outputs = []
    for hash_seed in ("1", "2"):
        process = subprocess.run(
            [sys.executable, "-c", ANSWERS, *NAMES],
            env={**os.environ, "PYTHONHASHSEED": hash_seed},
            capture_output=True,
            text=True,
            check=True,
        )
        outputs.append(process.stdout)
    assert outputs[0] == outputs[1]
    answers = json.loads(outputs[0])
    assert len(answers) == 3 * len(NAMES)
    for game in range(3):
        assert len({answer["value"] for answer in answers[game::3]}) == 1
