"""How a bridge table is drawn: the hands as on a compass, a rack for each suit, the trick between them, the auction."""

from __future__ import annotations

from typing import Any

from gametree.core.drawing import Drawing, Item, Label, Place, Rack
from gametree.games.bridge.cards import SEAT_NAMES, SEATS, call_text, card_text, cards_of
from gametree.games.bridge.redealing import cards_left
from gametree.games.bridge.table import AUCTION, CLAIMING, DEAL, OVER, PLAY, RUBBER, claim_of, points_of
from gametree.games.bridge.text import contract_text

__all__ = ["draw"]

_HANDS = ((10.0, 1.2), (16.8, 6.6), (10.0, 12.0), (3.2, 6.6))
"""Where the spades of N E S W lie."""
_STEP = 1.15
_TRICK = ((10.0, 7.1), (11.4, 8.3), (10.0, 9.5), (8.6, 8.3))
_SIGNS = "♠♥♦♣"
_CALLS = {"P": "pass"}
_ROWS = 8
"""Rounds of the auction that are shown, the last ones."""


def draw(s: Any) -> Drawing:
    """The table: what is known of every hand, the running trick, the auction, contract and tricks."""
    racks = [rack for seat in range(4) for rack in _hand(s, seat)] if s.phase != DEAL else []
    places = [
        Place(f"trick {SEATS[seat]}", x, y, "slot", 0.8, 1.1, label=f"{SEAT_NAMES[seat]}'s card")
        for seat, (x, y) in enumerate(_TRICK)
    ]
    items = []
    if s.phase in (PLAY, CLAIMING):
        first = int(s.count) - int(s.count) % 4
        for place in range(int(s.count) % 4):
            seat = (int(s.leader) + place) % 4
            card = card_text(int(s.played[first + place]))
            items.append(Item(f"trick {SEATS[seat]}", "card", card[1] + card[0]))
    labels = [Label(x, y - 0.85, _name(s, seat), 0.32) for seat, (x, y) in enumerate(_HANDS)]
    return Drawing(
        layout="places",
        racks=tuple(racks),
        places=tuple(places),
        items=tuple(items),
        labels=(*labels, *_auction(s)),
        caption=_caption(s),
        surface="felt",
    )


def _name(s: Any, seat: int) -> str:
    """The seat, with what it is: dealer, vulnerable, declarer, dummy."""
    marks = []
    if s.phase != DEAL:
        marks += ["dealer"] if seat == s.dealer else []
        marks += ["vulnerable"] if int(s.vulnerable) >> seat % 2 & 1 else []
        if s.phase in (PLAY, CLAIMING):
            marks += ["declarer"] if seat == s.declarer else ["dummy"] if seat == (int(s.declarer) + 2) % 4 else []
    return f"{SEAT_NAMES[seat]} ({', '.join(marks)})" if marks else SEAT_NAMES[seat]


def _hand(s: Any, seat: int) -> list[Rack]:
    """A rack for each suit, or one of cards that lie face down."""
    x, y = _HANDS[seat]
    left = int(cards_left(s, seat)) if s.phase != OVER else 0
    hand = int(s.hands[seat])
    if left and not hand:
        label = f"{left} cards face down"
        return [Rack("hand", (Item("", "card", face_up=False, count=left, label=label),), x, y, 6.0)]
    racks = []
    for suit, sign in enumerate(_SIGNS):
        cards = [card_text(card) for card in cards_of(hand) if card >> 4 == suit]
        items = tuple(Item(card, "card", card[1] + card[0]) for card in cards)
        racks.append(Rack(sign, items, x, y + _STEP * suit, 6.0))
    return racks


def _auction(s: Any) -> list[Label]:
    """The calls in four columns, West first as is usual."""
    if s.phase == DEAL or (not s.call_count and s.phase != AUCTION):
        return []
    columns = {3: 14.6, 0: 16.2, 1: 17.8, 2: 19.4}
    labels = [Label(x, 0.4, SEATS[seat], 0.3) for seat, x in columns.items()]
    shift = (int(s.dealer) + 1) % 4
    rows = (shift + int(s.call_count) + 3) // 4
    first = max(0, rows - _ROWS)
    for number in range(int(s.call_count)):
        row = (shift + number) // 4 - first
        if row >= 0:
            word = call_text(int(s.calls[number]))
            seat = (int(s.dealer) + number) % 4
            labels.append(Label(columns[seat], 0.95 + 0.5 * row, _CALLS.get(word, word), 0.3))
    return labels


def _caption(s: Any) -> str:
    words = []
    if s.phase == DEAL:
        words.append("before the deal")
    if s.phase == AUCTION:
        words.append("auction")
    if s.level or s.phase == OVER:
        words.append(contract_text(s))
    if s.phase in (PLAY, CLAIMING, OVER) and (s.level or s.phase != OVER):
        words.append(f"tricks N-S {int(s.won[0])}, E-W {int(s.won[1])}")
    if s.phase == CLAIMING:
        words.append(f"{SEAT_NAMES[int(s.declarer)]} claims {(int(claim_of(s)) & 15) - 1} of the tricks that are left")
    if s.form == RUBBER:
        below, games = s.below, s.games
        words.append(
            f"games {int(games[0])}-{int(games[1])}, below {int(below[0])}-{int(below[1])}, "
            f"points {int(s.points[0])}-{int(s.points[1])}"
        )
    elif s.phase == OVER:
        words.append(f"N-S {int(points_of(s)):+d}")
    return ", ".join(words)
