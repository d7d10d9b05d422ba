"""Playing at a rating: parameters that only grow, choices that repeat, names that parse."""

from __future__ import annotations

import itertools
import random

import pytest

from gametree import BadInput, load_game
from gametree.core.clock import Clock
from gametree.core.errors import UnfitGame, UnknownName
from gametree.play.clocks import TimeControl, Turn
from gametree.play.players import LevelPlayer, SearchPlayer, make_player
from gametree.play.referee import play_game
from gametree.play.strength import (
    FULL_ELO,
    LEVELS,
    LOWEST_ELO,
    LimitedEngine,
    read_level,
    strength_of,
)

CONNECT4 = load_game("connect4")


def test_a_higher_rating_never_holds_back_more():
    found = [strength_of(elo) for elo in range(LOWEST_ELO, FULL_ELO + 1, 5)]
    for low, high in itertools.pairwise(found):
        assert high.plies >= low.plies
        assert high.temperature <= low.temperature
        assert high.oversight <= low.oversight
        assert (high.plies, -high.temperature, -high.oversight) > (low.plies, -low.temperature, -low.oversight)
    assert found[0].plies >= 1
    assert 0 < found[0].oversight < 1
    assert [strength.is_full for strength in found].index(True) == len(found) - 1


def test_levels_by_name_and_by_number():
    assert list(LEVELS.values()) == sorted(LEVELS.values())
    assert LEVELS["beginner"] == LOWEST_ELO == 800
    assert read_level("club") == read_level(" Club ") == strength_of(LEVELS["club"])
    assert read_level("1234").elo == 1234
    assert read_level("full").is_full
    for text, words in (("clubb", "Did you mean 'club'?"), ("799", "expected 800"), ("9000", "expected 800"),
                        ("-5", "There is no level"), ("", "There is no level")):  # fmt: skip
        with pytest.raises(BadInput, match=words):
            read_level(text)


@pytest.mark.parametrize(
    ("name", "far"), [("chess", 9), ("connect4", 5), ("othello", 30), ("tictactoe", 1), ("go:size=5", 8)]
)
def test_winning_chances_grow_with_the_value_and_are_fair(name, far):
    game = load_game(name)
    values = [far * step / 10 for step in range(-10, 11)]
    chances = [game.winning_chance(value) for value in values]
    assert chances == sorted(chances)
    assert chances[0] < 0.1 < 0.9 < chances[-1]
    for low, high in zip(chances, reversed(chances), strict=True):
        assert low + high == pytest.approx(1)
    assert 0 <= game.winning_chance(game.facts.min_utility) < 0.01
    assert 0.99 < game.winning_chance(game.facts.max_utility) <= 1


def _positions(count: int) -> list[bytes]:
    lots, found = random.Random(1), []
    while len(found) < count:
        state = CONNECT4.initial()
        for _ in range(lots.randrange(14)):
            if not CONNECT4.is_terminal(state):
                state = CONNECT4.result(state, lots.choice(CONNECT4.actions(state)))
        if not CONNECT4.is_terminal(state):
            found.append(state)
    return found


def test_the_same_seed_chooses_the_same_and_another_seed_another():
    states = _positions(40)
    engine, again, other = (LimitedEngine(CONNECT4, strength_of(900), seed=seed) for seed in (1, 1, 2))
    first = [engine.choose(state)[0] for state in states]
    # Not even the order of the questions matters.
    assert [again.choose(state)[0] for state in reversed(states)] == first[::-1]
    assert [other.choose(state)[0] for state in states] != first


def test_choices_are_legal_are_told_truly_and_obey_wishes():
    engine = LimitedEngine(CONNECT4, strength_of(1000), seed=3)
    for state in _positions(20):
        action, result = engine.choose(state, clock=Clock(5))
        assert action in CONNECT4.actions(state)
        assert result.move == action == result.pv[0]
        assert result.details["lines"][0]["pv"][0] == CONNECT4.action_text(state, action)
        wished = list(CONNECT4.actions(state))[-1:]
        assert engine.choose(state, moves=wished)[0] == wished[0]


def test_a_stronger_player_sees_more():
    # The first to move wins at once in the middle column; the weak one sees that only now and then.
    state = CONNECT4.state_from_text("414141")
    weak = [LimitedEngine(CONNECT4, strength_of(800), seed=seed).choose(state)[0] for seed in range(60)]
    strong = [LimitedEngine(CONNECT4, strength_of(2400), seed=seed).choose(state)[0] for seed in range(10)]
    assert set(strong) == {3}
    assert len(set(weak)) > 1
    assert weak.count(3) > len(weak) / 7  # better than at random


def test_ratings_order_the_results_of_games():
    score = 0.0
    for number in range(12):
        players = [make_player("engine:elo=2200", CONNECT4), make_player("engine:elo=800", CONNECT4)]
        seats = players if number % 2 == 0 else players[::-1]
        record = play_game(CONNECT4, seats, seed=number)
        score += (1 + record.utilities[number % 2] / max(1, abs(record.utilities[0]))) / 2
    assert score >= 9


@pytest.mark.parametrize(
    ("text", "character", "words"),
    [
        ("engine:level=clubb", 14, "Did you mean 'club'?"),
        ("engine:elo=100", 12, "expected 800 to"),
        ("engine:elo=1000,depth=3", 17, "no parameter 'depth'"),
        ("engine:elo=1000,level=club", 8, "say the same thing"),
        ("engine:elo=1000,seed=x", 22, "whole number"),
    ],
)
def test_names_that_make_no_sense(text, character, words):
    with pytest.raises(BadInput, match=f"character {character}: .*{words}"):
        make_player(text, CONNECT4)


def test_names_of_players_with_a_level():
    player = make_player("engine:level=club,seed=4", CONNECT4)
    assert isinstance(player, LevelPlayer)
    assert (player.strength.elo, player.seed) == (LEVELS["club"], 4)
    full = make_player("engine:level=full", CONNECT4)
    assert isinstance(full, SearchPlayer)
    assert full.usual_seconds
    with pytest.raises(UnfitGame, match="engine cannot search pig"):
        make_player("engine:level=club", load_game("pig"))
    with pytest.raises(UnfitGame, match="has no levels"):
        make_player("engine:level=club", load_game("nim"))
    with pytest.raises(UnknownName):
        make_player("alphabeta:level=club", CONNECT4)


# What players remember ------------------------------------------------------------------------------------------------


def test_a_compiled_tree_is_kept_from_move_to_move():
    player = make_player("fast-mcts:sims=300", CONNECT4)
    player.start(CONNECT4, 0, 1)
    state, actions, reused = CONNECT4.initial(), [], []
    for _ in range(3):
        result = player.choose(CONNECT4, state, 0, Turn(CONNECT4.initial(), tuple(actions))).result
        reused.append(result.details["reused"])
        for _ in range(2):
            action = result.move if CONNECT4.player(state) == 0 else CONNECT4.actions(state)[0]
            state = CONNECT4.result(state, action)
            actions.append(action)
    assert reused[0] == 0
    assert min(reused[1:]) > 0
    # Another game, a position out of nowhere, or a new start, and nothing is taken for known.
    assert player.choose(CONNECT4, CONNECT4.initial(), 0, Turn(CONNECT4.initial(), ())).result.details["reused"] == 0
    assert player.choose(CONNECT4, state, 0).result.details["reused"] == 0
    player.start(CONNECT4, 0, 1)
    turn = Turn(CONNECT4.initial(), tuple(actions))
    assert player.choose(CONNECT4, state, 0, turn).result.details["reused"] == 0


def test_the_engine_of_a_player_keeps_its_table():
    player = make_player("engine:depth=7", CONNECT4)
    player.start(CONNECT4, 0, 1)
    state = CONNECT4.initial()
    first = player.choose(CONNECT4, state, 0).result.nodes
    assert player.choose(CONNECT4, state, 0).result.nodes < first / 2
    player.start(CONNECT4, 0, 1)
    assert player.choose(CONNECT4, state, 0).result.nodes == first


def test_the_engine_of_a_player_divides_its_clock():
    player = make_player("engine", CONNECT4)
    player.start(CONNECT4, 0, 1)
    for turn in (
        Turn(CONNECT4.initial(), (), TimeControl(seconds=0.3), (0.3, 0.3)),
        Turn(CONNECT4.initial(), (), TimeControl(seconds=0.3), (0.0, 0.3)),
        Turn(CONNECT4.initial(), (), TimeControl(per_move=0.05)),
    ):
        assert player.choose(CONNECT4, CONNECT4.initial(), 0, turn).action in CONNECT4.actions(CONNECT4.initial())
