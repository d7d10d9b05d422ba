"""What the rules read while they run: the word graph, the tile set, the board, and what tiles that stay are worth.

All of it is data (`Weights`), so that another lexicon, language or board compiles nothing anew.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from gametree.core.errors import BadInput
from gametree.core.files import read_text
from gametree.games.scrabble.sets import LARGEST, LETTER_SIGNS, WORD_SIGNS, TileSet
from gametree.kernels import struct
from gametree.kernels.word_graph import WordGraph

__all__ = [
    "ACCEPT",
    "BLANK_BIT",
    "CHALLENGE",
    "DOWN_SHIFT",
    "EXCHANGE",
    "KIND_SHIFT",
    "LINE",
    "NO_LEAVES",
    "PASS",
    "RACK",
    "SQUARE_SHIFT",
    "TAKE",
    "TILES",
    "TILE_BITS",
    "Weights",
    "fill_leaves",
    "fill_weights",
    "leave_value",
    "read_leaves",
    "shipped_leaves",
]

LINE = LARGEST
TILES = 32  # kinds of tiles, the blank being 0
RACK = 7
TILE_BITS, BLANK_BIT = 6, 32
SQUARE_SHIFT, DOWN_SHIFT, KIND_SHIFT = 42, 51, 52
EXCHANGE, PASS, ACCEPT, CHALLENGE, TAKE = (kind << KIND_SHIFT for kind in (1, 2, 3, 4, 5))
NO_LEAVES: dict[str, Any] = {"one": {}, "two": {}, "balance": []}
"""Nothing that stays is worth anything."""
VOWELS = "AEIOUÄÖÜ"

Weights = struct(
    graph_at="u8",  # where the word graph lies; the game keeps it alive
    graph_size="i8",
    root="i8",
    width="i8",  # of the board
    rack_size="i8",
    bonus="i8",  # for a play of a whole rack
    exchange_least="i8",  # tiles that must be in the bag for an exchange
    challenge="i8",  # 0: plays with wrong words are no plays; 1: they may be challenged; 2: at the risk of a turn
    challenge_points="i8",  # for whoever was challenged wrongly
    counts=("u1", TILES),
    points=("u1", TILES),
    vowel=("u1", TILES),
    letter_times=("u1", LINE * LINE),
    word_times=("u1", LINE * LINE),
    leave_one=("i4", (TILES, RACK + 1)),  # thousandths of a point for so many of a tile that stays
    leave_two=("i4", (TILES, TILES)),  # for two different ones
    leave_balance=("i4", (RACK + 1, RACK + 1)),  # for so many vowels and so many other letters
)


def leave_value(kinds: Any, counts: Any, kind_count: Any, bag: Any, w: Any) -> Any:
    """What the tiles that stay are worth, in thousandths of a point; with an empty bag they count against one."""
    value, vowels, others, left = np.int64(0), np.int64(0), np.int64(0), np.int64(0)
    for i in range(kind_count):
        count = counts[i]
        if count == 0:
            continue
        tile = kinds[i]
        left += count * np.int64(w.points[tile])
        value += np.int64(w.leave_one[tile, count])
        if w.vowel[tile] != 0:
            vowels += count
        elif tile != 0:
            others += count
        for j in range(i):
            if counts[j] > 0:
                value += np.int64(w.leave_two[tile, kinds[j]])
    if bag == 0:
        return np.int64(-2000) * left - np.int64(10_000) if left > 0 else np.int64(0)
    return value + np.int64(w.leave_balance[vowels, others])


def fill_weights(w: Any, graph: WordGraph, tiles: TileSet, board: tuple[str, ...]) -> None:
    """Write everything but the leaves into a zeroed record."""
    w["graph_at"], w["graph_size"], w["root"] = graph.address, len(graph.nodes), graph.root
    w["width"], w["rack_size"], w["bonus"], w["exchange_least"] = len(board), RACK, 50, RACK
    w["counts"][: len(tiles.counts)] = tiles.counts
    w["points"][: len(tiles.points)] = tiles.points
    w["vowel"][[1 + place for place, letter in enumerate(tiles.letters) if letter in VOWELS]] = 1
    signs = "".join(board)
    w["letter_times"][: len(signs)] = [LETTER_SIGNS.get(sign, 1) for sign in signs]
    w["word_times"][: len(signs)] = [WORD_SIGNS.get(sign, 1) for sign in signs]


@cache
def shipped_leaves(language: str) -> dict[str, Any]:
    """The leave values that come with the package; for a language without any only what a blank is worth."""
    file = Path(__file__).with_name("leaves.json")
    found: dict[str, dict[str, Any]] = json.loads(file.read_text("utf-8"))
    return found.get(language, {**NO_LEAVES, "one": {"?": [20_000, 35_000]}})


def read_leaves(path: str, tiles: TileSet) -> dict[str, Any]:
    """Leave values from a file that training has written. Raises BadInput."""
    wrong = f"'{path}' holds no leave values of the {tiles.name} tiles"
    try:
        found: dict[str, Any] = json.loads(read_text(path))[tiles.name]
        fill_leaves(np.zeros(1, Weights)[0], tiles, found)
    except (ValueError, KeyError, TypeError, IndexError):
        raise BadInput(f"{wrong}; expected a file that `gametree train scrabble` has written.") from None
    return found


def fill_leaves(w: Any, tiles: TileSet, leaves: dict[str, Any]) -> None:
    """Write leave values: `one` by tile and how many, `two` by pair of letters, `balance` by vowels and others."""
    for name in ("leave_one", "leave_two", "leave_balance"):
        w[name][...] = 0
    for letter, values in leaves["one"].items():
        tile = tiles.number(letter)
        for count in range(1, RACK + 1):
            w["leave_one"][tile, count] = values[min(count, len(values)) - 1]
    for pair, value in leaves["two"].items():
        one, other = (tiles.number(letter) for letter in pair)
        w["leave_two"][one, other] = w["leave_two"][other, one] = value
    for vowels, row in enumerate(leaves["balance"]):
        w["leave_balance"][vowels, : len(row)] = row
