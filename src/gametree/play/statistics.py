"""What results say about strength: Elo with intervals, likelihood of superiority, and the sequential test.

A score is 1 for a win, ½ for a draw, 0 for a loss. Games come in pairs, the same opening and the same dice with the
seats exchanged; the two games of a pair are not independent, so the unit of all statistics is the pair, in general the
group of games that share an opening. `bench/arena_statistics.py` checks every promise below by simulation.

Sources
    Elo difference d ↔ expected score 1 / (1 + 10^(−d/400)): Elo, *The Rating of Chessplayers* (1978).
    Interval: Wilson, "Probable inference" (1927), with the effective number of games in place of their number;
        effective number = n · (binomial variance) / (observed variance of the mean · n): Kish, *Survey Sampling*
        (1965). Draws and pairs make a game tell more than a coin toss, dependence between games less.
    Likelihood of superiority: the chance that the stronger player is the one with the better score, by the normal
        law: Φ((mean − ½) / standard error). For decisive games it is Φ((W − L) / √(W + L)).
    Pentanomial counts and the generalized sequential probability ratio test: Wald, "Sequential tests of statistical
        hypotheses" (1945); Van den Bergh, "A practical introduction to the GSPRT" (2017), equations of section 2: the
        likelihoods of both hypotheses are the greatest under the constraint that the mean is theirs.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any

from gametree.core.errors import BadInput

__all__ = ["PAIR_SCORES", "Sprt", "Strength", "elo_from_score", "pentanomial", "score_from_elo", "strength"]

PAIR_SCORES = (0.0, 0.25, 0.5, 0.75, 1.0)
"""Mean score of a pair: both lost, a loss and a draw, even, a win and a draw, both won."""

_Z = NormalDist().inv_cdf(0.975)
_LEAST = 1e-3  # stands for a count of zero, so that an outcome not seen yet is not taken for impossible


def score_from_elo(difference: float) -> float:
    """The expected score of a player who is `difference` Elo stronger."""
    return 1 / (1 + 10 ** (-difference / 400))


def elo_from_score(score: float) -> float:
    """The Elo difference at which `score` is expected; infinite for 0 and 1."""
    if score <= 0 or score >= 1:
        return -math.inf if score <= 0 else math.inf
    return -400 * math.log10(1 / score - 1) + 0.0  # which makes −0 a plain 0


@dataclass(frozen=True)
class Strength:
    """How much stronger one player is than another, with what was counted.

    `elo` is infinite if every game was won or lost; then one end of the interval still tells something.
    """

    wins: int
    draws: int
    losses: int
    score: float
    """Mean score; ½ where there are no games."""
    elo: float
    low: float
    high: float
    """Ends of the 95 % interval."""
    superiority: float
    """Likelihood of superiority, between 0 and 1."""
    pairs: tuple[int, int, int, int, int] | None
    """Pentanomial counts, where all groups are pairs."""

    @property
    def games(self) -> int:
        """The number of games."""
        return self.wins + self.draws + self.losses

    @property
    def draw_rate(self) -> float:
        """Share of games that were drawn."""
        return self.draws / self.games if self.games else 0.0

    def to_data(self) -> dict[str, Any]:
        """As JSON-ready data; an infinite Elo is null."""

        def finite(x: float) -> float | None:
            return x if math.isfinite(x) else None

        return {
            "games": self.games,
            "wins": self.wins,
            "draws": self.draws,
            "losses": self.losses,
            "score": self.score,
            "draw_rate": self.draw_rate,
            "elo": finite(self.elo),
            "elo_low": finite(self.low),
            "elo_high": finite(self.high),
            "superiority": self.superiority,
            "pentanomial": list(self.pairs) if self.pairs is not None else None,
        }


def strength(groups: Iterable[Sequence[float]]) -> Strength:
    """The strength that the scores of one player show; each group holds the games that share an opening.

    A group that is not finished yet counts with the games that it has.
    """
    counted = Counter(tuple(group) for group in groups if group)
    units = sum(counted.values())
    games = sum(len(group) * count for group, count in counted.items())
    results: Counter[int] = Counter()
    for group, count in counted.items():
        for score in group:
            results[(score > 0.5) - (score < 0.5)] += count
    pairs = pentanomial(group for group, count in counted.items() for _ in range(count))
    complete = pairs is not None and units > 0
    if not games:
        return Strength(0, 0, 0, 0.5, 0.0, -math.inf, math.inf, 0.5, None)
    mean = sum(sum(group) * count for group, count in counted.items()) / games
    # Variance of the mean: residuals of whole groups, because games in a group depend on each other. One imagined game,
    # half won and half lost, keeps a run of equal results from looking certain.
    squares = sum(count * (sum(group) - len(group) * mean) ** 2 for group, count in counted.items())
    imagined = 0.5 * ((1 - mean) ** 2 + mean**2)
    correction = units / (units - 1) if units > 1 else 1.0
    variance = (squares * correction + imagined) / games**2
    binomial = mean * (1 - mean)
    effective = min(binomial / variance, games * 100.0) if binomial > 0 else float(games)
    low, high = _wilson(mean, effective)
    spread = math.sqrt(variance)
    return Strength(
        wins=results[1],
        draws=results[0],
        losses=results[-1],
        score=mean,
        elo=elo_from_score(mean),
        low=elo_from_score(low),
        high=elo_from_score(high),
        superiority=NormalDist().cdf((mean - 0.5) / spread),
        pairs=pairs if complete else None,
    )


def _wilson(mean: float, games: float) -> tuple[float, float]:
    """Wilson's interval: all p whose own standard error would allow the mean."""
    z2 = _Z * _Z
    centre = (mean + z2 / (2 * games)) / (1 + z2 / games)
    half = _Z / (1 + z2 / games) * math.sqrt(mean * (1 - mean) / games + z2 / (4 * games * games))
    return (0.0 if mean == 0 else centre - half), (1.0 if mean == 1 else centre + half)


def pentanomial(groups: Iterable[Sequence[float]]) -> tuple[int, int, int, int, int] | None:
    """How many pairs brought 0, ½, 1, 1½ and 2 points; None if some group is no pair or has other scores."""
    counts = [0] * 5
    for group in groups:
        place = sum(group) * 2
        if len(group) != 2 or place != int(place):
            return None
        counts[int(place)] += 1
    return counts[0], counts[1], counts[2], counts[3], counts[4]


@dataclass(frozen=True)
class Sprt:
    """The sequential test of "it is `elo0` stronger" (H0) against "it is `elo1` stronger" (H1).

    It wrongly accepts H1 with a chance of about `alpha` and wrongly accepts H0 with a chance of about `beta`.
    """

    elo0: float
    elo1: float
    alpha: float = 0.05
    beta: float = 0.05

    def __post_init__(self) -> None:
        if not self.elo0 < self.elo1:
            raise BadInput(f"A test of {self.elo0:g} against {self.elo1:g} Elo is none; expected elo0 below elo1.")
        if not (0 < self.alpha < 0.5 and 0 < self.beta < 0.5):
            raise BadInput(f"Error rates of {self.alpha:g} and {self.beta:g} are not possible; expected 0 to 0.5.")

    @classmethod
    def parse(cls, text: str) -> Sprt:
        """Read `elo0,elo1` or `elo0,elo1,alpha,beta`. Raises BadInput."""
        try:
            numbers = [float(part) for part in text.split(",")]
        except ValueError:
            numbers = []
        if len(numbers) not in (2, 4) or not all(math.isfinite(number) for number in numbers):
            raise BadInput(f"'{text}' is not a test; expected ELO0,ELO1 such as 0,10, or ELO0,ELO1,ALPHA,BETA.")
        return cls(*numbers)

    @property
    def bounds(self) -> tuple[float, float]:
        """H0 is accepted below the first, H1 above the second (Wald 1945)."""
        return math.log(self.beta / (1 - self.alpha)), math.log((1 - self.beta) / self.alpha)

    def ratio(self, counts: Any, scores: Sequence[float] = PAIR_SCORES) -> Any:
        """The generalized log-likelihood ratio for counts of the scores: a number, or an array for an array of rows."""
        import numpy as np

        rows = np.atleast_2d(np.asarray(counts, dtype=float))
        total = rows.sum(axis=1)
        seen = np.maximum(rows, _LEAST)
        shares = seen / seen.sum(axis=1, keepdims=True)
        values = np.asarray(scores)
        tilted = [_constrained(shares, values, score_from_elo(elo)) for elo in (self.elo0, self.elo1)]
        ratios = total * (shares * (np.log(tilted[1]) - np.log(tilted[0]))).sum(axis=1)
        return float(ratios[0]) if np.ndim(counts) == 1 else ratios

    def verdict(self, ratio: float) -> str:
        """`H0`, `H1`, or an empty string while more games are needed."""
        low, high = self.bounds
        return "H0" if ratio <= low else "H1" if ratio >= high else ""


def _constrained(shares: Any, values: Any, mean: float) -> Any:
    """The likeliest probabilities with the given mean: p = share / (1 + θ (value − mean)), θ found by bisection.

    The sum of p · (value − mean) falls as θ grows and is 0 at the solution (Van den Bergh 2017, proposition 2.1).
    """
    import numpy as np

    away = values - mean
    low = np.full(len(shares), -1 / away.max() + 1e-9)
    high = np.full(len(shares), -1 / away.min() - 1e-9)
    for _ in range(48):
        middle = (low + high) / 2
        rest = (shares * away / (1 + middle[:, None] * away)).sum(axis=1)
        low, high = np.where(rest > 0, middle, low), np.where(rest > 0, high, middle)
    return shares / (1 + ((low + high) / 2)[:, None] * away)
