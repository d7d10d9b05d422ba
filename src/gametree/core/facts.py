"""What is true of a game, stated once, so that every algorithm can tell whether it fits.

A game declares its `Facts`; an algorithm declares an `Algorithm`. `check_fit` compares the two and refuses in one
sentence that names the fact.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from gametree.core.errors import UnfitGame

if TYPE_CHECKING:
    from gametree.core.game import Game

__all__ = ["MOST_SEATS", "Algorithm", "Facts", "check_fit"]

MOST_SEATS = 20
"""No game has more players."""


@dataclass(frozen=True, kw_only=True)
class Facts:
    """The facts block of a game. `gametree.testing.check_game` holds the game to every line of it."""

    players: int = 2
    """Number of seats, numbered from 0. In two-player games seat 0 is MAX and seat 1 is MIN."""
    chance: bool = False
    """Some states are decided by dice or cards: `player` returns CHANCE there and `outcomes` gives probabilities."""
    unlisted: bool = False
    """Some chance states have too many outcomes for a list (a deal of 52 cards): only `roll` draws one."""
    hidden: bool = False
    """Imperfect information: some seat does not see the whole state, only its `view` of it."""
    simultaneous: bool = False
    """In some states several seats choose at once: `player` returns SIMULTANEOUS there."""
    utility_sum: float | None = 0.0
    """Sum of all seats' utilities at every end: 0 is zero-sum, another number constant-sum, None neither."""
    min_utility: float = -1.0
    """No seat ever gets less."""
    max_utility: float = 1.0
    """No seat ever gets more."""
    most_moves: int | None = None
    """No state has more actions (joint actions where moves are simultaneous); None if unknown."""
    wide_moves: bool = False
    """Some moves of compiled rules have numbers above 2^23 − 2 (all stay below 2^62), for which tables and trees of
    compiled searches have no room."""
    longest_game: int | None = None
    """No game takes more plies, chance included; None if games may go on for ever or the number is unknown."""
    teams: tuple[tuple[int, ...], ...] | None = None
    """Seats that win and lose together, such as ((0, 2), (1, 3)) in bridge; None if everyone plays alone."""
    compiled: bool = False
    """The rules are verbs on a struct. `CompiledGame` sets it; nobody else does."""
    repetition: str | None = None
    """What becomes of a position that comes up again, where the rules say so: the game is a "draw", or the move is
    "forbidden". States carry the past then. `CompiledGame` sets it."""

    def __post_init__(self) -> None:
        if not 1 <= self.players <= MOST_SEATS:
            raise ValueError(f"players={self.players} must be 1 to {MOST_SEATS}")
        if not self.min_utility < self.max_utility:
            raise ValueError(f"min_utility={self.min_utility} must be below max_utility={self.max_utility}")
        if self.unlisted and not self.chance:
            raise ValueError("unlisted=True needs chance=True")
        if self.teams is not None and sorted(seat for team in self.teams for seat in team) != list(range(self.players)):
            raise ValueError(f"teams={self.teams} must hold each of the seats 0 to {self.players - 1} once")

    @property
    def sides(self) -> tuple[tuple[int, ...], ...]:
        """The seats that win and lose together: the teams, or every seat by itself."""
        return self.teams or tuple((seat,) for seat in range(self.players))

    @property
    def is_short(self) -> bool:
        """Whether all games are so short that their whole tree can be searched in a moment."""
        return self.longest_game is not None and self.longest_game <= 9

    def side_of(self, seat: int) -> int:
        """The number of the seat's side."""
        return next(number for number, side in enumerate(self.sides) if seat in side)


@dataclass(frozen=True, kw_only=True)
class Algorithm:
    """What an algorithm is called, where it comes from and which games it can search.

    Every file of `gametree.search` holds one `ALGORITHM` and one function `search`.
    """

    name: str
    title: str
    source: str
    """The publication whose pseudocode the file mirrors."""
    sides: int | None = 2
    """The number of sides (teams, or players who play alone) it needs; None if any number will do."""
    compiled: bool = False
    """True if it searches only compiled games."""
    chance: bool = False
    """True if it can search games with chance. The same holds for the next five; `wide_moves` is only asked of compiled
    searches."""
    unlisted: bool = False
    hidden: bool = False
    simultaneous: bool = False
    wide_moves: bool = False
    general_sum: bool = False
    exact: bool = True
    """True if its value is the minimax value (expectiminimax with chance) at the depth asked for."""
    takes_depth: bool = True
    """True if `depth=` bounds its look-ahead, so that iterative deepening can drive it under a clock."""
    anytime: bool = False
    """True if it has an answer whenever its clock stops it."""
    repetition: tuple[str, ...] = ("draw", "forbidden")
    """The rules on repetition that it honours: none if it looks at positions without their past."""
    needs: tuple[str, ...] = ()
    """Optional verbs of a game without which it refuses, such as ("evaluate",)."""
    readable: str = ""
    """For a compiled search: the readable one that does the same for any game, if there is one."""
    records: bool = True
    """Whether it can fill a tree record."""
    keeps: bool = False
    """Whether its module has a class `Session(game, **options)` that learns from move to move:
    `search(state, clock=..., soft_seconds=..., seed=...)`, `follow(actions)`, which is told the whole game so far, and
    `forget()`. Its attribute `time_for_move` is None, or how it divides what is left on its clock."""
    preference: Callable[[Game[Any, Any]], int] | None = None
    """How gladly it is taken for a game that it fits, where nobody names an algorithm; the highest is. None or 0: never
    by itself."""


def check_fit(algorithm: Algorithm, game: Game[Any, Any]) -> None:
    """Raise UnfitGame, naming the fact, if `algorithm` cannot search `game`."""
    facts = game.facts
    name = algorithm.name

    def refuse(fact: str, has: object, needed: str) -> None:
        raise UnfitGame(f"{name} cannot search {game.name}: its fact {fact} is {has}, but {name} needs {needed}.")

    if algorithm.compiled and not facts.compiled:
        can = f"; {algorithm.readable} can" if algorithm.readable else ""
        refuse("compiled", False, f"rules that are verbs on a struct{can}")
    if algorithm.sides is not None and len(facts.sides) != algorithm.sides:
        if facts.teams is None:
            refuse("players", facts.players, f"players={algorithm.sides}")
        refuse("teams", facts.teams, f"{algorithm.sides} sides")
    if facts.chance and not algorithm.chance:
        refuse("chance", True, "a game without chance")
    if facts.unlisted and not algorithm.unlisted:
        refuse("unlisted", True, "chance whose outcomes can be listed")
    if facts.hidden and not algorithm.hidden:
        refuse("hidden", True, "perfect information")
    if facts.simultaneous and not algorithm.simultaneous:
        refuse("simultaneous", True, "one player to move at a time")
    if facts.wide_moves and algorithm.compiled and not algorithm.wide_moves:
        refuse("wide_moves", True, "moves with numbers of at most 23 bits")
    if facts.utility_sum is None and not algorithm.general_sum:
        refuse("utility_sum", None, "utilities with a constant sum")
    if facts.repetition is not None and facts.repetition not in algorithm.repetition:
        if facts.repetition == "draw":
            why = f"positions may repeat there, and {name} does not keep track of earlier positions; engine does"
        else:
            why = f"positions must not repeat there, and {name} does not leave out such moves; alphabeta does"
        raise UnfitGame(f"{name} cannot search {game.name}: {why}.")
    for verb in algorithm.needs:
        if not game.offers(verb):
            raise UnfitGame(f"{name} cannot search {game.name}: the game does not define {verb}().")
