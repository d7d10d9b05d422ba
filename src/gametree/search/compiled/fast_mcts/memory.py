"""What fast-mcts keeps: the nodes of the tree, what threads share, what each thread has for itself.

The children of a node stand in blocks of 64, 128, 256, … nodes; the next block is made when the last one is used up, so
that 20,000 moves cost no more than the visits that they get. Behind a block that is not the last one stands a link: a
node whose `first` is the next block.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from gametree.kernels.past import past_type
from gametree.kernels.verbs import Rules, struct

__all__ = [
    "BLOCK",
    "BUSY",
    "FULL",
    "LINK",
    "LONGEST_PATH",
    "LONGEST_PLAYOUT",
    "NEW",
    "OVER",
    "OWN_PLAYOUTS",
    "PARANOID",
    "PRIMED",
    "PRIORS",
    "RAVE",
    "SEVERAL",
    "SHARED",
    "SLOTS",
    "SOLVER",
    "UNBOUNDED",
    "WIDEST_BOUND",
    "Hindsight",
    "Node",
    "block_start",
    "child_at",
    "context_type",
    "trunk_type",
]

LONGEST_PLAYOUT = 100_000
"""Random play that is not over after so many plies is taken for play that never ends."""
LONGEST_PATH = 2_000
"""No simulation goes deeper than this inside the tree."""
SLOTS = 1 << 14
"""RAVE tells moves apart by their number modulo this."""
WIDEST_BOUND = 32_000
"""Bounds are 16-bit numbers: the solver needs utilities within ± this."""

NEW, OVER, FULL, BUSY = 0, -1, -2, -3
"""`first` of a node without children: not grown yet; the game is over; there was no room; a thread is growing it."""
LINK = -2
"""`move` of a link."""
UNBOUNDED = 1 << 30
"""`count` of a chance node whose outcomes cannot be listed: there may always be one more."""

Node = struct(
    total="f8",  # rewards of the seat that moved here (seat 0 below chance nodes and at the root)
    visits="i4",
    first="i4",  # the first block of children, or why there is none
    move="i4",  # below an unbounded chance node: a number from which the outcome is drawn
    count="i4",  # children that there are or will be
    tried="i4",  # children that were handed out to simulations
    low="i2",  # the value for side 0 is at least this
    high="i2",
)
Hindsight = struct(total="f8", visits="i4")

# Switches, re-bound for every combination that is used.
SOLVER = RAVE = SHARED = OWN_PLAYOUTS = PRIORS = PRIMED = PARANOID = SEVERAL = False
BLOCK = 64
"""Children in the first block. RAVE looks at moves before they are tried, so its blocks are larger."""


def trunk_type(rules: Rules) -> Any:
    """What all threads share beside the tree."""
    return struct(begun="i8", used="i8", seat="i8", root=rules.state_type, note=rules.note_type)


def context_type(rules: Rules, longest_game: int | None, *, rave: bool, path: int = LONGEST_PATH) -> Any:
    """What each thread has for itself."""
    most_moves, seats = rules.constants["MOST_MOVES"], rules.constants["SEATS"]
    return struct(
        weights_at="u8",
        stop="i8",
        nodes="i8",
        simulations="i8",
        deepest="i8",
        failed="i8",  # 1 if a playout did not end
        full="i8",  # 1 if a node found no room for its children
        random="u8",
        depth="i8",  # plies of a playout before EVAL; −1: none
        plies="i8",  # of the last playout; −1 if EVAL ended it
        loss="i8",  # visits that a simulation counts on its way down
        exploration="f8",
        rave="f8",
        prior="f8",  # imagined games that a move begins with, for RAVE
        grow_after="i8",  # visits before a node gets children
        puct="f8",
        widening="f8",
        least="f8",
        width="f8",
        state=rules.state_type,
        before=rules.state_type,  # the state before the last move, for the notes
        notes=(rules.note_type, 2),
        turn="i8",  # which of the notes is that of the state
        past=past_type(rules.constants["HAS_REPETITION_KEY"], longest_game),
        moves=("i8", most_moves),
        odds=("f8", most_moves),
        order=("i8", most_moves),
        payoffs=("i8", seats),
        points=("f8", seats),  # what the simulation came to for every seat
        rewards=("f8", seats),  # the same from 0 to 1
        path=("i4", path + 1),
        movers=("i1", path + 1),
        stamps=(
            "i8",
            seats * SLOTS if rave else 1,
        ),  # RAVE: number of the last simulation in which a seat played a move
    )


def block_start(place: Any) -> Any:
    """The place of the first child in the block that the child at `place` stands in."""
    start, size = np.int64(0), np.int64(BLOCK)
    while place >= start + size:
        start += size
        size *= 2
    return start


def child_at(tree: Any, first: Any, place: Any) -> Any:
    """The node that is the child at `place`, where `first` is the first block; −1 if its block is not there."""
    size = np.int64(BLOCK)
    while place >= size:
        first = np.int64(tree[first + size].first)
        if first <= 0:
            return np.int64(-1)
        place -= size
        size *= 2
    return np.int64(first + place)
