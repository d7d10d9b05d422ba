"""A tree record as an SVG that can go on a lecture slide as it is.

MAX nodes are squares, MIN nodes circles, chance nodes diamonds; windows stand on the edges; dropped branches are grey,
dashed and struck out; best play is bold. Colours are those of Okabe and Ito, which colour-blind people can tell apart,
and none of them carries a meaning alone.

The layout is a tidy tree after Reingold and Tilford (1981), done with loops: every subtree is laid out by itself, then
moved to the left as far as its outline allows, and a parent stands midway over its children. An edge leaves its
parent's row, slants through a zone that holds nothing else, and comes down in the column of its child, where its
labels stand: so no label can lie on another or on a foreign edge.

    row      ┌───┐
             │ A │
             └─┬─┘
    slant      ╱ ╲
    band   [3, 9]  [4, 9]      move, probability and window of the edge to the node below
    row      (B)     (C)
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

from gametree.core.game import CHANCE, MIN, SIMULTANEOUS
from gametree.core.record import LEAF, TreeRecord
from gametree.interfaces.svg_parts import (
    Text,
    document,
    escape_text,
    fit,
    node_shape,
    path_points,
    polygon,
    px,
    rectangle,
    shorten,
    strike,
    text_element,
    text_width,
    with_minus,
    wrap,
)
from gametree.interfaces.tree_steps import select_rows
from gametree.teaching.steps import Picture, Stepper, Words, chance_text, final_picture, value_text, window_text

__all__ = ["tree_svg"]

INK, GREY, FAINT = "#1a1a1a", "#6b6b6b", "#b4b4b4"
HERE = "#f0e442"

# Outline and fill by kind of node.
BLUE, ORANGE, GREEN, PURPLE = (
    ("#0072b2", "#dcebf5"),
    ("#b87700", "#fdf0d5"),
    ("#007a5a", "#d9f0e8"),
    ("#9a4777", "#f6e3ee"),
)
SKY, LEAF_COLORS = ("#2a7fb0", "#e3f2fb"), ("#7a7a7a", "#f6f6f6")
SEATS = (BLUE, ORANGE, PURPLE, SKY)

VALUE, NAME, SMALL = 15.0, 12.5, 11.5  # font sizes
LINE = 1.2  # height of a line of text, in font sizes
SIBLINGS, SLANT, MARGIN = 14.0, 44.0, 24.0

REMARKS = ("table", "solved", "extended", "quiescence", "refused", "symmetric", "unfinished")


def tree_svg(record: TreeRecord, *, max_nodes: int = 400, title: str | None = None, step: int | None = None) -> str:
    """Draw the record as one SVG document.

    Draws at most `max_nodes` nodes and counts the rest in triangles. `step` draws what a `Stepper` shows at that step,
    with its sentence as a caption; nodes stand in the same place at every step. Texts of users are escaped and cut
    short where they are long. Raises BadInput if there is no such step or `max_nodes` is below 1.
    """
    end = final_picture(record)
    caption, picture = "", end
    if step is not None:
        stepper = Stepper(record)
        stepper.goto(step)
        picture = stepper.picture()
        caption = with_minus(f"Step {step + 1} of {len(stepper)}: {stepper.sentence()}")
    return _Drawing(record, picture, end, max_nodes, title, caption, stepping=step is not None).svg()


@dataclass(slots=True)
class _Box:
    """One node of the drawing, or the triangle that stands for nodes left out (`row` is then its parent's)."""

    row: int
    level: int
    more: tuple[int, int] | None = None
    lines: list[Text] = field(default_factory=list)
    labels: list[Text] = field(default_factory=list)
    children: list[int] = field(default_factory=list)  # places in the list of boxes
    parent: int = -1
    width: float = 0.0
    height: float = 0.0
    x: float = 0.0
    top: float = 0.0

    @property
    def middle(self) -> float:
        return self.top + self.height / 2

    @property
    def column(self) -> float:
        """The width that the box and the labels above it need."""
        return max(self.width, max((label.width + 4 for label in self.labels), default=0.0))


class _Drawing:
    """Everything about one SVG."""

    def __init__(
        self,
        record: TreeRecord,
        picture: Picture,
        end: Picture,
        max_nodes: int,
        title: str | None,
        caption: str,
        *,
        stepping: bool,
    ) -> None:
        self.record, self.picture, self.end = record, picture, end
        self.caption, self.stepping = caption, stepping
        self.words = Words(record)
        self.windows, self.plain, self.several = self.words.windows, self.words.plain, self.words.several
        self.best = set(picture.line)
        algorithm = record.algorithm or "A search"
        self.title = title or (f"{algorithm} on {record.game_name}" if record.order[:1] != [-1] else record.game_name)
        self.below = record.children()
        self.boxes: list[_Box] = []
        if len(record):
            self._make_boxes(max_nodes)
            self._place()

    # What stands in the boxes ----------------------------------------------------------------------------------------

    def _make_boxes(self, max_nodes: int) -> None:
        """One box per drawn row, parents before children, left before right."""
        record = self.record
        selection = select_rows(record, self.end, max_nodes)
        todo: list[tuple[int, int, tuple[int, int] | None]] = [(0, -1, None)] if len(record) else []
        while todo:
            row, above, more = todo.pop()
            place = len(self.boxes)
            level = 0 if above < 0 else self.boxes[above].level + 1
            box = _Box(row, level, more, parent=above)
            if above >= 0:
                self.boxes[above].children.append(place)
            if more is None:
                box.lines = self._node_lines(row, self.picture)
                box.labels = self._edge_labels(row, self.picture)
                self._measure(box)
                if row in selection.more:
                    todo.append((row, place, selection.more[row]))
                todo.extend((child, place, None) for child in reversed(selection.children[row]))
            else:
                nodes, cuts = more
                box.lines = [Text(f"{nodes:,} more", SMALL)]
                if cuts:
                    box.lines.append(Text(f"{cuts:,} cut", SMALL))
                box.width = max(40.0, *(line.width for line in box.lines)) + 4
                box.height = 30 + len(box.lines) * SMALL * LINE
            self.boxes.append(box)

    def _node_lines(self, row: int, picture: Picture) -> list[Text]:
        """Name, value, visits and remarks that stand inside a node."""
        record = self.record
        lines = []
        if record.label[row]:
            lines.append(Text(shorten(record.label[row]), NAME, "bold"))
        if picture.value[row] is not None and picture.is_visible(row):
            text = with_minus(value_text(picture.value[row], picture.values[row], picture.bound[row]))
            provisional = picture.status[row] == "open"
            lines.append(Text(text + "?" if provisional else text, VALUE, style="italic" if provisional else "normal"))
        if picture.visits[row] > 1:
            lines.append(Text(f"×{picture.visits[row]:,}", SMALL))
        words = picture.reason[row].split()
        lines += [Text(word, SMALL, style="italic") for word in REMARKS if word in words]
        return lines

    def _edge_labels(self, row: int, picture: Picture) -> list[Text]:
        """Move, probability and window that stand on the edge to a node."""
        record = self.record
        labels = []
        move = "" if self.plain or record.parent[row] < 0 else shorten(record.move[row])
        chance = record.probability[row]
        if chance is not None:
            move = f"{move} ({chance_text(chance)})" if move else chance_text(chance)
        if move:
            labels.append(Text(move, NAME, "bold"))
        if self.windows and record.player[row] != LEAF and picture.status[row] in ("open", "done"):
            window = (picture.alpha[row], picture.beta[row])
            if picture.status[row] == "open":
                window = (picture.low[row], picture.high[row])
            labels.append(Text(with_minus(window_text(*window)), SMALL))
        return labels

    def _measure(self, box: _Box) -> None:
        """The size of a node's outline, large enough for its text at every step."""
        lines = box.lines
        width = max((line.width for line in lines), default=0.0)
        if self.stepping:
            # The picture at the end has every line; a provisional value is one of the children's, with a sign.
            lines = self._node_lines(box.row, self.end)
            values = [value_text(self.end.value[row], self.end.values[row]) for row in self.below[box.row]]
            widths = [text_width(with_minus(text) + "?", VALUE) for text in values]
            width = max(width, *(line.width for line in lines), *widths, 0.0)
        height = sum(line.size * LINE for line in lines)
        player = self.record.player[box.row]
        if player == LEAF:
            box.width, box.height = max(28.0, width + 12), max(26.0, height + 8)
        elif player == CHANCE:
            half = max(26.0, width / 2 + height * 0.6 + 6)
            box.width = 2 * half
            box.height = max(44.0, height / (1 - width / (2 * half)) + 4)
        elif player == SIMULTANEOUS:
            box.width, box.height = max(44.0, width + 34), max(34.0, height + 12)
        elif player == MIN and not self.several:
            across, down = width * 0.72 + 5, height * 0.72 + 5  # half axes of an ellipse around the text
            if across < 1.35 * down:
                across = down = max(19.0, math.hypot(width, height) / 2 + 4)
            box.width, box.height = 2 * across, 2 * max(19.0, down)
        else:
            box.width, box.height = max(36.0, width + 14), max(36.0, height + 12)

    # Where the boxes stand -------------------------------------------------------------------------------------------

    def _place(self) -> None:
        self._columns()
        levels = 1 + max(box.level for box in self.boxes)
        tallest, band, spread = [0.0] * levels, [0.0] * levels, [0.0] * levels
        for box in self.boxes:
            tallest[box.level] = max(tallest[box.level], box.height)
            band[box.level] = max(band[box.level], self._band(box))
            if box.parent >= 0:
                spread[box.level] = max(spread[box.level], abs(box.x - self.boxes[box.parent].x))
        y = 0.0
        self.rows: list[tuple[float, float, float]] = []  # for every level: top of its band, top and bottom of its row
        for level in range(levels):
            if level:
                y += SLANT + min(70.0, spread[level] * 0.1)  # wide fans need steeper edges
            self.rows.append((y, y + band[level], y + band[level] + tallest[level]))
            y = self.rows[-1][2]
        for box in self.boxes:
            _, top, bottom = self.rows[box.level]
            box.top = top if box.more is not None else top + (bottom - top - box.height) / 2
        self.bottom = y

    def _band(self, box: _Box) -> float:
        if not box.labels and not (self.stepping and box.more is None):
            return 0.0
        labels = box.labels
        if self.stepping:
            labels = max(labels, self._edge_labels(box.row, self.end), key=len)
        return sum(label.size * LINE for label in labels) + (6 if labels else 0)

    def _columns(self) -> None:
        """Give every box its x: Reingold and Tilford's outlines, from the leaves up and then from the root down."""
        offset = [0.0] * len(self.boxes)  # from the parent
        outlines: list[list[tuple[float, float]]] = [[] for _ in self.boxes]
        for place in range(len(self.boxes) - 1, -1, -1):
            box = self.boxes[place]
            half = self._column(box) / 2
            merged: list[tuple[float, float]] = []
            at = []
            for child in box.children:
                outline = outlines[child]
                shift = max(
                    (right + SIBLINGS - left for (_, right), (left, _) in zip(merged, outline, strict=False)),
                    default=0.0,
                )
                at.append(shift)
                moved = [(left + shift, right + shift) for left, right in outline]
                shared = min(len(merged), len(moved))
                merged = [(merged[i][0], moved[i][1]) for i in range(shared)] + merged[shared:] + moved[shared:]
                outlines[child] = []
            middle = (at[0] + at[-1]) / 2 if at else 0.0
            for child, shift in zip(box.children, at, strict=True):
                offset[child] = shift - middle
            outlines[place] = [(-half, half), *((left - middle, right - middle) for left, right in merged)]
        for place, box in enumerate(self.boxes):
            box.x = offset[place] + (self.boxes[box.parent].x if box.parent >= 0 else 0.0)
        left = min(box.x - self._column(box) / 2 for box in self.boxes)
        for box in self.boxes:
            box.x -= left
        self.width = max(box.x + self._column(box) / 2 for box in self.boxes)

    def _column(self, box: _Box) -> float:
        if not self.stepping or box.more is not None:
            return box.column
        # The window changes from step to step; leave room for any.
        labels = self._edge_labels(box.row, self.end)
        if self.windows and self.record.player[box.row] != LEAF:
            labels.append(Text("[−0.000, −0.000]", SMALL))
        return max(box.column, *(label.width + 4 for label in labels)) if labels else box.column

    # The document ----------------------------------------------------------------------------------------------------

    def svg(self) -> str:
        """The whole text."""
        if not self.boxes:
            return document(240, 60, self.title, "An empty tree.", [])
        summary = self._summary()
        names = self._level_names()
        gutter = max((text_width(name, NAME) for name, _ in names.values()), default=0.0)
        gutter = gutter * 1.06 + 18 if names else 0.0
        legend = self._legend_items()
        inner = max(
            self.width + gutter, text_width(self.title, 19) * 1.06, 460.0 if self.stepping or len(legend) > 3 else 300.0
        )
        if not self.stepping:
            inner = max(inner, min(text_width(summary, SMALL + 1.5), 900.0))
        width = inner + 2 * MARGIN
        body: list[str] = []

        # 1. Title and summary.
        y = MARGIN + 19
        body.append(text_element(MARGIN, y, Text(fit(self.title, 19, inner), 19, "bold"), INK, "start"))
        for line in wrap(summary, SMALL + 1.5, inner):
            y += (SMALL + 1.5) * 1.35
            body.append(text_element(MARGIN, y, Text(line, SMALL + 1.5), GREY, "start"))
        y += 24

        # 2. The tree, in the middle of what the level names leave.
        left = MARGIN + gutter + (inner - gutter - self.width) / 2
        for level, (name, color) in names.items():
            middle = y + (self.rows[level][1] + self.rows[level][2]) / 2
            body.append(text_element(MARGIN, middle + NAME * 0.35, Text(name, NAME, "bold"), color, "start"))
        body.append(f'<g transform="translate({px(left)} {px(y)})">')
        body += self._edges()
        body += [self._node(box) for box in self.boxes if self._is_drawn(box)]
        body.append("</g>")
        y += self.bottom + 30

        # 3. Legend and caption.
        lines, y = self._legend(legend, y, inner)
        body += lines
        if self.caption:
            y += 12
            wrapped = wrap(self.caption, VALUE, inner)
            for line in wrapped:
                y += VALUE * 1.4
                body.append(text_element(MARGIN, y, Text(line, VALUE), INK, "start"))
            y += VALUE * 1.4 * max(0, math.ceil(1500 / inner) - len(wrapped))  # the same height at every step
        return document(width, y + MARGIN, self.title, summary, body)

    def _is_drawn(self, box: _Box) -> bool:
        if not self.picture.is_visible(box.row):
            return False
        # A triangle stands for nodes below: at a step, only once the search has been below.
        return box.more is None or not self.stepping or self.picture.status[box.row] != "open"

    def _edges(self) -> list[str]:
        """Edges with their labels; best play last, so that it lies on top."""
        thin: list[str] = []
        bold: list[str] = []
        over: list[str] = []
        for box in self.boxes:
            if not self._is_drawn(box):
                continue
            band, _, _ = self.rows[box.level]
            dropped = box.more is None and self.picture.is_unvisited(box.row)
            color = FAINT if dropped else INK
            if box.parent >= 0:
                parent = self.boxes[box.parent]
                row_end = self.rows[parent.level][2]
                best = box.more is None and box.row in self.best and parent.row in self.best
                points = [(parent.x, parent.top + parent.height), (parent.x, row_end), (box.x, band), (box.x, box.top)]
                style = f'stroke="{color}" stroke-width="{3.2 if best else 1.3}"'
                if dropped:
                    style += ' stroke-dasharray="5 4"'
                (bold if best else thin).append(
                    f'<polyline points="{path_points(points)}" fill="none" {style} stroke-linejoin="round"/>'
                )
                if dropped and not self.picture.is_unvisited(parent.row):
                    over.append(strike(parent.x, row_end, box.x, band))
            # Labels end right above the node.
            y = box.top - 6 - sum(label.size * LINE for label in box.labels)
            if box.labels:
                wide, high = max(label.width for label in box.labels) + 4, box.top - 4 - y
                over.append(rectangle(box.x - wide / 2, y, wide, high, 'fill="#fff"'))
            for label in box.labels:
                y += label.size * LINE
                shade = GREY if dropped or label.weight != "bold" else INK
                over.append(text_element(box.x, y - label.size * 0.2, label, shade))
        return thin + bold + over

    def _node(self, box: _Box) -> str:
        """One node with its tooltip."""
        if box.more is not None:
            return self._triangle(box)
        record, picture = self.record, self.picture
        player = record.player[box.row]
        dropped = picture.is_unvisited(box.row)
        stroke, fill = self._colors(player)
        weight = 3.2 if box.row in self.best and not dropped else 1.6
        dash = ""
        if dropped:
            stroke, fill, dash = FAINT, "#fff", ' stroke-dasharray="4 3"'
        outline = node_shape(
            player,
            box.x,
            box.top,
            box.width,
            box.height,
            several=self.several,
            style=f'fill="{fill}" stroke="{stroke}" stroke-width="{weight}"{dash}',
        )
        parts = [f"<g><title>{escape_text(self._tooltip(box.row))}</title>"]
        if picture.current == box.row:
            halo = f'rx="9" fill="{HERE}" stroke="{INK}" stroke-width="0.8"'
            parts.append(rectangle(box.x - box.width / 2 - 7, box.top - 5, box.width + 14, box.height + 10, halo))
        parts.append(outline)
        y = box.middle - sum(line.size * LINE for line in box.lines) / 2
        for line in box.lines:
            y += line.size * LINE
            parts.append(text_element(box.x, y - line.size * 0.26, line, GREY if dropped else INK))
        parts.append("</g>")
        return "".join(parts)

    def _triangle(self, box: _Box) -> str:
        assert box.more is not None
        nodes, cuts = box.more
        words = f"{nodes:,} more nodes" + (f", {cuts:,} cut off" if cuts else "")
        y, x = box.top, box.x
        parts = [
            f"<g><title>{words} are not drawn here</title>",
            polygon([(x, y), (x - 18, y + 26), (x + 18, y + 26)], f'fill="#ececec" stroke="{GREY}" stroke-width="1.2"'),
        ]
        y += 28
        for line in box.lines:
            y += line.size * LINE
            parts.append(text_element(x, y - line.size * 0.2, line, GREY))
        return "".join([*parts, "</g>"])

    def _colors(self, player: int) -> tuple[str, str]:
        if player == CHANCE:
            return GREEN
        if player == SIMULTANEOUS:
            return PURPLE
        return LEAF_COLORS if player == LEAF else SEATS[player % len(SEATS)]

    def _tooltip(self, row: int) -> str:
        """Everything that the record says about a node, for those who point at it."""
        record, picture = self.record, self.picture
        words = [self.words.node(row), self.words.player(record.player[row]) or "leaf"]
        if record.parent[row] >= 0:
            words.append(f"move {record.move[row]}")
        if picture.value[row] is not None:
            words.append(f"value {value_text(picture.value[row], picture.values[row], picture.bound[row])}")
        if self.windows and picture.status[row] in ("open", "done"):
            words.append(f"window {window_text(picture.alpha[row], picture.beta[row])}")
        if picture.visits[row]:
            words.append(f"{picture.visits[row]:,} visits" if picture.visits[row] > 1 else "1 visit")
        reasons = [word for word in picture.reason[row].split() if word != "terminal"]
        return ", ".join(words + reasons)

    def _summary(self) -> str:
        record, picture = self.record, self.picture
        if record.order[0] < 0:
            return f"{len(record):,} nodes"
        visited = sum(word in ("open", "done") for word in picture.status)
        dropped = sum(map(picture.is_unvisited, range(len(record))))
        parts = [f"{visited:,} {'node' if visited == 1 else 'nodes'} visited"]
        if dropped:
            parts.append(f"{dropped:,} not looked at")
        if picture.status[0] == "done":
            parts.insert(0, f"value {value_text(picture.value[0], picture.values[0], picture.bound[0])}")
        if record.truncated:
            parts.append("the record was full before the search was done")
        return with_minus(", ".join(parts))

    def _level_names(self) -> dict[int, tuple[str, str]]:
        """Whose level it is, wherever all its nodes agree."""
        movers: dict[int, set[int]] = {}
        for box in self.boxes:
            if box.more is None and self.record.player[box.row] != LEAF:
                movers.setdefault(box.level, set()).add(self.record.player[box.row])
        names = {}
        for level, players in movers.items():
            if len(players) == 1:
                player = players.pop()
                names[level] = (self.words.player(player), self._colors(player)[0])
        return names

    # The legend: only what the drawing uses --------------------------------------------------------------------------

    def _legend_items(self) -> list[tuple[str, str]]:
        record, end = self.record, self.end
        drawn = [box.row for box in self.boxes if box.more is None]
        players = sorted({record.player[row] for row in drawn} - {LEAF}, key=lambda player: (player < 0, player))
        items = [(f"player {player}", self.words.player(player)) for player in players]
        if end.line:
            items.append(("best", "best play"))
        if any(map(end.is_unvisited, drawn)):
            items.append(("dropped", "not looked at"))
        if self.windows:
            items.append(("[α, β]", "window now" if self.stepping else "window on entry"))
        if any(end.bound[row] in ("upper", "lower") for row in drawn):
            items.append(("≤ ≥", "at most, at least"))
        if any(end.bound[row] == "estimate" for row in drawn):
            items.append(("≈", "estimate"))
        if any(end.visits[row] > 1 for row in drawn):
            items.append(("×n", "visits"))
        if any(box.more is not None for box in self.boxes):
            items.append(("more", "nodes left out"))
        if self.stepping:
            items.append(("here", "the search is here"))
        return items

    def _legend(self, items: Sequence[tuple[str, str]], y: float, inner: float) -> tuple[list[str], float]:
        """The legend in as many lines as it takes, and where it ends."""
        x, parts = 0.0, []
        for sign, words in items:
            glyph, wide = self._glyph(sign)
            needed = wide + 7 + text_width(words, SMALL + 1) + 22
            if x and x + needed - 22 > inner:
                x, y = 0.0, y + 26
            parts.append(f'<g transform="translate({px(MARGIN + x)} {px(y)})">{glyph}</g>')
            parts.append(text_element(MARGIN + x + wide + 7, y + 4, Text(words, SMALL + 1), INK, "start"))
            x += needed
        return parts, y + 10

    def _glyph(self, sign: str) -> tuple[str, float]:
        """A small sign whose middle line is y = 0, and its width."""
        if sign.startswith("player"):
            player = int(sign.split()[1])
            stroke, fill = self._colors(player)
            box = _Box(0, 0, width=20 if player >= 0 else 26, height=20, x=10 if player >= 0 else 13, top=-10)
            style = f'fill="{fill}" stroke="{stroke}" stroke-width="1.6"'
            return node_shape(
                player, box.x, box.top, box.width, box.height, several=self.several, style=style
            ), box.width
        if sign == "best":
            return f'<path d="M0 0H30" stroke="{INK}" stroke-width="3.2"/>', 30
        if sign == "dropped":
            line = f'<path d="M0 0H34" stroke="{FAINT}" stroke-width="1.3" stroke-dasharray="5 4"/>'
            return line + strike(0, 0, 34, 0), 34
        if sign == "more":
            return f'<path d="M10 -9L20 9H0Z" fill="#ececec" stroke="{GREY}" stroke-width="1.2"/>', 20
        if sign == "here":
            return f'<rect y="-9" width="24" height="18" rx="6" fill="{HERE}" stroke="{INK}" stroke-width="0.8"/>', 24
        text = Text(sign, SMALL + 1)
        return text_element(0, 4, text, GREY, "start"), text.width
