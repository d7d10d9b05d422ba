"""The terms of the estimate of chess: their names, their features, and what each feature weighs.

A term is one or more features that are counted for each side; every feature has a weight for the middle game and one
for the ending, in centipawns. The weights are read from a file: `tuned` is what the package plays with, `textbook` was
set by hand, the knight with the figures of a lecture's worked example. `chess:weights=FILE` takes a file of the user's,
as `gametree tune` writes it. Weights are data, not code: other ones need no new compile, and two engines may think with
different ones at the same time. Compiled code wants both weights of a feature in one word, so that one addition adds
both: the middle game's in the low half, the ending's in the high half.

The textbook knight follows that example: 350 points, a bonus of 0 to 100 from the corner to the centre, some for
standing near enemy pieces, more so late in the game, and for a place that enemy pawns leave alone, less one point for
each square of distance from either king; and all of it counts less in the ending.
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
from gametree.kernels import struct

__all__ = [
    "FEATURES",
    "SHIPPED",
    "TERMS",
    "TEXTBOOK",
    "Weights",
    "ending_of",
    "load_weights",
    "middle_of",
    "pack",
    "pairs_of",
    "record_of",
    "weights_text",
]

TERMS: list[tuple[str, int, int]] = []
"""Name of a term, its first feature, and the one behind its last."""
_textbook: list[tuple[float, float]] = []
SHIPPED = Path(__file__).with_name("weights.json")
"""The file of the weights that the package plays with; `gametree tune chess … -o` this file renews them."""
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


def _shelter(edge: int, rank: int) -> tuple[float, float]:
    """An own pawn on a rank before the king, 0 if there is none; `edge` is how far the file is from the edge."""
    return (-22, 18, 12, 2, -6, -8, -10, 0)[rank] * (1.0 if edge else 0.7), 0


def _storm(edge: int, rank: int) -> tuple[float, float]:
    """An enemy pawn on a rank before the king, 0 if there is none."""
    return (0, 10, -26, -16, -6, 0, 2, 0)[rank], 0


MATERIAL = _term("material", (88, 112), (350, 320), (380, 345), (520, 590), (1130, 1090))
# For each pawn above five: a knight, a rook; and the second rook.
BALANCE = _term("material: balance", (3, 3), (-4, -4), (-16, -16))
PAWN_SQUARE = _term("squares: pawns", *_squares(_pawn_square))
BISHOP_SQUARE = _term("squares: bishops", *_squares(_bishop_square))
ROOK_SQUARE = _term("squares: rooks", *_squares(_rook_square))
QUEEN_SQUARE = _term("squares: queens", *_squares(_queen_square))
KING_SQUARE = _term("squares: kings", *_squares(_king_square))
KNIGHT_CENTRE = _term("knights: centre", *_squares(lambda r, f: (100 * _centre(r, f), 60 * _centre(r, f))))
KNIGHT_NEAR = _term("knights: near enemy pieces", (1, 4))
KNIGHT_OUTPOST = _term("knights: safe from pawns", (14, 10), (18, 14))  # nobody can drive it away; and it is protected
KNIGHT_KINGS = _term("knights: distance from the kings", (-1, -1))
BISHOP_PAIR = _term("bishops: pair", (28, 50))
BISHOP_OUTPOST = _term("bishops: safe from pawns", (12, 6))  # and protected by one
BISHOP_KING = _term("bishops: distance from the king", (-2, 0))
BISHOP_PAWNS = _term("bishops: pawns of their colour", (-3, -5), (-4, -5))  # each; each that is blocked
SHIELDED = _term("minor pieces behind pawns", (6, 2), (5, 2))  # knights, bishops
ROOK_FILE = _term("rooks: on files", (32, 12), (14, 8))  # open, half open
ROOK_SEVENTH = _term("rooks: on the seventh rank", (6, 18))
ROOK_TRAPPED = _term("rooks: shut in by the king", (-40, -10))
QUEEN_AIM = _term("queens: a piece aims at them", (-25, -10))
KNIGHT_MOVES = _term("mobility: knights", *[(5.5 * (n - 4), 5 * (n - 4)) for n in range(9)])
BISHOP_MOVES = _term("mobility: bishops", *[(22 * math.sqrt(n) - 50, 24 * math.sqrt(n) - 56) for n in range(14)])
ROOK_MOVES = _term("mobility: rooks", *[(12 * math.sqrt(n) - 30, 28 * math.sqrt(n) - 70) for n in range(15)])
QUEEN_MOVES = _term("mobility: queens", *[(9 * math.sqrt(n) - 30, 18 * math.sqrt(n) - 62) for n in range(28)])
DOUBLED = _term("pawns: doubled", (-8, -22))
ISOLATED = _term("pawns: isolated", (-8, -14), (-16, -16))  # an enemy pawn stands on the file ahead; none does
BACKWARD = _term("pawns: backward", (-8, -8), (-14, -12))  # the same
PHALANX = _term("pawns: side by side", (4, 3), (7, 6), (10, 12), (18, 20), (34, 40), (50, 60))  # on ranks 2 to 7
PROTECTED = _term("pawns: protected by pawns", (10, 5), (10, 6), (14, 12), (28, 28), (45, 45))  # on ranks 3 to 7
BLOCKED = _term("pawns: blocked far ahead", (-6, -4))
CANDIDATE = _term("pawns: nearly passed", (0, 4), (0, 6), (6, 14), (14, 28), (30, 50), (0, 0))  # on ranks 2 to 7
PASSED = _term("passed pawns: by rank", (0, 8), (2, 12), (5, 28), (15, 58), (38, 105), (80, 165))  # on ranks 2 to 7
PASSED_FREE = _term("passed pawns: free to move on", *[(0, 5 * max(0, rank - 2)) for rank in range(1, 7)])
PASSED_OPEN = _term("passed pawns: nothing in the way", *[(0, 8 * max(0, rank - 2)) for rank in range(1, 7)])
PASSED_SAFE = _term("passed pawns: protected", (6, 12))
PASSED_KINGS = _term("passed pawns: kings near the square ahead", (0, -4), (0, 6))  # own king, enemy king; per step
PASSED_ROOKS = _term("passed pawns: rooks behind", (0, 14), (0, -14))  # own, enemy
PASSED_WON = _term("passed pawns: out of the king's reach", (0, 250))
SHELTER = _term("king: pawns before it", *[_shelter(edge, rank) for edge in range(4) for rank in range(8)])
STORM = _term("king: pawns against it", *[_storm(edge, rank) for edge in range(4) for rank in range(8)])
STORM_BLOCKED = _term("king: pawns against it, blocked", *[(-8 if rank == 2 else 0, 0) for rank in range(8)])
KING_PAWNS = _term("king: distance from the nearest pawn", (0, -8))
LEVELS = 80
ATTACK = _term("king: attack on the enemy's", *[(min(560, 0.14 * n * n), 0.6 * n) for n in range(LEVELS)])
THREAT_PAWN = _term("threats: by pawns", (58, 42))
THREAT_PUSH = _term("threats: by a pawn's next step", (18, 12))
# On a pawn, knight, bishop, rook, queen.
THREAT_MINOR = _term("threats: by minor pieces", (4, 14), (22, 18), (26, 22), (44, 34), (40, 40))
THREAT_ROOK = _term("threats: by rooks", (2, 18), (20, 24), (24, 24), (40, 30))  # on a pawn, knight, bishop, queen
THREAT_KING = _term("threats: by the king", (10, 34))
THREAT_HANGING = _term("threats: unguarded pieces", (34, 20))
RESTRICTED = _term("squares that both attack", (3, 2))
DRIVE = _term("driving a bare king", (0, 30), (0, 12), (0, 40))  # to the edge, kings near, to the bishop's corner
SPACE = _term("space", (2, 0))
TEMPO = _term("tempo", (18, 10))
FEATURES = len(_textbook)
TEXTBOOK: Any = np.array(_textbook, np.float64).round().astype(np.int64)
"""Both weights of every feature, made by hand; shape (FEATURES, 2)."""
Weights = struct(packed=("i8", FEATURES))
"""What the estimate reads while the program runs: both weights of every feature in one word."""


# Files ----------------------------------------------------------------------------------------------------------------


def load_weights(name: str) -> Any:
    """The weights called `tuned` or `textbook`, or those of a file; shape (FEATURES, 2). Raises BadInput."""
    if name == "textbook":
        return TEXTBOOK
    return _tuned() if name == "tuned" else read_weights(name)


@functools.cache
def _tuned() -> Any:
    return read_weights(SHIPPED, lenient=True)


def read_weights(path: str | Path, *, lenient: bool = False) -> Any:
    """The weights of a file. Raises BadInput, naming the file and what is wrong with it.

    If `lenient`, a term that the file does not have, or has in another form, keeps its textbook weights: so a new term
    can be tried before it is tuned.
    """
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
    if strange and not lenient:
        raise BadInput(f"'{path}' has weights of a term '{strange[0]}', which the estimate of chess does not have.")
    weights = TEXTBOOK.copy()
    for name, start, end in TERMS:
        pairs = found.get(name)
        if not isinstance(pairs, list) or len(pairs) != end - start:
            if lenient:
                continue
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


def record_of(weights: Any) -> Any:
    """What compiled code reads: an array with one record of `Weights`, made from weights of shape (FEATURES, 2)."""
    made = np.zeros(1, Weights)
    made["packed"] = pack(weights)
    return made


def pairs_of(record: Any) -> Any:
    """The weights of such an array, of shape (FEATURES, 2)."""
    packed = record["packed"][0]
    return np.stack((middle_of(packed), ending_of(packed)), axis=1)
