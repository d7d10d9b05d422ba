"""Alpha-beta with a transposition table: a state that comes up again is not searched again.

Source: Greenblatt, Eastlake and Crocker, "The Greenblatt chess program" (1967), for the table; the pseudocode is
alpha-beta with the enhancement of Marsland, "A review of game-tree pruning" (1986).

    if the table knows the state to the same depth and its bound settles (α, β) then return its value
    search the successors as alpha-beta does, the best move of the table first
    store the value: exact inside the window, an upper bound at or below α, a lower bound at or above β

A stored value serves only a search that would have found the same; see `Entry.holds` for what that means where the
look-ahead is limited. So the value is minimax's at the depth asked for.
"""

from __future__ import annotations

from math import inf
from typing import Any

from gametree.core.facts import Algorithm
from gametree.core.game import MAX, Game
from gametree.core.record import TreeRecord
from gametree.core.result import SearchResult
from gametree.search.support.leaves import no_moves
from gametree.search.support.memory import recall
from gametree.search.support.run import CHECK_EVERY, Clock, Line, Run
from gametree.search.support.state_table import Entry, Table

__all__ = ["ALGORITHM", "search"]

ALGORITHM = Algorithm(
    name="table",
    title="Alpha-beta with a transposition table",
    source="Greenblatt, Eastlake and Crocker (1967); Marsland (1986)",
)


def search(
    game: Game[Any, Any],
    state: Any = None,
    *,
    depth: int | None = None,
    clock: Clock | None = None,
    record: TreeRecord | None = None,
    size: int = 1_000_000,
    memory: dict[str, Any] | None = None,
) -> SearchResult:
    """Return the minimax value and a best move, to `depth` plies or to the end of the game.

    The table keeps at most `size` states. Give the same dictionary as `memory` to the next search of the same game and
    it finds this one's table. `details` hold `hits` (values taken from the table) and `stored` (states in it).
    Raises UnfitGame, BadInput, GameError, and OutOfTime if the clock stops it.
    """
    run = Run(ALGORITHM, game, state, depth=depth, clock=clock, record=record)
    game = run.game
    actions, result, player = game.actions, game.result, game.player
    is_terminal = game.is_terminal
    utility, evaluate = run.leaf_values()
    table = recall(memory, "table", lambda: Table(size))
    nodes = leaves = hits = 0
    lowest = run.depth

    def value_of(state: Any, alpha: float, beta: float, depth: int) -> tuple[float, Line]:
        """Return v and best play: v is the value inside the window; the value is ≤ v if v ≤ alpha, ≥ v if v ≥ beta."""
        nonlocal nodes, leaves, lowest, hits
        nodes += 1
        if clock is not None and not nodes & CHECK_EVERY:
            clock.check(nodes)
        lowest = min(lowest, depth)

        # 1. TERMINAL-TEST and CUTOFF-TEST.
        if is_terminal(state):
            leaves += 1
            return utility(state), None
        if depth == 0:
            leaves += 1
            return evaluate(state), None

        # 2. The table may settle the matter, or at least name a move to begin with.
        moves = actions(state)
        entry = table.get(state)
        if entry is not None:
            if entry.holds(depth) and entry.settles(alpha, beta):
                hits += 1
                if not entry.solved:  # a line from here was ended by the cut-off test, now or in an earlier search
                    run.horizon += 1
                    lowest = min(lowest, 0)
                if record is not None:
                    record.mark("table")
                return entry.value, entry.line
            if entry.line is not None:
                first = entry.line[0]
                moves = [first, *(action for action in moves if action != first)]

        # 3. Alpha-beta.
        seat = player(state)
        low, high, before = alpha, beta, run.horizon
        best = -inf if seat == MAX else inf
        line: Line = None
        for action in moves:
            child = result(state, action)
            if record is not None:
                record.enter(child, action, alpha, beta)
            value, reply = value_of(child, alpha, beta, depth - 1)
            if record is not None:
                record.leave(value)
            if value > best if seat == MAX else value < best:
                best, line = value, (action, reply)
                if seat == MAX:
                    alpha = max(alpha, best)
                else:
                    beta = min(beta, best)
                if alpha >= beta:
                    break

        if line is None:
            raise no_moves(game, state)

        # 4. Store what was found.
        bound = "upper" if best <= low else "lower" if best >= high else "exact"
        table.store(state, Entry(best, bound, depth, run.horizon == before, line))
        return best, line

    with run.root():
        value, line = value_of(run.state, -inf, inf, run.depth)
        run.close_root(value)
    return run.finish(
        value, line, nodes=nodes, leaves=leaves, selective=run.depth - lowest, hits=hits, stored=len(table)
    )
