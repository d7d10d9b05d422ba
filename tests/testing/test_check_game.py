"""One broken game of each sort: the kit names the verb, the place, what it found and what it expected."""

from __future__ import annotations

import itertools
import math
import random
import signal
import threading
import time
from collections.abc import Hashable, Sequence
from pathlib import Path
from typing import Any

import pytest

from gametree import CHANCE, SIMULTANEOUS, BadInput, Drawing, Facts, Game, GameError, Item, Piece, Place, Rack
from gametree.core.format import Format
from gametree.testing import Report, _watch, check_game


class Good(Game[Any, Any]):
    """Take one or two of five; whoever takes the last one wins. A state is (what is left, the seat to move)."""

    name = "good"
    facts = Facts(most_moves=2, longest_game=5)

    def initial(self) -> Any:
        return (5, 0)

    def player(self, state: Any) -> int:
        return state[1]

    def actions(self, state: Any) -> Any:
        return [take for take in (1, 2) if take <= state[0]]

    def result(self, state: Any, action: Any) -> Any:
        return (state[0] - action, 1 - state[1])

    def is_terminal(self, state: Any) -> bool:
        return state[0] == 0

    def utility(self, state: Any, player: int) -> float:
        return -1 if player == state[1] else 1

    def state_text(self, state: Any) -> str:
        return f"{state[0]}{'ab'[state[1]]}"

    def state_from_text(self, text: str) -> Any:
        if len(text) != 2 or text[0] not in "012345" or text[1] not in "ab":
            raise BadInput(f"'{text}' is not a position; expected such as 5a.")
        return (int(text[0]), "ab".index(text[1]))


class Coin(Game[Any, Any]):
    """Chance tosses a coin that only seat 0 sees; both bet on it at once, then it is shown."""

    name = "coin"
    facts = Facts(
        chance=True, hidden=True, simultaneous=True, most_moves=4, longest_game=2, min_utility=-1, max_utility=1
    )

    def initial(self) -> Any:
        return ("", "", "")

    def player(self, state: Any) -> int:
        return SIMULTANEOUS if state[0] else CHANCE

    def seat_actions(self, state: Any, player: int) -> Sequence[Any]:
        return ("h", "t") if state[0] else ()

    def actions(self, state: Any) -> Any:
        return super().actions(state) if state[0] else ["h", "t"]

    def outcomes(self, state: Any) -> Any:
        return [("h", 0.5), ("t", 0.5)]

    def result(self, state: Any, action: Any) -> Any:
        return (state[0], *action) if state[0] else (action, "", "")

    def is_terminal(self, state: Any) -> bool:
        return state[1] != ""

    def utility(self, state: Any, player: int) -> float:
        lead = (state[1] == state[0]) - (state[2] == state[0])
        return -lead if player else lead

    def observation(self, state: Any, player: int) -> Hashable:
        return state if player == 0 or state[1] else ("?" if state[0] else "", "", "")

    def resample(self, state: Any, player: int, rng: random.Random) -> Any:
        return state if player == 0 or state[1] else (rng.choice("ht"), "", "")

    def draw_for(self, state: Any, player: int) -> Drawing:
        return Drawing(text=str(self.observation(state, player)))


class Deal(Game[Any, Any]):
    """Each of two seats is dealt one of four cards, then seat 0 guesses whether its card is the higher one."""

    name = "deal"
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

    def observation(self, state: Any, player: int) -> Hashable:
        return (state[player], *state[2:]) if state else ()

    def resample(self, state: Any, player: int, rng: random.Random) -> Any:
        other = rng.choice([card for card in range(4) if card != state[player]])
        return ((state[0], other) if player == 0 else (other, state[1])) + state[2:]

    def draw_for(self, state: Any, player: int) -> Drawing:
        return Drawing(text=str(self.observation(state, player)))


def broken(base: type[Game[Any, Any]], **changes: Any) -> Game[Any, Any]:
    """A game of the kind `base` with some of its attributes replaced."""
    return type("Broken", (base,), {"name": "broken", **changes})()


def sentence(game: Game[Any, Any], **options: Any) -> str:
    """What the kit says against the game: one sentence."""
    with pytest.raises(GameError) as caught:
        check_game(game, **options)
    text = str(caught.value)
    assert "\n" not in text
    assert text.endswith(".")
    return text


# Games without a fault --------------------------------------------------------------------------------------------


def test_the_good_games_pass() -> None:
    report = check_game(Good())
    # Reached are 5a 4b 3b 3a 2a 1a 2b 1b 0b 0a: at most one step is doubled on each turn.
    assert (report.exhaustive, report.states, report.ends, report.games) == (True, 10, 2, 0)
    assert check_game(Deal()).hidden_from == (0, 1)
    assert check_game(Coin()).hidden_from == (1,)


def test_the_report_says_what_was_looked_at() -> None:
    report = check_game(Good())
    assert str(report).startswith("good passed: all 10 states that can be reached, 2 of them terminal; checked facts,")
    assert report.to_data()["checks"] == report.checks
    assert {"initial", "player", "actions", "result", "is_terminal", "utility", "state_from_text"} <= set(report.checks)
    assert "evaluate" not in report.checks


def test_large_games_are_sampled_alike_for_the_same_seed() -> None:
    def sampled(seed: int) -> Report:
        return check_game("nim:11-12-15-25", playouts=5, seed=seed)

    assert not sampled(1).exhaustive
    assert sampled(1) == sampled(1)
    assert sampled(1) != sampled(2)
    assert "in 5 random games" in str(sampled(1))
    assert not check_game(Good(), most_states=4).exhaustive


def test_any_object_with_the_verbs_can_be_checked() -> None:
    class Rules:
        name = "plain"
        facts = Facts(longest_game=1)

        def initial(self) -> int:
            return 0

        def player(self, state: int) -> int:
            return 0

        def actions(self, state: int) -> list[int]:
            return [] if state else [1, 2]

        def result(self, state: int, action: int) -> int:
            return action

        def is_terminal(self, state: int) -> bool:
            return state > 0

        def utility(self, state: int, player: int) -> int:
            return (1 if state == 1 else -1) * (1 - 2 * player)

    assert check_game(Rules()).states == 3
    Rules.player = lambda self, state: 7  # type: ignore[method-assign]
    with pytest.raises(GameError, match=r"plain: player\(\) returned 7 at '0'; expected a seat from 0 to 1"):
        check_game(Rules())


@pytest.mark.parametrize(
    "options", [{"playouts": 0}, {"verb_seconds": 0}, {"most_states": 0}, {"verb_seconds": math.nan}]
)
def test_options_out_of_range_are_refused(options: dict[str, Any]) -> None:
    with pytest.raises(BadInput, match="expected"):
        check_game(Good(), **options)


# Broken games -----------------------------------------------------------------------------------------------------


class Counter:
    """A state that can be changed; it compares and hashes by value."""

    def __init__(self, left: int = 5, seat: int = 0) -> None:
        self.left, self.seat = left, seat

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Counter) and (self.left, self.seat) == (other.left, other.seat)

    def __hash__(self) -> int:
        return hash((self.left, self.seat))

    def __getitem__(self, index: int) -> int:
        return (self.left, self.seat)[index]

    def __repr__(self) -> str:
        return f"Counter({self.left}, {self.seat})"

    def take(self, action: int) -> Counter:
        self.left, self.seat = self.left - action, 1 - self.seat
        return self


class SameHash(Counter):
    """As Counter, but a change does not show in the hash."""

    def __hash__(self) -> int:
        return 0


class ById:
    """A state without equality by value."""

    def __init__(self, left: int = 5, seat: int = 0) -> None:
        self.values = (left, seat)

    def __getitem__(self, index: int) -> int:
        return self.values[index]


class HashById(Counter):
    """Equal by value, but every object hashes for itself."""

    def __init__(self, left: int = 5, seat: int = 0) -> None:
        super().__init__(left, seat)
        self.number = next(itertools.count(id(self)))

    def __hash__(self) -> int:
        return self.number


ROOT = (5, 0)
START = ById()
HASH_START = HashById()
CALLS = itertools.count()
RULES: list[tuple[str, dict[str, Any], list[str]]] = [
    # The game as a whole.
    ("facts of the wrong type", {"facts": {"players": 2}}, ["facts is a value of type dict", "gametree.Facts"]),
    ("a sum of utilities that cannot be", {"facts": Facts(utility_sum=5)}, ["facts.utility_sum is 5", "-2 to 2"]),
    ("utilities without an end", {"facts": Facts(max_utility=math.inf)}, ["facts.max_utility is inf", "finite"]),
    ("no moves at most", {"facts": Facts(most_moves=0)}, ["facts.most_moves is 0", "from 1 up"]),
    ("half a move at most", {"facts": Facts(longest_game=2.5)}, ["facts.longest_game is 2.5", "whole number"]),
    ("half a player", {"facts": Facts(players=1.5)}, ["facts.players is 1.5", "whole number"]),
    ("chance without outcomes", {"facts": Facts(chance=True)}, ["facts.chance is True", "defines outcomes()"]),
    ("hidden but all seen", {"facts": Facts(hidden=True)}, ["facts.hidden is True", "defines view() or observation()"]),
    ("a verb that is none", {"evaluate": 3}, ["evaluate is a value of type int", "a function evaluate()"]),
    # States.
    ("a list as state", {"initial": lambda self: [5, 0]}, ["initial() gave a state that cannot be hashed", "tuples"]),
    ("a new state each time", {"initial": lambda self: ById()}, ["initial() gave two states that are not equal"]),
    (
        "results that cannot be hashed",
        {"result": lambda self, s, a: [s[0] - a, 1 - s[1]]},
        ["result() gave a state for the move 1 that cannot be hashed", "at '5a'"],
    ),
    (
        "results without equality",
        {
            "initial": lambda self: START,
            "result": lambda self, s, a: ById(s[0] - a, 1 - s[1]),
        },
        ["result() gave two states that are not equal for the move 1", "at '5a'", "__eq__"],
    ),
    (
        "equal results that hash differently",
        {
            "initial": lambda self: HASH_START,
            "result": lambda self, s, a: HashById(s[0] - a, 1 - s[1]),
        },
        ["result() gave two states that are equal but hash differently", "at '5a'"],
    ),
    ("nothing as result", {"result": lambda self, s, a: None}, ["result() returned None for the move 1", "at '5a'"]),
    (
        "a result by chance",
        {"result": lambda self, s, a: (max(0, s[0] - a - next(CALLS) % 2), 1 - s[1])},
        ["result() gave two states that are not equal", "the same state each time"],
    ),
    (
        "result changes the state",
        {"initial": lambda self: Counter(), "result": lambda self, s, a: s.take(a)},
        ["result() changed the state that it was given at '5a'", "the old one as it was"],
    ),
    (
        "result changes the state but not its hash",
        {"initial": lambda self: SameHash(), "result": lambda self, s, a: s.take(a)},
        ["result() changed the state that it was given at '5a'"],
    ),
    (
        "actions changes the state",
        {
            "initial": lambda self: Counter(),
            "result": lambda self, s, a: Counter(s[0] - a, 1 - s[1]),
            "actions": lambda self, s: [1] if s.take(1) else [],
        },
        ["actions() changed the state that it was given at '5a'"],
    ),
    # Moves.
    ("a generator", {"actions": lambda self, s: (a for a in (1,))}, ["actions() returned a value of type generator"]),
    ("a text of moves", {"actions": lambda self, s: "12"}, ["actions() returned a value of type str", "a list"]),
    ("a move twice", {"actions": lambda self, s: [1, 2, 1][: s[0]]}, ["actions() lists 3 moves", "most_moves=2"]),
    (
        "a move twice, and no fact against it",
        {"facts": Facts(), "actions": lambda self, s: [1, 1] if s[0] else []},
        ["actions() lists the move 1 twice at '5a'", "each move once"],
    ),
    (
        "moves that cannot be hashed",
        {"actions": lambda self, s: [[1]] if s[0] else []},
        ["actions() gave the move [1] that cannot be hashed", "at '5a'"],
    ),
    (
        "moves after the end",
        {"actions": lambda self, s: [a for a in (1, 2) if a <= s[0]] or [0]},
        ["actions() lists 1 moves, though is_terminal() is True at '0", "expected none"],
    ),
    (
        "no moves before the end",
        {"actions": lambda self, s: [2] if s[0] > 1 else []},
        ["actions() lists no moves, though is_terminal() is False at '1a'", "at least one"],
    ),
    (
        "other moves the second time",
        {"actions": lambda self, s: [1, 2][:: (-1) ** next(CALLS)] if s[0] > 1 else [1][: s[0]]},
        ["actions() gave different moves when asked twice at '5a'", "same order"],
    ),
    ("an end that is a list", {"is_terminal": lambda self, s: []}, ["is_terminal() returned [] at '5a'", "True or"]),
    ("an end that is neither", {"is_terminal": lambda self, s: None}, ["is_terminal() returned None at '5a'"]),
    (
        "an end that never comes",
        {
            "facts": Facts(),
            "is_terminal": lambda self, s: False,
            "actions": lambda self, s: [1],
            "result": lambda self, s, a: ((s[0] - 1) % 6, 1 - s[1]),
        },
        ["is_terminal() is False in all 6 states", "a game that ends"],
    ),
    ("a longer game", {"facts": Facts(longest_game=4)}, ["result() leads to ply 5 at '0b'", "longest_game=4"]),
    (
        "a position that repeats",
        {"actions": lambda self, s: [-1, 1] if 0 < s[0] < 5 else [1] if s[0] else []},
        ["result() leads back to an earlier position", "longest_game is 5, not None"],
    ),
    # Who moves.
    ("a seat too many", {"player": lambda self, s: 2}, ["player() returned 2 at '5a'", "a seat from 0 to 1"]),
    ("no seat", {"player": lambda self, s: None}, ["player() returned None at '5a'"]),
    ("chance against the facts", {"player": lambda self, s: CHANCE}, ["CHANCE, though facts.chance is False", "5a"]),
    (
        "all at once against the facts",
        {"player": lambda self, s: SIMULTANEOUS},
        ["player() returned SIMULTANEOUS, though facts.simultaneous is False at '5a'"],
    ),
    (
        "joint actions that are none",
        {"facts": Facts(simultaneous=True), "player": lambda self, s: SIMULTANEOUS},
        ["actions() lists 1 at '5a'", "tuples with 2 entries"],
    ),
    (
        "a seat's moves that are not its moves",
        {"seat_actions": lambda self, s, p: [1]},
        ["seat_actions() gives seat 0 the moves [1] at '5a'", "[1, 2], the same as actions()"],
    ),
    (
        "moves for a seat that is not to move",
        {"seat_actions": lambda self, s, p: [a for a in (1, 2) if a <= s[0]]},
        ["seat_actions() gives seat 1 the moves [1, 2] at '5a'", "while it is not to move"],
    ),
    # Utilities and estimates.
    ("no number", {"utility": lambda self, s, p: math.nan}, ["utility() gave nan for seat 0 at '0b'", "finite"]),
    ("nothing", {"utility": lambda self, s, p: None}, ["utility() gave None for seat 0 at '0b'"]),
    ("too much", {"utility": lambda self, s, p: 3 - 6 * p}, ["utility() gave 3 for seat 0", "max_utility=1"]),
    ("a wrong sum", {"utility": lambda self, s, p: 1}, ["utility() sums to 2 over all seats", "utility_sum=0"]),
    ("an estimate too high", {"evaluate": lambda self, s, p: 4.0}, ["evaluate() gave 4 for seat 0 at '5a'"]),
    ("an estimate without end", {"evaluate": lambda self, s, p: math.inf}, ["evaluate() gave inf for seat 0"]),
    ("one estimate for both", {"evaluate": lambda self, s, p: 0.5}, ["evaluate() sums to 1 over both seats at '5a'"]),
    (
        "terms that do not add up",
        {"evaluate": lambda self, s, p: 0.5 - p, "explain": lambda self, s: [("left", 0.1)]},
        ["explain() gives terms that sum to 0.1 at '5a'", "evaluate(), which is 0.5"],
    ),
    (
        "terms without names",
        {"evaluate": lambda self, s, p: 0.5 - p, "explain": lambda self, s: [0.5]},
        ["explain() lists 0.5 at '5a'", "a name and a number"],
    ),
    # Text.
    ("two lines", {"state_text": lambda self, s: f"{s[0]}\n{s[1]}"}, ["state_text() returned", "in one line"]),
    (
        "positions alike",
        {"state_text": lambda self, s: "3b" if s[0] == 3 else Good.state_text(self, s)},
        ["state_text() describes two different states alike at '3b'", "a text of its own"],
    ),
    (
        "a text that reads as another position",
        {"state_text": lambda self, s: f"{5 - s[0]}{'ab'[s[1]]}"},
        ["state_from_text() read the text back as (0, 0) at '0a'", "(5, 0)"],
    ),
    (
        "a position from nonsense",
        {"state_from_text": lambda self, text: ROOT},
        ["state_from_text() read the text", "expected it to raise BadInput"],
    ),
    (
        "another error for nonsense",
        {"state_from_text": lambda self, text: (int(text[0]), "ab".index(text[1]))},
        ["state_from_text() raised ValueError at line", "expected BadInput"],
    ),
    ("moves alike", {"action_text": lambda self, s, a: "x"}, ["action_text() calls both 1 and 2 'x' at '5a'"]),
    ("a move without a name", {"action_text": lambda self, s, a: ""}, ["action_text() returned '' for the move 1"]),
    (
        "moves that read as others",
        {"action_from_text": lambda self, s, text: 3 - int(text)},
        ["action_from_text() read '1' as 2 at '5a'", "expected 1"],
    ),
    (
        "a move from nonsense",
        {"action_from_text": lambda self, s, text: 2 if text == "2" else 1},
        ["action_from_text() read the text", "as 1", "BadInput"],
    ),
    ("a label that is no text", {"label": lambda self, s: s[0]}, ["label() returned a value of type int at '5a'"]),
    # Knowledge.
    ("a symmetry without itself", {"symmetries": lambda self, s: [(9, 9)]}, ["symmetries() leaves out", "at '5a'"]),
    (
        "a symmetry that changes the mover",
        {"symmetries": lambda self, s: [s, (s[0], 1 - s[1])]},
        ["symmetries() gave (5, 1), where player() is 1 at '5a'", "expected 0, as in an equivalent state"],
    ),
    (
        "a symmetry that changes the moves",
        {"symmetries": lambda self, s: [s, (6 - s[0], s[1])] if s[0] else [s]},
        ["symmetries() gave (1, 0), where the number of actions() is 1 at '5a'", "expected 2"],
    ),
    (
        "a representative from elsewhere",
        {"symmetries": lambda self, s: [s], "canonical": lambda self, s: (0, s[1])},
        ["canonical() gave (0, 0) at '5a'", "symmetries() lists"],
    ),
    (
        "two representatives",
        {"canonical": lambda self, s: (s[0] - 1, s[1]) if s[0] > 1 else s},
        ["canonical() differs from that of the equivalent (4, 0) at '5a'", "one for all"],
    ),
    ("noise from elsewhere", {"noisy_actions": lambda self, s: [3]}, ["noisy_actions() lists 3 at '5a'", "only moves"]),
    ("noise twice", {"noisy_actions": lambda self, s: [1, 1]}, ["noisy_actions() lists a move twice at '5a'"]),
    ("nothing plausible", {"plausible_actions": lambda self, s: []}, ["plausible_actions() lists no moves at '5a'"]),
    # Drawings.
    ("no drawing", {"draw": lambda self, s: "o" * s[0]}, ["draw() returned a value of type str at '5a'", "Drawing"]),
    (
        "a piece beside the board",
        {"draw": lambda self, s: Drawing(layout="square", rows=1, columns=5, pieces=(Piece(0, s[0], "o"),))},
        ["draw() puts 'o' on row 0, column 5 at '5a'", "1 × 5 board"],
    ),
    (
        "a piece of nobody",
        {"draw": lambda self, s: Drawing(layout="square", rows=1, columns=1, pieces=(Piece(0, 0, "o", 2),))},
        ["draw() gives 'o' to player 2 at '5a'", "a seat of the game"],
    ),
    (
        "cells without names",
        {"draw": lambda self, s: Drawing(layout="square", rows=2, columns=2, cells=("a",))},
        ["draw() names 1 cells at '5a'", "expected 4, or none"],
    ),
    (
        "an item on a place that is not there",
        {"draw": lambda self, s: Drawing(layout="places", places=(Place("a", 0, 0),), items=(Item("b"),))},
        ["BadInput in draw() at line", "The piece lies on the place 'b', which the drawing does not have at '5a'"],
    ),
    (
        "a card that shows its hidden face",
        {
            "draw": lambda self, s: Drawing(
                layout="places", racks=(Rack("you", (Item("", "card", "QS", face_up=False),)),)
            )
        },
        ["BadInput in draw()", "lies face down and yet says 'QS'", "at '5a'"],
    ),
    (
        "a stack of none",
        {"draw": lambda self, s: Drawing(layout="places", places=(Place("a", 0, 0),), items=(Item("a", count=0),))},
        ["BadInput in draw()", "has the count 0; expected at least 1 at '5a'"],
    ),
    (
        "an item of nobody",
        {"draw": lambda self, s: Drawing(layout="places", places=(Place("a", 0, 0),), items=(Item("a", player=2),))},
        ["draw() gives an item to player 2 at '5a'", "a seat from 0 to 1, or None"],
    ),
    (
        "a rack of nobody",
        {"draw": lambda self, s: Drawing(layout="places", racks=(Rack("you", player=-1),))},
        ["draw() gives a rack to player -1 at '5a'"],
    ),
    (
        "a card of nobody in a rack",
        {"draw": lambda self, s: Drawing(layout="places", racks=(Rack("you", (Item("", player=7),)),))},
        ["draw() gives an item to player 7 at '5a'"],
    ),
    (
        "a label that is no text",
        {"draw": lambda self, s: Drawing(layout="places", places=(Place("a", 0, 0),), items=(Item("a", label=3),))},
        ["draw() has an item whose label is 3 at '5a'", "text in one line"],
    ),
    (
        "a name in two lines",
        {"draw": lambda self, s: Drawing(layout="places", places=(Place("a\nb", 0, 0),))},
        ["draw() has a place whose name is 'a\\nb' at '5a'", "text in one line"],
    ),
    (
        "more places than anyone can see",
        {"draw": lambda self, s: Drawing(layout="places", places=tuple(Place("", n, 0) for n in range(1001)))},
        ["draw() has 1001 places at '5a'", "at most 1000"],
    ),
    ("an unknown layout", {"draw": lambda self, s: Drawing(layout="round")}, ["draw() has the layout 'round'", "hex"]),
    (
        "a drawing that JSON cannot carry",
        {"draw": lambda self, s: Drawing(caption={1, 2})},
        ["draw() holds data that JSON cannot carry", "at '5a'"],
    ),
    # What others ask for.
    ("too few names", {"seat_names": ("one",)}, ["seat_names is ('one',)", "a name for each of 2 seats"]),
    ("a komi in words", {"komi": "much"}, ["komi is 'much'", "None or a number"]),
    ("a board size in words", {"board_size": "much"}, ["board_size is 'much'", "None or a whole number above 0"]),
    ("a format that is none", {"formats": {"x": str}}, ["formats is {'x'", "core.format.Format"]),
    (
        "chances that fall",
        {"winning_chance": lambda self, v: 0.5 - v / 4},
        ["winning_chance() gives [0.75, 0.5, 0.25]"],
    ),
    (
        "a position that reads as another",
        {"formats": {"x": Format("position", "X", lambda s: f"x{s[0]}", lambda text: (5 - int(text[1:]), 0))}},
        ["formats() reads its own x 'x5' as 'x0' at '5a'", "the same position"],
    ),
    (
        "a move that reads as another",
        {"formats": {"x": Format("move", "X", lambda s, a: str(a), lambda s, text: 3 - int(text))}},
        ["formats() reads its own x '", "at '5a'"],
    ),
    (
        "lenient rules that forbid",
        {"lenient_actions": lambda self, s: ()},
        ["lenient_actions() leaves legal moves out"],
    ),
    (
        "shares that do not add up",
        {"evaluate": lambda self, s, p: 0.5 - p, "explain_sides": lambda self, s: [("all", 0.25, 0.0)]},
        ["explain_sides() gives terms that sum to 0.25 at '5a'", "evaluate(), which is 0.5"],
    ),
    # Observations.
    (
        "things hidden against the facts",
        {"observation": lambda self, s, p: s[1]},
        ["observation() shows seat 0 the same as at '", "though facts.hidden is False at '"],
    ),
    ("observations in a list", {"observation": lambda self, s, p: [s]}, ["observation() gave what seat 0 sees that"]),
]


@pytest.mark.parametrize(("changes", "parts"), [case[1:] for case in RULES], ids=[case[0] for case in RULES])
def test_a_broken_rule_is_named(changes: dict[str, Any], parts: list[str]) -> None:
    text = sentence(broken(Good, **changes))
    assert text.startswith("broken: ")
    for part in parts:
        assert part in text


@pytest.mark.parametrize("verb", ["initial", "player", "actions", "result", "is_terminal", "utility"])
def test_a_missing_verb_is_named(verb: str) -> None:
    text = sentence(broken(Good, **{verb: getattr(Game, verb)}))
    assert text.startswith(f"broken does not define {verb}()")


CHANCES: list[tuple[str, list[tuple[str, Any]], str]] = [
    ("a sum below 1", [("h", 0.5), ("t", 0.4)], "outcomes() gives probabilities that sum to 0.9"),
    ("a negative one", [("h", 1.5), ("t", -0.5)], "outcomes() gives 'h' the probability 1.5"),
    ("an impossible one", [("h", 1.0), ("t", 0.0)], "outcomes() gives 't' the probability 0"),
    ("no number", [("h", 0.5), ("t", math.nan)], "outcomes() gave nan as the probability of 't'"),
    ("an outcome too few", [("h", 1.0)], "outcomes() lists [h], but actions() lists [h, t]"),
    ("another outcome", [("h", 0.5), ("edge", 0.5)], "outcomes() lists [h, edge], but actions() lists [h, t]"),
    ("no pairs", ["h", "t"], "outcomes() lists 'h'"),  # type: ignore[list-item]
]


@pytest.mark.parametrize(("outcomes", "found"), [case[1:] for case in CHANCES], ids=[case[0] for case in CHANCES])
def test_broken_probabilities_are_named(outcomes: Any, found: str) -> None:
    text = sentence(broken(Coin, outcomes=lambda self, state: outcomes))
    assert found in text
    assert "('', '', '')" in text  # where


def test_joint_actions_must_be_what_the_seats_may_choose() -> None:
    text = sentence(broken(Coin, actions=lambda self, s: ["h", "t"] if not s[0] else [("h", "t")] if not s[1] else []))
    assert "actions() lists 1 joint actions that are not the 4 which seat_actions() makes up" in text


# Hidden information -----------------------------------------------------------------------------------------------

LEAKS: list[tuple[str, type[Game[Any, Any]], dict[str, Any], list[str]]] = [
    (
        "everyone sees everything",
        Deal,
        {"observation": lambda self, s, p: s, "resample": Game.resample},
        ["observation() tells seat 0 all of the 37 states apart", "though facts.hidden is True"],
    ),
    (
        "one seat sees everything, in other words",
        Deal,
        {"observation": lambda self, s, p: str(s) if p else s[:1] + s[2:], "resample": Game.resample},
        ["observation() tells seat 1 all of the 37 states apart", "return the state itself"],
    ),
    (
        "a seat sees what resample takes for hidden",
        Deal,
        {"observation": lambda self, s, p: s if p else s[:1] + s[2:]},
        ["resample() gave seat 1 the state", "which it can tell from this one by observation()", "at '(0, 1)'"],
    ),
    (
        "the moves tell the hidden card",
        Deal,
        {"actions": lambda self, s: ("low",) if len(s) == 2 and s[1] == 3 else Deal.actions(self, s)},
        ["observation() shows seat 0 the same as", "to choose from [high, low]", "the same moves wherever"],
    ),
    (
        "the mover depends on the hidden card",
        Deal,
        {"player": lambda self, s: int(s[1] == 3) if s else CHANCE},
        ["observation() shows seat 0 the same as", "not to move"],
    ),
    (
        "the drawing shows the hidden card",
        Deal,
        {"draw_for": Game.draw_for},
        ["draw_for() lets seat 0 tell it from", "the same drawing wherever the seat sees the same"],
    ),
    (
        "resample always gives the state back",
        Deal,
        {"resample": lambda self, s, p, rng: s},
        ["resample() gave seat 0 the very state that it was given", "times out of"],
    ),
    (
        "resample has dice of its own",
        Deal,
        {"resample": lambda self, s, p, rng: Deal.resample(self, s, p, random.Random(next(CALLS)))},
        ["resample() gave two different states with the same generator", "no randomness except from rng"],
    ),
    (
        "resample deals a card that there is not",
        Deal,
        {"resample": lambda self, s, p, rng: (s[0], 9, *s[2:]) if p == 0 else s},
        ["resample() gave the state at '(0, 9)'", "one that can be reached"],
    ),
    (
        "resample deals the seat another card",
        Deal,
        {"resample": lambda self, s, p, rng: (rng.choice(self.deals)) + s[2:]},
        ["resample() gave seat 0 the state at '(", "which it can tell from this one"],
    ),
    (
        "resample always gives the state back in a tiny game",
        Coin,
        {"resample": lambda self, s, p, rng: s},
        ["resample() gave seat 1 the very state that it was given"],
    ),
    (
        "the toss is seen by both",
        Coin,
        {"observation": lambda self, s, p: s, "resample": Game.resample},
        ["observation() tells seat 0 all of the 11 states apart"],
    ),
]


@pytest.mark.parametrize(("base", "changes", "parts"), [case[1:] for case in LEAKS], ids=[case[0] for case in LEAKS])
def test_a_leak_is_named(base: type[Game[Any, Any]], changes: dict[str, Any], parts: list[str]) -> None:
    text = sentence(broken(base, **changes))
    for part in parts:
        assert part in text


def test_leaks_are_found_in_a_game_that_is_too_large_to_list() -> None:
    class Large(Deal):
        facts = Facts(chance=True, hidden=True, longest_game=2)
        deals = tuple(itertools.permutations(range(90), 2))

        def outcomes(self, state: Any) -> Any:
            return [(deal, 1 / len(self.deals)) for deal in self.deals]

        def resample(self, state: Any, player: int, rng: random.Random) -> Any:
            return state

    sees_all = broken(Large, observation=lambda self, s, p: str(s))
    assert "observation() tells seat 0 all of the" in sentence(sees_all, playouts=15, most_states=500)


# Verbs that raise or never return ---------------------------------------------------------------------------------

GAME_FILE = '''"""A game in a file."""

from gametree import Facts, Game


class Mine(Game):
    facts = Facts(longest_game=5)

    def initial(self):
        return 5

    def player(self, state):
        return 5 - state & 1

    def actions(self, state):
        {actions}

    def result(self, state, action):
        return state - 1

    def is_terminal(self, state):
        return state == 0

    def utility(self, state, player):
        return 1 if player else -1


game = Mine
'''


def user_file(folder: Path, actions: str) -> str:
    file = folder / "mine.py"
    file.write_text(GAME_FILE.format(actions=actions), encoding="utf-8")
    return str(file)


def test_a_file_can_be_checked(tmp_path: Path) -> None:
    assert check_game(user_file(tmp_path, "return [1] if state else []")).states == 6


def test_an_error_in_a_file_names_verb_line_and_place(tmp_path: Path) -> None:
    file = user_file(tmp_path, "return [1] if state and 6 // (state - 3) else []")
    with pytest.raises(GameError) as caught:
        check_game(file)
    # Python words the reason differently from version to version.
    assert str(caught.value) == (f"{file}: ZeroDivisionError in actions() at line 16: {caught.value.__cause__} at '3'.")
    assert isinstance(caught.value.__cause__, ZeroDivisionError)


def test_an_error_below_the_file_names_the_line_in_the_file(tmp_path: Path) -> None:
    file = user_file(tmp_path, "import json; return json.loads(']')")
    with pytest.raises(GameError, match=r"JSONDecodeError in actions\(\) at line 16: .* at '5'\.$"):
        check_game(file)


def test_a_verb_with_the_wrong_parameters_is_named() -> None:
    text = sentence(broken(Good, player=lambda self: 0))
    assert "TypeError in player() at line " in text
    assert "positional argument" in text


ALARM = pytest.mark.skipif(not hasattr(signal, "SIGALRM"), reason="this system cannot interrupt a running verb")


@ALARM
def test_a_verb_that_never_returns_is_stopped(tmp_path: Path) -> None:
    file = user_file(tmp_path, "while state == 4: pass\n        return [1] if state else []")
    with pytest.raises(GameError, match=r"actions\(\) did not return within 0\.2 s at '4' at line 1[67]\.$"):
        check_game(file, verb_seconds=0.2)


@ALARM
def test_a_verb_that_swallows_exceptions_is_stopped_too() -> None:
    def player(self: Game[Any, Any], state: Any) -> int:
        while True:
            try:
                time.sleep(0.01)
            except Exception:
                continue

    text = sentence(broken(Good, player=player), verb_seconds=0.2)
    assert "player() did not return within 0.2 s at '5a'" in text


@ALARM
def test_a_verb_that_hangs_only_over_text_is_stopped() -> None:
    def state_text(self: Game[Any, Any], state: Any) -> str:
        while True:
            pass

    text = sentence(broken(Good, state_text=state_text), verb_seconds=0.2)
    assert "state_text() did not return within 0.2 s at '(5, 0)'" in text


@ALARM
def test_a_file_that_never_loads_is_stopped(tmp_path: Path) -> None:
    file = tmp_path / "endless.py"
    file.write_text("while True: pass\n", encoding="utf-8")
    with pytest.raises(GameError, match=r"loading the game did not return within 0\.2 s"):
        check_game(str(file), verb_seconds=0.2)


def test_an_error_while_the_game_is_made_is_told(tmp_path: Path) -> None:
    file = tmp_path / "unmade.py"
    file.write_text("def game():\n    return {}['rules']\n", encoding="utf-8")
    with pytest.raises(GameError, match=r"unmade\.py: KeyError while the game was made: 'rules'\.$"):
        check_game(str(file))


@ALARM
def test_a_verb_that_fills_the_memory_is_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    grown = itertools.count(0, 600 << 20)
    monkeypatch.setattr(_watch, "_memory", lambda: next(grown))

    def actions(self: Game[Any, Any], state: Any) -> list[int]:
        while True:
            time.sleep(0.01)

    text = sentence(broken(Good, actions=actions), verb_seconds=60)
    assert "actions() took more than 1 GiB of memory and had not returned at '5a'" in text


@ALARM
def test_the_time_of_the_compiler_does_not_count() -> None:
    """A frame of numba on the stack holds the clock; the same wait without it is too long."""
    names: dict[str, Any] = {"time": time}
    for name, file in (("compiling", "/somewhere/numba/core/compiler.py"), ("plain", "/somewhere/else.py")):
        exec(compile(f"def {name}():\n    time.sleep(0.6)", file, "exec"), names)
    with _watch.Watch(0.2) as watch:
        watch.run(names["compiling"])
        with pytest.raises(_watch.Stopped, match=r"within 0\.2 s"):
            watch.run(names["plain"])


@ALARM
def test_an_alarm_that_was_set_before_is_put_back() -> None:
    rung = []
    before = signal.signal(signal.SIGALRM, lambda *_: rung.append(True))
    try:
        signal.setitimer(signal.ITIMER_REAL, 1000)
        check_game(Good())
        assert 0 < signal.getitimer(signal.ITIMER_REAL)[0] <= 1000
        signal.raise_signal(signal.SIGALRM)
        assert rung == [True]
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def test_other_threads_check_without_an_alarm() -> None:
    reports: list[Report] = []
    thread = threading.Thread(target=lambda: reports.append(check_game(Good())))
    thread.start()
    thread.join()
    assert reports == [check_game(Good())]


def test_a_state_that_cannot_be_compared_is_told() -> None:
    class Grumpy(Counter):
        __hash__ = Counter.__hash__

        def __eq__(self, other: object) -> bool:
            raise RuntimeError("no comparison, please")

    text = sentence(broken(Good, initial=lambda self: Grumpy()))
    assert "RuntimeError when states or moves were compared, hashed or printed: no comparison, please" in text


def test_random_games_are_held_to_the_longest_game() -> None:
    text = sentence(broken(Good, facts=Facts(longest_game=2)), most_states=3)
    assert "is_terminal() is False after 2 plies at '" in text
    assert "longest_game is 2" in text
