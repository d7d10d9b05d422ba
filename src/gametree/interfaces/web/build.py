"""The page Build: files of the user's own, named on the command line, are followed while they are edited.

A socket follows one file. Each time that it was saved a process of its own reads it (`build_work`), and the worker
processes that had loaded it are let go, so that every page plays by the new rules. Requests name files that the command
line has named, and bring no code.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

from fastapi import APIRouter, Request, WebSocket

from gametree.core.files import read_text
from gametree.interfaces.web.settings import Settings
from gametree.interfaces.web.sockets import Peer, serve
from gametree.interfaces.web.work import Work

__all__ = ["router"]

router = APIRouter(prefix="/api/build")

_TEMPLATE = Path(__file__).parent.parent / "cli" / "template.py.txt"
_WAIT = 0.4
"""Seconds between two looks at a file."""
_SECONDS = 60.0
"""What the process may take."""
_LINE = 32 << 20
"""Longest line that it may say."""


@router.get("/files")
async def files(request: Request) -> dict[str, Any]:
    """The files that are followed, and how a new one begins."""
    settings: Settings = request.app.state.settings
    text = read_text(_TEMPLATE).replace("CLASS_NAME", "MyGame").replace("GAME_NAME", "mygame")
    return {"files": sorted(settings.files), "template": text}


@router.websocket("/files/{name}/socket")
async def follow(socket: WebSocket, name: str) -> None:
    """Tell about a file now, and again each time that it is saved."""
    await socket.accept()
    settings: Settings = socket.app.state.settings
    path = settings.files.get(name)
    if path is None:
        await socket.close(4404, "There is no such file on the command line.")
        return
    peer = Peer(socket)
    following = asyncio.create_task(_follow(peer, Path(path), name, settings, socket.app.state.work))
    try:
        await serve(socket, {}, peer)
    finally:
        following.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await following
        await peer.close()


async def _follow(peer: Peer, path: Path, name: str, settings: Settings, work: Work) -> None:
    seen: tuple[float, int] | None = None
    first = True
    while True:
        now = _stamp(path)
        if now != seen:
            seen = now
            if not first:
                work.renew()
            first = False
            if now is None:
                peer.send(
                    {"type": "problem", "problem": {"text": f"The file {name} is gone.", "line": None, "lines": []}}
                )
            else:
                peer.send({"type": "reading", "saved": now[0]})
                await _tell(peer, path, settings, now)
        await asyncio.sleep(_WAIT)


async def _tell(peer: Peer, path: Path, settings: Settings, stamp: tuple[float, int]) -> None:
    """Pass on what the process says; it is ended when the file is saved again, or when it takes too long."""
    async with _process(path, settings) as process:
        assert process.stdout is not None
        deadline = asyncio.get_running_loop().time() + _SECONDS
        line = asyncio.ensure_future(process.stdout.readline())
        while True:
            done, _ = await asyncio.wait({line}, timeout=_WAIT)
            if not done:
                if _stamp(path) != stamp:
                    line.cancel()
                    return
                if asyncio.get_running_loop().time() > deadline:
                    line.cancel()
                    text = f"Loading and checking the game took longer than {_SECONDS:g} s and was stopped."
                    peer.send({"type": "problem", "problem": {"text": text, "line": None, "lines": []}})
                    return
                continue
            said = line.result()
            if not said:
                peer.send({"type": "done"})
                return
            for kind, data in json.loads(said).items():
                peer.send({"type": kind, kind: data})
            line = asyncio.ensure_future(process.stdout.readline())


@contextlib.asynccontextmanager
async def _process(path: Path, settings: Settings) -> AsyncIterator[asyncio.subprocess.Process]:
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "gametree.interfaces.web.build_work", str(path), str(settings.memory_mib),
        stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.PIPE, limit=_LINE,
    )  # fmt: skip
    try:
        yield process
    finally:
        if process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                process.kill()
        await process.wait()


def _stamp(path: Path) -> tuple[float, int] | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_mtime, found.st_size
