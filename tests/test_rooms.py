"""Rooms import only to the left, and what must be light stays light."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

from gametree.core.verbs import ATTRIBUTES, GAME_VERBS

SOURCE = Path(__file__).parent.parent / "src" / "gametree"

# What each room may import from, besides itself.
LEFT_OF = {
    "core": set(),
    "kernels": {"core"},
    "games": {"core", "kernels"},
    "search": {"core", "kernels"},
    "formats": {"core", "kernels", "games", "search"},
    "knowledge": {"core", "kernels", "games", "search", "formats"},
    "learning": {"core", "kernels", "games", "search", "formats", "knowledge"},
    "play": {"core", "kernels", "games", "search", "formats", "knowledge", "learning"},
    "teaching": {"core", "kernels", "games", "search", "formats", "knowledge", "learning", "play"},
    "testing": {"core", "kernels", "search"},
    "interfaces": {
        "core", "kernels", "games", "search", "formats", "knowledge", "learning", "play", "teaching", "testing",
    },
}  # fmt: skip


def wrong_imports(room: str, code: str) -> list[str]:
    """Modules of gametree that `code`, a file of `room`, imports although they are not to its left."""
    names = []
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0, "relative imports hide the room"
            names.append(node.module or "")
        elif isinstance(node, ast.Import):
            names.extend(alias.name for alias in node.names)
    rooms = [name.split(".")[1] for name in names if name.startswith("gametree.")]
    return [other for other in rooms if other != room and other not in LEFT_OF[room]]


@pytest.mark.parametrize("file", sorted(SOURCE.rglob("*.py")), ids=lambda file: str(file.relative_to(SOURCE)))
def test_a_room_imports_only_to_the_left(file: Path) -> None:
    parts = file.relative_to(SOURCE).parts
    if len(parts) == 1:
        assert parts[0] in ("__init__.py", "__main__.py")
        return
    assert wrong_imports(parts[0], file.read_text(encoding="utf-8")) == []


def test_the_guard_catches_an_import_to_the_right() -> None:
    assert wrong_imports("games", "from gametree.search.textbook.alphabeta import search") == ["search"]
    assert wrong_imports("core", "def f():\n    import gametree.kernels.bits") == ["kernels"]
    assert wrong_imports("search", "from gametree.core.game import Game") == []


DECLARED = {verb.name for verb in GAME_VERBS} | {*ATTRIBUTES, "name", "facts"}
"""What may be asked of any game."""
ASKING = ("formats", "knowledge", "learning", "play", "teaching", "interfaces")


def undeclared(code: str) -> list[str]:
    """Names that `code` looks for on a game by getattr or hasattr, although no game declares them."""
    found = []
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("getattr", "hasattr"):
            owner, name = ast.unparse(node.args[0]), node.args[1]
            if owner.split(".")[-1].lstrip("_") not in ("game", "rules"):
                continue
            if not isinstance(name, ast.Constant):
                found.append(ast.unparse(name))
            elif name.value not in DECLARED:
                found.append(str(name.value))
    return found


@pytest.mark.parametrize("room", ASKING)
def test_nothing_is_asked_of_a_game_that_games_do_not_declare(room: str) -> None:
    files = sorted((SOURCE / room).rglob("*.py"))
    wrong = {file.name: names for file in files if (names := undeclared(file.read_text(encoding="utf-8")))}
    assert files
    assert wrong == {}


def test_the_guard_catches_an_undeclared_name() -> None:
    assert undeclared("write = getattr(self.game, 'fen', None)") == ["fen"]
    assert undeclared("if hasattr(game, 'all_moves') or hasattr(rules, verb): pass") == ["all_moves", "verb"]
    assert undeclared("getattr(self._game, 'evaluate'), getattr(option, 'is_flag')") == []


def test_the_library_and_the_help_import_nothing_heavy() -> None:
    code = (
        "import sys, gametree, gametree.interfaces.cli as cli\n"
        "assert cli.run(['--help']) == 0\n"
        "heavy = {'numba', 'numpy', 'matplotlib'} & set(sys.modules)\n"
        "assert not heavy, heavy\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "Usage" in done.stdout


def test_the_tests_have_the_rooms_of_the_package() -> None:
    """A folder of tests for every room; what is about the whole stands in tests/ itself."""
    here = Path(__file__).parent
    folders = {folder.name for folder in here.iterdir() if any(folder.rglob("test_*.py"))}
    rooms = {folder.name for folder in SOURCE.iterdir() if (folder / "__init__.py").is_file()}
    assert folders == rooms
    names = [file.name for file in here.rglob("test_*.py")]
    assert len(names) == len(set(names)), "pytest tells test files apart by their names alone"
