"""The strong solution: every reachable position, each with its minimax value."""

from __future__ import annotations

from typing import Any

import pytest

import gametree
from gametree import CHANCE, Clock, Facts, Game, GameError, OutOfTime, TreeRecord
from gametree.search.compiled.solve import solve
from gametree.search.textbook.strong import strong_solution


def test_tic_tac_toe_has_its_known_numbers_of_positions() -> None:
    game = gametree.load_game("tictactoe")
    memo = strong_solution(game)
    ends = [state for state in memo if game.is_terminal(state)]
    by_value = [sum(memo[state] == value for state in ends) for value in (1, -1, 0)]
    assert (len(memo), len(ends), by_value) == (5478, 958, [626, 316, 16])


def plain_value(game: Game[Any, Any], state: Any) -> float:
    """Expectiminimax as its definition says."""
    if game.is_terminal(state):
        return game.utility(state, 0)
    if game.player(state) == CHANCE:
        return sum(chance * plain_value(game, game.result(state, action)) for action, chance in game.outcomes(state))
    values = [plain_value(game, child) for _, child in game.successors(state)]
    return max(values) if game.player(state) == 0 else min(values)


@pytest.mark.parametrize("seed", range(60))
def test_every_position_of_a_random_tree_has_its_minimax_value(seed: int) -> None:
    chance = 0.3 if seed % 2 else 0.0
    name = f"tree:branching=3,depth=4,seed={seed},uneven=0.2,alternate={seed % 3 > 0},chance={chance}"
    game = gametree.load_game(name)
    memo = strong_solution(game)
    for state, value in memo.items():
        assert value == pytest.approx(plain_value(game, state))
    result = gametree.analyse(game, algorithm="strong")
    assert result.value == pytest.approx(memo[0] if result.player == 0 else -memo[0])
    assert result.details["positions"] == len(memo)


def test_positions_met_twice_are_recorded_as_looked_up() -> None:
    game = gametree.load_game("nim:2-2")
    record = TreeRecord(game)
    result = gametree.analyse(game, algorithm="strong", record=record)
    assert result.value == -1
    assert sum("table" in reason for reason in record.reason) > 0
    assert record.value[0] == -1


def test_a_line_of_50000_plies() -> None:
    game = gametree.load_game("tree:" + "(" * 50_000 + "7" + ")" * 50_000)
    assert gametree.analyse(game, algorithm="strong").value == 7


class Circle(Game[int, int]):
    """Three positions that follow each other for ever."""

    facts = Facts()

    def initial(self) -> int:
        return 0

    def player(self, state: int) -> int:
        return 0

    def actions(self, state: int) -> list[int]:
        return [0]

    def result(self, state: int, action: int) -> int:
        return (state + 1) % 3

    def is_terminal(self, state: int) -> bool:
        return False


def test_repetition_is_refused_and_the_clock_obeyed() -> None:
    with pytest.raises(GameError, match="'0' can come about twice"):
        strong_solution(Circle())
    with pytest.raises(OutOfTime):
        strong_solution(gametree.load_game("tictactoe"), clock=Clock(nodes=300))


def test_the_compiled_solver_agrees_and_its_lines_are_played_to_the_end() -> None:
    """Lost positions included, where any move will do but must be one."""
    game = gametree.load_game("tictactoe")
    memo = strong_solution(game)
    positions = sorted(state for state in memo if not game.is_terminal(state))[::97]
    for start in positions:
        found = solve(game, start, table_mib=1)
        seat = game.player(start)
        assert found.value == (memo[start] if seat == 0 else -memo[start])
        state = start
        for action in found.pv:
            assert action in game.actions(state)
            state = game.result(state, action)
            assert memo[state] == memo[start]
        assert game.is_terminal(state)
