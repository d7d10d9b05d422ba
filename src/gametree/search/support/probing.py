"""Tables of solved positions, which a search asks before it searches.

A game whose positions have numbers (`table_class`, `index_of` and their companions) can be looked up in tables with one
byte for each position: what it is worth to its mover, or UNKNOWN; or how soon it is won or lost (`table_bytes`), if the
class is of the kind DISTANCE. Where it is QUIET as well, positions whose mover is under a threat that must be answered
are left out. A search asks only where no earlier position can come
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
    HAS_IS_URGENT,
    HAS_REPETITION_KEY,
    HIGHEST,
    class_size,
    index_of,
    is_urgent,
    reversible_plies,
    table_class,
    weights_of,
)
from gametree.search.support.table_bytes import plies_of

__all__ = [
    "DISTANCE",
    "FIELDS",
    "OUTCOME",
    "QUIET",
    "UNKNOWN",
    "Tables",
    "lend",
    "plies_found",
    "points_found",
    "probe_tables",
]

UNKNOWN = -128
"""The byte of a position that the table does not know; all others are values."""

OUTCOME, DISTANCE, QUIET = 0, 1, 2
"""Kinds of tables; QUIET is added to one of the others."""
AWAY = 1024
"""What is added to the byte of a DISTANCE, to tell it from others."""

FIELDS = {
    "tables_at": "u8",  # where the addresses of the tables lie, by class; the engine keeps them alive
    "tables_kinds_at": "u8",  # where their kinds lie
    "tables_count": "i8",  # how many classes that are
    "tables_scale": "i8",  # what a byte of 1 is worth in points
}
"""Fields of a context, for `struct`."""


def probe_tables(s: Any, ctx: Any) -> Any:
    """The byte of a state, AWAY more if it is a distance, or UNKNOWN."""
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
    kind = array_at(u64(ctx.tables_kinds_at), np.int64(ctx.tables_count), np.int64)[c]
    if HAS_IS_URGENT and kind & QUIET != 0 and is_urgent(s, w):
        return np.int64(UNKNOWN)
    byte = np.int64(array_at(at, np.int64(class_size(c, w)), np.int8)[np.int64(index_of(s, c, w))])
    return byte + AWAY if byte != UNKNOWN and kind & DISTANCE != 0 else byte


def points_found(found: Any, ctx: Any) -> Any:
    """What `probe_tables` has found, other than UNKNOWN, in points of the mover."""
    if found < AWAY // 2:
        return np.int64(found) * np.int64(ctx.tables_scale)
    return np.int64(HIGHEST if found > AWAY else -HIGHEST if found < AWAY else 0)


def plies_found(found: Any) -> Any:
    """In how many plies the game is won or lost, if what `probe_tables` has found tells; else −1."""
    return plies_of(found - AWAY) if found >= AWAY // 2 and found != AWAY else np.int64(-1)


def size_of_class(c: Any, weights: Any) -> Any:
    """How many positions a class has."""
    return class_size(c, weights[0])


class Tables:
    """Tables of one game by class: arrays of int8, as long as the class has positions.

    A byte is what the position is worth to its mover, in `scale` points, or UNKNOWN; `kinds` names the classes that are
    of another kind than OUTCOME. The arrays may be mapped files;
    they must not change while a search runs. Raises BadInput if an array does not fit its class, or the game has no
    numbers for its positions.
    """

    def __init__(
        self, game: CompiledGame, tables: Mapping[int, Any], *, scale: int = 1, kinds: Mapping[int, int] | None = None
    ) -> None:
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
        self.kinds = np.zeros(len(self.addresses), np.int64)
        for c, table in self._tables.items():
            self.addresses[c] = table.ctypes.data
            self.kinds[c] = (kinds or {}).get(c, OUTCOME)


def lend(tables: Tables | None, contexts: Any) -> None:
    """Let contexts ask these tables, or none."""
    contexts["tables_at"] = 0 if tables is None else tables.addresses.ctypes.data
    contexts["tables_kinds_at"] = 0 if tables is None else tables.kinds.ctypes.data
    contexts["tables_count"] = 0 if tables is None else len(tables.addresses)
    contexts["tables_scale"] = 1 if tables is None else tables.scale
