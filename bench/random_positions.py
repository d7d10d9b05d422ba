"""A million random positions per game against the slow oracles of the tests.

    python bench/random_positions.py [--positions 1000000] [--seed 0] [--processes 2] [GAME ...] [--json]

Each game is played at random by its compiled rules and by its oracle side by side; at every position they must agree in
the moves, the end, the points and the text. The oracles are those of tests/, which check 10,000 positions in every run;
this is the long version, for the night. Exit code 0 if all agree; the first disagreement is printed.
"""

from __future__ import annotations

import argparse
import functools
import random
import re
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

from measure import HERE, machine, tell, verdict

from gametree import load_game

sys.path[:0] = [str(HERE.parent / "tests" / room) for room in ("games", "testing")]
CHUNK = 20_000


@functools.cache
def made(name: str) -> Any:
    """The game, once per process."""
    return load_game(name)


def play_out(game: Any, oracle: Any, rng: random.Random) -> Iterator[tuple[bytes, list[str]]]:
    """A random game, position by position, with the names of the moves; the oracle follows by name."""
    state = game.initial()
    while True:
        actions = game.actions(state)
        names = [game.action_text(state, action) for action in actions]
        yield state, names
        if not actions:
            return
        place = rng.randrange(len(actions))
        state = game.result(state, actions[place])
        oracle.play(names[place])


def othello(rng: random.Random) -> Iterator[None]:
    """Othello on 8 × 8, now and then on 6 × 6."""
    from test_othello import Oracle

    size = 8 if rng.random() < 0.8 else 6
    game, oracle = made(f"othello:size={size}"), Oracle(size)
    for state, names in play_out(game, oracle, rng):
        assert sorted(names) == sorted(oracle.moves()), game.state_text(state)
        assert game.state_text(state) == oracle.text()
        if not names:
            assert game.utility(state, 0) == oracle.score_of_x(), game.state_text(state)
        yield


def connect4(rng: random.Random) -> Iterator[None]:
    """Connect Four on 7 × 6."""
    from test_connect4 import Oracle

    game = made("connect4")

    class ByName(Oracle):
        def play(self, column: Any) -> None:
            super().play(int(column) - 1)

    oracle = ByName(7, 6)
    for state, names in play_out(game, oracle, rng):
        assert names == [str(column + 1) for column in oracle.moves()], game.state_text(state)
        if not names:
            assert game.utility(state, 0) == oracle.score_of_first(), game.state_text(state)
        yield


def go(rng: random.Random) -> Iterator[None]:
    """Go on small boards, where captures, ko and repetition are frequent, now and then on 9 × 9."""
    from test_go import Oracle, agree

    size = rng.choice(["2", "3", "3", "4", "2x5", "5x3", "5", "5", "7"]) if rng.random() < 0.98 else "9"
    game = made(f"go:size={size},moves=2000")
    oracle = Oracle(game.rows, game.columns, game.facts.longest_game)
    state = game.initial()
    while True:
        agree(game, state, oracle)
        yield
        moves = oracle.moves()
        if not moves:
            return
        place = rng.randrange(len(moves)) if rng.random() < 0.1 else rng.randrange(max(1, len(moves) - 1))
        state = game.result(state, game.actions(state)[place])
        oracle.play(*moves[place])


def einstein(rng: random.Random) -> Iterator[None]:
    """EinStein würfelt nicht! from two set-ups."""
    from test_einstein import Oracle, agree

    first, second = rng.choice([("123456", "123456"), ("351624", "612435")])
    game, oracle = made(f"einstein:first={first},second={second}"), Oracle(first, second)
    state = game.initial()
    while True:
        agree(game, state, oracle)
        yield
        moves = oracle.moves()
        if not moves:
            return
        place = rng.randrange(len(moves))
        state = game.result(state, game.actions(state)[place])
        oracle.play(*moves[place])


def barrel(rng: random.Random) -> Iterator[None]:
    """The game of the tutorial for compiled games."""
    from test_user_compiled_game import BARREL, Oracle

    file = Path(tempfile.gettempdir()) / f"barrel-{abs(hash(BARREL)):x}.py"
    if not file.exists():
        file.write_text(BARREL, encoding="utf-8")
    game, oracle = made(str(file)), Oracle()
    for state, names in play_out(game, oracle, rng):
        assert sorted(names) == sorted(oracle.moves()), game.state_text(state)
        assert game.state_text(state) == oracle.text()
        yield


GAMES: dict[str, Callable[[random.Random], Iterator[None]]] = {
    function.__name__: function for function in (othello, connect4, go, einstein, barrel)
}


def check(name: str, positions: int, seed: int) -> tuple[int, float, str]:
    """Play until so many positions agree; returns the positions, CPU seconds and the disagreement if there is one."""
    rng, met, began = random.Random(f"{name} {seed}"), 0, time.process_time()
    try:
        while met < positions:
            for _ in GAMES[name](rng):
                met += 1
    except AssertionError as error:
        return met, time.process_time() - began, re.sub(r"\s+", " ", str(error))[:300] or "an assertion failed"
    return met, time.process_time() - began, ""


def main() -> int:
    """Run the check and return its exit code."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("games", nargs="*", metavar="GAME", help=f"of {', '.join(GAMES)}; all if none is named")
    parser.add_argument("--positions", type=int, default=1_000_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    unknown = [name for name in options.games if name not in GAMES]
    if unknown:
        parser.error(f"'{unknown[0]}' has no oracle here; expected some of {', '.join(GAMES)}")
    chunk = min(CHUNK, options.positions)
    rows = {name: {"game": name, "positions": 0, "CPU s": 0.0, "disagreement": ""} for name in options.games or GAMES}
    with ProcessPoolExecutor(options.processes) as pool:
        for name, row in rows.items():
            seeds = [options.seed * 1_000_000 + number for number in range(-(-options.positions // chunk))]
            for met, seconds, wrong in pool.map(check, [name] * len(seeds), [chunk] * len(seeds), seeds):
                row["positions"] += met
                row["CPU s"] += seconds
                row["disagreement"] = row["disagreement"] or wrong
                progress = f"\r{name}: {row['positions']:,} positions, {row['CPU s']:.0f} s CPU {row['disagreement']}"
                print(progress, end="", file=sys.stderr, flush=True)
            print(file=sys.stderr)
    report = {
        "title": f"{options.positions:,} random positions per game against the oracles, seed {options.seed}",
        "machine": machine(),
        "rows": list(rows.values()),
        "figures": [
            {"name": f"{name}: agrees", "value": float(not row["disagreement"]), "needed": 1.0}
            for name, row in rows.items()
        ],
    }
    tell(report, as_json=options.json)
    return verdict(report)


if __name__ == "__main__":
    sys.exit(main())
