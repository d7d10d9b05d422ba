"""How the trial of a compiled game calls the verbs of its table, compiled or not, and reads what they answer.

A call names its arguments by the parameters of the table (`gametree.core.verbs.STRUCT_VERBS`); structs and notes are
given as bytes. Buffers, weights and notes that a call does not name are made here.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from types import FunctionType
from typing import Any, NamedTuple

import numpy as np

from gametree.core.verbs import STRUCT_VERBS
from gametree.kernels import verbs
from gametree.kernels.compiled_game import CompiledGame
from gametree.kernels.jit import Compiler, Linked, link
from gametree.testing._guards import GUARD, guard, guard_struct

__all__ = ["RETURNS", "ROWS", "WRITES", "Answer", "Calls", "WrongAnswer", "linked_verb", "same_answer"]

ROWS = {row.name: row for row in STRUCT_VERBS}
GUARD_WORDS = 64
"""Words on either side of a buffer that compiled verbs must leave alone."""
MOST_CLASSES = 4_096
"""The room for `class_after`."""
_WORD = (1 << 64) - 1

# What a verb returns: nothing, a count of what it wrote into `out`, a truth, 64 bits, a whole number, a float, a pair.
NOTHING, COUNT, TRUTH, WORD, NUMBER, FLOAT, PAIR = "nothing", "count", "truth", "word", "number", "float", "pair"
RETURNS = {
    **dict.fromkeys(
        ("initial", "play", "payoffs", "play_joint", "hide", "redeal", "estimates", "priors", "mirror"), NOTHING
    ),
    **dict.fromkeys(("note_fresh", "note_move"), NOTHING),
    **dict.fromkeys(("legal_moves", "outcomes", "seat_moves", "noisy_moves", "forcing_moves", "solver_moves"), COUNT),
    "class_after": COUNT,
    **dict.fromkeys(("is_over", "is_noisy", "gains", "is_urgent", "pass_turn", "set_index"), TRUTH),
    **dict.fromkeys(("info_key", "structure_key", "hash_state", "repetition_key", "key_after"), WORD),
    **dict.fromkeys(("utility", "player", "roll", "heard", "evaluate", "move_key", "child_key", "move_class"), NUMBER),
    **dict.fromkeys(("playout_move", "mirror_move", "reversible_plies", "plies_left"), NUMBER),
    **dict.fromkeys(("table_class", "class_size", "index_of"), NUMBER),
    "plausibility": FLOAT,
    "solver_bounds": PAIR,
}
WRITES = {
    **dict.fromkeys(("initial", "play", "play_joint", "hide", "redeal", "mirror", "pass_turn", "set_index"), "s"),
    "note_fresh": "note",
    "note_move": "new",
}
"""The struct or the notes that a verb may change; all others leave everything but their buffers alone."""
FILLS = ("payoffs", "estimates", "priors")
"""The verbs that write the whole of `out`."""

STRUCTS, NOTES = ("s", "t"), ("note", "old", "new")


class WrongAnswer(Exception):
    """A verb returned what is not of the right kind or size."""


class Answer(NamedTuple):
    """What a call has done."""

    value: Any
    """What it returned, with what it wrote into its buffers."""
    s: bytes = b""
    """The struct `s` afterwards; that of a verb without one is empty."""
    note: bytes = b""
    """The notes that it wrote."""


def _entry(verb: str) -> FunctionType:
    """A function that calls the verb on the first elements of arrays of structs, and on its other arguments."""
    records = {*STRUCTS, *NOTES, "w"}
    names = ROWS[verb].arguments
    inside = ", ".join(f"{name}[0]" if name in records else name for name in names)
    space = {verb: vars(verbs)[verb], "__name__": __name__}
    exec(f"def run_{verb}({', '.join(names)}):\n    return {verb}({inside})", space)
    made = space[f"run_{verb}"]
    assert isinstance(made, FunctionType)
    return made


ENTRIES = {verb: _entry(verb) for verb in ROWS}


def linked_verb(rules: verbs.Rules, verb: str, how: Compiler, *, guarded: bool = False) -> Linked:
    """The verb of the game, linked on its own; `guarded` puts guards around the arrays that its file defines."""

    def constants_of(function: FunctionType) -> dict[str, Any]:
        bound = rules.constants_of(function)
        if not guarded or not rules.owns(function):
            return bound
        space = {**function.__globals__, **bound}
        arrays = {name: value for name, value in space.items() if isinstance(value, np.ndarray)}
        return {**bound, **{name: guard(value, name) for name, value in arrays.items()}}

    entry = rules.verbs[verb] if guarded else ENTRIES[verb]
    salt = "trial" if how.jit else None
    return link(entry, replace=rules.replace, constants=constants_of, label=rules.name, how=how, salt=salt)


class Calls:
    """The arguments and answers of one game's verbs."""

    def __init__(self, game: CompiledGame) -> None:
        rules = game.rules
        self.verbs = rules.verbs
        self.state_type, self.note_type = rules.state_type, rules.note_type
        self.most_moves: int = rules.constants["MOST_MOVES"]
        self.seats: int = rules.constants["SEATS"]
        self.weights = game.w.copy()
        self.weights.setflags(write=False)
        self.blank_note = np.zeros(1, self.note_type).tobytes()

    def uncompiled(self, verb: str, function: Callable[..., Any], given: Mapping[str, Any]) -> tuple[Any, Arguments]:
        """Call the game's own function on guarded copies; returns what it returned and the arguments afterwards."""
        arguments = Arguments(self, verb, given)
        writes = WRITES.get(verb)
        plain = ROWS[verb].parameters.split()
        extras = verbs.parameters_of(self.verbs[verb])[len(plain) :]
        passed = []
        for name in (*plain, *extras):
            value = arguments.values[name]
            if name in STRUCTS:
                value = guard_struct(value[0], name)
            elif name in NOTES:
                value = guard_struct(value[0], name, "Note", name == writes)
            elif name == "w":
                value = guard_struct(value[0], name, "Weights", writable=False)
            elif isinstance(value, np.ndarray):
                value = guard(value, name)
            passed.append(value)
        return function(*passed), arguments

    def read(self, verb: str, returned: Any, arguments: Arguments) -> Answer:
        """The answer as plain data. Raises WrongAnswer."""
        values = arguments.values
        s = values["s"].tobytes() if "s" in values else b""
        for name in (*STRUCTS, *NOTES):
            if name in values and name != WRITES.get(verb) and values[name].tobytes() != arguments.before[name]:
                what = {"s": "the state", "t": "the state after the move"}.get(name, f"the notes `{name}`")
                raise WrongAnswer(f"changes {what}; expected only play() to do so")
        kept = WRITES.get(verb)
        note = b""
        if kept in NOTES:  # field by field, since the bytes between the fields are nobody's
            clean = np.zeros(1, self.note_type)
            for name in self.note_type.names:
                clean[name] = values[kept][name]
            note = clean.tobytes()
        return Answer(self._value(verb, returned, values), s, note)

    def _value(self, verb: str, returned: Any, values: Mapping[str, Any]) -> Any:
        kind = RETURNS[verb]
        if kind == NOTHING:
            return self._filled(verb, values["out"]) if verb in FILLS else None
        if kind == FLOAT:
            if not isinstance(returned, int | float | np.integer | np.floating) or isinstance(returned, bool):
                raise WrongAnswer(f"returns {_kind(returned)}; expected a number")
            return float(returned)
        parts = returned if kind == PAIR and isinstance(returned, tuple) else (returned,)
        if kind == PAIR and len(parts) != 2:
            raise WrongAnswer(f"returns {returned!r}; expected (lowest, highest)")
        for part in parts:
            if not isinstance(part, int | np.integer | bool | np.bool_):
                hint = "; write // for /, or int(...)" if isinstance(part, float | np.floating) else ""
                raise WrongAnswer(f"returns {_kind(part)}; expected a whole number{hint}")
        if kind == PAIR:
            return int(parts[0]), int(parts[1])
        if kind == TRUTH:
            return bool(returned)
        number = int(returned)
        if kind == WORD:
            return number & _WORD
        return self._listed(verb, number, values) if kind == COUNT else number

    def _listed(self, verb: str, number: int, values: Mapping[str, Any]) -> Any:
        """What a verb that returns a count has written."""
        out = values["out"]
        if verb == "outcomes" and number == verbs.UNLISTED:
            return verbs.UNLISTED
        if not 0 <= number <= len(out):
            room = "" if verb == "class_after" else ", the room that facts.most_moves gives"
            raise WrongAnswer(f"returns {number}; expected 0 to {len(out)}{room}")
        listed = tuple(out[:number].tolist())
        if GUARD in listed:
            raise WrongAnswer(f"returns {number} but leaves out[{listed.index(GUARD)}] unwritten")
        if verb == "outcomes":
            return listed, tuple(values["odds"][:number].tolist())
        if verb == "solver_moves":
            return (number, *listed) if number else (0, int(out[0]))
        return listed

    def _filled(self, verb: str, out: Any) -> tuple[Any, ...]:
        filled = tuple(out.tolist())
        if GUARD in filled:
            raise WrongAnswer(f"leaves out[{filled.index(GUARD)}] unwritten")
        return filled


class Arguments:
    """The arguments of one call, by name, as compiled code takes them; fresh copies of all that can be changed."""

    def __init__(self, calls: Calls, verb: str, given: Mapping[str, Any]) -> None:
        self.values: dict[str, Any] = {}
        self.buffers: list[Any] = []
        for name in ROWS[verb].arguments:
            value: Any
            if name == "w":
                value = calls.weights
            elif name in STRUCTS:
                value = np.frombuffer(bytearray(given[name]), calls.state_type)
            elif name in NOTES:
                value = np.frombuffer(bytearray(given.get(name, calls.blank_note)), calls.note_type)
            elif name == "moves":
                value = np.array(given[name], np.int64)
            elif name == "out":
                room = {"payoffs": calls.seats, "estimates": calls.seats, "class_after": MOST_CLASSES}
                size = given["n"] if verb == "priors" else room.get(verb, calls.most_moves)
                value = self._buffer(size, np.float64 if verb == "priors" else np.int64)
            elif name == "odds":
                value = self._buffer(calls.most_moves, np.float64)
            else:
                value = (np.uint64 if name == "bits" else np.int64)(given[name])
            self.values[name] = value
        self.before = {name: self.values[name].tobytes() for name in (*STRUCTS, *NOTES) if name in self.values}

    def _buffer(self, size: int, kind: Any) -> Any:
        buffer = np.full(size + 2 * GUARD_WORDS, GUARD, kind)
        self.buffers.append(buffer)
        return buffer[GUARD_WORDS : len(buffer) - GUARD_WORDS]

    def compiled(self) -> list[Any]:
        """In the order in which the compiled entry takes them."""
        return list(self.values.values())

    def overrun(self) -> bool:
        """Whether something was written outside a buffer."""
        return any((b[:GUARD_WORDS] != GUARD).any() or (b[-GUARD_WORDS:] != GUARD).any() for b in self.buffers)


def same_answer(one: Any, other: Any) -> bool:
    """Whether two answers are equal, floats but for rounding."""
    if isinstance(one, float) and isinstance(other, float):
        return one == other or math.isclose(one, other, rel_tol=1e-9, abs_tol=1e-12)
    if isinstance(one, tuple | list) and isinstance(other, tuple | list):
        return len(one) == len(other) and all(map(same_answer, one, other))
    return bool(one == other)


def _kind(value: Any) -> str:
    return "nothing" if value is None else f"the {type(value).__name__} {value!r}"
