"""Search over what one will be told: a belief about the hidden board, and every try judged by the answers to it.

Source: Ciancarini and Favini, "Monte Carlo tree search in Kriegspiel" (2010), whose best player looked one move ahead
at the umpire's messages; the particle filter of Silver and Veness, "Monte-Carlo planning in large POMDPs" (2010).

    B ← all states in which the seat would have heard what it has heard, or a weighted sample of them
    for each state s of B, for each try t
        if t is refused in s: mark it
        else value(t, s) ← the mean over the other's replies, by their PRIORS, of EVAL after it and after taking back,
                           mixed with the worst of them
    V(t) ← the mean of value(t, s) over the states in which t is played
           and of the best other try over the states in which it is refused
    return the try with the best V

A try that is refused costs nothing where the same side goes on, so the order of tries matters: a bold one first, which
if it is refused has told something, then a sound one. With `look="vote"` it does without that: every state votes for
the move that is best in it, as if the board were open. That is for comparison.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from gametree.core.clock import Clock
from gametree.core.errors import BadInput, UnfitGame
from gametree.core.facts import Algorithm
from gametree.core.game import Game
from gametree.core.record import TreeRecord
from gametree.core.result import SearchResult
from gametree.search.support.run import Run

if TYPE_CHECKING:
    from gametree.search.hidden.belief.worlds import Belief

__all__ = ["ALGORITHM", "Belief", "Session", "search"]


def __getattr__(name: str) -> Any:
    """Belief, which brings compiled code along and is imported only when it is asked for."""
    if name == "Belief":
        from gametree.search.hidden.belief.worlds import Belief

        return Belief
    raise AttributeError(name)


def _preference(game: Game[Any, Any]) -> int:
    facts = game.facts
    suits = facts.hidden and facts.compiled and not facts.chance and not facts.simultaneous
    return 95 if suits and game.offers("evaluate") else 0


ALGORITHM = Algorithm(
    name="belief",
    title="Belief-state search over what is heard",
    source="Ciancarini and Favini (2010); Silver and Veness (2010)",
    compiled=True,
    hidden=True,
    exact=False,
    takes_depth=False,
    anytime=True,
    repetition=(),
    records=False,
    needs=("evaluate", "hear"),
    keeps=True,
    preference=_preference,
)

CAUTION = 0.25


def search(
    game: Game[Any, Any],
    state: Any = None,
    *,
    clock: Clock | None = None,
    record: TreeRecord | None = None,
    boards: int | None = None,
    caution: float = CAUTION,
    look: str = "umpire",
    belief: Any = None,
    seed: int = 0,
) -> SearchResult:
    """Return the try with the best mean over the states that the mover holds possible, an estimate.

    Looks at `boards` of them, by default 120, or with a `clock` as many as it allows, 8 at least. `caution`, 0 to 1, is
    how much the worst reply counts against the usual one. `belief` is a Belief of the mover; without one, all that the
    mover's view says must do: it is dealt anew by `resample`. Reads nothing of `state` but the mover's view, and
    depends on the seed alone. `details` hold how many states were possible (`possible`; `exact` if these are all), how
    many were looked at (`boards`), and for every try its mean and in which share of the states it would be played
    (`means`, `legal`). Raises BadInput, and UnfitGame where nobody is to move.
    """
    if record is not None:
        raise BadInput("belief keeps no tree record: it looks at many boards at once.")
    if boards is not None and boards < 1:
        raise BadInput(f"boards={boards} is too few; expected at least 1.")
    if not 0 <= caution <= 1:
        raise BadInput(f"caution={caution:g} should be 0 to 1.")
    if look not in ("umpire", "vote"):
        raise BadInput(f"look={look} is not possible; expected umpire or vote.")
    run = Run(ALGORITHM, game, state, clock=clock)
    if run.terminal:
        raise UnfitGame(f"belief cannot search {game.name} here: the game is over; expected a player to move.")
    from gametree.search.hidden.belief.looking import choose

    view = run.game.view(run.state, run.player)
    if belief is None:
        belief = _dealt(run.game, view, run.player, seed)
    found = choose(run.game, belief, view, run.player, clock=clock, boards=boards, caution=caution, look=look)
    return run.finish(
        found.value,
        [found.action],
        nodes=found.nodes,
        leaves=found.nodes,
        depth=1,
        bound="estimate",
        complete=found.complete,
        possible=len(belief),
        exact=belief.is_exact,
        guessed=belief.guessed,
        boards=found.boards,
        means=found.means,
        legal=found.legal,
    )


def _dealt(game: Game[Any, Any], view: Any, seat: int, seed: int) -> Belief:
    """A belief from the view alone."""
    from gametree.search.hidden.belief.worlds import Belief

    belief = Belief(game, seat, start=view, seed=seed)  # type: ignore[arg-type]
    if game.offers("resample") and game.resample(view, seat, random.Random(seed)) != view:
        belief.deal(view)
    return belief


class Session:
    """The search from move to move: its belief follows what the seat hears."""

    time_for_move = None

    def __init__(self, game: Game[Any, Any], **options: Any) -> None:
        self._game, self._options = game, options
        self._words: tuple[Any, ...] = ()
        self._known: tuple[Any, ...] = ()
        self._belief: Belief | None = None

    def search(
        self, state: Any, *, clock: Clock | None = None, seed: int | None = None, soft_seconds: float | None = None
    ) -> SearchResult:
        """Search from the state, with a belief made of all that was heard."""
        options = self._options if seed is None else {"seed": seed, **self._options}
        return search(self._game, state, clock=clock, belief=self._followed(state, options), **options)

    def _followed(self, state: Any, options: dict[str, Any]) -> Belief | None:
        """The belief of the seat to move; None where the game did not begin as usual."""
        from gametree.search.hidden.belief.worlds import Belief

        seat = self._game.player(state)
        belief = self._belief
        if belief is None or belief.seat != seat or self._words[: len(self._known)] != self._known:
            belief, self._known = Belief(self._game, seat, seed=options.get("seed", 0)), ()  # type: ignore[arg-type]
        try:
            for word in self._words[len(self._known) :]:
                belief.hear(word, state)
        except BadInput:
            belief = None
        self._belief, self._known = belief, self._words
        return belief

    def follow(self, actions: Sequence[Any] | None) -> None:
        """What the seat has heard since the start."""
        self._words = tuple(actions or ())

    def forget(self) -> None:
        """Begin anew."""
        self._words = self._known = ()
        self._belief = None
