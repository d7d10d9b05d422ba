"""The pseudocode of an algorithm, and which of its lines a step of the search is executing.

The text is the indented block in the docstring of the algorithm's file, so that the page shows what the code mirrors.
Alpha-beta writes down MAX's half only; its other half is MAX's with the roles exchanged. Algorithms that are built on
alpha-beta show their own lines first and alpha-beta's below.

A `Moment` says what the record knows of a step. A rule turns it into fragments of lines, `_find` into line numbers.
An algorithm of another package has no rule: its pseudocode is shown without a mark, and the page says why.
"""

from __future__ import annotations

import ast
import functools
import math
import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from gametree.core.game import CHANCE, MAX, MIN
from gametree.core.record import LEAF, Event, TreeRecord
from gametree.core.registry import algorithm_names

__all__ = ["MARKED", "Moment", "Moments", "marks", "pseudocode", "why_unmarked"]

_SEARCH = Path(__file__).resolve().parents[2] / "search"


@dataclass(frozen=True, kw_only=True)
class Moment:
    """One step of a search, as far as the choice of a line depends on it."""

    kind: str
    """enter, update, cut, leave or skip; `leaf` where a node is entered and left in one step."""
    player: int
    """Whose node it is; -3 at the end of the game."""
    above: int | None = None
    """Whose node its parent is, None at the root."""
    level: int = 0
    """Plies below the root."""
    ours: bool = True
    """Whether the side of the root's player is to move."""
    first: bool = True
    """Whether it is its parent's first child."""
    again: bool = False
    """Whether it has been entered before."""
    tested: bool = False
    """Whether its window is finite on a side: a test rather than a full evaluation."""
    parent_tested: bool = False
    moved: bool = False
    """Whether an update moved the window as well."""
    reasons: frozenset[str] = frozenset()
    bound: str = ""
    low_open: bool = True
    """Whether the window is open below."""


class Moments:
    """Follows the steps of a record, in order, and says what each of them is."""

    def __init__(self, record: TreeRecord, teams: Sequence[Sequence[int]] = ()) -> None:
        self._record = record
        seat = record.player[0]
        self._side = next((team for team in teams if seat in team), (seat,))
        self._entered: Counter[int] = Counter()
        self._tested: dict[int, bool] = {}
        self._cut: set[int] = set()

    def next(self, events: Sequence[Event]) -> Moment:
        """The moment of the next step, which these events make up."""
        record, event = self._record, events[0]
        node, above = event.node, record.parent[event.node]
        if event.kind == "enter":
            self._entered[node] += 1
            self._tested[node] = math.isfinite(event.alpha) or math.isfinite(event.beta)
            self._cut.discard(node)
        elif event.kind == "cut":
            self._cut.add(node)
        # A row tells of the last visit only.
        reasons = set(record.reason[node].split())
        if self._entered[node] < record.visits[node]:
            reasons -= {"table", "cut"}
        if node in self._cut:
            reasons.add("cut")
        end = event.alpha if record.player[node] == MAX else event.beta
        return Moment(
            kind="leaf" if event.kind == "enter" and len(events) > 1 else event.kind,
            player=record.player[node],
            above=None if above < 0 else record.player[above],
            level=record.level[node],
            ours=record.player[node] in self._side,
            first=record.place[node] == 0,
            again=self._entered[node] > 1,
            tested=self._tested.get(node, False),
            parent_tested=self._tested.get(above, False),
            moved=event.value is not None and end == event.value,
            reasons=frozenset(reasons),
            bound=record.bound[node],
            low_open=not math.isfinite(event.alpha),
        )


# The text -------------------------------------------------------------------------------------------------------------


_ELSEWHERE = {"engine": "compiled/engine/kernel", "fast-mcts": "textbook/mcts"}
"""Whose docstring has the pseudocode, where it is not the algorithm's own: fast-mcts is mcts, compiled."""


@functools.cache
def _own_lines(name: str) -> tuple[str, ...]:
    """The indented lines of the docstring of the algorithm's file; empty if it has none or is not ours."""
    if name not in algorithm_names():
        return ()
    stem = _ELSEWHERE.get(name, f"*/{name.replace('-', '_')}")
    file = next(_SEARCH.glob(f"{stem}.py"), None)
    if file is None:
        return ()
    docstring = ast.get_docstring(ast.parse(file.read_text(encoding="utf-8"))) or ""
    lines: list[str] = []
    for line in docstring.splitlines():
        if line.startswith("    "):
            lines.append(line[4:])
        elif not line.strip() and lines and lines[-1]:
            lines.append("")
    while lines and not lines[-1]:
        lines.pop()
    return tuple(lines)


_OTHER = {"MAX": "MIN", "MIN": "MAX", "α": "β", "β": "α", "≥": "≤", "≤": "≥", "−∞": "+∞", "+∞": "−∞"}


def _mirrored(line: str) -> str:
    """A line of MAX's half as MIN's half has it."""
    turned = re.sub(r"\bMAX\b|\bMIN\b|[αβ≥≤]|[−+]∞", lambda found: _OTHER[found[0]], line)
    return turned.replace("β, α", "α, β")


# Which blocks an algorithm shows: its own, then those that it is built on.
_BUILT_ON = {
    **dict.fromkeys(
        (
            "aspiration",
            "deepening",
            "forward",
            "ordering",
            "quiescence",
            "secondary",
            "singular",
            "star1",
            "symmetry",
            "table",
        ),
        ("alphabeta",),
    ),
    "star2": ("star1", "alphabeta"),
}
_MIRRORED = ("alphabeta", "alphabeta-failhard")


@functools.cache
def _blocks(name: str) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """The blocks that are shown, each with a name: that of the algorithm, with ` MIN` behind it for MIN's half."""
    blocks: list[tuple[str, tuple[str, ...]]] = []
    for part in (name, *_BUILT_ON.get(name, ())):
        blocks.append((part, _own_lines(part)))
        if part in _MIRRORED:
            blocks.append((f"{part} MIN", tuple(map(_mirrored, _own_lines(part)))))
    return tuple(blocks)


def pseudocode(name: str) -> list[str]:
    """The lines that are shown for an algorithm, an empty line between blocks; none if it has no pseudocode."""
    lines: list[str] = []
    for _, block in _blocks(name):
        if block:
            lines += [*([""] if lines else []), *block]
    return lines


@functools.cache
def _find(name: str, part: str, fragment: str) -> tuple[int, ...]:
    """Numbers of the line of a block that begins with the fragment, and of those that go on with a numbered item.

    A dollar sign at the end of the fragment stands for the end of the line.
    Raises LookupError if there is not exactly one such line, so that a changed docstring cannot go unnoticed.
    """
    start = 0
    for block, lines in _blocks(name):
        if block == part:
            found = [number for number, line in enumerate(lines) if f"{line.strip()}$".startswith(fragment)]
            if len(found) != 1:
                raise LookupError(f"{len(found)} lines of the pseudocode of {part} begin with '{fragment}'")
            last = found[0] + 1
            if fragment[0].isdigit():
                while last < len(lines) and lines[last].startswith("   "):
                    last += 1
            return tuple(range(start + found[0], start + last))
        start += len(lines) + bool(lines)
    raise LookupError(f"{name} shows no pseudocode of {part}")


# The rules: what a moment executes ------------------------------------------------------------------------------------

Rule = Callable[[Moment], tuple[str, ...] | None]


def _minimax(now: Moment) -> tuple[str, ...]:
    if now.kind == "leaf":
        return ("if CUTOFF-TEST",)
    if now.above is None and now.kind == "leave":
        return ("return the action",)
    if now.kind == "enter":
        return ("function MINIMAX-VALUE",)
    return ("if MAX is to move",) if now.player == MAX else ("else return the lowest",)


def _alphabeta(now: Moment) -> tuple[str, ...]:
    """The lines as MAX's half has them; `marks` turns to MIN's half where MIN is to move."""
    if now.kind == "leaf":
        return ("if TERMINAL-TEST",)
    if now.kind == "enter":
        return ("function",)
    if now.kind == "update":
        return ("v ← MAX(v", "α ← MAX(α") if now.moved else ("v ← MAX(v",)
    return ("if v ≥ β",) if now.kind == "cut" or "cut" in now.reasons else ("return v",)


def _failhard(now: Moment) -> tuple[str, ...]:
    if now.kind == "leaf":
        return ("if CUTOFF-TEST",)
    if now.kind == "enter":
        return ("function",)
    if now.kind == "update":
        return ("α ← MAX(α",)
    return ("if α ≥ β",) if now.kind == "cut" or "cut" in now.reasons else ("return α",)


def _negamax(now: Moment) -> tuple[str, ...]:
    if now.kind == "leaf":
        return ("if depth = 0",)
    if now.kind == "enter":
        return ("function",)
    if now.kind == "update":
        return ("v ← max(v", "α ← max(α") if now.moved else ("v ← max(v",)
    return ("if α ≥ β",) if now.kind == "cut" else ("return v",)


def _negascout(now: Moment) -> tuple[str, ...]:
    if now.kind == "leaf":
        return ("if depth = 0",)
    if now.kind == "enter":
        if now.above is None:
            return ("function",)
        return ("v ← −negascout(child, depth − 1, −β",) if now.again else ("v ← −negascout(child, depth − 1, −b",)
    if now.kind == "update":
        return ("α ← max(α",)
    return ("if α ≥ β",) if now.kind == "cut" else ("return α",)


def _scout(now: Moment) -> tuple[str, ...]:
    own = ("if S is a MAX node: true",) if now.player == MAX else ("if S is a MIN node: false",)
    asked = ("if S is a MAX node and",) if now.above == MAX else ("if S is a MIN node and",)
    if now.kind == "leaf":
        return ("if S is terminal then return V(S) >",) if now.tested else ("if S is terminal then return V(S)$",)
    if now.kind == "enter":
        if now.above is None:
            return ("procedure EVAL",)
        if now.parent_tested:
            return ("procedure TEST",)
        return ("v ← EVAL(first",) if now.first and not now.tested else asked
    if now.tested:
        return own
    if now.kind == "update":
        return ("if S is a MAX node and",) if now.player == MAX else ("if S is a MIN node and",)
    return ("return v",)


def _mtdf(now: Moment) -> tuple[str, ...]:
    if now.kind == "leaf" and ("table" in now.reasons or now.again):
        return ("if f⁻(n) ≥ γ",) if now.bound == "lower" else ("if f⁺(n) < γ",)
    if now.kind == "leaf":
        return ("if n is a leaf",)
    if now.kind == "enter":
        return ("g ← MT(root",) if now.above is None else ("function MT(n",)
    if now.kind == "leave":
        return ("if g < γ",) if now.above is None else ("if g ≥ γ",)
    return ("else if n is a MAX",) if now.player == MAX else ("else g ← +∞",)


def _expectiminimax(now: Moment) -> tuple[str, ...]:
    if now.kind == "leaf":
        return ("UTILITY(s)",)
    if now.kind == "enter":
        return ("EXPECTIMINIMAX(s) =",)
    return ({MAX: "max over", MIN: "min over"}.get(now.player, "Σ over"),)


def _maxn(now: Moment) -> tuple[str, ...]:
    if now.kind == "leaf":
        return ("(UTILITY(s, 0)",)
    if now.kind == "enter":
        return ("MAXN(s) =",)
    return ("Σ over",) if now.player == CHANCE else ("the MAXN(",)


def _sss(now: Moment) -> tuple[str, ...]:
    if now.kind == "leaf":
        return ("case 4",)
    if now.kind == "enter":
        return ("case 6",) if now.player == MAX else ("case 5",)
    if now.kind == "update":
        return ("case 2",)
    return ("case 1",) if now.kind == "cut" or now.player == MAX else ("case 3",)


def _minimax_list(now: Moment) -> tuple[str, ...]:
    if now.kind == "leaf":
        return ("4.",)
    if now.kind == "enter":
        return ("5.",)
    return ("2.",) if now.above is None and now.kind == "leave" else ("3.",)


def _alphabeta_list(now: Moment) -> tuple[str, ...]:
    if now.kind == "leaf":
        return ("5.",)
    if now.kind == "enter":
        return ("6.",)
    if now.kind == "update":
        return ("4.",)
    return ("2.",) if now.above is None and now.kind == "leave" else ("3.",)


def _labelling(now: Moment) -> tuple[str, ...]:
    if now.kind == "enter":
        return ("1.",)
    return ("2.",) if now.kind == "leaf" or now.player == LEAF or "depth" in now.reasons else ("4.",)


def _mcts(now: Moment) -> tuple[str, ...]:
    # The record holds the tree as it is at the end: a node appears with all its visits counted.
    return ("v ← TREEPOLICY",) if now.kind == "enter" else ("BACKUP",)


def _montecarlo(now: Moment) -> tuple[str, ...]:
    # Here too the record tells of the end: every move with the mean of all its games.
    return ("for i = 1",) if now.level == 0 else ("add the utilities",)


def _proof_number(now: Moment) -> tuple[str, ...]:
    # A node appears when its parent is expanded.
    return ("while the root",) if now.level == 0 else ("expand the leaf",)


def _paranoid(now: Moment) -> tuple[str, ...]:
    if now.kind == "leaf":
        return ("UTILITY(s",)
    if now.kind == "enter":
        return ("VALUE(s",)
    return ("the greatest VALUE",) if now.ours else ("the least VALUE",)


def _engine(now: Moment) -> tuple[str, ...]:
    if now.kind in ("enter", "leaf") and "table" in now.reasons:
        return ("if the table knows",)
    if now.kind == "leaf" or (now.kind == "enter" and "quiescence" in now.reasons):
        return ("if the game is over",)
    if now.kind == "enter":
        return ("function NODE",)
    return ("store best",) if now.kind == "leave" else ("if v > best",)


# Algorithms that are built on alpha-beta: None leaves the moment to the block below.


def _aspiration(now: Moment) -> tuple[str, ...] | None:
    if now.above is not None or now.kind != "enter":
        return None
    if not now.again:
        return ("x ← alphabeta",)
    return ("if x ≤ α₀",) if now.low_open else ("if x ≥ β₀",)


def _deepening(now: Moment) -> tuple[str, ...] | None:
    return ("result ← search",) if now.above is None and now.kind == "enter" else None


def _forward(now: Moment) -> tuple[str, ...] | None:
    return ("all other moves",) if now.kind == "skip" else None


def _secondary(now: Moment) -> tuple[str, ...] | None:
    if now.level == 0:
        return ("if a was confirmed",) if now.kind == "leave" else ("value of every move",)
    return ("value of a ←",) if now.level == 1 and now.again and now.kind in ("enter", "leaf") else None


def _singular(now: Moment) -> tuple[str, ...] | None:
    if now.level == 0:
        return ("return v",) if now.kind == "leave" else ("v, a ←",)
    if now.level == 1 and now.again and now.kind in ("enter", "leaf"):
        return ("v ← value of a",) if "extended" in now.reasons else ("if every other move",)
    return None


def _table(now: Moment) -> tuple[str, ...] | None:
    if "table" in now.reasons and now.kind == "leaf":
        return ("if the table knows",)
    return ("store the value",) if now.kind == "leave" else None


def _symmetry(now: Moment) -> tuple[str, ...] | None:
    if now.kind == "skip":
        return ("if a successor",)
    return ("if the table knows",) if "table" in now.reasons and now.kind == "leaf" else None


def _quiescence(now: Moment) -> tuple[str, ...] | None:
    if "quiescence" not in now.reasons:
        return None
    if now.kind in ("enter", "leaf"):
        return ("v ← EVAL(state)",)
    if now.kind == "update":
        return ("v ← MAX(v, QUIESCE",)
    return ("return v",)


def _star1(now: Moment) -> tuple[str, ...] | None:
    if now.above == CHANCE and now.kind in ("enter", "leaf"):
        return ("v ← search(outcome i",)
    if now.player != CHANCE:
        return None
    if now.kind == "cut" or (now.kind == "leave" and "cut" in now.reasons):
        return ("if v ≥ b or v ≤ a",)
    return ("for each outcome i with",)


def _star2(now: Moment) -> tuple[str, ...] | None:
    if now.above == CHANCE and now.kind in ("enter", "leaf"):
        probe = not now.again and now.kind == "enter"
        return ("bound of i ←",) if probe else ("search all outcomes",)
    if now.player != CHANCE:
        return None
    if now.kind == "enter":
        return ("for each outcome i do",)
    return ("if Σ of the bounds",) if now.kind == "cut" or now.bound in ("upper", "lower") else ("search all outcomes",)


_RULES: dict[str, Rule] = {
    "minimax": _minimax,
    "alphabeta": _alphabeta,
    "alphabeta-failhard": _failhard,
    "negamax": _negamax,
    "negascout": _negascout,
    "scout": _scout,
    "mtdf": _mtdf,
    "expectiminimax": _expectiminimax,
    "maxn": _maxn,
    "sss": _sss,
    "minimax-list": _minimax_list,
    "alphabeta-list": _alphabeta_list,
    "minimax-labelling": _labelling,
    "mcts": _mcts,
    "aspiration": _aspiration,
    "deepening": _deepening,
    "forward": _forward,
    "table": _table,
    "symmetry": _symmetry,
    "quiescence": _quiescence,
    "star1": _star1,
    "star2": _star2,
    "ordering": lambda now: None,
    "secondary": _secondary,
    "singular": _singular,
    "paranoid": _paranoid,
    "montecarlo": _montecarlo,
    "proof-number": _proof_number,
    "engine": _engine,
    "fast-mcts": _mcts,
}
MARKED = tuple(_RULES)
"""Algorithms whose lines are marked."""


def why_unmarked(name: str) -> str:
    """Why no line of the algorithm is marked; nothing where lines are."""
    if name in _RULES:
        return ""
    if not pseudocode(name):
        return "No pseudocode: this algorithm is not one of gametree's own."
    return "No line is marked: which one a step executes is not known of this algorithm."


def marks(name: str, now: Moment) -> list[int]:
    """Numbers of the lines of `pseudocode(name)` that the moment executes; none for an algorithm without rules."""
    rule = _RULES.get(name)
    if rule is None:
        return []
    part, fragments = name, rule(now)
    if fragments is None:
        if now.kind == "skip":
            return []
        part, fragments = "alphabeta", _alphabeta(now)
    if part in _MIRRORED and _minimises(now):
        part, fragments = f"{part} MIN", tuple(map(_mirrored, fragments))
    return [line for fragment in fragments for line in _find(name, part, fragment)]


def _minimises(now: Moment) -> bool:
    """Whether MIN's half runs: at a leaf, whose turn nobody has, the half that its parent calls."""
    return now.above == MAX if now.player == LEAF else now.player == MIN
