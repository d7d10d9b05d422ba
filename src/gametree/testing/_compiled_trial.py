"""The trial of a compiled game, run in a process of its own because a wrong game may crash it.

First the verbs run uncompiled on guarded structs and buffers, which notice at the very line what compiled code would
do silently: an index out of range, a float stored in an integer, a move written past the end of the buffer. Every verb
is held to its meaning in the positions of random games (`_struct_checks.py`). Then the verbs are compiled with bounds
checks, their types are inspected, and every answer is compared with the uncompiled one.
The first fault ends the trial as a GameError: one sentence that names the verb and the line.
"""

from __future__ import annotations

import json
import linecache
import os
import random
import re
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from types import FrameType
from typing import Any, NoReturn

import numpy as np

from gametree.core.errors import GameError, GametreeError
from gametree.core.game import CHANCE, SIMULTANEOUS
from gametree.core.hearing import SILENCE, listen
from gametree.core.registry import load_game
from gametree.kernels.compiled_game import CompiledGame
from gametree.kernels.jit import Compiler, Linked
from gametree.kernels.verbs import UNLISTED
from gametree.testing._struct_calls import RETURNS, Answer, Arguments, Calls, WrongAnswer, linked_verb, same_answer
from gametree.testing._struct_checks import CHECKS
from gametree.testing._struct_place import SAMPLED_MOVES, Place
from gametree.testing._trial_words import all_parts, explain, float_stores, function_at, line_with, reason
from gametree.testing._watch import Stopped, Watch

__all__ = ["Trial", "main"]

MOST_PLIES = 1_000
"""A random game that has not ended by then is left."""
ROUND = 400
"""After so many positions the answers are compared with those of compiled code, and forgotten."""
ASKED_TWICE = 100
"""So often a verb is asked everything twice, since both answers must be the same; later once in this many times."""
SOMETIMES = 16


class Trial:
    """One run over one game. `progress` is told (stage, verb) before every call."""

    def __init__(
        self, game: CompiledGame, *, seed: int, verb_seconds: float, progress: Callable[[str, str], None]
    ) -> None:
        self.game = game
        self.rules = game.rules
        self.facts = game.facts
        self.verbs: dict[str, Any] = self.rules.verbs
        self.constants = self.rules.constants
        self.calls = Calls(game)
        self.blank = self.calls.blank_note
        self.rng = random.Random(seed)
        self.verb_seconds = verb_seconds
        self.progress = progress
        self.file = next(iter(self.verbs.values())).__code__.co_filename
        self.answers: list[tuple[str, Mapping[str, Any], Answer]] = []
        self.asked = dict.fromkeys(self.verbs, 0)
        self.compared = 0
        self.by_hash: dict[tuple[str, int], tuple[bytes, Any]] = {}
        self.by_ear: dict[tuple[int, int], bytes] = {}  # seat and what it has heard → what it sees
        self.met: set[bytes] = set()
        self.compiled: dict[str, Any] = {}

    def run(self, positions: int, seconds: float) -> int:
        """Play random games until so many positions are met or the time is up; returns how many were."""
        self.plain: dict[str, Callable[..., Any]] = {}
        for verb in self.verbs:
            try:
                self.plain[verb] = linked_verb(self.rules, verb, Compiler(jit=False), guarded=True).function
            except GameError as error:
                told = re.fullmatch(r".* cannot be compiled \(.*, line (\d+)\): (.*?)\.?", str(error))
                self.fail(verb, told[2] if told else str(error).rstrip("."), line=int(told[1]) if told else 0)
        deadline = time.monotonic() + seconds
        more = True
        while more:
            with Watch(self.verb_seconds) as watch, np.errstate(over="ignore", divide="raise"):
                self.watch = watch
                more = self.play_games(min(positions, len(self.met) + ROUND), deadline) and len(self.met) < positions
            self.run_compiled()
        return len(self.met)

    # 1. Uncompiled ----------------------------------------------------------------------------------------------------

    def play_games(self, positions: int, deadline: float) -> bool:
        """Random games until so many positions are met; False if the time is up, or nothing new is to be met."""
        start = self.ask("initial", s=np.zeros(1, self.rules.state_type).tobytes()).s
        # Small games are soon exhausted: stop when many games in a row met nothing new.
        stale = 0
        while len(self.met) < positions and stale < 20:
            before = len(self.met)
            self.play_game(start, positions, deadline)
            stale = 0 if len(self.met) > before else stale + 1
            if time.monotonic() > deadline:
                return False
        return stale < 20

    def play_game(self, struct: bytes, positions: int, deadline: float) -> None:
        """One random game; every verb is checked in each position that is new."""
        line: list[int] = []
        ears: list[int] | None = [SILENCE] * self.facts.players
        for ply in range(MOST_PLIES):
            place = Place(struct, self.mover(struct), first=ply == 0, line=line)
            if "player" in self.verbs:
                CHECKS["player"](self, place)
            self.list_moves(place)
            if struct not in self.met:
                self.look(place)
            self.met.add(struct)
            if ears is not None:
                self.check_ears(place, ears)
            if place.over or len(self.met) >= positions or time.monotonic() > deadline:
                return
            move, after = self.step(place)
            ears = None if ears is None else self.listen(place, ears, move, after)
            if "repetition_key" in self.verbs:
                line.append(self.ask("repetition_key", s=struct).value)
            struct = after

    def mover(self, struct: bytes) -> int:
        """Who is to move; a game without `player` does not say."""
        return int(self.ask("player", s=struct).value) if "player" in self.verbs else 0

    def list_moves(self, place: Place) -> None:
        """Fill in what can be done in the place."""
        struct = place.struct
        if place.seat == SIMULTANEOUS:
            seats = range(self.facts.players)
            place.choices = tuple(tuple(self.ask("seat_moves", s=struct, seat=seat).value) for seat in seats)
        elif place.seat == CHANCE:
            found: Any = self.ask("outcomes", s=struct).value if "outcomes" in self.verbs else UNLISTED
            if found == UNLISTED:
                place.unlisted = True
                place.moves = tuple(self.roll(struct) for _ in range(SAMPLED_MOVES))
            else:
                place.moves, place.odds = found
        else:
            place.moves = tuple(self.ask("legal_moves", s=struct).value)

    def roll(self, struct: bytes) -> int:
        """An outcome of chance that cannot be listed."""
        return int(self.ask("roll", s=struct, bits=self.bits()).value) if "roll" in self.verbs else self.bits() >> 1

    def bits(self) -> int:
        """64 random bits."""
        return self.rng.getrandbits(64)

    def look(self, place: Place) -> None:
        """Every verb in one position, held to its meaning."""
        for verb in ("legal_moves", "seat_moves", "outcomes"):  # first, since the others build on them
            if verb in self.verbs:
                CHECKS[verb](self, place)
        if place.seat == SIMULTANEOUS:
            if not place.over:
                place.children = [self.step(place) for _ in range(SAMPLED_MOVES)]
        else:
            chosen = self.rng.sample(place.moves, min(SAMPLED_MOVES, len(place.moves)))
            place.children = [(move, self.ask("play", s=place.struct, m=move).s) for move in chosen]
        for verb in self.verbs:
            if verb not in ("player", "legal_moves", "seat_moves", "outcomes"):
                CHECKS[verb](self, place)

    def step(self, place: Place) -> tuple[Any, bytes]:
        """A random move and where it leads."""
        if place.seat != SIMULTANEOUS:
            move = self.rng.choice(place.moves)
            return move, self.ask("play", s=place.struct, m=move).s
        joint = tuple(self.rng.choice(moves) if moves else -1 for moves in place.choices)
        return joint, self.ask("play_joint", s=place.struct, moves=joint).s

    def listen(self, place: Place, ears: list[int], move: Any, after: bytes) -> list[int] | None:
        """The ears after a move; None where the game does not tell what is heard."""
        if "heard" not in self.verbs or isinstance(move, tuple):
            return None
        words = [self.ask("heard", s=place.struct, m=move, t=after, seat=seat).value for seat in range(len(ears))]
        return [listen(ear, word or None) for ear, word in zip(ears, words, strict=True)]

    def check_ears(self, place: Place, ears: list[int]) -> None:
        """A seat that has heard the same sees the same, whatever else has happened."""
        if not {"hide", "heard"} <= self.verbs.keys() or place.over:
            return
        for seat, ear in enumerate(ears):
            view = self.ask("hide", s=place.struct, seat=seat).s
            if self.by_ear.setdefault((seat, ear), view) != view:
                self.fail("hide", f"shows seat {seat} two different states after it has heard the same")

    # Calling a verb uncompiled ----------------------------------------------------------------------------------------

    def ask(self, verb: str, **given: Any) -> Answer:
        """What the verb answers; asked twice, because both answers must be the same."""
        self.progress("uncompiled", verb)
        answer = self.ask_once(verb, given)
        self.asked[verb] += 1
        if (self.asked[verb] < ASKED_TWICE or self.rng.randrange(SOMETIMES) == 0) and (
            not same_answer(self.ask_once(verb, given), answer)
        ):
            self.fail(verb, "does not give the same answer twice for one state; expected no randomness and no memory")
        self.answers.append((verb, given, answer))
        return answer

    def ask_once(self, verb: str, given: Mapping[str, Any]) -> Answer:
        returned, arguments = self.invoke(verb, given)
        try:
            return self.calls.read(verb, returned, arguments)
        except WrongAnswer as wrong:
            line = 0 if str(wrong).startswith("changes") else self.return_line(verb, given)
            self.fail(verb, str(wrong), line=line)

    def invoke(self, verb: str, given: Mapping[str, Any]) -> tuple[Any, Arguments]:
        """Call the game's own function on guarded copies; whatever it raises becomes a fault."""
        try:
            return self.watch.run(self.calls.uncompiled, verb, self.plain[verb], given)  # type: ignore[no-any-return]
        except Stopped as stop:
            self.fail(verb, stop.reason, error=stop)
        except Exception as error:
            self.fail(verb, reason(error), error=error)

    def return_line(self, verb: str, given: Mapping[str, Any]) -> int:
        """The line of the `return` that this call ends with."""
        code = self.verbs[verb].__code__
        lines = [self.first_line(verb)]

        def trace(frame: FrameType, event: str, _: Any) -> Any:
            if frame.f_code is code and event == "return":
                lines.append(frame.f_lineno)
            return trace

        before = sys.gettrace()
        sys.settrace(trace)
        try:
            self.invoke(verb, given)
        finally:
            sys.settrace(before)
        return lines[-1]

    # 2. Compiled with bounds checks -----------------------------------------------------------------------------------

    def run_compiled(self) -> None:
        """Compile every verb that was asked, inspect the types, and compare the answers with the uncompiled ones."""
        for verb in self.verbs:
            if verb not in self.compiled:
                self.compiled[verb] = self.compile_verb(verb)
        for verb, given, expected in self.answers:
            self.progress("compiled", verb)
            arguments = Arguments(self.calls, verb, given)
            try:
                returned = self.compiled[verb](*arguments.compiled())
            except Exception as error:
                self.fail(verb, f"raises {type(error).__name__} when compiled: {error}")
            if arguments.overrun():
                self.fail(verb, "writes outside the move buffer when compiled")
            try:
                found = self.calls.read(verb, returned, arguments)
            except WrongAnswer as wrong:
                self.fail(verb, f"{wrong} when compiled")
            if not same_answer(found, expected):
                what = f"answers {found.value} when compiled and {expected.value} when not"
                if found.value == expected.value:
                    what = f"makes {self.show(found)} when compiled and {self.show(expected)} when not"
                self.fail(verb, what)
        self.compared += len(self.answers)
        self.answers.clear()

    def compile_verb(self, verb: str) -> Any:
        """The verb, compiled with bounds checks."""
        import numba

        self.progress("compiling", verb)
        linked = linked_verb(self.rules, verb, Compiler(jit=True, boundscheck=True))
        struct = np.zeros(1, self.rules.state_type).tobytes()
        sample = dict.fromkeys(("m", "bits", "seat", "n", "units", "k", "c", "i"), 0)
        arguments = Arguments(self.calls, verb, {**sample, "moves": (0,), "s": struct, "t": struct})
        try:
            linked.function.compile(tuple(numba.typeof(argument) for argument in arguments.compiled()))
        except Exception as error:  # numba has errors of its own, of bytecode and of LLVM
            self.fail_compile(verb, error)
        self.check_types(verb, linked)
        return linked.function

    def check_types(self, verb: str, linked: Linked) -> None:
        """No verb returns a float where a whole number belongs, and nothing stores one, in no branch."""
        from numba import types

        (compiled,) = linked.function.overloads.values()
        returns = compiled.signature.return_type
        if RETURNS[verb] not in ("nothing", "float"):
            for part in returns if isinstance(returns, types.BaseTuple) else (returns,):
                if not isinstance(part, types.Integer | types.Boolean):
                    self.fail(verb, f"can return {part}; expected a whole number in every case")
        for part in all_parts(linked):
            for line in float_stores(part.function, self.file):
                self.fail(verb, "stores a float where a whole number belongs; write // for /, or int(...)", line=line)

    def show(self, answer: Answer) -> str:
        """What the verb has changed, as text."""
        kind, data = (self.rules.note_type, answer.note) if answer.note else (self.rules.state_type, answer.s)
        return str(np.frombuffer(data, kind)[0].tolist())

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
        return int(self.verbs[verb].__code__.co_firstlineno)

    def fail_compile(self, verb: str, error: Exception) -> NoReturn:
        """Turn numba's page of text into one sentence."""
        text = re.sub(r"\x1b\[[0-9;]*m", "", str(error))
        named = re.findall(r'File "([^"]+)", line (\d+)', text) + re.findall(r"Raised from (\S+) \((\d+)\)", text)
        # numba sometimes shortens paths
        places = [int(line) for file, line in named if Path(file).name == Path(self.file).name]
        line = places[-1] if places else self.first_line(verb)
        # For an unknown field or name numba tells no line.
        unknown = re.search(r"name '(\w+)' is not defined", text)
        if isinstance(error, KeyError) and error.args[0] not in self.rules.state_type.names:
            text = f"Unknown attribute '{error.args[0]}' of type Record"
            unknown = re.search(r"'(\w+)'", text)
        if unknown:
            line = line_with(self.file, unknown.group(1)) or line
        where = function_at(self.file, line)
        helper = "" if where in ("", verb) else f", in {where}()"
        raise GameError(
            f"{self.game.name}: {verb}(){helper}, line {line}{self.quote(line)}: cannot be compiled: {explain(text)}."
        ) from None

    def quote(self, line: int) -> str:
        source = linecache.getline(self.file, line).strip()
        return f", `{source}`" if source and not source.startswith(("def ", "@")) else ""


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
        met = trial.run(positions, seconds)
        found = {"positions": met, "answers": trial.compared, "verbs": list(trial.verbs)}
    except GametreeError as error:
        found = {"fault": str(error)}
    progress("done", "")
    print("\n" + json.dumps(found))
