"""What a user waits for and pays for: help, the first compiled move, a cold compile, memory.

    python bench/startup.py [--game othello] [--rounds 3] [--json]

Every row is a process of its own. "warm" runs after another process has compiled the same; "cold" has an empty cache.
Seconds are on the wall; CPU seconds stand beside them, because a busy machine stretches the former.
Exit code 0 if all limits are kept (help 0.4 s, warm first move 1.5 s, cold compile 30 s, 400 MiB, table within 5 %).
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from typing import Any

from measure import machine, tell, verdict

LIMITS = {"help": 0.4, "warm first move": 1.5, "cold compile": 30.0}
MEMORY_MIB = 400.0
TABLE = 0.05

# Runs one command inside a fresh Python and tells its peak memory.
_CHILD = (
    "import sys, resource\n"
    "from gametree.interfaces.cli import run\n"
    "code = run(sys.argv[1:])\n"
    "print('peak', resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024, file=sys.stderr)\n"
    "sys.exit(code)\n"
)


def run(*words: str, cache: str = "") -> dict[str, Any]:
    """Run a gametree command in a process of its own; ends the benchmark with code 2 if the command fails."""
    environment = {**os.environ, **({"GAMETREE_CACHE_DIR": cache} if cache else {})}
    before, began = os.times(), time.perf_counter()
    command = [sys.executable, "-c", _CHILD, *words]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    seconds, after = time.perf_counter() - began, os.times()
    if done.returncode:
        print(f"`gametree {' '.join(words)}` failed: {done.stderr.strip()}", file=sys.stderr)
        raise SystemExit(2)
    spent = after.children_user + after.children_system - before.children_user - before.children_system
    return {
        "wall s": seconds,
        "CPU s": spent,
        "MiB": int(done.stderr.rsplit("peak", 1)[1]),
        "says compiling": "compiling" in done.stderr,
    }


def main() -> int:
    """Run the benchmark and return its exit code."""
    from gametree.kernels.table import new_table

    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--game", default="othello", help="the game of the cold compile and of the memory")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    move = ("analyse", "tictactoe", "--algorithm", "engine", "--json")
    full = ("analyse", options.game, "--algorithm", "engine", "--time", "2", "--json")
    rows = []

    def best(name: str, *words: str, rounds: int = options.rounds, cache: str = "") -> dict[str, Any]:
        row = min((run(*words, cache=cache) for _ in range(rounds)), key=lambda row: row["wall s"])
        rows.append({"what": name, "command": f"gametree {' '.join(words)}", **row})
        return row

    help_row = best("help", "--help")
    run(*move)
    warm = best("warm first move", *move)
    with tempfile.TemporaryDirectory() as folder:
        cold = best("cold compile", *full[:4], "--depth", "1", "--json", rounds=1, cache=folder)
    memory = best("memory", *full, rounds=1)
    table = abs(new_table(64).nbytes / (64 << 20) - 1)
    figures = [
        {"name": "help, s", "value": help_row["wall s"], "needed": LIMITS["help"], "at_most": True},
        {"name": "warm first move, s", "value": warm["wall s"], "needed": LIMITS["warm first move"], "at_most": True},
        {"name": "cold compile, s", "value": cold["wall s"], "needed": LIMITS["cold compile"], "at_most": True},
        {"name": "cold compile shows a line", "value": float(cold["says compiling"]), "needed": 1.0},
        {"name": "memory, MiB", "value": float(memory["MiB"]), "needed": MEMORY_MIB, "at_most": True},
        {"name": "table of 64 MiB is off by", "value": table, "needed": TABLE, "at_most": True},
    ]
    report = {"title": "Starting and memory", "machine": machine(), "rows": rows, "figures": figures}
    tell(report, as_json=options.json)
    return verdict(report)


if __name__ == "__main__":
    sys.exit(main())
