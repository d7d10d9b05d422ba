"""The Arimaa board as a struct of bitboards: who is frozen, which steps there are, and what a step does.

Square 0 is a1, 7 is h1, 63 is h8; a bitboard has bit n set for square n. Sides are 0 (Gold) and 1 (Silver), which are
also the seats. Kinds are 0 to 5 from the weakest to the strongest: rabbit, cat, dog, horse, camel, elephant.

A step is the number 4 · square + direction (north, east, south, west) of the piece that moves, whoever owns it. A push
is a step of an enemy piece and then one into the square that it left; a pull is a step and then one of an enemy piece
into the square that was left. So one square, the hole, and the pieces that may step into it are all that a turn must
remember: own pieces have to (a push is under way), enemy pieces may (a pull is possible).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from gametree.kernels import ONE, ZERO, ctz, mix_in, struct, u64, zobrist_keys

__all__ = [
    "BACKWARDS",
    "CAMEL",
    "CAT",
    "DELTAS",
    "DOG",
    "ELEPHANT",
    "GOALS",
    "HOME",
    "HORSE",
    "MOST_MOVES",
    "NO_SQUARE",
    "PASS",
    "PLACE",
    "PLACED",
    "RABBIT",
    "RANKS",
    "REASONS",
    "TRAPS",
    "State",
    "apply_step",
    "begin_play",
    "beside",
    "board_hash",
    "end_turn",
    "falls",
    "frozen",
    "generate",
    "key_of",
    "kind_at",
    "pushable",
    "shifted",
    "stronger_than",
]

RABBIT, CAT, DOG, HORSE, CAMEL, ELEPHANT = range(6)
PLACED = np.array([ELEPHANT, CAMEL, HORSE, HORSE, DOG, DOG, CAT, CAT])
"""What a side sets up, in this order; rabbits then fill the other squares."""
NO_SQUARE = 64
PASS = 256
PLACE = 320
"""Setting a piece up on square n is the move PLACE + n."""
MOST_MOVES = 113
"""Each of the 112 pairs of neighbouring squares allows one step at most; and the pass."""
REASONS = ("", "goal", "elimination", "immobilisation")

State = struct(
    sides=("u8", 2),  # the squares of Gold's and of Silver's pieces
    kinds=("u8", 6),  # the squares of each kind of piece
    hash="u8",  # Zobrist, of the pieces alone
    begun="u8",  # the hash at the beginning of the turn
    movers="u8",  # the pieces that may step into the hole
    hole="u1",  # NO_SQUARE: there is none
    seat="u1",  # who is to move
    steps="u1",  # made in this turn
    placed="u1",  # pieces set up, eight a side; 16: play has begun
    winner="u1",  # 0: the game goes on; else the seat and one
    reason="u1",  # why it is over, see REASONS
    quiet="i4",  # plies since the last capture
)

NOT_A, NOT_H = u64(0xFEFEFEFEFEFEFEFE), u64(0x7F7F7F7F7F7F7F7F)
TRAPS = u64(1 << 18 | 1 << 21 | 1 << 42 | 1 << 45)
RANKS = np.array([0xFF << 8 * rank for rank in range(8)], np.uint64)
HOME = np.array([0xFFFF, 0xFFFF << 48], np.uint64)
"""The two ranks on which a side sets up."""
GOALS = np.array([0xFF << 56, 0xFF], np.uint64)
DELTAS = np.array([8, 1, -8, -1])
BACKWARDS = np.array([2, 0])
"""The direction in which a side's rabbits never step."""
KEYS = zobrist_keys(2 * 6 * 64, seed=2002)


def beside(x: Any) -> Any:
    """The squares beside any of these."""
    return (x & NOT_H) << ONE | (x & NOT_A) >> ONE | x << u64(8) | x >> u64(8)


def shifted(x: Any, direction: Any) -> Any:
    """Where steps in a direction lead from these squares; what leaves the board is lost."""
    if direction == 0:
        return x << u64(8)
    if direction == 1:
        return (x & NOT_H) << ONE
    if direction == 2:
        return x >> u64(8)
    return (x & NOT_A) >> ONE


def key_of(side: Any, kind: Any, square: Any) -> Any:
    """The Zobrist key of a piece."""
    return KEYS[(np.int64(side) * 6 + np.int64(kind)) * 64 + np.int64(square)]


def kind_at(s: Any, bit: Any) -> Any:
    """The kind of the piece that stands on a square."""
    for kind in range(1, 6):
        if s.kinds[kind] & bit != ZERO:
            return np.int64(kind)
    return np.int64(RABBIT)


def board_hash(s: Any) -> Any:
    """The hash of the pieces, from scratch."""
    found = ZERO
    for side in range(2):
        for kind in range(6):
            left = s.sides[side] & s.kinds[kind]
            while left != ZERO:
                found ^= key_of(side, kind, ctz(left))
                left &= left - ONE
    return found


def frozen(s: Any, side: Any) -> Any:
    """The side's pieces beside a stronger enemy and beside no friend."""
    own, enemy = s.sides[side], s.sides[1 - side]
    stronger = s.kinds[ELEPHANT] & enemy
    found = ZERO
    for below in range(1, 6):
        kind = ELEPHANT - below
        found |= s.kinds[kind] & beside(stronger)
        stronger |= s.kinds[kind] & enemy
    return found & own & ~beside(own)


def pushable(s: Any, side: Any, free: Any) -> Any:
    """The enemy pieces beside a stronger one of `free`, which can move."""
    stronger = s.kinds[ELEPHANT] & free
    found = ZERO
    for below in range(1, 6):
        kind = ELEPHANT - below
        found |= s.kinds[kind] & beside(stronger)
        stronger |= s.kinds[kind] & free
    return found & s.sides[1 - side]


def stronger_than(s: Any, kind: Any) -> Any:
    """The squares of all pieces of stronger kinds."""
    found = ZERO
    for other in range(kind + 1, 6):
        found |= s.kinds[other]
    return found


def weaker_than(s: Any, kind: Any) -> Any:
    """The squares of all pieces of weaker kinds."""
    found = ZERO
    for other in range(kind):
        found |= s.kinds[other]
    return found


def can_move(s: Any) -> Any:
    """Whether the side to move, which begins its turn, has any step or push."""
    side = np.int64(s.seat)
    own = s.sides[side]
    empty = ~(own | s.sides[1 - side])
    free = own & ~frozen(s, side)
    if beside(free & ~s.kinds[RABBIT]) & empty != ZERO:
        return True
    rabbits = free & s.kinds[RABBIT]
    forward = rabbits << u64(8) if side == 0 else rabbits >> u64(8)
    if (forward | shifted(rabbits, 1) | shifted(rabbits, 3)) & empty != ZERO:
        return True
    return beside(pushable(s, side, free)) & empty != ZERO


# Steps ----------------------------------------------------------------------------------------------------------------


def generate(s: Any, out: Any) -> Any:
    """Write the legal moves of a game that goes on: placements, or steps direction by direction and then the pass."""
    side = np.int64(s.seat)
    own, enemy = s.sides[side], s.sides[1 - side]
    empty = ~(own | enemy)
    n = 0
    if s.placed < 16:
        squares = empty & HOME[side]
        while squares != ZERO:
            out[n] = PLACE + ctz(squares)
            n += 1
            squares &= squares - ONE
        return np.int64(n)
    pushing = s.movers & own != ZERO
    last = s.steps == 3
    hole = ONE << u64(s.hole) if s.movers != ZERO else ZERO
    free = victims = ZERO
    if not pushing:
        free = own & ~frozen(s, side)
        if not last:
            victims = pushable(s, side, free)
    for direction in range(4):
        back = (direction + 2) & 3
        sources = s.movers & shifted(hole, back)
        if not pushing:
            walkers = free & ~s.kinds[RABBIT] if direction == BACKWARDS[side] else free
            sources |= (walkers | victims) & shifted(empty, back)
        while sources != ZERO:
            square = ctz(sources)
            bit = sources & ~(sources - ONE)
            sources ^= bit
            move = np.int64(4 * square + direction)
            if s.steps < 2 or is_change(s, move, bit, own, pushing):
                out[n] = move
                n += 1
    if s.steps > 0 and not pushing and s.hash != s.begun:
        out[n] = PASS
        n += 1
    return np.int64(n)


def is_change(s: Any, move: Any, bit: Any, own: Any, pushing: Any) -> Any:
    """Whether a third or fourth step leaves the turn an end that is not its beginning.

    The fourth step must not restore the board; nor may the third begin a push that would.
    """
    kind = kind_at(s, bit)
    mine = bit & own != ZERO
    side = np.int64(s.seat) if mine else 1 - np.int64(s.seat)
    square = move >> 2
    target = square + DELTAS[move & 3]
    after = s.hash ^ key_of(side, kind, square) ^ key_of(side, kind, target)
    if s.steps == 3:
        return after != s.begun or falls(s, side, bit, ONE << u64(target)) != ZERO
    if mine or (s.hole == target and s.movers & bit != ZERO):
        return True
    pushers = stronger_than(s, kind) & own & beside(bit) & ~frozen(s, np.int64(s.seat))
    while pushers != ZERO:
        pusher = pushers & ~(pushers - ONE)
        pushers ^= pusher
        strength = kind_at(s, pusher)
        own_side = np.int64(s.seat)
        moved = key_of(own_side, strength, ctz(pusher)) ^ key_of(own_side, strength, square)
        if after ^ moved != s.begun:
            return True
    return False


def falls(s: Any, side: Any, start: Any, target: Any) -> Any:
    """Which piece of the side a step of one of its pieces drops into a trap: itself, or one that it guarded."""
    men = s.sides[side] ^ start ^ target
    return men & TRAPS & beside(start) & ~beside(men)


def apply_step(s: Any, m: Any) -> None:
    """Move a piece, take off what falls into a trap, and note what the next step may or must do."""
    me = np.int64(s.seat)
    square = np.int64(m) >> 2
    bit = ONE << u64(square)
    target = square + DELTAS[np.int64(m) & 3]
    to = ONE << u64(target)
    own = s.sides[me] & bit != ZERO
    side = me if own else 1 - me
    kind = kind_at(s, bit)
    pushing = s.movers & s.sides[me] != ZERO
    pulled = not own and s.hole == target and s.movers & bit != ZERO
    lost = falls(s, side, bit, to)
    s.sides[side] ^= bit | to
    s.kinds[kind] ^= bit | to
    s.hash ^= key_of(side, kind, square) ^ key_of(side, kind, target)
    s.quiet += 1
    if lost != ZERO:
        gone = kind_at(s, lost)
        s.sides[side] ^= lost
        s.kinds[gone] ^= lost
        s.hash ^= key_of(side, gone, ctz(lost))
        s.quiet = 0
    s.steps += 1
    s.movers = ZERO
    s.hole = NO_SQUARE
    if own:
        if not pushing and s.steps < 4:
            s.movers = weaker_than(s, kind) & s.sides[1 - me] & beside(bit)
    elif not pulled:
        # Who is free to finish the push is asked now: the step may have dropped a piece that froze somebody.
        s.movers = stronger_than(s, kind) & s.sides[me] & beside(bit) & ~frozen(s, me)
    if s.movers != ZERO:
        s.hole = square
    if s.steps == 4:
        end_turn(s)


def end_turn(s: Any) -> None:
    """The other side is to move, unless the turn has ended the game: judged in the order that the rules give."""
    mover = np.int64(s.seat)
    other = 1 - mover
    s.seat = other
    s.steps = 0
    s.movers = ZERO
    s.hole = NO_SQUARE
    s.begun = s.hash
    rabbits = s.kinds[RABBIT]
    winner, reason = np.int64(0), np.int64(0)
    if rabbits & s.sides[mover] & GOALS[mover] != ZERO:
        winner, reason = mover + 1, np.int64(1)
    elif rabbits & s.sides[other] & GOALS[other] != ZERO:
        winner, reason = other + 1, np.int64(1)
    elif rabbits & s.sides[other] == ZERO:
        winner, reason = mover + 1, np.int64(2)
    elif rabbits & s.sides[mover] == ZERO:
        winner, reason = other + 1, np.int64(2)
    elif not can_move(s):
        winner, reason = mover + 1, np.int64(3)
    s.winner = winner
    s.reason = reason


def begin_play(s: Any) -> None:
    """Both sides are set up: complete the struct, and let Gold, or whoever `seat` says, begin a turn."""
    s.placed = 16
    s.hash = board_hash(s)
    s.seat = 1 - s.seat
    end_turn(s)


def position_key(s: Any) -> Any:
    """Equal for the same pieces and side to move."""
    return mix_in(s.hash, u64(s.seat) + u64(7))
