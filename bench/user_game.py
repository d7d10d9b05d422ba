"""The tutorial's game, alpha-beta: the 52 lines of docs/tutorial_compiled.md in gametree's engine against C++.

    python bench/user_game.py [--depth 8] [--rounds 5] [--json]

The game is read from the tutorial itself. The engine runs with every refinement off, so that it visits exactly the
nodes of `twins/user_game.cpp`, which is alpha-beta and nothing else; the benchmark checks that. Both sides take turns;
the fastest round counts, in CPU time. The row "all refinements" is the engine as it comes, to the same depth.
Exit code 0 if gametree reaches 0.8 of the twin's speed, 1 if not, 2 if the twin is missing or a side is wrong.
"""

from __future__ import annotations

import argparse
import re
import sys
import tempfile
import time
from pathlib import Path

from measure import HERE, build_twin, machine, run_twin, tell, verdict

from gametree import load_game
from gametree.search.compiled.engine import Engine, EngineParameters

NEEDED = 0.8


def tutorial_game(folder: Path) -> str:
    """The path of the game that the tutorial shows."""
    page = (HERE.parent / "docs" / "tutorial_compiled.md").read_text(encoding="utf-8")
    found = re.search(r'```python title="barrel.py"\n(.*?)```', page, re.DOTALL)
    assert found is not None
    file = folder / "barrel.py"
    file.write_text(found[1], encoding="utf-8")
    return str(file)


def main() -> int:
    """Run the benchmark and return its exit code."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--depth", type=int, default=8)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    program = build_twin("user_game")
    with tempfile.TemporaryDirectory() as folder:
        game = load_game(tutorial_game(Path(folder)))
        engine = Engine(game, parameters=EngineParameters.plain())
        engine.search(depth=2)  # compile
        mine, theirs = [], []
        for _ in range(options.rounds):
            began = time.process_time()
            found = engine.search(depth=options.depth)
            mine.append(time.process_time() - began)
            ((value, nodes, seconds),) = run_twin(program, [str(options.depth)])
            theirs.append(float(seconds))
            if (round(100 * found.value), found.nodes) != (int(value), int(nodes)):
                print(f"gametree: {found.value}, {found.nodes} nodes; twin: {value}, {nodes} nodes.", file=sys.stderr)
                return 2
        default = Engine(game)
        began = time.process_time()
        refined = default.search(depth=options.depth)
        spent = time.process_time() - began
    rows = [
        {"side": side, "nodes": count, "CPU s": seconds, "Mnodes/s": count / seconds / 1e6}
        for side, count, seconds in (
            ("gametree", found.nodes, min(mine)),
            ("C++ twin", found.nodes, min(theirs)),
            ("all refinements", refined.nodes, spent),
        )
    ]
    report = {
        "title": f"Barrel, alpha-beta to depth {options.depth}, CPU time, best of {options.rounds}",
        "machine": machine(),
        "rows": rows,
        "figures": [
            {"name": "gametree reaches of the C++ twin's speed", "value": min(theirs) / min(mine), "needed": NEEDED}
        ],
    }
    tell(report, as_json=options.json)
    return verdict(report)


if __name__ == "__main__":
    sys.exit(main())
