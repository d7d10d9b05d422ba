"""Ablation: what each refinement of the engine saves, by searching the same positions without it."""

from __future__ import annotations

import dataclasses
import random
import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from gametree.core.clock import Clock
from gametree.core.errors import BadInput

if TYPE_CHECKING:
    from gametree.core.result import SearchResult
    from gametree.kernels.compiled_game import CompiledGame
    from gametree.search.compiled.engine import EngineParameters

__all__ = ["ablate", "reachable_depth", "sample_positions", "without"]

QUICK_ROUNDS = 5
"""A search is timed so many times ..."""
QUICK = 1.0
"""... while all of them together take no more CPU seconds than this."""


def without(game: CompiledGame, switch: str) -> EngineParameters:
    """The usual parameters of the game with one refinement off. Raises BadInput if it is not one of `switches`."""
    from gametree.search.compiled.engine import EngineParameters

    usual = EngineParameters.of(game)
    if switch not in switches(game):
        raise BadInput(f"There is no switch '{switch}'; expected one of {', '.join(switches(game))}.")
    off: dict[str, Any] = {switch: False if isinstance(getattr(usual, switch), bool) else 0}
    if switch == "driver":
        off = {"driver": "alphabeta"}
    return dataclasses.replace(usual, **off)


def switches(game: CompiledGame) -> list[str]:
    """Names of the refinements that are usually on in this game."""
    from gametree.search.compiled.engine.parameters import SHADES, EngineParameters

    usual = EngineParameters.of(game)
    return [name for name, value in vars(usual).items() if name not in SHADES and value]


def sample_positions(game: CompiledGame, count: int, *, seed: int = 0, plies: int = 8) -> list[Any]:
    """The start and positions after `plies` random moves, the same for the same seed; games that ended are left out."""
    rng = random.Random(seed)
    positions = [game.initial()]
    for _ in range(50 * count):
        if len(positions) >= count:
            break
        state = game.initial()
        for _ in range(plies):
            if game.is_terminal(state):
                break
            state = game.result(state, rng.choice(game.actions(state)))
        if not game.is_terminal(state) and state not in positions:
            positions.append(state)
    return positions


def reachable_depth(game: CompiledGame, positions: Sequence[Any], *, seconds: float) -> int:
    """The depth that the engine reaches everywhere within `seconds` for all positions together, at least 1."""
    from gametree.search.compiled.engine import search

    search(game, positions[0], depth=1)  # compiling is not searching
    share = seconds / len(positions)
    return max(1, min(search(game, state, clock=Clock(share)).depth for state in positions))


def _timed(
    game: CompiledGame, parameters: EngineParameters, table_mib: float, state: Any, depth: int, most: float
) -> tuple[SearchResult, float]:
    """Search once, or several times if that is quick: a fresh engine each time, and the least CPU time of them."""
    from gametree.search.compiled.engine import Engine

    least, spent = float("inf"), 0.0
    for _ in range(QUICK_ROUNDS):
        engine = Engine(game, parameters=parameters, table_mib=table_mib)
        engine.forget()  # writes to all of its memory, whose first touch costs more than a small search
        started = time.process_time()
        result = engine.search(state, depth=depth, clock=Clock(most))
        taken = time.process_time() - started
        least, spent = min(least, taken), spent + taken
        if spent > QUICK:
            break
    return result, least


def ablate(
    game: CompiledGame,
    positions: Sequence[Any],
    *,
    depth: int,
    table_mib: float = 64,
    most: float = 30.0,
    progress: Callable[[int, int], None] | None = None,
) -> dict[str, Any]:
    """Search every position to `depth` with all refinements, and again without each one.

    Returns `rows`: the engine as it is, each switch off, only sound ones, and plain alpha-beta last; with nodes, CPU
    seconds (of short searches the least of several), both relative to the engine as it is (above 1: the switch saves
    that much), and `same`, on how many positions the move is the same. A search that takes more than `most` seconds is
    stopped and the row says so.
    """
    from gametree.search.compiled.engine import Engine, EngineParameters

    variants: list[tuple[str, EngineParameters]] = [("as it is", EngineParameters.of(game))]
    variants += [(f"no {switch}", without(game, switch)) for switch in switches(game)]
    variants += [("sound only", EngineParameters.sound()), ("plain alpha-beta", EngineParameters.plain())]
    # Compiling is not searching; nor is what a processor, a cache and fresh memory need to get going.
    for state in positions:
        Engine(game, table_mib=table_mib).search(state, depth=depth, clock=Clock(min(most, 1.0)))
    rows: list[dict[str, Any]] = []
    usual: list[Any] = []
    for done, (name, parameters) in enumerate(variants):
        nodes, complete, moves = 0, True, []
        seconds = 0.0
        for state in positions:
            result, spent = _timed(game, parameters, table_mib, state, depth, most)
            seconds += spent
            nodes += result.nodes
            complete = complete and result.complete
            moves.append(result.move)
        usual = usual or moves
        rows.append(
            {
                "variant": name,
                "nodes": nodes,
                "seconds": seconds,
                "nodes_ratio": nodes / rows[0]["nodes"] if rows else 1.0,
                "seconds_ratio": seconds / rows[0]["seconds"] if rows and rows[0]["seconds"] else 1.0,
                "same": sum(mine == theirs for mine, theirs in zip(moves, usual, strict=True)),
                "complete": complete,
            }
        )
        if progress is not None:
            progress(done + 1, len(variants))
    return {"game": game.name, "depth": depth, "positions": len(positions), "rows": rows}
