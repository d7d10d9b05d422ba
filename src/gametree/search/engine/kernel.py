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
for every ply that it takes. Everything that a thread needs is in its context record. The one array besides is the
table; behind its `slots` entries the same array has room for the log from which the tree record is filled.

Sources: Knuth and Moore (1975), alpha-beta; Marsland and Campbell (1982), principal variation search; Plaat et al.
(1996), MTD(f); Slate and Atkin (1977), deepening, killers and table; Schaeffer (1989), history; Uiterwijk (1992),
counter moves; Donninger (1993), null move; Heinz (1998), futility; Romstad (2006), late moves; Anantharaman et al.
(1990), singular extensions.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from gametree.kernels.bits import ZERO, prefetch, u64
from gametree.kernels.table import (
    EXACT,
    LOWER,
    UPPER,
    bucket,
    entry_bound,
    entry_depth,
    entry_move,
    entry_proven,
    entry_value,
    pack,
    probe,
    store,
)
from gametree.kernels.timer import monotonic_ns
from gametree.kernels.verbs import (
    ALTERNATE,
    HAS_EVALUATE,
    HAS_FORCING_MOVES,
    HAS_GAINS,
    HAS_HASH_STATE,
    HAS_IS_NOISY,
    HAS_IS_OVER,
    HAS_IS_URGENT,
    HAS_MOVE_CLASS,
    HAS_MOVE_KEY,
    HAS_NOISY_MOVES,
    HAS_PASS_TURN,
    HAS_PLAYER,
    HAS_REPETITION_KEY,
    HAS_STRUCTURE_KEY,
    HIGHEST,
    REPETITIONS,
    SOONER,
    SYMMETRIES,
    UNIT,
    evaluate,
    forcing_moves,
    gains,
    hash_state,
    is_noisy,
    is_over,
    is_urgent,
    legal_moves,
    mirror,
    mirror_move,
    move_class,
    move_key,
    noisy_moves,
    pass_turn,
    play,
    player,
    repetition_key,
    reversible_plies,
    structure_key,
    utility,
)
from gametree.search._sharing import is_under_way, note_begin, note_end, note_key
from gametree.search.engine.context import CORRECTION_BITS, INFINITE, PAST
from gametree.search.engine.ordering import (
    NO_MOVE,
    bring_best,
    is_put_off,
    learn,
    learn_from_child,
    learn_from_estimates,
    learn_from_table,
    order_moves,
    pick,
    quiet_history,
)

__all__ = [
    "ALPHABETA",
    "FIRST_CHECK",
    "LOG_ENTER",
    "LOG_LEAVE",
    "LOG_ROOT",
    "MTDF",
    "PLAIN",
    "PVS",
    "REASONS",
    "SOONEST",
    "enter",
    "judge",
    "node",
    "write_log",
]

SOONEST = 1000
"""With SOONER, values within this many units of the most that can be won tell how many plies the win takes."""

ALPHABETA, PVS, MTDF = 0, 1, 2

# What a call of `node` is told beside its window.
PLAIN, NO_NULL, EXCLUDED = np.int64(0), np.int64(1), np.int64(2)

# How a move is searched: less deep; in full depth, but asking only whether it is better; in full.
REDUCED, SCOUT, FULL = 0, 1, 2

LOG_ENTER, LOG_LEAVE, LOG_ROOT = 1, 2, 3
REASONS = ("", "table", "quiescence", "extended")
BY_SEARCH, BY_TABLE, BY_QUIESCENCE, BY_EXTENSION = 0, 1, 2, 3

MOST_CORRECTION = 1024
CORRECTION_STEP = 28  # of a correction make one unit

_CHECK_EVERY = 256
FIRST_CHECK = 1000  # however little time there is, so many nodes are searched, lest the move be the first that comes
_MOST_QUIET = 1000  # nodes of one quiescence; nine queens on either side would have it go on for seconds
_SHALLOW = 8  # hopeless and late moves are left out up to this depth
_MUCH_DEEPER = 4  # entries from a search so much deeper are kept in place of new bounds


# Wins, and how soon ---------------------------------------------------------------------------------------------------


def is_decided(value: Any) -> Any:
    """Whether a value tells how soon the game is won or lost."""
    return SOONER and abs(value) >= HIGHEST * UNIT - SOONEST


def end_value(s: Any, ply: Any, ctx: Any) -> Any:
    """The value where the game is over."""
    ctx.leaves += 1
    ctx.reason = BY_SEARCH
    value = np.int64(utility(s)) * UNIT
    if SOONER and ctx.switches.sooner != 0:
        value += -ply if value > 0 else ply if value < 0 else 0
    return value


def seen_from_here(value: Any, ply: Any, ctx: Any) -> Any:
    """A value of the search as the table keeps it: wins are counted from the state, not from the root."""
    if not is_decided(value) or ctx.switches.sooner == 0:
        return value
    return value + ply if value > 0 else value - ply


def seen_from_root(value: Any, ply: Any, ctx: Any) -> Any:
    """A value of the table as the search needs it."""
    if not is_decided(value) or ctx.switches.sooner == 0:
        return value
    return value - ply if value > 0 else value + ply


# Estimates, and how they err ------------------------------------------------------------------------------------------


def judge(s: Any, ctx: Any) -> Any:
    """The game's estimate, corrected by how far estimates of states with the same structure were off."""
    value = np.int64(evaluate(s))
    if HAS_STRUCTURE_KEY and ctx.switches.correction != 0:
        found = ctx.corrections[player(s) & 1, structure_key(s) >> u64(64 - CORRECTION_BITS)]
        if not is_decided(value + found // CORRECTION_STEP):
            value += found // CORRECTION_STEP
    return value


def note_error(s: Any, error: Any, depth: Any, ctx: Any) -> None:
    """A search of some depth has found a value that differs so much from the estimate of the state."""
    seat, slot = player(s) & 1, structure_key(s) >> u64(64 - CORRECTION_BITS)
    old = np.int64(ctx.corrections[seat, slot])
    pull = min(max(error * depth // 3, np.int64(-MOST_CORRECTION // 4)), np.int64(MOST_CORRECTION // 4))
    ctx.corrections[seat, slot] = old + pull - old * abs(pull) // MOST_CORRECTION


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


def answers(data: Any, value: Any, alpha: Any, beta: Any) -> Any:
    """Whether an entry with this value settles the window."""
    bound = entry_bound(data)
    return bound == EXACT or (bound == LOWER and value >= beta) or (bound == UPPER and value <= alpha)


def write_log(table: Any, ctx: Any, kind: Any, move: Any, low: Any, high: Any) -> None:
    """Append an event: two words, in the part of the array behind the table. A full log drops the event."""
    place = ctx.slots + ctx.logged
    if place < table.shape[0]:
        entry = table[place]
        entry.check = u64(kind) << u64(32) | u64(move + 1)
        entry.word = u64(low + INFINITE) << u64(32) | u64(high + INFINITE)
    ctx.logged += 1


# Moving down and up ---------------------------------------------------------------------------------------------------


def enter(ctx: Any, ply: Any, reach: Any) -> None:
    """Note what the search needs to know about the state that has just come into frame `ply`."""
    frame = ctx.frames[ply]
    if HAS_IS_URGENT:
        frame.urgent = 1 if is_urgent(frame.state) else 0
    if HAS_REPETITION_KEY:
        frame.reach = min(np.int64(reach), np.int64(reversible_plies(frame.state)))
        ctx.path[PAST + ply] = repetition_key(frame.state)


def descend(ctx: Any, ply: Any, move: Any, table: Any) -> None:
    """Play a move of frame `ply` into the next frame."""
    frame, child = ctx.frames[ply], ctx.frames[ply + 1]
    child.state = frame.state
    play(child.state, move)
    child.move = move
    if HAS_MOVE_CLASS:
        child.kind = np.int64(move_class(move))
    if HAS_HASH_STATE and HAS_NOISY_MOVES:  # most states will be looked up: fetch the place in the table meanwhile
        prefetch(table, bucket(hash_state(child.state), ctx.slots))
    enter(ctx, ply + 1, frame.reach + 1)


def is_repeated(ctx: Any, ply: Any) -> Any:
    """Whether the position has stood before: often enough to end the game or, as a short cut, once since the root."""
    key = ctx.path[PAST + ply]
    reach = ctx.frames[ply].reach
    seen = 0
    # Where the seats take turns, a position comes back after four plies at the earliest, and after an even number.
    back = np.int64(4 if ALTERNATE else 1)
    while back <= reach:
        if ctx.path[PAST + ply - back] == key:
            seen += 1
            if seen >= REPETITIONS - 1 or (back < ply and ctx.switches.early_repetition != 0):
                return True
        back += 2 if ALTERNATE else 1
    return False


def draw_by_repetition(ctx: Any) -> Any:
    """The value where a position is repeated; it depends on the way here, so it proves nothing."""
    ctx.leaves += 1
    ctx.horizon += 1
    ctx.reason = BY_SEARCH
    return np.int64(0)


def take_line(ctx: Any, ply: Any, move: Any) -> None:
    """The best line from here is the move and then the child's best line."""
    frame, child = ctx.frames[ply], ctx.frames[ply + 1]
    frame.line[0] = move
    for i in range(child.length):
        frame.line[i + 1] = child.line[i]
    frame.length = child.length + 1


# The search -----------------------------------------------------------------------------------------------------------


def gives_up(ctx: Any) -> Any:
    """Whether the search must end here, which is looked at every so many nodes; if so, `ctx.aborted` is set.

    The thread that watches the clock may itself be late on a busy machine, so the search looks at the time too.
    """
    if ctx.nodes < ctx.next_check:
        return False
    if ctx.stop != 0 or ctx.nodes > ctx.node_limit or monotonic_ns() >= ctx.deadline:
        ctx.aborted = 1
        return True
    ctx.next_check = min(ctx.nodes + _CHECK_EVERY, ctx.node_limit + 1)
    return False


def quiesce(alpha: Any, beta: Any, left: Any, ply: Any, ctx: Any, table: Any) -> Any:
    """The value when only noisy moves are followed; the mover may always stop and take the estimate, unless threatened.

    A threatened mover answers with any move, for `left` plies at most. Meaningless if `ctx.aborted` is set on return.
    """
    frame, switches = ctx.frames[ply], ctx.switches
    s = frame.state
    frame.length = 0
    if ply > ctx.reached:
        ctx.reached = ply
    if is_over(s, frame.moves):
        return end_value(s, ply, ctx)
    if left == switches.quiescence_plies:
        ctx.quiet_end = ctx.nodes + _MOST_QUIET
    room = ply + 2 < len(ctx.frames) and ctx.nodes < ctx.quiet_end
    urgent = HAS_IS_URGENT and frame.urgent != 0 and left > 0 and room

    # 1. The table.
    key = ZERO
    hint = NO_MOVE
    remember = HAS_NOISY_MOVES and switches.table != 0 and switches.quiescence_plies > 0
    shallow = True  # no deeper search has left an entry
    if remember:
        key = hash_state(s)
        data = probe(table, ctx.slots, key)
        if data != ZERO:
            shallow = entry_depth(data) == 0
            known = seen_from_root(entry_value(data), ply, ctx)
            hint = entry_move(data)
            if answers(data, known, alpha, beta):
                if not entry_proven(data):
                    ctx.horizon += 1
                ctx.leaves += 1
                ctx.reason = BY_TABLE
                return known

    # 2. Standing pat.
    best = np.int64(-INFINITE)
    guess = np.int64(0)
    if not urgent:
        guess = best = judge(s, ctx)
    ctx.horizon += 1
    n = np.int64(0)
    if urgent:
        n = np.int64(legal_moves(s, frame.moves))
    elif HAS_NOISY_MOVES and left > 0 and best < beta and room:
        n = np.int64(noisy_moves(s, frame.moves))
    if n == 0:
        ctx.leaves += 1
    bound = max(alpha, best)
    best_move = NO_MOVE

    # 3. The moves: noisy ones, then quiet threats.
    by_key = HAS_MOVE_KEY and switches.game_order != 0
    forcing = HAS_FORCING_MOVES and not urgent and left > switches.quiescence_plies - switches.forcing_plies and room
    for quiet in range(2 if forcing else 1):
        if quiet == 1:
            if best >= beta:
                break
            n = np.int64(forcing_moves(s, frame.moves))
        if by_key:
            for i in range(n):
                move = np.int64(frame.moves[i])
                frame.keys[i] = np.int64(move_key(s, move)) + (1 << 30 if move == hint else 0)
        for i in range(n):
            if by_key:
                bring_best(frame, i, n)
            move = np.int64(frame.moves[i])
            # What cannot lift the estimate above the window, or loses material, is not followed.
            if HAS_GAINS and not urgent:
                lacking = bound - guess - switches.delta_margin if switches.delta_margin > 0 and quiet == 0 else 0
                if not gains(s, move, max(np.int64(lacking), np.int64(0))):
                    if lacking > 0:
                        best = max(best, bound)  # all that is known is that it does not lift the value above the window
                    continue
            descend(ctx, ply, move, table)
            same = not ALTERNATE and player(ctx.frames[ply + 1].state) == player(s)
            a, b = (bound, beta) if same else (-beta, -bound)
            ctx.nodes += 1
            if gives_up(ctx):
                return np.int64(0)
            if ctx.logging != 0:
                write_log(table, ctx, LOG_ENTER, move, a, b)
            value = quiesce(a, b, left - 1, ply + 1, ctx, table)
            if ctx.aborted != 0:
                return np.int64(0)
            if ctx.logging != 0:
                write_log(table, ctx, LOG_LEAVE, ctx.reason, value, 0)
            if not same:
                value = -value
            if value > best:
                best = value
                best_move = move
                if best > bound and beta - alpha > 1:
                    take_line(ctx, ply, move)
                if best >= beta:
                    break
                bound = max(bound, best)
    if remember and best_move != NO_MOVE and shallow:
        what = LOWER if best >= beta else EXACT if best > alpha else UPPER
        store(table, ctx.slots, key, pack(seen_from_here(best, ply, ctx), np.int64(0), what, ctx.age, best_move, 0))
    ctx.reason = BY_QUIESCENCE if switches.quiescence_plies > 0 and HAS_NOISY_MOVES else BY_SEARCH
    return best


def estimate(ply: Any, ctx: Any) -> Any:
    """The value of a leaf without quiescence: the points where the game is over, else the estimate."""
    frame = ctx.frames[ply]
    frame.length = 0
    if is_over(frame.state, frame.moves):
        return end_value(frame.state, ply, ctx)
    ctx.leaves += 1
    ctx.reason = BY_SEARCH
    ctx.horizon += 1
    return judge(frame.state, ctx)


def last_ply(alpha: Any, beta: Any, ply: Any, n: Any, ordered: Any, ctx: Any) -> Any:
    """The best value of a state whose `n` moves all lead to leaves, and the place of the move that reaches it."""
    frame, child = ctx.frames[ply], ctx.frames[ply + 1]
    s, moves = frame.state, frame.moves
    wide = beta - alpha > 1 or ctx.switches.driver == MTDF
    ctx.reached = max(ctx.reached, ply + 1)
    best = np.int64(-INFINITE)
    place = np.int64(0)
    for i in range(n):
        if ordered:
            pick(frame, i, n)
        child.state = s
        play(child.state, moves[i])
        ctx.nodes += 1
        value = estimate(ply + 1, ctx)
        if ALTERNATE or player(child.state) != player(s):
            value = -value
        if value > best:
            best = value
            place = np.int64(i)
            if wide and (best > alpha or i == 0):
                take_line(ctx, ply, moves[i])
            if best >= beta:
                break
            alpha = max(alpha, best)
    return best, place


def node(alpha: Any, beta: Any, depth: Any, ply: Any, kind: Any, ctx: Any, table: Any) -> Any:
    """Fail-soft value of the state in frame `ply`; meaningless if `ctx.aborted` is set on return."""
    ctx.nodes += 1
    if gives_up(ctx):
        return np.int64(0)
    switches = ctx.switches
    frame = ctx.frames[ply]
    s = frame.state
    moves = frame.moves
    frame.length = 0
    if ply > ctx.reached:
        ctx.reached = ply

    # 1. CUTOFF-TEST.
    if HAS_REPETITION_KEY and ply > 0 and kind == PLAIN and is_repeated(ctx, ply):
        return draw_by_repetition(ctx)
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
    side = np.int64(player(s)) & 1 if HAS_PLAYER else ply & 1
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
    stale: Any = (
        HAS_IS_OVER  # whether the moves must be made (again): searches from this very state use the same buffer
    )
    if HAS_IS_OVER:
        if is_over(s, moves):
            return end_value(s, ply, ctx)
    else:
        n = np.int64(legal_moves(s, moves))
        if n == 0:
            return end_value(s, ply, ctx)

    # 4. What the estimate says, corrected by the table.
    urgent = HAS_IS_URGENT and frame.urgent != 0
    guess = np.int64(-INFINITE)
    improving = False
    frame.estimate = guess
    if HAS_EVALUATE and switches.estimates != 0 and not urgent:
        guess = judge(s, ctx)
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
        if pass_turn(ctx.frames[ply + 1].state):
            logging = ctx.logging
            ctx.logging = 0
            ctx.frames[ply + 1].move = NO_MOVE
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
        n = np.int64(legal_moves(s, moves))
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
    # Most nodes are leaves, and where no rule of the search looks at them singly they need no calls of their own.
    flat = depth <= 1 and calm and ply > 0 and extra == 0 and kind != EXCLUDED and switches.prunes == 0
    flat &= ctx.logging == 0 and not HAS_REPETITION_KEY and ctx.nodes + n <= ctx.node_limit
    if flat:
        best, place = last_ply(alpha, beta, ply, n, ordered, ctx)
        best_move = np.int64(moves[place])
        for j in range(place + 1):
            frame.searched[j] = moves[j]
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
        if too_late and not again and not is_put_off(frame, i):
            continue
        if ordered and not again and not too_late:
            pick(frame, i, n)
        move = np.int64(frame.deferred[i - n] if again else moves[i])
        if move == excluded or (ply == 0 and not is_wanted(ctx, move)):
            continue
        if shares:
            note = note_key(key, move)
            if searched > 0 and not again and is_under_way(table, ctx.slots, note):
                frame.deferred[deferred] = move
                deferred += 1
                continue
        noisy = HAS_IS_NOISY and is_noisy(s, move)
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
                hopeless = not gains(s, move, -most_lost)
        descend(ctx, ply, move, table)
        child = ctx.frames[ply + 1]
        child.place = searched
        threatens = HAS_IS_URGENT and child.urgent != 0
        if hopeless and not threatens:
            ctx.horizon += 1
            continue
        same = not ALTERNATE and player(child.state) == player(s)

        # 10. Extensions and reductions.
        if move == hint:
            next_depth += extra_for_hint
        elif (
            threatens
            and switches.extend_urgent != 0
            and extra == 0
            and ply < 2 * ctx.running.depth
            and (not HAS_GAINS or gains(s, move, 0))
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
        frame.searched[searched] = move
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
    if best >= beta and ordered and not (HAS_IS_NOISY and is_noisy(s, best_move)):
        learn(ctx, ply, side, best_move, searched - 1, depth)
    if switches.feedback > 0 and kind != EXCLUDED and (best >= beta or (best <= alpha and (depth >= 5 or wide))):
        learn_from_child(ctx, ply, side, best >= beta, depth)
    if HAS_STRUCTURE_KEY and switches.correction != 0 and frame.estimate > -INFINITE and not is_decided(best):
        # A bound tells something only where the estimate lies on the wrong side of it.
        error = best - frame.estimate
        telling = kind != EXCLUDED and (error > 0 or best < beta) and (error < 0 or best > alpha)
        if telling and not (HAS_IS_NOISY and is_noisy(s, best_move)):
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


# The root -------------------------------------------------------------------------------------------------------------


def is_wanted(ctx: Any, move: Any) -> Any:
    """Whether the root may play this move: asked for, and no earlier line of the running depth (multi-PV) has it."""
    wanted = ctx.allowed_count == 0
    for i in range(ctx.allowed_count):
        wanted |= ctx.allowed[i] == move
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
