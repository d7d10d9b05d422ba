"""`gametree cache` and `gametree warmup`: the compiled code that waits on disk."""

from __future__ import annotations

from typing import Annotated

import typer

from gametree.interfaces.cli.common import Json, console, open_game, print_json

__all__ = ["register"]


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.command("cache")(cache)
    app.command("warmup")(warmup)


def cache(
    clear: Annotated[bool, typer.Option("--clear", help="Remove all compiled code.")] = False, json: Json = False
) -> None:
    """Show or clear the compiled code on disk."""
    from gametree.kernels.cache import cache_report, clear_cache

    removed = clear_cache() if clear else None
    report = cache_report()
    if json:
        print_json(
            {**report, "directory": str(report["directory"]), **({} if removed is None else {"removed": removed})}
        )
        return
    if removed is not None:
        console.print(f"Removed {removed} files.")
    size, most = report["bytes"] / 2**20, report["limit_bytes"] / 2**20
    console.print(f"{report['files']} files, {size:.1f} MiB of at most {most:.0f} MiB, in {report['directory']}.")


def warmup(
    games: Annotated[list[str], typer.Argument(metavar="GAME...", help="Games to compile ahead.")],
) -> None:
    """Compile games ahead, so that their first move comes at once."""
    from gametree.core.clock import Clock
    from gametree.core.errors import UnfitGame
    from gametree.kernels.compiled_game import CompiledGame
    from gametree.play.analysis import analyse, default_algorithm

    for name in games:
        rules = open_game(name)
        if not isinstance(rules, CompiledGame):
            raise UnfitGame(f"{name} is not a compiled game, so there is nothing to warm up.")
        analyse(rules, algorithm=default_algorithm(rules), clock=Clock(0.01))
        console.print(f"{name} is ready.", markup=False)
