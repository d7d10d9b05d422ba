"""Bidding: the language of the systems, what calls mean, and how they make deals likely."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

from gametree import BadInput, UnknownName, load_algorithm, load_game
from gametree.games.bridge.bidding import Auction, System, load_system, system_names
from gametree.games.bridge.cards import call_text, read_call, read_hand
from gametree.games.bridge.features import Hands

SAYC = load_system("sayc")


def call_for(hand: str, auction: str = "", system: System = SAYC) -> str:
    calls = [read_call(word) for word in auction.split()]
    return call_text(Auction((system, system), 0, calls).choose(read_hand(hand))[0])


@pytest.mark.parametrize(
    ("hand", "auction", "call"),
    [
        ("K2.K9873.AQ8.KQ4", "", "1NT"), ("AKQ95.AT3.KJ2.97", "", "1NT"), ("K2.AK873.AQ8.KQ4", "", "2NT"),
        ("KQ54.A873.6.KT64", "", "1C"), ("AQJ987..972.K953", "", "1S"), ("KJ8.A876.Q75.Q75", "", "P"),
        ("98.Q76.AKQ8765.7", "", "1D"), ("KQ6.98.KJT842.54", "", "2D"), ("AK.AKQ5.AKJ4.K32", "", "2C"),
        ("Q93.K65.J843.Q87", "1NT P", "P"), ("QJ32.J652.AJ7.T2", "1NT P", "2C"), ("KJ865.K32.532.J9", "1NT P", "2H"),
        ("K65.Q73.AJ72.AQ2", "1NT P 2C P", "2D"), ("Q732.K65.AJ72.T9", "1NT P 2C P 2S P", "4S"),
        ("KJ865.K32.532.A9", "1NT P 2H P 2S P", "3NT"), ("A954.KJ5.652.T64", "1H P", "2H"),
        ("A753.K8.K765.432", "1H P", "1S"), ("J95.J732.A4.KQT8", "1S P", "3S"), ("AT42.KT8.A75.QJ5", "1S P", "2NT"),
        ("97.AT832.KQ4.J95", "1C P", "1H"), ("K9542.A7.KJ5.987", "1D", "1S"), ("4.KJ43.AT73.KQ42", "1S", "X"),
        ("AQ2.KJ4.AT73.942", "1C P 1S", "P"), ("8.KQT2.A954.9842", "1D 1S", "X"),
    ],
)  # fmt: skip
def test_usual_calls(hand: str, auction: str, call: str) -> None:
    assert call_for(hand, auction) == call


def test_a_call_is_its_own_explanation() -> None:
    auction = Auction((SAYC, SAYC), 0)
    meaning = auction.add(read_call("1NT"))
    assert (meaning.seat, meaning.sentence) == (0, "15–17 high-card points, balanced")
    assert (auction.known[0].low, auction.known[0].high) == (15, 17)
    assert auction.known[0].shortest == [2] * 4
    auction.add(0)
    assert auction.add(read_call("2H")).sentence.startswith("transfer to spades: 5+ spades")
    assert auction.known[2].shortest[0] == 5
    auction.add(0)
    assert auction.add(read_call("5C")).sentence == ""  # the system does not have it


def test_the_choice_fits_the_sentence() -> None:
    """What is said of a call is true of every hand that says it, and a pass tells that no rule held."""
    rng = random.Random(2)
    for _ in range(60):
        cards = rng.sample(range(52), 52)
        hands = [sum(1 << c // 13 * 16 + c % 13 for c in cards[13 * k : 13 * k + 13]) for k in range(4)]
        auction = Auction((SAYC, SAYC), rng.randrange(4))
        while len(auction.calls) < 4 or any(auction.calls[-3:]):
            seat = auction.seat
            call, _ = auction.choose(hands[seat])
            auction.add(call)
            assert len(auction.calls) < 60
        for seat in range(4):
            assert auction.likelihood(seat, Hands([hands[seat]])).tolist() == [1.0]


def test_likelihood_tells_hands_apart() -> None:
    auction = Auction((SAYC, SAYC), 0, [read_call("1NT"), 0, 0, 0])
    strong, weak, long = (read_hand(hand) for hand in ("KQ4.AQ8.K987.K32", "Q43.J87.T987.J32", "AKQJ87.AQ8.K9.32"))
    found = auction.likelihood(0, Hands([strong, weak, long]))
    assert found[0] == 1
    assert found[0] > 10 * found[1]
    assert found[0] > 10 * found[2]
    passed = Auction((SAYC, SAYC), 0, [0])
    assert np.argmax(passed.likelihood(0, Hands([strong, weak]))) == 1  # a pass denies an opening


def test_systems_are_data() -> None:
    assert {"sayc", "two-over-one"} <= set(system_names())
    two = load_system("two-over-one")
    eleven = "42.K65.A83.KQT98"
    assert (call_for(eleven, "1S P"), call_for(eleven, "1S P", two)) == ("2C", "1NT")
    text = (
        "system Mine\nopening\n1C : hcp 16+ ; strong club\n1x : x 5+, longest(x)\nP :\nafter 1C\n1D : hcp 7- ; negative"
    )
    mine = System(text)
    assert mine.title == "Mine"
    assert call_for("AKQ2.AK2.Q32.432", "", mine) == "1C"
    assert call_for("KQ652.K2.Q32.432", "", mine) == "1S"
    mixed = Auction((mine, SAYC), 0, [read_call("1C"), 0, read_call("1D")])
    assert mixed.options[0][0].sentence() == "strong club: 16+ high-card points"
    assert mixed.known[2].high == 7


@pytest.mark.parametrize(
    ("text", "match"),
    [
        ("1C : hcp 16+", "line 1: .*expected after, opening, always"),
        ("opening\n1C hcp", "line 2"),
        ("opening\n1C : wisdom 5+", "line 2: .*no feature 'wisdom'"),
        ("opening\n1C : hcp many", "line 2: .*no condition|no range"),
    ],
)
def test_broken_systems_are_told(text: str, match: str) -> None:
    with pytest.raises(BadInput, match=match):
        System(text, "mine.txt")


def test_an_unknown_system_is_named() -> None:
    with pytest.raises(UnknownName, match=r"no bidding system 'sac'\. Did you mean 'sayc'"):
        load_system("sac")


def test_worlds_follow_the_auction() -> None:
    game: Any = load_game("bridge")
    deal = "N:KQ4.AQ8.K987.K32 873.J97.AT64.QT4 J65.K32.QJ5.9876 AT92.T654.32.AJ5"
    state = game.state_from_text(f"{deal} | N none | 1NT P P P | D4")
    view = game.view(state, 3)
    worlds = game.worlds(view, 3, random.Random(1), 30)
    points = [int(Hands([int(game.struct(world).hands[0])]).hcp[0]) for world, _ in worlds]
    assert all(game.view(world, 3) == view for world, _ in worlds)
    assert sum(15 <= value <= 17 for value in points) > 0.8 * len(points)
    plain = [game.resample(view, 3, random.Random(seed)) for seed in range(60)]
    plain_points = [int(Hands([int(game.struct(world).hands[0])]).hcp[0]) for world in plain]
    assert sum(15 <= value <= 17 for value in plain_points) < 0.6 * len(plain)
    assert game.plausibility(state, 3) == 1.0


def test_a_program_bids_by_the_system_and_plays_by_the_solver() -> None:
    game: Any = load_game("bridge")
    redeal = load_algorithm("redeal")[1]
    state = game.state_from_text("N:KQ4.AQ8.K987.K32 873.J97.AT64.QT4 J65.K32.QJ5.9876 AT92.T654.32.AJ5 | N none")
    found = redeal(game, state)
    assert game.action_text(state, found.move) == "1NT"
    assert found.details["why"] == "15–17 high-card points, balanced"
    # All tricks but one are known: the queen of hearts must be played before the ace is.
    late = (
        "N:AKQJ.AQ.AKQ.AKQJ T987.KJ9.987.987 654.T87.6543.T65 32.65432.JT2.432 | N none | 7NT P P P | "
        "S9 S4 S2 SA D7 D3 D2 DA D8 D4 DT DK D9 D5 DJ DQ"
    )
    with pytest.raises(BadInput):
        game.state_from_text(late)  # North leads after the first trick: the words are checked, not trusted
    state = game.state_from_text(late[: late.index(" D7")])
    first, second = (redeal(game, state, worlds=8, seed=3) for _ in range(2))
    assert (first.move, first.value) == (second.move, second.value)
    assert not any(text.startswith("claim") for text in first.details["means"])
