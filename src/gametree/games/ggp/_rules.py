"""Rules of the game description language, read from KIF and checked before anything is worked out.

A rule is a head and a body without `or`: a rule with alternatives becomes one rule for each of them. Refused, with the
place and one sentence: words of the language in the wrong place, variables that nothing binds, negation in a circle,
and what depends on a move or on the next position though it must not.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any
from typing import Literal as OneOf

from gametree.core.errors import BadInput
from gametree.games.ggp._kif import Form, Term, is_variable, read_forms, term_text, variables

__all__ = ["Atom", "Literal", "Predicate", "Rule", "Sheet", "predicate", "read_sheet"]

Atom = tuple[Term, ...]
"""A relation's name and its arguments."""
Predicate = tuple[str, int]
_Graph = dict[Any, dict[Any, tuple[bool, str]]]
"""Relation → the relations that its rules ask for, each with whether under `not`, and where."""
"""A relation's name and the number of its arguments."""

MOST_ROLES = 8
MOST_ALTERNATIVES = 500
"""Into so many rules one rule may fall because of its `or`s."""
LONGEST_BODY = 5_000
ARGUMENTS = {
    "role": 1, "init": 1, "next": 1, "true": 1, "does": 2, "legal": 2, "goal": 2, "terminal": 0, "distinct": 2,
    "base": 1, "input": 2,
}  # fmt: skip
NEVER_DERIVED = ("true", "does", "distinct", "not", "or", "and", "<=")
NEVER_ASKED = ("init", "next")


@dataclass(frozen=True)
class Literal:
    """Part of a body: a relation that holds, one that does not, or two terms that differ or are the same."""

    kind: OneOf["holds", "not", "distinct", "same"]
    atom: Atom


@dataclass(frozen=True)
class Rule:
    """`head` follows from all of `body`."""

    head: Atom
    body: tuple[Literal, ...]
    where: str


@dataclass(frozen=True)
class Sheet:
    """The rules of a game, checked."""

    name: str
    roles: tuple[str, ...]
    rules: tuple[Rule, ...]
    strata: dict[Any, int]
    """When a relation is complete: it uses only `not` of relations of a lower stratum."""
    goals_apart: bool
    """Whether every goal in the rules names its value; goals of different values are then relations of their own."""
    of_state: frozenset[Predicate]
    """Relations that are not the same throughout the game."""
    of_moves: frozenset[Predicate]
    """Relations that follow from what is done in a position."""

    def stratum(self, atom: Atom) -> int:
        """The stratum of a head."""
        return self.strata[_finer(atom, self.goals_apart)]


def predicate(atom: Atom) -> Predicate:
    """The relation of an atom."""
    return str(atom[0]), len(atom) - 1


def read_sheet(text: str, name: str) -> Sheet:
    """Read and check a whole sheet. Raises BadInput."""
    rules: list[Rule] = []
    for form in read_forms(text, name):
        rules += _rules(form)
    roles = _roles(rules, name)
    for rule in rules:
        _check_safety(rule)
    below = _dependencies(rules, goals_apart=False)
    _check_reach(rules, below)
    asked = {(word, ARGUMENTS[word]) for word in ("true", "does", "legal", "goal", "terminal", "next")}
    of_state = _above(asked, below)
    of_moves = _above({("does", 2)}, below)
    apart = not any(is_variable(atom[2]) for atom in _goals(rules))
    strata = _strata(_dependencies(rules, goals_apart=apart))
    heads = {predicate(rule.head) for rule in rules}
    for needed, wanted in (("legal", 2), ("goal", 2), ("terminal", 0)):
        if (needed, wanted) not in heads:
            raise BadInput(f"{name} has no rule for '{needed}'; expected one, or the game has no such thing.")
    return Sheet(name, roles, tuple(rules), strata, apart, frozenset(of_state), frozenset(of_moves))


def _goals(rules: Iterable[Rule]) -> Iterator[Atom]:
    for rule in rules:
        for atom in (rule.head, *(part.atom for part in rule.body)):
            if atom[0] == "goal":
                yield atom


def _finer(atom: Atom, goals_apart: bool) -> tuple[Any, ...]:
    if goals_apart and atom[0] == "goal":
        return ("goal", atom[2])
    return predicate(atom)


# From terms to rules --------------------------------------------------------------------------------------------------


def _rules(form: Form) -> Iterator[Rule]:
    term = form.term
    if isinstance(term, tuple) and term[0] == "<=":
        if len(term) < 2:
            raise BadInput(f"{form.where}: '(<=)' has no head; expected (<= HEAD CONDITION ...).")
        head, conditions = term[1], term[2:]
    else:
        head, conditions = term, ()
    atom = _atom(head, form.where)
    if atom[0] in NEVER_DERIVED:
        raise BadInput(f"{form.where}: '{atom[0]}' cannot be what a rule derives; expected a relation of the game.")
    if atom[0] == "sees" or atom == ("role", "random"):
        raise BadInput(
            f"{form.where}: '{term_text(atom)}' belongs to games with chance or hidden knowledge (GDL-II), "
            "which are not played yet; expected a game in which everything is seen."
        )
    for body in _all_of(conditions, form.where, negated=False):
        if len(body) > LONGEST_BODY:
            raise BadInput(f"{form.where}: a rule with {len(body)} conditions is too long; expected {LONGEST_BODY}.")
        yield Rule(atom, tuple(dict.fromkeys(body)), form.where)


def _atom(term: Term, where: str) -> Atom:
    atom = term if isinstance(term, tuple) else (term,)
    name = atom[0]
    if not isinstance(name, str) or is_variable(name):
        raise BadInput(f"{where}: '{term_text(name)}' is not the name of a relation; expected a word.")
    if name in ARGUMENTS and len(atom) - 1 != ARGUMENTS[name]:
        raise BadInput(f"{where}: '{term_text(atom)}' has {len(atom) - 1} arguments; expected {ARGUMENTS[name]}.")
    _check_functions(atom[1:], where)
    return atom


def _check_functions(terms: Iterable[Term], where: str) -> None:
    for term in terms:
        if isinstance(term, tuple):
            if not isinstance(term[0], str) or is_variable(term[0]):
                raise BadInput(f"{where}: '{term_text(term[0])}' is not the name of a function; expected a word.")
            _check_functions(term[1:], where)


def _alternatives(term: Term, where: str, *, negated: bool) -> list[list[Literal]]:
    """All ways in which a condition can come true, each a list of literals."""
    name = term[0] if isinstance(term, tuple) else term
    parts = term[1:] if isinstance(term, tuple) else ()
    if name == "not":
        if len(parts) != 1:
            raise BadInput(f"{where}: 'not' has {len(parts)} conditions; expected 1.")
        return _alternatives(parts[0], where, negated=not negated)
    if name in ("or", "and"):
        if not parts:
            raise BadInput(f"{where}: '{name}' has no conditions; expected at least 1.")
        if (name == "or") == negated:
            return _all_of(parts, where, negated=negated)
        found = [body for part in parts for body in _alternatives(part, where, negated=negated)]
        return _few(found, where)
    atom = _atom(term, where)
    if name == "<=" or name in NEVER_ASKED:
        raise BadInput(f"{where}: '{name}' cannot be a condition of a rule.")
    if name == "distinct":
        return [[Literal("same" if negated else "distinct", atom)]]
    return [[Literal("not" if negated else "holds", atom)]]


def _all_of(terms: Sequence[Term], where: str, *, negated: bool) -> list[list[Literal]]:
    bodies: list[list[Literal]] = [[]]
    for term in terms:
        ways = _alternatives(term, where, negated=negated)
        if len(ways) == 1:  # the usual case, without copying what is there already
            for body in bodies:
                body += ways[0]
        else:
            bodies = _few((body + way for body in bodies for way in ways), where)
    return bodies


def _few(bodies: Iterable[list[Literal]], where: str) -> list[list[Literal]]:
    found = []
    for body in bodies:
        found.append(body)
        if len(found) > MOST_ALTERNATIVES:
            raise BadInput(f"{where}: the 'or's of this rule have more than {MOST_ALTERNATIVES} combinations.")
    return found


def _roles(rules: Sequence[Rule], name: str) -> tuple[str, ...]:
    """The roles in their order. They are facts."""
    found: dict[str, None] = {}
    for rule in rules:
        if rule.head[0] == "role":
            role = rule.head[1]
            if rule.body or not isinstance(role, str) or is_variable(role):
                raise BadInput(f"{rule.where}: a role must be a fact with a name, such as (role white).")
            found[role] = None
    if not 1 <= len(found) <= MOST_ROLES:
        raise BadInput(f"{name} has {len(found)} roles; expected 1 to {MOST_ROLES}.")
    return tuple(found)


# Checks ---------------------------------------------------------------------------------------------------------------


def _check_safety(rule: Rule) -> None:
    """Whatever the head, a `not` or a `distinct` speaks of is named by a condition that holds."""
    bound = {name for literal in rule.body if literal.kind == "holds" for name in variables(literal.atom)}
    for what, atom in [("head", rule.head), *((part.kind, part.atom) for part in rule.body if part.kind != "holds")]:
        for name in variables(atom):
            if name not in bound:
                place = "the head" if what == "head" else f"'{what}'"
                raise BadInput(
                    f"{rule.where}: the variable {name} of {place} {term_text(atom)} is bound by no condition that "
                    "holds, so the rule is not safe."
                )


def _dependencies(rules: Sequence[Rule], *, goals_apart: bool) -> _Graph:
    below: _Graph = defaultdict(dict)
    for rule in rules:
        asked = below[_finer(rule.head, goals_apart)]
        for literal in rule.body:
            if literal.kind in ("holds", "not"):
                key = _finer(literal.atom, goals_apart)
                if literal.kind == "not" or key not in asked:
                    asked[key] = (literal.kind == "not", rule.where)
    return below


def _above(start: set[Predicate], below: _Graph) -> set[Predicate]:
    """The relations `start` and all that depend on them."""
    above: dict[Any, list[Any]] = defaultdict(list)
    for head, asked in below.items():
        for key in asked:
            above[key].append(head)
    found, left = set(start), list(start)
    while left:
        for head in above[left.pop()]:
            if head not in found:
                found.add(head)
                left.append(head)
    return found


def _check_reach(rules: Sequence[Rule], below: _Graph) -> None:
    """What is legal, over or won follows from the position alone; the start and the roles follow from neither."""
    of_moves, of_state = _above({("does", 2)}, below), _above({("true", 1)}, below)
    for rule in rules:
        key = predicate(rule.head)
        if key[0] in ("legal", "goal", "terminal", "init", "base", "input") and key in of_moves:
            raise BadInput(f"{rule.where}: '{key[0]}' depends on 'does', but must hold whatever is done.")
        if key[0] in ("init", "base", "input") and key in of_state:
            raise BadInput(f"{rule.where}: '{key[0]}' depends on 'true', but there is no position yet.")


def _strata(below: _Graph) -> dict[Any, int]:
    """The stratum of every relation. Raises BadInput for a circle through `not`."""
    strata = dict.fromkeys(below, 0)
    above: dict[Any, list[tuple[Any, bool, str]]] = defaultdict(list)
    for head, asked in below.items():
        for key, (negated, where) in asked.items():
            strata.setdefault(key, 0)
            above[key].append((head, negated, where))
    left = list(strata)
    while left:
        key = left.pop()
        for head, negated, where in above[key]:
            least = strata[key] + negated
            if strata[head] < least:
                if least > len(strata):
                    raise BadInput(
                        f"{where}: '{head[0]}' depends on its own negation through '{key[0]}', "
                        "so the rules are not stratified."
                    )
                strata[head] = least
                left.append(head)
    return strata
