"""One way to speak WebSocket: every message in either direction is a JSON object, and every mistake gets a sentence."""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from fastapi import WebSocket, WebSocketDisconnect

from gametree.core.errors import BadInput, GametreeError

__all__ = ["Peer", "serve", "text_of", "whole_number"]

_log = logging.getLogger("gametree.web")
_MOST_UNSENT = 256
"""Messages that a browser may leave unread before it is taken for gone."""


class Peer:
    """The browser at the other end. `send` never waits, so that a slow reader holds up nobody."""

    def __init__(self, socket: WebSocket) -> None:
        self.socket = socket
        self.link = ""
        """How the page came here, where links lead to seats."""
        self.boards: set[str] | None = None
        """The boards that the page keeps, by their keys; None if it wants every position whole."""
        self._unsent: asyncio.Queue[str] = asyncio.Queue(_MOST_UNSENT)
        self._cut_off = False
        self._task = asyncio.create_task(self._drain())

    def send(self, message: dict[str, Any]) -> None:
        """Send a message soon; a browser that has stopped reading is cut off."""
        try:
            self._unsent.put_nowait(json.dumps(message, allow_nan=False, separators=(",", ":")))
        except asyncio.QueueFull:
            self._cut_off = True
            self._task.cancel()

    async def _drain(self) -> None:
        try:
            while True:
                await self.socket.send_text(await self._unsent.get())
        except asyncio.CancelledError:
            if self._cut_off:
                with contextlib.suppress(Exception):
                    await self.socket.close(1013, "messages were not read")
            raise
        except Exception:  # the browser is gone; `serve` learns of it by itself
            return

    async def close(self) -> None:
        """Stop sending."""
        self._task.cancel()
        with contextlib.suppress(asyncio.CancelledError, Exception):
            await self._task


async def serve(
    socket: WebSocket,
    handlers: Mapping[str, Callable[[dict[str, Any]], Awaitable[None]]],
    peer: Peer,
) -> None:
    """Read messages until the browser leaves and hand each to the handler that its `do` names.

    A message that is no JSON object, or that names no handler, closes the socket with a reason. A GametreeError in a
    handler is sent as {"type": "error", "error": sentence, "do": ...}, and the socket stays open.
    """
    try:
        while True:
            message = await socket.receive()
            if message["type"] == "websocket.disconnect":
                return
            reason = ""
            try:
                data = json.loads(message.get("text") or "")
            except (ValueError, RecursionError):
                data, reason = None, "expected JSON"
            if not reason and not isinstance(data, dict):
                reason = "expected a JSON object"
            if not reason and not isinstance(data.get("do"), str):
                reason = "expected a text called do"
            if not reason and data["do"] not in handlers:
                reason = f"do should be one of {', '.join(handlers)}"
            if reason:
                await peer.close()
                with contextlib.suppress(RuntimeError, WebSocketDisconnect):
                    await socket.close(1003, reason)
                return
            try:
                await handlers[data["do"]](data)
            except GametreeError as error:
                peer.send({"type": "error", "error": str(error), "do": data["do"]})
            except (WebSocketDisconnect, RuntimeError):
                raise
            except Exception as error:
                _log.error("a message failed: %.200s", data["do"], exc_info=error)
                peer.send({"type": "error", "error": "The server made a mistake.", "do": data["do"]})
    except WebSocketDisconnect:
        return


def text_of(data: dict[str, Any], key: str, *, longest: int = 200, default: str | None = None) -> str:
    """The text that a message has under `key`. Raises BadInput."""
    value = data.get(key, default)
    if not isinstance(value, str) or len(value) > longest:
        raise BadInput(f"'{key}' should be a text of at most {longest} characters.")
    return value


def whole_number(data: dict[str, Any], key: str, low: int, high: int, default: int | None = None) -> int:
    """The whole number that a message has under `key`. Raises BadInput."""
    value = data.get(key, default)
    if not isinstance(value, int) or isinstance(value, bool) or not low <= value <= high:
        raise BadInput(f"'{key}' should be a whole number from {low} to {high}.")
    return value
