"""Rooms import only to the left, and what must be light stays light."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

SOURCE = Path(__file__).parent.parent / "src" / "gametree"

# What each room may import from, besides itself.
LEFT_OF = {
    "core": set(),
    "kernels": {"core"},
    "games": {"core", "kernels"},
    "search": {"core", "kernels"},
    "knowledge": {"core", "kernels", "games", "search"},
    "learning": {"core", "kernels", "games", "search", "knowledge"},
    "play": {"core", "kernels", "games", "search", "knowledge", "learning"},
    "teaching": {"core", "kernels", "games", "search", "knowledge", "learning", "play"},
    "testing": {"core", "kernels", "search"},
    "interfaces": {
        "core", "kernels", "games", "search", "knowledge", "learning", "play", "teaching", "testing",
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
    assert wrong_imports("games", "from gametree.search.alphabeta import search") == ["search"]
    assert wrong_imports("core", "def f():\n    import gametree.kernels.bits") == ["kernels"]
    assert wrong_imports("search", "from gametree.core.game import Game") == []


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
