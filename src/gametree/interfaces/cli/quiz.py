"""`gametree quiz`: a fresh tree, two questions, and why the answer is what it is."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from gametree.core.errors import BadInput
from gametree.core.files import write_atomically
from gametree.interfaces.cli.common import Json, console, print_json

if TYPE_CHECKING:
    from gametree.teaching.quiz import Quiz, Verdict

__all__ = ["register"]


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("quiz")(quiz)


def quiz(
    seed: Annotated[int | None, typer.Option(help="Ask about the same tree again.")] = None,
    difficulty: Annotated[int, typer.Option(help="From 1 upwards: larger trees.")] = 1,
    branching: Annotated[int | None, typer.Option(help="Children of every node.")] = None,
    depth: Annotated[int | None, typer.Option(help="Levels of moves.")] = None,
    value: Annotated[str | None, typer.Option(help="Your answer to the first question, instead of typing it.")] = None,
    skipped: Annotated[str | None, typer.Option(help="Your answer to the second: 'B D', or none.")] = None,
    svg: Annotated[Path | None, typer.Option(help="Draw the question into this file as well.")] = None,
    json: Json = False,
) -> None:
    """Find the value of a fresh tree and the leaves that alpha-beta skips."""
    from gametree.interfaces.tree_svg import tree_svg
    from gametree.interfaces.tree_text import tree_text
    from gametree.teaching.quiz import make_quiz

    asked = make_quiz(seed, difficulty=difficulty, branching=branching, depth=depth)
    if svg is not None:
        write_atomically(svg, tree_svg(asked.question))
    if json:
        _as_data(asked, value, skipped)
        return
    console.print(f"Quiz {asked.seed}. Squares are MAX, circles MIN, who choose in turn.", style="dim")
    print(tree_text(asked.question, color=console.is_terminal))
    print()
    rights = 0
    for question, judge, answer in (
        (asked.value_question, asked.check_value, value),
        (asked.skipped_question, asked.check_skipped, skipped),
    ):
        verdict = _ask(question, judge, answer)
        if verdict is None:
            return
        rights += verdict.correct
        console.print(verdict.message, style="green" if verdict.correct else "red", markup=False)
        if verdict.step is not None and question == asked.skipped_question:  # before, it would give the answer away
            print()
            print(tree_text(asked.record, step=verdict.step, color=console.is_terminal))
        print()
    console.print(f"{rights} of 2 right. Again with `gametree quiz --seed {asked.seed}`, anew with `gametree quiz`.")


def _ask(question: str, judge: Callable[[str], Verdict], answer: str | None) -> Verdict | None:
    """Ask until the answer can be read; None if the input ends. An answer from the command line is asked for once."""
    console.print(question, style="bold", markup=False)
    if answer is not None:
        return judge(answer)
    while True:
        try:
            text = console.input("> ")
        except EOFError:
            console.print("\nThe input ended before the quiz did.")
            return None
        if text.strip().lower() in ("quit", "exit", "q"):
            return None
        try:
            return judge(text)
        except BadInput as error:
            console.print(str(error), style="red", markup=False)


def _as_data(asked: Quiz, value: str | None, skipped: str | None) -> None:
    """The questions; and for the answers that were given, whether they are right and why."""
    data: dict[str, object] = {
        "seed": asked.seed,
        "tree": asked.game.tree_text(),
        "questions": {"value": asked.value_question, "skipped": asked.skipped_question},
    }
    for key, judge, answer in (("value", asked.check_value, value), ("skipped", asked.check_skipped, skipped)):
        if answer is not None:
            verdict = judge(answer)
            data[key] = {"correct": verdict.correct, "message": verdict.message, "step": verdict.step}
    print_json(data)
