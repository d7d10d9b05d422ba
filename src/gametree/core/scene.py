"""What renderers draw: any drawing as one list of places and the items that lie on them.

A grid's cells come first, so that a cell keeps its number (row × columns + column), then the other places, then the
slots of the racks. Every item names its place by number and knows what a screen reader says of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from gametree.core.drawing import Drawing, Item, Kind, Label, Line, Mark, Place, Rack, Region, Seat, Track, grid, lean
from gametree.core.drawing_limits import check_limits

__all__ = ["Row", "Scene", "edge_names", "scene"]

CARD = 0.72
"""Width of a card over its height."""


@dataclass(frozen=True)
class Row:
    """A rack whose slots are the places `first` to `first + slots - 1`."""

    owner: str
    first: int
    slots: int
    x: float
    y: float
    width: float
    height: float
    player: int | None = None


@dataclass(frozen=True, kw_only=True)
class Scene:
    """A drawing in its general form. `left` and `below` are the names of a grid's rows and columns, if it has any."""

    layout: str
    rows: int
    columns: int
    places: tuple[Place, ...]
    items: tuple[Item, ...]
    racks: tuple[Row, ...]
    tracks: tuple[Track, ...]
    labels: tuple[Label, ...]
    lines: tuple[Line, ...]
    left: tuple[str, ...]
    below: tuple[str, ...]
    surface: str
    checkered: bool
    text: str
    caption: str
    regions: tuple[Region, ...] = ()
    marks: tuple[Mark, ...] = ()
    """Their places are numbers."""
    seats: tuple[Seat, ...] = ()
    alt: str = ""
    enter: str = "appear"

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the places; gaps have none."""
        return tuple("" if place.shape == "none" else place.name for place in self.places)

    def to_data(self) -> dict[str, Any]:
        """The scene as JSON-ready data; in its parts, what is as by default is left out."""
        parts = ("places", "items", "racks", "tracks", "labels", "lines", "regions", "marks", "seats")
        plain = (
            "layout", "rows", "columns", "left", "below", "surface", "checkered", "text", "caption", "alt", "enter",
        )  # fmt: skip
        return {name: getattr(self, name) for name in plain} | {
            name: [lean(part) for part in getattr(self, name)] for name in parts
        }


def scene(drawing: Drawing) -> Scene:
    """The drawing in its general form. Raises BadInput if it is larger than anyone could look at."""
    check_limits(drawing)
    places, lines, surface = drawing.places, drawing.lines, drawing.surface
    rows, columns, items, racks = drawing.rows, drawing.columns, drawing.items, drawing.racks
    if drawing.layout in ("square", "hex", "points"):
        shape = "point" if drawing.layout == "points" else drawing.layout
        places = (*grid(shape, rows, columns, drawing.cells, checkered=drawing.checkered), *places)
        kind: Kind = drawing.stones if isinstance(drawing.stones, str) else "stone" if drawing.stones else "piece"
        pieces = (Item(p.row * columns + p.column, kind, p.text, p.player) for p in drawing.pieces)
        items = (*pieces, *items)
        if shape == "point":
            lines, surface = (*_crossing_lines(rows, columns), *lines), surface or "wood"
    elif drawing.layout == "cards":
        racks = (*_hands(drawing), *racks)
    elif drawing.layout == "text":
        rows = columns = 0
    known = {place.name: number for number, place in enumerate(places)}
    laid = [_laid(item, item.place if isinstance(item.place, int) else known[item.place]) for item in items]
    everywhere, laid_rows = list(places), []
    for rack in racks:
        first = len(everywhere)
        everywhere += _slots(rack)
        laid += [_laid(item, first + number) for number, item in enumerate(rack.items)]
        laid_rows.append(
            Row(rack.owner, first, len(everywhere) - first, rack.x, rack.y, rack.width, rack.height, rack.player)
        )
    left, below = edge_names([place.name for place in places], rows, columns)
    return Scene(
        layout=drawing.layout,
        rows=rows,
        columns=columns,
        places=tuple(everywhere),
        items=tuple(laid),
        racks=tuple(laid_rows),
        tracks=drawing.tracks,
        labels=drawing.labels,
        lines=lines,
        left=left,
        below=below,
        surface=surface,
        checkered=drawing.checkered,
        text=drawing.text,
        caption=drawing.caption,
        regions=drawing.regions,
        marks=_marks(drawing.marks, everywhere),
        seats=drawing.seats,
        alt=drawing.alt,
        enter=drawing.enter,
    )


def edge_names(names: Sequence[str], rows: int, columns: int) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """What the cells of each row, and of each column, have in common: `8` and `a` for a8 to h8 and a8 to a1.

    Where only columns have a name in common, as in Connect Four, there are no names of rows; otherwise none at all.
    """
    if not rows or not columns or not any(names):
        return (), ()
    cells = [names[row * columns : (row + 1) * columns] for row in range(rows)]
    letters = [[name.rstrip("0123456789") for name in row] for row in cells]
    digits = [{name[len(name.rstrip("0123456789")) :] for name in row} for row in cells]
    below = [set(column) for column in zip(*letters, strict=True)]
    if all(len(found) == 1 for found in (*digits, *below)):
        left = tuple(min(found) for found in digits)
        return (left, tuple(min(found) for found in below)) if all(left) else ((), ())
    whole = [set(column) for column in zip(*cells, strict=True)]
    return ((), tuple(min(found) for found in whole)) if all(len(found) == 1 for found in whole) else ((), ())


def _laid(item: Item, place: int) -> Item:
    return replace(item, place=place, label=item.spoken())


def _marks(marks: Sequence[Mark], places: Sequence[Place]) -> tuple[Mark, ...]:
    known = {place.name: number for number, place in reversed(list(enumerate(places)))}

    def number(place: str | int | None) -> Any:
        return known[place] if isinstance(place, str) else place

    return tuple(replace(mark, place=number(mark.place), to=number(mark.to)) for mark in marks)


def _crossing_lines(rows: int, columns: int) -> list[Line]:
    across = [Line(((0.5, row + 0.5), (columns - 0.5, row + 0.5))) for row in range(rows)]
    return across + [Line(((column + 0.5, 0.5), (column + 0.5, rows - 0.5))) for column in range(columns)]


def _hands(drawing: Drawing) -> list[Rack]:
    """The shorthand of hands: one rack below the other."""
    width = max([4.0, *(0.8 * len(cards) for _, cards in drawing.hands)])
    return [
        Rack(owner, tuple(Item("", "card", text) for text in cards), width / 2, 0.9 + 1.5 * number, width)
        for number, (owner, cards) in enumerate(drawing.hands)
    ]


def _slots(rack: Rack) -> list[Place]:
    """The slots of a rack, side by side and in its middle; close together where they are many."""
    count = max(rack.slots, len(rack.items))
    wide = rack.height * (CARD if any(item.kind == "card" for item in rack.items) else 1.0)
    step = wide * 1.06 if count < 2 else min(wide * 1.06, (rack.width - wide) / (count - 1))
    start = rack.x - step * (count - 1) / 2
    names = [str(item.place) for item in rack.items] + [""] * (count - len(rack.items))
    return [
        Place(name, round(start + step * number, 4), rack.y, "slot", wide, rack.height)
        for number, name in enumerate(names)
    ]
