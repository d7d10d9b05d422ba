"""The home page: a picture of every game, taken from a random game of it."""

from __future__ import annotations

import asyncio
from typing import Annotated, Any

from fastapi import APIRouter, Request
from pydantic import Field

from gametree.interfaces.web.games import LONGEST_NAME, check_name
from gametree.interfaces.web.packing import pack
from gametree.interfaces.web.work import Work

__all__ = ["router"]

router = APIRouter(prefix="/api/home")

_TASK = "gametree.interfaces.web.home_work:pictures"
_SECONDS = 8.0
"""What playing a few moves of one game may take."""


@router.get("/pictures")
async def pictures(request: Request, game: Annotated[str, Field(max_length=LONGEST_NAME)]) -> Any:
    """A few positions of a game, one after the other, to be looked at; they are the same every time.

    They are made with low priority and without compiling anything, once for all pages.
    """
    state = request.app.state
    check_name(game, state.settings.files)
    kept: dict[str, asyncio.Task[Any]] = state.__dict__.setdefault("home_pictures", {})
    known = kept.get(game)
    if known is None or (known.done() and (known.cancelled() or known.exception() is not None)):
        known = kept[game] = asyncio.create_task(_make(state.work, game))
    return await asyncio.shield(known)


async def _make(work: Work, game: str) -> Any:
    found: dict[str, Any] = await work.run(_TASK, {"game": game}, lane="engine", client="home", seconds=_SECONDS)
    boards: set[str] = set()
    packed = []
    for view in found["views"]:
        small, key = pack(view, boards)
        boards.add(key)
        packed.append(small)
    return {**found, "views": packed}
