"""The games that are played in the browser, in one SQLite file: whatever was played is still there after a restart."""

from __future__ import annotations

import asyncio
import json
import sqlite3
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from gametree.core.errors import BadInput

__all__ = ["GameStore"]

APPLICATION = 0x67747762  # "gtwb": tells our files from other SQLite files
VERSION = 1
_LINKS = "SELECT link, seats FROM link WHERE name = ?"


class GameStore:
    """Games by their unguessable names. Raises BadInput, in one sentence, if the file is not one of ours.

    All access goes through one thread, so that a slow disk never holds up the event loop.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = str(path)
        self._thread = ThreadPoolExecutor(1, "gametree-web-store")
        try:
            self._base: sqlite3.Connection = self._thread.submit(self._open).result()
        except sqlite3.Error as error:
            self._thread.shutdown()
            raise BadInput(f"'{path}' cannot be used for games: {error}; give another --data.") from None
        except BadInput:
            self._thread.shutdown()
            raise

    def _open(self) -> sqlite3.Connection:
        base = sqlite3.connect(self.path, timeout=10.0, isolation_level=None)
        try:
            tables = base.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
            (application,) = base.execute("PRAGMA application_id").fetchone()
            (version,) = base.execute("PRAGMA user_version").fetchone()
            if tables and (application, version) != (APPLICATION, VERSION):
                raise BadInput(f"'{self.path}' is not a file of games of the workbench; give another --data.")
            base.execute("PRAGMA journal_mode = WAL")
            base.execute("PRAGMA synchronous = NORMAL")
            base.execute(
                "CREATE TABLE IF NOT EXISTS game (name TEXT PRIMARY KEY, data TEXT NOT NULL, changed REAL NOT NULL) "
                "WITHOUT ROWID"
            )
            base.execute("CREATE INDEX IF NOT EXISTS latest ON game (changed)")
            base.execute(
                "CREATE TABLE IF NOT EXISTS link (link TEXT PRIMARY KEY, name TEXT NOT NULL, seats TEXT NOT NULL) "
                "WITHOUT ROWID"
            )
            base.execute("CREATE INDEX IF NOT EXISTS links_of ON link (name)")
            base.execute(f"PRAGMA application_id = {APPLICATION}")
            base.execute(f"PRAGMA user_version = {VERSION}")
        except BaseException:
            base.close()
            raise
        return base

    async def save(self, name: str, data: dict[str, Any]) -> None:
        """Keep the game; the latest version replaces earlier ones."""
        text = json.dumps(data)
        await self._run("INSERT OR REPLACE INTO game VALUES (?, ?, ?)", (name, text, time.time()))

    async def load(self, name: str) -> dict[str, Any] | None:
        """The game of this name, if there is one."""
        rows = await self._run("SELECT data FROM game WHERE name = ?", (name,))
        return json.loads(rows[0][0]) if rows else None

    async def add_links(self, name: str, links: dict[str, list[int]]) -> None:
        """Let these links lead to seats of the game."""
        for link, seats in links.items():
            await self._run("INSERT INTO link VALUES (?, ?, ?)", (link, name, json.dumps(seats)))

    async def find(self, link: str) -> tuple[str, list[int]] | None:
        """The name of the game that the link leads to, and the seats there."""
        rows = await self._run("SELECT name, seats FROM link WHERE link = ?", (link,))
        return (rows[0][0], json.loads(rows[0][1])) if rows else None

    async def links(self, name: str) -> dict[str, list[int]]:
        """All links to the game with their seats."""
        return {link: json.loads(seats) for link, seats in await self._run(_LINKS, (name,))}

    async def delete(self, name: str) -> bool:
        """Forget the game of this name and all links to it; whether there was one."""
        await self._run("DELETE FROM link WHERE name = ?", (name,))
        return bool(await self._run("DELETE FROM game WHERE name = ? RETURNING name", (name,)))

    async def trim(self, most: int) -> None:
        """Forget all but the latest games."""
        old = "SELECT name FROM game ORDER BY changed DESC LIMIT -1 OFFSET ?"
        gone = await self._run(f"DELETE FROM game WHERE name IN ({old}) RETURNING name", (most,))
        for (name,) in gone:
            await self._run("DELETE FROM link WHERE name = ?", (name,))

    async def count(self) -> int:
        """How many games there are."""
        rows = await self._run("SELECT count(*) FROM game", ())
        return int(rows[0][0])

    async def _run(self, statement: str, values: tuple[Any, ...]) -> list[Any]:
        loop = asyncio.get_running_loop()
        run = loop.run_in_executor(self._thread, lambda: self._base.execute(statement, values).fetchall())
        return await asyncio.shield(run)  # a page that goes away takes back nothing that was begun for it

    async def close(self) -> None:
        """Close the file."""
        await asyncio.get_running_loop().run_in_executor(self._thread, self._base.close)
        self._thread.shutdown()
