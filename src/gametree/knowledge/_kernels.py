"""Functions of this room that are compiled together with a game."""

from __future__ import annotations

from typing import Any

from gametree.kernels.verbs import hash_state
from gametree.kernels.waiting import plain_at_first

__all__ = ["hash_first"]


@plain_at_first
def hash_first(states: Any, weights: Any) -> Any:
    """The hash of the first struct."""
    return hash_state(states[0], weights[0])
