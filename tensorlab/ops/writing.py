"""New memory, and writes: a number or another tensor into every element of one.

Whoever writes cells calls `guard_write`, counts the write, and then writes (see `tensorlab.ops.dispatch`).
"""

from __future__ import annotations

import functools

import numpy as np

from tensorlab import broadcasting, dtypes, layout, scalars
from tensorlab.backends import Launch, OperandLayout, backend
from tensorlab.cells import encode_one
from tensorlab.dtypes import dtype
from tensorlab.layout import Size
from tensorlab.memory_formats import contiguous_format, format_strides
from tensorlab.ops.guards import guard_layout, guard_memory, guard_readonly, guard_write
from tensorlab.ops.operands import Number, check_number, widened
from tensorlab.ops.plans import MOST_PLANS, remember
from tensorlab.storage import UNTRACKED, UntypedStorage
from tensorlab.tensor import Tensor, dense_cells, make_dense, make_tensor

__all__ = [
    "SMALL",
    "allocate",
    "allocate_strided",
    "as_new",
    "counted",
    "fill",
    "filled",
    "write",
    "write_new",
]

# Up to this many cells NumPy fills or copies a run sooner than a kernel is called.
SMALL = 4096

_launches: dict[tuple, Launch] = {}


def allocate(shape: Size, element_type: dtype) -> Tensor:
    """A dense row-major tensor with whatever the memory held before."""
    memory = np.empty(layout.numel(shape), element_type.cell)
    return make_dense(memory, element_type, shape, format_strides(shape, contiguous_format))


def allocate_strided(shape: Size, stride: tuple[int, ...], element_type: dtype) -> Tensor:
    """A tensor of the given dense strides, over memory of its own that holds whatever it held before."""
    memory = np.empty(layout.numel(shape), element_type.cell)
    if stride == format_strides(shape, contiguous_format):
        return make_dense(memory, element_type, shape, stride)
    return make_tensor(UntypedStorage(memory), element_type, shape, stride, 0)


def filled(shape: Size, stride: tuple[int, ...] | None, element_type: dtype, value: Number) -> Tensor:
    """A tensor of the given dense strides, row-major without them, with one number in every element.

    Raises:
        RuntimeError: the number does not fit into the dtype.
    """
    if isinstance(value, float) or element_type is dtypes.float16:
        check_number(value, element_type)
    sizes = _row_major(shape)
    if (stride is None or stride == sizes[1]) and 0 < sizes[0] <= SMALL and _is_cell(value, element_type):
        made = make_dense(np.empty(sizes[0], element_type.cell), element_type, shape, sizes[1])
        made._dense.fill(value)  # type: ignore[union-attr]  # it is a run
        return made
    zeros = type(value) is int and value == 0
    count, row_major = sizes
    # The operating system hands out zeroed pages, so large zeros cost nothing until touched.
    memory = (np.zeros if zeros else np.empty)(count, element_type.cell)
    if stride is None or stride == row_major:
        made = make_dense(memory, element_type, shape, row_major)
    else:
        made = make_tensor(UntypedStorage(memory), element_type, shape, stride, 0)
    if not zeros:
        if count <= SMALL and _is_cell(value, element_type):
            memory.fill(value)
        else:
            _overwrite(made, encode_one(value, element_type))
    return made


@functools.lru_cache(MOST_PLANS)
def _row_major(shape: Size) -> tuple[int, tuple[int, ...]]:
    """How many elements a shape has, and its strides in row-major order."""
    return layout.numel(shape), layout.default_strides(shape)


def write(target: Tensor, source: Tensor | Number) -> None:
    """Overwrite every element of `target` with `source`, which is broadcast to it and converted.

    Raises:
        RuntimeError: the shapes do not fit, the number does not fit into the dtype, or the write is refused
            by `guard_write`.
    """
    if not isinstance(source, Tensor):
        guard_write(target)
        fill(target, source)
        return
    guard_memory(target, (source,))
    key = (
        "write",
        target._dtype,
        target._shape,
        target._stride,
        source._dtype,
        source._shape,
        source._stride,
    )
    launch = _launches.get(key)
    if launch is None:
        guard_layout(target)
        launch = remember(_launches, key, _copy_launch(target, source))
    buffers = target._buffer(), source._buffer()
    target._storage._version += 1
    launch(*buffers)


def write_new(target: Tensor, source: Tensor) -> None:
    """`write` into a tensor that nobody else holds yet: its first elements do not count as a change."""
    version = target._storage._version
    write(target, source)
    target._storage._version = version


def as_new(made: Tensor) -> Tensor:
    """A tensor that nobody else holds yet: that it was written once does not count as a change."""
    return counted(made, 0)


def next_version(out: Tensor | None) -> int:
    """The version that a result has once it is there: 0 of a new tensor, and one more of an `out`."""
    return 0 if out is None else out._storage._version + 1


def counted(made: Tensor, version: int) -> Tensor:
    """A tensor whose version is this, however many writes it took to fill it."""
    if made._storage._version is not UNTRACKED:
        made._storage._version = version
    return made


def fill(target: Tensor, value: Number) -> None:
    """Overwrite every element of `target` with one number. Elements may share cells: they all become equal.

    Raises:
        RuntimeError: the number does not fit into the dtype, or the memory is read-only.
    """
    guard_readonly(target)
    if isinstance(value, float):
        check_number(value, target._dtype)
    dense = target._dense if target._dense is not None else dense_cells(target)
    if dense is not False and dense.size <= SMALL and _is_cell(value, target._dtype):
        target._storage._version += 1
        dense.fill(value)
        return
    cell = encode_one(value, target._dtype)
    target._storage._version += 1
    _overwrite(target, cell)


def _is_cell(value: Number, element_type: dtype) -> bool:
    """Whether NumPy makes of a number the cell that it is encoded as: a short int, or a float for a float."""
    if type(value) is float:
        return element_type.is_floating_point and element_type.itemsize >= 4
    if type(value) is not int or not 0 <= value < 128:
        return False
    return value == 0 or (element_type is not dtypes.float16 and element_type is not dtypes.bfloat16)


def _overwrite(target: Tensor, cell: np.generic) -> None:
    dense = target._dense if target._dense is not None else dense_cells(target)
    if dense is not False and dense.size <= SMALL:
        dense.fill(cell)
        return
    source = make_dense(np.array([cell]), target._dtype, Size(), ())
    key = ("fill", target._dtype, target._shape, target._stride)
    launch = _launches.get(key)
    if launch is None:
        launch = remember(_launches, key, _copy_launch(target, source))
    launch(target._buffer(), source._buffer())


def _copy_launch(target: Tensor, source: Tensor) -> Launch:
    strides = broadcasting.expand_strides(source.shape, source.stride(), target.shape)
    if isinstance(strides, layout.Refusal):
        raise RuntimeError(strides.reason)
    written, read = OperandLayout(target.dtype, target.stride()), OperandLayout(source.dtype, strides)
    copy = scalars.TABLE["copy"]
    return backend("cpu").pointwise(copy, widened(source.dtype), target.shape, written, [read])
