"""The benchmark that lets python-chess read the games of a match: it notices what is missing."""

from __future__ import annotations

import importlib.util
import io
import json
import re
import sys
from pathlib import Path

import chess.pgn
import pytest

BENCH = Path(__file__).resolve().parents[2] / "bench"


@pytest.fixture
def bench(monkeypatch):
    monkeypatch.syspath_prepend(str(BENCH))
    spec = importlib.util.spec_from_file_location("arena_match", BENCH / "arena_match.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    yield module
    sys.modules.pop("measure", None)


@pytest.fixture
def games(gametree):
    """Finished games of random players, as the database has them and as PGN."""
    assert gametree("match", "random", "random:seed=2", "-g", "chess", "-n", "6")[0] == 0
    kept = [json.loads(line) for line in gametree("export", "arena.db", "-f", "jsonl")[1].splitlines()]
    return kept, gametree("export", "arena.db", "-f", "pgn")[1]


def faults(bench, kept, text):
    file = io.StringIO(text)
    return [bench.fault_of(chess.pgn.read_game(file), game) for game in kept]


def test_python_chess_reads_every_game_as_the_database_has_it(bench, games):
    kept, text = games
    assert faults(bench, kept, text) == [""] * 6
    assert {game["reason"] for game in kept} == {"end"}


def test_whatever_is_missing_is_noticed(bench, games):
    kept, text = games
    assert faults(bench, kept, text[: text.rindex("[Event ")])[5] == "the file ends before it"
    assert "others than the database has" in faults(bench, kept, text[:-200])[5]
    assert "result are others" in faults(bench, kept, text.replace('Black "random"', 'Black "rendom"'))[1]
    illegal = re.sub(r"\n1\. \S+", "\n1. Ke2", text)
    assert "python-chess says: illegal san: 'Ke2'" in faults(bench, kept, illegal)[0]
    game = kept[0]
    short = game | {"moves": game["moves"][:-1]}
    assert "its moves are others" in faults(bench, [short], text)[0]
    moves = [*game["opening"].split(), *game["moves"][:20]]
    result = chess.pgn.read_game(io.StringIO(text)).headers["Result"]
    cut = text[: text.index("\n\n")] + "\n\n" + " ".join(moves) + f" {result}\n"
    assert "but python-chess says *" in faults(bench, [game | {"moves": game["moves"][:20]}], cut)[0]
