"""What happens while code is not compiled yet, and who is told about it.

    "compile"   whatever is called is compiled first (how Python programs find it)
    "plain"     small kernels, those marked `plain_at_first`, run as plain Python until that has cost about as much as
                compiling them; others are compiled (commands that people wait for)
    "never"     nothing is compiled here: small kernels run as plain Python, others raise NotCompiled

Whatever the policy, code that any process has stored is loaded, also if it is stored only later: so a process may go
on with plain functions while another one compiles.

Listeners are told by sentences when a compile begins (`on_compile`) and by numbers how far it is (`on_progress`).
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator, Mapping
from contextvars import ContextVar
from pathlib import Path
from typing import Any, Literal, TypeVar

from gametree.core.errors import GametreeError

__all__ = [
    "PLAIN_SECONDS",
    "NotCompiled",
    "Policy",
    "announce",
    "on_compile",
    "on_missing",
    "on_progress",
    "plain_at_first",
    "policy",
    "set_policy",
    "tell_missing",
    "use_policy",
    "watched",
]

Policy = Literal["compile", "plain", "never"]
Progress = Callable[[str, float, float], None]
Function = TypeVar("Function", bound=Callable[..., Any])

PLAIN_SECONDS = 1.5
"""Seconds of CPU time that a small kernel may spend as plain Python before it is compiled: about what that costs."""

_SECONDS_PER_BYTE = 0.0005
"""What compiling a byte of bytecode takes, until this machine has shown its own speed."""
_BEND = 1.7
"""Callers come after what they call and hold more code: how time goes with the share of the bytecode that is done."""

_default: Policy = "compile"
_inner: ContextVar[Policy | None] = ContextVar("gametree policy", default=None)
_listener: Callable[[str], None] | None = None
_progress: Progress | None = None
_missing: Callable[[str], None] | None = None


class NotCompiled(GametreeError):
    """A kernel would have to be compiled first, which is forbidden here; `path` is where its code will be."""

    def __init__(self, sentence: str, path: Path) -> None:
        super().__init__(sentence)
        self.path = path


def plain_at_first(function: Function) -> Function:
    """Mark a template that is called for single positions: see the policies."""
    function.plain_at_first = True  # type: ignore[attr-defined]
    return function


def policy() -> Policy:
    """What holds now: the innermost `use_policy` block, else what `set_policy` said."""
    return _inner.get() or _default


def set_policy(chosen: Policy) -> None:
    """From now on this holds in the whole process."""
    global _default
    _default = chosen


@contextlib.contextmanager
def use_policy(chosen: Policy) -> Iterator[None]:
    """This holds inside the block, in this thread."""
    token = _inner.set(chosen)
    try:
        yield
    finally:
        _inner.reset(token)


# Listeners ------------------------------------------------------------------------------------------------------------


def on_compile(listener: Callable[[str], None] | None) -> None:
    """Call `listener("compiling othello, once")` before each compile that no cache can spare; None calls nobody.

    Stored code that cannot be read is told first, with the reason.
    """
    global _listener
    _listener = listener


def on_progress(listener: Progress | None) -> None:
    """Call `listener(label, share, seconds)` while code is compiled: the share that is done, and seconds left.

    The last call of each compile has the share 1. It may come from any thread. None calls nobody.
    """
    global _progress
    _progress = listener


def on_missing(listener: Callable[[str], None] | None) -> None:
    """Call `listener(label)` when a kernel is not compiled and, by the policy, is not compiled now either."""
    global _missing
    _missing = listener


def announce(sentence: str) -> None:
    """Tell the listener of `on_compile`."""
    if _listener is not None:
        _listener(sentence)


def tell_missing(label: str) -> None:
    """Tell the listener of `on_missing`."""
    if _missing is not None:
        _missing(label)


# How far a compile is -------------------------------------------------------------------------------------------------


class _Watch:
    """Adds up the functions of one kernel as numba is done with them."""

    def __init__(self, label: str, sizes: Mapping[str, int], speed: float) -> None:
        self._label = label
        self._left = dict(sizes)
        self._total = max(1, sum(sizes.values()))
        self._usual = self._total * speed
        self._began = time.monotonic()

    def notify(self, event: Any) -> None:
        """One more function begins or is done; what numba calls."""
        if event.is_end:
            self._left.pop(event.data["dispatcher"].py_func.__qualname__, None)
            self.tell()

    def tell(self) -> None:
        """Report the share that is done, and the rest in seconds by the usual speed and by the speed so far."""
        if _progress is None:
            return
        share = 0.99 * (1 - sum(self._left.values()) / self._total) ** _BEND
        spent = time.monotonic() - self._began
        whole = (1 - share) * self._usual + spent  # the more is done, the less the usual speed says
        _progress(self._label, share, (1 - share) * whole)

    def done(self) -> float:
        """Report the end; what a byte took."""
        spent = time.monotonic() - self._began
        if _progress is not None:
            _progress(self._label, 1.0, 0.0)
        return spent / self._total


@contextlib.contextmanager
def watched(label: str, sizes: Mapping[str, int], folder: Path) -> Iterator[None]:
    """Tell the progress listener how far the compile inside is; `sizes` are bytes of bytecode by function.

    The speed of this machine is remembered in `folder`.
    """
    from numba.core import event

    file = folder / "speed"
    try:
        speed = float(file.read_text(encoding="ascii"))
    except (OSError, ValueError):
        speed = _SECONDS_PER_BYTE
    watch = _Watch(label, sizes, speed if 0 < speed < 1 else _SECONDS_PER_BYTE)
    watch.tell()
    event.Listener.register(_Watch)  # so that numba takes it for one of its own
    event.register("numba:compile", watch)
    try:
        yield
    finally:
        event.unregister("numba:compile", watch)
    seen = watch.done()
    if sum(sizes.values()) > 10_000:  # small kernels say little
        with contextlib.suppress(OSError):
            folder.mkdir(parents=True, exist_ok=True)
            file.write_text(f"{seen:.3g}", encoding="ascii")
