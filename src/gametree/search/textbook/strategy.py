"""A whole strategy: a move for every position that the player can come to, whatever the others reply.

Source: Russell and Norvig, *Artificial Intelligence*, section 5.2: the solution of a game is not a line of moves but a
contingent strategy, which is optimal if it does at least as well as any other against a perfect opponent.

    solve every state below the root once (minimax; with chance, expectiminimax)
    walk from the root: at the player's own states along one best move, elsewhere along every move and every outcome
    the strategy is the move at each own state that the walk comes to

A solved state is remembered, so the same state reached in several ways costs once and has one move. The strategy is
also right off the main line: it answers a mistake with the best move against it.
"""

from __future__ import annotations

from collections import deque
from math import fsum, inf
from typing import Any

from gametree.core.errors import GameError
from gametree.core.facts import Algorithm
from gametree.core.game import CHANCE, MAX, Game
from gametree.core.record import TreeRecord
from gametree.core.result import SearchResult
from gametree.search.support.leaves import no_moves
from gametree.search.support.run import CHECK_EVERY, Clock, Run

__all__ = ["ALGORITHM", "search", "strategy"]

ALGORITHM = Algorithm(
    name="strategy",
    title="Extraction of a whole strategy",
    source="Russell and Norvig, section 5.2",
    chance=True,
    records=False,
)


def search(
    game: Game[Any, Any],
    state: Any = None,
    *,
    depth: int | None = None,
    clock: Clock | None = None,
    record: TreeRecord | None = None,
) -> SearchResult:
    """Return the value, a best move, and in `details["strategy"]` the number of positions that the strategy covers.

    The record shows the strategy as a tree: the player's own other moves are refused, every reply is followed.
    Raises UnfitGame, GameError if the game can come back to a state, and OutOfTime if the clock stops it.
    """
    solver = _Solver(Run(ALGORITHM, game, state, depth=depth, clock=clock, record=record))
    value, moves = solver.solve()
    return solver.run.finish(
        value,
        solver.principal_variation(),
        nodes=solver.nodes,
        leaves=solver.leaves,
        selective=solver.deepest,
        strategy=len(moves),
    )


def strategy(
    game: Game[Any, Any], state: Any = None, *, depth: int | None = None, clock: Clock | None = None
) -> dict[Any, Any]:
    """Return state → move for every state in which the player to move at `state` may have to choose.

    Whoever follows it gets at least the value of `state` against any play (on average, where there is chance). At a
    chance node the strategy is seat 0's. With `depth` it ends so many plies on, and its value is that of EVAL there.
    States come in the order of the plies. Raises as `search` does.
    """
    return _Solver(Run(ALGORITHM, game, state, depth=depth, clock=clock)).solve()[1]


class _Solver:
    """Solves all states below the root, then walks along the strategy."""

    def __init__(self, run: Run) -> None:
        self.run = run
        self._utility, self._evaluate = run.leaf_values()
        self.nodes = self.leaves = self.deepest = 0
        # (state, plies to go) → value for MAX and best action. To the end of the game the plies do not matter.
        self._solved: dict[tuple[Any, int], tuple[float, Any]] = {}
        self._open: set[tuple[Any, int]] = set()

    def solve(self) -> tuple[float, dict[Any, Any]]:
        """The value of the root for MAX, and the strategy."""
        with self.run.root():
            value = self._value_of(self.run.state, self.run.depth, 0)
            moves = self._walk()
            if self.run.record is not None:
                self._show(self.run.state, self.run.depth)
            self.run.close_root(value)
        return value, moves

    def principal_variation(self) -> list[Any]:
        """Best play of both from the root, up to the first chance node."""
        line, state, depth = [], self.run.state, self.run.depth
        while (state, depth) in self._solved:
            action = self._solved[state, depth][1]
            if action is None:
                break
            line.append(action)
            state, depth = self.run.game.result(state, action), _less(depth)
        return line

    def _value_of(self, state: Any, depth: int, ply: int) -> float:
        """The value for MAX, as minimax and expectiminimax define it."""
        game, clock = self.run.game, self.run.clock
        known = self._solved.get((state, depth))
        if known is not None:
            return known[0]
        self.nodes += 1
        if clock is not None and not self.nodes & CHECK_EVERY:
            clock.check(self.nodes)
        self.deepest = max(self.deepest, ply)
        if game.is_terminal(state) or depth == 0:
            self.leaves += 1
            value = self._utility(state) if game.is_terminal(state) else self._evaluate(state)
            self._solved[state, depth] = value, None
            return value
        if (state, depth) in self._open:
            raise GameError(
                f"{game.name} can come back to '{game.state_text(state)}', so that its tree has no end; "
                "strategy needs a depth here."
            )
        self._open.add((state, depth))
        mover = game.player(state)
        best, choice = -inf if mover == MAX else inf, None
        if mover == CHANCE:
            best = fsum(
                [p * self._value_of(game.result(state, a), _less(depth), ply + 1) for a, p in game.outcomes(state)]
            )
        else:
            for action in game.actions(state):
                value = self._value_of(game.result(state, action), _less(depth), ply + 1)
                if value > best if mover == MAX else value < best:
                    best, choice = value, action
            if choice is None:
                raise no_moves(game, state)
        self._open.remove((state, depth))
        self._solved[state, depth] = best, choice
        return best

    def _walk(self) -> dict[Any, Any]:
        """The strategy of the player at the root, in the order in which a walk meets the states."""
        game, seat = self.run.game, self.run.seat
        moves: dict[Any, Any] = {}
        met = {(self.run.state, self.run.depth)}
        todo = deque(met)
        while todo:
            state, depth = todo.popleft()
            if game.is_terminal(state) or depth == 0:
                continue
            if game.player(state) == seat:
                choice = self._solved[state, depth][1]
                # With a limited depth a state may be met again nearer to the limit; breadth first, the longest
                # look-ahead comes first.
                moves.setdefault(state, choice)
                follow = [choice]
            else:
                follow = list(game.actions(state))
            for action in follow:
                place = (game.result(state, action), _less(depth))
                if place not in met:
                    met.add(place)
                    todo.append(place)
        return moves

    def _show(self, state: Any, depth: int) -> None:
        """Write the strategy into the record below the node that is open."""
        game, record = self.run.game, self.run.record
        if record is None or record.truncated or game.is_terminal(state) or depth == 0:
            return
        mine = game.player(state) == self.run.seat
        choice = self._solved[state, depth][1]
        for action in game.actions(state):
            if mine and action != choice:
                record.skip(action, "refused")
                continue
            child = game.result(state, action)
            record.enter(child, action)
            self._show(child, _less(depth))
            record.leave(self._solved[child, _less(depth)][0])


def _less(depth: int) -> int:
    """One ply less to go; without a limit it stays so, and a state is the same however late it is reached."""
    return depth - 1 if depth > 0 else depth
