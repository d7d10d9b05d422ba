"""Backgammon: plays against a slow oracle and known counts, the cube, matches, notation, and the board."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import pytest

from gametree.core.drawing_text import drawing_text
from gametree.core.errors import BadInput, IllegalMove
from gametree.core.registry import load_game
from gametree.games.backgammon.board import PLAY
from gametree.games.backgammon.evaluation import equity

START = "4HPwATDgc/ABMA"
ROLLS = [(a, b) for a in range(1, 7) for b in range(1, a + 1)]
COUNTS = {
    "11": 42, "21": 15, "22": 75, "31": 16, "32": 17, "33": 73, "41": 14, "42": 18, "43": 17, "44": 52, "51": 8,
    "52": 8, "53": 9, "54": 9, "55": 4, "61": 10, "62": 14, "63": 14, "64": 14, "65": 7, "66": 11,
}  # fmt: skip
HARD = {
    "ABicDxgAABAAAA": "65:1", "wGAAYAAAQAAAAA": "65:1", "wIaBDTgAAkAAAA": "61:1", "222ABwDg28EDQA": "61:4 66:15 54:1",
    "4HPwATDgc/ABUA": "21:7 54:7 64:4 66:1 33:29 44:23", "0HPwATDgc/ABYA": "54:1 31:1 62:1 11:9 55:7 66:1",
    "27YBAYBtGwAAAQ": "65:1 33:1", "OwwAADcHAAAAAA": "65:1 31:3 61:3 53:1 44:1 33:1 22:3 11:17",
    "Hw4AAMbdBQAAAA": "61:4 11:46 66:1 52:8 22:35", "u3cAADLmbgAAAA": "21:12 51:3 63:2 43:4 33:5 11:17",
    "YQMAwDYAABAAAA": "65:1 42:1 11:8 31:4", "AQAAVAAAAAAAAA": "21:3 33:1 11:2 65:1",
    "2LbBYAioMxjAXA": "11:22 22:54 31:9 64:1", "BwAAILloUHIAAA":
    "11:650 22:451 33:418 44:255 55:215 66:128 21:86 65:51",
}  # fmt: skip
"""Positions with the number of plays of a roll; a roll that cannot be used has one, which is no move."""


@pytest.fixture(scope="module")
def game() -> Any:
    return load_game("backgammon")


def with_dice(game: Any, text: str, dice: str) -> Any:
    state = game.state_from_text(text)
    return game.result(state, game.action_from_text(state, dice))


# The oracle: dictionaries of points, every order of the dice, results in a set ----------------------------------------


Board = tuple[tuple[int, ...], tuple[int, ...]]
"""Checkers by point, 0 to 25, of the side to move and of the other one, each by its own count."""


def steps(board: Board, die: int) -> Iterator[Board]:
    mine, yours = board
    sources = [25] if mine[25] else [point for point in range(1, 25) if mine[point]]
    for source in sources:
        target = source - die
        if target <= 0:
            if any(mine[7:]) or (target < 0 and any(mine[source + 1 :])):
                continue
            target = 0
        elif yours[25 - target] >= 2:
            continue
        new, hit = list(mine), list(yours)
        new[source] -= 1
        new[target] += 1
        if target and hit[25 - target] == 1:
            hit[25 - target] = 0
            hit[25] += 1
        yield tuple(new), tuple(hit)


def sequences(board: Board, dice: tuple[int, ...]) -> Iterator[tuple[int, Board]]:
    """How many dice were used, and which first, with every board that can be reached so."""
    found = False
    if dice:
        for after in steps(board, dice[0]):
            found = True
            for used, end in sequences(after, dice[1:]):
                yield used + 1, end
    if not found:
        yield 0, board


def oracle(board: Board, high: int, low: int) -> set[Board]:
    if high == low:
        ways = list(sequences(board, (high,) * 4))
        most = max(used for used, _ in ways)
        return {end for used, end in ways if used == most}
    first, second = list(sequences(board, (high, low))), list(sequences(board, (low, high)))
    most = max(used for used, _ in first + second)
    if most == 1 and any(used == 1 for used, _ in first):
        second = []
    return {end for used, end in first + second if used == most}


def board_of(game: Any, state: Any, seat: int) -> Board:
    men = game.struct(state).men
    return tuple(map(int, men[seat])), tuple(map(int, men[1 - seat]))


def check_plays(game: Any, state: Any) -> None:
    s = game.struct(state)
    seat = int(s.seat)
    boards = [board_of(game, game.result(state, action), seat) for action in game.actions(state)]
    assert len(set(boards)) == len(boards)
    assert set(boards) == oracle(board_of(game, state, seat), int(s.dice[0]), int(s.dice[1]))


# Rules ----------------------------------------------------------------------------------------------------------------


def test_the_start_has_the_known_number_of_plays_for_every_roll(game: Any) -> None:
    found = {dice: len(game.actions(with_dice(game, START, dice))) for dice in COUNTS}
    assert found == COUNTS
    assert sum(found.values()) == 447


@pytest.mark.parametrize("text", HARD)
def test_hard_positions_have_the_known_number_of_plays(game: Any, text: str) -> None:
    for part in HARD[text].split():
        dice, count = part.split(":")
        state = with_dice(game, text, dice)
        assert len(game.actions(state)) == int(count), dice
        check_plays(game, state)


@pytest.mark.parametrize(
    ("text", "dice", "plays"),
    [
        ("ABicDxgAABAAAA", "65", {"24/18"}),
        ("wGAAYAAAQAAAAA", "65", {"24/19"}),
        ("wIaBDTgAAkAAAA", "61", {"12/5"}),
        ("0HPwATDgc/ABYA", "62", {"bar/23"}),
        ("OwwAADcHAAAAAA", "53", {"4/1 4/off"}),
        ("OwwAADcHAAAAAA", "33", {"4/1(3) 2/off"}),
        ("AQAAVAAAAAAAAA", "21", {"3/1 2/1", "3/off", "2/off 1/off"}),
        ("27YBAYBtGwAAAQ", "65", {"no move"}),
    ],
)
def test_forced_dice(game: Any, text: str, dice: str, plays: set[str]) -> None:
    state = with_dice(game, text, dice)
    assert {game.action_text(state, action) for action in game.actions(state)} == plays


def test_random_positions_agree_with_the_oracle(game: Any) -> None:
    rng = random.Random(5)
    checked = 0
    while checked < 600:
        state = game.initial()
        while not game.is_terminal(state):
            if game.player(state) < 0:
                state = game.result(state, game.roll(state, rng))
            else:
                if rng.random() < 0.3:
                    check_plays(game, state)
                    checked += 1
                state = game.result(state, rng.choice(game.actions(state)))


def test_the_opening_roll_is_never_a_double_and_the_higher_die_begins(game: Any) -> None:
    outcomes = game.outcomes(game.initial())
    assert len(outcomes) == 30
    for outcome, odds in outcomes:
        state = game.result(game.initial(), outcome)
        text = game.action_text(game.initial(), outcome)
        assert odds == pytest.approx(1 / 30)
        assert game.player(state) == (0 if text[0] > text[1] else 1)
    rolled = game.outcomes(game.state_from_text(START))
    assert len(rolled) == 21
    assert sum(odds for _, odds in rolled) == pytest.approx(1)


@pytest.mark.parametrize(
    ("loser", "points"),
    [
        ({6: 5, 0: 10}, 1),  # some checkers off
        ({6: 15}, 2),
        ({18: 1, 6: 14}, 2),
        ({19: 1, 6: 14}, 3),  # in the winner's home board
        ({25: 1, 6: 14}, 3),  # on the bar
    ],
)
def test_gammons_and_backgammons(loser: dict[int, int], points: int) -> None:
    for name, factor in (("backgammon", 1), ("backgammon:cube=64", 8), ("backgammon:cube=64,jacoby=true", 1)):
        game = load_game(name)
        structs = game.structs(game.initial())
        s = structs[0]
        s.men[:] = 0
        s.men[0, 1], s.men[0, 0] = 1, 14
        for point, count in loser.items():
            s.men[1, point] = count
        s.phase, s.dice[0], s.dice[1] = PLAY, 2, 1
        s.cube = 3 if factor == 8 else 0
        state = game.pack(structs)
        end = game.result(state, game.action_from_text(state, "1/off"))
        assert game.is_terminal(end)
        worth = 1 if "jacoby" in name else points * factor
        assert game.utilities(end) == (worth, -worth)
        assert game.state_from_text(game.state_text(end)) == end


def follow(game: Any, *words: str) -> Any:
    state = game.initial()
    for word in words:
        state = game.result(state, game.action_from_text(state, word))
    return state


def test_the_cube_goes_to_who_takes_it() -> None:
    game = load_game("backgammon:cube=4")
    state = follow(game, "31", "8/5 6/5")
    assert [game.action_text(state, action) for action in game.actions(state)] == ["throw", "double"]
    doubled = game.result(state, game.action_from_text(state, "double"))
    assert game.player(doubled) == 0
    dropped = game.result(doubled, game.action_from_text(doubled, "drop"))
    assert game.utilities(dropped) == (-1, 1)
    taken = game.result(doubled, game.action_from_text(doubled, "take"))
    assert game.player(taken) == -1  # who has just doubled throws
    played = game.result(taken, game.action_from_text(taken, "65"))
    played = game.result(played, game.action_from_text(played, "24/13"))
    assert game.player(played) == 0  # Black has the cube, and may double
    again = game.result(game.result(played, game.action_from_text(played, "double")), 1)
    last = game.result(game.result(again, game.action_from_text(again, "31")), 0)
    for _ in range(3):  # the cube stands at 4, and nobody may double any more
        assert game.player(last) == -1 or game.action_text(last, 0) != "throw"
        last = game.result(last, game.actions(last)[0])


def test_a_beaver_keeps_the_cube() -> None:
    game = load_game("backgammon:cube=64,beavers=true")
    state = follow(game, "31", "8/5 6/5", "double", "beaver")
    s = game.struct(state)
    assert (int(s.cube), int(s.owner)) == (2, 1)


def test_the_game_after_somebody_needs_one_point_has_no_cube() -> None:
    game = load_game("backgammon:match=3")
    lost = follow(game, "31", "8/5 6/5", "double", "take", "65", "24/13")  # White has doubled; Black owns the cube at 2
    state = game.result(lost, game.action_from_text(lost, "double"))
    state = game.result(state, game.action_from_text(state, "drop"))  # Black leads 2–0
    s = game.struct(state)
    assert (list(s.score), int(s.crawford)) == ([2, 0], 1)
    state = game.result(state, game.action_from_text(state, "13"))
    state = game.result(state, game.action_from_text(state, "8/5 6/5"))
    assert game.player(state) == -1
    assert game.state_from_text(game.state_text(state)) == state


def test_match_games_end_at_their_length() -> None:
    game = load_game("backgammon:match=2")
    rng = random.Random(3)
    for _ in range(4):
        state = game.initial()
        while not game.is_terminal(state):
            if game.player(state) < 0:
                state = game.result(state, game.roll(state, rng))
            else:
                state = game.result(state, rng.choice(game.actions(state)))
        s = game.struct(state)
        assert max(s.score) == 2
        assert game.utilities(state) == ((1, -1) if s.score[0] == 2 else (-1, 1))


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("backgammon:cube=3", "cube=3 is not possible; expected 1 \\(no cube\\), 2"),
        ("backgammon:match=99", "match=99 is not possible"),
        ("backgammon:jacoby=true", "jacoby=true means nothing without a cube"),
        ("backgammon:match=5,beavers=true", "beavers=true means nothing in a match"),
    ],
)
def test_parameters_that_make_no_sense(name: str, sentence: str) -> None:
    with pytest.raises(BadInput, match=sentence):
        load_game(name)


# Notation -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "xgid", "text"),
    [
        ("backgammon", "XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:0:10", "4HPwATDgc/ABMA:cIkFAAAAAAAE"),
        ("backgammon", "XGID=-b----E-C---eE---c-e----AA:0:0:1:31:0:0:0:0:10", "4HPwATDgc/ABUA:cIkFAAAAAAAE"),
        ("backgammon:cube=64", "XGID=-bBaCCB--------------cdcb-:1:1:1:00:0:0:0:0:10", "u3cAADLmbgAAAA:UQkAAAAAAAAE"),
        ("backgammon:match=7", "XGID=-b----E-C---eE---c-e----B-:1:-1:1:00:3:2:0:7:10", "4HPwATDgc/ABMA:QQngACAAGAAE"),
        ("backgammon:cube=64", "XGID=aFDaA--A--------a---b-bbbA:1:1:1:00:0:0:0:0:10", "2wwBQPR7IgAAAQ:UQkAAAAAAAAE"),
    ],
)
def test_xgid_and_gnu_backgammons_ids_say_the_same(name: str, xgid: str, text: str) -> None:
    game = load_game(name)
    state = game.state_from_text(xgid)
    assert state == game.state_from_text(text)
    assert game.xgid(state) == xgid
    # In a match the last bit means nothing, and is written as 0.
    assert game.state_text(state) == (text[:-1] + "A" if "match" in name else text)


@pytest.mark.parametrize(
    ("name", "match", "expected"),
    [
        ("backgammon:cube=64", "VgkAAAAAAAAE", {"cube": 6, "owner": 1, "seat": 0}),
        ("backgammon:match=7", "cBHgACAAGAAA", {"phase": 3, "seat": 0, "score": [3, 2]}),
        ("backgammon:match=9", "Qok2AVAACAAA", {"cube": 2, "owner": 2, "dice": [5, 5], "score": [1, 5]}),
        ("backgammon:match=5", "8AmgAEAAEAAA", {"crawford": 1, "score": [2, 4]}),
        ("backgammon:match=11", "MAFqAaAASAAA", {"seat": 1, "dice": [4, 2], "score": [9, 10]}),
        ("backgammon:match=25", "RAklA8AAoAAA", {"cube": 4, "owner": 2, "dice": [2, 1], "score": [20, 12]}),
    ],
)
def test_match_ids(name: str, match: str, expected: dict[str, Any]) -> None:
    game = load_game(name)
    state = game.state_from_text(f"{START}:{match}")
    s = game.struct(state)
    found = {key: [int(v) for v in s[key]] if key in ("score", "dice") else int(s[key]) for key in expected}
    assert found == expected
    assert game.state_text(state) == f"{START}:{match}"


@pytest.mark.parametrize(
    ("name", "text", "sentence"),
    [
        ("backgammon", "hello", "not a position ID"),
        ("backgammon", "☃" * 14, "not a position ID"),
        ("backgammon", "//////////////", "checkers of one side"),
        ("backgammon", "27YBANC2bQAABA", "both sides are on the bar before closed boards"),
        ("backgammon", "4HPwATDgc/ABMA:UQkAAAAAAAAE", "has a cube; expected the game backgammon:cube=64"),
        ("backgammon", "4HPwATDgc/ABMA:UQngACAAGAAA", "a match to 7 points; expected the game backgammon:match=7"),
        ("backgammon", "4HPwATDgc/ABMA:xyz", "not a match ID"),
        ("backgammon", "XGID=-b----E-C---eE---c-e----BB:0:0:1:31:0:0:0:0:10", "has 17 checkers"),
        ("backgammon", "XGID=-b----E-C---eE---c-e----B-:0:0:1:81:0:0:0:0:10", "is not an XGID"),
        ("backgammon", "XGID=-b----E-C---eE---c-e----F-:0:0:1:31:0:0:0:0:10", "has 19 checkers of one side"),
    ],
)
def test_positions_that_cannot_be(name: str, text: str, sentence: str) -> None:
    with pytest.raises(BadInput, match=sentence):
        load_game(name).state_from_text(text)


def test_plays_are_read_in_any_order_and_detail(game: Any) -> None:
    state = with_dice(game, START, "31")
    for text in ("8/5 6/5", "6/5 8/5", "6/5, 8/5", "8/5  6/5"):
        assert game.action_text(state, game.action_from_text(state, text)) == "8/5 6/5"
    for text in ("24/20", "24/21 21/20", "24/23/20", "24/23 23/20"):
        assert game.action_text(state, game.action_from_text(state, text)) == "24/20"
    double = with_dice(game, START, "55")
    assert game.action_text(double, game.action_from_text(double, "13/8(2) 8/3(2)")) == "13/3(2)"
    bar = with_dice(game, "4HPwATDgc/ABUA", "64")
    assert game.action_text(bar, game.action_from_text(bar, "25/21 24/18")) == "bar/21 24/18"
    for text in ("8/2", "bar/22", "27/3", "", "13/", "8/5(9) 6/5"):
        with pytest.raises(IllegalMove):
            game.action_from_text(state, text)


def test_a_hit_on_the_way_is_another_play(game: Any) -> None:
    state = game.state_from_text("XGID=-a----a---------------A-B-:0:0:1:00:0:0:0:0:10")
    structs = game.structs(state)
    s = structs[0]
    s.men[:] = 0
    s.men[0, 10], s.men[0, 0], s.men[1, 25 - 8], s.men[1, 0] = 1, 14, 1, 14
    s.phase, s.dice[0], s.dice[1] = PLAY, 3, 2
    state = game.pack(structs)
    texts = {game.action_text(state, action) for action in game.actions(state)}
    assert texts == {"10/5", "10/8*/5"}
    for text in texts:
        assert game.action_text(state, game.action_from_text(state, text)) == text
    # Without a star, what the text names is landed on.
    for text, play in (("10/5", "10/5"), ("10/8 8/5", "10/8*/5"), ("10/8*/5", "10/8*/5"), ("10/7 7/5", "10/5")):
        assert game.action_text(state, game.action_from_text(state, text)) == play
    check_plays(game, state)


@pytest.mark.parametrize("name", ["backgammon", "backgammon:cube=64,jacoby=true,beavers=true", "backgammon:match=3"])
def test_every_text_is_read_back(name: str) -> None:
    game = load_game(name)
    rng = random.Random(11)
    for _ in range(3):
        state = game.initial()
        for _ in range(250):
            assert game.state_from_text(game.state_text(state)) == state
            if game.is_terminal(state):
                break
            actions = game.actions(state)
            for action in rng.sample(actions, min(4, len(actions))):
                assert game.action_from_text(state, game.action_text(state, action)) == action
            action = game.roll(state, rng) if game.player(state) < 0 else rng.choice(actions)
            state = game.result(state, action)


# Board ----------------------------------------------------------------------------------------------------------------


def test_the_board_says_what_lies_where(game: Any) -> None:
    state = with_dice(game, "4HPwATDgc/ABUA", "64")
    drawing = game.draw(state)
    assert drawing.caption == "Black plays 6-4 · 168 to 167 pips"
    assert [item.text for item in drawing.items if item.kind == "die"] == ["6", "4"]
    assert sum(item.count for item in drawing.items if item.kind == "stone" and item.player == 0) == 15
    assert "<6> <4>" in drawing_text(drawing)
    play = game.action_from_text(state, "bar/21 24/18")
    assert game.action_cells(state, play) == ("24", "18", "bar X", "21") or game.action_cells(state, play) == (
        "bar X", "21", "24", "18",
    )  # fmt: skip


def test_every_way_to_click_leads_to_the_play(game: Any) -> None:
    state = with_dice(game, START, "31")
    ways = game.action_ways(state, game.action_from_text(state, "24/20"))
    assert sorted(ways) == [("24", "21", "21", "20"), ("24", "23", "23", "20")]
    assert len(game.action_ways(state, game.action_from_text(state, "8/5 6/5"))) == 1


# What it knows --------------------------------------------------------------------------------------------------------


def test_cubeful_values_are_those_of_janowskis_formula() -> None:
    """GNU Backgammon's five chances of the start, and what it makes of them with a cube."""
    out = [0.521514, 0.153921, 0.007563, 0.129847, 0.007546]
    assert equity(out, 0, True) == pytest.approx(0.067119, abs=2e-6)
    assert equity(out, 1, True) == pytest.approx(0.092086, abs=2e-6)
    assert 2 * equity(out, 3, True) == pytest.approx(-0.1911, abs=5e-5)


def test_a_mirrored_position_is_worth_the_same_to_the_other_side(game: Any) -> None:
    rng = random.Random(2)
    for _ in range(3):
        state = game.initial()
        for _ in range(30):
            if game.is_terminal(state):
                break
            structs = game.structs(state)
            s = structs[0]
            first, second = s.men[0].copy(), s.men[1].copy()
            s.men[0], s.men[1], s.seat = second, first, 1 - s.seat
            if game.struct(state).phase != 0:
                assert game.chances(game.pack(structs)) == game.chances(state)
                assert game.evaluate(game.pack(structs), 1) == game.evaluate(state, 0)
            action = game.roll(state, rng) if game.player(state) < 0 else rng.choice(game.actions(state))
            state = game.result(state, action)


def test_what_cannot_happen_has_no_chance(game: Any) -> None:
    win, gammon, backgammon, lost_gammon, lost_backgammon = game.chances(game.state_from_text("u3cAADLmbgAAAA"))
    assert 0 <= backgammon <= gammon <= win <= 1
    assert lost_gammon == lost_backgammon == 0  # the side on roll has borne off five
