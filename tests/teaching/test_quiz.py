"""The quiz: fresh trees, honest judgements, explanations that point at the right place."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gametree import BadInput, analyse
from gametree.games.tree import parse_tree
from gametree.interfaces.tree_svg import tree_svg
from gametree.interfaces.tree_text import tree_text
from gametree.teaching.quiz import MOST_LEAVES, Quiz, leaf_letters, make_quiz
from gametree.teaching.steps import Stepper

TEXTBOOK = "((A=3 B=12 C=8) (D=2 E=4 F=6) (G=14 H=5 I=2))"


@pytest.fixture
def textbook():
    return Quiz(parse_tree(TEXTBOOK))


def skipped_by_hand(tree):
    """Which leaves alpha-beta skips, by the textbook's procedure on nested lists; leaves are (name, value)."""
    seen = set()

    def value_of(node, alpha, beta, maximises):
        if isinstance(node, tuple):
            seen.add(node[0])
            return node[1]
        best = None
        for child in node:
            value = value_of(child, alpha, beta, not maximises)
            if maximises:
                best = value if best is None or value > best else best
                if best >= beta:
                    break
                alpha = max(alpha, best)
            else:
                best = value if best is None or value < best else best
                if best <= alpha:
                    break
                beta = min(beta, best)
        return best

    value = value_of(tree, float("-inf"), float("inf"), True)
    return value, seen


def nested(text):
    """The quiz's tree as nested lists."""
    stack = [[]]
    for word in text.replace("(", " ( ").replace(")", " ) ").split():
        if word == "(":
            stack.append([])
        elif word == ")":
            done = stack.pop()
            stack[-1].append(done)
        else:
            name, number = word.split("=")
            stack[-1].append((name, int(number)))
    return stack[0][0]


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**6), st.integers(1, 5))
def test_the_answers_are_those_of_the_textbook_procedure(seed, difficulty):
    quiz = make_quiz(seed, difficulty=difficulty)
    value, seen = skipped_by_hand(nested(quiz.game.tree_text()))
    assert quiz.value == value == analyse(quiz.game, algorithm="minimax").value
    assert set(quiz.skipped) == set(quiz.leaves) - seen
    assert quiz.check_value(str(value)).correct
    assert quiz.check_skipped(" ".join(quiz.skipped)).correct
    assert not quiz.check_value(value + 1).correct


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**6), st.data())
def test_every_wrong_answer_is_explained_at_the_first_wrong_leaf(seed, data):
    quiz = make_quiz(seed, difficulty=3)
    answer = data.draw(st.sets(st.sampled_from(quiz.leaves)))
    verdict = quiz.check_skipped(answer)
    wrong = answer ^ set(quiz.skipped)
    assert verdict.correct == (not wrong)
    if wrong:
        named = verdict.message.split()[0]
        assert named in wrong
        assert 0 <= verdict.step < len(Stepper(quiz.record))
        assert ("is looked at" in verdict.message) == (named not in quiz.skipped)
        # Nothing that is wrong was settled any earlier.
        alone = [quiz.check_skipped(set(quiz.skipped) ^ {leaf}).step for leaf in wrong]
        assert verdict.step == min(alone)


def test_the_same_seed_gives_the_same_quiz():
    one, other = make_quiz(7), make_quiz(7)
    assert one.game.tree_text() == other.game.tree_text()
    assert one.seed == 7
    assert make_quiz(8).game.tree_text() != one.game.tree_text()
    fresh = make_quiz()
    assert make_quiz(fresh.seed).game.tree_text() == fresh.game.tree_text()


def test_a_quiz_is_worth_asking():
    for seed in range(30):
        assert make_quiz(seed).skipped
    assert make_quiz(1, branching=1, depth=3).skipped == ()  # nothing to skip in a single line


def test_difficulty_grows():
    sizes = [len(make_quiz(1, difficulty=level).leaves) for level in range(1, 8)]
    assert sizes == [9, 8, 27, 16, 32, 81, 243]
    quiz = make_quiz(1, branching=4, depth=2)
    assert len(quiz.leaves) == 16


def test_messages(textbook):
    assert textbook.value == 3
    assert textbook.skipped == ("E", "F")
    assert textbook.check_value("3").message == "Right: the root is worth 3."
    wrong = textbook.check_value("14")
    assert wrong.message == "The root is worth 3, not 14. Its children are worth 3, 2, 2, and MAX takes the greatest."
    assert textbook.check_skipped("E F").message == "Right: alpha-beta skips E and F."
    verdict = textbook.check_skipped("E")
    assert verdict.message == (
        "F is skipped too. Node 2: the value 2 ≤ α 3, so MIN can hold MAX to 2 here, and MAX has 3 already; "
        "E and F are not looked at."
    )
    assert verdict.step == 11
    assert textbook.check_skipped("none").message.startswith("E is skipped. Node 2")
    assert textbook.check_skipped("E F H").message == (
        "H is looked at: node 3 is worth 14 so far, more than α 3, so MIN must look on."
    )
    assert textbook.check_skipped("E F G").message == (
        "G is looked at: the root is worth 3 so far, and no other choice sets a limit to it."
    )
    assert textbook.check_skipped("A E F").message == (
        "A is looked at: it is the first leaf of all, and nothing can be known before it."
    )
    assert len(textbook.explain()) == 22


def test_a_tree_without_cuts():
    quiz = Quiz(parse_tree("((A=1 B=2) (C=3 D=4))"))
    assert quiz.check_skipped("none").message == "Right: alpha-beta skips none."
    quiz = Quiz(parse_tree("min(A=2 max(B=3 C=1))"))
    assert quiz.value == 2
    assert quiz.check_value(3).message.endswith("Its children are worth 2, 3, and MIN takes the least.")
    assert quiz.check_skipped("B").message.startswith("B is looked at: the root is worth 2 so far")
    assert Quiz(parse_tree("((A=1 (B=0 C=2)) D=9)")).check_skipped("C D").message.startswith("C is looked at")
    assert Quiz(parse_tree("A=5")).check_value("4").message == "The root is worth 5, not 4. It is a leaf itself."


@pytest.mark.parametrize(
    "answer", ["E F", "e,f", " F ; E. ", "E and F", "E-F", "e – f", "EF", "leaves E & F", ["E", "f"]]
)
def test_answers_are_read_kindly(textbook, answer):
    assert textbook.check_skipped(answer).correct


@pytest.mark.parametrize("answer", ["none", "None.", "", "-", "no leaves", "nothing", []])
def test_none_can_be_said_in_many_ways(answer):
    assert Quiz(parse_tree("((A=1 B=2) (C=3 D=4))")).check_skipped(answer).correct


@pytest.mark.parametrize("answer", ["3", " +3 ", "3.0", "= 3", 3, 3.0])
def test_values_are_read_kindly(textbook, answer):
    assert textbook.check_value(answer).correct


def test_the_typographic_minus_is_a_minus():
    assert Quiz(parse_tree("(A=-4 B=-5)")).check_value("−4").correct


@pytest.mark.parametrize("answer", ["", "three", "nan", "inf", "3 4", "A"])
def test_a_value_must_be_a_number(textbook, answer):
    with pytest.raises(BadInput, match="is not a number"):
        textbook.check_value(answer)


@pytest.mark.parametrize(
    ("answer", "says"),
    [("Z", "'Z' is no leaf of this tree"), ("E 7", "'7' is no leaf"), ("F-E", "backwards"), ("EZ", "'EZ' is no leaf")],
)
def test_what_is_no_leaf_is_refused(textbook, answer, says):
    with pytest.raises(BadInput, match=says):
        textbook.check_skipped(answer)


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"difficulty": 0}, "difficulty of 0"),
        ({"branching": 0}, "branching 0"),
        ({"depth": 0}, "depth 0"),
        ({"branching": 30, "depth": 2}, "more than 702 leaves"),
        ({"difficulty": 10**9}, "more than 702 leaves"),
        ({"branching": 10**6, "depth": 10**6}, "more than 702 leaves"),
    ],
)
def test_impossible_quizzes_are_refused(options, says):
    with pytest.raises(BadInput, match=says):
        make_quiz(1, **options)


def test_leaves_need_names_of_their_own():
    for text in ("(3 4)", "(A=3 A=4)"):
        with pytest.raises(BadInput, match="name of their own"):
            Quiz(parse_tree(text))


def test_letters():
    assert leaf_letters(3) == ["A", "B", "C"]
    assert leaf_letters(28)[-2:] == ["AA", "AB"]
    assert len(set(leaf_letters(MOST_LEAVES))) == MOST_LEAVES
    with pytest.raises(BadInput, match="at most 702"):
        leaf_letters(MOST_LEAVES + 1)


def test_two_letters_are_one_leaf_before_they_are_two():
    quiz = make_quiz(1, difficulty=5)
    assert "AB" in quiz.leaves
    assert quiz.check_skipped("AB") == quiz.check_skipped(["AB"])


def test_question_and_answer_can_be_drawn(textbook):
    asked = tree_text(textbook.question)
    assert "B = 12" in asked
    assert "✗" not in asked
    assert "★" not in asked
    assert "✗ E = 4 pruned" in tree_text(textbook.record)
    assert tree_svg(textbook.question).startswith("<svg")
    assert "MIN node" in textbook.skipped_question
    assert "root" in textbook.value_question
