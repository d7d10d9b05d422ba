"""The store of compiled code: one folder per user, shared by all processes.

A file's name holds the hash of everything that its code depends on: the bytecode of every function that was compiled
in, every constant that they use, the compiler's version and flags, and the processor. So a changed source, flag, numba
or machine simply looks for another file, and nothing is ever stale. Each file starts with a checksum of the rest: a
damaged file is deleted and compiled again. Files are written aside and moved into place, so that two processes that
compile the same kernel at once do no harm. The oldest files go when the store outgrows its limit.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import pickle
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

__all__ = ["LIMIT_BYTES", "KernelCache", "cache_directory", "cache_report", "clear_cache"]

LIMIT_BYTES = 256 << 20
"""When the store grows beyond this, the files used longest ago are deleted."""

_SUFFIX = ".kernel"
_ASIDE = ".part"
_CHECKSUM_BYTES = 32


def cache_directory() -> Path:
    """The folder of compiled code: $GAMETREE_CACHE_DIR, or the platform's folder for caches. It may not exist yet."""
    override = os.environ.get("GAMETREE_CACHE_DIR")
    if override:
        return Path(override).expanduser()
    if sys.platform == "win32":
        base = Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    elif sys.platform == "darwin":
        base = Path.home() / "Library" / "Caches"
    else:
        base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return base / "gametree"


def _files() -> list[tuple[Path, os.stat_result]]:
    """All stored files with their sizes and times; files that vanish meanwhile are left out."""
    found = []
    for path in cache_directory().glob(f"*{_SUFFIX}"):
        with contextlib.suppress(OSError):
            found.append((path, path.stat()))
    return found


def cache_report() -> dict[str, Any]:
    """Where the store is, how much it holds and may hold, and each kernel by name with its size and last use."""
    files = sorted(_files(), key=lambda file: file[1].st_mtime, reverse=True)
    return {
        "directory": str(cache_directory()),
        "files": len(files),
        "bytes": sum(stat.st_size for _, stat in files),
        "limit_bytes": LIMIT_BYTES,
        "kernels": [
            {"name": path.name.rpartition("-")[0], "bytes": stat.st_size, "used": stat.st_mtime} for path, stat in files
        ],
    }


def clear_cache() -> int:
    """Delete all compiled code and return how many files went. Running processes keep what they have loaded."""
    count = 0
    for path, _ in _files():
        with contextlib.suppress(OSError):
            path.unlink()
            count += 1
    for path in cache_directory().glob(f"*{_ASIDE}"):  # left by processes that were killed while they wrote
        with contextlib.suppress(OSError):
            path.unlink()
    return count


def _evict() -> None:
    """Delete the files used longest ago until the store fits its limit."""
    files = sorted(_files(), key=lambda file: file[1].st_mtime)
    total = sum(stat.st_size for _, stat in files)
    for path, stat in files:
        if total <= LIMIT_BYTES:
            return
        with contextlib.suppress(OSError):
            path.unlink()
            total -= stat.st_size


class KernelCache:
    """What numba asks for compiled code of one entry function (the interface of its own function caches).

    `digest` names everything that the code depends on but the argument types. `missed` is called before each compile.
    """

    def __init__(self, name: str, digest: str, missed: Callable[[], None]) -> None:
        self._name = name
        self._digest = digest
        self._missed = missed
        self._fresh: list[tuple[Any, Any]] = []

    @property
    def cache_path(self) -> str:
        """The folder of the store."""
        return str(cache_directory())

    def _path(self, signature: Any) -> Path:
        types = hashlib.sha256(str(signature).encode()).hexdigest()[:8]
        return cache_directory() / f"{self._name}-{self._digest}{types}{_SUFFIX}"

    def load_overload(self, signature: Any, target_context: Any) -> Any:
        """The compiled function for these argument types, or None after telling that a compile is due."""
        from numba.core.compiler import CompileResult

        target_context.refresh()
        path = self._path(signature)
        try:
            data = path.read_bytes()
        except OSError:
            self._missed()
            return None
        checksum, payload = data[:_CHECKSUM_BYTES], data[_CHECKSUM_BYTES:]
        if hashlib.sha256(payload).digest() == checksum:
            with contextlib.suppress(Exception):  # whatever is wrong with it, compiling again mends it
                loaded = CompileResult._rebuild(target_context, *pickle.loads(payload))
                with contextlib.suppress(OSError):
                    os.utime(path)
                return loaded
        with contextlib.suppress(OSError):
            path.unlink()
        self._missed()
        return None

    def save_overload(self, signature: Any, compiled: Any) -> None:
        """Remember freshly compiled code until `keep` says that it is sound."""
        self._fresh.append((signature, compiled))

    def keep(self) -> None:
        """Store what was compiled since the last call."""
        while self._fresh:
            self._write(*self._fresh.pop())

    def _write(self, signature: Any, compiled: Any) -> None:
        """Write compiled code; where nothing can be written, the next process compiles again."""
        from numba.core.serialize import dumps

        payload = dumps(compiled._reduce())
        path = self._path(signature)
        with contextlib.suppress(OSError):
            path.parent.mkdir(parents=True, exist_ok=True)
            handle, aside = tempfile.mkstemp(dir=path.parent, prefix=path.stem, suffix=_ASIDE)
            try:
                with os.fdopen(handle, "wb") as file:
                    file.write(hashlib.sha256(payload).digest() + payload)
                os.replace(aside, path)
            except BaseException:
                with contextlib.suppress(OSError):
                    os.unlink(aside)
                raise
            _evict()

    def enable(self) -> None:
        """Nothing to do: part of numba's interface."""

    def disable(self) -> None:
        """Nothing to do: part of numba's interface."""

    def flush(self) -> None:
        """Nothing to do: part of numba's interface."""
