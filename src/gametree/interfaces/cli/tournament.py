"""`gametree tournament`: many players, one or several games, round robin, gauntlet or Swiss."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Annotated, Any

import typer

from gametree.core.errors import BadInput, suggest
from gametree.interfaces.cli.arena_options import (
    Cluster,
    Concurrency,
    Control,
    Database,
    Draw,
    Games,
    Margin,
    MaxPlies,
    Openings,
    Patience,
    RandomPlies,
    Report,
    Resign,
    Salt,
    Seed,
    describe,
    open_store,
    write_report,
)
from gametree.interfaces.cli.common import Json, console, open_game, print_json

__all__ = ["register"]

FORMATS = ("round-robin", "gauntlet", "swiss")


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("tournament")(tournament)


def tournament(
    players: Annotated[list[str], typer.Argument(metavar="PLAYER...", help="The players, named as for match.")],
    game: Annotated[list[str], typer.Option("--game", "-g", help="The game; give it again for several games.")],
    format: Annotated[
        str, typer.Option("--format", "-f", help="round-robin, gauntlet (the first against all others) or swiss.")
    ] = "round-robin",
    games: Games = 10,
    rounds: Annotated[int, typer.Option(help="Rounds of a Swiss tournament; 0 for as many as it needs.")] = 0,
    clock: Control = "none",
    margin: Margin = 0.05,
    patience: Patience = 600.0,
    openings: Openings = None,
    random_plies: RandomPlies = None,
    seed: Seed = 1,
    salt: Salt = "",
    max_plies: MaxPlies = None,
    resign: Resign = None,
    draw: Draw = None,
    concurrency: Concurrency = 1,
    cluster: Cluster = "",
    database: Database = Path("arena.db"),
    report: Report = None,
    json: Json = False,
) -> None:
    """Let many players meet, in one game or in several, and rate them."""
    from gametree.interfaces.arena_view import live
    from gametree.play.events import total_games
    from gametree.play.runner import run_event
    from gametree.play.summary import rate_events, summarise

    if format not in FORMATS:
        raise BadInput(
            f"There is no tournament called '{format}'.{suggest(format, FORMATS)} Expected {', '.join(FORMATS)}."
        )
    if rounds < 0:
        raise BadInput(f"--rounds {rounds} is not possible; expected 0 or more.")
    if "human" in players:
        raise BadInput("A person cannot sit in a tournament; use `gametree match` or `gametree play`.")
    swiss = (rounds or math.ceil(math.log2(max(2, len(players))))) if format == "swiss" else 0
    opened = [open_game(name) for name in game]
    # All events are checked before the first game is played.
    events = [
        describe(
            rules, format, players, games, seed=seed, clock=clock, margin=margin, openings=openings,
            random_plies=random_plies, max_plies=max_plies, resign=resign, draw=draw, salt=salt, patience=patience,
            rounds=swiss,
        )
        for rules in opened
    ]  # fmt: skip
    summaries, played = [], []
    with open_store(database) as store:
        for event, rules in zip(events, opened, strict=True):
            with live(event, total_games(event, rules), quiet=json) as progress:
                outcome = run_event(
                    event, store, game=rules, concurrency=concurrency, cluster=cluster, progress=progress
                )
            summaries.append(summarise(event, outcome.results))
            played.append((event, list(outcome.results.values())))
        if report is not None:
            write_report(store, events, report)
    total = rate_events(played).to_data()
    if json:
        print_json({"events": summaries, "total": total})
        return
    for summary in summaries:
        _show(summary)
    if len(summaries) > 1:
        _show_total(total)
    if report is not None:
        console.print(f"Wrote {report}.", soft_wrap=True)


def _show(summary: dict[str, Any]) -> None:
    from gametree.interfaces.arena_view import cross_table, rating_table, reasons_text

    console.print(f"{summary['game']}: {summary['games']} games", markup=False)
    console.print(cross_table(summary))
    console.print(rating_table(summary["ratings"]))
    ends = reasons_text(summary)
    if ends:
        console.print(ends, markup=False, soft_wrap=True)


def _show_total(total: dict[str, Any]) -> None:
    from gametree.interfaces.arena_view import rating_table

    console.print("All games together:")
    console.print(rating_table(total["ratings"]))
