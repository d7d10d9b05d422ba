"""What a seat must hold possible: the set of states in which it would have heard what it has heard."""

from __future__ import annotations

import random
from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np

from gametree.core.errors import BadInput, UnfitGame
from gametree.kernels.compiled_game import CompiledGame
from gametree.kernels.verbs import hash_state
from gametree.search.hidden.belief.kernels import step, view_keys

__all__ = ["Belief", "pick"]

EXACT = 20_000
PARTICLES = 1500
REMEMBERED = 10
"""So many earlier sets are kept for the case that none of the boards fits what is heard."""
ATTEMPTS = 6


def pick(states: Any, places: Any) -> Any:
    """A copy of the states at these places (numbers, a slice or truths), bytes between fields included, which NumPy's
    own copies leave to chance.
    """
    whole = np.ascontiguousarray(states).view(np.uint8).reshape(len(states), states.dtype.itemsize)[places]
    return np.frombuffer(bytearray(whole.tobytes()), states.dtype)


def hash_one(states: Any, weights: Any) -> Any:
    """The hash of one state."""
    return hash_state(states[0], weights[0])


class Belief:
    """The states that a seat must hold possible, with weights, in a compiled game without chance.

    It begins with a state that everybody knows. While there are at most `exact` of them it holds all: the truth is
    always among them (`is_exact`), up to what `hash_state` does not tell apart and to tries of the others that were
    refused. Then it is a sample of about `particles`, each stepped by the others' moves, drawn by the game's `priors`,
    that explain the word. Where none does, it goes back and draws anew, and where that fails too, the game deals a
    board from the view (`resample`), if it can. So it is never empty, or says in BadInput that what it was told cannot
    have happened.
    """

    def __init__(
        self,
        game: CompiledGame,
        seat: int,
        *,
        start: Any = None,
        exact: int = EXACT,
        particles: int = PARTICLES,
        seed: int = 0,
    ) -> None:
        facts = game.facts
        if facts.chance or facts.simultaneous or "player" not in game.rules.verbs or facts.repetition is not None:
            raise UnfitGame(
                f"A belief about {game.name} cannot be kept by stepping it: expected a game of turns without chance "
                "and without a rule on repetition, whose struct knows who is to move."
            )
        if exact < 1 or particles < 1:
            raise BadInput(f"exact={exact} and particles={particles} should be at least 1.")
        self.game, self.seat, self.exact, self.particles = game, seat, exact, particles
        self._rng = random.Random(seed)
        self._rules = game.rules
        self._notes = np.zeros(1, game.rules.note_type)
        self.is_exact = True
        """Whether no possible state is missing."""
        self.guessed = False
        """Whether the states were dealt from the view and not stepped."""
        self._past: list[tuple[Any, Any, bool, int]] = []
        self.states = game.structs(game.initial() if start is None else start)
        """An array of structs."""
        self.odds = np.ones(1)
        """What each of them weighs; they sum to 1."""

    def __len__(self) -> int:
        return len(self.states)

    def hear(self, word: Hashable | None, view: Any = None) -> None:
        """The seat has heard a word, and `view` is what it sees now. Raises BadInput if that cannot have happened."""
        if word is None:
            return
        if not isinstance(word, int):
            raise BadInput(f"A belief is told the words of hear(), which are numbers here; got {word!r}.")
        self._past = [*self._past[-REMEMBERED + 1 :], (self.states, self.odds, self.is_exact, word)]
        if not self._advance(word, draw=False):
            self._draw_back(word, view)

    def draw(self, bits: int) -> tuple[Any, float]:
        """One of the states, drawn by weight with 64 random bits, and its weight."""
        place = int(np.searchsorted(np.cumsum(self.odds), (bits >> 11) * 2.0**-53))
        place = min(place, len(self.states) - 1)
        return self.game.pack(self.states[place : place + 1]), float(self.odds[place])

    def sample(self, count: int) -> tuple[Any, Any]:
        """At most this many of the states, and weights that sum to 1: all of them, or some drawn evenly by weight."""
        if len(self.states) <= count:
            return self.states, self.odds
        places = np.unique(self._pick(count))
        odds = np.maximum(self.odds[places], 1.0 / count)
        return pick(self.states, places), odds / odds.sum()

    # Inside -----------------------------------------------------------------------------------------------------------

    def _advance(self, word: int, *, draw: bool) -> bool:
        """Step the states by a word; whether any is left."""
        if self.is_exact and not draw:
            order = np.arange(len(self.states))
            found = self._step(self.states, self.odds, order, word, 0, self.exact)
            if found is not None:
                self.states, self.odds = found
                return self._tidy()
        order = np.arange(len(self.states))
        if len(self.states) > self.particles:
            order = self._pick(self.particles)
        children = max(1, -(-self.particles // len(order)))
        found = self._step(self.states, self.odds, order, word, children, len(order) * min(children, 320))
        assert found is not None
        self.is_exact = False
        self.states, self.odds = found
        return self._tidy()

    def _step(self, states: Any, odds: Any, order: Any, word: int, children: int, room: int) -> Any:
        """The states behind the word and their weights; None if there are more than `room`."""
        size = 1 << (2 * room).bit_length()
        most = self.game.facts.most_moves or 0
        room += most if children == 0 else 0
        out = np.zeros(room, self._rules.state_type)
        found = np.zeros(room)
        bits = np.uint64(self._rng.getrandbits(64))
        count = self._rules.kernel(step)(
            states, odds, order, out, found, np.zeros(room, np.uint64), np.zeros(size, np.int64),
            self.seat, word, children, bits, self.game.w, self._notes,
        )  # fmt: skip
        if count < 0:
            return None
        return pick(out, slice(count)), found[:count].copy()

    def _tidy(self) -> bool:
        total = self.odds.sum()
        if len(self.states) == 0 or not total > 0:
            return False
        self.odds = self.odds / total
        return True

    def _pick(self, count: int) -> Any:
        """Places of states drawn by weight, each about as often as its share of `count`."""
        marks = (np.arange(count) + self._rng.random()) / count
        return np.minimum(np.searchsorted(np.cumsum(self.odds), marks), len(self.states) - 1)

    def _draw_back(self, word: int, view: Any) -> None:
        """None of the sampled states explains the word: draw again from earlier ones, more and more of them."""
        if self._past[-1][2]:
            raise BadInput(
                f"Seat {self.seat} of {self.game.name} heard the word {word}, which no possible state explains: the "
                "umpire has contradicted himself, or words were left out."
            )
        usual = self.particles
        try:
            for attempt in range(ATTEMPTS):
                back = min(len(self._past), 1 + 2 * attempt)
                self.particles = usual * min(4, 1 + attempt)
                self.states, self.odds = self._past[-back][:2]
                if all(self._advance(heard, draw=True) for _, _, _, heard in self._past[-back:]):
                    return
        finally:
            self.particles = usual
        if view is None or not self.game.offers("resample"):
            raise BadInput(
                f"No board of {self.game.name} was found on which seat {self.seat} would have heard {word}; "
                "more particles would help."
            )
        self.deal(view)

    def deal(self, view: Any) -> None:
        """Guess boards that look to the seat as what it sees, whatever was heard before."""
        dealt = [self.game.resample(view, self.seat, self._rng) for _ in range(min(200, self.particles))]
        self.states = np.frombuffer(bytearray(b"".join(dealt)), self._rules.state_type)
        self.odds = np.full(len(dealt), 1.0 / len(dealt))
        self.is_exact, self.guessed = False, True

    # Asked by tests and searches --------------------------------------------------------------------------------------

    def holds(self, state: Any) -> bool:
        """Whether the state, or one that `hash_state` does not tell from it, is among the possible ones."""
        kernel = self._rules.kernel(hash_one)
        key = int(kernel(self.game.structs(state), self.game.w))
        return any(int(kernel(self.states[i : i + 1], self.game.w)) == key for i in range(len(self.states)))

    def views(self) -> Sequence[int]:
        """The hash of what the seat would see, state by state: all alike, and like what it sees."""
        out = np.zeros(len(self.states), np.uint64)
        self._rules.kernel(view_keys)(self.states, self.seat, out, self.game.w)
        keys: list[int] = out.tolist()
        return keys
