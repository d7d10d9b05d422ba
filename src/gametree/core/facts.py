"""What is true of a game, stated once, so that every algorithm can tell whether it fits.

A game declares its `Facts`; an algorithm declares an `Algorithm`. `check_fit` compares the two and refuses in one
sentence that names the fact.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from gametree.core.errors import UnfitGame

if TYPE_CHECKING:
    from gametree.core.game import Game

__all__ = ["Algorithm", "Facts", "check_fit"]


@dataclass(frozen=True, kw_only=True)
class Facts:
    """The facts block of a game. `gametree.testing.check_game` holds the game to every line of it."""

    players: int = 2
    """Number of seats, numbered from 0. In two-player games seat 0 is MAX and seat 1 is MIN."""
    chance: bool = False
    """Some states are decided by dice or cards: `player` returns CHANCE there and `outcomes` gives probabilities."""
    hidden: bool = False
    """Imperfect information: some seat does not see the whole state, only its `observation`."""
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
    longest_game: int | None = None
    """No game takes more plies, chance included; None if games may go on for ever or the number is unknown."""
    teams: tuple[tuple[int, ...], ...] | None = None
    """Seats that win and lose together, such as ((0, 2), (1, 3)) in bridge; None if everyone plays alone."""

    def __post_init__(self) -> None:
        if self.players < 1:
            raise ValueError(f"players={self.players} must be at least 1")
        if not self.min_utility < self.max_utility:
            raise ValueError(f"min_utility={self.min_utility} must be below max_utility={self.max_utility}")


@dataclass(frozen=True, kw_only=True)
class Algorithm:
    """What an algorithm is called, where it comes from and which games it can search.

    Every file of `gametree.search` holds one `ALGORITHM` and one function `search`.
    """

    name: str
    title: str
    source: str
    """The publication whose pseudocode the file mirrors."""
    players: int | None = 2
    """The number of players it needs; None if any number will do."""
    chance: bool = False
    """True if it can search games with chance. The same holds for the next three."""
    hidden: bool = False
    simultaneous: bool = False
    general_sum: bool = False
    exact: bool = True
    """True if its value is the minimax value (expectiminimax with chance) at the depth asked for."""
    takes_depth: bool = True
    """True if `depth=` bounds its look-ahead, so that iterative deepening can drive it under a clock."""
    anytime: bool = False
    """True if it has an answer whenever its clock stops it."""
    needs: tuple[str, ...] = ()
    """Optional verbs of a game without which it refuses, such as ("evaluate",)."""


def check_fit(algorithm: Algorithm, game: Game[Any, Any]) -> None:
    """Raise UnfitGame, naming the fact, if `algorithm` cannot search `game`."""
    facts = game.facts
    name = algorithm.name

    def refuse(fact: str, has: object, needed: str) -> None:
        raise UnfitGame(f"{name} cannot search {game.name}: its fact {fact} is {has}, but {name} needs {needed}.")

    if algorithm.players is not None and facts.players != algorithm.players:
        refuse("players", facts.players, f"players={algorithm.players}")
    if facts.chance and not algorithm.chance:
        refuse("chance", True, "a game without chance")
    if facts.hidden and not algorithm.hidden:
        refuse("hidden", True, "perfect information")
    if facts.simultaneous and not algorithm.simultaneous:
        refuse("simultaneous", True, "one player to move at a time")
    if facts.utility_sum is None and not algorithm.general_sum:
        refuse("utility_sum", None, "utilities with a constant sum")
    for verb in algorithm.needs:
        if not game.offers(verb):
            raise UnfitGame(f"{name} cannot search {game.name}: the game does not define {verb}().")
