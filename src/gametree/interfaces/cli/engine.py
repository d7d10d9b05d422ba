"""`gametree engine`: gametree as a program for other programs, over standard input and output."""

from __future__ import annotations

import json as json_module
import sys
from typing import Annotated

import typer

from gametree.core.errors import BadInput

__all__ = ["register"]


def register(app: typer.Typer) -> None:
    """Add the commands."""
    group = typer.Typer(
        help="Be a program for other programs: UCI and XBoard for chess, GTP for Go, AEI for Arimaa, JSON lines."
    )

    @group.callback(invoke_without_command=True)
    def _root(context: typer.Context) -> None:
        if context.invoked_subcommand is None:
            typer.echo(context.get_help())

    group.command("uci")(uci)
    group.command("xboard")(xboard)
    group.command("gtp")(gtp)
    group.command("aei")(aei)
    group.command("jsonl")(jsonl)
    app.add_typer(group, name="engine")


def uci(
    game: Annotated[str, typer.Option(help="Chess, or another compiled game of two players without chance.")] = "chess",
) -> None:
    """Play chess over the Universal Chess Interface, as most chess programs want it."""
    from gametree.interfaces.protocols._lines import read_lines
    from gametree.interfaces.protocols.uci import UciEngine

    UciEngine(sys.stdout, game=game).serve(read_lines(sys.stdin))


def xboard() -> None:
    """Play chess over XBoard's protocol (CECP, version 2), as XBoard and WinBoard want it."""
    from gametree.interfaces.protocols._lines import read_lines
    from gametree.interfaces.protocols.xboard import XboardEngine

    XboardEngine(sys.stdout).serve(read_lines(sys.stdin))


def gtp(
    player: Annotated[
        str, typer.Option("--player", "-p", help="Who chooses the moves, named as for match.")
    ] = "fast-mcts:time=1",
    size: Annotated[
        int | None,
        typer.Option(help="Size of the board until the controller says otherwise; Go 9, Hex 11, Havannah 8."),
    ] = None,
    komi: Annotated[float, typer.Option(help="Points for White, until the controller says otherwise.")] = 7.5,
    game: Annotated[str, typer.Option("--game", "-g", help="go, hex or havannah.")] = "go",
) -> None:
    """Play Go, Hex or Havannah over the Go Text Protocol, as GoGui, twogtp and HexGui want it."""
    from gametree.interfaces.protocols._lines import read_lines
    from gametree.interfaces.protocols.gtp import GtpEngine

    if size is not None and not 1 <= size <= 25:
        raise BadInput(f"--size {size} is not possible; expected 1 to 25.")
    GtpEngine(player, size=size, komi=komi, game=game).serve(read_lines(sys.stdin), sys.stdout)


def aei(
    hash_mib: Annotated[
        int, typer.Option("--hash", help="MiB of the table, until the controller says otherwise.")
    ] = 64,
) -> None:
    """Play Arimaa over the Arimaa Engine Interface, as roundrobin and the game's servers want it."""
    from gametree.interfaces.protocols._lines import read_lines
    from gametree.interfaces.protocols.aei import AeiEngine

    if not 1 <= hash_mib <= 65536:
        raise BadInput(f"--hash {hash_mib} is not possible; expected 1 to 65536.")
    AeiEngine(sys.stdout, hash_mib=hash_mib).serve(read_lines(sys.stdin))


def jsonl(
    schema: Annotated[bool, typer.Option("--schema", help="Print the JSON schema of the protocol and stop.")] = False,
) -> None:
    """Play any game over lines of JSON: one request a line in, one answer a line out."""
    from gametree.interfaces.protocols._lines import read_lines
    from gametree.interfaces.protocols.jsonl import JsonlEngine
    from gametree.interfaces.protocols.jsonl import schema as describe

    if schema:
        sys.stdout.write(json_module.dumps(describe(), indent=2) + "\n")
        return
    JsonlEngine().serve(read_lines(sys.stdin), sys.stdout)
