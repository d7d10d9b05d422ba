"""Checkers as one would explain it: a dictionary of squares, and jumps that are looked for one after the other."""

from __future__ import annotations

Square = tuple[int, int]  # row from the top, column


def number_of(square: Square) -> int:
    return 4 * square[0] + square[1] // 2 + 1


class PlainCheckers:
    """A position: square → "b", "B", "w" or "W", and who is to move."""

    def __init__(self, board: dict[Square, str] | None = None, side: str = "b") -> None:
        self.side = side
        self.board = board if board is not None else {}
        if board is None:
            for row in range(8):
                for column in range(8):
                    if (row + column) % 2 and row not in (3, 4):
                        self.board[row, column] = "b" if row < 3 else "w"

    def steps(self, piece: str) -> list[Square]:
        rows = {"b": [1], "w": [-1]}.get(piece, [1, -1])
        return [(row, column) for row in rows for column in (1, -1)]

    def is_free(self, square: Square) -> bool:
        return 0 <= square[0] < 8 and 0 <= square[1] < 8 and square not in self.board

    def moves(self) -> dict[tuple[int, ...], PlainCheckers]:
        """The squares of every legal move, as numbers, and the position behind it."""
        mine = [square for square, piece in self.board.items() if piece.lower() == self.side]
        jumps = {path: after for square in mine for path, after in self.jumps(square).items()}
        return jumps or {path: after for square in mine for path, after in self.plain(square).items()}

    def plain(self, square: Square) -> dict[tuple[int, ...], PlainCheckers]:
        found = {}
        for row, column in self.steps(self.board[square]):
            target = (square[0] + row, square[1] + column)
            if self.is_free(target):
                board = dict(self.board)
                board[target] = board.pop(square)
                found[number_of(square), number_of(target)] = self.done(board, target)
        return found

    def jumps(self, square: Square) -> dict[tuple[int, ...], PlainCheckers]:
        found = {}
        for row, column in self.steps(self.board[square]):
            over, target = (square[0] + row, square[1] + column), (square[0] + 2 * row, square[1] + 2 * column)
            if over not in self.board or self.board[over].lower() == self.side or not self.is_free(target):
                continue
            board = dict(self.board)
            del board[over]
            board[target] = board.pop(square)
            path = (number_of(square), number_of(target))
            crowned = board[target] in "bw" and target[0] in (0, 7)
            longer = {} if crowned else PlainCheckers(board, self.side).jumps(target)
            if not longer:
                found[path] = self.done(board, target)
            for more, after in longer.items():
                found[(path[0], *more)] = after
        return found

    def done(self, board: dict[Square, str], target: Square) -> PlainCheckers:
        if target[0] == (7 if self.side == "b" else 0):
            board[target] = board[target].upper()
        return PlainCheckers(board, "w" if self.side == "b" else "b")

    def fen(self) -> str:
        """The position as FEN, without the clock."""
        parts = []
        for side in "wb":
            own = sorted((number_of(square), piece) for square, piece in self.board.items() if piece.lower() == side)
            parts.append(side.upper() + ",".join(("K" if piece.isupper() else "") + str(n) for n, piece in own))
        return ":".join([self.side.upper(), *parts])
