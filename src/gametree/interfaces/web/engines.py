"""Players and analysts for any game: which algorithm, how strong, and what a value means as a winning chance."""

from __future__ import annotations

import random
from collections import OrderedDict
from typing import Any

from gametree.core.clock import Clock
from gametree.core.errors import OutOfTime
from gametree.core.game import SIMULTANEOUS, Game
from gametree.core.registry import algorithm_names, load_algorithm
from gametree.core.result import SearchResult
from gametree.play.analysis import analyse, default_algorithm, fits, is_compiled
from gametree.play.strength import LEVELS, LimitedEngine, read_level, winning_chance

__all__ = ["LEVELS", "chance_of", "choose_move", "end_in_words", "engine_for", "fitting", "search_within"]

_TABLE_MIB = 32
_MOST_ENGINES = 6
"""Engines with their tables that a process keeps."""

_engines: OrderedDict[str, Any] = OrderedDict()
_lots = random.SystemRandom()

# How often a player of a level moves without looking, for games that the compiled engine does not search.
_OVERSIGHT = {"beginner": 0.45, "casual": 0.25, "club": 0.12, "expert": 0.05, "master": 0.02, "full": 0.0}


def fitting(game: Game[Any, Any]) -> list[str]:
    """Algorithms that can search the game and obey a clock, the one that fits best first."""
    best = default_algorithm(game)
    names = [best]
    for name in algorithm_names():
        facts, _ = load_algorithm(name)
        timely = facts.anytime or (facts.takes_depth and game.offers("evaluate"))
        if name == best or not timely or not fits(facts, game):
            continue
        if (name.startswith("fast-") and not is_compiled(game)) or (name == "engine" and engine_for(game) is None):
            continue
        names.append(name)
    return names


def engine_for(game: Game[Any, Any]) -> Any:
    """The compiled engine with a table that stays warm between requests; None if the game is not for it."""
    from gametree.kernels.compiled_game import CompiledGame

    if not isinstance(game, CompiledGame) or game.facts.chance or not game.offers("evaluate"):
        return None
    if game.name not in _engines:
        from gametree.search.engine import Engine

        _engines[game.name] = Engine(game, table_mib=_TABLE_MIB)
        while len(_engines) > _MOST_ENGINES:
            _engines.popitem(last=False)
    _engines.move_to_end(game.name)
    return _engines[game.name]


def search_within(
    game: Game[Any, Any], state: Any, clock: Clock, *, algorithm: str = "", lines: int = 1, **options: Any
) -> SearchResult:
    """Search until the clock expires, with the warm engine where it is the one to use."""
    name = algorithm or default_algorithm(game)
    engine = engine_for(game) if name == "engine" else None
    if engine is not None:
        result: SearchResult = engine.search(state, clock=clock, lines=lines, **options)
        return result
    return analyse(game, state, algorithm=name, clock=clock)


def choose_move(
    game: Game[Any, Any], state: Any, seat: int, *, algorithm: str, level: str, clock: Clock
) -> dict[str, Any]:
    """A move for the seat as text, with what it is worth to the seat as a winning chance."""
    joint = game.player(state) == SIMULTANEOUS
    if not joint and level != "full" and not algorithm and engine_for(game) is not None:
        limited = LimitedEngine(game, read_level(level), seed=_lots.randrange(1 << 30))
        action, result = limited.choose(state, clock=clock)
    elif _lots.random() < _OVERSIGHT.get(level, 0.0):
        action, result = _lots.choice(list(game.seat_actions(state, seat))), None
    else:
        try:
            result = search_within(game, state, clock, algorithm=algorithm)
            action = result.move[seat] if joint else result.move
        except OutOfTime:  # an algorithm that answers only when it is done
            action, result = _lots.choice(list(game.seat_actions(state, seat))), None
    text = str(action) if joint else game.action_text(state, action)
    if result is None:
        return {"text": text, "chance": None, "end": ""}
    return {
        "text": text,
        "chance": chance_of(game, result, seat),
        "end": end_in_words(game, result.details.get("mate")),
    }


def end_in_words(game: Game[Any, Any], mate: int | None) -> str:
    """What `details["mate"]` says of the seat to move; nothing where no end of the game is seen."""
    if mate is None:
        return ""
    won, lost = ("mate in", "mated in") if game.name.partition(":")[0] == "chess" else ("wins in", "loses in")
    return f"{won if mate > 0 else lost} {abs(mate)}"


def chance_of(game: Game[Any, Any], result: SearchResult, seat: int) -> float | None:
    """The result as the seat's expected share of the point, 0 to 1; None where the game has no such share."""
    facts = game.facts
    if result.values is not None:
        value = result.values[seat]
    elif result.player == seat:
        value = result.value
    elif facts.players == 2 and facts.utility_sum is not None:
        value = facts.utility_sum - result.value
    else:
        return None
    if facts.players != 2:
        return (value - facts.min_utility) / (facts.max_utility - facts.min_utility)
    middle = (facts.max_utility + facts.min_utility) / 2
    if result.bound == "exact":
        return 0.5 + (value > middle) / 2 - (value < middle) / 2 if not facts.chance else _linear(game, value)
    return min(1.0, max(0.0, winning_chance(game, value)))


def _linear(game: Game[Any, Any], value: float) -> float:
    facts = game.facts
    return (value - facts.min_utility) / (facts.max_utility - facts.min_utility)
