"""Recognises a board in the facts of a sheet: facts such as (cell 1 3 x), whatever they are called.

The facts with three arguments whose first two say where, and of which a place has one at a time, are the board: the
first argument is the column, from left to right, and the second the row, from below. What no fact or most facts say at
the start is an empty place.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence

from gametree.core.drawing import Piece
from gametree.games.ggp._kif import Term
from gametree.games.ggp._network import natural

__all__ = ["Board", "find_board"]

MOST_CELLS = 400
EMPTY_WORDS = ("b", "blank", "empty", "none")


class Board:
    """Where the facts of one name lie on a grid."""

    def __init__(
        self, name: str, facts: Sequence[tuple[Term, ...]], start: Iterable[Term], roles: Sequence[str]
    ) -> None:
        self.name = name
        self.roles = roles
        across = sorted({fact[1] for fact in facts}, key=natural)
        up = sorted({fact[2] for fact in facts}, key=natural)
        self.columns, self.rows = len(across), len(up)
        self._place = {(x, y): (self.rows - 1 - j, i) for i, x in enumerate(across) for j, y in enumerate(up)}
        self.cells = tuple(f"{x} {y}" for y in reversed(up) for x in across)
        self._empty = self._find_empty(list(start))

    def _find_empty(self, start: list[Term]) -> set[Term]:
        at_first = [fact[3] for fact in start if self.is_part(fact)]
        full = len(at_first) == len(self._place)
        if full:
            return {Counter(at_first).most_common(1)[0][0]}
        return {word for word in EMPTY_WORDS if not any(role.startswith(word) for role in self.roles)}

    def is_part(self, fact: Term) -> bool:
        """Whether a fact says what lies on the board."""
        return isinstance(fact, tuple) and len(fact) == 4 and fact[0] == self.name

    def pieces(self, facts: Iterable[Term]) -> list[Piece] | None:
        """What lies on the board; None if two things lie on one cell."""
        found: dict[tuple[int, int], Piece] = {}
        for fact in facts:
            if self.is_part(fact) and fact[3] not in self._empty:
                row, column = self._place[fact[1], fact[2]]
                if (row, column) in found:
                    return None
                symbol = str(fact[3])
                found[row, column] = Piece(
                    row, column, symbol[:2] if len(symbol) < 3 else symbol[0], self._owner(symbol)
                )
        return [found[place] for place in sorted(found)]

    def _owner(self, symbol: str) -> int | None:
        """The seat whose name begins as the piece's, or the other way round."""
        owners = [seat for seat, role in enumerate(self.roles) if role.startswith(symbol) or symbol.startswith(role)]
        if not owners:
            owners = [seat for seat, role in enumerate(self.roles) if role[0] == symbol[0]]
        return owners[0] if len(owners) == 1 else None

    def cells_of(self, move: Term) -> list[str]:
        """The cells that a move names by column and row, one after the other."""
        found, parts = [], list(move[1:]) if isinstance(move, tuple) else []
        at = 0
        while at + 1 < len(parts):
            place = self._place.get((parts[at], parts[at + 1]))
            if place is None:
                at += 1
            else:
                found.append(self.cells[place[0] * self.columns + place[1]])
                at += 2
        return found

    def changed(self, before: Iterable[Term], after: Iterable[Term]) -> list[str]:
        """The cells on which something new lies."""
        old = {fact for fact in before if self.is_part(fact)}
        new = {fact for fact in after if self.is_part(fact)} - old
        places = sorted(self._place[fact[1], fact[2]] for fact in new if fact[3] not in self._empty)
        return [self.cells[row * self.columns + column] for row, column in places]


def find_board(fluents: Iterable[Term], start: Iterable[Term], roles: Sequence[str]) -> Board | None:
    """The largest board that the facts of positions make up, if there is one."""
    by_name: dict[str, list[tuple[Term, ...]]] = defaultdict(list)
    for fact in fluents:
        if isinstance(fact, tuple) and len(fact) == 4 and all(isinstance(part, str) for part in fact):
            by_name[str(fact[0])].append(fact)
    best: Board | None = None
    start = list(start)
    for name, facts in by_name.items():
        board = Board(name, facts, start, roles)
        covered = len({fact[1:3] for fact in facts})
        size = board.rows * board.columns
        fits = 2 * covered >= size and min(board.rows, board.columns) > 1 and size <= MOST_CELLS
        if fits and board.pieces(start) is not None and (best is None or size > best.rows * best.columns):
            best = board
    return best
