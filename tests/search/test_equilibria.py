"""Regret minimisation, best responses and matrix games: published numbers, plain definitions, and each other."""

from __future__ import annotations

import json
import random
from fractions import Fraction
from math import isclose

import numpy as np
import pytest

from gametree import BadInput, Clock, UnfitGame, load_algorithm, load_game
from gametree.core.game import CHANCE, SIMULTANEOUS
from gametree.core.hearing import SILENCE, hear_all
from gametree.interfaces.cli import run
from gametree.knowledge.strategies import read_strategy, write_strategy
from gametree.play.analysis import default_algorithm
from gametree.search.support.information_tree import InformationTree
from gametree.search.support.matrix_game import regret_matching, solve_matrix
from gametree.search.support.regrets import Discount, Regrets, best_responses, exploitability, profile_values

CFR, CFR_PLUS, DCFR, LINEAR = Discount(), Discount(gamma=1.0, floor=True), Discount(1.5, 0.0, 2.0), Discount(1, 1, 1)
trees: dict[str, InformationTree] = {}


def tree_of(name: str) -> InformationTree:
    if name not in trees:
        trees[name] = InformationTree(load_game(name))
    return trees[name]


# Best responses ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "decisions", "ends", "nash_conv"),
    [
        ("kuhn", 24, 30, 0.916667),
        ("kuhn:players=3", 288, 312, 2.0625),
        ("leduc", 3780, 5520, 4.747222),
        ("liars-dice:faces=2", 32, 60, 1.125),  # the last answer is forced, which others count as a decision
        ("liars-dice:faces=3", 288, 567, 1.111111),
        ("liars-dice:faces=4", 2048, 4080, 1.310119),
        ("goofspiel:cards=3,prizes=down", 31, 36, 1.333333),
        ("goofspiel:cards=4,prizes=down", 501, 576, 1.5),
        ("goofspiel:cards=4,prizes=up", 501, 576, 1.583333),
    ],
)
def test_sizes_and_what_uniform_play_loses(name, decisions, ends, nash_conv):
    tree = tree_of(name)
    assert (tree.decisions, tree.ends) == (decisions, ends)
    assert isclose(exploitability(tree, tree.uniform()) * tree.seats, nash_conv, abs_tol=1e-6)


def plain_values(game, strategy, state=None, ears=None):
    """What every seat gets, by walking the game itself; `strategy` maps (seat, ear) to shares."""
    state = game.initial() if state is None else state
    ears = (SILENCE,) * game.facts.players if ears is None else ears
    if game.is_terminal(state):
        return np.array(game.utilities(state), float)
    mover = game.player(state)
    if mover == CHANCE:
        options = game.outcomes(state)
    else:
        actions = game.actions(state)
        shares = strategy.get((mover, ears[mover]), [1.0]) if len(actions) > 1 else [1.0]
        options = list(zip(actions, shares, strict=True))
    total = np.zeros(game.facts.players)
    for action, share in options:
        after = game.result(state, action)
        total += share * plain_values(game, strategy, after, hear_all(game, ears, state, action, after))
    return total


def table(tree, strategy):
    return {known.key: list(strategy[known.first : known.first + len(known.actions)]) for known in tree.sets}


@pytest.mark.parametrize("name", ["kuhn", "kuhn:players=3", "liars-dice:faces=2"])
def test_values_and_best_responses_against_the_plain_game(name):
    """Every pure strategy of a seat is tried: none does better than the best response, and one does as well."""
    tree, rng = tree_of(name), random.Random(5)
    strategy = tree.uniform()
    for known in tree.sets:
        shares = np.array([rng.random() for _ in known.actions])
        strategy[known.first : known.first + len(shares)] = shares / shares.sum()
    assert np.allclose(profile_values(tree, strategy), plain_values(tree.game, table(tree, strategy)))
    values, answers = best_responses(tree, strategy)
    for seat in range(tree.seats):
        assert isclose(plain_values(tree.game, table(tree, answers[seat]))[seat], values[seat], abs_tol=1e-12)
        mine = [known for known in tree.sets if known.seat == seat]
        for _ in range(60):
            other = table(tree, strategy)
            for known in mine:
                place = rng.randrange(len(known.actions))
                other[known.key] = [float(i == place) for i in range(len(known.actions))]
            assert plain_values(tree.game, other)[seat] <= values[seat] + 1e-12


# Regret minimisation -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "discount", "alternating", "numbers"),
    [
        ("kuhn", CFR, True, (0.068698794, 0.008225977, 0.000937617)),
        ("kuhn", CFR, False, (0.096208500, 0.025674736, 0.007269106)),
        ("kuhn", CFR_PLUS, True, (0.032687091, 0.001194404, 0.000087365)),
        ("kuhn", CFR_PLUS, False, (0.071240795, 0.015742249, 0.002828092)),
        ("kuhn", DCFR, True, (0.022778784, 0.001666342, 0.000146500)),
        ("kuhn", DCFR, False, (0.099922178, 0.017752634, 0.005050346)),
        ("kuhn", LINEAR, True, (0.021250731, 0.001089027, 0.000093530)),
        ("kuhn:players=3", CFR, True, (0.104160402, 0.012338541, 0.001307445)),
        ("kuhn:players=3", CFR_PLUS, True, (0.049776725, 0.000984998, 0.000010676)),
        ("kuhn:players=3", DCFR, True, (0.033822250, 0.002044908, (0.0000072, 0.0000079))),
        ("leduc", CFR, True, (0.888578983, 0.095716353, (0.01181, 0.01183))),
        ("leduc", CFR, False, (0.927018572, 0.173034312, (0.0398, 0.0399))),
        ("leduc", CFR_PLUS, True, (0.610438902, 0.013415995, (0.00023, 0.00027))),
        ("leduc", CFR_PLUS, False, (0.775432410, 0.044012089, (0.0068, 0.0070))),
        ("leduc", DCFR, True, (0.778802047, (0.00775, 0.00776), (0.00013, 0.00018))),
        ("leduc", DCFR, False, (0.842678522, 0.069777246, (0.0078, 0.0088))),
        ("leduc", LINEAR, True, (0.721065156, (0.03448, 0.03450), (0.0045, 0.0068))),
    ],
)
def test_exploitability_after_10_100_and_1000_iterations(name, discount, alternating, numbers):
    tree = tree_of(name)
    regrets = Regrets(tree, discount, alternating=alternating)
    for iterations, expected in zip((10, 90, 900), numbers, strict=True):
        regrets.run(iterations)
        found = exploitability(tree, regrets.average())
        if isinstance(expected, tuple):  # rounding picks another path where a regret passes zero
            assert expected[0] <= found <= expected[1]
        else:
            assert isclose(found, expected, abs_tol=6e-10)


@pytest.mark.parametrize(
    ("name", "value"), [("kuhn", -1 / 18), ("leduc", -0.0856064241), ("liars-dice:faces=3", 1 / 9)]
)
def test_values_of_equilibria(name, value):
    tree = tree_of(name)
    regrets = Regrets(tree, CFR_PLUS)
    regrets.run(2000)
    assert isclose(profile_values(tree, regrets.average())[0], value, abs_tol=2e-4)


@pytest.mark.parametrize("algorithm", ["cfr", "cfr-plus", "dcfr", "mccfr"])
def test_kuhn_is_played_as_kuhn_found(algorithm):
    """Bets with J in [0, 1/3], with K three times as often, never with Q; the second bluffs and calls a third."""
    game, search = load_game("kuhn"), load_algorithm(algorithm)[1]
    more = {"iterations": 20_000 if algorithm == "mccfr" else 3000}

    def bets(text):
        return search(game, game.state_from_text(text), **more).details["strategy"]["bet"]

    error = 0.08 if algorithm == "mccfr" else 0.03
    bluff = bets("JQ")
    assert -error < bluff < 1 / 3 + error
    assert isclose(bets("KQ"), 3 * bluff, abs_tol=3 * error)
    assert bets("QJ") < error
    assert isclose(bets("QJ pb"), bluff + 1 / 3, abs_tol=2 * error)
    assert isclose(bets("QJ p"), 1 / 3, abs_tol=error)
    assert isclose(bets("JQ b"), 1 / 3, abs_tol=error)
    assert bets("JK b") > 1 - error


def test_moves_are_drawn_by_the_strategy_and_the_same_for_the_same_seed():
    game, search = load_game("kuhn"), load_algorithm("dcfr")[1]
    state = game.state_from_text("QJ p")
    moves = [search(game, state, iterations=300, seed=seed).move for seed in range(60)]
    assert moves == [search(game, state, iterations=300, seed=seed).move for seed in range(60)]
    assert 8 <= moves.count("bet") <= 32


def test_a_seat_that_sees_nothing_more_plays_the_same():
    game, search = load_game("leduc"), load_algorithm("dcfr")[1]
    hands = [game.state_from_text(f"QS {other} rc KH") for other in ("JS", "QH", "KS")]
    told = [search(game, state, iterations=20).to_data(game) | {"position": "", "seconds": 0} for state in hands]
    assert told[0] == told[1] == told[2]


def test_a_clock_stops_it_and_there_is_an_answer():
    result = load_algorithm("dcfr")[1](load_game("leduc"), clock=Clock(nodes=50_000))
    assert result.details["iterations"] >= 1
    assert result.complete


def test_what_they_refuse():
    with pytest.raises(UnfitGame, match="more than 1,000 nodes"):
        InformationTree(load_game("leduc"), limit=1000)
    with pytest.raises(UnfitGame, match="unlisted"):
        load_algorithm("dcfr")[1](load_game("whist"))
    with pytest.raises(BadInput, match="iterations=0"):
        load_algorithm("cfr")[1](load_game("kuhn"), iterations=0)
    with pytest.raises(UnfitGame, match="simultaneous"):
        load_algorithm("mccfr")[1](load_game("goofspiel"))


# Matrix games --------------------------------------------------------------------------------------------------------

MATRICES = [
    ("1 -1 / -1 1", "0", "1/2 1/2", "1/2 1/2"),
    ("2 -1 / -1 1", "1/5", "2/5 3/5", "2/5 3/5"),
    ("2 -3 / -3 4", "-1/12", "7/12 5/12", "7/12 5/12"),
    ("-1 1 / 3 0", "3/5", "3/5 2/5", "1/5 4/5"),
    ("0 -1 1 / 1 0 -1 / -1 1 0", "0", "1/3 1/3 1/3", "1/3 1/3 1/3"),
    ("0 -1 2 / 1 0 -1 / -2 1 0", "0", "1/4 1/2 1/4", "1/4 1/2 1/4"),
    ("3 5 4 / 1 8 0 / 2 -1 6", "3", "1 0 0", "1 0 0"),
    ("2 0 1 / 1 3 0 / 0 -1 0", "3/4", "3/4 1/4 0", "0 1/4 3/4"),
    ("3 -1 -3 / -2 4 -1 / -5 -6 2", "-99/109", "43/109 34/109 32/109", "35/109 9/109 65/109"),
    ("1 3 -2 4 / 4 -1 5 -2", "13/11", "6/11 5/11", "0 7/11 4/11 0"),
]


@pytest.mark.parametrize(("text", "value", "row", "column"), MATRICES)
def test_matrix_games_of_the_literature(text, value, row, column):
    matrix = [[int(x) for x in line.split()] for line in text.split("/")]
    found = solve_matrix(matrix)
    assert found.value == Fraction(value)
    assert found.row == tuple(map(Fraction, row.split()))
    assert found.column == tuple(map(Fraction, column.split()))
    floats = [[float(x) for x in line] for line in matrix]
    assert isclose(solve_matrix(floats).value, found.value, abs_tol=1e-9)
    assert isclose(regret_matching(floats, 3000).value, found.value, abs_tol=1e-2)


def test_random_matrices_keep_both_promises():
    rng = random.Random(3)
    for _ in range(200):
        height, width = rng.randint(1, 6), rng.randint(1, 6)
        matrix = [[rng.randint(-9, 9) for _ in range(width)] for _ in range(height)]
        value, row, column = solve_matrix(matrix)
        assert sum(row) == sum(column) == 1
        assert min(row + column) >= 0
        assert min(sum(row[i] * matrix[i][j] for i in range(height)) for j in range(width)) == value
        assert max(sum(column[j] * matrix[i][j] for j in range(width)) for i in range(height)) == value


@pytest.mark.parametrize("matrix", [[], [[]], [[1, 2], [3]], [[float("nan")]], [["1"]]])
def test_what_is_no_matrix(matrix):
    with pytest.raises(BadInput, match="matrix"):
        solve_matrix(matrix)


@pytest.mark.parametrize(
    "name", ["goofspiel:cards=3", "goofspiel:cards=4,prizes=down", "goofspiel:cards=4,prizes=up", "harvest"]
)
def test_choices_made_at_once_are_worth_the_same_by_two_algorithms(name):
    game = load_game(name)
    exact = load_algorithm("matrix")[1](game)
    assert exact.bound == "exact"
    assert exact.value == 0
    learned = load_algorithm("cfr-plus")[1](game, iterations=1500)
    assert isclose(learned.value, 0, abs_tol=1e-3)
    assert learned.details["exploitability"] < 2e-3


@pytest.mark.parametrize(
    ("position", "value"),
    [("A23 A24 A23 3", -5 / 8), ("A2 A3 A2 2", -1.0), ("A4 23 A2 2", 1.0), ("A34 234 A23 3", -5 / 8)],
)
def test_endings_of_goofspiel(position, value):
    """Hands that no game from the start leads to, so the state is made by hand; the prizes fall in order."""
    game = load_game("goofspiel:cards=4,prizes=down")
    first, second, stack, prize = position.split()
    state = game.initial()._replace(hands=(first, second), stack=stack.replace(prize, ""), prize=prize)
    assert isclose(load_algorithm("matrix")[1](game, state).value, value, abs_tol=1e-9)


def test_first_bids_of_goofspiel():
    down = load_algorithm("matrix")[1](load_game("goofspiel:cards=4,prizes=down"))
    assert down.move == ("4", "4")
    assert isclose(down.details["strategy"]["player 1"]["4"], 1)
    game = load_game("goofspiel:cards=4")
    shown = {prize: game.result(game.initial(), prize) for prize in "A24"}
    found = {prize: load_algorithm("matrix")[1](game, state) for prize, state in shown.items()}
    assert isclose(found["A"].details["strategy"]["player 1"]["A"], 1)
    assert isclose(found["4"].details["strategy"]["player 1"]["4"], 1)
    wanted = {"A": 85 / 457, "2": 57 / 457, "3": 315 / 457, "4": 0}
    for bid, share in found["2"].details["strategy"]["player 1"].items():
        assert isclose(share, wanted[bid], abs_tol=1e-9)


def test_what_is_played_by_default():
    assert default_algorithm(load_game("goofspiel:cards=3")) == "matrix"
    assert default_algorithm(load_game("harvest")) == "matrix"
    assert default_algorithm(load_game("kuhn")) == "dcfr"
    assert default_algorithm(load_game("leduc")) == "dcfr"
    assert default_algorithm(load_game("tictactoe")) == "alphabeta"
    assert all(load_game(name).player(load_game(name).initial()) == SIMULTANEOUS for name in ["harvest"])


# Files and commands --------------------------------------------------------------------------------------------------


def test_a_strategy_is_kept_in_a_file(tmp_path):
    tree = tree_of("kuhn")
    regrets = Regrets(tree, DCFR)
    regrets.run(50)
    write_strategy(tmp_path / "kuhn.json", tree, regrets.average())
    assert np.allclose(read_strategy(tmp_path / "kuhn.json", tree), regrets.average())
    data = json.loads((tmp_path / "kuhn.json").read_text())
    for change, words in [
        (lambda wrong: wrong["sets"].pop(), "does not say what"),
        (lambda wrong: wrong["sets"][0]["strategy"].update({"pass": 0.9, "bet": 0.9}), "no probabilities"),
        (lambda wrong: wrong["sets"][0]["strategy"].update({"pass": -1, "bet": 2}), "no probabilities"),
        (lambda wrong: wrong["sets"][0].update({"strategy": {"pass": 1}}), "does not say what"),
        (lambda wrong: wrong.update({"game": "leduc"}), "a strategy for leduc"),
        (lambda wrong: wrong.update({"format": "x"}), "not a strategy"),
    ]:
        wrong = json.loads(json.dumps(data))
        change(wrong)
        (tmp_path / "bad.json").write_text(json.dumps(wrong))
        with pytest.raises(BadInput, match=words):
            read_strategy(tmp_path / "bad.json", tree)
    for text in ("", "[" * 100_000, "[]", '{"format": "gametree-strategy-1", "sets": 3}'):
        (tmp_path / "bad.json").write_text(text)
        with pytest.raises(BadInput, match="not a strategy"):
            read_strategy(tmp_path / "bad.json", tree)


def test_commands(capfd, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def told(*words):
        assert run([*words, "--json"]) == 0
        return json.loads(capfd.readouterr().out)

    kuhn = told("equilibrium", "kuhn")
    assert isclose(kuhn["value"], -1 / 18, abs_tol=1e-4)
    assert kuhn["exploitability"] < 2e-4
    assert len(kuhn["strategy"]) == 12
    assert told("equilibrium", "leduc", "--algorithm", "dcfr", "--iterations", "1000")["exploitability"] < 5e-4
    assert isclose(told("exploitability", "leduc", "uniform")["exploitability"], 2.373611, abs_tol=1e-6)
    assert isclose(told("equilibrium", "goofspiel:cards=3", "-n", "300")["value"], 0, abs_tol=1e-3)
    assert run(["equilibrium", "kuhn", "-o", "kuhn.json", "-n", "100"]) == 0
    assert "Wrote kuhn.json" in capfd.readouterr().out
    assert told("exploitability", "kuhn", "kuhn.json")["exploitability"] < 0.002
    for words, expected in [
        (["equilibrium", "whist"], "unlisted"),
        (["equilibrium", "kuhn", "-n", "0"], "expected at least 1"),
        (["equilibrium", "kuhn", "-a", "alphabeta"], "expected one of"),
        (["exploitability", "leduc", "kuhn.json"], "a strategy for kuhn"),
        (["exploitability", "kuhn", "missing.json"], "cannot be read"),
    ]:
        assert run(words) == 2
        assert expected in capfd.readouterr().err
