"""The last plies of the engine: quiescence search, and leaves that are only estimated."""

from __future__ import annotations

from typing import Any

import numpy as np

from gametree.kernels.bits import ZERO
from gametree.kernels.transposition import (
    EXACT,
    LOWER,
    UPPER,
    entry_depth,
    entry_move,
    entry_proven,
    entry_value,
    pack,
    probe,
    store,
)
from gametree.kernels.verbs import (
    ALTERNATE,
    HAS_FORCING_MOVES,
    HAS_GAINS,
    HAS_INDEX_OF,
    HAS_IS_URGENT,
    HAS_MOVE_KEY,
    HAS_NOISY_MOVES,
    HAS_NOTE_FRESH,
    KEYS_NOTED,
    forcing_moves,
    gains,
    hash_state,
    is_over,
    legal_moves,
    move_key,
    noisy_moves,
    play,
    side_to_move,
    weights_of,
)
from gametree.search.compiled.engine.context import INFINITE, KEYS, MOVES
from gametree.search.compiled.engine.move_order import NO_MOVE, bring_best, bring_notes, pick
from gametree.search.compiled.engine.steps import descend, gives_up, take_line
from gametree.search.compiled.engine.values import (
    BY_QUIESCENCE,
    BY_SEARCH,
    BY_TABLE,
    LOG_ENTER,
    LOG_LEAVE,
    MTDF,
    answers,
    end_value,
    judge,
    seen_from_here,
    seen_from_root,
    value_of_byte,
    write_log,
)
from gametree.search.support.move_stack import is_crowded, list_at
from gametree.search.support.probing import UNKNOWN, probe_tables

__all__ = ["estimate", "last_ply", "quiesce"]

_MOST_QUIET = 1000  # nodes of one quiescence; nine queens on either side would have it go on for seconds


def quiesce(alpha: Any, beta: Any, left: Any, ply: Any, ctx: Any, table: Any) -> Any:
    """The value when only noisy moves are followed; the mover may always stop and take the estimate, unless threatened.

    A threatened mover answers with any move, for `left` plies at most. Meaningless if `ctx.aborted` is set on return.
    """
    w = weights_of(ctx)
    frame, switches = ctx.frames[ply], ctx.switches
    s = frame.state
    first = np.int64(frame.first)
    frame.length = 0
    if ply > ctx.reached:
        ctx.reached = ply
    if HAS_INDEX_OF and left < switches.quiescence_plies:
        byte = probe_tables(s, ctx)
        if byte != UNKNOWN:
            return value_of_byte(byte, ply, ctx)
    if is_crowded(ctx, first):
        return np.int64(0)
    moves, keys = list_at(ctx, MOVES, first), list_at(ctx, KEYS, first)
    if is_over(s, moves, w):
        return end_value(s, ply, ctx)
    if left == switches.quiescence_plies:
        ctx.quiet_end = ctx.nodes + _MOST_QUIET
    room = ply + 2 < len(ctx.frames) and ctx.nodes < ctx.quiet_end
    urgent = HAS_IS_URGENT and frame.urgent != 0 and left > 0 and room

    # 1. The table.
    key = ZERO
    hint = NO_MOVE
    remember = HAS_NOISY_MOVES and switches.table != 0 and switches.quiescence_plies > 0
    shallow = True  # no deeper search has left an entry
    if remember:
        key = hash_state(s, w)
        data = probe(table, ctx.slots, key)
        if data != ZERO:
            shallow = entry_depth(data) == 0
            known = seen_from_root(entry_value(data), ply, ctx)
            hint = entry_move(data)
            if answers(data, known, alpha, beta):
                if not entry_proven(data):
                    ctx.horizon += 1
                ctx.leaves += 1
                ctx.reason = BY_TABLE
                return known

    # 2. Standing pat.
    best = np.int64(-INFINITE)
    guess = np.int64(0)
    if not urgent:
        guess = best = judge(ply, ctx)
    ctx.horizon += 1
    n = np.int64(0)
    if urgent:
        n = np.int64(legal_moves(s, moves, w))
    elif HAS_NOISY_MOVES and left > 0 and best < beta and room:
        n = np.int64(noisy_moves(s, moves, w))
    if n == 0:
        ctx.leaves += 1
    bound = max(alpha, best)
    best_move = NO_MOVE

    # 3. The moves: noisy ones, then quiet threats.
    by_key = HAS_MOVE_KEY and switches.game_order != 0
    if by_key and KEYS_NOTED:
        bring_notes(ctx, ply)
    forcing = HAS_FORCING_MOVES and not urgent and left > switches.quiescence_plies - switches.forcing_plies and room
    for quiet in range(2 if forcing else 1):
        if quiet == 1:
            if best >= beta:
                break
            n = np.int64(forcing_moves(s, moves, w))
        frame.count = n
        if by_key:
            for i in range(n):
                move = np.int64(moves[i])
                keys[i] = np.int64(move_key(s, move, w, frame.note)) + (1 << 30 if move == hint else 0)
        for i in range(n):
            if by_key:
                bring_best(ctx, first, i, n)
            move = np.int64(moves[i])
            # What cannot lift the estimate above the window, or loses material, is not followed.
            if HAS_GAINS and not urgent:
                lacking = bound - guess - switches.delta_margin if switches.delta_margin > 0 and quiet == 0 else 0
                if not gains(s, move, max(np.int64(lacking), np.int64(0)), w):
                    if lacking > 0:
                        best = max(best, bound)  # all that is known is that it does not lift the value above the window
                    continue
            descend(ctx, ply, move, table)
            same = not ALTERNATE and side_to_move(ctx.frames[ply + 1].state, w) == side_to_move(s, w)
            a, b = (bound, beta) if same else (-beta, -bound)
            ctx.nodes += 1
            if gives_up(ctx):
                return np.int64(0)
            if ctx.logging != 0:
                write_log(table, ctx, LOG_ENTER, move, a, b)
            value = quiesce(a, b, left - 1, ply + 1, ctx, table)
            if ctx.aborted != 0:
                return np.int64(0)
            if ctx.logging != 0:
                write_log(table, ctx, LOG_LEAVE, ctx.reason, value, 0)
            if not same:
                value = -value
            if value > best:
                best = value
                best_move = move
                if best > bound and beta - alpha > 1:
                    take_line(ctx, ply, move)
                if best >= beta:
                    break
                bound = max(bound, best)
    if remember and best_move != NO_MOVE and shallow:
        what = LOWER if best >= beta else EXACT if best > alpha else UPPER
        store(table, ctx.slots, key, pack(seen_from_here(best, ply, ctx), np.int64(0), what, ctx.age, best_move, 0))
    ctx.reason = BY_QUIESCENCE if switches.quiescence_plies > 0 and HAS_NOISY_MOVES else BY_SEARCH
    return best


def estimate(ply: Any, ctx: Any) -> Any:
    """The value of a leaf without quiescence: the points where the game is over, else the estimate."""
    w = weights_of(ctx)
    frame = ctx.frames[ply]
    frame.length = 0
    if is_over(frame.state, list_at(ctx, MOVES, frame.first), w):
        return end_value(frame.state, ply, ctx)
    ctx.leaves += 1
    ctx.reason = BY_SEARCH
    ctx.horizon += 1
    return judge(ply, ctx)


def last_ply(alpha: Any, beta: Any, ply: Any, n: Any, ordered: Any, ctx: Any) -> Any:
    """The best value of a state whose `n` moves all lead to leaves, and the place of the move that reaches it.

    There must be room for the moves of a child.
    """
    w = weights_of(ctx)
    frame, child = ctx.frames[ply], ctx.frames[ply + 1]
    s, moves = frame.state, list_at(ctx, MOVES, frame.first)
    child.first = frame.first + n
    wide = beta - alpha > 1 or ctx.switches.driver == MTDF
    ctx.reached = max(ctx.reached, ply + 1)
    best = np.int64(-INFINITE)
    place = np.int64(0)
    for i in range(n):
        if ordered:
            pick(ctx, ply, i, n)
        child.state = s
        play(child.state, moves[i], w)
        if HAS_NOTE_FRESH:
            child.move = moves[i]
            child.noted = 0
        ctx.nodes += 1
        value = estimate(ply + 1, ctx)
        if ALTERNATE or side_to_move(child.state, w) != side_to_move(s, w):
            value = -value
        if value > best:
            best = value
            place = np.int64(i)
            if wide and (best > alpha or i == 0):
                take_line(ctx, ply, moves[i])
            if best >= beta:
                break
            alpha = max(alpha, best)
    return best, place
