"""The formal game: an initial state, PLAYER, ACTIONS, RESULT, TERMINAL-TEST and UTILITY.

These six are all that a game must say (Russell and Norvig, *Artificial Intelligence*, section 5.1). The rest is
optional: chance, hidden information, an evaluation, symmetries, text and drawings. An algorithm asks
`game.offers("evaluate")` before it relies on an optional verb.

States and actions are immutable and hashable; `result` never changes the state that it is given.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Hashable, Sequence
from typing import Any, Generic, TypeVar

from gametree.core.drawing import Drawing
from gametree.core.errors import BadInput, GameError, IllegalMove, suggest
from gametree.core.facts import Facts

__all__ = ["CHANCE", "MAX", "MIN", "SIMULTANEOUS", "Game", "as_game"]

CHANCE = -1
"""What `player` returns where dice or cards decide."""
SIMULTANEOUS = -2
"""What `player` returns where several seats choose at once."""
MAX, MIN = 0, 1
"""The two seats of a two-player game."""

S = TypeVar("S", bound=Hashable)
A = TypeVar("A", bound=Hashable)

REQUIRED = ("initial", "player", "actions", "result", "is_terminal", "utility")
OPTIONAL = (
    "outcomes",
    "seat_actions",
    "observation",
    "resample",
    "evaluate",
    "noisy_actions",
    "plausible_actions",
    "symmetries",
    "canonical",
    "action_text",
    "action_from_text",
    "action_cells",
    "state_text",
    "state_from_text",
    "draw",
    "draw_for",
    "label",
    "explain",
)


class Game(Generic[S, A]):
    """The rules of a game. Subclass it and define the six verbs of the first group and `facts`."""

    facts: Facts = Facts()
    name: str = "this game"
    """Set by the registry to the name and parameters that the game was loaded with."""

    # The six verbs that every game defines -------------------------------------------------------------------------

    def initial(self) -> S:
        """S0: how the game is set up at the start."""
        raise GameError(f"{self.name} does not define initial().")

    def player(self, state: S) -> int:
        """PLAYER(s): the seat to move, or CHANCE, or SIMULTANEOUS. Not asked at terminal states."""
        raise GameError(f"{self.name} does not define player().")

    def actions(self, state: S) -> Sequence[A]:
        """ACTIONS(s): the legal moves, each once, in a fixed order; none at terminal states.

        At CHANCE the possible outcomes; at SIMULTANEOUS the joint actions: tuples with one entry per seat, None for a
        seat that does not choose. The default builds the joint actions from `seat_actions`.
        """
        if self.is_terminal(state):
            return ()
        choices = [tuple(self.seat_actions(state, seat)) or (None,) for seat in range(self.facts.players)]
        return list(itertools.product(*choices))  # type: ignore[arg-type]

    def result(self, state: S, action: A) -> S:
        """RESULT(s, a): the state that a legal action leads to; `state` stays as it was."""
        raise GameError(f"{self.name} does not define result().")

    def is_terminal(self, state: S) -> bool:
        """TERMINAL-TEST(s): whether the game is over."""
        raise GameError(f"{self.name} does not define is_terminal().")

    def utility(self, state: S, player: int) -> float:
        """UTILITY(s, p): what a terminal state is worth to seat `player`."""
        raise GameError(f"{self.name} does not define utility().")

    # Derived from the six ------------------------------------------------------------------------------------------

    def successors(self, state: S) -> list[tuple[A, S]]:
        """The (move, state) pairs that the successor function of the textbooks returns."""
        return [(action, self.result(state, action)) for action in self.actions(state)]

    def offers(self, verb: str) -> bool:
        """Whether this game defines the optional verb itself rather than inheriting the default."""
        return verb in vars(self) or getattr(type(self), verb) is not getattr(Game, verb)

    # Chance, simultaneous moves and hidden information --------------------------------------------------------------

    def outcomes(self, state: S) -> Sequence[tuple[A, float]]:
        """At a CHANCE state: every outcome with its probability; they sum to 1."""
        raise GameError(f"{self.name} has chance but does not define outcomes().")

    def seat_actions(self, state: S, player: int) -> Sequence[Any]:
        """What one seat may choose here: its part of a joint action, or `actions` if it alone is to move.

        A durative move (one that takes time) is a SIMULTANEOUS state in which a busy seat has no choice: it returns
        an empty sequence until its move is done.
        """
        if self.player(state) == player and type(self).actions is not Game.actions:
            return self.actions(state)
        return ()

    def observation(self, state: S, player: int) -> Hashable:
        """What the seat knows of the state, its own past included. By default it sees everything."""
        return state

    def resample(self, state: S, player: int, rng: random.Random) -> S:
        """A random state that looks the same to `player`, with the probability that it deserves."""
        raise GameError(f"{self.name} does not define resample().")

    # Knowledge ------------------------------------------------------------------------------------------------------

    def evaluate(self, state: S, player: int) -> float:
        """EVAL(s, p): an estimate of the utility, between the worst and the best utility that are possible."""
        raise GameError(f"{self.name} does not define evaluate().")

    def noisy_actions(self, state: S) -> Sequence[A]:
        """The actions that make the evaluation jump (captures); quiescence search follows only these."""
        return ()

    def plausible_actions(self, state: S) -> Sequence[A]:
        """The actions worth a look, best first; forward pruning drops the others."""
        return self.actions(state)

    def symmetries(self, state: S) -> Sequence[S]:
        """All states that are equivalent to this one by a symmetry of the board, itself included."""
        return (state,)

    def canonical(self, state: S) -> S:
        """The one representative of all equivalent states."""
        return min(self.symmetries(state))  # type: ignore[type-var]

    # Text and drawings ----------------------------------------------------------------------------------------------

    def action_text(self, state: S, action: A) -> str:
        """The move as people write it; `action_from_text` reads it back in the same state."""
        return str(action)

    def action_from_text(self, state: S, text: str) -> A:
        """The legal action that `text` means. Raises IllegalMove, naming the text and the legal moves."""
        wanted = text.strip()
        texts = {self.action_text(state, action): action for action in self.actions(state)}
        if wanted in texts:
            return texts[wanted]
        folded = [action for name, action in texts.items() if name.casefold() == wanted.casefold()]
        if len(folded) == 1:
            return folded[0]
        shown = ", ".join(list(texts)[:12]) + (", ..." if len(texts) > 12 else "")
        raise IllegalMove(
            f"'{wanted}' is not a legal move here.{suggest(wanted, texts)} Legal moves: {shown or 'none'}."
        )

    def action_cells(self, state: S, action: A) -> Sequence[str]:
        """The cells of `draw` that one clicks to make the move, by name and in order: from where, to where.

        None here means that the move's text says it (`core.drawing.cells_in_move`), or that it has no place.
        """
        return ()

    def state_text(self, state: S) -> str:
        """The position in one line; `state_from_text` reads it back."""
        return str(state)

    def state_from_text(self, text: str) -> S:
        """The position that `text` describes. Raises BadInput, naming the text and what was expected."""
        raise BadInput(
            f"{self.name} does not read positions as text, so '{text}' cannot be set up; use --moves instead."
        )

    def draw(self, state: S) -> Drawing:
        """The position as plain data for the terminal and the browser."""
        return Drawing(layout="text", text=self.state_text(state))

    def draw_for(self, state: S, player: int) -> Drawing:
        """The position as the seat sees it. Games with hidden information must leave out what it does not know."""
        return self.draw(state)

    def label(self, state: S) -> str:
        """What a picture of the tree writes inside the state's node beside its value; empty for nothing."""
        return ""

    def explain(self, state: S) -> Sequence[tuple[str, float]]:
        """The terms of the evaluation for the seat to move, by name; they add up to `evaluate`."""
        return ()


class _Adapted(Game[Any, Any]):
    """Any object that has the verbs, made into a Game."""

    def __init__(self, rules: object) -> None:
        self.facts = rules.facts  # type: ignore[attr-defined]
        self.name = getattr(rules, "name", type(rules).__name__)
        for verb in REQUIRED + OPTIONAL:
            if hasattr(rules, verb):
                setattr(self, verb, getattr(rules, verb))


def as_game(rules: object) -> Game[Any, Any]:
    """Return `rules` as a Game: itself if it is one, or a wrapper around any object with the verbs.

    Raises GameError, naming what is missing.
    """
    if isinstance(rules, Game):
        return rules
    name = getattr(rules, "name", type(rules).__name__)
    if not isinstance(getattr(rules, "facts", None), Facts):
        raise GameError(f"{name} is not a game: it has no attribute facts of type gametree.Facts.")
    for verb in REQUIRED:
        if verb == "actions" and hasattr(rules, "seat_actions"):
            continue
        if not callable(getattr(rules, verb, None)):
            raise GameError(f"{name} is not a game: it does not define {verb}().")
    return _Adapted(rules)
