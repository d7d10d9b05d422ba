"""The double-dummy search, compiled: partition search by null windows.

One question is asked again and again: do North-South take `target` of the tricks that are left? The answer is one
word: YES or not, and the ranks on which it rests, so that it holds for every deal in which the same hands own those
(`memory`). The value is found by stepping the target from a good guess.

    function SEARCH(ply, who, target)
        at the start of a trick: return if the target is reached or out of reach, if estimates settle it, or a pattern
        for each card of the hand, the most promising first do
            answer ← SEARCH(after the card); a trick that was won by rank rests on the winner and all above it
            if it is what the mover wants then return it, with the reason of this card alone
            a card failed and its rank was no reason → lower cards of that suit fail as well and are left out
        return no, for all reasons together; at the start of a trick store it as a pattern

Sources: Ginsberg, "Partition search" (AAAI 1996); Haglund and Hein, "Search algorithms for a bridge double dummy
solver" (2014); Chang, "Building a fast double-dummy bridge solver" (1996).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from gametree.games.bridge.solver.estimates import (
    LANE,
    NONE,
    YES,
    from_card_up,
    later_tricks,
    quick_tricks,
    top_bit,
    weigh_follows,
    weigh_leads,
)
from gametree.games.bridge.solver.memory import find_pattern, find_shape, new_strain, prepare_deal, prepare_tops, store
from gametree.kernels import ONE, ZERO, clz, ctz, jit, popcount, u64
from gametree.kernels.timer import monotonic_ns

__all__ = ["count_tricks", "prepare", "solve_board", "solve_cards", "solve_table"]

i64: Any = np.int64
LED = 13
"""Where the first frame of a trick keeps the suit that was led, behind the cards that a hand can have."""
CHECK = 8191
"""How seldom the clock is looked at, in nodes."""
HONOURS = u64(0x0200020002000200)  # the jacks


def last_trick(ctx: Any, who: Any) -> Any:
    """The answer to "one trick?" where every hand has one card."""
    best, winner = ctx.hand[who], who
    cards = best
    lane = LANE << u64(ctz(best) & 48)
    trumps = LANE << u64(16 * ctx.trump) if ctx.trump < 4 else ZERO
    for k in range(1, 4):
        seat = (who + k) & 3
        card = ctx.hand[seat]
        cards |= card
        if card & lane:
            if card > best:
                best, winner = card, seat
        elif card & trumps:
            best, winner = card, seat
            lane = trumps
    answer = ZERO
    if popcount(cards & lane) > 1:
        answer = from_card_up(ctz(best))
    if (winner & 1) == 0:
        answer |= YES
    return answer


def equals_of(hand: Any, everything: Any, card: Any) -> Any:
    """The hand's cards that touch the card, those that are gone not counted."""
    lane = LANE << u64(card & 48)
    bit = ONE << u64(card)
    group = hand & lane
    others = everything & lane & ~hand
    below = others & (bit - ONE)
    if below:
        group &= ~((top_bit(below) << ONE) - ONE)
    above = others & ~(bit - ONE)
    if above:
        group &= (above & (~above + ONE)) - ONE
    return group


def list_cards(ctx: Any, frame: Any, hand: Any, part: Any, follows: Any, best: Any) -> Any:
    """Write the cards of `part`, one of each group of equals, into the frame: the highest if it may win the trick, else
    the lowest. Return how many."""
    n = i64(0)
    while part:
        card = i64(63 - clz(part))
        lane = LANE << u64(card & 48)
        group = hand & lane & (((ONE << u64(card)) << ONE) - ONE)
        others = ctx.everything & ~hand & lane & ((ONE << u64(card)) - ONE)
        if others:
            group &= ~((top_bit(others) << ONE) - ONE)
        frame.group[n] = group
        frame.card[n] = ctz(group) if follows and card < best and (card & 48) == (best & 48) else card
        n += 1
        part &= ~group
    return n


def last_hand_card(ctx: Any, who: Any, part: Any, led: Any, best: Any, best_seat: Any) -> Any:
    """The last hand follows: with its cheapest winner if the trick is not won already, else low."""
    winners = part & ~((ONE << u64(best)) - ONE) if (best >> 4) == led else ZERO
    if winners and ((best_seat ^ who) & 1) == 1:
        return i64(63 - clz(equals_of(ctx.hand[who], ctx.everything, ctz(winners))))
    return i64(ctz(part))


def take_best(frame: Any, i: Any, n: Any) -> Any:
    """The most promising of the cards from place i on, and its equals; what stood at i takes its place."""
    j = i
    for k in range(i + 1, n):
        if frame.weight[k] > frame.weight[j]:
            j = k
    card, group = frame.card[j], frame.group[j]
    frame.card[j], frame.group[j], frame.weight[j] = frame.card[i], frame.group[i], frame.weight[i]
    return card, group


def is_late(ctx: Any) -> Any:
    """Whether the deadline, if there is one, has passed; then it is noted."""
    if ctx.deadline != 0 and monotonic_ns() > ctx.deadline:
        ctx.aborted = 1
    return ctx.aborted != 0


def search(ctx: Any, ply: Any, who: Any, target: Any, trick: Any, best: Any, best_seat: Any) -> Any:
    """One card of `who`; `ply` counts cards from a full deal, `trick` holds the cards of the running trick, of which
    `best` wins so far. See the head of the file."""
    ctx.nodes += 1
    place = ply & 3
    is_max = (who & 1) == 0
    everything = ctx.everything
    tricks = i64(13) - (ply >> 2)
    hand = ctx.hand[who]
    frame = ctx.frame[ply]
    slot = key = owners0 = owners1 = ZERO
    led, part, first = i64(0), hand, i64(-1)
    if place == 0:
        # 1. What is settled without a search.
        if target <= 0:
            return YES
        if target > tricks:
            return ZERO
        if ctx.aborted != 0 or ((ctx.nodes & CHECK) < 4 and is_late(ctx)):
            return ZERO
        if tricks == 1:
            return last_trick(ctx, who)
        need = target if is_max else tricks - target + 1
        ranks = quick_tricks(ctx, who, need)
        if ranks != NONE:
            return (ranks | YES) if is_max else ranks
        ranks = later_tricks(ctx, who, tricks + 1 - need)
        if ranks != NONE:
            return ranks if is_max else (ranks | YES)
        # 2. A pattern.
        s0, s1 = i64(everything & LANE), i64((everything >> u64(16)) & LANE)
        s2, s3 = i64((everything >> u64(32)) & LANE), i64((everything >> u64(48)) & LANE)
        key = u64(ctx.lengths[0][s0]) | (u64(ctx.lengths[1][s1]) << u64(16)) | (u64(ctx.lengths[2][s2]) << u64(32))
        key |= (u64(tricks) << u64(48)) | (u64(who) << u64(52)) | (ctx.generation << u64(54))
        owners0 = u64(ctx.owners[0][s0]) | (u64(ctx.owners[1][s1]) << u64(32))
        owners1 = u64(ctx.owners[2][s2]) | (u64(ctx.owners[3][s3]) << u64(32))
        slot = find_shape(ctx, key)
        answer, found = find_pattern(ctx, slot, owners0, owners1, target)
        if found:
            return answer
        first = i64(ctx.slots[slot].best)
    else:
        led = i64(ctx.frame[ply - place].card[LED])
        part = hand & (LANE << u64(16 * led))
        if part == ZERO:
            part = hand
            if place < 3:
                first = i64(ctx.remembered[ply][who][best])
        elif place == 3:
            first = last_hand_card(ctx, who, part, led, best, best_seat)
    if (part & (part - ONE)) == ZERO:
        first = i64(ctz(part))
    # 3. The cards: the one that is known to be good before any other is listed, then the rest by their weights.
    i = i64(-1)
    if first < 0 or not ((part >> u64(first)) & ONE):
        i = i64(0)
    n, listed = i64(0), False
    reasons, left_out, group, card = ZERO, ZERO, ZERO, first
    while True:
        if i >= 0:
            if not listed:
                if (part & ~left_out) == ZERO:
                    break
                listed = True
                n = list_cards(ctx, frame, hand, part, place > 0, best)
                if place == 0:
                    weigh_leads(ctx, frame, n, who, i64(ctx.remembered[ply][who][0]))
                else:
                    known = i64(ctx.remembered[ply][who][best])
                    weigh_follows(ctx, frame, n, who, place, led, best, best_seat, known)
            if i >= n:
                break
            card, group = take_best(frame, i, n)
            if (group & ~left_out) == ZERO:
                i += 1
                continue
        bit = ONE << u64(card)
        new_best, new_seat = card, who
        if place == 0:
            frame.card[LED] = card >> 4
        elif (card < best) if (card >> 4) == (best >> 4) else ((card >> 4) != ctx.trump):
            new_best, new_seat = best, best_seat
        ctx.hand[who] = hand ^ bit
        if place < 3:
            answer = search(ctx, ply + 1, (who + 1) & 3, target, trick | bit, new_best, new_seat)
        else:
            cards = trick | bit
            ctx.everything = everything & ~cards
            answer = search(ctx, ply + 1, new_seat, target - 1 + (new_seat & 1), ZERO, i64(0), i64(0))
            ctx.everything = everything
            if popcount(cards & (LANE << u64(new_best & 48))) > 1:
                answer |= from_card_up(new_best)
        ctx.hand[who] = hand
        if ((answer & YES) != ZERO) == is_max:
            reasons = answer
            if place == 0:
                if ctx.slots[slot].key == key:
                    ctx.slots[slot].best = np.int32(card)
                best = i64(0)
            ctx.remembered[ply][who][best] = np.int32(card)
            break
        # 4. It failed. An equal card that is a reason makes all of them one; cards below the reasons fail alike.
        if i < 0:
            group = equals_of(hand, everything, card)
        if answer & group:
            answer |= from_card_up(ctz(group))
        else:
            left_out |= hand & (LANE << u64(card & 48)) & ~answer
        if i < 0:
            left_out |= group
        reasons |= answer
        i += 1
    if place == 0 and ctx.aborted == 0 and ctx.slots[slot].key == key and (key >> u64(54)) == ctx.generation:
        store(ctx, slot, owners0, owners1, reasons, target, tricks)
    return reasons


# What is asked from outside -------------------------------------------------------------------------------------------


def count_tricks(ctx: Any, ply: Any, who: Any, trick: Any, best: Any, best_seat: Any, guess: Any) -> Any:
    """North-South's tricks from here on, of all that are not complete, by null windows stepped from the guess."""
    low, high = i64(0), i64(13) - (ply >> 2)
    guess = i64(guess)
    while low < high:
        target = min(max(guess, low + 1), high)
        if search(ctx, ply, who, target, trick, best, best_seat) & YES:
            low, guess = target, target + 1
        else:
            high, guess = target - 1, target - 1
    return low


def set_hands(ctx: Any, hands: Any, cards: Any, played: Any) -> None:
    """The hands, and all cards that are left, those of the running trick included."""
    ctx.everything = ZERO
    for seat in range(4):
        ctx.hand[seat] = hands[seat]
        ctx.everything |= hands[seat]
    for i in range(played):
        ctx.everything |= ONE << u64(cards[i])


@jit
def prepare(contexts: Any) -> None:
    """Fill the tables that no deal changes."""
    prepare_tops(contexts[0])


def first_guess(hands: Any, trump: Any) -> Any:
    """About how many tricks North-South take: by high cards and the fit."""
    pair = hands[0] | hands[2]
    points = i64(0)
    for k in range(4):
        points += (k + 1) * popcount(pair & (HONOURS << u64(k)))
    guess = points // 3
    if trump < 4:
        guess = (2 * points - 40 + 3 * popcount((pair >> u64(16 * trump)) & LANE) + 19) // 6
    return min(i64(13), max(i64(1), i64(guess)))


def set_deal(ctx: Any, hands: Any, cards: Any, played: Any) -> None:
    """The tables of the deal whose hands, and cards of the running trick, these are."""
    whole = np.zeros(4, np.uint64)
    for seat in range(4):
        whole[seat] = hands[seat]
    for i in range(played):
        whole[0] |= ONE << u64(
            cards[i]
        )  # whose they were does not matter: no pattern is asked for before the next trick
    prepare_deal(ctx, whole)


@jit
def solve_table(contexts: Any, hands: Any, out: Any) -> None:
    """Twenty numbers: strains ♠ ♥ ♦ ♣ NT, in each the tricks of the declarers N E S W."""
    ctx = contexts[0]
    none = np.zeros(4, np.int64)
    set_deal(ctx, hands, none, 0)
    set_hands(ctx, hands, none, 0)
    tricks = popcount(hands[0])
    for strain in range(5):
        new_strain(ctx, i64(strain))
        guess = first_guess(hands, i64(strain))
        for k in range(4):
            declarer = i64((0, 2, 1, 3)[k])
            ply = i64(4) * (13 - tricks)
            found = count_tricks(ctx, ply, (declarer + 1) & 3, ZERO, i64(0), i64(0), min(guess, tricks))
            guess = found
            out[4 * strain + declarer] = found if (declarer & 1) == 0 else tricks - found
            if ctx.aborted != 0:
                return


@jit
def solve_board(contexts: Any, hands: Any, trump: Any, leader: Any) -> Any:
    """North-South's tricks with a strain and a leader, where no trick is running."""
    ctx = contexts[0]
    none = np.zeros(4, np.int64)
    set_deal(ctx, hands, none, 0)
    set_hands(ctx, hands, none, 0)
    new_strain(ctx, i64(trump))
    tricks = popcount(hands[leader])
    guess = min(first_guess(hands, i64(trump)), tricks)
    return count_tricks(ctx, i64(4) * (13 - tricks), i64(leader), ZERO, i64(0), i64(0), guess)


@jit
def solve_cards(contexts: Any, hands: Any, trump: Any, leader: Any, cards: Any, played: Any, out: Any) -> Any:
    """For every card that the hand to play may play: out[k] = (card, North-South's tricks after it, the running trick
    included); return how many. The running trick was led by `leader` and holds cards[0:played]."""
    ctx = contexts[0]
    set_deal(ctx, hands, cards, played)
    set_hands(ctx, hands, cards, played)
    new_strain(ctx, i64(trump))
    who = (i64(leader) + i64(played)) & 3
    hand = hands[who]
    tricks = popcount(hand)
    ply = i64(4) * (13 - tricks) + played
    trick, best, best_seat = ZERO, i64(0), i64(0)
    led = i64(0)
    for i in range(played):
        card = i64(cards[i])
        trick |= ONE << u64(card)
        if i == 0:
            led = card >> 4
            ctx.frame[ply - played].card[LED] = led
            best, best_seat = card, i64(leader)
        elif (card > best) if (card >> 4) == (best >> 4) else ((card >> 4) == ctx.trump):
            best, best_seat = card, (i64(leader) + i) & 3
    part = hand
    if played > 0 and hand & (LANE << u64(16 * led)):
        part = hand & (LANE << u64(16 * led))
    guess = min(first_guess(hands, i64(trump)) * tricks // 13, tricks)
    n = i64(0)
    while part:
        card = i64(63 - clz(part))
        group = equals_of(hand, ctx.everything, card)
        value = after_card(ctx, ply, who, card, trick, best, best_seat, guess)
        guess = value
        while group:  # equal cards are worth the same
            same = i64(63 - clz(group))
            group ^= ONE << u64(same)
            part &= ~(ONE << u64(same))
            out[n, 0] = same
            out[n, 1] = value
            n += 1
        if ctx.aborted != 0:
            break
    return n


def after_card(ctx: Any, ply: Any, who: Any, card: Any, trick: Any, best: Any, best_seat: Any, guess: Any) -> Any:
    """North-South's tricks if `who` plays the card, of all that are not complete before it."""
    place = ply & 3
    hand, everything = ctx.hand[who], ctx.everything
    bit = ONE << u64(card)
    new_best, new_seat = card, who
    if place == 0:
        ctx.frame[ply].card[LED] = card >> 4
    elif (card < best) if (card >> 4) == (best >> 4) else ((card >> 4) != ctx.trump):
        new_best, new_seat = best, best_seat
    ctx.hand[who] = hand ^ bit
    if place < 3:
        value = count_tricks(ctx, ply + 1, (who + 1) & 3, trick | bit, new_best, new_seat, guess)
    else:
        ctx.everything = everything & ~(trick | bit)
        won = i64(1) - (new_seat & 1)
        value = won
        if ply < 51:
            value += count_tricks(ctx, ply + 1, new_seat, ZERO, i64(0), i64(0), guess - won)
        ctx.everything = everything
    ctx.hand[who] = hand
    return value
