"""Kuhn poker: three cards, one bet, and already bluffing is right.

Each player pays one chip and is dealt one of J, Q and K. In turn they `pass` or `bet` one more chip. A bet that is
passed loses the pot; otherwise the higher card takes it. Kuhn (1950) solved the game: it is worth −1/18 to the first
player.

    deal ─ pass ─ pass                showdown for 1
         │      └ bet ─ pass          second takes 1
         │            └ bet           showdown for 2
         └ bet ─ pass                 first takes 1
               └ bet                  showdown for 2

As text a position is both cards and the first letters of the moves: `JQ`, `JQ pb`, or `deal` before the deal. What a
player does not see is written `?`.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from itertools import permutations
from typing import NamedTuple

from gametree.core.drawing import Drawing
from gametree.core.errors import BadInput
from gametree.core.facts import Facts
from gametree.core.game import CHANCE, Game

__all__ = ["Hand", "Kuhn", "game"]

RANKS = "JQK"
DEALS = tuple(first + second for first, second in permutations(RANKS, 2))
SEATS = ("first", "second")
# Moves so far → who takes the pot and how many chips: None stands for the higher card.
ENDS: dict[str, tuple[int | None, int]] = {
    "pp": (None, 1),
    "pbp": (1, 1),
    "pbb": (None, 2),
    "bp": (0, 1),
    "bb": (None, 2),
}
OPEN = ("", "p", "b", "pb")


class Hand(NamedTuple):
    """The two cards, first player's first, empty before the deal; and the moves so far as letters."""

    cards: str
    moves: str


class Kuhn(Game[Hand, str]):
    """The actions are `pass` and `bet`, the outcomes of the deal `JQ`, `JK` and so on. Utilities count chips won."""

    facts = Facts(chance=True, hidden=True, min_utility=-2.0, max_utility=2.0, most_moves=6, longest_game=4)

    def initial(self) -> Hand:
        """Before the deal."""
        return Hand("", "")

    def player(self, state: Hand) -> int:
        """Chance deals, then the players take turns."""
        return len(state.moves) % 2 if state.cards else CHANCE

    def actions(self, state: Hand) -> Sequence[str]:
        """The six deals, or pass and bet."""
        if not state.cards:
            return DEALS
        return () if state.moves in ENDS else ("pass", "bet")

    def outcomes(self, state: Hand) -> Sequence[tuple[str, float]]:
        """All deals are equally likely."""
        return [(deal, 1 / 6) for deal in DEALS]

    def result(self, state: Hand, action: str) -> Hand:
        """Deal the cards, or write the move down."""
        return Hand(state.cards, state.moves + action[0]) if state.cards else Hand(action, "")

    def is_terminal(self, state: Hand) -> bool:
        """Someone has passed a bet, or both have passed or bet."""
        return state.moves in ENDS

    def utility(self, state: Hand, player: int) -> int:
        """The chips that the seat wins or loses."""
        winner, chips = ENDS[state.moves]
        if winner is None:
            winner = int(RANKS.index(state.cards[1]) > RANKS.index(state.cards[0]))
        return chips if player == winner else -chips

    def observation(self, state: Hand, player: int) -> str:
        """Its own card and all moves; both cards after a showdown."""
        return self.state_text(self._hide(state, player))

    def _hide(self, state: Hand, player: int) -> Hand:
        """The state with `?` for the card that the seat does not see."""
        if not state.cards or (state.moves in ENDS and ENDS[state.moves][0] is None):
            return state
        return Hand(f"?{state.cards[1]}" if player else f"{state.cards[0]}?", state.moves)

    def resample(self, state: Hand, player: int, rng: random.Random) -> Hand:
        """Deal the opponent another card that the seat does not see, each with the same probability.

        That is what the deal alone says; what the opponent's moves give away depends on how the opponent plays.
        """
        if self._hide(state, player) == state:
            return state
        mine = state.cards[player]
        other = rng.choice([card for card in RANKS if card != mine])
        return Hand(other + mine if player else mine + other, state.moves)

    def state_text(self, state: Hand) -> str:
        """The cards, a space and the moves so far, such as `JQ pb`."""
        return f"{state.cards} {state.moves}".strip() or "deal"

    def state_from_text(self, text: str) -> Hand:
        """Read `deal`, `JQ` or `JQ pb`. Raises BadInput."""
        cards, _, moves = text.strip().partition(" ")
        cards, moves = cards.upper(), moves.strip().lower()
        if cards == "DEAL" and not moves:
            return self.initial()
        if cards not in DEALS:
            raise BadInput(
                f"'{text}' is not a position of Kuhn poker; expected two of J, Q and K, and moves, as in JQ pb."
            )
        if moves not in OPEN and moves not in ENDS:
            expected = ", ".join([*OPEN[1:], *ENDS])
            raise BadInput(f"'{moves}' in '{text}' are not moves of Kuhn poker; expected nothing or one of {expected}.")
        return Hand(cards, moves)

    def draw(self, state: Hand) -> Drawing:
        """Both hands, and who has paid what."""
        paid = [1 + state.moves[seat::2].count("b") for seat in (0, 1)]
        hands = tuple((name, tuple(state.cards[seat : seat + 1])) for seat, name in enumerate(SEATS))
        return Drawing(layout="cards", hands=hands, caption=f"moves {state.moves or 'none'}, pot {paid[0]} + {paid[1]}")

    def draw_for(self, state: Hand, player: int) -> Drawing:
        """The same with `?` for the card that the seat does not see."""
        return self.draw(self._hide(state, player))


game = Kuhn
