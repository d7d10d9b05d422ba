"""The report of a tournament in a real browser: boards are drawn, games clicked through, nothing is fetched."""

from __future__ import annotations

from typing import Any

import pytest

from gametree.interfaces.report import report
from gametree.play.events import Event
from gametree.play.runner import run_event
from gametree.play.store import Store

GAMES = ("tictactoe", "othello:size=4", "go:size=3", "kuhn", "chess")


@pytest.fixture(scope="module")
def page_file(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """A report of five games, each with two random players."""
    folder = tmp_path_factory.mktemp("report")
    events = [
        Event("match", game, ("random", "random:seed=2"), 2, seed=3, adjudication={"plies": 30}) for game in GAMES
    ]
    with Store(folder / "arena.db") as store:
        for event in events:
            run_event(event, store)
        (folder / "report.html").write_text(report(store, events), encoding="utf-8")
    return folder / "report.html"


@pytest.mark.parametrize(("width", "scheme"), [(1100, "light"), (1100, "dark"), (360, "light")])
def test_every_game_is_replayed_in_the_browser(chromium: Any, page_file: Any, width: int, scheme: str) -> None:
    page = chromium.new_page(viewport={"width": width, "height": 800}, color_scheme=scheme)
    problems: list[str] = []
    page.on("console", lambda message: problems.append(message.text) if message.type == "error" else None)
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.on("request", lambda request: problems.append(request.url) if not request.url.startswith("file:") else None)
    page.goto(page_file.as_uri())
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert page.locator("#pick optgroup").count() == len(GAMES)
    for number in range(2 * len(GAMES)):
        page.select_option("#pick", index=number)
        moves = page.locator("#moves button")
        assert page.locator("#moves [aria-current]").count() == 0
        for _ in range(2):
            page.click("#next")
        assert moves.nth(1).get_attribute("aria-current") == "true"
        page.keyboard.press("ArrowLeft")
        assert moves.nth(0).get_attribute("aria-current") == "true"
        shown = page.locator("#board").inner_html()
        page.click("#last")
        assert moves.last.get_attribute("aria-current") == "true"
        assert page.locator("#board").inner_html() != shown
        assert page.locator("#said").inner_text().startswith(f"{moves.count()}. ")
        page.click("#first")
        moves.nth(0).click()
        assert page.locator("#board").inner_html() == shown
    assert problems == []
    page.close()


def test_the_pieces_are_where_they_belong(chromium: Any, page_file: Any) -> None:
    page = chromium.new_page()
    page.goto(page_file.as_uri())
    page.select_option("#pick", index=2)  # the first game of Othello, 4 × 4
    assert page.locator("#board circle").count() == 4
    page.click("#next")
    assert page.locator("#board circle").count() == 5
    dark = page.locator("#board circle[fill='#222']").count()
    assert dark == 4  # the black disc that was placed, and one that it has turned
    page.select_option("#pick", index=8)  # chess: 16 white figurines are two texts each, 16 black one
    figures = page.evaluate(
        "[...document.querySelectorAll('#board text')].filter(t => /[♔-♟]/.test(t.textContent)).length"
    )
    assert figures == 48
    page.close()
