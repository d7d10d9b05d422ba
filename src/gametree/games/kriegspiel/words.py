"""Kriegspiel as text: tries, what the umpire says, positions, and PGN with the refused tries as comments."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from gametree.core.errors import BadInput, GametreeError
from gametree.core.format import Format, Record, shared_format
from gametree.games.chess.board import KING, PAWN
from gametree.games.chess.fen import LETTERS, square_name, square_number
from gametree.games.kriegspiel.umpire import (
    ASK,
    DEAD,
    FIFTY,
    FILE,
    FREE,
    KNIGHT_CHECK,
    LONG,
    MATE,
    MUST,
    NO,
    RANK,
    SHORT,
    STALEMATE,
    TWO,
    try_from,
    try_to,
    try_turned,
)

if TYPE_CHECKING:
    from gametree.games.kriegspiel.rules import Kriegspiel

__all__ = [
    "announcement",
    "pgn_format",
    "read_extras",
    "try_text",
    "uci_text",
    "unseen_text",
    "write_extras",
]

ANY = "any?"
"""How one asks for pawn captures."""
_CHECKS = {
    FILE: "on the file",
    RANK: "on the rank",
    LONG: "on the long diagonal",
    SHORT: "on the short diagonal",
    KNIGHT_CHECK: "by a knight",
}
_ANSWERS = {NO: "no", MUST: "yes", FREE: "tried"}


# Tries ----------------------------------------------------------------------------------------------------------------


def uci_text(action: int) -> str:
    """A try by its squares: e2e4, e7e8q, e1g1, or any?."""
    if action == ASK:
        return ANY
    turned = int(try_turned(action))
    return (
        square_name(int(try_from(action))) + square_name(int(try_to(action))) + (LETTERS[1][turned] if turned else "")
    )


def kind_on(s: Any, square: int) -> int:
    """The kind of the man on a square, 0 if nobody stands there."""
    return next((kind for kind in range(1, 7) if int(s.kinds[kind]) >> square & 1), 0)


def try_text(s: Any, action: int, all_tries: Iterable[int]) -> str:
    """A try in algebraic notation: Nf3, exd5, O-O, e8=Q. It tells a man from others that may try the same.

    Whether a piece takes something nobody knows, so there is no x but at pawns. `all_tries` are those of the turn, the
    refused ones included, so that the text stays the same.
    """
    if action == ASK:
        return ANY
    start, to, turned = int(try_from(action)), int(try_to(action)), int(try_turned(action))
    kind, name = kind_on(s, start), square_name(start)
    if kind == KING and abs(start - to) == 2:
        return "O-O" if to > start else "O-O-O"
    if kind == PAWN:
        taking = "" if start % 8 == to % 8 else name[0] + "x"
        return taking + square_name(to) + ("=" + LETTERS[0][turned] if turned else "")
    rivals = [
        int(try_from(other))
        for other in all_tries
        if other != ASK and int(try_to(other)) == to and int(try_from(other)) != start
    ]
    rivals = [square for square in rivals if kind_on(s, square) == kind]
    shown = ""
    if rivals:
        shown = name[0] if all(square % 8 != start % 8 for square in rivals) else name[1]
        if shown == name[1] and any(square // 8 == start // 8 for square in rivals):
            shown = name
    return LETTERS[0][kind] + shown + square_name(to)


# What the umpire says -------------------------------------------------------------------------------------------------


def announcement(s: Any, *, counts: bool) -> list[str]:
    """What the umpire said of the last move, piece by piece; `counts` says whether he tells how many pawn tries."""
    said = []
    if s.taken:
        what = {1: "pawn", 2: "piece"}.get(int(s.taken_kind), "man")
        passing = " in passing" if s.passing else ""
        said.append(f"{what} on {square_name(int(s.taken) - 1)} taken{passing}")
    if s.promoted:
        said.append("a pawn is promoted")
    side = ("White", "Black")[int(s.seat)]
    if s.checks:
        ways = [text for bit, text in _CHECKS.items() if int(s.checks) & bit]
        if int(s.checks) & TWO and len(ways) == 1:
            ways *= 2
        said.append(f"{side} is in check {' and '.join(ways)}")
    if s.sources:
        pawns = ", ".join(square_name(square) for square in range(64) if int(s.sources) >> square & 1)
        said.append(f"{side} can take with the pawn on {pawns}")
    elif s.tries:
        said.append(f"{side} has {_count(int(s.tries))}" if counts else f"{side} has pawn tries")
    ends = {MATE: f"{side} is mated", STALEMATE: f"{side} is stalemated", DEAD: "a dead position", FIFTY: "fifty moves"}
    if int(s.verdict) in ends:
        said.append(ends[int(s.verdict)])
    return said


def _count(tries: int) -> str:
    return "1 pawn try" if tries == 1 else f"{tries} pawn tries"


def unseen_text(said: list[str]) -> str:
    """A move as the other side hears it."""
    return "a move" + "".join(f"; {words}" for words in said)


# Positions ------------------------------------------------------------------------------------------------------------


def write_extras(s: Any) -> str:
    """What stands behind the FEN: nothing at the start of a game."""
    words = []
    if s.moved:
        words.append("moved")
    if s.taken:
        kind = {0: "", 1: " pawn", 2: " piece"}[int(s.taken_kind)]
        words.append(f"taken {square_name(int(s.taken) - 1)}{kind}{' passing' if s.passing else ''}")
    if s.promoted:
        words.append("promoted")
    if s.asked:
        words.append(f"any {_ANSWERS[int(s.asked)]}")
    refused = [
        square_name(start) + square_name(to)
        for start, targets in enumerate(s.refused.tolist())
        for to in range(64)
        if targets >> to & 1
    ]
    if refused:
        words.append("refused " + " ".join(refused))
    return "".join(f"; {word}" for word in words)


def read_extras(s: Any, words: Iterable[str], text: str) -> None:
    """Set what `write_extras` wrote. Raises BadInput."""
    for part in words:
        word, _, rest = part.strip().partition(" ")
        fields = rest.split()
        if word == "moved" and not fields:
            s.moved = 1
        elif word == "promoted" and not fields:
            s.promoted = 1
        elif word == "taken" and re.fullmatch(r"[a-h][1-8]( pawn| piece)?( passing)?", rest):
            s.taken = square_number(fields[0]) + 1
            s.taken_kind = 1 if "pawn" in fields else 2 if "piece" in fields else 0
            s.passing = "passing" in fields
        elif word == "any" and rest in _ANSWERS.values():
            s.asked = next(number for number, answer in _ANSWERS.items() if answer == rest)
        elif word == "refused" and fields and all(re.fullmatch("([a-h][1-8]){2}", field) for field in fields):
            for field in fields:
                s.refused[square_number(field[:2])] |= np.uint64(1 << square_number(field[2:]))
            s.refusals = min(255, len(set(fields)))
        else:
            raise BadInput(
                f"'{part.strip()[:40]}' in '{text[:90]}' is nothing that the umpire says; expected moved, "
                "taken e5 pawn, promoted, any no or refused e2e4."
            )


# PGN ------------------------------------------------------------------------------------------------------------------


def pgn_format(game: Kriegspiel) -> Format:
    """PGN as for chess, so that other programs can read it; what was refused stands in comments: {tried Nd5 exd4}."""
    chess = shared_format(game.chess, "pgn")

    def write(record: Record) -> str:
        moves, comments = _without_tries(game, record)
        played = replace(record, moves=tuple(moves), comments=comments, game=record.game or game.name, position=None)
        if record.position is not None:
            opened = game.opened(game.state_from_text(record.position))[1]
            played = replace(played, position=game.chess.fen(opened))
        return chess.write(played)

    def read(lines: Any) -> Iterator[Record]:
        return (_with_tries(game, record) for record in chess.read(lines))

    return Format("record", "PGN, with refused tries as comments", write, read, ".pgn")


def _without_tries(game: Kriegspiel, record: Record) -> tuple[list[str], dict[int, str]]:
    """The moves that were played, as chess writes them, and the comments with what was tried."""
    state = game.initial() if record.position is None else game.state_from_text(record.position)
    moves: list[str] = []
    tried: list[str] = []
    comments: dict[int, str] = {}
    for ply, text in enumerate(record.moves):
        action = game.action_from_text(state, text)
        open_game, board = game.opened(state)
        after = game.result(state, action)
        if game.is_refusal(state, after):
            tried.append(game.action_text(state, action).rstrip("?"))
        else:
            moves.append(open_game.action_text(board, game.open_move(state, action)))
            if tried:
                place = len(moves) - 1
                comments[place] = f"{comments.get(place, '')} tried {' '.join(tried)}".strip()
            tried = []
        state = after
        if ply + 1 in record.comments:
            comments[len(moves)] = f"{comments.get(len(moves), '')} {record.comments[ply + 1]}".strip()
    if tried:
        comments[len(moves)] = f"{comments.get(len(moves), '')} tried {' '.join(tried)}".strip()
    return moves, comments


def _with_tries(game: Kriegspiel, record: Record) -> Record:
    """The same game with every try as a move of its own."""
    texts: list[str] = []
    actions: list[int] = []
    comments: dict[int, str] = {}
    error = record.error
    try:
        state = game.initial() if record.position is None else game.state_from_text(record.position)
        for ply in range(len(record.actions) + 1):
            comment = record.comments.get(ply, "")
            found = re.search(r"\btried ((?:any|[A-Za-z][A-Za-z0-9=-]*)(?: (?:any|[A-Za-z][A-Za-z0-9=-]*))*)", comment)
            words = found[1].split() if found else []
            rest = comment.replace(found[0], "").strip() if found else comment
            if rest:
                comments[len(texts)] = rest
            for word in words:
                action = game.action_from_text(state, ANY if word == "any" else word)
                after = game.result(state, action)
                if not game.is_refusal(state, after):
                    raise BadInput(f"The try '{word}' before ply {ply + 1} is legal, so it was not refused.")
                texts.append(game.action_text(state, action))
                actions.append(action)
                state = after
            if ply < len(record.actions):
                action = game.closed(state, record.actions[ply])
                texts.append(game.action_text(state, action))
                actions.append(action)
                state = game.result(state, action)
    except GametreeError as problem:
        error = error or str(problem)
    return replace(record, moves=tuple(texts), actions=tuple(actions), comments=comments, error=error)
