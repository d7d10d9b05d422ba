"""The compiled alpha-beta search: one source, instantiated for every game.

    function NODE(s, α, β, depth)
        if the game is over then return UTILITY(s); if depth = 0 then return QUIESCE(s, α, β)
        if the table knows enough then return its value
        if passing is good enough (null move) then return that
        for each move, most promising first do
            v ← −NODE(child, −β, −α, depth − 1 − reduction + extension), a null window first but for the first move
            if v > best then best ← v; if v ≥ β then note the killer and leave the loop
        store best in the table; return best

Values are whole numbers, in 1/UNIT points of the seat to move. Everything that a thread needs is in its context record:
one frame per ply, the switches, the limits, what the search has found. The one array besides is the table; behind its
`slots` entries the same array has room for the log from which the tree record is filled.

Sources: Knuth and Moore (1975), alpha-beta; Marsland and Campbell (1982), principal variation search; Plaat et al.
(1996), MTD(f); Slate and Atkin (1977), deepening, killers and table; Schaeffer (1989), history; Uiterwijk (1992),
counter moves; Donninger (1993), null move; Anantharaman et al. (1990), singular extensions.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from gametree.kernels.bits import ZERO, u64
from gametree.kernels.table import (
    EXACT,
    LOWER,
    MAX_VALUE,
    UPPER,
    entry_bound,
    entry_depth,
    entry_move,
    entry_proven,
    entry_value,
    pack,
    probe,
    store,
)
from gametree.kernels.verbs import (
    ALTERNATE,
    HAS_CHILD_KEY,
    HAS_MOVE_KEY,
    HAS_NOISY_MOVES,
    HAS_PASS_TURN,
    SYMMETRIES,
    UNIT,
    child_key,
    evaluate,
    hash_state,
    is_over,
    legal_moves,
    mirror,
    mirror_move,
    move_key,
    noisy_moves,
    pass_turn,
    play,
    player,
    struct,
    utility,
)

__all__ = [
    "INFINITE",
    "LINES",
    "LOG_ENTER",
    "LOG_LEAVE",
    "LOG_ROOT",
    "REASONS",
    "context_type",
    "think",
]

INFINITE = MAX_VALUE
LINES = 16
"""Most lines that multi-PV can give."""
SLOTS = 4096
"""Size of the history and counter-move tables; moves are folded onto it."""

ALPHABETA, PVS, MTDF = 0, 1, 2
NO_MOVE = np.int64(-1)

# What a call of `node` is told beside its window.
PLAIN, NO_NULL, EXCLUDED = np.int64(0), np.int64(1), np.int64(2)

LOG_ENTER, LOG_LEAVE, LOG_ROOT = 1, 2, 3
REASONS = ("", "table", "quiescence", "extended")
BY_SEARCH, BY_TABLE, BY_QUIESCENCE, BY_EXTENSION = 0, 1, 2, 3

_CHECK_EVERY = 1024


def context_type(state: Any, moves: int, plies: int) -> Any:
    """The record of one thread for a game with this struct, move buffer and number of frames."""
    frame = struct(
        state=state,
        moves=("i8", moves),
        keys=("i8", moves),
        killers=("i8", 2),
        excluded="i8",  # the move that a singular test leaves out
        move="i8",  # the move that led here
        length="i8",  # of the best line from here
        line=("i4", plies),
    )
    found = struct(value="i8", depth="i8", length="i8", line=("i4", plies))
    switches = struct(
        iterative="i8",
        driver="i8",
        aspiration="i8",
        table="i8",
        deeper_entries="i8",
        symmetry_plies="i8",
        previous_best="i8",
        killers="i8",
        counter_moves="i8",
        history="i8",
        game_order="i8",
        quiescence_plies="i8",
        null_move="i8",
        reduction_after="i8",
        reduction_depth="i8",
        singular_depth="i8",
        singular_margin="i8",
        extend_forced="i8",
    )
    return struct(
        stop="i8",  # set from outside: give up at once
        finish="i8",  # set from outside: begin no further depth
        aborted="i8",  # the stop was seen; values are meaningless from then on
        nodes="i8",
        leaves="i8",
        reached="i8",  # deepest ply
        next_check="i8",
        node_limit="i8",
        depth_limit="i8",
        thread="i8",
        age="i8",
        slots="i8",  # entries of the array that are table
        horizon="i8",  # how many values so far rested on an estimate
        reason="i8",  # why the last node ended as it did
        logging="i8",
        logged="i8",
        window_low="i8",
        window_high="i8",
        switches=switches,
        image="i8",
        mirrored=state,
        root_hint="i8",
        partial="i8",  # how many lines of the running depth are finished
        done_depth="i8",
        proven="i8",
        wanted_lines="i8",
        lines=(found, LINES),  # of the last finished depth
        running=found,
        history=("i8", (2, SLOTS)),
        counters=("i8", (2, SLOTS)),
        frames=(frame, plies),
    )


# Table and log --------------------------------------------------------------------------------------------------------


def state_key(s: Any, merge: Any, ctx: Any) -> Any:
    """The hash of a state, or of its symmetric image with the smallest hash; `ctx.image` says which image that is."""
    key = hash_state(s)
    ctx.image = 0
    if SYMMETRIES > 1 and merge:
        for k in range(1, SYMMETRIES):
            ctx.mirrored = s
            mirror(ctx.mirrored, k)
            other = hash_state(ctx.mirrored)
            if other < key:
                key = other
                ctx.image = k
    return key


def to_image(move: Any, image: Any) -> Any:
    """The move as the table keeps it."""
    if SYMMETRIES > 1 and image != 0 and move >= 0:
        return np.int64(mirror_move(move, image))
    return np.int64(move)


def write_log(table: Any, ctx: Any, kind: Any, move: Any, low: Any, high: Any) -> None:
    """Append an event: two words, in the part of the array behind the table. A full log drops the event."""
    place = ctx.slots + ctx.logged
    if place < table.shape[0]:
        entry = table[place]
        entry.check = u64(kind) << u64(32) | u64(move + 1)
        entry.word = u64(low + INFINITE) << u64(32) | u64(high + INFINITE)
    ctx.logged += 1


# The search -----------------------------------------------------------------------------------------------------------


def quiesce(alpha: Any, beta: Any, left: Any, ply: Any, ctx: Any, table: Any) -> Any:
    """The value when only noisy moves are followed; the mover may always stop and take the estimate."""
    frame = ctx.frames[ply]
    s = frame.state
    frame.length = 0
    if ply > ctx.reached:
        ctx.reached = ply
    if is_over(s, frame.moves):
        ctx.leaves += 1
        ctx.reason = BY_SEARCH
        return np.int64(utility(s)) * UNIT
    best = np.int64(evaluate(s))
    ctx.horizon += 1
    n = np.int64(0)
    if HAS_NOISY_MOVES and left > 0 and best < beta and ply + 2 < len(ctx.frames):
        n = np.int64(noisy_moves(s, frame.moves))
    if n == 0:
        ctx.leaves += 1
    alpha = max(alpha, best)
    for i in range(n):
        ctx.frames[ply + 1].state = s
        child = ctx.frames[ply + 1].state
        move = frame.moves[i]
        play(child, move)
        same = not ALTERNATE and player(child) == player(s)
        a, b = (alpha, beta) if same else (-beta, -alpha)
        ctx.nodes += 1
        if ctx.logging != 0:
            write_log(table, ctx, LOG_ENTER, move, a, b)
        value = quiesce(a, b, left - 1, ply + 1, ctx, table)
        if ctx.logging != 0:
            write_log(table, ctx, LOG_LEAVE, ctx.reason, value, 0)
        if not same:
            value = -value
        if value > best:
            best = value
            if best >= beta:
                break
            alpha = max(alpha, best)
    ctx.reason = BY_QUIESCENCE if ctx.switches.quiescence_plies > 0 and HAS_NOISY_MOVES else BY_SEARCH
    return best


def take_line(ctx: Any, ply: Any, move: Any) -> None:
    """The best line from here is the move and then the child's best line."""
    frame, child = ctx.frames[ply], ctx.frames[ply + 1]
    frame.line[0] = move
    for i in range(child.length):
        frame.line[i + 1] = child.line[i]
    frame.length = child.length + 1


def estimate(frame: Any, ctx: Any) -> Any:
    """The value of a leaf without quiescence: the points where the game is over, else the estimate."""
    ctx.leaves += 1
    ctx.reason = BY_SEARCH
    frame.length = 0
    if is_over(frame.state, frame.moves):
        return np.int64(utility(frame.state)) * UNIT
    ctx.horizon += 1
    return np.int64(evaluate(frame.state))


def node(alpha: Any, beta: Any, depth: Any, ply: Any, kind: Any, ctx: Any, table: Any) -> Any:
    """Fail-soft value of the state in frame `ply`; meaningless if `ctx.aborted` is set on return."""
    ctx.nodes += 1
    if ctx.nodes >= ctx.next_check:
        if ctx.stop != 0 or ctx.nodes > ctx.node_limit:
            ctx.aborted = 1
            return np.int64(0)
        ctx.next_check = min(ctx.nodes + _CHECK_EVERY, ctx.node_limit + 1)
    switches = ctx.switches
    frame = ctx.frames[ply]
    s = frame.state
    moves = frame.moves
    frame.length = 0
    if ply > ctx.reached:
        ctx.reached = ply

    # 1. TERMINAL-TEST and CUTOFF-TEST.
    if depth <= 0 and switches.quiescence_plies == 0:
        return estimate(frame, ctx)
    if depth <= 0 or ply + 2 >= len(ctx.frames):
        return quiesce(alpha, beta, switches.quiescence_plies, ply, ctx, table)
    n = np.int64(legal_moves(s, moves))
    if n == 0:
        ctx.leaves += 1
        ctx.reason = BY_SEARCH
        return np.int64(utility(s)) * UNIT
    horizon_before = ctx.horizon
    excluded = frame.excluded if kind == EXCLUDED else NO_MOVE

    # 2. The table.
    key = ZERO
    image = np.int64(0)
    hint = ctx.root_hint if ply == 0 and switches.previous_best != 0 else NO_MOVE
    data = ZERO
    if switches.table != 0 and kind != EXCLUDED:
        key = state_key(s, ply < switches.symmetry_plies, ctx)
        image = ctx.image
        data = probe(table, ctx.slots, key)
        if data != ZERO:
            if switches.previous_best != 0 and hint == NO_MOVE:
                hint = entry_move(data)
            same_depth = entry_depth(data) == min(depth, 255)
            deeper = switches.deeper_entries != 0 and (entry_depth(data) >= depth or entry_proven(data))
            if ply > 0 and (same_depth or deeper):
                known, bound = entry_value(data), entry_bound(data)
                if bound == EXACT or (bound == LOWER and known >= beta) or (bound == UPPER and known <= alpha):
                    if not entry_proven(data):
                        ctx.horizon += 1
                    ctx.reason = BY_TABLE
                    return known
    # The table speaks of the canonical image; find out which of these moves it means.
    if hint != NO_MOVE and image != 0 and ply > 0:
        wanted = hint
        hint = NO_MOVE
        for i in range(n):
            if to_image(moves[i], image) == wanted:
                hint = np.int64(moves[i])
                break

    # 3. Null move: if the mover may even pass and the value is still at least beta, the window is left for sure.
    may_pass = HAS_PASS_TURN and switches.null_move > 0 and kind == PLAIN and ply > 0 and depth >= 2
    if may_pass and beta < INFINITE and np.int64(evaluate(s)) >= beta:
        ctx.frames[ply + 1].state = s
        if pass_turn(ctx.frames[ply + 1].state):
            logging = ctx.logging
            ctx.logging = 0
            ctx.frames[ply + 1].move = NO_MOVE
            shallow = max(depth - 1 - switches.null_move, 0)
            value = -node(-beta, -beta + 1, shallow, ply + 1, NO_NULL, ctx, table)
            ctx.logging = logging
            if ctx.aborted != 0:
                return np.int64(0)
            if value >= beta:
                ctx.horizon += 1
                ctx.reason = BY_SEARCH
                return beta

    # 4. Singular extension: is the table's move the only one that reaches nearly its value?
    extra_for_hint = np.int64(0)
    if (
        switches.singular_depth > 0
        and depth >= switches.singular_depth
        and ply > 0
        and kind != EXCLUDED
        and hint != NO_MOVE
        and n > 1
        and data != ZERO
        and entry_bound(data) != UPPER
        and entry_depth(data) >= depth - 3
        and not entry_proven(data)
    ):
        target = entry_value(data) - switches.singular_margin * depth
        logging = ctx.logging
        ctx.logging = 0
        frame.excluded = hint
        value = node(target - 1, target, depth // 2, ply, EXCLUDED, ctx, table)
        ctx.logging = logging
        if ctx.aborted != 0:
            return np.int64(0)
        if value < target:
            extra_for_hint = np.int64(1)
        n = np.int64(legal_moves(s, moves))  # the test has used the same buffer
        frame.length = 0
    extra = np.int64(1) if n == 1 and switches.extend_forced != 0 and ply < 2 * ctx.running.depth else np.int64(0)

    # 5. Order: best of the last search, killers, counter move, then history and the game's own keys.
    keys = frame.keys
    ordered = switches.game_order | switches.history | switches.killers | switches.counter_moves != 0 or hint != NO_MOVE
    side = ply & 1 if ALTERNATE else np.int64(player(s)) & 1
    last_move = frame.move
    by_game = switches.game_order != 0
    for i in range(n if ordered else 0):
        move = np.int64(moves[i])
        rank = np.int64(0)
        if by_game and HAS_MOVE_KEY:
            rank += np.int64(move_key(s, move))
        if by_game and HAS_CHILD_KEY and depth > 1:
            ctx.frames[ply + 1].state = s
            play(ctx.frames[ply + 1].state, move)
            rank += np.int64(child_key(ctx.frames[ply + 1].state))
        rank *= 1 << 20
        if switches.history != 0:
            rank += ctx.history[side, move & (SLOTS - 1)]
        if switches.counter_moves != 0 and last_move >= 0 and ctx.counters[side, last_move & (SLOTS - 1)] == move + 1:
            rank += 1 << 40
        if switches.killers != 0:
            if frame.killers[0] == move + 1:
                rank += 1 << 42
            elif frame.killers[1] == move + 1:
                rank += 1 << 41
        if move == hint:
            rank += 1 << 50
        j = i
        while j > 0 and keys[j - 1] < rank:
            keys[j] = keys[j - 1]
            moves[j] = moves[j - 1]
            j -= 1
        keys[j] = rank
        moves[j] = move

    # 6. The moves.
    best = np.int64(-INFINITE)
    best_move = NO_MOVE
    bound = alpha
    searched = np.int64(0)
    for i in range(n):
        move = np.int64(moves[i])
        if move == excluded or (ply == 0 and is_taken(ctx, move)):
            continue
        ctx.frames[ply + 1].state = s
        child = ctx.frames[ply + 1].state
        play(child, move)
        ctx.frames[ply + 1].move = move
        same = not ALTERNATE and player(child) == player(s)
        next_depth = depth - 1 + extra
        if move == hint:
            next_depth += extra_for_hint
        reduction = np.int64(0)
        if (
            switches.reduction_after > 0
            and searched >= switches.reduction_after
            and depth >= switches.reduction_depth
            and ply > 0
            and next_depth > 0
        ):
            reduction = np.int64(2) if searched >= 3 * switches.reduction_after and depth > 5 else np.int64(1)
        # A leaf needs no call of its own; most nodes are leaves.
        is_leaf = next_depth <= 0 and switches.quiescence_plies == 0 and ctx.logging == 0
        scout = not is_leaf and searched > 0 and switches.driver == PVS and beta - bound > 1
        value = np.int64(0)
        # A reduced or null-window search may suffice; what beats the window is searched again in full.
        if scout or reduction > 0:
            low, high = (bound, bound + 1) if same else (-bound - 1, -bound)
            if not scout:
                low, high = (bound, beta) if same else (-beta, -bound)
            if ctx.logging != 0:
                write_log(table, ctx, LOG_ENTER, move, low, high)
            shallow = next_depth - reduction
            value = node(low, high, shallow, ply + 1, PLAIN, ctx, table)
            if ctx.logging != 0:
                write_log(table, ctx, LOG_LEAVE, ctx.reason, value, 0)
            if not same:
                value = -value
        again = (scout and bound < value < beta) or (reduction > 0 and value > bound)
        if is_leaf:
            ctx.nodes += 1
            ctx.reached = max(ctx.reached, ply + 1)
            value = estimate(ctx.frames[ply + 1], ctx)
            if not same:
                value = -value
        elif (not scout and reduction == 0) or (again and ctx.aborted == 0):
            low, high = (bound, beta) if same else (-beta, -bound)
            if ctx.logging != 0:
                write_log(table, ctx, LOG_ENTER, move, low, high)
            value = node(low, high, next_depth, ply + 1, PLAIN, ctx, table)
            if ctx.logging != 0:
                write_log(table, ctx, LOG_LEAVE, ctx.reason, value, 0)
            if not same:
                value = -value
        if ctx.aborted != 0:
            return np.int64(0)
        searched += 1
        if value > best:
            best = value
            best_move = move
            if best > bound or searched == 1:
                take_line(ctx, ply, move)
                if ply == 0 and best > alpha:
                    keep_running(ctx, best, depth)
            if best >= beta:
                break
            bound = max(bound, best)
    if searched == 0:  # the excluded move was the only one
        return np.int64(alpha)

    # 7. What a cut-off teaches the ordering, and what the table learns.
    if best >= beta and ordered:
        if frame.killers[0] != best_move + 1:
            frame.killers[1] = frame.killers[0]
            frame.killers[0] = best_move + 1
        slot = best_move & (SLOTS - 1)
        ctx.history[side, slot] += depth * depth
        if ctx.history[side, slot] > 1 << 18:
            for i in range(SLOTS):
                ctx.history[side, i] >>= 1
        if last_move >= 0:
            ctx.counters[side, last_move & (SLOTS - 1)] = best_move + 1
    if switches.table != 0 and kind != EXCLUDED and not (ply == 0 and ctx.partial > 0):
        what = LOWER if best >= beta else EXACT if best > alpha else UPPER
        proven = 1 if ctx.horizon == horizon_before else 0
        word = pack(best, min(depth, 255), what, ctx.age, to_image(best_move, image), proven)
        store(table, ctx.slots, key, word)
    ctx.reason = BY_EXTENSION if extra > 0 else BY_SEARCH
    return best


# The driver -----------------------------------------------------------------------------------------------------------


def is_taken(ctx: Any, move: Any) -> Any:
    """Whether an earlier line of the running depth (multi-PV) begins with this move."""
    taken = False
    for i in range(ctx.partial):
        taken |= ctx.lines[i].depth == -ctx.running.depth and ctx.lines[i].line[0] == move
    return taken


def keep_running(ctx: Any, value: Any, depth: Any) -> None:
    """The root has a better move: note it, so that an interrupted depth is not lost."""
    root, running = ctx.frames[0], ctx.running
    running.value = value
    running.length = root.length
    for i in range(root.length):
        running.line[i] = root.line[i]


def think(contexts: Any, table: Any) -> None:
    """Deepen until a limit is reached or the value is proven; the result is in `lines`, the last whole depth's.

    `node` is called in one place only, because every function between it and the entry is compiled with a copy of it.
    """
    ctx = contexts[0]
    switches = ctx.switches
    ctx.done_depth = 0
    ctx.next_check = 1
    depth = np.int64(1) if switches.iterative != 0 else np.int64(ctx.depth_limit)
    if switches.iterative != 0 and ctx.thread % 2 == 1:
        depth += 1  # helpers look at other depths than the leader, so that the table fills ahead of it
    root_moves = np.int64(legal_moves(ctx.frames[0].state, ctx.frames[0].moves))
    wanted = min(ctx.wanted_lines, root_moves)
    while depth <= ctx.depth_limit and ctx.finish == 0:
        horizon_before = ctx.horizon
        for number in range(wanted):
            ctx.partial = number
            ctx.running.depth = depth
            ctx.running.length = 0
            ctx.frames[0].move = NO_MOVE
            line = ctx.lines[number]
            ctx.root_hint = line.line[0] if line.length > 0 else NO_MOVE
            guess = line.value

            # The driver: one window after the other until the value is known.
            floor, ceiling = ctx.window_low, ctx.window_high
            width = np.int64(switches.aspiration) if depth >= 4 else np.int64(0)
            low, high = floor, ceiling
            if switches.driver == MTDF:  # "is it at least `high`?", from the last value on
                low = min(max(guess, floor + 1), ceiling) - 1
                high = low + 1
            elif width > 0:
                low, high = max(guess - width, floor), min(guess + width, ceiling)
            value = np.int64(0)
            open_window = True
            while open_window:
                if ctx.logging != 0:
                    write_log(table, ctx, LOG_ROOT, NO_MOVE, low, high)
                value = node(low, high, depth, np.int64(0), PLAIN, ctx, table)
                if ctx.aborted != 0:
                    return
                if ctx.logging != 0:
                    write_log(table, ctx, LOG_LEAVE, ctx.reason, value, 0)
                if switches.driver == MTDF:
                    if value < high:
                        ceiling = min(ceiling, value)
                    else:
                        floor = max(floor, value)
                    high = value + 1 if value == floor else value
                    low = high - 1
                    open_window = floor < ceiling
                elif value <= low and low > floor:
                    low = max(value - width, floor)
                elif value >= high and high < ceiling:
                    high = min(value + width, ceiling)
                else:
                    open_window = False
                width *= 4
            keep_line(ctx, number, value, depth)
        sort_lines(ctx, wanted)
        ctx.done_depth = depth
        if ctx.horizon == horizon_before:
            ctx.proven = 1
            return
        depth += 1


def keep_line(ctx: Any, number: Any, value: Any, depth: Any) -> None:
    """The line of the finished search becomes line `number`."""
    line, root = ctx.lines[number], ctx.frames[0]
    # MTD(f) may end with a question that failed low, which has no line: then the last that failed high counts.
    source_length = ctx.running.length if ctx.running.length > 0 else root.length
    for i in range(source_length):
        line.line[i] = ctx.running.line[i] if ctx.running.length > 0 else root.line[i]
    line.length = source_length
    line.value = value
    line.depth = -depth


def sort_lines(ctx: Any, count: Any) -> None:
    """Best line first; only now do they count as finished."""
    for i in range(count):
        ctx.lines[i].depth = -ctx.lines[i].depth
    for i in range(1, count):
        j = i
        while j > 0 and ctx.lines[j - 1].value < ctx.lines[j].value:
            ctx.running = ctx.lines[j]
            ctx.lines[j] = ctx.lines[j - 1]
            ctx.lines[j - 1] = ctx.running
            j -= 1
