"""The home page, the page Build, and what the board does beyond one click: steps, pictures, amounts, arrows."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from running import Server

from gametree import Drawing, Item, Mark, Piece, load_game
from gametree.core.scene import scene
from gametree.interfaces.web.boards import view

BOARD = """
async ([data, options]) => {
  const {Board} = await import("/static/board.js");
  const holder = document.createElement("div");
  holder.id = "shown";
  document.querySelector("main").replaceChildren(holder);
  window.sent = [];
  window.board = new Board(holder, {onmove: text => window.sent.push(text), label: "Board"});
  window.board.show(data, {active: true, ...options});
}
"""
CELLS = tuple(f"{column}{row}" for row in (4, 3, 2, 1) for column in "abcd")


def shown(page: Any, moves: dict[str, str], *, pictures: dict[str, Any] | None = None, **more: Any) -> None:
    """A board of 4 × 4 whose moves are these: text → the cells that are clicked, apart by spaces."""
    options = more.pop("options", {})
    pieces = more.pop("pieces", (Piece(3, 0, "M", 0),))
    drawing = scene(Drawing(layout="square", rows=4, columns=4, cells=CELLS, pieces=pieces, **more)).to_data()
    found = []
    for text, way in moves.items():
        path = [[CELLS.index(cell)] for cell in way.split()]
        found.append({"text": text, "path": path, "mark": path[-1][0] if path else None})
        if pictures:
            found[-1]["picture"] = pictures[text]
    page.evaluate(BOARD, [{"drawing": drawing, "moves": found, "last": []}, options])


@pytest.fixture
def board(new_page: Callable[..., Any]) -> Any:
    page = new_page("/quiz")
    page.locator("main h1").wait_for()
    return page


def click(page: Any, *cells: str) -> None:
    for cell in cells:
        page.locator(f"#shown [data-name='{cell}']").click()


def sent(page: Any) -> list[str]:
    found: list[str] = page.evaluate("window.sent.splice(0)")
    return found


CHAINS = {"a1xc3xa3": "a1 c3 a3", "a1xc3xc1": "a1 c3 c1", "a1-b2": "a1 b2"}


def test_a_move_of_several_steps_is_clicked_step_by_step_and_taken_back_by_step(board: Any) -> None:
    shown(board, CHAINS)
    click(board, "a1", "c3")
    assert sent(board) == []
    assert board.locator("#shown .m-plan").count() == 1, "the way so far is drawn"
    assert board.locator("#shown .target").count() == 2, "where it can go on"
    board.get_by_role("button", name="One step back").click()
    click(board, "c3", "c1")
    assert sent(board) == ["a1xc3xc1"]
    click(board, "a1", "a3")
    assert sent(board) == ["a1xc3xa3"], "the end of a way that only one move has"
    click(board, "a1", "c3")
    board.keyboard.press("Backspace")
    click(board, "b2")
    assert sent(board) == ["a1-b2"]
    click(board, "a1", "d4")
    assert board.locator("#shown [aria-label*='picked up']").count() == 0, "a click elsewhere puts back"


def test_a_move_of_several_steps_by_keys_alone(board: Any) -> None:
    shown(board, CHAINS)
    board.locator("#shown [data-name='a4']").focus()
    for key in ("n", "Enter", "n"):  # the first that can be picked up, and the first that it can go to
        board.keyboard.press(key)
    assert board.evaluate("document.activeElement.dataset.name") == "c3"
    board.keyboard.press("n")
    assert board.evaluate("document.activeElement.dataset.name") == "b2"
    board.keyboard.press("p")
    assert "you can move here" in board.evaluate("document.activeElement.getAttribute('aria-label')")
    for key in ("Enter", "ArrowDown", "ArrowDown", "Enter"):
        board.keyboard.press(key)
    assert sent(board) == ["a1xc3xc1"]


def test_a_way_that_could_end_here_or_go_on_asks(board: Any) -> None:
    shown(board, {"stop": "a1 b2", "go": "a1 b2 c3"})
    click(board, "a1", "b2")
    assert sent(board) == []
    board.get_by_role("button", name="Done: stop").click()
    assert sent(board) == ["stop"]
    click(board, "a1", "b2", "c3")
    assert sent(board) == ["go"]


def test_dice_are_two_ways_one_after_the_other(board: Any) -> None:
    shown(board, {"a1/a3": "a1 a2 a2 a3", "a1/a2 d1/d2": "a1 a2 d1 d2"})
    click(board, "a1", "a2", "d1", "d2")
    assert sent(board) == ["a1/a2 d1/d2"]
    click(board, "a1", "a2", "a2", "a3")
    assert sent(board) == ["a1/a3"]
    shown(board, {"a1/a3": "a1 a2 a2 a3"})
    click(board, "a1", "a2", "a3")
    assert sent(board) == ["a1/a3"], "where it must go on from there, nobody clicks twice"


def test_dragging_a_way(board: Any) -> None:
    shown(board, CHAINS)
    board.drag_and_drop("#shown [data-name='a1']", "#shown [data-name='b2']")
    assert sent(board) == ["a1-b2"]
    board.drag_and_drop("#shown [data-name='a1']", "#shown [data-name='d4']")
    assert sent(board) == []
    assert board.locator("#shown .ghost").count() == 0
    assert board.locator("#shown .lifted").count() == 0


def test_moves_that_share_their_way_are_chosen_by_picture(board: Any) -> None:
    chess = load_game("chess")
    start = view(chess, chess.state_from_text("8/P6k/8/8/8/8/8/K7 w - - 0 1"))
    board.evaluate(BOARD, [start, {}])
    click(board, "a7", "a8")
    choice = board.locator("dialog.choice button.pictured")
    assert choice.count() == 4
    drawn = {use.get_attribute("href") for use in board.locator("dialog.choice use").all()}
    assert drawn == {f"#chess-{kind}" for kind in ("queen", "rook", "bishop", "knight")}
    board.keyboard.press("Escape")
    assert sent(board) == []
    click(board, "a7", "a8")
    choice.filter(has_text="a8=N").click()
    assert sent(board) == ["a8=N"]


def test_amounts_are_one_slider(board: Any) -> None:
    shown(board, {f"raise {amount}": "" for amount in range(40, 400, 20)} | {"fold": ""})
    assert board.locator("#shown .moves button[data-move]").all_text_contents() == ["fold"]
    slider = board.get_by_label("raise …")
    slider.focus()
    board.keyboard.press("ArrowRight")
    board.keyboard.press("ArrowRight")
    board.get_by_role("button", name="raise 80").click()
    assert sent(board) == ["raise 80"]


def test_marks_ghosts_and_arrows_are_drawn_and_told(board: Any) -> None:
    marks = (Mark("check", "b2"), Mark("heat", "c3", value=0.8, text="80"), Mark("area", "d4", value=0.9, player=1),
             Mark("arrow", "a1", "d4", 0.5, "+0.4"), Mark("note", "a1", text="2 of 4"))  # fmt: skip
    shown(board, {"a1-b2": "a1 b2"}, marks=marks, items=(Item("d1", "king", player=1, chance=0.4),),
          alt="White to move", options={"notes": [{"text": "a1-b2", "label": "1", "value": 1}]})  # fmt: skip
    counts = {
        sign: board.locator(f"#shown .{sign}").count() for sign in ("m-bang", "m-heat", "m-area", "m-note", "shadowy")
    }
    assert counts == {"m-bang": 1, "m-heat": 1, "m-area": 1, "m-note": 1, "shadowy": 1}
    assert board.locator("#shown .m-arrow").count() == 2
    said = board.eval_on_selector_all("#shown [aria-label]", "all => all.map(one => one.getAttribute('aria-label'))")
    assert said[0] == "Board: White to move"
    for words in (
        "b2, empty, in check",
        "c3, empty, heat 80 %",
        "d4, empty, area 90 %",
        "d1, perhaps king, player 2, 40 %",
    ):
        assert words in said, said
    board.evaluate("window.board.annotate([])")
    assert board.locator("#shown .m-arrow").count() == 1


def test_nothing_that_a_drawing_says_becomes_markup(board: Any) -> None:
    evil = "<img src=x onerror=alert(1)>"
    shown(board, {}, caption=evil, alt=evil, pieces=(Piece(0, 0, evil, 0),))
    assert board.locator("#shown img").count() == 0
    assert evil in board.inner_text("#shown .board-caption")


def test_movement_is_the_difference_of_two_drawings_and_can_be_left_out(new_page: Callable[..., Any]) -> None:
    moved = """data => {
        window.board.show(data);
        return window.board.laid.map(laid => laid.node.getAnimations().length);
    }"""
    chess = load_game("chess")
    before = chess.initial()
    after = chess.result(before, chess.action_from_text(before, "e4"))
    for motion, animated in (("no-preference", 1), ("reduce", 0)):
        page = new_page("/quiz", reduced_motion=motion)
        page.locator("main h1").wait_for()
        page.evaluate(BOARD, [view(chess, before), {}])
        assert sum(page.evaluate(moved, view(chess, after))) == animated, "the pawn that moved, and nothing else"


# Home -----------------------------------------------------------------------------------------------------------------


def test_home_shows_every_game_and_opens_it(new_page: Callable[..., Any], server: Server) -> None:
    sizes: list[int] = []
    page = new_page("/quiz")
    games = page.evaluate("fetch('/api/games').then(answer => answer.json())")
    page.on("response", lambda answer: sizes.append(int(answer.headers.get("content-length", 0)))
            if re.search(r"/static/|/$", answer.url) else None)  # fmt: skip
    page.goto("/")
    page.wait_for_function("n => document.querySelectorAll('.gallery li a').length === n", arg=len(games))
    page.wait_for_function(
        "n => document.querySelectorAll('.gallery .board, .gallery .board-text, .thumb-text').length >= n",
        arg=len(games), timeout=120_000,
    )  # fmt: skip
    assert page.locator(".gallery .thumb-text").count() == 0, "every game has a picture"
    assert sum(sizes) < 250_000
    assert page.locator(".hero-node").count() > 20
    page.get_by_role("button", name="Hidden hands").click()
    titles = page.locator(".gallery b").all_text_contents()
    assert "Kuhn poker" in titles
    assert "Chess" not in titles
    page.get_by_role("button", name="Pause all movement").click()
    words = page.inner_text(".said")
    page.wait_for_timeout(900)
    assert page.inner_text(".said") == words, "it stands still"
    page.get_by_role("button", name="All", exact=True).click()
    page.locator(".gallery a", has=page.get_by_text("Tic-tac-toe", exact=True)).click()
    page.wait_for_url("**/play?game=tictactoe")
    page.locator("#begin").wait_for()


# Build ----------------------------------------------------------------------------------------------------------------

GAME = """
from gametree import Drawing, Facts, Game, Piece


class Row(Game):
    facts = Facts(players=2, min_utility=-1, max_utility=1, most_moves=4, longest_game=4)

    def initial(self):
        return ""

    def player(self, state):
        return len(state) % 2

    def actions(self, state):
        return [cell for cell in "abcd" if cell not in state] if len(state) < 4 else []

    def result(self, state, action):
        return state + action

    def is_terminal(self, state):
        return len(state) == 4

    def utility(self, state, player):
        return 0

    def draw(self, state):
        pieces = tuple(Piece(0, "abcd".index(cell), "XO"[turn % 2], turn % 2) for turn, cell in enumerate(state))
        return Drawing(layout="square", rows=1, columns=4, cells=tuple("abcd"), pieces=pieces)


game = Row
"""


def test_the_page_build_follows_a_file(new_page: Callable[..., Any], tmp_path: Path) -> None:
    file = tmp_path / "row.py"
    file.write_text(GAME, encoding="utf-8")
    server = Server(tmp_path / "games.sqlite3", str(file))
    try:
        page = new_page("/build", base=server.address)
        page.locator("#build-check .good", has_text="It keeps the contract").wait_for()
        assert page.locator(".holder [data-cell]").count() == 4
        file.write_text(GAME.replace('columns=4, cells=tuple("abcd")', 'columns=4, cells=tuple("abcd"), caption="Ha"'))
        page.locator(".board-caption", has_text="Ha").wait_for()
        file.write_text(GAME.replace("return state + action", "return state + ("))
        problem = page.locator("#build-problem")
        page.locator("#build-problem h2", has_text="Line 18").wait_for()
        assert "SyntaxError" in problem.inner_text()
        assert page.locator(".bad-line").inner_text().split() == ["18", "return", "state", "+", "("]
        assert page.locator(".holder [data-cell]").count() == 4, "the last good board stays"
        file.write_text(GAME.replace('return ""', "return 1 // 0"))
        page.locator("#build-problem h2", has_text="Line 9").wait_for()
        assert "ZeroDivisionError in initial()" in problem.inner_text()
        file.write_text(GAME.replace("longest_game=4", "longest_game=3"))
        page.locator("#build-problem p", has_text="longest_game").wait_for()
        file.write_text(GAME.replace("rows=1, columns=4", "rows=100000, columns=4"))
        page.locator("#build-problem p", has_text="a grid of 100000 × 4 cells").wait_for()
        file.write_text(GAME)
        page.locator("#build-check .good").wait_for()
        assert not problem.is_visible()
        page.get_by_role("link", name="Play it").click()
        page.locator("#begin").wait_for()
        page.locator(".preview [data-cell]").first.wait_for()
        page.context.close()
    finally:
        assert "Traceback" not in server.stop()


def test_build_without_a_file_says_how_to_begin(new_page: Callable[..., Any], tmp_path: Path) -> None:
    server = Server(tmp_path / "games.sqlite3")
    try:
        page = new_page("/build", base=server.address)
        page.get_by_text("gametree web mygame.py").wait_for()
        assert "class MyGame(Game)" in page.inner_text(".source")
        page.context.close()
    finally:
        assert "Traceback" not in server.stop()
