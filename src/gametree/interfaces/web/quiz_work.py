"""What the page Quiz asks the worker processes to do. Seed and difficulty make a quiz, so nothing is kept."""

from __future__ import annotations

import functools
from typing import Any

from gametree.core.errors import BadInput
from gametree.core.game import MIN
from gametree.core.record import LEAF
from gametree.core.result import SearchResult
from gametree.interfaces.svg_parts import with_minus
from gametree.interfaces.web.lab_work import payload
from gametree.interfaces.web.worker import Job
from gametree.search.textbook.alphabeta import search
from gametree.teaching.quiz import Quiz, make_quiz
from gametree.teaching.steps import number_text

__all__ = ["MOST_DIFFICULT", "ask", "check", "explain", "hint"]

MOST_DIFFICULT = 6
"""The largest trees that can be worked through on a page."""


@functools.lru_cache(maxsize=64)
def _quiz(seed: int, difficulty: int) -> Quiz:
    return make_quiz(seed, difficulty=difficulty)


def ask(job: Job, seed: int | None, difficulty: int) -> dict[str, Any]:
    """A fresh quiz, or the one of that seed: the tree with its leaves, and the questions."""
    made = make_quiz(None, difficulty=difficulty) if seed is None else _quiz(seed, difficulty)
    question = made.question
    rows = range(len(question))
    return {
        "seed": made.seed,
        "difficulty": difficulty,
        "text": made.game.tree_text(),
        "tree": {
            "parent": question.parent,
            "player": question.player,
            "level": question.level,
            "label": question.label,
            "move": [""] * len(question),
            "chance": [""] * len(question),
            "place": question.place,
            "name": [question.label[row] or _name(question.player[row], question.path(row)) for row in rows],
            "leaf": [
                with_minus(number_text(question.value[row])) if question.player[row] == LEAF else "" for row in rows
            ],
            "several": False,
        },
        "questions": {"value": made.value_question, "skipped": made.skipped_question},
        "leaves": list(made.leaves),
    }


def _name(player: int, path: list[str]) -> str:
    if not path:
        return "the root"
    return f"{'leaf' if player == LEAF else 'node'} {'.'.join(path)}"


def check(job: Job, seed: int, difficulty: int, question: str, answer: str) -> dict[str, Any]:
    """Whether the answer is right, and why not; `position` is where the explanation shows it. Raises BadInput."""
    made = _quiz(seed, difficulty)
    verdict = made.check_value(answer) if question == "value" else made.check_skipped(answer)
    return {
        "correct": verdict.correct,
        "message": with_minus(verdict.message),
        "position": None if verdict.step is None else verdict.step + 1,
    }


def hint(job: Job, seed: int, difficulty: int, question: str, number: int) -> dict[str, Any]:
    """The hint of that number, from 0 on; each says more than the one before. `more` says whether there is another."""
    made = _quiz(seed, difficulty)
    hints = _value_hints(made) if question == "value" else _skipped_hints(made)
    if number >= len(hints):
        raise BadInput(f"There are {len(hints)} hints for this question, numbered from 0; {number} is none of them.")
    return {"hint": with_minus(hints[number]), "more": number + 1 < len(hints)}


def _value_hints(made: Quiz) -> list[str]:
    record = made.record
    below = record.children()
    # The left-most node whose children are all leaves: alpha-beta always looks at all of it.
    row = 0
    while any(record.player[child] != LEAF for child in below[row]):
        row = below[row][0]
    chooser = "MIN takes the least" if record.player[row] == MIN else "MAX takes the greatest"
    leaves = ", ".join(record.label[child] for child in below[row])
    first = record.value[below[0][0]] if below[0] else None
    return [
        "Begin at the bottom. Squares take the greatest of what is below them, circles the least.",
        f"Above {leaves} {chooser}, which is {number_text(record.value[row])}.",
        f"The first node below the root is worth {number_text(first)}. Do the same for the others.",
    ]


def _skipped_hints(made: Quiz) -> list[str]:
    record = made.record
    cuts = [event.node for event in record.events if event.kind == "cut"]
    hints = [
        "Go from left to right and keep α, the best that MAX is sure of, and β, the best that MIN is sure of.",
        f"{len(cuts)} cut-off{'s' if len(cuts) != 1 else ''} happen{'s' if len(cuts) == 1 else ''} in this tree.",
    ]
    if cuts:
        side, sign = ("MIN", "≤ α") if record.player[cuts[0]] == MIN else ("MAX", "≥ β")
        place = ".".join(record.path(cuts[0]))
        hints.append(f"The first one is at node {place}, where {side} moves and the value comes to be {sign}.")
    return hints


def explain(job: Job, seed: int, difficulty: int) -> dict[str, Any]:
    """The search of the quiz step by step, as the tree lab shows it."""
    made = _quiz(seed, difficulty)
    result: SearchResult = search(made.game)
    return payload(made.game, made.record, result)
