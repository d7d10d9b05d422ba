"""Par: the score if both sides know all cards and bid to their best advantage.

Worked out from the end: what an auction comes to, given its last bid, who made it, and how the passes stand. A bid that
fails is doubled. The one who may speak first matters where each side can make a contract in turn.
"""

from __future__ import annotations

from collections.abc import Sequence

from gametree.games.bridge.cards import SEATS
from gametree.games.bridge.scoring import contract_score

__all__ = ["par"]

_STRAINS = (3, 2, 1, 0, 4)
"""The strains in the order of bids, as the table of tricks counts them."""


def par(table: Sequence[int], vulnerable: int, dealer: int) -> tuple[int, list[str]]:
    """The score for North-South and the contracts that reach it, where the dealer may speak first.

    `table` are the tricks of the declarer: strains ♠ ♥ ♦ ♣ NT, in each N E S W; `vulnerable` has bit 0 for North-South
    and bit 1 for East-West.
    """
    scores = [_scores(table, vulnerable, bid) for bid in range(35)]
    best, outcomes = _settle(scores, dealer)
    reached = [
        _name(table, bid, seat)
        for bid in range(35)
        for seat in range(4)
        if best != 0 and scores[bid][seat] == outcomes[bid][seat] == best
    ]
    return best, reached


def _scores(table: Sequence[int], vulnerable: int, bid: int) -> list[int]:
    """What the bid is worth to North-South as the contract of each seat, doubled if it fails."""
    level, strain = bid // 5 + 1, _STRAINS[bid % 5]
    found = []
    for seat in range(4):
        tricks = table[4 * strain + seat]
        doubled = 1 if tricks < level + 6 else 0
        score = contract_score(level, strain, doubled, vulnerable >> seat % 2 & 1, tricks)
        found.append(score if seat % 2 == 0 else -score)
    return found


def _settle(scores: Sequence[Sequence[int]], dealer: int) -> tuple[int, list[list[int]]]:
    """What the auction comes to for North-South, and what it comes to from each bid of each seat on."""
    above: list[int | None] = [None] * 4  # the best that a seat can get by a bid above the one that is looked at
    outcomes: list[list[int]] = []
    for bid in range(34, -1, -1):
        here = [_bid_on(scores[bid][seat], above, seat, 3) for seat in range(4)]
        outcomes.insert(0, here)
        above = [_better(here[seat], above[seat], seat) for seat in range(4)]
    return _bid_on(0, above, dealer - 1, 4), outcomes


def _bid_on(score: int, above: Sequence[int | None], seat: int, speakers: int) -> int:
    """What comes of a score if so many seats behind this one may still bid; the last of them decides first."""
    for passes in range(speakers):
        speaker = (seat + speakers - passes) % 4
        score = _better(score, above[speaker], speaker)
    return score


def _better(score: int, other: int | None, seat: int) -> int:
    """The one of two scores that a seat prefers."""
    if other is None:
        return score
    return max(score, other) if seat % 2 == 0 else min(score, other)


def _name(table: Sequence[int], bid: int, seat: int) -> str:
    level, strain = bid // 5 + 1, _STRAINS[bid % 5]
    over = table[4 * strain + seat] - level - 6
    text = f"{level}{'SHDCN'[strain]}{'T' if strain == 4 else ''}{'x' if over < 0 else ''}"
    return f"{text} by {SEATS[seat]}{f' {over:+d}' if over else ''}"
