"""Expectiminimax for compiled games with chance, with the cut-offs of Star1 and Star2 as a switch.

The value is that of `expectiminimax`, `star1` and `star2`, and with the same `pruning` it enters the same nodes:

    none     every outcome and every move
    star1    Ballard (1983): an outcome is searched only in the window in which it can still matter
    star2    Ballard (1983); Hauk, Buro and Schaeffer (2004): first one move after each outcome, for a bound

    function VALUE(s, alpha, beta)
        if the game is over then return UTILITY(s); at the depth limit return EVAL(s)
        if chance is to move then
            with star2: bound each outcome by its first moves; return if the bounds of all together leave the window
            for each outcome i: v ← VALUE(outcome i, its window); return if the bounds leave the window
            return Σ of P(i) · v(i)
        alpha-beta over the moves

One function does it all, because compiled functions may call themselves but not each other in a circle; `part` tells
it whether all moves of a node, only the first ones (a probe) or only the others (after a probe) are searched. Sums are
compensated (Neumaier 1974), so they agree with the exact sums of the readable searches to the last bit or nearly so.
"""

from __future__ import annotations

import functools
from math import inf
from typing import Any

import numpy as np

from gametree.core.errors import BadInput, GameError, OutOfTime
from gametree.core.facts import Algorithm
from gametree.core.game import CHANCE, Game
from gametree.core.record import TreeRecord
from gametree.core.result import SearchResult
from gametree.kernels.compiled_game import CompiledGame
from gametree.kernels.timer import monotonic_ns
from gametree.kernels.verbs import (
    ALTERNATE,
    HAS_NOTE_FRESH,
    HAS_OUTCOMES,
    SIDE_OF,
    UNIT,
    Rules,
    evaluate,
    is_over,
    legal_moves,
    note_fresh,
    outcomes,
    play,
    player,
    struct,
    utility,
    weights_of,
)
from gametree.search.support import move_stack
from gametree.search.support.move_stack import MoveStack, floats_at, is_crowded, list_at, run_with_room
from gametree.search.support.run import Clock, Run
from gametree.search.support.window import check_window
from gametree.search.support.workers import deadline_of, run_workers

__all__ = ["ALGORITHM", "search"]

ALGORITHM = Algorithm(
    name="fast-expectiminimax",
    title="Expectiminimax with Star1 and Star2, compiled",
    source="Michie (1966); Ballard (1983); Hauk, Buro and Schaeffer (2004)",
    chance=True,
    compiled=True,
    readable="expectiminimax",
    repetition=(),
    records=False,
)

PRUNING = ("none", "star1", "star2")
STAR = 2
"""Switch, re-bound: the place in PRUNING."""
ALL, FIRST, REST = 0, 1, 2
"""Which moves of a node are searched: all, the probed ones, or the others."""
DEEPEST = 2_000
"""Plies that are followed where neither a depth nor the game sets a limit."""
CHECK = 1023
LINE = 32
"""Longest principal variation that is kept."""


ROWS = 6
MOVES, ODDS, LOW, HIGH, PROBED, WAS_PROBED = range(ROWS)
"""Rows of the stack. At chance nodes: the odds of the outcomes; odds × what an outcome is worth at least, at most; what
its probe gave, and whether there was one."""


def context_type(rules: Rules, plies: int) -> Any:
    """All that the search needs, with one frame per ply."""
    frame = struct(
        state=rules.state_type,
        seat="i8",  # the side to move, −1 for chance
        line_length="i8",
        line=("i8", LINE),
    )
    return struct(
        weights_at="u8",
        **move_stack.FIELDS,
        note=rules.note_type,
        stop="i8",
        deadline="i8",  # give up when `monotonic_ns` says so
        nodes="i8",
        leaves="i8",
        horizon="i8",  # how many values so far are estimates
        reached="i8",  # deepest ply
        aborted="i8",
        too_deep="i8",
        probes="i8",
        plies="i8",  # frames that there are
        least="f8",
        greatest="f8",
        alpha="f8",
        beta="f8",
        depth="i8",
        value="f8",
        frames=(frame, plies),
    )


def side_or_chance(s: Any, w: Any) -> Any:
    """The side to move, −1 for chance."""
    seat = np.int64(player(s, w))
    return seat if seat < 0 else SIDE_OF[seat]


# Bounds of a chance node ----------------------------------------------------------------------------------------------


def sum_of(terms: Any, count: Any, instead: Any, term: Any) -> Any:
    """The sum of `count` terms with `term` in place number `instead` (−1: none), compensated."""
    total, lost = 0.0, 0.0
    for place in range(count):
        x = term if place == instead else terms[place]
        after = total + x
        if abs(total) >= abs(x):
            lost += (total - after) + x
        else:
            lost += (x - after) + total
        total = after
    return total + lost


def lower_end(first: Any, count: Any, place: Any, alpha: Any, ctx: Any) -> Any:
    """If the outcome is worth at most this (and it is above the least value), the node falls to alpha or below."""
    a = ctx.least
    odds, high = floats_at(ctx, ODDS, first)[place], floats_at(ctx, HIGH, first)
    if odds <= 0 or alpha == -inf:
        return a
    a = min(max(a, (alpha - sum_of(high, count, place, 0.0)) / odds), ctx.greatest)
    step = np.spacing(abs(a))
    while a > ctx.least and sum_of(high, count, place, odds * a) > alpha:  # undo the rounding of the division
        a = max(a - step, ctx.least)
        step *= 2
    return a


def upper_end(first: Any, count: Any, place: Any, beta: Any, ctx: Any) -> Any:
    """If the outcome is worth at least this (and it is below the greatest value), the node rises to beta or above."""
    b = ctx.greatest
    odds, low = floats_at(ctx, ODDS, first)[place], floats_at(ctx, LOW, first)
    if odds <= 0 or beta == inf:
        return b
    b = max(min(b, (beta - sum_of(low, count, place, 0.0)) / odds), ctx.least)
    step = np.spacing(abs(b))
    while b < ctx.greatest and sum_of(low, count, place, odds * b) < beta:
        b = min(b + step, ctx.greatest)
        step *= 2
    return b


# The search -----------------------------------------------------------------------------------------------------------


def enter_child(ctx: Any, ply: Any, move: Any) -> None:
    """Make the next frame the state after a move."""
    w = weights_of(ctx)
    frame, child = ctx.frames[ply], ctx.frames[ply + 1]
    child.state = frame.state
    play(child.state, move, w)
    child.seat = 1 - frame.seat if ALTERNATE else side_or_chance(child.state, w)


def can_help(ctx: Any, ply: Any, first: Any, alpha: Any, beta: Any, depth: Any) -> Any:
    """Whether a probe of the state in frame `ply` can bound the chance node above it, searched in (alpha, beta).

    There must be room for its moves from `first` on.
    """
    w = weights_of(ctx)
    frame = ctx.frames[ply]
    if depth == 0 or frame.seat < 0 or is_over(frame.state, list_at(ctx, MOVES, first), w):
        return False
    return beta < inf if frame.seat == 0 else alpha > -inf


def value_of(ctx: Any, ply: Any, first: Any, alpha: Any, beta: Any, depth: Any, part: Any, known: Any) -> Any:
    """What the state in frame `ply` is worth to seat 0 inside (alpha, beta), else a bound. Its lists begin at `first`.

    With the part REST, `known` is what the other moves gave. Meaningless if `ctx.aborted` is set on return.
    """
    w = weights_of(ctx)
    ctx.nodes += 1
    if ctx.nodes & CHECK == 0 and (ctx.stop != 0 or monotonic_ns() >= ctx.deadline):
        ctx.aborted = 1
        return 0.0
    if is_crowded(ctx, first):
        return 0.0
    if ply > ctx.reached:
        ctx.reached = ply
    frame = ctx.frames[ply]
    s, seat = frame.state, np.int64(frame.seat)
    moves, odds = list_at(ctx, MOVES, first), floats_at(ctx, ODDS, first)
    frame.line_length = 0
    by_chance = HAS_OUTCOMES and seat < 0
    n = np.int64(outcomes(s, moves, odds, w)) if by_chance else np.int64(legal_moves(s, moves, w))
    if n == 0:
        ctx.leaves += 1
        value = np.float64(utility(s, w))
        return -value if seat == 1 else value
    if depth == 0:
        ctx.leaves += 1
        ctx.horizon += 1
        if HAS_NOTE_FRESH:
            note_fresh(s, ctx.note, w)
        value = evaluate(s, w, ctx.note) / UNIT
        return -value if seat == 1 else value
    if ply + 1 >= ctx.plies:
        ctx.too_deep = 1
        ctx.aborted = 1
        return 0.0
    below, lower, behind = np.int64(ply + 1), np.int64(depth - 1), np.int64(first + n)

    if not by_chance:
        # A decision node: alpha-beta, or minimax where nothing is to be pruned.
        begin = np.int64(ctx.probes) if part == REST else np.int64(0)
        last = min(n, np.int64(ctx.probes)) if part == FIRST else n
        best = known if part == REST else -inf if seat == 0 else inf
        if STAR > 0:
            if seat == 0:
                alpha = max(alpha, best)
            else:
                beta = min(beta, best)
        for i in range(begin, last):
            if STAR > 0 and alpha >= beta:
                break
            enter_child(ctx, ply, moves[i])
            value = value_of(ctx, below, behind, alpha, beta, lower, np.int64(ALL), 0.0)
            if ctx.aborted != 0:
                return 0.0
            if value > best if seat == 0 else value < best:
                best = value
                if STAR > 0:
                    if seat == 0:
                        alpha = max(alpha, best)
                    else:
                        beta = min(beta, best)
                keep_line(frame, ctx.frames[below], moves[i])
        return best

    # A chance node. Without pruning its value is the mean of its outcomes.
    low, high = floats_at(ctx, LOW, first), floats_at(ctx, HIGH, first)
    probed, was_probed = floats_at(ctx, PROBED, first), list_at(ctx, WAS_PROBED, first)
    if STAR == 0:
        for i in range(n):
            enter_child(ctx, ply, moves[i])
            low[i] = odds[i] * value_of(ctx, below, behind, alpha, beta, lower, np.int64(ALL), 0.0)
            if ctx.aborted != 0:
                return 0.0
        return sum_of(low, n, np.int64(-1), 0.0)
    for i in range(n):
        low[i] = odds[i] * ctx.least
        high[i] = odds[i] * ctx.greatest
        was_probed[i] = 0
    bound = sum_of(high, n, np.int64(-1), 0.0)
    if bound <= alpha:
        return bound
    bound = sum_of(low, n, np.int64(-1), 0.0)
    if bound >= beta:
        return bound

    # 1. Star2: bound each outcome by its first moves.
    if STAR == 2:
        if is_crowded(ctx, behind):
            return 0.0
        for i in range(n):
            enter_child(ctx, ply, moves[i])
            if not can_help(ctx, below, behind, alpha, beta, lower):
                continue
            # The mover's own side of the window stays open, so that what the moves give is exact and holds later.
            maximises = ctx.frames[below].seat == 0
            a = ctx.least if maximises else lower_end(first, n, i, alpha, ctx)
            b = upper_end(first, n, i, beta, ctx) if maximises else ctx.greatest
            value = value_of(ctx, below, behind, a, b, lower, np.int64(FIRST), 0.0)
            if ctx.aborted != 0:
                return 0.0
            probed[i] = value
            was_probed[i] = 1
            if maximises:
                low[i] = max(low[i], odds[i] * value)
            else:
                high[i] = min(high[i], odds[i] * value)
            bound = sum_of(low, n, np.int64(-1), 0.0)
            if bound >= beta:
                return bound
            bound = sum_of(high, n, np.int64(-1), 0.0)
            if bound <= alpha:
                return bound

    # 2. Star1, from the bounds that the probes have left.
    for i in range(n):
        a = lower_end(first, n, i, alpha, ctx)
        b = upper_end(first, n, i, beta, ctx)
        enter_child(ctx, ply, moves[i])
        rest = np.int64(REST) if was_probed[i] != 0 else np.int64(ALL)
        value = value_of(ctx, below, behind, a, b, lower, rest, np.float64(probed[i]))
        if ctx.aborted != 0:
            return 0.0
        if value >= b and b < ctx.greatest:
            low[i] = max(low[i], odds[i] * value)
            return sum_of(low, n, np.int64(-1), 0.0)
        if value <= a and a > ctx.least:
            high[i] = min(high[i], odds[i] * value)
            return sum_of(high, n, np.int64(-1), 0.0)
        low[i] = high[i] = odds[i] * value
        bound = sum_of(high, n, np.int64(-1), 0.0)
        if bound <= alpha:
            return bound
        bound = sum_of(low, n, np.int64(-1), 0.0)
        if bound >= beta:
            return bound
    return sum_of(low, n, np.int64(-1), 0.0)


def keep_line(frame: Any, child: Any, move: Any) -> None:
    """The best line of a node: its move, then the child's line."""
    length = min(np.int64(child.line_length), np.int64(LINE - 1))
    frame.line[0] = move
    for i in range(length):
        frame.line[i + 1] = child.line[i]
    frame.line_length = length + 1


def start(contexts: Any) -> None:
    """Search the state in the first frame, from the beginning also where a search lacked room."""
    ctx = contexts[0]
    ctx.aborted = 0
    ctx.crowded = 0
    if not ALTERNATE:
        ctx.frames[0].seat = side_or_chance(ctx.frames[0].state, weights_of(ctx))
    ctx.value = value_of(
        ctx,
        np.int64(0),
        np.int64(0),
        np.float64(ctx.alpha),
        np.float64(ctx.beta),
        np.int64(ctx.depth),
        np.int64(ALL),
        0.0,
    )


def search(
    game: Game[Any, Any],
    state: Any = None,
    *,
    depth: int | None = None,
    clock: Clock | None = None,
    record: TreeRecord | None = None,
    pruning: str = "star2",
    probes: int = 1,
    window: tuple[float, float] = (-inf, inf),
) -> SearchResult:
    """Return the expected value under best play and a best move, to `depth` plies or to the end of the game.

    `pruning` is none, star1 or star2, which probes each outcome with its first `probes` moves. With a `window` (not
    with `none`) the value is exact inside it, an upper bound at or below its lower end and a lower bound at or above
    its upper end, for MAX. The search keeps no tree record. Raises BadInput, OutOfTime, GameError if the game goes on
    for ever, and UnfitGame for games that are not compiled.
    """
    run = Run(ALGORITHM, game, state, depth=depth, clock=clock)
    assert isinstance(run.game, CompiledGame)
    game = run.game
    if record is not None:
        raise BadInput("fast-expectiminimax keeps no tree record; expected star1, star2 or expectiminimax for one.")
    if pruning not in PRUNING:
        raise BadInput(f"pruning={pruning} is not possible; expected none, star1 or star2.")
    if probes < 1:
        raise BadInput(f"probes={probes} is too few; expected at least 1 (star1 searches without probes).")
    check_window(window)
    if pruning == "none" and window != (-inf, inf):
        raise BadInput(f"A window of {window} needs pruning; expected star1 or star2.")
    rules = game.rules
    # Not by the depth: every number of frames is a type of its own, which would be compiled anew.
    longest = game.facts.longest_game
    plies = DEEPEST if longest is None else min(DEEPEST, longest + 2)
    contexts = np.zeros(1, context_type(rules, plies))
    contexts["weights_at"] = game.w.ctypes.data
    ctx = contexts[0]
    stack = MoveStack(rules.constants["MOST_MOVES"], plies, ROWS)
    stack.lend(ctx)
    ctx.probes, ctx.plies, ctx.depth = probes, plies, run.depth
    ctx.least, ctx.greatest = game.facts.min_utility, game.facts.max_utility
    ctx.alpha, ctx.beta = window
    ctx.frames[0].state = game.struct(run.state)
    ctx.frames[0].seat = CHANCE if run.chance else run.seat
    kernel = rules.kernel(start, STAR=PRUNING.index(pruning))
    kernel.prepare(contexts)  # first, for the deadline does not wait until it is compiled
    ctx.deadline = deadline_of(clock)
    run_workers(
        [functools.partial(run_with_room, functools.partial(kernel, contexts), ctx, stack)], contexts, clock=clock
    )
    if ctx.too_deep:
        raise GameError(f"{game.name} was not over after {plies - 1} plies; limit the search with a depth.")
    if ctx.aborted and clock is not None:
        clock.check(int(ctx.nodes))
        raise OutOfTime(f"The search was stopped after {int(ctx.nodes)} nodes, before it had an answer.")
    line = [int(move) for move in ctx.frames[0].line[: int(ctx.frames[0].line_length)]]
    return run.finish(
        float(ctx.value),
        line,
        nodes=int(ctx.nodes),
        leaves=int(ctx.leaves),
        selective=int(ctx.reached),
        horizon=bool(ctx.horizon > 0),
        window=window,
    )
