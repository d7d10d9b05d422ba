"""Changes to a record that several threads share: each is one indivisible step of the processor.

All take a record of a structured array and the name of a field, written out as a literal, and return what the field
held before. Uncompiled code holds Python's lock and may run only one thread.
"""

from __future__ import annotations

from typing import Any

__all__ = ["add_shared", "swap_shared"]


def add_shared(record: Any, field: str, value: Any) -> Any:
    """Add to a field, whole or real."""
    before = record[field]
    record[field] = before + value
    return before


def swap_shared(record: Any, field: str, value: Any) -> Any:
    """Replace a whole number. Everything written before it is seen by a thread that reads the new value."""
    before = record[field]
    record[field] = value
    return before
