"""Matches of backgammon in Jellyfish's notation."""

from __future__ import annotations

import random

import pytest

from gametree.core.format import Record
from gametree.core.registry import load_game
from gametree.formats import mat, recognise

SAMPLE = """; [Site "own"]
; [Player 1 "Ann"]
; [Player 2 "Bob"]

 3 point match

 Game 1
 Ann : 0                             Bob : 0
  1) 31: 8/5 6/5                      64: 24/14
  2)  Doubles => 2                     Takes
  3) 55: 13/3 13/3                    62: 24/18 13/11
  4) 21: 6/4 5/4                       Doubles => 4
  5)  Drops                            Wins 2 points

 Game 2
 Ann : 0                             Bob : 2
  1)                                  52: 13/8 24/22
  2) 61: 13/7 8/7                     33: 8/5(2) 6/3(2)
  3) 11: 8/7 6/5(2) 5/4               21: 13/11 6/5
  4) 43: 13/9 13/10
"""


def read(text: str) -> Record:
    (sheet,) = mat.split(text.splitlines(keepends=True))
    return sheet.record(load_game(sheet.game))


def test_a_match_is_read_and_written() -> None:
    assert recognise(SAMPLE) == "mat"
    record = read(SAMPLE)
    assert record.error == ""
    assert record.game == "backgammon:match=3"
    assert record.players == ("Ann", "Bob")
    assert record.moves[:7] == ("31", "8/5 6/5", "throw", "64", "24/14", "double", "take")
    game = load_game(record.game)
    state = game.initial()
    for action in record.actions:
        state = game.result(state, action)
    assert list(game.struct(state).score) == [0, 2]
    assert game.struct(state).crawford == 1
    written = mat.write(game, record)
    assert " Wins 2 points" in written
    assert read(written).moves == record.moves
    assert mat.write(game, read(written)) == written


@pytest.mark.parametrize("name", ["backgammon:match=2", "backgammon:cube=64"])
def test_random_games_come_back(name: str) -> None:
    game = load_game(name)
    rng = random.Random(4)
    for _ in range(4):
        state, moves = game.initial(), []
        while not game.is_terminal(state):
            action = game.roll(state, rng) if game.player(state) < 0 else rng.choice(game.actions(state))
            moves.append(game.action_text(state, action))
            state = game.result(state, action)
        written = mat.write(game, Record(game=name, moves=tuple(moves), players=("A", "B")))
        found = read(written)
        assert found.error == ""
        assert found.moves == tuple(moves)
        assert found.utilities == game.utilities(state)


@pytest.mark.parametrize(
    ("old", "new", "line", "sentence"),
    [
        ("62: 24/18 13/11", "77: 24/18 13/11", 11, "The roll '77' is not possible"),
        ("64: 24/14", "43: 24/18 13/10", 9, "'24/18 13/10' is not a legal move"),
        ("62: 24/18 13/11", "62: 24/16 6/4", 11, "'24/16 6/4' is not a legal move"),
        (" Takes", " Sings", 10, "'Sings' is no entry"),
        (" Drops ", " Takes ", 13, "resigned"),
        ("31: 8/5 6/5 ", "33: 8/5 6/5 ", 9, "cannot open a game"),
    ],
)
def test_what_is_wrong_gets_a_sentence_and_a_line(old: str, new: str, line: int, sentence: str) -> None:
    found = read(SAMPLE.replace(old, new, 1))
    assert sentence in found.error
    assert found.line == line


def test_a_match_of_another_length_is_refused() -> None:
    (sheet,) = mat.split(SAMPLE.splitlines())
    assert "played as backgammon:match=3" in sheet.record(load_game("backgammon:match=5")).error
