"""One game from a leaf of the tree to its end, and what it is worth to every seat."""

from __future__ import annotations

from typing import Any

import numpy as np

from gametree.kernels.bits import u64
from gametree.kernels.hashing import mix
from gametree.kernels.past import enter_position, replace_forbidden, strike
from gametree.kernels.verbs import (
    ALTERNATE,
    FORBIDS_REPETITION,
    HAS_ESTIMATES,
    HAS_NOTE_FRESH,
    HAS_OUTCOMES,
    HAS_PAYOFFS,
    HAS_REPETITION_KEY,
    HAS_ROLL,
    SEATS,
    SIDE_OF,
    UNIT,
    UNLISTED,
    estimates,
    evaluate,
    is_over,
    legal_moves,
    note_fresh,
    outcomes,
    payoffs,
    play,
    player,
    playout_move,
    roll,
    utility,
    weights_of,
)
from gametree.search.compiled.fast_mcts.memory import LONGEST_PLAYOUT, OWN_PLAYOUTS, PARANOID, RAVE, SLOTS

__all__ = [
    "STEP",
    "draw_below",
    "draw_outcome",
    "list_moves",
    "list_outcomes",
    "next_bits",
    "play_out",
    "reward_all",
    "settle_end",
    "settle_value",
    "slot",
]

STEP = u64(0x9E3779B97F4A7C15)
TO_UNIT = 2.0**-53


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


# Lists ----------------------------------------------------------------------------------------------------------------


def list_outcomes(ctx: Any) -> Any:
    """Write the outcomes at a chance state and their odds; return how many, or UNLISTED."""
    if not HAS_OUTCOMES:
        return np.int64(UNLISTED)
    return np.int64(outcomes(ctx.state, ctx.moves, ctx.odds, weights_of(ctx)))


def list_moves(ctx: Any) -> Any:
    """Write the moves of the seat to move, but for those that a rule on repetition forbids; return how many."""
    w = weights_of(ctx)
    count = np.int64(legal_moves(ctx.state, ctx.moves, w))
    if HAS_REPETITION_KEY and FORBIDS_REPETITION:
        count = np.int64(strike(ctx.past, ctx.state, ctx.moves, count, w))
    return count


# What a game comes to -------------------------------------------------------------------------------------------------


def settle_value(ctx: Any, value: Any, seat: Any) -> None:
    """The simulation is worth `value` to the side of `seat` and the opposite to the others; chance is seat 0."""
    mine = SIDE_OF[max(np.int64(seat), np.int64(0))]
    for other in range(SEATS):
        ctx.points[other] = value if SIDE_OF[other] == mine else -value


def settle_end(ctx: Any, seat: Any) -> None:
    """The game is over in `ctx.state`."""
    w = weights_of(ctx)
    if HAS_PAYOFFS:
        payoffs(ctx.state, ctx.payoffs, w)
        for other in range(SEATS):
            ctx.points[other] = ctx.payoffs[other]
    else:
        settle_value(ctx, np.float64(utility(ctx.state, w)), seat)


def settle_estimate(ctx: Any, seat: Any, noted: Any) -> None:
    """EVAL of `ctx.state`; `noted` says whether its notes are there."""
    w = weights_of(ctx)
    note = ctx.notes[ctx.turn]
    if HAS_NOTE_FRESH and not noted:
        note_fresh(ctx.state, note, w)
    if HAS_ESTIMATES:
        estimates(ctx.state, ctx.payoffs, w, note)
        for other in range(SEATS):
            ctx.points[other] = ctx.payoffs[other] / UNIT
    else:
        settle_value(ctx, np.float64(evaluate(ctx.state, w, note) / UNIT), seat)


def reward_all(ctx: Any, root_seat: Any) -> None:
    """The points of every seat as rewards from 0 to 1; if PARANOID, all others gain what the root's side loses."""
    for seat in range(SEATS):
        ctx.rewards[seat] = (ctx.points[seat] - ctx.least) / ctx.width
    if PARANOID:
        mine = max(np.int64(root_seat), np.int64(0))
        gained = ctx.rewards[mine]
        for seat in range(SEATS):
            ctx.rewards[seat] = gained if SIDE_OF[seat] == SIDE_OF[mine] else 1.0 - gained


def slot(seat: Any, move: Any) -> Any:
    """Where a seat's move is stamped."""
    return seat * SLOTS + (move & (SLOTS - 1))


def play_out(ctx: Any, seat: Any, number: Any, noted: Any) -> None:
    """DEFAULTPOLICY: play at random from `ctx.state` to the end; `ctx.points` say what came of it."""
    w = weights_of(ctx)
    s, moves = ctx.state, ctx.moves
    left = ctx.depth
    strict = OWN_PLAYOUTS and HAS_REPETITION_KEY and FORBIDS_REPETITION
    plies, careful_from = np.int64(0), np.int64(LONGEST_PLAYOUT)
    first_seat, first_bits, first_count = seat, ctx.random, ctx.past.count
    if strict:
        ctx.before = s
    while plies < LONGEST_PLAYOUT:
        stood = HAS_REPETITION_KEY and plies > 0 and enter_position(ctx.past, s, w)
        if strict and stood:
            careful_from = plies - 1
            ctx.nodes -= plies
            ctx.state = ctx.before
            ctx.random = first_bits
            ctx.past.count = first_count
            seat, left, plies = first_seat, ctx.depth, np.int64(0)
        if not ALTERNATE:
            seat = np.int64(player(s, w))
        ctx.plies = plies
        if HAS_REPETITION_KEY and not FORBIDS_REPETITION and stood:
            settle_value(ctx, 0.0, seat)
            return
        by_chance = (HAS_OUTCOMES or HAS_ROLL) and seat < 0
        n = np.int64(1)
        if by_chance:
            n = list_outcomes(ctx)
        elif OWN_PLAYOUTS:
            n = np.int64(0) if is_over(s, moves, w) else np.int64(1)
        else:
            n = np.int64(legal_moves(s, moves, w))
            if HAS_REPETITION_KEY and FORBIDS_REPETITION:
                n = np.int64(strike(ctx.past, s, moves, n, w))
        if n == 0:
            settle_end(ctx, seat)
            return
        if left == 0:
            ctx.plies = -1
            settle_estimate(ctx, seat, noted and plies == 0)
            return
        if by_chance:
            move = np.int64(roll(s, next_bits(ctx), w)) if n < 0 else np.int64(moves[draw_outcome(ctx, n)])
        elif OWN_PLAYOUTS:
            bits = next_bits(ctx)
            move = np.int64(playout_move(s, bits, moves, w))
            if strict and plies >= careful_from:
                move = np.int64(replace_forbidden(ctx.past, s, move, bits, moves, w))
                if move < 0:
                    settle_end(ctx, seat)
                    return
        else:
            move = np.int64(moves[draw_below(ctx, n)])
        if RAVE and not by_chance:
            ctx.stamps[slot(seat, move)] = number
        play(s, move, w)
        if ALTERNATE:
            seat = np.int64(1) - seat
        left -= 1
        plies += 1
        ctx.nodes += 1
    ctx.failed = 1
    settle_value(ctx, 0.0, np.int64(0))
