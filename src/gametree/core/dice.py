"""The only dice of the house: one throw is a keyed hash of its number, so nobody can foresee it without the secret.

A game has a secret of 16 bytes. Throw `n` of the game is the same whatever happened before it, so that a move that is
taken back meets the same throw again, and a saved game goes on with the luck that it would have had.
"""

from __future__ import annotations

import hashlib
import random
import secrets
from typing import Any

from gametree.core.game import Game

__all__ = ["new_secret", "random_at", "roll_at", "seed_for"]

_BYTES = 16


def new_secret(seed: int | str | None = None, salt: bytes = b"") -> bytes:
    """A secret that nobody can guess; with a `seed` the same one for the same seed and salt.

    A seed alone is guessable: where players must not foresee the dice, the salt is drawn by chance and kept apart.
    """
    if seed is None:
        return secrets.token_bytes(_BYTES)
    return hashlib.blake2b(f"secret {seed}".encode(), key=salt, digest_size=_BYTES).digest()


def random_at(secret: bytes, what: str, number: int) -> random.Random:
    """The generator for the `number`-th use of one kind; knowing it tells nothing of any other."""
    return random.Random(_bits(secret, what, number))


def seed_for(secret: bytes, what: str, number: int) -> int:
    """A seed that may be given away: it tells nothing of the secret or of any throw."""
    return _bits(secret, what, number) >> 65


def roll_at(game: Game[Any, Any], state: Any, secret: bytes, number: int) -> Any:
    """The outcome of the game's chance state that throw `number` gives."""
    return game.roll(state, random_at(secret, "throw", number))


def _bits(secret: bytes, what: str, number: int) -> int:
    digest = hashlib.blake2b(f"{what} {number}".encode(), key=secret, digest_size=16).digest()
    return int.from_bytes(digest, "little")
