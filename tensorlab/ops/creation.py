"""New tensors of a given shape, or in the shape of another: empty, or with one value in every element."""

from __future__ import annotations

from collections.abc import Sequence

from tensorlab.backends import HOST, Backend
from tensorlab.core import dtypes, layout
from tensorlab.core.devices import device
from tensorlab.core.dtypes import dtype
from tensorlab.core.layout import Size
from tensorlab.core.memory_formats import contiguous_format, format_strides, memory_format, preserve_format
from tensorlab.dispatch.copies import fill
from tensorlab.dispatch.memory import allocate_strided, filled
from tensorlab.dispatch.operands import Number, is_number, number_dtype
from tensorlab.names.functions import with_given_names
from tensorlab.ops.arguments import as_dtype, ints_from, place_of, placing, sizes_from
from tensorlab.ops.conversion import strides_like
from tensorlab.ops.outputs import fitted
from tensorlab.registry import op
from tensorlab.storage import UntypedStorage
from tensorlab.tensor import Tensor, make_tensor


@op()
@placing
def empty(
    *sizes: int | Sequence[int],
    size: Sequence[int] | None = None,
    out: Tensor | None = None,
    dtype: dtype | None = None,
    device: device | str | None = None,
    memory_format: memory_format = contiguous_format,
    names: Sequence[str | None] | None = None,
) -> Tensor:
    """A tensor whose elements are whatever its memory held before: write before you read.

    Args:
        sizes: the sizes, as separate ints or as one sequence.
        size: the sizes, by name.
        out: a tensor to use instead of a new one.
        dtype: the element type; the default floating dtype.
        device: where to make it; the default device.
        memory_format: the order of the dimensions in memory.
        names: a name for every dimension, None for one without (see `tensorlab.names`).

    Raises:
        TypeError: a size is not an integer.
        RuntimeError: a size is negative, the format is for another number of dimensions, or the names do not
            fit.

    Example:
        >>> tl.empty(2, 3).shape, tl.empty(2, dtype=tl.int64).dtype
        (tensorlab.Size([2, 3]), tensorlab.int64)
    """
    shape = _needed_sizes(sizes, "empty", size)
    stride = format_strides(shape, memory_format)
    if out is not None:
        made = fitted(out, shape, _dtype_for(dtype, out))
    else:
        element_type = as_dtype(dtype) or dtypes.get_default_dtype()
        made = allocate_strided(shape, stride, element_type, place_of(device))
    return made if names is None else with_given_names(made, names)


@op()
@placing
def zeros(
    *sizes: int | Sequence[int],
    size: Sequence[int] | None = None,
    out: Tensor | None = None,
    dtype: dtype | None = None,
    device: device | str | None = None,
    names: Sequence[str | None] | None = None,
) -> Tensor:
    """A tensor of zeros (see `empty` for the arguments).

    Example:
        >>> tl.zeros(2, 3)
        tensor([[0., 0., 0.],
                [0., 0., 0.]])
        >>> tl.zeros(2, names=("N",))
        tensor([0., 0.], names=('N',))
    """
    return _new("zeros", sizes, size, 0, out, dtype, names, place_of(device))


@op()
@placing
def ones(
    *sizes: int | Sequence[int],
    size: Sequence[int] | None = None,
    out: Tensor | None = None,
    dtype: dtype | None = None,
    device: device | str | None = None,
    names: Sequence[str | None] | None = None,
) -> Tensor:
    """A tensor of ones (see `empty` for the arguments).

    Example:
        >>> tl.ones(3, dtype=tl.int16)
        tensor([1, 1, 1], dtype=tensorlab.int16)
    """
    return _new("ones", sizes, size, 1, out, dtype, names, place_of(device))


@op()
@placing
def full(
    size: Sequence[int],
    fill_value: Number | Tensor,
    *,
    out: Tensor | None = None,
    dtype: dtype | None = None,
    device: device | str | None = None,
    names: Sequence[str | None] | None = None,
) -> Tensor:
    """A tensor with `fill_value` in every element, of the dtype that `tensor(fill_value)` would have.

    Raises:
        TypeError: `fill_value` is no number.
        RuntimeError: it does not fit into `dtype`.

    Example:
        >>> tl.full((2, 2), 7)
        tensor([[7, 7],
                [7, 7]])
    """
    value = as_number(fill_value, "full")
    if not isinstance(size, (tuple, list)):
        raise TypeError(
            f"full(): argument 'size' (position 1) must be tuple of ints, not {type(size).__name__}: "
            f"one dimension is ({size!r},)"
        )
    if out is None and dtype is None:
        dtype = number_dtype(value)
    return _new("full", (size,), None, value, out, dtype, names, place_of(device))


@op()
@placing
def scalar_tensor(s: Number, *, dtype: dtype | None = None, device: device | str | None = None) -> Tensor:
    """A tensor without dimensions that holds one number, of the default floating dtype.

    Args:
        s: the number.
        dtype: the element type; the default floating dtype.
        device: where to make it; the default device.

    Example:
        >>> tl.scalar_tensor(3)
        tensor(3.)
    """
    return full((), s, dtype=dtype or dtypes.get_default_dtype(), device=device)


@op()
@placing
def empty_strided(
    size: Sequence[int],
    stride: Sequence[int],
    *,
    dtype: dtype | None = None,
    device: device | str | None = None,
) -> Tensor:
    """A tensor of the given strides, over a storage that ends with its last element.

    Args:
        size: the sizes.
        stride: one stride a dimension, in elements.
        dtype: the element type; the default floating dtype.
        device: where to make it; the default device.

    Raises:
        RuntimeError: a size or a stride is negative, or there are not as many strides as sizes.

    Example:
        >>> len(tl.empty_strided((2, 3), (4, 1)).storage())
        7
    """
    shape = sizes_from((), "empty_strided", size)
    strides = ints_from((), stride, "empty_strided", "stride")
    if len(strides) != len(shape):
        raise RuntimeError(
            f"dimensionality of sizes ({len(shape)}) must match dimensionality of strides ({len(strides)})"
        )
    if any(step < 0 for step in strides):
        raise RuntimeError(f"empty_strided(): strides must not be negative, got {strides}")
    element_type = as_dtype(dtype) or dtypes.get_default_dtype()
    reached = layout.address_range(shape, strides)
    cells = reached[1] + 1 if reached else 0
    place = place_of(device)
    storage = UntypedStorage(place.allocate(cells, element_type.cell), backend=place)
    return make_tensor(storage, element_type, shape, strides, 0)


@op("method")
@placing
def new_empty(
    input: Tensor,
    *sizes: int | Sequence[int],
    size: Sequence[int] | None = None,
    dtype: dtype | None = None,
    device: device | str | None = None,
) -> Tensor:
    """`empty`, with the dtype and device of `input` unless others are named.

    Example:
        >>> tl.tensor([1, 2]).new_empty(3, 4).shape
        tensorlab.Size([3, 4])
    """
    shape = sizes_from(sizes, "new_empty", size)
    return empty(shape, dtype=dtype or input._dtype, device=device or input.device)


@op("method")
@placing
def new_empty_strided(
    input: Tensor,
    size: Sequence[int],
    stride: Sequence[int],
    *,
    dtype: dtype | None = None,
    device: device | str | None = None,
) -> Tensor:
    """`empty_strided`, with the dtype and device of `input` unless others are named.

    Example:
        >>> tl.tensor([1, 2]).new_empty_strided((2, 3), (1, 2)).stride()
        (1, 2)
    """
    return empty_strided(size, stride, dtype=dtype or input._dtype, device=device or input.device)


@op("method")
@placing
def new_zeros(
    input: Tensor,
    *sizes: int | Sequence[int],
    size: Sequence[int] | None = None,
    dtype: dtype | None = None,
    device: device | str | None = None,
) -> Tensor:
    """`zeros`, with the dtype and device of `input` unless others are named.

    Example:
        >>> tl.tensor([1, 2]).new_zeros(3)
        tensor([0, 0, 0])
    """
    return _new("new_zeros", sizes, size, 0, None, dtype or input._dtype, place=place_of(device, input))


@op("method")
@placing
def new_ones(
    input: Tensor,
    *sizes: int | Sequence[int],
    size: Sequence[int] | None = None,
    dtype: dtype | None = None,
    device: device | str | None = None,
) -> Tensor:
    """`ones`, with the dtype and device of `input` unless others are named.

    Example:
        >>> tl.tensor([1, 2]).new_ones(3)
        tensor([1, 1, 1])
    """
    return _new("new_ones", sizes, size, 1, None, dtype or input._dtype, place=place_of(device, input))


@op("method")
@placing
def new_full(
    input: Tensor,
    size: Sequence[int],
    fill_value: Number | Tensor,
    *,
    dtype: dtype | None = None,
    device: device | str | None = None,
) -> Tensor:
    """`full`, with the dtype and device of `input` unless others are named.

    Example:
        >>> tl.tensor([1, 2]).new_full((3,), 7)
        tensor([7, 7, 7])
    """
    return full(size, fill_value, dtype=dtype or input._dtype, device=device or input.device)


def _new(
    function: str,
    sizes: Sequence,
    size: Sequence[int] | None,
    value: Number,
    out: Tensor | None,
    wanted: dtype | None,
    names: Sequence[str | None] | None = None,
    place: Backend = HOST,
) -> Tensor:
    """The tensor that a call of `function` means, with one value in every element."""
    shape = _needed_sizes(sizes, function, size)
    if out is None:
        element_type = as_dtype(wanted) or dtypes.get_default_dtype()
        made = filled(shape, None, element_type, value, place)
    else:
        made = fitted(out, shape, _dtype_for(wanted, out))
        fill(made, value)
    return made if names is None else with_given_names(made, names)


def _needed_sizes(sizes: Sequence, function: str, size: Sequence[int] | None) -> Size:
    """`sizes_from`, refusing a call without any."""
    if not sizes and size is None:
        raise TypeError(
            f'{function}() missing 1 required positional arguments: "size", as in {function}(2, 3)'
        )
    return sizes_from(sizes, function, size)


def _dtype_for(wanted: dtype | None, out: Tensor) -> dtype:
    """The dtype of a result that is made in `out`, which must be the one that was asked for, if any was."""
    element_type = as_dtype(wanted) or out.dtype
    if element_type is not out.dtype:
        raise RuntimeError(
            f"dtype {element_type.name} does not match dtype of out parameter ({out.dtype.name})"
        )
    return element_type


def as_number(value: object, function: str) -> Number:
    """The number that a value to fill with means: itself, or that of a tensor without dimensions.

    Raises:
        TypeError: it is none.
    """
    if isinstance(value, Tensor) and not value.ndim:
        return value.item()
    if is_number(value):
        return value
    raise TypeError(f"{function}(): fill_value must be a number, got {value!r}")


# --- like another tensor ------------------------------------------------------------------------------


@op(names="copies")
@placing
def empty_like(
    input: Tensor,
    *,
    dtype: dtype | None = None,
    device: device | str | None = None,
    memory_format: memory_format = preserve_format,
) -> Tensor:
    """A tensor of `input`'s shape whose elements are whatever its memory held before.

    Args:
        input: the tensor to be like.
        dtype: another element type.
        device: where to make it; where `input` lies.
        memory_format: the order of the dimensions in memory; ``preserve_format`` keeps `input`'s.

    Raises:
        RuntimeError: the format is for another number of dimensions.

    Example:
        >>> tl.empty_like(tl.zeros(2, 3).t()).stride()
        (1, 3)
    """
    return allocate_strided(
        input._shape,
        strides_like(input, memory_format),
        as_dtype(dtype) or input._dtype,
        place_of(device, input),
    )


@op(names="copies")
@placing
def zeros_like(
    input: Tensor,
    *,
    dtype: dtype | None = None,
    device: device | str | None = None,
    memory_format: memory_format = preserve_format,
) -> Tensor:
    """A tensor of zeros of `input`'s shape (see `empty_like` for the arguments).

    Example:
        >>> tl.zeros_like(tl.tensor([5, 6]))
        tensor([0, 0])
    """
    return _new_like(input, 0, dtype, device, memory_format)


@op(names="copies")
@placing
def ones_like(
    input: Tensor,
    *,
    dtype: dtype | None = None,
    device: device | str | None = None,
    memory_format: memory_format = preserve_format,
) -> Tensor:
    """A tensor of ones of `input`'s shape (see `empty_like` for the arguments).

    Example:
        >>> tl.ones_like(tl.tensor([5, 6]), dtype=tl.float32)
        tensor([1., 1.])
    """
    return _new_like(input, 1, dtype, device, memory_format)


@op(names="copies")
@placing
def full_like(
    input: Tensor,
    fill_value: Number | Tensor,
    *,
    dtype: dtype | None = None,
    device: device | str | None = None,
    memory_format: memory_format = preserve_format,
) -> Tensor:
    """A tensor of `input`'s shape with `fill_value` in every element (see `empty_like` for the arguments).

    Raises:
        TypeError: `fill_value` is no number.
        RuntimeError: it does not fit into the dtype.

    Example:
        >>> tl.full_like(tl.tensor([5, 6]), 7)
        tensor([7, 7])
    """
    return _new_like(input, as_number(fill_value, "full_like"), dtype, device, memory_format)


def _new_like(
    input: Tensor, value: Number, wanted: dtype | None, place: device | str | None, format: memory_format
) -> Tensor:
    return filled(
        input._shape,
        strides_like(input, format),
        as_dtype(wanted) or input._dtype,
        value,
        place_of(place, input),
    )
