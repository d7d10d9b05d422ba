"""Phantom tic-tac-toe (games/phantom_tictactoe.py): tries that fail, and what either side knows."""

from __future__ import annotations

from typing import Any

from gametree import load_game

GAME = load_game("phantom-tictactoe")


def play(*words: str) -> Any:
    state = GAME.initial()
    for word in words:
        state = GAME.result(state, GAME.action_from_text(state, word))
    return state


def test_a_try_on_a_taken_square_is_told_and_made_again() -> None:
    before = play("b2")
    action = GAME.action_from_text(before, "b2")
    after = GAME.result(before, action)
    assert (GAME.player(before), GAME.player(after)) == (1, 1)
    assert GAME.hear(before, action, after, 0) is None  # the other hears nothing, not even that time has passed
    assert GAME.hear(before, action, after, 1) is not None
    assert "b2" not in [GAME.action_text(after, again) for again in GAME.actions(after)]


def test_a_side_sees_its_own_marks_and_what_it_has_met() -> None:
    state = play("b2", "a1")
    assert GAME.state_text(GAME.view(state, 0)).startswith(".../.X./...")
    assert GAME.state_text(GAME.view(state, 1)).startswith(".../.../O..")
    assert GAME.state_text(GAME.view(play("b2", "b2", "a1"), 1)).startswith(".../.X./O..")


def test_three_in_a_row_win_and_the_board_is_shown() -> None:
    state = play("a1", "a3", "b1", "b3", "c1")
    assert GAME.is_terminal(state)
    assert (GAME.utility(state, 0), GAME.utility(state, 1)) == (1, -1)
    assert GAME.view(state, 1) == state
