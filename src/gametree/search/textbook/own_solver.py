"""A game's own solver: exact values of all moves by whatever the game itself brings, such as double dummy in bridge.

    function OWN-SOLVER(s)
        return the action with the highest value in SOLUTION(s)

What the solver does stands with the game; here it answers as every other search does.
"""

from __future__ import annotations

from typing import Any

from gametree.core.clock import Clock
from gametree.core.errors import BadInput, UnfitGame
from gametree.core.facts import Algorithm
from gametree.core.game import Game
from gametree.core.record import TreeRecord
from gametree.core.result import SearchResult
from gametree.search.support.run import Run

__all__ = ["ALGORITHM", "search"]

ALGORITHM = Algorithm(
    name="own-solver",
    title="The game's own solver",
    source="that of the game",
    chance=True,
    unlisted=True,
    takes_depth=False,
    records=False,
    needs=("solution",),
    preference=lambda game: 100 if game.offers("solution") else 0,
)


def search(
    game: Game[Any, Any],
    state: Any = None,
    *,
    depth: int | None = None,
    clock: Clock | None = None,
    record: TreeRecord | None = None,
) -> SearchResult:
    """The best action and its exact value; `details` hold the `values` of all actions, and what the solver adds.

    Raises OutOfTime if the clock expires first, UnfitGame where the game has no solution of the state, BadInput if a
    depth or a record is asked for.
    """
    if depth is not None or record is not None:
        raise BadInput("own-solver goes to the end of the game and keeps no tree; leave depth and record out.")
    run = Run(ALGORITHM, game, state, clock=clock)
    if run.terminal:
        return run.finish(run.game.utility(run.state, 0), None, nodes=1, leaves=1)
    solution = game.solution(run.state, clock)
    if solution is None:
        raise UnfitGame(
            f"own-solver cannot solve {game.name} here: the game has no exact answer for this position, which chance, "
            "hidden cards or an auction may be behind."
        )
    best = max(solution.values, key=solution.values.__getitem__)
    value = solution.values[best]
    texts = {game.action_text(run.state, action): worth for action, worth in solution.values.items()}
    return run.finish(
        value if run.seat == 0 else -value,
        [best],
        nodes=solution.nodes,
        horizon=False,
        moves=texts,
        **solution.details,
    )
