"""Keys and moves as the book format of Polyglot has them, which most chess programs read.

A key is the xor of numbers from a table of 781 that is part of the format: one for each piece on its square, one for
each castling right, one for the file of a pawn that can be taken in passing, and one if White is to move. A capture in
passing counts as soon as a pawn stands beside the pawn that has just moved two, even if it may not take because it is
pinned. A state knows legal captures only, so `keys_of` gives more than one key where that could matter; a game that is
replayed move by move has exact keys (`replay_lines`).
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib import resources
from typing import Any

import numpy as np

from gametree.games.chess.board import KING, PAWN, PAWN_STEPS, first
from gametree.games.chess.moves import (
    DOUBLE,
    en_passant_is_legal,
    from_square,
    play,
    promoted_kind,
    special,
    to_square,
)
from gametree.games.chess.notation import match_wish, read_wish
from gametree.games.chess.rules import MOST_MOVES, Chess
from gametree.kernels import ONE, ZERO, plain_at_first, u64

__all__ = ["MOST_KEYS", "PolyglotKeys", "code_of", "keys_of", "replay_lines"]

MOST_KEYS = 9
"""A state has its own key and at most one more for each file."""
RANDOM = np.array(
    [int(word, 16) for word in resources.files(__package__).joinpath("polyglot_keys.txt").read_text("ascii").split()],
    np.uint64,
)
CASTLE, PASSING, TURN = 768, 772, 780
"""Where in the table castling, captures in passing and the turn begin; before them come the pieces."""


def plain_key(s: Any) -> Any:
    """The key without any capture in passing."""
    key = RANDOM[TURN] if s.seat == 0 else ZERO
    for side in range(2):
        king = first(s.kinds[KING] & s.sides[side])
        for kind in range(1, 7):
            board = s.kinds[kind] & s.sides[side]
            base = u64(64 * (2 * (kind - 1) + 1 - side))  # black pawn, white pawn, black knight, ...
            while board != ZERO:
                key ^= RANDOM[base + first(board)]
                board &= board - ONE
        rooks = s.castlers & s.sides[side]
        while rooks != ZERO:
            key ^= RANDOM[CASTLE + 2 * side + (0 if first(rooks) > king else 1)]
            rooks &= rooks - ONE
    return key


def passing_key(square: Any) -> Any:
    """What a capture in passing on this square adds to the key."""
    return RANDOM[u64(PASSING) + (square & u64(7))]


@plain_at_first
def find_keys(states: Any, out: Any) -> Any:
    """Write the keys that the first struct may have in a book into `out`, its own first, and return their number.

    The others are those of a pawn that may have just moved two and could be taken in passing but for a pin: the legal
    moves, and so the position, are the same.
    """
    s = states[0]
    key = plain_key(s)
    if s.en_passant != 0:
        out[0] = key ^ passing_key(u64(s.en_passant))
        return 1
    out[0] = key
    n = 1
    if s.clock != 0:
        return n
    us = np.int64(s.seat)
    mine, theirs = s.kinds[PAWN] & s.sides[us], s.kinds[PAWN] & s.sides[1 - us]
    empty = ~(s.sides[0] | s.sides[1])
    for file in range(8):
        square = u64(40 + file if us == 0 else 16 + file)
        pawn = square - u64(8) if us == 0 else square + u64(8)
        home = square + u64(8) if us == 0 else square - u64(8)
        takers = mine & PAWN_STEPS[1 - us, square]
        if theirs >> pawn & ONE == ZERO or empty >> square & empty >> home & ONE == ZERO or takers == ZERO:
            continue
        legal = False
        while takers != ZERO:
            legal = legal or en_passant_is_legal(s, us, first(takers), square)
            takers &= takers - ONE
        if not legal:
            out[n] = key ^ passing_key(square)
            n += 1
    return n


def move_code(m: Any) -> Any:
    """A move as the format has it: bits 0–5 to, 6–11 from, 12–14 promoted to; the king takes the rook to castle."""
    turned = np.int64(promoted_kind(m))
    return np.int64(to_square(m)) | np.int64(from_square(m)) << 6 | (turned - 1 if turned > 0 else 0) << 12


def key_after(s: Any, last: Any) -> Any:
    """The exact key of a struct that the move `last` has led to; −1 at the start of a game."""
    key = plain_key(s)
    if last >= 0 and special(last) == DOUBLE:
        square = (from_square(last) + to_square(last)) >> ONE
        us = np.int64(s.seat)
        beside = s.kinds[PAWN] & s.sides[us] & PAWN_STEPS[1 - us, square]
        return key ^ passing_key(square) if beside != ZERO else key
    return key ^ passing_key(u64(s.en_passant)) if s.en_passant != 0 else key


def replay_lines(starts: Any, out: Any, wishes: Any, ends: Any, keys: Any, codes: Any, played: Any) -> None:
    """Play many games, each from its own struct of `starts`, whose wishes end before `ends[game]`.

    Before every move its position's key and its code are noted; `played[game]` says how many moves were legal. `out` is
    scratch space for moves.
    """
    begin = np.int64(0)
    for game in range(len(ends)):
        s = starts[game]
        last = np.int64(-1)
        count = np.int64(0)
        for i in range(begin, ends[game]):
            move = np.int64(-1)
            if wishes[i] >= 0:
                move = np.int64(match_wish(s, out, wishes[i]))
            if move < 0:
                break
            keys[i] = key_after(s, last)
            codes[i] = move_code(move)
            play(s, move)
            last = move
            count += 1
        played[game] = count
        begin = ends[game]


def keys_of(game: Chess, state: bytes) -> list[int]:
    """The keys under which a book may have the state, its own first."""
    out = np.empty(MOST_KEYS, np.uint64)
    count = game.rules.kernel(find_keys)(game.structs(state), out)
    return out[:count].tolist()  # type: ignore[no-any-return]


def code_of(action: int) -> int:
    """The move as a book has it, in 16 bits: what `move_code` says, in plain numbers, which Python does faster."""
    turned = action >> 15 & 7
    return action >> 6 & 63 | (action & 63) << 6 | (turned - 1 if turned else 0) << 12


class PolyglotKeys:
    """How books of chess are keyed; `gametree.knowledge.keys.Keys` says what each name promises."""

    name = "chess"
    has_header = False

    def __init__(self, game: Chess) -> None:
        self._game = game

    def find(self, state: bytes) -> list[int]:
        """The position's key; further ones where a pinned pawn could take in passing but for the pin."""
        return keys_of(self._game, state)

    def code(self, state: bytes, action: int) -> int:
        """Squares and promotion."""
        return code_of(action)

    def actions(self, state: bytes, code: int) -> list[int]:
        """The one legal move with this code, if there is one."""
        return [action for action in self._game.actions(state) if code_of(action) == code]

    def replay(self, starts: Sequence[bytes], lines: Sequence[Sequence[str]]) -> tuple[Any, Any, Any, Any]:
        """Keys, codes and seats of all moves of many games, one behind the other, and how many of each were legal."""
        structs = np.concatenate([self._game.structs(start) for start in starts])
        seats = structs["seat"].astype(np.int64)
        lengths = np.array([len(line) for line in lines], np.int64)
        wishes = np.array([read_wish(word) for line in lines for word in line], np.int64)
        ends = np.cumsum(lengths)
        keys, codes = np.zeros(len(wishes), np.uint64), np.zeros(len(wishes), np.int64)
        played = np.zeros(len(ends), np.int64)
        kernel = self._game.rules.kernel(replay_lines)
        kernel(structs, np.empty(MOST_MOVES, np.int64), wishes, ends, keys, codes, played)
        place = np.arange(len(wishes)) - np.repeat(ends - lengths, lengths)
        return keys, codes, (place + np.repeat(seats, lengths)) % 2, played
