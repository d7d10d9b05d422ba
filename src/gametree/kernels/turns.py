"""Whole turns, where the same side moves several times: how many positions the other side can be given.

Lines that lead to the same position count once. They are told apart by `hash_state`, also within the turn, so that
what follows is not looked at again for every order of steps.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from gametree.core.errors import BadInput
from gametree.kernels.bits import ONE, ZERO, u64
from gametree.kernels.compiled_game import CompiledGame
from gametree.kernels.past import open_past, past_type, strike
from gametree.kernels.verbs import (
    FORBIDS_REPETITION,
    HAS_REPETITION_KEY,
    hash_state,
    legal_moves,
    play,
    side_to_move,
)

__all__ = ["distinct_turns"]

_SLOTS = 1 << 21
_MOST = _SLOTS // 2
"""More different positions, within a turn or at its end, are not counted."""
_MOST_MOVES = 32
"""Nor turns with more moves."""


def is_new(table: Any, key: Any) -> Any:
    """Whether the key was not in the table, where it is from now on."""
    word = key if key != ZERO else ONE
    place = np.int64(word & u64(table.shape[0] - 1))
    while table[place] != ZERO:
        if table[place] == word:
            return False
        place = (place + 1) & (table.shape[0] - 1)
    table[place] = word
    return True


def find_turns(
    states: Any, ends: Any, past: Any, stack: Any, ply: Any, first: Any, seen: Any, counts: Any, weights: Any
) -> None:
    """Walk all turns of states[0] from states[ply] on and write where they lead into `ends`, as far as there is room.

    `counts`: the ends; the positions within the turn; whether there were too many.
    """
    s, t = states[ply], states[ply + 1]
    w = weights[0]
    moves = stack[first:]
    n = legal_moves(s, moves, w)
    if HAS_REPETITION_KEY and FORBIDS_REPETITION and past[0].count > 1:
        n = strike(past[0], s, moves, n, w)
    for i in range(n):
        states[ply + 1] = s
        play(t, moves[i], w)
        inside = side_to_move(t, w) == side_to_move(states[0], w)
        if not is_new(seen, hash_state(t, w)):
            continue
        place = 1 if inside else 0
        counts[place] += 1
        if counts[0] + counts[1] >= _MOST or (inside and ply + 2 >= states.shape[0]):
            counts[2] = 1
        if counts[2] != 0:
            return
        if inside:
            deeper, free = np.int64(ply + 1), np.int64(first + n)
            find_turns(states, ends, past, stack, deeper, free, seen, counts, weights)
        elif counts[0] <= ends.shape[0]:
            ends[counts[0] - 1] = t


def distinct_turns(game: CompiledGame, state: bytes, *, depth: int = 1) -> int:
    """Lines of `depth` whole turns from `state`, where turns that lead to the same position are one.

    A turn goes on as long as the same side is to move. A game that ends sooner has no lines. Raises BadInput where one
    state has more turns than are counted.
    """
    if depth < 0:
        raise BadInput(f"A depth of {depth} turns is not possible; expected 0 or more.")
    return _count(game, state, depth)


def _count(game: CompiledGame, state: bytes, depth: int) -> int:
    if depth == 0:
        return 1
    if game.is_terminal(state):
        return 0
    rules = game.rules
    states = np.zeros(_MOST_MOVES, rules.state_type)
    states[0] = game.struct(state)
    ends = np.zeros(0 if depth == 1 else _MOST, rules.state_type)
    past = np.zeros(1, past_type(rules.constants["HAS_REPETITION_KEY"], game.facts.longest_game))
    keys = [*game.past(state), game.key(state)]
    open_past(past[0], keys)
    past["count"] = past["before"]
    stack = np.empty(_MOST_MOVES * rules.constants["MOST_MOVES"], np.int64)
    counts = np.zeros(3, np.int64)
    rules.kernel(find_turns)(states, ends, past, stack, 0, 0, np.zeros(_SLOTS, np.uint64), counts, game.w)
    if counts[2]:
        raise BadInput(f"'{game.state_text(state)}' allows more than {_MOST:,} turns, which are not counted.")
    if depth == 1:
        return int(counts[0])
    earlier = [key for key in keys if key]
    found = (game.with_past(game.pack(ends[i : i + 1]), earlier) for i in range(int(counts[0])))
    return sum(_count(game, end, depth - 1) for end in found)
