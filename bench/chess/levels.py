"""What the levels are worth: games against Stockfish's own levels, and of neighbours where Stockfish has none.

    python bench/chess/levels.py [--games 60] [--ratings 800 1000 1200 1400 ...] [--database levels.db] [--json]

The scale is that of the CCRL's blitz list. From 1350 Elo on a level meets Stockfish 15.1 playing below its strength.
What Stockfish's levels are worth on that scale was measured by its authors in January 2023, right after version 15.1:
its level 13 plays as 2973, not as the 2480 that UCI_Elo says there. Below 1350 a level meets the next level
of the list above it, whose measured rating counts. Stockfish gets nodes instead of time, so that a busy machine changes
nothing: as many as it needs to reach the depth at which it picks its move. Ratings of people may differ from both.
The matches are kept in the database, and a run that was stopped goes on. Exit code 0 if no level is off by more than
150 Elo.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from measure import machine, tell, verdict

TOLERANCE = 150.0
LOWEST_STOCKFISH = 1350
RATINGS = (800, 1000, 1200, 1400, 1600, 1800, 2000, 2200, 2400)


def stockfish(program: str, elo: int) -> str:
    """Stockfish 15.1 at this rating, as players are named."""
    share = (elo - 1320) / (3190 - 1320)
    level = ((37.2473 * share - 40.8525) * share + 22.2943) * share - 0.311438  # as Stockfish 16 has it
    declared = round(1346.6 + 143.4 * max(level, 0.0) ** 0.806)  # what Stockfish 15.1 calls that level
    nodes = 5_000 if elo < 2000 else 20_000 if elo < 2300 else 100_000
    return f"uci:{program}?UCI_LimitStrength=true&UCI_Elo={max(declared, LOWEST_STOCKFISH)}&nodes={nodes}&Hash=16"


def meet(first: str, second: str, options: argparse.Namespace) -> dict[str, Any]:
    """The result of a match of the two."""
    words = ["match", first, second, "--game", "chess", "--games", str(options.games), "--max-plies", "300"]
    words += ["--random-plies", "2", "--database", options.database, "--json"]
    done = subprocess.run([sys.executable, "-m", "gametree", *words], stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode:
        raise SystemExit(2)
    found: dict[str, Any] = json.loads(done.stdout)["pairings"][0]
    return found


def main() -> int:
    """Run the benchmark and return its exit code."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--games", type=int, default=60)
    parser.add_argument("--ratings", type=int, nargs="+", default=RATINGS)
    parser.add_argument("--database", default="levels.db")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    program = shutil.which("stockfish") or shutil.which("stockfish", path="/usr/games")
    if program is None:
        print("Stockfish is not installed.", file=sys.stderr)
        return 2
    rows: list[dict[str, Any]] = []
    above: tuple[int, float] | None = None  # the rating of the last level and what it has been measured as
    for elo in sorted(options.ratings, reverse=True):
        if elo >= LOWEST_STOCKFISH or above is None:
            opponent, worth = stockfish(program, max(elo, LOWEST_STOCKFISH)), float(max(elo, LOWEST_STOCKFISH))
        else:
            opponent, worth = f"engine:elo={above[0]}", above[1]
        found = meet(f"engine:elo={elo}", opponent, options)
        measured = worth + found["elo"]
        error = (found["elo_high"] - found["elo_low"]) / 2
        against = "Stockfish" if opponent.startswith("uci") else "level"
        rows.append(
            {
                "level": elo,
                "against": f"{against} {round(worth)}",
                "games": found["games"],
                "score": found["score"],
                "measured": round(measured),
                "±": round(error),
            }
        )
        print(json.dumps(rows[-1]), file=sys.stderr, flush=True)
        above = (elo, measured)
    worst = max(abs(row["measured"] - row["level"]) for row in rows)
    figures = [{"name": "a level is off by, Elo", "value": float(worst), "needed": TOLERANCE, "at_most": True}]
    report = {"title": "Levels of chess", "machine": machine(), "rows": rows, "figures": figures}
    tell(report, as_json=options.json)
    return verdict(report)


if __name__ == "__main__":
    sys.exit(main())
