"""The double-dummy solver: against plain minimax on endings, and on deals whose results are published."""

from __future__ import annotations

import random
from functools import cache
from typing import Any

import pytest

from gametree import BadInput, Clock, OutOfTime, load_algorithm, load_game
from gametree.games.bridge.cards import deal_text, read_deal
from gametree.games.bridge.par import par
from gametree.games.bridge.solver import Solver, shared_solver

GAME = load_game("bridge:double-dummy")

# The first ten deals of the list of DDS: dealer, vulnerable, table by strain ♠ ♥ ♦ ♣ NT and declarer N E S W, par.
DEALS = [
    ("N:QJ6.K652.J85.T98 873.J97.AT764.Q4 K5.T83.KQ9.A7652 AT942.AQ4.32.KJ3", 0, 0, "5858 6666 5757 7575 6666", -110),
    ("E:QJT5432.T.6.QJ82 .J97543.K7532.94 87.A62.QJT4.AT75 AK96.KQ8.A98.K63", 1, 1, "4949 A2A2 8383 6767 9393", 100),
    ("N:73.QJT.AQ54.T752 QT6.876.KJ9.AQ84 5.A95432.7632.K6 AKJ9842.K.T8.J93", 0, 0, "3A3A 9494 8484 3939 4848", -300),
    ("E:K75.T654.J43.J43 AT3.KQ92.Q982.Q2 Q9.AJ3.T65.AK975 J8642.87.AK7.T86", 1, 1, "8585 7676 7575 5858 6767", 100),
    ("S:T54.QT83.AT9.862 9.AJ765.Q542.A73 AK8762.942.763.J QJ3.K.KJ8.KQT954", 2, 2, "6767 4949 2A2A 2B2B 3939", -600),
    ("W:AK8.A83.KT.KQJ98 QJT96543.4.AJ.A5 .KQJ976.742.7642 72.T52.Q98653.T3", 3, 3, "8485 2A2B 7676 2A2B 2A2B", -660),
    ("N:KT.6.AKQ64.A7654 Q53.KT9874.T2.Q2 AJ876.A2.953.KJT 942.QJ53.J87.983", 0, 1, "D0D0 8585 D0D0 D0D0 D0D0", 2220),
    ("E:A87.9752.AQ63.87 KJ4.T8.KJT54.KQ2 QT532.AQ4.87.JT9 96.KJ63.92.A6543", 1, 2, "6766 8585 8484 A3A3 7474", 130),
    ("S:J952.AQ75.J4.A32 T8.J862.753.QJ94 A6.K4.AKQT962.86 KQ743.T93.8.KT75", 2, 3, "8484 B1B1 C1C1 7676 C1C1", 1440),
    ("W:AKT65.QJ.AQT74.Q J.K852.82.AK9432 Q7.T743.J653.JT6 98432.A96.K9.875", 3, 0, "4848 6666 3A3A 8585 4949", -300),
]  # fmt: skip
# Endings, whose cards are worth what plain minimax and another solver say: position, tricks, cards by tricks.
ENDINGS = [
    ("N:Q.6.7.2 K2.8..3 T.53..K ..A9.87 | NT N", 1, {"SQ": 1, "H6": 1, "D7": 1, "C2": 1}),
    ("N:AT.A..9 82.K6.. 9.7.4.7 .J.8.A3 | S S", 3, {"H7": 3, "D4": 3, "S9": 3, "C7": 2}),
    ("N:.95.AT. 2.Q.K.9 J..2.J7 K8...K2 | D S", 3, {"SJ": 3, "D2": 3, "CJ": 3, "C7": 3}),
    ("N:A.42.7. 9.6..T6 .5.43.Q K.JT..K | C W", 4, {"HJ": 4, "HT": 4, "CK": 4, "SK": 2}),
    ("N:6.3.J8.8 42.A9.Q. 5.K4.4.2 A.7.K.95 | C S", 0, {"S5": 0, "HK": 0, "H4": 0, "D4": 0, "C2": 0}),
    (
        "N:T53.54.7.J .7.KJ843.7 J6.86.Q2.3 Q4..T95.AT | S E", 4,
        {"C7": 4, "DK": 4, "H7": 4, "D4": 2, "D3": 2, "D8": 2, "DJ": 2},
    ),
    ("N:72.8.732.T 3.KQJ7.K.A KJ8..Q5.K5 Q94.AT3..8 | D W", 2,
     dict.fromkeys(("SQ", "S9", "S4", "HA", "HT", "H3", "C8"), 2)),
    (
        "N:AK5.J642.Q.J2 Q9863..J4.KT8 2.AQT5.62.Q94 T4.7.T8753.76 | C N", 8,
        {"SA": 8, "SK": 8, "DQ": 8, "CJ": 8, "C2": 8, "HJ": 8, "H6": 8, "H4": 8, "H2": 8, "S5": 6},
    ),
    (
        "N:6.J7.T876.K95 8.K9.AQ43.873 73.AQ3.K.QJT6 AKQJ5.852..A4 | H W", 7,
        {"S5": 7, "SA": 6, "SK": 6, "SQ": 6, "SJ": 6, "CA": 6, "H2": 6, "H5": 6, "H8": 6, "C4": 6},
    ),
]  # fmt: skip


@pytest.mark.parametrize(("deal", "dealer", "vulnerable", "digits", "score"), DEALS)
def test_published_deals(deal: str, dealer: int, vulnerable: int, digits: str, score: int) -> None:
    hands = [hand or 0 for hand in read_deal(deal)]
    table = shared_solver().table(hands)
    assert table == [int(digit, 16) for digit in digits.replace(" ", "")]
    assert par(table, vulnerable, dealer)[0] == score


@pytest.mark.parametrize(("position", "tricks", "cards"), ENDINGS)
def test_published_endings(position: str, tricks: int, cards: dict[str, int]) -> None:
    solution = GAME.solution(GAME.state_from_text(position))
    assert solution is not None
    assert solution.details == {"tricks": tricks, "cards": solution.details["cards"]}
    assert solution.details["cards"] == cards


def random_ending(rng: random.Random, cards: int) -> list[int]:
    """Few ranks are alike in such hands, and voids are frequent."""
    pack = rng.sample(range(52), 4 * cards)
    return [sum(1 << card // 13 * 16 + card % 13 for card in pack[cards * k : cards * (k + 1)]) for k in range(4)]


def minimax(state: Any) -> int:
    """The readable rules, searched in full: North-South's tricks minus those of East-West."""

    @cache
    def value(key: Any, state: Any) -> int:
        if GAME.is_terminal(state):
            return int(GAME.utility(state, 0)) - base(state)
        values = [value(essence(child), child) + base(child) - base(state) for _, child in GAME.successors(state)]
        return max(values) if GAME.player(state) % 2 == 0 else min(values)

    def base(state: Any) -> int:
        s = GAME.struct(state)
        return int(s.won[0]) - int(s.won[1])

    def essence(state: Any) -> Any:
        return GAME.state_text(state)

    return value(essence(state), state) + base(state)


@pytest.mark.parametrize("cards", [2, 3, 4])
def test_endings_agree_with_plain_minimax(cards: int) -> None:
    rng = random.Random(cards)
    for _ in range({2: 60, 3: 8, 4: 2}[cards]):
        hands = random_ending(rng, cards)
        for strain in range(5) if cards < 4 else (rng.randrange(5),):
            leader = rng.randrange(4)
            state = GAME.state_from_text(f"{deal_text(hands)} | {('S', 'H', 'D', 'C', 'NT')[strain]} {'NESW'[leader]}")
            for _ in range(rng.randrange(4)):  # also in the middle of a trick
                state = GAME.result(state, rng.choice(GAME.actions(state)))
            if GAME.is_terminal(state):
                continue
            found = GAME.solution(state)
            assert found is not None
            sign = 1 if GAME.player(state) % 2 == 0 else -1
            expected = {action: sign * minimax(GAME.result(state, action)) for action in GAME.actions(state)}
            assert dict(found.values) == expected


def test_all_questions_get_the_same_answers() -> None:
    """A table, one board and the cards of a lead; and again, with a memory that overflows."""
    rng = random.Random(8)
    small = Solver(patterns=600)
    for _ in range(3):
        hands = random_ending(rng, 8)
        table = shared_solver().table(hands)
        assert small.table(hands) == table == shared_solver().table(hands)
        strain, declarer = rng.randrange(5), rng.randrange(4)
        leader = (declarer + 1) % 4
        tricks = table[4 * strain + declarer]
        north_south = tricks if declarer % 2 == 0 else 8 - tricks
        assert shared_solver().tricks(hands, strain, leader) == north_south
        cards = shared_solver().cards(hands, strain, leader)
        assert (max if leader % 2 == 0 else min)(cards.values()) == north_south
        assert len(cards) == 8


def test_turning_the_table_turns_the_answers() -> None:
    rng = random.Random(5)
    hands = random_ending(rng, 9)
    table = shared_solver().table(hands)
    turned = shared_solver().table(hands[-1:] + hands[:-1])
    assert [turned[4 * strain + (seat + 1) % 4] for strain in range(5) for seat in range(4)] == table


def test_a_clock_stops_a_deal_that_explodes() -> None:
    hands = [hand or 0 for hand in read_deal("S:Q853.AJ962.KT74. AJ962.KT74..Q853 KT74..Q853.AJ962 .Q853.AJ962.KT74")]
    with pytest.raises(OutOfTime, match="before the double-dummy search was done"):
        shared_solver().table(hands, clock=Clock(0.2))
    assert shared_solver().table(random_ending(random.Random(1), 3)) == Solver(4096).table(
        random_ending(random.Random(1), 3)
    )


def test_the_command_answers_with_a_table() -> None:
    result = load_algorithm("own-solver")[1](GAME, GAME.state_from_text(DEALS[0][0]))
    assert len(result.details["table"]) == 20
    assert result.details["par"]["none"]["score"] == -110
    assert (result.bound, result.value, GAME.action_text(result.state, result.move)) == ("exact", 3, "C-E")
    with pytest.raises(BadInput, match="South has 3 cards; expected as many as North, 4"):
        GAME.state_from_text("N:Q.6.7.2 K2.8..3 T.53.. ..A9.87 | NT N")
