"""What the estimate of a chess position is made of, and what an advantage is worth as a chance of winning."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from gametree.games.chess.evaluation import UNIT, WHOLE_PHASE, count_features
from gametree.games.chess.ledger import note_down
from gametree.games.chess.terms import FEATURES, TERMS
from gametree.kernels import plain_at_first

if TYPE_CHECKING:
    from gametree.games.chess.rules import Chess

__all__ = ["categories", "expectation", "explain_terms", "ledger_of", "phase_text", "weight_texts"]


@plain_at_first
def count_one(states: Any, ledger: Any, weights: Any) -> Any:
    """`count_features` of the first of an array of structs."""
    return count_features(states[0], ledger, weights[0])


def ledger_of(game: Chess, states: Any) -> tuple[Any, int, int]:
    """How often each feature occurs on each side, (2, FEATURES); the phase; how many 64ths of the ending count."""
    ledger = np.zeros((2, FEATURES), np.int64)
    phase, counted = game.rules.kernel(count_one, note=note_down)(states, ledger, game.w)
    return ledger, int(phase), int(counted)


def explain_terms(game: Chess, states: Any, value: float) -> list[tuple[str, float, float]]:
    """Every term with White's and Black's share in `value`, the estimate in pawns for the side to move.

    Shares are exact; what rounding to centipawns takes off is a term of its own.
    """
    ledger, phase, counted = ledger_of(game, states)
    mixed = game.weights @ (phase, (WHOLE_PHASE - phase) * counted / 64)
    shares = ledger * mixed / WHOLE_PHASE / UNIT
    shares[0 if states[0].seat == 1 else 1] *= -1
    found = [(name, float(shares[0, start:end].sum()), float(shares[1, start:end].sum())) for name, start, end in TERMS]
    rest = value - math.fsum(share for term in found for share in term[1:])
    found.append(("rounding", rest, 0.0))
    return found


def weight_texts(game: Chess, states: Any) -> dict[str, str]:
    """For every term `middle / ending` in centipawns; for a table the mean of what occurs in the position, with a ø."""
    ledger, _, _ = ledger_of(game, states)
    times = np.abs(ledger).sum(axis=0)
    weights = game.weights
    texts = {}
    for name, start, end in TERMS:
        occurring = times[start:end]
        if end - start == 1:
            texts[name] = "{:.0f} / {:.0f}".format(*weights[start])
        elif occurring.any():
            mean = (weights[start:end] * occurring[:, None]).sum(axis=0) / occurring.sum()
            texts[name] = "ø {:.0f} / {:.0f}".format(*mean)
    return texts


def phase_text(game: Chess, states: Any) -> str:
    """How the weights for the middle game and for the ending mix, and how much of the ending's count."""
    _, phase, counted = ledger_of(game, states)
    text = f"Phase: {100 * phase / WHOLE_PHASE:.0f} % middle game, {100 - 100 * phase / WHOLE_PHASE:.0f} % ending."
    return text if counted == 64 else text + f" An advantage is hard to win with: {counted}/64 of the ending count."


WIN_OFFSET, WIN_SLOPE = 1.04, 0.71
"""The share of wins at an advantage in pawns is 1 / (1 + exp(offset − slope · pawns)), that of losses the same turned
round: fitted to the results of a million positions of real games."""


def categories(pawns: float) -> tuple[float, float, float]:
    """The chances of a win, a draw and a loss at this advantage in pawns: what experience says of such positions."""
    win = 1 / (1 + math.exp(min(700.0, WIN_OFFSET - WIN_SLOPE * pawns)))
    loss = 1 / (1 + math.exp(min(700.0, WIN_OFFSET + WIN_SLOPE * pawns)))
    return win, 1 - win - loss, loss


def expectation(pawns: float) -> float:
    """The expected result, 0 to 1, of an advantage in pawns: wins count 1, draws ½, losses 0."""
    win, draw, _ = categories(pawns)
    return win + draw / 2
