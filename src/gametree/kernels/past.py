"""The past of a line of play: the one place where a rule on repetition is kept.

A struct knows nothing of earlier positions. Whoever walks a line holds a `Past`: the repetition keys of the game before
the root and of the line below it, and a filter that tells at once that most positions are new. A new line is begun by
counting up a stamp, so that nothing has to be erased.

    REPETITION = "draw"         `enter_position` says when the game is drawn
    REPETITION = "forbidden"    `strike` takes moves to earlier positions off a list

A key of 0 stands for a position that never counts: in the middle of a turn, or after a pass in Go.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from gametree.kernels.bits import u64
from gametree.kernels.hashing import more_bits
from gametree.kernels.verbs import (
    REPETITIONS,
    key_after,
    legal_moves,
    repetition_key,
    reversible_plies,
    struct,
)

__all__ = [
    "begin_line",
    "enter_position",
    "has_stood",
    "open_past",
    "past_type",
    "push_key",
    "replace_forbidden",
    "strike",
]

MOST_KEYS = 1 << 17
"""A line of play that is longer is not remembered beyond this."""
MOST_SLOTS = 1 << 14
BEFORE = 255
"""The stamp of positions before the root, which belong to every line."""


def past_type(needed: bool, longest_game: int | None) -> Any:
    """The struct of a Past; next to nothing if the game has no rule on repetition."""
    keys = 1 << min(longest_game or MOST_KEYS, MOST_KEYS - 1).bit_length() if needed else 1
    slots = min(8 * keys, MOST_SLOTS) if needed else 1
    return struct(
        count="i8",  # keys of the line so far
        before="i8",  # of these, up to the root
        stamp="i8",  # of the line in the filter
        keys=("u8", keys),
        filter=("u1", slots),  # the stamp of the last line in which a key stood that falls on this slot
    )


def open_past(past: Any, keys: Sequence[int]) -> None:
    """Let every line begin behind positions with these keys, the root's last."""
    kept = list(keys)[-len(past["keys"]) :]
    past["keys"][: len(kept)] = np.array(kept, np.uint64)
    past["before"] = len(kept)
    past["stamp"] = BEFORE  # the first line finds the filter used up


# Compiled -------------------------------------------------------------------------------------------------------------


def begin_line(past: Any) -> None:
    """Forget all positions below the root."""
    past.count = past.before
    past.stamp += 1
    if past.stamp >= BEFORE:
        for slot in range(past.filter.shape[0]):
            past.filter[slot] = 0
        for i in range(past.before):
            past.filter[slot_of(past, past.keys[i])] = BEFORE
        past.stamp = 1


def slot_of(past: Any, key: Any) -> Any:
    """Where a key falls in the filter."""
    return np.int64(key & u64(past.filter.shape[0] - 1))


def push_key(past: Any, key: Any) -> None:
    """The line goes on with a position that has this key."""
    if past.count < past.keys.shape[0]:
        past.keys[past.count] = key
        past.count += 1
        slot = slot_of(past, key)
        if past.filter[slot] != BEFORE:
            past.filter[slot] = past.stamp


def may_have_stood(past: Any, key: Any) -> Any:
    """Whether the filter cannot tell that the position is new."""
    mark = np.int64(past.filter[slot_of(past, key)])
    return mark == past.stamp or mark == BEFORE


def has_stood(past: Any, key: Any, reach: Any, times: Any) -> Any:
    """Whether a position with this key has stood so many times among the last `reach`."""
    if key == u64(0) or not may_have_stood(past, key):
        return False
    at = np.int64(past.count) - 1
    last = max(np.int64(0), at + 1 - np.int64(reach))
    left = np.int64(times)
    while at >= last and left > 0:
        if past.keys[at] == key:
            left -= 1
        at -= 1
    return left <= 0


def enter_position(past: Any, s: Any, w: Any) -> Any:
    """The line goes on with this position; return whether it has stood too often: a draw, or the move was forbidden.

    To ask this after a move is far cheaper than to ask before it whether it is forbidden. Random games do so, and in
    the rare case that it was they are played again from their start by the same draws, from that move on with care.
    """
    key = repetition_key(s, w)
    stood = has_stood(past, key, reversible_plies(s, w), REPETITIONS - 1)
    push_key(past, key)
    return stood


def is_forbidden(past: Any, s: Any, m: Any, w: Any) -> Any:
    """Whether the move leads from s, the last position of the line, to one that has stood too often."""
    return has_stood(past, key_after(s, m, w), reversible_plies(s, w) + 1, REPETITIONS - 1)


def strike(past: Any, s: Any, moves: Any, count: Any, w: Any) -> Any:
    """Take the forbidden moves off the first `count`; return how many are left, in the same order."""
    n = np.int64(0)
    for i in range(count):
        move = moves[i]
        if not is_forbidden(past, s, move, w):
            moves[n] = move
            n += 1
    return n


def replace_forbidden(past: Any, s: Any, m: Any, bits: Any, out: Any, w: Any) -> Any:
    """The move, or if it is forbidden one that is not, drawn by 64 random bits; −1 if all are."""
    if not is_forbidden(past, s, m, w):
        return np.int64(m)
    count = strike(past, s, out, legal_moves(s, out, w), w)
    if count == 0:
        return np.int64(-1)
    return np.int64(out[np.int64((more_bits(bits, 0) >> u64(32)) * u64(count) >> u64(32))])
