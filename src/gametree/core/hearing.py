"""Ears: what a seat has heard since the start, as one number. It is the key of the seat's information set.

States carry no ears: whoever walks the tree holds them, as it holds the path. So two ways to the same state are two
information sets where a seat heard different things on the way (perfect recall), and no game writes keys.
"""

from __future__ import annotations

import hashlib
from collections.abc import Hashable
from typing import Any

from gametree.core.game import Game

__all__ = ["SILENCE", "hear_all", "listen"]

SILENCE = 0
"""The ear of a seat that has heard nothing yet."""


def listen(ear: int, word: Hashable | None) -> int:
    """The ear after a word; unchanged after None. The same in every process for words of text, numbers and tuples."""
    if word is None:
        return ear
    digest = hashlib.blake2b(f"{ear} {word!r}".encode(), digest_size=8).digest()
    return int.from_bytes(digest, "little")


def hear_all(game: Game[Any, Any], ears: tuple[int, ...], state: Any, action: Any, after: Any) -> tuple[int, ...]:
    """The ears of all seats after a move."""
    return tuple(listen(ear, game.hear(state, action, after, seat)) for seat, ear in enumerate(ears))
