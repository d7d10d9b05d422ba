"""A match against another program, and what a third one reads of it: the arena from the command to the PGN.

    python bench/arena_match.py [--games 100] [--elo 1500] [--seconds 0.1] [--concurrency 2] [--folder FOLDER] [--json]

`engine` meets Stockfish with UCI_LimitStrength through `gametree match`, both with the same time for each move; the
games are exported with `gametree export` and read by python-chess. The database stays in the folder, and the same
command goes on where it was stopped. Exit code 0 if every game ended by its rules and python-chess reads all of them, 1
if not, 2 if the match could not be played.

A game is read whole if python-chess reports no error in it, it has the players, the result and every move of the
database, and python-chess too says that it is over there, with that result.
"""

from __future__ import annotations

import argparse
import io
import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import chess.pgn
from measure import machine, tell, verdict

MARGIN = 2.0
"""Seconds beyond the clock that are forgiven: a busy machine is nobody's fault."""


def gametree(*arguments: str) -> str:
    """What a command prints. Ends the process with code 2 where it fails."""
    # Debian keeps games out of the usual path.
    environment = {**os.environ, "PATH": f"{os.environ.get('PATH', '')}:/usr/games"}
    command = [sys.executable, "-m", "gametree", *arguments]
    done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode != 0:
        print(f"`gametree {arguments[0]}` failed.", file=sys.stderr)
        raise SystemExit(2)
    return done.stdout


def result_of(board: chess.Board) -> str:
    """The result of a game that is over; `*` if it goes on. The third repetition and the fiftieth move end it."""
    outcome = board.outcome()
    if outcome is not None:
        return outcome.result()
    return "1/2-1/2" if board.is_repetition(3) or board.halfmove_clock >= 100 else "*"


def fault_of(read: chess.pgn.Game | None, kept: dict[str, Any]) -> str:
    """What is missing of a game in the PGN that the database holds; nothing if it is whole."""
    if read is None:
        return "the file ends before it"
    if read.errors:
        return f"python-chess says: {read.errors[0]}"
    first, second = kept["utilities"]
    result = "1-0" if first > second else "0-1" if first < second else "1/2-1/2"
    if [read.headers["White"], read.headers["Black"], read.headers["Result"]] != [*kept["players"], result]:
        return "its players or its result are others than the database has"
    board, words = read.board(), []
    for move in read.mainline_moves():
        words.append(board.san(move))
        board.push(move)
    if words != [*kept["opening"].split(), *kept["moves"]]:
        return "its moves are others than the database has"
    if kept["reason"] == "end" and result_of(board) != result:
        return f"it should be over with {result}, but python-chess says {result_of(board)} of {board.fen()}"
    return ""


def play(options: argparse.Namespace) -> dict[str, Any]:
    """Play the match, or what is left of it, read its PGN, and return the report."""
    folder = Path(options.folder)
    folder.mkdir(parents=True, exist_ok=True)
    players = [f"engine:time={options.seconds:g}", f"uci:stockfish?UCI_LimitStrength=true&UCI_Elo={options.elo}"]
    database = str(folder / f"stockfish{options.elo}-{options.seconds:g}-{options.games}.db")
    began = time.monotonic()
    summary = json.loads(
        gametree(
            "match", *players, "--game", "chess", "--games", str(options.games), "--clock", f"time={options.seconds:g}",
            "--margin", f"{MARGIN:g}", "--concurrency", str(options.concurrency), "--database", database, "--json",
        )
    )  # fmt: skip
    minutes = (time.monotonic() - began) / 60
    games = [json.loads(line) for line in gametree("export", database, "--format", "jsonl").splitlines()]
    text = io.StringIO(gametree("export", database, "--format", "pgn"))
    troubles = [fault_of(chess.pgn.read_game(text), kept) for kept in games]
    if chess.pgn.read_game(text) is not None:
        troubles.append("the file has more games than the database")
    for number, trouble in enumerate(troubles, 1):
        if trouble:
            print(f"Game {number}: {trouble}.", file=sys.stderr)
    pairing, reasons = summary["pairings"][0], summary["reasons"]
    ends = [pairing[key] for key in ("elo_low", "elo_high")]
    row = {
        "opponent": f"Stockfish, UCI_Elo {options.elo}",
        "games": pairing["games"],
        "+": pairing["wins"],
        "=": pairing["draws"],
        "-": pairing["losses"],
        "score": pairing["score"],
        "Elo": " to ".join("?" if end is None else f"{end:+.0f}" for end in ends),
        "ends": ", ".join(f"{reason} {count}" for reason, count in sorted(reasons.items())),
        "plies": round(summary["mean_plies"]),
        "minutes": round(minutes, 1),
    }
    figures = [
        {"name": "games that did not end by their rules", "value": sum(reasons.values()) - reasons.get("end", 0),
         "needed": 0, "at_most": True},
        {"name": "games that python-chess reads whole", "value": troubles.count(""), "needed": options.games},
    ]  # fmt: skip
    title = f"A match of {options.games} games at {options.seconds:g} s a move, and its PGN"
    return {"title": title, "machine": machine(), "rows": [row], "figures": figures}


def main() -> int:
    """Play, print and return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", type=int, default=100)
    parser.add_argument("--elo", type=int, default=1500)
    parser.add_argument("--seconds", type=float, default=0.1)
    parser.add_argument("--concurrency", type=int, default=2)
    parser.add_argument("--folder", default="arena-match")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    report = play(options)
    tell(report, as_json=options.json)
    return verdict(report)


if __name__ == "__main__":
    raise SystemExit(main())
