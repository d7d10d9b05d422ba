"""What the arena itself costs: stored games a second, and time around a move of chess.

    python bench/arena_speed.py [--games 10000] [--json]

Games of tic-tac-toe between random players, stored as always, in one process; wall time. Then one game of chess of 300
plies between two programs that answer at once over UCI: processor time of our process for everything around a move,
the referee, the clock and the protocol. Exit code 0 if both are as good as needed, else 1.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from measure import machine, tell, verdict

from gametree import load_game
from gametree.play.clocks import TimeControl
from gametree.play.endings import Adjudication
from gametree.play.events import Event
from gametree.play.players import make_player
from gametree.play.referee import play_game
from gametree.play.runner import run_event
from gametree.play.store import Store

PLIES = 300
PROGRAM = """
import sys
moves = sys.argv[1:]
for line in sys.stdin:
    words = line.split()
    if words[0] == "uci":
        print("uciok", flush=True)
    elif words[0] == "isready":
        print("readyok", flush=True)
    elif words[0] == "position":
        played = len(words) - words.index("moves") - 1 if "moves" in words else 0
    elif words[0] == "go":
        print("bestmove", moves[played], flush=True)
    elif words[0] == "quit":
        break
"""


def games_a_second(folder: Path, games: int) -> float:
    """Stored games of tic-tac-toe in a second of wall time."""
    event = Event("match", "tictactoe", ("random", "random:seed=2"), games)
    began = time.perf_counter()
    with Store(folder / "games.db") as store:
        run_event(event, store)
    return games / (time.perf_counter() - began)


def milliseconds_a_move(folder: Path) -> float:
    """Processor time of ours around a move of chess."""
    game: Any = load_game("chess")
    rng, state, moves = random.Random(2), game.initial(), []
    while len(moves) < PLIES:
        action = rng.choice(game.actions(state))
        moves.append(game.uci(state, action))
        state = game.result(state, action)
    program = folder / "program.py"
    program.write_text(PROGRAM, encoding="utf-8")
    name = f'uci:"{sys.executable} -I -S {program} {" ".join(moves)}"'
    players = [make_player(name, game) for _ in range(2)]
    limits = {"control": TimeControl.parse("60+1"), "adjudication": Adjudication(plies=PLIES), "margin": 60.0}
    try:
        play_game(game, players, **limits)  # loads all code
        began = time.process_time()
        record = play_game(game, players, **limits)
        spent = time.process_time() - began
    finally:
        for player in players:
            player.close()
    if len(record.moves) != PLIES:
        print(f"The game ended after {len(record.moves)} plies: {record.detail}.", file=sys.stderr)
        raise SystemExit(2)
    return 1000 * spent / PLIES


def main() -> int:
    """Measure, print and return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", type=int, default=10_000)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        pace = games_a_second(Path(folder), options.games)
        overhead = milliseconds_a_move(Path(folder))
    rows = [
        {"work": "tic-tac-toe between random players, games/s", "figure": pace},
        {"work": "around a move of chess, ms", "figure": overhead},
    ]
    figures = [
        {"name": "stored games a second", "value": pace, "needed": 1000},
        {"name": "milliseconds around a move of chess", "value": overhead, "needed": 1, "at_most": True},
    ]
    report = {"title": "What the arena costs", "machine": machine(), "rows": rows, "figures": figures}
    tell(report, as_json=options.json)
    return verdict(report)


if __name__ == "__main__":
    raise SystemExit(main())
