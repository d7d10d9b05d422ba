"""The verbs of bridge, and the formal game made of them."""

from __future__ import annotations

import math
import random
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from gametree.core.clock import Clock
from gametree.core.drawing import Drawing
from gametree.core.errors import BadInput, IllegalMove
from gametree.core.facts import Facts
from gametree.core.format import Format, shared_format
from gametree.core.game import Game
from gametree.core.solution import Solution
from gametree.games.bridge import drawing, playing, text
from gametree.games.bridge.cards import SEAT_NAMES, card_text, hand_text
from gametree.games.bridge.redealing import deal_unseen
from gametree.games.bridge.scoring import contract_score, imps
from gametree.games.bridge.table import (
    ACCEPT,
    AUCTION,
    CLAIM,
    CLAIMING,
    CONTRACT,
    DEAL,
    DOUBLE_DUMMY,
    DUPLICATE,
    IMP,
    OVER,
    PLAY,
    REFUSE,
    RUBBER,
    State,
    answer_claim,
    call,
    choose_contract,
    claim_cards,
    deal_cards,
    is_known,
    lay_card,
    legal_calls,
    legal_cards,
    points_of,
    seat_to_move,
    strain_of,
    vulnerable,
)
from gametree.kernels import UNLISTED, ZERO, CompiledGame, mix_in, popcount, u64

__all__ = ["FORMS", "Bridge", "State"]

FORM = DUPLICATE
BOARD = 0
UNIT = 1
JACKS = u64(0x0200020002000200)


# Rules ----------------------------------------------------------------------------------------------------------------


def initial(s: Any) -> None:
    """Before the deal."""
    s.form, s.board = FORM, BOARD


def player(s: Any) -> Any:
    """Chance deals; then calls go round, the declarer plays for dummy, and defenders answer a claim."""
    return seat_to_move(s)


def outcomes(s: Any, out: Any, odds: Any) -> Any:
    """The deals are too many for a list."""
    return UNLISTED if s.phase == DEAL else 0


def legal_moves(s: Any, out: Any) -> Any:
    """Calls, cards and claims, or answers to a claim."""
    if s.phase == AUCTION:
        return legal_calls(s, out)
    if s.phase == PLAY:
        return claim_cards(s, out, legal_cards(s, out))
    if s.phase == CLAIMING:
        out[0], out[1] = ACCEPT, REFUSE
        return 2
    if s.phase == CONTRACT:
        for m in range(20):
            out[m] = m
        return 20
    return 0


def play(s: Any, m: Any) -> None:
    """Deal, call, play or claim."""
    if s.phase == DEAL:
        deal_cards(s, m)
    elif s.phase == AUCTION:
        call(s, m)
    elif s.phase == CONTRACT:
        choose_contract(s, m)
    elif s.phase == CLAIMING:
        answer_claim(s, m)
    elif m >= CLAIM:
        s.claims[s.count // 4] = 16 + m - CLAIM + 1
        s.shown |= 1 << np.int64(s.declarer)
        s.phase = CLAIMING
    else:
        lay_card(s, m)


def payoffs(s: Any, out: Any) -> None:
    """North-South's points, IMPs or tricks, and the opposite for East-West."""
    value = points_of(s)
    for seat in range(4):
        out[seat] = value if seat % 2 == 0 else -value


def playout_move(s: Any, bits: Any, out: Any) -> Any:
    """Any legal move, but no claims, which end most games at once."""
    if s.phase == PLAY:
        n = legal_cards(s, out)
    else:
        n = legal_moves(s, out)
    return out[np.int64((u64(bits) >> u64(32)) * u64(n) >> u64(32))]


# Who knows what -------------------------------------------------------------------------------------------------------


def hide(s: Any, seat: Any) -> None:
    """Blank the hands that the seat does not see: all but its own, dummy's after the lead, and those that are shown."""
    for other in range(4):
        if not is_known(s, seat, other):
            s.hands[other] = ZERO


def redeal(s: Any, seat: Any, bits: Any) -> None:
    """Deal the unseen cards, all ways that the play allows equally likely."""
    if s.phase != DEAL and s.phase != OVER:
        deal_unseen(s, seat, bits)


def heard(s: Any, m: Any, t: Any, seat: Any) -> Any:
    """The move itself, and with it whatever it shows: one's own cards, dummy's, the claimer's, all cards, the score."""
    if s.phase == AUCTION and t.phase in (AUCTION, PLAY):
        return np.int64(m) + 1
    if s.phase == PLAY and t.phase == PLAY and s.count > 0:
        return np.int64(m) + 1
    h = mix_in(u64(m) if s.phase != DEAL else ZERO, u64(t.dealer) | u64(t.vulnerable) << u64(8))
    for other in range(4):
        if is_known(t, seat, other):
            h = mix_in(h, t.hands[other])
    for side in range(2):
        h = mix_in(h, u64(np.int64(t.points[side])) ^ u64(np.int64(t.below[side])) << u64(40))
    return np.int64(mix_in(h, u64(t.board)) >> u64(8)) + 128


# Knowledge ------------------------------------------------------------------------------------------------------------


def evaluate(s: Any) -> Any:
    """The points of the contract so far, by the tricks that high cards and the fit promise. For the side to move."""
    if s.phase in (DEAL, CONTRACT):
        return 0
    side = seat_to_move(s) % 2
    if s.phase == OVER:
        value = points_of(s)
        return value if side == 0 else -value
    if s.bid == 0 and s.form != DOUBLE_DUMMY:
        return 0
    # 1. The tricks of North-South.
    strain = np.int64(s.trump) if s.phase != AUCTION else strain_of(s.bid)
    pair = s.hands[0] | s.hands[2]
    theirs = s.hands[1] | s.hands[3]
    points = rest = 0
    for k in range(4):
        points += (k + 1) * popcount(pair & (JACKS << u64(k)))
        rest += (k + 1) * popcount((pair | theirs) & (JACKS << u64(k)))
    left = np.int64(s.dealt) - np.int64(s.count) // 4
    share = 0.5 if rest == 0 else points / rest
    if strain < 4:
        fit = popcount(pair >> u64(16 * strain) & u64(0x1FFF)) - popcount(theirs >> u64(16 * strain) & u64(0x1FFF))
        share += 0.04 * fit
    tricks = np.int64(s.won[0]) + np.int64(left * min(1.0, max(0.0, 1.35 * share - 0.175)) + 0.5)
    if s.form == DOUBLE_DUMMY and s.level == 0:
        value = 2 * tricks - np.int64(s.dealt)
        return value if side == 0 else -value
    # 2. The score with them.
    level = (np.int64(s.bid) - 3) // 5 + 1
    declarer = np.int64(s.declarer) % 2 if s.phase != AUCTION else np.int64(s.bidder) % 2
    taken = tricks if declarer == 0 else np.int64(s.dealt) - tricks
    score = contract_score(level, strain, np.int64(s.doubled), vulnerable(s, declarer), taken)
    value = np.int64(s.points[0]) - np.int64(s.points[1]) + (score if declarer == 0 else -score)
    if s.form == IMP:
        value = imps(value)
    return value if side == 0 else -value


def hash_state(s: Any) -> Any:
    """All that can still matter: hands, calls, the contract, the running trick, tricks and the rubber."""
    h = u64(0x243F6A8885A308D3)
    for seat in range(4):
        h = mix_in(h, s.hands[seat])
        h = mix_in(h, u64(s.void[seat]))
    h = mix_in(h, u64(s.phase) | u64(s.dealer) << u64(8) | u64(s.vulnerable) << u64(16) | u64(s.count) << u64(24))
    h = mix_in(h, u64(s.leader) | u64(s.level) << u64(8) | u64(s.trump) << u64(16) | u64(s.declarer) << u64(24))
    h = mix_in(h, u64(s.doubled) | u64(s.shown) << u64(8) | u64(s.won[0]) << u64(16) | u64(s.won[1]) << u64(24))
    for i in range(s.call_count):
        h = mix_in(h, u64(s.calls[i]))
    for i in range(s.count - s.count % 4, s.count):
        h = mix_in(h, u64(s.played[i]))
    for i in range(13):
        h = mix_in(h, u64(s.claims[i]))
    for side in range(2):
        h = mix_in(h, u64(np.int64(s.points[side])) ^ u64(np.int64(s.below[side])) << u64(40))
    return mix_in(h, u64(s.deals) | u64(s.games[0]) << u64(8) | u64(s.games[1]) << u64(16) | u64(s.board) << u64(24))


# The formal game ------------------------------------------------------------------------------------------------------

FORMS = {"duplicate": DUPLICATE, "imp": IMP, "rubber": RUBBER, "double-dummy": DOUBLE_DUMMY}
_MOST = {DUPLICATE: 7600, IMP: 24, RUBBER: 600_000, DOUBLE_DUMMY: 7600}
"""No seat gets more: 7NT redoubled and down thirteen; a bound for sixty such deals."""
_SLOPE = {DUPLICATE: 250.0, IMP: 6.0, RUBBER: 500.0, DOUBLE_DUMMY: 250.0}
_LONGEST = 1 + 319 + 52 + 39


class Bridge(CompiledGame):
    """Bridge. `form` is duplicate, imp, rubber or double-dummy; `board` numbers the board, 0 draws the number; `system`
    is what programs bid by."""

    seat_names = SEAT_NAMES

    def __init__(self, form: str = "duplicate", board: int = 0, system: str = "sayc") -> None:
        if form not in FORMS:
            raise BadInput(f"bridge:form={form} is not possible; expected {', '.join(FORMS)}.")
        if not 0 <= board <= 16 or (board and form == "rubber"):
            raise BadInput(f"bridge:board={board} is not possible; expected 1 to 16, or 0, and no rubber.")
        self.form = FORMS[form]
        self.system = system
        is_open = form == "double-dummy"
        deals = 60 if form == "rubber" else 1
        self.facts = Facts(
            players=4,
            teams=((0, 2), (1, 3)),
            chance=True,
            unlisted=True,
            hidden=not is_open,
            min_utility=-_MOST[self.form],
            max_utility=_MOST[self.form],
            most_moves=38,
            longest_game=deals * _LONGEST,
        )
        self.formats: Mapping[str, Format] = {
            "pbn": shared_format(self, "pbn"),
            "lin": shared_format(self, "lin"),
        }
        super().__init__(FORM=self.form, BOARD=board)

    def opened(self, state: Any) -> tuple[Game[Any, Any], Any]:
        """The same deal with all cards on the table: double dummy, without chance once the cards are dealt."""
        if self.form == RUBBER:  # this deal alone, scored as duplicate
            structs = self.structs(state)
            structs[0].form, structs[0].deals = DUPLICATE, 0
            for side in range(2):
                structs[0].games[side] = structs[0].below[side] = structs[0].points[side] = 0
            return Bridge(system=self.system).opened(self.pack(structs))
        twin, same = super().opened(state)
        if self.player(state) >= 0 or self.is_terminal(state):
            twin.facts = replace(twin.facts, chance=False, unlisted=False)
        return twin, same

    def winning_chance(self, value: float) -> float:
        """By how such differences end boards."""
        return 1 / (1 + math.exp(-max(-30.0, min(30.0, value / _SLOPE[self.form]))))

    # Text -------------------------------------------------------------------------------------------------------------

    def action_text(self, state: Any, action: int) -> str:
        """The number of the deal, the call, the card, `claim 5`, `accept`, or strain and declarer."""
        return text.action_text(self.struct(state), action)

    def action_from_text(self, state: Any, text_of_move: str) -> Any:
        """Also `pass`, `3N`, `QS` for SQ. Raises IllegalMove, which names the rule."""
        s = self.struct(state)
        if s.phase == DEAL:
            return super().action_from_text(state, text_of_move)
        action = text.read_action(s, text_of_move)
        if action is not None and action in self.actions(state):
            return action
        if action is not None:
            raise IllegalMove(text.why_illegal(s, action, text_of_move.strip()))
        return super().action_from_text(state, text_of_move)

    def hear_text(self, state: Any, action: int, after: Any, player: int) -> str:
        """The call or card, or the hand that was dealt."""
        s = self.struct(state)
        if s.phase != DEAL:
            return text.action_text(s, action)
        return hand_text(int(self.struct(after).hands[player])) if player >= 0 else "the deal"

    def state_text(self, state: Any) -> str:
        """The deal as PBN writes it, dealer and vulnerability, the calls and the cards."""
        return text.state_text(self.struct(state))

    def state_from_text(self, text_of_state: str) -> Any:
        """Raises BadInput, which names the seat, the card and the rule."""
        return text.read_state(self, text_of_state)

    def label(self, state: Any) -> str:
        """The contract, or the last call."""
        s = self.struct(state)
        return text.contract_text(s) if s.level else ""

    def draw(self, state: Any) -> Drawing:
        """The four hands as on a compass, the auction, and the running trick."""
        return drawing.draw(self.struct(state))

    def action_cells(self, state: Any, action: int) -> Sequence[str]:
        """The card in its hand."""
        s = self.struct(state)
        if s.phase != PLAY or action >= CLAIM:
            return ()
        return (card_text(action),)

    # Knowledge --------------------------------------------------------------------------------------------------------

    def solution(self, state: Any, clock: Clock | None = None) -> Solution | None:
        """Double dummy: the value of every card or claim, or of every strain and declarer."""
        return playing.solve(self, state, clock)

    def advice(self, view: Any, player: int) -> tuple[int, str] | None:
        """The call that the system says for the hand, and what it means."""
        return playing.advise(self, view, player)

    def plausible_actions(self, state: Any) -> Sequence[int]:
        """All but claims, which solved deals make look better than they are: each has a best line of its own."""
        return [action for action in self.actions(state) if not CLAIM <= action < ACCEPT]

    def plausibility(self, state: Any, player: int) -> float:
        """How well the hands explain the calls of the others."""
        return float(playing.likelihood(self, [state], player)[0])

    def worlds(self, view: Any, player: int, rng: random.Random, count: int) -> list[tuple[Any, float]]:
        """Deals drawn as the calls make them likely."""
        return playing.draw_worlds(self, view, player, rng, count)
