"""Guards: the structs and buffers that uncompiled verbs are given, which notice what compiled code would do silently.

An index out of range, a float stored in an integer, a number too large for its field and a write into what is only to
be read raise at the very line.
"""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["GUARD", "Guarded", "GuardedStruct", "guard", "guard_struct"]

GUARD = -0x5EED5EED5EED
"""What a buffer holds where nobody has written: no move, and no number that anyone would come by."""


class Guarded(np.ndarray[Any, Any]):
    """An array that refuses negative indices and values that do not fit, and gives whole numbers as compiled code sees
    them: 64 bits wide, so that nothing overflows early.
    """

    label = "an array"

    def __array_finalize__(self, parent: Any) -> None:
        self.label = getattr(parent, "label", self.label)

    def __getitem__(self, index: Any) -> Any:
        self._check(index)
        return _seen(super().__getitem__(index), f"{self.label}[{index}]")

    def __setitem__(self, index: Any, value: Any) -> None:
        self._check(index)
        if not self.flags.writeable:
            raise TypeError(f"{self.label} is only to be read")
        _check_fits(value, self.dtype, self.label)
        super().__setitem__(index, value)

    def _check(self, index: Any) -> None:
        for axis, part in enumerate(index if isinstance(index, tuple) else (index,)):
            if isinstance(part, float | np.floating):
                raise IndexError(f"the index {part!r} of {self.label} is a float; write // for /")
            if isinstance(part, int | np.integer) and axis < self.ndim and not 0 <= part < self.shape[axis]:
                hint = "; facts.most_moves says how many moves fit" if self.label == "out" and part > 0 else ""
                raise IndexError(f"{self.label} has no index {part}, only 0 to {self.shape[axis] - 1}{hint}")


class GuardedStruct(np.record):  # type: ignore[misc]  # NumPy allows it
    """A struct that refuses fields it does not have and values that do not fit; made by `guard_struct`."""

    def __getattribute__(self, name: str) -> Any:
        if name.startswith("_") or name == "dtype":
            return np.void.__getattribute__(self, name)
        fields = self.dtype.names or ()
        if name not in fields:
            raise AttributeError(f"{self._kind} has no field '{name}', only {', '.join(fields)}")
        return _seen(np.void.__getitem__(self, name), f"{self._label}.{name}")

    def __setattr__(self, name: str, value: Any) -> None:
        if name.startswith("_"):
            object.__setattr__(self, name, value)
            return
        getattr(self, name)
        label = f"{self._label}.{name}"
        if not self._writable:
            raise TypeError(f"{label} is only to be read")
        _check_fits(value, self.dtype[name].base, label)
        np.void.__setitem__(self, name, value)

    def __getitem__(self, name: Any) -> Any:
        return getattr(self, name)

    def __setitem__(self, name: Any, value: Any) -> None:
        setattr(self, name, value)

    _label = "s"
    _kind = "State"
    _writable = True


def guard_struct(record: Any, label: str = "s", kind: str = "State", writable: bool = True) -> GuardedStruct:
    """The same struct, guarded; messages call it `label`, and its type `kind`."""
    guarded: GuardedStruct = record.view(np.dtype((GuardedStruct, record.dtype)))
    guarded._label, guarded._kind, guarded._writable = label, kind, writable
    return guarded


def guard(array: Any, label: str) -> Guarded:
    """The same array, guarded."""
    guarded: Guarded = array.view(Guarded)
    guarded.label = label
    return guarded


def _seen(value: Any, label: str) -> Any:
    """What is read, as compiled code computes with it, and with guards around what has parts."""
    if isinstance(value, np.void):
        return guard_struct(value, label, "the struct")
    if isinstance(value, np.ndarray):
        return guard(value, label.partition("[")[0])
    if isinstance(value, np.integer) and not isinstance(value, np.uint64):
        return np.int64(value)
    return value


def _check_fits(value: Any, kind: Any, label: str) -> None:
    """Raise TypeError or OverflowError if a store of `value` would change it."""
    if kind.kind not in "iub":
        return
    if isinstance(value, np.ndarray):
        if value.dtype.kind not in "iub":
            raise TypeError(f"{label} holds whole numbers, but is given an array of {value.dtype}")
        return
    if isinstance(value, float | np.floating):
        raise TypeError(f"{label} holds whole numbers, but is given the float {float(value):g}; write // for /")
    if not isinstance(value, int | np.integer | np.bool_):
        raise TypeError(f"{label} holds whole numbers, but is given {value!r}")
    low, high = (0, 1) if kind.kind == "b" else (np.iinfo(kind).min, np.iinfo(kind).max)
    if not low <= value <= high:
        raise OverflowError(f"{label} holds {kind.name}, {low} to {high}, but is given {value}")
