"""Learning from play against itself by temporal differences: TD(λ) as TD-Gammon did it, for any game with inputs.

    play a game: every move goes to the position that the network likes best
    backwards through the game: target ← (1 − λ) · what the network thought of the next position + λ · its target
                                one step of gradient descent towards the target
    at the end of the game the target is its result

Targets are worked out backwards, so there are no eligibility traces, and the weights change only between games. Sums of
the hidden layer are brought up to date from the inputs that a move changes, because all moves begin from one position.
Everything random follows from the seed and the number of the game: the same run gives the same weights, wherever it
was interrupted. What is learned about is said by the game (`Game.learning`).

Sources: Sutton (1988); Tesauro (1992, 1995).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import inf, sqrt
from typing import Any, Protocol

import numpy as np

from gametree.core.errors import BadInput, suggest
from gametree.kernels.bits import u64
from gametree.kernels.compiled_game import CompiledGame
from gametree.kernels.hashing import mix, more_bits
from gametree.kernels.network import LANES, add_inputs, change_inputs, outputs_of
from gametree.kernels.verbs import ALTERNATE, HAS_OUTCOMES, initial, is_over, legal_moves, play, player, roll

__all__ = ["Lessons", "Measure", "Recipe", "Trainer", "read_recipe"]

LONGEST = 2000
"""Positions of a game beyond which it is broken off and not learned from."""
OUTPUTS = 1
"""Re-bound: how many outputs the game has."""


class Lessons(Protocol):
    """What a game says that can be learned: what its `learning()` returns."""

    game: CompiledGame
    """The rules that are learned; its `Weights` are a `network_struct`."""
    outputs: int
    names: tuple[str, ...]
    """What each output is the chance of."""
    recipes: Mapping[str, Mapping[str, Any]]
    """By name: inputs, hidden, kinds, rate and trace."""
    verbs: Mapping[str, Any]
    """The functions below that stand for the game's own."""


# What a game says, seen by a side; these stand for its own functions.


def write_inputs(s: Any, side: Any, count: Any, x: Any) -> None:
    """Write the first `count` inputs of a position that `side` is to go on from."""


def kind_of(s: Any) -> Any:
    """Which of the networks judges the position."""
    return np.int64(0)


def write_result(s: Any, side: Any, out: Any) -> None:
    """At the end: what the outputs should have been for `side`."""


def turn_round(out: Any) -> None:
    """Turn outputs of one side into those of the other."""


def worth(s: Any, side: Any, out: Any) -> Any:
    """What outputs mean in points for `side`; it may correct them."""
    return 0.0


def rival(s: Any, side: Any) -> Any:
    """How a plain player that does not learn judges a position for `side`, which has just moved there."""
    return 0.0


# Playing --------------------------------------------------------------------------------------------------------------


def choose(states: Any, moves: Any, n: Any, seat: Any, net: Any, spare: Any, bufs: Any, found: Any, x: Any) -> Any:
    """The place of the move that the network likes best; its outputs go to `found`, its inputs to `x`.

    `bufs`: inputs before, inputs after, sums before, sums after, one row each.
    """
    side = 1 - seat
    count, kinds, hidden = np.int64(net.inputs), np.int64(net.kinds), np.int64(net.hidden)
    base, fresh, base_sums, sums = bufs[0], bufs[1], bufs[2], bufs[3]
    out = bufs[4]
    base_kind = min(np.int64(kind_of(states[0])), kinds - 1)
    if n > 1:
        write_inputs(states[0], side, count, base)
        add_inputs(net, base_kind, base, base_sums)
    best, chosen = -inf, np.int64(0)
    for i in range(n):
        states[1] = states[0]
        t = states[1]
        play(t, moves[i], net)
        if is_over(t, spare, net):
            write_result(t, side, out)
        else:
            kind = min(np.int64(kind_of(t)), kinds - 1)
            write_inputs(t, side, count, fresh)
            if n > 1 and kind == base_kind:
                for j in range(hidden):
                    sums[j] = base_sums[j]
                change_inputs(net, kind, base, fresh, sums)
            else:
                add_inputs(net, kind, fresh, sums)
            outputs_of(net, kind, sums, out)
        value = -worth(t, side, out)
        if value > best:
            best, chosen = value, np.int64(i)
            for o in range(LANES):
                found[o] = out[o]
            for j in range(count):
                x[j] = fresh[j]
    return chosen


def choose_plain(states: Any, moves: Any, n: Any, seat: Any, net: Any) -> Any:
    """The place of the move that the plain rival likes best."""
    best, chosen = -inf, np.int64(0)
    for i in range(n):
        states[1] = states[0]
        play(states[1], moves[i], net)
        value = rival(states[1], seat)
        if value > best:
            best, chosen = value, np.int64(i)
    return chosen


def play_game(
    states: Any, moves: Any, spare: Any, nets: Any, bits: Any, plain: Any, explore: Any,
    bufs: Any, xs: Any, outs: Any, sides: Any, kinds: Any,
) -> Any:  # fmt: skip
    """Play a game and keep its positions; returns how many, or −1 if it had to be broken off.

    Behind the last position stand the outputs that the end calls for, and their side. Seat `plain` (−1: none) is
    played by the rival. `bits` are the dice; `explore` is how often a move is drawn instead of chosen.
    """
    net = nets[0]
    s = states[0]
    zero = states[2]
    states[0] = zero
    initial(s, net)
    length, throws, turn = np.int64(0), np.int64(0), np.int64(0)
    while length < LONGEST:
        seat = turn if ALTERNATE else np.int64(player(s, net))
        throws += 1
        if HAS_OUTCOMES and seat < 0:
            play(s, roll(s, more_bits(bits, throws), net), net)
            continue
        n = np.int64(legal_moves(s, moves, net))
        if seat == plain:
            chosen = choose_plain(states, moves, n, seat, net)
        else:
            chosen = choose(states, moves, n, seat, net, spare, bufs, outs[length], xs[length])
            if explore > 0 and np.float64(more_bits(bits, throws) >> u64(11)) * 2.0**-53 < explore:
                chosen = np.int64(more_bits(bits, -throws) >> u64(33)) % n
                states[1] = states[0]
                play(states[1], moves[chosen], net)
                side = 1 - seat
                kind = min(np.int64(kind_of(states[1])), np.int64(net.kinds) - 1)
                write_inputs(states[1], side, np.int64(net.inputs), xs[length])
                add_inputs(net, kind, xs[length], bufs[3])
                outputs_of(net, kind, bufs[3], outs[length])
        play(s, moves[chosen], net)
        turn = 1 - turn
        sides[length] = 1 - seat
        kinds[length] = min(np.int64(kind_of(s)), np.int64(net.kinds) - 1)
        if is_over(s, spare, net):
            write_result(s, 1 - seat, outs[length])
            return length
        length += 1
    return np.int64(-1)


# Learning -------------------------------------------------------------------------------------------------------------


def step_towards(net: Any, kind: Any, x: Any, target: Any, rate: Any, sums: Any, slopes: Any, out: Any) -> None:
    """One step of gradient descent on the cross-entropy between the outputs for x and the target."""
    add_inputs(net, kind, x, sums)
    outputs_of(net, kind, sums, out)
    for o in range(LANES):
        out[o] = rate * (target[o] - out[o]) if o < OUTPUTS else np.float32(0)
    second, last = net.second[kind], net.last[kind]
    one = np.float32(1)
    hidden = np.int64(net.hidden)
    for j in range(hidden):
        away = one / (one + abs(sums[j]))
        h = sums[j] * away
        row = second[j]
        slope = np.float32(0)
        for o in range(LANES):
            slope += out[o] * row[o]
            row[o] += h * out[o]
        slopes[j] = slope * away * away
    for o in range(LANES):
        last[o] += out[o]
    bias, rows = net.bias[kind], net.first[kind]
    for j in range(hidden):
        bias[j] += slopes[j]
    for i in range(np.int64(net.inputs)):
        value = x[i]
        if value != 0:
            row = rows[i]
            for j in range(hidden):
                row[j] += value * slopes[j]


def learn_game(
    nets: Any, length: Any, rate: Any, trace: Any, bufs: Any, xs: Any, outs: Any, sides: Any, kinds: Any
) -> None:
    """Go backwards through a game and step towards the target of each position."""
    target, out = bufs[4], bufs[5]
    for o in range(LANES):
        target[o] = outs[length, o]
    whose = sides[length]
    for at in range(length - 1, -1, -1):
        if at + 1 < length:
            for o in range(OUTPUTS):
                target[o] = (np.float32(1) - trace) * outs[at + 1, o] + trace * target[o]
        if sides[at] != whose:
            turn_round(target)
            whose = sides[at]
        step_towards(nets[0], kinds[at], xs[at], target, rate, bufs[2], bufs[3], out)


def study(
    states: Any, moves: Any, spare: Any, nets: Any, seed: Any, first: Any, count: Any, rate: Any, slow: Any, least: Any,
    trace: Any, explore: Any, bufs: Any, xs: Any, outs: Any, sides: Any, kinds: Any,
) -> Any:  # fmt: skip
    """Play and learn from games number `first` to `first + count − 1`; returns how many positions they had."""
    positions = np.int64(0)
    for number in range(first, first + count):
        bits = mix(u64(seed) + mix(u64(number)))
        length = play_game(states, moves, spare, nets, bits, np.int64(-1), explore, bufs, xs, outs, sides, kinds)
        if length > 0:
            now = np.float32(max(rate / (1 + number / slow), least))
            learn_game(nets, length, now, np.float32(trace), bufs, xs, outs, sides, kinds)
            positions += length
    return positions


def contest(
    states: Any, moves: Any, spare: Any, nets: Any, seed: Any, pairs: Any, points: Any,
    bufs: Any, xs: Any, outs: Any, sides: Any, kinds: Any,
) -> None:  # fmt: skip
    """Play pairs of games with the same dice against the rival; the network's points of each go to `points`."""
    for number in range(2 * pairs):
        bits = mix(u64(seed) + mix(u64(number // 2)))
        plain = np.int64(number & 1)
        length = play_game(states, moves, spare, nets, bits, plain, 0.0, bufs, xs, outs, sides, kinds)
        if length < 0:
            points[number] = 0
            continue
        value = worth(states[0], sides[length], outs[length])
        points[number] = -value if sides[length] == plain else value


# From Python ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Recipe:
    """How a network looks and how it learns."""

    name: str
    inputs: int
    hidden: int
    kinds: int = 1
    rate: float = 0.02
    """Of the first steps; it falls as 1 / (1 + games / slow), down to `least`."""
    trace: float = 0.7
    """λ."""
    slow: float = 100_000.0
    least: float = 0.0005
    explore: float = 0.0


@dataclass(frozen=True)
class Measure:
    """What a network got against the plain rival after so many games."""

    games: int
    points: float
    """Mean points a game."""
    error: float
    """Its standard error, from pairs of games with the same dice."""
    won: float
    """The share of games won."""


def read_recipe(lessons: Lessons, name: str, **changes: Any) -> Recipe:
    """The recipe of this name with what was changed. Raises BadInput."""
    if name not in lessons.recipes:
        known = ", ".join(lessons.recipes)
        raise BadInput(f"There is no recipe '{name}'.{suggest(name, lessons.recipes)} Expected one of {known}.")
    given = {key: value for key, value in changes.items() if value is not None}
    recipe = Recipe(name, **{**lessons.recipes[name], **given})
    kind = lessons.game.rules.weights_type
    most = kind["first"].shape[2]
    if not 1 <= recipe.hidden <= most:
        raise BadInput(f"{recipe.hidden} hidden units are not possible; expected 1 to {most}.")
    return recipe


class Trainer:
    """A network that learns a game. Raises BadInput for a recipe that does not fit the game."""

    def __init__(self, lessons: Lessons, recipe: Recipe, seed: int, net: Any = None, games: int = 0) -> None:
        game = self.game = lessons.game
        self.recipe, self.seed, self.games = recipe, seed, games
        self.lessons = lessons
        kind = game.rules.weights_type
        self.net = self._fresh(kind) if net is None else net.copy()
        width = max(kind["first"].shape[1], kind["first"].shape[2])
        self._room = (
            np.zeros((6, width), np.float32),
            np.zeros((LONGEST, kind["first"].shape[1]), np.float32),
            np.zeros((LONGEST, LANES), np.float32),
            np.zeros(LONGEST, np.int64),
            np.zeros(LONGEST, np.int64),
        )
        most = game.rules.constants["MOST_MOVES"]
        self._scratch = (np.zeros(3, game.rules.state_type), np.zeros(most, np.int64), np.zeros(most, np.int64))
        own = {"OUTPUTS": lessons.outputs, **lessons.verbs}
        self._study, self._contest = game.rules.kernel(study, **own), game.rules.kernel(contest, **own)

    def _fresh(self, kind: Any) -> Any:
        """A network that knows nothing, from the seed."""
        recipe, rng = self.recipe, np.random.default_rng(self.seed)
        net = np.zeros(1, kind)
        net["inputs"], net["hidden"], net["kinds"] = recipe.inputs, recipe.hidden, recipe.kinds
        outputs = self.lessons.outputs
        for number in range(recipe.kinds):
            first = rng.normal(0, 0.15, (recipe.inputs, recipe.hidden))
            net["first"][0, number, : recipe.inputs, : recipe.hidden] = first
            second = rng.normal(0, 0.5 / sqrt(recipe.hidden), (recipe.hidden, outputs))
            net["second"][0, number, : recipe.hidden, :outputs] = second
        return net

    def prepare(self) -> None:
        """Compile or load what learning needs, so that no clock runs meanwhile."""
        net, games = self.net.copy(), self.games
        self.learn(1)
        self.measure(1)
        self.net, self.games = net, games

    def learn(self, count: int) -> int:
        """Learn from so many more games; returns how many positions they had."""
        recipe = self.recipe
        positions = self._study(
            *self._scratch, self.net, np.uint64(self.seed), self.games, count, recipe.rate, recipe.slow, recipe.least,
            recipe.trace, recipe.explore, *self._room,
        )  # fmt: skip
        self.games += count
        return int(positions)

    def measure(self, pairs: int = 200) -> Measure:
        """Play against the plain rival, always with the same dice."""
        points = np.zeros(2 * pairs)
        self._contest(*self._scratch, self.net, np.uint64(987_654_321), pairs, points, *self._room)
        means = points.reshape(pairs, 2).mean(axis=1)
        error = float(means.std(ddof=1) / sqrt(pairs)) if pairs > 1 else 0.0
        return Measure(self.games, float(points.mean()), error, float((points > 0).mean()))
