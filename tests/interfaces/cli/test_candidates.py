"""`gametree analyse` where a search weighs moves that it tells: a rack of Scrabble, a throw of backgammon."""

from __future__ import annotations

import json
from typing import Any

import pytest

from gametree.interfaces.cli import run


@pytest.fixture
def told(capfd: pytest.CaptureFixture[str]) -> Any:
    def ask(*words: str) -> str:
        assert run(["analyse", *words]) == 0
        return capfd.readouterr().out

    return ask


def test_a_rack_is_looked_at_as_its_owner_sees_it(told: Any) -> None:
    data = json.loads(told("scrabble", "--rack", "QUACKLE", "--algorithm", "static", "--json"))
    assert " ACEKLQU/_______ " in data["position"]  # the other rack was drawn, and is not shown
    assert data["player"] == 0
    best = data["candidates"][0]
    assert best["move"] == data["move"]
    assert best["points"] == 60  # QUACK with the Q on a double letter: (10·2+1+1+3+5)·2
    assert len({row["move"] for row in data["candidates"]}) == len(data["candidates"]) > 100


def test_candidates_are_printed_whatever_is_told_of_them(told: Any) -> None:
    words = told("scrabble", "--rack", "QUACKLE", "--algorithm", "static")
    assert "  1  " in words
    assert "points 60" in words
    throws = told("backgammon", "--dice", "31", "--plies", "0")
    assert "8/5 6/5" in throws
    assert "0 plies" in throws
