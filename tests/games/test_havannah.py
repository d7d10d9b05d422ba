"""Havannah against a slow oracle that floods a dictionary of cells, and its published numbers."""

from __future__ import annotations

import random

import pytest

from gametree import BadInput, load_game
from gametree.core.format import Record
from gametree.formats import record_format, split
from gametree.kernels.perft import perft
from gametree.search.compiled.fast_mcts import search

STEPS = [(1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (-1, -1)]
LETTERS = "abcdefghijklmnopqrs"


class Oracle:
    """Havannah as one would explain it: cells (x, y) with |x − y| below the size, and floods."""

    def __init__(self, size: int) -> None:
        self.size, width = size, 2 * size - 1
        self.width = width
        self.board = {(x, y): "." for y in range(width, 0, -1) for x in range(1, width + 1) if abs(x - y) < size}
        self.corners = {(1, 1), (size, 1), (width, size), (width, width), (size, width), (1, size)}
        self.sides = [
            {cell for cell in self.board if on_it(*cell) and cell not in self.corners}
            for on_it in (
                lambda x, y: y == 1,
                lambda x, y: x == width,
                lambda x, y: y == width,
                lambda x, y: x == 1,
                lambda x, y: x - y == size - 1,
                lambda x, y: y - x == size - 1,
            )
        ]
        self.mover = "X"

    def flood(self, start, allowed):
        found = [start]
        for x, y in found:
            found += [cell for dx, dy in STEPS if (cell := (x + dx, y + dy)) in allowed and cell not in found]
        return set(found)

    def victory(self, mark: str) -> str:
        own = {cell for cell, there in self.board.items() if there == mark}
        for start in own:
            chain = self.flood(start, own)
            if len(chain & self.corners) >= 2:
                return "bridge"
            if sum(bool(chain & side) for side in self.sides) >= 3:
                return "fork"
            if all((start[0] + dx, start[1] + dy) in own for dx, dy in STEPS):
                return "ring"
        others = set(self.board) - own
        rim = self.corners.union(*self.sides)
        if any(not self.flood(start, others) & rim for start in others):
            return "ring"
        return ""

    def moves(self) -> list[str]:
        if self.victory("X") or self.victory("O"):
            return []
        return [LETTERS[x - 1] + str(y) for (x, y), mark in self.board.items() if mark == "."]

    def play(self, move: str) -> None:
        self.board[LETTERS.index(move[0]) + 1, int(move[1:])] = self.mover
        self.mover = "O" if self.mover == "X" else "X"

    def text(self) -> str:
        rows = {}
        for (_, y), mark in self.board.items():
            rows[y] = rows.get(y, "") + mark
        return "/".join(rows.values()) + " " + self.mover


@pytest.mark.parametrize(("size", "games"), [(2, 40), (3, 60), (5, 12)])
def test_random_games_agree_with_the_oracle(size: int, games: int) -> None:
    game = load_game(f"havannah:size={size}")
    rng, ends = random.Random(size), set()
    for _ in range(games):
        state, oracle = game.initial(), Oracle(size)
        while True:
            moves = oracle.moves()
            assert [game.action_text(state, action) for action in game.actions(state)] == moves
            assert game.state_text(state) == oracle.text()
            assert game.is_terminal(state) == (not moves)
            if not moves:
                mine, yours = oracle.victory("X"), oracle.victory("O")
                assert game.utility(state, 0) == bool(mine) - bool(yours) == -game.utility(state, 1)
                assert bool(game.victory(state)[0]) == bool(mine or yours)
                assert game.state_from_text(oracle.text()) == state
                ends.add(mine or yours)
                break
            move = rng.choice(moves)
            state = game.result(state, game.action_from_text(state, move))
            oracle.play(move)
    assert ends >= ({"bridge"} if size == 2 else {"bridge", "fork"})


def test_random_boards_agree_with_the_oracle() -> None:
    """Boards on which one side has laid most stones: every kind of ring, filled ones too."""
    game, rng, ends = load_game("havannah:size=4"), random.Random(4), set()
    for _ in range(400):
        oracle = Oracle(4)
        cells = [cell for cell in oracle.board if cell not in oracle.corners]
        for cell in rng.sample(cells, rng.randrange(6, 26)):
            oracle.board[cell] = "X" if rng.random() < 0.85 else "O"
        if oracle.victory("X") and oracle.victory("O"):
            continue
        state = game.state_from_text(oracle.text())
        won = oracle.victory("X") or oracle.victory("O")
        assert bool(game.victory(state)[0]) == bool(won)
        assert game.is_terminal(state) == (not oracle.moves())
        ends.add(game.victory(state)[0])
    assert ends == {"", "bridge", "fork", "ring"} - {"bridge"}


@pytest.mark.parametrize(
    ("size", "counts"),
    [
        (2, [7, 42, 210, 600, 1296, 288, 72]),
        (3, [19, 342, 5814, 93024, 1395360]),
        (4, [37, 1332, 46620, 1585080]),
        (5, [61, 3660, 215940, 12524520]),
    ],
)
def test_perft(size: int, counts: list[int]) -> None:
    game = load_game(f"havannah:size={size}")
    assert [perft(game, depth=depth) for depth in range(1, len(counts) + 1)] == counts


POSITIONS = {
    "bridge": ("a1 d4 b1 e6 c1 c4 d1", "bridge", 0),
    "a stone short of a bridge": ("a1 d4 b1 e6 c1 c4", "", None),
    "fork": ("a2 g5 b1 d5 c2 f7 d2 b4 e2 e7 b2", "fork", 0),
    "fork by the second player": ("g5 a2 d5 b1 f7 c2 b4 d2 e7 e2 g6 b2", "fork", 1),
    "a corner is no side": ("b1 g5 a1 d5 a2 f7", "", None),
    "two sides and a corner": ("a2 g5 a1 d5 b1 f7 b2 b4 c2 e7", "", None),
    "ring, empty inside": ("e4 a1 e5 g7 d5 a3 c4 g5 c3 b1 d3", "ring", 0),
    "ring round the other's stone": ("e4 a1 e5 d4 d5 a3 c4 g5 c3 b1 d3", "ring", 0),
    "ring round an own stone": ("d4 a1 e4 g7 e5 a3 d5 g5 c4 b1 c3 f7 d3", "ring", 0),
    "ring of eight round two cells": ("c2 a1 d3 g7 e4 a3 e5 g5 d5 f7 c4 e6 b3 d1 b2", "ring", 0),
    "closed against the edge": ("a1 g7 b2 d4 c2 g5 c1", "", None),
    "triangle": ("c3 a1 d4 g7 d3 a3", "", None),
}


@pytest.mark.parametrize("name", POSITIONS)
def test_positions(name: str) -> None:
    moves, kind, winner = POSITIONS[name]
    game = load_game("havannah:size=4")
    state = game.initial()
    for move in moves.split():
        assert not game.is_terminal(state)
        state = game.result(state, game.action_from_text(state, move))
    assert game.is_terminal(state) == bool(kind)
    assert game.victory(state)[0] == kind
    drawing = game.draw(state)
    assert {line.player for line in drawing.lines} == (set() if winner is None else {winner})
    if winner is not None:
        assert game.utility(state, winner) == 1
        assert f"{'XO'[winner]} wins by a {kind}" in drawing.caption


def test_images_are_worth_the_same() -> None:
    game, rng = load_game("havannah:size=3"), random.Random(1)
    state = game.initial()
    assert len(set(game.symmetries(state))) == 1
    for _ in range(6):
        state = game.result(state, rng.choice(game.actions(state)))
    assert len(set(game.symmetries(state))) == 12
    assert {game.canonical(image) for image in game.symmetries(state)} == {game.canonical(state)}


def test_swap_changes_the_colour() -> None:
    game = load_game("havannah:size=2,swap=true")
    state = game.result(game.initial(), game.action_from_text(game.initial(), "a1"))
    swapped = game.result(state, game.action_from_text(state, "swap"))
    assert game.state_text(swapped) == "../.../O. X"
    assert game.state_from_text("../.../O. X") == swapped


def test_bad_text() -> None:
    game = load_game("havannah:size=2")
    for wrong in ("", "../.../.. Z", ".../.../... X"):
        with pytest.raises(BadInput, match="expected 3 rows of 2, 3, 2"):
            game.state_from_text(wrong)
    with pytest.raises(BadInput, match="both sides have won"):
        game.state_from_text("XX/.../OO X")
    with pytest.raises(BadInput, match="expected 2 to 10"):
        load_game("havannah:size=11")


def test_sgf_is_read_back_and_as_morat_writes_it() -> None:
    game = load_game("havannah:size=5")
    text = record_format(game, "sgf").write(Record(moves=("a1", "b2"), players=("Ann", "Bob")))
    assert text == "(;FF[4]GM[havannah]CA[UTF-8]AP[gametree]SZ[5]PW[Ann]PB[Bob]\n;W[a1];B[b2])\n"
    found = next(split("sgf", ["(;FF[4]GM[havannah]SZ[5]\n", " ;W[a1]C[good]\n", ")\n"]))
    assert found.game == "havannah:size=5"
    record = found.record(game)
    assert (record.moves, record.comments, record.error) == (("a1",), {1: "good"}, "")
    assert "expected one of the same size" in found.record(load_game("havannah:size=4")).error


def test_small_boards_are_solved_by_the_search() -> None:
    game = load_game("havannah:size=2")
    assert (result := search(game, simulations=20_000)).bound == "exact"
    assert result.value == 1
    middle = game.result(game.initial(), game.action_from_text(game.initial(), "b2"))
    assert search(game, middle, simulations=20_000).value == 1  # for the second player, who is to move
