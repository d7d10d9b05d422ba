"""A recorded search of a million nodes, as the tree lab keeps it: how long, how large, how quick to open.

    python bench/web_lab.py [--game connect4] [--algorithm alphabeta] [--depth N] [--nodes 1000000] [--json]

The search runs in a worker process as it does behind the page. Then 300 branches are opened on random ways down from
the root. Exit code 0 if the record holds the whole search of as many nodes as were asked for and takes at most 1 GiB,
and if 95 of 100 branches open within 50 ms. A node that is entered again keeps its row, so there are fewer rows than
nodes entered.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import time
from pathlib import Path
from typing import Any

from gametree.interfaces.web.work import Work

TASKS = "gametree.interfaces.web.lab_branches"
MOST_MIB = 1024
MOST_SECONDS = 0.05


async def measure(game: str, algorithm: str, depth: int | None, nodes: int) -> dict[str, Any]:
    """Grow one record and open branches of it."""
    work = Work(engines=1)
    try:
        began = time.monotonic()
        asked = {"source": {"kind": "game", "game": game}, "algorithm": algorithm, "depth": depth, "nodes": nodes}
        told = await work.run(f"{TASKS}:grow", asked, lane="engine", seconds=1800)
        grown = time.monotonic() - began
        process = work._lanes["engine"].processes[0]._process
        assert process is not None
        status = Path(f"/proc/{process.pid}/status").read_text(encoding="utf-8")
        kept = next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmRSS")) / 1024
        peak = next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmHWM")) / 1024
        rng, times = random.Random(1), []
        row = 0
        for _ in range(300):
            began = time.monotonic()
            arguments = {"row": row, "start": 0, "count": 50, "sort": rng.choice(["order", "value", "size"])}
            branch = await work.run(f"{TASKS}:open_branch", arguments, lane="engine", seconds=5)
            times.append(time.monotonic() - began)
            below = [child["row"] for child in branch["children"] if child["children"]]
            row = rng.choice(below) if below else 0
        times.sort()
    finally:
        await work.stop()
    return {
        "game": game, "algorithm": algorithm, "nodes": told["nodes"], "rows": told["rows"],
        "truncated": told["truncated"], "seconds": round(grown, 1), "kept_mib": round(kept), "peak_mib": round(peak),
        "open_median_ms": round(1000 * times[150], 1), "open_95_ms": round(1000 * times[284], 1),
    }  # fmt: skip


def main() -> int:
    """Measure and judge."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--game", default="connect4")
    parser.add_argument("--algorithm", default="alphabeta")
    parser.add_argument("--depth", type=int, default=None)
    parser.add_argument("--nodes", type=int, default=1_000_000)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    depth = 12 if options.depth is None and options.algorithm == "alphabeta" else options.depth
    found = asyncio.run(measure(options.game, options.algorithm, depth, options.nodes))
    found["kept"] = (
        found["nodes"] >= 0.9 * options.nodes
        and not found["truncated"]
        and found["kept_mib"] <= MOST_MIB
        and found["open_95_ms"] <= 1000 * MOST_SECONDS
    )
    print(json.dumps(found) if options.json else "\n".join(f"{key:>16}  {value}" for key, value in found.items()))
    return 0 if found["kept"] else 1


if __name__ == "__main__":
    raise SystemExit(main())
