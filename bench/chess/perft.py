"""Perft of chess: gametree's compiled rules against Stockfish's `go perft`.

    python bench/chess/perft.py [--depth 6] [--rounds 5] [--stockfish PATH]

Both count the last ply by listing the legal moves without playing them. They take turns, on one thread; CPU time, and
the fastest round of each counts. Stockfish's CPU time is that of the whole process less what it takes to start and
count to depth 1. Exit code 0 if gametree reaches 0.35 of Stockfish's speed, 1 if not, 2 if Stockfish is missing or the
two disagree.
"""

from __future__ import annotations

import argparse
import re
import resource
import shutil
import subprocess
import sys
import time

from gametree import load_game
from gametree.kernels.perft import perft

NEEDED = 0.35
POSITIONS = {
    "start": "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "Kiwipete": "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
}


def theirs(program: str, fen: str, depth: int) -> tuple[int, float]:
    """Stockfish's count and the CPU seconds of its process."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(
        [program], input=f"position fen {fen}\ngo perft {depth}\nquit\n", capture_output=True, text=True, check=True
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    found = re.search(r"Nodes searched: (\d+)", done.stdout)
    if found is None:
        raise ValueError(f"{program} gave no count")
    return int(found[1]), after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--depth", type=int, default=6, help="plies from the start; one less in Kiwipete")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument(
        "--stockfish", default=shutil.which("stockfish") or shutil.which("stockfish", path="/usr/games")
    )
    options = parser.parse_args()
    game = load_game("chess")
    enough = True
    for name, fen in POSITIONS.items():
        depth = options.depth - (name != "start")
        state = game.state_from_text(fen)
        perft(game, state, depth=1)
        mine, other, idle = [], [], []
        for _ in range(options.rounds):
            began = time.process_time()
            count = perft(game, state, depth=depth)
            mine.append(time.process_time() - began)
            if options.stockfish:
                expected, spent = theirs(options.stockfish, fen, depth)
                other.append(spent)
                idle.append(theirs(options.stockfish, fen, 1)[1])
                if expected != count:
                    print(f"{name}: gametree counts {count:,}, Stockfish {expected:,}")
                    return 2
        speed = count / min(mine)
        line = f"{name}, depth {depth}: {count:,} lines; gametree {min(mine):.3f} s, {speed / 1e6:.1f} M/s"
        if options.stockfish:
            spent = min(other) - min(idle)
            ratio = spent / min(mine)
            enough = enough and (ratio >= NEEDED or name != "start")
            line += f"; Stockfish {spent:.3f} s, {count / spent / 1e6:.1f} M/s; ratio {ratio:.2f}"
        print(line, flush=True)
    if not options.stockfish:
        print("Stockfish was not found; name it with --stockfish PATH.")
        return 2
    return 0 if enough else 1


if __name__ == "__main__":
    sys.exit(main())
