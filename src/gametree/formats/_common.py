"""What the notations of whole games share."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any, Protocol

from gametree.core.errors import GametreeError
from gametree.core.format import Format, Record
from gametree.core.game import Game

__all__ = ["RESULTS", "Unread", "offer_records", "play_moves", "result_text", "start_of", "utilities_of"]

RESULTS = ("1-0", "0-1", "1/2-1/2", "*")
"""Who has won, as most notations write it; the last is a game that goes on."""


class Unread(Protocol):
    """A game as it stands in a file; only as much of it is read as its title needs."""

    @property
    def line(self) -> int:
        """Where it begins in its file."""

    @property
    def game(self) -> str:
        """The game with its parameters, as far as the text says it; empty if it does not."""

    @property
    def title(self) -> str:
        """Who played, and what else helps to find it among others; may be empty."""

    def record(self, game: Game[Any, Any]) -> Record:
        """Read it by the rules of the game. Raises nothing: what is wrong is in `error`."""


def offer_records(
    game: Game[Any, Any],
    title: str,
    suffix: str,
    split: Callable[[Iterable[str]], Iterator[Unread]],
    write: Callable[[Game[Any, Any], Record], str],
) -> Format:
    """A notation of whole games as the game offers it; text and lines of text are read alike."""
    return Format("record", title, partial(write, game), partial(_read, game, split), suffix)


def _read(
    game: Game[Any, Any], split: Callable[[Iterable[str]], Iterator[Unread]], lines: Iterable[str]
) -> Iterator[Record]:
    found = split(lines.splitlines(keepends=True) if isinstance(lines, str) else lines)
    return (unread.record(game) for unread in found)


def start_of(game: Game[Any, Any], position: str | None) -> Any:
    """The state that a record begins with. Raises BadInput."""
    return game.initial() if position is None else game.state_from_text(position)


def play_moves(
    game: Game[Any, Any], state: Any, moves: Iterable[str], notation: Format | None = None
) -> tuple[list[str], list[Any], str]:
    """The moves as the game writes them and as actions, as far as they are legal, and what is wrong with the next.

    With a notation of moves it says what is legal, which may be more: play may have gone on after a draw.
    """
    texts: list[str] = []
    actions: list[Any] = []
    for text in moves:
        if notation is None and game.is_terminal(state):
            return texts, actions, f"The move '{text[:40]}' comes after the end of the game."
        try:
            action = (game.action_from_text if notation is None else notation.read)(state, text)
        except GametreeError as error:
            return texts, actions, f"Move {len(texts) + 1}: {error}"
        texts.append(game.action_text(state, action))
        actions.append(action)
        state = game.result(state, action)
    return texts, actions, ""


def result_text(utilities: tuple[float, ...] | None) -> str:
    """One of RESULTS."""
    if utilities is None:
        return "*"
    first, second = utilities[:2]
    return "1-0" if first > second else "0-1" if first < second else "1/2-1/2"


def utilities_of(game: Game[Any, Any], result: str) -> tuple[float, ...] | None:
    """What a result is worth to both seats: all, nothing or the middle; None if there is none."""
    most, least = float(game.facts.max_utility), float(game.facts.min_utility)
    middle = (most + least) / 2
    known = {"1-0": (most, least), "0-1": (least, most), "1/2-1/2": (middle, middle)}
    return known.get(result) if game.facts.players == 2 else None
