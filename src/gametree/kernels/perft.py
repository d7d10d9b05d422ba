"""Perft: how many lines of play of a given length there are, the standard test of a move generator."""

from __future__ import annotations

from typing import Any

import numpy as np

from gametree.core.errors import BadInput
from gametree.kernels.compiled_game import CompiledGame
from gametree.kernels.past import begin_line, enter_position, open_past, past_type, strike
from gametree.kernels.verbs import FORBIDS_REPETITION, HAS_REPETITION_KEY, legal_moves, play

__all__ = ["perft"]


def count_lines(states: Any, past: Any, stack: Any, ply: Any, first: Any, depth: Any, ended: Any, weights: Any) -> Any:
    """The number of lines of `depth` plies from states[ply]; a game that ends sooner counts `ended`.

    Moves are listed in the stack from `first` on. Those that a rule on repetition forbids do not count; draws by
    repetition do not end a line, as is the custom.
    """
    s = states[ply]
    moves = stack[first:]
    if depth <= 0:
        return np.int64(1)
    w = weights[0]
    n = legal_moves(s, moves, w)
    strict = HAS_REPETITION_KEY and FORBIDS_REPETITION
    if strict:
        n = strike(past[0], s, moves, n, w)
    if n == 0:
        return np.int64(ended)
    if depth == 1:
        return np.int64(n)
    total = np.int64(0)
    for i in range(n):
        states[ply + 1] = s
        play(states[ply + 1], moves[i], w)
        if strict:
            enter_position(past[0], states[ply + 1], w)
        below, free = np.int64(ply + 1), np.int64(first + n)
        total += count_lines(states, past, stack, below, free, np.int64(depth - 1), ended, weights)
        if strict:
            past[0].count -= 1
    return total


def count_all(states: Any, past: Any, stack: Any, depth: Any, ended: Any, weights: Any) -> Any:
    """The number of lines from the first state."""
    if HAS_REPETITION_KEY:
        begin_line(past[0])
    return count_lines(states, past, stack, np.int64(0), np.int64(0), np.int64(depth), np.int64(ended), weights)


def perft(game: CompiledGame, state: bytes | None = None, *, depth: int, ended: bool | None = None) -> int:
    """Lines of play of `depth` plies from `state`.

    `ended` says whether a game that ends sooner counts as one line; None follows the custom of the game.
    """
    if depth < 0:
        raise BadInput(f"A perft depth of {depth} is not possible; expected 0 or more.")
    rules = game.rules
    state = game.initial() if state is None else state
    states = np.zeros(depth + 1, rules.state_type)
    states[0] = game.struct(state)
    stack = np.empty(max(1, depth) * rules.constants["MOST_MOVES"], np.int64)
    past = np.zeros(1, past_type(rules.constants["HAS_REPETITION_KEY"], game.facts.longest_game))
    open_past(past[0], [*game.past(state), game.key(state)])
    counted = int(game.perft_counts_ended if ended is None else ended)
    return int(rules.kernel(count_all)(states, past, stack, depth, counted, game.w))
