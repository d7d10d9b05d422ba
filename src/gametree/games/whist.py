"""Whist for four with a short pack: partners sit opposite, the highest card takes the trick, most tricks win.

Seats 0 and 2 play against 1 and 3. Everybody is dealt `cards` cards of a pack of four suits; each suit has as many
ranks as everybody has cards, the ace the highest. Seat 0 leads, players follow suit if they can, and the highest card
of the suit led takes the trick, unless somebody trumps it (`whist:trumps=S`; by default there are none). Who takes a
trick leads to the next. Utility is the tricks of one's own side minus those of the other.

A card is its rank and suit: `AS`, `KH`. As text a position is the hands that are left, seat by seat, suits in the order
S, H, D, C with points between them, and the cards played so far: `A.AQ.. ...AKQ K..J.J Q.KJ..; KD JS AD QD`. What a
seat does not know is `?`, once for every card; before the deal it is `deal`. The deal has too many outcomes for a list;
a number shuffles the pack.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from gametree.core.drawing import Drawing, Item, Place, Rack
from gametree.core.errors import BadInput
from gametree.core.facts import Facts
from gametree.kernels import ONE, UNLISTED, ZERO, CompiledGame, ctz, mix_in, more_bits, popcount, struct, u64

__all__ = ["Whist", "game"]

# The cards that every seat still holds, one bit each, suit × SUIT_BITS + rank; 0 for all if a seat does not know them.
# The cards played in order, who leads to the trick, tricks of either side, and the suits a seat has shown to be out of.
State = struct(hands=("u8", 4), played=("u1", 52), count="u1", leader="u1", dealt="u1", won=("u1", 2), void=("u1", 4))

CARDS = 4  # of every seat, and ranks of every suit
PACK = 16
TRUMPS = -1
SUIT_BITS = 13
SUIT = u64(0x1FFF)


def card_at(number: Any) -> Any:
    """The bit of card `number` of the pack."""
    return number // CARDS * SUIT_BITS + number % CARDS


def suit_of(card: Any) -> Any:
    """The suit of a card, 0 to 3."""
    return card // SUIT_BITS


# Rules ----------------------------------------------------------------------------------------------------------------


def initial(s: Any) -> None:
    """Before the deal, which a zeroed struct already is."""


def player(s: Any) -> Any:
    """Chance deals; then the players go round from the leader of the trick."""
    return (s.leader + s.count % 4) % 4 if s.dealt != 0 else -1


def outcomes(s: Any, out: Any, odds: Any) -> Any:
    """The deals are too many for a list."""
    return UNLISTED if s.dealt == 0 else 0


def legal_moves(s: Any, out: Any) -> Any:
    """A card of the suit led, or any if there is none."""
    if s.dealt == 0:
        return 0
    hand = s.hands[(s.leader + s.count % 4) % 4]
    if s.count % 4 != 0:
        same = hand & (SUIT << u64(suit_of(s.played[s.count - s.count % 4]) * SUIT_BITS))
        if same != ZERO:
            hand = same
    n = 0
    while hand != ZERO:
        out[n] = ctz(hand)
        hand &= hand - ONE
        n += 1
    return n


def play(s: Any, m: Any) -> None:
    """Deal the pack that the number shuffles, or play a card and, after four, give the trick to its winner."""
    if s.dealt == 0:
        deal(s, m)
        return
    seat = (s.leader + s.count % 4) % 4
    s.hands[seat] &= ~(ONE << u64(m))
    s.played[s.count] = m
    lead = s.played[s.count - s.count % 4]
    if suit_of(m) != suit_of(lead):
        s.void[seat] |= 1 << suit_of(lead)
    s.count += 1
    if s.count % 4 == 0:
        winner = taker(s)
        s.won[winner % 2] += 1
        s.leader = winner


def deal(s: Any, number: Any) -> None:
    """Give every card of the pack to a seat that has room, all ways being equally likely."""
    left = PACK
    for seat in range(4):
        s.hands[seat] = ZERO
    for i in range(PACK):
        # Of the places that are left, so many belong to each seat.
        place = np.int64((more_bits(number, i) >> u64(32)) * u64(left) >> u64(32))
        for seat in range(4):
            room = CARDS - popcount(s.hands[seat])
            if place < room:
                s.hands[seat] |= ONE << u64(card_at(i))
                break
            place -= room
        left -= 1
    s.dealt = 1


def taker(s: Any) -> Any:
    """Who takes the trick that has just ended."""
    first = np.int64(s.count) - 4
    best = 0
    for i in range(1, 4):
        card, champion = s.played[first + i], s.played[first + best]
        if suit_of(card) == suit_of(champion):
            if card > champion:
                best = i
        elif suit_of(card) == TRUMPS:
            best = i
    return (s.leader + best) % 4


def utility(s: Any) -> Any:
    """The tricks of the side that would move, minus those of the other."""
    mine = np.int64(s.won[s.leader % 2])
    return mine - np.int64(s.won[(s.leader + 1) % 2])


# Who knows what -------------------------------------------------------------------------------------------------------


def hide(s: Any, seat: Any) -> None:
    """All hands but one's own are blank."""
    for other in range(4):
        if other != seat:
            s.hands[other] = ZERO


def hand_size(s: Any, seat: Any) -> Any:
    """How many cards a seat still holds: it has played one in every trick, perhaps in this one already."""
    played = np.int64(s.count) // 4
    if (seat - np.int64(s.leader)) % 4 < s.count % 4:
        played += 1
    return CARDS - played


def redeal(s: Any, seat: Any, bits: Any) -> None:
    """Deal the cards that are neither played nor seen to the others, all ways that their play allows equally likely.

    Card by card, each goes to a seat in proportion to the number of ways in which the cards behind it can then be
    dealt. The cards of a suit are alike, so a way to deal is how many of each suit a seat gets: `ways` counts them by
    the room that is left, for the cards from each place on.
    """
    if s.dealt == 0:
        return
    unseen = ZERO
    for i in range(PACK):
        unseen |= ONE << u64(card_at(i))
    for i in range(s.count):
        unseen &= ~(ONE << u64(s.played[i]))
    if seat >= 0:
        unseen &= ~s.hands[seat]
    # The seats to deal to, three or (for a spectator) four; `room` has how many cards each still needs.
    room = np.zeros(4, np.int64)
    for other in range(4):
        if other != seat:
            room[other] = hand_size(s, other)
    ways = np.zeros((PACK + 1, CARDS + 1, CARDS + 1, CARDS + 1))
    cards = np.zeros(PACK, np.int64)
    count = 0
    while unseen != ZERO:
        cards[count] = ctz(unseen)
        unseen &= unseen - ONE
        count += 1
    a, b, c, d = others(seat)
    ways[count, 0, 0, 0] = 1.0
    for i in range(count - 1, -1, -1):
        suit = suit_of(cards[i])
        for x in range(room[a] + 1):
            for y in range(room[b] + 1):
                for z in range(room[c] + 1):
                    rest = count - i - x - y - z  # what the fourth seat needs
                    if rest < 0 or rest > room[d]:
                        continue
                    total = 0.0
                    if x > 0 and s.void[a] >> suit & 1 == 0:
                        total += ways[i + 1, x - 1, y, z]
                    if y > 0 and s.void[b] >> suit & 1 == 0:
                        total += ways[i + 1, x, y - 1, z]
                    if z > 0 and s.void[c] >> suit & 1 == 0:
                        total += ways[i + 1, x, y, z - 1]
                    if rest > 0 and s.void[d] >> suit & 1 == 0:
                        total += ways[i + 1, x, y, z]
                    ways[i, x, y, z] = total
    for i in range(count):
        suit = suit_of(cards[i])
        left = np.float64(more_bits(bits, i) >> u64(11)) * 2.0**-53 * ways[i, room[a], room[b], room[c]]
        chosen = -1
        for place in range(4):
            other = a if place == 0 else b if place == 1 else c if place == 2 else d
            if room[other] == 0 or s.void[other] >> suit & 1 != 0:
                continue
            room[other] -= 1
            share = ways[i + 1, room[a], room[b], room[c]]
            room[other] += 1
            if share == 0.0:
                continue
            chosen = other
            left -= share
            if left < 0:
                break
        if chosen >= 0:
            room[chosen] -= 1
            s.hands[chosen] |= ONE << u64(cards[i])


def others(seat: Any) -> Any:
    """The seats that `redeal` deals to; the last is the seat itself, which needs nothing, or the fourth."""
    me = np.int64(3) if seat < 0 else np.int64(seat)
    return (me + 1) % 4, (me + 2) % 4, (me + 3) % 4, me


def heard(s: Any, m: Any, t: Any, seat: Any) -> Any:
    """A card that is played is heard by all; of the deal a seat hears its own hand."""
    if s.dealt == 0:
        return np.int64(t.hands[seat]) + 64 if seat >= 0 else np.int64(64)
    return m + 1


# Knowledge ------------------------------------------------------------------------------------------------------------

UNIT = 8


def evaluate(s: Any) -> Any:
    """Tricks so far, and an eighth of a trick for the side that leads. For the side to move."""
    if s.dealt == 0:
        return 0
    side = (s.leader + s.count % 4) % 2
    value = UNIT * (np.int64(s.won[side]) - np.int64(s.won[1 - side]))
    return value + (1 if s.leader % 2 == side else -1) if s.count < PACK else value


def hash_state(s: Any) -> Any:
    """The hands, the tricks won and the running trick. Earlier tricks do not matter to what can still be won."""
    h = u64(0x243F6A8885A308D3)
    for seat in range(4):
        h = mix_in(h, s.hands[seat])
    h = mix_in(h, u64(s.count) << u64(8) | u64(s.leader) << u64(4) | u64(s.dealt))
    h = mix_in(h, u64(s.won[0]) << u64(8) | u64(s.won[1]))
    for i in range(s.count - s.count % 4, s.count):
        h = mix_in(h, u64(s.played[i]))
    return h


# The formal game ------------------------------------------------------------------------------------------------------

RANKS = "23456789TJQKA"
SUITS = "SHDC"
SEAT_NAMES = ("South", "West", "North", "East")


class Whist(CompiledGame):
    """Short whist. `cards` is how many everybody gets, 2 to 13; `trumps` a suit, or none."""

    seat_names = SEAT_NAMES

    def __init__(self, cards: int = 4, trumps: str = "none") -> None:
        if not 2 <= cards <= 13:
            raise BadInput(f"whist:cards={cards} is not possible; expected 2 to 13.")
        if trumps.upper() not in ("NONE", *SUITS):
            raise BadInput(f"whist:trumps={trumps} is not possible; expected S, H, D, C or none.")
        self.cards = cards
        self.trumps = SUITS.find(trumps.upper())
        self.facts = Facts(
            players=4,
            teams=((0, 2), (1, 3)),
            chance=True,
            unlisted=True,
            hidden=True,
            min_utility=-cards,
            max_utility=cards,
            most_moves=cards,
            longest_game=4 * cards + 1,
        )
        super().__init__(CARDS=cards, PACK=4 * cards, TRUMPS=self.trumps)

    def opened(self, state: Any) -> Any:
        """The same deal with all cards on the table, which is double dummy: no chance once the cards are dealt."""
        twin, same = super().opened(state)
        if self.player(state) >= 0 or self.is_terminal(state):
            twin.facts = replace(twin.facts, chance=False, unlisted=False)
        return twin, same

    def _card(self, card: int) -> str:
        return RANKS[13 - self.cards + card % SUIT_BITS] + SUITS[card // SUIT_BITS]

    def _hand(self, cards: int) -> list[str]:
        """The cards of a hand, best first in every suit."""
        order = [suit * SUIT_BITS + rank for suit in range(4) for rank in range(SUIT_BITS - 1, -1, -1)]
        return [self._card(card) for card in order if cards >> card & 1]

    def action_text(self, state: Any, action: int) -> str:
        """The card, or the number of the deal."""
        return str(action) if self.player(state) < 0 else self._card(action)

    def hear_text(self, state: Any, action: int, after: Any, player: int) -> str:
        """The card, or the hand that was dealt."""
        if self.player(state) >= 0:
            return self._card(action)
        return " ".join(self._hand(int(self.struct(after).hands[player]))) if player >= 0 else "the deal"

    def state_text(self, state: Any) -> str:
        """The hands that are left and the cards played."""
        s = self.struct(state)
        if not s.dealt:
            return "deal"
        hands = []
        for seat in range(4):
            cards = int(s.hands[seat])
            missing = self._size_of(s, seat)
            if not cards and missing:
                hands.append("?" * missing)
                continue
            texts = self._hand(cards)
            hands.append(".".join("".join(text[0] for text in texts if text[1] == suit) for suit in SUITS))
        return f"{' '.join(hands)}; {' '.join(self._card(int(card)) for card in s.played[: s.count])}".strip()

    def _size_of(self, s: Any, seat: int) -> int:
        return self.cards - int(s.count) // 4 - ((seat - int(s.leader)) % 4 < int(s.count) % 4)

    def state_from_text(self, text: str) -> Any:
        """Deal the cards and play those that were played. Raises BadInput."""
        wrong = f"'{text}' is not a position of whist; expected four hands such as AK.Q.A., then ; and the cards played"
        if text.strip().lower() == "deal":
            return self.initial()
        hands, _, played = text.partition(";")
        words = hands.split()
        if len(words) != 4:
            raise BadInput(f"{wrong}, but found {len(words)} hands.")
        masks = [self._read_hand(word, wrong) for word in words]
        line = [self._read_card(word, wrong) for word in played.split()]
        return self._replay(masks, line, words, wrong)

    def _read_card(self, word: str, wrong: str) -> int:
        name = word.strip().upper()
        if len(name) != 2 or name[0] not in RANKS[13 - self.cards :] or name[1] not in SUITS:
            raise BadInput(f"{wrong}; '{word}' is no card of this pack.")
        return SUITS.index(name[1]) * SUIT_BITS + RANKS.index(name[0]) - (13 - self.cards)

    def _read_hand(self, word: str, wrong: str) -> int | None:
        if set(word) == {"?"}:
            return None
        suits = word.upper().split(".")
        if len(suits) != 4:
            raise BadInput(f"{wrong}; '{word}' has {len(suits)} suits.")
        mask = 0
        for suit, ranks in zip(SUITS, suits, strict=True):
            for rank in ranks:
                mask |= 1 << self._read_card(rank + suit, wrong)
        return mask

    def _replay(self, masks: list[int | None], line: list[int], words: list[str], wrong: str) -> Any:
        """The position after the cards of `line`, with hands that hold what is left."""
        structs = np.zeros(1, self.rules.state_type)
        s = structs[0]
        s.dealt = 1
        # Who played which card follows from the rules alone, so the hands are filled up as the play goes.
        seats: list[int] = []
        leader = 0
        for first in range(0, len(line), 4):
            trick = line[first : first + 4]
            seats += [(leader + place) % 4 for place in range(len(trick))]
            if len(trick) == 4:
                best = 0
                for place in range(1, 4):
                    card, champion = trick[place], trick[best]
                    same = card // SUIT_BITS == champion // SUIT_BITS
                    trumps = card // SUIT_BITS == self.trumps
                    if (same and card > champion) or (not same and trumps):
                        best = place
                leader = (leader + best) % 4
        known = [mask for mask in masks if mask is not None]
        everything = known + [1 << card for card in line]
        if sum(everything) != _union(everything) or sum(mask.bit_count() for mask in everything) > 4 * self.cards:
            raise BadInput(f"{wrong}; a card occurs twice.")
        for seat in range(4):
            played = seats.count(seat)
            held = len(words[seat]) if masks[seat] is None else (masks[seat] or 0).bit_count()
            if held + played != self.cards:
                raise BadInput(f"{wrong}; seat {seat} has {held} cards and played {played}, of {self.cards}.")
            s.hands[seat] = (
                0
                if masks[seat] is None
                else (masks[seat] or 0)
                | sum(1 << card for card, mover in zip(line, seats, strict=True) if mover == seat)
            )
        state = self.pack(structs)
        for place, card in enumerate(line):
            if masks[seats[place]] is not None and card not in self.actions(state):
                raise BadInput(f"{wrong}; {self._card(card)} cannot be played as card {place + 1}.")
            state = self.result(state, card)
        return state

    def draw(self, state: Any) -> Drawing:
        """Every hand at its side of the table, and the running trick in the middle."""
        s = self.struct(state)
        wide = 0.42 * self.cards + 1.2
        racks = []
        for seat, (name, (x, y)) in enumerate(zip(SEAT_NAMES, ((0, 2.5), (-1, 0), (0, -2.5), (1, 0)), strict=True)):
            size = self._size_of(s, seat) if s.dealt else 0
            cards = [Item(card, "card", card) for card in self._hand(int(s.hands[seat]))]
            hidden = [Item("", "card", face_up=False)] * size
            racks.append(Rack(name, tuple(cards or hidden), x * (1.5 + wide / 2), y, wide))
        trick = [self._card(int(card)) for card in s.played[s.count - s.count % 4 : s.count]]
        spots = ((0, 0.6), (-0.8, 0), (0, -0.6), (0.8, 0))
        places = tuple(
            Place(f"trick {name}", x, y, "slot", 0.72, 1, label=f"trick, {name}")
            for name, (x, y) in zip(SEAT_NAMES, spots, strict=True)
        )
        first = int(s.leader)
        items = tuple(Item(f"trick {SEAT_NAMES[(first + turn) % 4]}", "card", card) for turn, card in enumerate(trick))
        caption = f"trick {' '.join(trick) or 'none'}, won {int(s.won[0])} and {int(s.won[1])}"
        return Drawing(
            layout="places",
            places=places,
            items=items,
            racks=tuple(racks),
            caption=caption,
            surface="felt",
            enter="deal",
        )


def _union(masks: list[int]) -> int:
    found = 0
    for mask in masks:
        found |= mask
    return found


game = Whist
