"""What the browser is told about positions: places of moves, and nothing that a seat must not see."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest

from gametree import CHANCE, Game, game_names, load_game
from gametree.core.drawing import cells_in_move
from gametree.core.scene import scene
from gametree.interfaces.web.boards import legal_moves, message, view
from gametree.play.openings import Opening
from gametree.play.table import Table


def cell(game: Game[Any, Any], state: Any, name: str) -> int:
    return game.draw(state).cells.index(name)


@pytest.mark.parametrize("name", [name for name in game_names() if name != "tree"])
def test_every_registered_game_has_a_view_all_the_way(name: str) -> None:
    game, lots = load_game(name), random.Random(3)
    state, before, last = game.initial(), None, None
    for _ in range(40):
        data = view(game, state, before=before, last=last)
        json.dumps(data, allow_nan=False)
        drawing = data["drawing"]
        cells = range(len(drawing["places"]))
        assert len(cells) >= drawing["rows"] * drawing["columns"]
        assert all(target in cells for move in data["moves"] for target in move["to"])
        assert all(place in cells for place in data["last"])
        if data["over"]:
            assert data["moves"] == []
            assert len(data["utilities"]) == game.facts.players
            break
        dealt = game.player(state) == CHANCE
        before, last = state, game.roll(state, lots) if dealt else lots.choice(list(game.actions(state)))
        state = game.result(state, last)


def test_places_of_moves() -> None:
    chess = load_game("chess")
    start = chess.initial()
    moves = {move["text"]: move for move in legal_moves(chess, start, 0, scene(chess.draw(start)))}
    assert moves["Nf3"]["from"] == cell(chess, start, "g1")
    assert moves["Nf3"]["to"] == [cell(chess, start, "f3")]
    castling = chess.state_from_text("4k3/8/8/8/8/8/8/4K2R w K - 0 1")
    moves = {move["text"]: move for move in legal_moves(chess, castling, 0, scene(chess.draw(castling)))}
    assert (moves["O-O"]["from"], moves["O-O"]["mark"]) == (60, 62)
    drop = load_game("connect4")
    state = drop.result(drop.initial(), drop.action_from_text(drop.initial(), "4"))
    moves = {move["text"]: move for move in legal_moves(drop, state, 1, scene(drop.draw(state)))}
    assert moves["4"]["to"] == [3 + 7 * row for row in range(6)]
    assert moves["4"]["mark"] == 3 + 7 * 4, "the stone lands on the one that is there"
    assert moves["1"]["mark"] == 7 * 5


def test_a_stone_of_einstein_is_picked_up_where_it_stands() -> None:
    game = load_game("einstein")
    state = game.result(game.initial(), game.action_from_text(game.initial(), "6"))
    (start,) = {move["from"] for move in view(game, state)["moves"]}
    assert any(p.row * 5 + p.column == start and p.text == "6" and p.player == 0 for p in game.draw(state).pieces)


def test_hidden_cards_stay_hidden() -> None:
    game = load_game("kuhn")
    table = Table(game, opening=Opening(None, ("JQ",)))
    shown = json.dumps(message(game, table.view(1)))
    assert '"Q"' in shown
    assert "J" not in shown
    assert '"J"' in json.dumps(message(game, table.view(0)))
    looking_on = json.dumps(message(game, table.view(-1)))
    assert "J" not in looking_on
    assert "Q" not in looking_on


def test_a_card_can_be_clicked() -> None:
    game = load_game("goofspiel")
    table = Table(game)
    table.act(0, table.read(0, "A"))
    data = message(game, table.view(1))
    assert (data["chosen"], data["view"]["seat"]) == ([0], 1)
    first = data["view"]["drawing"]["racks"][1]["first"]
    assert data["view"]["moves"][0]["to"] == [first], "the first card of the second hand"
    assert message(game, table.view(0))["view"]["moves"] == [], "it has chosen"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("b2", ("b2",)),
        ("b2-c3", ("b2", "c3")),
        ("b2xc3", ("b2", "c3")),
        ("b2c3", ("b2", "c3")),
        ("c3-b2-c3", ("c3", "b2", "c3")),
        ("Nc3", ()),
        ("pass", ()),
        ("", ()),
    ],
)
def test_cells_in_a_move(text: str, expected: tuple[str, ...]) -> None:
    assert cells_in_move(text, ("b2", "c3", "")) == expected
