"""Othello against a slow oracle on a list of lists, and its published numbers."""

from __future__ import annotations

import math
import random

import pytest

from gametree import BadInput, load_algorithm, load_game
from gametree.kernels.perft import perft
from gametree.search.compiled import solve as solver
from gametree.search.compiled.solve import search, solve

DIRECTIONS = [(r, c) for r in (-1, 0, 1) for c in (-1, 0, 1) if r or c]


class Oracle:
    """Othello as one would explain it: a dictionary of squares and a walk in eight directions."""

    def __init__(self, size: int) -> None:
        self.size = size
        self.board = {(r, c): "-" for r in range(size) for c in range(size)}
        m = size // 2
        self.board[m - 1, m - 1] = self.board[m, m] = "O"
        self.board[m - 1, m] = self.board[m, m - 1] = "X"
        self.side = "X"

    def other(self) -> str:
        return "O" if self.side == "X" else "X"

    def captured(self, square: tuple[int, int], side: str) -> list[tuple[int, int]]:
        if self.board[square] != "-":
            return []
        taken = []
        for dr, dc in DIRECTIONS:
            run = []
            r, c = square[0] + dr, square[1] + dc
            while self.board.get((r, c), "-") not in ("-", side):
                run.append((r, c))
                r, c = r + dr, c + dc
            if self.board.get((r, c)) == side:
                taken += run
        return taken

    def moves(self) -> list[str]:
        found = [self.name(q) for q in self.board if self.captured(q, self.side)]
        if not found and any(self.captured(q, self.other()) for q in self.board):
            return ["pass"]
        return found

    def name(self, square: tuple[int, int]) -> str:
        return "abcdefgh"[square[1]] + str(square[0] + 1)

    def play(self, move: str) -> None:
        if move != "pass":
            square = (int(move[1]) - 1, "abcdefgh".index(move[0]))
            for taken in [*self.captured(square, self.side), square]:
                self.board[taken] = self.side
        self.side = self.other()

    def text(self) -> str:
        return "".join(self.board.values()) + " " + self.side

    def score_of_x(self) -> int:
        marks = list(self.board.values())
        x, o = marks.count("X"), marks.count("O")
        return (x - o) + (marks.count("-") if x > o else -marks.count("-") if o > x else 0)


@pytest.mark.parametrize(("size", "positions"), [(8, 6000), (6, 3000), (4, 1000)])
def test_agrees_with_the_oracle_on_random_positions(size, positions):
    game = load_game(f"othello:size={size}")
    rng = random.Random(size)
    seen = 0
    while seen < positions:
        state, oracle = game.initial(), Oracle(size)
        while True:
            seen += 1
            assert game.state_text(state) == oracle.text()
            names = {game.action_text(state, action): action for action in game.actions(state)}
            assert sorted(names) == sorted(oracle.moves())
            assert game.is_terminal(state) == (not names)
            if not names:
                assert game.utility(state, 0) == oracle.score_of_x() == -game.utility(state, 1)
                break
            move = rng.choice(sorted(names))
            state = game.result(state, names[move])
            oracle.play(move)


def test_perft():
    game = load_game("othello")
    expected = [4, 12, 56, 244, 1396, 8200, 55092, 390216, 3005288, 24571284]
    assert [perft(game, depth=depth) for depth in range(1, 11)] == expected
    assert perft(game, depth=0) == 1


def test_symmetric_images_are_equivalent_positions():
    game = load_game("othello")
    rng = random.Random(3)
    state = game.initial()
    for _ in range(30):
        state = game.result(state, rng.choice(game.actions(state)))
        images = game.symmetries(state)
        assert images[0] == state
        assert len(set(images)) == 8
        assert len({len(game.actions(image)) for image in images}) == 1
        assert len({game.evaluate(image, 0) for image in images}) == 1
        assert {game.canonical(image) for image in images} == {game.canonical(state)}


def test_text_and_back():
    game = load_game("othello")
    text = "O--OOOOX-OOOOOOXOOXXOOOXOOXOOOXXOOOOOOXX---OOOOX----O--X-------- X"
    state = game.state_from_text(text)
    assert game.state_text(state) == text
    assert game.player(state) == 0
    assert game.player(game.state_from_text(text[:-1] + "O")) == 1
    for wrong in ("", "X", text[1:], text + "X", text.replace("X", "Y")):
        with pytest.raises(BadInput):
            game.state_from_text(wrong)
    with pytest.raises(BadInput):
        load_game("othello:size=5")


def test_solves_the_small_board():
    result = solve(load_game("othello:size=4"), table_mib=4)
    # White wins 11–3; the two squares that stay empty are counted for the winner.
    assert (result.value, result.bound) == (-10, "exact")


@pytest.mark.parametrize("depth", [0, 1, 3])
def test_the_solvers_opinion_is_that_of_alpha_beta(depth):
    """The shallow search that orders moves has the value of the readable alpha-beta at the same depth."""
    game, readable, rng = load_game("othello:size=6"), load_algorithm("alphabeta")[1], random.Random(depth)
    for _ in range(20):
        state = game.initial()
        for _ in range(rng.randrange(30)):
            if not game.is_terminal(state):
                state = game.result(state, rng.choice(game.actions(state)))
        contexts, _stacks = solver.new_contexts(game)
        contexts[0].frames[0].state = game.struct(state)
        found = int(game.rules.kernel(solver.first_guess)(contexts, depth))
        over = game.is_terminal(state)
        value = game.utility(state, game.player(state)) if over else readable(game, state, depth=depth).value
        assert found == math.floor(value)


@pytest.mark.parametrize("threads", [1, 2])
def test_solves_far_from_the_end(threads):
    """With this many squares empty, shallow searches order the moves and threads share the work."""
    game = load_game("othello:size=6")
    state = game.state_from_text("--OOX---OO--XXXO---XOOO---XO----OOO- X")  # 18 empty
    assert solve(game, state, threads=threads, table_mib=16).value == -6


def test_solves_an_endgame():
    game = load_game("othello")
    state = game.state_from_text("O--OOOOX-OOOOOOXOOXXOOOXOOXOOOXXOOOOOOXX---OOOOX----O--X-------- X")
    result = solve(game, state)
    assert (result.value, game.action_text(state, result.move)) == (38, "a2")


@pytest.mark.parametrize(
    ("name", "start"),
    [
        ("othello:size=4", None),
        ("othello", "--OOO-OXOOOOOOXXOOXXOXOXOOXOXOXXOOXOOOOX-OXXX---OOXXOOO---XOOOOO X"),
        ("connect4", "757745411165145735721316"),
        ("tictactoe", None),
    ],
)
def test_the_line_is_best_to_the_end(name, start):
    """Every state of the line is solved anew: its value, turned to the first mover, never changes."""
    game = load_game(name)
    state = game.initial() if start is None else game.state_from_text(start)
    found = search(game, state, table_mib=1)
    assert (found.bound, found.pv[0]) == ("exact", found.move)
    mover = found.player
    for move in found.pv:
        assert move in game.actions(state)
        state = game.result(state, move)
        value = game.utility(state, mover) if game.is_terminal(state) else 0
        if not game.is_terminal(state):
            again = search(game, state, table_mib=1, whole_line=False)
            assert len(again.pv) == 1
            value = again.value if again.player == mover else -again.value
        assert value == found.value
    assert game.is_terminal(state)
    assert found.details["line_nodes"] < max(solver.LINE_LEAST, found.nodes // solver.LINE_SHARE)


def test_the_line_ends_where_it_becomes_dear(monkeypatch):
    game = load_game("othello:size=4")
    monkeypatch.setattr(solver, "LINE_LEAST", 1)
    monkeypatch.setattr(solver, "LINE_SHARE", 1 << 40)
    short = search(game, table_mib=1)
    monkeypatch.undo()
    whole = search(game, table_mib=1)
    assert (short.value, short.nodes, short.pv) == (whole.value, whole.nodes, whole.pv[: len(short.pv)])
    assert len(short.pv) < len(whole.pv)


def test_a_guess_changes_the_questions_but_not_the_value():
    game = load_game("othello:size=4")
    values = {search(game, guess=guess, table_mib=1).value for guess in (None, -16, -10, 0, 15)}
    assert values == {-10}


@pytest.mark.parametrize("size", [4, 8])
def test_the_terms_add_up_to_the_estimate(size):
    game, rng = load_game(f"othello:size={size}"), random.Random(2)
    state = game.initial()
    while not game.is_terminal(state):
        seat = game.player(state)
        terms = game.explain_sides(state)
        assert sum(black + white for _, black, white in terms) == pytest.approx(game.evaluate(state, seat))
        assert dict(game.explain(state))["corners"] == pytest.approx(terms[1][1] + terms[1][2])
        state = game.result(state, rng.choice(game.actions(state)))
