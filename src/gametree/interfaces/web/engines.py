"""Analysts for any game: which algorithm, and what a value means as a winning chance."""

from __future__ import annotations

import inspect
from collections import OrderedDict
from typing import Any

from gametree.core.clock import Clock
from gametree.core.game import Game
from gametree.core.registry import algorithm_names, load_algorithm, load_session
from gametree.core.result import SearchResult
from gametree.play.analysis import analyse, default_algorithm, fits

__all__ = ["chance_of", "end_in_words", "fitting", "search_within"]

_TABLE_MIB = 32
_MOST_SESSIONS = 6
"""Sessions with their tables and trees that a process keeps."""

_sessions: OrderedDict[tuple[str, str], Any] = OrderedDict()


def fitting(game: Game[Any, Any]) -> list[str]:
    """Algorithms that can search the game and obey a clock, the one that fits best first."""
    best = default_algorithm(game)
    names = [best]
    for name in algorithm_names():
        facts, _ = load_algorithm(name)
        timely = facts.anytime or (facts.takes_depth and game.offers("evaluate"))
        if name != best and timely and fits(facts, game):
            names.append(name)
    return names


def search_within(
    game: Game[Any, Any], state: Any, clock: Clock, *, algorithm: str = "", lines: int = 1, **options: Any
) -> SearchResult:
    """Search until the clock expires; an algorithm that keeps what it learns stays warm between requests.

    `lines` and `options` are for algorithms that take them.
    """
    name = algorithm or default_algorithm(game)
    facts, search = load_algorithm(name)
    if not (facts.keeps and fits(facts, game)):
        return analyse(game, state, algorithm=name, clock=clock)
    taken = inspect.signature(search).parameters
    key = (game.name, name)
    if key not in _sessions:
        size = {"table_mib": _TABLE_MIB} if "table_mib" in taken else {}
        _sessions[key] = load_session(name)(game, **size)
        while len(_sessions) > _MOST_SESSIONS:
            _sessions.popitem(last=False)
    _sessions.move_to_end(key)
    given = {key: value for key, value in {"lines": lines, **options}.items() if key in taken}
    result: SearchResult = _sessions[key].search(state, clock=clock, **given)
    return result


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
    return min(1.0, max(0.0, game.winning_chance(value)))


def _linear(game: Game[Any, Any], value: float) -> float:
    facts = game.facts
    return (value - facts.min_utility) / (facts.max_utility - facts.min_utility)
