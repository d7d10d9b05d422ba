"""What a change of the source costs the engine: two source trees search the same nodes, in turns.

    python bench/chess/weights_cost.py OLD_SRC [NEW_SRC] [--game chess] [--nodes 400000] [--rounds 8]

Written to measure what weights cost that are data instead of constants of the compiled code. OLD_SRC and NEW_SRC are
folders with the package `gametree` (the `src` of a checkout); the second is this one by default. Either side is a
process of its own that searches four positions with a table of 16 MiB, in turns with the other one, and tells its CPU
time. Printed are the mean of the rounds' differences and its standard error. Exit code 0, or 2 if the two sides differ
in nodes or values.
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

CHESS = (
    "startpos",
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10",
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
)


def states_of(game: Any, name: str) -> list[Any]:
    """The four positions: those above for chess, else the start and what the middle moves lead to."""
    if name == "chess":
        return [game.state_from_text(text) for text in CHESS]
    found = [game.initial()]
    for plies in (4, 8, 12):
        state = game.initial()
        for _ in range(plies):
            moves = game.actions(state)
            state = game.result(state, moves[len(moves) // 2])
        found.append(state)
    return found


def worker(name: str, nodes: int) -> None:
    """Search all positions once for every line of the input; tell nodes, values and CPU seconds."""
    from gametree.core.clock import Clock
    from gametree.core.registry import load_game

    try:
        room = importlib.import_module("gametree.search.compiled.engine")
    except ImportError:  # where older sources have it
        room = importlib.import_module("gametree.search.engine")
    game = load_game(name)
    engine = room.Engine(game, table_mib=16)
    engine.search(game.initial(), depth=2)
    states = states_of(game, name)
    for _ in sys.stdin:
        found: list[tuple[int, float]] = []
        seconds = 0.0
        for state in states:
            engine.forget()
            began = time.process_time()
            result = engine.search(state, clock=Clock(nodes=nodes))
            seconds += time.process_time() - began
            found.append((result.nodes, float(result.value)))
        print(json.dumps([found, seconds]), flush=True)


def ask(side: subprocess.Popen[str]) -> tuple[Any, float]:
    """One round of one side."""
    assert side.stdin
    assert side.stdout
    side.stdin.write("go\n")
    side.stdin.flush()
    found, seconds = json.loads(side.stdout.readline())
    return found, seconds


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("old", nargs="?")
    parser.add_argument("new", nargs="?", default=str(Path(__file__).resolve().parent.parent.parent / "src"))
    parser.add_argument("--game", default="chess")
    parser.add_argument("--nodes", type=int, default=400_000)
    parser.add_argument("--rounds", type=int, default=8)
    parser.add_argument("--worker", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.worker:
        worker(options.game, options.nodes)
        return 0
    if options.old is None:
        parser.error("the old source tree is missing.")
    command = [sys.executable, __file__, "--worker", "--game", options.game, "--nodes", str(options.nodes)]
    sides = [
        subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONPATH": os.path.abspath(path)},
        )
        for path in (options.old, options.new)
    ]
    changes: list[float] = []
    try:
        for number in range(options.rounds + 1):
            order = (0, 1) if number % 2 == 0 else (1, 0)
            told = {i: ask(sides[i]) for i in order}
            if told[0][0] != told[1][0]:
                print(f"The two sides differ: {told[0][0]} and {told[1][0]}.")
                return 2
            if number == 0:  # loads the code and touches the memory
                continue
            old, new = told[0][1], told[1][1]
            changes.append(100 * (new / old - 1))
            print(f"round {number}: old {old:.2f} s, new {new:.2f} s, {changes[-1]:+.1f} %", flush=True)
    finally:
        for side in sides:
            assert side.stdin
            side.stdin.close()
            side.wait()
    error = statistics.stdev(changes) / len(changes) ** 0.5 if len(changes) > 1 else float("nan")
    print(f"{options.game}: {statistics.mean(changes):+.1f} ± {error:.1f} % (mean and standard error of the rounds)")
    return 0


if __name__ == "__main__":
    sys.exit(main())
