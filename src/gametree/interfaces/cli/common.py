"""What the commands share: options, loading a game, printing and writing."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeGuard

import typer
from rich.console import Console
from rich.text import Text

from gametree.core.drawing_colour import drawing_colours
from gametree.core.drawing_text import drawing_text
from gametree.core.errors import BadInput
from gametree.core.files import write_atomically
from gametree.core.game import Game
from gametree.core.registry import load_game
from gametree.core.specification import parse_specification

if TYPE_CHECKING:
    from gametree.kernels.compiled_game import CompiledGame

__all__ = [
    "Algorithm",
    "Depth",
    "GameName",
    "Json",
    "Moves",
    "Output",
    "Position",
    "Seconds",
    "board",
    "console",
    "emit",
    "is_compiled",
    "number",
    "open_game",
    "print_json",
    "progress_bar",
    "set_up",
    "status",
    "user_files",
]

console = Console(highlight=False)

user_files: dict[str, str] = {}
"""Absolute path → path as typed, of every user's game that was loaded; errors that come from them are theirs."""

GameName = Annotated[str, typer.Argument(metavar="GAME", help="A game's name or a path to a Python file.")]
Position = Annotated[str | None, typer.Argument(metavar="[POSITION]", help="The position, as the game writes it.")]
Algorithm = Annotated[
    str, typer.Option("--algorithm", "-a", help="An algorithm, with parameters if you like: mcts:simulations=1000.")
]
Depth = Annotated[int | None, typer.Option("--depth", "-d", help="Look this many plies ahead.")]
Seconds = Annotated[float | None, typer.Option("--time", "-t", help="Answer within this many seconds.")]
Moves = Annotated[str, typer.Option("--moves", "-m", help="Moves to play first, separated by spaces.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON for programs.")]
Output = Annotated[Path | None, typer.Option("--output", "-o", help="Write to this file instead of the terminal.")]


def open_game(text: str, *, check: bool = True, plain: bool = False) -> Game[Any, Any]:
    """Load a game; a user's file is first tried out for a moment, so that its mistakes are reported as such.

    `plain` is for commands that show a few positions: small kernels then run uncompiled where no code is stored.
    """
    specification = parse_specification(text)
    if specification.is_file:
        user_files[str(Path(specification.name).expanduser().resolve())] = specification.name
    game = load_game(text)
    if is_compiled(game):
        _announce_compiling()
        if plain:
            from gametree.kernels.waiting import set_policy

            set_policy("plain")  # until the command is over: see `run`
    if check and specification.is_file:
        from gametree.testing import check_game

        if is_compiled(game):
            from gametree.testing.check_compiled import check_compiled, is_trusted

            if not is_trusted(game):
                with status() as show:
                    show(f"trying {text} uncompiled and with bounds checks, once")
                    check_compiled(game, positions=150, seconds=5)
        check_game(game, playouts=3, most_states=300)
    return game


def _announce_compiling() -> None:
    """From now on show on standard error that code is compiled: a wait that comes only once."""
    from gametree.interfaces.cli.compiling import CompileNews
    from gametree.kernels.waiting import on_compile, on_progress

    news = CompileNews()
    on_compile(news.say)
    on_progress(news.show)


def is_compiled(game: Game[Any, Any]) -> TypeGuard[CompiledGame]:
    """Whether the game's rules are verbs on a struct; told without importing the compiler room for other games."""
    return game.facts.compiled


def set_up(game: Game[Any, Any], position: str | None, moves: str = "") -> Any:
    """The position that the user asked for, with the moves played. Raises BadInput, IllegalMove."""
    state = game.initial() if position is None else game.state_from_text(position)
    for word in moves.split():
        if game.is_terminal(state):
            raise BadInput(f"The move '{word}' comes after the end of the game.")
        state = game.result(state, game.action_from_text(state, word))
    return state


def emit(text: str, output: Path | None) -> None:
    """Print the text, or write it to a file and say so."""
    if output is None:
        sys.stdout.write(text if text.endswith("\n") else text + "\n")
    else:
        write_atomically(output, text)
        console.print(f"Wrote {output}.", soft_wrap=True)


def print_json(data: Any) -> None:
    """Print data as JSON on one line per call."""
    sys.stdout.write(json.dumps(data, allow_nan=False) + "\n")


def number(value: float) -> str:
    """A value as people like to read it: 3, -0.5, 0.333."""
    return f"{value:.3f}".rstrip("0").rstrip(".") if value != int(value) else str(int(value))


@contextmanager
def progress_bar(what: str, *, quiet: bool = False, words: Callable[[float], str] | None = None) -> Iterator[Any]:
    """A progress bar on standard error, as a callback (done, total); None where nobody would see it.

    With `words`, which turn seconds into a text, the callback takes the seconds that are left as well.
    """
    errors = Console(stderr=True)
    if quiet or not errors.is_terminal:
        yield None
        return
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    left = TimeRemainingColumn() if words is None else TextColumn("{task.fields[left]}")
    columns = (TextColumn(what), BarColumn(), TextColumn("{task.percentage:.0f} %"), left)
    with Progress(*columns, console=errors, transient=True) as bar:
        task = bar.add_task(what, total=None, left="")

        def show(done: float, total: float, seconds: float = 0.0) -> None:
            bar.update(task, completed=done, total=total, left=words(seconds) if words is not None else "")

        yield show


@contextmanager
def status(*, quiet: bool = False) -> Iterator[Callable[[str], None]]:
    """A line on standard error that shows how far the work is, as a callback; nothing where nobody would see it."""
    errors = Console(stderr=True)
    if quiet or not errors.is_terminal:
        yield lambda text: None
        return
    with errors.status("...") as shown:
        yield lambda text: shown.update(text)


def board(
    game: Game[Any, Any],
    state: Any,
    seat: int | None = None,
    *,
    marked: Collection[str] = (),
    plain: bool = False,
    turned: bool = False,
) -> str | Text:
    """The position for the terminal, as the seat sees it; all of it for None.

    It is in colour where the terminal has 256 of them, and in ASCII where it has no other signs.

    `marked` cells stand in brackets. `plain` uses no characters beyond ASCII; `turned` looks from the other side.
    """
    drawing = game.draw(state) if seat is None else game.draw_for(state, seat)
    plain = plain or not console.encoding.lower().startswith("utf")
    if not plain and not console.no_color and console.is_terminal and console.color_system in ("256", "truecolor"):
        return Text.from_ansi(drawing_colours(drawing, marked=marked, turned=turned))
    return drawing_text(drawing, marked=marked, plain=plain, turned=turned)
