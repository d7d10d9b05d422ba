"""The one way in which gametree compiles: plain functions are copied, their globals re-bound, and compiled together.

    kernel = jit(function)                       a function on its own
    kernel = rules.kernel(function)              a function that calls a game's verbs (`gametree.kernels.verbs`)

Either is called like the function. The first call compiles, or loads code that any earlier process compiled
(`gametree.kernels.cache`); `gametree.kernels.waiting` says what else can be done while there is none. Re-binding makes
one search serve many games, like a template of C++: every function that is reachable from the entry is copied with the
game's verbs and constants in place of the names that it uses.

Environment:
    GAMETREE_JIT=0          run the same functions uncompiled, for debugging
    GAMETREE_BOUNDSCHECK=1  compile with checks of every index
    GAMETREE_CACHE_DIR      where compiled code is kept

Rules for functions that are compiled: a function may call itself but two may not call each other in a circle, and a
recursive call passes arguments of one fixed type each (write `np.int64(0)`, not `0`). Otherwise two versions of it
come about, and code loaded from the cache would call the wrong one (numba issue 6061); this is checked.
"""

from __future__ import annotations

import builtins
import contextlib
import dis
import functools
import hashlib
import os
import re
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any

import numpy as np

from gametree.core.clock import uncounted
from gametree.core.errors import GameError
from gametree.kernels import waiting
from gametree.kernels.cache import KernelCache, kind_directory
from gametree.kernels.waiting import NotCompiled

__all__ = ["Compiler", "Kernel", "compiler", "jit", "link"]

_lock = threading.RLock()
_forced: Compiler | None = None
_dispatchers: dict[str, Any] = {}


@dataclass(frozen=True)
class Compiler:
    """How functions are turned into kernels."""

    jit: bool = True
    """False runs the Python functions as they are."""
    boundscheck: bool = False
    """True checks every index and raises IndexError."""


_PLAIN = Compiler(jit=False)


def current_compiler() -> Compiler:
    """The settings of the innermost `compiler(...)` block, else those of the environment."""
    if _forced is not None:
        return _forced
    return Compiler(
        jit=os.environ.get("GAMETREE_JIT", "1") != "0",
        boundscheck=os.environ.get("GAMETREE_BOUNDSCHECK", "0") == "1",
    )


@contextlib.contextmanager
def compiler(*, jit: bool = True, boundscheck: bool = False) -> Iterator[None]:
    """Kernels called inside this block are compiled (or not) with these settings, whatever the environment says."""
    global _forced
    before, _forced = _forced, Compiler(jit, boundscheck)
    try:
        yield
    finally:
        _forced = before


# Linking: copying functions with their globals re-bound ---------------------------------------------------------------


@dataclass(frozen=True)
class Linked:
    """A copy of a function whose globals are bound, and the digest of all that it can reach."""

    function: Any
    digest: str
    label: str
    recursive: bool
    parts: tuple[Linked, ...]


class _Linker:
    """Copies functions for one set of replacements and one compiler."""

    def __init__(
        self,
        replace: Callable[[FunctionType], FunctionType],
        constants: Callable[[FunctionType], Mapping[str, Any]],
        how: Compiler,
        label: str,
        salt: str | None,
    ) -> None:
        self.replace = replace
        self.constants = constants
        self.how = how
        self.label = label
        self.salt = salt
        self.done: dict[FunctionType, Linked] = {}
        self.open: list[FunctionType] = []
        self.intrinsics: dict[Any, Any] = {}
        if how.jit:
            from gametree.kernels._intrinsics import INTRINSICS

            self.intrinsics = INTRINSICS

    def link(self, function: FunctionType) -> Linked:
        """The bound copy of `function` and of everything that it calls."""
        if function in self.done:
            return self.done[function]
        if function in self.open:
            circle = " and ".join(f.__name__ for f in self.open[self.open.index(function) :])
            raise GameError(f"{circle} call each other in a circle, which compiled code cannot; use a loop instead.")
        self.open.append(function)
        code = function.__code__
        if self.salt is None:  # what is compiled was linked without a salt before, and checked
            _check_names(function, self.label)
        space: dict[str, Any] = {"__builtins__": __builtins__, "__name__": function.__module__}
        hasher = hashlib.sha256(repr((function.__name__, self.how, _code_key(code), function.__defaults__)).encode())
        for cell in function.__closure__ or ():
            hasher.update(_constant_key(cell.cell_contents))
        constants = self.constants(function)
        parts = []
        recursive = False
        for name in sorted(_names(code)):
            if name not in function.__globals__:
                continue
            value = constants[name] if name in constants else function.__globals__[name]
            if isinstance(value, FunctionType):
                value = self.replace(value)
                if value is function:
                    recursive = True
                    hasher.update(f"{name} is itself".encode())
                    continue
                if value in self.intrinsics:
                    space[name] = self.intrinsics[value]
                    hasher.update(f"{name}: {value.__qualname__}".encode())
                else:
                    part = self.link(value)
                    parts.append(part)
                    space[name] = part.function
                    hasher.update(f"{name}: {part.digest}".encode())
            else:
                space[name] = value
                hasher.update(f"{name}: ".encode() + _constant_key(value))
        self.open.pop()
        digest = hasher.hexdigest()
        copy = FunctionType(code, space, function.__name__, function.__defaults__, function.__closure__)
        compiled: Any = copy
        if self.how.jit and self.salt is not None:
            # Symbols of compiled code are global to the process, and the names of struct types in them are only numbers
            # that differ from process to process. So the name itself says what the code is and what it was made for.
            name = hashlib.sha256((digest + self.salt).encode()).hexdigest()
            copy.__qualname__ = f"{function.__name__}_{name[:20]}"
            copy.__module__ = __name__  # what is stored knows its module by name, and a user's file may move
            compiled = _dispatcher(copy, name, self.how, inner=bool(self.open))
        if recursive:
            space[function.__name__] = compiled
        linked = Linked(compiled, digest, self.label, recursive, tuple(parts))
        self.done[function] = linked
        return linked


def link(
    function: Callable[..., Any],
    *,
    replace: Callable[[FunctionType], FunctionType],
    constants: Callable[[FunctionType], Mapping[str, Any]],
    label: str,
    how: Compiler,
    salt: str | None = "",
) -> Linked:
    """Copy `function` and all that it reaches.

    `replace` says what to call instead of a function, `constants` which globals of a function to re-bind. Where
    `how` compiles, the copies are compiled functions, which no other `salt` shares; with None they are left plain.
    """
    assert isinstance(function, FunctionType)
    linker = _Linker(replace, constants, how, label, salt)
    with contextlib.nullcontext() if salt is None else _lock:  # plain copies are made while another thread compiles
        return linker.link(function)


def _check_names(function: FunctionType, label: str) -> None:
    """Raise GameError, naming function and line, if the function uses a global name that does not exist."""
    for instruction in dis.get_instructions(function.__code__):
        name = instruction.argval
        if instruction.opname != "LOAD_GLOBAL" or name in function.__globals__ or hasattr(builtins, name):
            continue
        line = instruction.positions.lineno if instruction.positions else function.__code__.co_firstlineno
        file = Path(function.__code__.co_filename).name
        raise GameError(
            f"{label} cannot be compiled ({file}, line {line}): {function.__name__} uses '{name}', undefined."
        )


def _names(code: CodeType) -> set[str]:
    """Global names (and attributes, which do no harm) that the code uses, inner functions included."""
    names = set(code.co_names)
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            names |= _names(constant)
    return names


def _code_key(code: CodeType) -> tuple[Any, ...]:
    """All of the code that matters to what it does; not where it stands in its file."""
    return (code.co_code, tuple(map(_literal_key, code.co_consts)), code.co_names, code.co_varnames)


def _literal_key(value: Any) -> tuple[Any, ...]:
    """The same in every process; the order of a set of texts is not."""
    if isinstance(value, CodeType):
        return _code_key(value)
    if isinstance(value, frozenset):
        return ("frozenset", *sorted(map(repr, value)))
    return (type(value).__name__, value)


def _constant_key(value: Any) -> bytes:
    """Bytes that differ when the constant differs."""
    if isinstance(value, np.ndarray):
        return f"{value.dtype} {value.shape} ".encode() + hashlib.sha256(value.tobytes()).digest()
    if isinstance(value, ModuleType):
        if value.__name__.partition(".")[0] in ("numpy", "math"):
            return value.__name__.encode()  # their versions are part of the salt
        source = getattr(value, "__file__", None)
        return hashlib.sha256(Path(source).read_bytes()).digest() if source else value.__name__.encode()
    if hasattr(value, "py_func"):  # a function that its author decorated: the file that it stands in decides
        return _constant_key(sys.modules[value.py_func.__module__])
    if isinstance(value, FunctionType):
        return repr(_code_key(value.__code__)).encode()
    if isinstance(value, tuple):
        return b"(" + b",".join(_constant_key(item) for item in value) + b")"
    return f"{type(value).__name__} {value!r}".encode()


# Compiling ------------------------------------------------------------------------------------------------------------


def _dispatcher(function: FunctionType, name: str, how: Compiler, *, inner: bool) -> Any:
    """A numba dispatcher; functions of equal name share one, however many game objects ask for it.

    An inner function is only called by compiled code, so the code by which Python would call it is left out.
    """
    if name not in _dispatchers:
        import numba

        from gametree.kernels._library import INNER

        if inner:
            INNER.add(function.__qualname__)
        _dispatchers[name] = numba.njit(
            nogil=True,
            error_model="numpy",
            boundscheck=how.boundscheck,
            no_cpython_wrapper=inner,
            no_cfunc_wrapper=inner,
        )(function)
    return _dispatchers[name]


def _joins_words() -> bool:
    """Whether LLVM may turn like operations on several words into one on a vector: yes, unless numba's flag says no."""
    return os.environ.get("NUMBA_SLP_VECTORIZE", "1") != "0"


@contextlib.contextmanager
def _joining_words() -> Iterator[None]:
    """Inside, code is compiled with that liberty, which numba does not take by itself; bitboards gain a third."""
    from numba.core import config

    before, config.SLP_VECTORIZE = config.SLP_VECTORIZE, int(_joins_words())
    try:
        yield
    finally:
        config.SLP_VECTORIZE = before


@functools.cache
def _salt() -> str:
    """What code depends on beside its own sources: versions, flags, processor and the sources of this room."""
    import llvmlite
    import numba
    from numba.core import config
    from numba.core.registry import cpu_target

    flags = [
        (name, getattr(config, name, None))
        for name in ("OPT", "LOOP_VECTORIZE", "ENABLE_AVX", "DEBUGINFO_DEFAULT", "FULL_TRACEBACKS")
    ]
    flags.append(("SLP_VECTORIZE", _joins_words()))
    room = [hashlib.sha256(file.read_bytes()).hexdigest() for file in sorted(Path(__file__).parent.glob("_*.py"))]
    parts = (
        sys.version,
        numba.__version__,
        llvmlite.__version__,
        np.__version__,
        cpu_target.target_context.codegen().magic_tuple(),
        flags,
        room,
    )
    return hashlib.sha256(repr(parts).encode()).hexdigest()


class Kernel:
    """A function that runs compiled (or as it is: see `Compiler`). It is linked and compiled on its first call.

    Raises GameError, naming function and line, where the sources cannot be compiled.
    """

    def __init__(
        self,
        function: Callable[..., Any],
        *,
        replace: Callable[[FunctionType], FunctionType] = lambda function: function,
        constants: Callable[[FunctionType], Mapping[str, Any]] = lambda function: {},
        label: str = "",
    ) -> None:
        self._source = function
        self._replace = replace
        self._constants = constants
        self._label = label or function.__name__
        self._plain: dict[Compiler, Linked] = {}
        self._last: dict[Compiler, Any] = {}
        self._awaited: dict[Compiler, Path] = {}  # where the code will be, once it is compiled
        self._plain_seconds = 0.0
        functools.update_wrapper(self, function)

    def __call__(self, *arguments: Any) -> Any:
        """Run the function, compiled for the types of these arguments."""
        how = _forced or current_compiler()
        if not how.jit:
            return self._run_plain(arguments)
        dispatcher = self._last.get(how)
        if dispatcher is not None:
            try:
                return dispatcher(*arguments)
            except TypeError:  # other types than the last time
                pass
        dispatcher = self._find(how, arguments)
        if dispatcher is None:
            began = time.thread_time()
            try:
                return self._run_plain(arguments)
            finally:
                self._plain_seconds += time.thread_time() - began
        self._last[how] = dispatcher
        return dispatcher(*arguments)

    def prepare(self, *arguments: Any) -> None:
        """Compile for the types of these arguments, or load from the cache, without running anything.

        Raises NotCompiled where the policy forbids to compile.
        """
        how = _forced or current_compiler()
        if how.jit and how not in self._last:
            dispatcher = self._find(how, arguments)
            if dispatcher is not None:
                self._last[how] = dispatcher

    def _run_plain(self, arguments: tuple[Any, ...]) -> Any:
        with np.errstate(over="ignore"):  # hashes overflow on purpose
            return self._link(_PLAIN).function(*arguments)

    def _find(self, how: Compiler, arguments: tuple[Any, ...]) -> Any:
        """A dispatcher for these types, compiled now if the policy says so; None where the function is to run plain.

        Raises NotCompiled.
        """
        policy = waiting.policy()
        is_small = getattr(self._source, "plain_at_first", False)
        if policy == "compile" or (policy == "plain" and (not is_small or self._plain_seconds > waiting.PLAIN_SECONDS)):
            return self._compile(how, arguments)
        awaited = self._awaited.get(how)
        if awaited is not None and not awaited.exists():
            if is_small:
                return None
            raise NotCompiled(f"{self._label} is not compiled yet.", awaited)
        if not _lock.acquire(blocking=not is_small):  # another thread compiles, which can take a while
            return None
        try:
            return self._compile(how, arguments, only_load=True)
        except NotCompiled as refusal:
            self._awaited[how] = refusal.path
            waiting.tell_missing(self._label)
            if is_small:
                return None
            raise
        finally:
            _lock.release()

    def _link(self, how: Compiler, salt: str | None = None) -> Linked:
        """The function with everything bound: plain, or with a salt to be compiled."""
        if salt is None and how in self._plain:
            return self._plain[how]
        linked = link(
            self._source, replace=self._replace, constants=self._constants, label=self._label, how=how, salt=salt
        )
        if salt is None:
            self._plain[how] = linked
        return linked

    def _compile(self, how: Compiler, arguments: tuple[Any, ...], *, only_load: bool = False) -> Any:
        """A dispatcher for the types of the arguments and no others. Raises NotCompiled if it may only be loaded."""
        with _lock, uncounted():  # neither compiling nor loading counts on a search's clock
            import numba
            from numba.core.errors import NumbaError

            from gametree.kernels._library import whole_kernels

            types = tuple(numba.typeof(argument) for argument in arguments)
            salt = hashlib.sha256(f"{_salt()} {self._link(how).digest} {types}".encode()).hexdigest()
            linked = self._link(how, salt)
            dispatcher = linked.function
            if dispatcher.overloads:
                return dispatcher
            name = re.sub(r"[^A-Za-z0-9_.=]+", "_", f"{self._label}.{self._source.__name__}")
            with contextlib.ExitStack() as stack:

                def miss(path: Path, fault: str) -> None:
                    if fault:
                        waiting.announce(f"compiled code of {self._label} could not be read ({fault}); compiling again")
                    if only_load:
                        raise NotCompiled(f"{self._label} is not compiled yet.", path)
                    waiting.announce(f"compiling {self._label}, once")
                    stack.enter_context(waiting.watched(self._label, _sizes(linked), kind_directory()))

                dispatcher._cache = KernelCache(name, salt[:24], miss)
                stack.enter_context(_joining_words())
                stack.enter_context(whole_kernels())
                try:
                    dispatcher.compile(types)
                except (NumbaError, KeyError, TypeError, ValueError) as error:
                    # numba raises its own errors for most mistakes, and a bare KeyError for a field that is not there.
                    raise GameError(_explain(self._label, error)) from error
            for part in _all_parts(linked):
                if part.recursive and len(part.function.overloads) > 1:
                    raise GameError(
                        f"{part.function.__name__} of {self._label} calls itself with arguments of other types than it "
                        "was called with; write np.int64(...) around whole numbers."
                    )
            dispatcher._cache.keep()  # only now: code with two versions of a recursive function must never be stored
            dispatcher.disable_compile()
            return dispatcher


def _all_parts(linked: Linked) -> Iterator[Linked]:
    yield linked
    for part in linked.parts:
        yield from _all_parts(part)


def _sizes(linked: Linked) -> dict[str, int]:
    """Bytes of bytecode of every function of a kernel, by its name."""
    functions = {id(part.function): part.function.py_func for part in _all_parts(linked)}
    return {function.__qualname__: len(function.__code__.co_code) for function in functions.values()}


def _explain(label: str, error: Exception) -> str:
    """One sentence for a source that numba refuses: the file, the line, and numba's own reason."""
    text = re.sub(r"\x1b\[[0-9;]*m", "", str(error))
    # The innermost reason and the innermost place stand first; after them come the callers.
    places = re.findall(r'File "([^"]+)", line (\d+)|at (\S+\.py) \((\d+)\)', text)
    file, line = next(((a or c, b or d) for a, b, c, d in places), ("", ""))
    place = f" ({Path(file).name}, line {line})" if file else ""
    skipped = ("Failed in", "During", "File", "No implementation of", "There are", "- Of which", ">>>", "* (")
    lines = (line.strip() for line in text.splitlines())
    reason = next((line for line in lines if line and not line.startswith(skipped)), type(error).__name__)
    if isinstance(error, KeyError):
        reason = f"there is no field {reason}"
    return f"{label} cannot be compiled{place}: {reason[:300].rstrip('.')}."


def jit(function: Callable[..., Any]) -> Kernel:
    """Decorator: compile a function that needs no game. It may call other plain functions and the bit tricks."""
    return Kernel(function)
