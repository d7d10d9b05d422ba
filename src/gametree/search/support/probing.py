"""Tables of solved positions, which a search asks before it searches.

A game whose positions have numbers (`table_class`, `index_of` and their companions) can be looked up in tables with one
byte for each position: what it is worth to its mover, or UNKNOWN. A search asks only where no earlier position can come
back (`reversible_plies` is 0, or the game has no rule on repetition), because a table knows no past; what it says is
believed. Who builds the tables is no matter of the search.

A context has the fields `FIELDS`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from gametree.core.errors import BadInput
from gametree.kernels.bits import ZERO, array_at, u64
from gametree.kernels.compiled_game import CompiledGame
from gametree.kernels.verbs import (
    HAS_REPETITION_KEY,
    class_size,
    index_of,
    reversible_plies,
    table_class,
    weights_of,
)

__all__ = ["FIELDS", "UNKNOWN", "Tables", "lend", "probe_tables"]

UNKNOWN = -128
"""The byte of a position that the table does not know; all others are values."""

FIELDS = {
    "tables_at": "u8",  # where the addresses of the tables lie, by class; the engine keeps them alive
    "tables_count": "i8",  # how many classes that are
    "tables_scale": "i8",  # what a byte of 1 is worth in points
}
"""Fields of a context, for `struct`."""


def probe_tables(s: Any, ctx: Any) -> Any:
    """The byte of a state, or UNKNOWN."""
    if ctx.tables_count == 0:
        return np.int64(UNKNOWN)
    w = weights_of(ctx)
    if HAS_REPETITION_KEY and reversible_plies(s, w) != 0:
        return np.int64(UNKNOWN)
    c = np.int64(table_class(s, w))
    if c < 0 or c >= ctx.tables_count:
        return np.int64(UNKNOWN)
    at = array_at(u64(ctx.tables_at), np.int64(ctx.tables_count), np.uint64)[c]
    if at == ZERO:
        return np.int64(UNKNOWN)
    return np.int64(array_at(at, np.int64(class_size(c, w)), np.int8)[np.int64(index_of(s, c, w))])


def size_of_class(c: Any, weights: Any) -> Any:
    """How many positions a class has."""
    return class_size(c, weights[0])


class Tables:
    """Tables of one game by class: arrays of int8, as long as the class has positions.

    A byte is what the position is worth to its mover, in `scale` points, or UNKNOWN. The arrays may be mapped files;
    they must not change while a search runs. Raises BadInput if an array does not fit its class, or the game has no
    numbers for its positions.
    """

    def __init__(self, game: CompiledGame, tables: Mapping[int, Any], *, scale: int = 1) -> None:
        if "index_of" not in game.rules.verbs:
            raise BadInput(f"{game.name} gives its positions no numbers, so no tables can be asked about them.")
        kernel = game.rules.kernel(size_of_class)
        for c, table in tables.items():
            size = int(kernel(c, game.w)) if c >= 0 else 0
            if getattr(table, "dtype", None) != np.int8 or table.shape != (size,) or not table.flags.c_contiguous:
                raise BadInput(
                    f"The table of class {game.class_name(c)} of {game.name} does not fit; "
                    f"expected {size} bytes, one after the other (int8)."
                )
        self.scale = scale
        self._tables = dict(tables)  # which keeps them alive
        self.addresses = np.zeros(max(tables, default=-1) + 1, np.uint64)
        for c, table in self._tables.items():
            self.addresses[c] = table.ctypes.data


def lend(tables: Tables | None, contexts: Any) -> None:
    """Let contexts ask these tables, or none."""
    contexts["tables_at"] = 0 if tables is None else tables.addresses.ctypes.data
    contexts["tables_count"] = 0 if tables is None else len(tables.addresses)
    contexts["tables_scale"] = 1 if tables is None else tables.scale
