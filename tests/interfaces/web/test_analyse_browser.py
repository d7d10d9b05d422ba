"""The page Analyse in a real browser."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

MATE = "e4 e5 Qh5 Nc6 Bc4 Nf6 Qxf7%23"


def wait(page: Any, condition: str, argument: Any = None) -> None:
    page.wait_for_function(f"() => {condition}", arg=argument)


def test_live_lines_stepping_and_why_not(new_page: Callable[..., Any]) -> None:
    page = new_page(f"/analyse?game=chess&moves={MATE}&at=5")
    wait(page, "document.querySelectorAll('table.lines tbody tr').length === 3")
    assert "nodes/s" in page.inner_text("#speed")
    assert "%" in page.inner_text("table.lines tbody tr:first-child")
    page.locator("main").click(position={"x": 2, "y": 2})
    page.keyboard.press("ArrowRight")
    wait(page, "document.getElementById('status').textContent.startsWith('3… Nf6')")
    wait(page, "document.querySelector('table.lines tbody tr td.pv')?.textContent.startsWith('Qxf7#')")
    assert page.inner_text("table.lines tbody tr:first-child td:first-child") == "100 %"
    assert page.inner_text("table.lines tbody tr:first-child td:nth-child(2)") == "mate in 1"
    page.click("#why")
    page.locator("#answer strong", has_text="Nf6 lowers Black's winning chance").wait_for()
    assert "Nf6 Qxf7# (mated in 1)" in page.inner_text("#answer")
    assert page.locator("#answer table.terms tbody tr").count() >= 3
    page.keyboard.press("ArrowLeft")
    wait(page, "document.getElementById('status').textContent.startsWith('3. Bc4')")
    page.locator(".holder [data-name='d8']").click()
    page.locator(".holder [data-name='e7']").click()
    wait(page, "document.getElementById('status').textContent.startsWith('3… Qe7')")
    assert page.locator("#back").is_visible(), "this is a line beside the game"
    page.click("#back")
    wait(page, "document.getElementById('status').textContent.startsWith('3… Nf6')")
    assert "at=6" in page.url, "the address restores the view"


def test_a_loaded_game_is_reviewed_and_its_blunder_is_marked(new_page: Callable[..., Any]) -> None:
    page = new_page("/analyse")
    page.click("summary")
    page.fill("#text", '[White "A"]\n[Black "B"]\n\n1. e4 e5 2. Qh5 Nc6 3. Bc4 Nf6 4. Qxf7# 1-0\n')
    page.click("#load")
    wait(page, "document.querySelectorAll('#moves button').length === 7")
    assert page.inner_text("#moves li:nth-child(4)") == "Qxf7#", "moves are numbered in rounds"
    assert "A – B" in page.inner_text("#status")
    page.click("#review")
    wait(page, "document.querySelector('#moves li:nth-child(3) button:last-child').innerText.includes('??')")
    wait(page, "document.querySelectorAll('.curve .trace').length === 1 && document.getElementById('progress').hidden")
    assert page.inner_text("#moves li:nth-child(3) button:last-child") == "Nf6??"
    assert "??" in page.locator(".curve").inner_text() or page.locator(".curve .flag").count() >= 1


def test_every_move_of_a_small_game(new_page: Callable[..., Any]) -> None:
    page = new_page("/analyse?game=tictactoe&moves=a3 b2 c1")
    page.click("#last")
    page.select_option("#lines", "5")
    wait(page, "document.querySelectorAll('table.lines tbody tr').length === 5")
    wait(page, "document.getElementById('speed').textContent.includes('proven')")  # comes after the lines
    rows = page.locator("table.lines tbody tr")
    assert rows.first.inner_text().startswith("50 %")
    assert rows.last.inner_text().startswith("100 %"), "the corner loses for player 2"
    page.click("#engine")
    wait(page, "document.getElementById('speed').textContent.includes('off')")


def test_a_game_that_black_begins_and_a_move_that_cannot_be_played(new_page: Callable[..., Any]) -> None:
    page = new_page("/analyse?game=chess&start=4k3/8/8/8/8/8/4P3/4K3 b - - 0 1&moves=Kd7 e4 Kd6 Ke8 Kd2&at=1")
    wait(page, "document.querySelectorAll('#moves button').length === 5")
    rows = page.locator("#moves li").all_inner_texts()
    assert rows == ["… Kd7", "e4Kd6", "Ke8", "Kd2"]
    assert page.inner_text("#status").startswith("1… Kd7")
