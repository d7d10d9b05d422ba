"""Drawings of the tree record, as text and as SVG, and the stepping through it.

The golden files hold what the drawings of the textbook tree look like. After a wanted change, look at the new drawings
and renew them: GAMETREE_RENEW_GOLDEN=1 python -m pytest tests/interfaces/cli/test_tree_drawing.py
"""

from __future__ import annotations

import itertools
import os
import re
from pathlib import Path
from xml.etree import ElementTree

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from gametree import BadInput, TreeRecord, analyse, load_game
from gametree.games.tree import parse_tree, random_tree
from gametree.interfaces.cli import run
from gametree.interfaces.tree_svg import tree_svg
from gametree.interfaces.tree_text import tree_text
from gametree.teaching.steps import Stepper, Words, chance_text, final_picture, number_text, value_text, window_text

GOLDEN = Path(__file__).parents[2] / "golden"
SVG = "{http://www.w3.org/2000/svg}"
TEXTBOOK = "((3 12 8) (2 4 6) (14 5 2))"


def searched(text, algorithm="alphabeta", **options):
    game = parse_tree(text)
    record = TreeRecord(game)
    analyse(game, algorithm=algorithm, record=record, **options)
    record.expand_unvisited()
    return record


trees = st.builds(
    random_tree,
    branching=st.integers(1, 4),
    depth=st.integers(0, 4),
    seed=st.integers(0, 10_000),
    real=st.booleans(),
    uneven=st.sampled_from([0.0, 0.3]),
)
searches = st.sampled_from(["alphabeta", "minimax", "minimax-labelling", "negascout", "mtdf", "sss", "mcts"])


@st.composite
def records(draw):
    game = draw(trees)
    record = TreeRecord(game)
    analyse(game, algorithm=draw(searches), record=record)
    assume(record.order[0] >= 0)  # sampling does not visit a root where the game is over
    if draw(st.booleans()):
        record.expand_unvisited()
    return record


# Golden files ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "draw"),
    [
        ("textbook.txt", lambda record: tree_text(record) + "\n"),
        ("textbook-ascii.txt", lambda record: tree_text(record, ascii=True) + "\n"),
        ("textbook-step.txt", lambda record: tree_text(record, step=11) + "\n"),
        ("textbook.svg", tree_svg),
        ("textbook-step.svg", lambda record: tree_svg(record, step=11)),
    ],
)
def test_golden(name, draw):
    drawn, file = draw(searched(TEXTBOOK)), GOLDEN / name
    if os.environ.get("GAMETREE_RENEW_GOLDEN"):
        file.write_text(drawn, encoding="utf-8")
        pytest.skip(f"{name} was renewed")
    assert drawn == file.read_text(encoding="utf-8")


def test_steps_of_the_textbook_tree():
    stepper = Stepper(searched(TEXTBOOK))
    said = [stepper.sentence()]
    while stepper.forward():
        said.append(stepper.sentence())
    assert len(said) == len(stepper) == 22
    assert said[0] == "Go to the root, a MAX node, with the window [-∞, +∞]."
    assert said[2] == "Leaf 1.1 is worth 3."
    assert said[3] == "At node 1 MIN can now hold MAX to 3, so β falls to 3."
    assert said[7] == "At the root MAX can now get 3, so α rises to 3."
    assert said[8] == "Go to node 2, a MIN node, with the window [3, +∞]: MAX already has 3 elsewhere."
    assert said[11] == (
        "Node 2: the value 2 ≤ α 3, so MIN can hold MAX to 2 here, and MAX has 3 already; "
        "leaf 2.2 (worth 4) and leaf 2.3 (worth 6) are not looked at."
    )
    assert said[12] == "Node 2 is done: its value is at most 2."
    assert said[20] == "Node 3 is done: its value is 2."
    assert said[21] == "The search is done: the root is worth 3, and the best move is 1."


@pytest.mark.parametrize(
    ("text", "algorithm", "sentence"),
    [
        (
            "max(3 min(2 x y))",
            "alphabeta",
            "Node 2: the value 2 ≤ α 3, so MIN can hold MAX to 2 here, and MAX has 3 already; "
            "x and y are not looked at.",
        ),
        (
            "min(2 max(3 x y))",
            "alphabeta",
            "Node 2: the value 3 ≥ β 2, so MAX can get 3 here, but MIN can hold MAX to 2 already; "
            "x and y are not looked at.",
        ),
        ("A(B(1 2) 5)", "minimax", "At B MIN can now hold MAX to 1."),
        (
            "[0.72:1 0.20:0 0.08:0.5]",
            "expectiminimax",
            "The root is a chance node: it is worth 0.72 × 1 + 0.2 × 0 + 0.08 × 0.5 = 0.76.",
        ),
        ("((1/2/6 4/3/3) (6/1/2 7/4/1))", "maxn", "At node 1 player 2 now prefers (4, 3, 3)."),
        ("(1 (0 2))", "mtdf", "Go to the root again, a MAX node"),
    ],
)
def test_sentences(text, algorithm, sentence):
    stepper = Stepper(searched(text, algorithm))
    said = [stepper.sentence()]
    while stepper.forward():
        said.append(stepper.sentence())
    assert any(line == sentence or (sentence[-1] != "." and line.startswith(sentence)) for line in said), said


def test_depth_limit_and_provisional_bounds_are_put_into_words():
    stepper = Stepper(searched("(5 B=1(2 3))", depth=1))
    stepper.goto(len(stepper) - 2)
    assert stepper.sentence() == "B lies at the depth limit: EVAL says 1."
    stepper = Stepper(searched("A(B=0.3 C(D(E(F=-0.1 G) H=0.5) I=0.1))"))
    stepper.goto(10)
    assert stepper.sentence() == "So far D is worth at most -0.1."


# Stepping -------------------------------------------------------------------------------------------------------------


@settings(max_examples=40, deadline=None)
@given(records())
def test_to_the_end_and_back_gives_the_same_pictures(record):
    stepper = Stepper(record)
    pictures = [stepper.picture()]
    while stepper.forward():
        assert stepper.sentence().endswith(".")
        pictures.append(stepper.picture())
    assert len(pictures) == len(stepper)
    end = final_picture(record)
    for name in ("status", "value", "values", "bound", "alpha", "beta", "visits", "reason", "line"):
        assert getattr(pictures[-1], name) == getattr(end, name)
    while stepper.back():
        assert stepper.picture() == pictures[stepper.at]
    assert stepper.at == 0
    stepper.goto(len(stepper) // 2)
    assert stepper.picture() == pictures[len(stepper) // 2]


@settings(max_examples=20, deadline=None)
@given(records())
def test_every_step_can_be_drawn(record):
    stepper = Stepper(record)
    for step in range(0, len(stepper), max(1, len(stepper) // 4)):
        assert tree_text(record, step=step)
        ElementTree.fromstring(tree_svg(record, step=step))


def test_a_step_shows_only_what_the_search_has_seen():
    record = searched(TEXTBOOK)
    text = tree_text(record, step=8)
    assert "► 2: ○ MIN [3, +∞]" in text
    assert "14" not in text
    assert "✗" not in text
    assert "✗ 4 pruned" in tree_text(record, step=11)


def test_there_is_no_step_beyond_the_ends():
    record = searched(TEXTBOOK)
    stepper = Stepper(record)
    assert not stepper.back()
    stepper.goto(21)
    assert not stepper.forward()
    for step in (-1, 22):
        with pytest.raises(BadInput, match=f"no step {step}; expected 0 to 21"):
            stepper.goto(step)
        with pytest.raises(BadInput, match="no step"):
            tree_text(record, step=step)
        with pytest.raises(BadInput, match="no step"):
            tree_svg(record, step=step)


def test_find_gives_the_step_of_an_event():
    stepper = Stepper(searched(TEXTBOOK))
    assert stepper.find("cut", 5) == 11
    assert stepper.find("cut", 1) is None


def test_nothing_to_step_before_a_search():
    with pytest.raises(BadInput, match="no steps before a search"):
        Stepper(TreeRecord.unsearched(parse_tree(TEXTBOOK)))


def test_records_without_events_are_stepped_in_the_order_of_visits():
    game = load_game("tictactoe")
    record = TreeRecord(game)
    analyse(game, algorithm="mcts", record=record)
    assert not record.events
    stepper = Stepper(record)
    assert len(stepper) == sum(order >= 0 for order in record.order)
    stepper.goto(10)
    assert sum(map(stepper.picture().is_visible, range(len(record)))) == 11
    assert re.search(r"was visited (once|[\d,]+ times); its mean value is ", stepper.sentence())


# Text -----------------------------------------------------------------------------------------------------------------


@settings(max_examples=40, deadline=None)
@given(records(), st.integers(1, 60))
def test_text_shows_or_counts_every_node(record, most):
    lines = tree_text(record, max_nodes=most).split("\n")
    body = lines[1 : lines.index("")]
    summaries = [line for line in body if re.fullmatch(r"[│ ]*└─ … .*", line)]
    drawn = len(body) - len(summaries)
    left_out = sum(int(count.replace(",", "")) for count in re.findall(r"… ([\d,]+) more", "\n".join(body)))
    assert drawn <= most
    assert drawn + left_out == len(record)


def test_text_marks():
    text = tree_text(searched("A(B=0.3 C(D(E(F=-0.1 G) H=0.5) I=0.1))"))
    assert "○ MIN E ≤ -0.1 [0.3, +∞] ✂ cut" in text
    assert "✗ G pruned" in text
    assert "├─ B = 0.3 ★" in text
    text = tree_text(searched("[0.5:3 0.5:(1 2)]", "expectiminimax"))
    assert "◇ chance 2" in text
    assert "1 (0.5): 3" in text
    text = tree_text(searched("((1/2/6 4/3/3) (6/1/2 7/4/1))", "maxn"))
    assert "□ player 1 (7, 4, 1)" in text
    text = tree_text(searched(TEXTBOOK, "mtdf"))
    assert "×2" in text
    assert "researched" in text


def test_text_of_a_tree_before_any_search():
    text = tree_text(TreeRecord.unsearched(parse_tree("((A=3 B=12) (C=2 x))")))
    assert "✗" not in text
    assert "│  └─ B = 12" in text
    assert "   └─ x" in text


def test_ascii_is_ascii():
    assert tree_text(searched(TEXTBOOK, "mtdf"), ascii=True).isascii()
    assert tree_text(searched("[0.5:3 0.5:(1 2)]", "expectiminimax"), ascii=True).isascii()


def test_color_adds_nothing_but_colors():
    record = searched(TEXTBOOK)
    plain, colored = tree_text(record), tree_text(record, color=True)
    assert colored != plain
    assert re.sub(r"\x1b\[[\d;]*m", "", colored) == plain


def test_a_picture_needs_a_node():
    for draw in (tree_text, tree_svg):
        with pytest.raises(BadInput, match="0 nodes"):
            draw(searched(TEXTBOOK), max_nodes=0)


def test_an_empty_record_can_be_drawn():
    record = TreeRecord(parse_tree(TEXTBOOK))
    assert tree_text(record) == "(an empty tree)"
    ElementTree.fromstring(tree_svg(record))


def test_a_very_deep_tree_needs_no_recursion():
    record = searched("(" * 3_000 + "1" + ")" * 3_000)
    assert "more nodes" in tree_text(record)
    ElementTree.fromstring(tree_svg(record, max_nodes=300))


def test_numbers():
    assert [number_text(x) for x in (3, 3.0, -0.0, 0.1, 1 / 9, float("-inf"), None)] == [
        *("3", "3", "0", "0.1", "0.1111", "-∞", "?")
    ]
    assert value_text(2, None, "upper") == "≤2"
    assert value_text(0.12345, None, "estimate") == "≈0.12"
    assert value_text(1, [1, 2.5]) == "(1, 2.5)"
    assert value_text(1, [1 / 3, 2]) == "(0.333, 2)"
    assert [chance_text(p) for p in (0.25, 1 / 6, 5 / 36, 0.123456, 1)] == ["0.25", "1/6", "5/36", "0.1235", "1"]
    assert window_text(3, 3.0000000000000004) == "[3, 3⁺]"
    assert window_text(2.9999999999999996, 3) == "[3⁻, 3]"


def test_names():
    game = load_game("tictactoe")
    record = TreeRecord(game)
    analyse(game, game.state_from_text("XOX/OX./..O"), record=record)
    words = Words(record)
    assert words.node(0) == "the root"
    assert words.node(2) == f"the position after {record.move[1]} {record.move[2]}"
    assert Words(searched(TEXTBOOK)).node(5) == "node 2"


# SVG ------------------------------------------------------------------------------------------------------------------


def boxes_of_texts(svg):
    """(left, top, right, bottom, text) of every text, a little smaller than the widest font would make it."""
    found = []
    todo = [(ElementTree.fromstring(svg), 0.0, 0.0)]
    while todo:
        element, dx, dy = todo.pop()
        move = re.fullmatch(r"translate\((\S+) (\S+)\)", element.get("transform", ""))
        if move:
            dx, dy = dx + float(move[1]), dy + float(move[2])
        if element.tag == f"{SVG}text" and element.text:
            size = float(element.get("font-size"))
            wide = 0.55 * size * len(element.text)
            left = float(element.get("x")) + dx - (wide / 2 if element.get("text-anchor") == "middle" else 0)
            base = float(element.get("y")) + dy
            found.append((left, base - 0.72 * size, left + wide, base, element.text))
        todo.extend((child, dx, dy) for child in element)
    return found


def assert_no_overlap(svg):
    boxes = sorted(boxes_of_texts(svg))
    for one, other in itertools.combinations(boxes, 2):
        if other[0] >= one[2]:
            continue
        assert one[3] <= other[1] or other[3] <= one[1], (one, other)


@settings(max_examples=40, deadline=None)
@given(records(), st.sampled_from([5, 20, 400]))
def test_no_two_texts_overlap(record, most):
    assert_no_overlap(tree_svg(record, max_nodes=most))


@pytest.mark.parametrize("depth", [1, 2])
def test_no_two_texts_overlap_in_a_real_game(depth):
    game = load_game("tictactoe")
    record = TreeRecord(game)
    analyse(game, depth=depth, record=record)
    assert_no_overlap(tree_svg(record))
    assert_no_overlap(tree_svg(record, step=5))


def test_the_overlap_check_can_fail():
    text = '<text x="{}" y="20" font-size="10" text-anchor="middle">abc</text>'
    apart = f'<svg xmlns="{SVG[1:-1]}">{text.format(10)}{text.format(50)}</svg>'
    assert_no_overlap(apart)
    with pytest.raises(AssertionError):
        assert_no_overlap(apart.replace('x="50"', 'x="20"'))


def count(svg, tag):
    return len(ElementTree.fromstring(svg).findall(f".//{SVG}{tag}"))


def test_svg_of_the_textbook_tree_has_every_part():
    svg = tree_svg(searched(TEXTBOOK), title="Textbook")
    root = ElementTree.fromstring(svg)
    assert root.get("role") == "img"
    assert root.find(f"{SVG}title").text == "Textbook"
    assert root.find(f"{SVG}desc").text == "value 3, 11 nodes visited, 2 not looked at"
    texts = [element.text for element in root.iter(f"{SVG}text")]
    for wanted in ("Textbook", "MAX", "MIN", "≤2", "[3, +∞]", "12", "14", "4", "6", "best play", "not looked at"):
        assert wanted in texts
    assert count(svg, "ellipse") == 3 + 1  # three MIN nodes and one in the legend
    assert count(svg, "polyline") == 12  # an edge to every node but the root
    assert svg.count('stroke-dasharray="4 3"') == 2  # the two pruned nodes
    assert svg.count('stroke="#c43c00"') == 2 + 1  # struck out, and in the legend
    titles = [element.text for element in root.iter(f"{SVG}title")]
    assert "node 2, MIN, move 2, value ≤2, window [3, +∞], 1 visit, cut" in titles
    assert root.find(f"{SVG}rect").get("fill") == "#fff"


def test_svg_of_chance_and_of_three_players():
    svg = tree_svg(searched("([0.5:3 0.5:5] 4)", "expectiminimax"))
    texts = [element.text for element in ElementTree.fromstring(svg).iter(f"{SVG}text")]
    assert texts.count("0.5") == 2
    assert count(svg, "polygon") == 2
    svg = tree_svg(searched("((1/2/6 4/3/3) (6/1/2 7/4/1))", "maxn"))
    assert ">(7, 4, 1)<" in svg
    assert count(svg, "ellipse") == 0
    assert ">player 2<" in svg


def test_svg_of_sampling_shows_visits():
    game = load_game("tictactoe")
    record = TreeRecord(game)
    analyse(game, algorithm="mcts", record=record)
    svg = tree_svg(record, max_nodes=30)
    assert f">×{record.visits[0]:,}<" in svg
    assert count(svg, "polygon") > 1  # triangles for what is left out


def test_texts_of_users_are_escaped_and_shortened():
    game = parse_tree("(1 2)")
    record = TreeRecord(game)
    analyse(game, record=record)
    record.label[1] = "<script>alert('&')</script>"
    record.move[2] = "\x00\ud800" + "w" * 500
    record.game_name = '"><b>'
    svg = tree_svg(record)
    svg.encode("utf-8")
    root = ElementTree.fromstring(svg)
    assert not list(root.iter(f"{SVG}script"))
    texts = [element.text for element in root.iter(f"{SVG}text")]
    assert "<script>alert('&'…"[:18] in [text[:18] for text in texts]
    assert max(map(len, texts)) < 60
    assert_no_overlap(svg)


def test_a_large_tree_is_drawn_collapsed():
    game = load_game("tictactoe")
    record = TreeRecord(game)
    analyse(game, record=record)
    assert len(record) > 20_000
    svg = tree_svg(record)
    assert count(svg, "polyline") <= 2 * 400
    left_out = [
        int(element.text.split()[0].replace(",", ""))
        for element in ElementTree.fromstring(svg).iter(f"{SVG}text")
        if element.text.endswith(" more")
    ]
    nodes = len(re.findall(r"<g><title>(?![\d,]+ more nodes)", svg))
    assert nodes <= 400
    assert nodes + sum(left_out) == len(record)


@pytest.mark.parametrize("text", ["A(B=0.3 C(D(E(F=-0.1 G) H=0.5) I=0.1))", "A(B(C=-8765.4321 D=-9876.5432) E=1)"])
def test_nodes_stand_still_while_stepping(text):
    record = searched(text)
    places = {}
    for step in range(len(Stepper(record))):
        root = ElementTree.fromstring(tree_svg(record, step=step))
        for group in root.iter(f"{SVG}g"):
            title, text = group.find(f"{SVG}title"), group.find(f"{SVG}text")
            if title is not None and text is not None:
                place = (text.get("x"), root.get("width"))
                assert places.setdefault(title.text.split(",")[0], place) == place
    assert len(places) == len(record)


@pytest.mark.parametrize(
    ("tree", "words"),
    [
        ("max(3 min(2 9))", "value 3, "),
        ("min(2 max(3 9))", "value 2 to MAX (-2 to MIN, who is to move), "),
        ("[0.5:1 0.5:4]", "value 2.5, "),
    ],
)
def test_the_summary_says_the_value_that_stands_at_the_root(capfd, tree, words):
    assert run(["tree", tree, "--nodes", "50"]) == 0
    drawing, summary = capfd.readouterr().out.strip().rsplit("\n", 1)
    assert words in summary
    root = drawing.splitlines()[1]
    assert words.removeprefix("value ").split()[0].rstrip(",") in root
