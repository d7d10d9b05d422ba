"""`gametree web`: the workbench in the browser."""

from __future__ import annotations

import ipaddress
import re
from pathlib import Path
from typing import Annotated

import typer

from gametree.core.errors import BadInput
from gametree.interfaces.cli.common import open_game

__all__ = ["register"]


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("web")(web)


def web(
    files: Annotated[
        list[str] | None, typer.Argument(metavar="[FILES]...", help="Python files of your own games to show as well.")
    ] = None,
    port: Annotated[int | None, typer.Option(help="The port; by default the first free one from 8137 on.")] = None,
    browser: Annotated[bool, typer.Option("--browser/--no-browser", help="Open the browser.")] = True,
    host: Annotated[str, typer.Option(help="The address to listen at; other machines reach only yours.")] = "127.0.0.1",
    token: Annotated[str, typer.Option(help="What browsers must know where --host is not this machine alone.")] = "",
    program: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME=PLAYER", help="Another program that may play, as in stockfish=uci:stockfish."),
    ] = None,
    data: Annotated[Path | None, typer.Option(help="The file that keeps your games.")] = None,
) -> None:
    """Open the workbench in the browser: play, and watch the engine think."""
    known: dict[str, str] = {}
    for file in files or []:
        path = Path(file).expanduser().resolve()
        if not file.endswith((".py", ".kif")) or not path.is_file():
            raise BadInput(
                f"There is no Python file or rule sheet '{file}'; expected the path of a game, such as my_game.py."
            )
        if path.name in known and known[path.name] != str(path):
            raise BadInput(f"Two files are called '{path.name}'; rename one of them.")
        open_game(file)  # its mistakes are told now rather than in the browser
        known[path.name] = str(path)
    _check_host(host, token)
    if port is not None and not 0 <= port <= 65535:
        raise BadInput(f"There is no port {port}; expected 0 to 65535.")

    from gametree.interfaces.web.programs import read_programs
    from gametree.interfaces.web.server import run_server
    from gametree.interfaces.web.settings import Settings, data_file

    settings = Settings(
        host=host, token=token, files=known, programs=read_programs(program or []), data=data or data_file()
    )
    run_server(settings, port=port, browser=browser)


def _check_host(host: str, token: str) -> None:
    """Raise BadInput if other machines could reach a server without a token."""
    if token and not re.fullmatch(r"[A-Za-z0-9_-]{16,200}", token):
        raise BadInput(
            "The token should be 16 to 200 letters and digits that nobody guesses, as `openssl rand -hex 16` prints."
        )
    try:
        loopback = ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        loopback = host == "localhost"
    if not loopback and not token:
        raise BadInput(
            f"At {host} other machines can reach the server and have this one search for them; "
            "give a --token that browsers must know, such as the output of `openssl rand -hex 16`."
        )
