"""Ratings of many players from all their games: maximum likelihood with error bars.

Model: the score of i against j has the mean 1 / (1 + 10^((R_j − R_i)/400)), a draw counts as half a win and half a
loss, and the variance is the binomial one times a common factor φ, which the results tell. So ratings mean the same as
the Elo difference of a match, whatever the rate of draws.

Sources
    Likelihood: Bradley and Terry, "Rank analysis of incomplete block designs" (1952); Zermelo (1929).
    When it has a maximum: Ford, "Solution of a ranking problem from binary comparisons" (1957): nobody may have won or
        lost everything, in the sense that every player must be connected to every other by a chain of points won.
        Where that fails, one imagined draw is added to every pairing, and the answer says so.
    Error bars: the inverse of the Fisher information, times φ, the quasi-likelihood of Wedderburn (1974) with the
        residuals summed over groups of dependent games, as in Liang and Zeger, "Longitudinal data analysis using
        generalized linear models" (1986). φ is drawn towards 1 by one imagined group.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any, NamedTuple

from gametree.core.errors import UnknownName, suggest

__all__ = ["Comparison", "Rating", "Ratings", "rate"]

_SCALE = math.log(10) / 400


class Comparison(NamedTuple):
    """The score of `first` against `second` in one game; games with the same group depend on each other."""

    first: str
    second: str
    score: float
    group: Hashable


@dataclass(frozen=True)
class Rating:
    """A player's place in the list."""

    player: str
    elo: float
    error: float
    """Half the width of the 95 % interval; 0 for the anchor."""
    games: int
    """Comparisons that the player took part in."""
    score: float
    draw_rate: float
    superiority: float | None
    """Chance that it is stronger than the next in the list; None for the last."""


@dataclass(frozen=True)
class Ratings:
    """All ratings, best first."""

    table: tuple[Rating, ...]
    imagined: bool
    """Whether draws had to be imagined because somebody won or lost everything."""
    dispersion: float
    """φ: the variance of the scores over that of coin tosses."""

    def to_data(self) -> dict[str, Any]:
        """As JSON-ready data."""
        rows = [
            {
                "player": row.player,
                "elo": row.elo,
                "error": row.error,
                "games": row.games,
                "score": row.score,
                "draw_rate": row.draw_rate,
                "superiority": row.superiority,
            }
            for row in self.table
        ]
        return {"ratings": rows, "imagined_draws": self.imagined, "dispersion": self.dispersion}


def rate(comparisons: Iterable[Comparison], *, anchor: str | None = None, anchor_elo: float = 0.0) -> Ratings:
    """The ratings of all players who appear, with the anchor's fixed or, without one, with a mean of `anchor_elo`.

    Without an anchor the error bars are those of the distance from the mean. Raises UnknownName.
    """
    import numpy as np

    data = list(comparisons)
    names = sorted({name for game in data for name in game[:2]})
    if anchor is not None and anchor not in names:
        raise UnknownName(f"No player called '{anchor}' has played.{suggest(anchor, names)}")
    if not names:
        return Ratings((), False, 1.0)
    index = {name: place for place, name in enumerate(names)}
    size = len(names)
    games = np.zeros((size, size))
    points = np.zeros((size, size))
    drawn = np.zeros(size)
    for first, second, score, _ in data:
        i, j = index[first], index[second]
        if i != j:
            games[i, j] += 1
            games[j, i] += 1
            points[i, j] += score
            points[j, i] += 1 - score
            drawn[[i, j]] += score == 0.5
    played = games.sum(axis=1)
    scored = points.sum(axis=1)
    imagined = not _strongly_connected(points)
    if imagined:
        met = (games > 0).astype(float)
        for other in _strangers(games):  # players who never met even in a chain: one imagined draw ties them
            met[0, other] = met[other, 0] = 1.0
        games, points = games + met, points + met / 2
    strengths, information = _maximise(games, points)
    inverse = np.linalg.pinv(information)
    phi = _dispersion(data, index, strengths, inverse, size)
    covariance = phi * inverse

    if anchor is None:
        turn = np.eye(size) - 1 / size
        elo = (strengths - strengths.mean()) / _SCALE + anchor_elo
    else:
        turn = np.eye(size)
        turn[:, index[anchor]] -= 1
        elo = (strengths - strengths[index[anchor]]) / _SCALE + anchor_elo
    spread = turn @ covariance @ turn.T
    z = NormalDist().inv_cdf(0.975)
    order = sorted(range(size), key=lambda i: (-elo[i], names[i]))
    rows = []
    for place, i in enumerate(order):
        superiority = None
        if place + 1 < size:
            j = order[place + 1]
            variance = max(covariance[i, i] + covariance[j, j] - 2 * covariance[i, j], 1e-18)
            superiority = NormalDist().cdf(float((strengths[i] - strengths[j]) / math.sqrt(variance)))
        rows.append(
            Rating(
                player=names[i],
                elo=float(elo[i]),
                error=float(z * math.sqrt(max(spread[i, i], 0.0)) / _SCALE),
                games=int(played[i]),
                score=float(scored[i] / played[i]) if played[i] else 0.5,
                draw_rate=float(drawn[i] / played[i]) if played[i] else 0.0,
                superiority=superiority,
            )
        )
    return Ratings(tuple(rows), imagined, float(phi))


def _maximise(games: Any, points: Any) -> tuple[Any, Any]:
    """Newton's method on the concave log-likelihood; returns the strengths (natural units) and the information."""
    import numpy as np

    strengths = np.zeros(len(games))
    for _ in range(200):  # a dozen will do; rounding must not keep it going for ever
        expected = 1 / (1 + np.exp(strengths[None, :] - strengths[:, None]))
        weights = games * expected * (1 - expected)
        information = np.diag(weights.sum(axis=1)) - weights
        step = np.linalg.pinv(information) @ (points - games * expected).sum(axis=1)
        greatest = float(np.abs(step).max(initial=0.0))
        # Far from the maximum a full step may overshoot.
        strengths = strengths + step * min(1.0, 2.0 / greatest if greatest > 0 else 1.0)
        if greatest < 1e-9:
            break
    return strengths, information


def _dispersion(data: list[Comparison], index: dict[str, int], strengths: Any, inverse: Any, size: int) -> float:
    """φ = tr(I⁻¹ Σ u uᵀ) / rank, where u sums the residuals of a group; 1 for independent games without draws."""
    residuals: dict[Hashable, dict[int, float]] = defaultdict(lambda: defaultdict(float))
    for first, second, score, group in data:
        i, j = index[first], index[second]
        rest = score - 1 / (1 + math.exp(strengths[j] - strengths[i]))
        residuals[group][i] += rest
        residuals[group][j] -= rest
    rank = max(size - 1, 1)
    total = 0.0
    for parts in residuals.values():
        for i, x in parts.items():
            total += x * sum(inverse[i, j] * y for j, y in parts.items())
    groups = len(residuals)
    correction = groups / (groups - rank) if groups > rank else 1.0
    return (total / rank * correction * groups + 1) / (groups + 1)


def _strongly_connected(points: Any) -> bool:
    """Ford's condition: from every player a chain of points won leads to every other."""
    return all(len(_reached(table, 0)) == len(points) for table in (points, points.T))


def _strangers(games: Any) -> list[int]:
    """One player of every part that no chain of games ties to the first player."""
    strangers, known = [], _reached(games, 0)
    for player in range(len(games)):
        if player not in known:
            strangers.append(player)
            known |= _reached(games, player)
    return strangers


def _reached(table: Any, start: int) -> set[int]:
    seen, todo = {start}, [start]
    while todo:
        i = todo.pop()
        for j in range(len(table)):
            if table[i, j] > 0 and j not in seen:
                seen.add(j)
                todo.append(j)
    return seen
