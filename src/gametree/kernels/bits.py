"""Typed bit tricks. Each is plain Python; compiled code gets one machine instruction in its place.

All take `np.uint64`. Counts and indices are plain integers (int64 when compiled). Mixing `np.uint64` with signed
integers is the classic trap of compiled bitboards, so shift counts and masks are written `u64(3)`, never `3`.
"""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np

__all__ = [
    "ONE",
    "ZERO",
    "array_at",
    "byteswap",
    "clz",
    "ctz",
    "multiply_high",
    "popcount",
    "prefetch",
    "record_at",
    "u64",
]

u64 = np.uint64
ZERO = u64(0)
ONE = u64(1)


def popcount(x: Any) -> int:
    """How many bits are set."""
    return int(x).bit_count()


def ctz(x: Any) -> int:
    """Index of the lowest set bit; 64 if none is set."""
    bits = int(x)
    return (bits & -bits).bit_length() - 1 if bits else 64


def clz(x: Any) -> int:
    """Number of zeros above the highest set bit; 64 if none is set."""
    return 64 - int(x).bit_length()


def byteswap(x: Any) -> Any:
    """The eight bytes in reverse order: a board of eight rows of eight turned upside down."""
    return u64(int.from_bytes(int(x).to_bytes(8, "little"), "big"))


def multiply_high(x: Any, y: Any) -> Any:
    """The upper 64 bits of the 128-bit product: maps a hash `x` evenly onto 0 … y − 1 without a division."""
    return u64(int(x) * int(y) >> 64)


def prefetch(array: Any, index: Any) -> int:
    """Hint that `array[index]` will be read soon; does nothing when not compiled. Returns 0."""
    return 0


def record_at(address: Any, kind: Any) -> Any:
    """The struct of type `kind` that lies at an address. Its owner must keep it alive."""
    return array_at(address, 1, kind)[0]


def array_at(address: Any, count: Any, kind: Any) -> Any:
    """The array of `count` numbers or structs of type `kind` that lies at an address. Its owner must keep it alive."""
    of = np.dtype(kind)
    memory = (ctypes.c_char * (of.itemsize * int(count))).from_address(int(address))
    return np.frombuffer(memory, of)
