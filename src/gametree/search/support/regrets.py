"""Regret matching on a whole tree, compiled, and the best response to a strategy.

    repeat for t = 1, 2, ...
        for every seat p do                                        (alternating: p answers what the others have become)
            walk down: the chance that nature and the others come to each node, and that p does
            walk up: the value of each node for p under the present strategies
            at each information set of p, for every action a:
                regret[a] += Σ over its nodes: chance of the others × (value after a − value of the node)
                average[a] += weight(t) × chance of p × strategy[a]
            discount the regrets of p
            strategy ← the positive regrets, scaled to 1; all actions alike if there are none

A strategy is an array of numbers, one for each action of each information set, those of a set side by side.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from gametree.core.clock import Clock
from gametree.kernels.jit import jit
from gametree.search.support.information_tree import END, NATURE, InformationTree

__all__ = ["Discount", "Regrets", "best_responses", "exploitability", "profile_values", "worth_at"]


@dataclass(frozen=True)
class Discount:
    """How the past counts after iteration t.

    Positive regrets are multiplied by t^alpha / (t^alpha + 1), negative ones by t^beta / (t^beta + 1), and the
    strategy of iteration t weighs t^gamma in the average. None leaves regrets as they are; `floor` sets negative ones
    to 0.
    """

    alpha: float | None = None
    beta: float | None = None
    gamma: float = 0.0
    floor: bool = False

    def factors(self, t: int) -> tuple[float, float]:
        """What positive and what negative regrets are multiplied by after iteration t."""
        return _factor(self.alpha, t), 0.0 if self.floor else _factor(self.beta, t)


def _factor(power: float | None, t: int) -> float:
    if power is None:
        return 1.0
    return 1.0 / (1.0 + math.pow(t, -power))


def go_down(
    seat: Any, first: Any, count: Any, place: Any, chance: Any, start: Any, strategy: Any, p: Any, own: Any, others: Any
) -> None:
    """Write how likely seat p by itself, and all others with nature, come to each node."""
    own[0] = 1.0
    others[0] = 1.0
    for node in range(len(seat)):
        who = seat[node]
        if who == END:
            continue
        mine, theirs = own[node], others[node]
        below = first[node]
        if who == NATURE:
            for k in range(count[node]):
                own[below + k] = mine
                others[below + k] = theirs * chance[below + k]
        else:
            at = start[place[node]]
            if who == p:
                for k in range(count[node]):
                    own[below + k] = mine * strategy[at + k]
                    others[below + k] = theirs
            else:
                for k in range(count[node]):
                    own[below + k] = mine
                    others[below + k] = theirs * strategy[at + k]


def go_up(
    seat: Any,
    first: Any,
    count: Any,
    place: Any,
    chance: Any,
    start: Any,
    strategy: Any,
    payoff: Any,
    row: Any,
    p: Any,
    value: Any,
) -> None:
    """Write what each node is worth to seat p."""
    for node in range(len(seat) - 1, -1, -1):
        who = seat[node]
        if who == END:
            value[node] = payoff[row[node], p]
            continue
        below = first[node]
        total = 0.0
        if who == NATURE:
            for k in range(count[node]):
                total += chance[below + k] * value[below + k]
        else:
            at = start[place[node]]
            for k in range(count[node]):
                total += strategy[at + k] * value[below + k]
        value[node] = total


def learn(
    seat: Any,
    first: Any,
    count: Any,
    place: Any,
    start: Any,
    strategy: Any,
    p: Any,
    own: Any,
    others: Any,
    value: Any,
    weight: Any,
    regret: Any,
    average: Any,
) -> None:
    """Add what seat p regrets at each of its nodes, and what it has played."""
    for node in range(len(seat)):
        if seat[node] != p:
            continue
        at, below = start[place[node]], first[node]
        here, theirs, mine = value[node], others[node], weight * own[node]
        for k in range(count[node]):
            regret[at + k] += theirs * (value[below + k] - here)
            average[at + k] += mine * strategy[at + k]


def match(owner: Any, start: Any, size: Any, p: Any, positive: Any, negative: Any, regret: Any, strategy: Any) -> None:
    """Discount the regrets of seat p, and let its strategy follow those above 0."""
    for i in range(len(owner)):
        if owner[i] != p:
            continue
        total = 0.0
        for k in range(start[i], start[i] + size[i]):
            regret[k] *= positive if regret[k] > 0 else negative
            if regret[k] > 0:
                total += regret[k]
        for k in range(start[i], start[i] + size[i]):
            if total > 0:
                strategy[k] = regret[k] / total if regret[k] > 0 else 0.0
            else:
                strategy[k] = 1.0 / size[i]


@jit
def iterate(
    seat: Any, first: Any, count: Any, place: Any, chance: Any, payoff: Any, row: Any, owner: Any, start: Any,
    size: Any, strategy: Any, regret: Any, average: Any, own: Any, others: Any, value: Any, factors: Any,
    seats: Any, alternating: Any,
) -> None:  # fmt: skip
    """One iteration for each row of `factors`: for positive and for negative regrets, and the weight of the average."""
    for t in range(len(factors)):
        for p in range(seats):
            go_down(seat, first, count, place, chance, start, strategy, p, own, others)
            go_up(seat, first, count, place, chance, start, strategy, payoff, row, p, value)
            learn(seat, first, count, place, start, strategy, p, own, others, value, factors[t, 2], regret, average)
            if alternating:
                match(owner, start, size, p, factors[t, 0], factors[t, 1], regret, strategy)
        if not alternating:
            for p in range(seats):
                match(owner, start, size, p, factors[t, 0], factors[t, 1], regret, strategy)


@jit
def value_of(
    seat: Any, first: Any, count: Any, place: Any, chance: Any, payoff: Any, row: Any, start: Any, strategy: Any,
    p: Any, own: Any, others: Any, value: Any,
) -> None:  # fmt: skip
    """Fill `own`, `others` and `value` for seat p under a strategy of all seats."""
    go_down(seat, first, count, place, chance, start, strategy, p, own, others)
    go_up(seat, first, count, place, chance, start, strategy, payoff, row, p, value)


@jit
def respond(
    seat: Any, first: Any, count: Any, place: Any, chance: Any, payoff: Any, row: Any, owner: Any, start: Any,
    size: Any, length: Any, strategy: Any, p: Any, own: Any, others: Any, value: Any, gain: Any,
) -> None:  # fmt: skip
    """Replace seat p's part of `strategy` by its best response to the rest, which is pure; value[0] is its worth.

    Sets at which p has decided most often before come first: with perfect recall nothing that p decides earlier or
    elsewhere changes what is best there.
    """
    go_down(seat, first, count, place, chance, start, strategy, p, own, others)
    deepest = 0
    for i in range(len(owner)):
        if owner[i] == p and length[i] > deepest:
            deepest = length[i]
    for now in range(deepest, -1, -1):
        go_up(seat, first, count, place, chance, start, strategy, payoff, row, p, value)
        gain[:] = 0.0
        for node in range(len(seat)):
            if seat[node] == p and length[place[node]] == now:
                at, below = start[place[node]], first[node]
                for k in range(count[node]):
                    gain[at + k] += others[node] * value[below + k]
        for i in range(len(owner)):
            if owner[i] == p and length[i] == now:
                best = start[i]
                for k in range(start[i], start[i] + size[i]):
                    if gain[k] > gain[best]:
                        best = k
                for k in range(start[i], start[i] + size[i]):
                    strategy[k] = 1.0 if k == best else 0.0
    go_up(seat, first, count, place, chance, start, strategy, payoff, row, p, value)


class Regrets:
    """The regrets and strategies of all seats, updated iteration by iteration."""

    def __init__(self, tree: InformationTree, discount: Discount, *, alternating: bool = True) -> None:
        self.tree, self.discount, self.alternating = tree, discount, alternating
        self.strategy = tree.uniform()
        self.regret = np.zeros(tree.size)
        self.sums = np.zeros(tree.size)
        self.iterations = 0
        self._own, self._others, self._value = (np.zeros(len(tree)) for _ in range(3))

    def run(self, iterations: int) -> None:
        """So many iterations more."""
        steps = range(self.iterations + 1, self.iterations + iterations + 1)
        factors = np.array([(*self.discount.factors(t), float(t) ** self.discount.gamma) for t in steps])
        tree = self.tree
        iterate(
            tree.seat, tree.first, tree.count, tree.place, tree.chance, tree.payoff, tree.payoff_row, tree.owner,
            tree.first_action, tree.actions_of, self.strategy, self.regret, self.sums, self._own, self._others,
            self._value, factors.reshape(iterations, 3), tree.seats, self.alternating,
        )  # fmt: skip
        self.iterations += iterations

    def average(self) -> Any:
        """The average strategy, which comes near an equilibrium; all actions alike where nobody ever came."""
        sizes = self.tree.actions_of
        totals = np.repeat(np.add.reduceat(self.sums, self.tree.first_action), sizes) if len(sizes) else self.sums
        return np.where(totals > 0, self.sums / np.where(totals > 0, totals, 1.0), self.tree.uniform())

    def run_for(self, iterations: int | None, clock: Clock | None, *, tell: Any = None) -> bool:
        """Iterate until the number is reached or the time is up, in portions that take a moment; True if stopped."""
        portion = 1
        while iterations is None or self.iterations < iterations:
            if clock is not None and self.iterations and clock.expired(self.iterations * len(self.tree)):
                return True
            portion = min(2 * portion, max(1, 20_000_000 // len(self.tree)))
            self.run(portion if iterations is None else min(portion, iterations - self.iterations))
            if tell is not None:
                tell(self.iterations)
        return False


def profile_values(tree: InformationTree, strategy: Any) -> tuple[float, ...]:
    """What the root is worth to every seat if all follow the strategy."""
    return tuple(_walk(tree, strategy, seat)[2][0] for seat in range(tree.seats))


def _walk(tree: InformationTree, strategy: Any, seat: int) -> tuple[Any, Any, Any]:
    """For every node the chance of the seat's own choices, that of all others', and its value to the seat."""
    own, others, value = (np.zeros(len(tree)) for _ in range(3))
    value_of(
        tree.seat, tree.first, tree.count, tree.place, tree.chance, tree.payoff, tree.payoff_row, tree.first_action,
        strategy, seat, own, others, value,
    )  # fmt: skip
    return own, others, value


def worth_at(tree: InformationTree, strategy: Any, place: int) -> float:
    """What an information set is worth to its seat, by how likely the others' play leads to each of its nodes."""
    known = tree.sets[place]
    _, others, value = _walk(tree, strategy, known.seat)
    weights = others[known.nodes]
    if weights.sum() <= 0:
        weights = np.ones(len(known.nodes))
    return float(np.average(value[known.nodes], weights=weights))


def best_responses(tree: InformationTree, strategy: Any) -> tuple[list[float], list[Any]]:
    """For every seat what its best response to the others is worth, and the strategy with that response in it."""
    values, answers = [], []
    length = np.array([known.length for known in tree.sets], np.int64)
    for seat in range(tree.seats):
        answer = np.array(strategy, np.float64)
        own, others, value = (np.zeros(len(tree)) for _ in range(3))
        respond(
            tree.seat, tree.first, tree.count, tree.place, tree.chance, tree.payoff, tree.payoff_row, tree.owner,
            tree.first_action, tree.actions_of, length, answer, seat, own, others, value, np.zeros(tree.size),
        )  # fmt: skip
        values.append(float(value[0]))
        answers.append(answer)
    return values, answers


def exploitability(tree: InformationTree, strategy: Any) -> float:
    """The mean, over seats, of what each could gain by its best response alone: 0 in an equilibrium."""
    best, _ = best_responses(tree, strategy)
    return sum(best) / tree.seats - sum(profile_values(tree, strategy)) / tree.seats
