"""What is sent after a move is small, and says the same as the whole."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest
from gallery import BOARDS, Gallery

from gametree import CHANCE, load_game
from gametree.interfaces.web.boards import message, view
from gametree.interfaces.web.packing import pack
from gametree.play.table import Table

STILL = ["layout", "rows", "columns", "left", "below", "surface", "checkered", "regions", "labels", "lines", "seats"]


def unpacked(packed: dict[str, Any], boards: dict[str, Any]) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """What `static/scene.js` makes of it: the drawing, and the moves by text, path, mark and picture."""
    drawing = dict(packed["drawing"])
    board, slots = drawing.pop("board"), drawing.pop("slots")
    boards.setdefault(board["key"], board.get("still"))
    still = boards[board["key"]]
    items = [
        {"place": place, **{key: value for key, value in group.items() if key != "at"}}
        for group in drawing.pop("items")
        for place in group["at"]
    ]
    drawing = {**still, **drawing, "places": still["places"] + slots, "items": items}
    moves = packed["moves"]
    found = [
        {"text": drawing["places"][cell]["name"], "path": [[cell]], "mark": cell} for cell in moves.get("clicks", [])
    ]
    for text, path, mark, *picture in moves.get("paths", []):
        steps = [step if isinstance(step, list) else [step] for step in path]
        found.append({"text": text, "path": steps, "mark": mark, **({"picture": picture[0]} if picture else {})})
    for before, after, least, count, step in moves.get("amounts", []):
        found += [{"text": f"{before}{least + step * k}{after}", "path": [], "mark": None} for k in range(count)]
    found += [{"text": text, "path": [], "mark": None} for text in moves.get("plain", [])]
    return drawing, found


@pytest.mark.parametrize("name", ["chess", "connect4", "go:size=9", "whist", "kuhn", "nim:1-2-3", "othello", "pig"])
def test_nothing_is_lost(name: str) -> None:
    game, lots, boards = load_game(name), random.Random(5), {}  # type: ignore[var-annotated]
    state = game.initial()
    for _ in range(25):
        whole = view(game, state)
        packed, key = pack(whole, boards)
        assert ("still" in packed["drawing"]["board"]) == (key not in boards), "the board is sent once"
        drawing, moves = unpacked(json.loads(json.dumps(packed)), boards)
        before = json.loads(json.dumps(whole))
        assert sorted(map(repr, moves)) == sorted(
            repr({key: move[key] for key in ("text", "path", "mark", "picture") if key in move})
            for move in before["moves"]
        )
        by_place = sorted(drawing.pop("items"), key=lambda item: item["place"])
        assert [json.dumps(item, sort_keys=True) for item in by_place] == [
            json.dumps(item, sort_keys=True)
            for item in sorted(before["drawing"].pop("items"), key=lambda item: item["place"])
        ]
        for part, value in before["drawing"].items():
            assert drawing.get(part, type(value)()) == value, part
        if game.is_terminal(state):
            break
        moves = list(game.actions(state))
        state = game.result(state, game.roll(state, lots) if game.player(state) == CHANCE else lots.choice(moves))
    assert len(boards) <= (2 if name != "nim:1-2-3" else 9), "Nim's places go with what is taken"


def test_what_lies_upon_each_other_keeps_its_order() -> None:
    items = [{"place": 1, "text": "A"}, {"place": 2, "text": "B"}, {"place": 1, "text": "B"}, {"place": 3, "text": "B"}]
    drawing = {
        "places": [{"name": ""}] * 4,
        "items": items,
        "racks": [],
        **{part: [] for part in STILL},
    }
    packed, _ = pack({"drawing": drawing, "moves": []}, ())
    there, _ = unpacked(packed, {})
    assert [item["text"] for item in there["items"] if item["place"] == 1] == ["A", "B"]


def size(data: Any) -> int:
    return len(json.dumps(data, separators=(",", ":")))


def test_a_move_on_the_largest_go_board_is_small() -> None:
    game, lots = load_game("go:size=19"), random.Random(1)
    table, known, largest, naked = Table(game), set(), 0, 0  # type: ignore[var-annotated]
    for ply in range(240):
        told = message(game, table.view(ply % 2)) if ply % 30 in (0, 1) else None
        if told:
            small, key = pack(told["view"], known)
            if key in known:
                largest = max(largest, size({**told, "view": small}))
                naked = max(naked, size(told))
            known.add(key)
        state = table.state
        table.act(ply % 2, lots.choice(list(game.actions(state))[:-1]))
    assert largest < 6000
    assert naked > 6000, "it would not be without packing"


@pytest.mark.parametrize("name", BOARDS)
def test_a_move_on_every_board_of_the_gallery_is_small(name: str) -> None:
    game = Gallery(name)
    whole = view(game, ())
    packed, key = pack(whole, ())
    again, _ = pack(whole, {key})
    assert size(packed["drawing"]["board"]) < 64_000
    assert size(again) < 6000


def test_moves_that_differ_in_a_number_become_one_amount() -> None:
    moves = [{"text": f"raise {amount}", "path": [], "mark": None} for amount in range(40, 1000, 20)]
    moves += [{"text": text, "path": [], "mark": None} for text in ("fold", "call", "raise 7", "hop 01")]
    places = {
        "places": [],
        "items": [],
        "racks": [],
        **{part: [] for part in STILL},
    }
    packed, _ = pack({"drawing": places, "moves": moves[:-2]}, ())
    assert packed["moves"] == {"amounts": [["raise ", "", 40, 48, 20]], "plain": ["fold", "call"]}
    packed, _ = pack({"drawing": places, "moves": moves}, ())
    assert "amounts" not in packed["moves"], "the steps are not even"
