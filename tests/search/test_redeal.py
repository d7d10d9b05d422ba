"""Redeal, open, search, vote: on hands that nobody sees."""

from __future__ import annotations

import random
from typing import Any

import pytest

from gametree import BadInput, Clock, TreeRecord, UnfitGame, load_algorithm, load_game

redeal = load_algorithm("redeal")[1]


def deal(game: Any, seed: int, plies: int) -> Any:
    rng = random.Random(seed)
    state = game.result(game.initial(), game.roll(game.initial(), rng))
    for _ in range(plies):
        state = game.result(state, rng.choice(game.actions(state)))
    return state


def test_it_looks_at_the_view_alone() -> None:
    game = load_game("whist")
    state = deal(game, 4, 5)
    seat = game.player(state)
    found = redeal(game, state, worlds=5, seed=3)
    for seed in range(4):
        other = game.resample(game.view(state, seat), seat, random.Random(seed))
        again = redeal(game, other, worlds=5, seed=3)
        assert (again.move, again.value, again.details) == (found.move, found.value, found.details)


def test_the_vote_is_the_mean_of_the_worlds() -> None:
    game = load_game("whist")
    state = deal(game, 7, 8)
    seat = game.player(state)
    found = redeal(game, state, worlds=40, inner="engine", seed=1)
    assert found.details["worlds"] == found.details["effective"] == 40
    # The same by enumeration of all worlds that can be drawn, each as likely.
    worlds = {game.resample(game.view(state, seat), seat, random.Random(number)) for number in range(3000)}
    exact = dict.fromkeys(game.actions(state), 0.0)
    for world in worlds:
        for action in exact:
            open_game, after = game.opened(game.result(world, action))
            value = load_algorithm("alphabeta")[1](open_game, after)
            same = value.player % 2 == seat % 2
            exact[action] += (value.value if same else -value.value) / len(worlds)
    for action, mean in exact.items():
        assert found.details["means"][game.action_text(state, action)] == pytest.approx(mean, abs=1.0)


def test_kuhn_poker_face_up() -> None:
    game = load_game("kuhn")
    assert redeal(game, game.state_from_text("QK b"), worlds=20).move == "bet"  # a king calls
    assert redeal(game, game.state_from_text("QJ b"), worlds=20).move == "pass"  # a jack folds
    three = load_game("kuhn:players=3")
    assert redeal(three, three.state_from_text("TJK bp"), worlds=20).move == "bet"


def test_limits_and_refusals() -> None:
    game = load_game("whist")
    state = deal(game, 1, 10)
    assert redeal(game, state, clock=Clock(nodes=1)).details["worlds"] == 1
    with pytest.raises(BadInput, match="worlds=0 is too few"):
        redeal(game, state, worlds=0)
    with pytest.raises(BadInput, match="keeps no tree record"):
        redeal(game, state, record=TreeRecord(game))
    with pytest.raises(UnfitGame, match="it is nobody's turn"):
        redeal(game)
    with pytest.raises(UnfitGame, match=r"does not define resample\(\)"):
        redeal(load_game("tictactoe"))
