"""What pawns add to the estimate of a chess position. The own pawns go up the board."""

from __future__ import annotations

from typing import Any

import numpy as np

from gametree.games.chess.board import first
from gametree.games.chess.ledger import beside, down, hit_down, hit_up, note, up
from gametree.games.chess.terms import (
    BACKWARD,
    BLOCKED,
    CANDIDATE,
    DOUBLED,
    ISOLATED,
    PASSED,
    PASSED_FREE,
    PASSED_KINGS,
    PASSED_OPEN,
    PASSED_ROOKS,
    PASSED_SAFE,
    PASSED_WON,
    PAWN_SQUARE,
    PHALANX,
    PROTECTED,
)
from gametree.kernels import ONE, ZERO, popcount, u64

__all__ = ["DISTANCE", "assess_passed", "assess_structure"]


def _distances() -> Any:
    """Steps of a king between any two squares."""
    return np.array([[max(abs(a // 8 - b // 8), abs(a % 8 - b % 8)) for b in range(64)] for a in range(64)], np.int8)


DISTANCE = _distances()
RANKS_5_6 = u64(0x0000FFFF00000000)


def assess_structure(mine: Any, theirs: Any, side: Any, ledger: Any, w: Any) -> Any:
    """Squares and structure of the own pawns."""
    score = np.int64(0)
    pawns = mine
    while pawns != ZERO:
        score += note(w, ledger, side, u64(PAWN_SQUARE) + first(pawns), 1)
        pawns &= pawns - ONE
    my_hits, their_hits = hit_up(mine), hit_down(theirs)
    files = up(mine) | down(mine)
    opposed = mine & down(theirs)
    score += note(w, ledger, side, u64(DOUBLED), popcount(mine & up(mine) << u64(8)))
    isolated = mine & ~beside(files)
    score += note(w, ledger, side, u64(ISOLATED), popcount(isolated & opposed))
    score += note(w, ledger, side, u64(ISOLATED + 1), popcount(isolated & ~opposed))
    # Backward: the square ahead is hit by an enemy pawn, and no own pawn can ever protect it.
    backward = mine & (their_hits & ~up(my_hits)) >> u64(8) & ~isolated
    score += note(w, ledger, side, u64(BACKWARD), popcount(backward & opposed))
    score += note(w, ledger, side, u64(BACKWARD + 1), popcount(backward & ~opposed))
    phalanx = mine & beside(mine)
    while phalanx != ZERO:
        score += note(w, ledger, side, u64(PHALANX - 1) + (first(phalanx) >> u64(3)), 1)
        phalanx &= phalanx - ONE
    protected = mine & my_hits
    while protected != ZERO:
        score += note(w, ledger, side, u64(PROTECTED - 2) + (first(protected) >> u64(3)), 1)
        protected &= protected - ONE
    blocked = mine & theirs >> u64(8) & RANKS_5_6
    score += note(w, ledger, side, u64(BLOCKED), popcount(blocked))
    # Candidates: no enemy pawn on the file ahead, and as many own helpers as enemy guards beside the way.
    spans = down(theirs) >> u64(8)
    candidates = mine & ~spans & beside(spans) & ~(down(mine) >> u64(8))
    while candidates != ZERO:
        square = first(candidates)
        way = up(ONE << square)
        guards = popcount(theirs & beside(way) << u64(8))
        helpers = popcount(mine & beside(down(ONE << square)))
        if helpers >= guards:
            score += note(w, ledger, side, u64(CANDIDATE - 1) + (square >> u64(3)), 1)
        candidates &= candidates - ONE
    return score


def assess_passed(
    mine: Any,
    theirs: Any,
    occupied: Any,
    my_rooks: Any,
    their_rooks: Any,
    their_hits: Any,
    king: Any,
    foe: Any,
    alone: Any,
    turn: Any,
    side: Any,
    ledger: Any,
    w: Any,
) -> Any:
    """Pawns that no enemy pawn can stop. `alone`: the enemy has nothing but pawns; `turn`: 1 if it is our move."""
    score = np.int64(0)
    spans = down(theirs) >> u64(8)
    passed = mine & ~(spans | beside(spans)) & ~(down(mine) >> u64(8))
    protected = hit_up(mine)
    while passed != ZERO:
        square = first(passed)
        rank = square >> u64(3)
        stop = square + u64(8)
        way = up(ONE << stop)
        score += note(w, ledger, side, u64(PASSED - 1) + rank, 1)
        if occupied >> stop & ONE == ZERO:
            score += note(w, ledger, side, u64(PASSED_FREE - 1) + rank, 1)
            if way & (their_hits | occupied) == ZERO:
                score += note(w, ledger, side, u64(PASSED_OPEN - 1) + rank, 1)
        if protected >> square & ONE != ZERO:
            score += note(w, ledger, side, u64(PASSED_SAFE), 1)
        if rank >= u64(3):
            weight = np.int64(rank) - 2
            score += note(w, ledger, side, u64(PASSED_KINGS), weight * DISTANCE[king, stop])
            score += note(w, ledger, side, u64(PASSED_KINGS + 1), weight * DISTANCE[foe, stop])
        behind = down(ONE << square)
        if behind & my_rooks != ZERO:
            score += note(w, ledger, side, u64(PASSED_ROOKS), 1)
        if behind & their_rooks != ZERO:
            score += note(w, ledger, side, u64(PASSED_ROOKS + 1), 1)
        # The rule of the square: a bare king that is too far away does not catch the pawn.
        if alone and way & occupied == ZERO:
            steps = np.int64(7) - np.int64(rank)
            if rank == ONE:
                steps -= 1
            if steps < np.int64(DISTANCE[foe, u64(56) | square & u64(7)]) - (1 - turn):
                score += note(w, ledger, side, u64(PASSED_WON), 1)
        passed &= passed - ONE
    return score
