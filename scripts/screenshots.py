"""Makes the pictures of the workbench in docs/pictures/web-*.png anew, with Chromium.

    python scripts/screenshots.py [NAME ...]      by default all of them

They are not compared by a test: fonts and browsers differ from machine to machine. Look at them after making them.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

PICTURES = Path(__file__).resolve().parent.parent / "docs" / "pictures"
MATE = "e4 e5 Qh5 Nc6 Bc4 Nf6 Qxf7%23"


def home(page: Any) -> None:
    """The home page with a picture of every game."""
    page.emulate_media(reduced_motion="reduce")
    page.goto("/")
    page.locator(".gallery a").first.wait_for()
    page.wait_for_function(
        "() => document.querySelectorAll('.live > *').length === document.querySelectorAll('.gallery a').length",
        timeout=120_000,
    )


def build(page: Any) -> None:
    """A user's file with a mistake."""
    page.goto("/build")
    page.locator("#build-check .good").wait_for()
    file = Path(tempfile.gettempdir()) / "gametree-screenshots" / "stones.py"
    file.write_text(
        file.read_text(encoding="utf-8").replace("def result(self", "def result(self)(", 1), encoding="utf-8"
    )
    page.locator("#build-problem h2").wait_for()


def set_up(page: Any) -> None:
    """Setting up a game."""
    page.goto("/play?game=othello")
    page.locator(".preview .cell").first.wait_for()


def play(page: Any) -> None:
    """A game of chess, a knight picked up."""
    page.goto("/play?game=chess")
    page.locator("[data-seat='1']").wait_for()
    page.select_option("[data-seat='1']", "person")
    page.click("#begin")
    for start, to in (("e2", "e4"), ("e7", "e5"), ("g1", "f3"), ("b8", "c6"), ("f1", "b5")):
        before = page.locator("#moves span").count()
        page.locator(f".holder [data-name='{start}']").click()
        page.locator(f".holder [data-name='{to}']").click()
        page.wait_for_function("n => document.querySelectorAll('#moves span').length > n", arg=before)
    page.locator(".holder [data-name='g8']").click()


def analyse(page: Any) -> None:
    """A reviewed game and the answer to why not."""
    page.goto(f"/analyse?game=chess&moves={MATE}&at=6")
    page.click("#review")
    page.wait_for_function(
        "() => document.querySelectorAll('button.marked').length > 0 && progress.hidden", timeout=120_000
    )
    page.click("#why")
    page.locator("#answer table").wait_for(timeout=120_000)
    page.wait_for_function("() => document.querySelectorAll('table.lines tbody tr').length === 3", timeout=120_000)


def phone(page: Any) -> None:
    """Connect Four on a small screen."""
    page.goto("/play?game=connect4")
    page.locator("[data-seat='1']").wait_for()
    page.select_option("[data-seat='1']", "person")
    page.click("#begin")
    for count, column in enumerate("4453", 1):
        page.locator(f".holder [data-name='{column}']").last.click()
        page.wait_for_function("n => document.querySelectorAll('#moves span').length === n", arg=count)


WIDE = {"viewport": {"width": 1100, "height": 720}}


def lab(page: Any) -> None:
    """Alpha-beta on the textbook tree, just after its cut-off."""
    page.goto("/lab?kind=tree&tree=((3 12 8) (2 4 6) (14 5 2))&a=alphabeta&step=13")
    page.locator(".player").wait_for()
    page.wait_for_timeout(500)


def position(page: Any) -> None:
    """A search of a real position, with the board of the node beside its tree."""
    page.goto("/lab?kind=game&game=tictactoe&position=XOX/OXO/...&depth=3&a=alphabeta&step=6")
    page.locator(".lab-board .cell").first.wait_for()
    page.wait_for_timeout(700)


def compare(page: Any) -> None:
    """Two searches of one tree side by side."""
    page.goto("/lab?kind=tree&tree=((3 12 8) (2 4 6) (14 5 4))&a=alphabeta&b=sss&step=23")
    page.locator(".comparison").wait_for()
    page.wait_for_timeout(500)


def quiz(page: Any) -> None:
    """A wrong answer and its explanation."""
    page.goto("/quiz?seed=1&difficulty=1")
    page.locator(".quiz-tree .node").first.wait_for()
    for letter in "EH":
        page.locator(f".quiz-tree .node[aria-label^='{letter},']").click()
    page.locator("form[data-question=skipped] button.main").click()
    page.get_by_text("Show why").last.click()
    page.locator(".explanation .player").wait_for()
    page.wait_for_timeout(500)


def arena(page: Any) -> None:
    """A finished tournament with one of its games."""
    page.goto("/arena")
    page.get_by_label("Game", exact=True).select_option("tictactoe")
    page.get_by_label("Games of each pairing").fill("30")
    page.get_by_role("button", name="Start", exact=True).click()
    page.get_by_text("finished").first.wait_for()
    page.get_by_role("button", name="Replay").click()
    page.locator(".replay-board .cell").first.wait_for()
    for _ in range(6):
        page.get_by_label("Forward").click()
    page.evaluate("scrollTo(0, 0)")


SHOTS: dict[str, tuple[Callable[[Any], None], dict[str, Any]]] = {
    "home": (home, {"viewport": {"width": 1400, "height": 900}}),
    "build": (build, WIDE),
    "setup": (set_up, WIDE),
    "play": (play, WIDE),
    "analyse": (analyse, {"viewport": {"width": 1100, "height": 1320}, "color_scheme": "dark"}),
    "lab": (lab, WIDE),
    "position": (position, {"viewport": {"width": 1100, "height": 1060}}),
    "compare": (compare, {"viewport": {"width": 1280, "height": 1180}, "color_scheme": "dark"}),
    "quiz": (quiz, {"viewport": {"width": 1280, "height": 1300}}),
    "arena": (arena, {"viewport": {"width": 1280, "height": 1150}}),
    "phone": (phone, {"viewport": {"width": 390, "height": 780}}),
}


def main() -> None:
    """Start a server, take the pictures."""
    from playwright.sync_api import sync_playwright

    names = sys.argv[1:] or list(SHOTS)
    browser_path = shutil.which("chromium") or shutil.which("google-chrome")
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        own = Path(tempfile.gettempdir()) / "gametree-screenshots"
        shutil.rmtree(own, ignore_errors=True)
        own.mkdir()
        subprocess.run([sys.executable, "-m", "gametree", "new", "stones"], cwd=own, check=True)
        command = [sys.executable, "-m", "gametree", "web", str(own / "stones.py"), "--no-browser", "--port", "0",
                   "--data", f"{folder}/games"]  # fmt: skip
        with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as server:
            assert server.stderr is not None
            found = re.search(r"http://\S+?(?=/\s)", server.stderr.readline())
            assert found
            browser = playwright.chromium.launch(executable_path=browser_path, args=["--no-sandbox"])
            try:
                for name in names:
                    act, options = SHOTS[name]
                    page = browser.new_context(base_url=found.group(), **options).new_page()
                    page.set_default_timeout(60_000)
                    act(page)
                    page.screenshot(path=PICTURES / f"web-{name}.png")
                    print(f"web-{name}.png")
            finally:
                browser.close()
                server.terminate()


if __name__ == "__main__":
    main()
