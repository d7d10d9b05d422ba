"""Names that requests give, checked without importing anything heavy into the server's process."""

from __future__ import annotations

from gametree.core.errors import UnknownName, suggest
from gametree.core.registry import algorithm_names

__all__ = ["check_algorithm"]


def check_algorithm(name: str) -> str:
    """An algorithm's name without parameters, as requests give it; nothing for one that fits. Raises UnknownName."""
    if name and name not in algorithm_names():
        raise UnknownName(f"There is no algorithm called '{name[:40]}'.{suggest(name[:40], algorithm_names())}")
    return name
