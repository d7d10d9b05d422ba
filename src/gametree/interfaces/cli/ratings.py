"""`gametree ratings`, `export` and `report`: what a database of games says, for people and for other programs."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import Annotated, Any

import typer

from gametree.core.errors import BadInput, suggest
from gametree.interfaces.cli.arena_options import open_store, write_report
from gametree.interfaces.cli.common import Json, Output, console, emit, print_json

__all__ = ["register"]

Kept = Annotated[Path, typer.Argument(metavar="DATABASE", help="The file that match or tournament has written.")]
OfGame = Annotated[str | None, typer.Option("--game", "-g", help="Only the games of this game.")]


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.command("ratings")(ratings)
    app.command("export")(export)
    app.command("report")(report)


def ratings(
    database: Kept,
    game: OfGame = None,
    anchor: Annotated[
        str | None, typer.Option(help="PLAYER=ELO: fix this player's rating; otherwise the mean is 0.")
    ] = None,
    table: Annotated[Path | None, typer.Option("--csv", help="Write the list to this file as a CSV table.")] = None,
    json: Json = False,
) -> None:
    """Rate all players of a database: maximum-likelihood Elo with 95 % error bars."""
    from gametree.interfaces.arena_view import rating_table
    from gametree.play.summary import rate_events

    fixed, elo = _anchor(anchor)
    with open_store(database, create=False) as store:
        played = [(event, list(store.results(event).values())) for event in _events(store, game)]
    data = rate_events(played, anchor=fixed, anchor_elo=elo).to_data()
    if not data["ratings"]:
        raise BadInput(f"'{database}' holds no finished game yet.")
    if table is not None:
        output = io.StringIO()
        rows = csv.DictWriter(output, list(data["ratings"][0]), lineterminator="\n")
        rows.writeheader()
        rows.writerows(data["ratings"])
        emit(output.getvalue(), table)
    if json:
        print_json(data)
        return
    console.print(rating_table(data["ratings"]))
    if data["imagined_draws"]:
        console.print(
            "Somebody won or lost everything, or some never met: one imagined draw per pairing keeps the list finite.",
            style="dim",
        )


def _anchor(text: str | None) -> tuple[str | None, float]:
    if text is None:
        return None, 0.0
    name, equals, number = text.rpartition("=")  # from the right: names of players hold equals signs too
    try:
        if equals:
            return name, float(number)
    except ValueError:
        pass
    raise BadInput(f"--anchor {text} is not PLAYER=ELO; expected such as random=0.")


def _events(store: Any, game: str | None) -> list[Any]:
    events = store.events()
    if game is None:
        return list(events)
    chosen = [event for event in events if event.game == game]
    if not chosen:
        known = sorted({event.game for event in events})
        raise BadInput(f"There are no games of '{game}' in '{store.path}'.{suggest(game, known)}")
    return chosen


def export(
    database: Kept,
    format: Annotated[str, typer.Option("--format", "-f", help="pgn, pdn, sgf, gcg, jsonl or csv.")] = "jsonl",
    game: OfGame = None,
    output: Output = None,
) -> None:
    """Write all games of a database in a format of other programs."""
    from gametree.core.registry import load_game
    from gametree.play.exports import FORMATS, export_events

    if format not in FORMATS:
        raise BadInput(f"There is no format '{format}'.{suggest(format, FORMATS)} Expected {', '.join(FORMATS)}.")
    with open_store(database, create=False) as store:
        parts = [(event, load_game(event.game), store.records(event)) for event in _events(store, game)]
        text = export_events(format, parts)
    emit(text, output)


def report(
    database: Kept,
    output: Annotated[Path, typer.Option("--output", "-o", help="The HTML file to write.")],
    game: OfGame = None,
) -> None:
    """Write a single HTML file with tables, plots and every game to click through."""
    with open_store(database, create=False) as store:
        write_report(store, _events(store, game), output)
    console.print(f"Wrote {output}.", soft_wrap=True)
