"""What states are worth to the engine: ends, estimates and how they err, what table and log keep of values."""

from __future__ import annotations

from typing import Any

import numpy as np

from gametree.kernels.bits import u64
from gametree.kernels.transposition import EXACT, LOWER, UPPER, entry_bound
from gametree.kernels.verbs import (
    HAS_NOTE_FRESH,
    HAS_STRUCTURE_KEY,
    HIGHEST,
    SOONER,
    SYMMETRIES,
    UNIT,
    evaluate,
    hash_state,
    mirror,
    mirror_move,
    side_to_move,
    structure_key,
    utility,
    weights_of,
)
from gametree.search.compiled.engine.context import CORRECTION_BITS, INFINITE
from gametree.search.compiled.engine.move_order import bring_notes
from gametree.search.support.probing import plies_found, points_found

__all__ = [
    "ALPHABETA",
    "BY_EXTENSION",
    "BY_QUIESCENCE",
    "BY_SEARCH",
    "BY_TABLE",
    "LOG_ENTER",
    "LOG_LEAVE",
    "LOG_ROOT",
    "MTDF",
    "PVS",
    "REASONS",
    "SOONEST",
    "answers",
    "end_value",
    "is_decided",
    "judge",
    "note_error",
    "seen_from_here",
    "seen_from_root",
    "state_key",
    "to_image",
    "value_of_byte",
    "write_log",
]

SOONEST = 1000
"""With SOONER, values within this many units of the most that can be won tell how many plies the win takes."""

ALPHABETA, PVS, MTDF = 0, 1, 2

LOG_ENTER, LOG_LEAVE, LOG_ROOT = 1, 2, 3
REASONS = ("", "table", "quiescence", "extended", "solved")
BY_SEARCH, BY_TABLE, BY_QUIESCENCE, BY_EXTENSION, BY_SOLUTION = 0, 1, 2, 3, 4

MOST_CORRECTION = 1024
CORRECTION_STEP = 28  # of a correction make one unit


# Wins, and how soon ---------------------------------------------------------------------------------------------------


def is_decided(value: Any) -> Any:
    """Whether a value tells how soon the game is won or lost."""
    return SOONER and abs(value) >= HIGHEST * UNIT - SOONEST


def end_value(s: Any, ply: Any, ctx: Any) -> Any:
    """The value where the game is over."""
    w = weights_of(ctx)
    ctx.leaves += 1
    ctx.reason = BY_SEARCH
    value = np.int64(utility(s, w)) * UNIT
    if SOONER and ctx.switches.sooner != 0:
        value += -ply if value > 0 else ply if value < 0 else 0
    return value


def seen_from_here(value: Any, ply: Any, ctx: Any) -> Any:
    """A value of the search as the table keeps it: wins are counted from the state, not from the root."""
    if not is_decided(value) or ctx.switches.sooner == 0:
        return value
    return value + ply if value > 0 else value - ply


def seen_from_root(value: Any, ply: Any, ctx: Any) -> Any:
    """A value of the table as the search needs it."""
    if not is_decided(value) or ctx.switches.sooner == 0:
        return value
    return value - ply if value > 0 else value + ply


def value_of_byte(byte: Any, ply: Any, ctx: Any) -> Any:
    """The value that a table of solved positions gives a state. Some tables say of a win how soon it comes."""
    ctx.leaves += 1
    ctx.reason = BY_SOLUTION
    value = points_found(byte, ctx) * UNIT
    plies = plies_found(byte)
    if SOONER and ctx.switches.sooner != 0 and plies >= 0:
        return value - plies - ply if value > 0 else value + plies + ply
    if is_decided(value) and ctx.switches.sooner != 0:
        ctx.horizon += 1  # the value is not the one that a search to the end would give
        most = HIGHEST * UNIT - SOONEST - 1 - ply
        value = most if value > 0 else -most
    return value


# Estimates, and how they err ------------------------------------------------------------------------------------------


def judge(ply: Any, ctx: Any) -> Any:
    """The game's estimate of frame `ply`, corrected by how far estimates of states with the same structure were off."""
    w = weights_of(ctx)
    if HAS_NOTE_FRESH:
        bring_notes(ctx, ply)
    s = ctx.frames[ply].state
    value = np.int64(evaluate(s, w, ctx.frames[ply].note))
    if HAS_STRUCTURE_KEY and ctx.switches.correction != 0:
        found = ctx.corrections[side_to_move(s, w) & 1, structure_key(s, w) >> u64(64 - CORRECTION_BITS)]
        if not is_decided(value + found // CORRECTION_STEP):
            value += found // CORRECTION_STEP
    return value


def note_error(s: Any, error: Any, depth: Any, ctx: Any) -> None:
    """A search of some depth has found a value that differs so much from the estimate of the state."""
    w = weights_of(ctx)
    seat, slot = side_to_move(s, w) & 1, structure_key(s, w) >> u64(64 - CORRECTION_BITS)
    old = np.int64(ctx.corrections[seat, slot])
    pull = min(max(error * depth // 3, np.int64(-MOST_CORRECTION // 4)), np.int64(MOST_CORRECTION // 4))
    ctx.corrections[seat, slot] = old + pull - old * abs(pull) // MOST_CORRECTION


# Table and log --------------------------------------------------------------------------------------------------------


def state_key(s: Any, merge: Any, ctx: Any) -> Any:
    """The hash of a state, or of its symmetric image with the smallest hash; `ctx.image` says which image that is."""
    w = weights_of(ctx)
    key = hash_state(s, w)
    ctx.image = 0
    if SYMMETRIES > 1 and merge:
        for k in range(1, SYMMETRIES):
            ctx.mirrored = s
            mirror(ctx.mirrored, k, w)
            other = hash_state(ctx.mirrored, w)
            if other < key:
                key = other
                ctx.image = k
    return key


def to_image(move: Any, image: Any) -> Any:
    """The move as the table keeps it."""
    if SYMMETRIES > 1 and image != 0 and move >= 0:
        return np.int64(mirror_move(move, image))
    return np.int64(move)


def answers(data: Any, value: Any, alpha: Any, beta: Any) -> Any:
    """Whether an entry with this value settles the window."""
    bound = entry_bound(data)
    return bound == EXACT or (bound == LOWER and value >= beta) or (bound == UPPER and value <= alpha)


def write_log(table: Any, ctx: Any, kind: Any, move: Any, low: Any, high: Any) -> None:
    """Append an event: two words, in the part of the array behind the table. A full log drops the event."""
    place = ctx.slots + ctx.logged
    if place < table.shape[0]:
        entry = table[place]
        entry.check = u64(kind) << u64(32) | u64(move + 1)
        entry.word = u64(low + INFINITE) << u64(32) | u64(high + INFINITE)
    ctx.logged += 1
