"""Every error that gametree raises on purpose.

Each message is one sentence that names the offending input and what was expected, because the command line prints it
as it stands and exits with code 2.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable

__all__ = ["BadInput", "GameError", "GametreeError", "IllegalMove", "OutOfTime", "UnfitGame", "UnknownName", "suggest"]


class GametreeError(Exception):
    """Base of all errors that are the caller's to mend; its text is one sentence for people."""


class BadInput(GametreeError):
    """Text, a file or an option that cannot be read as what it should be."""


class UnknownName(BadInput):
    """No game, algorithm, example or parameter is called so."""


class IllegalMove(BadInput):
    """A move that the rules do not allow in the position."""


class UnfitGame(GametreeError):
    """An algorithm was given a game whose facts it cannot handle."""


class GameError(GametreeError):
    """A game broke the contract of the formal game (see `gametree.core.game`)."""


class OutOfTime(GametreeError):
    """A search that gives no answer before it ends was stopped by its clock."""


def suggest(name: str, known: Iterable[str]) -> str:
    """Return `" Did you mean 'x'?"` for the closest known name, or an empty string when nothing is close."""
    close = difflib.get_close_matches(name, list(known), n=1, cutoff=0.55)
    return f" Did you mean '{close[0]}'?" if close else ""
