"""Alpha-beta that asks EVAL only where the position is calm: beyond its depth it follows the noisy moves.

Source: Shannon, "Programming a computer for playing chess" (1950), section 4; Harris, "The heuristic search and the
game of chess" (1975); the stand-pat form is that of Beal, "A generalised quiescence search algorithm" (1990).

    function QUIESCE(state, α, β)                                for MAX; MIN likewise
        if TERMINAL-TEST(state) then return UTILITY(state)
        v ← EVAL(state)                                          stand pat: nobody is forced to make a noisy move
        if v ≥ β then return v
        for each a in NOISY-ACTIONS(state) do
            v ← MAX(v, QUIESCE(RESULT(state, a), MAX(α, v), β))
            if v ≥ β then return v
        return v

Where every legal move is noisy the mover cannot stand pat, and only the moves count. The horizon effect, a loss pushed
out of sight by a delaying move, is cured as far as the loss is noisy. The value is an estimate.
"""

from __future__ import annotations

from math import inf
from typing import Any

from gametree.core.errors import BadInput
from gametree.core.facts import Algorithm
from gametree.core.game import MAX, Game
from gametree.core.record import TreeRecord
from gametree.core.result import SearchResult
from gametree.search.support.leaves import no_moves
from gametree.search.support.run import CHECK_EVERY, Clock, Line, Run

__all__ = ["ALGORITHM", "search"]

ALGORITHM = Algorithm(
    name="quiescence",
    title="Alpha-beta with quiescence search",
    source="Shannon (1950); Harris (1975); Beal (1990)",
    exact=False,
    needs=("noisy_actions",),
)


def search(
    game: Game[Any, Any],
    state: Any = None,
    *,
    depth: int | None = None,
    clock: Clock | None = None,
    record: TreeRecord | None = None,
    longest: int | None = None,
) -> SearchResult:
    """Return the value of `depth` plies of any moves and then noisy ones until it is calm, and a move that gets it.

    `longest` ends a line of noisy moves after this many plies. `details` hold `quiet_nodes`: nodes beyond `depth`.
    Raises UnfitGame, BadInput, GameError, and OutOfTime if the clock stops it.
    """
    run = Run(ALGORITHM, game, state, depth=depth, clock=clock, record=record)
    if longest is not None and longest < 0:
        raise BadInput(f"longest={longest} is not possible; expected 0 or more plies of noisy moves.")
    game = run.game
    actions, noisy_actions, result, player = game.actions, game.noisy_actions, game.result, game.player
    is_terminal = game.is_terminal
    utility, evaluate = run.leaf_values()
    nodes = leaves = deepest = beyond = 0

    def value_of(state: Any, alpha: float, beta: float, depth: int, ply: int) -> tuple[float, Line]:
        """Return v and best play, as alpha-beta does; below `depth` 0 plies the search is QUIESCE."""
        nonlocal nodes, leaves, deepest, beyond
        nodes += 1
        if clock is not None and not nodes & CHECK_EVERY:
            clock.check(nodes)
        deepest = max(deepest, ply)

        # 1. TERMINAL-TEST.
        if is_terminal(state):
            leaves += 1
            return utility(state), None
        seat = player(state)
        best = -inf if seat == MAX else inf
        line: Line = None

        # 2. The cut-off test: from here on noisy moves only, unless the mover stands pat.
        quiet = run.depth >= 0 and ply >= run.depth
        moves = actions(state)
        if not moves:
            raise no_moves(game, state)
        if quiet:
            if ply > run.depth:
                beyond += 1
            everything = len(moves)
            moves = noisy_actions(state) if longest is None or ply < run.depth + longest else ()
            if len(moves) < everything:
                best = evaluate(state)
                leaves += not moves
                if seat == MAX:
                    alpha = max(alpha, best)
                else:
                    beta = min(beta, best)
            if moves and record is not None:
                record.mark("quiescence")

        # 3. Alpha-beta over the moves.
        for action in moves:
            if alpha >= beta:
                break
            child = result(state, action)
            if record is not None:
                record.enter(child, action, alpha, beta)
            value, reply = value_of(child, alpha, beta, depth - 1, ply + 1)
            if record is not None:
                record.leave(value)
            if value > best if seat == MAX else value < best:
                best, line = value, (action, reply)
                if seat == MAX:
                    alpha = max(alpha, best)
                else:
                    beta = min(beta, best)
        return best, line

    with run.root():
        value, line = value_of(run.state, -inf, inf, run.depth, 0)
        run.close_root(value)
    horizon = run.horizon > 0
    return run.finish(value, line, nodes=nodes, leaves=leaves, selective=deepest, horizon=horizon, quiet_nodes=beyond)
