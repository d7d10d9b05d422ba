"""Go against a slow oracle that floods chains on a list of lists and keeps every board of the game."""

from __future__ import annotations

import random

import pytest

from gametree.games.go import Go

# The oracle -----------------------------------------------------------------------------------------------------------


class Oracle:
    """A game of Go told as simply as possible: a board is a tuple of strings."""

    def __init__(self, rows: int, columns: int) -> None:
        self.board = tuple("." * columns for _ in range(rows))
        self.seen = [self.board]
        self.mover, self.passes = "X", 0

    def copy(self) -> Oracle:
        other = Oracle(1, 1)
        other.board, other.seen, other.mover, other.passes = self.board, list(self.seen), self.mover, self.passes
        return other

    def beside(self, row, column):
        for r, c in ((row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1)):
            if 0 <= r < len(self.board) and 0 <= c < len(self.board[0]):
                yield r, c

    def region(self, board, row, column):
        """The connected cells of one mark, and the marks around them."""
        mark, cells, border, todo = board[row][column], set(), set(), [(row, column)]
        while todo:
            cell = todo.pop()
            if cell not in cells:
                cells.add(cell)
                for r, c in self.beside(*cell):
                    if board[r][c] == mark:
                        todo.append((r, c))
                    else:
                        border.add(board[r][c])
        return cells, border

    def after(self, row, column):
        """The board after a stone there, or None if that is not allowed."""
        if self.board[row][column] != ".":
            return None
        grid = [list(line) for line in self.board]
        grid[row][column] = self.mover
        for r, c in self.beside(row, column):
            if grid[r][c] not in (".", self.mover):
                cells, border = self.region(grid, r, c)
                if "." not in border:
                    for i, j in cells:
                        grid[i][j] = "."
        if "." not in self.region(grid, row, column)[1]:
            return None
        board = tuple("".join(line) for line in grid)
        return None if board in self.seen else board

    def moves(self):
        if self.passes == 2:
            return []
        rows, columns = len(self.board), len(self.board[0])
        names = "ABCDEFGHJKLMNOPQRST"
        found = {
            f"{names[column]}{rows - row}": self.after(row, column) for row in range(rows) for column in range(columns)
        }
        return [(name, board) for name, board in found.items() if board is not None] + [("pass", self.board)]

    def play(self, name, board):
        if name == "pass":
            self.passes += 1
        else:
            self.passes, self.board = 0, board
            self.seen.append(board)
        self.mover = "O" if self.mover == "X" else "X"

    def area(self):
        balance = 0
        for row, line in enumerate(self.board):
            for column, mark in enumerate(line):
                marks = {mark} if mark != "." else self.region(self.board, row, column)[1]
                balance += (marks == {"X"}) - (marks == {"O"})
        return balance

    def perft(self, depth):
        moves = self.moves()
        if depth == 0 or not moves:
            return 1
        total = 0
        for name, board in moves:
            child = self.copy()
            child.play(name, board)
            total += child.perft(depth - 1)
        return total


def agree(game: Go, state: bytes, oracle: Oracle) -> None:
    """Every answer about one position is the oracle's."""
    assert [game.action_text(state, move) for move in game.actions(state)] == [name for name, _ in oracle.moves()]
    assert game.state_text(state).split()[:2] == ["/".join(oracle.board), oracle.mover]
    assert game.is_terminal(state) == (oracle.passes == 2)
    assert game.player(state) == "XO".index(oracle.mover)
    assert game.utility(state, 0) == oracle.area() == -game.utility(state, 1)


SIZES = ["2", "3", "2x5", "4", "5x3", "5", "7", "9"]


@pytest.mark.parametrize("size", SIZES)
def test_random_games_agree_with_the_oracle(size):
    game = Go(size, moves=2000)
    rng = random.Random(size)
    positions = 0
    while positions < 10_000 // len(SIZES):
        state, oracle = game.initial(), Oracle(game.rows, game.columns)
        while True:
            agree(game, state, oracle)
            positions += 1
            moves = oracle.moves()
            if not moves:
                break
            # A pass is rare, so that small boards fill up, are captured and come near to repeating themselves.
            place = rng.randrange(len(moves)) if rng.random() < 0.1 else rng.randrange(max(1, len(moves) - 1))
            state = game.result(state, game.actions(state)[place])
            oracle.play(*moves[place])


def test_a_19_by_19_game_agrees_with_the_oracle():
    game, oracle, rng = Go(19), Oracle(19, 19), random.Random(19)
    state = game.initial()
    for ply in range(500):
        if ply % 25 == 0:
            agree(game, state, oracle)
        name, board = rng.choice(oracle.moves()[:-1])
        state = game.result(state, game.action_from_text(state, name))
        oracle.play(name, board)
