"""A strategy is only as good as its worst case: each is played against every reply there is."""

from __future__ import annotations

import functools
import random
from math import fsum

import pytest
from oracle import minimax_value, random_tree_text

from gametree import CHANCE, Clock, Game, GameError, OutOfTime, TreeRecord, UnfitGame, load_algorithm, load_game
from gametree.games.tree import parse_tree, random_tree
from gametree.search.textbook.strategy import strategy

search = load_algorithm("strategy")[1]
expectiminimax = load_algorithm("expectiminimax")[1]


def worst_case(game, moves, state, seat):
    """What the seat gets in the worst case (on average over chance) if it plays by the strategy, and states used."""
    used = set()

    @functools.cache
    def play(state):
        if game.is_terminal(state):
            return game.utility(state, seat)
        mover = game.player(state)
        if mover == seat:
            used.add(state)
            return play(game.result(state, moves[state]))
        if mover == CHANCE:
            return fsum(p * play(game.result(state, a)) for a, p in game.outcomes(state))
        return min(play(game.result(state, a)) for a in game.actions(state))

    return play(state), used


@pytest.mark.parametrize("name", ["tictactoe", "nim:1-2-3", "nim:1-3-5", "pig:target=8,turns=2"])
def test_no_reply_beats_the_strategy(name):
    game = load_game(name)
    start = game.initial()
    rng = random.Random(name)
    for _ in range(6):
        state = start
        while state == start or game.is_terminal(state):  # from the start once, then from anywhere
            state = start
            for _ in range(rng.randrange(4)):
                if not game.is_terminal(state):
                    state = game.result(state, rng.choice(list(game.actions(state))))
            if state == start:
                break
        seat = max(0, game.player(state))
        moves = strategy(game, state)
        result = search(game, state)
        worst, used = worst_case(game, moves, state, seat)
        assert worst == result.value == expectiminimax(game, state).value
        assert used == set(moves)  # a move for every position that can come up, and for no other
        assert len(moves) == result.details["strategy"]
        assert all(move in game.actions(place) for place, move in moves.items())


def test_no_reply_beats_the_strategy_on_random_trees():
    for seed in range(300):
        game = parse_tree(random_tree_text(seed))
        result = search(game)
        value = minimax_value(game, 0)
        moves = strategy(game)
        worst, used = worst_case(game, moves, 0, result.player)
        total = game.facts.utility_sum or 0
        assert result.value == (value if result.player == 0 else total - value), seed
        assert worst == game.utility(0, 0) if game.is_terminal(0) else worst == result.value
        assert used == set(moves)
        place = 0
        for action in result.pv:
            place = game.result(place, action)
            assert minimax_value(game, place) == value
        assert game.is_terminal(place)


def test_chance_trees():
    for seed in range(120):
        game = random_tree(branching=3, depth=4, seed=seed, chance=0.5, alternate=False)
        result = search(game)
        assert result.value == expectiminimax(game).value
        worst, used = worst_case(game, strategy(game), 0, result.player)
        assert worst == result.value
        assert len(used) == result.details["strategy"]


def test_mistakes_are_punished():
    # MIN may blunder into the right half, where MAX has one winning move; off the main line the strategy knows it.
    game = parse_tree("(((0 0) (3 9 4)) -1)")
    moves = strategy(game)
    blunder = game.state_from_text("1.2")
    assert moves == {0: 0, game.state_from_text("1.1"): 0, blunder: 1}
    assert game.utility(game.result(blunder, moves[blunder]), 0) == 9


def test_the_record_shows_the_strategy_as_a_tree():
    game = parse_tree("((3 12 8) (2 4 6) (14 5 2))")
    record = TreeRecord(game)
    result = search(game, record=record)
    assert (result.value, result.pv, result.details["strategy"]) == (3, (0, 0), 1)
    entered = [record.path(row) for row in range(len(record)) if record.order[row] >= 0]
    assert entered == [[], ["1"], ["1", "1"], ["1", "2"], ["1", "3"]]
    assert [record.reason[row] for row in record.unvisited()] == ["refused", "refused"]
    assert record.bound[0] == "exact"


def test_tictactoe_strategies_are_small():
    game = load_game("tictactoe")
    result = search(game)
    assert (result.value, result.nodes) == (0, 5478)
    assert result.details["strategy"] < 400
    record = TreeRecord(game, limit=50)
    assert search(game, record=record).value == 0
    assert record.truncated


def test_depth_limits():
    game = load_game("tictactoe")
    for depth in range(4):
        result = search(game, depth=depth)
        assert result.value == minimax_value(game, 0, depth)
        assert result.depth == depth
        assert len(strategy(game, depth=depth)) == result.details["strategy"]
    assert strategy(game, depth=0) == {}
    assert len(strategy(game, depth=1)) == 1
    assert len(strategy(game, depth=3)) == 1 + 8
    over = game.state_from_text("XXX/OO./...")
    assert strategy(game, over) == {}
    assert search(game, over).move is None


def test_games_that_come_back_are_refused():
    pig = load_game("pig:target=6")
    with pytest.raises(GameError, match="can come back"):
        strategy(pig)
    assert strategy(pig, depth=4)


def test_a_depth_limit_takes_the_longest_look_ahead():
    class Steps(Game):
        """Walk on by one or two; the far end is worth more, but EVAL likes odd places."""

        facts = load_game("nim").facts

        def initial(self):
            return 0

        def player(self, state):
            return 0

        def actions(self, state):
            return (1, 2)

        def result(self, state, action):
            return state + action

        def is_terminal(self, state):
            return False

        def evaluate(self, state, player):
            value = (state % 5) / 5
            return -value if player else value

    moves = strategy(Steps(), depth=3)
    assert next(iter(moves)) == 0
    place, reached = 0, [0]
    for _ in range(2):
        place += moves[place]
        reached.append(place)
    assert reached[-1] + moves[place] == 4


def test_deep_trees_clocks_and_unfit_games():
    depth = 5_000
    game = parse_tree("max(1 " * depth + "0" + ")" * depth)
    assert search(game, record=TreeRecord(game)).value == 1
    with pytest.raises(OutOfTime):
        search(load_game("tictactoe"), clock=Clock(nodes=300))
    with pytest.raises(UnfitGame, match="hidden"):
        strategy(load_game("kuhn"))
