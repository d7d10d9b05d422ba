"""A real server and a real browser for the tests of the workbench."""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from running import HEX_GAME, OWN_GAME, PROGRAM, Server

WARMING = """
from gametree import load_game
from gametree.play.analysis import analyse
for name in ("chess", "connect4", "othello:size=4", "go:size=5"):
    game = load_game(name)
    state = game.result(game.initial(), game.actions(game.initial())[0])
    game.draw(state), game.action_text(state, game.actions(state)[0]), game.utility(state, 0)
    if name == "chess":
        analyse(game, algorithm="engine", seconds=0.05)
        game.explain(state)
"""


@pytest.fixture(scope="session")
def warm() -> None:
    """Compile the games of the tests ahead, however long that takes: a page waits for it, but a test has a limit."""
    subprocess.run([sys.executable, "-c", WARMING], check=True, timeout=900)


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory, warm: None) -> Iterator[Server]:
    """One server for all tests, with games of a user's own and another program."""
    folder = tmp_path_factory.mktemp("web")
    for name, text in {"coins.py": OWN_GAME, "hex.py": HEX_GAME, "firstcell": PROGRAM}.items():
        (folder / name).write_text(text, encoding="utf-8")
    shutil.copy(Path(__file__).parents[2] / "gallery.py", folder)
    program = f"firstcell=uci:{sys.executable} {folder / 'firstcell'}"
    running = Server(
        folder / "games.sqlite3",
        str(folder / "coins.py"),
        str(folder / "hex.py"),
        str(folder / "gallery.py"),
        "--program",
        program,
    )
    yield running
    said = running.stop()
    assert "Traceback" not in said, said


@pytest.fixture(scope="session")
def chromium() -> Iterator[Any]:
    """Debian's Chromium, started once."""
    if os.environ.get("GAMETREE_BROWSER") == "none":
        pytest.skip("GAMETREE_BROWSER=none: no browser here")
    path = os.environ.get("GAMETREE_BROWSER") or shutil.which("chromium") or shutil.which("google-chrome")
    if not path:
        pytest.fail(
            "The tests of the pages need Chromium: install it (apt-get install chromium), name it in GAMETREE_BROWSER, "
            "or set GAMETREE_BROWSER=none to leave them out.",
            pytrace=False,
        )
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture
def new_page(chromium: Any, server: Server) -> Iterator[Callable[..., Any]]:
    """Open pages that fail the test if anything goes wrong in their console."""
    problems: list[str] = []
    with contextlib.ExitStack() as stack:

        def open_page(path: str = "/", *, base: str = "", **options: Any) -> Any:
            context = chromium.new_context(base_url=base or server.address, **options)
            stack.callback(context.close)
            page = context.new_page()
            page.set_default_timeout(90_000)
            page.on("console", lambda message: problems.append(message.text) if message.type == "error" else None)
            page.on("pageerror", lambda error: problems.append(str(error)))
            page.goto(path)
            return page

        yield open_page
    assert not problems, problems
