"""What the umpire of Kriegspiel keeps and says: the struct, the tries that a side may make, and the announcements.

The struct has every field of the board of chess under the same name, so that the functions of chess work on it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from gametree.games.chess.board import (
    BETWEEN,
    BISHOP,
    KING,
    KING_STEPS,
    KNIGHT,
    KNIGHT_STEPS,
    PAWN,
    PAWN_STEPS,
    QUEEN,
    RANK_1,
    RANK_8,
    ROOK,
    bishop_attacks,
    checkers,
    first,
    rook_attacks,
)
from gametree.games.chess.draws import lacks_material
from gametree.games.chess.moves import (
    ALL,
    CASTLING,
    castling_squares,
    from_square,
    generate,
    moving_kind,
    promoted_kind,
    special,
    to_square,
)
from gametree.games.chess.terms import Weights as ChessWeights
from gametree.kernels import ONE, ZERO, struct, u64

__all__ = [
    "ASK",
    "ASKING",
    "BY_NUMBER",
    "BY_SQUARE",
    "CLOCK",
    "DEAD",
    "FIFTY",
    "FILE",
    "FREE",
    "KINDS",
    "KNIGHT_CHECK",
    "LONG",
    "MATE",
    "MUST",
    "NO",
    "ONE_TRY",
    "PASSING",
    "PLAYING",
    "PROMOTION",
    "PUBLIC",
    "RANK",
    "SHORT",
    "STALEMATE",
    "STALEMATE_LOSES",
    "TRIES",
    "TWO",
    "UNTIL_DONE",
    "YES_OR_NO",
    "State",
    "Weights",
    "announce",
    "find_move",
    "list_tries",
    "may_castle",
    "try_from",
    "try_to",
    "try_turned",
]

MOST_LEGAL = 256

State = struct(
    # The board, as in chess.
    sides=("u8", 2),
    kinds=("u8", 7),
    castlers="u8",
    hash="u8",
    # What the umpire told the side to move: the pawns that can take, and for each square of its own men where from it
    # has tried in vain to go in this turn.
    sources="u8",
    refused=("u8", 64),
    plies="u4",
    clock="u2",
    seat="u1",
    en_passant="u1",
    moved="u1",  # 0: nobody has moved yet, and everybody knows how the men were set up
    refusals="u1",
    asked="u1",  # NO, MUST and FREE: what came of asking for pawn captures; 0: not asked
    verdict="u1",
    checks="u1",  # FILE, RANK, LONG, SHORT, KNIGHT_CHECK and TWO
    tries="u1",  # how many pawn captures the side to move has, or whether it has any, if the umpire tells
    taken="u1",  # 1 + the square on which the last move took something
    taken_kind="u1",  # 1 a pawn, 2 a piece, if the umpire tells
    passing="u1",  # whether that was in passing, if the umpire tells
    promoted="u1",  # whether the last move promoted a pawn, if the umpire tells
    left=("u1", 2),  # the men that each side still has
)

# The rules are data, so that all kinds of umpires share one compile.
KINDS, TRIES, ASKING, PUBLIC, PASSING, PROMOTION, STALEMATE_LOSES, CLOCK = range(8)
YES_OR_NO, BY_NUMBER, BY_SQUARE = 1, 2, 3
"""How the umpire tells of pawn captures."""
ONE_TRY, UNTIL_DONE = 1, 2
"""What a player owes who asked for pawn captures and heard that there are some."""

Weights = struct(packed=ChessWeights["packed"].subdtype, told=("u2", 8))
"""The weights of chess's estimate, and what the umpire tells."""

PLAYING, MATE, STALEMATE, DEAD, FIFTY = range(5)
FILE, RANK, LONG, SHORT, KNIGHT_CHECK, TWO = 1, 2, 4, 8, 16, 32
NO, MUST, FREE = 1, 2, 3
ASK = 1 << 15
"""The question for pawn captures, where the rules allow it; all other numbers are tries."""


# Tries ----------------------------------------------------------------------------------------------------------------


def try_from(m: Any) -> Any:
    """Where the man comes from, as an unsigned word."""
    return u64(m & 63)


def try_to(m: Any) -> Any:
    """Where it wants to go; the king's square if it castles."""
    return u64(m >> 6 & 63)


def try_turned(m: Any) -> Any:
    """What a pawn would become; 0 if nothing."""
    return u64(m >> 12 & 7)


def add_tries(s: Any, out: Any, n: Any, start: Any, targets: Any) -> Any:
    """Append a man's tries to all targets that were not refused."""
    targets &= ~s.refused[start]
    while targets != ZERO:
        out[n] = np.int64(start) | np.int64(first(targets)) << 6
        n += 1
        targets &= targets - ONE
    return n


def add_pawn_tries(s: Any, out: Any, n: Any, start: Any, targets: Any) -> Any:
    """Append a pawn's tries, four to every square on which it would be promoted."""
    last = targets & (RANK_1 | RANK_8) & ~s.refused[start]
    while last != ZERO:
        base = np.int64(start) | np.int64(first(last)) << 6
        out[n] = base | QUEEN << 12
        out[n + 1] = base | KNIGHT << 12
        out[n + 2] = base | ROOK << 12
        out[n + 3] = base | BISHOP << 12
        n += 4
        last &= last - ONE
    return add_tries(s, out, n, start, targets & ~(RANK_1 | RANK_8))


def may_castle(s: Any, rook: Any) -> Any:
    """Whether no man of its own stands in the way of castling with this rook."""
    mine = s.sides[s.seat]
    king = first(s.kinds[KING] & mine)
    king_to, rook_to = castling_squares(king, rook)
    way = BETWEEN[king, king_to] | ONE << king_to | BETWEEN[rook, rook_to] | ONE << rook_to
    return way & (mine ^ ONE << king ^ ONE << rook) == ZERO


def pawn_takers(s: Any, w: Any) -> Any:
    """The pawns that may try to take, after what the umpire has said."""
    pawns = s.kinds[PAWN] & s.sides[s.seat]
    told = w.told[TRIES]
    if told == BY_SQUARE:
        return s.sources & pawns
    if s.asked == NO or (told != 0 and s.tries == 0):
        return ZERO
    return pawns


def list_tries(s: Any, out: Any, w: Any) -> Any:
    """Write all that the side to move may try into `out` and return how many: what its own men alone do not forbid.

    Reads nothing but its own men and what it was told. Room for 320 is enough.
    """
    us = s.seat
    mine = s.sides[us]
    takers = pawn_takers(s, w)
    n = np.int64(0)
    pawns = s.kinds[PAWN] & mine
    while pawns != ZERO:
        start = first(pawns)
        here = ONE << start
        targets = ZERO
        if takers & here != ZERO:
            targets = PAWN_STEPS[us, start] & ~mine
        if s.asked != MUST:
            one = (here << u64(8) if us == 0 else here >> u64(8)) & ~mine
            targets |= one
            if one != ZERO and start >> u64(3) == (u64(1) if us == 0 else u64(6)):
                targets |= (one << u64(8) if us == 0 else one >> u64(8)) & ~mine
        n = add_pawn_tries(s, out, n, start, targets)
        pawns &= pawns - ONE
    if s.asked == MUST:
        return n
    pieces = mine & ~s.kinds[PAWN]
    while pieces != ZERO:
        start = first(pieces)
        here = ONE << start
        targets = ZERO
        if s.kinds[KNIGHT] & here != ZERO:
            targets = KNIGHT_STEPS[start]
        elif s.kinds[KING] & here != ZERO:
            targets = KING_STEPS[start]
            rooks = s.castlers & mine
            while rooks != ZERO:
                rook = first(rooks)
                if may_castle(s, rook):
                    targets |= ONE << castling_squares(start, rook)[0]
                rooks &= rooks - ONE
        if (s.kinds[BISHOP] | s.kinds[QUEEN]) & here != ZERO:
            targets |= bishop_attacks(start, mine)
        if (s.kinds[ROOK] | s.kinds[QUEEN]) & here != ZERO:
            targets |= rook_attacks(start, mine)
        n = add_tries(s, out, n, start, targets & ~mine)
        pieces &= pieces - ONE
    if w.told[ASKING] != 0 and s.asked == 0:
        out[n] = ASK
        n += 1
    return n


def find_move(s: Any, out: Any, m: Any) -> Any:
    """The legal move of chess that a try means, −1 if the umpire must refuse it; `out` is scratch space for 256."""
    start, to, turned = try_from(m), try_to(m), try_turned(m)
    for i in range(generate(s, out, ALL)):
        move = np.int64(out[i])
        if from_square(move) != start:
            continue
        goes = to_square(move)
        if special(move) == CASTLING:
            goes = castling_squares(start, goes)[0]
        if goes == to and promoted_kind(move) == turned:
            return move
    return np.int64(-1)


# Announcements --------------------------------------------------------------------------------------------------------


def direction(king: Any, checker: Any) -> Any:
    """How a check is announced by where it comes from. The long diagonal through a square is the one that nears the
    centre.
    """
    rank, file = np.int64(king >> u64(3)), np.int64(king & u64(7))
    up, right = np.int64(checker >> u64(3)) - rank, np.int64(checker & u64(7)) - file
    if right == 0:
        return FILE
    if up == 0:
        return RANK
    if up != right and up != -right:
        return KNIGHT_CHECK
    rising_is_long = (rank < 4) == (file < 4)
    return LONG if (up == right) == rising_is_long else SHORT


def announce(s: Any, w: Any) -> None:
    """What the umpire says to the side to move: how it is in check, which pawn captures it has, how the game ended."""
    out = np.empty(MOST_LEGAL, np.int64)
    count = generate(s, out, ALL)
    s.verdict, s.checks, s.tries, s.sources = PLAYING, 0, 0, 0
    attackers = checkers(s)
    if count == 0:
        s.verdict = MATE if attackers != ZERO else STALEMATE
    elif s.kinds[PAWN] | s.kinds[ROOK] | s.kinds[QUEEN] == ZERO and lacks_material(s):
        s.verdict = DEAD
    elif s.clock >= w.told[CLOCK]:
        s.verdict = FIFTY
    if s.verdict != PLAYING:
        return
    if attackers != ZERO:
        king = first(s.kinds[KING] & s.sides[s.seat])
        found = direction(king, first(attackers))
        attackers &= attackers - ONE
        if attackers != ZERO:
            found |= TWO | direction(king, first(attackers))
        s.checks = found
    told = w.told[TRIES]
    if told != 0:
        theirs = s.sides[1 - s.seat]
        tries, sources = 0, ZERO
        for i in range(count):
            move = np.int64(out[i])
            turned = promoted_kind(move)
            takes = (ONE << to_square(move)) & theirs != ZERO or (s.en_passant != 0 and to_square(move) == s.en_passant)
            if moving_kind(move) == u64(PAWN) and takes and (turned == ZERO or turned == u64(QUEEN)):
                tries += 1
                sources |= ONE << from_square(move)
        if told == BY_SQUARE:
            s.sources = sources
        else:
            s.tries = min(tries, 1) if told == YES_OR_NO else tries
