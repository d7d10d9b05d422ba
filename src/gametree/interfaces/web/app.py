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

import gzip
import hashlib
import html
import importlib
import logging
import mimetypes
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, Response
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
    sign: str = ""
    """Path data of its sign, 24 × 24, in the row of pages at the foot of a phone; without one it is not in that row."""


PAGES = (
    Page(
        "play", "Play", "Choose a game, press Start, and move by click, drag or keyboard.",
        "M4 4h16v16H4zM4 12h16M12 4v16M4 4h8v8H4zM12 12h8v8h-8z",
    ),
    Page(
        "analyse", "Analyse", "Step with the arrow keys, play any move, and watch the engine think about it.",
        "M4 20V4M4 20h16M7 15l4-5 3 3 5-7",
    ),
    Page(
        "lab", "Tree lab", "Press ▶ and watch a search go through the tree, with its pseudocode beside it.",
        "M9 3h6v6H9zM6 15a3 3 0 100 6 3 3 0 000-6M18 15a3 3 0 100 6 3 3 0 000-6M11 9l-4 6M13 9l4 6",
    ),
    Page(
        "quiz", "Quiz", "Find the value of a tree and the leaves that alpha-beta skips.",
        "M12 3a9 9 0 100 18 9 9 0 000-18M9.5 9.5a2.5 2.5 0 115 0c0 2-2.5 2-2.5 4M12 17v.1",
    ),
    Page(
        "arena", "Arena", "Choose a game and players, press Start, and watch them meet.",
        "M8 4h8v6a4 4 0 01-8 0zM8 6H4c0 3 1.5 5 4 5M16 6h4c0 3-1.5 5-4 5M12 14v4M8 20h8",
    ),
    Page("build", "Build", "Write the rules of a game in a file of your own, save it, and watch its board follow."),
)  # fmt: skip
HOME = Page("home", "gametree", "A program that plays, and shows how it thinks.")

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
    modules = [importlib.import_module(f"gametree.interfaces.web.{page.name}") for page in (HOME, *PAGES)]
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

    small = {name: gzip.compress(content, mtime=0) for name, (content, _, _) in found.items()}
    small[""] = gzip.compress(shell.encode(), mtime=0)

    def answer(request: Request, name: str, content: bytes, kind: str, headers: dict[str, str]) -> Response:
        """The content, compressed where the browser takes it so."""
        headers = {**headers, "cache-control": "no-cache", "vary": "accept-encoding"}
        if "gzip" in request.headers.get("accept-encoding", ""):
            return Response(small[name], media_type=kind, headers={**headers, "content-encoding": "gzip"})
        return Response(content, media_type=kind, headers=headers)

    @app.get("/static/{name}", include_in_schema=False)
    async def static(name: str, request: Request) -> Response:
        if name not in found:
            raise HTTPException(404, "There is no such file")
        content, kind, tag = found[name]
        if request.headers.get("if-none-match") == tag:
            return Response(status_code=304, headers={"etag": tag, "cache-control": "no-cache"})
        return answer(request, name, content, kind, {"etag": tag})

    async def page(request: Request) -> Response:
        return answer(request, "", shell.encode(), "text/html", {})

    for known in PAGES:
        app.add_api_route(f"/{known.name}", page, include_in_schema=False)
        app.add_api_route(f"/{known.name}/{{rest:path}}", page, include_in_schema=False)

    app.add_api_route("/", page, include_in_schema=False)

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
    """The one document, with a link for every page, the styles of all pages and the artwork of the boards."""
    text = found.pop("index.html")[0].decode("utf-8")

    def link(page: Page, sign: str) -> str:
        about = f'href="/{page.name}" data-page="{page.name}" title="{html.escape(page.what)}"'
        return f"<a {about}>{sign}<span>{html.escape(page.title)}</span></a>"

    links = "".join(link(page, "") for page in PAGES)
    dock = "".join(link(page, _sign(page.sign)) for page in PAGES if page.sign)
    base = ("tokens.css", "shell.css")
    names = [name for name in sorted(found) if name.endswith(".css") and name not in base]
    styles = "".join(f'<link rel="stylesheet" href="/static/{name}">' for name in names)
    pieces = re.sub(r"<!--.*?-->\n?", "", found.pop("pieces.svg")[0].decode("utf-8"))
    pieces = pieces.replace(' xmlns="http://www.w3.org/2000/svg"', "")  # which a page of HTML does not need
    parts = {"links": links, "dock": dock, "styles": styles, "pieces": pieces}
    return re.sub("<!-- (links|dock|styles|pieces) -->", lambda place: parts[place[1]], text)


def _sign(path: str) -> str:
    return f'<svg class="ic" viewBox="0 0 24 24" aria-hidden="true"><path d="{path}"/></svg>'
