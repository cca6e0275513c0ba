"""Another shape for the same elements: views wherever a view exists."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tensorlab.autograd.formulas import formulas, view_formulas
from tensorlab.autograd.last_writer import written_by
from tensorlab.autograd.recording import record, record_view
from tensorlab.autograd.views import requires_grad
from tensorlab.core import broadcasting, layout, view_rules
from tensorlab.core.dtypes import dtype
from tensorlab.core.layout import Refusal, Size, as_int
from tensorlab.core.memory_formats import contiguous_format, format_strides, memory_format
from tensorlab.dispatch.resizing import resize
from tensorlab.ops.aliases import change_layout
from tensorlab.ops.arguments import as_dtype, ints_from, several, sizes_from, tensors_from
from tensorlab.ops.conversion import clone, contiguous
from tensorlab.registry import op
from tensorlab.tensor import Tensor, make_tensor, make_view


def _reshaped(grad: Tensor, sizes: Size) -> Tensor:
    return reshape(grad, sizes)


ViewBackward0 = view_formulas("ViewBackward0", input=_reshaped)
# Of a copy in another shape, which nobody sees in the first: no view, for nothing is shared with anybody.
UnsafeViewBackward0 = formulas("UnsafeViewBackward0", input=_reshaped)
SqueezeBackward0 = view_formulas("SqueezeBackward0", input=_reshaped)
SqueezeBackward1 = view_formulas("SqueezeBackward1", input=_reshaped)
SqueezeBackward2 = view_formulas("SqueezeBackward2", input=_reshaped)
UnsqueezeBackward0 = view_formulas("UnsqueezeBackward0", input=lambda grad, dim: grad.squeeze(dim))
ExpandBackward0 = view_formulas("ExpandBackward0", input=lambda grad: grad)
ExpandBackward0.stretches = True


@op("method")
def view(
    input: Tensor,
    *shape: int | Sequence[int] | dtype,
    size: Sequence[int] | None = None,
    dtype: dtype | None = None,
) -> Tensor:
    """The same storage with another shape, or with its bytes read as another dtype; never a copy.

    With sizes, the elements stay in their order. With a dtype, the bytes stay as they are: elements of
    another size make the last dimension longer or shorter.

    Args:
        input: any tensor.
        shape: the new sizes, as separate ints or as one sequence, one of them perhaps -1, which is inferred;
            or one dtype.
        size: the sizes, by name.
        dtype: the dtype, by name.

    Raises:
        RuntimeError: the number of elements differs, or no strides exist that reach them in this shape; or
            the bytes do not divide into whole elements of `dtype`.

    Example:
        >>> tl.arange(6).view(2, -1)
        tensor([[0, 1, 2],
                [3, 4, 5]])
        >>> tl.tensor([1.0, -2.0]).view(tl.int32)
        tensor([ 1065353216, -1073741824], dtype=tensorlab.int32)
        >>> tl.arange(12).view(4, 3).t().view(12)
        Traceback (most recent call last):
            ...
        RuntimeError: cannot view (3, 4) with strides (1, 3) as (12,): dimensions 0 and 1 are not adjacent \
in memory; reshape would copy 96 bytes
    """
    if dtype is not None or (len(shape) == 1 and _is_dtype(shape[0])):
        return _view_as_dtype(input, shape[0] if dtype is None else dtype)
    sizes = ints_from(shape, size, "view", "size")
    new_shape, stride = view_rules.viewed(input._shape, input._stride, sizes)
    if isinstance(stride, Refusal):
        raise RuntimeError(
            f"cannot view {tuple(input._shape)} with strides {input._stride} as {tuple(new_shape)}: "
            f"{stride.reason}; reshape would copy {input.nbytes} bytes"
        )
    result = make_view(input, new_shape, stride, input._offset)
    return record_view(ViewBackward0, result, input, sizes=input._shape)


def _is_dtype(value: object) -> bool:
    return isinstance(value, (dtype, type))


def _view_as_dtype(input: Tensor, wanted: object) -> Tensor:
    element_type = as_dtype(wanted)
    assert element_type is not None
    shape, stride, offset = view_rules.reinterpreted(
        input._shape, input._stride, input._offset, input._dtype.itemsize, element_type.itemsize
    )
    # Other numbers in the same cells: no gradient reaches them, and as in PyTorch they have no base.
    return make_tensor(input._storage, element_type, shape, stride, offset)


@op("function method")
def reshape(input: Tensor, *sizes: int | Sequence[int], shape: Sequence[int] | None = None) -> Tensor:
    """The same elements in the same order with another shape: a view if one exists, else a copy.

    Args:
        input: any tensor.
        sizes: the new sizes, as separate ints or as one sequence; one of them may be -1 and is inferred.
        shape: the sizes, by name.

    Raises:
        RuntimeError: the number of elements differs.

    Example:
        >>> x = tl.arange(6).view(2, 3)
        >>> x.t().reshape(6)
        tensor([0, 3, 1, 4, 2, 5])
    """
    asked = ints_from(sizes, shape, "reshape", "shape")
    wanted, stride = view_rules.viewed(input._shape, input._stride, asked)
    if isinstance(stride, Refusal):
        copy = clone(input, memory_format=contiguous_format)
        result = make_tensor(copy._storage, copy._dtype, wanted, layout.default_strides(wanted), 0)
        return record(UnsafeViewBackward0, result, copy, sizes=copy._shape)
    return view(input, asked)


@op("method")
def view_as(input: Tensor, other: Tensor) -> Tensor:
    """`view` with the shape of `other`.

    Example:
        >>> tl.arange(6).view_as(tl.zeros(2, 3))
        tensor([[0, 1, 2],
                [3, 4, 5]])
    """
    return view(input, other._shape)


@op("method")
def reshape_as(input: Tensor, other: Tensor) -> Tensor:
    """`reshape` to the shape of `other`.

    Example:
        >>> tl.arange(6).reshape_as(tl.zeros(2, 3))
        tensor([[0, 1, 2],
                [3, 4, 5]])
    """
    return reshape(input, other._shape)


@op("function method", names="flattens")
def flatten(input: Tensor, start_dim: int = 0, end_dim: int = -1) -> Tensor:
    """The dimensions from `start_dim` to `end_dim` as one: `input` itself, a view, or a copy.

    A tensor without dimensions becomes one of shape (1,).

    Raises:
        IndexError: there is no such dimension.
        RuntimeError: `start_dim` comes after `end_dim`.

    Example:
        >>> tl.zeros(2, 3, 4).flatten(1).shape
        tensorlab.Size([2, 12])
    """
    shape = view_rules.flattened_shape(
        input._shape, as_int(start_dim, "start_dim"), as_int(end_dim, "end_dim")
    )
    return input if len(shape) == len(input._shape) else reshape(input, shape)


@op("function method")
def ravel(input: Tensor) -> Tensor:
    """All elements along one dimension, in order: a view if `input` is contiguous, else a copy.

    Example:
        >>> tl.tensor([[1, 2], [3, 4]]).t().ravel()
        tensor([1, 3, 2, 4])
    """
    return view(contiguous(input), -1)


@op("function method", names="unflattens")
def unflatten(input: Tensor, dim: int, sizes: Sequence[int]) -> Tensor:
    """One dimension cut into several, as a view.

    Args:
        input: a tensor of at least one dimension.
        dim: the dimension to cut.
        sizes: the sizes of its parts, slowest first; one of them may be -1 and is inferred.

    Raises:
        IndexError: there is no such dimension.
        RuntimeError: the sizes do not multiply to the dimension's.

    Example:
        >>> tl.zeros(2, 12).unflatten(1, (3, -1)).shape
        tensorlab.Size([2, 3, 4])
    """
    wanted = ints_from((), sizes, "unflatten", "sizes")
    if not input.ndim and dim in (0, -1):
        raise RuntimeError(
            f"unflatten(): a tensor of 0 dimensions has none to divide: view({wanted}) adds some of size 1"
        )
    return view(input, view_rules.unflattened_shape(input._shape, as_int(dim, "dim"), wanted))


@op("function method", names="squeezes")
def squeeze(input: Tensor, dim: int | Sequence[int] | None = None) -> Tensor:
    """Without the dimensions of size 1, as a view: all of them, or those among `dim`.

    Raises:
        IndexError: there is no such dimension.
        RuntimeError: a dimension is named twice.

    Example:
        >>> x = tl.zeros(1, 3, 1)
        >>> x.squeeze().shape, x.squeeze(0).shape, x.squeeze(1).shape
        (tensorlab.Size([3]), tensorlab.Size([3, 1]), tensorlab.Size([1, 3, 1]))
    """
    shape, stride = view_rules.squeezed(input._shape, input._stride, _dims(dim, "squeeze"))
    result = make_view(input, shape, stride, input._offset)
    return record_view(_squeeze_node(dim), result, input, sizes=input._shape)


@op("method")
def squeeze_(input: Tensor, dim: int | Sequence[int] | None = None) -> Tensor:
    """`squeeze` of this tensor object itself: its layout changes, its storage and other views do not.

    Example:
        >>> x = tl.zeros(1, 3, 1)
        >>> x.squeeze_(0).shape
        tensorlab.Size([3, 1])
    """
    shape, stride = view_rules.squeezed(input._shape, input._stride, _dims(dim, "squeeze_"))
    return change_layout(_squeeze_node(dim), input, shape, stride, sizes=input._shape)


def _squeeze_node(dim: int | Sequence[int] | None) -> type:
    return SqueezeBackward0 if dim is None else SqueezeBackward1 if isinstance(dim, int) else SqueezeBackward2


def _dims(dim: int | Sequence[int] | None, function: str) -> tuple[int, ...] | None:
    return None if dim is None else ints_from((dim,), None, function, "dim")


@op("function method", names="unsqueezes")
def unsqueeze(input: Tensor, dim: int) -> Tensor:
    """With a new dimension of size 1 before dimension `dim`, as a view.

    Raises:
        IndexError: there is no such place.

    Example:
        >>> tl.arange(3).unsqueeze(-1)
        tensor([[0],
                [1],
                [2]])
    """
    shape, stride = view_rules.unsqueezed(input._shape, input._stride, as_int(dim, "dim"))
    result = make_view(input, shape, stride, input._offset)
    return record_view(UnsqueezeBackward0, result, input, dim=_place(dim, shape))


@op("method")
def unsqueeze_(input: Tensor, dim: int) -> Tensor:
    """`unsqueeze` of this tensor object itself: its layout changes, its storage and other views do not.

    Example:
        >>> x = tl.zeros(3)
        >>> x.unsqueeze_(0).shape
        tensorlab.Size([1, 3])
    """
    shape, stride = view_rules.unsqueezed(input._shape, input._stride, as_int(dim, "dim"))
    return change_layout(UnsqueezeBackward0, input, shape, stride, dim=_place(dim, shape))


def _place(dim: int, shape: Size) -> int:
    """The new dimension as the result counts it."""
    return dim if dim >= 0 else len(shape) + dim


@op("method", names="leads")
def expand(input: Tensor, *sizes: int | Sequence[int], size: Sequence[int] | None = None) -> Tensor:
    """Dimensions of size 1 stretched, as a view: every position of such a dimension is the same cell.

    Args:
        input: any tensor.
        sizes: the new sizes, as separate ints or as one sequence; new dimensions come in front, and -1 keeps
            a size.
        size: the sizes, by name.

    Raises:
        RuntimeError: a size other than 1 would have to stretch, or there are fewer sizes than dimensions.

    Example:
        >>> x = tl.tensor([[1], [2]]).expand(-1, 3)
        >>> x, x.stride()
        (tensor([[1, 1, 1],
                [2, 2, 2]]), (1, 0))
    """
    shape, stride = view_rules.expanded(input._shape, input._stride, ints_from(sizes, size, "expand", "size"))
    # The engine sums a gradient into the shape of the operand that was stretched.
    return record_view(ExpandBackward0, make_view(input, shape, stride, input._offset), input)


@op("method", names="leads")
def expand_as(input: Tensor, other: Tensor) -> Tensor:
    """`expand` to the shape of `other`.

    Example:
        >>> tl.tensor([1, 2]).expand_as(tl.zeros(3, 2)).stride()
        (0, 1)
    """
    return expand(input, other._shape)


@op("function method", names="leads")
def broadcast_to(input: Tensor, *sizes: int | Sequence[int], size: Sequence[int] | None = None) -> Tensor:
    """The same as `expand`, under NumPy's name.

    Example:
        >>> tl.tensor([1, 2]).broadcast_to((2, 2))
        tensor([[1, 2],
                [1, 2]])
    """
    return expand(input, *sizes, size=size)


@op()
def broadcast_tensors(*tensors: Tensor) -> tuple[Tensor, ...]:
    """All tensors expanded to the shape that they broadcast to; a tensor that has it is returned itself.

    Raises:
        RuntimeError: two sizes differ and neither is 1.

    Example:
        >>> x, y = tl.broadcast_tensors(tl.zeros(3, 1), tl.zeros(4))
        >>> x.shape, y.stride()
        (tensorlab.Size([3, 4]), (0, 1))
    """
    given = tensors_from(tensors, "broadcast_tensors")
    shape = broadcast_shapes(*(tensor._shape for tensor in given))
    return tuple(tensor if tensor._shape == shape else expand(tensor, shape) for tensor in given)


@op()
def broadcast_shapes(*shapes: Sequence[int] | int) -> Size:
    """The shape that these shapes broadcast to (see `tensorlab.core.broadcasting.broadcast_shapes`).

    Example:
        >>> tl.broadcast_shapes((3, 1), (2, 1, 4))
        tensorlab.Size([2, 3, 4])
    """
    return broadcasting.broadcast_shapes(
        *(ints_from((shape,), None, "broadcast_shapes", "shapes") for shape in shapes)
    )


# --- at least so many dimensions ----------------------------------------------------------------------


@op()
def atleast_1d(*tensors: Tensor | Sequence[Tensor]) -> Tensor | tuple[Tensor, ...]:
    """Tensors with at least one dimension: those without get one of size 1, as a view; others are returned.

    Example:
        >>> tl.atleast_1d(tl.tensor(5))
        tensor([5])
    """
    return _each(tensors, "atleast_1d", lambda x: x if x._shape else unsqueeze(x, 0))


@op()
def atleast_2d(*tensors: Tensor | Sequence[Tensor]) -> Tensor | tuple[Tensor, ...]:
    """Tensors with at least two dimensions: new ones of size 1 come in front, as a view.

    Example:
        >>> tl.atleast_2d(tl.arange(3)).shape
        tensorlab.Size([1, 3])
    """
    return _each(tensors, "atleast_2d", _at_least_2d)


@op()
def atleast_3d(*tensors: Tensor | Sequence[Tensor]) -> Tensor | tuple[Tensor, ...]:
    """Tensors with at least three dimensions: a vector becomes (1, n, 1), a matrix (m, n, 1), as views.

    Example:
        >>> tl.atleast_3d(tl.arange(3)).shape
        tensorlab.Size([1, 3, 1])
    """
    return _each(tensors, "atleast_3d", lambda x: unsqueeze(_at_least_2d(x), -1) if len(x._shape) < 3 else x)


def _at_least_2d(input: Tensor) -> Tensor:
    if len(input._shape) >= 2:
        return input
    return unsqueeze(input, 0) if input._shape else view(input, 1, 1)


def _each(
    tensors: Sequence[Tensor | Sequence[Tensor]], function: str, widen: Callable[[Tensor], Tensor]
) -> Tensor | tuple[Tensor, ...]:
    if len(tensors) == 1 and isinstance(tensors[0], Tensor):
        return widen(tensors[0])
    return tuple(widen(tensor) for tensor in several(tensors, function))


# --- another size in place ------------------------------------------------------------------------------


@op("method")
def resize_(
    input: Tensor, *size: int | Sequence[int], memory_format: memory_format = contiguous_format
) -> Tensor:
    """Another shape for a tensor, whatever that does to its elements: they keep their places in memory.

    Of a larger tensor the further elements are whatever stands in memory. It is for buffers that are filled
    next; `reshape` and `view` keep the elements.

    Args:
        input: a tensor that requires no gradient.
        size: the new sizes, as separate ints or as one sequence.
        memory_format: the order of the dimensions in memory.

    Raises:
        RuntimeError: `input` requires a gradient, a size is negative, or there must be more memory while
            a NumPy array or another tensor looks into this one's: PyTorch lets the tensor follow, here it
            could not.

    Example:
        >>> x = tl.arange(6).view(2, 3)
        >>> x.resize_(2, 2)
        tensor([[0, 1],
                [2, 3]])
    """
    shape = sizes_from(size, "resize_")
    if requires_grad(input):
        raise RuntimeError("cannot resize variables that require grad: take reshape(), or detach() it first")
    if shape != input._shape:
        resize(input, shape, format_strides(shape, memory_format))
        input._storage._version += 1
        written_by("resize_", input)
    return input


@op("function method")
def resize_as_(
    input: Tensor, the_template: Tensor, *, memory_format: memory_format = contiguous_format
) -> Tensor:
    """`resize_` to the shape of another tensor.

    Example:
        >>> x = tl.zeros(6)
        >>> x.resize_as_(tl.zeros(2, 3)).shape
        tensorlab.Size([2, 3])
    """
    return resize_(input, the_template._shape, memory_format=memory_format)
