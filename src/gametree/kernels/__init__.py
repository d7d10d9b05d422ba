"""Compiled games: Python rules at the speed of C++.

The author of a game writes a struct and a few plain functions on it; `gametree.kernels.verbs` lists them all. This room
compiles them together with a search, keeps the compiled code in a cache, and offers typed bit tricks, hashes and a
transposition table that threads share.

    from gametree.kernels import CompiledGame, struct, u64, popcount, ctz
"""

from gametree.kernels.bits import ONE, ZERO, byteswap, clz, ctz, multiply_high, popcount, u64
from gametree.kernels.cache import cache_directory, cache_report, clear_cache
from gametree.kernels.compiled_game import CompiledGame
from gametree.kernels.hashing import mix, mix_in, more_bits, zobrist_keys
from gametree.kernels.jit import Kernel, compiler, jit
from gametree.kernels.verbs import UNLISTED, Rules, struct
from gametree.kernels.waiting import on_compile, on_progress, plain_at_first

__all__ = [
    "ONE",
    "UNLISTED",
    "ZERO",
    "CompiledGame",
    "Kernel",
    "Rules",
    "byteswap",
    "cache_directory",
    "cache_report",
    "clear_cache",
    "clz",
    "compiler",
    "ctz",
    "jit",
    "mix",
    "mix_in",
    "more_bits",
    "multiply_high",
    "on_compile",
    "on_progress",
    "plain_at_first",
    "popcount",
    "struct",
    "u64",
    "zobrist_keys",
]
