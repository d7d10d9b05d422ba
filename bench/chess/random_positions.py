"""Random positions of chess against python-chess: moves, SAN, FEN, check, status and repetition. Meant for the night.

    python bench/chess/random_positions.py [--positions 100000] [--seed 1]

A third of the games start from random Chess960 set-ups. Exit code 0 if all agree, 1 at the first difference.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from pathlib import Path

import chess as oracle

from gametree import load_game

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tests" / "games" / "chess"))
from agreement import random_game


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--positions", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    game = load_game("chess")
    rng = random.Random(options.seed)
    began = time.monotonic()
    compared = games = 0
    ends: dict[str, int] = {}
    while compared < options.positions:
        board = oracle.Board.from_chess960_pos(rng.randrange(960)) if games % 3 == 2 else oracle.Board()
        start = board.fen()
        state = b""
        try:
            for position in random_game(game, rng, board):
                state = position
                compared += 1
                if compared % 5_000 == 0:
                    print(f"{compared:,} positions in {time.monotonic() - began:.0f} s", file=sys.stderr, flush=True)
        except AssertionError as error:
            moves = " ".join(move.uci() for move in board.move_stack)
            print(f"They differ after {moves} from {start}: {error}")
            return 1
        games += 1
        status = game.status(state)
        ends[status] = ends.get(status, 0) + 1
    print(f"{compared:,} positions of {games:,} games agree; the games ended by {ends}.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
