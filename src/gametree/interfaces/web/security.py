"""Who may speak to the server, how much and how often; and what a page may load.

The server listens on loopback, but pages of other sites run in the same browser. So a request must name this server as
its host (an outside name that points to 127.0.0.1 does not), and a WebSocket or a change must come from a page of this
server. Beyond loopback everything needs the token. The pages run scripts and styles from their own files only.
"""

from __future__ import annotations

import hmac
import json
import math
import re
import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable, MutableMapping
from http.cookies import CookieError, SimpleCookie
from typing import Any
from urllib.parse import parse_qs, urlsplit

from gametree.interfaces.web.settings import LOOPBACK, Settings

__all__ = ["LARGEST_BODY", "LARGEST_MESSAGE", "Bucket", "Guard"]

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
Application = Callable[[Scope, Receive, Send], Awaitable[None]]

LARGEST_BODY = 2 << 20
"""Bytes of a request; a file of games is the largest thing that anyone sends."""
LARGEST_MESSAGE = 64 << 10
"""Bytes of a WebSocket message."""
COOKIE = "gametree_token"

_HEADERS = [
    (
        b"content-security-policy",
        b"default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; "
        b"manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    ),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
]
_SAFE = ("GET", "HEAD", "OPTIONS")


class Bucket:
    """Allows so many events per second in the long run, and three seconds' worth at once."""

    def __init__(self, per_second: float) -> None:
        self._rate = per_second
        self._most = 3 * per_second
        self._left = self._most
        self._last = time.monotonic()

    def take(self) -> bool:
        """Whether one more event is allowed now."""
        now = time.monotonic()
        self._left = min(self._most, self._left + (now - self._last) * self._rate)
        self._last = now
        if self._left < 1:
            return False
        self._left -= 1
        return True


class _Refused(Exception):
    """A request that gets no further."""

    def __init__(self, status: int, sentence: str) -> None:
        super().__init__(sentence)
        self.status = status
        self.sentence = sentence


class Guard:
    """ASGI middleware around the whole application."""

    def __init__(self, app: Application, settings: Settings) -> None:
        self._app = app
        self._settings = settings
        self._buckets: OrderedDict[str, Bucket] = OrderedDict()
        self._sockets = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Refuse, or pass on."""
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        headers = {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in scope["headers"]}
        try:
            self._check_rate(scope)
            self._check_host(headers)
            if self._settings.token and not self._knows_token(headers):
                if await self._let_in(scope, send):
                    return
                raise _Refused(401, "This server needs a token: open the address that it printed when it was started.")
            self._check_origin(scope, headers)
            if scope["type"] == "http":
                await self._http(scope, receive, send, headers)
            else:
                await self._websocket(scope, receive, send)
        except _Refused as refused:
            await _refuse(scope, receive, send, refused)

    # Whether ----------------------------------------------------------------------------------------------------------

    def _check_rate(self, scope: Scope) -> None:
        address = (scope.get("client") or ("", 0))[0]
        bucket = self._buckets.get(address)
        if bucket is None:
            bucket = self._buckets[address] = Bucket(self._settings.requests_per_second)
            while len(self._buckets) > 10_000:
                self._buckets.popitem(last=False)
        self._buckets.move_to_end(address)
        if not bucket.take():
            raise _Refused(429, "Too many requests; wait a moment.")

    def _check_host(self, headers: dict[str, str]) -> None:
        settings = self._settings
        name = _host_name(headers.get("host", ""))
        if name in LOOPBACK or name == settings.host.lower():
            return
        if settings.token and settings.host in ("0.0.0.0", "::"):
            return  # any of the machine's names may be meant; without the cookie the caller gets nothing anyway
        raise _Refused(421, "This server goes by another name; use the address that it printed.")

    def _knows_token(self, headers: dict[str, str]) -> bool:
        given = headers.get("authorization", "").removeprefix("Bearer ")
        try:
            cookies = SimpleCookie(headers.get("cookie", ""))
        except CookieError:
            cookies = SimpleCookie()
        if COOKIE in cookies:
            given = cookies[COOKIE].value
        return hmac.compare_digest(given.encode(), self._settings.token.encode())

    async def _let_in(self, scope: Scope, send: Send) -> bool:
        """Turn the token of the address into a cookie, so that it does not stay in the address bar."""
        if scope["type"] != "http" or scope["method"] != "GET":
            return False
        given = parse_qs(scope["query_string"].decode("latin-1")).get("token", [""])[0]
        if not hmac.compare_digest(given.encode(), self._settings.token.encode()):
            return False
        cookie = f"{COOKIE}={self._settings.token}; HttpOnly; SameSite=Strict; Path=/; Max-Age=31536000"
        plain = re.fullmatch(r"(/[\w-]+)*/?", scope["path"], re.ASCII)  # nothing that a browser takes for a host
        location = scope["path"].encode("ascii") if plain else b"/"
        headers = [(b"location", location), (b"set-cookie", cookie.encode()), (b"content-length", b"0"), *_HEADERS]
        await send({"type": "http.response.start", "status": 303, "headers": headers})
        await send({"type": "http.response.body", "body": b""})
        return True

    def _check_origin(self, scope: Scope, headers: dict[str, str]) -> None:
        origin = headers.get("origin")
        if scope["type"] == "http" and (scope["method"] in _SAFE or origin is None):
            return  # programs send no origin, browsers always do with a change
        parts = urlsplit(origin or "")
        if (
            origin is None
            or parts.scheme not in ("http", "https")
            or parts.netloc.lower() != headers.get("host", "").lower()
        ):
            raise _Refused(403, "Only pages of this server may do that.")

    # How much ---------------------------------------------------------------------------------------------------------

    async def _http(self, scope: Scope, receive: Receive, send: Send, headers: dict[str, str]) -> None:
        length = headers.get("content-length", "0")
        if not length.isdecimal() or int(length) > LARGEST_BODY:
            raise _Refused(413, f"This is too large; expected at most {LARGEST_BODY} bytes.")
        seen = 0

        async def counted() -> MutableMapping[str, Any]:
            nonlocal seen
            message = await receive()
            seen += len(message.get("body", b""))
            if seen > LARGEST_BODY:
                raise _Refused(413, f"This is too large; expected at most {LARGEST_BODY} bytes.")
            return message

        async def dressed(message: MutableMapping[str, Any]) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message.get("headers", []), *_HEADERS]
                if scope["path"].startswith("/api/"):
                    message["headers"].append((b"cache-control", b"no-store"))
            await send(message)

        await self._app(scope, counted, dressed)

    async def _websocket(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass messages on while they are small and not too many; close with a reason otherwise."""
        if self._sockets >= self._settings.most_sockets:
            raise _Refused(503, "Too many pages are open; close some.")
        bucket = Bucket(self._settings.messages_per_second)
        closed = ""

        async def limited() -> MutableMapping[str, Any]:
            nonlocal closed
            message = await receive()
            if message["type"] != "websocket.receive":
                return message
            content = message.get("text")
            size = len(message.get("bytes") or b"") if content is None else len(content.encode("utf-8", "replace"))
            code = 0
            if size > LARGEST_MESSAGE:
                code, closed = 1009, f"a message of more than {LARGEST_MESSAGE} bytes"
            elif not bucket.take():
                code, closed = 1008, "too many messages"
            if not closed:
                return message
            await send({"type": "websocket.close", "code": code, "reason": closed})
            return {"type": "websocket.disconnect", "code": code, "reason": closed}

        async def unless_closed(message: MutableMapping[str, Any]) -> None:
            if not closed:
                await send(message)

        self._sockets += 1
        try:
            await self._app(scope, limited, unless_closed)
        finally:
            self._sockets -= 1


def _host_name(host: str) -> str:
    """The name without the port."""
    host = host.lower()
    if host.startswith("["):
        return host.partition("]")[0] + "]"
    return host.partition(":")[0]


async def _refuse(scope: Scope, receive: Receive, send: Send, refused: _Refused) -> None:
    if scope["type"] == "websocket":
        await receive()  # the opening handshake
        code = 1013 if math.floor(refused.status / 100) == 5 else 1008
        await send({"type": "websocket.close", "code": code, "reason": refused.sentence})
        return
    body = json.dumps({"error": refused.sentence}).encode()
    headers = [
        (b"content-type", b"application/json"),
        (b"content-length", str(len(body)).encode()),
        (b"connection", b"close"),  # the rest of what is being sent is not read
        *_HEADERS,
    ]
    if refused.status == 429:
        headers.append((b"retry-after", b"1"))
    await send({"type": "http.response.start", "status": refused.status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
