"""Checkers in a real browser: crowned stones, and a path of jumps clicked square by square."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

RING = "W:WK31,32:B26,27,18,19,K1"


def test_a_path_is_clicked_square_by_square(new_page: Callable[..., Any]) -> None:
    page = new_page(f"/analyse?game=checkers&start={RING}")
    square = ".holder [data-name='{}']"
    page.locator(square.format(31)).wait_for()
    assert page.locator(".holder [data-kind='king']").count() == 2
    assert page.locator(".holder [data-kind='stone']").count() == 5
    assert "White king" in (page.locator(square.format(31)).get_attribute("aria-label") or "")
    page.locator(square.format(31)).click()
    assert "you can move here" in (page.locator(square.format(22)).get_attribute("aria-label") or "")
    assert "you can move here" in (page.locator(square.format(24)).get_attribute("aria-label") or "")
    page.locator(square.format(24)).click()
    assert "you can move here" not in (page.locator(square.format(22)).get_attribute("aria-label") or "")
    page.locator(square.format(15)).click()
    page.locator(square.format(22)).click()
    page.locator(square.format(31)).click()
    page.wait_for_function("() => document.getElementById('status').textContent.includes('31x24x15x22x31')")


def test_from_and_to_will_do_where_they_tell_the_path(new_page: Callable[..., Any]) -> None:
    page = new_page("/analyse?game=checkers&start=W:W32:B27,19,11")
    page.locator(".holder [data-name='32']").click()
    page.locator(".holder [data-name='7']").click()
    page.wait_for_function("() => document.getElementById('status').textContent.includes('32x7')")
