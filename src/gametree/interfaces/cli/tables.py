"""`gametree tables`: endgame tables are built, asked, verified, and told about."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.table import Table

from gametree.core.errors import BadInput
from gametree.interfaces.cli.common import (
    GameName,
    Json,
    Moves,
    board,
    console,
    is_compiled,
    open_game,
    print_json,
    progress_bar,
    set_up,
)

if TYPE_CHECKING:
    from gametree.kernels.compiled_game import CompiledGame
    from gametree.knowledge.tables import Found, TableFolder

__all__ = ["register"]

ClassName = Annotated[
    str, typer.Argument(metavar="CLASS", help="A class of positions, such as Kmm-K, or all of them, such as 3 pieces.")
]
Folder = Annotated[
    Path | None, typer.Option("--folder", help="Where the tables are kept; by default in the user's folder.")
]
Threads = Annotated[int, typer.Option("--threads", min=1, help="Threads that list moves.")]


def register(app: typer.Typer) -> None:
    """Add the commands."""
    group = typer.Typer(help="Endgame tables of any game that numbers its positions: build, probe, verify and count.")

    @group.callback(invoke_without_command=True)
    def _root(context: typer.Context) -> None:
        if context.invoked_subcommand is None:
            typer.echo(context.get_help())

    for command in (build, probe, verify, stats):
        group.command(command.__name__)(command)
    app.add_typer(group, name="tables")


def _open(name: str, folder: Path | None) -> tuple[CompiledGame, TableFolder]:
    from gametree.knowledge.tables import TableFolder

    game = open_game(name)
    if not is_compiled(game):
        raise BadInput(f"{game.name} gives its positions no numbers, so there are no tables of it.")
    return game, TableFolder(game, folder)


def _build(tables: TableFolder, classes: list[int], threads: int, quiet: bool) -> list[int]:
    """Build what is missing; return the classes that were."""
    built: list[int] = []
    with progress_bar("listing moves", quiet=quiet) as bar:

        def show(what: str, done: int, total: int) -> None:
            if bar is not None:
                bar(done, total)

        tables.build(classes, threads=threads, progress=show, told=built.extend)
    return built


def build(game: GameName, cls: ClassName, folder: Folder = None, threads: Threads = 2, json: Json = False) -> None:
    """Build the tables of a class and of all that it leads to; a run that was stopped goes on where it was."""
    from gametree.knowledge.tables import classes_of

    rules, tables = _open(game, folder)
    classes = classes_of(rules, cls)
    started, cpu = time.monotonic(), time.process_time()
    try:
        built = _build(tables, classes, threads, json)
    except KeyboardInterrupt:
        console.print("Stopped; what was finished stays, and the same command goes on from there.", soft_wrap=True)
        raise
    seconds, work = time.monotonic() - started, time.process_time() - cpu
    files = [tables.file(c) for c in built]
    positions = sum(file.size(c) for c, file in zip(built, files, strict=True) if file is not None)
    packed = sum(file.packed_size(c) for c, file in zip(built, files, strict=True) if file is not None)
    if json:
        names = [rules.class_name(c) for c in built]
        print_json({"built": names, "bytes": packed, "numbers": positions, "seconds": seconds, "cpu_seconds": work})
        return
    if not built:
        console.print(f"Nothing to do: the tables are in {tables.folder}.", soft_wrap=True)
        return
    console.print(
        f"Built {len(built)} classes of {rules.name} in {seconds:.1f} s ({work:.1f} s of processor time): "
        f"{positions:,} bytes, {packed:,} compressed, in {tables.folder}.",
        soft_wrap=True,
    )


def probe(
    game: GameName,
    position: Annotated[str, typer.Argument(metavar="POSITION", help="The position as text.")],
    moves: Moves = "",
    folder: Folder = None,
    json: Json = False,
) -> None:
    """Say what tables know of a position and of every legal move."""
    rules, tables = _open(game, folder)
    state = set_up(rules, position, moves)
    found, outcomes = tables.probe(state), tables.outcomes(state)
    if json:
        listed = [{"move": rules.action_text(state, action), **after._asdict()} for action, after in outcomes]
        print_json(
            {"position": rules.state_text(state), "value": None if found is None else found._asdict(), "moves": listed}
        )
        return
    console.print(board(rules, state), markup=False, highlight=False)
    if found is None:
        console.print("\nNo table knows this position.")
    else:
        console.print(f"\n{rules.seat_names[rules.player(state)]} to move: {_words(found)}.", highlight=False)
    for action, after in outcomes:
        console.print(f"  {rules.action_text(state, action):12} {_words(after)}", highlight=False)


def _words(found: Found) -> str:
    word = ("drawn", "won", "lost")[found.outcome]
    return word if found.plies is None else f"{word} in {found.plies} plies"


def verify(game: GameName, cls: ClassName, folder: Folder = None, json: Json = False) -> None:
    """Check every position of a class against all its moves, apart from the builder; exit code 1 if one is wrong."""
    from gametree.knowledge.tables import classes_of
    from gametree.knowledge.tables.audit import find_fault, position_text
    from gametree.knowledge.tables.folder import needed

    rules, tables = _open(game, folder)
    classes = classes_of(rules, cls)
    _build(tables, classes, 2, json)
    loaded: dict[int, Any] = {}
    faults, checked = {}, 0
    with progress_bar("checking", quiet=json) as bar:
        for number, c in enumerate(classes):
            for other in (c, *needed(rules, [c])):
                if other not in loaded:
                    loaded[other] = tables.load(other)
            fault = find_fault(rules, c, loaded)
            checked += len(loaded[c])
            if fault is not None:
                faults[rules.class_name(c)] = position_text(rules, c, fault)
            if bar is not None:
                bar(number + 1, len(classes))
    if json:
        print_json({"classes": [rules.class_name(c) for c in classes], "numbers": checked, "faults": faults})
    elif faults:
        for name, text in faults.items():
            console.print(f"{name} is wrong: {text} is not worth what its moves lead to.", soft_wrap=True)
    else:
        console.print(f"All {len(classes)} classes are right: {checked:,} numbers checked against every move.")
    if faults:
        raise typer.Exit(1)


def stats(game: GameName, cls: ClassName, folder: Folder = None, threads: Threads = 2, json: Json = False) -> None:
    """Count wins, draws and losses of the mover, and tell the longest; tables that are missing are built first."""
    from gametree.knowledge.tables import classes_of
    from gametree.knowledge.tables.audit import count_outcomes

    rules, tables = _open(game, folder)
    classes = classes_of(rules, cls)
    _build(tables, classes, threads, json)
    rows = [count_outcomes(rules, c, tables.load(c)) for c in classes]
    totals = {name: sum(row[name] for row in rows) for name in ("positions", "wins", "draws", "losses")}
    if json:
        print_json({"game": rules.name, "classes": rows, "total": totals})
        return
    shown = Table(header_style="bold", title=f"{rules.name}: what the mover has")
    for heading in ("class", "positions", "won", "drawn", "lost", "longest win", "longest loss"):
        shown.add_column(heading, justify="left" if heading == "class" else "right")
    for row in rows:
        longest = [
            f"{row[name]['plies']} ({row[name]['positions']})" if name in row else "–"
            for name in ("longest_win", "longest_loss")
        ]
        shown.add_row(row["class"], *(f"{row[name]:,}" for name in totals), *longest)
    shown.add_row("all", *(f"{total:,}" for total in totals.values()), "", "")
    console.print(shown)
    console.print("Longest in plies, in brackets how many positions take that long.")
