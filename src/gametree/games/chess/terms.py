"""The terms of the estimate of chess: their names, their features, and what each feature weighs.

A term is one or more features that are counted for each side; every feature has a weight for the middle game and one
for the ending, in centipawns. The weights are read from a file: `tuned` is what the package plays with, `textbook` is
made by hand with the figures that lectures give. `chess:weights=FILE` takes a file of the user's, as `gametree tune`
writes it. Compiled code wants both weights of a feature in one word, so that one addition adds both: the middle game's
in the low half, the ending's in the high half.

The knight follows the worked example of the textbooks: 350 points, a bonus of 0 to 100 from the corner to the centre,
some for standing near enemy pieces, more so late in the game, and for a place that enemy pawns leave alone, less one
point for each square of distance from either king; and all of it counts less in the ending.
"""

from __future__ import annotations

import functools
import json
import math
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from gametree.core.errors import BadInput
from gametree.core.files import read_text

__all__ = ["FEATURES", "TERMS", "TEXTBOOK", "TUNED", "ending_of", "load_weights", "middle_of", "pack", "weights_text"]

TERMS: list[tuple[str, int, int]] = []
"""Name of a term, its first feature, and the one behind its last."""
_textbook: list[tuple[float, float]] = []
_SHIPPED = Path(__file__).with_name("weights.json")
_LARGEST = 30_000
"""No weight may be larger: sums of all features must fit into half a word."""


def _term(name: str, *weights: tuple[float, float]) -> int:
    """Append a term's features with their textbook weights; returns the number of the first."""
    start = len(_textbook)
    _textbook.extend(weights)
    TERMS.append((name, start, len(_textbook)))
    return start


def _squares(worth: Callable[[int, int], tuple[float, float]]) -> list[tuple[float, float]]:
    """A weight for every square by rank and file, each 0–7 from the own side."""
    return [worth(square // 8, square % 8) for square in range(64)]


def _centre(rank: int, file: int) -> float:
    """0 in the corners, 1 on the four squares in the middle."""
    corner, middle = math.hypot(3.5, 3.5), math.hypot(0.5, 0.5)
    return (corner - math.hypot(rank - 3.5, file - 3.5)) / (corner - middle)


def _middle_file(file: int) -> float:
    """0 at the edge, 1 in the middle."""
    return 1 - abs(file - 3.5) / 3.5


def _pawn_square(rank: int, file: int) -> tuple[float, float]:
    push = (0, 0, 2, 6, 14, 28, 55, 0)[rank]
    centre = 22 * _middle_file(file) * (1 if 2 <= rank <= 4 else 0)
    return push * 0.7 + centre - (8 if file in (0, 7) else 0), push * 0.8


def _bishop_square(rank: int, file: int) -> tuple[float, float]:
    return 22 * _centre(rank, file) - (12 if rank == 0 else 0), 12 * _centre(rank, file)


def _rook_square(rank: int, file: int) -> tuple[float, float]:
    return 10 * _middle_file(file) + (6 if rank >= 5 else 0) - (4 if rank in (1, 2) else 0), 2.0 * (rank >= 4)


def _queen_square(rank: int, file: int) -> tuple[float, float]:
    return 6 * _centre(rank, file) - (4 if rank >= 4 else 0), 35 * _centre(rank, file)


def _king_square(rank: int, file: int) -> tuple[float, float]:
    home = (22, 4, -25, -45, -55, -60, -60, -60)[rank]
    wing = -24 * _middle_file(file) if rank < 3 else 0
    return home + wing, 62 * _centre(rank, file) - (12 if rank == 0 else 0)


MATERIAL = _term("material", (88, 112), (350, 320), (380, 345), (520, 590), (1130, 1090))
PAWN_SQUARE = _term("squares: pawns", *_squares(_pawn_square))
BISHOP_SQUARE = _term("squares: bishops", *_squares(_bishop_square))
ROOK_SQUARE = _term("squares: rooks", *_squares(_rook_square))
QUEEN_SQUARE = _term("squares: queens", *_squares(_queen_square))
KING_SQUARE = _term("squares: kings", *_squares(_king_square))
KNIGHT_CENTRE = _term("knights: centre", *_squares(lambda r, f: (100 * _centre(r, f), 60 * _centre(r, f))))
KNIGHT_NEAR = _term("knights: near enemy pieces", (1, 4))
KNIGHT_OUTPOST = _term("knights: safe from pawns", (14, 10), (18, 14))  # nobody can drive it away; and it is protected
KNIGHT_KINGS = _term("knights: distance from the kings", (-1, -1))
KNIGHT_MOVES = _term("mobility: knights", *[(5.5 * (n - 4), 5 * (n - 4)) for n in range(9)])
BISHOP_MOVES = _term("mobility: bishops", *[(22 * math.sqrt(n) - 50, 24 * math.sqrt(n) - 56) for n in range(14)])
ROOK_MOVES = _term("mobility: rooks", *[(12 * math.sqrt(n) - 30, 28 * math.sqrt(n) - 70) for n in range(15)])
QUEEN_MOVES = _term("mobility: queens", *[(9 * math.sqrt(n) - 30, 18 * math.sqrt(n) - 62) for n in range(28)])
BISHOP_PAIR = _term("bishops: pair", (28, 50))
ROOK_FILE = _term("rooks: on files", (32, 12), (14, 8))  # open, half open
ROOK_SEVENTH = _term("rooks: on the seventh rank", (6, 18))
DOUBLED = _term("pawns: doubled", (-8, -22))
ISOLATED = _term("pawns: isolated", (-12, -14))
BACKWARD = _term("pawns: backward", (-10, -10))
CONNECTED = _term("pawns: side by side or protected", (4, 5), (7, 10), (9, 15), (14, 20), (28, 25), (50, 30))
PASSED = _term("passed pawns: by rank", (0, 8), (2, 12), (5, 28), (15, 58), (38, 105), (80, 165))  # on ranks 2 to 7
PASSED_FREE = _term("passed pawns: free to move on", *[(0, 5 * max(0, rank - 2)) for rank in range(1, 7)])
PASSED_SAFE = _term("passed pawns: protected", (6, 12))
PASSED_KINGS = _term("passed pawns: kings near the square ahead", (0, -8), (0, 12))  # own king, enemy king; per step
SHELTER = _term("king: pawns before it", (18, 0), (9, 0))  # on the next rank, on the one after
KING_OPEN = _term("king: open files beside it", (-22, 0))
ATTACK = _term("king: attack on the enemy's", *[(min(520, 0.28 * n * n + 0.8 * n), 0.04 * n * n) for n in range(64)])
# A pawn hits a piece; a minor piece a rook or queen; anything a minor piece that no pawn protects.
THREAT = _term("threats", (58, 42), (34, 30), (30, 34))
SPACE = _term("space", (2, 0))
TEMPO = _term("tempo", (18, 10))
FEATURES = len(_textbook)
TEXTBOOK: Any = np.array(_textbook, np.float64).round().astype(np.int64)
"""Both weights of every feature, made by hand; shape (FEATURES, 2)."""


# Files ----------------------------------------------------------------------------------------------------------------


def load_weights(name: str) -> Any:
    """The weights called `tuned` or `textbook`, or those of a file; shape (FEATURES, 2). Raises BadInput."""
    if name == "textbook":
        return TEXTBOOK
    return _tuned() if name == "tuned" else read_weights(name)


@functools.cache
def _tuned() -> Any:
    return read_weights(_SHIPPED)


def read_weights(path: str | Path) -> Any:
    """The weights of a file. Raises BadInput, naming the file and what is wrong with it."""
    try:
        data = json.loads(read_text(path))
    except (ValueError, RecursionError):
        raise BadInput(
            f"'{path}' is not a file of weights; expected JSON as `gametree tune chess` writes it."
        ) from None
    found = data.get("terms") if isinstance(data, dict) and data.get("game") == "chess" else None
    if not isinstance(found, dict):
        raise BadInput(f"'{path}' holds no weights of chess; expected the game and its terms.")
    strange = [name for name in found if name not in {term for term, _, _ in TERMS}]
    if strange:
        raise BadInput(f"'{path}' has weights of a term '{strange[0]}', which the estimate of chess does not have.")
    weights = np.zeros((FEATURES, 2), np.int64)
    for name, start, end in TERMS:
        pairs = found.get(name)
        if not isinstance(pairs, list) or len(pairs) != end - start:
            count = f"{len(pairs)} of them" if isinstance(pairs, list) else "none"
            raise BadInput(f"'{path}' should have {end - start} weights of '{name}', but has {count}.")
        for i, pair in enumerate(pairs):
            if not _is_pair(pair):
                raise BadInput(
                    f"'{path}': weight {i + 1} of '{name}' is {pair}; expected [middle, ending] as integers."
                )
            weights[start + i] = pair
    return weights


def _is_pair(pair: Any) -> bool:
    return (
        isinstance(pair, list)
        and len(pair) == 2
        and all(type(number) is int and abs(number) <= _LARGEST for number in pair)
    )


def weights_text(weights: Any) -> str:
    """The file of these weights, of shape (FEATURES, 2), rounded to whole centipawns."""
    rows = np.asarray(weights).round().astype(int).tolist()
    parts = []
    for name, start, end in TERMS:
        lines = [", ".join(map(json.dumps, rows[i : min(i + 8, end)])) for i in range(start, end, 8)]
        table = ",\n      ".join(lines)
        parts.append(f"    {json.dumps(name)}: [\n      {table}\n    ]")
    return '{\n  "game": "chess",\n  "terms": {\n' + ",\n".join(parts) + "\n  }\n}\n"


# Packing --------------------------------------------------------------------------------------------------------------


def pack(weights: Sequence[tuple[int, int]] | Any) -> Any:
    """Both weights of every feature in one word each."""
    pairs = np.asarray(weights, np.int64)
    return pairs[:, 0] + (pairs[:, 1] << 32)


def middle_of(score: Any) -> Any:
    """The middle game's half of a packed score."""
    return (score + np.int64(1 << 31) & np.int64(0xFFFFFFFF)) - np.int64(1 << 31)


def ending_of(score: Any) -> Any:
    """The ending's half of a packed score."""
    return score + np.int64(1 << 31) >> np.int64(32)


TUNED: Any = pack(_tuned())
"""The weights that the package plays with, packed."""
