"""Nim: take as many as you like from one pile; whoever takes the last one wins (or loses, in the misère form).

`nim:1-5-4-2` sets up four piles, `nim:piles=3-4-5,misere=true` plays for the loss. The piles are called a, b, c and so
on; the move `b3` takes three from the second. As text a position is the piles and who is to move: `1-2-4-2 second`.

Bouton (1901) solved the game: the mover wins exactly if the XOR of the pile sizes, the nim-sum, is not 0. `evaluate`
knows that theorem, so a search is right at any depth; the rules themselves do not use it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import reduce
from itertools import permutations
from operator import xor
from typing import NamedTuple

from gametree.core.drawing import Drawing, Piece
from gametree.core.errors import BadInput
from gametree.core.facts import Facts
from gametree.core.game import Game

__all__ = ["Nim", "Piles", "Take", "game", "mover_wins", "nim_sum"]

NAMES = "abcdefgh"
LARGEST_PILE = 999
WIDEST_BOARD = 12
SEATS = ("first", "second")


class Piles(NamedTuple):
    """What lies on the table, and the seat to move. Empty piles keep their place, so that names stay the same."""

    sizes: tuple[int, ...]
    seat: int


class Take(NamedTuple):
    """Take `number` from the pile with index `pile`."""

    pile: int
    number: int


def nim_sum(sizes: Sequence[int]) -> int:
    """The sizes added in binary without carry."""
    return reduce(xor, sizes, 0)


def mover_wins(sizes: Sequence[int], *, misere: bool = False) -> bool:
    """Bouton's theorem: whether the player to move can force a win."""
    if misere and max(sizes, default=0) <= 1:  # only single objects are left: their number decides who takes the last
        return sum(sizes) % 2 == 0
    return nim_sum(sizes) != 0


def _read_sizes(text: str) -> tuple[int, ...]:
    """The sizes in `text`. Raises BadInput."""
    parts = re.split(r"[-,\s]+", text.strip())
    if not all(re.fullmatch(r"[0-9]{1,3}", part) for part in parts) or len(parts) > len(NAMES):
        raise BadInput(
            f"'{text}' does not name piles; expected 1 to {len(NAMES)} sizes up to {LARGEST_PILE}, such as 1-5-4-2."
        )
    return tuple(int(part) for part in parts)


class Nim(Game[Piles, Take]):
    """Two players take turns; winning is worth 1, losing −1."""

    def __init__(self, piles: str = "1-5-4-2", misere: bool = False) -> None:
        self.sizes = _read_sizes(piles)
        if not any(self.sizes):
            raise BadInput(f"'{piles}' leaves nothing to take; expected at least one pile that is not empty.")
        self.misere = misere
        self.facts = Facts(most_moves=sum(self.sizes), longest_game=sum(self.sizes))

    def initial(self) -> Piles:
        """The full piles, the first player to move."""
        return Piles(self.sizes, 0)

    def player(self, state: Piles) -> int:
        """The two take turns."""
        return state.seat

    def actions(self, state: Piles) -> Sequence[Take]:
        """Any number from any one pile."""
        return [Take(pile, number) for pile, size in enumerate(state.sizes) for number in range(1, size + 1)]

    def result(self, state: Piles, action: Take) -> Piles:
        """The pile is smaller and the other player is to move."""
        pile, number = action
        sizes = state.sizes
        return Piles((*sizes[:pile], sizes[pile] - number, *sizes[pile + 1 :]), 1 - state.seat)

    def is_terminal(self, state: Piles) -> bool:
        """Nothing is left."""
        return not any(state.sizes)

    def utility(self, state: Piles, player: int) -> int:
        """1 for the player who took the last one, −1 for the other; the reverse in the misère form."""
        took_last = player != state.seat
        return 1 if took_last != self.misere else -1

    def evaluate(self, state: Piles, player: int) -> int:
        """Exact, by Bouton's theorem."""
        return 1 if mover_wins(state.sizes, misere=self.misere) == (player == state.seat) else -1

    def symmetries(self, state: Piles) -> Sequence[Piles]:
        """The piles in every order."""
        return [Piles(sizes, state.seat) for sizes in sorted(set(permutations(state.sizes)))]

    def canonical(self, state: Piles) -> Piles:
        """The piles in rising order, found without listing all orders."""
        return Piles(tuple(sorted(state.sizes)), state.seat)

    def action_text(self, state: Piles, action: Take) -> str:
        """The pile's letter and the number taken, such as b3."""
        return f"{NAMES[action.pile]}{action.number}"

    def state_text(self, state: Piles) -> str:
        """The sizes and who is to move, such as `1-5-4-2 first`."""
        return f"{'-'.join(map(str, state.sizes))} {SEATS[state.seat]}"

    def state_from_text(self, text: str) -> Piles:
        """Read sizes and, behind them, `first` (as when left out) or `second`. Raises BadInput.

        The piles must be within those of the start, in any order, because the facts hold for no larger game.
        """
        words = text.strip().lower().rsplit(maxsplit=1)
        seat = SEATS.index(words.pop()) if words and words[-1] in SEATS else 0
        sizes = _read_sizes(" ".join(words))
        start = "-".join(map(str, self.sizes))
        if len(sizes) != len(self.sizes) or any(
            size > most for size, most in zip(sorted(sizes), sorted(self.sizes), strict=True)
        ):
            raise BadInput(
                f"'{text}' does not come about from the piles {start}; larger games are set up as nim:SIZES, "
                "such as nim:3-4-5."
            )
        return Piles(sizes, seat)

    def draw(self, state: Piles) -> Drawing:
        """One row per pile. A click on an object takes it and all that lie to its right.

        Piles that are too long for a board are drawn as text.
        """
        columns = max(self.sizes)
        caption = f"{SEATS[state.seat]} player to move"
        if columns > WIDEST_BOARD:
            lines = [f"{name} {size:>3} {'o' * size}".rstrip() for name, size in zip(NAMES, state.sizes, strict=False)]
            return Drawing(layout="text", text="\n".join(lines), caption=caption)
        pieces = [Piece(pile, column, "o") for pile, size in enumerate(state.sizes) for column in range(size)]
        cells = [
            f"{NAMES[pile]}{size - column}" if column < size else ""
            for pile, size in enumerate(state.sizes)
            for column in range(columns)
        ]
        return Drawing(
            layout="square",
            rows=len(state.sizes),
            columns=columns,
            pieces=tuple(pieces),
            cells=tuple(cells),
            stones="match",
            caption=f"piles {', '.join(NAMES[: len(state.sizes)])} from the top; {caption}",
        )


game = Nim
