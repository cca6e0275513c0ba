"""The elements in other places, or several times: copies, because no strides exist that do it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from tensorlab.autograd.formulas import formulas
from tensorlab.autograd.recording import record
from tensorlab.backends import Backend, Launch, OperandLayout
from tensorlab.core import layout, view_rules
from tensorlab.core.dtypes import int32, int64
from tensorlab.core.layout import Size, as_int
from tensorlab.core.memory_formats import contiguous_format
from tensorlab.dispatch.copies import Copy
from tensorlab.dispatch.operands import number_from, widened
from tensorlab.dispatch.primitive import Recorded, Result, call, need_one_device
from tensorlab.ops.aliases import as_own
from tensorlab.ops.arguments import ints_from, several
from tensorlab.ops.from_data import tensor
from tensorlab.ops.joining import cat
from tensorlab.ops.ranges import arange
from tensorlab.ops.search import searchsorted
from tensorlab.registry import op
from tensorlab.scalars import TABLE
from tensorlab.tensor import Tensor

FlipBackward0 = formulas("FlipBackward0", input=lambda grad, dims: grad.flip(dims))


class Flip(Copy):
    """The elements from the last to the first along some dimensions, the `params`."""

    name = "flip"

    def result(self, operands: Sequence[Any], params: tuple) -> Result:
        """Laid out as the elements are."""
        return super().result(operands, ())

    def launch(self, backend: Backend, result: Result, operands: Sequence[Any], params: tuple) -> Launch:
        """A copy that begins at the last element and has strides below 0."""
        (source,) = operands
        steps = [-step if dim in params else step for dim, step in enumerate(source._stride)]
        last = sum((source._shape[dim] - 1) * source._stride[dim] for dim in params)
        out, read = OperandLayout(result.dtype, result.stride), OperandLayout(source._dtype, tuple(steps))
        copy = backend.pointwise(TABLE["copy"], widened(source._dtype), result.shape, out, [read])
        return lambda out, buffer: copy(out, (buffer[0], buffer[1] + last))

    def node(self, operands: Sequence[Any], params: tuple) -> Recorded:
        """With the dimensions."""
        return FlipBackward0, {"dims": params}


FLIP = Flip()
RollBackward0 = formulas(
    "RollBackward0", input=lambda grad, shifts, dims: grad.roll([-step for step in shifts], dims)
)
RepeatBackward0 = formulas(
    "RepeatBackward0", input=lambda grad, sizes, counts: _added_up(grad, sizes, counts)
)
Rot90Backward0 = formulas("Rot90Backward0", input=lambda grad, k, dims: grad.rot90(-k, dims))


@op("function method", names="keeps")
def flip(input: Tensor, *order: int | Sequence[int], dims: Sequence[int] | None = None) -> Tensor:
    """The elements in reverse order along some dimensions, as a copy: there are no negative strides.

    Args:
        input: any tensor.
        order: the dimensions, as separate ints or as one sequence.
        dims: the same, by name.

    Raises:
        IndexError: there is no such dimension.
        RuntimeError: a dimension is named twice.

    Example:
        >>> tl.arange(6).view(2, 3).flip(0, 1)
        tensor([[5, 4, 3],
                [2, 1, 0]])
    """
    chosen = tuple(view_rules.distinct_dims(ints_from(order, dims, "flip", "dims"), input.ndim))
    return call(FLIP, input, params=chosen if input.ndim else ())


@op("function method", names="copies")
def flipud(input: Tensor) -> Tensor:
    """`flip` of the first dimension.

    Raises:
        RuntimeError: there is none.

    Example:
        >>> tl.tensor([[1, 2], [3, 4]]).flipud()
        tensor([[3, 4],
                [1, 2]])
    """
    if not input.ndim:
        raise RuntimeError("flipud(): Input must be >= 1-d.")
    return flip(input, 0)


@op("function method", names="copies")
def fliplr(input: Tensor) -> Tensor:
    """`flip` of the second dimension.

    Raises:
        RuntimeError: there is none.

    Example:
        >>> tl.tensor([[1, 2], [3, 4]]).fliplr()
        tensor([[2, 1],
                [4, 3]])
    """
    if input.ndim < 2:
        raise RuntimeError("fliplr(): Input must be >= 2-d.")
    return flip(input, 1)


@op("function method", names="keeps")
def roll(input: Tensor, shifts: int | Sequence[int], dims: int | Sequence[int] | None = None) -> Tensor:
    """The elements moved along some dimensions; what leaves at one end comes in at the other.

    Args:
        input: any tensor.
        shifts: how far, one number a dimension.
        dims: along which dimensions; without it the tensor is rolled as one line and keeps its shape.

    Raises:
        RuntimeError: there are not as many shifts as dimensions.
        IndexError: there is no such dimension.

    Example:
        >>> tl.arange(6).view(2, 3).roll(1, 1)
        tensor([[2, 0, 1],
                [5, 3, 4]])
    """
    given, dims = number_from(shifts), number_from(dims)
    if isinstance(given, Tensor):
        raise TypeError("roll(): argument 'shifts' must be tuple of ints, not a Tensor with dimensions")
    steps = (given,) if isinstance(given, int) else tuple(given)
    if dims is None or (isinstance(dims, Sequence) and not dims):
        if len(steps) != 1:
            raise RuntimeError(f"roll(): without dims there is one shift, got {len(steps)}")
        result = as_own(_rolled(input.detach().ravel(), steps[0], 0).reshape(input.shape))
        return record(RollBackward0, result, input, shifts=steps, dims=())
    along = (dims,) if isinstance(dims, int) else tuple(dims)
    if len(steps) != len(along):
        raise RuntimeError(
            f"shifts and dimensions must align. shifts: {len(steps)}, dims: {len(along)}: "
            f"give one shift for each dimension"
        )
    if not input.ndim:
        raise IndexError(f"Dimension specified as {along[0]} but tensor has no dimensions")
    result = input.detach()
    if input.numel():
        for step, dim in zip(steps, along, strict=True):
            result = _rolled(result, step, dim)
    else:  # in the layout that it has
        result = result.clone()
    return record(RollBackward0, result, input, shifts=steps, dims=along)


def _rolled(input: Tensor, shift: int, dim: int) -> Tensor:
    dim = layout.wrap_dim(dim, input.ndim)
    size = input.shape[dim]
    cut = -as_int(shift, "roll(): shift") % size if size else 0
    return cat((input.narrow(dim, cut, size - cut), input.narrow(dim, 0, cut)), dim)


@op("function method")
def rot90(input: Tensor, k: int = 1, dims: Sequence[int] = (0, 1)) -> Tensor:
    """The plane of two dimensions turned by `k` quarters, from the first of them towards the second.

    Args:
        input: a tensor of at least two dimensions.
        k: how many quarters; negative ones turn back.
        dims: the two dimensions.

    Raises:
        IndexError: there is no such dimension.
        RuntimeError: `dims` are not two different dimensions.

    Example:
        >>> tl.arange(4).view(2, 2).rot90()
        tensor([[1, 3],
                [0, 2]])
    """
    quarters = as_int(k, "rot90(): k") % 4
    if len(dims) != 2:
        raise RuntimeError(f"rot90(): dims must be two dimensions, got {list(dims)}")
    if input.ndim < 2:
        raise RuntimeError(f"rot90(): expected total dims >= 2, but got total dims = {input.ndim}")
    first, second = view_rules.distinct_dims(tuple(dims), input.ndim)
    plain = input.detach()
    if quarters == 0:
        result = plain.clone(memory_format=contiguous_format)
    elif quarters == 2:
        result = flip(plain, first, second)
    else:
        result = as_own(flip(plain, second if quarters == 1 else first).transpose(first, second))
    return record(Rot90Backward0, result, input, k=quarters, dims=(first, second))


@op("method", names="leads")
def repeat(input: Tensor, *times: int | Sequence[int], repeats: Sequence[int] | None = None) -> Tensor:
    """The whole tensor several times along each dimension, as a copy. To repeat without one, `expand`.

    Args:
        input: any tensor.
        times: how often, one number a dimension, as separate ints or as one sequence; more numbers than
            dimensions add dimensions in front.
        repeats: the same, by name.

    Raises:
        RuntimeError: there are fewer numbers than dimensions, or one is negative.

    Example:
        >>> tl.tensor([1, 2]).repeat(2, 2)
        tensor([[1, 2, 1, 2],
                [1, 2, 1, 2]])
    """
    counts = ints_from(times, repeats, "repeat", "repeats")
    if len(counts) < input.ndim:
        raise RuntimeError(
            f"Number of dimensions of repeat dims can not be smaller than number of dimensions of tensor: "
            f"got {len(counts)} numbers for {input.ndim} dimensions"
        )
    if any(count < 0 for count in counts):
        raise RuntimeError(f"repeat(): numbers must not be negative, got {counts}")
    shape = (1,) * (len(counts) - input.ndim) + tuple(input.shape)
    # Each dimension gets a new one in front of it, which is stretched and then merged with it.
    apart = input.detach().reshape(tuple(size for own in shape for size in (1, own)))
    stretched = apart.expand(tuple(size for pair in zip(counts, shape, strict=True) for size in pair))
    result = stretched.reshape(tuple(count * size for count, size in zip(counts, shape, strict=True)))
    if result._storage._memory is input._storage._memory:
        result = result.clone(memory_format=contiguous_format)
    return record(RepeatBackward0, result, input, sizes=input._shape, counts=tuple(counts))


def _added_up(grad: Tensor, sizes: Size, counts: tuple[int, ...]) -> Tensor:
    """The gradients of all copies of each element, added up."""
    if not counts:
        return grad
    shape = (1,) * (len(counts) - len(sizes)) + tuple(sizes)
    apart = grad.reshape(tuple(size for pair in zip(counts, shape, strict=True) for size in pair))
    return apart.sum(tuple(range(0, 2 * len(counts), 2))).reshape(sizes)


@op("function method")
def tile(input: Tensor, *times: int | Sequence[int], dims: Sequence[int] | None = None) -> Tensor:
    """`repeat`, in which missing numbers count as 1.

    Example:
        >>> tl.tile(tl.tensor([[1], [2]]), (3,))
        tensor([[1, 1, 1],
                [2, 2, 2]])
    """
    counts = ints_from(times, dims, "tile", "dims")
    return repeat(input, (1,) * (input.ndim - len(counts)) + counts)


@op("function method")
def repeat_interleave(
    input: Tensor,
    repeats: int | Tensor | None = None,
    dim: int | None = None,
    *,
    output_size: int | None = None,
) -> Tensor:
    """Each element several times, next to itself.

    Args:
        input: any tensor.
        repeats: how often; one number, or one for each position along `dim`. Without it `input` is a vector
            of such numbers, and what is repeated are the positions: 0, 1, 2, …
        dim: along which dimension; without it the elements are taken as one line.
        output_size: the length of the result along `dim`, if it is known.

    Raises:
        IndexError: there is no such dimension.
        RuntimeError: a number is negative, there are not as many as positions, or `output_size` is wrong.

    Example:
        >>> tl.tensor([1, 2]).repeat_interleave(3)
        tensor([1, 1, 1, 2, 2, 2])
        >>> tl.repeat_interleave(tl.tensor([2, 0, 1]))
        tensor([0, 0, 2])
    """
    if repeats is None:
        return _repeated_positions(input, output_size)
    if dim is None:
        input, dim = input.flatten(), 0
    dim = layout.wrap_dim(dim, input.ndim)
    if isinstance(repeats, Tensor):
        if repeats.dtype not in (int32, int64):
            raise RuntimeError(f"repeats has to be Long or Int tensor, got {repeats.dtype.name}")
        counts = repeats
    else:
        counts = tensor(as_int(repeats, "repeat_interleave(): repeats"))
    if counts.numel() and counts.amin().item() < 0:
        raise RuntimeError(f"repeats can not be negative, got {counts.tolist()}")
    if counts.ndim > 1 or (counts.numel() != 1 and counts.numel() != input.shape[dim]):
        raise RuntimeError(
            f"repeats must have the same size as input along dim {dim}: got {counts.numel()} numbers for "
            f"{input.shape[dim]} positions"
        )
    if counts.numel() == 1:
        count = int(counts.item())
        shape = (*input.shape[: dim + 1], count, *input.shape[dim + 1 :])
        stretched = input.unsqueeze(dim + 1).expand(shape).clone(memory_format=contiguous_format)
        result = stretched.flatten(dim, dim + 1)
    else:
        ends = counts.cumsum(0)
        total = int(ends[-1].item()) if counts.numel() else 0
        result = input.index_select(dim, searchsorted(ends, arange(total, device=ends.device), right=True))
    if output_size is not None and output_size != result.shape[dim]:
        raise RuntimeError(
            f"allocated size does not match required size: output_size is {output_size}, and the repeats "
            f"make {result.shape[dim]}"
        )
    return result


def _repeated_positions(counts: Tensor, output_size: int | None) -> Tensor:
    """Each position of a vector of counts as often as it says there, in the counts' dtype."""
    if counts.ndim != 1:
        raise RuntimeError(
            f"repeat_interleave only accept 1D vector as repeat, got one of shape {tuple(counts.shape)}"
        )
    if counts.dtype not in (int32, int64):
        raise RuntimeError(f"repeats has to be Long or Int tensor, got {counts.dtype.name}")
    positions = arange(counts.shape[0], dtype=counts.dtype, device=counts.device)
    return repeat_interleave(positions, counts, output_size=output_size)


@op()
def meshgrid(*tensors: Tensor | Sequence[Tensor], indexing: str = "ij") -> tuple[Tensor, ...]:
    """For each of some vectors a tensor over all their combinations in which it runs along its own dimension.

    The results are views: each vector is stretched, and nothing is copied.

    Args:
        tensors: vectors, or tensors without dimensions.
        indexing: ``"ij"`` puts the first vector along the rows, ``"xy"`` along the columns.

    Raises:
        RuntimeError: there are no tensors, one has two dimensions or more, dtypes differ, or `indexing` is
            neither.

    Example:
        >>> rows, columns = tl.meshgrid(tl.tensor([1, 2]), tl.tensor([3, 4, 5]))
        >>> columns
        tensor([[3, 4, 5],
                [3, 4, 5]])
    """
    vectors = several(tensors, "meshgrid")
    if not vectors:
        raise RuntimeError("meshgrid expects a non-empty TensorList: give it at least one vector")
    if indexing not in ("ij", "xy"):
        raise RuntimeError(f'meshgrid: indexing must be one of "xy" or "ij", but received: {indexing}')
    for vector in vectors:
        if vector.ndim > 1:
            raise RuntimeError(
                f"meshgrid: Expected 0D or 1D tensor in the tensor list but got shape {tuple(vector.shape)}"
            )
        if vector.dtype is not vectors[0].dtype:
            raise RuntimeError("meshgrid expects all tensors to have the same dtype")
    need_one_device("meshgrid", *vectors)
    swapped = indexing == "xy" and len(vectors) >= 2
    if swapped:
        vectors[0], vectors[1] = vectors[1], vectors[0]
    shape = tuple(math.prod(vector.shape) for vector in vectors)
    grids = [
        vector.reshape((1,) * i + (-1,) + (1,) * (len(vectors) - i - 1)).expand(shape)
        for i, vector in enumerate(vectors)
    ]
    if swapped:
        grids[0], grids[1] = grids[1], grids[0]
    return tuple(grids)
