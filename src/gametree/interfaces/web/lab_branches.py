"""A recorded search of a million nodes, opened branch by branch.

A `Branches` is a record for large searches: it takes the calls that a search makes on a `TreeRecord` and keeps, in flat
arrays of about 60 bytes a node, what was visited and with which outcome. States and texts are not kept: whoever opens a
node replays its few moves from the root. Children that were never visited are not kept either; the game lists them.

The worker process that made a record keeps it until it ends; `gametree.interfaces.web.lab` gives every page that asks a
process of its own and ends it when the page is left.
"""

from __future__ import annotations

import inspect
import math
from array import array
from typing import Any

import numpy as np

from gametree.core.errors import BadInput, OutOfTime
from gametree.core.game import CHANCE, Game
from gametree.core.record import LEAF
from gametree.core.registry import load_algorithm
from gametree.core.specification import convert, parse_specification
from gametree.interfaces.svg_parts import with_minus
from gametree.interfaces.web.games import check_parameters
from gametree.interfaces.web.lab_work import set_up
from gametree.interfaces.web.worker import Job
from gametree.play.analysis import FRAME
from gametree.teaching.steps import chance_text, value_text, window_text

__all__ = ["MOST_NODES", "MOST_SLICE", "SORTS", "Branches", "grow", "open_branch"]

MOST_NODES = 1_500_000
"""Nodes that a record holds; the search goes on without it after that."""
MOST_SLICE = 200
"""Children in one answer."""
SORTS = ("order", "value", "size")

_REPORT_EVERY = 1 << 15


class Branches:
    """The record of a search that is too large for a `TreeRecord`. It is filled by the same calls.

    Row 0 is the root and a child stands below its parent. A node that is entered again keeps its row, which tells of
    the last time. Raises ValueError if it is filled from two positions.
    """

    def __init__(self, game: Game[Any, Any], *, limit: int = MOST_NODES, watch: Any = None) -> None:
        self.algorithm = ""
        self.truncated = False
        """True if the search went on after `limit` nodes."""
        self.state: Any = None
        """The state of the root."""
        self.parent = array("i")
        self.action: list[Any] = []
        self.value = array("d")
        self.alpha = array("d")
        self.beta = array("d")
        self.visits = array("i")
        self.reason: list[str] = []
        self.bound: list[str] = []
        self._game = game
        self._limit = limit
        self._watch = watch
        self._rows: dict[tuple[int, Any], int] = {}  # (parent, action) → row; let go of by `finish`
        self._path: list[int] = []
        self._beyond = 0  # how many unrecorded nodes are open

    def __len__(self) -> int:
        return len(self.parent)

    # Filling: the calls of a TreeRecord -------------------------------------------------------------------------------

    def enter(self, state: Any, action: Any, alpha: float = -math.inf, beta: float = math.inf) -> int:
        """Open the node that `action` leads to, or the root where it is None; -1 when the record is full."""
        if action is None:
            if len(self) and state != self.state:
                raise ValueError("the record holds a search of another position; use a new one")
            self.state, self._path, self._beyond = state, [], 0
            row = self._row(-1, None)
        elif self._beyond:
            self._beyond += 1
            return -1
        else:
            row = self._row(self._path[-1], action)
        if row < 0:
            self._beyond = 1
            return -1
        self.visits[row] += 1
        self.alpha[row], self.beta[row] = alpha, beta
        self.reason[row] = ""
        self._path.append(row)
        return row

    def leave(self, value: float, *, bound: str | None = None, reason: str | None = None, values: Any = None) -> None:
        """Close the open node with its value for seat 0."""
        if self._beyond:
            self._beyond -= 1
            return
        row = self._path.pop()
        self.value[row] = value
        if reason:
            self.mark_row(row, reason)
        if bound is None:
            bound = "upper" if value <= self.alpha[row] else "lower" if value >= self.beta[row] else "exact"
        self.bound[row] = bound

    def mark(self, reason: str) -> None:
        """Add a reason to the open node."""
        if not self._beyond:
            self.mark_row(self._path[-1], reason)

    def mark_row(self, row: int, reason: str) -> None:
        """Add a reason to a node."""
        words = self.reason[row].split()
        if reason not in words:
            self.reason[row] = " ".join([*words, reason])

    def skip(self, action: Any, reason: str = "refused") -> None:
        """A child that is passed over is not kept; it shows as one that was not looked at."""

    def abandon(self) -> None:
        """Close every open node as it stands, because the search was stopped."""
        for row in self._path:
            if not self.bound[row]:
                self.mark_row(row, "unfinished")
        self._path, self._beyond = [], 0

    def add(
        self, parent: int, state: Any, action: Any, *, value: float | None = None, visits: int = 0, bound: str = "",
        reason: str = "", values: Any = None,
    ) -> int:  # fmt: skip
        """Append one finished node, for searches that do not go depth-first; -1 when the record is full."""
        if parent < 0:
            self.state = state
        row = self._row(parent, action)
        if row >= 0:
            self.value[row] = math.nan if value is None else value
            self.visits[row], self.bound[row], self.reason[row] = visits, bound, reason
        return row

    def _row(self, above: int, action: Any) -> int:
        row = self._rows.get((above, action))
        if row is not None:
            return row
        row = len(self.parent)
        if row >= self._limit:
            self.truncated = True
            return -1
        self._rows[above, action] = row
        self.parent.append(above)
        self.action.append(action)
        self.value.append(math.nan)
        self.alpha.append(-math.inf)
        self.beta.append(math.inf)
        self.visits.append(0)
        self.reason.append("")
        self.bound.append("")
        if self._watch is not None and not row % _REPORT_EVERY:
            self._watch(row)
        return row

    # Reading ----------------------------------------------------------------------------------------------------------

    def finish(self) -> None:
        """Count what lies below every node. Nothing can be filled in afterwards."""
        self._rows = {}
        rows = len(self)
        parents = np.frombuffer(self.parent, np.intc) if rows else np.empty(0, np.intc)
        # Children by parent, in the order in which they were first visited.
        self._children = np.argsort(parents, kind="stable").astype(np.int32)
        self._starts = np.searchsorted(parents[self._children], np.arange(rows + 1))
        counted = [0] * rows  # a list: single numbers of an array are slow to reach
        for row in range(1, rows):  # a child's parent stands above it, so one pass will do
            counted[row] = counted[self.parent[row]] + 1
        levels = np.array(counted, np.int32)
        self.size = np.ones(rows, np.int64)
        self.leaves = (np.diff(self._starts) == 0).astype(np.int64)
        for level in range(int(levels.max(initial=0)), 0, -1):
            at = np.flatnonzero(levels == level)
            np.add.at(self.size, parents[at], self.size[at])
            np.add.at(self.leaves, parents[at], self.leaves[at])
        self.depth = int(levels.max(initial=0))

    def children(self, row: int) -> Any:
        """Rows of the visited children, in the order of the first visit."""
        return self._children[self._starts[row] : self._starts[row + 1]]

    def path(self, row: int) -> list[int]:
        """Rows from the root down to this one."""
        rows = [row]
        while self.parent[rows[-1]] >= 0:
            rows.append(self.parent[rows[-1]])
        return rows[::-1]

    def state_of(self, row: int) -> Any:
        """The state of a row, by playing the moves that lead there."""
        state = self.state
        for below in self.path(row)[1:]:
            state = self._game.result(state, self.action[below])
        return state

    def branch(self, row: int, start: int, count: int, sort: str) -> dict[str, Any]:
        """A slice of a node's children as the page shows them. Raises BadInput if there is no such node or order."""
        if not 0 <= row < len(self):
            raise BadInput(f"There is no node {row}; expected 0 to {len(self) - 1}.")
        if sort not in SORTS:
            raise BadInput(f"Nodes cannot be sorted by '{sort}'; expected one of {', '.join(SORTS)}.")
        game, state = self._game, self.state_of(row)
        rows = self.children(row)
        if sort == "size":
            rows = rows[np.argsort(-self.size[rows], kind="stable")]
        elif sort == "value" and len(rows):
            values = np.frombuffer(self.value, float)[rows]
            rows = rows[np.argsort(values if game.player(state) == 1 else -values, kind="stable")]
        terminal = game.is_terminal(state)
        seen = {self.action[child] for child in rows}
        unseen = [] if terminal or self._is_leaf(row) else [a for a in game.actions(state) if a not in seen]
        odds = dict(game.outcomes(state)) if not terminal and game.player(state) == CHANCE else {}
        count = min(count, MOST_SLICE)
        shown = [self._node(state, int(child), odds) for child in rows[start : start + count]]
        return {
            "row": row,
            "start": start,
            "total": len(rows),
            "children": shown,
            "unseen": [game.action_text(state, action) for action in unseen[:MOST_SLICE]],
            "unseen_total": len(unseen),
        }

    def _is_leaf(self, row: int) -> bool:
        return not len(self.children(row))

    def _node(self, parent_state: Any, row: int, odds: dict[Any, float]) -> dict[str, Any]:
        game, action = self._game, self.action[row]
        told = self.root(game.result(parent_state, action), row)
        chance = odds.get(action)
        return {
            **told,
            "move": game.action_text(parent_state, action),
            "chance": "" if chance is None else chance_text(chance),
        }

    def root(self, state: Any, row: int = 0) -> dict[str, Any]:
        """A node as the page shows it, without the move that leads to it."""
        game, value = self._game, self.value[row]
        leaf = self._is_leaf(row)
        window = ""
        if math.isfinite(self.alpha[row]) or math.isfinite(self.beta[row]):
            window = with_minus(window_text(self.alpha[row], self.beta[row]))
        return {
            "row": row,
            "player": LEAF if game.is_terminal(state) else game.player(state),
            "value": "" if math.isnan(value) else with_minus(value_text(value, None, "" if leaf else self.bound[row])),
            "window": window,
            "visits": self.visits[row],
            "reason": self.reason[row],
            "size": int(self.size[row]),
            "leaves": int(self.leaves[row]),
            "children": len(self.children(row)),
        }


# What the worker process does -----------------------------------------------------------------------------------------

_kept: dict[str, tuple[Game[Any, Any], Branches]] = {}


def grow(
    job: Job, source: dict[str, Any], algorithm: str, depth: int | None, nodes: int, limit: int = MOST_NODES
) -> dict[str, Any]:
    """Search with a record, keep it in this process, and tell of its root. Raises BadInput, UnfitGame."""
    game, state = set_up(source)
    specification = parse_specification(algorithm)
    check_parameters(specification.parameters)
    facts, run = load_algorithm(specification.name)
    options = convert(run, specification, besides=FRAME)
    if depth is not None and facts.takes_depth:
        options["depth"] = depth
    if "simulations" in inspect.signature(run).parameters:
        options.setdefault("simulations", nodes)
    record = Branches(game, limit=limit, watch=lambda rows: job.report({"rows": rows}))
    job.clock.nodes = nodes
    complete, told = True, {}
    try:
        result = run(game, state, clock=job.clock, record=record, **options)
        complete = result.complete
        told = result.to_data(game)
    except OutOfTime:
        record.abandon()
        complete = False
    if not len(record):
        raise BadInput(f"{specification.name} kept no record of this search; choose another algorithm.")
    record.finish()
    _kept.clear()
    _kept["record"] = game, record
    return {
        "algorithm": specification.name,
        "game": game.name,
        "position": game.state_text(state),
        "rows": len(record),
        "depth": record.depth,
        "truncated": record.truncated,
        "complete": complete,
        "nodes": told.get("nodes", sum(record.visits)),
        "move": told.get("move"),
        "pv": told.get("pv", []),
        "root": record.root(state),
        "drawing": game.draw(state).to_data(),
    }


def open_branch(job: Job, row: int, start: int, count: int, sort: str) -> dict[str, Any]:
    """A slice of a node's children in the record that this process keeps. Raises BadInput if it keeps none."""
    if "record" not in _kept:
        raise BadInput("The record of this search is gone; search again.")
    _, record = _kept["record"]
    return record.branch(row, start, count, sort)
