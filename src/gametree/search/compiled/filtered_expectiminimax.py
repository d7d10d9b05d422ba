"""Expectiminimax for games whose estimates are good and whose moves are many: look deep only where it matters.

What programs for backgammon do: all moves are judged without looking ahead, those that come near the best are judged
again by looking through the next throw, what is left of them through two throws, and so on. Below, the side to move
plays what is best by estimate.

    function CHOOSE(s, plies)
        judge all moves by their estimates
        for depth ← 1 to plies: keep the best `keep` of them, not more than `within` behind; judge these by VALUE(depth)
        return the best move of the deepest look

    function VALUE(s, depth)                    s: after a move
        if the game is over then return UTILITY(s); if depth = 0 then return EVAL(s)
        if chance is to move then return Σ P(i) · AFTER(outcome i, depth − 1)
        return AFTER(s, depth)

    function AFTER(s, depth)                    s: somebody is to move
        m ← the move with the best EVAL
        return VALUE(RESULT(s, m), depth)

A ply is a throw here, as players of backgammon count: 0 looks at the position after the move alone.

Sources: Tesauro (1995), *Temporal difference learning and TD-Gammon*; the move filters of GNU Backgammon.
"""

from __future__ import annotations

import functools
from math import inf
from typing import Any

import numpy as np

from gametree.core.errors import BadInput, OutOfTime
from gametree.core.facts import Algorithm
from gametree.core.game import Game
from gametree.core.record import TreeRecord
from gametree.core.result import SearchResult
from gametree.kernels.compiled_game import CompiledGame
from gametree.kernels.timer import monotonic_ns
from gametree.kernels.verbs import (
    HAS_NOTE_FRESH,
    HAS_OUTCOMES,
    UNIT,
    Rules,
    evaluate,
    is_over,
    legal_moves,
    note_fresh,
    outcomes,
    struct,
    utility,
    weights_of,
)
from gametree.search.compiled.fast_expectiminimax import enter_child, side_or_chance
from gametree.search.support import move_stack
from gametree.search.support.move_stack import MoveStack, floats_at, is_crowded, list_at, run_with_room
from gametree.search.support.run import Clock, Run
from gametree.search.support.workers import deadline_of, run_workers

__all__ = ["ALGORITHM", "search"]

ALGORITHM = Algorithm(
    name="filtered-expectiminimax",
    title="Expectiminimax with move filters, compiled",
    source="Tesauro (1995); GNU Backgammon's move filters",
    chance=True,
    compiled=True,
    readable="expectiminimax",
    repetition=(),
    records=False,
    exact=False,
    takes_depth=False,
    anytime=True,
    needs=("evaluate",),
    preference=lambda game: 85 if game.facts.chance and game.offers("learning") else 0,
)

MOST_PLIES = 4
USUAL_PLIES = 2
FRAMES = 6 * MOST_PLIES
"""A throw, a play and up to three words about a cube between two throws."""
CHECK = 255
ROWS = 2
MOVES, ODDS = range(ROWS)


def context_type(rules: Rules) -> Any:
    """All that the search needs."""
    frame = struct(state=rules.state_type, seat="i8")  # the side to move, −1 for chance
    return struct(
        weights_at="u8",
        **move_stack.FIELDS,
        note=rules.note_type,
        stop="i8",
        deadline="i8",
        nodes="i8",
        leaves="i8",
        aborted="i8",
        done="i8",  # candidates that were judged in this look
        frames=(frame, FRAMES),
    )


def estimate_of(ctx: Any, ply: Any, scratch: Any) -> Any:
    """What the state in a frame is worth to side 0 without looking ahead."""
    w = weights_of(ctx)
    ctx.leaves += 1
    frame = ctx.frames[ply]
    if is_over(frame.state, scratch, w):
        value = np.float64(utility(frame.state, w))
        seat = np.int64(side_or_chance(frame.state, w))
    else:
        if HAS_NOTE_FRESH:
            note_fresh(frame.state, ctx.note, w)
        value = evaluate(frame.state, w, ctx.note) / UNIT
        seat = np.int64(frame.seat)
    return -value if seat == 1 else value


def value_of(ctx: Any, ply: Any, first: Any, depth: Any, after_throw: Any) -> Any:
    """What the state in frame `ply` is worth to side 0, looking through `depth` throws.

    Where a throw has just been made somebody moves in any case. Meaningless if `ctx.aborted` is set on return.
    """
    w = weights_of(ctx)
    ctx.nodes += 1
    if ctx.nodes & CHECK == 0 and (ctx.stop != 0 or monotonic_ns() >= ctx.deadline):
        ctx.aborted = 1
    if ctx.aborted != 0 or is_crowded(ctx, first):
        return 0.0
    frame = ctx.frames[ply]
    s = frame.state
    moves = list_at(ctx, MOVES, first)
    if is_over(s, moves, w) or (depth == 0 and after_throw == 0) or ply + 1 >= FRAMES:
        return np.float64(estimate_of(ctx, ply, moves))
    below = np.int64(ply + 1)
    if HAS_OUTCOMES and frame.seat < 0:
        odds = floats_at(ctx, ODDS, first)
        n = np.int64(outcomes(s, moves, odds, w))
        total = 0.0
        for i in range(n):
            enter_child(ctx, ply, moves[i])
            total += odds[i] * value_of(ctx, below, np.int64(first + n), np.int64(depth - 1), np.int64(1))
            if ctx.aborted != 0:
                return 0.0
        return total
    n = np.int64(legal_moves(s, moves, w))
    best, chosen = -inf, np.int64(moves[0])
    if n > 1 or depth == 0:
        if is_crowded(ctx, first + n):
            return 0.0
        for i in range(n):
            enter_child(ctx, ply, moves[i])
            value = estimate_of(ctx, below, list_at(ctx, MOVES, first + n))
            if frame.seat == 1:
                value = -value
            if value > best:
                best, chosen = value, np.int64(moves[i])
        if depth == 0:
            return -best if frame.seat == 1 else best
    enter_child(ctx, ply, chosen)
    return value_of(ctx, below, np.int64(first), np.int64(depth), np.int64(0))


def judge(contexts: Any, states: Any, chosen: Any, values: Any, depth: Any) -> None:
    """Write the values of the chosen states; `done` counts them, so that it can go on where it lacked room."""
    ctx = contexts[0]
    ctx.aborted = 0
    ctx.crowded = 0
    while ctx.done < len(chosen):
        number = chosen[ctx.done]
        ctx.frames[0].state = states[number]
        ctx.frames[0].seat = side_or_chance(ctx.frames[0].state, weights_of(ctx))
        value = value_of(ctx, np.int64(0), np.int64(0), np.int64(depth), np.int64(0))
        if ctx.aborted != 0:
            return
        values[number] = value
        ctx.done += 1


def search(
    game: Game[Any, Any],
    state: Any = None,
    *,
    depth: int | None = None,
    clock: Clock | None = None,
    record: TreeRecord | None = None,
    plies: int = USUAL_PLIES,
    keep: int = 8,
    within: float = 0.16,
) -> SearchResult:
    """Return the best move as far as `plies` throws (or `depth` of them) show, and what it is worth.

    A look deeper takes at most `keep` moves, and none that is more than `within` points behind the best; where one
    move is left, the search ends. If the clock stops it, the deepest look that was finished counts. The candidates are
    in `details`, the best first. Raises BadInput, OutOfTime and UnfitGame.
    """
    run = Run(ALGORITHM, game, state, depth=depth, clock=clock)
    assert isinstance(run.game, CompiledGame)
    game = run.game
    if record is not None:
        raise BadInput("filtered-expectiminimax keeps no tree record; expected expectiminimax for one.")
    plies = plies if depth is None else depth
    if not 0 <= plies <= MOST_PLIES:
        raise BadInput(f"plies={plies} is not possible; expected 0 to {MOST_PLIES}.")
    if keep < 1 or not within >= 0:
        raise BadInput(f"A filter of keep={keep} and within={within} leaves nothing; expected at least 1, and 0.")
    rules = game.rules
    contexts = np.zeros(1, context_type(rules))
    contexts["weights_at"] = game.w.ctypes.data
    ctx = contexts[0]
    stack = MoveStack(rules.constants["MOST_MOVES"], FRAMES, ROWS)
    stack.lend(ctx)
    actions = [] if run.terminal or run.chance else list(game.actions(run.state))
    after = [game.result(run.state, action) for action in actions] or [run.state]
    states = np.concatenate([game.structs(child) for child in after])
    values = np.zeros(len(after))
    kernel = rules.kernel(judge)
    kernel.prepare(contexts, states, np.arange(1), values, 0)
    sign = -1.0 if run.seat == 1 else 1.0
    order = list(range(len(after)))
    looked = [0] * len(after)
    reached, complete = -1, True
    for now in range(plies + 1):
        if now > 0 and actions:
            leader = sign * values[order[0]]
            order_now = [at for at in order[:keep] if sign * values[at] >= leader - within]
            if len(order_now) == 1:
                break
        else:
            order_now = order
        fresh = values.copy()
        ctx.done = 0
        # The first look is always finished: it is an answer, and takes no time.
        ctx.deadline = deadline_of(clock) if now else deadline_of(None)
        work = functools.partial(kernel, contexts, states, np.array(order_now), fresh, now)
        run_workers([functools.partial(run_with_room, work, ctx, stack)], contexts, clock=clock if now else None)
        if ctx.aborted:
            complete = False
            break
        values, reached = fresh, now
        for at in order_now:
            looked[at] = now
        order = sorted(range(len(after)), key=lambda at: (-looked[at], -sign * values[at]))
        if run.terminal:
            break
    if reached < 0:
        raise OutOfTime("The search was stopped before it had judged the moves.")
    best = order[0]
    candidates = [
        {"move": game.action_text(run.state, actions[at]), "value": sign * float(values[at]), "plies": looked[at]}
        for at in order
        if actions
    ]
    return run.finish(
        float(values[best]),
        [actions[best]] if actions else [],
        nodes=int(ctx.nodes),
        leaves=int(ctx.leaves),
        depth=max(reached, 0),
        selective=max(reached, 0),
        horizon=not run.terminal,
        complete=complete,
        candidates=candidates,
    )
