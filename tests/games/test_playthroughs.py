"""One recorded game of every game of the package: a change in what a game tells is seen, and must be meant."""

from __future__ import annotations

import difflib
import importlib.util
import os
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

from gametree import game_names

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = ROOT / "scripts" / "playthroughs.py"


def _load() -> ModuleType:
    spec = importlib.util.spec_from_file_location("playthroughs", SCRIPT)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


playthroughs = _load()


@pytest.mark.parametrize("name", playthroughs.names())
def test_a_game_tells_what_it_told_when_it_was_recorded(name: str) -> None:
    recorded = playthroughs.file_of(name).read_text(encoding="utf-8").splitlines()
    now = playthroughs.playthrough(name).splitlines()
    difference = list(difflib.unified_diff(recorded, now, "recorded", "now", n=1, lineterm=""))
    assert not difference, "\n".join([*difference[:30], "If that is meant: python scripts/playthroughs.py --write"])


def test_every_game_is_recorded_and_nothing_else() -> None:
    assert set(game_names()) <= set(playthroughs.names())
    files = {playthroughs.file_of(name) for name in playthroughs.names()}
    assert set(playthroughs.FOLDER.iterdir()) == files


@pytest.mark.parametrize("seed", ["0", "1"])
def test_a_record_is_the_same_in_every_process(seed: str) -> None:
    code = f"import runpy; print(runpy.run_path({str(SCRIPT)!r})['playthrough']('kuhn'), end='')"
    environment = {**os.environ, "PYTHONHASHSEED": seed}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment, check=True)
    assert done.stdout == playthroughs.playthrough("kuhn")


def test_a_difference_is_told_and_written(monkeypatch, tmp_path, capsys) -> None:
    monkeypatch.setattr(playthroughs, "FOLDER", tmp_path)
    monkeypatch.setattr(playthroughs, "names", lambda: ["nim", "kuhn"])
    assert playthroughs.main([]) == 1
    assert capsys.readouterr().out == "nim: differs\nkuhn: differs\n"
    assert playthroughs.main(["--write"]) == 0
    assert playthroughs.main([]) == 0
    playthroughs.file_of("nim").write_text("another game\n", encoding="utf-8")
    capsys.readouterr()
    assert playthroughs.main([]) == 1
    assert capsys.readouterr().out == "nim: differs\n"
    assert playthroughs.main(["--help"]) == 2
