"""Connect Four against a slow oracle on lists, its published numbers, and the exact solver on scored positions."""

from __future__ import annotations

import random

import pytest

from gametree import BadInput, UnfitGame, load_game
from gametree.kernels.perft import perft
from gametree.search.compiled.solve import search, solve
from gametree.search.support.run import Clock


class Oracle:
    """Columns as lists of stones, and every line of four looked at."""

    def __init__(self, columns: int, rows: int) -> None:
        self.columns, self.rows = columns, rows
        self.stacks: list[list[int]] = [[] for _ in range(columns)]
        self.played = 0
        self.winner: int | None = None

    def moves(self) -> list[int]:
        if self.winner is not None:
            return []
        return [column for column, stack in enumerate(self.stacks) if len(stack) < self.rows]

    def at(self, column: int, row: int) -> int | None:
        inside = 0 <= column < self.columns and 0 <= row < len(self.stacks[column])
        return self.stacks[column][row] if inside else None

    def play(self, column: int) -> None:
        seat = self.played % 2
        self.stacks[column].append(seat)
        self.played += 1
        for dc, dr in ((1, 0), (0, 1), (1, 1), (1, -1)):
            for c in range(self.columns):
                for r in range(self.rows):
                    if all(self.at(c + dc * i, r + dr * i) == seat for i in range(4)):
                        self.winner = seat

    def score_of_first(self) -> int:
        if self.winner is None:
            return 0
        score = (self.columns * self.rows + 2 - self.played) // 2
        return score if self.winner == 0 else -score


@pytest.mark.parametrize(("columns", "rows", "positions"), [(7, 6, 7000), (5, 4, 2000), (9, 6, 1000)])
def test_agrees_with_the_oracle_on_random_positions(columns, rows, positions):
    game = load_game(f"connect4:columns={columns},rows={rows}")
    rng = random.Random(columns)
    seen = 0
    while seen < positions:
        state, oracle = game.initial(), Oracle(columns, rows)
        while True:
            seen += 1
            moves = list(game.actions(state))
            assert moves == oracle.moves()
            assert game.is_terminal(state) == (not moves)
            if not moves:
                assert game.utility(state, 0) == oracle.score_of_first() == -game.utility(state, 1)
                break
            move = rng.choice(moves)
            state = game.result(state, move)
            oracle.play(move)


def test_perft():
    game = load_game("connect4")
    expected = [7, 49, 343, 2401, 16807, 117649, 823536, 5673234, 39394572]
    assert [perft(game, depth=depth) for depth in range(1, 10)] == expected


@pytest.mark.parametrize(
    ("moves", "score"),
    [
        ("32164625", 11),
        ("274552224131661", 0),
        ("5455174361263362", -1),
        ("2531276566711153", 2),
        ("37313333717124171162542", 3),
        ("2252576253462244111563365343671351441", -1),
        ("7422341735647741166133573473242566", 1),
        ("71255763773133525731261364622167124446454", 0),
    ],
)
def test_solves_scored_positions(moves, score):
    game = load_game("connect4")
    result = solve(game, game.state_from_text(moves), table_mib=16)
    assert (result.value, result.bound, result.complete) == (score, "exact", True)
    # The move reaches the value: the other side's best answer is worth exactly the opposite.
    after = game.result(result.state, result.move)
    reply = -game.utility(after, game.player(after)) if game.is_terminal(after) else -solve(game, after).value
    assert reply == score


def test_window_asks_only_who_wins():
    game = load_game("connect4")
    state = game.state_from_text("32164625")
    weak = search(game, state, window=(0, 1), table_mib=16)
    assert (weak.bound, weak.value, weak.details["questions"]) == ("lower", 1, 1)
    narrow = search(game, state, window=(11, 12), table_mib=16)
    assert (narrow.bound, narrow.value) == ("upper", 11)


def test_two_threads_agree_and_a_stopped_solver_keeps_its_bounds():
    game = load_game("connect4")
    state = game.state_from_text("274552224131661")
    assert solve(game, state, threads=2, table_mib=16).value == 0
    told = []
    stopped = search(game, game.initial(), clock=Clock(0.3), table_mib=16, progress=told.append)
    assert not stopped.complete
    assert stopped.details["lower"] < stopped.details["upper"]
    assert stopped.seconds < 30
    assert {"nodes", "lower", "upper", "question", "move"} == set(told[-1])


def test_text_and_back():
    game = load_game("connect4")
    rng = random.Random(5)
    for _ in range(20):
        state = game.initial()
        for _ in range(rng.randrange(30)):
            if game.is_terminal(state):
                break
            state = game.result(state, rng.choice(game.actions(state)))
        assert game.state_from_text(game.state_text(state)) == state
    for wrong in ("8", "x", "1111111", "12121212"):
        with pytest.raises(BadInput):
            game.state_from_text(wrong)
    with pytest.raises(BadInput):
        load_game("connect4:columns=9,rows=9")


def test_solver_refuses_what_it_cannot_do():
    with pytest.raises(UnfitGame):
        solve(load_game("nim"))
    with pytest.raises(BadInput):
        search(load_game("connect4"), depth=3)
