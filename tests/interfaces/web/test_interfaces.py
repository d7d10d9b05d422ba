"""What the pages ask the server for: setting up, moves of every kind, engines, clocks, loading, lines."""

from __future__ import annotations

import asyncio
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from fuzz import HOME, OPEN, SOCKET, make_app
from running import PROGRAM
from starlette.testclient import TestClient

from gametree import BadInput, load_game
from gametree.core.errors import GametreeError
from gametree.core.result import SearchResult
from gametree.interfaces.web.analyse_tasks import shown_lines, think, why
from gametree.interfaces.web.engines import end_in_words
from gametree.interfaces.web.games import check_name
from gametree.interfaces.web.programs import read_programs
from gametree.interfaces.web.store import GameStore
from gametree.interfaces.web.worker import Job

ORIGIN = {"origin": HOME}


@pytest.fixture(scope="module")
def web(warm: None) -> Iterator[TestClient]:
    with TestClient(make_app(OPEN), base_url=HOME) as running:  # type: ignore[arg-type]
        yield running


def new(web: TestClient, game: str, *seats: str, **more: Any) -> str:
    """A new game; a seat is "person" or an engine's level."""
    people = ("person", "guest")
    given = [{"kind": seat} if seat in people else {"kind": "engine", "level": seat} for seat in seats]
    made = web.post("/api/play/games", json={"game": game, "seats": given, **more}, headers=dict(ORIGIN))
    assert made.status_code == 201, made.text
    return str(made.json()["id"])


class Page:
    """A page that plays a game."""

    def __init__(self, web: TestClient, name: str) -> None:
        self.opened = web.websocket_connect(f"{SOCKET}/api/play/games/{name}/socket", headers=dict(ORIGIN))

    def __enter__(self) -> Page:
        self.socket = self.opened.__enter__()
        self.game: dict[str, Any] = {}
        self.wait(lambda game: True)
        return self

    def __exit__(self, *arguments: Any) -> None:
        self.opened.__exit__(*arguments)

    def wait(self, condition: Any) -> dict[str, Any]:
        """Take in messages until the game is as wanted."""
        while True:
            message = self.socket.receive_json()
            assert message["type"] in ("game", "wait"), message
            if message["type"] == "game":
                self.game = message["game"]
                if condition(self.game):
                    return self.game

    def move(self, text: str) -> dict[str, Any]:
        before = len(self.game["moves"])
        self.socket.send_json({"do": "move", "text": text, "ply": before})
        return self.wait(lambda game: len(game["moves"]) > before or game["chosen"])


def test_a_game_of_two_persons(web: TestClient) -> None:
    with Page(web, new(web, "tictactoe")) as page:
        for move in ("b2", "a1", "a2", "c2", "a3", "c1"):
            page.move(move)
        assert page.game["view"]["seat"] == 0
        page.socket.send_json({"do": "undo"})
        page.wait(lambda game: len(game["moves"]) == 5)
        page.move("C1")  # read as the game reads it, written as the game writes it
        assert page.game["moves"][-1] == "c1"
        page.move("b1")
        page.move("b3")
        page.move("c3")
        assert page.game["result"] == {"utilities": [0.0, 0.0], "reason": "end", "seat": None}


def test_the_engine_answers_and_two_engines_play_to_the_end(web: TestClient) -> None:
    with Page(web, new(web, "tictactoe", "person", "full")) as page:
        page.move("b2")
        answer = page.wait(lambda game: len(game["moves"]) == 2)
        assert answer["moves"][1] in ("a1", "a3", "c1", "c3"), "all else loses"
        assert answer["chances"][1] == 0.5
    with Page(web, new(web, "tictactoe", "full", "full")) as page:
        end = page.wait(lambda game: game["result"])
        assert end["result"]["utilities"] == [0.0, 0.0]


def test_chance_hidden_cards_and_choices_at_once(web: TestClient) -> None:
    with Page(web, new(web, "kuhn", "person", "casual")) as page:
        items = page.game["view"]["drawing"]["items"]
        assert page.game["moves"] == [f"{items[0]['text']}?"], "one's own card is told"
        assert items[1]["text"] == "?"
        name = page.game["id"]
        assert web.get(f"/api/play/games/{name}").json()["moves"] == []
    with Page(web, new(web, "goofspiel", "person", "person")) as page:
        assert page.game["view"]["seat"] == 0
        page.move("A")
        assert (page.game["chosen"], page.game["view"]["seat"]) == ([0], 1)
        page.move("2")
        assert page.game["chosen"] == []
        assert page.game["movers"][1] == -2
    with Page(web, new(web, "pig", "person", "person")) as page:
        page.move("roll")
        assert page.game["movers"][:2] == [0, -1], "the die was thrown"


def test_time_passes_by_itself_while_everybody_is_busy(web: TestClient) -> None:
    with Page(web, new(web, "harvest", "person", "person")) as page:
        page.move("reap")
        page.move("reap")
        assert page.game["moves"][0] == "reap-reap"
        assert page.game["movers"] == [-2] * len(page.game["moves"])
        assert len(page.game["moves"]) > 1, "reaping takes more than one turn"
        assert page.game["view"]["seat"] == 0 or page.game["result"]


def test_what_chance_brings_can_be_chosen_where_a_game_is_analysed(web: TestClient) -> None:
    def look(*moves: str) -> list[str]:
        answer = web.post("/api/analyse/position", json={"game": "pig", "moves": moves}, headers=dict(ORIGIN)).json()
        assert "fast-mcts" not in answer["algorithms"], "the game is not compiled"
        return [move["text"] for move in answer["view"]["moves"]]

    assert "roll" in look()
    assert look("roll") == ["1", "2", "3", "4", "5", "6"]
    assert "hold" in look("roll", "4")
    with web.websocket_connect(f"{SOCKET}/api/analyse/socket", headers=dict(ORIGIN)) as socket:
        socket.send_json({"do": "analyse", "game": "pig", "moves": ["roll"]})
        assert "Chance decides here" in socket.receive_json()["error"]


def test_three_players_resignation_and_rematch(web: TestClient) -> None:
    with Page(web, new(web, "tictactoe3")) as page:
        page.move("b2")
        page.socket.send_json({"do": "resign"})
        end = page.wait(lambda game: game["result"])
        assert end["result"]["reason"] == "resigned"
        assert end["result"]["utilities"][1] == -1.0
        page.socket.send_json({"do": "rematch"})
        assert page.socket.receive_json()["type"] == "rematch"


def test_a_flag_falls_and_the_time_of_a_move_is_counted(web: TestClient) -> None:
    with Page(web, new(web, "tictactoe", minutes=0.05, increment=1)) as page:
        assert page.game["clocks"]["running"] == [0]
        assert page.game["clocks"]["left"][1] == 3.0
        time.sleep(0.1)
        page.move("b2")
        assert 3.0 < page.game["clocks"]["left"][0] < 3.95, "a move takes time and adds a second"
        assert page.game["clocks"]["running"] == [1]
        end = page.wait(lambda game: game["result"])
        assert (end["result"]["reason"], end["result"]["seat"]) == ("time", 1)


def test_a_move_is_kept_though_its_page_goes_away_at_once(tmp_path: Path) -> None:
    async def leave_at_once() -> dict[str, Any] | None:
        store = GameStore(tmp_path / "games.sqlite3")
        disk = threading.Event()
        store._thread.submit(disk.wait)  # a slow disk
        saving = asyncio.create_task(store.save("name", {"moves": ["b2"]}))
        await asyncio.sleep(0)
        saving.cancel()
        await asyncio.wait([saving])
        disk.set()
        kept = await store.load("name")
        await store.close()
        return kept

    with ThreadPoolExecutor(1) as thread:  # the browser of other tests runs an event loop in this one
        assert thread.submit(asyncio.run, leave_at_once()).result() == {"moves": ["b2"]}


def test_nothing_runs_while_nobody_looks(web: TestClient) -> None:
    name = new(web, "tictactoe", minutes=1)
    with Page(web, name) as page:
        page.move("b2")
        left = page.game["clocks"]["left"][1]
    time.sleep(0.3)
    with Page(web, name) as page:
        assert page.game["moves"] == ["b2"]
        assert page.game["clocks"]["left"][1] > left - 0.25


def test_positions_and_parameters(web: TestClient) -> None:
    with Page(web, new(web, "tictactoe", start="XO./.X./..O")) as page:
        assert page.game["view"]["text"] == "XO./.X./..O"
    with Page(web, new(web, "nim:1-5-4-2")) as page:
        assert page.game["view"]["drawing"]["columns"] == 5
    for wrong in (
        {"game": "tictactoe", "start": "garbage"},
        {"game": "tictactoe", "seats": [{"kind": "person"}] * 3},
        {"game": "tictactoe", "seats": [{"kind": "oracle"}]},
        {"game": "tictactoe", "minutes": -1},
        {"game": "tictactoe", "minutes": "NaN"},
        {"game": "nim:0", "extra": 1},
    ):
        answer = web.post("/api/play/games", json=wrong, headers=dict(ORIGIN))
        assert 400 <= answer.status_code < 500, wrong
        assert answer.json()["error"]


# Analyse -------------------------------------------------------------------------------------------------------------

PGN = """[White "A"]
[Black "B"]
[Result "1-0"]

1. e4 {best by test} e5 (1... c5) 2. Qh5 Nc6 3. Bc4 Nf6?? 4. Qxf7# 1-0

[White "C"]
[Black "D"]

1. d4 d5 *
"""


def load(web: TestClient, text: str, game: str = "chess", number: int = 0) -> dict[str, Any]:
    answer = web.post("/api/analyse/load", json={"game": game, "text": text, "number": number}, headers=dict(ORIGIN))
    assert answer.status_code == 200, answer.text
    return dict(answer.json())


def test_pgn_sgf_records_and_plain_moves_are_loaded(web: TestClient) -> None:
    found = load(web, PGN)
    assert found["moves"] == ["e4", "e5", "Qh5", "Nc6", "Bc4", "Nf6", "Qxf7#"]
    assert len(found["games"]) == 2
    assert load(web, PGN, number=1)["moves"] == ["d4", "d5"]
    found = load(web, "(;FF[4]SZ[5]KM[2.5]PB[x\\]y];B[cc];W[];B[aa](;W[ee])(;W[dd]))")
    assert found["game"] == "go:size=5,komi=2.5"
    assert found["moves"] == ["C3", "pass", "A5", "E1"]
    assert load(web, '{"game": "tictactoe", "moves": ["b2"], "opening": ""}\n')["moves"] == ["b2"]
    assert load(web, "1. b2 a1 2. c3", "tictactoe")["moves"] == ["b2", "a1", "c3"]
    broken = load(web, "b2 b2", "tictactoe")
    assert broken["moves"] == ["b2"]
    assert "Move 2" in broken["error"]


@pytest.mark.parametrize(
    "text", ["(", "(;SZ[x])", "(;AB[aa])", "(x)", "{}", '{"moves": 3}', "{", "[", "(;SZ[5];B[zz])"]
)
def test_broken_files_get_a_sentence(web: TestClient, text: str) -> None:
    answer = web.post("/api/analyse/load", json={"game": "tictactoe", "text": text}, headers=dict(ORIGIN))
    if answer.status_code == 200:
        assert answer.json()["moves"] == []
    else:
        assert answer.status_code == 400
        assert answer.json()["error"]


def test_exports_of_the_arena_can_be_loaded(web: TestClient, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from gametree.interfaces.cli import run

    monkeypatch.chdir(tmp_path)
    base = str(tmp_path / "games.db")
    assert run(["match", "random:seed=1", "random:seed=2", "-g", "tictactoe", "-n", "2", "-b", base, "--json"]) == 0
    for kind in ("pgn", "jsonl"):
        assert run(["export", base, "--format", kind, "--output", f"out.{kind}"]) == 0
        found = load(web, Path(f"out.{kind}").read_text(encoding="utf-8"), "tictactoe")
        assert found["game"] == "tictactoe"
        assert len(found["moves"]) >= 5
        assert not found["error"]


def test_live_lines_a_review_and_why_not(web: TestClient) -> None:
    line = {"game": "tictactoe", "start": None, "moves": ["a1", "b1"]}
    with web.websocket_connect(f"{SOCKET}/api/analyse/socket", headers=dict(ORIGIN)) as socket:
        socket.send_json({"do": "analyse", **line, "lines": 3, "token": 7})
        while (message := socket.receive_json())["type"] != "thought":
            assert message["type"] == "lines"
            last = message
        assert message == {"type": "thought", "token": 7, "done": True}
        assert [entry["chance"] for entry in last["lines"]] == [1.0, 1.0, 1.0]
        assert last["done"]
        socket.send_json({"do": "why", **line, "move": "c1"})
        answer = socket.receive_json()
        assert answer["type"] == "why"
        assert (answer["best"]["chance"], answer["played"]["chance"]) == (1.0, 0.5)
        assert answer["played"]["moves"][0] == "c1"
        socket.send_json({"do": "review", "game": "tictactoe", "start": "XO./.../...", "moves": ["c3"]})
        judged = []
        while (message := socket.receive_json())["type"] != "reviewed":
            judged.append(message)
        assert [(entry["ply"], entry["chance"], entry["mark"]) for entry in judged] == [(0, 1.0, ""), (1, 0.5, "??")]
        for wrong, words in (
            ({"do": "analyse", "game": "x.py"}, "no game"),
            ({"do": "analyse", **line, "algorithm": "../x"}, "no algorithm"),
            ({"do": "analyse", **line, "algorithm": "expectiminimax:depth=3"}, "no algorithm"),
            ({"do": "analyse", **line, "lines": 99}, "'lines' should be"),
            ({"do": "analyse", **line, "moves": "a1"}, "'moves' should be"),
            ({"do": "why", **line, "move": "a1"}, "not a legal move"),
        ):
            socket.send_json(wrong)
            message = socket.receive_json()
            assert message["type"] == "error"
            assert words in message["error"]


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ("uci:true", "names no program"),
        ("=uci:true", "names no program"),
        ("x=alphabeta:depth=2", "is no program"),
        ("x=/tmp/player.py", "is no program"),
        ("engine=uci:true", "a player already"),
        ("x=uci:no-such-program", "There is no program"),
    ],
)
def test_programs_on_the_command_line_are_checked(given: str, words: str) -> None:
    with pytest.raises(BadInput, match=words):
        read_programs([given])
    assert read_programs(["x=uci:true", "y=gtp:true -v"]) == {"x": "uci:true", "y": "gtp:true -v"}
    with pytest.raises(BadInput, match="Two programs"):
        read_programs(["x=uci:true", "x=gtp:true"])


@pytest.mark.parametrize(
    "name",
    [
        "chess:weights=/etc/passwd", "chess:weights=weights.json", "chess:518,weights=../x", "nim:/etc/passwd",
        "go:size=9,komi=..\\x", "/etc/passwd.py", "../coins.py",
    ],
)  # fmt: skip
def test_no_path_of_a_request_reaches_the_file_system(name: str) -> None:
    with pytest.raises(GametreeError, match=r"file|path|no game"):
        check_name(name)
    assert check_name("chess:weights=textbook") == "chess:weights=textbook"
    assert check_name("tree:((1/2/6 4/2/3) (6/1/2 7/4/1))")


def test_a_request_names_programs_only_by_the_word_that_the_command_line_gave_them(tmp_path: Path) -> None:
    program = tmp_path / "firstcell"
    program.write_text(PROGRAM, encoding="utf-8")
    player = f"uci:{sys.executable} {program}"
    with TestClient(make_app(replace(OPEN, programs={"firstcell": player})), base_url=HOME) as web:  # type: ignore[arg-type]
        assert web.get("/api/programs").json() == ["firstcell"]
        for wrong, words in (
            ({"kind": "program", "program": player[:40], "seconds": 1}, "no program called"),
            ({"kind": "program", "program": "uci:/bin/sh", "seconds": 1}, "no program called"),
            ({"kind": "program", "program": "firstcell", "command": "/bin/sh"}, "command"),
        ):
            answer = web.post("/api/play/games", json={"game": "tictactoe", "seats": [wrong]}, headers=dict(ORIGIN))
            assert 400 <= answer.status_code < 500
            assert words in answer.json()["error"]
        seat = {"kind": "program", "program": "firstcell", "seconds": 5}
        answer = web.post("/api/play/games", json={"game": "pig", "seats": [seat]}, headers=dict(ORIGIN))
        assert answer.status_code == 400
        assert "no words for pig" in answer.json()["error"]
        made = web.post("/api/play/games", json={"game": "tictactoe", "seats": [seat, seat]}, headers=dict(ORIGIN))
        with Page(web, made.json()["id"]) as page:
            end = page.wait(lambda game: game["result"])
            assert end["moves"] == ["a1", "b1", "c1", "a2", "b2", "c2", "a3"]
            assert end["result"]["utilities"] == [1.0, -1.0]
        stored = made.json()["id"]
        assert web.get(f"/api/play/games/{stored}").json()["seats"][0]["program"] == "firstcell"
        for _ in range(500):  # the server may not have noticed yet that the page is gone
            answer = web.delete(f"/api/play/games/{stored}", headers=dict(ORIGIN))
            if answer.status_code == 200:
                break
            time.sleep(0.01)
        assert answer.json() == {"deleted": True}
        assert web.delete(f"/api/play/games/{stored}", headers=dict(ORIGIN)).json() == {"deleted": False}


def test_only_the_latest_games_are_kept(tmp_path: Path) -> None:
    async def fill() -> list[str]:
        store = GameStore(tmp_path / "games.sqlite3")
        for name in "abcde":
            await store.save(name, {"of": name})
            await asyncio.sleep(0.002)
        await store.save("a", {"of": "a, touched again"})
        await store.trim(3)
        kept = [name for name in "abcde" if await store.load(name) is not None]
        await store.close()
        return kept

    with ThreadPoolExecutor(1) as thread:  # the browser of other tests runs an event loop in this one
        assert thread.submit(asyncio.run, fill()).result() == ["a", "d", "e"]


@pytest.mark.parametrize(
    ("position", "best", "end"),
    [
        ("6k1/5ppp/8/8/8/8/8/3RK3 w - - 0 1", "Rd8#", "mate in 1"),
        ("7k/8/5K2/6Q1/8/8/8/8 b - - 0 1", "Kh7", "mated in 1"),
        ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", None, ""),
    ],
)
def test_a_mate_in_sight_is_told_in_words(warm: None, position: str, best: str | None, end: str) -> None:
    told = think(Job(1, 0.5, print), "chess", position, [], "engine", 1)
    assert told["lines"][0]["end"] == end
    if best:
        assert told["lines"][0]["moves"][0] == best
        answer = why(Job(1, 0.5, print), "chess", position, [], best)
        assert (answer["best"]["end"], answer["played"]["end"]) == (end, end), "the same, one move later"


def test_a_move_is_shown_in_one_line_only() -> None:
    game = load_game("tictactoe")
    lines = [{"value": value, "mate": None, "pv": [move]} for value, move in ((3, "b2"), (2, "a1"), (1, "b2"))]
    found = SearchResult(
        algorithm="engine", state=game.initial(), player=0, move=None, value=3, details={"lines": lines}
    )
    assert [(line["moves"], line["value"]) for line in shown_lines(game, found, 0)] == [(["b2"], 3.0), (["a1"], 2.0)]


def test_other_games_win_rather_than_mate() -> None:
    game = load_game("connect4")
    assert [end_in_words(game, mate) for mate in (3, -2, None)] == ["wins in 3", "loses in 2", ""]


def test_a_search_is_cancelled_when_its_page_leaves(web: TestClient) -> None:
    with web.websocket_connect(f"{SOCKET}/api/analyse/socket", headers=dict(ORIGIN)) as socket:
        socket.send_json({"do": "analyse", "game": "chess", "moves": []})
        while (message := socket.receive_json())["type"] != "lines":
            assert message["type"] == "wait", message
    with Page(web, new(web, "tictactoe", "full", "full")) as page:  # by the same, only engine process
        page.wait(lambda game: game["result"])
    lane = web.app._app.state.work._lanes["engine"]  # type: ignore[attr-defined]
    asking = [*lane.waiting, *(process.ticket.client for process in lane.processes if process.ticket)]
    assert not [client for client in asking if client.startswith("analyst")], "nobody thinks for a page that is gone"
