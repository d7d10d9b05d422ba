"""Everything that follows from facts by rules, found from below with indexed facts.

A body becomes a plan: an order of its conditions in which each looks up, in an index, the facts that agree with what
the conditions before it have bound. A fact that is new runs the plans of the rules that could use it, each begun with
the condition that it meets, until nothing new follows. All of it is counted, and a limit is told before memory runs
out.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Container, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from gametree.core.errors import BadInput
from gametree.games.ggp._kif import Term, is_variable, term_text, variables
from gametree.games.ggp._rules import Atom, Literal, Predicate, Rule, predicate

__all__ = ["Budget", "Facts", "fill", "saturate"]

DEEPEST_FACT = 12
"""A fact may be nested so deep; one that goes on growing shows rules without end."""

Row = tuple[Term, ...]
Signature = tuple[Predicate, tuple[str, int] | None]


@dataclass
class Budget:
    """What working out the rules of a sheet may cost, in bindings looked at and facts found."""

    steps: int = 10_000_000
    facts: int = 500_000

    def spend(self, steps: int, where: str) -> None:
        """Count steps before they are made. Raises BadInput where they are too many."""
        self.steps -= steps
        if self.steps < 0:
            raise BadInput(f"{where}: working out the rules takes too many steps from this one on; {_SIMPLER}")

    def keep(self, where: str) -> None:
        """Count one more fact. Raises BadInput where they are too many."""
        self.facts -= 1
        if self.facts < 0:
            raise BadInput(f"{where}: too many facts or rules follow, this one among them; {_SIMPLER}")


_SIMPLER = "expected rules whose variables take fewer values, or shorter bodies."


class _Index:
    """The facts that match a pattern, by what they have in place of those variables that are bound already."""

    def __init__(self, pattern: Atom, bound: Container[str]) -> None:
        self.pattern = pattern
        names = list(dict.fromkeys(variables(pattern)))
        self.key = [name for name in names if name in bound]
        self.free = [name for name in names if name not in bound]
        self.rows: dict[Row, list[Row]] = defaultdict(list)

    def add(self, atom: Atom) -> None:
        found = match(self.pattern, atom)
        if found is not None:
            key = tuple([found[name] for name in self.key])
            self.rows[key].append(tuple([found[name] for name in self.free]))


def match(pattern: Term, term: Term) -> dict[str, Term] | None:
    """What the variables of the pattern stand for in a term without variables; None if it does not fit."""
    found: dict[str, Term] = {}
    left = [(pattern, term)]
    while left:
        pattern, term = left.pop()
        if isinstance(pattern, str):
            if pattern[0] != "?":
                if pattern != term:
                    return None
            elif found.setdefault(pattern, term) != term:
                return None
        elif isinstance(term, str) or len(pattern) != len(term):
            return None
        else:
            left += zip(pattern, term, strict=True)
    return found


def _signature(atom: Atom) -> Signature:
    """What a fact and a pattern that fits it have in common: the relation, and the function of the first argument."""
    first = atom[1] if len(atom) > 1 else ""
    return predicate(atom), (str(first[0]), len(first)) if isinstance(first, tuple) else None


@dataclass
class Facts:
    """A set of facts with its indices; they stay in the order in which they came."""

    atoms: dict[Predicate, dict[Atom, None]] = field(default_factory=lambda: defaultdict(dict))
    _indices: dict[Signature, list[_Index]] = field(default_factory=lambda: defaultdict(list))
    _known: dict[tuple[Any, ...], _Index] = field(default_factory=dict)

    def __contains__(self, atom: Atom) -> bool:
        return atom in self.atoms[predicate(atom)]

    def add(self, atom: Atom) -> bool:
        """Add a fact; False if it is there already."""
        known = self.atoms[predicate(atom)]
        if atom in known:
            return False
        known[atom] = None
        signature = _signature(atom)
        for index in self._indices[signature]:
            index.add(atom)
        if signature[1] is not None:
            for index in self._indices[signature[0], None]:
                index.add(atom)
        return True

    def index(self, pattern: Atom, bound: Container[str]) -> _Index:
        """An index over the facts that fit, those included that come later."""
        names = {name: f"?{number}" for number, name in enumerate(dict.fromkeys(variables(pattern)))}
        plain = _renamed(pattern, names)
        key = (plain, tuple(name in bound for name in names))
        if key not in self._known:
            made = self._known[key] = _Index(plain, {names[name] for name in names if name in bound})
            self._indices[_signature(pattern)].append(made)
            for atom in self.atoms[predicate(pattern)]:
                made.add(atom)
        return self._known[key]


def _renamed(term: Any, names: dict[str, str]) -> Any:
    return names.get(term, term) if isinstance(term, str) else tuple(_renamed(part, names) for part in term)


def fill(term: Term, slots: dict[str, int]) -> Callable[[Row], Any]:
    """A function that puts the values of a row in place of the variables, each of which has a slot in the row."""
    if isinstance(term, str):
        if not is_variable(term):
            return lambda row: term
        slot = slots[term]
        return lambda row: row[slot]
    if not any(True for _ in variables(term)):
        return lambda row: term
    if all(isinstance(part, str) for part in term):  # the usual case, in one go
        parts = [(slots[part], "") if is_variable(part) else (-1, part) for part in map(str, term)]
        return lambda row: tuple([row[slot] if slot >= 0 else part for slot, part in parts])
    makers = [fill(part, slots) for part in term]
    return lambda row: tuple([make(row) for make in makers])


class _Plan:
    """The conditions of a rule in an order that keeps the number of bindings small."""

    def __init__(
        self, rule: Rule, facts: Facts, first: Atom | None, ignored: Container[Predicate], told: Iterable[Atom]
    ) -> None:
        """`first` is bound before the plan begins; `not` of relations in `ignored` is left out."""
        self.rule = rule
        self.slots: dict[str, int] = {}
        self.steps: list[Callable[[list[Row], Budget], list[Row]]] = []
        left = [part for part in rule.body if part.kind != "not" or predicate(part.atom) not in ignored]
        if first is not None:
            self._bind(variables(first))
            left = [part for part in left if part.kind != "holds" or part.atom is not first]
        while left:
            part = min(left, key=lambda part: self._cost(part, facts))
            left.remove(part)
            self._add(part, facts)
        self.head = fill(rule.head, self.slots)
        self.told = [fill(atom, self.slots) for atom in told]

    def _bind(self, names: Iterable[str]) -> None:
        for name in names:
            self.slots.setdefault(name, len(self.slots))

    def _cost(self, part: Literal, facts: Facts) -> tuple[int, int, int]:
        """What is known already comes first, then what is tied to it, then what has few facts."""
        names = set(variables(part.atom))
        free = len(names - self.slots.keys())
        if not free:
            return (0, 0, 0)
        if part.kind != "holds":
            return (3, 0, 0)  # waits until its variables are bound
        size = len(facts.atoms[predicate(part.atom)])
        return (1 if free < len(names) or not names else 2, free, size)

    def _add(self, part: Literal, facts: Facts) -> None:
        atom, slots = part.atom, dict(self.slots)
        if part.kind in ("distinct", "same"):
            one, other, wanted = fill(atom[1], slots), fill(atom[2], slots), part.kind == "same"
            self.steps.append(lambda rows, budget: [row for row in rows if (one(row) == other(row)) is wanted])
            return
        if all(name in slots for name in variables(atom)):
            known, make, holds = facts.atoms[predicate(atom)], fill(atom, slots), part.kind == "holds"
            self.steps.append(lambda rows, budget: [row for row in rows if (make(row) in known) is holds])
            return
        index = facts.index(atom, slots)
        names = list(dict.fromkeys(variables(atom)))
        key = [slots[name] for name in names if name in slots]
        self._bind(names)
        found, where = index.rows, self.rule.where

        def look_up(rows: list[Row], budget: Budget) -> list[Row]:
            pairs = [(row, found.get(tuple([row[slot] for slot in key]), ())) for row in rows]
            budget.spend(len(pairs) + sum(len(more) for _, more in pairs), where)
            return [row + new for row, more in pairs for new in more]

        self.steps.append(look_up)

    def run(self, row: Row, budget: Budget) -> Iterable[Row]:
        """All rows that make the body true; the first values are given."""
        rows = [row]
        for step in self.steps:
            rows = step(rows, budget)
            if not rows:
                break
        return rows


def saturate(
    facts: Facts,
    rules: Sequence[Rule],
    budget: Budget,
    *,
    ignored: Container[Predicate] = (),
    also: dict[str, str] | None = None,
    told: Callable[[Rule], Sequence[Atom]] | None = None,
    fired: Callable[[Rule, Atom, list[Atom]], None] | None = None,
) -> None:
    """Add to `facts` all that follows by the rules. `not` of a relation in `ignored` counts as true.

    Other relations under `not` must be complete. `also` says of relations that their facts are also facts of another
    one (what may be true next may be true). `fired` gets every instance of every rule, at least once: its head, and the
    atoms of the rule that `told` names.
    """
    watching: dict[Signature, list[tuple[Atom, _Plan]]] = defaultdict(list)
    derived = {predicate(rule.head) for rule in rules}
    derived |= {(also[name], count) for name, count in derived if also and name in also}
    new: list[Atom] = []

    def add(atom: Atom, where: str) -> None:
        if facts.add(atom):
            budget.keep(where)
            if _too_deep(atom):
                raise BadInput(f"{where}: facts grow without end, as in {term_text(atom)[:80]}.")
            new.append(atom)
            if also and atom[0] in also:
                add((also[str(atom[0])], *atom[1:]), where)

    def use(plan: _Plan, row: Row) -> None:
        budget.spend(1, plan.rule.where)
        for full in plan.run(row, budget):
            head = plan.head(full)
            if fired is not None:
                fired(plan.rule, head, [make(full) for make in plan.told])
            add(head, plan.rule.where)

    plans = []
    for rule in rules:
        shown = told(rule) if told else ()
        plans.append(_Plan(rule, facts, None, ignored, shown))
        for part in rule.body:
            if part.kind == "holds" and predicate(part.atom) in derived:
                watching[_signature(part.atom)].append((part.atom, _Plan(rule, facts, part.atom, ignored, shown)))
    for plan in plans:
        use(plan, ())
    while new:
        atom = new.pop()
        signature = _signature(atom)
        watchers = watching.get(signature, [])
        if signature[1] is not None:
            watchers = [*watchers, *watching.get((signature[0], None), ())]
        for pattern, plan in watchers:
            found = match(pattern, atom)
            if found is not None:
                use(plan, tuple([found[name] for name in dict.fromkeys(variables(pattern))]))


def _too_deep(atom: Atom) -> bool:
    parts: list[Term] = list(atom)
    for _ in range(DEEPEST_FACT):
        parts = [inner for part in parts if isinstance(part, tuple) for inner in part]
        if not parts:
            return False
    return True
