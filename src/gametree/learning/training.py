"""Training that can be stopped at any time: the same command goes on where it was.

The file of the network is the checkpoint: its header says from which recipe and seed it comes and how many games it has
learned from, and those three decide the weights. Beside it lies `….curve.json`, what the network got against a plain
rival after so many games.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from gametree.core.errors import BadInput
from gametree.core.files import write_atomically
from gametree.core.game import Game
from gametree.kernels.compiled_game import CompiledGame
from gametree.kernels.network_file import read_header, read_network, write_network
from gametree.learning.td import Measure, Trainer, read_recipe

__all__ = ["Trained", "is_measured", "train"]

CHUNK = 100
"""Games between two looks at the clock."""
SECONDS = 10.0
"""Between two checkpoints at most."""
PAIRS = 200
"""Pairs of games of a measure."""


@dataclass(frozen=True)
class Trained:
    """What came of a training."""

    games: int
    resumed: int
    """Games that earlier runs had learned from."""
    positions: int
    seconds: float
    """Of this run."""
    curve: tuple[Measure, ...]


def is_measured(games: int) -> bool:
    """After how many games the network is measured: 0, 100, 200, 500, 1000, 2000, 5000 and so on."""
    lead = str(games)
    return games == 0 or (games >= CHUNK and lead.rstrip("0") in ("1", "2", "5"))


def train(
    game: Game[Any, Any],
    output: Path,
    *,
    recipe: str = "classic",
    minutes: float | None = None,
    games: int | None = None,
    seed: int = 1,
    hidden: int | None = None,
    progress: Callable[[int, float, Measure | None], None] | None = None,
) -> Trained:
    """Learn until so many minutes are over or so many games are learned from, in all runs together.

    `progress` is told the games, how many of them this run plays in a second, and the last measure. Raises BadInput for
    a game that cannot be learned, numbers out of range, or an output that another training wrote.
    """
    if minutes is None and games is None:
        raise BadInput("Nothing says how long to train; expected minutes or games.")
    if minutes is not None and not 0 < minutes < 1e6:
        raise BadInput(f"minutes={minutes} is not possible; expected a number above 0.")
    if games is not None and games < CHUNK:
        raise BadInput(f"games={games} is too few; expected at least {CHUNK}.")
    if not 0 <= seed < 1 << 62:
        raise BadInput(f"seed={seed} is not possible; expected a whole number from 0 up.")
    lessons = game.learning()
    assert isinstance(game, CompiledGame)
    name = game.name.partition(":")[0]
    chosen = read_recipe(lessons, recipe, hidden=hidden)
    told = {"recipe": asdict(chosen), "seed": seed}
    begun, net, curve = 0, None, []
    beside = output.with_name(output.name + ".curve.json")
    if output.exists():
        header = read_header(output)
        if any(header.get(key) != value for key, value in told.items()):
            raise BadInput(f"'{output}' comes from another recipe or seed; choose another name or remove it first.")
        begun, net = int(header["games"]), read_network(output, name, game.rules.weights_type)
        curve = [measure for measure in _read_curve(beside) if measure.games <= begun]
    trainer = Trainer(lessons, chosen, seed, net, begun)
    positions = 0
    trainer.prepare()
    started = saved = time.monotonic()

    def save() -> None:
        write_network(output, name, trainer.net, games=trainer.games, **told)
        write_atomically(beside, json.dumps([asdict(measure) for measure in curve], indent=0) + "\n")

    while True:
        if is_measured(trainer.games) and all(measure.games != trainer.games for measure in curve):
            curve.append(trainer.measure(PAIRS))
        now = time.monotonic()
        done = (minutes is not None and now - started >= 60 * minutes) or (games is not None and trainer.games >= games)
        if done or now - saved >= SECONDS:
            save()
            saved = now
        if progress is not None:
            speed = (trainer.games - begun) / max(now - started, 1e-9)
            progress(trainer.games, speed, curve[-1] if curve else None)
        if done:
            if all(measure.games != trainer.games for measure in curve):
                curve.append(trainer.measure(PAIRS))
            return Trained(trainer.games, begun, positions, now - started, tuple(curve))
        positions += trainer.learn(CHUNK)


def _read_curve(path: Path) -> list[Measure]:
    try:
        return [Measure(**row) for row in json.loads(path.read_text(encoding="utf-8"))]
    except (OSError, ValueError, TypeError):
        return []
