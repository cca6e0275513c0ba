"""Arrays as the entry of a kernel takes them: borrowed from the caller, who keeps them alive meanwhile.

Numba asks NumPy for the parts of each array that it is given, and counts itself among the array's owners
until the call is over. Small calls spend much of their time on that. A kernel that keeps none of its
arguments needs no more than the parts, and they stand at the beginning of every array's object, where NumPy's
own C macros read them.

Inside a kernel a borrowed array is an array like any other.
"""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import numba
import numpy as np
from llvmlite import ir
from numba.core import types
from numba.core.datamodel import models
from numba.extending import NativeValue, register_model, unbox
from numba.np.arrayobj import populate_array

__all__ = ["DIGEST", "Borrowed", "borrowed_type"]

# NumPy's `PyArrayObject_fields`, in words behind what every Python object begins with. The number of
# dimensions, a C int, is the second of them.
HEADER = object.__basicsize__
DATA, SIZES, STRIDES = 0, 2, 3

# What is kept on disk of a kernel has this file's instructions in it, and Numba's cache does not see when
# they change: so the names of kernels do (see `tensorlab.backends.cpu.jit.load`).
DIGEST = hashlib.sha256(Path(__file__).read_bytes() + bytes([HEADER])).hexdigest()[:16]


class Borrowed(types.Array):
    """The compiler's type of an array that is not counted while the kernel runs."""

    def __init__(self, dtype: Any, ndim: int, layout: Any) -> None:
        super().__init__(dtype, ndim, layout, name=f"Borrowed({dtype}, {ndim}, {layout})")


register_model(Borrowed)(models.ArrayModel)


@unbox(Borrowed)  # type: ignore[untyped-decorator]
def _borrow(kind: Borrowed, array: Any, c: Any) -> NativeValue:
    """The instructions that read the parts of `array`, a pointer to the object."""
    builder, context = c.builder, c.context
    byte, word = ir.IntType(8), context.get_value_type(types.intp)
    fields = builder.bitcast(
        builder.gep(builder.bitcast(array, byte.as_pointer()), [word(HEADER)]), word.as_pointer()
    )

    def field(number: int, to: Any) -> Any:
        place = builder.bitcast(builder.gep(fields, [word(number)]), to.as_pointer().as_pointer())
        return builder.load(place, typ=to.as_pointer())

    def run(number: int) -> list[Any]:
        first = field(number, word)
        return [builder.load(builder.gep(first, [word(dim)]), typ=word) for dim in range(kind.ndim)]

    cell = context.get_data_type(kind.dtype)
    made = context.make_array(kind)(context, builder)
    populate_array(
        made, field(DATA, cell), run(SIZES), run(STRIDES), context.get_abi_sizeof(cell), meminfo=None
    )
    return NativeValue(made._getvalue())


def borrowed_type(kind: Any) -> types.Type:
    """The type that an entry has for arguments of this kind.

    Args:
        kind: something that has the type, a number or an array; a NumPy dtype stands for a contiguous vector
            of such cells. A tuple has the types of its parts.

    Example:
        >>> print(borrowed_type(np.dtype(np.float32)), borrowed_type(np.zeros((2, 3))), borrowed_type(1))
        Borrowed(float32, 1, C) Borrowed(float64, 2, C) int64
    """
    if type(kind) is tuple:
        return types.BaseTuple.from_types(tuple(map(borrowed_type, kind)))
    if isinstance(kind, np.dtype):
        return Borrowed(numba.from_dtype(kind), 1, "C")
    found = numba.typeof(kind)
    return Borrowed(found.dtype, found.ndim, found.layout) if isinstance(found, types.Array) else found
