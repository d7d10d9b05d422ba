"""The benchmark against other programs: what can be tested without them."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).resolve().parent.parent / "bench" / "textbook.py"


@pytest.fixture
def textbook():
    spec = importlib.util.spec_from_file_location("textbook", SCRIPT)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_worker_counts_the_nodes_of_gametree():
    command = [sys.executable, str(SCRIPT), "--worker", "gametree", "--searches", "2"]
    run = subprocess.run(command, capture_output=True, text=True, check=True)
    found = json.loads(run.stdout)
    assert found["nodes"] == 18297
    assert len(found["seconds"]) == 2


def test_nodes_of_aima_python_are_counted_like_ours(textbook, tmp_path):
    # A stand-in for its checkout, with the same calls: one terminal test per node below the root.
    (tmp_path / "games.py").write_text(
        "class TicTacToe:\n"
        "    initial = 0\n"
        "    def terminal_test(self, state):\n"
        "        return state >= 3\n"
        "def alphabeta_search(state, game):\n"
        "    def enter(state):\n"
        "        if not game.terminal_test(state):\n"
        "            enter(state + 1)\n"
        "            enter(state + 2)\n"
        "    enter(state + 1)\n"
        "    enter(state + 2)\n"
    )
    command = [sys.executable, str(SCRIPT), "--worker", "aima-python", "--aima", str(tmp_path), "--searches", "1"]
    found = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    assert found["nodes"] == 9  # 0; 1, 2, 3, 4, 3; 2, 3, 4


def test_a_wrong_checkout_and_a_missing_package_are_reported(textbook, tmp_path, monkeypatch):
    monkeypatch.setattr(textbook, "PACKAGES", {"easyAI": ["no-such-package-as-this==0", "--no-index"]})
    _, missing = textbook.prepare(tmp_path / "home", str(tmp_path / "nowhere"))
    assert "is not a checkout of aima-python" in missing["aima-python"]
    assert "pip could not install no-such-package-as-this==0" in missing["easyAI"]


def test_the_ratio_decides_the_exit_code(textbook, monkeypatch, capsys):
    speeds = {"gametree": 0.1, "aima-python": 0.3, "easyAI": 0.15}
    monkeypatch.setattr(textbook, "prepare", lambda home, checkout: (Path(sys.executable), {}))
    monkeypatch.setattr(
        textbook, "measure", lambda python, name, *_: {"version": "1", "nodes": 100, "seconds": [speeds[name], 9.0]}
    )
    monkeypatch.setattr(sys, "argv", ["textbook.py", "--rounds", "2"])
    assert textbook.main() == 1
    assert "1.50 ×" in capsys.readouterr().out
    speeds["easyAI"] = 0.2
    assert textbook.main() == 0
    monkeypatch.setattr(textbook, "prepare", lambda home, checkout: (Path(sys.executable), {"easyAI": "no network"}))
    assert textbook.main() == 2
    assert "easyAI was not measured: no network" in capsys.readouterr().out
