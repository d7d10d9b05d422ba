"""Opening books: the file, looking it up, choosing, and what is refused."""

from __future__ import annotations

import random
import struct
from importlib import resources
from pathlib import Path

import chess as oracle
import chess.polyglot as oracle_polyglot
import numpy as np
import pytest

from gametree import BadInput, UnfitGame, load_game
from gametree.interfaces.cli import run
from gametree.knowledge import Book, book_move, open_book
from gametree.knowledge.book import (
    ENTRY,
    Header,
    book_bytes,
    check_book,
    game_of,
    shipped_books,
    start_digest,
    write_book,
)
from gametree.knowledge.keys import keys_for

GNUCHESS = Path("/usr/share/games/gnuchess/book.bin")
DATA = resources.files("gametree.knowledge").joinpath("data")


@pytest.fixture(scope="module")
def game():
    return load_game("chess")


@pytest.fixture(scope="module")
def othello():
    return load_game("othello")


def entries_of(game, rows):
    """(moves from the start, the book's move, weight) → entries."""
    keys = keys_for(game)
    found = []
    for line, text, weight in rows:
        state = game.initial()
        for word in line.split():
            state = game.result(state, game.action_from_text(state, word))
        found.append((keys.find(state)[0], keys.code(state, game.action_from_text(state, text)), weight, 0))
    return np.array(found, ENTRY)


ROWS = [("", "e4", 30), ("", "d4", 10), ("", "a4", 0), ("e4", "c5", 7), ("e4 e5 Nf3 Nc6 Bb5 a6 Ba4 Nf6", "O-O", 5)]


def named(game, state, book):
    return {game.action_text(state, move.action): (move.weight, move.share) for move in book.moves(state)}


def test_a_book_knows_what_was_put_in(game):
    book = Book(book_bytes(entries_of(game, ROWS), game), game)
    start = game.initial()
    assert len(book) == 5
    assert named(game, start, book) == {"e4": (30, 0.75), "d4": (10, 0.25), "a4": (0, 0.0)}
    castling = game.state_from_text("startpos moves e4 e5 Nf3 Nc6 Bb5 a6 Ba4 Nf6")
    assert named(game, castling, book) == {"O-O": (5, 1.0)}
    assert book.moves(game.state_from_text("startpos moves d4")) == []


def test_choosing_follows_weights_and_seeds(game):
    book = Book(book_bytes(entries_of(game, ROWS), game), game)
    start = game.initial()
    e4, d4 = (game.action_from_text(start, text) for text in ("e4", "d4"))
    assert book.choose(start, best=True) == e4
    rng = random.Random(3)
    chosen = [book.choose(start, rng) for _ in range(400)]
    assert set(chosen) == {e4, d4}  # never the move of weight 0
    assert 260 < chosen.count(e4) < 340
    assert [book.choose(start, seed) for seed in range(20)] == [book.choose(start, seed) for seed in range(20)]
    assert book.choose(game.state_from_text("startpos moves d4"), 1) is None


def test_a_position_with_no_weight_at_all_gives_no_move(game):
    book = Book(book_bytes(entries_of(game, [("", "a4", 0)]), game), game)
    assert book.moves(game.initial())[0].share == 0
    assert book.choose(game.initial(), 1) is None


def test_python_chess_reads_what_is_written_here(game, tmp_path):
    path = tmp_path / "small.bin"
    write_book(path, entries_of(game, ROWS), game)
    board = oracle.Board()
    with oracle_polyglot.open_reader(path) as reader:
        assert len(reader) == 5
        assert [(e.move.uci(), e.weight) for e in reader.find_all(board)] == [("e2e4", 30), ("d2d4", 10)]
        for move in ["e2e4", "e7e5", "g1f3", "b8c6", "f1b5", "a7a6", "b5a4", "g8f6"]:
            board.push_uci(move)
        assert [e.move.uci() for e in reader.find_all(board)] == ["e1g1"]


def compare_with_python_chess(game, path: Path, book: Book, games: int) -> int:
    """Play the book against itself and compare every position; the number of moves that were compared."""
    rng, compared = random.Random(7), 0
    with oracle_polyglot.open_reader(path) as reader:
        assert len(reader) == len(book)
        for _ in range(games):
            state, board = game.initial(), oracle.Board()
            while True:
                moves = book.moves(state)
                mine = {(game.uci(state, move.action), move.weight) for move in moves}
                theirs = {(entry.move.uci(), entry.weight) for entry in reader.find_all(board, minimum_weight=0)}
                assert mine == theirs
                action = book.choose(state, rng)
                if action is None:
                    break
                compared += len(moves)
                board.push_uci(game.uci(state, action))
                state = game.result(state, action)
    return compared


def test_the_shipped_book_of_chess_is_small_and_reads_the_same_in_python_chess(game, tmp_path):
    data = DATA.joinpath("chess.bin").read_bytes()
    assert 100_000 < len(data) < 2_000_000
    path = tmp_path / "chess.bin"
    path.write_bytes(data)
    assert compare_with_python_chess(game, path, open_book("default", game), 30) > 500
    assert len(open_book("default", game).moves(game.initial())) >= 3


@pytest.mark.skipif(not GNUCHESS.is_file(), reason="Debian's gnuchess-book is not installed")
def test_the_book_of_gnu_chess_is_read(game):
    book = open_book(GNUCHESS, game)
    assert len(book) == 180_358
    assert compare_with_python_chess(game, GNUCHESS, book, 10) > 200


def test_the_data_comes_with_the_package():
    assert shipped_books() == ["chess", "othello"]
    for name in ("chess.bin", "othello.bin", "chess_openings.tsv"):
        assert DATA.joinpath(name).is_file()
    keys = resources.files("gametree.games.chess").joinpath("polyglot_keys.txt")
    assert len(keys.read_text("ascii").split()) == 781


def test_the_shipped_book_of_othello_is_sound(othello):
    book = open_book("default", othello)
    report = check_book(book)
    assert report.sound
    assert report.positions > 100
    assert report.reached > 30


# Other games ----------------------------------------------------------------------------------------------------------


def test_the_header_says_what_game_a_book_is_for(othello, tmp_path):
    path = tmp_path / "o.bin"
    entries = entries_of(othello, [("", "f5", 9), ("f5", "d6", 5), ("f5", "f6", 5)])
    write_book(path, entries, othello, comment="Made by hand.")
    book = open_book(path, othello)
    assert book.header == Header("othello", start_digest(othello, keys_for(othello)), "Made by hand.")
    assert (len(book), game_of(path)) == (3, "othello")
    assert path.stat().st_size % 16 == 0
    with oracle_polyglot.open_reader(path) as reader:  # the layout is Polyglot's
        assert sum(entry.key != 0 for entry in reader) == 3


def test_symmetric_positions_and_moves_are_one(othello):
    entries = entries_of(othello, [("", "f5", 9), ("f5", "d6", 8), ("f5", "f6", 4)])
    book = Book(book_bytes(entries, othello), othello)
    # The four first moves are the same move turned, and share its weight.
    assert named(othello, othello.initial(), book) == dict.fromkeys(("d3", "c4", "f5", "e6"), (9, 0.25))
    # f5 is turned into c4 by half a turn: d6 becomes e3, f6 becomes c3.
    after = othello.result(othello.initial(), othello.action_from_text(othello.initial(), "c4"))
    assert named(othello, after, book) == {"e3": (8, pytest.approx(2 / 3)), "c3": (4, pytest.approx(1 / 3))}


def test_a_game_in_plain_python_has_books_too():
    game = load_game("tictactoe")
    entries = entries_of(game, [("", game.action_text(game.initial(), game.actions(game.initial())[4]), 3)])
    book = Book(book_bytes(entries, game), game)
    (move,) = book.moves(game.initial())
    assert (move.action, move.share) == (game.actions(game.initial())[4], 1.0)


def test_a_book_of_another_game_is_refused(game, othello, tmp_path):
    chess_book, othello_book = tmp_path / "c.bin", tmp_path / "o.bin"
    write_book(chess_book, entries_of(game, ROWS), game)
    write_book(othello_book, entries_of(othello, [("", "f5", 9)]), othello)
    with pytest.raises(BadInput, match=r"'.*o\.bin' is a book of othello; expected a book of chess\."):
        open_book(othello_book, game)
    with pytest.raises(BadInput, match=r"c\.bin' is a book of chess \(it has no header.*expected a book of othello\."):
        open_book(chess_book, othello)
    with pytest.raises(BadInput, match="another start position than that of othello:size=6"):
        open_book(othello_book, load_game("othello:size=6"))
    with pytest.raises(BadInput, match=r"no book of nim, only of chess, othello"):
        open_book("default", load_game("nim"))
    with pytest.raises(UnfitGame, match="hidden is True"):
        Book(b"", load_game("kuhn"))


@pytest.mark.parametrize(("variant", "fits"), [("normal", True), ("fischerandom", True), ("crazyhouse", False)])
def test_headers_of_other_programs(game, variant, fits):
    data = Header(variant, None, "by hand").entries() + book_bytes(entries_of(game, ROWS), game)
    if fits:
        book = Book(data, game)
        assert len(book) == 5
        assert len(book.moves(game.initial())) == 3
    else:
        with pytest.raises(BadInput, match="a book of crazyhouse"):
            Book(data, game)


# Broken files ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "is empty"),
        (b"x" * 17, "truncated or no book: it has 17 bytes"),
        (bytes(range(255, 223, -1)), "not in order"),
    ],
)
def test_what_is_no_book_is_refused(game, tmp_path, data, message, capsys):
    path = tmp_path / "b.bin"
    path.write_bytes(data)
    with pytest.raises(BadInput, match=message):
        open_book(path, game)
    for command in ("show", "check", "merge"):
        extra = ["-o", str(tmp_path / "m.bin")] if command == "merge" else []
        assert run(["book", command, str(path), *extra]) == 2
        (line,) = capsys.readouterr().err.splitlines()
        assert message in line
    assert not (tmp_path / "m.bin").exists()


def test_a_missing_file_is_named(game, tmp_path):
    with pytest.raises(BadInput, match=r"nothing\.bin' cannot be read: No such file"):
        open_book(tmp_path / "nothing.bin", game)


def test_a_book_of_nothing_but_a_header_is_an_empty_book(game):
    book = Book(Header("chess").entries(), game)
    assert (len(book), book.moves(game.initial())) == (0, [])


def test_the_check_finds_illegal_and_repeated_moves(game):
    good = entries_of(game, ROWS)
    report = check_book(Book(book_bytes(good, game), game))
    assert (report.sound, report.entries, report.positions) == (True, 5, 3)
    assert (report.reached, report.deepest, report.unplayed) == (2, 1, 1)  # the book stops after e4 c5
    start = keys_for(game).find(game.initial())[0]
    bad = np.concatenate([good, good[:1], np.array([(start, 12 | 4 << 6, 3, 0)], ENTRY)])  # Ke2 on the first move
    report = check_book(Book(book_bytes(bad, game), game))
    assert (report.sound, report.illegal, report.repeated) == (False, 1, 1)


def test_a_fault_that_opening_passes_over_is_found_by_the_check(game, monkeypatch):
    monkeypatch.setattr("gametree.knowledge.book.MOST_CHECKED", 2)
    data = b"".join(struct.pack(">QHHI", key, 1, 1, 0) for key in (1, 5, 2, 7, 8, 9, 10))
    with pytest.raises(BadInput, match="Entry 3 of the book has a lower key"):
        check_book(Book(data, game))


# Players --------------------------------------------------------------------------------------------------------------


def test_a_player_asks_the_book_first(game):
    book = Book(book_bytes(entries_of(game, ROWS), game), game)
    rng = random.Random(1)
    start = game.initial()
    assert book_move(book, game, start, rng, best=True) == game.action_from_text(start, "e4")
    assert book_move(None, game, start, rng) is None
    assert book_move(book, game, game.state_from_text("startpos moves d4"), rng) is None
    mated = game.state_from_text("startpos moves f3 e5 g4 Qh4")
    assert game.is_terminal(mated)
    assert book_move(book, game, mated, rng) is None
