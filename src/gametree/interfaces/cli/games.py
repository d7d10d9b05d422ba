"""`gametree games` and `gametree algorithms`: what there is."""

from __future__ import annotations

import typer
from rich.table import Table

from gametree.core.registry import load_algorithm, summaries
from gametree.interfaces.cli.common import Json, console, print_json

__all__ = ["register"]


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.command("games")(games)
    app.command("algorithms")(algorithms)


def games(json: Json = False) -> None:
    """List the games."""
    _list("games", "Game", json)
    if not json:
        console.print("Play one with `gametree play GAME`; a path to your own Python file works too.")


def algorithms(json: Json = False) -> None:
    """List the search algorithms."""
    if json:
        rows = []
        for name, summary in summaries("search").items():
            facts = load_algorithm(name)[0]
            rows.append({"name": name, "title": facts.title, "summary": summary, "source": facts.source})
        print_json(rows)
        return
    _list("search", "Algorithm", json)


def _list(room: str, heading: str, json: bool) -> None:
    lines = summaries(room)
    if json:
        print_json([{"name": name, "summary": summary} for name, summary in lines.items()])
        return
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column(heading, style="cyan", no_wrap=True)
    table.add_column("What it is")
    for name, summary in lines.items():
        table.add_row(name, summary)
    console.print(table)
