"""The tree between searches."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from gametree.core.errors import BadInput
from gametree.kernels.compiled_game import CompiledGame
from gametree.kernels.jit import jit
from gametree.search.compiled.fast_mcts.memory import (
    FULL,
    LINK,
    NEW,
    UNBOUNDED,
    WIDEST_BOUND,
    Hindsight,
    Node,
)

__all__ = ["SearchTree"]


def copy_below(
    tree: Any, hindsight: Any, chances: Any, root: Any, block: Any, kept: Any, kept_hindsight: Any, kept_chances: Any
) -> Any:
    """Copy the part below `root` level by level to the start of `kept`; return its size, or 0 if it does not fit."""
    kept[0] = tree[root]
    used = np.int64(1)
    for index in range(kept.shape[0]):
        if index >= used:
            break
        this = kept[index]
        if this.first == FULL:
            this.first = NEW
        if this.first <= 0 or this.move == LINK:  # the block behind a link was copied with the node's first one
            continue
        first, count, size, owner = np.int64(this.first), np.int64(this.count), np.int64(block), np.int64(index)
        while True:
            here = min(size, count)
            room = here + (1 if count > size else 0)
            if used + room > kept.shape[0]:
                return np.int64(0)
            for i in range(room):
                kept[used + i] = tree[first + i]
                if hindsight.shape[0] > 1:
                    kept_hindsight[used + i] = hindsight[first + i]
                if chances.shape[0] > 1:
                    kept_chances[used + i] = chances[first + i]
            kept[owner].first = used
            owner = used + here
            used += room
            if count <= size:
                break
            first = np.int64(tree[first + size].first)
            if first <= 0:
                kept[owner].first = NEW
                break
            count -= size
            size *= 2
    return used


_copy_below = jit(copy_below)


class SearchTree:
    """The memory of fast-mcts. Keep it and hand it to the next search of the same game, which then starts with the part
    of it that the new position still has. Takes `mib` MiB when full. Not for two searches at once. Raises BadInput.
    """

    def __init__(self, mib: float = 64.0) -> None:
        if not 0 < mib <= 1 << 20:
            raise BadInput(f"mib={mib:g} is not possible; expected more than 0.")
        self.mib = mib
        self.searches = 0
        self.used = 0
        self.solved = False
        """Whether nodes have bounds."""
        self._key: Any = None
        self._state: Any = None
        self.block = 1
        """Children in the first block of a node."""
        self.nodes: Any = np.empty(0, Node)
        self.hindsight: Any = np.empty(0, Hindsight)
        self.chances: Any = np.empty(0, np.float32)

    def prepare(self, game: CompiledGame, state: bytes, switches: dict[str, Any]) -> int:
        """Make the root stand for `state`; return how many nodes were kept."""
        # Bounds, RAVE sums and priors are only there if the last search kept them; a model changes whose gain it is.
        key = (game.rules, *(switches[name] for name in ("SOLVER", "RAVE", "PRIORS", "PARANOID")))
        if self._key != key or self._state is None:
            self._allocate(switches["RAVE"], switches["PRIORS"])
            self._key = key
        else:
            self._keep(self._find(game, state))
        self._state, self.block, self.solved = state, switches["BLOCK"], switches["SOLVER"]
        kept = self.used
        if kept == 0:
            root = self.nodes[0]
            root.total, root.visits, root.first, root.move, root.count, root.tried = 0.0, 0, NEW, -1, 0, 0
            root.low, root.high = self._limits(game)
            self.used = 1
        return kept

    def follow(self, game: CompiledGame, actions: Sequence[int]) -> None:
        """These were played since the last search: keep what lies below them. The next search need not look for it."""
        node, state = 0, self._state
        if state is None:  # no search so far, or one of a hidden game, which keeps nothing
            return
        for action in actions:
            here = (child for child in self.children(node) if self.nodes[child].move == action)
            node = -1 if self.nodes[node].count == UNBOUNDED else next(here, -1)
            if node < 0 or not self.nodes[node].visits:
                self._state = None
                return
            state = game.result(state, action)
        self._keep(node)
        self._state = state

    def _limits(self, game: CompiledGame) -> tuple[int, int]:
        low, high = game.rules.constants["LOWEST"], game.rules.constants["HIGHEST"]
        return max(low, -WIDEST_BOUND), min(high, WIDEST_BOUND)

    def _allocate(self, with_hindsight: bool, with_priors: bool) -> None:
        each = Node.itemsize + (Hindsight.itemsize if with_hindsight else 0) + (4 if with_priors else 0)
        count = max(2, int(self.mib * (1 << 20)) // each)
        self.nodes = np.empty(count, Node)
        self.hindsight = np.empty(count if with_hindsight else 1, Hindsight)
        self.chances = np.empty(count if with_priors else 1, np.float32)
        self.used = 0

    def _find(self, game: CompiledGame, state: bytes) -> int:
        """The node that stands for `state`, at most a move and a reply, with their dice, below the root; −1 if none."""
        if state == self._state:
            return 0
        level: list[tuple[int, bytes]] = [(0, self._state)]
        for _ in range(4 if game.facts.chance else 2):
            below = []
            for node, above in level:
                if self.nodes[node].count == UNBOUNDED:  # what was drawn here is not what has come
                    continue
                for index in self.children(node):
                    if self.nodes[index].visits:
                        after = game.result(above, int(self.nodes[index].move))
                        if after == state:
                            return index
                        below.append((index, after))
            level = below
        return -1

    def _keep(self, node: int) -> None:
        """Keep only the part below `node`; nothing if it is −1."""
        if node == 0:
            return
        size = 0
        if node > 0:
            columns = (self.nodes, self.hindsight, self.chances)
            kept = [np.empty(self.used if len(column) > 1 else 1, column.dtype) for column in columns]
            size = int(_copy_below(*columns, node, self.block, *kept))
            for column, part in zip(columns, kept, strict=True):
                if len(column) > 1:
                    column[:size] = part[:size]
        self.used = size

    def finish(self, used: int) -> None:
        """Note how much of the tree the search has used."""
        self.used = min(used, len(self.nodes))
        self.searches += 1

    def children(self, node: int) -> Sequence[int]:
        """The children that were visited or are still waiting in blocks that are made; none below leaves."""
        this = self.nodes[node]
        first, count, size = int(this.first), int(this.count), self.block
        found: list[int] = []
        while first > 0:
            found.extend(range(first, first + min(size, count)))
            if count <= size:
                break
            first = int(self.nodes[first + size].first)
            count -= size
            size *= 2
        return found
