"""Tic-tac-toe for three players: X, O and Z take turns, three in a row wins.

The winner takes one point from each of the others: +2, −1, −1; a full board is worth 0 to all. With three players
nobody can force much alone: whoever could block a threat may leave it to the next player, and a player who cannot win
any more may decide who does. `tictactoe3:4x5` plays on four rows of five squares.

A state is the board as text, square by square from the top left, with X, O, Z and `.`; who is to move follows from the
number of marks. A position is written row by row: `X.O/.Z./...`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from gametree.core.drawing import Drawing, Piece
from gametree.core.errors import BadInput
from gametree.core.facts import Facts
from gametree.core.game import Game

__all__ = ["ThreePlayerTicTacToe", "game"]

MARKS = "XOZ"


class ThreePlayerTicTacToe(Game[str, int]):
    """X is seat 0 and begins, then O, then Z. An action is the number of a square."""

    def __init__(self, size: str = "3x3") -> None:
        found = re.fullmatch(r"([3-6])x([3-6])", size.strip().lower())
        if found is None:
            raise BadInput(f"tictactoe3:{size} is not a board; expected ROWSxCOLUMNS from 3x3 to 6x6, such as 3x4.")
        self.rows, self.columns = rows, columns = int(found[1]), int(found[2])
        squares = range(rows * columns)
        self.names = tuple("abcdef"[square % columns] + str(rows - square // columns) for square in squares)
        self.lines = self._find_lines()
        self.images = self._find_images()
        self.facts = Facts(
            players=3, min_utility=-1.0, max_utility=2.0, most_moves=len(squares), longest_game=len(squares)
        )

    def _find_lines(self) -> list[tuple[int, int, int]]:
        """All rows of three squares: across, down and along both diagonals."""
        lines = []
        for row in range(self.rows):
            for column in range(self.columns):
                for down, right in ((0, 1), (1, 0), (1, 1), (1, -1)):
                    if row + 2 * down < self.rows and 0 <= column + 2 * right < self.columns:
                        first, step = row * self.columns + column, down * self.columns + right
                        lines.append((first, first + step, first + 2 * step))
        return lines

    def _find_images(self) -> list[list[int]]:
        """For each symmetry of the board, the squares in the order in which the image shows them."""
        board = [list(range(row * self.columns, (row + 1) * self.columns)) for row in range(self.rows)]
        boards = [board]
        if self.rows == self.columns:  # a rectangle that is no square cannot lie on its side
            boards.append([list(line) for line in zip(*board, strict=True)])
        boards += [turned[::-1] for turned in boards]
        boards += [[line[::-1] for line in turned] for turned in boards]
        return [[square for line in turned for square in line] for turned in boards]

    def _winner(self, state: str) -> int | None:
        """The seat with three in a row; only the one that moved last can have them."""
        last = (self._marks(state) - 1) % 3
        mark = MARKS[last]
        return last if any(state[a] == state[b] == state[c] == mark for a, b, c in self.lines) else None

    def _marks(self, state: str) -> int:
        return len(state) - state.count(".")

    def initial(self) -> str:
        """The empty board."""
        return "." * (self.rows * self.columns)

    def player(self, state: str) -> int:
        """X, O and Z in turn."""
        return self._marks(state) % 3

    def actions(self, state: str) -> Sequence[int]:
        """The empty squares."""
        if self._winner(state) is not None:
            return ()
        return [square for square, mark in enumerate(state) if mark == "."]

    def result(self, state: str, action: int) -> str:
        """Put the mover's mark on the square."""
        return f"{state[:action]}{MARKS[self._marks(state) % 3]}{state[action + 1 :]}"

    def is_terminal(self, state: str) -> bool:
        """Three in a row, or a full board."""
        return "." not in state or self._winner(state) is not None

    def utility(self, state: str, player: int) -> int:
        """2 for the winner, −1 for the others, 0 for a draw."""
        winner = self._winner(state)
        return 0 if winner is None else 2 if winner == player else -1

    def evaluate(self, state: str, player: int) -> float:
        """My open lines against the average of the others', over all lines; estimates sum to 0 as utilities do."""
        mine = [self._open_lines(state, mark) for mark in MARKS]
        return (3 * mine[player] - sum(mine)) / (3 * len(self.lines))

    def _open_lines(self, state: str, mark: str) -> int:
        """Lines that could still be filled with `mark`."""
        free = mark + "."
        return sum(state[a] in free and state[b] in free and state[c] in free for a, b, c in self.lines)

    def symmetries(self, state: str) -> Sequence[str]:
        """All turns and mirror images of the board: eight of a square, four of another rectangle."""
        return ["".join([state[square] for square in image]) for image in self.images]

    def action_text(self, state: str, action: int) -> str:
        """The square's name: a letter for the column and the row counted from below."""
        return self.names[action]

    def state_text(self, state: str) -> str:
        """The rows from the top, separated by slashes."""
        return "/".join(state[row * self.columns : (row + 1) * self.columns] for row in range(self.rows))

    def state_from_text(self, text: str) -> str:
        """Read rows of X, O, Z and `.`; slashes may be left out. Raises BadInput."""
        state = text.strip().upper().replace("/", "")
        if len(state) != self.rows * self.columns or set(state) - set(MARKS + "."):
            raise BadInput(
                f"'{text}' is not a position on {self.rows} × {self.columns} squares; "
                f"expected {self.rows * self.columns} of X, O, Z and '.', such as {self.state_text(self.initial())}."
            )
        counts = [state.count(mark) for mark in MARKS]
        marks = sum(counts)
        if counts != [(marks + 2) // 3, (marks + 1) // 3, marks // 3]:
            raise BadInput(
                f"'{text}' has {counts[0]} X, {counts[1]} O and {counts[2]} Z; expected them in turn, X first."
            )
        self._refuse_play_after_the_end(state, text)
        return state

    def _refuse_play_after_the_end(self, state: str, text: str) -> None:
        """Raise BadInput unless every three in a row goes through one square of the player who moved last."""
        last = MARKS[(self._marks(state) - 1) % 3]
        full = [(a, b, c) for a, b, c in self.lines if state[a] == state[b] == state[c] != "."]
        common = set(range(len(state))).intersection(*map(set, full))
        if full and (not common or any(state[line[0]] != last for line in full)):
            raise BadInput(f"'{text}' cannot come about: the game had ended before the last mark.")

    def draw(self, state: str) -> Drawing:
        """The board."""
        pieces = [
            Piece(square // self.columns, square % self.columns, mark, MARKS.index(mark))
            for square, mark in enumerate(state)
            if mark != "."
        ]
        return Drawing(layout="square", rows=self.rows, columns=self.columns, pieces=tuple(pieces), cells=self.names)


game = ThreePlayerTicTacToe
