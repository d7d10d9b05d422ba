"""Every lecture example has the answer that it claims, by its own algorithm and by others."""

from __future__ import annotations

import re

import pytest

from gametree import BadInput, GameError, UnknownName, analyse, load_algorithm
from gametree.core.record import LEAF
from gametree.games.tictactoe import FULL, LINES
from gametree.games.tree import parse_tree
from gametree.interfaces.tree_svg import tree_svg
from gametree.interfaces.tree_text import tree_text
from gametree.teaching.examples import (
    example,
    examples,
    leaf_name,
    minimal_leaves,
    plies_within,
    sizes,
    tree_nodes,
)
from gametree.teaching.steps import Stepper

ALL = pytest.mark.parametrize("shown", examples(), ids=lambda shown: shown.name)
EXACT = (
    *("minimax", "minimax-labelling", "minimax-list", "alphabeta", "alphabeta-list", "alphabeta-failhard"),
    *("negamax", "aspiration", "scout", "negascout", "mtdf", "sss"),
)
# These cut off as alpha-beta does, so a leaf that it skips is safe from them.
CUTTING = ("alphabeta", "alphabeta-list", "alphabeta-failhard", "negamax")


def max_value(result, record):
    """The root's value for MAX, by the record; the result must agree."""
    value = record.value[0]
    assert result.value == pytest.approx(-value if result.player == 1 else value)
    return value


@ALL
def test_the_answer_is_right(shown):
    result, record = shown.search()
    assert max_value(result, record) == pytest.approx(shown.value, abs=1e-12)
    assert result.values == shown.values
    move = "" if result.move is None else shown.game().action_text(result.state, result.move)
    assert move == shown.move
    assert tuple(leaf_name(record, row) for row in record.skipped_leaves()) == shown.skipped


@ALL
def test_other_algorithms_agree(shown):
    game = shown.game()
    if game.facts.players > 2 or shown.algorithm == "quiescence":
        return  # one algorithm of its kind
    unknown = shown.tree and any(record_value is None for record_value in leaf_values(shown))
    names = ("expectiminimax", "star1", "star2") if game.facts.chance else CUTTING if unknown else EXACT
    for name in names:
        result, record = shown.search(name)
        assert max_value(result, record) == pytest.approx(shown.value, abs=1e-12), name


def leaf_values(shown):
    _, record = shown.search()
    return [record.value[row] for row in range(len(record)) if record.player[row] == LEAF]


@pytest.mark.parametrize("name", ["shallow-cut", "deep-cut", "max-cut", "min-cut"])
@pytest.mark.parametrize("value", [-100, -0.3, 0, 0.3, 2.5, 100])
def test_what_is_skipped_cannot_matter(name, value):
    shown = example(name)
    text = shown.tree
    for leaf in shown.skipped:
        text = re.sub(rf"\b{leaf}\b", f"{leaf}={value}", text)
    assert analyse(parse_tree(text), algorithm="minimax").pv
    for algorithm in EXACT:
        result = analyse(parse_tree(text), algorithm=algorithm)
        assert (-result.value if result.player else result.value) == shown.value
    # Minimax has to know the leaf, alpha-beta has not.
    with pytest.raises(GameError, match=f"leaf '{shown.skipped[0]}'"):
        shown.search("minimax")


def labels(name):
    _, record = example(name).search()
    return {record.label[row]: record.value[row] for row in range(len(record))}


def test_the_labels_that_the_lecture_names():
    found = labels("labelling")
    assert {name: found[name] for name in "opqrkiabcd"} == {
        **{"o": 1, "p": -1, "q": 1, "r": -1, "k": 1, "i": -1},
        **{"a": 1, "b": -1, "c": 1, "d": -1},
    }


def test_a_known_best_value_saves_the_other_moves_altogether():
    shown = example("winning-move")
    result = analyse(shown.game(), algorithm="alphabeta", window=(-1, 1))
    assert result.value == 1
    game = shown.game()
    c_alone = analyse(game, game.state_from_text("c"), algorithm="alphabeta", window=(-1, 1))
    assert result.nodes == c_alone.nodes + 1


def test_the_deep_cut_comes_from_the_far_ancestor():
    _, record = example("deep-cut").search()
    row = record.label.index("E")
    assert record.alpha_in[row] == 0.3
    # With B out of the way, D alone gives no bound, and G has to be known.
    with pytest.raises(GameError, match="'G'"):
        analyse(parse_tree("A(C(D(E(F=-0.1 G) H=0.5) I=0.1))"), algorithm="alphabeta")


def test_ideal_and_worst_are_the_same_leaves_in_another_order():
    numbers = [sorted(re.findall(r"\d+", example(name).tree)) for name in ("ideal", "worst-order")]
    assert numbers[0] == numbers[1]
    assert len(set(numbers[0])) == 27
    assert example("ideal").search()[0].leaves == minimal_leaves(3, 3) == 11
    assert example("worst-order").search()[0].leaves == 27


def test_open_lines_are_counted_as_the_lecture_does():
    shown = example("open-lines")
    state = shown.state()
    x, o = state & FULL, state >> 9
    assert sum(not line & o for line in LINES) == 5
    assert sum(not line & x for line in LINES) == 4


@pytest.mark.parametrize(("first", "value"), [("b2", 1), ("a1", -1), ("a2", -2)])
def test_first_moves_by_open_lines(first, value):
    shown = example("open-lines-search")
    game = shown.game()
    after = game.result(shown.state(), game.action_from_text(shown.state(), first))
    reply = analyse(game, after, algorithm="minimax", depth=1)
    assert -reply.value * 9 == pytest.approx(value)


@pytest.mark.parametrize("name", ["horizon", "exchange"])
def test_the_whole_tree_says_what_the_cure_says(name):
    wrong, cured = example(name), example(f"{name}-cured")
    assert wrong.tree == cured.tree
    truth = analyse(wrong.game(), algorithm="minimax")
    assert truth.value == cured.value != wrong.value
    assert wrong.game().action_text(0, truth.move) == cured.move != wrong.move
    # A second look at the chosen move helps as well.
    second = analyse(wrong.game(), algorithm="secondary", depth=wrong.depth)
    assert wrong.game().action_text(0, second.move) == cured.move


@ALL
def test_every_example_can_be_drawn_and_stepped(shown):
    _, record = shown.search()
    assert tree_text(record)
    assert tree_svg(record).startswith("<svg")
    stepper = Stepper(record)
    while stepper.forward():
        assert stepper.sentence().endswith(".")


@ALL
def test_every_example_is_told_in_words(shown):
    assert shown.question.endswith("?")
    assert shown.explanation.endswith(".")
    assert shown.source
    assert bool(shown.tree) != bool(shown.game_name)
    load_algorithm(shown.algorithm)


def test_names():
    names = [shown.name for shown in examples()]
    assert len(names) == len(set(names)) >= 18
    assert example(" Textbook ").name == "textbook"
    with pytest.raises(UnknownName, match=r"no example called 'textbok'\. Did you mean 'textbook'"):
        example("textbok")
    with pytest.raises(BadInput, match="no example called ''"):
        example("")


# Sizes ----------------------------------------------------------------------------------------------------------------


def test_sizes():
    found = {size.name: size for size in sizes()}
    assert found["tic-tac-toe"].value == 362_880
    assert found["chess, two plies"].value == 400
    assert found["chess, game tree"].power_of_ten == 154
    assert found["chess, Shannon's number"].power_of_ten == 120
    shannon = found["chess, Shannon's positions"]
    assert shannon.power_of_ten == 42
    assert str(shannon.value).startswith("4634")
    # Placing the men one kind after the other must give the same count.
    squares, ways = 64, 1
    for men in (8, 8, 2, 2, 2, 2, 2, 2, 1, 1, 1, 1):
        for taken in range(men):
            ways = ways * (squares - taken) // (taken + 1)
        squares -= men
    assert squares == 32
    assert shannon.value == ways
    assert found["nodes in 100 seconds"].value == 10**6


def test_budgets():
    assert tree_nodes(3, 3) == 40
    assert tree_nodes(1, 9) == 10
    assert [minimal_leaves(3, depth) for depth in range(5)] == [1, 3, 5, 11, 17]
    assert plies_within(10**6, 35) == 3
    assert plies_within(10**6, 35, alphabeta=True) == 6
    assert plies_within(150_000, 35) == 3
    with pytest.raises(BadInput, match="branching=1"):
        plies_within(10, 1)
