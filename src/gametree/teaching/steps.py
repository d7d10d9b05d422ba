"""Stepping through a tree record, forward and back, with one sentence for every step.

A `Picture` is what there is to see of a record at one moment; text, SVG and quizzes read nothing else. `final_picture`
is the one at the end. A `Stepper` makes the one after any step:

>>> from gametree import TreeRecord, analyse, load_game
>>> game = load_game("tree:max(3 min(2 x y))")
>>> record = TreeRecord(game)
>>> _ = analyse(game, record=record)
>>> stepper = Stepper(record)
>>> stepper.goto(6)
>>> stepper.sentence()
'Node 2: the value 2 ≤ α 3, so MIN can hold MAX to 2 here, and MAX has 3 already; x and y are not looked at.'
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from gametree.core.errors import BadInput
from gametree.core.game import CHANCE, MAX, MIN, SIMULTANEOUS
from gametree.core.record import LEAF, Event, TreeRecord

__all__ = [
    "Picture",
    "Stepper",
    "Words",
    "chance_text",
    "final_picture",
    "number_text",
    "value_text",
    "window_text",
]

# Statuses of a row in a picture.
#   hidden     the search has not come to it yet
#   open       entered, not yet left: value and window are provisional
#   done       its value is known as well as the search wants it
#   pruned     dropped by a cut-off
#   refused    passed over on purpose
#   unvisited  known, but never entered for no reason that the record names
#   plain      part of a tree that no search has been through
DROPPED = frozenset({"pruned", "refused", "unvisited"})


@dataclass(slots=True)
class Picture:
    """What a record shows at one moment: one entry per row in every list, and the row where the search stands.

    `alpha` and `beta` are the window on entry; `low` and `high` the window as it stands while the node is open.
    """

    status: list[str]
    value: list[float | None]
    values: list[list[float] | None]
    bound: list[str]
    alpha: list[float]
    beta: list[float]
    low: list[float]
    high: list[float]
    visits: list[int]
    reason: list[str]
    current: int | None = None
    line: list[int] = field(default_factory=list)
    """Rows of the principal variation; empty while the search is under way."""

    def is_visible(self, row: int) -> bool:
        """Whether the row is drawn at all."""
        return self.status[row] != "hidden"

    def is_unvisited(self, row: int) -> bool:
        """Whether the row is drawn as one that the search did not look at."""
        return self.status[row] in DROPPED


def final_picture(record: TreeRecord) -> Picture:
    """The picture of the whole record."""
    return Picture(
        status=[_final_status(record, row) for row in range(len(record))],
        value=list(record.value),
        values=list(record.values),
        bound=list(record.bound),
        alpha=list(record.alpha_in),
        beta=list(record.beta_in),
        low=list(record.alpha_out),
        high=list(record.beta_out),
        visits=list(record.visits),
        reason=list(record.reason),
        line=record.principal_variation(),
    )


def _final_status(record: TreeRecord, row: int) -> str:
    if record.order[row] >= 0:
        return "done" if record.bound[row] else "open"
    if record.order[0] < 0:
        return "plain"
    words = record.reason[row].split()
    return "pruned" if "pruned" in words else "refused" if words and words != ["terminal"] else "unvisited"


class Stepper:
    """Walks through what a search did. `at` is the step now, from 0 on; `picture()` and `sentence()` tell of it.

    A step is one event of the record, except that a leaf is entered and left in one step. Nodes that the record holds
    without events (searches that do not go depth-first) appear in the order of their first visit.
    """

    def __init__(self, record: TreeRecord) -> None:
        rows = len(record)
        if not rows or record.order[0] < 0:
            raise BadInput("The record is empty: there are no steps before a search has filled it.")
        self.record = record
        self._below = record.children()
        self._events, self._synthetic = _all_events(record)
        self._steps = list(_group(self._events))
        # The last time that a node is left, its row of the record tells what came of it. A search that jumps about
        # may never leave a node for good; its last event does then.
        self._last = {event.node: index for index, event in enumerate(self._events) if record.bound[event.node]}
        self._last.update((event.node, index) for index, event in enumerate(self._events) if event.kind == "leave")
        self._words = Words(record)
        self._picture = Picture(
            status=["hidden"] * rows,
            value=[None] * rows,
            values=[None] * rows,
            bound=[""] * rows,
            alpha=[-math.inf] * rows,
            beta=[math.inf] * rows,
            low=[-math.inf] * rows,
            high=[math.inf] * rows,
            visits=[0] * rows,
            reason=[""] * rows,
        )
        self._left: int | None = None  # the node left last
        self._undo: list[list[tuple[list[Any], int, Any]]] = []
        self._where: list[tuple[int | None, int | None]] = []
        self._play()

    def __len__(self) -> int:
        return len(self._steps)

    @property
    def at(self) -> int:
        """The step that the picture shows, from 0 to `len(stepper) - 1`."""
        return len(self._undo) - 1

    def forward(self) -> bool:
        """Go one step on; False if this is the last one already."""
        if self.at + 1 >= len(self._steps):
            return False
        self._play()
        return True

    def back(self) -> bool:
        """Go one step back; False if this is the first one already."""
        if self.at == 0:
            return False
        for column, row, before in reversed(self._undo.pop()):
            column[row] = before
        self._picture.current, self._left = self._where.pop()
        return True

    def goto(self, step: int) -> None:
        """Go to a step. Raises BadInput if there is none of that number."""
        if not 0 <= step < len(self._steps):
            raise BadInput(f"There is no step {step}; expected 0 to {len(self._steps) - 1}.")
        while self.at < step:
            self._play()
        while self.at > step:
            self.back()

    def find(self, kind: str, node: int) -> int | None:
        """The first step in which an event of that kind happens at a row, None if there is none."""
        for step, (first, last) in enumerate(self._steps):
            if any(event.kind == kind and event.node == node for event in self._events[first:last]):
                return step
        return None

    def picture(self) -> Picture:
        """A copy of the picture after this step."""
        now, record = self._picture, self.record
        status, value, values, reason = list(now.status), list(now.value), list(now.values), list(now.reason)
        for row, above in enumerate(record.parent):
            # What lies below a dropped node is dropped with it, and a dropped leaf shows what it would have told.
            if status[row] == "hidden" and record.order[row] < 0 and above >= 0 and status[above] in DROPPED:
                status[row], reason[row] = status[above], record.reason[row]
            if status[row] in DROPPED and record.order[row] < 0:
                value[row], values[row] = record.value[row], record.values[row]
        at_end = self.at + 1 == len(self._steps)
        return Picture(
            status=status,
            value=value,
            values=values,
            bound=list(now.bound),
            alpha=list(now.alpha),
            beta=list(now.beta),
            low=list(now.low),
            high=list(now.high),
            visits=list(now.visits),
            reason=reason,
            current=None if at_end else now.current,
            line=self.record.principal_variation() if at_end else [],
        )

    def events(self) -> Sequence[Event]:
        """The events that make up this step."""
        first, last = self._steps[self.at]
        return self._events[first:last]

    def sentence(self) -> str:
        """What happened in this step, in one sentence."""
        first, last = self._steps[self.at]
        before = self._events[first - 1] if first else None
        told = self._picture.bound[before.node] if before is not None and before.kind == "leave" else ""
        return _sentence(self.record, self._events[first:last], self._picture, self._below, self._words, told)

    # How a step changes the picture: every change goes through `_set`, so that it can be taken back. ------------------

    def _play(self) -> None:
        self._where.append((self._picture.current, self._left))
        self._undo.append([])
        first, last = self._steps[len(self._undo) - 1]
        for index in range(first, last):
            self._apply(index, self._events[index])

    def _set(self, column: list[Any], row: int, value: Any) -> None:
        self._undo[-1].append((column, row, column[row]))
        column[row] = value

    def _apply(self, index: int, event: Event) -> None:
        now, record, node = self._picture, self.record, event.node
        now.current = node
        if event.kind == "skip":
            self._reveal(node)
            return
        if event.kind == "cut":
            self._set(now.reason, node, " ".join([*now.reason[node].split(), "cut"]))
            self._reveal_children(node, visited_later=True)
        else:
            self._set(now.low, node, event.alpha)
            self._set(now.high, node, event.beta)
            self._set(now.value, node, event.value)
        if event.kind == "enter":
            again = now.status[node] in ("open", "done")
            self._set(now.status, node, "open")
            self._set(now.values, node, None)
            self._set(now.bound, node, "")
            self._set(now.alpha, node, event.alpha)
            self._set(now.beta, node, event.beta)
            self._set(now.visits, node, record.visits[node] if node in self._synthetic else now.visits[node] + 1)
            self._set(now.reason, node, "researched" if again else "")
        elif event.kind == "update" and self._left is not None:
            self._set(now.values, node, record.values[self._left])
        elif event.kind == "leave":
            self._left = node
            value = event.value if event.value is not None else math.nan
            outside = "upper" if value <= now.alpha[node] else "lower" if value >= now.beta[node] else "exact"
            self._set(now.status, node, "done")
            self._set(now.bound, node, outside)
            self._reveal_children(node, visited_later=False)
        if self._last.get(node) == index:
            self._set(now.status, node, "done")
            for name in ("value", "values", "bound", "reason"):
                self._set(getattr(now, name), node, getattr(record, name)[node])
            self._set(now.low, node, record.alpha_out[node])
            self._set(now.high, node, record.beta_out[node])
            self._reveal_children(node, visited_later=False)

    def _reveal_children(self, node: int, *, visited_later: bool) -> None:
        """Show the children that are passed over so far, those that a later pass enters only if asked for."""
        for child in self._below[node]:
            if self._picture.status[child] == "hidden" and (visited_later or self.record.order[child] < 0):
                self._reveal(child)

    def _reveal(self, node: int) -> None:
        """Show a node as passed over; one that a later pass enters looks pruned until then."""
        visited = self.record.order[node] >= 0
        self._set(self._picture.status, node, "pruned" if visited else _final_status(self.record, node))
        self._set(self._picture.reason, node, "pruned" if visited else self.record.reason[node])


def _all_events(record: TreeRecord) -> tuple[list[Event], set[int]]:
    """The record's events, then made-up ones for visited rows without any; and these rows."""
    entered = {event.node for event in record.events if event.kind == "enter"}
    rows = {row for row, order in enumerate(record.order) if order >= 0 and row not in entered}
    events = list(record.events)
    # In the order of the first visit, but never a child before its parent.
    waiting: list[tuple[int, int]] = []
    below = record.children() if rows else []
    for row in rows:
        if record.parent[row] not in rows:
            heapq.heappush(waiting, (record.order[row], row))
    while waiting:
        _, row = heapq.heappop(waiting)
        alpha, beta = record.alpha_in[row], record.beta_in[row]
        events.append(Event("enter", row, None, alpha, beta))
        if record.bound[row]:
            events.append(Event("leave", row, record.value[row], record.alpha_out[row], record.beta_out[row]))
        for child in below[row]:
            if child in rows:
                heapq.heappush(waiting, (record.order[child], child))
    return events, rows


def _group(events: Sequence[Event]) -> Iterator[tuple[int, int]]:
    """Slices of events that make one step each."""
    first = 0
    while first < len(events):
        last = first + 1
        kind, node = events[first].kind, events[first].node
        follow = {"enter": "leave", "cut": "cut"}.get(kind)
        while last < len(events) and events[last].node == node and events[last].kind == follow:
            last += 1
            if kind == "enter":
                break
        yield first, last
        first = last


# Sentences ------------------------------------------------------------------------------------------------------------


def _sentence(
    record: TreeRecord,
    events: Sequence[Event],
    picture: Picture,
    below: list[list[int]],
    words: Words,
    told: str,
) -> str:
    """What the events of one step did; `told` is the bound of the child that an update follows from."""
    event = events[0]
    node, player = event.node, record.player[event.node]
    name = words.node(node)
    kind = f"a {words.player(player)} node" if player in (CHANCE, SIMULTANEOUS) or player >= 0 else "a leaf"
    value = value_text(picture.value[node], picture.values[node])
    if event.kind == "enter" and len(events) == 2:
        return _capital(_leaf_sentence(record, picture, node, name))
    if event.kind == "enter":
        again = " again" if picture.visits[node] > 1 and "researched" in picture.reason[node].split() else ""
        known = ""
        if words.windows:
            reasons = []
            if math.isfinite(event.alpha):
                reasons.append(f"MAX already has {number_text(event.alpha)} elsewhere")
            if math.isfinite(event.beta):
                reasons.append(f"MIN can already hold MAX to {number_text(event.beta)} elsewhere")
            why = f": {' and '.join(reasons)}" if reasons and node else ""
            known = f", with the window {window_text(event.alpha, event.beta)}{why}"
        return f"Go to {name}{again}, {kind}{known}."
    if event.kind == "update":
        if words.several:
            return f"At {name} {words.player(player)} now prefers {value}."
        if told == ("upper" if player == MAX else "lower"):
            return f"So far {name} is worth {'at most' if player == MAX else 'at least'} {value}."
        if player == MAX:
            moved = f", so α rises to {value}" if words.windows and event.alpha == event.value else ""
            return f"At {name} MAX can now get {value}{moved}."
        moved = f", so β falls to {value}" if words.windows and event.beta == event.value else ""
        return f"At {name} MIN can now hold MAX to {value}{moved}."
    if event.kind == "cut":
        return _capital(_cut_sentence(record, picture, event, name, _dropped(words, picture, below[node])))
    if event.kind == "skip":
        why = record.reason[node] or "passed over"
        return f"{_capital(name)} is not looked at: {why}."
    return _capital(_leave_sentence(words, picture, node, below[node]))


def _leaf_sentence(record: TreeRecord, picture: Picture, node: int, name: str) -> str:
    value = value_text(picture.value[node], picture.values[node], picture.bound[node])
    words = picture.reason[node].split()
    if picture.bound[node] == "estimate":
        times = "once" if picture.visits[node] == 1 else f"{picture.visits[node]:,} times"
        return f"{name} was visited {times}; its mean value is {value.removeprefix('≈')}."
    if "table" in words:
        return f"{name} is in the transposition table: its value is {_in_words(picture, node)}."
    if record.player[node] == LEAF:
        return f"{name if name.startswith('leaf ') or not node else 'the leaf ' + name} is worth {value}."
    if "quiescence" in words:
        return f"{name} is quiet, so EVAL may be trusted: its value is {value}."
    if "depth" in words:
        return f"{name} lies at the depth limit: EVAL says {value}."
    return f"{name} has the value {value}."


def _cut_sentence(record: TreeRecord, picture: Picture, event: Event, name: str, dropped: str) -> str:
    player, value = record.player[event.node], picture.value[event.node]
    alpha, beta = picture.alpha[event.node], picture.beta[event.node]
    if value is not None and player == MIN and value <= alpha:
        v, a = number_text(value), number_text(alpha)
        return (
            f"{name}: the value {v} ≤ α {a}, so MIN can hold MAX to {v} here, and MAX has {a} already; "
            f"{dropped} not looked at."
        )
    if value is not None and player == MAX and value >= beta:
        v, b = number_text(value), number_text(beta)
        return (
            f"{name}: the value {v} ≥ β {b}, so MAX can get {v} here, but MIN can hold MAX to {b} already; "
            f"{dropped} not looked at."
        )
    return f"{name}: the rest cannot matter any more; {dropped} not looked at."


def _leave_sentence(words: Words, picture: Picture, node: int, below: list[int]) -> str:
    record, name = words.record, words.node(node)
    value = value_text(picture.value[node], picture.values[node])
    if record.player[node] == CHANCE and picture.bound[node] == "exact" and 0 < len(below) <= 6:
        terms = [(record.probability[child], picture.value[child]) for child in below]
        if not words.several and all(p is not None and v is not None for p, v in terms):
            total = " + ".join(f"{chance_text(p)} × {number_text(v)}" for p, v in terms)
            return f"{name} is a chance node: it is worth {total} = {value}."
    if node == 0:
        line = [row for row in record.principal_variation() if row]
        best = f", and the best move is {record.move[line[0]]}" if line else ""
        return f"the search is done: the root is worth {_in_words(picture, 0)}{best}."
    return f"{name} is done: its value is {_in_words(picture, node)}."


def _in_words(picture: Picture, node: int) -> str:
    value = value_text(picture.value[node], picture.values[node])
    return {"upper": "at most ", "lower": "at least ", "estimate": "about "}.get(picture.bound[node], "") + value


def _dropped(words: Words, picture: Picture, below: Iterable[int]) -> str:
    """The children that are dropped, with their verb: `x and y are`."""
    names = [words.short(child) for child in below if picture.is_unvisited(child)]
    if not names:
        return "the other moves are"
    if len(names) > 6:
        names = [*names[:4], f"{len(names) - 4} more"]
    if len(names) == 1:
        return f"{names[0]} is"
    return f"{', '.join(names[:-1])} and {names[-1]} are"


# Words and numbers that the text and the SVG share --------------------------------------------------------------------


class Words:
    """What pictures and sentences call the nodes and players of a record, worked out once."""

    def __init__(self, record: TreeRecord) -> None:
        self.record = record
        self.windows = any(map(math.isfinite, record.alpha_in)) or any(map(math.isfinite, record.beta_in))
        """Whether the search used a window anywhere."""
        self.several = any(values is not None for values in record.values) or max(record.player, default=0) > 1
        """Whether the game is for more than two."""
        self.plain = all(
            move == str(place + 1) or move == label
            for move, place, label, above in zip(record.move, record.place, record.label, record.parent, strict=True)
            if above >= 0
        )
        """Whether the moves are nothing but places or labels, as in drawn trees, and say nothing in a picture."""

    def node(self, row: int) -> str:
        """What a sentence calls the node: its label, or the way to it."""
        record = self.record
        if record.label[row]:
            return record.label[row]
        if row == 0:
            return "the root"
        if self.plain:
            return f"{'leaf' if record.player[row] == LEAF else 'node'} {self._dotted(row)}"
        return f"the position after {' '.join(record.path(row))}"

    def short(self, row: int) -> str:
        """What a list of dropped children calls a node."""
        record = self.record
        if record.label[row]:
            return record.label[row]
        if not self.plain:
            return record.move[row]
        if record.player[row] == LEAF and record.value[row] is not None:
            return f"leaf {self._dotted(row)} (worth {value_text(record.value[row], record.values[row])})"
        return f"node {self._dotted(row)}"

    def player(self, player: int) -> str:
        """Whose move it is: MAX, MIN, `player 3`, chance, or simultaneous; empty at a leaf."""
        special = {CHANCE: "chance", SIMULTANEOUS: "simultaneous", LEAF: ""}
        if player in special:
            return special[player]
        return f"player {player + 1}" if self.several else ("MAX", "MIN")[player]

    def _dotted(self, row: int) -> str:
        places: list[str] = []
        while self.record.parent[row] >= 0:
            places.append(str(self.record.place[row] + 1))
            row = self.record.parent[row]
        return ".".join(reversed(places))


def number_text(x: float | None) -> str:
    """A number as people write it: whole where it is whole, else four digits."""
    if x is None:
        return "?"
    if math.isinf(x):
        return "+∞" if x > 0 else "-∞"
    if x == int(x) and abs(x) < 1e15:
        return str(int(x))
    return f"{x:.4g}"


def value_text(value: float | None, values: Sequence[float] | None = None, bound: str = "") -> str:
    """A value with its bound: `≤2`; all seats' values as `(1, 2, 6)`; `?` if unknown."""
    sign = {"upper": "≤", "lower": "≥", "estimate": "≈"}.get(bound, "")
    if bound == "estimate":  # more digits would claim more than sampling knows
        value = None if value is None else float(f"{value:.2g}")
        values = None if values is None else [float(f"{x:.2g}") for x in values]
    if values is not None:
        return f"{sign}({', '.join(number_text(float(f'{x:.3g}')) for x in values)})"
    return sign + number_text(value)


def chance_text(probability: float | None) -> str:
    """A probability: `0.25`, or `1/6` where the decimals would not end."""
    if probability is None:
        return "?"
    fraction = Fraction(probability).limit_denominator(36)
    if len(f"{probability:.4g}") > 5 and abs(float(fraction) - probability) < 1e-12:
        return f"{fraction.numerator}/{fraction.denominator}"
    return number_text(probability)


def window_text(alpha: float, beta: float) -> str:
    """`[α, β]`; in a null window the end that lies a hair beyond the other is written as `3⁺` or `3⁻`."""
    low, high = number_text(alpha), number_text(beta)
    if low == high and alpha < beta:
        if alpha == float(low):
            high += "⁺"
        else:
            low += "⁻"
    return f"[{low}, {high}]"


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
