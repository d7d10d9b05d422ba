"""Tile sets and boards, as data: a game with another one compiles nothing anew.

A tile set is lines of `letter count·points`, the blank first. A board is rows of signs: `=` triples and `-` doubles the
word, `"` triples and `'` doubles the letter, a point is a plain square. The middle square is the first play's.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from gametree.core.errors import BadInput, suggest
from gametree.core.files import read_text

__all__ = ["BOARDS", "TILE_SETS", "TileSet", "read_board", "tile_set"]

BLANK = "?"
WORD_SIGNS, LETTER_SIGNS = {"=": 3, "-": 2}, {'"': 3, "'": 2}
LARGEST = 21


@dataclass(frozen=True)
class TileSet:
    """The tiles of a language. Tile 0 is the blank; the others are numbered by their place in `letters`, from 1."""

    name: str
    letters: str
    counts: tuple[int, ...]
    points: tuple[int, ...]

    @property
    def total(self) -> int:
        """How many tiles there are."""
        return sum(self.counts)

    def text(self, tile: int) -> str:
        """A tile as it is written in a rack."""
        return self.letters[tile - 1] if tile else BLANK

    def number(self, letter: str) -> int | None:
        """The tile that a letter of a rack means, if there is one."""
        if letter == BLANK:
            return 0
        place = self.letters.find(letter.upper()) if len(letter.upper()) == 1 else -1
        return place + 1 if place >= 0 else None

    def rack_text(self, counts: object) -> str:
        """The tiles of a rack in order, blanks last."""
        numbers = [int(count) for count in counts]  # type: ignore[attr-defined]
        return "".join(self.text(tile) * numbers[tile] for tile in [*range(1, len(self.letters) + 1), 0])


_TILES = {
    "english": """?2·0 A9·1 B2·3 C2·3 D4·2 E12·1 F2·4 G3·2 H2·4 I9·1 J1·8 K1·5 L4·1 M2·3 N6·1 O8·1 P2·3 Q1·10 R6·1 S4·1
        T6·1 U4·1 V2·4 W2·4 X1·8 Y2·4 Z1·10""",
    "french": """?2·0 A9·1 B2·3 C2·3 D3·2 E15·1 F2·4 G2·2 H2·4 I8·1 J1·8 K1·10 L5·1 M3·2 N6·1 O6·1 P2·3 Q1·8 R6·1 S6·1
        T6·1 U6·1 V2·4 W1·10 X1·10 Y1·10 Z1·10""",
    "german": """?2·0 A5·1 Ä1·6 B2·3 C2·4 D4·1 E15·1 F2·4 G3·2 H4·2 I6·1 J1·6 K2·4 L3·2 M4·3 N9·1 O3·2 Ö1·8 P1·4 Q1·10
        R6·1 S7·1 T6·1 U6·1 Ü1·6 V1·6 W1·3 X1·8 Y1·10 Z1·3""",
}


def _read_tiles(name: str) -> TileSet:
    letters, counts, points = "", [], []
    for word in _TILES[name].split():
        count, _, value = word[1:].partition("·")
        letters += word[0]
        counts.append(int(count))
        points.append(int(value))
    return TileSet(name, letters[1:], tuple(counts), tuple(points))


TILE_SETS = {name: _read_tiles(name) for name in _TILES}

_QUARTER = ("=..'...=", '.-..."..', "..-...'.", "'..-...'", "....-...", '."..."..', "..'...'.", "=..'...-")
BOARDS = {
    "standard": tuple(row + row[-2::-1] for row in (*_QUARTER, *_QUARTER[-2::-1])),
    "plain": tuple("." * 15 for _ in range(15)),
}
"""By name, row by row from the top."""


def tile_set(name: str) -> TileSet:
    """The tile set with this name. Raises BadInput."""
    if name not in TILE_SETS:
        raise BadInput(f"There is no tile set '{name}'.{suggest(name, TILE_SETS)} Expected {', '.join(TILE_SETS)}.")
    return TILE_SETS[name]


def read_board(name: str) -> tuple[str, ...]:
    """The board with this name or in this file: as many rows as columns, an odd number up to 21. Raises BadInput."""
    if name in BOARDS:
        return BOARDS[name]
    if not Path(name).suffix:
        raise BadInput(f"There is no board '{name}'.{suggest(name, BOARDS)} Expected {', '.join(BOARDS)}, or a file.")
    rows = [line for line in read_text(name).splitlines() if line.strip()]
    signs = ".=-\"'"
    size = len(rows)
    if not 7 <= size <= LARGEST or size % 2 == 0:
        raise BadInput(f"The board '{name}' has {size} rows; expected an odd number from 7 to {LARGEST}.")
    for number, row in enumerate(rows, 1):
        if len(row) != size or set(row) - set(signs):
            raise BadInput(f"Row {number} of the board '{name}' is '{row}'; expected {size} of the signs {signs}.")
    return tuple(rows)
