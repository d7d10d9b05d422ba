"""Every verb of every compiled game in 10,000 random positions: held to its meaning, compiled against uncompiled.

    python bench/every_verb.py [--positions 10000] [--seed 0] [--json] [GAME ...]

The tests ask sixty positions of each game; this is the long version, for the night. Each game runs uncompiled on
guarded structs and then compiled with bounds checks (`gametree.testing.check_compiled`). Exit code 0 if all is right.
"""

from __future__ import annotations

import argparse
import math
import sys
import time
from typing import Any

from measure import machine, tell, verdict

from gametree import game_names, load_game
from gametree.core.errors import GametreeError
from gametree.testing.check_compiled import check_compiled


def compiled_games() -> list[str]:
    """The compiled games of the package; Go on a board on which games end soon."""
    found = [name for name in game_names() if load_game(name).facts.compiled]
    return ["go:size=7" if name == "go" else name for name in found]


def main() -> int:
    """Run the check and return its exit code."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("games", nargs="*", metavar="GAME", help="all compiled games if none is named")
    parser.add_argument("--positions", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    rows: list[dict[str, Any]] = []
    for name in options.games or compiled_games():
        began = time.monotonic()
        row: dict[str, Any] = {"game": name, "positions": 0, "verbs": 0, "answers": 0, "s": 0.0, "fault": ""}
        try:
            report = check_compiled(name, positions=options.positions, seed=options.seed, seconds=math.inf)
            row |= {"positions": report.positions, "verbs": len(report.verbs), "answers": report.answers}
        except GametreeError as error:
            row["fault"] = str(error)
        row["s"] = round(time.monotonic() - began, 1)
        rows.append(row)
        print(row, file=sys.stderr, flush=True)
    report_data = {
        "title": f"Every verb in {options.positions:,} random positions, seed {options.seed}",
        "machine": machine(),
        "rows": rows,
        "figures": [{"name": f"{row['game']}: right", "value": float(not row["fault"]), "needed": 1.0} for row in rows],
    }
    tell(report_data, as_json=options.json)
    return verdict(report_data)


if __name__ == "__main__":
    sys.exit(main())
