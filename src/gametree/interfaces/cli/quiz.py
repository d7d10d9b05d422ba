"""`gametree quiz`: a fresh tree, two questions, and why the answer is what it is."""

from __future__ import annotations

import typer

__all__ = ["register"]


def register(app: typer.Typer) -> None:
    """Add the command."""
