"""Run any algorithm by name and parameters under any limit: `alphabeta`, `mcts:simulations=1000,seed=3`."""

from __future__ import annotations

import sys
from typing import Any

from gametree.core.clock import Clock
from gametree.core.errors import BadInput, UnfitGame
from gametree.core.facts import Algorithm, check_fit
from gametree.core.game import Game
from gametree.core.record import TreeRecord
from gametree.core.registry import load_algorithm
from gametree.core.result import SearchResult
from gametree.core.specification import convert, parse_specification

__all__ = ["FRAME", "analyse", "default_algorithm", "fits", "is_compiled"]

FRAME = frozenset({"game", "state", "clock", "record", "window", "memory", "progress", "parameters", "table"})
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
) -> SearchResult:
    """Search with the algorithm that the text names, by default one that fits the game.

    An algorithm that only answers when it is done is driven by iterative deepening where there is a limit on time or
    nodes. Raises UnknownName, BadInput, UnfitGame, OutOfTime.
    """
    specification = parse_specification(algorithm or default_algorithm(game))
    facts, search = load_algorithm(specification.name)
    options = convert(search, specification, besides=FRAME)
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
    """The name of an algorithm that fits the game and answers in a moment or under a clock."""
    facts = game.facts
    if facts.hidden or facts.simultaneous:
        return "montecarlo"
    short = facts.longest_game is not None and facts.longest_game <= 9
    if not short and is_compiled(game):
        return "fast-mcts" if facts.chance or not game.offers("evaluate") else "engine"
    if facts.chance:
        return "expectiminimax" if short and facts.players == 2 else "mcts"
    if facts.players != 2:
        return "maxn" if short else "mcts"
    if facts.utility_sum is None:
        return "maxn"
    if short or not game.offers("evaluate"):
        return "alphabeta"
    return "deepening"


def is_compiled(game: Game[Any, Any]) -> bool:
    """Whether the game's rules are verbs on a struct; told without importing the compiler room for other games."""
    room = sys.modules.get("gametree.kernels.compiled_game")
    return room is not None and isinstance(game, room.CompiledGame)


def fits(algorithm: Algorithm, game: Game[Any, Any]) -> bool:
    """Whether the algorithm can search the game."""
    try:
        check_fit(algorithm, game)
    except UnfitGame:
        return False
    return True
