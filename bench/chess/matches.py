"""Chess matches against other programs, and against itself: how strong is the engine, and does it ever fail?

    python bench/chess/matches.py [NAME ...] [--games N] [--clock 10+0.1] [--concurrency 2] [--folder FOLDER] [--json]

Names: phalanx, gnuchess, glaurung, toga2, stockfish2500, stockfish2850, ethereal, self; without a name all are played
in turn. Every opening, eight plies from the shipped book, is played with both colours; one core and the same clock for
both sides, no book and no thinking on the other's time. Each match has a database in the folder, and the same command
goes on where it was stopped. Exit code 0 if every score is as high as needed, 1 if not, 2 if a program is missing.

`self` is a test of robustness: 1,000 games at 1 s + 0.01 s, in which every reason but the end of the game counts as a
failure. "Stalls" are times when a core of the machine did nothing at all for 0.1 s or more, which no clock forgives.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from measure import machine, standstills, tell, verdict

from gametree import load_game
from gametree.knowledge.book import open_book

PLIES = 8
LIMITED = "UCI_LimitStrength=true&Threads=1&Hash=64"
OPPONENTS: dict[str, tuple[str, float, int]] = {
    # name: the player, the score needed, the games
    "phalanx": ('xboard:"phalanx -b-"', 0.8, 100),
    "gnuchess": ('uci:"gnuchess --uci"?OwnBook=false', 0.7, 100),
    "glaurung": ("uci:glaurung?Threads=1&OwnBook=false", 0.6, 100),
    "toga2": ("uci:toga2?OwnBook=false", 0.5, 100),
    "stockfish2500": (f"uci:stockfish?{LIMITED}&UCI_Elo=2500", 0.8, 100),
    "stockfish2850": (f"uci:stockfish?{LIMITED}&UCI_Elo=2850", 0.5, 100),
    "ethereal": ("uci:ethereal-chess?Threads=1&Hash=64", 0.0, 40),
}


def openings(count: int, seed: int) -> list[str]:
    """Different openings from the shipped book, as moves."""
    game = load_game("chess")
    book = open_book("default", game)
    rng = random.Random(seed)
    found: dict[str, None] = {}
    while len(found) < count:
        state, words = game.initial(), []
        for _ in range(PLIES):
            move = book.choose(state, rng)
            if move is None:
                break
            words.append(game.action_text(state, move))
            state = game.result(state, move)
        if len(words) == PLIES:
            found[" ".join(words)] = None
    return list(found)


def play(name: str, options: argparse.Namespace) -> dict[str, Any]:
    """Play one match, or the rest of it, and return its summary."""
    folder = Path(options.folder)
    folder.mkdir(parents=True, exist_ok=True)
    player, needed, games = ("engine", 0.0, 1000) if name == "self" else OPPONENTS[name]
    games = options.games or games
    clock = options.clock or ("1+0.01" if name == "self" else "10+0.1")
    book = folder / f"openings-{games}.txt"
    book.write_text("\n".join(openings((games + 1) // 2, seed=games)) + "\n", encoding="utf-8")
    # Debian keeps games out of the usual path.
    environment = {**os.environ, "PATH": f"{os.environ.get('PATH', '')}:/usr/games"}
    players = ["engine", "engine:table_mib=32" if name == "self" else player]
    command = [
        sys.executable, "-m", "gametree", "match", *players, "--game", "chess", "--games", str(games),
        "--clock", clock, "--openings", str(book), "--concurrency", str(options.concurrency),
        "--database", str(folder / f"{name}-{clock}-{games}.db"), "--json",
    ]  # fmt: skip
    with standstills() as stalls:
        done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode != 0:
        print(f"The match against {name} could not be played.", file=sys.stderr)
        raise SystemExit(2)
    summary = json.loads(done.stdout)
    pairing = summary["pairings"][0]
    reasons = summary["reasons"]
    elo = [pairing[key] for key in ("elo_low", "elo_high")]
    return {
        "opponent": name,
        "clock": clock,
        "games": pairing["games"],
        "+": pairing["wins"],
        "=": pairing["draws"],
        "-": pairing["losses"],
        "score": pairing["score"],
        "Elo": " to ".join("?" if end is None else f"{end:+.0f}" for end in elo),
        "stalls": f"{len(stalls)}, longest {max(stalls):.2f} s" if stalls else "none",
        "ends": ", ".join(f"{reason} {count}" for reason, count in sorted(reasons.items())),
        "needed": needed,
        "failures": sum(count for reason, count in reasons.items() if reason != "end"),
    }


def main() -> int:
    """Play the matches and return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", choices=[*OPPONENTS, "self", []])
    parser.add_argument("--games", type=int)
    parser.add_argument("--clock")
    parser.add_argument("--concurrency", type=int, default=2)
    parser.add_argument("--folder", default="chess-matches")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    rows, figures = [], []
    for name in options.names or [*OPPONENTS, "self"]:
        row = play(name, options)
        needed, failures = row.pop("needed"), row.pop("failures")
        rows.append(row)
        if name == "self":
            figures.append({"name": "failures against itself", "value": failures, "needed": 0, "at_most": True})
        else:
            figures.append({"name": f"score against {name}", "value": row["score"], "needed": needed})
        print(f"{name}: {row['score']:.3f} in {row['games']} games, {row['ends']}", file=sys.stderr)
    report = {"title": "The engine's matches", "machine": machine(), "rows": rows, "figures": figures}
    tell(report, as_json=options.json)
    return verdict(report)


if __name__ == "__main__":
    raise SystemExit(main())
