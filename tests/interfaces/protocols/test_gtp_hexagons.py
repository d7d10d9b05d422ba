"""Hex and Havannah over GTP, as HexGui and Morat speak them."""

from __future__ import annotations

import pytest

from gametree import BadInput
from gametree.interfaces.protocols.gtp import GtpEngine


def talk(engine: GtpEngine, *lines: str) -> list[str]:
    return [(engine.answer(line) or "").strip() for line in lines]


def test_hex() -> None:
    engine = GtpEngine("random:seed=1", game="hex", size=3)
    assert talk(engine, "play b a1", "play b a2", "play w A1", "play w pass")[1:] == [
        "? it is the other colour's turn",
        "? illegal move",
        "? illegal move",
    ]
    assert talk(engine, "all_legal_moves", "final_score") == ["= b1 c1 a2 b2 c2 a3 b3 c3", "? cannot score"]
    assert talk(engine, "play w c3", "play black a2", "play w c2", "play b a3", "final_score")[-1] == "= B+"
    assert talk(engine, "genmove w", "undo", "genmove b")[0] == "? the game is over"
    assert talk(engine, "boardsize 20", "komi 3", "boardsize 4") == ["? unacceptable size", "? unknown command", "="]
    assert "joins top and bottom" in talk(engine, "showboard")[0]


def test_swap_is_a_parameter() -> None:
    engine = GtpEngine("random:seed=1", game="hex", size=3)
    assert talk(engine, "param_game", "play b a2", "play w swap-pieces") == [
        "= [bool] allow_swap 0", "=", "? illegal move",
    ]  # fmt: skip
    assert talk(engine, "param_game allow_swap 1", "play b a2", "play w swap-pieces") == ["=", "=", "="]
    assert talk(engine, "play b b1", "play b a2") == ["? illegal move", "="]
    assert talk(engine, "param_game allow_swap 2", "param_game x 1") == ["? syntax error", "? syntax error"]


def test_havannah_begins_with_white() -> None:
    engine = GtpEngine("random:seed=1", game="havannah", size=4)
    moves = ["a1", "d4", "b1", "e6", "c1", "c4", "d1"]
    assert talk(engine, "play b a1") == ["? it is the other colour's turn"]
    answers = talk(engine, *(f"play {'wb'[ply % 2]} {move}" for ply, move in enumerate(moves)), "final_score")
    assert answers == ["="] * 7 + ["= W+"]


def test_other_games_have_no_words() -> None:
    with pytest.raises(BadInput, match="GTP has no words for chess; expected go, hex, havannah"):
        GtpEngine("random", game="chess")
