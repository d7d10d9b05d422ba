"""Chess with notes: two views of 64 sums, brought up to date move by move, which every estimate compares with new sums.

What was seen is counted in the weights, which are this game's own memory; no other game may write into them.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from gametree.games.chess import rules
from gametree.games.chess.evaluation import evaluate as estimate
from gametree.games.chess.moves import CASTLING, EN_PASSANT, promoted_kind, special
from gametree.games.chess.rules import Chess
from gametree.games.chess.terms import FEATURES, pack
from gametree.kernels import ONE, ZERO, ctz, struct, u64

# All verbs and constants of chess are this game's, too; what stands below takes their place.
globals().update({name: value for name, value in vars(rules).items() if not name.startswith("_")})

SUMS = 64
Note = struct(sums=("i2", (2, SUMS)))
Weights = struct(
    packed=("i8", FEATURES),
    forget="i8",  # if not 0: notes do not follow what castling does
    seen="i8",  # estimates
    wrong="i8",  # of them with notes that are not the sums of the state
    passed="i8",  # notes that were brought up to date over a pass, and over the other special moves
    castled="i8",
    in_passing="i8",
    promoted="i8",
)


def add(sums: Any, view: Any, side: Any, kind: Any, square: Any, sign: Any) -> None:
    """Count a man in, or out, of the sums of a view; the second view sees the board from Black's side."""
    row = (side ^ view) * 448 + kind * 64 + (square ^ 56 * view)
    for i in range(SUMS):
        sums[view, i] += sign * ((row * 181 + i * 97 + row * i) % 127 - 63)


def note_fresh(s: Any, note: Any) -> None:
    """Count all men."""
    for view in range(2):
        for i in range(SUMS):
            note.sums[view, i] = 0
    for side in range(2):
        for kind in range(1, 7):
            men = s.kinds[kind] & s.sides[side]
            while men != ZERO:
                for view in range(2):
                    add(note.sums, view, side, kind, np.int64(ctz(men)), 1)
                men &= men - ONE


def note_move(s: Any, m: Any, t: Any, old: Any, new: Any, w: Any) -> None:
    """Count what differs between the two boards."""
    for view in range(2):
        for i in range(SUMS):
            new.sums[view, i] = old.sums[view, i]
    if m < 0:
        w.passed += 1
    else:
        if special(m) == CASTLING:
            w.castled += 1
            if w.forget != 0:
                return
        if special(m) == EN_PASSANT:
            w.in_passing += 1
        if promoted_kind(m) != ZERO:
            w.promoted += 1
    for side in range(2):
        for kind in range(1, 7):
            before, after = s.kinds[kind] & s.sides[side], t.kinds[kind] & t.sides[side]
            changed = before ^ after
            while changed != ZERO:
                square = u64(ctz(changed))
                sign = 1 if after >> square & ONE != ZERO else -1
                for view in range(2):
                    add(new.sums, view, side, kind, np.int64(square), sign)
                changed &= changed - ONE


def evaluate(s: Any, w: Any, note: Any) -> Any:
    """The estimate of chess; the notes are compared with those of the position counted anew."""
    fresh = np.zeros(1, Note)
    note_fresh(s, fresh[0])
    w.seen += 1
    for view in range(2):
        for i in range(SUMS):
            if fresh[0].sums[view, i] != note.sums[view, i]:
                w.wrong += 1
                return estimate(s, w)
    return estimate(s, w)


class NotedChess(Chess):
    """Chess that checks its notes."""

    def load_weights(self, name: str) -> Any:
        """The weights of chess, and all counters at 0."""
        made = np.zeros(1, Weights)
        made["packed"] = pack(rules.load_weights(name))
        return made


game = NotedChess
