"""The evaluation of chess: how many positions a second it judges, and what share of a search it takes.

    python bench/chess/evaluation.py [--nodes 1000000] [--rounds 3] [--weights tuned]

Evaluations a second are those of positions of random games, one after the other. For the share, the same tree is
searched with an evaluation that does its work twice: what that takes longer is what the evaluation takes. CPU time, the
fastest round counts. Exit code 0, or 2 if the two searches do not visit the same nodes.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from typing import Any

import numpy as np

from gametree import load_game
from gametree.core.clock import Clock
from gametree.games.chess.evaluation import evaluate
from gametree.search.compiled.engine import Engine

POSITIONS = (
    "startpos",
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10",
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
)


def evaluate_all(states: Any, times: Any, weights: Any) -> Any:
    """The sum of all estimates, so many times over."""
    total = np.int64(0)
    for _ in range(times):
        for i in range(len(states)):
            total += evaluate(states[i], weights[0])
    return total


def evaluate_twice(s: Any, w: Any, note: Any) -> Any:
    """The same value for double the work: the second look is from the other side, and only seems to matter."""
    value = np.int64(evaluate(s, w))
    s.seat = 1 - s.seat
    other = np.int64(evaluate(s, w))
    s.seat = 1 - s.seat
    return value if other < 1_000_000 else np.int64(0)


def positions(game: Any, count: int) -> Any:
    """Structs of positions of random games."""
    rng = random.Random(1)
    found: list[bytes] = []
    while len(found) < count:
        state = game.initial()
        for _ in range(rng.randrange(8, 120)):
            if game.is_terminal(state):
                break
            state = game.result(state, rng.choice(game.actions(state)))
        found.append(state)
    return np.concatenate([game.structs(state) for state in found])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--nodes", type=int, default=1_000_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--weights", default="tuned")
    options = parser.parse_args()
    name = f"chess:weights={options.weights}"
    once, twice = load_game(name), load_game(name)
    twice.rules._called["evaluate"] = evaluate_twice

    states, kernel, spent = positions(once, 300), once.rules.kernel(evaluate_all), []
    kernel(states, 1, once.w)
    for _ in range(options.rounds):
        began = time.process_time()
        kernel(states, 1000, once.w)
        spent.append(time.process_time() - began)
    each = min(spent) / (1000 * len(states))
    print(f"{1 / each:,.0f} evaluations/s, {1e9 * each:.0f} ns each")

    engines = Engine(once, table_mib=16), Engine(twice, table_mib=16)
    for engine in engines:
        engine.search(depth=1)
    total = [0.0, 0.0]
    for text in POSITIONS:
        best, nodes = [float("inf")] * 2, [0, 0]
        for _ in range(options.rounds):
            for i, engine in enumerate(engines):
                engine.forget()
                began = time.process_time()
                result = engine.search(once.state_from_text(text), clock=Clock(nodes=options.nodes))
                best[i] = min(best[i], time.process_time() - began)
                nodes[i] = result.nodes
        if nodes[0] != nodes[1]:
            print(f"{text}: {nodes[0]:,} nodes, but {nodes[1]:,} with the work done twice")
            return 2
        total = [total[i] + best[i] for i in range(2)]
        share = best[1] / best[0] - 1
        print(f"{text}: {nodes[0] / best[0]:,.0f} nodes/s; the evaluation takes {100 * share:.0f} %", flush=True)
    print(f"all: the evaluation takes {100 * (total[1] / total[0] - 1):.0f} % of the search")
    return 0


if __name__ == "__main__":
    sys.exit(main())
