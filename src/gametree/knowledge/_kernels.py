"""Functions of this room that are compiled together with a game."""

from __future__ import annotations

from typing import Any

from gametree.kernels.verbs import hash_state

__all__ = ["hash_first"]


def hash_first(states: Any) -> Any:
    """The hash of the first struct."""
    return hash_state(states[0])
