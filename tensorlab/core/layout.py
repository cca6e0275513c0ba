"""Layouts: pure functions of integers that say where an element lies.

A layout is a shape, one stride a dimension, and an offset. Element ``(i, j, …)`` lies in storage cell
``offset + i * strides[0] + j * strides[1] + …``. Nothing here knows about data, dtypes or devices, so every
rule can be tested by counting. All strides and offsets are in elements, never in bytes; strides are never
negative, as in PyTorch.

Functions that can refuse return a `Refusal` that carries the reason; the caller decides which error it is.
"""

from __future__ import annotations

import operator
from collections.abc import Sequence
from dataclasses import dataclass

from tensorlab.core.size import Size

__all__ = [
    "Refusal",
    "Size",
    "address_range",
    "check_bounds",
    "check_index",
    "default_strides",
    "flat_index",
    "infer_size",
    "is_contiguous",
    "merge_axes",
    "nbytes",
    "numel",
    "ranges_meet",
    "view_strides",
    "wrap_dim",
]


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a layout does not exist. `reason` is a clause that an error message can end with."""

    reason: str


def as_int(value: object, what: str) -> int:
    """`value` as a plain int.

    Raises:
        TypeError: `value` is not an integer (neither floats nor bools are, as in PyTorch).
    """
    if type(value) is not bool:
        try:
            return operator.index(value)  # type: ignore[arg-type]
        except TypeError:
            pass
    raise TypeError(f"{what} must be an integer, got {value!r} of type {type(value).__name__}")


def as_shape(sizes: Sequence[int], what: str = "shape") -> Size:
    """`sizes` as a `Size`, each checked.

    Raises:
        TypeError: a size is not an integer.
        ValueError: a size is negative.
    """
    shape = Size(as_int(size, f"every size of the {what}") for size in sizes)
    for dim, size in enumerate(shape):
        if size < 0:
            raise ValueError(
                f"{what} {tuple(shape)} has the negative size {size} in dimension {dim}; sizes are 0 or more"
            )
    return shape


def numel(shape: Sequence[int]) -> int:
    """The number of elements of a tensor of this shape: the product of its sizes.

    The product of no sizes is 1: a tensor without dimensions holds one number.

    Args:
        shape: one size a dimension, each 0 or more.

    Raises:
        TypeError: a size is not an integer.
        ValueError: a size is negative.

    Example:
        >>> numel((2, 3)), numel(()), numel((2, 0))
        (6, 1, 0)
    """
    count = 1
    for size in shape if type(shape) is Size else as_shape(shape):
        count *= size
    return count


def nbytes(shape: Sequence[int], dtype) -> int:  # type: ignore[no-untyped-def]  # anything with an itemsize
    """The bytes that the elements of a dense tensor take: `numel` times the size of one element.

    Args:
        shape: one size a dimension.
        dtype: the element type; its `itemsize` is in bytes.

    Example:
        >>> from tensorlab import bool, float64
        >>> nbytes((2, 3), float64), nbytes((2, 3), bool)
        (48, 6)
    """
    return numel(shape) * dtype.itemsize


def default_strides(shape: Sequence[int]) -> tuple[int, ...]:
    """The strides of a dense row-major tensor: the last dimension is contiguous in memory.

    A size of 0 counts as 1, as in PyTorch, so that strides never become 0.

    Example:
        >>> default_strides((2, 3, 4)), default_strides((2, 0, 3)), default_strides(())
        ((12, 4, 1), (3, 3, 1), ())
    """
    strides: tuple[int, ...] = ()
    step = 1
    for size in [*shape][::-1]:  # a list, because each item of a Size costs a call
        strides = (step, *strides)
        step *= size or 1
    return strides


def is_contiguous(shape: Sequence[int], strides: Sequence[int]) -> bool:
    """True when walking the elements in order walks the storage one cell at a time.

    The stride of a dimension of size 1 is never used, so it does not matter; a tensor without elements is
    contiguous.

    Example:
        >>> is_contiguous((2, 3), (3, 1)), is_contiguous((3, 2), (1, 3)), is_contiguous((3, 1), (1, 7))
        (True, False, True)
    """
    expected = 1
    for size, stride in zip([*shape][::-1], reversed(strides), strict=True):
        if size == 0:
            return True
        if size != 1:
            if stride != expected:
                return 0 in shape
            expected *= size
    return True


def wrap_dim(dim: int, ndim: int) -> int:
    """A dimension counted from the front; a negative one counts from the end.

    A tensor of no dimensions answers to 0 and -1, as in PyTorch.

    Raises:
        IndexError: there is no such dimension.

    Example:
        >>> wrap_dim(-1, 3)
        2
    """
    span = max(ndim, 1)
    if not -span <= dim < span:
        raise IndexError(
            f"Dimension out of range (expected to be in range of [{-span}, {span - 1}], but got {dim})"
        )
    return dim + span if dim < 0 else dim


def check_index(index: Sequence[int], shape: Sequence[int]) -> tuple[int, ...]:
    """One index a dimension, each brought to the range ``0 … size - 1``.

    A negative index counts from the end of its dimension: -1 is the last one.

    Args:
        index: one integer a dimension.
        shape: the sizes.

    Raises:
        IndexError: too many or too few indices, or one outside its dimension.
        TypeError: an index is not an integer.

    Example:
        >>> check_index((1, -1), (2, 3))
        (1, 2)
        >>> check_index((1, 3), (2, 3))
        Traceback (most recent call last):
            ...
        IndexError: index 3 is out of bounds for dimension 1 with size 3: use -3 … 2
    """
    if len(index) != len(shape):
        which = "many" if len(index) > len(shape) else "few"
        raise IndexError(
            f"too {which} indices for tensor of dimension {len(shape)}: "
            f"got {len(index)}, and shape {tuple(shape)} takes {len(shape)}"
        )
    checked = []
    for dim, (i, size) in enumerate(zip(index, shape, strict=True)):
        i = as_int(i, f"the index of dimension {dim}")
        if not -size <= i < size:
            hint = f"use {-size} … {size - 1}" if size else "it has no elements"
            raise IndexError(f"index {i} is out of bounds for dimension {dim} with size {size}: {hint}")
        checked.append(i + size if i < 0 else i)
    return tuple(checked)


def flat_index(index: Sequence[int], strides: Sequence[int], offset: int = 0) -> int:
    """The storage cell of one element: the offset, plus each index times its stride.

    Args:
        index: one non-negative integer a dimension (see `check_index`).
        strides: cells from one element to the next, one a dimension.
        offset: the cell of element ``(0, 0, …)``.

    Example:
        >>> flat_index((1, 2), (4, 1), 3)
        9
    """
    cell = offset
    for i, stride in zip(index, strides, strict=True):
        cell += i * stride
    return cell


def address_range(shape: Sequence[int], strides: Sequence[int], offset: int = 0) -> tuple[int, int] | None:
    """The first and the last storage cell that a layout reaches; None when it has no elements.

    Example:
        >>> address_range((2, 3), (4, 1), 5), address_range((2, 0), (4, 1))
        ((5, 11), None)
    """
    low = high = offset
    for size, stride in zip(shape, strides, strict=True):
        if size == 0:
            return None
        if stride >= 0:
            high += (size - 1) * stride
        else:
            low += (size - 1) * stride
    return low, high


def ranges_meet(first: tuple[int, int] | None, second: tuple[int, int] | None) -> bool:
    """True when two closed ranges of addresses share one; None is the empty range.

    Example:
        >>> ranges_meet((0, 4), (4, 9)), ranges_meet((0, 4), None)
        (True, False)
    """
    return first is not None and second is not None and first[0] <= second[1] and second[0] <= first[1]


def check_bounds(
    shape: Sequence[int], strides: Sequence[int], offset: int, cells: int
) -> Refusal | tuple[int, int] | None:
    """Whether every element of a layout lies in a storage of `cells` cells.

    Returns:
        the range of cells that it reaches (None when it has no elements), or a `Refusal`.

    Example:
        >>> check_bounds((3, 4), (4, 1), 0, 12)
        (0, 11)
        >>> check_bounds((3, 4), (4, 1), 2, 12).reason
        'element (2, 3) would lie in cell 2 + 2·4 + 3·1 = 13, and the storage has cells 0 … 11'
    """
    if len(shape) != len(strides):
        return Refusal(f"{len(shape)} sizes need {len(shape)} strides, got {len(strides)}")
    for dim, stride in enumerate(strides):
        if stride < 0:
            return Refusal(f"the stride {stride} of dimension {dim} is negative; strides are 0 or more")
    if offset < 0:
        return Refusal(f"the offset {offset} is negative; a storage begins with cell 0")
    reached = address_range(shape, strides, offset)
    if reached is not None and reached[1] >= cells:
        last = tuple(size - 1 for size in shape)
        terms = [str(offset)] + [f"{i}·{stride}" for i, stride in zip(last, strides, strict=True)]
        sum_of_terms = " + ".join(terms) + (f" = {reached[1]}" if last else "")
        has = f"the storage has cells 0 … {cells - 1}" if cells else "the storage has no cells"
        return Refusal(f"element {last} would lie in cell {sum_of_terms}, and {has}")
    return reached


def infer_size(shape: Sequence[int], count: int) -> Size:
    """`shape` with its one -1 replaced so that it has `count` elements.

    Raises:
        RuntimeError: two -1, no size that fits, or more than one that would.

    Example:
        >>> infer_size((3, -1), 12)
        tensorlab.Size([3, 4])
    """
    sizes = [as_int(size, "every size of the shape") for size in shape]
    shown = f"shape {sizes}"
    unknown: list[int] = []
    for dim, size in enumerate(sizes):  # the first thing that is wrong, from the left, is reported
        if size < -1:
            raise RuntimeError(f"invalid shape dimension {size} in {shown}: sizes are 0 or more, or one -1")
        if size == -1 and unknown:
            raise RuntimeError(
                f"only one dimension can be inferred, and {shown} has {sizes.count(-1)} times -1"
            )
        if size == -1:
            unknown.append(dim)
    known = numel(Size(size for size in sizes if size != -1))
    if unknown:
        if known == count == 0:
            raise RuntimeError(
                f"cannot reshape tensor of {count} elements into {shown}: "
                f"the other sizes multiply to 0, so the unspecified dimension size -1 can be any value"
            )
        if known and count % known == 0:
            sizes[unknown[0]] = count // known
            return Size(sizes)
    elif known == count:
        return Size(sizes)
    raise RuntimeError(f"{shown} is invalid for input of size {count}: its sizes multiply to {known}")


def merge_axes(shape: Sequence[int], strides: Sequence[int]) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The same elements in the same order, with as few dimensions as possible.

    Two neighbours become one where a step of the outer one leads as far as all steps of the inner one:
    ``strides[i] == strides[i + 1] * shape[i + 1]``. Dimensions of size 1 take no step, so they go.

    Args:
        shape: sizes of 1 or more.
        strides: one a dimension.

    Returns:
        the shorter shape and its strides; both empty when there is one element.

    Example:
        >>> merge_axes((2, 1, 3), (3, 7, 1)), merge_axes((3, 2), (1, 3)), merge_axes((2, 3), (0, 0))
        (((6,), (1,)), ((3, 2), (1, 3)), ((6,), (0,)))
    """
    sizes: list[int] = []
    steps: list[int] = []
    for size, step in zip(shape, strides, strict=True):
        if size == 1:
            continue
        if sizes and steps[-1] == step * size:
            sizes[-1] *= size
            steps[-1] = step
        else:
            sizes.append(size)
            steps.append(step)
    return tuple(sizes), tuple(steps)


def view_strides(
    shape: Sequence[int], strides: Sequence[int], new_shape: Sequence[int]
) -> tuple[int, ...] | Refusal:
    """The strides with which the same cells, in the same order, have another shape; or why there are none.

    Neighbouring dimensions merge into one where stepping over the end of the inner one is a step of the outer
    one: ``strides[i] == strides[i + 1] * shape[i + 1]``. Such a merged dimension can be cut again anywhere.
    A new shape exists as a view when its cuts fall on the borders that could not be merged.

    Args:
        shape, strides: the layout to be viewed.
        new_shape: sizes without -1, with the same number of elements.

    Example:
        >>> view_strides((2, 3, 4), (12, 4, 1), (6, 4))
        (4, 1)
        >>> view_strides((3, 4), (1, 3), (12,)).reason
        'dimensions 0 and 1 are not adjacent in memory'
    """
    if 0 in shape:
        return tuple(strides) if tuple(shape) == tuple(new_shape) else default_strides(new_shape)
    if not shape:
        return (1,) * len(new_shape)
    new_strides = [1] * len(new_shape)
    new_dim = len(new_shape) - 1
    run, step = 1, strides[-1]  # elements in the run of mergeable dimensions, and the stride inside it
    for dim in range(len(shape) - 1, -1, -1):
        run *= shape[dim]
        if dim > 0 and (shape[dim - 1] == 1 or strides[dim - 1] == run * step):
            continue  # the next outer dimension continues this run
        filled = 1
        while new_dim >= 0 and (filled < run or new_shape[new_dim] == 1):
            new_strides[new_dim] = filled * step
            filled *= new_shape[new_dim]
            new_dim -= 1
        if filled != run:
            return Refusal(f"dimensions {dim - 1} and {_next_used(shape, dim)} are not adjacent in memory")
        if dim > 0:
            run, step = 1, strides[dim - 1]
    return tuple(new_strides)


def _next_used(shape: Sequence[int], dim: int) -> int:
    """The first dimension from `dim` on whose size is not 1."""
    return next(d for d in range(dim, len(shape)) if shape[d] != 1)
