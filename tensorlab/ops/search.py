"""Where numbers would stand in sorted sequences, and histograms."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tensorlab.autograd.last_writer import written_by
from tensorlab.backends import Backend, Buffer, Launch, no_launch
from tensorlab.backends.array import Array, numbered
from tensorlab.core import dtypes, layout
from tensorlab.core.dtypes import dtype
from tensorlab.core.layout import Size
from tensorlab.dispatch.copies import reader
from tensorlab.dispatch.memory import filled
from tensorlab.dispatch.operands import Number, is_number, result_type
from tensorlab.dispatch.primitive import Primitive, Result, compute
from tensorlab.ops.from_data import from_cells
from tensorlab.ops.outputs import fit_out, typed_out
from tensorlab.registry import op
from tensorlab.tensor import Tensor


class Search(Primitive):
    """Where numbers would stand; `params`: the dtype to compare in, that of the results, and `right`."""

    name = "searchsorted"

    def result(self, operands: Sequence[Any], params: tuple) -> Result:
        """Of the numbers' shape, row-major."""
        shape = operands[1]._shape
        return Result(shape, layout.default_strides(shape), params[1])

    def launch(self, backend: Backend, result: Result, operands: Sequence[Any], params: tuple) -> Launch:
        """See `Primitive.launch`."""
        sequences, numbers, *_ = operands
        if 0 in result.shape:
            return no_launch
        several = numbers.numel() if sequences.ndim == 1 else numbers._shape[-1]
        common, kind, after = params
        length = sequences._shape[-1]
        search = _searched(backend, common, kind, numbers.numel(), length, several, after)
        kinds = common, common, dtypes.int64
        reads = [
            reader(backend, operand, layout.default_strides(operand._shape), kind)
            for operand, kind in zip(operands, kinds, strict=False)
        ]

        def launch(places: Buffer, elements: Buffer, sought: Buffer, *order: Buffer) -> None:
            read = [each(buffer) for each, buffer in zip(reads, (elements, sought, *order), strict=True)]
            search(places, read[1], read[0], read[2] if order else None)

        return launch


def _searched(
    backend: Backend,
    element_type: dtype,
    result: dtype,
    numbers: int,
    length: int,
    several: int,
    after: bool,
) -> Launch:
    """Prepare to say of each number how many elements of its sorted sequence come before it, by halving.

    Args:
        backend: the device's kernels.
        element_type: the dtype of the elements.
        result: that of the results, int64 or int32.
        numbers: how many are looked for, at least one.
        length: how many elements a sequence has.
        several: how many numbers are looked for in each sequence in turn.
        after: whether elements that equal the number come before it, too.

    Returns:
        a launch of (places, numbers, sequences, order), all row-major. `order` says where in their
        sequence the elements stand in order, int64; it is None if they do.
    """

    def launch(places: Buffer, sought: Buffer, sequences: Buffer, order: Buffer | None) -> None:
        number = Array(backend, sought, element_type, (numbers,))
        elements = Array(backend, sequences, element_type, (numbers,), (0,))
        start = numbered(backend, numbers).map("floor_divide", several).map("mul", length)
        low, high = start.map("mul", 0), start.map("mul", 0).map("add", length)
        for _ in range(length.bit_length()):  # each step halves what lies between low and high
            is_open = low.map("lt", high)
            middle = low.map("add", high).map("floor_divide", 2)
            place = middle.map("minimum", length - 1)
            if order is not None:
                listed = Array(backend, order, dtypes.int64, (numbers,), (0,))
                place = listed.gather(numbers * length, 1, start.map("add", place))
            element = elements.gather(numbers * length, 1, start.map("add", place))
            # A negation, so that a NaN in the sequence comes before every number, as in PyTorch.
            more = element.map("gt" if after else "ge", number).map("logical_not")
            low.put("where", is_open.map("logical_and", more), middle.map("add", 1), low)
            high.put("where", low.map("gt", middle), high, middle)
        Array(backend, places, result, (numbers,)).put("copy", low)

    return launch


SEARCH = Search()


@op()
def searchsorted(
    sorted_sequence: Tensor,
    input: Tensor | Number,
    *,
    out_int32: bool = False,
    right: bool = False,
    side: str | None = None,
    out: Tensor | None = None,
    sorter: Tensor | None = None,
) -> Tensor:
    """The places at which numbers can be put into sorted sequences so that these stay sorted.

    Args:
        sorted_sequence: one sequence in ascending order; or many along the last dimension.
        input: the numbers; with many sequences, of their shape but for the last dimension.
        out_int32: give int32 instead of int64.
        right: put a number after its equals, not before.
        side: the same as a word, ``"left"`` or ``"right"``.
        out: an int64 (or int32) tensor of `input`'s shape to write into.
        sorter: an int64 tensor of the sequences' shape that says where their elements stand in order.

    Raises:
        RuntimeError: the shapes do not go together, or an option contradicts another.
        TypeError: `input` is neither a tensor nor a number.

    Example:
        >>> tl.searchsorted(tl.tensor([1, 3, 5]), tl.tensor([[0, 3], [4, 9]]))
        tensor([[0, 1],
                [2, 3]])
    """
    name = "searchsorted"
    _check_options(name, input, right, side)
    numbers = _numbers(sorted_sequence, input)
    _check_shapes(name, sorted_sequence, numbers, isinstance(input, Tensor))
    sorters = () if sorter is None else (_checked_sorter(name, sorter, sorted_sequence),)
    common = _compared_type(name, sorted_sequence, input)
    result = dtypes.int32 if out_int32 else dtypes.int64
    after = right or side == "right"
    found = compute(SEARCH, sorted_sequence, numbers, *sorters, params=(common, result, after))
    if out is None:
        return found
    typed_out(name, result, out)
    fit_out(name, out, found.shape)
    return written_by(f"{name}(out=...)", out.copy_(found))


def _check_options(name: str, input: object, right: bool, side: str | None) -> None:
    if not isinstance(input, Tensor) and not is_number(input):
        raise TypeError(f"{name}(): argument 'input' must be Tensor or Number, not {type(input).__name__}")
    if side not in (None, "left", "right"):
        raise RuntimeError(f"{name}(): side can only be 'left' or 'right' but got {side!r}")
    if side == "left" and right:
        raise RuntimeError(
            f"{name}(): side and right can't be set to opposites, got side of left while right was True"
        )


def _compared_type(name: str, sequences: Tensor, input: Tensor | Number) -> dtype:
    """The dtype that numbers and sequences are compared in."""
    common = result_type(sequences, input)
    if common is dtypes.bool:
        raise NotImplementedError(
            f"{name}() is not implemented for bool: convert with .to(tensorlab.uint8) first"
        )
    return dtypes.float32 if common in (dtypes.float16, dtypes.bfloat16) else common


def _numbers(sequences: Tensor, input: Tensor | Number) -> Tensor:
    if isinstance(input, Tensor):
        return input
    return filled(Size(), None, result_type(sequences, input), input, sequences._storage.backend)


def _check_shapes(name: str, sequences: Tensor, numbers: Tensor, is_tensor: bool) -> None:
    if sequences.ndim == 0:
        raise RuntimeError(f"{name}(): boundaries tensor should have positive dimension, but got 0 dimension")
    if sequences.ndim == 1:
        return
    if not is_tensor or not numbers.ndim:
        raise RuntimeError(
            f"{name}(): input value can be a scalar only when boundaries tensor dimension is 1, "
            f"but we got boundaries tensor dim({sequences.ndim})"
        )
    if sequences.shape[:-1] != numbers.shape[:-1]:
        raise RuntimeError(
            f"{name}(): boundaries tensor should be 1 dimension or the first N-1 dimensions of boundaries "
            f"tensor and input value tensor must match, but we got boundaries tensor "
            f"{list(sequences.shape)} and input value tensor {list(numbers.shape)}"
        )


def _checked_sorter(name: str, sorter: Tensor, sequences: Tensor) -> Tensor:
    if sorter.shape != sequences.shape:
        raise RuntimeError(
            f"{name}(): boundary and sorter must have the same size, but got boundary tensor "
            f"{list(sequences.shape)} and got sorter tensor {list(sorter.shape)}"
        )
    if sorter.dtype is not dtypes.int64:
        raise RuntimeError(
            f"{name}(): sorter must be a tensor of long dtype but got dtype {sorter.dtype.name}"
        )
    least, greatest = (bound.item() for bound in sorter.aminmax()) if sorter.numel() else (0, -1)
    if least < 0 or greatest >= sequences.shape[-1]:
        raise RuntimeError(
            f"{name}(): sorter index out of range: it must lie in 0 … {sequences.shape[-1] - 1}"
        )
    return sorter


@op()
def bucketize(
    input: Tensor | Number,
    boundaries: Tensor,
    *,
    out_int32: bool = False,
    right: bool = False,
    out: Tensor | None = None,
) -> Tensor:
    """The number of the interval between sorted boundaries in which each number lies.

    Args:
        input: a tensor of any shape, or a number.
        boundaries: a tensor of one dimension, in ascending order.
        out_int32: give int32 instead of int64.
        right: a number that equals a boundary lies in the interval after it.
        out: an int64 (or int32) tensor of `input`'s shape to write into.

    Raises:
        RuntimeError: `boundaries` has another number of dimensions.

    Example:
        >>> tl.bucketize(tl.tensor([1, 3, 6]), tl.tensor([2, 3, 5]))
        tensor([0, 1, 3])
    """
    if boundaries.ndim != 1:
        raise RuntimeError(f"boundaries tensor must be 1 dimension, but got dim({boundaries.ndim})")
    return searchsorted(boundaries, input, out_int32=out_int32, right=right, out=out)


@op("function method")
def histc(
    input: Tensor, bins: int = 100, min: float = 0, max: float = 0, *, out: Tensor | None = None
) -> Tensor:
    """How many elements lie in each of equally wide intervals.

    Args:
        input: a floating-point tensor; elements outside of the intervals are left out.
        bins: how many intervals.
        min: where the first begins.
        max: where the last ends, included. If it equals `min` the elements' own range is taken.
        out: a tensor of `bins` elements of `input`'s dtype to write into.

    Returns:
        a tensor of `bins` counts in `input`'s dtype.

    Raises:
        NotImplementedError: the elements are not floats.
        RuntimeError: there are no bins, an interval is empty, or the range is not finite.

    Example:
        >>> tl.histc(tl.tensor([1.0, 2.0, 1.0]), bins=4, min=0, max=3)
        tensor([0., 2., 1., 0.])
    """
    if not input.dtype.is_floating_point:
        raise NotImplementedError(
            f"histc() is not implemented for {input.dtype.name}: convert with .to(tensorlab.float32) first"
        )
    if bins <= 0:
        raise RuntimeError(f"histc(): bins must be > 0, but got {bins}")
    if max < min:
        raise RuntimeError(f"histc(): max must be larger than min, got min={min} and max={max}")
    low, high = float(min), float(max)
    if low == high and input.numel():
        low, high = float(input.amin()), float(input.amax())
    if low == high:
        low, high = low - 1, high + 1
    if not (np.isfinite(low) and np.isfinite(high)):
        raise RuntimeError(f"histc(): range of [{low}, {high}] is not finite")
    edges = np.linspace(low, high, bins + 1)
    if input.dtype is dtypes.float32:
        edges = edges.astype(np.float32).astype(np.float64)
    values = input.detach().to(dtypes.float64).reshape(-1)
    counts = count_between(values, from_cells(edges, dtypes.float64, Size((bins + 1,))).to(input.device))
    found = counts.to(input.dtype)
    if out is None:
        return found
    typed_out("histc", input.dtype, out)
    fit_out("histc", out, found.shape, input)
    return written_by("histc(out=...)", out.copy_(found))


def count_between(values: Tensor, edges: Tensor, weights: Tensor | None = None) -> Tensor:
    """How many values lie between each edge and the next, the last included; or what they weigh together.

    Args:
        values: a vector of float64.
        edges: the edges in order, at least two, float64.
        weights: for each value its weight, float64.
    """
    bins = edges.numel() - 1
    each = values.new_ones(values.shape) if weights is None else weights
    # 0 is below the first edge, and bins + 1 above the last, which belongs to the last bin; NaN is above.
    places = searchsorted(edges, values, right=True).masked_fill(values == edges[-1], bins)
    return edges.new_zeros(bins + 2).index_add_(0, places, each)[1:-1].clone()


@op()
def unravel_index(indices: Tensor, shape: int | Sequence[int]) -> tuple[Tensor, ...]:
    """Where elements stand in a tensor of a shape, from their numbers in row-major order.

    Args:
        indices: integers; a number past the last begins anew, as PyTorch has it.
        shape: the shape of the tensor.

    Returns:
        a tuple of int64 tensors in the shape of `indices`, one for each dimension of `shape`.

    Raises:
        TypeError: `indices` are no integers.
        ValueError: `shape` has a negative size.

    Example:
        >>> tl.unravel_index(tl.tensor([5, 7]), (2, 4))
        (tensor([1, 1]), tensor([1, 3]))
    """
    if indices.dtype.category != dtypes.INTEGER:
        raise TypeError(f"expected 'indices' to be integer dtype, but got {indices.dtype.name}")
    sizes = (shape,) if isinstance(shape, int) else tuple(shape)
    if any(size < 0 for size in sizes):
        raise ValueError(f"'shape' cannot have negative values, but got {sizes}")
    steps, counts = (indices.new_tensor(each).long() for each in (layout.default_strides(sizes), sizes))
    return (indices.unsqueeze(-1) // steps % counts).unbind(-1)
