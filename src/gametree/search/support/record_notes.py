"""Filling a tree record from a search that jumps about the tree, so that `enter` and `leave` cannot follow it."""

from __future__ import annotations

from math import inf
from typing import Any

from gametree.core.errors import BadInput
from gametree.core.record import LEAF, Event, TreeRecord

__all__ = ["Notes"]


class Notes:
    """Writes one search into an empty record, node by node, in the order in which the search turns to them.

    Rows are None where the record was full. Raises BadInput if the record holds a search already: rows of a search
    that jumps about cannot be told from those of the search before.
    """

    def __init__(self, record: TreeRecord) -> None:
        if len(record):
            raise BadInput(f"The record holds {len(record)} nodes of another search; expected an empty one.")
        self._record = record

    def visit(
        self, above: int | None, state: Any, action: Any, *, alpha: float = -inf, beta: float = inf
    ) -> int | None:
        """Add a node below the row `above` (-1 for the root) as visited now, and return its row."""
        row = None if above is None else self._record.add(above, state, action, visits=1)
        if row is None or row < 0:
            return None
        self._record.alpha_in[row] = self._record.alpha_out[row] = alpha
        self._record.beta_in[row] = self._record.beta_out[row] = beta
        self._record.events.append(Event("enter", row, None, alpha, beta))
        return row

    def settle(self, row: int | None, value: float, *, bound: str = "exact", at_limit: bool = False) -> None:
        """Give a visited node its value for seat 0; `at_limit` says that EVAL gave it."""
        if row is None:
            return
        self._record.value[row] = value
        self._record.bound[row] = bound
        if at_limit and self._record.player[row] != LEAF:
            self._mark(row, "depth")
        self._record.events.append(Event("leave", row, value, self._record.alpha_in[row], self._record.beta_in[row]))

    def update(self, row: int | None, value: float, *, bound: str) -> None:
        """Give a visited node a provisional value, which stays if the search never comes back to it."""
        if row is None:
            return
        self._record.value[row] = value
        self._record.bound[row] = bound
        self._record.events.append(Event("update", row, value, self._record.alpha_in[row], self._record.beta_in[row]))

    def prune(self, above: int | None, state: Any, action: Any) -> None:
        """Add a child that was never visited, and mark its parent as cut."""
        if above is None:
            return
        if "cut" not in self._record.reason[above].split():
            self._mark(above, "cut")
            self._record.events.append(Event("cut", above, self._record.value[above], -inf, inf))
        row = self._record.add(above, state, action)
        if row >= 0:
            self._record.reason[row] = "pruned"

    def _mark(self, row: int, reason: str) -> None:
        words = self._record.reason[row].split()
        if reason not in words:
            self._record.reason[row] = " ".join([*words, reason])
