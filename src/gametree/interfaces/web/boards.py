"""A position as data for the browser: what to draw, who is to move, and which clicks are which moves.

A place, here called a cell, is given by its number in the scene (`core/scene.py`): row by row in a grid. A legal move
has `from` (a cell to pick up, or null), `to` (cells any of which completes it) and `mark` (the one of them to mark); a
move without a place has an empty `to` and becomes a button.
"""

from __future__ import annotations

import math
from typing import Any

from gametree.core.drawing import Drawing, cells_in_move
from gametree.core.game import CHANCE, SIMULTANEOUS, Game
from gametree.core.scene import Scene, scene
from gametree.play.plain import from_plain
from gametree.play.table import View

__all__ = ["MOST_MOVES", "facts_data", "legal_moves", "message", "move_cells", "view"]

MOST_MOVES = 2000
"""Legal moves that are sent; where there are more, the rest can be typed."""


def message(game: Game[Any, Any], view: View) -> dict[str, Any]:
    """What the page Play shows to a seat, made from the seat's View and from nothing else."""
    state = from_plain(view.position)
    over = view.result is not None
    seat = view.seat if view.seat in view.waiting else next(iter(view.waiting), None)
    drawing = scene(Drawing(layout="text") if state is None else game.draw_for(state, view.seat))
    moves = legal_moves(game, state, view.seat, drawing) if view.seat in view.waiting else []
    last: list[int] = []
    if view.before is not None and view.heard:
        cells = _last_cells(game, from_plain(view.before), from_plain(view.heard[-1][2]))
        last = [cell for group in cells for cell in group]
    result = None
    if view.result is not None:
        utilities, reason, fault = view.result
        result = {"utilities": list(map(_finite, utilities)), "reason": reason, "seat": fault}
    return {
        "game": view.game,
        "seat": view.seat,
        "moves": [text for _, text, _ in view.heard],
        "movers": [mover for mover, _, _ in view.heard],
        "clocks": {"left": list(view.left), "running": list(view.running)} if view.left else None,
        "chosen": list(view.chosen),
        "offers": [{"what": what, "by": by, "agreed": list(agreed)} for what, by, agreed in view.offers],
        "result": result,
        "facts": facts_data(game),
        "view": {
            "drawing": drawing.to_data(),
            "text": "" if game.facts.hidden else game.state_text(state),
            "seat": seat,
            "eye": view.seat if game.facts.hidden else None,
            "over": over,
            "moves": moves[:MOST_MOVES],
            "more": max(0, len(moves) - MOST_MOVES),
            "last": last,
        },
    }


def view(
    game: Game[Any, Any],
    state: Any,
    *,
    before: Any = None,
    last: Any = None,
    whole: bool = False,
) -> dict[str, Any]:
    """A position with all that is in it, for whoever analyses; who plays gets a `message`.

    `before` and `last` are the position before and the move that led here. With `whole`, what chance or several seats
    together may do are moves as well.
    """
    over = game.is_terminal(state)
    mover = None if over else game.player(state)
    seat = mover if mover is not None and mover >= 0 else None
    if mover == SIMULTANEOUS:
        seat = next((s for s in range(game.facts.players) if game.seat_actions(state, s)), None)
    drawing = scene(game.draw(state))
    moves: list[dict[str, Any]] = []
    if whole and mover is not None and mover < 0:
        moves = [
            _plain(game.action_text(state, action), drawing, -1) for action in game.actions(state)[: MOST_MOVES + 1]
        ]
    elif mover is not None and mover != CHANCE and seat is not None:
        moves = legal_moves(game, state, seat, drawing)
    data: dict[str, Any] = {
        "drawing": drawing.to_data(),
        "text": game.state_text(state),
        "mover": mover,
        "seat": seat,
        "over": over,
        "moves": moves[:MOST_MOVES],
        "more": max(0, len(moves) - MOST_MOVES),
        "utilities": [float(game.utility(state, s)) for s in range(game.facts.players)] if over else None,
        "last": [],
    }
    if last is not None and before is not None:
        data["last"] = [cell for group in _last_cells(game, before, last) for cell in group]
    return data


def legal_moves(game: Game[Any, Any], state: Any, seat: int, drawing: Scene) -> list[dict[str, Any]]:
    """The moves of the seat with their places on the board."""
    if game.player(state) == SIMULTANEOUS:
        return [_plain(str(action), drawing, seat) for action in game.seat_actions(state, seat)]
    places = _places(drawing)
    found = []
    for action in game.actions(state)[: MOST_MOVES + 1]:
        text = game.action_text(state, action)
        ways = _ways(game, state, action, places)
        if ways:
            first, last = ways[0][0][0], ways[0][-1][1]
            found.append({"text": text, "from": first, "to": [last], "mark": last, "ways": ways})
            continue
        cells = move_cells(game, state, action, drawing, places)
        if not cells:
            found.append(_plain(text, drawing, seat))
            continue
        start = cells[0][0] if len(cells) > 1 else None
        targets = cells[-1]
        mark = targets[0] if len(targets) == 1 else _landing(game, state, action, drawing, targets)
        move: dict[str, Any] = {"text": text, "from": start, "to": targets, "mark": mark}
        if len(cells) > 2:
            move["via"] = [group[0] for group in cells[1:-1]]
        found.append(move)
    return found


def _ways(game: Game[Any, Any], state: Any, action: Any, places: dict[str, list[int]]) -> list[list[list[int]]]:
    """The ways to click a move of several steps, each a list of steps from cell to cell."""
    ways = []
    for names in game.action_ways(state, action) if places else ():
        cells = [places[name][0] for name in names if name in places]
        if len(cells) == len(names) > 0 and len(cells) % 2 == 0:
            ways.append([cells[at : at + 2] for at in range(0, len(cells), 2)])
    return ways


def _plain(text: str, drawing: Scene, seat: int) -> dict[str, Any]:
    """A move that names no place; a card in the seat's hand that is called like it can be clicked."""
    to: list[int] = []
    if drawing.layout == "cards" and 0 <= seat < len(drawing.racks):
        hand = drawing.racks[seat]
        slots = range(hand.first, hand.first + hand.slots)
        to = [int(item.place) for item in drawing.items if item.place in slots and item.text == text][:1]
    return {"text": text, "from": None, "to": to, "mark": to[0] if to else None}


def move_cells(
    game: Game[Any, Any], state: Any, action: Any, drawing: Scene, places: dict[str, list[int]] | None = None
) -> list[list[int]]:
    """For each click of the move, the cells that will do; none if the move has no place on the board."""
    places = _places(drawing) if places is None else places
    if not places or game.player(state) < 0:
        return []
    names = game.action_cells(state, action) or cells_in_move(game.action_text(state, action), list(places))
    cells = [places.get(name, []) for name in names]
    return cells if all(cells) else []


def _places(drawing: Scene) -> dict[str, list[int]]:
    """Name → cells that are called so; in Connect Four a whole column."""
    places: dict[str, list[int]] = {}
    for cell, name in enumerate(drawing.names):
        if name:
            places.setdefault(name, []).append(cell)
    return places


def _landing(game: Game[Any, Any], state: Any, action: Any, drawing: Scene, targets: list[int]) -> int:
    """Which of several cells with one name the move changes."""
    taken = {item.place for item in drawing.items}
    now = {item.place for item in scene(game.draw(game.result(state, action))).items}
    return next((cell for cell in targets if (cell in now) != (cell in taken)), targets[0])


def _last_cells(game: Game[Any, Any], before: Any, action: Any) -> list[list[int]]:
    """The cells of the last move, one for each click."""
    if game.player(before) < 0:
        return []
    old = scene(game.draw(before))
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
