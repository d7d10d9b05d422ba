"""Flat Monte Carlo and UCT: what they find, that they repeat themselves, and that they never look at hidden cards."""

from __future__ import annotations

import functools
import random
from math import log, sqrt

import pytest

import gametree
from gametree import CHANCE, BadInput, Clock, Facts, Game, GameError, TreeRecord, UnfitGame, load_algorithm, load_game
from gametree.games.tree import parse_tree, random_tree
from gametree.search.support.random_bits import SplitMix64

BOTH = ["mcts", "montecarlo"]
find = functools.cache(lambda name: load_algorithm(name)[1])


def analyse(game, state=None, *, algorithm, **options):
    return find(algorithm)(game, state, **options)


# The generator --------------------------------------------------------------------------------------------------------


def test_splitmix64_makes_the_published_numbers():
    rng = SplitMix64(1234567)
    assert [rng.next() for _ in range(5)] == [
        6457827717110365317,
        3203168211198807973,
        9817491932198370423,
        4593380528125082431,
        16408922859458223821,
    ]
    assert SplitMix64(0).next() == 0xE220A8397B1DCDAF
    assert SplitMix64(-1).next() == SplitMix64(2**64 - 1).next()


def test_draws_stay_in_range_and_are_even():
    rng = SplitMix64(7)
    counts = [0] * 6
    for _ in range(6000):
        counts[rng.below(6)] += 1
    assert min(counts) > 850
    assert max(counts) < 1150
    assert {rng.below(1) for _ in range(10)} == {0}
    draws = [rng.uniform() for _ in range(2000)]
    assert 0 <= min(draws) < 0.01
    assert 0.99 < max(draws) < 1
    outcomes = [("a", 0.7), ("b", 0.0), ("c", 0.3)]
    places = [rng.outcome(outcomes) for _ in range(3000)]
    assert 1 not in places
    assert 2000 < places.count(0) < 2200
    assert rng.outcome([("a", 0.0)]) == 0  # rounding never leaves a draw without an outcome


# What they find -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("algorithm", BOTH)
@pytest.mark.parametrize(
    ("position", "move"),
    [("XX./OO./...", "c3"), ("X.X/OO./...", "b3"), ("XX./O../..O", "c3"), ("X../.XO/O..", "c1")],
)
def test_wins_at_tictactoe_are_taken(algorithm, position, move):
    game = load_game("tictactoe")
    state = game.state_from_text(position)
    result = analyse(game, state, algorithm=algorithm, simulations=1500)
    assert game.action_text(state, result.move) == move
    assert result.value > 0.9
    assert result.bound == "estimate"


def test_mcts_blocks_and_draws_from_the_start():
    game = load_game("tictactoe")
    state = game.state_from_text("XX./O../...")
    result = analyse(game, state, algorithm="mcts", simulations=1500)
    assert (game.action_text(state, result.move), result.player) == ("c3", 1)
    start = analyse(game, algorithm="mcts", simulations=20_000, exploration=0.35)
    assert abs(start.value) < 0.25
    assert start.selective >= 7


def test_mcts_finds_the_move_of_nim():
    game = load_game("nim:1-2-4")
    best = analyse(game, algorithm="alphabeta")
    result = analyse(game, algorithm="mcts", simulations=4000)
    assert best.value == 1
    assert analyse(game, game.result(game.initial(), result.move), algorithm="alphabeta").value == -1


def test_mcts_comes_near_the_expected_value_and_flat_monte_carlo_is_misled():
    game = parse_tree("([0.75:8 0.25:-8] [0.5:(6 7) 0.5:(1 2)] (9 9 9 -9))")
    # Worth 4, 4.5 and −9; random play takes them for 4, 4 and 4.5.
    tree = analyse(game, algorithm="mcts", simulations=8000)
    flat = analyse(game, algorithm="montecarlo", simulations=8000)
    assert (tree.move, flat.move) == (1, 2)
    assert abs(tree.value - 4.5) < 0.3
    assert abs(flat.value - 4.5) < 0.5
    means = flat.details["means"]
    assert abs(means["1"] - 4) < 0.5
    assert abs(means["2"] - 4) < 0.5  # (6.5 + 1.5) / 2


def test_mcts_agrees_with_expectiminimax_on_most_random_trees():
    right = 0
    for seed in range(30):
        game = random_tree(branching=3, depth=4, seed=seed, chance=0.3)
        best = analyse(game, algorithm="expectiminimax")
        found = analyse(game, algorithm="mcts", simulations=3000)
        child = analyse(game, game.result(0, found.move), algorithm="expectiminimax")
        worth = -child.value if child.player else child.value
        right += worth >= best.value - 0.5
        assert sum(found.details["visits"].values()) == found.details["simulations"] == 3000
    assert right >= 28


def test_three_players():
    game = parse_tree("((1/2/6 4/3/3) (6/1/2 7/4/1))")
    for algorithm in BOTH:
        result = analyse(game, algorithm=algorithm, simulations=2000)
        assert result.move == 1
        assert len(result.values) == 3
        assert result.value == result.values[0]
    second = analyse(game, game.state_from_text("1"), algorithm="mcts", simulations=500)
    assert (second.player, second.move) == (1, 1)
    assert abs(second.value - 3) < 0.1
    board = load_game("tictactoe3")
    state = board.state_from_text("XX./OO./ZZ.")  # X is to move and wins at once
    result = analyse(board, state, algorithm="mcts", simulations=500)
    assert (result.move, round(result.value)) == (2, 2)


def test_pig_rolls_and_holds_as_it_should():
    game = load_game("pig:target=20")
    for position, move in [("10-18 +0 first", "roll"), ("0-0 +18 first", "hold")]:
        state = game.state_from_text(position)
        assert analyse(game, state, algorithm="mcts", simulations=3000).move == move


# Simultaneous moves and hidden cards ----------------------------------------------------------------------------------


def test_simultaneous_moves_get_a_joint_action():
    game = load_game("goofspiel:cards=4,prizes=down")
    result = analyse(game, algorithm="montecarlo", simulations=4000)
    assert result.move == ("4", "4")  # against random bids the highest card wins the greatest prize most surely
    assert len(result.values) == 2
    assert result.values[0] > 0.2
    assert result.values[1] > 0.2  # both expect to win, since each takes the other to be random
    assert set(result.details["means"]) == set("A234")
    by_chance = analyse(load_game("goofspiel:cards=3"), algorithm="montecarlo", simulations=300)
    assert by_chance.move is None
    with pytest.raises(UnfitGame, match="simultaneous is True"):
        analyse(game, algorithm="mcts")


def test_a_busy_seat_has_nothing_to_choose():
    game = load_game("harvest")
    reaping = game.state_from_text("5 3-0 0-2")
    result = analyse(game, reaping, algorithm="montecarlo", simulations=400)
    assert result.move[0] in ("pick", "reap")
    assert result.move[1] is None
    nobody = game.state_from_text("8 0-0 2-2")
    assert analyse(game, nobody, algorithm="montecarlo", simulations=50).move == (None, None)


def test_joint_actions_without_seat_actions():
    class Pennies(Game):
        """Matching pennies, told by its joint actions alone; heads against heads pays more."""

        facts = Facts(simultaneous=True, min_utility=-3, max_utility=3, longest_game=1)

        def initial(self):
            return ()

        def player(self, state):
            return gametree.SIMULTANEOUS

        def actions(self, state):
            return () if state else [(a, b) for a in "HT" for b in "HT"]

        def result(self, state, action):
            return action

        def is_terminal(self, state):
            return bool(state)

        def utility(self, state, player):
            value = (3 if state[0] == "H" else 1) if state[0] == state[1] else -1
            return -value if player else value

    result = analyse(Pennies(), algorithm="montecarlo", simulations=400)
    assert result.move == ("H", "T")


def test_hidden_cards_are_not_looked_at():
    game = load_game("kuhn")
    values = {}
    for mine in "JQK":
        for moves in ("", "b"):
            seat = len(moves)
            results = []
            for other in set("JQK") - {mine}:
                cards = other + mine if seat else mine + other
                results.append(analyse(game, game.state_from_text(f"{cards} {moves}"), algorithm="montecarlo", seed=3))
            first, second = results
            assert first.details == second.details
            assert (first.move, first.values, first.nodes) == (second.move, second.values, second.nodes)
            values[mine, moves] = first.value
    assert values["K", ""] > values["Q", ""] > values["J", ""]
    state = game.state_from_text("JK b")
    assert analyse(game, state, algorithm="montecarlo").move == "bet"  # a king calls
    assert analyse(game, game.state_from_text("KJ b"), algorithm="montecarlo").move == "pass"  # a jack folds


def test_only_resampled_states_are_played():
    class Spy(type(load_game("kuhn"))):
        def resample(self, state, player, rng):
            return super().resample(state, player, rng)._replace(cards="QJ" if player == 0 else "JQ")

        def result(self, state, action):
            assert state.cards in ("QJ", "")
            return super().result(state, action)

    game = Spy()
    result = analyse(game, game.state_from_text("QK"), algorithm="montecarlo", simulations=50, record=TreeRecord(game))
    assert result.move == "bet"  # in the sampled deals the queen always wins


def test_a_deal_is_no_decision():
    result = analyse(load_game("kuhn"), algorithm="montecarlo", simulations=500)
    assert (result.move, result.player, result.details["visits"]) == (None, 0, {})
    assert abs(result.value) < 0.3


def test_hidden_games_must_resample():
    class Sealed(Game):
        facts = Facts(hidden=True)

        def initial(self):
            return 0

        def is_terminal(self, state):
            return True

    with pytest.raises(UnfitGame, match="resample"):
        analyse(Sealed(), algorithm="montecarlo")
    with pytest.raises(UnfitGame, match="hidden is True"):
        analyse(load_game("kuhn"), algorithm="mcts")


# Seeds, clocks and limits ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("algorithm", BOTH)
def test_the_seed_alone_decides(algorithm):
    game = load_game("pig:target=10")
    runs = [analyse(game, algorithm=algorithm, simulations=300, seed=seed) for seed in (1, 1, 2)]
    assert runs[0].details == runs[1].details
    assert runs[0].values == runs[1].values
    assert (runs[0].values, runs[0].nodes) != (runs[2].values, runs[2].nodes)


def test_the_draws_of_mcts_are_as_documented():
    """A second, plain version of UCT for a two-player game without chance, written from the docstring alone."""
    game = load_game("tictactoe")
    rng = SplitMix64(11)
    visits, total, seen = {(): 0}, {(): [0.0, 0.0]}, {(): []}

    def state_at(path):
        state = game.initial()
        for action in path:
            state = game.result(state, action)
        return state

    for _ in range(400):
        path = ()
        state = game.initial()
        while not game.is_terminal(state):
            actions = game.actions(state)
            if len(seen[path]) < len(actions):
                path = (*path, actions[len(seen[path])])
                seen[path[:-1]].append(path)
                visits[path], total[path], seen[path] = 0, [0.0, 0.0], []
                break
            seat = game.player(state)
            spread = 2 * log(visits[path])
            path = max(
                seen[path],
                key=lambda p: total[p][seat] / visits[p] + sqrt(0.5) * sqrt(spread / visits[p]),
            )
            state = state_at(path)
        state = state_at(path)
        while not game.is_terminal(state):
            actions = game.actions(state)
            state = game.result(state, actions[rng.below(len(actions))])
        for length in range(len(path) + 1):
            visits[path[:length]] += 1
            for seat in (0, 1):
                total[path[:length]][seat] += (game.utility(state, seat) + 1) / 2
    found = analyse(game, algorithm="mcts", simulations=400, seed=11)
    assert found.details["visits"] == {game.action_text(0, path[0]): visits[path] for path in seen[()]}


@pytest.mark.parametrize("algorithm", BOTH)
def test_any_clock_leaves_an_answer(algorithm):
    game = load_game("tictactoe")
    for nodes in (1, 30, 3000):
        result = analyse(game, algorithm=algorithm, clock=Clock(nodes=nodes))
        assert result.move in game.actions(0)
        assert not result.complete
        assert result.nodes <= nodes + 256
    stopped = Clock(60)
    stopped.stop()
    assert analyse(game, algorithm=algorithm, clock=stopped).move in game.actions(0)
    timed = analyse(game, algorithm=algorithm, clock=Clock(0.05), simulations=20)
    assert timed.details["simulations"] <= 20


class Endless(Game):
    """Two players take turns for ever."""

    facts = Facts(longest_game=None)

    def initial(self):
        return 0

    def player(self, state):
        return state

    def actions(self, state):
        return (0, 1)

    def result(self, state, action):
        return 1 - state

    def is_terminal(self, state):
        return False

    def evaluate(self, state, player):
        return 0.5 if player == 0 else -0.5


@pytest.mark.parametrize("algorithm", BOTH)
def test_play_that_never_ends_is_noticed(algorithm, monkeypatch):
    monkeypatch.setattr("gametree.search.support.playout.LONGEST_PLAYOUT", 2000)
    with pytest.raises(GameError, match="not over after 2000 plies"):
        analyse(Endless(), algorithm=algorithm)
    result = analyse(Endless(), algorithm=algorithm, clock=Clock(nodes=500))
    assert result.move == 0
    assert (result.value, result.complete) == (0, False)  # nothing is known: the middle of the utilities
    limited = analyse(Endless(), algorithm=algorithm, depth=10, simulations=20)
    assert limited.value == 0.5


@pytest.mark.parametrize("algorithm", BOTH)
def test_bad_options(algorithm):
    game = load_game("tictactoe")
    with pytest.raises(BadInput, match="simulations=0"):
        analyse(game, algorithm=algorithm, simulations=0)
    with pytest.raises(BadInput, match="exploration=-1"):
        analyse(game, algorithm="mcts", exploration=-1)


@pytest.mark.parametrize("algorithm", BOTH)
def test_terminal_and_chance_roots(algorithm):
    game = load_game("tictactoe")
    over = game.state_from_text("XXX/OO./...")
    result = analyse(game, over, algorithm=algorithm, record=TreeRecord(game))
    assert (result.move, result.value, result.bound, result.pv) == (None, 1, "exact", ())
    dice = parse_tree("[0.25:4 0.75:-4]")
    rolled = analyse(dice, algorithm=algorithm, simulations=4000)
    assert (rolled.move, rolled.pv) == (None, ())
    assert abs(rolled.value + 2) < 0.3


# The record -----------------------------------------------------------------------------------------------------------


def test_mcts_writes_its_tree_into_the_record():
    game = random_tree(branching=3, depth=5, seed=2, chance=0.4)
    record = TreeRecord(game)
    result = analyse(game, algorithm="mcts", simulations=500, record=record)
    assert record.visits[0] == 500
    below = record.children()
    for row in range(len(record)):
        if below[row]:
            # The visit that made a node is its own; all others went on to a child.
            assert sum(record.visits[child] for child in below[row]) == record.visits[row] - (row > 0)
        assert record.bound[row] == "estimate"
    visits = {record.move[child]: record.visits[child] for child in below[0]}
    assert visits == result.details["visits"]
    chosen = next(child for child in below[0] if record.place[child] == result.move)
    assert record.value[chosen] == result.value
    assert any(record.player[row] == CHANCE for row in range(len(record)))


def test_flat_monte_carlo_records_the_moves():
    game = load_game("tictactoe")
    record = TreeRecord(game)
    result = analyse(game, algorithm="montecarlo", simulations=90, record=record)
    assert (len(record), record.visits) == (10, [90] + [10] * 9)
    assert record.value[0] == result.value == max(record.value[1:])


def test_a_later_seat_sees_its_own_values():
    game = load_game("tictactoe")
    rng = random.Random(4)
    for _ in range(5):
        state = game.result(game.initial(), rng.randrange(9))
        for algorithm in BOTH:
            result = analyse(game, state, algorithm=algorithm, simulations=200)
            assert result.player == 1
            assert result.value == result.values[1] == pytest.approx(-result.values[0])
