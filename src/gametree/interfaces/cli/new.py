"""`gametree new`: a first game file to change into your own."""

from __future__ import annotations

import keyword
import re
from pathlib import Path
from typing import Annotated

import typer

from gametree.core.errors import BadInput
from gametree.core.files import read_text, write_atomically
from gametree.interfaces.cli.common import console

__all__ = ["register"]

TEMPLATE = Path(__file__).with_name("template.py.txt")
COMPILED_TEMPLATE = Path(__file__).with_name("template_compiled.py.txt")


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("new")(new)


def new(
    name: Annotated[str, typer.Argument(metavar="NAME", help="Name of the game; NAME.py is written here.")],
    compiled: Annotated[
        bool, typer.Option("--compiled", help="Write the rules as verbs on a struct, which run as fast as C++.")
    ] = False,
) -> None:
    """Write a one-file game to change into your own."""
    if not re.fullmatch(r"[a-z][a-z0-9_]*", name) or keyword.iskeyword(name):
        raise BadInput(f"'{name}' cannot name a game; expected small letters, digits and _, beginning with a letter.")
    file = Path(f"{name}.py")
    template = read_text(COMPILED_TEMPLATE if compiled else TEMPLATE)
    text = template.replace("CLASS_NAME", "".join(part.title() for part in name.split("_")))
    write_atomically(file, text.replace("GAME_NAME", name), overwrite=False)
    console.print(f"Wrote {file}. Next: gametree check {file}, then gametree play {file}.", soft_wrap=True)
