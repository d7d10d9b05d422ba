"""Every registered game keeps the contract; the games of the foundation give the known numbers."""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

import pytest

from gametree import CHANCE, SIMULTANEOUS, BadInput, Game, IllegalMove, UnknownName, analyse, game_names, load_game
from gametree.core.hearing import SILENCE, hear_all
from gametree.games.goofspiel import worth
from gametree.games.harvest import Farm
from gametree.games.kuhn import Hand
from gametree.games.nim import Piles, Take, mover_wins, nim_sum
from gametree.games.pig import Table
from gametree.testing import check_game

VARIANTS = [
    "nim:11-12-15-25",
    "nim:piles=2-3-1,misere=true",
    "pig:target=6,turns=3",
    "pig:target=100",
    "pig:target=7,sides=3",
    "goofspiel:cards=3,prizes=up",
    "goofspiel:cards=3,prizes=down",
    "goofspiel:cards=6",
    "harvest:field=13",
    "tictactoe3:3x4",
    "tictactoe3:4x4",
]


def leaves(game: Game[Any, Any], state: Any = None) -> Iterator[Any]:
    """The last state of every game that can be played, once per line of play."""
    state = game.initial() if state is None else state
    if game.is_terminal(state):
        yield state
    for action in game.actions(state):
        yield from leaves(game, game.result(state, action))


def play(game: Game[Any, Any], *moves: str) -> Any:
    """The state after the moves, given as text."""
    state = game.initial()
    for move in moves:
        state = game.result(state, game.action_from_text(state, move))
    return state


def expected_value(game: Game[Any, Any], state: Any, choose: Callable[[Any], dict[Any, float]]) -> float:
    """Seat 0's utility on average if every mover plays each action with the probability that `choose` gives it."""
    if game.is_terminal(state):
        return game.utility(state, 0)
    chances = dict(game.outcomes(state)) if game.player(state) == CHANCE else choose(state)
    return math.fsum(p * expected_value(game, game.result(state, action), choose) for action, p in chances.items() if p)


# The contract -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", game_names())
def test_every_registered_game_keeps_the_contract(name: str) -> None:
    report = check_game(name, playouts=10)
    assert report.states > 1
    assert report.ends >= 1


@pytest.mark.parametrize("name", VARIANTS)
def test_variants_keep_the_contract(name: str) -> None:
    report = check_game(name, playouts=5)
    assert report.ends >= 1


@pytest.mark.parametrize(
    ("name", "states", "ends"),
    [
        ("tictactoe", 5478, 958),
        ("kuhn", 55, 30),
        # First to move: 1-2, 0-1, 1-0, 0-0; second to move: 0-2, 1-1, 1-0, 0-0.
        ("nim:1-2", 8, 2),
    ],
)
def test_small_games_are_checked_whole(name: str, states: int, ends: int) -> None:
    report = check_game(name)
    assert (report.exhaustive, report.states, report.ends) == (True, states, ends)


@pytest.mark.parametrize(
    ("specification", "problem"),
    [
        ("nim:", "ends after the colon"),
        ("nim:three", "does not name piles"),
        ("nim:0-0", "leaves nothing to take"),
        ("nim:1-2-3-4-5-6-7-8-9", "1 to 8 sizes"),
        ("nim:1000", "up to 999"),
        ("nim:misere=perhaps", "bool"),
        ("pig:target=1", "expected 2 to 1000"),
        ("pig:turns=-1", "expected 0 to 1000"),
        ("pig:sides=1", "expected 2 to 20"),
        ("pig:target=ten", "int"),
        ("goofspiel:cards=14", "expected 1 to 13"),
        ("goofspiel:prizes=rising", "expected one of random, up, down"),
        ("harvest:field=0", "expected 1 to 99"),
        ("tictactoe3:2x3", "from 3x3 to 6x6"),
        ("kuhn:cards=4", "no parameter 'cards'"),
        ("kuhn:players=9", "expected 2 to 6"),
    ],
)
def test_wrong_parameters_are_refused_in_one_sentence(specification: str, problem: str) -> None:
    with pytest.raises((BadInput, UnknownName)) as caught:
        load_game(specification)
    assert problem.lower() in str(caught.value).lower()


@pytest.mark.parametrize(
    ("specification", "text", "problem"),
    [
        ("tictactoe", "XX", "nine of X, O"),
        ("tictactoe", "XXX/.../...", "equally many"),
        ("nim", "1-5", "does not come about"),
        ("nim", "1-5-4-9", "does not come about"),
        ("nim", "a-b", "does not name piles"),
        ("pig", "seven", "as in 7-4 +3 first"),
        ("pig", "7-4 +3 first turn 2", "expected no turn"),
        ("pig:turns=4", "7-4 +3 first turn 2", "odd for the first player"),
        ("pig", "11-0", "had ended before"),
        ("pig", "10-4 +2 first", "had ended before"),
        ("pig", "7-4 +3 first", "reach the target"),
        ("pig", "1-0", "single point"),
        ("kuhn", "JJ", "two of J, Q and K"),
        ("kuhn", "JQ bbb", "not moves of Kuhn poker"),
        ("goofspiel", "A A A", "as in A34"),
        ("goofspiel", "A34 A23 A4 A 0-0", "equally many cards"),
        ("goofspiel", "A34 A23 A4 3 two", "two numbers"),
        ("goofspiel", "A34 A23 A4 3 0-3", "no share of the prizes"),
        ("goofspiel:prizes=up", "A34 A23 34 2 0-2", "no share of the prizes"),
        ("goofspiel:prizes=up", "A34 A23 24 3 0-1", "wrong open prize"),
        ("tictactoe3", "XXX/.../...", "expected them in turn"),
        ("tictactoe3", "X..", "expected 9 of X, O, Z"),
        ("tictactoe3", "XXX/OOO/ZZ.", "had ended before"),
        ("harvest", "8", "as in 5 1-0 0-2"),
        ("harvest", "5 1-0", "does not lead to it"),
        ("harvest", "0 4-4 1-0", "does not lead to it"),
    ],
)
def test_wrong_positions_are_refused_in_one_sentence(specification: str, text: str, problem: str) -> None:
    with pytest.raises(BadInput) as caught:
        load_game(specification).state_from_text(text)
    assert problem in str(caught.value)
    assert text.split()[-1].lower() in str(caught.value).lower()


# Nim ----------------------------------------------------------------------------------------------------------------

EXAMPLES = [((1, 5, 4, 2), True), ((2, 2, 10, 10), False), ((11, 12, 15, 25), True), ((12, 12, 20, 20), False)]


@cache
def nim_is_won(sizes: tuple[int, ...], misere: bool = False) -> bool:
    """Whether the mover wins, by trying every move; knows nothing of the nim-sum. `sizes` rise."""
    if not any(sizes):
        return misere
    return any(
        not nim_is_won(tuple(sorted((*sizes[:pile], rest, *sizes[pile + 1 :]))), misere)
        for pile, size in enumerate(sizes)
        for rest in range(size)
    )


@pytest.mark.parametrize(("sizes", "first_wins"), EXAMPLES)
def test_nim_examples_by_the_nim_sum_and_by_trying_every_move(sizes: tuple[int, ...], first_wins: bool) -> None:
    assert (nim_sum(sizes) != 0) == first_wins
    assert nim_is_won(tuple(sorted(sizes))) == first_wins
    game = load_game("nim:" + "-".join(map(str, sizes)))
    assert game.evaluate(game.initial(), 0) == (1 if first_wins else -1)


@pytest.mark.parametrize(("piles", "value"), [("1-5-4-2", 1), ("2-2-3-3", -1), ("3-4-5", 1), ("1-2-3", -1)])
def test_alphabeta_finds_the_winner_of_nim(piles: str, value: int) -> None:
    assert analyse(load_game(f"nim:{piles}")).value == value


def test_the_winning_move_of_nim_leaves_the_nim_sum_0() -> None:
    game = load_game("nim:1-5-4-2")
    winning = [
        game.action_text(game.initial(), action)
        for action, state in game.successors(game.initial())
        if not nim_is_won(tuple(sorted(state.sizes)))
    ]
    assert winning == ["d2"]  # 1 xor 5 xor 4 is 0
    assert analyse(game).move == Take(3, 2)


@pytest.mark.parametrize("misere", [False, True])
def test_boutons_theorem_in_every_small_position(misere: bool) -> None:
    game = load_game(f"nim:piles=3-4-2,misere={misere}".lower())
    for sizes in itertools.product(range(4), range(5), range(3)):
        won = nim_is_won(tuple(sorted(sizes)), misere)
        assert mover_wins(sizes, misere=misere) == won
        for seat in (0, 1):
            state = Piles(sizes, seat)
            assert game.evaluate(state, seat) == (1 if won else -1)
            assert game.evaluate(state, 1 - seat) == (-1 if won else 1)
            if game.is_terminal(state):
                assert game.utility(state, seat) == (1 if won else -1)


def test_nim_text() -> None:
    game = load_game("nim:1-5-4-2")
    state = play(game, "b3")
    assert state == Piles((1, 2, 4, 2), 1)
    assert game.state_text(state) == "1-2-4-2 second"
    assert game.state_from_text("1,2 4 2") == Piles((1, 2, 4, 2), 0)
    with pytest.raises(IllegalMove, match="'b6' is not a legal move"):
        play(game, "b6")


def test_a_click_on_a_drawing_of_nim_is_a_legal_move() -> None:
    game = load_game("nim:1-5-4-2")
    state = play(game, "b3")
    drawing = game.draw(state)
    moves = {drawing.cells[piece.row * drawing.columns + piece.column] for piece in drawing.pieces}
    assert moves == {game.action_text(state, action) for action in game.actions(state)}


def test_long_piles_of_nim_are_drawn_as_text() -> None:
    game = load_game("nim:2-13")
    assert game.draw(play(game, "b10")).text == "a   2 oo\nb   3 ooo"


# Pig ----------------------------------------------------------------------------------------------------------------


def pig_value(target: int, turns: int, mine: int = 0, yours: int = 0, points: int = 0) -> float:
    """What a bounded game of Pig is worth to the mover: written from the rules, on plain numbers."""

    @cache
    def value(mine: int, yours: int, points: int, turns: int) -> float:
        if yours >= target:
            return -1
        if turns == 0:
            return (mine > yours) - (mine < yours)
        roll = -value(yours, mine, 0, turns - 1)
        for face in range(2, 7):
            roll += 1 if mine + points + face >= target else value(mine, yours, points + face, turns)
        roll /= 6
        return max(roll, -value(yours, mine + points, 0, turns - 1)) if points else roll

    return value(mine, yours, points, turns)


def expectimax(game: Game[Any, Any], state: Any) -> float:
    """Seat 0's value by walking the whole tree."""
    if game.is_terminal(state):
        return game.utility(state, 0)
    if game.player(state) == CHANCE:
        return math.fsum(p * expectimax(game, game.result(state, action)) for action, p in game.outcomes(state))
    values = [expectimax(game, game.result(state, action)) for action in game.actions(state)]
    return max(values) if game.player(state) == 0 else min(values)


@pytest.mark.parametrize(("target", "turns"), [(4, 1), (6, 2), (10, 2), (5, 4)])
def test_bounded_pig_by_the_whole_tree_and_by_the_rules(target: int, turns: int) -> None:
    game = load_game(f"pig:target={target},turns={turns}")
    assert expectimax(game, game.initial()) == pytest.approx(pig_value(target, turns))


def test_expectiminimax_plays_pig() -> None:
    bounded = load_game("pig:target=8,turns=2")
    assert analyse(bounded, algorithm="expectiminimax").value == pytest.approx(pig_value(8, 2))
    endless = load_game("pig")
    behind = endless.state_from_text("0-9 +4 first")  # the other wins with any roll but a one
    result = analyse(endless, behind, algorithm="expectiminimax", depth=4)
    assert result.move == "roll"


def test_one_turn_of_pig_to_four() -> None:
    # A first roll of 4, 5 or 6 wins, 2 and 3 are worth holding in the only turn, 1 draws: (5 · 1 + 0) / 6.
    assert pig_value(4, 1) == pytest.approx(5 / 6)


def test_holding_at_twenty_gives_the_published_scores() -> None:
    """Neller and Presser (2004), table 1: what a turn brings to a player who holds at 20 or more."""
    game = load_game("pig:target=100")
    scores: dict[int, float] = {}
    front = {game.initial(): 1.0}
    while front:
        behind: dict[Table, float] = {}
        for state, weight in front.items():
            if state.seat == 1:
                scores[state.scores[0]] = scores.get(state.scores[0], 0) + weight
                continue
            if state.rolling:
                after = game.outcomes(state)
            else:
                after = [("hold" if state.points >= 20 else "roll", 1.0)]
            for action, p in after:
                child = game.result(state, action)
                behind[child] = behind.get(child, 0) + weight * p
        front = behind
    published = {0: 0.6245, 20: 0.0997, 21: 0.0950, 22: 0.0742, 23: 0.0542, 24: 0.0352, 25: 0.0172}
    assert {score: round(p, 4) for score, p in scores.items()} == published


def test_pig_can_go_on_for_ever_and_says_so() -> None:
    game = load_game("pig")
    assert game.facts.longest_game is None
    assert play(game, "roll", "1", "roll", "1") == game.initial()
    assert load_game("pig:turns=4").facts.longest_game == 40


def test_pig_rules() -> None:
    game = load_game("pig:target=10,turns=4")
    state = play(game, "roll", "6", "hold", "roll", "3")
    assert game.state_text(state) == "6-0 +3 second turn 2"
    assert game.state_text(play(game, "roll", "6", "roll", "1")) == "0-0 +0 second turn 2"
    won = play(game, "roll", "6", "roll", "5")
    assert game.state_text(won) == "10-0 +0 first turn 1"  # points beyond the target do not count
    assert game.is_terminal(won)
    assert game.actions(game.initial()) == ("roll",)
    level = play(game, "roll", "1", "roll", "1", "roll", "1", "roll", "1")
    assert game.is_terminal(level)
    assert game.utility(level, 0) == 0


# Kuhn poker ---------------------------------------------------------------------------------------------------------


def test_the_tree_of_kuhn_poker() -> None:
    game = load_game("kuhn")
    hands = list(leaves(game))
    assert len(hands) == 30
    assert len(set(hands)) == 30
    observations = {
        (seat, game.observation(Hand(deal, moves), seat))
        for deal in game.actions(game.initial())
        for seat, moves in ((0, ""), (1, "p"), (1, "b"), (0, "pb"))
    }
    assert len(observations) == 12  # the information sets
    stakes = sorted((hand.moves, game.utility(hand, 0)) for hand in hands if hand.cards == "KQ")
    assert stakes == [("bb", 2), ("bp", 1), ("pbb", 2), ("pbp", -1), ("pp", 1)]


def kuhn_equilibrium(alpha: float) -> dict[tuple[int, str], float]:
    """Kuhn's solutions: (seat, observation) → probability of a bet, for any alpha from 0 to 1/3."""
    return {
        **{(0, "J?"): alpha, (0, "Q?"): 0, (0, "K?"): 3 * alpha},
        **{(0, "J? pb"): 0, (0, "Q? pb"): alpha + 1 / 3, (0, "K? pb"): 1},
        **{(1, "?J p"): 1 / 3, (1, "?Q p"): 0, (1, "?K p"): 1},
        **{(1, "?J b"): 0, (1, "?Q b"): 1 / 3, (1, "?K b"): 1},
    }


def kuhn_value(game: Game[Any, Any], bets: dict[tuple[int, str], float]) -> float:
    def choose(state: Any) -> dict[str, float]:
        seat = game.player(state)
        bet = bets[seat, game.observation(state, seat)]
        return {"pass": 1 - bet, "bet": bet}

    return expected_value(game, game.initial(), choose)


def best_response(game: Game[Any, Any], seat: int, bets: dict[tuple[int, str], float]) -> float:
    """The most that the seat can get against `bets`, by trying all its 64 pure strategies."""
    own = [key for key in bets if key[0] == seat]
    values = [
        kuhn_value(game, {**bets, **dict(zip(own, pure, strict=True))})
        for pure in itertools.product((0, 1), repeat=len(own))
    ]
    return max(values) if seat == 0 else -min(values)


@pytest.mark.parametrize("alpha", [0, 0.2, 1 / 3])
def test_the_equilibria_of_kuhn_poker_are_worth_minus_one_eighteenth(alpha: float) -> None:
    game, bets = load_game("kuhn"), kuhn_equilibrium(alpha)
    assert kuhn_value(game, bets) == pytest.approx(-1 / 18)
    assert best_response(game, 0, bets) == pytest.approx(-1 / 18)
    assert best_response(game, 1, bets) == pytest.approx(1 / 18)


def test_the_exploitability_of_uniform_play_in_kuhn_poker() -> None:
    game = load_game("kuhn")
    bets = dict.fromkeys(kuhn_equilibrium(0), 0.5)
    exploitability = (best_response(game, 0, bets) + best_response(game, 1, bets)) / 2
    assert exploitability == pytest.approx(0.458333, abs=1e-6)


def test_what_the_players_of_kuhn_poker_see() -> None:
    game = load_game("kuhn")
    state = play(game, "JQ", "pass", "bet")
    assert [game.observation(state, seat) for seat in (0, 1)] == ["J? pb", "?Q pb"]
    assert game.observation(play(game, "JQ", "bet", "bet"), 0) == "JQ bb"  # a showdown
    assert game.observation(play(game, "JQ", "bet", "pass"), 0) == "J? bp"  # folded cards stay hidden
    assert "Q" not in str(game.draw_for(state, 0))
    dealt = {game.resample(game.view(state, 0), 0, random.Random(seed)) for seed in range(20)}
    assert dealt == {Hand("JQ", "pb"), Hand("JK", "pb")}


def test_kuhn_poker_for_three() -> None:
    game = load_game("kuhn:players=3")
    start = game.initial()
    ends, keys = 0, set()
    walk = [(start, (SILENCE,) * 3)]
    while walk:
        state, ears = walk.pop()
        if game.is_terminal(state):
            ends += 1
            assert sum(game.utilities(state)) == 0
            continue
        if game.player(state) >= 0:
            keys.add((game.player(state), ears[game.player(state)]))
        for action, after in game.successors(state):
            walk.append((after, hear_all(game, ears, state, action, after)))
    assert (ends, len(keys)) == (312, 48)
    assert game.utilities(game.state_from_text("KJT bpb")) == (3, -1, -2)
    assert game.utilities(game.state_from_text("KJT ppp")) == (2, -1, -1)
    assert game.observation(game.state_from_text("KJT bpb"), 1) == "KJT bpb"
    assert game.observation(game.state_from_text("KJT bpb"), -1) == "K?T bpb"  # who folded shows nothing
    assert game.observation(game.state_from_text("KJT bpp"), 1) == "?J? bpp"  # who is left alone shows nothing


# Goofspiel ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("specification", "games"),
    [("goofspiel:cards=3,prizes=up", 36), ("goofspiel:cards=3", 216), ("goofspiel:cards=2", 8)],
)
def test_every_order_of_bids_and_prizes_is_a_game_of_goofspiel(specification: str, games: int) -> None:
    assert len(list(leaves(load_game(specification)))) == games  # n!² orders of bids, times n! of prizes


def test_goofspiel_by_replaying_every_pair_of_orders() -> None:
    """Every order of bids against every other, scored by hand, with prizes 1, 2, 3 in turn."""
    game = load_game("goofspiel:cards=3,prizes=up")
    for first in itertools.permutations("A23"):
        for second in itertools.permutations("A23"):
            lead = sum(
                prize * ((worth(a) > worth(b)) - (worth(a) < worth(b)))
                for prize, a, b in zip((1, 2, 3), first, second, strict=True)
            )
            state = play(game, *(f"{a}-{b}" for a, b in zip(first, second, strict=True)))
            assert state.points[0] - state.points[1] == lead
            assert game.utility(state, 0) == (lead > 0) - (lead < 0) == -game.utility(state, 1)


def test_goofspiel_rules() -> None:
    game = load_game("goofspiel")
    assert game.player(game.initial()) == CHANCE
    state = play(game, "2", "2-4", "3")
    assert game.state_text(state) == "A34 A23 A4 3 0-2"
    assert game.player(state) == SIMULTANEOUS
    assert game.seat_actions(state, 1) == ("A", "2", "3")
    assert game.state_from_text("43a 32a 4a 3 0-2") == state
    assert play(game, "2", "3-3").points == (0, 0)  # a tie loses the prize
    assert not load_game("goofspiel:prizes=down").facts.chance


def test_a_predictable_player_of_goofspiel_loses() -> None:
    """With four prizes in turn, no pure strategy is safe: the value 0 lies strictly between the two pure bounds."""
    game = load_game("goofspiel:prizes=up")

    @cache
    def bounds(state: Any) -> tuple[float, float]:
        if game.is_terminal(state):
            return game.utility(state, 0), game.utility(state, 0)
        after = {bids: bounds(game.result(state, bids)) for bids in game.actions(state)}
        mine, yours = game.seat_actions(state, 0), game.seat_actions(state, 1)
        return (
            max(min(after[m, y][0] for y in yours) for m in mine),
            min(max(after[m, y][1] for m in mine) for y in yours),
        )

    assert bounds(game.initial()) == (-1, 1)


# Tic-tac-toe for three ------------------------------------------------------------------------------------------------


def test_the_games_of_tictactoe3_by_counting_and_by_play() -> None:
    """On 3 × 3 squares X can win only at the 7th mark, O at the 8th and Z at the 9th: with all three in one line."""
    game = load_game("tictactoe3")

    @cache
    def count(state: str) -> tuple[int, int, int]:
        if game.is_terminal(state):
            x, o, z = (int(game.utility(state, seat) == 2) for seat in range(3))
            return x, o, z
        below = [count(child) for _, child in game.successors(state)]
        return sum(b[0] for b in below), sum(b[1] for b in below), sum(b[2] for b in below)

    orders, lines, parallel = 6, 8, 12  # orders of three marks; lines; ordered pairs of lines without a common square
    x = lines * orders * (6 * 5 * 4 * 3)  # the others' four marks, anywhere
    o = lines * orders * (6 * 5 * 4 * 3 * 2) - parallel * orders * orders * (3 * 2)  # unless X was first
    z = lines * orders * (6 * 5 * 4 * 3 * 2 * 1) - parallel * orders**3  # unless X and O filled the two other lines
    assert count(game.initial()) == (x, o, z) == (17280, 31968, 31968)


def test_nobody_wins_tictactoe3_against_good_play() -> None:
    """max^n by hand: everyone takes what is best for himself, the first such move among equals."""
    game = load_game("tictactoe3")

    @cache
    def values(state: str) -> tuple[float, ...]:
        if game.is_terminal(state):
            return tuple(game.utility(state, seat) for seat in range(3))
        seat = game.player(state)
        return max((values(child) for _, child in game.successors(state)), key=lambda value: value[seat])

    assert values(game.initial()) == (0, 0, 0)


def test_a_player_of_tictactoe3_who_cannot_win_decides_who_does() -> None:
    """Z threatens a3, X threatens a1 and c2 at once: O, to move, can only choose between them."""
    game = load_game("tictactoe3:3x4")
    state = game.state_from_text(".ZZX/...O/.XXO")
    assert game.player(state) == 1
    for action, child in game.successors(state):
        winner = 0 if game.action_text(state, action) == "a3" else 2
        expected = tuple(2 if seat == winner else -1 for seat in range(3))
        assert analyse(game, child, algorithm="maxn").values == expected
    assert analyse(game, state, algorithm="maxn").value == -1
    assert analyse(game, state, algorithm="paranoid").value == -1


def test_a_win_in_tictactoe3_takes_a_point_from_each() -> None:
    game = load_game("tictactoe3:3x4")
    state = play(game, "a1", "a2", "a3", "b1", "b2", "b3", "c1")
    assert game.state_text(state) == "ZZ../OO../XXX."
    assert [game.utility(state, seat) for seat in range(3)] == [2, -1, -1]
    assert len(game.symmetries(state)) == 4
    assert len(load_game("tictactoe3:4x4").symmetries("." * 16)) == 8


# Harvest ------------------------------------------------------------------------------------------------------------


def test_a_farmer_at_work_has_no_choice() -> None:
    game = load_game("harvest")
    state = play(game, "pick-reap")
    assert state == Farm(7, (1, 0), (0, 2))
    assert game.player(state) == SIMULTANEOUS
    assert game.seat_actions(state, 1) == ()
    assert game.actions(state) == [("pick", None), ("reap", None)]
    state = play(game, "pick-reap", "reap-work")
    assert game.actions(state) == [(None, None)]  # both are at work: time passes
    assert play(game, "pick-reap", "reap-work", "work-work") == Farm(3, (1, 4), (1, 0))


def test_corn_is_trampled_only_if_both_bring_in_too_much() -> None:
    game = load_game("harvest:field=5")
    assert play(game, "reap-reap", "work-work", "work-work") == Farm(0, (0, 0), (0, 0))
    alone = play(game, "pick-pick", "reap-pick", "work-pick", "work-reap")
    assert alone == Farm(0, (2, 3), (0, 0))  # the one sheaf that is left, not four


@pytest.mark.parametrize(("field", "better"), [(4, "pick"), (6, "pick"), (7, "reap"), (9, "reap")])
def test_slow_work_pays_in_a_large_field(field: int, better: str) -> None:
    """The better first choice is sure of a draw and wins against the other one."""
    game = load_game(f"harvest:field={field}")

    @cache
    def sure(state: Farm) -> float:
        if game.is_terminal(state):
            return game.utility(state, 0)
        worst: dict[str | None, float] = {}
        for mine, yours in game.actions(state):
            worst[mine] = min(worst.get(mine, 1), sure(game.result(state, (mine, yours))))
        return max(worst.values())

    worse = "reap" if better == "pick" else "pick"
    assert sure(play(game, f"{better}-{worse}")) == 1
    assert sure(play(game, f"{better}-{better}")) == 0
    assert sure(play(game, f"{worse}-{better}")) == -1
