"""Cells with a layout, computed with by a backend's core: what fused operations are written in."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from tensorlab import folds
from tensorlab.backends.operands import Buffer, Memory, OperandLayout
from tensorlab.backends.protocol import IndexLayout
from tensorlab.core import dtypes, layout
from tensorlab.core.broadcasting import broadcast_shapes, broadcast_strides
from tensorlab.core.dtypes import dtype
from tensorlab.scalars import TABLE, TRUTH

if TYPE_CHECKING:
    from tensorlab.backends.protocol import Core

Operand = "Array | int | float"


def compute_type(element_type: dtype) -> dtype:
    """The type to compute in: sixteen-bit floats are widened to float32."""
    return dtypes.float32 if element_type.is_floating_point and element_type.itemsize == 2 else element_type


class Array:
    """Some cells of a backend, with the shape and the strides of the elements among them."""

    __slots__ = ("backend", "buffer", "dtype", "shape", "strides")

    def __init__(
        self,
        backend: Core,
        buffer: Buffer,
        element_type: dtype,
        shape: Sequence[int],
        strides: Sequence[int] | None = None,
    ) -> None:
        self.backend, self.buffer, self.dtype = backend, buffer, element_type
        self.shape = tuple(shape)
        self.strides = layout.default_strides(self.shape) if strides is None else tuple(strides)

    @property
    def cells(self) -> Memory:
        """The cells, of what `new` and the operations below make."""
        return self.buffer[0]

    def view(self, shape: Sequence[int], strides: Sequence[int] | None = None, offset: int = 0) -> Array:
        """The same cells with another layout, row-major if no strides are given."""
        cells, first = self.buffer
        return Array(self.backend, (cells, first + offset), self.dtype, shape, strides)

    def turned(self) -> Array:
        """The last two dimensions exchanged."""
        *shape, m, n = self.shape
        *strides, row, column = self.strides
        return self.view((*shape, n, m), (*strides, column, row))

    def put(self, name: str, *operands: Any) -> None:
        """Overwrite the elements with a row of the scalar table, of operands that are broadcast to them."""
        read = [o if isinstance(o, Array) else _number(self.dtype, o) for o in operands]
        arrays = [o for o in read if isinstance(o, Array)]
        met = arrays[-1].dtype if arrays else self.dtype  # the first one may be the condition of `where`
        for array in arrays if name != "where" else arrays[1:]:
            met = dtypes.promote_types(met, array.dtype)
        layouts: list[OperandLayout] = []
        buffers: list[Any] = []
        for operand in read:
            if isinstance(operand, Array):
                strides = broadcast_strides(operand.shape, operand.strides, self.shape)
                layouts.append(OperandLayout(operand.dtype, strides))
                buffers.append(operand.buffer)
            else:
                layouts.append(OperandLayout(operand[0], (0,) * len(self.shape), is_number=True))
                buffers.append(operand[1])
        out = OperandLayout(self.dtype, self.strides)
        self.backend.pointwise(TABLE[name], compute_type(met), self.shape, out, layouts)(
            self.buffer, *buffers
        )

    def map(self, name: str, *others: Any, dtype: dtype | None = None) -> Array:
        """A row of the scalar table of this array and others, in this one's dtype if no other is given."""
        shapes = [self.shape, *[other.shape for other in others if isinstance(other, Array)]]
        kind = dtypes.bool if TABLE[name].result == TRUTH else dtype or self.dtype
        made = new(self.backend, broadcast_shapes(*shapes), kind)
        made.put(name, self, *others)
        return made

    def to(self, element_type: dtype) -> Array:
        """The elements in another dtype, row-major in new memory."""
        return self.map("copy", dtype=element_type)

    def fold(self, name: str, *dims: int, dtype: dtype | None = None) -> Array:
        """A row of the table of folds over some dimensions, which become 1."""
        dims = tuple(dim % len(self.shape) for dim in dims)
        value = compute_type(self.dtype)
        shape = [1 if dim in dims else size for dim, size in enumerate(self.shape)]
        made = new(self.backend, shape, dtype or value)
        strides = [0 if dim in dims else stride for dim, stride in enumerate(made.strides)]
        out, source = OperandLayout(made.dtype, tuple(strides)), OperandLayout(self.dtype, self.strides)
        self.backend.reduce(folds.TABLE[name], value, self.shape, dims, out, source)(made.buffer, self.buffer)
        return made

    def item(self) -> Any:
        """The first element as a Python number."""
        return self.backend.download(self.cells)[self.buffer[1]]

    def matmul(self, other: Array, out: Array | None = None) -> Array:
        """Products of matrices, in this dtype, for a batch that both share; added to `out` if it is given."""
        *batch, m, k = self.shape
        sizes = m, other.shape[-1], k
        made = out or new(self.backend, (*batch, m, other.shape[-1]), self.dtype)
        strides = made.strides, self.strides, other.strides
        if out is None:
            launch = self.backend.gemm(self.dtype, batch, sizes, *strides)
            launch(made.buffer, self.buffer, other.buffer)
        else:
            launch = self.backend.gemm(self.dtype, batch, sizes, *strides, source=made.strides)
            launch(made.buffer, self.buffer, other.buffer, made.buffer, 1, 1)
        return made

    def gather(self, size: int, step: int, index: Array) -> Array:
        """For each element the one that lies ``index * step`` cells behind it."""
        made = new(self.backend, self.shape, self.dtype)
        made._indexed("gather", self, size, step, index)
        return made

    def scatter(self, action: str, size: int, step: int, index: Array, values: Array) -> None:
        """Combine values with the elements that lie ``index * step`` cells behind these."""
        self._indexed(action, values, size, step, index)

    def _indexed(self, action: str, other: Array, size: int, step: int, index: Array) -> None:
        if 0 in self.shape:
            return
        strides = [broadcast_strides(a.shape, a.strides, self.shape) for a in (other, index)]
        places = (IndexLayout(strides[1], size, step),)
        launch = self.backend.indexed(action, self.shape, self.strides, strides[0], places)
        launch(self.buffer, other.buffer, index.buffer)


def new(backend: Core, shape: Sequence[int], element_type: dtype) -> Array:
    """New memory, row-major, that holds whatever it held before."""
    memory = backend.allocate(layout.numel(tuple(shape)), element_type.cell)
    return Array(backend, (memory, 0), element_type, shape)


def filled(backend: Core, shape: Sequence[int], element_type: dtype, value: float) -> Array:
    """New memory with one number everywhere."""
    made = new(backend, shape, element_type)
    made.put("copy", value)
    return made


def numbered(backend: Core, count: int) -> Array:
    """The numbers 0, 1, … as int64."""
    made = new(backend, (count,), dtypes.int64)
    backend.fill(made.buffer, count, np.int64(0), 1)
    return made


def of_host(backend: Core, values: Any, element_type: dtype = dtypes.int64) -> Array:
    """Numbers of the host in the backend's memory."""
    array = np.asarray(values, element_type.cell)
    return Array(backend, (backend.upload(array.data), 0), element_type, array.shape)


def _number(element_type: dtype, value: float) -> tuple[dtype, float]:
    return dtypes.float64 if element_type.is_floating_point else dtypes.int64, value
