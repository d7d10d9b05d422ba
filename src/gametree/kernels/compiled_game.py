"""The formal game derived from verbs: one file of rules serves the readable searches, the terminal and the tests.

A state is the bytes of the struct, so it is immutable, hashable and ordered; games that leave out `player` get one more
byte behind it: the seat to move; games with a rule on repetition, the keys of the earlier positions that could still
come back, eight bytes each. An action is the move's number.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import numpy as np

from gametree.core.errors import GameError
from gametree.core.game import Game
from gametree.kernels.verbs import (
    HAS_GAINS,
    SYMMETRIES,
    Rules,
    evaluate,
    gains,
    initial,
    is_over,
    legal_moves,
    mirror,
    noisy_moves,
    outcomes,
    play,
    player,
    repetition_key,
    reversible_plies,
    utility,
)

__all__ = ["CompiledGame"]


# What the derived Game calls: each takes an array with one struct, which crosses into compiled code fastest.


def set_up(states: Any) -> None:
    initial(states[0])


def list_moves(states: Any, out: Any) -> Any:
    return legal_moves(states[0], out)


def list_noisy_moves(states: Any, out: Any) -> Any:
    s = states[0]
    count = noisy_moves(s, out)
    if not HAS_GAINS:
        return count
    n = 0
    for i in range(count):
        if gains(s, out[i], 0):
            out[n] = out[i]
            n += 1
    return n


def find_end(states: Any, out: Any) -> Any:
    return is_over(states[0], out)


def make_move(states: Any, move: Any) -> None:
    play(states[0], move)


def find_key(states: Any) -> Any:
    return repetition_key(states[0])


def count_reversible(states: Any) -> Any:
    return reversible_plies(states[0])


def count_points(states: Any) -> Any:
    return utility(states[0])


def estimate(states: Any) -> Any:
    return evaluate(states[0])


def find_player(states: Any) -> Any:
    return player(states[0])


def list_outcomes(states: Any, out: Any, odds: Any) -> Any:
    return outcomes(states[0], out, odds)


def make_images(states: Any) -> None:
    for k in range(1, SYMMETRIES):
        states[k] = states[0]
        mirror(states[k], k)


# Verb of the formal game → verb of the struct without which it is not offered.
_DERIVED_FROM = {
    "evaluate": "evaluate",
    "noisy_actions": "noisy_moves",
    "outcomes": "outcomes",
    "symmetries": "mirror",
}


class CompiledGame(Game[Any, int]):
    """The game whose verbs stand in the file of the subclass. `gametree.kernels.verbs` lists the verbs.

    A subclass sets `facts` (`most_moves` is required: it is the size of the move buffer) and text and drawings as it
    likes; its constructor passes constants to re-bind to this one: `super().__init__(SIZE=size)`.
    Raises GameError, naming the verb, if the file lacks one.
    """

    engine_parameters: ClassVar[Mapping[str, Any]] = {}
    """What suits the engine to this game, where its usual parameters do not: names and values of EngineParameters."""
    perft_counts_ended = False
    """Whether published perft numbers of this game count games that end before the depth is reached."""

    def __init__(self, **constants: Any) -> None:
        kind = type(self)
        facts = self.facts
        if facts.most_moves is None:
            raise GameError(f"{kind.__name__} must state facts.most_moves: compiled searches size their buffers by it.")
        self.rules = Rules(
            sys.modules[kind.__module__],
            name=kind.__name__.lower(),
            most_moves=facts.most_moves,
            limits=(int(np.floor(facts.min_utility)), int(np.ceil(facts.max_utility))),
            constants=constants,
        )
        rules = self.rules
        self._type = rules.state_type
        self._most_moves = facts.most_moves
        self._size = self._type.itemsize
        self._counts_turns = "player" not in rules.verbs
        self._has_past = "repetition_key" in rules.verbs
        self._past_start = self._size + self._counts_turns
        self._unit = rules.constants["UNIT"]
        self._images = rules.constants["SYMMETRIES"]
        self._list_moves = rules.kernel(list_moves)
        self._find_end = rules.kernel(find_end)
        self._make_move = rules.kernel(make_move)
        self._count_points = rules.kernel(count_points)
        self._find_player = rules.kernel(find_player)
        self._find_key = rules.kernel(find_key)
        self._count_reversible = rules.kernel(count_reversible)
        self._moves: tuple[bytes, tuple[int, ...]] = (b"", ())  # the last answer of `actions`, which is asked twice

    # Between states and structs ---------------------------------------------------------------------------------------

    def structs(self, state: Any, count: int = 1) -> Any:
        """A new array of `count` structs, the first of which is the state's."""
        return np.frombuffer(bytearray(state[: self._size].ljust(count * self._size, b"\0")), self._type)

    def struct(self, state: Any) -> Any:
        """A copy of the state's struct, with fields as attributes."""
        return self.structs(state)[0]

    def pack(self, structs: Any, seat: int = 0) -> bytes:
        """The state of the first struct of an array (or of one struct) with `seat` to move."""
        data: bytes = structs.tobytes()[: self._size]
        return data + bytes((seat,)) if self._counts_turns else data

    # Earlier positions, where a rule on repetition needs them --------------------------------------------------------

    def key(self, state: Any) -> int:
        """The repetition key of the state; 0 if the game has no rule on repetition."""
        return int(self._find_key(self.structs(state))) if self._has_past else 0

    def past(self, state: Any) -> Sequence[int]:
        """The keys of the earlier positions that could still come back, the oldest first."""
        return memoryview(state[self._past_start :]).cast("Q").tolist() if self._has_past else ()

    def with_past(self, state: Any, keys: Sequence[int]) -> bytes:
        """The state with these earlier positions, the oldest first; those that cannot come back are left out."""
        plies = int(self._count_reversible(self.structs(state)))
        kept = list(keys)[-plies:] if plies > 0 else []
        now: bytes = state[: self._past_start]
        return now + np.array(kept, np.uint64).tobytes()

    def repetitions(self, state: Any) -> int:
        """How often the position has stood, this time included."""
        if len(state) <= self._past_start:
            return 1
        return 1 + self.past(state).count(self.key(state))

    def _is_repeated(self, state: Any) -> bool:
        return self._has_past and self.repetitions(state) >= self.rules.constants["REPETITIONS"]

    # The six verbs ----------------------------------------------------------------------------------------------------

    def initial(self) -> Any:
        """The start position, seat 0 to move."""
        structs = np.zeros(1, self._type)
        self.rules.kernel(set_up)(structs)
        return self.pack(structs)

    def player(self, state: Any) -> int:
        """The seat to move."""
        return state[self._size] if self._counts_turns else int(self._find_player(self.structs(state)))

    def actions(self, state: Any) -> Sequence[int]:
        """The legal moves in the order of the move generator, or the outcomes at a chance state."""
        last, moves = self._moves
        if last == state:
            return moves
        out = np.empty(self._most_moves, np.int64)
        structs = self.structs(state)
        if self.facts.chance and self._find_player(structs) < 0:
            return tuple(outcome for outcome, _ in self.outcomes(state))
        moves = () if self._is_repeated(state) else tuple(out[: self._list_moves(structs, out)].tolist())
        self._moves = (state, moves)
        return moves

    def result(self, state: Any, action: int) -> Any:
        """The state after the move."""
        structs = self.structs(state)
        keys = [*self.past(state), int(self._find_key(structs))] if self._has_past else []
        self._make_move(structs, action)
        data: bytes = structs.tobytes()
        if self._counts_turns:
            data += b"\1" if state[self._size] == 0 else b"\0"
        return self.with_past(data, keys) if self._has_past else data

    def is_terminal(self, state: Any) -> bool:
        """Whether there is no legal move, or the position stands for the last time that is allowed."""
        if self._is_repeated(state):
            return True
        if "is_over" in self.rules.verbs:
            return bool(self._find_end(self.structs(state), np.empty(self._most_moves, np.int64)))
        return not self.actions(state)

    def utility(self, state: Any, player: int) -> int:
        """The points at the end; none for either after too many repetitions."""
        if self._is_repeated(state):
            return 0
        value = int(self._count_points(self.structs(state)))
        return value if self.player(state) == player else -value

    # What the game may offer ------------------------------------------------------------------------------------------

    def offers(self, verb: str) -> bool:
        """Whether the subclass defines the verb itself, or its file the verb on structs that it is derived from."""
        mine, derived = getattr(type(self), verb), getattr(CompiledGame, verb)
        if mine is not derived or verb in vars(self):
            return True
        if verb in _DERIVED_FROM:
            return _DERIVED_FROM[verb] in self.rules.verbs
        return derived is not getattr(Game, verb)

    def evaluate(self, state: Any, player: int) -> float:
        """The estimate in points."""
        if "evaluate" not in self.rules.verbs:
            return super().evaluate(state, player)
        value = int(self.rules.kernel(estimate)(self.structs(state)))
        # At chance states the estimate is seat 0's.
        mine = value if max(0, self.player(state)) == player else -value
        return mine if self._unit == 1 else mine / self._unit

    def noisy_actions(self, state: Any) -> Sequence[int]:
        """The moves that quiescence search follows."""
        out = np.empty(self._most_moves, np.int64)
        return tuple(out[: self.rules.kernel(list_noisy_moves)(self.structs(state), out)].tolist())

    def outcomes(self, state: Any) -> Sequence[tuple[int, float]]:
        """Chance outcomes with their probabilities."""
        if "outcomes" not in self.rules.verbs:
            return super().outcomes(state)
        out = np.empty(self._most_moves, np.int64)
        odds = np.empty(self._most_moves, np.float64)
        count = self.rules.kernel(list_outcomes)(self.structs(state), out, odds)
        return list(zip(out[:count].tolist(), odds[:count].tolist(), strict=True))

    def symmetries(self, state: Any) -> Sequence[Any]:
        """All symmetric images, the state first."""
        structs = self.structs(state, self._images)
        self.rules.kernel(make_images)(structs)
        data, size = structs.tobytes(), self._size
        return [data[size * k : size * (k + 1)] + state[size:] for k in range(self._images)]
