"""The kernel of fast-mcts: simulations on a tree of nodes, for any number of seats.

A simulation is (1) TREEPOLICY, down the tree by `choose`; (2) EXPAND, which gives a node its next block of children;
(3) DEFAULTPOLICY, a random game or an estimate; (4) BACKUP, in which every node adds the reward of the seat that moved
to it, so that one number serves any number of seats (max^n); (5) RAVE and (6) the solver's bounds.
"""

from __future__ import annotations

from math import log, sqrt
from typing import Any

import numpy as np

from gametree.kernels.atomics import add_shared, swap_shared
from gametree.kernels.bits import u64
from gametree.kernels.hashing import mix, more_bits
from gametree.kernels.past import begin_line, enter_position
from gametree.kernels.verbs import (
    ALTERNATE,
    FORBIDS_REPETITION,
    HAS_NOTE_FRESH,
    HAS_OUTCOMES,
    HAS_REPETITION_KEY,
    HAS_ROLL,
    HIGHEST,
    LOWEST,
    SEATS,
    SIDE_OF,
    note_move,
    play,
    player,
    priors,
    roll,
    weights_of,
)
from gametree.search.compiled.fast_mcts.memory import (
    BLOCK,
    BUSY,
    FULL,
    LINK,
    LONGEST_PATH,
    NEW,
    OVER,
    PRIMED,
    PRIORS,
    RAVE,
    SEVERAL,
    SHARED,
    SOLVER,
    UNBOUNDED,
    child_at,
)
from gametree.search.compiled.fast_mcts.playout import (
    STEP,
    draw_below,
    draw_outcome,
    list_moves,
    list_outcomes,
    next_bits,
    play_out,
    reward_all,
    settle_end,
    settle_value,
    slot,
)

__all__ = ["outcome_of", "simulate", "sort_by_odds"]


# 1. TREEPOLICY --------------------------------------------------------------------------------------------------------


def simulate(
    trunk: Any, tree: Any, hindsight: Any, chances: Any, sums: Any, contexts: Any, thread: Any, limit: Any
) -> None:
    """Simulations until `limit` have begun, the root is proven, or the thread is told to stop; always the first.

    `chances` are the priors of the nodes; `sums[thread]` the points of every seat by moves of the root, and how often.
    """
    shared, ctx = trunk[0], contexts[thread]
    while ctx.failed == 0 and (ctx.stop == 0 or shared.begun == 0):
        if SHARED:
            number = np.int64(add_shared(shared, "begun", 1))
        else:
            number = np.int64(shared.begun)
            shared.begun += 1
        if number >= limit or (SOLVER and tree[0].low == tree[0].high):
            return
        simulate_once(shared, tree, hindsight, chances, ctx, np.int64(number + 1))
        if SEVERAL:
            add_points(tree, sums[thread], ctx)
        ctx.simulations += 1


def simulate_once(shared: Any, tree: Any, hindsight: Any, chances: Any, ctx: Any, number: Any) -> None:
    """One simulation from the root and back."""
    w = weights_of(ctx)
    ctx.state = shared.root
    s = ctx.state
    seat = np.int64(shared.seat)
    node = np.int64(0)
    length = np.int64(0)
    proven = False
    if HAS_NOTE_FRESH:
        ctx.notes[0] = shared.note
        ctx.turn = 0
    if HAS_REPETITION_KEY:
        begin_line(ctx.past)
    while True:
        this = tree[node]
        ctx.path[length] = node
        if not ALTERNATE:
            seat = np.int64(player(s, w))
        if SOLVER and this.low == this.high:
            settle_value(ctx, np.float64(this.low), seat_of_side(0))
            break
        if HAS_REPETITION_KEY and length > 0 and enter_position(ctx.past, s, w) and not FORBIDS_REPETITION:
            settle_value(ctx, 0.0, seat)
            proven = True
            close(this, 0.0)
            break
        first = np.int64(this.first)
        child = np.int64(-1)
        if length < LONGEST_PATH and not (length > 0 and this.visits < ctx.grow_after and first == NEW):
            if first == NEW:
                first = grow(shared, tree, hindsight, chances, ctx, node, seat)
            if first > 0:
                child = choose(shared, tree, hindsight, chances, ctx, node, first, seat)
        if child < 0:
            if first == OVER:
                settle_end(ctx, seat)
                proven = True
            else:
                play_out(ctx, seat, number, HAS_NOTE_FRESH)
                proven = ctx.plies == 0
            if proven:
                close(this, ctx.points[seat_of_side(0)])
            break
        count_visit(this, ctx.loss)
        ctx.movers[length] = seat
        length += 1
        move = np.int64(tree[child].move)
        if this.count == UNBOUNDED:
            move = outcome_of(s, move, w)
        if HAS_NOTE_FRESH:
            ctx.before = s
        play(s, move, w)
        if HAS_NOTE_FRESH:
            note_move(ctx.before, move, s, ctx.notes[ctx.turn], ctx.notes[1 - ctx.turn], w)
            ctx.turn = 1 - ctx.turn
        ctx.nodes += 1
        if ALTERNATE:
            seat = np.int64(1) - seat
        node = child
    count_visit(tree[node], ctx.loss)
    ctx.deepest = max(ctx.deepest, length)
    reward_all(ctx, shared.seat)
    back_up(tree, ctx, length)
    if RAVE:
        look_back(tree, hindsight, ctx, length, number)
    if SOLVER and proven:
        for level in range(length - 1, -1, -1):
            if not tighten(tree, np.int64(ctx.path[level]), np.int64(ctx.movers[level])):
                break


def seat_of_side(side: Any) -> Any:
    """The first seat of a side."""
    for seat in range(SEATS):
        if SIDE_OF[seat] == side:
            return np.int64(seat)
    return np.int64(0)


def outcome_of(s: Any, number: Any, w: Any) -> Any:
    """The outcome that the number of a child stands for, where outcomes cannot be listed."""
    return np.int64(roll(s, mix(u64(number) * STEP), w))


def choose(shared: Any, tree: Any, hindsight: Any, chances: Any, ctx: Any, node: Any, first: Any, seat: Any) -> Any:
    """The child to go to: drawn at chance nodes, else the next untried one, else the best; −1 if there is none."""
    this = tree[node]
    if (HAS_OUTCOMES or HAS_ROLL) and seat < 0:
        if this.count == UNBOUNDED:
            return draw_widely(shared, tree, hindsight, chances, ctx, node, first, seat)
        place = draw_outcome(ctx, list_outcomes(ctx))
        return reach(shared, tree, hindsight, chances, ctx, node, first, place, seat)
    if PRIORS:
        return best_by_prior(shared, tree, hindsight, chances, ctx, node, first, seat)
    if RAVE:
        # Moves are looked at before they are tried, so a block is used up when the node has as many visits.
        if this.visits > BLOCK and this.count > BLOCK:
            reach(shared, tree, hindsight, chances, ctx, node, first, min(this.visits, this.count) - 1, seat)
    elif this.tried < this.count:
        place = hand_out(this)
        if place < min(np.int64(this.count), np.int64(BLOCK)):
            return np.int64(first + place)
        if place < this.count:
            child = reach(shared, tree, hindsight, chances, ctx, node, first, place, seat)
            if child >= 0:
                return child
    return best_child(tree, hindsight, node, first, seat, ctx)


def hand_out(this: Any) -> Any:
    """The place of the next untried child."""
    if SHARED:
        return np.int64(add_shared(this, "tried", 1))
    place = np.int64(this.tried)
    this.tried += 1
    return place


def draw_widely(
    shared: Any, tree: Any, hindsight: Any, chances: Any, ctx: Any, node: Any, first: Any, seat: Any
) -> Any:
    """Progressive widening: a new outcome while there are fewer than widening × √visits, else one of those drawn."""
    this = tree[node]
    if this.tried < max(1.0, ctx.widening * sqrt(np.float64(this.visits))):
        child = reach(shared, tree, hindsight, chances, ctx, node, first, hand_out(this), seat)
        if child >= 0:
            return child
    return child_at(tree, first, draw_below(ctx, this.tried))


def best_child(tree: Any, hindsight: Any, node: Any, first: Any, seat: Any, ctx: Any) -> Any:
    """BESTCHILD: the child with the highest score; the first of equals."""
    this = tree[node]
    visits = np.float64(max(this.visits, 1))
    spread = 2 * log(visits)
    best, choice = -1.0, np.int64(first)
    count, size = np.int64(this.count), np.int64(BLOCK)
    while True:
        for index in range(first, first + min(size, count)):
            child = tree[index]
            if SOLVER and is_hopeless(this, child, seat):
                continue
            tries = np.float64(max(child.visits, 1))
            score = child.total / tries + ctx.exploration * sqrt(spread / tries)
            if RAVE:
                later = hindsight[index]
                if later.visits > 0:
                    seen, own = np.float64(later.visits), np.float64(child.visits)
                    share = seen / (seen + own + seen * own / ctx.rave)
                    score += share * (later.total / seen - child.total / tries)
                elif child.visits == 0:
                    score = 1e9
            if score > best:
                best, choice = score, np.int64(index)
        if count <= size:
            return choice
        first = np.int64(tree[first + size].first)
        if first <= 0:
            return choice
        count -= size
        size *= 2


def is_hopeless(this: Any, child: Any, seat: Any) -> Any:
    """Whether the child cannot beat what is safe for the mover already."""
    return child.high <= this.low if SIDE_OF[seat] == 0 else child.low >= this.high


def best_by_prior(
    shared: Any, tree: Any, hindsight: Any, chances: Any, ctx: Any, node: Any, first: Any, seat: Any
) -> Any:
    """PUCT: mean + puct × prior × √visits / (1 + own visits). Children stand in the order of their priors.

    An untried child counts as the mean of the tried ones, so that of all these only the first can be the best.
    """
    this = tree[node]
    tried = np.int64(min(this.tried, this.count))
    total, visits = 0.0, np.int64(0)
    for place in range(tried):
        index = child_at(tree, first, np.int64(place))
        if index >= 0:
            total += tree[index].total
            visits += np.int64(tree[index].visits)
    usual = total / np.float64(visits) if visits > 0 else 0.5
    scale = ctx.puct * sqrt(np.float64(max(this.visits, 1)))
    best, choice, fresh = -1.0, np.int64(-1), False
    for place in range(min(tried + 1, np.int64(this.count))):
        if place == tried:
            index = reach(shared, tree, hindsight, chances, ctx, node, first, np.int64(place), seat)
        else:
            index = child_at(tree, first, np.int64(place))
        if index < 0:
            continue
        child = tree[index]
        if SOLVER and is_hopeless(this, child, seat):
            continue
        tries = np.float64(child.visits)
        mean = child.total / tries if child.visits > 0 else usual
        score = mean + scale * np.float64(chances[index]) / (1.0 + tries)
        if score > best:
            best, choice = score, index
            fresh = place == tried
    if choice < 0:
        return np.int64(first)
    if fresh:
        hand_out(this)
    return choice


# 2. EXPAND ------------------------------------------------------------------------------------------------------------


def grow(shared: Any, tree: Any, hindsight: Any, chances: Any, ctx: Any, node: Any, seat: Any) -> Any:
    """Give the node its first block of children, once; return its `first`."""
    this = tree[node]
    if SHARED and not claim(this):
        return np.int64(this.first)
    count = list_children(ctx, seat)
    first = np.int64(OVER)
    if count > 0:
        this.count = count
        first = add_block(shared, tree, hindsight, chances, ctx, count, np.int64(0), seat)
    publish(this, first)
    return first


def claim(this: Any) -> Any:
    """Whether this thread is the one to grow the node or link. A thread that came late puts back what it found."""
    before = np.int64(swap_shared(this, "first", BUSY))
    if before not in (NEW, BUSY):
        swap_shared(this, "first", before)
    return before == NEW


def publish(this: Any, first: Any) -> None:
    """Let everybody see a block, which is written by now."""
    if SHARED:
        swap_shared(this, "first", first)
    else:
        this.first = first


def list_children(ctx: Any, seat: Any) -> Any:
    """Write the moves or outcomes of `ctx.state` in the order in which they become children; return how many."""
    if (HAS_OUTCOMES or HAS_ROLL) and seat < 0:
        count = list_outcomes(ctx)
        return np.int64(UNBOUNDED) if count < 0 else count
    count = list_moves(ctx)
    if (PRIORS or PRIMED) and count > 0:
        priors(ctx.state, ctx.moves, count, ctx.odds, weights_of(ctx), ctx.notes[ctx.turn])
        total = 0.0
        for i in range(count):
            total += ctx.odds[i]
        for i in range(count):
            ctx.odds[i] = ctx.odds[i] / total if total > 0 else 1.0 / np.float64(count)
        if PRIORS:
            sort_by_odds(ctx.moves, ctx.odds, ctx.order, count)
    return count


def sort_by_odds(moves: Any, odds: Any, order: Any, count: Any) -> None:
    """Sort the first `count` moves with their odds, the highest first, equal ones in the order in which they stood."""
    for i in range(count):
        order[i] = i
    # Heapsort: the root of the heap is the move that belongs last.
    for start in range(count // 2 - 1, -1, -1):
        sift(moves, odds, order, np.int64(start), np.int64(count))
    for end in range(count - 1, 0, -1):
        exchange(moves, odds, order, np.int64(0), np.int64(end))
        sift(moves, odds, order, np.int64(0), np.int64(end))


def comes_later(odds: Any, order: Any, i: Any, j: Any) -> Any:
    """Whether entry i belongs behind entry j."""
    return odds[i] < odds[j] or (odds[i] == odds[j] and order[i] > order[j])


def exchange(moves: Any, odds: Any, order: Any, i: Any, j: Any) -> None:
    """Let two entries change places."""
    move, chance, number = moves[i], odds[i], order[i]
    moves[i], odds[i], order[i] = moves[j], odds[j], order[j]
    moves[j], odds[j], order[j] = move, chance, number


def sift(moves: Any, odds: Any, order: Any, at: Any, end: Any) -> None:
    """Let the entry sink to its place in the heap of the first `end`."""
    while True:
        below = 2 * at + 1
        if below >= end:
            return
        if below + 1 < end and comes_later(odds, order, below + 1, below):
            below += 1
        if not comes_later(odds, order, below, at):
            return
        exchange(moves, odds, order, at, below)
        at = below


def add_block(shared: Any, tree: Any, hindsight: Any, chances: Any, ctx: Any, count: Any, start: Any, seat: Any) -> Any:
    """Make the block of children that begins at place `start`, from the list in `ctx`; return where it is, or FULL."""
    size = BLOCK + start  # blocks double, so each is as long as all before it and the first
    here = min(np.int64(size), np.int64(count - start))
    room = here + (1 if start + here < count else 0)
    if SHARED:
        first = np.int64(add_shared(shared, "used", room))
    else:
        first = np.int64(shared.used)
        shared.used += room
    if first + room > tree.shape[0]:
        shared.used = tree.shape[0]
        ctx.full = 1
        return np.int64(FULL)
    for i in range(here):
        clear(tree[first + i], ctx.moves[start + i] if count != UNBOUNDED else np.int64(0))
        if RAVE:
            hindsight[first + i].total = 0.0
            hindsight[first + i].visits = 0
            if PRIMED and seat >= 0:
                # A move as promising as the mean wins half of its imagined games.
                imagined = np.int64(ctx.prior)
                chance = ctx.odds[start + i]
                hindsight[first + i].total = imagined * chance / (chance + 1.0 / np.float64(count))
                hindsight[first + i].visits = imagined
        if PRIORS and seat >= 0:
            chances[first + i] = ctx.odds[start + i]
    if room > here:
        clear(tree[first + here], np.int64(LINK))
    if (HAS_OUTCOMES or HAS_ROLL) and count == UNBOUNDED:
        bits = next_bits(ctx)
        for i in range(here):
            tree[first + i].move = np.int64(more_bits(bits, i) >> u64(33))
    return first


def clear(child: Any, move: Any) -> None:
    """A node that nothing is known of yet."""
    child.total = 0.0
    child.visits = child.first = child.count = child.tried = 0
    child.move = move
    child.low, child.high = LOWEST, HIGHEST


def reach(
    shared: Any, tree: Any, hindsight: Any, chances: Any, ctx: Any, node: Any, first: Any, place: Any, seat: Any
) -> Any:
    """The child at `place`, for which blocks are made that are not there yet; −1 if that is not possible."""
    start, size = np.int64(0), np.int64(BLOCK)
    listed = np.int64(0)
    while place >= start + size:
        link = tree[first + size]
        first = np.int64(link.first)
        start += size
        size *= 2
        if first == NEW:
            if SHARED and not claim(link):
                return np.int64(-1)
            if listed == 0:
                listed = list_children(ctx, seat)
            first = add_block(shared, tree, hindsight, chances, ctx, listed, start, seat)
            publish(link, first)
        if first <= 0:
            return np.int64(-1)
    return np.int64(first + place - start)


# 4. BACKUP ------------------------------------------------------------------------------------------------------------


def count_visit(this: Any, loss: Any) -> None:
    """One visit; a shared tree counts `loss` visits until the reward is there."""
    if SHARED:
        add_shared(this, "visits", loss)
    else:
        this.visits += 1


def back_up(tree: Any, ctx: Any, length: Any) -> None:
    """Every node on the path adds the reward of the seat that moved to it; chance counts as seat 0."""
    for level in range(length + 1):
        this = tree[ctx.path[level]]
        gained = ctx.rewards[max(np.int64(ctx.movers[level - 1]), np.int64(0)) if level > 0 else np.int64(0)]
        if SHARED:
            add_shared(this, "total", gained)
            if ctx.loss != 1:
                add_shared(this, "visits", 1 - ctx.loss)
        else:
            this.total += gained


def add_points(tree: Any, sums: Any, ctx: Any) -> None:
    """Add the points of every seat to the row of the root's move that was chosen: nodes know one seat's only."""
    if tree[0].first <= 0:
        return
    place = np.int64(0)
    first, size = np.int64(tree[0].first), np.int64(BLOCK)
    chosen = np.int64(ctx.path[1])
    while not first <= chosen < first + size:
        place += size
        first = np.int64(tree[first + size].first)
        size *= 2
        if first <= 0:
            return
    place += chosen - first
    if place < sums.shape[0]:
        for seat in range(SEATS):
            sums[place, seat] += ctx.points[seat]
        sums[place, SEATS] += 1.0


# 5. RAVE --------------------------------------------------------------------------------------------------------------


def look_back(tree: Any, hindsight: Any, ctx: Any, length: Any, number: Any) -> None:
    """From the end of the path up, every sibling move that its mover played later learns the reward as well."""
    for level in range(length - 1, -1, -1):
        seat = np.int64(ctx.movers[level])
        if seat < 0:
            continue
        gained = ctx.rewards[seat]
        this = tree[ctx.path[level]]
        ctx.stamps[slot(seat, np.int64(tree[ctx.path[level + 1]].move))] = number
        first, count, size = np.int64(this.first), np.int64(this.count), np.int64(BLOCK)
        while first > 0:
            for index in range(first, first + min(size, count)):
                if ctx.stamps[slot(seat, np.int64(tree[index].move))] == number:
                    if SHARED:
                        add_shared(hindsight[index], "total", gained)
                        add_shared(hindsight[index], "visits", 1)
                    else:
                        hindsight[index].total += gained
                        hindsight[index].visits += 1
            if count <= size:
                break
            first = np.int64(tree[first + size].first)
            count -= size
            size *= 2


# 6. The solver --------------------------------------------------------------------------------------------------------


def close(this: Any, value: Any) -> None:
    """The node is worth this to side 0, for certain."""
    if SOLVER:
        this.low = this.high = np.int64(value)


def tighten(tree: Any, node: Any, seat: Any) -> Any:
    """Work out the node's bounds from its children's; return whether they changed."""
    this = tree[node]
    first, count, size = np.int64(this.first), np.int64(this.count), np.int64(BLOCK)
    if first <= 0:
        return False
    low, high = np.int64(tree[first].low), np.int64(tree[first].high)
    while True:
        # A block that is not there yet counts as one child of which nothing is known.
        for index in range(first, first + (min(size, count) if first > 0 else 1)):
            below, above = np.int64(LOWEST), np.int64(HIGHEST)
            if first > 0:
                below, above = np.int64(tree[index].low), np.int64(tree[index].high)
            if seat < 0:  # chance: all that is sure of the mean
                low, high = min(low, below), max(high, above)
            elif SIDE_OF[seat] == 0:
                low, high = max(low, below), max(high, above)
            else:
                low, high = min(low, below), min(high, above)
        if count <= size or first <= 0:
            break
        first = np.int64(tree[first + size].first)
        count -= size
        size *= 2
    if low <= this.low and high >= this.high:
        return False
    this.low, this.high = max(low, np.int64(this.low)), min(high, np.int64(this.high))
    return True
