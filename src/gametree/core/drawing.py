"""A position as plain data, so that the terminal and the browser can draw any game without knowing its rules.

A game returns a `Drawing`. Its shorthands (a grid with pieces, hands of cards, text) say the usual things in a line;
`places`, `items`, `racks`, `tracks`, `labels` and `lines` say everything else, alone or beside a shorthand.
`scene` in `core/scene.py` turns either into one list of places and things, and every renderer draws that list only.
Lengths are in cells, x to the right and y down; a place is given by its centre.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import MISSING, asdict, dataclass, fields
from typing import Any, Literal, get_args

from gametree.core.errors import BadInput

__all__ = [
    "COLOURS",
    "MOST_SEATS",
    "Drawing",
    "Item",
    "Kind",
    "Label",
    "Line",
    "Mark",
    "Piece",
    "Place",
    "Rack",
    "Region",
    "Seat",
    "Shape",
    "Track",
    "cells_in_move",
    "grid",
    "lean",
]

Shape = Literal["square", "round", "hex", "point", "up", "down", "pocket", "slot", "none"]
"""`up` and `down` are triangles that point so and carry a stack from their base on; a pocket or slot lines up what lies
in it along its longer side; `none` is a gap in a grid, which is neither drawn nor clicked."""
Kind = Literal[
    "piece", "stone", "card", "die", "cube", "tile", "chip",
    "disc", "token", "man", "crowned", "checker", "cross", "ring", "match", "button",
    "king", "queen", "rook", "bishop", "knight", "pawn",
    "elephant", "camel", "horse", "dog", "cat", "rabbit",
]  # fmt: skip
"""`piece` is a letter or figure on a badge; the kinds of the second line are round men and small things, the others
figures that are drawn. Kinds after `chip` need no text to be recognised."""
MarkKind = Literal["last", "check", "heat", "area", "arrow", "plan", "note", "dot"]
COLOURS = ("white", "black", "gold", "silver", "red", "yellow", "blue", "orange", "brown")
"""Names of colours that a seat may have; the theme says what they look like."""

MOST_SEATS = 20
"""Seats that can be told apart: eight colours, each plain, striped and dotted, and always the number."""
HEX_STEP = math.sqrt(3) / 2
"""From one row of hexagons of width 1 to the next."""


@dataclass(frozen=True)
class Piece:
    """Something that lies on a cell of a grid: a letter or symbol, whose it is, and where."""

    row: int
    column: int
    text: str
    player: int | None = None


@dataclass(frozen=True)
class Place:
    """Where things can lie and what can be clicked. Raises BadInput for an unknown shape or a size that is none."""

    name: str
    """As moves name it. Several places may share a name (a column of Connect Four); "" cannot be clicked."""
    x: float
    y: float
    shape: Shape = "square"
    width: float = 1.0
    height: float = 1.0
    tone: str = ""
    """How the ground looks: light, dark, trap, red, rose, blue, sky, gold, green; another word is plain."""
    text: str = ""
    """Written on the ground, on a pocket as its sign. What a tone means is written too: not everyone sees colours."""
    player: int | None = None
    """Whose place it is; its sign then bears the seat's colour and number."""
    label: str = ""
    """What a screen reader says instead of the name: "point 13", "your rack"."""

    def __post_init__(self) -> None:
        if self.shape not in get_args(Shape):
            raise BadInput(f"The place '{self.name}' has the shape {self.shape!r}; expected one of {_listed(Shape)}.")
        if not all(map(_finite, (self.x, self.y))) or not all(_finite(v) and v > 0 for v in (self.width, self.height)):
            raise BadInput(
                f"The place '{self.name}' lies at ({self.x!r}, {self.y!r}) and measures {self.width!r} × "
                f"{self.height!r}; expected finite numbers, and sizes above 0."
            )


@dataclass(frozen=True)
class Item:
    """Something that lies on a place. Raises BadInput for an unknown kind, a count below 1, words on a hidden face."""

    place: str | int
    """Name of the place, or its number where names are shared; in a rack, the name of the slot that holds the item."""
    kind: Kind = "piece"
    text: str = ""
    """What is on it: a figure, rank and suit of a card (QS, TH, 10H), pips, an amount, a letter."""
    player: int | None = None
    count: int = 1
    """A stack of this many alike."""
    face_up: bool = True
    label: str = ""
    """What a screen reader says; "" is a sentence made of the rest, such as "queen of spades"."""
    value: int | None = None
    """Written small beside the text: a tile's points."""
    chance: float | None = None
    """A ghost: how likely it is that this lies here, 0 to 1. It is drawn pale, with a dashed rim."""

    def __post_init__(self) -> None:
        if self.kind not in get_args(Kind):
            raise BadInput(f"An item at '{self.place}' is of the kind {self.kind!r}; expected one of {_listed(Kind)}.")
        if isinstance(self.count, bool) or not isinstance(self.count, int) or self.count < 1:
            raise BadInput(f"The {self.kind} at '{self.place}' has the count {self.count!r}; expected at least 1.")
        if self.chance is not None and not (_finite(self.chance) and 0 <= self.chance <= 1):
            raise BadInput(f"The {self.kind} at '{self.place}' has the chance {self.chance!r}; expected 0 to 1.")
        if not self.face_up and (self.text or self.value is not None):
            raise BadInput(
                f"The {self.kind} at '{self.place}' lies face down and yet says {self.text or self.value!r}; "
                "expected no text and no value, because a drawing must not hold what its reader may not know."
            )

    def spoken(self) -> str:
        """What a screen reader says of it."""
        if self.label:
            return self.label
        words = {
            "card": _card_words(self.text),
            "die": f"die showing {self.text}" if self.text else "die",
            "cube": f"cube at {self.text}" if self.text else "cube",
            "tile": f"tile {self.text}" if self.text else "blank tile",
            "chip": f"{self.text} in chips" if self.text else "chip",
        }.get(self.kind, self.text or self.kind)
        if not self.face_up:
            words = f"{self.kind} face down"
        if self.value is not None:
            words += f" {self.value}"
        if self.count > 1:
            words = f"{self.count} × {words}"
        if self.player is not None:
            words += f", player {self.player + 1}"
        return words if self.chance is None else f"perhaps {words}, {round(100 * self.chance)} %"


@dataclass(frozen=True)
class Rack:
    """A row of items that each have a slot of their own: a hand of cards, the tiles in front of a player."""

    owner: str
    """Written over it."""
    items: tuple[Item, ...] = ()
    x: float = 0.0
    y: float = 0.0
    width: float = 7.0
    """The slots stand close and overlap where they would be wider."""
    height: float = 1.0
    player: int | None = None
    slots: int = 0
    """At least this many are drawn, empty ones behind the items."""


@dataclass(frozen=True)
class Track:
    """How far something has come: a score on its way to the goal. `more` is what this turn would add."""

    label: str
    value: float
    most: float
    more: float = 0.0
    player: int | None = None
    x: float = 0.0
    y: float = 0.0
    width: float = 6.0

    def __post_init__(self) -> None:
        numbers = (self.value, self.most, self.more)
        if not all(map(_finite, numbers)) or self.most <= 0 or self.value < 0 or self.more < 0:
            raise BadInput(
                f"The track '{self.label}' stands at {self.value!r} + {self.more!r} of {self.most!r}; "
                "expected finite numbers, none below 0 and the last above 0."
            )


@dataclass(frozen=True)
class Label:
    """Words on the table that are no place, such as the number of a point."""

    x: float
    y: float
    text: str
    size: float = 0.28
    tone: str = ""
    """"strong" is bold, "frame", "wood" and "felt" are read on that ground; another word is plain."""
    align: Literal["start", "middle", "end"] = "middle"


@dataclass(frozen=True)
class Line:
    """A line through points: the grid of Go, a border that belongs to a player, a winning chain."""

    points: tuple[tuple[float, float], ...]
    player: int | None = None
    tone: str = ""
    """"pen" is a broad stroke, "chain" a connection that is proven or won; another word is a thin line."""
    above: bool = False
    """Above what lies on the board."""


@dataclass(frozen=True)
class Seat:
    """Who sits there, in words and colour. Raises BadInput for a colour that the theme does not know."""

    name: str = ""
    """The one name of the seat; "" takes the game's."""
    colour: str = ""
    """One of COLOURS; "" is the palette's."""

    def __post_init__(self) -> None:
        if self.colour and self.colour not in COLOURS:
            raise BadInput(
                f"The seat '{self.name}' has the colour {self.colour!r}; expected one of {', '.join(COLOURS)}."
            )


@dataclass(frozen=True)
class Region:
    """Ground that is no place: a frame, felt, a rail, a heap, the goal of a seat. A rect or an oval has two corners."""

    shape: Literal["rect", "oval", "polygon"]
    points: tuple[tuple[float, float], ...]
    tone: str = ""
    """frame, wood, felt, rail, dark, pale, goal, or a tone of places; another word is plain."""
    player: int | None = None
    """Whose it is: then it has the colour of the seat."""
    round: float = 0.0
    """Radius of the corners of a rect."""

    def __post_init__(self) -> None:
        few = 2 if self.shape in ("rect", "oval") else 3
        good = self.shape in ("rect", "oval", "polygon") and len(self.points) >= few
        if not good or not all(_finite(v) for point in self.points for v in point):
            raise BadInput(
                f"A region is a {self.shape!r} of {len(self.points)} points; expected a rect or an oval of two finite "
                "points, or a polygon of three or more."
            )


@dataclass(frozen=True)
class Mark:
    """What the game or the analysis says about a place. Raises BadInput for an unknown kind, or a value outside 0 to 1.

    last: the last move came here. check: what lies here is attacked. heat: likely, by `value`. area: belongs to
    `player`, by `value`. arrow, plan: from the place to the place `to`, with `text` on it, an arrow broad by `value`.
    note: a few letters in the corner. dot: a small sign.
    """

    kind: MarkKind
    place: str | int
    to: str | int | None = None
    value: float = 1.0
    text: str = ""
    player: int | None = None

    def __post_init__(self) -> None:
        if self.kind not in get_args(MarkKind):
            raise BadInput(
                f"A mark at '{self.place}' is of the kind {self.kind!r}; expected one of {_listed(MarkKind)}."
            )
        if not _finite(self.value) or not 0 <= self.value <= 1:
            raise BadInput(f"The mark '{self.kind}' at '{self.place}' has the value {self.value!r}; expected 0 to 1.")
        if (self.kind in ("arrow", "plan")) == (self.to is None):
            raise BadInput(
                f"The mark '{self.kind}' at '{self.place}' leads to {self.to!r}; expected a place for an arrow or a "
                "plan, and none for another mark."
            )


@dataclass(frozen=True, kw_only=True)
class Drawing:
    """What to draw. Rows count from the top, columns from the left, both from 0.

    square, hex, points: a board of `rows` × `columns` with `pieces` on its cells (squares, hexagons, line crossings).
    `cells` names the cells, row by row, as moves name them, so that a click can become a move.
    cards: `hands` maps an owner to card texts. text: `text` is printed as it stands.
    places: only what `places`, `items`, `racks`, `tracks`, `labels` and `lines` say; these may also stand beside a
    shorthand, whose cells then come first. If `rows` and `columns` are given, the first `rows` × `columns` places are
    a grid, row by row (`grid` makes them).

    Raises BadInput if an item lies on a place that is not there or whose name does not tell which one it is.
    """

    layout: Literal["square", "hex", "points", "cards", "text", "places"] = "text"
    rows: int = 0
    columns: int = 0
    pieces: tuple[Piece, ...] = ()
    cells: tuple[str, ...] = ()
    hands: tuple[tuple[str, tuple[str, ...]], ...] = ()
    text: str = ""
    caption: str = ""
    checkered: bool = False
    """Squares are light and dark by turns, as in chess."""
    stones: bool | Kind = False
    """Pieces are round stones in their player's colour, or what else this names (disc, token, man); their text is
    written on them only where it tells more."""
    places: tuple[Place, ...] = ()
    items: tuple[Item, ...] = ()
    racks: tuple[Rack, ...] = ()
    tracks: tuple[Track, ...] = ()
    labels: tuple[Label, ...] = ()
    lines: tuple[Line, ...] = ()
    surface: Literal["", "wood", "felt", "green", "blue"] = ""
    """What the whole lies on; on green and blue a grid has its own frame."""
    regions: tuple[Region, ...] = ()
    marks: tuple[Mark, ...] = ()
    seats: tuple[Seat, ...] = ()
    """Names and colours of the seats, where they are not the game's own and the palette's."""
    alt: str = ""
    """The position in a sentence, for a screen reader: "White to move, in check"."""
    enter: Literal["appear", "drop", "deal"] = "appear"
    """How something new comes: drop falls from above, and the frame of a blue board is in front of it."""

    def __post_init__(self) -> None:
        own = self.layout in ("square", "hex", "points")
        if self.layout == "places" and self.rows * self.columns > len(self.places):
            raise BadInput(
                f"The drawing has {len(self.places)} places; "
                f"expected at least the {self.rows} × {self.columns} of its grid."
            )
        if not self.items and not self.marks:
            return
        cells = self.rows * self.columns if own else 0
        names = [*(self.cells if own and self.cells else [""] * cells), *(place.name for place in self.places)]
        counts = Counter(names)
        slots = {item.place for rack in self.racks for item in rack.items}
        for item in self.items:
            _find(f"The {item.kind} lies on", item.place, counts, len(names))
        for mark in self.marks:
            for where in (mark.place, mark.to):
                if where is not None and where not in slots:
                    _find(f"The mark '{mark.kind}' is on", where, counts, len(names))

    def to_data(self) -> dict[str, Any]:
        """The drawing as JSON-ready data; in places, items and the like, what is as by default is left out."""
        rich = {name: [lean(part) for part in getattr(self, name)] for name in _RICH}
        rich["racks"] = [lean(rack) | {"items": [lean(item) for item in rack.items]} for rack in self.racks]
        return (
            {field.name: getattr(self, field.name) for field in fields(self)}
            | rich
            | {"pieces": [asdict(piece) for piece in self.pieces]}
        )


_RICH = ("places", "items", "racks", "tracks", "labels", "lines", "regions", "marks", "seats")


def _find(what: str, where: str | int, names: Mapping[str, int], count: int) -> None:
    """Refuse a place that is not there, or whose name does not tell which one it is."""
    found = (0 <= where < count) if isinstance(where, int) else bool(where) and names.get(where, 0)
    if not found:
        raise BadInput(f"{what} the place {where!r}, which the drawing does not have.")
    if found > 1:
        raise BadInput(f"{what} the place {where!r}, but {found} places are called so.")


def grid(
    shape: Shape,
    rows: int,
    columns: int,
    names: Sequence[str] = (),
    *,
    checkered: bool = False,
    tones: Mapping[str, str] | None = None,
    texts: Mapping[str, str] | None = None,
    gaps: Sequence[str] = (),
) -> tuple[Place, ...]:
    """The places of a grid, row by row; hexagons stand on a corner, each row half a cell to the right of the one above.

    `names` names the cells. `tones` and `texts` say by name what the ground of a cell looks like and what is written
    on it; cells that `gaps` names are left out, so that a grid can have any outline.
    """
    tones, texts, left_out = tones or {}, texts or {}, frozenset(gaps)
    made = []
    for row in range(rows):
        for column in range(columns):
            name = names[row * columns + column] if names else ""
            tone = tones.get(name, ("dark" if (row + column) % 2 else "light") if checkered else "")
            x, y = column + 0.5, row + 0.5
            if shape == "hex":
                x, y = x + row / 2, round(0.6 + row * HEX_STEP, 4)
            kind: Shape = "none" if name in left_out else shape
            made.append(Place(name, x, y, kind, tone=tone, text=texts.get(name, "")))
    return tuple(made)


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


def lean(part: Any) -> dict[str, Any]:
    """The fields of a part of a drawing that are not as by default."""
    return {
        field.name: value
        for field in fields(part)
        if (value := getattr(part, field.name)) != field.default or field.default is MISSING
    }


_RANKS = {"A": "ace", "K": "king", "Q": "queen", "J": "jack", "T": "10"}
_SUITS = {"S": "spades", "H": "hearts", "D": "diamonds", "C": "clubs"}


def _card_words(text: str) -> str:
    found = re.fullmatch(r"([AKQJT2-9]|10)([SHDC])", text)
    if not found:
        return f"card {text}" if text else "card"
    rank, suit = found.groups()
    return f"{_RANKS.get(rank, rank)} of {_SUITS[suit]}"


def _finite(value: Any) -> bool:
    return isinstance(value, int | float) and math.isfinite(value)


def _listed(choices: Any) -> str:
    return ", ".join(get_args(choices))
