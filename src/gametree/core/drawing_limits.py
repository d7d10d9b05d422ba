"""What a drawing may hold at most: more would not be seen, and would choke whoever draws it.

Every renderer draws a scene, and `scene` asks here, so a user's game that draws a million things gets a sentence.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from gametree.core.errors import BadInput

if TYPE_CHECKING:
    from gametree.core.drawing import Drawing

__all__ = ["MOST_PARTS", "check_limits"]

MOST_PARTS = {
    "places": 1000, "pieces": 1000, "items": 1000, "marks": 500, "lines": 500, "labels": 400, "regions": 200,
    "racks": 100, "tracks": 100, "seats": 20, "hands": 100,
}  # fmt: skip
"""Parts of each sort."""
MOST_CELLS = 1000
"""Rows × columns of a grid."""
LONGEST = {"text": 60, "name": 60, "label": 200, "tone": 20, "owner": 80, "colour": 20}
"""Characters of the words of a part."""
LONGEST_TEXT = 20_000
"""Characters of a drawing that is a text."""
LONGEST_SENTENCE = 400
"""Characters of its caption and of its sentence for a screen reader."""
FARTHEST = 10_000.0
"""Cells from the corner."""


def check_limits(drawing: Drawing) -> None:
    """Raises BadInput, naming what is too large, too long or not finite."""
    if drawing.rows < 0 or drawing.columns < 0 or drawing.rows * drawing.columns > MOST_CELLS:
        raise BadInput(
            f"The drawing has a grid of {drawing.rows} × {drawing.columns} cells; expected at most {MOST_CELLS}."
        )
    for sort, most in MOST_PARTS.items():
        count = len(getattr(drawing, sort))
        if count > most:
            raise BadInput(f"The drawing has {count} {sort}; expected at most {most}.")
    racked = sum(max(len(rack.items), rack.slots) for rack in drawing.racks)
    if racked + sum(len(cards) for _, cards in drawing.hands) > MOST_PARTS["items"]:
        raise BadInput(f"The racks of the drawing have {racked} slots; expected at most {MOST_PARTS['items']}.")
    _check_word("The drawing", "text", drawing.text, LONGEST_TEXT)
    _check_word("The drawing", "caption", drawing.caption, LONGEST_SENTENCE)
    _check_word("The drawing", "sentence", drawing.alt, LONGEST_SENTENCE)
    for cell in drawing.cells:
        _check_word("A cell", "name", cell, LONGEST["name"])
    for owner, cards in drawing.hands:
        _check_word("A hand", "owner", owner, LONGEST["owner"])
        for card in cards:
            _check_word("A card", "text", card, LONGEST["text"])
    for sort in ("places", "pieces", "items", "marks", "lines", "labels", "racks", "tracks", "seats", "regions"):
        for part in getattr(drawing, sort):
            _check_part(sort, part)
    for rack in drawing.racks:
        for item in rack.items:
            _check_part("items", item)


def _check_part(sort: str, part: Any) -> None:
    name = type(part).__name__.lower()
    what = f"{'An' if name == 'item' else 'A'} {name}"
    for field, longest in LONGEST.items():
        if hasattr(part, field):
            _check_word(what, field, getattr(part, field), longest)
    for field in ("x", "y", "width", "height", "size", "round"):
        length = getattr(part, field, 0.0)
        if not isinstance(length, int | float) or not math.isfinite(length) or abs(length) > FARTHEST:
            raise BadInput(f"{what} has the {field} {_short(length)}; expected at most {FARTHEST:g} cells.")
    if sort in ("lines", "regions"):
        points = part.points
        if len(points) > MOST_PARTS["places"]:
            raise BadInput(f"{what} has {len(points)} points; expected at most {MOST_PARTS['places']}.")
        for point in points:
            if len(point) != 2 or not all(math.isfinite(v) and abs(v) <= FARTHEST for v in point):
                raise BadInput(f"{what} goes through the point {_short(point)}; expected two finite numbers.")


def _check_word(what: str, field: str, word: Any, longest: int) -> None:
    if isinstance(word, str) and len(word) > longest:
        raise BadInput(f"{what} has a {field} of {len(word)} characters ({_short(word)}); expected at most {longest}.")


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 30 else text[:27] + "..."
