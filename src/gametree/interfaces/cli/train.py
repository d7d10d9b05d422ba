"""`gametree train`: learn a game by play against itself."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from gametree.core.errors import BadInput
from gametree.interfaces.cli.common import Json, console, open_game, print_json, status

__all__ = ["register"]

BAR = 24


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("train")(train)


def train(
    game: Annotated[str, typer.Argument(metavar="GAME", help="A game that says how it is learned.")],
    recipe: Annotated[str, typer.Option(help="How the network looks and learns; the game names its recipes.")] = "",
    minutes: Annotated[float | None, typer.Option(help="Learn for so long; 2 where nothing is said.")] = None,
    games: Annotated[int | None, typer.Option(help="Learn from this many games, in all runs together.")] = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="The network's file; GAME-RECIPE.net by default.")
    ] = None,
    seed: Annotated[int, typer.Option(help="What the dice and the first weights come from.")] = 1,
    hidden: Annotated[int | None, typer.Option(help="Hidden units, if not as the recipe says.")] = None,
    json: Json = False,
) -> None:
    """Learn a game from play against itself by temporal differences; a run that was stopped goes on where it was."""
    from gametree.learning.training import train as learn

    rules = open_game(game)
    known = list(rules.learning().recipes)
    recipe = recipe or known[0]
    if minutes is None and games is None:
        minutes = 2.0
    path = output or Path(f"{rules.name.partition(':')[0]}-{recipe}.net")
    if path.is_dir():
        raise BadInput(f"'{path}' is a folder; expected the name of a file.")
    try:
        with status(quiet=json) as show:

            def tell(done: int, speed: float, measure: object) -> None:
                got = f", {measure.points:+.2f} points a game" if measure is not None else ""  # type: ignore[attr-defined]
                show(f"{done:,} games, {speed:,.0f} a second{got}")

            trained = learn(
                rules, path, recipe=recipe, minutes=minutes, games=games, seed=seed, hidden=hidden, progress=tell
            )
    except KeyboardInterrupt:
        console.print("Stopped; the same command goes on from the last checkpoint.", soft_wrap=True)
        raise
    if json:
        print_json({"output": str(path), **asdict(trained)})
        return
    if trained.resumed:
        console.print(f"Went on after {trained.resumed:,} games.")
    table = Table(header_style="bold", title="Against a plain player that does not learn")
    for heading in ("games", "points a game", "won", ""):
        table.add_column(heading, justify="left" if not heading else "right")
    low = min(measure.points for measure in trained.curve)
    span = max(max(measure.points for measure in trained.curve) - low, 1e-9)
    for measure in trained.curve:
        bar = "█" * round(1 + (BAR - 1) * (measure.points - low) / span)
        points = f"{measure.points:+.3f} ± {measure.error:.3f}"
        table.add_row(f"{measure.games:,}", points, f"{100 * measure.won:.0f} %", bar)
    console.print(table)
    console.print(f"Wrote {path}; play against it as best:weights={path}.", soft_wrap=True)
