"""Pieces of an SVG: the outlines of nodes, lines of text whose width is known beforehand, and the document."""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from xml.sax.saxutils import escape, quoteattr

from gametree.core.game import CHANCE, MIN, SIMULTANEOUS
from gametree.core.record import LEAF

__all__ = [
    "Text",
    "clean",
    "document",
    "escape_text",
    "fit",
    "node_shape",
    "path_points",
    "polygon",
    "px",
    "rectangle",
    "shorten",
    "strike",
    "text_element",
    "text_width",
    "with_minus",
    "wrap",
]

FONT = "'Helvetica Neue', Helvetica, Arial, 'DejaVu Sans', sans-serif"
CUT = "#c43c00"
LONGEST = 18  # characters of a user's label or move that are shown; the tooltip has them all


@dataclass(slots=True)
class Text:
    """One line of text and how it is set."""

    text: str
    size: float
    weight: str = "normal"
    style: str = "normal"

    @property
    def width(self) -> float:
        """How wide it is at most."""
        return text_width(self.text, self.size) * (1.06 if self.weight == "bold" else 1.0)


# Shapes ---------------------------------------------------------------------------------------------------------------


def node_shape(player: int, x: float, top: float, width: float, height: float, *, several: bool, style: str) -> str:
    """The outline of a node, x being its middle: squares maximise, circles minimise, diamonds are chance.

    Leaves are rounded. With several players there is no minimiser, and squares are told apart by colour.
    """
    left, right, middle, bottom = x - width / 2, x + width / 2, top + height / 2, top + height
    if player == CHANCE:
        return polygon([(x, top), (right, middle), (x, bottom), (left, middle)], style)
    if player == SIMULTANEOUS:
        corners = [(left + 10, top), (right - 10, top), (right, middle), (right - 10, bottom)]
        return polygon([*corners, (left + 10, bottom), (left, middle)], style)
    if player == MIN and not several:
        return f'<ellipse cx="{px(x)}" cy="{px(middle)}" rx="{px(width / 2)}" ry="{px(height / 2)}" {style}/>'
    return rectangle(left, top, width, height, f'rx="{6 if player == LEAF else 1.5}" {style}')


def rectangle(left: float, top: float, width: float, height: float, style: str) -> str:
    """A rectangle."""
    return f'<rect x="{px(left)}" y="{px(top)}" width="{px(width)}" height="{px(height)}" {style}/>'


def polygon(points: Iterable[tuple[float, float]], style: str) -> str:
    """A closed outline."""
    return f'<polygon points="{path_points(points)}" {style} stroke-linejoin="round"/>'


def path_points(points: Iterable[tuple[float, float]]) -> str:
    """Points as the attribute of a polygon or polyline."""
    return " ".join(f"{px(x)},{px(y)}" for x, y in points)


def strike(x1: float, y1: float, x2: float, y2: float) -> str:
    """Two short strokes across a line, a little beyond its middle, where a fan has spread: the branch is cut."""
    x, y = x1 + (x2 - x1) * 0.6, y1 + (y2 - y1) * 0.6
    length = math.hypot(x2 - x1, y2 - y1) or 1.0
    ax, ay = (x2 - x1) / length, (y2 - y1) / length  # along the edge
    sx, sy = 5.5 * (ax - ay), 5.5 * (ax + ay)  # across it, slanted
    strokes = ""
    for shift in (-3.0, 3.0):
        mx, my = x + ax * shift, y + ay * shift
        strokes += f"M{px(mx - sx)} {px(my - sy)}L{px(mx + sx)} {px(my + sy)}"
    return f'<path d="{strokes}" stroke="{CUT}" stroke-width="2.2" stroke-linecap="round"/>'


def px(x: float) -> str:
    """A coordinate with at most one decimal."""
    return f"{x:.1f}".removesuffix(".0")


# Text -----------------------------------------------------------------------------------------------------------------


def text_element(x: float, y: float, line: Text, color: str, anchor: str = "middle") -> str:
    """A line of text on the base line y; `anchor` says which part of it x is: start, middle or end."""
    extra = "" if line.weight == "normal" else f' font-weight="{line.weight}"'
    extra += "" if line.style == "normal" else f' font-style="{line.style}"'
    place = f'x="{px(x)}" y="{px(y)}" font-size="{px(line.size)}" text-anchor="{anchor}"'
    return f'<text {place} fill="{color}"{extra}>{escape_text(line.text)}</text>'


def text_width(text: str, size: float) -> float:
    """How wide the text is at most in the fonts asked for; the widest of them is DejaVu Sans."""
    total = 0.0
    for letter in text:
        if letter in "ijl.,:;|!'()[] /It":
            total += 0.4
        elif letter in "mwMW@%":
            total += 0.98
        elif letter in "≤≥≈+−×=∞" or letter.isupper():
            total += 0.8
        elif unicodedata.east_asian_width(letter) in "WF":
            total += 1.05
        elif unicodedata.category(letter) in ("So", "Sk"):
            total += 1.3
        else:
            total += 0.64
    return total * size


def shorten(text: str) -> str:
    """A user's text in one line of at most LONGEST characters."""
    text = " ".join(text.split())
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"


def fit(text: str, size: float, width: float) -> str:
    """As much of the text as the width allows."""
    while text and text_width(text, size) > width:
        text = text[:-2] + "…" if len(text) > 2 else ""
    return text


def wrap(text: str, size: float, width: float) -> list[str]:
    """The text in lines no wider than `width`, except for words that are wider themselves."""
    lines, line = [], ""
    for word in text.split():
        longer = f"{line} {word}".strip()
        if line and text_width(longer, size) > width:
            lines.append(line)
            line = word
        else:
            line = longer
    return [*lines, line] if line else lines


def with_minus(text: str) -> str:
    """The text with a typographic minus before numbers; hyphens in names stay."""
    return re.sub(r"(?<!\w)-(?=[\d.∞])", "−", text)


def clean(text: str) -> str:
    """The text without characters that XML forbids."""
    forbidden = {*range(0x20), *range(0xD800, 0xE000), 0xFFFE, 0xFFFF} - {0x09, 0x0A}
    return "".join("\N{REPLACEMENT CHARACTER}" if ord(letter) in forbidden else letter for letter in text)


def escape_text(text: str) -> str:
    """The text as the content of an element."""
    return escape(clean(text))


def document(width: float, height: float, title: str, description: str, body: Sequence[str]) -> str:
    """The whole SVG on a white ground, so that it can stand on a dark page too."""
    size = f'width="{px(width)}" height="{px(height)}"'
    label = quoteattr(clean(title))
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" {size} viewBox="0 0 {px(width)} {px(height)}" '
            f'role="img" aria-label={label} font-family="{FONT}">',
            f"<title>{escape_text(title)}</title>",
            f"<desc>{escape_text(description)}</desc>",
            f'<rect {size} fill="#fff"/>',
            *body,
            "</svg>",
            "",
        ]
    )
