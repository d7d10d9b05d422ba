"""Positions and moves as text: FEN as draughts players write it, squares by number or by coordinates, ballots.

B:W21,22,K30:B1,2,K29:H3    Black to move; White's men and kings, Black's, and the clock if it runs
11-15, 15x22, 24x15x6       a step, a jump, a path of jumps where from and to do not tell which
c3-d4, b6xd4                the same by coordinates: square 29 is a1, square 4 is h8
"""

from __future__ import annotations

import functools
import re
from importlib import resources
from typing import Any, NamedTuple

from gametree.core.errors import BadInput, suggest
from gametree.games.checkers.board import BLACK, CROWN, WHITE, bit_of, number_of

__all__ = ["COORDINATES", "Ballot", "ballots", "find_ballot", "read_fen", "read_keys", "read_path", "write_fen"]

SIDES = ("Black", "White")
COORDINATES = {
    number: "abcdefgh"[2 * ((number - 1) % 4) + (1 if (number - 1) // 4 % 2 == 0 else 0)] + str(8 - (number - 1) // 4)
    for number in range(1, 33)
}
"""The coordinates of every square, with White below."""
NUMBERS = {name: number for number, name in COORDINATES.items()}
MOST_PIECES = 12

_FEN = re.compile(r"([BW]):([BW])([^:]*):([BW])([^:]*)((?::[HF]\d{1,4})*)")
_MOVE = re.compile(r"(?:\d{1,2}|[a-h][1-8])(?:[-x:]?(?:\d{1,2}|[a-h][1-8]))+")
_SQUARE = re.compile(r"[a-h][1-8]|\d{1,2}")


def write_fen(s: Any) -> str:
    """The position of a struct, White's pieces first, and `H` with the clock if it runs."""
    parts = [f"{letter}{','.join(_pieces(s, side))}" for letter, side in (("W", WHITE), ("B", BLACK))]
    return ":".join(["BW"[s.seat], *parts, *([f"H{s.clock}"] if s.clock else [])])


def _pieces(s: Any, side: int) -> list[str]:
    bits = [bit for bit in range(35) if int(s.sides[side]) >> bit & 1]
    return [("K" if int(s.kings) >> bit & 1 else "") + str(number_of(bit)) for bit in bits]


def read_fen(text: str, s: Any) -> None:
    """Set a zeroed struct up. Raises BadInput."""
    found = _FEN.fullmatch("".join(text.upper().split()).rstrip("."))
    if found is None or found[2] == found[4]:
        raise BadInput(
            f"'{text}' is not a position of checkers; expected a FEN such as B:W21,22,K30:B1,2,K29, "
            "startpos, or ballot and its number or name."
        )
    s.seat = "BW".index(found[1])
    clock = re.search(r":H(\d+)", found[6])
    s.clock = int(clock[1]) if clock else 0
    taken: dict[int, int] = {}
    for letter, pieces in ((found[2], found[3]), (found[4], found[5])):
        side = "BW".index(letter)
        for number, king in _read_pieces(text, pieces):
            bit = 1 << bit_of(number)
            if number in taken:
                raise BadInput(f"'{text}' has two pieces on square {number}; expected at most one.")
            if not king and int(CROWN[side]) & bit:
                raise BadInput(
                    f"'{text}' has a man of {SIDES[side]} on {number}, where he becomes a king; write K{number}."
                )
            taken[number] = side
            s.sides[side] |= type(s.sides[side])(bit)
            if king:
                s.kings |= type(s.sides[side])(bit)
        if list(taken.values()).count(side) > MOST_PIECES:
            raise BadInput(
                f"'{text}' has more than {MOST_PIECES} pieces of {SIDES[side]}; expected at most {MOST_PIECES}."
            )


def _read_pieces(text: str, pieces: str) -> list[tuple[int, bool]]:
    """Squares and whether a king stands there, of a list such as 1,K2,5-8."""
    found = []
    for word in filter(None, pieces.split(",")):
        match = re.fullmatch(r"(K?)(\d{1,2})(?:-(\d{1,2}))?", word)
        low, high = (int(match[2]), int(match[3] or match[2])) if match else (0, 0)
        if match is None or not 1 <= low <= high <= 32:
            raise BadInput(
                f"'{text}' has a piece '{word}'; expected a square from 1 to 32, with K before it for a king."
            )
        found += [(number, bool(match[1])) for number in range(low, high + 1)]
    return found


def read_keys(text: str) -> list[int]:
    """The keys of earlier positions behind `seen`. Raises BadInput."""
    words = text.split(",")
    if not all(re.fullmatch("[0-9a-f]{1,16}", word) for word in words):
        raise BadInput(f"'{text}' behind `seen` is no list of keys; expected hexadecimal numbers separated by commas.")
    return [int(word, 16) for word in words]


def read_path(text: str) -> tuple[int, ...]:
    """The squares that a move's text names, in order; none if it is no move. What stands between them tells nothing,
    because collections of games often have it wrong."""
    word = text.strip().lower().rstrip("!?").replace("×", "x").removesuffix("*")
    if not _MOVE.fullmatch(word):
        return ()
    if not re.search("[a-h]", word) and not re.search("[-x:]", word):
        return ()
    path = tuple(
        NUMBERS.get(square) or int(square) if square in NUMBERS or square.isdecimal() else 0
        for square in _SQUARE.findall(word)
    )
    return path if all(1 <= number <= 32 for number in path) else ()


# Ballots --------------------------------------------------------------------------------------------------------------


class Ballot(NamedTuple):
    """One of the 174 openings of three moves."""

    number: int
    moves: tuple[str, ...]
    deck: str
    """`deck` for the 144 that are drawn across the board, `mail` for the 12 of mail play, `barred` for the 18 that are
    not drawn."""
    name: str
    """What it is called, if it has a name of its own; barred ones are marked in brackets."""


@functools.cache
def ballots() -> tuple[Ballot, ...]:
    """All of them, by number."""
    lines = resources.files(__package__).joinpath("ballots.txt").read_text(encoding="utf-8").splitlines()
    found = []
    for line in lines:
        if line and not line.startswith("#"):
            number, deck, first, second, third, *name = line.split(" ", 5)
            found.append(Ballot(int(number), (first, second, third), deck, name[0] if name else ""))
    return tuple(found)


def find_ballot(text: str) -> Ballot:
    """The ballot with this number, name or moves. Raises BadInput."""
    word = " ".join(text.replace(",", " ").split()).lower()
    for ballot in ballots():
        if word in (str(ballot.number), ballot.name.lower(), " ".join(ballot.moves)) and word:
            return ballot
    names = [ballot.name for ballot in ballots() if ballot.name]
    raise BadInput(
        f"'{text}' is no ballot.{suggest(text, names)} Expected a number from 1 to 174, three moves such as "
        "9-13 22-17 13x22, or a name such as White Doctor."
    )
