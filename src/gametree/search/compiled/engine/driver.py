"""The engine's driver: deepening, the windows at the root, and several lines (multi-PV)."""

from __future__ import annotations

from typing import Any

import numpy as np

from gametree.kernels.verbs import legal_moves, weights_of
from gametree.search.compiled.engine.context import MOVES
from gametree.search.compiled.engine.kernel import PLAIN, node
from gametree.search.compiled.engine.move_order import NO_MOVE
from gametree.search.compiled.engine.steps import FIRST_CHECK, enter
from gametree.search.compiled.engine.values import LOG_LEAVE, LOG_ROOT, MTDF, judge, write_log
from gametree.search.support.move_stack import list_at

__all__ = ["think"]


def think(contexts: Any, table: Any) -> None:
    """Deepen until a limit is reached or the value is proven; the result is in `lines`, the last whole depth's.

    A search that was `crowded` and has got more room goes on with the depth in which it lacked it. `node` is called in
    one place only, because every function between it and the entry is compiled with a copy of it.
    """
    ctx = contexts[0]
    switches = ctx.switches
    depth = np.int64(1) if switches.iterative != 0 else np.int64(ctx.depth_limit)
    if switches.iterative != 0 and ctx.sharing == 0 and ctx.thread % 2 == 1:
        depth += (
            1  # threads that cannot share the work look at other depths than the leader: the table fills ahead of it
        )
    root = ctx.frames[0]
    enter(ctx, np.int64(0), root.reach)
    root.move = NO_MOVE
    root.noted = 0
    root.first = ctx.allowed_count
    if ctx.crowded != 0:
        ctx.crowded = 0
        ctx.aborted = 0
        ctx.logged = ctx.depth_log
        depth = np.int64(ctx.running.depth)
    else:
        ctx.done_depth = 0
        ctx.next_check = min(np.int64(FIRST_CHECK), ctx.node_limit + 1)
        ctx.lines[0].value = judge(np.int64(0), ctx)  # all that is known if the search is stopped at once
    root_moves = np.int64(legal_moves(root.state, list_at(ctx, MOVES, root.first), weights_of(ctx)))
    wanted = min(ctx.wanted_lines, ctx.allowed_count if ctx.allowed_count > 0 else root_moves)
    while depth <= ctx.depth_limit and ctx.finish == 0:
        horizon_before = ctx.horizon
        ctx.depth_log = ctx.logged
        for number in range(wanted):
            ctx.partial = number
            ctx.running.depth = depth
            ctx.running.length = 0
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
