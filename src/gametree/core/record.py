"""The tree record: what a search did, as one flat structure that everything else reads.

Terminal pictures, SVGs, the stepping, the quizzes and the tests all read this record. It is a struct of arrays: node
`i` is row `i` of every column, and a child always stands below its parent. A search that records says three things:

    record.enter(child, action, alpha, beta)      # before it looks at a child
    record.leave(value)                           # when it knows the child's value
    record.skip(action, "refused")                # when it passes a child over on purpose

The record works out the rest: which children a cut-off left unvisited, what kind of bound a value is, and how the
window stood at the end. All values and windows in it are seat 0's (MAX's), whatever the algorithm's own viewpoint.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from gametree.core.errors import BadInput
from gametree.core.game import CHANCE, MAX, MIN, Game

__all__ = ["COLUMNS", "LEAF", "Event", "TreeRecord"]

LEAF = -3
"""What the `player` column holds at terminal states."""

# Reasons, the words of the `reason` column. A node may have several.
#   terminal    the game is over here
#   depth       the cut-off test stopped here and EVAL gave the value
#   cut         its last children were not looked at: the value had left the window
#   pruned      never visited, because its parent was cut
#   refused     never visited, because forward pruning or a symmetry passed it over
#   extended    searched deeper than its turn
#   quiescence  only noisy moves were followed from here
#   table       its value came from the transposition table
#   researched  entered again with another window or depth

COLUMNS: dict[str, str] = {
    "parent": "row of the parent, -1 for the root",
    "move": "the move that leads here, as text",
    "place": "index of that move among the parent's actions",
    "player": "seat to move, -1 chance, -2 several at once, -3 terminal",
    "level": "plies below the root",
    "value": "backed-up value for seat 0, null if unknown",
    "values": "values for all seats in games of more than two, else null",
    "alpha_in": "alpha on entry, null for minus infinity",
    "beta_in": "beta on entry, null for plus infinity",
    "alpha_out": "alpha on exit",
    "beta_out": "beta on exit",
    "bound": "exact, lower, upper, estimate, or empty if never visited",
    "order": "order of the first visit, -1 if never visited",
    "visits": "how often it was entered",
    "probability": "chance of this outcome below a chance node, else null",
    "label": "text drawn inside the node, such as a name of a drawn tree",
    "reason": "why it ended so: words parted by spaces",
}


@dataclass(frozen=True, slots=True)
class Event:
    """One step of the search, for stepping forward and back: what happened at which node.

    kind: "enter" (window as given), "update" (a provisional value or window changed), "leave" (value is final),
    "cut" (the rest of the node's children are dropped), "skip" (the node is passed over).
    """

    kind: str
    node: int
    value: float | None
    alpha: float
    beta: float


class TreeRecord:
    """A growing record of one search of one game. See the module's docstring for how a search fills it."""

    def __init__(self, game: Game[Any, Any], *, limit: int = 2_000_000) -> None:
        self.game_name = game.name
        self.algorithm = ""
        self.position = ""
        self.truncated = False
        """True if the search went on after `limit` nodes had been recorded."""
        self.events: list[Event] = []
        self.parent: list[int] = []
        self.move: list[str] = []
        self.place: list[int] = []
        self.player: list[int] = []
        self.level: list[int] = []
        self.value: list[float | None] = []
        self.values: list[list[float] | None] = []
        self.alpha_in: list[float] = []
        self.beta_in: list[float] = []
        self.alpha_out: list[float] = []
        self.beta_out: list[float] = []
        self.bound: list[str] = []
        self.order: list[int] = []
        self.visits: list[int] = []
        self.probability: list[float | None] = []
        self.label: list[str] = []
        self.reason: list[str] = []
        self._game = game
        self._limit = limit
        self._entered = 0
        # The open rows from the root down, and for every row its state, its actions' places and its children.
        self._path: list[int] = []
        self._states: dict[int, Any] = {}
        self._places: dict[int, dict[Any, int]] = {}
        self._children: dict[int, dict[Any, int]] = {}
        self._skipped_depth = 0  # how many unrecorded nodes are open, once the limit is reached

    def __len__(self) -> int:
        return len(self.parent)

    # Filling ---------------------------------------------------------------------------------------------------------

    def enter(self, state: Any, action: Any, alpha: float = -math.inf, beta: float = math.inf) -> int:
        """Open the node that `action` leads to from the node open now; `action` is None at the root.

        A node entered before is opened again: its visits count up and it is marked as re-searched.
        Returns its row, or -1 when the record is full.
        """
        if self._skipped_depth:
            self._skipped_depth += 1
            return -1
        above = self._path[-1] if self._path else -1
        if above < 0:
            node = 0 if self.parent else self._append(-1, state, None)
        else:
            known = self._children.setdefault(above, {})
            if action in known:
                node = known[action]
            elif len(self.parent) >= self._limit:
                self.truncated = True
                self._skipped_depth = 1
                return -1
            else:
                node = self._append(above, state, action)
        if node < 0:
            return node
        if self.order[node] < 0:
            self.order[node] = self._entered
            self._entered += 1
            self._unmark(node, "pruned")
        else:
            self._mark(node, "researched")
            self.value[node] = None
        self.visits[node] += 1
        self.alpha_in[node] = self.alpha_out[node] = alpha
        self.beta_in[node] = self.beta_out[node] = beta
        self._path.append(node)
        self.events.append(Event("enter", node, None, alpha, beta))
        return node

    def leave(
        self,
        value: float,
        *,
        bound: str | None = None,
        reason: str | None = None,
        values: Sequence[float] | None = None,
    ) -> None:
        """Close the open node with its value for seat 0.

        Without `bound`, the kind follows from the window on entry, fail-soft. Children that were never entered are
        added as pruned.
        """
        if self._skipped_depth:
            self._skipped_depth -= 1
            return
        node = self._path.pop()
        player = self.player[node]
        alpha, beta = self.alpha_in[node], self.beta_in[node]
        self.value[node] = value
        self.values[node] = None if values is None else list(values)
        if reason:
            self._mark(node, reason)
        if player == LEAF:
            self._mark(node, "terminal")
        if player == MAX:
            self.alpha_out[node] = max(alpha, value)
        elif player == MIN:
            self.beta_out[node] = min(beta, value)
        if bound is None:
            exact = player == LEAF or alpha < value < beta
            bound = "exact" if exact else "upper" if value <= alpha else "lower"
        self.bound[node] = bound
        if player != LEAF:
            self._close_children(node)
        self.events.append(Event("leave", node, value, self.alpha_out[node], self.beta_out[node]))
        if self._path:
            self._update_parent(self._path[-1], value)

    def mark(self, reason: str) -> None:
        """Add a reason to the open node."""
        if not self._skipped_depth:
            self._mark(self._path[-1], reason)

    def skip(self, action: Any, reason: str = "refused") -> None:
        """Note that a child of the open node is passed over, and why."""
        if self._skipped_depth or len(self.parent) >= self._limit:
            return
        above = self._path[-1]
        known = self._children.setdefault(above, {})
        if action in known:
            return
        node = self._append(above, self._game.result(self._states[above], action), action)
        self._mark(node, reason)
        self.events.append(Event("skip", node, None, -math.inf, math.inf))

    def add(
        self,
        parent: int,
        state: Any,
        action: Any,
        *,
        value: float | None = None,
        visits: int = 0,
        bound: str = "",
        reason: str = "",
        values: Sequence[float] | None = None,
    ) -> int:
        """Append one finished node, for searches that do not go depth-first; returns its row, or -1 when full."""
        if len(self.parent) >= self._limit:
            self.truncated = True
            return -1
        node = self._append(parent, state, action)
        self.value[node] = value
        self.values[node] = None if values is None else list(values)
        self.visits[node] = visits
        self.bound[node] = bound
        self.reason[node] = reason
        if self.player[node] == LEAF:
            self._mark(node, "terminal")
        if visits or bound:
            self.order[node] = self._entered
            self._entered += 1
        return node

    def expand_unvisited(self, limit: int = 5_000) -> None:
        """Add everything below the nodes that were never visited, so that a picture can show what was saved.

        Adds at most `limit` rows and leaves chance and values alone except at terminal states.
        """
        budget = limit
        row = 0
        while row < len(self.parent):
            if self.order[row] < 0 and row in self._states and budget > 0:
                state = self._states[row]
                if self.player[row] == LEAF:
                    self.label[row] = self.label[row] or _number(self._game.utility(state, MAX))
                else:
                    known = self._children.get(row, {})
                    for action in self._game.actions(state):
                        if action not in known and budget > 0:
                            child = self._append(row, self._game.result(state, action), action)
                            self._mark(child, "pruned")
                            budget -= 1
            row += 1

    def _append(self, above: int, state: Any, action: Any) -> int:
        game = self._game
        node = len(self.parent)
        terminal = game.is_terminal(state)
        probability = None
        move, place = "", 0
        if above >= 0:
            parent_state = self._states[above]
            places = self._places.get(above)
            if places is None:
                places = {a: i for i, a in enumerate(game.actions(parent_state))}
                self._places[above] = places
            move, place = game.action_text(parent_state, action), places.get(action, len(places))
            if self.player[above] == CHANCE:
                probability = next((p for a, p in game.outcomes(parent_state) if a == action), None)
            self._children.setdefault(above, {})[action] = node
        self.parent.append(above)
        self.move.append(move)
        self.place.append(place)
        self.player.append(LEAF if terminal else game.player(state))
        self.level.append(0 if above < 0 else self.level[above] + 1)
        self.value.append(None)
        self.values.append(None)
        self.alpha_in.append(-math.inf)
        self.beta_in.append(math.inf)
        self.alpha_out.append(-math.inf)
        self.beta_out.append(math.inf)
        self.bound.append("")
        self.order.append(-1)
        self.visits.append(0)
        self.probability.append(probability)
        self.label.append(game.label(state))
        self.reason.append("")
        self._states[node] = state
        if above < 0:
            self.position = game.state_text(state)
        return node

    def _close_children(self, node: int) -> None:
        """Add the children that a cut-off left out; a node without any children was ended by the cut-off test."""
        known = self._children.get(node)
        if not known:
            reasons = self.reason[node].split()
            if not {"table", "quiescence", "depth"} & set(reasons):
                self._mark(node, "depth")
            return
        missing = [action for action in self._game.actions(self._states[node]) if action not in known]
        if not missing or "quiescence" in self.reason[node].split():
            return
        for action in missing:
            if len(self.parent) >= self._limit:
                self.truncated = True
                break
            child = self._append(node, self._game.result(self._states[node], action), action)
            self._mark(child, "pruned")
        self._mark(node, "cut")
        self.events.append(Event("cut", node, self.value[node], self.alpha_out[node], self.beta_out[node]))

    def _update_parent(self, above: int, value: float) -> None:
        """Note the provisional value that the parent has now, as a step of its own."""
        player, before = self.player[above], self.value[above]
        if player == MAX:
            now = value if before is None else max(before, value)
            self.alpha_out[above] = max(self.alpha_out[above], now)
        elif player == MIN:
            now = value if before is None else min(before, value)
            self.beta_out[above] = min(self.beta_out[above], now)
        else:
            return
        if now != before:
            self.value[above] = now
            self.events.append(Event("update", above, now, self.alpha_out[above], self.beta_out[above]))

    def _mark(self, node: int, reason: str) -> None:
        words = self.reason[node].split()
        if reason not in words:
            self.reason[node] = " ".join([*words, reason])

    def _unmark(self, node: int, reason: str) -> None:
        self.reason[node] = " ".join(word for word in self.reason[node].split() if word != reason)

    # Reading ---------------------------------------------------------------------------------------------------------

    def children(self) -> list[list[int]]:
        """For every row, the rows of its children in the order in which the game lists the moves."""
        below: list[list[int]] = [[] for _ in self.parent]
        for node, above in enumerate(self.parent):
            if above >= 0:
                below[above].append(node)
        for rows in below:
            rows.sort(key=self.place.__getitem__)
        return below

    def path(self, node: int) -> list[str]:
        """The moves that lead from the root to a row."""
        moves: list[str] = []
        while self.parent[node] >= 0:
            moves.append(self.move[node])
            node = self.parent[node]
        return moves[::-1]

    def unvisited(self) -> Iterator[int]:
        """Rows of nodes that the search never entered."""
        return (node for node, order in enumerate(self.order) if order < 0)

    # JSON and back ---------------------------------------------------------------------------------------------------

    def to_data(self) -> dict[str, Any]:
        """The record as JSON-ready data: one list per column, infinities as null."""
        columns = {name: list(getattr(self, name)) for name in COLUMNS}
        for name in ("alpha_in", "beta_in", "alpha_out", "beta_out", "value"):
            columns[name] = [None if x is None or math.isinf(x) else x for x in columns[name]]
        events = [[e.kind, e.node, _finite(e.value), _finite(e.alpha), _finite(e.beta)] for e in self.events]
        return {
            "format": "gametree-record-1",
            "game": self.game_name,
            "algorithm": self.algorithm,
            "position": self.position,
            "truncated": self.truncated,
            "nodes": columns,
            "events": events,
        }

    def to_json(self) -> str:
        """The record as JSON text."""
        return json.dumps(self.to_data(), allow_nan=False, separators=(",", ":"))

    @classmethod
    def from_data(cls, data: dict[str, Any]) -> TreeRecord:
        """The record that `to_data` gave. It can be read and drawn but not filled further. Raises BadInput."""
        if not isinstance(data, dict) or data.get("format") != "gametree-record-1":
            raise BadInput('This is not a tree record: expected JSON with "format": "gametree-record-1".')
        record = cls(Game())
        try:
            nodes = data["nodes"]
            lengths = {len(nodes[name]) for name in COLUMNS}
            if len(lengths) != 1:
                raise BadInput("This tree record is broken: its columns differ in length.")
            for name in COLUMNS:
                setattr(record, name, list(nodes[name]))
            for name, missing in (
                ("alpha_in", -math.inf),
                ("alpha_out", -math.inf),
                ("beta_in", math.inf),
                ("beta_out", math.inf),
            ):
                setattr(record, name, [missing if x is None else float(x) for x in nodes[name]])
            record.events = [
                Event(kind, node, value, -math.inf if alpha is None else alpha, math.inf if beta is None else beta)
                for kind, node, value, alpha, beta in data["events"]
            ]
            record.game_name, record.algorithm = data["game"], data["algorithm"]
            record.position, record.truncated = data["position"], data["truncated"]
        except (KeyError, TypeError, ValueError) as error:
            raise BadInput(f"This tree record is broken: {error!r}.") from None
        if any(not -1 <= above < node for node, above in enumerate(record.parent)):
            raise BadInput("This tree record is broken: a parent stands below its child.")
        return record

    @classmethod
    def from_json(cls, text: str) -> TreeRecord:
        """The record that `to_json` gave. Raises BadInput."""
        try:
            data = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise BadInput(f"This is not a tree record: {error}.") from None
        return cls.from_data(data)


def _finite(x: float | None) -> float | None:
    return None if x is None or math.isinf(x) else x


def _number(x: float) -> str:
    return f"{x:g}"
