"""Goofspiel: both players bid a card at once for the prize that lies open; the higher bid takes it.

Each player holds the cards 1 to n, and so does the stack of prizes, which are worth their number. After each round
both bids are shown and gone; a prize for which both bid the same is lost. Whoever has more points at the end wins.
Choosing at once, without knowing the other's choice, is all that is hidden: `goofspiel:cards=5,prizes=random` turns
the prizes up by chance, `prizes=up` and `prizes=down` in rising and falling order, without chance.

Cards are written A 2 3 4 5 6 7 8 9 T J Q K. As text a position is both hands, the stack, the open prize and the
points, such as `A34 A23 A4 3 0-2`; `-` stands for nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from gametree.core.drawing import Drawing
from gametree.core.errors import BadInput, suggest
from gametree.core.facts import Facts
from gametree.core.game import CHANCE, SIMULTANEOUS, Game

__all__ = ["Goofspiel", "Round", "game", "worth"]

CARDS = "A23456789TJQK"
ORDERS = ("random", "up", "down")
SEATS = ("first", "second")


class Round(NamedTuple):
    """Both hands and the stack of prizes as cards in rising order, the open prize, and the points of both."""

    hands: tuple[str, str]
    stack: str
    prize: str
    points: tuple[int, int]


def worth(card: str) -> int:
    """The number of a card, from 1 to 13."""
    return CARDS.index(card) + 1


class Goofspiel(Game[Round, Any]):
    """A joint action is a pair of cards, an outcome of chance one card. A win is worth 1, equal points 0."""

    def __init__(self, cards: int = 4, prizes: str = "random") -> None:
        if not 1 <= cards <= len(CARDS):
            raise BadInput(f"goofspiel:cards={cards} is not possible; expected 1 to {len(CARDS)}.")
        if prizes not in ORDERS:
            raise BadInput(
                f"goofspiel:prizes={prizes} is unknown.{suggest(prizes, ORDERS)} Expected one of {', '.join(ORDERS)}."
            )
        self.deck = CARDS[:cards]
        self.order = prizes
        by_chance = prizes == "random"
        self.facts = Facts(
            chance=by_chance, simultaneous=True, most_moves=cards**2, longest_game=2 * cards if by_chance else cards
        )

    def initial(self) -> Round:
        """Full hands; the first prize is open unless chance turns it up."""
        return self._open(Round((self.deck, self.deck), self.deck, "", (0, 0)))

    def _open(self, state: Round) -> Round:
        """Turn up the next prize where the order is fixed."""
        if self.order == "random" or not state.stack:
            return state
        prize = state.stack[0 if self.order == "up" else -1]
        return state._replace(prize=prize, stack=state.stack.replace(prize, ""))

    def player(self, state: Round) -> int:
        """Chance turns up a prize, then both bid at once."""
        return SIMULTANEOUS if state.prize else CHANCE

    def seat_actions(self, state: Round, player: int) -> Sequence[str]:
        """Any card that the seat still holds."""
        return tuple(state.hands[player]) if state.prize else ()

    def actions(self, state: Round) -> Sequence[Any]:
        """The prizes that may come up, or every pair of bids."""
        return super().actions(state) if state.prize else tuple(state.stack)

    def outcomes(self, state: Round) -> Sequence[tuple[str, float]]:
        """Every prize of the stack is equally likely."""
        return [(prize, 1 / len(state.stack)) for prize in state.stack]

    def result(self, state: Round, action: Any) -> Round:
        """Turn the prize up, or give it to the higher bid."""
        if not state.prize:
            return state._replace(prize=action, stack=state.stack.replace(action, ""))
        first, second = action
        points = list(state.points)
        if first != second:
            points[worth(second) > worth(first)] += worth(state.prize)
        hands = (state.hands[0].replace(first, ""), state.hands[1].replace(second, ""))
        return self._open(Round(hands, state.stack, "", (points[0], points[1])))

    def is_terminal(self, state: Round) -> bool:
        """All cards are played."""
        return not state.hands[0]

    def utility(self, state: Round, player: int) -> int:
        """1 for more points than the opponent, −1 for fewer, 0 for as many."""
        mine, yours = state.points[player], state.points[1 - player]
        return (mine > yours) - (mine < yours)

    def evaluate(self, state: Round, player: int) -> float:
        """The lead over all points there are."""
        return (state.points[player] - state.points[1 - player]) / sum(map(worth, self.deck))

    def action_text(self, state: Round, action: Any) -> str:
        """A prize such as `3`, or both bids such as `A-4`, the first player's first."""
        return "-".join(action)

    def state_text(self, state: Round) -> str:
        """Hands, stack, open prize and points, such as `A34 A23 A4 3 0-2`."""
        parts = [part or "-" for part in (*state.hands, state.stack, state.prize)]
        return f"{' '.join(parts)} {state.points[0]}-{state.points[1]}"

    def state_from_text(self, text: str) -> Round:
        """Read what `state_text` writes. Raises BadInput."""
        words = text.upper().split()
        if len(words) != 5:
            raise BadInput(
                f"'{text}' is not a position of goofspiel; expected two hands, stack, prize and points, "
                "as in A34 A23 A4 3 0-2."
            )
        first, second, stack, prize = ("" if word == "-" else word for word in words[:4])
        for cards in (first, second, stack + prize):
            if set(cards) - set(self.deck) or len(set(cards)) != len(cards) or len(cards) != len(first):
                raise BadInput(
                    f"'{text}' does not fit: expected equally many cards of {self.deck} in both hands and as prizes, "
                    "each once."
                )
        numbers = words[4].split("-")
        if len(numbers) != 2 or not all(number.isascii() and number.isdigit() for number in numbers):
            raise BadInput(f"'{words[4]}' in '{text}' are not points; expected two numbers such as 0-2.")
        in_order = ["".join(sorted(cards, key=worth)) for cards in (first, second, stack)]
        state = Round((in_order[0], in_order[1]), in_order[2], prize, (int(numbers[0]), int(numbers[1])))
        if len(prize) > 1 or (self.order != "random" and state != self._open(self._close(state))):
            raise BadInput(f"'{text}' has the wrong open prize '{prize or '-'}' for prizes={self.order}.")
        if state.points not in self._possible_points(state):
            raise BadInput(f"'{text}' cannot come about: no share of the prizes played gives {words[4]}.")
        return state

    def _close(self, state: Round) -> Round:
        """Put the open prize back on the stack."""
        return state._replace(prize="", stack="".join(sorted(state.stack + state.prize, key=worth)))

    def _possible_points(self, state: Round) -> set[tuple[int, int]]:
        """All ways to share out the prizes that are gone: to the first, to the second, or lost."""
        shares = {(0, 0)}
        for card in set(self.deck) - set(state.stack + state.prize):
            shares |= {(a + worth(card), b) for a, b in shares} | {(a, b + worth(card)) for a, b in shares}
        return shares

    def draw(self, state: Round) -> Drawing:
        """Both hands, the open prize and the stack."""
        hands = [
            (f"{name}, {points} points", tuple(hand))
            for name, points, hand in zip(SEATS, state.points, state.hands, strict=True)
        ]
        table = (*hands, ("prize", tuple(state.prize)), ("stack", tuple(state.stack)))
        return Drawing(layout="cards", hands=table, surface="felt")


game = Goofspiel
