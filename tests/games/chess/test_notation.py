"""Chess text: FEN, moves, EPD, and every rule that they can break."""

from __future__ import annotations

import pytest

from gametree import BadInput, IllegalMove, load_game
from gametree.formats.epd import Epd, read_epd, read_epd_lines, write_epd
from gametree.games.chess.notation import read_wish
from gametree.games.chess.rules import Chess

START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"


@pytest.fixture(scope="module")
def game() -> Chess:
    return load_game("chess")


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("", ["0 fields", "4 to 6"]),
        ("8/8/8 w - -", ["field 1, pieces", "'8/8/8'", "3 ranks"]),
        (START.replace("RNBQKBNR", "RNBQKBN"), ["field 1", "rank 1", "7 squares"]),
        (START.replace("RNBQKBNR", "RNBQKBNR1"), ["field 1", "rank 1", "9 squares"]),
        (START.replace("RNBQKBNR", "RNBQXBNR"), ["field 1", "'X' in rank 1"]),
        (START.replace("RNBQKBNR", "RNBKKBNR"), ["field 1", "White has 2 kings"]),
        (START.replace("rnbqkbnr", "rnbqqbnr"), ["field 1", "Black has 0 kings"]),
        ("4k3/8/8/8/8/8/8/P3K3 w - - 0 1", ["field 1", "a pawn stands on a1"]),
        ("4k2p/8/8/8/8/8/8/4K3 w - - 0 1", ["field 1", "a pawn stands on h8"]),
        ("4k3/PPPPPPPP/P7/8/8/8/8/4K3 w - - 0 1", ["field 1", "9 pawns", "at most 8"]),
        (START.replace("8/8/8/8", "8/8/8/Q7"), ["field 1", "White has 1 pieces too many", "the 0 pawns"]),
        (START.replace(" w ", " x "), ["field 2, side to move", "'x'", "w or b"]),
        ("4k3/8/8/8/8/8/8/4RK2 w - - 0 1", ["field 2", "'w'", "Black is in check"]),
        (START.replace("KQkq", "KQkx"), ["field 3, castling", "'x' is no castling right"]),
        (START.replace("KQkq", "KK"), ["field 3", "'K' gives a right twice"]),
        ("4k3/8/8/8/8/8/8/4K3 w K - 0 1", ["field 3", "'K' needs a rook of White on rank 1"]),
        ("4k3/8/8/8/8/4K3/8/7R w K - 0 1", ["field 3", "king on rank 1", "e3"]),
        ("4k3/8/8/8/8/8/8/4KRR1 w FG - 0 1", ["field 3", "two rights on one side"]),
        (START.replace(" - 0", " e3 0"), ["field 4, en passant", "'e3'", "rank 6"]),
        (START.replace(" - 0", " e6 0"), ["field 4", "'e6'", "no pawn of Black"]),
        (START.replace(" - 0", " z9 0"), ["field 4", "'z9'"]),
        (START.replace("0 1", "x 1"), ["field 5, half-move clock", "'x'", "0 to 150"]),
        (START.replace("0 1", "151 1"), ["field 5", "'151'"]),
        ("4k3/8/8/3pP3/8/8/8/4K3 w - d6 3 2", ["field 5", "'3'", "d6"]),
        (START.replace("0 1", "0 -1"), ["field 6, move number", "'-1'"]),
        (START + " seen xyz", ["'xyz'", "16 hexadecimal digits"]),
        (START + " extra", ["7 fields"]),
    ],
)
def test_a_wrong_fen_is_refused_with_field_value_and_rule(game, text, parts):
    with pytest.raises(BadInput) as caught:
        game.state_from_text(text)
    for part in parts:
        assert part in str(caught.value)
    assert str(caught.value).count("\n") == 0


def test_castling_rights_in_all_spellings(game):
    inner = "1r2k1r1/8/8/8/8/8/8/RR2K1RR w {} - 0 1"
    outer, shredder = game.state_from_text(inner.format("KQ")), game.state_from_text(inner.format("HA"))
    assert outer == shredder
    state = game.state_from_text(inner.format("GBgb"))
    assert game.fen(state).split()[2] == "GBkq"  # Black has one rook on each side, so that K and Q suffice
    assert game.shredder_fen(state).split()[2] == "GBgb"
    assert game.shredder_fen(outer).split()[2] == "HA"
    assert game.state_from_text(game.fen(state)) == state


def test_en_passant_is_kept_only_where_it_is_legal(game):
    free = "4k3/8/8/8/4p3/8/3P4/4K3 w - - 0 1"
    state = game.result(game.state_from_text(free), game.action_from_text(game.state_from_text(free), "d4"))
    assert game.fen(state).split()[3] == "d3"
    pinned = "4k3/8/8/8/R3p2k/8/3P4/4K3 w - - 0 1".replace("4k3", "8")
    state = game.result(game.state_from_text(pinned), game.action_from_text(game.state_from_text(pinned), "d4"))
    assert game.fen(state).split()[3] == "-"
    assert game.fen(game.state_from_text("8/8/8/8/R2Pp2k/8/8/4K3 b - d3 0 1")).split()[3] == "-"


def test_short_fen_and_positions_by_moves(game):
    assert game.state_from_text(" ".join(START.split()[:4])) == game.initial()
    assert game.state_from_text(START.replace("0 1", "0 0")) == game.initial()
    by_moves = game.state_from_text("startpos moves e2e4 e7e5 Nf3")
    assert game.fen(by_moves) == "rnbqkbnr/pppp1ppp/8/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R b KQkq - 1 2"
    assert len(game.past(by_moves)) == 1
    with pytest.raises(IllegalMove, match="'e2e5'"):
        game.state_from_text("startpos moves e2e5")


@pytest.mark.parametrize(
    ("position", "text", "name"),
    [
        (START, "e4", "e4"),
        (START, "e2e4", "e4"),
        (START, "e2-e4", "e4"),
        (START, "Pe4", "e4"),
        (START, "Ng1f3!?", "Nf3"),
        (START, "Ng1-f3", "Nf3"),
        (START, " Nf3+ ", "Nf3"),
        ("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", "0-0", "O-O"),
        ("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", "e1g1", "O-O"),
        ("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", "e1h1", "O-O"),
        ("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", "O-O-O", "O-O-O"),
        ("1r5k/P7/8/8/8/8/8/K7 w - - 0 1", "axb8=N", "axb8=N"),
        ("1r5k/P7/8/8/8/8/8/K7 w - - 0 1", "a7b8q", "axb8=Q+"),
        ("1r5k/P7/8/8/8/8/8/K7 w - - 0 1", "a8(R)", "a8=R"),
        ("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 2", "exd6 e.p.", "exd6"),
        ("4k3/8/8/8/8/8/8/N1N1K3 w - - 0 1", "Nab3", "Nab3"),
        ("4k3/N7/8/8/8/8/8/N3K3 w - - 0 1", "Nc6", "Nc6"),
        ("8/k7/8/8/4Q2Q/8/8/K6Q w - - 0 1", "Qh4e1", "Qh4e1"),
        ("6rk/6pp/7N/8/8/8/8/K7 w - - 0 1", "Nf7", "Nf7#"),
    ],
)
def test_moves_are_read_in_every_notation_and_written_in_one(game, position, text, name):
    state = game.state_from_text(position)
    assert game.action_text(state, game.action_from_text(state, text)) == name


def test_long_algebraic(game):
    state = game.state_from_text("r3k2r/P7/8/8/8/8/8/R3K2R w KQkq - 0 1")
    for short, long in [("Rh7", "Rh1-h7"), ("Rxh8+", "Rh1xh8+"), ("O-O", "O-O"), ("Kf2", "Ke1-f2")]:
        assert game.lan(state, game.action_from_text(state, short)) == long


@pytest.mark.parametrize(
    ("position", "text", "parts"),
    [
        (START, "e5", ["'e5' is not a legal move here", "Legal moves:"]),
        (START, "Nf6", ["'Nf6'", "Did you mean"]),
        (START, "", ["'' is not a legal move"]),
        (START, "O-O", ["'O-O' is not a legal move"]),
        (START, "♘f3", ["'♘f3'"]),
        ("4k3/8/8/8/8/8/8/N1N1K3 w - - 0 1", "Nb3", ["'Nb3' is ambiguous", "Nab3, Ncb3"]),
        ("7k/P7/8/8/8/8/8/K7 w - - 0 1", "a8", ["'a8' does not say what the pawn becomes", "a8=Q+"]),
        ("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", "Kg8", ["'Kg8'", "the game is over"]),
    ],
)
def test_a_wrong_move_is_refused(game, position, text, parts):
    with pytest.raises(IllegalMove) as caught:
        game.action_from_text(game.state_from_text(position), text)
    for part in parts:
        assert part in str(caught.value)


def test_what_is_no_move_is_no_wish():
    for text in ("", "e9", "Zf3", "e4e", "O-O-O-O", "1-0", "e.p.", "x" * 1000):
        assert read_wish(text) == -1


# EPD ------------------------------------------------------------------------------------------------------------------

WAC = '2rr3k/pp3pp1/1nnqbN1p/3pN3/2pP4/2P3Q1/PPB4P/R4RK1 w - - bm Qg6; id "WAC.001";'


def test_epd_is_read_and_written(game):
    epd = read_epd(game, WAC)
    assert epd.operations == {"bm": ["Qg6"], "id": ["WAC.001"]}
    assert [game.action_text(epd.state, move) for move in epd.moves(game, "bm")] == ["Qg6"]
    assert epd.moves(game, "am") == []
    again = read_epd(game, write_epd(game, epd))
    assert again == epd
    noted = Epd(game.state_from_text("startpos moves Nf3 Nf6 g3"), {"c0": ['a "word"; and more'], "acd": ["12"]})
    assert read_epd(game, write_epd(game, noted)).operations["c0"] == ['a "word"; and more']
    clocked = read_epd(game, " ".join(START.split()[:4]) + " hmvc 7; fmvn 20; bm e4 d4;")
    assert game.fen(clocked.state).split()[4:] == ["7", "20"]
    assert len(clocked.moves(game, "bm")) == 2
    assert read_epd(game, START).state == game.initial()


@pytest.mark.parametrize(
    ("line", "part"),
    [
        ("8/8/8 w", "expected four fields"),
        ("4k3/8/8/8/8/8/8/8 w - - bm e4;", "White has 0 kings"),
        (WAC[:-1], "does not end"),
        (WAC.replace("bm", "?m"), "is not an EPD operation"),
        (WAC.replace('001"', "001"), "not closed"),
        (WAC + " hmvc 1 2;", "one number each"),
    ],
)
def test_a_wrong_epd_is_refused(game, line, part):
    with pytest.raises(BadInput, match="Line 3: ") as caught:
        list(read_epd_lines(game, ["# a comment", "", line]))
    assert part in str(caught.value)


def test_a_best_move_that_is_illegal_is_refused(game):
    with pytest.raises(IllegalMove, match="'Qa8'"):
        read_epd(game, WAC.replace("Qg6", "Qa8")).moves(game, "bm")
