"""How safe a king stands, in the estimate of a chess position. The own pawns go up the board."""

from __future__ import annotations

from typing import Any

import numpy as np

from gametree.games.chess.board import FILE_A, KNIGHT_STEPS, bishop_attacks, first, rook_attacks
from gametree.games.chess.ledger import note
from gametree.games.chess.terms import ATTACK, LEVELS, SHELTER, STORM, STORM_BLOCKED
from gametree.kernels import ONE, ZERO, popcount, u64

__all__ = ["ATTACK_UNITS", "ZONE", "assess_attack", "assess_shelter"]


def _zones() -> Any:
    """The three by three squares around a king, moved inwards at the edge."""
    zones = []
    for square in range(64):
        rank, file = min(max(square // 8, 1), 6), min(max(square % 8, 1), 6)
        zones.append(sum(1 << 8 * r + f for r in (rank - 1, rank, rank + 1) for f in (file - 1, file, file + 1)))
    return np.array(zones, np.uint64)


ZONE = _zones()
ATTACK_UNITS = np.array([0, 0, 5, 4, 4, 4, 0], np.int64)
"""What a piece that looks at the king's zone adds, by its kind."""
UNITS_HIT = 1  # each square of the zone that a piece looks at
UNITS_WEAK = 3  # each square of the zone that is attacked and not well guarded
UNITS_CHECK = np.array([0, 0, 9, 6, 11, 10, 0], np.int64)  # a safe check by a piece of the kind
UNITS_UNSAFE = 2  # a check that the enemy could answer by taking
UNITS_PINNED = 2  # each pinned piece of the enemy
UNITS_NO_QUEEN = -11


def assess_shelter(king: Any, mine: Any, theirs: Any, side: Any, ledger: Any, w: Any) -> Any:
    """The pawns before the own king, and the enemy's that come against it, on the three files around it."""
    score = np.int64(0)
    ahead = ~ZERO << (king & u64(56))
    file = min(max(king & u64(7), ONE), u64(6)) - ONE
    for _ in range(3):
        column = FILE_A << file & ahead
        edge = min(file, u64(7) - file) << u64(3)
        own, other = mine & column, theirs & column
        rank = first(own) >> u64(3) if own != ZERO else ZERO
        coming = first(other) >> u64(3) if other != ZERO else ZERO
        score += note(w, ledger, side, u64(SHELTER) + edge + rank, 1)
        if rank != ZERO and coming == rank + ONE:
            score += note(w, ledger, side, u64(STORM_BLOCKED) + coming, 1)
        else:
            score += note(w, ledger, side, u64(STORM) + edge + coming, 1)
        file += ONE
    return score


def assess_attack(
    foe: Any,
    mine: Any,
    occupied: Any,
    queens: Any,
    hits: Any,
    twice: Any,
    knight_hits: Any,
    bishop_hits: Any,
    rook_hits: Any,
    queen_hits: Any,
    their_hits: Any,
    their_twice: Any,
    their_king_hits: Any,
    their_queen_hits: Any,
    attackers: Any,
    units: Any,
    pinned: Any,
    side: Any,
    ledger: Any,
    w: Any,
) -> Any:
    """The attack on the enemy king `foe`: attackers, weak squares around it, and checks, added up to a level."""
    # One piece alone does not attack a king, unless it is a queen.
    if attackers < (1 if queens != ZERO else 2):
        return np.int64(0)
    zone = ZONE[foe]
    weak = hits & ~their_twice & (~their_hits | their_king_hits | their_queen_hits)
    units += UNITS_WEAK * popcount(zone & weak)
    safe = ~mine & (~their_hits | weak & twice)
    straight, slanted = rook_attacks(foe, occupied), bishop_attacks(foe, occupied)
    by_rook, by_bishop, by_knight = straight & rook_hits, slanted & bishop_hits, KNIGHT_STEPS[foe] & knight_hits
    by_queen = (straight | slanted) & queen_hits & safe & ~their_queen_hits
    if by_queen != ZERO:
        units += UNITS_CHECK[5]
    if by_rook & safe != ZERO:
        units += UNITS_CHECK[4]
    if by_bishop & safe != ZERO:
        units += UNITS_CHECK[3]
    if by_knight & safe != ZERO:
        units += UNITS_CHECK[2]
    units += UNITS_UNSAFE * popcount((by_rook | by_bishop | by_knight) & ~safe & ~mine)
    units += UNITS_PINNED * popcount(pinned)
    if queens == ZERO:
        units += UNITS_NO_QUEEN
    units = min(max(units, np.int64(0)), np.int64(LEVELS - 1))
    return note(w, ledger, side, u64(ATTACK) + u64(units), 1)
