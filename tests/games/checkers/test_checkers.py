"""Checkers against a plain oracle, published counts, and what its text promises."""

from __future__ import annotations

import random

import pytest
from plain_checkers import PlainCheckers

from gametree import BadInput, IllegalMove, load_game
from gametree.games.checkers.moves import path_of
from gametree.games.checkers.notation import ballots
from gametree.kernels.perft import perft
from gametree.search.compiled.engine import Engine

START = "B:W21,22,23,24,25,26,27,28,29,30,31,32:B1,2,3,4,5,6,7,8,9,10,11,12"


@pytest.fixture(scope="module")
def game():
    return load_game("checkers")


def without_clock(game, state):
    return game.fen(state).partition(":H")[0]


def compare(game, state, plain):
    """The moves of both, and every position behind them."""
    expected = plain.moves()
    found = {tuple(path_of(action)): action for action in game.actions(state)}
    assert found.keys() == expected.keys(), plain.fen()
    assert len(found) == len(game.actions(state))
    for path, after in expected.items():
        assert without_clock(game, game.result(state, found[path])) == after.fen()
    texts = {game.action_text(state, action) for action in found.values()}
    assert len(texts) == len(found)
    assert all(game.action_text(state, game.action_from_text(state, text)) == text for text in texts)
    return found, expected


def test_agrees_with_the_oracle_in_random_games(game):
    rng, seen = random.Random(1), 0
    while seen < 2500:
        state, plain = game.initial(), PlainCheckers()
        while True:
            seen += 1
            assert without_clock(game, state) == plain.fen()
            if game.is_terminal(state):
                drawn = game.struct(state).clock >= 80 or game.repetitions(state) >= 3
                assert drawn == bool(plain.moves())
                assert game.utility(state, 0) == (0 if drawn else -100 if plain.side == "b" else 100)
                break
            found, expected = compare(game, state, plain)
            path = rng.choice(sorted(found))
            state, plain = game.result(state, found[path]), expected[path]


def test_agrees_with_the_oracle_on_random_placements(game):
    rng = random.Random(2)
    squares = [(row, column) for row in range(8) for column in range(8) if (row + column) % 2]
    longest = 0
    for _ in range(3000):
        board = {}
        kings = rng.random()
        for square in rng.sample(squares, rng.randint(2, 24)):
            side = rng.choice("bw")
            king = rng.random() < kings or square[0] == (7 if side == "b" else 0)
            if sum(piece.lower() == side for piece in board.values()) < 12:
                board[square] = side.upper() if king else side
        plain = PlainCheckers(board, rng.choice("bw"))
        found, _ = compare(game, game.state_from_text(plain.fen()), plain)
        longest = max([longest, *map(len, found)])
    assert longest >= 6  # paths of five jumps and more were among them


def test_perft_counts_paths_apart(game):
    expected = [7, 49, 302, 1469, 7361, 36768, 179740, 845931, 3963680, 18391564, 85242128]
    assert [perft(game, depth=depth) for depth in range(1, 12)] == expected


def test_nine_jumps_in_one_move(game):
    """The longest path there is: a king that goes round all nine squares that can be jumped over."""
    state = game.state_from_text("W:WK4:B6,7,8,14,15,16,22,23,24")
    found, _ = compare(game, state, PlainCheckers(board_of(game, state), "w"))
    assert max(map(len, found)) == 10
    assert {without_clock(game, game.result(state, found[path])) for path in found if len(path) == 10} == {"B:WK25:B"}


def board_of(game, state):
    """The position as the oracle has it."""
    return {
        (item_row, item_column): item.text
        for item in game.draw(state).items
        for number in [int(item.place) - 1]
        for item_row in [number // 4]
        for item_column in [2 * (number % 4) + (1 - number // 4 % 2)]
    }


def test_two_ways_to_the_same_square(game):
    """A man that captures two pieces on either way: the whole path is written, and from and to alone will not do."""
    state = game.state_from_text("W:W31:B26,27,18,19")
    assert {game.action_text(state, action) for action in game.actions(state)} == {"31x22x15", "31x24x15"}
    with pytest.raises(IllegalMove, match="several ways: 31x2"):
        game.action_from_text(state, "31x15")
    ring = game.state_from_text("W:WK31:B26,27,18,19")  # the same four whichever way round
    assert {game.action_text(ring, action) for action in game.actions(ring)} == {"31x22x15x24x31", "31x24x15x22x31"}
    assert without_clock(game, game.result(ring, game.action_from_text(ring, "31x31"))) == "B:WK31:B"


def test_crowning_ends_the_move(game):
    state = game.state_from_text("B:W26,27:B22")
    assert [game.action_text(state, action) for action in game.actions(state)] == ["22x31"]
    after = game.result(state, game.actions(state)[0])
    assert game.fen(after) == "W:W27:BK31"  # and not on over 27


def test_draws(game):
    state = game.state_from_text("B:WK32:BK1:H78")
    state = game.result(state, game.action_from_text(state, "1-5"))
    assert not game.is_terminal(state)
    state = game.result(state, game.action_from_text(state, "32-28"))
    assert game.is_terminal(state)
    assert game.utility(state, 0) == 0
    assert game.lenient_actions(state)
    again = game.state_from_text("B:WK32:BK1 moves 1-5 32-28 5-1 28-32 1-5 32-28 5-1")
    assert not game.is_terminal(again)
    again = game.result(again, game.action_from_text(again, "28-32"))
    assert (game.is_terminal(again), game.utility(again, 0)) == (True, 0)
    man = game.state_from_text("B:WK32:BK1,9:H50")
    assert game.struct(game.result(man, game.action_from_text(man, "9-13"))).clock == 0
    assert game.struct(game.result(man, game.action_from_text(man, "1-5"))).clock == 51
    assert load_game("checkers:rule=0").actions(game.state_from_text("B:WK32:BK1:H200"))


def test_who_cannot_move_loses(game):
    for text in ("B:W9,14:B5", "B:W9,14:B5:H80", "B:W20:B"):
        state = game.state_from_text(text)
        assert (game.is_terminal(state), game.utility(state, 0), game.utility(state, 1)) == (True, -100, 100)


def test_text_and_back(game):
    assert game.state_text(game.initial()) == START
    assert game.state_from_text("startpos") == game.initial()
    assert game.state_from_text("b:w21-32 : b1-12.") == game.initial()
    text = "W:W18,24,27,28,K10,K19:B12,16,20,K22:H7"
    state = game.state_from_text(text)
    assert game.state_text(game.state_from_text(game.state_text(state))) == game.state_text(state)
    assert game.struct(state).clock == 7
    later = game.state_from_text("B:WK32:BK1 moves 1-5 32-28")
    assert " seen " in game.state_text(later)
    assert game.state_from_text(game.state_text(later)) == later


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "not a position of checkers"),
        ("B:W5", "not a position of checkers"),
        ("B:W5:W6", "not a position of checkers"),
        ("B:W33:B1", "'33'"),
        ("B:WX:B1", "'X'"),
        ("B:W5:B5", "two pieces on square 5"),
        ("B:W3:B5", "man of White on 3"),
        ("B:W20:B30", "man of Black on 30"),
        ("B:W5-18:B1", "more than 12 pieces of White"),
        ("ballot Shrak", "Did you mean 'Shark'"),
        ("startpos moves 11-16 11-16", "not a legal move"),
        ("B:WK32:BK1 seen xyz", "list of keys"),
    ],
)
def test_positions_that_cannot_be(game, text, said):
    with pytest.raises(BadInput, match=said):
        game.state_from_text(text)


def test_moves_are_read_in_many_forms(game):
    state = game.state_from_text("startpos moves 11-15 22-18")
    jump = game.action_from_text(state, "15x22")
    for text in ("15-22", "15:22", "15X22", " 15x22! ", "e5xc3", "E5xC3"):
        assert game.action_from_text(state, text) == jump
    assert game.coordinates(state, jump) == "e5xc3"
    assert game.coordinates(game.initial(), game.action_from_text(game.initial(), "11-15")) == "f6-e5"
    with pytest.raises(IllegalMove, match="captures are compulsory"):
        game.action_from_text(state, "8-11")
    for text in ("", "11", "1115", "11-", "x", "99-98", "11-15-", "a9-b8", "0-0"):
        with pytest.raises(IllegalMove):
            game.action_from_text(state, text)


def test_the_ballots(game):
    found = ballots()
    assert [ballot.number for ballot in found] == list(range(1, 175))
    decks = [ballot.deck for ballot in found]
    assert (decks.count("deck"), decks.count("mail"), decks.count("barred")) == (144, 12, 18)
    assert [b.number for b in found if b.deck == "barred"] == [
        3, 13, 26, 35, 44, 45, 48, 52, 77, 88, 94, 109, 114, 137, 145, 156, 168, 171,
    ]  # fmt: skip
    for ballot in found:
        state = game.state_from_text(f"ballot {ballot.number}")
        assert game.player(state) == 1
        assert state == load_game(f"checkers:ballot={ballot.number}").initial()
    assert game.state_from_text("ballot white doctor") == game.state_from_text("startpos moves 10-14 22-18 12-16")
    assert load_game("checkers:ballot=9-13 21-17 5-9").initial() == game.state_from_text("ballot 1")


def test_every_ballot_is_another_first_three_moves(game):
    legal = set()
    for first in game.actions(game.initial()):
        one = game.result(game.initial(), first)
        for second in game.actions(one):
            two = game.result(one, second)
            for third in game.actions(two):
                names = (game.action_text(game.initial(), first), game.action_text(one, second))
                legal.add((*names, game.action_text(two, third)))
    assert len(legal) == 302
    assert {ballot.moves for ballot in ballots()} < legal


def test_a_click_for_every_square_of_a_path(game):
    state = game.state_from_text("W:W31,32:B27,19,11")
    action = game.action_from_text(state, "32x7")
    assert game.action_cells(state, action) == ("32", "23", "16", "7")


def test_the_drawing_tells_kings_from_men(game):
    drawing = game.draw(game.state_from_text("B:WK10,21:B1,K30"))
    assert {(item.place, item.kind, item.text, item.player) for item in drawing.items} == {
        ("10", "king", "W", 1),
        ("21", "stone", "w", 1),
        ("1", "stone", "b", 0),
        ("30", "king", "B", 0),
    }


def turned(text):
    """The position with the board turned by half and the colours swapped."""
    side, white, black = text.split(":")

    def half(pieces):
        return [("K" if word.startswith("K") else "") + str(33 - int(word.lstrip("K"))) for word in pieces.split(",")]

    return f"{'W' if side == 'B' else 'B'}:W{','.join(half(black[1:]))}:B{','.join(half(white[1:]))}"


def test_the_estimate_does_not_depend_on_the_colour(game):
    rng, seen = random.Random(5), 0
    while seen < 400:
        state = game.initial()
        while not game.is_terminal(state):
            text = without_clock(game, state)
            other = game.state_from_text(turned(text))
            here = game.state_from_text(text)
            assert game.evaluate(here, 0) == game.evaluate(other, 1) == -game.evaluate(here, 1)
            explained = sum(value for _, value in game.explain(here))
            assert explained == pytest.approx(game.evaluate(here, game.player(here)))
            seen += 1
            state = game.result(state, rng.choice(game.actions(state)))


def test_the_engine_wins_what_is_won_and_says_the_same_twice(game):
    state = game.state_from_text("B:WK14:BK1,K2")
    first = Engine(game, table_mib=8).search(state, depth=9)
    second = Engine(game, table_mib=8).search(state, depth=9)
    assert (first.move, first.value, first.nodes) == (second.move, second.value, second.nodes)
    shot = game.state_from_text("B:W19,24,27:B12,3,4")
    assert Engine(game, table_mib=8).search(shot, depth=5).value > -3
