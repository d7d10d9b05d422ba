"""Positions, steps and whole turns of Arimaa as text."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from gametree.core.errors import BadInput, IllegalMove
from gametree.games.arimaa.board import DELTAS, HOME, NO_SQUARE, PASS, PLACE, PLACED, frozen

if TYPE_CHECKING:
    from gametree.games.arimaa.rules import Arimaa

__all__ = [
    "ANIMALS",
    "LETTERS",
    "SIDES",
    "complaint",
    "read_pieces",
    "read_position",
    "read_turn",
    "rows_of",
    "short_board",
    "square_name",
    "step_text",
    "turn_text",
    "write_position",
]

LETTERS = ("RCDHME", "rcdhme")
ANIMALS = ("rabbit", "cat", "dog", "horse", "camel", "elephant")
MOST = (8, 2, 2, 2, 1, 1)
"""No side has more of each kind."""
SIDES = "gs"
_WAYS = "nesw"
_SQUARES = tuple("abcdefgh"[square % 8] + str(square // 8 + 1) for square in range(64))
_BRACKETS = re.compile(r"\s*([gswb])\s*\[([^\]]*)\]\s*", re.IGNORECASE)
_PLACES = r"[a-h][1-8](?:,[a-h][1-8])*>[a-h][1-8]"
_TEXT = re.compile(
    rf"([gswb]) ([rcdhme./]+)(?: (setup))?(?: step ([1-3]))?(?: from ([0-9a-f]{{16}}))?(?: (push|pull) ({_PLACES}))?"
    r"(?: quiet (\d{1,9}))?(?: seen ([0-9a-f]{16}(?:,[0-9a-f]{16})*))?",
    re.IGNORECASE,
)
_TOKEN = re.compile(r"([RCDHME])([a-h][1-8])([nesw]|x)?", re.IGNORECASE)
EXPECTED = "g or s, then eight ranks of eight from the top with RCDHME, rcdhme and '.', separated by '/'"


def square_name(square: int) -> str:
    """`a1` to `h8`."""
    return _SQUARES[square]


def marks_of(s: Any) -> str:
    """The 64 squares from a1 on, as letters and dots."""
    marks = ["."] * 64
    for side in range(2):
        for kind in range(6):
            bits = int(s.sides[side]) & int(s.kinds[kind])
            for square in range(64):
                if bits >> square & 1:
                    marks[square] = LETTERS[side][kind]
    return "".join(marks)


def rows_of(s: Any) -> list[str]:
    """The ranks from the top."""
    marks = marks_of(s)
    return [marks[8 * rank : 8 * rank + 8] for rank in range(7, -1, -1)]


def short_board(s: Any) -> str:
    """The board as other programs write it: 64 letters from a8 on in brackets, blanks for empty squares."""
    return "[" + "".join(rows_of(s)).replace(".", " ") + "]"


# Positions ------------------------------------------------------------------------------------------------------------


def write_position(s: Any, seen: Sequence[int]) -> str:
    """The side to move, the ranks, and what the rest of the turn and of the game depends on."""
    words = [SIDES[s.seat], "/".join(rows_of(s))]
    if s.placed < 16:
        words.append("setup")
    if s.steps:
        words += [f"step {s.steps}", f"from {int(s.begun):016x}"]
    if s.hole != NO_SQUARE:
        movers = [_SQUARES[square] for square in range(64) if int(s.movers) >> square & 1]
        pushing = int(s.movers) & int(s.sides[s.seat])
        words.append(f"{'push' if pushing else 'pull'} {','.join(movers)}>{_SQUARES[s.hole]}")
    if s.quiet:
        words.append(f"quiet {s.quiet}")
    if seen:
        words.append("seen " + ",".join(f"{key:016x}" for key in seen))
    return " ".join(words)


def read_position(text: str, s: Any) -> tuple[bool, list[int]]:
    """Fill a zeroed struct, but for what follows from it; whether play has begun, and the positions seen before.

    Raises BadInput.
    """
    short = _BRACKETS.fullmatch(text)
    if short is not None:
        board = short[2].replace(" ", ".").replace("x", ".").replace("X", ".")
        text = f"{short[1]} " + "/".join(board[8 * row : 8 * row + 8] for row in range(len(board) // 8 + 1)).rstrip("/")
    found = _TEXT.fullmatch(" ".join(text.split()))
    rows = found[2].split("/") if found else []
    if found is None or [len(row) for row in rows] != [8] * 8:
        raise BadInput(f"'{text}' is not a position of arimaa; expected {EXPECTED}.")
    read_pieces(s, rows, text)
    s.seat = "gswb".index(found[1].lower()) % 2
    s.hole = NO_SQUARE
    if found[3]:
        _read_setup(s, text)
    s.steps = int(found[4] or 0)
    s.begun = np.uint64(int(found[5] or "0", 16))
    if (found[5] or found[6]) and not s.steps:
        raise BadInput(f"'{text}' cannot come about: 'from', 'push' and 'pull' belong to a turn with a step.")
    if found[6]:
        _read_hole(s, found[6].lower(), found[7], text)
    s.quiet = int(found[8] or 0)
    return not found[3], [int(word, 16) for word in found[9].split(",")] if found[9] else []


def read_pieces(s: Any, rows: Sequence[str], text: str) -> None:
    """Put the pieces of eight ranks on the empty board. Raises BadInput if a side has more than it can."""
    counts = Counter("".join(rows))
    for side in range(2):
        for kind, most in enumerate(MOST):
            letter = LETTERS[side][kind]
            if counts[letter] > most:
                raise BadInput(
                    f"'{text}' cannot come about: it has {counts[letter]} of {letter}; expected at most {most}."
                )
            bits = sum(1 << 8 * (7 - row) + file for row in range(8) for file in range(8) if rows[row][file] == letter)
            s.sides[side] |= np.uint64(bits)
            s.kinds[kind] |= np.uint64(bits)


def _read_setup(s: Any, text: str) -> None:
    """How many pieces have been set up. Raises BadInput."""
    placed = 0
    for side in range(2):
        own = int(s.sides[side])
        kinds = [int(s.kinds[kind]) & own for kind in range(6)]
        count = own.bit_count()
        so_far = Counter(int(kind) for kind in PLACED[:count]) if count < 8 else Counter(range(6))
        if count < 8:
            fits = all(kinds[kind].bit_count() == so_far[kind] for kind in range(6))
        else:
            fits = count == 16 and all(kinds[kind].bit_count() == MOST[kind] for kind in range(6))
        if not fits or own & ~int(HOME[side]) or (side == 1 and count and placed < 8):
            raise BadInput(
                f"'{text}' cannot come about: a side sets up elephant, camel, horses, dogs and cats in this order "
                "on its two ranks, rabbits fill them, and Gold is first."
            )
        placed += min(count, 8)
    if placed == 16 or s.seat != (placed >= 8):
        raise BadInput(f"'{text}' cannot come about: {'nobody' if placed == 16 else SIDES[placed >= 8]} is setting up.")
    s.placed = placed


def _read_hole(s: Any, word: str, places: str, text: str) -> None:
    """Who may, or must, step into the square that was left. Raises BadInput."""
    names, hole = places.lower().split(">")
    squares = [_SQUARES.index(name) for name in names.split(",")]
    bits = sum(1 << square for square in set(squares))
    target = _SQUARES.index(hole)
    s.hole, s.movers = target, np.uint64(bits)
    side = int(s.sides[s.seat if word == "push" else 1 - s.seat])
    near = all(abs(a % 8 - target % 8) + abs(a // 8 - target // 8) == 1 for a in squares)
    if bits & ~side or not near or (int(s.sides[0]) | int(s.sides[1])) >> target & 1:
        raise BadInput(f"'{text}' cannot come about: '{word} {places}' names no such pieces beside an empty square.")


# Steps and turns ------------------------------------------------------------------------------------------------------


def step_text(s: Any, action: int) -> str:
    """A placement, a step, or `pass`."""
    if action == PASS:
        return "pass"
    if action >= PLACE:
        return LETTERS[s.seat][PLACED[s.placed & 7]] + _SQUARES[action - PLACE]
    square = action >> 2
    return marks_of(s)[square] + _SQUARES[square] + _WAYS[action & 3]


def turn_text(game: Arimaa, state: bytes, actions: Sequence[int]) -> str:
    """The steps of one turn as game files and other programs write them, with what they dropped into traps.

    A set-up is written as all sixteen placements; a pass that ends the turn is not written.
    """
    words = []
    for action in actions:
        s = game.struct(state)
        after = game.result(state, action)
        t = game.struct(after)
        if action >= PLACE:
            words.append(step_text(s, action))
            if t.placed & 7 == 0:
                words += [LETTERS[s.seat][0] + _SQUARES[n] for n in range(64) if _has_rabbit(t, int(s.seat), n)]
        elif action != PASS:
            words.append(step_text(s, action))
            target = (action >> 2) + int(DELTAS[action & 3])
            before, now = marks_of(s), marks_of(t)
            mover = before[action >> 2]
            for square in range(64):
                stood = mover if square == target else before[square]
                if now[square] == "." != stood and square != action >> 2:
                    words.append(stood + _SQUARES[square] + "x")
        state = after
    return " ".join(words)


def _has_rabbit(s: Any, side: int, square: int) -> bool:
    return bool((int(s.sides[side]) & int(s.kinds[0])) >> square & 1)


def read_turn(game: Arimaa, state: bytes, text: str) -> list[int]:
    """The actions of one whole turn, the pass included, whatever the order in which a set-up is written.

    Raises IllegalMove, naming the step that is not possible.
    """
    words = [word for word in text.split() if not re.fullmatch(r"[RCDHMErcdhme][a-h][1-8]x", word)]
    seat = game.player(state)
    if game.struct(state).placed < 16:
        words = _placements(game, state, words)
    actions = []
    for word in words:
        if game.is_terminal(state) or game.player(state) != seat:
            raise IllegalMove(f"'{text}' is not a turn here: '{word}' comes after its end.")
        action = game.action_from_text(state, word)
        actions.append(action)
        state = game.result(state, action)
    if not words:
        raise IllegalMove("A turn without a step is not possible; expected steps such as Ee2n.")
    if not game.is_terminal(state) and game.player(state) == seat:
        if PASS not in game.actions(state):
            pushing = int(game.struct(state).movers) & int(game.struct(state).sides[seat])
            why = "its push is not finished" if pushing else "it leaves a board that has stood before"
            raise IllegalMove(f"'{text}' cannot end a turn here: {why}.")
        actions.append(PASS)
    return actions


def _placements(game: Arimaa, state: bytes, words: Sequence[str]) -> list[str]:
    """The placements of a set-up in the order in which the game asks for them. Raises IllegalMove."""
    s = game.struct(state)
    letters = LETTERS[s.seat]
    wanted = [letters[kind] for kind in PLACED[s.placed & 7 :]]
    tokens = [_TOKEN.fullmatch(word) for word in words]
    placed = [(found[1], found[2].lower()) for found in tokens if found and not found[3]]
    animals = [place for place in placed if place[0] != letters[0]]
    rabbits = {square for letter, square in placed if letter == letters[0]}
    home = {_SQUARES[n] for n in range(64) if int(HOME[s.seat]) >> n & 1}
    filled = {_SQUARES[n] for n in range(64) if int(s.sides[s.seat]) >> n & 1}
    left = home - filled - {square for _, square in animals}
    if len(placed) != len(words) or Counter(a for a, _ in animals) != Counter(wanted) or (rabbits and rabbits != left):
        raise IllegalMove(
            f"'{' '.join(words)}' is not a set-up here; expected a place on the own two ranks for each of "
            f"{' '.join(wanted)}, and rabbits on the others."
        )
    return [animal + square for animal, square in sorted(animals, key=lambda place: wanted.index(place[0]))]


def complaint(s: Any, text: str, over: bool) -> str:
    """Why a step is not possible, as the end of a sentence; empty where there is nothing to explain."""
    if over:
        return ", because the game is over"
    found = _TOKEN.fullmatch(text)
    if found is None:
        expected = "a placement such as Ee2" if s.placed < 16 else "a step such as Ee2n, or pass"
        return f"; expected {expected}"
    if s.placed < 16:
        return f": {ANIMALS[PLACED[s.placed & 7]]} is set up now, on the own two ranks"
    square = _SQUARES.index(found[2].lower())
    mark = marks_of(s)[square]
    if mark != found[1]:
        return f": {found[2].lower()} holds {mark if mark != '.' else 'nothing'}"
    if int(s.movers) & int(s.sides[s.seat]):
        return f": the push into {_SQUARES[s.hole]} must be finished first"
    if int(frozen(s, int(s.seat))) >> square & 1:
        return f": {mark}{_SQUARES[square]} is frozen"
    if (
        mark in "Rr"
        and found[3]
        and mark == LETTERS[s.seat][0]
        and _WAYS.index(found[3].lower()) == 2 - 2 * int(s.seat)
    ):
        return ": rabbits never step back"
    return ""
