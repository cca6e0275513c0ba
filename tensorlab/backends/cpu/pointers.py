"""Pointers inside kernels: to a cell of an array, moved by whole cells.

A kernel that is called millions of times takes one pointer where an array would be seven arguments. Cells are
read and written as ``pointer[3]``. Each function has a twin in plain Python, which takes its place under
``NUMBA_DISABLE_JIT=1``; there every access is checked against the array.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba.core import config, types
from numba.extending import intrinsic

__all__ = ["LINE", "Pointer", "advance", "at", "copy", "copy_second", "fetch_ahead"]

# Bytes to a line of every cache that is common today.
LINE = 64


class Pointer:
    """The interpreter's pointer: an array, and the position of a cell in it.

    Example:
        >>> pointer = Pointer(np.array([1.0, 2.0, 3.0]), 1)
        >>> pointer[0], pointer[-1]
        (np.float64(2.0), np.float64(1.0))
        >>> pointer[2]
        Traceback (most recent call last):
            ...
        IndexError: cell 3 of an array of 3 cells
    """

    __slots__ = ("array", "offset")

    def __init__(self, array: np.ndarray, offset: int) -> None:
        self.array, self.offset = array, int(offset)

    def __getitem__(self, cells: int) -> Any:
        return self.array[self._checked(cells)]

    def __setitem__(self, cells: int, value: Any) -> None:
        self.array[self._checked(cells)] = value

    def _checked(self, cells: int) -> int:
        position = self.offset + int(cells)
        if not 0 <= position < self.array.size:
            raise IndexError(f"cell {position} of an array of {self.array.size} cells")
        return position


@intrinsic
def _at(typing, array, offset):  # type: ignore[no-untyped-def]
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        first = context.make_array(signature.args[0])(context, builder, arguments[0]).data
        return builder.gep(first, [arguments[1]])

    return types.CPointer(array.dtype)(array, types.intp), generate


@intrinsic
def _advance(typing, pointer, cells):  # type: ignore[no-untyped-def]
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.gep(arguments[0], [arguments[1]])

    return pointer(pointer, types.intp), generate


@intrinsic(prefer_literal=True)
def _fetch_ahead(typing, pointer, cells):  # type: ignore[no-untyped-def]
    size = pointer.dtype.bitwidth // 8

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        byte, number = ir.IntType(8).as_pointer(), ir.IntType(32)
        declared = ir.FunctionType(ir.VoidType(), [byte, number, number, number])
        function = builder.module.declare_intrinsic("llvm.prefetch.p0", (), declared)
        for line in range(0, cells.literal_value * size, LINE):
            first = builder.gep(arguments[0], [ir.Constant(ir.IntType(64), line // size)])
            last = [number(1), number(3), number(1)]  # to write, keep near, data
            builder.call(function, [builder.bitcast(first, byte), *last])
        return context.get_dummy_value()

    if not isinstance(cells, types.IntegerLiteral):
        return None
    return types.none(pointer, cells), generate


@intrinsic(prefer_literal=True)
def _copy(typing, source, to, cells):  # type: ignore[no-untyped-def]
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        read, write, _ = arguments
        run = ir.VectorType(context.get_data_type(source.dtype), cells.literal_value)
        size = source.dtype.bitwidth // 8
        value = builder.load(builder.bitcast(read, run.as_pointer()), align=size, typ=run)
        builder.store(value, builder.bitcast(write, run.as_pointer()), align=size)
        return context.get_dummy_value()

    if not isinstance(cells, types.IntegerLiteral):
        return None
    return types.none(source, to, cells), generate


@intrinsic(prefer_literal=True)
def _copy_second(typing, source, to, cells):  # type: ignore[no-untyped-def]
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        read, write, _ = arguments
        count, size = cells.literal_value, source.dtype.bitwidth // 8
        run = ir.VectorType(context.get_data_type(source.dtype), count)
        # The second half begins one cell early, so that nothing behind the last cell is read.
        later = builder.gep(read, [ir.Constant(ir.IntType(64), count - 1)])
        halves = [
            builder.load(builder.bitcast(half, run.as_pointer()), align=size, typ=run)
            for half in (read, later)
        ]
        lanes = [2 * lane if lane < count // 2 else 2 * lane + 1 for lane in range(count)]
        order = ir.Constant(ir.VectorType(ir.IntType(32), count), lanes)
        value = builder.shuffle_vector(*halves, order)
        builder.store(value, builder.bitcast(write, run.as_pointer()), align=size)
        return context.get_dummy_value()

    if not isinstance(cells, types.IntegerLiteral) or cells.literal_value % 2:
        return None
    return types.none(source, to, cells), generate


def _nothing(pointer: Pointer, cells: int) -> None:
    """The interpreter cannot ask for memory ahead of time."""


def _copied(source: Pointer, to: Pointer, cells: int) -> None:
    for i in range(cells):
        to[i] = source[i]


def _copied_second(source: Pointer, to: Pointer, cells: int) -> None:
    for i in range(cells):
        to[i] = source[2 * i]


def _advanced(pointer: Pointer, cells: int) -> Pointer:
    return Pointer(pointer.array, pointer.offset + cells)


if config.DISABLE_JIT:  # type: ignore[attr-defined]
    at: Any = Pointer
    advance: Any = _advanced
    copy: Any = _copied
    copy_second: Any = _copied_second
    fetch_ahead: Any = _nothing
else:
    # The pointer to cell `offset` of a one-dimensional array.
    at = _at
    # The pointer so many cells further on.
    advance = _advance
    # copy(source, to, cells): so many cells (a constant) from one place to another, by whole vectors.
    copy = _copy
    # copy_second(source, to, cells): the same for every second cell (an even number of them, a constant).
    copy_second = _copy_second
    # Asks for the memory of so many cells (a constant). It is a hint: the pointer may lead anywhere.
    fetch_ahead = _fetch_ahead
