"""Two threads against one: the engine on Othello, time to depth and nodes per second.

    python bench/threads.py [--depth 16] [--rounds 3] [--json]

Eight positions of the middle game are searched to a fixed depth with an empty table, by one thread and by two, in turn.
Here the clock on the wall counts, so the machine must have two idle cores. Of each position the shortest run counts,
with its nodes.
Exit code 0 if two threads reach the depth 1.4 times as fast and do 1.8 times the nodes per second, 1 if not.
"""

from __future__ import annotations

import argparse
import random
import sys
import time

from measure import machine, tell, verdict

from gametree.games.othello import Othello
from gametree.search.engine import Engine

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
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    game = Othello()
    engines = {threads: Engine(game, threads=threads) for threads in (1, 2)}
    for engine in engines.values():
        engine.search(depth=2)  # compile
    rows = []
    best: dict[tuple[int, int], tuple[float, int]] = {}  # seconds and nodes of the shortest run
    for number in range(POSITIONS):
        state = middle_game(game, number)
        for _ in range(options.rounds):
            for threads, engine in engines.items():
                engine.forget()
                began = time.perf_counter()
                found = engine.search(state, depth=options.depth)
                run = (time.perf_counter() - began, found.nodes)
                best[number, threads] = min(best.get((number, threads), run), run)
        seconds = {threads: best[number, threads][0] for threads in engines}
        speeds = {threads: best[number, threads][1] / seconds[threads] for threads in engines}
        rows.append(
            {
                "position": game.state_text(state),
                **{f"{threads} s": seconds[threads] for threads in engines},
                **{f"{threads} Mnodes/s": speeds[threads] / 1e6 for threads in engines},
                "time": seconds[1] / seconds[2],
                "nodes/s": speeds[2] / speeds[1],
            }
        )
    total = {threads: sum(best[number, threads][0] for number in range(POSITIONS)) for threads in engines}
    nodes = {threads: sum(best[number, threads][1] for number in range(POSITIONS)) for threads in engines}
    speed = {threads: nodes[threads] / total[threads] for threads in engines}
    report = {
        "title": f"Othello to depth {options.depth}, one thread and two, wall time, best of {options.rounds}",
        "machine": machine(),
        "rows": rows,
        "figures": [
            {"name": "two threads: time to depth", "value": total[1] / total[2], "needed": NEEDED_TIME},
            {"name": "two threads: nodes per second", "value": speed[2] / speed[1], "needed": NEEDED_NODES},
        ],
    }
    tell(report, as_json=options.json)
    return verdict(report)


if __name__ == "__main__":
    sys.exit(main())
