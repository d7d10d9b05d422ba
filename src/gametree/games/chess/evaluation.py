"""What a chess position is worth: a sum of named features, each with a weight for the middle game and the ending.

Both sides are looked at alike: for Black the board is turned upside down, so that "up" is forward. Every feature goes
through `note`, which weighs it; for explanations and for tuning the same code is compiled with a `note` that also
writes down how often each feature occurred. The features and their weights are in `terms`; the phase of the game says
how the weights for the middle game and for the ending mix.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from gametree.games.chess.board import (
    BISHOP,
    FILE_A,
    FILE_H,
    KING,
    KING_STEPS,
    KNIGHT,
    KNIGHT_STEPS,
    PAWN,
    QUEEN,
    ROOK,
    bishop_attacks,
    first,
    rook_attacks,
)
from gametree.games.chess.draws import DARK
from gametree.games.chess.terms import (
    ATTACK,
    BACKWARD,
    BISHOP_MOVES,
    BISHOP_PAIR,
    BISHOP_SQUARE,
    CONNECTED,
    DOUBLED,
    ISOLATED,
    KING_OPEN,
    KING_SQUARE,
    KNIGHT_CENTRE,
    KNIGHT_KINGS,
    KNIGHT_MOVES,
    KNIGHT_NEAR,
    KNIGHT_OUTPOST,
    MATERIAL,
    PASSED,
    PASSED_FREE,
    PASSED_KINGS,
    PASSED_SAFE,
    PAWN_SQUARE,
    QUEEN_MOVES,
    QUEEN_SQUARE,
    ROOK_FILE,
    ROOK_MOVES,
    ROOK_SEVENTH,
    ROOK_SQUARE,
    SHELTER,
    SPACE,
    TEMPO,
    THREAT,
    TUNED,
    ending_of,
    middle_of,
)
from gametree.kernels import ONE, ZERO, byteswap, popcount, u64

__all__ = [
    "UNIT",
    "WEIGHTS",
    "WHOLE_PHASE",
    "count_features",
    "evaluate",
    "note",
    "note_down",
    "phase_of",
]

UNIT = 100
"""Values are in centipawns."""
MOST_VALUE = 20_000
"""Estimates stay within ± this, below any win."""
WHOLE_PHASE = 24
WEIGHTS = TUNED
"""Both weights of every feature, packed; a game with weights of its own puts them in this place."""

CENTRE_FILES = u64(0x3C3C3C3C3C3C3C3C)
ATTACK_UNITS = np.array([0, 0, 4, 4, 6, 9, 0], np.int64)  # what a kind adds by looking at the squares around the king


def _distances() -> Any:
    """Steps of a king between any two squares."""
    return np.array([[max(abs(a // 8 - b // 8), abs(a % 8 - b % 8)) for b in range(64)] for a in range(64)], np.int8)


def _within_two() -> Any:
    """The squares within two king's steps."""
    return np.array([sum(1 << b for b in range(64) if 0 < DISTANCE[a, b] <= 2) for a in range(64)], np.uint64)


DISTANCE = _distances()
NEAR = _within_two()


def note(ledger: Any, side: Any, feature: Any, times: Any) -> Any:
    """The weight of a feature that occurs so many times."""
    return WEIGHTS[feature] * times


def note_down(ledger: Any, side: Any, feature: Any, times: Any) -> Any:
    """The same, and the ledger, of shape (2, FEATURES), counts it."""
    ledger[side, feature] += times
    return WEIGHTS[feature] * times


# The sum --------------------------------------------------------------------------------------------------------------


def beside(board: Any) -> Any:
    """The squares left and right of those on the board."""
    return (board & ~FILE_A) >> ONE | (board & ~FILE_H) << ONE


def up(board: Any) -> Any:
    """All squares of the board and above."""
    board |= board << u64(8)
    board |= board << u64(16)
    return board | board << u64(32)


def down(board: Any) -> Any:
    """All squares of the board and below."""
    board |= board >> u64(8)
    board |= board >> u64(16)
    return board | board >> u64(32)


def hit_up(pawns: Any) -> Any:
    """What pawns that go up attack."""
    return beside(pawns) << u64(8)


def hit_down(pawns: Any) -> Any:
    """What pawns that go down attack."""
    return beside(pawns) >> u64(8)


def assess_pawns(mine: Any, theirs: Any, occupied: Any, king: Any, foe: Any, side: Any, ledger: Any) -> Any:
    """The own pawns, which go up: squares, structure, and those that nothing can stop."""
    score = np.int64(0)
    pawns = mine
    while pawns != ZERO:
        score += note(ledger, side, u64(PAWN_SQUARE) + first(pawns), 1)
        pawns &= pawns - ONE
    ahead_of_mine = up(mine) << u64(8)
    files = up(mine) | down(mine)
    score += note(ledger, side, u64(DOUBLED), popcount(mine & ahead_of_mine))
    isolated = mine & ~beside(files)
    score += note(ledger, side, u64(ISOLATED), popcount(isolated))
    # Backward: the square ahead is hit by an enemy pawn, and no own pawn can ever protect it.
    held = up(hit_up(mine))
    stops = mine << u64(8)
    score += note(ledger, side, u64(BACKWARD), popcount(stops & hit_down(theirs) & ~held & ~(isolated << u64(8))))
    connected = mine & (beside(mine) | hit_up(mine))
    while connected != ZERO:
        score += note(ledger, side, u64(CONNECTED - 1) + (first(connected) >> u64(3)), 1)
        connected &= connected - ONE

    spans = down(theirs) >> u64(8)
    passed = mine & ~(spans | beside(spans)) & ~(down(mine) >> u64(8))
    protected = hit_up(mine)
    while passed != ZERO:
        square = first(passed)
        rank = square >> u64(3)
        stop = square + u64(8)
        score += note(ledger, side, u64(PASSED - 1) + rank, 1)
        if occupied >> stop & ONE == ZERO:
            score += note(ledger, side, u64(PASSED_FREE - 1) + rank, 1)
        if protected >> square & ONE != ZERO:
            score += note(ledger, side, u64(PASSED_SAFE), 1)
        if rank >= u64(3):
            weight = np.int64(rank) - 2
            score += note(ledger, side, u64(PASSED_KINGS), weight * DISTANCE[king, stop] // 2)
            score += note(ledger, side, u64(PASSED_KINGS + 1), weight * DISTANCE[foe, stop] // 2)
        passed &= passed - ONE
    return score


def assess_side(
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
) -> Any:
    """All features of one side, packed; its pawns go up."""
    occupied = mine | theirs
    king, foe = first(kings & mine), first(kings & theirs)
    my_pawns, their_pawns = pawns & mine, pawns & theirs
    their_hits = hit_down(their_pawns)
    my_hits = hit_up(my_pawns)
    score = assess_pawns(my_pawns, their_pawns, occupied, king, foe, side, ledger)
    score += note(ledger, side, u64(MATERIAL), popcount(my_pawns))

    # Pieces are free to go where neither own pawns and the king stand nor enemy pawns hit.
    free = ~(my_pawns | kings & mine | their_hits)
    zone = KING_STEPS[foe] | ONE << foe
    zone |= zone >> u64(8)
    zone &= ~hit_down(their_pawns & hit_down(their_pawns))  # squares that two pawns guard are no way in
    attackers = np.int64(0)
    units = np.int64(0)
    hit = my_hits  # by anything
    hit_by_minor = ZERO

    pieces = knights & mine
    others = theirs & ~pawns
    safe = ~down(their_hits) & u64(0x0000FFFFFF000000)  # ranks 4 to 6, where no enemy pawn can ever hit
    score += note(ledger, side, u64(MATERIAL + 1), popcount(pieces))
    while pieces != ZERO:
        square = first(pieces)
        seen = KNIGHT_STEPS[square]
        hit |= seen
        hit_by_minor |= seen
        score += note(ledger, side, u64(KNIGHT_CENTRE) + square, 1)
        score += note(ledger, side, u64(KNIGHT_NEAR), 1 if NEAR[square] & others != ZERO else 0)
        if safe >> square & ONE != ZERO:
            score += note(ledger, side, u64(KNIGHT_OUTPOST), 1)
            if my_hits >> square & ONE != ZERO:
                score += note(ledger, side, u64(KNIGHT_OUTPOST + 1), 1)
        score += note(ledger, side, u64(KNIGHT_KINGS), np.int64(DISTANCE[square, king]) + DISTANCE[square, foe])
        score += note(ledger, side, u64(KNIGHT_MOVES + popcount(seen & free)), 1)
        if seen & zone != ZERO:
            attackers += 1
            units += ATTACK_UNITS[KNIGHT] + popcount(seen & zone)
        pieces &= pieces - ONE

    pieces = bishops & mine
    score += note(ledger, side, u64(MATERIAL + 2), popcount(pieces))
    if pieces & DARK != ZERO and pieces & ~DARK != ZERO:
        score += note(ledger, side, u64(BISHOP_PAIR), 1)
    while pieces != ZERO:
        square = first(pieces)
        # Own queens do not stand in the way: the pieces support each other on one line.
        seen = bishop_attacks(square, occupied ^ queens & mine)
        hit |= seen
        hit_by_minor |= seen
        score += note(ledger, side, u64(BISHOP_SQUARE) + square, 1)
        score += note(ledger, side, u64(BISHOP_MOVES + popcount(seen & free)), 1)
        if seen & zone != ZERO:
            attackers += 1
            units += ATTACK_UNITS[BISHOP] + popcount(seen & zone)
        pieces &= pieces - ONE

    pieces = rooks & mine
    if pieces != ZERO:
        score += note(ledger, side, u64(MATERIAL + 3), popcount(pieces))
        closed = up(my_pawns) | down(my_pawns)
        half_closed = up(their_pawns) | down(their_pawns)
        open_files = pieces & ~(closed | half_closed)
        score += note(ledger, side, u64(ROOK_FILE), popcount(open_files))
        score += note(ledger, side, u64(ROOK_FILE + 1), popcount(pieces & ~closed & half_closed))
        if (their_pawns | kings & theirs) >> u64(48) != ZERO:
            score += note(ledger, side, u64(ROOK_SEVENTH), popcount(pieces & u64(0xFF << 48)))
    while pieces != ZERO:
        square = first(pieces)
        seen = rook_attacks(square, occupied ^ (rooks | queens) & mine)
        hit |= seen
        score += note(ledger, side, u64(ROOK_SQUARE) + square, 1)
        score += note(ledger, side, u64(ROOK_MOVES + popcount(seen & free)), 1)
        if seen & zone != ZERO:
            attackers += 1
            units += ATTACK_UNITS[ROOK] + popcount(seen & zone)
        pieces &= pieces - ONE

    pieces = queens & mine
    score += note(ledger, side, u64(MATERIAL + 4), popcount(pieces))
    while pieces != ZERO:
        square = first(pieces)
        seen = bishop_attacks(square, occupied) | rook_attacks(square, occupied)
        hit |= seen
        score += note(ledger, side, u64(QUEEN_SQUARE) + square, 1)
        score += note(ledger, side, u64(QUEEN_MOVES + popcount(seen & free)), 1)
        if seen & zone != ZERO:
            attackers += 1
            units += ATTACK_UNITS[QUEEN] + popcount(seen & zone)
        pieces &= pieces - ONE

    # One piece alone does not attack a king; without the queen it takes three.
    if attackers >= (2 if queens & mine != ZERO else 3):
        if units > 63:
            units = np.int64(63)
        score += note(ledger, side, u64(ATTACK) + u64(units), 1)

    score += note(ledger, side, u64(KING_SQUARE) + king, 1)
    row = kings & mine | beside(kings & mine)
    score += note(ledger, side, u64(SHELTER), popcount(my_pawns & row << u64(8)))
    score += note(ledger, side, u64(SHELTER + 1), popcount(my_pawns & row << u64(16)))
    bare = down(row) & ~down(my_pawns) & u64(0xFF)
    if queens & theirs != ZERO:
        score += note(ledger, side, u64(KING_OPEN), popcount(bare))

    targets = theirs & ~pawns & ~kings
    score += note(ledger, side, u64(THREAT), popcount(my_hits & targets))
    score += note(ledger, side, u64(THREAT + 1), popcount(hit_by_minor & theirs & (rooks | queens)))
    score += note(ledger, side, u64(THREAT + 2), popcount(hit & ~their_hits & targets & (knights | bishops)))
    room = CENTRE_FILES & u64(0x00000000FFFFFF00) & ~my_pawns & ~their_hits
    score += note(ledger, side, u64(SPACE), popcount(room & down(my_pawns)))
    return score


def assess(s: Any, ledger: Any) -> Any:
    """All features of the side to move minus the other's, packed."""
    white = assess_side(
        s.sides[0], s.sides[1], s.kinds[PAWN], s.kinds[KNIGHT], s.kinds[BISHOP], s.kinds[ROOK], s.kinds[QUEEN],
        s.kinds[KING], np.int64(0), ledger,
    )  # fmt: skip
    black = assess_side(
        byteswap(s.sides[1]), byteswap(s.sides[0]), byteswap(s.kinds[PAWN]), byteswap(s.kinds[KNIGHT]),
        byteswap(s.kinds[BISHOP]), byteswap(s.kinds[ROOK]), byteswap(s.kinds[QUEEN]), byteswap(s.kinds[KING]),
        np.int64(1), ledger,
    )  # fmt: skip
    tempo = note(ledger, np.int64(s.seat), u64(TEMPO), 1)
    return (white - black if s.seat == 0 else black - white) + tempo


def phase_of(s: Any) -> Any:
    """24 with all pieces on the board, 0 when only kings and pawns are left."""
    minors = popcount(s.kinds[KNIGHT] | s.kinds[BISHOP])
    heavy = 2 * popcount(s.kinds[ROOK]) + 4 * popcount(s.kinds[QUEEN])
    return min(minors + heavy, WHOLE_PHASE)


def mix_phases(score: Any, phase: Any) -> Any:
    """A packed score as centipawns."""
    return (middle_of(score) * phase + ending_of(score) * (WHOLE_PHASE - phase)) // WHOLE_PHASE


def winnable(s: Any, value: Any) -> Any:
    """How much of an advantage counts, in 64ths: little for a side without pawns that is less than a rook ahead, and
    half with nothing but bishops that go on different colours. `value` is for the side to move.
    """
    strong = s.seat if value > 0 else 1 - s.seat
    mine, theirs = s.sides[strong], s.sides[1 - strong]
    pawns, minors = s.kinds[PAWN], s.kinds[KNIGHT] | s.kinds[BISHOP]
    heavy = s.kinds[ROOK] | s.kinds[QUEEN]
    if pawns & mine == ZERO:
        force = 3 * popcount(minors & mine) + 5 * popcount(s.kinds[ROOK] & mine) + 9 * popcount(s.kinds[QUEEN] & mine)
        against = 3 * popcount(minors & theirs) + 5 * popcount(s.kinds[ROOK] & theirs)
        against += 9 * popcount(s.kinds[QUEEN] & theirs)
        if force - against < 4:
            return 12
        # Two knights alone cannot force mate.
        if heavy & mine == ZERO and s.kinds[BISHOP] & mine == ZERO and popcount(minors & mine) <= 2:
            return 4
    bishops = s.kinds[BISHOP]
    one_each = popcount(bishops & mine) == 1 and popcount(bishops & theirs) == 1
    if one_each and heavy | s.kinds[KNIGHT] == ZERO and popcount(bishops & DARK) == 1:
        return 32
    return 64


def evaluate(s: Any) -> Any:
    """Centipawns for the side to move."""
    value = mix_phases(assess(s, np.int64(0)), phase_of(s))
    value = value * winnable(s, value) // 64
    return min(max(value, -MOST_VALUE), MOST_VALUE)


def count_features(s: Any, ledger: Any) -> Any:
    """Fill the ledger with how often each feature occurs on each side; returns the phase and the 64ths that count.

    To be compiled with `note_down` in the place of `note`.
    """
    phase = phase_of(s)
    return phase, winnable(s, mix_phases(assess(s, ledger), phase))
