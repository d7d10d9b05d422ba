"""What a chess position is worth: a sum of named features, each with a weight for the middle game and the ending.

Both sides are looked at alike: for Black the board is turned upside down, so that "up" is forward. First each side's
pieces are surveyed, which gives what they attack; then it is judged what the two sides' attacks make of each other:
threats, passed pawns, the safety of the kings. The features and their weights are in `terms`; the phase of the game
says how the weights for the middle game and for the ending mix.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from gametree.games.chess.board import (
    BETWEEN,
    BISHOP,
    FILE_A,
    FILE_H,
    KING,
    KING_STEPS,
    KNIGHT,
    KNIGHT_STEPS,
    LINE,
    PAWN,
    QUEEN,
    ROOK,
    bishop_attacks,
    first,
    rook_attacks,
)
from gametree.games.chess.draws import DARK
from gametree.games.chess.king import ATTACK_UNITS, UNITS_HIT, ZONE, assess_attack, assess_shelter
from gametree.games.chess.ledger import down, hit_down, hit_up, note, up
from gametree.games.chess.pawns import DISTANCE, assess_passed, assess_structure
from gametree.games.chess.terms import (
    BALANCE,
    BISHOP_KING,
    BISHOP_MOVES,
    BISHOP_OUTPOST,
    BISHOP_PAIR,
    BISHOP_PAWNS,
    BISHOP_SQUARE,
    DRIVE,
    KING_PAWNS,
    KING_SQUARE,
    KNIGHT_CENTRE,
    KNIGHT_KINGS,
    KNIGHT_MOVES,
    KNIGHT_NEAR,
    KNIGHT_OUTPOST,
    MATERIAL,
    QUEEN_AIM,
    QUEEN_MOVES,
    QUEEN_SQUARE,
    RESTRICTED,
    ROOK_FILE,
    ROOK_MOVES,
    ROOK_SEVENTH,
    ROOK_SQUARE,
    ROOK_TRAPPED,
    SHIELDED,
    SPACE,
    TEMPO,
    THREAT_HANGING,
    THREAT_KING,
    THREAT_MINOR,
    THREAT_PAWN,
    THREAT_PUSH,
    THREAT_ROOK,
    ending_of,
    middle_of,
)
from gametree.kernels import ONE, ZERO, byteswap, popcount, u64

__all__ = ["UNIT", "WHOLE_PHASE", "count_features", "evaluate", "phase_of"]

UNIT = 100
"""Values are in centipawns."""
MOST_VALUE = 20_000
"""Estimates stay within ± this, below any win."""
WHOLE_PHASE = 24
CENTRE_FILES = u64(0x3C3C3C3C3C3C3C3C)
RANKS_4_TO_6 = u64(0x0000FFFFFF000000)
RANK_7 = u64(0xFF << 48)
RANK_3 = u64(0xFF << 16)
LEFT_FILES = u64(0x0F0F0F0F0F0F0F0F)


def _within_two() -> Any:
    """The squares within two king's steps."""
    return np.array([sum(1 << b for b in range(64) if 0 < DISTANCE[a, b] <= 2) for a in range(64)], np.uint64)


NEAR = _within_two()
EDGE = np.array([max(abs(2 * (a // 8) - 7), abs(2 * (a % 8) - 7)) // 2 for a in range(64)], np.int64)
"""Steps from the middle of the board towards the edge, 0 to 3."""


# The two looks at a side ----------------------------------------------------------------------------------------------


def pinned_pieces(king: Any, mine: Any, theirs: Any, straight: Any, slanted: Any) -> Any:
    """The own pieces that stand alone between the king and an enemy slider."""
    pinned = ZERO
    snipers = rook_attacks(king, theirs) & straight | bishop_attacks(king, theirs) & slanted
    while snipers != ZERO:
        between = BETWEEN[king, first(snipers)] & mine
        if between & (between - ONE) == ZERO:
            pinned |= between
        snipers &= snipers - ONE
    return pinned


def survey(
    mine: Any,
    theirs: Any,
    pawns: Any,
    knights: Any,
    bishops: Any,
    rooks: Any,
    queens: Any,
    kings: Any,
    side: Any,
    ledger: Any,
    w: Any,
) -> Any:
    """The own pieces one by one.

    Returns the score; what all of them attack, and twice; what knights, bishops, rooks and queens attack; the pinned
    pieces; how many pieces look at the enemy king's zone, and the units of that attack.
    """
    occupied = mine | theirs
    king, foe = first(kings & mine), first(kings & theirs)
    my_pawns, their_pawns = pawns & mine, pawns & theirs
    their_hits = hit_down(their_pawns)
    my_hits = hit_up(my_pawns)
    pinned = pinned_pieces(king, mine, theirs, (rooks | queens) & theirs, (bishops | queens) & theirs)
    pawn_count = popcount(my_pawns)
    score = note(w, ledger, side, u64(MATERIAL), pawn_count)

    # Pieces are free to go where neither own pawns and the king stand nor enemy pawns hit.
    free = ~(my_pawns | kings & mine | their_hits)
    zone = ZONE[foe] & ~((their_pawns & ~FILE_A) >> u64(9) & (their_pawns & ~FILE_H) >> u64(7))  # two pawns guard those
    attackers = np.int64(0)
    units = np.int64(0)
    hits = KING_STEPS[king]
    twice = hits & my_hits | (my_pawns & ~FILE_A) << u64(7) & (my_pawns & ~FILE_H) << u64(9)
    hits |= my_hits
    safe = ~down(their_hits) & RANKS_4_TO_6  # where no enemy pawn can ever hit
    shields = pawns >> u64(8)  # the squares right below any pawn

    pieces = knights & mine
    others = theirs & ~pawns
    knight_hits = ZERO
    count = popcount(pieces)
    score += note(w, ledger, side, u64(MATERIAL + 1), count)
    score += note(w, ledger, side, u64(BALANCE), count * (pawn_count - 5))
    score += note(w, ledger, side, u64(SHIELDED), popcount(pieces & shields))
    while pieces != ZERO:
        square = first(pieces)
        seen = KNIGHT_STEPS[square]
        if pinned >> square & ONE != ZERO:
            seen = ZERO
        twice |= hits & seen
        hits |= seen
        knight_hits |= seen
        score += note(w, ledger, side, u64(KNIGHT_CENTRE) + square, 1)
        score += note(w, ledger, side, u64(KNIGHT_NEAR), 1 if NEAR[square] & others != ZERO else 0)
        if safe >> square & ONE != ZERO:
            score += note(w, ledger, side, u64(KNIGHT_OUTPOST), 1)
            if my_hits >> square & ONE != ZERO:
                score += note(w, ledger, side, u64(KNIGHT_OUTPOST + 1), 1)
        score += note(w, ledger, side, u64(KNIGHT_KINGS), np.int64(DISTANCE[square, king]) + DISTANCE[square, foe])
        score += note(w, ledger, side, u64(KNIGHT_MOVES + popcount(seen & free)), 1)
        if seen & zone != ZERO:
            attackers += 1
            units += ATTACK_UNITS[KNIGHT] + UNITS_HIT * popcount(seen & zone)
        pieces &= pieces - ONE

    pieces = bishops & mine
    bishop_hits = ZERO
    score += note(w, ledger, side, u64(MATERIAL + 2), popcount(pieces))
    if pieces & DARK != ZERO and pieces & ~DARK != ZERO:
        score += note(w, ledger, side, u64(BISHOP_PAIR), 1)
    score += note(w, ledger, side, u64(SHIELDED + 1), popcount(pieces & shields))
    while pieces != ZERO:
        square = first(pieces)
        # Own queens do not stand in the way: the pieces support each other on one line.
        seen = bishop_attacks(square, occupied ^ queens & mine)
        if pinned >> square & ONE != ZERO:
            seen &= LINE[king, square]
        twice |= hits & seen
        hits |= seen
        bishop_hits |= seen
        score += note(w, ledger, side, u64(BISHOP_SQUARE) + square, 1)
        score += note(w, ledger, side, u64(BISHOP_MOVES + popcount(seen & free)), 1)
        score += note(w, ledger, side, u64(BISHOP_KING), np.int64(DISTANCE[square, king]))
        if (safe & my_hits) >> square & ONE != ZERO:
            score += note(w, ledger, side, u64(BISHOP_OUTPOST), 1)
        alike = my_pawns & (DARK if DARK >> square & ONE != ZERO else ~DARK)
        score += note(w, ledger, side, u64(BISHOP_PAWNS), popcount(alike))
        score += note(w, ledger, side, u64(BISHOP_PAWNS + 1), popcount(alike & occupied >> u64(8)))
        if seen & zone != ZERO:
            attackers += 1
            units += ATTACK_UNITS[BISHOP] + UNITS_HIT * popcount(seen & zone)
        pieces &= pieces - ONE

    pieces = rooks & mine
    rook_hits = ZERO
    if pieces != ZERO:
        count = popcount(pieces)
        score += note(w, ledger, side, u64(MATERIAL + 3), count)
        score += note(w, ledger, side, u64(BALANCE + 1), count * (pawn_count - 5))
        score += note(w, ledger, side, u64(BALANCE + 2), 1 if count > 1 else 0)
        closed = up(my_pawns) | down(my_pawns)
        half_closed = up(their_pawns) | down(their_pawns)
        score += note(w, ledger, side, u64(ROOK_FILE), popcount(pieces & ~(closed | half_closed)))
        score += note(w, ledger, side, u64(ROOK_FILE + 1), popcount(pieces & ~closed & half_closed))
        if (their_pawns | kings & theirs) >> u64(48) != ZERO:
            score += note(w, ledger, side, u64(ROOK_SEVENTH), popcount(pieces & RANK_7))
    while pieces != ZERO:
        square = first(pieces)
        seen = rook_attacks(square, occupied ^ (rooks | queens) & mine)
        if pinned >> square & ONE != ZERO:
            seen &= LINE[king, square]
        twice |= hits & seen
        hits |= seen
        rook_hits |= seen
        moves = popcount(seen & free)
        score += note(w, ledger, side, u64(ROOK_SQUARE) + square, 1)
        score += note(w, ledger, side, u64(ROOK_MOVES + moves), 1)
        # Shut in by the own king that has not castled, or to the wrong side.
        if moves <= 3 and king < u64(8) and (king >= u64(4)) == (square & u64(7) > king):
            score += note(w, ledger, side, u64(ROOK_TRAPPED), 1)
        if seen & zone != ZERO:
            attackers += 1
            units += ATTACK_UNITS[ROOK] + UNITS_HIT * popcount(seen & zone)
        pieces &= pieces - ONE

    pieces = queens & mine
    queen_hits = ZERO
    score += note(w, ledger, side, u64(MATERIAL + 4), popcount(pieces))
    while pieces != ZERO:
        square = first(pieces)
        straight, slanted = rook_attacks(square, occupied), bishop_attacks(square, occupied)
        seen = straight | slanted
        # Enemy rooks and bishops that aim at the queen through one other piece.
        aims = (
            rook_attacks(square, occupied & ~straight) & rooks | bishop_attacks(square, occupied & ~slanted) & bishops
        )
        score += note(w, ledger, side, u64(QUEEN_AIM), 1 if aims & theirs & ~seen != ZERO else 0)
        if pinned >> square & ONE != ZERO:
            seen &= LINE[king, square]
        twice |= hits & seen
        hits |= seen
        queen_hits |= seen
        score += note(w, ledger, side, u64(QUEEN_SQUARE) + square, 1)
        score += note(w, ledger, side, u64(QUEEN_MOVES + popcount(seen & free)), 1)
        if seen & zone != ZERO:
            attackers += 1
            units += ATTACK_UNITS[QUEEN] + UNITS_HIT * popcount(seen & zone)
        pieces &= pieces - ONE

    room = CENTRE_FILES & u64(0x00000000FFFFFF00) & ~my_pawns & ~their_hits
    score += note(w, ledger, side, u64(SPACE), popcount(room & down(my_pawns)))
    return score, hits, twice, knight_hits, bishop_hits, rook_hits, queen_hits, pinned, attackers, units


def judge(
    mine: Any,
    theirs: Any,
    pawns: Any,
    knights: Any,
    bishops: Any,
    rooks: Any,
    queens: Any,
    kings: Any,
    own: Any,
    hits: Any,
    twice: Any,
    queen_hits: Any,
    pinned: Any,
    turn: Any,
    side: Any,
    ledger: Any,
    w: Any,
) -> Any:
    """What becomes of the own pieces among the enemy's: `own` is the survey of this side, the next are the enemy's."""
    _, my_hits, my_twice, my_knight_hits, my_bishop_hits, my_rook_hits, my_queen_hits, _, attackers, units = own
    occupied = mine | theirs
    king, foe = first(kings & mine), first(kings & theirs)
    my_pawns, their_pawns = pawns & mine, pawns & theirs
    pawn_hits = hit_up(my_pawns)
    their_pawn_hits = hit_down(their_pawns)
    score = assess_structure(my_pawns, their_pawns, side, ledger, w)
    alone = theirs == their_pawns | kings & theirs
    score += assess_passed(
        my_pawns, their_pawns, occupied, rooks & mine, rooks & theirs, hits, king, foe, alone, turn, side, ledger, w
    )  # fmt: skip
    score += note(w, ledger, side, u64(KING_SQUARE) + king, 1)
    score += assess_shelter(king, my_pawns, their_pawns, side, ledger, w)
    if my_pawns != ZERO:
        nearest = np.int64(1)
        ring = KING_STEPS[king]
        while ring & my_pawns == ZERO:
            nearest += 1
            ring |= ring << u64(8) | ring >> u64(8)
            ring |= (ring & u64(0x7F7F7F7F7F7F7F7F)) << ONE | (ring & u64(0xFEFEFEFEFEFEFEFE)) >> ONE
        score += note(w, ledger, side, u64(KING_PAWNS), nearest)
    if theirs == kings & theirs and mine & ~(pawns | kings) != ZERO:
        score += drive(king, foe, mine, knights, bishops, rooks | queens | pawns, side, ledger, w)
    score += assess_attack(
        foe, mine, occupied, queens & mine, my_hits, my_twice, my_knight_hits, my_bishop_hits, my_rook_hits,
        my_queen_hits, hits, twice, KING_STEPS[foe], queen_hits, attackers, units, pinned, side, ledger, w,
    )  # fmt: skip

    # Threats: to what stands under attack and is not well guarded.
    others = theirs & ~pawns & ~kings
    guarded = their_pawn_hits | twice & ~my_twice
    weak = theirs & ~guarded & my_hits
    sound = my_pawns & (~hits | my_hits)  # pawns that cannot simply be taken
    score += note(w, ledger, side, u64(THREAT_PAWN), popcount(hit_up(sound) & others))
    pushed = my_pawns << u64(8) & ~occupied
    pushed |= (pushed & RANK_3) << u64(8) & ~occupied
    pushed &= ~their_pawn_hits & (my_hits | ~hits)
    score += note(w, ledger, side, u64(THREAT_PUSH), popcount(hit_up(pushed) & others & ~pawn_hits))
    minor_hits = (my_knight_hits | my_bishop_hits) & (others | weak)
    score += note(w, ledger, side, u64(THREAT_MINOR), popcount(minor_hits & their_pawns))
    score += note(w, ledger, side, u64(THREAT_MINOR + 1), popcount(minor_hits & theirs & knights))
    score += note(w, ledger, side, u64(THREAT_MINOR + 2), popcount(minor_hits & theirs & bishops))
    score += note(w, ledger, side, u64(THREAT_MINOR + 3), popcount(minor_hits & theirs & rooks))
    score += note(w, ledger, side, u64(THREAT_MINOR + 4), popcount(minor_hits & theirs & queens))
    rook_hits = my_rook_hits & weak
    score += note(w, ledger, side, u64(THREAT_ROOK), popcount(rook_hits & their_pawns))
    score += note(w, ledger, side, u64(THREAT_ROOK + 1), popcount(rook_hits & knights))
    score += note(w, ledger, side, u64(THREAT_ROOK + 2), popcount(rook_hits & bishops))
    score += note(w, ledger, side, u64(THREAT_ROOK + 3), popcount(my_rook_hits & theirs & queens))
    score += note(w, ledger, side, u64(THREAT_KING), 1 if KING_STEPS[king] & weak != ZERO else 0)
    hanging = weak & (~hits | others & my_twice)
    score += note(w, ledger, side, u64(THREAT_HANGING), popcount(hanging))
    score += note(w, ledger, side, u64(RESTRICTED), popcount(hits & my_hits & ~guarded))
    return score


def drive(
    king: Any, foe: Any, mine: Any, knights: Any, bishops: Any, others: Any, side: Any, ledger: Any, w: Any
) -> Any:
    """A bare king is mated at the edge, with the other king near; by bishop and knight in the bishop's corner."""
    score = note(w, ledger, side, u64(DRIVE), EDGE[foe])
    score += note(w, ledger, side, u64(DRIVE + 1), 7 - np.int64(DISTANCE[king, foe]))
    if others & mine == ZERO and popcount(knights & mine) == 1 and popcount(bishops & mine) == 1:
        one, other = (u64(0), u64(63)) if bishops & mine & DARK != ZERO else (u64(7), u64(56))
        score += note(w, ledger, side, u64(DRIVE + 2), 7 - np.int64(min(DISTANCE[foe, one], DISTANCE[foe, other])))
    return score


# The sum --------------------------------------------------------------------------------------------------------------


def assess(s: Any, ledger: Any, w: Any) -> Any:
    """All features of the side to move minus the other's, packed."""
    mine, theirs, kings = s.sides[0], s.sides[1], s.kinds[KING]
    pawns, knights, bishops = s.kinds[PAWN], s.kinds[KNIGHT], s.kinds[BISHOP]
    rooks, queens = s.kinds[ROOK], s.kinds[QUEEN]
    turned, against, rulers = byteswap(theirs), byteswap(mine), byteswap(kings)  # Black's view of the board
    peons, horses, clerics = byteswap(pawns), byteswap(knights), byteswap(bishops)
    towers, ladies = byteswap(rooks), byteswap(queens)
    zero, one = np.int64(0), np.int64(1)
    a = survey(mine, theirs, pawns, knights, bishops, rooks, queens, kings, zero, ledger, w)
    b = survey(turned, against, peons, horses, clerics, towers, ladies, rulers, one, ledger, w)
    seat = np.int64(s.seat)
    white = a[0] + judge(
        mine, theirs, pawns, knights, bishops, rooks, queens, kings,
        a, byteswap(b[1]), byteswap(b[2]), byteswap(b[6]), byteswap(b[7]), 1 - seat, zero, ledger, w,
    )  # fmt: skip
    black = b[0] + judge(
        turned, against, peons, horses, clerics, towers, ladies, rulers,
        b, byteswap(a[1]), byteswap(a[2]), byteswap(a[6]), byteswap(a[7]), seat, one, ledger, w,
    )  # fmt: skip
    tempo = note(w, ledger, seat, u64(TEMPO), 1)
    return (white - black if seat == 0 else black - white) + tempo


def phase_of(s: Any) -> Any:
    """24 with all pieces on the board, 0 when only kings and pawns are left."""
    minors = popcount(s.kinds[KNIGHT] | s.kinds[BISHOP])
    heavy = 2 * popcount(s.kinds[ROOK]) + 4 * popcount(s.kinds[QUEEN])
    return min(minors + heavy, WHOLE_PHASE)


def winnable(s: Any, ending: Any) -> Any:
    """How much of the ending's score, given for the side to move, counts, in 64ths.

    The less, the fewer pawns the side that is ahead has, and the nearer the draw by the clock is. Very little where the
    other side can give up a piece for the last pawn, and with bishops on different colours and nothing else.
    """
    strong = s.seat if ending > 0 else 1 - s.seat
    mine, theirs = s.sides[strong], s.sides[1 - strong]
    pawns, bishops, rooks, queens = s.kinds[PAWN], s.kinds[BISHOP], s.kinds[ROOK], s.kinds[QUEEN]
    minors = s.kinds[KNIGHT] | bishops
    count: Any = popcount(pawns & mine)
    counted: Any = np.int64(64)
    if count == 0:
        force = 3 * popcount(minors & mine) + 5 * popcount(rooks & mine) + 9 * popcount(queens & mine)
        against = 3 * popcount(minors & theirs) + 5 * popcount(rooks & theirs) + 9 * popcount(queens & theirs)
        if force - against < 4 or ((rooks | queens | bishops) & mine == ZERO and popcount(minors & mine) <= 2):
            counted = np.int64(5)  # two knights alone cannot force mate
    elif rooks | queens | minors == ZERO:
        if count == 1:
            counted = np.int64(24)
    elif rooks | queens == ZERO and popcount(minors & mine) == 1 and popcount(minors & theirs) == 1:
        if bishops == minors and popcount(bishops & DARK) == 1:
            counted = max(np.int64(4), min(64, 12 * count - 10))
        else:
            counted = np.int64(6) if count == 1 else min(64, 36 + 7 * count)
    else:
        counted = min(64, 36 + 7 * count)
        if queens | minors == ZERO and popcount(rooks & mine) == 1 and popcount(rooks & theirs) == 1:
            one_wing = pawns & LEFT_FILES == ZERO or pawns & ~LEFT_FILES == ZERO
            if count - popcount(pawns & theirs) <= 1 and (count == 1 or one_wing):
                counted = np.int64(24)
    return counted * (200 - np.int64(s.clock)) // 200


def evaluate(s: Any, w: Any) -> Any:
    """Centipawns for the side to move, by the weights `w`."""
    score = assess(s, np.int64(0), w)
    phase = phase_of(s)
    counted = (WHOLE_PHASE - phase) * winnable(s, ending_of(score))
    value = (middle_of(score) * phase * 64 + ending_of(score) * counted) // (WHOLE_PHASE * 64)
    return min(max(value, -MOST_VALUE), MOST_VALUE)


def count_features(s: Any, ledger: Any, w: Any) -> Any:
    """Fill the ledger with how often each feature occurs on each side.

    Returns the phase and how many 64ths of the ending's score count. To be compiled with `note_down` for `note`.
    """
    return phase_of(s), winnable(s, ending_of(assess(s, ledger, w)))
