"""The transposition table: what is known of a state, however it was reached."""

from __future__ import annotations

from typing import Any, NamedTuple

from gametree.core.errors import BadInput

__all__ = ["Entry", "Table"]


class Entry(NamedTuple):
    """What a search found out about a state."""

    value: float
    bound: str
    """exact, lower or upper: what kind of bound `value` is."""
    depth: int
    """Plies that were still to go; negative for a search to the end of the game."""
    solved: bool
    """No line below was ended by the cut-off test, so searching deeper would find the same."""
    line: Any
    """Best play from the state on."""

    def holds(self, depth: int) -> bool:
        """Whether a search with so many plies to go would have found the same.

        A deeper result is no use to a search that must equal minimax at its own depth: looking further ahead gives
        another value, and a value that mixes depths depends on the order in which states are met. So the depth must be
        the same, unless the game was solved within the smaller depth.
        """
        if self.depth < 0 or depth < 0:
            return self.solved and depth < 0
        return self.depth == depth or (self.solved and self.depth < depth)

    def settles(self, alpha: float, beta: float) -> bool:
        """Whether the value is all that a search in the window (alpha, beta) has to know."""
        if self.bound == "exact":
            return True
        return self.value >= beta if self.bound == "lower" else self.value <= alpha


class Table:
    """At most `size` entries in two halves, the newer and the older.

    When the newer half is full it becomes the older one and what was in that is forgotten; an old entry that is stored
    again becomes new. So what is in use stays, and which entries are forgotten depends on the order of the search
    alone, not on how Python hashes. Raises BadInput if `size` is below 2.
    """

    def __init__(self, size: int) -> None:
        if size < 2:
            raise BadInput(f"size={size} is too small for a transposition table; expected at least 2.")
        self._half = size // 2
        self._new: dict[Any, Entry] = {}
        self._old: dict[Any, Entry] = {}

    def __len__(self) -> int:
        return len(self._new) + sum(key not in self._new for key in self._old)

    def get(self, key: Any) -> Entry | None:
        """The entry of a state, if there is one."""
        entry = self._new.get(key)
        return self._old.get(key) if entry is None else entry

    def store(self, key: Any, entry: Entry) -> None:
        """Keep the entry in place of what was known of the state before."""
        if len(self._new) >= self._half and key not in self._new:
            self._new, self._old = {}, self._new
        self._new[key] = entry
