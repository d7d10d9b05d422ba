"""What a worker process does for the home page: a few positions of a game, as anyone may see them."""

from __future__ import annotations

import random
from typing import Any

from gametree.core.errors import GametreeError
from gametree.core.game import CHANCE, SIMULTANEOUS, Game
from gametree.core.scene import scene
from gametree.interfaces.web.games import open_game
from gametree.interfaces.web.worker import Job
from gametree.kernels.waiting import use_policy

__all__ = ["pictures"]

_PLIES = 16
"""Plies of the game, if it lasts so long."""
_PICTURES = 6
"""The last positions are shown."""
_SECONDS = 4.0
"""Time after which what there is will do."""


def pictures(job: Job, game: str) -> dict[str, Any]:
    """Views of the last positions of one random game, without legal moves, and of what kind the game is."""
    rules = open_game(game)
    lots = random.Random(game)
    with use_policy("never"):  # nobody waits for the compiler because of a picture
        states = [rules.initial()]
        while len(states) <= _PLIES and job.clock.elapsed() < _SECONDS and not rules.is_terminal(states[-1]):
            try:
                states.append(rules.result(states[-1], _choose(rules, states[-1], lots)))
            except GametreeError:
                break
        views = [_view(rules, state) for state in states[-_PICTURES:]]
    return {"views": views, "chance": rules.facts.chance, "hidden": rules.facts.hidden}


def _choose(game: Game[Any, Any], state: Any, lots: random.Random) -> Any:
    if game.player(state) == CHANCE:
        return game.roll(state, lots)
    if game.player(state) == SIMULTANEOUS:
        return lots.choice(list(game.actions(state)))
    moves = list(game.plausible_actions(state) if game.offers("plausible_actions") else game.actions(state))
    return lots.choice(moves or list(game.actions(state)))


def _view(game: Game[Any, Any], state: Any) -> dict[str, Any]:
    """Face up only what everybody sees."""
    seat = -1 if game.facts.hidden else 0
    return {"drawing": scene(game.draw_for(state, seat)).to_data(), "moves": [], "last": []}
