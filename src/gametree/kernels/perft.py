"""Perft: how many lines of play of a given length there are, the standard test of a move generator."""

from __future__ import annotations

from typing import Any

import numpy as np

from gametree.core.errors import BadInput
from gametree.kernels.compiled_game import CompiledGame
from gametree.kernels.verbs import legal_moves, play, struct

__all__ = ["perft"]


def count_lines(frames: Any, ply: Any, depth: Any, ended: Any) -> Any:
    """The number of lines of `depth` plies from the state in frame `ply`; a game that ends sooner counts `ended`."""
    s = frames[ply].state
    moves = frames[ply].moves
    if depth <= 0:
        return np.int64(1)
    n = legal_moves(s, moves)
    if n == 0:
        return np.int64(ended)
    if depth == 1:
        return np.int64(n)
    total = np.int64(0)
    for i in range(n):
        frames[ply + 1].state = s
        play(frames[ply + 1].state, moves[i])
        total += count_lines(frames, np.int64(ply + 1), np.int64(depth - 1), ended)
    return total


def count_all(frames: Any, depth: Any, ended: Any) -> Any:
    """The number of lines from the first frame."""
    return count_lines(frames, np.int64(0), np.int64(depth), np.int64(ended))


def perft(game: CompiledGame, state: bytes | None = None, *, depth: int, ended: bool | None = None) -> int:
    """Lines of play of `depth` plies from `state`.

    `ended` says whether a game that ends sooner counts as one line; None follows the custom of the game.
    """
    if depth < 0:
        raise BadInput(f"A perft depth of {depth} is not possible; expected 0 or more.")
    rules = game.rules
    frame = struct(state=rules.state_type, moves=("i8", rules.constants["MOST_MOVES"]))
    frames = np.zeros(depth + 1, frame)
    frames[0].state = game.struct(game.initial() if state is None else state)
    return int(rules.kernel(count_all)(frames, depth, int(game.perft_counts_ended if ended is None else ended)))
