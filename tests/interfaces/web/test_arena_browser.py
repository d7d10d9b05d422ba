"""The page Arena: tournaments started, watched, stopped, resumed and replayed; and what a request may not ask for."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from running import OWN_GAME, PROGRAM
from test_lab_browser import PHONE, serious

from gametree.core.errors import BadInput, GametreeError, UnknownName
from gametree.interfaces.web import arena_work, games
from gametree.interfaces.web.worker import Job
from gametree.play.store import Store

ASKED: dict[str, Any] = {
    "kind": "round-robin", "game": "tictactoe", "players": ["random", "random:seed=2", "alphabeta:depth=1"], "games": 2,
    "rounds": 0, "clock": "none", "seed": 1, "max_plies": None,
}  # fmt: skip


def job(reports: list[Any] | None = None, seconds: float = 60.0) -> Job:
    return Job(1, seconds, lambda message: None if reports is None else reports.append(message["report"]))


# What the worker tasks do ---------------------------------------------------------------------------------------------


def test_a_tournament_is_planned_played_read_and_saved(tmp_path: Path) -> None:
    database = str(tmp_path / "arena.sqlite3")
    planned = arena_work.plan(job(), database, ASKED, {})
    assert planned["total"] == 6
    assert [(event["done"], event["total"]) for event in arena_work.list_events(job(), database)] == [(0, 6)]
    reports: list[Any] = []
    told = arena_work.run(job(reports), database, planned["event"], 1, {})
    assert told["done"] == told["total"] == 6
    assert reports[0]["done"] == 0, "there is something to look at before the first game has ended"
    assert sum(row["points"] for row in told["summary"]["standings"]) == 6
    json.dumps(told, allow_nan=False)
    shown = arena_work.detail(job(), database, planned["key"])
    assert len(shown["games"]) == 6
    number = shown["games"][0]["number"]
    game = arena_work.replay(job(), database, planned["key"], number)
    assert len(game["frames"]) == len(game["moves"]) + 1
    assert not game["frames"][0]["drawing"]["items"]
    assert len(game["frames"][-1]["last"]) == 1
    assert set(game["frames"][-1]["drawing"]) == {"items"}, "the board is sent once"
    texts = {
        name: arena_work.export(job(), database, planned["key"], name)["text"]
        for name in ("pgn", "json", "html", "csv")
    }
    assert texts["pgn"].count("[Event ") == 6
    assert json.loads(texts["json"])["games"] == 6
    assert texts["html"].startswith("<!DOCTYPE html>")
    assert texts["csv"].count("\n") == 7
    with pytest.raises(BadInput, match="no game"):
        arena_work.replay(job(), database, planned["key"], 10**9)
    with pytest.raises(BadInput, match="no such tournament"):
        arena_work.detail(job(), database, "0" * 16)


def test_a_stopped_tournament_goes_on_where_it_was(tmp_path: Path) -> None:
    planned = arena_work.plan(job(), str(tmp_path / "planned.sqlite3"), {**ASKED, "games": 40}, {})
    event = {**planned["event"], "salt": "5a17" * 8}  # the same luck in both databases
    database = str(tmp_path / "arena.sqlite3")
    stopped = job()
    stopped.clock.stop()
    told = arena_work.run(stopped, database, event, 1, {})
    assert told["done"] < told["total"] == 120
    whole = arena_work.run(job(), database, event, 1, {})
    assert whole["done"] == 120
    alone = arena_work.run(job(), str(tmp_path / "other.sqlite3"), event, 1, {})
    assert alone["summary"]["standings"] == whole["summary"]["standings"]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"players": ["random", "uci:/bin/sh"]}, "another program"),
        ({"players": ["random", 'gtp:"sh -c id"']}, "another program"),
        ({"players": ["random", "xboard:gnuchess"]}, "another program"),
        ({"players": ["random", "/tmp/player.py:Player"]}, "another program"),
        ({"players": ["random", "human"]}, "person"),
        ({"players": ["random", "alphabeta:depth=1,book=/etc/passwd"]}, "names a file"),
        ({"players": ["random", "alphabeta:depth=1,book=games.bin"]}, "names a file"),
        ({"game": "chess:weights=/etc/passwd"}, "names a file"),
        ({"players": ["random", "random"]}, "twice"),
        ({"players": ["random", "alphabeta:depht=2"]}, "depht"),
        ({"game": "/tmp/game.py"}, "no game"),
        ({"game": "../game.py"}, "no game"),
        ({"game": "pig", "players": ["random", "alphabeta:depth=2"]}, "chance"),
        ({"clock": "soon"}, "time control"),
        ({"games": 1_000_000}, "at most"),
        ({"players": [f"random:seed={n}" for n in range(13)]}, "at most"),
    ],
)
def test_what_a_request_may_not_ask_for(tmp_path: Path, change: dict[str, Any], words: str) -> None:
    database = tmp_path / "arena.sqlite3"
    with pytest.raises(GametreeError, match=r"\.$") as caught:
        arena_work.plan(job(), str(database), {**ASKED, **change}, {})
    assert words in str(caught.value)
    assert not database.exists(), "nothing is stored before everything is checked"


def test_a_program_of_the_command_line_plays_and_no_other_is_resumed(tmp_path: Path) -> None:
    database, program = str(tmp_path / "arena.sqlite3"), tmp_path / "firstcell"
    program.write_text(PROGRAM, encoding="utf-8")
    player = f"uci:{sys.executable} {program}"
    asked = {**ASKED, "players": ["random", "firstcell"], "games": 2}
    planned = arena_work.plan(job(), database, asked, {"firstcell": player})
    with pytest.raises(BadInput, match="another program"):
        arena_work.run(job(), database, planned["event"], 1, {"firstcell": "uci:true"})
    told = arena_work.run(job(), database, planned["event"], 1, {"firstcell": player})
    assert told["done"] == 2


def test_a_file_from_the_command_line_plays_under_its_name_alone(tmp_path: Path) -> None:
    own = tmp_path / "coins.py"
    own.write_text(OWN_GAME, encoding="utf-8")
    asked = {**ASKED, "game": "coins.py"}
    with pytest.raises(UnknownName):
        arena_work.plan(job(), str(tmp_path / "a.sqlite3"), asked, {})
    games.set_files({"coins.py": str(own)})
    try:
        planned = arena_work.plan(job(), str(tmp_path / "a.sqlite3"), asked, {})
        told = arena_work.run(job(), str(tmp_path / "a.sqlite3"), planned["event"], 1, {})
        assert told["summary"]["game"] == "coins.py"
        assert str(tmp_path) not in json.dumps(arena_work.list_events(job(), str(tmp_path / "a.sqlite3")))
    finally:
        games.set_files({})


# The page -------------------------------------------------------------------------------------------------------------


def begin(page: Any, games_each: int) -> None:
    """Start a tournament of the players that the page suggests."""
    page.get_by_label("Game", exact=True).select_option("tictactoe")
    page.get_by_label("Games of each pairing").fill(str(games_each))
    page.get_by_role("button", name="Start", exact=True).click()
    page.locator(".standings").wait_for(timeout=60_000)


def test_a_small_tournament_is_started_and_watched_to_its_end(
    new_page: Callable[..., Any], server: Any, tmp_path: Path
) -> None:
    page = new_page("/arena")
    page.get_by_label("Remove mcts:simulations=100").click()
    page.get_by_label("Another player").fill("alphabeta:depth=1")
    page.get_by_role("button", name="Add player").click()
    begin(page, 4)
    page.get_by_text("12 of 12 games · finished").wait_for(timeout=60_000)
    rows = page.locator(".standings tbody tr")
    assert rows.count() == 3
    points = [float(text) for text in page.locator(".standings .points").all_text_contents()]
    assert sum(points) == 12
    assert points == sorted(points, reverse=True)
    assert page.locator(".elo .dot").count() == 3
    # A game can be replayed, and files saved.
    page.get_by_role("button", name="Replay").click()
    page.locator(".replay-board .cell").first.wait_for()
    assert page.locator(".replay-board .piece").count() == 0
    page.get_by_label("Forward").click()
    page.get_by_label("Forward").click()
    assert page.locator(".replay-board .piece").count() == 2
    with page.expect_download() as download:
        page.get_by_role("link", name="PGN").click()
    assert download.value.suggested_filename == "tictactoe.pgn"
    download.value.save_as(tmp_path / "games.pgn")
    assert (tmp_path / "games.pgn").read_text(encoding="utf-8").count("[Event ") == 12
    assert serious(page) == []
    # Someone who has the link sees it, and it is among the earlier ones.
    other = new_page(page.url, **PHONE)
    other.get_by_text("12 of 12 games · finished").wait_for()
    assert other.locator(".event-list li").count() >= 1
    assert other.evaluate("document.documentElement.scrollWidth") <= 390
    with Store(server.data.with_name("arena.sqlite3"), create=False) as store:
        assert any(event.game == "tictactoe" for event in store.events())


def test_stop_and_resume(new_page: Callable[..., Any]) -> None:
    page = new_page("/arena")
    page.get_by_label("Seed").fill("77")
    begin(page, 300)
    page.get_by_role("button", name="Stop").click()
    page.locator(".status", has_text="stopped").wait_for(timeout=20_000)
    page.get_by_role("button", name="Resume").click()
    page.locator(".status", has_text="running").wait_for(timeout=60_000)
    page.get_by_role("button", name="Stop").click()
    page.locator(".status", has_text="stopped").wait_for(timeout=20_000)


def test_hostile_messages_get_a_sentence(server: Any) -> None:
    from websockets.sync.client import connect

    answers: list[Any] = []
    address = server.address.replace("http", "ws") + "/api/arena/live"
    with connect(address, origin=server.address) as socket:
        for message in (
            {"do": "start", "game": "tictactoe", "players": ["random", "uci:/bin/sh"]},
            {"do": "start", "game": "tictactoe", "players": 7},
            {"do": "start", "game": ["x"], "players": ["a", "b"]},
            {"do": "stop", "key": "../../x"},
            {"do": "resume", "key": {"a": 1}},
            {"do": "resume", "key": "'; DROP TABLE game; --"},
        ):
            socket.send(json.dumps(message))
            while True:
                answer = json.loads(socket.recv(60))
                if answer["type"] != "run":  # news of other tests' tournaments
                    break
            answers.append(answer)
    assert [answer["type"] for answer in answers] == ["error"] * 6
    assert "another program" in answers[0]["error"]
