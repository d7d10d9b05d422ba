"""Leduc poker: six cards, two rounds of bets and one card for all, the usual test bed of poker research.

The pack is J, Q and K of spades and of hearts. Both players pay one chip and get a card; there is a round of bets, a
card is turned up for both, and there is a second round. A raise is 2 chips in the first round and 4 in the second, at
most two in each. Whoever pairs the open card wins, otherwise the higher card; equal ranks share the pot. Utilities
count chips won (Southey et al. 2005).

Moves are `fold` (only against a raise), `call` (or check) and `raise`. As text a position is both cards and the first
letters of the moves, then the open card and the moves after it: `JS KH crc QS r`; `JS KH crc` waits for the card, and
`deal` is before the deal. What a player does not see is `??`.
"""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from itertools import permutations
from typing import NamedTuple

from gametree.core.drawing import Drawing, Item, Place, Rack, Track
from gametree.core.errors import BadInput
from gametree.core.facts import Facts
from gametree.core.game import CHANCE, Game

__all__ = ["Hand", "Leduc", "game"]

PACK = ("JS", "JH", "QS", "QH", "KS", "KH")
RANKS = "JQK"
RAISES = (2, 4)
MOST_RAISES = 2
MOVES = {"f": "fold", "c": "call", "r": "raise"}
BLANK = "??"
TEXT = re.compile(r"(\S\S) (\S\S)(?: ([fcr]+))?(?: (\S\S)(?: ([fcr]+))?)?")


class Hand(NamedTuple):
    """Both cards, () before the deal; the open card or ""; and the moves of both rounds as letters."""

    cards: tuple[str, ...]
    board: str
    moves: tuple[str, str]


class Leduc(Game[Hand, str]):
    """The outcomes of the deal are `JS-KH` and so on, those of the second one cards."""

    facts = Facts(
        chance=True, hidden=True, min_utility=-13.0, max_utility=13.0, most_moves=30, longest_game=2 + 2 * (2 + 2)
    )
    seat_names = ("player 1", "player 2")

    def initial(self) -> Hand:
        """Before the deal."""
        return Hand((), "", ("", ""))

    def player(self, state: Hand) -> int:
        """Chance deals, then the players take turns, the first one first in both rounds."""
        if not state.cards or (_is_over(state.moves[0]) and not state.board):
            return CHANCE
        return len(state.moves[bool(state.board)]) % 2

    def actions(self, state: Hand) -> Sequence[str]:
        """The cards that may come, or fold, call and raise as far as they are allowed."""
        if self.is_terminal(state):
            return ()
        if self.player(state) == CHANCE:
            return [outcome for outcome, _ in self.outcomes(state)]
        moves = state.moves[bool(state.board)]
        fold = ["fold"] if moves.endswith("r") else []
        return [*fold, "call", *(["raise"] if moves.count("r") < MOST_RAISES else [])]

    def outcomes(self, state: Hand) -> Sequence[tuple[str, float]]:
        """Every deal, every card that is left, is equally likely."""
        if not state.cards:
            return [("-".join(cards), 1 / 30) for cards in permutations(PACK, 2)]
        left = [card for card in PACK if card not in state.cards]
        return [(card, 1 / len(left)) for card in left]

    def result(self, state: Hand, action: str) -> Hand:
        """Deal, turn up the card, or write the move down."""
        if not state.cards:
            return state._replace(cards=tuple(action.split("-")))
        if self.player(state) == CHANCE:
            return state._replace(board=action)
        first, second = state.moves
        if state.board:
            return state._replace(moves=(first, second + action[0]))
        return state._replace(moves=(first + action[0], second))

    def is_terminal(self, state: Hand) -> bool:
        """Somebody has folded, or the second round is over."""
        return "f" in state.moves[0] + state.moves[1] or _is_over(state.moves[1])

    def paid(self, state: Hand) -> tuple[int, int]:
        """What both have put into the pot."""
        paid = [1, 1]
        for moves, size in zip(state.moves, RAISES, strict=True):
            for place, letter in enumerate(moves):
                if letter != "f":
                    paid[place % 2] = max(paid) + (size if letter == "r" else 0)
        return paid[0], paid[1]

    def utility(self, state: Hand, player: int) -> float:
        """The chips that the seat wins or loses."""
        paid = self.paid(state)
        last = state.moves[bool(state.board)]
        if last.endswith("f"):
            folded = (len(last) - 1) % 2
            return -paid[player] if folded == player else paid[1 - player]
        mine, yours = (_strength(state.cards[seat], state.board) for seat in (player, 1 - player))
        return 0 if mine == yours else paid[1 - player] if mine > yours else -paid[player]

    def view(self, state: Hand, player: int) -> Hand:
        """Its own card; both at a show-down."""
        shown = self.is_terminal(state) and not state.moves[bool(state.board)].endswith("f")
        cards = (card if shown or seat == player else BLANK for seat, card in enumerate(state.cards))
        return state._replace(cards=tuple(cards))

    def hear(self, state: Hand, action: str, after: Hand, player: int) -> str:
        """Moves and the open card are heard by all, of the deal a seat hears its own card; then the show-down."""
        cards = " ".join(self.view(after, player).cards)
        if not state.cards:
            return cards
        return f"{action} {cards}" if self.is_terminal(after) else action

    def hear_text(self, state: Hand, action: str, after: Hand, player: int) -> str:
        """The move, or the cards that the seat sees."""
        return action if state.cards else " ".join(self.view(after, player).cards)

    def resample(self, view: Hand, player: int, rng: random.Random) -> Hand:
        """Deal the others a card that the seat does not see; what their moves give away is not looked at."""
        left = [card for card in PACK if card not in view.cards and card != view.board]
        rng.shuffle(left)
        return view._replace(cards=tuple(left.pop() if card == BLANK else card for card in view.cards))

    def state_text(self, state: Hand) -> str:
        """Cards and moves, such as `JS KH crc QS r`."""
        parts = (*state.cards, state.moves[0], state.board, state.moves[1])
        return " ".join(part for part in parts if part) or "deal"

    def state_from_text(self, text: str) -> Hand:
        """Read what `state_text` writes. Raises BadInput."""
        words = " ".join(text.split())
        if words.lower() == "deal":
            return self.initial()
        found = TEXT.fullmatch(" ".join(word.upper() if word.upper() in PACK else word for word in words.split()))
        cards = [card for card in (found[1], found[2], found[4]) if card] if found else []
        if not found or set(cards) - set(PACK) or len(set(cards)) != len(cards):
            raise BadInput(
                f"'{text}' is not a position of Leduc poker; expected two cards of {', '.join(PACK)}, moves, the open "
                "card and moves, as in JS KH crc QS r."
            )
        state = Hand((found[1], found[2]), "", ("", ""))
        for letters, board in ((found[3] or "", found[4] or ""), (found[5] or "", "")):
            for letter in letters:
                if self.is_terminal(state) or self.player(state) == CHANCE or MOVES[letter] not in self.actions(state):
                    raise BadInput(
                        f"'{letter}' in '{text}' is not a legal move there; expected c, f (against a raise) or r (at "
                        "most twice) until the round ends."
                    )
                state = self.result(state, MOVES[letter])
            if board:
                if self.is_terminal(state) or self.player(state) != CHANCE:
                    raise BadInput(f"'{text}' turns up {board} before the first round is over; expected more moves.")
                state = self.result(state, board)
        return state

    def draw(self, state: Hand) -> Drawing:
        """Both hands, the open card and the pot."""
        paid = self.paid(state)
        racks = tuple(
            Rack(name, (_card(f"hand {seat}", card),) if card else (), y=2.2 * seat, width=1.0, height=1.4, player=seat)
            for seat, (name, card) in enumerate(zip(self.seat_names, state.cards or ("", ""), strict=True))
        )
        board = Place("board", 3.2, 1.8, "slot", 1.0, 1.4, label="open card")
        tracks = tuple(
            Track(f"{name} has paid", paid[seat], 13, player=seat, x=4.6, y=0.6 + 1.4 * seat)
            for seat, name in enumerate(self.seat_names)
        )
        moves = " / ".join(filter(None, state.moves)) or "none"
        return Drawing(
            layout="places",
            places=(board,),
            items=(_card("board", state.board),) if state.board else (),
            racks=racks,
            tracks=tracks,
            surface="felt",
            caption=f"moves {moves}, pot {sum(paid)}",
        )


def _card(place: str, text: str) -> Item:
    return Item(place, "card", "" if text == BLANK else text, face_up=text != BLANK)


def _is_over(moves: str) -> bool:
    """Whether a round is over: a raise was answered by a call or a fold, or both have checked."""
    return moves.endswith(("rc", "f", "cc"))


def _strength(card: str, board: str) -> int:
    return 3 if card[0] == board[0] else RANKS.index(card[0])


game = Leduc
