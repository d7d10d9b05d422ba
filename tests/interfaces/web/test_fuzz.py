"""A few hundred hostile requests and messages; tests/interfaces/web/fuzz.py runs as many as you like."""

from __future__ import annotations

import pytest
from fuzz import HOME, SOCKET, fuzz_messages, fuzz_requests, opened
from starlette.exceptions import HTTPException


def test_hostile_requests_and_messages_get_a_reason_and_leave_no_worker_stuck() -> None:
    with opened() as (client, _, log):
        statuses = fuzz_requests(client, 160)
        assert sum(statuses.values()) >= 100
        assert statuses[200] > 0
        assert statuses[422] > 0
        answers = fuzz_messages(client, 160)
        assert answers["sent"] >= 150
        assert answers["closed 1003"] > 0
        assert answers["error"] > 0
        made = client.post("/api/play/games", json={"game": "tictactoe"}, headers={"origin": HOME})
        assert made.status_code == 201, "the workers still work"
        with client.websocket_connect(
            f"{SOCKET}/api/play/games/{made.json()['id']}/socket", headers={"origin": HOME}
        ) as socket:
            assert socket.receive_json()["game"]["view"]["moves"]
        assert log.said == []


def test_the_fuzzing_notices_a_mistake_of_the_server() -> None:
    with opened() as (client, guarded, _):

        async def broken() -> None:
            raise HTTPException(500, "on purpose")

        guarded._app.add_api_route("/api/broken", broken)
        guarded._app.openapi_schema = None
        with pytest.raises(AssertionError, match="on purpose"):
            fuzz_requests(client, 4, only="/api/broken")
