"""Why a position is worth what it is, and why one move is better than another: for any game that explains itself.

A game explains itself if it defines `explain` (its terms for the seat to move), or `explain_sides` (each seat's part
of every term). It may besides define `explain_weights` (what each term weighs, as text), `phase_text`, `seat_names`,
and `winning_chance`, which turns a value into the expected share of the point.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from gametree.core.errors import BadInput
from gametree.core.game import Game
from gametree.play.analysis import analyse

__all__ = ["Comparison", "Explanation", "Line", "Term", "compare", "explain"]

_MOST_NOISY = 16
"""Plies by which a line is drawn out at most until the position is calm."""


@dataclass(frozen=True)
class Term:
    """A term of the evaluation; parts are what each seat's share adds for the seat to move."""

    name: str
    total: float
    parts: tuple[float, float] | None = None
    """Seat 0's and seat 1's part, where the game tells them apart."""
    weight: str = ""

    @property
    def group(self) -> str:
        """What stands before the colon of the name: terms of one group belong together."""
        return self.name.partition(":")[0]


@dataclass(frozen=True)
class Explanation:
    """The terms of a position for the seat to move; they add up to `value`."""

    state: Any
    seat: int
    value: float
    terms: tuple[Term, ...]
    phase: str = ""


@dataclass(frozen=True)
class Line:
    """A move, what it is worth to the seat that makes it, and what follows."""

    move: Any
    moves: tuple[str, ...]
    """The move and best play from there, as the game writes them."""
    value: float
    end: Any
    """The position behind the last of these moves."""
    nodes: int = 0
    depth: int = 0


@dataclass(frozen=True)
class Comparison:
    """The best move and, where one was named, another.

    `differences` are the terms where the best line ends minus those where the other does, for the seat to move at the
    root, the greatest first; None where a line ends the game.
    """

    best: Line
    named: Line | None
    differences: tuple[tuple[str, float], ...] | None


def explain(game: Game[Any, Any], state: Any) -> Explanation:
    """The terms of the position. Raises BadInput if the game offers none or is over."""
    if not game.offers("explain_sides") and not game.offers("explain"):
        raise BadInput(f"{game.name} does not say what its estimate is made of, so there is nothing to explain.")
    if game.is_terminal(state):
        raise BadInput("The game is over in this position, so there is nothing to estimate.")
    seat = game.player(state)
    if seat < 0:
        raise BadInput("Nobody in particular is to move in this position, so there is no estimate to explain.")
    texts = game.explain_weights(state)
    if game.offers("explain_sides"):
        terms = tuple(Term(name, a + b, (a, b), texts.get(name, "")) for name, a, b in game.explain_sides(state))
    else:
        terms = tuple(Term(name, total, None, texts.get(name, "")) for name, total in game.explain(state))
    return Explanation(state, seat, game.evaluate(state, seat), terms, game.phase_text(state))


def compare(
    game: Game[Any, Any],
    state: Any,
    move: Any = None,
    *,
    algorithm: str = "",
    depth: int | None = None,
    seconds: float | None = None,
) -> Comparison:
    """Search for the best move and, if `move` is another, for what refutes it, each with the same limits.

    Raises what `analyse` raises.
    """
    best = _search(game, state, None, algorithm, depth, seconds)
    named = None
    if move is not None and move != best.move:
        named = _search(game, state, move, algorithm, depth, seconds)
        # The best move is best by the deeper look: what follows it is searched no less than what follows the other.
        again = _search(game, state, best.move, algorithm, depth, seconds)
        if again.value >= named.value:
            best = again
        else:
            best, named = named, again
    differences = None
    if named is not None and not (game.is_terminal(best.end) or game.is_terminal(named.end)):
        differences = _differences(game, game.player(state), best.end, named.end)
    return Comparison(best, named, differences)


def _search(
    game: Game[Any, Any], state: Any, move: Any, algorithm: str, depth: int | None, seconds: float | None
) -> Line:
    """The line from the state, or from what `move` leads to; its value is for the seat to move in `state`."""
    seat = game.player(state)
    start = state if move is None else game.result(state, move)
    texts = [] if move is None else [game.action_text(state, move)]
    if game.is_terminal(start):
        return Line(move, tuple(texts), game.utility(start, seat), start)
    below = None if depth is None else max(1, depth - (move is not None))
    result = analyse(game, start, algorithm=algorithm, depth=below, seconds=seconds)
    end = start
    for action in (*result.pv, *_calm_down(game, start, result.pv)):
        texts.append(game.action_text(end, action))
        end = game.result(end, action)
    value = result.value if result.player == seat else -result.value
    first = result.move if move is None else move
    return Line(first, tuple(texts), value, end, result.nodes, result.depth)


def _calm_down(game: Game[Any, Any], state: Any, line: Sequence[Any]) -> list[Any]:
    """The noisy moves that a line leaves to be made: searches look at them, but do not report them."""
    for action in line:
        state = game.result(state, action)
    more: list[Any] = []
    while len(more) < _MOST_NOISY and not game.is_terminal(state) and game.offers("noisy_actions"):
        result = analyse(game, state, depth=1)
        if result.move not in game.noisy_actions(state):
            break
        more.append(result.move)
        state = game.result(state, result.move)
    return more


def _differences(game: Game[Any, Any], seat: int, better: Any, worse: Any) -> tuple[tuple[str, float], ...]:
    """Term by term what the first position has more than the second for `seat`; equal terms are left out."""
    sums: dict[str, float] = {}
    for state, sign in ((better, 1), (worse, -1)):
        found = explain(game, state)
        turned = sign if found.seat == seat else -sign
        for term in found.terms:
            sums[term.name] = sums.get(term.name, 0.0) + turned * term.total
    told = [(name, total) for name, total in sums.items() if not math.isclose(total, 0, abs_tol=5e-4)]
    return tuple(sorted(told, key=lambda pair: -abs(pair[1])))
