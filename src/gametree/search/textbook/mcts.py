"""Monte Carlo tree search (UCT): a tree that grows where playing games at random has gone well.

Source: Kocsis and Szepesvári, "Bandit based Monte-Carlo planning" (2006); the pseudocode is UCTSEARCH of Browne et
al., "A survey of Monte Carlo tree search methods" (2012), algorithm 2, with one reward per seat (max^n) and with
chance nodes whose outcome is drawn.

    while within computational budget do
        v ← TREEPOLICY(v0)           descend by BESTCHILD; the first untried move makes a new node
        Δ ← DEFAULTPOLICY(s(v))      play at random to the end
        BACKUP(v, Δ)                 every node on the way counts a visit and adds the reward of each seat
    BESTCHILD(v, c) = argmax over children v' of Q(v')/N(v') + c √(2 ln N(v) / N(v'))

Rewards are utilities stretched from the game's range to 0…1, so that `exploration` (c) means the same in every game.

The search depends on its seed alone. In each simulation the draws are: going down, one `outcome` at every chance node
and none at decision nodes (untried moves are taken in the order of `actions`; equal scores go to the first child);
then the playout's draws, one per ply. See `SplitMix64` for what a draw is.
"""

from __future__ import annotations

from math import log, sqrt
from typing import Any

from gametree.core.errors import BadInput
from gametree.core.facts import Algorithm
from gametree.core.game import CHANCE, Game
from gametree.core.record import LEAF, TreeRecord
from gametree.core.result import SearchResult
from gametree.search.support.leaves import no_moves
from gametree.search.support.playout import Playouts, Stopped
from gametree.search.support.random_bits import SplitMix64
from gametree.search.support.run import Clock, Run

__all__ = ["ALGORITHM", "search"]


def _preference(game: Game[Any, Any]) -> int:
    """For chance, for one player or many, and where games may be long and nothing estimates a position."""
    facts = game.facts
    if facts.chance or (facts.players != 2 and not facts.is_short):
        return 50
    return 45 if facts.longest_game is None and not game.offers("evaluate") else 0


ALGORITHM = Algorithm(
    name="mcts",
    title="Monte Carlo tree search (UCT)",
    source="Kocsis and Szepesvári (2006); Browne et al. (2012), algorithm 2",
    sides=None,
    chance=True,
    general_sum=True,
    exact=False,
    takes_depth=False,
    anytime=True,
    preference=_preference,
)

SIMULATIONS = 1000
"""How many games are played when neither `simulations` nor a clock says it."""


class _Node:
    """v: a state with N visits and the sum Q of every seat's rewards."""

    __slots__ = ("action", "actions", "children", "mover", "state", "total", "visits")

    def __init__(self, game: Game[Any, Any], state: Any, action: Any, seats: int) -> None:
        self.state = state
        self.action = action
        self.visits = 0
        self.total = [0.0] * seats
        self.mover = LEAF if game.is_terminal(state) else game.player(state)
        # At a chance node `actions` holds (outcome, probability) pairs and `children` is keyed by their place, as
        # outcomes turn up in any order; at a decision node the places come in order.
        self.actions: Any = ()
        if self.mover == CHANCE:
            self.actions = game.outcomes(state)
        elif self.mover != LEAF:
            self.actions = game.actions(state)
            if not self.actions:
                raise no_moves(game, state)
        self.children: dict[int, _Node] = {}


def search(
    game: Game[Any, Any],
    state: Any = None,
    *,
    depth: int | None = None,
    clock: Clock | None = None,
    record: TreeRecord | None = None,
    simulations: int | None = None,
    exploration: float = sqrt(0.5),
    seed: int = 0,
) -> SearchResult:
    """Return the most visited move and the mean of the games that went through it, an estimate.

    Plays `simulations` games, by default 1000 or, with a `clock`, as many as it allows. `depth` ends each random
    playout after this many plies with EVAL. `details` hold `simulations` and `visits` per move. Raises BadInput.
    """
    run = Run(ALGORITHM, game, state, depth=depth, clock=clock, record=record)
    game = run.game
    if simulations is not None and simulations < 1:
        raise BadInput(f"simulations={simulations} is too few; expected at least 1.")
    if not exploration >= 0:
        raise BadInput(f"exploration={exploration} is not possible; expected 0 or more.")
    limit = simulations if simulations is not None else None if clock is not None else SIMULATIONS
    seats = game.facts.players
    low = game.facts.min_utility
    width = game.facts.max_utility - low
    rng = SplitMix64(seed)
    playouts = Playouts(game, rng, clock, run.depth)
    root = _Node(game, run.state, None, seats)
    done = deepest = 0

    def tree_policy() -> list[_Node]:
        """The path from the root down to a new node, or to a terminal one."""
        node = root
        path = [root]
        while node.mover != LEAF:
            children = node.children
            if node.mover == CHANCE:
                place = rng.outcome(node.actions)
                action = node.actions[place][0]
            elif len(children) < len(node.actions):
                place = len(children)
                action = node.actions[place]
            else:
                place, action = best_child(node), None
            child = children.get(place)
            playouts.nodes += 1
            if child is None:  # EXPAND
                child = children[place] = _Node(game, game.result(node.state, action), action, seats)
                path.append(child)
                return path
            path.append(child)
            node = child
        return path

    def best_child(node: _Node) -> int:
        seat, spread = node.mover, 2 * log(node.visits)
        best, choice = -1.0, 0
        for place, child in node.children.items():
            score = child.total[seat] / child.visits + exploration * sqrt(spread / child.visits)
            if score > best:
                best, choice = score, place
        return choice

    stopped = False
    while root.mover != LEAF and (limit is None or done < limit):
        # The first game is always played, so that there is an answer under any clock.
        if done and clock is not None and clock.expired(playouts.nodes):
            stopped = True
            break
        path = tree_policy()
        try:
            values = playouts.play(path[-1].state)
        except Stopped:
            stopped = True
            break
        for node in path:  # BACKUP
            node.visits += 1
            for seat, value in enumerate(values):
                node.total[seat] += (value - low) / width
        done += 1
        deepest = max(deepest, len(path) - 1)

    if record is not None:
        _dump(record, root, low, width)
    line = _principal_variation(root)
    chosen = line[0] if line else root
    mean = _means(chosen, low, width)
    if root.mover == LEAF:
        mean = list(playouts.values(run.state))
    decided = root.mover not in (LEAF, CHANCE)
    return run.finish(
        mean[0],
        [node.action for node in line],
        move=None if not decided else line[0].action if line else root.actions[0],
        nodes=1 + playouts.nodes,
        leaves=done or 1,
        depth=_whole_plies(root),
        selective=deepest,
        horizon=root.mover != LEAF,
        values=tuple(mean),
        complete=not stopped,
        simulations=done,
        visits={game.action_text(run.state, node.action): node.visits for node in root.children.values()},
    )


def _principal_variation(root: _Node) -> list[_Node]:
    """The most visited child at every step, the better one of equals, up to the first chance node."""
    line: list[_Node] = []
    node = root
    while node.children and node.mover >= 0:
        seat = node.mover
        tried = [child for child in node.children.values() if child.visits]
        if not tried:
            break
        node = max(tried, key=lambda child: (child.visits, child.total[seat] / child.visits))
        line.append(node)
    return line


def _whole_plies(root: _Node) -> int:
    """How many plies below the root the tree holds every state."""
    plies, level = 0, [root]
    while any(node.actions for node in level):
        if any(len(node.children) < len(node.actions) for node in level):
            return plies
        level = [child for node in level for child in node.children.values()]
        plies += 1
    return plies


def _means(node: _Node, low: float, width: float) -> list[float]:
    """Mean utilities for every seat; the middle of the range where no game has been played."""
    if not node.visits:
        return [low + width / 2 for _ in node.total]
    return [low + width * total / node.visits for total in node.total]


def _dump(record: TreeRecord, root: _Node, low: float, width: float) -> None:
    """Write the tree into the record, parents before children, in the order of the moves."""
    several = len(root.total) > 2
    todo: list[tuple[_Node, int]] = [(root, -1)]
    while todo:
        node, above = todo.pop()
        means = _means(node, low, width)
        row = record.add(
            above,
            node.state,
            node.action,
            value=means[0] if node.visits else None,
            visits=node.visits,
            bound="estimate" if node.visits else "",
            values=means if several and node.visits else None,
        )
        if row >= 0:
            todo.extend((node.children[place], row) for place in sorted(node.children, reverse=True))
