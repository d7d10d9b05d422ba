"""What the commands of the arena share: their options, and the event that the options describe."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer

from gametree.core.errors import BadInput
from gametree.core.game import Game

__all__ = [
    "Cluster",
    "Concurrency",
    "Control",
    "Database",
    "Draw",
    "Games",
    "Margin",
    "MaxPlies",
    "Openings",
    "Patience",
    "RandomPlies",
    "Report",
    "Resign",
    "Salt",
    "Seed",
    "describe",
    "open_store",
    "write_report",
]

Database = Annotated[
    Path, typer.Option("--database", "-b", help="The file that keeps all games; a run that was stopped goes on in it.")
]
Games = Annotated[int, typer.Option("--games", "-n", help="Games of each pairing.")]
Control = Annotated[str, typer.Option("--clock", "-c", help="Clocks: 60, 60+0.5, 40/60, time=0.1, nodes=1000 or none.")]
Margin = Annotated[float, typer.Option(help="Seconds beyond the clock that are forgiven.")]
Patience = Annotated[float, typer.Option(help="Seconds that a move may take where no clock runs.")]
Openings = Annotated[str | None, typer.Option("--openings", help="A file with one opening a line, or PGN, SGF, EPD.")]
RandomPlies = Annotated[
    int | None, typer.Option("--random-plies", help="Open with this many random moves; 2 where nothing else is random.")
]
Seed = Annotated[int, typer.Option(help="Everything that is random follows from it.")]
Salt = Annotated[
    str,
    typer.Option(
        envvar="GAMETREE_SALT",
        help="Dice follow from it and the seed; by default it is drawn at random and kept in the database.",
    ),
]
MaxPlies = Annotated[int | None, typer.Option("--max-plies", help="A draw after this many plies.")]
Resign = Annotated[
    str | None,
    typer.Option("--resign", help="VALUE,MOVES: lost for whoever sees at most VALUE this many moves in a row."),
]
Draw = Annotated[
    str | None, typer.Option("--draw", help="VALUE,MOVES: a draw if all see a draw within VALUE for this many moves.")
]
Concurrency = Annotated[int, typer.Option("--concurrency", "-j", help="Processes that play at the same time.")]
Cluster = Annotated[
    str, typer.Option("--cluster", help="Play on the Ray cluster at this address, or on a local one: local.")
]
Report = Annotated[Path | None, typer.Option("--report", help="Write an HTML report with every game to this file.")]


def describe(
    rules: Game[Any, Any],
    kind: str,
    players: list[str],
    games: int,
    *,
    seed: int,
    clock: str,
    margin: float,
    openings: str | None,
    random_plies: int | None,
    max_plies: int | None,
    resign: str | None,
    draw: str | None,
    patience: float = 600.0,
    rounds: int = 0,
    salt: str = "",
) -> Any:
    """The event, checked. Raises BadInput."""
    from gametree.play.clocks import TimeControl
    from gametree.play.endings import Adjudication
    from gametree.play.events import Event, check, fingerprints
    from gametree.play.openings import default_plies, read_openings

    if openings is not None and random_plies is not None:
        raise BadInput("--openings and --random-plies exclude each other; choose one.")
    if not margin >= 0:
        raise BadInput(f"--margin {margin:g} is not possible; expected 0 or more seconds.")
    if not 0 < patience < float("inf"):
        raise BadInput(f"--patience {patience:g} is not possible; expected a number of seconds above 0.")
    if random_plies is not None and random_plies < 0:
        raise BadInput(f"--random-plies {random_plies} is not possible; expected 0 or more.")
    if len(salt.encode()) > 64:
        raise BadInput("--salt is too long; expected at most 64 bytes.")
    plies = 0 if openings else default_plies(rules) if random_plies is None else random_plies
    event = Event(
        kind=kind,
        game=rules.name,
        players=tuple(players),
        games=games,
        seed=seed,
        control=str(TimeControl.parse(clock)),
        margin=margin,
        openings=tuple(map(str, read_openings(rules, openings))) if openings else (),
        random_plies=plies,
        adjudication=asdict(Adjudication.parse(max_plies, resign, draw)),
        rounds=rounds,
        prints=fingerprints([rules.name, *players]),
        patience=patience,
        salt=salt,
    )
    check(event, rules)
    return event


@contextmanager
def open_store(path: Path, *, create: bool = True) -> Iterator[Any]:
    """The database of games. Raises BadInput."""
    from gametree.play.store import Store

    with Store(path, create=create) as store:
        yield store


def write_report(store: Any, events: list[Any], path: Path) -> None:
    """Write the HTML report of the events."""
    from gametree.core.files import write_atomically
    from gametree.interfaces.report import report

    write_atomically(path, report(store, events))
