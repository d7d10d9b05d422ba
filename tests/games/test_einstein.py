"""EinStein würfelt nicht! against a slow oracle that keeps two dictionaries of stones."""

from __future__ import annotations

import os
import random
import subprocess
import sys

import pytest

from gametree.core.errors import BadInput, IllegalMove
from gametree.core.game import CHANCE
from gametree.core.registry import load_game
from gametree.games.einstein import Einstein
from gametree.kernels import compiler
from gametree.kernels.perft import perft
from gametree.testing import check_game

TRIANGLE = [(0, 0), (0, 1), (0, 2), (1, 0), (1, 1), (2, 0)]


class Oracle:
    """The rules told as simply as possible: stones[seat] maps a number to (row, column)."""

    def __init__(self, first="123456", second="123456"):
        self.stones = [
            {int(number): place for number, place in zip(first, TRIANGLE, strict=True)},
            {int(number): (4 - row, 4 - column) for number, (row, column) in zip(second, TRIANGLE, strict=True)},
        ]
        self.seat, self.die, self.winner = 0, None, None

    def copy(self):
        other = Oracle()
        other.stones = [dict(side) for side in self.stones]
        other.seat, other.die, other.winner = self.seat, self.die, self.winner
        return other

    def movable(self):
        mine = self.stones[self.seat]
        if self.die in mine:
            return [self.die]
        lower = [number for number in mine if number < self.die]
        higher = [number for number in mine if number > self.die]
        return ([max(lower)] if lower else []) + ([min(higher)] if higher else [])

    def moves(self):
        """(text, number, place) for every move, or (face, None, None) for every face of the die."""
        if self.winner is not None:
            return []
        if self.die is None:
            return [(str(face), None, None) for face in range(1, 7)]
        way = 1 if self.seat == 0 else -1
        found = []
        for number in self.movable():
            row, column = self.stones[self.seat][number]
            for down, right in ((0, way), (way, 0), (way, way)):
                if 0 <= row + down < 5 and 0 <= column + right < 5:
                    place = row + down, column + right
                    found.append((f"{number}-{'abcde'[place[1]]}{5 - place[0]}", number, place))
        return found

    def play(self, text, number, place):
        if number is None:
            self.die = int(text)
            return
        for side in self.stones:
            for other in [other for other, there in side.items() if there == place]:
                del side[other]
        self.stones[self.seat][number] = place
        if place == ((4, 4) if self.seat == 0 else (0, 0)) or not self.stones[1 - self.seat]:
            self.winner = self.seat
        self.seat, self.die = 1 - self.seat, None

    def text(self):
        rows = [["."] * 5 for _ in range(5)]
        for side, marks in zip(self.stones, ("123456", "abcdef"), strict=True):
            for number, (row, column) in side.items():
                rows[row][column] = marks[number - 1]
        die = f" die {self.die}" if self.die else ""
        return "/".join(map("".join, rows)) + f" {('first', 'second')[self.seat]}{die}"

    def perft(self, depth):
        if depth == 0:
            return 1
        total = 0
        for move in self.moves():
            child = self.copy()
            child.play(*move)
            total += child.perft(depth - 1)
        return total


def agree(game, state, oracle):
    """Every answer about one position is the oracle's."""
    moves = oracle.moves()
    assert game.state_text(state) == oracle.text()
    assert [game.action_text(state, action) for action in game.actions(state)] == [text for text, *_ in moves]
    assert game.is_terminal(state) == (not moves)
    if oracle.winner is not None:
        assert [game.utility(state, seat) for seat in (0, 1)] == ([1, -1] if oracle.winner == 0 else [-1, 1])
    elif oracle.die is None:
        assert game.player(state) == CHANCE
        assert game.outcomes(state) == [(face, pytest.approx(1 / 6)) for face in range(6)]
    else:
        assert game.player(state) == oracle.seat
    assert -1 <= game.evaluate(state, 0) == -game.evaluate(state, 1) <= 1


def test_random_games_agree_with_the_oracle():
    rng = random.Random(5)
    positions = 0
    captured_own = substituted = 0
    games = [(Einstein(*setup), setup) for setup in (("123456", "123456"), ("351624", "612435"))]
    while positions < 10_000:
        game, setup = rng.choice(games)
        state, oracle = game.initial(), Oracle(*setup)
        while True:
            agree(game, state, oracle)
            positions += 1
            moves = oracle.moves()
            if not moves:
                break
            place = rng.randrange(len(moves))
            number, target = moves[place][1:]
            captured_own += number is not None and target in oracle.stones[oracle.seat].values()
            substituted += number is not None and number != oracle.die
            state = game.result(state, game.actions(state)[place])
            oracle.play(*moves[place])
    assert captured_own > 100
    assert substituted > 1000


def test_perft_agrees_with_the_oracle():
    game = Einstein("351624", "612435")
    oracle = Oracle("351624", "612435")
    for depth in range(6):
        assert perft(game, depth=depth) == oracle.perft(depth)


def test_the_uncompiled_rules_are_the_same():
    game = Einstein(seed=3)
    expected = perft(game, depth=4)
    with compiler(jit=False):
        assert perft(game, depth=4) == expected
        assert perft(Einstein(seed=3), depth=3) == Oracle().perft(3) == 6 * 18


def test_the_kit_finds_nothing_wrong():
    check_game(load_game("einstein:seed=11"))


def test_a_missing_stone_is_replaced_by_either_neighbour():
    game = Einstein()
    state = game.state_from_text("1..../...5./...../f..../....a first die 3")
    assert [game.action_text(state, action) for action in game.actions(state)] == [
        "1-b5", "1-a4", "1-b4", "5-e4", "5-d3", "5-e3",
    ]  # fmt: skip
    state = game.state_from_text("..4../...../...../f..../....a first die 2")
    assert [game.action_text(state, action) for action in game.actions(state)] == ["4-d5", "4-c4", "4-d4"]


def test_captures_of_friend_and_foe():
    game = Einstein()
    state = game.state_from_text("12.../a..../...../...../...b. first die 1")
    state = game.result(state, game.action_from_text(state, "1-b5"))
    assert game.state_text(state) == ".1.../a..../...../...../...b. second"
    state = game.state_from_text("12.../a..../...../...../...b. first die 1")
    state = game.result(state, game.action_from_text(state, "1-a4"))
    assert game.state_text(state) == ".2.../1..../...../...../...b. second"
    with pytest.raises(IllegalMove, match="2-b4"):
        game.action_from_text(game.state_from_text("12.../a..../...../...../...b. first die 1"), "2-b4")


def test_both_ways_to_win():
    game = Einstein()
    corner = game.state_from_text("...../...../...../...6./f.... first die 6")
    won = game.result(corner, game.action_from_text(corner, "6-e1"))
    assert game.is_terminal(won)
    assert game.utility(won, 0) == 1
    last = game.state_from_text("...../...../..6../...f./..... second die 1")
    won = game.result(last, game.action_from_text(last, "6-c3"))
    assert game.is_terminal(won)
    assert game.utility(won, 1) == 1
    assert game.state_from_text(game.state_text(won)) == won


def test_swapping_rows_and_columns_changes_no_value_and_swaps_the_moves():
    game, rng = Einstein(seed=9), random.Random(9)
    for _ in range(20):
        state = game.initial()
        while not game.is_terminal(state):
            image = game.symmetries(state)[1]
            assert game.symmetries(image)[1] == state
            assert game.evaluate(image, 0) == game.evaluate(state, 0)
            if game.player(state) != CHANCE:
                swap = {0: 1, 1: 0, 2: 2}
                actions = {3 * (action // 3) + swap[action % 3] for action in game.actions(state)}
                assert set(game.actions(image)) == actions
            state = game.result(state, rng.choice(game.actions(state)))


def test_setups():
    assert Einstein("623514").state_text(Einstein("623514").initial()).startswith("623../51.../4...f/")
    drawn = {load_game(f"einstein:seed={seed}").initial() for seed in range(1, 6)}
    assert len(drawn) == 5
    assert Einstein(seed=4).initial() == Einstein(seed=4).initial()
    for wrong in ("einstein:first=123455", "einstein:seed=-1", "einstein:seed=3,second=654321"):
        with pytest.raises(BadInput, match="einstein:"):
            load_game(wrong)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("hello", "five rows"),
        ("123../45.../6...f/...ed/..cb first", "five rows"),
        ("123../451../6...f/...ed/..cba first", "twice"),
        ("...../...../...../...../....6 first", "ended"),
        ("...../...../..f../...../....6 second die 3", "ended"),
        ("f..../...../..6../...../..... second", "ended"),
    ],
)
def test_bad_positions(text, message):
    with pytest.raises(BadInput, match=message):
        Einstein().state_from_text(text)


def test_two_fresh_processes_count_alike(tmp_path):
    code = "from gametree.games.einstein import Einstein; from gametree.kernels.perft import perft; "
    code += "g = Einstein(); s = g.initial(); print(perft(g, depth=5), g.evaluate(s, 0), g.actions(s), g.outcomes(s))"
    environment = {**os.environ, "GAMETREE_CACHE_DIR": str(tmp_path)}
    answers = [
        subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, timeout=300)
        for _ in range(2)
    ]
    assert [answer.returncode for answer in answers] == [0, 0], answers[1].stderr
    assert answers[0].stdout == answers[1].stdout != ""
