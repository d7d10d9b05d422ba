"""Iterative deepening: search 1 ply, then 2, then 3, until the time is up, and play what the last whole search found.

Source: Slate and Atkin, "CHESS 4.5" (1977); Korf, "Depth-first iterative-deepening" (1985); Russell and Norvig,
*Artificial Intelligence*, section 5.4.

    for depth = 1, 2, 3, ... do
        result ← search to depth
        if the search has no horizon then return result      the whole tree is known
        if time is up then return the last whole result

The early searches cost little beside the last one, and what they learn about the order of moves saves more than that.
"""

from __future__ import annotations

import copy
import dataclasses
import inspect
from typing import Any

from gametree.core.clock import Clock, search_time
from gametree.core.errors import BadInput, OutOfTime
from gametree.core.facts import Algorithm, check_fit
from gametree.core.game import Game
from gametree.core.record import TreeRecord
from gametree.core.registry import load_algorithm
from gametree.core.result import SearchResult
from gametree.core.specification import convert, parse_specification
from gametree.search.support.run import Run

__all__ = ["ALGORITHM", "search"]

ALGORITHM = Algorithm(
    name="deepening",
    title="Iterative deepening",
    source="Slate and Atkin (1977); Korf (1985); Russell and Norvig, section 5.4",
    sides=None,
    chance=True,
    general_sum=True,
    anytime=True,
    preference=lambda game: 20 if game.offers("evaluate") else 0,
)

_FRAME = frozenset({"game", "state", "clock", "record", "window", "memory"})


class _Rest(Clock):
    """What earlier iterations have left of a clock."""

    def __init__(self, clock: Clock, used: int) -> None:
        super().__init__(clock.seconds, nodes=None if clock.nodes is None else max(1, clock.nodes - used))
        self.started = clock.started
        self._clock = clock
        self._used = used

    def expired(self, nodes: int = 0) -> bool:
        """Whether the shared clock has expired, with the nodes of all iterations counted."""
        return self._clock.expired(self._used + nodes)


def search(
    game: Game[Any, Any],
    state: Any = None,
    *,
    depth: int | None = None,
    clock: Clock | None = None,
    record: TreeRecord | None = None,
    algorithm: str = "",
) -> SearchResult:
    """Return what the last completed iteration of `algorithm` found; the first iteration is always completed.

    `algorithm` is a name with parameters, such as `negascout` or `forward:keep=5`; by default `ordering`, with chance
    `star1`, and with other than two players or without a constant sum `maxn`. Ends after `depth` plies, when the clock
    is up, or when the whole tree is known. A game without EVAL is searched with the middle of its utilities in its
    place, unless `depth` is given.

    `complete` is False, and the value an estimate, if the clock ended the search; `depth` is that of the last completed
    iteration, which the record keeps. `details` hold `inner` (the algorithm) and `iterations` (depth, value for the
    mover, and nodes of each); `nodes` and `leaves` count all completed ones. Raises UnfitGame, UnknownName, BadInput.
    """
    run = Run(ALGORITHM, game, state, depth=depth, clock=clock, record=record)
    game = run.game
    specification = parse_specification(algorithm or _default(game))
    facts, inner = load_algorithm(specification.name)
    if not facts.takes_depth or facts.anytime:
        raise BadInput(
            f"deepening cannot drive '{specification.name}'; "
            "expected an algorithm that takes a depth and only answers when it is done."
        )
    check_fit(facts, game)
    options = convert(inner, specification, besides=_FRAME)
    last = options.pop("depth", None) if depth is None else depth
    if "memory" in inspect.signature(inner).parameters:
        options["memory"] = {}

    searched = game if game.offers("evaluate") else _with_middle(game)
    iterations: list[dict[str, Any]] = []
    nodes = leaves = selective = 0
    result: SearchResult | None = None
    complete = True
    plies = 0 if last == 0 else 1
    while True:
        # The first iteration runs without the clock, so that there is always an answer; it costs one look at each move.
        rest = None if clock is None or result is None else _Rest(clock, nodes)
        try:
            result = inner(searched, run.state, depth=plies, clock=rest, record=record, **options)
        except OutOfTime:
            complete = False
            if record is not None:
                record.abandon()
            break
        nodes += result.nodes
        leaves += result.leaves
        selective = max(selective, result.selective)
        iterations.append({"depth": plies, "value": result.value, "nodes": result.nodes})
        # A search that leaves out moves has a horizon for ever; it is done when no line was as long as allowed.
        if not result.horizon or (not facts.exact and result.selective < plies) or plies == last:
            break
        if game.facts.longest_game is not None and plies >= game.facts.longest_game:
            break
        if clock is not None and clock.expired(nodes):
            complete = False
            break
        plies += 1

    assert result is not None  # the first iteration has no clock to stop it
    if record is not None:
        record.algorithm = ALGORITHM.name
    return dataclasses.replace(
        result,
        algorithm=ALGORITHM.name,
        nodes=nodes,
        leaves=leaves,
        selective=selective,
        seconds=search_time() - run.started,
        complete=complete,
        details={**result.details, "inner": facts.name, "iterations": iterations},
    )


def _default(game: Game[Any, Any]) -> str:
    facts = game.facts
    if facts.players != 2 or facts.utility_sum is None:
        return "maxn"
    return "star1" if facts.chance else "ordering"


def _with_middle(game: Game[Any, Any]) -> Game[Any, Any]:
    """The game with the middle of its utilities as EVAL."""
    middle = (game.facts.min_utility + game.facts.max_utility) / 2
    estimated = copy.copy(game)
    vars(estimated)["evaluate"] = lambda state, player: middle
    return estimated
