"""Who gets in, how much and how often: everything else is refused with a reason."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient
from starlette.websockets import WebSocketDisconnect

from gametree.interfaces.cli import run
from gametree.interfaces.web.app import make_app
from gametree.interfaces.web.security import LARGEST_BODY, LARGEST_MESSAGE, Bucket
from gametree.interfaces.web.settings import Settings

HOME = "http://127.0.0.1:8137"
ORIGIN = {"origin": HOME}
SOCKET = "ws://127.0.0.1:8137"
OPEN = Settings(requests_per_second=100_000, messages_per_second=100_000, engines=1)


def client(**changes: Any) -> TestClient:
    """The application without a server around it."""
    return TestClient(make_app(dataclasses.replace(OPEN, **changes)), base_url=HOME)  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def web() -> Iterator[TestClient]:
    with client() as running:
        yield running


@pytest.fixture
def game(web: TestClient) -> str:
    """A new game of tic-tac-toe of two persons."""
    answer = web.post("/api/play/games", json={"game": "tictactoe"}, headers=ORIGIN)
    assert answer.status_code == 201, answer.text
    return str(answer.json()["id"])


def test_pages_may_load_nothing_from_elsewhere_and_run_no_inline_script(web: TestClient) -> None:
    page = web.get("/play")
    policy = page.headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "script-src 'self';" in policy
    assert "unsafe" not in policy
    assert page.headers["x-content-type-options"] == "nosniff"
    assert "<script>" not in page.text
    assert "style=" not in page.text
    assert "://" not in page.text, "nothing comes from another host"


def test_only_our_own_names_are_answered(web: TestClient) -> None:
    assert web.get("/api/games", headers={"host": "evil.example:8137"}).status_code == 421
    assert web.get("/api/games", headers={"host": "localhost:8137"}).status_code == 200
    assert web.get("/api/games", headers={"host": "[::1]:8137"}).status_code == 200
    assert web.get("/api/games", headers={"host": ""}).status_code == 421


@pytest.mark.parametrize("origin", ["http://evil.example", "http://127.0.0.1:9999", "null", "file://", HOME + ".evil"])
def test_pages_of_others_change_nothing(web: TestClient, game: str, origin: str) -> None:
    assert web.post("/api/play/games", json={"game": "nim"}, headers={"origin": origin}).status_code == 403
    with (
        pytest.raises(WebSocketDisconnect) as refused,
        web.websocket_connect(f"{SOCKET}/api/play/games/{game}/socket", headers={"origin": origin}),
    ):
        pass
    assert (refused.value.code, refused.value.reason) == (1008, "Only pages of this server may do that.")


def test_a_websocket_without_an_origin_is_refused(web: TestClient) -> None:
    with pytest.raises(WebSocketDisconnect) as refused, web.websocket_connect(f"{SOCKET}/api/analyse/socket"):
        pass
    assert "Only pages of this server" in refused.value.reason


def test_beyond_loopback_everything_needs_the_token() -> None:
    token = "a-token-nobody-guesses"
    with client(host="192.0.2.7", token=token) as web:
        base = "http://192.0.2.7:8137"
        for path in ("/", "/play", "/static/shell.js", "/api/games", "/api/openapi.json"):
            answer = web.get(base + path)
            assert answer.status_code == 401, path
            assert "token" in answer.json()["error"]
        assert web.get(f"{base}/play?token=wrong").status_code == 401
        assert web.get(f"{base}/api/games", headers={"authorization": "Bearer wrong"}).status_code == 401
        with (
            pytest.raises(WebSocketDisconnect) as refused,
            web.websocket_connect(f"{SOCKET}/api/analyse/socket", headers=ORIGIN),
        ):
            pass
        assert "token" in refused.value.reason
        let_in = web.get(f"{base}/play?token={token}", follow_redirects=False)
        assert let_in.status_code == 303
        assert let_in.headers["location"] == "/play"
        cookie = let_in.headers["set-cookie"]
        assert "HttpOnly" in cookie
        assert "SameSite=Strict" in cookie
        assert web.get(f"{base}/api/games").status_code == 200, "the browser keeps the cookie"
        web.cookies.clear()
        elsewhere = web.get(f"{base}//evil.example/?token={token}", follow_redirects=False)
        assert elsewhere.headers["location"] == "/", "no redirect to other hosts"
        web.cookies.clear()
        assert web.get(f"{base}/api/games", headers={"authorization": f"Bearer {token}"}).status_code == 200


@pytest.mark.parametrize("host", ["0.0.0.0", "192.0.2.7", "::", "example.org"])
def test_the_command_refuses_other_hosts_without_a_token(host: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert run(["web", "--no-browser", "--host", host]) == 2
    said = capfd.readouterr().err
    assert "--token" in said
    assert "other machines" in said


def test_a_weak_token_and_wrong_files_and_ports_are_refused(capfd: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    for arguments, word in (
        (["--host", "0.0.0.0", "--token", "short"], "16"),
        (["nothing.py"], "nothing.py"),
        (["/etc/passwd"], "/etc/passwd"),
        (["--port", "70000"], "70000"),
        (["--host", "203.0.113.9", "--token", "0123456789abcdef", "--port", "1"], "203.0.113.9"),
    ):
        assert run(["web", "--no-browser", "--data", str(tmp_path / "d"), *arguments]) == 2
        assert word in capfd.readouterr().err


# Sizes and rates -----------------------------------------------------------------------------------------------------


def test_large_bodies_and_messages_are_refused(web: TestClient, game: str) -> None:
    big = json.dumps({"game": "nim", "start": "x" * LARGEST_BODY})
    assert web.post("/api/play/games", content=big, headers=ORIGIN).status_code == 413

    def endless() -> Iterator[bytes]:
        for _ in range(LARGEST_BODY // 65536 + 2):
            yield b"x" * 65536

    # A body without a length is cut off while it is being read, which the framework reports as unreadable.
    assert web.post("/api/play/games", content=endless(), headers=ORIGIN).status_code in (400, 413)
    with web.websocket_connect(f"{SOCKET}/api/play/games/{game}/socket", headers=ORIGIN) as socket:
        socket.receive_json()
        socket.send_text(json.dumps({"do": "move", "text": "x" * LARGEST_MESSAGE}))
        assert socket.receive()["code"] == 1009


def test_rates_are_limited() -> None:
    with client(requests_per_second=5, messages_per_second=5) as web:
        codes = [web.get("/static/icon.svg").status_code for _ in range(30)]
        assert codes[:10] == [200] * 10
        assert codes[-1] == 429
    with (
        client(messages_per_second=5) as web,
        web.websocket_connect(f"{SOCKET}/api/analyse/socket", headers=ORIGIN) as socket,
    ):
        for _ in range(40):
            socket.send_json({"do": "stop"})
        closed = socket.receive()
        assert (closed["code"], closed["reason"]) == (1008, "too many messages")


def test_a_bucket_fills_again(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [0.0]
    monkeypatch.setattr("time.monotonic", lambda: now[0])
    bucket = Bucket(2)
    assert [bucket.take() for _ in range(7)] == [True] * 6 + [False]
    now[0] = 1.0
    assert [bucket.take() for _ in range(3)] == [True, True, False]


def test_the_number_of_sockets_is_limited() -> None:
    with (
        client(most_sockets=1) as web,
        web.websocket_connect(f"{SOCKET}/api/analyse/socket", headers=ORIGIN),
        pytest.raises(WebSocketDisconnect) as refused,
        web.websocket_connect(f"{SOCKET}/api/analyse/socket", headers=ORIGIN),
    ):
        pass
    assert refused.value.code == 1013


# Paths and names -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "path",
    [
        "/static/../app.py",
        "/static/%2e%2e/app.py",
        "/static/..%2fapp.py",
        "/static//etc/passwd",
        "/static/app.py",
        "/x",
    ],
)
def test_no_path_reaches_the_file_system(web: TestClient, path: str) -> None:
    answer = web.get(path)
    assert answer.status_code == 404
    assert "import" not in answer.text


@pytest.mark.parametrize("game", ["scrabble:words=list.txt", "scrabble:board=own", "scrabble:words=../list.txt"])
def test_a_page_names_no_list_of_words_and_no_board(web: TestClient, game: str) -> None:
    answer = web.post("/api/play/games", json={"game": game}, headers=ORIGIN)
    assert 400 <= answer.status_code < 500
    assert "which a page may not" in answer.json()["error"]


@pytest.mark.parametrize("name", ["/etc/passwd.py", "../../x.py", "conftest.py", "os", "", ":", "x" * 3000, "nim.py:1"])
def test_games_are_named_not_found_by_path(web: TestClient, name: str) -> None:
    answer = web.post("/api/play/games", json={"game": name}, headers=ORIGIN)
    assert 400 <= answer.status_code < 500
    assert answer.json()["error"].endswith((".", "?"))
    record = json.dumps({"game": name, "moves": []})
    loaded = web.post("/api/analyse/load", json={"game": "nim", "text": record}, headers=ORIGIN)
    if name:
        assert 400 <= loaded.status_code < 500
    else:  # a record that names no game is one of the page's game
        assert loaded.json()["game"] == "nim"


def test_a_user_sees_only_games_whose_link_is_known(web: TestClient, game: str) -> None:
    assert len(game) >= 20
    listing = web.get("/api/openapi.json").json()["paths"]
    assert [path for path in listing if "play/games" in path] == ["/api/play/games", "/api/play/games/{name}"]
    assert set(listing["/api/play/games"]) == {"post"}, "no request lists the games"
    assert web.get(f"/api/play/games/{game}").json()["game"] == "tictactoe"
    assert web.get(f"/api/play/games/{game[:-1]}x").status_code == 404
    with web.websocket_connect(f"{SOCKET}/api/play/games/{game[:-1]}x/socket", headers=ORIGIN) as socket:
        assert socket.receive()["code"] == 4404


# Messages ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "expected JSON"),
        ("{", "expected JSON"),
        ("[" * 10_000, "expected JSON"),
        ("[]", "expected a JSON object"),
        ("{}", "expected a text called do"),
        ('{"do": 3}', "expected a text called do"),
        ('{"do": "dance"}', "do should be one of move, undo, resign, draw, answer, rematch, hint"),
    ],
)
def test_malformed_messages_close_with_a_reason(web: TestClient, game: str, text: str, reason: str) -> None:
    with web.websocket_connect(f"{SOCKET}/api/play/games/{game}/socket", headers=ORIGIN) as socket:
        assert socket.receive_json()["type"] == "game"
        socket.send_text(text)
        closed = socket.receive()
        assert (closed["type"], closed["code"], closed["reason"]) == ("websocket.close", 1003, reason)


def test_bytes_close_with_a_reason(web: TestClient, game: str) -> None:
    with web.websocket_connect(f"{SOCKET}/api/play/games/{game}/socket", headers=ORIGIN) as socket:
        socket.receive_json()
        socket.send_bytes(b"\x00\xff")
        assert socket.receive()["code"] == 1003


@pytest.mark.parametrize(
    ("message", "words"),
    [
        ({"do": "move"}, "'text' should be"),
        ({"do": "move", "text": "a1", "ply": -1}, "'ply' should be"),
        ({"do": "move", "text": "a1", "ply": True}, "'ply' should be"),
        ({"do": "move", "text": "a1", "ply": 5}, "changed meanwhile"),
        ({"do": "move", "text": "z9", "ply": 0}, "not a legal move"),
        ({"do": "move", "text": ["a1"], "ply": 0}, "'text' should be"),
        ({"do": "undo"}, "no move to take back"),
    ],
)
def test_wrong_messages_get_a_sentence_and_change_nothing(
    web: TestClient, game: str, message: dict[str, Any], words: str
) -> None:
    with web.websocket_connect(f"{SOCKET}/api/play/games/{game}/socket", headers=ORIGIN) as socket:
        socket.receive_json()
        socket.send_json(message)
        answer = socket.receive_json()
        assert answer["type"] == "error"
        assert words in answer["error"]
        socket.send_json({"do": "move", "text": "a1", "ply": 0})
        assert socket.receive_json()["game"]["moves"] == ["a1"]


@pytest.mark.parametrize("name", ["secret.py", "..%2Fcoins.py", "%2Fetc%2Fpasswd", "tictactoe"])
def test_build_follows_no_file_that_the_command_line_does_not_name(web: TestClient, name: str) -> None:
    with (
        pytest.raises(WebSocketDisconnect) as refused,
        web.websocket_connect(f"{SOCKET}/api/build/files/{name}/socket", headers=ORIGIN) as socket,
    ):
        socket.receive_json()
    assert refused.value.code in (1000, 4404), "there is no such file, or no such address"


def test_build_is_not_for_pages_of_other_sites(web: TestClient) -> None:
    origin = {"origin": "http://evil.example"}
    with (
        pytest.raises(WebSocketDisconnect) as refused,
        web.websocket_connect(f"{SOCKET}/api/build/files/a.py/socket", headers=origin) as socket,
    ):
        socket.receive_json()
    assert refused.value.code != 4404, "it does not even learn whether there is such a file"
