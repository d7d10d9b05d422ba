"""The application: pages, their interfaces, static files, and one sentence for whatever goes wrong.

How to add a page called `lab`
------------------------------
1. `interfaces/web/lab.py` holds `router = APIRouter(prefix="/api/lab")` with its HTTP and WebSocket routes. A route
   gets the worker processes as `request.app.state.work` (`websocket.app.state.work`): everything that runs a game's
   or a search's code goes through `await work.run("gametree.interfaces.web.lab_tasks:name", {...}, lane="engine",
   seconds=10, client=...)`, where `lab_tasks.py` has `def name(job, **arguments)` that returns JSON-ready data, looks
   at `job.clock` and may call `job.report(...)`. Load games there with `games.open_game(text)`: it accepts no paths.
   A GametreeError raised anywhere becomes a 400 with its sentence. Speak WebSocket through `sockets.serve`.
2. `static/lab.js` exports `async function mount(main, route, shell)`; it fills the element `main` and may return a
   function that is called when the page is left. `route.path` is the list of path parts behind /lab, `route.query` a
   URLSearchParams; `shell.say(text)` speaks to screen readers, `shell.go(url)` changes the page. `static/lab.css`, if
   there is one, is loaded with it. Use `api.js` (requests, sockets), `board.js` (boards), `dom.js` (elements). Inline
   scripts, inline styles and `style=` in markup are forbidden by the policy of the pages; classes and SVG attributes
   are fine.
3. Add a line to PAGES below: name, title in the navigation, and what one does there, in a line.
"""

from __future__ import annotations

import hashlib
import html
import importlib
import logging
import mimetypes
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, RedirectResponse, Response
from starlette.exceptions import HTTPException

from gametree import __version__
from gametree.core.errors import GametreeError
from gametree.interfaces.web.compiling import Compiling
from gametree.interfaces.web.games import catalogue
from gametree.interfaces.web.security import Guard
from gametree.interfaces.web.settings import Settings
from gametree.interfaces.web.work import Busy, Work

__all__ = ["PAGES", "Page", "make_app"]


@dataclass(frozen=True)
class Page:
    """A page of the workbench."""

    name: str
    title: str
    what: str
    """What one does there, in a line."""


PAGES = (
    Page("play", "Play", "Choose a game, press Start, and move by click, drag or keyboard."),
    Page("analyse", "Analyse", "Step with the arrow keys, play any move, and watch the engine think about it."),
    Page("lab", "Tree lab", "Press ▶ and watch a search go through the tree, with its pseudocode beside it."),
    Page("quiz", "Quiz", "Find the value of a tree and the leaves that alpha-beta skips."),
    Page("arena", "Arena", "Choose a game and players, press Start, and watch them meet."),
)

_log = logging.getLogger("gametree.web")


def make_app(settings: Settings) -> Guard:
    """The whole application behind its guard; `.app` is the FastAPI application inside."""

    @asynccontextmanager
    async def life(app: FastAPI) -> AsyncIterator[None]:
        app.state.work = Work(settings.files, engines=settings.engines, memory_mib=settings.memory_mib)
        app.state.work.compiling = app.state.compiling = Compiling(settings.files)
        app.state.work.start()
        try:
            for page in modules:
                if hasattr(page, "open_page"):
                    await page.open_page(app)
            yield
        finally:
            for page in modules:
                if hasattr(page, "close_page"):
                    await page.close_page(app)
            app.state.compiling.stop()
            await app.state.work.stop()

    app = FastAPI(
        title="gametree", version=__version__, lifespan=life, docs_url=None, redoc_url=None,
        openapi_url="/api/openapi.json", redirect_slashes=False,
    )  # fmt: skip
    app.state.settings = settings
    modules = [importlib.import_module(f"gametree.interfaces.web.{page.name}") for page in PAGES]
    for module in modules:
        app.include_router(module.router)
    _add_errors(app)
    _add_files(app)
    games = catalogue(settings.files)

    @app.get("/api/games")
    async def list_games() -> list[dict[str, str]]:
        """Every game that can be played."""
        return games

    @app.get("/api/compiling")
    async def list_compiling() -> list[dict[str, Any]]:
        """The games whose code is compiled just now: the share that is done, and the seconds left."""
        news: list[dict[str, Any]] = app.state.compiling.news()
        return news

    @app.get("/api/programs")
    async def list_programs() -> list[str]:
        """Names of the other programs that may play here."""
        return list(settings.programs)

    return Guard(app, settings)


def _add_errors(app: FastAPI) -> None:
    """Every error is {"error": "one sentence"} with a fitting status."""

    def say(status: int, sentence: str) -> JSONResponse:
        return JSONResponse({"error": sentence}, status)

    @app.exception_handler(GametreeError)
    async def mistaken(request: Request, error: Exception) -> Response:
        return say(429 if isinstance(error, Busy) else 400, str(error))

    @app.exception_handler(RequestValidationError)
    async def malformed(request: Request, error: Exception) -> Response:
        assert isinstance(error, RequestValidationError)
        first: dict[str, Any] = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"][1:]) or "the request"
        return say(422, f"{where}: {first['msg']}.")

    @app.exception_handler(HTTPException)
    async def refused(request: Request, error: Exception) -> Response:
        assert isinstance(error, HTTPException)
        answer = say(error.status_code, f"{error.detail}.".replace("..", "."))
        answer.headers.update(error.headers or {})
        return answer

    @app.exception_handler(Exception)
    async def failed(request: Request, error: Exception) -> Response:
        _log.error("%s %s failed", request.method, request.url.path, exc_info=error)
        return say(500, "The server made a mistake; the terminal that it runs in says more.")


def _add_files(app: FastAPI) -> None:
    """Static files and the shell. All are read now: no path of a request ever reaches the file system."""
    found: dict[str, tuple[bytes, str, str]] = {}
    for file in files("gametree.interfaces.web").joinpath("static").iterdir():
        if file.is_file():
            content = file.read_bytes()
            kind = "text/javascript" if file.name.endswith(".js") else mimetypes.guess_type(file.name)[0]
            found[file.name] = (content, kind or "application/octet-stream", _digest(content))
    shell = _shell(found)

    @app.get("/static/{name}", include_in_schema=False)
    async def static(name: str, request: Request) -> Response:
        if name not in found:
            raise HTTPException(404, "There is no such file")
        content, kind, tag = found[name]
        headers = {"etag": tag, "cache-control": "no-cache"}
        if request.headers.get("if-none-match") == tag:
            return Response(status_code=304, headers=headers)
        return Response(content, media_type=kind, headers=headers)

    async def page() -> Response:
        return Response(shell, media_type="text/html", headers={"cache-control": "no-cache"})

    for known in PAGES:
        app.add_api_route(f"/{known.name}", page, include_in_schema=False)
        app.add_api_route(f"/{known.name}/{{rest:path}}", page, include_in_schema=False)

    @app.get("/", include_in_schema=False)
    async def home() -> Response:
        return RedirectResponse(f"/{PAGES[0].name}")

    @app.get("/favicon.ico", include_in_schema=False)
    async def icon() -> Response:
        return await static_icon(found)


async def static_icon(found: dict[str, tuple[bytes, str, str]]) -> Response:
    """The icon where browsers look for it."""
    content, kind, tag = found["icon.svg"]
    return Response(content, media_type=kind, headers={"etag": tag})


def _digest(content: bytes) -> str:
    return f'"{hashlib.sha256(content).hexdigest()[:16]}"'


def _shell(found: dict[str, tuple[bytes, str, str]]) -> str:
    """The one document, with a link for every page and the styles of all pages."""
    text = found.pop("index.html")[0].decode("utf-8")
    links = "".join(
        f'<a href="/{page.name}" data-page="{page.name}" title="{html.escape(page.what)}">{html.escape(page.title)}</a>'
        for page in PAGES
    )
    names = [name for name in sorted(found) if name.endswith(".css") and name != "shell.css"]
    styles = "".join(f'<link rel="stylesheet" href="/static/{name}">' for name in names)
    return text.replace("<!-- links -->", links).replace("<!-- styles -->", styles)
