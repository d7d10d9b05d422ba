"""Matches and tournaments in the terminal: a live table while they run, and tables of what came of them."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from rich.console import Console, Group
from rich.live import Live
from rich.padding import Padding
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from gametree.play.endings import REASONS
from gametree.play.events import Event, Finished
from gametree.play.summary import summarise

__all__ = ["cross_table", "elo_text", "live", "rating_table", "reasons_text", "standings_table"]


def elo_text(value: float | None, low: float | None, high: float | None) -> str:
    """`+35 [+2, +69]`; an end that is not known is infinite."""

    def one(number: float | None, unknown: str) -> str:
        return unknown if number is None or not math.isfinite(number) else f"{round(number):+d}"

    whole = one(value, "+∞" if high is None else "-∞")
    return f"{whole} [{one(low, '-∞')}, {one(high, '+∞')}]"


def standings_table(summary: Mapping[str, Any]) -> Table:
    """Points, wins, draws and losses, with the mean utility where it tells more."""
    table = Table(header_style="bold")
    for heading in ("player", "games", "won", "drawn", "lost", "points", "%", "mean utility"):
        table.add_column(heading, justify="left" if heading == "player" else "right", overflow="fold")
    for row in summary["standings"]:
        share = f"{100 * row['points'] / row['games']:.1f}" if row["games"] else ""
        counts = [str(row[key]) for key in ("games", "wins", "draws", "losses")]
        table.add_row(row["player"], *counts, f"{row['points']:g}", share, f"{row['utility']:.3f}")
    return table


def cross_table(summary: Mapping[str, Any]) -> Table:
    """Points of every player against every other."""
    players = [row["player"] for row in summary["standings"]]
    table = Table("", "player", *(str(place + 1) for place in range(len(players))), header_style="bold")
    for place, name in enumerate(players):
        cells = ["·" if other == name else f"{summary['cross_table'][name].get(other, 0):g}" for other in players]
        table.add_row(str(place + 1), name, *cells)
    return table


def rating_table(ratings: list[dict[str, Any]]) -> Table:
    """Elo with 95 % error bars, best first."""
    table = Table(header_style="bold")
    for heading in ("", "player", "Elo", "±", "games", "%", "draws", "stronger than next"):
        table.add_column(heading, overflow="fold" if heading == "player" else "ellipsis")
    for place, row in enumerate(ratings):
        sure = "" if row["superiority"] is None else f"{100 * row['superiority']:.1f} %"
        table.add_row(
            str(place + 1), row["player"], f"{round(row['elo']):+d}", f"{row['error']:.0f}", str(row["games"]),
            f"{100 * row['score']:.1f}", f"{100 * row['draw_rate']:.0f} %", sure,
        )  # fmt: skip
    return table


def reasons_text(summary: Mapping[str, Any]) -> str:
    """How the games ended, in one line; empty if all were played to the end."""
    reasons = summary["reasons"]
    if set(reasons) <= {"end"}:
        return ""
    return "Ends: " + "; ".join(f"{count} × {REASONS[reason]}" for reason, count in reasons.items()) + "."


@contextmanager
def live(event: Event, total: int, *, quiet: bool = False) -> Iterator[Callable[[Mapping[int, Finished]], None] | None]:
    """A table on standard error that follows the event, as a callback; None where nobody would see it."""
    errors = Console(stderr=True)
    if quiet or not errors.is_terminal:
        yield None
        return
    began = time.monotonic()
    before: int | None = None
    with Live(console=errors, transient=True, refresh_per_second=4) as screen:
        shown = 0.0

        def show(results: Mapping[int, Finished]) -> None:
            nonlocal before, shown
            if before is None:
                before = len(results)  # from an earlier run, so no measure of the speed of this one
            done = len(results)
            if time.monotonic() - shown < 0.25 and done < total:
                return
            shown = time.monotonic()
            screen.update(follow(event, results, total, done - before, shown - began))

        yield show


def follow(event: Event, results: Mapping[int, Finished], total: int, played: int, seconds: float) -> Group:
    """What the live display shows after `played` games in `seconds`."""
    done = len(results)
    pace = played / seconds if seconds > 0 else 0.0
    left = f", {_duration((total - done) / pace)} left" if pace > 0 else ""
    line = Text(f"{event.game}: game {done:,} of {total:,}, {60 * pace:,.0f} games a minute{left}")
    bar = Padding(ProgressBar(total=max(total, 1), completed=done, width=60))  # a bar alone does not end its line
    return Group(line, bar, standings_table(summarise(event, results)))


def _duration(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02d}:{rest:02d}"
