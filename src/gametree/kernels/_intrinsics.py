"""The machine instructions behind `gametree.kernels.bits` and `gametree.kernels.timer`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic
from numba.np.arrayobj import make_array, populate_array

from gametree.kernels import bits, timer
from gametree.kernels._atomic_intrinsics import ATOMIC_INTRINSICS

__all__ = ["INTRINSICS"]

_FALSE = ir.Constant(ir.IntType(1), 0)


@intrinsic
def _popcount(typing_context: Any, x: Any) -> Any:
    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.ctpop(arguments[0])

    return types.int64(types.uint64), code


@intrinsic
def _ctz(typing_context: Any, x: Any) -> Any:
    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.cttz(arguments[0], _FALSE)

    return types.int64(types.uint64), code


@intrinsic
def _clz(typing_context: Any, x: Any) -> Any:
    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.ctlz(arguments[0], _FALSE)

    return types.int64(types.uint64), code


@intrinsic
def _byteswap(typing_context: Any, x: Any) -> Any:
    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.bswap(arguments[0])

    return types.uint64(types.uint64), code


@intrinsic
def _multiply_high(typing_context: Any, x: Any, y: Any) -> Any:
    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        wide = ir.IntType(128)
        product = builder.mul(builder.zext(arguments[0], wide), builder.zext(arguments[1], wide))
        return builder.trunc(builder.lshr(product, ir.Constant(wide, 64)), ir.IntType(64))

    return types.uint64(types.uint64, types.uint64), code


@intrinsic
def _prefetch(typing_context: Any, array: Any, index: Any) -> Any:
    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        data = make_array(signature.args[0])(context, builder, arguments[0]).data
        size = ir.Constant(ir.IntType(64), context.get_abi_sizeof(context.get_data_type(signature.args[0].dtype)))
        address = cgutils.pointer_add(builder, data, builder.mul(arguments[1], size), ir.IntType(8).as_pointer())
        word = ir.IntType(32)
        kind = ir.FunctionType(ir.VoidType(), [ir.IntType(8).as_pointer(), word, word, word])
        hint = cgutils.get_or_insert_function(builder.module, kind, "llvm.prefetch.p0i8")
        builder.call(hint, [address, ir.Constant(word, 0), ir.Constant(word, 3), ir.Constant(word, 1)])
        return ir.Constant(ir.IntType(64), 0)

    return types.int64(array, types.uint64), code


@intrinsic
def _record_at(typing_context: Any, address: Any, kind: Any) -> Any:
    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.inttoptr(arguments[0], context.get_value_type(signature.return_type))

    return kind.dtype(types.uint64, kind), code


@intrinsic
def _array_at(typing_context: Any, address: Any, count: Any, kind: Any) -> Any:
    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        kind = signature.return_type
        array = make_array(kind)(context, builder)
        size = context.get_constant(types.intp, context.get_abi_sizeof(context.get_data_type(kind.dtype)))
        data = builder.inttoptr(arguments[0], context.get_data_type(kind.dtype).as_pointer())
        populate_array(array, data=data, shape=[arguments[1]], strides=[size], itemsize=size, meminfo=None)
        return array._getvalue()

    return types.Array(kind.dtype, 1, "C")(types.uint64, types.int64, kind), code


@intrinsic
def _monotonic_ns(typing_context: Any) -> Any:
    word, number = ir.IntType(64), ir.IntType(32)

    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        if timer.SYSTEM_CLOCK is None:
            return ir.Constant(word, 0)
        read = cgutils.get_or_insert_function(
            builder.module, ir.FunctionType(number, [number, word.as_pointer()]), "clock_gettime"
        )
        found = cgutils.alloca_once(builder, word, size=2)  # seconds and nanoseconds
        builder.call(read, [ir.Constant(number, timer.SYSTEM_CLOCK), found])
        seconds, rest = (builder.load(builder.gep(found, [ir.Constant(number, i)])) for i in range(2))
        return builder.add(builder.mul(seconds, ir.Constant(word, 1_000_000_000)), rest)

    return types.int64(), code


INTRINSICS: dict[Callable[..., Any], Any] = {
    bits.popcount: _popcount,
    bits.ctz: _ctz,
    bits.clz: _clz,
    bits.byteswap: _byteswap,
    bits.multiply_high: _multiply_high,
    bits.prefetch: _prefetch,
    bits.record_at: _record_at,
    bits.array_at: _array_at,
    timer.monotonic_ns: _monotonic_ns,
    **ATOMIC_INTRINSICS,
}
"""Python function → what compiled code calls instead."""
