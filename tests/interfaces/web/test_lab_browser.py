"""The page Tree lab in a real browser: stepping, comparing, opening branches, links and files."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.parse import parse_qs, urlencode, urlsplit
from urllib.request import Request, urlopen

import pytest

TEXTBOOK = "((3 12 8) (2 4 6) (14 5 2))"
PHONE = {"viewport": {"width": 390, "height": 780}, "has_touch": True, "is_mobile": True}
AXE = Path(__file__).parent / "vendor" / "axe.min.js"

LOOK = """() => [document.querySelector(".step-number").textContent,
  document.querySelectorAll(".code .line.now").length, document.querySelector(".sentence").textContent,
  [...document.querySelectorAll(".says.dropped .value")].map(value => value.textContent)]"""
"""Everything that a step shows, asked for at once."""


def lab(**view: Any) -> str:
    """The address of a view."""
    return f"/lab?{urlencode(view)}"


def ready(page: Any) -> None:
    """Wait until the searches are shown."""
    page.locator(".player").wait_for()
    page.locator(".stage[aria-busy='false']").wait_for()


def dropped(page: Any) -> list[str]:
    """What the nodes show that are drawn as not looked at, from left to right."""
    return page.locator(".says.dropped .value").all_text_contents()


def serious(page: Any) -> list[str]:
    """Serious and critical findings of axe-core."""
    page.evaluate(AXE.read_text(encoding="utf-8"))
    found = page.evaluate("axe.run(document, {resultTypes: ['violations']})")
    return [f"{rule['id']}: {rule['nodes'][0]['html'][:200]}" for rule in found["violations"]
            if rule["impact"] in ("serious", "critical")]  # fmt: skip


def test_the_textbook_tree_is_stepped_to_the_end_and_back(new_page: Callable[..., Any]) -> None:
    page = new_page("/lab")
    ready(page)
    assert page.locator(".node").count() == 13
    assert dropped(page) == []
    most = int(page.locator("input[type=range]").get_attribute("max"))
    seen = []
    for step in range(1, most + 1):
        page.keyboard.press("ArrowRight")
        at, marked, sentence, leaves = page.evaluate(LOOK)
        assert at == f"{step} / {most}"
        assert marked >= 1
        seen.append((sentence, leaves))
    # Nothing is dropped before the cut-off, and from then on exactly the leaves 4 and 6.
    cut = next(place for place, (sentence, _) in enumerate(seen) if "not looked at" in sentence)
    assert all(leaves == [] for _, leaves in seen[:cut])
    assert all(leaves == ["4", "6"] for _, leaves in seen[cut:])
    assert page.locator(".node[data-status='pruned']").count() == 2
    assert page.locator("[data-count=nodes]").text_content() == "11"
    assert page.locator("[data-count=skipped]").text_content() == "2"
    assert "Worth 3 to MAX" in page.locator(".result").text_content()
    page.get_by_label("To the start").click()
    assert dropped(page) == []
    assert page.locator(".node.hidden").count() == 13
    assert page.locator(".code .line.now").count() == 0


def test_windows_values_and_the_marked_line_appear_as_they_happen(new_page: Callable[..., Any]) -> None:
    page = new_page(lab(kind="tree", tree=TEXTBOOK, a="alphabeta"))
    ready(page)
    page.get_by_label("To the end").click()
    while "not looked at" not in page.evaluate(LOOK)[2]:
        assert page.evaluate(LOOK)[0] != "0 / 22"
        page.keyboard.press("ArrowLeft")
    marked = page.locator(".code .line.now").all_text_contents()
    assert [line.strip() for line in marked] == ["if v ≤ α then return v"]
    assert "the value 2 ≤ α 3" in page.locator(".sentence").text_content()
    second = page.locator("[data-says='5']")
    assert second.locator(".value").text_content().startswith("2")
    assert second.locator(".window").text_content() == "[3, 2]"


def test_play_runs_to_the_end_and_can_be_paused(new_page: Callable[..., Any]) -> None:
    page = new_page(lab(kind="tree", tree="(1 (2 3))", a="minimax"))
    ready(page)
    page.get_by_label("Speed").select_option("very fast")
    page.locator("body").press("Space")
    page.get_by_text("The search is done").wait_for()
    page.get_by_label("Play", exact=True).wait_for()
    page.locator("input[type=range]").fill("2")
    assert page.locator(".step-number").text_content().startswith("2 /")
    page.get_by_label("Speed").select_option("slow")
    page.get_by_label("Play", exact=True).click()
    page.get_by_label("Pause").click()
    shown = page.locator(".step-number").text_content()
    page.wait_for_timeout(150)
    assert page.locator(".step-number").text_content() == shown


def test_two_algorithms_side_by_side(new_page: Callable[..., Any]) -> None:
    page = new_page(lab(kind="tree", tree=TEXTBOOK, a="minimax"))
    ready(page)
    page.get_by_label("Second algorithm", exact=True).select_option("alphabeta")
    page.locator(".comparison").wait_for()
    table = {
        row.get_attribute("data-row"): row.locator("td").all_text_contents()
        for row in page.locator(".comparison tbody tr").all()
    }
    assert table == {
        "nodes": ["13", "11"], "leaves": ["9", "7"], "cuts": ["0", "1"], "skipped": ["0", "2"], "value": ["3", "3"],
    }  # fmt: skip
    assert page.locator(".search").count() == 2
    page.get_by_label("To the end").click()
    assert page.locator(".search").nth(0).locator(".node.dropped").count() == 0
    assert page.locator(".search").nth(1).locator(".node.dropped").count() == 2
    # The shorter search waits at its end.
    page.keyboard.press("ArrowLeft")
    assert "The search is done" in page.locator(".search").nth(1).locator(".sentence").text_content()
    assert serious(page) == []


def test_a_link_brings_the_view_back(new_page: Callable[..., Any]) -> None:
    page = new_page(lab(kind="random", branching=2, levels=3, seed=5, a="negascout", b="mtdf:guess=2"))
    ready(page)
    for _ in range(9):
        page.keyboard.press("ArrowRight")
    page.locator(".search").first.locator(".node").nth(1).focus()
    page.keyboard.press("Enter")  # folds the branch
    page.wait_for_timeout(300)  # the address follows after a moment
    query = parse_qs(urlsplit(page.url).query)
    assert query["step"] == ["9"]
    assert query["folded"] == ["1"]
    shown = page.locator(".search").first.locator(".says").all_text_contents()
    sentences = page.locator(".sentence").all_text_contents()
    other = new_page(page.url)
    ready(other)
    assert other.locator(".search").first.locator(".says").all_text_contents() == shown
    assert other.locator(".sentence").all_text_contents() == sentences
    assert other.locator(".step-number").text_content() == page.locator(".step-number").text_content()


def test_pictures_and_records_can_be_saved(new_page: Callable[..., Any], tmp_path: Path) -> None:
    page = new_page(lab(kind="tree", tree=TEXTBOOK, a="alphabeta"))
    ready(page)
    saved = {}
    for ending in ("SVG", "PNG", "JSON"):
        with page.expect_download() as download:
            page.get_by_role("button", name=ending, exact=True).click()
        saved[ending] = tmp_path / download.value.suggested_filename
        download.value.save_as(saved[ending])
    assert saved["SVG"].name == "alphabeta.svg"
    assert saved["SVG"].read_text(encoding="utf-8").startswith("<svg")
    picture = saved["PNG"].read_bytes()
    assert picture[:8] == b"\x89PNG\r\n\x1a\n"
    assert int.from_bytes(picture[16:20]) > 400  # its width
    record = json.loads(saved["JSON"].read_text(encoding="utf-8"))
    assert record["value"] == 3
    assert len(record["record"]["nodes"]["parent"]) == 13


def test_keys_walk_in_the_tree_and_every_node_has_words(new_page: Callable[..., Any]) -> None:
    page = new_page(lab(kind="tree", tree=TEXTBOOK, a="alphabeta"))
    ready(page)
    page.get_by_label("To the end").click()
    page.locator(".node").first.focus()

    def label() -> str:
        return page.evaluate("document.activeElement.getAttribute('aria-label')")

    assert label().startswith("the root, MAX, value 3")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowRight")
    assert label().startswith("node 2, MIN, value ≤2")
    assert "cut off here" in label()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowRight")
    assert label() == "leaf 2.2, value 4, pruned"
    assert page.locator(".step-number").text_content() == "22 / 22", "inside the tree the arrows do not step"
    page.keyboard.press("ArrowUp")
    page.keyboard.press("Enter")
    assert page.locator(".node").count() == 10
    assert page.evaluate("document.activeElement.getAttribute('aria-expanded')") == "false"
    assert serious(page) == []


def test_a_board_shows_the_node_of_a_real_game(new_page: Callable[..., Any]) -> None:
    page = new_page(lab(kind="game", game="tictactoe", position="XO./.X./..O", depth=2, a="alphabeta"))
    ready(page)

    def pieces(count: int, title: str) -> None:
        page.wait_for_function(
            "([n, t]) => document.querySelectorAll('.lab-board .piece').length === n"
            " && document.querySelector('.lab-board-title').textContent.startsWith(t)",
            arg=[count, title],
        )

    pieces(4, "the position")
    page.get_by_label("One step forward").click()
    page.get_by_label("One step forward").click()  # into the first move
    pieces(5, "after ")
    first = page.inner_text(".lab-board-title")
    page.get_by_label("One step forward").click()
    pieces(6, f"{first} ")
    page.locator(".node").first.focus()
    pieces(4, "the position")
    page.keyboard.press("ArrowDown")
    pieces(5, first)
    assert page.locator(".lab-board .last").count() == 1, "the move that leads to the node is framed"
    assert serious(page) == []


def test_a_users_own_game_without_an_estimate_is_searched_to_its_end(new_page: Callable[..., Any]) -> None:
    page = new_page("/lab")
    ready(page)
    page.get_by_role("button", name="Position of a game").click()
    page.get_by_label("Game", exact=True).select_option("coins.py")
    page.locator("h2", has_text="alphabeta").wait_for()
    page.locator(".lab-board", has_text="(7, 0)").wait_for()
    assert page.get_by_label("Depth at most").is_disabled()
    page.get_by_label("To the end").click()
    assert page.locator(".result").inner_text().startswith("Worth 1 to MAX")


def test_an_example_brings_its_question(new_page: Callable[..., Any]) -> None:
    page = new_page(lab(kind="example", example="three-players"))
    ready(page)
    assert "(1, 2, 6)" in page.locator(".says").all_text_contents()
    assert "What vector reaches the root?" in page.locator(".about").text_content()
    assert page.get_by_label("Algorithm", exact=True).input_value() == "maxn"


@pytest.mark.parametrize("kind", ["game", "random"])
def test_a_search_that_is_too_large_offers_the_other_way(server: Any, kind: str) -> None:
    source = {"kind": "game", "game": "connect4"} if kind == "game" else {"kind": "random", "branching": 5, "depth": 12}
    asked = Request(
        f"{server.address}/api/lab/search",
        data=json.dumps({"source": source, "algorithm": "minimax", "depth": 9}).encode(),
        headers={"Content-Type": "application/json"},
    )
    with pytest.raises(HTTPError) as refused:
        urlopen(asked, timeout=60)
    with refused.value as answer:
        assert answer.code == 400
        assert "too" in json.load(answer)["error"]


def test_branches_of_a_large_record_are_opened_one_by_one(new_page: Callable[..., Any]) -> None:
    page = new_page(lab(kind="game", game="connect4", mode="branches", a="engine", nodes=10000))
    items = page.locator("[role=treeitem]")
    page.locator("[aria-level='2']").first.wait_for(timeout=240_000)  # compiling, where nobody has
    assert items.count() == 8, "the root and its seven moves, nothing below"
    sizes = [int(text.replace(",", "")) for text in page.locator(".branch .size").all_text_contents()]
    assert sizes[0] == 1 + sum(sizes[1:])
    assert sizes[1:] == sorted(sizes[1:], reverse=True)
    page.locator("[role=treeitem]").first.focus()
    page.keyboard.press("ArrowDown")
    page.wait_for_function("() => document.querySelectorAll('.lab-board .piece').length === 1")
    page.keyboard.press("ArrowRight")
    page.locator("[aria-level='3']").first.wait_for()
    deeper = [int(text.replace(",", "")) for text in page.locator("li li li .size").all_text_contents()]
    assert sizes[1] == 1 + sum(deeper)
    page.get_by_label("Order of the branches").select_option("order")
    page.locator("[aria-level='3']").first.wait_for()
    assert serious(page) == []
    address = page.url
    assert "open=" in address
    other = new_page(address)
    other.locator("[aria-level='3']").first.wait_for(timeout=240_000)  # compiling, where nobody has
    assert other.locator("[role=treeitem]").count() == items.count()


def test_on_a_phone(new_page: Callable[..., Any]) -> None:
    page = new_page(lab(kind="tree", tree=TEXTBOOK, a="alphabeta"), **PHONE)
    ready(page)
    page.get_by_label("To the end").tap()
    assert dropped(page) == ["4", "6"]
    wide = page.evaluate("document.documentElement.scrollWidth")
    assert wide <= 390, "the page itself does not scroll sideways"
