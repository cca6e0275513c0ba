"""Several tensors as one: always a copy."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, ClassVar

from tensorlab.autograd.formulas import Backward, Formula
from tensorlab.autograd.recording import record
from tensorlab.autograd.views import requires_grad
from tensorlab.core import layout, memory_formats
from tensorlab.core.dtypes import can_cast
from tensorlab.core.layout import Size, as_int
from tensorlab.core.memory_formats import contiguous_format, format_strides
from tensorlab.dispatch.copies import write, write_new
from tensorlab.dispatch.guards import guard_write
from tensorlab.dispatch.memory import allocate_strided
from tensorlab.dispatch.operands import result_type
from tensorlab.dispatch.primitive import check_out
from tensorlab.ops.aliases import as_own
from tensorlab.ops.arguments import numpy_names, tensors_from
from tensorlab.ops.outputs import fitted
from tensorlab.ops.shape import atleast_1d, atleast_2d, atleast_3d, reshape, unsqueeze, view
from tensorlab.ops.slicing import narrow, select
from tensorlab.registry import op
from tensorlab.tensor import Tensor

Tensors = tuple[Tensor, ...] | list[Tensor]


@op(aliases="concat concatenate", names="joins")
@numpy_names
def cat(tensors: Tensors, dim: int = 0, *, out: Tensor | None = None) -> Tensor:
    """Tensors one after another along a dimension that they all have.

    Args:
        tensors: a tuple or list of tensors whose shapes agree in every other dimension. Those of shape (0,)
            are passed over.
        dim: the dimension that grows.
        out: a tensor of the result's shape to write into.

    Returns:
        a new tensor of the promoted dtype: channels last if all are laid out so, else row-major.

    Raises:
        ValueError: there are no tensors.
        TypeError: `tensors` is no tuple or list of tensors.
        RuntimeError: the shapes disagree, or a tensor has no dimensions.
        IndexError: there is no such dimension.

    Example:
        >>> import tensorlab as tl
        >>> x = tl.tensor([[1, 2]])
        >>> tl.cat([x, x]), tl.cat([x, x], dim=1)
        (tensor([[1, 2],
                [1, 2]]), tensor([[1, 2, 1, 2]]))
    """
    return _joined(_cat, tensors, dim, out)


def _cat(given: list[Tensor], dim: int, out: Tensor | None = None) -> Tensor:
    if not given:
        raise ValueError("cat(): expected a non-empty list of Tensors")
    for position, tensor in enumerate(given):
        if not tensor._shape:
            raise RuntimeError(
                f"zero-dimensional tensor (at position {position}) cannot be concatenated: stack() adds "
                f"a dimension"
            )
    element_type = result_type(*given)
    joined = [tensor for tensor in given if tensor._shape != (0,)]
    # Where all are passed over, PyTorch does not look at the dimension.
    dim = layout.wrap_dim(dim, joined[0].ndim) if joined else 0
    joined = joined or given[:1]
    shape = _joined_shape(joined, dim)
    stride = _joined_strides(shape, given)
    put: Callable[[Tensor, Tensor], None] = write
    if out is None:
        out, put = allocate_strided(shape, stride, element_type), write_new
    elif any(tensor is out for tensor in given):
        raise RuntimeError("unsupported operation: out is one of the tensors that cat() reads: clone() it")
    else:
        if not can_cast(element_type, out.dtype):
            raise TypeError(
                f"cat(): input types can't be cast to the desired output type {out.dtype.name}: the tensors "
                f"meet in {element_type.name}, bring an out of that dtype"
            )
        guard_write(fitted(out, shape, element_type, stride), *given)
    start, version = 0, out._storage._version
    for tensor in joined:
        put(narrow(out, dim, start, tensor._shape[dim]), tensor)
        start += tensor._shape[dim]
    if put is write:  # in several steps, which count as one
        out._storage._version = version + 1
    return out


def _joined(join: Callable, tensors: Any, dim: Any, out: Tensor | None) -> Tensor:
    """``join(tensors, dim, out)`` of what a caller gave, recorded."""
    name = join.__name__[1:]
    tensors, dim = tensors_from(tensors, name), as_int(dim, "dim")
    if out is not None:
        check_out(name, out, *tensors)
        return join(tensors, dim, out)
    result = as_own(join(tensors, dim))
    if not any(map(requires_grad, tensors)):
        return result
    kind = CatBackward0 if join is _cat else StackBackward0
    return record(kind, result, *tensors, dim=dim, shapes=[one._shape for one in tensors])


class CatBackward0(Backward):
    """The node of `cat`: each tensor's gradient is the part of the result's that it became."""

    __slots__ = ()
    plans: ClassVar[dict] = {}

    @classmethod
    def step(cls, position: int) -> tuple[Formula, Formula, tuple[str, ...]]:
        """The formula of one tensor."""

        def part(grad: Tensor, dim: int, shapes: list[Size]) -> Tensor:
            shape = shapes[position]
            if shape == (0,):  # it was passed over
                return grad.new_zeros(0)
            start = sum(before[dim] for before in shapes[:position] if before != (0,))
            return narrow(grad, dim, start, shape[dim])

        return part, part, ("dim", "shapes")


class StackBackward0(Backward):
    """The node of `stack`: each tensor's gradient is its position of the result's."""

    __slots__ = ()
    plans: ClassVar[dict] = {}

    @classmethod
    def step(cls, position: int) -> tuple[Formula, Formula, tuple[str, ...]]:
        """The formula of one tensor."""

        def part(grad: Tensor, dim: int) -> Tensor:
            return select(grad, dim, position)

        return part, part, ("dim",)


def _joined_shape(tensors: Sequence[Tensor], dim: int) -> Size:
    first = tensors[0]._shape
    for position, tensor in enumerate(tensors):
        shape = tensor._shape
        if len(shape) != len(first):
            raise RuntimeError(
                f"Tensors must have same number of dimensions: got {len(first)} and {len(shape)} "
                f"(shapes {tuple(first)} and {tuple(shape)})"
            )
        for other, (expected, size) in enumerate(zip(first, shape, strict=True)):
            if other != dim and size != expected:
                raise RuntimeError(
                    f"Sizes of tensors must match except in dimension {dim}. Expected size {expected} in "
                    f"dimension {other} but got size {size} for tensor number {position} in the list."
                )
    length = sum(tensor._shape[dim] for tensor in tensors)
    return Size((*first[:dim], length, *first[dim + 1 :]))


def _joined_strides(shape: Size, tensors: Sequence[Tensor]) -> tuple[int, ...]:
    formats = {memory_formats.suggested_format(tensor._shape, tensor._stride) for tensor in tensors}
    return format_strides(shape, formats.pop() if len(formats) == 1 else contiguous_format)


@op(names="stacks")
@numpy_names
def stack(tensors: Tensors, dim: int = 0, *, out: Tensor | None = None) -> Tensor:
    """Tensors of one shape side by side along a new dimension.

    Args:
        tensors: a tuple or list of tensors of one shape.
        dim: the place of the new dimension in the result.
        out: a tensor of the result's shape to write into.

    Raises:
        RuntimeError: there are no tensors, or their shapes differ.
        TypeError: `tensors` is no tuple or list of tensors.
        IndexError: there is no such place.

    Example:
        >>> import tensorlab as tl
        >>> x, y = tl.tensor([1, 2]), tl.tensor([3, 4])
        >>> tl.stack([x, y]), tl.stack([x, y], dim=1)
        (tensor([[1, 2],
                [3, 4]]), tensor([[1, 3],
                [2, 4]]))
    """
    return _joined(_stack, tensors, dim, out)


def _stack(given: list[Tensor], dim: int, out: Tensor | None = None) -> Tensor:
    if not given:
        raise RuntimeError("stack expects a non-empty TensorList")
    first = given[0]._shape
    for position, tensor in enumerate(given):
        if tensor._shape != first:
            raise RuntimeError(
                f"stack expects each tensor to be equal size, but got {list(first)} at entry 0 and "
                f"{list(tensor._shape)} at entry {position}"
            )
    dim = layout.wrap_dim(dim, len(first) + 1)
    if dim == len(first) or out is not None or first == (0,):
        if first == (0,):  # cat would pass such tensors over, and with them their new dimension
            shape = (len(given), 0) if dim == 0 else (0, len(given))
            rows = _cat([reshape(tensor, (1, 0)) for tensor in given], 0, out)
            return reshape(rows, shape) if out is None else fitted(out, Size(shape), out._dtype)
        return _cat([unsqueeze(tensor, dim) for tensor in given], dim, out)
    return view(_cat(given, dim), (*first[:dim], len(given), *first[dim:]))


@op()
def hstack(tensors: Tensors, *, out: Tensor | None = None) -> Tensor:
    """Tensors side by side: along dimension 1, vectors along dimension 0.

    Example:
        >>> import tensorlab as tl
        >>> tl.hstack([tl.tensor([1, 2]), tl.tensor(3)])
        tensor([1, 2, 3])
    """
    if _are_matrices(tensors):
        return cat(tensors, 1, out=out)
    given = _non_empty(tensors, "hstack")
    widened = list(atleast_1d(given))
    return cat(widened, 0 if widened[0].ndim == 1 else 1, out=out)


@op(aliases="row_stack")
def vstack(tensors: Tensors, *, out: Tensor | None = None) -> Tensor:
    """Tensors one below the other, along dimension 0; a vector counts as one row.

    Example:
        >>> import tensorlab as tl
        >>> tl.vstack([tl.tensor([1, 2]), tl.tensor([3, 4])])
        tensor([[1, 2],
                [3, 4]])
    """
    if _are_matrices(tensors):
        return cat(tensors, 0, out=out)
    return cat(list(atleast_2d(_non_empty(tensors, "vstack"))), 0, out=out)


@op()
def dstack(tensors: Tensors, *, out: Tensor | None = None) -> Tensor:
    """Tensors behind one another, along dimension 2 (see `atleast_3d` for those with fewer).

    Example:
        >>> import tensorlab as tl
        >>> tl.dstack([tl.tensor([1, 2]), tl.tensor([3, 4])])
        tensor([[[1, 3],
                 [2, 4]]])
    """
    return cat(list(atleast_3d(_non_empty(tensors, "dstack"))), 2, out=out)


@op()
def column_stack(tensors: Tensors, *, out: Tensor | None = None) -> Tensor:
    """Tensors side by side along dimension 1; a vector counts as one column.

    Example:
        >>> import tensorlab as tl
        >>> tl.column_stack([tl.tensor([1, 2]), tl.tensor([3, 4])])
        tensor([[1, 3],
                [2, 4]])
    """
    given = _non_empty(tensors, "column_stack")
    return hstack([t if t.ndim > 1 else reshape(t, t.numel(), 1) for t in given], out=out)


def _are_matrices(tensors: Tensors) -> bool:
    """Whether all have two dimensions or more, as most do, so that none is to be widened."""
    if type(tensors) not in (tuple, list) or not tensors:
        return False
    return all(type(tensor) is Tensor and len(tensor._shape) > 1 for tensor in tensors)


def _non_empty(tensors: Tensors, function: str) -> list[Tensor]:
    given = tensors_from(tensors, function)
    if not given:
        raise RuntimeError(f"{function} expects a non-empty TensorList")
    return given
