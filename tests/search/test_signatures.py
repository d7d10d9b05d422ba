"""What every search finds and how much it looks at on fixed positions, compared with tests/golden/signatures.json.

Values, moves, nodes and leaves are the same on every machine, so a change that is meant to leave a search alone leaves
its lines alone. A change that is meant to alter them renews the file, and its difference is read before it is kept:

    python tests/search/test_signatures.py --write
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from gametree.core.errors import UnfitGame
from gametree.core.registry import algorithm_names, load_algorithm, load_game
from gametree.search.compiled.engine import EngineParameters

GOLDEN = Path(__file__).parents[1] / "golden" / "signatures.json"

# Game, position (the start if empty) and depth (to the end of the game if None), for every algorithm that fits.
POSITIONS: list[tuple[str, str, int | None]] = [
    ("tictactoe", "XO./.X./..O", None),
    ("tictactoe", "", 4),
    ("nim:1-3-2", "", None),
    ("nim:3-4-5", "", 3),
    ("tree:branching=3,depth=5,seed=7", "", None),
    ("tree:branching=3,depth=5,seed=7", "", 3),
    ("pig:target=4,turns=3,sides=3", "", None),
    ("pig", "", 5),
    ("einstein", "", 4),
    ("connect4", "44455554", 4),
    ("tictactoe3", "", 3),
    ("harvest", "", 3),
    ("kuhn", "", None),
    ("othello", "", 3),
]
SAMPLED = {"mcts": {"simulations": 300}, "montecarlo": {"simulations": 300}, "fast-mcts": {"simulations": 3000}}

MIDDLE_GAME = "r2q1rk1/1b2bppp/p2ppn2/1pn5/3NP3/1BN1B3/PPP1QPPP/R4RK1 w - - 0 13"
SMALL_BOARD = "--OOX---OO--XXXO---XOOO---XO----OOO- X"
RACK = "15/15/15/15/15/15/15/4WORD7/15/15/15/15/15/15/15 QUACKLE"
ENGINE: list[tuple[str, str, int]] = [
    ("connect4", "444", 10),
    ("othello", "", 7),
    ("othello:size=4", "", 11),
    ("chess", "", 6),
    ("chess", MIDDLE_GAME, 6),
    ("chess", "7k/8/8/8/8/8/R7/K7 w - - 0 1", 6),
]
# Algorithm, game, position and options of searches that go their own ways.
OTHERS: list[tuple[str, str, str, dict[str, Any]]] = [
    ("fast-mcts", "connect4", "444", {"simulations": 20_000, "seed": 3}),
    ("fast-mcts", "connect4", "7422341735647741166133573473242566", {"simulations": 20_000, "seed": 3}),
    ("fast-mcts", "othello", "", {"simulations": 2_000, "seed": 3, "rave": 300.0}),
    ("fast-mcts", "einstein", "", {"simulations": 5_000, "seed": 3}),
    ("fast-mcts", "einstein", "", {"simulations": 5_000, "seed": 3, "solver": False, "depth": 6}),
    ("fast-expectiminimax", "einstein", "", {"depth": 5, "pruning": "none"}),
    ("fast-expectiminimax", "einstein", "", {"depth": 6, "pruning": "star1"}),
    ("fast-expectiminimax", "einstein", "", {"depth": 6, "probes": 2}),
    ("fast-expectiminimax", "tictactoe", "", {}),
    ("solve", "connect4", "274552224131661", {"table_mib": 16}),
    ("solve", "othello:size=4", "", {"table_mib": 4}),
    ("solve", "othello:size=6", SMALL_BOARD, {"table_mib": 16}),
    ("deepening", "connect4", "4455", {"depth": 5, "algorithm": "table"}),
    ("deepening", "einstein", "", {"depth": 5, "algorithm": "fast-expectiminimax"}),
    ("deepening", "tictactoe", "XO./.X./..O", {"algorithm": "singular"}),
    ("redeal", "kuhn", "JQ", {"worlds": 5}),
    ("static", "scrabble", RACK, {"candidates": 0}),
    ("simulate", "scrabble", RACK, {"worlds": 10, "width": 3, "seed": 3}),
    ("own-solver", "bridge:double-dummy", "N:AK5.J642.Q.J2 Q9863..J4.KT8 2.AQT5.62.Q94 T4.7.T8753.76 | C N", {}),
    ("belief", "phantom-tictactoe", "", {}),
    ("guaranteed", "phantom-tictactoe", "XX./OO./... X", {"moves": 1}),
    ("belief", "kriegspiel", "4k3/8/8/8/8/8/4q3/R3K2R w KQ - 0 1; moved", {"boards": 20}),
]


def signature(algorithm: str, game_text: str, position: str, options: dict[str, Any]) -> dict[str, Any] | None:
    """What the search says of the position; None if it does not fit the game."""
    game = load_game(game_text)
    state = game.state_from_text(position) if position else game.initial()
    try:
        result = load_algorithm(algorithm)[1](game, state, **options)
    except UnfitGame:
        return None
    return {
        "value": round(result.value, 9),
        "move": None if result.move is None else game.action_text(state, result.move),
        "nodes": result.nodes,
        "leaves": result.leaves,
    }


def signatures_of(algorithm: str) -> dict[str, Any]:
    """Everything that the file says of one algorithm: case → signature."""
    found: dict[str, Any] = {}

    def note(game: str, position: str, options: dict[str, Any], shown: str) -> None:
        found[" ".join(filter(None, (game, position, shown)))] = signature(algorithm, game, position, options)

    if algorithm == "engine":
        for game, position, depth in ENGINE:
            parameters = {
                "plain": EngineParameters.plain(),
                "sound": EngineParameters.sound(),
                "usual": EngineParameters.of(load_game(game)),
            }
            for name, chosen in parameters.items():
                least = depth - (2 if name == "plain" else 0)
                options = {"depth": least, "parameters": chosen, "table_mib": 4}
                note(game, position, options, f"depth={least} {name}")
    facts = load_algorithm(algorithm)[0]
    for game, position, depth in POSITIONS:
        if algorithm == "engine" or (depth is not None and not facts.takes_depth):
            continue
        options = dict(SAMPLED.get(algorithm, {}))
        if depth is not None:
            options["depth"] = depth
        note(game, position, options, "" if depth is None else f"depth={depth}")
    for name, game, position, options in OTHERS:
        if name == algorithm:
            note(game, position, options, " ".join(f"{key}={value}" for key, value in options.items()))
    return {case: what for case, what in found.items() if what is not None}


@pytest.mark.parametrize("algorithm", algorithm_names())
def test_searches_look_at_what_they_looked_at(algorithm):
    golden = json.loads(GOLDEN.read_text(encoding="utf-8"))
    found = signatures_of(algorithm)
    assert found, f"no position fits {algorithm}; give it one"
    assert found == golden[algorithm]


def test_the_file_speaks_of_every_algorithm_and_no_other():
    assert sorted(json.loads(GOLDEN.read_text(encoding="utf-8"))) == algorithm_names()


def write() -> None:
    """Write the file anew, one line for every case."""
    blocks = []
    for algorithm in algorithm_names():
        lines = [f"    {json.dumps(case)}: {json.dumps(what)}" for case, what in signatures_of(algorithm).items()]
        blocks.append(f"  {json.dumps(algorithm)}: {{\n" + ",\n".join(lines) + "\n  }")
    GOLDEN.write_text("{\n" + ",\n".join(blocks) + "\n}\n", encoding="utf-8")


if __name__ == "__main__":
    if sys.argv[1:] != ["--write"]:
        sys.exit(__doc__)
    write()
