"""Drawn trees: a game that is nothing but its tree, as lectures draw it, typed as text or JSON or made at random.

As text, parentheses hold the children of a node and numbers are leaves; commas count as spaces:

    ((3 12 8) (2 4 6) (14 5 2))      MAX at the root, levels alternate
    max(3, min(2, x, y))             `max` and `min` say whose move it is; a bare word is a leaf without a value
    A(B=3 C(2 4))                    labels: before a parenthesis, or before `=`
    (1 C=5(2 7))                     a number right before a parenthesis is the node's static value, for EVAL
    (4 [0.5:3 0.5:(1 2)])            brackets make a chance node, with a probability before each child
    (4 !(9 1))                       `!` marks the move to a child as noisy, for quiescence search
    ((1/2/6 4/3/3) (6/1/2 7/4/1))    slashes give each of three or more players a utility; seats take turns

As JSON a node is a number, a list of nodes, or an object with "children" or "value" and optionally "label", "player"
("max", "min", "chance"), "probability", "static", "noisy". A leaf's value may be a list: one number per player.

A state is the number of a node, counted from 0 at the root in the order of the text; an action is the place of a
child, counted from 0. A leaf without a value must never be visited: `utility` raises GameError there.
"""

from __future__ import annotations

import json
import math
import random
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from gametree.core.errors import BadInput, GameError
from gametree.core.facts import Facts
from gametree.core.game import CHANCE, MAX, MIN, Game

__all__ = ["DrawnTree", "game", "parse_tree", "random_tree"]

MOST_NODES = 5_000_000
"""Larger trees are refused rather than built: a node takes about 500 bytes."""

_NUMBER = r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?"
_TOKEN = re.compile(
    rf"""[\s,]*(?:
      (?P<probability>{_NUMBER}):\s*
    | (?P<open>(?P<noisy>!)?(?:(?P<name>[A-Za-z_]\w*)=)?(?P<static>{_NUMBER})?(?P<word>[A-Za-z_]\w*)?(?P<bracket>[(\[]))
    | (?P<leaf>(?P<leaf_noisy>!)?(?:(?P<leaf_name>[A-Za-z_]\w*)=)?(?P<value>{_NUMBER}(?:/{_NUMBER})*)(?![\w/.]))
    | (?P<unknown>(?P<unknown_noisy>!)?(?P<unknown_name>[A-Za-z_]\w*)(?![\w=(\[]))
    | (?P<close>[)\]])
    )""",
    re.VERBOSE,
)


@dataclass
class _Nodes:
    """The tree while it is built: one row per node, parents before children."""

    children: list[list[int]] = field(default_factory=list)
    mover: list[int | None] = field(default_factory=list)  # None: by level
    value: list[tuple[float, ...] | None] = field(default_factory=list)
    label: list[str] = field(default_factory=list)
    static: list[float | None] = field(default_factory=list)
    probability: list[float | None] = field(default_factory=list)
    noisy: list[bool] = field(default_factory=list)

    def add(
        self,
        parent: int,
        *,
        mover: int | None = None,
        value: tuple[float, ...] | None = None,
        label: str = "",
        static: float | None = None,
        probability: float | None = None,
        noisy: bool = False,
    ) -> int:
        """Append a node below `parent` (-1 for the root) and return its row."""
        row = len(self.children)
        if row >= MOST_NODES:
            raise BadInput(f"The tree has more than {MOST_NODES} nodes, too many to build.")
        self.children.append([])
        self.mover.append(mover)
        self.value.append(value)
        self.label.append(label)
        self.static.append(static)
        self.probability.append(probability)
        self.noisy.append(noisy)
        if parent >= 0:
            self.children[parent].append(row)
        return row


class DrawnTree(Game[int, int]):
    """A tree as a game. Make it with `parse_tree`, `random_tree` or `game`."""

    def __init__(self, nodes: _Nodes, *, name: str = "tree") -> None:
        self.name = name
        self._children = nodes.children
        self._value = nodes.value
        self._label = nodes.label
        self._noisy = nodes.noisy
        self._probability = nodes.probability
        self._check_chance(nodes)
        lengths = {len(value) for value in nodes.value if value is not None}
        if len(lengths) > 1:
            raise BadInput(f"The leaves name {_and(lengths)} utilities; expected equally many everywhere.")
        seats = max(2, *lengths) if lengths else 2
        level, self._parent = self._levels()
        self._mover = [
            given if given is not None else depth % seats for given, depth in zip(nodes.mover, level, strict=True)
        ]
        self._estimate = self._estimates(nodes.static)
        known = [value for value in nodes.value if value is not None]
        utilities = [x for value in known for x in (value if len(value) > 1 else (value[0], -value[0]))]
        low, high = min(utilities, default=-1.0), max(utilities, default=1.0)
        statics = [abs(x) for x in nodes.static if x is not None]
        if statics and seats == 2:
            low, high = min(low, -max(statics)), max(high, *statics)
        sums = {math.fsum(value) if len(value) > 1 else 0.0 for value in known}
        self.facts = Facts(
            players=seats,
            chance=CHANCE in self._mover,
            utility_sum=sums.pop() if len(sums) == 1 else (0.0 if not sums else None),
            min_utility=low,
            max_utility=high if high > low else low + 1,
            most_moves=max(map(len, self._children)),
            longest_game=max(level),
        )

    def _check_chance(self, nodes: _Nodes) -> None:
        for row, mover in enumerate(nodes.mover):
            if mover != CHANCE:
                continue
            chances = [nodes.probability[child] for child in nodes.children[row]]
            if None in chances:
                raise BadInput("A chance node has a child without a probability; expected [p:child q:child ...].")
            total = math.fsum(p for p in chances if p is not None)
            if abs(total - 1) > 1e-9 or any(p is not None and p <= 0 for p in chances):
                raise BadInput(
                    f"The probabilities of a chance node sum to {total:g}; expected positive ones that sum to 1."
                )

    def _levels(self) -> tuple[list[int], list[int]]:
        level, parent = [0] * len(self._children), [-1] * len(self._children)
        for row, below in enumerate(self._children):  # parents stand before children
            for child in below:
                level[child], parent[child] = level[row] + 1, row
        return level, parent

    def _estimates(self, static: list[float | None]) -> list[tuple[float, ...] | None]:
        """EVAL for MAX: the static value, or where none is given, what follows if everyone plays the first move."""
        estimate: list[tuple[float, ...] | None] = [None] * len(static)
        for row in range(len(static) - 1, -1, -1):
            given = static[row]
            if given is not None:
                estimate[row] = (given,)
            elif self._children[row]:
                estimate[row] = estimate[self._children[row][0]]
            else:
                estimate[row] = self._value[row]
        return estimate

    def initial(self) -> int:
        """The root."""
        return 0

    def player(self, state: int) -> int:
        """Whose node it is."""
        return self._mover[state]

    def actions(self, state: int) -> Sequence[int]:
        """The places of the children."""
        return range(len(self._children[state]))

    def result(self, state: int, action: int) -> int:
        """The child at that place."""
        return self._children[state][action]

    def is_terminal(self, state: int) -> bool:
        """Whether the node is a leaf."""
        return not self._children[state]

    def utility(self, state: int, player: int) -> float:
        """The leaf's value. Raises GameError at a leaf without one."""
        value = self._value[state]
        if value is None:
            raise GameError(f"The leaf '{self._label[state]}' of the tree has no value, but the search had to know it.")
        if len(value) > 1:
            return value[player]
        return -value[0] if player else value[0]

    def outcomes(self, state: int) -> Sequence[tuple[int, float]]:
        """The children of a chance node with their probabilities."""
        return [(place, self._probability[row] or 0.0) for place, row in enumerate(self._children[state])]

    def evaluate(self, state: int, player: int) -> float:
        """The static value, or where none is drawn, what follows if everyone plays the first move."""
        value = self._estimate[state]
        if value is None:
            raise GameError(f"The node '{self.state_text(state)}' of the tree has no static value for EVAL.")
        if len(value) > 1:
            return value[player]
        return -value[0] if player else value[0]

    def noisy_actions(self, state: int) -> Sequence[int]:
        """The children marked with `!`."""
        return [place for place, row in enumerate(self._children[state]) if self._noisy[row]]

    def action_text(self, state: int, action: int) -> str:
        """The child's label if no sibling has it too, else its place counted from 1."""
        label = self._label[self._children[state][action]]
        alike = sum(self._label[row] == label for row in self._children[state])
        return label if label and alike == 1 else str(action + 1)

    def state_text(self, state: int) -> str:
        """The places from the root down, counted from 1 and separated by dots; `root` for the root."""
        places: list[str] = []
        while state:
            above = self._parent[state]
            places.append(str(self._children[above].index(state) + 1))
            state = above
        return ".".join(reversed(places)) or "root"

    def state_from_text(self, text: str) -> int:
        """Read `root`, `2.1.3`, or the label of exactly one node. Raises BadInput."""
        wanted = text.strip()
        if wanted in ("root", ""):
            return 0
        if re.fullmatch(r"\d+(\.\d+)*", wanted):
            state = 0
            for place in wanted.split("."):
                if not 1 <= int(place) <= len(self._children[state]):
                    raise BadInput(f"'{text}' leaves the tree: node {self.state_text(state)} has no child {place}.")
                state = self._children[state][int(place) - 1]
            return state
        rows = [row for row, label in enumerate(self._label) if label == wanted]
        if len(rows) != 1:
            raise BadInput(
                f"'{text}' names {len(rows)} nodes of the tree; expected a path such as 2.1 or a unique label."
            )
        return rows[0]

    def label(self, state: int) -> str:
        """The node's label."""
        return self._label[state]

    def tree_text(self) -> str:
        """The tree as `parse_tree` reads it, in one line."""
        words: list[str] = []
        seats = self.facts.players
        level, _ = self._levels()
        todo: list[int | str] = [0]
        while todo:
            row = todo.pop()
            if isinstance(row, str):
                words.append(row)
                continue
            probability, value = self._probability[row], self._value[row]
            word = f"{probability!r}:" if probability is not None else ""
            word += "!" if self._noisy[row] else ""
            if not self._children[row]:
                label = self._label[row]
                number = "/".join(f"{x:g}" if float(f"{x:g}") == x else repr(x) for x in value or ())
                words.append(word + (f"{label}={number}" if label and number else label or number))
                continue
            label, estimate, mover = self._label[row], self._estimate[row], self._mover[row]
            word += f"{label}=" if label else ""
            if estimate != self._estimate[self._children[row][0]] and estimate is not None:
                word += f"{estimate[0]!r}"
            if mover != CHANCE and mover != level[row] % seats:
                word += "max" if mover == MAX else "min"
            words.append(word + ("[" if mover == CHANCE else "("))
            todo.append("]" if mover == CHANCE else ")")
            todo.extend(reversed(self._children[row]))
        line = " ".join(words)
        return line.replace("( ", "(").replace(" )", ")").replace("[ ", "[").replace(" ]", "]")


def parse_tree(text: str, *, name: str = "tree") -> DrawnTree:
    """The tree that `text` or JSON describes. Raises BadInput, pointing at the place."""
    source = text.strip().replace("\N{MINUS SIGN}", "-").replace("\N{EN DASH}", "-")
    if not source:
        raise BadInput("The tree is empty; expected text such as ((3 12 8) (2 4 6) (14 5 2)).")
    if source[0] in "{[":
        try:
            data = json.loads(source)
        except RecursionError:
            raise BadInput("The tree is nested too deeply for JSON; write it as text with parentheses.") from None
        except ValueError as error:
            if source[0] == "{":
                raise BadInput(f"The tree looks like JSON but is not: {error}.") from None
        else:
            return DrawnTree(_from_json(data), name=name)
    return DrawnTree(_from_text(source), name=name)


def _from_text(source: str) -> _Nodes:
    nodes = _Nodes()
    open_rows: list[int] = []
    closers: list[str] = []
    probability: float | None = None
    place = 0

    def fail(what: str) -> None:
        shown = source[place : place + 20]
        raise BadInput(f"The tree cannot be read at character {place + 1} ('{shown}'): {what}.")

    while place < len(source):
        match = _TOKEN.match(source, place)
        if match is None:
            if not source[place:].strip(" \t\n,"):
                break
            fail("expected a number, a word, '(' or ')'")
            raise AssertionError  # fail always raises
        if nodes.children and not open_rows:
            fail("the tree is already complete here")
        above = open_rows[-1] if open_rows else -1
        if match["probability"]:
            if not closers or closers[-1] != "]":
                fail("probabilities belong inside the brackets of a chance node")
            probability = float(match["probability"])
        elif match["open"]:
            word = match["word"] or ""
            kind = {"max": MAX, "min": MIN}.get(word.lower())
            if match["bracket"] == "[":
                kind = CHANCE
            label = match["name"] or ("" if word.lower() in ("max", "min") else word)
            static = float(match["static"]) if match["static"] else None
            row = nodes.add(
                above, mover=kind, label=label, static=static, probability=probability, noisy=bool(match["noisy"])
            )
            probability = None
            open_rows.append(row)
            closers.append(")" if match["bracket"] == "(" else "]")
        elif match["close"]:
            if not closers or closers[-1] != match["close"]:
                fail(f"expected '{closers[-1]}' here" if closers else "nothing is open")
            if not nodes.children[above]:
                fail("a node needs at least one child")
            open_rows.pop()
            closers.pop()
        else:
            value = tuple(float(x) for x in match["value"].split("/")) if match["leaf"] else None
            if value and not all(map(math.isfinite, value)):
                fail("a leaf must be a finite number")
            nodes.add(
                above,
                value=_whole(value),
                label=match["leaf_name"] or match["unknown_name"] or "",
                probability=probability,
                noisy=bool(match["leaf_noisy"] or match["unknown_noisy"]),
            )
            probability = None
        place = match.end()
    if open_rows:
        raise BadInput(f"The tree ends too early: {len(open_rows)} more '{closers[-1]}' expected at its end.")
    return nodes


def _from_json(data: Any) -> _Nodes:
    nodes = _Nodes()
    movers = {"max": MAX, "min": MIN, "chance": CHANCE, None: None}
    todo: list[tuple[Any, int]] = [(data, -1)]
    while todo:
        node, above = todo.pop()
        given: dict[str, Any] = {}
        if isinstance(node, dict):
            unknown = set(node) - {"children", "value", "label", "player", "probability", "static", "noisy"}
            if unknown:
                raise BadInput(f"A node of the JSON tree has the unknown key '{min(unknown)}'.")
            given, node = node, node.get("children", node.get("value"))
            if given.get("player") not in movers:
                raise BadInput(f"'{given['player']}' is no player of a JSON tree; expected max, min or chance.")
            for key in ("static", "probability"):
                if given.get(key) is not None and not _is_number(given[key]):
                    raise BadInput(
                        f"{json.dumps(given[key])[:40]} is no {key} of a JSON tree; expected a finite number."
                    )
        shared: dict[str, Any] = {
            "label": str(given.get("label", "")),
            "probability": given.get("probability"),
            "noisy": bool(given.get("noisy", False)),
        }
        if isinstance(node, list) and ("children" in given or not given):
            if not node:
                raise BadInput("A node of the JSON tree has no children; expected at least one.")
            row = nodes.add(above, mover=movers[given.get("player")], static=given.get("static"), **shared)
            todo.extend((child, row) for child in reversed(node))
        elif node is None and given.get("label"):
            nodes.add(above, **shared)
        else:
            numbers = node if isinstance(node, list) else [node]
            if not numbers or not all(_is_number(x) for x in numbers):
                raise BadInput(f"{json.dumps(node)[:40]} is no leaf of a JSON tree; expected a finite number.")
            nodes.add(above, value=_whole(tuple(map(float, numbers))), **shared)
    return nodes


def random_tree(
    *,
    branching: int = 3,
    depth: int = 3,
    seed: int = 0,
    values: str = "-9..9",
    real: bool = False,
    ordering: str = "random",
    uneven: float = 0.0,
    chance: float = 0.0,
    alternate: bool = True,
) -> DrawnTree:
    """A tree with independent leaf values, the same for the same seed.

    values: range of the leaves. real: real values rather than whole ones. ordering: `random` leaves the children as
    they fell; `best` and `worst` sort them at every node by their minimax value for the mover; a number p puts the
    best child first with probability p and somewhere behind otherwise. uneven: chance that an inner node below the
    root is a leaf already. chance: share of inner nodes below the root that are chance nodes. alternate: false draws
    the mover of every node at random. Raises BadInput.
    """
    low, high = _range(values)
    if branching < 1 or depth < 0:
        raise BadInput(
            f"branching={branching}, depth={depth}: expected branching of at least 1 and depth of at least 0."
        )
    if branching > 1 and depth * math.log(branching) > math.log(MOST_NODES):
        raise BadInput(f"branching={branching}, depth={depth} makes more than {MOST_NODES} leaves, too many to build.")
    for name, share in (("uneven", uneven), ("chance", chance)):
        if not 0 <= share <= 1:
            raise BadInput(f"{name}={share:g} is not a probability; expected 0 to 1.")
    rng = random.Random(f"gametree {branching} {depth} {seed}")
    nodes = _Nodes()
    root = nodes.add(-1, value=None)
    frontier = [root]
    for level in range(depth + 1):
        below = []
        for row in frontier:
            if level == depth or (level and rng.random() < uneven):
                nodes.value[row] = _whole(
                    (rng.uniform(low, high) if real else float(rng.randint(math.ceil(low), math.floor(high))),)
                )
                continue
            weights = None
            if level and rng.random() < chance:
                nodes.mover[row] = CHANCE
                weights = [rng.randint(1, 4) for _ in range(branching)]
            else:
                nodes.mover[row] = level % 2 if alternate else rng.randrange(2)
            for place in range(branching):
                probability = weights[place] / sum(weights) if weights else None
                below.append(nodes.add(row, probability=probability))
        frontier = below
    _order(nodes, ordering, rng)
    if alternate:  # leave the movers to the level, so that the text form is plain
        nodes.mover = [mover if mover == CHANCE else None for mover in nodes.mover]
    return DrawnTree(nodes)


def _order(nodes: _Nodes, ordering: str, rng: random.Random) -> None:
    """Rearrange the children of every node by their minimax values, as `random_tree` promises."""
    if ordering == "random":
        return
    quality: float | None = None
    if ordering not in ("best", "worst"):
        try:
            quality = float(ordering)
        except ValueError:
            quality = -1
        if not 0 <= quality <= 1:
            raise BadInput(f"ordering={ordering} is unknown; expected random, best, worst, or a number from 0 to 1.")
    backed_up = [0.0] * len(nodes.children)
    for row in range(len(nodes.children) - 1, -1, -1):
        below, value = nodes.children[row], nodes.value[row]
        if not below:
            backed_up[row] = value[0] if value else 0.0
        elif nodes.mover[row] == CHANCE:
            backed_up[row] = math.fsum((nodes.probability[child] or 0) * backed_up[child] for child in below)
        else:
            below.sort(key=backed_up.__getitem__, reverse=(nodes.mover[row] == MAX) != (ordering == "worst"))
            backed_up[row] = backed_up[below[0 if ordering != "worst" else -1]]
            if quality is not None:
                best, *rest = below
                rng.shuffle(rest)
                place = 0 if not rest or rng.random() < quality else rng.randint(1, len(rest))
                rest.insert(place, best)
                below[:] = rest


def _range(text: str) -> tuple[float, float]:
    low, dots, high = text.partition("..")
    try:
        bounds = float(low), float(high)
    except ValueError:
        bounds = math.nan, math.nan
    if not dots or not all(map(math.isfinite, bounds)) or math.ceil(bounds[0]) > math.floor(bounds[1]):
        raise BadInput(f"values={text} is not a range; expected LOW..HIGH such as -9..9.")
    return bounds


def _whole(value: tuple[float, ...] | None) -> tuple[float, ...] | None:
    """Whole numbers as int, so that they print as people wrote them."""
    return None if value is None else tuple(int(x) if x == int(x) else x for x in value)


def _is_number(x: object) -> bool:
    return isinstance(x, int | float) and not isinstance(x, bool) and math.isfinite(x)


def _and(numbers: set[int]) -> str:
    return " and ".join(map(str, sorted(numbers)))


def game(
    text: str = "",
    branching: int = 3,
    depth: int = 3,
    seed: int = 0,
    values: str = "-9..9",
    real: bool = False,
    ordering: str = "random",
    uneven: float = 0.0,
    chance: float = 0.0,
    alternate: bool = True,
) -> DrawnTree:
    """`tree:((3 12 8) (2 4 6))` reads a tree; `tree:branching=3,depth=4,seed=7` makes one at random."""
    if text:
        return parse_tree(text)
    return random_tree(
        branching=branching,
        depth=depth,
        seed=seed,
        values=values,
        real=real,
        ordering=ordering,
        uneven=uneven,
        chance=chance,
        alternate=alternate,
    )
