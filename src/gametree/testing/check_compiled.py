"""The conformance kit for compiled games: finds, before a search runs it, what would crash or mislead compiled code.

    check_compiled("my_game.py")

The game is tried in a process of its own: first with the compiler off, then compiled with bounds checks; the two must
agree in every answer on the positions of random games. A fault becomes one sentence that names the verb and the line.
A game that passed is remembered by the hash of its rules, so that it is tried once and not before every use.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gametree.core.errors import BadInput, GameError
from gametree.core.registry import load_game
from gametree.kernels.cache import cache_directory
from gametree.kernels.compiled_game import CompiledGame
from gametree.kernels.jit import Compiler
from gametree.testing._struct_calls import linked_verb

__all__ = ["CompiledReport", "check_compiled", "is_trusted"]

COMPILE_SECONDS = 180.0
"""A verb that takes longer to compile is given up."""
_CHILD = "import sys; from gametree.testing._compiled_trial import main; main(sys.argv[1], int(sys.argv[2]), " \
    "int(sys.argv[3]), float(sys.argv[4]), float(sys.argv[5]), sys.argv[6])"  # fmt: skip
_TICK = 0.05


@dataclass(frozen=True, kw_only=True)
class CompiledReport:
    """What a trial that found no fault has looked at."""

    game: str
    positions: int
    """Different positions that were met in random games."""
    answers: int
    """Answers that the compiled and the uncompiled game agreed in."""
    verbs: tuple[str, ...]
    """The verbs that were held to their contract."""

    def __str__(self) -> str:
        return (
            f"{self.game} passed: compiled with bounds checks and uncompiled, {', '.join(self.verbs)} agree in "
            f"{self.answers} answers at {self.positions} positions."
        )


def check_compiled(
    game: CompiledGame | str,
    *,
    positions: int = 400,
    seed: int = 0,
    seconds: float = 30.0,
    verb_seconds: float = 5.0,
) -> CompiledReport:
    """Try a compiled game: text as for `load_game`, or a game that was loaded so.

    Random games, the same for the same `seed`, are played until `positions` are met or `seconds` have passed. A verb
    that takes longer than `verb_seconds` is stopped. Raises GameError at the first fault, and what `load_game` raises.
    """
    if positions < 1:
        raise BadInput(f"{positions} positions are too few; expected at least 1.")
    if not (seconds > 0 and verb_seconds > 0):
        raise BadInput(f"Limits of {seconds:g} s and {verb_seconds:g} s are too short; expected more than 0.")
    loaded = load_game(game) if isinstance(game, str) else game
    if not isinstance(loaded, CompiledGame):
        raise BadInput(f"{loaded.name} is not a compiled game; expected a class derived from CompiledGame.")
    found = _try_out(loaded, positions, seed, seconds, verb_seconds)
    _trust(loaded)
    return CompiledReport(
        game=loaded.name, positions=found["positions"], answers=found["answers"], verbs=tuple(found["verbs"])
    )


def _try_out(game: CompiledGame, positions: int, seed: int, seconds: float, verb_seconds: float) -> dict[str, Any]:
    """Run the trial in a process of its own, and end that if it hangs. Returns what it found."""
    with tempfile.TemporaryDirectory() as folder:
        progress = Path(folder) / "progress"
        progress.write_text("loading the_game 0".ljust(64), encoding="utf-8")
        numbers = [str(number) for number in (positions, seed, seconds, verb_seconds)]
        with open(Path(folder) / "output", "w+", encoding="utf-8") as output:
            command = [sys.executable, "-c", _CHILD, game.name, *numbers, str(progress)]
            process = subprocess.Popen(command, stdout=output, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL)
            try:
                stage, verb = _watch(process, progress, verb_seconds)
            finally:
                process.kill()
                process.wait()
            output.seek(0)
            lines = output.read().strip().splitlines()
    if stage == "done" and process.returncode == 0:
        found: dict[str, Any] = json.loads(lines[-1])
        if "fault" in found:
            raise GameError(found["fault"])
        return found
    where = ""
    if verb in game.rules.verbs:
        where = f"{verb}(), line {game.rules.verbs[verb].__code__.co_firstlineno}: "
    if process.returncode < 0 and stage.endswith("…"):
        limit = COMPILE_SECONDS if stage == "compiling…" else verb_seconds
        raise GameError(f"{game.name}: {where}{_DOING[stage[:-1]]} did not end within {limit:g} s.")
    if process.returncode < 0:
        name = signal.Signals(-process.returncode).name
        raise GameError(f"{game.name}: {where}{_DOING[stage]} crashed ({name}).")
    last = lines[-1] if lines else "it ended without a word"
    raise GameError(f"{game.name}: {where}{_DOING[stage]} failed: {last}.")


_DOING = {
    "loading": "loading the file",
    "uncompiled": "running it uncompiled",
    "compiling": "compiling it",
    "compiled": "running it compiled",
    "done": "the trial",
}


def _watch(process: subprocess.Popen[bytes], progress: Path, verb_seconds: float) -> tuple[str, str]:
    """Wait for the end, or for a step that takes too long; returns its stage, with `…` if it hangs, and its verb."""
    last, since = "", time.monotonic()
    while True:
        ended = process.poll() is not None
        now = progress.read_text(encoding="utf-8", errors="replace").strip()
        if now != last:
            last, since = now, time.monotonic()
        stage, _, rest = now.partition(" ")
        verb = rest.partition(" ")[0]
        if ended:
            return stage, verb
        # Uncompiled verbs are stopped from inside, where the line is known; this is the last resort.
        limit = {"compiling": COMPILE_SECONDS, "compiled": verb_seconds}.get(stage, verb_seconds + 30)
        if time.monotonic() - since > limit:
            return f"{stage}…", verb
        time.sleep(_TICK)


# Trust ----------------------------------------------------------------------------------------------------------------


def _stamp(game: CompiledGame) -> Path:
    """The file that says that exactly these rules have passed."""
    parts = [linked_verb(game.rules, verb, Compiler(jit=False)).digest for verb in sorted(game.rules.verbs)]
    parts += [
        repr(sorted(game.rules.constants.items(), key=str)),
        repr(game.facts),
        *(file.read_text(encoding="utf-8") for file in sorted(Path(__file__).parent.glob("*.py"))),
    ]
    digest = hashlib.sha256("\n".join(parts).encode()).hexdigest()[:32]
    return cache_directory() / f"{digest}.checked"


def is_trusted(game: CompiledGame) -> bool:
    """Whether exactly these rules and facts have passed `check_compiled` on this machine."""
    return _stamp(game).is_file()


def _trust(game: CompiledGame) -> None:
    with contextlib.suppress(OSError):  # where nothing can be kept, the next use tries the game again
        stamp = _stamp(game)
        stamp.parent.mkdir(parents=True, exist_ok=True)
        stamp.touch()
