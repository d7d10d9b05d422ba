"""Building books: from PGN, from records of other games, from books, by analysis; and the commands."""

from __future__ import annotations

import json
import random
from collections import Counter
from pathlib import Path

import chess as oracle
import chess.pgn as oracle_pgn
import chess.polyglot as oracle_polyglot
import numpy as np
import pytest

from gametree import BadInput, UnfitGame, load_game
from gametree.interfaces.cli import run
from gametree.knowledge import Book, open_book
from gametree.knowledge.book import ENTRY, book_bytes, write_book
from gametree.knowledge.build import STATISTICS, BookBuilder, merge_entries, points_of, select
from gametree.knowledge.grow import BookTree
from gametree.knowledge.records import Tally, add_files
from gametree.search.textbook.alphabeta import search as alphabeta


@pytest.fixture(scope="module")
def game():
    return load_game("chess")


@pytest.fixture(scope="module")
def othello():
    return load_game("othello")


@pytest.fixture(scope="module")
def pgn(tmp_path_factory) -> tuple[Path, Counter]:
    """60 random games that begin alike, also from a position, and (key, move, points) of their first 12 plies."""
    rng, texts, counts = random.Random(11), [], Counter()
    for number in range(60):
        board = oracle.Board("4k3/8/8/8/8/8/4P3/4K3 b - - 0 1") if number % 10 == 9 else oracle.Board()
        record = oracle_pgn.Game()
        record.setup(board)
        record.headers["Result"] = ["1-0", "0-1", "1/2-1/2"][number % 3]
        node = record
        while not board.is_game_over() and len(board.move_stack) < 30:
            move = list(board.legal_moves)[rng.randrange(min(2, board.legal_moves.count()))]
            white = {"1-0": 2, "0-1": 0, "1/2-1/2": 1}[record.headers["Result"]]
            if len(board.move_stack) < 12:
                points = white if board.turn else 2 - white
                counts[oracle_polyglot.zobrist_hash(board), board.uci(move, chess960=True), points] += 1
            node = node.add_variation(move)
            board.push(move)
        texts.append(str(record))
    path = tmp_path_factory.mktemp("pgn") / "games.pgn"
    path.write_text("\n\n".join(texts), encoding="utf-8")
    return path, counts


def uci(code: int) -> str:
    names = [oracle.square_name(code >> 6 & 63), oracle.square_name(code & 63), " nbrq"[code >> 12].strip()]
    return "".join(names)


def test_every_move_of_a_pgn_is_counted(game, pgn):
    path, counts = pgn
    builder = BookBuilder(game, max_ply=12)
    assert add_files(builder, [path]) == Tally(games=60)
    found = Counter()
    for key, code, games, wins, draws, losses in builder.statistics().tolist():
        assert games == wins + draws + losses
        for points, number in ((2, wins), (1, draws), (0, losses)):
            if number:
                found[key, uci(code), points] = number
    assert found == counts


def test_rows_are_added_up_in_parts_as_well(game, pgn, monkeypatch):
    once, parts = BookBuilder(game), BookBuilder(game)
    add_files(once, [pgn[0]])
    monkeypatch.setattr("gametree.knowledge.build.MOST_ROWS", 100)
    monkeypatch.setattr("gametree.knowledge.records.BATCH", 7)
    add_files(parts, [pgn[0]])
    assert np.array_equal(once.statistics(), parts.statistics())


def test_the_general_way_counts_like_the_batches(game, pgn):
    from gametree.formats.pgn import read_games

    quick, plain = BookBuilder(game, max_ply=10), BookBuilder(game, max_ply=10)
    add_files(quick, [pgn[0]])
    utilities = {"1-0": (1, -1), "0-1": (-1, 1), "1/2-1/2": (0, 0)}
    with pgn[0].open(encoding="utf-8") as lines:
        for record in read_games(lines):
            plain.add_game(record.main_line(game), utilities[record.result], record.start(game))
    assert np.array_equal(quick.statistics(), plain.statistics())


def test_broken_and_unfinished_games_are_passed_over_and_counted(game, tmp_path):
    path = tmp_path / "g.pgn"
    path.write_text(
        '[Event "good"]\n[Result "1-0"]\n\n1. e4 e5 2. Nf3 1-0\n\n'
        '[Event "illegal"]\n[Result "1-0"]\n\n1. e4 e5 2. Ke3 1-0\n\n'
        '[Event "illegal late"]\n[Result "0-1"]\n\n1. e4 e5 2. Nf3 Nc6 3. Kd8 0-1\n\n'
        '[Event "going on"]\n[Result "*"]\n\n1. d4 *\n\n'
        '[Event "bad start"]\n[FEN "nonsense"]\n[Result "0-1"]\n\n1. d4 0-1\n\n'
        '[Event "no moves"]\n[Result "0-1"]\n\n0-1\n',
        encoding="utf-8",
    )
    builder = BookBuilder(game, max_ply=4)  # the book does not see the late mistake
    tally = add_files(builder, [path])
    assert (tally.games, tally.unfinished, tally.broken) == (2, 1, 3)
    assert "FEN" in tally.example
    assert builder.statistics()["games"].sum() == 3 + 4


def test_a_game_without_tags_has_its_result_behind_it(game, tmp_path):
    path = tmp_path / "g.pgn"
    path.write_text("1. e4 e5 2. Nf3 Nc6 1/2-1/2\n", encoding="utf-8")
    assert add_files(BookBuilder(game), [path]) == Tally(games=1)


@pytest.mark.parametrize("content", [b"", b"\0\xff[]{}" * 3000, random.Random(0).randbytes(200_000), b"a" * 5_000_000])
@pytest.mark.parametrize("name", ["chess", "othello"])
def test_files_without_a_game_are_refused(name, content, tmp_path):
    path = tmp_path / "g.pgn"
    path.write_bytes(content)
    with pytest.raises(BadInput, match=f"holds no finished game of {name} that can be read") as caught:
        add_files(BookBuilder(load_game(name)), [path])
    assert len(str(caught.value)) < 300
    assert str(caught.value).isprintable()


def test_a_missing_file_is_refused_before_anything_is_read(game, pgn, tmp_path):
    with pytest.raises(BadInput, match=r"no file '.*missing\.pgn'"):
        add_files(BookBuilder(game), [pgn[0], tmp_path / "missing.pgn"])


# What is kept ---------------------------------------------------------------------------------------------------------


def table(*rows):
    return np.array(list(rows), STATISTICS)


TABLE = table((5, 1, 100, 60, 20, 20), (5, 2, 40, 4, 8, 28), (5, 3, 2, 2, 0, 0), (9, 1, 3, 0, 0, 3), (9, 2, 3, 0, 1, 2))


def kept(**limits):
    return {(key, code): weight for key, code, weight, _ in select(TABLE, **limits).tolist()}


def test_weights_are_half_points_and_limits_drop_moves():
    assert kept(min_games=1) == {(5, 1): 140, (5, 2): 16, (5, 3): 4, (9, 2): 1}  # who only lost has no weight
    assert kept(min_games=3) == {(5, 1): 140, (5, 2): 16, (9, 2): 1}
    assert kept(min_games=1, min_score=0.21) == {(5, 1): 140, (5, 3): 4}
    assert kept(min_games=1, min_share=0.05) == {(5, 1): 140, (5, 2): 16, (9, 2): 1}
    assert kept(min_games=1, margin=0.3) == {(5, 1): 140, (5, 3): 4, (9, 2): 1}  # the mean of position 5 is 0.56


def test_large_weights_are_scaled_within_their_position():
    rows = select(table((5, 1, 90_000, 90_000, 0, 0), (5, 2, 45_000, 45_000, 0, 0), (7, 1, 10, 10, 0, 0)))
    assert rows["weight"].tolist() == [65_535, 32_767, 20]


@pytest.mark.parametrize("limits", [{"min_games": 0}, {"min_score": 1.5}, {"min_share": -0.1}, {"margin": 2.0}])
def test_impossible_limits_are_refused(limits):
    with pytest.raises(BadInput, match="is not possible; expected"):
        select(TABLE, **limits)


def test_points_of_many_players():
    assert [points_of((3, 1, 2), seat) for seat in range(3)] == [2, 0, 0]
    assert [points_of((3, 3, 2), seat) for seat in range(3)] == [1, 1, 0]


# Othello --------------------------------------------------------------------------------------------------------------


def random_record(game, rng: random.Random) -> list[str]:
    state, words = game.initial(), []
    while not game.is_terminal(state):
        action = rng.choice(game.actions(state))
        words.append(game.action_text(state, action))
        state = game.result(state, action)
    return words


def turn(word: str) -> str:
    """A square after half a turn of the board."""
    return word if word == "pass" else "abcdefgh"["hgfedcba".index(word[0])] + str(9 - int(word[1]))


def test_records_of_othello_in_all_spellings_make_the_same_book(othello, tmp_path):
    rng = random.Random(5)
    games = [random_record(othello, rng) for _ in range(20)]
    assert any("pass" in words for words in games)
    spellings = {
        "spaces": [" ".join(words) for words in games],
        "joined": ["".join(word for word in words if word != "pass").upper() for words in games],
        "numbered": ["# a comment", *(" ".join(f"{i}. {w}" for i, w in enumerate(words, 1)) for words in games)],
        "turned": ["".join(turn(word) for word in words) for words in games],
        "pgn": [f'[Event "x"]\n[Variant "othello"]\n\n{" ".join(words)} {{the end}} 1-0\n' for words in games],
    }
    books = {}
    for name, lines in spellings.items():
        path = tmp_path / f"{name}.txt"
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
        builder = BookBuilder(othello, max_ply=70)
        assert add_files(builder, [path]) == Tally(games=20), name
        books[name] = book_bytes(select(builder.statistics(), min_games=1), othello)
    assert len(set(books.values())) == 1
    book = Book(books["joined"], othello)
    first = book.moves(othello.initial())
    assert sorted(othello.action_text(othello.initial(), move.action) for move in first) == ["c4", "d3", "e6", "f5"]


def test_broken_and_unfinished_records_of_othello(othello, tmp_path):
    path = tmp_path / "o.txt"
    lines = ["f5d6c3d3c4 1-0", "f5d6c3", "f5d6c3 *", "f5a1", "hello", "".join(random_record(othello, random.Random(2)))]
    path.write_text("\n".join(lines), encoding="utf-8")
    builder = BookBuilder(othello, max_ply=3)
    tally = add_files(builder, [path])
    assert (tally.games, tally.unfinished, tally.broken) == (2, 2, 2)
    assert tally.example == "Move 2: 'a1' at character 3 is not a legal move."
    assert builder.statistics()["games"].sum() == 6


# Merging and growing --------------------------------------------------------------------------------------------------


def test_books_are_merged(game, othello, tmp_path):
    one, two, other = (tmp_path / name for name in ("1.bin", "2.bin", "3.bin"))
    write_book(one, np.array([(3, 1, 40_000, 0), (3, 2, 10, 0)], ENTRY), game)
    write_book(two, np.array([(3, 1, 40_000, 0), (4, 9, 1, 0)], ENTRY), game)
    write_book(other, np.array([(3, 1, 1, 0)], ENTRY), othello)
    name, entries = merge_entries([one, two])
    assert name == "chess"
    rows = {(key, move): weight for key, move, weight, _ in entries.tolist()}
    assert rows == {(3, 1): 65_535, (3, 2): 8, (4, 9): 1}
    with pytest.raises(BadInput, match=r"3\.bin' is a book of othello, '.*1\.bin' one of chess; expected one game"):
        merge_entries([one, other])


def test_a_book_grown_by_perfect_analysis_never_loses():
    game = load_game("tictactoe")
    tree = BookTree(game, lambda state: alphabeta(game, state).value)
    tree.grow(10_000)
    assert tree.value() == 0
    book = Book(book_bytes(tree.entries(margin=0.5), game), game)
    rng = random.Random(1)
    for number in range(40):  # the book against chance, from both seats
        state = game.initial()
        while not game.is_terminal(state):
            own = game.player(state) == number % 2
            action = book.choose(state, rng) if own else rng.choice(game.actions(state))
            assert action is not None
            state = game.result(state, action)
        assert game.utility(state, number % 2) >= 0


def test_the_best_lines_grow_first():
    game = load_game("tree:((9 (8 9)) (1 2))")
    asked = []

    def judge(state):
        asked.append(state)
        return alphabeta(game, state).value

    tree = BookTree(game, judge, spread=1.0)
    tree.grow(2)
    assert len(tree) == 2
    book = Book(book_bytes(tree.entries(margin=100.0), game), game)
    good, bad = (game.result(game.initial(), action) for action in game.actions(game.initial()))
    assert book.moves(good)
    assert not book.moves(bad)
    with pytest.raises(UnfitGame, match="cannot be grown"):
        BookTree(load_game("pig"), judge)


# Commands -------------------------------------------------------------------------------------------------------------


def test_build_show_and_check(game, pgn, tmp_path, capsys):
    book = tmp_path / "b.bin"
    assert run(["book", "build", str(pgn[0]), "-o", str(book), "--max-ply", "12", "--json"]) == 0
    built = json.loads(capsys.readouterr().out)
    assert (built["games"], built["broken"], built["game"]) == (60, 0, "chess")
    assert built["bytes"] == 16 * built["entries"] == book.stat().st_size
    assert run(["book", "show", str(book), "--json"]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert {move["move"] for move in shown["moves"]} <= {"Nh3", "Nf3"}
    assert sum(move["share"] for move in shown["moves"]) == pytest.approx(1, abs=1e-5)
    assert run(["book", "check", str(book), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["sound"] is True
    assert run(["book", "merge", str(book), str(book), "-o", str(tmp_path / "m.bin")]) == 0
    assert f"{built['entries']:,} moves" in capsys.readouterr().out
    assert len(open_book(tmp_path / "m.bin", game)) == built["entries"]


def test_show_names_where_the_moves_lead(capsys):
    assert run(["book", "show", "default", "--moves", "e4 e5"]) == 0
    text = capsys.readouterr().out
    assert "C20 King's Pawn Game" in text
    assert "King's Knight Opening" in text
    assert run(["book", "show", "default", "8/8/8/8/8/8/4K3/k7 w - - 0 1"]) == 0
    assert "about this position" in capsys.readouterr().out


def test_show_knows_the_game_of_a_book(othello, tmp_path, capsys):
    path = tmp_path / "o.txt"
    path.write_text("f5d6c3d3c4 1-0\n", encoding="utf-8")
    book = tmp_path / "o.bin"
    assert run(["book", "build", str(path), "-g", "othello", "-o", str(book), "--min-games", "1"]) == 0
    capsys.readouterr()
    assert run(["book", "show", str(book), "-m", "f5 d6", "--json"]) == 0
    assert [move["move"] for move in json.loads(capsys.readouterr().out)["moves"]] == ["c3"]


def test_grow_writes_a_book(tmp_path, capsys):
    book = tmp_path / "t.bin"
    assert run(["book", "grow", "tictactoe", "-n", "5", "-d", "9", "-o", str(book), "--json"]) == 0
    grown = json.loads(capsys.readouterr().out)
    assert (grown["analysed"], grown["value"]) == (5, 0)
    assert run(["book", "check", str(book)]) == 0


def test_stopping_leaves_no_half_written_book(pgn, tmp_path, monkeypatch):
    def stop(*_):
        raise KeyboardInterrupt

    book = tmp_path / "b.bin"
    book.write_bytes(b"as it was")
    monkeypatch.setattr("gametree.knowledge.records._Batch.count", stop)
    assert run(["book", "build", str(pgn[0]), "-o", str(book)]) == 130
    assert [file.name for file in tmp_path.iterdir()] == ["b.bin"]
    assert book.read_bytes() == b"as it was"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--min-games", "0"], "min-games of 0 is not possible"),
        (["--max-ply", "0"], "--max-ply 0 is not possible"),
        (["--min-score", "2"], "min-score of 2.0 is not possible"),
        (["--min-games", "1000"], "No move of 60 games is left"),
        (["--game", "kuhn"], "kuhn cannot have a book: its fact hidden is True"),
        (["--game", "chesss"], "no game called 'chesss'"),
    ],
)
def test_bad_options_are_one_sentence(pgn, tmp_path, capsys, arguments, message):
    assert run(["book", "build", str(pgn[0]), "-o", str(tmp_path / "b.bin"), *arguments]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert message in line
    assert not list(tmp_path.iterdir())
