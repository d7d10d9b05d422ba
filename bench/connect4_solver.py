"""Connect Four solved exactly: gametree, compiled from Python, against the same solver in C++ and against Pons's.

    python bench/connect4_solver.py [--rounds 3] [--data FOLDER] [--pons PROGRAM] [--json]

The positions are those of connect4-begin-easy.txt and connect4-middle-medium.txt, 1000 each, solved one after the other
with one table of 64 MiB. `twins/connect4_solver.cpp` visits the same nodes; the benchmark checks that and every score.
PROGRAM is Pascal Pons's solver, built elsewhere so that it reads positions and prints for each its score, the positions
that it explored and its CPU seconds. All sides take turns; the fastest round counts, in CPU time.

The ratio is that of the compiled solver; the row "as called" adds what one call of `search` from Python costs.
Exit code 0 if all figures are reached, 1 if not, 2 if a side is missing or wrong.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
from measure import DATA, build_twin, machine, run_twin, tell, verdict

from gametree.games.connect4 import Connect4
from gametree.kernels.transposition import new_table
from gametree.search.compiled._solver import new_contexts, prove
from gametree.search.compiled.solve import search

NEEDED, NEEDED_OF_PONS, MOST_OF_PONS = 0.9, 0.7, 1.5
TABLE_MIB = 64
SETS = ("begin-easy", "middle-medium")


def prove_all(contexts: Any, states: Any, table: Any, limits: Any, values: Any) -> None:
    """Solve all states one after the other."""
    ctx = contexts[0]
    for i in range(states.shape[0]):
        ctx.frames[0].state = states[i]
        ctx.low, ctx.high, ctx.move = limits[0], limits[1], -1
        ctx.lower, ctx.upper = limits[0], limits[1]
        prove(contexts, table)
        values[i] = ctx.low


def fresh_table() -> Any:
    """An empty table whose pages the system has handed out already."""
    table = new_table(TABLE_MIB)
    table.view("u1")[:] = 0
    return table


def ours(game: Connect4, states: Any) -> tuple[list[int], int, float]:
    """Values, nodes and CPU seconds of the compiled solver."""
    contexts, _stacks = new_contexts(game)
    values = np.zeros(len(states), np.int64)
    limits = np.array([game.facts.min_utility, game.facts.max_utility], np.int64)
    table, kernel = fresh_table(), game.rules.kernel(prove_all)
    contexts["slots"] = len(table)
    kernel(contexts, states[:0], table, limits, values)  # compile
    began = time.process_time()
    kernel(contexts, states, table, limits, values)
    return values.tolist(), int(contexts[0].nodes), time.process_time() - began


def as_called(game: Connect4, states: list[bytes]) -> float:
    """CPU seconds for a call of `search` per state."""
    table = fresh_table()
    began = time.process_time()
    for state in states:
        search(game, state, table=table)
    return time.process_time() - began


def theirs(program: Path, texts: list[str], *arguments: object) -> tuple[list[int], int, float]:
    """Values, nodes and CPU seconds of another program."""
    answers = run_twin(program, texts, *arguments)
    return [int(a[0]) for a in answers], sum(int(a[1]) for a in answers), sum(float(a[2]) for a in answers)


def main() -> int:
    """Run the benchmark and return its exit code."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--positions", type=int, default=1000, help="of each set, from its beginning")
    parser.add_argument("--data", type=Path, default=DATA, help="the folder with the sets")
    parser.add_argument("--pons", type=Path, help="Pascal Pons's solver")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    game, program = Connect4(), build_twin("connect4_solver")
    rows, figures = [], []
    for name in SETS:
        lines = (options.data / f"connect4-{name}.txt").read_text(encoding="utf-8").split("\n")
        lines = [line.split() for line in lines if line.strip()][: options.positions]
        texts, scores = [line[0] for line in lines], [int(line[1]) for line in lines]
        states = [game.state_from_text(text) for text in texts]
        structs = np.concatenate([game.structs(state) for state in states])
        sides = {"gametree": lambda s=structs: ours(game, s), "C++ twin": lambda t=texts: theirs(program, t, TABLE_MIB)}
        if options.pons:
            sides["Pons"] = lambda t=texts: theirs(options.pons, t)
        times: dict[str, list[float]] = {side: [] for side in sides}
        calls, nodes = [], {}
        for _ in range(options.rounds):
            for side, run in sides.items():
                values, nodes[side], seconds = run()
                times[side].append(seconds)
                if values != scores:
                    wrong = next(i for i, value in enumerate(values) if value != scores[i])
                    print(f"{side} says {values[wrong]} at {texts[wrong]}; known: {scores[wrong]}.", file=sys.stderr)
                    return 2
            calls.append(as_called(game, states))
        if nodes["gametree"] != nodes["C++ twin"]:
            print(f"The twin visited {nodes['C++ twin']} nodes, gametree {nodes['gametree']}.", file=sys.stderr)
            return 2
        best = {side: min(seconds) for side, seconds in times.items()}
        for side in sides:
            speed = nodes[side] / best[side] / 1e6
            rows.append({"set": name, "side": side, "nodes": nodes[side], "CPU s": best[side], "Mnodes/s": speed})
        rows.append({"set": name, "side": "as called", "nodes": nodes["gametree"], "CPU s": min(calls)})
        ratio = best["C++ twin"] / best["gametree"]
        figures.append({"name": f"{name}: of the C++ twin's speed", "value": ratio, "needed": NEEDED})
        if options.pons:
            speed = nodes["gametree"] / best["gametree"] / (nodes["Pons"] / best["Pons"])
            more = nodes["gametree"] / nodes["Pons"]
            figures.append({"name": f"{name}: of Pons's positions/s", "value": speed, "needed": NEEDED_OF_PONS})
            figures.append(
                {"name": f"{name}: of Pons's positions", "value": more, "needed": MOST_OF_PONS, "at_most": True}
            )
    report = {
        "title": f"Connect Four solved, {options.positions} positions a set, CPU time, best of {options.rounds}",
        "machine": machine(),
        "rows": rows,
        "figures": figures,
    }
    tell(report, as_json=options.json)
    return verdict(report)


if __name__ == "__main__":
    sys.exit(main())
