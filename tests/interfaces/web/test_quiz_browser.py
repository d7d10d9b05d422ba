"""The page Quiz in a real browser, and what its worker tasks answer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from test_lab_browser import PHONE, serious

from gametree.core.errors import BadInput
from gametree.interfaces.web import quiz_work
from gametree.interfaces.web.worker import Job
from gametree.teaching.quiz import make_quiz


def job() -> Job:
    return Job(1, 10.0, lambda message: None)


@pytest.mark.parametrize("difficulty", range(1, quiz_work.MOST_DIFFICULT + 1))
def test_hints_lead_to_the_answer_and_the_answer_is_right(difficulty: int) -> None:
    made = make_quiz(4, difficulty=difficulty)
    for question, answer in (("value", f"{made.value:g}"), ("skipped", " ".join(made.skipped) or "none")):
        hints, more = [], True
        while more:
            told = quiz_work.hint(job(), 4, difficulty, question, len(hints))
            hints.append(told["hint"])
            more = told["more"]
        assert len(set(hints)) == len(hints) >= 2
        with pytest.raises(BadInput, match="none of them"):
            quiz_work.hint(job(), 4, difficulty, question, len(hints))
        assert quiz_work.check(job(), 4, difficulty, question, answer)["correct"]
    asked = quiz_work.ask(job(), 4, difficulty)
    assert asked["leaves"] == list(made.leaves)
    told = quiz_work.explain(job(), 4, difficulty)
    assert told["result"]["value"] == made.value
    assert told["result"]["skipped"] == len(made.skipped)


def test_answered_right_and_wrong_with_the_explanation(new_page: Callable[..., Any]) -> None:
    page = new_page("/quiz?seed=1&difficulty=1")  # ((A=6 B=-7 C=-1) (D=-2 E=2 F=-4) (G=-8 H=8 I=-5)), worth -4
    page.locator(".quiz-tree .node").first.wait_for()
    assert page.locator(".quiz-tree .node").count() == 13
    first, second = page.locator("form[data-question=value]"), page.locator("form[data-question=skipped]")

    # 1. What cannot be read is no answer and does not count.
    first.get_by_label("Answer to question 1").fill("many")
    answers: list[int] = []
    page.on("response", lambda answer: answers.append(answer.status))
    first.get_by_label("Answer to question 1").fill("-4")
    first.get_by_role("button", name="Hint").click()
    first.get_by_text("Begin at the bottom").wait_for()
    first.get_by_role("button", name="Check").click()
    first.get_by_text("Right: the root is worth −4").wait_for()
    assert page.locator(".tally").text_content() == "1 of 1 right"

    # 2. Clicked leaves make up the answer; a wrong one is explained at the step where it is decided.
    page.locator(".quiz-tree .node[aria-label^='E,']").click()
    page.locator(".quiz-tree .node[aria-label^='H,']").click()
    assert second.get_by_label("Answer to question 2").input_value() == "E H"
    second.get_by_role("button", name="Check").click()
    second.get_by_text("E is looked at").wait_for()
    assert page.locator(".tally").text_content() == "1 of 2 right"
    second.get_by_role("button", name="Show why").click()
    page.locator(".explanation .player").wait_for()
    assert page.locator(".explanation .sentence").text_content() == "The leaf E is worth 2."
    page.get_by_label("To the end").click()
    skipped = page.locator(".explanation .says.dropped .label").all_text_contents()
    assert sorted(skipped) == ["H", "I"]
    assert serious(page) == []

    # 3. A second answer is judged but does not count; the score outlives the page.
    second.get_by_label("Answer to question 2").fill("h i")
    second.get_by_role("button", name="Check").click()
    second.get_by_text("Right: alpha-beta skips H and I").wait_for()
    page.reload()
    page.locator(".quiz-tree .node").first.wait_for()
    assert page.locator(".tally").text_content() == "1 of 2 right"
    assert set(answers) <= {200, 304}


def test_another_tree_by_keys_on_a_phone(new_page: Callable[..., Any]) -> None:
    page = new_page("/quiz?seed=1&difficulty=1", **PHONE)
    page.locator(".quiz-tree .node").first.wait_for()
    page.get_by_label("Difficulty").select_option("2")
    page.locator(".quiz-tree .node").nth(14).wait_for()
    assert page.locator(".quiz-tree .node").count() == 15
    assert "difficulty=2" in page.url
    page.locator(".quiz-tree .node").first.focus()
    for key in ("ArrowDown", "ArrowDown", "ArrowDown", "Enter"):
        page.keyboard.press(key)
    assert page.get_by_label("Answer to question 2").input_value() == "A"
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
