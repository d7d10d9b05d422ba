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

from gametree.core.drawing import Drawing
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
Moves = Annotated[str, typer.Option("--moves", "-m", help="Moves to play first, parted by spaces.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON for programs.")]
Output = Annotated[Path | None, typer.Option("--output", "-o", help="Write to this file instead of the terminal.")]


def open_game(text: str, *, check: bool = True) -> Game[Any, Any]:
    """Load a game; a user's file is first tried out for a moment, so that its mistakes are reported as such."""
    specification = parse_specification(text)
    if specification.is_file:
        user_files[str(Path(specification.name).expanduser().resolve())] = specification.name
    game = load_game(text)
    if is_compiled(game):
        _announce_compiling()
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
    """From now on say on standard error, once per game, that code is compiled: a wait that comes only once."""
    from gametree.kernels.jit import on_compile

    said: set[str] = set()

    def say(text: str) -> None:
        if text not in said:
            said.add(text)
            print(f"gametree: {text}", file=sys.stderr, flush=True)

    on_compile(say)


def is_compiled(game: Game[Any, Any]) -> TypeGuard[CompiledGame]:
    """Whether the game's rules are verbs on a struct; told without importing the compiler room for other games."""
    room = sys.modules.get("gametree.kernels.compiled_game")
    return room is not None and isinstance(game, room.CompiledGame)


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
def progress_bar(what: str, *, quiet: bool = False) -> Iterator[Any]:
    """A progress bar on standard error, as a callback (done, total); None where nobody would see it."""
    errors = Console(stderr=True)
    if quiet or not errors.is_terminal:
        yield None
        return
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn(what), BarColumn(), TextColumn("{task.percentage:.0f} %"), TimeRemainingColumn())
    with Progress(*columns, console=errors, transient=True) as bar:
        task = bar.add_task(what, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)


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
) -> str:
    """The position for the terminal, as the seat sees it; all of it for None.

    `marked` cells stand in brackets. `plain` uses no characters beyond ASCII; `turned` looks from the other side.
    """
    drawing = game.draw(state) if seat is None else game.draw_for(state, seat)
    text = _board(drawing, frozenset(marked), turned)
    return text.translate(_PLAIN).encode("ascii", "replace").decode() if plain else text


_PLAIN = str.maketrans("♙♘♗♖♕♔♟♞♝♜♛♚·−×", "PNBRQKpnbrqk.-x")


def _board(drawing: Drawing, marked: frozenset[str], turned: bool) -> str:
    caption = f"\n{drawing.caption}" if drawing.caption else ""
    if drawing.layout == "cards":
        width = max((len(owner) for owner, _ in drawing.hands), default=0)
        return "\n".join(f"{owner:>{width}}: {' '.join(cards)}" for owner, cards in drawing.hands) + caption
    if drawing.layout == "text" or not drawing.rows:
        return drawing.text + caption
    rows, columns = drawing.rows, drawing.columns

    def place(row: int, column: int) -> tuple[int, int]:
        return (rows - 1 - row, columns - 1 - column) if turned else (row, column)

    pieces = {place(piece.row, piece.column): piece.text for piece in drawing.pieces}
    names = {place(i // columns, i % columns): name for i, name in enumerate(drawing.cells)}
    small = len(drawing.cells) <= 16  # then an empty cell shows its name, otherwise the edges do
    width = max(map(len, ["·", *pieces.values(), *(drawing.cells if small else ())]))
    bar = " | " if drawing.layout == "square" else " "
    left, below = ({}, {}) if small else _edge_names(names, rows, columns)
    margin = max(map(len, left.values()), default=0)
    lines = []
    for row in range(rows):
        cells = [
            pieces.get((row, column), names.get((row, column), "·") if small else "·").center(width)
            for column in range(columns)
        ]
        shift = " " * (row * (width + 1) // 2) if drawing.layout == "hex" else ""
        line = list(f"{left.get(row, ''):>{margin}} {shift}{bar.join(cells)} ")
        for column in range(columns):
            if names.get((row, column)) in marked:
                start = margin + 1 + len(shift) + column * (width + len(bar))
                line[start - 1], line[start + width] = "[", "]"
        lines.append("".join(line).removesuffix(" "))
    rule = "\n" + "-+-".join(["-" * (width + (0 if i else 1)) for i in range(columns)]) + "\n"
    text = (rule if small and drawing.layout == "square" else "\n").join(lines)
    if below:
        text += f"\n{'':>{margin}} " + (" " * len(bar)).join(below[c].center(width) for c in range(columns))
    return text + caption


def _edge_names(names: dict[tuple[int, int], str], rows: int, columns: int) -> tuple[dict[int, str], dict[int, str]]:
    """What the cells of each row, and of each column, have in common: `8` and `a` for a8 to h8 and a8 to a1."""
    letters = {place: name.rstrip("0123456789") for place, name in names.items()}
    digits = {place: name[len(letters[place]) :] for place, name in names.items()}
    left = {r: {digits.get((r, c), "") for c in range(columns)} for r in range(rows)}
    below = {c: {letters.get((r, c), "") for r in range(rows)} for c in range(columns)}
    if all(len(found) == 1 for found in (*left.values(), *below.values())):
        return {r: found.pop() for r, found in left.items()}, {c: found.pop() for c, found in below.items()}
    whole = {c: {names.get((r, c), "") for r in range(rows)} for c in range(columns)}
    if all(len(found) == 1 for found in whole.values()):  # a move names a column, as in Connect Four
        return {}, {c: found.pop() for c, found in whole.items()}
    return {}, {}
