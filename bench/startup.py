"""What a user waits for and pays for: help, the first move, a cold compile, a second process, memory.

    python bench/startup.py [--game othello] [--rounds 3] [--only NAME] [--before WORKTREE] [--json]

Every row is a process of its own. "warm" runs after another process has compiled the same; "cold" has an empty cache.
Seconds are on the wall; CPU seconds, those of all processes that a command starts, stand beside them, because a busy
machine stretches the former. With `--before`, every row is measured with the sources of another worktree as well, and
`--only` takes the rows whose name contains a word. Exit code 0 if all limits are kept: help 0.4 s, warm first move
1.5 s, cold engine of chess 45 s, of another game 30 s, a first reply on a cold machine 10 s, a second process of a
user's file 3 s, 400 MiB, the table within 5 %.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from measure import machine, tell, verdict

HERE = Path(__file__).resolve().parent.parent
LIMITS = {
    "help": 0.4,
    "warm first move": 1.5,
    "cold engine": 30.0,
    "cold engine of chess": 45.0,
    "cold first reply in chess": 10.0,
    "second process of a user's file": 3.0,
}
MEMORY_MIB = 400.0
TABLE = 0.05

# Runs one command inside a fresh Python and tells its peak memory.
_CHILD = (
    "import sys, resource\n"
    "from gametree.interfaces.cli import run\n"
    "code = run(sys.argv[1:])\n"
    "print('peak', resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024, file=sys.stderr)\n"
    "sys.exit(code)\n"
)
# From the click on "Start" in the workbench to the first move of its engine; the server runs already.
_REPLY = """
import asyncio, json, re, resource, subprocess, sys, tempfile, time, urllib.request
from websockets.asyncio.client import connect

async def play(address, game):
    began = time.perf_counter()
    body = {"game": game, "seats": [{"kind": "engine", "level": "club"}, {"kind": "person"}]}
    headers = {"Content-Type": "application/json", "Origin": address}
    asked = urllib.request.Request(f"{address}/api/play/games", json.dumps(body).encode(), headers)
    name = json.load(urllib.request.urlopen(asked, timeout=900))["id"]
    place = f"{address.replace('http', 'ws')}/api/play/games/{name}/socket"
    async with connect(place, origin=address, max_size=1 << 22) as socket:
        async for text in socket:
            message = json.loads(text)
            if message["type"] == "error":
                sys.exit(message["error"])
            if message["type"] == "game" and message["game"]["moves"]:
                break
    print("reply", time.perf_counter() - began, file=sys.stderr)

with tempfile.TemporaryDirectory() as data:
    command = [sys.executable, "-m", "gametree", "web", "--no-browser", "--port", "0", "--data", data + "/games.sqlite"]
    server = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    try:
        asyncio.run(play(re.search(r"http://\\S+", server.stderr.readline()).group().rstrip("/"), sys.argv[1]))
    finally:
        server.terminate()
        server.communicate(timeout=60)
print("peak", resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024, file=sys.stderr)
"""


def run(program: str, *words: str, source: Path, cache: str = "", folder: str = "") -> dict[str, Any]:
    """Run a program in a process of its own; ends the benchmark with code 2 if it fails."""
    environment = {**os.environ, "PYTHONPATH": str(source / "src")}
    if cache:
        environment["GAMETREE_CACHE_DIR"] = cache
    before, began = os.times(), time.perf_counter()
    command = [sys.executable, "-c", program, *words]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment, cwd=folder or None)
    seconds, after = time.perf_counter() - began, os.times()
    if done.returncode:
        print(f"`gametree {' '.join(words)}` failed: {done.stderr.strip()}", file=sys.stderr)
        raise SystemExit(2)
    spent = after.children_user + after.children_system - before.children_user - before.children_system
    told = done.stderr.split()
    return {
        "wall s": float(told[told.index("reply") + 1]) if "reply" in told else seconds,
        "CPU s": spent,
        "MiB": int(done.stderr.rsplit("peak", 1)[1]),
        "says compiling": "compiling" in done.stderr,
    }


def measure(source: Path, game: str, rounds: int, only: str) -> list[dict[str, Any]]:
    """All rows for one worktree."""
    rows: list[dict[str, Any]] = []
    move = ("analyse", "tictactoe", "--algorithm", "engine", "--json")

    def add(name: str, how: Callable[[], dict[str, Any]], *, times: int = 1) -> None:
        if only in name:
            print(f"{source.name}: {name} ...", file=sys.stderr, flush=True)
            rows.append({"what": name, **min((how() for _ in range(times)), key=lambda row: row["wall s"])})

    def cold(*words: str, program: str = _CHILD) -> dict[str, Any]:
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
            return run(program, *words, source=source, cache=folder)

    add("help", lambda: run(_CHILD, "--help", source=source), times=rounds)
    if only in "warm first move":
        run(_CHILD, *move, source=source)
    add("warm first move", lambda: run(_CHILD, *move, source=source), times=rounds)
    add("cold engine", lambda: cold("analyse", game, "--algorithm", "engine", "--depth", "1", "--json"))
    add("cold engine of chess", lambda: cold("analyse", "chess", "--time", "1", "--json"))
    add("cold first reply in chess", lambda: cold("chess", program=_REPLY))
    add(f"cold first reply in {game}", lambda: cold(game, program=_REPLY))
    add("cold warmup of chess", lambda: cold("warmup", "chess"))
    own = ("analyse", "shift.py", "--time", "1", "--json")
    with tempfile.TemporaryDirectory() as folder:
        if only in "first process of a user's file" or only in "second process of a user's file":
            run(_CHILD, "new", "shift", "--compiled", source=source, folder=folder)
            store = f"{folder}/store"
            first = run(_CHILD, *own, source=source, cache=store, folder=folder)
            add("first process of a user's file", lambda: first)
            add(
                "second process of a user's file",
                lambda: run(_CHILD, *own, source=source, cache=store, folder=folder),
            )
    add("memory", lambda: run(_CHILD, "analyse", game, "--algorithm", "engine", "--time", "2", "--json", source=source))
    return rows


def main() -> int:
    """Run the benchmark and return its exit code."""
    from gametree.kernels.transposition import new_table

    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--game", default="othello", help="the game of the cold compile and of the memory")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--only", default="", help="only rows whose name contains this")
    parser.add_argument("--before", type=Path, help="another worktree, measured as well")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    rows = []
    if options.before is not None:
        rows += [
            {"side": "before", **row} for row in measure(options.before, options.game, options.rounds, options.only)
        ]
    mine = measure(HERE, options.game, options.rounds, options.only)
    rows += [{"side": "now", **row} for row in mine]
    figures: list[dict[str, Any]] = [
        {"name": f"{row['what']}, s", "value": row["wall s"], "needed": LIMITS[row["what"]], "at_most": True}
        for row in mine
        if row["what"] in LIMITS
    ]
    for row in mine:
        if row["what"] == "cold engine":
            figures.append({"name": "cold compile shows a line", "value": float(row["says compiling"]), "needed": 1.0})
        if row["what"] == "second process of a user's file":
            says = float(row["says compiling"])
            figures.append({"name": "second process compiles", "value": says, "needed": 0.0, "at_most": True})
        if row["what"] == "memory":
            figures.append({"name": "memory, MiB", "value": float(row["MiB"]), "needed": MEMORY_MIB, "at_most": True})
    table = abs(new_table(64).nbytes / (64 << 20) - 1)
    figures.append({"name": "table of 64 MiB is off by", "value": table, "needed": TABLE, "at_most": True})
    report = {"title": "Starting and memory", "machine": machine(), "rows": rows, "figures": figures}
    tell(report, as_json=options.json)
    return verdict(report)


if __name__ == "__main__":
    sys.exit(main())
