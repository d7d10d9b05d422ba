"""A position as plain data, so that the terminal and the browser can draw any game without knowing its rules."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

__all__ = ["Drawing", "Piece", "cells_in_move"]


@dataclass(frozen=True)
class Piece:
    """Something that lies on a board: a letter or symbol, whose it is, and where."""

    row: int
    column: int
    text: str
    player: int | None = None


@dataclass(frozen=True, kw_only=True)
class Drawing:
    """What to draw. Rows count from the top, columns from the left, both from 0.

    square, hex, points: a board of `rows` × `columns` with `pieces` on its cells (squares, hexagons, line crossings).
    cards: `hands` maps an owner to card texts. text: `text` is printed as it stands.
    `cells` names the cells, row by row, as moves name them, so that a click can become a move.
    """

    layout: Literal["square", "hex", "points", "cards", "text"] = "text"
    rows: int = 0
    columns: int = 0
    pieces: tuple[Piece, ...] = ()
    cells: tuple[str, ...] = ()
    hands: tuple[tuple[str, tuple[str, ...]], ...] = ()
    text: str = ""
    caption: str = ""
    checkered: bool = False
    """Squares are light and dark by turns, as in chess."""
    stones: bool = False
    """Pieces are round stones in their player's colour; their text is written on them only where it tells more."""

    def to_data(self) -> dict[str, Any]:
        """The drawing as JSON-ready data."""
        return asdict(self)


def cells_in_move(text: str, cells: Sequence[str]) -> tuple[str, ...]:
    """The cells that a move's text names, in order: `b2` one, `b2-c3`, `b2xc3` and `b2c3` two; () if it names others.

    This serves every game whose moves are written so; another one says it by `Game.action_cells`.
    """
    known = set(cells) - {""}
    if text in known:
        return (text,)
    parts = re.split(r"[^0-9A-Za-z]+|(?<=[0-9])x(?=[A-Za-z])", text)
    if len(parts) > 1 and all(part in known for part in parts):
        return tuple(parts)
    whole = re.fullmatch(r"([A-Za-z]+[0-9]+)([A-Za-z]+[0-9]+)", text)
    if whole and known.issuperset(whole.groups()):
        return whole.groups()
    return ()
