"""What a process of its own says about a user's file: whether it loads, how its game looks, and what is wrong with it.

    python -m gametree.interfaces.web.build_work FILE MEBIBYTES

It is started anew each time that the file was saved, because a module is imported only once in a process. Every line
that it prints is a JSON object: {"loaded": {...}}, then {"game": {...}}, then {"check": {...}}; or {"problem": {...}},
which ends it.
"""

from __future__ import annotations

import contextlib
import json
import os
import random
import sys
import traceback
from pathlib import Path
from typing import Any

from gametree.core.errors import GametreeError
from gametree.core.files import read_text
from gametree.core.game import CHANCE, Game
from gametree.core.registry import load_game
from gametree.interfaces.web.boards import facts_data, view
from gametree.interfaces.web.worker import limit_memory

__all__ = ["look", "main", "problem_of"]

_PLIES = 60
"""Plies of the game that is played at random."""
_AROUND = 2
"""Lines shown before and behind the one with the mistake."""


def look(file: Path, say: Any) -> None:
    """Say everything about a file, line by line."""
    try:
        compile(read_text(file), str(file), "exec")
        game = load_game(str(file))
        from gametree.kernels.waiting import set_policy

        set_policy("plain")
        game.name = file.name
        start = game.initial()
        say({"loaded": {"facts": facts_data(game), "views": [view(game, start)], "moves": [], "offers": _offers(game)}})
        say({"game": _random_game(game, start)})
        say({"check": {"text": _check(game)}})
    except GametreeError as error:
        say({"problem": problem_of(error, file)})
    except SyntaxError as error:
        say({"problem": _at(file, error.lineno, f"{type(error).__name__}: {error.msg}.")})
    except Exception as error:
        say({"problem": problem_of(error, file)})


def _offers(game: Game[Any, Any]) -> list[str]:
    """What the game says beyond the six verbs that every game has, and what it could say."""
    verbs = ("draw", "evaluate", "action_from_text", "state_text", "symmetries")
    return [verb for verb in verbs if game.offers(verb)]


def _random_game(game: Game[Any, Any], state: Any) -> dict[str, Any]:
    """A whole game of random moves, to be looked at."""
    lots = random.Random(1)
    views, moves = [view(game, state)], []
    for _ in range(_PLIES):
        if game.is_terminal(state):
            break
        action = game.roll(state, lots) if game.player(state) == CHANCE else lots.choice(list(game.actions(state)))
        before, state = state, game.result(state, action)
        moves.append(game.action_text(before, action))
        views.append(view(game, state, before=before, last=action))
    for shown in views:
        shown["moves"] = []
    return {"views": views, "moves": moves}


def _check(game: Game[Any, Any]) -> str:
    """What `gametree check` finds in a short time. Raises GameError."""
    from gametree.testing import check_game

    told = ""
    if game.facts.compiled:
        from gametree.testing.check_compiled import check_compiled

        compiled = check_compiled(game, positions=100, seconds=5)  # type: ignore[arg-type]
        told = f" Compiled and not, it gave the same {compiled.answers:,} answers."
    report = check_game(game, playouts=10, most_states=2000)
    how = "every reachable state" if report.exhaustive else f"{report.games} random games"
    return f"It keeps the contract: {report.states:,} states checked ({how}).{told}"


def problem_of(error: BaseException, file: Path) -> dict[str, Any]:
    """The sentence of a mistake and the last line of the user's file on the way to it."""
    cause: BaseException | None = error
    while cause is not None:
        for frame in reversed(traceback.extract_tb(cause.__traceback__)):
            if Path(frame.filename).resolve() == file:
                kind = "" if isinstance(error, GametreeError) else f"{type(error).__name__} in {frame.name}(): "
                return _at(file, frame.lineno, f"{kind}{error}")
        cause = cause.__cause__ or cause.__context__
    return _at(file, None, str(error) if isinstance(error, GametreeError) else f"{type(error).__name__}: {error}")


def _at(file: Path, line: int | None, text: str) -> dict[str, Any]:
    """A problem with the lines around it."""
    shown: list[list[Any]] = []
    if line:
        with contextlib.suppress(OSError, GametreeError):
            lines = read_text(file).splitlines()
            first = max(1, line - _AROUND)
            shown = [[number, lines[number - 1][:200]] for number in range(first, min(len(lines), line + _AROUND) + 1)]
    return {"text": text[:1000], "line": line, "lines": shown}


def main() -> None:
    """Say everything about the file that the command line names."""
    out = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # what the game prints must not end up among the answers
    limit_memory(int(sys.argv[2]))
    with contextlib.suppress(OSError, AttributeError):
        os.nice(5)

    def say(data: dict[str, Any]) -> None:
        try:
            text = json.dumps(data, allow_nan=False)
        except ValueError:
            problem: dict[str, Any] = {"text": "The game gave a number that is not finite.", "line": None, "lines": []}
            text = json.dumps({"problem": problem})
        out.write(text + "\n")
        out.flush()

    look(Path(sys.argv[1]).resolve(), say)


if __name__ == "__main__":
    main()
