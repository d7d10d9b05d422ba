"""In which order the engine looks at moves, and what it learns about that.

A move's key is its zone plus what is known about it within the zone:

    the best move of an earlier search · noisy moves that gain · killers · counter move · quiet moves by history ·
    noisy moves that lose

Whether a noisy move gains is asked only when its turn comes. Histories are numbers within ± MOST_HISTORY: a cut-off
pulls the number of its move up and those of the moves tried in vain before it down, the less the farther they are off.
With `feedback` they also learn where no move of the state itself has cut off: about the quiet move that led to it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from gametree.kernels.verbs import (
    ALTERNATE,
    HAS_CHILD_KEY,
    HAS_GAINS,
    HAS_IS_NOISY,
    HAS_MOVE_CLASS,
    HAS_MOVE_KEY,
    KEYS_NOTED,
    child_key,
    gains,
    is_noisy,
    move_class,
    move_key,
    note_fresh,
    note_move,
    play,
    side_to_move,
    weights_of,
)
from gametree.search.compiled.engine.context import KEYS, LAGS, MOVES, SEARCHED, SLOTS
from gametree.search.support.move_stack import list_at

__all__ = [
    "NO_MOVE",
    "bring_best",
    "bring_notes",
    "is_put_off",
    "learn",
    "learn_from_child",
    "learn_from_estimates",
    "learn_from_table",
    "order_moves",
    "pick",
    "quiet_history",
]

NO_MOVE = np.int64(-1)
MOST_HISTORY = 16384

_HINT = 1 << 60
_GAINS = 1 << 50
_KILLER = 1 << 42
_COUNTER = 1 << 40
_KEY = 1 << 20  # the game's own keys go before history
_PUT_OFF = 1 << 51


def quiet_history(ctx: Any, side: Any, ply: Any, move: Any) -> Any:
    """How well a move did elsewhere, as an answer to the last move, and after own moves before."""
    switches = ctx.switches
    found = np.int64(0)
    if switches.history != 0:
        found += ctx.history[side, move & (SLOTS - 1)]
    if HAS_MOVE_CLASS and switches.follow_up != 0:
        kind = np.int64(move_class(move))
        for i in range(len(LAGS)):
            if ply > LAGS[i] and ctx.frames[ply - LAGS[i]].move >= 0:
                found += ctx.follow_up[i, ctx.frames[ply - LAGS[i]].kind, kind]
    return found


def order_moves(ctx: Any, ply: Any, n: Any, side: Any, hint: Any, depth: Any) -> None:
    """Give each of the first `n` moves of the frame its key."""
    w = weights_of(ctx)
    frame, switches = ctx.frames[ply], ctx.switches
    s = frame.state
    by_game = switches.game_order != 0
    if by_game and KEYS_NOTED:
        bring_notes(ctx, ply)
    moves, keys = list_at(ctx, MOVES, frame.first), list_at(ctx, KEYS, frame.first)
    counter = np.int64(0)
    if switches.counter_moves != 0 and frame.move >= 0:
        counter = ctx.counters[side, frame.move & (SLOTS - 1)]
    for i in range(n):
        move = np.int64(moves[i])
        key = np.int64(0)
        if by_game and HAS_MOVE_KEY:
            key += np.int64(move_key(s, move, w, frame.note))
        if by_game and HAS_CHILD_KEY and depth > 1:
            ctx.frames[ply + 1].state = s
            play(ctx.frames[ply + 1].state, move, w)
            key += np.int64(child_key(ctx.frames[ply + 1].state, w))
        key *= _KEY
        if move == hint:
            key += _HINT
        elif by_game and HAS_IS_NOISY and is_noisy(s, move, w):
            key += _GAINS
        else:
            key += quiet_history(ctx, side, ply, move)
            if counter == move + 1:
                key += _COUNTER
            if switches.killers != 0:
                if frame.killers[0] == move + 1:
                    key += _KILLER
                elif frame.killers[1] == move + 1:
                    key += _KILLER // 2
        keys[i] = key


def bring_notes(ctx: Any, ply: Any) -> None:
    """Bring the notes of frame `ply` up to date, from the nearest frame before it that has them.

    Only when an estimate asks for them: most states of a search are left without one.
    """
    w = weights_of(ctx)
    start = np.int64(ply)
    while start > 0 and ctx.frames[start].noted == 0:
        start -= 1
    if ctx.frames[start].noted == 0:
        note_fresh(ctx.frames[start].state, ctx.frames[start].note, w)
        ctx.frames[start].noted = 1
    for i in range(start + 1, ply + 1):
        before, frame = ctx.frames[i - 1], ctx.frames[i]
        note_move(before.state, np.int64(frame.move), frame.state, before.note, frame.note, w)
        frame.noted = 1


def bring_best(ctx: Any, first: Any, i: Any, n: Any) -> None:
    """Put the move with the highest key of places i … n − 1 of the list that begins at `first` at place i."""
    moves, keys = list_at(ctx, MOVES, first), list_at(ctx, KEYS, first)
    best = i
    for j in range(i + 1, n):
        if keys[j] > keys[best]:
            best = j
    if best != i:
        keys[i], keys[best] = keys[best], keys[i]
        moves[i], moves[best] = moves[best], moves[i]


def pick(ctx: Any, ply: Any, i: Any, n: Any) -> None:
    """Bring the next move of frame `ply` to place i. Noisy moves whose turn comes and that lose material are put off to
    the end."""
    frame = ctx.frames[ply]
    first = np.int64(frame.first)
    bring_best(ctx, first, i, n)
    if HAS_GAINS:
        w = weights_of(ctx)
        moves, keys = list_at(ctx, MOVES, first), list_at(ctx, KEYS, first)
        while _GAINS // 2 < keys[i] < _HINT // 2 and not gains(frame.state, np.int64(moves[i]), 0, w):
            keys[i] -= _PUT_OFF
            bring_best(ctx, first, i, n)


def is_put_off(ctx: Any, first: Any, i: Any) -> Any:
    """Whether the move at place i of the list is a noisy one that was put off."""
    return list_at(ctx, KEYS, first)[i] < -_GAINS // 2


def learn(ctx: Any, ply: Any, side: Any, move: Any, searched: Any, depth: Any) -> None:
    """A quiet move has caused a cut-off after the first `searched` moves that were searched had failed to."""
    w = weights_of(ctx)
    frame = ctx.frames[ply]
    if frame.killers[0] != move + 1:
        frame.killers[1] = frame.killers[0]
        frame.killers[0] = move + 1
    if frame.move >= 0:
        ctx.counters[side, frame.move & (SLOTS - 1)] = move + 1
    bonus = bonus_of(depth)
    adjust(ctx, ply, side, move, bonus)
    tried = list_at(ctx, SEARCHED, frame.first)
    for i in range(searched):
        other = np.int64(tried[i])
        if not (HAS_IS_NOISY and is_noisy(frame.state, other, w)):
            adjust(ctx, ply, side, other, -bonus)


def is_after_quiet_move(ctx: Any, ply: Any) -> Any:
    """Whether a quiet move of the other side has led to the state in frame `ply`: none that was noisy, and no pass."""
    w = weights_of(ctx)
    move = np.int64(ctx.frames[ply].move)
    if ply == 0 or move < 0:
        return False
    before = ctx.frames[ply - 1].state
    if not ALTERNATE and side_to_move(before, w) == side_to_move(ctx.frames[ply].state, w):
        return False
    return not (HAS_IS_NOISY and is_noisy(before, move, w))


def learn_from_table(ctx: Any, ply: Any, side: Any, move: Any, depth: Any) -> None:
    """The table says that a move beats the window."""
    w = weights_of(ctx)
    if move != NO_MOVE and not (HAS_IS_NOISY and is_noisy(ctx.frames[ply].state, move, w)):
        adjust(ctx, ply, side, move, bonus_of(depth))


def learn_from_estimates(ctx: Any, ply: Any, side: Any, before: Any, after: Any) -> None:
    """A move has changed the estimates: `before` it for its mover, `after` it for the other `side`, who is to move."""
    if is_after_quiet_move(ctx, ply):
        better = ctx.switches.feedback - before - after
        bonus = min(max(20 * better, np.int64(-1500)), np.int64(1500))
        adjust_history(ctx, 1 - side, np.int64(ctx.frames[ply].move), bonus)


def learn_from_child(ctx: Any, ply: Any, side: Any, refuted: Any, depth: Any) -> None:
    """The state in frame `ply`, where `side` is to move, is worth so much that the move to it is refuted, or so little
    that it is good. It is no news that a late move is refuted."""
    frame = ctx.frames[ply]
    if not is_after_quiet_move(ctx, ply):
        return
    if not refuted:
        adjust(ctx, ply - 1, 1 - side, np.int64(frame.move), bonus_of(depth))
    elif frame.place == 0:
        adjust_follow_up(ctx, ply - 1, np.int64(frame.move), -bonus_of(depth))


def bonus_of(depth: Any) -> Any:
    """How much a search of this depth teaches."""
    return min(16 * depth * depth + 300 * depth - 200, np.int64(2400))


def adjust(ctx: Any, ply: Any, side: Any, move: Any, bonus: Any) -> None:
    """Move all histories of a move of frame `ply` towards the bonus."""
    adjust_history(ctx, side, move, bonus)
    adjust_follow_up(ctx, ply, move, bonus)


def adjust_history(ctx: Any, side: Any, move: Any, bonus: Any) -> None:
    """Move the history of a move towards the bonus, wherever it is played."""
    slot = move & (SLOTS - 1)
    old = np.int64(ctx.history[side, slot])
    ctx.history[side, slot] = old + bonus - old * abs(bonus) // MOST_HISTORY


def adjust_follow_up(ctx: Any, ply: Any, move: Any, bonus: Any) -> None:
    """Move the histories of a move of frame `ply` after the moves before it towards the bonus."""
    if HAS_MOVE_CLASS:
        kind = np.int64(move_class(move))
        for i in range(len(LAGS)):
            if ply > LAGS[i] and ctx.frames[ply - LAGS[i]].move >= 0:
                before = ctx.frames[ply - LAGS[i]].kind
                old = np.int64(ctx.follow_up[i, before, kind])
                ctx.follow_up[i, before, kind] = old + bonus - old * abs(bonus) // MOST_HISTORY
