"""`gametree perft`: count the lines of play, the usual test of a move generator."""

from __future__ import annotations

import time
from typing import Annotated, Any

import typer

from gametree.core.errors import BadInput, UnfitGame
from gametree.core.game import Game
from gametree.interfaces.cli.common import GameName, Json, Moves, console, is_compiled, open_game, print_json, set_up

__all__ = ["register"]


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("perft")(perft)


def perft(
    game: GameName,
    depth: Annotated[int, typer.Argument(metavar="DEPTH", help="Plies to look ahead.")],
    position: Annotated[str | None, typer.Argument(metavar="[POSITION]", help="The position.")] = None,
    moves: Moves = "",
    divide: Annotated[bool, typer.Option("--divide", help="Count below each first move as well.")] = False,
    turns: Annotated[
        bool, typer.Option("--turns", help="Count whole turns of several moves; those that lead to one position once.")
    ] = False,
    json: Json = False,
) -> None:
    """Count the lines of play to a depth."""
    rules = open_game(game, plain=True)
    state = set_up(rules, position, moves)
    if depth < 0:
        raise BadInput(f"A perft depth of {depth} is not possible; expected a whole number from 0 up.")
    if turns:
        _count_turns(rules, state, depth, json)
        return
    parts: dict[str, int] = {}
    _count(rules, state, 0)  # compiling is not counting
    started = time.process_time()
    if divide and depth > 0:
        for action, child in rules.successors(state):
            parts[rules.action_text(state, action)] = _count(rules, child, depth - 1)
        total = sum(parts.values())
    else:
        total = _count(rules, state, depth)
    seconds = time.process_time() - started
    if json:
        data = {"game": rules.name, "position": rules.state_text(state), "depth": depth, "nodes": total}
        print_json({**data, "seconds": seconds, **({"divide": parts} if divide else {})})
        return
    for text, number in parts.items():
        console.print(f"{text}: {number:,}", markup=False)
    speed = f", {total / seconds:,.0f} lines/s" if seconds > 0.01 else ""
    console.print(f"{total:,} lines of {depth} plies in {seconds:.2f} s of processor time{speed}.")


def _count_turns(rules: Game[Any, Any], state: Any, depth: int, json: bool) -> None:
    """Whole turns; raises UnfitGame for games that are not compiled, BadInput where there are too many."""
    from gametree.kernels.compiled_game import CompiledGame
    from gametree.kernels.turns import distinct_turns

    if not isinstance(rules, CompiledGame) or len(rules.facts.sides) != 2 or rules.facts.chance:
        raise UnfitGame(f"perft cannot count turns of {rules.name}; expected a compiled game of two sides, no chance.")
    started = time.process_time()
    total = distinct_turns(rules, state, depth=depth)
    seconds = time.process_time() - started
    if json:
        data = {"game": rules.name, "position": rules.state_text(state), "turns": depth, "nodes": total}
        print_json({**data, "seconds": seconds})
        return
    console.print(f"{total:,} lines of {depth} turns that lead to different positions.")


def _count(rules: Game[Any, Any], state: Any, depth: int) -> int:
    """By the compiled counter where the game is compiled, otherwise by walking the game."""
    from gametree.kernels.perft import perft as compiled

    if is_compiled(rules):
        return compiled(rules, state, depth=depth)
    layer = {state: 1}  # lines that lead to each state: equal states are counted together
    for _ in range(depth):
        below: dict[Any, int] = {}
        for above, lines in layer.items():
            for _, child in [] if rules.is_terminal(above) else rules.successors(above):
                below[child] = below.get(child, 0) + lines
        layer = below
    return sum(layer.values())
