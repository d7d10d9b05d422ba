"""The machine instructions behind `gametree.kernels.atomics`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from gametree.kernels import atomics

__all__ = ["ATOMIC_INTRINSICS"]


def _exchange(record: Any, field: Any, value: Any, whole: str, real: str | None) -> Any:
    """Signature and code of one read-modify-write of a field."""
    if not (isinstance(record, types.Record) and isinstance(field, types.StringLiteral)):
        return None
    name = field.literal_value
    kind = record.typeof(name)
    operation = real if isinstance(kind, types.Float) else whole

    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        offset = record.offset(name)
        address = cgutils.get_record_member(builder, arguments[0], offset, context.get_data_type(kind))
        operand = context.cast(builder, arguments[2], value, kind)
        return builder.atomic_rmw(operation, address, operand, "seq_cst")

    return kind(record, field, value), code


@intrinsic(prefer_literal=True)  # type: ignore[untyped-decorator]
def _add_shared(typing_context: Any, record: Any, field: Any, value: Any) -> Any:
    return _exchange(record, field, types.unliteral(value), "add", "fadd")


@intrinsic(prefer_literal=True)  # type: ignore[untyped-decorator]
def _swap_shared(typing_context: Any, record: Any, field: Any, value: Any) -> Any:
    return _exchange(record, field, types.unliteral(value), "xchg", None)


ATOMIC_INTRINSICS: dict[Callable[..., Any], Any] = {
    atomics.add_shared: _add_shared,
    atomics.swap_shared: _swap_shared,
}
"""Python function → what compiled code calls instead."""
