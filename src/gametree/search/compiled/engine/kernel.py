"""The compiled alpha-beta search: one source, instantiated for every game.

    function NODE(s, α, β, depth)
        if the game is over then return UTILITY(s); if depth = 0 then return QUIESCE(s, α, β)
        if the table knows enough then return its value
        if the estimate is far above β, or passing is good enough (null move), then return that
        for each move, most promising first do
            if it is late or hopeless near the horizon then go on with the next
            v ← −NODE(child, −β, −α, depth − 1 − reduction + extension), a null window first but for the first move
            if v > best then best ← v; if v ≥ β then note the killer and leave the loop
        store best in the table; return best

Values are whole numbers, in 1/UNIT points of the seat to move. In games whose SOONER is true a win counts one unit less
for every ply that it takes. Everything that a thread needs is in its context record, or at an address that it holds.
The one array besides is the table; behind its `slots` entries the same array has room for the log from which the tree
record is filled.

Sources: Knuth and Moore (1975), alpha-beta; Marsland and Campbell (1982), principal variation search; Plaat et al.
(1996), MTD(f); Slate and Atkin (1977), deepening, killers and table; Schaeffer (1989), history; Uiterwijk (1992),
counter moves; Donninger (1993), null move; Heinz (1998), futility; Romstad (2006), late moves; Anantharaman et al.
(1990), singular extensions.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from gametree.kernels.bits import ZERO
from gametree.kernels.transposition import (
    EXACT,
    LOWER,
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
    HAS_EVALUATE,
    HAS_FORCING_MOVES,
    HAS_GAINS,
    HAS_INDEX_OF,
    HAS_IS_NOISY,
    HAS_IS_OVER,
    HAS_IS_URGENT,
    HAS_MOVE_CLASS,
    HAS_NOISY_MOVES,
    HAS_PASS_TURN,
    HAS_PLAYER,
    HAS_REPETITION_KEY,
    HAS_STRUCTURE_KEY,
    HIGHEST,
    MOST_MOVES,
    SOONER,
    UNIT,
    gains,
    is_noisy,
    is_over,
    legal_moves,
    pass_turn,
    side_to_move,
    weights_of,
)
from gametree.search.compiled.engine.context import DEFERRED, INFINITE, MOVES, SEARCHED
from gametree.search.compiled.engine.move_order import (
    NO_MOVE,
    is_put_off,
    learn,
    learn_from_child,
    learn_from_estimates,
    learn_from_table,
    order_moves,
    pick,
    quiet_history,
)
from gametree.search.compiled.engine.quiescence import estimate, last_ply, quiesce
from gametree.search.compiled.engine.steps import descend, enter, gives_up, is_repeated, take_line, value_of_repetition
from gametree.search.compiled.engine.values import (
    BY_EXTENSION,
    BY_SEARCH,
    BY_TABLE,
    LOG_ENTER,
    LOG_LEAVE,
    MTDF,
    PVS,
    answers,
    end_value,
    is_decided,
    judge,
    note_error,
    seen_from_here,
    seen_from_root,
    state_key,
    to_image,
    value_of_byte,
    write_log,
)
from gametree.search.support.move_stack import is_crowded, list_at
from gametree.search.support.probing import UNKNOWN, probe_tables
from gametree.search.support.sharing import is_under_way, note_begin, note_end, note_key

__all__ = ["PLAIN", "node"]

# What a call of `node` is told beside its window.
PLAIN, NO_NULL, EXCLUDED = np.int64(0), np.int64(1), np.int64(2)

# How a move is searched: less deep; in full depth, but asking only whether it is better; in full.
REDUCED, SCOUT, FULL = 0, 1, 2

_SHALLOW = 8  # hopeless and late moves are left out up to this depth
_MUCH_DEEPER = 4  # entries from a search so much deeper are kept in place of new bounds


def node(alpha: Any, beta: Any, depth: Any, ply: Any, kind: Any, ctx: Any, table: Any) -> Any:
    """Fail-soft value of the state in frame `ply`; meaningless if `ctx.aborted` is set on return."""
    w = weights_of(ctx)
    ctx.nodes += 1
    if gives_up(ctx):
        return np.int64(0)
    switches = ctx.switches
    frame = ctx.frames[ply]
    s = frame.state
    first = np.int64(frame.first)
    frame.length = 0
    if ply > ctx.reached:
        ctx.reached = ply

    # 1. CUTOFF-TEST.
    if HAS_REPETITION_KEY and ply > 0 and kind == PLAIN and is_repeated(ctx, ply):
        return value_of_repetition(ctx, ply)
    if HAS_INDEX_OF and ply > 0 and kind == PLAIN:
        byte = probe_tables(s, ctx)
        if byte != UNKNOWN:
            return value_of_byte(byte, ply, ctx)
    if is_crowded(ctx, first):
        return np.int64(0)
    calm = not (HAS_NOISY_MOVES or HAS_FORCING_MOVES or HAS_IS_URGENT) or switches.quiescence_plies == 0
    if depth <= 0 and calm:
        return estimate(ply, ctx)
    if depth <= 0 or ply + 2 >= len(ctx.frames):
        return quiesce(alpha, beta, switches.quiescence_plies, ply, ctx, table)
    # A quicker win than one that is sure already cannot be found here, nor a quicker loss.
    if SOONER and switches.sooner != 0 and ply > 0:
        alpha = max(alpha, ply - HIGHEST * UNIT)
        beta = min(beta, HIGHEST * UNIT - ply - 1)
        if alpha >= beta:
            ctx.reason = BY_SEARCH
            return alpha
    if switches.feedback > 0 and kind != EXCLUDED:
        ctx.frames[ply + 2].killers[0] = 0
        ctx.frames[ply + 2].killers[1] = 0
    side = np.int64(side_to_move(s, w)) & 1 if HAS_PLAYER else ply & 1
    horizon_before = ctx.horizon
    excluded = frame.excluded if kind == EXCLUDED else NO_MOVE
    wide = beta - alpha > 1

    # 2. The table. Where positions may repeat, it does not answer for the main line.
    key = ZERO
    image = np.int64(0)
    hint = ctx.root_hint if ply == 0 and switches.previous_best != 0 else NO_MOVE
    data = ZERO
    known = np.int64(0)
    if switches.table != 0 and kind != EXCLUDED:
        key = state_key(s, ply < switches.symmetry_plies, ctx)
        image = ctx.image
        data = probe(table, ctx.slots, key)
        if data != ZERO:
            known = seen_from_root(entry_value(data), ply, ctx)
            if switches.previous_best != 0 and hint == NO_MOVE:
                hint = entry_move(data)
            same_depth = entry_depth(data) == min(depth, 255)
            deeper = switches.deeper_entries != 0 and (entry_depth(data) >= depth or entry_proven(data))
            fit = ply > 0 and (same_depth or deeper) and not (HAS_REPETITION_KEY and wide)
            if fit and answers(data, known, alpha, beta):
                if not entry_proven(data):
                    ctx.horizon += 1
                if switches.feedback > 0 and image == 0 and known >= beta:
                    learn_from_table(ctx, ply, side, hint, depth)
                ctx.reason = BY_TABLE
                return known

    # 3. TERMINAL-TEST.
    n = np.int64(0)
    moves = list_at(ctx, MOVES, first)
    # Whether the moves must be made (again): searches from this very state use the same list.
    stale: Any = HAS_IS_OVER
    if HAS_IS_OVER:
        if is_over(s, moves, w):
            return end_value(s, ply, ctx)
    else:
        n = np.int64(legal_moves(s, moves, w))
        if n == 0:
            return end_value(s, ply, ctx)
    frame.count = n

    # 4. What the estimate says, corrected by the table.
    urgent = HAS_IS_URGENT and frame.urgent != 0
    guess = np.int64(-INFINITE)
    improving = False
    frame.estimate = guess
    if HAS_EVALUATE and switches.estimates != 0 and not urgent:
        guess = judge(ply, ctx)
        frame.estimate = guess
        if switches.feedback > 0 and kind != EXCLUDED and ply > 0 and ctx.frames[ply - 1].estimate > -INFINITE:
            learn_from_estimates(ctx, ply, side, ctx.frames[ply - 1].estimate, guess)
        improving = ply >= 2 and guess > ctx.frames[ply - 2].estimate
        if data != ZERO and image == 0 and not is_decided(known):
            bound = entry_bound(data)
            if bound == EXACT or (bound == LOWER and known > guess) or (bound == UPPER and known < guess):
                guess = known
        if not wide and kind != EXCLUDED and ply > 0 and not is_decided(beta):
            # So far above the window that a quiet move or two will not bring it down.
            margin = switches.futility_margin * (depth - (1 if improving else 0))
            if switches.futility_margin > 0 and depth <= _SHALLOW and guess - margin >= beta:
                ctx.horizon += 1
                ctx.reason = BY_SEARCH
                return guess
            # So far below it that only noisy moves could help.
            if switches.razor_margin > 0 and depth <= 3 and guess + switches.razor_margin * depth <= alpha:
                value = quiesce(alpha, beta, switches.quiescence_plies, ply, ctx, table)
                if ctx.aborted != 0 or value <= alpha:
                    return value
                stale = True

    # 5. Null move: if the mover may even pass and the value is still at least beta, the window is left for sure.
    may_pass = HAS_PASS_TURN and switches.null_move > 0 and kind == PLAIN and ply > 0 and depth >= 2 and not wide
    if may_pass and guess >= beta and not is_decided(beta):
        ctx.frames[ply + 1].state = s
        if pass_turn(ctx.frames[ply + 1].state, w):
            logging = ctx.logging
            ctx.logging = 0
            ctx.frames[ply + 1].move = NO_MOVE
            ctx.frames[ply + 1].noted = 0
            ctx.frames[ply + 1].first = frame.first + frame.count
            ctx.frames[ply + 1].cut = 1 - frame.cut
            enter(ctx, ply + 1, 0)
            shallow = depth - 1 - switches.null_move
            if switches.null_growth > 0:
                shallow -= depth // switches.null_growth
            shallow = max(shallow, np.int64(0))
            value = -node(-beta, -beta + 1, shallow, ply + 1, NO_NULL, ctx, table)
            # Where the mover may be glad to move at all, a search without passing must agree.
            if value >= beta and switches.verify_depth > 0 and depth >= switches.verify_depth and ctx.aborted == 0:
                value = min(value, node(beta - 1, beta, shallow, ply, NO_NULL, ctx, table))
                stale = True
            ctx.logging = logging
            if ctx.aborted != 0:
                return np.int64(0)
            if value >= beta:
                ctx.horizon += 1
                ctx.reason = BY_SEARCH
                frame.length = 0
                return beta if is_decided(value) else value

    # 6. Singular extension: is the table's move the only one that reaches nearly its value?
    extra_for_hint = np.int64(0)
    if (
        switches.singular_depth > 0
        and depth >= switches.singular_depth
        and ply > 0
        and kind != EXCLUDED
        and hint != NO_MOVE
        and image == 0
        and data != ZERO
        and entry_bound(data) != UPPER
        and entry_depth(data) >= depth - 3
        and not entry_proven(data)
        and not is_decided(known)
        and ply < 2 * ctx.running.depth
    ):
        target = known - switches.singular_margin * depth
        logging = ctx.logging
        ctx.logging = 0
        frame.excluded = hint
        value = node(target - 1, target, (depth - 1) // 2, ply, EXCLUDED, ctx, table)
        ctx.logging = logging
        if ctx.aborted != 0:
            return np.int64(0)
        frame.length = 0
        stale = True
        if value < target:
            extra_for_hint = np.int64(1)
        elif not wide and target >= beta:
            # Two moves beat the window with a shallow search: one will in full depth.
            ctx.horizon += 1
            ctx.reason = BY_SEARCH
            return target
        elif known >= beta:
            extra_for_hint = np.int64(-1)
    # Where a good move is expected but no search has found one, the whole depth is not worth it yet.
    promising = (wide or frame.cut != 0) and hint == NO_MOVE and kind != EXCLUDED
    if switches.internal_depth > 0 and depth >= switches.internal_depth and promising:
        depth -= 1

    # 7. The moves and their order.
    if stale:
        n = np.int64(legal_moves(s, moves, w))
    frame.count = n
    if hint != NO_MOVE and image != 0 and ply > 0:
        # The table speaks of the canonical image; find out which of these moves it means.
        wanted = hint
        hint = NO_MOVE
        for j in range(n):
            if to_image(moves[j], image) == wanted:
                hint = np.int64(moves[j])
                break
    extra = np.int64(1) if n == 1 and switches.extend_forced != 0 and ply < 2 * ctx.running.depth else np.int64(0)
    ordered = (
        switches.game_order | switches.history | switches.follow_up | switches.killers | switches.counter_moves != 0
        or hint != NO_MOVE
    )
    if ordered:
        order_moves(ctx, ply, n, side, hint, depth)

    # 8. The moves.
    best = np.int64(-INFINITE)
    best_move = NO_MOVE
    bound = alpha
    searched = np.int64(0)
    tried = list_at(ctx, SEARCHED, first)
    # Most nodes are leaves, and where no rule of the search looks at them singly they need no calls of their own.
    flat = depth <= 1 and calm and ply > 0 and extra == 0 and kind != EXCLUDED and switches.prunes == 0
    flat &= ctx.logging == 0 and not HAS_REPETITION_KEY and ctx.nodes + n <= ctx.node_limit
    flat &= ctx.tables_count == 0 and first + n + MOST_MOVES <= ctx.room
    if flat:
        best, place = last_ply(alpha, beta, ply, n, ordered, ctx)
        best_move = np.int64(moves[place])
        for j in range(place + 1):
            tried[j] = moves[j]
        searched = place + 1
        n = np.int64(0)
    reduces = switches.reduction_after > 0 and depth >= switches.reduction_depth and ply > 0
    prunes = switches.prunes != 0 and ply > (1 if wide else 0)
    too_late = False  # for quiet moves
    shares = ctx.sharing != 0 and depth >= switches.defer_depth and kind != EXCLUDED
    deferred = np.int64(0)
    note = ZERO
    i: Any = np.int64(-1)
    while i + 1 < n + deferred:
        i += 1
        again = i >= n  # a move that was put off because another thread was searching it
        if too_late and not again and not is_put_off(ctx, first, i):
            continue
        if ordered and not again and not too_late:
            pick(ctx, ply, i, n)
        move = np.int64(list_at(ctx, DEFERRED, first)[i - n] if again else moves[i])
        if move == excluded or (ply == 0 and not is_wanted(ctx, move)):
            continue
        if shares:
            note = note_key(key, move)
            if searched > 0 and not again and is_under_way(table, ctx.slots, note):
                list_at(ctx, DEFERRED, first)[deferred] = move
                deferred += 1
                continue
        noisy = HAS_IS_NOISY and is_noisy(s, move, w)
        next_depth = depth - 1 + extra
        late = ctx.reductions[min(depth, 63), min(searched, 63)] if reduces or prunes else np.int64(0)
        past = quiet_history(ctx, side, ply, move) if HAS_MOVE_CLASS and not noisy else np.int64(0)

        # 9. Moves that are late or hopeless near the horizon are left out, unless they threaten.
        hopeless = False
        if prunes and searched > 0 and not again and not is_decided(best):
            left = max(next_depth - late, np.int64(0))
            if not noisy:
                most = (switches.prune_after + depth * depth) // (1 if improving or urgent else 2)
                if switches.prune_after > 0 and depth <= _SHALLOW and searched >= most:
                    ctx.horizon += 1
                    too_late = ordered
                    continue
                if switches.futility_margin > 0 and left <= _SHALLOW and not urgent and HAS_EVALUATE:
                    hopeless |= guess + switches.futility_margin * (left + 1) + past // 128 <= bound
            if HAS_GAINS and switches.exchange_margin > 0 and not hopeless and depth <= _SHALLOW:
                most_lost = switches.exchange_margin * (depth if noisy else left)
                hopeless = not gains(s, move, -most_lost, w)
        descend(ctx, ply, move, table)
        child = ctx.frames[ply + 1]
        child.place = searched
        threatens = HAS_IS_URGENT and child.urgent != 0
        if hopeless and not threatens:
            ctx.horizon += 1
            continue
        same = not ALTERNATE and side_to_move(child.state, w) == side_to_move(s, w)

        # 10. Extensions and reductions.
        if move == hint:
            next_depth += extra_for_hint
        elif (
            threatens
            and switches.extend_urgent != 0
            and extra == 0
            and ply < 2 * ctx.running.depth
            and (not HAS_GAINS or gains(s, move, 0, w))
        ):
            next_depth += 1
        reduction = np.int64(0)
        if reduces and searched >= switches.reduction_after and next_depth > 0:
            reduction = late
            if HAS_MOVE_CLASS:  # the finer rules are for games that tell their moves apart
                if noisy:
                    reduction -= 1
                else:
                    reduction -= past // 8192
                if frame.cut != 0:
                    reduction += 1
                if not improving:
                    reduction += 1
                if wide:
                    reduction -= 1
                if threatens or urgent:
                    reduction -= 1
                if frame.killers[0] == move + 1 or frame.killers[1] == move + 1:
                    reduction -= 1
            reduction = max(min(reduction, next_depth - 1), np.int64(0))
        scout = searched > 0 and switches.driver == PVS and beta - bound > 1
        value = np.int64(0)

        # 11. A reduced or null-window search may suffice; what beats the window is searched again in full.
        step = REDUCED if reduction > 0 else SCOUT if scout else FULL
        if shares and searched > 0:
            note_begin(table, ctx.slots, note)
        while True:
            low, high = bound, bound + 1 if scout and step != FULL else beta
            child.cut = 1 if high - low == 1 and (step == REDUCED or frame.cut == 0) else 0
            if not same:
                low, high = -high, -low
            if ctx.logging != 0:
                write_log(table, ctx, LOG_ENTER, move, low, high)
            value = node(low, high, next_depth - (reduction if step == REDUCED else 0), ply + 1, PLAIN, ctx, table)
            if ctx.logging != 0:
                write_log(table, ctx, LOG_LEAVE, ctx.reason, value, 0)
            if not same:
                value = -value
            if step == FULL or value <= bound or ctx.aborted != 0 or (step == SCOUT and value >= beta):
                break
            step = SCOUT if step == REDUCED and scout else FULL
        if shares and searched > 0:
            note_end(table, ctx.slots, note)
        if ctx.aborted != 0:
            return np.int64(0)
        tried[searched] = move
        searched += 1
        if value > best:
            best = value
            best_move = move
            if (best > bound or searched == 1) and (wide or ply == 0 or switches.driver == MTDF):
                take_line(ctx, ply, move)
                if ply == 0 and best > alpha:
                    keep_running(ctx, best)
            if best >= beta:
                break
            bound = max(bound, best)
    if searched == 0:  # the excluded move was the only one
        return np.int64(alpha)

    # 12. What a cut-off teaches the ordering, and what the table learns.
    if best >= beta and ordered and not (HAS_IS_NOISY and is_noisy(s, best_move, w)):
        learn(ctx, ply, side, best_move, searched - 1, depth)
    if switches.feedback > 0 and kind != EXCLUDED and (best >= beta or (best <= alpha and (depth >= 5 or wide))):
        learn_from_child(ctx, ply, side, best >= beta, depth)
    if HAS_STRUCTURE_KEY and switches.correction != 0 and frame.estimate > -INFINITE and not is_decided(best):
        # A bound tells something only where the estimate lies on the wrong side of it.
        error = best - frame.estimate
        telling = kind != EXCLUDED and (error > 0 or best < beta) and (error < 0 or best > alpha)
        if telling and not (HAS_IS_NOISY and is_noisy(s, best_move, w)):
            note_error(s, error, depth, ctx)
    if switches.table != 0 and kind != EXCLUDED and not (ply == 0 and (ctx.partial > 0 or ctx.allowed_count > 0)):
        what = LOWER if best >= beta else EXACT if best > alpha else UPPER
        proven = 1 if ctx.horizon == horizon_before else 0
        kept = data != ZERO and entry_depth(data) >= depth + _MUCH_DEEPER and switches.deeper_entries != 0
        if not kept or what == EXACT or proven != 0:
            # Where no move lifts the value above the window, the best of them is best by chance.
            stored = to_image(best_move if best > alpha or ply == 0 else hint, image)
            value = seen_from_here(best, ply, ctx)
            store(table, ctx.slots, key, pack(value, min(depth, 255), what, ctx.age, stored, proven))
    ctx.reason = BY_EXTENSION if extra > 0 else BY_SEARCH
    return best


def is_wanted(ctx: Any, move: Any) -> Any:
    """Whether the root may play this move: asked for, and no earlier line of the running depth (multi-PV) has it."""
    wanted = ctx.allowed_count == 0
    allowed = list_at(ctx, MOVES, np.int64(0))  # below the root's own list
    for i in range(ctx.allowed_count):
        wanted |= allowed[i] == move
    for i in range(ctx.partial):
        wanted &= not (ctx.lines[i].depth == -ctx.running.depth and ctx.lines[i].line[0] == move)
    return wanted


def keep_running(ctx: Any, value: Any) -> None:
    """The root has a better move: note it, so that an interrupted depth is not lost."""
    root, running = ctx.frames[0], ctx.running
    running.value = value
    running.length = root.length
    for i in range(root.length):
        running.line[i] = root.line[i]
