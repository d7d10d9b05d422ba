"""Strategies of small hidden games as files: for every information set how likely each action is.

A file is JSON: the game's name, and a list of sets with the seat, the key (what the seat has heard, as a number that is
the same in every process), what it sees as text, and the probability of every action.
"""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np

from gametree.core.errors import BadInput
from gametree.core.files import read_text, write_atomically
from gametree.search.support.information_tree import InformationTree

__all__ = ["read_strategy", "rows_of", "write_strategy"]

FORMAT = "gametree-strategy-1"


def rows_of(tree: InformationTree, strategy: Any) -> list[dict[str, Any]]:
    """Every information set with its seat, key, text and the probability of each action, as plain data."""
    rows = []
    for known in tree.sets:
        shares = strategy[known.first : known.first + len(known.actions)].tolist()
        rows.append(
            {
                "seat": known.seat,
                "key": str(known.key[1]),
                "text": known.text,
                "strategy": dict(zip(known.texts, shares, strict=True)),
            }
        )
    return rows


def write_strategy(path: str | Path, tree: InformationTree, strategy: Any) -> None:
    """Write a strategy, whole or not at all. Raises BadInput."""
    data = {"format": FORMAT, "game": tree.game.name, "sets": rows_of(tree, strategy)}
    write_atomically(path, json.dumps(data, allow_nan=False) + "\n")


def read_strategy(path: str | Path, tree: InformationTree) -> Any:
    """The strategy of a file as an array for this tree. Raises BadInput, naming the file and what is wrong in it."""
    try:
        data = json.loads(read_text(path))
    except (ValueError, RecursionError):
        raise BadInput(f"'{path}' is not a strategy; expected what `gametree equilibrium -o` writes.") from None
    if not isinstance(data, dict) or data.get("format") != FORMAT or not isinstance(data.get("sets"), list):
        raise BadInput(f"'{path}' is not a strategy; expected what `gametree equilibrium -o` writes.")
    if data.get("game") != tree.game.name:
        raise BadInput(f"'{path}' is a strategy for {str(data.get('game'))[:60]}; expected one for {tree.game.name}.")
    rows = {(row.get("seat"), row.get("key")): row for row in data["sets"] if isinstance(row, dict)}
    strategy = np.zeros(tree.size)
    for known in tree.sets:
        shares = rows.get((known.seat, str(known.key[1])), {}).get("strategy")
        if not isinstance(shares, dict) or set(shares) != set(known.texts):
            raise BadInput(
                f"'{path}' does not say what {tree.game.seat_names[known.seat]} plays at '{known.text}'; expected a "
                f"probability for each of {', '.join(known.texts)}."
            )
        numbers = [shares[text] for text in known.texts]
        if not all(isinstance(x, int | float) and 0 <= x <= 1 for x in numbers) or not math.isclose(
            sum(numbers), 1, abs_tol=1e-6
        ):
            raise BadInput(
                f"'{path}' has no probabilities at '{known.text}'; expected numbers from 0 up that sum to 1."
            )
        strategy[known.first : known.first + len(numbers)] = np.array(numbers) / sum(numbers)
    return strategy
