"""The board: 24 triangles with stacks, the bar, what is off, dice and cube. Point names are Black's, seat 0's."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gametree.core.drawing import Drawing, Item, Label, Place
from gametree.games.backgammon.board import ANSWER, BAR, CUBE, OFF, OPENING, OVER, PLAY, ROLL, pips
from gametree.games.backgammon.plays import steps_of

__all__ = ["cells_of", "draw"]

MARKS = "XO"
_RIGHT = 14.4
_BAR_X = 6.75


def _column(point: int) -> float:
    step = 12 - point if point <= 12 else point - 13
    return step + (1.5 if step > 5 else 0.0) + 0.5


def _place(point: int, seat: int) -> str:
    """The name of a point of a seat."""
    if point in (BAR, OFF):
        return f"{'bar' if point == BAR else 'off'} {MARKS[seat]}"
    return str(point if seat == 0 else BAR - point)


def cells_of(s: Any, action: int) -> Sequence[str]:
    """From where and to where the checkers go, for each die; nothing for a word about the cube."""
    if int(s.phase) != PLAY:
        return ()
    seat = int(s.seat)
    steps = steps_of((int(s.dice[0]), int(s.dice[1])), action)
    return tuple(_place(point, seat) for step in steps for point in step)


def _caption(s: Any, names: Sequence[str], length: int) -> str:
    phase, who, other = int(s.phase), names[s.seat], names[1 - s.seat]
    score = f" · {s.score[0]}–{s.score[1]} of {length}" if length else ""
    if s.crawford:
        score += ", Crawford game"
    said = {
        OPENING: "each side throws one die",
        ROLL: f"{who} throws",
        CUBE: f"{who} may double",
        ANSWER: f"{who} doubles to {2 << int(s.cube)}; {other} answers",
        PLAY: f"{who} plays {s.dice[0]}-{s.dice[1]}",
        OVER: f"{other} has won",
    }[phase]
    return f"{said} · {int(pips(s, 0))} to {int(pips(s, 1))} pips{score}"


def draw(s: Any, names: Sequence[str], *, cube: bool, length: int) -> Drawing:
    """The position; Black's home board is at the bottom on the right."""
    places, labels, items = [], [], []
    for point in range(1, BAR):
        low = point <= 12
        tone = "dark" if point % 2 else "light"
        x, y = _column(point), 8.5 if low else 2.5
        places.append(Place(str(point), x, y, "up" if low else "down", 1, 5, tone, label=f"point {point}"))
        labels.append(Label(x, 11.4 if low else -0.4, str(point)))
    for seat in (1, 0):
        y = 8.4 if seat == 0 else 2.6
        places.append(Place(_place(BAR, seat), _BAR_X, y, "pocket", 1.2, 4, label=f"{names[seat]}'s bar"))
        places.append(Place(_place(OFF, seat), _RIGHT, y, "pocket", 1.3, 4, label=f"{names[seat]}'s checkers off"))
    for seat in range(2):
        for point in range(26):
            count = int(s.men[seat, point])
            if count:
                spoken = f"{count} {names[seat].lower()} checker{'s' if count > 1 else ''}"
                items.append(Item(_place(point, seat), "stone", MARKS[seat], seat, count, label=spoken))
    places.append(Place("dice", 10.5, 5.5, "slot", 2.2, 0.9))
    items += [Item("dice", "die", str(die)) for die in s.dice if die]
    if cube:
        owner = int(s.owner)
        places.append(Place("cube", _RIGHT, 5.5, "slot", 1, 0.9))
        where = "in the middle" if owner == 0 else f"{names[owner - 1]}'s"
        value = 1 << int(s.cube)
        items.append(Item("cube", "cube", str(value), owner - 1 if owner else None, label=f"cube at {value}, {where}"))
    return Drawing(
        layout="places",
        surface="wood",
        places=tuple(places),
        items=tuple(items),
        labels=tuple(labels),
        caption=_caption(s, names, length),
    )
