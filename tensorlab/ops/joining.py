"""Several tensors as one: always a copy."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from tensorlab.autograd.formulas import Backward, Formula
from tensorlab.backends import Backend, Buffer, Launch, OperandLayout, no_launch
from tensorlab.core import layout, memory_formats
from tensorlab.core.dtypes import can_cast
from tensorlab.core.layout import Refusal, Size, as_int
from tensorlab.core.memory_formats import contiguous_format, format_strides
from tensorlab.dispatch.operands import result_type, widened
from tensorlab.dispatch.primitive import Operand, Primitive, Recorded, Result, call
from tensorlab.ops.arguments import tensors_from
from tensorlab.ops.shape import atleast_1d, atleast_2d, atleast_3d
from tensorlab.registry import op
from tensorlab.scalars import TABLE
from tensorlab.tensor import Tensor

Tensors = tuple[Tensor, ...] | list[Tensor]


@op(aliases="concat concatenate", names="joins")
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
        >>> x = tl.tensor([[1, 2]])
        >>> tl.cat([x, x]), tl.cat([x, x], dim=1)
        (tensor([[1, 2],
                [1, 2]]), tensor([[1, 2, 1, 2]]))
    """
    given = tensors_from(tensors, "cat")
    if not given:
        raise ValueError("cat(): expected a non-empty list of Tensors")
    return call(CAT, *given, params=(as_int(dim, "dim"),), out=out)


class Cat(Primitive):
    """Tensors one after another along a dimension, which is the param."""

    name = "cat"
    differentiable = True

    def result(self, operands: Sequence[Any], params: tuple) -> Result:
        """Of the promoted dtype: channels last if all are laid out so, else row-major.

        Raises:
            RuntimeError: a tensor has no dimensions, or sizes differ.
        """
        for position, tensor in enumerate(operands):
            if not tensor._shape:
                raise RuntimeError(
                    f"zero-dimensional tensor (at position {position}) cannot be concatenated: stack() adds "
                    f"a dimension"
                )
        shape = _joined_shape([tensor._shape for tensor in operands], self.dim(operands, params))
        return Result(shape, _joined_strides(shape, operands), result_type(*operands))

    def dim(self, operands: Sequence[Any], params: tuple) -> int:
        """The dimension that grows; where all tensors are passed over, PyTorch does not look at it."""
        ranks = [tensor.ndim for tensor in operands if tensor._shape != (0,)]
        return layout.wrap_dim(params[0], ranks[0]) if ranks else 0

    def part(self, result: Result, dim: int, shape: Size) -> tuple[tuple[int, ...], int]:
        """The strides of a part of the result that has this shape, and how far behind it the next begins."""
        return result.stride, shape[dim] * result.stride[dim]

    def launch(self, backend: Backend, result: Result, operands: Sequence[Any], params: tuple) -> Launch:
        """One copy a tensor."""
        dim, start = self.dim(operands, params), 0
        copies: list[tuple[Launch, int]] = []
        for tensor in operands:
            shape, read = tensor._shape, OperandLayout(tensor._dtype, tensor._stride)
            if 0 in shape:
                copies.append((no_launch, start))
                continue
            strides, cells = self.part(result, dim, shape)
            out, compute = OperandLayout(result.dtype, strides), widened(read.dtype)
            copies.append((backend.pointwise(TABLE["copy"], compute, shape, out, [read]), start))
            start += cells

        def launch(out: Buffer, *buffers: Buffer) -> None:
            cells, first = out
            for (copy, start), buffer in zip(copies, buffers, strict=True):
                copy((cells, first + start), buffer)

        return launch

    def node(self, operands: Sequence[Any], params: tuple) -> Recorded:
        """With the dimension, and the shapes of the parts."""
        shapes = [tensor._shape for tensor in operands]
        return CatBackward0, {"dim": self.dim(operands, params), "shapes": shapes}

    def check_out(self, out: Tensor, result: Result, operands: Sequence[Operand], brought: bool) -> None:
        """See `Primitive.check_out`."""
        if any(operand is out for operand in operands):
            raise RuntimeError(
                f"unsupported operation: out is one of the tensors that {self.name}() reads: clone() it"
            )
        if not can_cast(result.dtype, out.dtype):
            raise TypeError(
                f"{self.name}(): input types can't be cast to the desired output type {out.dtype.name}: the "
                f"tensors promote to {result.dtype.name}, bring an out of that dtype"
            )


class Stack(Cat):
    """Tensors of one shape side by side along a new dimension, which is the param."""

    name = "stack"

    def result(self, operands: Sequence[Any], params: tuple) -> Result:
        """As PyTorch lays it out, which joins the tensors and then splits the dimension.

        Raises:
            RuntimeError: the shapes differ.
        """
        first, dim = operands[0]._shape, self.dim(operands, params)
        for position, tensor in enumerate(operands):
            if tensor._shape != first:
                raise RuntimeError(
                    f"stack expects each tensor to be equal size, but got {list(first)} at entry 0 and "
                    f"{list(tensor._shape)} at entry {position}"
                )
        shape = Size((*first[:dim], len(operands), *first[dim:]))
        stride = layout.default_strides(shape)
        if dim < len(first):
            joined = _joined_shape([first] * len(operands), dim)
            split = layout.view_strides(joined, _joined_strides(joined, operands), shape)
            stride = stride if isinstance(split, Refusal) else split
        return Result(shape, stride, result_type(*operands))

    def dim(self, operands: Sequence[Any], params: tuple) -> int:
        """The place of the new dimension."""
        return layout.wrap_dim(params[0], operands[0].ndim + 1)

    def part(self, result: Result, dim: int, shape: Size) -> tuple[tuple[int, ...], int]:
        """A position along the new dimension."""
        return (*result.stride[:dim], *result.stride[dim + 1 :]), result.stride[dim]

    def node(self, operands: Sequence[Any], params: tuple) -> Recorded:
        """With the dimension."""
        return StackBackward0, {"dim": self.dim(operands, params)}


CAT, STACK = Cat(), Stack()


def _joined_strides(shape: Size, tensors: Sequence[Tensor]) -> tuple[int, ...]:
    formats = {memory_formats.suggested_format(tensor._shape, tensor._stride) for tensor in tensors}
    return format_strides(shape, formats.pop() if len(formats) == 1 else contiguous_format)


def _joined_shape(shapes: Sequence[Size], dim: int) -> Size:
    """The shape of several tensors one after another; those of shape (0,) are passed over."""
    shapes = [shape for shape in shapes if shape != (0,)] or shapes[:1]
    first = shapes[0]
    for position, shape in enumerate(shapes):
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
    return Size((*first[:dim], sum(shape[dim] for shape in shapes), *first[dim + 1 :]))


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
            return grad.narrow(dim, start, shape[dim])

        return part, part, ("dim", "shapes")


class StackBackward0(Backward):
    """The node of `stack`: each tensor's gradient is its position of the result's."""

    __slots__ = ()
    plans: ClassVar[dict] = {}

    @classmethod
    def step(cls, position: int) -> tuple[Formula, Formula, tuple[str, ...]]:
        """The formula of one tensor."""

        def part(grad: Tensor, dim: int) -> Tensor:
            return grad.select(dim, position)

        return part, part, ("dim",)


@op(names="stacks")
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
        >>> x, y = tl.tensor([1, 2]), tl.tensor([3, 4])
        >>> tl.stack([x, y]), tl.stack([x, y], dim=1)
        (tensor([[1, 2],
                [3, 4]]), tensor([[1, 3],
                [2, 4]]))
    """
    return call(STACK, *_non_empty(tensors, "stack"), params=(as_int(dim, "dim"),), out=out)


@op()
def hstack(tensors: Tensors, *, out: Tensor | None = None) -> Tensor:
    """Tensors side by side: along dimension 1, vectors along dimension 0.

    Example:
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
        >>> tl.dstack([tl.tensor([1, 2]), tl.tensor([3, 4])])
        tensor([[[1, 3],
                 [2, 4]]])
    """
    return cat(list(atleast_3d(_non_empty(tensors, "dstack"))), 2, out=out)


@op()
def column_stack(tensors: Tensors, *, out: Tensor | None = None) -> Tensor:
    """Tensors side by side along dimension 1; a vector counts as one column.

    Example:
        >>> tl.column_stack([tl.tensor([1, 2]), tl.tensor([3, 4])])
        tensor([[1, 3],
                [2, 4]])
    """
    given = _non_empty(tensors, "column_stack")
    return hstack([t if t.ndim > 1 else t.reshape(t.numel(), 1) for t in given], out=out)


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
