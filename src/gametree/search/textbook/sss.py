"""SSS*: best-first search among the strategies of MAX, which looks at no leaf that alpha-beta skips.

Source: Stockman, "A Minimax Algorithm Better than Alpha-Beta?", *Artificial Intelligence* 12 (1979), the state space
operator Γ; ties broken to the left after Campbell and Marsland (1983).

A state (J, s, h) is a node, LIVE or SOLVED, and its merit h: no strategy of MAX that passes through J can be worth more
than h. OPEN holds the states by merit, best first, the left-most of equals first. It starts with (root, LIVE, +∞).

    Take the first state (J, s, h) from OPEN; if J is the root and SOLVED, h is the value.
    case 1   SOLVED, J's parent is MAX                 put (parent, SOLVED, h), purge OPEN of the parent's descendants
    case 2   SOLVED, parent is MIN, J has a next       put (next sibling of J, LIVE, h)
    case 3   SOLVED, parent is MIN, J is the last      put (parent, SOLVED, h)
    case 4   LIVE, J is a leaf                         put (J, SOLVED, min(h, value of J))
    case 5   LIVE, J is a MIN node                     put (first child of J, LIVE, h)
    case 6   LIVE, J is a MAX node                     put (C, LIVE, h) for every child C of J

Stockman tells the cases 1 to 3 apart by J itself, whose side is never its parent's; asking the parent instead serves
trees in which a player moves twice as well. SSS* keeps b^(d/2) states in OPEN, the price for its economy in leaves.
"""

from __future__ import annotations

from collections.abc import Sequence
from heapq import heappop, heappush
from math import inf
from typing import Any

from gametree.core.errors import GameError
from gametree.core.facts import Algorithm
from gametree.core.game import MAX, Game
from gametree.core.record import TreeRecord
from gametree.core.result import SearchResult
from gametree.search.support.record_notes import Notes
from gametree.search.support.run import CHECK_EVERY, Clock, Line, Run

__all__ = ["ALGORITHM", "search"]

ALGORITHM = Algorithm(
    name="sss",
    title="SSS* (best-first state space search)",
    source="Stockman (1979), operator Γ; ties after Campbell and Marsland (1983)",
)

LIVE, SOLVED = 0, 1

_UNSEEN = object()
"""The state of a node that was put into OPEN but never taken from it."""


class _Node:
    """A node of the game tree. One node is less than another if it comes first when the tree is read left to right."""

    __slots__ = (
        "action",
        "actions",
        "children",
        "depth",
        "level",
        "line",
        "maximising",
        "merit",
        "parent",
        "place",
        "purged",
        "row",
        "state",
    )

    def __init__(self, parent: _Node | None, place: int, action: Any, depth: int) -> None:
        self.parent = parent
        self.place = place
        self.action = action
        self.depth = depth
        self.level: int = 0 if parent is None else parent.level + 1
        self.state: Any = _UNSEEN
        self.merit = inf  # what it came to OPEN with as LIVE
        self.maximising = False
        self.actions: Sequence[Any] = ()
        self.children: list[_Node] = []  # those that have been in OPEN
        self.line: Line = None
        self.purged = False
        self.row: int | None = None

    def __lt__(self, other: _Node) -> bool:
        a, b = self, other
        while a.level > b.level:
            assert a.parent is not None
            a = a.parent
        while b.level > a.level:
            assert b.parent is not None
            b = b.parent
        if a is b:  # one is below the other
            return self.level < other.level
        while a.parent is not b.parent:
            assert a.parent is not None
            assert b.parent is not None
            a, b = a.parent, b.parent
        return a.place < b.place


def search(
    game: Game[Any, Any],
    state: Any = None,
    *,
    depth: int | None = None,
    clock: Clock | None = None,
    record: TreeRecord | None = None,
) -> SearchResult:
    """Return the minimax value and a best move, to `depth` plies or to the end of the game.

    `details["longest_open"]` is the most states that OPEN ever held. In the record a node's beta is the merit that it
    came with. Raises UnfitGame, BadInput, GameError, and OutOfTime if the clock stops it.
    """
    run = Run(ALGORITHM, game, state, depth=depth, clock=clock, record=record)
    game = run.game
    utility, evaluate = run.leaf_values()
    notes = None if record is None else Notes(record)
    nodes = leaves = longest = 0
    lowest = run.depth

    # Smallest first, so merits are negated. Purged states stay until they come up.
    OPEN: list[tuple[float, _Node, int]] = []  # noqa: N806 (the name that the source gives it)

    def put_live(parent: _Node, place: int, merit: float) -> None:
        child = _Node(parent, place, parent.actions[place], parent.depth - 1)
        child.merit = merit
        parent.children.append(child)
        heappush(OPEN, (-merit, child, LIVE))

    def put_solved(node: _Node, merit: float) -> None:
        if notes is not None:
            if node.actions:
                # Above h every strategy was tried; without a drop in merit we only know that one reaches h.
                notes.settle(node.row, merit, bound="exact" if merit < node.merit else "lower")
            if merit < node.merit and node.parent is not None and not node.parent.maximising:
                notes.update(node.parent.row, merit, bound="upper")
        heappush(OPEN, (-merit, node, SOLVED))

    def purge(above: _Node) -> None:
        """Drop all descendants; each is dropped once, so that all purges together cost no more than the search."""
        dropped, above.children = above.children, []
        while dropped:
            node = dropped.pop()
            node.purged = True
            if notes is not None:
                note_unvisited(node, notes)
            dropped += node.children
            node.children = []

    def note_unvisited(node: _Node, notes: Notes) -> None:
        """Note the node if it was never looked at, else those of its children that never came to OPEN."""
        if node.state is _UNSEEN:
            assert node.parent is not None
            notes.prune(node.parent.row, game.result(node.parent.state, node.action), node.action)
        elif not node.maximising:
            for action in node.actions[len(node.children) :]:
                notes.prune(node.row, game.result(node.state, action), action)

    root = _Node(None, 0, None, run.depth)
    heappush(OPEN, (-inf, root, LIVE))
    while True:
        longest = max(longest, len(OPEN))
        negated, j, status = heappop(OPEN)
        merit, parent = -negated, j.parent
        if j.purged:
            continue
        if status == SOLVED:
            if parent is None:
                break
            if parent.maximising:
                # Case 1: the best strategy below a MAX node is complete, so the others are not needed.
                parent.line = (j.action, j.line)
                purge(parent)
                put_solved(parent, merit)
                continue
            # MIN's best reply is the one that lowered the merit last.
            if merit < j.merit:
                parent.line = (j.action, j.line)
            if j.place + 1 < len(parent.actions):
                put_live(parent, j.place + 1, merit)  # case 2
            else:
                put_solved(parent, merit)  # case 3
            continue

        nodes += 1
        if clock is not None and not nodes & CHECK_EVERY:
            clock.check(nodes)
        lowest = min(lowest, j.depth)
        j.state = run.state if parent is None else game.result(parent.state, j.action)
        if notes is not None:
            j.row = notes.visit(-1 if parent is None else parent.row, j.state, j.action, beta=merit)
        over = game.is_terminal(j.state)
        if over or j.depth == 0:
            # Case 4.
            leaves += 1
            value = utility(j.state) if over else evaluate(j.state)
            if notes is not None:
                notes.settle(j.row, value, at_limit=not over)
            put_solved(j, min(merit, value))
            continue
        j.maximising = game.player(j.state) == MAX
        j.actions = game.actions(j.state)
        if not j.actions:
            raise GameError(f"{game.name} has no moves at '{game.state_text(j.state)}', but the game is not over.")
        # Case 6 puts all children, case 5 the first.
        for place in range(len(j.actions) if j.maximising else 1):
            put_live(j, place, merit)

    return run.finish(merit, root.line, nodes=nodes, leaves=leaves, selective=run.depth - lowest, longest_open=longest)
