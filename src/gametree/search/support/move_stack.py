"""Where compiled searches keep their lists of moves: on one stack a thread, as much of it as the line needs.

A list of the most moves that a state can have, in every frame, would take hundreds of MiB in games with 20,000 moves
and more. So a frame only knows where its lists begin, `first`; the next frame's begin behind its last move. There are
several rows (moves, keys, …), each an array of `room` numbers of 64 bits, one behind the other, and perhaps structs.
They are reached by an address in the thread's context, so their size is no part of any type and no recursive call
passes them on. A search that finds fewer than MOST_MOVES places left stops and says that it is `crowded`; Python then
doubles the stack and lets it go on.

A context has the fields `FIELDS`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gametree.kernels.bits import array_at, u64
from gametree.kernels.verbs import MOST_MOVES, State

__all__ = ["FIELDS", "MoveStack", "floats_at", "is_crowded", "list_at", "run_with_room", "structs_at", "words_at"]

FIELDS = {
    "stack_at": "u8",  # where the stack lies; its owner keeps it alive
    "structs_at": "u8",  # where the structs beside it lie, if there are any
    "room": "i8",  # places in each row
    "crowded": "i8",  # the search was stopped because there was too little room
}
"""Fields of a context, for `struct`."""

_USUAL_ROOM = 8192
"""Places: enough for nearly every search of a usual game, and 64 kB a row."""


def list_at(ctx: Any, row: Any, first: Any) -> Any:
    """The numbers of a row from a place on."""
    place = np.int64(row) * np.int64(ctx.room) + np.int64(first)
    return array_at(u64(ctx.stack_at) + u64(place * 8), np.int64(ctx.room) - np.int64(first), np.int64)


def words_at(ctx: Any, row: Any, first: Any) -> Any:
    """The same as words without a sign."""
    place = np.int64(row) * np.int64(ctx.room) + np.int64(first)
    return array_at(u64(ctx.stack_at) + u64(place * 8), np.int64(ctx.room) - np.int64(first), np.uint64)


def floats_at(ctx: Any, row: Any, first: Any) -> Any:
    """The same as float64."""
    place = np.int64(row) * np.int64(ctx.room) + np.int64(first)
    return array_at(u64(ctx.stack_at) + u64(place * 8), np.int64(ctx.room) - np.int64(first), np.float64)


def structs_at(ctx: Any, first: Any) -> Any:
    """The structs from a place on."""
    return array_at(u64(ctx.structs_at), np.int64(ctx.room), State)[np.int64(first) :]


def is_crowded(ctx: Any, first: Any) -> Any:
    """Whether fewer than MOST_MOVES places are left from `first` on; if so, the search must end: `aborted` is set."""
    if first + MOST_MOVES <= ctx.room:
        return False
    ctx.crowded = 1
    ctx.aborted = 1
    return True


class MoveStack:
    """The memory behind one context with so many frames."""

    def __init__(self, most_moves: int, plies: int, rows: int, state_type: Any = None) -> None:
        self._rows, self._state_type = rows, state_type
        self._numbers: Any = None
        self._structs: Any = None
        # A short game never needs more than a list for every ply, and a small stack is quickly made.
        self._make(max(min(_USUAL_ROOM, plies * most_moves), 2 * most_moves))

    def _make(self, room: int) -> None:
        self._room = room
        self._numbers = np.zeros((self._rows, room), np.int64)
        if self._state_type is not None:
            self._structs = np.zeros(room, self._state_type)

    @property
    def nbytes(self) -> int:
        """How much memory it takes."""
        return int(self._numbers.nbytes) + (0 if self._structs is None else int(self._structs.nbytes))

    def lend(self, ctx: Any) -> None:
        """Let a context work with it."""
        ctx["stack_at"], ctx["room"], ctx["crowded"] = self._numbers.ctypes.data, self._room, 0
        ctx["structs_at"] = 0 if self._structs is None else self._structs.ctypes.data

    def write(self, row: int, numbers: Any) -> None:
        """Put numbers at the bottom of a row."""
        self._numbers[row, : len(numbers)] = numbers

    def grow(self, ctx: Any) -> None:
        """Twice as many places; what lies on it stays, and so does `crowded`, for the search to go on."""
        before, room = self._numbers, self._room
        self._make(2 * room)
        self._numbers[:, :room] = before
        crowded = ctx["crowded"]
        self.lend(ctx)
        ctx["crowded"] = crowded

    def touch(self) -> None:
        """Write to all of it, so that no search waits for the system to hand it out."""
        self._numbers.fill(0)
        if self._structs is not None:
            self._structs.view(np.uint8).fill(0)


def run_with_room(work: Callable[[], Any], ctx: Any, stack: MoveStack) -> None:
    """Do the work, again and again on a larger stack as long as it lacks room; it clears `crowded` when it goes on."""
    work()
    while ctx["crowded"]:
        stack.grow(ctx)
        work()
