"""The line of the pseudocode that a step executes."""

from __future__ import annotations

import itertools

import pytest

from gametree.core.game import CHANCE, MAX, MIN
from gametree.core.record import LEAF, TreeRecord
from gametree.core.registry import algorithm_names, load_algorithm, load_game
from gametree.games.tree import parse_tree
from gametree.interfaces.web import lab_code
from gametree.interfaces.web.lab_code import MARKED, Moment, Moments, marks, pseudocode, why_unmarked
from gametree.play.analysis import analyse, fits
from gametree.teaching.steps import Stepper

TEXTBOOK = "((3 12 8) (2 4 6) (14 5 2))"
COMPILED = {
    "engine": "function NODE(s, α, β, depth)",
    "fast-mcts": "v ← TREEPOLICY(v0)",
}
"""Searches of compiled games, which drawn trees are not, and the line that they mark when they enter a node."""


def marked_lines(tree: str, algorithm: str) -> list[tuple[str, list[str]]]:
    """The kind of every step and the lines that are marked at it, without their indentation."""
    game = load_game("tictactoe") if tree == "tictactoe" else parse_tree(tree)
    record = TreeRecord(game)
    state = game.state_from_text("XO./OX./...") if tree == "tictactoe" else None
    analyse(game, state, algorithm=algorithm, record=record)
    name = algorithm.partition(":")[0]
    lines = pseudocode(name)
    stepper = Stepper(record)
    moments = Moments(record)
    shown = []
    while True:
        now = moments.next(stepper.events())
        shown.append((now.kind, [lines[number].strip() for number in marks(name, now)]))
        if not stepper.forward():
            return shown


def test_alphabeta_walks_through_both_halves() -> None:
    steps = marked_lines(TEXTBOOK, "alphabeta")
    assert steps[:5] == [
        ("enter", ["function MAX-VALUE(state, α, β)"]),
        ("enter", ["function MIN-VALUE(state, α, β)"]),
        ("leaf", ["if TERMINAL-TEST(state) then return UTILITY(state)"]),
        ("update", ["v ← MIN(v, MAX-VALUE(RESULT(state, a), α, β))", "β ← MIN(β, v)"]),
        ("leaf", ["if TERMINAL-TEST(state) then return UTILITY(state)"]),
    ]
    # The only cut-off is MIN's, at the second child, which then returns from the same line.
    cut = [place for place, (kind, _) in enumerate(steps) if kind == "cut"]
    assert len(cut) == 1
    assert steps[cut[0]][1] == ["if v ≤ α then return v"]
    assert steps[cut[0] + 1] == ("leave", ["if v ≤ α then return v"])
    assert steps[-1] == ("leave", ["return v"])


def test_leaves_are_marked_in_the_half_that_is_called() -> None:
    lines = pseudocode("alphabeta")
    game = parse_tree("(1 (2 3))")
    record = TreeRecord(game)
    analyse(game, algorithm="alphabeta", record=record)
    stepper = Stepper(record)
    stepper.goto(1)  # the leaf 1 below the root, so MIN-VALUE is called
    now = Moments(record).next(stepper.events())
    assert now.kind == "leaf"
    (number,) = marks("alphabeta", now)
    assert number > lines.index("function MIN-VALUE(state, α, β)")


def test_the_derived_half_of_min() -> None:
    lines = pseudocode("alphabeta")
    at = lines.index("function MIN-VALUE(state, α, β)")
    assert [line.strip() for line in lines[at + 1 :]] == [
        "if TERMINAL-TEST(state) then return UTILITY(state)",
        "v ← +∞",
        "for each a in ACTIONS(state) do",
        "v ← MIN(v, MAX-VALUE(RESULT(state, a), α, β))",
        "if v ≤ α then return v",
        "β ← MIN(β, v)",
        "return v",
    ]


def test_negascout_marks_the_second_search() -> None:
    steps = marked_lines("((3 12 8) (2 4 6) (14 5 4))", "negascout")
    entries = [lines for kind, lines in steps if kind == "enter"]
    assert entries == [
        ["function negascout(node, depth, α, β, colour)"],
        ["v ← −negascout(child, depth − 1, −b, −α, −colour)"],
        ["v ← −negascout(child, depth − 1, −b, −α, −colour)"],
        ["v ← −negascout(child, depth − 1, −b, −α, −colour)"],
        ["v ← −negascout(child, depth − 1, −β, −α, −colour)"],
    ]


def test_scout_tells_tests_from_evaluations() -> None:
    steps = marked_lines("((3 12 8) (2 4 6) (14 5 4))", "scout")
    lines = [line for _, marked in steps for line in marked]
    assert lines.count("v ← EVAL(first successor of S)") >= 1
    assert "if S is a MAX node and TEST(S', v, >) is true then v ← EVAL(S')" in lines
    assert "if S is terminal then return V(S) > v" in lines
    assert "if S is terminal then return V(S)" in lines


def test_mtdf_marks_passes_and_memory() -> None:
    steps = marked_lines("((3 12 8) (2 4 6) (14 5 4))", "mtdf:guess=4")
    lines = [line for _, marked in steps for line in marked]
    assert lines.count("g ← MT(root, γ)") == 2
    assert any(line.startswith("if f⁺(n) < γ") for line in lines)


def test_aspiration_fails_low_and_searches_again() -> None:
    steps = marked_lines(TEXTBOOK, "aspiration:guess=10,margin=1")
    lines = [line for _, marked in steps for line in marked]
    assert lines[0] == "x ← alphabeta(node, depth, α₀, β₀)"
    assert lines.count("if x ≤ α₀ then fail low: x ← alphabeta(node, depth, −∞, x]") == 1
    assert "if x ≥ β₀ then fail high: x ← alphabeta(node, depth, [x, +∞)" not in lines


def test_chance_nodes() -> None:
    steps = marked_lines("(8 [0.5:-6 0.5:(10 1)] [0.5:9 0.5:-10])", "star1")
    assert ("cut", ["if v ≥ b or v ≤ a then cut off"]) in steps
    lines = [line for _, marked in marked_lines("(0.7 [0.72:1 0.28:0])", "expectiminimax") for line in marked]
    assert any(line.startswith("Σ over r") for line in lines)
    probes = [line for _, marked in marked_lines("(3 [0.5:min(1 9 8) 0.5:min(2 7 9)])", "star2") for line in marked]
    assert probes.count("bound of i ← search one move after i") == 2


def test_sss_names_its_cases() -> None:
    lines = [line for _, marked in marked_lines("((3 12 8) (2 4 6) (14 5 4))", "sss") for line in marked]
    assert lines[0].startswith("case 6")
    assert {line[:6] for line in lines} == {f"case {number}" for number in (1, 2, 3, 4, 5, 6)}


@pytest.mark.parametrize("algorithm", MARKED)
def test_every_step_of_every_marked_algorithm_finds_its_lines(algorithm: str) -> None:
    facts = load_algorithm(algorithm)[0]
    trees = [
        TEXTBOOK,
        "(((5 0) (6 1)) ((3 2) (4 7)))",
        "(3 [0.5:min(1 9 8) 0.5:min(2 7 9)] (1 2))",
        "(((1/2/6 4/2/3) (6/1/2 7/4/1)) ((5/1/1 1/5/2) (7/7/1 5/4/5)))",
        "R=0(take=1(!recapture=-8 decline=1) calm=0(trade=0 attack=1))",
    ]
    fitting = [tree for tree in trees if fits(facts, parse_tree(tree))]
    if algorithm == "symmetry":  # which drawn trees have none of
        fitting = ["tictactoe"]
    if algorithm in COMPILED:
        return
    assert fitting
    for tree in fitting:
        steps = marked_lines(tree, algorithm)
        assert all(lines for kind, lines in steps if kind != "skip"), steps


@pytest.mark.parametrize("algorithm", COMPILED)
def test_whatever_a_compiled_search_writes_down_has_its_line(algorithm: str) -> None:
    lines = pseudocode(algorithm)
    for kind, player in itertools.product(("enter", "leaf", "update", "cut", "leave"), (MAX, MIN, CHANCE, LEAF)):
        for reason in ("", "table", "quiescence", "extended", "terminal"):
            now = Moment(kind=kind, player=player, above=MAX, level=1, reasons=frozenset([reason] if reason else []))
            assert [lines[number] for number in marks(algorithm, now)], now
    (number,) = marks(algorithm, Moment(kind="enter", player=MAX))
    assert lines[number].strip().startswith(COMPILED[algorithm])


def test_secondary_and_singular_search_their_choice_again() -> None:
    tree = "(((5 0) (6 1)) ((3 2) (4 7)))"
    lines = [line for _, marked in marked_lines(tree, "secondary:depth=1") for line in marked]
    assert lines.count("value of a ← alpha-beta `extra` plies on from the end of its line") == 1
    lines = [line for _, marked in marked_lines(tree, "singular:depth=1") for line in marked]
    assert sum(line.startswith("if every other move") for line in lines) == 1


def test_paranoid_tells_the_root_player_from_the_others() -> None:
    tree = "(((1/2/6 4/2/3) (6/1/2 7/4/1)) ((5/1/1 1/5/2) (7/7/1 5/4/5)))"
    steps = marked_lines(tree, "paranoid")
    assert sum(lines[0].startswith("the greatest") for _, lines in steps) == 1, "the root, once"
    assert sum(lines[0].startswith("the least") for _, lines in steps) >= 4


def test_every_algorithm_of_the_lab_is_marked_and_others_say_why_not(monkeypatch: pytest.MonkeyPatch) -> None:
    assert set(MARKED) == {name for name in algorithm_names() if load_algorithm(name)[0].records}
    assert all(pseudocode(name) and not why_unmarked(name) for name in MARKED)
    assert "not one of gametree's own" in why_unmarked("elsewhere")
    monkeypatch.delitem(lab_code._RULES, "minimax")
    assert "No line is marked" in why_unmarked("minimax")
    assert marks("minimax", Moment(kind="enter", player=MAX)) == []


def test_a_changed_docstring_is_noticed() -> None:
    from gametree.interfaces.web.lab_code import _find

    with pytest.raises(LookupError, match="0 lines"):
        _find("alphabeta", "alphabeta", "if v > β")
    with pytest.raises(LookupError, match="2 lines"):
        _find("alphabeta", "alphabeta", "v ←")
