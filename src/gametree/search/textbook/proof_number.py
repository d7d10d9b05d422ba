"""Proof-number search: is the game won? It asks only that, and goes where the answer seems cheapest to prove.

Source: Allis, *Searching for solutions in games and artificial intelligence* (1994), chapter 2, procedures PN-Search,
SetProofAndDisproofNumbers, SelectMostProvingNode, ExpandNode and UpdateAncestors.

The proof number of a node is how many leaves must at least still be proved to prove the node, its disproof number how
many must be disproved to disprove it. The player at the root is OR, the other AND:

                    proof number               disproof number
    win             0                          ∞
    no win          ∞                          0
    unknown leaf    1                          1
    OR node         least of the children      sum of the children
    AND node        sum of the children        least of the children

    while the root is neither proved nor disproved do
        from the root on, follow the least proof number at OR and the least disproof number at AND to a leaf
        expand the leaf and update its ancestors

A win is a utility of at least `threshold` for the player at the root. The tree is kept as a tree: a state that comes up
twice is two nodes, which is safe and costs nodes, and in a game that can go round in circles the search may run until
its limit.
"""

from __future__ import annotations

from math import inf
from typing import Any

from gametree.core.errors import BadInput
from gametree.core.facts import Algorithm
from gametree.core.game import Game
from gametree.core.record import TreeRecord
from gametree.core.result import Bound, SearchResult
from gametree.search.support.leaves import no_moves
from gametree.search.support.run import Clock, Run

__all__ = ["ALGORITHM", "search"]

ALGORITHM = Algorithm(
    name="proof-number",
    title="Proof-number search",
    source="Allis (1994), chapter 2",
    exact=False,
    anytime=True,
)


class _Node:
    """A position with its proof and disproof numbers; `children` is None until it is expanded."""

    __slots__ = ("action", "children", "disproof", "is_or", "parent", "ply", "proof", "row", "state", "utility")

    def __init__(self, state: Any, action: Any, parent: _Node | None) -> None:
        self.state = state
        self.action = action
        self.parent = parent
        self.ply: int = 0 if parent is None else parent.ply + 1
        self.children: list[_Node] | None = None
        self.is_or = True
        self.proof: float = 1
        self.disproof: float = 1
        # For the player at the root: at a leaf what it is worth, at a node that is solved what the solution guarantees.
        self.utility: float | None = None
        self.row = -1  # in the record


def search(
    game: Game[Any, Any],
    state: Any = None,
    *,
    depth: int | None = None,
    clock: Clock | None = None,
    record: TreeRecord | None = None,
    threshold: float | None = None,
    most_nodes: int = 1_000_000,
) -> SearchResult:
    """Return whether the player to move can get at least `threshold`, by default the greatest utility there is.

    Proved: the value is what the proof guarantees, exact if that is the greatest utility, else a lower bound.
    Disproved: the value is what the opponent can hold the player to, exact if that is the least utility, else an upper
    bound. Neither, because the clock or `most_nodes` (the size of the tree in memory) ended the search: `complete` is
    False and the value is only an estimate, EVAL or the middle of the utilities. With `depth`, EVAL decides where
    the look-ahead ends, and what is proved holds at that depth. `details` hold `proof`, `disproof` (None for ∞) and
    `proved` (True, False, or None if neither). Raises UnfitGame, BadInput, GameError.
    """
    run = Run(ALGORITHM, game, state, depth=depth, clock=clock, record=record)
    game, seat = run.game, run.seat
    least, greatest = game.facts.min_utility, game.facts.max_utility
    goal = greatest if threshold is None else threshold
    if not least < goal <= greatest:
        raise BadInput(f"threshold={threshold} is not possible; expected above {least:g} and at most {greatest:g}.")
    if most_nodes < 1:
        raise BadInput(f"most_nodes={most_nodes} is too few; expected at least 1.")
    utility, evaluate = run.leaf_values(seat)
    tree: list[_Node] = []  # parents before children
    leaves = deepest = 0

    def make(state: Any, action: Any, parent: _Node | None) -> _Node:
        """Evaluate a new node and set its numbers."""
        nonlocal leaves, deepest
        node = _Node(state, action, parent)
        tree.append(node)
        deepest = max(deepest, node.ply)
        if game.is_terminal(state):
            node.utility = utility(state)
        elif node.ply == run.depth:
            node.utility = evaluate(state)
        else:
            node.is_or = game.player(state) == seat
        if node.utility is not None:
            leaves += 1
            node.proof, node.disproof = (0, inf) if node.utility >= goal else (inf, 0)
        return node

    def select(node: _Node) -> _Node:
        """SelectMostProvingNode: proving it helps to prove the root, disproving it to disprove the root."""
        while (children := node.children) is not None:
            if node.is_or:
                node = min(children, key=lambda child: child.proof)
            else:
                node = min(children, key=lambda child: child.disproof)
        return node

    def expand(node: _Node) -> None:
        node.children = [make(game.result(node.state, action), action, node) for action in game.actions(node.state)]
        if not node.children:
            raise no_moves(game, node.state)

    def update(node: _Node) -> _Node:
        """UpdateAncestors: return the highest node that changed, from which the next selection may start."""
        while True:
            before = node.proof, node.disproof
            _set_numbers(node)
            if node.parent is None or before == (node.proof, node.disproof):
                return node
            node = node.parent

    root = make(run.state, None, None)
    complete = True
    current = root
    while root.proof and root.disproof:
        if len(tree) >= most_nodes or (clock is not None and clock.expired(len(tree))):
            complete = False
            break
        leaf = select(current)
        expand(leaf)
        current = update(leaf)

    _back_up(tree)
    proved = root.proof == 0 if complete else None
    bound: Bound = "estimate"
    if root.utility is None:
        value = evaluate(run.state) if game.offers("evaluate") else (least + greatest) / 2
    else:
        value = root.utility
        sure = root.children is None or (value >= greatest if proved else value <= least)
        bound = "exact" if sure else "lower" if proved else "upper"
    total = game.facts.utility_sum or 0
    if record is not None:
        _dump(record, tree, seat, total)
    line = _line(root)
    return run.finish(
        value if seat == 0 else total - value,
        [node.action for node in line],
        move=game.actions(run.state)[0] if not line and root.utility is None else None,
        nodes=len(tree),
        leaves=leaves,
        depth=None if complete else _whole_plies(root),
        selective=deepest,
        horizon=run.horizon > 0 or not complete,
        bound=bound,
        complete=complete,
        proof=_number(root.proof),
        disproof=_number(root.disproof),
        proved=proved,
        threshold=goal,
    )


def _set_numbers(node: _Node) -> None:
    """SetProofAndDisproofNumbers of an expanded node."""
    children = node.children or ()
    proofs, disproofs = [child.proof for child in children], [child.disproof for child in children]
    if node.is_or:
        node.proof, node.disproof = min(proofs), sum(disproofs)
    else:
        node.proof, node.disproof = sum(proofs), min(disproofs)


def _back_up(tree: list[_Node]) -> None:
    """Give every solved node what its solution guarantees, from the leaves up.

    A proof of OR rests on its proved children and a disproof of AND on its disproved ones; else all children count.
    """
    for node in reversed(tree):
        if node.children is None or (node.proof and node.disproof):
            continue
        known = [
            child.utility
            for child in node.children
            if child.utility is not None and (child.proof if node.proof == 0 else child.disproof) == 0
        ]
        node.utility = max(known) if node.is_or else min(known)


def _whole_plies(root: _Node) -> int:
    """How many plies below the root the tree holds every position."""
    plies, level = 0, [root]
    while level and all(node.children or node.utility is not None for node in level):
        level = [child for node in level for child in node.children or ()]
        plies += bool(level)
    return plies


def _line(root: _Node) -> list[_Node]:
    """Best play as far as it is known: through what is solved by its value, else to the most proving node."""
    line = []
    node = root
    while (children := node.children) is not None:
        if node.utility is not None:
            node = next(
                child for child in children if child.utility == node.utility and (child.proof == 0) == (node.proof == 0)
            )
        elif node.is_or:
            node = min(children, key=lambda child: child.proof)
        else:
            node = min(children, key=lambda child: child.disproof)
        line.append(node)
    return line


def _dump(record: TreeRecord, tree: list[_Node], seat: int, total: float) -> None:
    """Write the tree into the record in the order in which it grew; labels tell the proof and disproof numbers."""
    for node in tree:
        above = -1 if node.parent is None else node.parent.row
        if node.parent is not None and above < 0:
            continue  # the record was full before its parent
        bound, value = "", node.utility
        if value is not None:
            proved = node.proof == 0
            bound = "exact" if node.children is None else "lower" if proved == (seat == 0) else "upper"
            value = value if seat == 0 else total - value
        node.row = record.add(above, node.state, node.action, value=value, visits=1, bound=bound)
        if node.row >= 0:
            numbers = "/".join("∞" if x == inf else str(x) for x in (node.proof, node.disproof))
            record.label[node.row] = f"{record.label[node.row]} {numbers}".strip()


def _number(x: float) -> int | None:
    return None if x == inf else int(x)
