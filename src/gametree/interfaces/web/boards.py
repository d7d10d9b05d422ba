"""A position as data for the browser: what to draw, who is to move, and which clicks are which moves.

A place, here called a cell, is given by its number in the scene (`core/scene.py`): row by row in a grid. A legal move
has a `path`: for every click the cells that will do, `from` (the first cell, or null), `to` (cells any of which
completes it), `mark` (the one of them to mark), and where several moves share their path a `picture`, what then lies
there. A move without a place has an empty `to` and becomes a button. `packing` makes the whole small enough to be sent
after every move.
"""

from __future__ import annotations

import math
from itertools import permutations
from typing import Any

from gametree.core.drawing import Drawing, cells_in_move, lean
from gametree.core.game import CHANCE, SIMULTANEOUS, Game
from gametree.core.scene import Scene, scene
from gametree.play.plain import from_plain
from gametree.play.table import View

__all__ = ["MOST_MOVES", "facts_data", "legal_moves", "message", "move_cells", "view"]

MOST_MOVES = 2000
"""Legal moves that are sent; where there are more, the rest can be typed."""
MOST_WAYS = 24
"""Ways to click one move of several steps."""
MOST_PICTURES = 60
"""Moves sharing a path that may have pictures."""


def message(game: Game[Any, Any], view: View) -> dict[str, Any]:
    """What the page Play shows to a seat, made from the seat's View and from nothing else."""
    state = from_plain(view.position)
    over = view.result is not None
    seat = view.seat if view.seat in view.waiting else next(iter(view.waiting), None)
    drawing = scene(Drawing(layout="text") if state is None else game.draw_for(state, view.seat))
    moves = legal_moves(game, state, view.seat, drawing) if view.seat in view.waiting else []
    last: list[int] = []
    if view.before is not None and view.heard:
        cells = _last_cells(game, from_plain(view.before), from_plain(view.heard[-1][2]), drawing)
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
        data["last"] = [cell for group in _last_cells(game, before, last, drawing) for cell in group]
    return data


def legal_moves(game: Game[Any, Any], state: Any, seat: int, drawing: Scene) -> list[dict[str, Any]]:
    """The moves of the seat with their places on the board."""
    if game.player(state) == SIMULTANEOUS:
        return [_plain(str(action), drawing, seat) for action in game.seat_actions(state, seat)]
    places = _places(drawing)
    found: list[dict[str, Any]] = []
    shared: dict[str, list[tuple[dict[str, Any], Any]]] = {}
    for action in game.actions(state)[: MOST_MOVES + 1]:
        text = game.action_text(state, action)
        ways = _ways(game, state, action, places, drawing)
        if ways:  # steps in any order: one entry for each way to click them
            found += [{"text": text, "from": way[0][0], "to": way[-1], "mark": way[-1][0], "path": way} for way in ways]
            continue
        cells = move_cells(game, state, action, drawing, places)
        if not cells:
            found.append(_plain(text, drawing, seat))
            continue
        start = cells[0][0] if len(cells) > 1 else None
        targets = cells[-1]
        mark = targets[0] if len(targets) == 1 else _landing(game, state, action, drawing, targets)
        found.append({"text": text, "from": start, "to": targets, "mark": mark, "path": cells})
        shared.setdefault(repr(cells), []).append((found[-1], action))
    for moves in shared.values():
        if len(moves) > 1:
            _add_pictures(game, state, seat, moves)
    return found


def _add_pictures(game: Game[Any, Any], state: Any, seat: int, moves: list[tuple[dict[str, Any], Any]]) -> None:
    """Moves that share all their clicks are told apart by what lies on the last place afterwards: a queen or a knight.

    Where that is the same for all of them there are no pictures.
    """
    if game.player(state) < 0 or game.facts.hidden or game.facts.simultaneous:
        return
    pictures = []
    for move, action in moves[:MOST_PICTURES]:
        shown = scene(game.draw_for(game.result(state, action), seat))
        lying = [item for item in shown.items if item.place == move["mark"] and item.face_up]
        pictures.append(lean(lying[-1]) if lying else None)
        if pictures[-1]:
            pictures[-1].pop("place")
    if None not in pictures and len({repr(picture) for picture in pictures}) == len(moves):
        for (move, _), picture in zip(moves, pictures, strict=True):
            move["picture"] = picture


def _ways(
    game: Game[Any, Any], state: Any, action: Any, places: dict[str, list[int]], drawing: Scene
) -> list[list[list[int]]]:
    """The ways to click a move of several steps, its steps in any order; for each click the cells that will do.

    A step begins where something lies, or where an earlier step has ended.
    """
    found: dict[str, list[list[int]]] = {}
    taken = {item.place for item in drawing.items}
    for names in game.action_ways(state, action) if places else ():
        cells = [places.get(name, []) for name in names]
        if not cells or not all(cells):
            continue
        for steps in permutations(list(zip(cells[::2], cells[1::2], strict=True))):
            ends: set[Any] = set(taken)
            for start, end in steps:
                if ends.isdisjoint(start):
                    break
                ends.update(end)
            else:
                way = [list(click) for step in steps for click in step]
                found.setdefault(repr(way), way)
    return list(found.values())[:MOST_WAYS]


def _plain(text: str, drawing: Scene, seat: int) -> dict[str, Any]:
    """A move that names no place; a card in the seat's hand that is called like it can be clicked."""
    to: list[int] = []
    if drawing.layout == "cards" and 0 <= seat < len(drawing.racks):
        hand = drawing.racks[seat]
        slots = range(hand.first, hand.first + hand.slots)
        to = [int(item.place) for item in drawing.items if item.place in slots and item.text == text][:1]
    return {"text": text, "from": None, "to": to, "mark": to[0] if to else None, "path": [to] if to else []}


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


def _last_cells(game: Game[Any, Any], before: Any, action: Any, now: Scene) -> list[list[int]]:
    """The cells of the last move, one for each click, as they are numbered now; a card's slot may be gone."""
    if game.player(before) < 0:
        return []
    old = scene(game.draw(before))
    cells = move_cells(game, before, action, old)
    single = [group[0] if len(group) == 1 else _landing(game, before, action, old, group) for group in cells]
    found = []
    for cell in single:
        name = old.names[cell]
        if cell < len(now.places) and now.names[cell] == name:
            found.append([cell])
        elif name in now.names:
            found.append([now.names.index(name)])
    return found


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
        "names": [str(name) for name in game.seat_names[: facts.players]],
        "named": tuple(game.seat_names) != tuple(Game.seat_names),
    }


def _finite(value: float) -> float:
    return float(value) if math.isfinite(value) else math.copysign(1e9, value)
