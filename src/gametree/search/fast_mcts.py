"""Monte Carlo tree search for compiled games: UCT with RAVE, proven values, threads on one tree, and a tree to keep.

With the refinements off (`solver=False`, `rave=0`, one thread, `own_playouts=False`) it is `mcts` move for move: the
same draws from the same seed, the same visits. Each refinement is a switch:

    solver          Winands, Björnsson and Saito, "Monte-Carlo tree search solver" (2008), with the bounds of Cazenave
                    and Saffidine, "Score bounded Monte-Carlo tree search" (2010): every node knows an interval that
                    holds its true value; a terminal node closes it, parents take the maximum or minimum of both ends.
                    Moves that cannot beat what is already safe are not visited, and a closed root ends the search.
    rave            Gelly and Silver, "Combining online and offline knowledge in UCT" (2007): a move also learns from
                    simulations in which its mover played it later, weighted by √(rave / (3 N + rave)) after N visits.
    threads         Chaslot, Winands and van den Herik, "Parallel Monte-Carlo tree search" (2008): virtual loss.
    own_playouts    random games follow the game's `playout_move` (Go fills no eyes) where it has one.
    tree            a SearchTree that lives on: the next search goes on from the part that still applies.

How threads share the tree. Visits and rewards are changed by indivisible additions, so that none is lost: after any
search the visits of the root's children add up to the simulations. On its way down a simulation counts its visit at
once and adds its reward only on the way back, so until then it counts as a loss and sends other threads elsewhere. A
node is grown by the thread that first claims it; the others play out from the node as if it were a leaf. Its children
are written before its status says so. Reading a sum and its count is not one step; a reward may be missing from a
mean that is read meanwhile, which only moves one choice of one simulation. Bounds only ever tighten towards the truth,
and a tightening that two threads write over each other leaves a wider interval, never a wrong one.

A node takes 32 bytes, 48 with RAVE; when the tree is full it grows no more, and simulations go on from its leaves.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from math import log, sqrt
from typing import Any

import numpy as np

from gametree.core.errors import BadInput, GameError, UnfitGame
from gametree.core.facts import Algorithm
from gametree.core.game import CHANCE, Game
from gametree.core.record import LEAF, TreeRecord
from gametree.core.result import SearchResult
from gametree.kernels.atomics import add_shared, swap_shared
from gametree.kernels.bits import u64
from gametree.kernels.compiled_game import CompiledGame
from gametree.kernels.hashing import mix
from gametree.kernels.jit import jit
from gametree.kernels.verbs import (
    ALTERNATE,
    HAS_OUTCOMES,
    HIGHEST,
    LOWEST,
    UNIT,
    evaluate,
    is_over,
    legal_moves,
    outcomes,
    play,
    player,
    playout_move,
    struct,
    utility,
)
from gametree.search._run import Clock, Run
from gametree.search._workers import run_workers

__all__ = ["ALGORITHM", "SearchTree", "search"]

ALGORITHM = Algorithm(
    name="fast-mcts",
    title="Monte Carlo tree search, compiled",
    source="Kocsis and Szepesvári (2006); Winands et al. (2008); Gelly and Silver (2007); Chaslot et al. (2008)",
    chance=True,
    exact=False,
    takes_depth=False,
    anytime=True,
)

SIMULATIONS = 10_000
"""How many games are played when neither `simulations` nor a clock says it."""
UNLIMITED = 1 << 62
LONGEST_PLAYOUT = 100_000
"""Random play that is not over after so many plies is taken for play that never ends."""
LONGEST_PATH = 2_000
"""No simulation goes deeper than this inside the tree."""
SLOTS = 1 << 14
"""RAVE tells moves apart by their number modulo this."""
WIDEST_BOUND = 32_000
"""Bounds are 16-bit numbers: the solver needs utilities within ± this."""

NEW, READY, OVER, FULL = 0, 1, 2, 3
"""Status of a node: not grown yet; its children are there; the game is over; there was no room for children."""

Node = struct(
    total="f8",  # rewards of the seat that moved here (seat 0 below chance nodes and at the root)
    visits="i4",
    first="i4",  # the first child; all children stand side by side
    move="i4",
    count="u2",  # children
    tried="u2",  # children that were handed out to simulations
    claims="u2",  # threads that wanted to grow it
    low="i2",  # the value for seat 0 is at least this
    high="i2",
    status="u1",
)
Hindsight = struct(total="f8", visits="i4")

# Switches, re-bound for every combination that is used.
SOLVER = RAVE = SHARED = OWN_PLAYOUTS = False

STEP = u64(0x9E3779B97F4A7C15)
TO_UNIT = 2.0**-53


def trunk_type(state_type: Any) -> Any:
    """What all threads share beside the tree."""
    return struct(begun="i8", used="i8", seat="i8", root=state_type)


def context_type(state_type: Any, most_moves: int, slots: int) -> Any:
    """What each thread has for itself."""
    return struct(
        stop="i8",
        nodes="i8",
        simulations="i8",
        deepest="i8",
        failed="i8",  # 1 if a playout did not end
        full="i8",  # 1 if a node found no room for its children
        random="u8",
        depth="i8",  # plies of a playout before EVAL; −1: none
        plies="i8",  # of the last playout; −1 if EVAL ended it
        loss="i8",  # visits that a simulation counts on its way down
        exploration="f8",
        rave="f8",
        least="f8",
        width="f8",
        state=state_type,
        moves=("i8", most_moves),
        odds=("f8", most_moves),
        path=("i4", LONGEST_PATH + 1),
        movers=("i1", LONGEST_PATH + 1),
        stamps=("i8", slots),  # RAVE: number of the last simulation in which a seat played a move
    )


# Draws, as `mcts` makes them ------------------------------------------------------------------------------------------


def next_bits(ctx: Any) -> Any:
    """64 random bits (SplitMix64)."""
    ctx.random += STEP
    return mix(ctx.random)


def draw_below(ctx: Any, count: Any) -> Any:
    """A whole number from 0 to `count` − 1."""
    return np.int64((next_bits(ctx) >> u64(32)) * u64(count) >> u64(32))


def draw_outcome(ctx: Any, count: Any) -> Any:
    """The place of an outcome, drawn by `ctx.odds`."""
    left = np.float64(next_bits(ctx) >> u64(11)) * TO_UNIT
    for place in range(count):
        left -= ctx.odds[place]
        if left < 0:
            return np.int64(place)
    return np.int64(count - 1)


# One simulation -------------------------------------------------------------------------------------------------------


def for_first(value: Any, seat: Any) -> Any:
    """A value for `seat` as seat 0 sees it; at chance states it is seat 0's already."""
    return -np.float64(value) if seat == 1 else np.float64(value)


def play_out(ctx: Any, seat: Any, number: Any) -> Any:
    """DEFAULTPOLICY: play at random from `ctx.state` to the end; return what that is worth to seat 0."""
    s, moves = ctx.state, ctx.moves
    left = ctx.depth
    for plies in range(LONGEST_PLAYOUT):
        if not ALTERNATE:
            seat = player(s)
        by_chance = HAS_OUTCOMES and seat < 0
        n = np.int64(1)
        if by_chance:
            n = np.int64(outcomes(s, moves, ctx.odds))
        elif OWN_PLAYOUTS:
            n = np.int64(0) if is_over(s, moves) else np.int64(1)
        else:
            n = np.int64(legal_moves(s, moves))
        ctx.plies = plies
        if n == 0:
            return for_first(utility(s), seat)
        if left == 0:
            ctx.plies = -1
            return for_first(evaluate(s) / UNIT, seat)
        if by_chance:
            move = moves[draw_outcome(ctx, n)]
        elif OWN_PLAYOUTS:
            move = np.int64(playout_move(s, next_bits(ctx), moves))
        else:
            move = moves[draw_below(ctx, n)]
        if RAVE and not by_chance:
            ctx.stamps[slot(seat, move)] = number
        play(s, move)
        seat = 1 - seat
        left -= 1
        ctx.nodes += 1
    ctx.failed = 1
    return 0.0


def slot(seat: Any, move: Any) -> Any:
    """Where a seat's move is stamped."""
    return seat * SLOTS + (move & (SLOTS - 1))


def grow(shared: Any, tree: Any, hindsight: Any, ctx: Any, node: Any, seat: Any) -> Any:
    """EXPAND: give the node its children, once; return its status."""
    this = tree[node]
    if SHARED and add_shared(this, "claims", 1) != 0:
        return np.int64(NEW)
    if HAS_OUTCOMES and seat < 0:
        count = np.int64(outcomes(ctx.state, ctx.moves, ctx.odds))
    else:
        count = np.int64(legal_moves(ctx.state, ctx.moves))
    status = np.int64(READY)
    if count == 0:
        status = np.int64(OVER)
    else:
        if SHARED:
            first = np.int64(add_shared(shared, "used", count))
        else:
            first = np.int64(shared.used)
            shared.used += count
        if first + count > tree.shape[0]:
            shared.used = tree.shape[0]
            ctx.full = 1
            status = np.int64(FULL)
        else:
            for place in range(count):
                child = tree[first + place]
                child.total = 0.0
                child.visits = child.first = child.count = child.tried = child.claims = 0
                child.status = NEW
                child.move = ctx.moves[place]
                child.low, child.high = LOWEST, HIGHEST
                if RAVE:
                    hindsight[first + place].total = 0.0
                    hindsight[first + place].visits = 0
            this.first = first
            this.count = count
    if SHARED:
        swap_shared(this, "status", status)
    else:
        this.status = status
    return status


def best_child(tree: Any, hindsight: Any, node: Any, seat: Any, ctx: Any) -> Any:
    """BESTCHILD: the place of the child with the highest score; the first of equals."""
    this = tree[node]
    visits = np.float64(max(this.visits, 1))
    spread = 2 * log(visits)
    weight = sqrt(ctx.rave / (3 * visits + ctx.rave)) if RAVE else 0.0
    best, choice = -1.0, np.int64(0)
    for place in range(this.count):
        index = np.int64(this.first) + place
        child = tree[index]
        if SOLVER and (child.high <= this.low if seat == 0 else child.low >= this.high):
            continue  # it cannot beat what is safe already
        tries = np.float64(max(child.visits, 1))
        score = child.total / tries + ctx.exploration * sqrt(spread / tries)
        if RAVE:
            later = hindsight[index]
            if later.visits > 0:
                share = weight if child.visits > 0 else 1.0
                score += share * (later.total / later.visits - child.total / tries)
            elif child.visits == 0:
                score = 1e9
        if score > best:
            best, choice = score, np.int64(place)
    return choice


def choose(tree: Any, hindsight: Any, node: Any, seat: Any, ctx: Any) -> Any:
    """The place of the child to go to: drawn at chance nodes, else the next untried one, else the best."""
    this = tree[node]
    if HAS_OUTCOMES and seat < 0:
        return draw_outcome(ctx, np.int64(outcomes(ctx.state, ctx.moves, ctx.odds)))
    if not RAVE and this.tried < this.count:
        if SHARED:
            place = np.int64(add_shared(this, "tried", 1))
        else:
            place = np.int64(this.tried)
            this.tried += 1
        if place < this.count:
            return place
    return best_child(tree, hindsight, node, seat, ctx)


def simulate_once(shared: Any, tree: Any, hindsight: Any, ctx: Any, number: Any) -> None:
    """TREEPOLICY, DEFAULTPOLICY and BACKUP of one simulation."""
    ctx.state = shared.root
    s = ctx.state
    seat = np.int64(shared.seat)
    node = np.int64(0)
    length = np.int64(0)
    value = 0.0
    proven = False
    while True:
        this = tree[node]
        ctx.path[length] = node
        if not ALTERNATE:
            seat = np.int64(player(s))
        if SOLVER and this.low == this.high:
            value = np.float64(this.low)
            break
        status = np.int64(this.status)
        fresh = length > 0 and this.visits == 0
        if not fresh and status == NEW:
            status = grow(shared, tree, hindsight, ctx, node, seat)
        if fresh or status in (NEW, FULL) or length == LONGEST_PATH:
            value = play_out(ctx, seat, number)
            proven = ctx.plies == 0
        elif status == OVER:
            value = for_first(utility(s), seat)
            proven = True
        if fresh or status != READY or length == LONGEST_PATH:
            if SOLVER and proven:
                this.low = this.high = np.int64(value)
            break
        child = np.int64(this.first) + choose(tree, hindsight, node, seat, ctx)
        count_visit(this, ctx.loss)
        ctx.movers[length] = seat
        length += 1
        play(s, np.int64(tree[child].move))
        ctx.nodes += 1
        seat = 1 - seat
        node = child
    count_visit(tree[node], ctx.loss)
    ctx.deepest = max(ctx.deepest, length)
    back_up(tree, ctx, length, value)
    if RAVE:
        look_back(tree, hindsight, ctx, length, value, number)
    if SOLVER and proven:
        for level in range(length - 1, -1, -1):
            if not tighten(tree, np.int64(ctx.path[level]), np.int64(ctx.movers[level])):
                break


def count_visit(this: Any, loss: Any) -> None:
    """One visit; a shared tree counts `loss` visits until the reward is there."""
    if SHARED:
        add_shared(this, "visits", loss)
    else:
        this.visits += 1


def reward(ctx: Any, value: Any, seat: Any) -> Any:
    """A value for seat 0 as a reward for `seat` in 0…1; chance counts as seat 0."""
    return ((-value if seat == 1 else value) - ctx.least) / ctx.width


def back_up(tree: Any, ctx: Any, length: Any, value: Any) -> None:
    """BACKUP: every node on the path adds the reward of the seat that moved to it."""
    for level in range(length + 1):
        this = tree[ctx.path[level]]
        gained = reward(ctx, value, ctx.movers[level - 1] if level > 0 else 0)
        if SHARED:
            add_shared(this, "total", gained)
            if ctx.loss != 1:
                add_shared(this, "visits", 1 - ctx.loss)
        else:
            this.total += gained


def look_back(tree: Any, hindsight: Any, ctx: Any, length: Any, value: Any, number: Any) -> None:
    """RAVE: from the end of the path up, every sibling move that its mover played later learns the reward as well."""
    for level in range(length - 1, -1, -1):
        seat = np.int64(ctx.movers[level])
        if seat < 0:
            continue
        gained = reward(ctx, value, seat)
        this = tree[ctx.path[level]]
        ctx.stamps[slot(seat, np.int64(tree[ctx.path[level + 1]].move))] = number
        for place in range(this.count):
            index = np.int64(this.first) + place
            if ctx.stamps[slot(seat, np.int64(tree[index].move))] == number:
                if SHARED:
                    add_shared(hindsight[index], "total", gained)
                    add_shared(hindsight[index], "visits", 1)
                else:
                    hindsight[index].total += gained
                    hindsight[index].visits += 1


def tighten(tree: Any, node: Any, seat: Any) -> Any:
    """Work out the node's bounds from its children's; return whether they changed."""
    this = tree[node]
    first = np.int64(this.first)
    low, high = np.int64(tree[first].low), np.int64(tree[first].high)
    for place in range(1, this.count):
        child = tree[first + place]
        if seat == 0:
            low, high = max(low, np.int64(child.low)), max(high, np.int64(child.high))
        elif seat == 1:
            low, high = min(low, np.int64(child.low)), min(high, np.int64(child.high))
        else:  # chance: all that is sure of the mean
            low, high = min(low, np.int64(child.low)), max(high, np.int64(child.high))
    if low <= this.low and high >= this.high:
        return False
    this.low, this.high = max(low, np.int64(this.low)), min(high, np.int64(this.high))
    return True


def simulate(trunk: Any, tree: Any, hindsight: Any, contexts: Any, thread: Any, limit: Any) -> None:
    """Simulations until `limit` have begun, the root is proven, or the thread is told to stop; always the first."""
    shared, ctx = trunk[0], contexts[thread]
    while ctx.failed == 0 and (ctx.stop == 0 or shared.begun == 0):
        if SHARED:
            number = np.int64(add_shared(shared, "begun", 1))
        else:
            number = np.int64(shared.begun)
            shared.begun += 1
        if number >= limit or (SOLVER and tree[0].low == tree[0].high):
            return
        simulate_once(shared, tree, hindsight, ctx, np.int64(number + 1))
        ctx.simulations += 1


# The tree between searches --------------------------------------------------------------------------------------------


def copy_below(tree: Any, hindsight: Any, root: Any, kept: Any, kept_hindsight: Any) -> Any:
    """Copy the part below `root` level by level to the start of `kept`; return its size, or 0 if it does not fit."""
    with_hindsight = hindsight.shape[0] > 1
    kept[0] = tree[root]
    used = np.int64(1)
    for index in range(kept.shape[0]):
        if index >= used:
            break
        this = kept[index]
        if this.status == FULL:
            this.status = NEW
            this.claims = 0
        if this.status != READY:
            continue
        first = np.int64(this.first)
        if used + this.count > kept.shape[0]:
            return np.int64(0)
        for place in range(this.count):
            kept[used + place] = tree[first + place]
            if with_hindsight:
                kept_hindsight[used + place] = hindsight[first + place]
        this.first = used
        used += np.int64(this.count)
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
        self._key: Any = None
        self._state: Any = None
        self._used = 0
        self.nodes: Any = np.empty(0, Node)
        self.hindsight: Any = np.empty(0, Hindsight)

    def prepare(self, game: CompiledGame, state: bytes, switches: dict[str, bool]) -> int:
        """Make the root stand for `state`; return how many nodes were kept."""
        # Bounds and RAVE sums are only there if the last search kept them.
        key = (game.rules, switches["SOLVER"], switches["RAVE"])
        if self._key != key or self._state is None:
            self._allocate(switches["RAVE"])
            self._key = key
        else:
            self._keep(self._find(game, state))
        self._state = state
        kept = self._used
        if kept == 0:
            root = self.nodes[0]
            root.total, root.visits, root.first, root.move, root.count = 0.0, 0, 0, -1, 0
            root.tried, root.claims, root.status = 0, 0, NEW
            root.low, root.high = self._limits(game)
            self._used = 1
        return kept

    def follow(self, game: CompiledGame, actions: Sequence[int]) -> None:
        """These were played since the last search: keep what lies below them. The next search need not look for it."""
        node, state = 0, self._state
        for action in actions:
            here = (child for child in self.children(node) if self.nodes[child].move == action)
            node = -1 if state is None else next(here, -1)
            if node < 0 or not self.nodes[node].visits:
                self._state = None
                return
            state = game.result(state, action)
        self._keep(node)
        self._state = state

    def _limits(self, game: CompiledGame) -> tuple[int, int]:
        low, high = game.rules.constants["LOWEST"], game.rules.constants["HIGHEST"]
        return max(low, -WIDEST_BOUND), min(high, WIDEST_BOUND)

    def _allocate(self, with_hindsight: bool) -> None:
        each = Node.itemsize + (Hindsight.itemsize if with_hindsight else 0)
        count = max(2, int(self.mib * (1 << 20)) // each)
        self.nodes = np.empty(count, Node)
        self.hindsight = np.empty(count if with_hindsight else 1, Hindsight)
        self._used = 0

    def _find(self, game: CompiledGame, state: bytes) -> int:
        """The node that stands for `state`, at most a move and a reply, with their dice, below the root; −1 if none."""
        if state == self._state:
            return 0
        level: list[tuple[int, bytes]] = [(0, self._state)]
        for _ in range(4 if game.facts.chance else 2):
            below = []
            for node, above in level:
                this = self.nodes[node]
                if this.status != READY:
                    continue
                for index in range(this.first, this.first + this.count):
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
            kept = np.empty(self._used, Node)
            kept_hindsight = np.empty(self._used if len(self.hindsight) > 1 else 1, Hindsight)
            size = int(_copy_below(self.nodes, self.hindsight, node, kept, kept_hindsight))
            self.nodes[:size] = kept[:size]
            if len(self.hindsight) > 1:
                self.hindsight[:size] = kept_hindsight[:size]
        self._used = size

    def finish(self, used: int) -> None:
        """Note how much of the tree the search has used."""
        self._used = min(used, len(self.nodes))
        self.searches += 1

    def children(self, node: int) -> range:
        """The children that were visited or are still waiting; none below leaves."""
        this = self.nodes[node]
        return range(this.first, this.first + this.count) if this.status == READY else range(0)


# The search -----------------------------------------------------------------------------------------------------------


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
    threads: int = 1,
    virtual_loss: int = 1,
    rave: float = 0.0,
    solver: bool = True,
    own_playouts: bool = True,
    mib: float = 64.0,
    tree: SearchTree | None = None,
) -> SearchResult:
    """Return the most visited move and the mean of the games through it, or a proven move and the exact value.

    Plays `simulations` games, by default 10000 or, with a `clock`, as many as it allows; stops when the root is proven.
    `depth` ends each random playout after so many plies with EVAL. `tree` brings its own size; without it the tree
    takes `mib` MiB. One thread gives the same result for the same seed; several do not. `details` hold `simulations`,
    `visits` per move, `reused` nodes, `tree_nodes`, and whether the tree is `full`. Raises BadInput, and UnfitGame for
    games that are not compiled.
    """
    run = Run(ALGORITHM, game, state, depth=depth, clock=clock, record=record)
    if not isinstance(run.game, CompiledGame):
        raise UnfitGame(f"fast-mcts cannot search {run.game.name}: it is not a compiled game; mcts can.")
    game = run.game
    for name, number in (("simulations", simulations), ("threads", threads)):
        if number is not None and number < 1:
            raise BadInput(f"{name}={number} is too few; expected at least 1.")
    for name, real in (("exploration", exploration), ("rave", rave), ("virtual_loss", virtual_loss)):
        if not real >= 0:
            raise BadInput(f"{name}={real} is not possible; expected 0 or more.")
    if tree is None:
        tree = SearchTree(mib)
    elif not isinstance(tree, SearchTree):
        raise BadInput(f"tree={tree!r} is not possible; expected a SearchTree.")
    rules = game.rules
    fits = max(-rules.constants["LOWEST"], rules.constants["HIGHEST"]) <= WIDEST_BOUND
    switches = {
        "SOLVER": solver and fits,
        "RAVE": rave > 0,
        "SHARED": threads > 1,
        "OWN_PLAYOUTS": own_playouts and rules.constants["HAS_PLAYOUT_MOVE"],
    }
    reused = tree.prepare(game, run.state, switches)
    trunk = np.zeros(1, trunk_type(rules.state_type))
    trunk[0].used = tree._used
    trunk[0].root = game.struct(run.state)
    trunk[0].seat = game.player(run.state)
    slots = 2 * SLOTS if rave > 0 else 1
    contexts = np.zeros(threads, context_type(rules.state_type, rules.constants["MOST_MOVES"], slots))
    contexts["depth"] = run.depth
    contexts["loss"] = virtual_loss
    contexts["exploration"] = exploration
    contexts["rave"] = rave
    contexts["least"] = game.facts.min_utility
    contexts["width"] = game.facts.max_utility - game.facts.min_utility
    contexts["random"] = [_seed(seed, tree.searches, thread) for thread in range(threads)]
    limit = simulations if simulations is not None else UNLIMITED if clock is not None else SIMULATIONS
    if not run.terminal:
        kernel = rules.kernel(simulate, **switches)
        jobs = [
            functools.partial(kernel, trunk, tree.nodes, tree.hindsight, contexts, thread, limit)
            for thread in range(threads)
        ]
        run_workers(jobs, contexts, clock=clock)
    tree.finish(int(trunk[0].used))
    if contexts["failed"].any():
        raise GameError(
            f"Random play in {game.name} was not over after {LONGEST_PLAYOUT} plies; limit it with a depth."
        )
    if record is not None:
        _dump(record, game, run.state, tree)
    return _report(run, game, tree, contexts, reused, limit)


def _seed(seed: int, searches: int, thread: int) -> Any:
    """The state of a thread's generator: the seed itself for the first thread of the first search, as in `mcts`."""
    first = np.uint64(seed & 0xFFFF_FFFF_FFFF_FFFF)
    if searches == 0 and thread == 0:
        return first
    with np.errstate(over="ignore"):
        return mix(first + np.uint64(searches << 16 | thread) * STEP)


def _report(run: Run, game: CompiledGame, tree: SearchTree, contexts: Any, reused: int, limit: int) -> SearchResult:
    """The result, read from the tree."""
    done = int(contexts["simulations"].sum())
    root = tree.nodes[0]
    proven = bool(tree._key[1] and root.low == root.high)
    nodes: list[int] = []
    value: float
    if run.terminal:
        value = game.utility(run.state, 0)
    else:
        nodes = _principal_variation(game, run.state, tree)
        shown = nodes[0] if nodes else 0
        seat = max(0, game.player(run.state)) if nodes else 0
        value = float(root.low) if proven else _mean(game, tree, shown, seat)
    line = [int(tree.nodes[node].move) for node in nodes]
    visits = {
        game.action_text(run.state, int(tree.nodes[node].move)): int(tree.nodes[node].visits)
        for node in tree.children(0)
        if tree.nodes[node].visits
    }
    return run.finish(
        value,
        line,
        nodes=1 + int(contexts["nodes"].sum()),
        leaves=done or 1,
        depth=int(contexts["deepest"].max()),
        bound="exact" if proven or run.terminal else "estimate",
        complete=run.terminal or proven or done >= limit,
        simulations=done,
        visits=visits,
        reused=reused,
        tree_nodes=tree._used,
        full=bool(contexts["full"].any()),
    )


def _mean(game: CompiledGame, tree: SearchTree, node: int, seat: int) -> float:
    """The mean of the games through a node, for seat 0; `seat` is the one that moved to it."""
    low = game.facts.min_utility
    width = game.facts.max_utility - low
    this = tree.nodes[node]
    mean = float(low + width * this.total / this.visits) if this.visits else low + width / 2
    return -mean if seat == 1 else mean


def _best(tree: SearchTree, node: int, seat: int) -> int:
    """The child to play: a proven best one, else the most visited that can still be best, the better one of equals.

    A move that is sure of some value is preferred to one that only promises less.
    """
    this = tree.nodes[node]
    tried = [index for index in tree.children(node) if tree.nodes[index].visits]
    if not tried:
        return -1

    def mean(index: int) -> float:
        return float(tree.nodes[index].total / tree.nodes[index].visits)

    if not tree._key[1]:
        return max(tried, key=lambda index: (tree.nodes[index].visits, mean(index)))
    rules = tree._key[0].constants
    least, width = rules["LOWEST"], rules["HIGHEST"] - rules["LOWEST"]

    def sure(index: int) -> int:
        """What the child is sure of for `seat`."""
        child = tree.nodes[index]
        return int(child.low) if seat == 0 else -int(child.high)

    floor = int(this.low) if seat == 0 else -int(this.high)
    safest = max(tried, key=lambda index: (sure(index), tree.nodes[index].visits))
    hopeful = [index for index in tried if (tree.nodes[index].high if seat == 0 else -tree.nodes[index].low) > floor]
    if this.low == this.high or not hopeful:
        return safest
    choice = max(hopeful, key=lambda index: (tree.nodes[index].visits, mean(index)))
    return safest if sure(safest) > least + width * mean(choice) else choice


def _principal_variation(game: CompiledGame, state: bytes, tree: SearchTree) -> list[int]:
    """The nodes of best play, up to the first chance node."""
    line: list[int] = []
    node = 0
    while tree.children(node):
        seat = game.player(state)
        child = -1 if seat == CHANCE else _best(tree, node, seat)
        if child < 0:
            break
        state = game.result(state, int(tree.nodes[child].move))
        line.append(child)
        node = child
    return line


def _dump(record: TreeRecord, game: CompiledGame, state: bytes, tree: SearchTree) -> None:
    """Write the visited part of the tree into the record, parents before children, in the order of the moves."""
    todo: list[tuple[int, bytes, int, int]] = [(0, state, -1, 0)]
    while todo:
        node, state, above, seat = todo.pop()
        this = tree.nodes[node]
        row = record.add(
            above,
            state,
            int(this.move) if above >= 0 else None,
            value=_mean(game, tree, node, seat) if this.visits else None,
            visits=int(this.visits),
            bound="estimate" if this.visits else "",
        )
        if row < 0:
            continue
        mover = LEAF if game.is_terminal(state) else game.player(state)
        for child in reversed(tree.children(node)):
            if tree.nodes[child].visits:
                after = game.result(state, int(tree.nodes[child].move))
                todo.append((child, after, row, max(0, mover)))
