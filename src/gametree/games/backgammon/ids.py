"""Positions as GNU Backgammon's position ID and match ID, and as XGID.

GNU Backgammon's player 1 and the lower player of an XGID (capital letters) are seat 0 here; player 0 and the upper one
are seat 1. A match ID says more than a game may hold (resignations); what it does hold comes back bit by bit. Before
the opening roll the match ID says that no game is going on.
"""

from __future__ import annotations

import base64
import binascii
import re
from typing import Any

from gametree.core.errors import BadInput
from gametree.games.backgammon.board import ANSWER, BAR, CHECKERS, CUBE, OFF, OPENING, OVER, PLAY, ROLL, START

__all__ = ["position_id", "read", "write_gnubg", "write_xgid"]

_CENTRED = 3
_FIELDS = (4, 2, 1, 1, 3, 1, 1, 2, 3, 3, 15, 15, 15, 1)
"""Bits of: cube, owner, on roll, Crawford, state, who decides, doubled, resigned, dice, length, scores, no Jacoby."""
_NOT_BEGUN, _PLAYING, _ENDED, _DROPPED = 0, 1, 2, 4
_XGID_CUBE = 10
"""The highest cube of an XGID, as an exponent; programs write this one."""
_XGID = re.compile(
    r"([-a-oA-O]{26}):(\d):(-1|0|1):(-1|1):(00|D|[1-6][1-6])(?::(\d{1,5}):(\d{1,5}):([0-3]):(\d{1,5})(?::(\d{1,2}))?)?"
)


def _pack(numbers: list[tuple[int, int]], size: int) -> str:
    """Numbers of so many bits each, the lowest bit first, as base64 of `size` bytes without padding."""
    whole = at = 0
    for number, bits in numbers:
        whole |= number << at
        at += bits
    return base64.b64encode(whole.to_bytes(size, "little")).decode().rstrip("=")


def _unpack(text: str, what: str, size: int) -> int:
    """The bits of a base64 text as one number. Raises BadInput."""
    try:
        data = base64.b64decode(text + "=" * (-len(text) % 4), validate=True)
    except (binascii.Error, ValueError):
        data = b""
    if len(data) != size:
        raise BadInput(f"'{text}' is not a {what} of GNU Backgammon; expected {-(-size * 8 // 6)} letters and digits.")
    return int.from_bytes(data, "little")


# Writing --------------------------------------------------------------------------------------------------------------


def position_id(s: Any) -> str:
    """The checkers, those of the side that is not on roll first: 14 characters."""
    numbers = []
    for side in (1 - int(s.seat), int(s.seat)):
        for point in (*range(1, BAR), BAR):
            count = int(s.men[side, point])
            numbers.append(((1 << count) - 1, count + 1))
    return _pack(numbers, 10)


def match_id(s: Any, *, length: int, jacoby: bool) -> str:
    """Cube, dice, score and what happens next: 12 characters."""
    phase, seat = int(s.phase), int(s.seat)
    dropped = phase == OVER and int(s.men[1 - seat, OFF]) < CHECKERS
    state = _NOT_BEGUN if phase == OPENING else _PLAYING if phase != OVER else _DROPPED if dropped else _ENDED
    player = 1 - seat
    values = (
        int(s.cube),
        _CENTRED if s.owner == 0 else 2 - int(s.owner),
        player,
        int(s.crawford),
        state,
        1 - player if phase == ANSWER else player,
        int(phase == ANSWER),
        0,
        int(s.dice[0]),
        int(s.dice[1]),
        length,
        int(s.score[1]),
        int(s.score[0]),
        int(not jacoby and not length),
    )
    return _pack(list(zip(values, _FIELDS, strict=True)), 9)


def write_gnubg(s: Any, *, length: int, jacoby: bool) -> str:
    """Position ID and match ID with a colon between them."""
    return f"{position_id(s)}:{match_id(s, length=length, jacoby=jacoby)}"


def write_xgid(s: Any, *, length: int, jacoby: bool) -> str:
    """The position as an XGID; where the game has not begun or is over, as GNU Backgammon's ID, for want of another."""
    phase, seat = int(s.phase), int(s.seat)
    if phase in (OPENING, OVER):
        return write_gnubg(s, length=length, jacoby=jacoby)

    def letter(point: int) -> str:
        lower, upper = (int(s.men[0, point]) if point else 0), (int(s.men[1, BAR - point]) if point < BAR else 0)
        return chr(64 + lower) if lower else chr(96 + upper) if upper else "-"

    points = "".join(letter(point) for point in range(26))
    owner = {0: 0, 1: 1, 2: -1}[int(s.owner)]
    dice = "D" if phase == ANSWER else f"{s.dice[0]}{s.dice[1]}" if phase == PLAY else "00"
    flag = int(s.crawford) if length else int(jacoby)
    return (
        f"XGID={points}:{int(s.cube)}:{owner}:{-1 if seat else 1}:{dice}:{int(s.score[0])}:{int(s.score[1])}:"
        f"{flag}:{length}:{_XGID_CUBE}"
    )


# Reading --------------------------------------------------------------------------------------------------------------


def read(s: Any, text: str, *, length: int, highest: int) -> None:
    """Write into a zeroed struct what a text says: a position ID, one with a match ID, or an XGID. Raises BadInput."""
    written = text.strip()
    if written.upper().startswith("XGID=") or written.count(":") > 1:
        _read_xgid(s, written)
        given = _check_match(s, written, length)
    else:
        position, _, match = written.partition(":")
        given = 0
        if match:
            given = _read_match(s, match)
            _check_match(s, written, length, given)
        else:
            s.phase = ROLL
        _read_checkers(s, position)
    _check(s, written, length, highest)


def _read_checkers(s: Any, text: str) -> None:
    bits = _unpack(text, "position ID", 10)
    for side in (1 - int(s.seat), int(s.seat)):
        for point in (*range(1, BAR), BAR):
            count = 0
            while bits & 1 and count <= CHECKERS:
                count += 1
                bits >>= 1
            bits >>= 1
            s.men[side, point] = count
    for side in range(2):
        there = sum(int(s.men[side, point]) for point in range(1, 26))
        if there > CHECKERS:
            raise BadInput(f"The position ID '{text}' has {there} checkers of one side; expected at most {CHECKERS}.")
        s.men[side, OFF] = CHECKERS - there
    if bits:
        raise BadInput(f"The position ID '{text}' has more than {CHECKERS} checkers of one side or is damaged.")


def _read_match(s: Any, text: str) -> int:
    """Everything but the checkers; returns the length of the match."""
    bits = _unpack(text, "match ID", 9)
    values = []
    for size in _FIELDS:
        values.append(bits & (1 << size) - 1)
        bits >>= size
    cube, owner, player, crawford, state, decides, doubled, _, one, two, length, score0, score1, _ = values
    wrong = None
    if owner == 2 or cube > 10:
        wrong = f"a cube of {1 << cube} whose owner is {owner}"
    elif state not in (_NOT_BEGUN, _PLAYING, _ENDED, 3, _DROPPED):
        wrong = f"the state of the game {state}"
    elif max(one, two) > 6 or (one == 0) != (two == 0):
        wrong = f"the dice {one} and {two}"
    elif doubled and (one or decides == player):
        wrong = "a double that nobody can answer"
    if wrong:
        raise BadInput(f"The match ID '{text}' has {wrong}; expected one that GNU Backgammon has written.")
    s.cube, s.crawford = cube, crawford
    s.owner = 0 if owner == _CENTRED else 2 - owner
    s.seat = 1 - player
    s.dice[0], s.dice[1] = max(one, two), min(one, two)
    s.score[0], s.score[1] = score1, score0
    s.phase = ANSWER if doubled else PLAY if one else ROLL
    if state == _NOT_BEGUN:
        s.phase = OPENING
    elif state != _PLAYING:
        s.phase = OVER
        s.dice[0] = s.dice[1] = 0
    return int(length)


def _read_xgid(s: Any, text: str) -> None:
    found = _XGID.fullmatch(re.sub("^xgid=", "", text, flags=re.IGNORECASE))
    if found is None:
        raise BadInput(
            f"'{text}' is not an XGID; expected 26 letters and dashes, then cube, owner, turn, dice, scores, flag and "
            "length with colons between them."
        )
    for point, letter in enumerate(found[1]):
        if letter.isupper():
            s.men[0, point] += ord(letter) - 64
        elif letter.islower():
            s.men[1, BAR - point] += ord(letter) - 96
    for side in range(2):
        if s.men[side, OFF]:
            raise BadInput(f"The XGID '{text}' has checkers on the wrong bar; expected small letters on the first.")
        there = sum(int(s.men[side, point]) for point in range(1, 26))
        if there > CHECKERS:
            raise BadInput(f"The XGID '{text}' has {there} checkers of one side; expected at most {CHECKERS}.")
        s.men[side, OFF] = CHECKERS - there
    s.cube = int(found[2])
    s.owner = {"0": 0, "1": 1, "-1": 2}[found[3]]
    s.seat = 0 if found[4] == "1" else 1
    if found[5] == "D":
        s.phase = ANSWER
    elif found[5] == "00":
        s.phase = ROLL
    else:
        s.phase = PLAY
        one, two = int(found[5][0]), int(found[5][1])
        s.dice[0], s.dice[1] = max(one, two), min(one, two)
    length = int(found[9] or 0)
    s.score[0], s.score[1] = (int(found[6] or 0), int(found[7] or 0)) if length else (0, 0)
    s.crawford = int(bool(length) and found[8] == "1")
    s.points = length


def _check_match(s: Any, text: str, length: int, given: int | None = None) -> int:
    """Whether the text is of a match of this length. Raises BadInput."""
    if given is None:
        given, s.points = int(s.points), 0
    if given != length:
        one = f"a match to {given} points" if given else "a game for points"
        name = f"backgammon:match={given}" if given else "backgammon or backgammon:cube=64"
        raise BadInput(f"'{text}' is a position of {one}; expected the game {name} for it.")
    return given


def _check(s: Any, text: str, length: int, highest: int) -> None:
    """Raise BadInput for what cannot come about."""

    def refuse(why: str) -> None:
        raise BadInput(f"'{text}' cannot come about: {why}.")

    for point in range(1, BAR):
        if s.men[0, point] and s.men[1, BAR - point]:
            refuse(f"both sides have checkers on Black's point {point}")
    closed = [all(s.men[side, point] > 1 for point in range(1, 7)) for side in range(2)]
    if all(closed) and s.men[0, BAR] and s.men[1, BAR]:
        refuse("both sides are on the bar before closed boards")
    gone = [int(s.men[side, OFF]) == CHECKERS for side in range(2)]
    if all(gone):
        refuse("both sides have borne off all checkers")
    if s.phase == OPENING:
        at_start = all(
            {p: int(s.men[side, p]) for p in range(26) if s.men[side, p]} == dict(START) for side in range(2)
        )
        if not at_start or s.cube or s.owner or s.dice[0] or s.seat:
            refuse("the opening roll comes before anything else has happened")
    elif s.phase != OVER and any(gone):
        if gone[s.seat] or s.phase not in (ROLL, CUBE):
            refuse("the game had ended before")
        s.phase = OVER
    if s.cube > highest or (s.owner and not s.cube):
        if highest == 0:
            raise BadInput(f"'{text}' has a cube; expected the game backgammon:cube=64 for it.")
        refuse(f"the cube stands at {1 << int(s.cube)}, and {1 << highest} is its highest value")
    if s.phase == ANSWER and (s.cube >= highest or s.crawford or s.owner == 2 - s.seat):
        refuse("nobody may double here")
    if length:
        won = [int(score) >= length for score in s.score]
        if max(map(int, s.score)) > length or all(won) or (any(won) and s.phase != OVER):
            refuse(f"the score is {s.score[0]}–{s.score[1]} in a match to {length}")
        if s.phase == OVER and not any(won):
            refuse("a game has ended, but not the match; expected the position before the next opening roll")
        if s.crawford and sum(int(score) == length - 1 for score in s.score) == 0:
            refuse("it is said to be the Crawford game, but nobody needs just one point")
    elif s.phase == OVER and not any(gone) and highest == 0:
        refuse("nobody has borne off all checkers")
