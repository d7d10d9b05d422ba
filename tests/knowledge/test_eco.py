"""Names of openings: by position, for games with and without a table."""

from __future__ import annotations

import io
import json
import random

import chess as oracle
import pytest

from gametree import load_game
from gametree.formats.pgn import read_games, write_game
from gametree.games.chess.polyglot import keys_of
from gametree.interfaces.cli import run
from gametree.knowledge import opening_at, opening_of, opening_tags
from gametree.knowledge.opening_names import openings


@pytest.fixture(scope="module")
def game():
    return load_game("chess")


def actions(game, moves: str) -> list[int]:
    state, found = game.initial(), []
    for word in moves.split():
        found.append(game.action_from_text(state, word))
        state = game.result(state, found[-1])
    return found


def test_the_table_is_whole(game):
    table = openings(game)
    assert len(table) > 3000
    assert {opening.code for opening in table.values()} == {f"{v}{n:02}" for v in "ABCDE" for n in range(100)}
    for key, opening in random.Random(1).sample(sorted(table.items()), 150):
        assert keys_of(game, game.state_from_text(f"startpos moves {opening.moves}"))[0] == key
        board = oracle.Board()
        for word in opening.moves.split():
            board.push_san(word)


@pytest.mark.parametrize(
    ("moves", "code", "name"),
    [
        ("e4 e5 Nf3", "C40", "King's Knight Opening"),
        ("e4 c5 Nf3 d6 d4 cxd4 Nxd4 Nf6 Nc3 a6", "B90", "Sicilian Defense: Najdorf Variation"),
        ("e4 e5 Nf3 Nc6 Bb5", "C60", "Ruy Lopez"),
        ("d4 d5 c4", "D06", "Queen's Gambit"),
        ("c4 d5 d4", "D06", "Queen's Gambit"),  # another order of moves
        ("e4 e5 Nf3 Nc6 Bb5 h5 Na3 Rh6", "C60", "Ruy Lopez"),  # the last position that has a name
    ],
)
def test_openings_by_position(game, moves, code, name):
    found = opening_of(game, actions(game, moves))
    assert (found.code, found.name) == (code, name)


def test_positions_without_a_name(game):
    assert opening_of(game, []) is None
    assert opening_at(game, game.initial()) is None
    assert opening_at(game, game.state_from_text("startpos moves d4 d5 c4")).code == "D06"
    assert opening_of(load_game("othello"), [19]) is None


def test_the_tags_of_a_pgn(game):
    line = actions(game, "d4 Nf6 c4 g6 Nc3 d5")
    tags = opening_tags(game, line)
    assert tags == {"ECO": "D80", "Opening": "Grünfeld Defense"}
    (read,) = read_games(io.StringIO(write_game(game, tags, line)))
    assert read.tags["ECO"] == "D80"
    assert opening_tags(load_game("othello"), []) == {}


def test_the_command(capsys):
    assert run(["book", "name", "chess", "1. e4 e5 2.Nf3 Nc6 3.Bb5"]) == 0
    assert capsys.readouterr().out == "C60 Ruy Lopez (e4 e5 Nf3 Nc6 Bb5)\n"
    assert run(["book", "name", "chess", "e4 e6", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["opening"] == {"code": "C00", "name": "French Defense", "moves": "e4 e6"}
    assert run(["book", "name", "chess"]) == 0
    assert capsys.readouterr().out == "This opening has no name.\n"
    assert run(["book", "name", "chess", "e4 e4"]) == 2
    assert "'e4' is not a legal move" in capsys.readouterr().err
    assert run(["book", "name", "nim", ""]) == 2
    assert "knows no names of openings of nim" in capsys.readouterr().err
