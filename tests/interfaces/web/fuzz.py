"""Hostile requests and messages, as many as asked for: none may get an answer of 500, a traceback or a stuck worker.

The tests run a few hundred of each; `python tests/interfaces/web/fuzz.py 10000` runs as many as that.
"""

from __future__ import annotations

import dataclasses
import json
import logging
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from starlette.testclient import TestClient

from gametree.interfaces.web.app import make_app
from gametree.interfaces.web.settings import Settings

HOME, SOCKET = "http://127.0.0.1:8137", "ws://127.0.0.1:8137"
OPEN = Settings(requests_per_second=1e9, messages_per_second=1e9, engines=1)

# What an attacker would try in any text.
NASTY = st.sampled_from(
    [
        "", " ", "\x00", "\ud800", "../../../../etc/passwd", "/etc/passwd.py", "tree:((1 2) (3 4))", "nim:9999999999",
        "nim:1-2-3", "go:size=99", "go:size=-1", "othello:size=4", "tictactoe", "kuhn", "goofspiel", "pig", "harvest",
        "tree:branching=9,depth=9", "alphabeta", "engine", "minimax", "best", "a1", "pass", "roll", "e4", "1" * 400,
        "[" * 500, "'; DROP TABLE game; --", "NaN", "1e999", "{}", "null", "__class__", "${7*7}", "<script>", "\u202e",
        "💥" * 50, "(;SZ[9];B[aa])", "(;", '[Event "x"]\n1. e4', '{"moves": ["a1"], "game": "tictactoe"}',
        '{"moves": 3}',
    ]
)  # fmt: skip
NUMBERS = st.one_of(st.integers(), st.integers(-3, 12), st.floats(allow_nan=False, allow_infinity=False), st.booleans())
TEXT = st.one_of(NASTY, st.text(max_size=30))
JSON = st.recursive(
    st.one_of(st.none(), NUMBERS, TEXT),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXT, inner, max_size=4),
    max_leaves=8,
)
SMALL_GAME = st.sampled_from(["tictactoe", "nim:1-2", "pig", "kuhn", "harvest"])
OPTIONAL = {
    "game": st.one_of(SMALL_GAME, JSON), "start": st.one_of(st.none(), JSON), "moves": st.one_of(st.lists(TEXT), JSON),
    "move": st.one_of(st.sampled_from(["a1", "roll"]), JSON), "text": st.one_of(st.sampled_from(["a1", "b2"]), JSON),
    "ply": st.one_of(st.integers(0, 3), JSON), "lines": st.one_of(st.integers(1, 3), JSON), "algorithm": JSON,
    "token": JSON, "milliseconds": st.one_of(st.just(20), JSON), "what": JSON,
}  # fmt: skip
SOURCES = st.one_of(
    JSON,
    st.fixed_dictionaries({"kind": st.sampled_from(["tree", "random", "example", "game", "x"])}, optional=OPTIONAL),
    st.just({"kind": "tree", "text": "((3 12 8) (2 4 6))"}),
)
LAB = {
    "source": SOURCES, "depth": st.one_of(st.none(), st.integers(0, 3), JSON), "nodes": st.one_of(st.just(100), JSON),
    "row": st.one_of(st.integers(0, 9), JSON), "start": JSON, "count": JSON, "sort": JSON,
    "algorithm": st.one_of(st.just("alphabeta"), JSON),
}  # fmt: skip
ARENA = {
    **OPTIONAL, "players": st.one_of(st.lists(TEXT, max_size=3), JSON), "games": st.one_of(st.just(1), JSON),
    "clock": JSON, "kind": JSON, "key": JSON, "processes": JSON,
}  # fmt: skip


def frames(*words: str, beside: dict[str, Any] = OPTIONAL) -> Any:
    """Three messages that do one of these, with anything beside it, and one that need not be a message at all."""
    wild = st.one_of(JSON.map(json.dumps), st.text(max_size=60), st.binary(max_size=60))
    right = st.fixed_dictionaries({"do": st.sampled_from(words)}, optional=beside).map(json.dumps)
    return st.tuples(right, right, right, st.one_of(right, wild))


# A socket and what is sent to it; that of a game is made first.
TALKS = st.one_of(
    st.tuples(SMALL_GAME, frames("move", "undo", "resign", "rematch", "hint")),
    st.tuples(st.just("/api/analyse/socket"), frames("analyse", "review", "why", "stop")),
    st.tuples(st.just("/api/lab/branches"), frames("grow", "open", beside=LAB)),
    st.tuples(st.just("/api/arena/live"), frames("start", "resume", "stop", beside=ARENA)),
)


class Log(logging.Handler):
    """What the server says about its own mistakes."""

    def __init__(self) -> None:
        super().__init__()
        self.said: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.said.append(self.format(record))


@contextmanager
def opened() -> Iterator[tuple[TestClient, Any, Log]]:
    """The application, and what it logs."""
    log = Log()
    logging.getLogger("gametree.web").addHandler(log)
    guarded = make_app(dataclasses.replace(OPEN))
    try:
        with TestClient(guarded, base_url=HOME, raise_server_exceptions=False) as client:  # type: ignore[arg-type]
            yield client, guarded, log
    finally:
        logging.getLogger("gametree.web").removeHandler(log)


def _settings(cases: int) -> Any:
    return settings(
        max_examples=cases,
        deadline=None,
        database=None,
        derandomize=True,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )


def _pointed(schema: dict[str, Any]) -> dict[str, Any]:
    """The schema with values that lead further than random text would."""
    known = {
        "game": ["tictactoe", "nim:1-2", "nim:9999999999", "tree:((1 2) (3 4))", "kuhn", "go:size=2", "../x.py"],
        "text": [
            "a1 b2",
            "(;SZ[5];B[aa];W[zz])",
            "(;",
            '[Event "x"]\n\n1. a1',
            '{"moves": ["a1"]}',
            '{"moves": 3}',
            "\x00",
        ],
        "start": [None, "XO./.X./..O", "garbage"],
    }
    for part in schema["components"]["schemas"].values():
        for name, values in known.items():
            if name in part.get("properties", {}):
                part["properties"][name] = {"anyOf": [{"enum": values}, part["properties"][name]]}
    return schema


def fuzz_requests(client: TestClient, cases: int, *, only: str = "/") -> Counter[int]:
    """Requests made from the OpenAPI schema, right and wrong ones; returns how often each status came.

    Operations share the cases; what those leave over to which little can be said goes to the others.
    `only` leaves out operations whose path does not begin so.
    Raises AssertionError for an answer of 500 or more, or one without a sentence.
    """
    schema = schemathesis.openapi.from_dict(_pointed(client.get("/api/openapi.json").json()))
    statuses: Counter[int] = Counter()
    operations = [operation.ok() for operation in schema.get_all_operations()]
    operations = [operation for operation in operations if operation.path.startswith(only)]
    operations.sort(key=lambda operation: (len(operation.body), operation.path.count("{")))
    modes = [schemathesis.GenerationMode.POSITIVE, schemathesis.GenerationMode.NEGATIVE]
    rounds = [(operation, mode) for operation in operations for mode in modes]
    for place, (operation, mode) in enumerate(rounds):
        strategy = operation.as_strategy(generation_mode=mode)
        share = (cases - sum(statuses.values())) // (len(rounds) - place)

        @_settings(max(1, share))
        @given(strategy)
        def one(case: Any) -> None:
            kwargs = case.as_transport_kwargs(base_url=HOME)
            kwargs.pop("cookies", None)
            headers = {str(key): str(value) for key, value in dict(kwargs.pop("headers", None) or {}).items()}
            headers = {key: value for key, value in headers.items() if value.isascii() and value.isprintable()}
            headers |= {"host": "127.0.0.1:8137", "origin": HOME}
            if "data" in kwargs:
                kwargs["content"] = kwargs.pop("data")
            answer = client.request(headers=headers, follow_redirects=False, **kwargs)
            statuses[answer.status_code] += 1
            assert answer.status_code < 500, (kwargs, answer.text)
            if answer.status_code >= 400:
                assert answer.json()["error"], kwargs

        try:
            one()
        except Exception as error:
            if type(error).__name__ in ("Unsatisfiable", "SkipTest", "Skipped"):
                continue  # nothing wrong can be said to an operation without parameters
            raise
    return statuses


def fuzz_messages(client: TestClient, cases: int) -> Counter[str]:
    """Messages to all kinds of sockets, a few on each; returns how often each kind of answer came.

    Raises AssertionError if a socket neither answers nor closes with a reason, or if the server calls it its mistake.
    """
    answers: Counter[str] = Counter()
    home = {"origin": HOME}

    @_settings(max(1, cases // 4))
    @given(TALKS)
    def one(what: tuple[str, tuple[str | bytes, ...]]) -> None:
        path, frames = what
        if not path.startswith("/"):
            made = client.post("/api/play/games", json={"game": path}, headers=home)
            assert made.status_code == 201, made.text
            path = f"/api/play/games/{made.json()['id']}/socket"
        with client.websocket_connect(SOCKET + path, headers=dict(home)) as socket:
            for frame in frames:
                answers["sent"] += 1
                if isinstance(frame, bytes):
                    socket.send_bytes(frame)
                else:
                    socket.send_text(frame)
            # A message that is certainly wrong: whatever came before, the socket must still close with a reason.
            socket.send_text("the end")
            while (answer := socket.receive())["type"] == "websocket.send":
                said = json.loads(answer["text"])
                answers[said["type"]] += 1
                assert "mistake" not in said.get("error", ""), (frames, said)
            assert answer["code"] in (1003, 1008, 1009), (frames, answer)
            assert answer["reason"], frames
            answers[f"closed {answer['code']}"] += 1

    one()
    return answers


def main() -> None:
    """Run as many cases as the command line says, and show what came of them."""
    cases = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
    with opened() as (client, _, log):
        print("requests:", dict(sorted(fuzz_requests(client, cases).items())))
        print("messages:", dict(sorted(fuzz_messages(client, cases).items())))
        game = client.post("/api/play/games", json={"game": "tictactoe"}, headers={"origin": HOME})
        assert game.status_code == 201, "the workers are stuck"
        assert not log.said, log.said
    print("no mistake of the server")


if __name__ == "__main__":
    main()
