"""Anyone who can choose a move. `gametree.play.player_names` says how players are named."""

from __future__ import annotations

import inspect
import random
import sys
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Protocol

from gametree.core.clock import Clock
from gametree.core.drawing_text import drawing_text
from gametree.core.errors import BadInput, GametreeError, IllegalMove, UnfitGame, UnknownName, suggest
from gametree.core.facts import check_fit
from gametree.core.game import SIMULTANEOUS, Game
from gametree.core.registry import algorithm_names, import_file, load_algorithm
from gametree.core.result import SearchResult
from gametree.core.specification import Specification, build, convert
from gametree.play.analysis import FRAME, analyse, default_algorithm
from gametree.play.clocks import Turn
from gametree.play.player_names import PROTOCOLS, Option, PlayerName, fault, parse_player
from gametree.play.strength import LimitedEngine, Strength, read_level
from gametree.play.thinking import Thinker

if TYPE_CHECKING:
    from gametree.knowledge import Book

__all__ = [
    "RESIGN",
    "BlindPlayer",
    "BookPlayer",
    "Choice",
    "FilePlayer",
    "HumanPlayer",
    "LevelPlayer",
    "Player",
    "PlayerFault",
    "RandomPlayer",
    "SearchPlayer",
    "WeighedPlayer",
    "limit",
    "make_player",
]

RESIGN: Any = type("Resignation", (), {"__repr__": lambda self: "RESIGN"})()
"""The action of a player that gives the game up."""

_SHORT = {"sims": "simulations"}
"""Short forms of parameters."""
_USUAL_SECONDS = 2.0
"""For a move where nobody says how long it may take."""


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
        """Choose at random."""
        return Choice(self._rng.choice(game.seat_actions(state, seat)))

    def close(self) -> None:
        """Nothing to let go of."""


@dataclass
class SearchPlayer:
    """Plays the move that an algorithm finds, under limits on seconds or nodes; it remembers as a Thinker does."""

    name: str
    algorithm: str
    seconds: float | None = None
    nodes: int | None = None
    usual_seconds: float | None = None
    """For a move that nothing else limits."""
    seeded: bool = False
    """Whether the algorithm draws lots from a parameter `seed` that the user left open."""
    _seed: int | None = field(default=None, init=False, repr=False)
    _warm: bool = field(default=False, init=False, repr=False)
    _thinker: Thinker | None = field(default=None, init=False, repr=False)

    def start(self, game: Game[Any, Any], seat: int, seed: int) -> None:
        """Let the algorithm draw lots from the game's seed, and before the first game let it load its code.

        Compiled code is loaded, or even compiled, when it is first used; that must not happen on the player's clock.
        """
        self._seed = seed % (1 << 32) if self.seeded else None
        if self._thinker is not None and self._thinker.game is game:
            self._thinker.forget()
        else:
            self._thinker = Thinker(game, self.algorithm)
        if not self._warm and game.facts.compiled:
            from gametree.kernels.waiting import NotCompiled

            try:
                analyse(game, algorithm=self.algorithm, seconds=0.01, nodes=self.nodes)
            except NotCompiled:
                raise
            except GametreeError:  # choosing will tell
                pass
        self._warm = True

    def choose(self, game: Game[Any, Any], state: Any, seat: int, turn: Turn | None = None) -> Choice:
        """Search from the state; in simultaneous states take the seat's part of the joint move."""
        thinker = self._thinker
        if thinker is None or thinker.game is not game:
            thinker = self._thinker = Thinker(game, self.algorithm)
        seconds, soft, nodes = self.seconds, None, self.nodes
        if turn is not None:
            nodes = _least(nodes, turn.control.nodes)
            given = turn.budget(seat)
            if turn.remaining and thinker.time_for_move is not None:
                left = max(turn.remaining[seat], 0.001)
                moves = turn.moves_left
                soft, given = thinker.time_for_move(left, increment=turn.control.increment, moves_to_go=moves)
            seconds = _least(seconds, given)
        if seconds is None and nodes is None:
            seconds = self.usual_seconds
        actions = None if turn is None else turn.actions
        clock = None if turn is None else turn.clock
        result = thinker.search(
            state, actions=actions, seconds=seconds, soft_seconds=soft, nodes=nodes, seed=self._seed, clock=clock
        )
        action = result.move[seat] if game.player(state) == SIMULTANEOUS else result.move
        return Choice(action, result)

    def close(self) -> None:
        """Let go of tables and trees."""
        self._thinker = None


@dataclass
class LevelPlayer:
    """Plays as well as a rating says; see `gametree.play.strength`."""

    name: str
    strength: Strength
    seed: int = 0
    seconds: float | None = None
    """The longest time for a move."""
    _engine: LimitedEngine | None = field(default=None, init=False, repr=False)

    def start(self, game: Game[Any, Any], seat: int, seed: int) -> None:
        """Draw from the game's seed, and load the compiled code before any clock runs."""
        self._engine = LimitedEngine(game, self.strength, seed=self.seed + seed)
        self._engine.load()

    def choose(self, game: Game[Any, Any], state: Any, seat: int, turn: Turn | None = None) -> Choice:
        """Choose as the rating says, within the time of the turn."""
        if self._engine is None or self._engine.game is not game:
            self._engine = LimitedEngine(game, self.strength, seed=self.seed)
        seconds = _least(self.seconds, None if turn is None else turn.budget(seat))
        clock = None if turn is None else turn.clock
        if seconds is not None:
            clock = clock or Clock()
            clock.limit(seconds)
        return Choice(*self._engine.choose(state, clock=clock))

    def close(self) -> None:
        """Let go of the table."""
        self._engine = None


@dataclass
class BlindPlayer:
    """Plays as another player does, but now and then moves without looking, as often as its rating says."""

    name: str
    player: Player
    strength: Strength
    seed: int = 0
    _rng: random.Random = field(default_factory=random.Random, init=False, repr=False)

    def start(self, game: Game[Any, Any], seat: int, seed: int) -> None:
        """Draw from the game's seed when to look away."""
        self._rng.seed(f"{self.seed} {seed} blind")
        self.player.start(game, seat, seed)

    def choose(self, game: Game[Any, Any], state: Any, seat: int, turn: Turn | None = None) -> Choice:
        """Any move, or the other player's choice. Raises what that raises."""
        if self._rng.random() < self.strength.blindness:
            return Choice(self._rng.choice(game.seat_actions(state, seat)))
        return self.player.choose(game, state, seat, turn)

    def close(self) -> None:
        """Let the other player go."""
        self.player.close()


@dataclass
class BookPlayer:
    """Plays from an opening book where the book knows the position, and elsewhere as another player does."""

    name: str
    player: Player
    book: Book
    _rng: random.Random = field(default_factory=random.Random, init=False, repr=False)

    def start(self, game: Game[Any, Any], seat: int, seed: int) -> None:
        """Draw from the game's seed among the book's moves."""
        self._rng.seed(f"{seed} book")
        self.player.start(game, seat, seed)

    def choose(self, game: Game[Any, Any], state: Any, seat: int, turn: Turn | None = None) -> Choice:
        """A move of the book by its weights, or the other player's choice. Raises what that raises."""
        from gametree.knowledge import book_move

        move = book_move(self.book, game, state, self._rng)
        return self.player.choose(game, state, seat, turn) if move is None else Choice(move, note="book")

    def close(self) -> None:
        """Let the other player go."""
        self.player.close()


@dataclass
class WeighedPlayer:
    """Plays as another player does that thinks with weights of its own; the game at the table keeps those it has."""

    name: str
    player: Player
    weights: Any
    """An array with one record of the game's `Weights`."""
    _table: Any = field(default=None, init=False, repr=False)
    _own: Any = field(default=None, init=False, repr=False)

    def start(self, game: Game[Any, Any], seat: int, seed: int) -> None:
        """Let the other player begin a game with these weights."""
        self.player.start(self._weighed(game), seat, seed)

    def choose(self, game: Game[Any, Any], state: Any, seat: int, turn: Turn | None = None) -> Choice:
        """The other player's choice. Raises what that raises."""
        return self.player.choose(self._weighed(game), state, seat, turn)

    def close(self) -> None:
        """Let the other player go."""
        self.player.close()

    def _weighed(self, game: Any) -> Any:
        """The game with these weights: always the same object for the same game, so that players keep their tables."""
        if self._table is not game:
            self._table, self._own = game, game.weighed(self.weights)
        return self._own


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
        board = drawing.layout not in ("text", "cards", "places") and not game.facts.hidden
        print(game.state_text(state) if board else drawing_text(drawing), file=sys.stderr)
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
    given = {option.key: option for option in name.options}
    others = tuple(option for option in name.options if option.key not in ("book", "weights"))
    player = _own_kind(replace(name, options=others), game)
    if "weights" in given:
        player = WeighedPlayer(text, player, _load_weights(text, given["weights"], game))
    return BookPlayer(text, player, _open_book(text, given["book"], game)) if "book" in given else player


def _load_weights(text: str, option: Option, game: Game[Any, Any]) -> Any:
    if not game.facts.compiled:
        problem = f"{game.name} has no weights: its rules are not written as verbs on a struct."
        fault(text, option.at, problem)
    try:
        return game.load_weights(option.value)  # type: ignore[attr-defined]
    except BadInput as error:
        fault(text, option.value_at, str(error))


def _open_book(text: str, option: Option, game: Game[Any, Any]) -> Book:
    from gametree.knowledge import open_book

    try:
        return open_book(option.value, game)
    except BadInput as error:
        fault(text, option.value_at, str(error))


def _own_kind(name: PlayerName, game: Game[Any, Any]) -> Player:
    """A player of gametree's own, without its book."""
    if name.name == "random":
        return _random_player(name)
    if name.name in ("engine", "best") and any(option.key in ("level", "elo") for option in name.options):
        return _level_player(name, game)
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


def _level_player(name: PlayerName, game: Game[Any, Any]) -> Player:
    """`engine:level=club` or `engine:elo=1200`, perhaps with a seed and a time; `best:level=club` in any game.

    Raises BadInput, UnknownName, UnfitGame.
    """
    given = {option.key: option for option in name.options}
    for option in name.options:
        if option.key not in ("level", "elo", "seed", "time"):
            problem = f"a player with a level has no parameter '{option.key}'; expected level or elo, seed and time."
            fault(name.text, option.at, problem, UnknownName)
    if "level" in given and "elo" in given:
        fault(name.text, given["elo"].at, "level and elo say the same thing; expected one of them.")
    wanted = given.get("level") or given["elo"]
    try:
        strength = read_level(wanted.value)
    except BadInput as error:
        fault(name.text, wanted.value_at, str(error))
    seed = given.get("seed")
    if seed is not None and not seed.value.isdecimal():
        fault(name.text, seed.value_at, f"expected a whole number, got '{seed.value}'.")
    seconds = limit(name.text, given["time"], float) if "time" in given else None
    drawn = int(seed.value) if seed else 0
    try:
        check_fit(load_algorithm("engine")[0], game)
    except UnfitGame as error:
        if name.name == "best":
            others = tuple(option for option in name.options if option.key == "time")
            return BlindPlayer(name.text, _search_player(replace(name, options=others), game), strength, drawn)
        raise UnfitGame(f"{game.name} has no levels: {error}") from None
    if strength.is_full:
        return SearchPlayer(name.text, "engine", seconds, usual_seconds=_USUAL_SECONDS)
    return LevelPlayer(name.text, strength, drawn, seconds)


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
        if limits["time"] is None and load_algorithm(algorithm)[0].anytime:
            limits["time"] = _USUAL_SECONDS
    elif algorithm == "engine" and game.facts.chance and game.offers("learning"):
        algorithm = default_algorithm(game)  # what `engine` is in a game of dice
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
    is_player = hasattr(maker, "choose") and not isinstance(maker, type)
    own = maker if is_player or not callable(maker) else _made(name, maker, specification)
    if not callable(getattr(own, "choose", None)):
        raise BadInput(f"'{name.name}:{name.attribute}' is no player: it does not define choose(game, state, seat).")
    return FilePlayer(name.text, own)


def _made(name: PlayerName, maker: Any, specification: Specification) -> Any:
    """What the user's class or function makes. Raises BadInput, also for whatever it raises itself."""
    try:
        return build(maker, specification)
    except GametreeError:
        raise
    except Exception as error:
        problem = f"{type(error).__name__}: {error}".rstrip(": .")
        raise BadInput(f"'{name.name}:{name.attribute}' cannot be made into a player: {problem}.") from error
