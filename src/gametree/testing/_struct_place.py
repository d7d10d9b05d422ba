"""A position of the trial's random games, and the questions that many of its checks ask."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NoReturn, Protocol

from gametree.core.facts import Facts
from gametree.kernels.transposition import MAX_MOVE
from gametree.testing._struct_calls import Answer

__all__ = [
    "DRAWS",
    "SAMPLED_MOVES",
    "Asker",
    "Place",
    "check_among",
    "check_by_seats",
    "check_list",
    "mover_of",
    "moves_of",
    "note_of",
    "some_moves",
    "view_of",
]

SAMPLED_MOVES = 6
"""This many moves are played in every position."""
DRAWS = 4
"""So often a verb that draws by bits is asked where that is costly."""


@dataclass
class Place:
    """A position of a random game, and what the rules say of it."""

    struct: bytes
    seat: int
    """Who is to move: a seat, CHANCE or SIMULTANEOUS."""
    moves: tuple[int, ...] = ()
    """The legal moves, or the outcomes of chance; some that were drawn if they cannot be listed."""
    odds: tuple[float, ...] = ()
    unlisted: bool = False
    choices: tuple[tuple[int, ...], ...] = ()
    """Where several choose at once: what each seat may choose."""
    children: list[tuple[Any, bytes]] = field(default_factory=list)
    """Some of the moves, and where they lead."""
    first: bool = False
    line: Sequence[int] = ()
    """The repetition keys of the positions before this one, the latest last."""
    cache: dict[Any, Any] = field(default_factory=dict)

    @property
    def over(self) -> bool:
        """Whether the game has ended."""
        return not self.moves and not any(self.choices)

    @property
    def decides(self) -> bool:
        """Whether one seat is to choose a move."""
        return self.seat >= 0 and not self.over


MOST_WIDE = (1 << 62) - 1
"""The largest move where `facts.wide_moves` says that tables cannot hold all of them."""


class Asker(Protocol):
    """What a check needs of the trial."""

    verbs: dict[str, Any]
    constants: dict[str, Any]
    facts: Facts
    rng: Any
    by_hash: dict[tuple[str, int], tuple[bytes, Any]]
    blank: bytes

    def ask(self, verb: str, **given: Any) -> Answer: ...
    def fail(self, verb: str, what: str) -> NoReturn: ...
    def bits(self) -> int: ...


def check_list(trial: Asker, verb: str, moves: Sequence[int], most: int = 0) -> None:
    """Moves are numbers in range, each once; by default the range is what the game's facts say."""
    most = most or (MOST_WIDE if trial.facts.wide_moves else MAX_MOVE)
    seen = set()
    for move in moves:
        if not 0 <= move <= most:
            trial.fail(verb, f"gives the move {move}; expected whole numbers from 0 to {most}")
        if move in seen:
            trial.fail(verb, f"gives the move {move} twice")
        seen.add(move)


def check_among(trial: Asker, verb: str, moves: Sequence[int], legal: Sequence[int]) -> None:
    check_list(trial, verb, moves)
    stranger = next((move for move in moves if move not in legal), None)
    if stranger is not None:
        trial.fail(verb, f"gives the move {stranger}, which legal_moves() does not give")


def some_moves(trial: Asker, place: Place) -> list[int]:
    return trial.rng.sample(place.moves, min(SAMPLED_MOVES, len(place.moves)))  # type: ignore[no-any-return]


def view_of(trial: Asker, place: Place, struct: bytes, seat: int) -> bytes:
    """What the seat knows of a struct; asked once for each place."""
    key = ("view", struct, seat)
    if key not in place.cache:
        place.cache[key] = trial.ask("hide", s=struct, seat=seat).s
    return place.cache[key]  # type: ignore[no-any-return]


def moves_of(trial: Asker, struct: bytes) -> tuple[int, ...]:
    return tuple(trial.ask("legal_moves", s=struct).value)


def mover_of(trial: Asker, struct: bytes) -> int:
    return int(trial.ask("player", s=struct).value) if "player" in trial.verbs else 0


def note_of(trial: Asker, place: Place, struct: bytes) -> dict[str, bytes]:
    """The notes of a struct as an argument, where the game keeps some."""
    if "note_fresh" not in trial.verbs:
        return {}
    key = ("note", struct)
    if key not in place.cache:
        place.cache[key] = trial.ask("note_fresh", s=struct, note=trial.blank).note
    return {"note": place.cache[key]}


def check_by_seats(trial: Asker, verb: str, values: Sequence[float], unit: int) -> None:
    """Values of every seat: in range, alike within a team."""
    low, high = trial.constants["LOWEST"] * unit, trial.constants["HIGHEST"] * unit
    for seat, value in enumerate(values):
        if not low <= value <= high:
            more = ", utility × UNIT" if unit > 1 else ""
            trial.fail(verb, f"gives {value} for seat {seat}; the facts promise {low} to {high}{more}")
    for team in trial.facts.teams or ():
        if len({values[seat] for seat in team}) > 1:
            trial.fail(verb, f"differs within the team {team}; expected the same for all of its seats")
