"""What one search leaves to the next search of the same game, such as the next iteration of iterative deepening."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from gametree.core.errors import BadInput

__all__ = ["recall"]

T = TypeVar("T")


def recall(memory: dict[str, Any] | None, name: str, make: Callable[[], T]) -> T:
    """What an earlier search put into `memory` under `name`, or a fresh one, which is put there.

    Raises BadInput if `memory` is no dictionary.
    """
    if memory is None:
        return make()
    if not isinstance(memory, dict):
        raise BadInput(f"memory={memory!r} cannot be set by hand; expected a dictionary that an earlier search filled.")
    if name not in memory:
        memory[name] = make()
    kept: T = memory[name]
    return kept
