"""In which order the engine looks at moves, and what it learns about that.

A move's key is its zone plus what is known about it within the zone:

    the best move of an earlier search · noisy moves that gain · killers · counter move · quiet moves by history ·
    noisy moves that lose

Whether a noisy move gains is asked only when its turn comes. Histories are numbers within ± MOST_HISTORY: a cut-off
pulls the number of its move up and those of the moves tried in vain before it down, the less the farther they are off.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from gametree.kernels.verbs import (
    HAS_CHILD_KEY,
    HAS_GAINS,
    HAS_IS_NOISY,
    HAS_MOVE_CLASS,
    HAS_MOVE_KEY,
    child_key,
    gains,
    is_noisy,
    move_class,
    move_key,
    play,
)
from gametree.search.engine.context import SLOTS

__all__ = ["NO_MOVE", "bring_best", "is_put_off", "learn", "order_moves", "pick", "quiet_history"]

NO_MOVE = np.int64(-1)
MOST_HISTORY = 16384

_HINT = 1 << 60
_GAINS = 1 << 50
_KILLER = 1 << 42
_COUNTER = 1 << 40
_KEY = 1 << 20  # the game's own keys go before history
_PUT_OFF = 1 << 51


def quiet_history(ctx: Any, side: Any, ply: Any, move: Any) -> Any:
    """How well a move did elsewhere, and as an answer to the last move and to the own move before."""
    switches = ctx.switches
    found = np.int64(0)
    if switches.history != 0:
        found += ctx.history[side, move & (SLOTS - 1)]
    if HAS_MOVE_CLASS and switches.follow_up != 0:
        kind = np.int64(move_class(move))
        for back in range(2):
            if ply > back and ctx.frames[ply - back].move >= 0:
                found += ctx.follow_up[back, ctx.frames[ply - back].kind, kind]
    return found


def order_moves(ctx: Any, ply: Any, n: Any, side: Any, hint: Any, depth: Any) -> None:
    """Give each of the first `n` moves of the frame its key."""
    frame, switches = ctx.frames[ply], ctx.switches
    s = frame.state
    by_game = switches.game_order != 0
    counter = np.int64(0)
    if switches.counter_moves != 0 and frame.move >= 0:
        counter = ctx.counters[side, frame.move & (SLOTS - 1)]
    for i in range(n):
        move = np.int64(frame.moves[i])
        key = np.int64(0)
        if by_game and HAS_MOVE_KEY:
            key += np.int64(move_key(s, move))
        if by_game and HAS_CHILD_KEY and depth > 1:
            ctx.frames[ply + 1].state = s
            play(ctx.frames[ply + 1].state, move)
            key += np.int64(child_key(ctx.frames[ply + 1].state))
        key *= _KEY
        if move == hint:
            key += _HINT
        elif by_game and HAS_IS_NOISY and is_noisy(s, move):
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
        frame.keys[i] = key


def bring_best(frame: Any, i: Any, n: Any) -> None:
    """Put the move with the highest key of places i … n − 1 at place i."""
    moves, keys = frame.moves, frame.keys
    best = i
    for j in range(i + 1, n):
        if keys[j] > keys[best]:
            best = j
    if best != i:
        keys[i], keys[best] = keys[best], keys[i]
        moves[i], moves[best] = moves[best], moves[i]


def pick(frame: Any, i: Any, n: Any) -> None:
    """Bring the next move to place i. Noisy moves whose turn comes and that lose material are put off to the end."""
    bring_best(frame, i, n)
    if HAS_GAINS:
        while _GAINS // 2 < frame.keys[i] < _HINT // 2 and not gains(frame.state, np.int64(frame.moves[i]), 0):
            frame.keys[i] -= _PUT_OFF
            bring_best(frame, i, n)


def is_put_off(frame: Any, i: Any) -> Any:
    """Whether the move at place i is a noisy one that was put off."""
    return frame.keys[i] < -_GAINS // 2


def learn(ctx: Any, ply: Any, side: Any, move: Any, searched: Any, depth: Any) -> None:
    """A quiet move has caused a cut-off after the first `searched` moves that were searched had failed to."""
    frame = ctx.frames[ply]
    if frame.killers[0] != move + 1:
        frame.killers[1] = frame.killers[0]
        frame.killers[0] = move + 1
    if frame.move >= 0:
        ctx.counters[side, frame.move & (SLOTS - 1)] = move + 1
    bonus = min(16 * depth * depth + 300 * depth - 200, np.int64(2400))
    adjust(ctx, ply, side, move, bonus)
    for i in range(searched):
        other = np.int64(frame.searched[i])
        if not (HAS_IS_NOISY and is_noisy(frame.state, other)):
            adjust(ctx, ply, side, other, -bonus)


def adjust(ctx: Any, ply: Any, side: Any, move: Any, bonus: Any) -> None:
    """Move all histories of a move towards the bonus."""
    slot = move & (SLOTS - 1)
    size = abs(bonus)
    old = np.int64(ctx.history[side, slot])
    ctx.history[side, slot] = old + bonus - old * size // MOST_HISTORY
    if HAS_MOVE_CLASS:
        kind = np.int64(move_class(move))
        for back in range(2):
            if ply > back and ctx.frames[ply - back].move >= 0:
                before = ctx.frames[ply - back].kind
                old = np.int64(ctx.follow_up[back, before, kind])
                ctx.follow_up[back, before, kind] = old + bonus - old * size // MOST_HISTORY
