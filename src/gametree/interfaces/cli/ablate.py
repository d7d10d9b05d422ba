"""`gametree ablate`: what each refinement of the engine saves."""

from __future__ import annotations

from typing import Annotated

import typer
from rich.table import Column, Table

from gametree.core.errors import BadInput, UnfitGame
from gametree.interfaces.cli.common import (
    Depth,
    GameName,
    Json,
    Position,
    console,
    is_compiled,
    open_game,
    print_json,
    progress_bar,
)

__all__ = ["register"]


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("ablate")(ablate)


def ablate(
    game: GameName,
    position: Position = None,
    depth: Depth = None,
    positions: Annotated[int, typer.Option("--positions", "-n", help="Positions to search.")] = 5,
    seconds: Annotated[float, typer.Option(help="Without --depth: go as deep as this many seconds allow.")] = 5.0,
    json: Json = False,
) -> None:
    """Switch off the engine's refinements one by one and show what each saves in nodes and time."""
    from gametree.teaching.ablation import ablate as measure
    from gametree.teaching.ablation import reachable_depth, sample_positions

    rules = open_game(game)
    if not is_compiled(rules):
        raise UnfitGame(f"ablate cannot search {rules.name}: its rules are not written as verbs on a struct.")
    if positions < 1 or not seconds > 0 or (depth is not None and depth < 1):
        raise BadInput("ablate needs at least 1 position, a depth of at least 1 and more than 0 seconds.")
    states = [rules.state_from_text(position)] if position is not None else sample_positions(rules, positions)
    deep = depth or reachable_depth(rules, states, seconds=seconds)
    with progress_bar("variants", quiet=json) as progress:
        data = measure(rules, states, depth=deep, progress=progress)
    if json:
        print_json(data)
        return
    table = Table(
        Column("variant", no_wrap=True), "nodes", "× nodes", "CPU seconds", "× time", "same move", header_style="bold"
    )
    for row in data["rows"]:
        mark = "" if row["complete"] else " (stopped)"
        table.add_row(
            row["variant"] + mark,
            f"{row['nodes']:,}",
            f"{row['nodes_ratio']:.2f}",
            f"{row['seconds']:.2f}",
            f"{row['seconds_ratio']:.2f}",
            f"{row['same']} of {data['positions']}",
        )
    console.print(f"{rules.name}: {data['positions']} positions to depth {deep}.", markup=False)
    console.print(table)
