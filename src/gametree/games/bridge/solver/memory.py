"""What the double-dummy search remembers: the record that it works on, and patterns of positions with their bounds.

A *shape* is how many cards of each suit every hand has, and who leads. Under a shape lie *patterns*: who owns the top
cards of each suit that mattered to an answer, all lower ones being alike, with the fewest and most tricks of
North-South. Ranks count from the top of what is left, so one pattern answers every deal that has those owners.
Patterns of a shape lie side by side; a block that is full moves to one of twice the size.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from gametree.games.bridge.solver.estimates import LANE, YES, top_bit
from gametree.kernels import ONE, ZERO, clz, popcount, struct, u64
from gametree.kernels.bits import array_at

__all__ = ["MOST_PATTERNS", "Context", "Pattern", "find_pattern", "find_shape", "forget", "new_strain", "pattern_ranks"]
__all__ += ["prepare_deal", "prepare_tops", "store"]

i64: Any = np.int64
SHAPE_BITS = 16
SHAPES = 1 << SHAPE_BITS
PROBES = 32
MOST_PATTERNS = 1 << 22
"""Patterns that are remembered at most: 128 MiB, which are touched only as they are used."""
SIZES = 24  # free blocks are kept by the logarithm of their size
GOLD = u64(0x9E3779B97F4A7C15)
GENERATIONS = u64(1023)
HALF = u64(0xFFFFFFFF)
OWNERS = u64(0x03FFFFFF03FFFFFF)

Shape = struct(key="u8", start="i4", count="i4", room="i4", best="i4")
# Owners of the cards of two suits in each word, 26 bits a suit; the bounds lie in spare bits of the first: the fewest
# tricks in 26–29, the most in 58–61. Masks say which owners matter.
Pattern = struct(owners0="u8", owners1="u8", mask0="u8", mask1="u8")
Frame = struct(card=("i8", 14), group=("u8", 14), weight=("i8", 14))
Context = struct(
    hand=("u8", 4),
    everything="u8",  # all cards that are left, those of the running trick included
    trump="i8",  # 0 to 3, 4 at no trump
    generation="u8",  # patterns of another one are forgotten
    used="i8",  # patterns
    patterns_at="u8",
    room="i8",  # of the patterns
    free=("i4", SIZES),  # the first free block of each size, −1 for none
    nodes="i8",
    deadline="i8",
    aborted="i8",
    weights=("i8", 48),
    owners=("u4", (4, 8192)),  # by suit and cards left: whose they are, two bits each, highest first (bits 25 to 0)
    lengths=("u2", (4, 8192)),  # the four hands' lengths, four bits each
    top=("u2", (8192, 14)),  # by cards and k: all ranks from the k-th highest of the cards upwards
    remembered=("i4", (52, 4, 64)),  # the card that did well, by ply, seat and the best card so far
    frame=(Frame, 52),
    slots=(Shape, SHAPES),
)


def prepare_tops(ctx: Any) -> None:
    """Fill the table that no deal changes."""
    for cards in range(8192):
        ctx.top[cards][0] = 0
        left = u64(cards)
        for k in range(1, 14):
            if left:
                bit = top_bit(left)
                left ^= bit
                ctx.top[cards][k] = np.uint16(LANE & ~(bit - ONE))
            else:
                ctx.top[cards][k] = ctx.top[cards][k - 1]


def prepare_deal(ctx: Any, hands: Any) -> None:
    """Fill the tables of one deal: for all sets of cards that may be left in a suit, whose they are."""
    for suit in range(4):
        shift = u64(16 * suit)
        ctx.owners[suit][0] = 0
        ctx.lengths[suit][0] = 0
        for cards in range(1, 8192):
            top = i64(63 - clz(u64(cards)))
            rest = cards ^ (1 << top)
            bit = (ONE << u64(top)) << shift
            owner = i64(0)
            for seat in range(4):
                if hands[seat] & bit:
                    owner = i64(seat)
            ctx.owners[suit][cards] = np.uint32((owner << 24) | (i64(ctx.owners[suit][rest]) >> 2))
            ctx.lengths[suit][cards] = np.uint16(i64(ctx.lengths[suit][rest]) + (1 << (4 * owner)))


def new_strain(ctx: Any, trump: Any) -> None:
    """Other trumps: what is remembered does not hold any more."""
    ctx.trump = trump
    forget(ctx)


def forget(ctx: Any) -> None:
    """Forget all patterns, by a new generation and not by clearing."""
    ctx.generation = (ctx.generation + ONE) & GENERATIONS
    if ctx.generation == ZERO:
        ctx.generation = ONE
        for i in range(SHAPES):
            ctx.slots[i].key = ZERO
    ctx.used = 0
    for size in range(SIZES):
        ctx.free[size] = np.int32(-1)


def find_shape(ctx: Any, key: Any) -> Any:
    """The slot of the shape. One of an older generation counts as empty; after some probes one is taken over."""
    slot = (key * GOLD) >> u64(64 - SHAPE_BITS)
    for _ in range(PROBES):
        known = ctx.slots[slot].key
        if known == key:
            return slot
        if (known >> u64(54)) != ctx.generation:
            break
        slot = (slot + ONE) & u64(SHAPES - 1)
    shape = ctx.slots[slot]
    shape.key = key
    shape.count = 0
    shape.room = 0
    shape.best = -1
    return slot


def fewest(pattern: Any) -> Any:
    """The tricks that North-South are sure of."""
    return i64((pattern.owners0 >> u64(26)) & u64(15))


def most(pattern: Any) -> Any:
    """The tricks that North-South cannot pass."""
    return i64((pattern.owners0 >> u64(58)) & u64(15))


def patterns_of(ctx: Any) -> Any:
    """The array of all patterns."""
    return array_at(ctx.patterns_at, ctx.room, Pattern)


def find_pattern(ctx: Any, slot: Any, owners0: Any, owners1: Any, target: Any) -> Any:
    """The answer to "do North-South take `target` tricks?" by a pattern that settles it, and whether there is one.

    What is found moves half-way to the front.
    """
    shape = ctx.slots[slot]
    start = i64(shape.start)
    patterns = patterns_of(ctx)
    for i in range(i64(shape.count)):
        found = patterns[start + i]
        if (((owners0 ^ found.owners0) & found.mask0) | ((owners1 ^ found.owners1) & found.mask1)) == ZERO and (
            fewest(found) >= target or most(found) < target
        ):
            answer = pattern_ranks(ctx, found)
            if fewest(found) >= target:
                answer |= YES
            if i > 0:
                swap(patterns, start + i, start + (i >> 1))
            return answer, True
    return ZERO, False


def swap(patterns: Any, i: Any, j: Any) -> None:
    """Exchange two patterns."""
    a, b = patterns[i], patterns[j]
    a.owners0, b.owners0 = b.owners0, a.owners0
    a.owners1, b.owners1 = b.owners1, a.owners1
    a.mask0, b.mask0 = b.mask0, a.mask0
    a.mask1, b.mask1 = b.mask1, a.mask1


def pattern_ranks(ctx: Any, pattern: Any) -> Any:
    """The ranks, among the cards that are left, on which the pattern's bounds rest."""
    ranks = ZERO
    for suit in range(4):
        mask = pattern.mask0 if suit < 2 else pattern.mask1
        mask = (mask & HALF) if (suit & 1) == 0 else (mask >> u64(32))
        lane = (ctx.everything >> u64(16 * suit)) & LANE
        ranks |= u64(ctx.top[i64(lane)][popcount(mask) >> 1]) << u64(16 * suit)
    return ranks


def field(k: Any) -> Any:
    """The 2k highest of 26 bits: the owners of the k highest cards."""
    whole = u64((1 << 26) - 1)
    return whole & ~(whole >> u64(2 * k))


def store(ctx: Any, slot: Any, owners0: Any, owners1: Any, answer: Any, target: Any, tricks: Any) -> None:
    """Put the answer of a search in front of the patterns of its shape; narrower ones that say no more are dropped."""
    used = ctx.everything & answer
    mask0 = field(popcount(used & LANE)) | (field(popcount((used >> u64(16)) & LANE)) << u64(32))
    mask1 = field(popcount((used >> u64(32)) & LANE)) | (field(popcount((used >> u64(48)) & LANE)) << u64(32))
    low, high = i64(0), tricks
    if answer & YES:
        low = target
    else:
        high = target - 1
    shape = ctx.slots[slot]
    patterns = patterns_of(ctx)
    start, count = i64(shape.start), i64(shape.count)
    i = i64(0)
    while i < count:
        old = patterns[start + i]
        if (
            (((owners0 ^ old.owners0) & mask0) | ((owners1 ^ old.owners1) & mask1)) == ZERO
            and (old.mask0 & mask0) == mask0
            and (old.mask1 & mask1) == mask1
        ):
            old_low, old_high = fewest(old), most(old)
            if old.mask0 == mask0 and old.mask1 == mask1:
                low, high = max(low, old_low), min(high, old_high)
                old_low, old_high = low, high
            if old_low <= low and old_high >= high:
                count -= 1
                if i < count:
                    swap(patterns, start + i, start + count)
                continue
        i += 1
    if count >= i64(shape.room):
        new = take_block(ctx, count)
        if new < 0:  # no room: all is forgotten, this answer too
            forget(ctx)
            return
        for j in range(count):
            patterns[new + j] = patterns[start + j]
        if shape.room > 0:
            give_block(ctx, start, i64(shape.room))
        shape.start = np.int32(new)
        shape.room = np.int32(max(i64(2), 2 * count))
        start = new
    if count > 0:
        patterns[start + count] = patterns[start]
    shape.count = np.int32(count + 1)
    first = patterns[start]
    first.owners0 = (owners0 & mask0) | (u64(low) << u64(26)) | (u64(high) << u64(58))
    first.owners1 = owners1 & mask1
    first.mask0 = mask0
    first.mask1 = mask1


def size_class(room: Any) -> Any:
    """The logarithm of a block's size, rounded down."""
    return i64(63 - clz(u64(room)))


def take_block(ctx: Any, count: Any) -> Any:
    """The start of a block of twice as many patterns, two at least; −1 if there is none."""
    room = max(i64(2), 2 * count)
    patterns = patterns_of(ctx)
    free = i64(ctx.free[size_class(room)])
    if free >= 0 and i64(patterns[free].mask0) >= room:
        ctx.free[size_class(room)] = np.int32(i64(patterns[free].owners0) - 1)
        return free
    if ctx.used + room > ctx.room:
        return i64(-1)
    new = ctx.used
    ctx.used += room
    return new


def give_block(ctx: Any, start: Any, room: Any) -> None:
    """Keep a block that nobody needs any more: it names the next one of its size, plus one, and its room."""
    patterns = patterns_of(ctx)
    size = size_class(room)
    patterns[start].owners0 = u64(i64(ctx.free[size]) + 1)
    patterns[start].mask0 = u64(room)
    ctx.free[size] = np.int32(start)
