"""`gametree book`: opening books are built, looked at, checked and merged; openings are named."""

from __future__ import annotations

import re
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from gametree.core.errors import BadInput
from gametree.interfaces.cli.common import (
    Algorithm,
    GameName,
    Json,
    Moves,
    console,
    open_game,
    print_json,
    progress_bar,
    set_up,
)

if TYPE_CHECKING:
    from gametree.knowledge.book import Book
    from gametree.knowledge.opening_names import Opening

__all__ = ["register"]

BookName = Annotated[str, typer.Argument(metavar="BOOK", help="A book's file, or default for the one of gametree.")]
Target = Annotated[Path, typer.Option("--output", "-o", help="The book to write.")]
Kind = Annotated[str | None, typer.Option("--game", "-g", help="The game, where it is not the one the book names.")]


def register(app: typer.Typer) -> None:
    """Add the commands."""
    group = typer.Typer(help="Opening books of any game: build, show, check, merge and grow them; name openings.")

    @group.callback(invoke_without_command=True)
    def _root(context: typer.Context) -> None:
        if context.invoked_subcommand is None:
            typer.echo(context.get_help())

    for command in (build, show, name, check, merge, grow):
        group.command(command.__name__)(command)
    app.add_typer(group, name="book")


def build(
    files: Annotated[
        list[Path], typer.Argument(metavar="FILE...", help="Games: PGN, SGF, JSON lines, or one game a line.")
    ],
    output: Target,
    game: Annotated[str, typer.Option("--game", "-g", help="What game they are of.")] = "chess",
    max_ply: Annotated[int, typer.Option("--max-ply", help="Plies of each game that count.")] = 40,
    min_games: Annotated[int, typer.Option("--min-games", help="Drop moves that were played more rarely.")] = 3,
    min_score: Annotated[float, typer.Option("--min-score", help="Drop moves that scored less, from 0 to 1.")] = 0.0,
    min_share: Annotated[
        float, typer.Option("--min-share", help="Drop moves of a smaller share of their position's games, 0 to 1.")
    ] = 0.0,
    margin: Annotated[
        float, typer.Option("--margin", help="Drop moves that scored so much less than their position's games, 0 to 1.")
    ] = 1.0,
    json: Json = False,
) -> None:
    """Build a book from games: how often a move was played and how it scored.

    Ctrl-C stops; a book is written whole or not at all.
    """
    if max_ply < 1:
        raise BadInput(f"--max-ply {max_ply} is not possible; expected 1 or more.")
    rules = open_game(game)
    from gametree.knowledge.book import write_book
    from gametree.knowledge.build import BookBuilder, select
    from gametree.knowledge.records import add_files

    builder = BookBuilder(rules, max_ply=max_ply)
    limits: dict[str, Any] = {"min_games": min_games, "min_score": min_score, "min_share": min_share, "margin": margin}
    select(builder.statistics(), **limits)  # impossible limits are refused before the work
    if not output.parent.is_dir():
        raise BadInput(f"'{output}' cannot be written: there is no folder '{output.parent}'.")
    started = time.process_time()
    with progress_bar("reading games", quiet=json) as progress:
        tally = add_files(builder, files, progress)
    statistics = builder.statistics()
    entries = select(statistics, **limits)
    if len(entries) == 0:
        raise BadInput(f"No move of {tally.games:,} games is left; expected lower limits, such as --min-games 1.")
    write_book(output, entries, rules, comment=f"Built from {tally.games} games.")
    seconds = time.process_time() - started
    positions = _positions(entries)
    if json:
        data = {"games": tally.games, "unfinished": tally.unfinished, "broken": tally.broken, "moves": len(statistics)}
        kept = {"entries": len(entries), "positions": positions, "bytes": output.stat().st_size, "seconds": seconds}
        print_json({"book": str(output), "game": rules.name, **data, **kept})
        return
    left_out = f" ({tally.unfinished:,} without a result and {tally.broken:,} broken ones left out)"
    console.print(
        f"{tally.games:,} games{left_out if tally.unfinished or tally.broken else ''} with {len(statistics):,} "
        f"different moves, read in {seconds:.1f} s of processor time.",
        soft_wrap=True,
    )
    _say_written(output, entries)


def show(
    book: BookName,
    position: Annotated[str | None, typer.Argument(metavar="[POSITION]", help="The position.")] = None,
    moves: Moves = "",
    game: Kind = None,
    json: Json = False,
) -> None:
    """Show what a book knows of a position: its moves, how often it plays them, and where they lead."""
    opened = _open(book, game)
    from gametree.knowledge.opening_names import opening_at

    rules = opened.game
    state = set_up(rules, position, moves)
    found = opened.moves(state)
    named = opening_at(rules, state)
    rows = [
        (rules.action_text(state, move.action), move, opening_at(rules, rules.result(state, move.action)))
        for move in found
    ]
    if json:
        known = [
            {"move": text, "weight": move.weight, "share": round(move.share, 6), "opening": _opening_data(leads)}
            for text, move, leads in rows
        ]
        place = {"game": rules.name, "position": rules.state_text(state), "opening": _opening_data(named)}
        print_json({"book": book, "entries": len(opened), **place, "moves": known})
        return
    if named is not None:
        console.print(f"{named.code} {named.name}", style="bold", markup=False)
    if not rows:
        console.print(f"None of the book's {len(opened):,} entries is about this position.")
        return
    from rich.table import Table

    table = Table("move", "share", "weight", *(["leads to"] if any(leads for _, _, leads in rows) else []))
    for text, move, leads in rows:
        name_of = [f"{leads.code} {leads.name}" if leads else ""] if len(table.columns) > 3 else []
        table.add_row(text, f"{100 * move.share:.1f} %", f"{move.weight:,}", *name_of)
    console.print(table)


def name(
    game: GameName,
    moves: Annotated[str, typer.Argument(metavar="[MOVES]", help="The moves of a game, numbered or not.")] = "",
    position: Annotated[str | None, typer.Option("--position", "-p", help="Start from this position.")] = None,
    json: Json = False,
) -> None:
    """Name the opening of a game, whatever the order of its moves."""
    rules = open_game(game)
    from gametree.knowledge.opening_names import opening_along, openings

    if not openings(rules):
        raise BadInput(f"gametree knows no names of openings of {rules.name}; expected a game such as chess.")
    states = [set_up(rules, position)]
    for word in re.sub(r"\d+\.+", " ", moves).split():
        states.append(rules.result(states[-1], rules.action_from_text(states[-1], word)))
    found = opening_along(rules, states)
    if json:
        print_json({"game": rules.name, "opening": _opening_data(found)})
    elif found is None:
        console.print("This opening has no name.")
    else:
        console.print(f"{found.code} {found.name} ({found.moves})", markup=False, soft_wrap=True)


def check(book: BookName, game: Kind = None, json: Json = False) -> None:
    """Check a book: order, legality of its moves, repeated entries. The exit code is 2 if something is wrong."""
    opened = _open(book, game)
    from gametree.knowledge.book import check_book

    with progress_bar("playing the book through", quiet=json) as progress:
        report = check_book(opened, progress)
    if json:
        print_json({"book": book, "game": opened.game.name, "sound": report.sound, **vars(report)})
    else:
        console.print(
            f"{report.entries:,} entries, {report.positions:,} positions; {report.reached:,} of these can be reached "
            f"from the start by the book's own moves, the last after {report.deepest} plies.",
            soft_wrap=True,
        )
    if not report.sound:
        raise BadInput(
            f"'{book}' has {report.illegal:,} illegal moves and {report.repeated:,} repeated entries; expected none."
        )


def merge(
    books: Annotated[list[Path], typer.Argument(metavar="BOOK...", help="Books of one game.")],
    output: Target,
    game: Kind = None,
    json: Json = False,
) -> None:
    """Merge books: where several know a move, its weights are added."""
    from gametree.knowledge.book import Book, write_book
    from gametree.knowledge.build import merge_entries

    found, entries = merge_entries(books)
    rules = open_game(game or found)
    Book.open(books[0], rules)  # refuses a game that is not theirs
    write_book(output, entries, rules, comment=f"Merged from {len(books)} books.")
    if json:
        print_json({"book": str(output), "game": rules.name, "entries": len(entries), "positions": _positions(entries)})
    else:
        _say_written(output, entries)


def grow(
    game: GameName,
    output: Target,
    positions: Annotated[int, typer.Option("--positions", "-n", help="Positions to analyse.")] = 100,
    depth: Annotated[int, typer.Option("--depth", "-d", help="Plies that each analysis looks ahead.")] = 8,
    algorithm: Algorithm = "",
    spread: Annotated[
        float, typer.Option("--spread", help="A mistake of this many points makes a line one ply less urgent.")
    ] = 1.0,
    margin: Annotated[float, typer.Option("--margin", help="Keep moves that lose less than this many points.")] = 1.0,
    json: Json = False,
) -> None:
    """Grow a book by analysis, from the start along the best lines, for games without records."""
    if positions < 1:
        raise BadInput(f"--positions {positions} is not possible; expected 1 or more.")
    rules = open_game(game)
    from gametree.knowledge.book import write_book
    from gametree.knowledge.grow import BookTree
    from gametree.play.analysis import analyse, default_algorithm

    chosen = algorithm or default_algorithm(rules)

    def judge(state: Any) -> float:
        return analyse(rules, state, algorithm=chosen, depth=depth).value

    started = time.process_time()
    tree = BookTree(rules, judge, spread=spread)
    tree.entries(margin=margin)  # an impossible margin is refused before the work
    with progress_bar("analysing positions", quiet=json) as progress:
        tree.grow(positions, progress)
    entries = tree.entries(margin=margin)
    write_book(output, entries, rules, comment=f"Grown from {len(tree)} positions by {chosen} to depth {depth}.")
    seconds = time.process_time() - started
    if json:
        data = {"analysed": len(tree), "value": tree.value(), "entries": len(entries), "seconds": seconds}
        print_json({"book": str(output), "game": rules.name, **data, "positions": _positions(entries)})
        return
    console.print(f"{len(tree):,} positions analysed in {seconds:.1f} s of processor time.")
    _say_written(output, entries)


def _open(book: str, game: str | None) -> Book:
    """The book with the game that it names, or that the user names."""
    from gametree.knowledge.book import game_of, open_book

    return open_book(book, open_game(game or game_of(book)))


def _positions(entries: Any) -> int:
    return len(set(entries["key"].tolist()))


def _say_written(output: Path, entries: Any) -> None:
    size = output.stat().st_size
    text = f"Wrote {output}: {len(entries):,} moves of {_positions(entries):,} positions, {size:,} bytes."
    console.print(text, markup=False, soft_wrap=True)


def _opening_data(opening: Opening | None) -> dict[str, str] | None:
    return None if opening is None else vars(opening)
