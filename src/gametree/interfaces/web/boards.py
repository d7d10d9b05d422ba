"""A position as data for the browser: what to draw, who is to move, and which clicks are which moves.

A cell is given by its number, row by row. A legal move has `from` (a cell to pick up, or null), `to` (cells any of
which completes it) and `mark` (the one of them to mark); a move without a place has an empty `to` and becomes a button.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from gametree.core.drawing import Drawing, cells_in_move
from gametree.core.game import CHANCE, SIMULTANEOUS, Game

__all__ = ["MOST_MOVES", "facts_data", "legal_moves", "move_cells", "view"]

MOST_MOVES = 2000
"""Legal moves that are sent; where there are more, the rest can be typed."""


def view(
    game: Game[Any, Any],
    state: Any,
    *,
    people: Sequence[int] = (),
    before: Any = None,
    last: Any = None,
    chosen: Sequence[int] = (),
    whole: bool = False,
) -> dict[str, Any]:
    """Everything that a page shows of a position.

    `people` are the seats that sit at this screen: in a game with hidden cards only what the one to move knows is sent.
    `before` and `last` are the position before and the move that led here. `chosen` are the seats that have made their
    choice where several choose at once. With `whole`, what chance or several seats together may do are moves as well.
    """
    over = game.is_terminal(state)
    mover = None if over else game.player(state)
    seat = mover if mover is not None and mover >= 0 else None
    if mover == SIMULTANEOUS:
        open_seats = [s for s in range(game.facts.players) if game.seat_actions(state, s) and s not in chosen]
        seat = next((s for s in open_seats if s in people), open_seats[0] if open_seats else None)
    eye = None
    if game.facts.hidden and people and not over:
        eye = seat if seat in people else people[0]
    drawing = game.draw(state) if eye is None else game.draw_for(state, eye)
    moves: list[dict[str, Any]] = []
    if whole and mover is not None and mover < 0:
        moves = [
            _plain(game.action_text(state, action), drawing, -1) for action in game.actions(state)[: MOST_MOVES + 1]
        ]
    elif mover is not None and mover != CHANCE and seat is not None:
        moves = legal_moves(game, state, seat, drawing)
    data: dict[str, Any] = {
        "drawing": drawing.to_data(),
        "text": game.state_text(state) if eye is None else "",
        "mover": mover,
        "seat": seat,
        "eye": eye,
        "over": over,
        "moves": moves[:MOST_MOVES],
        "more": max(0, len(moves) - MOST_MOVES),
        "utilities": [float(game.utility(state, s)) for s in range(game.facts.players)] if over else None,
        "last": [],
    }
    if last is not None and before is not None and not (game.facts.hidden and not over):
        data["last"] = [cell for group in _last_cells(game, before, last, drawing) for cell in group]
    return data


def legal_moves(game: Game[Any, Any], state: Any, seat: int, drawing: Drawing) -> list[dict[str, Any]]:
    """The moves of the seat with their places on the board."""
    if game.player(state) == SIMULTANEOUS:
        return [_plain(str(action), drawing, seat) for action in game.seat_actions(state, seat)]
    places = _places(drawing)
    found = []
    for action in game.actions(state)[: MOST_MOVES + 1]:
        text = game.action_text(state, action)
        cells = move_cells(game, state, action, drawing, places)
        if not cells:
            found.append(_plain(text, drawing, seat))
            continue
        start = cells[0][0] if len(cells) > 1 else None
        targets = cells[-1]
        mark = targets[0] if len(targets) == 1 else _landing(game, state, action, drawing, targets)
        found.append({"text": text, "from": start, "to": targets, "mark": mark})
    return found


def _plain(text: str, drawing: Drawing, seat: int) -> dict[str, Any]:
    """A move without a place; a card that is called like it can be clicked."""
    move: dict[str, Any] = {"text": text, "from": None, "to": [], "mark": None}
    for number, (_, cards) in enumerate(drawing.hands):
        if number == seat and text in cards:
            move["card"] = [number, cards.index(text)]
    return move


def move_cells(
    game: Game[Any, Any], state: Any, action: Any, drawing: Drawing, places: dict[str, list[int]] | None = None
) -> list[list[int]]:
    """For each click of the move, the cells that will do; none if the move has no place on the board."""
    places = _places(drawing) if places is None else places
    if not places or game.player(state) < 0:
        return []
    names = game.action_cells(state, action) or cells_in_move(game.action_text(state, action), drawing.cells)
    cells = [places.get(name, []) for name in names]
    return cells if all(cells) else []


def _places(drawing: Drawing) -> dict[str, list[int]]:
    """Name → cells that are called so; in Connect Four a whole column."""
    places: dict[str, list[int]] = {}
    for cell, name in enumerate(drawing.cells):
        if name:
            places.setdefault(name, []).append(cell)
    return places


def _landing(game: Game[Any, Any], state: Any, action: Any, drawing: Drawing, targets: list[int]) -> int:
    """Which of several cells with one name the move changes."""
    taken = {piece.row * drawing.columns + piece.column for piece in drawing.pieces}
    after = game.draw(game.result(state, action))
    now = {piece.row * after.columns + piece.column for piece in after.pieces}
    return next((cell for cell in targets if (cell in now) != (cell in taken)), targets[0])


def _last_cells(game: Game[Any, Any], before: Any, action: Any, drawing: Drawing) -> list[list[int]]:
    """The cells of the last move, one for each click."""
    if game.player(before) < 0:
        return []
    old = game.draw(before)
    cells = move_cells(game, before, action, old)
    return [group if len(group) == 1 else [_landing(game, before, action, old, group)] for group in cells]


def facts_data(game: Game[Any, Any]) -> dict[str, Any]:
    """What pages need to know of a game before it begins."""
    facts = game.facts
    return {
        "players": facts.players,
        "chance": facts.chance,
        "hidden": facts.hidden,
        "simultaneous": facts.simultaneous,
        "low": _finite(facts.min_utility),
        "high": _finite(facts.max_utility),
        "sum": facts.utility_sum,
        "positions": game.offers("state_from_text"),
    }


def _finite(value: float) -> float:
    return float(value) if math.isfinite(value) else math.copysign(1e9, value)
