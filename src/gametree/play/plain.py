"""States and actions as plain data: numbers, text, bytes and tuples, which carry nothing but themselves.

What a table gives out goes through here. A state may be any object of a user's own, and an object may lead to others;
plain data leads nowhere. Equal states give equal data, whatever way they came about, so that two games which look alike
to a seat are alike for it byte by byte.
"""

from __future__ import annotations

import dataclasses
import enum
import importlib
import math
import pickle
from typing import Any

__all__ = ["from_plain", "to_plain"]

_ITSELF = frozenset({int, str, bytes, bool, type(None)})
_MARK = "\0"
"""Begins the first entry of a tuple that stands for something else."""


def to_plain(value: Any) -> Any:
    """The value as plain data, from which `from_plain` makes an equal value in any process."""
    kind = type(value)
    if kind in _ITSELF:
        return value
    if kind is float:
        return value if math.isfinite(value) else (f"{_MARK}float", str(value))
    if kind is tuple:
        parts = tuple(map(to_plain, value))
        return (f"{_MARK}tuple", *parts) if parts and _is_marked(parts[0]) else parts
    if kind is frozenset:
        return (f"{_MARK}set", *sorted(map(to_plain, value), key=repr))
    name = f"{kind.__module__}:{kind.__qualname__}"
    if isinstance(value, enum.Enum):
        return (f"{_MARK}enum", name, value.name)
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return (f"{_MARK}named", name, *map(to_plain, value))
    if dataclasses.is_dataclass(value) and all(field.init for field in dataclasses.fields(value)):
        return (f"{_MARK}data", name, *(to_plain(getattr(value, field.name)) for field in dataclasses.fields(value)))
    return (f"{_MARK}pickle", pickle.dumps(value))


def from_plain(data: Any) -> Any:
    """The value that the data stands for. For data of our own only: it may name any class."""
    if type(data) is not tuple:
        return data
    if not data or not _is_marked(data[0]):
        return tuple(map(from_plain, data))
    kind, rest = data[0][1:], data[1:]
    if kind == "tuple":
        return tuple(map(from_plain, rest))
    if kind == "set":
        return frozenset(map(from_plain, rest))
    if kind == "float":
        return float(rest[0])
    if kind == "pickle":
        return pickle.loads(rest[0])
    made = _find(rest[0])
    return made[rest[1]] if kind == "enum" else made(*map(from_plain, rest[1:]))


def _is_marked(entry: Any) -> bool:
    return type(entry) is str and entry.startswith(_MARK)


def _find(name: str) -> Any:
    module, _, path = name.partition(":")
    found: Any = importlib.import_module(module)
    for part in path.split("."):
        found = getattr(found, part)
    return found
