"""Nodes per second of readable alpha-beta on tic-tac-toe: gametree against aima-python and easyAI, in one run.

    python bench/textbook.py [--aima CHECKOUT] [--rounds 5] [--json]

Run it with the Python that has gametree. The peers live in a virtual environment of their own, made once from the
same Python. Every program searches the whole game from the empty board with its own alpha-beta on its own rules.

A node is a state that the search enters, the root included. gametree reports that number itself; for the peers it is
counted in a separate, untimed search, by a subclass of their game that counts the terminal tests: both ask exactly
one per node they enter (aima-python none at the root, which is added). The timed searches run their code untouched.
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

NEEDED = 2.0
"""How many times the nodes per second of each peer gametree has to reach."""
PACKAGES = {"easyAI": ["easyAI==2.0.12"], "aima": ["numpy", "tqdm"], "aima3": ["aima3==1.0.11", "--no-deps"]}
PEERS = ("aima-python", "easyAI")

# Workers: each runs in a process of its own, under the Python that has its package, and prints JSON ------------------


def _gametree() -> tuple[str, int, Callable[[], object]]:
    import gametree

    game = gametree.load_game("tictactoe")
    _, search = gametree.load_algorithm("alphabeta")
    return gametree.__version__, search(game).nodes, lambda: search(game)


def _aima(checkout: str) -> tuple[str, int, Callable[[], object]]:
    if checkout:
        sys.path.insert(0, checkout)
        if (Path(checkout) / "aima").is_dir():
            from aima import games
        else:  # before version 4 the modules lay at the top
            import games
        version = f"checkout {_commit(checkout)}"
    else:
        from aima3 import games

        version = f"as packaged in aima3 {importlib.metadata.version('aima3')}"
    # The function has had three spellings over the years.
    names = ("alpha_beta_search", "alphabeta_search", "alphabeta_full_search")
    search = next(getattr(games, name) for name in names if hasattr(games, name))

    class Counting(games.TicTacToe):
        tests = 0

        def terminal_test(self, state: Any) -> bool:
            Counting.tests += 1
            return super().terminal_test(state)

    counting, plain = Counting(), games.TicTacToe()
    search(counting.initial, counting)
    return version, Counting.tests + 1, lambda: search(plain.initial, plain)


def _easyai() -> tuple[str, int, Callable[[], object]]:
    from easyAI import AI_Player, Negamax
    from easyAI.games.TicTacToe import TicTacToe

    class Counting(TicTacToe):
        tests = 0

        def is_over(self) -> bool:
            Counting.tests += 1
            return super().is_over()

    # Deeper than the game is long, so that its depth never reaches 0 and every node asks is_over.
    algorithm = Negamax(10)
    players = [AI_Player(algorithm), AI_Player(algorithm)]
    algorithm(Counting(players))
    return importlib.metadata.version("easyAI"), Counting.tests, lambda: algorithm(TicTacToe(players))


def work(name: str, checkout: str, searches: int) -> None:
    """Measure one program and print what was found as one line of JSON."""
    make = {"gametree": _gametree, "aima-python": lambda: _aima(checkout), "easyAI": _easyai}[name]
    version, nodes, search = make()  # its counting search has warmed everything up
    seconds = []
    for _ in range(searches):
        before = time.process_time()
        search()
        seconds.append(time.process_time() - before)
    print(json.dumps({"version": version, "nodes": nodes, "seconds": seconds}))


def _commit(checkout: str) -> str:
    asked = subprocess.run(["git", "-C", checkout, "rev-parse", "--short", "HEAD"], capture_output=True, text=True)
    return asked.stdout.strip() or "without git"


# The run -------------------------------------------------------------------------------------------------------------


def cache_directory() -> Path:
    """Where the peers' virtual environment is kept between runs."""
    root = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(root) / "gametree-bench" / f"textbook-{platform.python_version()}"


def prepare(home: Path, checkout: str) -> tuple[Path, dict[str, str]]:
    """Make the peers' environment if need be; returns its Python and, per peer that is missing, why."""
    python = home / ("Scripts" if os.name == "nt" else "bin") / "python"
    pip = [str(python), "-m", "pip", "--disable-pip-version-check"]
    if not python.exists() or subprocess.run([*pip, "--version"], capture_output=True).returncode:
        print(f"making a virtual environment for the peers in {home}", file=sys.stderr)
        venv.create(home, with_pip=True)
    missing: dict[str, str] = {}
    for package, requirements in PACKAGES.items():
        peer = "easyAI" if package == "easyAI" else "aima-python"
        if peer in missing or (package == "aima3" and checkout):
            continue
        run = subprocess.run([*pip, "install", "--quiet", *requirements], capture_output=True, text=True)
        if run.returncode:
            missing[peer] = f"pip could not install {requirements[0]}: {(run.stderr.strip().splitlines() or [''])[-1]}"
    if checkout and not any((Path(checkout) / path).is_file() for path in ("aima/games.py", "games.py")):
        missing["aima-python"] = f"'{checkout}' is not a checkout of aima-python: it has no games.py"
    return python, missing


def measure(python: Path, name: str, checkout: str, searches: int) -> dict[str, Any]:
    """Run one worker. Raises RuntimeError with its last line of complaint."""
    command = [str(python), __file__, "--worker", name, "--searches", str(searches), "--aima", checkout]
    run = subprocess.run(command, capture_output=True, text=True)
    if run.returncode:
        raise RuntimeError((run.stderr.strip().splitlines() or ["it ended without a word"])[-1])
    found: dict[str, Any] = json.loads(run.stdout.splitlines()[-1])
    return found


def processor() -> str:
    """The name of the CPU as the system gives it."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
        return next(line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor() or platform.machine()


def compare(home: Path, checkout: str, rounds: int, searches: int) -> dict[str, Any]:
    """Measure all programs in turn, `rounds` times, so that a busy moment of the machine hits all of them alike."""
    python, missing = prepare(home, checkout)
    rows: dict[str, dict[str, Any]] = {}
    for number in range(rounds):
        for name in ("gametree", *(peer for peer in PEERS if peer not in missing)):
            print(f"round {number + 1} of {rounds}: {name}", file=sys.stderr)
            try:
                found = measure(Path(sys.executable) if name == "gametree" else python, name, checkout, searches)
            except RuntimeError as error:
                missing[name] = str(error)
                rows.pop(name, None)
                continue
            row = rows.setdefault(name, {"version": found["version"], "nodes": found["nodes"], "seconds": []})
            row["seconds"] += found["seconds"]
    if "gametree" not in rows:
        sys.exit(f"gametree could not be measured: {missing['gametree']}")
    for row in rows.values():
        # The fastest search is the one that the rest of the machine disturbed least.
        row["seconds"] = min(row["seconds"])
        row["nodes_per_second"] = row["nodes"] / row["seconds"]
    for row in rows.values():
        row["ratio"] = rows["gametree"]["nodes_per_second"] / row["nodes_per_second"]
    return {
        "cpu": processor(),
        "python": platform.python_version(),
        "rounds": rounds,
        "searches_per_round": searches,
        "needed_ratio": NEEDED,
        "programs": rows,
        "missing": missing,
    }


def show(report: dict[str, Any]) -> None:
    """Print the report as a table."""
    print(f"alpha-beta on tic-tac-toe, whole game; {report['cpu']}, Python {report['python']}")
    print(f"{'program':<14}{'nodes':>8}{'CPU s':>10}{'nodes/s':>12}{'gametree is':>14}   version")
    for name, row in report["programs"].items():
        ratio = "" if name == "gametree" else f"{row['ratio']:.2f} ×"
        speed = f"{row['nodes_per_second']:,.0f}"
        print(f"{name:<14}{row['nodes']:>8}{row['seconds']:>10.4f}{speed:>12}{ratio:>14}   {row['version']}")
    for name, why in report["missing"].items():
        print(f"{name} was not measured: {why}")


def main() -> int:
    """Return 0 if gametree reaches the needed ratio against every peer, 1 if not, 2 if a peer is missing."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--aima", default="", metavar="CHECKOUT", help="a checkout of aima-python; else aima3 by pip")
    parser.add_argument("--home", type=Path, default=cache_directory(), help="where the peers' environment is kept")
    parser.add_argument("--rounds", type=int, default=5, help="how often every program gets its turn")
    parser.add_argument("--searches", type=int, default=3, help="timed searches per turn")
    parser.add_argument("--json", action="store_true", help="print the report as JSON")
    parser.add_argument("--worker", choices=("gametree", *PEERS), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.rounds < 1 or options.searches < 1:
        parser.error("--rounds and --searches must be at least 1")
    if options.worker:
        work(options.worker, options.aima, options.searches)
        return 0
    report = compare(options.home, options.aima, options.rounds, options.searches)
    if options.json:
        print(json.dumps(report, indent=2))
    else:
        show(report)
    if report["missing"]:
        return 2
    return 0 if all(row["ratio"] >= NEEDED for name, row in report["programs"].items() if name in PEERS) else 1


if __name__ == "__main__":
    raise SystemExit(main())
