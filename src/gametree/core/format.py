"""Notations: how positions, moves and whole games are written, here and by other programs.

A game offers notations by name in its attribute `formats`: `game.formats["fen"].write(state)`. Those of positions and
moves belong to the game; those of whole games, and of files, stand in the room `gametree.formats`, one file each, and a
game only names them (`shared_format`).
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from gametree.core.game import Game

__all__ = ["KINDS", "Format", "Record", "move_format", "position_format", "shared_format"]

KINDS = ("position", "move", "record")


@dataclass(frozen=True)
class Format:
    """One notation of one game; what `write` gives, `read` reads back.

    position   write(state) -> text            read(text) -> state                    raises BadInput
    move       write(state, action) -> text    read(state, text) -> action            raises IllegalMove
    record     write(record) -> text           read(lines) -> iterator of Record      never raises: see Record.error
    """

    kind: str
    title: str
    """What people call it."""
    write: Callable[..., str]
    read: Callable[..., Any]
    suffix: str = ""
    """How the names of its files end, such as ".pgn"; empty if it has no files. A file of positions has one a line."""
    read_line: Callable[[Any, Sequence[str]], list[Any]] | None = None
    """Of moves: read_line(state, texts) -> actions, as far as they are legal, if the game reads a line at once."""

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise ValueError(f"kind={self.kind!r} must be one of {', '.join(KINDS)}")


@dataclass(frozen=True, kw_only=True)
class Record:
    """One game as notations hold it. A notation that has no place for something leaves it out."""

    game: str = ""
    """The game with its parameters, as far as the text says it; empty if it does not."""
    position: str | None = None
    """The position that it began with, as the game reads it; None for the usual one."""
    moves: tuple[str, ...] = ()
    """All moves as the game writes them."""
    opening: int = 0
    """How many of them were played before the players took over."""
    comments: Mapping[int, str] = field(default_factory=dict)
    """What is said behind so many moves."""
    players: tuple[str, ...] = ()
    utilities: tuple[float, ...] | None = None
    """What it was worth to every seat; None if it goes on or nobody knows."""
    reason: str = ""
    """Why it ended, in a word: end, resigned, time, drawn, ..."""
    detail: str = ""
    """The same for people."""
    date: str = ""
    """As 2026-01-31."""
    tags: Mapping[str, str] = field(default_factory=dict)
    """What else the notation has words for, in its own words."""
    data: Mapping[str, Any] = field(default_factory=dict)
    """What else is known, for notations that hold anything."""
    line: int = field(default=1, compare=False)
    """Where in its file it stands, or where its fault does."""
    error: str = ""
    """What is wrong with the text, in one sentence; moves up to there are given."""
    actions: tuple[Any, ...] = field(default=(), compare=False)
    """The moves as actions, where they were read."""


def shared_format(game: Game[Any, Any], name: str, **options: Any) -> Format:
    """The notation of the room `gametree.formats` whose file is called so, for this game; `options` are its own.

    It is found by name, as games and algorithms are, so that a game need not import what reads its files.
    """
    found: Format = importlib.import_module(f"gametree.formats.{name}").offer(game, **options)
    return found


def position_format(game: Game[Any, Any], *names: str) -> Format:
    """The first of the named notations that the game offers; its own text of positions if it offers none of them."""
    own = Format("position", "position", game.state_text, game.state_from_text)
    return next((game.formats[name] for name in names if name in game.formats), own)


def move_format(game: Game[Any, Any], *names: str) -> Format:
    """The first of the named notations that the game offers; its own text of moves if it offers none of them."""
    own = Format("move", "move", game.action_text, game.action_from_text)
    return next((game.formats[name] for name in names if name in game.formats), own)
