"""Moves as text: standard algebraic (SAN), long algebraic and UCI notation.

Text is first read into a wish: what it says of kind, squares and promotion, packed into one number. A compiled kernel
finds the legal move that fits a wish, so that whole games are read quickly; `read_wish` needs no position and remembers
the words that it has seen.
"""

from __future__ import annotations

import functools
import re
from typing import Any

import numpy as np

from gametree.core.errors import suggest
from gametree.games.chess.board import KING, KNIGHT, PAWN, QUEEN, in_check
from gametree.games.chess.fen import LETTERS, square_name, square_number
from gametree.games.chess.moves import (
    ALL,
    CASTLING,
    captured_kind,
    castling_squares,
    from_square,
    generate,
    moving_kind,
    play,
    promoted_kind,
    special,
    to_square,
)
from gametree.kernels import u64

__all__ = ["NO_MOVE", "TWO_MOVES", "complaint", "describe", "lan", "match_wish", "read_wish", "replay", "san", "uci"]

NO_MOVE, TWO_MOVES = -1, -2

_UCI = re.compile(r"([a-h])([1-8])([a-h][1-8])([qrbnQRBN])?")
_SAN = re.compile(r"([KQRBNP])?([a-h])?([1-8])?[-x:]?([a-h][1-8])(?:(?:=|/)?\(?([QRBNqrbn])\)?)?(?: ?e\.?p\.?)?")
_CASTLING = re.compile(r"[O0o]-?[O0o](-?[O0o])?")


# Text to move ---------------------------------------------------------------------------------------------------------


@functools.lru_cache(maxsize=1 << 16)
def read_wish(text: str) -> int:
    """What a move's text says, packed; −1 if it is no move's text. Marks such as +, #, ! and ? are passed over.

    bits 0–5 to   6–8 kind, 0 any   9–12 file + 1, 0 any   13–16 rank + 1   17–19 promoted to   20–21 castling
    """
    word = text.strip().rstrip("+#!?")
    found = _UCI.fullmatch(word)
    if found:
        return _wish(0, found[1], found[2], found[3], found[4])
    found = _CASTLING.fullmatch(word)
    if found:
        return (2 if found[1] else 1) << 20
    found = _SAN.fullmatch(word)
    if found is None:
        return NO_MOVE
    kind = LETTERS[0].index(found[1] or "P")
    if "-" in word and not found[1]:
        kind = 0  # e2-e4 and e1-g1 alike name their squares only
    return _wish(kind, found[2], found[3], found[4], found[5])


def _wish(kind: int, file: str | None, rank: str | None, to: str, promoted: str | None) -> int:
    turned = LETTERS[0].index(promoted.upper()) if promoted else 0
    from_file = "abcdefgh".index(file) + 1 if file else 0
    return square_number(to) | kind << 6 | from_file << 9 | int(rank or 0) << 13 | turned << 17


def match_wish(s: Any, out: Any, wish: Any) -> Any:
    """The one legal move that fits; NO_MOVE if there is none, TWO_MOVES if the wish says too little."""
    to, kind = wish & 63, wish >> 6 & 7
    file, rank = wish >> 9 & 15, wish >> 13 & 15
    turned, castle = wish >> 17 & 7, wish >> 20 & 3
    found = np.int64(NO_MOVE)
    by_castling = np.int64(NO_MOVE)
    for i in range(generate(s, out, ALL)):
        move = np.int64(out[i])
        start, target = np.int64(from_square(move)), np.int64(to_square(move))
        if special(move) == CASTLING:
            wing = 1 if target > start else 2
            # By squares: the king's two, or the king's and the rook's, which Chess960 needs.
            king_to = np.int64(castling_squares(u64(start), u64(target))[0])
            named = (kind == 0 or kind == KING) and file == start % 8 + 1 and (rank == 0 or rank == start // 8 + 1)
            if castle == wing or (castle == 0 and named and to in (target, king_to)):
                by_castling = move
        elif (
            castle == 0
            and to == target
            and (kind == 0 or kind == np.int64(moving_kind(move)))
            and (file == 0 or file == start % 8 + 1)
            and (rank == 0 or rank == start // 8 + 1)
            and turned == np.int64(promoted_kind(move))
        ):
            if found != NO_MOVE:
                return np.int64(TWO_MOVES)
            found = move
    return by_castling if found == NO_MOVE else found


def replay(states: Any, out: Any, wishes: Any) -> Any:
    """Play wishes from the first struct and put the moves in their place; returns how many could be played."""
    s = states[0]
    for i in range(len(wishes)):
        if wishes[i] < 0:
            return i
        move = match_wish(s, out, wishes[i])
        if move < 0:
            return i
        play(s, move)
        wishes[i] = move
    return len(wishes)


def complaint(text: str, wish: int, answer: int, legal: list[str]) -> str:
    """Why the text is no legal move, in one sentence; `legal` are all moves in SAN."""
    if answer == TWO_MOVES:
        to = square_name(wish & 63)
        kind = LETTERS[0][wish >> 6 & 7]
        fitting = [name for name in legal if to in name and (name[0] == kind or kind in " P")]
        return f"'{text}' is ambiguous here; expected one of {', '.join(fitting)}."
    promotions = [name for name in legal if "=" in name and wish >= 0 and square_name(wish & 63) in name]
    if promotions and not wish >> 17 & 7:
        return f"'{text}' does not say what the pawn becomes; expected one of {', '.join(promotions)}."
    listed = ", ".join(legal[:12]) + (", ..." if len(legal) > 12 else "")
    return f"'{text}' is not a legal move here.{suggest(text, legal)} Legal moves: {listed or 'none'}."


# Move to text ---------------------------------------------------------------------------------------------------------

NEEDS_FILE, NEEDS_RANK, CHECK, MATE = 1, 2, 4, 8


def describe(states: Any, out: Any, move: Any) -> Any:
    """What SAN adds to a move: NEEDS_FILE and NEEDS_RANK to tell it from others, CHECK and MATE. Uses states[1]."""
    s = states[0]
    start, kind = np.int64(from_square(move)), moving_kind(move)
    found = np.int64(0)
    if u64(KNIGHT) <= kind <= u64(QUEEN):
        rivals, same_file, same_rank = 0, 0, 0
        for i in range(generate(s, out, ALL)):
            other = np.int64(out[i])
            place = np.int64(from_square(other))
            if other != move and to_square(other) == to_square(move) and moving_kind(other) == kind and place != start:
                rivals += 1
                same_file += 1 if place % 8 == start % 8 else 0
                same_rank += 1 if place // 8 == start // 8 else 0
        if rivals > 0:
            # The file if it is enough, else the rank, else both.
            found = np.int64(NEEDS_FILE) if same_file == 0 else np.int64(NEEDS_RANK)
            if same_file > 0 and same_rank > 0:
                found = np.int64(NEEDS_FILE | NEEDS_RANK)
    states[1] = states[0]
    play(states[1], move)
    if in_check(states[1]):
        found |= CHECK
        if generate(states[1], out, ALL) == 0:
            found |= MATE
    return found


def san(move: int, extra: int) -> str:
    """The move in standard algebraic notation: Nbd7, exd6, O-O, e8=Q+, Qh7#; `extra` is what `describe` says of it."""
    end = "#" if extra & MATE else "+" if extra & CHECK else ""
    start, to = int(from_square(move)), int(to_square(move))
    if special(move) == CASTLING:
        return ("O-O" if to > start else "O-O-O") + end
    kind, name = int(moving_kind(move)), square_name(start)
    takes = int(captured_kind(move)) != 0
    if kind == PAWN:
        text = (name[0] + "x" if takes else "") + square_name(to)
    else:
        text = LETTERS[0][kind] + (name[0] if extra & NEEDS_FILE else "") + (name[1] if extra & NEEDS_RANK else "")
        text += ("x" if takes else "") + square_name(to)
    turned = int(promoted_kind(move))
    return text + ("=" + LETTERS[0][turned] if turned else "") + end


def lan(move: int, extra: int) -> str:
    """The move in long algebraic notation: Nb8-d7, e5xd6, O-O."""
    short = san(move, extra)
    if special(move) == CASTLING:
        return short
    kind = int(moving_kind(move))
    text = (LETTERS[0][kind] if kind != PAWN else "") + square_name(int(from_square(move)))
    text += "x" if int(captured_kind(move)) else "-"
    turned = int(promoted_kind(move))
    text += square_name(int(to_square(move))) + ("=" + LETTERS[0][turned] if turned else "")
    return text + (short[-1] if short[-1] in "+#" else "")


def uci(move: int, *, chess960: bool = False) -> str:
    """The move as the UCI protocol writes it: e2e4, e7e8q, e1g1; castling as the king takes the rook if `chess960`."""
    start, to = from_square(move), to_square(move)
    if special(move) == CASTLING and not chess960:
        to = castling_squares(start, to)[0]
    turned = int(promoted_kind(move))
    return square_name(int(start)) + square_name(int(to)) + (LETTERS[1][turned] if turned else "")
