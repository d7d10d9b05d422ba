"""Playing weaker than one can, in a natural way, for any game that the engine can search.

A player of a given Elo rating differs from the engine at full strength in three ways, each of which a person would
recognise:

    plies         it looks ahead so far and no farther; 2.3 plies are two, and on three of ten moves three
    temperature   it does not see small differences: of the best moves it chooses one with a chance of
                  exp(−loss / temperature), where the loss is what the move gives away in winning chance
    oversight     now and then it moves without looking: any legal move

Where the engine cannot search the game (chance, hidden cards, more than two sides), the last is all that makes a player
weaker, so that it happens more often.

All three are functions of the rating, given at a few ratings and linear in between. For chess they were fitted to games
against another program (`bench/chess/levels.py`); in other games the same numbers give levels in the same order, on
their own scale.

The choice depends on the seed, the rating and the position alone, unless a clock cuts the search short.
"""

from __future__ import annotations

import itertools
import math
import random
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from gametree.core.clock import Clock
from gametree.core.errors import BadInput, suggest
from gametree.core.game import Game
from gametree.core.result import SearchResult

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = [
    "FULL_ELO",
    "LEVELS",
    "LOWEST_ELO",
    "LimitedEngine",
    "Strength",
    "read_level",
    "strength_of",
]

LOWEST_ELO = 800
FULL_ELO = 3000
"""What full strength is declared as: at this rating nothing is held back."""

LEVELS = {"beginner": LOWEST_ELO, "casual": 1200, "club": 1600, "expert": 2000, "master": 2400, "full": FULL_ELO}
"""Names of ratings."""

_ANCHORS = (
    # Elo, plies, temperature, oversight, oversight without the engine
    (LOWEST_ELO, 1.95, 0.061, 0.051, 0.45),
    (1200, 2.8, 0.040, 0.024, 0.25),
    (1600, 3.95, 0.0225, 0.008, 0.12),
    (2000, 5.0, 0.011, 0.0, 0.05),
    (2400, 7.0, 0.0, 0.0, 0.02),
    (FULL_ELO, 14.0, 0.0, 0.0, 0.0),
)
_MOST_CANDIDATES = 16
"""Most moves that a choice is made from."""
_TABLE_MIB = 16
"""A small table, because it is emptied before every move: otherwise the choice would depend on the moves before."""


@dataclass(frozen=True, kw_only=True)
class Strength:
    """How a player of this rating plays; see the module."""

    elo: int
    plies: float
    temperature: float
    oversight: float
    blindness: float
    """How often it moves without looking in a game that the engine cannot search: nothing else makes it weaker."""

    @property
    def is_full(self) -> bool:
        """Whether nothing is held back."""
        return self.elo >= FULL_ELO


def strength_of(elo: int) -> Strength:
    """How a player with this Elo rating plays. Raises BadInput below 800 and above full strength."""
    if not LOWEST_ELO <= elo <= FULL_ELO:
        raise BadInput(f"An Elo rating of {elo} is not possible; expected {LOWEST_ELO} to {FULL_ELO}.")
    for lower, upper in itertools.pairwise(_ANCHORS):
        if elo <= upper[0]:
            share = (elo - lower[0]) / (upper[0] - lower[0])
            plies, temperature, oversight, blindness = (
                low + share * (high - low) for low, high in zip(lower[1:], upper[1:], strict=True)
            )
            break
    return Strength(elo=elo, plies=plies, temperature=temperature, oversight=oversight, blindness=blindness)


def read_level(text: str) -> Strength:
    """The strength that a level's name or an Elo rating means. Raises BadInput."""
    word = text.strip().lower()
    if word in LEVELS:
        return strength_of(LEVELS[word])
    if not word.isdecimal():
        names = ", ".join(f"{name} ({elo})" for name, elo in LEVELS.items())
        raise BadInput(f"There is no level '{text}'.{suggest(word, LEVELS)} Expected an Elo rating or one of {names}.")
    return strength_of(int(word))


class LimitedEngine:
    """An engine that plays as a player of the given strength would. Raises UnfitGame if the game is not compiled."""

    def __init__(self, game: Game[Any, Any], strength: Strength, *, seed: int = 0) -> None:
        from gametree.search.compiled.engine import Engine

        self.game, self.strength, self.seed = game, strength, seed
        self._engine = Engine(game, table_mib=_TABLE_MIB)

    def load(self) -> None:
        """Load the compiled code, or compile it, before any clock runs."""
        self._engine.search(depth=1)

    def choose(
        self, state: Any, *, clock: Clock | None = None, moves: Sequence[Any] | None = None
    ) -> tuple[Any, SearchResult]:
        """A move, one of `moves` if they are given, and the search that it was chosen from.

        The result is the chosen line's: its move, value and variation. Raises GametreeError as `Engine.search` does.
        """
        strength, game = self.strength, self.game
        lots = random.Random(f"{self.seed} {strength.elo} {bytes(state).hex()}")
        depth = int(strength.plies) + (lots.random() < strength.plies % 1)
        if lots.random() < strength.oversight:
            moves, depth = [lots.choice(list(moves or game.actions(state)))], 1
        self._engine.forget()
        # The colder, the fewer moves are worth a look; each costs as much as a search of its own.
        lines = min(_MOST_CANDIDATES, 2 + int(500 * strength.temperature)) if strength.temperature > 0 else 1
        result = self._engine.search(state, depth=depth, clock=clock, lines=lines, moves=moves)
        found = result.details.get("lines", ())
        if strength.temperature > 0 and len(found) > 1:
            # Of a depth that the clock cut short only the lines that it finished can be compared.
            whole = [line for line in found if line["depth"] == found[0]["depth"]]
            chances = [game.winning_chance(line["value"]) for line in whole]
            weights = [math.exp((chance - max(chances)) / strength.temperature) for chance in chances]
            result = self._play_line(result, lots.choices(whole, weights)[0])
        return result.move, result

    def _play_line(self, result: SearchResult, line: dict[str, Any]) -> SearchResult:
        """The result as if this line had been the best."""
        game, state, actions = self.game, result.state, []
        for text in line["pv"]:
            if game.is_terminal(state):  # a search may look beyond a repetition
                break
            actions.append(game.action_from_text(state, text))
            state = game.result(state, actions[-1])
        details = {**result.details, "mate": line["mate"], "lines": [line]}
        return replace(result, move=actions[0], pv=tuple(actions), value=line["value"], details=details)
