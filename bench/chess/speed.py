"""Depth and speed of the chess engine beside Stockfish with its classical evaluation.

    python bench/chess/speed.py [--seconds 10] [--stockfish PATH] [--json]

Both search the same positions for the same time on one thread with a table of 64 MiB, in turn; nodes per second of CPU
time. Each program counts nodes in its own way: gametree every state that is entered, quiescence included, as Stockfish
does. Exit code 0 if gametree reaches depth 16 in every position and half of Stockfish's nodes per second, 1 if not,
2 if Stockfish is missing.
"""

from __future__ import annotations

import argparse
import re
import resource
import shutil
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from measure import machine, tell, verdict

from gametree import load_game
from gametree.core.clock import Clock
from gametree.search.compiled.engine import Engine

NEEDED_DEPTH, NEEDED_SPEED = 16, 0.5
POSITIONS = {
    "start": "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "middle game, quiet": "r1bq1rk1/pp2bppp/2n1pn2/2pp4/3P1B2/2PBPN2/PP1N1PPP/R2QK2R w KQ - 0 8",
    "middle game, sharp": "r2q1rk1/1b2bppp/p2ppn2/1pn5/3NP3/1BN1B3/PPP1QPPP/R4RK1 w - - 0 13",
}


def theirs(program: str, fen: str, seconds: float) -> tuple[int, int, float]:
    """Stockfish's depth, nodes and CPU seconds."""
    process = subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert process.stdin is not None
    assert process.stdout is not None
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    process.stdin.write("setoption name Use NNUE value false\nsetoption name Threads value 1\n")
    process.stdin.write(f"setoption name Hash value 64\nposition fen {fen}\ngo movetime {seconds * 1000:.0f}\n")
    process.stdin.flush()
    depth = nodes = 0
    for line in process.stdout:
        found = re.search(r"^info depth (\d+).* nodes (\d+)", line)
        if found:
            depth, nodes = int(found[1]), int(found[2])
        if line.startswith("bestmove"):
            break
    process.communicate("quit\n")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return depth, nodes, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> int:
    """Run both programs and return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument(
        "--stockfish", default=shutil.which("stockfish") or shutil.which("stockfish", path="/usr/games")
    )
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    if options.stockfish is None:
        print("Stockfish is not installed.", file=sys.stderr)
        return 2
    game = load_game("chess")
    engine = Engine(game)
    engine.search(depth=1)  # compile
    rows = []
    for name, fen in POSITIONS.items():
        engine.forget()
        began = time.process_time()
        found = engine.search(game.state_from_text(fen), clock=Clock(options.seconds))
        spent = time.process_time() - began
        depth, nodes, their_seconds = theirs(options.stockfish, fen, options.seconds)
        rows.append(
            {
                "position": name,
                "depth": found.depth,
                "Mnodes/s": found.nodes / spent / 1e6,
                "Stockfish: depth": depth,
                "Stockfish: Mnodes/s": nodes / their_seconds / 1e6,
            }
        )
    ratio = sum(row["Mnodes/s"] for row in rows) / sum(row["Stockfish: Mnodes/s"] for row in rows)
    report = {
        "title": f"{options.seconds:g} s a position, one thread",
        "machine": machine(),
        "rows": rows,
        "figures": [
            {"name": "least depth", "value": min(row["depth"] for row in rows), "needed": NEEDED_DEPTH},
            {"name": "nodes per second, of Stockfish's", "value": ratio, "needed": NEEDED_SPEED},
        ],
    }
    tell(report, as_json=options.json)
    return verdict(report)


if __name__ == "__main__":
    raise SystemExit(main())
