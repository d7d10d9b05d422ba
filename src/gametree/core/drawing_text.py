"""Any drawing as text for the terminal: grids as boards, places as they lie on the table, everything else as a list."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Collection, Iterable, Sequence

from gametree.core.drawing import Drawing, Item, Place, Track
from gametree.core.scene import Row, Scene, scene

__all__ = ["Table", "contents_of", "drawing_text"]

WIDTH = 80
"""Columns of the terminal."""
BAR = 30
"""Columns of a track."""

_SUITS = {"S": "♠", "H": "♥", "D": "♦", "C": "♣"}
_PLAIN = str.maketrans("♙♘♗♖♕♔♟♞♝♜♛♚·−×♠♥♦♣░█▒◉", "PNBRQKpnbrqk.-xSHDC##+$")

Stamp = tuple[float, float, int, str]
"""A word on the table: where its middle is, how many lines below that it stands, and the word."""


def drawing_text(drawing: Drawing, *, marked: Collection[str] = (), plain: bool = False, turned: bool = False) -> str:
    """The drawing in lines. `marked` places stand in brackets. `plain` uses no characters beyond ASCII; `turned` looks
    from the other side. What does not fit side by side into 80 columns becomes a list, a line for each place."""
    text = _text(scene(drawing), frozenset(marked) - {""}, turned)
    return text.translate(_PLAIN).encode("ascii", "replace").decode() if plain else text


def _text(shown: Scene, marked: frozenset[str], turned: bool) -> str:
    table = Table(shown, contents_of(shown), marked, turned)
    return table.whole(table.board)


def contents_of(shown: Scene) -> dict[int, list[Item]]:
    """What lies on each place that is not empty, by its number."""
    contents: dict[int, list[Item]] = {}
    for item in shown.items:
        contents.setdefault(int(item.place), []).append(item)
    return contents


class Table:
    """One scene with what lies on each place."""

    def __init__(self, shown: Scene, contents: dict[int, list[Item]], marked: frozenset[str], turned: bool) -> None:
        self.shown = shown
        self.contents = contents
        self.marked = marked
        self.turned = turned
        self.cells = shown.rows * shown.columns
        racked = {slot for rack in shown.racks for slot in range(rack.first, rack.first + rack.slots)}
        self.free = [number for number in range(self.cells, len(shown.places)) if number not in racked]

    def whole(self, board: Callable[[], str]) -> str:
        """Everything in lines; `board` draws the grid, if there is one."""
        shown = self.shown
        parts: list[str] = [shown.text] if shown.text else []
        if shown.rows and shown.columns:
            parts += [*self.lines(lambda y: y < 0), board(), *self.lines(lambda y: y >= 0)]
        else:
            parts += self.canvas() or self.lines(lambda y: True)
        parts += _bars(shown.tracks)
        if shown.caption:
            parts.append(shown.caption)
        # A drawing without anything is an empty text, and one with a caption only begins with an empty line.
        return "\n".join(parts if parts[:-1] or not shown.caption else ["", *parts])

    # A grid -----------------------------------------------------------------------------------------------------------

    def board(self) -> str:
        """The grid, with the names of its rows and columns at the edge or, if it is small, in the empty cells."""
        shown, rows, columns = self.shown, self.shown.rows, self.shown.columns
        places = list(range(self.cells))
        left, below = list(shown.left), list(shown.below)
        if self.turned:
            places, left, below = places[::-1], left[::-1], below[::-1]
        names = shown.names[: self.cells]
        hexagons = any(place.shape == "hex" for place in shown.places[: self.cells])
        squares = not hexagons and any(place.shape == "square" for place in shown.places[: self.cells])
        gaps = any(place.shape == "none" for place in shown.places[: self.cells])
        small = self.cells <= 16
        words = {number: self._cell(number, small and any(names)) for number in places}
        width = max(map(len, ["·", *words.values(), *(names if small else ())]))
        bar = " | " if squares else " "
        if small:
            left = below = []
        margin = max(map(len, left), default=0)
        if margin + 1 + columns * (width + len(bar)) - len(bar) >= WIDTH:
            bar = " "
        lines = []
        for row in range(rows):
            numbers = places[row * columns : (row + 1) * columns]
            shift = " " * (row * (width + 1) // 2) if hexagons else ""
            start = f"{left[row] if left else '':>{margin}} {shift}"
            line = list(start + bar.join(words[number].center(width) for number in numbers) + " ")
            for column, number in enumerate(numbers):
                if names[number] in self.marked:
                    at = len(start) + column * (width + len(bar))
                    line[at - 1], line[at + width] = "[", "]"
            text = "".join(line).removesuffix(" ")
            lines.append(text.rstrip() if gaps else text)
        rule = "\n" + "-+-".join(["-" * (width + (0 if i else 1)) for i in range(columns)]) + "\n"
        text = (rule if small and squares else "\n").join(lines)
        if below:
            shift = " " * (rows * (width + 1) // 2) if hexagons else ""
            text += f"\n{'':>{margin}} {shift}" + (" " * len(bar)).join(word.center(width) for word in below)
        return text

    def _cell(self, number: int, named: bool) -> str:
        place = self.shown.places[number]
        if place.shape == "none":
            return ""
        if number in self.contents:
            return "+".join(map(_word, self.contents[number]))
        return place.text or (place.name if named else "·")

    # Places anywhere --------------------------------------------------------------------------------------------------

    def canvas(self) -> list[str]:
        """Everything where it lies, at the smallest scale at which no words touch; nothing if there is none."""
        if not self.free:
            return []
        stamps = [stamp for number in self.free for stamp in self._stamps(number)]
        stamps += [(rack.x, rack.y, 0, f"{rack.owner}: {self._rack(rack)}") for rack in self.shown.racks]
        stamps += [(label.x, label.y, 0, label.text) for label in self.shown.labels]
        if self.turned:
            stamps = [(-x, -y, line, word) for x, y, line, word in stamps]
        for down in (1, 2, 3):
            for across in range(2, 17):
                lines = _lay(stamps, across, down)
                if lines:
                    return lines
        return []

    def _stamps(self, number: int) -> list[Stamp]:
        place, words = self.shown.places[number], self._words(number)
        if place.shape == "none":
            return []
        if place.shape in ("up", "down"):
            return self._triangle(place, number)
        if place.shape == "pocket":
            lines = words if place.height > place.width else [" ".join(words)] if words else []
            sign = _sign(place) or ("" if lines else "_")
            lines = [*filter(None, [sign if lines else self._mark(sign, place)]), *lines]
            return [(place.x, place.y, line - (len(lines) - 1) // 2, word) for line, word in enumerate(lines)]
        empty = self._mark(_sign(place) or ("_" if place.shape == "slot" else "·"), place)
        return [(place.x, place.y, 0, " ".join(words) or empty)]

    def _triangle(self, place: Place, number: int) -> list[Stamp]:
        """A stack from the base of the triangle on; if it is too high, the last one tells how many there are."""
        items = self.contents.get(number, [])
        single = [_word(item, 1) for item in items for _ in range(item.count)]
        room = max(1, round(place.height))
        if len(single) > room:
            single = [*single[: room - 1], str(len(single))]
        if single:
            single[-1] = self._mark(single[-1], place)
        single += [self._mark("·", place) if not single else "·"] * (room - len(single))
        base, step = (place.height / 2 - 0.5, -1) if place.shape == "up" else (0.5 - place.height / 2, 1)
        return [(place.x, place.y + base + step * k, 0, word) for k, word in enumerate(single)]

    # Lists ------------------------------------------------------------------------------------------------------------

    def lines(self, wanted: Callable[[float], bool]) -> list[str]:
        """A line for each rack and for each place that is not part of the grid and not empty, where its y is wanted."""
        shown, lines = self.shown, []
        for number in self.free:
            place, words = shown.places[number], self._words(number)
            if (words or _sign(place)) and wanted(place.y):
                lines.append((_sign(place) or place.label or place.name, " ".join(words) or "-"))
        lines += [(rack.owner, self._rack(rack)) for rack in shown.racks if wanted(rack.y)]
        width = max((len(owner) for owner, _ in lines), default=0)
        return [f"{owner:>{width}}: {words}" for owner, words in lines]

    def _rack(self, rack: Row) -> str:
        return " ".join(word for number in range(rack.first, rack.first + rack.slots) for word in self._words(number))

    def _words(self, number: int) -> list[str]:
        words = list(map(_word, self.contents.get(number, [])))
        if words:
            words[-1] = self._mark(words[-1], self.shown.places[number])
        return words

    def _mark(self, word: str, place: Place) -> str:
        return f"[{word}]" if place.name in self.marked else word


def _word(item: Item, count: int = 0) -> str:
    """An item in a few letters."""
    word = item.text
    if not item.face_up:
        word = "░░"
    elif item.kind == "card":
        word = re.sub(r"^(10|[AKQJT2-9])([SHDC])$", lambda found: found[1] + _SUITS[found[2]], word)
    elif item.kind in ("die", "cube"):
        word = f"<{word}>" if item.kind == "die" else f"{{{word}}}"
    elif item.kind == "chip":
        word = f"◉{word}"
    elif not word:
        word = "_" if item.kind == "tile" else str(item.player + 1) if item.player is not None else "o"
    count = count or item.count
    return f"{word}×{count}" if count > 1 else word


def _sign(place: Place) -> str:
    seat = "" if place.player is None else str(place.player + 1)
    return " ".join(filter(None, [seat, place.text]))


def _lay(stamps: Sequence[Stamp], across: int, down: int) -> list[str]:
    """The words at a scale of this many columns and lines a cell; nothing if they touch or are too wide."""
    rows: dict[int, list[tuple[int, str]]] = {}
    for x, y, line, word in stamps:
        start = math.floor(x * across - len(word) / 2 + 0.5)
        rows.setdefault(math.floor(y * down) + line, []).append((start, word))
    left = min(start for row in rows.values() for start, _ in row)
    lines = []
    for number in range(min(rows), max(rows) + 1):
        text = ""
        for start, word in sorted(rows.get(number, [])):
            if text and start - left <= len(text):
                return []
            text = text.ljust(start - left) + word
        if len(text) >= WIDTH:
            return []
        lines.append(text)
    return lines


def _bars(tracks: Iterable[Track]) -> list[str]:
    tracks = list(tracks)
    signs = [f"{track.value:g}" + (f"+{track.more:g}" if track.more else "") for track in tracks]
    names = max((len(track.label) for track in tracks), default=0)
    wide = max(map(len, signs), default=0)
    lines = []
    for track, sign in zip(tracks, signs, strict=True):
        full = min(BAR, int(BAR * track.value / track.most))
        more = min(BAR, int(BAR * (track.value + track.more) / track.most)) - full
        bar = "█" * full + "▒" * more + "·" * (BAR - full - more)
        lines.append(f"{track.label:<{names}} {sign:<{wide}} [{bar}] of {track.most:g}")
    return lines
