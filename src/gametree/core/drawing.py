"""A position as plain data, so that the terminal and the browser can draw any game without knowing its rules."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Literal

__all__ = ["Drawing", "Piece"]


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

    def to_data(self) -> dict[str, Any]:
        """The drawing as JSON-ready data."""
        return asdict(self)
