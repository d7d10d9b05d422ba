"""The formal game: an initial state, PLAYER, ACTIONS, RESULT, TERMINAL-TEST and UTILITY.

These six are all that a game must say (Russell and Norvig, *Artificial Intelligence*, section 5.1). The rest is
optional: chance, hidden information, an evaluation, symmetries, text and drawings. An algorithm asks
`game.offers("evaluate")` before it relies on an optional verb.

States and actions are immutable and hashable; `result` never changes the state that it is given.
"""

from __future__ import annotations

import copy
import itertools
import math
import random
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Any, Generic, Self, TypeVar

from gametree.core.clock import Clock
from gametree.core.drawing import Drawing
from gametree.core.errors import BadInput, GameError, IllegalMove, suggest
from gametree.core.facts import Facts
from gametree.core.format import Format
from gametree.core.solution import Solution
from gametree.core.verbs import ATTRIBUTES, GAME_VERBS

__all__ = ["CHANCE", "MAX", "MIN", "SIMULTANEOUS", "Game", "as_game", "as_two_sides"]

CHANCE = -1
"""What `player` returns where dice or cards decide."""
SIMULTANEOUS = -2
"""What `player` returns where several seats choose at once."""
MAX, MIN = 0, 1
"""The two seats of a two-player game."""

S = TypeVar("S", bound=Hashable)
A = TypeVar("A", bound=Hashable)

REQUIRED = tuple(verb.name for verb in GAME_VERBS if verb.required)
OPTIONAL = tuple(verb.name for verb in GAME_VERBS if not verb.required)


class Game(Generic[S, A]):
    """The rules of a game. Subclass it and define the six verbs of the first group and `facts`."""

    facts: Facts = Facts()
    name: str = "this game"
    """Set by the registry to the name and parameters that the game was loaded with."""
    seat_names: Sequence[str] = tuple(f"player {number}" for number in range(1, 21))
    """What people call the seats, such as White and Black; at least one name for every seat."""
    formats: Mapping[str, Format] = MappingProxyType({})
    """Notations of positions, moves and whole games by name; besides these every game has its own text of both."""
    komi: float | None = None
    """Points that seat 1 gets for moving second; None where the game knows no such thing."""
    board_size: int | None = None
    """What other programs call the size of the board, where that is not the number of rows of its drawing."""

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

    def utilities(self, state: S) -> tuple[float, ...]:
        """What a terminal state is worth to every seat."""
        return tuple(self.utility(state, seat) for seat in range(self.facts.players))

    def offers(self, verb: str) -> bool:
        """Whether this game defines the optional verb itself rather than inheriting the default."""
        return verb in vars(self) or getattr(type(self), verb) is not getattr(Game, verb)

    def twin(self) -> Self:
        """The same rules as an object of their own: whoever holds it learns nothing of what this one was asked."""
        try:
            return copy.deepcopy(self)
        except Exception:  # rules that hold what cannot be copied, or go too deep for it
            if self.facts.hidden:
                raise GameError(
                    f"{self.name} cannot be copied for each player, which keeps hidden cards hidden; define twin()."
                ) from None
            return copy.copy(self)

    # Chance, simultaneous moves and hidden information --------------------------------------------------------------

    def outcomes(self, state: S) -> Sequence[tuple[A, float]]:
        """At a CHANCE state: every outcome with its probability; they sum to 1.

        Not asked where `facts.unlisted` says that there may be too many for a list.
        """
        raise GameError(f"{self.name} has chance but does not define outcomes().")

    def roll(self, state: S, rng: random.Random) -> A:
        """At a CHANCE state: one outcome, drawn with its probability and by nothing but `rng`."""
        drawn = rng.random()
        outcomes = self.outcomes(state)
        for outcome, probability in outcomes:
            drawn -= probability
            if drawn < 0:
                return outcome
        return outcomes[-1][0]

    def seat_actions(self, state: S, player: int) -> Sequence[Any]:
        """What one seat may choose here: its part of a joint action, or `actions` if it alone is to move.

        A durative move (one that takes time) is a SIMULTANEOUS state in which a busy seat has no choice: it returns
        an empty sequence until its move is done.
        """
        if self.player(state) == player and type(self).actions is not Game.actions:
            return self.actions(state)
        return ()

    def view(self, state: S, player: int) -> S:
        """What the seat knows of the state, as a state: what it does not know is set to one fixed blank.

        Moves, text, drawings and redealing of a seat start from its view, so whoever holds only a view cannot leak.
        A view of a view is the view. Seat −1 is a spectator, who sees what everyone sees. By default all is seen.
        """
        return state

    def hear(self, state: S, action: A, after: S, player: int) -> Hashable | None:
        """What the seat hears of a move; None if it does not even notice that time has passed.

        What a seat has heard since the start is its information set, so its own moves are always heard. By default it
        hears the move itself in an open game; in a hidden one it hears its own move, and whatever changes its view.
        """
        if not self.facts.hidden:
            return action
        seen = self._known(after, player)
        if self.player(state) == player >= 0:  # a spectator's number is the one of chance
            return (action, seen)
        return None if seen == self._known(state, player) else (seen,)

    def hear_text(self, state: S, action: A, after: S, player: int) -> str:
        """For people: what the seat hears of a move, empty if it hears nothing. It tells no more than `hear`.

        By default the move as it is written, in a hidden game `...` for what the seat does not make itself.
        """
        if not self.facts.hidden or self.player(state) == player >= 0:
            return self.action_text(state, action)
        return "" if self.hear(state, action, after, player) is None else "..."

    def observation(self, state: S, player: int) -> Hashable:
        """What the seat knows of the state, its own past included. By default its view."""
        return self.view(state, player)

    def resample(self, view: S, player: int, rng: random.Random) -> S:
        """Fill the blanks of a seat's view: a random state that looks like it, with the odds that chance gives it.

        It is given a view and so reads nothing that the seat does not know.
        """
        raise GameError(f"{self.name} does not define resample().")

    def plausibility(self, state: S, player: int) -> float:
        """How well this whole state explains what the *others* did, as far as `player` can judge; 0 or more.

        It weighs the states that `resample` gives: a hand that would have bid is unlikely if its owner passed.
        """
        return 1.0

    def worlds(self, view: S, player: int, rng: random.Random, count: int) -> Sequence[tuple[S, float]]:
        """About `count` states that look like the seat's view, each with a weight: how likely the view makes it.

        By default `resample` draws them and `plausibility` weighs them; a game that knows which of them are likely
        draws those.
        """
        drawn = [self.resample(view, player, rng) for _ in range(count)]
        return [(state, self.plausibility(state, player)) for state in drawn]

    def info_key(self, view: S, player: int) -> Hashable:
        """What stands for the information set of a view where forgetting is wanted (hold'em hands in buckets).

        Only asked of games that define it; elsewhere the key is all that the seat has heard.
        """
        raise GameError(f"{self.name} does not define info_key().")

    def opened(self, state: S) -> tuple[Game[Any, Any], Any]:
        """The same position face up, as a game of perfect information and its state: bridge double dummy, for one.

        By default the same rules, with nothing hidden.
        """
        return _face_up(self), state

    def closed(self, state: S, action: Any) -> A:
        """The action here that an action of the face-up game means. By default the same."""
        return action  # type: ignore[no-any-return]

    def _known(self, state: S, player: int) -> Hashable:
        """The view, or the observation in games that define only that."""
        return self.view(state, player) if self.offers("view") else self.observation(state, player)

    # Knowledge ------------------------------------------------------------------------------------------------------

    def solution(self, state: S, clock: Clock | None = None) -> Solution | None:
        """The exact value of every action, by a solver of the game's own, where everything is seen and chance is over.

        None where it has none for such a state. Raises OutOfTime if the clock expires first.
        """
        return None

    def advice(self, view: S, player: int) -> tuple[A, str] | None:
        """The action that the game's own knowledge (a bidding system, say) would take for the seat to move, and a
        sentence that says why; None where it has none. It is given a view and so looks at nothing else."""
        return None

    def evaluate(self, state: S, player: int) -> float:
        """EVAL(s, p): an estimate of the utility, between the worst and the best utility that are possible."""
        raise GameError(f"{self.name} does not define evaluate().")

    def priors(self, state: S) -> Sequence[float]:
        """How likely each of `actions` is to be good, before any search; they need not sum to 1."""
        return (1.0,) * len(self.actions(state))

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

    def action_ways(self, state: S, action: A) -> Sequence[Sequence[str]]:
        """All ways to click a move that takes several steps, each from and to for every step; none for other moves.

        Each way leads to the same state, and its steps may be clicked in any order.
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
        """The position as the seat sees it: the drawing of its view."""
        return self.draw(self.view(state, player))

    def label(self, state: S) -> str:
        """What a picture of the tree writes inside the state's node beside its value; empty for nothing."""
        return ""

    def explain(self, state: S) -> Sequence[tuple[str, float]]:
        """The terms of the evaluation for the seat to move, by name; they add up to `evaluate`."""
        return ()

    def explain_sides(self, state: S) -> Sequence[tuple[str, float, float]]:
        """The same terms with what seat 0's and seat 1's share of each adds for the seat to move."""
        return ()

    def explain_weights(self, state: S) -> Mapping[str, str]:
        """What each term weighs here, as text, by the term's name."""
        return {}

    def explain_move(self, state: S, action: A) -> Mapping[str, float]:
        """What people want to know of a legal move before any search, by name: points, what stays on the rack."""
        return {}

    def phase_text(self, state: S) -> str:
        """How far the game has gone, in a sentence, if the weights depend on it; else nothing."""
        return ""

    def winning_chance(self, value: float) -> float:
        """The expected share of the point, 0 to 1, of a side that values its position so: wins count 1, draws ½.

        By default a tenth of the highest utility is e to 1, and where nothing lies between a loss and a win, the value
        itself is the chance.
        """
        middle = (self.facts.max_utility + self.facts.min_utility) / 2
        half = self.facts.max_utility - middle
        if half <= 1:
            return (value - middle) / half / 2 + 0.5
        return 1 / (1 + math.exp(-max(-30.0, min(30.0, 10 * (value - middle) / half))))

    # What others need -----------------------------------------------------------------------------------------------

    def lenient_actions(self, state: S) -> Sequence[A]:
        """What other programs, or older rules, may still play here: also where our rules say that the game is over."""
        return self.actions(state)

    def lenient_state(self, state: S) -> S:
        """The state as one that goes on, if only a clock or a repetition has ended it; else the state itself."""
        return state

    def tree_text(self) -> str:
        """The whole game tree in one line, where it is drawn and not played; else nothing."""
        return ""

    def book_keys(self) -> Any:
        """How books of other programs key positions and moves (`gametree.knowledge.keys.Keys`); None: as books here."""
        return None

    def tuning(self) -> Any:
        """What a tuner needs to fit the evaluation's weights (`gametree.learning.texel.Linear`). Raises BadInput."""
        raise BadInput(f"{self.name} has no evaluation whose weights could be tuned; chess has one.")

    def learning(self) -> Any:
        """What a trainer needs to learn the game from play against itself (`gametree.learning.td.Lessons`).

        Raises BadInput.
        """
        raise BadInput(f"{self.name} does not say how it could be learned; backgammon does.")


def _face_up(game: Game[Any, Any]) -> Game[Any, Any]:
    """The game with the same rules and nothing hidden."""
    if not game.facts.hidden:
        return game
    twin = copy.copy(game)
    twin.facts = replace(game.facts, hidden=False)
    twin.view = lambda state, player: state  # type: ignore[method-assign]
    twin.observation = lambda state, player: state  # type: ignore[method-assign]
    twin.draw_for = lambda state, player: game.draw(state)  # type: ignore[method-assign]
    twin.name = f"{game.name}, face up"
    return twin


def as_two_sides(game: Game[Any, Any]) -> Game[Any, Any]:
    """A game of two teams as a game of two seats: `player`, `utility` and `evaluate` speak of sides."""
    facts = game.facts
    twin = copy.copy(game)
    twin.facts = replace(facts, players=2, teams=None)

    def player(state: Any) -> int:
        seat = game.player(state)
        return seat if seat < 0 else facts.side_of(seat)

    def utility(state: Any, player: int) -> float:
        return game.utility(state, facts.sides[player][0])

    def evaluate(state: Any, player: int) -> float:
        return game.evaluate(state, facts.sides[player][0])

    twin.player = player  # type: ignore[method-assign]
    twin.utility = utility  # type: ignore[method-assign]
    twin.utilities = lambda state: tuple(  # type: ignore[method-assign]
        game.utility(state, side[0]) for side in facts.sides
    )
    if game.offers("evaluate"):
        twin.evaluate = evaluate  # type: ignore[method-assign]
    return twin


class _Adapted(Game[Any, Any]):
    """Any object that has the verbs, made into a Game."""

    def __init__(self, rules: object) -> None:
        self.facts = rules.facts  # type: ignore[attr-defined]
        self.name = getattr(rules, "name", type(rules).__name__)
        for name in REQUIRED + OPTIONAL + ATTRIBUTES:
            if hasattr(rules, name):
                setattr(self, name, getattr(rules, name))


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
