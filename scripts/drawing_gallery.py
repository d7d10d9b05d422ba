"""Makes the pictures of docs/drawing-gallery.md anew, with Chromium: of each section, what the browser draws.

    python scripts/drawing_gallery.py [NAME ...]      by default all of them

The page is the source: every section has one block of Python that makes `drawing`. Pictures are not compared by a test,
since fonts differ from machine to machine; look at them after making them.
"""

from __future__ import annotations

import re
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

from gametree import Drawing
from gametree.core.scene import scene

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "drawing-gallery.md"
PICTURES = ROOT / "docs" / "pictures"
SHOW = """async data => {
  const {Board} = await import("/static/board.js");
  const holder = document.createElement("div");
  document.body.replaceChildren(document.querySelector("svg.pieces"), holder);
  holder.id = "shown";
  new Board(holder, {still: true}).show(data);
}"""


def examples() -> dict[str, Drawing]:
    """The drawings of the page, by the name of their picture."""
    found = {}
    for section in PAGE.read_text(encoding="utf-8").split("\n## ")[1:]:
        code = re.search(r"```python\n(.*?)```", section, re.DOTALL)
        picture = re.search(r"\(pictures/draw-([a-z0-9]+)\.png\)", section)
        assert code, section
        assert picture, section
        names: dict[str, Any] = {}
        exec(code[1], names)
        found[picture[1]] = names["drawing"]
    return found


def main() -> None:
    """Start a server, take the pictures."""
    from playwright.sync_api import sync_playwright

    sys.path.insert(0, str(ROOT / "tests" / "interfaces" / "web"))
    from running import Server

    path = shutil.which("chromium") or shutil.which("google-chrome")
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        server = Server(Path(folder) / "games.sqlite3")
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        try:
            page: Any = browser.new_page(base_url=server.address, viewport={"width": 560, "height": 420})
            page.goto("/quiz")
            page.locator("main h1").wait_for()
            for name, drawing in examples().items():
                if sys.argv[1:] and name not in sys.argv[1:]:
                    continue
                page.evaluate(SHOW, {"drawing": scene(drawing).to_data(), "moves": [], "last": []})
                page.locator("#shown").screenshot(path=PICTURES / f"draw-{name}.png")
                print(f"draw-{name}.png")
        finally:
            browser.close()
            server.stop()


if __name__ == "__main__":
    main()
