"""What the tuner needs to know of chess: calm positions, counted features and files of weights."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from gametree.games.chess.board import in_check
from gametree.games.chess.evaluation import UNIT, WHOLE_PHASE, count_features
from gametree.games.chess.ledger import note_down
from gametree.games.chess.terms import DRIVE, KNIGHT_CENTRE, KNIGHT_MOVES, MATERIAL, TERMS, weights_text

if TYPE_CHECKING:
    from gametree.games.chess.rules import Chess

__all__ = ["ChessTuning"]


def is_calm(s: Any) -> Any:
    """Whether the position may be judged by its estimate: nobody is in check."""
    return not in_check(s)


class ChessTuning:
    """The linear evaluation of chess; `gametree.learning.texel.Linear` says what each name promises."""

    unit = UNIT
    whole_phase = WHOLE_PHASE
    terms = TERMS
    fixed = tuple(range(DRIVE, DRIVE + 3))
    """Mates with a few pieces are rare in games, and those that are still to be given are the hard ones."""
    first_ply = 16
    """Openings are learned by heart: their positions say little about the result."""
    verbs = {"count_features": count_features, "is_calm": is_calm, "note": note_down}  # noqa: RUF012

    def __init__(self, game: Chess) -> None:
        self.game = game
        self.weights = game.weights.astype(np.float64)
        self.neighbours = np.array(list(_neighbours()), np.int64)

    def text(self, weights: Any) -> str:
        """The file of these weights."""
        return weights_text(weights)

    def settle(self, weights: Any) -> Any:
        """The same evaluation with the constants that tables share where the textbooks have them.

        A knight is worth 350, and its square nothing where that is worst; the rest is in its mobility.
        """
        settled = np.array(weights, np.float64)
        squares, moves = slice(KNIGHT_CENTRE, KNIGHT_CENTRE + 64), slice(KNIGHT_MOVES, KNIGHT_MOVES + 9)
        lowest = settled[squares].min(axis=0)
        settled[squares] -= lowest
        shift = settled[MATERIAL + 1] + lowest - (350.0, 320.0)
        settled[MATERIAL + 1] = (350.0, 320.0)
        settled[moves] += shift
        return settled


def _neighbours() -> Iterator[tuple[int, int]]:
    """Pairs of features of one table whose weights should not differ much: squares side by side, one move more."""
    for name, start, end in TERMS:
        boards = name.startswith("squares:") or name == "knights: centre"
        width = 8 if boards or name in ("king: pawns before it", "king: pawns against it") else end - start
        if end - start <= 6 and not name.startswith(("passed", "pawns")):
            continue  # no table
        for place in range(end - start):
            if place % width < width - 1:
                yield start + place, start + place + 1
            if place + width < end - start:
                yield start + place, start + place + width
