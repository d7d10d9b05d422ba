"""How the engine moves about in the tree: down a move, along the line that has been played, and out in time."""

from __future__ import annotations

from typing import Any

import numpy as np

from gametree.kernels.bits import ZERO, prefetch
from gametree.kernels.timer import monotonic_ns
from gametree.kernels.transposition import bucket
from gametree.kernels.verbs import (
    ALTERNATE,
    FORBIDS_REPETITION,
    HAS_HASH_STATE,
    HAS_IS_URGENT,
    HAS_MOVE_CLASS,
    HAS_NOISY_MOVES,
    HAS_REPETITION_KEY,
    HIGHEST,
    REPETITIONS,
    SOONER,
    UNIT,
    hash_state,
    is_urgent,
    move_class,
    play,
    repetition_key,
    reversible_plies,
    side_to_move,
    weights_of,
)
from gametree.search.compiled.engine.context import PAST
from gametree.search.compiled.engine.values import BY_SEARCH

__all__ = ["FIRST_CHECK", "descend", "enter", "gives_up", "is_repeated", "take_line", "value_of_repetition"]

FIRST_CHECK = 1000
"""However little time there is, so many nodes are searched, lest the move be the first that comes."""

_CHECK_EVERY = 256


def enter(ctx: Any, ply: Any, reach: Any) -> None:
    """Note what the search needs to know about the state that has just come into frame `ply`."""
    w = weights_of(ctx)
    frame = ctx.frames[ply]
    if HAS_IS_URGENT:
        frame.urgent = 1 if is_urgent(frame.state, w) else 0
    if HAS_REPETITION_KEY:
        frame.reach = min(np.int64(reach), np.int64(reversible_plies(frame.state, w)))
        ctx.path[PAST + ply] = repetition_key(frame.state, w)


def descend(ctx: Any, ply: Any, move: Any, table: Any) -> None:
    """Play a move of frame `ply` into the next frame."""
    w = weights_of(ctx)
    frame, child = ctx.frames[ply], ctx.frames[ply + 1]
    child.state = frame.state
    play(child.state, move, w)
    child.move = move
    child.noted = 0
    child.first = frame.first + frame.count
    if HAS_MOVE_CLASS:
        child.kind = np.int64(move_class(move))
    if HAS_HASH_STATE and HAS_NOISY_MOVES:  # most states will be looked up: fetch the place in the table meanwhile
        prefetch(table, bucket(hash_state(child.state, w), ctx.slots))
    enter(ctx, ply + 1, frame.reach + 1)


def is_repeated(ctx: Any, ply: Any) -> Any:
    """Whether the position has stood before: often enough to end the game or, as a short cut, once since the root."""
    key = ctx.path[PAST + ply]
    if FORBIDS_REPETITION and key == ZERO:
        return False
    reach = ctx.frames[ply].reach
    seen = 0
    # Where the seats take turns, a position comes back after four plies at the earliest, and after an even number.
    back = np.int64(4 if ALTERNATE else 1)
    while back <= reach:
        if ctx.path[PAST + ply - back] == key:
            seen += 1
            if seen >= REPETITIONS - 1 or (back < ply and ctx.switches.early_repetition != 0):
                return True
        back += 2 if ALTERNATE else 1
    return False


def value_of_repetition(ctx: Any, ply: Any) -> Any:
    """The value where a position is repeated: a draw, or where that is forbidden a win for the side that is to move,
    since the move here is none. It depends on the way here, so it proves nothing.
    """
    ctx.leaves += 1
    ctx.horizon += 1
    ctx.reason = BY_SEARCH
    if not FORBIDS_REPETITION:
        return np.int64(0)
    w = weights_of(ctx)
    value = np.int64(HIGHEST * UNIT)
    if SOONER and ctx.switches.sooner != 0:
        value -= ply
    same = not ALTERNATE and side_to_move(ctx.frames[ply].state, w) == side_to_move(ctx.frames[ply - 1].state, w)
    return -value if same else value


def take_line(ctx: Any, ply: Any, move: Any) -> None:
    """The best line from here is the move and then the child's best line."""
    frame, child = ctx.frames[ply], ctx.frames[ply + 1]
    frame.line[0] = move
    for i in range(child.length):
        frame.line[i + 1] = child.line[i]
    frame.length = child.length + 1


def gives_up(ctx: Any) -> Any:
    """Whether the search must end here, which is looked at every so many nodes; if so, `ctx.aborted` is set.

    The thread that watches the clock may itself be late on a busy machine, so the search looks at the time too.
    """
    if ctx.nodes < ctx.next_check:
        return False
    if ctx.stop != 0 or ctx.nodes > ctx.node_limit or monotonic_ns() >= ctx.deadline:
        ctx.aborted = 1
        return True
    ctx.next_check = min(ctx.nodes + _CHECK_EVERY, ctx.node_limit + 1)
    return False
