"""What the terminal shows while code is compiled: a bar with the seconds left, or one plain line where none is seen."""

from __future__ import annotations

import sys
import time
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, Progress, ProgressColumn, TextColumn
from rich.text import Text

__all__ = ["CompileNews", "seconds_in_words"]


def seconds_in_words(seconds: float) -> str:
    """`about 40 s left`; rounded more the more there are."""
    if seconds >= 90:
        return f"about {round(seconds / 60)} min left"
    return f"about {round(seconds / 5) * 5 if seconds > 20 else max(1, round(seconds))} s left"


class _Left(ProgressColumn):
    """Counts the seconds down that the task was last said to need."""

    def render(self, task: Any) -> Text:
        left = task.fields["seconds"] - (time.monotonic() - task.fields["heard"])
        return Text(seconds_in_words(max(1.0, left)))


class CompileNews:
    """Listens to the compiler for one command: `say` goes to `on_compile`, `show` to `on_progress`."""

    def __init__(self, console: Console | None = None) -> None:
        self._console = console or Console(stderr=True)
        self._said: set[str] = set()
        self._bar: Progress | None = None
        self._task: Any = None

    def say(self, sentence: str) -> None:
        """A plain line, each only once; on a terminal the bar says more than `compiling chess, once`."""
        if sentence in self._said or (self._console.is_terminal and sentence.startswith("compiling ")):
            return
        self._said.add(sentence)
        print(f"gametree: {sentence}", file=sys.stderr, flush=True)

    def show(self, label: str, share: float, seconds: float) -> None:
        """Draw the bar of a compile that is so far; it goes when the compile is done."""
        if not self._console.is_terminal:
            return
        if share >= 1:
            self.close()
            return
        if self._bar is None:
            columns = (TextColumn("{task.description}"), BarColumn(), _Left())
            self._bar = Progress(*columns, console=self._console, transient=True)
            self._task = self._bar.add_task("", total=1.0, seconds=seconds, heard=time.monotonic())
            self._bar.start()
        self._bar.update(
            self._task,
            description=f"compiling {label}, once",
            completed=share,
            seconds=seconds,
            heard=time.monotonic(),
        )

    def close(self) -> None:
        """Take the bar away."""
        if self._bar is not None:
            self._bar.stop()
            self._bar = None
