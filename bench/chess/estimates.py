"""How well estimates of chess foretell what a search of a stronger program finds: ours and Stockfish's two.

    python bench/chess/estimates.py positions.epd [--json]

The positions are those of label_positions.py, with White's expected score as Stockfish sees it after some thousand
nodes. Each estimate is turned into a winning chance, 1 / (1 + e^(−k·pawns)), with the k that suits it best. Told is how
far that is off, as the root of the mean square in per cent, and by how much the square differs from ours, with its
standard error. Needs Stockfish 15.1: later versions have no classical evaluation.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from losses import Program
from measure import machine, tell

from gametree import load_game

SCALES = np.linspace(0.1, 6, 300)


def ours(fens: Sequence[str]) -> list[float]:
    """The game's own estimates in pawns for White."""
    game = load_game("chess")
    return [game.evaluate(game.state_from_text(fen), 0) for fen in fens]


def stockfish(fens: Sequence[str], *, network: bool) -> list[float]:
    """Stockfish's estimates in pawns for White, by its network or by its classical evaluation."""
    program = Program("stockfish", {"Use NNUE": str(network).lower()})
    said = (program.ask(f"position fen {fen}", "eval", until="Final evaluation")[-1] for fen in fens)
    return [float(line.split()[2]) for line in said]


def squares(estimates: Sequence[float], expected: Any) -> tuple[float, Any]:
    """The best scale and, with it, the square of the error in every position."""
    pawns = np.array(estimates)
    errors = [(1 / (1 + np.exp(-scale * pawns)) - expected) ** 2 for scale in SCALES]
    best = min(range(len(SCALES)), key=lambda i: float(errors[i].mean()))
    return float(SCALES[best]), errors[best]


def main() -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("positions", type=Path)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    found = re.findall(r'^((?:\S+ ){4}).*c9 "([\d.]+)"', options.positions.read_text(encoding="utf-8"), re.MULTILINE)
    fens, expected = [f"{position}0 1" for position, _ in found], np.array([float(score) for _, score in found])
    players = {
        "gametree": ours(fens),
        "Stockfish, classical": stockfish(fens, network=False),
        "Stockfish, network": stockfish(fens, network=True),
    }
    rows: list[dict[str, Any]] = []
    first: Any = None
    for name, estimates in players.items():
        scale, errors = squares(estimates, expected)
        first = errors if first is None else first
        apart = 1e4 * (errors - first)
        rows.append(
            {
                "estimate": name,
                "k": scale,
                "error %": 100 * float(errors.mean()) ** 0.5,
                "square against ours": float(apart.mean()),
                "±": float(apart.std()) / len(apart) ** 0.5,
            }
        )
    title = f"Estimates of {len(fens):,} positions"
    tell({"title": title, "machine": machine(), "rows": rows, "figures": []}, as_json=options.json)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
