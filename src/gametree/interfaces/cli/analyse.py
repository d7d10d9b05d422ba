"""`gametree analyse`: what a position is worth and what to play."""

from __future__ import annotations

import random
from typing import Annotated, Any

import typer

from gametree.core.errors import BadInput
from gametree.core.game import CHANCE, Game
from gametree.core.registry import load_algorithm
from gametree.core.result import SearchResult
from gametree.interfaces.cli.common import (
    Algorithm,
    Depth,
    GameName,
    Json,
    Moves,
    Position,
    Seconds,
    board,
    console,
    number,
    open_game,
    print_json,
    set_up,
)

__all__ = ["register", "verdict"]

_BY_THROWS = "filtered-expectiminimax"
_SHOWN = 5
"""Candidates that are shown."""


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("analyse")(analyse)


def analyse(
    game: GameName,
    position: Position = None,
    algorithm: Algorithm = "",
    depth: Depth = None,
    time: Seconds = None,
    moves: Moves = "",
    dice: Annotated[str, typer.Option(help="The throw, where dice are to be thrown first: 31.")] = "",
    plies: Annotated[int | None, typer.Option(help="Look this many throws ahead, in a game of dice.")] = None,
    rack: Annotated[
        str, typer.Option("--rack", help="What the mover holds, where a position is written with a rack behind it.")
    ] = "",
    json: Json = False,
) -> None:
    """Search a position and say what it is worth and what to play.

    Without any limit, algorithms that never come to an end by themselves get five seconds.
    """
    from gametree.play.analysis import analyse as search
    from gametree.play.analysis import default_algorithm

    rules = open_game(game, plain=True)
    if rack:
        position = f"{rules.state_text(set_up(rules, position, moves)) if moves or not position else position} {rack}"
        moves = ""
    state = set_up(rules, position, moves)
    if rack:
        state = _as_the_mover_sees_it(rules, state)
    if dice:
        state = _throw(rules, state, dice)
    if plies is not None:
        if algorithm:
            raise BadInput(f"--plies belongs to {_BY_THROWS}; expected either it or --algorithm {algorithm}.")
        algorithm = f"{_BY_THROWS}:plies={plies}"
    if not algorithm and depth is None and time is None and load_algorithm(default_algorithm(rules))[0].anytime:
        time = 5.0  # the algorithm that fits would go on for ever
    result = search(rules, state, algorithm=algorithm, depth=depth, seconds=time, whole=json)
    data = result.to_data(rules)
    if json:
        print_json({"game": rules.name, **data})
        return
    console.print(board(rules, state), markup=False)
    console.print()
    console.print(f"{verdict(rules, result)}", markup=False)
    for rank, candidate in enumerate(result.details.get("candidates", ())[:_SHOWN], 1):
        console.print(f"{rank:>3}  {_candidate(candidate)}", markup=False, soft_wrap=True)
    if data["pv"]:
        console.print(f"Best play: {' '.join(data['pv'])}", markup=False)
    speed = result.nodes / result.seconds if result.seconds > 0 else 0
    console.print(
        f"{result.algorithm}: {result.nodes:,} nodes, {result.leaves:,} leaves, {depths(result)}, "
        f"{result.seconds:.3f} s ({speed:,.0f} nodes/s)",
        style="dim",
        markup=False,
    )


def _candidate(told: dict[str, Any]) -> str:
    """A move that was weighed: what it is worth, and what else the search or the game tells of it."""
    line = f"{told['move']:<22}"
    if "value" in told:
        line += f" {told['value']:+.3f}"
    if "plies" in told:
        line += f"  {told['plies']} plies"
    more = (f"{name} {number(x)}" for name, x in told.items() if name not in ("value", "plies") and _is_number(x))
    return "  ".join(filter(None, (line, ", ".join(more)))).rstrip()


def _is_number(x: Any) -> bool:
    return isinstance(x, int | float) and not isinstance(x, bool)


def _as_the_mover_sees_it(game: Game[Any, Any], state: Any) -> Any:
    """The mover's view, once chance has dealt what the position leaves open; what that is, the view does not show."""
    rng = random.Random(0)
    while not game.is_terminal(state) and game.player(state) == CHANCE:
        state = game.result(state, game.roll(state, rng))
    return state if game.is_terminal(state) else game.view(state, game.player(state))


def _throw(game: Game[Any, Any], state: Any, dice: str) -> Any:
    """The state after a throw; whoever may double before it does not. Raises BadInput and IllegalMove."""
    if not game.is_terminal(state) and game.player(state) >= 0:
        words = {game.action_text(state, action): action for action in game.actions(state)[:3]}
        if "throw" in words:
            state = game.result(state, words["throw"])
    if game.is_terminal(state) or game.player(state) != CHANCE:
        raise BadInput(f"--dice {dice} comes too late: nothing is to be thrown at {game.state_text(state)}.")
    return game.result(state, game.action_from_text(state, dice))


def depths(result: SearchResult) -> str:
    """How deep the search went in full and, where that is more, along single lines."""
    beyond = f" (up to {result.selective})" if result.selective > result.depth else ""
    return f"depth {result.depth}{beyond}"


def verdict(game: Game[Any, Any], result: SearchResult) -> str:
    """One sentence: the value, for whom, how sure, and the move."""
    relation = {
        "exact": "is worth",
        "lower": "is worth at least",
        "upper": "is worth at most",
        "estimate": "seems worth",
    }
    sentence = f"The position {relation[result.bound]} {number(result.value)} to player {result.player + 1}"
    if result.values is not None and len(result.values) > 2:
        sentence += f" (to all: {', '.join(number(value) for value in result.values)})"
    if result.move is None:
        return sentence + "; the game is over." if game.is_terminal(result.state) else sentence + "."
    return sentence + f"; play {game.action_text(result.state, result.move)}."
