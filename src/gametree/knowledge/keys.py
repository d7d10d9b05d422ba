"""How positions and moves stand in a book: a key of 64 bits and a code of 16.

Chess has the keys and moves of Polyglot, so that its books are those of other programs. Every other game is keyed by
its own hash; positions that a symmetry of the board turns into each other share one key. A move's code is then its
place among the legal moves of the one position that stands for all its images, so nothing but the rules is needed to
turn a move as well.
"""

from __future__ import annotations

import functools
import hashlib
import sys
from collections.abc import Callable
from pathlib import PurePath
from typing import Any, Protocol

from gametree.core.errors import UnfitGame
from gametree.core.game import Game
from gametree.core.specification import parse_specification

__all__ = ["GameKeys", "Keys", "PolyglotKeys", "is_chess", "keys_for", "short_name"]

_REMEMBERED = 1 << 16
"""Positions whose keys are kept: games share their first moves, so most are asked for again and again."""


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


def short_name(game: Game[Any, Any]) -> str:
    """The game's name without parameters and path: `othello` for othello:size=6, `stones` for games/stones.py."""
    return PurePath(parse_specification(game.name).name).stem


def is_chess(game: Game[Any, Any]) -> bool:
    """Whether these are the rules of chess; told without importing them."""
    room = sys.modules.get("gametree.games.chess.rules")
    return room is not None and isinstance(game, room.Chess)


def keys_for(game: Game[Any, Any]) -> Keys:
    """How books of this game are keyed. Raises UnfitGame if a book cannot serve the game."""
    if is_chess(game):
        return PolyglotKeys(game)
    return GameKeys(game)


class PolyglotKeys:
    """Chess, as Polyglot has it."""

    name = "chess"

    def __init__(self, game: Any) -> None:
        from gametree.games.chess import polyglot

        self._game = game
        self._polyglot = polyglot

    def find(self, state: Any) -> list[int]:
        """The position's key; further ones where a pinned pawn could take in passing but for the pin."""
        return self._polyglot.keys_of(self._game, state)

    def code(self, state: Any, action: Any) -> int:
        """Squares and promotion."""
        return self._polyglot.code_of(action)

    def actions(self, state: Any, code: int) -> list[Any]:
        """The one legal move with this code, if there is one."""
        return [action for action in self._game.actions(state) if self._polyglot.code_of(action) == code]


class GameKeys:
    """Any other game. Raises UnfitGame for games in which a player does not see the whole position."""

    def __init__(self, game: Game[Any, Any]) -> None:
        for fact in ("hidden", "simultaneous"):
            if getattr(game.facts, fact):
                raise UnfitGame(f"{game.name} cannot have a book: its fact {fact} is True.")
        self.name = short_name(game)
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
        return lambda state: int(kernel(game.structs(state)))

    def digest(state: Any) -> int:
        return int.from_bytes(hashlib.blake2b(game.state_text(state).encode(), digest_size=8).digest(), "big")

    return digest
