"""Experiments: how much alpha-beta saves, and what every algorithm costs on the same trees.

Pure functions that return JSON-ready data. All counts are the same on every machine; only seconds differ.
"""

from __future__ import annotations

import io
import math
import statistics
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from gametree.core.errors import BadInput, UnfitGame
from gametree.core.files import write_atomically
from gametree.core.game import Game
from gametree.core.registry import algorithm_names, load_algorithm, load_game
from gametree.core.result import SearchResult
from gametree.core.specification import parse_specification
from gametree.play.analysis import analyse, fits

__all__ = ["ORDERS", "Progress", "compare", "ordering", "plot_ordering"]

Progress = Callable[[int, int], None]
"""Called as progress(done, total) after every step of work."""

ORDERS = ("best", "random", "worst")

CURVES = {"full": "b^d", "three_quarters": "b^(3d/4)", "half": "b^(d/2)"}
"""Keys of a row that hold what theory says, and how people write them."""

REFERENCES = ("minimax", "expectiminimax", "maxn")
"""The plain algorithms that no cleverness can get wrong; the first that fits says what the right value is."""

TREES = tuple(f"tree:branching=4,depth=5,seed={seed}" for seed in range(5))
"""What `compare` searches unless told otherwise."""


def ordering(
    *,
    branchings: Sequence[int] = (2, 3, 4),
    depths: Sequence[int] = (2, 3, 4, 5, 6),
    seeds: Sequence[int] = tuple(range(10)),
    progress: Progress | None = None,
) -> dict[str, Any]:
    """Count the leaves that minimax and alpha-beta visit on random trees, by order of the children.

    The three orders are the same tree with its children rearranged: best child first everywhere, as it fell, or worst
    first. Leaves are real numbers, so that ties do not blur the counts; each count is the mean over the seeds.

    Returns `rows`, one per branching b and depth d, with the counts beside b^d, b^(3d/4), b^(d/2) and the least
    number possible (Knuth and Moore 1975), and `fits`, one per b: the exponent e and the factor c of
    leaves = c · (b^d)^e, by least squares on the logarithms over d; None where there is only one depth.
    Raises BadInput.
    """
    _check_numbers("branching", branchings, 2)
    _check_numbers("depth", depths, 1)
    if not seeds:
        raise BadInput("The experiment has no seeds; expected at least one tree per row.")
    total = len(seeds) * sum(b**d for b in branchings for d in depths)
    done = 0
    rows: list[dict[str, Any]] = []
    for branching in branchings:
        for depth in depths:
            counts: dict[str, list[int]] = {name: [] for name in ("minimax", *ORDERS)}
            for seed in seeds:
                for order in ORDERS:
                    tree = f"tree:branching={branching},depth={depth},seed={seed},real=true,ordering={order}"
                    game = load_game(tree)
                    counts[order].append(analyse(game, algorithm="alphabeta").leaves)
                    if order == "random":  # minimax sees the same leaves in any order
                        counts["minimax"].append(analyse(game, algorithm="minimax").leaves)
                done += branching**depth
                if progress is not None:
                    progress(done, total)
            rows.append(
                {
                    "branching": branching,
                    "depth": depth,
                    **{name: statistics.fmean(numbers) for name, numbers in counts.items()},
                    "full": branching**depth,
                    "three_quarters": branching ** (3 * depth / 4),
                    "half": branching ** (depth / 2),
                    "least": branching ** math.ceil(depth / 2) + branching ** (depth // 2) - 1,
                }
            )
    return {"experiment": "ordering", "seeds": list(seeds), "rows": rows, "fits": _fits(rows, branchings)}


def _check_numbers(what: str, numbers: Sequence[int], least: int) -> None:
    if not numbers:
        raise BadInput(f"The experiment has no {what}; expected at least one whole number.")
    for number in numbers:
        if number < least:
            raise BadInput(f"A {what} of {number} is too small for the experiment; expected at least {least}.")


def _fits(rows: list[dict[str, Any]], branchings: Sequence[int]) -> list[dict[str, Any]]:
    fits_by_branching = []
    for branching in branchings:
        mine = [row for row in rows if row["branching"] == branching]
        full = [math.log(row["full"]) for row in mine]
        fit: dict[str, Any] = {"branching": branching, "exponent": {}, "factor": {}}
        for name in ("minimax", *ORDERS):
            exponent = factor = None
            if len(set(full)) > 1:
                slope, intercept = statistics.linear_regression(full, [math.log(row[name]) for row in mine])
                exponent, factor = slope, math.exp(intercept)
            fit["exponent"][name], fit["factor"][name] = exponent, factor
        fits_by_branching.append(fit)
    return fits_by_branching


def plot_ordering(data: dict[str, Any], path: str | Path) -> None:
    """Draw what `ordering` returned: one panel per branching, leaves over depth on a logarithmic scale.

    The ending of `path` says which format (.png, .svg, .pdf). The file is written whole or not at all.
    Raises BadInput if Matplotlib is missing, the ending is unknown or the path cannot be written.
    """
    kind = Path(path).suffix.lower().lstrip(".")
    if kind not in ("png", "svg", "pdf"):
        raise BadInput(f"'{path}' does not end in .png, .svg or .pdf, so the plot has no format.")
    try:
        import matplotlib
        from matplotlib.figure import Figure
    except ImportError:
        raise BadInput(f"The plot '{path}' needs Matplotlib; install it with: pip install 'gametree[plots]'.") from None
    branchings = [fit["branching"] for fit in data["fits"]]
    figure = Figure(figsize=(4.2 * len(branchings), 4.2), layout="constrained")
    panels = figure.subplots(1, len(branchings), squeeze=False)[0]
    for panel, fit in zip(panels, data["fits"], strict=True):
        rows = sorted(
            (row for row in data["rows"] if row["branching"] == fit["branching"]), key=lambda row: row["depth"]
        )
        depths = [row["depth"] for row in rows]
        for key, written in CURVES.items():
            panel.plot(depths, [row[key] for row in rows], "--", color="0.7", linewidth=1, zorder=1)
            panel.annotate(written, (depths[-1], rows[-1][key]), (4, 0), textcoords="offset points", va="center")
        for name, marker in zip(ORDERS, "v.^", strict=True):
            exponent = fit["exponent"][name]
            label = f"{name} order" + ("" if exponent is None else f", exponent {exponent:.2f}")
            panel.plot(depths, [row[name] for row in rows], marker=marker, label=label)
        panel.set(title=f"b = {fit['branching']}", xlabel="depth d", yscale="log", xticks=depths)
        panel.margins(x=0.3)
        panel.legend(frameon=False)
    panels[0].set_ylabel("leaves visited by alpha-beta")
    buffer = io.BytesIO()
    # Text stays text and ids do not change from run to run, so that the same data makes the same file.
    with matplotlib.rc_context({"svg.hashsalt": "gametree", "svg.fonttype": "none"}):
        figure.savefig(buffer, format=kind, metadata={"Date": None} if kind == "svg" else None)
    write_atomically(path, buffer.getvalue())


def compare(
    *,
    trees: Sequence[str] = TREES,
    algorithms: Sequence[str] | None = None,
    progress: Progress | None = None,
) -> dict[str, Any]:
    """Run every algorithm on the same trees and count nodes, leaves and CPU seconds.

    `trees` are names of games, drawn trees or others; `algorithms` may carry parameters. Without `algorithms` all
    exact ones that fit every tree take part. Returns `rows`, one per algorithm, in order of nodes: sums over the
    trees, and `right`, the number of trees on which it found the right value.
    Raises BadInput, UnknownName, and UnfitGame for an algorithm that was asked for but does not fit.
    """
    if not trees:
        raise BadInput("The comparison has no trees; expected at least one game.")
    games = [load_game(tree) for tree in trees]
    names = list(algorithms) if algorithms is not None else _exact_algorithms(games)
    if not names:
        raise BadInput("The comparison has no algorithms; expected at least one.")
    done, total = 0, len(names) * len(games)
    rows = []
    truth = [_right_value(game) for game in games]
    for name in names:
        facts, _ = load_algorithm(parse_specification(name).name)
        results: list[SearchResult] = []
        seconds = 0.0
        for game in games:
            before = time.process_time()
            try:
                results.append(analyse(game, algorithm=name))
            except UnfitGame:  # some refuse for more than their facts say
                if algorithms is not None:
                    raise
            seconds += time.process_time() - before
            done += 1
            if progress is not None:
                progress(done, total)
        if len(results) < len(games):
            continue
        rows.append(
            {
                "algorithm": name,
                "title": facts.title,
                "exact": facts.exact,
                "nodes": sum(result.nodes for result in results),
                "leaves": sum(result.leaves for result in results),
                "seconds": seconds,
                "right": sum(
                    math.isclose(result.value, right, abs_tol=1e-9)
                    for result, right in zip(results, truth, strict=True)
                ),
                "trees": len(games),
            }
        )
    rows.sort(key=lambda row: (row["nodes"], row["algorithm"]))
    return {"experiment": "compare", "trees": list(trees), "rows": rows}


def _exact_algorithms(games: list[Game[Any, Any]]) -> list[str]:
    """Every registered algorithm that is exact and fits all the games."""
    found = []
    for name in algorithm_names():
        facts, _ = load_algorithm(name)
        if facts.exact and all(fits(facts, game) for game in games):
            found.append(name)
    return found


def _right_value(game: Game[Any, Any]) -> float:
    for name in REFERENCES:
        if fits(load_algorithm(name)[0], game):
            return analyse(game, algorithm=name).value
    raise BadInput(f"'{game.name}' has no exact value to compare with; expected a game of perfect information.")
