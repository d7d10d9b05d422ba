"""One drawing of each kind, as a game in which a move is a click: it is played by clicking up to three places.

The boards show what coming games need; none of them has rules here. `gallery.py:board=backgammon` chooses one.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from gametree import BadInput, Drawing, Facts, Game, Item, Label, Line, Place, Rack, Track, grid

NAMES = "You Ada Bob Cleo Dan Eve Finn Gus Hana Ivo Jo Kim Leo Mia Ned Ola Pia Quin Rob Sue"
CLICKS = 3
"""A game ends after this many."""


def backgammon() -> Drawing:
    """Stacks on 24 points, a bar, two pockets for what is off, two dice and the cube."""
    places, labels, items = [], [], []
    for point in range(1, 25):
        low = point <= 12
        step = 12 - point if low else point - 13
        x = step + (1.5 if step > 5 else 0.0) + 0.5
        tone = "dark" if point % 2 else "light"
        places.append(
            Place(str(point), x, 8.5 if low else 2.5, "up" if low else "down", 1, 5, tone, label=f"point {point}")
        )
        labels.append(Label(x, 11.4 if low else -0.4, str(point)))
    men = {6: (0, 5), 8: (0, 3), 13: (0, 4), 24: (0, 2), 1: (1, 1), 12: (1, 3), 17: (1, 2), 19: (1, 7)}
    for point, (player, count) in men.items():
        who = ("white", "black")[player]
        items.append(
            Item(
                str(point),
                "stone",
                "WB"[player],
                1 - player,
                count,
                label=f"{count} {who} checker{'s' if count > 1 else ''}",
            )
        )
    places += [
        Place("bar", 6.75, 5.5, "pocket", 1.2, 5),
        Place("off W", 14.3, 9, "pocket", 1.3, 4, label="White's men that are off"),
        Place("off B", 14.3, 2, "pocket", 1.3, 4, label="Black's men that are off"),
        Place("dice", 10.5, 5.5, "slot", 2.2, 0.9),
        Place("cube", 14.3, 5.5, "slot", 1, 0.9),
    ]
    items += [
        Item("bar", "stone", "W", 1, label="1 white checker"),
        Item("off B", "stone", "B", 0, 2, label="2 black checkers"),
        Item("dice", "die", "6"),
        Item("dice", "die", "3"),
        Item("cube", "cube", "2", label="cube at 2, in the middle"),
    ]
    return Drawing(
        layout="places",
        surface="wood",
        places=tuple(places),
        items=tuple(items),
        labels=tuple(labels),
        caption="White plays 6-3, 179 to 121 pips",
    )


def bridge() -> Drawing:
    """South's hand and dummy's open, the others face down, a trick of three cards on the table."""
    south, north = "QS 9S 8S 5S KH 8H 7H 4H QC TC 6C 3C", "JS TS 6S 4S AH QH 9H 3H 9D 6D 2D 5D"
    closed = (Item("", "card", face_up=False, count=12, label="12 hidden cards"),)
    racks = (
        Rack("North, dummy", tuple(Item(card, "card", card) for card in north.split()), 6.5, 0.8, 9, player=0),
        Rack("East", closed, 12, 3.6, 2, player=1),
        Rack("South", tuple(Item(card, "card", card) for card in south.split()), 6.5, 6.4, 9, player=2),
        Rack("West", closed, 1, 3.6, 2, player=3),
    )
    trick = (("N", 6.5, 2.9), ("E", 7.7, 3.5), ("S", 6.5, 4.2), ("W", 5.3, 3.5))
    return Drawing(
        layout="places",
        surface="felt",
        places=tuple(Place(f"trick {seat}", x, y, "slot", 0.65, 0.9) for seat, x, y in trick),
        items=(
            Item("trick W", "card", "AC", label="ace of clubs, West"),
            Item("trick N", "card", "5C", label="5 of clubs, North"),
            Item("trick E", "card", "JC", label="jack of clubs, East"),
        ),
        racks=racks,
        caption="2 hearts by South; tricks: North-South 0, East-West 0",
    )


def holdem(seats: int) -> Drawing:
    """Seats around a table, chips before them, cards face down, one hand and four cards on the table open."""
    names = NAMES.split()
    wide, high = (13.0, 6.0) if seats <= 10 else (18.0, 12.0)
    places, items = [], []
    for seat in range(seats):
        turn = math.pi / 2 + 2 * math.pi * seat / seats
        x, y = round(wide / 2 * math.cos(turn), 3), round(high / 2 * math.sin(turn), 3)
        chips = 1000 + 137 * seat * (seat % 3)
        places.append(Place(f"seat {seat + 1}", x, y, "pocket", 2.3, 1.3, text=f"{names[seat]} {chips}", player=seat))
        if seat == 0:
            items += [Item("seat 1", "card", "AS"), Item("seat 1", "card", "QS")]
        elif seat % 3:
            items.append(Item(f"seat {seat + 1}", "card", player=seat, face_up=False, count=2))
        if seat in (0, 4, 7):
            items.append(Item(f"seat {seat + 1}", "chip", "120", seat))
    places += [Place("board", 0, -0.4, "slot", 4.2, 1.1), Place("pot", 0, 0.9, "slot", 1.2, 0.7)]
    items += [Item("board", "card", card) for card in ("TS", "7H", "2S", "KD")]
    items += [Item("board", "card", face_up=False), Item("pot", "chip", "1310", count=4, label="pot of 1310")]
    return Drawing(
        layout="places",
        surface="felt",
        places=tuple(places),
        items=tuple(items),
        caption="Seat 1 to call 120",
    )


def scrabble() -> Drawing:
    """A grid with premium squares, words on it, an open rack and one that is face down."""
    side, columns = 15, "ABCDEFGHIJKLMNO"
    names = [f"{column}{row}" for row in range(1, side + 1) for column in columns]
    texts: dict[str, str] = {}
    for sign, corner in {
        "3W": ((0, 0), (0, 7)),
        "2W": ((1, 1), (2, 2), (3, 3), (4, 4), (7, 7)),
        "3L": ((1, 5), (5, 1), (5, 5)),
        "2L": ((0, 3), (2, 6), (3, 0), (3, 7), (6, 2), (6, 6), (7, 3)),
    }.items():
        for row, column in corner:
            for a, b in ((row, column), (column, row)):
                for r in (a, side - 1 - a):
                    for c in (b, side - 1 - b):
                        texts[names[r * side + c]] = sign
    tones = {name: {"3W": "red", "2W": "rose", "3L": "blue", "2L": "sky"}[sign] for name, sign in texts.items()}
    points = {"S": 1, "C": 3, "O": 1, "R": 1, "E": 1, "I": 1, "N": 1, "G": 2, "A": 1, "L": 1}
    words = [*((f"{columns[5 + n]}8", letter) for n, letter in enumerate("SCORE"))]
    words += [(f"I{9 + n}", letter) for n, letter in enumerate("ING")]
    rack = tuple(
        Item(f"rack {n + 1}", "tile", letter, value=points.get(letter, 0)) for n, letter in enumerate("AEILNR")
    )
    return Drawing(
        layout="places",
        rows=side,
        columns=side,
        places=grid("square", side, side, names, tones=tones, texts=texts),
        items=tuple(Item(place, "tile", letter, value=points[letter]) for place, letter in words),
        racks=(
            Rack("Maven, 214", (Item("", "tile", face_up=False, count=7),), 7.5, -1.2, 7.6, player=1),
            Rack("You, 231", (*rack, Item("rack 7", "tile", value=0)), 7.5, 17.2, 7.6, player=0),
        ),
    )


def hex11() -> Drawing:
    """Hex's rhombus of 11 × 11 with its four borders."""
    size, step = 11, math.sqrt(3) / 2
    names = [f"{column}{row}" for row in range(1, size + 1) for column in "abcdefghijk"]
    stones = {"f6": 0, "g5": 1, "e7": 0, "d8": 1, "h4": 0, "c9": 0, "d7": 1}
    below, slant = 0.6 + (size - 1) * step + 0.62, 1 / math.sqrt(3)
    left, right = -0.5, size - 0.2
    corners = ((left, 0.0), (right, 0.0), (right + below * slant, below), (left + below * slant, below))
    return Drawing(
        layout="places",
        rows=size,
        columns=size,
        places=grid("hex", size, size, names),
        items=tuple(Item(name, "stone", "XO"[player], player) for name, player in stones.items()),
        lines=(
            Line((corners[0], corners[1]), 0),
            Line((corners[2], corners[3]), 0),
            Line((corners[1], corners[2]), 1),
            Line((corners[3], corners[0]), 1),
        ),
        caption="X joins top and bottom, O left and right",
    )


def havannah5() -> Drawing:
    """Havannah's hexagon with sides of 5: a grid of 9 × 9 without two of its corners."""
    side, size = 5, 9
    names = [f"{column}{row}" for row in range(1, size + 1) for column in "abcdefghi"]
    gaps = [name for at, name in enumerate(names) if not side - 1 <= at // size + at % size <= 3 * (side - 1)]
    ring = {"e4": 0, "f4": 0, "d5": 0, "f5": 0, "d6": 0, "e6": 0, "e5": 1, "g3": 1}
    return Drawing(
        layout="places",
        rows=size,
        columns=size,
        places=grid("hex", size, size, names, gaps=gaps, tones={"e1": "gold", "i1": "gold"}),
        items=tuple(Item(name, "stone", "XO"[player], player) for name, player in ring.items()),
        caption="A ring wins",
    )


def arimaa() -> Drawing:
    """Letters of two players on 64 squares, four of them traps."""
    rows = ("r.rdrcrr", ".h..c.hr", ".d..m...", ".r.E.e.H", "...M....", "RH.D....", "..C..D.R", "R.RC.RR.")
    names = [f"{column}{row}" for row in "87654321" for column in "abcdefgh"]
    kinds = dict(zip("emhdcr", ("elephant", "camel", "horse", "dog", "cat", "rabbit"), strict=True))
    traps = ("c6", "f6", "c3", "f3")
    items = tuple(
        Item(name, "piece", letter, int(letter.islower()), label=f"{kinds[letter.lower()]}, {side}")
        for name, letter in zip(names, "".join(rows), strict=True)
        if letter != "."
        for side in (("silver",) if letter.islower() else ("gold",))
    )
    return Drawing(
        layout="places",
        rows=8,
        columns=8,
        places=grid("square", 8, 8, names, tones=dict.fromkeys(traps, "trap"), texts=dict.fromkeys(traps, "×")),
        items=items,
        caption="Gold has made 2 of 4 steps",
    )


def race() -> Drawing:
    """A die and two tracks, as in Pig."""
    return Drawing(
        layout="places",
        places=(Place("die", 1, 1, "slot", 1.4, 1.4),),
        items=(Item("die", "die", "5"),),
        tracks=(Track("Ann", 57, 100, 18, 0, 2.5, 0.6, 7), Track("Engine", 71, 100, 0, 1, 2.5, 1.5, 7)),
        caption="Roll again, or hold",
    )


BOARDS: dict[str, Callable[[], Drawing]] = {
    "backgammon": backgammon,
    "bridge": bridge,
    "holdem10": lambda: holdem(10),
    "holdem20": lambda: holdem(20),
    "scrabble": scrabble,
    "hex11": hex11,
    "havannah5": havannah5,
    "arimaa": arimaa,
    "race": race,
}


class Gallery(Game[Any, Any]):
    """A state is the names of the places that were clicked."""

    def __init__(self, board: str = "backgammon") -> None:
        if board not in BOARDS:
            raise BadInput(f"board={board} is not in the gallery; expected one of {', '.join(BOARDS)}.")
        self.name = f"gallery-{board}"
        self.drawing = BOARDS[board]()
        slots = [str(item.place) for rack in self.drawing.racks for item in rack.items]
        open_places = [place.name for place in self.drawing.places if place.shape != "none"]
        self.names = [name for name in [*open_places, *slots] if name]
        seats = max(2, *((place.player or 0) + 1 for place in (*self.drawing.places, *self.drawing.racks)))
        self.facts = Facts(players=seats, most_moves=len(self.names), longest_game=CLICKS)

    def initial(self) -> Any:
        return ()

    def player(self, state: Any) -> int:
        return len(state) % self.facts.players

    def actions(self, state: Any) -> Any:
        return () if self.is_terminal(state) else tuple(self.names)

    def result(self, state: Any, action: Any) -> Any:
        return (*state, action)

    def is_terminal(self, state: Any) -> bool:
        return len(state) >= CLICKS

    def utility(self, state: Any, player: int) -> float:
        return 0.0

    def action_cells(self, state: Any, action: Any) -> Any:
        return (action,)

    def draw(self, state: Any) -> Drawing:
        return self.drawing


game = Gallery
