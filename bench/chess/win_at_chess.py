"""Win at Chess: 300 positions with one winning move, from Fred Reinfeld's book (1945).

    python bench/chess/win_at_chess.py EPD [--seconds 1 | --nodes N] [--first N] [--json]

A position counts as solved if the engine plays one of its best moves when its time is up. The time is CPU time as far
as the machine is idle: run nothing beside. Exit code 0 if 288 of 300 are solved, 1 if not.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from measure import DATA, machine, tell, verdict

from gametree import load_game
from gametree.core.clock import Clock
from gametree.formats.epd import read_epd
from gametree.search.compiled.engine import Engine

NEEDED = 0.96


def main() -> int:
    """Run the suite and return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("epd", nargs="?", default=str(DATA / "wac.epd"))
    parser.add_argument("--seconds", type=float, default=1.0)
    parser.add_argument("--nodes", type=int)
    parser.add_argument("--first", type=int)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    game = load_game("chess")
    engine = Engine(game)
    engine.search(depth=1)  # compile
    lines = [line for line in Path(options.epd).read_text(encoding="utf-8").splitlines() if line.strip()]
    rows, solved, total = [], 0, 0
    for line in lines[: options.first]:
        position = read_epd(game, line)
        engine.forget()
        clock = Clock(nodes=options.nodes) if options.nodes else Clock(options.seconds)
        found = engine.search(position.state, clock=clock)
        best = position.moves(game, "bm")
        total += 1
        if found.move in best:
            solved += 1
            continue
        wanted = " ".join(position.operations["bm"])
        rows.append(
            {
                "missed": position.operations["id"][0],
                "wanted": wanted,
                "played": game.action_text(position.state, found.move),
                "value": float(found.value),
                "depth": found.depth,
            }
        )
    limit = f"{options.nodes} nodes" if options.nodes else f"{options.seconds:g} s"
    report = {
        "title": f"Win at Chess at {limit} a position: {solved} of {total}",
        "machine": machine(),
        "rows": rows or [{"missed": "none"}],
        "figures": [{"name": "share solved", "value": solved / total, "needed": NEEDED}],
    }
    tell(report, as_json=options.json)
    return verdict(report)


if __name__ == "__main__":
    raise SystemExit(main())
