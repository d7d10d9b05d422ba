"""The tree record: what a search did, as one flat structure that everything else reads.

Terminal pictures, SVGs, the stepping, the quizzes and the tests all read this record. It is a struct of arrays: node
`i` is row `i` of every column, and a child always stands below its parent. A search that records says three things:

    record.enter(child, action, alpha, beta)      # before it looks at a child
    record.leave(value)                           # when it knows the child's value
    record.skip(action, "refused")                # when it passes a child over on purpose

The record works out the rest: which children a cut-off left unvisited, what kind of bound a value is, and how the
window stood at the end. All values and windows in it are seat 0's (MAX's), whatever the algorithm's own viewpoint.

A node may be entered more than once (aspiration, null windows, iterative deepening). Its row then tells of the last
time, `visits` says how often, and the events keep every time in order.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from gametree.core.errors import BadInput, GameError
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
#   solved      its value came from a table of solved positions
#   researched  entered again with another window or depth
#   unfinished  the clock stopped the search here; the value is provisional

COLUMNS: dict[str, str] = {
    "parent": "row of the parent, -1 for the root",
    "move": "the move that leads here, as text",
    "place": "index of that move among the parent's actions",
    "player": "seat to move, -1 chance, -2 several at once, -3 terminal",
    "level": "plies below the root",
    "value": "backed-up value for seat 0; at a terminal node never visited its utility; null if unknown",
    "values": "values for all seats in games of more than two, else null",
    "alpha_in": "alpha on entry, null for minus infinity",
    "beta_in": "beta on entry, null for plus infinity",
    "alpha_out": "alpha on exit",
    "beta_out": "beta on exit",
    "bound": "exact, lower, upper, estimate, or empty if never finished",
    "best": "row of the child that gave the value, -1 if none is known",
    "order": "order of the first visit, -1 if never visited",
    "visits": "how often it was entered",
    "probability": "chance of this outcome below a chance node, else null",
    "label": "text drawn inside the node, such as a name of a drawn tree",
    "reason": "why it ended so: words separated by spaces",
}


class Event(NamedTuple):
    """One step of the search, for stepping forward and back: what happened at which node.

    kind: "enter" (window as given), "update" (a provisional value or window changed), "leave" (value is final),
    "cut" (the rest of the node's children are dropped), "skip" (the node is passed over).
    """

    kind: str
    node: int
    value: float | None
    alpha: float
    beta: float


KINDS = frozenset({"enter", "update", "leave", "cut", "skip"})


class _Open:
    """A node that was entered and not yet left."""

    __slots__ = ("before", "node", "seen")

    def __init__(self, node: int, before: tuple[Any, ...] | None) -> None:
        self.node = node
        self.seen: set[Any] = set()  # actions entered or skipped this time, those beyond the limit included
        self.before = before  # the row as it stood when the node was last finished, None if it never was


_OUTCOME = ("value", "values", "alpha_in", "beta_in", "alpha_out", "beta_out", "bound", "best", "reason")


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
        self.best: list[int] = []
        self.order: list[int] = []
        self.visits: list[int] = []
        self.probability: list[float | None] = []
        self.label: list[str] = []
        self.reason: list[str] = []
        self._game = game
        self._several = game.facts.players > 2  # more than MAX and MIN: no seat minimises seat 0's value
        self._limit = limit
        self._entered = 0
        # The open nodes from the root down, and for every row its state, its actions' places and its children.
        self._path: list[_Open] = []
        self._states: dict[int, Any] = {}
        self._places: dict[int, dict[Any, int]] = {}
        self._children: dict[int, dict[Any, int]] = {}
        self._skipped_depth = 0  # how many unrecorded nodes are open, once the limit is reached

    def __len__(self) -> int:
        return len(self.parent)

    # Filling ---------------------------------------------------------------------------------------------------------

    def enter(self, state: Any, action: Any, alpha: float = -math.inf, beta: float = math.inf) -> int:
        """Open the node that `action` leads to from the node open now.

        With `action` None it is the root of a search: the node open now if that holds the same state (a search within
        a search), else row 0, and whatever is still open is abandoned. A node entered before is opened again: its
        visits count up and it is marked as re-searched. Returns its row, or -1 when the record is full.
        Raises ValueError if the record holds a search of another position.
        """
        if action is None:
            node = self._root(state)
        elif self._skipped_depth:
            self._skipped_depth += 1
            return -1
        else:
            open_now = self._path[-1]
            open_now.seen.add(action)
            known = self._children.get(open_now.node, {})
            if action in known:
                node = known[action]
            elif len(self.parent) >= self._limit:
                self.truncated = True
                self._skipped_depth = 1
                return -1
            else:
                node = self._append(open_now.node, state, action)
        before = None
        if self.order[node] < 0:
            self.order[node] = self._entered
            self._entered += 1
            self.reason[node] = ""
        else:
            if self.bound[node]:
                before = tuple(getattr(self, name)[node] for name in _OUTCOME)
            self.reason[node] = "researched"
        self.value[node] = self.values[node] = None
        self.bound[node], self.best[node] = "", -1
        self.visits[node] += 1
        self.alpha_in[node] = self.alpha_out[node] = alpha
        self.beta_in[node] = self.beta_out[node] = beta
        self._path.append(_Open(node, before))
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

        Without `bound`, the kind follows from the window on entry, fail-soft; a leaf's value is exact, and so is one
        that the children prove. Children that were not entered this time and never before are added as pruned.
        """
        if self._skipped_depth:
            self._skipped_depth -= 1
            return
        closed = self._path.pop()
        node, player = closed.node, self.player[closed.node]
        alpha, beta = self.alpha_in[node], self.beta_in[node]
        self.value[node] = value
        self.values[node] = None if values is None else list(values)
        if reason:
            self._mark(node, reason)
        if player == LEAF:
            self._mark(node, "terminal")
        elif not self._several and player == MAX:
            self.alpha_out[node] = max(alpha, value)
        elif not self._several and player == MIN:
            self.beta_out[node] = min(beta, value)
        if player != LEAF:
            self._close_children(closed, value)
        if bound is None:
            bound = self._bound(closed, value)
        self.bound[node] = bound
        self.events.append(Event("leave", node, value, self.alpha_out[node], self.beta_out[node]))
        if self._path and self._path[-1].node != node:
            self._update_parent(self._path[-1].node, node, value, values)

    def mark(self, reason: str) -> None:
        """Add a reason to the open node."""
        if not self._skipped_depth:
            self._mark(self._path[-1].node, reason)

    def skip(self, action: Any, reason: str = "refused") -> None:
        """Note that a child of the open node is passed over, and why."""
        if self._skipped_depth:
            return
        above = self._path[-1]
        above.seen.add(action)
        if action in self._children.get(above.node, {}):
            return
        node = self._append_unvisited(above.node, action, reason)
        if node >= 0:
            self.events.append(Event("skip", node, None, -math.inf, math.inf))

    def abandon(self) -> None:
        """Close every open node as it stands, because the search was stopped.

        A node that an earlier pass had finished gets that pass's outcome back; any other is marked as unfinished.
        """
        self._skipped_depth = 0
        while self._path:
            closed = self._path.pop()
            if closed.before is None:
                self._mark(closed.node, "unfinished")
            else:
                for name, before in zip(_OUTCOME, closed.before, strict=True):
                    getattr(self, name)[closed.node] = before

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
        """Append one finished node, for searches that do not go depth-first; returns its row, or -1 when full.

        It counts as visited, in the order of the calls, if it has visits or a bound.
        """
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
        elif value is None:
            self._set_utility(node)
        return node

    def expand_unvisited(self, limit: int = 5_000) -> None:
        """Add everything below the nodes that were never visited, so that a picture can show what was saved.

        Adds at most `limit` rows, level by level; what a search said about its own nodes stays as it is. Does nothing
        on a record that was read from JSON, which has no game any more.
        """
        full = len(self.parent) + limit
        row = 0
        while row < len(self.parent):  # the list grows while it is read
            if self.order[row] < 0 and self.player[row] != LEAF and row in self._states:
                for action in self._game.actions(self._states[row]):
                    if len(self.parent) >= full:
                        return
                    if action not in self._children.get(row, {}):
                        self._append_unvisited(row, action, "pruned", limit=full)
            row += 1

    @classmethod
    def unsearched(
        cls, game: Game[Any, Any], state: Any = None, *, depth: int | None = None, limit: int = 5_000
    ) -> TreeRecord:
        """The tree below `state` as it stands before any search: utilities at the leaves and nothing else.

        Goes down `depth` plies, or to the end, level by level; `truncated` says that `limit` nodes were not enough.
        """
        record = cls(game, limit=limit)
        record._append(-1, game.initial() if state is None else state, None)
        record._set_utility(0)
        row = 0
        while row < len(record.parent):  # the list grows while it is read
            if record.player[row] != LEAF and record.level[row] != depth:
                for action in game.actions(record._states[row]):
                    record._append_unvisited(row, action, "")
            row += 1
        return record

    def _root(self, state: Any) -> int:
        """The row at which a search from `state` begins."""
        if not self.parent:
            return self._append(-1, state, None)
        if self._path and not self._skipped_depth and self._states[self._path[-1].node] == state:
            return self._path[-1].node
        self.abandon()
        if 0 not in self._states or self._states[0] != state:
            raise ValueError(f"the record holds a search of the position '{self.position}'; use a new one")
        return 0

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
        self.best.append(-1)
        self.order.append(-1)
        self.visits.append(0)
        self.probability.append(probability)
        self.label.append(game.label(state))
        self.reason.append("")
        self._states[node] = state
        if above < 0:
            self.position = game.state_text(state)
        return node

    def _append_unvisited(self, above: int, action: Any, reason: str, *, limit: int | None = None) -> int:
        """Add a child that no search entered; returns its row, or -1 when the record is full."""
        if len(self.parent) >= (self._limit if limit is None else limit):
            self.truncated = True
            return -1
        node = self._append(above, self._game.result(self._states[above], action), action)
        self.reason[node] = reason
        self._set_utility(node)
        return node

    def _set_utility(self, node: int) -> None:
        """Write down what a terminal node would have told; a leaf drawn without a value tells nothing."""
        if self.player[node] != LEAF:
            return
        seats = range(self._game.facts.players)
        try:
            utilities = [self._game.utility(self._states[node], seat) for seat in seats]
        except GameError:
            return
        self.value[node] = utilities[MAX]
        if self._several:
            self.values[node] = utilities

    def _close_children(self, closed: _Open, value: float) -> None:
        """Add the children that a cut-off left out; a node without any children was ended by the cut-off test."""
        node, seen = closed.node, closed.seen
        reasons = set(self.reason[node].split())
        if not seen and not reasons & {"table", "quiescence", "cut"}:
            self._mark(node, "depth")
            return
        if "table" in reasons and not seen:
            return
        actions = self._game.actions(self._states[node])
        if "quiescence" in reasons:
            if self.alpha_in[node] < value < self.beta_in[node]:
                return
            actions = self._game.noisy_actions(self._states[node])
        missing = [action for action in actions if action not in seen]
        if not missing:
            return
        known = self._children.get(node, {})
        for action in missing:
            if action not in known and self._append_unvisited(node, action, "pruned") < 0:
                break
        self._mark(node, "cut")
        self.events.append(Event("cut", node, value, self.alpha_out[node], self.beta_out[node]))

    def _bound(self, closed: _Open, value: float) -> str:
        """What kind of bound a fail-soft value is."""
        node, player = closed.node, self.player[closed.node]
        reasons = set(self.reason[node].split())
        if self.alpha_in[node] < value < self.beta_in[node]:
            return "exact"
        if not closed.seen and not reasons & {"table", "quiescence"}:
            return "exact"  # UTILITY and EVAL are what they are, wherever the window stands
        # Outside the window a value is still exact if every child was looked at, one of them is known to have it, and
        # no other can be better for the mover.
        if player in (MAX, MIN) and not self._several and not reasons & {"cut", "table", "quiescence"}:
            below = self._children.get(node, {})
            rows = [below[action] for action in closed.seen if action in below]
            rows = [row for row in rows if self.order[row] >= 0]
            open_ended = "lower" if player == MAX else "upper"
            if (
                not self.truncated
                and all(self.bound[row] in ("exact", "lower", "upper") for row in rows)
                and any(self.bound[row] == "exact" and self.value[row] == value for row in rows)
                and not any(self.bound[row] == open_ended for row in rows)
            ):
                return "exact"
        return "upper" if value <= self.alpha_in[node] else "lower"

    def _update_parent(self, above: int, child: int, value: float, values: Sequence[float] | None) -> None:
        """Note the provisional value that the parent has now, as a step of its own."""
        player, before = self.player[above], self.value[above]
        now = value
        if self._several:
            # Every seat maximises its own utility; a search that gives no vector leaves its choice unknown until then.
            if values is None or player < 0:
                return
            vector = self.values[above]
            if vector is not None and values[player] <= vector[player]:
                return
            self.value[above], self.values[above] = value, list(values)
        elif player == MAX:
            now = value if before is None else max(before, value)
            self.alpha_out[above] = max(self.alpha_out[above], now)
        elif player == MIN:
            now = value if before is None else min(before, value)
            self.beta_out[above] = min(self.beta_out[above], now)
        else:
            return
        if self._several or now != before:
            self.value[above], self.best[above] = now, child
            self.events.append(Event("update", above, now, self.alpha_out[above], self.beta_out[above]))

    def _mark(self, node: int, reason: str) -> None:
        words = self.reason[node].split()
        if reason not in words:
            self.reason[node] = " ".join([*words, reason])

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

    def skipped_leaves(self) -> list[int]:
        """Rows of the terminal nodes that the search never entered, from left to right as the tree is drawn.

        Complete once `expand_unvisited` has added what lies below the pruned nodes.
        """
        rows, todo, below = [], [0] if self.parent else [], self.children()
        while todo:
            node = todo.pop()
            if self.order[node] < 0 and self.player[node] == LEAF:
                rows.append(node)
            todo.extend(reversed(below[node]))
        return rows

    def principal_variation(self) -> list[int]:
        """Rows of best play from the root on: at each node the child that gave it its value, the first of equals.

        Where values are estimates by sampling, the child with that value or else the one with the most visits. Ends at
        chance nodes, which no player decides, and where no child explains the value.
        """
        if not self.parent or self.order[0] < 0:
            return []
        below = self.children()
        line = [0]
        while self.player[line[-1]] >= 0:
            node = line[-1]
            tried = [child for child in below[node] if self.order[child] >= 0 and self.value[child] is not None]
            if self.bound[node] == "estimate" and any(self.visits[child] > 1 for child in tried):
                alike = [child for child in tried if self.value[child] == self.value[node]]
                line.append(max(alike or tried, key=lambda child: (self.visits[child], -self.order[child])))
                continue
            best = self.best[node]
            if best >= 0 and self.value[best] == self.value[node] and self.values[best] == self.values[node]:
                line.append(best)
                continue
            # Searches that hand over finished nodes do not say which child it was.
            if self.values[node] is not None:
                tried = [child for child in tried if self.values[child] == self.values[node]]
            else:
                tried = [child for child in tried if self.value[child] == self.value[node]]
            if not tried:
                break
            # A later child with the same value is as a rule only known to be no better.
            line.append(min(tried, key=lambda child: (self.bound[child] != "exact", self.order[child])))
        return line

    def _worth(self, node: int) -> float:
        """What a visited node is worth to the seat that moved there."""
        mover, values, value = self.player[self.parent[node]], self.values[node], self.value[node]
        if values is not None:
            return values[mover]
        assert value is not None
        return -value if mover == MIN else value

    # JSON and back ---------------------------------------------------------------------------------------------------

    def to_data(self) -> dict[str, Any]:
        """The record as JSON-ready data: one list per column, infinities as null."""
        columns = {name: list(getattr(self, name)) for name in COLUMNS}
        for name in _NUMBERS:
            columns[name] = [_finite(x) for x in columns[name]]
        columns["values"] = [None if x is None else [_finite(y) for y in x] for x in columns["values"]]
        events = [[kind, node, _finite(value), _finite(a), _finite(b)] for kind, node, value, a, b in self.events]
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
    def from_data(cls, data: Any) -> TreeRecord:
        """The record that `to_data` gave. It can be read and drawn but not filled further. Raises BadInput."""
        if not isinstance(data, dict) or data.get("format") != "gametree-record-1":
            raise BadInput('This is not a tree record: expected JSON with "format": "gametree-record-1".')
        record = cls(Game())
        try:
            nodes = data["nodes"]
            for name, (kinds, empty) in _TYPES.items():
                column = nodes[name]
                if any((not isinstance(x, kinds) and not (x is None and empty)) or x is True for x in column):
                    raise BadInput(f"This tree record is broken: its column '{name}' holds a value of the wrong type.")
                setattr(record, name, list(column))
            if len({len(nodes[name]) for name in COLUMNS}) != 1:
                raise BadInput("This tree record is broken: its columns differ in length.")
            for name in ("alpha_in", "alpha_out"):
                setattr(record, name, [-math.inf if x is None else x for x in nodes[name]])
            for name in ("beta_in", "beta_out"):
                setattr(record, name, [math.inf if x is None else x for x in nodes[name]])
            record.events = [
                Event(kind, node, value, -math.inf if alpha is None else alpha, math.inf if beta is None else beta)
                for kind, node, value, alpha, beta in data["events"]
            ]
            record.game_name, record.algorithm = str(data["game"]), str(data["algorithm"])
            record.position, record.truncated = str(data["position"]), bool(data["truncated"])
            record._check()
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            raise BadInput(f"This tree record is broken: {type(error).__name__}: {error}.") from None
        return record

    def _check(self) -> None:
        """Raise BadInput unless the rows make one tree and the events are about them."""
        rows = len(self.parent)
        if any((above < 0) != (node == 0) or not -1 <= above < node for node, above in enumerate(self.parent)):
            raise BadInput("This tree record is broken: expected one root, and every parent above its children.")
        if any(
            level != (0 if above < 0 else self.level[above] + 1)
            for level, above in zip(self.level, self.parent, strict=True)
        ):
            raise BadInput("This tree record is broken: a level does not fit its parent's.")
        if any(best >= 0 and (best >= rows or self.parent[best] != node) for node, best in enumerate(self.best)):
            raise BadInput("This tree record is broken: a best child is not a child.")
        for number, event in enumerate(self.events):
            numbers = (event.alpha, event.beta, 0 if event.value is None else event.value)
            if (
                event.kind not in KINDS
                or not 0 <= event.node < rows
                or not all(isinstance(x, int | float) for x in numbers)
            ):
                raise BadInput(f"This tree record is broken: its event {number} is {list(event)}.")

    @classmethod
    def from_json(cls, text: str) -> TreeRecord:
        """The record that `to_json` gave. Raises BadInput."""
        try:
            data = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise BadInput(f"This is not a tree record: {error}.") from None
        return cls.from_data(data)


_NUMBERS = ("value", "alpha_in", "beta_in", "alpha_out", "beta_out", "probability")

# What each column holds, and whether null may stand in it.
_TYPES: dict[str, tuple[Any, bool]] = {
    **dict.fromkeys(("parent", "place", "player", "level", "best", "order", "visits"), (int, False)),
    **dict.fromkeys(("move", "bound", "label", "reason"), (str, False)),
    **dict.fromkeys(_NUMBERS, (int | float, True)),
    "values": (list, True),
}


def _finite(x: float | None) -> float | None:
    return x if x is not None and math.isfinite(x) else None
