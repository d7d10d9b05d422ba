"""The state of a bridge table, and what happens at it: dealing, calls, cards, claims, and the score.

Everything here is compiled. Cards are suit × 16 + rank (suits ♠ ♥ ♦ ♣, the two being rank 0), hands masks of them;
seats N E S W. A move is, where its phase has it: a call (0 pass, 1 double, 2 redouble, 3 to 37 the bids from 1♣ on), a
card, a claim of k of the tricks that are left (CLAIM + k), the answer to one (ACCEPT, REFUSE), or, double dummy, the
strain and declarer (strain × 4 + declarer).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from gametree.games.bridge.scoring import bonus_points, contract_score, imps, penalty, trick_points
from gametree.kernels import ONE, ZERO, ctz, more_bits, popcount, struct, u64

__all__ = [
    "ACCEPT", "AUCTION", "CLAIM", "CLAIMING", "CONTRACT", "DEAL", "DOUBLE", "DOUBLE_DUMMY", "DUPLICATE", "IMP", "LANE",
    "LEVELS", "OVER", "PASS", "PLAY", "REDOUBLE", "REFUSE", "RUBBER", "RUBBER_DEALS", "State", "answer_claim", "call",
    "choose_contract", "claim_cards", "claim_of", "deal_cards", "is_known", "lay_card", "legal_calls", "legal_cards",
    "points_of", "seat_to_play", "start_play", "strain_of", "taker", "vulnerable",
]  # fmt: skip

DUPLICATE, IMP, RUBBER, DOUBLE_DUMMY = range(4)
"""Forms of the game."""
DEAL, AUCTION, PLAY, CLAIMING, OVER, CONTRACT = range(6)
"""Phases of a deal."""
PASS, DOUBLE, REDOUBLE, LEVELS = range(4)
"""Calls; LEVELS is 1♣."""
CLAIM, ACCEPT, REFUSE = 64, 80, 81
LANE = u64(0x1FFF)
RUBBER_DEALS = 60
"""A rubber that is not won by then is broken off."""

State = struct(
    hands=("u8", 4),  # what every seat still holds; 0 if that is not known
    calls=("u1", 320),
    call_count="u2",
    played=("u1", 52),
    count="u1",
    leader="u1",  # to the running trick
    phase="u1",
    form="u1",
    board="u1",  # 0: drawn with the deal
    dealer="u1",
    vulnerable="u1",  # bit 0 North-South, bit 1 East-West
    bid="u1",  # the last bid
    bidder="u1",
    level="u1",  # of the contract, 0 if there is none
    trump="u1",  # its strain
    doubled="u1",
    declarer="u1",
    dealt="u1",  # cards of every hand at the start
    won=("u1", 2),
    void=("u1", 4),  # suits that a seat has shown to be out of
    shown="u1",  # seats whose cards lie open for all
    claims=("u1", 13),  # before each trick: 16 × how it was answered + tricks claimed + 1; 0 for none
    deals="u1",  # of a rubber, that are over
    games=("u1", 2),
    below=("i2", 2),  # points towards the next game
    points=("i4", 2),  # all points of both sides so far
)


# Asking ---------------------------------------------------------------------------------------------------------------


def strain_of(call_number: Any) -> Any:
    """The strain of a bid: ♠ 0, ♥ 1, ♦ 2, ♣ 3, no trump 4."""
    place = (np.int64(call_number) - LEVELS) % 5
    return place if place == 4 else 3 - place


def vulnerable(s: Any, side: Any) -> Any:
    """Whether a side is vulnerable."""
    return np.int64(s.vulnerable) >> side & 1


def seat_to_play(s: Any) -> Any:
    """Whose card is next, in the play."""
    return (np.int64(s.leader) + np.int64(s.count) % 4) % 4


def dummy_of(s: Any) -> Any:
    """The declarer's partner."""
    return (np.int64(s.declarer) + 2) % 4


def seat_to_move(s: Any) -> Any:
    """The seat that decides, -1 for the deal."""
    if s.phase == DEAL:
        return np.int64(-1)
    if s.phase == AUCTION:
        return (np.int64(s.dealer) + np.int64(s.call_count)) % 4
    if s.phase == CONTRACT:
        return np.int64(0)
    if s.phase == CLAIMING:
        stage = claim_of(s) >> 4
        return (np.int64(s.declarer) + (1 if stage == 1 else 3)) % 4
    seat = seat_to_play(s)
    return np.int64(s.declarer) if seat == dummy_of(s) else seat


def is_known(s: Any, seat: Any, other: Any) -> Any:
    """Whether a seat (-1: a spectator) sees the cards of another."""
    if seat == other or s.form == DOUBLE_DUMMY or np.int64(s.shown) >> other & 1 == 1:
        return True
    return s.phase in (PLAY, CLAIMING) and s.count > 0 and other == dummy_of(s)


def claim_of(s: Any) -> Any:
    """The claim before the running trick, as it is kept."""
    return np.int64(s.claims[min(np.int64(s.count) // 4, 12)])


def taker(s: Any, first: Any, leader: Any) -> Any:
    """Who takes the trick of four cards that begins at place `first` of those played."""
    best = np.int64(0)
    for i in range(1, 4):
        card, champion = np.int64(s.played[first + i]), np.int64(s.played[first + best])
        if card >> 4 == champion >> 4:
            if card > champion:
                best = np.int64(i)
        elif card >> 4 == s.trump:
            best = np.int64(i)
    return (leader + best) % 4


# Moves ----------------------------------------------------------------------------------------------------------------


def legal_calls(s: Any, out: Any) -> Any:
    """Pass, double and redouble where they may be said, and all higher bids."""
    out[0] = PASS
    n = 1
    seat = seat_to_move(s)
    if s.bid != 0:
        theirs = (np.int64(s.bidder) + seat) % 2 == 1
        if theirs and s.doubled == 0:
            out[n] = DOUBLE
            n += 1
        if not theirs and s.doubled == 1:
            out[n] = REDOUBLE
            n += 1
    first = np.int64(s.bid) + 1 if s.bid != 0 else np.int64(LEVELS)
    for bid in range(first, 38):
        out[n] = bid
        n += 1
    return n


def legal_cards(s: Any, out: Any) -> Any:
    """A card of the suit led, or any if there is none."""
    hand = s.hands[seat_to_play(s)]
    if s.count % 4 != 0:
        same = hand & (LANE << u64((np.int64(s.played[s.count - s.count % 4]) >> 4) * 16))
        if same != ZERO:
            hand = same
    n = 0
    while hand != ZERO:
        out[n] = ctz(hand)
        hand &= hand - ONE
        n += 1
    return n


def claim_cards(s: Any, out: Any, n: Any) -> Any:
    """Behind n cards, the claims: the declarer's side may claim before it leads to a trick, once, but for the last."""
    left = np.int64(s.dealt) - np.int64(s.count) // 4
    ours = (seat_to_play(s) + np.int64(s.declarer)) % 2 == 0
    if s.form == DOUBLE_DUMMY or s.count % 4 != 0 or not ours or left < 2 or claim_of(s) != 0:
        return n
    for k in range(left + 1):
        out[n] = CLAIM + k
        n += 1
    return n


def deal_cards(s: Any, number: Any) -> None:
    """Deal the pack that a number shuffles, all ways being equally likely, and begin the auction."""
    left = 52
    for seat in range(4):
        s.hands[seat] = ZERO
    for i in range(52):
        place = np.int64((more_bits(number, i) >> u64(32)) * u64(left) >> u64(32))
        for seat in range(4):
            room = 13 - popcount(s.hands[seat])
            if place < room:
                s.hands[seat] |= ONE << u64(i // 13 * 16 + i % 13)
                break
            place -= room
        left -= 1
    s.dealt = 13
    if s.form == DOUBLE_DUMMY:
        s.phase = CONTRACT
        return
    if s.form == RUBBER:
        s.dealer = s.deals % 4
        s.vulnerable = (1 if s.games[0] > 0 else 0) + (2 if s.games[1] > 0 else 0)
    else:
        board = np.int64(s.board) - 1
        if board < 0:
            board = np.int64(more_bits(number, 52) >> u64(60))
        s.board = board + 1
        s.dealer = board % 4
        s.vulnerable = (board + board // 4) % 4  # none, N-S, E-W, both; a step further every four boards
    s.phase = AUCTION


def call(s: Any, m: Any) -> None:
    """One call; after three passes behind a bid, or four, the auction is over."""
    seat = seat_to_move(s)
    s.calls[s.call_count] = m
    s.call_count += 1
    if m >= LEVELS:
        s.bid, s.bidder, s.doubled = m, seat, 0
    elif m == DOUBLE:
        s.doubled = 1
    elif m == REDOUBLE:
        s.doubled = 2
    last = np.int64(s.call_count)
    passes = 0
    while passes < last and s.calls[last - 1 - passes] == PASS:
        passes += 1
    if passes == 4:
        finish(s)
    elif passes == 3 and s.bid != 0:
        strain = strain_of(s.bid)
        for i in range(last):
            caller = (np.int64(s.dealer) + i) % 4
            if s.calls[i] >= LEVELS and strain_of(s.calls[i]) == strain and (caller + np.int64(s.bidder)) % 2 == 0:
                start_play(s, strain, caller)
                break
        s.level = (np.int64(s.bid) - LEVELS) // 5 + 1


def start_play(s: Any, strain: Any, declarer: Any) -> None:
    """The seat behind the declarer leads."""
    s.trump, s.declarer = strain, declarer
    s.leader = (np.int64(declarer) + 1) % 4
    s.phase = PLAY


def choose_contract(s: Any, m: Any) -> None:
    """Double dummy: a strain and a declarer, without a level."""
    start_play(s, m // 4, m % 4)


def lay_card(s: Any, m: Any) -> None:
    """One card; after four the trick goes to its taker, after all the deal is over."""
    seat = seat_to_play(s)
    if s.hands[seat] != ZERO:
        s.hands[seat] &= ~(ONE << u64(m))
    first = np.int64(s.count) - np.int64(s.count) % 4
    s.played[s.count] = m
    led = np.int64(s.played[first]) >> 4
    if m >> 4 != led:
        s.void[seat] |= 1 << led
    s.count += 1
    if s.count % 4 == 0:
        winner = taker(s, first, np.int64(s.leader))
        s.won[winner % 2] += 1
        s.leader = winner
        if s.count == 4 * np.int64(s.dealt):
            finish(s)


def answer_claim(s: Any, m: Any) -> None:
    """The defenders answer one after the other; when both accept, the deal is over, else the play goes on."""
    trick = np.int64(s.count) // 4
    claimed = (claim_of(s) & 15) - 1
    stage = claim_of(s) >> 4
    if m == REFUSE:
        s.claims[trick] = 16 * (3 + stage) + claimed + 1
        s.phase = PLAY
    elif stage == 1:
        s.claims[trick] = 32 + claimed + 1
    else:
        s.claims[trick] = 48 + claimed + 1
        side = np.int64(s.declarer) % 2
        s.won[side] += claimed
        s.won[1 - side] += np.int64(s.dealt) - trick - claimed
        finish(s)


# The end --------------------------------------------------------------------------------------------------------------


def finish(s: Any) -> None:
    """The deal is over: all cards are shown, and the score is written."""
    s.phase = OVER
    s.shown = 15
    if s.form == RUBBER:
        score_rubber(s)
        return
    if s.level > 0:
        side = np.int64(s.declarer) % 2
        score = contract_score(
            np.int64(s.level), np.int64(s.trump), np.int64(s.doubled), vulnerable(s, side), np.int64(s.won[side])
        )
        s.points[side if score > 0 else 1 - side] += abs(score)


def score_rubber(s: Any) -> None:
    """Write down a deal of a rubber, and go on with the next one until a side has two games."""
    s.deals += 1
    if s.level > 0:
        side = np.int64(s.declarer) % 2
        level, strain, doubled = np.int64(s.level), np.int64(s.trump), np.int64(s.doubled)
        tricks = np.int64(s.won[side])
        if tricks < level + 6:
            s.points[1 - side] += penalty(level + 6 - tricks, doubled, vulnerable(s, side))
        else:
            below = trick_points(level, strain, doubled)
            s.points[side] += below + bonus_points(level, strain, doubled, vulnerable(s, side), tricks)
            s.below[side] += below
            if s.below[side] >= 100:
                s.games[side] += 1
                s.below[0] = 0
                s.below[1] = 0
        add_honours(s)
    for pair in range(2):
        if s.games[pair] == 2:
            s.points[pair] += 700 if s.games[1 - pair] == 0 else 500
            return
    if s.deals == RUBBER_DEALS:
        for pair in range(2):
            if s.games[pair] == 1 and s.games[1 - pair] == 0:
                s.points[pair] += 300
            if s.below[pair] > 0 and s.below[1 - pair] == 0:
                s.points[pair] += 100
        return
    clear_deal(s)


def add_honours(s: Any) -> None:
    """A hundred points for four trump honours in one hand, 150 for all five, or for four aces at no trump."""
    whole = np.zeros(4, np.uint64)
    whole_hands(s, whole)
    for seat in range(4):
        if s.trump == 4:
            aces = popcount(whole[seat] & u64(0x1000100010001000))
            extra = 150 if aces == 4 else 0
        else:
            number = popcount(whole[seat] >> u64(16 * np.int64(s.trump)) & u64(0x1F00))
            extra = 150 if number == 5 else 100 if number == 4 else 0
        s.points[seat % 2] += extra


def whole_hands(s: Any, out: Any) -> None:
    """The hands as they were dealt, as far as they are known: what is left, and what was played."""
    for seat in range(4):
        out[seat] = s.hands[seat]
    leader = (np.int64(s.declarer) + 1) % 4
    for i in range(s.count):
        if i % 4 == 0 and i > 0:
            leader = taker(s, i - 4, leader)
        out[(leader + i % 4) % 4] |= ONE << u64(s.played[i])


def clear_deal(s: Any) -> None:
    """Take all cards and calls off the table; the score stays."""
    for seat in range(4):
        s.hands[seat] = ZERO
        s.void[seat] = 0
    for i in range(s.call_count):
        s.calls[i] = 0
    for i in range(s.count):
        s.played[i] = 0
    for i in range(13):
        s.claims[i] = 0
    s.call_count, s.count, s.leader, s.phase = 0, 0, 0, DEAL
    s.dealer, s.vulnerable, s.bid, s.bidder, s.level = 0, 0, 0, 0, 0
    s.trump, s.doubled, s.declarer, s.dealt, s.shown = 0, 0, 0, 0, 0
    s.won[0] = 0
    s.won[1] = 0


def points_of(s: Any) -> Any:
    """What the end is worth to North-South: points, IMPs, or tricks where no contract was bid."""
    if s.form == DOUBLE_DUMMY and s.level == 0:
        return np.int64(s.won[0]) - np.int64(s.won[1])
    difference = np.int64(s.points[0]) - np.int64(s.points[1])
    return imps(difference) if s.form == IMP else difference
