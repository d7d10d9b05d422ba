"""Anyone who can choose a move, named the same way everywhere: `random`, `alphabeta:depth=4`, `mcts:time=0.5`."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from typing import Any, Protocol

from gametree.core.errors import BadInput, UnknownName, suggest
from gametree.core.game import SIMULTANEOUS, Game
from gametree.core.registry import algorithm_names, load_algorithm
from gametree.core.result import SearchResult
from gametree.core.specification import convert, parse_specification
from gametree.play.analysis import FRAME, analyse, default_algorithm

__all__ = ["Choice", "Player", "RandomPlayer", "SearchPlayer", "make_player"]


@dataclass(frozen=True)
class Choice:
    """A chosen action and, if a search chose it, what the search found."""

    action: Any
    result: SearchResult | None = None


class Player(Protocol):
    """Anyone who can choose a move for a seat."""

    @property
    def name(self) -> str:
        """How the player was asked for."""
        ...

    def choose(self, game: Game[Any, Any], state: Any, seat: int) -> Choice:
        """Choose one of `game.seat_actions(state, seat)`."""
        ...


@dataclass
class RandomPlayer:
    """Plays any legal move with equal chance."""

    seed: int | None = None
    name: str = "random"
    _rng: random.Random = field(init=False, repr=False)

    def __post_init__(self) -> None:
        self._rng = random.Random(self.seed)

    def choose(self, game: Game[Any, Any], state: Any, seat: int) -> Choice:
        """Choose by lot."""
        return Choice(self._rng.choice(list(game.seat_actions(state, seat))))


@dataclass(frozen=True)
class SearchPlayer:
    """Plays the move that an algorithm finds, under limits on depth, seconds or nodes."""

    name: str
    algorithm: str
    depth: int | None = None
    seconds: float | None = None
    nodes: int | None = None

    def choose(self, game: Game[Any, Any], state: Any, seat: int) -> Choice:
        """Search from the state; in simultaneous states take the seat's part of the joint move."""
        result = analyse(
            game, state, algorithm=self.algorithm, depth=self.depth, seconds=self.seconds, nodes=self.nodes
        )
        action = result.move[seat] if game.player(state) == SIMULTANEOUS else result.move
        return Choice(action, result)


def make_player(text: str, game: Game[Any, Any]) -> Player:
    """The player that `text` names for this game: `random`, `best`, or an algorithm with its parameters.

    Every algorithm takes `time` (seconds) and `nodes` besides its own parameters. `best` is the algorithm that fits
    the game, with two seconds a move where it could use them. Raises UnknownName and BadInput.
    """
    specification = parse_specification(text)
    name, given = specification.name, dict(specification.parameters)
    if name == "random":
        seed = given.pop("seed", None)
        if given or specification.positional or (seed is not None and not seed.lstrip("-").isdigit()):
            raise BadInput(f"'{text}' is no player; expected random or random:seed=7.")
        return RandomPlayer(None if seed is None else int(seed))
    seconds, nodes = _number(text, given, "time", float), _number(text, given, "nodes", int)
    if name == "best":
        name = default_algorithm(game)
        if seconds is None and name in ("deepening", "mcts", "montecarlo"):  # the others are done in a moment
            seconds = 2.0
    elif name not in algorithm_names():
        known = ["random", "best", *algorithm_names()]
        raise UnknownName(f"There is no player called '{name}'.{suggest(name, known)}")
    search = load_algorithm(name)[1]
    rest = type(specification)(name, given, specification.positional)
    convert(search, rest, besides=FRAME)  # complain now rather than in the middle of a game
    algorithm = name + (":" + ",".join(f"{key}={value}" for key, value in given.items()) if given else "")
    if specification.positional is not None:
        algorithm = f"{name}:{specification.positional}"
    return SearchPlayer(text, algorithm, seconds=seconds, nodes=nodes)


def _number(text: str, given: dict[str, str], key: str, kind: type[Any]) -> Any:
    if key not in given:
        return None
    value = given.pop(key)
    try:
        number = kind(value)
    except ValueError:
        number = 0
    if not number > 0:
        raise BadInput(f"'{text}': {key}={value} should be a number above 0.")
    return number
