"""What the tree lab asks the worker processes to do: search a small tree, and say step by step what happened.

The page gets the tree once and then, for every step, only the nodes that changed, the sentence and the lines of the
pseudocode. Trees beyond `MOST_NODES` are not for stepping; `lab_branches` opens those branch by branch.
"""

from __future__ import annotations

import inspect
import json
import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from gametree.core.clock import Clock
from gametree.core.errors import BadInput, OutOfTime
from gametree.core.facts import Algorithm
from gametree.core.game import Game
from gametree.core.record import LEAF, TreeRecord
from gametree.core.registry import algorithm_names, load_algorithm
from gametree.core.result import SearchResult
from gametree.core.specification import convert, parse_specification
from gametree.games.tree import parse_tree
from gametree.interfaces.svg_parts import with_minus
from gametree.interfaces.web.boards import view
from gametree.interfaces.web.games import check_parameters, open_game
from gametree.interfaces.web.lab_code import Moments, marks, pseudocode, why_unmarked
from gametree.interfaces.web.worker import Job
from gametree.play.analysis import FRAME, fits
from gametree.teaching.examples import example, examples
from gametree.teaching.steps import Picture, Stepper, Words, chance_text, value_text, window_text

__all__ = ["MOST_NODES", "board", "describe", "export", "payload", "search", "set_up"]

MOST_NODES = 2_000
"""Nodes that the page draws and steps through."""
_SIMULATIONS = 300
"""Games of a Monte Carlo search that is asked for without a number."""


class _UntilFull(Clock):
    """The job's clock, which also stops a search whose record is full: it could not be shown anyway."""

    def __init__(self, job: Job, record: TreeRecord) -> None:
        super().__init__()
        self._job, self._record = job, record

    def expired(self, nodes: int = 0) -> bool:
        """Whether the job is over or the record is full."""
        return self._record.truncated or self._job.clock.expired(nodes)


def set_up(source: dict[str, Any]) -> tuple[Game[Any, Any], Any]:
    """The game and the state that a request describes. Raises BadInput, UnknownName, GameError.

    `kind` is `tree` with a `text`, `random` with the parameters of a random tree, `example` with a `name`, or `game`
    with a `game` and either a `position` or `moves`.
    """
    kind = source["kind"]
    if kind == "tree":
        drawn = parse_tree(source["text"])
        return drawn, drawn.initial()
    if kind == "example":
        shown = example(source["name"])
        return shown.game(), shown.state()
    if kind == "random":
        options = ",".join(f"{key}={source[key]}" for key in ("branching", "depth", "seed", "values", "ordering"))
        if int(source["branching"]) ** int(source["depth"]) > MOST_NODES:
            raise BadInput(
                f"A tree of branching {source['branching']} and depth {source['depth']} is too large to draw; "
                f"expected at most {MOST_NODES:,} leaves."
            )
        made = open_game(f"tree:{options}")
        return made, made.initial()
    game = open_game(source["game"])
    state = game.initial()
    if source.get("position"):
        state = game.state_from_text(source["position"])
    for word in source.get("moves", "").split():
        state = game.result(state, game.action_from_text(state, word))
    return game, state


def describe(job: Job, source: dict[str, Any]) -> dict[str, Any]:
    """What there is to search, the algorithms that fit it and, for an example, what its page says of it."""
    game, state = set_up(source)
    fitting: list[dict[str, Any]] = []
    ranked: list[tuple[int, Algorithm]] = []
    for name in algorithm_names():
        facts, run = load_algorithm(name)
        if not facts.records or not fits(facts, game):
            continue
        options = [key for key in inspect.signature(run).parameters if key not in {*FRAME, "depth", "threads"}]
        ranked.append((0 if facts.preference is None else facts.preference(game), facts))
        fitting.append({"name": name, "title": facts.title, "depth": facts.takes_depth, "options": options})
    told: dict[str, Any] = {
        "name": game.name,
        "position": game.state_text(state),
        "algorithms": fitting,
        "evaluates": game.offers("evaluate"),
        "compiled": game.facts.compiled,
        "strongest": _first(ranked, lambda facts: facts.keeps),
        "plainest": _first(ranked, lambda facts: not facts.anytime),
        "tree": source["kind"] != "game" and game.offers("tree_text"),
    }
    if told["tree"]:
        text: str = game.tree_text()
        told["text"] = text
    else:
        told["drawing"] = game.draw(state).to_data()
    if source["kind"] == "example":
        shown = example(source["name"])
        told["example"] = {
            "title": shown.title, "question": shown.question, "explanation": shown.explanation, "source": shown.source,
            "algorithm": shown.algorithm, "depth": shown.depth,
        }  # fmt: skip
    return told


def list_examples() -> list[dict[str, str]]:
    """Name and title of every lecture example."""
    return [{"name": shown.name, "title": shown.title} for shown in examples()]


def search(job: Job, source: dict[str, Any], algorithm: str, depth: int | None) -> dict[str, Any]:
    """Search and return everything that the page needs to step through it. Raises BadInput where it is too large."""
    game, record, result = _record(job, source, algorithm, depth)
    return payload(game, record, result)


def board(job: Job, source: dict[str, Any], moves: list[str]) -> dict[str, Any]:
    """What a board shows after these moves from the position that is searched. Raises BadInput, IllegalMove."""
    game, state = set_up(source)
    before = last = None
    for text in moves:
        before, last = state, game.action_from_text(state, text)
        state = game.result(state, last)
    return {**view(game, state, before=before, last=last), "moves": []}


def export(
    job: Job, source: dict[str, Any], algorithm: str, depth: int | None, format: str, step: int | None
) -> dict[str, str]:
    """The picture at a step (the whole search where there is none) as SVG, or the record as JSON."""
    game, record, result = _record(job, source, algorithm, depth)
    if format == "svg":
        from gametree.interfaces.tree_svg import tree_svg

        return {"text": tree_svg(record, step=step)}
    data = {**result.to_data(game), "record": record.to_data()}
    return {"text": json.dumps(data, allow_nan=False, default=str)}


def _first(ranked: list[tuple[int, Algorithm]], wanted: Callable[[Algorithm], bool]) -> str:
    """The name of the algorithm that is taken most gladly, one that is `wanted` if there is any."""
    chosen = max(ranked, key=lambda one: (wanted(one[1]), one[0]), default=None)
    return "" if chosen is None else chosen[1].name


def _record(
    job: Job, source: dict[str, Any], algorithm: str, depth: int | None
) -> tuple[Game[Any, Any], TreeRecord, SearchResult]:
    game, state = set_up(source)
    specification = parse_specification(algorithm)
    check_parameters(specification.parameters)
    facts, run = load_algorithm(specification.name)
    if not facts.records:
        raise BadInput(f"{specification.name} walks through no tree that could be drawn; choose another algorithm.")
    options = convert(run, specification, besides=FRAME)
    if depth is not None and facts.takes_depth:
        options["depth"] = depth
    if "simulations" in inspect.signature(run).parameters:
        options.setdefault("simulations", _SIMULATIONS)
    record = TreeRecord(game, limit=MOST_NODES)
    try:
        result: SearchResult = run(game, state, clock=_UntilFull(job, record), record=record, **options)
    except OutOfTime:
        record.truncated = True
    if record.truncated:
        raise BadInput(
            f"This search goes through more than {MOST_NODES:,} nodes, too many to draw step by step; "
            "choose a smaller depth, or open it branch by branch."
        )
    if not len(record):
        raise BadInput(f"{specification.name} kept no record of this search; choose another algorithm.")
    if game.offers("tree_text"):
        record.expand_unvisited(limit=MOST_NODES)
    return game, record, result


def payload(game: Game[Any, Any], record: TreeRecord, result: SearchResult) -> dict[str, Any]:
    """The record as the page steps through it.

    `tree` holds one list per property of the nodes; a step holds `rows`, the nodes that changed, each as (row, status,
    value, window, visits, remarks), its `sentence`, the row where the search `is`, the `lines` of the pseudocode, and
    how many nodes, leaves and cut-offs there were so far.
    """
    words = Words(record)
    drawn = game.offers("tree_text")
    told = result.to_data(game)
    # Of a real game nobody knows what lies below a move that was not tried, so there the moves are counted.
    skipped = record.skipped_leaves() if drawn else list(record.unvisited())
    steps = list(_steps(record, words, game.facts.teams or ()))
    return {
        "algorithm": record.algorithm,
        "game": record.game_name,
        "position": record.position,
        "drawn": drawn,
        "windows": words.windows,
        "code": pseudocode(record.algorithm),
        "unmarked": why_unmarked(record.algorithm),
        "tree": {
            "parent": record.parent,
            "player": record.player,
            "level": record.level,
            "label": record.label,
            "move": [
                "" if (drawn and words.plain) or above < 0 else move
                for move, above in zip(record.move, record.parent, strict=True)
            ],
            "chance": ["" if odds is None else chance_text(odds) for odds in record.probability],
            "place": record.place,
            "name": [words.node(row) for row in range(len(record))],
            "leaf": [
                with_minus(value_text(record.value[row], record.values[row]))
                if drawn and record.player[row] == LEAF
                else ""
                for row in range(len(record))
            ],
            "several": words.several,
        },
        "steps": steps,
        "line": record.principal_variation(),
        "result": {
            "value": _finite(told["value"]),
            "bound": told["bound"],
            "move": told["move"],
            "pv": told["pv"],
            "player": told["player"],
            "nodes": told["nodes"],
            "leaves": told["leaves"],
            "cuts": steps[-1]["counts"][2],
            "skipped": len(skipped),
            "skipped_names": [record.label[row] or value_text(record.value[row]) for row in skipped[:12]],
            "seconds": told["seconds"],
        },
    }


def _steps(record: TreeRecord, words: Words, teams: Sequence[Sequence[int]] = ()) -> Iterator[dict[str, Any]]:
    stepper, moments, below = Stepper(record), Moments(record, teams), record.children()
    nodes = leaves = cuts = 0
    looks = [("hidden", "", "", 0, "")] * len(record)
    while True:
        events, picture = stepper.events(), stepper.picture()
        now = moments.next(events)
        nodes += events[0].kind == "enter"
        leaves += now.kind == "leaf" and "table" not in now.reasons
        cuts += now.kind == "cut"
        # A step changes its node and that node's children; what is dropped is dropped with all that lies below.
        rows = []
        todo = [events[0].node, *below[events[0].node]]
        while todo:
            row = todo.pop()
            look = _look(record, picture, words, row)
            if look != looks[row]:
                looks[row] = look
                rows.append((row, *look))
                if picture.is_unvisited(row):
                    todo += below[row]
        yield {
            "rows": rows,
            "sentence": with_minus(stepper.sentence()),
            "is": -1 if picture.current is None else picture.current,
            "lines": marks(record.algorithm, now),
            "counts": (nodes, leaves, cuts),
        }
        if not stepper.forward():
            return


def _look(record: TreeRecord, picture: Picture, words: Words, row: int) -> tuple[str, str, str, int, str]:
    """Status, value, window, visits and remarks of a node."""
    status = picture.status[row]
    if status == "hidden":
        return ("hidden", "", "", 0, "")
    value = ""
    if picture.value[row] is not None:
        value = with_minus(value_text(picture.value[row], picture.values[row], picture.bound[row]))
        if status == "open":
            value += "?"
    window = ""
    if words.windows and record.player[row] != LEAF and status in ("open", "done"):
        ends = (picture.low, picture.high) if status == "open" else (picture.alpha, picture.beta)
        window = with_minus(window_text(ends[0][row], ends[1][row]))
    return (status, value, window, picture.visits[row], picture.reason[row])


def _finite(x: float) -> float | None:
    return x if math.isfinite(x) else None
