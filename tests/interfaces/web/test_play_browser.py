"""The page Play in a real browser: whole games by clicks, by keys, on a phone, across reloads and restarts."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from running import Server

PHONE = {"viewport": {"width": 390, "height": 780}, "has_touch": True, "is_mobile": True}


def begin(page: Any, game: str, *seats: str, more: str = "") -> None:
    """Set a game up as a person does and wait for the board."""
    page.select_option("#game", game)
    if more:
        page.click("summary")
        page.fill("#parameters", more)
        page.press("#parameters", "Tab")
    for number, seat in enumerate(seats):
        page.locator(f"[data-seat='{number}']").wait_for()
        page.select_option(f"[data-seat='{number}']", seat)
    page.click("#begin")
    page.wait_for_url(re.compile(r"/play/[\w-]{20,}"))
    page.locator(".holder .cell, .holder pre, .holder .hand, .holder .track, .holder .curtain").first.wait_for()


def count_moves(page: Any, count: int) -> None:
    """Wait until this many moves were made."""
    page.wait_for_function("n => document.querySelectorAll('#moves span').length === n", arg=count)


def click(page: Any, *cells: str) -> None:
    """Click cells by name, a whole move, and wait until it is played."""
    before = page.locator("#moves span").count()
    for cell in cells:
        page.locator(f".holder [data-name='{cell}']").last.click()
    count_moves(page, before + 1)


def status(page: Any, words: str) -> None:
    """Wait until the status line says this."""
    page.wait_for_function("w => document.getElementById('status').textContent.includes(w)", arg=words)


def test_tic_tac_toe_by_clicks_with_reload_take_back_and_another_tab(new_page: Callable[..., Any]) -> None:
    page = new_page("/play")
    assert "Start" in page.inner_text("#hint")
    begin(page, "tictactoe", "person", "person")
    for cell in ("a3", "b2", "a2"):
        click(page, cell)
    page.reload()
    count_moves(page, 3)
    page.click("#undo")
    count_moves(page, 2)
    other = new_page(page.url)  # the link is enough for someone else to see the game
    count_moves(other, 2)
    click(page, "a2")
    count_moves(other, 3)
    click(other, "b1")
    click(page, "a1")
    status(page, "Player 1 wins")
    status(other, "Player 1 wins")
    assert page.locator(".holder .piece").count() == 5
    stranger = new_page("/play")
    assert stranger.locator("a[href^='/play/']").count() == 0, "games are not listed for others"
    before = page.url
    page.click("#again")
    for shown in (page, other):  # both go to the new game
        shown.wait_for_function("u => location.href !== u", arg=before)
        count_moves(shown, 0)


def test_connect_four_by_clicks(new_page: Callable[..., Any]) -> None:
    page = new_page("/play?game=connect4")
    begin(page, "connect4", "person", "person")
    for column in ("4", "1", "4", "1", "4", "1", "4"):
        click(page, column)
    status(page, "Player 1 wins")
    assert page.locator(".holder .stone.seat-0").count() == 4


def test_othello_by_clicks_to_the_end(new_page: Callable[..., Any]) -> None:
    page = new_page("/play")
    begin(page, "othello", "person", "person", more="size=4")
    moves = 0
    while "wins" not in page.inner_text("#status") and "draw" not in page.inner_text("#status"):
        target = page.locator(".holder .live").first
        if target.count():
            target.click()
        else:
            page.locator(".holder .moves button").first.click()  # pass
        moves += 1
        count_moves(page, moves)
        assert moves < 40
    assert page.locator(".holder .stone").count() > 8


def test_chess_by_clicks_drags_and_typing_to_mate(new_page: Callable[..., Any]) -> None:
    page = new_page("/play")
    begin(page, "chess", "person", "person")
    click(page, "e2", "e4")
    click(page, "e7", "e5")
    page.drag_and_drop(".holder [data-name='d1']", ".holder [data-name='h5']")
    count_moves(page, 3)
    page.fill("#typed", "Nc6")
    page.press("#typed", "Enter")
    count_moves(page, 4)
    page.fill("#typed", "Ke4")
    page.press("#typed", "Enter")
    page.locator("#notice", has_text="not a legal move").wait_for()
    click(page, "f1", "c4")
    click(page, "g8", "f6")
    page.locator(".holder [data-name='h5']").click()
    assert page.locator(".holder .target, .holder .target-ring").count() > 5, "legal targets are shown"
    page.keyboard.press("Escape")
    click(page, "h5", "f7")
    status(page, "White wins")
    assert page.locator("#moves").inner_text().endswith("Qxf7#")


def test_promotion_asks_and_pass_is_a_button(new_page: Callable[..., Any]) -> None:
    page = new_page("/play")
    page.click("summary")
    page.fill("#start", "8/P6k/8/8/8/8/8/K7 w - - 0 1")
    begin(page, "chess", "person", "person")
    page.locator(".holder [data-name='a7']").click()
    page.locator(".holder [data-name='a8']").click()
    page.locator("dialog button", has_text="a8=N").click()
    count_moves(page, 1)
    assert "a8=N" in page.inner_text("#moves")
    page.goto("/play")
    begin(page, "go", "person", "person", more="size=5")
    page.locator(".holder [data-name='C3']").click()
    count_moves(page, 1)
    for moves in (2, 3):
        page.locator(".holder .moves button", has_text="pass").click()
        count_moves(page, moves)
    status(page, "Black wins")


def test_a_game_by_keys_alone(new_page: Callable[..., Any]) -> None:
    page = new_page("/play?game=chess")
    page.locator("#game").wait_for()

    def tab_to(selector: str) -> None:
        for _ in range(60):
            if page.evaluate("s => document.activeElement.matches(s)", selector):
                return
            assert not page.evaluate("document.activeElement.matches('svg')"), "a cell is a stop, its board is not"
            page.keyboard.press("Tab")
        raise AssertionError(f"{selector} cannot be reached with Tab")

    tab_to("#game")
    page.keyboard.type("Tic-tac-toe")
    tab_to("[data-seat='1']")
    page.keyboard.type("person")
    tab_to("#game")
    tab_to("#begin")
    page.keyboard.press("Enter")
    page.locator(".holder .cell").first.wait_for()
    tab_to(".holder [data-cell]")
    for count, keys in enumerate(("Enter", "ArrowDown Enter", "ArrowUp ArrowRight Enter", "ArrowDown Enter"), 1):
        for key in keys.split():
            page.keyboard.press(key)
        count_moves(page, count)
    page.keyboard.press("ArrowUp")
    page.keyboard.press("ArrowRight")
    page.keyboard.press(" ")
    status(page, "Player 1 wins")
    label = page.evaluate("document.activeElement.getAttribute('aria-label')")
    assert label.startswith("c3, X, player 1")


def test_on_a_phone_against_the_engine_with_hint_and_resignation(new_page: Callable[..., Any]) -> None:
    page = new_page("/play", **PHONE)
    begin(page, "tictactoe", "person", "full")
    page.click("#hint-button")
    page.locator(".holder .hint-ring").first.wait_for()
    page.locator(".holder [data-name='b2']").tap()
    count_moves(page, 2)
    overflow = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
    assert overflow <= 0, "nothing sticks out to the right"
    page.click("#resign")
    status(page, "Player 1 resigned")
    status(page, "Player 2 wins")


def test_go_on_points_and_hex_on_hexagons_by_clicks(new_page: Callable[..., Any]) -> None:
    page = new_page("/play")
    begin(page, "go", "person", "person", more="size=5")
    assert page.locator(".holder .board-points .lines").count() == 1
    for point in ("C3", "B3", "C4", "D3"):
        click(page, point)
    assert page.locator(".holder .stone.seat-0").count() == 2
    page.goto("/play")
    begin(page, "hex.py", "person", "person")
    assert page.locator(".holder .board-hex polygon.field").count() == 9
    for cell in ("b2", "b1", "c1", "a3"):
        click(page, cell)
    boxes = [page.locator(f".holder [data-name='{cell}'] .field").bounding_box() for cell in ("a1", "b1", "a2")]
    middles = [(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2) for box in boxes]
    half = (middles[1][0] - middles[0][0]) / 2
    assert middles[2][0] - middles[0][0] == pytest.approx(half, rel=0.05), "each row is shifted by half a cell"
    page.locator(".holder [data-name='a2']").focus()  # as assistive technology does
    page.keyboard.press("Enter")
    status(page, "Player 1 wins")
    assert page.locator(".holder .stone").count() == 5


def test_persons_with_hidden_cards_look_one_after_the_other(new_page: Callable[..., Any]) -> None:
    page = new_page("/play")
    begin(page, "kuhn", "person", "person")
    ready = page.locator("#ready")
    ready.wait_for()
    assert page.locator(".holder .card").count() == 0, "nothing is shown before player 1 says so"
    assert page.locator("#typed").is_disabled()
    ready.click()
    cards = page.locator(".holder .card").all_text_contents()
    assert sum("?" in card for card in cards) == 1
    page.locator(".holder .moves button").first.click()
    page.locator(".curtain", has_text="Only player 2").wait_for()
    assert page.locator(".holder .card").count() == 0
    page.keyboard.press("Enter")  # the button has the focus
    page.locator(".holder .card").first.wait_for()
    while "player" not in page.inner_text("#status").lower() or "turn" in page.inner_text("#status"):
        page.locator(".holder .moves button").first.click()
        page.wait_for_timeout(200)
        if page.locator("#ready").count():
            page.click("#ready")
    assert page.locator(".holder .card", has_text="?").count() == 0, "in the end all cards are open"


def test_another_program_of_the_command_line_plays(new_page: Callable[..., Any]) -> None:
    page = new_page("/play")
    begin(page, "tictactoe", "person", "5 firstcell")  # a second is short on a busy machine
    page.locator(".holder [data-name='b2']").click()
    count_moves(page, 2)
    assert page.inner_text("#moves").split() == ["b2", "a1"]
    assert "firstcell, 5 s" in page.inner_text(".players")


def test_a_hint_says_what_it_is_worth_and_games_can_be_deleted(new_page: Callable[..., Any]) -> None:
    page = new_page("/play")
    page.click("summary")
    page.fill("#start", "6k1/5ppp/8/8/8/8/8/3RK3 w - - 0 1")
    begin(page, "chess", "person", "person")
    page.click("#hint-button")
    status(page, "Hint: Rd8# (mate in 1)")
    place = page.url
    page.goto("/play")
    page.get_by_label("Delete this game of chess").click()
    page.wait_for_function("() => !document.querySelector('.recent li')")
    page.goto(place)
    page.locator("#status", has_text="There is no such game").wait_for()


def test_cards_text_and_simultaneous_choices(new_page: Callable[..., Any]) -> None:
    page = new_page("/play")
    begin(page, "goofspiel", "person", "person")
    before = page.locator("#moves span").count()
    page.locator(".holder .hand .live").first.click()
    page.locator(".players li", has_text="✓").wait_for()
    page.locator(".holder .hand .live").first.click()
    page.wait_for_function("n => document.querySelectorAll('#moves span').length > n", arg=before)
    page.goto("/play")
    begin(page, "kuhn", "person", "casual")
    assert page.locator(".holder .card", has_text="?").count() == 1, "the other card is hidden"
    page.goto("/play")
    begin(page, "pig", "person", "person")
    page.locator(".holder .moves button", has_text="roll").click()
    page.wait_for_function("() => document.querySelectorAll('#moves span').length === 2")


def test_a_users_own_game_needs_nothing_more(new_page: Callable[..., Any]) -> None:
    page = new_page("/play")
    begin(page, "coins.py", "person", "full")
    assert "7" in page.inner_text(".holder .board-text"), "without a drawing, the position as text"
    page.locator(".holder .moves button", has_text="1").click()
    count_moves(page, 2)
    assert page.inner_text("h1") == "coins"


def test_a_game_goes_on_after_the_server_was_stopped(new_page: Callable[..., Any], tmp_path: Path) -> None:
    first = Server(tmp_path / "games.sqlite3")
    page = new_page("/play", base=first.address)
    begin(page, "tictactoe", "person", "person")
    click(page, "b2")
    place = page.url.removeprefix(first.address)
    page.context.close()
    assert "Traceback" not in first.stop()
    second = Server(tmp_path / "games.sqlite3")
    try:
        page = new_page(place, base=second.address)
        count_moves(page, 1)
        click(page, "a1")
        status(page, "Player 1's turn")
        page.context.close()
    finally:
        assert "Traceback" not in second.stop()


def test_clocks_run_and_a_flag_falls(new_page: Callable[..., Any]) -> None:
    page = new_page("/play")
    page.click("summary")
    page.fill("#minutes", "0.03")
    begin(page, "tictactoe", "person", "person")
    status(page, "Player 1's time is up")
    assert page.inner_text("[data-clock='0']") == "0.0"
