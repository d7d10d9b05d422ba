"""The chess board as a struct of bitboards, and what attacks what.

Square 0 is a1, 7 is h1, 63 is h8; a bitboard has bit n set for square n. Colours are 0 (White) and 1 (Black), which are
also the seats. Kinds of pieces are 1–6: pawn, knight, bishop, rook, queen, king; 0 is none.

Sliding attacks need no large tables: along each of the four lines through a square, the nearest pieces on both sides
are the highest bit below and the lowest bit above it, and one subtraction fills the gap between them (the "obstruction
difference"). So all tables together take a few kilobytes and stay in the nearest cache.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from gametree.kernels import ONE, ZERO, clz, ctz, struct, u64, zobrist_keys

__all__ = [
    "BETWEEN",
    "BISHOP",
    "BLACK",
    "EN_PASSANT_KEYS",
    "FILE_A",
    "FILE_H",
    "KING",
    "KING_STEPS",
    "KNIGHT",
    "KNIGHT_STEPS",
    "LINE",
    "NO_KIND",
    "PAWN",
    "PAWN_STEPS",
    "PIECE_KEYS",
    "QUEEN",
    "RANK_1",
    "RANK_8",
    "RIGHT_KEYS",
    "ROOK",
    "TURN_KEY",
    "WHITE",
    "State",
    "attackers",
    "bishop_attacks",
    "checkers",
    "first",
    "in_check",
    "is_attacked",
    "key_of",
    "kind_at",
    "last_rank",
    "position_hash",
    "rook_attacks",
]

WHITE, BLACK = 0, 1
NO_KIND, PAWN, KNIGHT, BISHOP, ROOK, QUEEN, KING = range(7)

State = struct(
    sides=("u8", 2),  # the squares of White's and of Black's pieces
    kinds=("u8", 7),  # the squares of each kind of piece; kinds[0] stays empty
    castlers="u8",  # the rooks that may still castle: a right is a rook that has not moved, whatever its file
    hash="u8",  # Zobrist: pieces, castlers, en passant and turn
    seat="u1",  # who is to move
    en_passant="u1",  # the square behind a pawn that has just moved two, if it can legally be taken there; else 0
    clock="u1",  # plies since the last capture or pawn move
    plies="u2",  # of the whole game, counted from White's first move
)

FILE_A, FILE_H = u64(0x0101010101010101), u64(0x8080808080808080)
RANK_1, RANK_8 = u64(0xFF), u64(0xFF << 56)
_TOP = u64(1 << 63)


# Tables ---------------------------------------------------------------------------------------------------------------


def _steps(*directions: tuple[int, int], far: bool = False) -> list[int]:
    """For every square the squares that these (rank, file) steps reach, as far as the board goes if `far`."""
    boards = []
    for square in range(64):
        board = 0
        for up, right in directions:
            rank, file = square // 8 + up, square % 8 + right
            while 0 <= rank < 8 and 0 <= file < 8:
                board |= 1 << 8 * rank + file
                rank, file = (rank + up, file + right) if far else (8, 8)
        boards.append(board)
    return boards


_LINE_STEPS = ((0, 1), (1, 0), (1, 1), (1, -1))  # rank, file, diagonal, other diagonal: each upwards in square number
_ABOVE = [_steps(step, far=True) for step in _LINE_STEPS]
_BELOW = [_steps((-up, -right), far=True) for up, right in _LINE_STEPS]

# The two halves of each line stand side by side: ABOVE_BELOW[8 · square + 2 · line] and the next.
ABOVE_BELOW = np.array(
    [half[line][square] for square in range(64) for line in range(4) for half in (_ABOVE, _BELOW)], np.uint64
)
KNIGHT_STEPS = np.array(_steps((1, 2), (2, 1), (2, -1), (1, -2), (-1, -2), (-2, -1), (-2, 1), (-1, 2)), np.uint64)
KING_STEPS = np.array(_steps((0, 1), (1, 1), (1, 0), (1, -1), (0, -1), (-1, -1), (-1, 0), (-1, 1)), np.uint64)
PAWN_STEPS = np.array([_steps((1, 1), (1, -1)), _steps((-1, 1), (-1, -1))], np.uint64)
"""What a pawn of a colour attacks: PAWN_STEPS[colour, square]."""


def _lines() -> tuple[Any, Any]:
    """For two squares on one line: the squares between them, and the whole line with both; else nothing."""
    between, line = np.zeros((64, 64), np.uint64), np.zeros((64, 64), np.uint64)
    for one in range(64):
        for above, below in zip(_ABOVE, _BELOW, strict=True):
            whole = above[one] | below[one] | 1 << one
            for other in range(64):
                if above[one] >> other & 1:
                    between[one, other] = between[other, one] = above[one] & below[other]
                    line[one, other] = line[other, one] = whole
    return between, line


BETWEEN, LINE = _lines()

# The zeroth kind's keys are zero, so that "no piece" can be put on and off the board.
PIECE_KEYS = zobrist_keys(2 * 8 * 64, seed=1769)
PIECE_KEYS[0:64] = PIECE_KEYS[512:576] = 0
RIGHT_KEYS = zobrist_keys(64, seed=1912)
EN_PASSANT_KEYS = zobrist_keys(64, seed=1914)
TURN_KEY = zobrist_keys(1, seed=1948)[0]


# Attacks --------------------------------------------------------------------------------------------------------------


def first(board: Any) -> Any:
    """The number of the lowest square as an unsigned word, which needs no check for a negative index."""
    return u64(ctz(board))


def line_attacks(place: Any, occupied: Any) -> Any:
    """What a slider sees along one line, given as a place in ABOVE_BELOW."""
    above, below = ABOVE_BELOW[place], ABOVE_BELOW[place + ONE]
    blocked = above & occupied
    lowest_above = blocked & (~blocked + ONE)
    highest_below = _TOP >> u64(clz((below & occupied) | ONE))
    return (above | below) & (lowest_above + lowest_above - highest_below)


def rook_attacks(square: Any, occupied: Any) -> Any:
    """The squares that a rook attacks, the first pieces in its way included."""
    place = square << u64(3)
    return line_attacks(place, occupied) | line_attacks(place + u64(2), occupied)


def bishop_attacks(square: Any, occupied: Any) -> Any:
    """The squares that a bishop attacks, the first pieces in its way included."""
    place = square << u64(3)
    return line_attacks(place + u64(4), occupied) | line_attacks(place + u64(6), occupied)


def attackers(s: Any, square: Any, side: Any, occupied: Any) -> Any:
    """The pieces of `side` that attack the square, as if only `occupied` stood in the way."""
    queens = s.kinds[QUEEN]
    found = PAWN_STEPS[1 - side, square] & s.kinds[PAWN]
    found |= KNIGHT_STEPS[square] & s.kinds[KNIGHT]
    found |= KING_STEPS[square] & s.kinds[KING]
    found |= bishop_attacks(square, occupied) & (s.kinds[BISHOP] | queens)
    found |= rook_attacks(square, occupied) & (s.kinds[ROOK] | queens)
    return found & s.sides[side]


def is_attacked(s: Any, square: Any, side: Any, occupied: Any) -> Any:
    """Whether `side` attacks the square; pieces of its that are not in `occupied` count as taken."""
    theirs = s.sides[side] & occupied
    if PAWN_STEPS[1 - side, square] & s.kinds[PAWN] & theirs != ZERO:
        return True
    if KNIGHT_STEPS[square] & s.kinds[KNIGHT] & theirs != ZERO or KING_STEPS[square] & s.kinds[KING] & theirs != ZERO:
        return True
    queens = s.kinds[QUEEN]
    # The lines through the square are looked along only where there is a slider that could stand on them.
    sliders = (s.kinds[BISHOP] | queens) & theirs
    if sliders != ZERO and bishop_attacks(square, occupied) & sliders != ZERO:
        return True
    sliders = (s.kinds[ROOK] | queens) & theirs
    return sliders != ZERO and rook_attacks(square, occupied) & sliders != ZERO


def checkers(s: Any) -> Any:
    """The pieces that give check to the side to move."""
    us = s.seat
    king = first(s.kinds[KING] & s.sides[us])
    return attackers(s, king, 1 - us, s.sides[0] | s.sides[1])


def in_check(s: Any) -> Any:
    """Whether the side to move is in check."""
    us = s.seat
    king = first(s.kinds[KING] & s.sides[us])
    return is_attacked(s, king, 1 - us, s.sides[0] | s.sides[1])


def kind_at(s: Any, square: Any) -> Any:
    """The kind of the piece on a square, 0 if it is empty."""
    return (
        (s.kinds[PAWN] >> square & ONE)
        + u64(2) * (s.kinds[KNIGHT] >> square & ONE)
        + u64(3) * (s.kinds[BISHOP] >> square & ONE)
        + u64(4) * (s.kinds[ROOK] >> square & ONE)
        + u64(5) * (s.kinds[QUEEN] >> square & ONE)
        + u64(6) * (s.kinds[KING] >> square & ONE)
    )


def last_rank(side: Any) -> Any:
    """The rank on which a side's pawns are promoted."""
    return RANK_8 if side == WHITE else RANK_1


def key_of(side: Any, kind: Any, square: Any) -> Any:
    """The Zobrist key of a piece on a square; all three are unsigned words."""
    return PIECE_KEYS[side << u64(9) | kind << u64(6) | square]


def position_hash(s: Any) -> Any:
    """The hash of a struct from nothing, as `play` keeps it up to date."""
    found = ZERO
    for side in range(2):
        for kind in range(1, 7):
            board = s.kinds[kind] & s.sides[side]
            while board != ZERO:
                found ^= key_of(u64(side), u64(kind), first(board))
                board &= board - ONE
    rooks = s.castlers
    while rooks != ZERO:
        found ^= RIGHT_KEYS[first(rooks)]
        rooks &= rooks - ONE
    if s.en_passant != 0:
        found ^= EN_PASSANT_KEYS[s.en_passant]
    return found ^ TURN_KEY if s.seat == BLACK else found
