"""How kernels are put together from their functions: the large ones are optimised once, with the whole kernel.

Left to itself, numba makes machine code of every function on its own, together with all that it calls, so that a
function at the end of a chain of calls is compiled again for each link of the chain. But the inner functions of a
kernel are called by the kernel alone. Here their code is only gathered until the kernel itself is compiled.

One shortcut besides: numba compares the flags of two functions a hundred thousand times for one engine, nearly always
the same ones, and makes two dictionaries of them each time. Here it looks first whether they are the same.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

from numba.core.codegen import JITCodeLibrary
from numba.core.registry import cpu_target
from numba.core.targetconfig import TargetConfig

__all__ = ["INNER", "whole_kernels"]

INNER: set[str] = set()
"""The names of the functions that only compiled code calls."""


_SMALL = 50_000
"""Bytes of code that is optimised on its own all the same: it costs little, and some is faster so (Othello's flips)."""


class _KernelLibrary(JITCodeLibrary):  # type: ignore[misc]
    """The code of one function and of all that it calls."""

    def finalize(self) -> None:
        """Make machine code; of an inner function only gather what its callers will need."""
        if self.name not in INNER:
            super().finalize()
            return
        self._raise_if_finalized()
        for library in dict.fromkeys(self._linking_libraries):
            self._reload_init.update(library._reload_init)
            self._final_module.link_in(library._get_module_for_linking(), preserve=True)
        if len(self._final_module.as_bitcode()) <= _SMALL:
            self._optimize_final_module()
        self._final_module.verify()
        self._finalize_dynamic_globals()
        self._finalized = True


_compare_flags = TargetConfig.__eq__


def _same_flags(flags: Any, others: Any) -> Any:
    """What numba's own comparison says, sooner: flags that were set alike are equal."""
    if flags is others or (type(flags) is type(others) and flags._values == others._values):
        return True
    return _compare_flags(flags, others)


@contextlib.contextmanager
def whole_kernels() -> Iterator[None]:
    """Inside, kernels are compiled so."""
    codegen = cpu_target.target_context.codegen()
    set_environment = codegen.set_env

    def set_known_environment(name: str, environment: Any) -> None:
        # The Python objects that a function needs; an inner function, which has no machine code yet, needs none.
        if codegen._engine.get_global_value_address(name):
            set_environment(name, environment)

    codegen._library_class, codegen.set_env = _KernelLibrary, set_known_environment
    TargetConfig.__eq__ = _same_flags
    try:
        yield
    finally:
        TargetConfig.__eq__ = _compare_flags
        del codegen._library_class, codegen.set_env  # what the class says holds again
