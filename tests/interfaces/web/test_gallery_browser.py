"""Drawings of every kind in a real browser: what is there, what it is called, and that clicks and keys make moves."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from gallery import BOARDS, Gallery
from running import Server
from test_play_browser import begin, count_moves

from gametree.interfaces.web.boards import view

SHOW = """
async data => {
  const {Board} = await import("/static/board.js");
  const [title, holder] = ["h1", "div"].map(name => document.createElement(name));
  title.textContent = "Gallery";
  holder.id = "shown";
  document.querySelector("main").replaceChildren(title, holder);
  window.sent = [];
  window.board = new Board(holder, {onmove: text => window.sent.push(text), label: "Gallery"});
  window.board.show(data, {active: true});
}
"""
# Board → how many elements there are of each selector, and labels that must be there.
EXPECTED: dict[str, tuple[dict[str, int], list[str]]] = {
    "backgammon": (
        {
            "[role=button]": 29,
            "[data-kind=stone]": 27,
            "[data-kind=die]": 2,
            ".pip": 9,
            "[data-kind=cube]": 1,
            ".wood": 1,
        },
        [
            "point 19, 7 black checkers, you can move here",
            "bar, 1 white checker, you can move here",
            "White's men that are off, empty, you can move here",
            "dice, die showing 6, die showing 3, you can move here",
            "cube, cube at 2, in the middle, you can move here",
        ],
    ),
    "bridge": (
        {"[role=group].hand": 4, "[data-kind=card]": 29, ".card-back": 4, ".card-face": 27, ".felt": 1},
        ["queen of spades, you can move here", "trick W, ace of clubs, West, you can move here", "12 hidden cards"],
    ),
    "holdem10": (
        {"[role=button]": 12, ".badge": 10, ".card-face": 6, "[data-kind=chip]": 4},
        [
            "seat 1, player 1 You 1000, ace of spades, queen of spades, 120 in chips, player 1, you can move here",
            "seat 2, player 2 Ada 1137, 2 × card face down, player 2, you can move here",
        ],
    ),
    "holdem20": (
        {"[role=button]": 22, ".badge": 20, ".badge .overlay": 12},
        ["seat 20, player 20 Sue 3603, 2 × card face down, player 20, you can move here"],
    ),
    "scrabble": (
        {"[role=grid] [role=row]": 15, "[role=gridcell]": 225, "[data-kind=tile]": 16, ".tile-back": 2, ".red": 8},
        [
            "A1, 3W, empty, you can move here",
            "F8, tile S 1, you can move here",
            "tile A 1, you can move here",
            "7 × tile face down",
        ],
    ),
    "hex11": (
        {"svg[role=grid] [role=gridcell]": 121, "polygon.field": 121, ".band": 4, "[data-kind=stone]": 7},
        ["f6, X, player 1, you can move here"],
    ),
    "havannah5": ({"[role=gridcell]": 61, "polygon.gold": 2}, ["e5, O, player 2, you can move here"]),
    "arimaa": (
        {"[role=gridcell]": 64, ".trap": 4, "[data-kind=piece]": 29},
        ["c6, ×, empty, you can move here", "d5, elephant, gold, you can move here"],
    ),
    "race": ({"[role=meter]": 2, ".pip": 5}, ["die, die showing 5, you can move here", "Ann"]),
}


def shown(page: Any, name: str) -> Gallery:
    """Draw a board of the gallery, all of whose places can be clicked."""
    game = Gallery(name)
    page.evaluate(SHOW, view(game, ()))
    return game


@pytest.mark.parametrize("name", BOARDS)
def test_every_kind_is_drawn_named_and_clicked(new_page: Callable[..., Any], name: str) -> None:
    page = new_page("/quiz")
    page.locator("main h1").wait_for()
    game = shown(page, name)
    counts, labels = EXPECTED[name]
    found = {
        selector: page.locator(f"#shown {selector}" if selector[:3] != "svg" else selector).count()
        for selector in counts
    }
    assert found == counts
    said = page.eval_on_selector_all("#shown [aria-label]", "all => all.map(one => one.getAttribute('aria-label'))")
    assert not [label for label in labels if label not in said], said
    assert "" not in said
    for place in game.names[:: max(1, len(game.names) // 12)]:
        page.locator(f"#shown [data-name='{place}']").click()
        assert page.evaluate("window.sent.pop()") == place
    places = page.locator("#shown [data-cell]")
    assert page.locator("#shown [data-cell][tabindex='0']").count() == 1, "one stop of Tab"
    # Every place can be reached by the arrow keys from the first one.
    reached = page.evaluate(
        """() => {
          const board = window.board, seen = new Set([board.focused]), open = [board.focused];
          while (open.length) {
            board.focused = open.pop();
            for (const step of [[-1, 0], [1, 0], [0, -1], [0, 1]]) {
              const next = board.neighbour(...step);
              if (next !== null && !seen.has(next)) { seen.add(next); open.push(next); }
            }
          }
          board.focused = [...seen][0];
          return seen.size;
        }"""
    )
    assert reached == places.count()


def test_keys_walk_over_places_anywhere_and_choose(new_page: Callable[..., Any]) -> None:
    page = new_page("/quiz")
    page.locator("main h1").wait_for()
    shown(page, "bridge")
    page.locator("#shown [data-name='QS']").focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    page.keyboard.press("End")
    page.keyboard.press(" ")
    page.keyboard.press("ArrowUp")
    assert page.evaluate("document.activeElement.getAttribute('aria-label')") == "12 hidden cards"
    page.keyboard.press("Enter")  # nothing can be done with them
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("Enter")
    page.keyboard.press("Home")
    page.keyboard.press("Enter")
    assert page.evaluate("window.sent") == ["9S", "3C", "trick E", "trick N"]
    page.evaluate("window.board.flip()")
    north, south = (page.locator(f"#shown [data-name='{card}']").bounding_box()["y"] for card in ("JS", "QS"))
    assert north > south, "turned round"


def test_nothing_hidden_is_on_the_page(new_page: Callable[..., Any]) -> None:
    page = new_page("/quiz")
    page.locator("main h1").wait_for()
    shown(page, "bridge")
    backs = page.locator("#shown .piece:has(.card-back)")
    assert backs.count() == 2
    assert [text.strip() for text in backs.all_text_contents()] == ["×12", "×12"]


def test_a_picture_without_moves_has_no_buttons(new_page: Callable[..., Any]) -> None:
    page = new_page("/quiz")
    page.locator("main h1").wait_for()
    shown(page, "backgammon")
    page.evaluate("window.board.onmove = null; window.board.show(window.board.view)")
    assert page.locator("#shown [role=button]").count() == 0
    assert page.locator("#shown [role=img]").count() == 29


def test_a_game_of_the_gallery_is_played_on_the_page(new_page: Callable[..., Any], server: Server) -> None:
    page = new_page("/play")
    begin(page, "gallery.py", "person", "person", more="board=backgammon")
    page.locator(".holder [data-name='13']").click()
    count_moves(page, 1)
    page.locator(".holder [data-name='off W']").focus()
    page.keyboard.press("Enter")
    count_moves(page, 2)
    assert re.findall(r"13|off W", page.inner_text("#moves")) == ["13", "off W"]
    assert "last move" in (page.locator(".holder [data-name='off W']").get_attribute("aria-label") or "")
