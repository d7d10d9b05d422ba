"""What a game's own solver finds out about a state."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

__all__ = ["Solution"]


@dataclass(frozen=True, kw_only=True)
class Solution:
    """The exact value of every action of a state; what the state itself is worth is the highest."""

    values: Mapping[Any, float]
    """What each action is worth to the seat to move, if everybody plays on perfectly."""
    nodes: int = 0
    """Positions that were searched."""
    details: Mapping[str, Any] = field(default_factory=dict)
    """What else is known, as JSON-ready data."""
