"""What the searches for equilibria share: solve the tree, and turn a strategy into the answer for one position."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gametree.core.clock import Clock
from gametree.core.errors import BadInput, UnfitGame
from gametree.core.facts import Algorithm
from gametree.core.game import CHANCE, SIMULTANEOUS, Game
from gametree.core.record import TreeRecord
from gametree.core.result import SearchResult
from gametree.search.support.information_tree import InformationTree, estimated_nodes
from gametree.search.support.random_bits import SplitMix64
from gametree.search.support.run import Run

__all__ = ["ITERATIONS", "answer", "choices_of", "preference", "solve", "start_of"]

ITERATIONS = 1000
"""Iterations where neither `iterations` nor a clock says it."""

_SMALL = 60_000.0
"""Trees of about so many nodes are solved in a moment."""


def preference(game: Game[Any, Any]) -> int:
    """For `Algorithm.preference`: gladly where something is hidden or chosen at once, and the whole tree is small."""
    facts = game.facts
    if not (facts.hidden or facts.simultaneous) or facts.unlisted or facts.longest_game is None:
        return 0
    return 95 if estimated_nodes(game) <= _SMALL else 0


def start_of(game: Game[Any, Any], state: Any) -> Any:
    """Where the tree begins: at the position itself if nothing is hidden, else at the start.

    Of a hidden game the whole tree is needed, because what the others may hold hangs on what they would have done.
    """
    return game.initial() if game.facts.hidden else state


def solve(
    algorithm: Algorithm,
    game: Game[Any, Any],
    state: Any,
    *,
    clock: Clock | None,
    record: TreeRecord | None,
    iterations: int | None,
    seed: int,
    discount: Callable[[], Any],
    alternating: bool,
) -> SearchResult:
    """Run regret matching below the start and answer for `state`; the searches that differ in `discount` call it."""
    from gametree.search.support.regrets import Regrets

    if record is not None:
        raise BadInput(f"{algorithm.name} keeps no tree record: it walks the whole tree again and again.")
    if iterations is not None and iterations < 1:
        raise BadInput(f"iterations={iterations} is too few; expected at least 1.")
    run = Run(algorithm, game, state, clock=clock)
    if run.terminal:
        values = tuple(run.game.utilities(run.state))
        return run.finish(values[0], [], nodes=1, leaves=1, values=values, iterations=0)
    tree = InformationTree(run.game, start_of(run.game, run.state), clock=clock)
    regrets = Regrets(tree, discount(), alternating=alternating)
    limit = ITERATIONS if iterations is None and clock is None else iterations
    stopped = regrets.run_for(limit, clock)
    return answer(
        run,
        tree,
        regrets.average(),
        seed=seed,
        iterations=regrets.iterations,
        complete=not stopped or iterations is None,
    )


def choices_of(tree: InformationTree, state: Any) -> dict[int, int]:
    """The seats that decide at a position of the tree, each with its information set.

    It is found by what the seat sees. Raises UnfitGame if the tree has no such position, or several that only their
    past tells apart.
    """
    game = tree.game
    mover = game.player(state)
    found = {}
    seats = range(tree.seats) if mover == SIMULTANEOUS else () if mover == CHANCE else (mover,)
    for seat in seats:
        choices = tuple(game.seat_actions(state, seat)) if mover == SIMULTANEOUS else tuple(game.actions(state))
        if len(choices) < 2:
            continue
        view = game.view(state, seat)
        places = [
            place
            for place, known in enumerate(tree.sets)
            if known.seat == seat and known.view == view and known.actions == choices
        ]
        if not places:
            raise UnfitGame(
                f"'{game.state_text(view)}' cannot come about in {game.name}; expected a position that can."
            )
        found[seat] = max(places, key=lambda place: len(tree.sets[place].nodes))
    return found


def answer(
    run: Run, tree: InformationTree, strategy: Any, *, seed: int, iterations: int, complete: bool, **details: Any
) -> SearchResult:
    """The result for the run's position: what it is worth if all follow the strategy, and a move drawn by it.

    `details` hold `strategy`, the probability of each move; at choices made at once by seat.
    """
    from gametree.search.support.regrets import exploitability, profile_values, worth_at

    game, state = run.game, run.state
    rng = SplitMix64(seed)
    deciding = choices_of(tree, state)
    mover = game.player(state)
    odds: dict[str, Any] = {}
    drawn: dict[int, Any] = {}
    for seat, place in deciding.items():
        known = tree.sets[place]
        shares = strategy[known.first : known.first + len(known.actions)].tolist()
        drawn[seat] = known.actions[rng.outcome([(None, share) for share in shares])]
        told = dict(zip(known.texts, shares, strict=True))
        odds = {**odds, game.seat_names[seat]: told} if mover == SIMULTANEOUS else told
    move: Any = None
    if mover == SIMULTANEOUS:
        only = [tuple(game.seat_actions(state, seat)) for seat in range(tree.seats)]
        move = tuple(drawn.get(seat, choices[0] if choices else None) for seat, choices in enumerate(only))
    elif mover != CHANCE:
        move = drawn.get(mover, next(iter(game.actions(state))))
    values: tuple[float, ...] | None = profile_values(tree, strategy)
    value = values[0] if values else 0.0
    if game.facts.hidden and mover not in (CHANCE, SIMULTANEOUS) and mover in deciding:
        worth, values = worth_at(tree, strategy, deciding[mover]), None
        value = worth if run.seat == 0 else (game.facts.utility_sum or 0.0) - worth
        if tree.seats > 2:
            values = tuple(worth if seat == mover else float("nan") for seat in range(tree.seats))
    return run.finish(
        value,
        [] if move is None else [move],
        nodes=len(tree) * max(1, iterations) * tree.seats,
        leaves=tree.ends * max(1, iterations) * tree.seats,
        values=values,
        move=move,
        complete=complete,
        iterations=iterations,
        information_sets=len(tree.sets),
        exploitability=exploitability(tree, strategy),
        strategy=odds,
        **details,
    )
