"""What drawings have besides places and pieces: marks, regions, seats, ghosts; their limits; the terminal in colour."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, get_args

import pytest
from gallery import BOARDS

from gametree import (
    BadInput,
    Drawing,
    Item,
    Label,
    Line,
    Mark,
    Piece,
    Place,
    Rack,
    Region,
    Seat,
    drawing_text,
    load_game,
)
from gametree.core.drawing import Kind, MarkKind, Shape
from gametree.core.drawing_colour import drawing_colours
from gametree.core.drawing_limits import MOST_PARTS
from gametree.core.scene import scene

ROOT = Path(__file__).parents[2]
CHESS = {"bishop", "rook"}
HERE = (Place("a", 0, 0), Place("b", 1, 0))


def board(**more: Any) -> Drawing:
    return Drawing(layout="places", places=HERE, **more)


def test_marks_name_places_or_numbers_and_become_numbers() -> None:
    marks = (Mark("last", "b"), Mark("arrow", "a", to="b", value=0.5, text="+0.4"), Mark("check", 1))
    shown = scene(board(marks=marks))
    assert [(mark.place, mark.to) for mark in shown.marks] == [(1, None), (0, 1), (1, None)]
    grid = Drawing(layout="square", rows=1, columns=2, cells=("a", "b"), marks=(Mark("heat", "b", value=0.3),))
    assert scene(grid).to_data()["marks"] == [{"kind": "heat", "place": 1, "value": 0.3}]
    rack = Rack("you", (Item("QS", "card", "QS"),))
    assert scene(board(racks=(rack,), marks=(Mark("last", "QS"),))).marks[0].place == 2, "a card of a hand"


def test_a_game_that_says_nothing_more_draws_what_it_drew() -> None:
    data = Drawing(layout="square", rows=1, columns=1, pieces=(Piece(0, 0, "X"),)).to_data()
    assert (data["marks"], data["regions"], data["seats"], data["alt"], data["enter"]) == ([], [], [], "", "appear")


def test_pieces_of_a_shorthand_can_be_of_any_kind() -> None:
    drawing = Drawing(layout="square", rows=1, columns=1, pieces=(Piece(0, 0, "", 0),), stones="man")
    assert scene(drawing).items[0].kind == "man"
    assert scene(drawing).items[0].label == "man, player 1"


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: Mark("glow", "a"), "of the kind 'glow'; expected one of last, check, heat"),
        (lambda: Mark("heat", "a", value=1.5), "has the value 1.5; expected 0 to 1"),
        (lambda: Mark("heat", "a", value=float("nan")), "has the value nan; expected 0 to 1"),
        (lambda: Mark("arrow", "a"), "leads to None; expected a place for an arrow"),
        (lambda: Mark("last", "a", to="b"), "leads to 'b'; expected a place for an arrow"),
        (
            lambda: board(marks=(Mark("last", "c"),)),
            "The mark 'last' is on the place 'c', which the drawing does not have",
        ),
        (lambda: board(marks=(Mark("arrow", "a", to=7),)), "The mark 'arrow' is on the place 7"),
        (lambda: Item("a", "king", chance=2), "has the chance 2; expected 0 to 1"),
        (lambda: Seat("Ann", "pink"), "The seat 'Ann' has the colour 'pink'; expected one of white, black"),
        (lambda: Region("rect", ((0, 0),)), "A region is a 'rect' of 1 points"),
        (lambda: Region("polygon", ((0, 0), (1, 1), (float("inf"), 0))), "A region is a 'polygon' of 3 points"),
    ],
)
def test_what_is_refused(make: Any, says: str) -> None:
    with pytest.raises(BadInput, match=re.escape(says)):
        make()


@pytest.mark.parametrize(
    ("drawing", "says"),
    [
        (
            Drawing(layout="places", places=(Place("a", 0, 0),) * 100_000),
            "The drawing has 100000 places; expected at most 1000",
        ),
        (Drawing(layout="square", rows=100_000, columns=100_000), "a grid of 100000 × 100000 cells"),
        (Drawing(layout="square", rows=-1, columns=-5), "a grid of -1 × -5 cells"),
        (Drawing(layout="places", places=(Place("x" * 10**6, 0, 0),)), "A place has a name of 1000000 characters"),
        (Drawing(layout="text", text="x" * 10**6), "The drawing has a text of 1000000 characters"),
        (
            Drawing(layout="square", rows=1, columns=1, pieces=(Piece(0, 0, "x" * 99),)),
            "A piece has a text of 99 characters",
        ),
        (Drawing(layout="square", rows=1, columns=1, cells=("x" * 99,)), "A cell has a name of 99 characters"),
        (Drawing(layout="cards", hands=(("you", ("QS",) * 2000),)), "The racks of the drawing"),
        (board(labels=(Label(float("nan"), 0, "x"),)), "A label has the x nan"),
        (board(racks=(Rack("you", x=1e12),)), "A rack has the x 1000000000000.0"),
        (board(lines=(Line(((0, 0), (0, float("inf")))),)), "A line goes through the point (0, inf)"),
        (board(marks=(Mark("dot", "a"),) * 501), "The drawing has 501 marks; expected at most 500"),
        (board(alt="x" * 500), "The drawing has a sentence of 500 characters"),
    ],
)
def test_a_hostile_drawing_gets_one_sentence(drawing: Drawing, says: str) -> None:
    with pytest.raises(BadInput) as told:
        scene(drawing)
    assert says in str(told.value)
    assert len(str(told.value)) < 250
    with pytest.raises(BadInput):
        drawing_text(drawing)


def test_the_largest_boards_of_the_house_are_within_the_limits() -> None:
    for name in BOARDS:
        shown = scene(BOARDS[name]())
        assert len(shown.places) <= MOST_PARTS["places"]
    go = load_game("go:size=19")
    assert len(scene(go.draw(go.initial())).places) == 361


# In colour ------------------------------------------------------------------------------------------------------------


def stripped(text: str) -> str:
    return re.sub(r"\x1b\[[0-9;]*m", "", text)


def test_chess_in_colour() -> None:
    chess = load_game("chess")
    state = chess.state_from_text("rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3")
    text = drawing_colours(chess.draw(state), marked=("d8", "h4"))
    lines = stripped(text).splitlines()
    assert lines[0] == "8  ♜  ♞  ♝ ( ) ♚  ♝  ♞  ♜ "
    assert lines[4].endswith("♟ (♛)"), "both squares of the last move stand in brackets, and not by colour alone"
    assert lines[8].split() == list("abcdefgh")
    white_king = "\x1b[1;38;5;231;48;5;160m ♚ \x1b[0m"
    assert white_king in text, "White's king is white, on the ground that says check"
    assert max(map(len, lines)) <= 80
    turned = stripped(drawing_colours(chess.draw(state), turned=True)).splitlines()
    assert turned[0].startswith("1  ♜")


@pytest.mark.parametrize("name", BOARDS)
def test_the_gallery_in_colour_says_what_it_says_without(name: str) -> None:
    drawing = BOARDS[name]()
    text = stripped(drawing_colours(drawing))
    assert max(map(len, text.splitlines())) <= 80
    told, plain = (sorted(set(re.findall(r"[A-Za-z0-9]{2,}", shown))) for shown in (text, drawing_text(drawing)))
    assert [word for word in plain if word not in told] == []


def test_a_grid_that_is_too_wide_is_drawn_without_grounds() -> None:
    wide = Drawing(layout="square", rows=2, columns=40, checkered=True)
    assert drawing_colours(wide) == drawing_text(wide)


def test_red_and_yellow_differ_in_their_sign() -> None:
    four = load_game("connect4")
    text = stripped(drawing_colours(four.draw(four.state_from_text("4453"))))
    assert {sign for sign in text if sign in "●○"} == {"●", "○"}


def test_the_gallery_of_the_docs_has_every_option_with_a_picture(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(ROOT / "scripts"))
    import drawing_gallery

    found = drawing_gallery.examples()
    drawn = [scene(drawing) for drawing in found.values()]
    assert {item.kind for shown in drawn for item in shown.items} >= set(get_args(Kind)) - {
        "token",
        "ring",
        "cross",
    } - CHESS
    assert {mark.kind for shown in drawn for mark in shown.marks} == set(get_args(MarkKind))
    assert {place.shape for shown in drawn for place in shown.places} >= set(get_args(Shape)) - {
        "none",
        "round",
        "down",
    }
    for name in found:
        assert (ROOT / "docs" / "pictures" / f"draw-{name}.png").is_file()
