"""The conformance kit: how a position is drawn."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, get_args, get_type_hints

from gametree.core.drawing import MOST_SEATS, Drawing, Item
from gametree.testing._asking import kind
from gametree.testing._check_moves import Moves

__all__ = ["Drawings"]

LAYOUTS = get_args(get_type_hints(Drawing)["layout"])
MOST_PARTS = 1000
"""Places, items and so on that a drawing may have of each: more would not be seen, and would choke a page."""
WORDS = ("name", "text", "label", "owner", "tone")


class Drawings(Moves):
    """draw and draw_for."""

    def check_drawing(self, verb: str, state: Any, drawing: Any) -> Drawing:
        """The drawing is plain data with everything on the board.

        What a drawing refuses by itself when it is made (an item on a place that is not there, text on a hidden face,
        a count below 1, an unknown shape) comes here as an error of the verb.
        """
        if not isinstance(drawing, Drawing):
            self.fail(verb, state, f"returned {kind(drawing)}", "a gametree.Drawing")
        if drawing.layout not in LAYOUTS:
            self.fail(verb, state, f"has the layout {drawing.layout!r}", f"one of {', '.join(LAYOUTS)}")
        for piece in drawing.pieces:
            if not (0 <= piece.row < drawing.rows and 0 <= piece.column < drawing.columns):
                self.fail(
                    verb,
                    state,
                    f"puts '{piece.text}' on row {piece.row}, column {piece.column}",
                    f"a cell of the {drawing.rows} × {drawing.columns} board, counted from 0",
                )
            if piece.player is not None and not 0 <= piece.player < self.facts.players:
                self.fail(verb, state, f"gives '{piece.text}' to player {piece.player}", "a seat of the game, or None")
        if drawing.cells and len(drawing.cells) != drawing.rows * drawing.columns:
            self.fail(verb, state, f"names {len(drawing.cells)} cells", f"{drawing.rows * drawing.columns}, or none")
        self._check_parts(verb, state, drawing)
        try:
            json.dumps(drawing.to_data(), allow_nan=False)
        except (TypeError, ValueError) as error:
            self.fail(verb, state, f"holds data that JSON cannot carry ({error})", "text and numbers only")
        return drawing

    def _check_parts(self, verb: str, state: Any, drawing: Drawing) -> None:
        """Places, items, racks and the like: words are text, players are seats, and there are not too many."""
        for parts in ("places", "items", "racks", "tracks", "labels", "lines"):
            if len(getattr(drawing, parts)) > MOST_PARTS:
                self.fail(verb, state, f"has {len(getattr(drawing, parts))} {parts}", f"at most {MOST_PARTS}")
        seats = min(self.facts.players, MOST_SEATS)
        for part in _parts(drawing):
            what = "an item" if isinstance(part, Item) else f"a {type(part).__name__.lower()}"
            for field in WORDS:
                word = getattr(part, field, "")
                if not isinstance(word, str) or "\n" in word:
                    self.fail(verb, state, f"has {what} whose {field} is {word!r}", "text in one line")
            player = getattr(part, "player", None)
            if player is not None and (not isinstance(player, int) or not 0 <= player < seats):
                self.fail(verb, state, f"gives {what} to player {player!r}", f"a seat from 0 to {seats - 1}, or None")


def _parts(drawing: Drawing) -> Iterator[Any]:
    for rack in drawing.racks:
        yield from rack.items
    for parts in (drawing.places, drawing.items, drawing.racks, drawing.tracks, drawing.labels, drawing.lines):
        yield from parts
