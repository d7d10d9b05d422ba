"""Where tables are kept, and what all tables of a game together say of its positions.

Tables that are built go into the user's folder, one file a class. Some come with gametree, as outcomes alone; what the
user has built is asked first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from importlib import resources
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from gametree.core.errors import BadInput
from gametree.core.folders import data_folder
from gametree.kernels.compiled_game import CompiledGame
from gametree.kernels.verbs import index_of, is_urgent, set_index, table_class
from gametree.kernels.waiting import plain_at_first
from gametree.knowledge.tables.retrograde import (
    Progress,
    build_classes,
    build_order,
    check_game,
    classes_after,
)
from gametree.knowledge.tables.store import SUFFIX, TableFile, write_tables
from gametree.search.support.probing import DISTANCE, OUTCOME, QUIET, Tables
from gametree.search.support.table_bytes import NOTHING, outcome_of, plies_of

__all__ = ["Found", "TableFolder", "base_name", "classes_of", "needed", "write_small"]


class Found(NamedTuple):
    """What tables say of a position, seen by its mover."""

    outcome: int
    """1 won, 0 drawn, −1 lost."""
    plies: int | None
    """In how many plies the game ends, if the tables know and it is not drawn."""


def base_name(game: CompiledGame) -> str:
    """The game without its parameters, which tables do not depend on."""
    return game.name.partition(":")[0]


def classes_of(game: CompiledGame, text: str) -> list[int]:
    """The classes that a text means: one by its name, or several. Raises BadInput."""
    check_game(game)
    return list(game.classes_of_name(text))


@plain_at_first
def find_place(states: Any, out: Any, weights: Any) -> None:
    """Class and number of a position, and whether its mover must capture."""
    s, w = states[0], weights[0]
    c = np.int64(table_class(s, w))
    out[0] = c
    out[1] = index_of(s, c, w) if c >= 0 else np.int64(0)
    out[2] = 1 if is_urgent(s, w) else 0


class TableFolder:
    """The tables of one game. Raises BadInput if a file is damaged or of another game."""

    def __init__(self, game: CompiledGame, folder: Path | None = None) -> None:
        self.game = game
        self.folder = folder or data_folder() / "tables" / base_name(game)
        self._files: dict[int, TableFile | None] = {}
        self._shipped: TableFile | None = None
        place = resources.files("gametree") / "knowledge" / "data" / f"{base_name(game)}{SUFFIX}"
        if folder is None and isinstance(place, Path) and place.is_file():
            self._shipped = TableFile(place)

    def path(self, c: int) -> Path:
        """The file of a class."""
        return self.folder / f"{self.game.class_name(c)}{SUFFIX}"

    def file(self, c: int) -> TableFile | None:
        """The file that knows most of a class; None if there is none."""
        if c not in self._files:
            own = self.path(c)
            found = TableFile(own) if own.is_file() else None
            if found is not None and (found.game != base_name(self.game) or c not in found.classes):
                raise BadInput(
                    f"'{own}' is of another game or class; expected {self.game.class_name(c)} of {self.game.name}."
                )
            if found is None and self._shipped is not None and c in self._shipped.classes:
                found = self._shipped
            self._files[c] = found
        return self._files[c]

    def has_distances(self, c: int) -> bool:
        """Whether the class has been built here, in full."""
        found = self.file(c)
        return found is not None and found.kind == "distance" and not found.quiet

    def build(
        self,
        classes: Sequence[int],
        *,
        threads: int = 1,
        progress: Progress | None = None,
        told: Callable[[list[int]], None] | None = None,
    ) -> None:
        """Build what is missing of the classes and of all that they lead to; what is finished stays, whatever happens.

        `told` hears of every group of classes that has been written. Raises BadInput.
        """
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise BadInput(f"'{self.folder}' cannot be made: {error.strerror or error}.") from None
        solved: dict[int, Any] = {}
        for group in build_order(self.game, classes):
            if all(self.has_distances(c) for c in group):
                continue
            for c in needed(self.game, group):
                if c not in solved:
                    solved[c] = self.load(c)
            for c, table in build_classes(self.game, group, solved, threads=threads, progress=progress).items():
                write_tables(self.path(c), base_name(self.game), {c: table}, {c: self.game.class_name(c)})
                self._files.pop(c, None)
                solved[c] = table
            if told is not None:
                told(group)

    def load(self, c: int) -> Any:
        """The bytes of a class that has been built. Raises BadInput."""
        found = self.file(c)
        if found is None or not self.has_distances(c):
            raise BadInput(
                f"There is no table {self.game.class_name(c)} of {self.game.name} in '{self.folder}'; "
                f"build it with `gametree tables build {self.game.name} {self.game.class_name(c)}`."
            )
        return found.load(c)

    def for_search(self) -> Tables:
        """All that is known, for engine and solver: distances where they have been built, else outcomes."""
        scale = int(self.game.facts.max_utility)
        tables, kinds = {}, {}
        numbers = {c for group in self._known() for c in group}
        for c in sorted(numbers):
            found = self.file(c)
            if found is not None:
                tables[c] = found.load(c)
                kinds[c] = (DISTANCE if found.kind == "distance" else OUTCOME) | (QUIET if found.quiet else 0)
        return Tables(self.game, tables, scale=scale, kinds=kinds)

    def _known(self) -> Iterator[list[int]]:
        """The classes that have files, in the user's folder and among those that come with gametree."""
        if self._shipped is not None:
            yield self._shipped.classes
        if self.folder.is_dir():
            for path in sorted(self.folder.glob(f"*{SUFFIX}")):
                yield [c for c in TableFile(path).classes if self.path(c) == path]

    def probe(self, state: Any) -> Found | None:
        """What the tables say of a position; None if they do not know it."""
        game = self.game
        if game.is_terminal(state):
            value = game.utility(state, game.player(state))
            return Found((value > 0) - (value < 0), 0)
        place = np.zeros(3, np.int64)
        game.rules.kernel(find_place)(game.structs(state), place, game.w)
        c, index, urgent = place.tolist()
        found = self.file(c) if c >= 0 else None
        if found is None:
            return None
        if found.quiet and urgent:  # captures are left out: what they lead to is known
            return self._best_capture(state)
        byte = found.byte(c, index)
        if byte == NOTHING:
            return None
        return Found(outcome_of(byte), int(plies_of(byte)) if found.kind == "distance" and byte else None)

    def _best_capture(self, state: Any) -> Found | None:
        children = [self.probe(self.game.result(state, action)) for action in self.game.actions(state)]
        best = min((child.outcome for child in children if child is not None), default=None)
        known = best is not None and (best < 0 or None not in children)
        return Found(-best, None) if known and best is not None else None

    def outcomes(self, state: Any) -> list[tuple[Any, Found]]:
        """For every legal move that leads to a known position what it is worth to the mover, the best first."""
        found = []
        for action in self.game.actions(state):
            after = self.probe(self.game.result(state, action))
            if after is not None:
                found.append((action, Found(-after.outcome, None if after.plies is None else after.plies + 1)))
        # Quick wins and slow losses first.
        return sorted(found, key=lambda pair: (-pair[1].outcome, pair[1].outcome * (pair[1].plies or 0)))


def needed(game: CompiledGame, group: Sequence[int]) -> list[int]:
    """The classes that a group leads to."""
    return sorted({after for c in group for after in classes_after(game, c)} - set(group))


@plain_at_first
def keep_quiet(states: Any, c: Any, table: Any, out: Any, weights: Any) -> None:
    """Outcomes alone; where the mover must capture, and where there is no position, whatever stood before."""
    last = np.int64(0)
    for i in range(table.shape[0]):
        byte = np.int64(table[i])
        if byte != NOTHING and set_index(states[0], c, i, weights[0]) and not is_urgent(states[0], weights[0]):
            last = np.int64(1 if byte > 0 else -1 if byte < 0 else 0)
        out[i] = last


def write_small(tables: TableFolder, classes: Sequence[int], path: Path) -> int:
    """Write the outcomes of classes that have been built into one small file; return its size in bytes.

    Positions whose mover must capture are left out (Schaeffer and others 1994): whoever asks about one plays the
    captures first. Raises BadInput.
    """
    game, small = tables.game, {}
    for c in classes:
        table = tables.load(c)
        small[c] = np.zeros(len(table), np.int8)
        states = np.zeros(1, game.rules.state_type)
        game.rules.kernel(keep_quiet)(states, c, table, small[c], game.w)
    names = {c: game.class_name(c) for c in classes}
    write_tables(path, base_name(game), small, names, kind="outcome", quiet=True, block=1 << 20)
    return path.stat().st_size
