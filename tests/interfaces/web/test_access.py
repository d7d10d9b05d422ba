"""For everyone: every page checked by axe-core in dark and light, and nothing jumps while a page loads."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from gallery import BOARDS, Gallery
from test_gallery_browser import SHOW

from gametree.interfaces.web.boards import view

VENDOR = Path(__file__).parent / "vendor"
AXE_SHA256 = "20c09fe157a8a34a30e241aaa1fcdade657734f08ab379ecfbeb7d45cc46e878"
"""axe-core 4.14.0, Mozilla Public License 2.0; a tool of the tests, not a part of the product."""

PLACES = {
    "home": ("/", ".gallery .board"),
    "set-up": ("/play", "#begin"),
    "build": ("/build/coins.py", "#build-check .good"),
    "lab": ("/lab", "main :not(:empty)"),
    "lab of a game": ("/lab?kind=game&game=tictactoe&position=XO./.X./..O&depth=1", ".lab-board .cell"),
    "quiz": ("/quiz", "main :not(:empty)"),
    "arena": ("/arena", "main :not(:empty)"),
    "analyse": ("/analyse?game=chess&moves=e4", ".holder .cell"),
}


def check(page: Any) -> list[str]:
    """Findings of axe-core that are more than minor, as text."""
    found = page.evaluate("axe.run(document, {resultTypes: ['violations']})")
    return [
        f"{rule['id']}: {rule['help']}: {node['html'][:160]}"
        for rule in found["violations"]
        if rule["impact"] != "minor"
        for node in rule["nodes"]
    ]


@pytest.fixture(scope="module")
def axe() -> str:
    source = (VENDOR / "axe.min.js").read_bytes()
    assert hashlib.sha256(source).hexdigest() == AXE_SHA256, "this is not the file that was vendored"
    return source.decode("utf-8")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_no_findings_on_any_page(new_page: Callable[..., Any], axe: str, scheme: str) -> None:
    page = new_page("/play", color_scheme=scheme)
    found: dict[str, list[str]] = {}
    for name, (address, sign) in PLACES.items():
        page.goto(address)
        page.locator(sign).first.wait_for()
        page.evaluate(axe)
        found[name] = check(page)
    page.goto("/play?game=othello")
    page.locator("[data-seat='1']").wait_for()
    page.select_option("[data-seat='1']", "person")
    page.click("#begin")
    page.locator(".holder .cell").first.wait_for()
    page.evaluate(axe)
    found["game"] = check(page)
    page.goto("/play")
    for board in BOARDS:
        page.locator("#begin, #shown").first.wait_for()
        page.evaluate(SHOW, view(Gallery(board), ()))
        page.evaluate(axe)
        found[board] = check(page)
    assert not any(found.values()), found


def test_axe_finds_what_is_wrong(new_page: Callable[..., Any], axe: str) -> None:
    page = new_page("/play")
    page.locator("#begin").wait_for()
    page.evaluate("document.querySelector('main').append(document.createElement('button'))")
    page.evaluate(axe)
    assert any("button-name" in finding for finding in check(page))


def test_nothing_jumps_while_the_first_page_loads(new_page: Callable[..., Any]) -> None:
    page = new_page("/play")
    page.locator("#begin").wait_for()
    page.wait_for_function("() => document.querySelectorAll('.preview .cell').length === 9")
    jumps = page.evaluate(
        """() => new Promise(resolve => {
            let sum = 0;
            new PerformanceObserver(list => {
                for (const entry of list.getEntries()) if (!entry.hadRecentInput) sum += entry.value;
            }).observe({type: "layout-shift", buffered: true});
            setTimeout(() => resolve(sum), 300);
        })"""
    )
    assert jumps < 0.1, "the limit of what counts as a good cumulative layout shift"
