"""The evaluation of chess: fair to both colours, explained to the last centipawn, with weights that can be chosen."""

from __future__ import annotations

import itertools
import json
import random

import chess as oracle
import numpy as np
import pytest

from gametree import BadInput, load_game
from gametree.games.chess.explanation import categories, expectation, ledger_of
from gametree.games.chess.rules import Chess
from gametree.games.chess.terms import (
    FEATURES,
    KNIGHT_CENTRE,
    KNIGHT_KINGS,
    MATERIAL,
    SHIPPED,
    SPACE,
    TEMPO,
    TERMS,
    TEXTBOOK,
    ending_of,
    load_weights,
    middle_of,
    pack,
    read_weights,
    weights_text,
)


@pytest.fixture(scope="module")
def game() -> Chess:
    return load_game("chess")


def random_boards(count: int):
    rng = random.Random(9)
    while count:
        board = oracle.Board()
        for _ in range(rng.randrange(10, 150)):
            if board.is_game_over():
                break
            board.push(rng.choice(list(board.legal_moves)))
        if not board.is_game_over():
            count -= 1
            yield board


def test_colours_turned_round_give_the_same_estimate(game):
    for board in random_boards(60):
        state = game.state_from_text(board.fen())
        mirrored = game.state_from_text(board.mirror().fen())
        assert game.evaluate(state, board.turn ^ 1) == game.evaluate(mirrored, board.turn)
        ours = [(name, white, black) for name, white, black in game.explain_sides(state) if name != "rounding"]
        theirs = [(name, black, white) for name, white, black in game.explain_sides(mirrored) if name != "rounding"]
        for mine, other in zip(ours, theirs, strict=True):
            assert mine[0] == other[0]
            assert mine[1:] == pytest.approx(other[1:])


def test_the_terms_add_up(game):
    for board in random_boards(40):
        state = game.state_from_text(board.fen())
        seat = game.player(state)
        terms = dict(game.explain(state))
        assert sum(terms.values()) == pytest.approx(game.evaluate(state, seat))
        assert abs(terms["rounding"]) <= 0.04
        assert game.evaluate(state, 0) == -game.evaluate(state, 1)
        count = {kind: len(board.pieces(kind, True)) - len(board.pieces(kind, False)) for kind in range(1, 6)}
        if not any(count.values()):
            assert terms["material"] == pytest.approx(0)


def test_the_knight_of_the_textbooks():
    game = load_game("chess:weights=textbook")
    assert TEXTBOOK[MATERIAL + 1].tolist() == [350, 320]  # less in the ending
    centre = TEXTBOOK[KNIGHT_CENTRE : KNIGHT_CENTRE + 64, 0]
    assert centre[[0, 7, 56, 63]].tolist() == [0, 0, 0, 0]
    assert centre[[27, 28, 35, 36]].tolist() == [100, 100, 100, 100]
    assert (centre.min(), centre.max()) == (0, 100)
    assert TEXTBOOK[KNIGHT_KINGS].tolist() == [-1, -1]
    in_corner = game.state_from_text("4k3/pppp4/8/8/8/8/PPPP4/N3K3 w - - 0 1")
    in_centre = game.state_from_text("4k3/pppp4/8/8/3N4/8/PPPP4/4K3 w - - 0 1")
    assert game.evaluate(in_centre, 0) > game.evaluate(in_corner, 0) + 0.3
    terms = {name: white for name, white, _ in game.explain_sides(in_corner)}
    assert terms["knights: distance from the kings"] == pytest.approx(-(4 + 7) / 100)  # four and seven steps


def test_the_tuned_knight_has_the_form_of_the_textbooks():
    tuned = load_weights("tuned")
    assert tuned[MATERIAL + 1].tolist() == [350, 320]
    centre = tuned[KNIGHT_CENTRE : KNIGHT_CENTRE + 64, 0]
    assert centre.min() == 0
    assert centre[[27, 28, 35, 36]].min() > max(centre[[0, 7, 56, 63]])


@pytest.mark.parametrize(
    ("better", "worse"),
    [
        ("4k3/8/8/8/8/8/PP6/4K3 w - - 0 1", "4k3/8/8/8/8/P7/P7/4K3 w - - 0 1"),  # side by side, doubled
        ("4k3/8/P7/8/8/8/8/4K3 w - - 0 1", "4k3/8/8/8/8/P7/8/4K3 w - - 0 1"),  # a passed pawn far ahead
        ("4k3/8/8/2b2b2/8/8/8/4K3 b - - 0 1", "4k3/8/8/2b1b3/8/8/8/4K3 b - - 0 1"),  # bishops of both colours
        ("r5k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1", "r5k1/3p1ppp/8/8/8/8/3P1PPP/3R2K1 w - - 0 1"),  # an open file
        ("4k3/8/8/8/8/8/8/3QK3 w - - 0 1", "4k3/8/8/8/8/8/8/3RK3 w - - 0 1"),
        ("4k3/8/8/8/8/8/4P3/3NK3 w - - 0 1", "4k3/8/8/8/8/8/8/2NNK3 w - - 0 1"),  # two knights cannot mate
        ("7k/8/5K2/8/8/8/8/R7 w - - 0 1", "8/8/8/3k4/8/5K2/8/R7 w - - 0 1"),  # a bare king at the edge
        ("7k/8/6K1/8/8/3N4/3B4/8 w - - 0 1", "k7/8/1K6/8/8/3N4/3B4/8 w - - 0 1"),  # in the bishop's corner
        ("8/8/7k/8/8/8/P7/7K w - - 0 1", "8/8/2k5/8/8/8/P7/7K w - - 0 1"),  # nobody catches the pawn
        ("r2q1rk1/5ppp/8/8/8/8/5PPP/R2Q1RK1 w - - 0 1", "r2q1rk1/5ppp/8/8/5PPP/8/8/R2Q1RK1 w - - 0 1"),  # a bare king
    ],
)
def test_what_is_better_is_worth_more(game, better, worse):
    one, other = game.state_from_text(better), game.state_from_text(worse)
    seat = game.player(one)
    assert game.evaluate(one, seat) > game.evaluate(other, seat)


@pytest.mark.parametrize(
    ("fen", "counted"),
    [
        ("4k3/pppppppp/8/8/8/8/PPPPPPPP/R3K3 w - - 0 1", 64),
        ("4k3/8/8/8/8/8/8/R3K3 w - - 0 1", 64),
        ("4k3/8/8/8/8/8/8/RN2K2r w - - 0 1", 5),  # a piece ahead, but no pawn
        ("4k3/8/8/8/8/8/8/NN2K3 w - - 0 1", 5),  # two knights
        ("4k3/8/8/8/8/4P3/8/4K3 w - - 0 1", 24),
        ("4k3/8/8/8/8/3PP3/8/4K3 w - - 0 1", 64),
        ("4k1b1/8/8/8/8/3PP3/8/4K1B1 w - - 0 1", 14),  # bishops on different colours
        ("4k2b/8/8/8/8/3PP3/8/4K1B1 w - - 0 1", 50),  # on the same
        ("4k1n1/8/8/8/8/4P3/8/4K1B1 w - - 0 1", 6),  # the knight is given up for the pawn
        ("4k2r/8/8/8/8/4P3/8/4K2R w - - 0 1", 24),
        ("4k2r/6p1/8/8/8/4P1P1/8/4K2R w - - 0 1", 24),  # rooks, and all pawns on one wing
        ("4k2r/6p1/8/8/8/1P4P1/8/4K2R w - - 0 1", 50),
        ("4k3/8/8/8/8/8/8/R3K3 w - - 50 60", 48),  # the draw by the clock comes nearer
    ],
)
def test_how_much_of_an_ending_counts(game, fen, counted):
    board = oracle.Board(fen)
    for position in (board, board.mirror()):
        assert ledger_of(game, game.structs(game.state_from_text(position.fen())))[2] == counted


def test_packed_weights():
    pairs = [(0, 0), (5, -3), (-5, 3), (-520, -1000), (1130, 1090)]
    for (middle, ending), packed in zip(pairs, pack(pairs), strict=True):
        assert (middle_of(packed), ending_of(packed)) == (middle, ending)
        assert (middle_of(-7 * packed), ending_of(-7 * packed)) == (-7 * middle, -7 * ending)
    assert TERMS[0][1] == 0
    assert all(before[2] == after[1] for before, after in itertools.pairwise(TERMS))
    assert TERMS[-1][2] == FEATURES
    assert len({name for name, _, _ in TERMS}) == len(TERMS)


# Weights by name and from files ---------------------------------------------------------------------------------------


def test_weights_are_chosen_by_name_or_file(game, tmp_path):
    state = game.state_from_text("rnbqkbnr/1ppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1")
    changed = load_weights("tuned").copy()
    changed[MATERIAL] += 40
    file = tmp_path / "own.json"
    file.write_text(weights_text(changed))
    own = load_game(f"chess:weights={file}")
    assert (own.weights == changed).all()
    assert own.evaluate(state, 0) == pytest.approx(game.evaluate(state, 0) + 0.4, abs=0.02)
    assert game.evaluate(state, 0) == load_game("chess").evaluate(state, 0)
    assert load_game("chess:weights=textbook").evaluate(state, 0) != game.evaluate(state, 0)


def test_weights_are_written_as_they_are_read(tmp_path):
    file = tmp_path / "weights.json"
    weights = np.random.default_rng(3).integers(-1000, 1000, (FEATURES, 2))
    file.write_text(weights_text(weights + 0.3))
    assert (read_weights(file) == weights).all()


def test_the_weights_of_the_package_are_whole():
    assert (read_weights(SHIPPED) == load_weights("tuned")).all()


def test_a_new_term_has_its_textbook_weights_until_it_is_tuned(tmp_path):
    file = tmp_path / "weights.json"
    file.write_text(edited(lambda data: (data["terms"].pop("space"), data["terms"].update(tempo=[[3, 4]], luck=[]))))
    found = read_weights(file, lenient=True)
    assert found[TEMPO].tolist() == [3, 4]
    assert found[SPACE].tolist() == TEXTBOOK[SPACE].tolist()


def edited(change) -> str:
    data = json.loads(weights_text(TEXTBOOK))
    change(data)
    return json.dumps(data)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("not json", "is not a file of weights"),
        ("[1, 2]", "holds no weights of chess"),
        (edited(lambda data: data.update(game="othello")), "holds no weights of chess"),
        (edited(lambda data: data["terms"]["material"].pop()), "should have 5 weights of 'material', but has 4"),
        (edited(lambda data: data["terms"].pop("tempo")), "should have 1 weights of 'tempo', but has none"),
        (edited(lambda data: data["terms"].update(luck=[[1, 1]])), "term 'luck'"),
        (edited(lambda data: data["terms"].update(tempo=[[1, 1.5]])), "weight 1 of 'tempo' is [1, 1.5]"),
        (edited(lambda data: data["terms"].update(tempo=[[1, 10**9]])), "expected [middle, ending]"),
        (edited(lambda data: data["terms"].update(tempo=[7])), "weight 1 of 'tempo' is 7"),
    ],
)
def test_a_wrong_file_of_weights_is_refused(tmp_path, text, words):
    file = tmp_path / "weights.json"
    file.write_text(text)
    with pytest.raises(BadInput) as found:
        load_game(f"chess:weights={file}")
    assert words in str(found.value)
    assert str(file) in str(found.value)


def test_weights_that_are_not_there():
    with pytest.raises(BadInput, match="cannot be read"):
        load_game("chess:weights=nowhere.json")


# Chances --------------------------------------------------------------------------------------------------------------


def test_centipawns_become_chances(game):
    assert expectation(0) == pytest.approx(0.5)
    chances = [expectation(pawns / 10) for pawns in range(-100, 101)]
    assert chances == sorted(chances)
    assert 0 < chances[0] < 0.01 < 0.99 < chances[-1] < 1
    assert expectation(2.5) + expectation(-2.5) == pytest.approx(1)
    assert [game.winning_chance(value) for value in (-300, 0, 300)] == pytest.approx([0, 0.5, 1])


def test_an_expectation_is_that_of_its_categories():
    for pawns in (-4, -1, 0, 0.3, 2):
        win, draw, loss = categories(pawns)
        assert min(win, draw, loss) > 0
        assert win + draw + loss == pytest.approx(1)
        assert expectation(pawns) == pytest.approx(win * 1 + draw * 0.5 + loss * 0)
