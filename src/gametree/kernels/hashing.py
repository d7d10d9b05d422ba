"""Hashes of states: mixing for states of a few words, Zobrist keys for boards that change square by square."""

from __future__ import annotations

from typing import Any

import numpy as np

from gametree.kernels.bits import u64

__all__ = ["mix", "mix_in", "more_bits", "zobrist_keys"]

_FIRST = u64(0xBF58476D1CE4E5B9)
_SECOND = u64(0x94D049BB133111EB)
_STEP = u64(0x9E3779B97F4A7C15)


def mix(x: Any) -> Any:
    """A one-to-one scramble of 64 bits in which every bit depends on every other (Steele et al. 2014, SplitMix64)."""
    x = (x ^ (x >> u64(30))) * _FIRST
    x = (x ^ (x >> u64(27))) * _SECOND
    return x ^ (x >> u64(31))


def mix_in(hash_so_far: Any, word: Any) -> Any:
    """The hash of a sequence that goes on with `word`. Cheaper than `mix`: one multiplication."""
    x = (hash_so_far ^ word) * _STEP
    return x ^ (x >> u64(32))


def more_bits(bits: Any, i: Any) -> Any:
    """The i-th word of random bits that follows from one: what a verb uses that needs more than 64."""
    return mix(u64(bits) + u64(i + 1) * _STEP)


def zobrist_keys(*shape: int, seed: int = 1) -> np.ndarray[Any, np.dtype[np.uint64]]:
    """An array of random keys, the same on every machine. A position's hash is the xor of its features' keys.

    Zobrist (1970), *A new hashing method with application for game playing*.
    """
    count = int(np.prod(shape))
    with np.errstate(over="ignore"):
        keys = mix(np.arange(1, count + 1, dtype=np.uint64) * _STEP + mix(u64(seed)))
    return keys.reshape(shape)  # type: ignore[no-any-return]
