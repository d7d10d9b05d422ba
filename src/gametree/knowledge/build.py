"""Building a book: count what was played in each position and how it ended, then keep what is worth playing.

A row is one move of one game: the position's key, the move's code, and the points of the player who moved (2 for a win,
1 for a draw, 0 for a loss). Rows are added up as they come, so memory holds the different moves and not the games.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from gametree.core.errors import BadInput
from gametree.core.game import CHANCE, Game
from gametree.knowledge.book import ENTRY, read_entries
from gametree.knowledge.keys import Keys, keys_for

__all__ = ["STATISTICS", "BookBuilder", "merge_entries", "points_of", "select"]

STATISTICS = np.dtype(
    [("key", "u8"), ("move", "u2"), ("games", "u4"), ("wins", "u4"), ("draws", "u4"), ("losses", "u4")]
)
MOST_ROWS = 4_000_000
"""Rows that wait to be added up."""
HEAVIEST = 65_535
"""The greatest weight that an entry can have."""


def points_of(utilities: Sequence[float], seat: int) -> int:
    """What a finished game is worth to a seat: 2 if it alone has most, 1 if it shares that, else 0."""
    most = max(utilities)
    if utilities[seat] < most:
        return 0
    return 2 if list(utilities).count(most) == 1 else 1


class BookBuilder:
    """Counts the moves of games up to a number of plies from the start."""

    def __init__(self, game: Game[Any, Any], *, max_ply: int = 40) -> None:
        self.game = game
        self.max_ply = max_ply
        self.keys: Keys = keys_for(game)
        self._table = np.zeros(0, STATISTICS)
        self._waiting: list[tuple[Any, Any, Any]] = []
        self._rows = 0

    def add_game(self, actions: Iterable[Any], utilities: Sequence[float], start: Any = None) -> None:
        """Count a finished game, from the game's own start or another one; `actions` are legal."""
        game, state = self.game, self.game.initial() if start is None else start
        rows = []
        for ply, action in enumerate(actions):
            if ply >= self.max_ply:
                break
            seat = game.player(state)
            if seat != CHANCE:
                rows.append((self.keys.find(state)[0], self.keys.code(state, action), points_of(utilities, seat)))
            state = game.result(state, action)
        if rows:
            keys, codes, points = zip(*rows, strict=True)
            self.add_rows(np.array(keys, np.uint64), np.array(codes, np.uint16), np.array(points, np.uint8))

    def add_rows(self, keys: Any, codes: Any, points: Any) -> None:
        """Count many moves at once: arrays of keys, codes and points."""
        self._waiting.append((keys, codes, points))
        self._rows += len(keys)
        if self._rows >= MOST_ROWS:
            self._add_up()

    def _add_up(self) -> None:
        rows = np.zeros(self._rows, STATISTICS)
        for field, place in (("key", 0), ("move", 1)):
            rows[field] = np.concatenate([part[place] for part in self._waiting]) if self._waiting else 0
        points = np.concatenate([part[2] for part in self._waiting]) if self._waiting else np.zeros(0, np.uint8)
        rows["games"] = 1
        for field, worth in (("wins", 2), ("draws", 1), ("losses", 0)):
            rows[field] = points == worth
        self._table = _sum_up(np.concatenate([self._table, rows]))
        self._waiting, self._rows = [], 0

    def statistics(self) -> Any:
        """Every move that was played, as an array of STATISTICS, sorted by key and move."""
        if self._rows:
            self._add_up()
        return self._table


def _sum_up(rows: Any) -> Any:
    """One row for each key and move, with the counts added."""
    if len(rows) == 0:
        return rows
    rows = rows[np.lexsort((rows["move"], rows["key"]))]
    changes = (rows["key"][1:] != rows["key"][:-1]) | (rows["move"][1:] != rows["move"][:-1])
    starts = np.flatnonzero(np.concatenate(([True], changes)))
    table = rows[starts]
    for field in ("games", "wins", "draws", "losses"):
        table[field] = np.add.reduceat(rows[field], starts)
    return table


def select(
    statistics: Any, *, min_games: int = 3, min_score: float = 0.0, min_share: float = 0.0, margin: float = 1.0
) -> Any:
    """The entries of a book, as an array of ENTRY: a move weighs the half points that it scored, 2 wins + draws.

    Left out are moves that were played in fewer than `min_games` games or in less than `min_share` of the games of
    their position, or that scored less than `min_score` (the share of points, 0 to 1), or more than `margin` below the
    score of the position's games together. Raises BadInput for numbers that make no sense.
    """
    if min_games < 1:
        raise BadInput(f"min-games of {min_games} is not possible; expected 1 or more.")
    for name, value in (("min-score", min_score), ("min-share", min_share), ("margin", margin)):
        if not 0 <= value <= 1:
            raise BadInput(f"{name} of {value} is not possible; expected a share from 0 to 1.")
    half_points = 2 * statistics["wins"].astype(np.int64) + statistics["draws"]
    games = statistics["games"].astype(np.int64)
    _, place = np.unique(statistics["key"], return_inverse=True)
    all_games = np.bincount(place, games)[place]
    all_points = np.bincount(place, half_points)[place]
    score, mean = half_points / (2 * games), all_points / (2 * all_games)
    kept = (games >= min_games) & (games >= min_share * all_games) & (half_points > 0)
    kept &= (score >= min_score) & (score >= mean - margin)
    return _entries(statistics["key"][kept], statistics["move"][kept], half_points[kept])


def _entries(keys: Any, codes: Any, weights: Any) -> Any:
    """Entries with these weights, scaled within each position to what fits; what has a weight keeps one."""
    entries = np.zeros(len(keys), ENTRY)
    if len(keys) == 0:
        return entries
    _, place = np.unique(keys, return_inverse=True)
    heaviest = np.zeros(place.max() + 1, np.int64)
    np.maximum.at(heaviest, place, weights)
    scale = np.minimum(1.0, HEAVIEST / np.maximum(heaviest, 1))[place]
    entries["key"], entries["move"] = keys, codes
    entries["weight"] = np.where(weights > 0, np.maximum(1, np.floor(weights * scale)), 0)
    return entries


def merge_entries(paths: Sequence[str | Path]) -> tuple[str, Any]:
    """The game and all entries of several books; where they know the same move, its weights are added.

    Raises BadInput if one is no book or they are not of one game.
    """
    first, parts = None, []
    for path in paths:
        header, entries = read_entries(path)
        kind = (header.game, header.start) if header else ("chess", None)
        if first is None:
            first = kind
        elif kind != first:
            raise BadInput(f"'{path}' is a book of {kind[0]}, '{paths[0]}' one of {first[0]}; expected one game.")
        parts.append(entries)
    if first is None:
        raise BadInput("There is no book to merge; expected the paths of books.")
    rows = np.zeros(sum(map(len, parts)), STATISTICS)
    for field, source in (("key", "key"), ("move", "move"), ("games", "weight")):
        rows[field] = np.concatenate([part[source] for part in parts])
    table = _sum_up(rows)
    return first[0], _entries(table["key"], table["move"], table["games"].astype(np.int64))
