"""From the engine's log to the tree record."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from gametree.core.record import TreeRecord
from gametree.kernels.compiled_game import CompiledGame
from gametree.search.engine.context import INFINITE
from gametree.search.engine.kernel import LOG_ENTER, LOG_LEAVE, LOG_ROOT, REASONS

__all__ = ["fill_record"]

_LOW_WORD = np.uint64(0xFFFFFFFF)


def fill_record(record: TreeRecord, game: CompiledGame, state: bytes, log: Any, written: int, unit: int) -> None:
    """Replay the first `written` events of the log into the record; a log that was too short truncates the record."""
    states: list[bytes] = []
    for entry in log[: min(written, len(log))]:
        kind, code = int(entry["check"] >> np.uint64(32)), int(entry["check"] & _LOW_WORD)
        first, second = int(entry["word"] >> np.uint64(32)) - INFINITE, int(entry["word"] & _LOW_WORD) - INFINITE
        if kind == LOG_LEAVE:
            node = states.pop()
            value = first if _is_max(game, node) else -first
            record.leave(_points(value, unit), reason=REASONS[code - 1] or None)
            continue
        if kind == LOG_ROOT:
            states = [state]
            action = None
        else:
            assert kind == LOG_ENTER
            action = code - 1
            states.append(game.result(states[-1], action))
        low, high = (first, second) if _is_max(game, states[-1]) else (-second, -first)
        record.enter(states[-1], action, _points(low, unit), _points(high, unit))
    if written > len(log):
        record.truncated = True
    record.abandon()


def _is_max(game: CompiledGame, state: bytes) -> bool:
    """Whether the engine's values at a state are seat 0's."""
    return game.player(state) == 0


def _points(value: int, unit: int) -> float:
    """Units as points; the ends of the scale are infinite."""
    if abs(value) >= INFINITE:
        return math.copysign(math.inf, value)
    return value if unit == 1 else value / unit
