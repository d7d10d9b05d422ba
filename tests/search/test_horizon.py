"""What a search says of its horizon: whether a deeper one could find another value, and how deep it went in full."""

from __future__ import annotations

import copy
import dataclasses
from typing import Any

import pytest
from oracle import minimax_value, random_tree_text

from gametree.core.clock import Clock
from gametree.core.errors import UnfitGame
from gametree.core.facts import check_fit
from gametree.core.game import Game
from gametree.core.registry import algorithm_names, load_algorithm, load_game
from gametree.core.result import SearchResult
from gametree.games.tree import parse_tree
from gametree.play.analysis import analyse, fits
from gametree.search.compiled.engine import Engine
from gametree.search.textbook import mcts, table


def searches(game: Game[Any, Any], *, compiled: bool = False) -> list[str]:
    """Every algorithm that takes a depth and fits the game."""
    found = []
    for name in algorithm_names():
        facts = load_algorithm(name)[0]
        if facts.takes_depth and fits(facts, game) and (compiled or name not in ("engine", "fast-expectiminimax")):
            found.append(name)
    return found


def run(name: str, game: Game[Any, Any], state: Any = None, **options: Any) -> SearchResult:
    result: SearchResult = load_algorithm(name)[1](game, state, **options)
    assert result.selective >= result.depth >= 0
    assert not (result.bound == "exact" and result.horizon)
    return result


# Readable searches ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", searches(load_game("tictactoe"), compiled=True))
def test_a_search_of_the_whole_game_has_no_horizon_and_a_limited_one_has(name):
    game = load_game("tictactoe")
    state = game.state_from_text("XO./.X./..O")  # five plies are left, and X wins
    if name != "forward":
        for depth in (None, 5, 9):
            whole = run(name, game, state, depth=depth)
            assert (whole.value, whole.bound, whole.horizon) == (1, "exact", False), depth
    limited = run(name, game, depth=2)
    assert (limited.horizon, limited.depth) == (True, 2)
    assert limited.bound != "exact"
    nothing = run(name, game, depth=0)
    assert (nothing.horizon, nothing.bound, nothing.depth, nothing.selective) == (True, "estimate", 0, 0)
    over = game.state_from_text("XXX/OO./...")
    ended = run(name, game, over, depth=2)
    assert (ended.horizon, ended.bound, ended.depth) == (False, "exact", 0)


@pytest.mark.parametrize("seed", range(12))
def test_without_a_horizon_the_value_is_that_of_the_whole_tree(seed):
    """Drawn trees end at different depths, so that some limits are beyond the end of all that matters."""
    game = parse_tree(random_tree_text(seed))
    whole = minimax_value(game, 0)
    seen = set()
    for name in searches(game):
        for depth in range(6):
            result = run(name, game, depth=depth)
            seen.add(result.horizon)
            value = result.value if result.player == 0 else (game.facts.utility_sum or 0) - result.value
            # Proof-number search asks less than the value, and its bounds are right.
            if result.bound == "exact" or not (result.horizon or name == "proof-number"):
                assert value == whole, (name, depth)
    assert False in seen


def test_moves_that_were_left_out_are_a_horizon():
    game = load_game("tictactoe")
    state = game.state_from_text("XO./.X./..O")
    few = run("forward", game, state, keep=2)
    assert few.details["refused"] > 0
    assert (few.bound, few.horizon, few.depth) == ("estimate", True, few.selective)
    every = run("forward", game, state, keep=9)
    assert (every.value, every.bound, every.horizon) == (1, "exact", False)
    # A guess at the order of moves, or at the value, is no value.
    assert not run("forward", load_game("nim:1-2"), keep=9).horizon
    assert not run("aspiration", game, state).horizon
    assert not run("mtdf", game, state).horizon


@pytest.mark.parametrize(
    ("name", "game", "position"),
    [
        ("quiescence", "connect4", "4455"),
        ("singular", "connect4", "4455"),
        ("secondary", "tictactoe", ""),
        ("engine", "connect4", "4455"),
    ],
)
def test_extensions_go_beyond_the_depth_that_was_finished(name, game, position):
    rules = load_game(game)
    result = run(name, rules, rules.state_from_text(position) if position else None, depth=3)
    assert (result.depth, result.horizon) == (3, True)
    if name != "engine":
        assert result.selective > 3


def test_what_an_earlier_search_left_in_the_table_keeps_its_horizon():
    game = load_game("tictactoe")
    memory: dict[str, Any] = {}
    first = table.search(game, depth=4, memory=memory)
    again = table.search(game, depth=4, memory=memory)
    assert again.nodes == 1  # the table alone answers
    assert (again.value, again.horizon, again.bound, again.depth) == (first.value, True, "estimate", 4)
    state = game.state_from_text("XO./.X./..O")
    table.search(game, state, depth=9, memory=memory)
    known = table.search(game, state, depth=9, memory=memory)
    assert (known.nodes, known.bound, known.horizon) == (1, "exact", False)


def test_deepening_goes_on_while_there_is_a_horizon():
    """Also with a compiled search, which never asks EVAL where Python could see it."""
    game = load_game("einstein")
    result = analyse(game, algorithm="fast-expectiminimax", nodes=20_000)
    assert (result.algorithm, result.bound, result.horizon, result.complete) == ("deepening", "estimate", True, False)
    assert result.depth == result.details["iterations"][-1]["depth"] > 3
    for name in ("ordering", "fast-expectiminimax", "singular"):
        rules = load_game("tictactoe")
        state = rules.state_from_text("XO./.X./..O")
        whole = run("deepening", rules, state, algorithm=name)
        assert (whole.value, whole.bound, whole.horizon, whole.complete) == (1, "exact", False, True)
        assert whole.details["iterations"][-1]["depth"] == 5
    stopped = run("deepening", load_game("tictactoe"), algorithm="ordering", clock=Clock(nodes=200))
    assert (stopped.complete, stopped.bound, stopped.horizon) == (False, "estimate", True)
    assert stopped.depth == stopped.details["iterations"][-1]["depth"]
    refusing = run("deepening", load_game("tictactoe"), algorithm="forward")
    assert (refusing.complete, refusing.horizon, refusing.bound) == (True, True, "estimate")


# Sampling -------------------------------------------------------------------------------------------------------------


def test_random_games_are_a_horizon_and_proofs_are_none():
    game = load_game("tictactoe")
    few = run("mcts", game, simulations=5)
    assert (few.horizon, few.bound, few.depth, few.selective) == (True, "estimate", 0, 1)
    assert run("mcts", game, simulations=9).depth == 1
    many = run("mcts", game, simulations=2000)
    assert many.horizon
    assert 1 < many.depth < many.selective
    assert (run("montecarlo", game).horizon, run("montecarlo", game).depth) == (True, 1)
    over = game.state_from_text("XXX/OO./...")
    for name in ("mcts", "montecarlo", "fast-mcts"):
        ended = run(name, game, over)
        assert (ended.horizon, ended.bound, ended.depth) == (False, "exact", 0)
    assert (run("fast-mcts", game, simulations=5).depth, run("fast-mcts", game, simulations=9).depth) == (0, 1)
    guessed = run("fast-mcts", game, simulations=300)
    assert (guessed.horizon, guessed.bound) == (True, "estimate")
    proven = run("fast-mcts", game, game.state_from_text("XO./.X./..O"))
    assert (proven.value, proven.horizon, proven.bound) == (1, False, "exact")


def test_plies_that_a_tree_holds_in_full_are_counted_right():
    game = load_game("tictactoe")
    root = mcts._Node(game, game.state_from_text("XOX/OXO/.X."), None, 2)  # two squares are empty
    assert mcts._whole_plies(root) == 0
    for place, action in enumerate(root.actions):
        root.children[place] = mcts._Node(game, game.result(root.state, action), action, 2)
    assert mcts._whole_plies(root) == 1
    for node in root.children.values():
        for place, action in enumerate(node.actions):
            node.children[place] = mcts._Node(game, game.result(node.state, action), action, 2)
    assert mcts._whole_plies(root) == (2 if any(node.actions for node in root.children.values()) else 1)


def test_a_proof_that_was_cut_short_has_a_horizon():
    game = load_game("tictactoe")
    proof = run("proof-number", game, game.state_from_text("XO./.X./..O"))
    assert (proof.bound, proof.horizon) == ("exact", False)
    short = run("proof-number", game, most_nodes=300)
    assert (short.bound, short.horizon, short.complete) == ("estimate", True, False)
    assert 1 <= short.depth < short.selective


# Compiled searches ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("pruning", ["none", "star1", "star2"])
def test_compiled_expectiminimax_counts_its_estimates(pruning):
    game = load_game("einstein")
    for depth in (1, 2, 4):
        result = run("fast-expectiminimax", game, depth=depth, pruning=pruning)
        assert (result.horizon, result.bound, result.depth, result.selective) == (True, "estimate", depth, depth)
    whole = run("fast-expectiminimax", load_game("tictactoe"), pruning=pruning)
    assert (whole.value, whole.bound, whole.horizon, whole.depth) == (0, "exact", False, 9)


def test_the_engine_tells_the_depth_that_it_finished():
    game = load_game("chess")
    stopped = Engine(game, table_mib=1).search(clock=Clock(nodes=5_000))
    assert (stopped.complete, stopped.horizon, stopped.bound) == (False, True, "estimate")
    finished = Engine(game, table_mib=1).search(depth=stopped.depth)
    assert finished.complete
    assert finished.nodes <= 5_000 < Engine(game, table_mib=1).search(depth=stopped.depth + 1).nodes
    assert stopped.selective > stopped.depth
    told: list[dict[str, Any]] = []
    found = Engine(game, table_mib=1).search(depth=5, progress=told.append)
    assert (found.depth, found.complete) == (5, True)
    assert all(report["depth"] <= 5 for report in told)


def test_a_proven_value_is_exact_only_inside_the_window():
    game = load_game("othello:size=4")
    proven = Engine(game, table_mib=1).search()
    assert (proven.value, proven.bound, proven.horizon) == (-10, "exact", False)
    assert proven.depth <= proven.selective <= (game.facts.longest_game or 0)
    low = Engine(game, table_mib=1).search(window=(0, 64))
    assert (low.bound, low.horizon) == ("upper", False)
    assert -10 <= low.value <= 0
    high = Engine(game, table_mib=1).search(window=(-64, -20))
    assert (high.bound, high.horizon) == ("lower", False)
    assert -20 <= high.value <= -10


# Repetition -----------------------------------------------------------------------------------------------------------


def test_searches_without_a_past_refuse_games_where_positions_repeat(gametree):
    chess = load_game("chess")
    assert (chess.facts.repetition, load_game("connect4").facts.repetition) == ("draw", None)
    for name in ("solve", "fast-expectiminimax"):
        facts, search = load_algorithm(name)
        sentence = (
            f"{name} cannot search chess: positions may repeat there, and {name} does not keep track of earlier "
            "positions; engine does."
        )
        with pytest.raises(UnfitGame) as refused:
            check_fit(facts, chess)
        assert str(refused.value) == sentence
        with pytest.raises(UnfitGame):
            search(chess)
    check_fit(load_algorithm("engine")[0], chess)
    # Where a repetition is no legal move, a search that knows draws alone would be wrong.
    strict = copy.copy(chess)
    strict.facts = dataclasses.replace(chess.facts, repetition="forbidden")
    drawing = dataclasses.replace(load_algorithm("engine")[0], repetition=("draw",))
    with pytest.raises(UnfitGame, match="positions must not repeat there, and engine does not leave out such moves"):
        check_fit(drawing, strict)
    check_fit(load_algorithm("engine")[0], strict)
    check_fit(load_algorithm("alphabeta")[0], strict)
    code, _, error = gametree("solve", "chess", "7k/8/8/8/8/8/R7/K7 w - - 0 1")
    assert code == 2
    assert "positions may repeat there" in error


def test_tables_keyed_by_state_honour_repetition_because_states_carry_the_past():
    game = load_game("chess")
    lost = game.state_from_text("7k/8/8/8/8/8/1q6/7K b - - 0 1")  # Black is a queen ahead
    state = lost
    for text in ("Qb3", "Kh2", "Qb2", "Kh1", "Qb3", "Kh2", "Qb2"):
        state = game.result(state, game.action_from_text(state, text))
    # White's Kh1 brings the first position back for the third time: a draw. Without the past it is lost.
    afresh = game.with_past(state, [])
    assert state != afresh
    memory: dict[str, Any] = {}
    for start in (afresh, state):
        wanted = run("minimax", game, start, depth=2)
        for name in ("table", "mtdf", "strategy", "ordering"):
            options = {"memory": memory} if name == "table" else {}
            assert run(name, game, start, depth=2, **options).value == wanted.value
    assert run("minimax", game, state, depth=1).value == 0 > run("minimax", game, afresh, depth=1).value
    assert [game.action_text(state, action) for action in run("table", game, state, depth=1).pv] == ["Kh1"]
