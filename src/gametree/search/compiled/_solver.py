"""The compiled part of the exact solver: its search, and the record that each of its threads works on."""

from __future__ import annotations

from typing import Any

import numpy as np

from gametree.kernels.bits import ZERO, array_at, prefetch, u64
from gametree.kernels.compiled_game import CompiledGame
from gametree.kernels.timer import monotonic_ns
from gametree.kernels.transposition import BUCKET, bucket, probe
from gametree.kernels.verbs import (
    ALTERNATE,
    HAS_CHILD_KEY,
    HAS_EVALUATE,
    HAS_INDEX_OF,
    HAS_MOVE_KEY,
    HAS_NOTE_FRESH,
    HAS_SOLVER_BOUNDS,
    HIGHEST,
    KEYS_NOTED,
    LOWEST,
    SOLVER_LEAN,
    SOLVER_MERGE,
    SOLVER_PROBE,
    SOLVER_THINK,
    SYMMETRIES,
    UNIT,
    child_key,
    evaluate,
    hash_state,
    legal_moves,
    mirror,
    mirror_move,
    move_key,
    note_fresh,
    play,
    plies_left,
    side_to_move,
    solver_bounds,
    solver_moves,
    struct,
    weights_of,
)
from gametree.search.support import move_stack, probing
from gametree.search.support.move_stack import MoveStack, is_crowded, list_at, structs_at, words_at
from gametree.search.support.probing import UNKNOWN, points_found, probe_tables
from gametree.search.support.run import Clock
from gametree.search.support.sharing import is_under_way, note_begin, note_end
from gametree.search.support.workers import deadline_of

__all__ = ["context_type", "first_guess", "new_contexts", "prove"]

_CHECK = 1023
_OFFSET = np.int64(1 << 15)
_MASK = np.int64(0xFFFF)
_NEVER = 255  # a number of plies left that no state has
_FAR = np.int64(1 << 30)
_KEY_WEIGHT = 10  # of the game's keys beside an estimate in units
_SHARE_LEFT = 12  # with more plies left than this, threads put off moves that others are searching
_NO_MOVE = np.int64(-1)


# The table's word: bits 0–15 lowest, 16–31 highest possible value, 32–39 plies left (its worth), 40–63 move


def bounds_word(low: Any, high: Any, worth: Any, move: Any) -> Any:
    """Two bounds, a worth and a move (or −1) in one word."""
    return (
        u64(low + _OFFSET & _MASK)
        | u64(high + _OFFSET & _MASK) << u64(16)
        | u64(worth & np.int64(0xFF)) << u64(32)
        | u64(move + 1) << u64(40)
    )


def word_low(word: Any) -> Any:
    """The lower bound in a word."""
    return np.int64(word & u64(0xFFFF)) - _OFFSET


def word_high(word: Any) -> Any:
    """The upper bound in a word."""
    return np.int64(word >> u64(16) & u64(0xFFFF)) - _OFFSET


def word_move(word: Any) -> Any:
    """The move in a word, −1 for none."""
    return np.int64(word >> u64(40)) - np.int64(1)


def keep(table: Any, slots: Any, key: Any, word: Any) -> None:
    """Store a word over the entry of the same key, or over the one with fewest plies left in the bucket."""
    first = bucket(key, slots)
    target = first
    least = np.int64(1 << 20)
    for i in range(BUCKET):
        entry = table[first + u64(i)]
        old = entry.word
        if old == ZERO or entry.check ^ old == key:
            target = first + u64(i)
            break
        worth = np.int64(old >> u64(32) & u64(0xFF))
        if worth < least:
            least = worth
            target = first + u64(i)
    entry = table[target]
    entry.check = key ^ word
    entry.word = word


# The stack ------------------------------------------------------------------------------------------------------------

ROWS = 6
MOVES, KEYS, ORDER, HASHES, IMAGES = 0, 1, 2, 4, 5
"""Rows of the stack: moves; their promise, best first; their places in that order, in twice the room, because those
that other threads were searching stand at the end again; keys of the children in the table, and in which image. The
children themselves are the structs beside it."""


def order_at(ctx: Any, first: Any) -> Any:
    """The places of the moves from `first` on, best first: two for each move."""
    room = np.int64(ctx.room)
    return array_at(u64(ctx.stack_at) + u64((ORDER * room + 2 * first) * 8), 2 * (room - first), np.int64)


# The search -----------------------------------------------------------------------------------------------------------


def table_key(s: Any, left: Any, ctx: Any) -> Any:
    """The hash of a state, or of its symmetric image with the smallest hash; `ctx.image` says which image that is."""
    w = weights_of(ctx)
    key = hash_state(s, w)
    if SYMMETRIES > 1:
        ctx.image = 0
        if left > SOLVER_MERGE:
            for k in range(1, SYMMETRIES):
                ctx.mirrored = s
                mirror(ctx.mirrored, k, w)
                other = hash_state(ctx.mirrored, w)
                if other < key:
                    key = other
                    ctx.image = k
    return key


def canonical_move(move: Any, image: Any) -> Any:
    """The move as the table keeps it: as it is in the image whose hash is the key."""
    if SYMMETRIES > 1 and image != 0:
        return mirror_move(move, image)
    return move


def lean(alpha: Any, beta: Any, ply: Any, ctx: Any) -> Any:
    """Fail-soft alpha-beta without table and ordering, for the last few plies."""
    w = weights_of(ctx)
    ctx.nodes += 1
    first = np.int64(ctx.frames[ply].first)
    if is_crowded(ctx, first):
        return np.int64(0)
    s = ctx.frames[ply].state
    moves = list_at(ctx, MOVES, first)
    n = solver_moves(s, moves, w)
    if n == 0:
        return np.int64(moves[0])
    child = ctx.frames[ply + 1].state
    ctx.frames[ply + 1].first = first + n
    best = np.int64(-(1 << 15))
    for i in range(n):
        ctx.frames[ply + 1].state = s
        play(child, moves[i], w)
        if ALTERNATE or side_to_move(child, w) != side_to_move(s, w):
            value = -lean(-beta, -alpha, np.int64(ply + 1), ctx)
        else:
            value = lean(alpha, beta, np.int64(ply + 1), ctx)
        if value > best:
            best = value
            if best >= beta:
                break
            if best > alpha:
                alpha = best
    return best


def shallow(alpha: Any, beta: Any, depth: Any, ply: Any, ctx: Any) -> Any:
    """Fail-soft alpha-beta to a fixed depth on the game's estimates, for the mover, in units: an opinion."""
    w = weights_of(ctx)
    s = ctx.frames[ply].state
    first = np.int64(ctx.frames[ply].first)
    if is_crowded(ctx, first):
        return np.int64(0)
    if depth <= 0:
        if HAS_NOTE_FRESH:
            note_fresh(s, ctx.note, w)
        return np.int64(evaluate(s, w, ctx.note))
    moves = list_at(ctx, MOVES, first)
    n = solver_moves(s, moves, w)
    if n == 0:
        return np.int64(moves[0]) * UNIT
    child = ctx.frames[ply + 1].state
    ctx.frames[ply + 1].first = first + n
    best = np.int64(-(1 << 30))
    for i in range(n):
        ctx.frames[ply + 1].state = s
        play(child, moves[i], w)
        if ALTERNATE or side_to_move(child, w) != side_to_move(s, w):
            value = -shallow(-beta, -alpha, np.int64(depth - 1), np.int64(ply + 1), ctx)
        else:
            value = shallow(alpha, beta, np.int64(depth - 1), np.int64(ply + 1), ctx)
        if value > best:
            best = value
            if best >= beta:
                break
            alpha = max(alpha, best)
    return best


def first_guess(contexts: Any, plies: Any) -> Any:
    """What the value of the state in the first frame may be, by a search of so many plies; nothing if `crowded`."""
    return shallow(-_FAR, _FAR, np.int64(plies), np.int64(0), contexts[0]) // UNIT


def gives_up(ctx: Any) -> Any:
    """Whether the search must end here, which is looked at every so many nodes; if so, `ctx.aborted` is set."""
    if ctx.nodes & _CHECK != 0:
        return False
    if ctx.stop != 0 or (ctx.most != 0 and ctx.nodes > ctx.most) or monotonic_ns() >= ctx.deadline:
        ctx.aborted = 1
        return True
    return False


def deep(alpha: Any, beta: Any, ply: Any, ctx: Any, table: Any) -> Any:
    """Fail-soft alpha-beta with everything. The value is meaningless if `ctx.aborted` is set on return."""
    w = weights_of(ctx)
    ctx.nodes += 1
    frame = ctx.frames[ply]
    first = np.int64(frame.first)
    if gives_up(ctx) or is_crowded(ctx, first):
        return np.int64(0)
    s = frame.state
    if HAS_INDEX_OF and ply > 0:
        byte = probe_tables(s, ctx)
        if byte != UNKNOWN:
            return points_found(byte, ctx)
    moves = list_at(ctx, MOVES, first)
    low, high = np.int64(LOWEST), np.int64(HIGHEST)
    if ply == 0:
        n = np.int64(legal_moves(s, moves, w))  # even where the value is known at once, a move is wanted
    else:
        n = np.int64(solver_moves(s, moves, w))
        if n == 0:
            return np.int64(moves[0])

    # 1. The rules alone and the table may close the window.
    if HAS_SOLVER_BOUNDS and ply > 0:
        floor, ceiling = solver_bounds(s, w)
        low, high = np.int64(floor), np.int64(ceiling)
    left = np.int64(plies_left(s, w))
    key = frame.key
    image = frame.image
    word = probe(table, ctx.slots, key)
    hint = _NO_MOVE
    if word != ZERO:
        hint = word_move(word)
        if ply > 0:
            low, high = max(low, word_low(word)), min(high, word_high(word))
    if ply > 0:  # the root is always searched, because its best move is wanted, even where any move will do
        if low >= beta or low == high:
            return low
        if high <= alpha:
            return high
    alpha, beta = max(alpha, low), min(beta, high)

    # 2. Children with their keys, best first; a child that the table already knows may close the window at once.
    children, keys, order = structs_at(ctx, first), list_at(ctx, KEYS, first), order_at(ctx, first)
    hashes, images = words_at(ctx, HASHES, first), list_at(ctx, IMAGES, first)
    ctx.frames[ply + 1].first = first + n
    near_end = left - 1 <= SOLVER_LEAN
    if KEYS_NOTED:
        note_fresh(s, ctx.note, w)
    thinks = HAS_EVALUATE and SOLVER_THINK < _NEVER and left > SOLVER_THINK
    for i in range(n):
        children[i] = s
        child = children[i]
        play(child, moves[i], w)
        rank = np.int64(0)
        if HAS_MOVE_KEY:
            rank += move_key(s, moves[i], w, ctx.note)
        if HAS_CHILD_KEY:
            rank += child_key(child, w)
        if thinks:  # far from the end good order is worth a search of its own
            ctx.frames[ply + 1].state = child
            opinion = shallow(-_FAR, _FAR, np.int64(2 + (left - SOLVER_THINK) // 4), np.int64(ply + 1), ctx)
            rank = _KEY_WEIGHT * rank + (
                opinion if not ALTERNATE and side_to_move(child, w) == side_to_move(s, w) else -opinion
            )
        if not near_end:
            hashes[i] = table_key(child, left - 1, ctx)
            images[i] = ctx.image
            prefetch(table, bucket(hashes[i], ctx.slots))
        if ALTERNATE and left > SOLVER_PROBE and ply > 0:
            known = probe(table, ctx.slots, hashes[i])
            if known != ZERO and -word_high(known) >= beta:
                return -word_high(known)
        if hint != _NO_MOVE and canonical_move(moves[i], image) == hint:
            rank += 1 << 20
        place = i
        while place > 0 and keys[place - 1] < rank:
            keys[place] = keys[place - 1]
            order[place] = order[place - 1]
            place -= 1
        keys[place] = rank
        order[place] = i

    # 3. The search itself.
    best = np.int64(-(1 << 15))
    best_move = _NO_MOVE
    bound = alpha
    shares = ctx.sharing != 0 and not near_end and left > _SHARE_LEFT
    places = n
    j: Any = np.int64(-1)
    while j + 1 < places:
        j += 1
        i = order[j]
        if shares and 0 < j < n and is_under_way(table, ctx.slots, hashes[i]):
            order[places] = i  # once more, at the end
            places += 1
            continue
        ctx.frames[ply + 1].state = children[i]
        if not near_end:
            ctx.frames[ply + 1].key = hashes[i]
            ctx.frames[ply + 1].image = images[i]
        same = not ALTERNATE and side_to_move(children[i], w) == side_to_move(s, w)
        a, b = (bound, beta) if same else (-beta, -bound)
        if shares and j > 0:
            note_begin(table, ctx.slots, hashes[i])
        if near_end:
            value = lean(a, b, np.int64(ply + 1), ctx)
        elif j == 0 or beta - bound <= 1:
            value = deep(a, b, np.int64(ply + 1), ctx, table)
        else:
            low_end, high_end = (bound, bound + 1) if same else (-bound - 1, -bound)
            value = deep(low_end, high_end, np.int64(ply + 1), ctx, table)
            inside = bound < value < beta if same else bound < -value < beta
            if inside and ctx.aborted == 0:
                value = deep(a, b, np.int64(ply + 1), ctx, table)
        if shares and j > 0:
            note_end(table, ctx.slots, hashes[i])
        if ctx.aborted != 0:
            return np.int64(0)
        if not same:
            value = -value
        if value > best:
            best = value
            best_move = np.int64(moves[i])
            if best >= beta:
                break
            if best > bound:
                bound = best
    if ply == 0:
        ctx.best_move = best_move

    # 4. What is known now: a lower bound if it failed high, an upper bound if it failed low, else the value itself.
    if best > alpha and best > low:
        low = best
    if best < beta and best < high:
        high = best
    keep(
        table, ctx.slots, key, bounds_word(low, high, left, canonical_move(best_move, image) if best > alpha else hint)
    )
    return best


def prove(contexts: Any, table: Any) -> None:
    """Narrow [ctx.low, ctx.high] by questions until it is one value or lies outside (ctx.lower, ctx.upper).

    `ctx.move` is a move that reaches `ctx.low`, or `ctx.upper` where the rules alone say more, once one is known. A
    search that was `crowded` and has got more room goes on with what it has proven.
    """
    ctx = contexts[0]
    s = ctx.frames[0].state
    w = weights_of(ctx)
    ctx.frames[0].key = table_key(s, np.int64(plies_left(s, w)), ctx)
    ctx.frames[0].image = ctx.image
    moves = list_at(ctx, MOVES, np.int64(0))
    ctx.crowded = 0
    ctx.aborted = 0
    if solver_moves(s, moves, w) == 0:
        ctx.low = ctx.high = moves[0]
    elif HAS_SOLVER_BOUNDS:
        floor, ceiling = solver_bounds(s, w)
        ctx.low, ctx.high = max(ctx.low, np.int64(floor)), min(ctx.high, np.int64(ceiling))
    answered_yes = False
    while ctx.low < ctx.high and ctx.low < ctx.upper and ctx.high > ctx.lower:
        low, high = max(ctx.low, ctx.lower), min(ctx.high, ctx.upper)
        if ctx.stepping != 0:
            # From the guess on, always next to the last answer: MTD(f).
            middle = ctx.guess if ctx.asked == 0 else low if answered_yes else high - 1
            middle = min(max(middle, low), high - 1)
        else:
            # The middle, but nearer to zero: most positions are close, and narrow answers come cheaper (Pons 2016).
            middle = low + (high - low) // 2
            if middle <= 0 and low // 2 < middle:
                middle = low // 2
            elif middle >= 0 and high // 2 > middle:
                middle = high // 2
            middle = min(max(middle, low), high - 1)
        ctx.question = middle + 1
        ctx.asked += 1
        value = deep(np.int64(middle), np.int64(middle + 1), np.int64(0), ctx, table)
        if ctx.aborted != 0:
            return
        answered_yes = value > middle
        if answered_yes:
            ctx.low = max(ctx.low, value)
            ctx.move = ctx.best_move
        else:
            ctx.high = min(ctx.high, value)
    if ctx.move < 0 and (ctx.low == ctx.high or ctx.low >= ctx.upper):
        # Every answer was no, or the rules gave it, so the move is still to be found: some move must reach the value.
        ctx.question = ctx.low if ctx.low == ctx.high else ctx.upper
        ctx.asked += 1
        deep(np.int64(ctx.question - 1), np.int64(ctx.question), np.int64(0), ctx, table)
        if ctx.aborted == 0:
            ctx.move = ctx.best_move


# The contexts ---------------------------------------------------------------------------------------------------------


def context_type(game: CompiledGame) -> Any:
    """The record that holds everything one thread of the solver needs, one frame per ply."""
    known = game.rules.memory.get(context_type)
    if known is not None:
        return known
    state = game.rules.state_type
    plies = (game.facts.longest_game or 1000) + 2
    frame = struct(
        state=state,
        first="i8",  # where its lists of moves begin on the stack: six arguments of a call fit into registers, no more
        key="u8",  # where the table keeps the state, and in which image
        image="i8",
    )
    made = game.rules.memory[context_type] = struct(
        weights_at="u8",
        **move_stack.FIELDS,
        **probing.FIELDS,
        note=game.rules.note_type,
        deadline="i8",  # give up when `monotonic_ns` says so
        nodes="i8",  # entered so far
        most="i8",  # the most that may be entered, 0 for no limit
        stop="i8",  # set from outside
        slots="i8",  # entries of the array that are table
        sharing="i8",  # whether threads tell each other behind the table what they are searching
        aborted="i8",  # set when the stop was seen: values are meaningless from then on
        low="i8",  # what is proven of the value
        high="i8",
        lower="i8",  # the window of interest
        upper="i8",
        question="i8",  # "is it at least this?"
        asked="i8",
        stepping="i8",  # whether questions go step by step from a guess
        guess="i8",
        move="i8",
        best_move="i8",  # of the last search from the root
        image="i8",
        mirrored=state,
        frames=(frame, plies),
    )
    return made


def new_contexts(
    game: CompiledGame, threads: int = 1, *, clock: Clock | None = None, tables: probing.Tables | None = None
) -> tuple[Any, list[MoveStack]]:
    """Contexts for so many threads, and the stacks that must live as long as they do."""
    contexts = np.zeros(threads, context_type(game))
    most, plies = game.rules.constants["MOST_MOVES"], contexts["frames"].shape[1]
    stacks = [MoveStack(most, plies, ROWS, game.rules.state_type) for _ in range(threads)]
    for ctx, stack in zip(contexts, stacks, strict=True):
        stack.lend(ctx)
    contexts["weights_at"] = game.w.ctypes.data
    contexts["deadline"] = deadline_of(clock)
    probing.lend(tables, contexts)
    return contexts, stacks
