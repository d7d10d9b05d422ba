"""What is compiled of beliefs: stepping boards by a word, and judging tries on them."""

from __future__ import annotations

from math import log
from typing import Any

import numpy as np

from gametree.kernels.bits import u64
from gametree.kernels.hashing import more_bits
from gametree.kernels.verbs import (
    HAS_NOISY_MOVES,
    MOST_MOVES,
    SIDE_OF,
    UNIT,
    State,
    evaluate,
    hash_state,
    heard,
    hide,
    is_over,
    legal_moves,
    noisy_moves,
    note_fresh,
    play,
    player,
    priors,
    side_to_move,
    utility,
)

__all__ = ["judge", "step", "view_keys"]

REFUSED = -1.0e30
"""Stands in the table of `judge` where a try is refused."""


def uniform(bits: Any, number: Any) -> Any:
    """A number above 0 and up to 1."""
    return (np.float64(more_bits(bits, number) >> u64(11)) + 1.0) * 2.0**-53


def find(table: Any, keys: Any, key: Any) -> Any:
    """The place in `table` of the state with this key, or the free place for it."""
    mask = table.shape[0] - 1
    place = np.int64(key >> u64(20)) & mask
    while table[place] != 0 and keys[table[place] - 1] != key:
        place = (place + 1) & mask
    return place


def view_key(s: Any, seat: Any, scratch: Any, w: Any) -> Any:
    """The hash of what a seat sees."""
    scratch[0] = s
    hide(scratch[0], seat, w)
    return hash_state(scratch[0], w)


def view_keys(states: Any, seat: Any, out: Any, weights: Any) -> None:
    """The hash of what the seat sees of every state."""
    scratch = np.zeros(1, State)
    for i in range(states.shape[0]):
        out[i] = view_key(states[i], seat, scratch, weights[0])


def step(
    states: Any,
    odds: Any,
    order: Any,
    out: Any,
    found: Any,
    keys: Any,
    table: Any,
    seat: Any,
    word: Any,
    children: Any,
    bits: Any,
    weights: Any,
    notes: Any,
) -> Any:
    """Write into `out` the states that a move with this word for the seat leads to, and what each is worth in `found`.

    Returns how many, or −1 if there is no room for all. States that `hash_state` takes for one are one, with the sum of
    their weights. `order` lists the states to be stepped. Of each state all moves are followed, or where `children` is
    above 0 some, drawn by their priors, until so many fit. A move is as likely as its prior among those that the other
    could have made. A move after which the same seat moves on and nothing that the seat sees has changed (a try that
    was refused) leaves the state as it is.
    """
    w, note = weights[0], notes[0]
    moves = np.empty(MOST_MOVES, np.int64)
    likely = np.empty(MOST_MOVES, np.float64)
    sorted_by = np.empty(MOST_MOVES, np.float64)
    after, scratch = np.zeros(1, State), np.zeros(1, State)
    t = after[0]
    count = np.int64(0)
    own = np.int64(-1)  # the seat's own move, which the word tells
    for place in range(order.shape[0]):
        s = states[order[place]]
        mover = np.int64(player(s, w))
        n = np.int64(legal_moves(s, moves, w))
        first = count
        fitting, possible = 0.0, 0.0
        if mover == seat:
            for i in range(n):
                m = moves[i]
                if own >= 0 and m != own:
                    continue
                after[0] = s
                play(t, m, w)
                if np.int64(heard(s, m, t, seat, w)) != word:
                    continue
                own = m
                if count >= out.shape[0]:
                    return np.int64(-1)
                out[count] = t
                found[count] = odds[order[place]]
                count += 1
                break
        else:
            note_fresh(s, note, w)
            priors(s, moves, n, likely, w, note)
            if children > 0:
                for i in range(n):
                    sorted_by[i] = -log(uniform(bits, place * 512 + i)) / max(likely[i], 1e-9)
            taken = 0
            for i in range(n):
                if children > 0:
                    best = i
                    for j in range(i + 1, n):
                        if sorted_by[j] < sorted_by[best]:
                            best = j
                    sorted_by[i], sorted_by[best] = sorted_by[best], sorted_by[i]
                    moves[i], moves[best] = moves[best], moves[i]
                    likely[i], likely[best] = likely[best], likely[i]
                m = moves[i]
                after[0] = s
                play(t, m, w)
                told = np.int64(heard(s, m, t, seat, w))
                if told == 0:
                    continue
                possible += likely[i]
                if told != word:
                    continue
                fitting += likely[i]
                if count >= out.shape[0]:
                    return np.int64(-1)
                if np.int64(player(t, w)) == mover and view_key(t, seat, scratch, w) == view_key(s, seat, scratch, w):
                    out[count] = s
                    found[count] = 1.0
                    count += 1
                    break
                out[count] = t
                found[count] = likely[i]
                count += 1
                taken += 1
                if taken == children:
                    break
            for i in range(first, count):
                share = found[i] / fitting if children > 0 else found[i]
                scale = fitting / possible if children > 0 else 1.0 / possible
                found[i] = odds[order[place]] * share * scale
        # States that are there already only add their weight.
        kept = first
        for i in range(first, count):
            key = hash_state(out[i], w)
            slot = find(table, keys, key)
            if table[slot] != 0:
                found[table[slot] - 1] += found[i]
                continue
            if kept != i:
                out[kept] = out[i]
                found[kept] = found[i]
            keys[kept] = key
            table[slot] = kept + 1
            kept += 1
        count = kept
    return count


def points(s: Any, seat: Any, w: Any) -> Any:
    """What the end of a game is worth to the seat, in units."""
    value = np.float64(utility(s, w)) * UNIT
    return value if np.int64(side_to_move(s, w)) == SIDE_OF[seat] else -value


def settled(s: Any, moves: Any, after: Any, w: Any, note: Any) -> Any:
    """What a state is worth to the side to move, which may take back, in units."""
    note_fresh(s, note, w)
    value = np.float64(evaluate(s, w, note))
    if HAS_NOISY_MOVES:
        for i in range(np.int64(noisy_moves(s, moves, w))):
            after[0] = s
            play(after[0], moves[i], w)
            note_fresh(after[0], note, w)
            value = max(value, -np.float64(evaluate(after[0], w, note)))
    return value


def judge(
    states: Any,
    tries: Any,
    seat: Any,
    caution: Any,
    first: Any,
    out: Any,
    weights: Any,
    notes: Any,
) -> None:
    """What every try is worth on every state, in units for the seat: out[try, state], or REFUSED.

    It is a mean over the other's replies by their priors, after each of which the seat may take back, and `caution` of
    the worst of them. States before `first` are left out.
    """
    w, note = weights[0], notes[0]
    replies = np.empty(MOST_MOVES, np.int64)
    likely = np.empty(MOST_MOVES, np.float64)
    scratch = np.empty(MOST_MOVES, np.int64)
    after, reply, taking = np.zeros(1, State), np.zeros(1, State), np.zeros(1, State)
    t, u = after[0], reply[0]
    for p in range(first, states.shape[0]):
        s = states[p]
        for k in range(tries.shape[0]):
            after[0] = s
            play(t, tries[k], w)
            if is_over(t, scratch, w):
                out[k, p] = points(t, seat, w)
                continue
            mover = np.int64(player(t, w))
            if mover == seat:
                out[k, p] = REFUSED
                continue
            n = np.int64(legal_moves(t, replies, w))
            note_fresh(t, note, w)
            priors(t, replies, n, likely, w, note)
            total, mean, worst = 0.0, 0.0, 1e30
            for i in range(n):
                reply[0] = t
                play(u, replies[i], w)
                if is_over(u, scratch, w):
                    value = points(u, seat, w)
                elif np.int64(player(u, w)) == mover:
                    continue  # refused
                else:
                    value = settled(u, scratch, taking, w, note)
                total += likely[i]
                mean += likely[i] * value
                worst = min(worst, value)
            out[k, p] = (1.0 - caution) * mean / total + caution * worst if total > 0.0 else 0.0
