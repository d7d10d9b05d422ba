"""Minimax by labelling: draw the whole tree, then label it from the leaves up.

Source: the first form in which lectures give minimax, after Zermelo (1913) and von Neumann (1928).

    To evaluate a node n:
    1. Expand the whole tree below n.
    2. Label the leaves with what they are worth.
    3. Select a node n' without a label whose children are all labelled. If there is none, return the label of n.
    4. If MIN is to move at n', label it with the least of its children's labels, if MAX, with the greatest. Go to 3.

It needs room for the whole tree, b^d nodes, where the depth-first forms need b·d. There is no recursion.
"""

from __future__ import annotations

from math import nan
from typing import Any

from gametree.core.facts import Algorithm
from gametree.core.game import MAX, Game
from gametree.core.record import TreeRecord
from gametree.core.result import SearchResult
from gametree.search.support.record_notes import Notes
from gametree.search.support.run import CHECK_EVERY, Clock, Run

__all__ = ["ALGORITHM", "search"]

ALGORITHM = Algorithm(
    name="minimax-labelling",
    title="Minimax (labelling the whole tree)",
    source="Zermelo (1913); von Neumann (1928); lecture form in four steps",
)


class _Node:
    """A node of the drawn tree."""

    __slots__ = ("action", "best", "children", "depth", "label", "parent", "row", "state", "unlabelled")

    def __init__(self, state: Any, action: Any, parent: _Node | None, depth: int) -> None:
        self.state = state
        self.action = action
        self.parent = parent
        self.depth = depth
        self.children: list[_Node] = []
        self.unlabelled = 0  # how many children still lack a label
        self.label = nan
        self.best: _Node | None = None
        self.row: int | None = None


def search(
    game: Game[Any, Any],
    state: Any = None,
    *,
    depth: int | None = None,
    clock: Clock | None = None,
    record: TreeRecord | None = None,
) -> SearchResult:
    """Return the minimax value and the first of the best moves, to `depth` plies or to the end of the game.

    `details["stored"]` is the number of nodes that were held at once. Raises UnfitGame, BadInput, GameError, and
    OutOfTime if the clock stops it.
    """
    run = Run(ALGORITHM, game, state, depth=depth, clock=clock, record=record)
    game = run.game
    notes = None if record is None else Notes(record)
    root = _Node(run.state, None, None, run.depth)

    # 1. Expand the whole tree below n; `tree` grows while it is read, level by level.
    tree, leaves = [root], []
    for nodes, node in enumerate(tree, 1):
        if clock is not None and not nodes & CHECK_EVERY:
            clock.check(nodes)
        if notes is not None:
            node.row = notes.visit(-1 if node.parent is None else node.parent.row, node.state, node.action)
        if node.depth == 0 or game.is_terminal(node.state):
            leaves.append(node)
            continue
        for action in game.actions(node.state):
            node.children.append(_Node(game.result(node.state, action), action, node, node.depth - 1))
        node.unlabelled = len(node.children)
        tree += node.children

    def label(node: _Node, value: float) -> None:
        """Write the label; the parent can be labelled once its last child is."""
        node.label = value
        if notes is not None:
            notes.settle(node.row, value, at_limit=not node.children)
        if node.parent is not None:
            node.parent.unlabelled -= 1
            if not node.parent.unlabelled:
                ready.append(node.parent)

    # 2. Label the leaves.
    ready: list[_Node] = []
    utility, evaluate = run.leaf_values()
    for leaf in leaves:
        label(leaf, utility(leaf.state) if game.is_terminal(leaf.state) else evaluate(leaf.state))

    # 3. Select a node whose children are all labelled, the left-most of the deepest first, until there is none.
    for node in ready:
        # 4. The greatest label of the children where MAX is to move, the least where MIN is; the first one of equals.
        choose = max if game.player(node.state) == MAX else min
        node.best = choose(node.children, key=lambda child: child.label)
        label(node, node.best.label)

    line, place = [], root.best
    while place is not None:
        line.append(place.action)
        place = place.best
    deepest = run.depth - tree[-1].depth
    return run.finish(root.label, line, nodes=len(tree), leaves=len(leaves), selective=deepest, stored=len(tree))
