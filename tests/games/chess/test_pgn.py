"""PGN: reading and writing games, broken ones too."""

from __future__ import annotations

import io
import random

import chess as oracle
import chess.pgn as oracle_pgn
import pytest

from gametree import BadInput, IllegalMove, load_game
from gametree.formats.pgn import DEEPEST, LONGEST_GAME, PgnGame, PgnMove, read_games, write_game
from gametree.games.chess.rules import Chess

ANNOTATED = """\
[Event "A \\"test\\""]
[White "One, Player"]
[Result "1-0"]

{Before all.} 1. e4 $1 {best by test} e5 2. Nf3 (2. f4 exf4 (2... d5 {Falkbeer} 3. exd5) 3. Nf3)
(2. Bc4 ; to the end of the line
2... Nf6) 2... Nc6!? 3.Bb5 a6
{[%clk 0:01:02]
[not a tag "inside a comment"]} 4. Ba4 1-0
"""


@pytest.fixture(scope="module")
def game() -> Chess:
    return load_game("chess")


def names(line: list[PgnMove]) -> list[str]:
    return [move.san for move in line]


def test_comments_variations_and_marks(game):
    (found,) = read_games(io.StringIO(ANNOTATED))
    assert found.tags == {"Event": 'A "test"', "White": "One, Player", "Result": "1-0"}
    line = found.tree(game)
    assert found.error == ""
    assert names(line) == ["e4", "e5", "Nf3", "Nc6", "Bb5", "a6", "Ba4"]
    assert (line[0].before, line[0].comment, line[0].nags) == ("Before all.", "best by test", [1])
    assert line[3].nags == [5]
    assert line[5].comment == '[%clk 0:01:02] [not a tag "inside a comment"]'
    first, second = line[2].variations
    assert (names(first), names(second)) == (["f4", "exf4", "Nf3"], ["Bc4", "Nf6"])
    assert names(first[1].variations[0]) == ["d5", "exd5"]
    assert first[1].variations[0][0].comment == "Falkbeer"
    assert second[0].comment == "to the end of the line"
    assert found.main_line(game) == [move.action for move in line]
    assert found.result == "1-0"


@pytest.mark.parametrize("result", ["1-0", "0-1", "1/2-1/2", "*"])
def test_every_result_ends_the_main_line(game, result):
    (found,) = read_games(io.StringIO(f"1. e4 e5 2. Nf3 Nc6 3. Bc4 Bc5 4. 0-0 {result}\n"))
    assert len(found.main_line(game)) == 7
    assert found.error == ""


def test_what_is_written_reads_back_equal_here_and_in_python_chess(game):
    (found,) = read_games(io.StringIO(ANNOTATED))
    line = found.tree(game)
    text = write_game(game, found.tags, line)
    assert max(map(len, text.splitlines())) <= 80
    (again,) = read_games(io.StringIO(text))
    assert again.tree(game) == line
    assert again.error == ""
    theirs = oracle_pgn.read_game(io.StringIO(text))
    assert not theirs.errors
    assert [move.uci() for move in theirs.mainline_moves()] == ["e2e4", "e7e5", "g1f3", "b8c6", "f1b5", "a7a6", "b5a4"]
    assert [node.san() for node in theirs.next().next().variations] == ["Nf3", "f4", "Bc4"]


def test_random_games_of_python_chess_are_read(game):
    rng = random.Random(4)
    texts, lines = [], []
    for _ in range(20):
        board = oracle.Board()
        record = oracle_pgn.Game()
        node = record
        while not board.is_game_over() and board.ply() < 120:
            move = rng.choice(list(board.legal_moves))
            if rng.random() < 0.1:
                node.add_variation(rng.choice(list(board.legal_moves)), comment="or so")
            node = node.add_main_variation(move) if node.variations else node.add_variation(move)
            board.push(move)
        record.headers["Result"] = board.result()
        texts.append(str(record))
        lines.append([move.uci() for move in record.mainline_moves()])
    games = list(read_games(io.StringIO("\n\n".join(texts))))
    assert len(games) == 20
    for found, line in zip(games, lines, strict=True):
        state = game.initial()
        moves = found.main_line(game)
        assert found.error == ""
        assert [move.action for move in found.tree(game)] == moves
        assert len(moves) == len(line)
        for move, name in zip(moves, line, strict=True):
            assert game.find_move(state, name) == move
            state = game.result(state, move)


def test_a_game_from_a_position_and_its_result(game):
    tags = {"FEN": "7k/8/6K1/8/8/8/8/R7 w - - 0 40", "White": "A\\B"}
    state = game.state_from_text(tags["FEN"])
    text = write_game(game, tags, [game.action_from_text(state, "Ra8")])
    assert '[SetUp "1"]' in text
    assert '[White "A\\\\B"]' in text
    assert text.endswith("\n40. Ra8# 1-0\n")
    (again,) = read_games(io.StringIO(text))
    assert (again.tags["White"], again.result) == ("A\\B", "1-0")
    assert len(again.main_line(game)) == 1
    black = "7k/8/6K1/8/8/8/8/R7 b - - 0 40"
    text = write_game(game, {"FEN": black}, [game.action_from_text(game.state_from_text(black), "Kg8")])
    assert text.endswith("\n40... Kg8 *\n")


def test_what_cannot_be_written_is_refused(game):
    with pytest.raises(IllegalMove, match="not legal"):
        write_game(game, {}, [1])
    with pytest.raises(BadInput, match="'a b'"):
        write_game(game, {"a b": "c"}, [])


@pytest.mark.parametrize(
    ("text", "reason", "plies"),
    [
        ("1. e4 e5 2. Ke3 Nf6 *", "'Ke3'", 2),
        ("1. e4 e5 2. e4", "'e4'", 2),
        ("1. e4 (1. d4 d5 *", "not closed", 1),
        ("1. e4) e5 *", "closes no variation", 2),
        ("1. e4 {no end e5 *", "not closed", 1),
    ],
)
def test_broken_games_are_survived_one_by_one(game, text, reason, plies):
    file = f'[Event "good"]\n\n1. d4 d5 *\n\n[Event "bad"]\n\n{text}\n\n[Event "good"]\n\n1. c4 c5 1/2-1/2\n'
    games = list(read_games(io.StringIO(file)))
    assert [found.tags["Event"] for found in games] == ["good", "bad", "good"]
    assert [len(games[0].main_line(game)), len(games[2].main_line(game))] == [2, 2]
    assert games[0].error == games[2].error == ""
    assert len(games[1].main_line(game)) == plies
    assert reason in games[1].error
    again = PgnGame(text=games[1].text)
    assert 1 <= len(again.tree(game)) <= plies
    assert reason in again.error


def test_strange_characters_are_named(game):
    found = PgnGame(text="1. e4 e5 2. Nf3 % Nc6 *")
    assert names(found.tree(game)) == ["e4", "e5", "Nf3"]
    assert "'%' is no part of a game" in found.error


def test_wrong_tags_and_positions_are_named(game):
    (found,) = read_games(io.StringIO('[Event "x]\n[FEN "8/8/8 w - -"]\n\n1. e4 *\n'))
    assert "is not a tag" in found.error
    assert found.main_line(game) == []
    (found,) = read_games(io.StringIO('[FEN "8/8/8 w - -"]\n\n1. e4 *\n'))
    assert found.tree(game) == []
    assert "field 1" in found.error


def test_random_bytes_and_endless_games_are_survived(game):
    rng = random.Random(6)
    noise = bytes(rng.randrange(256) for _ in range(50_000)).decode("utf-8", errors="replace")
    for found in read_games(io.StringIO(noise)):
        assert found.main_line(game) == []
        found.tree(game)
    endless = ["1. e4 e5 {" + "x" * 100_000 + "\n"] * (LONGEST_GAME // 100_000 + 2)
    games = list(read_games([*endless, "}\n", '[Event "good"]\n', "\n", "1. e4 *\n"]))
    assert "no end within" in games[0].error
    deep = PgnGame(text="1. e4 " + "(1. d4 " * (DEEPEST + 1))
    deep.tree(game)
    assert "nested more than" in deep.error


def test_reading_is_lazy():
    def lines():
        yield '[Event "1"]\n'
        yield "1. e4 *\n"
        yield '[Event "2"]\n'
        raise AssertionError("read too far")

    assert next(read_games(lines())).tags["Event"] == "1"


@pytest.mark.parametrize("result", ["1-0", "0-1", "1/2-1/2", "*"])
def test_a_result_is_no_move_although_castling_may_be_written_with_zeros(game, result):
    (found,) = read_games([f'[Result "{result}"]\n', f"1. e4 e5 2. Nf3 Nf6 3. Be2 Be7 4. 0-0 0-0 {result}\n"])
    assert len(found.main_line(game)) == 8
    assert found.error == ""
