"""The formal game derived from verbs: one file of rules serves the readable searches, the terminal and the tests.

A state is the bytes of the struct, so it is immutable, hashable and ordered; games that leave out `player` get one more
byte behind it: the seat to move; games with a rule on repetition, the keys of the earlier positions that could still
come back, eight bytes each. An action is the move's number.
"""

from __future__ import annotations

import copy
import itertools
import random
import sys
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar, Self

import numpy as np

from gametree.core.errors import BadInput, GameError, IllegalMove
from gametree.core.game import CHANCE, SIMULTANEOUS, Game
from gametree.kernels.verbs import (
    HAS_GAINS,
    SYMMETRIES,
    Rules,
    estimates,
    evaluate,
    gains,
    heard,
    hide,
    info_key,
    initial,
    is_over,
    key_after,
    legal_moves,
    mirror,
    noisy_moves,
    note_fresh,
    outcomes,
    payoffs,
    plausibility,
    play,
    play_joint,
    player,
    priors,
    redeal,
    repetition_key,
    reversible_plies,
    roll,
    seat_moves,
    utility,
)
from gametree.kernels.waiting import plain_at_first

__all__ = ["CompiledGame"]


# What the derived Game calls: each takes an array with one struct, which crosses into compiled code fastest, and an
# array with the weights.


@plain_at_first
def set_up(states: Any, weights: Any) -> None:
    initial(states[0], weights[0])


@plain_at_first
def list_moves(states: Any, out: Any, weights: Any) -> Any:
    return legal_moves(states[0], out, weights[0])


@plain_at_first
def list_noisy_moves(states: Any, out: Any, weights: Any) -> Any:
    s, w = states[0], weights[0]
    count = noisy_moves(s, out, w)
    if not HAS_GAINS:
        return count
    n = 0
    for i in range(count):
        if gains(s, out[i], 0, w):
            out[n] = out[i]
            n += 1
    return n


@plain_at_first
def list_seat_moves(states: Any, seat: Any, out: Any, weights: Any) -> Any:
    return seat_moves(states[0], seat, out, weights[0])


@plain_at_first
def find_end(states: Any, out: Any, weights: Any) -> Any:
    return is_over(states[0], out, weights[0])


@plain_at_first
def make_move(states: Any, move: Any, weights: Any) -> None:
    play(states[0], move, weights[0])


@plain_at_first
def make_joint_move(states: Any, moves: Any, weights: Any) -> None:
    play_joint(states[0], moves, weights[0])


@plain_at_first
def find_key(states: Any, weights: Any) -> Any:
    return repetition_key(states[0], weights[0])


@plain_at_first
def find_keys_after(states: Any, moves: Any, keys: Any, weights: Any) -> None:
    for i in range(moves.shape[0]):
        keys[i] = key_after(states[0], moves[i], weights[0])


@plain_at_first
def count_reversible(states: Any, weights: Any) -> Any:
    return reversible_plies(states[0], weights[0])


@plain_at_first
def count_points(states: Any, weights: Any) -> Any:
    return utility(states[0], weights[0])


@plain_at_first
def count_payoffs(states: Any, out: Any, weights: Any) -> None:
    payoffs(states[0], out, weights[0])


@plain_at_first
def estimate(states: Any, weights: Any, notes: Any) -> Any:
    note_fresh(states[0], notes[0], weights[0])
    return evaluate(states[0], weights[0], notes[0])


@plain_at_first
def estimate_all(states: Any, out: Any, weights: Any, notes: Any) -> None:
    note_fresh(states[0], notes[0], weights[0])
    estimates(states[0], out, weights[0], notes[0])


@plain_at_first
def weigh_moves(states: Any, moves: Any, out: Any, weights: Any, notes: Any) -> None:
    note_fresh(states[0], notes[0], weights[0])
    priors(states[0], moves, moves.shape[0], out, weights[0], notes[0])


@plain_at_first
def find_player(states: Any, weights: Any) -> Any:
    return player(states[0], weights[0])


@plain_at_first
def list_outcomes(states: Any, out: Any, odds: Any, weights: Any) -> Any:
    return outcomes(states[0], out, odds, weights[0])


@plain_at_first
def draw_outcome(states: Any, bits: Any, weights: Any) -> Any:
    return roll(states[0], bits, weights[0])


@plain_at_first
def make_images(states: Any, weights: Any) -> None:
    for k in range(1, SYMMETRIES):
        states[k] = states[0]
        mirror(states[k], k, weights[0])


@plain_at_first
def blank_out(states: Any, seat: Any, weights: Any) -> None:
    hide(states[0], seat, weights[0])


@plain_at_first
def deal_anew(states: Any, seat: Any, bits: Any, weights: Any) -> None:
    redeal(states[0], seat, bits, weights[0])


@plain_at_first
def find_word(states: Any, move: Any, seat: Any, weights: Any) -> Any:
    return heard(states[0], move, states[1], seat, weights[0])


@plain_at_first
def find_plausibility(states: Any, seat: Any, weights: Any) -> Any:
    return plausibility(states[0], seat, weights[0])


@plain_at_first
def find_info_key(states: Any, seat: Any, weights: Any) -> Any:
    return info_key(states[0], seat, weights[0])


# Verb of the formal game → verbs of the struct, one of which must be there for it to be offered.
_DERIVED_FROM = {
    "evaluate": ("evaluate", "estimates"),
    "noisy_actions": ("noisy_moves",),
    "outcomes": ("outcomes",),
    "roll": ("outcomes", "roll"),
    "symmetries": ("mirror",),
    "view": ("hide",),
    "observation": ("hide",),
    "hear": ("hide", "heard"),
    "resample": ("redeal",),
    "plausibility": ("plausibility",),
    "info_key": ("info_key",),
    "priors": ("priors",),
    "seat_actions": ("seat_moves",),
    "utilities": ("payoffs",),
}


class CompiledGame(Game[Any, int]):
    """The game whose verbs stand in the file of the subclass. `gametree.kernels.verbs` lists the verbs.

    A subclass sets `facts` (`most_moves` is required: it is the size of the move buffer) and text and drawings as it
    likes; its constructor passes constants to re-bind to this one: `super().__init__(SIZE=size)`.
    Raises GameError, naming the verb, if the file lacks one.
    """

    engine_parameters: ClassVar[Mapping[str, Any]] = {}
    """What suits the engine to this game, where its usual parameters do not: names and values of EngineParameters."""
    mcts_parameters: ClassVar[Mapping[str, Any]] = {}
    """What suits fast-mcts to this game, where its usual options do not: names and values of them. Such a game is
    played by fast-mcts where nobody names a search."""
    perft_counts_ended = False
    """Whether published perft numbers of this game count games that end before the depth is reached."""

    def __init__(self, **constants: Any) -> None:
        kind = type(self)
        facts = self.facts = replace(self.facts, compiled=True)
        if facts.most_moves is None:
            raise GameError(f"{kind.__name__} must state facts.most_moves: compiled searches size their buffers by it.")
        self.rules = Rules(
            sys.modules[kind.__module__],
            name=kind.__name__.lower(),
            facts=facts,
            limits=(int(np.floor(facts.min_utility)), int(np.ceil(facts.max_utility))),
            constants=constants,
        )
        rules = self.rules
        self.w = np.zeros(1, rules.weights_type)
        """The weights that verbs read: an array with one record. Searches read it where they begin; see `weighed`."""
        self._type = rules.state_type
        self._most_moves = facts.most_moves
        self._size = self._type.itemsize
        self._counts_turns = "player" not in rules.verbs
        self._has_past = "repetition_key" in rules.verbs
        self._forbids = bool(rules.constants["FORBIDS_REPETITION"]) and self._has_past
        if self._has_past:
            self.facts = replace(facts, repetition="forbidden" if self._forbids else "draw")
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

    def load_weights(self, name: str) -> Any:
        """The weights of this name, or of a file, as an array with one record of the file's `Weights`. Raises BadInput.

        A game whose weights can be chosen defines it: `engine:weights=FILE` is then a player of it.
        """
        raise BadInput(f"{self.name} has no weights that could be chosen, so '{name}' cannot be used.")

    def weighed(self, weights: Any) -> Self:
        """The same game with other weights, an array with one record of the file's `Weights`. Nothing is compiled."""
        if getattr(weights, "dtype", None) != self.rules.weights_type or weights.shape != (1,):
            raise BadInput(f"Weights of {self.name} must be an array with one record of its type Weights.")
        twin = self.twin()
        twin.w = weights
        return twin

    def twin(self) -> Self:
        """The same rules, compiled once for all, without a memory of the position that this object was asked about."""
        twin = copy.copy(self)
        twin._moves = (b"", ())
        return twin

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
        return int(self._find_key(self.structs(state), self.w)) if self._has_past else 0

    def past(self, state: Any) -> Sequence[int]:
        """The keys of the earlier positions that could still come back, the oldest first."""
        return memoryview(state[self._past_start :]).cast("Q").tolist() if self._has_past else ()

    def with_past(self, state: Any, keys: Sequence[int]) -> bytes:
        """The state with these earlier positions, the oldest first; those that cannot come back are left out."""
        plies = int(self._count_reversible(self.structs(state), self.w))
        kept = list(keys)[-plies:] if plies > 0 else []
        now: bytes = state[: self._past_start]
        return now + np.array(kept, np.uint64).tobytes()

    def repetitions(self, state: Any) -> int:
        """How often the position has stood, this time included."""
        if len(state) <= self._past_start:
            return 1
        return 1 + self.past(state).count(self.key(state))

    def _is_repeated(self, state: Any) -> bool:
        """Whether the position has stood so often that the game is drawn."""
        if not self._has_past or self._forbids:
            return False
        return bool(self.repetitions(state) >= self.rules.constants["REPETITIONS"])

    def _allowed(self, state: Any, structs: Any, moves: Any) -> Any:
        """Those of the moves that lead to no position that has stood too often, where that is forbidden."""
        past = np.array([*self.past(state), self.key(state)], np.uint64)
        keys = np.empty(len(moves), np.uint64)
        self.rules.kernel(find_keys_after)(structs, moves, keys, self.w)
        stood = (keys[:, None] == past[None, :]).sum(axis=1)
        return moves[(stood < self.rules.constants["REPETITIONS"] - 1) | (keys == 0)]

    # Positions by number ----------------------------------------------------------------------------------------------

    def class_name(self, number: int) -> str:
        """What a class of positions (`table_class`) is called: its number, unless the game has better names."""
        return str(number)

    def class_of_name(self, text: str) -> int:
        """The class that a text means. Raises BadInput."""
        if not text.strip().isdecimal():
            raise BadInput(f"'{text}' is no class of positions of {self.name}; expected a whole number from 0 up.")
        return int(text)

    def classes_of_name(self, text: str) -> Sequence[int]:
        """All classes that a text means, such as a number of pieces; by default the one called so. Raises BadInput."""
        return [self.class_of_name(text)]

    def image_counts(self, number: int, size: int) -> Any:
        """For every number of a class how many positions it stands for: one, unless the game merges some."""
        return np.ones(size, np.int64)

    # The six verbs ----------------------------------------------------------------------------------------------------

    def initial(self) -> Any:
        """The start position, seat 0 to move."""
        structs = np.zeros(1, self._type)
        self.rules.kernel(set_up)(structs, self.w)
        return self.pack(structs)

    def player(self, state: Any) -> int:
        """The seat to move."""
        return state[self._size] if self._counts_turns else int(self._find_player(self.structs(state), self.w))

    def actions(self, state: Any) -> Sequence[Any]:
        """The legal moves in the order of the move generator, or the outcomes at a chance state, if they can be listed.

        Where several choose at once, the joint actions: tuples with None for seats that do not choose.
        """
        last, moves = self._moves
        if last == state:
            return moves
        structs = self.structs(state)
        facts = self.facts
        if facts.chance or facts.simultaneous:
            mover = self._find_player(structs, self.w)
            if mover == CHANCE:
                return tuple(outcome for outcome, _ in self.outcomes(state))
            if mover == SIMULTANEOUS:
                choices = [self.seat_actions(state, seat) or (None,) for seat in range(facts.players)]
                return () if all(choice == (None,) for choice in choices) else tuple(itertools.product(*choices))
        out = np.empty(self._most_moves, np.int64)
        if self._is_repeated(state):
            moves = ()
        else:
            found = out[: self._list_moves(structs, out, self.w)]
            moves = tuple((self._allowed(state, structs, found) if self._forbids else found).tolist())
        self._moves = (state, moves)
        return moves

    def seat_actions(self, state: Any, player: int) -> Sequence[int]:
        """What the seat may choose: the legal moves if it alone is to move."""
        mover = self.player(state)
        if mover == player:
            return self.actions(state)
        if mover != SIMULTANEOUS:
            return ()
        out = np.empty(self._most_moves, np.int64)
        count = self.rules.kernel(list_seat_moves)(self.structs(state), player, out, self.w)
        return tuple(out[:count].tolist())

    def result(self, state: Any, action: Any) -> Any:
        """The state after the move."""
        structs = self.structs(state)
        keys = [key for key in (*self.past(state), self.key(state)) if key] if self._has_past else []
        if isinstance(action, tuple):
            chosen = np.array([-1 if part is None else part for part in action], np.int64)
            self.rules.kernel(make_joint_move)(structs, chosen, self.w)
        else:
            self._make_move(structs, action, self.w)
        data: bytes = structs.tobytes()
        if self._counts_turns:
            data += b"\1" if state[self._size] == 0 else b"\0"
        return self.with_past(data, keys) if self._has_past else data

    def is_terminal(self, state: Any) -> bool:
        """Whether there is no legal move, or the position stands for the last time that is allowed."""
        if self._is_repeated(state):
            return True
        structs = self.structs(state)
        if self.facts.chance and self._find_player(structs, self.w) == CHANCE:
            return False
        if "is_over" in self.rules.verbs:
            over = bool(self._find_end(structs, np.empty(self._most_moves, np.int64), self.w))
            return over or (self._forbids and not self.actions(state))
        return not self.actions(state)

    def utility(self, state: Any, player: int) -> int:
        """The points at the end; none for anybody after too many repetitions."""
        if self._is_repeated(state):
            return 0
        if "payoffs" in self.rules.verbs:
            return int(self.utilities(state)[player])
        value = int(self._count_points(self.structs(state), self.w))
        facts = self.facts
        mine = facts.side_of(max(0, self.player(state))) == facts.side_of(player)
        return value if mine else -value

    def utilities(self, state: Any) -> tuple[float, ...]:
        """The points of every seat at the end."""
        if self._is_repeated(state):
            return (0,) * self.facts.players
        if "payoffs" not in self.rules.verbs:  # whose turn it would be, a struct without `player` does not know
            return super().utilities(state)
        out = np.zeros(self.facts.players, np.int64)
        self.rules.kernel(count_payoffs)(self.structs(state), out, self.w)
        return tuple(out.tolist())

    # Who knows what ---------------------------------------------------------------------------------------------------

    def view(self, state: Any, player: int) -> Any:
        """What the seat knows: the struct with blanks, whose turn it is, and no earlier positions."""
        if "hide" not in self.rules.verbs or not self.facts.hidden:
            return state
        structs = self.structs(state)
        self.rules.kernel(blank_out)(structs, player, self.w)
        return structs.tobytes() + state[self._size : self._past_start]

    def hear(self, state: Any, action: Any, after: Any, player: int) -> Hashable | None:
        """What the seat hears of a move: a number, or None; the move itself in an open game."""
        if not self.facts.hidden or not {"hide", "heard"} & self.rules.verbs.keys() or isinstance(action, tuple):
            return super().hear(state, action, after, player)
        structs = self.structs(state, 2)
        structs[1] = self.struct(after)
        return int(self.rules.kernel(find_word)(structs, action, player, self.w)) or None

    def resample(self, view: Any, player: int, rng: random.Random) -> Any:
        """The view with its blanks filled by `redeal`."""
        if "redeal" not in self.rules.verbs:
            return super().resample(view, player, rng)
        structs = self.structs(view)
        self.rules.kernel(deal_anew)(structs, player, np.uint64(rng.getrandbits(64)), self.w)
        return structs.tobytes() + view[self._size : self._past_start]

    def plausibility(self, state: Any, player: int) -> float:
        """How well the state explains what the others did."""
        if "plausibility" not in self.rules.verbs:
            return super().plausibility(state, player)
        return float(self.rules.kernel(find_plausibility)(self.structs(state), player, self.w))

    def info_key(self, view: Any, player: int) -> Hashable:
        """The key of the information set, where the game wants to forget."""
        if "info_key" not in self.rules.verbs:
            return super().info_key(view, player)
        return int(self.rules.kernel(find_info_key)(self.structs(view), player, self.w))

    def action_from_text(self, state: Any, text: str) -> Any:
        """The move that the text means; a number where chance outcomes are too many for a list. Raises IllegalMove."""
        if self.facts.unlisted and self.player(state) == CHANCE and not self.actions(state):
            if text.strip().isdecimal() and int(text) < 1 << 63:
                return int(text)
            raise IllegalMove(f"'{text}' is no outcome of chance; expected a whole number below 2^63.")
        return super().action_from_text(state, text)

    # What the game may offer ------------------------------------------------------------------------------------------

    def offers(self, verb: str) -> bool:
        """Whether the subclass defines the verb itself, or its file the verb on structs that it is derived from."""
        mine, derived = getattr(type(self), verb), getattr(CompiledGame, verb)
        if mine is not derived or verb in vars(self):
            return True
        if verb in _DERIVED_FROM:
            return any(own in self.rules.verbs for own in _DERIVED_FROM[verb])
        return derived is not getattr(Game, verb)

    def evaluate(self, state: Any, player: int) -> float:
        """The estimate in points."""
        if not self.offers("evaluate"):
            return super().evaluate(state, player)
        notes = np.zeros(1, self.rules.note_type)
        if "evaluate" not in self.rules.verbs:
            out = np.zeros(self.facts.players, np.int64)
            self.rules.kernel(estimate_all)(self.structs(state), out, self.w, notes)
            return float(out[player] / self._unit)
        value = int(self.rules.kernel(estimate)(self.structs(state), self.w, notes))
        facts = self.facts
        # At chance states the estimate is seat 0's.
        mine = value if facts.side_of(max(0, self.player(state))) == facts.side_of(player) else -value
        return mine if self._unit == 1 else mine / self._unit

    def priors(self, state: Any) -> Sequence[float]:
        """How likely each action is to be good."""
        if "priors" not in self.rules.verbs:
            return super().priors(state)
        moves = np.array(self.actions(state), np.int64)
        out = np.zeros(len(moves), np.float64)
        notes = np.zeros(1, self.rules.note_type)
        self.rules.kernel(weigh_moves)(self.structs(state), moves, out, self.w, notes)
        return tuple(out.tolist())

    def noisy_actions(self, state: Any) -> Sequence[int]:
        """The moves that quiescence search follows."""
        out = np.empty(self._most_moves, np.int64)
        return tuple(out[: self.rules.kernel(list_noisy_moves)(self.structs(state), out, self.w)].tolist())

    def outcomes(self, state: Any) -> Sequence[tuple[int, float]]:
        """Chance outcomes with their probabilities; none where they are too many for a list."""
        if "outcomes" not in self.rules.verbs:
            return super().outcomes(state)
        out = np.empty(self._most_moves, np.int64)
        odds = np.empty(self._most_moves, np.float64)
        count = max(0, self.rules.kernel(list_outcomes)(self.structs(state), out, odds, self.w))
        return list(zip(out[:count].tolist(), odds[:count].tolist(), strict=True))

    def roll(self, state: Any, rng: random.Random) -> int:
        """One outcome, drawn with its probability."""
        return int(self.rules.kernel(draw_outcome)(self.structs(state), np.uint64(rng.getrandbits(64)), self.w))

    def symmetries(self, state: Any) -> Sequence[Any]:
        """All symmetric images, the state first; it alone where it has a past, whose images nobody knows."""
        if len(state) > self._past_start and self._has_past:
            return [state]
        structs = self.structs(state, self._images)
        self.rules.kernel(make_images)(structs, self.w)
        data, size = structs.tobytes(), self._size
        return [data[size * k : size * (k + 1)] + state[size:] for k in range(self._images)]
