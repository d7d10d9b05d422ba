"""What tests share. Nothing that a test does may touch the user's own games."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from gametree.interfaces.cli import run


@pytest.fixture(autouse=True)
def _own_data_folder(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path_factory.getbasetemp() / "data"))


@pytest.fixture
def gametree(capfd: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Run one command in an empty folder; returns (exit code, standard output, standard error)."""
    monkeypatch.chdir(tmp_path)

    def call(*arguments: str) -> tuple[int, str, str]:
        code = run(list(arguments))
        printed = capfd.readouterr()
        return code, printed.out, printed.err

    return call
