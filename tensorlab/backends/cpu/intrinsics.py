"""Instructions that Python has no word for: maximum, minimum, prefetch; and two that it has words for.

Numba makes functions of Python's `min` and `max`, and compiles them for each kernel: that takes 0.06 s. Here
they are instructions.

Each has a twin in plain Python, which takes its place under ``NUMBA_DISABLE_JIT=1``.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba.core import cgutils, config, types
from numba.extending import intrinsic

__all__ = ["greater", "lesser", "maximum", "minimum", "prefetch"]


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


if config.DISABLE_JIT:  # type: ignore[attr-defined]
    lesser: Any = min
    greater: Any = max
    maximum: Any = np.maximum
    minimum: Any = np.minimum

    def _nothing(cells: np.ndarray, position: int) -> None:
        """The interpreter cannot ask for memory ahead of time."""

    prefetch: Any = _nothing

else:
    # The lesser and the greater of two integers.
    lesser = _of_two_integers("lesser", "<")
    greater = _of_two_integers("greater", ">")
    # The greater and the lesser of two floats; NaN if either is NaN. Neither `max` nor a comparison becomes
    # vector code in a loop that carries the result along.
    maximum = _of_two_floats("maximum")
    minimum = _of_two_floats("minimum")
    # Asks for the memory around cells[position], which may lie outside of the array: it is a hint.
    prefetch = intrinsic(_prefetch)
