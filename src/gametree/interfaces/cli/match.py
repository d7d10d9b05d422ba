"""`gametree match`: two players, many games, and what they say about strength."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from gametree.core.errors import BadInput
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


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("match")(match)


def match(
    players: Annotated[
        list[str],
        typer.Argument(
            metavar="PLAYER PLAYER",
            help="random, alphabeta:depth=4, mcts:time=0.1, uci:stockfish?UCI_Elo=1500, xboard:gnuchess, my_player.py.",
        ),
    ],
    game: Annotated[str, typer.Option("--game", "-g", help="The game: a name or a path to a Python file.")],
    games: Games = 100,
    clock: Control = "none",
    margin: Margin = 0.05,
    patience: Patience = 600.0,
    openings: Openings = None,
    random_plies: RandomPlies = None,
    seed: Seed = 1,
    salt: Salt = "",
    sprt: Annotated[
        str | None, typer.Option(help="ELO0,ELO1: stop as soon as one of the two is accepted (5 % errors).")
    ] = None,
    max_plies: MaxPlies = None,
    resign: Resign = None,
    draw: Draw = None,
    concurrency: Concurrency = 1,
    cluster: Cluster = "",
    database: Database = Path("arena.db"),
    report: Report = None,
    json: Json = False,
) -> None:
    """Let two players meet in many games, in pairs with the same opening and the same luck, seats swapped."""
    from gametree.interfaces.arena_view import live
    from gametree.play.events import total_games
    from gametree.play.runner import run_event
    from gametree.play.statistics import Sprt
    from gametree.play.summary import summarise

    if len(players) < 2:
        raise BadInput(f"A match needs two players, but only '{players[0]}' was named.")
    test = None if sprt is None else Sprt.parse(sprt)
    rules = open_game(game)
    event = describe(
        rules, "match", players, games, seed=seed, clock=clock, margin=margin, openings=openings,
        random_plies=random_plies, max_plies=max_plies, resign=resign, draw=draw, salt=salt, patience=patience,
    )  # fmt: skip
    if (concurrency > 1 or cluster) and "human" in players:
        raise BadInput("A person plays one game at a time, here; leave --concurrency and --cluster out.")
    with open_store(database) as store:
        with live(event, total_games(event, rules), quiet=json or "human" in players) as progress:
            outcome = run_event(
                event, store, game=rules, concurrency=concurrency, cluster=cluster, test=test, progress=progress
            )
        if report is not None:
            write_report(store, [event], report)
    summary = summarise(event, outcome.results)
    if test is not None:
        low, high = test.bounds
        summary["sprt"] = {
            "elo0": test.elo0, "elo1": test.elo1, "ratio": outcome.ratio, "low": low, "high": high,
            "accepted": outcome.verdict or None,
        }  # fmt: skip
    if json:
        print_json(summary)
    else:
        _show(summary)
        if report is not None:
            console.print(f"Wrote {report}.", soft_wrap=True)


def _show(summary: dict[str, Any]) -> None:
    from gametree.interfaces.arena_view import elo_text, reasons_text, standings_table

    console.print(standings_table(summary))
    for pairing in summary["pairings"]:
        elo = elo_text(pairing["elo"], pairing["elo_low"], pairing["elo_high"])
        console.print(f"{pairing['first']} − {pairing['second']}: {elo} Elo (95 %)", markup=False, soft_wrap=True)
        console.print(
            f"Likelihood of superiority {100 * pairing['superiority']:.1f} %, "
            f"draw rate {100 * pairing['draw_rate']:.1f} %.",
            markup=False,
        )
        if pairing["pentanomial"]:
            counts = ", ".join(map(str, pairing["pentanomial"]))
            console.print(f"Pairs with 0, ½, 1, 1½, 2 points: {counts}.", markup=False)
    if "sprt" in summary:
        sprt = summary["sprt"]
        elo = f"{sprt['elo0']:g} against {sprt['elo1']:g} Elo"
        verdict = {"H0": f"{sprt['elo0']:g} Elo accepted", "H1": f"{sprt['elo1']:g} Elo accepted"}
        said = verdict.get(sprt["accepted"], "not decided yet")
        console.print(
            f"Test of {elo}: {said}, log-likelihood ratio {sprt['ratio']:.2f} ({sprt['low']:.2f}, {sprt['high']:.2f}).",
            markup=False,
            soft_wrap=True,
        )
    ends = reasons_text(summary)
    if ends:
        console.print(ends, markup=False, soft_wrap=True)
