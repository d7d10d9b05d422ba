"""Checkers: moves generated a second, nodes searched a second, the time of a probe, and of building tables.

    python bench/checkers/speed.py [--depth 11] [--seconds 5] [--pieces 3] [--json]

All in processor time of one thread. The perft counts must be the published ones: exit code 2 if not. The probe is
the one that the engine makes, warm, on positions with two to four pieces in random order, tables in memory; exit code 1
if it takes a microsecond or more.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

from gametree import load_game
from gametree.core.clock import Clock
from gametree.games.checkers.numbering import classes_with
from gametree.kernels.perft import perft
from gametree.kernels.verbs import set_index
from gametree.knowledge.tables import TableFolder
from gametree.play.solved import Solved
from gametree.search.compiled.engine import Engine
from gametree.search.support.probing import probe_tables

PERFT = (1, 7, 49, 302, 1469, 7361, 36768, 179740, 845931, 3963680, 18391564, 85242128)
PROBES = 500_000


def set_all(states: Any, classes: Any, numbers: Any, weights: Any) -> Any:
    """Set positions up; return how many there are, the others left out."""
    n = np.int64(0)
    for i in range(classes.shape[0]):
        if set_index(states[n], classes[i], numbers[i], weights[0]):
            n += 1
    return n


def ask_all(states: Any, contexts: Any) -> Any:
    """Probe every position; the sum keeps the work from being left out."""
    total = np.int64(0)
    for i in range(states.shape[0]):
        total += probe_tables(states[i], contexts[0])
    return total


def probe_seconds(game: Any) -> float:
    """Processor time of one probe by the engine."""
    known = Solved(game, TableFolder(game))
    engine = Engine(game, table_mib=1, tables=known.tables)
    engine.search(game.state_from_text("B:W32:B1"), depth=1)
    rng = np.random.default_rng(1)
    wanted = rng.choice(np.array([c for pieces in (2, 3, 4) for c in classes_with(pieces)]), PROBES)
    sizes = {c: known.folder.file(c).size(c) for c in set(wanted.tolist())}  # type: ignore[union-attr]
    numbers = np.array([rng.integers(sizes[c]) for c in wanted.tolist()])
    states = np.zeros(PROBES + 1, game.rules.state_type)
    count = int(game.rules.kernel(set_all)(states, wanted, numbers, game.w))
    ask = game.rules.kernel(ask_all)
    ask(states[:count], engine._contexts)
    started = time.process_time()
    ask(states[:count], engine._contexts)
    return (time.process_time() - started) / count


def main() -> int:
    """Run the benchmark and return its exit code."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--depth", type=int, default=11)
    parser.add_argument("--seconds", type=float, default=5.0)
    parser.add_argument("--pieces", type=int, default=3)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    game = load_game("checkers")
    perft(game, depth=2)  # compile
    started = time.process_time()
    count = perft(game, depth=options.depth)
    generated = count / (time.process_time() - started)
    if options.depth < len(PERFT) and count != PERFT[options.depth]:
        print(f"perft {options.depth} is {count}; expected {PERFT[options.depth]}")
        return 2
    engine = Engine(game)
    engine.search(depth=2)
    started = time.process_time()
    result = engine.search(clock=Clock(options.seconds))
    searched = result.nodes / (time.process_time() - started)
    with tempfile.TemporaryDirectory() as folder:
        tables = TableFolder(game, Path(folder))
        tables.build(classes_with(2))  # compile
        started = time.process_time()
        tables.build([c for pieces in range(2, options.pieces + 1) for c in classes_with(pieces)])
        built = time.process_time() - started
    probe = probe_seconds(game)
    found = {
        "perft_per_second": round(generated),
        "nodes_per_second": round(searched),
        "depth": result.depth,
        f"build_{options.pieces}_pieces_seconds": round(built, 2),
        "probe_microseconds": round(probe * 1e6, 3),
    }
    print(json.dumps(found) if options.json else "\n".join(f"{name:28} {value:,}" for name, value in found.items()))
    return 0 if probe < 1e-6 else 1


if __name__ == "__main__":
    sys.exit(main())
