"""Minimax with a list: depth-first without recursion, with provisional values in the nodes.

Source: Ginsberg, *Essentials of Artificial Intelligence* (1993), chapter on adversary search, as lectures number it.

    To evaluate a node n in a game tree:
    1. Put L = (n), the nodes not yet expanded.
    2. Let x be the first node of L. If x = n and it has a value, return this value.
    3. Otherwise, if x has a value Vx, let p be the parent of x and Vp its provisional value. If p is a MIN node,
       Vp = min(Vp, Vx), otherwise Vp = max(Vp, Vx). Remove x from L and go to 2.
    4. If x has no value and is terminal, or we decide not to expand it, give it its value by UTILITY or EVAL. Leave x
       in L, since its ancestors must be updated, and go to 2.
    5. If x has no value and is not terminal, set Vx = −∞ if x is a MAX node and +∞ if it is a MIN node. Put the
       children of x at the head of L and go to 2.

When x comes back to the head of L, all its children are gone and its provisional value is final. L never holds more
than b·d nodes and the root.
"""

from __future__ import annotations

from math import inf
from typing import Any

from gametree.core.facts import Algorithm
from gametree.core.game import MAX, Game
from gametree.core.record import TreeRecord
from gametree.core.result import SearchResult
from gametree.search.support.run import CHECK_EVERY, Clock, Line, Run

__all__ = ["ALGORITHM", "search"]

ALGORITHM = Algorithm(
    name="minimax-list",
    title="Minimax (depth-first list with provisional values)",
    source="Ginsberg, Essentials of Artificial Intelligence (1993), in five steps",
)


class _Node:
    """An entry of L. Its state is worked out only when it comes to the head."""

    __slots__ = ("action", "depth", "line", "maximising", "parent", "state", "value")

    def __init__(self, action: Any, parent: _Node | None, depth: int) -> None:
        self.action = action
        self.parent = parent
        self.depth = depth
        self.state: Any = None
        self.value: float | None = None
        self.line: Line = None
        self.maximising = False


def search(
    game: Game[Any, Any],
    state: Any = None,
    *,
    depth: int | None = None,
    clock: Clock | None = None,
    record: TreeRecord | None = None,
) -> SearchResult:
    """Return the minimax value and the first of the best moves, to `depth` plies or to the end of the game.

    `details["longest_list"]` is the most nodes that L ever held. Raises UnfitGame, BadInput, GameError, and OutOfTime
    if the clock stops it.
    """
    run = Run(ALGORITHM, game, state, depth=depth, clock=clock, record=record)
    game = run.game
    utility, evaluate = run.leaf_values()
    nodes = leaves = 0
    lowest = run.depth

    with run.root():
        # 1. The head of L is the end of the Python list, where adding and removing are cheap.
        root = _Node(None, None, run.depth)
        root.state = run.state
        L, longest = [root], 1  # noqa: N806 (the name that the source gives it)
        while True:
            # 2. x = n with a value: done.
            x = L[-1]
            if x.value is not None:
                value, p = x.value, x.parent
                if p is None:
                    break

                # 3. Hand the value of x up to its parent; the first one of equals stays.
                if record is not None:
                    record.leave(value)
                assert p.value is not None
                if value > p.value if p.maximising else value < p.value:
                    p.value, p.line = value, (x.action, x.line)
                L.pop()
                continue

            nodes += 1
            if clock is not None and not nodes & CHECK_EVERY:
                clock.check(nodes)
            if x.parent is not None:
                x.state = game.result(x.parent.state, x.action)
                if record is not None:
                    record.enter(x.state, x.action)
            lowest = min(lowest, x.depth)

            # 4. A terminal node, or one that we decide not to expand: its value stands at once.
            if game.is_terminal(x.state):
                leaves += 1
                x.value = utility(x.state)
            elif x.depth == 0:
                leaves += 1
                x.value = evaluate(x.state)

            # 5. Any other node: a provisional value, and its children go to the head of L.
            else:
                x.maximising = game.player(x.state) == MAX
                x.value = -inf if x.maximising else inf
                L.extend(_Node(action, x, x.depth - 1) for action in reversed(game.actions(x.state)))
                longest = max(longest, len(L))
        run.close_root(value)
    return run.finish(value, root.line, nodes=nodes, leaves=leaves, selective=run.depth - lowest, longest_list=longest)
