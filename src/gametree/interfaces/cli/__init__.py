"""The command `gametree`. Each command is a file here; what they share is in `common`."""

from __future__ import annotations

import errno
import os
import sys
import traceback
from typing import Annotated, Any

import typer
import typer.core

from gametree import __version__
from gametree.core.errors import GametreeError
from gametree.interfaces.cli import (
    ablate,
    analyse,
    bid,
    book,
    cache,
    check,
    engine,
    equilibrium,
    experiment,
    explain,
    games,
    match,
    new,
    perft,
    play,
    quiz,
    ratings,
    solve,
    tables,
    tournament,
    train,
    tree,
    tune,
    web,
    words,
)
from gametree.interfaces.cli.common import user_files

__all__ = ["app", "run"]


class _Command(typer.core.TyperCommand):
    """A command that takes words with a space in them for what they are, positions, even if they begin with a dash."""

    def parse_args(self, context: Any, words: list[str]) -> list[str]:
        if not any(_is_position(word) for word in words):
            return super().parse_args(context, words)
        with_value = {name for option in self.params for name in option.opts if not getattr(option, "is_flag", True)}
        options: list[str] = []
        positions: list[str] = []
        waiting = False  # the last word was an option whose value comes next
        rest = iter(words)
        for word in rest:
            if word == "--" and not waiting:
                positions.extend(rest)
            elif waiting or (word.startswith("-") and not _is_position(word)):
                options.append(word)
                waiting = not waiting and word in with_value
            else:
                positions.append(word)
        return super().parse_args(context, [*options, "--", *positions])


def _is_position(word: str) -> bool:
    return word.startswith("-") and " " in word.partition("=")[0]


app = typer.Typer(
    name="gametree",
    help="A workbench for adversarial search: play, search, watch and teach games.",
    epilog="Try: gametree play tictactoe · gametree tree --example textbook · gametree quiz",
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
)
for module in (
    web,
    games,
    play,
    analyse,
    explain,
    solve,
    equilibrium,
    bid,
    tree,
    quiz,
    experiment,
    ablate,
    perft,
    check,
    new,
    cache,
    book,
    tables,
    match,
    tournament,
    ratings,
    tune,
    train,
    engine,
    words,
):
    module.register(app)
for command in app.registered_commands:
    command.cls = _Command


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"gametree {__version__}")
        raise typer.Exit


@app.callback(invoke_without_command=True)
def _root(
    context: typer.Context,
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and stop.")
    ] = False,
) -> None:
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


def _give_up_output() -> None:
    """Write nothing more to standard output, not even what is still buffered."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def run(arguments: list[str] | None = None) -> int:
    """Run one command and return its exit code: 0 if all went well, 2 for a mistake in the input, 130 for Ctrl-C.

    Every expected error is one sentence on standard error.
    """
    try:
        try:
            code = app(args=arguments, standalone_mode=False)
        finally:
            if "gametree.kernels.waiting" in sys.modules:  # a command may have asked for another policy
                sys.modules["gametree.kernels.waiting"].set_policy("compile")
        sys.stdout.flush()
    except KeyboardInterrupt:
        return _say("Stopped.", 130)
    except BrokenPipeError:  # the reader of our output left, as in `gametree games | head -1`
        _give_up_output()
        return 0
    except GametreeError as error:
        return _say(str(error), 2)
    except Exception as error:
        if type(error).__name__ == "Abort":  # Typer's own wrapping of Ctrl-C and of an ended input
            return _say("Stopped.", 130)
        if hasattr(error, "format_message"):  # Typer's usage errors
            return _say(f"{error.format_message().rstrip('.')}. See `gametree --help`.", 2)
        if isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
            _give_up_output()
            return _say(f"The output cannot be written: {error.strerror}. Expected room on the disk.", 2)
        blamed = _blame_user_file(error)
        if blamed is None:
            raise
        return _say(blamed, 2)
    if code == 130:  # Typer has swallowed a Ctrl-C
        return _say("Stopped.", 130)
    return code if isinstance(code, int) else 0


def _say(sentence: str, code: int) -> int:
    print(f"gametree: {sentence}", file=sys.stderr)
    return code


def _blame_user_file(error: Exception) -> str | None:
    """A sentence that names the line of the user's game that raised, or None if no user's file is to blame."""
    for frame in reversed(traceback.extract_tb(error.__traceback__)):
        if frame.filename in user_files:
            what = f"{type(error).__name__}: {error}".rstrip(": ")
            return f"The game '{user_files[frame.filename]}' failed in {frame.name}(), line {frame.lineno}: {what}."
    return None
