"""Instructions that Python has no word for: maximum, minimum, prefetch, memory on the stack, and others.

Numba makes functions of Python's `min` and `max`, and compiles them for each kernel: that takes 0.06 s. Here
they are instructions.

Each has a twin in plain Python, which takes its place under ``NUMBA_DISABLE_JIT=1``.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
from llvmlite import ir
from numba.core import cgutils, config, types
from numba.extending import intrinsic
from numba.np.arrayobj import populate_array

__all__ = ["divided", "fma", "greater", "lesser", "maximum", "minimum", "on_stack", "prefetch"]


def _of_two_floats(name: str) -> Any:
    """The LLVM intrinsic of this name, for two floats of one type."""

    def typed(context, a, b):  # type: ignore[no-untyped-def]
        def generate(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
            kind = arguments[0].type
            declared = ir.FunctionType(kind, [kind, kind])
            return builder.call(builder.module.declare_intrinsic(f"llvm.{name}", [kind], declared), arguments)

        return a(a, a), generate

    typed.__name__ = name
    return intrinsic(typed)


def _of_two_integers(name: str, comparison: str) -> Any:
    """The one of two integers that compares so with the other."""

    def typed(context, a, b):  # type: ignore[no-untyped-def]
        def generate(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
            return builder.select(builder.icmp_signed(comparison, *arguments), *arguments)

        if not all(isinstance(kind, types.Integer) and kind != types.uint64 for kind in (a, b)):
            return None
        return types.int64(types.int64, types.int64), generate

    typed.__name__ = name
    return intrinsic(typed)


def _divided(context, a, b):  # type: ignore[no-untyped-def]
    def generate(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
        found = [builder.udiv(*arguments), builder.urem(*arguments)]
        return context.make_tuple(builder, signature.return_type, found)

    return types.UniTuple(types.int64, 2)(types.int64, types.int64), generate


def _fused(context, a, b, c):  # type: ignore[no-untyped-def]
    def generate(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
        return builder.fma(*arguments)

    return a(a, a, a), generate


def _prefetch(context, cells, position):  # type: ignore[no-untyped-def]
    def generate(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
        array = context.make_array(signature.args[0])(context, builder, arguments[0])
        pointer = builder.bitcast(builder.gep(array.data, [arguments[1]]), cgutils.voidptr_t)
        number = ir.IntType(32)
        declared = ir.FunctionType(ir.VoidType(), [cgutils.voidptr_t, number, number, number])
        function = cgutils.get_or_insert_function(builder.module, declared, "llvm.prefetch.p0")
        builder.call(function, [pointer, number(0), number(3), number(1)])  # to read, keep near, data
        return context.get_dummy_value()

    return types.none(cells, position), generate


def _on_stack(context, like, count):  # type: ignore[no-untyped-def]
    kind = types.Array(like.dtype, 1, "C")

    def generate(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
        size, word = (
            context.get_abi_sizeof(context.get_data_type(like.dtype)),
            context.get_value_type(types.intp),
        )
        with builder.goto_entry_block():
            memory = builder.alloca(context.get_data_type(like.dtype), word(count.literal_value))
            memory.align = 64  # a line of the cache
        made = context.make_array(kind)(context, builder)
        populate_array(made, memory, [word(count.literal_value)], [word(size)], word(size), meminfo=None)
        return made._getvalue()

    return (kind(like, count), generate) if isinstance(count, types.IntegerLiteral) else None


def _fused_plainly(a: np.floating, b: np.floating, c: np.floating) -> np.floating:
    """`fma` for the interpreter, by exact fractions: Python has its own since 3.13, without float32.

    Python's conversion of a fraction to a float is rounded correctly. A float32 is rounded a second time;
    that goes wrong only where the first rounding made a tie out of what was none. So an inexact first result
    is moved to its neighbour with an odd last bit, which is never a tie.
    """
    if not (math.isfinite(a) and math.isfinite(b) and math.isfinite(c)):
        return a * b + c
    exact = Fraction(float(a)) * Fraction(float(b)) + Fraction(float(c))
    if not exact:
        return a * b + c  # which sign a zero has is decided by the operands
    rounded = float(exact)
    even = not np.float64(rounded).view(np.int64) & 1
    if isinstance(a, np.float32) and even and Fraction(rounded) != exact:
        rounded = math.nextafter(rounded, math.inf if exact > Fraction(rounded) else -math.inf)
    return type(a)(rounded)


if config.DISABLE_JIT:  # type: ignore[attr-defined]
    lesser: Any = min
    greater: Any = max
    maximum: Any = np.maximum
    minimum: Any = np.minimum

    def _nothing(cells: np.ndarray, position: int) -> None:
        """The interpreter cannot ask for memory ahead of time."""

    def _in_memory(like: np.ndarray, count: int) -> np.ndarray:
        return np.empty(count, like.dtype)

    divided: Any = divmod
    fma: Any = _fused_plainly
    prefetch: Any = _nothing
    on_stack: Any = _in_memory

else:
    # The lesser and the greater of two integers.
    lesser = _of_two_integers("lesser", "<")
    greater = _of_two_integers("greater", ">")
    # The greater and the lesser of two floats; NaN if either is NaN. Neither `max` nor a comparison becomes
    # vector code in a loop that carries the result along.
    maximum = _of_two_floats("maximum")
    minimum = _of_two_floats("minimum")
    # The quotient and the rest of two integers, neither of which is negative; the second is not 0.
    divided = intrinsic(_divided)
    # a * b + c, rounded once: what is the same on every device.
    fma = intrinsic(_fused)
    # Asks for the memory around cells[position], which may lie outside of the array: it is a hint.
    prefetch = intrinsic(_prefetch)
    # An array of so many cells (a constant) of an array's dtype. It is gone when the kernel returns.
    on_stack = intrinsic(prefer_literal=True)(_on_stack)
