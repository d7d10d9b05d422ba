"""Dead positions: neither side can ever give mate, however badly the other plays.

Found are the cases of too little material, and the endings of kings and pawns in which all pawns are locked and no king
can ever reach one that it may take.
"""

from __future__ import annotations

from typing import Any

from gametree.games.chess.board import BISHOP, FILE_A, FILE_H, KING, KNIGHT, PAWN, QUEEN, ROOK
from gametree.kernels import ONE, ZERO, popcount, u64

__all__ = ["DARK", "is_dead", "is_locked", "lacks_material"]

DARK = u64(0xAA55AA55AA55AA55)
"""The dark squares, a1 among them."""


def is_dead(s: Any) -> Any:
    """Whether nobody can win any more, as far as these rules see it."""
    if (s.kinds[ROOK] | s.kinds[QUEEN]) != ZERO:
        return False
    if s.kinds[PAWN] != ZERO:
        return (s.kinds[KNIGHT] | s.kinds[BISHOP]) == ZERO and is_locked(s)
    return lacks_material(s)


def lacks_material(s: Any) -> Any:
    """Kings with nothing, with one minor piece, or with bishops that all go on one colour; no other piece is there."""
    knights, bishops = s.kinds[KNIGHT], s.kinds[BISHOP]
    if knights != ZERO:
        return bishops == ZERO and popcount(knights) == 1
    return bishops & DARK == ZERO or bishops & ~DARK == ZERO


def pawn_attacks(pawns: Any, side: Any) -> Any:
    """All squares that a side's pawns attack."""
    if side == 0:
        return (pawns & ~FILE_A) << u64(7) | (pawns & ~FILE_H) << u64(9)
    return (pawns & ~FILE_A) >> u64(9) | (pawns & ~FILE_H) >> u64(7)


def is_locked(s: Any) -> Any:
    """Kings and pawns only: no pawn can move or take, ever, and no king can get at an unprotected pawn."""
    pawns = s.kinds[PAWN]
    white, black = pawns & s.sides[0], pawns & s.sides[1]
    if white << u64(8) & ~black != ZERO or black >> u64(8) & ~white != ZERO or s.en_passant != 0:
        return False
    by_white, by_black = pawn_attacks(white, 0), pawn_attacks(black, 1)
    if by_white & black != ZERO or by_black & white != ZERO:
        return False
    kings = s.kinds[KING]
    # A king in check by a pawn may be mated: then the position is not dead but over.
    if kings & s.sides[0] & by_black != ZERO or kings & s.sides[1] & by_white != ZERO:
        return False
    return not (
        king_reaches(kings & s.sides[0], ~(white | by_black), black)
        or king_reaches(kings & s.sides[1], ~(black | by_white), white)
    )


def king_reaches(king: Any, allowed: Any, wanted: Any) -> Any:
    """Whether a king that walks on allowed squares alone can come to a wanted one."""
    reached = king
    before = ZERO
    while reached != before:
        before = reached
        wide = reached | (reached & ~FILE_H) << ONE | (reached & ~FILE_A) >> ONE
        reached |= (wide | wide << u64(8) | wide >> u64(8)) & allowed
    return reached & wanted != ZERO
