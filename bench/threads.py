"""Two threads against one: the engine on Othello, time to depth and nodes per second.

    python bench/threads.py [--depth 16] [--rounds 5] [--json]

Eight positions of the middle game are searched to a fixed depth with an empty table, by one thread and by two, in turn.
Here the clock on the wall counts, so the machine must have two idle cores. Machines change their speed from moment to
moment, so the ratio is that of two searches that follow each other, and of a position's rounds the median counts.
Exit code 0 if two threads reach the depth 1.4 times as fast and do 1.8 times the nodes per second, 1 if not.
"""

from __future__ import annotations

import argparse
import random
import statistics
import sys
import time

from measure import machine, tell, verdict

from gametree.games.othello import Othello
from gametree.search.compiled.engine import Engine

NEEDED_TIME, NEEDED_NODES = 1.4, 1.8
POSITIONS = 8
PLIES = 16


def middle_game(game: Othello, seed: int) -> bytes:
    """A position after some random moves."""
    rng, state = random.Random(seed), game.initial()
    for _ in range(PLIES):
        state = game.result(state, rng.choice(game.actions(state)))
    return state


def main() -> int:
    """Run the benchmark and return its exit code."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--depth", type=int, default=16)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    game = Othello()
    engines = {threads: Engine(game, threads=threads) for threads in (1, 2)}
    for engine in engines.values():
        engine.search(depth=2)  # compile
    rows = []
    for number in range(POSITIONS):
        state = middle_game(game, number)
        runs: dict[int, list[tuple[float, float]]] = {threads: [] for threads in engines}  # seconds, nodes per second
        for _ in range(options.rounds):
            for threads, engine in engines.items():
                engine.forget()
                began = time.perf_counter()
                found = engine.search(state, depth=options.depth)
                seconds = time.perf_counter() - began
                runs[threads].append((seconds, found.nodes / seconds))
        rounds = list(zip(runs[1], runs[2], strict=True))
        rows.append(
            {
                "position": game.state_text(state),
                **{f"{threads} s": statistics.median(run[0] for run in runs[threads]) for threads in engines},
                **{
                    f"{threads} Mnodes/s": statistics.median(run[1] for run in runs[threads]) / 1e6
                    for threads in engines
                },
                "time": statistics.median(one[0] / two[0] for one, two in rounds),
                "nodes/s": statistics.median(two[1] / one[1] for one, two in rounds),
            }
        )
    gains = {what: statistics.geometric_mean(float(row[what]) for row in rows) for what in ("time", "nodes/s")}
    report = {
        "title": f"Othello to depth {options.depth}, one thread and two, wall time, median of {options.rounds}",
        "machine": machine(),
        "rows": rows,
        "figures": [
            {"name": "two threads: time to depth", "value": gains["time"], "needed": NEEDED_TIME},
            {"name": "two threads: nodes per second", "value": gains["nodes/s"], "needed": NEEDED_NODES},
        ],
    }
    tell(report, as_json=options.json)
    return verdict(report)


if __name__ == "__main__":
    sys.exit(main())
