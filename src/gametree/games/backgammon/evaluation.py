"""From the network's five chances to what a position is worth, without and with a cube.

The network gives, for the side that throws next, the chances of a win, of a gammon or better, of a backgammon, and of
losing a gammon or a backgammon. Without a cube their sum with signs is the value. With one, Janowski's (1993) mean of a
dead cube (never turned again) and a live one (turned at exactly the right moment) is taken.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from gametree.games.backgammon.board import OFF

__all__ = ["LOSE_BACKGAMMON", "LOSE_GAMMON", "WIN", "WIN_BACKGAMMON", "WIN_GAMMON", "bound_chances", "equity"]

WIN, WIN_GAMMON, WIN_BACKGAMMON, LOSE_GAMMON, LOSE_BACKGAMMON = range(5)
EFFICIENCY = 0.68
"""How near to a live cube play comes: the share that GNU Backgammon takes where there is contact."""


def bound_chances(men: Any, side: Any, out: Any) -> None:
    """What cannot happen gets the chance 0: gammons against a side that has borne off, more gammons than wins."""
    zero = np.float32(0)
    if men[1 - side, OFF] > 0:
        out[WIN_GAMMON] = out[WIN_BACKGAMMON] = zero
    if men[side, OFF] > 0:
        out[LOSE_GAMMON] = out[LOSE_BACKGAMMON] = zero
    out[WIN_GAMMON] = min(out[WIN_GAMMON], out[WIN])
    out[LOSE_GAMMON] = min(out[LOSE_GAMMON], np.float32(1) - out[WIN])
    out[WIN_BACKGAMMON] = min(out[WIN_BACKGAMMON], out[WIN_GAMMON])
    out[LOSE_BACKGAMMON] = min(out[LOSE_BACKGAMMON], out[LOSE_GAMMON])


def line(x: Any, x0: Any, y0: Any, x1: Any, y1: Any) -> Any:
    """The straight line through two points, at x."""
    return y0 + (x - x0) * (y1 - y0) / (x1 - x0)


def equity(out: Any, holder: Any, gammons: Any) -> Any:
    """Points for each point of the cube, for the side that the chances are of.

    `holder`: who may double: 0 nobody any more, 1 both, 2 this side, 3 the other one. `gammons`: whether they count as
    long as nobody has doubled (False under Jacoby's rule).
    """
    win = min(max(np.float64(out[WIN]), 1e-6), 1 - 1e-6)
    more = np.float64(out[WIN_GAMMON]) + np.float64(out[WIN_BACKGAMMON])
    less = np.float64(out[LOSE_GAMMON]) + np.float64(out[LOSE_BACKGAMMON])
    dead = 2 * win - 1 + (more - less if gammons else 0.0)
    if holder == 0:
        return dead
    mean_win, mean_loss = 1 + more / win, 1 + less / (1 - win)
    take = (mean_loss - 0.5) / (mean_win + mean_loss + 0.5)
    cash = (mean_loss + 1) / (mean_win + mean_loss + 0.5)
    ends: Any = (take, -1.0, cash, 1.0)  # between these the live cube's value is a straight line
    if holder == 2:
        ends = (0.0, -mean_loss, cash, 1.0)
    elif holder == 3:
        ends = (take, -1.0, 1.0, mean_win)
    low, value_low, high, value_high = ends
    if win < low:
        live = line(win, 0.0, -mean_loss, low, value_low)
    elif win > high:
        live = line(win, high, value_high, 1.0, mean_win)
    else:
        live = line(win, low, value_low, high, value_high)
    return EFFICIENCY * live + (1 - EFFICIENCY) * dead
