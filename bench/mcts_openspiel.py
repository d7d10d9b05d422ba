"""Simulations per second of Monte Carlo tree search: gametree's fast-mcts against OpenSpiel's C++ MCTSBot.

    python bench/mcts_openspiel.py [--rounds 3] [--peers PYTHON] [--json]

Both sides search the start position with UCT and one random game per simulation, without their solvers, in one thread,
and grow a tree that is not limited. Go ends after 162 plies at the latest, as in OpenSpiel. The programs take turns,
each in a process of its own; the fastest search counts, in CPU time.

OpenSpiel draws every move of a random game among all legal ones, the pass and own eyes included. Three rows of Go:

    go 9×9                  the same distribution, drawn by rejection instead of from a list of all legal moves
    go 9×9, eyes kept       gametree's default, which fills no eyes of its own side: other games, so not like for like
    go 9×9, moves listed    the same distribution from a list of all legal moves, draw for draw the readable mcts;
                            shown for honesty: it is far below the factor needed, and no figure depends on it

OpenSpiel lives in a virtual environment of its own, made once from the same Python; PYTHON names one that has it.
Exit code 0 if gametree reaches 5 times the simulations per second in the rows that count, 1 if not, 2 if OpenSpiel is
missing.
"""

from __future__ import annotations

import argparse
import importlib.metadata
import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

NEEDED = 5.0
GO = "go:size=9,komi=7.5,moves=162,score=win"
# Name: gametree's game, options and simulations; OpenSpiel's game and simulations; whether a figure depends on it.
GAMES: dict[str, tuple[str, dict[str, Any], int, str, int, bool]] = {
    "connect four": ("connect4", {}, 400_000, "connect_four", 50_000, True),
    "othello": ("othello", {}, 150_000, "othello", 2_000, True),
    "go 9×9": (f"{GO},playouts=all", {}, 50_000, "go(board_size=9)", 4_000, True),
    "go 9×9, eyes kept": (GO, {}, 50_000, "go(board_size=9)", 4_000, True),
    "go 9×9, moves listed": (GO, {"own_playouts": False}, 15_000, "go(board_size=9)", 4_000, False),
}


# Workers: each runs in a process of its own, under the Python that has its package, and prints JSON -------------------


def _gametree(name: str) -> tuple[str, int, float]:
    import gametree
    from gametree.search.compiled.fast_mcts import search

    text, options, simulations, *_ = GAMES[name]
    game = gametree.load_game(text)
    search(game, simulations=10, solver=False, **options)  # compiles, or loads what was compiled
    before = time.process_time()
    done = search(game, simulations=simulations, solver=False, mib=1024, **options).details
    spent = time.process_time() - before
    assert done["simulations"] == simulations
    assert not done["full"]
    return gametree.__version__, simulations, spent


def _open_spiel(name: str) -> tuple[str, int, float]:
    import pyspiel

    _, _, _, text, simulations, _ = GAMES[name]
    game = pyspiel.load_game(text)
    evaluator = pyspiel.RandomRolloutEvaluator(1, 7)
    # Exploration, simulations, megabytes (-1: no limit), solver, seed, messages.
    bot = pyspiel.MCTSBot(game, evaluator, 1.0, simulations, -1, False, 7, False)
    state = game.new_initial_state()
    before = time.process_time()
    root = bot.mcts_search(state)
    spent = time.process_time() - before
    assert root.explore_count == simulations
    return importlib.metadata.version("open_spiel"), simulations, spent


def work(program: str, name: str) -> None:
    """Measure one program on one game and print what was found as one line of JSON."""
    version, simulations, spent = {"gametree": _gametree, "OpenSpiel": _open_spiel}[program](name)
    print(json.dumps({"version": version, "simulations": simulations, "seconds": spent}))


# The run --------------------------------------------------------------------------------------------------------------


def main() -> int:
    """Run the benchmark and return its exit code."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--peers", type=Path, metavar="PYTHON", help="a Python that has open_spiel")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--worker", nargs=2, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.worker:
        work(*options.worker)
        return 0
    from alphabeta_peers import prepare
    from measure import machine, tell, verdict

    pythons = {"gametree": sys.executable, "OpenSpiel": str(options.peers or prepare())}
    best: dict[tuple[str, str], dict[str, Any]] = {}
    for _ in range(options.rounds):
        for name in GAMES:
            for program, python in pythons.items():
                command = [python, __file__, "--worker", program, name]
                done = subprocess.run(command, capture_output=True, text=True, check=False)
                if done.returncode:
                    why = (done.stderr.strip().splitlines() or ["it ended without a word"])[-1]
                    print(f"{program} could not be measured on {name}: {why}", file=sys.stderr)
                    return 2
                found = json.loads(done.stdout.splitlines()[-1])
                found["speed"] = found["simulations"] / found["seconds"]
                if (program, name) not in best or found["speed"] > best[program, name]["speed"]:
                    best[program, name] = found
    rows, figures = [], []
    for name in GAMES:
        for program in pythons:
            found = best[program, name]
            rows.append(
                {
                    "game": name,
                    "program": f"{program} {found['version']}",
                    "simulations": found["simulations"],
                    "CPU s": found["seconds"],
                    "simulations/s": round(found["speed"]),
                }
            )
        ratio = best["gametree", name]["speed"] / best["OpenSpiel", name]["speed"]
        rows[-2]["gametree is"] = f"{ratio:.1f} ×"
        if GAMES[name][-1]:
            figures.append({"name": f"{name}: times OpenSpiel", "value": ratio, "needed": NEEDED})
    report = {
        "title": f"Monte Carlo tree search from the start position, CPU time, best of {options.rounds}",
        "machine": machine(),
        "rows": rows,
        "figures": figures,
    }
    tell(report, as_json=options.json)
    return verdict(report)


if __name__ == "__main__":
    sys.exit(main())
