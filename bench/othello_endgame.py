"""Exact Othello endgames, FFO 40–44: gametree's solver, compiled from Python, against the same solver in C++.

    python bench/othello_endgame.py [--from 40] [--to 44] [--rounds 1] [--data FOLDER] [--json]

`twins/othello_endgame.cpp` visits the same nodes; the benchmark checks that, and the known scores. Both sides take
turns position by position with an empty table of 64 MiB each; the fastest round counts, in CPU time.
Exit code 0 if gametree reaches 0.9 of the twin's speed, 1 if not, 2 if the twin is missing or a side is wrong.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

from measure import DATA, build_twin, machine, run_twin, tell, verdict

from gametree.games.othello import Othello
from gametree.kernels.transposition import new_table
from gametree.search.compiled.solve import search

NEEDED = 0.9
TABLE_MIB = 64


def main() -> int:
    """Run the benchmark and return its exit code."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--from", dest="first", type=int, default=40)
    parser.add_argument("--to", dest="last", type=int, default=44)
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--data", type=Path, default=DATA, help="the folder with ffo.txt")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    game, program = Othello(), build_twin("othello_endgame")
    lines = [line.split() for line in (options.data / "ffo.txt").read_text(encoding="utf-8").splitlines()]
    wanted = [words for words in lines if words[0].isdigit() and options.first <= int(words[0]) <= options.last]
    search(game, game.state_from_text("X" * 55 + "OOO------ X"))  # compile
    rows = []
    for number, board, side, score, *_ in wanted:
        text = f"{board} {side}"
        state = game.state_from_text(text)
        mine, theirs = [], []
        for _ in range(options.rounds):
            table = new_table(TABLE_MIB)
            table.view("u1")[:] = 0  # have the system hand the pages out before the clock starts, as the twin does
            began = time.process_time()
            found = search(game, state, table=table)
            mine.append(time.process_time() - began)
            ((value, nodes, seconds),) = run_twin(program, [text], TABLE_MIB)
            theirs.append(float(seconds))
            if (found.value, found.nodes) != (int(value), int(nodes)) or found.value != int(score):
                print(
                    f"FFO {number}: gametree says {found.value} after {found.nodes} nodes, the twin {value} after "
                    f"{nodes}; the known score is {score}.",
                    file=sys.stderr,
                )
                return 2
        rows.append(
            {
                "FFO": number,
                "score": int(score),
                "nodes": found.nodes,
                "gametree s": min(mine),
                "C++ s": min(theirs),
                "gametree Mnodes/s": found.nodes / min(mine) / 1e6,
                "ratio": min(theirs) / min(mine),
            }
        )
    ratio = sum(row["C++ s"] for row in rows) / sum(row["gametree s"] for row in rows)
    report = {
        "title": f"Exact Othello endgames, same algorithm, CPU time, best of {options.rounds}",
        "machine": machine(),
        "rows": rows,
        "figures": [{"name": "gametree reaches of the C++ twin's speed", "value": ratio, "needed": NEEDED}],
    }
    tell(report, as_json=options.json)
    return verdict(report)


if __name__ == "__main__":
    sys.exit(main())
