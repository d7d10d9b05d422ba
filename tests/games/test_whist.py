"""Whist: four seats, two teams, a deal without a list, and hands that nobody else sees."""

from __future__ import annotations

import itertools
import random
from collections import Counter
from typing import Any

import pytest

from gametree import BadInput, load_algorithm, load_game
from gametree.core.hearing import SILENCE, hear_all
from gametree.games.whist import SUIT_BITS

PACK = [suit * SUIT_BITS + rank for suit in range(4) for rank in range(4)]


def random_position(game: Any, rng: random.Random, plies: int) -> Any:
    state = game.result(game.initial(), game.roll(game.initial(), rng))
    for _ in range(plies):
        state = game.result(state, rng.choice(game.actions(state)))
    return state


def hands(game: Any, state: Any) -> list[set[int]]:
    return [{card for card in range(52) if int(held) >> card & 1} for held in game.struct(state).hands]


class Plain:
    """The same rules, written down once more with lists."""

    def __init__(self, held: list[set[int]], trumps: int) -> None:
        self.held, self.trumps = [set(hand) for hand in held], trumps
        self.leader, self.trick, self.won = 0, [], [0, 0]

    def mover(self) -> int:
        return (self.leader + len(self.trick)) % 4

    def moves(self) -> list[int]:
        hand = self.held[self.mover()]
        same = {card for card in hand if self.trick and card // SUIT_BITS == self.trick[0] // SUIT_BITS}
        return sorted(same or hand)

    def play(self, card: int) -> None:
        self.held[self.mover()].remove(card)
        self.trick.append(card)
        if len(self.trick) == 4:
            strength = [
                (card // SUIT_BITS == self.trumps, card // SUIT_BITS == self.trick[0] // SUIT_BITS, card)
                for card in self.trick
            ]
            self.leader = (self.leader + strength.index(max(strength))) % 4
            self.won[self.leader % 2] += 1
            self.trick = []


@pytest.mark.parametrize("name", ["whist", "whist:trumps=H", "whist:cards=13,trumps=S"])
def test_the_rules_agree_with_plain_ones(name: str) -> None:
    game, rng = load_game(name), random.Random(3)
    for _ in range(25):
        state = random_position(game, rng, 0)
        plain = Plain(hands(game, state), game.trumps)
        assert sorted(card for hand in plain.held for card in hand) == sorted(
            suit * SUIT_BITS + rank for suit in range(4) for rank in range(game.cards)
        )
        while not game.is_terminal(state):
            assert (game.player(state), list(game.actions(state))) == (plain.mover(), plain.moves())
            assert game.state_from_text(game.state_text(state)) == state
            card = rng.choice(plain.moves())
            state = game.result(state, card)
            plain.play(card)
        tricks = plain.won[0] - plain.won[1]
        assert game.utilities(state) == (tricks, -tricks, tricks, -tricks)


def test_every_deal_is_as_likely() -> None:
    game, rng = load_game("whist"), random.Random(11)
    where = Counter()
    deals = 4000
    for _ in range(deals):
        state = random_position(game, rng, 0)
        for seat, hand in enumerate(hands(game, state)):
            where.update((seat, card) for card in hand)
    chi = sum((where[seat, card] - deals / 4) ** 2 / (deals / 4) for seat in range(4) for card in PACK)
    assert len(where) == 64
    assert chi < 90  # 45 degrees of freedom: once in 10,000


@pytest.mark.parametrize("seed", range(6))
def test_redealing_gives_every_possible_deal_as_often(seed: int) -> None:
    game, rng = load_game("whist"), random.Random(seed)
    state = random_position(game, rng, 9)  # two tricks and a card: five cards are left in the others' hands
    for seat in range(4):
        view = game.view(state, seat)
        possible = possible_deals(game, state, seat)
        draws = 40 * len(possible)
        dealt = Counter(
            tuple(frozenset(hand) for hand in hands(game, game.resample(view, seat, rng))) for _ in range(draws)
        )
        assert set(dealt) <= possible
        if len(possible) > 1:
            chi = sum((dealt[deal] - 40) ** 2 / 40 for deal in possible)
            free = len(possible) - 1
            assert chi < free + 5 * (2 * free) ** 0.5 + 5
        else:
            assert set(dealt) == possible


def possible_deals(game: Any, state: Any, seat: int) -> set[tuple[frozenset[int], ...]]:
    """All ways to deal the cards that the seat does not see, such that nobody gets a suit that he was out of."""
    s, held = game.struct(state), hands(game, state)
    others = [other for other in range(4) if other != seat]
    unseen = sorted(card for other in others for card in held[other])
    sizes = [len(held[other]) for other in others]
    found = set()
    for owners in set(itertools.permutations([o for o, size in zip(others, sizes, strict=True) for _ in range(size)])):
        if all(not int(s.void[owner]) >> card // SUIT_BITS & 1 for card, owner in zip(unseen, owners, strict=True)):
            deal = [set() if other != seat else set(held[seat]) for other in range(4)]
            for card, owner in zip(unseen, owners, strict=True):
                deal[owner].add(card)
            found.add(tuple(frozenset(hand) for hand in deal))
    return found


def test_what_the_seats_know() -> None:
    game, rng = load_game("whist"), random.Random(5)
    deal = game.roll(game.initial(), rng)
    state = game.result(game.initial(), deal)
    ears = hear_all(game, (SILENCE,) * 4, game.initial(), deal, state)
    assert len(set(ears)) == 4
    for seat in range(-1, 4):
        view = game.view(state, seat)
        assert game.view(view, seat) == view
        assert [len(hand) for hand in hands(game, view)] == [4 if other == seat else 0 for other in range(4)]
        assert game.state_from_text(game.state_text(view)) == view
        text = str(game.draw_for(state, seat))
        for other in range(4):
            for card in hands(game, state)[other]:
                assert (game._card(card) in text) == (other == seat)


def test_face_up_it_is_a_game_of_two_sides() -> None:
    game, rng = load_game("whist"), random.Random(2)
    for _ in range(5):
        state = random_position(game, rng, 4)
        open_game, same = game.opened(state)
        assert not open_game.facts.hidden
        assert not open_game.facts.chance
        expected = load_algorithm("alphabeta")[1](open_game, same).value
        assert load_algorithm("engine")[1](open_game, same).value == expected
        assert load_algorithm("solve")[1](open_game, same).value == expected
        best = plain_minimax(game, state)
        assert expected == (best if game.player(state) % 2 == 0 else -best)


def plain_minimax(game: Any, state: Any) -> int:
    """What seats 0 and 2 get if everybody sees all cards."""
    if game.is_terminal(state):
        return int(game.utility(state, 0))
    values = [plain_minimax(game, after) for _, after in game.successors(state)]
    return max(values) if game.player(state) % 2 == 0 else min(values)


@pytest.mark.parametrize(
    ("text", "match"),
    [
        ("AK", "found 1 hands"),
        ("A.AQ.K. J...AKQ K..AJ.J Q.KJ.Q.; ZZ", "'ZZ' is no card"),
        ("A.AQ.K. J...AKQ K..AJ.J Q.KJ.A.;", "a card occurs twice"),
        ("A.AQ.K. J...AKQ K..AJ.J Q.KJ.Q.; JS", "a card occurs twice"),
        (".AQ.K. AJ...AKQ K..AJ.J Q.KJ.Q.;", "seat 0 has 3 cards and played 0"),
        ("A.AQ.K J...AKQ K..AJ.J Q.KJ.Q.;", "has 3 suits"),
        (".AQ.K. J...KQ K..AJ.J Q.KJ.Q.; AS AC", "AC cannot be played as card 2"),
    ],
)
def test_bad_positions_are_named(text: str, match: str) -> None:
    with pytest.raises(BadInput, match=match):
        load_game("whist").state_from_text(text)


@pytest.mark.parametrize("name", ["whist:cards=1", "whist:cards=14", "whist:trumps=X"])
def test_bad_parameters_are_named(name: str) -> None:
    with pytest.raises(BadInput, match="is not possible; expected"):
        load_game(name)
