"""What a chess program for others waits for: `uciok`, the first move, and the move after `stop`.

    python bench/chess/startup.py [--rounds 5] [--stops 20] [--json]

Every round is a process of its own, started after another one has compiled what it needs. Seconds are on the wall, from
the start of the process; the best round counts, because a busy machine only ever adds to it. The latency of `stop` is
the median over many searches in one process.
Exit code 0 if all limits are kept (uciok 1.5 s, first move at depth 8 2.5 s, stop 50 ms).
"""

from __future__ import annotations

import argparse
import os
import random
import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from measure import machine, tell, verdict

LIMITS = {"uciok": 1.5, "first move": 2.5, "stop": 0.05}
COMMAND = [sys.executable, "-m", "gametree", "engine", "uci"]


class Talk:
    """A running program."""

    def __init__(self) -> None:
        self.began = time.perf_counter()
        self.process = subprocess.Popen(COMMAND, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def send(self, *lines: str) -> None:
        """Say these lines."""
        assert self.process.stdin is not None
        self.process.stdin.write("".join(f"{line}\n" for line in lines))
        self.process.stdin.flush()

    def wait_for(self, word: str) -> float:
        """Seconds from the start of the process to a line that begins so; ends the benchmark if it never comes."""
        assert self.process.stdout is not None
        for line in self.process.stdout:
            if line.startswith(word):
                return time.perf_counter() - self.began
        print(f"`{' '.join(COMMAND)}` ended before it said {word}.", file=sys.stderr)
        raise SystemExit(2)

    def close(self) -> None:
        """End it."""
        self.send("quit")
        self.process.wait()


def start() -> dict[str, Any]:
    """One start, to the first move."""
    before = os.times()
    talk = Talk()
    talk.send("uci")
    introduced = talk.wait_for("uciok")
    talk.send("isready")
    ready = talk.wait_for("readyok")
    talk.send("position startpos", "go depth 8")
    moved = talk.wait_for("bestmove")
    talk.close()
    after = os.times()
    spent = after.children_user + after.children_system - before.children_user - before.children_system
    return {"uciok s": introduced, "readyok s": ready, "first move s": moved, "CPU s": spent}


def stops(count: int) -> list[float]:
    """Seconds from `stop` to `bestmove`, of searches that have run for a random while."""
    talk = Talk()
    talk.send("isready")
    talk.wait_for("readyok")
    found = []
    lots = random.Random(1)
    for _ in range(count):
        talk.send("position startpos", "go infinite")
        time.sleep(0.1 + 0.4 * lots.random())
        talk.began = time.perf_counter()
        talk.send("stop")
        found.append(talk.wait_for("bestmove"))
    talk.close()
    return found


def main() -> int:
    """Run the benchmark and return its exit code."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--stops", type=int, default=20)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    start()  # compiles, if that has to be done
    rows = [{"round": number + 1, **start()} for number in range(options.rounds)]
    waits = stops(options.stops)
    introduced, moved = (min(row[name] for row in rows) for name in ("uciok s", "first move s"))
    figures = [
        {"name": "uciok, s", "value": introduced, "needed": LIMITS["uciok"]},
        {"name": "first move at depth 8, s", "value": moved, "needed": LIMITS["first move"]},
        {"name": "move after stop, s", "value": statistics.median(waits), "needed": LIMITS["stop"]},
    ]
    rows.append({"round": "longest wait after stop", "first move s": max(waits)})
    report = {
        "title": "Starting as a chess program",
        "machine": machine(),
        "rows": rows,
        "figures": [{**figure, "at_most": True} for figure in figures],
    }
    tell(report, as_json=options.json)
    return verdict(report)


if __name__ == "__main__":
    sys.exit(main())
