"""Random Go playouts: gametree's Python rules, compiled, against the same algorithm in C++ (`twins/go_playouts.cpp`).

    python bench/go_playouts.py [--playouts 100000] [--rounds 5] [--json]

Both sides play on 9 × 9 from the empty board, fill no eyes of their own, and draw from the same generator, so they play
the same games: results, plies and final boards must agree. They take turns; the fastest round counts, in CPU time.
Exit code 0 if gametree reaches 0.8 of the twin's speed, 1 if not, 2 if the twin cannot be built or disagrees.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
from measure import build_twin, machine, run_twin, tell, verdict

from gametree.games.go import KEYS, Go, area
from gametree.kernels.bits import u64
from gametree.kernels.hashing import mix
from gametree.kernels.past import begin_line, enter_position, open_past, past_type, replace_forbidden
from gametree.kernels.verbs import is_over, play, playout_move

NEEDED = 0.8
STEP = u64(0x9E3779B97F4A7C15)


def run_playouts(states: Any, pasts: Any, out: Any, count: Any, random: Any, sums: Any, weights: Any) -> None:
    """Play `count` games from states[0] in states[1]; sums: area differences, plies, xor of the final hashes."""
    s, past, w = states[1], pasts[0], weights[0]
    for _ in range(count):
        states[1] = states[0]
        begin_line(past)
        began, careful_from = random, np.int64(1 << 60)
        while not is_over(s, out, w):
            random += STEP
            move = playout_move(s, mix(random), out, w)
            if s.plies >= careful_from:
                move = replace_forbidden(past, s, move, mix(random), out, w)
            play(s, move, w)
            if enter_position(
                past, s, w
            ):  # forbidden by superko, once in hundreds of games: again, with care from there on
                careful_from = np.int64(s.plies) - 1
                states[1] = states[0]
                begin_line(past)
                random = began
        sums[0] += u64(area(s))
        sums[1] += u64(s.plies)
        sums[2] ^= s.hash


def ours(game: Go, playouts: int, seed: int) -> tuple[list[int], float]:
    """What the games came to, and the CPU seconds."""
    kernel = game.rules.kernel(run_playouts)
    states = game.structs(game.initial(), 2)
    out = np.zeros(game.facts.most_moves, np.int64)
    sums = np.zeros(3, np.uint64)
    pasts = np.zeros(1, past_type(True, game.facts.longest_game))
    open_past(pasts[0], [game.key(game.initial())])
    kernel(states, pasts, out, 0, u64(seed), sums, game.w)  # compiles, or loads what was compiled
    began = time.process_time()
    kernel(states, pasts, out, playouts, u64(seed), sums, game.w)
    spent = time.process_time() - began
    return [int(sums.view(np.int64)[0]), int(sums[1]), int(sums[2])], spent


def main() -> int:
    """Run the benchmark and return its exit code."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--playouts", type=int, default=100_000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    game = Go(9)
    program = build_twin("go_playouts")
    best: dict[str, float] = {}
    plies = 0
    with tempfile.TemporaryDirectory() as folder:
        keys = Path(folder) / "keys"
        keys.write_bytes(KEYS.tobytes())
        for seed in range(options.rounds):
            mine, my_time = ours(game, options.playouts, seed)
            ((*words, seconds),) = run_twin(program, [], options.playouts, seed, keys)
            if mine != [int(word) for word in words]:
                print(f"The sides disagree with seed {seed}: {mine} and {words}.", file=sys.stderr)
                return 2
            plies += mine[1]
            for side, spent in (("gametree", my_time), ("C++ twin", float(seconds))):
                best[side] = min(best.get(side, spent), spent)
    ratio = best["C++ twin"] / best["gametree"]
    mean = plies / options.rounds / options.playouts
    report = {
        "title": f"{options.playouts:,} random games of 9 × 9 Go, {mean:.0f} plies each, best of {options.rounds}",
        "machine": machine(),
        "rows": [
            {"side": side, "CPU s": spent, "playouts/s": round(options.playouts / spent)}
            for side, spent in best.items()
        ],
        "figures": [{"name": "speed of the twin's", "value": ratio, "needed": NEEDED}],
    }
    tell(report, as_json=options.json)
    return verdict(report)


if __name__ == "__main__":
    sys.exit(main())
