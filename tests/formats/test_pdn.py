"""PDN: what is written reads back, and every kind of bad text gets a sentence."""

from __future__ import annotations

import pytest

from gametree import load_game
from gametree.core.format import Record
from gametree.formats import recognise, record_format, write_file
from gametree.formats.pdn import read_games, write_game

GAME = """[Event "Match"]
[Black "Anderson"]
[White "Wyllie"]
[Result "1-0"]

1. 11-15 {the usual} 23x19 2. 8-11 22-17 3. 11-16! (3. 9-13 17-14 (3... 25-22) 4. 10x17) 24-20
4. 16-23 27x11 5. 7x16 20x11 ; rest of the line
6. 3-7 Black went on to win 1-0

[Event "An ending"]
[GameType "21,B,8,8,N2,0"]
[FEN "W:WK31,K32:BK19,28"]

1... 31-26 2. 19-15 *
"""


@pytest.fixture(scope="module")
def game():
    return load_game("checkers")


def test_reads_steps_and_jumps_whatever_stands_between(game):
    first, second = record_format(game, "pdn").read(GAME)
    assert (first.error, second.error) == ("", "")
    assert first.moves == (
        "11-15", "23-19", "8-11", "22-17", "11-16", "24-20", "16x23", "27x11", "7x16", "20x11", "3-7",
    )  # fmt: skip
    assert first.players == ("Anderson", "Wyllie")
    assert first.utilities == (100.0, -100.0)  # 1-0: the first player, who is Black
    assert first.comments == {1: "the usual", 10: "rest of the line"}
    assert second.position == "W:WK31,K32:BK19,28"
    assert second.moves == ("31-26", "19-15")


def test_reads_variations_and_marks_and_writes_them(game):
    first = next(read_games(GAME.splitlines(keepends=True)))
    tree = first.tree(game)
    assert first.error == ""
    assert tree[4].nags == [1]
    [variation] = tree[4].variations
    assert [move.san for move in variation] == ["9-13", "17-14", "10x17"]
    assert [move.san for move in variation[1].variations[0]] == ["25-22"]
    text = write_game(game, first.tags, tree)
    assert '[GameType "21"]' in text
    again = next(read_games(text.splitlines(keepends=True)))
    assert again.tree(game) == tree
    assert (again.error, again.tags["Black"], again.result) == ("", "Anderson", "1-0")


def test_writes_records_that_read_back(game):
    for record in record_format(game, "pdn").read(GAME):
        [again] = record_format(game, "pdn").read(record_format(game, "pdn").write(record))
        for name in ("moves", "players", "utilities", "position", "comments", "error"):
            assert getattr(again, name) == getattr(record, name)


def test_a_game_with_parameters_says_so(game):
    other = load_game("checkers:ballot=68")
    record = Record(game="checkers:ballot=68", moves=("22x17",), players=("a", "b"))
    text = write_file("pdn", [(other, record)])
    assert '[GametreeGame "checkers:ballot=68"]' in text
    assert '[FEN "W:W18,' in text
    assert recognise(text) == "pdn"


@pytest.mark.parametrize(
    ("text", "name"),
    [
        (GAME, "pdn"),
        ("1. 11-15 23-19 *", "pdn"),
        ('[Event "x"]\n\n1. 11-15 *', "pdn"),
        ('[Event "x"]\n\n1. e4 e5 *', "pgn"),
        ('[Event "x"]\n[Result "1-0"]\n\n1. d4 1-0', "pgn"),
    ],
)
def test_is_told_from_pgn(game, text, name):
    assert recognise(text, None if text.startswith("[") else game) == name


@pytest.mark.parametrize("ending", [("2-0", 100.0), ("1-1", 0.0), ("0-2", -100.0), ("1-0", 100.0), ("1/2-1/2", 0.0)])
def test_results(game, ending):
    [record] = record_format(game, "pdn").read(f"1. 11-15 {ending[0]}")
    assert (record.moves, record.utilities) == (("11-15",), (ending[1], -ending[1]))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("1. 11-15 22-18 2. 12-16", "Move 3: '12-16' is not a legal move here, because captures are compulsory"),
        ("1. 11-15 {never closed", "A comment is not closed"),
        ("1. 11-15 (11-16", "A variation is not closed"),
        ("1. 11-15 ) 23-18", "closes no variation"),
        ("hello there", "'hello' is no part of a game"),
        ("1. 11-15 23-18 & more", "'&' is no part of a game"),
        ('[GameType "20"]\n\n1. 32-28', "GameType is '20'"),
        ('[FEN "B:W40:B1"]\n\n1. 1-5', "'40'"),
        ("[Event no quotes]\n\n1. 11-15", "is not a tag"),
    ],
)
def test_what_is_broken_gets_a_sentence(game, text, said):
    [record] = record_format(game, "pdn").read(text)
    assert said in record.error
    assert record.error.count("\n") == 0


def test_play_may_have_gone_on_after_a_draw(game):
    text = '[FEN "B:WK32:BK1"]\n\n' + "1. 1-5 32-28 2. 5-1 28-32 " * 4
    [record] = record_format(game, "pdn").read(text)
    assert (len(record.moves), record.error) == (16, "")
