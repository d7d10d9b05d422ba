"""The conformance kit: holds a game to every line of the formal game's contract and to its own facts.

    check_game("nim:3-4-5")        a name, with parameters
    check_game("my_game.py")       a file
    check_game(MyGame())           a game object

A small game is checked in every state that can be reached, a larger one along seeded random games. The first fault
ends the check with a GameError: one sentence that says which verb, at which position, what was found and what was
expected. Hidden information is checked for leaks from four sides: states that look alike to a seat must offer it the
same moves, must be drawn alike for it, must be what `resample` mixes up, and must exist at all.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from typing import Any

from gametree.core.errors import BadInput, GameError, GametreeError
from gametree.core.game import Game, as_game
from gametree.core.registry import load_game
from gametree.core.verbs import ATTRIBUTES, GAME_VERBS
from gametree.testing._asking import Place
from gametree.testing._check_offers import Offers
from gametree.testing._check_views import SAMPLED_ACTIONS
from gametree.testing._watch import Stopped, Watch

__all__ = ["Report", "check_game"]

MOVES_PER_STATE = 5
"""A game with more moves than this in a state, on average, is sampled if it is near the limit of states."""
MOST_SECONDS = 2.0
"""So is one whose states cannot all be listed in so much processor time."""
CLOSE_LOOKS = 600
"""In so many states, evenly spread, the costly verbs are checked too: drawings, symmetries, reading of text."""
SAMPLED_STATES = 2_000
"""Random games stop when they have met so many different states."""
MOST_PLIES = 1_000
"""A random game that has not ended by then is left, unless `longest_game` says that it should have ended."""


@dataclass(frozen=True, kw_only=True)
class Report:
    """What a check that found no fault has looked at."""

    game: str
    exhaustive: bool
    """True if every state that can be reached was checked."""
    states: int
    """Different states that were checked."""
    ends: int
    """Terminal states among them."""
    games: int
    """Random games that were played; 0 in an exhaustive check."""
    checks: tuple[str, ...]
    """The verbs and facts that the game was held to."""
    hidden_from: tuple[int, ...]
    """Seats that were seen not to know the whole state."""

    def to_data(self) -> dict[str, Any]:
        """The report as JSON-ready data."""
        return asdict(self)

    def __str__(self) -> str:
        if self.exhaustive:
            seen = f"all {self.states} states that can be reached, {self.ends} of them terminal"
        else:
            seen = f"{self.states} states in {self.games} random games, {self.ends} of them terminal"
        return f"{self.game} passed: {seen}; checked {', '.join(self.checks)}."


def check_game(
    game: Game[Any, Any] | str | object,
    *,
    playouts: int = 50,
    seed: int = 0,
    verb_seconds: float = 5.0,
    most_states: int = 6_000,
) -> Report:
    """Check a game against the contract of `gametree.core.game` and against its facts.

    `game` is a game, any object with the verbs, or text as for `load_game`. If it has more than `most_states` states,
    `playouts` random games are played, the same ones for the same `seed`. A verb that takes longer than `verb_seconds`
    is stopped where the system can do so (on the main thread of Unix).
    Raises GameError at the first fault, and what `load_game` raises.
    """
    if playouts < 1:
        raise BadInput(f"{playouts} playouts are too few; expected at least 1.")
    if most_states < 1:
        raise BadInput(f"most_states={most_states} is too small; expected at least 1.")
    if not verb_seconds > 0:
        raise BadInput(f"A limit of {verb_seconds:g} s for a verb is too short; expected more than 0.")
    with Watch(verb_seconds) as watch:
        try:
            loaded = watch.run(load_game, game) if isinstance(game, str) else as_game(game)
        except Stopped as stop:
            raise GameError(f"{game}: loading the game {stop.reason}.") from None
        except GametreeError:
            raise
        except Exception as error:
            raise GameError(f"{game}: {type(error).__name__} while the game was made: {error}.") from error
        try:
            return _Check(loaded, watch, random.Random(seed)).run(playouts, most_states)
        except GametreeError:
            raise
        except Exception as error:  # verbs are guarded one by one; what is left is what states and moves do themselves
            what = " ".join(str(error).split()).rstrip(".")
            raise GameError(
                f"{loaded.name}: {type(error).__name__} when states or moves were compared, hashed or printed: {what}."
            ) from error


class _Check(Offers):
    """One run of the kit over one game: which states are looked at, and in which order."""

    def __init__(self, game: Game[Any, Any], watch: Watch, rng: random.Random) -> None:
        super().__init__(game, watch, rng)
        self.ends = 0

    def run(self, playouts: int, most_states: int) -> Report:
        """Everything, in the order in which a fault is best explained."""
        self.check_verbs()
        self.check_facts()
        for check in (*ATTRIBUTE_CHECKS.values(), *(CHECKS[verb] for verb in ONCE)):
            check(self)
        seats = range(self.facts.players)
        self.begin()
        start = self.check_initial()
        found = self.list_states(start, most_states)
        games = 0
        if found is not None:
            states, moves = found
            self.check_longest_path(states, [[child for _, child in below] for below in moves])
            self.reachable = dict.fromkeys(states)
            every = max(1, len(states) // CLOSE_LOOKS)
            for number, state in enumerate(states):
                self.inspect(state, closely=number % every == 0)
            if not self.ends:
                self.fail(
                    "is_terminal", None, f"is False in all {len(states)} states that can be reached", "a game that ends"
                )
            count = len(states)
        else:
            met: dict[Any, None] = {}
            while games < playouts and len(met) < min(most_states, SAMPLED_STATES):
                self.play(start, met)
                games += 1
            count = len(met)
        self.check_hidden(exhaustive=found is not None)
        if found is not None:
            self.check_deals(*found)
        return Report(
            game=self.game.name,
            exhaustive=found is not None,
            states=count,
            ends=self.ends,
            games=games,
            checks=tuple(self.checks),
            hidden_from=tuple(seat for seat in seats if self.alike[seat]),
        )

    def list_states(self, start: Any, most: int) -> tuple[list[Any], list[list[tuple[Any, int]]]] | None:
        """All states that can be reached, and for each its actions with the numbers of their results; None if they are
        too many, or chance has outcomes that cannot be listed.
        """
        number = {start: 0}
        if self.facts.unlisted:
            return None
        states: list[Any] = [start]
        moves: list[list[tuple[Any, int]]] = []
        results = 0
        started = time.process_time()
        for state in states:  # grows while we walk: breadth first
            below = []
            for action, child in self.expand(state):
                if child not in number:
                    number[child] = len(states)
                    states.append(child)
                below.append((action, number[child]))
            results += len(below)
            moves.append(below)
            too_many = len(states) > most or results > MOVES_PER_STATE * most
            if too_many or time.process_time() - started > MOST_SECONDS:
                return None
        return states, moves

    def play(self, start: Any, met: dict[Any, None]) -> None:
        """One random game, checked at every state that was not met before."""
        state, plies, longest = start, 0, self.facts.longest_game
        while True:
            new = state not in met
            met[state] = None
            followed = self.expand(state, sample=SAMPLED_ACTIONS if new else 1)
            if new:
                self.inspect(state, closely=True)
            if not followed:
                return
            if plies == longest:
                self.fail(
                    "is_terminal",
                    state,
                    f"is False after {plies} plies",
                    f"the end by then, since facts.longest_game is {longest}",
                )
            if longest is None and plies >= MOST_PLIES:
                return
            state = self.rng.choice(followed)[1]
            plies += 1

    def inspect(self, state: Any, *, closely: bool) -> None:
        """Everything beyond `expand`; the costly part only if `closely`."""
        terminal = bool(self.ask("is_terminal", state))
        actions = () if terminal else self.ask("actions", state)
        mover = None if terminal else self.ask("player", state)
        self.ends += terminal
        place = Place(state, terminal, mover, actions, closely)
        for verb, check in CHECKS.items():
            if verb not in WALKED + ONCE:
                check(self, place)
        self.check_formats_at(place)


WALKED = ("initial", "player", "actions", "result", "is_terminal", "outcomes", "seat_actions")
"""The verbs that are checked wherever the walk through the game goes, with arguments of their own."""


ONCE = ("winning_chance", "tree_text", "book_keys", "tuning", "learning")
"""The verbs that say nothing of a position, and are asked once."""


def checks_of(names: Iterable[str]) -> dict[str, Callable[..., Any]]:
    """Verb or attribute → its check. Raises GameError, naming one that has none."""
    checks = {}
    for name in names:
        if not hasattr(_Check, f"check_{name}"):
            raise GameError(f"The verb {name} has no check; expected a method check_{name} of the kit.")
        checks[name] = getattr(_Check, f"check_{name}")
    return checks


CHECKS = checks_of(verb.name for verb in GAME_VERBS)
"""One check for every row of the table of verbs, in its order."""
ATTRIBUTE_CHECKS = checks_of(ATTRIBUTES)
"""One for every attribute."""
