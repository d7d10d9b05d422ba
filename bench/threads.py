"""Two threads against one: the engine on Othello, time to depth and nodes per second.

    python bench/threads.py [--depth 14] [--rounds 3] [--json]

Four positions of the middle game are searched to a fixed depth with an empty table, by one thread and by two, in turn.
Here the clock on the wall counts, so the machine must have two idle cores; the last line of the table tells from the
CPU times what they would give on a busy one. The fastest round of each position counts.
Exit code 0 if two threads reach the depth 1.4 times as fast and do 1.8 times the nodes per second, 1 if not.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from typing import Any

from measure import machine, tell, verdict

from gametree.games.othello import Othello
from gametree.search.engine import Engine

NEEDED_TIME, NEEDED_NODES = 1.4, 1.8
POSITIONS = 4
PLIES = 16


def middle_game(game: Othello, seed: int) -> bytes:
    """A position after some random moves."""
    rng, state = random.Random(seed), game.initial()
    for _ in range(PLIES):
        state = game.result(state, rng.choice(game.actions(state)))
    return state


def row(name: str, runs: dict[int, tuple[float, float, int]]) -> dict[str, Any]:
    """One line of the table; `runs` are (wall seconds, CPU seconds, nodes) by the number of threads."""
    speeds = {threads: nodes / seconds / 1e6 for threads, (seconds, _, nodes) in runs.items()}
    return {
        "position": name,
        **{f"{threads} s": run[0] for threads, run in runs.items()},
        **{f"{threads} Mnodes/s": speed for threads, speed in speeds.items()},
        "time": runs[1][0] / runs[2][0],
        "nodes/s": speeds[2] / speeds[1],
    }


def main() -> int:
    """Run the benchmark and return its exit code."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--depth", type=int, default=14)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    game = Othello()
    engines = {threads: Engine(game, threads=threads) for threads in (1, 2)}
    for engine in engines.values():
        engine.search(depth=2)  # compile
    rows = []
    best: dict[tuple[int, int], tuple[float, float, int]] = {}  # wall seconds, CPU seconds, nodes
    for number in range(POSITIONS):
        state = middle_game(game, number)
        for _ in range(options.rounds):
            for threads, engine in engines.items():
                engine.forget()
                began, spent = time.perf_counter(), time.process_time()
                found = engine.search(state, depth=options.depth)
                spent, seconds = time.process_time() - spent, time.perf_counter() - began
                run = (seconds, spent, found.nodes)
                best[number, threads] = min(best.get((number, threads), run), run)
        rows.append(row(game.state_text(state), {threads: best[number, threads] for threads in engines}))
    total = {
        threads: tuple(sum(best[number, threads][part] for number in range(POSITIONS)) for part in range(3))
        for threads in engines
    }
    idle = {threads: (total[threads][1] / threads, total[threads][1], total[threads][2]) for threads in engines}
    rows += [row("all", total), row("all, if each thread had a core to itself", idle)]
    speed = {threads: total[threads][2] / total[threads][0] for threads in engines}
    report = {
        "title": f"Othello to depth {options.depth}, one thread and two, wall time, best of {options.rounds}",
        "machine": machine(),
        "rows": rows,
        "figures": [
            {"name": "two threads: time to depth", "value": total[1][0] / total[2][0], "needed": NEEDED_TIME},
            {"name": "two threads: nodes per second", "value": speed[2] / speed[1], "needed": NEEDED_NODES},
        ],
    }
    tell(report, as_json=options.json)
    return verdict(report)


if __name__ == "__main__":
    sys.exit(main())
