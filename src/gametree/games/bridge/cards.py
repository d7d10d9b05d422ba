"""Cards, hands and calls as text: `SQ` the queen of spades, `QJ6.K652.J85.T98` a hand, `3NT` and `X` calls."""

from __future__ import annotations

from collections.abc import Sequence

from gametree.core.errors import BadInput

__all__ = [
    "CALLS", "RANKS", "SEATS", "SEAT_NAMES", "STRAINS", "SUITS", "call_text", "card_text", "cards_of", "deal_text",
    "hand_text", "read_call", "read_card", "read_deal", "read_hand",
]  # fmt: skip

SEATS = "NESW"
SEAT_NAMES = ("North", "East", "South", "West")
SUITS = "SHDC"
STRAINS = "SHDCN"
RANKS = "23456789TJQKA"
CALLS = ("P", "X", "XX", *(f"{level}{strain}" for level in range(1, 8) for strain in ("C", "D", "H", "S", "NT")))
"""Calls by number."""
_CALL_NUMBERS = {
    **{text: number for number, text in enumerate(CALLS)},
    **{text[:2]: number for number, text in enumerate(CALLS) if text.endswith("NT")},
    "PASS": 0, "-": 0, "--": 0, "D": 1, "DBL": 1, "DOUBLE": 1, "R": 2, "RDBL": 2, "REDOUBLE": 2,
}  # fmt: skip


def call_text(number: int) -> str:
    """A call as it is written."""
    return CALLS[number]


def read_call(text: str) -> int:
    """The number of a call. Raises BadInput."""
    number = _CALL_NUMBERS.get(text.strip().upper())
    if number is None:
        raise BadInput(f"'{text}' is no call; expected P, X, XX or a bid from 1C to 7NT.")
    return number


def card_text(card: int) -> str:
    """A card, suit first."""
    return SUITS[card >> 4] + RANKS[card & 15]


def read_card(text: str) -> int:
    """The number of a card, whose suit may stand first or last. Raises BadInput."""
    name = text.strip().upper().replace("10", "T")
    if len(name) == 2:
        for suit, rank in ((name[0], name[1]), (name[1], name[0])):
            if suit in SUITS and rank in RANKS:
                return SUITS.index(suit) * 16 + RANKS.index(rank)
    raise BadInput(f"'{text}' is no card; expected a suit and a rank, such as SQ or H4.")


def cards_of(hand: int) -> list[int]:
    """The cards of a hand, spades first and the best first in each suit."""
    return [card for suit in range(4) for card in range(suit * 16 + 12, suit * 16 - 1, -1) if hand >> card & 1]


def hand_text(hand: int) -> str:
    """A hand as PBN writes it."""
    texts = [card_text(card) for card in cards_of(hand)]
    return ".".join("".join(text[1] for text in texts if text[0] == suit) for suit in SUITS)


def deal_text(hands: Sequence[int | None], first: int = 0) -> str:
    """Four hands as PBN writes them; `-` for one that is not known."""
    words = ["-" if hands[(first + i) % 4] is None else hand_text(hands[(first + i) % 4] or 0) for i in range(4)]
    return f"{SEATS[first]}:{' '.join(words)}"


def read_hand(text: str, whose: str = "The hand") -> int:
    """The cards of a hand. Raises BadInput, which names whose hand it is."""
    suits = text.upper().replace("10", "T").split(".")
    if len(suits) != 4:
        raise BadInput(f"{whose} '{text}' has {_number(len(suits), 'suit')}; expected four, with points between them.")
    hand = 0
    for place, ranks in enumerate(suits):
        for rank in ranks:
            if rank not in RANKS:
                raise BadInput(f"{whose} '{text}' has a card '{rank}'; expected ranks such as A, K, T and 2.")
            bit = 1 << (16 * place + RANKS.index(rank))
            if hand & bit:
                raise BadInput(f"{whose} '{text}' has {SUITS[place]}{rank} twice; expected each card once.")
            hand |= bit
    return hand


def read_deal(text: str) -> list[int | None]:
    """The hands of N E S W; None for those that are not known. Raises BadInput: each card may be there once only."""
    start, colon, rest = text.strip().partition(":")
    words = rest.split()
    if not colon or len(start) != 1 or start.upper() not in SEATS or len(words) != 4:
        found = f"found {len(words)} hands" if colon and len(words) != 4 else "found no seat and colon"
        raise BadInput(
            f"'{text.strip()}' is no deal: {found}; expected a seat, a colon and four hands, such as N:… … … …."
        )
    first = SEATS.index(start.upper())
    hands: list[int | None] = [None] * 4
    for place, word in enumerate(words):
        seat = (first + place) % 4
        hands[seat] = None if word in ("-", "?") else read_hand(word, f"{SEAT_NAMES[seat]}'s hand")
    _refuse_twins(hands)
    return hands


def _refuse_twins(hands: Sequence[int | None]) -> None:
    seen = 0
    for seat, hand in enumerate(hands):
        twice = seen & (hand or 0)
        if twice:
            other = next(i for i in range(seat) if (hands[i] or 0) & twice)
            card = card_text(cards_of(twice)[0])
            raise BadInput(f"{SEAT_NAMES[other]} and {SEAT_NAMES[seat]} both have {card}; expected each card once.")
        seen |= hand or 0


def _number(count: int, thing: str) -> str:
    return f"{count} {thing}" if count == 1 else f"{count} {thing}s"
