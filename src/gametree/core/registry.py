"""Finds games and algorithms by name, and imports only the one that is asked for.

A game is a file in `gametree.games`, an algorithm a file in one of the kinds of `gametree.search` (textbook, compiled,
hidden); files whose name starts with an underscore are helpers. Packages outside register through the entry points
`gametree.games` and `gametree.algorithms`. A path to a Python file works wherever a game's name does, and so does one
to a rule sheet (`.kif`), which the game `ggp` reads.
"""

from __future__ import annotations

import ast
import hashlib
import importlib
import importlib.util
import sys
from collections.abc import Callable
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from types import ModuleType
from typing import Any

from gametree.core.errors import BadInput, GameError, UnknownName, suggest
from gametree.core.facts import Algorithm
from gametree.core.game import Game, as_game
from gametree.core.specification import Specification, build, parse_specification

__all__ = ["algorithm_names", "game_names", "import_file", "load_algorithm", "load_game", "load_session", "summaries"]

_ROOT = Path(__file__).resolve().parent.parent
_GROUPS = {"games": "gametree.games", "search": "gametree.algorithms"}
_FOLDERS = {"games": ("games",), "search": ("search/textbook", "search/compiled", "search/hidden")}


def _built_in(room: str) -> dict[str, Path]:
    """Public name → file, for one room of the package. `alphabeta_list.py` is called `alphabeta-list`."""
    found = {}
    for folder in _FOLDERS[room]:
        for file in [*(_ROOT / folder).glob("*.py"), *(_ROOT / folder).glob("*/__init__.py")]:
            stem = file.parent.name if file.name == "__init__.py" else file.stem
            if not stem.startswith("_") and file != _ROOT / folder / "__init__.py":
                found[stem.replace("_", "-")] = file
    return dict(sorted(found.items()))


def _outside(room: str) -> dict[str, EntryPoint]:
    """Public name → entry point of another installed package."""
    return {point.name: point for point in entry_points(group=_GROUPS[room])}


def game_names() -> list[str]:
    """Names of all games, without importing any."""
    return sorted({*_built_in("games"), *_outside("games")})


def algorithm_names(*, compiled: bool = True) -> list[str]:
    """Names of all algorithms, without importing any; without `compiled` none of those that need compiled rules."""
    own = {name: file for name, file in _built_in("search").items() if compiled or "compiled" not in file.parts}
    return sorted({*own, *_outside("search")})


def summaries(room: str) -> dict[str, str]:
    """Name → first line of the docstring, for "games" or "search", read from the source without importing it."""
    lines = {}
    for name, file in _built_in(room).items():
        docstring = ast.get_docstring(ast.parse(file.read_text(encoding="utf-8"))) or ""
        lines[name] = docstring.partition("\n")[0]
    for name, point in _outside(room).items():
        lines.setdefault(name, f"from {point.value}")
    return dict(sorted(lines.items()))


def _import(room: str, kind: str, name: str) -> ModuleType:
    built_in = _built_in(room)
    if name in built_in:
        file = built_in[name]
        inside = (file.parent if file.name == "__init__.py" else file.with_suffix("")).relative_to(_ROOT)
        return importlib.import_module(".".join(("gametree", *inside.parts)))
    outside = _outside(room)  # reads the metadata of every installed package, so only where it is needed
    if name in outside:
        loaded = outside[name].load()
        if not isinstance(loaded, ModuleType):
            raise GameError(f"The entry point '{name}' of {_GROUPS[room]} must name a module, not {loaded!r}.")
        return loaded
    known = [*built_in, *outside]
    listing = "gametree games" if room == "games" else "gametree algorithms"
    raise UnknownName(f"There is no {kind} called '{name}'.{suggest(name, known)} `{listing}` lists them all.")


def import_file(path: str, what: str = "a game") -> ModuleType:
    """Import a user's Python file, which defines `what`, under a name of its own, so that namesakes do not meet.

    The name is the same in every process: compiled code that is stored knows the module by it.
    Raises BadInput if there is no such file and GameError if it does not load.
    """
    file = Path(path).expanduser().resolve()
    if not file.is_file():
        raise BadInput(f"There is no file '{path}'; expected a Python file that defines {what}.")
    spec = importlib.util.spec_from_file_location(
        f"gametree_user_{file.stem}_{hashlib.sha256(str(file).encode()).hexdigest()[:16]}", file
    )
    if spec is None or spec.loader is None:
        raise BadInput(f"'{path}' cannot be imported as a Python file.")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        del sys.modules[spec.name]
        line = _line_in(error, file)
        raise GameError(f"'{path}' does not load{line}: {type(error).__name__}: {error}.") from error
    return module


def _line_in(error: BaseException, file: Path) -> str:
    """`" (line 12)"` for the innermost place in `file` that the error passed through."""
    if isinstance(error, SyntaxError) and error.lineno:
        return f" (line {error.lineno})"
    line, trace = 0, error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == str(file):
            line = trace.tb_lineno
        trace = trace.tb_next
    return f" (line {line})" if line else ""


def load_game(text: str) -> Game[Any, Any]:
    """The game that `text` names, with its parameters: a registered name, or a path to a Python file or a rule sheet.

    The module's attribute `game` is either a class or function that returns a game, or the game itself.
    Raises UnknownName, BadInput or GameError.
    """
    specification = parse_specification(text)
    name = specification.name
    if specification.is_sheet:
        return _load_sheet(text, specification)
    module = import_file(name) if specification.is_file else _import("games", "game", name)
    maker = getattr(module, "game", None)
    if maker is None:
        raise GameError(f"'{name}' defines no name `game`; expected `game = YourGame` at the end of the file.")
    if isinstance(maker, type) or (callable(maker) and not hasattr(maker, "facts")):
        made = build(maker, specification)
    elif specification.parameters or specification.positional:
        raise BadInput(f"{name} takes no parameters, but got '{text}'.")
    else:
        made = maker
    game = as_game(made)
    game.name = text
    return game


def _load_sheet(text: str, specification: Specification) -> Game[Any, Any]:
    """The game whose rules stand in a file."""
    if specification.parameters or specification.positional:
        raise BadInput(f"{specification.name} takes no parameters, but got '{text}'.")
    game: Game[Any, Any] = _import("games", "game", "ggp").open_sheet(specification.name)
    game.name = text
    return game


def load_session(name: str) -> Callable[..., Any]:
    """The class `Session` of an algorithm that keeps what it learns. Raises UnknownName."""
    session: Callable[..., Any] = _import("search", "algorithm", name).Session
    return session


def load_algorithm(name: str) -> tuple[Algorithm, Callable[..., Any]]:
    """The facts and the `search` function of the algorithm called `name`. Raises UnknownName."""
    module = _import("search", "algorithm", name)
    return module.ALGORITHM, module.search
