"""Run any algorithm by name and parameters under any limit: `alphabeta`, `mcts:simulations=1000,seed=3`."""

from __future__ import annotations

import inspect
from typing import Any

from gametree.core.clock import Clock
from gametree.core.errors import BadInput, UnfitGame
from gametree.core.facts import Algorithm, check_fit
from gametree.core.game import Game
from gametree.core.record import TreeRecord
from gametree.core.registry import algorithm_names, load_algorithm
from gametree.core.result import SearchResult
from gametree.core.specification import convert, parse_specification
from gametree.play.solved import solved, takes_tables

__all__ = ["FRAME", "analyse", "default_algorithm", "fits"]

FRAME = frozenset({"game", "state", "clock", "record", "window", "memory", "progress", "parameters", "table", "tables"})
"""Parameters of a search that its caller sets, not the user's text."""


def analyse(
    game: Game[Any, Any],
    state: Any = None,
    *,
    algorithm: str = "",
    depth: int | None = None,
    seconds: float | None = None,
    nodes: int | None = None,
    record: TreeRecord | None = None,
    clock: Clock | None = None,
    whole: bool = False,
) -> SearchResult:
    """Search with the algorithm that the text names, by default one that fits the game.

    An algorithm that only answers when it is done is driven by iterative deepening where there is a limit on time or
    nodes. With `whole`, a search that describes some candidates describes all. Raises UnknownName, BadInput, UnfitGame,
    OutOfTime.
    """
    specification = parse_specification(algorithm or default_algorithm(game))
    facts, search = load_algorithm(specification.name)
    options = convert(search, specification, besides=FRAME)
    if whole and "candidates" in inspect.signature(search).parameters:
        options.setdefault("candidates", None)
    known = solved(game) if takes_tables(search) and facts.compiled and fits(facts, game) else None
    if known is not None:
        at = game.initial() if state is None else state
        found = known.answer(at) if depth is None and record is None else None
        if found is not None:
            return found
        options["tables"] = known.tables
        kept = known.good_moves(at)
        if kept is not None and "moves" not in options and facts.name == "engine":
            options["moves"] = kept
    if depth is not None:
        if not facts.takes_depth:
            raise BadInput(f"{facts.name} has no depth to limit; leave --depth {depth} out.")
        options["depth"] = depth
    if clock is None and (seconds is not None or nodes is not None):
        clock = Clock(seconds, nodes=nodes)
    if clock is not None and not facts.anytime and facts.takes_depth and game.offers("evaluate"):
        check_fit(facts, game)
        options = {"algorithm": algorithm or specification.name, "depth": depth}
        search = load_algorithm("deepening")[1]
    result: SearchResult = search(game, state, clock=clock, record=record, **options)
    return result


def default_algorithm(game: Game[Any, Any]) -> str:
    """The name of an algorithm that fits the game and answers in a moment or under a clock: the one that says most
    gladly that it is for such a game.
    """
    ranked = []
    for name in algorithm_names(compiled=game.facts.compiled):
        facts, _ = load_algorithm(name)
        if facts.preference is not None:
            ranked.append((fits(facts, game), facts.preference(game), name))
    return max(ranked)[2]


def fits(algorithm: Algorithm, game: Game[Any, Any]) -> bool:
    """Whether the algorithm can search the game."""
    try:
        check_fit(algorithm, game)
    except UnfitGame:
        return False
    return True
