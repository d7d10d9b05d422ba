"""From the engine's log to the tree record."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from gametree.core.record import TreeRecord
from gametree.kernels.compiled_game import CompiledGame
from gametree.search.compiled.engine.context import INFINITE
from gametree.search.compiled.engine.values import LOG_ENTER, LOG_LEAVE, LOG_ROOT, REASONS

__all__ = ["fill_record"]

_HALF = np.uint64(32)
_LOW_WORD = np.uint64(0xFFFFFFFF)
_CHUNK = 1 << 16
"""Entries that are unpacked at once: numpy is quick with many, but all of a large log would take much memory."""


def fill_record(record: TreeRecord, game: CompiledGame, state: bytes, log: Any, written: int, unit: int) -> None:
    """Replay the first `written` events of the log into the record; a log that was too short truncates the record."""
    path: list[tuple[bytes, bool]] = []  # the open states, and whether the engine's values there are seat 0's
    for kind, code, first, second in _entries(log[: min(written, len(log))]):
        if kind == LOG_LEAVE:
            _, is_max = path.pop()
            record.leave(_points(first if is_max else -first, unit), reason=REASONS[code - 1] or None)
            continue
        if kind == LOG_ROOT:
            path, action, reached = [], None, state
        else:
            assert kind == LOG_ENTER
            action = code - 1
            reached = game.result(path[-1][0], action)
        is_max = game.player(reached) == 0
        path.append((reached, is_max))
        low, high = (first, second) if is_max else (-second, -first)
        record.enter(reached, action, _points(low, unit), _points(high, unit))
    if written > len(log):
        record.truncated = True
    record.abandon()


def _entries(log: Any) -> Iterator[tuple[int, int, int, int]]:
    """Kind, code and the two values of every entry."""
    for start in range(0, len(log), _CHUNK):
        check, word = (np.asarray(log[name][start : start + _CHUNK]) for name in ("check", "word"))
        yield from zip(
            (check >> _HALF).tolist(),
            (check & _LOW_WORD).tolist(),
            ((word >> _HALF).astype(np.int64) - INFINITE).tolist(),
            ((word & _LOW_WORD).astype(np.int64) - INFINITE).tolist(),
            strict=True,
        )


def _points(value: int, unit: int) -> float:
    """Units as points; the ends of the scale are infinite."""
    if abs(value) >= INFINITE:
        return math.copysign(math.inf, value)
    return value if unit == 1 else value / unit
