"""Copies through the door: a tensor or a number into every element of a tensor, converted to its dtype."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from tensorlab.backends import Backend, Buffer, Launch, OperandLayout
from tensorlab.core import broadcasting, layout
from tensorlab.core.cells import encode_one
from tensorlab.core.dtypes import dtype
from tensorlab.core.layout import Size
from tensorlab.core.memory_formats import (
    format_strides,
    is_non_overlapping_and_dense,
    preserve_format,
    preserved_strides,
)
from tensorlab.dispatch.guards import guard_layout, guard_memory, guard_readonly
from tensorlab.dispatch.memory import allocate, as_new
from tensorlab.dispatch.operands import Number, check_number, widened
from tensorlab.dispatch.primitive import Operand, Primitive, Result, compute_into
from tensorlab.scalars import TABLE
from tensorlab.tensor import Tensor, make_tensor


class Copy(Primitive):
    """The elements of a tensor in new memory, or in a tensor that is there, converted to its dtype.

    Its params, if any, are the dtype and the memory format of a new tensor.
    """

    name = "copy"

    def result(self, operands: Sequence[Any], params: tuple) -> Result:
        """See `Primitive.result`."""
        (source,) = operands
        element_type, memory_format = params or (source._dtype, preserve_format)
        if memory_format is preserve_format:
            return Result(source._shape, preserved_strides(source._shape, source._stride), element_type)
        return Result(source._shape, format_strides(source._shape, memory_format), element_type)

    def launch(self, backend: Backend, result: Result, operands: Sequence[Any], params: tuple) -> Launch:
        """See `Primitive.launch`."""
        (source,) = operands
        out, read = OperandLayout(result.dtype, result.stride), OperandLayout(source._dtype, source._stride)
        return backend.pointwise(TABLE["copy"], widened(source._dtype), result.shape, out, [read])

    def check_out(self, out: Tensor, result: Result, operands: Sequence[Operand], brought: bool) -> None:
        """Any dtype may be written into any other."""


COPY = Copy()


def reader(
    backend: Backend, operand: Tensor, stride: tuple[int, ...], element_type: dtype | None = None
) -> Callable[[Buffer], Buffer]:
    """What gives a kernel an operand in the dense strides, and in the dtype, that it works in.

    Returns:
        a function of the operand's buffer: it is returned as it is, or copied into new memory.
    """
    element_type = element_type or operand._dtype
    if operand._stride == stride and operand._dtype is element_type:
        return _as_it_lies
    out, source = OperandLayout(element_type, stride), OperandLayout(operand._dtype, operand._stride)
    copy = backend.pointwise(TABLE["copy"], widened(operand._dtype), operand._shape, out, [source])
    count = layout.numel(operand._shape)

    def read(buffer: Buffer) -> Buffer:
        made = backend.allocate(count, element_type.cell), 0
        copy(made, buffer)
        return made

    return read


def _as_it_lies(buffer: Buffer) -> Buffer:
    return buffer


def writer(
    backend: Backend, shape: Size, out: OperandLayout, stride: tuple[int, ...]
) -> Callable[[Buffer, Callable[[Buffer], None]], None]:
    """What takes results from a kernel that makes them in other dense strides than those of `out`.

    Returns:
        a function of `out`'s buffer, and of what fills a buffer of the kernel's: `out`'s own if it lies so.
    """
    if out.strides == stride:
        return _filled_where_it_lies
    made = OperandLayout(out.dtype, stride)
    copy = backend.pointwise(TABLE["copy"], widened(out.dtype), shape, out, [made])
    count = layout.numel(shape)

    def write(buffer: Buffer, fill: Callable[[Buffer], None]) -> None:
        results = backend.allocate(count, out.dtype.cell), 0
        fill(results)
        copy(buffer, results)

    return write


def _filled_where_it_lies(buffer: Buffer, fill: Callable[[Buffer], None]) -> None:
    fill(buffer)


def write(target: Tensor, source: Operand) -> None:
    """Overwrite every element of `target` with `source`, which is broadcast to it and converted.

    Raises:
        RuntimeError: the shapes do not fit, the number does not fit into the dtype, or the write is refused
            by `guard_write`.
    """
    if not isinstance(source, Tensor):
        guard_layout(target)
        fill(target, source)
        return
    if source._shape != target._shape:
        guard_memory(target, (source,))
        source = _expanded(source, target._shape)
    compute_into(target, COPY, (source,))


def write_new(target: Tensor, source: Tensor) -> None:
    """`write` into a tensor that nobody else holds yet: its first elements do not count as a change."""
    version = target._storage._version
    write(target, source)
    target._storage._version = version


def fill(target: Tensor, value: Number) -> None:
    """Overwrite every element of `target` with one number. Elements may share cells: they all become equal.

    Raises:
        RuntimeError: the number does not fit into the dtype, or the memory is read-only.
    """
    guard_readonly(target)
    if isinstance(value, float):
        check_number(value, target._dtype)
    cell, backend = encode_one(value, target._dtype), target._storage.backend
    if is_non_overlapping_and_dense(target._shape, target._stride):
        target._storage._version += 1
        backend.fill(target._buffer(), layout.numel(target._shape), cell)
        return
    one = allocate(Size(), target._dtype, backend)
    backend.fill(one._buffer(), 1, cell)
    if 0 in target._stride:
        sizes = [1 if not step else size for size, step in zip(target._shape, target._stride, strict=True)]
        target = make_tensor(target._storage, target._dtype, Size(sizes), target._stride, target._offset)
    compute_into(target, COPY, (_expanded(one, target._shape),))


def _expanded(tensor: Tensor, shape: Size) -> Tensor:
    strides = broadcasting.expand_strides(tensor._shape, tensor._stride, shape)
    if isinstance(strides, layout.Refusal):
        raise RuntimeError(strides.reason)
    return make_tensor(tensor._storage, tensor._dtype, shape, strides, tensor._offset)


def converted(operand: Operand, to: dtype, place: Backend) -> Tensor:
    """An operand as a row-major tensor of another dtype, where it lies; a number, at a place of its own."""
    shape, backend = (
        (operand._shape, operand._storage.backend) if isinstance(operand, Tensor) else (Size(), place)
    )
    result = allocate(shape, to, backend)
    write(result, operand)
    return as_new(result)
