"""How positions and moves stand in a book: a key of 64 bits and a code of 16.

A game whose books are those of other programs says how they are keyed (`Game.book_keys`): chess has the keys and moves
of Polyglot. Every other game is keyed by its own hash; positions that a symmetry of the board turns into each other
share one key. A move's code is then its place among the legal moves of the one position that stands for all its images,
so nothing but the rules is needed to turn a move as well.
"""

from __future__ import annotations

import functools
import hashlib
import sys
from collections.abc import Callable, Sequence
from typing import Any, Protocol

from gametree.core.errors import UnfitGame
from gametree.core.game import Game
from gametree.core.specification import short_name

__all__ = ["GameKeys", "Keys", "book_name", "keys_for"]

_REMEMBERED = 1 << 16
"""Positions whose keys are kept: games share their first moves, so most are asked for again and again."""


Replay = Callable[[Sequence[Any], Sequence[Sequence[str]]], tuple[Any, Any, Any, Any]]
"""replay(starts, lines) plays lines of SAN from their starts. It gives arrays: key, code and seat of every move of all
lines, one behind the other, and for each line how many of its moves were legal."""


class Keys(Protocol):
    """The keys and codes of one game."""

    @property
    def name(self) -> str:
        """The game as a book's header names it."""

    def find(self, state: Any) -> list[int]:
        """The keys under which a book may have the state, the likeliest first."""

    def code(self, state: Any, action: Any) -> int:
        """The code of a legal action."""

    def actions(self, state: Any, code: int) -> list[Any]:
        """The legal actions that a code means, more than one where the board is symmetric; none if it is no move."""

    @property
    def has_header(self) -> bool:
        """Whether a book says what game it is of; books of other programs do not."""

    @property
    def replay(self) -> Replay | None:
        """What plays many games at once; None if they are played one by one."""


def book_name(game: Game[Any, Any]) -> str:
    """The game as its books are called: what its keys say, else its name without parameters."""
    own = game.book_keys()
    return short_name(game.name) if own is None else str(own.name)


def keys_for(game: Game[Any, Any]) -> Keys:
    """How books of this game are keyed. Raises UnfitGame if a book cannot serve the game."""
    own: Keys | None = game.book_keys()
    return GameKeys(game) if own is None else own


class GameKeys:
    """Books of gametree. Raises UnfitGame for games in which a player does not see the whole position."""

    has_header = True
    replay = None

    def __init__(self, game: Game[Any, Any]) -> None:
        for fact in ("hidden", "simultaneous"):
            if getattr(game.facts, fact):
                raise UnfitGame(f"{game.name} cannot have a book: its fact {fact} is True.")
        self.name = short_name(game.name)
        self._game = game
        self._hash = _hash_of(game)
        self._symmetric = game.offers("symmetries") or game.offers("canonical")
        self._key = functools.lru_cache(_REMEMBERED)(self._find_key)
        self._canonical_codes = functools.lru_cache(_REMEMBERED)(self._find_codes)

    def _find_key(self, state: Any) -> int:
        return self._hash(self._game.canonical(state) if self._symmetric else state)

    def _find_codes(self, canonical: Any) -> dict[int, int]:
        """Key of the position behind a move → the first move that leads there."""
        found: dict[int, int] = {}
        for place, action in enumerate(self._game.actions(canonical)):
            found.setdefault(self._key(self._game.result(canonical, action)), place)
        return found

    def find(self, state: Any) -> list[int]:
        """The hash of the state that stands for all its images."""
        return [self._key(state)]

    def code(self, state: Any, action: Any) -> int:
        """The place of the first move that leads to the same position, in the state that stands for all images."""
        if not self._symmetric:
            return list(self._game.actions(state)).index(action)
        codes = self._canonical_codes(self._game.canonical(state))
        return codes[self._key(self._game.result(state, action))]

    def actions(self, state: Any, code: int) -> list[Any]:
        """All moves that lead to the position that the code's move leads to."""
        legal = list(self._game.actions(state))
        if not self._symmetric:
            return legal[code : code + 1]
        codes = self._canonical_codes(self._game.canonical(state))
        return [action for action in legal if codes.get(self._key(self._game.result(state, action))) == code]


def _hash_of(game: Game[Any, Any]) -> Callable[[Any], int]:
    """The game's own hash if it is compiled, otherwise a digest of the position's text."""
    room = sys.modules.get("gametree.kernels.compiled_game")
    if room is not None and isinstance(game, room.CompiledGame):
        from gametree.knowledge._kernels import hash_first

        kernel = game.rules.kernel(hash_first)
        return lambda state: int(kernel(game.structs(state), game.w))

    def digest(state: Any) -> int:
        return int.from_bytes(hashlib.blake2b(game.state_text(state).encode(), digest_size=8).digest(), "big")

    return digest
