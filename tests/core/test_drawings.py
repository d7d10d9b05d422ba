"""Drawings: what they refuse, what they become, how the terminal shows them, and that seats can be told apart."""

from __future__ import annotations

import itertools
import json
import math
import re
from pathlib import Path
from typing import Any

import pytest
from gallery import BOARDS, Gallery

from gametree import BadInput, Drawing, Item, Label, Line, Piece, Place, Rack, Track, drawing_text, grid, load_game
from gametree.core.scene import edge_names, scene
from gametree.testing import check_game

GOLDEN = Path(__file__).parents[1] / "golden"
STYLE = Path(__file__).parents[2] / "src" / "gametree" / "interfaces" / "web" / "static" / "shell.css"


@pytest.mark.parametrize("name", BOARDS)
def test_the_gallery_in_the_terminal(name: str) -> None:
    drawing = BOARDS[name]()
    shown = drawing_text(drawing)
    assert shown + "\n" == (GOLDEN / f"drawing-{name}.txt").read_text(encoding="utf-8")
    plain = drawing_text(drawing, plain=True)
    assert plain + "\n" == (GOLDEN / f"drawing-{name}-ascii.txt").read_text(encoding="utf-8")
    assert plain.isascii()
    assert "?" not in plain, "every sign has a letter of its own"
    assert max(map(len, shown.splitlines())) <= 80


@pytest.mark.parametrize("name", BOARDS)
def test_the_gallery_keeps_the_contract(name: str) -> None:
    check_game(Gallery(name), playouts=3)
    drawing = BOARDS[name]()
    assert json.loads(json.dumps(drawing.to_data(), allow_nan=False))["layout"] == "places"
    general = scene(drawing)
    json.dumps(general.to_data(), allow_nan=False)
    assert all(0 <= int(item.place) < len(general.places) and item.label for item in general.items)


def test_a_shorthand_becomes_places_and_items() -> None:
    drawing = Drawing(
        layout="square",
        rows=2,
        columns=2,
        cells=("a2", "b2", "a1", "b1"),
        pieces=(Piece(1, 0, "K", 1),),
        checkered=True,
        places=(Place("box", 3, 1, "pocket"),),
        items=(Item("box", "die", "4"),),
    )
    shown = scene(drawing)
    assert [(p.name, p.x, p.y, p.shape, p.tone) for p in shown.places] == [
        ("a2", 0.5, 0.5, "square", "light"),
        ("b2", 1.5, 0.5, "square", "dark"),
        ("a1", 0.5, 1.5, "square", "dark"),
        ("b1", 1.5, 1.5, "square", "light"),
        ("box", 3, 1, "pocket", ""),
    ]
    assert [(i.place, i.kind, i.text, i.player, i.label) for i in shown.items] == [
        (2, "piece", "K", 1, "K, player 2"),
        (4, "die", "4", None, "die showing 4"),
    ]
    assert (shown.left, shown.below) == (("2", "1"), ("a", "b"))
    points = scene(Drawing(layout="points", rows=2, columns=3))
    assert len(points.lines) == 5
    assert points.surface == "wood"
    assert points.lines[0] == Line(((0.5, 0.5), (2.5, 0.5)))
    hand = scene(Drawing(layout="cards", hands=(("you", ("A", "7")), ("stack", ()))))
    assert [(rack.owner, rack.first, rack.slots) for rack in hand.racks] == [("you", 0, 2), ("stack", 2, 0)]
    assert [item.label for item in hand.items] == ["card A", "card 7"]
    assert hand.places[1].x > hand.places[0].x + hand.places[0].width, "side by side"


def test_racks_have_slots_that_stand_close_where_they_are_many() -> None:
    rack = Rack("you", (Item("r1", "tile", "A"), Item("r2", "tile", "B")), x=5, y=1, width=4, slots=3)
    shown = scene(Drawing(layout="places", racks=(rack,)))
    assert shown.names == ("r1", "r2", "")
    assert [place.x for place in shown.places] == [3.94, 5, 6.06]
    many = Rack("you", tuple(Item("", "card", "2S") for _ in range(13)), x=0, width=4)
    across = [place.x for place in scene(Drawing(layout="places", racks=(many,))).places]
    assert across[-1] - across[0] == pytest.approx(4 - 0.72)


def test_a_grid_has_any_outline() -> None:
    places = grid("hex", 2, 2, ("a1", "b1", "a2", "b2"), gaps=("b2",), tones={"a1": "gold"}, texts={"b1": "x"})
    assert [place.shape for place in places] == ["hex", "hex", "hex", "none"]
    assert (places[0].tone, places[1].text) == ("gold", "x")
    assert places[2].x == places[0].x + 0.5
    assert math.hypot(places[2].x - places[0].x, places[2].y - places[0].y) == pytest.approx(1, abs=1e-3)
    assert scene(Drawing(layout="places", rows=2, columns=2, places=places)).names == ("a1", "b1", "a2", "")


def test_names_at_the_edges() -> None:
    assert edge_names(("a2", "b2", "a1", "b1"), 2, 2) == (("2", "1"), ("a", "b"))
    assert edge_names(("1", "2", "1", "2"), 2, 2) == ((), ("1", "2"))
    assert edge_names(("a1", "", "a2", "x"), 2, 2) == ((), ())
    assert edge_names((), 2, 2) == ((), ())


@pytest.mark.parametrize(
    ("item", "said"),
    [
        (Item("p", "card", "QS"), "queen of spades"),
        (Item("p", "card", "TH"), "10 of hearts"),
        (Item("p", "card", "10H"), "10 of hearts"),
        (Item("p", "card", "7D", 2), "7 of diamonds, player 3"),
        (Item("p", "card", "J"), "card J"),
        (Item("p", "card", face_up=False), "card face down"),
        (Item("p", "card", face_up=False, count=12), "12 × card face down"),
        (Item("p", "die", "6"), "die showing 6"),
        (Item("p", "cube", "64"), "cube at 64"),
        (Item("p", "tile", "Q", value=10), "tile Q 10"),
        (Item("p", "tile", value=0), "blank tile 0"),
        (Item("p", "chip", "120", 3), "120 in chips, player 4"),
        (Item("p", "stone", "W", 0, 5), "5 × W, player 1"),
        (Item("p", "stone", "W", 0, 5, label="five white men"), "five white men"),
        (Item("p"), "piece"),
    ],
)
def test_what_a_screen_reader_says(item: Item, said: str) -> None:
    assert item.spoken() == said


HERE = (Place("a", 0, 0), Place("b", 1, 0), Place("b", 2, 0))


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: Item("a", "card", "QS", face_up=False), "The card at 'a' lies face down and yet says 'QS'"),
        (lambda: Item("a", "tile", value=8, face_up=False), "The tile at 'a' lies face down and yet says 8"),
        (lambda: Item("a", count=0), "The piece at 'a' has the count 0; expected at least 1."),
        (lambda: Item("a", count=1.5), "The piece at 'a' has the count 1.5; expected at least 1."),
        (lambda: Item("a", "coin"), "of the kind 'coin'; expected one of piece, stone, card"),
        (lambda: Place("a", 0, 0, "star"), "The place 'a' has the shape 'star'; expected one of square, round, hex"),
        (lambda: Place("a", math.nan, 0), "The place 'a' lies at (nan, 0)"),
        (lambda: Place("a", 0, 0, width=0), "sizes above 0"),
        (lambda: Track("Ann", -1, 100), "The track 'Ann' stands at -1 + 0.0 of 100"),
        (lambda: Track("Ann", 1, 0), "the last above 0"),
        (lambda: Drawing(layout="places", places=HERE, items=(Item("c"),)), "on the place 'c', which the drawing does"),
        (lambda: Drawing(layout="places", places=HERE, items=(Item(3),)), "on the place 3, which the drawing does not"),
        (
            lambda: Drawing(layout="places", places=HERE, items=(Item(""),)),
            "on the place '', which the drawing does not",
        ),
        (lambda: Drawing(layout="places", places=HERE, items=(Item("b"),)), "'b', but 2 places are called so."),
        (lambda: Drawing(items=(Item("a"),)), "on the place 'a', which the drawing does not have."),
        (lambda: Drawing(layout="places", rows=2, columns=2, places=HERE), "3 places; expected at least the 2 × 2"),
    ],
)
def test_drawings_refuse_what_they_cannot_mean(make: Any, says: str) -> None:
    with pytest.raises(BadInput) as caught:
        make()
    assert says in str(caught.value)
    assert str(caught.value).endswith(".")


def test_marks_and_the_other_side_in_the_terminal() -> None:
    drawing = Drawing(
        layout="places",
        places=(
            Place("p1", 0, 2, "up", 1, 3),
            Place("q1", 0, -2, "down", 1, 3),
            Place("box", 2, 0, "pocket", text="box"),
        ),
        items=(Item("p1", "stone", "W", count=4),),
    )
    assert drawing_text(drawing).splitlines() == ["·", "·", "·", "   box", "4", "W", "W"]
    assert drawing_text(drawing, marked=("p1", "box")).splitlines() == [" ·", " ·", " ·", "   [box]", "[4]", " W", " W"]
    assert drawing_text(drawing, turned=True).splitlines() == [
        "     W",
        "     W",
        "     4",
        "box",
        "     ·",
        "     ·",
        "     ·",
    ]


def test_what_does_not_fit_side_by_side_becomes_a_list() -> None:
    places = tuple(Place(f"seat {n}", n, 0, "pocket", text="a name that takes room", player=n) for n in range(5))
    drawing = Drawing(layout="places", places=places, items=(Item("seat 3", "card", face_up=False, count=2),))
    lines = drawing_text(drawing).splitlines()
    assert len(lines) == 5
    assert lines[3] == "4 a name that takes room: ░░×2"


def test_pieces_beside_a_board_stand_above_and_below_it() -> None:
    drawing = Drawing(
        layout="square",
        rows=1,
        columns=2,
        cells=("a", "b"),
        places=(Place("bank", 1, -2, "pocket"), Place("hand", 1, 3, "pocket")),
        items=(Item("bank", "chip", "5"), Item("hand", "cube", "2")),
        labels=(Label(0, 0, "unheard"),),
    )
    assert drawing_text(drawing).splitlines() == ["bank: ◉5", " a | b", "hand: {2}"]


# Colours ----------------------------------------------------------------------------------------------------------


# Full dichromacy after Machado, Oliveira and Fernandes, "A physiologically-based model for simulation of color vision
# deficiency" (2009), on linear RGB.
SIGHT = {
    "normal": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    "protan": ((0.152286, 1.052583, -0.204868), (0.114503, 0.786281, 0.099216), (-0.003882, -0.048116, 1.051998)),
    "deutan": ((0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413), (-0.011820, 0.042940, 0.968881)),
    "tritan": ((1.255528, -0.076749, -0.178779), (-0.078411, 0.930809, 0.147602), (0.004733, 0.691367, 0.303900)),
}


def linear(colour: str) -> list[float]:
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    return [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]


def oklab(rgb: list[float]) -> tuple[float, float, float]:
    """Björn Ottosson's OKLab, in which equal distances look about equally large."""
    r, g, b = (min(1.0, max(0.0, part)) for part in rgb)
    one = math.cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b)
    two = math.cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b)
    three = math.cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b)
    return (
        0.2104542553 * one + 0.7936177850 * two - 0.0040720468 * three,
        1.9779984951 * one - 2.4285922050 * two + 0.4505937099 * three,
        0.0259040371 * one + 0.7827717662 * two - 0.8086757660 * three,
    )


def least_distance(colours: list[str]) -> float:
    """The two most alike, over normal sight and the three kinds of colour-blindness."""
    least = math.inf
    for matrix in SIGHT.values():
        seen = [oklab([sum(a * b for a, b in zip(row, linear(c), strict=True)) for row in matrix]) for c in colours]
        least = min(least, *(math.dist(one, two) for one, two in itertools.combinations(seen, 2)))
    return least


def luminance(colour: str) -> float:
    return sum(weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), linear(colour), strict=True))


def contrast(one: str, two: str) -> float:
    """As WCAG measures it: 1 to 21."""
    dark, light = sorted((luminance(one), luminance(two)))
    return (light + 0.05) / (dark + 0.05)


def test_the_colours_of_the_seats_differ_for_everyone() -> None:
    style = STYLE.read_text(encoding="utf-8")
    colours = [re.search(rf"--seat-{seat}: (#\w{{6}});", style)[1] for seat in range(8)]  # type: ignore[index]
    inks = [re.search(rf"--seat-{seat}-text: (#\w{{6}});", style)[1] for seat in range(8)]  # type: ignore[index]
    assert least_distance(colours) > 0.13
    assert least_distance(["#009e73", "#d55e00"]) < 0.13, "the measure finds a pair that some cannot tell apart"
    for seat, (colour, ink) in enumerate(zip(colours, inks, strict=True)):
        assert contrast(colour, ink) >= 4.5, f"the number of seat {seat}"


def test_the_games_of_the_house_draw_as_before() -> None:
    game = load_game("tictactoe")
    assert drawing_text(game.draw(game.state_from_text("XO./.X./..O"))).splitlines()[0] == " X  | O  | c3"
    nim = load_game("nim:2-1")
    assert drawing_text(nim.draw(nim.initial())).startswith(" o  | o \n----+---\n o  |")
