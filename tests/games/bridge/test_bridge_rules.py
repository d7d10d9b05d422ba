"""Bridge: the auction, the play, claims, who knows what, and the score."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import pytest

from gametree import BadInput, IllegalMove, load_game
from gametree.games.bridge.cards import SEATS, read_deal
from gametree.games.bridge.scoring import contract_score, imps, matchpoints, vulnerability
from gametree.games.bridge.table import CLAIM

DEAL = "N:QJ6.K652.J85.T98 873.J97.AT764.Q4 K5.T83.KQ9.A7652 AT942.AQ4.32.KJ3"


@pytest.fixture(scope="module")
def game() -> Any:
    return load_game("bridge")


def follow(game: Any, text: str, state: Any = None) -> Any:
    state = game.initial() if state is None else state
    for word in text.split():
        state = game.result(state, game.action_from_text(state, word))
    return state


class Plain:
    """The rules of auction and play once more, with lists."""

    def __init__(self, hands: list[set[str]], dealer: int) -> None:
        self.hands, self.dealer, self.calls, self.cards = hands, dealer, [], []
        self.leader, self.contract, self.won = 0, "", [0, 0]

    def bids(self) -> list[tuple[int, str]]:
        return [((self.dealer + i) % 4, call) for i, call in enumerate(self.calls) if call not in ("P", "X", "XX")]

    def legal_calls(self) -> set[str]:
        order = [f"{level}{strain}" for level in range(1, 8) for strain in ("C", "D", "H", "S", "NT")]
        bids, seat = self.bids(), (self.dealer + len(self.calls)) % 4
        allowed = {"P", *(order[order.index(bids[-1][1]) + 1 :] if bids else order)}
        others = [call for call in self.calls if call != "P"]
        theirs = bool(bids) and (bids[-1][0] - seat) % 2 == 1
        if others and others[-1] not in ("X", "XX") and theirs:
            allowed.add("X")
        if others and others[-1] == "X" and not theirs:
            allowed.add("XX")
        return allowed

    def call(self, call: str) -> None:
        self.calls.append(call)
        if len(self.calls) > 3 and self.calls[-3:] == ["P"] * 3 and self.bids():
            seat, self.contract = self.bids()[-1]
            first = next(s for s, bid in self.bids() if (s - seat) % 2 == 0 and bid[1:] == self.contract[1:])
            self.declarer, self.leader = first, (first + 1) % 4

    def mover(self) -> int:
        return (self.leader + len(self.cards) % 4) % 4

    def legal_cards(self) -> set[str]:
        trick = self.cards[len(self.cards) - len(self.cards) % 4 :]
        hand = self.hands[self.mover()]
        return {card for card in hand if trick and card[0] == trick[0][0]} or set(hand)

    def play(self, card: str) -> None:
        self.hands[self.mover()].remove(card)
        self.cards.append(card)
        if len(self.cards) % 4 == 0:
            trick, trump = self.cards[-4:], self.contract[1:]
            power = [(c[0] == trump, c[0] == trick[0][0], "23456789TJQKA".index(c[1])) for c in trick]
            self.leader = (self.leader + power.index(max(power))) % 4
            self.won[self.leader % 2] += 1


def test_the_rules_agree_with_plain_ones(game: Any) -> None:
    rng = random.Random(1)
    for _ in range(12):
        state = game.result(game.initial(), game.roll(game.initial(), rng))
        s = game.struct(state)
        hands = [set(_cards(int(hand))) for hand in s.hands]
        plain = Plain(hands, int(s.dealer))
        while not plain.contract:
            texts = {game.action_text(state, a): a for a in game.actions(state)}
            assert set(texts) == plain.legal_calls()
            word = rng.choice(sorted(texts)) if rng.random() < 0.6 else "P"
            state = game.result(state, texts[word])
            plain.call(word)
            if game.is_terminal(state):
                assert plain.calls == ["P"] * 4
                assert game.utilities(state) == (0, 0, 0, 0)
                break
        while not game.is_terminal(state):
            mover = plain.mover()
            assert game.player(state) == (plain.declarer if mover == (plain.declarer + 2) % 4 else mover)
            texts = {game.action_text(state, a): a for a in game.actions(state) if a < CLAIM}
            assert set(texts) == plain.legal_cards()
            word = rng.choice(sorted(texts))
            state = game.result(state, texts[word])
            plain.play(word)
            assert game.state_from_text(game.state_text(state)) == state
        if plain.contract:
            assert [int(won) for won in game.struct(state).won] == plain.won


def _cards(hand: int) -> list[str]:
    return ["SHDC"[card >> 4] + "23456789TJQKA"[card & 15] for card in range(64) if hand >> card & 1]


def test_all_ways_of_an_auction(game: Any) -> None:
    start = game.state_from_text(f"{DEAL} | N none")
    passed = follow(game, "P P P P", start)
    assert game.is_terminal(passed)
    assert game.draw(passed).caption == "passed out, N-S +0"
    ready = follow(game, "1C P 1H X XX P 2H P 4H X XX P P P", start)
    assert game.label(ready) == "4HXX by S"  # South named hearts first
    assert game.player(ready) == SEATS.index("W")
    with pytest.raises(IllegalMove, match="East cannot bid 1C: it is not sufficient over 1D; expected a higher bid"):
        follow(game, "1D 1C", start)
    with pytest.raises(IllegalMove, match="North cannot double: a double needs a bid of the other side"):
        follow(game, "X", start)
    with pytest.raises(IllegalMove, match="South cannot redouble: a redouble needs an own bid"):
        follow(game, "1C P XX", start)


def test_revokes_are_impossible(game: Any) -> None:
    state = follow(game, "1NT P P P C4", game.state_from_text(f"{DEAL} | N none"))
    with pytest.raises(IllegalMove, match=r"South cannot play SK: that would be a revoke, .* suit C"):
        follow(game, "SK", state)
    with pytest.raises(IllegalMove, match="South cannot play CK: the card is not in that hand"):
        follow(game, "CK", state)


def test_claims(game: Any) -> None:
    state = follow(game, "1NT P P P C4 C2 CK C8", game.state_from_text(f"{DEAL} | N none"))
    with pytest.raises(IllegalMove, match="West cannot claim here"):
        follow(game, "claim3", state)
    state = follow(game, "C3 C9 CQ CA", state)
    assert game.player(state) == 0  # North declares and plays for dummy, who took the trick
    asked = follow(game, "claim7", state)
    for seat in range(4):
        assert int(game.struct(game.view(asked, seat)).hands[0])  # the claimer's cards are shown
    assert [game.player(asked), game.player(follow(game, "accept", asked))] == [1, 3]
    refused = follow(game, "accept refuse", asked)
    assert game.player(refused) == 0
    assert not any(action >= CLAIM for action in game.actions(refused))  # once only
    assert game.state_from_text(game.state_text(refused)) == refused
    done = follow(game, "accept accept", asked)
    assert game.utilities(done) == (120, -120, 120, -120)  # eight tricks
    assert game.state_from_text(game.state_text(done)) == done


def test_who_sees_what(game: Any) -> None:
    rng = random.Random(9)
    state = follow(game, "P P 1C 1S X P 1NT P P 2S P P P", game.state_from_text(f"{DEAL} | N none"))
    lead = follow(game, "CT", state)
    for seat in range(-1, 4):
        before, after = game.view(state, seat), game.view(lead, seat)
        assert [bool(hand) for hand in game.struct(before).hands] == [s == seat for s in range(4)]
        assert [bool(hand) for hand in game.struct(after).hands] == [s in (seat, 1) for s in range(4)]  # East is dummy
        assert game.state_from_text(game.state_text(after)) == after
        for other, hand in enumerate(read_deal(DEAL)):
            shown = str(game.draw_for(lead, seat))
            hidden = other not in (seat, 1)
            cards = [c for c in _cards(hand or 0) if c != "CT"]
            wrong = [c for c in cards if (f"kind='card', text='{c[1]}{c[0]}'" in shown) == hidden]
            assert not wrong
    # Every redeal looks the same, and nobody gets a suit that he showed to be out of.
    state = follow(game, "CT C4 CA CJ CK", follow(game, "P P 1C 1S X P 1NT P P 2S P P P", game.state_from_text(
        "N:QJ6.K652.J8532.T 873.J97.AT764.Q4 K5.T83.KQ9.AK652 AT942.AQ4..J9873 | N none"
    )))  # fmt: skip
    for seat in range(4):
        view = game.view(state, seat)
        dealt = [game.resample(view, seat, rng) for _ in range(20)]
        assert all(game.view(world, seat) == view for world in dealt)


def test_redealing_is_even_where_a_suit_is_out(game: Any) -> None:
    """Every card that may be with either hand is there in proportion to the ways, counted by hand for a late ending."""
    text = (
        f"{DEAL} | N none | P P 1C 1S X P 1NT P P 2S P P P | "
        "CT C4 CA CJ C2 CK C8 CQ HA H2 H7 H3 H4 HK H9 H8 H5 HJ HT HQ S2 S6 S3 SK "
        "D9 D2 D5 DA D4 DK D3 D8 C7 C3 C9 S7 S8 S5 ST SJ"
    )
    state = game.state_from_text(text)
    seat = game.player(state)
    view, rng = game.view(state, seat), random.Random(4)
    drawn = Counter(tuple(int(h) for h in game.struct(game.resample(view, seat, rng)).hands) for _ in range(3000))
    expected = 3000 / len(drawn)
    chi = sum((count - expected) ** 2 / expected for count in drawn.values())
    assert len(drawn) > 1
    assert chi < len(drawn) + 5 * (2 * len(drawn)) ** 0.5 + 5


@pytest.mark.parametrize(
    ("contract", "tricks", "usual", "vulnerable"),
    [
        ("1NT", 7, 90, 90), ("1CX", 7, 140, 140), ("1CXX", 7, 230, 230), ("2CX", 8, 180, 180), ("2CXX", 8, 560, 760),
        ("1SX", 10, 460, 760), ("2S", 9, 140, 140), ("3NT", 9, 400, 600), ("3NT", 10, 430, 630), ("4S", 10, 420, 620),
        ("4HXX", 10, 880, 1080), ("5CX", 12, 650, 950), ("6S", 12, 980, 1430), ("6NT", 12, 990, 1440),
        ("7C", 13, 1440, 2140), ("7NT", 13, 1520, 2220), ("7NTXX", 13, 2280, 2980), ("1NTXX", 13, 1760, 3160),
        ("1CXX", 13, 1430, 2630), ("3NT", 5, -200, -400), ("4SX", 9, -100, -200), ("4SX", 8, -300, -500),
        ("4SX", 7, -500, -800), ("4SX", 6, -800, -1100), ("4SXX", 7, -1000, -1600), ("7NTX", 0, -3500, -3800),
        ("7NTXX", 0, -7000, -7600),
    ],
)  # fmt: skip
def test_the_score_of_contracts(contract: str, tricks: int, usual: int, vulnerable: int) -> None:
    bid = contract.rstrip("X")
    strain = "SHDCN".index(bid[1])
    for side, wanted in enumerate((usual, vulnerable)):
        assert contract_score(int(bid[0]), strain, len(contract) - len(bid), side, tricks) == wanted


def test_imps_matchpoints_and_boards() -> None:
    steps = {0: 0, 10: 0, 20: 1, 170: 5, 430: 10, 720: 12, 2490: 20, 2500: 21, 3990: 23, 4000: 24, 7600: 24}
    assert {size: imps(size) for size in steps} == steps
    assert imps(-430) == -10
    assert matchpoints([450, 420, 420, 170, -50]) == [8, 5, 5, 2, 0]
    sides = {1: 0, 2: 1, 3: 2, 4: 3, 5: 1, 7: 3, 8: 0, 9: 2, 12: 1, 13: 3, 16: 2, 17: 0}
    assert {board: vulnerability(board) for board in sides} == sides


def deal_of(game: Any, state: Any, calls: str, tricks: int, north: str) -> Any:
    """Play a deal of a rubber: its hands are set, its calls made, and its tricks claimed or conceded."""
    _, _, score = game.state_text(state).rpartition(" | ")
    score = f" | {score}" if score.startswith("rubber") else ""
    s = game.struct(state)
    dealer = SEATS[int(s.deals) % 4]
    vulnerable = ("none", "NS", "EW", "both")[(int(s.games[0]) > 0) + 2 * (int(s.games[1]) > 0)]
    words = calls.split()
    state = game.state_from_text(f"{north} | {dealer} {vulnerable} | {calls}{score}")
    assert words
    # The declarer's side plays high and the defenders low, until the former is on lead and can claim.
    while True:
        actions = game.actions(state)
        if any(action >= CLAIM for action in actions):
            s = game.struct(state)
            mine = int(s.won[int(s.declarer) % 2])
            state = game.result(state, CLAIM + tricks - mine)
            return follow(game, "accept accept", state)
        ours = int(game.player(state) - int(game.struct(state).declarer)) % 2 == 0
        state = game.result(state, max(actions, key=lambda card: card & 15) if ours else actions[0])


def rubber(game: Any, deals: list[tuple[str, str, int, str]]) -> Any:
    state = game.initial()
    for declarer, contract, tricks, deal in deals:
        dealer = int(game.struct(state).deals) % 4
        passes = ["P"] * ((SEATS.index(declarer) - dealer) % 4)
        bid = contract.rstrip("X")
        doubles = [["X"], ["X", "XX"]][len(contract) - len(bid) - 1] if bid != contract else []
        state = deal_of(game, state, " ".join([*passes, bid, *doubles, "P", "P", "P"]), tricks, deal)
    return state


EVEN = "N:A432.A32.A32.432 KQ5.KQ4.KQ4.AQ75 J76.J65.J65.KJT9 T98.T987.T987.86"  # no honours in one hand in any strain


def test_a_rubber_is_won() -> None:
    game = load_game("bridge:rubber")
    played = rubber(game, [("N", "1NT", 7, EVEN), ("N", "2D", 8, EVEN), ("S", "1C", 7, EVEN), ("N", "3NT", 10, EVEN)])
    assert game.is_terminal(played)
    assert game.utilities(played)[0] == 930
    assert game.state_from_text(game.state_text(played)) == played


def test_a_rubber_of_three_games_with_honours() -> None:
    game = load_game("bridge:rubber")
    honours = "N:5432.AKQJ.A32.43 KQ6.543.KQ4.AQ75 J7.T62.J65.KJT92 AT98.987.T987.86"  # North has four of five hearts
    deals = [
        ("N", "2S", 9, EVEN), ("E", "3NT", 9, EVEN), ("N", "4H", 11, honours), ("E", "4SX", 8, EVEN),
        ("N", "6C", 12, EVEN),
    ]  # fmt: skip
    assert game.utilities(rubber(game, deals))[0] == 2110


def test_a_rubber_that_is_not_over_keeps_its_part_scores() -> None:
    game = load_game("bridge:rubber")
    state = rubber(game, [("N", "1HX", 7, EVEN), ("E", "2SXX", 7, EVEN), ("N", "2H", 8, EVEN)])
    s = game.struct(state)
    assert not game.is_terminal(state)
    assert ([int(x) for x in s.games], [int(x) for x in s.points]) == ([1, 0], [60 + 50 + 200 + 60, 0])
    assert game.state_text(state) == "deal | rubber 3 1-0 0-0 370-0"
    assert game.state_from_text("deal | rubber 3 1-0 0-0 370-0") == state


@pytest.mark.parametrize(
    ("text", "match"),
    [
        ("N:AK.Q.. J", "is no deal: found 2 hands"),
        (DEAL.replace("T98", "T9"), "North has 12 cards; expected 13"),
        (DEAL.replace("873", "Q73"), "North and East both have SQ; expected each card once"),
        (DEAL.replace("QJ6", "QQ6"), "North's hand .* has SQ twice"),
        (DEAL.replace("QJ6.", "QJ6"), "North's hand .* has 3 suits; expected four"),
        (f"{DEAL} | N here", "'N here' is no dealer and vulnerability"),
        (f"{DEAL} | N none | 1C 1C", "East cannot bid 1C: it is not sufficient over 1C"),
        (f"{DEAL} | N none | 1C P P P HJ S2", "South cannot play S2: the card is not in that hand"),
        (f"{DEAL} | N none | 1C P P P HJ SK", "South cannot play SK: that would be a revoke"),
        (f"{DEAL} | N none | 1C hello", "'hello' is no call"),
        (f"{DEAL} | NT N", "names a strain and a leader, which only bridge:double-dummy takes"),
        (f"{DEAL} | N none | P P P P P", "'P' comes after the end of the deal"),
        (f"{DEAL} | N none | rubber 1 0-0 0-0 0-0", "only bridge:rubber has a score"),
    ],
)
def test_bad_positions_are_named(game: Any, text: str, match: str) -> None:
    with pytest.raises(BadInput, match=match):
        game.state_from_text(text)


@pytest.mark.parametrize("name", ["bridge:form=whist", "bridge:board=17", "bridge:form=rubber,board=3"])
def test_bad_parameters_are_named(name: str) -> None:
    with pytest.raises(BadInput, match="is not possible; expected"):
        load_game(name)
