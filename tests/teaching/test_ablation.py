"""What `gametree ablate` measures: every switch of the engine off once, on the same positions."""

from __future__ import annotations

import json
from typing import Any

import pytest

from gametree import BadInput, load_game
from gametree.interfaces.cli import run
from gametree.search.compiled.engine import Engine, EngineParameters
from gametree.teaching.ablation import ablate, sample_positions, switches, without


def test_each_switch_goes_off_alone() -> None:
    game = load_game("chess")
    usual = EngineParameters.of(game)
    assert "futility_margin" in switches(game)
    assert "futility_margin" not in switches(load_game("connect4"))
    for switch in switches(game):
        changed = without(game, switch)
        different = [name for name in vars(usual) if getattr(usual, name) != getattr(changed, name)]
        assert different == [switch]
    with pytest.raises(BadInput, match="no switch 'luck'"):
        without(game, "luck")


def test_positions_are_the_same_for_the_same_seed() -> None:
    game = load_game("connect4")
    positions = sample_positions(game, 4, seed=3)
    assert positions == sample_positions(game, 4, seed=3)
    assert len(set(positions)) == 4
    assert not any(map(game.is_terminal, positions))


def test_no_row_carries_the_first_touch_of_memory_or_a_compile(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a machine on which time passes only where memory is touched first, all rows take no time at all."""
    spent = 0.0
    forget, search = Engine.forget, Engine.search

    def touch(engine: Engine) -> None:
        engine.touched = True  # type: ignore[attr-defined]
        forget(engine)

    def search_slowly(engine: Engine, *state: Any, **options: Any) -> Any:
        nonlocal spent
        spent += 0.0 if hasattr(engine, "touched") else 1.0
        return search(engine, *state, **options)

    monkeypatch.setattr(Engine, "forget", touch)
    monkeypatch.setattr(Engine, "search", search_slowly)
    monkeypatch.setattr("time.process_time", lambda: spent)
    game = load_game("connect4")
    rows = ablate(game, sample_positions(game, 2), depth=3, table_mib=1)["rows"]
    assert spent > 0
    assert {row["seconds"] for row in rows} == {0.0}


def test_plain_alpha_beta_needs_more_nodes_than_the_engine() -> None:
    game = load_game("connect4")
    data = ablate(game, sample_positions(game, 2), depth=6, table_mib=1)
    rows = {row["variant"]: row for row in data["rows"]}
    assert set(rows) == {"as it is", "sound only", "plain alpha-beta", *(f"no {switch}" for switch in switches(game))}
    assert rows["as it is"]["nodes_ratio"] == 1
    assert rows["plain alpha-beta"]["nodes_ratio"] > 2
    assert rows["no table"]["nodes"] > rows["as it is"]["nodes"]
    assert all(row["complete"] for row in rows.values())
    again = ablate(game, sample_positions(game, 2), depth=6, table_mib=1)
    assert [row["nodes"] for row in again["rows"]] == [row["nodes"] for row in data["rows"]]


def test_the_command(capfd: pytest.CaptureFixture[str]) -> None:
    assert run(["ablate", "connect4", "--depth", "4", "-n", "1", "--json"]) == 0
    assert json.loads(capfd.readouterr().out)["depth"] == 4
    assert run(["ablate", "connect4", "4444", "--depth", "3"]) == 0
    assert "plain alpha-beta" in capfd.readouterr().out
    for arguments in (["nim"], ["connect4", "--depth", "0"], ["connect4", "-n", "0"], ["connect4", "99"]):
        assert run(["ablate", *arguments]) == 2
        assert capfd.readouterr().err.count("\n") == 1
