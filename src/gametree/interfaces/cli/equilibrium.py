"""`gametree equilibrium` and `gametree exploitability`: strategies that nobody gains by leaving."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.table import Column, Table

from gametree.core.clock import Clock
from gametree.core.errors import BadInput, UnfitGame
from gametree.core.game import Game
from gametree.interfaces.cli.common import (
    GameName,
    Json,
    Output,
    Seconds,
    console,
    open_game,
    print_json,
    progress_bar,
    status,
)

if TYPE_CHECKING:
    from gametree.search.support.information_tree import InformationTree

__all__ = ["register"]

SHOWN = 40
"""Information sets that are printed; `-o` writes all."""


def register(app: typer.Typer) -> None:
    """Add both commands."""
    app.command("equilibrium")(equilibrium)
    app.command("exploitability")(exploitability)


def equilibrium(
    game: GameName,
    algorithm: Annotated[str, typer.Option("--algorithm", "-a", help="dcfr, cfr-plus or cfr.")] = "dcfr",
    iterations: Annotated[int | None, typer.Option("--iterations", "-n", help="Iterations; 1000 by default.")] = None,
    time: Seconds = None,
    simultaneous: Annotated[
        bool, typer.Option("--simultaneous", help="Update all seats at once instead of one after the other.")
    ] = False,
    output: Output = None,
    json: Json = False,
) -> None:
    """Find strategies that nobody gains much by leaving, in a game small enough to look at as a whole.

    Regret minimisation on the whole tree; what is printed is the average strategy, what the game is worth to every seat
    under it, and its exploitability: what a seat could gain by its best response, on average. Ctrl-C stops it and keeps
    what was found. -o writes the strategy to a file.
    """
    from gametree.knowledge.strategies import rows_of, write_strategy
    from gametree.search.support.regrets import Regrets, best_responses, profile_values

    if iterations is not None and iterations < 1:
        raise BadInput(f"--iterations {iterations} is too few; expected at least 1.")
    tree = _tree(game, quiet=json)
    regrets = Regrets(tree, _discount(algorithm), alternating=not simultaneous)
    limit = iterations if iterations is not None else None if time is not None else 1000
    interrupted = False
    with progress_bar("iterations", quiet=json) as progress:
        try:
            tell = None if progress is None or limit is None else lambda done: progress(done, limit)
            regrets.run_for(limit, None if time is None else Clock(time), tell=tell)
        except KeyboardInterrupt:
            interrupted = True
    strategy = regrets.average()
    values = profile_values(tree, strategy)
    best, _ = best_responses(tree, strategy)
    gains = [could - does for could, does in zip(best, values, strict=True)]
    if output is not None:
        write_strategy(output, tree, strategy)
    data: dict[str, Any] = {
        "game": tree.game.name,
        "algorithm": algorithm,
        "iterations": regrets.iterations,
        "value": values[0],
        "values": list(values),
        "exploitability": sum(gains) / tree.seats,
        "nash_conv": sum(gains),
        "gains": gains,
        "information_sets": len(tree.sets),
        "nodes": len(tree),
    }
    if json:
        print_json({**data, "strategy": rows_of(tree, strategy)})
    else:
        _print_strategy(tree.game, rows_of(tree, strategy))
        _print_values(tree.game, data)
        console.print(
            f"{algorithm}: {regrets.iterations:,} iterations on {len(tree):,} nodes and {len(tree.sets):,} information "
            "sets."
        )
        if output is not None:
            console.print(f"Wrote {output}.", soft_wrap=True)
    if interrupted:
        raise KeyboardInterrupt


def exploitability(
    game: GameName,
    strategy: Annotated[str, typer.Argument(metavar="STRATEGY", help="`uniform`, or a file of `equilibrium -o`.")],
    json: Json = False,
) -> None:
    """What each seat could gain if the others kept to a strategy: 0 for all in an equilibrium."""
    from gametree.knowledge.strategies import read_strategy
    from gametree.search.support.regrets import best_responses, profile_values

    tree = _tree(game, quiet=json)
    shares = tree.uniform() if strategy == "uniform" else read_strategy(strategy, tree)
    values = profile_values(tree, shares)
    best, _ = best_responses(tree, shares)
    gains = [could - does for could, does in zip(best, values, strict=True)]
    data = {
        "game": tree.game.name,
        "strategy": strategy,
        "value": values[0],
        "values": list(values),
        "exploitability": sum(gains) / tree.seats,
        "nash_conv": sum(gains),
        "gains": gains,
        "information_sets": len(tree.sets),
        "nodes": len(tree),
    }
    if json:
        print_json(data)
    else:
        _print_values(tree.game, data)


def _tree(text: str, *, quiet: bool) -> InformationTree:
    from gametree.search.support.information_tree import InformationTree

    rules = open_game(text)
    if rules.facts.unlisted:
        raise UnfitGame(
            f"The tree of {rules.name} cannot be looked at as a whole: its fact unlisted is True; mccfr samples it."
        )
    with status(quiet=quiet) as line:
        line(f"building the tree of {rules.name}")
        return InformationTree(rules)


def _discount(algorithm: str) -> Any:
    from gametree.search.support.regrets import Discount

    known = {
        "cfr": Discount(),
        "cfr-plus": Discount(gamma=1.0, floor=True),
        "dcfr": Discount(1.5, 0.0, 2.0),
        "linear-cfr": Discount(1.0, 1.0, 1.0),
    }
    if algorithm not in known:
        raise BadInput(f"'{algorithm}' does not minimise regrets on a whole tree; expected one of {', '.join(known)}.")
    return known[algorithm]


def _print_strategy(rules: Game[Any, Any], rows: list[dict[str, Any]]) -> None:
    table = Table(Column("seat", no_wrap=True), "sees", "plays", header_style="bold")
    for row in sorted(rows, key=lambda row: row["seat"])[:SHOWN]:
        plays = ", ".join(f"{text} {share:.3f}" for text, share in row["strategy"].items())
        table.add_row(rules.seat_names[row["seat"]], row["text"], plays)
    console.print(table)
    if len(rows) > SHOWN:
        console.print(f"... and {len(rows) - SHOWN:,} more information sets; -o writes them all.")


def _print_values(rules: Game[Any, Any], data: dict[str, Any]) -> None:
    for name, value, gain in zip(rules.seat_names, data["values"], data["gains"], strict=False):
        console.print(f"{name} gets {value:+.6f} and could gain {max(0.0, gain):.6f}.", markup=False)
    console.print(f"Exploitability {max(0.0, data['exploitability']):.6f} a seat.")
