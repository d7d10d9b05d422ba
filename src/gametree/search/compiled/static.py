"""Static choice: take the move that the game itself thinks best, without any search.

Source: Sheppard, "World-championship-caliber Scrabble" (2002), whose program weighs moves so before it simulates them.

    return the move that the game's own playout policy takes, PLAYOUT-MOVE(s)

For games whose policy knows much, such as Scrabble: points and the value of the tiles that stay. It looks at nothing
but the mover's view. `simulate` looks further.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from gametree.core.errors import BadInput, UnfitGame
from gametree.core.facts import Algorithm
from gametree.core.game import Game
from gametree.core.record import TreeRecord
from gametree.core.result import SearchResult
from gametree.kernels.verbs import move_key, playout_move
from gametree.search.support.run import Clock, Run

__all__ = ["ALGORITHM", "CANDIDATES", "described", "knows_moves", "rank_moves", "search"]


def knows_moves(game: Game[Any, Any]) -> bool:
    """Whether the game is compiled and says both which move it would take and how promising each is."""
    return game.facts.compiled and {"playout_move", "move_key"} <= game.rules.verbs.keys()  # type: ignore[attr-defined]


ALGORITHM = Algorithm(
    name="static",
    title="Static choice",
    source="Sheppard (2002)",
    sides=None,
    compiled=True,
    chance=True,
    unlisted=True,
    hidden=True,
    wide_moves=True,
    general_sum=True,
    exact=False,
    takes_depth=False,
    anytime=True,
    records=False,
    preference=lambda game: 92 if game.facts.wide_moves and knows_moves(game) else 0,
)

CANDIDATES = 10
"""How many moves are described in the result where nobody says it."""


def take_move(states: Any, bits: Any, out: Any, weights: Any) -> Any:
    """The move of the game's policy."""
    return playout_move(states[0], bits, out, weights[0])


def weigh_moves(states: Any, moves: Any, keys: Any, weights: Any, notes: Any) -> None:
    """The key of every move."""
    for i in range(moves.shape[0]):
        keys[i] = move_key(states[0], moves[i], weights[0], notes[0])


def rank_moves(game: Any, view: Any, moves: Any) -> Any:
    """The keys of moves, an array of whole numbers."""
    keys = np.zeros(len(moves), np.int64)
    notes = np.zeros(1, game.rules.note_type)
    game.rules.kernel(weigh_moves)(game.structs(view), moves, keys, game.w, notes)
    return keys


def described(game: Game[Any, Any], view: Any, moves: list[Any]) -> list[dict[str, Any]]:
    """Moves with what the game tells of them."""
    return [{"move": game.action_text(view, move), **game.explain_move(view, move)} for move in moves]


def search(
    game: Game[Any, Any],
    state: Any = None,
    *,
    clock: Clock | None = None,
    record: TreeRecord | None = None,
    candidates: int | None = CANDIDATES,
    seed: int = 0,
) -> SearchResult:
    """Return the move of the game's own policy; the value is the game's estimate after it, and so an estimate.

    `details` hold `candidates`: so many moves, the most promising first, with what the game tells of them; None: all.
    Raises BadInput and UnfitGame.
    """
    if record is not None:
        raise BadInput("static keeps no tree record: it does not search.")
    run = Run(ALGORITHM, game, state, clock=clock)
    rules: Any = run.game
    if not knows_moves(rules):
        raise UnfitGame(f"static cannot choose in {rules.name}: its rules do not define playout_move and move_key.")
    if candidates is not None and candidates < 0:
        raise BadInput(f"candidates={candidates} is not possible; expected a number from 0 up.")
    if run.terminal or run.chance:
        estimate = rules.utility(run.state, 0) if run.terminal else rules.evaluate(run.state, 0)
        return run.finish(float(estimate), [], nodes=1, leaves=1, horizon=not run.terminal)
    seat = run.player
    view = rules.view(run.state, seat)
    scratch = np.empty(rules.facts.most_moves, np.int64)
    move = int(rules.rules.kernel(take_move)(rules.structs(view), np.uint64(seed), scratch, rules.w))
    shown: list[dict[str, Any]] = []
    if candidates != 0:
        moves = np.array(rules.actions(view), np.int64)
        order = np.argsort(-rank_moves(rules, view, moves), kind="stable")
        shown = described(rules, view, moves[order[:candidates]].tolist())
    after = rules.result(view, move)
    value = float(rules.utility(after, seat) if rules.is_terminal(after) else rules.evaluate(after, seat))
    two = len(rules.facts.sides) == 2 and rules.facts.utility_sum is not None
    return run.finish(
        value if seat == 0 or not two else -value,
        [move],
        nodes=1,
        leaves=1,
        depth=0,
        bound="estimate",
        values=None if two else tuple(value if each == seat else 0.0 for each in range(rules.facts.players)),
        candidates=shown,
    )
