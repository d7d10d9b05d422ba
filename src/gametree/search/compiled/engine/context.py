"""What a thread of the engine works on: one record with its frames, switches, limits and findings."""

from __future__ import annotations

from typing import Any

from gametree.kernels.transposition import MAX_VALUE
from gametree.kernels.verbs import Rules, struct
from gametree.search.support import move_stack, probing

__all__ = [
    "CORRECTION_BITS",
    "DEFERRED",
    "INFINITE",
    "KEYS",
    "LAGS",
    "LINES",
    "MOVES",
    "PAST",
    "ROWS",
    "SEARCHED",
    "SLOTS",
    "context_type",
]

INFINITE = MAX_VALUE
LINES = 16
"""Most lines that multi-PV can give."""
SLOTS = 4096
"""Size of the history and counter-move tables; moves are folded onto it."""
LAGS = (0, 1, 3)
"""Follow-up history looks at the last move but so many: the enemy's last and the two own ones before."""
CORRECTION_BITS = 14
"""Structures are folded onto a table of corrections with this many bits of their key, the highest."""
ROWS = 4
MOVES, KEYS, SEARCHED, DEFERRED = range(ROWS)
"""The rows of the stack: moves and their keys; moves that were searched, in this order; moves that are looked at last
because other threads are searching them."""
PAST = 256
"""Most positions before the root whose keys are kept for the rule on repetition."""


def context_type(rules: Rules, plies: int) -> Any:
    """The record of one thread for a game, with this number of frames."""
    state, constants = rules.state_type, rules.constants
    classes = constants["MOVE_CLASSES"]
    repeats = constants["HAS_REPETITION_KEY"]
    frame = struct(
        state=state,
        note=rules.note_type,
        noted="i8",  # whether the notes are those of the state
        first="i8",  # where its lists of moves begin on the stack
        count="i8",  # how many moves there are in them
        killers=("i8", 2),
        place="i8",  # how many moves were searched before the one that led here
        excluded="i8",  # the move that a singular test leaves out
        move="i8",  # the move that led here
        kind="i8",  # its class
        urgent="i8",  # whether the mover is threatened
        estimate="i8",  # of the state; −INFINITE where none was made
        cut="i8",  # whether a cut-off is expected here
        reach="i8",  # plies back to which the position could be a repetition
        length="i8",  # of the best line from here
        line=("i4", plies),
    )
    found = struct(value="i8", depth="i8", length="i8", line=("i4", plies))
    switches = struct(
        iterative="i8",
        driver="i8",
        aspiration="i8",
        table="i8",
        deeper_entries="i8",
        symmetry_plies="i8",
        defer_depth="i8",
        sooner="i8",
        early_repetition="i8",
        previous_best="i8",
        killers="i8",
        counter_moves="i8",
        history="i8",
        follow_up="i8",
        feedback="i8",
        game_order="i8",
        correction="i8",
        quiescence_plies="i8",
        forcing_plies="i8",
        null_move="i8",
        null_growth="i8",
        verify_depth="i8",
        reduction_after="i8",
        reduction_depth="i8",
        reduction_scale="i8",
        internal_depth="i8",
        futility_margin="i8",
        razor_margin="i8",
        prune_after="i8",
        exchange_margin="i8",
        delta_margin="i8",
        singular_depth="i8",
        singular_margin="i8",
        extend_forced="i8",
        extend_urgent="i8",
        estimates="i8",  # whether any of these needs the estimate of inner states
        prunes="i8",  # whether any of these leaves out moves
    )
    return struct(
        weights_at="u8",  # where the weights lie; the engine keeps them alive
        **move_stack.FIELDS,
        **probing.FIELDS,
        stop="i8",  # set from outside: give up at once
        finish="i8",  # set from outside: begin no further depth
        aborted="i8",  # the stop was seen; values are meaningless from then on
        nodes="i8",
        leaves="i8",
        reached="i8",  # deepest ply
        next_check="i8",
        node_limit="i8",
        quiet_end="i8",  # from so many nodes on the running quiescence only takes estimates
        deadline="i8",  # give up when `monotonic_ns` says so
        depth_limit="i8",
        thread="i8",
        age="i8",
        slots="i8",  # entries of the array that are table
        sharing="i8",  # whether threads tell each other behind the table what they are searching
        horizon="i8",  # how many values so far rested on an estimate
        reason="i8",  # why the last node ended as it did
        logging="i8",
        logged="i8",
        window_low="i8",
        window_high="i8",
        switches=switches,
        image="i8",
        mirrored=state,
        root_hint="i8",
        partial="i8",  # how many lines of the running depth are finished
        done_depth="i8",
        proven="i8",
        wanted_lines="i8",
        lines=(found, LINES),  # of the last finished depth
        running=found,
        allowed_count="i8",  # so many moves at the bottom of the stack may be searched at the root; 0: all
        depth_log="i8",  # events in the log when the running depth began
        reductions=("i8", (64, 64)),  # by depth and number of moves searched before
        history=("i4", (2, SLOTS)),
        counters=("i8", (2, SLOTS)),
        follow_up=("i2", (len(LAGS), classes, classes)),  # by the class of the last move but LAGS, and of the move
        corrections=("i4", (2, 1 << CORRECTION_BITS)),  # by seat and structure
        path=("u8", PAST + plies if repeats else 1),  # repetition keys; the root's is at PAST
        frames=(frame, plies),
    )
