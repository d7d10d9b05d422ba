"""What a chess position is worth: a sum of named features, each with a weight for the middle game and the ending.

Both sides are looked at alike: for Black the board is turned upside down, so that "up" is forward. Every feature goes
through `note`, which weighs it; for explanations and for tuning the same code is compiled with a `note` that also
writes down how often each feature occurred. A weight holds two numbers in one word, so that one addition adds both:
the middle game's in the low half, the ending's in the high half. The phase of the game says how they mix.

The knight follows the worked example of the textbooks: 350 points, a bonus of 0 to 100 from the corner to the centre,
some for standing near enemy pieces, more so late in the game, and for a place that enemy pawns leave alone, less one
point for each square of distance from either king; and all of it counts less in the ending.
"""

from __future__ import annotations

import math
from collections.abc import Callable
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
from gametree.kernels import ONE, ZERO, Rules, byteswap, popcount, u64

__all__ = [
    "FEATURES",
    "TERMS",
    "UNIT",
    "WEIGHTS",
    "assess",
    "evaluate",
    "expectation",
    "explain_terms",
    "note",
    "note_down",
    "phase_of",
]

UNIT = 100
"""Values are in centipawns."""
MOST_VALUE = 20_000
"""Estimates stay within ± this, below any win."""
WHOLE_PHASE = 24


# Features and weights -------------------------------------------------------------------------------------------------

TERMS: list[tuple[str, int, int]] = []
"""Name of a term, its first feature, and the one behind its last."""
_weights: list[int] = []


def _pack(middle: float, ending: float) -> int:
    return round(middle) + (round(ending) << 32)


def _term(name: str, *weights: tuple[float, float]) -> int:
    """Append a term's features; returns the number of the first."""
    start = len(_weights)
    _weights.extend(_pack(*weight) for weight in weights)
    TERMS.append((name, start, len(_weights)))
    return start


def _squares(worth: Callable[[int, int], tuple[float, float]]) -> list[tuple[float, float]]:
    """A weight for every square by rank and file, each 0–7 from the own side."""
    return [worth(square // 8, square % 8) for square in range(64)]


def _centre(rank: int, file: int) -> float:
    """0 in the corners, 1 on the four squares in the middle."""
    return 1 - math.hypot(rank - 3.5, file - 3.5) / math.hypot(3.5, 3.5) + math.hypot(0.5, 0.5) / math.hypot(3.5, 3.5)


def _middle_file(file: int) -> float:
    """0 at the edge, 1 in the middle."""
    return 1 - abs(file - 3.5) / 3.5


def _pawn_square(rank: int, file: int) -> tuple[float, float]:
    push = (0, 0, 2, 6, 14, 28, 55, 0)[rank]
    centre = 22 * _middle_file(file) * (1 if 2 <= rank <= 4 else 0)
    return push * 0.7 + centre - (8 if file in (0, 7) else 0), push * 0.8


def _bishop_square(rank: int, file: int) -> tuple[float, float]:
    return 22 * _centre(rank, file) - (12 if rank == 0 else 0), 12 * _centre(rank, file)


def _rook_square(rank: int, file: int) -> tuple[float, float]:
    return 10 * _middle_file(file) + (6 if rank >= 5 else 0) - (4 if rank in (1, 2) else 0), 2.0 * (rank >= 4)


def _queen_square(rank: int, file: int) -> tuple[float, float]:
    return 6 * _centre(rank, file) - (4 if rank >= 4 else 0), 35 * _centre(rank, file)


def _king_square(rank: int, file: int) -> tuple[float, float]:
    home = (22, 4, -25, -45, -55, -60, -60, -60)[rank]
    wing = -24 * _middle_file(file) if rank < 3 else 0
    return home + wing, 62 * _centre(rank, file) - (12 if rank == 0 else 0)


MATERIAL = _term("material", (88, 112), (350, 320), (380, 345), (520, 590), (1130, 1090))
PAWN_SQUARE = _term("pawn squares", *_squares(_pawn_square))
BISHOP_SQUARE = _term("bishop squares", *_squares(_bishop_square))
ROOK_SQUARE = _term("rook squares", *_squares(_rook_square))
QUEEN_SQUARE = _term("queen squares", *_squares(_queen_square))
KING_SQUARE = _term("king squares", *_squares(_king_square))
KNIGHT_CENTRE = _term("knight: centre", *_squares(lambda r, f: (100 * _centre(r, f), 60 * _centre(r, f))))
KNIGHT_NEAR = _term("knight: near enemy pieces", (1, 4))
KNIGHT_OUTPOST = _term("knight: safe from pawns", (14, 10), (18, 14))  # nobody can drive it away; and it is protected
KNIGHT_KINGS = _term("knight: distance from the kings", (-1, -1))
KNIGHT_MOVES = _term("mobility: knights", *[(5.5 * (n - 4), 5 * (n - 4)) for n in range(9)])
BISHOP_MOVES = _term("mobility: bishops", *[(22 * math.sqrt(n) - 50, 24 * math.sqrt(n) - 56) for n in range(14)])
ROOK_MOVES = _term("mobility: rooks", *[(12 * math.sqrt(n) - 30, 28 * math.sqrt(n) - 70) for n in range(15)])
QUEEN_MOVES = _term("mobility: queens", *[(9 * math.sqrt(n) - 30, 18 * math.sqrt(n) - 62) for n in range(28)])
BISHOP_PAIR = _term("bishop pair", (28, 50))
ROOK_FILE = _term("rooks on files", (32, 12), (14, 8))  # open, half open
ROOK_SEVENTH = _term("rooks on the seventh rank", (6, 18))
DOUBLED = _term("pawns: doubled", (-8, -22))
ISOLATED = _term("pawns: isolated", (-12, -14))
BACKWARD = _term("pawns: backward", (-10, -10))
CONNECTED = _term("pawns: side by side or protected", (4, 5), (7, 10), (9, 15), (14, 20), (28, 25), (50, 30))
PASSED = _term("passed pawns", (0, 8), (2, 12), (5, 28), (15, 58), (38, 105), (80, 165))  # on ranks 2 to 7
PASSED_FREE = _term("passed pawns: free to move on", *[(0, 5 * max(0, rank - 2)) for rank in range(1, 7)])
PASSED_SAFE = _term("passed pawns: protected", (6, 12))
PASSED_KINGS = _term("passed pawns: kings near the square ahead", (0, -8), (0, 12))  # own king, enemy king; per step
SHELTER = _term("king: pawns before it", (18, 0), (9, 0))  # on the next rank, on the one after
KING_OPEN = _term("king: open files beside it", (-22, 0))
ATTACK = _term("king: under attack", *[(min(520, 0.28 * n * n + 0.8 * n), 0.04 * n * n) for n in range(64)])
# A pawn hits a piece; a minor piece a rook or queen; anything a minor piece that no pawn protects.
THREAT = _term("threats", (58, 42), (34, 30), (30, 34))
SPACE = _term("space", (2, 0))
TEMPO = _term("tempo", (18, 10))
FEATURES = len(_weights)
WEIGHTS = np.array(_weights, np.int64)
"""Both weights of every feature, packed; see `middle_of` and `ending_of`."""

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


def middle_of(score: Any) -> Any:
    """The middle game's half of a packed score."""
    return (score + np.int64(1 << 31) & np.int64(0xFFFFFFFF)) - np.int64(1 << 31)


def ending_of(score: Any) -> Any:
    """The ending's half of a packed score."""
    return score + np.int64(1 << 31) >> np.int64(32)


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
    """White's features minus Black's, packed, without the tempo."""
    white = assess_side(
        s.sides[0], s.sides[1], s.kinds[PAWN], s.kinds[KNIGHT], s.kinds[BISHOP], s.kinds[ROOK], s.kinds[QUEEN],
        s.kinds[KING], np.int64(0), ledger,
    )  # fmt: skip
    black = assess_side(
        byteswap(s.sides[1]), byteswap(s.sides[0]), byteswap(s.kinds[PAWN]), byteswap(s.kinds[KNIGHT]),
        byteswap(s.kinds[BISHOP]), byteswap(s.kinds[ROOK]), byteswap(s.kinds[QUEEN]), byteswap(s.kinds[KING]),
        np.int64(1), ledger,
    )  # fmt: skip
    return white - black


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
    score = assess(s, np.int64(0))
    # For the mover before anything is rounded, so that both colours are rounded alike.
    value = mix_phases(score if s.seat == 0 else -score, phase_of(s))
    value = value * winnable(s, value) // 64
    value += mix_phases(WEIGHTS[TEMPO], phase_of(s))
    return min(max(value, -MOST_VALUE), MOST_VALUE)


# Explanations ---------------------------------------------------------------------------------------------------------


def count_features(states: Any, ledger: Any) -> Any:
    """Fill the ledger with how often each feature occurs on each side; returns the phase and the 64ths that count."""
    s = states[0]
    score = assess(s, ledger)
    value = mix_phases(score if s.seat == 0 else -score, phase_of(s))
    return phase_of(s), winnable(s, value)


def explain_terms(rules: Rules, states: Any, value: float) -> list[tuple[str, float, float]]:
    """Every term with White's and Black's share in `value`, the estimate in pawns for the side to move.

    Shares are exact; what rounding to centipawns takes off is a term of its own.
    """
    ledger = np.zeros((2, FEATURES), np.int64)
    phase, counted = (int(x) for x in rules.kernel(count_features, note=note_down)(states, ledger))
    seat = int(states[0].seat)
    middle = np.array([int(middle_of(weight)) for weight in WEIGHTS])
    ending = np.array([int(ending_of(weight)) for weight in WEIGHTS])
    shares = ledger * (middle * phase + ending * (WHOLE_PHASE - phase)) / WHOLE_PHASE / UNIT * counted / 64
    shares[0 if seat == 1 else 1] *= -1
    found = [
        (name, float(shares[0, start:end].sum()), float(shares[1, start:end].sum()))
        for name, start, end in TERMS
        if name != "tempo"
    ]
    tempo = float(mix_phases(WEIGHTS[TEMPO], np.int64(phase))) / UNIT
    found.append(("tempo", tempo, 0.0) if seat == 0 else ("tempo", 0.0, tempo))
    rest = value - math.fsum(share for term in found for share in term[1:])
    found.append(("rounding", rest, 0.0))
    return found


def expectation(pawns: float) -> float:
    """The expected result, 0 to 1, of an advantage in pawns: wins count 1, draws ½.

    The chances of the categories win and loss follow a logistic curve; the rest are draws.
    """
    win = 1 / (1 + math.exp(1.2 - 1.5 * pawns))
    loss = 1 / (1 + math.exp(1.2 + 1.5 * pawns))
    return win + (1 - win - loss) / 2
