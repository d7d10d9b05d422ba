"""What a trainer needs to learn backgammon from play against itself, and the plain rival that it is measured by."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from gametree.games.backgammon.board import BAR, CHECKERS, HOME, OFF, worth_of_win
from gametree.games.backgammon.evaluation import (
    LOSE_BACKGAMMON,
    LOSE_GAMMON,
    WIN,
    WIN_BACKGAMMON,
    WIN_GAMMON,
    bound_chances,
)
from gametree.games.backgammon.inputs import CLASSIC, INPUTS, kind_of, write_inputs

if TYPE_CHECKING:
    from gametree.games.backgammon.rules import Backgammon

__all__ = ["Lessons"]

RECIPES: Mapping[str, Mapping[str, Any]] = {
    "classic": {"inputs": CLASSIC, "hidden": 80, "kinds": 1, "rate": 0.02, "trace": 0.7},
    "small": {"inputs": CLASSIC, "hidden": 40, "kinds": 1, "rate": 0.02, "trace": 0.7},
    "full": {"inputs": INPUTS, "hidden": 128, "kinds": 2, "rate": 0.02, "trace": 0.7},
}


def write_result(s: Any, side: Any, out: Any) -> None:
    """The five chances at the end of a game, as `side` sees them."""
    for o in range(5):
        out[o] = np.float32(0)
    loser = np.int64(1) if s.men[0, OFF] == CHECKERS else np.int64(0)
    value = worth_of_win(s, loser)
    if loser != side:
        out[WIN] = np.float32(1)
    at = WIN_GAMMON if loser != side else LOSE_GAMMON
    if value > 1:
        out[at] = np.float32(1)
    if value > 2:
        out[at + 1] = np.float32(1)


def turn_round(out: Any) -> None:
    """The same chances as the other side sees them."""
    out[WIN] = np.float32(1) - out[WIN]
    gammon, backgammon = out[WIN_GAMMON], out[WIN_BACKGAMMON]
    out[WIN_GAMMON], out[WIN_BACKGAMMON] = out[LOSE_GAMMON], out[LOSE_BACKGAMMON]
    out[LOSE_GAMMON], out[LOSE_BACKGAMMON] = gammon, backgammon


def worth(s: Any, side: Any, out: Any) -> Any:
    """Points that the chances promise, those that cannot come about left out."""
    bound_chances(s.men, side, out)
    return (
        np.float64(2 * out[WIN] - 1 + out[WIN_GAMMON] + out[WIN_BACKGAMMON])
        - np.float64(out[LOSE_GAMMON])
        - np.float64(out[LOSE_BACKGAMMON])
    )


def rival(s: Any, side: Any) -> Any:
    """A plain player's judgement for `side` after its play: the race, made points, blots in reach, checkers hit."""
    other = 1 - side
    value = 0.0
    for point in range(1, BAR + 1):
        mine, yours = np.int64(s.men[side, point]), np.int64(s.men[other, point])
        value += point * (yours - mine) / 20
        if mine >= 2 and point <= HOME + 2:
            value += 1.0 if point >= 4 else 0.6
        if mine == 1 and point < BAR:
            risk = 0.0
            for back in range(1, point if point < BAR else BAR):
                distance = point - back
                if s.men[other, 25 - back] > 0 and distance <= 12:
                    risk += 0.3 if distance <= 6 else 0.1
            value -= min(risk, 1.0) * (25 - point) / 12
    return value + 1.5 * np.int64(s.men[other, BAR]) + 0.4 * np.int64(s.men[side, OFF])


class Lessons:
    """Backgammon for points and without a cube as `gametree.learning.td` learns it."""

    outputs = 5
    names = ("win", "win a gammon", "win a backgammon", "lose a gammon", "lose a backgammon")
    recipes = RECIPES
    verbs: Mapping[str, Any] = {
        "write_inputs": write_inputs,
        "kind_of": kind_of,
        "write_result": write_result,
        "turn_round": turn_round,
        "worth": worth,
        "rival": rival,
    }

    def __init__(self, game: Backgammon) -> None:
        self.game = game
