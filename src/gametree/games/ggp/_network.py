"""Rules without variables, and what follows from a position by them.

A sheet is worked out once into all instances of its rules that can ever matter: whatever could be true in some
position is found from below, with `not` taken as true where it depends on the position. What never changes is folded
away. In a position every rule counts the conditions that it still lacks; a fact that comes true lowers the counts of
the rules that ask for it, and a rule that lacks nothing gives its head. So the work is in proportion to what is true,
and rules that depend on themselves need no special care. Rules with `not` wait for the strata below theirs.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from gametree.games.ggp._joins import Budget, Facts, saturate
from gametree.games.ggp._kif import Term, term_text
from gametree.games.ggp._rules import Atom, Rule, Sheet, predicate

__all__ = ["Flow", "Network", "natural"]

ROOTS = ("legal", "goal", "terminal", "next", "init", "role")


@dataclass
class Flow:
    """What is known of a position: the facts that hold, and how many conditions each rule still lacks."""

    holds: bytearray
    lacks: array[int]
    waiting: list[list[int]]

    def copy(self) -> Flow:
        """The same, to go on from."""
        return Flow(self.holds[:], self.lacks[:], [rules[:] for rules in self.waiting])


class Network:
    """A sheet without variables. Facts and rules are numbers; all lists are in an order that is always the same."""

    def __init__(self, sheet: Sheet, budget: Budget | None = None) -> None:
        """Raises BadInput if there is too much of it."""
        budget = budget or Budget()
        self.sheet = sheet
        rules = _needed(sheet.rules)
        facts = Facts()
        fixed = [rule for rule in rules if predicate(rule.head) not in sheet.of_state]
        for stratum in sorted({sheet.stratum(rule.head) for rule in fixed}):
            saturate(facts, [rule for rule in fixed if sheet.stratum(rule.head) == stratum], budget)
        start = [atom[1] for atom in facts.atoms["init", 1]]
        for term in start:
            facts.add(("true", term))
        instances = self._instances(rules, facts, budget)
        self.atoms = [atom for key, atoms in facts.atoms.items() if key in sheet.of_state for atom in atoms]
        self.number = {atom: number for number, atom in enumerate(self.atoms)}
        self.start = frozenset(self.number["true", term] for term in start)
        self._link(instances)
        self._sort_out()

    def _instances(
        self, rules: list[Rule], facts: Facts, budget: Budget
    ) -> dict[tuple[Atom, tuple[Atom, ...], tuple[Atom, ...]], None]:
        """Every rule without variables as its head, what must hold, and what must not."""
        moving = self.sheet.of_state
        changing = [rule for rule in rules if predicate(rule.head) in moving]
        found: dict[tuple[Atom, tuple[Atom, ...], tuple[Atom, ...]], None] = {}

        def told(rule: Rule) -> list[Atom]:
            parts = [part for part in rule.body if part.kind in ("holds", "not") and predicate(part.atom) in moving]
            return [part.atom for part in sorted(parts, key=lambda part: part.kind == "not")]

        split = {
            id(rule): sum(part.kind == "holds" and predicate(part.atom) in moving for part in rule.body)
            for rule in changing
        }

        def fired(rule: Rule, head: Atom, body: list[Atom]) -> None:
            cut = split[id(rule)]
            key = (head, tuple(dict.fromkeys(body[:cut])), tuple(dict.fromkeys(body[cut:])))
            if key not in found:
                budget.keep(rule.where)
                found[key] = None

        saturate(
            facts, changing, budget, ignored=moving, also={"next": "true", "legal": "does"}, told=told, fired=fired
        )
        return found

    def _link(self, instances: Iterable[tuple[Atom, tuple[Atom, ...], tuple[Atom, ...]]]) -> None:
        """Number the rules and say who waits for whom."""
        sheet, number = self.sheet, self.number
        height = 1 + max(sheet.strata.values(), default=0)
        self.strata_of_state, self.strata_of_moves = range(height), range(height, 2 * height)
        self.users: list[list[int]] = [[] for _ in self.atoms]
        self.heads: list[int] = []
        self.nots: list[tuple[int, ...]] = []
        self.stratum: list[int] = []
        lacks: list[int] = []
        waiting: list[list[int]] = [[] for _ in range(2 * height)]
        for rule, (head, body, others) in enumerate(instances):
            key = predicate(head)
            late = key in sheet.of_moves or key[0] == "next"
            self.heads.append(number[head])
            self.nots.append(tuple(number[atom] for atom in others if atom in number))
            self.stratum.append(sheet.stratum(head) + height * late)
            lacks.append(len(body))
            for atom in body:
                self.users[number[atom]].append(rule)
            if not body:
                waiting[self.stratum[rule]].append(rule)
        self._blank = Flow(bytearray(len(self.atoms)), array("H", lacks), waiting)

    def _sort_out(self) -> None:
        """Which facts are positions, moves, goals and the end."""
        roles = {role: seat for seat, role in enumerate(self.sheet.roles)}
        self.over = -1
        self.legal: dict[int, tuple[int, int]] = {}
        """Number of a legal move → the seat, and the number of the move as done."""
        self.goal: dict[int, tuple[int, str]] = {}
        """Number of a goal → the seat and its value, which is a number only where the goal is ever reached."""
        self.after: dict[int, int] = {}
        """Number of a fact of the next position → its number in a position."""
        for number, atom in enumerate(self.atoms):
            name = atom[0]
            if atom == ("terminal",):
                self.over = number
            elif name == "next":
                self.after[number] = self.number["true", atom[1]]
            elif name in ("legal", "goal") and len(atom) == 3:
                seat = roles.get(atom[1]) if isinstance(atom[1], str) else None
                if seat is None:  # worked out from below, such as a win of the empty cells; it means nobody
                    continue
                if name == "legal":
                    self.legal[number] = (seat, self.number["does", *atom[1:]])
                else:
                    self.goal[number] = (seat, term_text(atom[2]))

    def look(self, position: Iterable[int]) -> tuple[Flow, list[int]]:
        """What holds in a position whatever is done, and the facts that were derived."""
        flow = self._blank.copy()
        return flow, self._spread(flow, position, self.strata_of_state)

    def go_on(self, seen: Flow, done: Iterable[int]) -> frozenset[int]:
        """The position that follows when the moves are done in a position that has been looked at."""
        flow = seen.copy()
        after = self.after
        return frozenset([after[fact] for fact in self._spread(flow, done, self.strata_of_moves) if fact in after])

    def _spread(self, flow: Flow, given: Iterable[int], strata: range) -> list[int]:
        """Let everything follow that follows in these strata; what it is, in the order in which it was found."""
        holds, lacks, waiting = flow.holds, flow.lacks, flow.waiting
        users, heads, nots, stratum_of = self.users, self.heads, self.nots, self.stratum
        derived: list[int] = []
        new = list(given)
        for fact in new:
            holds[fact] = 1
        for stratum in strata:
            while True:
                for fact in new:
                    for rule in users[fact]:
                        lacks[rule] -= 1
                        if not lacks[rule]:
                            waiting[stratum_of[rule]].append(rule)
                ready = waiting[stratum]
                if not ready:
                    new = []
                    break
                waiting[stratum] = []
                new = []
                for rule in ready:
                    head = heads[rule]
                    if not holds[head] and not any(map(holds.__getitem__, nots[rule])):
                        holds[head] = 1
                        new.append(head)
                derived += new
        return derived


def natural(term: Term) -> tuple[Any, ...]:
    """A key that sorts terms as people would: numbers by size, words by letters, lists by their parts."""
    if isinstance(term, tuple):
        return (2, *(natural(part) for part in term))
    return (0, int(term), term) if re.fullmatch(r"[0-9]{1,18}", term) else (1, 0, term)


def _needed(rules: Iterable[Rule]) -> list[Rule]:
    """The rules that a game's positions, moves, end and goals depend on."""
    by_head: dict[Any, list[Rule]] = {}
    for rule in rules:
        by_head.setdefault(predicate(rule.head), []).append(rule)
    wanted = [key for key in by_head if key[0] in ROOTS]
    seen = set(wanted)
    while wanted:
        for rule in by_head.get(wanted.pop(), ()):
            for part in rule.body:
                key = predicate(part.atom)
                if part.kind in ("holds", "not") and key not in seen:
                    seen.add(key)
                    wanted.append(key)
    return [rule for rule in rules if predicate(rule.head) in seen]
