"""`gametree tree`: a search on a drawn tree or a real position, as a picture."""

from __future__ import annotations

import json
import sys
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from gametree.core.errors import BadInput
from gametree.core.files import read_text
from gametree.core.game import MIN, Game
from gametree.core.record import TreeRecord
from gametree.core.result import SearchResult
from gametree.interfaces.cli.common import Algorithm, Depth, Output, console, emit, open_game, set_up

__all__ = ["register"]


class Format(StrEnum):
    """How to show the tree."""

    text = "text"
    svg = "svg"
    json = "json"


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("tree")(tree)


def tree(
    source: Annotated[
        str | None,
        typer.Argument(metavar="[SOURCE]", help="A tree such as '((3 12 8) (2 4 6) (14 5 2))', or a file with one."),
    ] = None,
    example: Annotated[str | None, typer.Option(help="A lecture example by name; `list` shows them all.")] = None,
    game: Annotated[str | None, typer.Option("--game", "-g", help="Search this game instead of a drawn tree.")] = None,
    position: Annotated[str | None, typer.Option("--position", "-p", help="The position of the game.")] = None,
    moves: Annotated[str, typer.Option("--moves", "-m", help="Moves to play first, separated by spaces.")] = "",
    algorithm: Algorithm = "",
    depth: Depth = None,
    format: Annotated[Format, typer.Option("--format", "-f", help="text, svg or json.")] = Format.text,
    step: Annotated[bool, typer.Option("--step", help="Step through the search, forward and back.")] = False,
    nodes: Annotated[
        int | None, typer.Option("--nodes", help="Draw at most this many nodes, collapse the rest.")
    ] = None,
    output: Output = None,
) -> None:
    """Search a tree and draw what the search did."""
    if sum(given is not None for given in (source, example, game)) != 1:
        raise BadInput("Expected one of SOURCE, --example NAME or --game GAME; try `gametree tree --example list`.")
    if nodes is not None and nodes < 1:
        raise BadInput(f"--nodes {nodes} is too few; expected at least 1.")
    notes = ""
    if example == "list":
        _list_examples()
        return
    if example is not None:
        from gametree.teaching.examples import example as find

        shown = find(example)
        rules, state = shown.game(), shown.state()
        algorithm, depth = algorithm or shown.algorithm, shown.depth if depth is None else depth
        notes = f"{shown.title}\n{shown.explanation}\n"
    elif game is not None:
        rules = open_game(game)
        state = set_up(rules, position, moves)
    else:
        assert source is not None
        text = _source_text(source)
        saved = _saved_record(text)
        if saved is not None:
            _show(saved, None, None, format, step, nodes, output, "")
            return
        from gametree.games.tree import parse_tree

        rules = parse_tree(text)
        state = set_up(rules, position, moves)
    record = TreeRecord(rules)
    result = _search(rules, state, algorithm or "alphabeta", depth, record)
    if game is None:
        record.expand_unvisited()
    _show(record, rules, result, format, step, nodes, output, notes)


def _search(rules: Game[Any, Any], state: Any, algorithm: str, depth: int | None, record: TreeRecord) -> SearchResult:
    from gametree.play.analysis import analyse

    if algorithm == "alphabeta" and rules.facts.chance:
        algorithm = "expectiminimax"
    if algorithm == "alphabeta" and rules.facts.players > 2:
        algorithm = "maxn"
    return analyse(rules, state, algorithm=algorithm, depth=depth, record=record)


def _source_text(source: str) -> str:
    """The tree's text: the argument itself, or what the file holds if there is one of that name."""
    if source == "-":
        return sys.stdin.read()
    if source.lstrip()[:1] not in ("(", "[", "{", "") and (Path(source).exists() or Path(source).suffix):
        return read_text(source)
    return source


def _saved_record(text: str) -> TreeRecord | None:
    """The record that an earlier `--format json` wrote, or None if the text is something else."""
    if "gametree-record-" not in text:
        return None
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return TreeRecord.from_data(data.get("record", data) if isinstance(data, dict) else data)


def _list_examples() -> None:
    from gametree.teaching.examples import examples

    for shown in examples():
        console.print(f"[cyan]{shown.name}[/cyan]  {shown.title}")


def _show(
    record: TreeRecord,
    rules: Game[Any, Any] | None,
    result: SearchResult | None,
    format: Format,
    step: bool,
    nodes: int | None,
    output: Path | None,
    notes: str,
) -> None:
    limit: dict[str, Any] = {} if nodes is None else {"max_nodes": nodes}
    if step:
        _step(record, format, limit, output)
    elif format is Format.json:
        data = record.to_data()
        if rules is not None and result is not None:
            data = {**result.to_data(rules), "skipped_leaves": _skipped_leaves(record), "record": data}
        emit(json.dumps(data, allow_nan=False), output)
    elif format is Format.svg:
        from gametree.interfaces.tree_svg import tree_svg

        emit(tree_svg(record, **limit), output)
    else:
        from gametree.interfaces.tree_text import tree_text

        text = tree_text(record, color=output is None and console.is_terminal, **limit)
        if result is not None:
            text += f"\n{_summary(record, result)}"
        emit(f"{notes}\n{text}" if notes else text, output)


def _skipped_leaves(record: TreeRecord) -> list[dict[str, Any]]:
    """The leaves that the search never looked at: where they are and what they say."""
    return [
        {"path": record.path(node), "label": record.label[node], "value": record.value[node]}
        for node in record.skipped_leaves()
    ]


def _summary(record: TreeRecord, result: SearchResult) -> str:
    """What the search found, as the picture above it says it: where MIN begins, the value is MAX's there, too."""
    skipped = _skipped_leaves(record)
    line = f"{result.algorithm}: value "
    if record.value[0] is not None and record.values[0] is None and record.player[0] == MIN:
        line += f"{record.value[0]:g} to MAX ({result.value:g} to MIN, who is to move)"
    else:
        line += f"{result.value:g}"
    line += f", {result.nodes} nodes, {result.leaves} leaves looked at"
    if skipped:
        names = ", ".join(leaf["label"] or f"{leaf['value']:g}" for leaf in skipped[:12])
        line += f", {len(skipped)} skipped ({names}{', ...' if len(skipped) > 12 else ''})"
    return line + "."


def _step(record: TreeRecord, format: Format, limit: dict[str, Any], output: Path | None) -> None:
    """Step through the record: by keys in a terminal, otherwise all steps one after the other."""
    from gametree.interfaces.tree_text import tree_text
    from gametree.teaching.steps import Stepper

    stepper = Stepper(record)
    if format is Format.json:
        raise BadInput("--step draws text or svg; the JSON of --format json holds all steps already.")
    if format is Format.svg:
        _step_files(record, stepper, limit, output)
        return
    color = console.is_terminal
    if output is not None or not (sys.stdin.isatty() and console.is_terminal):
        pages = []
        while True:
            pages.append(f"{stepper.sentence()}\n{tree_text(record, step=stepper.at, **limit)}")
            if not stepper.forward():
                break
        emit("\n\n".join(pages), output)
        return
    while True:
        console.clear()
        sys.stdout.write(tree_text(record, step=stepper.at, color=color, **limit) + "\n\n")
        console.print(f"Step {stepper.at + 1} of {len(stepper)}: {stepper.sentence()}", style="bold", markup=False)
        try:
            key = console.input("Enter: forward · b: back · a number: go there · q: quit > ").strip().lower()
        except EOFError:
            return
        if key in ("q", "quit"):
            return
        if key in ("b", "back", "p"):
            stepper.back()
        elif key.isdigit():
            stepper.goto(min(max(int(key), 1), len(stepper)) - 1)
        elif not stepper.forward():
            return


def _step_files(record: TreeRecord, stepper: Any, limit: dict[str, Any], output: Path | None) -> None:
    """One SVG per step, numbered: NAME-001.svg, NAME-002.svg, ... for slides."""
    from gametree.interfaces.tree_svg import tree_svg

    if output is None:
        raise BadInput("--step --format svg writes one file per step; give -o NAME.svg.")
    for at in range(len(stepper)):
        emit(tree_svg(record, step=at, **limit), output.with_name(f"{output.stem}-{at + 1:03}{output.suffix}"))
