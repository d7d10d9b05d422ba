"""Exact solving of compiled games: alpha-beta to the end with a table, ordering, symmetries and null windows.

The value is proven by questions "is it at least b?", each a null-window search that halves the interval of values that
are still possible. Every answer stays in the table as a bound, so each question is cheaper than the one before, and a
solver that is stopped still knows the interval. Near the end of the game (SOLVER_LEAN) a second, lean recursion works
without table and ordering, because there the bookkeeping would cost more than the search.

    function DEEP(s, α, β)
        if SOLVER-MOVES(s) gives none then return its value
        tighten [α, β] by SOLVER-BOUNDS(s) and by the table; return if it closes
        for each move, best MOVE-KEY + CHILD-KEY first (far from the end: best in a SHALLOW search) do
            v ← −DEEP(child, −β, −α), or LEAN near the end; a null window first unless it is the first move
            if v ≥ β then leave the loop
        store v in the table as a bound; return v

Sources: Knuth and Moore (1975); Marsland and Campbell (1982) for the null windows; Plaat et al. (1996) for proving a
value by null-window questions with memory; Plaat et al. (1996b) for probing the children first; Buro (1997) for
shallow searches that order the moves of an Othello solver. Several threads share the work as in `support.sharing`.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from gametree.core.errors import BadInput
from gametree.core.facts import Algorithm
from gametree.core.game import Game
from gametree.core.record import TreeRecord
from gametree.core.result import Bound, SearchResult
from gametree.kernels.compiled_game import CompiledGame
from gametree.kernels.transposition import clear_table, new_table
from gametree.search.compiled._solver import first_guess, new_contexts, prove
from gametree.search.support import probing
from gametree.search.support.move_stack import run_with_room
from gametree.search.support.run import Clock, Run
from gametree.search.support.sharing import NOTES
from gametree.search.support.workers import deadline_of, run_workers

__all__ = ["ALGORITHM", "LINE_LEAST", "LINE_SHARE", "Progress", "search", "solve"]

ALGORITHM = Algorithm(
    name="solve",
    title="Exact solver (compiled)",
    source="Plaat et al., Best-first fixed-depth minimax algorithms (1996)",
    takes_depth=False,
    anytime=True,
    compiled=True,
    readable="alphabeta",
    repetition=(),
    records=False,
)

Progress = Callable[[dict[str, Any]], None]
"""Called now and then with nodes, lower, upper (for the seat to move), question and move."""

LINE_SHARE = 8
"""The line of best moves may cost one node for so many of the proof ..."""
LINE_LEAST = 100_000
"""... but so many nodes at any rate."""

_GUESS_PLIES = 8


def search(
    game: Game[Any, Any],
    state: Any = None,
    *,
    depth: int | None = None,
    clock: Clock | None = None,
    record: TreeRecord | None = None,
    table_mib: float = 64,
    threads: int = 1,
    window: tuple[int, int] | None = None,
    guess: int | None = None,
    table: Any = None,
    tables: probing.Tables | None = None,
    whole_line: bool = True,
    progress: Progress | None = None,
) -> SearchResult:
    """Prove the value of a state of a compiled game, to the end of the game.

    `window` asks less: outside it only a bound is proven, so (0, 1) asks whether the mover wins and (-1, 1) who wins.
    `guess` asks step by step from that value on (MTD(f)) instead of halving the interval: better where it is near.
    `table` continues with a table of an earlier call (`kernels.transposition.new_table`), else one of `table_mib` is
    made. `tables` are positions that were solved before: they are asked first. With `whole_line` the line of best moves
    goes on beyond the first, to the end of the game or as far as it can be had for little (LINE_SHARE);
    `details["line_nodes"]` says what it cost, beside the nodes of the proof. A clock that expires leaves `complete`
    False, the best bound as value, and `lower` and `upper` in the details.
    Raises UnfitGame if the game is not compiled, BadInput if a depth is given.
    """
    run = Run(ALGORITHM, game, state, clock=clock)
    assert isinstance(run.game, CompiledGame)
    if depth is not None:
        raise BadInput(f"solve goes to the end of the game, so a depth of {depth} is not possible; leave it out.")
    if record is not None:
        raise BadInput("solve does not fill a tree record; the algorithm engine does.")
    if threads < 1:
        raise BadInput(f"{threads} threads are not possible; expected at least 1.")
    if run.terminal:
        value = run.game.utility(run.state, 0)
        return run.finish(value, None, nodes=1, leaves=1)
    game = run.game
    table = new_table(table_mib) if table is None else table
    contexts, stacks = new_contexts(game, threads, tables=tables)
    sharing = threads > 1 and len(table) > 4 * NOTES
    contexts["sharing"], contexts["slots"] = sharing, len(table) - (NOTES if sharing else 0)
    if sharing:
        clear_table(table[-NOTES:])
    lowest, highest = int(np.floor(game.facts.min_utility)), int(np.ceil(game.facts.max_utility))
    for ctx in contexts:
        ctx.frames[0].state = game.struct(run.state)
        ctx.low, ctx.high, ctx.move = lowest, highest, -1
        ctx.stepping, ctx.guess = guess is not None, guess or 0
        ctx.lower, ctx.upper = window or (lowest, highest)
    leader = contexts[0]

    def tell() -> None:
        if progress is not None:
            move = int(leader.move)
            progress(
                {
                    "nodes": int(contexts["nodes"].sum()),
                    "lower": int(leader.low),
                    "upper": int(leader.high),
                    "question": int(leader.question),
                    "move": None if move < 0 else game.action_text(run.state, move),
                }
            )

    kernel = game.rules.kernel(prove)
    kernel.prepare(contexts[:1], table)  # first, for the deadline does not wait until it is compiled
    contexts["deadline"] = deadline_of(clock)
    kernels = [functools.partial(kernel, contexts[i : i + 1], table) for i in range(threads)]
    jobs = [functools.partial(run_with_room, kernels[i], contexts[i], stacks[i]) for i in range(threads)]
    run_workers(jobs, contexts, clock=clock, tick=tell)
    tell()
    low, high, move = int(leader.low), int(leader.high), int(leader.move)
    # Stopped or outside the window: the lower bound counts if a move is known that reaches it.
    bound: Bound = "exact" if low == high else "lower" if move >= 0 else "upper"
    value = high if bound == "upper" else low
    nodes = int(contexts["nodes"].sum())
    line = [] if move < 0 else [move]
    line_nodes = 0
    if whole_line and bound == "exact" and line:
        more, line_nodes = _best_line(game, run.state, move, value, table, tables, int(leader.slots), clock, nodes)
        line += more
    return run.finish(
        value if run.seat == 0 else -value,
        line,
        nodes=nodes,
        bound=bound,
        complete=leader.aborted == 0,
        lower=low,
        upper=high,
        questions=int(leader.asked),
        line_nodes=line_nodes,
    )


def _best_line(
    game: CompiledGame,
    state: Any,
    move: int,
    value: int,
    table: Any,
    tables: probing.Tables | None,
    slots: int,
    clock: Clock | None,
    spent: int,
) -> tuple[list[int], int]:
    """Best moves after `move`, which keeps the proven `value` of `state`, and the nodes that they cost.

    The proof has shown that no reply does better than to reach the value, and the table remembers most of it. So at
    each state one question is asked, which move reaches it; the line ends where the answers become too dear.
    """
    kernel = game.rules.kernel(prove)
    contexts, [stack] = new_contexts(game, clock=clock, tables=tables)
    ctx = contexts[0]
    ctx.slots = slots
    job = functools.partial(run_with_room, functools.partial(kernel, contexts, table), ctx, stack)
    most = max(LINE_LEAST, spent // LINE_SHARE)
    line: list[int] = []
    nodes = 0
    while True:
        before, state = game.player(state), game.result(state, move)
        if game.is_terminal(state):
            break
        value = value if game.player(state) == before else -value
        ctx.frames[0].state = game.struct(state)
        ctx.low, ctx.high, ctx.move = value - 1, value, -1
        ctx.lower, ctx.upper = value - 1, value
        ctx.nodes, ctx.most = 0, most - nodes
        run_workers([job], contexts, clock=clock)
        nodes += int(ctx.nodes)
        move = int(ctx.move)
        if ctx.aborted or move < 0 or nodes >= most:
            break
        line.append(move)
    return line, nodes


def solve(
    game: Game[Any, Any],
    state: Any = None,
    *,
    table_mib: float = 64,
    threads: int = 1,
    progress: Progress | None = None,
    clock: Clock | None = None,
) -> SearchResult:
    """The proven value and a best move of a state of a compiled game; see `search` for the rest."""
    guess = None
    if isinstance(game, CompiledGame) and game.rules.constants["SOLVER_GUESS"]:
        contexts, _stacks = new_contexts(game)
        contexts[0].frames[0].state = game.struct(game.initial() if state is None else state)
        found = int(game.rules.kernel(first_guess)(contexts, _GUESS_PLIES))
        guess = None if contexts[0].crowded else found  # only a guess, so not worth a larger stack
    return search(game, state, table_mib=table_mib, threads=threads, guess=guess, progress=progress, clock=clock)
