"""Random Go playouts: gametree's Python rules, compiled, against the same algorithm in C++ (`twins/go_playouts.cpp`).

    python bench/go_playouts.py [--size 9] [--playouts 100000] [--rounds 5]

Both sides start from the empty board and draw from the same generator, so they play the same games: the benchmark
checks that results, plies and final boards agree. They take turns; the fastest round of each counts, in CPU time.
Exit code 0 if gametree reaches 0.8 of the twin's speed, 1 if not, 2 if the twin cannot be built or disagrees.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

from gametree.games.go import Go, area
from gametree.kernels.bits import u64
from gametree.kernels.hashing import mix, zobrist_keys
from gametree.kernels.verbs import is_over, play, playout_move

NEEDED = 0.8
STEP = u64(0x9E3779B97F4A7C15)


def run_playouts(states: Any, out: Any, count: Any, random: Any, sums: Any) -> None:
    """Play `count` games from states[0] in states[1]; sums: area differences, plies, xor of hashes."""
    s = states[1]
    for _ in range(count):
        states[1] = states[0]
        while not is_over(s, out):
            random += STEP
            play(s, playout_move(s, mix(random), out))
        sums[0] += u64(area(s))
        sums[1] += u64(s.plies)
        sums[2] ^= s.hash


def ours(game: Go, playouts: int, seed: int) -> tuple[list[int], float]:
    kernel = game.rules.kernel(run_playouts)
    states = game.structs(game.initial(), 2)
    out = np.zeros(game.facts.most_moves, np.int64)
    sums = np.zeros(3, np.uint64)
    kernel(states, out, 0, u64(seed), sums)
    began = time.process_time()
    kernel(states, out, playouts, u64(seed), sums)
    spent = time.process_time() - began
    return [int(sums.view(np.int64)[0]), int(sums[1]), int(sums[2])], spent


def build_twin(folder: Path, size: int) -> list[str]:
    program, keys = folder / "go_playouts", folder / "keys"
    source = Path(__file__).parent / "twins" / "go_playouts.cpp"
    subprocess.run(
        ["g++", "-O3", "-march=native", f"-DSIZE={size}", "-o", str(program), str(source)], check=True, timeout=120
    )
    cells = (size + 2) * (size + 1) + 1
    keys.write_bytes(zobrist_keys(3 * cells, seed=1907).tobytes())
    return [str(program), str(keys)]


def twin(program: list[str], playouts: int, seed: int) -> tuple[list[int], float]:
    output = subprocess.run(
        [program[0], str(playouts), str(seed), program[1]], check=True, capture_output=True, text=True, timeout=600
    )
    *sums, spent = output.stdout.split()
    return [int(word) for word in sums], float(spent)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--size", type=int, default=9)
    parser.add_argument("--playouts", type=int, default=100_000)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    game = Go(options.size)
    with tempfile.TemporaryDirectory() as name:
        try:
            program = build_twin(Path(name), options.size)
        except (OSError, subprocess.SubprocessError) as error:
            print(f"The twin cannot be built: {error}", file=sys.stderr)
            return 2
        best = {"gametree": float("inf"), "C++ twin": float("inf")}
        plies = 0
        for seed in range(options.rounds):
            mine, my_time = ours(game, options.playouts, seed)
            theirs, their_time = twin(program, options.playouts, seed)
            if mine != theirs:
                print(f"The sides disagree with seed {seed}: {mine} and {theirs}.", file=sys.stderr)
                return 2
            plies += mine[1]
            best["gametree"] = min(best["gametree"], my_time)
            best["C++ twin"] = min(best["C++ twin"], their_time)
    mean = plies / options.rounds / options.playouts
    print(
        f"{options.size} × {options.size} Go, {options.playouts} playouts of {mean:.0f} plies, best of {options.rounds}"
    )
    for side, spent in best.items():
        print(f"{side:<10} {spent:8.3f} s CPU {options.playouts / spent:12,.0f} playouts/s")
    ratio = best["C++ twin"] / best["gametree"]
    print(f"gametree reaches {ratio:.2f} of the twin's speed (needed: {NEEDED})")
    return 0 if ratio >= NEEDED else 1


if __name__ == "__main__":
    sys.exit(main())
