"""What a program knows about a deal: exact values by double dummy, calls by a system, and likely hands."""

from __future__ import annotations

import random
from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from gametree.core.clock import Clock
from gametree.core.solution import Solution
from gametree.games.bridge.bidding import Auction, load_system
from gametree.games.bridge.cards import SEATS, STRAINS, card_text
from gametree.games.bridge.features import Hands
from gametree.games.bridge.par import par
from gametree.games.bridge.scoring import contract_score, imps
from gametree.games.bridge.solver import shared_solver
from gametree.games.bridge.table import (
    ACCEPT,
    AUCTION,
    CLAIM,
    CLAIMING,
    CONTRACT,
    DOUBLE_DUMMY,
    IMP,
    PLAY,
    REFUSE,
    RUBBER,
    claim_of,
    seat_to_move,
    seat_to_play,
    whole_hands,
)

if TYPE_CHECKING:
    from gametree.games.bridge.rules import Bridge

__all__ = ["advise", "auction_of", "draw_worlds", "likelihood", "solve"]

CANDIDATES = 12
"""Deals that are looked at for each that is wanted."""


# Double dummy ---------------------------------------------------------------------------------------------------------


def solve(game: Bridge, state: Any, clock: Clock | None) -> Solution | None:
    """The exact value of every move to the seat that decides; None but in the play and where strain and declarer are to
    be named, or where a hand is not known. Raises OutOfTime."""
    s = game.struct(state)
    hands = [int(hand) for hand in s.hands]
    if s.form == RUBBER or s.phase not in (PLAY, CLAIMING, CONTRACT) or not all(hands[_needed(s)]):
        return None
    solver = shared_solver()
    before = solver.nodes
    if s.phase == CONTRACT:
        table = solver.table(hands, clock=clock)
        tricks = {m: table[m] if m % 2 == 0 else int(s.dealt) - table[m] for m in range(20)}
        details = {"table": table, "strains": STRAINS, "declarers": SEATS, **_par_details(s, table)}
        return Solution(
            values={m: float(2 * won - int(s.dealt)) for m, won in tricks.items()},
            nodes=solver.nodes - before,
            details=details,
        )
    trick = [int(card) for card in s.played[int(s.count) - int(s.count) % 4 : int(s.count)]]
    after = solver.cards(hands, int(s.trump), int(s.leader), trick, clock=clock)
    won = int(s.won[0])
    legal = game.actions(state)
    values = {card: float(_worth(s, won + tricks)) for card, tricks in after.items()}
    side = int(s.declarer) % 2
    left = int(s.dealt) - int(s.count) // 4
    # The declarer's side, on lead, gets no more by a claim than by playing on.
    best = max(after.values()) if side == 0 else min(after.values())
    if s.phase == CLAIMING:
        claimed = (int(claim_of(s)) & 15) - 1
        granted = claimed if side == 0 else left - claimed
        values = {ACCEPT: float(_worth(s, won + granted)), REFUSE: float(_worth(s, won + best))}
    for move in legal:
        if CLAIM <= move < ACCEPT:
            mine = min(move - CLAIM, best if side == 0 else left - best)
            values[move] = float(_worth(s, won + (mine if side == 0 else left - mine)))
    sign = 1 if int(seat_to_move(s)) % 2 == 0 else -1
    takes = {card_text(card): tricks if sign > 0 else left - tricks for card, tricks in after.items()}
    mover_takes = dict(sorted(takes.items(), key=lambda pair: -pair[1]))
    return Solution(
        values={move: sign * value for move, value in values.items()},
        nodes=solver.nodes - before,
        details={"tricks": max(mover_takes.values()), "cards": mover_takes} if s.phase == PLAY else {},
    )


def _needed(s: Any) -> slice:
    """The hands that must not be empty; in the last trick some may be."""
    return slice(0, 4) if int(s.count) // 4 < int(s.dealt) - 1 else slice(0, 0)


def _worth(s: Any, tricks: int) -> int:
    """What the deal is worth to North-South if they take so many tricks in all."""
    if s.level == 0:
        return 2 * tricks - int(s.dealt)
    side = int(s.declarer) % 2
    taken = tricks if side == 0 else int(s.dealt) - tricks
    vulnerable = int(s.vulnerable) >> side & 1
    score = contract_score(int(s.level), int(s.trump), int(s.doubled), vulnerable, taken)
    score = score if side == 0 else -score
    return int(imps(score)) if s.form == IMP else score


def _par_details(s: Any, table: Sequence[int]) -> dict[str, Any]:
    """Par for every vulnerability, of a whole deal."""
    if s.dealt != 13:
        return {}
    names = ("none", "NS", "EW", "both")
    found = {}
    for vulnerable, name in enumerate(names):
        score, contracts = par(table, vulnerable, int(s.dealer))
        found[name] = {"score": score, "contracts": contracts}
    return {"par": found}


# Bidding --------------------------------------------------------------------------------------------------------------


def auction_of(game: Bridge, s: Any) -> Auction:
    """The auction so far as the game's system understands it."""
    return _understood(game.system, int(s.dealer), tuple(s.calls[: s.call_count].tolist()))


@lru_cache(maxsize=64)
def _understood(system: str, dealer: int, calls: tuple[int, ...]) -> Auction:
    """An auction, which nobody changes: every deal of a simulation asks for the same one."""
    spoken = load_system(system)
    return Auction((spoken, spoken), dealer, calls)


def advise(game: Bridge, view: Any, seat: int) -> tuple[int, str] | None:
    """The call that the system says, or the only card that can be played."""
    s = game.struct(view)
    if s.phase == AUCTION and s.form != DOUBLE_DUMMY:
        call, sentence = auction_of(game, s).choose(int(s.hands[seat]))
        return (call, sentence) if call in game.actions(view) else (0, "the system has no legal call here")
    if s.phase == PLAY:
        actions = [action for action in game.actions(view) if action < CLAIM]
        if len(actions) == 1:
            return actions[0], "the only card that may be played"
    return None


# Likely hands ---------------------------------------------------------------------------------------------------------


def likelihood(game: Bridge, states: Sequence[Any], seat: int) -> np.ndarray[Any, np.dtype[np.float64]]:
    """How well deals explain what the others have called, as far as the seat's system tells."""
    first = game.struct(states[0])
    weights = np.ones(len(states))
    if not first.call_count or first.form == DOUBLE_DUMMY:
        return weights
    auction = auction_of(game, first)
    whole = np.zeros((len(states), 4), np.uint64)
    for place, state in enumerate(states):
        whole_hands(game.struct(state), whole[place])
    for other in range(4):
        if other != seat:
            weights *= auction.likelihood(other, Hands([int(hand) for hand in whole[:, other]]))
    return weights


def draw_worlds(game: Bridge, view: Any, seat: int, rng: random.Random, count: int) -> list[tuple[Any, float]]:
    """Deals that look like the view, drawn as the calls make them likely."""
    s = game.struct(view)
    if seat_to_play(s) < 0 or not s.call_count:
        return [(game.resample(view, seat, rng), 1.0) for _ in range(count)]
    states = [game.resample(view, seat, rng) for _ in range(CANDIDATES * count)]
    weights = likelihood(game, states, seat)
    drawn = rng.choices(range(len(states)), weights.tolist(), k=count)
    times: dict[int, int] = {}
    for place in drawn:
        times[place] = times.get(place, 0) + 1
    return [(states[place], float(number)) for place, number in times.items()]
