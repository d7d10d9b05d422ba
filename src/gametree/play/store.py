"""All games in one SQLite file, which any number of processes may write and which no crash can spoil.

A finished game is durable before it is counted. The key of a game follows from its event and number, so that it can be
stored only once. Who plays a game first claims it; a claim ends with its owner: at once if the owner was a process of
this machine, otherwise when it has not been renewed for a while.
"""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import socket
import sqlite3
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from gametree.core.errors import BadInput
from gametree.play.events import Event, Finished, Task
from gametree.play.referee import GameRecord

__all__ = ["LEASE", "VERSION", "Store"]

VERSION = 1
"""Version of the tables."""
APPLICATION = 0x67747265  # "gtre": tells our files from other SQLite files
SMALLEST = 512  # bytes of the smallest page of SQLite
LEASE = 600.0
"""Seconds after which a claim of another machine that is not renewed is void."""

_NOT_WRITTEN = ("SQLITE_IOERR_WRITE", "SQLITE_IOERR_FSYNC", "SQLITE_IOERR_TRUNCATE", "SQLITE_IOERR_SHMSIZE")
"""What SQLite calls it if the file system takes no more."""

_TABLES = """
CREATE TABLE event (
    key TEXT PRIMARY KEY, kind TEXT NOT NULL, game TEXT NOT NULL, data TEXT NOT NULL, created REAL NOT NULL
) WITHOUT ROWID;
CREATE TABLE game (
    key TEXT PRIMARY KEY, event TEXT NOT NULL REFERENCES event (key), number INTEGER NOT NULL, part INTEGER NOT NULL,
    seats TEXT NOT NULL, utilities TEXT NOT NULL, reason TEXT NOT NULL, plies INTEGER NOT NULL, seconds REAL NOT NULL,
    record TEXT NOT NULL, finished REAL NOT NULL
) WITHOUT ROWID;
CREATE INDEX game_by_event ON game (event, number);
CREATE TABLE claim (key TEXT PRIMARY KEY, owner TEXT NOT NULL, renewed REAL NOT NULL) WITHOUT ROWID;
"""


class Store:
    """A database of games. Raises BadInput, in one sentence, for whatever is wrong with the file."""

    def __init__(self, path: str | Path, *, create: bool = True) -> None:
        self.path = str(path)
        if not create and not Path(path).is_file():
            raise BadInput(f"There is no file '{path}'; expected a database of games, as `gametree match` makes it.")
        _refuse_stump(self.path)
        self.owner = f"{socket.gethostname()}/{os.getpid()}/{_birth(os.getpid())}"
        with self._sentences():
            # check_same_thread: a progress display may look at the numbers from its own thread
            self._base = sqlite3.connect(self.path, timeout=30.0, isolation_level=None, check_same_thread=False)
            try:
                self._set_up(create)
            except BaseException:
                self._base.close()
                raise

    def _set_up(self, create: bool) -> None:
        base = self._base
        tables = base.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
        (application,) = base.execute("PRAGMA application_id").fetchone()
        (version,) = base.execute("PRAGMA user_version").fetchone()
        if tables and application != APPLICATION:
            raise BadInput(f"'{self.path}' is another program's database; expected one of gametree, or a new name.")
        if tables and version != VERSION:
            raise BadInput(
                f"'{self.path}' has version {version} of the tables, but this gametree knows version {VERSION}; "
                "use the gametree that made it, or a new file."
            )
        if not tables and not create:
            raise BadInput(f"'{self.path}' is empty; expected a database of games, as `gametree match` makes it.")
        base.execute("PRAGMA journal_mode = WAL")
        if not tables:
            with self._transaction():
                # Another process may have been first.
                if not base.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
                    for statement in _TABLES.split(";"):
                        base.execute(statement)
                    base.execute(f"PRAGMA application_id = {APPLICATION}")
                    base.execute(f"PRAGMA user_version = {VERSION}")

    @contextlib.contextmanager
    def _sentences(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            text, kind = str(error), getattr(error, "sqlite_errorname", "")
            if kind == "SQLITE_FULL" or kind in _NOT_WRITTEN:
                text = "the disk is full, or the file may not grow; what was finished before is kept"
            elif kind.startswith("SQLITE_CANTOPEN"):
                text = "it cannot be opened; expected a file in a folder that exists and may be written"
            elif kind.startswith("SQLITE_READONLY"):
                text = "it may only be read; expected a file and a folder that may be written"
            elif kind.startswith(("SQLITE_CORRUPT", "SQLITE_NOTADB", "SQLITE_IOERR")):
                text = f"it is damaged or no database ({text})"
            raise BadInput(f"'{self.path}' cannot be used: {text}.") from None

    @contextlib.contextmanager
    def _reading(self) -> Iterator[None]:
        """Around whatever takes rows apart, which may hold what we have never written."""
        try:
            with self._sentences():
                yield
        except (AttributeError, LookupError, TypeError, ValueError) as error:
            raise BadInput(f"'{self.path}' cannot be used: it is damaged ({type(error).__name__}: {error}).") from None

    @contextlib.contextmanager
    def _transaction(self, *, durable: bool = True) -> Iterator[None]:
        # Claims need not survive a power cut, which ends their owner too; so they do not wait for the disk.
        self._base.execute(f"PRAGMA synchronous = {'FULL' if durable else 'NORMAL'}")
        self._base.execute("BEGIN IMMEDIATE")
        try:
            yield
        except BaseException:
            if self._base.in_transaction:
                self._base.execute("ROLLBACK")
            raise
        self._base.execute("COMMIT")

    def close(self) -> None:
        """Give up all claims, as far as the file can be written, and close it.

        A claim that stays ends with this process.
        """
        with contextlib.suppress(sqlite3.Error):
            self._base.execute("DELETE FROM claim WHERE owner = ?", (self.owner,))
        with self._sentences():
            self._base.close()

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # Writing ----------------------------------------------------------------------------------------------------------

    def add_event(self, event: Event) -> Event:
        """Make the event known and return it with its salt; the longest version of one that was made longer is kept.

        Raises BadInput if the event asks for another salt than the one that its games were played with.
        """
        with self._reading(), self._transaction():
            row = self._base.execute("SELECT data FROM event WHERE key = ?", (event.key,)).fetchone()
            known = {} if row is None else json.loads(row[0])
            salt = known.get("salt", "")
            if salt and event.salt not in ("", salt):
                raise BadInput(f"'{self.path}' has games of this event with another salt; leave --salt out to go on.")
            event = replace(event, salt=salt or event.salt or secrets.token_hex(16))
            if not salt or event.games > known["games"] or event.rounds > known["rounds"]:
                self._base.execute(
                    "INSERT INTO event VALUES (?, ?, ?, ?, ?) ON CONFLICT (key) DO UPDATE SET data = excluded.data",
                    (event.key, event.kind, event.game, json.dumps(event.to_data()), time.time()),
                )
        return event

    def claim(self, tasks: Sequence[Task], most: int) -> list[Task]:
        """Up to `most` of the tasks that nobody has finished or claimed; they are ours now."""
        taken: list[Task] = []
        with self._sentences(), self._transaction(durable=False):
            for task in tasks:
                if len(taken) >= most:
                    break
                if self._base.execute("SELECT 1 FROM game WHERE key = ?", (task.key,)).fetchone():
                    continue
                row = self._base.execute("SELECT owner, renewed FROM claim WHERE key = ?", (task.key,)).fetchone()
                if row is not None and row[0] != self.owner and _holds(*row):
                    continue
                if row is not None and row[0] == self.owner:
                    continue
                self._base.execute("INSERT OR REPLACE INTO claim VALUES (?, ?, ?)", (task.key, self.owner, time.time()))
                taken.append(task)
        return taken

    def renew(self) -> None:
        """Keep our claims for another while."""
        with self._sentences():
            self._base.execute("UPDATE claim SET renewed = ? WHERE owner = ?", (time.time(), self.owner))

    def release(self, keys: Iterable[str]) -> None:
        """Give claims up."""
        with self._sentences(), self._transaction(durable=False):
            self._base.executemany("DELETE FROM claim WHERE key = ? AND owner = ?", [(key, self.owner) for key in keys])

    def add(self, event: Event, games: Sequence[tuple[Task, GameRecord]]) -> list[Finished]:
        """Store finished games, all or none, and end their claims; they are durable when this returns.

        A game that another process has stored meanwhile stays as that process stored it.
        """
        now = time.time()
        key, results = event.key, []
        rows = []
        for task, record in games:
            result = Finished(
                task.number, task.group, record.players, record.utilities, record.reason,
                len(record.moves), record.seconds,
            )  # fmt: skip
            results.append(result)
            rows.append(
                (
                    task.key,
                    key,
                    task.number,
                    task.group,
                    json.dumps(record.players),
                    json.dumps(record.utilities),
                    record.reason,
                    len(record.moves),
                    record.seconds,
                    json.dumps(record.to_data()),
                    now,
                )
            )
        with self._sentences(), self._transaction():
            self._base.executemany("INSERT OR IGNORE INTO game VALUES (?,?,?,?,?,?,?,?,?,?,?)", rows)
            self._base.executemany("DELETE FROM claim WHERE key = ?", [(task.key,) for task, _ in games])
        return results

    # Reading ----------------------------------------------------------------------------------------------------------

    def events(self) -> list[Event]:
        """All events, oldest first."""
        with self._reading():
            rows = self._base.execute("SELECT data FROM event ORDER BY created, key").fetchall()
            return [_event(json.loads(row[0])) for row in rows]

    def results(self, event: Event) -> dict[int, Finished]:
        """All finished games of the event by number."""
        with self._reading():
            rows = self._base.execute(
                "SELECT number, part, seats, utilities, reason, plies, seconds FROM game WHERE event = ?", (event.key,)
            ).fetchall()
            return {
                row[0]: Finished(row[0], row[1], tuple(json.loads(row[2])), tuple(json.loads(row[3])), *row[4:])
                for row in rows
            }

    def records(self, event: Event) -> Iterator[tuple[int, GameRecord]]:
        """Number and record of every finished game of the event, in order."""
        with self._reading():
            for number, text in self._base.execute(
                "SELECT number, record FROM game WHERE event = ? ORDER BY number", (event.key,)
            ):
                data: dict[str, Any] = json.loads(text)
                yield (
                    number,
                    GameRecord(**_with_tuples(data, ("players", "moves", "movers", "times", "notes", "utilities"))),
                )

    def check(self) -> None:
        """Raise BadInput if the file is damaged."""
        with self._sentences():
            found = self._base.execute("PRAGMA integrity_check").fetchone()[0]
        if found != "ok":
            raise BadInput(f"'{self.path}' is damaged: {found}.")


def _refuse_stump(path: str) -> None:
    """Raise BadInput for a file that ends in the middle of a page, which SQLite would fill up with zeros.

    Where the log of changes is still there, the pages come from it.
    """
    with contextlib.suppress(OSError):  # what cannot be read at all, SQLite has words for
        size = Path(path).stat().st_size
        if not size or Path(path).is_dir() or Path(f"{path}-wal").exists():
            return
        with Path(path).open("rb") as file:
            page = int.from_bytes(file.read(18)[16:])  # 1 stands for 65,536
        if size < SMALLEST or size % (page if page > 1 else 1 << 16):
            raise BadInput(f"'{path}' cannot be used: it is damaged or no database (it ends after {size:,} bytes).")


def _event(data: dict[str, Any]) -> Event:
    return Event(**_with_tuples(data, ("players", "openings")))


def _with_tuples(data: dict[str, Any], keys: Sequence[str]) -> dict[str, Any]:
    """JSON has lists where our values have tuples."""
    return {key: tuple(value) if key in keys else value for key, value in data.items()}


def _holds(owner: str, renewed: float) -> bool:
    """Whether a claim of someone else still counts."""
    host, pid, birth = owner.rsplit("/", 2)
    if host == socket.gethostname():
        return _birth(int(pid)) == birth
    return time.time() - renewed < LEASE


def _birth(pid: int) -> str:
    """When the process was started, so that a later process with its number is not taken for it; "" if it is gone."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        if Path("/proc/self/stat").exists():
            return ""
        try:  # no /proc on this system: all we can tell is whether there is such a process
            os.kill(pid, 0)
        except ProcessLookupError:
            return ""
        except PermissionError:
            pass
        return "alive"
    fields = stat.rpartition(")")[2].split()
    return "" if fields[0] in "ZX" else fields[19]
