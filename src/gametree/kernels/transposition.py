"""The transposition table: one array of entries that threads share without locks and without torn reads.

An entry is two words: `word`, and `check` = key xor word. A thread that reads a half-written entry finds that the two
do not give its key, and treats it as empty (Hyatt and Mann 2002, *A lockless transposition table implementation
for parallel search*). `word` packs six numbers:

    bits  0–23  value, signed     24–31  depth     32–33  bound     34–39  age     40–62  move + 1     63  proven

"Proven" values saw the end of the game on every line that they rest on, so they hold at any depth.

Entries stand in buckets of four, one cache line each. The number of buckets need not be a power of two.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from gametree.core.errors import BadInput
from gametree.kernels.bits import ZERO, multiply_high, u64

__all__ = [
    "BUCKET",
    "ENTRY_BYTES",
    "EXACT",
    "LOWER",
    "MAX_MOVE",
    "MAX_VALUE",
    "UPPER",
    "Entry",
    "bucket",
    "clear_table",
    "entry_age",
    "entry_bound",
    "entry_depth",
    "entry_move",
    "entry_proven",
    "entry_value",
    "new_table",
    "pack",
    "probe",
    "store",
]

Entry = np.dtype((np.record, np.dtype([("check", "u8"), ("word", "u8")])))
ENTRY_BYTES = 16
BUCKET = 4
LINE_BYTES = BUCKET * ENTRY_BYTES

LOWER, UPPER, EXACT = 1, 2, 3
"""What an entry's value is to the true value; 0 marks an entry that was never written."""
MAX_VALUE = (1 << 23) - 1
"""Values lie within ± this."""
MAX_MOVE = (1 << 23) - 2
"""Moves are 0 … this."""

_SIGN = np.int64(1 << 23)
_BUCKET = u64(BUCKET)


def new_table(mib: float) -> Any:
    """An empty table that takes `mib` MiB, whole cache lines, at least one. Raises BadInput."""
    if not mib > 0:
        raise BadInput(f"A table of {mib:g} MiB is too small; expected more than 0.")
    lines = max(1, int(mib * (1 << 20)) // LINE_BYTES)
    memory = np.zeros(lines * LINE_BYTES + LINE_BYTES, np.uint8)  # the system hands out zeroed pages as they are used
    start = -memory.ctypes.data % LINE_BYTES
    return memory[start : start + lines * LINE_BYTES].view(Entry)


def clear_table(table: Any) -> None:
    """Forget everything."""
    table.view(np.uint8)[:] = 0


def pack(value: Any, depth: Any, bound: Any, age: Any, move: Any, proven: Any) -> Any:
    """The six numbers as one word; `move` may be −1 for none, `proven` is 0 or 1."""
    return (
        u64((value + _SIGN) & np.int64(0xFFFFFF))
        | u64(depth & np.int64(0xFF)) << u64(24)
        | u64(bound) << u64(32)
        | u64(age & np.int64(63)) << u64(34)
        | u64(move + 1) << u64(40)
        | u64(proven) << u64(63)
    )


def entry_value(data: Any) -> Any:
    """The value in a packed word."""
    return np.int64(data & u64(0xFFFFFF)) - _SIGN


def entry_depth(data: Any) -> Any:
    """The depth in a packed word."""
    return np.int64(data >> u64(24) & u64(0xFF))


def entry_bound(data: Any) -> Any:
    """LOWER, UPPER, EXACT, or 0 for an empty word."""
    return np.int64(data >> u64(32) & u64(3))


def entry_age(data: Any) -> Any:
    """The age in a packed word, 0 … 63."""
    return np.int64(data >> u64(34) & u64(63))


def entry_move(data: Any) -> Any:
    """The move in a packed word, −1 for none."""
    return np.int64(data >> u64(40) & u64(0x7FFFFF)) - np.int64(1)


def entry_proven(data: Any) -> Any:
    """Whether the value in a packed word holds at any depth."""
    return data >> u64(63) != ZERO


def bucket(key: Any, slots: Any) -> Any:
    """Index of the first entry of the key's bucket in a table of `slots` entries."""
    return multiply_high(key, u64(slots // BUCKET)) * _BUCKET


def probe(table: Any, slots: Any, key: Any) -> Any:
    """The word that was stored for `key`, or 0."""
    first = bucket(key, slots)
    for i in range(BUCKET):
        entry = table[first + u64(i)]
        data = entry.word
        if entry.check ^ data == key and data != ZERO:
            return data
    return ZERO


def store(table: Any, slots: Any, key: Any, data: Any) -> None:
    """Store a packed word: over the same key's entry, else over the least worth in the bucket.

    An entry is worth its depth; one of an earlier search (another age) is worth less than any of this one.
    """
    first = bucket(key, slots)
    age = entry_age(data)
    target = first
    least = np.int64(1 << 20)
    for i in range(BUCKET):
        entry = table[first + u64(i)]
        old = entry.word
        if old == ZERO or entry.check ^ old == key:
            target = first + u64(i)
            break
        worth = entry_depth(old)
        if entry_age(old) != age:
            worth -= 512
        if worth < least:
            least = worth
            target = first + u64(i)
    entry = table[target]
    entry.check = key ^ data
    entry.word = data
