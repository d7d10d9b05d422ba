"""Making and playing moves: only legal ones are ever generated, by pins and check masks.

A move is a number of 23 bits that says all that `play` needs:

    bits 0–5 from   6–11 to   12–14 kind   15–17 promoted to   18–20 kind taken   21–22 what is special

Castling goes from the king's to the rook's square, so that one rule serves chess and Chess960. The low twelve bits are
the two squares, which is what tables of history and counter moves go by.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from gametree.games.chess.board import (
    ABOVE_BELOW,
    BETWEEN,
    BISHOP,
    EN_PASSANT_KEYS,
    FILE_A,
    FILE_H,
    KING,
    KING_STEPS,
    KNIGHT,
    KNIGHT_STEPS,
    LINE,
    PAWN,
    PAWN_STEPS,
    QUEEN,
    RANK_1,
    RANK_8,
    RIGHT_KEYS,
    ROOK,
    TURN_KEY,
    WHITE,
    attackers,
    bishop_attacks,
    first,
    in_check,
    is_attacked,
    key_of,
    kind_at,
    rook_attacks,
)
from gametree.kernels import ONE, ZERO, ctz, u64

__all__ = [
    "CASTLING",
    "DOUBLE",
    "EN_PASSANT",
    "NOISY",
    "PLAIN",
    "captured_kind",
    "castling_squares",
    "from_square",
    "gains_at_least",
    "generate",
    "moving_kind",
    "pass_move",
    "play",
    "promoted_kind",
    "quiet_checks",
    "special",
    "to_square",
]

PLAIN, DOUBLE, EN_PASSANT, CASTLING = range(4)
"""What is special about a move: nothing, a pawn's two steps, a capture in passing, castling."""

ALL, NOISY = 0, 1
"""What to generate: every legal move; captures and promotions to a queen."""

EVERYWHERE = u64(0xFFFFFFFFFFFFFFFF)
BOTH_LAST = RANK_1 | RANK_8
RANK_3, RANK_6 = u64(0xFF << 16), u64(0xFF << 40)
_PAWN_BITS = PAWN << 12
_PROMOTIONS = (QUEEN << 15, KNIGHT << 15, ROOK << 15, BISHOP << 15)
EXCHANGE_VALUES = np.array([0, 100, 325, 325, 500, 975, 20_000, 0], np.int64)
"""What a kind is worth when pieces are traded on one square."""


# The parts of a move --------------------------------------------------------------------------------------------------


def from_square(m: Any) -> Any:
    """Where the piece comes from, as an unsigned word."""
    return u64(m & 63)


def to_square(m: Any) -> Any:
    """Where it goes; the rook's square if it castles."""
    return u64(m >> 6 & 63)


def moving_kind(m: Any) -> Any:
    """The kind of the piece, before a promotion."""
    return u64(m >> 12 & 7)


def promoted_kind(m: Any) -> Any:
    """What a pawn becomes; 0 if it stays what it is."""
    return u64(m >> 15 & 7)


def captured_kind(m: Any) -> Any:
    """The kind that is taken; 0 if none is."""
    return u64(m >> 18 & 7)


def special(m: Any) -> Any:
    """PLAIN, DOUBLE, EN_PASSANT or CASTLING."""
    return m >> 21 & 3


def castling_squares(king: Any, rook: Any) -> Any:
    """Where king and rook stand after castling: on the g- and f-file, or on the c- and d-file."""
    rank = king & u64(56)
    if rook > king:
        return rank + u64(6), rank + u64(5)
    return rank + u64(2), rank + u64(3)


# Generating -----------------------------------------------------------------------------------------------------------


def add_moves(s: Any, out: Any, n: Any, base: Any, targets: Any, enemies: Any) -> Any:
    """Append a piece's moves to all targets, captures first; `base` has its square and kind."""
    captures = targets & enemies
    while captures != ZERO:
        to = first(captures)
        out[n] = base | np.int64(to) << 6 | np.int64(kind_at(s, to)) << 18
        n += 1
        captures &= captures - ONE
    quiet = targets & ~enemies
    while quiet != ZERO:
        out[n] = base | ctz(quiet) << 6
        n += 1
        quiet &= quiet - ONE
    return n


def add_pawn_moves(s: Any, out: Any, n: Any, targets: Any, step: Any, extra: Any, what: Any) -> Any:
    """Append pawn moves that go `step` squares up to each target, all with the bits `extra`."""
    promotions = targets & BOTH_LAST
    targets ^= promotions
    while targets != ZERO:
        to = ctz(targets)
        out[n] = _PAWN_BITS | extra | (to - step) | to << 6 | np.int64(kind_at(s, u64(to))) << 18
        n += 1
        targets &= targets - ONE
    while promotions != ZERO:
        to = ctz(promotions)
        base = _PAWN_BITS | extra | (to - step) | to << 6 | np.int64(kind_at(s, u64(to))) << 18
        out[n] = base | _PROMOTIONS[0]
        n += 1
        if what == ALL:
            out[n] = base | _PROMOTIONS[1]
            out[n + 1] = base | _PROMOTIONS[2]
            out[n + 2] = base | _PROMOTIONS[3]
            n += 3
        promotions &= promotions - ONE
    return n


def line_through(square: Any, line: Any) -> Any:
    """All squares of a line through a square but itself: 0 rank, 1 file, 2 and 3 diagonals."""
    place = square << u64(3) | u64(2 * line)
    return ABOVE_BELOW[place] | ABOVE_BELOW[place + ONE]


def en_passant_is_legal(s: Any, side: Any, pawn: Any, square: Any) -> Any:
    """Whether taking in passing with `side`'s pawn leaves its king unattacked; two pawns leave the board's lines."""
    passed = square - u64(8) if side == WHITE else square + u64(8)
    occupied = (s.sides[0] | s.sides[1]) ^ ONE << pawn ^ ONE << passed | ONE << square
    king = first(s.kinds[KING] & s.sides[side])
    return not is_attacked(s, king, 1 - side, occupied)


def pawn_moves(s: Any, out: Any, n: Any, king: Any, pinned: Any, mask: Any, what: Any) -> Any:
    """Append all pawn moves that end on `mask`; a pinned pawn may only move along the line to its king."""
    us = s.seat
    mine, enemies = s.sides[us], s.sides[1 - us]
    free = ~(mine | enemies)
    pawns = s.kinds[PAWN] & mine
    loose = ~pinned
    pushers = pawns & (loose | line_through(king, 1))
    if us == WHITE:
        pushed = pushers << u64(8) & free
        twice = (pushed & RANK_3) << u64(8) & free & mask
        left = (pawns & (loose | line_through(king, 3)) & ~FILE_A) << u64(7) & enemies & mask
        right = (pawns & (loose | line_through(king, 2)) & ~FILE_H) << u64(9) & enemies & mask
        ahead, to_left, to_right = 8, 7, 9
    else:
        pushed = pushers >> u64(8) & free
        twice = (pushed & RANK_6) >> u64(8) & free & mask
        left = (pawns & (loose | line_through(king, 2)) & ~FILE_A) >> u64(9) & enemies & mask
        right = (pawns & (loose | line_through(king, 3)) & ~FILE_H) >> u64(7) & enemies & mask
        ahead, to_left, to_right = -8, -9, -7
    n = add_pawn_moves(s, out, n, left, to_left, 0, what)
    n = add_pawn_moves(s, out, n, right, to_right, 0, what)
    if s.en_passant != 0:
        target = u64(s.en_passant)
        takers = pawns & PAWN_STEPS[1 - us, target]
        while takers != ZERO:
            pawn = first(takers)
            if en_passant_is_legal(s, us, pawn, target):
                out[n] = np.int64(pawn) | np.int64(target) << 6 | _PAWN_BITS | PAWN << 18 | EN_PASSANT << 21
                n += 1
            takers &= takers - ONE
    pushed &= mask
    if what == NOISY:
        return add_pawn_moves(s, out, n, pushed & BOTH_LAST, ahead, 0, what)
    n = add_pawn_moves(s, out, n, pushed, ahead, 0, what)
    return add_pawn_moves(s, out, n, twice, 2 * ahead, DOUBLE << 21, what)


def castling_moves(s: Any, out: Any, n: Any, king: Any) -> Any:
    """Append castling with every rook that has the right and a free way; the king is not in check."""
    us = s.seat
    them = 1 - us
    occupied = s.sides[0] | s.sides[1]
    rooks = s.castlers & s.sides[us]
    while rooks != ZERO:
        rook = first(rooks)
        king_to, rook_to = castling_squares(king, rook)
        others = occupied ^ ONE << king ^ ONE << rook
        king_way = BETWEEN[king, king_to] | ONE << king_to
        rook_way = BETWEEN[rook, rook_to] | ONE << rook_to
        free = (king_way | rook_way) & others == ZERO
        way = king_way & ~(ONE << king_to)
        while free and way != ZERO:
            free = not is_attacked(s, first(way), them, occupied ^ ONE << king)
            way &= way - ONE
        # The rook may have shielded the king's new square.
        if free and not is_attacked(s, king_to, them, others | ONE << rook_to):
            out[n] = np.int64(king) | np.int64(rook) << 6 | KING << 12 | CASTLING << 21
            n += 1
        rooks &= rooks - ONE
    return n


def generate(s: Any, out: Any, what: Any) -> Any:
    """Write all legal moves, or the noisy ones, into `out` and return their number. Draws are not looked at."""
    us = s.seat
    mine, enemies = s.sides[us], s.sides[1 - us]
    occupied = mine | enemies
    king = first(s.kinds[KING] & mine)
    queens = s.kinds[QUEEN]
    straight = (s.kinds[ROOK] | queens) & enemies
    slanted = (s.kinds[BISHOP] | queens) & enemies

    # Checks and pins: enemy sliders on the king's lines with nothing, or one piece of ours, between.
    checks = (PAWN_STEPS[us, king] & s.kinds[PAWN] | KNIGHT_STEPS[king] & s.kinds[KNIGHT]) & enemies
    pinned = ZERO
    snipers = rook_attacks(king, enemies) & straight | bishop_attacks(king, enemies) & slanted
    while snipers != ZERO:
        blockers = BETWEEN[king, first(snipers)] & mine
        if blockers == ZERO:
            checks |= snipers & (~snipers + ONE)
        elif blockers & (blockers - ONE) == ZERO:
            pinned |= blockers
        snipers &= snipers - ONE

    # King moves are tried with the king off the board, so that it does not hide behind itself.
    n = np.int64(0)
    steps = KING_STEPS[king] & ~mine
    if what == NOISY:
        steps &= enemies
    while steps != ZERO:
        to = first(steps)
        if not is_attacked(s, to, 1 - us, occupied ^ ONE << king):
            out[n] = np.int64(king) | np.int64(to) << 6 | KING << 12 | np.int64(kind_at(s, to)) << 18
            n += 1
        steps &= steps - ONE
    mask = enemies if what == NOISY else ~mine
    block = EVERYWHERE
    if checks != ZERO:
        if checks & (checks - ONE) != ZERO:
            return n
        block = BETWEEN[king, first(checks)] | checks
        mask &= block
    elif what == ALL and s.castlers & mine != ZERO:
        n = castling_moves(s, out, n, king)

    n = pawn_moves(s, out, n, king, pinned, block, what)
    pieces = s.kinds[KNIGHT] & mine & ~pinned
    while pieces != ZERO:
        square = first(pieces)
        n = add_moves(s, out, n, np.int64(square) | KNIGHT << 12, KNIGHT_STEPS[square] & mask, enemies)
        pieces &= pieces - ONE
    pieces = s.kinds[BISHOP] & mine
    while pieces != ZERO:
        square = first(pieces)
        targets = bishop_attacks(square, occupied) & mask
        if pinned >> square & ONE != ZERO:
            targets &= LINE[king, square]
        n = add_moves(s, out, n, np.int64(square) | BISHOP << 12, targets, enemies)
        pieces &= pieces - ONE
    pieces = s.kinds[ROOK] & mine
    while pieces != ZERO:
        square = first(pieces)
        targets = rook_attacks(square, occupied) & mask
        if pinned >> square & ONE != ZERO:
            targets &= LINE[king, square]
        n = add_moves(s, out, n, np.int64(square) | ROOK << 12, targets, enemies)
        pieces &= pieces - ONE
    pieces = queens & mine
    while pieces != ZERO:
        square = first(pieces)
        targets = (rook_attacks(square, occupied) | bishop_attacks(square, occupied)) & mask
        if pinned >> square & ONE != ZERO:
            targets &= LINE[king, square]
        n = add_moves(s, out, n, np.int64(square) | QUEEN << 12, targets, enemies)
        pieces &= pieces - ONE
    return n


def lone_shields(king: Any, sliders: Any, slanted: Any, pieces: Any, occupied: Any) -> Any:
    """Those of `pieces` that stand alone between a square and a slider that would see it without them."""
    found = ZERO
    diagonal = slanted & bishop_attacks(king, ZERO)
    rays = diagonal | sliders & rook_attacks(king, ZERO)
    while rays != ZERO:
        between = BETWEEN[king, first(rays)] & occupied
        if between != ZERO and between & (between - ONE) == ZERO:
            found |= between & pieces
        rays &= rays - ONE
    return found


def quiet_checks(s: Any, out: Any) -> Any:
    """Write the quiet moves that give check, but for those by the king, by pinned pieces and by promotion.

    The side to move is not in check.
    """
    us = s.seat
    mine, enemies = s.sides[us], s.sides[1 - us]
    occupied = mine | enemies
    free = ~occupied
    king, target = first(s.kinds[KING] & mine), first(s.kinds[KING] & enemies)
    straight, slanted = s.kinds[ROOK] | s.kinds[QUEEN], s.kinds[BISHOP] | s.kinds[QUEEN]
    pinned = lone_shields(king, straight & enemies, slanted & enemies, mine, occupied)
    shields = lone_shields(target, straight & mine, slanted & mine, mine, occupied)
    on_line, on_diagonal = rook_attacks(target, occupied), bishop_attacks(target, occupied)
    n = np.int64(0)
    movers = mine & ~pinned & ~s.kinds[KING]
    while movers != ZERO:
        square = first(movers)
        kind = kind_at(s, square)
        if kind == u64(PAWN):
            step = ONE << square << u64(8) if us == WHITE else ONE << square >> u64(8)
            reach = step & free & ~BOTH_LAST
            twice = reach & (RANK_3 if us == WHITE else RANK_6)
            reach |= (twice << u64(8) if us == WHITE else twice >> u64(8)) & free
            checks = PAWN_STEPS[1 - us, target]
        elif kind == u64(KNIGHT):
            reach = KNIGHT_STEPS[square] & free
            checks = KNIGHT_STEPS[target]
        else:
            reach = checks = ZERO
            if kind != u64(ROOK):
                reach |= bishop_attacks(square, occupied) & free
                checks |= on_diagonal
            if kind != u64(BISHOP):
                reach |= rook_attacks(square, occupied) & free
                checks |= on_line
        # A shield that leaves the line gives check wherever it goes.
        if shields >> square & ONE != ZERO:
            checks |= ~LINE[target, square]
        reach &= checks
        while reach != ZERO:
            to = first(reach)
            move = np.int64(square) | np.int64(to) << 6 | np.int64(kind) << 12
            if kind == u64(PAWN) and (to > square + u64(15) or to + u64(15) < square):
                move |= DOUBLE << 21
            out[n] = move
            n += 1
            reach &= reach - ONE
        movers &= movers - ONE
    return n


# Playing --------------------------------------------------------------------------------------------------------------


def drop_rights(s: Any, squares: Any) -> None:
    """The rooks on these squares lose the right to castle."""
    lost = s.castlers & squares
    s.castlers ^= lost
    while lost != ZERO:
        s.hash ^= RIGHT_KEYS[first(lost)]
        lost &= lost - ONE


def play(s: Any, m: Any) -> None:
    """Play a legal move."""
    us = u64(s.seat)
    them = ONE - us
    start, target = from_square(m), to_square(m)
    kind, taken, turned = moving_kind(m), captured_kind(m), promoted_kind(m)
    what = special(m)
    start_bit, target_bit = ONE << start, ONE << target
    key = s.hash ^ TURN_KEY
    if s.en_passant != 0:
        key ^= EN_PASSANT_KEYS[s.en_passant]
        s.en_passant = 0
    s.clock += 1
    s.plies += 1
    s.seat = 1 - s.seat
    if what == CASTLING:
        king_to, rook_to = castling_squares(start, target)
        s.kinds[KING] ^= start_bit ^ ONE << king_to
        s.kinds[ROOK] ^= target_bit ^ ONE << rook_to
        s.sides[us] ^= start_bit ^ ONE << king_to ^ target_bit ^ ONE << rook_to
        key ^= key_of(us, u64(KING), start) ^ key_of(us, u64(KING), king_to)
        key ^= key_of(us, u64(ROOK), target) ^ key_of(us, u64(ROOK), rook_to)
    else:
        placed = kind if turned == ZERO else turned
        key ^= key_of(us, kind, start) ^ key_of(us, placed, target)
        s.kinds[kind] ^= start_bit
        s.kinds[placed] ^= target_bit
        s.sides[us] ^= start_bit | target_bit
        if taken != ZERO:
            square = target
            if what == EN_PASSANT:
                square = target - u64(8) if us == ZERO else target + u64(8)
            s.kinds[taken] ^= ONE << square
            s.sides[them] ^= ONE << square
            key ^= key_of(them, taken, square)
            s.clock = 0
        if kind == u64(PAWN):
            s.clock = 0
    s.hash = key
    if s.castlers != ZERO:
        # A king that moves loses both rights; a rook that moves or is taken loses its own.
        rank = RANK_1 if us == ZERO else RANK_8
        drop_rights(s, start_bit | target_bit | (rank if kind == u64(KING) else ZERO))
    if what == DOUBLE:
        note_en_passant(s, us, (start + target) >> ONE)


def note_en_passant(s: Any, us: Any, square: Any) -> None:
    """Remember the square behind a pawn that has moved two, if the other side can legally take it there."""
    them = ONE - us
    takers = s.kinds[PAWN] & s.sides[them] & PAWN_STEPS[us, square]
    while takers != ZERO:
        if en_passant_is_legal(s, np.int64(them), first(takers), square):
            s.en_passant = square
            s.hash ^= EN_PASSANT_KEYS[square]
            return
        takers &= takers - ONE


def pass_move(s: Any) -> Any:
    """Let the side to move pass, unless it is in check or has only pawns, where passing may be what it wishes for."""
    us = s.seat
    pieces = s.sides[us] & ~(s.kinds[PAWN] | s.kinds[KING])
    if pieces == ZERO or in_check(s):
        return False
    if s.en_passant != 0:
        s.hash ^= EN_PASSANT_KEYS[s.en_passant]
        s.en_passant = 0
    s.hash ^= TURN_KEY
    s.seat = 1 - us
    s.plies += 1
    s.clock += 1
    return True


# Trading --------------------------------------------------------------------------------------------------------------


def gains_at_least(s: Any, m: Any, threshold: Any) -> Any:
    """Whether the exchange that the move begins on its square wins at least `threshold` (static exchange evaluation).

    Both sides take with their least piece and may stop at any time. Pins are not looked at.
    """
    if special(m) == CASTLING:
        return threshold <= 0
    start, target = from_square(m), to_square(m)
    turned = promoted_kind(m)
    balance = EXCHANGE_VALUES[captured_kind(m)] - threshold
    standing = EXCHANGE_VALUES[moving_kind(m)]
    if turned != ZERO:
        balance += EXCHANGE_VALUES[turned] - EXCHANGE_VALUES[PAWN]
        standing = EXCHANGE_VALUES[turned]
    # The best case: nobody takes back. The worst: the piece is lost for nothing.
    if balance < 0:
        return False
    balance -= standing
    if balance >= 0:
        return True
    occupied = ((s.sides[0] | s.sides[1]) ^ ONE << start) | ONE << target
    if special(m) == EN_PASSANT:
        occupied ^= ONE << (target - u64(8) if s.seat == WHITE else target + u64(8))
    straight = s.kinds[ROOK] | s.kinds[QUEEN]
    slanted = s.kinds[BISHOP] | s.kinds[QUEEN]
    around = (attackers(s, target, 0, occupied) | attackers(s, target, 1, occupied)) & occupied
    mover = np.int64(s.seat)
    side = 1 - mover
    while True:
        mine = around & s.sides[side]
        if mine == ZERO:
            break
        kind = PAWN
        while s.kinds[kind] & mine == ZERO:
            kind += 1
        if kind == KING and around & s.sides[1 - side] != ZERO:
            break  # the king may not take what is protected
        found = s.kinds[kind] & mine
        occupied ^= found & (~found + ONE)
        # Sliders behind the one that took come into play.
        if kind in (PAWN, BISHOP, QUEEN):
            around |= bishop_attacks(target, occupied) & slanted
        if kind in (ROOK, QUEEN):
            around |= rook_attacks(target, occupied) & straight
        around &= occupied
        side = 1 - side
        # Whoever has to take next is behind unless the piece just placed is worth it.
        balance = -balance - 1 - EXCHANGE_VALUES[kind]
        if balance >= 0:
            break
    # The side that could not or need not go on has lost the exchange.
    return mover != side
