"""Texel's method: the weights of a linear evaluation are fitted to the results of real games.

    positions ← quiet positions of the games, each with the result of its game (1, ½ or 0 for seat 0);
                or single positions, each with the result that somebody expects
    K ← the scale that makes expected results of the present evaluation fit best
    repeat: weights ← weights − step · gradient of Σ (result − 1 / (1 + exp(−K · evaluation)))²

It is logistic regression with the squared error. A position is quiet if the game calls it calm (nobody is in check) and
following its noisy moves changes nothing. Steps are Adam's, over all positions at once, so that the same seed gives the
same weights. Weights of features that seldom occur stay near where they began, and neighbours in a table move together.

Sources: Österlund (2014), the tuning method of the chess program Texel; Kingma and Ba (2015), Adam.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from gametree.core.errors import BadInput
from gametree.kernels.compiled_game import CompiledGame
from gametree.kernels.jit import jit
from gametree.kernels.verbs import evaluate, noisy_moves, note_fresh, play
from gametree.learning.labelled import read_labelled

__all__ = ["Fit", "Linear", "Positions", "collect", "find_scale", "improve", "start_fit", "values"]


class Linear(Protocol):
    """An evaluation that is a sum of counted features: what a game's `tuning()` returns."""

    game: CompiledGame
    unit: int
    """How many units of the evaluation make a point."""
    whole_phase: int
    """The phase in which only the first weight counts; at 0 only the second does."""
    terms: Sequence[tuple[str, int, int]]
    """Name, first feature, and the one behind the last."""
    weights: Any
    """Where tuning starts: shape (features, 2), in units."""
    neighbours: Any
    """Pairs of features whose weights should change alike: shape (pairs, 2)."""
    fixed: Any
    """Features that keep their weights, because games say little or something else about them."""
    first_ply: int
    """Positions before this ply are not learned from."""
    verbs: dict[str, Any]
    """`count_features(s, ledger, w)`, which fills a ledger of shape (2, features) and returns the phase and how many
    64ths of the second weights' sum count; `is_calm(s)`; and whatever globals of theirs counting must re-bind."""

    def text(self, weights: Any) -> str:
        """The file of these weights."""

    def settle(self, weights: Any) -> Any:
        """Weights of the same evaluation in the form in which they are written."""


@dataclass
class Positions:
    """Quiet positions as counted features; row i is features[starts[i] : starts[i + 1]] and the counts beside them."""

    starts: Any  # i8, positions + 1
    features: Any  # u2
    counts: Any  # i2: seat 0's minus seat 1's
    shares: Any  # f4, of shape (positions, 2): how much of the first and of the second weight counts
    results: Any  # f4: 1, ½ or 0 for seat 0, or what somebody expects
    held_out: Any  # bool: kept for validation
    games: int = 0
    broken: int = 0

    def __len__(self) -> int:
        return len(self.results)


# Collecting -----------------------------------------------------------------------------------------------------------


def count_features(s: Any, ledger: Any, w: Any) -> Any:
    """Stands for the game's own."""
    return 0, 64


def is_calm(s: Any) -> Any:
    """Stands for the game's own."""
    return True


DEEPEST = 24
"""Plies that are looked ahead for noise."""


def outlook(states: Any, moves: Any, ply: Any, low: Any, high: Any, weights: Any, notes: Any) -> Any:
    """The value of states[ply] when only noisy moves are followed, as far as it lies between `low` and `high`."""
    w, note = weights[0], notes[0]
    note_fresh(states[ply], note, w)
    value = np.int64(evaluate(states[ply], w, note))
    if value >= high or ply + 1 >= DEEPEST:
        return value
    low = max(low, value)
    for i in range(np.int64(noisy_moves(states[ply], moves[ply], w))):
        states[ply + 1] = states[ply]
        play(states[ply + 1], moves[ply, i], w)
        found = -outlook(states, moves, ply + 1, -high, -low, weights, notes)
        if found > value:
            value = found
            if value >= high:
                return value
            low = max(low, value)
    return value


def choose_quiet(
    start: Any, line: Any, wanted: Any, states: Any, moves: Any, out: Any, weights: Any, notes: Any
) -> Any:
    """Play a game and copy the wanted positions that are quiet to `out`; returns how many."""
    n = np.int64(0)
    w, note = weights[0], notes[0]
    states[0] = start[0]
    for i in range(len(wanted)):
        if wanted[i] and is_calm(states[0]):
            note_fresh(states[0], note, w)
            value = np.int64(evaluate(states[0], w, note))
            if outlook(states, moves, np.int64(0), value, value + 1, weights, notes) <= value:
                out[n] = states[0]
                n += 1
        if i < len(line):
            play(states[0], line[i], w)
    return n


def count_all(
    chosen: Any, number: Any, ledger: Any, features: Any, counts: Any, lengths: Any, phases: Any, weights: Any
) -> Any:
    """The counted features of `number` structs, one row after the other; returns how many entries there are."""
    n = np.int64(0)
    for i in range(number):
        ledger[:] = 0
        phase, counted = count_features(chosen[i], ledger, weights[0])
        phases[i, 0], phases[i, 1] = phase, counted
        begin = n
        for feature in range(ledger.shape[1]):
            difference = ledger[0, feature] - ledger[1, feature]
            if difference != 0:
                features[n] = feature
                counts[n] = difference
                n += 1
        lengths[i] = n - begin
    return n


def collect(
    linear: Linear,
    paths: Sequence[Path],
    *,
    per_game: int = 12,
    validation: float = 0.1,
    seed: int = 1,
    most_games: int | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Positions:
    """Up to `per_game` quiet positions of every game of the files, by lot; a game that occurs again is left out.

    `progress` is told of games and positions. Raises BadInput if there is no usable game in a file.
    """
    game = linear.game
    choose = game.rules.kernel(choose_quiet, is_calm=linear.verbs["is_calm"])
    count = game.rules.kernel(count_all, **linear.verbs)
    rng = np.random.default_rng(seed)
    state_type, most_moves = game.rules.state_type, game.rules.constants["MOST_MOVES"]
    notes = np.zeros(1, game.rules.note_type)
    states, moves = np.zeros(DEEPEST, state_type), np.zeros((DEEPEST, most_moves), np.int64)
    chosen = np.zeros(per_game, state_type)
    ledger = np.zeros((2, len(linear.weights)), np.int64)
    features = np.zeros(per_game * len(linear.weights), np.uint16)
    counts = np.zeros(len(features), np.int16)
    lengths, phases = np.zeros(per_game, np.int64), np.zeros((per_game, 2), np.int64)
    rows: dict[str, list[Any]] = {"features": [], "counts": [], "lengths": [], "phases": [], "results": [], "held": []}
    seen: set[bytes] = set()
    games = broken = positions = 0
    for path in paths:
        before = games
        for found in read_labelled(linear.game, path):
            if isinstance(found, str):
                broken += 1
                continue
            start, line, score = found
            key = start.tobytes() + line.tobytes()
            if key in seen:
                continue
            seen.add(key)
            games += 1
            wanted = np.zeros(max(len(line), 1), np.bool_)
            places = np.arange(linear.first_ply, len(line)) if len(line) else np.zeros(1, np.int64)
            wanted[rng.permutation(places)[:per_game]] = True
            held = bool(rng.random() < validation)
            number = int(choose(start, line, wanted, states, moves, chosen, game.w, notes))
            entries = int(count(chosen, number, ledger, features, counts, lengths, phases, game.w))
            positions += number
            rows["features"].append(features[:entries].copy())
            rows["counts"].append(counts[:entries].copy())
            rows["lengths"].append(lengths[:number].copy())
            rows["phases"].append(phases[:number].copy())
            rows["results"].append(np.full(number, score, np.float32))
            rows["held"].append(np.full(number, held))
            if progress is not None and games % 100 == 0:
                progress(games, positions)
            if games == most_games:
                break
        if games == before:
            raise BadInput(f"'{path}' holds no finished game and no position with a result that can be read.")
    if positions == 0:
        raise BadInput("The games hold no quiet position behind the opening; expected longer games, or more of them.")
    joined = {name: np.concatenate(parts) for name, parts in rows.items()}
    phase = joined["phases"][:, 0] / linear.whole_phase
    counted = joined["phases"][:, 1] / 64
    return Positions(
        starts=np.concatenate(([0], np.cumsum(joined["lengths"]))),
        features=joined["features"],
        counts=joined["counts"],
        shares=np.stack((phase, (1 - phase) * counted), axis=1).astype(np.float32),
        results=joined["results"],
        held_out=joined["held"],
        games=games,
        broken=broken,
    )


# Fitting --------------------------------------------------------------------------------------------------------------


@jit
def accumulate(
    starts: Any, features: Any, counts: Any, shares: Any, results: Any, held_out: Any, weights: Any, scale: Any,
    gradient: Any, errors: Any,
) -> None:  # fmt: skip
    """Add up the squared errors of learned and of held-out positions, and the gradient of the learned ones' mean."""
    gradient[:] = 0.0
    errors[:] = 0.0
    for i in range(len(results)):
        first, second = 0.0, 0.0
        for place in range(starts[i], starts[i + 1]):
            first += counts[place] * weights[features[place], 0]
            second += counts[place] * weights[features[place], 1]
        share, other = np.float64(shares[i, 0]), np.float64(shares[i, 1])
        chance = 1 / (1 + np.exp(-scale * (first * share + second * other)))
        wrong = chance - np.float64(results[i])
        if held_out[i]:
            errors[1] += wrong * wrong
            errors[3] += 1
            continue
        errors[0] += wrong * wrong
        errors[2] += 1
        slope = 2 * wrong * chance * (1 - chance) * scale
        for place in range(starts[i], starts[i + 1]):
            gradient[features[place], 0] += slope * share * counts[place]
            gradient[features[place], 1] += slope * other * counts[place]
    if errors[2] > 0:
        gradient[:] /= errors[2]
        errors[0] /= errors[2]
    if errors[3] > 0:
        errors[1] /= errors[3]


def _measure(positions: Positions, weights: Any, scale: float, gradient: Any) -> tuple[float, float]:
    """The mean squared errors of learned and of held-out positions; fills in the gradient."""
    errors = np.zeros(4)
    p = positions
    accumulate(p.starts, p.features, p.counts, p.shares, p.results, p.held_out, weights, scale, gradient, errors)
    return float(errors[0]), float(errors[1])


def find_scale(positions: Positions, weights: Any, unit: int) -> float:
    """K per unit: the scale with which the weights predict the results best (golden-section search)."""
    low, high = 0.1 / unit, 10.0 / unit
    ratio = (5**0.5 - 1) / 2
    gradient = np.zeros_like(weights)

    def error(scale: float) -> float:
        return _measure(positions, weights, scale, gradient)[0]

    left, right = high - ratio * (high - low), low + ratio * (high - low)
    at_left, at_right = error(left), error(right)
    while high - low > 1e-4 * high:
        if at_left < at_right:
            high, right, at_right = right, left, at_left
            left = high - ratio * (high - low)
            at_left = error(left)
        else:
            low, left, at_left = left, right, at_right
            right = low + ratio * (high - low)
            at_right = error(right)
    return (low + high) / 2


@dataclass
class Fit:
    """How far the tuning is: all that a later process needs to go on exactly here."""

    start: Any  # weights at the beginning, shape (features, 2)
    weights: Any
    scale: float
    momentum: Any
    variance: Any
    errors: list[tuple[float, float]]  # learned and held-out, before every step

    @property
    def epochs(self) -> int:
        """Steps so far."""
        return len(self.errors)


def start_fit(linear: Linear, positions: Positions) -> Fit:
    """Before the first step; the scale is fitted to the weights that tuning starts from."""
    start = np.array(linear.weights, np.float64)
    scale = find_scale(positions, start, linear.unit)
    return Fit(start, start.copy(), scale, np.zeros_like(start), np.zeros_like(start), [])


def improve(
    fit: Fit,
    positions: Positions,
    neighbours: Any,
    *,
    fixed: Any = (),
    rate: float = 1.0,
    spread: float = 15,
    roughness: float = 8,
) -> None:
    """One step of Adam.

    The error goes with two expectations, which count as much as the data of few positions do: that a weight lies within
    about `spread` units of where it began, and that the changes of neighbours differ by about `roughness`. Features in
    `fixed` keep their weights.
    """
    gradient = np.zeros_like(fit.weights)
    fit.errors.append(_measure(positions, fit.weights, fit.scale, gradient))
    noise = fit.errors[-1][0] / max(1, len(positions) - int(positions.held_out.sum()))
    change = fit.weights - fit.start
    gradient += 2 * noise / spread**2 * change
    if len(neighbours):
        one, other = neighbours[:, 0], neighbours[:, 1]
        pull = 2 * noise / roughness**2 * (change[one] - change[other])
        np.add.at(gradient, one, pull)
        np.subtract.at(gradient, other, pull)
    gradient[np.asarray(fixed, np.int64)] = 0.0
    step = fit.epochs
    fit.momentum = 0.9 * fit.momentum + 0.1 * gradient
    fit.variance = 0.999 * fit.variance + 0.001 * gradient**2
    mean = fit.momentum / (1 - 0.9**step)
    size = np.sqrt(fit.variance / (1 - 0.999**step))
    fit.weights = fit.weights - rate * mean / (size + 1e-12)


def values(positions: Positions, weights: Any) -> Any:
    """What the weights say of every position, in units for seat 0."""
    p = positions
    sums = np.stack([np.add.reduceat(p.counts * weights[p.features, half], p.starts[:-1]) for half in (0, 1)], axis=1)
    sums[p.starts[:-1] == p.starts[1:]] = 0.0  # rows without an entry
    return (sums * p.shares).sum(axis=1)
