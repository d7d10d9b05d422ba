"""A position of Scrabble as a drawing."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from gametree.core.drawing import Drawing, Item, Place, Rack, grid

__all__ = ["position_drawing", "square_name"]

_SIGNS = {"=": ("3W", "red"), "-": ("2W", "rose"), '"': ("3L", "blue"), "'": ("2L", "sky")}
DRAW, ASK, OVER = 0, 2, 3
TAKEN = 64


def square_name(square: int, size: int) -> str:
    """Column and row, `H8`."""
    row, column = divmod(square, size)
    return f"{chr(ord('A') + column)}{row + 1}"


@lru_cache(maxsize=8)
def _squares(board: tuple[str, ...]) -> tuple[Place, ...]:
    size = len(board)
    names = [square_name(square, size) for square in range(size * size)]
    signs = dict(zip(names, "".join(board), strict=True))
    texts = {name: _SIGNS[sign][0] for name, sign in signs.items() if sign in _SIGNS}
    middle = names[size * size // 2]
    texts.setdefault(middle, "*")
    tones = {name: _SIGNS[sign][1] for name, sign in signs.items() if sign in _SIGNS}
    return grid("square", size, size, names, tones=tones, texts=texts)


def position_drawing(game: Any, state: Any) -> Drawing:
    """The board, every rack below it (what is not known face down), and the bag in the caption."""
    s, size, tiles = game.struct(state), game.width, game.tiles
    items = []
    for square in range(size * size):
        tile = int(s.board[square])
        if tile:
            blank = bool(tile & TAKEN)
            letter = tiles.letters[(tile & 31) - 1]
            value = 0 if blank else tiles.points[tile & 31]
            label = f"blank as {letter}" if blank else ""
            items.append(Item(square, "tile", letter.lower() if blank else letter, value=value, label=label))
    racks = []
    for seat in range(game.facts.players):
        held = [
            Item(
                "",
                "tile",
                "?" if tile == 0 else tiles.text(tile),
                value=tiles.points[tile],
                label="" if tile else "blank",
            )
            for tile in [*range(1, len(tiles.counts)), 0]
            for _ in range(int(s.racks[seat, tile]))
        ]
        closed = int(s.held[seat]) - len(held)
        held += [Item("", "tile", face_up=False) for _ in range(closed)]
        owner = f"{game.seat_names[seat]}, {int(s.scores[seat])}"
        racks.append(Rack(owner, tuple(held), size / 2, size + 1.4 + 1.9 * seat, 7.6, player=seat, slots=7))
    return Drawing(
        layout="places",
        rows=size,
        columns=size,
        places=_squares(game.board),
        items=tuple(items),
        racks=tuple(racks),
        caption=_caption(game, s),
    )


def _caption(game: Any, s: Any) -> str:
    bag = int(s.bag_size)
    text = "the bag is empty" if bag == 0 else f"{bag} {'tile' if bag == 1 else 'tiles'} in the bag"
    if s.zeros:
        text += f", {int(s.zeros)} {'turn' if s.zeros == 1 else 'turns'} without points"
    if s.phase == OVER:
        return f"{text}; the game is over"
    if s.phase == ASK:
        return f"{text}; may the last play stand?"
    return text
