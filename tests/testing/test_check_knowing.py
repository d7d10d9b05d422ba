"""The kit on views, hearing, worlds and chance: one broken game of each sort."""

from __future__ import annotations

import itertools
import random
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from gametree import CHANCE, Drawing, Facts, Game, GameError
from gametree.core.verbs import ATTRIBUTES, GAME_VERBS
from gametree.testing import check_game
from gametree.testing._odds import surprise
from gametree.testing.check_game import ATTRIBUTE_CHECKS, CHECKS, checks_of

CALLS = itertools.count()
KINDS = itertools.cycle([1, "one"])


class Cards(Game[Any, Any]):
    """Each of two seats is dealt one of four cards, then seat 0 guesses whether its card is the higher one.

    A state is the cards and the guess; −1 is a card that a seat does not see.
    """

    name = "cards"
    facts = Facts(chance=True, hidden=True, most_moves=12, longest_game=2)
    deals = tuple(itertools.permutations(range(4), 2))

    def initial(self) -> Any:
        return ()

    def player(self, state: Any) -> int:
        return 0 if state else CHANCE

    def actions(self, state: Any) -> Any:
        return self.deals if not state else ("high", "low") if len(state) == 2 else ()

    def outcomes(self, state: Any) -> Any:
        return [(deal, 1 / 12) for deal in self.deals]

    def result(self, state: Any, action: Any) -> Any:
        return (*state, action) if state else action

    def is_terminal(self, state: Any) -> bool:
        return len(state) == 3

    def utility(self, state: Any, player: int) -> float:
        right = (state[0] > state[1]) == (state[2] == "high")
        return 1 if right == (player == 0) else -1

    def view(self, state: Any, player: int) -> Any:
        return tuple(card if seat in (player, 2) else -1 for seat, card in enumerate(state))

    def resample(self, view: Any, player: int, rng: random.Random) -> Any:
        other = rng.choice([card for card in range(4) if card != view[player]])
        return tuple(other if card == -1 else card for card in view)

    def draw(self, state: Any) -> Drawing:
        return Drawing(text=str(state))


class Loaded(Cards):
    """The same with a deal that cannot be listed: any number is one."""

    name = "loaded"
    facts = replace(Cards.facts, unlisted=True)

    def actions(self, state: Any) -> Any:
        return super().actions(state) if state else ()

    def outcomes(self, state: Any) -> Any:
        return []

    def roll(self, state: Any, rng: random.Random) -> Any:
        return rng.getrandbits(63)

    def result(self, state: Any, action: Any) -> Any:
        return (*state, action) if state else self.deals[action % 12]


class Open(Game[Any, Any]):
    """A coin that all see, then seat 0 takes it or not; drawn on a board of two cells."""

    name = "open"
    facts = Facts(chance=True, most_moves=2, longest_game=2)

    def initial(self) -> Any:
        return ""

    def player(self, state: Any) -> int:
        return 0 if state else CHANCE

    def actions(self, state: Any) -> Sequence[str]:
        return ("h", "t") if not state else ("a", "b") if len(state) == 1 else ()

    def outcomes(self, state: Any) -> Any:
        return [("h", 0.75), ("t", 0.25)]

    def result(self, state: Any, action: Any) -> Any:
        return state + action

    def is_terminal(self, state: Any) -> bool:
        return len(state) == 2

    def utility(self, state: Any, player: int) -> float:
        return (1 if state[0] == "h" else -1) * (1 - 2 * player)

    def draw(self, state: Any) -> Drawing:
        return Drawing(layout="square", rows=1, columns=2, cells=("a", "b"))


GOOD = (Cards, Loaded, Open)


def broken(base: type[Game[Any, Any]], **changes: Any) -> Game[Any, Any]:
    return type("Broken", (base,), {"name": "broken", **changes})()


@pytest.mark.parametrize("game", GOOD)
def test_the_good_games_pass(game: type[Game[Any, Any]]) -> None:
    report = check_game(game())
    assert report.exhaustive == (game is not Loaded)
    if game is not Open:
        assert report.hidden_from == (0, 1)
        assert {"view", "hear", "hear_text", "resample", "opened", "closed", "roll"} <= set(report.checks)


def test_every_verb_has_a_check() -> None:
    assert list(CHECKS) == [verb.name for verb in GAME_VERBS]
    assert list(ATTRIBUTE_CHECKS) == list(ATTRIBUTES)


def test_a_verb_without_a_check_is_refused() -> None:
    with pytest.raises(GameError, match="The verb shuffle has no check; expected a method check_shuffle of the kit"):
        checks_of([*CHECKS, "shuffle"])


def face_up(state: Any, **changes: Any) -> tuple[Game[Any, Any], Any]:
    """The game with all cards on the table, and something changed."""
    verbs = {"facts": replace(Cards.facts, hidden=False), "view": Game.view, **changes}
    return broken(Cards, **verbs), state


MISTAKES: list[tuple[str, type[Game[Any, Any]], dict[str, Any], list[str]]] = [
    # Values.
    (
        "utilities of another game",
        Open,
        {"utilities": lambda self, s: (0, 0)},
        ["utilities() gave (0, 0) at 'ha'", "(1, -1), the utility() of every seat"],
    ),
    ("a prior too few", Open, {"priors": lambda self, s: [1]}, ["priors() gave 1 numbers at 'h'", "expected 2"]),
    ("a prior below 0", Open, {"priors": lambda self, s: [1, -1]}, ["priors() gave -1 at 'h'", "from 0 up"]),
    (
        "a cell beside the board",
        Open,
        {"action_cells": lambda self, s, a: ["c"]},
        ["action_cells() gave 'c' for the move 'h' at ''", "a place in draw"],
    ),
    (
        "a way of three cells",
        Open,
        {"action_ways": lambda self, s, a: [["h", "t", "h"]]},
        ["action_ways() gave ['h', 't', 'h'] at ''", "pairs of names"],
    ),
    # What else a game may say.
    ("a seat without a name", Open, {"seat_names": ("White",)}, ["seat_names is ('White',)", "each of 2 seats"]),
    ("formats in a list", Open, {"formats": ["fen"]}, ["formats is ['fen']", "a mapping of names"]),
    ("komi by name", Open, {"komi": "half"}, ["komi is 'half'", "None or a number"]),
    (
        "a chance above 1",
        Open,
        {"winning_chance": lambda self, value: 2 * value},
        ["winning_chance() gives [-2.0, 0.0, 2.0] at -1, the middle and 1", "shares from 0 to 1"],
    ),
    ("a tree of two lines", Open, {"tree_text": lambda self: "a\nb"}, ["tree_text() returned 'a\\nb'", "one line"]),
    ("keys that change", Open, {"book_keys": lambda self: next(KINDS)}, ["book_keys() gave", "the same each time"]),
    ("a tuner that changes", Open, {"tuning": lambda self: next(KINDS)}, ["tuning() gave", "the same each time"]),
    ("a trainer that changes", Open, {"learning": lambda self: next(KINDS)}, ["learning() gave", "the same each time"]),
    (
        "fewer moves than are legal",
        Open,
        {"lenient_actions": lambda self, s: ()},
        ["lenient_actions() leaves legal moves out at ''", "all of actions()"],
    ),
    (
        "another state that goes on",
        Open,
        {"lenient_state": lambda self, s: ""},
        ["lenient_state() gave a state with other moves at 'h'"],
    ),
    (
        "sides that do not add up",
        Open,
        {"evaluate": lambda self, s, p: 0.5 - p, "explain_sides": lambda self, s: [("coin", 0.5, 0.5)]},
        ["explain_sides() gives terms that sum to 1 at 'h'", "evaluate(), which is 0.5"],
    ),
    (
        "sides without numbers",
        Open,
        {"evaluate": lambda self, s, p: 0.5 - p, "explain_sides": lambda self, s: ["coin"]},
        ["explain_sides() lists 'coin' at 'h'", "a name and two numbers"],
    ),
    (
        "a weight of nothing",
        Open,
        {"explain": lambda self, s: [("coin", 0.5)], "explain_weights": lambda self, s: {"toss": "1"}},
        ["explain_weights() weighs 'toss' at 'h'", "terms that explain() lists"],
    ),
    ("weights in a list", Open, {"explain_weights": lambda self, s: ["1"]}, ["explain_weights() returned a value of"]),
    ("a phase by number", Open, {"phase_text": lambda self, s: 3}, ["phase_text() returned 3 at ''", "in one line"]),
    # Chance.
    ("a roll from elsewhere", Open, {"roll": lambda self, s, rng: "edge"}, ["roll() drew 'edge' at ''", "outcomes()"]),
    (
        "a roll with dice of its own",
        Open,
        {"roll": lambda self, s, rng: "ht"[next(CALLS) % 2]},
        ["roll() drew two different outcomes with the same generator", "no dice except rng"],
    ),
    (
        "a coin that is fair but should not be",
        Open,
        {"roll": lambda self, s, rng: rng.choice("ht")},
        ["roll() drew {", "in 400 rolls at ''", "about what outcomes() says"],
    ),
    (
        "no list where there should be one",
        Loaded,
        {"facts": Cards.facts},
        ["actions() lists no moves, though is_terminal() is False at '()'"],
    ),
    (
        "a deal with dice of its own",
        Loaded,
        {"roll": lambda self, s, rng: next(CALLS)},
        ["roll() drew two different outcomes with the same generator at '()'"],
    ),
    (
        "nothing that rolls",
        Loaded,
        {"roll": Game.roll},
        ["facts.chance is True", "defines roll()"],
    ),
    # Views.
    (
        "a view that goes on hiding",
        Cards,
        {"view": lambda self, s, p: tuple(c - 1 if i not in (p, 2) else c for i, c in enumerate(s))},
        ["view() hides more from seat -1 when it is asked for the view of a view at '(0, 1)'"],
    ),
    (
        "spectators who see a card",
        Cards,
        {"view": lambda self, s, p: Cards.view(self, s, 0 if p == -1 else p)},
        ["view() shows seat -1, who sees what everyone sees, something that it hides from seat 1 at '(0, 1)'"],
    ),
    (
        "moves that the view does not have",
        Cards,
        {"actions": lambda self, s: ("low",) if len(s) == 2 and -1 in s else Cards.actions(self, s)},
        ["view() leaves seat 0 with the moves [low] at '(0, 1)'", "[high, low], its own moves in their order"],
    ),
    (
        "moves in another order",
        Cards,
        {"actions": lambda self, s: ("low", "high") if len(s) == 2 and -1 in s else Cards.actions(self, s)},
        ["view() leaves seat 0 with the moves [low, high]", "in their order"],
    ),
    (
        "a turn that the view does not tell",
        Cards,
        {"player": lambda self, s: int(-1 in s) if s else CHANCE},
        ["view() hides from seat 0 that it is to move at '(0, 1)'"],
    ),
    ("a view of an open game", Open, {"view": lambda self, s, p: ""}, ["view() hides something from seat -1, though"]),
    (
        "a view that cannot be told in a line",
        Cards,
        {"state_text": lambda self, s: f"{s}\n" if -1 in s else str(s)},
        ["state_text() returned '(-1, -1)\\n' for the view of seat -1"],
    ),
    # Hearing.
    (
        "own moves that are not heard",
        Cards,
        {"hear": lambda self, s, a, t, p: None if s else self.view(t, p)},
        ["hear() lets seat 0 hear nothing of 'high' at '(0, 1)'", "its own moves"],
    ),
    (
        "own moves that sound alike",
        Cards,
        {"hear": lambda self, s, a, t, p: "guess" if s else self.view(t, p)},
        ["hear() tells seat 0 the same, 'guess', of its moves 'high' and 'low' at '(0, 1)'"],
    ),
    (
        "a deal that is not heard",
        Cards,
        {"hear": lambda self, s, a, t, p: (a, self.view(t, p)) if s else None},
        ["hear() lets seat 0 hear nothing of", "which changes what it sees at '()'"],
    ),
    (
        "a deal that sounds alike",
        Cards,
        {"hear": lambda self, s, a, t, p: (a, self.view(t, p)) if s else "deal"},
        ["hear() tells seat 0 'deal', as it does at '()', but then it sees another state at '()'"],
    ),
    (
        "words that cannot be hashed",
        Cards,
        {"hear": lambda self, s, a, t, p: [a]},
        ["hear() gave what seat 0 hears that cannot be hashed"],
    ),
    (
        "an open move that is not heard",
        Open,
        {"hear": lambda self, s, a, t, p: a if p == 0 else None},
        ["hear() lets seat 1 hear nothing of 'h' at ''", "in an open game all moves"],
    ),
    (
        "a text that tells the other card",
        Cards,
        {"hear_text": lambda self, s, a, t, p: f"{a} {t}"},
        ["hear_text() tells seat 0 '", "where it knows and hears the same,", "no more than hear() tells"],
    ),
    (
        "a text for silence",
        Cards,
        {
            "view": lambda self, s, p: Cards.view(self, s[:2], p) if p == 1 and len(s) == 3 else Cards.view(self, s, p),
            "hear_text": lambda *_: "something",
        },
        ["hear_text() returned 'something' for seat 1, which hears nothing of 'high' at '(0, 1)'"],
    ),
    (
        "no text for a word",
        Cards,
        {"hear_text": lambda *_: ""},
        ["hear_text() returned '' for seat 0, which hears some"],
    ),
    ("a text of two lines", Open, {"hear_text": lambda *_: "a\nb"}, ["hear_text() returned 'a\\nb' at ''", "one line"]),
    # Worlds.
    (
        "a redeal that is not fair",
        Cards,
        {
            "resample": lambda self, v, p, rng: tuple(
                rng.choice(sorted({0, 1, 2, 3} - {v[p]}) + [3 if v[p] != 3 else 2] * 9) if c == -1 else c for c in v
            )
        },
        ["resample() gave seat 0 3 states in 180 draws, not with the odds of the 3", "the odds of chance"],
    ),
    (
        "a redeal that changes the seat's card",
        Cards,
        {"resample": lambda self, v, p, rng: rng.choice(self.deals) + v[2:]},
        ["resample() gave seat 0 the state at '(", "which it can tell from this one by view()"],
    ),
    ("a plausibility below 0", Cards, {"plausibility": lambda *_: -1}, ["plausibility() gave -1 for seat 0 at '()'"]),
    ("a plausibility without end", Cards, {"plausibility": lambda *_: float("inf")}, ["plausibility() gave inf"]),
    ("a key that cannot be hashed", Cards, {"info_key": lambda self, v, p: [v]}, ["info_key() gave a key for seat 0"]),
    ("a new key each time", Cards, {"info_key": lambda *_: next(CALLS)}, ["info_key() gave two different keys of one"]),
    ("no pair", Cards, {"opened": lambda self, s: s}, ["opened() returned (0, 1) at '(0, 1)'", "a game and a state"]),
    (
        "nothing opened",
        Cards,
        {"opened": lambda self, s: (self, s)},
        ["opened() gave a game whose facts.hidden is True"],
    ),
    (
        "opened at the end",
        Cards,
        {"opened": lambda self, s: face_up((*s[:2], "high"))},
        ["opened() gave a state in which the game is over at '(0, 1)'"],
    ),
    (
        "opened with another mover",
        Cards,
        {"opened": lambda self, s: face_up(s, player=lambda self, s: 1 if s else CHANCE)},
        ["opened() gave a game in which player() is 1 at '(0, 1)'", "0, or a seat of its side"],
    ),
    (
        "opened and longer",
        Cards,
        {
            "opened": lambda self, s: face_up(
                s,
                is_terminal=lambda self, s: len(s) == 4,
                actions=lambda self, s: ("high", "low") if len(s) < 4 else (),
            )
        },
        ["opened() gave a game in which 'high' does not end the game at '(0, 1)'"],
    ),
    (
        "an action that is none here",
        Cards,
        {
            "opened": lambda self, s: face_up(s, actions=lambda self, s: ("h", "l")),
            "closed": lambda self, s, a: {"h": "high", "l": "lower"}[a],
            "result": lambda self, s, a: (*s, "low" if a == "lower" else a) if s else a,
        },
        ["closed() gave 'lower' for 'l' at '(0, 1)'", "one of actions()"],
    ),
    (
        "two actions that mean one",
        Cards,
        {"closed": lambda self, s, a: "high"},
        ["closed() gave 'high' for 'high' and for 'low' at '(0, 1)'", "another action"],
    ),
    (
        "nothing to do face up",
        Cards,
        {"opened": lambda self, s: face_up(s, actions=lambda self, s: ())},
        ["opened() gave a state without actions at '(0, 1)'"],
    ),
]


@pytest.mark.parametrize(
    ("base", "changes", "parts"), [case[1:] for case in MISTAKES], ids=[case[0] for case in MISTAKES]
)
def test_a_mistake_is_one_sentence(base: type[Game[Any, Any]], changes: dict[str, Any], parts: list[str]) -> None:
    with pytest.raises(GameError) as caught:
        check_game(broken(base, **changes))
    text = str(caught.value)
    assert "\n" not in text
    assert text.endswith(".")
    for part in parts:
        assert part in text


def test_a_hidden_game_with_nothing_but_an_observation_passes() -> None:
    """As games were written before there were views; what it resamples from is then the state itself."""

    class Observed(Cards):
        view = Game.view

        def observation(self, state: Any, player: int) -> Any:
            return Cards.view(self, state, player)

        def resample(self, view: Any, player: int, rng: random.Random) -> Any:
            return Cards.resample(self, Cards.view(self, view, player), player, rng)

        def draw_for(self, state: Any, player: int) -> Drawing:
            return Drawing(text=str(self.observation(state, player)))

    assert check_game(Observed()).hidden_from == (0, 1)


def test_surprise_is_that_of_the_chi_squared_test() -> None:
    fair = {"h": 0.5, "t": 0.5}
    assert surprise({"h": 50, "t": 50}, fair) < 0
    # 2 standard deviations of a binomial variable, which χ² with one degree of freedom turns into 4.
    assert 1.5 < surprise({"h": 60, "t": 40}, fair) < 2
    assert surprise({"h": 100}, fair) > 6
    assert surprise({"edge": 1}, fair) == float("inf")
    assert surprise({"h": 9}, {"h": 1.0}) == 0
