"""Judging tries on the boards of a belief, and choosing among them by what the umpire would answer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from gametree.core.clock import Clock
from gametree.search.hidden.belief.kernels import REFUSED, judge
from gametree.search.hidden.belief.worlds import Belief, pick

__all__ = ["Found", "choose"]

_CHUNK = 8
_USUAL, _MOST = 120, 1000


@dataclass(frozen=True)
class Found:
    """What `choose` found."""

    action: int
    value: float
    nodes: int
    boards: int
    complete: bool
    means: dict[str, float]
    legal: dict[str, float]


def choose(
    game: Any,
    belief: Belief,
    view: Any,
    seat: int,
    *,
    clock: Clock | None,
    boards: int | None,
    caution: float,
    look: str,
) -> Found:
    """The try with the best value, in points."""
    rules = game.rules
    tries = np.array(game.actions(view), np.int64)
    wanted = boards if boards is not None else _USUAL if clock is None else _MOST
    states, odds = belief.sample(wanted)
    mixed = np.random.default_rng(0).permutation(len(states))  # so that a search that is stopped has seen any of them
    states, odds = pick(states, mixed), odds[mixed]
    table = np.zeros((len(tries), len(states)))
    kernel, notes = rules.kernel(judge), np.zeros(1, rules.note_type)
    done = 0
    while done < len(states):
        end = min(len(states), done + _CHUNK)
        kernel(states[:end], tries, seat, 1.0 if look == "vote" else caution, done, table, game.w, notes)
        done = end
        if clock is not None and clock.expired(done * len(tries)):
            break
    table, odds = table[:, :done], odds[:done] / odds[:done].sum()
    played = table != REFUSED
    share = played @ odds
    values = _vote(table, played, odds) if look == "vote" else _by_answers(table, played, odds)
    best = int(np.argmax(values))
    unit = rules.constants["UNIT"]
    texts = [game.action_text(view, int(action)) for action in tries]
    means = np.where(played, table, 0.0) @ odds / np.maximum(share, 1e-12) / unit
    limits = game.facts.min_utility, game.facts.max_utility
    return Found(
        action=int(tries[best]),
        value=float(np.clip((values[best] if look != "vote" else means[best] * unit) / unit, *limits)),
        nodes=done * len(tries),
        boards=done,
        complete=done == len(states),
        means={text: round(float(mean), 4) for text, mean, legal in zip(texts, means, share, strict=True) if legal > 0},
        legal={text: round(float(legal), 4) for text, legal in zip(texts, share, strict=True)},
    )


def _by_answers(table: Any, played: Any, odds: Any) -> Any:
    """V of every try: its mean where it is played, and where it is refused, the best that can be tried then."""
    sums = np.where(played, table, 0.0)
    # What a state is worth if nothing is known of it: the mean of what can be played there.
    usual = sums.sum(axis=0) / np.maximum(played.sum(axis=0), 1)
    values = np.full(len(table), -np.inf)
    for place in range(len(table)):
        if not played[place].any():
            continue
        refused = ~played[place]
        value = float(sums[place] @ odds)
        if refused.any():
            chances = odds[refused]
            rest = np.where(played[:, refused], table[:, refused], usual[refused])
            others = rest @ chances
            others[place] = -np.inf
            others[~played[:, refused].any(axis=1)] = -np.inf
            value += float(others.max()) if np.isfinite(others.max()) else float(usual[refused] @ chances)
        values[place] = value
    return values


def _vote(table: Any, played: Any, odds: Any) -> Any:
    """The votes for every try: of each state for the one that is best in it."""
    values = np.zeros(len(table))
    np.add.at(values, np.where(played, table, -np.inf).argmax(axis=0), odds)
    return values
