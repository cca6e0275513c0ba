"""Machine code that kernels call without having it compiled into themselves.

Where one of Numba's functions calls another, the other is compiled once by itself, and once more as a part of
the caller. For large functions that is most of the time that the caller takes to compile. Here the caller
knows an address, or a name that the linker has an address for.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from llvmlite import binding, ir
from numba.core import cgutils, config, types
from numba.extending import intrinsic
from numba.np.numpy_support import as_dtype

from tensorlab.backends.cpu.pointers import Pointer

__all__ = ["address_in", "address_of", "call_at", "called", "external", "table_of"]


def address_in(compiled: Any) -> int:
    """Where the machine code begins that Numba has compiled: an item of a kernel's `overloads`."""
    address: int = compiled.library.get_pointer_to_function(compiled.fndesc.llvm_func_name)
    return address


def address_of(kernel: Any, kinds: Sequence[types.Type]) -> int:
    """Where the machine code of a kernel begins that is compiled for arguments of these types."""
    kernel.compile(tuple(kinds))
    return address_in(kernel.overloads[tuple(kinds)])


def external(symbol: str, kernel: Callable, kinds: Sequence[types.Type]) -> Callable:
    """A function, as kernels call it into which it is not compiled.

    Args:
        symbol: the linker's name for it. Kernels that are kept on disk know it by this name, so in every
            process it must be given out before they are loaded.
        kernel: compiled by Numba; it returns nothing.
        kinds: the types of its arguments.
    """
    if config.DISABLE_JIT:  # type: ignore[attr-defined]  # set when Numba reads the environment
        return kernel
    binding.add_symbol(symbol, address_of(kernel, kinds))

    def typed(typing, *given):  # type: ignore[no-untyped-def]
        def generate(context, builder, signature, values):  # type: ignore[no-untyped-def]
            function = context.call_conv.get_function_type(types.none, kinds)
            declared = cgutils.get_or_insert_function(builder.module, function, symbol)
            return called(context, builder, declared, types.none, kinds, values)

        return types.none(*kinds), generate

    names = ["typing", *(f"value_{i}" for i in range(len(kinds)))]
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    typed.__signature__ = inspect.Signature([inspect.Parameter(name, kind) for name in names])  # type: ignore[attr-defined]
    found: Callable = intrinsic(typed)
    return found


def table_of(functions: Sequence[tuple[Callable, Sequence[types.Type]]]) -> Any:
    """What a kernel is given to call functions by: their addresses, or, interpreted, what calls them.

    A kernel that does not know the type of a cell may pass any pointer for a function's pointers.

    Args:
        functions: pairs of a function that Numba compiles, and the types of its arguments.
    """
    if config.DISABLE_JIT:  # type: ignore[attr-defined]
        return np.array([_seeing(function, kinds) for function, kinds in functions], object)
    return np.array([address_of(function, kinds) for function, kinds in functions], np.int64)


def _seeing(function: Callable, kinds: Sequence[types.Type]) -> Callable:
    """The function, for pointers to any cells: it sees cells of the types of its own."""
    cells = [as_dtype(kind.dtype) if isinstance(kind, types.CPointer) else None for kind in kinds]

    def call(*arguments: Any) -> Any:
        seen = [
            argument.seen_as(cell) if cell and isinstance(argument, Pointer) else argument
            for argument, cell in zip(arguments, cells, strict=True)
        ]
        return function(*seen)

    return call


def called(
    context: Any, builder: Any, function: Any, result: types.Type, kinds: Sequence[types.Type], values: Any
) -> Any:
    """The result of a function of Numba's, called with values of these types; an error is passed on.

    Args:
        context, builder: the compiler's.
        function: the function, or its address as an integer.
        result: the type of what it returns.
        kinds: the types of its arguments.
        values: the arguments.
    """
    kinds = tuple(kinds)
    if isinstance(function.type, ir.IntType):
        declared = context.call_conv.get_function_type(result, kinds)
        function = builder.inttoptr(function, declared.as_pointer())
    status, value = context.call_conv.call_function(builder, function, result, kinds, values)
    with cgutils.if_unlikely(builder, status.is_error):
        context.call_conv.return_status_propagate(builder, status)
    return context.get_dummy_value() if result is types.none else value


def _calling(typing, address, arguments):  # type: ignore[no-untyped-def]
    def generate(context, builder, signature, values):  # type: ignore[no-untyped-def]
        given = cgutils.unpack_tuple(builder, values[1])
        return called(context, builder, values[0], types.none, arguments, given)

    return types.none(types.intp, arguments), generate


def _call_itself(function: Callable, arguments: tuple) -> Any:
    return function(*arguments)


# call_at(address, arguments): calls the function that lies there and returns nothing, with a tuple.
call_at: Any = _call_itself if config.DISABLE_JIT else intrinsic(_calling)  # type: ignore[attr-defined]
