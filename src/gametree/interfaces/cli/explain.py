"""`gametree explain`: what the estimate of a position is made of, and why the best move beats another."""

from __future__ import annotations

import math
from typing import Annotated, Any

import typer
from rich.box import SIMPLE_HEAD
from rich.table import Table
from rich.text import Text

from gametree.core.game import Game
from gametree.core.registry import load_algorithm
from gametree.interfaces.cli.common import (
    Algorithm,
    Depth,
    GameName,
    Json,
    Position,
    Seconds,
    board,
    console,
    open_game,
    print_json,
    set_up,
)

__all__ = ["register"]

_BAR = 6
"""Half the width of a bar, in characters."""


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("explain")(explain)


def explain(
    game: GameName,
    position: Position = None,
    move: Annotated[str | None, typer.Option("--move", help="Say why the best move beats this one.")] = None,
    algorithm: Algorithm = "",
    depth: Depth = None,
    time: Seconds = None,
    moves: Annotated[str, typer.Option("--moves", "-m", help="Moves to play first, separated by spaces.")] = "",
    zero: Annotated[bool, typer.Option("--all", help="Show also the terms that add nothing.")] = False,
    json: Json = False,
) -> None:
    """Show every term of the estimate, its weight and its share for both sides, and what the best move gains.

    Without any limit a search that never ends by itself gets two seconds.
    """
    from gametree.play.analysis import default_algorithm
    from gametree.play.explanation import compare
    from gametree.play.explanation import explain as explain_terms

    rules = open_game(game, plain=True)
    state = set_up(rules, position, moves)
    found = explain_terms(rules, state)
    named = None if move is None else rules.action_from_text(state, move)
    chosen = algorithm or default_algorithm(rules)
    if depth is None and time is None and load_algorithm(chosen.partition(":")[0])[0].anytime:
        time = 2.0
    told = compare(rules, state, named, algorithm=algorithm, depth=depth, seconds=time)
    chance = rules.winning_chance if rules.offers("winning_chance") else None
    if json:
        print_json(_data(rules, found, told, move, chance))
        return
    console.print(board(rules, state), markup=False)
    console.print()
    console.print(_terms_table(rules, found, show_all=zero))
    if found.phase:
        console.print(found.phase, markup=False)
    console.print(f"Estimate for {_seat(rules, found.seat)}, to move: {_value(found.value, chance)}", markup=False)
    console.print()
    _show_comparison(rules, found.seat, told, named, chance)


# Words ----------------------------------------------------------------------------------------------------------------


def _seat(game: Game[Any, Any], seat: int) -> str:
    return str(game.seat_names[seat])


def _signed(value: float) -> str:
    return f"{0.0 if abs(value) < 0.005 else value:+.2f}"


def _value(value: float, chance: Any) -> str:
    """`+0.35, a winning chance of 55 %`."""
    return _signed(value) + ("" if chance is None else f", a winning chance of {100 * chance(value):.0f} %")


def _bar(value: float, largest: float) -> Text:
    """Left of the middle for what counts against the side to move, right of it for what counts for it."""
    length = 0 if largest == 0 else min(_BAR, math.ceil(_BAR * abs(value) / largest - 1e-9))
    if abs(value) < 0.005:
        return Text(" " * _BAR + "│")
    if value < 0:
        return Text.assemble(" " * (_BAR - length), ("█" * length, "red"), "│")
    return Text.assemble(" " * _BAR + "│", ("█" * length, "green"))


# Tables ---------------------------------------------------------------------------------------------------------------


def _terms_table(game: Game[Any, Any], found: Any, *, show_all: bool) -> Table:
    """One row a term, under its group; each side's column is what the term is worth to that side itself."""
    sides = any(term.parts is not None for term in found.terms)
    weights = any(term.weight for term in found.terms)
    table = Table(header_style="bold", footer_style="bold", show_footer=True, box=SIMPLE_HEAD, padding=(0, 1, 0, 0))
    table.add_column("term", footer="sum", min_width=24)
    if weights:
        table.add_column("weight", justify="right", no_wrap=True)
    signs = (1, -1) if found.seat == 0 else (-1, 1)
    if sides:
        for seat in (0, 1):
            total = math.fsum(term.parts[seat] for term in found.terms if term.parts) * signs[seat]
            table.add_column(_seat(game, seat).capitalize(), justify="right", footer=_signed(total), no_wrap=True)
    table.add_column(f"for {_seat(game, found.seat)}", justify="right", footer=_signed(found.value), no_wrap=True)
    table.add_column("", no_wrap=True, min_width=2 * _BAR + 1)
    largest = max((abs(term.total) for term in found.terms), default=0.0)
    shown = [
        term
        for term in found.terms
        if show_all or abs(term.total) >= 0.005 or any(abs(part) >= 0.005 for part in term.parts or ())
    ]
    group = ""
    for term in shown:
        head, colon, detail = term.name.partition(": ")
        if colon and head != group:
            table.add_row(head, style="bold")
        group = head
        cells: list[Any] = [f"  {detail}" if colon else Text(head, style="bold")]
        if weights:
            cells.append(term.weight)
        if sides:
            cells += ["" if term.parts is None else _signed(term.parts[seat] * signs[seat]) for seat in (0, 1)]
        table.add_row(*cells, _signed(term.total), _bar(term.total, largest))
    return table


def _show_comparison(game: Game[Any, Any], seat: int, told: Any, named: Any, chance: Any) -> None:
    best, other = told.best, told.named
    console.print(f"Best: {' '.join(best.moves)}", markup=False)
    console.print(f"  {_value(best.value, chance)}", markup=False)
    if other is None:
        if named is not None:
            console.print(f"{best.moves[0]} is the best move that the search finds.", markup=False)
        return
    console.print(f"Instead: {' '.join(other.moves)}", markup=False)
    console.print(f"  {_value(other.value, chance)}", markup=False)
    console.print()
    gain = best.value - other.value
    sentence = f"{best.moves[0]} is better than {other.moves[0]} by {gain:.2f}"
    if chance is not None:
        sentence += f", or {100 * (chance(best.value) - chance(other.value)):.0f} % of the point"
    console.print(sentence + ".", markup=False)
    if told.differences is None:
        console.print("One of the lines ends the game, so no terms are compared.", markup=False)
        return
    console.print(f"Where the lines end, that of {best.moves[0]} has more of:", markup=False)
    table = Table(header_style="bold", box=SIMPLE_HEAD, padding=(0, 1, 0, 0))
    table.add_column("term")
    table.add_column(f"for {_seat(game, seat)}", justify="right")
    table.add_column("", no_wrap=True, min_width=2 * _BAR + 1)
    largest = max((abs(value) for _, value in told.differences), default=0.0)
    for name, value in told.differences[:12]:
        table.add_row(name, _signed(value), _bar(value, largest))
    console.print(table)


# JSON -----------------------------------------------------------------------------------------------------------------


def _data(game: Game[Any, Any], found: Any, told: Any, move: str | None, chance: Any) -> dict[str, Any]:
    def line(shown: Any) -> dict[str, Any]:
        return {
            "moves": list(shown.moves),
            "value": shown.value,
            "chance": None if chance is None else chance(shown.value),
            "end": game.state_text(shown.end),
            "nodes": shown.nodes,
            "depth": shown.depth,
        }

    return {
        "game": game.name,
        "position": game.state_text(found.state),
        "player": found.seat,
        "value": found.value,
        "chance": None if chance is None else chance(found.value),
        "phase": found.phase,
        "terms": [
            {"name": term.name, "weight": term.weight, "parts": term.parts, "total": term.total} for term in found.terms
        ],
        "named": move,
        "best": line(told.best),
        "other": None if told.named is None else line(told.named),
        "differences": told.differences,
    }
