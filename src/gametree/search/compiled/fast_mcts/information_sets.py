"""Information-set Monte Carlo tree search: fast-mcts where seats do not see everything.

Source: Cowling, Powley and Whitehouse, "Information set Monte Carlo tree search" (2012), with several observers.

    for every simulation
        d ← a world: the blanks of the root seat's view, dealt anew        (accepted by its plausibility)
        while the game goes on
            v ← the node of the seat to move: all that this seat has heard since the root
            A ← the moves that are legal in d; each of them that was tried counts as available once more
            some move of A is untried: take the first; the world is played out at random from there
            else take argmax of Q(a)/N(a) + c √(2 ln available(a) / N(a))
        every move on the way adds the reward of the seat that made it

Which moves a node has depends on the world, so a move is compared by how often it could have been chosen, not by the
visits of the node (a bandit with a subset of arms). Nodes need no memory of their own: a move is found in one table by
the seat, what the seat has heard, and the move. What a seat does not hear does not pass time for it.

A world is taken with a probability in proportion to its plausibility, measured by the highest that was met; after
WORLD_TRIES refusals the most plausible of those is taken. If no world of a first survey explains what the others did,
all count alike. Between the moves of a game nothing is kept, because what was a guess may be known by then.
"""

from __future__ import annotations

from math import log, sqrt
from typing import Any

import numpy as np

from gametree.kernels.bits import u64
from gametree.kernels.hashing import mix, mix_in
from gametree.kernels.past import begin_line, enter_position
from gametree.kernels.verbs import (
    ALTERNATE,
    FORBIDS_REPETITION,
    HAS_NOTE_FRESH,
    HAS_OUTCOMES,
    HAS_PLAUSIBILITY,
    HAS_REPETITION_KEY,
    HAS_ROLL,
    SEATS,
    Rules,
    hash_state,
    heard,
    hide,
    note_fresh,
    plausibility,
    play,
    player,
    priors,
    redeal,
    roll,
    struct,
    weights_of,
)
from gametree.search.compiled.fast_mcts.memory import LONGEST_PATH, LONGEST_PLAYOUT, PRIORS, context_type
from gametree.search.compiled.fast_mcts.playout import (
    TO_UNIT,
    draw_outcome,
    list_moves,
    list_outcomes,
    next_bits,
    play_out,
    reward_all,
    settle_end,
    settle_value,
)

__all__ = ["Arm", "hidden_context_type", "make_arms", "read_arms", "simulate_worlds", "survey"]

WORLD_TRIES = 64
"""So many worlds are drawn for one simulation at most."""
SURVEY = 256
"""So many worlds are drawn first to see how plausible worlds are."""
APART = False
"""Whether the others' nodes are told apart by what they know at the root, too."""

Arm = struct(
    key="u8",  # of seat, what it heard, and move; 0: free
    total="f8",  # rewards of the seat
    visits="i4",
    available="i4",  # how often it could have been chosen since it was first tried
)


def hidden_context_type(rules: Rules, longest_game: int | None) -> Any:
    """What the search has beside the table of moves."""
    return struct(
        ctx=context_type(rules, longest_game, rave=False),
        ears=("u8", rules.constants["SEATS"]),
        used="i8",  # entries of the table
        place="i8",  # of the root's move in this simulation, 0 if chance is to move there; −1: none
        worlds="i8",  # drawn
        weights="f8",  # sum of their plausibilities
        squares="f8",  # sum of the squares
        highest="f8",
        alike="i8",  # 1 if all worlds count alike because none is plausible
    )


def make_arms(mib: float, limit: int) -> Any:
    """An empty table; every simulation needs one entry at most."""
    room = max(16, int(mib * (1 << 20)) // Arm.itemsize)
    return np.zeros(1 << min(room.bit_length() - 1, max(4, (2 * limit - 1).bit_length())), Arm)


# Worlds ---------------------------------------------------------------------------------------------------------------


def survey(trunk: Any, own: Any) -> None:
    """Draw worlds to learn how plausible worlds are."""
    mine, shared = own[0], trunk[0]
    for _ in range(SURVEY):
        deal_world(shared, mine)
    mine.alike = 1 if mine.highest <= 0 else 0


def deal_world(shared: Any, mine: Any) -> Any:
    """Fill the blanks of the root's view in `ctx.state`; return the plausibility of what came about."""
    ctx = mine.ctx
    w = weights_of(ctx)
    ctx.state = shared.root
    redeal(ctx.state, shared.seat, next_bits(ctx), w)
    weight = 1.0
    if HAS_PLAUSIBILITY and mine.alike == 0:
        weight = np.float64(plausibility(ctx.state, shared.seat, w))
    mine.worlds += 1
    mine.weights += weight
    mine.squares += weight * weight
    mine.highest = max(mine.highest, weight)
    return weight


def draw_world(shared: Any, mine: Any) -> None:
    """A world in `ctx.state`, drawn by its plausibility."""
    weight = deal_world(shared, mine)
    if not HAS_PLAUSIBILITY or mine.alike != 0:
        return
    ctx = mine.ctx
    most = -1.0
    for _ in range(WORLD_TRIES):
        if np.float64(next_bits(ctx) >> u64(11)) * TO_UNIT * mine.highest < weight:
            return
        if weight > most:
            most = weight
            ctx.before = ctx.state
        weight = deal_world(shared, mine)
    if weight < most:
        ctx.state = ctx.before


# The table of moves ---------------------------------------------------------------------------------------------------


def find_arm(arms: Any, key: Any) -> Any:
    """Where the entry with this key is, or −1 − the free place where it belongs."""
    mask = np.int64(arms.shape[0] - 1)
    at = np.int64(key >> u64(1)) & mask
    while True:
        there = arms[at].key
        if there == key:
            return at
        if there == u64(0):
            return np.int64(-1) - at
        at = (at + 1) & mask


def arm_key(ear: Any, seat: Any, move: Any) -> Any:
    """The key of a move where the seat has heard what `ear` says; never 0."""
    return mix(mix_in(mix_in(ear, u64(seat + 1)), u64(move + 1))) | u64(1)


def read_arms(arms: Any, seat: Any, moves: Any, visits: Any, totals: Any) -> None:
    """Visits and rewards of the root's moves."""
    for i in range(moves.shape[0]):
        at = find_arm(arms, arm_key(u64(0), seat, moves[i]))
        if at >= 0:
            visits[i] = arms[at].visits
            totals[i] = arms[at].total


def choose_arm(arms: Any, mine: Any, count: Any, seat: Any) -> Any:
    """The place of the move to make among the `count` listed ones; where its entry is in `ctx.order`.

    −1 − place if the move is untried; `count` if there is no room for one more.
    """
    ctx = mine.ctx
    ear = mine.ears[seat]
    untried = np.int64(-1)
    total, visits, often = 0.0, np.int64(0), np.int64(1)
    for i in range(count):
        at = find_arm(arms, arm_key(ear, seat, ctx.moves[i]))
        ctx.order[i] = at
        if at >= 0:
            arms[at].available += 1
            total += arms[at].total
            visits += np.int64(arms[at].visits)
            often = max(often, np.int64(arms[at].available))
        elif untried < 0:
            untried = np.int64(i)
    room = 8 * (mine.used + 1) <= 7 * arms.shape[0]
    if untried >= 0 and not PRIORS:
        return np.int64(-1) - untried if room else np.int64(count)
    if PRIORS:
        weigh_moves(ctx, count)
    usual = total / np.float64(visits) if visits > 0 else 0.5
    best, choice = -1.0, np.int64(count)
    for i in range(count):
        at = np.int64(ctx.order[i])
        if at < 0:
            if not room:
                continue
            score = usual + ctx.puct * ctx.odds[i] * sqrt(np.float64(often))
        else:
            arm = arms[at]
            tries = np.float64(arm.visits)
            if PRIORS:
                score = arm.total / tries + ctx.puct * ctx.odds[i] * sqrt(np.float64(arm.available)) / (1.0 + tries)
            else:
                score = arm.total / tries + ctx.exploration * sqrt(2 * log(np.float64(arm.available)) / tries)
        if score > best:
            best = score
            choice = np.int64(i) if at >= 0 else np.int64(-1) - np.int64(i)
    return choice


def weigh_moves(ctx: Any, count: Any) -> None:
    """Write the priors of the listed moves into `ctx.odds`; they sum to 1."""
    w = weights_of(ctx)
    if HAS_NOTE_FRESH:
        note_fresh(ctx.state, ctx.notes[0], w)
    priors(ctx.state, ctx.moves, count, ctx.odds, w, ctx.notes[0])
    total = 0.0
    for i in range(count):
        total += ctx.odds[i]
    for i in range(count):
        ctx.odds[i] = ctx.odds[i] / total if total > 0 else 1.0 / np.float64(count)


# Simulations ----------------------------------------------------------------------------------------------------------


def simulate_worlds(trunk: Any, arms: Any, sums: Any, own: Any, limit: Any) -> None:
    """Simulations until `limit` are done or the search is told to stop; always the first.

    `sums` are the points of every seat by moves of the root, and how often.
    """
    shared, mine = trunk[0], own[0]
    ctx = mine.ctx
    while ctx.simulations < limit and ctx.failed == 0 and (ctx.stop == 0 or ctx.simulations == 0):
        draw_world(shared, mine)
        simulate_world(shared, arms, mine)
        if 0 <= mine.place < sums.shape[0]:
            for seat in range(SEATS):
                sums[mine.place, seat] += ctx.points[seat]
            sums[mine.place, SEATS] += 1.0
        ctx.simulations += 1


def simulate_world(shared: Any, arms: Any, mine: Any) -> None:
    """One simulation in the world of `ctx.state`."""
    ctx = mine.ctx
    w = weights_of(ctx)
    s = ctx.state
    seat = np.int64(shared.seat)
    open_ears(shared, mine)
    if HAS_REPETITION_KEY:
        begin_line(ctx.past)
    mine.place = -1
    length = np.int64(0)
    for step in range(LONGEST_PLAYOUT):
        if not ALTERNATE:
            seat = np.int64(player(s, w))
        if HAS_REPETITION_KEY and step > 0 and enter_position(ctx.past, s, w) and not FORBIDS_REPETITION:
            settle_value(ctx, 0.0, seat)
            break
        if step == LONGEST_PLAYOUT - 1:
            ctx.failed = 1
        fresh = False
        if (HAS_OUTCOMES or HAS_ROLL) and seat < 0:
            if step == 0:
                mine.place = 0
            count = list_outcomes(ctx)
            move = np.int64(roll(s, next_bits(ctx), w)) if count < 0 else np.int64(ctx.moves[draw_outcome(ctx, count)])
        else:
            count = list_moves(ctx)
            if count == 0:
                settle_end(ctx, seat)
                break
            place = choose_arm(arms, mine, count, seat) if length < LONGEST_PATH else count
            if place == count:  # no room
                ctx.full = 1
                play_out(ctx, seat, np.int64(0), False)
                break
            fresh = place < 0
            place = np.int64(-1) - place if fresh else place
            at = np.int64(ctx.order[place])
            move = np.int64(ctx.moves[place])
            if fresh:
                at = np.int64(-1) - at
                new_arm(arms[at], arm_key(mine.ears[seat], seat, move))
                mine.used += 1
            if step == 0:
                mine.place = place
            ctx.path[length] = at
            ctx.movers[length] = seat
            length += 1
        ctx.before = s
        play(s, move, w)
        ctx.nodes += 1
        for listener in range(SEATS):
            word = np.int64(heard(ctx.before, move, s, listener, w))
            if word != 0:
                mine.ears[listener] = mix_in(mine.ears[listener], u64(word))
        if ALTERNATE:
            seat = np.int64(1) - seat
        if fresh:
            if HAS_REPETITION_KEY and enter_position(ctx.past, s, w) and not FORBIDS_REPETITION:
                settle_value(ctx, 0.0, seat)
            else:
                play_out(ctx, seat, np.int64(0), False)
            break
    ctx.deepest = max(ctx.deepest, length)
    reward_all(ctx, shared.seat)
    for level in range(length):
        arm = arms[ctx.path[level]]
        arm.visits += 1
        arm.total += ctx.rewards[ctx.movers[level]]


def new_arm(arm: Any, key: Any) -> None:
    """A move that is tried for the first time."""
    arm.key = key
    arm.available = 1


def open_ears(shared: Any, mine: Any) -> None:
    """Nobody has heard anything since the root; if APART, the others begin with what they know there."""
    ctx = mine.ctx
    w = weights_of(ctx)
    for seat in range(SEATS):
        mine.ears[seat] = u64(0)
        if APART and seat != shared.seat:
            ctx.before = ctx.state
            hide(ctx.before, seat, w)
            mine.ears[seat] = hash_state(ctx.before, w)
