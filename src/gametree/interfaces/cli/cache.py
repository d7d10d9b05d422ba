"""`gametree cache` and `gametree warmup`: the compiled code that waits on disk."""

from __future__ import annotations

from typing import Annotated

import typer

from gametree.interfaces.cli.common import Json, console, open_game, print_json, progress_bar

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
    kind = f"for this processor ({report['processor']})"
    console.print(
        f"{report['files']} files {kind}, {size:.1f} MiB of at most {most:.0f} MiB, in {report['directory']}."
    )
    for other, held in report["others"].items():
        console.print(f"{held['files']} files for another processor ({other}), {held['bytes'] / 2**20:.1f} MiB.")


def warmup(
    games: Annotated[list[str] | None, typer.Argument(metavar="[GAME...]", help="Games to compile ahead.")] = None,
    json: Json = False,
) -> None:
    """Compile games ahead on all cores, so that afterwards no command has to. Without a name: all that are compiled."""
    from gametree.core.errors import BadInput
    from gametree.interfaces.cli.compiling import seconds_in_words
    from gametree.play.warming import Warming, job_names

    jobs = {name: job_names(open_game(name)) for name in games} if games else _all_jobs()
    with progress_bar("compiling", words=seconds_in_words) as show:
        warming = Warming()
        try:
            for name, names in jobs.items():
                warming.add(name, *names)
            waiting = list(jobs)
            while waiting:
                warming.wait(0.2)
                if show is not None:
                    show(warming.share(), 1.0, warming.seconds_left())
                for name in [name for name in waiting if all(task.over for task in warming.tasks if task.game == name)]:
                    waiting.remove(name)
                    if not json:
                        console.print(f"{name} is ready.", markup=False)
        finally:
            warming.close()
    for task in warming.tasks:
        if task.error:
            raise BadInput(f"{task.game} could not be compiled ({task.job}): {task.error.rstrip('.')}.")
    if json:
        print_json({"games": jobs})


def _all_jobs() -> dict[str, list[str]]:
    """The jobs of every game that is compiled."""
    from gametree.core.errors import UnfitGame
    from gametree.core.registry import game_names
    from gametree.play.warming import job_names

    found = {}
    for name in game_names():
        try:
            found[name] = job_names(open_game(name))
        except UnfitGame:  # its rules are plain Python
            continue
    return found
