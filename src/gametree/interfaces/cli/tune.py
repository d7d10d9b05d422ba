"""`gametree tune`: fit the weights of a game's evaluation to the results of real games."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer
from rich.table import Table

from gametree.interfaces.cli.common import Json, console, open_game, print_json, status

__all__ = ["register"]


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("tune")(tune)


def tune(
    game: Annotated[str, typer.Argument(metavar="GAME", help="The game, with the weights to start from if you like.")],
    files: Annotated[
        list[Path], typer.Argument(metavar="FILE...", help="Games (PGN) or positions (EPD), with results.")
    ],
    output: Annotated[Path, typer.Option("--output", "-o", help="Write the weights to this file.")],
    epochs: Annotated[int, typer.Option(help="Steps over all positions.")] = 200,
    per_game: Annotated[int, typer.Option("--per-game", help="At most this many positions of each game.")] = 12,
    validation: Annotated[float, typer.Option(help="The share of games that is not learned from.")] = 0.1,
    rate: Annotated[float, typer.Option(help="How far a weight moves in a step, in centipawns.")] = 1.0,
    spread: Annotated[float, typer.Option(help="How far weights may be expected to move from their start.")] = 15,
    roughness: Annotated[float, typer.Option(help="How much the moves of neighbours in a table may differ.")] = 8,
    seed: Annotated[int, typer.Option(help="Which positions are taken, and which games are held out.")] = 1,
    plot: Annotated[Path | None, typer.Option(help="Draw the curves into this .png, .svg or .pdf.")] = None,
    json: Json = False,
) -> None:
    """Tune the weights of an evaluation by Texel's method; a run that was stopped goes on where it was."""
    from gametree.learning.tuning import categories, plot_curves, text_curves
    from gametree.learning.tuning import tune as fit

    rules = open_game(game)
    try:
        with status(quiet=json) as show:

            def tell(what: str, done: int, total: int) -> None:
                show(f"{what}: {done:,}" + (f" of {total:,}" if total else "") if done else what)

            tuned = fit(
                rules, files, output, epochs=epochs, per_game=per_game, validation=validation, rate=rate,
                spread=spread, roughness=roughness, seed=seed, progress=tell,
            )  # fmt: skip
    except KeyboardInterrupt:
        console.print("Stopped; the same command goes on from here.", soft_wrap=True)
        raise
    unit = rules.tuning().unit
    rows = categories(tuned, unit)
    if plot is not None:
        plot_curves(tuned.fit.errors, plot)
    if json:
        print_json(_data(tuned, rows, unit))
        return
    positions, errors = tuned.positions, tuned.fit.errors
    lost = f", {positions.broken:,} could not be read" if positions.broken else ""
    console.print(f"{positions.games:,} games{lost}; {len(positions):,} quiet positions.")
    if tuned.resumed:
        console.print(f"Went on after epoch {tuned.resumed}.")
    console.print(text_curves(errors), markup=False)
    held = f", held out {errors[0][1]:.6f} → {errors[-1][1]:.6f}" if validation else ""
    console.print(
        f"Mean squared error: learned {errors[0][0]:.6f} → {errors[-1][0]:.6f} (●){held} (○).", soft_wrap=True
    )
    console.print(_table(rows))
    console.print(f"Wrote {output}; play with it as {rules.name.partition(':')[0]}:weights={output}.", soft_wrap=True)
    if plot is not None:
        console.print(f"Wrote {plot}.", soft_wrap=True)


def _table(rows: list[Any]) -> Table:
    table = Table(header_style="bold", title="What a value is worth: the categories and their expected results")
    for heading in ("value", "positions", "won", "drawn", "lost", "expected"):
        table.add_column(heading, justify="right")
    for row in rows:
        name = f"below {row.high:g}" if row.low < -1e9 else f"from {row.low:g}"
        shares = [f"{100 * share:.1f} %" for share in (row.won, row.drawn, row.lost)]
        table.add_row(name, f"{row.positions:,}", *shares, f"{row.expected:.3f}")
    return table


def _data(tuned: Any, rows: list[Any], unit: int) -> dict[str, Any]:
    return {
        "games": tuned.positions.games,
        "broken": tuned.positions.broken,
        "positions": len(tuned.positions),
        "scale": tuned.fit.scale * unit,
        "epochs": tuned.fit.epochs,
        "resumed": tuned.resumed,
        "errors": tuned.fit.errors,
        "categories": [
            {
                "low": None if row.low < -1e9 else row.low,
                "high": None if row.high > 1e9 else row.high,
                "positions": row.positions,
                "won": row.won,
                "drawn": row.drawn,
                "lost": row.lost,
                "expected": row.expected,
            }
            for row in rows
        ],
    }
