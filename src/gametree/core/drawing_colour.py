"""Any drawing in colour for a terminal of 256 colours: grounds, pieces in the colours of their seats, red suits.

Grounds are dark enough that white and black pieces both can be read on them. Signs stay the same without the colours:
`drawing_text` is what a terminal without them, or a pipe, gets.
"""

from __future__ import annotations

import re
from collections.abc import Collection

from gametree.core.drawing import Drawing, Item, Place
from gametree.core.drawing_text import WIDTH, Table, contents_of
from gametree.core.scene import Scene, scene

__all__ = ["drawing_colours"]

FAINT, BLACK, WHITE = 245, 16, 231
GROUNDS = {
    "light": 137, "dark": 94, "trap": 52, "red": 124, "rose": 131, "blue": 25, "sky": 67, "gold": 136, "green": 28,
    "sand": 137, "pale": 101, "fog": 240, "goal": 136,
}  # fmt: skip
SURFACES = {"green": 28, "blue": 25, "wood": 137}
LAST, CHECK = 100, 160
COLOURS = {
    "white": WHITE, "black": BLACK, "gold": 220, "silver": 250, "red": 203, "yellow": 226, "blue": 75, "orange": 215,
    "brown": 137,
}  # fmt: skip
ON_GROUND = (BLACK, WHITE, 75, 214, 173, 117, 176, 209)
"""Colours of the seats for things on a coloured ground."""
ON_NOTHING = (75, 215, 114, 222, 173, 117, 176, 209)
"""The same on the terminal's own ground, be it dark or light."""
SOLID = str.maketrans("♔♕♖♗♘♙", "♚♛♜♝♞♟")
ROUND = ("stone", "disc", "token", "man", "crowned", "checker")


def drawing_colours(drawing: Drawing, *, marked: Collection[str] = (), turned: bool = False) -> str:
    """The drawing in lines with the codes of colours. `marked` places, where the last move was, stand in brackets."""
    shown = scene(drawing)
    table = Table(shown, contents_of(shown), frozenset(marked) - {""}, turned)
    text = table.whole(lambda: _grid(table) or table.board())
    if shown.rows and shown.columns:
        return text
    return re.sub(r"\S*[♥♦]", lambda found: _code(found[0], 203), text.replace("░░", _code("░░", 67)))


def _grid(table: Table) -> str:
    """A grid as coloured cells; nothing if it is too wide."""
    shown, rows, columns = table.shown, table.shown.rows, table.shown.columns
    cells = list(range(rows * columns))
    left, below = list(shown.left), list(shown.below)
    if table.turned:
        cells, left, below = cells[::-1], left[::-1], below[::-1]
    places = shown.places
    hexagons = any(places[cell].shape == "hex" for cell in cells)
    small = rows * columns <= 16 and any(shown.names[: rows * columns])
    words = {cell: _word(table, cell, small) for cell in cells}
    width = max(3, max(len(word) for word in words.values()) + 2) if not hexagons else 4
    margin = max(map(len, left), default=0)
    if small:
        left = below = []
    if margin + 1 + columns * width + (rows * width // 2 if hexagons else 0) >= WIDTH:
        return ""
    checked = {mark.place for mark in shown.marks if mark.kind == "check"}
    lines = []
    for row in range(rows):
        line = _code(f"{left[row]:>{margin}} ", FAINT) if left else ""
        line += " " * (row * width // 2) if hexagons else ""
        for cell in cells[row * columns : (row + 1) * columns]:
            word, last = words[cell].center(width - 2), shown.names[cell] in table.marked
            ground = CHECK if cell in checked else LAST if last and not hexagons else _ground(shown, places[cell])
            if places[cell].shape == "none":
                ground, word, last = None, " " * (width - 2), False
            line += _code(f"({word})" if last else f" {word} ", _ink(table, cell, ground), ground)
        lines.append(line)
    if below:
        shift = " " * (rows * width // 2) if hexagons else ""
        lines.append(
            " " * (margin + 1 if left else 0) + shift + _code("".join(name.center(width) for name in below), FAINT)
        )
    return "\n".join(lines)


def _word(table: Table, cell: int, named: bool) -> str:
    items, place = table.contents.get(cell, []), table.shown.places[cell]
    if not items:
        bare = place.shape in ("point", "hex") or table.shown.surface == "blue" or _ground(table.shown, place) is None
        empty = "·" if bare else ""
        return place.text or (place.name if named else empty)
    return "".join(_sign(table, item) for item in items)


def _sign(table: Table, item: Item) -> str:
    texts = {other.text for other in table.shown.items if other.player == item.player and other.kind == item.kind}
    if item.kind in ROUND and (not item.text or len(texts) == 1):
        if table.shown.surface == "blue" and item.player == 1:
            return "○"  # red and yellow are not told apart by everyone
        return "♛" if item.kind == "crowned" else "●"
    return item.text.translate(SOLID) or "●"


def _ground(shown: Scene, place: Place) -> int | None:
    if place.shape == "hex":
        return None
    return GROUNDS.get(place.tone, SURFACES.get(shown.surface))


def _ink(table: Table, cell: int, ground: int | None) -> int:
    items = table.contents.get(cell, [])
    if not items:
        return FAINT if ground is None else BLACK
    item, seats = items[-1], table.shown.seats
    if item.text and item.text in "♔♕♖♗♘♙":
        return WHITE
    if item.text and item.text in "♚♛♜♝♞♟":
        return BLACK
    if item.player is None:
        return WHITE if ground is not None else 250
    if item.player < len(seats) and seats[item.player].colour:
        return COLOURS[seats[item.player].colour]
    if table.shown.surface == "blue":
        return (203, 226)[item.player % 2]
    return (ON_NOTHING if ground is None else ON_GROUND)[item.player % 8]


def _code(text: str, ink: int, ground: int | None = None) -> str:
    back = "" if ground is None else f";48;5;{ground}"
    return f"\x1b[1;38;5;{ink}{back}m{text}\x1b[0m"
