"""The store of compiled code: one folder per user, with one folder in it for each kind of processor.

Machines that share a home folder but not the kind of processor so leave each other's code alone. A file's name holds
the hash of everything that its code depends on: the bytecode of every function that was compiled in, every constant
that they use, the compiler's version and flags, and the processor. So a changed source, flag, numba or machine simply
looks for another file, and nothing is ever stale. Each file starts with a checksum of the rest: a damaged file is
deleted and compiled again, and `load_faults` remembers why. Files are written aside and moved into place, so that two
processes that compile the same kernel at once do no harm. The oldest files go when the folder of their processor
outgrows its limit.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import os
import pickle
import re
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from gametree.core.folders import cache_folder

__all__ = [
    "LIMIT_BYTES",
    "KernelCache",
    "cache_directory",
    "cache_report",
    "clear_cache",
    "kind_directory",
    "load_faults",
    "processor",
]

LIMIT_BYTES = 256 << 20
"""When the code for one kind of processor grows beyond this, the files used longest ago are deleted."""

load_faults: list[tuple[str, str]] = []
"""(kernel, reason) for every file that was there but could not be read, since this process began."""

_SUFFIX = ".kernel"
_ASIDE = ".part"
_CHECKSUM_BYTES = 32


def cache_directory() -> Path:
    """The folder of compiled code: $GAMETREE_CACHE_DIR, or the platform's folder for caches. It may not exist yet."""
    return cache_folder()


@functools.cache
def processor() -> str:
    """The kind of processor that code is compiled for, as LLVM calls it, and a number for the features that it has."""
    from llvmlite import binding
    from numba.core import config

    name = config.CPU_NAME or binding.get_host_cpu_name()
    features = config.CPU_FEATURES
    if features is None:
        features = binding.get_host_cpu_features().flatten()
    return re.sub(r"[^A-Za-z0-9_.]+", "-", name) + "-" + hashlib.sha256(str(features).encode()).hexdigest()[:8]


def kind_directory() -> Path:
    """The folder of code for this kind of processor. It may not exist yet."""
    return cache_directory() / processor()


def _files(folder: Path, pattern: str) -> list[tuple[Path, os.stat_result]]:
    """Files with their sizes and times; those that vanish meanwhile are left out."""
    found = []
    for path in folder.glob(pattern):
        with contextlib.suppress(OSError):
            found.append((path, path.stat()))
    return found


def cache_report() -> dict[str, Any]:
    """Where the store is, how much it holds and may hold, and each kernel by name with its size and last use.

    All of it is about the code for this kind of processor; `others` says how much is kept for other kinds.
    """
    own = kind_directory()
    files = sorted(_files(own, f"*{_SUFFIX}"), key=lambda file: file[1].st_mtime, reverse=True)
    others: dict[str, dict[str, int]] = {}
    for path, stat in _files(cache_directory(), f"*/*{_SUFFIX}"):
        if path.parent != own:
            other = others.setdefault(path.parent.name, {"files": 0, "bytes": 0})
            other["files"] += 1
            other["bytes"] += stat.st_size
    return {
        "directory": str(cache_directory()),
        "processor": processor(),
        "files": len(files),
        "bytes": sum(stat.st_size for _, stat in files),
        "limit_bytes": LIMIT_BYTES,
        "kernels": [
            {"name": path.name.rpartition("-")[0], "bytes": stat.st_size, "used": stat.st_mtime} for path, stat in files
        ],
        "others": others,
    }


def clear_cache() -> int:
    """Delete all compiled code, for every kind of processor, and return how many files went.

    Running processes keep what they have loaded.
    """
    store, count = cache_directory(), 0
    for folder in (store, *(path for path in store.glob("*") if path.is_dir())):
        for path, _ in _files(folder, f"*{_SUFFIX}"):
            with contextlib.suppress(OSError):
                path.unlink()
                count += 1
        for path in (*folder.glob(f"*{_ASIDE}"), *folder.glob("speed")):  # left by processes that were killed, and ours
            with contextlib.suppress(OSError):
                path.unlink()
        if folder != store:
            with contextlib.suppress(OSError):
                folder.rmdir()
    return count


def _evict() -> None:
    """Delete the files used longest ago until the code for this kind of processor fits its limit."""
    files = sorted(_files(kind_directory(), f"*{_SUFFIX}"), key=lambda file: file[1].st_mtime)
    total = sum(stat.st_size for _, stat in files)
    for path, stat in files:
        if total <= LIMIT_BYTES:
            return
        with contextlib.suppress(OSError):
            path.unlink()
            total -= stat.st_size


class KernelCache:
    """What numba asks for compiled code of one entry function (the interface of its own function caches).

    `digest` names everything that the code depends on but the argument types. `missed` is called before each compile
    with the file that is not there, and what was wrong with it if it was; it may raise, to compile nothing.
    """

    def __init__(self, name: str, digest: str, missed: Callable[[Path, str], None]) -> None:
        self._name = name
        self._digest = digest
        self._missed = missed
        self._fresh: list[tuple[Any, Any]] = []

    @property
    def cache_path(self) -> str:
        """The folder of the store."""
        return str(kind_directory())

    def _path(self, signature: Any) -> Path:
        types = hashlib.sha256(str(signature).encode()).hexdigest()[:8]
        return kind_directory() / f"{self._name}-{self._digest}{types}{_SUFFIX}"

    def load_overload(self, signature: Any, target_context: Any) -> Any:
        """The compiled function for these argument types, or None after telling that a compile is due."""
        from numba.core.compiler import CompileResult

        target_context.refresh()
        path = self._path(signature)
        fault = ""
        try:
            data = path.read_bytes()
            checksum, payload = data[:_CHECKSUM_BYTES], data[_CHECKSUM_BYTES:]
            if hashlib.sha256(payload).digest() != checksum:
                fault = "its checksum is wrong"
            else:
                loaded = CompileResult._rebuild(target_context, *pickle.loads(payload))
                with contextlib.suppress(OSError):
                    os.utime(path)
                return loaded
        except FileNotFoundError:
            pass
        except Exception as error:  # whatever is wrong with it, compiling again mends it
            fault = f"{type(error).__name__}: {error}".rstrip(": .")
        if fault:
            load_faults.append((self._name, fault))
            with contextlib.suppress(OSError):
                path.unlink()
        self._missed(path, fault)
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
