"""LIN, the notation of Bridge Base Online: boards of bridge as one stream of keys and values.

    pn|S,W,N,E|md|3SK5HT83DKQ9CA7652,SAT942HAQ4D32CKJ3,SQJ6HK652DJ85CT98,|sv|o|mb|p|mb|1C|an|3+ clubs|pc|CT|mc|8|

Seats begin with South; `md` has the dealer (1 South, 2 West, 3 North, 4 East) and the hands, of which the last may be
left out; `mb` a call, `an` what it means, `pc` a card, `mc` the declarer's tricks where he claims.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

from gametree.core.format import Format, Record
from gametree.core.game import Game
from gametree.formats._common import offer_records
from gametree.formats._deals import SEATS, VULNERABLE, Board, board_of

__all__ = ["BETWEEN", "offer", "split", "write"]

BETWEEN = ""
_ORDER = (2, 3, 0, 1)
"""The seats as LIN counts them."""
_SIDES = {"o": 0, "0": 0, "n": 1, "e": 2, "b": 3, "": 0}
_RANKS = "AKQJT98765432"


def split(lines: Iterable[str]) -> Iterator[Board]:
    """Boards, each of which begins with its hands or, before them, with its names."""
    board: Board | None = None
    names: tuple[str, ...] = ()
    number = 0
    for number, line in enumerate(lines, 1):
        parts = line.strip().lstrip("\ufeff").split("|")
        for key, value in zip(parts[::2], parts[1::2], strict=False):
            if key == "pn":
                words = (value.split(",") + [""] * 4)[:4]
                names = tuple(words[_ORDER.index(seat)] for seat in range(4)) if any(words) else ()
            elif key == "md":
                if board is not None:
                    yield board
                board = Board(line=number, players=names)
                _read_hands(board, value)
            elif board is not None:
                _note(board, key, value)
    if board is not None:
        yield board
    elif number:
        yield Board(error="This is no LIN; expected a stream of keys and values with hands, such as md|1S…,…,…|.")


def _note(board: Board, key: str, value: str) -> None:
    if key == "sv":
        board.vulnerable = VULNERABLE[_SIDES.get(value.lower(), 0)]
    elif key == "ah":
        board.tags["Board"] = value.lower().removeprefix("board").strip()
    elif key == "mb":
        call = value.rstrip("!").upper()
        board.calls.append({"D": "X", "R": "XX", "PASS": "P", "DBL": "X"}.get(call, call))
    elif key == "an" and board.calls:
        board.comments[len(board.calls)] = value
    elif key == "pc":
        board.cards.append(value.upper())
    elif key == "mc" and value.strip().isdecimal():
        board.tricks = int(value)


def _read_hands(board: Board, value: str) -> None:
    dealer, hands = value[:1], value[1:].split(",")
    if dealer not in ("1", "2", "3", "4") or len(hands) < 3:
        board.error = f"'{value[:40]}' is no deal; expected a dealer from 1 to 4 and the hands of South, West, North."
        return
    board.dealer = SEATS[_ORDER[int(dealer) - 1]]
    found: list[str] = ["-"] * 4
    seen: list[set[str]] = []
    for place, hand in enumerate(hands[:4]):
        suits = dict(re.findall(r"([SHDC])([^SHDC]*)", hand.upper().replace("10", "T")))
        if suits:
            found[_ORDER[place]] = ".".join(suits.get(suit, "") for suit in "SHDC")
            seen.append({suit + rank for suit, ranks in suits.items() for rank in ranks})
    if found[1] == "-" and len(seen) == 3 and all(len(hand) == 13 for hand in seen):
        gone = set().union(*seen)
        found[1] = ".".join("".join(rank for rank in _RANKS if suit + rank not in gone) for suit in "SHDC")
    board.deal = "N:" + " ".join(found)


def write(game: Game[Any, Any], record: Record) -> str:
    """One board in one line. Raises BadInput, IllegalMove."""
    board, s = board_of(game, record, "LIN")
    names = board.players or ("",) * 4
    hands = board.deal.removeprefix("N:").split()
    texts = [
        "" if hand == "-" else "".join(suit + ranks for suit, ranks in zip("SHDC", hand.split("."), strict=True))
        for hand in hands
    ]
    parts = [
        ("pn", ",".join(_clean(names[seat]) for seat in _ORDER)),
        ("md", f"{_ORDER.index(SEATS.index(board.dealer)) + 1}" + ",".join(texts[seat] for seat in _ORDER)),
        ("sv", "oneb"[VULNERABLE.index(board.vulnerable)]),
    ]
    number = board.tags.get("Board", "") or str(int(s.board) or "")
    if number:
        parts.append(("ah", f"Board {_clean(number)}"))
    for place, call in enumerate(board.calls, 1):
        parts.append(("mb", {"P": "p", "X": "d", "XX": "r"}.get(call, call.replace("NT", "N"))))
        if place in board.comments:
            parts.append(("an", _clean(board.comments[place])))
    parts += [("pc", card) for card in board.cards]
    claimed = board.tags.get("Result", "") if board.tricks is None else str(board.tricks)
    if claimed and len(board.cards) < 52:
        parts.append(("mc", claimed))
    return "".join(f"{key}|{value}|" for key, value in parts) + "\n"


def _clean(text: str) -> str:
    return re.sub(r"[|,\n\r]", " ", text)


def offer(game: Game[Any, Any]) -> Format:
    """The notation for this game."""
    return offer_records(game, "LIN", ".lin", split, write)
