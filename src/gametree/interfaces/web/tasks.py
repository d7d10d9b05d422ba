"""Positions that a page names by a game, a start and the texts of moves, for whoever analyses them."""

from __future__ import annotations

from collections import OrderedDict
from typing import Any

from gametree.core.errors import BadInput
from gametree.core.game import Game
from gametree.interfaces.web.tables import LONGEST_GAME

__all__ = ["LONGEST_GAME", "line_states"]

_lines: OrderedDict[tuple[str, str | None, tuple[str, ...]], tuple[Any, Any, Any]] = OrderedDict()
"""(game, start, moves) → (state before the last move, the last move, state): most requests go one move further."""


def line_states(game: Game[Any, Any], start: str | None, moves: list[str]) -> tuple[Any, Any, Any]:
    """The position before the last move, the last move, and the position now. Raises BadInput, IllegalMove."""
    key = (game.name, start, tuple(moves))
    if key in _lines:
        _lines.move_to_end(key)
        return _lines[key]
    if len(moves) > LONGEST_GAME:
        raise BadInput(f"A game of {len(moves)} plies is too long; expected at most {LONGEST_GAME}.")
    known = next((n for n in range(len(moves), 0, -1) if (game.name, start, tuple(moves[:n])) in _lines), 0)
    if known:
        before, last, state = _lines[game.name, start, tuple(moves[:known])]
    else:
        before, last, state = None, None, game.initial() if start is None else game.state_from_text(start)
    for text in moves[known:]:
        if game.is_terminal(state):
            raise BadInput(f"The move '{text}' comes after the end of the game.")
        before, last = state, game.action_from_text(state, text)
        state = game.result(state, last)
    _lines[key] = (before, last, state)
    while len(_lines) > 512:
        _lines.popitem(last=False)
    return before, last, state
