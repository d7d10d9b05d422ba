"""Matches and tournaments: who meets whom, with which opening and which seed.

An `Event` is a plain description. Its schedule follows from it alone (a Swiss event also asks for the results so far),
so that a run can be stopped anywhere and taken up again: every game has a key made from the description and its number.

Games come in groups. The games of a group share the opening and the seed, hence dice and deals, and every player sits
once in every place: two games with seats swapped for two sides, a rotation for more.
"""

from __future__ import annotations

import hashlib
import itertools
import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from gametree.core.errors import BadInput
from gametree.core.game import Game
from gametree.core.specification import parse_specification
from gametree.play.openings import Opening, random_opening, seed_of
from gametree.play.player_names import parse_player

__all__ = [
    "KINDS",
    "Event",
    "Finished",
    "Task",
    "check",
    "compare",
    "fingerprints",
    "groups_of",
    "schedule",
    "total_games",
]

KINDS = ("match", "round-robin", "gauntlet", "swiss")


@dataclass(frozen=True)
class Event:
    """One match or tournament in one game. `games` is the number of games of each pairing; it is no part of the key,
    so that a longer run goes on where a shorter one has ended."""

    kind: str
    game: str
    players: tuple[str, ...]
    games: int
    seed: int = 1
    control: str = "none"
    margin: float = 0.0
    openings: tuple[str, ...] = ()
    """Openings from a file, taken in turn; none for random ones."""
    random_plies: int = 2
    adjudication: Mapping[str, Any] = field(default_factory=dict)
    rounds: int = 0
    """Rounds of a Swiss event."""
    prints: Mapping[str, str] = field(default_factory=dict)
    """Fingerprints of the files of games and players: other contents, other players."""
    patience: float = 600.0
    """Seconds for a move where no clock runs. Who needs more has failed, so that it is no part of the key either."""
    salt: str = ""
    """What makes the dice unforeseeable to players, who may guess the seed; drawn when the event is first stored, and
    no part of the key: who asks for the event again gets the same games."""

    @property
    def key(self) -> str:
        """What makes two events the same."""
        data = asdict(self)
        del data["games"], data["rounds"], data["patience"], data["salt"]
        return hashlib.sha256(json.dumps(data, sort_keys=True).encode()).hexdigest()[:16]

    def to_data(self) -> dict[str, Any]:
        """As JSON-ready data."""
        return asdict(self)


@dataclass(frozen=True)
class Task:
    """A game to be played."""

    key: str
    number: int
    group: int
    seats: tuple[str, ...]
    opening: str
    seed: int


@dataclass(frozen=True)
class Finished:
    """What statistics need of a game."""

    number: int
    group: int
    seats: tuple[str, ...]
    utilities: tuple[float, ...]
    reason: str
    plies: int
    seconds: float


def fingerprints(names: Iterable[str]) -> dict[str, str]:
    """Hash of every user's file among the names of games and players, books and weights included.

    Raises BadInput if one cannot be read.
    """
    found = {}
    for name in names:
        for path in _files(name):
            try:
                found[path] = hashlib.sha256(Path(path).expanduser().read_bytes()).hexdigest()[:12]
            except OSError as error:
                raise BadInput(f"'{path}' cannot be read: {error.strerror or error}.") from None
    return found


def _files(name: str) -> list[str]:
    """The files that the name of a game or player stands for."""
    parsed = parse_specification(name)
    if parsed.is_file:
        return [parsed.name]
    if not any(word in name for word in (".py", "book=", "weights=")):
        return []
    player = parse_player(name)
    if player.kind != "plain":
        return [player.name] if player.kind == "file" else []
    given = {option.key: option.value for option in player.options}
    books = [given["book"]] if given.get("book", "default") != "default" else []
    # Weights that are no file have a name of the game's own.
    return books + [path for path in [given.get("weights", "")] if path and Path(path).expanduser().is_file()]


def check(event: Event, game: Game[Any, Any]) -> None:
    """Raise BadInput if the event makes no sense in this game."""
    if event.kind not in KINDS:
        raise BadInput(f"There is no event of kind '{event.kind}'; expected one of {', '.join(KINDS)}.")
    twice = [name for name in event.players if event.players.count(name) > 1]
    if twice:
        raise BadInput(f"The player '{twice[0]}' is named twice; add a parameter such as seed=2 to tell them apart.")
    places = len(game.facts.sides)
    if places < 2:
        raise BadInput(f"{game.name} has no opponents; expected a game of at least two sides.")
    if len(event.players) < 2:
        raise BadInput(f"{len(event.players)} player is too few; expected at least 2.")
    if event.kind == "match" and len(event.players) > places:
        raise BadInput(f"{len(event.players)} players do not fit into a match of {game.name}; expected 2 to {places}.")
    if event.kind == "swiss" and places != 2:
        raise BadInput(f"A Swiss tournament needs a game of two sides, but {game.name} has {places}.")
    if event.games < 1:
        raise BadInput(f"{event.games} games are too few; expected at least 1.")


def schedule(event: Event, game: Game[Any, Any], results: Mapping[int, Finished]) -> Iterator[Task | None]:
    """The games that are still to be played, in order; None at the end if more will be known after these are finished.

    Openings are drawn only when a game is asked for, so that the start of a very long event costs nothing.
    """
    places = game.facts.sides
    size, key = len(places), event.key
    for block, meeting in enumerate(_meetings(event, places, results)):
        if meeting is None:
            yield None
            return
        # Every pairing starts at the same openings.
        for share in range(-(-event.games // size)):
            numbers = [_number(event, block, share * size + turn) for turn in range(size)]
            wanted = [
                turn for turn in range(size) if share * size + turn < event.games and numbers[turn] not in results
            ]
            if not wanted:
                continue
            seed = seed_of(event.seed, event.game, share)
            opening = _opening(event, game, share, seed)
            for turn in wanted:
                seats = _seat(meeting, places, turn, game.facts.players)
                number = numbers[turn]
                yield Task(f"{key}-{number}", number, _number(event, block, share), seats, opening, seed)


def total_games(event: Event, game: Game[Any, Any]) -> int:
    """The number of games of the whole event."""
    if event.kind == "swiss":
        return event.rounds * (len(event.players) // 2) * event.games
    return sum(1 for _ in _meetings(event, game.facts.sides, {})) * event.games


def _number(event: Event, block: int, place: int) -> int:
    """Numbers do not depend on how many games are asked for, so that an event can be made longer."""
    return place if event.kind == "match" else block * 1_000_000 + place


def _seat(meeting: Sequence[str], places: Sequence[tuple[int, ...]], turn: int, seats: int) -> tuple[str, ...]:
    """Who sits where in the turn-th game of a group. Too few players: the last one fills the places that are left."""
    filled = [*meeting, *[meeting[-1]] * (len(places) - len(meeting))]
    turned = filled[len(filled) - turn :] + filled[: len(filled) - turn]
    table = [""] * seats
    for player, side in zip(turned, places, strict=True):
        for seat in side:
            table[seat] = player
    return tuple(table)


def _opening(event: Event, game: Game[Any, Any], share: int, seed: int) -> str:
    if event.openings:
        return event.openings[share % len(event.openings)]
    if event.random_plies:
        return str(random_opening(game, event.random_plies, seed_of(seed, "opening")))
    return str(Opening())


def _meetings(event: Event, places: Sequence[Any], results: Mapping[int, Finished]) -> Iterable[tuple[str, ...] | None]:
    """The groups of players who meet, in order; None where it is not known yet."""
    size = min(len(places), len(event.players))
    if event.kind == "match":
        yield event.players
    elif event.kind == "round-robin":
        yield from itertools.combinations(event.players, size)
    elif event.kind == "gauntlet":
        hero, others = event.players[0], event.players[1:]
        for rest in itertools.combinations(others, size - 1):
            yield (hero, *rest)
    else:
        yield from _swiss(event, results)


def _swiss(event: Event, results: Mapping[int, Finished]) -> Iterable[tuple[str, ...] | None]:
    """Rounds of pairings between players with equal points who have not met; the lowest may have to sit out.

    Within the order by points (then by place in the list) the first player gets the nearest opponent with whom the
    rest can still be paired, by backtracking; a player who has sat out gets a point and does not sit out again.
    """
    points: dict[str, float] = dict.fromkeys(event.players, 0.0)
    met: set[frozenset[str]] = set()
    rested: set[str] = set()
    block = 0
    for _ in range(event.rounds):
        order = sorted(event.players, key=lambda name: (-points[name], event.players.index(name)))
        resting = ""
        if len(order) % 2:
            resting = next((name for name in reversed(order) if name not in rested), order[-1])
            order.remove(resting)
        pairing = _pair(order, met) or _pair(order, set())
        assert pairing is not None  # without memory of meetings any two may be paired
        yield from pairing
        blocks = range(block, block + len(pairing))
        block += len(pairing)
        numbers = [[_number(event, b, place) for place in range(event.games)] for b in blocks]
        if not all(number in results for row in numbers for number in row):
            yield None
            return
        for (first, second), row in zip(pairing, numbers, strict=True):
            met.add(frozenset((first, second)))
            for number in row:
                for a, _, score in compare(results[number].seats, results[number].utilities):
                    points[a] += score / event.games
        if resting:
            rested.add(resting)
            points[resting] += 1


def _pair(order: list[str], met: set[frozenset[str]]) -> list[tuple[str, str]] | None:
    if not order:
        return []
    first = order[0]
    for other in order[1:]:
        if frozenset((first, other)) in met:
            continue
        rest = _pair([name for name in order[1:] if name != other], met)
        if rest is not None:
            return [(first, other), *rest]
    return None


def compare(seats: Sequence[str], utilities: Sequence[float]) -> list[tuple[str, str, float]]:
    """The score of every player against every other player of one game, in both directions.

    Who gets more has won. A player with several seats is compared by the mean over pairs of seats.
    """
    table: dict[tuple[str, str], list[float]] = defaultdict(list)
    for (one, mine), (other, yours) in itertools.permutations(zip(seats, utilities, strict=True), 2):
        if one != other:
            table[one, other].append((mine > yours) + (mine == yours) / 2)
    return [(one, other, sum(scores) / len(scores)) for (one, other), scores in table.items()]


def groups_of(results: Iterable[Finished], first: str, second: str) -> list[list[float]]:
    """The scores of `first` against `second`, group by group, in the order of the schedule."""
    groups: dict[int, list[float]] = {}
    for result in sorted(results, key=lambda result: result.number):
        for one, other, score in compare(result.seats, result.utilities):
            if (one, other) == (first, second):
                groups.setdefault(result.group, []).append(score)
    return list(groups.values())
