"""PBN 2.1, the Portable Bridge Notation (Verkuyl and others 1999): boards of bridge.

    [Dealer "N"]
    [Deal "N:QJ6.K652.J85.T98 873.J97.AT764.Q4 K5.T83.KQ9.A7652 AT942.AQ4.32.KJ3"]
    [Auction "N"]
    Pass Pass 1C =1= 1S
    [Play "N"]
    CT C4 CA CJ

A board is pairs of a tag and its value, and the sections Auction and Play. The rows of Play are columns: each
seat's card stands in its own, whoever led. `#` repeats the value of the board before. What has no
place of its own in a record is a tag of it. A play that ends early, with a result, is read as a claim.
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

BETWEEN = "\n"
_TAG = re.compile(r'\[\s*([A-Za-z]\w*)\s+"((?:\\.|[^"\\])*)"\s*\]')
_HEADER = (
    "Event", "Site", "Date", "Board", "West", "North", "East", "South", "Dealer", "Vulnerable", "Deal", "Scoring",
    "Declarer", "Contract", "Result",
)  # fmt: skip
"""The tags that every board has, in their order."""
_OWN = {"West", "North", "East", "South", "Dealer", "Vulnerable", "Deal", "Declarer", "Contract", "Result", "Date"}
_OWN |= {"Auction", "Play", "Note"}
_PLAYERS = ("North", "East", "South", "West")
_SIDES = {"NONE": 0, "LOVE": 0, "-": 0, "": 0, "NS": 1, "EW": 2, "ALL": 3, "BOTH": 3}
_PBN_SIDES = ("None", "NS", "EW", "All")
_CALLS = {"PASS": "P", "AP": "AP", "X": "X", "XX": "XX"}
Block = list[tuple[str, str, list[str], int]]


def split(lines: Iterable[str]) -> Iterator[Board]:
    """The boards of a text; one ends at an empty line, or where a tag comes again."""
    known: dict[str, str] = {}
    for block in _blocks(lines):
        yield _read(block, known)


def _blocks(lines: Iterable[str]) -> Iterator[Block]:
    """Of each board: the tags with their values, the lines behind them, and where they stand."""
    block: Block = []
    comment = False
    for number, raw in enumerate(lines, 1):
        line = raw.strip().lstrip("\ufeff")
        if line.startswith("%") and not comment:
            continue
        line, comment = _without_comments(line, comment)
        if not raw.strip() and block:
            yield block
            block = []
        found = _TAG.match(line)
        if found is not None:
            name = found[1]
            if name != "Note" and any(name == other for other, *_ in block):
                yield block
                block = []
            block.append((name, re.sub(r"\\(.)", r"\1", found[2]), [], number))
        elif line:
            if not block:
                block.append(("", "", [], number))
            block[-1][2].append(line)
    if block:
        yield block


def _without_comments(line: str, inside: bool) -> tuple[str, bool]:
    """The line without {…} and ;…, and whether a comment goes on behind it; quoted text keeps both."""
    kept, quoted = "", False
    for letter in line:
        if inside:
            inside = letter != "}"
        elif letter == '"':
            quoted = not quoted
            kept += letter
        elif letter == "{" and not quoted:
            inside = True
        elif letter == ";" and not quoted:
            break
        else:
            kept += letter
    return kept.strip(), inside


def _read(block: Block, known: dict[str, str]) -> Board:
    """A board; `known` are the values of the boards before, which `#` repeats."""
    board = Board(line=block[0][3])
    tags: dict[str, str] = {}
    notes: dict[str, str] = {}
    rows: dict[str, list[str]] = {}
    for name, value, lines, line in block:
        if not name:
            board.error = f"'{lines[0][:40]}' stands before the first tag; expected one such as [Deal \"N:…\"]."
            board.line = line
            return board
        if name == "Note":
            number, _, said = value.partition(":")
            notes[number.strip()] = said.strip()
            continue
        if value in ("#", "##"):
            value = known.get(name, "")
        known[name] = value
        tags[name] = value
        rows[name] = lines
    known_players = [tags.get(name, "") for name in _PLAYERS]
    board.players = tuple(known_players) if any(known_players) else ()
    board.date = (
        tags.get("Date", "").replace(".", "-") if re.fullmatch(r"\d{4}\.\d\d\.\d\d", tags.get("Date", "")) else ""
    )
    board.tags = {name: value for name, value in tags.items() if name not in _OWN and value not in ("", "?")}
    board.dealer = tags.get("Dealer", "N").upper() or "N"
    side = _SIDES.get(tags.get("Vulnerable", "None").upper())
    if "Deal" not in tags or not tags["Deal"]:
        board.error = 'The board has no deal; expected a tag such as [Deal "N:…"].'
    elif board.dealer not in SEATS:
        board.error = f"The dealer '{board.dealer[:20]}' is no seat; expected N, E, S or W."
    elif side is None:
        board.error = f"'{tags['Vulnerable'][:20]}' says nobody's vulnerability; expected None, NS, EW or All."
    if board.error:
        return board
    board.vulnerable, board.deal = VULNERABLE[side or 0], tags["Deal"]
    _read_auction(board, tags, rows, notes)
    _read_contract(board, tags)
    if not board.error and "Play" in tags:
        _read_play(board, tags["Play"].upper(), " ".join(rows["Play"]).split())
    return board


def _read_contract(board: Board, tags: dict[str, str]) -> None:
    contract, result = tags.get("Contract", ""), tags.get("Result", "")
    if not board.calls and contract not in ("", "?"):
        board.contract = (contract, tags.get("Declarer", "").upper().lstrip("^"))
    if re.fullmatch(r"\d{1,2}", result):
        board.tricks = int(result)


def _read_auction(board: Board, tags: dict[str, str], rows: dict[str, list[str]], notes: dict[str, str]) -> None:
    """The calls, with what notes say of them."""
    for word in " ".join(rows.get("Auction", [])).split():
        noted = re.fullmatch(r"=(\d+)=", word)
        if noted:
            board.comments[len(board.calls)] = notes.get(noted[1], "")
        elif word.startswith("$") or set(word) <= {"!", "?"} or word in ("-", "*", "+"):
            continue
        else:
            name = word.upper().rstrip("!?")
            if name == "AP":
                passes = 4 if not any(call != "P" for call in board.calls) else 3
                behind = 0
                while behind < len(board.calls) and board.calls[-1 - behind] == "P":
                    behind += 1
                board.calls += ["P"] * max(0, passes - behind)
            else:
                board.calls.append(_CALLS.get(name, name))
    first = tags.get("Auction", "").upper()
    if first in SEATS and first and first != board.dealer and board.calls:
        board.error = f"The auction begins with {first}, but the dealer is {board.dealer}; expected the same seat."


def _read_play(board: Board, leader: str, words: list[str]) -> None:
    """The rows of four columns, into the order of play."""
    if leader not in SEATS or not leader:
        board.error = f"The play begins with '{leader[:20]}'; expected the seat of the first leader."
        return
    trumps = _trumps(board)
    cards: list[str] = []
    for word in words:
        if word == "*":
            break
        if not word.startswith(("=", "$")) and not set(word) <= {"!", "?", "+"}:
            cards.append(word.upper().rstrip("!?"))
    first = 0
    for start in range(0, len(cards), 4):
        row = cards[start : start + 4]
        row += ["-"] * (4 - len(row))
        ordered = [row[(first + place) % 4] for place in range(4)]
        if "-" in ordered:
            board.cards += ordered[: ordered.index("-")]
            return
        board.cards += ordered
        best = max(range(4), key=lambda place: _strength(ordered[place], ordered[0], trumps))
        first = (first + best) % 4


def _trumps(board: Board) -> str:
    """The letter of the trump suit; empty at no trump."""
    bids = [call for call in board.calls if call[:1].isdigit()]
    contract = bids[-1] if bids else (board.contract or ("", ""))[0].upper().rstrip("X")
    return contract[1:2] if contract[1:] in "SHDC" else ""


def _strength(card: str, led: str, trumps: str) -> tuple[bool, bool, int]:
    return card[:1] == trumps, card[:1] == led[:1], "23456789TJQKA".find(card[1:2])


# Writing --------------------------------------------------------------------------------------------------------------


def write(game: Game[Any, Any], record: Record) -> str:
    """One board. Raises BadInput, IllegalMove."""
    board, s = board_of(game, record, "PBN")
    level = int(s.level)
    contract = declarer = ""
    if level:
        strain = ("S", "H", "D", "C", "NT")[int(s.trump)]
        contract, declarer = f"{level}{strain}{'X' * int(s.doubled)}", SEATS[int(s.declarer)]
    elif board.calls[-4:] == ["P"] * 4:
        contract = "Pass"
    result = board.tags.get("Result", "") if board.tricks is None else str(board.tricks)
    seats = dict(zip(_PLAYERS, board.players or ("?",) * 4, strict=False))
    values = {
        "Event": "", "Site": "", "Board": str(int(s.board) or ""), "Scoring": "", **seats, **board.tags,
        "Date": board.date.replace("-", "."), "Dealer": board.dealer, "Deal": board.deal,
        "Vulnerable": _PBN_SIDES[VULNERABLE.index(board.vulnerable)],
        "Declarer": declarer, "Contract": contract, "Result": result,
    }  # fmt: skip
    names = [*_HEADER, *(name for name in values if name not in _HEADER)]
    lines = [f'[{name} "{_escaped(values.get(name, "") or "?")}"]' for name in names]
    notes = {place: number for number, place in enumerate(sorted(board.comments), 1)}
    if board.calls:
        lines.append(f'[Auction "{board.dealer}"]')
        words = [
            f"{_call(call)}{f' ={notes[place]}=' if place in notes else ''}"
            for place, call in enumerate(board.calls, 1)
        ]
        lines += [" ".join(words[start : start + 4]) for start in range(0, len(words), 4)]
        if not level and contract != "Pass":
            lines[-1] += " *"
        lines += [f'[Note "{number}:{_escaped(board.comments[place])}"]' for place, number in notes.items()]
    if board.cards:
        leader = SEATS[(int(s.declarer) + 1) % 4]
        lines += [f'[Play "{leader}"]', *_rows(board)]
        if len(board.cards) < 52:
            lines.append("*")
    return "\n".join(lines) + "\n"


def _rows(board: Board) -> Iterator[str]:
    trumps, first = _trumps(board), 0
    for start in range(0, len(board.cards), 4):
        trick = board.cards[start : start + 4]
        row = ["-"] * 4
        for place, card in enumerate(trick):
            row[(first + place) % 4] = card
        yield " ".join(row)
        best = max(range(len(trick)), key=lambda place: _strength(trick[place], trick[0], trumps))
        first = (first + best) % 4


def _call(call: str) -> str:
    return "Pass" if call == "P" else call


def _escaped(text: str) -> str:
    return " ".join(text.split()).replace("\\", "\\\\").replace('"', '\\"')


def offer(game: Game[Any, Any]) -> Format:
    """The notation for this game."""
    return offer_records(game, "PBN", ".pbn", split, write)
