"""Anyone who can choose a move. `gametree.play.names` says how players are named."""

from __future__ import annotations

import contextlib
import inspect
import random
import sys
from dataclasses import dataclass, field
from typing import Any, Protocol

from gametree.core.errors import BadInput, GametreeError, IllegalMove, UnknownName, suggest
from gametree.core.facts import check_fit
from gametree.core.game import SIMULTANEOUS, Game
from gametree.core.registry import algorithm_names, import_file, load_algorithm
from gametree.core.result import SearchResult
from gametree.core.specification import Specification, build, convert
from gametree.play.analysis import FRAME, analyse, default_algorithm
from gametree.play.clocks import Turn
from gametree.play.names import PROTOCOLS, Option, PlayerName, fault, parse_player

__all__ = [
    "RESIGN",
    "Choice",
    "FilePlayer",
    "HumanPlayer",
    "Player",
    "PlayerFault",
    "RandomPlayer",
    "SearchPlayer",
    "limit",
    "make_player",
]

RESIGN: Any = type("Resignation", (), {"__repr__": lambda self: "RESIGN"})()
"""The action of a player that gives the game up."""

_SHORT = {"sims": "simulations"}
"""Short forms of parameters."""


class PlayerFault(GametreeError):
    """A player failed in a way that loses the game; `reason` is one of the reasons of `gametree.play.referee`."""

    def __init__(self, reason: str, detail: str) -> None:
        super().__init__(detail)
        self.reason = reason


@dataclass(frozen=True)
class Choice:
    """A chosen action and, if a search chose it, what the search found."""

    action: Any
    result: SearchResult | None = None
    value: float | None = None
    """What the player thinks the position is worth to itself, as a utility; a search's own value by default."""
    note: str = ""
    """What another program said about its move, such as its depth and score."""


class Player(Protocol):
    """Anyone who can choose a move for a seat."""

    @property
    def name(self) -> str:
        """How the player was asked for."""
        ...

    def start(self, game: Game[Any, Any], seat: int, seed: int) -> None:
        """A new game begins; everything random in it comes from `seed`."""
        ...

    def choose(self, game: Game[Any, Any], state: Any, seat: int, turn: Turn | None = None) -> Choice:
        """Choose one of `game.seat_actions(state, seat)`, or RESIGN. Raises PlayerFault."""
        ...

    def close(self) -> None:
        """Let go of everything, above all of processes."""
        ...


@dataclass
class RandomPlayer:
    """Plays any legal move with equal chance."""

    seed: int | None = None
    name: str = "random"
    _rng: random.Random = field(init=False, repr=False)

    def __post_init__(self) -> None:
        self._rng = random.Random(self.seed)

    def start(self, game: Game[Any, Any], seat: int, seed: int) -> None:
        """Draw from the game's seed and the player's own."""
        self._rng.seed(seed if self.seed is None else f"{self.seed} {seed}")

    def choose(self, game: Game[Any, Any], state: Any, seat: int, turn: Turn | None = None) -> Choice:
        """Choose by lot."""
        return Choice(self._rng.choice(game.seat_actions(state, seat)))

    def close(self) -> None:
        """Nothing to let go of."""


@dataclass
class SearchPlayer:
    """Plays the move that an algorithm finds, under limits on depth, seconds or nodes."""

    name: str
    algorithm: str
    depth: int | None = None
    seconds: float | None = None
    nodes: int | None = None
    seeded: bool = False
    """Whether the algorithm draws lots from a parameter `seed` that the user left open."""
    _seed: int | None = field(default=None, init=False, repr=False)
    _warm: bool = field(default=False, init=False, repr=False)

    def start(self, game: Game[Any, Any], seat: int, seed: int) -> None:
        """Let the algorithm draw lots from the game's seed, and before the first game let it load its code.

        Compiled code is loaded, or even compiled, when it is first used; that must not happen on the player's clock.
        """
        self._seed = seed % (1 << 32) if self.seeded else None
        room = sys.modules.get("gametree.kernels.compiled_game")
        if not self._warm and room is not None and isinstance(game, room.CompiledGame):
            with contextlib.suppress(GametreeError):
                analyse(game, algorithm=self.algorithm, seconds=0.01, nodes=self.nodes)
        self._warm = True

    def choose(self, game: Game[Any, Any], state: Any, seat: int, turn: Turn | None = None) -> Choice:
        """Search from the state; in simultaneous states take the seat's part of the joint move."""
        seconds, nodes = self.seconds, self.nodes
        if turn is not None:
            seconds = _least(seconds, turn.budget(seat))
            nodes = _least(nodes, turn.control.nodes)
        algorithm = self.algorithm
        if self._seed is not None:
            algorithm += f"{',' if ':' in algorithm else ':'}seed={self._seed}"
        result = analyse(game, state, algorithm=algorithm, depth=self.depth, seconds=seconds, nodes=nodes)
        action = result.move[seat] if game.player(state) == SIMULTANEOUS else result.move
        return Choice(action, result)

    def close(self) -> None:
        """Nothing to let go of."""


def _least(own: Any, given: Any) -> Any:
    return min((limit for limit in (own, given) if limit is not None), default=None)


@dataclass
class HumanPlayer:
    """Asks a person at the terminal; `resign` gives the game up."""

    name: str = "human"

    def start(self, game: Game[Any, Any], seat: int, seed: int) -> None:
        """Say which seat the person has."""
        print(f"A new game of {game.name}; you are player {seat + 1}.", file=sys.stderr)

    def choose(self, game: Game[Any, Any], state: Any, seat: int, turn: Turn | None = None) -> Choice:
        """Ask until the answer is a legal move. Raises PlayerFault at the end of the input."""
        drawing = game.draw_for(state, seat)
        shown = drawing.text or "\n".join(f"{owner}: {' '.join(cards)}" for owner, cards in drawing.hands)
        print(shown or game.state_text(state), file=sys.stderr)
        own = {str(action): action for action in game.seat_actions(state, seat)}
        while True:
            print(f"Player {seat + 1}, your move: ", end="", file=sys.stderr, flush=True)
            text = sys.stdin.readline()
            if not text:
                raise PlayerFault("crash", "the input ended before the game did")
            text = text.strip()
            if text == "resign":
                return Choice(RESIGN)
            try:
                if game.player(state) == SIMULTANEOUS:
                    if text in own:
                        return Choice(own[text])
                    raise IllegalMove(f"'{text}' is not a legal move here. Legal moves: {', '.join(own)}.")
                return Choice(game.action_from_text(state, text))
            except IllegalMove as error:
                print(error, file=sys.stderr)

    def close(self) -> None:
        """Nothing to let go of."""


class FilePlayer:
    """A user's own player: any object with `choose(game, state, seat)`, which may also take `turn`.

    `start(game, seat, seed)` and `close()` are called if it has them. `choose` returns an action, RESIGN or a Choice.
    """

    def __init__(self, name: str, own: Any) -> None:
        self.name = name
        self._own = own
        self._takes_turn = "turn" in inspect.signature(own.choose).parameters

    def start(self, game: Game[Any, Any], seat: int, seed: int) -> None:
        """Pass the news on."""
        self._call("start", game, seat, seed)

    def choose(self, game: Game[Any, Any], state: Any, seat: int, turn: Turn | None = None) -> Choice:
        """Ask the user's object. Raises PlayerFault if it fails."""
        known = {"turn": turn} if self._takes_turn else {}
        chosen = self._call("choose", game, state, seat, **known)
        return chosen if isinstance(chosen, Choice) else Choice(chosen)

    def close(self) -> None:
        """Pass the news on."""
        self._call("close")

    def _call(self, verb: str, *arguments: Any, **named: Any) -> Any:
        method = getattr(self._own, verb, None)
        if method is None:
            return None
        try:
            return method(*arguments, **named)
        except GametreeError:
            raise
        except Exception as error:
            raise PlayerFault("crash", f"{verb}() raised {type(error).__name__}: {error}") from error


def make_player(text: str, game: Game[Any, Any]) -> Player:
    """The player that `text` names for this game.

    Programs are not started before their first game, but they must exist. Raises UnknownName and BadInput, which point
    at the character, and UnfitGame.
    """
    name = parse_player(text)
    if name.kind in PROTOCOLS:
        from gametree.play.engines import make_engine

        return make_engine(name, game)
    if name.kind == "file":
        return _own_player(name)
    if name.name == "human":
        if name.options or name.positional:
            fault(text, len("human"), "human takes no parameters.")
        return HumanPlayer()
    if name.name == "random":
        return _random_player(name)
    return _search_player(name, game)


def _random_player(name: PlayerName) -> RandomPlayer:
    if name.positional:
        fault(name.text, name.positional.at, "expected seed=NUMBER.")
    seed: int | None = None
    for option in name.options:
        if option.key != "seed":
            fault(name.text, option.at, f"random has no parameter '{option.key}'; expected seed.", UnknownName)
        try:
            seed = int(option.value)
        except ValueError:
            fault(name.text, option.value_at, f"expected a whole number, got '{option.value}'.")
    return RandomPlayer(seed, name.text)


def _search_player(name: PlayerName, game: Game[Any, Any]) -> SearchPlayer:
    text, algorithm = name.text, name.name
    limits: dict[str, Any] = {"time": None, "nodes": None}
    given: list[Option] = []
    for option in name.options:
        if option.key in limits:
            limits[option.key] = limit(text, option, float if option.key == "time" else int)
        else:
            given.append(option)
    if algorithm == "best":
        algorithm = default_algorithm(game)
        if limits["time"] is None and algorithm in ("deepening", "mcts", "montecarlo"):  # the others take a moment
            limits["time"] = 2.0
    elif algorithm not in algorithm_names():
        known = ["random", "best", "human", *PROTOCOLS, *algorithm_names()]
        fault(text, 0, f"There is no player called '{algorithm}'.{suggest(algorithm, known)}", UnknownName)
    facts, search = load_algorithm(algorithm)
    taken = inspect.signature(search).parameters
    parameters = {}
    for option in given:
        key = _SHORT.get(option.key, option.key)
        _try(text, search, Specification(algorithm, {key: option.value}), option)
        parameters[key] = option.value
    if name.positional:
        _try(text, search, Specification(algorithm, positional=name.positional.value), name.positional)
    check_fit(facts, game)
    pairs = ",".join(f"{key}={value}" for key, value in parameters.items())
    rest = name.positional.value if name.positional else pairs
    return SearchPlayer(
        text,
        algorithm + (f":{rest}" if rest else ""),
        seconds=limits["time"],
        nodes=limits["nodes"],
        seeded="seed" in taken and "seed" not in parameters and name.positional is None,
    )


def _try(text: str, function: Any, specification: Specification, option: Option) -> None:
    """Complain about a parameter now, rather than in the middle of a game."""
    try:
        convert(function, specification, besides=FRAME)
    except UnknownName as error:
        fault(text, option.at, str(error), UnknownName)
    except BadInput as error:
        fault(text, option.value_at, str(error))


def limit(text: str, option: Option, kind: type[Any]) -> Any:
    """The number above 0 that the option gives. Raises BadInput."""
    try:
        number = kind(option.value)
    except ValueError:
        number = 0
    if not 0 < number < float("inf"):
        fault(text, option.value_at, f"{option.key}={option.value} should be a number above 0.")
    return number


def _own_player(name: PlayerName) -> FilePlayer:
    module = import_file(name.name, "a player")
    start = len(name.name) + 1
    maker = getattr(module, name.attribute, None)
    if maker is None:
        known = [word for word in vars(module) if not word.startswith("_")]
        problem = f"'{name.name}' defines no name '{name.attribute}'.{suggest(name.attribute, known)}"
        fault(name.text, min(start, len(name.text) - 1), problem, UnknownName)
    specification = Specification(name.attribute, {option.key: option.value for option in name.options})
    for option in name.options:
        _try(name.text, maker, Specification(name.attribute, {option.key: option.value}), option)
    own = build(maker, specification) if callable(maker) and not hasattr(maker, "choose") else maker
    if isinstance(maker, type):
        own = build(maker, specification)
    if not callable(getattr(own, "choose", None)):
        raise BadInput(f"'{name.name}:{name.attribute}' is no player: it does not define choose(game, state, seat).")
    return FilePlayer(name.text, own)
