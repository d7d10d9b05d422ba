"""What of a tree record a picture shows: which step (by the `Stepper` of `gametree.teaching`), and which nodes."""

from __future__ import annotations

from dataclasses import dataclass

from gametree.core.errors import BadInput
from gametree.core.record import TreeRecord
from gametree.teaching.steps import Picture, Stepper

__all__ = ["Selection", "Stepper", "select_rows"]


@dataclass(slots=True)
class Selection:
    """The rows to draw: for each its drawn children, and how many nodes and cut-offs below it are left out."""

    children: dict[int, list[int]]
    more: dict[int, tuple[int, int]]


def select_rows(record: TreeRecord, picture: Picture, max_nodes: int) -> Selection:
    """Choose at most `max_nodes` rows, whole levels at a time, so that a large tree becomes a summary, not a smear.

    First the principal variation with its alternatives, then level by level below nodes that were visited, then below
    the others. Raises BadInput if `max_nodes` is below 1.
    """
    if max_nodes < 1:
        raise BadInput(f"A picture of {max_nodes} nodes is not possible; expected at least 1.")
    rows = range(len(record))
    below = [[child for child in children if picture.is_visible(child)] for children in record.children()]
    size = [1 if picture.is_visible(row) else 0 for row in rows]
    cuts = [int("cut" in picture.reason[row].split()) for row in rows]
    own_cuts = list(cuts)
    for row in reversed(rows):
        above = record.parent[row]
        if above >= 0:
            size[above] += size[row]
            cuts[above] += cuts[row]

    shown: dict[int, list[int]] = {0: []}
    budget = max_nodes - 1

    def show(row: int, children: list[int]) -> None:
        nonlocal budget
        shown[row] = children
        shown.update((child, []) for child in children)
        budget -= len(children)

    # 1. Best play, with all the alternatives if there is room, else with a few of them.
    for row in picture.line or [0]:
        if row not in shown or not below[row]:
            break
        children = below[row]
        if len(children) > budget:
            some = children[: budget if row == 0 else min(budget, 3)]
            best = [child for child in picture.line if child in children and child not in some]
            children = [*some[: len(some) - len(best)], *best] if some else []
        show(row, children)

    # 2. Whole levels, as long as they fit.
    for skip_unvisited in (True, False):
        frontier = [0]
        while frontier:
            chosen = [
                row
                for row in frontier
                if not shown[row] and below[row] and not (skip_unvisited and picture.is_unvisited(row))
            ]
            if sum(len(below[row]) for row in chosen) > budget:
                break
            for row in chosen:
                show(row, below[row])
            frontier = [child for row in frontier for child in shown[row]]

    more = {}
    for row, children in shown.items():
        hidden = size[row] - 1 - sum(size[child] for child in children)
        if hidden:
            more[row] = (hidden, cuts[row] - own_cuts[row] - sum(cuts[child] for child in children))
    return Selection(shown, more)
