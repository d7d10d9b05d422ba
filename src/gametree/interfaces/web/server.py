"""Starts the server: finds a port, says where it is, opens the browser, and ends well."""

from __future__ import annotations

import asyncio
import dataclasses
import socket
import sys
import threading
import webbrowser

import uvicorn

from gametree.core.errors import BadInput
from gametree.interfaces.web.app import make_app
from gametree.interfaces.web.security import LARGEST_MESSAGE
from gametree.interfaces.web.settings import Settings

__all__ = ["run_server"]

_TRIES = 20
"""Ports that are tried, from the usual one on, where none was asked for."""


def run_server(settings: Settings, *, port: int | None, browser: bool) -> None:
    """Serve until Ctrl-C. Raises BadInput if the address cannot be used."""
    listener = _listen(settings.host, settings.port, port)
    settings = dataclasses.replace(settings, port=listener.getsockname()[1])
    address = _address(settings)
    config = uvicorn.Config(
        make_app(settings),
        log_level="warning",
        server_header=False,
        date_header=False,
        ws="websockets-sansio",
        ws_max_size=2 * LARGEST_MESSAGE,  # what is a little too large is refused with a sentence
        ws_max_queue=32,
        timeout_graceful_shutdown=2,
        lifespan="on",
    )
    server = uvicorn.Server(config)
    print(f"The workbench is at {address}\nPress Ctrl-C to stop it.", file=sys.stderr, flush=True)
    if browser:
        threading.Timer(0.4, webbrowser.open, [address]).start()
    asyncio.run(server.serve(sockets=[listener]))


def _listen(host: str, usual: int, wanted: int | None) -> socket.socket:
    """An open socket: on the port asked for, else on the first free one from the usual one on."""
    ports = range(usual, usual + _TRIES) if wanted is None else [wanted]
    problem = ""
    for port in ports:
        try:
            family, _, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
            return socket.create_server(address[:2], family=family, backlog=2048)
        except (OSError, OverflowError) as error:
            problem = getattr(error, "strerror", None) or str(error)
    shown = f"{host}:{ports[0]}"
    raise BadInput(f"The server cannot listen at {shown} ({problem}); give another --port or --host.")


def _address(settings: Settings) -> str:
    host = {"0.0.0.0": "127.0.0.1", "::": "[::1]"}.get(settings.host, settings.host)
    if ":" in host and not host.startswith("["):
        host = f"[{host}]"
    return f"http://{host}:{settings.port}/" + (f"?token={settings.token}" if settings.token else "")
