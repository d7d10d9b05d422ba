"""Statistics against published figures, by simulation, and at the edges."""

from __future__ import annotations

import importlib.util
import math
import random
import sys
from pathlib import Path

import pytest

from gametree import BadInput
from gametree.core.errors import UnknownName
from gametree.play.ratings import Comparison, rate
from gametree.play.statistics import PAIR_SCORES, Sprt, elo_from_score, pentanomial, score_from_elo, strength

BENCH = Path(__file__).resolve().parent.parent.parent / "bench" / "arena_statistics.py"


def _bench():
    spec = importlib.util.spec_from_file_location("arena_statistics", BENCH)
    module = importlib.util.module_from_spec(spec)
    sys.modules["arena_statistics"] = module
    spec.loader.exec_module(module)
    return module


def test_elo_and_score():
    # Elo (1978): a lead of 100, 200 and 400 points is worth 64 %, 76 % and 91 %.
    assert [round(score_from_elo(d), 2) for d in (0, 100, 200, 400)] == [0.5, 0.64, 0.76, 0.91]
    assert elo_from_score(score_from_elo(123.0)) == pytest.approx(123)
    assert elo_from_score(1) == math.inf
    assert elo_from_score(0) == -math.inf


def test_a_match_by_hand():
    # 60 wins, 20 draws, 20 losses: 70 %, standard error 0.0400 a game mean, +147 Elo.
    found = strength([(1.0,)] * 60 + [(0.5,)] * 20 + [(0.0,)] * 20)
    assert (found.wins, found.draws, found.losses, found.games) == (60, 20, 20, 100)
    assert found.elo == pytest.approx(147.19, abs=0.01)
    assert found.draw_rate == 0.2
    assert score_from_elo(found.low) == pytest.approx(0.7 - 1.96 * 0.0402, abs=0.01)
    assert score_from_elo(found.high) == pytest.approx(0.7 + 1.96 * 0.0402, abs=0.01)
    assert found.superiority > 0.9999
    assert found.pairs is None


def test_pairs_of_opposite_results_tell_more_than_single_games():
    loose = strength([(1.0,), (0.0,)] * 50)
    tight = strength([(1.0, 0.0)] * 50)
    assert tight.pairs == (0, 0, 50, 0, 0)
    assert tight.elo == loose.elo == 0
    assert tight.high < loose.high / 3
    assert tight.superiority == loose.superiority == 0.5
    twins = strength([(1.0, 1.0), (0.0, 0.0)] * 25)
    assert twins.high > 1.3 * loose.high


def test_the_edges():
    nothing = strength([])
    assert (nothing.games, nothing.score, nothing.low, nothing.high) == (0, 0.5, -math.inf, math.inf)
    won = strength([(1.0, 1.0)] * 10)
    assert won.elo == won.high == math.inf
    assert 200 < won.low < 320  # Wilson for 20 of 20
    assert won.to_data()["elo"] is None
    lost = strength([(0.0, 0.0)] * 10)
    assert lost.high == pytest.approx(-won.low)
    assert lost.low == -math.inf
    drawn = strength([(0.5, 0.5)] * 10)
    assert drawn.elo == 0
    assert 1 < drawn.high < 60
    assert strength([(1.0,)]).low > -700


def test_pentanomial():
    assert pentanomial([(0.0, 0.0), (0.5, 0.0), (1.0, 0.0), (0.5, 0.5), (1.0, 0.5), (1.0, 1.0)]) == (1, 1, 2, 1, 1)
    assert pentanomial([(1.0,)]) is None
    assert pentanomial([(0.75, 0.5)]) is None


def test_the_sequential_test():
    test = Sprt.parse("0,10")
    assert test.bounds == pytest.approx((-2.944, 2.944), abs=0.001)
    even, better = test.ratio([100, 200, 400, 200, 100]), test.ratio([100, 200, 400, 250, 150])
    assert even < 0 < better
    assert list(test.ratio([[100, 200, 400, 200, 100], [100, 200, 400, 250, 150]])) == pytest.approx([even, better])
    # To first order the ratio is (s1 − s0)(2·mean − s0 − s1) N / (2 variance): Van den Bergh (2017), section 4.
    counts = [1000, 2000, 4000, 2200, 1100]
    pairs = sum(counts)
    mean = sum(c * x for c, x in zip(counts, PAIR_SCORES, strict=True)) / pairs
    variance = sum(c * (x - mean) ** 2 for c, x in zip(counts, PAIR_SCORES, strict=True)) / pairs
    s0, s1 = score_from_elo(0), score_from_elo(10)
    assert test.ratio(counts) == pytest.approx(pairs * (s1 - s0) * (2 * mean - s0 - s1) / (2 * variance), rel=0.02)
    assert test.verdict(3) == "H1"
    assert test.verdict(-3) == "H0"
    assert test.verdict(1) == ""
    for wrong in ("10,0", "0", "a,b", "0,10,0.6,0.05", "0,nan"):
        with pytest.raises(BadInput):
            Sprt.parse(wrong)


def test_two_players_are_rated_like_a_match():
    games = [Comparison("A", "B", score, number) for number, score in enumerate([1.0] * 60 + [0.5] * 20 + [0.0] * 20)]
    found = rate(games, anchor="B", anchor_elo=1000)
    best, worst = found.table
    assert (best.player, worst.player) == ("A", "B")
    assert best.elo == pytest.approx(1147.19, abs=0.01)
    assert (worst.elo, worst.error) == (1000, 0)
    alone = strength([(game.score,) for game in games])
    assert best.error == pytest.approx((alone.high - alone.low) / 2, rel=0.1)
    assert best.superiority > 0.999
    centred = rate(games).table
    assert centred[0].elo == -centred[1].elo
    assert centred[0].error == pytest.approx(best.error / 2)
    with pytest.raises(UnknownName, match="No player called 'C'"):
        rate(games, anchor="C")
    assert rate([]).table == ()


def test_a_known_three_player_likelihood():
    # Zermelo's equations: wins = Σ games · π_i / (π_i + π_j). Checked by putting the answer back.
    scores = {("A", "B"): (7, 3), ("B", "C"): (6, 4), ("A", "C"): (9, 1)}
    games = [
        Comparison(a, b, 1.0 if k < won else 0.0, (a, b, k))
        for (a, b), (won, lost) in scores.items()
        for k in range(won + lost)
    ]
    elo = {row.player: row.elo for row in rate(games).table}
    expected = 10 * (score_from_elo(elo["A"] - elo["B"]) + score_from_elo(elo["A"] - elo["C"]))
    assert expected == pytest.approx(16, abs=1e-6)
    assert sum(elo.values()) == pytest.approx(0, abs=1e-6)


def test_who_won_everything_is_tied_by_imagined_draws():
    won = rate([Comparison("A", "B", 1.0, k) for k in range(10)])
    assert won.imagined
    assert 300 < won.table[0].elo - won.table[1].elo < 1000
    strangers = rate(
        [Comparison("A", "B", k % 2, k) for k in range(10)] + [Comparison("C", "D", k % 2, -k) for k in range(9)]
    )
    assert strangers.imagined
    assert all(row.error > 100 for row in strangers.table)
    assert not rate([Comparison("A", "B", k % 2, k) for k in range(10)]).imagined


def test_draws_narrow_the_bars_and_dependent_games_widen_them():
    rng = random.Random(3)
    coins = [rng.choice((0.0, 1.0)) for _ in range(400)]
    alone = rate([Comparison("A", "B", score, k) for k, score in enumerate(coins)])
    twice = rate([Comparison("A", "B", score, k) for k, score in enumerate(coins) for _ in range(2)])
    drawish = rate([Comparison("A", "B", (score + 1) / 3 if k % 2 else 0.5, k) for k, score in enumerate(coins)])
    assert twice.table[0].error == pytest.approx(alone.table[0].error, rel=0.05)
    assert drawish.table[0].error < alone.table[0].error
    assert alone.dispersion == pytest.approx(1, abs=0.05)
    assert twice.dispersion == pytest.approx(2, abs=0.05)


def test_the_calibration_can_fail(capsys, monkeypatch):
    bench = _bench()
    assert bench.interval_coverage(bench.np.random.default_rng(1), 150, 60, 40.0, 0.3, 50.0) > 0.88
    wrong, length = bench.sprt_errors(bench.np.random.default_rng(1), 60, Sprt(0, 80), 0, 0.2, 0.0)
    assert wrong < 0.2
    assert 10 < length < 400
    assert bench.rating_coverage(bench.np.random.default_rng(1), 3, 0.3) > 0.7
    # With intervals of half the width the benchmark must complain.
    monkeypatch.setattr("gametree.play.statistics._Z", 1.0)
    monkeypatch.setattr(bench, "sprt_errors", lambda *_: (0.05, 1.0))
    monkeypatch.setattr(bench, "rating_coverage", lambda *_: 0.95)
    assert bench.main(["--matches", "100"]) == 1
    assert "FAIL" in capsys.readouterr().out
