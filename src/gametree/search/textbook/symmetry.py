"""Alpha-beta that merges equivalent states: of moves that lead to mirror images of each other only one is tried.

Source: Russell and Norvig, *Artificial Intelligence*, section 5.3.1, with states merged by symmetry as lectures show it
on the first moves of tic-tac-toe, where four corners are one.

    at every node
        if the table knows CANONICAL(state) to the same depth and its bound settles (α, β) then return its value
        for each a in ACTIONS(state) do
            if a successor with the same CANONICAL was tried already then refuse a
            otherwise search it as alpha-beta does

CANONICAL(s) is one and the same state for all states that a symmetry of the board turns into each other. EVAL must
not tell equivalent states apart, or a limited look-ahead finds the value of one of them for all.
"""

from __future__ import annotations

from math import inf
from typing import Any

from gametree.core.facts import Algorithm
from gametree.core.game import MAX, Game
from gametree.core.record import TreeRecord
from gametree.core.result import SearchResult
from gametree.search.support.leaves import no_moves
from gametree.search.support.run import CHECK_EVERY, Clock, Line, Run, unroll
from gametree.search.support.state_table import Entry, Table

__all__ = ["ALGORITHM", "search"]

ALGORITHM = Algorithm(
    name="symmetry",
    title="Alpha-beta with symmetric states merged",
    source="Russell and Norvig, section 5.3.1",
    needs=("symmetries",),
)


def search(
    game: Game[Any, Any],
    state: Any = None,
    *,
    depth: int | None = None,
    clock: Clock | None = None,
    record: TreeRecord | None = None,
    size: int = 1_000_000,
) -> SearchResult:
    """Return the minimax value and a best move, to `depth` plies or to the end of the game.

    The table keeps at most `size` classes of equivalent states. `details` hold `merged` (moves refused), `hits`
    (values taken from the table) and `stored` (classes in it).
    Raises UnfitGame, BadInput, GameError, and OutOfTime if the clock stops it.
    """
    run = Run(ALGORITHM, game, state, depth=depth, clock=clock, record=record)
    game = run.game
    actions, result, player, canonical = game.actions, game.result, game.player, game.canonical
    is_terminal = game.is_terminal
    utility, evaluate = run.leaf_values()
    table = Table(size)
    nodes = leaves = hits = merged = 0
    lowest = run.depth

    def value_of(state: Any, key: Any, alpha: float, beta: float, depth: int) -> tuple[float, Line]:
        """Return v and best play as alpha-beta does; `key` is the state's canonical form."""
        nonlocal nodes, leaves, lowest, hits, merged
        nodes += 1
        if clock is not None and not nodes & CHECK_EVERY:
            clock.check(nodes)
        lowest = min(lowest, depth)
        if is_terminal(state):
            leaves += 1
            return utility(state), None
        if depth == 0:
            leaves += 1
            return evaluate(state), None
        entry = table.get(key)
        if entry is not None and entry.holds(depth) and entry.settles(alpha, beta):
            hits += 1
            run.horizon += not entry.solved
            if record is not None:
                record.mark("table")
            return entry.value, None
        seat = player(state)
        low, high, before = alpha, beta, run.horizon
        best = -inf if seat == MAX else inf
        line: Line = None
        tried = set()
        for action in actions(state):
            child = result(state, action)
            child_key = canonical(child)
            if child_key in tried:
                merged += 1
                if record is not None:
                    record.skip(action, "refused")
                continue
            tried.add(child_key)
            if record is not None:
                record.enter(child, action, alpha, beta)
            value, reply = value_of(child, child_key, alpha, beta, depth - 1)
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
        bound = "upper" if best <= low else "lower" if best >= high else "exact"
        # The line is one of this state, not of its mirror images, so the state is kept with it.
        table.store(key, Entry(best, bound, depth, run.horizon == before, (state, line)))
        return best, line

    def prolong(line: Line) -> list[Any]:
        """Carry on best play where it ends at a state whose value came from the table.

        The line stored there is that of a mirror image; at each step the move that leads to the same class is taken.
        """
        variation = list(unroll(line))
        here, depth = run.state, run.depth
        for action in variation:
            here, depth = result(here, action), depth - 1
        while depth and not is_terminal(here):
            entry = table.get(canonical(here))
            if entry is None or entry.bound != "exact" or not entry.holds(depth) or entry.line[1] is None:
                break
            image, (mirrored, _) = entry.line
            wanted = canonical(result(image, mirrored))
            action = next(action for action in actions(here) if canonical(result(here, action)) == wanted)
            variation.append(action)
            here, depth = result(here, action), depth - 1
        return variation

    with run.root():
        value, line = value_of(run.state, canonical(run.state), -inf, inf, run.depth)
        run.close_root(value)
        variation = prolong(line)
    return run.finish(
        value,
        variation,
        nodes=nodes,
        leaves=leaves,
        selective=run.depth - lowest,
        merged=merged,
        hits=hits,
        stored=len(table),
    )
