"""Tables looked at as a whole: whether they are right, and what is in them.

`verify` is not the builder: it lists the moves of every position once more, looks every child up in the tables, and
demands that the byte is what the best child makes of it. As every win rests on a shorter loss and every loss on shorter
wins, a table that passes is right.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from gametree.kernels.bits import array_at, u64
from gametree.kernels.compiled_game import CompiledGame
from gametree.kernels.verbs import (
    class_size,
    index_of,
    is_over,
    is_urgent,
    legal_moves,
    play,
    set_index,
    table_class,
    utility,
)
from gametree.knowledge.tables.retrograde import MOST_CLASSES
from gametree.search.support.table_bytes import DRAWN, NOTHING, byte_of_loss, byte_of_win, plies_of

__all__ = ["count_outcomes", "find_fault"]


def check_positions(states: Any, moves: Any, c: Any, start: Any, table: Any, addresses: Any, weights: Any) -> Any:
    """The first position from `start` on whose byte is not what its moves say; the size of the class if all are right.

    Looks at 2^18 positions at most, and returns where it stopped in `moves[0]`.
    """
    w = weights[0]
    s, t = states[0], states[1]
    stop = min(np.int64(table.shape[0]), start + (1 << 18))
    for i in range(start, stop):
        byte = np.int64(table[i])
        if not set_index(s, c, i, w):
            if byte != NOTHING:
                return np.int64(i)
            continue
        n = np.int64(legal_moves(s, moves, w))
        best = np.int64(NOTHING)
        if n == 0:
            best = byte_of_loss(0) if utility(s, w) < 0 else np.int64(DRAWN)
        for k in range(n):
            states[1] = s
            play(t, moves[k], w)
            other = np.int64(table_class(t, w))
            child = np.int64(NOTHING)
            if other >= 0 and addresses[other] != u64(0):
                child = np.int64(
                    array_at(addresses[other], np.int64(class_size(other, w)), np.int8)[index_of(t, other, w)]
                )
            elif is_over(t, moves[n:], w):
                value = np.int64(utility(t, w))
                child = byte_of_loss(0) if value < 0 else np.int64(DRAWN) if value == 0 else np.int64(NOTHING)
            if child == NOTHING:
                return np.int64(i)
            mine = np.int64(DRAWN)
            if child < 0:
                mine = byte_of_win(plies_of(child) + 1)
            elif child > 0:
                mine = byte_of_loss(plies_of(child) + 1)
            best = max(best, mine)
        if best != byte:
            return np.int64(i)
    moves[0] = stop
    return np.int64(-1)


def find_fault(game: CompiledGame, c: int, tables: Mapping[int, Any], progress: Any = None) -> int | None:
    """The number of the first position of class c whose byte is wrong; None if all are right."""
    addresses = np.zeros(MOST_CLASSES, np.uint64)
    for other, table in tables.items():
        addresses[other] = table.ctypes.data
    states = np.zeros(2, game.rules.state_type)
    moves = np.zeros(2 * game.rules.constants["MOST_MOVES"], np.int64)
    kernel = game.rules.kernel(check_positions)
    table, start = tables[c], 0
    while start < len(table):
        fault = int(kernel(states, moves, c, start, table, addresses, game.w))
        if fault >= 0:
            return fault
        start = int(moves[0])
        if progress is not None:
            progress(game.class_name(c), start, len(table))
    return None


def tally(states: Any, c: Any, table: Any, images: Any, counts: Any, weights: Any) -> None:
    """counts[0] of all positions of a class and counts[1] of those whose mover is not threatened: won, drawn, lost."""
    w = weights[0]
    for i in range(table.shape[0]):
        byte = np.int64(table[i])
        if byte == NOTHING:
            continue
        set_index(states[0], c, i, w)
        which = 0 if byte > 0 else 1 if byte == DRAWN else 2
        counts[0, which] += images[i]
        if not is_urgent(states[0], w):
            counts[1, which] += images[i]


def count_outcomes(game: CompiledGame, c: int, table: Any) -> dict[str, Any]:
    """How many positions of a class are won, drawn and lost, and which take longest."""
    counts = np.zeros((2, 3), np.int64)
    states = np.zeros(1, game.rules.state_type)
    images = game.image_counts(c, len(table))
    game.rules.kernel(tally)(states, c, table, images, counts, game.w)
    found: dict[str, Any] = {"class": game.class_name(c), "positions": int(counts[0].sum())}
    for word, number in zip(("wins", "draws", "losses"), counts[0].tolist(), strict=True):
        found[word] = number
    found["quiet"] = dict(zip(("wins", "draws", "losses"), counts[1].tolist(), strict=True))
    for word, side in (("longest_win", table > 0), ("longest_loss", (table < 0) & (table != NOTHING))):
        places = np.flatnonzero(side)
        if len(places):
            plies = int(plies_of(int(table[places[np.argmin(np.abs(table[places].astype(int)))]])))
            slowest = places[np.abs(table[places].astype(int)) == np.abs(table[places].astype(int)).min()]
            found[word] = {
                "plies": plies,
                "positions": int(images[slowest].sum()),
                "example": position_text(game, c, int(slowest[0])),
            }
    return found


def set_up(states: Any, c: Any, i: Any, weights: Any) -> None:
    """The position with this number."""
    set_index(states[0], c, i, weights[0])


def position_text(game: CompiledGame, c: int, index: int) -> str:
    """The position with this number as text."""
    states = np.zeros(1, game.rules.state_type)
    game.rules.kernel(set_up)(states, c, index, game.w)
    return game.state_text(game.pack(states))
