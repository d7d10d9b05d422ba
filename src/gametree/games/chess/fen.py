"""Positions as text: FEN, with castling rights as in X-FEN or Shredder-FEN.

    rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1
    pieces                                        turn, castling, en passant, clock, number of the move

The last two fields may be left out. K and Q mean the outermost rook on that side of the king; the letter of a file,
such as H or a, means the rook there. A rule that is broken is reported with its field, the value and the rule.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, NoReturn

import numpy as np

from gametree.core.errors import BadInput
from gametree.games.chess.board import KING, PAWN, QUEEN, ROOK, State

__all__ = ["FIGURINES", "LETTERS", "men", "read_fen", "read_keys", "split_history", "write_fen"]

LETTERS = (" PNBRQK", " pnbrqk")
FIGURINES = (" ♙♘♗♖♕♔", " ♟♞♝♜♛♚")
NAMES = ("White", "Black")
FIELDS = ("pieces", "side to move", "castling", "en passant", "half-move clock", "move number")
LONGEST_SHOWN = 71
"""Characters of a field that an error repeats: all of the longest field that is possible."""
MOST_CLOCK = 150
MOST_MOVE_NUMBER = 9_999
FULL_SET = (0, 8, 2, 2, 2, 1, 1)
"""How many of each kind a side has at the start."""


def _refuse(field: int, value: str, rule: str) -> NoReturn:
    shown = value if len(value) <= LONGEST_SHOWN else f"{value[:LONGEST_SHOWN]}..."
    raise BadInput(f"FEN field {field + 1}, {FIELDS[field]}, is '{shown}': {rule}.")


def split_history(text: str) -> tuple[str, str, str]:
    """The position, `seen` or `moves` or nothing, and what stands behind that word."""
    found = re.split(r"\s+(seen|moves)(?:\s+|$)", text.strip(), maxsplit=1)
    return (found[0], found[1], found[2]) if len(found) == 3 else (found[0], "", "")


def read_keys(text: str) -> list[int]:
    """The keys behind `seen`. Raises BadInput."""
    if not re.fullmatch(r"[0-9a-f]{16}(,[0-9a-f]{16})*", text):
        raise BadInput(
            f"'{text[:40]}' does not follow `seen`; expected keys of 16 hexadecimal digits separated by commas."
        )
    return [int(word, 16) for word in text.split(",")]


def read_fen(text: str) -> tuple[Any, int]:
    """An array whose first of two structs has all but its hash and en passant, and the square behind a pawn that has
    just moved two (0 for none). Raises BadInput.
    """
    fields = text.split()
    if not 4 <= len(fields) <= 6:
        raise BadInput(f"'{text[:90]}' is not a FEN: it has {len(fields)} fields; expected 4 to 6 separated by spaces.")
    structs = np.zeros(2, State)
    s = structs[0]
    board = _read_pieces(fields[0])
    for square, (side, kind) in board.items():
        s.sides[side] |= np.uint64(1 << square)
        s.kinds[kind] |= np.uint64(1 << square)
    if fields[1] not in ("w", "b"):
        _refuse(1, fields[1], "expected w or b")
    s.seat = "wb".index(fields[1])
    s.castlers = sum(1 << rook for rook in _read_castling(fields[2], board))
    en_passant = _read_en_passant(fields[3], board, int(s.seat))
    clock, number = [*fields[4:], *("0", "1")[len(fields) - 4 :]]
    if not re.fullmatch("[0-9]{1,9}", clock) or int(clock) > MOST_CLOCK:
        _refuse(4, clock, f"expected a whole number of plies from 0 to {MOST_CLOCK}")
    if not re.fullmatch("[0-9]{1,9}", number) or int(number) > MOST_MOVE_NUMBER:
        _refuse(5, number, f"expected a whole number from 1 to {MOST_MOVE_NUMBER}")
    s.clock = int(clock)
    s.plies = 2 * max(int(number) - 1, 0) + int(s.seat)  # some programs count from 0
    if en_passant and s.clock:
        _refuse(4, clock, f"a pawn has just moved to pass {fields[3]}; expected 0")
    return structs, en_passant


def _read_pieces(field: str) -> dict[int, tuple[int, int]]:
    """Square → side and kind. Raises BadInput."""
    ranks = field.split("/")
    if len(ranks) != 8:
        _refuse(0, field, f"it has {len(ranks)} ranks; expected 8 separated by '/'")
    board: dict[int, tuple[int, int]] = {}
    for number, rank in zip(range(8, 0, -1), ranks, strict=True):
        file = 0
        for mark in rank:
            if mark in "12345678":
                file += int(mark)
                continue
            side = 0 if mark in LETTERS[0] else 1
            if mark == " " or mark not in LETTERS[side]:
                _refuse(0, field, f"'{mark}' in rank {number} is no piece; expected PNBRQK, pnbrqk or 1 to 8")
            if file < 8:
                board[8 * (number - 1) + file] = (side, LETTERS[side].index(mark))
            file += 1
        if file != 8:
            _refuse(0, field, f"rank {number}, '{rank}', has {file} squares; expected 8")
    for side, name in enumerate(NAMES):
        counts = [list(board.values()).count((side, kind)) for kind in range(7)]
        if counts[KING] != 1:
            _refuse(0, field, f"{name} has {counts[KING]} kings; expected 1")
        if counts[PAWN] > 8:
            _refuse(0, field, f"{name} has {counts[PAWN]} pawns; expected at most 8")
        promoted = sum(max(0, counts[kind] - FULL_SET[kind]) for kind in range(2, QUEEN + 1))
        if promoted > 8 - counts[PAWN]:
            _refuse(
                0, field, f"{name} has {promoted} pieces too many; expected no more than the {8 - counts[PAWN]} pawns "
                "that are gone can have become",
            )  # fmt: skip
    for square, (_, kind) in board.items():
        if kind == PAWN and square // 8 in (0, 7):
            _refuse(0, field, f"a pawn stands on {square_name(square)}; expected none on ranks 1 and 8")
    return board


def _read_castling(field: str, board: dict[int, tuple[int, int]]) -> set[int]:
    """The squares of the rooks that may castle. Raises BadInput."""
    if field == "-":
        return set()
    rooks: set[int] = set()
    for letter in field:
        side = 0 if letter.isupper() else 1
        base = 56 * side
        king = next(square for square, man in board.items() if man == (side, KING))
        own = [base + file for file in range(8) if board.get(base + file) == (side, ROOK)]
        wish = letter.upper()
        if wish == "K":
            found = [square for square in own if square > king][-1:]
        elif wish == "Q":
            found = [square for square in own if square < king][:1]
        elif wish in "ABCDEFGH":
            found = [square for square in own if square % 8 == "ABCDEFGH".index(wish)]
        else:
            _refuse(2, field, f"'{letter}' is no castling right; expected '-', or some of KQkq and letters of files")
        if king // 8 != 7 * side:
            _refuse(2, field, f"'{letter}' needs {NAMES[side]}'s king on rank {7 * side + 1}, but it is on "
                    f"{square_name(king)}")  # fmt: skip
        if not found:
            _refuse(2, field, f"'{letter}' needs a rook of {NAMES[side]} on rank {7 * side + 1} that could castle so")
        if found[0] in rooks:
            _refuse(2, field, f"'{letter}' gives a right twice")
        rooks.add(found[0])
    for side, name in enumerate(NAMES):
        king = next(square for square, man in board.items() if man == (side, KING))
        own = [rook for rook in rooks if rook // 8 == 7 * side]
        if sum(rook > king for rook in own) > 1 or sum(rook < king for rook in own) > 1:
            _refuse(2, field, f"{name} has two rights on one side of the king; expected at most one")
    return rooks


def _read_en_passant(field: str, board: dict[int, tuple[int, int]], seat: int) -> int:
    """The square behind the pawn that has just moved two, 0 for none. Raises BadInput."""
    if field == "-":
        return 0
    rank = "63"[seat]
    if not re.fullmatch("[a-h][36]", field) or field[1] != rank:
        _refuse(3, field, f"expected '-' or a square on rank {rank} when {NAMES[seat]} is to move")
    square = square_number(field)
    step = -8 if seat == 0 else 8
    if board.get(square + step) != (1 - seat, PAWN) or square in board or square - step in board:
        _refuse(3, field, f"no pawn of {NAMES[1 - seat]} can have passed it just now")
    return square


def square_name(square: int) -> str:
    """a1 for 0 to h8 for 63."""
    return "abcdefgh"[square % 8] + str(square // 8 + 1)


def square_number(name: str) -> int:
    """0 for a1 to 63 for h8."""
    return "abcdefgh".index(name[0]) + 8 * (int(name[1]) - 1)


def men(s: Any) -> Iterator[tuple[int, int, int]]:
    """Every man on the board: square, side, kind."""
    for kind in range(1, 7):
        places = int(s.kinds[kind])
        while places:
            square = (places & -places).bit_length() - 1
            yield square, int(s.sides[1]) >> square & 1, kind
            places &= places - 1


def write_fen(s: Any, *, shredder: bool = False) -> str:
    """The six fields of a struct. The en passant field is given only where the capture is legal."""
    marks = [" "] * 64
    for square, side, kind in men(s):
        marks[square] = LETTERS[side][kind]
    rows = ["".join(marks[8 * rank : 8 * rank + 8]) for rank in range(7, -1, -1)]
    pieces = re.sub(" +", lambda gap: str(len(gap[0])), "/".join(rows))
    en_passant = square_name(int(s.en_passant)) if s.en_passant else "-"
    fields = (pieces, "wb"[s.seat], _write_castling(s, shredder), en_passant, int(s.clock), int(s.plies) // 2 + 1)
    return " ".join(map(str, fields))


def _write_castling(s: Any, shredder: bool) -> str:
    """The rights; a letter of a file where K or Q would mean another rook."""
    text = ""
    for side in range(2):
        base = 56 * side
        king = (int(s.kinds[KING]) & int(s.sides[side])).bit_length() - 1
        rooks = int(s.kinds[ROOK]) & int(s.sides[side])
        own = [base + file for file in range(8) if rooks >> (base + file) & 1]
        for rook in sorted((square for square in own if int(s.castlers) >> square & 1), reverse=True):
            outer = [square for square in own if (square > rook if rook > king else square < rook)]
            letter = "ABCDEFGH"[rook % 8] if outer or shredder else "K" if rook > king else "Q"
            text += letter if side == 0 else letter.lower()
    return text or "-"
