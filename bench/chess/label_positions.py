"""Positions of chess with the winning chances that another program gives them, for `gametree tune`.

    python bench/chess/label_positions.py positions.epd [--games 5000] [--first 0] [--nodes 800]
                                          [--program stockfish] [--program-nodes 1000]

The engine plays itself, from openings of the book and at random. Of each game the positions in which nobody is in check
and the engine does not take anything are shown to the program, which must know UCI_ShowWDL. Each becomes a line of EPD
whose operation c9 is White's expected score. The file grows game by game, and the same command goes on where it was
stopped: after the last game that the file holds whole.
"""

from __future__ import annotations

import argparse
import random
import re
import sys
import time
from pathlib import Path
from typing import Any

from losses import Program

from gametree import load_game
from gametree.core.clock import Clock
from gametree.knowledge.book import open_book
from gametree.search.compiled.engine import Engine

DECIDED = 8.0
"""A game in which the engine sees an advantage of this many pawns has no more to teach."""
WDL = re.compile(r" wdl (\d+) (\d+) (\d+)\b")


def expected(judge: Program, fen: str, nodes: int) -> float:
    """White's expected score, as the program sees it."""
    found = None
    for line in judge.think(fen, nodes, fresh=False):
        found = WDL.search(line) or found
    if found is None:
        raise SystemExit("The program does not tell its winning chances; expected one that knows UCI_ShowWDL.")
    mover = (int(found[1]) + int(found[2]) / 2) / 1000
    return mover if fen.split()[1] == "w" else 1 - mover


def positions(game: Any, engine: Engine, book: Any, number: int, nodes: int) -> list[str]:
    """The positions of one game that are worth judging, as FEN."""
    rng = random.Random(number)
    state = game.initial()
    by_book = rng.randrange(11)
    for ply in range(by_book + rng.randrange(max(1, 8 - by_book))):
        moves = game.actions(state)
        if not moves:
            return []
        move = book.choose(state, rng) if ply < by_book else None
        state = game.result(state, rng.choice(moves) if move is None else move)
    engine.forget()
    found: list[str] = []
    for _ in range(240):
        if game.is_terminal(state):
            break
        result = engine.search(state, clock=Clock(nodes=nodes))
        if abs(result.value) > DECIDED:
            break
        if not game.in_check(state) and "x" not in game.action_text(state, result.move):
            found.append(game.state_text(state))
        state = game.result(state, result.move)
    return found


def main() -> int:
    """Write the file and return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=Path)
    parser.add_argument("--games", type=int, default=5000)
    parser.add_argument("--first", type=int, default=0, help="the number of the first game, which is its seed")
    parser.add_argument("--nodes", type=int, default=800, help="of the engine, a move")
    parser.add_argument("--program", default="stockfish")
    parser.add_argument("--program-nodes", type=int, default=1000)
    options = parser.parse_args()
    game = load_game("chess")
    book = open_book("default", game)
    engine = Engine(game, table_mib=4)
    judge = Program(options.program, {"UCI_ShowWDL": "true", "Hash": "16"})
    next_game, written = options.first, 0
    if options.file.exists():
        # What follows the last mark of a whole game is cut off.
        text = options.file.read_text(encoding="utf-8")
        marks = list(re.finditer(r"^# game (\d+)\n", text, re.MULTILINE))
        text = text[: marks[-1].end()] if marks else ""
        options.file.write_text(text, encoding="utf-8")
        next_game = int(marks[-1][1]) + 1 if marks else options.first
        written = text.count("c9")
    began = time.monotonic()
    with options.file.open("a", encoding="utf-8") as file:
        for number in range(next_game, options.first + options.games):
            for fen in positions(game, engine, book, number, options.nodes):
                fields = fen.split()
                score = expected(judge, fen, options.program_nodes)
                file.write(f'{" ".join(fields[:4])} hmvc {fields[4]}; c9 "{score:.4f}";\n')
                written += 1
            file.write(f"# game {number}\n")
            file.flush()
            print(f"\rgame {number}, {written:,} positions, {time.monotonic() - began:.0f} s", end="", file=sys.stderr)
    print(file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
