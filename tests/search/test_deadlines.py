"""Compiled searches end by themselves when their time is over, even if nobody watches the clock."""

from __future__ import annotations

import pytest

from gametree import load_game
from gametree.core.clock import Clock
from gametree.core.errors import OutOfTime
from gametree.kernels.timer import SYSTEM_CLOCK
from gametree.search.compiled import engine, fast_expectiminimax, solve

pytestmark = pytest.mark.skipif(SYSTEM_CLOCK is None, reason="compiled code cannot read this system's clock")
AGES = 1e6
"""Seconds after which the watching thread would stop a search."""


def long_ago(clock):
    """A deadline that is over, whatever the clock says."""
    assert clock is None or clock.left() > AGES / 2
    return 1


def test_the_solver(monkeypatch):
    monkeypatch.setattr(solve, "deadline_of", long_ago)
    found = solve.search(load_game("connect4"), clock=Clock(AGES), table_mib=1)
    assert not found.complete
    assert found.nodes < 1_000_000


def test_expectiminimax(monkeypatch):
    monkeypatch.setattr(fast_expectiminimax, "deadline_of", long_ago)
    with pytest.raises(OutOfTime, match="The search was stopped after 1024 nodes"):
        fast_expectiminimax.search(load_game("einstein"), depth=9, clock=Clock(AGES))


def test_the_engine(monkeypatch):
    monkeypatch.setattr(engine, "deadline_of", long_ago)
    found = engine.Engine(load_game("connect4"), table_mib=1).search(clock=Clock(AGES))
    assert not found.complete
    assert 1000 <= found.nodes < 1100
    assert found.move is not None
