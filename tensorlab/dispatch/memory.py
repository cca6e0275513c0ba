"""New memory, and the count of its writes. What is written into it passes `tensorlab.dispatch.primitive`."""

from __future__ import annotations

import functools

from tensorlab.backends import HOST, Backend
from tensorlab.backends.operands import Memory
from tensorlab.core import dtypes, layout
from tensorlab.core.cells import encode_one
from tensorlab.core.dtypes import dtype
from tensorlab.core.layout import Size
from tensorlab.core.view_rules import KEPT
from tensorlab.dispatch.operands import Number, check_number
from tensorlab.storage import UNTRACKED, UntypedStorage
from tensorlab.tensor import Tensor, make_dense, make_tensor


def allocate(shape: Size, element_type: dtype, backend: Backend = HOST) -> Tensor:
    """A row-major tensor with whatever the memory held before."""
    count, row_major = _row_major(shape)
    return make_dense(backend.allocate(count, element_type.cell), element_type, shape, row_major, backend)


def allocate_strided(
    shape: Size, stride: tuple[int, ...], element_type: dtype, backend: Backend = HOST
) -> Tensor:
    """A tensor of the given dense strides, over memory of its own that holds whatever it held before."""
    count, row_major = _row_major(shape)
    return _over(backend.allocate(count, element_type.cell), element_type, shape, stride, row_major, backend)


def filled(
    shape: Size,
    stride: tuple[int, ...] | None,
    element_type: dtype,
    value: Number,
    backend: Backend = HOST,
) -> Tensor:
    """A tensor of the given dense strides, row-major without them, with one number in every element.

    Raises:
        RuntimeError: the number does not fit into the dtype.
    """
    count, row_major = _row_major(shape)
    if isinstance(value, float) or element_type is dtypes.float16:
        check_number(value, element_type)
    memory = backend.allocate(count, element_type.cell)
    backend.fill((memory, 0), count, encode_one(value, element_type))
    return _over(memory, element_type, shape, stride or row_major, row_major, backend)


def _over(
    memory: Memory,
    element_type: dtype,
    shape: Size,
    stride: tuple[int, ...],
    row_major: tuple[int, ...],
    backend: Backend,
) -> Tensor:
    if stride == row_major:
        return make_dense(memory, element_type, shape, stride, backend)
    return make_tensor(UntypedStorage(memory, backend=backend), element_type, shape, stride, 0)


@functools.lru_cache(KEPT)
def _row_major(shape: Size) -> tuple[int, tuple[int, ...]]:
    """How many elements a shape has, and its strides in row-major order."""
    return layout.numel(shape), layout.default_strides(shape)


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
