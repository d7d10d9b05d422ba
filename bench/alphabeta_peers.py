"""Nodes per second of alpha-beta on Connect Four and Othello: gametree's engine against OpenSpiel, easyAI, aima-python.

    python bench/alphabeta_peers.py [--aima CHECKOUT] [--rounds 3] [--peers PYTHON] [--json]

Every program searches the start position to a fixed depth with its own alpha-beta on its own rules: gametree's engine
with every refinement off, so that a node is as much work as it can be. A node is a state that the search enters, the
root included; the peers' are counted in an extra, untimed search. The programs take turns; the fastest search counts,
in CPU time. aima-python has no Othello.

The peers live in a virtual environment of their own, made once from the same Python; PYTHON names one that has them.
Exit code 0 if gametree reaches 30 times the nodes per second of every peer, 1 if not, 2 if a peer is missing.
"""

from __future__ import annotations

import argparse
import importlib.metadata
import json
import os
import platform
import subprocess
import sys
import time
import venv
from collections.abc import Callable
from pathlib import Path
from typing import Any

NEEDED = 30.0
PACKAGES = ("open_spiel==2.0.2", "easyAI==2.0.12", "aima3==1.0.11", "numpy", "tqdm")
GAMES = ("connect4", "othello")
DEPTHS = {
    ("gametree", "connect4"): 11,
    ("gametree", "othello"): 13,
    ("OpenSpiel", "connect4"): 12,
    ("OpenSpiel", "othello"): 11,
    ("easyAI", "connect4"): 6,
    ("easyAI", "othello"): 5,
    ("aima-python", "connect4"): 10,
}
"""So deep that a search takes about a second."""

Search = Callable[[], object]


# Workers: each runs in a process of its own, under the Python that has its package, and prints JSON -------------------


def _gametree(name: str, depth: int) -> tuple[str, int, Search]:
    import gametree
    from gametree.search.compiled.engine import Engine, EngineParameters

    engine = Engine(gametree.load_game(name), parameters=EngineParameters.plain())
    return gametree.__version__, engine.search(depth=depth).nodes, lambda: engine.search(depth=depth)


def _open_spiel(name: str, depth: int) -> tuple[str, int, Search]:
    import pyspiel
    from open_spiel.python.algorithms import minimax

    game = pyspiel.load_game({"connect4": "connect_four"}.get(name, name))

    def search() -> object:
        return minimax.alpha_beta_search(game, value_function=lambda state: 0, maximum_depth=depth)

    return importlib.metadata.version("open_spiel"), _count(minimax, "_alpha_beta", search), search


def _easyai(name: str, depth: int) -> tuple[str, int, Search]:
    import importlib

    from easyAI import AI_Player, Negamax

    if name == "connect4":
        from easyAI.games.ConnectFour import ConnectFour as Game
    else:
        from easyAI.games.Reversi import Reversi as Game
    algorithm = Negamax(depth)
    players = [AI_Player(algorithm), AI_Player(algorithm)]

    def search() -> object:
        return algorithm(Game(players))

    module = importlib.import_module("easyAI.AI.Negamax")
    return importlib.metadata.version("easyAI"), _count(module, "negamax", search), search


def _aima(name: str, depth: int, checkout: str) -> tuple[str, int, Search]:
    if checkout:
        sys.path.insert(0, checkout)
        if (Path(checkout) / "aima").is_dir():
            from aima import games
        else:
            import games
        version = "checkout"
    else:
        from aima3 import games

        version = f"aima3 {importlib.metadata.version('aima3')}"
    names = ("alpha_beta_cutoff_search", "alphabeta_cutoff_search", "alphabeta_search")
    function = next(getattr(games, name) for name in names if hasattr(games, name))
    game, entered = games.ConnectFour(), 1

    def stop(state: Any, ply: int) -> bool:
        nonlocal entered
        entered += 1
        return ply >= depth or game.terminal_test(state)

    function(game.initial, game, d=depth, cutoff_test=stop)
    # The timed search uses the program's own test, which cuts off behind depth d.
    return version, entered, lambda: function(game.initial, game, d=depth - 1)


def _count(module: Any, name: str, search: Search) -> int:
    """How often a search calls the module's recursive function."""
    original, calls = getattr(module, name), 0

    def counting(*arguments: Any, **named: Any) -> Any:
        nonlocal calls
        calls += 1
        return original(*arguments, **named)

    setattr(module, name, counting)
    try:
        search()
    finally:
        setattr(module, name, original)
    return calls


def work(name: str, game: str, checkout: str) -> None:
    """Measure one program on one game and print what was found as one line of JSON."""
    depth = DEPTHS[name, game]
    make = {"gametree": _gametree, "OpenSpiel": _open_spiel, "easyAI": _easyai}.get(name)
    version, nodes, search = _aima(game, depth, checkout) if make is None else make(game, depth)
    before = time.process_time()
    search()
    print(json.dumps({"version": version, "nodes": nodes, "seconds": time.process_time() - before}))


# The run --------------------------------------------------------------------------------------------------------------


def prepare() -> Path:
    """The Python of the peers' environment, made if need be."""
    root = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    home = root / "gametree-bench" / f"peers-{platform.python_version()}"
    python = home / ("Scripts" if os.name == "nt" else "bin") / "python"
    if not python.exists():
        print(f"making a virtual environment for the peers in {home}", file=sys.stderr)
        venv.create(home, with_pip=True)
    pip = [str(python), "-m", "pip", "--disable-pip-version-check", "install", "--quiet"]
    for package in PACKAGES:
        more = ["--no-deps"] if package.startswith("aima3") else []
        subprocess.run([*pip, package, *more], check=False, capture_output=True)
    return python


def main() -> int:
    """Run the benchmark and return its exit code."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--aima", default="", metavar="CHECKOUT", help="a checkout of aima-python; else aima3 by pip")
    parser.add_argument("--peers", type=Path, metavar="PYTHON", help="a Python that has the peers")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--worker", nargs=2, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.worker:
        work(*options.worker, options.aima)
        return 0
    from measure import machine, tell, verdict

    python = options.peers or prepare()
    best: dict[tuple[str, str], dict[str, Any]] = {}
    missing: dict[tuple[str, str], str] = {}
    for _ in range(options.rounds):
        for (name, game), _depth in DEPTHS.items():
            if (name, game) in missing:
                continue
            mine = sys.executable if name == "gametree" else str(python)
            command = [mine, __file__, "--worker", name, game, "--aima", options.aima]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            if done.returncode:
                missing[name, game] = (done.stderr.strip().splitlines() or ["it ended without a word"])[-1]
                continue
            found = json.loads(done.stdout.splitlines()[-1])
            found["speed"] = found["nodes"] / found["seconds"]
            if (name, game) not in best or found["speed"] > best[name, game]["speed"]:
                best[name, game] = found
    rows, figures = [], []
    for game in GAMES:
        if ("gametree", game) not in best:
            continue
        ours = best["gametree", game]["speed"]
        for (name, its_game), found in best.items():
            if its_game == game:
                rows.append(
                    {
                        "game": game,
                        "program": f"{name} {found['version']}",
                        "depth": DEPTHS[name, game],
                        "nodes": found["nodes"],
                        "CPU s": found["seconds"],
                        "nodes/s": round(found["speed"]),
                        "gametree is": f"{ours / found['speed']:.0f} ×",
                    }
                )
                if name != "gametree":
                    figures.append({"name": f"{game}: times {name}", "value": ours / found["speed"], "needed": NEEDED})
    report = {
        "title": f"Alpha-beta from the start position, CPU time, best of {options.rounds}",
        "machine": machine(),
        "rows": rows,
        "figures": figures,
        "missing": {f"{name} {game}": why for (name, game), why in missing.items()},
    }
    tell(report, as_json=options.json)
    for (name, game), why in missing.items():
        print(f"{name} was not measured on {game}: {why}", file=sys.stderr)
    return 2 if missing else verdict(report)


if __name__ == "__main__":
    sys.exit(main())
