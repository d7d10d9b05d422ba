"""Liar's dice (games/liars_dice.py): bids, doubts, the wild face, and what a player sees."""

from __future__ import annotations

import pytest

from gametree import BadInput, load_game

GAME = load_game("liars-dice")


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("26 1-2 2-2 liar", -1),  # the six is wild, so that the second player's bid is true and the doubter is wrong
        ("25 1-2 2-2 liar", 1),
        ("34 1-5 liar", -1),
        ("56 1-5 liar", 1),
        ("66 2-6 liar", 1),
        ("61 2-6 liar", -1),
    ],
)
def test_who_was_right(text: str, first: int) -> None:
    state = GAME.state_from_text(text)
    assert GAME.is_terminal(state)
    assert (GAME.utility(state, 0), GAME.utility(state, 1)) == (first, -first)


def test_every_bid_is_higher_than_the_one_before() -> None:
    assert GAME.actions(GAME.state_from_text("34"))[0] == "1-1"
    assert GAME.actions(GAME.state_from_text("34 1-6")) == ("2-1", "2-2", "2-3", "2-4", "2-5", "2-6", "liar")
    assert GAME.actions(GAME.state_from_text("34 2-6")) == ("liar",)
    for text in ("34 1-3 1-2", "34 liar", "37", "34 1-7", ""):
        with pytest.raises(BadInput):
            GAME.state_from_text(text)


def test_a_die_is_seen_by_its_owner_until_the_doubt() -> None:
    assert GAME.state_text(GAME.view(GAME.state_from_text("34 1-3"), 0)) == "3? 1-3"
    assert GAME.state_text(GAME.view(GAME.state_from_text("34 1-3"), -1)) == "?? 1-3"
    assert GAME.state_text(GAME.view(GAME.state_from_text("34 1-3 liar"), 1)) == "34 1-3 liar"
