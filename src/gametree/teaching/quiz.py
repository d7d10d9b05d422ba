"""A fresh tree and two questions: what is the root worth, and which leaves does alpha-beta skip?

>>> quiz = make_quiz(1)
>>> print(quiz.game.tree_text())
((A=6 B=-7 C=-1) (D=-2 E=2 F=-4) (G=-8 H=8 I=-5))
>>> quiz.check_value("-4").correct
True
>>> print(quiz.check_skipped("E, H and I").message)
E is looked at: node 2 is worth -2 so far, more than α -7, so MIN must look on.

The same seed and difficulty give the same quiz. The explanations come from stepping through the record of the search.
"""

from __future__ import annotations

import math
import random
import re
from collections.abc import Iterable
from dataclasses import dataclass

from gametree.core.errors import BadInput, suggest
from gametree.core.game import MIN
from gametree.core.record import LEAF, TreeRecord
from gametree.games.tree import DrawnTree, parse_tree
from gametree.search.textbook.alphabeta import search
from gametree.teaching.steps import Stepper, Words, number_text

__all__ = ["MOST_LEAVES", "Quiz", "Verdict", "leaf_letters", "make_quiz"]

MOST_LEAVES = 26 * 27
"""A to ZZ: a quiz has no more leaves than it has letters."""

# Branching and depth of difficulty 1, 2, …; beyond the table every level adds a ply.
_LEVELS = ((3, 2), (2, 3), (3, 3), (2, 4), (2, 5), (3, 4))

_NONE = frozenset({"none", "no", "nothing", "nil", "-", "0", "no leaf", "no leaves", "keine", "nessuna"})
_FILLERS = frozenset({"and", "the", "leaf", "leaves", "skipped", "skips", "pruned", "are", "is"})


@dataclass(frozen=True)
class Verdict:
    """Whether an answer is right, what to say about it, and the step of the record that shows why (None if right)."""

    correct: bool
    message: str
    step: int | None = None


class Quiz:
    """One tree with its questions. Make it with `make_quiz`, or from a tree whose leaves carry names of their own."""

    def __init__(self, game: DrawnTree, *, seed: int | None = None) -> None:
        self.game = game
        self.seed = seed
        """What `make_quiz` needs to make this quiz again; None if it was made by hand."""
        self.question = TreeRecord.unsearched(game, limit=100_000)
        """The tree as it is asked about, with no search in it yet."""
        self.record = TreeRecord(game)
        """What alpha-beta does, for the answer."""
        search(game, record=self.record)
        self.record.expand_unvisited(limit=100_000)
        self._rows = {self.record.label[row]: row for row in self._leaves_in_order()}
        if "" in self._rows or len(self._rows) != len(self._leaves_in_order()):
            raise BadInput("A quiz needs leaves that each have a name of their own, such as ((A=3 B=12) (C=2 D=4)).")
        value = self.record.value[0]
        assert value is not None
        self.value: float = value
        """The root's value for MAX."""
        self.leaves = tuple(self._rows)
        """Names of all leaves from left to right."""
        self.skipped = tuple(self.record.label[row] for row in self.record.skipped_leaves())
        """Names of the leaves that alpha-beta never looks at, from left to right."""
        self._stepper = Stepper(self.record)
        self._words = Words(self.record)

    def _leaves_in_order(self) -> list[int]:
        rows, todo, below = [], [0], self.record.children()
        while todo:
            row = todo.pop()
            if self.record.player[row] == LEAF:
                rows.append(row)
            todo.extend(reversed(below[row]))
        return rows

    @property
    def value_question(self) -> str:
        """The first question, in words."""
        return "What is the root worth to MAX?"

    @property
    def skipped_question(self) -> str:
        """The second question, in words."""
        return (
            "Which leaves does alpha-beta skip, going from left to right? It leaves a MIN node as soon as its value "
            "is ≤ α, and a MAX node as soon as it is ≥ β. Name the leaves, or say none."
        )

    def check_value(self, answer: str | float) -> Verdict:
        """Judge an answer to the first question. Raises BadInput if it is not a number."""
        given = _read_number(answer)
        if given == self.value:
            return Verdict(True, f"Right: the root is worth {number_text(self.value)}.")
        return Verdict(
            False,
            f"The root is worth {number_text(self.value)}, not {number_text(given)}. {self._why_value()}",
            len(self._stepper) - 1,
        )

    def check_skipped(self, answer: str | Iterable[str]) -> Verdict:
        """Judge an answer to the second question; the first wrong leaf is explained.

        The answer may be `none`, or names in any order and case, separated by spaces or commas. Raises BadInput if it
        names something that is no leaf.
        """
        given = self._read_leaves(answer)
        wrong = [leaf for leaf in self.leaves if (leaf in given) != (leaf in self.skipped)]
        if not wrong:
            what = _and(self.skipped) if self.skipped else "none"
            return Verdict(True, f"Right: alpha-beta skips {what}.")
        # The first wrong one in the order of the search is the one where the two began to differ.
        first = min(wrong, key=self._moment)
        step = self._moment(first)
        if first in self.skipped:
            self._stepper.goto(step)
            too = " too" if given & set(self.skipped) else ""
            return Verdict(False, f"{first} is skipped{too}. {self._stepper.sentence()}", step)
        return Verdict(False, f"{first} is looked at: {self._why_visited(first)}.", step)

    def explain(self) -> list[str]:
        """The whole search, one sentence per step."""
        sentences = []
        for step in range(len(self._stepper)):
            self._stepper.goto(step)
            sentences.append(self._stepper.sentence())
        return sentences

    # How the explanations are found -----------------------------------------------------------------------------------

    def _moment(self, leaf: str) -> int:
        """The step at which it was settled whether the leaf is looked at: its visit, or the cut that dropped it."""
        row = self._rows[leaf]
        if self.record.order[row] >= 0:
            step = self._stepper.find("enter", row)
        else:
            while self.record.order[row] < 0:
                row = self.record.parent[row]
            step = self._stepper.find("cut", row)
        assert step is not None
        return step

    def _why_visited(self, leaf: str) -> str:
        """Why nothing had been cut when the search came to the leaf, by the nearest node that had a value by then."""
        row = self._rows[leaf]
        while self.record.parent[row] >= 0:
            above = self.record.parent[row]
            self._stepper.goto((self._stepper.find("enter", row) or 1) - 1)
            picture = self._stepper.picture()
            value = picture.value[above]
            if value is None:
                row = above
                continue
            minimises = self.record.player[above] == MIN
            limit = picture.alpha[above] if minimises else picture.beta[above]
            sign, than, who = ("α", "more than", "MIN") if minimises else ("β", "less than", "MAX")
            so_far = f"{self._words.node(above)} is worth {number_text(value)} so far"
            if math.isinf(limit):
                return f"{so_far}, and no other choice sets a limit to it"
            return f"{so_far}, {than} {sign} {number_text(limit)}, so {who} must look on"
        return "it is the first leaf of all, and nothing can be known before it"

    def _why_value(self) -> str:
        """The values below the root, and who chooses among them."""
        truth = TreeRecord.unsearched(self.game, limit=100_000)
        below = truth.children()
        values: list[float] = [0.0] * len(truth)
        for row in range(len(truth) - 1, -1, -1):
            leaf = truth.value[row]
            if leaf is not None:
                values[row] = leaf
            elif below[row]:
                values[row] = (max if truth.player[row] == 0 else min)(values[child] for child in below[row])
        choices = ", ".join(number_text(values[child]) for child in below[0])
        if not below[0]:
            return "It is a leaf itself."
        chooser, kind = ("MAX", "greatest") if truth.player[0] == 0 else ("MIN", "least")
        return f"Its children are worth {choices}, and {chooser} takes the {kind}."

    def _read_leaves(self, answer: str | Iterable[str]) -> set[str]:
        text = answer if isinstance(answer, str) else " ".join(answer)
        text = " ".join(text.replace("\N{EN DASH}", "-").split()).strip(" .;!")
        if text.casefold() in _NONE or not text:
            return set()
        names = {leaf.casefold(): leaf for leaf in self.leaves}
        found: set[str] = set()
        for word in re.split(r"[\s,;&+/]+", re.sub(r"\s*-\s*", "-", text)):
            folded = word.casefold().strip(".")
            first, dash, last = folded.partition("-")
            if folded in names:
                found.add(names[folded])
            elif dash and first in names and last in names:
                start, end = self.leaves.index(names[first]), self.leaves.index(names[last])
                if start > end:
                    raise BadInput(f"'{word}' runs backwards; expected leaves from left to right, such as A-C.")
                found.update(self.leaves[start : end + 1])
            elif folded and folded not in _FILLERS:
                if not all(letter in names for letter in folded):
                    raise BadInput(
                        f"'{word}' is no leaf of this tree.{suggest(word.upper(), self.leaves)} "
                        f"Expected names from {self.leaves[0]} to {self.leaves[-1]}, or none."
                    )
                found.update(names[letter] for letter in folded)  # letters run together, as in BD
        return found


def make_quiz(
    seed: int | None = None, *, difficulty: int = 1, branching: int | None = None, depth: int | None = None
) -> Quiz:
    """A fresh quiz; without a seed one is drawn, and `Quiz.seed` tells which.

    `difficulty` counts from 1 upwards without end, as far as the letters go; `branching` and `depth` set the size of
    the tree by hand. Wherever the tree is large enough to allow it, at least one leaf is skipped. Raises BadInput.
    """
    if difficulty < 1:
        raise BadInput(f"A difficulty of {difficulty} is too low; expected 1 or more.")
    wide, deep = _LEVELS[min(difficulty, len(_LEVELS)) - 1]
    deep += max(0, difficulty - len(_LEVELS))
    wide, deep = (wide if branching is None else branching), (deep if depth is None else depth)
    if wide < 1 or deep < 1:
        raise BadInput(f"A quiz of branching {wide} and depth {deep} is too small; expected at least 1 of both.")
    if wide > MOST_LEAVES or (wide > 1 and deep > 10) or deep > MOST_LEAVES or wide**deep > MOST_LEAVES:
        raise BadInput(
            f"A quiz of branching {wide} and depth {deep} has more than {MOST_LEAVES} leaves, more than can be named; "
            "expected a smaller one."
        )
    if seed is None:
        seed = random.SystemRandom().randrange(1_000_000)
    rng = random.Random(f"gametree quiz {seed} {wide} {deep}")
    for _ in range(100):
        quiz = Quiz(_tree(rng, wide, deep), seed=seed)
        if quiz.skipped:
            break
    return quiz


def _tree(rng: random.Random, branching: int, depth: int) -> DrawnTree:
    """An even tree with small whole numbers at the leaves, lettered from left to right."""
    leaves = branching**depth
    texts = [f"{name}={rng.randint(-9, 9)}" for name in leaf_letters(leaves)]
    for _ in range(depth):
        texts = [f"({' '.join(texts[start : start + branching])})" for start in range(0, len(texts), branching)]
    return parse_tree(texts[0], name="quiz")


def leaf_letters(count: int) -> list[str]:
    """A to Z, then AA to ZZ. Raises BadInput beyond."""
    if count > MOST_LEAVES:
        raise BadInput(f"{count} leaves are more than can be named; expected at most {MOST_LEAVES}.")
    alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
    names = [*alphabet, *(first + second for first in alphabet for second in alphabet)]
    return names[:count]


def _read_number(answer: str | float) -> float:
    if isinstance(answer, int | float):
        return answer
    text = answer.strip().replace("\N{MINUS SIGN}", "-").replace("\N{EN DASH}", "-").strip(" .=")
    try:
        number = float(text)
    except ValueError:
        number = float("nan")
    if not abs(number) < float("inf"):
        raise BadInput(f"'{answer}' is not a number; expected the root's value, such as 3 or -2.")
    return number


def _and(names: tuple[str, ...]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
