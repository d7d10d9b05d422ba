"""Do the arena's error bars keep their promises? Matches with a known truth are simulated and judged.

    python bench/arena_statistics.py [--matches 2000] [--seed 1]

Prints one line per promise and ends with code 1 if one is broken:

    of the 95 % intervals of a match, 93–97 % cover the true Elo difference (coin-toss games, games with draws, pairs
    whose opening favours a side, short and long matches);
    the sequential test at 5 % / 5 % errs in no more than 6 % of the matches either way;
    of the 95 % bars of the ratings of 8 players, 93–97 % cover the truth.
"""

from __future__ import annotations

import argparse
import sys
import time

import numpy as np

from gametree.play.ratings import Comparison, rate
from gametree.play.statistics import PAIR_SCORES, Sprt, elo_from_score, score_from_elo, strength


def chances(elo: float, draws: float) -> list[float]:
    """Chances of loss, draw and win with the expected score that `elo` gives and at most `draws` draws."""
    score = score_from_elo(elo)
    drawn = min(draws, 1.8 * min(score, 1 - score))
    return [1 - score - drawn / 2, drawn, score - drawn / 2]


def pair_chances(elo: float, draws: float, bias: float) -> np.ndarray:
    """Chances of 0, ½, 1, 1½ and 2 points from a pair whose opening is worth `bias` Elo to one side or the other."""
    first, second = chances(elo + bias, draws), chances(elo - bias, draws)
    return np.convolve(first, second)


def interval_coverage(rng: np.random.Generator, matches: int, pairs: int, elo: float, draws: float, bias: float):
    """Share of simulated matches whose interval covers the truth, which is the Elo of the true mean score."""
    odds = pair_chances(elo, draws, bias)
    truth = elo_from_score(float(odds @ np.array(PAIR_SCORES)))
    covered = 0
    for counts in rng.multinomial(pairs, odds, size=matches):
        groups = [pair for pair, count in zip(PAIRS, counts, strict=True) for _ in range(count)]
        found = strength(groups)
        covered += found.low <= truth <= found.high
    return covered / matches


PAIRS = [(0.0, 0.0), (0.0, 0.5), (0.5, 0.5), (0.5, 1.0), (1.0, 1.0)]


def sprt_errors(rng: np.random.Generator, matches: int, test: Sprt, truth: float, draws: float, bias: float):
    """Share of simulated tests that accept the hypothesis that is wrong at `truth`, and their mean length in pairs.

    The true mean score is that of `truth` exactly: the biased pairs are found by bisection.
    """
    low, high = truth - 50, truth + 50
    wanted = score_from_elo(truth)
    for _ in range(60):
        middle = (low + high) / 2
        mean = float(pair_chances(middle, draws, bias) @ np.array(PAIR_SCORES))
        low, high = (middle, high) if mean < wanted else (low, middle)
    odds = pair_chances(low, draws, bias)
    counts = np.zeros((matches, 5))
    lengths = np.zeros(matches)
    accepted = np.zeros(matches, dtype=int)
    running = np.arange(matches)
    lower, upper = test.bounds
    while len(running):
        outcome = rng.choice(5, size=len(running), p=odds)
        counts[running, outcome] += 1
        lengths[running] += 1
        ratios = test.ratio(counts[running])
        accepted[running[ratios >= upper]] = 1
        running = running[(ratios > lower) & (ratios < upper)]
    wrong = accepted == (truth <= test.elo0)
    return float(wrong.mean()), float(lengths.mean())


def rating_coverage(rng: np.random.Generator, tournaments: int, draws: float):
    """Share of the bars of 8 players that cover the truth, in round robins of 20 pairs each."""
    truth = np.array([-150.0, -100.0, -60.0, -10.0, 20.0, 60.0, 90.0, 150.0])
    covered = 0
    for _ in range(tournaments):
        games = []
        for i in range(8):
            for j in range(i + 1, 8):
                odds = chances(float(truth[i] - truth[j]), draws)
                for pair, scores in enumerate(rng.choice([0.0, 0.5, 1.0], size=(20, 2), p=odds)):
                    games += [Comparison(str(i), str(j), float(score), (i, j, pair)) for score in scores]
        for row in rate(games).table:
            covered += abs(row.elo - truth[int(row.player)]) <= row.error
    return covered / (8 * tournaments)


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--matches", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args(arguments)
    rng = np.random.default_rng(options.seed)
    kept = True

    def report(what: str, share: float, low: float, high: float, more: str = "") -> None:
        nonlocal kept
        good = low <= share <= high
        kept = kept and good
        print(f"{'ok  ' if good else 'FAIL'}  {what:<66} {100 * share:5.1f} %{more}")

    began = time.perf_counter()
    print(f"{options.matches} simulated matches per line, seed {options.seed}")
    for pairs, elo, draws, bias in (
        (50, 0.0, 0.0, 0.0),
        (50, 50.0, 0.3, 0.0),
        (100, 0.0, 0.6, 0.0),
        (100, 30.0, 0.3, 150.0),
        (100, 200.0, 0.2, 0.0),
        (500, 10.0, 0.5, 100.0),
        (500, -100.0, 0.0, 50.0),
    ):
        share = interval_coverage(rng, options.matches, pairs, elo, draws, bias)
        report(f"interval covers {elo:+.0f} Elo: {pairs} pairs, {draws:.0%} draws, bias {bias:.0f}", share, 0.93, 0.97)
    test = Sprt(0, 20)
    for draws, bias in ((0.0, 0.0), (0.4, 100.0)):
        for truth, error in ((0, "accepts H1 at elo0"), (20, "accepts H0 at elo1")):
            share, length = sprt_errors(rng, options.matches, test, truth, draws, bias)
            what = f"test 0,20 wrongly {error}: {draws:.0%} draws, bias {bias:.0f}"
            report(what, share, 0.0, 0.06, f", {length:,.0f} pairs on average")
    share = rating_coverage(rng, max(1, options.matches // 20), 0.3)
    report("bars of 8 players cover the truth: round robin of 20 pairs", share, 0.93, 0.97)
    print(f"{time.perf_counter() - began:.0f} s")
    return 0 if kept else 1


if __name__ == "__main__":
    sys.exit(main())
