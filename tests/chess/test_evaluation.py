"""The evaluation of chess: fair to both colours, and explained to the last centipawn."""

from __future__ import annotations

import itertools
import random

import chess as oracle
import numpy as np
import pytest

from gametree import load_game
from gametree.games.chess.evaluation import (
    DISTANCE,
    FEATURES,
    KNIGHT_CENTRE,
    TERMS,
    WEIGHTS,
    _pack,
    ending_of,
    expectation,
    middle_of,
)
from gametree.games.chess.rules import Chess


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


def test_the_knight_of_the_textbooks(game):
    centre = [int(middle_of(weight)) for weight in WEIGHTS[KNIGHT_CENTRE : KNIGHT_CENTRE + 64]]
    assert (min(centre), max(centre)) == (centre[0], 100)  # a1 and its like least, d4 and its like most
    assert centre[0] <= 14
    assert centre[27] == centre[28] == centre[35] == centre[36] == 100
    in_corner = game.state_from_text("4k3/pppp4/8/8/8/8/PPPP4/N3K3 w - - 0 1")
    in_centre = game.state_from_text("4k3/pppp4/8/8/3N4/8/PPPP4/4K3 w - - 0 1")
    assert game.evaluate(in_centre, 0) > game.evaluate(in_corner, 0) + 0.3
    terms = {name: white for name, white, _ in game.explain_sides(in_corner)}
    assert terms["knight: distance from the kings"] == pytest.approx(-(DISTANCE[0, 4] + DISTANCE[0, 60]) / 100)


@pytest.mark.parametrize(
    ("better", "worse"),
    [
        ("4k3/8/8/8/8/8/PP6/4K3 w - - 0 1", "4k3/8/8/8/8/P7/P7/4K3 w - - 0 1"),  # side by side, doubled
        ("4k3/8/P7/8/8/8/8/4K3 w - - 0 1", "4k3/8/8/8/8/P7/8/4K3 w - - 0 1"),  # a passed pawn far ahead
        ("4k3/8/8/2b2b2/8/8/8/4K3 b - - 0 1", "4k3/8/8/2b1b3/8/8/8/4K3 b - - 0 1"),  # bishops of both colours
        ("r5k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1", "r5k1/3p1ppp/8/8/8/8/3P1PPP/3R2K1 w - - 0 1"),  # an open file
        ("4k3/8/8/8/8/8/8/3QK3 w - - 0 1", "4k3/8/8/8/8/8/8/3RK3 w - - 0 1"),
        ("4k3/8/8/8/8/8/4P3/3NK3 w - - 0 1", "4k3/8/8/8/8/8/8/2NNK3 w - - 0 1"),  # two knights cannot mate
    ],
)
def test_what_is_better_is_worth_more(game, better, worse):
    one, other = game.state_from_text(better), game.state_from_text(worse)
    seat = game.player(one)
    assert game.evaluate(one, seat) > game.evaluate(other, seat)


def test_packed_weights():
    for middle, ending in [(0, 0), (5, -3), (-5, 3), (-520, -1000), (1130, 1090)]:
        packed = np.int64(_pack(middle, ending))
        assert (middle_of(packed), ending_of(packed)) == (middle, ending)
        assert (middle_of(-7 * packed), ending_of(-7 * packed)) == (-7 * middle, -7 * ending)
    assert TERMS[0][1] == 0
    assert all(before[2] == after[1] for before, after in itertools.pairwise(TERMS))
    assert TERMS[-1][2] == FEATURES == len(WEIGHTS)


def test_centipawns_become_chances():
    assert expectation(0) == pytest.approx(0.5)
    chances = [expectation(pawns / 10) for pawns in range(-100, 101)]
    assert chances == sorted(chances)
    assert 0 < chances[0] < 0.01 < 0.99 < chances[-1] < 1
    assert expectation(2.5) + expectation(-2.5) == pytest.approx(1)
