"""Expectiminimax with move filters, against the same written plainly over the formal game."""

from __future__ import annotations

from typing import Any

import pytest

from gametree.core.errors import BadInput, UnfitGame
from gametree.core.registry import load_game
from gametree.search.compiled.filtered_expectiminimax import search


def plain_value(game: Any, state: Any, depth: int, *, thrown: bool = False) -> float:
    """What a state is worth to seat 0: the pseudocode, recursively."""
    if game.is_terminal(state):
        return float(game.utility(state, 0))
    if depth == 0 and not thrown:
        return float(game.evaluate(state, 0))
    if game.player(state) < 0:
        return sum(
            odds * plain_value(game, game.result(state, outcome), depth - 1, thrown=True)
            for outcome, odds in game.outcomes(state)
        )
    sign = 1 if game.player(state) == 0 else -1
    after = [game.result(state, action) for action in game.actions(state)]
    values = [sign * plain_value(game, child, 0) for child in after]
    best = max(range(len(after)), key=lambda at: values[at])
    return plain_value(game, after[best], depth)


def positions() -> list[tuple[str, list[str]]]:
    return [
        ("backgammon", ["31"]),
        ("backgammon", ["13"]),
        ("backgammon", ["31", "8/5 6/5", "64"]),
        ("einstein", ["3"]),
    ]


@pytest.mark.parametrize(("name", "moves"), positions())
@pytest.mark.parametrize("plies", [0, 1])
def test_it_is_what_the_pseudocode_says(name: str, moves: list[str], plies: int) -> None:
    game = load_game(name)
    state = game.initial()
    for text in moves:
        state = game.result(state, game.action_from_text(state, text))
    found = search(game, state, plies=plies, keep=3, within=10.0)
    sign = 1 if game.player(state) == 0 else -1
    after = {game.action_text(state, action): game.result(state, action) for action in game.actions(state)}
    for candidate in found.details["candidates"]:
        expected = sign * plain_value(game, after[candidate["move"]], candidate["plies"])
        assert candidate["value"] == pytest.approx(expected, abs=1e-9)
    deepest = [candidate for candidate in found.details["candidates"] if candidate["plies"] == plies]
    assert len(deepest) == (min(3, len(after)) if plies else len(after))
    best = max(deepest, key=lambda candidate: candidate["value"])
    assert found.value == best["value"]
    assert game.action_text(state, found.move) == best["move"]
    assert found.bound == "estimate"


def test_the_same_answer_twice() -> None:
    game = load_game("backgammon")
    state = game.result(game.initial(), game.action_from_text(game.initial(), "62"))
    first, second = search(game, state, plies=1), search(game, state, plies=1)
    assert first.details == second.details
    assert (first.nodes, first.leaves) == (second.nodes, second.leaves)


def test_a_state_of_chance_has_a_value_and_no_move() -> None:
    game = load_game("backgammon")
    found = search(game, game.state_from_text("4HPwATDgc/ABMA"), plies=1)
    assert found.move is None
    assert found.value == pytest.approx(plain_value(game, found.state, 1))


def test_known_plays_of_the_start() -> None:
    """The openings in which the best play leads by far, whatever judges it."""
    game = load_game("backgammon")
    start = game.state_from_text("4HPwATDgc/ABMA")
    best = {"31": "8/5 6/5", "42": "8/4 6/4", "61": "13/7 8/7", "65": "24/13", "53": "8/3 6/3"}
    for dice, play in best.items():
        state = game.result(start, game.action_from_text(start, dice))
        assert game.action_text(state, search(game, state, plies=1).move) == play


def test_what_does_not_fit() -> None:
    game = load_game("backgammon")
    with pytest.raises(BadInput, match="plies=9 is not possible; expected 0 to 4"):
        search(game, plies=9)
    with pytest.raises(BadInput, match="keep=0"):
        search(game, keep=0)
    with pytest.raises(UnfitGame):
        search(load_game("pig"))
