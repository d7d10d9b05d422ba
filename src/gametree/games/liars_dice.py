"""Liar's dice: each player throws a die in secret; they bid in turn how many dice show a face, until one is doubted.

A bid is a number of dice and a face, such as `1-4`: among all dice at least one shows a four. Every bid must be higher
than the one before, by number first and face next. The highest face is wild: it counts as any other. `liar` doubts the
last bid: all dice are shown, and whoever was wrong loses 1.

With six faces the first player loses 7/258 a game. As text a position is both dice and the bids so far, `34 1-2 1-5`; a
die that a player does not see is `?`, and `throw` is before the throw.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from itertools import product
from typing import NamedTuple

from gametree.core.drawing import Drawing, Item, Rack
from gametree.core.errors import BadInput
from gametree.core.facts import Facts
from gametree.core.game import CHANCE, Game

__all__ = ["LiarsDice", "Table", "game"]


class Table(NamedTuple):
    """Both dice as text, "" before the throw, and the bids and doubts so far."""

    dice: str
    bids: tuple[str, ...]


class LiarsDice(Game[Table, str]):
    """Two players with a die each, of `faces` faces."""

    seat_names = ("player 1", "player 2")

    def __init__(self, faces: int = 6) -> None:
        if not 2 <= faces <= 9:
            raise BadInput(f"liars-dice:faces={faces} is not possible; expected 2 to 9.")
        self.faces = "123456789"[:faces]
        self.throws = tuple("".join(dice) for dice in product(self.faces, repeat=2))
        self.bids = tuple(f"{count}-{face}" for count in (1, 2) for face in self.faces)
        self.facts = Facts(
            chance=True, hidden=True, most_moves=max(len(self.throws), 2 * faces), longest_game=2 + len(self.bids)
        )

    def initial(self) -> Table:
        """Before the throw."""
        return Table("", ())

    def player(self, state: Table) -> int:
        """Chance throws, then the players take turns."""
        return len(state.bids) % 2 if state.dice else CHANCE

    def actions(self, state: Table) -> Sequence[str]:
        """All throws; or every higher bid, and `liar` once there is one."""
        if not state.dice:
            return self.throws
        if self.is_terminal(state):
            return ()
        if not state.bids:
            return self.bids
        return (*self.bids[self.bids.index(state.bids[-1]) + 1 :], "liar")

    def outcomes(self, state: Table) -> Sequence[tuple[str, float]]:
        """All throws are equally likely."""
        return [(throw, 1 / len(self.throws)) for throw in self.throws]

    def result(self, state: Table, action: str) -> Table:
        """Throw, bid or doubt."""
        return state._replace(bids=(*state.bids, action)) if state.dice else Table(action, ())

    def is_terminal(self, state: Table) -> bool:
        """A bid was doubted."""
        return state.bids[-1:] == ("liar",)

    def utility(self, state: Table, player: int) -> int:
        """1 for whoever was right."""
        count, face = state.bids[-2].split("-")
        true = sum(die in (face, self.faces[-1]) for die in state.dice) >= int(count)
        doubter = (len(state.bids) - 1) % 2
        return 1 if true == (player != doubter) else -1

    def view(self, state: Table, player: int) -> Table:
        """Its own die; both at the end."""
        if not state.dice or self.is_terminal(state):
            return state
        return state._replace(dice="".join(die if seat == player else "?" for seat, die in enumerate(state.dice)))

    def hear(self, state: Table, action: str, after: Table, player: int) -> str:
        """Bids are heard by all; of the throw a seat hears its own die; of a doubt all hear the dice."""
        seen = self.view(after, player).dice
        if not state.dice:
            return seen
        return f"{action} {seen}" if self.is_terminal(after) else action

    def hear_text(self, state: Table, action: str, after: Table, player: int) -> str:
        """The bid, or the dice that the seat sees."""
        return action if state.dice else self.view(after, player).dice

    def resample(self, view: Table, player: int, rng: random.Random) -> Table:
        """Throw the die that the seat does not see; what the bids give away is not looked at."""
        return view._replace(dice="".join(rng.choice(self.faces) if die == "?" else die for die in view.dice))

    def state_text(self, state: Table) -> str:
        """Dice and bids, such as `34 1-2 1-5`."""
        return " ".join((state.dice, *state.bids)) if state.dice else "throw"

    def state_from_text(self, text: str) -> Table:
        """Read what `state_text` writes. Raises BadInput."""
        dice, *bids = text.lower().split() or [""]
        if dice == "throw" and not bids:
            return self.initial()
        if dice not in self.throws:
            raise BadInput(
                f"'{text}' is not a position of liar's dice; expected dice of 1 to {self.faces[-1]} and bids, as in "
                "12 1-2 liar."
            )
        state = Table(dice, ())
        for bid in bids:
            if bid not in self.actions(state):
                raise BadInput(f"'{bid}' in '{text}' is not legal there; expected a higher bid, or liar.")
            state = self.result(state, bid)
        return state

    def draw(self, state: Table) -> Drawing:
        """Both dice under their cups, and the bids."""
        racks = tuple(
            Rack(
                name,
                (Item(f"die {seat}", "die", "" if die == "?" else die, face_up=die != "?"),) if die else (),
                x=2.4 * seat,
                width=1.0,
                player=seat,
            )
            for seat, (name, die) in enumerate(zip(self.seat_names, state.dice or ("", ""), strict=True))
        )
        return Drawing(layout="places", racks=racks, surface="wood", caption=f"bids {' '.join(state.bids) or 'none'}")


game = LiarsDice
