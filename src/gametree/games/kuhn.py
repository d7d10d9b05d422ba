"""Kuhn poker: three cards, one bet, and already bluffing is right.

Each player pays one chip and is dealt one of J, Q and K. In turn they `pass` or `bet` one more chip. A bet that is
passed loses the pot; otherwise the higher card takes it. Kuhn (1950) solved the game: it is worth −1/18 to the first
player.

    deal ─ pass ─ pass                showdown for 1
         │      └ bet ─ pass          second takes 1
         │            └ bet           showdown for 2
         └ bet ─ pass                 first takes 1
               └ bet                  showdown for 2

With more players (`kuhn:players=3`) there is one card more than players, the lower ranks first, and everybody answers
the first bet in turn (Szafron, Gibson and Sturtevant 2013).

As text a position is the cards and the first letters of the moves: `JQ`, `JQ pb`, or `deal` before the deal. What a
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

ALL_RANKS = "789TJQK"
NAMES = ("first", "second", "third", "fourth", "fifth", "sixth")


class Hand(NamedTuple):
    """The cards, first player's first, empty before the deal; and the moves so far as letters."""

    cards: str
    moves: str


class Kuhn(Game[Hand, str]):
    """The actions are `pass` and `bet`, the outcomes of the deal `JQ`, `JK` and so on. Utilities count chips won."""

    def __init__(self, players: int = 2) -> None:
        if not 2 <= players <= len(NAMES):
            raise BadInput(f"kuhn:players={players} is not possible; expected 2 to {len(NAMES)}.")
        self.ranks = ALL_RANKS[-1 - players :]
        self.deals = tuple("".join(cards) for cards in permutations(self.ranks, players))
        self.facts = Facts(
            players=players,
            chance=True,
            hidden=True,
            min_utility=-2.0,
            max_utility=2.0 * (players - 1),
            most_moves=len(self.deals),
            longest_game=2 * players,
        )

    def initial(self) -> Hand:
        """Before the deal."""
        return Hand("", "")

    def player(self, state: Hand) -> int:
        """Chance deals, then the players take turns."""
        return len(state.moves) % self.facts.players if state.cards else CHANCE

    def actions(self, state: Hand) -> Sequence[str]:
        """All deals, or pass and bet."""
        if not state.cards:
            return self.deals
        return () if self.is_terminal(state) else ("pass", "bet")

    def outcomes(self, state: Hand) -> Sequence[tuple[str, float]]:
        """All deals are equally likely."""
        return [(deal, 1 / len(self.deals)) for deal in self.deals]

    def result(self, state: Hand, action: str) -> Hand:
        """Deal the cards, or write the move down."""
        return Hand(state.cards, state.moves + action[0]) if state.cards else Hand(action, "")

    def is_terminal(self, state: Hand) -> bool:
        """Everybody has passed, or has answered the first bet."""
        return len(state.moves) == self.facts.players + max(0, state.moves.find("b"))

    def _stayed(self, state: Hand) -> list[int]:
        """The seats that show their cards at the end: all if nobody has bet, else those who bet."""
        seats = range(self.facts.players)
        if "b" not in state.moves:
            return list(seats)
        return [seat for seat in seats if "b" in state.moves[seat :: self.facts.players]]

    def utility(self, state: Hand, player: int) -> int:
        """The chips that the seat wins or loses."""
        stayed = self._stayed(state)
        winner = max(stayed, key=lambda seat: self.ranks.index(state.cards[seat]))
        bets = state.moves.count("b")
        if player == winner:
            return self.facts.players - 1 + bets - (1 if bets else 0)
        return -1 - ("b" in state.moves[player :: self.facts.players])

    def view(self, state: Hand, player: int) -> Hand:
        """Its own card and all moves, `?` for a card that it does not see; a showdown shows the cards of who stayed."""
        shown = {player}
        if state.cards and self.is_terminal(state) and len(stayed := self._stayed(state)) > 1:
            shown |= set(stayed)
        cards = (card if seat in shown else "?" for seat, card in enumerate(state.cards))
        return Hand("".join(cards), state.moves)

    def observation(self, state: Hand, player: int) -> str:
        """The view as text."""
        return self.state_text(self.view(state, player))

    def hear(self, state: Hand, action: str, after: Hand, player: int) -> str:
        """Bets and passes are heard by all, and the cards of a showdown; of the deal a seat hears its own card."""
        seen = self.view(after, player).cards
        if not state.cards:
            return seen
        return f"{action} {seen}" if self.is_terminal(after) else action

    def hear_text(self, state: Hand, action: str, after: Hand, player: int) -> str:
        """The move, or the cards that the seat sees."""
        return action if state.cards else self.view(after, player).cards

    def resample(self, view: Hand, player: int, rng: random.Random) -> Hand:
        """Deal the others cards that the seat does not see, all with the same probability.

        That is what the deal alone says; what the others' moves give away depends on how they play.
        """
        left = [card for card in self.ranks if card not in view.cards]
        rng.shuffle(left)
        return Hand("".join(left.pop() if card == "?" else card for card in view.cards), view.moves)

    def state_text(self, state: Hand) -> str:
        """The cards, a space and the moves so far, such as `JQ pb`."""
        return f"{state.cards} {state.moves}".strip() or "deal"

    def state_from_text(self, text: str) -> Hand:
        """Read `deal`, `JQ` or `JQ pb`. Raises BadInput."""
        cards, _, moves = text.strip().partition(" ")
        cards, moves = cards.upper(), moves.strip().lower()
        if cards == "DEAL" and not moves:
            return self.initial()
        if cards not in self.deals:
            ranks = f"{', '.join(self.ranks[:-1])} and {self.ranks[-1]}"
            count = ("two", "three", "four", "five", "six")[self.facts.players - 2]
            raise BadInput(
                f"'{text}' is not a position of Kuhn poker; expected {count} of {ranks}, and moves, as in "
                f"{self.deals[0]} pb."
            )
        state = Hand(cards, "")
        for letter in moves:
            if letter not in "pb" or self.is_terminal(state):
                raise BadInput(f"'{moves}' in '{text}' are not moves of Kuhn poker; expected p and b until the end.")
            state = Hand(cards, state.moves + letter)
        return state

    def draw(self, state: Hand) -> Drawing:
        """All hands, and who has paid what."""
        seats = range(self.facts.players)
        paid = " + ".join(str(1 + state.moves[seat :: self.facts.players].count("b")) for seat in seats)
        hands = tuple((NAMES[seat], tuple(state.cards[seat : seat + 1])) for seat in seats)
        return Drawing(
            layout="cards", hands=hands, caption=f"moves {state.moves or 'none'}, pot {paid}", surface="felt"
        )


game = Kuhn
