"""One game under the referee: clocks, luck, openings, and an end with a reason whatever the players do."""

from __future__ import annotations

import time

import pytest

from gametree import BadInput, load_game
from gametree.core.clock import Clock
from gametree.core.errors import IllegalMove
from gametree.core.game import CHANCE, SIMULTANEOUS
from gametree.play.clocks import TimeControl
from gametree.play.endings import REASONS, Adjudication, forfeit
from gametree.play.openings import Opening, default_plies, random_opening, read_opening, read_openings
from gametree.play.players import RESIGN, Choice, FilePlayer, PlayerFault, make_player
from gametree.play.referee import play_game

GAME = load_game("tictactoe")


class Own:
    """A player whose moves a function gives."""

    def __init__(self, function):
        self.function = function

    def choose(self, game, state, seat):
        return self.function(game, state, seat)


def own(function):
    return FilePlayer("own", Own(function))


def first(game, state, seat):
    return game.seat_actions(state, seat)[0]


def randoms(game):
    return [make_player("random", game) for _ in range(game.facts.players)]


def replay(game, record):
    """The last state of a record, every move of which must be legal."""
    opening = read_opening(record.opening)
    state = game.initial() if opening.position is None else game.state_from_text(opening.position)
    for word in (*opening.moves, *record.moves):
        state = game.result(state, game.action_from_text(state, word))
    return state


@pytest.mark.parametrize(
    "name",
    ["tictactoe", "tictactoe3", "nim:1-2-3", "pig", "kuhn", "goofspiel", "harvest", "connect4", "tree:(1 (2 3))"],
)
def test_games_of_every_kind_are_played_to_the_end_and_can_be_replayed(name):
    game = load_game(name)
    records = [play_game(game, randoms(game), seed=seed) for seed in (1, 1, 2)]
    for record in records:
        assert record.reason == "end"
        assert record.reason in REASONS
        final = replay(game, record)
        assert game.is_terminal(final)
        assert record.utilities == tuple(game.utility(final, seat) for seat in range(game.facts.players))
        assert len(record.moves) == len(record.movers) == len(record.times) == len(record.notes)
    assert records[0].moves == records[1].moves


def test_the_same_seed_brings_the_same_dice_whoever_plays():
    game = load_game("pig:target=30")
    hold = own(lambda game, state, seat: "hold" if state.points >= 6 else "roll")
    dare = own(lambda game, state, seat: "hold" if state.points >= 12 else "roll")

    def dice(players, seed):
        record = play_game(game, players, seed=seed)
        return [move for move, mover in zip(record.moves, record.movers, strict=True) if mover == CHANCE]

    for seed in range(5):
        one, other = dice([hold, dare], seed), dice([dare, hold], seed)
        common = min(len(one), len(other))
        assert common > 3
        assert one[:common] == other[:common]
    assert dice([hold, dare], 1)[:6] != dice([hold, dare], 2)[:6]


def test_both_choose_before_either_sees():
    game = load_game("goofspiel")
    record = play_game(game, [own(first), own(first)], seed=1)
    assert SIMULTANEOUS in record.movers
    assert record.utilities == (0, 0)


def test_a_player_that_gives_up_or_fails_or_cheats():
    def fail(game, state, seat):
        raise ZeroDivisionError("by zero")

    for function, reason, words in (
        (lambda *_: RESIGN, "resigned", "player 2 (own) resigned"),
        (lambda *_: Choice(RESIGN), "resigned", "resigned"),
        (fail, "crash", "choose() raised ZeroDivisionError: by zero"),
        (lambda *_: 99, "illegal", "played '99'"),
        (lambda *_: [1], "illegal", "played '[1]'"),
        (lambda *_: None, "illegal", "played 'None'"),
    ):
        record = play_game(GAME, [own(first), own(function)])
        assert record.reason == reason
        assert words in record.detail
        assert record.utilities == (1, -1)


def test_a_player_that_fails_at_the_start_loses():
    class Late(Own):
        def start(self, game, seat, seed):
            raise PlayerFault("start", "not ready")

    record = play_game(GAME, [FilePlayer("late", Late(first)), own(first)])
    assert (record.reason, record.utilities, record.moves) == ("start", (-1, 1), ())


def test_the_flag_falls():
    def sleep(game, state, seat):
        time.sleep(0.05)
        return first(game, state, seat)

    record = play_game(GAME, [own(first), own(sleep)], control=TimeControl.parse("time=0.01"))
    assert (record.reason, record.utilities) == ("time", (1, -1))
    assert len(record.moves) == 1
    forgiven = play_game(GAME, [own(first), own(sleep)], control=TimeControl.parse("time=0.01"), margin=30)
    assert forgiven.reason == "end"
    total = play_game(GAME, [own(first), own(sleep)], control=TimeControl.parse("0.12"))
    assert total.reason == "time"
    assert 2 <= len(total.moves) <= 6


def test_a_search_that_has_no_answer_in_time_loses():
    def think(game, state, seat):
        Clock(nodes=1).check(2)

    record = play_game(GAME, [own(think), own(first)])
    assert record.reason == "time"
    assert record.utilities == (-1, 1)


def test_adjudication():
    lost = own(lambda game, state, seat: Choice(first(game, state, seat), value=-0.95))
    level = own(lambda game, state, seat: Choice(first(game, state, seat), value=0.01))
    hopeless = play_game(GAME, [lost, own(first)], adjudication=Adjudication.parse(None, "-0.9,2", None))
    assert (hopeless.reason, hopeless.utilities, len(hopeless.moves)) == ("hopeless", (-1, 1), 2)
    drawn = play_game(GAME, [level, level], adjudication=Adjudication.parse(None, None, "0.05,4"))
    assert (drawn.reason, drawn.utilities, len(drawn.moves)) == ("drawn", (0, 0), 3)
    limited = play_game(GAME, [lost, level], adjudication=Adjudication.parse(4, None, None))
    assert (limited.reason, limited.utilities, len(limited.moves)) == ("limit", (0, 0), 4)
    for wrong in ((0, None, None), (None, "x", None), (None, None, "0.1,0"), (None, "-1,y", None)):
        with pytest.raises(BadInput):
            Adjudication.parse(*wrong)


def test_who_forfeits_gets_the_least_and_the_others_share_the_rest():
    three = load_game("tictactoe3")
    shares = forfeit(three, 1)
    assert shares[1] == three.facts.min_utility
    assert shares[0] == shares[2]
    assert sum(shares) == pytest.approx(three.facts.utility_sum)
    assert three.facts.sides == ((0,), (1,), (2,))
    with pytest.raises(BadInput, match="has 3 seats, but 2 players"):
        play_game(three, [own(first), own(first)])


# Openings ------------------------------------------------------------------------------------------------------------


def test_openings_are_played_first_and_told_to_nobody_as_moves():
    record = play_game(GAME, randoms(GAME), opening=Opening("X../.O./...", ("c1",)))
    assert record.opening == "position X../.O./... moves c1"
    assert read_opening(record.opening) == Opening("X../.O./...", ("c1",))
    assert GAME.is_terminal(replay(GAME, record))
    with pytest.raises(IllegalMove, match="'b2' is not a legal move"):
        play_game(GAME, randoms(GAME), opening=Opening("X../.O./...", ("b2",)))


def test_a_file_of_openings(tmp_path):
    file = tmp_path / "openings.txt"
    file.write_text("# first\na1 b2\n\nposition X../.O./... moves c1\nposition X../.O./...\n")
    found = read_openings(GAME, str(file))
    assert found == [Opening(None, ("a1", "b2")), Opening("X../.O./...", ("c1",)), Opening("X../.O./...")]
    for text, words in (
        ("a1 b2\na1 a1\n", "line 2: 'a1' is not a legal move"),
        ("position XX\n", "line 1: 'XX' is not a tic-tac-toe position"),
        ("a1 a2 b1 b2 c1\n", "line 1: the game is over"),
        ("a1 a2 b1 b2 c1 c2\n", "line 1: The move 'c2' comes after the end"),
        ("# nothing\n", "holds no opening"),
    ):
        file.write_text(text)
        with pytest.raises(BadInput, match=words):
            read_openings(GAME, str(file))
    with pytest.raises(BadInput, match="cannot be read"):
        read_openings(GAME, str(tmp_path / "none.txt"))


def test_random_openings_are_legal_short_enough_and_repeatable():
    assert random_opening(GAME, 4, 1) == random_opening(GAME, 4, 1)
    assert len({random_opening(GAME, 4, seed) for seed in range(20)}) > 10
    nim = load_game("nim:1-1")
    assert len(random_opening(nim, 9, 1).moves) == 1  # the second move would end the game
    assert default_plies(GAME) == 2
    assert default_plies(load_game("pig")) == default_plies(load_game("goofspiel")) == 0
    assert random_opening(load_game("kuhn"), 3, 1).moves == ()
