"""A tree record as text for the terminal, with the branches that the search cut off marked."""

from __future__ import annotations

from gametree.core.game import CHANCE, SIMULTANEOUS
from gametree.core.record import LEAF, TreeRecord
from gametree.interfaces.tree_steps import Selection, select_rows
from gametree.teaching.steps import Picture, Stepper, Words, chance_text, final_picture, value_text, window_text

__all__ = ["tree_text"]

# Reasons that are worth a word in the picture; the others show in another way or go without saying.
SPOKEN = ("pruned", "refused", "symmetric", "extended", "quiescence", "table", "solved", "researched", "unfinished")

ASCII = str.maketrans(
    {
        "├": "|",
        "└": "`",
        "│": "|",
        "─": "-",
        "□": "#",
        "○": "o",
        "◇": "<>",
        "◈": "&",
        "≤": "<=",
        "≥": ">=",
        "≈": "~",
        "∞": "inf",
        "✂": "%",
        "✗": "x",
        "★": "*",
        "►": ">",
        "…": "...",
        "×": "x",
        "α": "alpha",
        "β": "beta",
        "⁺": "+",
        "⁻": "-",
    }
)

COLORS = {"MAX": "34", "MIN": "33", "chance": "32", "cut": "31", "pruned": "2", "best": "1"}


def tree_text(
    record: TreeRecord, *, max_nodes: int = 200, color: bool = False, ascii: bool = False, step: int | None = None
) -> str:
    """Draw the record, one line per node; at most `max_nodes` nodes, with the rest counted where it is left out.

    `step` draws what a `Stepper` shows at that step. `color` adds ANSI colours; `ascii` keeps to ASCII wherever the
    game's own texts do. Raises BadInput if there is no such step or `max_nodes` is below 1.
    """
    if not len(record):
        return "(an empty tree)"
    if step is None:
        picture = final_picture(record)
    else:
        stepper = Stepper(record)
        stepper.goto(step)
        picture = stepper.picture()
    selection = select_rows(record, picture, max_nodes)
    writer = _Writer(record, picture, color)
    lines = [writer.header(), *writer.lines(selection), "", writer.legend()]
    text = "\n".join(line.rstrip() for line in lines)
    return text.translate(ASCII) if ascii else text


class _Writer:
    """Writes the lines of one picture."""

    def __init__(self, record: TreeRecord, picture: Picture, color: bool) -> None:
        self.record = record
        self.picture = picture
        self.color = color
        words = Words(record)
        self.windows, self.several = words.windows, words.several
        self.line = set(picture.line)
        self.names = {player: words.player(player) for player in set(record.player)}
        self.used: set[str] = set()

    def paint(self, text: str, *names: str) -> str:
        """The text in the colours of the first name that has one."""
        codes = [COLORS[name] for name in names if name in COLORS]
        return f"\x1b[{';'.join(codes)}m{text}\x1b[0m" if self.color and codes and text else text

    def header(self) -> str:
        """What was searched, and how much of it."""
        record, picture = self.record, self.picture
        if record.order[0] < 0:
            return f"{record.game_name}: {len(record):,} nodes"
        visited = sum(word in ("open", "done") for word in picture.status)
        dropped = sum(map(picture.is_unvisited, range(len(record))))
        parts = [f"{visited:,} {'node' if visited == 1 else 'nodes'} visited"]
        if dropped:
            parts.append(f"{dropped:,} not looked at")
        if record.truncated:
            parts.append("the record was full before the search was done")
        return f"{record.algorithm or 'search'} on {record.game_name}: {', '.join(parts)}"

    def lines(self, selection: Selection) -> list[str]:
        """The tree from the root down."""
        lines = []
        # Each entry: the row (or None for a summary), its own prefix, the prefix of what stands below it, the summary.
        todo: list[tuple[int | None, str, str, str]] = [(0, "", "", "")]
        while todo:
            row, own, deeper, summary = todo.pop()
            if row is None:
                lines.append(own + self.paint(summary, "pruned"))
                continue
            entries: list[tuple[int | None, str]] = [(child, "") for child in selection.children[row]]
            collapsed = ""
            if row in selection.more:
                nodes, cuts = selection.more[row]
                words = f"… {nodes:,} more {'node' if nodes == 1 else 'nodes'}" + (f", {cuts:,} cut" if cuts else "")
                if entries:
                    entries.append((None, words))
                else:
                    collapsed = " " + self.paint(words, "pruned")
            lines.append(own + self.node(row) + collapsed)
            for place, (child, words) in reversed(list(enumerate(entries))):
                last = place == len(entries) - 1
                todo.append((child, deeper + ("└─ " if last else "├─ "), deeper + ("   " if last else "│  "), words))
        return lines

    def node(self, row: int) -> str:
        """One node: move, kind, label, value, window, marks."""
        record, picture = self.record, self.picture
        player, status = record.player[row], picture.status[row]
        words = picture.reason[row].split()
        dropped = picture.is_unvisited(row)
        kind = self.names[player]
        parts = []
        if picture.current == row:
            parts.append("►")
            self.used.add("current")
        if record.parent[row] >= 0 and record.move[row] != record.label[row]:
            chance = record.probability[row]
            parts.append(f"{record.move[row]}" + (f" ({chance_text(chance)})" if chance is not None else "") + ":")
        elif record.probability[row] is not None:
            parts.append(f"({chance_text(record.probability[row])})")
        if dropped:
            parts.append("✗")
            self.used.add("pruned")
        if player != LEAF:
            parts.append(f"{self.shape(player)} {self.paint(kind, '' if dropped else kind)}")
        if record.label[row]:
            parts.append(record.label[row])
        value = self.value(row)
        if value:
            if record.label[row]:
                value = f"{value[0]} {value[1:]}" if value[0] in "≤≥≈" else f"= {value}"
            parts.append(self.paint(value, "best") if not dropped else value)
        if picture.visits[row] > 1:
            parts.append(f"×{picture.visits[row]:,}")
            self.used.add("visits")
        if self.windows and player != LEAF and status in ("open", "done"):
            open_now = status == "open"
            window = (picture.low[row], picture.high[row]) if open_now else (picture.alpha[row], picture.beta[row])
            parts.append(window_text(*window))
            self.used.add("window")
        if "cut" in words:
            parts.append(self.paint("✂ cut", "cut"))
            self.used.add("cut")
        parts += [word for word in words if word in SPOKEN]
        if row in self.line and row:
            parts.append("★")
            self.used.add("best")
        text = " ".join(parts)
        return self.paint(text, "pruned") if dropped else text

    def value(self, row: int) -> str:
        """The value, provisional ones with a question mark; nothing where none is known."""
        picture = self.picture
        if picture.value[row] is None:
            return ""
        provisional = "?" if picture.status[row] == "open" else ""
        return value_text(picture.value[row], picture.values[row], picture.bound[row]) + provisional

    def shape(self, player: int) -> str:
        """The sign of the seat to move: squares maximise, circles minimise, diamonds are chance."""
        if player == CHANCE:
            return "◇"
        if player == SIMULTANEOUS:
            return "◈"
        return "○" if player == 1 and not self.several else "□"

    def legend(self) -> str:
        """The marks that were used and what they mean."""
        marks = [
            ("best", "★ best play"),
            ("cut", "✂ cut off here"),
            ("pruned", "✗ not looked at"),
            ("window", "[α, β] window on entry" if self.picture.current is None else "[α, β] window now"),
            ("visits", "×n visits"),
            ("current", "► the search is here"),
        ]
        signs = [f"{self.shape(player)} {self.names[player]}" for player in sorted(self.names) if player >= 0]
        signs += [
            f"{self.shape(player)} {self.names[player]}" for player in (CHANCE, SIMULTANEOUS) if player in self.names
        ]
        return "   ".join(signs + [words for name, words in marks if name in self.used])


if __name__ == "__main__":
    from gametree.core.registry import load_algorithm
    from gametree.games.tree import parse_tree

    demo = parse_tree("((3 12 8) (2 4 6) (14 5 2))")
    demo_record = TreeRecord(demo)
    load_algorithm("alphabeta")[1](demo, record=demo_record)
    print(tree_text(demo_record))
