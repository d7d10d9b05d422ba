"""Moves: a number for every path, the generator, and what a move does.

A move is a step or a whole path of jumps, told from its end:

    bits 0–5   the bit of the square where it ends
    bits 6–7   the way of the last step or jump (`board.step`)
    bit 8      JUMP: it captures
    bits 9–    the turns between the jumps, the last one in the lowest digit of a number in base 3 with digits 1, 2, 3

A jump never turns back at once, because what it would jump over has been captured; so a turn t leads from way w to
(w + 2 + t) mod 4. No path has more than nine jumps (there are nine squares that can be jumped over), which makes the
largest number 9841 · 512 − 1: 23 bits.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from gametree.games.checkers.board import (
    BLACK,
    CROWN,
    State,
    empty_squares,
    first,
    jumpers,
    moving_down,
    moving_up,
    number_of,
    step,
)
from gametree.kernels import ONE, ZERO, mix_in, u64

__all__ = ["JUMP", "MOST_MOVES", "State", "generate", "key_of_board", "path_of", "play"]

JUMP = 256
MOST_MOVES = 524
"""Jumping pieces land on two groups of eight squares for each of the two kinds of rows. If all pieces that could be
captured stand there, at most 51 paths begin on any square; twelve pieces on the best squares together have 524."""


def generate(s: Any, out: Any) -> Any:
    """Write the legal moves and return how many there are: captures if there are any. Draws by rule do not count."""
    side = np.int64(s.seat)
    able = jumpers(s, side)
    n = np.int64(0)
    if able != ZERO:
        while able != ZERO:
            n = add_jumps(s, side, first(able), out, n)
            able &= able - ONE
        return n
    empty = empty_squares(s)
    for way in range(4):
        movers = (moving_up(s, side) if way < 2 else moving_down(s, side)) & step(empty, (way + 2) % 4)
        while movers != ZERO:
            out[n] = first(step(movers & ~(movers - ONE), way)) | way << 6
            n += 1
            movers &= movers - ONE
    return n


def add_jumps(s: Any, side: Any, start: Any, out: Any, n: Any) -> Any:
    """Write all paths of jumps that begin on a bit behind the first n moves; return how many moves there are then.

    A path ends where no more can be captured, and where a man becomes a king.
    """
    at = ONE << u64(start)
    king = s.kings & at != ZERO
    empty = empty_squares(s) | at  # the piece has left its square, and may come by again
    enemy = s.sides[1 - side]
    crown = ZERO if king else CROWN[side]
    lowest, highest = (0, 4) if king else (0, 2) if side == BLACK else (2, 4)
    jumps = np.int64(0)
    last = np.int64(0)  # the way of the last jump
    turns = np.int64(0)
    way = np.int64(lowest)
    is_end = False
    while True:
        if way < highest:
            over = step(at, way) & enemy
            to = step(over, way) & empty
            if to == ZERO:
                way += 1
                continue
            if jumps > 0:
                turns = 3 * turns + (way - last + 2) % 4
            jumps += 1
            enemy &= ~over
            at = to
            last = way
            is_end = True
            way = np.int64(lowest) if to & crown == ZERO else np.int64(highest)
            continue
        if jumps == 0:
            return n
        if is_end:
            out[n] = first(at) | last << 6 | JUMP | turns << 9
            n += 1
            is_end = False
        # Back by one jump, to go on with the next way from there.
        over = step(at, (last + 2) % 4)
        at = step(over, (last + 2) % 4)
        enemy |= over
        jumps -= 1
        way = last + 1
        if jumps > 0:
            digit = (turns - 1) % 3 + 1
            turns = (turns - digit) // 3
            last = (last + 6 - digit) % 4


def play(s: Any, m: Any) -> None:
    """Move, capture, crown; the clock runs while kings alone move, and the turn passes."""
    side = np.int64(s.seat)
    end = ONE << u64(m & 63)
    way = np.int64(m >> 6 & 3)
    at = step(end, (way + 2) % 4)
    if m & JUMP != 0:
        enemy = s.sides[1 - side] & ~at
        at = step(at, (way + 2) % 4)
        turns = np.int64(m >> 9)
        while turns != 0:
            digit = (turns - 1) % 3 + 1
            turns = (turns - digit) // 3
            way = (way + 6 - digit) % 4
            at = step(at, (way + 2) % 4)
            enemy &= ~at
            at = step(at, (way + 2) % 4)
        s.sides[1 - side] = enemy
    own = s.sides[side] & ~at
    king = s.kings & at != ZERO
    s.sides[side] = own | end
    s.kings &= own | s.sides[1 - side]
    if king or end & CROWN[side] != ZERO:
        s.kings |= end
    s.clock = s.clock + 1 if king and m & JUMP == 0 else 0
    s.seat = 1 - side


def path_of(m: int) -> list[int]:
    """The squares, 1 to 32, that the piece stands on one after the other; plain Python, for text and clicks."""
    at, way, turns = m & 63, m >> 6 & 3, m >> 9
    backwards = (-4, -5, 4, 5)
    path = [number_of(at)]
    while True:
        at += backwards[way] * (2 if m & JUMP else 1)
        path.append(number_of(at))
        if turns == 0:
            return path[::-1]
        digit = (turns - 1) % 3 + 1
        turns = (turns - digit) // 3
        way = (way + 6 - digit) % 4


def key_of_board(s: Any) -> Any:
    """64 bits that tell pieces and turn apart."""
    h = mix_in(u64(0x9E3779B97F4A7C15) + u64(s.seat), s.sides[0])
    return mix_in(mix_in(h, s.sides[1]), s.kings)
