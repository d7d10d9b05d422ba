"""Tuning that can be stopped at any time: the same call goes on where it was, and ends with the same weights.

Beside the file of weights there are two more while the work lasts: `….positions.npz` with the positions that were
collected, and `….checkpoint.npz` with the state of the fit after the last whole epoch. Both know what they were made
from; where that has changed, the work begins anew.
"""

from __future__ import annotations

import hashlib
import io
import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from gametree.core.errors import BadInput
from gametree.core.files import write_atomically
from gametree.core.game import Game
from gametree.learning.texel import Fit, Linear, Positions, collect, improve, start_fit, values

__all__ = ["Category", "Tuned", "categories", "plot_curves", "text_curves", "tune"]

Progress = Callable[[str, int, int], None]
"""Told what is being done, how much of it is done, and how much there is (0 if that is not known)."""


@dataclass(frozen=True)
class Tuned:
    """What came of a tuning."""

    fit: Fit
    positions: Positions
    weights: Any
    """As they were written, shape (features, 2)."""
    resumed: int
    """Epochs that an earlier run had done."""


def tune(
    game: Game[Any, Any],
    paths: Sequence[Path],
    output: Path,
    *,
    epochs: int = 200,
    per_game: int = 12,
    validation: float = 0.1,
    rate: float = 1.0,
    spread: float = 15,
    roughness: float = 8,
    seed: int = 1,
    progress: Progress | None = None,
) -> Tuned:
    """Fit the weights of the game's evaluation to the games of the files and write them to `output`.

    Raises BadInput if the game's evaluation is not linear, if a file cannot be read, or for a number out of range.
    """
    linear: Linear = game.tuning()
    _check(epochs=epochs, per_game=per_game, validation=validation, rate=rate, spread=spread, roughness=roughness)
    tell = progress or (lambda what, done, total: None)
    made_from = _fingerprint(linear, paths, per_game, validation, seed)
    positions = _positions(linear, paths, _beside(output, "positions"), made_from, per_game, validation, seed, tell)
    checkpoint = _beside(output, "checkpoint")
    made_from += f" {rate} {spread} {roughness}"
    fit = _read_checkpoint(checkpoint, made_from)
    resumed = 0 if fit is None else fit.epochs
    if fit is None:
        tell("fitting the scale", 0, 0)
        fit = start_fit(linear, positions)
    while fit.epochs < epochs:
        improve(fit, positions, linear.neighbours, fixed=linear.fixed, rate=rate, spread=spread, roughness=roughness)
        _write_checkpoint(checkpoint, made_from, fit)
        tell("tuning", fit.epochs, epochs)
    weights = linear.settle(fit.weights)
    write_atomically(output, linear.text(weights))
    return Tuned(fit, positions, weights, resumed)


def _check(*, epochs: int, per_game: int, validation: float, **positive: float) -> None:
    if epochs < 1 or per_game < 1:
        name, value = ("epochs", epochs) if epochs < 1 else ("positions of a game", per_game)
        raise BadInput(f"{value} {name} are not possible; expected at least 1.")
    if not 0 <= validation < 1:
        raise BadInput(f"A share of {validation:g} for validation is not possible; expected 0 to less than 1.")
    for name, number in positive.items():
        if not 0 < number < float("inf"):
            raise BadInput(f"A {name} of {number:g} is not possible; expected a number above 0.")


# Files beside the weights ---------------------------------------------------------------------------------------------


def _beside(output: Path, what: str) -> Path:
    return output.with_name(f"{output.name}.{what}.npz")


def _fingerprint(linear: Linear, paths: Sequence[Path], *settings: object) -> str:
    """Text that differs where the positions or the start would."""
    files = []
    for path in paths:
        try:
            stat = path.stat()
        except OSError as error:
            raise BadInput(f"'{path}' cannot be read: {error.strerror or error}.") from None
        files.append((str(path.resolve()), stat.st_size, stat.st_mtime_ns))
    whole = repr((linear.terms, files, settings)).encode() + np.asarray(linear.weights).tobytes()
    return hashlib.sha256(whole).hexdigest()


def _load(path: Path, made_from: str) -> dict[str, Any] | None:
    """The arrays of a file that was made from the same; None where there is none, or a damaged one."""
    try:
        with np.load(path, allow_pickle=False) as data:
            if str(data["made_from"]) != made_from:
                return None
            return {name: data[name] for name in data.files if name != "made_from"}
    except (OSError, ValueError, KeyError, EOFError):
        return None


def _save(path: Path, made_from: str, **arrays: Any) -> None:
    buffer = io.BytesIO()
    np.savez(buffer, made_from=np.array(made_from), **arrays)
    write_atomically(path, buffer.getvalue())


def _positions(
    linear: Linear,
    paths: Sequence[Path],
    kept: Path,
    made_from: str,
    per_game: int,
    validation: float,
    seed: int,
    tell: Progress,
) -> Positions:
    found = _load(kept, made_from)
    if found is not None:
        return Positions(**{**found, "games": int(found["games"]), "broken": int(found["broken"])})
    positions = collect(
        linear,
        paths,
        per_game=per_game,
        validation=validation,
        seed=seed,
        progress=lambda games, count: tell(f"reading games, {count:,} positions", games, 0),
    )
    _save(kept, made_from, **vars(positions))
    return positions


def _read_checkpoint(path: Path, made_from: str) -> Fit | None:
    found = _load(path, made_from)
    if found is None:
        return None
    errors = [(float(a), float(b)) for a, b in found.pop("errors")]
    return Fit(**{**found, "scale": float(found["scale"])}, errors=errors)


def _write_checkpoint(path: Path, made_from: str, fit: Fit) -> None:
    _save(path, made_from, **{**vars(fit), "errors": np.array(fit.errors)})


# What was learned -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Category:
    """Positions of about the same value, in points, and how their games ended for seat 0."""

    low: float
    high: float
    positions: int
    won: float
    drawn: float
    lost: float

    @property
    def expected(self) -> float:
        """The expected value of the category: a win counts 1, a draw ½, a loss 0."""
        return self.won + self.drawn / 2


def categories(tuned: Tuned, unit: int, edges: Sequence[float] = (-3, -2, -1, -0.5, 0, 0.5, 1, 2, 3)) -> list[Category]:
    """Share of wins, draws and losses by the value of the position: what experience makes of an advantage."""
    found = values(tuned.positions, tuned.fit.weights) / unit
    bounds = [-float("inf"), *edges, float("inf")]
    rows = []
    for low, high in itertools.pairwise(bounds):
        # What somebody expects counts as the result that is nearest to it.
        results = np.round(2 * tuned.positions.results[(found >= low) & (found < high)]) / 2
        shares = [float((results == result).mean()) if len(results) else 0.0 for result in (1.0, 0.5, 0.0)]
        rows.append(Category(low, high, len(results), *shares))
    return rows


def text_curves(errors: Sequence[tuple[float, float]], *, width: int = 60, height: int = 8) -> str:
    """The errors over the epochs as a picture of characters: ● learned, ○ held out."""
    points = np.array(errors)
    if not points[:, 1].any():
        points = points[:, :1]  # nothing was held out
    low, high = float(points.min()), float(points.max())
    columns = np.linspace(0, len(points) - 1, min(width, len(points))).round().astype(int)
    grid = [[" "] * len(columns) for _ in range(height)]
    for curve in reversed(range(points.shape[1])):
        for x, epoch in enumerate(columns):
            share = 0.0 if high == low else (points[epoch, curve] - low) / (high - low)
            grid[height - 1 - round(share * (height - 1))][x] = "●○"[curve]
    labels = [f"{high:.5f}", *[""] * (height - 2), f"{low:.5f}"]
    lines = [f"{label:>8} │{''.join(row)}" for label, row in zip(labels, grid, strict=True)]
    return "\n".join([*lines, f"{'':>8} └{'─' * len(columns)} {len(points)} epochs"])


def plot_curves(errors: Sequence[tuple[float, float]], path: Path) -> None:
    """The same as .png, .svg or .pdf. Raises BadInput if Matplotlib is missing or the path cannot be written."""
    kind = path.suffix.lower().lstrip(".")
    if kind not in ("png", "svg", "pdf"):
        raise BadInput(f"'{path}' does not end in .png, .svg or .pdf, so the plot has no format.")
    try:
        import matplotlib
        from matplotlib.figure import Figure
    except ImportError:
        raise BadInput(f"The plot '{path}' needs Matplotlib; install it with: pip install 'gametree[plots]'.") from None
    figure = Figure(figsize=(7, 4), layout="constrained")
    panel = figure.subplots()
    points = np.array(errors)
    panel.plot(points[:, 0], label="learned from")
    if points[:, 1].any():
        panel.plot(points[:, 1], label="held out")
    panel.set_xlabel("epoch")
    panel.set_ylabel("mean squared error")
    panel.legend(frameon=False)
    buffer = io.BytesIO()
    with matplotlib.rc_context({"svg.hashsalt": "gametree", "svg.fonttype": "none"}):
        figure.savefig(buffer, format=kind, metadata={"Date": None} if kind == "svg" else None)
    write_atomically(path, buffer.getvalue())
