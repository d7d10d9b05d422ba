"""Strong solution: the value of every position that can be reached, each computed once.

Minimax over the graph of positions instead of the tree, after Michie's memo functions (1968): a position that was met
before is looked up. Allis (1994) calls a game strongly solved when the value of every legal position is known, weakly
solved when only that of the start is, with a strategy that reaches it.

    function VALUE(state)
        if state is in the memo then return memo[state]
        if TERMINAL-TEST(state) then v ← UTILITY(state)
        else v ← the best of VALUE(RESULT(state, a)) for the player to move, or the mean over chance
        memo[state] ← v
        return v
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gametree.core.clock import Clock
from gametree.core.errors import GameError
from gametree.core.facts import Algorithm
from gametree.core.game import CHANCE, MAX, Game
from gametree.core.record import TreeRecord
from gametree.core.result import SearchResult
from gametree.search.support.leaves import leaf_values
from gametree.search.support.run import CHECK_EVERY, Run

__all__ = ["ALGORITHM", "search", "strong_solution"]

ALGORITHM = Algorithm(
    name="strong",
    title="Strong solution (every reachable position)",
    source="Michie, Memo functions and machine learning (1968); Allis (1994)",
    chance=True,
    takes_depth=False,
    records=False,
)


def strong_solution(
    game: Game[Any, Any],
    state: Any = None,
    *,
    clock: Clock | None = None,
    record: TreeRecord | None = None,
    progress: Callable[[int], None] | None = None,
) -> dict[Any, float]:
    """The value for MAX of `state` and of every state that can be reached from it.

    Works iteratively, so depth is no limit; `progress` is called with the number of states now and then.
    Raises GameError if positions can repeat, OutOfTime.
    """
    return _solve(game, state, clock, record, progress)[0]


def _solve(
    game: Game[Any, Any],
    state: Any,
    clock: Clock | None,
    record: TreeRecord | None,
    progress: Callable[[int], None] | None = None,
) -> tuple[dict[Any, float], int]:
    """The strong solution, and the deepest ply at which a state was met for the first time."""
    memo: dict[Any, float] = {}
    utility, _ = leaf_values(game)
    deepest = 0
    root = game.initial() if state is None else state
    # The open states from the root down: state, its weight in the state above (its chance, else 1), the children that
    # are still to be visited, and the values of those that are done, each with its weight.
    frames: list[tuple[Any, float, list[tuple[Any, Any, float]], list[tuple[float, float]]]] = []
    on_path: set[Any] = set()

    def open_frame(state: Any, weight: float) -> None:
        """Start on a state that is not in the memo; terminal ones are done at once."""
        if game.is_terminal(state):
            memo[state] = utility(state)
            return
        if game.player(state) == CHANCE:
            below = [(action, game.result(state, action), chance) for action, chance in game.outcomes(state)]
        else:
            below = [(action, child, 1.0) for action, child in game.successors(state)]
        frames.append((state, weight, below[::-1], []))
        on_path.add(state)

    open_frame(root, 1.0)
    while frames:
        state, own_weight, below, values = frames[-1]
        if below:
            action, child, weight = below.pop()
            if child in on_path:
                raise GameError(f"{game.name} has no strong solution: '{game.state_text(child)}' can come about twice.")
            if record is not None:
                record.enter(child, action)
            known = child in memo
            if not known:
                deepest = max(deepest, len(frames))
                open_frame(child, weight)
            if child in memo:
                values.append((memo[child], weight))
                if record is not None:
                    record.leave(memo[child], reason="table" if known and not game.is_terminal(child) else None)
            continue
        frames.pop()
        on_path.discard(state)
        mover = game.player(state)
        if mover == CHANCE:
            memo[state] = sum(value * weight for value, weight in values)
        else:
            memo[state] = (max if mover == MAX else min)(value for value, _ in values)
        if frames:
            frames[-1][3].append((memo[state], own_weight))
            if record is not None:
                record.leave(memo[state])
        if not len(memo) & CHECK_EVERY:
            if clock is not None:
                clock.check(len(memo))
            if progress is not None:
                progress(len(memo))
    return memo, deepest


def search(
    game: Game[Any, Any],
    state: Any = None,
    *,
    clock: Clock | None = None,
    record: TreeRecord | None = None,
) -> SearchResult:
    """Return the exact value and a best move; details hold the number of positions and how many have each value."""
    run = Run(ALGORITHM, game, state, clock=clock, record=record)
    game = run.game
    with run.root():
        memo, deepest = _solve(game, run.state, clock, record)
        run.close_root(memo[run.state])
    line, position = [], run.state
    while not game.is_terminal(position) and game.player(position) != CHANCE:
        action = next(a for a, child in game.successors(position) if memo[child] == memo[position])
        line.append(action)
        position = game.result(position, action)
    leaves = sum(game.is_terminal(position) for position in memo)
    return run.finish(memo[run.state], line, nodes=len(memo), leaves=leaves, selective=deepest, positions=len(memo))
