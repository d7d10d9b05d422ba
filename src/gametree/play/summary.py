"""What the games of an event come to: standings, cross table, ratings, as data for terminal, JSON and report."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from gametree.play.endings import REASONS
from gametree.play.events import Event, Finished, compare, groups_of
from gametree.play.ratings import Comparison, Ratings, rate
from gametree.play.statistics import strength

__all__ = ["comparisons", "rate_events", "summarise"]


def comparisons(event: Event, results: Iterable[Finished]) -> list[Comparison]:
    """The results as the ratings want them: every two players of every game, once."""
    found = []
    for result in results:
        for one, other, score in compare(result.seats, result.utilities):
            if one < other:
                found.append(Comparison(one, other, score, (event.key, result.group)))
    return found


def rate_events(
    events: Iterable[tuple[Event, Iterable[Finished]]], *, anchor: str | None = None, anchor_elo: float = 0.0
) -> Ratings:
    """One list of ratings from all the games of all the events."""
    games = [game for event, results in events for game in comparisons(event, results)]
    return rate(games, anchor=anchor, anchor_elo=anchor_elo)


def summarise(event: Event, results: Mapping[int, Finished]) -> dict[str, Any]:
    """Everything about an event, ready for JSON. It depends on the results alone, not on when they came in.

    `pairings` hold the Strength of the first player of each pairing; `standings` are by points.
    """
    games = [results[number] for number in sorted(results)]
    table: dict[str, dict[str, Any]] = {
        name: {"player": name, "games": 0, "wins": 0, "draws": 0, "losses": 0, "points": 0.0, "utility": 0.0}
        for name in event.players
    }
    cross: dict[str, dict[str, float]] = {name: {} for name in event.players}
    for game in games:
        scores: dict[str, list[float]] = {}
        for one, other, score in compare(game.seats, game.utilities):
            scores.setdefault(one, []).append(score)
            cross[one][other] = cross[one].get(other, 0.0) + score
        for name, own in scores.items():
            row, score = table[name], sum(own) / len(own)
            row["games"] += 1
            row["wins" if score > 0.5 else "losses" if score < 0.5 else "draws"] += 1
            row["points"] += score
            mine = [u for seat, u in zip(game.seats, game.utilities, strict=True) if seat == name]
            row["utility"] += sum(mine) / len(mine)
    for row in table.values():
        if row["games"]:
            row["utility"] /= row["games"]
    pairings = []
    for first, second in itertools.combinations(event.players, 2):
        groups = groups_of(games, first, second)
        if groups:
            pairings.append({"first": first, "second": second, **strength(groups).to_data()})
    reasons = Counter(game.reason for game in games)
    plies = [game.plies for game in games]
    return {
        "kind": event.kind,
        "game": event.game,
        "key": event.key,
        "players": list(event.players),
        "games": len(games),
        "standings": sorted(table.values(), key=lambda row: (-row["points"], event.players.index(row["player"]))),
        "cross_table": cross,
        "pairings": pairings,
        "reasons": {reason: reasons[reason] for reason in REASONS if reasons[reason]},
        "mean_plies": sum(plies) / len(plies) if plies else None,
        **rate(comparisons(event, games)).to_data(),
    }
