"""What the double-dummy search knows without searching: cards that a side can surely take, and which card to try first.

Cards are bits of one u64: suit s lies in a lane, bits 16s to 16s + 12, the ace highest. "Ranks" are masks that are
closed upwards in their suit: they say which cards an answer rests on. `NONE` stands for no answer.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from gametree.kernels import ONE, ZERO, clz, popcount, u64

__all__ = ["LANE", "NONE", "WEIGHTS", "YES", "from_card_up", "later_tricks", "quick_tricks", "top_bit", "weigh_follows"]
__all__ += ["weigh_leads"]

LANE = u64(0x1FFF)
YES = u64(1) << u64(63)
"""The mark of an answer "yes"; lanes leave three bits free."""
NONE = u64(0x2000)
i64: Any = np.int64

# The names of the weights of the move order and their values, found by search on node counts of random deals.
_ORDER = {
    "lead_ruffed_by_them": -180, "lead_ruffed_by_partner": 70, "lead_both_ruff": -45, "lead_short_to_ruff": 45,
    "lead_top": 30, "lead_top_under_bare": -32, "lead_to_partners_top": 100, "lead_low": 12, "lead_before_top": 4,
    "lead_king_behind_ace": 12, "lead_into_top": -24, "lead_through": 8, "lead_rank": 1, "lead_equals": 16,
    "lead_trump": 8, "lead_long_side": 4, "lead_remembered": 30, "lead_length": -4, "lead_second": 12,
    "last_over_partner": 0, "last_wins": 240, "third_over_partner": 0, "third_helps_partner": 160, "third_forces": 20,
    "third_wins": 240, "third_forces_rank": 4, "second_partner_next": 0, "second_partner_wins": 0,
    "second_beaten": -24, "second_wins": 180, "follow_low": 8, "under_ruff": -120, "ruff_partner": -40,
    "ruff_partner_beaten": 90, "ruff": 120, "discard": 20, "discard_length": 8, "discard_top": -12,
    "discard_guard": 0, "follow_remembered": 100,
}  # fmt: skip
WEIGHTS = np.array([*_ORDER.values()], np.int64)
(
    _RUFFED, _PARTNER_RUFFS, _BOTH_RUFF, _SHORT, _TOP, _UNDER_BARE, _TO_TOP, _LOW, _BEFORE, _KING, _INTO, _THROUGH,
    _RANK, _EQUALS, _TRUMP, _LONG, _KNOWN_LEAD, _LENGTH, _SECOND, _LAST_OVER, _LAST_WINS, _THIRD_OVER, _THIRD_HELPS,
    _THIRD_FORCES, _THIRD_WINS, _FORCES_RANK, _PARTNER_NEXT, _PARTNER_WINS, _BEATEN, _SECOND_WINS, _FOLLOW_LOW, _UNDER,
    _RUFF_PARTNER, _RUFF_BEATEN, _RUFF, _DISCARD, _DISCARD_LENGTH, _DISCARD_TOP, _GUARD, _KNOWN,
) = range(len(_ORDER))  # fmt: skip


def top_bit(x: Any) -> Any:
    """The highest bit of x, which has one."""
    return ONE << u64(63 - clz(x))


def from_card_up(card: Any) -> Any:
    """All ranks of the card's suit from the card upwards."""
    return (LANE << u64(card & 48)) & ~((ONE << u64(card)) - ONE)


def below_top(x: Any) -> Any:
    """The highest bit of x and all bits below it; x is not empty."""
    return (top_bit(x) << ONE) - ONE


def quick_tricks(ctx: Any, who: Any, need: Any) -> Any:
    """The ranks by which the side on lead takes `need` tricks at once, or NONE if that is not seen.

    It counts cards above all of the opponents', the leader's first, with partner following low, then partner's over an
    entry; trumps are drawn first, and a plain winner counts while each opponent who has a trump still follows.
    """
    leader, partner = ctx.hand[who], ctx.hand[(who + 2) & 3]
    left, right = ctx.hand[(who + 1) & 3], ctx.hand[(who + 3) & 3]
    trump = ctx.trump
    left_trumps = right_trumps = i64(0)
    count, ranks = i64(0), ZERO
    partner_plain = leader_plain = i64(13)  # winners of a side suit on which the other hand need not ruff
    more_count, more_ranks, entry = i64(0), ZERO, False
    if trump < 4:
        mask = LANE << u64(16 * trump)
        left_trumps, right_trumps = popcount(left & mask), popcount(right & mask)
        if partner & mask:
            partner_plain = popcount(partner & ~mask)
        if leader & mask:
            leader_plain = popcount(leader & ~mask)
    for i in range(4):
        suit = i64(i)
        if trump < 4:
            suit = trump if i == 0 else (i64(i - 1) if i <= trump else i64(i))
        shift = u64(16 * suit)
        own, his = (leader >> shift) & LANE, (partner >> shift) & LANE
        if (own | his) == ZERO:
            continue
        a, b = (left >> shift) & LANE, (right >> shift) & LANE
        theirs = a | b
        if theirs > (own | his):
            continue
        own_length, his_length = popcount(own), popcount(his)
        longest = max(popcount(a), popcount(b))
        cap = i64(13)
        if suit != trump:
            if left_trumps > 0:
                cap = popcount(a)
            if right_trumps > 0:
                cap = min(cap, popcount(b))
        above = LANE & ~below_top(theirs) if theirs else LANE
        tops = popcount(own & above)
        if tops > 0 and his:  # partner must be able to stay below
            lowest = top_bit(own)
            if tops > 1:
                winners = own & above
                lowest = winners & (~winners + ONE)
            small = popcount(his & (lowest - ONE))
            if small < tops and small < his_length:
                tops = popcount(own & ~below_top(his | theirs))
        rounds = max(longest, his_length)
        use = min(own_length if tops >= rounds else tops, cap)
        if suit != trump:
            use = min(use, partner_plain)
        if use > 0:
            count += use
            ranks |= u64(ctx.top[i64(own)][min(use, rounds)]) << shift
            if suit == trump:
                left_trumps, right_trumps = max(i64(0), left_trumps - use), max(i64(0), right_trumps - use)
            else:
                partner_plain -= use
                leader_plain -= use
            if count >= need:
                return ranks
        if his_length > tops and use == tops:  # partner's winners, once `tops` rounds are gone
            more = his_length - tops
            rest = theirs | (own & ~u64(ctx.top[i64(own)][tops]))
            high = popcount(his & ~below_top(rest)) if rest else his_length
            if high < more and tops + high < max(longest, own_length):
                more = high
            more = min(more, cap - tops)
            if more > 0:
                more_count += more
                rounds = max(longest, own_length) - tops
                more_ranks |= u64(ctx.top[i64(his)][max(i64(0), min(more, rounds))]) << shift
                if own_length > tops and high > 0:
                    entry = True
    if entry:
        if trump < 4:
            more_count = min(more_count, leader_plain)
        if count + more_count >= need:
            return ranks | more_ranks
    return NONE


def later_tricks(ctx: Any, who: Any, need: Any) -> Any:
    """The ranks by which the side *not* on lead is sure of `need` tricks, or NONE if that is not seen.

    It counts top trumps, and the first trick where every suit of the leader runs into their top card (at no trump all
    the tops of that hand with it).
    """
    trump = ctx.trump
    leader, partner = ctx.hand[who], ctx.hand[(who + 2) & 3]
    left, right = ctx.hand[(who + 1) & 3], ctx.hand[(who + 3) & 3]
    ranks = ZERO
    if trump < 4:
        shift = u64(16 * trump)
        a, b = (left >> shift) & LANE, (right >> shift) & LANE
        own, his = (leader >> shift) & LANE, (partner >> shift) & LANE
        ours, theirs = a | b, own | his
        sure = i64(0)
        if ours and theirs == ZERO:
            sure = max(popcount(a), popcount(b))
        elif ours:
            tops = ours & ~below_top(theirs)
            first, second = popcount(a & tops), popcount(b & tops)
            both = first + second
            sure = both if popcount(a) >= both and popcount(b) >= both else max(first, second)
            if sure > 0:
                ranks = u64(ctx.top[i64(tops)][both]) << shift
            else:
                whole = ours | theirs
                ace = top_bit(whole)
                king = top_bit(whole & ~ace)
                behind_left = (a & king) != ZERO and (own & ace) != ZERO and popcount(a) >= 2
                behind_right = (b & king) != ZERO and (his & ace) != ZERO and popcount(b) >= 2
                if behind_left or behind_right:
                    sure = i64(1)
                    ranks = (LANE & ~(king - ONE)) << shift
        if sure >= need:
            return ranks
        if sure + 1 < need:
            return NONE
    left_wins = right_wins = False
    for suit in range(4):  # does every lead run into their top card?
        shift = u64(16 * suit)
        own, his = (leader >> shift) & LANE, (partner >> shift) & LANE
        if own == ZERO:
            continue
        a, b = (left >> shift) & LANE, (right >> shift) & LANE
        if (a | b) < (own | his):
            return NONE
        if trump < 4 and (suit == trump or (his == ZERO and (partner >> u64(16 * trump)) & LANE)):
            return NONE
        top = top_bit(a | b)
        ranks |= (LANE & ~(top - ONE)) << shift
        if a & top:
            left_wins = True
        else:
            right_wins = True
    if trump < 4 or need == 1:
        return ranks
    for side in range(2):
        if (side == 0 and not left_wins) or (side == 1 and not right_wins):
            continue
        winner = left if side == 0 else right
        others = ctx.everything & ~winner
        count = i64(0)
        for suit in range(4):
            shift = u64(16 * suit)
            own, rest = (winner >> shift) & LANE, (others >> shift) & LANE
            if rest:
                if own < rest:
                    continue
                own &= ~below_top(rest)
            if own:
                number = popcount(own)
                count += number
                if rest:
                    ranks |= u64(ctx.top[i64(own)][number]) << shift
        if count < need:
            return NONE
    return ranks


def weigh_leads(ctx: Any, frame: Any, n: Any, who: Any, remembered: Any) -> None:
    """How promising each of the n cards is as a lead."""
    leader, partner = ctx.hand[who], ctx.hand[(who + 2) & 3]
    left, right = ctx.hand[(who + 1) & 3], ctx.hand[(who + 3) & 3]
    trump, w = ctx.trump, ctx.weights
    last, base = i64(-1), i64(0)
    top = second = own = his = ZERO
    for i in range(n):
        card = frame.card[i]
        suit = card >> 4
        if suit != last:
            last = suit
            shift = u64(16 * suit)
            own, his = (leader >> shift) & LANE, (partner >> shift) & LANE
            a, b = (left >> shift) & LANE, (right >> shift) & LANE
            whole = own | his | a | b
            top = top_bit(whole)
            second = top_bit(whole ^ top) if whole ^ top else ZERO
            length = popcount(own)
            base = w[_LONG] * (popcount(own | his) - popcount(a | b)) + w[_LENGTH] * length
            if trump == suit:
                base += w[_TRUMP]
            elif trump < 4:
                trumps = u64(16 * trump)
                left_ruffs = a == ZERO and (left >> trumps) & LANE != ZERO
                right_ruffs = b == ZERO and (right >> trumps) & LANE != ZERO
                if left_ruffs or right_ruffs:
                    base += w[_RUFFED]
                if his == ZERO and (partner >> trumps) & LANE:
                    base += w[_PARTNER_RUFFS]
                    if left_ruffs:
                        base += w[_BOTH_RUFF]
                elif length == 1 and (leader >> trumps) & LANE:
                    base += w[_SHORT]
            if his & top:
                base += w[_TO_TOP]
            elif a & top:
                base += w[_BEFORE]
                if his & second:
                    base += w[_KING]
            elif b & top:
                base += w[_INTO]
                if his and top_bit(his) > a:
                    base += w[_THROUGH]
        bit = ONE << u64(card & 15)
        weight = base
        if bit == top:
            weight += w[_TOP]
            if his and (his & (his - ONE)) == ZERO:
                weight += w[_UNDER_BARE]
        else:
            weight -= w[_RANK] * (card & 15)
            if frame.group[i] & (frame.group[i] - ONE):
                weight += w[_EQUALS]
            if bit == second:
                weight += w[_SECOND]
            if bit == (own & (~own + ONE)):
                weight += w[_LOW]
        if card == remembered:
            weight += w[_KNOWN_LEAD]
        frame.weight[i] = weight


def weigh_follows(
    ctx: Any, frame: Any, n: Any, who: Any, place: Any, led: Any, best: Any, best_seat: Any, remembered: Any
) -> None:
    """How promising each of the n cards is in second, third or last hand (`place` 1 to 3) on a lead of the suit `led`;
    `best` wins so far and is `best_seat`'s."""
    trump, w = ctx.trump, ctx.weights
    hand = ctx.hand[who]
    ours = ((best_seat ^ who) & 1) == 0
    shift = u64(16 * led)
    after = ZERO  # what the opponent behind has of the suit
    is_ruffed = False
    if place < 3:
        behind = ctx.hand[(who + 1) & 3]
        after = (behind >> shift) & LANE
        is_ruffed = after == ZERO and trump < 4 and trump != led and (behind >> u64(16 * trump)) & LANE != ZERO
    partners = (ctx.hand[(who + 2) & 3] >> shift) & LANE if place == 1 else ZERO
    best_bit = ONE << u64(best & 15)
    holds = (best >> 4) != led or after < best_bit  # the best card stands against the hand behind
    for i in range(n):
        card = frame.card[i]
        suit, rank = card >> 4, card & 15
        weight = -4 * rank
        if suit == led:
            if (best >> 4) == led and card > best:
                is_beaten = after > (ONE << u64(rank)) or is_ruffed
                if place == 3:
                    weight += w[_LAST_OVER] if ours else w[_LAST_WINS]
                elif place == 2:
                    if ours:
                        weight += w[_THIRD_OVER] if is_beaten or holds else w[_THIRD_HELPS]
                    elif is_beaten:
                        weight += w[_THIRD_FORCES] + w[_FORCES_RANK] * rank
                    else:
                        weight += w[_THIRD_WINS]
                elif partners > after and partners > best_bit:
                    weight += w[_PARTNER_NEXT] if is_beaten else w[_PARTNER_WINS]
                else:
                    weight += w[_BEATEN] if is_beaten else w[_SECOND_WINS]
            else:
                weight += w[_FOLLOW_LOW]
        elif suit == trump:
            if (best >> 4) == trump and card < best:
                weight += w[_UNDER]
            elif ours:
                weight += w[_RUFF_PARTNER] if place == 3 or holds else w[_RUFF_BEATEN]
            else:
                weight += w[_RUFF]
        else:
            own = (hand >> u64(16 * suit)) & LANE
            length = popcount(own)
            weight += w[_DISCARD] + w[_DISCARD_LENGTH] * length
            whole = (ctx.everything >> u64(16 * suit)) & LANE
            top = top_bit(whole)
            if own & top:
                weight += w[_DISCARD_TOP]
            elif length == 2 and whole != top and own & top_bit(whole ^ top):
                weight += w[_GUARD]
        if card == remembered:
            weight += w[_KNOWN]
        frame.weight[i] = weight
