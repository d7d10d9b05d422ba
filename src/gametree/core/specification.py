"""Names that carry parameters: `go:size=9`, `tree:branching=3,depth=4,seed=7`, `nim:1-5-4-2`, `my_game.py:size=5`.

The part before the first colon is a name or a path to a Python file or a rule sheet (`.kif`). The part behind it is
either a list of `key=value` pairs separated by commas, or one text that goes whole to the first parameter.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Container
from dataclasses import dataclass, field
from pathlib import PurePath
from typing import Any

from gametree.core.errors import BadInput, UnknownName, suggest

__all__ = ["Specification", "build", "convert", "parse_specification", "short_name"]

_PAIRS = re.compile(r"\s*[A-Za-z_]\w*\s*=[^,]*(,\s*[A-Za-z_]\w*\s*=[^,]*)*")


@dataclass(frozen=True)
class Specification:
    """A name and its parameters, still as text."""

    name: str
    parameters: dict[str, str] = field(default_factory=dict)
    positional: str | None = None

    @property
    def is_file(self) -> bool:
        """Whether the name is a path to a Python file or a rule sheet."""
        return self.name.endswith(".py") or self.is_sheet

    @property
    def is_sheet(self) -> bool:
        """Whether the name is a path to a file of rules in KIF, which is data and no program."""
        return self.name.endswith(".kif")


def parse_specification(text: str) -> Specification:
    """Split `name:key=value,...`. Raises BadInput if the name is empty."""
    path = re.match(r"(.*?\.(?:py|kif))(?::(.*))?$", text, re.DOTALL)
    if path:
        name, rest = path.group(1), path.group(2)
    else:
        name, _, after = text.partition(":")
        rest = after if ":" in text else None
    name = name.strip()
    if not name:
        raise BadInput(f"'{text}' has no name; expected NAME or NAME:key=value,key=value.")
    if rest is None:
        return Specification(name)
    if not rest.strip():
        raise BadInput(f"'{text}' ends after the colon; expected NAME:key=value,key=value.")
    if not _PAIRS.fullmatch(rest):
        return Specification(name, positional=rest.strip())
    pairs = (pair.partition("=") for pair in rest.split(","))
    return Specification(name, {key.strip(): value.strip() for key, _, value in pairs})


def short_name(text: str) -> str:
    """The name without parameters and path: `othello` for othello:size=6, `stones` for games/stones.py:5."""
    return PurePath(parse_specification(text).name).stem


def build(factory: Callable[..., Any], specification: Specification) -> Any:
    """Call `factory` with the parameters converted to the types that its signature names.

    Raises UnknownName for a parameter that it does not take and BadInput for a value that does not convert.
    """
    values = convert(factory, specification)
    for key, parameter in _accepted(factory).items():
        if parameter.default is parameter.empty and key not in values:
            raise BadInput(f"{specification.name} needs the parameter '{key}', as in {specification.name}:{key}=...")
    return factory(**values)


def convert(
    function: Callable[..., Any], specification: Specification, *, besides: Container[str] = ()
) -> dict[str, Any]:
    """The parameters as keyword arguments for `function`; names in `besides` are not for users to set.

    Raises UnknownName and BadInput as `build` does.
    """
    name = specification.name
    accepted = {key: parameter for key, parameter in _accepted(function).items() if key not in besides}
    given = dict(specification.parameters)
    if specification.positional is not None:
        if not accepted:
            raise BadInput(f"{name} takes no parameters, but got '{specification.positional}'.")
        given[next(iter(accepted))] = specification.positional
    values: dict[str, Any] = {}
    for key, text in given.items():
        if key not in accepted:
            known = ", ".join(accepted) or "none"
            raise UnknownName(f"{name} has no parameter '{key}'.{suggest(key, accepted)} Its parameters: {known}.")
        values[key] = _convert(text, accepted[key], f"{name}:{key}={text}")
    return values


def _accepted(function: Callable[..., Any]) -> dict[str, inspect.Parameter]:
    parameters = inspect.signature(function).parameters.items()
    return {key: p for key, p in parameters if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)}


def _convert(text: str, parameter: inspect.Parameter, where: str) -> object:
    """Read `text` as the parameter's annotation says, or as its default's type; text where neither tells."""
    kind = parameter.annotation
    if isinstance(kind, str):  # annotations are strings under `from __future__ import annotations`
        kind = {"int": int, "float": float, "bool": bool, "int | None": int, "float | None": float}.get(kind, str)
    try:
        if kind is bool:
            return {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}[text.lower()]
        if kind in (int, float):
            return kind(text)
    except (KeyError, ValueError):
        raise BadInput(f"{where}: expected a value of type {kind.__name__}, got '{text}'.") from None
    return text
