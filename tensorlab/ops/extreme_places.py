"""Where the greatest or the least elements stand: one search, planned once for each layout."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from tensorlab import dtypes, layout
from tensorlab.autograd.views import requires_grad
from tensorlab.backends import Launch, OperandLayout, backend
from tensorlab.layout import Size
from tensorlab.ops.folding import as_dims, check_out, check_out_type, reduced_shape
from tensorlab.ops.plans import remember
from tensorlab.tensor import Tensor, make_dense

__all__ = ["find", "find_again"]

# Of each search whether it looks for the greatest elements, and whether it gives their values too.
SEARCHES = {"max": (True, True), "min": (False, True), "argmax": (True, False), "argmin": (False, False)}


class Plan(NamedTuple):
    """What of a search follows from layouts and dtypes alone."""

    launch: Launch
    shape: Size
    stride: tuple[int, ...]
    cells: int

    def run(self, input: Tensor, with_values: bool) -> list[Tensor]:
        """Search, into memory of its own: the places, and the values if those are wanted."""
        launch, shape, stride, cells = self
        places = np.empty(cells, np.int64)
        found = [make_dense(places, dtypes.int64, shape, stride)]
        values = None
        if with_values:
            values = np.empty(cells, input._dtype.cell)
            found.append(make_dense(values, input._dtype, shape, stride))
        launch((places, 0), (values, 0), input._buffer())
        return found


_plans: dict[tuple, Plan] = {}


def find_again(name: str, input: Tensor, dim: int | None, keepdim: bool = False) -> list[Tensor] | None:
    """What `find` gives, if it has searched in such a layout before and there is nothing to record.

    The arguments are those that a caller gave, not looked at yet: those of an earlier call were good.
    """
    if type(input) is not Tensor or type(keepdim) is not bool or (type(dim) is not int and dim is not None):
        return None
    if requires_grad(input):
        return None
    if dim is not None and dim < 0:
        dim += len(input._shape)
    plan = _plans.get((name, input._dtype, input._shape, input._stride, dim, keepdim))
    return None if plan is None else plan.run(input, SEARCHES[name][1])


def find(
    name: str, input: Tensor, dim: int | None, keepdim: bool, places: Tensor | None, values: Tensor | None
) -> list[Tensor]:
    """The places of the extremes along one dimension or of all, and their values if those are wanted.

    Args:
        name: a key of `SEARCHES`.
        input: a tensor with elements along `dim`.
        dim: the dimension; None for all.
        keepdim: whether it stays, with size 1.
        places, values: tensors to write into.

    Raises:
        RuntimeError: a tensor to write into does not fit.
    """
    greatest, with_values = SEARCHES[name]
    if places is None and values is None:
        key = name, input._dtype, input._shape, input._stride, dim, keepdim
        plan = _plans.get(key) or remember(
            _plans, key, _plan(greatest, input, dim, keepdim, None, with_values)
        )
        return plan.run(input, with_values)
    targets: list[Any] = [places, values][: 1 + with_values]
    shape = reduced_shape(input.shape, as_dims(dim, input.ndim, name), keepdim)
    for tensor, element_type in zip(targets, (dtypes.int64, input.dtype), strict=False):
        check_out_type(name, element_type, tensor)
        check_out(name, tensor, shape, input)
    strides = [tensor._stride for tensor in targets]
    key = (name, input._dtype, input._shape, input._stride, dim, keepdim, *strides)
    plan = _plans.get(key) or remember(
        _plans, key, _plan(greatest, input, dim, keepdim, strides, with_values)
    )
    for tensor in targets:
        tensor._storage._version += 1
    buffers = [tensor._buffer() for tensor in targets]
    plan.launch(buffers[0], buffers[1] if with_values else (None, 0), input._buffer())
    return targets


def _plan(
    greatest: bool,
    input: Tensor,
    dim: int | None,
    keepdim: bool,
    strides: list[tuple[int, ...]] | None,
    with_values: bool,
) -> Plan:
    """A search that writes results of some strides, row-major ones without them."""
    dims = as_dims(dim, input.ndim, "max")
    shape = reduced_shape(input.shape, dims, keepdim)
    dense = layout.default_strides(shape)
    along = [_with_zeros(stride, dims, keepdim, input.ndim) for stride in strides or [dense, dense]]
    launch = backend("cpu").extremes(
        greatest,
        input.shape,
        dims,
        OperandLayout(dtypes.int64, along[0]),
        OperandLayout(input.dtype, along[1]) if with_values else None,
        OperandLayout(input.dtype, input.stride()),
    )
    return Plan(launch, shape, dense, layout.numel(shape))


def _with_zeros(stride: tuple[int, ...], dims: tuple[int, ...], keepdim: bool, ndim: int) -> tuple[int, ...]:
    """A result's strides with one a dimension of the input: 0 along those that were folded away."""
    rest = iter(stride)
    if keepdim:
        return tuple(0 if dim in dims else step for dim, step in enumerate(stride))
    return tuple(0 if dim in dims else next(rest) for dim in range(ndim))
