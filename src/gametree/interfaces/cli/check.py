"""`gametree check`: does a game keep the contract?"""

from __future__ import annotations

import math
from dataclasses import asdict
from typing import Annotated

import typer

from gametree.interfaces.cli.common import GameName, Json, console, is_compiled, open_game, print_json, status

__all__ = ["register"]


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("check")(check)


def check(
    game: GameName,
    playouts: Annotated[int, typer.Option(help="Random games to play where the game is too large to walk whole.")] = 50,
    seed: Annotated[int, typer.Option(help="Seed of the random games.")] = 0,
    positions: Annotated[int, typer.Option(help="Positions of a compiled game to ask every verb in.")] = 400,
    json: Json = False,
) -> None:
    """Check that a game keeps the contract."""
    from gametree.testing import check_game

    rules = open_game(game, check=False)
    compiled = None
    if is_compiled(rules):
        from gametree.testing.check_compiled import check_compiled

        # Before anything runs it unguarded: compiled code with a mistake in it may crash.
        with status() as show:
            show(f"trying {rules.name} uncompiled and with bounds checks")
            # Who asks for more has the time.
            compiled = check_compiled(
                rules, seed=seed, positions=positions, seconds=30 if positions <= 400 else math.inf
            )
    report = check_game(rules, playouts=playouts, seed=seed)
    if json:
        data = {"game": rules.name, "ok": True, **asdict(report)}
        print_json(data if compiled is None else {**data, "compiled": asdict(compiled)})
        return
    how = "every reachable state" if report.exhaustive else f"{report.games} random games"
    console.print(f"{rules.name} keeps the contract: {report.states:,} states checked ({how}).", soft_wrap=True)
    if compiled is not None:
        console.print(
            f"Compiled and not, it gave the same {compiled.answers:,} answers in {compiled.positions:,} positions.",
            soft_wrap=True,
        )
