"""How soon a search obeys: from a stop in another thread to the answer in the caller's hands.

    python bench/stop.py [GAME ...] [--times 50] [--threads 1] [--json]

The engine thinks without a limit; after a moment another thread says stop. The wall clock counts, so the machine should
be idle. Exit code 0 if the median is at most 10 ms in every game, 1 if not.
"""

from __future__ import annotations

import argparse
import random
import statistics
import sys
import threading
import time

from measure import machine, tell, verdict

from gametree import load_game
from gametree.core.clock import Clock
from gametree.search.compiled.engine import Engine

NEEDED = 0.010
GAMES = ("othello", "chess", "go:size=9", "connect4")


def main() -> int:
    """Run the benchmark and return its exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("games", nargs="*", default=GAMES)
    parser.add_argument("--times", type=int, default=50)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    rng = random.Random(1)
    rows = []
    for name in options.games:
        engine = Engine(load_game(name), threads=options.threads)
        engine.search(depth=1)  # compile
        waits = []
        for _ in range(options.times):
            clock = Clock()
            said: list[float] = []

            def stop(clock: Clock = clock, said: list[float] = said) -> None:
                said.append(time.perf_counter())
                clock.stop()

            timer = threading.Timer(0.05 + 0.05 * rng.random(), stop)
            engine.forget()
            timer.start()
            engine.search(clock=clock)
            waits.append(time.perf_counter() - said[0])
        rows.append({"game": name, "median ms": 1000 * statistics.median(waits), "longest ms": 1000 * max(waits)})
    report = {
        "title": f"From stop to answer, {options.times} times, {options.threads} thread(s)",
        "machine": machine(),
        "rows": rows,
        "figures": [
            {"name": f"{row['game']}, median s", "value": row["median ms"] / 1000, "needed": NEEDED, "at_most": True}
            for row in rows
        ],
    }
    tell(report, as_json=options.json)
    return verdict(report)


if __name__ == "__main__":
    sys.exit(main())
