"""The link is the seat: two people at two browsers, and what each socket gets."""

from __future__ import annotations

import contextlib
import json
import sqlite3
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from fuzz import HOME, OPEN, SOCKET, make_app
from starlette.testclient import TestClient

ORIGIN = {"origin": HOME}


@pytest.fixture(scope="module")
def web(warm: None) -> Iterator[TestClient]:
    with TestClient(make_app(OPEN), base_url=HOME) as running:  # type: ignore[arg-type]
        yield running


def new(web: TestClient, game: str, *kinds: str, **more: Any) -> dict[str, Any]:
    """The links of a new game."""
    seats = [{"kind": kind} if kind in ("person", "guest") else {"kind": "engine", "level": kind} for kind in kinds]
    made = web.post("/api/play/games", json={"game": game, "seats": seats, **more}, headers=dict(ORIGIN))
    assert made.status_code == 201, made.text
    return dict(made.json())


class Browser:
    """A page at a link; it keeps every byte that its socket brought."""

    def __init__(self, web: TestClient, link: str) -> None:
        self.opened = web.websocket_connect(f"{SOCKET}/api/play/games/{link}/socket", headers=dict(ORIGIN))
        self.got: list[str] = []
        self.game: dict[str, Any] = {}

    def __enter__(self) -> Browser:
        self.socket = self.opened.__enter__()
        self.take()
        return self

    def __exit__(self, *arguments: Any) -> None:
        self.opened.__exit__(*arguments)

    def take(self, wanted: str = "game") -> dict[str, Any]:
        """The next message of a kind."""
        while True:
            text = self.socket.receive_text()
            self.got.append(text)
            message: dict[str, Any] = json.loads(text)
            if message["type"] == wanted:
                self.game = message.get("game", self.game)
                return message
            assert message["type"] == "wait", message

    def send(self, **message: Any) -> None:
        self.socket.send_json(message)

    def move(self, text: str) -> None:
        self.send(do="move", text=text, ply=len(self.game["moves"]))

    def card(self) -> str:
        (own,) = self.game["own"]
        return self.hand(own)[0]

    def hand(self, seat: int) -> list[str]:
        """The cards that are drawn for the seat."""
        drawing = self.game["view"]["drawing"]
        rack = drawing["racks"][seat]
        places = range(rack["first"], rack["first"] + rack["slots"])
        return [item["text"] for item in drawing["items"] if item["place"] in places]


def test_each_of_two_browsers_sees_its_own_card_and_nothing_of_the_others(web: TestClient) -> None:
    for _ in range(6):  # deals differ
        made = new(web, "kuhn", "person", "guest")
        with (
            Browser(web, made["id"]) as one,
            Browser(web, made["links"]["1"]) as two,
            Browser(web, made["spectators"]) as third,
        ):
            assert (one.game["own"], two.game["own"], third.game["own"]) == ([0], [1], [])
            cards = one.card(), two.card()
            one.move("bet")
            for page in (one, two, third):
                page.take()
                assert page.game["moves"][-1] == "bet"
            two.move("pass")  # a fold: nobody shows a card
            for page in (one, two, third):
                page.take()
                assert page.game["result"]["utilities"] == [1.0, -1.0]
            for page, hidden in ((one, cards[1]), (two, cards[0]), (third, "".join(cards))):
                for link in (made["id"], made["links"]["1"], made["spectators"]):
                    page.got = [text.replace(link, "") for text in page.got]
                said = json.dumps([_cards(json.loads(text)) for text in page.got])
                assert not set(hidden) & set(said), (hidden, said)
            assert {cards[0], cards[1], "?"} > {card for page in (one, two) for card in page.card()}
        for link in (made["id"], made["links"]["1"], made["spectators"]):
            answer = web.get(f"/api/play/games/{link}")
            assert answer.json()["moves"] == [], "the truth is nobody's, even after the end"


def _cards(data: Any) -> list[str]:
    """All letters that may be cards in what was sent, wherever they stand."""
    if isinstance(data, dict):
        return [card for value in data.values() for card in _cards(value)]
    if isinstance(data, list):
        return [card for value in data for card in _cards(value)]
    return [letter for letter in data if letter in "JQK"] if isinstance(data, str) else []


def test_whist_for_four_at_four_browsers(web: TestClient) -> None:
    made = new(web, "whist", "guest", "guest", "guest", "guest")
    links = [made["links"][str(seat)] for seat in range(4)]
    assert made["id"] == made["spectators"], "nobody sits at this device"
    with (
        Browser(web, links[0]) as a,
        Browser(web, links[1]) as b,
        Browser(web, links[2]) as c,
        Browser(web, links[3]) as d,
    ):
        pages = (a, b, c, d)
        hands = [set(page.hand(seat)) for seat, page in enumerate(pages)]
        assert all(len(hand) == 4 for hand in hands)
        assert len(set.union(*hands)) == 16
        for seat, page in enumerate(pages):
            (first,) = page.got
            others = set.union(*(hand for other, hand in enumerate(hands) if other != seat))
            assert not [card for card in others if f'"{card}"' in first or f" {card} " in first], "partners included"
        a.move(a.game["view"]["moves"][0]["text"])
        for page in pages:
            page.take()
        b.send(do="move", text="nonsense", ply=len(b.game["moves"]))
        refused = b.take("error")["error"]
        assert not [card for seat in (0, 2, 3) for card in hands[seat] if card in refused]
        c.send(do="move", text=sorted(hands[2])[0], ply=len(c.game["moves"]))
        assert "not player 3's turn" in c.take("error")["error"]


def test_who_looks_on_neither_plays_nor_deletes(web: TestClient) -> None:
    made = new(web, "tictactoe", "person", "guest")
    with Browser(web, made["spectators"]) as page:
        for message in ({"do": "move", "text": "b2", "ply": 0}, {"do": "undo"}, {"do": "resign"}, {"do": "draw"}):
            page.send(**message)
            assert "Who looks on" in page.take("error")["error"], message
        page.send(do="rematch")
        assert "Who looks on" in page.take("error")["error"]
    answer = web.delete(f"/api/play/games/{made['spectators']}", headers=dict(ORIGIN))
    assert (answer.status_code, "Who looks on" in answer.json()["error"]) == (400, True)
    with Browser(web, made["links"]["1"]) as guest:
        guest.move("b2")
        assert "not player 2's turn" in guest.take("error")["error"]


def test_a_seen_card_stays_seen_unless_all_agree(web: TestClient) -> None:
    made = new(web, "kuhn", "person", "guest")
    with Browser(web, made["id"]) as one, Browser(web, made["links"]["1"]) as two:
        card = one.card()
        one.move("bet")
        one.take()
        two.take()
        one.send(do="undo")
        assert one.take()["game"]["offers"] == [{"what": "take-back", "by": 0, "agreed": [0]}]
        two.take()
        two.send(do="answer", yes=False)
        assert two.take()["game"]["offers"] == []
        assert one.take()["game"]["moves"][-1] == "bet"
        one.send(do="undo")
        one.take()
        two.take()
        two.send(do="answer", yes=True)
        assert len(one.take()["game"]["moves"]) == 1
        two.take()
        assert one.card() == card, "chance throws what it has thrown"
    with Browser(web, new(web, "kuhn", "person", "full")["id"]) as page:
        page.move("bet")
        while not page.game["result"]:
            page.take()
        page.send(do="undo")
        assert "What was seen stays seen" in page.take("error")["error"]


def test_a_draw_is_agreed_on(web: TestClient) -> None:
    made = new(web, "tictactoe", "person", "guest")
    with Browser(web, made["id"]) as one, Browser(web, made["links"]["1"]) as two:
        one.send(do="draw")
        assert two.take()["game"]["offers"][0]["what"] == "draw"
        one.take()
        two.send(do="answer", yes=True)
        assert two.take()["game"]["result"] == {"utilities": [0.0, 0.0], "reason": "agreed", "seat": None}
        one.take()
        one.send(do="rematch")
        links = [page.take("rematch")["id"] for page in (one, two)]
    with Browser(web, links[0]) as one, Browser(web, links[1]) as two:
        assert (one.game["own"], two.game["own"]) == ([1], [0]), "seats are turned, and each has its own link"


def test_the_secret_stays_in_the_servers_file(warm: None, tmp_path: Path) -> None:
    path = tmp_path / "games.sqlite3"
    with (
        TestClient(make_app(replace(OPEN, data=path)), base_url=HOME) as web,  # type: ignore[arg-type]
        contextlib.closing(sqlite3.connect(path)) as base,
    ):
        made = new(web, "kuhn", "person", "guest")
        new(web, "kuhn", "person", "guest")
        secrets = [json.loads(data)["record"]["secret"] for (data,) in base.execute("SELECT data FROM game")]
        assert len(set(secrets)) == 2
        _play_and_look(web, made, secrets)


def _play_and_look(web: TestClient, made: dict[str, Any], secrets: list[str]) -> None:
    with Browser(web, made["id"]) as one, Browser(web, made["links"]["1"]) as two:
        one.move("pass")
        one.take()
        two.take()
        kept = web.get(f"/api/play/games/{made['id']}").text
        for text in (*one.got, *two.got, kept):
            assert not [secret for secret in secrets if secret in text]
        for link in (made["id"], made["links"]["1"], made["spectators"]):
            assert len(link) >= 22, "128 bits"


def test_in_kriegspiel_each_of_two_browsers_sees_its_own_men_and_hears_its_own_refusals(web: TestClient) -> None:
    made = new(web, "kriegspiel", "person", "guest")
    with Browser(web, made["id"]) as white, Browser(web, made["links"]["1"]) as black:
        for mover, text in ((white, "e4"), (black, "d5"), (white, "exf5"), (white, "exd5")):
            mover.move(text)
            white.take()
            if text != "exf5":  # Black does not hear that it was refused
                black.take()
        assert white.game["moves"] == [
            "e4",
            "a move; White has 1 pawn try",
            "exf5 refused",
            "exd5; pawn on d5 taken",
        ]
        assert black.game["moves"] == ["a move", "d5; White has 1 pawn try", "a move; pawn on d5 taken"]
        for page, seat in ((white, 0), (black, 1)):
            assert {item["player"] for item in page.game["view"]["drawing"]["items"]} == {seat}
        assert not any("exf5" in text for text in black.got)
