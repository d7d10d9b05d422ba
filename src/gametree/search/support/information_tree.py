"""The whole tree of a game as flat arrays, with the information sets of every seat: what solvers of hidden games walk.

Nodes are numbered level by level, so that a node's children stand side by side behind it, and one loop forwards carries
chances down the tree and one loop backwards carries values up. A seat cannot tell apart the nodes of one information
set: it has heard the same in all of them (`gametree.core.hearing`). Seats that choose at once choose one after the
other here, and none hears of another's choice before all have chosen. Who has one choice only does not decide.
"""

from __future__ import annotations

import random
from collections.abc import Hashable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from gametree.core.clock import Clock
from gametree.core.errors import UnfitGame
from gametree.core.game import CHANCE, SIMULTANEOUS, Game
from gametree.core.hearing import SILENCE, hear_all

__all__ = ["MOST_NODES", "InformationSet", "InformationTree", "estimated_nodes"]

MOST_NODES = 3_000_000
"""Trees with more nodes are refused: they would take more than a GiB while they are built."""

NATURE, END = -1, -2


@dataclass
class InformationSet:
    """What a seat cannot tell apart, and what it may choose there."""

    seat: int
    key: tuple[int, Hashable]
    """The seat and its ear, or the key that the game gives it: the same in every process."""
    actions: tuple[Any, ...]
    texts: tuple[str, ...]
    """The actions as people write them."""
    view: Hashable
    """What the seat sees in all nodes of the set."""
    text: str
    """The view in a line."""
    length: int
    """So often the seat has decided before."""
    first: int = 0
    """The place of its first action in arrays that hold a number for each action of each set."""
    nodes: list[int] = field(default_factory=list)


@dataclass
class _Open:
    """A node that is not built yet."""

    state: Any
    ears: tuple[int, ...]
    chosen: tuple[Any, ...]
    """What seats have chosen so far where several choose at once; () elsewhere."""
    lengths: tuple[int, ...]


class InformationTree:
    """The tree below a state. Raises UnfitGame if it is larger than `limit` nodes, OutOfTime.

    Arrays, by node: `seat` (or NATURE, END), `first` child and `count` of children, `chance` (the probability that
    nature goes there from its parent, 1 below a seat), `place` (its information set), `parent`; by end and seat:
    `payoff`, whose row `payoff_row` says. By information set: `first_action` and `actions_of`. Sets that share a key
    and have the same actions are one.
    """

    def __init__(
        self, game: Game[Any, Any], state: Any = None, *, limit: int = MOST_NODES, clock: Clock | None = None
    ) -> None:
        self.game = game
        self.seats = game.facts.players
        self.sets: list[InformationSet] = []
        self.decisions = self.chances = self.ends = 0
        self._places: dict[tuple[int, Hashable], int] = {}
        start = game.initial() if state is None else state
        self._build(_Open(start, (SILENCE,) * self.seats, (), (0,) * self.seats), limit, clock)

    def _build(self, root: _Open, limit: int, clock: Clock | None) -> None:
        seat: list[int] = []
        first: list[int] = []
        count: list[int] = []
        place: list[int] = []
        chance, parent = [1.0], [-1]
        payoffs: list[tuple[float, ...]] = []
        payoff_row: list[int] = []
        level = [root]
        total = 1
        while level:
            below: list[_Open] = []
            for node in level:
                number = len(seat)
                if clock is not None and number & 255 == 0:
                    clock.check(number)
                who, choices, chances = self._moves(node)
                seat.append(who)
                first.append(total)
                count.append(len(choices))
                payoff_row.append(-1)
                place.append(-1)
                if who == END:
                    self.ends += 1
                    payoff_row[-1] = len(payoffs)
                    payoffs.append(tuple(self.game.utilities(node.state)))
                    continue
                if who == NATURE:
                    self.chances += 1
                else:
                    self.decisions += 1
                    place[-1] = self._set_of(node, who, tuple(choices))
                    self.sets[place[-1]].nodes.append(number)
                total += len(choices)
                if total > limit:
                    raise UnfitGame(
                        f"The tree of {self.game.name} has more than {limit:,} nodes; expected a smaller game, or a "
                        "position nearer to its end."
                    )
                parent += [number] * len(choices)
                chance += chances or [1.0] * len(choices)
                below += [self._after(node, who, choice) for choice in choices]
            level = below
        self.seat = np.array(seat, np.int64)
        self.first = np.array(first, np.int64)
        self.count = np.array(count, np.int64)
        self.place = np.array(place, np.int64)
        self.parent = np.array(parent, np.int64)
        self.chance = np.array(chance, np.float64)
        self.payoff_row = np.array(payoff_row, np.int64)
        self.payoff = np.array(payoffs, np.float64).reshape(len(payoffs), self.seats)
        sizes = [len(known.actions) for known in self.sets]
        self.actions_of = np.array(sizes, np.int64)
        self.first_action = np.concatenate(([0], np.cumsum(sizes))).astype(np.int64)[:-1]
        self.owner = np.array([known.seat for known in self.sets], np.int64)
        for known, where in zip(self.sets, self.first_action.tolist(), strict=True):
            known.first = where

    def __len__(self) -> int:
        return len(self.seat)

    @property
    def size(self) -> int:
        """How many numbers a strategy has: one for each action of each information set."""
        return int(self.actions_of.sum())

    def _moves(self, node: _Open) -> tuple[int, list[Any], list[float]]:
        """Who decides at a node, what can be chosen, and nature's probabilities. Forced choices are made at once."""
        game = self.game
        while True:
            if game.is_terminal(node.state):
                return END, [], []
            mover = game.player(node.state)
            if mover == CHANCE:
                outcomes = game.outcomes(node.state)
                if len(outcomes) > 1:
                    return NATURE, [outcome for outcome, _ in outcomes], [odds for _, odds in outcomes]
                self._play(node, outcomes[0][0])
            elif mover == SIMULTANEOUS:
                while len(node.chosen) < self.seats:
                    who = len(node.chosen)
                    choices = list(game.seat_actions(node.state, who))
                    if len(choices) > 1:
                        return who, choices, []
                    node.chosen += (choices[0] if choices else None,)
                self._play(node, node.chosen)
            else:
                choices = list(game.actions(node.state))
                if len(choices) != 1:
                    return mover, choices, []
                self._play(node, choices[0])

    def _play(self, node: _Open, action: Any) -> None:
        """Turn a node into the one after an action."""
        after = self.game.result(node.state, action)
        node.ears = hear_all(self.game, node.ears, node.state, action, after)
        node.state, node.chosen = after, ()

    def _after(self, node: _Open, who: int, choice: Any) -> _Open:
        """The node below."""
        lengths = tuple(length + (seat == who) for seat, length in enumerate(node.lengths))
        below = _Open(node.state, node.ears, node.chosen, lengths)
        if who != NATURE and self.game.player(node.state) == SIMULTANEOUS:
            below.chosen += (choice,)
        else:
            self._play(below, choice)
        return below

    def _set_of(self, node: _Open, seat: int, actions: tuple[Any, ...]) -> int:
        """The number of the node's information set."""
        game = self.game
        view = game.view(node.state, seat)
        ear: Hashable = game.info_key(view, seat) if game.offers("info_key") else node.ears[seat]
        found = self._places.get((seat, ear))
        if found is None:
            found = self._places[seat, ear] = len(self.sets)
            several = game.player(node.state) == SIMULTANEOUS
            texts = tuple(str(action) if several else game.action_text(view, action) for action in actions)
            text = game.state_text(view)
            self.sets.append(InformationSet(seat, (seat, ear), actions, texts, view, text, node.lengths[seat]))
        known = self.sets[found]
        if known.actions != actions:
            raise UnfitGame(
                f"{game.name} lets {game.seat_names[seat]} choose {list(actions)} at '{known.text}', and elsewhere "
                f"{list(known.actions)}, though it hears the same there; expected the same actions."
            )
        known.length = max(known.length, node.lengths[seat])
        return found

    def uniform(self) -> Any:
        """The strategy that takes every action with the same probability."""
        return 1.0 / np.repeat(self.actions_of, self.actions_of)


def estimated_nodes(game: Game[Any, Any], *, tries: int = 40, most: int = 200) -> float:
    """About how many nodes the game's tree has, by random games (Knuth 1975); infinity if one takes `most` plies."""
    rng = random.Random(1)
    sums = 0.0
    for _ in range(tries):
        state, width, nodes = game.initial(), 1.0, 1.0
        for _ in range(most):
            if game.is_terminal(state):
                break
            actions = game.actions(state)
            width *= len(actions)
            nodes += width
            state = game.result(state, rng.choice(list(actions)))
        else:
            return float("inf")
        sums += nodes
    return sums / tries
