"""`gametree experiment`: what pruning saves, and what every algorithm costs, measured on trees."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer
from rich.table import Table

from gametree.core.errors import BadInput
from gametree.interfaces.cli import depth_elo
from gametree.interfaces.cli.common import Json, console, print_json, progress_bar

__all__ = ["register"]


def register(app: typer.Typer) -> None:
    """Add the commands."""
    group = typer.Typer(help="Measure what pruning saves and what every algorithm costs.", no_args_is_help=False)

    @group.callback(invoke_without_command=True)
    def _root(context: typer.Context) -> None:
        if context.invoked_subcommand is None:
            typer.echo(context.get_help())

    group.command("ordering")(ordering)
    group.command("compare")(compare)
    depth_elo.register(group)
    app.add_typer(group, name="experiment")


def ordering(
    branchings: Annotated[str, typer.Option("--branching", "-b", help="Branching factors: 2,3,4 or 2..4.")] = "2..4",
    depths: Annotated[str, typer.Option("--depth", "-d", help="Depths: 1,2,3 or 1..6.")] = "1..6",
    seeds: Annotated[int, typer.Option(help="Random trees per row.")] = 10,
    plot: Annotated[Path | None, typer.Option(help="Draw the curves into this .png, .svg or .pdf.")] = None,
    json: Json = False,
) -> None:
    """Count the leaves of minimax and alpha-beta for best, random and worst order, and fit the exponent."""
    from gametree.teaching.experiments import ordering as measure
    from gametree.teaching.experiments import plot_ordering

    if seeds < 1:
        raise BadInput(f"--seeds {seeds} is too few; expected at least 1.")
    with progress_bar("random trees", quiet=json) as progress:
        data = measure(
            branchings=_numbers("--branching", branchings),
            depths=_numbers("--depth", depths),
            seeds=range(seeds),
            progress=progress,
        )
    if plot is not None:
        plot_ordering(data, plot)
    if json:
        print_json(data)
        return
    table = Table("b", "d", "minimax", "worst", "random", "best", "b^d", "b^(3d/4)", "b^(d/2)", header_style="bold")
    for row in data["rows"]:
        counts = [row[key] for key in ("minimax", "worst", "random", "best", "full", "three_quarters", "half")]
        table.add_row(str(row["branching"]), str(row["depth"]), *(f"{count:,.1f}" for count in counts))
    console.print("Leaves looked at by minimax, and by alpha-beta with the children in worst, random and best order:")
    console.print(table)
    for fit in data["fits"]:
        exponents = fit["exponent"]
        if exponents["best"] is not None:
            console.print(
                f"b = {fit['branching']}: leaves grow as (b^d)^e with e = {exponents['worst']:.2f} (worst), "
                f"{exponents['random']:.2f} (random), {exponents['best']:.2f} (best); theory: 1, about 0.75, 0.5."
            )
    if plot is not None:
        console.print(f"Wrote {plot}.", soft_wrap=True)


def compare(
    trees: Annotated[
        list[str] | None, typer.Argument(metavar="[GAME]...", help="Games to search, by default random trees.")
    ] = None,
    algorithms: Annotated[
        str, typer.Option("--algorithms", "-a", help="Names separated by spaces; by default all exact ones.")
    ] = "",
    json: Json = False,
) -> None:
    """Run every exact algorithm on the same trees: nodes, leaves and time."""
    from gametree.teaching.experiments import compare as measure

    options: dict[str, Any] = {"trees": trees} if trees else {}
    with progress_bar("searches", quiet=json) as progress:
        data = measure(algorithms=algorithms.split() or None, progress=progress, **options)
    if json:
        print_json(data)
        return
    table = Table("algorithm", "nodes", "leaves", "CPU seconds", "right values", header_style="bold")
    for row in data["rows"]:
        right = f"{row['right']} of {row['trees']}"
        table.add_row(row["algorithm"], f"{row['nodes']:,}", f"{row['leaves']:,}", f"{row['seconds']:.3f}", right)
    console.print(f"On {len(data['trees'])} games ({data['trees'][0]}, ...):", markup=False, soft_wrap=True)
    console.print(table)


def _numbers(option: str, text: str) -> list[int]:
    """Read `2,3,5` or `2..5`."""
    low, dots, high = text.partition("..")
    try:
        numbers = list(range(int(low), int(high) + 1)) if dots else [int(part) for part in text.split(",")]
    except ValueError:
        numbers = []
    if not numbers:
        raise BadInput(f"{option} {text} is not a list of numbers; expected 2,3,4 or 2..4.")
    return numbers
