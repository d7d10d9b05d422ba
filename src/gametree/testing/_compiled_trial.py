"""The trial of a compiled game, run in a process of its own because a wrong game may crash it.

First the verbs run uncompiled on guarded structs and buffers, which notice at the very line what compiled code would
do silently: an index out of range, a float stored in an integer, a move written past the end of the buffer. Then the
verbs are compiled with bounds checks, their types are inspected, and every answer is compared with the uncompiled one.
The first fault ends the trial as a GameError: one sentence that names the verb and the line.
"""

from __future__ import annotations

import ast
import json
import linecache
import os
import random
import re
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from types import FrameType, FunctionType
from typing import Any, NoReturn

import numpy as np

from gametree.core.errors import GameError, GametreeError
from gametree.core.game import CHANCE
from gametree.core.registry import load_game
from gametree.kernels import verbs
from gametree.kernels.compiled_game import CompiledGame
from gametree.kernels.jit import Compiler, Linked, link
from gametree.kernels.table import MAX_MOVE, MAX_VALUE
from gametree.testing._watch import Stopped, Watch

__all__ = ["Trial", "linked_verb", "main"]

SAMPLED_MOVES = 6
"""So many moves are played in every position."""
MOST_PLIES = 1_000
"""A random game that has not ended by then is left."""
GUARD_WORDS = 64
"""Words on either side of the move buffer that compiled verbs must leave alone."""
GUARD = -0x5EED5EED5EED
"""What the guard words hold: no move."""
_WORD = (1 << 64) - 1


# The verbs as compiled code calls them --------------------------------------------------------------------------------


def _entry(verb: str) -> FunctionType:
    """A function that calls the verb on the first struct of an array, with the verb's other arguments as they are."""
    standin = vars(verbs)[verb]
    names = standin.__code__.co_varnames[: standin.__code__.co_argcount]
    inside = ", ".join("states[0]" if name == "s" else name for name in names)
    outside = ", ".join("states" if name == "s" else name for name in names)
    space = {verb: standin, "__name__": __name__}
    exec(f"def run_{verb}({outside}):\n    return {verb}({inside})", space)
    made = space[f"run_{verb}"]
    assert isinstance(made, FunctionType)
    return made


ENTRIES = {verb: _entry(verb) for verb in verbs.REQUIRED + verbs.OPTIONAL}
CHANGES = ("initial", "play", "mirror", "pass_turn")
"""The verbs that may change the state that they are given."""
RETURNS_NOTHING = ("initial", "play", "mirror")


def linked_verb(rules: verbs.Rules, verb: str, how: Compiler, *, guarded: bool = False) -> Linked:
    """The verb of the game, linked on its own; `guarded` puts guards around the arrays that its file defines."""

    def constants_of(function: FunctionType) -> dict[str, Any]:
        if function.__module__ != rules._module.__name__:
            return rules.constants
        if not guarded:
            return rules._bound
        space = {**function.__globals__, **rules._bound}
        arrays = {name: value for name, value in space.items() if isinstance(value, np.ndarray)}
        return {**rules._bound, **{name: _guard(value, name) for name, value in arrays.items()}}

    entry = rules.verbs[verb] if guarded else ENTRIES[verb]
    salt = "trial" if how.jit else None
    return link(entry, replace=rules._replace, constants=constants_of, label=rules.name, how=how, salt=salt)


# Guards: what uncompiled verbs are given ------------------------------------------------------------------------------


class Guarded(np.ndarray[Any, Any]):
    """An array that refuses negative indices and values that do not fit, and gives whole numbers as compiled code sees
    them: 64 bits wide, so that nothing overflows early.
    """

    label = "an array"

    def __array_finalize__(self, parent: Any) -> None:
        self.label = getattr(parent, "label", self.label)

    def __getitem__(self, index: Any) -> Any:
        self._check(index)
        return _widen(super().__getitem__(index))

    def __setitem__(self, index: Any, value: Any) -> None:
        self._check(index)
        _check_fits(value, self.dtype, self.label)
        super().__setitem__(index, value)

    def _check(self, index: Any) -> None:
        for axis, part in enumerate(index if isinstance(index, tuple) else (index,)):
            if isinstance(part, float | np.floating):
                raise IndexError(f"the index {part!r} of {self.label} is a float; write // for /")
            if isinstance(part, int | np.integer) and axis < self.ndim and not 0 <= part < self.shape[axis]:
                hint = "; facts.most_moves says how many moves fit" if self.label == "out" and part > 0 else ""
                raise IndexError(f"{self.label} has no index {part}, only 0 to {self.shape[axis] - 1}{hint}")


class GuardedStruct:
    """A struct that refuses fields it does not have and values that do not fit."""

    def __init__(self, record: Any) -> None:
        object.__setattr__(self, "_record", record)

    def __getattr__(self, name: str) -> Any:
        self._find(name)
        value = self._record[name]
        return _guard(value, f"s.{name}") if isinstance(value, np.ndarray) else _widen(value)

    def __setattr__(self, name: str, value: Any) -> None:
        _check_fits(value, self._find(name).base, f"s.{name}")
        self._record[name] = value

    __getitem__ = __getattr__
    __setitem__ = __setattr__

    def _find(self, name: str) -> Any:
        fields = self._record.dtype.fields
        if name not in fields:
            raise AttributeError(f"State has no field '{name}', only {', '.join(fields)}")
        return fields[name][0]


def _guard(array: Any, label: str) -> Guarded:
    guarded: Guarded = array.view(Guarded)
    guarded.label = label
    return guarded


def _widen(value: Any) -> Any:
    """A number as compiled code computes with it."""
    if isinstance(value, np.integer) and not isinstance(value, np.uint64):
        return np.int64(value)
    return value


def _check_fits(value: Any, kind: Any, label: str) -> None:
    """Raise TypeError or OverflowError if a store of `value` would change it."""
    if kind.kind not in "iub":
        return
    if isinstance(value, np.ndarray):
        if value.dtype.kind not in "iub":
            raise TypeError(f"{label} holds whole numbers, but is given an array of {value.dtype}")
        return
    if isinstance(value, float | np.floating):
        raise TypeError(f"{label} holds whole numbers, but is given the float {float(value):g}; write // for /")
    if not isinstance(value, int | np.integer | np.bool_):
        raise TypeError(f"{label} holds whole numbers, but is given {value!r}")
    low, high = (0, 1) if kind.kind == "b" else (np.iinfo(kind).min, np.iinfo(kind).max)
    if not low <= value <= high:
        raise OverflowError(f"{label} holds {kind.name}, {low} to {high}, but is given {value}")


# The trial ------------------------------------------------------------------------------------------------------------


class Trial:
    """One run over one game. `progress` is told (stage, verb) before every call."""

    def __init__(
        self, game: CompiledGame, *, seed: int, verb_seconds: float, progress: Callable[[str, str], None]
    ) -> None:
        self.game = game
        self.rules = game.rules
        self.verbs = self.rules.verbs
        self.rng = random.Random(seed)
        self.verb_seconds = verb_seconds
        self.progress = progress
        self.most_moves: int = self.rules.constants["MOST_MOVES"]
        self.images: int = self.rules.constants["SYMMETRIES"]
        self.file = next(iter(self.verbs.values())).__code__.co_filename
        self.answers: list[tuple[str, bytes, tuple[Any, ...], Any]] = []  # verb, struct, arguments, answer
        self.by_hash: dict[int, tuple[bytes, Any]] = {}
        self.met: set[bytes] = set()

    # 1. Uncompiled ----------------------------------------------------------------------------------------------------

    def run_uncompiled(self, positions: int, seconds: float) -> int:
        """Play random games until so many positions are met or the time is up; returns how many were."""
        how = Compiler(jit=False)
        self.plain: dict[str, Callable[..., Any]] = {}
        for verb in self.verbs:
            try:
                self.plain[verb] = linked_verb(self.rules, verb, how, guarded=True).function
            except GameError as error:
                told = re.fullmatch(r".* cannot be compiled \(.*, line (\d+)\): (.*?)\.?", str(error))
                self.fail(verb, told[2] if told else str(error).rstrip("."), line=int(told[1]) if told else 0)
        deadline = time.monotonic() + seconds
        games = 0
        with Watch(self.verb_seconds) as watch, np.errstate(over="ignore", divide="raise"):
            self.watch = watch
            start = self.ask("initial", np.zeros(1, self.rules.state_type).tobytes())[0]
            # Small games are soon exhausted: stop when many games in a row met nothing new.
            stale = 0
            while len(self.met) < positions and stale < 20 and (games == 0 or time.monotonic() < deadline):
                before = len(self.met)
                self.play_game(start, positions, deadline)
                stale = 0 if len(self.met) > before else stale + 1
                games += 1
        return len(self.met)

    def play_game(self, struct: bytes, positions: int, deadline: float) -> None:
        for _ in range(MOST_PLIES):
            moves = self.look(struct) if struct not in self.met else self.moves_of(struct)
            self.met.add(struct)
            if not moves or len(self.met) >= positions or time.monotonic() > deadline:
                return
            move = self.rng.choice(moves)
            struct = self.ask("play", struct, move)[0]

    def moves_of(self, struct: bytes) -> list[int]:
        if "outcomes" in self.verbs:
            chances = self.ask("outcomes", struct)[1][0]
            if chances:
                return list(chances)
        return list(self.ask("legal_moves", struct)[1])

    def look(self, struct: bytes) -> list[int]:
        """Every verb in one position, held to the contract; returns the moves."""
        seat = self.check_player(struct)
        if seat == CHANCE:
            found = self.check_outcomes(struct)
            for outcome in found[:SAMPLED_MOVES]:
                self.ask("play", struct, outcome)
            return found
        moves = list(self.ask("legal_moves", struct)[1])
        self.check_moves("legal_moves", struct, moves)
        if "is_over" in self.verbs and self.ask("is_over", struct)[1] != (not moves):
            self.fail("is_over", f"is {bool(moves)} where legal_moves() gives {len(moves)} moves")
        value = self.check_value(struct, moves)
        for move in self.rng.sample(moves, min(SAMPLED_MOVES, len(moves))):
            after = self.ask("play", struct, move)[0]
            if "move_key" in self.verbs:
                self.ask("move_key", struct, move)
            if "child_key" in self.verbs:
                self.ask("child_key", after)
        if "noisy_moves" in self.verbs and moves:
            noisy = list(self.ask("noisy_moves", struct)[1])
            stranger = next((move for move in noisy if move not in moves), None)
            if stranger is not None:
                self.fail("noisy_moves", f"gives the move {stranger}, which legal_moves() does not give")
        if "pass_turn" in self.verbs and moves:
            after, passed = self.ask("pass_turn", struct)
            if not passed and after != struct:
                self.fail("pass_turn", "returned False but changed the state")
        if "hash_state" in self.verbs:
            self.check_hash(struct, (seat, moves, value))
        if "mirror" in self.verbs:
            self.check_images(struct, moves)
        if "solver_moves" in self.verbs:
            self.check_solver(struct, moves)
        if "plies_left" in self.verbs:
            self.ask("plies_left", struct)
        return moves

    def check_player(self, struct: bytes) -> int:
        if "player" not in self.verbs:
            return 0
        seat: int = self.ask("player", struct)[1]
        if seat not in (0, 1) and not (seat == CHANCE and "outcomes" in self.verbs):
            self.fail("player", f"gives the seat {seat}; expected 0 or 1, or -1 at a chance state")
        return seat

    def check_outcomes(self, struct: bytes) -> list[int]:
        found, odds = self.ask("outcomes", struct)[1]
        self.check_moves("outcomes", struct, list(found))
        if not found or abs(sum(odds) - 1) > 1e-9:
            self.fail("outcomes", f"gives probabilities that add up to {sum(odds):g} instead of 1")
        return list(found)

    def check_moves(self, verb: str, struct: bytes, moves: list[int]) -> None:
        seen = set()
        for move in moves:
            if not 0 <= move <= MAX_MOVE:
                self.fail(verb, f"gives the move {move}; expected whole numbers from 0 to {MAX_MOVE}")
            if move in seen:
                self.fail(verb, f"gives the move {move} twice")
            seen.add(move)

    def check_value(self, struct: bytes, moves: list[int]) -> int | None:
        low, high = self.rules.constants["LOWEST"], self.rules.constants["HIGHEST"]
        value = None
        if not moves:
            value = self.ask("utility", struct)[1]
            if not low <= value <= high:
                self.fail("utility", f"gives {value}; the facts promise {low} to {high}")
        if "evaluate" in self.verbs:
            unit = self.rules.constants["UNIT"]
            guess = self.ask("evaluate", struct)[1]
            if moves and not (low * unit <= guess <= high * unit and abs(guess) <= MAX_VALUE):
                self.fail(
                    "evaluate",
                    f"gives {guess}; the facts promise {low * unit} to {high * unit}, utility × UNIT",
                )
        return value

    def check_hash(self, struct: bytes, signs: Any) -> None:
        """Two states with one hash must at least agree in the mover, the moves and the points."""
        found = self.ask("hash_state", struct)[1]
        other, known = self.by_hash.setdefault(found, (struct, signs))
        if other != struct and known != signs:
            self.fail("hash_state", "gives the same number for two states that differ in their moves or points")

    def check_images(self, struct: bytes, moves: list[int]) -> None:
        """A symmetry takes legal moves to legal moves, and playing commutes with it."""
        for k in self.rng.sample(range(1, self.images), min(1, self.images - 1)):
            image = self.ask("mirror", struct, k)[0]
            its_moves = list(self.ask("legal_moves", image)[1])
            if len(its_moves) != len(moves):
                self.fail("mirror", f"turns a state with {len(moves)} moves into one with {len(its_moves)} for k = {k}")
            if "mirror_move" not in self.verbs:
                continue
            to = [self.ask("mirror_move", b"", move, k)[1] for move in moves]
            if sorted(to) != sorted(its_moves):
                wrong = next(
                    move for move, there in zip(moves, to, strict=True) if to.count(there) > 1 or there not in its_moves
                )
                self.fail("mirror_move", f"takes the move {wrong} to no legal move of the image for k = {k}")
            for move, there in list(zip(moves, to, strict=True))[:SAMPLED_MOVES]:
                if self.ask("mirror", self.ask("play", struct, move)[0], k)[0] != self.ask("play", image, there)[0]:
                    self.fail("mirror", f"does not fit the move {move} for k = {k}: playing it and its image differ")

    def check_solver(self, struct: bytes, moves: list[int]) -> None:
        answer = self.ask("solver_moves", struct)[1]
        low, high = self.rules.constants["LOWEST"], self.rules.constants["HIGHEST"]
        if not answer[0]:
            if not low <= answer[1] <= high:
                self.fail("solver_moves", f"gives the value {answer[1]} in out[0]; the facts promise {low} to {high}")
            return
        stranger = next((move for move in answer[1:] if move not in moves), None)
        if stranger is not None:
            self.fail("solver_moves", f"gives the move {stranger}, which legal_moves() does not give")
        if "solver_bounds" in self.verbs:
            least, most = self.ask("solver_bounds", struct)[1]
            if least > most:
                self.fail("solver_bounds", f"gives {least} to {most}; expected the lowest value first")

    # Calling a verb uncompiled ----------------------------------------------------------------------------------------

    def ask(self, verb: str, struct: bytes, *arguments: int) -> tuple[bytes, Any]:
        """The struct after the verb, and its answer; asked twice, because both must be the same each time."""
        self.progress("uncompiled", verb)
        answer = self.ask_once(verb, struct, arguments)
        if self.ask_once(verb, struct, arguments) != answer:
            self.fail(verb, "does not give the same answer twice for one state; expected no randomness and no memory")
        if verb not in CHANGES and answer[0] != struct:
            self.fail(verb, "changes the state; expected only play() to do so")
        self.answers.append((verb, struct, arguments, answer))
        return answer

    def ask_once(self, verb: str, struct: bytes, arguments: tuple[int, ...]) -> tuple[bytes, Any]:
        states, returned, out, odds = self.invoke(verb, struct, arguments)
        return states.tobytes(), self.read(verb, returned, out, odds, lambda: self.return_line(verb, struct, arguments))

    def invoke(self, verb: str, struct: bytes, arguments: tuple[int, ...]) -> tuple[Any, Any, Any, Any]:
        """Call the verb on a guarded copy of the struct; returns the copy, what the verb returned, and the buffers."""
        states = np.frombuffer(bytearray(struct), self.rules.state_type)
        out, odds = np.full(self.most_moves, GUARD), np.zeros(self.most_moves)
        given: list[Any] = [np.int64(argument) for argument in arguments]
        if verb != "mirror_move":
            given.insert(0, GuardedStruct(states[0]))
        if verb in ("legal_moves", "is_over", "noisy_moves", "solver_moves", "outcomes"):
            given.append(_guard(out, "out"))
        if verb == "outcomes":
            given.append(_guard(odds, "odds"))
        return states, self.call(verb, given), out, odds

    def call(self, verb: str, given: list[Any]) -> Any:
        try:
            return self.watch.run(self.plain[verb], *given)
        except Stopped as stop:
            self.fail(verb, stop.reason, error=stop)
        except Exception as error:
            self.fail(verb, _reason(error), error=error)

    def return_line(self, verb: str, struct: bytes, arguments: tuple[int, ...]) -> int:
        """The line of the `return` that this call ends with."""
        code = self.verbs[verb].__code__
        lines = [self.first_line(verb)]

        def trace(frame: FrameType, event: str, _: Any) -> Any:
            if frame.f_code is code and event == "return":
                lines.append(frame.f_lineno)
            return trace if frame.f_code is code else None

        before = sys.gettrace()
        sys.settrace(trace)
        try:
            self.invoke(verb, struct, arguments)
        finally:
            sys.settrace(before)
        return lines[-1]

    def read(self, verb: str, returned: Any, out: Any, odds: Any, line: Callable[[], int]) -> Any:
        """The verb's answer as plain data, if what it returned is of the right kind and size."""
        if verb in RETURNS_NOTHING:
            return None
        parts = returned if verb == "solver_bounds" and isinstance(returned, tuple) else (returned,)
        if verb == "solver_bounds" and len(parts) != 2:
            self.fail(verb, f"returns {returned!r}; expected (lowest, highest)", line=line())
        for part in parts:
            if not isinstance(part, int | np.integer | bool | np.bool_):
                hint = "; write // for /, or int(...)" if isinstance(part, float | np.floating) else ""
                self.fail(verb, f"returns {_kind(part)}; expected a whole number{hint}", line=line())
        if verb == "solver_bounds":
            return int(parts[0]), int(parts[1])
        if verb in ("is_over", "pass_turn"):
            return bool(returned)
        if verb == "hash_state":
            return int(returned) & _WORD
        number = int(returned)
        if verb not in ("legal_moves", "noisy_moves", "solver_moves", "outcomes"):
            return number
        if not 0 <= number <= len(out):
            self.fail(
                verb, f"returns {number}; expected 0 to {len(out)}, the room that facts.most_moves gives", line=line()
            )
        listed = tuple(out[:number].tolist())
        if GUARD in listed:
            self.fail(verb, f"returns {number} but leaves out[{listed.index(GUARD)}] unwritten", line=line())
        if verb == "outcomes":
            return listed, tuple(odds[:number].tolist())
        if verb == "solver_moves":
            return (number, *listed) if number else (0, int(out[0]))
        return listed

    # 2. Compiled with bounds checks -----------------------------------------------------------------------------------

    def run_compiled(self) -> None:
        """Compile every verb, inspect the types, and compare every answer with the uncompiled one."""
        entries = {}
        for verb in self.verbs:
            self.progress("compiling", verb)
            linked = linked_verb(self.rules, verb, Compiler(jit=True, boundscheck=True))
            states = np.zeros(1, self.rules.state_type)
            out, odds = np.zeros(self.most_moves, np.int64), np.zeros(self.most_moves)
            try:
                linked.function.compile(_types(self.arguments(verb, states, (0,) * 2, out, odds)))
            except Exception as error:  # numba has errors of its own, of bytecode and of LLVM
                self.fail_compile(verb, error)
            self.check_types(verb, linked)
            entries[verb] = linked.function
        for verb, struct, arguments, expected in self.answers:
            self.progress("compiled", verb)
            states = np.frombuffer(bytearray(struct), self.rules.state_type)
            buffer = np.full(self.most_moves + 2 * GUARD_WORDS, GUARD)
            out, odds = buffer[GUARD_WORDS:-GUARD_WORDS], np.zeros(self.most_moves)
            try:
                returned = entries[verb](*self.arguments(verb, states, arguments, out, odds))
            except Exception as error:
                self.fail(verb, f"raises {type(error).__name__} when compiled: {error}")
            if (buffer[:GUARD_WORDS] != GUARD).any() or (buffer[-GUARD_WORDS:] != GUARD).any():
                self.fail(verb, "writes outside the move buffer when compiled")
            found = states.tobytes(), self.read(verb, returned, out, odds, partial(self.first_line, verb))
            if found != expected:
                what = f"answers {found[1]} when compiled and {expected[1]} when not"
                if found[1] == expected[1]:
                    what = f"makes {self.show(found[0])} when compiled and {self.show(expected[0])} when not"
                self.fail(verb, what)

    def arguments(self, verb: str, states: Any, numbers: tuple[int, ...], out: Any, odds: Any) -> list[Any]:
        """What the compiled entry of the verb is called with."""
        wanted = ENTRIES[verb].__code__.co_varnames[: ENTRIES[verb].__code__.co_argcount]
        given = {"states": states, "out": out, "odds": odds}
        whole = iter(numbers)
        return [given[name] if name in given else np.int64(next(whole)) for name in wanted]

    def check_types(self, verb: str, linked: Linked) -> None:
        """No verb returns a float and nothing stores one in a whole number, not even in a branch that was not taken."""
        from numba import types

        (compiled,) = linked.function.overloads.values()
        returns = compiled.signature.return_type
        if verb not in RETURNS_NOTHING:
            for part in returns if isinstance(returns, types.BaseTuple) else (returns,):
                if not isinstance(part, types.Integer | types.Boolean):
                    self.fail(verb, f"can return {part}; expected a whole number in every case")
        for part in _all_parts(linked):
            for line in _float_stores(part.function, self.file):
                self.fail(verb, "stores a float where a whole number belongs; write // for /, or int(...)", line=line)

    def show(self, struct: bytes) -> str:
        return str(np.frombuffer(struct, self.rules.state_type)[0].tolist())

    # Faults -----------------------------------------------------------------------------------------------------------

    def fail(self, verb: str, what: str, *, error: BaseException | None = None, line: int = 0) -> NoReturn:
        """Raise the GameError that ends the trial. The line is the error's in the user's file, else the verb's."""
        helper = ""
        trace = error.__traceback__ if error is not None else None
        while trace is not None:
            code = trace.tb_frame.f_code
            if code.co_filename == self.file:
                line = trace.tb_lineno
                helper = "" if code.co_name == verb else f", in {code.co_name}()"
            trace = trace.tb_next
        line = line or self.first_line(verb)
        raise GameError(f"{self.game.name}: {verb}(){helper}, line {line}{self.quote(line)}: {what}.") from None

    def first_line(self, verb: str) -> int:
        return self.verbs[verb].__code__.co_firstlineno

    def fail_compile(self, verb: str, error: Exception) -> NoReturn:
        """Turn numba's page of text into one sentence."""
        text = re.sub(r"\x1b\[[0-9;]*m", "", str(error))
        named = re.findall(r'File "([^"]+)", line (\d+)', text) + re.findall(r"Raised from (\S+) \((\d+)\)", text)
        places = [int(line) for file, line in named if _same(file, self.file)]
        line = places[-1] if places else self.first_line(verb)
        # For an unknown field or name numba tells no line.
        unknown = re.search(r"name '(\w+)' is not defined", text)
        if isinstance(error, KeyError) and error.args[0] not in self.rules.state_type.names:
            text = f"Unknown attribute '{error.args[0]}' of type Record"
            unknown = re.search(r"'(\w+)'", text)
        if unknown:
            line = _line_with(self.file, unknown.group(1)) or line
        where = _function_at(self.file, line)
        helper = "" if where in ("", verb) else f", in {where}()"
        raise GameError(
            f"{self.game.name}: {verb}(){helper}, line {line}{self.quote(line)}: cannot be compiled: {explain(text)}."
        ) from None

    def quote(self, line: int) -> str:
        source = linecache.getline(self.file, line).strip()
        return f", `{source}`" if source and not source.startswith(("def ", "@")) else ""


def _reason(error: Exception) -> str:
    """An error of uncompiled code, with the usual cause where the message alone does not help."""
    text = " ".join(str(error).split()).rstrip(".")
    if isinstance(error, IndexError | OverflowError) or (isinstance(error, TypeError) and "holds whole" in text):
        return text
    if isinstance(error, ZeroDivisionError | FloatingPointError):
        return "divides by zero, which compiled code would not notice"
    if "ufunc" in text and "not supported for the input types" in text:
        return "an np.uint64 meets a signed number or a float there; write u64(...) around it, and // for /"
    if "unsupported operand type(s)" in text and "float" in text:
        return f"{text}; a whole number became a float there: write // for /"
    return f"{type(error).__name__}: {text}"


EXPLANATIONS = (
    (r"Cannot unify (.+?) and (.+?) for '([a-zA-Z_]\w*)", "the variable {2} is {0} here and {1} there"),
    (r"Cannot unify (.+?) and (.+?) for '\$", "a value is {0} in one case and {1} in another"),
    (r"Unknown attribute '(\w+)' of type Record", "State has no field '{0}'"),
    (r"Unknown attribute '(\w+)' of type (\S+)", "{1} has no attribute '{0}'"),
    (r"Untyped global name '(\w+)'.*?: [Cc]annot determine Numba type of <", "compiled code cannot use {0}"),
    (r"(name '\w+' is not defined)", "{0}"),
    (r"Can't unify return type from the following types: (.*)", "it returns different types: {0}"),
    (r"Use of unsupported opcode \((\w+)\)", "compiled code has no {0}"),
    (r"(format spec in f-strings)", "compiled code has no {0}"),
    (
        r"too many positional arguments|missing a required argument",
        "a function is called with too many or few arguments",
    ),
)
"""What numba says, and what it means to the author of a game."""


def explain(text: str) -> str:
    """The heart of a numba error in a few words."""
    no_match = re.search(
        r"No implementation of function Function\((.*?)\) found for signature:\s*>>> (\w+)\((.*?)\)\n", text, re.S
    )
    if no_match:
        operation, types = no_match.group(2), " ".join(no_match.group(3).split())
        types = re.sub(r"Record\(.*?\)(?=,|$)", "State", types)
        hint = (
            "; a whole number became a float there: write // for /, u64(...) around what meets a bitboard"
            if "float64" in types
            else ""
        )
        return f"`{operation}` does not work on ({types}){hint}"
    for pattern, sentence in EXPLANATIONS:
        found = re.search(pattern, text)
        if found:
            return sentence.format(*(group or "" for group in found.groups()))
    lines = [line.strip(" -*>") for line in text.splitlines()]
    useful = [
        line
        for line in lines
        if line
        and not line.startswith(("Failed in", "During", "File ", "This error", "The signature"))
        and "^" not in line
    ]
    return " ".join((useful or ["for a reason that numba does not tell"])[0].split())[:200].rstrip(".")


def _types(arguments: list[Any]) -> tuple[Any, ...]:
    import numba

    return tuple(numba.typeof(argument) for argument in arguments)


def _kind(value: Any) -> str:
    return "nothing" if value is None else f"the {type(value).__name__} {value!r}"


def _same(one: str, other: str) -> bool:
    """Numba sometimes shortens paths."""
    return Path(one).name == Path(other).name


def _all_parts(linked: Linked) -> Iterator[Linked]:
    yield linked
    for part in linked.parts:
        yield from _all_parts(part)


def _float_stores(dispatcher: Any, file: str) -> Iterator[int]:
    """Lines of the user's file where compiled code puts a float into an array or field of whole numbers."""
    from numba import types
    from numba.core import ir

    if dispatcher.py_func.__code__.co_filename != file:
        return
    for compiled in dispatcher.overloads.values():
        notes = compiled.type_annotation
        if isinstance(notes, str):  # it came from a cache, which keeps no types
            continue
        for block in notes.blocks.values():
            for step in block.body:
                if not isinstance(step, ir.SetItem | ir.StaticSetItem | ir.SetAttr):
                    continue
                target, value = notes.typemap.get(step.target.name), notes.typemap.get(step.value.name)
                if isinstance(target, types.Record) and isinstance(step, ir.SetAttr):
                    target = target.typeof(step.attr)
                elif isinstance(target, types.Record) and isinstance(step, ir.StaticSetItem):
                    target = target.typeof(step.index)
                target = getattr(target, "dtype", target)
                if isinstance(target, types.Integer) and isinstance(value, types.Float):
                    yield step.loc.line


def _line_with(file: str, name: str) -> int:
    """The first line that uses the variable or attribute; 0 if there is none."""
    nodes = ast.walk(ast.parse("".join(linecache.getlines(file))))
    lines = [
        node.lineno
        for node in nodes
        if (isinstance(node, ast.Name) and node.id == name) or (isinstance(node, ast.Attribute) and node.attr == name)
    ]
    return min(lines, default=0)


def _function_at(file: str, line: int) -> str:
    """The name of the function that the line belongs to."""
    tree = ast.parse("".join(linecache.getlines(file)))
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and node.lineno <= line <= (node.end_lineno or node.lineno):
            return node.name
    return ""


# The process ----------------------------------------------------------------------------------------------------------


def main(game: str, positions: int, seed: int, seconds: float, verb_seconds: float, progress_file: str) -> None:
    """Try the game and print the outcome as one line of JSON. The progress file always tells what is going on."""
    handle = os.open(progress_file, os.O_WRONLY)
    count = 0

    def progress(stage: str, verb: str) -> None:
        nonlocal count
        count += 1
        os.lseek(handle, 0, os.SEEK_SET)
        os.write(handle, f"{stage} {verb} {count}".ljust(64).encode())

    try:
        rules = load_game(game)
        if not isinstance(rules, CompiledGame):
            raise GameError(f"{game} is not a compiled game; expected a class derived from CompiledGame.")
        trial = Trial(rules, seed=seed, verb_seconds=verb_seconds, progress=progress)
        met = trial.run_uncompiled(positions, seconds)
        trial.run_compiled()
        found = {"positions": met, "answers": len(trial.answers), "verbs": list(trial.verbs)}
    except GametreeError as error:
        found = {"fault": str(error)}
    progress("done", "")
    print("\n" + json.dumps(found))
