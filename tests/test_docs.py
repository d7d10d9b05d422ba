"""README and documentation: every example runs, every picture is current, nothing is missing, the site builds."""

from __future__ import annotations

import importlib.util
import os
import re
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from types import ModuleType

import pytest

from gametree import algorithm_names, game_names, load_algorithm
from gametree.core.verbs import GAME_VERBS, STRUCT_VERBS
from gametree.teaching.examples import examples

ROOT = Path(__file__).resolve().parent.parent
DOCS = ROOT / "docs"


def _load() -> ModuleType:
    spec = importlib.util.spec_from_file_location("pages", ROOT / "scripts" / "pages.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules["pages"] = module
    spec.loader.exec_module(module)
    return module


pages = _load()


def _name(page: Path) -> str:
    return str(page.relative_to(ROOT))


def _words(svg: bytes) -> list[str]:
    """All text of a picture."""
    return [element.text.strip() for element in ElementTree.fromstring(svg).iter() if (element.text or "").strip()]


@pytest.mark.parametrize("page", pages.pages(), ids=_name)
def test_every_example_of_a_page_does_what_the_page_says(page):
    ran = pages.run_page(page)
    for name, content in ran.pictures.items():
        kept = (DOCS / "pictures" / name).read_bytes()
        if "matplotlib" in kept.decode("utf-8"):  # its curves differ from release to release, what they say does not
            assert _words(content) == _words(kept), f"{name} is out of date: run python scripts/pages.py"
        else:
            assert content == kept, f"{name} is out of date: run python scripts/pages.py"


def test_every_picture_is_made_by_one_page_and_shown():
    made: list[str] = []
    shown: set[str] = set()
    for page in pages.pages():
        text = page.read_text(encoding="utf-8")
        consoles = "\n".join(block.text for block in pages.blocks(text) if block.language == "console")
        made += re.findall(r"(?:-o|--output|--plot) (\S+\.svg)", consoles)
        shown |= {Path(target).name for target in re.findall(r"!\[[^\]]*\]\(([^)]+\.svg)\)", text)}
    kept = {file.name for file in (DOCS / "pictures").glob("*.svg")}  # the others are screenshots
    assert len(made) == len(set(made)), "two pages write the same picture"
    assert set(made) == kept
    assert shown == kept


@pytest.mark.parametrize("name", algorithm_names())
def test_every_algorithm_has_its_page(name):
    page = DOCS / "algorithms" / f"{name}.md"
    assert page.is_file(), f"docs/algorithms/{name}.md is missing"
    text = page.read_text(encoding="utf-8")
    for heading in ("The idea", "Pseudocode", "What it promises", "When to use it", "Options", "Watch it", "Source"):
        assert f"\n## {heading}\n" in text, heading
    consoles = [block.text for block in pages.blocks(text) if block.language == "console"]
    commands = [line for block in consoles for line in block.splitlines() if line.startswith("$ ")]
    assert any(f"--algorithm {name}" in line or line.startswith(f"$ gametree {name}") for line in commands)
    # Options of its own, beyond those of every search, are named on the page.
    search = load_algorithm(name)[1]
    own = set(search.__kwdefaults__ or ()) - {"depth", "clock", "record"}
    missing = {option for option in own if f"`{option}`" not in text}
    assert not missing
    assert f"({name}.md)" in (DOCS / "algorithms" / "index.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", game_names())
def test_every_game_has_its_page(name):
    page = DOCS / "games" / f"{name}.md"
    assert page.is_file(), f"docs/games/{name}.md is missing"
    assert any(block.language == "console" for block in pages.blocks(page.read_text(encoding="utf-8")))
    assert f"({name}.md)" in (DOCS / "games" / "index.md").read_text(encoding="utf-8")


def test_every_lecture_example_is_on_its_page():
    text = (DOCS / "examples.md").read_text(encoding="utf-8")
    missing = [shown.name for shown in examples() if f"`{shown.name}`" not in text]
    assert not missing


def test_no_page_is_left_over():
    algorithms = {page.stem for page in (DOCS / "algorithms").glob("*.md")} - {"index"}
    games = {page.stem for page in (DOCS / "games").glob("*.md")} - {"index"}
    assert algorithms <= set(algorithm_names())
    assert games <= set(game_names())


def test_the_command_reference_is_whole_and_current():
    text = (DOCS / "commands.md").read_text(encoding="utf-8")
    for name in pages.commands():
        assert f"<!-- options: {name} -->" in text or f"### {name}\n" in text, f"`gametree {name}` is missing"
    assert pages.fill_options(text) == text, "run python scripts/pages.py --write"
    assert "`--algorithm`, `-a`" in text


def test_the_tables_of_verbs_are_those_of_the_program():
    text = (DOCS / "verbs.md").read_text(encoding="utf-8")
    assert pages.fill_verbs(text) == text, "run python scripts/pages.py --write"
    for verb in (*GAME_VERBS, *STRUCT_VERBS):
        assert f"| `{verb.name}(" in text
    assert "| `evaluate(s, [w], [note])` |  |" in text
    assert pages.fill_verbs("<!-- verbs: game -->\nold\n<!-- end -->").startswith("<!-- verbs: game -->\n| verb |")


def test_the_tutorial_keeps_its_promise_of_40_lines():
    blocks = pages.blocks((DOCS / "tutorial.md").read_text(encoding="utf-8"))
    (game,) = [block for block in blocks if block.title]
    assert game.title == "coins.py"
    assert len(game.text.splitlines()) <= 40


# The site ------------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def site(tmp_path_factory) -> Path:
    directory = tmp_path_factory.mktemp("site")
    built = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(directory)],
        cwd=ROOT,
        env=os.environ | {"NO_MKDOCS_2_WARNING": "1"},
        capture_output=True,
        text=True,
    )
    assert built.returncode == 0, built.stderr
    assert "WARNING" not in built.stderr
    return directory


def test_the_site_has_every_page_and_picture(site):
    for page in DOCS.rglob("*.md"):
        assert (site / page.relative_to(DOCS)).with_suffix(".html").is_file()
    for picture in (DOCS / "pictures").iterdir():
        assert (site / "pictures" / picture.name).is_file()


def test_the_site_needs_no_network(site):
    # Links that a reader may follow are fine; what the browser loads by itself is not.
    loading = re.compile(r"<(?:script|img|iframe|source)\b[^>]*\bsrc=\"?(?:https?:)?//|<link\b[^>]*\bhref=\"?https?://")
    for file in site.rglob("*.html"):
        found = loading.search(file.read_text(encoding="utf-8"))
        assert not found, f"{file.name}: {found}"
    for file in site.rglob("*.css"):
        assert not re.search(r"url\(\s*[\"']?(?:https?:)?//", file.read_text(encoding="utf-8"))
    assert loading.search('<script src="https://elsewhere.example/x.js">')


# The runner of the examples can fail ---------------------------------------------------------------------------------


def _page(tmp_path: Path, text: str) -> Path:
    page = tmp_path / "page.md"
    page.write_text(text, encoding="utf-8")
    return page


def test_a_wrong_output_is_caught(tmp_path):
    good = '```console\n$ gametree tree "(1 2)"\n...\nalphabeta: value 2, 3 nodes, ... leaves looked at.\n```\n'
    assert pages.run_page(_page(tmp_path, good)).commands == 1
    with pytest.raises(pages.Mismatch, match=r"(?s)page\.md, line 2.*value 3"):
        pages.run_page(_page(tmp_path, good.replace("value 2", "value 3")))


def test_a_failing_command_is_caught_unless_the_page_says_so(tmp_path):
    with pytest.raises(pages.Mismatch, match="ends with code 2"):
        pages.run_page(_page(tmp_path, "```console\n$ gametree analyse nothing\n...\n```\n"))
    said = "```console\n$ gametree analyse nothing\ngametree: There is no game called 'nothing'....\n```\n"
    assert pages.run_page(_page(tmp_path, said)).commands == 1


def test_only_gametree_is_run(tmp_path):
    with pytest.raises(pages.Mismatch, match="not a gametree command"):
        pages.run_page(_page(tmp_path, "```console\n$ rm -r /\n```\n"))
    with pytest.raises(pages.Mismatch, match="must begin with a command"):
        pages.run_page(_page(tmp_path, "```console\ngametree games\n```\n"))


def test_scripts_run_in_order_and_their_prints_are_checked(tmp_path):
    script = "```python title=\"own.py\"\nx = 3\n```\n\n```python\nimport os\nprint(os.listdir())  # ['own.py']\n```\n"
    more = "\n```python\nprint(len(os.listdir()))  # 1\n```\n"
    assert pages.run_page(_page(tmp_path, script + more)).scripts == 2
    with pytest.raises(pages.Mismatch, match="prints 1, but the page says 2"):
        pages.run_page(_page(tmp_path, script + more.replace("# 1", "# 2")))
    with pytest.raises(ZeroDivisionError):
        pages.run_page(_page(tmp_path, "```python\n1 / 0\n```\n"))


def test_a_person_types_what_the_page_shows(tmp_path):
    typed = "```console\n$ gametree play nim:1-2 --no-explain\n...\nYour move: quit\nGoodbye.\n```\n"
    assert pages.run_page(_page(tmp_path, typed)).commands == 1
    with pytest.raises(pages.Mismatch):
        pages.run_page(_page(tmp_path, typed.replace("Your move: quit", "Your move: moves")))


@pytest.mark.parametrize(
    ("expected", "printed", "fits"),
    [
        ("a", "a", True),
        ("a", "b", False),
        ("a...c", "abbbc", True),
        ("a...c", "a\nc", False),
        ("...\nc", "a\nb\nc", True),
        ("a\n...", "a", True),
        ("a\n...\nd", "a\nb\nc", False),
        ("│ ...   │", "│ 0.123 │", True),
        ("", "", True),
        ("", "a", False),
        ("...", "", True),
    ],
)
def test_wildcards(expected, printed, fits):
    assert pages.matches(expected, printed) is fits


def test_times_are_left_out():
    line = "alphabeta: 88 nodes, 35 leaves, depth 5, 0.001 s (88,000 nodes/s)"
    assert pages.matches(pages.elide(line), line.replace("0.001", "12.5").replace("88,000", "7"))
    row = "│ sss  │ 2,226 │ 0.012       │"
    assert pages.matches(pages.elide(row), row.replace("0.012 ", "10.012"))


def test_an_unknown_command_in_the_reference_is_caught():
    with pytest.raises(pages.Mismatch, match="'treee'"):
        pages.fill_options("<!-- options: treee -->\n<!-- end -->")


def test_commands_without_a_table_are_the_others():
    page = "".join(f"<!-- options: {name} -->\n<!-- end -->\n" for name in ("games", "others"))
    filled = pages.fill_options(page)
    assert "\n### experiment ordering\n" in filled
    assert "### games" not in filled
    assert pages.fill_options(filled) == filled
