"""Guaranteed wins without seeing the board: AND-OR search over sets of states.

Source: Russell and Wolfe, "Efficient belief-state AND-OR search, with application to Kriegspiel" (2005).

    WIN(B, n): the mover can win within n moves of its own on whichever of the states B it is
        if a state of B is over: every one must be won
        for each try t that is played, or told something, in some state of B
            C ← the states of B in which t is played
            if WIN-AFTER(C, t, n) then return WIN(B without C, n)        what is refused is known not to be in C
        return false
    WIN-AFTER(C, t, n)
        for each word that the mover can hear of t: the states behind it must all be won, or n > 1 and
            for each word that it can hear of the other's replies: WIN(the states behind it, n − 1)

A part of a set that can be won can be won, so the first try that does is as good as any other, and nothing is ever
taken back. Refused tries cost no move.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from gametree.core.clock import Clock
from gametree.core.errors import BadInput, UnfitGame
from gametree.core.facts import Algorithm
from gametree.core.game import Game
from gametree.core.record import TreeRecord
from gametree.core.result import SearchResult
from gametree.search.support.run import Run

if TYPE_CHECKING:
    pass

__all__ = ["ALGORITHM", "first_tries", "search", "winning_moves"]

ALGORITHM = Algorithm(
    name="guaranteed",
    title="Guaranteed wins by AND-OR search over beliefs",
    source="Russell and Wolfe (2005)",
    compiled=True,
    hidden=True,
    exact=False,
    takes_depth=False,
    repetition=(),
    records=False,
    needs=("hear",),
)
MOVES = 2
"""How many moves of its own the mover may take, where nobody says it."""
MOST_BOARDS = 2000


def search(
    game: Game[Any, Any],
    state: Any = None,
    *,
    clock: Clock | None = None,
    record: TreeRecord | None = None,
    moves: int = MOVES,
    belief: Any = None,
) -> SearchResult:
    """Return a first try that wins for sure within `moves` moves of the mover's own, whatever it will hear.

    The value is the highest utility then, a proven lower bound. If there is none the value is the lowest, an estimate
    that says nothing but that, and the move is the first. `belief` is an exact Belief of the mover; without one the
    state itself is taken as known to the mover, as in a problem. `details` hold how many `moves` are needed and the
    `keys`, all first tries that win in so few. Raises OutOfTime, BadInput, and UnfitGame where nobody is to move or the
    belief is not exact.
    """
    if record is not None:
        raise BadInput("guaranteed keeps no tree record: its nodes are sets of states.")
    if moves < 1:
        raise BadInput(f"moves={moves} is too few; expected at least 1.")
    run = Run(ALGORITHM, game, state, clock=clock)
    if run.terminal:
        raise UnfitGame(f"guaranteed cannot search {game.name} here: the game is over; expected a player to move.")
    if belief is not None and not belief.is_exact:
        raise UnfitGame("guaranteed needs a belief that is exact: a board that was left out could spoil the guarantee.")
    rules: Any = run.game
    states = rules.structs(run.state) if belief is None else belief.states
    prover = _prover(rules, run.player, clock)
    facts = run.game.facts
    for count in range(1, moves + 1):
        keys = prover.keys(states, count)
        if keys:
            texts = [game.action_text(run.state, key) for key in keys]
            return run.finish(
                facts.max_utility,
                [keys[0]],
                nodes=prover.nodes,
                depth=2 * count - 1,
                bound="lower",
                keys=texts,
                moves=count,
            )
    action = next(iter(game.actions(run.state)))
    return run.finish(facts.min_utility, [action], nodes=prover.nodes, depth=2 * moves - 1, bound="estimate", keys=[])


def _prover(game: Any, seat: int, clock: Clock | None) -> Any:
    from gametree.search.hidden.belief.proving import Prover

    return Prover(game, seat, clock)


def first_tries(game: Any, states: Iterable[Any], moves: int) -> list[int]:
    """The first tries that surely win within this many moves, if the mover knows only that it is one of the states."""
    import numpy as np

    boards = np.frombuffer(bytearray(b"".join(states)), game.rules.state_type)
    seat = int(game.player(game.pack(boards[:1])))
    found: list[int] = _prover(game, seat, None).keys(boards, moves)
    return found


def winning_moves(game: Any, states: Sequence[Any], most: int) -> int | None:
    """The fewest moves in which the mover wins for sure on whichever of the states it is; None if not within `most`."""
    return next((count for count in range(1, most + 1) if first_tries(game, states, count)), None)
