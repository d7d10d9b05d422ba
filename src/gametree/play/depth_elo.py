"""What one more ply is worth: the same search at neighbouring depths, game after game.

Source of the question: programs of the 1970s to 1990s gained 50 to 100 Elo, at first 200, with every ply: Thompson,
"Computer chess strength" (1982); Heinz, "Self-play, deep search and diminishing returns" (2001).
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from gametree.core.errors import BadInput
from gametree.core.game import Game
from gametree.play.events import Event, groups_of
from gametree.play.openings import default_plies
from gametree.play.runner import run_event
from gametree.play.statistics import strength
from gametree.play.store import Store
from gametree.play.summary import rate_events

__all__ = ["depth_elo", "plot_depth_elo"]


def depth_elo(
    game: Game[Any, Any],
    store: Store,
    *,
    algorithm: str = "alphabeta",
    depths: Sequence[int] = (1, 2, 3, 4),
    games: int = 100,
    random_plies: int | None = None,
    seed: int = 1,
    concurrency: int = 1,
    progress: Callable[[int, int], None] | None = None,
) -> dict[str, Any]:
    """Matches between neighbours among `depths`, as data: `steps` with the Elo gained by each, and `ratings` by depth.

    Everything is kept in the store, so that a run that was stopped goes on. Raises BadInput, UnfitGame.
    """
    if len(depths) < 2 or list(depths) != sorted(set(depths)) or depths[0] < 1:
        raise BadInput(f"Depths {', '.join(map(str, depths))} will not do; expected at least two, rising, from 1 on.")
    plies = default_plies(game) if random_plies is None else random_plies
    names = {depth: f"{algorithm}{',' if ':' in algorithm else ':'}depth={depth}" for depth in depths}
    steps, played = [], []
    total = games * (len(depths) - 1)
    for place, (low, high) in enumerate(itertools.pairwise(depths)):
        event = Event(
            "match", game.name, (names[high], names[low]), games, seed=seed, random_plies=plies,
            adjudication={},
        )  # fmt: skip
        done = place * games

        def tell(results: Mapping[int, Any], done: int = done) -> None:
            if progress is not None:
                progress(done + len(results), total)

        outcome = run_event(event, store, game=game, concurrency=concurrency, progress=tell)
        results = list(outcome.results.values())
        found = strength(groups_of(results, *event.players)).to_data()
        steps.append({"from": low, "to": high, **found})
        played.append((event, results))
    ratings = {row.player: row for row in rate_events(played, anchor=names[depths[0]]).table}
    rows = [{"depth": d, "elo": ratings[names[d]].elo, "error": ratings[names[d]].error} for d in depths]
    plies_gained = depths[-1] - depths[0]
    return {
        "game": game.name,
        "algorithm": algorithm,
        "steps": steps,
        "ratings": rows,
        "elo_per_ply": rows[-1]["elo"] / plies_gained,
        "error_per_ply": rows[-1]["error"] / plies_gained,
    }


def plot_depth_elo(data: dict[str, Any], path: Any) -> None:
    """Draw the ratings by depth with their error bars. Raises BadInput if Matplotlib is missing or the file fails."""
    try:
        import matplotlib

        matplotlib.use("Agg")
        import matplotlib.pyplot as plt
    except ImportError:
        raise BadInput("Plots need Matplotlib; install gametree[plots].") from None
    rows = data["ratings"]
    figure, axes = plt.subplots(figsize=(6, 4))
    axes.errorbar(
        [row["depth"] for row in rows], [row["elo"] for row in rows], [row["error"] for row in rows],
        marker="o", capsize=4,
    )  # fmt: skip
    axes.set_xlabel("depth in plies")
    axes.set_ylabel("Elo above the lowest depth (95 %)")
    axes.set_title(f"{data['game']}, {data['algorithm']}: {data['elo_per_ply']:+.0f} Elo a ply")
    axes.set_xticks([row["depth"] for row in rows])
    figure.tight_layout()
    try:
        figure.savefig(path)
    except (OSError, ValueError) as error:
        raise BadInput(f"'{path}' cannot be written: {error}.") from None
    finally:
        plt.close(figure)
