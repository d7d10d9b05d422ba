"""`gametree experiment depth-elo`: what one more ply is worth in Elo."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from gametree.core.errors import BadInput
from gametree.interfaces.cli.arena_options import Concurrency, Database, Games, RandomPlies, Seed, open_store
from gametree.interfaces.cli.common import GameName, Json, console, open_game, print_json, status

__all__ = ["register"]


def register(group: typer.Typer) -> None:
    """Add the command to the group `experiment`."""
    group.command("depth-elo")(depth_elo)


def depth_elo(
    game: GameName,
    depths: Annotated[str, typer.Option("--depths", "-d", help="Depths: 1,2,4 or 1..4.")] = "1..4",
    algorithm: Annotated[str, typer.Option("--algorithm", "-a", help="A search that takes a depth.")] = "alphabeta",
    games: Games = 100,
    random_plies: RandomPlies = None,
    seed: Seed = 1,
    concurrency: Concurrency = 1,
    database: Database = Path("arena.db"),
    plot: Annotated[Path | None, typer.Option(help="Draw the ratings into this .png, .svg or .pdf.")] = None,
    json: Json = False,
) -> None:
    """Measure what one more ply is worth: neighbouring depths meet, with Elo and error bars."""
    from gametree.interfaces.arena_view import elo_text
    from gametree.play.depth_elo import depth_elo as measure
    from gametree.play.depth_elo import plot_depth_elo

    rules = open_game(game)
    with open_store(database) as store, status(quiet=json) as line:
        data = measure(
            rules,
            store,
            algorithm=algorithm,
            depths=_depths(depths),
            games=games,
            random_plies=random_plies,
            seed=seed,
            concurrency=concurrency,
            progress=lambda done, total: line(f"game {done:,} of {total:,}"),
        )
    if plot is not None:
        plot_depth_elo(data, plot)
    if json:
        print_json(data)
        return
    table = Table("depths", "games", "%", "Elo gained (95 %)", header_style="bold")
    for step in data["steps"]:
        gained = elo_text(step["elo"], step["elo_low"], step["elo_high"])
        table.add_row(f"{step['from']} → {step['to']}", str(step["games"]), f"{100 * step['score']:.1f}", gained)
    console.print(table)
    console.print(f"{data['elo_per_ply']:+.0f} ± {data['error_per_ply']:.0f} Elo a ply on average.", markup=False)
    if plot is not None:
        console.print(f"Wrote {plot}.", soft_wrap=True)


def _depths(text: str) -> list[int]:
    low, dots, high = text.partition("..")
    try:
        return list(range(int(low), int(high) + 1)) if dots else [int(part) for part in text.split(",")]
    except ValueError:
        raise BadInput(f"--depths {text} is not a list of numbers; expected 1,2,4 or 1..4.") from None
