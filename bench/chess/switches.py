"""What a switch of the engine is worth in chess: the engine against itself with other parameters.

    python bench/chess/switches.py null_move=0 [futility_margin=60 ...] [--nodes 20000] [--games 400] [--sprt 0,10]
    python bench/chess/switches.py --each [--games 200]

The first form plays the engine as it is against itself with the parameters named; the second switches each refinement
off in turn. Every opening, eight random plies that leave nobody more than a pawn ahead, is played with both colours.
All moves have the same number of nodes, so the load of the machine does not matter; what a switch costs in time per
node is not seen here. Elo is that of the engine as it is; a positive figure says that the switch gains.
`--sprt a,b` ends a match as soon as the hypothesis of a or of b Elo is accepted (5 % errors).
"""

from __future__ import annotations

import argparse
import random
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from measure import machine

from gametree import load_game
from gametree.core.clock import Clock
from gametree.play.statistics import Sprt, strength
from gametree.search.compiled.engine import Engine, EngineParameters
from gametree.teaching.ablation import switches, without

DECIDED = 7.0
"""Both sides see an advantage of this many pawns for four plies: the game is won."""


def opening(game: Any, engine: Engine, seed: int) -> Any:
    """A position after eight random plies with nobody far ahead."""
    rng = random.Random(seed)
    while True:
        state = game.initial()
        for _ in range(8):
            if not game.actions(state):
                break
            state = game.result(state, rng.choice(game.actions(state)))
        if game.actions(state):
            engine.forget()
            if abs(engine.search(state, clock=Clock(nodes=10_000)).value) < 1:
                return state


def play(game: Any, engines: list[Engine], state: Any, nodes: int) -> float:
    """The score of the first engine, which has White."""
    for engine in engines:
        engine.forget()
    won = level = 0
    first = game.player(state)
    for ply in range(400):
        if game.is_terminal(state):
            return (game.utility(state, first) / 300 + 1) / 2
        found = engines[ply % 2].search(state, clock=Clock(nodes=nodes))
        value = found.value if ply % 2 == 0 else -found.value
        won = won + (1 if value > 0 else -1) if abs(value) > DECIDED and won * value >= 0 else 0
        level = level + 1 if abs(value) < 0.08 and ply > 80 else 0
        if abs(won) >= 4:
            return 1.0 if won > 0 else 0.0
        if level >= 12:
            return 0.5
        state = game.result(state, found.move)
    return 0.5


def match(game: Any, other: EngineParameters, options: argparse.Namespace, name: str) -> None:
    """Play and print one match."""
    usual, changed = Engine(game, table_mib=16), Engine(game, table_mib=16, parameters=other)
    groups: list[tuple[float, float]] = []
    sprt = Sprt(*map(float, options.sprt.split(","))) if options.sprt else None
    for pair in range(options.games // 2):
        state = opening(game, usual, options.seed + pair)
        one = play(game, [usual, changed], state, options.nodes)
        two = 1 - play(game, [changed, usual], state, options.nodes)
        groups.append((one, two))
        if sprt is not None and pair >= 10 and sprt.verdict(sprt.ratio(strength(groups).pairs)):
            break
        if pair % 10 == 9:
            print(f"\r{name}: {line(groups)}", end="", flush=True)
    verdict = f", {sprt.verdict(sprt.ratio(strength(groups).pairs)) or chr(63)}" if sprt else ""
    print(f"\r{name}: {line(groups)}{verdict}", flush=True)


def line(groups: list[tuple[float, float]]) -> str:
    """A match so far, in words."""
    found = strength(groups)
    return (
        f"{found.games} games, +{found.wins} ={found.draws} -{found.losses}, "
        f"{found.elo:+.0f} Elo ({found.low:+.0f} to {found.high:+.0f}), LOS {found.superiority:.0%}   "
    )


def main() -> int:
    """Run the matches."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("changes", nargs="*")
    parser.add_argument("--each", action="store_true")
    parser.add_argument("--nodes", type=int, default=20_000)
    parser.add_argument("--games", type=int, default=400)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--sprt")
    options = parser.parse_args()
    game = load_game("chess")
    print(", ".join(f"{name} {value}" for name, value in machine().items()))
    if options.each:
        for switch in switches(game):
            match(game, without(game, switch), options, f"no {switch}")
    else:
        changes: dict[str, Any] = {}
        for change in options.changes:
            name, _, value = change.partition("=")
            usual = getattr(EngineParameters(), name)
            changes[name] = bool(int(value)) if isinstance(usual, bool) else type(usual)(value)
        match(game, EngineParameters.of(game, **changes), options, " ".join(options.changes) or "itself")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
