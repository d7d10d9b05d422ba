"""gametree: a workbench for adversarial search.

>>> import gametree
>>> game = gametree.load_game("tictactoe")
>>> gametree.analyse(game, algorithm="alphabeta").value
0
"""

from __future__ import annotations

from typing import Any

from gametree.core.clock import Clock
from gametree.core.drawing import (
    Drawing,
    Item,
    Label,
    Line,
    Mark,
    Piece,
    Place,
    Rack,
    Region,
    Seat,
    Track,
    grid,
)
from gametree.core.drawing_text import drawing_text
from gametree.core.errors import (
    BadInput,
    GameError,
    GametreeError,
    IllegalMove,
    OutOfTime,
    UnfitGame,
    UnknownName,
)
from gametree.core.facts import Algorithm, Facts
from gametree.core.game import CHANCE, MAX, MIN, SIMULTANEOUS, Game, as_game
from gametree.core.record import TreeRecord
from gametree.core.registry import algorithm_names, game_names, load_algorithm, load_game
from gametree.core.result import SearchResult

__version__ = "0.1.0"

__all__ = [
    "CHANCE",
    "MAX",
    "MIN",
    "SIMULTANEOUS",
    "Algorithm",
    "BadInput",
    "Clock",
    "Drawing",
    "Facts",
    "Game",
    "GameError",
    "GametreeError",
    "IllegalMove",
    "Item",
    "Label",
    "Line",
    "Mark",
    "OutOfTime",
    "Piece",
    "Place",
    "Rack",
    "Region",
    "SearchResult",
    "Seat",
    "Track",
    "TreeRecord",
    "UnfitGame",
    "UnknownName",
    "algorithm_names",
    "analyse",
    "as_game",
    "drawing_text",
    "game_names",
    "grid",
    "load_algorithm",
    "load_game",
]


def analyse(game: Game[Any, Any], state: Any = None, *, algorithm: str = "alphabeta", **options: Any) -> SearchResult:
    """Search `game` from `state` (the initial state if None) with the algorithm of that name.

    `options` go to the algorithm: `depth`, `clock`, `record` for all, others by its own signature.
    Raises UnknownName, UnfitGame, or whatever the game raises.
    """
    run = load_algorithm(algorithm)[1]
    result: SearchResult = run(game, state, **options)
    return result
