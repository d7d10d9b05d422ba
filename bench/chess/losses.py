"""What the engine's moves give away: a finer measure than games, for switches of the search and against other programs.

    python bench/chess/losses.py make positions.epd judged.jsonl [--count 1000] [--judge stockfish] [--nodes 250000]
    python bench/chess/losses.py compare judged.jsonl PLAYER [PLAYER ...] [--nodes 20000] [--json]
    python bench/chess/losses.py follow games.pgn PLAYER [PLAYER ...] [--nodes 20000] [--games 40] [--json]

`make` takes positions at random from a file that label_positions.py has written, leaves out those that are nearly
decided, and lets a strong program judge every move of each. `compare` lets players choose a move with the same number
of nodes in every position. A player is `engine`, switches of it such as `prune_after=3,delta_margin=150`, or `uci:` and
the command of a program, with options behind question marks: `uci:stockfish?Use NNUE=false`. Told is the mean loss of
winning chance, in per cent, and the difference from the first player with its standard error: since all are asked about
the same positions, a thousand of them show what would take many thousand games.

`follow` asks about one side's positions of whole games, in turn White's and Black's, one after the other, so that a
player may use what it remembers from the moves before. The judge looks at the position before and after the move, with
30,000 nodes each, so that its errors count as well: gains up to 5 per cent stand against them. Openings, the first
eight plies, and positions that are nearly decided are left out.
"""

from __future__ import annotations

import argparse
import itertools
import json
import random
import re
import shutil
import statistics
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from measure import machine, tell

from gametree import load_game
from gametree.core.clock import Clock
from gametree.formats.pgn import read_games
from gametree.search.compiled.engine import Engine, EngineParameters

OPEN = 0.35
"""Positions with an expected score within ± this of a draw are taken."""
FOLLOWED = 300
"""In whole games, positions that the judge gives fewer centipawns than this, to either side."""
MATE = 3000
SCORE = re.compile(r" score (cp|mate) (-?\d+)")
JUDGED = re.compile(r" multipv \d+ score (cp|mate) (-?\d+) .*? pv (\S+)")

Chooser = Callable[[str, bool], str]
"""From a position as FEN, and whether to forget all before it, to a move in UCI's notation."""
JUDGE_NODES = 30_000
OPENING_PLIES = 8
MOST_GAIN = 5.0


class Program:
    """Another program, driven by UCI."""

    def __init__(self, command: str, options: dict[str, str]) -> None:
        path = shutil.which(command) or shutil.which(command, path="/usr/games")
        if path is None:
            raise SystemExit(f"'{command}' is not installed; expected a UCI program.")
        self._process = subprocess.Popen([path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self._say("uci", *(f"setoption name {name} value {value}" for name, value in options.items()))

    def _say(self, *lines: str) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write("".join(f"{line}\n" for line in lines))
        self._process.stdin.flush()

    def think(self, fen: str, nodes: int, *, fresh: bool = True) -> list[str]:
        """What the program says about a position, the best move in the last line; if `fresh`, it forgets all before."""
        return self.ask(*["ucinewgame"] * fresh, f"position fen {fen}", f"go nodes {nodes}", until="bestmove")

    def ask(self, *lines: str, until: str) -> list[str]:
        """What the program says to these lines, to the first line that begins with `until`."""
        self._say(*lines)
        assert self._process.stdout is not None
        said = []
        for line in self._process.stdout:
            said.append(line)
            if line.startswith(until):
                return said
        raise SystemExit("The program has ended.")


def make(options: argparse.Namespace) -> int:
    """Write the judged positions."""
    lines = Path(options.positions).read_text(encoding="utf-8").splitlines()
    random.Random(options.seed).shuffle(lines)
    judge = Program(options.judge, {"MultiPV": "250", "Hash": "64"})
    written = 0
    with Path(options.judged).open("w", encoding="utf-8") as file:
        for line in lines:
            expected = re.search(r'c9 "([\d.]+)"', line)
            if expected is None or abs(float(expected[1]) - 0.5) > OPEN:
                continue
            fen = " ".join([*line.split()[:4], "0 1"])
            values = {
                found[3]: centipawns_of(found) for found in map(JUDGED.search, judge.think(fen, options.nodes)) if found
            }
            file.write(json.dumps([fen, values]) + "\n")
            written += 1
            print(f"\r{written} of {options.count}", end="", file=sys.stderr, flush=True)
            if written == options.count:
                break
    print(file=sys.stderr)
    return 0


def centipawns_of(score: re.Match[str]) -> int:
    """The value of a score as UCI tells it; mates count as MATE."""
    number = int(score[2])
    return number if score[1] == "cp" else MATE if number > 0 else -MATE


def chance(centipawns: int) -> float:
    """Winning chance in per cent."""
    return 100 / (1 + 10 ** (-centipawns / 250))


def chooser(text: str, nodes: int) -> Chooser:
    """The player of this name."""
    if text.startswith("uci:"):
        command, *words = text[4:].split("?")
        program = Program(command, dict(word.split("=", 1) for word in words))
        return lambda fen, fresh: program.think(fen, nodes, fresh=fresh)[-1].split()[1]
    game = load_game("chess")
    changes = {} if text == "engine" else dict(word.split("=", 1) for word in text.split(","))
    engine = Engine(game, parameters=EngineParameters.of(game, **{name: int(value) for name, value in changes.items()}))

    def choose(fen: str, fresh: bool) -> str:
        if fresh:
            engine.forget()
        state = game.state_from_text(fen)
        return str(game.uci(state, engine.search(state, clock=Clock(nodes=nodes)).move))

    return choose


def compare(options: argparse.Namespace) -> int:
    """Print the mean losses of all players in the judged positions."""
    judged = [json.loads(line) for line in Path(options.judged).read_text(encoding="utf-8").splitlines()]

    def losses(choose: Chooser) -> list[float]:
        return [chance(max(values.values())) - chance(values.get(choose(fen, True), -MATE)) for fen, values in judged]

    return tell_losses(losses, options)


def one_side(options: argparse.Namespace) -> list[list[str]]:
    """Game by game the positions of one side, as FEN."""
    game = load_game("chess")
    found: list[list[str]] = []
    with Path(options.pgn).open(encoding="utf-8") as file:
        for number, source in enumerate(itertools.islice(read_games(file), options.games)):
            state, fens = source.start(game), []
            for ply, move in enumerate(source.main_line(game)):
                if ply >= OPENING_PLIES and ply % 2 == number % 2:
                    fens.append(game.state_text(state))
                state = game.result(state, move)
            found.append(fens)
    return found


def follow(options: argparse.Namespace) -> int:
    """Print the mean losses of all players in the games."""
    game = load_game("chess")
    games = one_side(options)
    judge = Program(options.judge, {"Hash": "64"})
    known: dict[str, int] = {}

    def value(fen: str) -> int:
        """The judge's centipawns for the side to move."""
        if fen not in known:
            scores = [found for found in map(SCORE.search, judge.think(fen, JUDGE_NODES, fresh=False)) if found]
            known[fen] = centipawns_of(scores[-1])
        return known[fen]

    def loss(fen: str, word: str) -> float:
        state = game.state_from_text(fen)
        after = game.result(state, game.action_from_text(state, word))
        if game.is_terminal(after):
            left = MATE if game.utility(after, game.player(state)) > 0 else 0
        else:
            left = -value(game.state_text(after))
        return max(chance(value(fen)) - chance(left), -MOST_GAIN)

    def losses(choose: Chooser) -> list[float]:
        found = []
        for fens in games:
            fresh = True
            for fen in fens:
                if abs(value(fen)) < FOLLOWED:
                    found.append(loss(fen, choose(fen, fresh)))
                    fresh = False
        return found

    return tell_losses(losses, options)


def tell_losses(measure_losses: Callable[[Chooser], list[float]], options: argparse.Namespace) -> int:
    """Print the mean loss of every player, and how far it is from the first player's."""
    rows: list[dict[str, Any]] = []
    first: list[float] = []
    for name in options.players:
        losses = measure_losses(chooser(name, options.nodes))
        first = first or losses
        apart = [loss - other for loss, other in zip(losses, first, strict=True)]
        rows.append(
            {
                "player": name,
                "loss %": statistics.fmean(losses),
                "against the first": statistics.fmean(apart),
                "±": statistics.stdev(apart) / len(apart) ** 0.5,
            }
        )
        print(f"{name}: {rows[-1]['loss %']:.2f}", file=sys.stderr)
    title = f"Loss of winning chance a move, {len(first)} positions, {options.nodes:,} nodes each"
    tell({"title": title, "machine": machine(), "rows": rows, "figures": []}, as_json=options.json)
    return 0


def main() -> int:
    """Make positions or compare players."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    making = commands.add_parser("make")
    making.add_argument("positions")
    making.add_argument("judged")
    making.add_argument("--count", type=int, default=1000)
    making.add_argument("--judge", default="stockfish")
    making.add_argument("--nodes", type=int, default=250_000)
    making.add_argument("--seed", type=int, default=5)
    making.set_defaults(run=make)
    comparing = commands.add_parser("compare")
    comparing.add_argument("judged")
    comparing.add_argument("players", nargs="+")
    comparing.add_argument("--nodes", type=int, default=20_000)
    comparing.add_argument("--json", action="store_true")
    comparing.set_defaults(run=compare)
    following = commands.add_parser("follow")
    following.add_argument("pgn")
    following.add_argument("players", nargs="+")
    following.add_argument("--games", type=int, default=40)
    following.add_argument("--judge", default="stockfish")
    following.add_argument("--nodes", type=int, default=20_000)
    following.add_argument("--json", action="store_true")
    following.set_defaults(run=follow)
    options = parser.parse_args()
    return int(options.run(options))


if __name__ == "__main__":
    raise SystemExit(main())
